# SPDX-License-Identifier: BSD-3-Clause
"""Fits from Python have the bits of 'shoal fit', stop in order, and refuse what makes no sense."""

import gc
import importlib.util
import signal
import sys
import threading
import weakref

import numpy as np
import pytest
from program import EXAMPLES, rows_of

import shoal
from shoal import fit
from shoal._lib import ArgumentError, FileError, FormatError

TYPES = EXAMPLES / "fit" / "AtomTypes.dat"
FRAMES = EXAMPLES / "fit" / "dimers.xyz"
DOFS = EXAMPLES / "fit" / "dofs.dat"


def dataset():
    return fit.Dataset(TYPES).add(FRAMES)


def program(*options):
    return rows_of("fit", "-q", "--json", "--types", TYPES, "--data", FRAMES, *options)[0]


def compare_parameters(made, expected):
    """Every number of every parameter, bit for bit."""
    dofs = made.dofs
    assert len(dofs) == len(expected["parameters"])
    for d, e in zip(dofs, expected["parameters"]):
        assert (d["type"], d["comp"], d["atoms"]) == (e["type"], e["comp"], e["atoms"])
        for key in (
            "start",
            "value",
            "error",
            "error_independent",
            "error_bootstrap",
            "low",
            "high",
        ):
            number = np.nan if e[key] is None else e[key]
            assert np.array_equal(d[key], number, equal_nan=True), (d["type"], d["comp"], key)
        assert d["at_bound"] == e["at_bound"] and d["frozen"] == e["frozen"]


def test_same_bits_as_the_program():
    expected = program("--dofs", DOFS, "--cv", 3, "--seed", 7, "--bootstrap", 8, "--starts", 3)
    made = fit.Fit(dataset(), DOFS)
    result = made.run(starts=3, seed=7)
    made.bootstrap(8, seed=7)
    cv = made.cross_validate(3, seed=7, starts=3)
    compare_parameters(made, expected)
    assert result.converged and result.rmse == expected["rmse"]
    assert result.rmse_before == expected["rmse_before"]
    assert result.objective == expected["objective"] and result.steps == expected["steps"]
    assert result.same_optimum == expected["same_optimum"]
    assert cv.rmse == expected["cv_rmse"] and cv.median == expected["cv_median"]
    assert cv.folds["rmse"].tolist() == [f["rmse"] for f in expected["folds"]]
    assert cv.dimers["name"][0] == expected["worst"][0]["dimer"]
    assert np.sqrt(np.mean(cv.error**2)) == pytest.approx(cv.rmse)


OPTIONS = [
    (
        {"model": "lj", "hbond": "both", "pool": 0, "method": "lbfgs"},
        ["--model", "lj", "--hbond", "both", "--pool", 0, "--method", "lbfgs"],
    ),
    (
        {
            "model": "exp6",
            "alpha": 11.5,
            "coulomb": "erf",
            "damping": 0.5,
            "fit_lambda": True,
            "fit_radius_charge": True,
            "clamp": (0.2, 0.5),
            "tether": 0.001,
        },
        [
            "--model",
            "exp6",
            "--alpha",
            11.5,
            "--coulomb",
            "erf",
            "--damping",
            0.5,
            "--fit-lambda",
            "--fit-radius-charge",
            "--clamp",
            "0.2,0.5",
            "--tether",
            0.001,
        ],
    ),
    ({"model": "best"}, ["--model", "best"]),
    (
        {
            "model": "E0*((1+H)*exp(-2*b*(r-R0)) - 2*exp(-b*(r-R0))) + kC*Q/r",
            "constants": {"b": 1.7},
        },
        ["--model", "E0*((1+H)*exp(-2*b*(r-R0)) - 2*exp(-b*(r-R0))) + kC*Q/r", "--const", "b=1.7"],
    ),
]


@pytest.mark.parametrize("keywords, options", OPTIONS, ids=["lj", "exp6", "best", "formula"])
def test_options_mean_what_those_of_the_program_mean(keywords, options):
    keywords = dict(keywords)
    expected = program("--dofs", DOFS, "--max-steps", 20, *options)
    method = keywords.pop("method", "lm")
    made = fit.Fit(dataset(), DOFS, **keywords)
    assert made.run(method=method, max_steps=20).rmse == expected["rmse"]
    compare_parameters(made, expected)


