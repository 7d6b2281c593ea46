# SPDX-License-Identifier: BSD-3-Clause
"""Options of jobs, one by one: the numbers of the program for the option of the same meaning, and
other ones than without it."""

import numpy as np
import pytest
from conftest import TOP
from program import rows_of

import shoal

QUARTZ = TOP / "tests" / "cases" / "quartz.cif"
BUTANE = TOP / "examples" / "butane.sdf"
OF = shoal.Interactions

SINGLE = [
    ({"interactions": OF(mixing="arithmetic")}, ("--mixing", "arithmetic")),
    ({"interactions": OF(vdw_cutoff=8.0)}, ("--vdw-cutoff", "8")),
    ({"interactions": OF(vdw_tail=True)}, ("--vdw-tail",)),
    ({"interactions": OF(ewald_tolerance=1e-4)}, ("--ewald-tolerance", "1e-4")),
    ({"interactions": OF(terms_off="vdw")}, ("--terms", "bond,angle,torsion,inversion,coulomb")),
    ({"charges": "none"}, ("--charges", "none")),
    ({"charges": "qeq"}, ("--charges", "qeq")),
    ({"precision": "float"}, ("--precision", "float")),
]
RELAX = [
    ({"fmax": 0.05}, ("--fmax", "0.05")),
    ({"max_steps": 7}, ("--max-steps", "7")),
    ({"method": "fire"}, ("--method", "fire")),
    ({"max_move": 0.004}, ("--max-move", "0.004")),
]
CELLS = [
    ({"cell": "full"}, ("--cell", "full")),
    ({"cell": "volume"}, ("--cell", "volume")),
    ({"cell": "a,c"}, ("--cell", "a,c")),
    ({"cell": "full", "pressure": 2.0}, ("--cell", "full", "--pressure", "2")),
    ({"cell": "full", "stress": 1.0}, ("--cell", "full", "--stress", "1")),
]
LANGEVIN, STIRRED = {"thermostat": "langevin"}, ("--thermostat", "langevin")
DYNAMICS = [
    ({"dt": 0.25}, ("--dt", "0.25")),
    ({"temperature": 150}, ("--temperature", "150")),
    ({**LANGEVIN, "temperature": [100, 400]}, (*STIRRED, "--anneal", "100:400")),
    ({**LANGEVIN, "friction": 0.1}, (*STIRRED, "--friction", "0.1")),
    ({"thermostat": "nose-hoover", "tau": 9}, ("--thermostat", "nose-hoover", "--tau", "9")),
    ({"seed": 5}, ("--seed", "5")),
    ({"stride": 7}, ("--stride", "7")),
    ({"hydrogen_mass": 3.0}, ("--hydrogen-mass", "3")),
    ({"rigid_bonds": True}, ("--rigid-bonds",)),
    ({"remove_every": 5}, ("--remove-motion", "5")),
]
MODES = [
    ({"temperature": 500}, ("--temperature", "500")),
    ({"pressure": 202650.0}, ("--pressure", "2")),
    ({"step": 0.01}, ("--step", "0.01")),
    ({"symmetry_number": 3}, ("--symmetry-number", "3")),
]


def check(found, base, program, plain, names):
    """Numbers of one row; at least one of them is another than without the option."""
    for name in names:
        assert found[name] == pytest.approx(program[name], rel=1e-7, abs=1e-9), name
    assert any(program[name] != plain[name] for name in names), "the option does nothing"
    assert base is None or any(found[name] != base[name] for name in names)


@pytest.mark.parametrize(("options", "words"), SINGLE)
def test_energies(options, words):
    plain = rows_of("energy", "--json", QUARTZ)[0]
    row = rows_of("energy", "--json", *words, QUARTZ)[0]
    r = shoal.Batch(str(QUARTZ), **options).energy()
    found = {"energy": r.energy[0], "fmax": r.fmax[0]}
    check(found, None, row, plain, ("energy", "fmax"))


@pytest.mark.parametrize(("options", "words"), RELAX)
def test_relaxations(options, words):
    plain = rows_of("relax", "--json", BUTANE)[0]
    row = rows_of("relax", "--json", *words, BUTANE)[0]
    r = shoal.Batch(str(BUTANE)).relax(**options)
    found = {"energy": r.energy[0], "energy0": r.energy0[0], "fmax": r.fmax[0], "steps": r.steps[0]}
    check(found, None, row, plain, tuple(found))
    assert r.status[0] == row["status"]


