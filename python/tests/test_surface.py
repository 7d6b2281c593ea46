# SPDX-License-Identifier: BSD-3-Clause
# Surfaces, slabs, grids, placement, pair models.
import pickle
import subprocess

import numpy as np
import pytest

import shoal

KINDS = {
    "rocksalt": 2,
    "rocksalt110": 2,
    "fcc100": 1,
    "fcc110": 1,
    "fcc111": 1,
    "bcc100": 1,
    "bcc110": 1,
    "bcc111": 1,
    "hcp0001": 1,
    "fluorite111": 2,
    "fluorite110": 2,
    "graphene": 1,
    "boron_nitride": 2,
}


@pytest.mark.parametrize("kind", KINDS)
def test_slabs(kind):
    s = getattr(shoal.Surface, kind)(size=(2, 3))
    assert len(s) > 0 and len(set(s.numbers.tolist())) == KINDS[kind]
    assert abs(s.charges.sum()) < 1e-9 and s.area > 0
    assert s.top == pytest.approx(0, abs=0.9)  # fluorite's anions stand out
    assert s.positions.shape == (len(s), 3)


def test_slab_is_that_of_the_program(program, tmp_path):
    path = tmp_path / "slab.xyz"
    words = [program, "slab", "rocksalt", "LiF", "--size", "3x2", "--layers", "2", "-o", path]
    subprocess.run(words, check=True, capture_output=True)
    made = shoal.Surface.rocksalt("LiF", size=(3, 2), layers=2)
    read = shoal.Surface.read(path)
    assert np.array_equal(made.numbers, read.numbers)
    assert np.allclose(made.positions, read.positions, atol=1e-6)
    assert np.allclose(made.charges, read.charges)


def test_cut_of_a_crystal():
    a = 5.6402
    corners = [[0, 0, 0], [0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]]
    places = corners + [[x + 0.5, y + 0.5, z + 0.5] for x, y, z in corners]
    crystal = shoal.Molecule(["Na"] * 4 + ["Cl"] * 4, np.array(places) * a)
    crystal.set_cell(np.eye(3) * a, True)
    made = shoal.Surface.cut(crystal, "001", size=(2, 2))
    table = shoal.Surface.rocksalt(size=(2, 2))
    assert np.array_equal(made.positions, table.positions)
    assert np.array_equal(made.charges, table.charges)
    assert len(shoal.terminations(crystal, (1, 1, 1))) == 2
    assert shoal.terminations(crystal, "111")[0].startswith("Cl above Na, 1.63 A")
    with_atom = shoal.cut(table.molecule, vacancies=[0, 1], adatoms=[("Xe", 0.5, 0.5, 4)])
    assert len(with_atom) == len(table) - 1 and with_atom.positions[-1, 2] == 4
    with pytest.raises(shoal.ArgumentError, match="facet 'x'"):
        shoal.cut(crystal, "x")
    with pytest.raises(shoal.ArgumentError, match="adatoms: expected"):
        shoal.slab("rocksalt", adatoms=[("Xe", 1)])


def test_options_of_slabs():
    s = shoal.Surface.rocksalt("NaCl", size=(2, 2), layers=1, vacancies=[0], charge=0)
    assert len(s) == 7 and not s.charges.any()
    assert shoal.Surface.fcc111("Au", size=(1, 1), a=5.0).cell[0, 0] == pytest.approx(5 / 2**0.5)
    morse = shoal.Surface.graphene(alpha=1.4)
    assert morse.form == "morse"
    charged = shoal.Surface(
        shoal.slab("rocksalt", "NaCl", size=(1, 1)), charges={"Na": 0.7, "Cl": -0.7}
    )
    assert set(np.round(charged.charges, 12)) == {0.7, -0.7}


XENON = shoal.Molecule("Xe", [[0, 0, 3.4]])


def test_metals():
    gold = shoal.slab("fcc111", "Au", size=(1, 1))
    fitted, plain = shoal.Surface(gold), shoal.Surface(gold, metals="uff")
    assert fitted.metals == "adsorption" and plain.metals == "uff"
    assert shoal.Surface(gold, metals="adsorption")._view().hash == fitted._view().hash
    assert shoal.Surface.rocksalt("NaCl", charge=0).metals == shoal.Surface.graphene().metals == ""
    assert shoal.Surface.bcc110("Fe").metals == "uff"
    good, poor = (shoal.Batch(XENON, surface=s, device="cpu").energy() for s in (fitted, plain))
    assert good.energy[0] < 3 * poor.energy[0] < 0
    assert good.warning == [""] and "a metal with UFF's parameters" in poor.warning[0]
    assert good.provenance["options"]["metals"] == "adsorption"
    found = shoal.Batch(XENON, surface=plain, device="cpu").search(starts=3)
    assert "UFF's parameters" in found.warning[0]


