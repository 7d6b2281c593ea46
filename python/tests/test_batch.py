# SPDX-License-Identifier: BSD-3-Clause
# Batches: energies and relaxations against the program, bit for bit; constraints; options.
import numpy as np
import pytest
from conftest import CASES, TOP, hexavalent, shaken

import shoal

GLOBS = sorted((CASES / "golden").glob("*.xyz"))


def agrees(r, rows):
    """Results are those of rows of JSON, bit for bit."""
    assert len(r) == len(rows)
    for i, row in enumerate(rows):
        assert r.status[i] == row["status"]
        assert r.energy[i] == row["energy"] and r.fmax[i] == row["fmax"]
        assert r[i].terms == row["terms"]
        assert r.forces[i].tolist() == row["forces"]
        assert r.positions[i].tolist() == row["positions"]
        assert r.name[i] == row["name"]
    return True


@pytest.mark.parametrize("charges", ["auto", "none", "qeq"])
def test_energies_are_those_of_the_program(cli, charges):
    rows = cli("energy", *GLOBS, "--forces", "--positions", "--charges", charges)
    mols = [shoal.read(path)[0] for path in GLOBS]
    assert agrees(shoal.Batch(mols, charges=charges, device="cpu").energy(), rows)


def test_relaxations_are_those_of_the_program(cli):
    rows = cli("relax", *GLOBS, "--forces", "--positions", "--fmax", "0.001")
    mols = [shoal.read(path)[0] for path in GLOBS]
    r = shoal.Batch(mols, device="cpu").relax(fmax=0.001)
    assert agrees(r, rows)
    assert [int(n) for n in r.steps] == [row["steps"] for row in rows]
    assert r.energy0.tolist() == [row["energy0"] for row in rows]
    assert agrees(shoal.Batch([str(p) for p in GLOBS], device="cpu").relax(fmax=0.001), rows)


def test_options_reach_the_library(cli):
    path = TOP / "examples" / "butane.sdf"
    mol = shoal.read(path)[0]
    words = ("--forces", "--positions")
    off = shoal.Interactions(terms_off="torsion inversion vdw coulomb surface")
    mixed = shoal.Interactions(mixing="arithmetic")
    damped = shoal.Interactions(coulomb_damping=0.5)
    for given, options in (
        (("--terms", "bond,angle"), {"interactions": off}),
        (("--mixing", "arithmetic"), {"interactions": mixed}),
        (("--precision", "float"), {"precision": "float"}),
        (("--dialect", "paper"), {"forcefield": "uff:paper"}),
        (("--type", "element:C=C_R"), {"typing": shoal.Typing(types={"element:C": "C_R"})}),
        (("--bond-order", "0,1=1.5"), {"typing": shoal.Typing(bond_orders={(0, 1): 1.5})}),
        (("--damping", "0.5", "--charges", "qeq"), {"interactions": damped, "charges": "qeq"}),
    ):
        r = shoal.Batch(mol, device="cpu", **options).energy()
        assert agrees(r, cli("energy", path, *words, *given)[:1]), given


def test_periodic_systems(cli):
    path = TOP / "examples" / "graphene.xyz"
    rows = cli("energy", path, "--forces", "--positions", "--vdw-cutoff", "9")
    cut = shoal.Interactions(vdw_cutoff=9)
    r = shoal.Batch(shoal.read(path), interactions=cut, device="cpu").energy()
    assert agrees(r, rows)


def test_surface_as_the_program(cli, tmp_path, golden):
    s = shoal.Surface.rocksalt("NaCl", size=(2, 2), layers=2)
    s.write(tmp_path / "slab.xyz")
    golden["water"].write(tmp_path / "water.xyz")
    on = shoal.Surface.read(tmp_path / "slab.xyz")
    mol = shoal.read(tmp_path / "water.xyz")
    words = ("--surface", tmp_path / "slab.xyz", "--height", "3", "--orient", "flat", "--at", "1,2")
    rows = cli("relax", tmp_path / "water.xyz", "--forces", "--positions", "--grid", "off", *words)
    put = shoal.Placement(orient="flat", at=(1, 2), height=3)
    r = shoal.Batch(mol, surface=on, placement=put, grid="off", device="cpu").relax()
    assert agrees(r, rows)


