# SPDX-License-Identifier: BSD-3-Clause
# Properties and paths that are rarely asked for, by numbers that are known by hand.
import ctypes
import io
import json
import os
import sys
import zlib
from types import SimpleNamespace

import numpy as np
import pytest
from program import EXAMPLES

import shoal
from shoal import _abi, fit
from shoal._lib import lib
from shoal.progress import Progress
from shoal.run import _plain

OHH = [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]]


def water(**options):
    return shoal.Molecule("OHH", OHH, **options)


def salt(**options):
    return shoal.Surface.rocksalt("NaCl", size=(2, 2), layers=2, **options)


# --- what things are called ---


def test_reprs():
    batch = shoal.Batch([water(), water()], device="cpu", copies=3)
    assert repr(batch) == "<Batch of 6 systems, cpu>"
    files = shoal.Batch([EXAMPLES / "butane.sdf"] * 2, device="cpu", surface=salt())
    names = ", ".join([str(EXAMPLES / "butane.sdf")] * 2)
    assert repr(files) == f"<Batch of {names} on {salt()!r}, cpu>"
    with pytest.raises(TypeError, match="no length before"):
        len(files)
    found = batch.energy()
    assert repr(found.molecules) == "<Molecules of 6 systems>"
    assert repr(shoal.Engine.of([water()] * 2)) == "<Engine of 2 systems, cpu>"
    assert set(dir(shoal)) >= {"Batch", "ase", "rdkit", "plot", "report", "fit"}
    assert shoal.chemiscope.__name__ == "shoal.chemiscope"


# --- single systems ---


def test_all_of_one_system(tmp_path):
    """Each property is its column; frames for writers have the same numbers."""
    on = shoal.Placement(at=(1, 1), height=3.0)
    how = dict(device="cpu", surface=salt(), grid="off", placement=on)
    found = shoal.Batch([water(name="a"), water(name="b")], **how).relax(
        adsorption=True, max_steps=40
    )
    one = found[1]
    for name in ("energy", "energy0", "adsorption_energy", "fmax", "steps", "index"):
        assert getattr(one, name) == getattr(found, name)[1], name
    assert (one.file, one.device, one.name) == ("memory", "cpu", "b")
    assert one.adsorption_energy != one.energy < one.energy0
    frame, _ = one._frame()
    assert frame.has_adsorption and frame.adsorption_energy == one.adsorption_energy
    assert (frame.index, frame.file, frame.status) == (1, b"memory", one.status.encode())
    found.write(tmp_path / "run.extxyz")
    text = (tmp_path / "run.extxyz").read_text()
    assert "adsorption" in text
    assert shoal.Batch(water(), device="cpu").energy()[0]._frame()[0].has_adsorption is False


def test_frames_of_systems_without_types(tmp_path):
    """One untyped system has no labels; the next one still has all of its own."""
    dummy = shoal.Molecule([8, 1, 110], OHH, name="bad")
    found = shoal.Batch([water(), dummy, water()], device="cpu").energy()
    labels = []
    for one in found:
        frame, _ = one._frame()
        labels.append([frame.types[k] for k in range(3)] if frame.types else None)
    assert labels == [[b"O_3", b"H_", b"H_"], None, [b"O_3", b"H_", b"H_"]]


def test_bath_and_time_of_frames():
    found = shoal.Batch(water(), device="cpu").md(steps=4, stride=2, temperature=[100, 300], seed=3)
    frames = found.frames
    assert frames.time.tolist() == [0.0, 1.0, 2.0]
    assert frames.bath == pytest.approx([100, 200, 300])
    assert frames.kinetic.shape == (3,) and frames.velocities[0].shape == (3, 3)


def test_modes_of_a_system_that_failed_are_none():
    bad = shoal.Molecule([8, 1, 110], OHH)
    found = shoal.Batch([bad, water()], device="cpu").modes()
    assert found.verdict.tolist() == ["", "minimum"] and found.n_modes.tolist() == [0, 3]
    none = found.thermo[0].tolist()
    assert none[:4] == (False, 0, False, 0) and np.isnan(none[4:]).all() and len(none) == 11
    assert [x[0] for x in (found.order, found.removed, found.linear)] == [0, 0, False]
    assert np.isnan([found.error[0], found.step[0]]).all()
    assert found.vectors[0] is None and found.vectors[1].shape == (3, 3, 3)


