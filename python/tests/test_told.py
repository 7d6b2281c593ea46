# SPDX-License-Identifier: BSD-3-Clause
# What tables, texts, plots and pages tell: units, labels, columns in their places, whole outputs.
import pickle
import re

import numpy as np
import pytest
from conftest import TOP, hexavalent, shaken
from made_run import made_run
from test_report import data_of, page_of, unpacked

import shoal
from shoal import chemiscope, report
from shoal.fit import Dataset, Fit
from shoal.fit_results import Prediction
from shoal.table import WHAT

FIT = TOP / "examples" / "fit"


def water(shift=0.0):
    return shoal.Molecule("OHH", [[0, 0, shift], [0.96, 0, shift], [-0.24, 0.93, shift]], name="w")


# --- results --------------------------------------------------------------------------------------


def test_texts_of_results():
    found = shoal.Batch([water(), hexavalent(), water()], device="cpu").relax(fmax=1e-3)
    found = found[[0, 1]]
    energy, fmax = found.energy[0], found.fmax[0]
    assert repr(found) == f"<Results of 2 systems: 1 converged, 1 untyped, lowest {energy:.6g} eV>"
    page = found._repr_html_()
    rows = [re.findall("<td>(.*?)</td>", row) for row in page.split("<tr>")[2:]]
    steps = str(found.steps[0])
    assert rows[0] == ["0", "w", "3", "converged", steps, f"{energy:.6f}", f"{fmax:.2e}", ""]
    assert rows[1][1:4] == ["hexavalent", "7", "untyped"] and rows[1][-1] == found.reason[1]
    heads = re.findall("<th>(.*?)</th>", page)
    numbers = ["steps", "energy / eV", "fmax / eV/Å"]
    assert heads == ["", "name", "atoms", "status", *numbers, "reason, warning"]
    energies = shoal.Batch([water(), water()], positions=[w.positions * s for w, s in
                           ((water(), 1.0), (water(), 1.1))], device="cpu").energy()  # fmt: skip
    assert repr(energies).endswith(f"lowest {energies.energy.min():.6g} eV>")
    assert energies.energy[0] != energies.energy[1]


def test_frames_of_results(tmp_path):
    """A file has what was computed, and no more."""
    batch = shoal.Batch([water(), hexavalent()], device="cpu")
    batch.energy().write(tmp_path / "energy.xyz")
    lines = (tmp_path / "energy.xyz").read_text().splitlines()
    first, second = [line for line in lines if "=" in line]
    assert "energy=" in first and "energy0" not in first and "steps" not in first
    assert "energy=" not in second and "status=untyped" in second.replace('"', "")
    relaxed = batch.relax()
    relaxed.write(tmp_path / "relax.xyz")
    first = (tmp_path / "relax.xyz").read_text().splitlines()[1]
    told = {k: v for k, v in re.findall(r"(\w+)=(\S+)", first)}
    assert float(told["energy0"]) == pytest.approx(relaxed.energy0[0], rel=1e-6)
    assert float(told["energy"]) == pytest.approx(relaxed.energy[0], rel=1e-6)
    assert int(told["steps"]) == relaxed.steps[0]


def test_columns_of_dataframes():
    pytest.importorskip("pandas")
    batch = shoal.Batch([water(), water()], copies=shoal.options.Copies(2, 0.05), device="cpu")
    found = batch.relax()
    frame = found.to_dataframe()
    names = ["name", "status", "index", "record", "variant", "natoms", "energy", "energy0", "fmax"]
    terms = [t for t in found.terms.dtype.names if t not in ("sigma_pi", "pi_pi")]
    assert list(frame) == [*names, "steps", *terms, "reason", "warning"]
    for name in ("index", "record", "variant", "energy", "energy0", "fmax", "steps"):
        assert frame[name].tolist() == getattr(found, name).tolist()
    assert frame["variant"].tolist() == [0, 1, 0, 1] and frame["record"].tolist() == [0, 0, 1, 1]
    assert frame["natoms"].tolist() == [3] * 4
    assert np.allclose(frame[terms].sum(axis=1), frame["energy"], atol=1e-9)


