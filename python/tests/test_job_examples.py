# SPDX-License-Identifier: BSD-3-Clause
"""Examples in the docstrings of jobs run as written."""

import doctest
import importlib

import pytest
from program import TOP


@pytest.mark.parametrize("name", ["dataset", "fit", "md", "modes", "scan", "search"])
def test_examples(name, monkeypatch):
    monkeypatch.chdir(TOP)
    module = importlib.import_module(f"shoal.{name}")
    failed, tried = doctest.testmod(module)
    assert tried > 0 and failed == 0