def test_provenance_is_plain():
    array = np.arange(6.0).reshape(2, 3)
    crc = f"{zlib.crc32(array.tobytes()):08x}"
    many = f"21 items {zlib.crc32(json.dumps([0] * 21).encode()):08x}"
    for value, words in (
        *((x, x) for x in (None, True, 3, 2.5, "text")),
        (array, f"array [2, 3] {crc}"),
        ((1, (2, None)), [1, [2, None]]),
        ([0] * 20, [0] * 20),
        ([0] * 21, many),
        ({1: array, "k": [salt]}, {"1": f"array [2, 3] {crc}", "k": [repr(salt)]}),
    ):
        assert _plain(value) == words
    batch = shoal.Batch(water(), device="cpu", copies=shoal.Copies(2, 0.01, 5), threads=1)
    told = batch.relax(fmax=0.5, max_steps=7, method="fire").provenance
    wanted = {"fmax": 0.5, "max_steps": 7, "method": "fire", "max_move": 0.2}
    batch_has = {"copies": 2, "jitter": 0.01, "seed": 5, "threads": 1}
    assert told["options"] == {"job": "relax", **batch_has, **wanted}
    assert told["command"] == "Batch.relax(fmax=0.5, max_steps=7, method='fire', max_move=0.2)"
    assert (told["device"], told["seed"]) == ("cpu", 5) and 0 < told["seconds"] < 60
    assert told["start_time"].endswith("+00:00") and told["program"].startswith("shoal ")


def test_more_minima_than_expected_are_all_given(monkeypatch):
    """1100 coupled wells of a curve: the list grows to what there is."""
    made = shoal.Batch(water(), device="cpu").scan("distance:0,1=0.9:1.1:n2201")
    wells = np.where(np.arange(2201) % 2, 1.0, 0.0) + 1e-3 * np.arange(2201)
    monkeypatch.setattr(type(made), "energies", property(lambda self: wells[None]))
    found = made.minima()
    assert len(found) == 1101 and found[0].energy == 0 and found[0].barrier is None
    assert [m.place for m in found[:3]] == [(0,), (2,), (4,)]
    assert found[1].barrier_energy == pytest.approx(1.001)
    assert found[1].point[0] == pytest.approx(0.9 + 2 * 0.2 / 2200)
    assert found[0].at_edge and not found[1].at_edge
    assert len(made.barriers()) == 1100


def test_engine_views():
    made = shoal.Engine.of([water(), water()])
    made.energy()
    assert np.array_equal(made.fmax, [made.result(k).fmax for k in range(2)])
    lengths = np.linalg.norm(made.forces[0], axis=1)
    assert made.fmax[0] == pytest.approx(lengths.max(), rel=1e-12)


def test_restraints_of_engines_start_where_the_atoms_are():
    """None holds an atom where it is; a target pulls it there."""
    here, there = (shoal.Restraint.position(1, 3.0, to) for to in (None, (0.96, 0.5, 0)))
    top = water().topology()
    made = shoal.Engine(top, [OHH, OHH], restraints=[[here], [here, there]]).energy()
    assert [made.result(k).terms["restraint"] for k in (0, 1)] == pytest.approx(
        [0.0, 0.5 * 3.0 * 0.25]
    )


# --- topologies ---


def test_arrays_of_topologies():
    top = (
        shoal.Topology.build("OHH")
        .atom(0, vdw_x=3.5, vdw_d=0.003, charge=-0.8, mass=17.5, type="OW")
        .atom(1)
        .atom(2, vdw_x=2.5)
        .bond(0, 1, k=45.9, r0=0.957)
        .finish()
    )
    assert top.vdw_x.tolist() == [3.5, 3.0, 2.5] and top.vdw_d.tolist() == [0.003, 0, 0]
    assert top.masses == pytest.approx([17.5, 1.008, 1.008], abs=1e-3)
    assert top.charges.tolist() == [-0.8, 0, 0] and top.warning == ""
    lonely = water().topology(forcefield=shoal.MMFFsp3(electron_pairs=True))
    assert lonely.n_pairs == 2 and lonely.pair_atoms.tolist() == [0, 0]
    assert lonely.n_movers == 3 + 2 + len(lonely.direction_atoms)


