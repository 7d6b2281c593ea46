# SPDX-License-Identifier: BSD-3-Clause
# Plots by matplotlib: what is drawn, with which numbers and units.
import sys
import warnings

import numpy as np
import pytest
from made_run import made_run

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

from shoal import ArgumentError, plot  # noqa: E402


@pytest.fixture(autouse=True)
def no_figures_left():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield
    plt.close("all")


class Slab:
    numbers = np.array([11, 17])
    positions = np.array([[0, 0, 0], [2.8, 0, 0.0]])
    cell = np.array([[5.6, 0, 0], [0, 5.6, 0], [0, 0, 20.0]])


def drawn(ax):
    ax.figure.canvas.draw()
    return ax


def test_bars_pile_up_to_the_energy():
    run = made_run(6)
    run.columns["systems/terms"][:, 5:] = 0
    run.columns["systems/energy"][:] = run.columns["systems/terms"].sum(axis=1)
    run.columns["systems/energy"][2] = np.nan
    ax = drawn(plot.energy_terms(run))
    assert ax.get_xlabel() == "energy (eV)" and len(ax.get_yticks()) == 5
    ends = np.zeros(5)
    for container in ax.containers:
        ends += [bar.get_width() for bar in container]
    total = next(line for line in ax.lines if line.get_label() == "total")
    assert np.allclose(total.get_xdata(), ends)
    values = run.columns["systems/terms"][[0, 1, 3, 4, 5]]
    bars = [p for c in ax.containers for p in c]
    reach = (min(b.get_bbox().xmin for b in bars), max(b.get_bbox().xmax for b in bars))
    assert np.allclose(
        reach, (np.minimum(values, 0).sum(axis=1).min(), np.maximum(values, 0).sum(axis=1).max())
    )
    labels = [t.get_text() for t in ax.get_legend().get_texts()]
    assert labels == ["bond", "angle", "torsion", "inversion", "vdw", "total"]


def test_terms_of_many_systems_are_boxes():
    ax = drawn(plot.energy_terms(made_run(100)))
    names = [t.get_text() for t in ax.get_yticklabels()]
    assert names == ["bond", "angle", "torsion", "inversion", "vdw", "surface", "restraint"]
    assert "systems (eV)" in ax.get_xlabel()


def test_histograms():
    run = made_run(300)
    ax = drawn(plot.energies(run, quantity="drop"))
    count = np.isfinite(run.columns["systems/energy"]).sum()
    assert sum(p.get_height() for p in ax.patches) == count
    assert ax.get_xlabel().startswith("energy drop (eV)") and ax.get_ylabel() == "systems"
    assert plot.energies(run, quantity="fmax").get_xscale() == "log"
    far = np.concatenate([np.linspace(0, 1, 1000), [500.0]])
    ax = drawn(plot.energies(far))
    assert "1 beyond" in ax.get_xlabel() and ax.get_xlim()[1] < 3
    with pytest.raises(ArgumentError, match="no adsorption_energy"):
        plot.energies(run, quantity="adsorption_energy")
    with pytest.raises(ArgumentError, match="no finite"):
        plot.energies([np.nan])


def test_relaxations():
    run = made_run(3)
    run.frames = made_run(30, kind="md")
    run.frames.columns["systems/index"] = np.repeat([0, 1, 2], 10)
    ax = drawn(plot.relaxation(run, systems=[0, 2]))
    assert len(ax.lines) == 2 and len(ax.right_ax.lines) == 2
    energy = run.frames.columns["systems/energy"]
    assert np.allclose(ax.lines[1].get_ydata(), energy[20:] - energy[29])
    assert "(eV)" in ax.get_ylabel() and "eV/Å" in ax.right_ax.get_ylabel()
    force = run.frames.columns["systems/fmax"]
    assert np.allclose(ax.right_ax.lines[1].get_ydata(), force[20:])
    assert (ax.get_yscale(), ax.right_ax.get_yscale()) == ("linear", "log")
    with pytest.raises(ArgumentError, match="every=1"):
        plot.relaxation(made_run(3))


def test_trajectories():
    run = made_run(30, kind="md")
    run.columns["systems/index"] = np.repeat([0, 1, 2], 10)
    ax = drawn(plot.trajectory(run, system=1))
    total = next(line for line in ax.lines if line.get_label() == "total")
    want = (run.columns["systems/energy"] + run.columns["systems/kinetic"])[10:20]
    assert np.allclose(total.get_ydata(), want) and ax.get_xlabel() == "time (fs)"
    named = {line.get_label(): line.get_ydata() for line in ax.lines}
    for label, column in (("potential", "energy"), ("kinetic", "kinetic")):
        assert np.allclose(named[label], run.columns[f"systems/{column}"][10:20])
    with pytest.raises(ArgumentError, match="not 7"):
        plot.trajectory(run, system=7)


def test_scans_are_curves_and_maps():
    run = made_run(12, kind="scan")
    ax = drawn(plot.scan(run))
    mesh = ax.collections[0]
    grid = np.asarray(mesh.get_array()).reshape(4, 3)
    energy = run.columns["systems/energy"].reshape(3, 4)
    assert np.allclose(grid.T, energy - energy.min())
    assert ax.get_xlabel() == "torsion 0–1–2–3 (degrees)" and ax.get_ylabel() == "distance 0–1 (Å)"
    run.coordinates, run.points = [("z", np.arange(12.0))], np.arange(12.0)[::-1, None]
    ax = drawn(plot.scan(run, relative=False))
    assert np.allclose(ax.lines[0].get_ydata(), run.columns["systems/energy"][::-1])
    assert ax.get_xlabel() == "z (Å)" and ax.get_ylabel() == "energy (eV)"
    with pytest.raises(ArgumentError, match="no points of a scan"):
        plot.scan(made_run(3))


