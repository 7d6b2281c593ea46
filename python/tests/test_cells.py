# SPDX-License-Identifier: BSD-3-Clause
# Stress and relaxed cells, of batches, engines and files.
import numpy as np
import pytest
from numpy.testing import assert_allclose

import shoal

CELL = [[5.3, 0, 0], [0, 5.4, 0], [0.2, 0, 5.5]]
POSITIONS = [[0, 0, 0], [2.7, 2.7, 0.1], [2.6, 0, 2.7], [0, 2.6, 2.7]]
GPA = 160.2176634


def argon(scale=1.0):
    cell = np.array(CELL) * scale
    return shoal.Molecule("Ar" * 4, np.array(POSITIONS) * scale, cell=cell, pbc=True)


def test_stress_of_results():
    """The slope of the energy by strain over the volume; NaN without a cell."""
    water = shoal.Molecule("OHH", [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]])
    step = 1e-5
    found = shoal.Batch([argon(), argon(1 + step), argon(1 - step), water]).energy()
    slope = (found.energy[1] - found.energy[2]) / (2 * step)
    volume = np.linalg.det(CELL)
    assert found.stress.shape == (4, 6)
    assert_allclose(found.stress[0, :3].sum() * volume, slope, rtol=1e-6)
    assert np.isnan(found.stress[3]).all()
    assert_allclose(found[0].stress, found.stress[0])


def test_cell_is_relaxed(tmp_path):
    """No stress is left but the pressure; files have the cell and the stress."""
    ase_io = pytest.importorskip("ase.io")
    free = shoal.Batch([argon()]).relax(cell="full")
    pressed = shoal.Batch([argon()]).relax(cell="full", pressure=2.0, stress=0.001)
    assert free.converged[0] and pressed.converged[0]
    assert np.abs(free.stress[0]).max() * GPA < 0.01
    assert_allclose(pressed.stress[0] * GPA, [-2, -2, -2, 0, 0, 0], atol=1.1e-3)
    path = tmp_path / "out.extxyz"
    pressed.write(path)
    atoms = ase_io.read(path)
    assert atoms.get_volume() < np.linalg.det(CELL)
    assert_allclose(atoms.get_stress(), pressed.stress[0])


def test_cell_of_an_engine():
    engine = shoal.Engine([argon().topology()], [POSITIONS], cells=[CELL])
    engine.relax(cell="a,c", stress=0.001)
    out = engine.result(0)
    assert out.status == "converged"
    ratio = out.cell / np.where(np.array(CELL) != 0, CELL, np.nan)
    assert abs(ratio[1, 1] - 1) < 1e-12
    assert abs(ratio[0, 0] - 1) > 1e-3 and abs(ratio[2, 2] - 1) > 0.03
    with pytest.raises(shoal.ArgumentError, match="cell: expected"):
        engine.relax(cell="d")
    with pytest.raises(shoal.ArgumentError, match="pressure"):
        engine.relax(pressure=1.0)


def test_stiffness():
    """Argon pressed together: cubic constants; none without the option."""
    engine = shoal.Engine([argon().topology()], [POSITIONS], cells=[CELL])
    engine.relax(cell="full", fmax=1e-5, stress=1e-5)
    assert engine.result(0).stiffness is None
    engine.relax(fmax=1e-5, elastic=0.002)
    c = engine.result(0).stiffness * GPA
    assert_allclose([c[1, 1], c[2, 2], c[5, 5]], [c[0, 0], c[0, 0], c[3, 3]], rtol=0.05)
    assert 0 < c[0, 1] < c[0, 0]
    with pytest.raises(shoal.ArgumentError, match="elastic"):
        engine.relax(elastic=0.5)