def test_inversions_and_periodic_topologies_by_their_formulas():
    """E = force (c0 + c1 cos w + c2 cos 2w); cos w is 1 in the plane."""
    flat = np.array([[1.0, 0, 0], [0, 0, 0], [-0.5, 0.8, 0], [-0.5, -0.8, 0.3]])
    way = flat[3] - flat[1]
    cosine = np.hypot(way[0], way[1]) / np.linalg.norm(way)
    series = 0.5 + 0.25 * cosine + 0.125 * (2 * cosine**2 - 1)
    for more, wanted in (({}, 1 - cosine), ({"c": (0.5, 0.25, 0.125)}, series)):
        top = shoal.Topology.build("HBHH").inversion(0, 1, 2, 3, 0.7, **more).finish()
        made = shoal.Engine(top, [flat]).energy()
        assert made.energies[0] == pytest.approx(0.7 * wanted, rel=1e-10)
    for pbc, far in ((True, 0.0), ([False, True, True], 0.5 * 2.0 * 3.0**2)):
        shift = (-1, 0, 0) if pbc is True else None
        chain = shoal.Topology.build("HeHe").periodic(pbc).bond(0, 1, k=2.0, r0=1.0, shift=shift)
        cells = [np.diag([5.0, 20, 20])]
        made = shoal.Engine(chain.finish(), [[[0, 0, 0], [4.0, 0, 0]]], cells=cells)
        assert made.energy().terms["bond"][0] == pytest.approx(far)


# --- surfaces ---


def test_grids_that_are_asked_for():
    """True builds the usual grid, once; "auto" takes it from then on; "off" never does."""
    surface = shoal.Surface.rocksalt("NaCl", size=(1, 1), layers=1)
    on = dict(device="cpu", surface=surface, placement=shoal.Placement(at=(1, 1), height=3.0))
    exact = shoal.Batch(water(), grid="off", **on).energy()
    assert exact.provenance["options"]["grid"] == "direct sums" and not surface._grids
    short = shoal.Batch(water(), **on).energy()
    assert short.energy[0] == exact.energy[0] and not surface._grids
    built = shoal.Batch(water(), grid=True, **on).energy()
    assert built.provenance["options"]["grid"] == "built" and len(surface._grids) == 1
    assert built.energy[0] != exact.energy[0]
    assert built.energy[0] == pytest.approx(exact.energy[0], abs=2e-3)
    assert shoal.Batch(water(), **on).energy().energy[0] == built.energy[0]
    assert shoal.Batch(water(), grid="off", **on).energy().energy[0] == exact.energy[0]
    (kept,) = surface._grids.values()
    assert kept.errors.samples == 0
    given = shoal.Batch(water(), grid=kept, **on).energy()
    assert given.provenance["options"]["grid"] == "given"
    assert given.energy[0] == built.energy[0]


def test_parameters_and_terraces_of_surfaces(tmp_path):
    table = EXAMPLES / "fit" / "AtomTypes.dat"
    model = shoal.PairModel.read(table)
    assert model.is_table and model.formula is None
    surface = shoal.Surface.graphene(size=(2, 2))
    typed = surface.with_params(model)
    assert typed is surface.with_params(model) and typed is not surface
    rest, top = salt().split(1)
    assert len(rest) == len(top) == len(salt()) / 2 and top.top == 0 > rest.top
    again = rest.with_params(None)
    assert again is rest.with_params(None) is not rest and again.form == "lj"
    assert np.array_equal(again.charges, rest.charges) and again.charges.any()
    stepped = shoal.Surface.rocksalt("NaCl", size=(4, 4), layers=3, step=2)
    assert stepped.floor < stepped.top == pytest.approx(0) and salt().floor == pytest.approx(0)
    frames = tmp_path / "two.xyz"
    salt().write(tmp_path / "one.xyz")
    frames.write_text((tmp_path / "one.xyz").read_text() * 2)
    with pytest.raises(shoal.FormatError, match="two.xyz: expected one frame, got 2"):
        shoal.Surface.read(frames)


