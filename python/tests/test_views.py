# SPDX-License-Identifier: BSD-3-Clause
# Plots, pages and pictures of runs in rare states; numbers by hand from runs that nobody computed.
import argparse
import base64
import json

import numpy as np
import pytest
from made_run import SHAPES, made_run
from program import EXAMPLES

import shoal
from shoal import ArgumentError, chemiscope, picture, report
from shoal.view import view


@pytest.fixture
def plot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as figures

    from shoal import plot as found

    yield found
    figures.close("all")


def test_plots_that_cannot_be_drawn(plot):
    run = made_run(12, kind="scan")
    three = made_run(12, kind="scan")
    three.coordinates = [(name, np.arange(2.0)) for name in "xyz"]
    none = made_run(3)
    none.columns["systems/energy"][:] = np.nan
    for call, words in (
        (lambda: plot.energies(run, quantity="mass"), "quantity: expected one of energy, .*'mass'"),
        (lambda: plot.trajectory(made_run(3)), "no frames of dynamics"),
        (lambda: plot.scan(run, molecule=1), "molecule: there are 1, not 1"),
        (lambda: plot.scan(three), "one or two coordinates can be drawn, not 3"),
        (lambda: plot.sites(none, shoal.Surface.graphene()), "no systems with energies"),
        (lambda: plot.parity([1.0], [1.0], limit=0.5), "no samples to draw"),
        (lambda: plot.parity(7), "expected a Fit, a Prediction"),
        (lambda: plot.spectrum([]), "this system has no modes"),
        (lambda: plot.spectrum([1.0], width=-1), "a width of 0 or more"),
        (lambda: plot.spectrum([1.0], shape="box"), "lorentzian or gaussian"),
    ):
        with pytest.raises(ArgumentError, match=words):
            call()


def test_limits_bins_and_diagonals(plot):
    reference = np.array([-1.0, 0.5, 3.0])
    ax = plot.parity(reference, reference + 0.25, limit=0.5)
    assert ax.lines[0].get_xdata().tolist() == [-1.0, 0.5]  # the limit itself is drawn
    assert [list(x) for x in ax.lines[-1].get_data()] == [[-1.0, 0.75]] * 2
    ax = plot.spectrum([500.0], width=0)
    assert not ax.lines and len(ax.collections) == 1
    run = made_run(40)
    run.columns["systems/fmax"] = np.geomspace(1e-4, 1e-2, 40)
    ax = plot.energies(run, quantity="fmax")
    assert len(ax.patches) == 30 and sum(p.get_height() for p in ax.patches) == 40
    assert ax.patches[0].get_x() == pytest.approx(1e-4)
    assert ax.patches[-1].get_x() + ax.patches[-1].get_width() == pytest.approx(1.0001e-2)
    values, bins, beyond = plot._gathered(np.arange(1000.0))
    assert len(bins) == 2 * 10 + 4 and (bins[0], beyond[0]) == (0.0, 0)
    assert bins[-1] == values.max() == 999.0
    values, bins, beyond = plot._gathered(np.append(np.arange(1000.0) / 999, 500.0))
    most = np.quantile(np.append(np.arange(1000.0) / 999, 500.0), [0.99, 0.995])
    assert beyond == (1, pytest.approx(most[1] + 0.3 * most[0])) and len(bins) == 24
    assert len(plot._gathered(np.arange(1e5))[1]) == 60


def test_plots_of_results_are_those_of_the_module(plot, monkeypatch):
    seen = []
    names = ("energy_terms", "energies", "relaxation", "trajectory", "scan", "spectrum")
    for name in (*names, "sites"):
        monkeypatch.setattr(plot, name, lambda *a, _name=name, **k: seen.append((_name, a, k)))
    plots = plot.Plots("run")
    for name in names:
        getattr(plots, name)(ax=7)
    plots.sites("salt", max_sites=3)
    assert seen[:-1] == [(name, ("run",), {"ax": 7}) for name in names]
    assert seen[-1] == ("sites", ("run", "salt"), {"max_sites": 3})


def test_molecules_of_views():
    run = made_run(30, kind="md")
    assert run.molecule_of().tolist() == sorted([0, 1, 2] * 10)
    run.columns["systems/record"] = np.zeros(30, int)
    run.columns["systems/variant"] = np.repeat([0, 1, 2], 10)  # copies of one molecule
    assert run.molecule_of().tolist() == sorted([0, 1, 2] * 10)
    del run.columns["systems/time"]
    assert not run.molecule_of().any()
    assert made_run(0).molecule_of().shape == (0,)
    for options in ("no JSON", "[1]", ""):
        run.header["options"] = options
        assert run.said() == run.options() == {}
    with pytest.raises(TypeError):
        view(7)


def numbers(text, kind):
    return np.frombuffer(base64.b64decode(text), dtype=kind)


def test_substrates_of_files(tmp_path):
    """Beside the file of results; without what lies deep, and without layers that move."""
    shoal.Surface.rocksalt("NaCl", size=(1, 1), layers=6).write(tmp_path / "salt.xyz")
    run = made_run(3, surface="salt.xyz")
    run.path = str(tmp_path / "run.h5")
    made, note = report._substrate(run, None)
    z = numbers(made["positions"], "<f4").reshape(-1, 3)[:, 2]
    assert note == "" and not made["movable"] and len(np.unique(z.round(1))) == 5
    assert z.max() == 0 and z.min() > -12
    run.header["options"] = json.dumps({"options": {"surface": "salt.xyz", "movable-layers": 2}})
    made, _ = report._substrate(run, None)
    below = numbers(made["positions"], "<f4").reshape(-1, 3)[:, 2]
    assert made["movable"] and len(below) == len(z) * 3 / 5 and below.max() < -5
    (tmp_path / "salt.xyz").write_text("no frames")
    made, note = report._substrate(run, None)
    assert made is None and note.startswith("The substrate is not drawn: ")
    assert report._substrate(run, False) == (None, "")


