# SPDX-License-Identifier: BSD-3-Clause
"""Examples in docstrings and documents of jobs run as written."""

import doctest
import importlib
import re

import pytest
from program import TOP


@pytest.mark.parametrize("name", ["coordinate", "dataset", "fit", "md", "modes", "scan", "search"])
def test_examples(name, monkeypatch):
    monkeypatch.chdir(TOP)
    module = importlib.import_module(f"shoal.{name}")
    failed, tried = doctest.testmod(module)
    assert tried > 0 and failed == 0


@pytest.mark.parametrize("name", ["fitting", "md", "modes", "scans", "search"])
def test_documents(name, tmp_path, monkeypatch):
    blocks = re.findall(
        r"^```python\n(.*?)^```", (TOP / f"docs/{name}.md").read_text(), re.M | re.S
    )
    (tmp_path / "examples").symlink_to(TOP / "examples")
    monkeypatch.chdir(tmp_path)
    assert blocks
    for block in blocks:
        exec(compile(block, f"docs/{name}.md", "exec"), {"__name__": "__main__"})