def test_a_grid_in_a_folder_that_is_damaged_is_built_anew(tmp_path):
    surface = salt()
    made = surface.grid(step=0.4, height=4.0, samples=0, cache=tmp_path)
    (name,) = os.listdir(tmp_path)
    assert name.startswith("grid-") and name.endswith("-0.4-4.h5")
    (tmp_path / name).write_bytes(b"not HDF5")
    again = salt().grid(step=0.4, height=4.0, samples=0, cache=tmp_path)
    assert again.shape == made.shape
    kept = salt().grid(step=0.4, height=4.0, samples=0, cache=tmp_path)
    points = [[0.5, 0.6, 2.5], [1.5, 0.1, 3.0]]
    assert np.array_equal(kept.fields(points), made.fields(points))
    with pytest.raises(RuntimeError, match="enough"):
        salt().grid(step=0.4, samples=0, progress=lambda _part, _info: stop())


def stop():
    raise RuntimeError("enough")


# --- progress ---


def test_progress_lines(monkeypatch):
    """Without tqdm one line on stderr, at most every 0.2 s, that is cleared in the end."""
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    now = [0.0]
    monkeypatch.setattr("shoal.progress.time.monotonic", lambda: now[0])
    shown = Progress(True, "relax")
    told = SimpleNamespace(part=0.25, n_read=9, n_done=5, n_computed=6, n_failed=1, n_evaluations=7)
    for at in (0.0, 0.1, 0.21, 3.0):
        now[0] = at
        shown.update(told)
    said = "\rrelax:  25 %, 5 systems, {} s "
    assert sys.stderr.getvalue() == said.format(0) + said.format(0) + said.format(3)
    shown.close()
    assert sys.stderr.getvalue().endswith("\r" + " " * 60 + "\r")
    seen = []
    made = Progress(lambda part, info: seen.append((part, info)), "x")
    now[0] += 2.5
    made.update(told)
    (part, info), = seen
    assert part == info.part == 0.25 and info.seconds == 2.5
    assert [info.n_read, info.n_done, info.n_computed, info.n_failed, info.n_evaluations] == [
        *(9, 5, 6, 1, 7)
    ]
    sys.stderr.isatty = lambda: True
    for how, shows in ((None, True), (False, False), (True, True)):
        quiet = Progress(how, "x")
        assert quiet.wanted == quiet.shows == shows
        assert quiet.patience == (0.0 if how is True else 2.0)
    assert Progress(print, "x").wanted and not Progress(print, "x").shows


# --- fits ---


def data():
    return fit.Dataset(EXAMPLES / "fit" / "AtomTypes.dat").add(EXAMPLES / "fit" / "dimers.xyz")


def test_data_sets(tmp_path):
    made = data()
    assert repr(made) == "Dataset(136 samples of 17 dimers in 1 set)"
    samples = made.samples
    assert made.n_pairs == (samples["n_first"] * (samples["n_atoms"] - samples["n_first"])).sum()
    assert 1 < made.n_monomers <= 2 * made.n_dimers
    made.write(tmp_path / "frames.xyz")
    again = fit.Dataset(EXAMPLES / "fit" / "AtomTypes.dat").add(tmp_path / "frames.xyz")
    assert again.reference == pytest.approx(made.reference, abs=1e-9)
    weights = np.linspace(-0.1, 1.0, 136)
    (tmp_path / "w").write_text("\n".join(map(repr, weights.tolist())))
    by_file, by_list = data().weigh(tmp_path / "w").samples, data().weigh(weights).samples
    assert np.array_equal(by_file["weight"], by_list["weight"]) and (by_file["weight"] == 0).any()
    for distance in (0.5, 0.7):  # of lone pairs from the first oxygen
        table = (EXAMPLES / "fit" / "AtomTypes.dat").read_text().replace(" O E 2", " O E_O3 2")
        table += "E_O3 * E E 0 0 0 0 0.35 1.3 0.0 0 0\n"
        sites = fit.Dataset(table).add(EXAMPLES / "fit" / "dimers.xyz").add_sites(distance)
        sites.write(tmp_path / "sites.xyz")
        lines = (tmp_path / "sites.xyz").read_text().splitlines()
        places = [np.array(w[1:4], float) for w in map(str.split, lines[2:8]) if w[0] == "E_O3"]
        assert len(places) == 2
        assert [np.linalg.norm(p) for p in places] == pytest.approx([distance] * 2, abs=1e-4)