def test_metals_and_params():
    gold = shoal.slab("fcc111", "Au", size=(1, 1))
    table = shoal.PairModel.from_text("Au * Au * 0 0 0 0 1 1.5 0.002 0 0\n")
    assert shoal.Surface(gold, params=table).metals == ""
    assert shoal.Surface(gold, metals="uff").with_params(table).metals == ""
    with pytest.raises(shoal.ArgumentError, match="metals"):
        shoal.Surface(gold, params=table, metals="adsorption")
    with pytest.raises(shoal.ArgumentError, match="metals"):
        shoal.Surface(gold, metals="gold")
    with pytest.raises(shoal.ArgumentError, match="push layers apart"):
        shoal.Batch(XENON, surface=shoal.Surface(gold), movable=1)


def salt():
    return shoal.Surface.rocksalt("NaCl", size=(2, 2), layers=2)


def test_molecules_on_a_surface(golden):
    on = shoal.Placement(orient="flat", at=(1, 1), height=3.0)
    batch = shoal.Batch(golden["water"], surface=salt(), placement=on, device="cpu")
    r = batch.relax(adsorption=True)
    assert r.converged.all() and r.terms["surface"][0] < -0.1
    alone = shoal.Batch(golden["water"], device="cpu").relax()
    assert r.adsorption_energy[0] == pytest.approx(r.energy[0] - alone.energy[0], abs=1e-4)
    assert r[0].positions[:, 2].min() > 0.5


def test_placement_moves_the_molecule(golden):
    on = shoal.Placement(rotate=(0, 0, 90), at=(1.0, 2.0), height=2.5)
    put = on.apply(golden["water"], salt())
    assert put.positions[:, :2].mean(0) == pytest.approx([1, 2])
    assert put.positions[:, 2].min() == pytest.approx(2.5)
    r = shoal.Batch(
        golden["water"], surface=salt(), placement=on, grid="off", device="cpu"
    ).energy()
    assert np.allclose(r.positions[0], put.positions, atol=1e-12)


def test_grid(golden, tmp_path):
    s = salt()
    grid = s.grid(step=0.1)
    assert grid is s.grid(step=0.1) and grid is not s.grid(step=0.1, cache=False)
    assert grid.errors.samples == 2000 and grid.errors.rms_e < 1e-2
    on = shoal.Placement(at=(1, 1), height=3.0)
    common = {"surface": s, "placement": on, "device": "cpu"}
    sums = shoal.Batch(golden["formamide"], grid="off", **common).energy()
    splined = shoal.Batch(golden["formamide"], grid=grid, **common).energy()
    assert splined.terms["surface"][0] == pytest.approx(sums.terms["surface"][0], abs=1e-3)
    assert splined.terms["surface"][0] != sums.terms["surface"][0]
    grid.save(tmp_path / "grid.h5")
    read = shoal.Grid.read(tmp_path / "grid.h5", s)
    assert np.array_equal(read.fields([[0.1, 0.2, 3.0]]), grid.fields([[0.1, 0.2, 3.0]]))
    by_path = shoal.Batch(golden["formamide"], grid=tmp_path / "grid.h5", **common).energy()
    assert by_path.energy[0] == splined.energy[0]
    with pytest.raises(shoal.FormatError):
        shoal.Grid.read(tmp_path / "grid.h5", shoal.Surface.graphene())


def test_grid_is_kept_in_a_folder(tmp_path):
    s = salt()
    s.grid(step=0.3, samples=0, cache=tmp_path / "grids")
    (file,) = (tmp_path / "grids").iterdir()
    stamp = file.stat().st_mtime_ns
    salt().grid(step=0.3, samples=0, cache=tmp_path / "grids")
    assert file.stat().st_mtime_ns == stamp


def test_auto_takes_the_cheaper_way(golden):
    s = salt()
    on = shoal.Placement(height=3.0)
    batch = shoal.Batch(golden["water"], surface=s, placement=on, device="cpu")
    assert batch.energy().provenance["options"]["grid"] == "direct sums"
    grid = s.grid(samples=0)
    assert batch.energy().provenance["options"]["grid"] == "built"
    given = shoal.Batch(golden["water"], surface=s, placement=on, grid=grid, device="cpu").energy()
    assert given.energy[0] == batch.energy().energy[0]


