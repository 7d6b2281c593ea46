# SPDX-License-Identifier: BSD-3-Clause
# Barriers from Python: saddles against Newton's method, many bands at once, and what is refused.
import numpy as np
import pytest

import shoal

ALANINE = "CC(=O)N[C@@H](C)C(=O)NC"
PHI, PSI = (1, 3, 4, 6), (3, 4, 6, 8)


def relaxed(mol, *restraints):
    given = {"restraints": [list(restraints)]} if restraints else {}
    engine = shoal.Engine([mol.topology()], [mol.positions], precision="double", **given)
    made = mol.copy()
    made.positions = np.array(engine.relax(fmax=1e-5, max_steps=20000).positions[0])
    return made


def driven(mol, phi, psi):
    """The minimum that its two torsions lead to."""
    pulls = ((PHI, phi), (PSI, psi))
    held = [shoal.Restraint.torsion(*atoms, value=to, k=20.0) for atoms, to in pulls]
    return relaxed(relaxed(mol, *held))


def turned_methyl(mol, hydrogens):
    """The same minimum with the hydrogens of a methyl group moved on by one place."""
    made, places = mol.copy(), mol.positions.copy()
    places[hydrogens] = places[np.roll(hydrogens, 1)]
    made.positions = places
    return made


@pytest.mark.parametrize("angles", [(-150, 150), (60, -60), (-80, -40)])
def test_dipeptide_against_newton(angles):
    """The stationary point next to the saddle, found without the band, has the same energy."""
    first = driven(shoal.embed([ALANINE], 1, seed=3)[0].molecule, -80, 80)
    band = shoal.barriers(first, driven(first, *angles), images=11)[0]
    assert band.converged and band.barrier > 0.01 and band.order == 1
    energy, left, order = newton(first, band)
    assert left < 1e-3 and order == 1
    assert band.energies[band.saddle] == pytest.approx(energy, abs=1e-3)


def newton(mol, band):
    """The stationary point next to the highest image, by second derivatives from differences."""
    engine = shoal.Engine([mol.topology()], [mol.positions], precision="double")

    def slope(x):
        engine.set_positions(0, x.reshape(-1, 3))
        return -np.array(engine.energy().result(0).forces).ravel()

    x = band.positions[band.saddle].ravel().copy()
    for _ in range(10):
        moves = 1e-4 * np.eye(len(x))
        bend = np.array([slope(x + move) - slope(x - move) for move in moves]) / 2e-4
        values, vectors = np.linalg.eigh((bend + bend.T) / 2)
        keep = np.argsort(np.abs(values))[6:]  # turning and moving the whole costs nothing
        step = -vectors[:, keep] @ (vectors[:, keep].T @ slope(x) / values[keep])
        x += step * min(1, 0.1 / np.abs(step).max())
    left = np.abs(slope(x)).max()
    return engine.energy().result(0).energy, left, int((values[keep] < 0).sum())


def test_ethane_by_hundreds():
    ethane = relaxed(shoal.embed(["CC"], 1)[0].molecule)
    away = np.linalg.norm(ethane.positions - ethane.positions[0], axis=1)
    methyl = [k for k in range(2, 8) if away[k] < 1.3]
    bands = shoal.barriers([ethane] * 120, [turned_methyl(ethane, methyl)] * 120, modes=False)
    assert len(bands) == 120 and all(band.converged for band in bands)
    assert len({band.barrier for band in bands}) == 1
    assert bands[0].order is None


def test_hops_and_turns():
    """Argon hops by a period of a surface; last ends come of the first."""
    salt = shoal.Surface.rocksalt("NaCl", size=(4, 4), layers=2)
    edge = 5.6402 / np.sqrt(2)
    atom = shoal.Molecule(["Ar"], [[edge / 2, edge, 3.4]])
    on = shoal.Batch([atom], surface=salt, grid="off").relax(fmax=1e-4)
    atom.positions = on.positions[0]
    how = {"surface": salt, "grid": "off", "modes": False}
    band = shoal.barriers(atom, hop=(0, edge), **how)[0]
    away = band.positions[-1] - band.positions[0]
    assert band.converged and np.allclose(away, [[0, edge, 0]], atol=5e-3)
    assert band.energies[-1] == pytest.approx(band.energies[0], abs=1e-5) and band.barrier > 1e-3
    water = shoal.Molecule(["O", "H", "H"], [[0, 0, 3.2], [0.76, 0, 3.8], [-0.76, 0, 3.8]])
    turned = shoal.barriers(water, turn=90, fmax=0.1, **how)[0]
    assert turned.positions.shape[1:] == (3, 3)
    for wrong in ({}, {"last": atom, "hop": (1, 0)}):
        with pytest.raises(shoal.ArgumentError, match="expected last, or hop and turn"):
            shoal.barriers(atom, **wrong, **how)


