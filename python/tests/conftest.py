# SPDX-License-Identifier: BSD-3-Clause
# What tests of the package share: molecules, and the C program to compare with.
import json
import os
import pathlib
import shutil
import subprocess

import numpy as np
import pytest

import shoal
from shoal._lib import lib

TOP = pathlib.Path(__file__).resolve().parents[2]
CASES = TOP / "tests"


@pytest.fixture(scope="session")
def program():
    """The C program: SHOAL_PROGRAM, beside the library, or on the path."""
    lib.load()
    beside = pathlib.Path(lib.path).parent
    named = [os.environ.get("SHOAL_PROGRAM"), beside / "shoal", beside.parent / "bin" / "shoal"]
    for path in [*named, shutil.which("shoal")]:
        if path and os.access(path, os.X_OK):
            return str(path)
    pytest.skip("the C program is not there")


@pytest.fixture
def cli(program):
    """Rows of JSON that the C program prints."""

    def run(*arguments):
        words = [program, *map(str, arguments), "--json", "--quiet"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60)
        assert done.returncode in (0, 1), done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    return run


@pytest.fixture
def golden():
    """Small molecules by name."""
    return {p.stem: shoal.read(p)[0] for p in (CASES / "golden").glob("*.xyz")}


@pytest.fixture
def butane():
    return shoal.read(TOP / "examples" / "butane.sdf")[0]


def shaken(molecule, n, seed=1, by=0.05):
    """Conformers of a molecule, [n, n_atoms, 3]."""
    numbers = np.random.default_rng(seed)
    return molecule.positions + numbers.uniform(-by, by, (n, len(molecule), 3))


def slow_batch(molecule, n=200000):
    """A batch that takes much longer than anybody waits for, unless n is small."""
    positions = np.resize(shaken(molecule, min(n, 1000), by=0.3), (n, len(molecule), 3))
    return shoal.Batch(molecule, positions=positions, device="cpu", threads=1)


def hexavalent():
    """A carbon atom with six bonds: nobody can type it."""
    around = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]]
    bonds = [(0, i, 1) for i in range(1, 7)]
    return shoal.Molecule("CHHHHHH", [[0, 0, 0], *around], bonds, name="hexavalent")