def test_conformers_are_systems_of_their_own(butane):
    many = shaken(butane, 7)
    r = shoal.Batch(butane, positions=many, device="cpu").relax()
    assert len(r) == 7 and r.converged.all()
    for k in range(7):
        mol = butane.copy()
        mol.positions = many[k]
        alone = shoal.Batch(mol, device="cpu").relax()
        assert alone.energy[0] == r.energy[k]
        assert np.array_equal(alone.positions[0], r.positions[k])
    assert np.array_equal(r.positions.stack()[3], r.positions[3])
    assert np.array_equal(
        butane.positions, shoal.read(TOP / "examples" / "butane.sdf")[0].positions
    )


def test_positions_of_several_molecules(golden):
    water, ethane = golden["water"], golden["ethane"]
    blocks = [shaken(water, 3), ethane.positions]
    r = shoal.Batch([water, ethane], positions=blocks, device="cpu").energy()
    assert r.numbers.counts.tolist() == [3, 3, 3, 8]
    assert np.array_equal(r.positions[1], blocks[0][1]) and np.array_equal(
        r.positions[3], blocks[1]
    )


def test_one_bad_system_harms_no_other(golden):
    good = [golden["water"], golden["ethane"]]
    r = shoal.Batch([good[0], hexavalent(), good[1]], device="cpu").relax()
    assert r.status.tolist() == ["converged", "untyped", "converged"]
    assert "valence 6" in r.reason[1] and r.reason[0] == ""
    assert np.isnan(r.energy[1]) and r.ok.tolist() == [True, False, True]
    alone = shoal.Batch(good, device="cpu").relax()
    assert r.energy[[0, 2]].tolist() == alone.energy.tolist()


def test_a_bad_record_of_a_file_is_a_system(tmp_path, golden):
    path = tmp_path / "a.xyz"
    golden["water"].write(path)
    text = path.read_text()
    path.write_text(text + text.replace("O ", "Xx ", 1) + text)
    r = shoal.Batch(path, device="cpu").energy()
    assert r.status.tolist() == ["ok", "unreadable", "ok"] and "Xx" in r.reason[1]
    assert r.file == [str(path)] * 3
    with pytest.raises(shoal.FormatError, match="Xx"):
        shoal.Batch(path, input=shoal.Input(strict=True), device="cpu").energy()


def moved(r, start, i=0):
    return np.linalg.norm(r.positions[i] - start, axis=1)


def test_fixed_atoms(butane):
    start = shaken(butane, 2)
    n = len(butane)
    mask = np.arange(n) < 4
    for fixed in (mask, [0, 1, 2, 3], np.arange(4), [mask, mask], [[0, 1, 2, 3], mask.tolist()]):
        r = shoal.Batch(butane, positions=start, fixed=fixed, device="cpu").relax()
        for i in range(2):
            assert not moved(r, start[i], i)[:4].any() and moved(r, start[i], i)[4:].all()
    r = shoal.Batch(butane, positions=start, fixed=[[0], []], device="cpu").relax()
    assert moved(r, start[0], 0)[0] == 0 and moved(r, start[1], 1)[0] > 0


def test_fixed_by_selection(butane):
    carbon = butane.numbers == 6
    for fix in ("element:C", ["element:C"], "element:C & above:-100"):
        r = shoal.Batch(butane, fixed=fix, device="cpu").relax(fmax=0.001)
        assert not moved(r, butane.positions)[carbon].any()
        assert moved(r, butane.positions)[~carbon].any()


def test_fixed_by_selections_and_masks(butane):
    start = shaken(butane, 2)
    carbon, first = butane.numbers == 6, np.arange(len(butane)) == 5
    for rest in ([5], [first], ([5],), [[first, first]]):
        r = shoal.Batch(butane, positions=start, fixed=["element:C", *rest], device="cpu").relax()
        for i in range(2):
            assert ((moved(r, start[i], i) == 0) == (carbon | first)).all()
    fixed = ["element:C", [5], []]  # by system
    r = shoal.Batch(butane, positions=start, fixed=fixed, device="cpu").relax()
    assert [moved(r, start[i], i)[5] > 0 for i in range(2)] == [False, True]