def test_layers_that_move(golden):
    on = shoal.Placement(at=(1, 1), height=3.0)
    batch = shoal.Batch(golden["water"], surface=salt(), placement=on, movable=1, device="cpu")
    r = batch.relax(fmax=0.05)
    assert len(r[0]) == 3 + 8 and r.converged.all()


def test_surface_pickles(golden):
    s = salt()
    other = pickle.loads(pickle.dumps(s))
    assert np.array_equal(s.positions, other.positions) and np.array_equal(s.charges, other.charges)


TYPES = {"O_3": {"r": 1.75, "e": 0.0026, "h": -0.5}, "H_O": {"r": 1.2, "e": 0.002, "h": 0.5}}


def test_pair_models(golden, tmp_path):
    model = shoal.PairModel(form="morse", alpha=1.7, types=TYPES)
    assert model.form == "morse" and model.types["O_3"]["r"] == 1.75 and not model.is_table
    model.write(tmp_path / "model", comment="mine")
    assert shoal.PairModel.read(tmp_path / "model").types == model.types
    assert pickle.loads(pickle.dumps(model)).types == model.types
    two = shoal.Molecule(
        [8, 1, 1] * 2,
        np.concatenate([golden["water"].positions, golden["water"].positions + [0, 0, 3.0]]),
    )
    plain = shoal.Batch(two, charges="none", device="cpu").energy()
    own = shoal.Batch(two, charges="none", params=model, device="cpu").energy()
    assert own.terms["bond"][0] == plain.terms["bond"][0]
    assert own.terms["vdw"][0] != plain.terms["vdw"][0]
    by_path = shoal.Batch(two, charges="none", params=tmp_path / "model", device="cpu").energy()
    assert by_path.energy[0] == own.energy[0]


def test_a_formula_of_the_user():
    argon = {"Ar4+4": {"r": 1.9, "e": 0.01, "element": "Ar"}}
    model = shoal.PairModel(formula="E0*((R0/r)^12 - 2*(R0/r)^6)", types=argon)
    assert model.form == "formula"
    two = shoal.Molecule("ArAr", [[0, 0, 0], [0, 0, 3.8]])
    r = shoal.Batch(two, params=model, precision="double", device="cpu").energy()
    assert r.energy[0] == pytest.approx(-0.01, rel=1e-9)


def test_one_model_for_molecule_and_substrate(golden):
    types = {**TYPES, "Na": {"r": 1.5, "e": 0.002}, "Cl": {"r": 2.0, "e": 0.01}}
    model = shoal.PairModel(form="morse", types=types)
    on = {"placement": shoal.Placement(height=3.0), "grid": "off", "device": "cpu"}
    r = shoal.Batch(golden["water"], surface=salt(), params=model, **on).energy()
    made = salt().with_params(model)
    again = shoal.Batch(golden["water"], surface=made, params=model, **on).energy()
    assert r.energy[0] == again.energy[0] and made.form == "morse"


def test_parts_of_a_surface_keep_its_options():
    whole = shoal.Surface.rocksalt("NaCl", size=(2, 2), layers=3, form="morse", alpha=1.4)
    for part in whole.split(1):
        again = pickle.loads(pickle.dumps(part))
        assert (part.form, again.form) == ("morse", "morse")
        assert again._view().alpha == pytest.approx(1.4)
        assert np.array_equal(part.positions, again.positions)


def test_errors_of_a_grid_are_measured_at_so_many_points():
    salt = shoal.Surface.rocksalt("NaCl", size=(1, 1), layers=1)
    for samples in (0, 50):
        grid = salt.grid(step=0.4, height=8, samples=samples, cache=False)
        assert grid.errors.samples == samples