def test_numbers_of_a_band():
    """Each is that of the images; without climbing, or with fewer of them, the highest is lower."""
    ethane = relaxed(shoal.embed(["CC"], 1)[0].molecule)
    away = np.linalg.norm(ethane.positions - ethane.positions[0], axis=1)
    last = turned_methyl(ethane, [k for k in range(2, 8) if away[k] < 1.3])
    last.positions = last.positions + [0.0, 0.0, 1e-3]
    band = shoal.barriers(ethane, last, images=4, precision="double")[0]
    engine = shoal.Engine([ethane.topology()], [ethane.positions], precision="double")
    for energy, place in zip(band.energies, band.positions):
        engine.set_positions(0, place)
        assert energy == pytest.approx(engine.energy().result(0).energy, abs=1e-10)
    moves = np.linalg.norm(np.diff(band.positions, axis=0), axis=(1, 2))
    assert band.lengths == pytest.approx([0, *np.cumsum(moves)], abs=1e-9)
    assert len(band.energies) == 6 and band.saddle == int(np.argmax(band.energies))
    top = band.energies[band.saddle]
    assert (band.barrier, band.back) == (top - band.energies[0], top - band.energies[-1])
    assert 0 < band.fmax <= 0.002 and band.order == 1 and band.frequency < -20
    held = shoal.barriers(ethane, last, images=4, precision="double", climb=False)[0]
    assert held.barrier < band.barrier - 1e-3
    few = shoal.barriers(ethane, last, max_steps=7, modes=False)[0]
    assert (few.converged, few.steps, len(few.energies)) == (False, 7, 11)


def test_moved_ends_of_several():
    """Far from each other and without forces between them, ends lie where they were moved."""
    argon = shoal.Molecule(["Ar"], [[1.0, 2.0, 3.0]])
    water = relaxed(shoal.embed(["O"], 1)[0].molecule)
    how = {"hop": (5.0, -2.0), "turn": 90, "modes": False, "max_steps": 1}
    bands = shoal.barriers([water, argon, water], **how)
    for k, mol in enumerate((water, argon, water)):
        assert bands[k].positions.shape[1] == len(mol)
        assert bands[k].positions[0] == pytest.approx(mol.positions)
    # The last end of a free molecule is moved back onto the first.
    assert bands[1].positions[-1] == pytest.approx(argon.positions, abs=1e-6)


def test_cell():
    """An atom of argon hops in a crystal, past images of itself and of others."""
    edge = 5.3
    places = edge * np.array([[0, 0, 0], [0.5, 0.5, 0], [0.5, 0, 0.5]])
    first = shoal.Molecule(["Ar"] * 3, places, cell=edge * np.eye(3), pbc=True)
    last = first.copy()
    last.positions = places + edge * np.array([[0, 0.5, 0.5], [0, 0, 0], [0, 0, 0]])
    top = first.topology()
    how = {"modes": False, "max_steps": 2, "straight": True, "precision": "double"}
    band = shoal.barriers(first, last, **how)[0]
    for energy, place in zip(band.energies[[0, -1]], (places, last.positions)):
        engine = shoal.Engine([top], [place], cells=[edge * np.eye(3)], precision="double")
        assert energy == pytest.approx(engine.energy().result(0).energy, abs=1e-9)


def test_refusals():
    ethane, water = (relaxed(shoal.embed([s], 1)[0].molecule) for s in ("CC", "O"))
    with pytest.raises(shoal.ArgumentError, match="atoms of first"):
        shoal.barriers(ethane, water)
    with pytest.raises(shoal.ArgumentError, match="expected 1 molecules"):
        shoal.barriers(ethane, [ethane, ethane])
    with pytest.raises(shoal.ArgumentError, match="images"):
        shoal.barriers(ethane, ethane, images=0)