def test_pool_sites_increments_weights_and_columns(tmp_path):
    made = fit.Fit(dataset(), DOFS, pool="auto", fit_increments=True)
    made.run()
    compare_parameters(made, program("--dofs", DOFS, "--pool", "auto", "--increments"))
    weights = np.linspace(0.5, 2, 136)
    (tmp_path / "weights").write_text("\n".join(map(repr, weights.tolist())))
    data = dataset().auto_sites().weigh(weights).weigh_curves(1.5)
    made = fit.Fit(data, DOFS, fit_site_charges=True)
    made.run()
    options = ["--sites", "auto", "--fit-site-charges", "--curve-weights", 1.5]
    compare_parameters(made, program("--dofs", DOFS, *options, "--weights", tmp_path / "weights"))
    formula = "E0*((1+H)*exp(-(decayi+decayj)*(r-R0)) - 2*(R0/r)^6) + kC*Q/r"
    own = [EXAMPLES / "fit" / name for name in ("columns.dat", "columns-dofs.dat")]
    made = fit.Fit(fit.Dataset(own[0]).add(FRAMES), own[1], formula, columns=["decay"])
    made.run()
    words = ["--types", own[0], "--data", FRAMES, "--dofs", own[1], "--column", "decay"]
    compare_parameters(made, rows_of("fit", "-q", "--json", *words, "--model", formula)[0])


def test_predictions_add_up():
    made = fit.Fit(dataset(), DOFS)
    made.run()
    p = made.predict()
    assert np.allclose(p.coulomb + p.vdw + p.hbond + p.site, p.energy, atol=1e-15)
    assert p.rmse == pytest.approx(made.result.rmse, rel=1e-12)
    assert np.array_equal(p.reference, made.data.reference)
    assert p.coulomb.any() and p.vdw.any() and p.hbond.any() and not p.site.any()


def test_gradient_is_that_of_the_objective():
    made = fit.Fit(dataset(), DOFS, pool=0)
    j, slopes = made.objective(gradient=True)
    h = 1e-5
    made.set_value("H_O.R", 1.443 + h)
    up = made.objective()
    made.set_value(3, 1.443 - h)
    assert (up - made.objective()) / (2 * h) == pytest.approx(slopes[3], rel=1e-6)
    made.values = made.dofs["start"]
    assert made.objective() == j
    checks = made.check_derivatives()
    assert [c.verdict for c in checks] == ["ok"] * len(made)
    assert made.check_derivatives("H_O.R")[0].analytic == slopes[3]


def test_dofs_as_file_text_rows_and_objects():
    text = DOFS.read_text()
    rows = [line.split() for line in text.splitlines() if not line.startswith("#")]
    rows = [[r[0], r[1], *map(float, r[2:])] for r in rows]
    objects = [fit.Dof(r[0], r[1], min=r[2], max=r[3], start=r[9]) for r in rows]
    data = dataset()
    values = [fit.Fit(data, d).run().objective for d in (DOFS, text, rows, objects)]
    assert len(set(values)) == 1
    with pytest.raises(FormatError, match="dofs:2"):
        fit.Fit(data, [objects[0], "O_3 R"])


def test_weights_and_sets():
    data = dataset()
    weights = np.ones(len(data))
    weights[3] = -1.0
    weights[4] = 2.0
    data.weigh(weights)
    assert data.samples["weight"][3] <= 0
    assert data.samples["weight"][4] == 2 * data.samples["weight"][5]
    two = dataset().add(FRAMES, weight=2.0).weigh_curves(2.0)
    assert [s.weight for s in two.sets] == [1.0, 2.0] and len(two) == 2 * len(data)
    assert two.sets[1].first == len(data) and two.n_sets == 2
    with pytest.raises(ArgumentError, match="belongs to a fit"):
        fit.Fit(two, DOFS)
        two.add(FRAMES)


def test_table_and_frames_from_memory():
    data = fit.Dataset(TYPES.read_text()).add(FRAMES.read_text())
    assert np.array_equal(data.samples, dataset().samples)


def test_labels_that_the_engine_would_call_otherwise(tmp_path):
    assert dataset().check_labels()
    frames = tmp_path / "odd.xyz"
    frames.write_text(FRAMES.read_text().replace("H_C3", "H_O"))
    found = fit.Dataset(TYPES).add(frames).check_labels()
    assert not found and found.differences[0][:2] == ("H_O", "H_C3")


def test_prepare(tmp_path):
    names = {k: tmp_path / k for k in ("frames", "types", "dofs")}
    made = fit.prepare(FRAMES, **names)
    assert (made.n_frames, made.n_left_out, made.n_types) == (136, 0, 4)
    assert fit.Fit(made.dataset(), made.dofs).run().converged