def test_curves_are_along_the_coordinate_that_changes():
    run = made_run(4, kind="scan")
    run.coordinates = [("x", np.array([1.0])), ("z", np.array([3.0, 4.0, 5.0, 6.0]))]
    run.points = np.array([[1.0, 3.0], [1.0, 4.0], [1.0, 5.0], [1.0, 6.0]])
    ax = drawn(plot.scan(run))
    assert ax.lines[0].get_xdata().tolist() == [3.0, 4.0, 5.0, 6.0] and ax.get_xlabel() == "z (Å)"


def test_quantities_of_histograms():
    run = made_run(9)
    energy = run.columns["systems/energy"]
    atoms = run.columns["systems/natoms"]
    assert np.allclose(plot._quantity(run, "energy_per_atom"), energy / atoms, equal_nan=True)
    assert plot.energies(run, quantity="energy0").get_xlabel() == "energy before (eV)"


def test_sites_lie_in_the_cell():
    run = made_run(9)
    ax = drawn(plot.sites(run, Slab()))
    dots = max(ax.collections, key=lambda c: c.get_zorder())
    at = dots.get_offsets()
    assert len(at) == np.isfinite(run.columns["systems/energy"]).sum()
    assert (at > -1e-4).all() and (at < 5.6).all()
    first = run.columns["atoms/position"][
        run.span(int(np.nanargmin(run.columns["systems/energy"])))
    ].mean(axis=0)
    assert np.allclose(at[-1], first[:2] % 5.6)  # the lowest is drawn last
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["Na", "Cl"]
    with pytest.raises(ArgumentError, match="surface"):
        plot.sites(run)


def test_parity():
    reference = np.linspace(-1, 1, 21)
    model = reference + 0.1
    back = np.arange(21) % 2 == 0
    ax = drawn(plot.parity(reference, model, kept_back=back))
    assert [len(line.get_xdata()) for line in ax.lines[:2]] == [10, 11]
    words = [t.get_text() for t in ax.get_legend().get_texts()]
    assert words == ["fitted: 10, RMSE 0.1 eV", "kept back: 11, RMSE 0.1 eV"]

    class Prediction:
        energy, weight = model, np.where(back, 1.0, 0.0)

    Prediction.reference = reference

    class Validation:
        predicted = model + 0.1

    ax = drawn(plot.parity(Prediction(), cv=Validation()))
    words = [t.get_text() for t in ax.get_legend().get_texts()]
    assert words == ["fitted: 11, RMSE 0.1 eV", "kept back: 11, RMSE 0.2 eV"]
    with pytest.raises(ArgumentError, match="predicted"):
        plot.parity(reference, model[:3])


def test_scans_of_fits():
    class Curve:
        a, b = np.array([1.0, 2.0, 3.0]), None
        objective, slope_a = np.array([3.0, 1.0, 2.0]), np.array([-2.0, 0.0, 1.0])

    ax = drawn(plot.objective(Curve(), names=("O_3 R", "")))
    assert ax.get_xlabel() == "O_3 R" and np.allclose(ax.lines[0].get_ydata(), Curve.objective)
    assert np.allclose(ax.right_ax.lines[0].get_ydata(), Curve.slope_a)
    Curve.b, Curve.objective = np.array([5.0, 6.0]), np.arange(6.0).reshape(3, 2)
    ax = drawn(plot.objective(Curve(), names=("a", "b")))
    assert np.allclose(np.asarray(ax.collections[0].get_array()).ravel(), [0, 2, 4, 1, 3, 5])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("a", "b")


def test_without_matplotlib_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="needs matplotlib: pip install matplotlib"):
        plot.energies([1.0, 2.0])


def test_spectra():
    ax = drawn(plot.spectrum([-50.0, 1000.0, 3000.0], width=20))
    curve = ax.lines[0]
    x, y = curve.get_data()
    assert abs(np.interp(1000, x, y) - 1) < 0.02 and abs(np.interp(1010, x, y) - 0.5) < 0.02
    assert [c.get_label() for c in ax.collections] == ["modes", "imaginary"]
    half = plot.broadened(np.array([0.0, 5.0]), [0.0], [2.0], 10.0, "gaussian")
    assert np.allclose(half, [2, 1])
    with pytest.raises(ArgumentError, match="intensities"):
        plot.spectrum([1.0, 2.0], intensities=[1.0])


def test_axes_that_are_given_are_used():
    _, ax = plt.subplots()
    assert plot.energies(made_run(20), ax=ax) is ax and plot.spectrum([100.0], ax=ax) is ax


def test_plots_of_nothing_say_so():
    run = made_run(3)
    run.columns["systems/fmax"] = np.zeros(3)
    with pytest.raises(ArgumentError, match="fmax above 0"):
        plot.energies(run, quantity="fmax")
    with pytest.raises(ArgumentError, match="kept_back"):
        plot.parity([1.0, 2.0], [1.0, 2.0], kept_back=[True])
    flat = Slab()
    flat.cell = np.diag([5.6, 0, 20.0])
    with pytest.raises(ArgumentError, match="along x and y"):
        plot.sites(made_run(3), flat)
