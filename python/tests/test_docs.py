# SPDX-License-Identifier: BSD-3-Clause
# Python examples of the documents run as written and print what stands below them.
from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
RUNNER = str(TOP / "tools" / "run_examples.py")
PAGES = ["docs/quick-start.md", "docs/python.md"]
PAGES += sorted(p.relative_to(TOP).as_posix() for p in (TOP / "docs" / "tutorials").glob("*.md"))
SECONDS = 120  # of a tutorial on two cores


@pytest.mark.parametrize("page", PAGES)
def test_page(page: str, tmp_path: pathlib.Path) -> None:
    command = [sys.executable, RUNNER, str(TOP / page), str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    if run.returncode == 77:
        pytest.skip(run.stdout.strip().splitlines()[-1])
    assert run.returncode == 0, run.stdout + run.stderr


def test_every_page_has_examples() -> None:
    for page in PAGES:
        assert "```python\n" in (TOP / page).read_text(encoding="utf-8"), page


def test_wrong_numbers_are_noticed(tmp_path: pathlib.Path) -> None:
    page = tmp_path / "page.md"
    shown = "```python\nprint('E', 1.2345)\n```\n\n```text\nE 1.2545\n```\n"
    page.write_text(shown, encoding="utf-8")
    command = [sys.executable, RUNNER, str(page), str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 1 and "does not print: E 1.2545" in run.stdout