def test_scan_of_the_objective(tmp_path):
    made = fit.Fit(dataset(), DOFS)
    made.run()
    at = made.values[0]
    curve = made.scan("O_3.R", [at - 0.01, at, at + 0.01], plot=tmp_path / "x.svg")
    assert curve.objective[1] == min(curve.objective) == pytest.approx(made.objective(), rel=1e-9)
    assert np.allclose(curve.slope_a, curve.numeric_a, atol=1e-6)
    grid = made.scan(0, [at, at + 0.01], "O_3.E", [0.005, 0.006, 0.007])
    assert grid.objective.shape == (2, 3) and grid.slope_b.shape == (2, 3)
    assert (tmp_path / "x.svg").read_text().startswith("<svg")
    pytest.importorskip("matplotlib").use("Agg")
    made.scan("O_3.R", [at - 0.01, at, at + 0.01], plot=tmp_path / "x.png")
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")


def test_figures_are_refused_before_the_work(tmp_path, monkeypatch):
    made = fit.Fit(dataset(), DOFS)

    def work(*_):
        raise AssertionError("it had begun")

    monkeypatch.setattr(shoal.fit.lib, "shoal_fit_scan_point", work)
    monkeypatch.setattr(shoal.fit.lib, "shoal_fit_plot", work)
    with pytest.raises(ArgumentError, match="prefix: expected how the names of all figures begin"):
        made.plot(tmp_path / "x.png")
    if importlib.util.find_spec("matplotlib"):
        with pytest.raises(ArgumentError, match="plot: expected a name with one of .*'png'"):
            made.scan("O_3.R", [1, 2], plot=tmp_path / "x.frob")
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="needs matplotlib"):
        made.scan("O_3.R", [1, 2], plot=tmp_path / "x.png")


def test_files(tmp_path):
    made = fit.Fit(dataset(), DOFS)
    made.run()
    cv = made.cross_validate(2)
    made.write_dofs(tmp_path / "dofs.csv")
    made.write_samples(tmp_path / "samples.csv", cv)
    made.write_trajectory(tmp_path / "trajectory.csv")
    made.plot(tmp_path / "figure", cv)
    made.write(tmp_path / "model.dat")
    assert len((tmp_path / "samples.csv").read_text().splitlines()) == len(made.data) + 1
    assert (tmp_path / "figure-scatter.svg").exists()
    again = fit.Fit(fit.Dataset(tmp_path / "model.dat").add(FRAMES), None)
    assert np.allclose(again.predict().energy, made.predict().energy, atol=1e-12)
    made.cross_validate(2)
    with pytest.raises(ArgumentError, match="last cross-validation"):
        made.plot(tmp_path / "figure", cv)


def test_pair_model_computes_what_was_fitted():
    made = fit.Fit(dataset(), DOFS, fit_lambda=True)
    made.run()
    model = made.pair_model()

    def energy(**keywords):
        batch = shoal.Batch(FRAMES, params=model, charges="file", device="cpu", **keywords)
        return batch.energy(forces=False).energy

    first, second = (energy(typing=shoal.Typing(fragment=k)) for k in (1, 2))
    between = energy() - first - second
    assert np.allclose(between, made.predict().energy, atol=1e-12)
    evaluated = fit.Fit.of_model(fit.Dataset(model).add(FRAMES), model)
    assert np.allclose(evaluated.predict().energy, made.predict().energy, atol=1e-13)
    before = evaluated.values.tolist()
    for call in (evaluated.run, evaluated.cross_validate, evaluated.bootstrap):
        with pytest.raises(ArgumentError, match="no parameters to move"):
            call()
    assert evaluated.values.tolist() == before


def test_numbers_that_mean_nothing_are_refused():
    for name, value in (("tether", -1.0), ("threads", -1)):
        with pytest.raises(ArgumentError, match=name):
            fit.Fit(dataset(), DOFS, **{name: value})
    made = fit.Fit(dataset(), DOFS)
    for name, value in (("starts", 0), ("seed", -1), ("max_steps", -1)):
        with pytest.raises(ArgumentError, match=name):
            made.run(**{name: value})


def interrupt(after):
    thread = threading.Timer(
        after, signal.pthread_kill, [threading.main_thread().ident, signal.SIGINT]
    )
    thread.start()
    return thread


def test_ctrl_c_ends_a_run_with_the_best_so_far():
    made = fit.Fit(dataset(), DOFS, threads=1)
    timer = interrupt(0.3)
    with pytest.raises(KeyboardInterrupt) as caught:
        made.run(starts=300000)
    timer.join()
    assert caught.value.results.stopped and caught.value.results.rmse < 0.001
    assert made.result is caught.value.results


def test_ctrl_c_ends_a_bootstrap():
    made = fit.Fit(dataset(), DOFS, threads=1)
    made.run()
    timer = interrupt(0.3)
    with pytest.raises(KeyboardInterrupt):
        made.bootstrap(300000)
    timer.join()
    assert np.isnan(made.dofs["error_bootstrap"]).all()


