# SPDX-License-Identifier: BSD-3-Clause
# Numbers of results, worked out again from the geometry with NumPy: restraints, sums, slopes; and
# arrays of systems of unlike sizes against plain lists.
import numpy as np
import pytest
from program import EXAMPLES

import shoal
from shoal._handle import integers
from shoal.options import flat
from shoal.ragged import Ragged

BUTANE = EXAMPLES / "butane.sdf"


def angle(p, i, j, k):
    u, v = p[i] - p[j], p[k] - p[j]
    return np.degrees(np.arccos(u @ v / np.sqrt((u @ u) * (v @ v))))


def torsion(p, i, j, k, l):
    a, b, c = p[j] - p[i], p[k] - p[j], p[l] - p[k]
    n, m = np.cross(a, b), np.cross(b, c)
    return np.degrees(np.arctan2(np.linalg.norm(b) * a @ m, n @ m))


def butane():
    return shoal.read(BUTANE)[0]


# --- restraints ---


def test_energies_of_restraints():
    """Half k times the square of what is off: angstrom, or radians."""
    mol = butane()
    p = mol.positions
    off = np.radians([angle(p, 0, 1, 2) - 95.0, torsion(p, 0, 1, 2, 3) - 40.0])
    off[1] = (off[1] + np.pi) % (2 * np.pi) - np.pi
    centre = p[1:4].mean(axis=0)
    away = p[2] + [0.3, -0.4, 1.2]
    far = np.linalg.norm(p[3] - p[0])
    cases = [
        (shoal.Restraint.position(2, k=3.0, target=away), 1.5 * 1.69),
        (shoal.Restraint.position(2, k=3.0, target=away, directions="xz"), 1.5 * 1.53),
        (shoal.Restraint.position(2, k=3.0), 0.0),
        (shoal.Restraint.distance(0, 3, value=2.0, k=4.0), 2.0 * (far - 2.0) ** 2),
        (shoal.Restraint.angle(0, 1, 2, value=95.0, k=5.0), 2.5 * off[0] ** 2),
        (shoal.Restraint.torsion(0, 1, 2, 3, value=40.0, k=6.0), 3.0 * off[1] ** 2),
        (shoal.Restraint.centre(1, 3, k=7.0, target=centre + [0, 0.5, 0]), 3.5 * 0.25),
    ]
    for restraint, want in cases:
        found = shoal.Batch([mol], device="cpu", restraints=[restraint]).energy()
        assert found[0].terms["restraint"] == pytest.approx(want, abs=1e-9), restraint
    every = shoal.Batch([mol, mol], device="cpu", restraints=[one for one, _ in cases]).energy()
    for one in every:
        assert one.terms["restraint"] == pytest.approx(sum(want for _, want in cases), abs=1e-8)


def test_scan_beside_restraints():
    """What holds the batch holds its scans, too, beside what is scanned."""
    held = shoal.Restraint.distance(0, 3, value=3.2, k=200.0)
    batch = shoal.Batch([butane()], device="cpu", restraints=[held])
    found = batch.scan(shoal.Coordinate.distance(0, 1, [1.5, 1.6]), relaxed=True, max_steps=2000)
    for one, want in zip(found, (1.5, 1.6)):
        p = np.array(one.positions)
        assert np.linalg.norm(p[3] - p[0]) == pytest.approx(3.2, abs=0.03)
        assert np.linalg.norm(p[1] - p[0]) == pytest.approx(want, abs=0.05)


# --- sums ---


def test_sums_of_results():
    """Energies are sums of terms, fmax is the longest force, and nothing pulls at the whole."""
    mols = [butane(), shoal.Molecule("OHH", [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]])]
    batch = shoal.Batch(mols, device="cpu")
    for found in (batch.energy(), batch.relax(max_steps=3)):
        for one, mol in zip(found, mols):
            forces = np.array(one.forces)
            assert sum(one.terms.values()) == pytest.approx(one.energy, abs=1e-9)
            assert np.linalg.norm(forces, axis=1).max() == pytest.approx(one.fmax, abs=1e-9)
            assert np.abs(forces.sum(axis=0)).max() < 1e-8
            torque = np.cross(np.array(one.positions), forces).sum(axis=0)
            assert np.abs(torque).max() < 1e-7
            assert len(one.positions) == len(mol)
        assert np.array_equal(found.energy, [one.energy for one in found])
        assert np.array_equal(found.forces.counts, [len(mol) for mol in mols])


def test_forces_are_slopes():
    mol = butane()
    p, h = mol.positions.copy(), 1e-4
    engine = shoal.Engine.of([mol], device="cpu", precision="double")
    engine.energy()
    forces = np.array(engine.result(0).forces)
    for i, c in ((0, 0), (3, 1), (7, 2), (13, 0)):
        ends = []
        for way in (-1, 1):
            moved = p.copy()
            moved[i, c] += way * h
            engine.set_positions(0, moved)
            engine.energy()
            ends.append(engine.result(0).energy)
        assert -(ends[1] - ends[0]) / (2 * h) == pytest.approx(forces[i, c], abs=1e-5)


# --- arrays ---


def test_ragged_is_a_list():
    rng = np.random.default_rng(3)
    for counts in ([], [0], [3], [2, 2, 2], [1, 0, 4, 2], [0, 0]):
        parts = [rng.random((n, 3)) for n in counts]
        rows = np.concatenate([np.empty((0, 3)), *parts])
        ragged = Ragged(rows, np.concatenate([[0], np.cumsum(counts)]).astype(int))
        assert len(ragged) == len(parts) and ragged.counts.tolist() == counts
        for got, want in zip(ragged, parts):
            assert np.array_equal(got, want)
        for k in range(-len(parts), len(parts)):
            assert np.array_equal(ragged[k], parts[k])
        for cut in (slice(1, None), slice(None, None, -1), slice(-2, None)):
            assert [part.tolist() for part in ragged[cut]] == [part.tolist() for part in parts[cut]]
        for k in (len(parts), -len(parts) - 1):
            with pytest.raises(IndexError):
                ragged[k]
        if len(set(counts)) > 1:
            with pytest.raises(ValueError):
                ragged.stack()
        else:
            assert ragged.stack().shape == (len(counts), counts[0] if counts else 0, 3)
            assert all(np.array_equal(got, want) for got, want in zip(ragged.stack(), parts))


def test_whole_numbers_fit():
    """Those that C has room for, and no other."""
    ends = [-(2**31), 2**31 - 1]
    assert integers("atoms", ends, (None,)).tolist() == ends
    for beyond in (2**31, -(2**31) - 1):
        with pytest.raises(shoal.ArgumentError):
            integers("atoms", [beyond], (None,))
    assert integers("atoms", [], (None,)).tolist() == []


def test_options_that_are_told():
    """A force field is told by its name, which has its dialect, and by what is not the default."""
    told = flat({"forcefield": shoal.UFF(dialect="paper"), "a": 1})
    assert told == {"forcefield": "uff:paper", "a": 1}


def test_one_system_or_many():
    for n in (1, 2):
        found = shoal.Batch([butane()] * n, device="cpu").energy()
        assert (f"{n} systems" in repr(found)) == (n > 1) and f"{n} system" in repr(found)
