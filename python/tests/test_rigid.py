# SPDX-License-Identifier: BSD-3-Clause
"""Rigid bodies from Python: molecules keep their shape, and bodies may be named in several ways."""

import numpy as np
import pytest

import shoal
from shoal._lib import ArgumentError

PLACES = [
    [0, 0, 0],
    [0.96, 0, 0.02],
    [-0.24, 0.93, 0],
    [3.1, 0.3, 0.1],
    [3.6, 1.15, 0.1],
    [3.85, -0.35, 0.05],
]


def pair():
    return shoal.Molecule("OHHOHH", PLACES)


def shape(x):
    x = np.asarray(x)
    lines = [np.linalg.norm(x[k : k + 3] - x[[k + 1, k + 2, k]], axis=1) for k in (0, 3)]
    return np.concatenate(lines)


def test_molecules_keep_their_shape():
    r = shoal.Batch(pair(), device="cpu", charges="qeq", rigid="molecules").relax()
    assert r.status.tolist() == ["converged"]
    assert np.abs(shape(r.positions[0]) - shape(PLACES)).max() < 3e-6
    assert np.abs(np.asarray(r.positions[0]) - PLACES).max() > 0.01


def test_bodies_by_atoms_are_those_by_molecules():
    ways = ["molecules", ["0-2", "3-"], [[0, 1, 2], [3, 4, 5]], [np.arange(3), "3-5"]]
    energies = {
        float(shoal.Batch(pair(), device="cpu", rigid=way).relax().energy[0]) for way in ways
    }
    assert len(energies) == 1


def test_dynamics():
    r = shoal.Batch(pair(), device="cpu", rigid="molecules").md(steps=100, dt=2.0)
    assert r.status.tolist() == ["ok"]


@pytest.mark.parametrize("rigid", ["element:Q", 3, [[0.5, 1]], [["a"]]])
def test_wrong_bodies_are_refused(rigid):
    with pytest.raises(ArgumentError, match="rigid"):
        shoal.Batch(pair(), device="cpu", rigid=rigid)


def test_searches_without_a_surface_are_refused():
    with pytest.raises(ArgumentError, match="surface"):
        shoal.Batch(pair(), device="cpu", rigid="molecules").search(starts=2)