def test_monitor_sees_steps_and_stops():
    seen = []
    made = fit.Fit(dataset(), DOFS)
    result = made.run(monitor=lambda step, rmse: (seen.append((step, rmse)), len(seen) < 4)[1])
    assert len(seen) == 4 and result.stopped and not result.converged
    assert seen[-1][1] < seen[0][1]
    with pytest.raises(ZeroDivisionError):
        made.run(monitor=lambda step, rmse: 1 / 0)


def test_runs_on_other_threads():
    made = fit.Fit(dataset(), DOFS)
    thread = threading.Thread(target=made.run)
    thread.start()
    thread.join()
    assert made.result.converged


def test_data_outlive_their_fit():
    data = dataset()
    gone = weakref.ref(data)
    made = fit.Fit(data, DOFS)
    del data
    gc.collect()
    assert gone() is not None and made.run().converged
    del made
    gc.collect()
    assert gone() is None


WRONG = [
    ({"model": "morsel"}, "morsel"),
    ({"hbond": "some"}, "hbond 'some': expected repulsion"),
    ({"damping": 1.0}, "damping"),
    ({"precision": "float"}, "precision"),
    ({"pool": -1.0}, "pool"),
    ({"alpha": 0.0}, "alpha"),
    ({"model": "lj", "alpha": 1.6}, "alpha"),
    ({"evaluator": "abacus"}, "abacus"),
]


@pytest.mark.parametrize("keywords, text", WRONG)
def test_what_makes_no_sense_is_refused(keywords, text):
    with pytest.raises(Exception, match=text) as caught:
        fit.Fit(dataset(), DOFS, **keywords)
    assert isinstance(caught.value, ValueError) or "abacus" in text


def test_errors_name_the_file():
    with pytest.raises(FileError, match="missing.dat"):
        fit.Dataset("missing.dat")
    with pytest.raises(ArgumentError, match="types"):
        fit.Dataset(3)
    made = fit.Fit(dataset(), DOFS)
    with pytest.raises(ArgumentError, match="no such parameter"):
        made.set_value("O_3.X", 1.0)
    with pytest.raises(ArgumentError, match="method"):
        made.run(method="newton")
    with pytest.raises(ArgumentError, match="folds"):
        made.cross_validate(1)


def test_repr():
    made = fit.Fit(dataset(), DOFS)
    assert repr(made) == (
        "Fit(morse, 136 samples of 17 dimers, 9 of 9 parameters free, by moments)"
    )
    assert "O_3" in str(made)


def test_going_on(tmp_path):
    """A model is where another fit goes on; start values stay."""
    one = fit.Fit(dataset(), DOFS, fit_lambda=True)
    done = one.run()
    one.write(tmp_path / "model.dat")
    two = fit.Fit(dataset(), DOFS, fit_lambda=True)
    assert two.start_from(shoal.PairModel.read(tmp_path / "model.dat")) == len(two.dofs)
    assert two.run().rmse_before == pytest.approx(done.rmse, rel=1e-9)
    assert list(two.dofs["start"]) == list(one.dofs["start"])


def test_without_regularization():
    free = fit.Fit(dataset(), DOFS, regularize=False)
    result = free.run()
    assert result.objective == pytest.approx(0.5 * result.rmse**2, rel=1e-9)
    assert not result.stalled
    with pytest.raises(ArgumentError, match="regularize"):
        fit.Fit(dataset(), DOFS, regularize=False, pool=3.0)


def test_energies_in_kcal():
    ev = fit.Fit(dataset(), DOFS)
    kcal = fit.Dataset(TYPES).add(FRAMES, units="kcal")
    ratio = fit.Fit(kcal, DOFS).predict().reference / ev.predict().reference
    assert ratio == pytest.approx(0.0433641042418)
    with pytest.raises(ArgumentError, match="units"):
        fit.Dataset(TYPES).add(FRAMES, units="barrel")


def test_keep(tmp_path):
    """A fit that was stopped goes on from its checkpoint with the same bits."""
    path = tmp_path / "fit.checkpoint"
    whole = fit.Fit(dataset(), DOFS)
    whole.run(method="lbfgs")
    one = fit.Fit(dataset(), DOFS)
    assert one.keep(path, resume=True) is False
    one.run(method="lbfgs", monitor=lambda step, _: step < 5)
    one.kept(complete=False)
    assert path.exists()
    two = fit.Fit(dataset(), DOFS)
    assert two.keep(path, resume=True) is True
    two.run(method="lbfgs")
    two.kept()
    assert not path.exists()
    assert list(two.values) == list(whole.values) != list(one.values)