def test_labels_are_mapped(tmp_path):
    table = (EXAMPLES / "fit" / "AtomTypes.dat").read_text()
    frames = (EXAMPLES / "fit" / "dimers.xyz").read_text()
    (tmp_path / "map").write_text("OWATER O_3\n")
    renamed = frames.replace("O_3 ", "OWATER ")
    assert renamed != frames
    with pytest.raises(shoal.Error, match="OWATER"):
        fit.Dataset(table).add(renamed)
    assert len(fit.Dataset(table, map=tmp_path / "map").add(renamed)) == 136


def test_fits_in_words(tmp_path, capsys):
    made = fit.Fit(data(), EXAMPLES / "fit" / "dofs.dat")
    with pytest.raises(shoal.ArgumentError, match="bootstrap 1: expected 2 or more"):
        made.bootstrap(1)
    n = len(made)
    for k in (-1, n):
        with pytest.raises(shoal.ArgumentError, match=f"parameter {k}: expected 0 to {n - 1}"):
            made.set_value(k, 1.0)
    with pytest.raises(shoal.ArgumentError, match=f"1 values: expected {n}"):
        made.values = [1.0]
    moved = made.values * 1.001
    made.values = moved
    assert made.values == pytest.approx(moved)
    made.run(progress=True, max_steps=3)
    said = capsys.readouterr().err
    assert "\rstep 1: RMSE " in said and said.endswith(" eV\n")
    table = made.correlations
    assert table.shape == (n, n) and np.array_equal(table, table.T, equal_nan=True)
    free = np.isfinite(np.diag(table))
    assert free.any() and np.diag(table)[free] == pytest.approx(1)
    assert all(isinstance(line, str) for line in made.loose_directions)
    made.write_derivatives(tmp_path / "d.csv")
    made.write_samples(tmp_path / "s.csv")
    assert len((tmp_path / "s.csv").read_text().splitlines()) >= 137
    made.write_trajectory(tmp_path / "t.csv")
    steps = (tmp_path / "t.csv").read_text().splitlines()
    assert len(steps) >= 3 and len(steps[1].split(",")) >= n
    assert (tmp_path / "d.csv").read_text().count("\n") > 136
    found = made.predict()
    assert repr(found) == f"Prediction(136 samples, RMSE {found.rmse:.6f} eV)"
    cv = made.cross_validate(2, max_steps=2)
    assert repr(cv).startswith(f"CrossValidation(2 folds, RMSE {cv.rmse:.6f} eV, folds +- ")


def test_verdicts_of_derivatives():
    assert lib.shoal_derivative_verdict(None) == b"frozen"
    names = ("weak", "jumps", "passed", "uncertain")
    rows = [
        ((0, 0, 1, 0), "ok"),
        ((0, 0, 1, 1), "uncertain"),
        ((0, 0, 0, 1), "WRONG"),
        ((0, 1, 0, 1), "slope jumps at H = 0"),
        ((1, 1, 0, 1), "weak signal"),
    ]
    for flags, word in rows:
        check = _abi.shoal_derivative_check(**dict(zip(names, flags)))
        assert lib.shoal_derivative_verdict(ctypes.byref(check)).decode() == word
        one = fit.DerivativeCheck("O_3", "R", 1.0, 1.0, 0.0, 0.0, word)
        assert one.passed == (word != "WRONG")


def test_lines_of_parameters():
    full = dict(type="O_3", comp="R", min=1, max=2, xlo=1.1, xhi=1.9, klo=3, khi=4, k0=5)
    dof = fit.Dof(**full, start=1.5, inverse_mass=0.5)
    assert dof.line() == "O_3 R 1.0 2.0 1.1 1.9 3.0 4.0 5.0 1.5 0.5"
    assert fit.Dof("O_3", "R", 1, 2).line() == "O_3 R 1.0 2.0 1.0 0.0 0.0 0.0 0.0"
    rows = [dof, full, ("H_O", "E", 0, 1), "C_3 R 1 2"]
    lines = fit.dof_text(rows).splitlines()
    assert lines[1] == "O_3 R 1.0 2.0 1.1 1.9 3.0 4.0 5.0" and lines[3] == "C_3 R 1 2"
    assert lines[2] == "H_O E 0.0 1.0 1.0 0.0 0.0 0.0 0.0"
    with pytest.raises(shoal.ArgumentError, match="O_3.R: inverse_mass needs a start"):
        fit.Dof("O_3", "R", 1, 2, inverse_mass=1.0).line()