def test_atoms_of_files_are_counted_in_their_format(butane, tmp_path):
    butane.write(tmp_path / "butane.sdf")
    path = (tmp_path / "butane.sdf").rename(tmp_path / "butane.txt")
    batch = shoal.Batch(path, input=shoal.Input(format="sdf"), device="cpu")
    assert 0.5 < batch._n_atoms() / len(butane) < 2
    assert shoal.Batch(path, input=shoal.Input(format="sdf"), copies=3)._n_atoms() == (
        3 * batch._n_atoms()
    )


def test_a_rule_of_mixing_acts_on_systems_that_have_none(butane):
    fields, rule = ["uff", "mmffsp3"], shoal.Interactions(mixing="arithmetic")
    batch = shoal.Batch([butane] * 2, forcefield=fields, interactions=rule, device="cpu")
    plain = shoal.Batch([butane] * 2, forcefield=fields, device="cpu")
    assert (batch.energy().energy != plain.energy().energy).tolist() == [True, False]


def test_restraints(golden):
    water = golden["water"]
    pull = shoal.Restraint.distance(0, 1, value=1.2, k=1000.0)
    r = shoal.Batch(water, restraints=[pull], device="cpu").relax()
    p = r.positions[0]
    assert np.linalg.norm(p[0] - p[1]) == pytest.approx(1.2, abs=0.05)
    assert r.terms["restraint"][0] > 0
    bend = shoal.Restraint.angle(1, 0, 2, value=90, k=1000.0)
    p = shoal.Batch(water, restraints=bend, device="cpu").relax().positions[0]
    a, b = p[1] - p[0], p[2] - p[0]
    angle = np.degrees(np.arccos(a @ b / np.linalg.norm(a) / np.linalg.norm(b)))
    assert angle == pytest.approx(90, abs=0.5)


def test_restraints_by_system_and_with_a_target(golden):
    water = golden["water"]
    start = np.array([water.positions, water.positions + 5])
    pulls = [[shoal.Restraint.distance(0, 1, value=1.1, k=1000.0)], []]
    r = shoal.Batch(water, positions=start, restraints=pulls, device="cpu").relax()
    free = shoal.Batch(water, positions=start, device="cpu").relax()
    assert r.energy[1] == free.energy[1] and r.energy[0] > free.energy[0] + 0.01
    to = shoal.Restraint.position(0, k=50.0, target=(1.0, 2.0, 3.0))
    r = shoal.Batch(water, positions=start, restraints=[to], device="cpu").relax(fmax=1e-4)
    assert np.allclose(r.positions[0][0], (1, 2, 3), atol=1e-3)
    assert np.allclose(r.positions[1][0], (1, 2, 3), atol=1e-3)
    held = shoal.Restraint.position(0, k=1e4)
    for pulls in ([held], [[held], [held]]):
        r = shoal.Batch(water, positions=start, restraints=pulls, device="cpu").relax()
        assert np.allclose(r.positions[1][0], start[1][0], atol=1e-3)
    plane = shoal.Restraint.position(0, k=50.0, target=(0, 0, 9.0), directions="z")
    r = shoal.Batch(water, restraints=[plane], device="cpu").relax(fmax=1e-4)
    assert r.positions[0][0][2] == pytest.approx(9.0, abs=1e-3) and abs(r.positions[0][0][0]) < 1


def test_torsions_are_in_degrees(butane):
    r = shoal.Batch(
        butane, restraints=[shoal.Restraint.torsion(0, 1, 2, 3, value=60, k=100.0)], device="cpu"
    ).relax()
    p = r.positions[0]
    b1, b2, b3 = p[1] - p[0], p[2] - p[1], p[3] - p[2]
    n1, n2 = np.cross(b1, b2), np.cross(b2, b3)
    angle = np.degrees(np.arctan2(np.linalg.norm(b2) * b1 @ n2, n1 @ n2))
    assert angle == pytest.approx(60, abs=1)


