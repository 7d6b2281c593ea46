# SPDX-License-Identifier: BSD-3-Clause
# MMFFsp3 in Python: typing, mixed batches, directions and electron pairs, what contradicts.
import pickle

import numpy as np
import pytest
from conftest import TOP, shaken
from program import rows_of

import shoal

NODES = TOP / "examples" / "nodes.xyz"
OHH = [[0, 0, 0], [0.95, 0.1, 0], [-0.3, 0.9, 0.1]]


@pytest.fixture
def formic():
    return shoal.read(NODES)[1]


def test_topology_has_directions_and_pairs(formic):
    top = formic.topology(forcefield="mmffsp3:firecore")
    assert top.types[:3] == ["C_COO", "O_pCOO", "O_sCOO"]
    assert top.direction_atoms.tolist() == [0, 1, 2] and top.inertias.tolist() == [1.0] * 3
    assert (len(top), top.n_pairs, top.n_movers) == (5, 0, 8)
    assert len(top.terms("half_angle")) == 4 and len(top.terms("torsion")) == 0
    tilts = top.terms("sigma_pi")
    assert tilts["atoms"][:, 0].min() == 5 and tilts["k"].max() == pytest.approx(2.2)
    water = shoal.Molecule("OHH", OHH, charges=[-0.8, 0.4, 0.4])
    pairs = water.topology(forcefield=shoal.MMFFsp3(electron_pairs=True))
    assert pairs.pair_atoms.tolist() == [0, 0] and pairs.n_movers == 5
    assert pairs.pair_charges == pytest.approx([-0.2, -0.2])
    assert pairs.charges == pytest.approx([-0.4, 0.4, 0.4])
    assert pairs.types == ["O_3", "H_OH", "H_OH"]
    heavy = formic.topology(forcefield=shoal.MMFFsp3(pi_inertia=2.5))
    assert set(heavy.inertias.tolist()) == {2.5}


