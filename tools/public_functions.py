# SPDX-License-Identifier: BSD-3-Clause
# The functions that include/shoal declares, with their parameters.
"""A reader of Shoal's own headers, not of C: declarations begin with SHOAL_API and end with ';'."""

import dataclasses
import re

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
NAME = re.compile(r"\b(shoal_\w+)\s*\(")
HIDDEN = re.compile(r"^(?!SHOAL_API|typedef|#)\w[\w *(]*\b(shoal_\w+)\s*\(", re.MULTILINE)


@dataclasses.dataclass
class Parameter:
    type: str  # words without the name: "const double (*)[3]", "shoal_molecule *"
    name: str
    pointer: bool

    @property
    def words(self):
        """Words of the type without const and the like: ["shoal_molecule"]."""
        return [w for w in re.findall(r"\w+", self.type) if w not in ("const", "struct")]


@dataclasses.dataclass
class Function:
    name: str
    returns: str
    parameters: list
    header: str


def split_parameters(text):
    depth, start = 0, 0
    for i, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            yield text[start:i]
            start = i + 1
    yield text[start:]


def parse_parameter(text):
    text = " ".join(text.split())
    match = re.search(r"\(\s*\*\s*(?:const\s+)?(\w+)\s*\)", text) or re.search(r"(\w+)\s*(?:\[|$)", text)
    if not match:
        raise SystemExit(f"public_functions: cannot read the parameter '{text}'")
    kind = (text[: match.start(1)] + text[match.end(1) :]).strip()
    return Parameter(kind, match.group(1), "*" in kind or "[" in kind)


def parse_declaration(text, header):
    match = NAME.search(text)
    if not match:
        raise SystemExit(f"public_functions: {header}: cannot read '{' '.join(text.split())}'")
    depth, end = 1, match.end()
    while depth:
        depth += (text[end] == "(") - (text[end] == ")")
        end += 1
    inner = text[match.end() : end - 1].strip()
    parameters = [] if inner in ("", "void") else [parse_parameter(p) for p in split_parameters(inner)]
    returns = (text[: match.start()] + text[end:]).replace("( *", "(*").split()
    return Function(match.group(1), " ".join(returns), parameters, header)


def declared(top):
    """All functions in the order of the headers, which are read by name."""
    functions = []
    for path in sorted((top / "include" / "shoal").glob("*.h")):
        text = COMMENT.sub(" ", path.read_text())
        text = re.sub(r"^\s*#\s*define\b.*$", "", text, flags=re.MULTILINE)
        hidden = HIDDEN.search(text)
        if hidden:
            raise SystemExit(f"public_functions: {path.name}: {hidden.group(1)} lacks SHOAL_API")
        parts = text.split("SHOAL_API")[1:]
        functions += [parse_declaration(part.split(";")[0], path.name) for part in parts]
    return functions


def opaque(top):
    """Names of the types that only the library makes: callers know them by pointer alone, or give them back."""
    text = "".join(COMMENT.sub(" ", p.read_text()) for p in (top / "include" / "shoal").glob("*.h"))
    seen = set(re.findall(r"\n(?:typedef )?struct (\w+) {", text))
    hidden = set(re.findall(r"typedef struct (\w+) \1;", text)) - seen
    return hidden | set(re.findall(r"SHOAL_API void (\w+)_destroy\(\1 \*", text))


def callbacks(top):
    """Names of the function types."""
    text = "".join(COMMENT.sub(" ", p.read_text()) for p in (top / "include" / "shoal").glob("*.h"))
    return set(re.findall(r"typedef \w+ (\w+)\(", text))