def test_channels_from_elsewhere(golden, tmp_path):
    s = salt()
    own = s.grid(step=0.15)
    own.export(tmp_path / "v.cube", channel="coulomb")
    mesh = shoal.Mesh.read(tmp_path / "v.cube")
    assert mesh.name == "v.cube" and mesh.shape == own.shape and not mesh.repeats
    point = [[0.3, 0.4, 3.0]]
    assert mesh(point)[0] == pytest.approx(own.fields(point, "coulomb")[0], abs=1e-5)
    grid = s.grid(step=0.15, fields={"coulomb": tmp_path / "v.cube"})
    assert grid.channels == own.channels == ("pauli", "london", "coulomb")
    (source,) = grid.sources.values()
    assert grid.sources["coulomb"].mesh == "v.cube" and own.sources == {}
    assert 0 < source.max_e < 1e-2 and source.top == pytest.approx(source.end - 3)
    assert grid.fields(point, "coulomb")[0] == pytest.approx(own.fields(point)[0, 2], abs=1e-4)
    assert np.array_equal(grid.fields(point, "pauli"), own.fields(point, "pauli"))
    twice = shoal.Mesh(-2 * mesh.values, mesh.cell, mesh.origin, name="twice", electron=True)
    double = s.grid(step=0.15, fields={"coulomb": twice})
    want = 2 * own.fields(point, "coulomb")
    assert double.fields(point, "coulomb") == pytest.approx(want, abs=1e-4)
    on = {"surface": s, "placement": shoal.Placement(at=(1, 1), height=3.0), "charges": "qeq"}
    e = [
        shoal.Batch(golden["formamide"], grid=g, **on).energy().terms["surface"][0]
        for g in (own, grid, double)
    ]
    assert e[1] == pytest.approx(e[0], abs=1e-4) and abs(e[2] - e[0]) > 1e-3
    assert s.grid(step=0.15) is own
    assert double.check(200, seed=2).samples == 200
    with pytest.raises(shoal.ArgumentError, match="expected 'pauli', 'london' or 'coulomb'|fields"):
        s.grid(fields={"donor": mesh})
    with pytest.raises(shoal.ArgumentError, match="fields\\['coulomb'\\]"):
        s.grid(fields={"coulomb": mesh.values})
    with pytest.raises(shoal.ArgumentError, match="zero everywhere"):
        own.export(tmp_path / "d.npy", channel="donor")
    with pytest.raises(TypeError):
        pickle.dumps(mesh)


def test_exports_are_read_again(tmp_path):
    grid = salt().grid(step=0.2)
    grid.export(tmp_path / "v.npy", channel="london")
    grid.export(tmp_path / "v.xsf", channel="london")
    grid.export(tmp_path / "o.cube", probe="O")
    values = np.load(tmp_path / "v.npy")
    read = shoal.Mesh.read(tmp_path / "v.xsf")
    assert values.shape == read.shape == grid.shape
    assert np.allclose(read.values, values, rtol=1e-6)
    cell = read.cell
    same = shoal.Mesh.read(tmp_path / "v.npy", cell=cell, shift=read.origin)
    assert np.array_equal(same.values, values)
    np.save(tmp_path / "zyx.npy", np.ascontiguousarray(values.T.astype("f4")))
    turned = shoal.Mesh.read(tmp_path / "zyx.npy", cell=cell, x_fastest=True)
    assert np.allclose(turned.values, values, rtol=1e-6)
    assert shoal.Mesh.read(tmp_path / "o.cube").values.shape == grid.shape
    with pytest.raises(shoal.ArgumentError):
        grid.export(tmp_path / "v.npy", channel="london", probe="O")


def test_units_and_places_of_meshes():
    values = np.random.default_rng(3).random((6, 7, 8))
    cell = [[4.0, 0, 0], [0.5, 3.8, 0], [0.3, 0.2, 6.0]]
    for unit, electron, factor in (
        ("ev", False, 1.0),
        ("hartree", False, 27.211386245988),
        ("rydberg", False, 13.605693122994),
        ("ev", True, -1.0),
    ):
        mesh = shoal.Mesh(values, cell, (1, 2, 3), unit=unit, electron=electron, name="made")
        assert mesh.values == pytest.approx(factor * values, rel=1e-9)
        assert (mesh.name, mesh.shape, mesh.repeats) == ("made", (6, 7, 8), False)
        assert mesh.origin == pytest.approx([1, 2, 3])
        assert mesh.cell == pytest.approx(np.array(cell))
        i, j, k = 2, 5, 3
        at = mesh.origin + np.array([i / 6, j / 7, k / 8]) @ mesh.cell
        value = mesh(at)
        assert value[0] == pytest.approx(factor * values[i, j, k], abs=1e-9)
        h = 1e-5
        for x in range(3):
            ends = [mesh(at + sign * h * np.eye(3)[x])[0] for sign in (1, -1)]
            assert value[1 + x] == pytest.approx((ends[0] - ends[1]) / (2 * h), abs=1e-5)
        assert mesh(at + mesh.cell[1])[0] == pytest.approx(value[0], abs=1e-9)
    again = shoal.Mesh(values, cell, repeats=True)
    at = np.array([0.7, 0.4, 1.1])
    assert again.repeats and again(at + again.cell[2]) == pytest.approx(again(at), abs=1e-9)
    for wrong in ({"unit": "kcal"}, {"origin": (0, 0)}):
        with pytest.raises(shoal.ArgumentError):
            shoal.Mesh(values, cell, **wrong)