def test_small_things_of_pages():
    assert np.isnan(report._number("many")) and np.isnan(report._number(None))
    assert report._number("2.5") == 2.5
    made = report._column("fmax", "force", "eV/A", 4, "why", np.array([0.5, np.nan]))
    told = {k: made[k] for k in ("key", "label", "unit", "digits", "why", "kind", "finite")}
    assert list(told.values()) == ["fmax", "force", "eV/A", 4, "why", "f4", True]
    assert numbers(made["data"], "<f4")[0] == 0.5
    rows = report._table(made_run(3), np.arange(3))["columns"]
    table = {c["key"]: (c["label"], c["unit"]) for c in rows}
    assert table["energy"][1] == table["energy0"][1] == "eV" and table["fmax"][1] == "eV/Å"
    run = made_run(30, kind="md")
    rows = np.arange(30)
    assert report._groups(run, rows) == {"kind": "trajectory", "starts": [0, 10, 20]}
    assert report._groups(run, rows[::10]) is None  # a frame of each
    assert report._groups(made_run(3), np.arange(3)) is None
    scan = made_run(12, kind="scan")
    assert report._groups(scan, np.arange(12)) == {"kind": "variants", "starts": [0]}
    assert report._count("0") == 0 and report._count("1", 1) == 1
    for text, least in (("-1", 0), ("0", 1), ("x", 0)):
        with pytest.raises(argparse.ArgumentTypeError, match=f"{least} or more, not '{text}'"):
            report._count(text, least)
    for limits in ({"max_structures": -1}, {"max_rows": 0}):
        with pytest.raises(ValueError, match="at least 0 and max_rows at least 1"):
            report.write(made_run(3), "never.html", **limits)


def test_crystals_and_failures_for_chemiscope(tmp_path):
    run = made_run(3)
    run.columns["systems/cell"][:] = [5, 0, 0, 0, 6, 0, 0, 0, 7]
    run.columns["systems/pbc"] = np.array([[1, 1, 1], [1, 1, 0], [0, 0, 0]], np.uint8)
    run.columns["bonds/order"][:6] = [1, 2, 3, 4, 1, 2]
    found = chemiscope.to_chemiscope(run)["structures"]
    assert [b[2] for b in found[0]["bonds"]] == [1, 2]
    assert [b[2] for b in found[1]["bonds"]] == [3, 1, 1, 2]  # aromatic ones as single ones
    assert found[0]["cell"] == [5, 0, 0, 0, 6, 0, 0, 0, 7]
    assert "cell" not in found[1] and "cell" not in found[2]
    (tmp_path / "a.json").mkdir()
    with pytest.raises(OSError):
        chemiscope.to_chemiscope(run, tmp_path / "a.json")
    assert [p.name for p in tmp_path.iterdir()] == ["a.json"]  # no half of a file is left


def test_drawings_fill_their_frame():
    """Along x and along y, up to 46 px per angstrom; bonds into another cell are left out."""
    z, at, bonds = SHAPES[0]

    def circles(svg):
        words = [w.split('"') for w in svg.split("<circle")[1:]]
        return np.array([[float(w[1]), float(w[3])] for w in words])

    far = np.array([[0.0, 0, 0], [40, 0, 0], [0, 25, 0], [40, 25, 0]])
    spread = np.ptp(circles(picture.svg([6] * 4, far)), axis=0)
    assert spread == pytest.approx([40 * 6.9, 25 * 6.9], abs=0.2)  # (320 - 44) / 40
    high = np.array([[0.0, 0, 0], [40, 0, 0], [0, 39, 0], [40, 39, 0]])
    spread = np.ptp(circles(picture.svg([6] * 4, high)), axis=0)
    assert spread.max() <= 277 and spread[1] == pytest.approx(220 - 44, abs=0.2)
    near = circles(picture.svg([6, 6], [[0, 0, 0], [1.5, 0, 0]]))
    assert np.ptp(near[:, 0]) == pytest.approx(1.5 * 46, abs=0.2)
    pair = [[0, 0, 0], [3.3, 0, 0]], [[0, 0, 0], [3.5, 0, 0]]
    drawn = [picture.svg([6, 6], p, [(0, 1)]).count("<path") for p in pair]
    assert drawn == [2, 0] and picture.svg(z, at, [(0, 0)]).count("<path") == 0


def test_a_file_of_points_that_follow_has_them_in_the_order_of_the_grid(tmp_path):
    made = shoal.Batch(EXAMPLES / "butane.sdf", device="cpu").scan(
        "torsion:0,1,2,3=60:180:n3",
        "distance:0,1=1.5:1.6:n2",
        relaxed=True,
        follow=True,
        max_steps=2,
        save=tmp_path / "scan.h5",
    )
    seen = view(tmp_path / "scan.h5")
    assert np.array_equal(seen.points, made.points)
    assert made.points[:, 1].tolist() == [1.5, 1.6] * 3
