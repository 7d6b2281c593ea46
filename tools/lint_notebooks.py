#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Notebooks of docs/notebooks say what the tutorials say: lint_notebooks.py [--update]
"""Every page of docs/tutorials with examples in Python is a notebook, too: its prose, a cell for each ```python block, and
what is shown below that block as the output of the cell. python/tests/test_docs.py runs them."""

import json
import re
import sys

import source_tree
from run_examples import BLOCK

LINK = re.compile(r"(\]\()(?!\.\./|#|[a-z]+:)")
SCRATCH = """\
import os
import pathlib
import shutil
import tempfile

here = pathlib.Path.cwd()
tree = next(place for place in (here, *here.parents) if (place / "examples/demo.sdf").is_file())
os.chdir(tempfile.mkdtemp())
_ = shutil.copytree(tree / "examples", "examples")"""
ABOUT = "This is [the tutorial](../tutorials/{page}) as a notebook. It runs in a scratch folder beside a copy of `examples`:"


def lines_of(text):
    return text.strip("\n").splitlines(keepends=True)


def prose(text):
    return {"cell_type": "markdown", "metadata": {}, "source": lines_of(LINK.sub(r"\1../tutorials/", text))}


def code(text, shown=None):
    output = [{"output_type": "stream", "name": "stdout", "text": lines_of(shown)}] if shown else []
    return {"cell_type": "code", "metadata": {}, "execution_count": None, "source": lines_of(text), "outputs": output}


def cells_of(page, text):
    title, _, rest = text.partition("\n")
    yield prose(f"{title}\n\n{ABOUT.format(page=page)}")
    yield code(SCRATCH)
    end = 0
    for block in BLOCK.finditer(rest):
        if rest[end:block.start()].strip():
            yield prose(rest[end:block.start()])
        yield code(block.group(1), block.group(2))
        end = block.end()
    if rest[end:].strip():
        yield prose(rest[end:])


def notebook(page, text):
    cells = [{"id": f"cell-{k}", **cell} for k, cell in enumerate(cells_of(page, text))]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": cells, "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
             "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def wanted(top):
    """{path: text} of all notebooks."""
    pages = {path: path.read_text(encoding="utf-8") for path in sorted((top / "docs/tutorials").glob("*.md"))}
    return {top / "docs/notebooks" / f"{path.stem}.ipynb": notebook(path.name, text)
            for path, text in pages.items() if BLOCK.search(text)}


def check(top):
    texts = wanted(top)
    there = set((top / "docs/notebooks").glob("*.ipynb"))
    for path in sorted(there | set(texts)):
        if path not in there or path.read_text(encoding="utf-8") != texts.get(path):
            yield f"{path.relative_to(top)}: is not what docs/tutorials gives: tools/lint_notebooks.py --update"


def update(top):
    texts = wanted(top)
    (top / "docs/notebooks").mkdir(exist_ok=True)
    for path in set((top / "docs/notebooks").glob("*.ipynb")) - set(texts):
        path.unlink()
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--update"]:
        update(source_tree.root(sys.argv[2:]))
    else:
        source_tree.report(list(check(source_tree.root())))
