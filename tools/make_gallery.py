#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Pictures of docs/gallery, each from a script there: make_gallery.py PROGRAM LIBRARY [NAME...].
"""A script has LINES of commands, texts of INPUTS that are not in examples/, and the name of their RESULT, or a function draw(examples) that uses the Python package and
returns an SVG. Its docstring is the caption. Pictures are written beside the scripts, with the page docs/gallery.md. Of a page (RESULT.html, SIZE) Chromium takes the
picture; where there is none, the one that is there stays, and it is said."""

import ast
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import screenshots

TOP = pathlib.Path(__file__).resolve().parents[1]
FOLDER = TOP / "docs/gallery"
HEAD = """# Gallery

Every picture on this page is made by a script (`tools/make_gallery.py`, run by `./dev docs`), most of them in a second or two on one CPU core.
"""


def scripts(names=()):
    return [p for p in sorted(FOLDER.glob("*.py")) if not names or p.stem in names]


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def by_commands(module, program, picture):
    """What the last command leaves, run beside a copy of examples/."""
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        shutil.copytree(TOP / "examples", place, dirs_exist_ok=True)
        for file, text in getattr(module, "INPUTS", {}).items():
            (place / file).write_text(text, encoding="utf-8")
        for line in module.LINES:
            subprocess.run([program, *line.split()[1:]], cwd=place, check=True, stdout=subprocess.DEVNULL)
        if module.RESULT.endswith(".html"):
            return screenshots.photograph(place / module.RESULT, module.SIZE, picture.with_suffix(".png"))
        return (place / module.RESULT).read_text(encoding="utf-8")


def make(path, program):
    module = load(path)
    is_page = getattr(module, "RESULT", "").endswith(".html")
    if is_page and not screenshots.browser():
        print(f"make_gallery: {path.name}: skipped: no Chromium; the picture stays as it is")
        return
    text = by_commands(module, program, path) if hasattr(module, "LINES") else module.draw(TOP / "examples")
    if is_page:
        return
    if not text.lstrip().startswith("<svg") and "<svg" not in text[:400]:
        raise SystemExit(f"make_gallery: {path.name} makes no SVG")
    path.with_suffix(".svg").write_text(text.rstrip() + "\n", encoding="utf-8")


def page():
    parts = [HEAD]
    for path in scripts():
        caption = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        picture = next(path.with_suffix(end).name for end in (".svg", ".png") if path.with_suffix(end).exists())
        parts.append(f"## {caption.split(':')[0]}\n\n![{caption}](gallery/{picture})\n\n{caption} ([script](gallery/{path.name}))\n")
    return "\n".join(parts)


def main(program, library, names):
    sys.path.insert(0, str(TOP / "python"))
    os.environ.update(SHOAL_LIBRARY=library, SHOAL_PROGRAM=program, PYTHON=sys.executable, PYTHONPATH=str(TOP / "python"))
    for path in scripts(names):
        make(path, program)
    (TOP / "docs/gallery.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(*(str(pathlib.Path(word).resolve()) for word in sys.argv[1:3]), sys.argv[3:])