@pytest.mark.parametrize(("options", "words"), CELLS)
def test_cells(options, words):
    plain = rows_of("relax", "--json", "--charges", "none", "--fmax", "0.02", QUARTZ)[0]
    row = rows_of("relax", "--json", "--charges", "none", "--fmax", "0.02", *words, QUARTZ)[0]
    r = shoal.Batch(str(QUARTZ), charges="none").relax(fmax=0.02, **options)
    found = {"energy": r.energy[0], "fmax": r.fmax[0], "steps": r.steps[0]}
    check(found, None, row, plain, tuple(found))
    assert r.stress[0] == pytest.approx(row["stress"], abs=1e-9)
    assert np.array(r.molecules[0].cell) == pytest.approx(np.array(row["cell"]), abs=1e-9)


@pytest.mark.parametrize(("options", "words"), DYNAMICS)
def test_dynamics(options, words):
    base = () if "thermostat" in options else ("--thermostat", "none")
    plain = rows_of("md", "--json", "--steps", "60", "--thermostat", "none", BUTANE)[0]
    row = rows_of("md", "--json", "--steps", "60", *base, *words, BUTANE)[0]
    r = shoal.Batch(str(BUTANE)).md(60, **{"thermostat": None, **options})
    found = {"energy": r.energy[0], "etot": r.etot[0], "samples": r.samples[0]}
    check(found, None, row, plain, tuple(found))
    assert r.temperature_mean[0] == pytest.approx(row["temperature_mean"], rel=1e-9)


@pytest.mark.parametrize(("options", "words"), MODES)
def test_modes(options, words):
    plain = rows_of("modes", "--json", "--smiles", "OC=O", "--conformer-seed", "2")[0]
    row = rows_of("modes", "--json", "--smiles", "OC=O", "--conformer-seed", "2", *words)[0]
    mol = shoal.Molecule.from_smiles("OC=O")
    r = shoal.Batch([mol], conformers=shoal.Conformers(1, seed=2)).modes(**options)
    thermo, told = r.thermo[0], row["thermochemistry"]
    for name in ("free_energy", "entropy", "zero_point"):
        assert thermo[name] == pytest.approx(told[name], rel=1e-6), name
    assert told != plain["thermochemistry"]


SEARCH = [
    ({"seed": 3}, ("--seed", "3")),
    ({"kicks": 2}, ("--kicks", "2")),
    ({"window": 0.02}, ("--window", "0.02")),
    ({"same_energy": 0.1, "same_rmsd": 2.0}, ("--same-energy", "0.1", "--same-rmsd", "2")),
    ({"temperature": 1000.0}, ("--temperature", "1000")),
    ({"polish": False}, ("--no-polish",)),
    ({"patience": 2}, ("--patience", "2")),
    ({"free_energies": True}, ("--free-energies",)),
    ({"fmax": 0.2, "polish": False}, ("--fmax", "0.2", "--no-polish")),
]


@pytest.mark.parametrize(("options", "words"), SEARCH)
def test_searches(options, words):
    plain = rows_of("search", "--json", "--starts", "12", BUTANE)
    rows = rows_of("search", "--json", "--starts", "12", *words, BUTANE)
    r = shoal.Batch(str(BUTANE)).search(12, **options)
    for name, found in (
        ("energy", r.energy),
        ("weight", r.weight),
        ("count", r.count),
        ("copies", r.copies),
        ("start", r.start),
        ("relative_energy", r.relative_energy),
    ):
        assert found == pytest.approx([row[name] for row in rows], rel=1e-9, abs=1e-9), name
    assert rows != plain


EMBED = [
    ({"seed": 3}, ("--seed", "3")),
    ({"keep": 2}, ("--keep", "2")),
    ({"window": 0.05}, ("--window", "0.05")),
    ({"rmsd": 0.1}, ("--rmsd", "0.1")),
    ({"keep": 4, "temperature": 900.0}, ("--keep", "4", "--temperature", "900")),
    ({"fmax": 0.05}, ("--fmax", "0.05")),
]


@pytest.mark.parametrize(("options", "words"), EMBED)
def test_conformers(options, words):
    plain = rows_of("embed", "--json", "--smiles", "OCCCO", "--conformers", "8")
    rows = rows_of("embed", "--json", "--smiles", "OCCCO", "--conformers", "8", *words)
    mols = shoal.embed(["OCCCO"], 8, **options)
    energies = sorted(float(one.energy) for one in mols)
    assert energies == pytest.approx(sorted(row["energy"] for row in rows), abs=1e-9)
    assert rows != plain