def test_refused_with_a_reason():
    ammonium = shoal.Molecule(
        "NHHHH", np.array([[0, 0, 0], [1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) * 0.59
    )
    ammonium.perceive(1)
    top = ammonium.topology(forcefield="mmffsp3")
    assert top.status == "untyped" and "atom 0 (N" in top.reason


@pytest.mark.parametrize(
    "given, words",
    [
        ({"forcefield": "amber"}, "mmffsp3:firecore"),
        ({"forcefield": shoal.MMFFsp3("paper")}, "mmffsp3:firecore"),
        ({"forcefield": None}, "forcefield: expected a name"),
    ],
)
def test_unknown_force_fields(formic, given, words):
    for call in (formic.topology, lambda **k: shoal.Batch(formic, device="ref", **k)):
        with pytest.raises(shoal.ArgumentError, match=words):
            call(**given)


def test_options_that_make_no_sense():
    for given in ({"bond_scale": 0}, {"pi_inertia": -1}, {"pi_softening": -1}):
        with pytest.raises(shoal.ArgumentError, match=next(iter(given))):
            shoal.MMFFsp3(**given)


def test_energies_are_those_of_the_program(cli):
    rows = cli("energy", "--device", "ref", "--forcefield", "mmffsp3", NODES)
    for systems in (str(NODES), shoal.read(NODES)):
        r = shoal.Batch(systems, forcefield="mmffsp3", device="ref").energy()
        assert r.energy.tolist() == [row["energy"] for row in rows]
        assert r.terms["pi_pi"].tolist() == [row["terms"].get("pi_pi", 0) for row in rows]
    without = shoal.Interactions(terms_off="pi_pi")
    batch = shoal.Batch(str(NODES), forcefield="mmffsp3", device="ref", interactions=without)
    off = batch.energy()
    assert off.energy == pytest.approx(r.energy - r.terms["pi_pi"], abs=1e-12)


def test_both_force_fields_in_one_batch():
    molecules = shoal.read(NODES)
    names = ["uff", "mmffsp3", "mmffsp3:firecore", "uff:paper"]
    both = shoal.Batch(molecules, forcefield=names, device="cpu").relax()
    for k, (mol, name) in enumerate(zip(molecules, names)):
        alone = shoal.Batch(mol, forcefield=name, device="cpu").relax()
        assert both.energy[k] == alone.energy[0]
        assert (both.positions[k] == alone.positions[0]).all()
    types = shoal.Typing(types={0: "O_3"})
    wrong = {"forcefield": names[:3]}, {"forcefield": names, "typing": types}
    for given in wrong:
        with pytest.raises(shoal.ArgumentError, match="forcefield"):
            shoal.Batch(molecules, **given)
    with pytest.raises(shoal.ArgumentError, match="memory"):
        shoal.Batch(str(NODES), forcefield=names)


def test_options_by_system(formic):
    pairs = shoal.MMFFsp3(electron_pairs=True)
    batch = shoal.Batch([formic, formic], forcefield=["uff", pairs], device="ref")
    alone = shoal.Batch(formic, forcefield=pairs, device="ref").energy()
    found = batch.energy().energy
    assert found[1] == alone.energy[0]
    assert found[0] == shoal.Batch(formic, device="ref").energy().energy[0]


def test_conformers_share_a_topology(formic):
    positions = shaken(formic, 4)
    r = shoal.Batch(
        formic, positions=positions, forcefield=["mmffsp3", "uff"] * 2, device="ref"
    ).energy()
    plain = shoal.Batch(formic, positions=positions, forcefield="mmffsp3", device="ref").energy()
    assert r.energy[::2].tolist() == plain.energy[::2].tolist()
    assert r.energy[1] != plain.energy[1]


def test_resume_with_another_force_field_is_refused(tmp_path):
    path = tmp_path / "run.h5"
    shoal.Batch(str(NODES), forcefield="mmffsp3", device="ref").energy(save=path)
    with pytest.raises(shoal.ArgumentError, match="forcefield"):
        shoal.Batch(str(NODES), device="ref").energy(save=path, resume=True)


def test_engine_shows_what_moves(formic):
    engine = shoal.Engine.of(formic, forcefield="mmffsp3", device="cpu").relax(fmax=1e-4)
    found = engine.result()
    assert found.directions.shape == (3, 3) and found.electron_pairs.shape == (0, 3)
    assert np.linalg.norm(found.directions, axis=1) == pytest.approx([1, 1, 1], abs=1e-12)
    assert found.terms["sigma_pi"] > 0
    rows = engine.explain()
    assert sum(r.energy for r in rows if r.term == "pi_pi") == pytest.approx(found.terms["pi_pi"])


def test_builder_has_directions():
    top = (
        shoal.Topology.build("CHHH")
        .bond(0, 1, k=16, r0=1.1)
        .bond(0, 2, k=16, r0=1.1)
        .bond(0, 3, k=16, r0=1.1)
        .direction(0, inertia=2.0)
    )
    for j in (1, 2, 3):
        top.term("sigma_pi", (4, 0, j), (1.6, 0.0))
    top = top.finish()
    assert top.direction_atoms.tolist() == [0] and top.inertias.tolist() == [2.0]
    with pytest.raises(shoal.ArgumentError):
        shoal.Topology.build("CH").term("sigma_pi", (2, 0, 1), (1.6, 0.0))


def test_frames_and_tables(formic):
    pandas = pytest.importorskip("pandas")
    uff = shoal.Batch(formic, device="cpu").energy().to_dataframe()
    own = shoal.Batch(formic, forcefield="mmffsp3", device="cpu").energy().to_dataframe()
    assert isinstance(own, pandas.DataFrame)
    assert "pi_pi" not in uff.columns and {"pi_pi", "sigma_pi"} <= set(own.columns)


def test_calculator_of_ase_has_forces_of_its_energy(formic):
    pytest.importorskip("ase")
    from shoal.ase import Shoal

    atoms = formic.to_ase()
    for forcefield in ("mmffsp3", shoal.MMFFsp3(electron_pairs=True)):
        atoms.calc = Shoal(forcefield=forcefield)
        forces = atoms.get_forces()
        top = formic.topology(forcefield=forcefield)
        held = shoal.Engine(top, [formic.positions], fixed=[np.ones(len(top), bool)])
        held.relax(fmax=1e-7)  # what follows the atoms, which stay
        assert atoms.get_potential_energy() == pytest.approx(held.energies[0], abs=1e-9)
        assert np.abs(forces).max() > 0.1
        step = 1e-4
        for i, c in ((0, 2), (2, 0), (4, 1)):
            energies = []
            for sign in (1, -1):
                moved = atoms.copy()
                moved.calc = atoms.calc
                moved.positions[i, c] += sign * step
                energies.append(moved.get_potential_energy())
            slope = (energies[0] - energies[1]) / (2 * step)
            assert forces[i, c] == pytest.approx(-slope, abs=1e-5)


def test_charges_of_conformers_are_those_of_their_coordinates():
    mol = shoal.read(TOP / "examples" / "butane.sdf")[0]
    turned = shoal.Batch(mol, device="ref").scan("torsion:0,1,2,3=60:61:1").positions[0]
    positions = np.array([mol.positions, turned, 1.05 * mol.positions])
    rules = {"charges": "qeq", "device": "ref"}
    together = shoal.Batch(mol, positions=positions, forcefield=["uff"] * 3, **rules).energy()
    for k, at in enumerate(positions):
        one = mol.copy()
        one.positions = at
        alone = shoal.Batch(one, **rules).energy()
        assert together[k].terms == alone[0].terms
    assert len(set(together.energy.tolist())) == 3


def test_the_guard_of_angles_is_an_option_of_uff(formic):
    guards = [formic.topology(forcefield=f).terms("angle")["guard"] for f in ("uff", shoal.UFF())]
    without = formic.topology(forcefield=shoal.UFF(angle_guard=False)).terms("angle")["guard"]
    assert np.array_equal(*guards) and guards[0].max() > 0 and without.max() == 0


def test_options_of_force_fields_arrive():
    from shoal.forcefield import typing_options

    given = {"bond_scale": 2.0, "pi_inertia": 3.0, "pi_softening": 0.125}
    out = typing_options(forcefield=shoal.MMFFsp3(electron_pairs=True, **given))[0]
    assert {name: getattr(out, name) for name in given} == given and out.electron_pairs
    plain = typing_options(forcefield=shoal.MMFFsp3())[0]
    assert not any(getattr(plain, name) for name in given) and not plain.electron_pairs


def test_parameters_of_the_users_own(tmp_path, butane):
    table = tmp_path / "my.tsv"
    table.write_text("bond C_3 H_ 30 1.1 1\natom 3 3.9 0.005 -0.3\n")
    for field in (shoal.UFF(table=table), shoal.UFF("firecore", table=str(table))):
        top = butane.topology(forcefield=field)
        assert (top.terms("bond")["k"] == 30).sum() == 10
        assert top.vdw_x[3] == 3.9 and top.charges[3] == -0.3
        assert (pickle.loads(pickle.dumps(top)).terms("bond") == top.terms("bond")).all()
    field = shoal.UFF(table=table)
    batch = shoal.Batch(butane, forcefield=field, precision="double", device="cpu")
    engine = shoal.Engine.of(butane, forcefield=field, precision="double", device="cpu")
    engine.energy()
    assert batch.energy().energy[0] == engine.energies[0]
    plain = shoal.Batch(butane, precision="double", device="cpu").energy()
    assert plain.energy[0] != engine.energies[0]
    with pytest.raises(shoal.MissingFileError):
        butane.topology(forcefield=shoal.MMFF94(table=tmp_path / "none.tsv"))
    table.write_text("bond C_3 H_ 30\n")
    with pytest.raises(shoal.FormatError, match="my.tsv:1"):
        butane.topology(forcefield=shoal.MMFFsp3(table=table))


def test_like():
    options = shoal.like("firecore")
    assert options["forcefield"] == "uff:firecore"
    assert options["interactions"] == shoal.Interactions(mixing="arithmetic", coulomb_damping=1.0)
    with pytest.raises(shoal.ArgumentError, match="expected firecore"):
        shoal.like("lammps")


AMIDE = "CC(=O)NC"
OPTIONS = [
    (shoal.UFF("paper"), ("--forcefield", "uff:paper")),
    (shoal.UFF("firecore"), ("--dialect", "firecore")),
    (shoal.UFF(angle_guard=False), ("--no-angle-guard",)),
    (shoal.MMFF94(), ("--forcefield", "mmff94")),
    (shoal.MMFF94(planar=True), ("--forcefield", "mmff94s")),
    (shoal.MMFF94(dielectric="distance"), ("--forcefield", "mmff94", "--dielectric", "distance")),
    (shoal.MMFFsp3(), ("--forcefield", "mmffsp3")),
    (shoal.MMFFsp3("firecore"), ("--forcefield", "mmffsp3:firecore")),
    (shoal.MMFFsp3(electron_pairs=True), ("--forcefield", "mmffsp3", "--electron-pairs")),
    (shoal.MMFFsp3(bond_scale=1.3), ("--forcefield", "mmffsp3", "--bond-scale", "1.3")),
    (shoal.MMFFsp3(pi_softening=0.4), ("--forcefield", "mmffsp3", "--pi-softening", "0.4")),
]


def test_options_are_those_of_the_program(tmp_path):
    """Of an amide out of shape: each option is the program's, and no other."""
    mol = shoal.embed([AMIDE], 1, seed=2)[0].molecule
    shake = np.random.default_rng(4).normal(size=(len(mol), 3))
    mol.positions = mol.positions + 0.04 * shake
    mol.charges = np.linspace(-0.3, 0.3, len(mol))
    path = tmp_path / "amide.xyz"
    shoal.write(path, mol)
    seen = set()
    for field, words in OPTIONS:
        row = rows_of("energy", "--json", "--charges", "file", *words, path)[0]
        assert row["status"] == "ok", (field, row)
        energy = shoal.Batch(str(path), forcefield=field, charges="file").energy().energy[0]
        assert energy == pytest.approx(row["energy"], abs=1e-6), field
        seen.add(round(row["energy"], 4))
    assert len(seen) >= len(OPTIONS) - 1  # no neighbours coincide here: the guard is silent


@pytest.mark.parametrize("text", ["", "  ", "C\nC", "C\rC"])
def test_smiles_of_one_line(text):
    with pytest.raises(shoal.ArgumentError, match="smiles"):
        shoal.Molecule.from_smiles(text)