def test_seeds_are_told(tmp_path):
    batch = shoal.Batch(water(), device="cpu")
    moved = batch.md(steps=2, seed=7, save=tmp_path / "md.h5")
    assert moved.provenance["seed"] == 7 and shoal.load(tmp_path / "md.h5").provenance["seed"] == 7
    moved.save(tmp_path / "end.h5")
    assert shoal.load(tmp_path / "end.h5").provenance["seed"] == 7
    assert batch.search(starts=1, seed=5).provenance["seed"] == 5
    batch.embed(2, seed=6, save=tmp_path / "embed.h5")
    assert shoal.load(tmp_path / "embed.h5").provenance["seed"] == 6
    copies = shoal.Batch(water(), copies=shoal.options.Copies(2, 0.1, 9))
    assert copies.energy().provenance["seed"] == 9


def test_parts_of_scans_know_their_copies():
    batch = shoal.Batch(water(), copies=2, device="cpu")
    found = batch.scan("distance:0,1=0.9:1.1:0.1")
    assert found.n_copies == 2 and found[:3].n_copies == 2
    assert found[:3].energies.shape == (1, 3) and found[::4].n_points == 3


def test_molecules_keep_everything_in_pickles():
    one = shoal.Molecule(
        "CHHH", [[0, 0, 0], [1.08, 0, 0], [-0.54, 0.94, 0], [-0.54, -0.94, 0]],
        [(0, 1, 1), (0, 2, 1), (0, 3, 1)], charges=[-0.3, 0.1, 0.1, 0.1], formal_charges=[0] * 4,
        cell=[[9, 0, 0], [1, 9, 0], [0, 2, 9]], pbc=[True, False, True], name="methyl",
    )  # fmt: skip
    one.radicals = [1, 0, 0, 0]
    one.isotopes = [13, 0, 2, 0]
    one.set_type(0, "C_2")
    one.set_property("a", "b")
    for other in (pickle.loads(pickle.dumps(one)), one.copy()):
        assert other.radicals.tolist() == [1, 0, 0, 0]
        assert other.isotopes.tolist() == [13, 0, 2, 0]
        for name in ("numbers", "positions", "bonds", "charges", "formal_charges", "cell", "pbc"):
            assert (getattr(other, name) == getattr(one, name)).all()
        assert (other.name, other.properties) == ("methyl", {"a": "b"})
        assert other.types == one.types and one.types[0] == "C_2"


def test_charges_and_aromatic_bonds_of_molecules():
    ammonium = shoal.Molecule(
        "NHHHH",
        [[0, 0, 0], [0.6, 0.6, 0.6], [-0.6, -0.6, 0.6], [-0.6, 0.6, -0.6], [0.6, -0.6, -0.6]],
    )
    assert ammonium.equilibrate(1.0).charges.sum() == pytest.approx(1.0, abs=1e-9)
    assert ammonium.equilibrate(total_charge=-2).charges.sum() == pytest.approx(-2.0, abs=1e-9)
    turn = np.radians(60 * np.arange(6))
    ring = np.stack([np.cos(turn), np.sin(turn), 0 * turn], axis=1)
    bonds = [(k, (k + 1) % 6, 1.5) for k in range(6)] + [(k, 6 + k, 1) for k in range(6)]
    benzene = shoal.Molecule("CCCCCCHHHHHH", np.concatenate([1.4 * ring, 2.48 * ring]), bonds)
    assert benzene.bonds["order"].tolist() == [4] * 6 + [1] * 6
    assert benzene.types == ["C_R"] * 6 + ["H_"] * 6


# --- engines --------------------------------------------------------------------------------------


def test_relaxations_of_engines():
    one = water()
    engine = shoal.Engine(one.topology(), [1.2 * one.positions])
    before = float(engine.energy().energies[0])
    result = engine.relax(fmax=1e-3).result(0)
    assert result.energy0 == before and result.energy < before - 0.1
    batch = shoal.Batch(one, positions=[1.2 * one.positions], device="cpu", precision="double")
    for options in ({}, {"max_move": 0.01}, {"method": "fire"}):
        again = shoal.Engine(one.topology(), [1.2 * one.positions], precision="double")
        again = again.relax(1e-3, **options).result(0)
        wanted = batch.relax(1e-3, **options)
        assert (again.steps, again.energy) == (wanted.steps[0], wanted.energy[0])


