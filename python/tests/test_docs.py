# SPDX-License-Identifier: BSD-3-Clause
# Examples of the documents and of docstrings run as written and print what stands below them.
from __future__ import annotations

import doctest
import importlib
import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

import shoal

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tools"))

import run_examples  # noqa: E402

RUNNER = str(TOP / "tools" / "run_examples.py")
# tests/cli/test_results.py has those of docs/results.md.
NAMES = ("quick-start", "python", "pictures", "fitting", "from-firecore", "live")
NAMES += ("conformers", "md", "modes", "scans", "search")
PAGES = ["README.md"] + [f"docs/{name}.md" for name in NAMES]
# The tutorials; tools/lint_notebooks.py makes them.
NOTEBOOKS = sorted((TOP / "docs" / "notebooks").glob("*.ipynb"))
FILES = sorted(pathlib.Path(shoal.__file__).parent.glob("*.py"))
MODULES = ["shoal"] + [f"shoal.{path.stem}" for path in FILES if not path.stem.startswith("_")]
SECONDS = 120  # of a tutorial on two cores


def run_page(page: pathlib.Path, place: pathlib.Path) -> None:
    command = [sys.executable, RUNNER, str(page), str(place)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    if run.returncode == 77:
        pytest.skip(run.stdout.strip().splitlines()[-1])
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("page", PAGES)
def test_page(page: str, tmp_path: pathlib.Path) -> None:
    run_page(TOP / page, tmp_path)


def run_in_kernel(path: pathlib.Path) -> None:
    """As Jupyter runs it, from the folder it lies in."""
    import nbclient
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    shown = list(run_examples.cells_of(json.loads(path.read_text(encoding="utf-8"))))
    folder = {"metadata": {"path": str(path.parent)}}
    client = nbclient.NotebookClient(notebook, timeout=SECONDS, resources=folder)
    try:
        client.execute()
    except nbclient.exceptions.CellExecutionError as error:
        absent = error.ename == "ModuleNotFoundError" and "named 'shoal" not in error.evalue
        if absent or "pip install shoal[" in error.evalue:
            pytest.skip(error.evalue)
        raise
    printed = run_examples.cells_of(json.loads(nbformat.writes(notebook)))
    for (_, code, want), (_, _, got) in zip(shown, printed):
        text = "\n".join(got)
        missing = run_examples.first_missing(want, text)
        assert missing is None, f"{path.name}: does not print: {missing}\n{code}\nbut:\n{text}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path, tmp_path, monkeypatch) -> None:
    """By a kernel of Jupyter where there is one, otherwise cell by cell."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # where its scratch folder goes
    if all(importlib.util.find_spec(name) for name in ("nbclient", "ipykernel")):
        run_in_kernel(path)
    else:
        run_page(path, tmp_path)


def test_every_tutorial_is_a_notebook() -> None:
    tutorials = sorted((TOP / "docs" / "tutorials").glob("*.md"))
    pages = [p for p in tutorials if "```python\n" in p.read_text(encoding="utf-8")]
    assert len(pages) >= 4 and [p.stem for p in NOTEBOOKS] == [p.stem for p in pages]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers are shown as NumPy showed them before version 2."""
    shutil.copytree(TOP / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    try:
        module = importlib.import_module(name)
    except ImportError as missing:
        pytest.skip(str(missing))
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    with np.printoptions(legacy="1.25" if np.__version__ >= "2" else False):
        result = doctest.testmod(module, extraglobs={"shoal": shoal}, optionflags=flags)
    assert result.failed == 0


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