def test_copies_are_jittered(golden):
    batch = shoal.Batch(golden["water"], copies=shoal.Copies(3, jitter=0.1, seed=5), device="cpu")
    r = batch.energy()
    assert len(r) == 3 == len(batch) and r.variant.tolist() == [0, 1, 2]
    assert np.array_equal(r.positions[0], golden["water"].positions)
    gone = np.abs(r.positions[1] - golden["water"].positions)
    assert 0 < gone.max() <= 0.1
    assert np.array_equal(batch.energy().positions.flat, r.positions.flat)


def test_hydrogens_are_added():
    ethene = shoal.Molecule("CC", [[0, 0, 0], [1.33, 0, 0]], [(0, 1, 2)])
    r = shoal.Batch(ethene, typing=shoal.Typing(add_hydrogens=True), device="cpu").energy()
    assert len(r[0]) == 6 and len(ethene) == 2
    assert "valences lack" in shoal.Batch(ethene, device="cpu").energy().warning[0]


def test_shards_make_up_the_whole(butane):
    many = shaken(butane, 5)
    whole = shoal.Batch(butane, positions=many, device="cpu").energy()
    shards = [shoal.Input(shard=(k, 2)) for k in range(2)]
    parts = [
        shoal.Batch(butane, positions=many, input=shard, device="cpu").energy() for shard in shards
    ]
    assert [p.index.tolist() for p in parts] == [[0, 2, 4], [1, 3]]
    assert parts[1].energy.tolist() == whole.energy[1::2].tolist()


def test_frames_of_a_relaxation(butane):
    r = shoal.Batch(butane, positions=shaken(butane, 2), device="cpu").relax(every=5)
    assert len(r.frames) > 4 and set(r.frames.index.tolist()) == {0, 1}
    first = r.frames.energy[r.frames.index == 0]
    assert first[0] == r.energy0[0] and first[-1] == r.energy[0]
    assert shoal.Batch(butane, device="cpu").relax().frames is None


def test_a_batch_can_be_run_again(butane):
    batch = shoal.Batch(butane, device="cpu")
    assert batch.relax().energy[0] == batch.relax().energy[0]
    assert batch.energy().energy[0] == batch.relax().energy0[0]


def test_batch_makes_no_copy_of_coordinates(butane):
    many = shaken(butane, 3)
    assert np.shares_memory(shoal.Batch(butane, positions=many).systems.starts[0], many)


def test_other_devices_are_named(golden):
    assert shoal.Batch(golden["water"], device="ref").energy().provenance["device"] == "ref"
    assert shoal.Batch(golden["water"]).device == next(
        (d.device for d in shoal.devices() if d.type == "gpu"), "cpu"
    )
    ref = shoal.Batch(golden["water"], device="ref").energy()
    cpu = shoal.Batch(golden["water"], device="cpu").energy()
    assert ref.energy[0] == pytest.approx(cpu.energy[0], rel=1e-12)


def test_what_a_run_found_is_the_input_of_another():
    found = shoal.embed(["CCCCO", "c1ccccc1"], 2)
    energies = shoal.Batch(found).energy()
    assert energies.name == found.name
    assert np.allclose(energies.energy, found.energy, rtol=0, atol=1e-6)
    assert np.array_equal(energies.positions.flat, found.positions.flat)
    some = shoal.Batch([found[1], found[3]]).energy()
    assert np.array_equal(some.energy, energies.energy[[1, 3]])
    assert shoal.Batch(found[2]).energy().energy[0] == energies.energy[2]


def test_constraints_of_a_record_that_loses_atoms():
    """They count atoms that are no longer there."""
    build = pytest.importorskip("ase.build")
    sheet = build.graphene(size=(3, 3, 1), vacuum=8)
    sheet.pbc = True
    water = build.molecule("H2O")
    water.positions += sheet.positions[4] + [0, 0, 5]
    solvated, drop = sheet + water, shoal.Typing(drop_solvent=True)
    mask = np.arange(len(solvated)) < 4
    bare = shoal.Batch([solvated], typing=drop).energy()
    assert bare.status[0] == "ok" and len(bare[0].positions) == len(sheet)
    held = shoal.Batch([solvated], typing=drop, fixed=[mask]).relax()
    assert held.status[0] == "untyped" and "lost atoms" in held.reason[0]