def test_electron_pairs_of_engines():
    field = shoal.MMFFsp3(electron_pairs=True)
    one = water()
    top = one.topology(forcefield=field)
    engine = shoal.Engine(top, [one.positions]).relax(fmax=1e-6)
    found = engine.result(0)
    assert found.electron_pairs.shape == (2, 3) and len(found.positions) == 3
    bonds = top.terms("bond")
    length = bonds["r0"][(bonds["atoms"] >= 3).any(axis=1)]
    far = np.linalg.norm(found.electron_pairs - found.positions[0], axis=1)
    assert np.allclose(far, length, atol=0.05)
    assert np.allclose(np.linalg.norm(found.directions, axis=1), 1.0)


# --- fits -----------------------------------------------------------------------------------------


def test_sets_and_scans_of_fits():
    data = Dataset(FIT / "AtomTypes.dat").add(FIT / "dimers.xyz", 2.0)
    (one,) = data.sets
    energies = data.reference
    assert (one.least, one.most) == (energies.min(), energies.max())
    assert one.rms == pytest.approx(np.sqrt(np.mean(energies**2)), rel=1e-9)
    assert (one.first, one.n_samples, one.n_dimers) == (0, len(data), data.n_dimers)
    made = Fit(data, FIT / "dofs.dat")
    at = dict(zip((f"{d['type']}.{d['comp']}" for d in made.dofs), made.values))
    r, e = at["O_3.R"], at["O_3.E"]
    grid = made.scan("O_3.R", [r, r + 0.05], "O_3.E", [e, 2 * e, 3 * e])
    assert np.allclose(grid.slope_a, grid.numeric_a, rtol=1e-5, atol=1e-9)
    assert np.allclose(grid.slope_b, grid.numeric_b, rtol=1e-5, atol=1e-9)
    assert not np.allclose(grid.slope_a, grid.slope_b)
    made.set_value("O_3.R", r + 0.05)
    made.set_value("O_3.E", 3 * e)
    value, slopes = made.objective(gradient=True)
    assert grid.objective[1, 2] == pytest.approx(value, rel=1e-9)
    names = list(at)
    assert grid.slope_b[1, 2] == pytest.approx(slopes[names.index("O_3.E")], rel=1e-6)


def test_errors_of_predictions():
    zero = np.zeros(3)
    one = Prediction(zero, zero, zero, zero, np.array([1.0, 2.0, 5.0]), np.array([0.0, 4.0, 0.0]),
                     np.array([1.0, 2.0, 0.0]))  # fmt: skip
    assert one.error.tolist() == [1.0, -2.0, 5.0]
    assert one.rmse == pytest.approx(np.sqrt(2.5)) and "RMSE 1.581139 eV" in repr(one)


def test_prepared_types_are_those_of_the_dialect(program, tmp_path):
    import subprocess

    from shoal import fit

    for dialect in ("rdkit", "paper", "firecore"):
        mine = {k: tmp_path / f"{dialect}-{k}" for k in ("frames", "types", "dofs")}
        fit.prepare(FIT / "dimers.xyz", dialect=dialect, charges="none", **mine)
        words = [program, "fit", "prepare", FIT / "dimers.xyz", "--dialect", dialect]
        other = {k: tmp_path / f"program-{k}" for k in mine}
        words += ["--charges", "none", "-o", other["frames"], "--types-out", other["types"]]
        words += ["--dofs-out", other["dofs"], "--quiet"]
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        for k in mine:
            assert mine[k].read_text() == other[k].read_text()


def test_rows_of_pair_models():
    row = {"r": 1.5, "e": 0.01, "q": -0.2, "h": 0.3}
    row |= {"valence": 2, "n_epair": 1, "n_pi": 3, "sym": 4}
    more = {"r_covalent": 0.61, "parent": "O", "epair": "E2", "element": "O"}
    model = shoal.PairModel(form="morse", alpha=1.7, types={"O_3": {**row, **more}})
    (line,) = [x.split() for x in model.text.splitlines() if x.startswith("O_3")]
    assert line[:8] == ["O_3", "O", "O", "E2", "2", "1", "3", "4"]
    assert [float(x) for x in line[8:13]] == pytest.approx([0.61, 1.5, 0.01, -0.2, 0.3])


