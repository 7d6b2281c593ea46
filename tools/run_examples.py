#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Runs the Python examples of a page in order, in one process, beside a copy of examples/.
"""usage: run_examples.py PAGE.md|NOTEBOOK.ipynb [FOLDER]

Every block ```python of the page is run in a scratch folder (or FOLDER), all of them in one namespace. A block ```text
right below one is what it prints: every line of it but `...` must be there, numbers to the last digit shown. Cells of a
notebook and their outputs likewise. Exits with 77 where a package is missing that a block imports."""

import contextlib
import io
import json
import math
import os
import pathlib
import re
import shutil
import sys
import tempfile
import traceback

TOP = pathlib.Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\s*^```text\n(.*?)^```)?", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
SKIPPED = 77


def last_digit(number):
    decimals = len(number.partition(".")[2])
    return 1.1 * 10.0**-decimals if decimals > 0 and "e" not in number else 1e-12


def same(shown, line):
    """Equal texts between numbers that agree to a part in a million or within the last digit shown."""
    if NUMBER.sub("#", shown) != NUMBER.sub("#", line):
        return False
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(line))
    return all(math.isclose(float(a), float(b), rel_tol=1e-6, abs_tol=last_digit(a)) for a, b in pairs)


def first_missing(shown, output):
    """The first of the shown lines that the output lacks, or None."""
    lines = [line.rstrip() for line in output.splitlines()]
    return next((want for want in shown if not any(same(want, line) for line in lines)), None)


def lines_shown(text):
    return [line.rstrip() for line in text.splitlines() if line.strip() and line.strip() != "..."]


def blocks_of(text):
    """(line of the page, code, shown lines) of every Python block."""
    for match in BLOCK.finditer(text):
        line = text[: match.start()].count("\n") + 2
        yield line, match.group(1), lines_shown(match.group(2) or "")


def cells_of(notebook):
    """(1, code, shown lines) of every cell of code of a notebook."""
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            printed = [text for output in cell["outputs"] for text in output.get("text", [])]
            yield 1, "".join(cell["source"]), lines_shown("".join(printed))


def run_block(page, line, code, shown, names):
    """What is wrong with a block, or None."""
    out = io.StringIO()
    # Lines of the page in tracebacks.
    program = compile("\n" * (line - 1) + code, str(page), "exec")
    with contextlib.redirect_stdout(out):
        exec(program, names)  # noqa: S102 (the page is ours)
    missing = first_missing(shown, out.getvalue())
    if missing is not None:
        return f"{page}:{line}: does not print: {missing}\nbut:\n{out.getvalue()}"
    return None


def run_page(page):
    """(blocks that ran, what was wrong, whether a package was missing)"""
    names, n = {"__name__": "__example__"}, 0
    text = page.read_text(encoding="utf-8")
    blocks = cells_of(json.loads(text)) if page.suffix == ".ipynb" else blocks_of(text)
    for line, code, shown in blocks:
        try:
            wrong = run_block(page, line, code, shown, names)
        except ImportError as missing:
            ours = (missing.name or "shoal").split(".")[0] == "shoal"
            if ours and "pip install shoal[" not in str(missing):
                return n, traceback.format_exc(), False
            return n, f"skipped: {missing}", True
        except Exception:  # noqa: BLE001 (whatever an example raises)
            return n, traceback.format_exc(), False
        if wrong:
            return n, wrong, False
        n += 1
    return n, None, False


def main():
    page = pathlib.Path(sys.argv[1]).resolve()
    os.environ.setdefault("MPLBACKEND", "Agg")
    with contextlib.ExitStack() as stack:
        place = sys.argv[2] if len(sys.argv) > 2 else stack.enter_context(tempfile.TemporaryDirectory())
        if not (pathlib.Path(place) / "examples").exists():
            shutil.copytree(TOP / "examples", pathlib.Path(place) / "examples")
        os.chdir(place)
        n, wrong, skipped = run_page(page)
        os.chdir(TOP)
    print(wrong or f"{page.name}: {n} blocks ran")
    sys.exit(SKIPPED if skipped else 1 if wrong else 0)


if __name__ == "__main__":
    main()
