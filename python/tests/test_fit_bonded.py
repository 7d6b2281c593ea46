# SPDX-License-Identifier: BSD-3-Clause
"""Fits of bonded parameters from Python: the library's, with the names of the program."""

import math

import numpy as np
import pytest

import shoal

ETHANOL = (
    "C -0.75 0.01 0.03|C 0.65 0.62 -0.01|O 1.61 -0.43 0.02|H -0.88 -0.62 0.92|H -0.88 -0.62 -0.86|"
    "H -1.52 0.80 0.02|H 0.77 1.28 0.87|H 0.77 1.23 -0.92"
)


def frames():
    text = ""
    for k in range(8):
        y, z = math.cos(0.785 * k), math.sin(0.785 * k)
        end = f"H {2.05 - 0.28 * y:.5f} {-0.43 - 0.85 * y:.5f} {0.9 * z:.5f}"
        rows = [*ETHANOL.split("|"), end]
        head = f"Properties=species:S:1:pos:R:3 energy={0.05 * y + 0.02 * z:.6f}"
        text += f"9\n{head}\n" + "\n".join(rows) + "\n"
    return text


def test_fit(tmp_path):
    fit = shoal.fit.BondedFit(by_bond=True, bonds=[(1, 2)], periods=3).add_text(frames())
    names = [p.name for p in fit.parameters]
    assert names[:2] == ["0:1-2 C_3 C_3 O_3 H_ cos 1phi", "0:1-2 C_3 C_3 O_3 H_ cos 2phi"]
    before = fit.objective()[0]
    result = fit.run()
    assert result.converged and result.geometries == 8 and result.parameters == fit.n_parameters
    j, gradient = fit.objective()
    assert j == pytest.approx(result.objective) and j < before
    assert abs(gradient).max() < 1e-6
    energy, reference = fit.energies()
    assert np.sqrt(np.mean((energy - reference) ** 2)) == pytest.approx(result.rmse)
    (tmp_path / "mine.tsv").write_text(fit.table)
    (tmp_path / "frames.xyz").write_text(frames())
    field = shoal.UFF(table=str(tmp_path / "mine.tsv"))
    rows = shoal.Batch(str(tmp_path / "frames.xyz"), forcefield=field).energy()
    got = np.array([row.energy for row in rows])
    assert np.ptp(got - energy) < 1e-5


def test_units():
    kcal = shoal.fit.BondedFit(units="kcal/mol").add_text(frames()).energies()[1]
    ev = shoal.fit.BondedFit().add_text(frames()).energies()[1]
    assert np.ptp(kcal) == pytest.approx(np.ptp(ev) / 23.060547830619)


def test_constants_of_each_molecule():
    """Energies of a molecule count up to a constant of its own, however many geometries it has."""
    peroxide = "".join(
        f"4\nProperties=species:S:1:pos:R:3 energy={7 + 0.1 * k}\nO 0 0.73 -0.05\nO 0 -0.73 -0.05\n"
        f"H 0.8 0.9 {0.4 - 0.3 * k}\nH -0.8 -0.9 0.4\n"
        for k in range(3)
    )
    energy, reference = shoal.fit.BondedFit().add_text(frames()).add_text(peroxide).energies()
    for some in (slice(0, 8), slice(8, 11)):
        assert np.mean(energy[some] - reference[some]) == pytest.approx(0, abs=1e-12)


def test_pull_to_the_force_field():
    """The pull is that of one residual of 5 meV, whatever else there is: half as much beside twice
    as many geometries."""
    fits = [shoal.fit.BondedFit(), shoal.fit.BondedFit()]
    for k, fit in enumerate(fits):
        for _ in range(1 + k):
            fit.add_text(frames())
        fit.set_value(0, fit.parameters[0].start + 0.3)
    p = fits[0].parameters[0]
    pull = 0.5 * (0.005 * 0.3 / p.width) ** 2 / 8
    assert fits[0].objective()[0] - fits[1].objective()[0] == pytest.approx(pull / 2, rel=1e-6)


def test_values_and_wrong_calls(tmp_path):
    fit = shoal.fit.BondedFit().add_text(frames())
    fit.set_value(0, 0.125)
    assert fit.parameters[0].value == 0.125
    with pytest.raises(shoal.ArgumentError, match="parameter 999"):
        fit.set_value(999, 0.0)
    with pytest.raises(shoal.ArgumentError, match="terms"):
        shoal.fit.BondedFit(terms=["vdw"])
    with pytest.raises(shoal.ArgumentError, match="periods"):
        shoal.fit.BondedFit(periods=9)
    with pytest.raises(shoal.ArgumentError, match="no geometries"):
        shoal.fit.BondedFit().run()