# --- surfaces -------------------------------------------------------------------------------------


def test_errors_of_grids():
    salt = shoal.Surface.rocksalt("NaCl", size=(2, 2), layers=2)
    e = salt.grid(step=0.2, samples=300).errors
    assert e.samples > 0 and 0 < e.rms_e < e.max_e and 0 < e.rms_f < e.max_f


def test_copies_leave_the_surface_alone():
    """Copies are jittered but for the first, and for layers that move."""
    salt = shoal.Surface.rocksalt("NaCl", size=(2, 2), layers=2)
    batch = shoal.Batch(
        water(3.0), surface=salt, movable=1, copies=shoal.options.Copies(2, 0.1, 3), device="cpu"
    )
    first, second = batch.energy().positions
    assert len(first) > 3 and (np.abs(second - first)[:3].max(axis=1) > 1e-6).all()
    assert (first[3:] == second[3:]).all()
    (plain,) = shoal.Batch(water(3.0), surface=salt, movable=1, device="cpu").energy().positions
    assert (first == plain).all()


# --- dynamics -------------------------------------------------------------------------------------


def test_the_heaviest_hydrogen():
    batch = shoal.Batch(water(), device="cpu")
    heavy = batch.md(steps=1, hydrogen_mass=6.0).masses[0]
    assert heavy[1:].tolist() == [6.0, 6.0]
    assert heavy.sum() == pytest.approx(15.999 + 2 * 1.008, abs=0.01)
    shoal.md.Settings(hydrogen_mass=20.0)
    with pytest.raises(shoal.ArgumentError, match="20 amu at most"):
        shoal.md.Settings(hydrogen_mass=20.1)


# --- plots ----------------------------------------------------------------------------------------


@pytest.fixture
def plot():
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot

    from shoal import plot as module

    yield module
    pyplot.close("all")


def test_labels_of_energies(plot):
    run = made_run(12)
    wanted = {
        "energy": "energy (eV)",
        "energy0": "energy before (eV)",
        "drop": "energy drop (eV)",
        "fmax": "fmax (eV/Å)",
        "steps": "evaluations",
        "energy_per_atom": "energy per atom (eV)",
    }
    for quantity, label in wanted.items():
        ax = plot.energies(run, quantity=quantity)
        assert (ax.get_xlabel(), ax.get_ylabel()) == (label, "systems")
        assert ax.get_xscale() == ("log" if quantity == "fmax" else "linear")
    run.columns["systems/adsorption_energy"] = -run.columns["systems/energy"]
    ax = plot.energies(run, quantity="adsorption_energy", bins=5)
    assert ax.get_xlabel() == "adsorption energy (eV)"
    finite = np.isfinite(run.columns["systems/energy"]).sum()
    assert sum(p.get_height() for p in ax.patches) == finite
    per_atom = run.columns["systems/energy"] / run.columns["systems/natoms"]
    ax = plot.energies(run, quantity="energy_per_atom", bins=3)
    assert ax.patches[0].get_x() == pytest.approx(np.nanmin(per_atom))


def test_boxes_of_terms(plot):
    values = np.arange(101.0)[:, None] * [1.0, -2.0]
    ax = plot._term_boxes(plot._axes(None), values, ["bond", "vdw"])
    xs = [np.asarray(line.get_xdata()) for line in ax.lines if len(line.get_xdata()) == 2]
    ends = {float(x) for line in xs for x in line}
    assert {5.0, 25.0, 50.0, 75.0, 95.0} <= ends and {-10.0, -50.0, -190.0} <= ends
    assert not {0.5, 100.0} & ends
    assert ax.get_xlabel() == "energy of 101 systems (eV): middle half, 5 to 95 %"
    assert [t.get_text() for t in ax.get_yticklabels()] == ["bond", "vdw"]


