# SPDX-License-Identifier: BSD-3-Clause
# Probe scans from Python.
import math

import numpy as np
import pytest

import shoal

WATER = shoal.Molecule("OHH", [[0, 0, 0.12], [0.76, 0, -0.47], [-0.76, 0, -0.47]])


def block(n=30, **options):
    return shoal.probe(WATER, "Ar", points=(4, 3, n), heights=(2, 6), **options)


def test_block_is_that_of_engines():
    got = block(margin=1.0)
    both = shoal.Molecule("OHHAr", np.vstack([WATER.positions, [[0, 0, 50]]]))
    x, y, z = got.axes
    far = shoal.Engine.of(both).energy().result(0).energy
    place = WATER.positions.copy()
    for i, j, k in ((0, 0, 0), (3, 2, 29), (1, 1, 7)):
        engine = shoal.Engine.of(shoal.Molecule("OHHAr", np.vstack([place, [[x[i], y[j], z[k]]]])))
        result = engine.energy().result(0)
        assert got.energies[i, j, k] == pytest.approx(result.energy - far, abs=1e-5)
        assert got.forces[i, j, k] == pytest.approx(result.forces[3], abs=1e-9)
    assert got.n_failed == 0 and got.seconds > 0


MODEL_TYPES = {
    "O_3": {"r": 1.75, "e": 0.004, "h": -0.7, "element": "O"},
    "H_": {"r": 1.2, "e": 0.002, "h": 0.6, "element": "H"},
    "Na": {"r": 1.5, "e": 0.002, "h": 0.3},
    "Cl": {"r": 2.0, "e": 0.01, "h": -0.4},
}


@pytest.mark.parametrize("surface", [None, shoal.Surface.rocksalt("NaCl", size=(2, 2), layers=2)])
def test_hydrogen_bonds_of_a_model(surface):
    """Of tip and molecule, and of both with the surface."""
    model = shoal.PairModel(form="morse", types=MODEL_TYPES)
    water = WATER.copy()
    water.positions = WATER.positions + [2.0, 2.0, 3.5]
    top = {"charges": "none", "params": model}
    on = {"precision": "double"}
    if surface:
        on |= {"surface": surface.with_params(model), "grid": "off"}
    got = shoal.probe(water, "O", points=(3, 2, 2), heights=(1.6, 2.0), **top, **on)

    def energy(mol):
        engine = shoal.Engine([mol.topology(**top)], [mol.positions], **on)
        return engine.energy().result(0)

    x, y, z = got.axes
    for i, j, k in ((0, 0, 0), (2, 1, 1), (1, 0, 1)):
        tip = np.array([[x[i], y[j], z[k]]])
        both = energy(shoal.Molecule("OHHO", np.vstack([water.positions, tip])))
        assert got.energies[i, j, k] == pytest.approx(both.energy - energy(water).energy, abs=1e-9)
        assert got.forces[i, j, k] == pytest.approx(both.forces[3], abs=1e-9)


def test_shifts_are_the_integral():
    scipy = pytest.importorskip("scipy")
    from scipy.integrate import quad
    from scipy.interpolate import CubicSpline

    f0, k, a = 25000.0, 1800.0, 0.6
    got = block(161)
    shifts, z = got.shifts(f0, k, a), got.axes[2]
    force = CubicSpline(z, got.forces[1, 1, :, 2])
    for n in (0, 9, shifts.shape[2] - 1):
        lowest = z[n]
        integral = quad(lambda t: force(lowest + a + a * math.cos(t)) * math.cos(t), 0, math.pi)[0]
        want = -f0 / (math.pi * k / 16.02176634 * a) * integral
        assert shifts[1, 1, n] == pytest.approx(want, rel=2e-3, abs=1e-4)
    assert scipy is not None


def test_files_and_pictures(tmp_path):
    h5py, pyplot = pytest.importorskip("h5py"), pytest.importorskip("matplotlib.pyplot")
    got, how = block(), (25000, 1800, 0.5)
    got.write(tmp_path / "block.h5", how)
    with h5py.File(tmp_path / "block.h5") as f:
        assert f["energy"][:] == pytest.approx(got.energies, abs=0)
        assert f["force"].shape == (4, 3, 30, 3)
        assert f["frequency_shift"][:] == pytest.approx(got.shifts(*how), abs=0)
        assert f.attrs["amplitude"] == 0.5
    ax = got.plot(got.axes[2][3])
    assert ax.collections[0].get_array().reshape(3, 4)[1, 2] == got.forces[2, 1, 3, 2]
    pyplot.close(ax.figure)


def test_what_is_refused():
    with pytest.raises(shoal.ArgumentError, match="points along x"):
        shoal.probe(WATER, points=(0, 1, 1))
    with pytest.raises(shoal.ArgumentError, match="twice the amplitude"):
        block().shifts(1, 1, 3)
    with pytest.raises(shoal.ArgumentError, match="sample"):
        shoal.probe("water")