# --- pair models ---


def test_lines_of_pair_models(tmp_path):
    types = {"O_3": {"r": 1.7, "e": 0.003, "q": -0.4, "h": -0.1}, "H_O": {"r": 1.2, "e": 0.002}}
    made = shoal.PairModel(
        "exp6",
        types,
        alpha=12.5,
        hbond="both",
        coulomb="damped",
        coulomb_damping=0.4,
        lambda_=0.9,
        radius_charge=0.05,
        dispersion_damping=0.3,
        scale_14=(0.5, 0.8),
        charges_of=["O_3", "H_O"],
        neutral=True,
    )
    lines = made.text.splitlines()
    assert "charges_of O_3" in lines and "charges_of H_O" in lines
    words = dict(line.split(" ", 1) for line in lines if " " in line)
    for name, value in (
        *(("form", "exp6"), ("alpha", "12.5"), ("hbond", "both"), ("coulomb", "damped")),
        *(("coulomb_damping", "0.4"), ("lambda", "0.9"), ("radius_charge", "0.05")),
        *(("dispersion_damping", "0.3"), ("scale_14", "0.5 0.8"), ("neutral", "yes")),
    ):
        assert words[name] == value, name
    assert made.types["O_3"] == {"r": 1.7, "e": 0.003, "q": -0.4, "h": -0.1, "element": "O"}
    own = shoal.PairModel(types=types, formula="E0*((R0/r)^12 - 2*(R0/r)^6)")
    assert own.form == "formula" and own.formula == "E0*((R0/r)^12 - 2*(R0/r)^6)"
    table = (EXAMPLES / "fit" / "AtomTypes.dat").read_text()
    (tmp_path / "types").write_text(table)
    by_text, by_path = (shoal.PairModel(types=t) for t in (table, tmp_path / "types"))
    assert by_text.types == by_path.types and len(by_text.types) == 4
    with pytest.raises(shoal.FileError, match="types: .*no-such"):
        shoal.PairModel(types=tmp_path / "no-such")


# --- molecules ---


def test_small_things_of_molecules():
    import copy

    mol = water(name="w")
    mol.set_property("a", 1)
    other = copy.copy(mol)
    other.set_property("a", None)
    assert mol.properties == {"a": "1"} and other.properties == {} and other.name == "w"
    # 1.5 angstrom between two H: a bond only with more slack than by default
    pair = shoal.Molecule("HH", [[0, 0, 0], [1.5, 0, 0]])
    for slack, n in ((0.2, 0), (1.2, 1)):
        typing = shoal.Typing(rebuild_bonds=True, bond_slack=slack)
        found = shoal.Batch(pair, device="cpu", typing=typing).energy()
        assert len(found[0].molecule.bonds) == n


def test_units_of_the_library():
    """What Python divides by is what everybody has."""
    assert lib.shoal_unit_value(_abi.SHOAL_UNIT_KCAL_PER_MOL) == pytest.approx(0.0433641, rel=1e-6)
    assert shoal._lib.version_of(10203) == "1.2.3" and shoal._lib.version_of(100) == "0.1.0"


def test_restraints_of_centres_start_where_the_atoms_are():
    top = shoal.Molecule(["O", "H", "H"], OHH).topology()
    centre = np.mean(OHH, axis=0)
    here, there = (shoal.Restraint.centre(0, 2, 3.0, to) for to in (None, centre + (0, 0, 2)))
    made = shoal.Engine(top, [OHH, OHH], restraints=[[here], [there]]).energy()
    assert [made.result(k).terms["restraint"] for k in (0, 1)] == pytest.approx([0.0, 6.0])
    mol = shoal.Molecule(["O", "H", "H"], OHH)
    r = shoal.Batch([mol, mol], restraints=[[here], [there]], device="cpu").energy()
    assert list(r.terms["restraint"]) == pytest.approx([0.0, 6.0], abs=1e-5)
    with pytest.raises(shoal.ArgumentError, match="the first and the last one"):
        shoal.Restraint.centre(2, 0, 3.0)