def test_labels_of_sites(plot):
    salt = shoal.Surface.rocksalt("NaCl", size=(2, 2), layers=2)
    run = made_run(5)
    bar = plot.sites(run, salt).figure.axes[1]
    assert bar.get_ylabel() == "energy (eV)"
    run.columns["systems/adsorption_energy"] = run.columns["systems/energy"] - 1
    ax = plot.sites(run, salt)
    assert ax.figure.axes[1].get_ylabel() == "adsorption energy (eV)"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x (Å)", "y (Å)")
    colours = [c for c in ax.collections if c.get_array() is not None][-1].get_array()
    good = run.columns["systems/adsorption_energy"]
    assert sorted(colours) == pytest.approx(sorted(good[np.isfinite(good)]))


# --- pages ----------------------------------------------------------------------------------------


def test_columns_of_pages_have_their_units():
    told = {}
    for kind in ("relax", "md", "search"):
        run = made_run(30, kind)
        run.columns["systems/adsorption_energy"] = run.columns["systems/energy"] - 1
        told |= {c["key"]: (c["label"], c["unit"]) for c in data_of(page_of(run))["columns"]}
    assert told == {
        "natoms": ("atoms", ""), "energy": ("energy", "eV"), "energy0": ("before", "eV"),
        "drop": ("drop", "eV"), "adsorption_energy": ("adsorption", "eV"),
        "fmax": ("fmax", "eV/Å"), "steps": ("steps", ""), "time": ("time", "fs"),
        "kinetic": ("kinetic", "eV"), "bath": ("bath", "K"), "search_rank": ("rank", ""),
        "search_count": ("count", ""), "search_weight": ("weight", ""),
    }  # fmt: skip


def test_all_columns_of_pages_come_back():
    for kind in ("relax", "md"):
        run = made_run(30, kind)
        for c in data_of(page_of(run))["columns"]:
            if c["key"] != "drop":
                wanted = run.columns["systems/" + c["key"]]
                found = unpacked(c["data"], c["kind"])
                assert np.allclose(found, wanted, rtol=1e-6, equal_nan=True)


def test_units_of_coordinates():
    length = ("distance:0,1", "x", "y", "z")
    turned = ("angle:0,1,2", "torsion:0,1,2,3", "rx", "ry", "rz")
    for unit, names in (("Å", length), ("°", turned)):
        for name in names:
            run = made_run(4, "scan")
            run.coordinates, run.points = [(name, np.arange(4.0))], np.arange(4.0)[:, None]
            (found,) = data_of(page_of(run))["scan"]["coordinates"]
            assert (found["label"], found["unit"], found["values"]) == (name, unit, [0, 1, 2, 3])
            told = chemiscope.to_chemiscope(run)["properties"][name]
            assert told["units"] == ("degrees" if unit == "°" else unit)
            assert told["values"] == [0, 1, 2, 3]
            one = shoal.Coordinate.parse(f"{name}=1:2:n2")
            assert one.unit == ("degrees" if unit == "°" else "A")


def test_provenance_of_pages():
    run = made_run(3)
    run.header.update(device="cpu", driver="d", start_time="then", seconds=12.345, seed=3)
    run.header["options"] = {
        "version": "v", "command": "relax", "options": {"fmax": 0.1, "empty": ""},
        "files": ["a/b.sdf"],
        "seed": 17, "precision": "float", "threads": 4, "ranks": 2, "host": "h",
        "devices": [{"device": "cpu", "name": "chip", "instruction_set": "avx2", "driver": ""}],
    }  # fmt: skip
    data = data_of(page_of(run))
    assert dict(data["provenance"]) == {
        "program": "shoal 0.1.0", "build": "v", "command": "relax", "options": "fmax=0.1",
        "input": "a/b.sdf", "device": "cpu chip avx2", "driver": "d", "precision": "float",
        "threads": "4", "ranks": "2", "started": "then", "took": "12.3 s", "host": "h",
        "seed": "17", "units": "eV, angstrom, e", "structures drawn by": report.VIEWER_VERSION,
    }  # fmt: skip
    assert data["title"] == "shoal relax b.sdf"
    del run.header["options"]["seed"]
    assert dict(data_of(page_of(run))["provenance"])["seed"] == "3"


