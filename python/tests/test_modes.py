# SPDX-License-Identifier: BSD-3-Clause
"""Vibrations from Python have the bits of 'shoal modes'."""

import pickle

import numpy as np
import pytest
from program import EXAMPLES, rows_of

import shoal
from shoal._lib import ArgumentError

DEMO = EXAMPLES / "demo.sdf"
BUTANE = EXAMPLES / "butane.sdf"


def batch(most=4, **keywords):
    return shoal.Batch(shoal.read(DEMO)[:most], device="cpu", **keywords)


def compare(r, rows):
    assert r.status.tolist() == [row["status"] for row in rows]
    assert r.verdict.tolist() == [row["verdict"] for row in rows]
    assert r.energy.tolist() == [row["energy"] for row in rows]
    for i, row in enumerate(rows):
        assert r.frequencies[i].tolist() == row["frequencies_cm1"]
        assert r.reduced_masses[i].tolist() == row["reduced_masses_amu"]
        assert (r.order[i], r.removed[i], r.linear[i]) == (
            row["order"],
            row["removed"],
            row["linear"],
        )
        assert (r.error[i], r.step[i]) == (row["error_cm1"], row["step"])
        thermo = row["thermochemistry"]
        for key in (
            "temperature",
            "zero_point",
            "energy",
            "enthalpy",
            "entropy",
            "free_energy",
            "modes_left_out",
            "symmetry_number",
        ):
            expected = np.nan if thermo[key] is None else thermo[key]
            assert np.array_equal(r.thermo[key][i], expected, equal_nan=True), key
        assert r.thermo["ideal_gas"][i] == (thermo["kind"] == "ideal gas")
        assert r.thermo["pressure"][i] == thermo["pressure_pa"]


def test_same_bits_as_the_program():
    compare(batch(most=99).modes(), rows_of("modes", "-q", "--json", DEMO))


def test_options():
    rows = rows_of(
        "modes",
        "-q",
        "--json",
        "--temperature",
        400,
        "--pressure",
        2,
        "--fmax",
        1e-4,
        "--symmetry-number",
        3,
        "--step",
        0.001,
        "--method",
        "fire",
        DEMO,
    )
    compare(
        batch(most=99).modes(
            temperature=400,
            pressure=2 * 101325.0,
            fmax=1e-4,
            symmetry_number=3,
            step=0.001,
            method="fire",
        ),
        rows,
    )


def test_vectors_are_modes():
    r = batch().modes()
    water = r.vectors[0]
    assert water.shape == (3, 3, 3) and np.allclose((water**2).sum(axis=(1, 2)), 1)
    masses = np.array([15.999, 1.008, 1.008])
    overlap = np.einsum("kai,lai,a->kl", water, water, masses)
    assert np.allclose(overlap, np.diag(np.diag(overlap)), atol=1e-4)
    assert np.allclose(np.diag(overlap), r.reduced_masses[0], rtol=1e-3)
    assert batch().modes(vectors=False).vectors[0] is None


def test_modes_are_written_as_the_program_writes_them(tmp_path):
    r = shoal.Batch(BUTANE, device="cpu").modes()
    for n in (1, 4):
        r.write_modes(tmp_path / "mine.xyz", frames=n)
        options = ["--frames", n, "--modes-out", tmp_path / "its.xyz"]
        rows_of("modes", "-q", "--json", *options, BUTANE)
        mine, its = ((tmp_path / f"{w}.xyz").read_text().split() for w in ("mine", "its"))
        assert len(mine) == len(its) and mine[:20] == its[:20]
        for a, b in zip(mine, its):
            assert a == b or abs(float(a) - float(b)) < 1e-14


def test_not_stationary_and_fixed_atoms():
    r = batch().modes(relax=False)
    assert r.verdict[0] == "not stationary" and np.isnan(r.thermo["free_energy"][0])
    assert np.array_equal(r.positions[0], shoal.read(DEMO)[0].positions)
    held = batch(fixed="!element:H").modes()
    assert held.removed[0] == 0 and held.n_modes[0] == 6 and not held.thermo["ideal_gas"][0]


def test_parts_pickles_and_failures():
    r = batch().modes()
    assert r[1:].frequencies[0].tolist() == r.frequencies[1].tolist()
    assert r[[2]].verdict.tolist() == [r.verdict[2]]
    again = pickle.loads(pickle.dumps(r))
    assert np.array_equal(again.thermo, r.thermo)


WRONG = [
    (dict(step=0.7), "step"),
    (dict(relax=False, max_steps=10), "relax"),
    (dict(method="newton"), "method"),
    (dict(temperature=0), "temperature"),
    (dict(symmetry_number=0), "symmetry_number"),
]


@pytest.mark.parametrize("keywords, text", WRONG)
def test_what_makes_no_sense_is_refused(keywords, text):
    with pytest.raises(ArgumentError, match=text):
        batch().modes(**keywords)


def test_single_precision_is_refused():
    with pytest.raises(ArgumentError, match="double"):
        batch(precision="float").modes()


def test_tables_have_thermochemistry():
    pytest.importorskip("pandas")
    water = shoal.Molecule("OHH", [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]])
    found = shoal.Batch(water, device="cpu").modes()
    table = found.to_dataframe()
    for name in ("zero_point", "enthalpy", "entropy", "free_energy"):
        assert table[name].tolist() == found.thermo[name].tolist()
    with pytest.raises(shoal.ArgumentError, match="1e-6 to 0.5"):
        shoal.Batch(water, device="cpu").modes(step=0.5)
