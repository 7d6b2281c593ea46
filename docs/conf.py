# SPDX-License-Identifier: BSD-3-Clause
# How Sphinx makes the site of what tools/make_docs.py put together; ./dev docs runs both.
"""Formulas become MathML when the site is built: pages need no script for them, and nothing from the network."""

import html
import importlib.util
import os
import re

import latex2mathml.converter
from sphinx.ext.autodoc.mock import _MockObject

TOP = os.environ["SHOAL_TOP"]

project = "Shoal"
author = "the Shoal developers"
copyright = "the Shoal developers, BSD 3-Clause"  # noqa: A001 (Sphinx knows it by this name)
with open(os.path.join(TOP, "include", "shoal", "version.h"), encoding="utf-8") as header:
    release = version = re.search(r'SHOAL_VERSION "([^"]+)"', header.read()).group(1)

extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 4
# Unknown lexers are for pages of code hosts; everything else is an error.
suppress_warnings = ["misc.highlighting_failure"]
exclude_patterns = ["files/**"]
nitpicky = False

html_theme = "furo"
html_title = f"Shoal {release}"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["shoal.css"]
html_copy_source = False
html_show_sphinx = False

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"
autoclass_content = "both"
_OPTIONAL = ("ase", "rdkit", "dask", "distributed", "matplotlib", "pandas", "tqdm", "h5py", "chemiscope", "PIL")
# What stands in for a package that is not installed is a number, too: RDKit's constants are used on import.
_MockObject.__int__ = _MockObject.__index__ = lambda self: 0
autodoc_mock_imports = [name for name in _OPTIONAL if importlib.util.find_spec(name) is None]


def plain(text):
    """A line of prose: what stands between backquotes is code, all else means what it says."""
    parts = re.split(r"(`+[^`]*`+)", text)
    for k, part in enumerate(parts):
        if k % 2 == 0:
            parts[k] = re.sub(r"([*|])", r"\\\1", re.sub(r"_(?=\W|$)", r"\\_", part))
        elif part.startswith("`") and not part.startswith("``"):
            parts[k] = f"`{part}`"
    return "".join(parts)


def prose(app, what, name, thing, options, lines):
    """Docstrings are prose and examples, not reStructuredText."""
    example = False
    for k, line in enumerate(lines):
        example = bool(line.strip()) and (example or line.lstrip().startswith(">>>"))
        if not example:
            indent = len(line) - len(line.lstrip())
            bullet = "- " if line.lstrip().startswith("- ") else ""
            lines[k] = line[:indent] + bullet + plain(line[indent + len(bullet):])


def elsewhere(app, what, name, thing, skip, options):
    """Whether a module only hands on what another one makes: that is where it is described."""
    home, here = getattr(thing, "__module__", None), app.env.docname.rpartition("/")[2].replace("-", ".")
    public = isinstance(home, str) and not home.rpartition(".")[2].startswith("_")
    return True if what == "module" and public and home != here else None


# (first letter, the same in bold or open face) by the word of latex2mathml; browsers know letters, not the words.
FACES = {"bold": [("a", 0x1D41A), ("A", 0x1D400), ("0", 0x1D7CE)],
         "bold-italic": [("a", 0x1D482), ("A", 0x1D468), ("\u03b1", 0x1D736)],
         "double-struck": [("A", 0x1D538), ("0", 0x1D7D8)]}


def faced(match):
    """A letter of another face as the character that has it."""
    letter = html.unescape(match.group(3))
    for first, place in FACES.get(match.group(2), []):
        if 0 <= ord(letter) - ord(first) < 26:
            return f"<{match.group(1)}>{chr(place + ord(letter) - ord(first))}</{match.group(1)}>"
    return match.group()


# A function with its power, before what it is taken of: a thin space belongs there.
FUNCTION = re.compile(r"(<mi>(?:cos|sin|ln|exp)</mi>|<msup><mi>(?:cos|sin)</mi><mn>2</mn></msup>)(?=<m[is])")


def mathml(latex, display):
    text = latex2mathml.converter.convert(latex, display=display)
    text = FUNCTION.sub(r'\1<mspace width="0.17em"/>', text)
    return re.sub(r'<(m[in]) mathvariant="([\w-]+)">(\w|&#x\w+;)</\1>', faced, text)


def inline_math(self, node):
    self.body.append(mathml(node.astext(), "inline"))
    raise_skip()


def block_math(self, node):
    self.body.append(f'<div class="formula">{mathml(node.astext(), "block")}</div>')
    raise_skip()


def raise_skip():
    from docutils.nodes import SkipNode

    raise SkipNode


def setup(app):
    app.connect("autodoc-skip-member", elsewhere)
    app.connect("autodoc-process-docstring", prose, priority=400)
    app.add_html_math_renderer("mathml", (inline_math, None), (block_math, None))