def test_options_of_the_command_line_of_pages(monkeypatch, tmp_path):
    told = {}
    monkeypatch.setattr(report, "write", lambda *words, **how: told.update(words=words, **how))
    monkeypatch.setattr(report.os.path, "getsize", lambda path: 0)
    words = ["r.h5", "-o", "x.html", "--title", "T", "--surface", "s.xyz"]
    assert report.main([*words, "--max-structures", "3", "--max-rows", "4", "-q"]) == 0
    assert told.pop("words") == ("r.h5", "x.html", "T")
    assert told == {"surface": "s.xyz", "max_structures": 3, "max_rows": 4}
    assert report.main(["r.hdf5", "--surface", "none", "-q"]) == 0
    assert told.pop("words") == ("r.hdf5", "r.html", None)
    assert told == {"surface": False, "max_structures": 10_000, "max_rows": 200_000}


# --- chemiscope -----------------------------------------------------------------------------------


def test_numbers_of_chemiscope():
    run = made_run(3)
    run.columns["systems/fmax"][0] = np.nan  # not known of all: left out
    cell = np.arange(1.0, 10.0)
    run.columns["systems/cell"] = np.tile(cell, (3, 1))
    run.columns["systems/pbc"] = np.ones((3, 3), np.uint8)
    run.columns["bonds/order"][:] = [1, 2, 3, 4, 5, 9, 1, 1][: len(run.columns["bonds/order"])]
    data = chemiscope.to_chemiscope(run)
    assert "fmax" not in data["properties"]
    found = data["properties"]["energy"]
    assert found["values"] == run.columns["systems/energy"].tolist() and found["units"] == "eV"
    assert [s["cell"] for s in data["structures"]] == [cell.tolist()] * 3
    orders = [order for s in data["structures"] for _, _, order in s.get("bonds", [])]
    assert orders[:6] == [1, 2, 3, 1, 1, 1]
    units = {k: p.get("units", "") for k, p in data["properties"].items()}
    assert units["energy before"] == "eV" and units["steps"] == "" and units["atoms"] == ""


def test_what_tables_hold():
    assert WHAT == ("forces", "dynamics", "variants", "adsorption", "directions", "stress")
    found = shoal.Batch(water(), positions=shaken(water(), 3), device="cpu").energy(forces=False)
    assert "atoms/force" not in found._table.columns and found._table.what["forces"] is False


# --- corners --------------------------------------------------------------------------------------


def test_positions_of_pages_are_centred():
    chunks = report._Chunks()
    chunks.add(np.array([[1.0, 2.0, 3.0], [1.0, 4.0, 53.0]]))
    assert chunks.origins[0].tolist() == [1, 3, 28] and chunks.steps == [0.001]
    whole = np.frombuffer(chunks.whole[0], "<i2").tolist()
    assert whole == [0, -1000, -25000, 0, 1000, 25000]


def test_pages_know_what_is_fine():
    data = data_of(page_of(made_run(6)))
    assert {data["statuses"][k] for k in data["fine"]} == {"ok", "converged"}


def test_temperatures_end_where_they_are_said_to():
    assert shoal.md._kelvin("t", [0.0, 1e6]).tolist() == [0.0, 1e6]
    for wrong in (-1.0, 1.001e6, [], [[300.0]]):
        with pytest.raises(shoal.ArgumentError, match="0 to 1e6"):
            shoal.md._kelvin("t", wrong)


def test_dative_bonds_among_other_molecules():
    pytest.importorskip("rdkit")
    from rdkit import Chem

    from shoal._mol import _bonds

    mols = [Chem.MolFromSmiles(s) for s in ("C#C", "[NH3]->[Fe]", "C=C")]
    rows, starts = _bonds(mols, [""] * 3)
    assert starts.tolist() == [0, 1, 2, 3]
    assert rows["order"].tolist() == [3, shoal._abi.SHOAL_ORDER_DATIVE, 2]
    assert rows["i"].tolist() == [0, 0, 0] and rows["j"].tolist() == [1, 1, 1]
