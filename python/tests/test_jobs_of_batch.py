# SPDX-License-Identifier: BSD-3-Clause
# Methods of Batch have the parameters of the functions that they stand for.
import importlib
import inspect

import pytest

import shoal


@pytest.mark.parametrize("name", ["scan", "md", "search", "modes"])
def test_parameters(name):
    module = pytest.importorskip("shoal." + name)
    function = getattr(importlib.import_module(module.__name__), name)
    theirs = list(inspect.signature(function).parameters.values())[1:]
    ours = list(inspect.signature(getattr(shoal.Batch, name)).parameters.values())[1:]
    assert [(p.name, p.kind, p.default) for p in ours] == [
        (p.name, p.kind, p.default) for p in theirs
    ]


def test_jobs_are_called(golden):
    pytest.importorskip("shoal.scan")
    batch = shoal.Batch(golden["water"], device="cpu")
    assert len(batch.scan("angle:1,0,2=100:110:5")) == 3
    assert len(batch.md(20, stride=10)) == 1
    assert len(batch.search(2)) == 1
    assert len(batch.modes()) == 1
