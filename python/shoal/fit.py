# SPDX-License-Identifier: BSD-3-Clause
"""Fits of non-covalent parameters of atom types to interaction energies of rigid dimers.

Energies are in eV, lengths in angstrom, charges in e. docs/fitting.md explains models, files of
parameters and what the numbers mean; this module is `shoal fit` for programs.

>>> import shoal
>>> data = shoal.fit.Dataset("examples/fit/AtomTypes.dat").add("examples/fit/dimers.xyz")
>>> fit = shoal.fit.Fit(data, "examples/fit/dofs.dat", model="morse")
>>> fit.run().converged
True
>>> batch = shoal.Batch("examples/fit/dimers.xyz", params=fit.pair_model(), charges="file")
>>> len(batch.energy())
136
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from . import _abi
from ._handle import whole
from ._lib import ArgumentError, check, lib
from .dataset import Dataset, LabelCheck, Prepared, SetInfo, choose, is_text, prepare
from .fit_bonded import BondedFit, BondedParameter, BondedResult
from .fit_results import (
    CrossValidation,
    DerivativeCheck,
    Dof,
    FitResult,
    Prediction,
    ScanCurve,
    dof_text,
)
from .plot import check_path, objective, save

__all__ = [
    "BondedFit",
    "BondedParameter",
    "BondedResult",
    "CrossValidation",
    "Dataset",
    "DerivativeCheck",
    "Dof",
    "Fit",
    "FitResult",
    "LabelCheck",
    "Prediction",
    "Prepared",
    "ScanCurve",
    "SetInfo",
    "prepare",
]

_HBONDS = {
    "repulsion": _abi.SHOAL_HBOND_REPULSION,
    "attraction": _abi.SHOAL_HBOND_ATTRACTION,
    "both": _abi.SHOAL_HBOND_BOTH,
    "none": _abi.SHOAL_HBOND_NONE,
}
_KERNELS = {
    "plain": _abi.SHOAL_COULOMB_PLAIN,
    "clamp": _abi.SHOAL_COULOMB_CLAMP,
    "smooth": _abi.SHOAL_COULOMB_SMOOTH,
    "damped": _abi.SHOAL_COULOMB_DAMPED,
    "erf": _abi.SHOAL_COULOMB_ERF,
    "none": _abi.SHOAL_COULOMB_NONE,
}
_METHODS = {"lm": _abi.SHOAL_FIT_LM, "lbfgs": _abi.SHOAL_FIT_LBFGS, "fire": _abi.SHOAL_FIT_FIRE}

# Asked at every step from any thread whether to stop: C's strlen of the flag, which is an empty
# text until Ctrl-C makes it one of length 1. A Python function would have to wait for the GIL.
_IS_SET = ctypes.cast(ctypes.CDLL(None).strlen, _abi.shoal_fit_stop)

_DOF_TYPE = np.dtype(
    [
        ("type", "U24"),
        ("comp", "U32"),
        ("atoms", np.int32),
        ("start", float),
        ("value", float),
        ("min", float),
        ("max", float),
        ("error", float),
        ("error_independent", float),
        ("error_bootstrap", float),
        ("low", float),
        ("high", float),
        ("frozen", bool),
        ("at_bound", bool),
        ("why", "U96"),
    ]
)


def _destroy(handle: ctypes.c_void_p, _data: Dataset) -> None:
    """A fit goes before the data that it borrows, which this call holds."""
    lib.shoal_fit_destroy(handle)


def _numbers(address: int | None, n: int) -> np.ndarray:
    """A copy of n doubles of the library."""
    if not address or n == 0:
        return np.full(n, np.nan)
    return np.ctypeslib.as_array((ctypes.c_double * n).from_address(address)).copy()


class Fit:
    """A model, a data set, and the parameters to fit.

    dofs: the path of a file of parameters, its text, or a list of Dof, of rows (type, comp, min,
    max, ..) or of lines; None: nothing is fitted, the model is evaluated. Keywords:

    model: morse, lj, lj8, lj9, buck, exp6, morse6, buck6, exp6-sites, exp6-full (best), or a
    formula; alpha (1/angstrom, or without unit), constants {"b": 0.5} and columns ["A"] of a
    formula; hbond: repulsion, attraction, both, none; coulomb: plain, clamp, smooth, damped, erf,
    none with its damping (angstrom); site_model: sr, sr2, sr3; clamp: (from, to) in eV, where
    residuals are bent; pool: strength of the prior that types of one element are alike (1; 0: none;
    "auto": by cross-validation); tether: pull to the start values, (kcal/mol)^2; regularize=False:
    neither, and no walls and pulls of dofs; evaluator: auto,
    moments, pairs, opencl, opencl:WHICH; precision: of opencl, double or float; threads 0: all;
    strict: what the model would ignore is refused. All fit_.. add parameters that need no line.

    Sites and increments that the model needs are put into the data set.
    """

    def __init__(
        self,
        data: Dataset,
        dofs: str | os.PathLike | Sequence[Any] | None,
        model: str = "morse",
        *,
        alpha: float | None = None,
        constants: Mapping[str, float] | None = None,
        columns: Sequence[str] | None = None,
        hbond: str = "repulsion",
        coulomb: str = "plain",
        damping: float | None = None,
        site_model: str | None = None,
        type_charges: bool = False,
        neutral: bool = False,
        fit_lambda: bool = False,
        fit_alpha: bool = False,
        radius_charge: float = 0.0,
        fit_radius_charge: bool = False,
        dispersion_damping: float | None = None,
        fit_dispersion_damping: bool = False,
        fit_damping: bool = False,
        fit_site_charges: bool = False,
        fit_increments: bool = False,
        components: bool = False,
        clamp: tuple[float, float] | None = None,
        pool: float | str = 1.0,
        tether: float = 0.0,
        regularize: bool = True,
        evaluator: str = "auto",
        precision: str = "double",
        threads: int = 0,
        strict: bool = True,
    ) -> None:
        if damping is not None and coulomb not in ("damped", "erf"):
            raise ArgumentError('damping: belongs to coulomb "damped" or "erf"')
        if precision == "float" and not evaluator.startswith("opencl"):
            raise ArgumentError('precision "float": belongs to evaluator "opencl"')
        if not tether >= 0:
            raise ArgumentError(f"tether {tether!r}: expected a number, 0 or more")
        if not regularize and pool not in (0.0, 1.0):
            raise ArgumentError(f"pool {pool!r}: goes with regularize=True alone")
        if pool != "auto" and (isinstance(pool, str) or not pool >= 0):
            raise ArgumentError(f'pool {pool!r}: expected a number, 0 or more, or "auto"')
        for name, value in (
            ("alpha", alpha),
            ("damping", damping),
            ("dispersion_damping", dispersion_damping),
        ):
            if value is not None and not value > 0:
                raise ArgumentError(f"{name} {value!r}: expected a number above 0")
        options = _abi.shoal_fit_options(
            model=b"exp6-full" if model == "best" else model.encode(),
            alpha=alpha or 0.0,
            constants=_words(f"{k}={float(v)!r}" for k, v in (constants or {}).items()),
            columns=_words(columns or ()),
            hbond=choose("hbond", hbond, _HBONDS),
            coulomb=choose("coulomb", coulomb, _KERNELS),
            coulomb_damping=damping or 1.0,
            site_model=site_model.encode() if site_model else None,
            type_charges=type_charges,
            neutral=neutral,
            fit_lambda=fit_lambda,
            fit_alpha=fit_alpha,
            radius_charge=radius_charge,
            fit_radius_charge=fit_radius_charge,
            dispersion_damping=dispersion_damping or 0.0,
            fit_dispersion_damping=fit_dispersion_damping,
            fit_coulomb_damping=fit_damping,
            fit_site_charges=fit_site_charges,
            fit_increments=fit_increments,
            components=components,
            clamp_from=clamp[0] if clamp else 0.0,
            clamp_to=clamp[1] if clamp else 0.0,
            # of C: 0 is 1, < 0 is none
            pool=0.0 if pool == "auto" or not regularize else float(pool) or -1.0,
            tether=tether,
            unregularized=not regularize,
            evaluator=None if evaluator == "auto" else evaluator.encode(),
            single=choose("precision", precision, {"double": 0, "float": 1}) == 1,
            n_threads=whole("threads", threads, 0),
            strict=strict,
        )
        if not data._fits:  # others evaluate what is there
            check(lib.shoal_dataset_complete(data._ptr, ctypes.byref(options)))
        self._own(_create(data, dofs, options), data, model)
        self._evaluates = dofs is None
        if pool == "auto":
            self.choose_pool()

    def start_from(self, model: Any) -> int:
        """Goes on from the values of a pair model; how many parameters it had.

        Start values, which tethers pull to and folds begin from, stay as they are.
        """
        taken = ctypes.c_int32()
        check(lib.shoal_fit_start_from(self._ptr, model._ptr, ctypes.byref(taken)))
        return taken.value

    def keep(
        self, checkpoint: str | os.PathLike, *, every: float = 60.0, resume: bool = False
    ) -> bool:
        """Writes a checkpoint every so often (seconds); whether it goes on with an earlier one.

        Runs, cross-validations and bootstraps that were stopped begin where they were if they are
        called in the same order, and end with the same bits. kept() ends it.
        """
        restart = _abi.shoal_fit_restart(
            checkpoint=os.fsencode(checkpoint), seconds=every, resume=resume
        )
        resumed = ctypes.c_bool()
        check(lib.shoal_fit_keep(self._ptr, ctypes.byref(restart), ctypes.byref(resumed)))
        return resumed.value

    def kept(self, complete: bool = True) -> None:
        """Removes the checkpoint of what is complete, or writes the last one."""
        check(lib.shoal_fit_keep_end(self._ptr, complete))

    @classmethod
    def of_model(cls, data: Dataset, model: Any, threads: int = 0) -> Fit:
        """A pair model to be evaluated on data: nothing is fitted.

        The data set has been made with the types of the model (Dataset(model)) and has no sites;
        those of the model are put into it.
        """
        handle = ctypes.c_void_p()
        check(lib.shoal_fit_create_model(ctypes.byref(handle), data._change(), model._ptr, threads))
        self = cls.__new__(cls)
        self._own(handle, data, "pair model")
        self._evaluates = True
        return self

    def _own(self, handle: ctypes.c_void_p, data: Dataset, model: str) -> None:
        self._ptr = handle
        self._finalizer = weakref.finalize(self, _destroy, handle, data)
        self._lock = threading.Lock()
        self._cv: CrossValidation | None = None
        data._fits += 1
        self.data = data
        self.model = model
        self.result: FitResult | None = None

    # --- long calls ---------------------------------------------------------------------------

    def _guard(self, call: Callable[[ctypes.c_void_p], int]) -> bool:
        """Makes a long call with the address of its flag to stop; true if Ctrl-C ended it early.

        On the main thread, the call is made by another one: signals reach Python while the main
        thread waits in Python, and then raise the flag.
        """
        if self._evaluates:
            raise ArgumentError("this fit has no parameters to move: expected dofs of Fit()")
        flag = ctypes.create_string_buffer(2)
        address = ctypes.cast(flag, ctypes.c_void_p)
        failure: list[BaseException] = []
        done = threading.Event()  # Thread.join forgets a thread that Ctrl-C interrupted it in

        def work() -> None:
            try:
                check(call(address))
            except BaseException as error:  # noqa: BLE001  (raised again below)
                failure.append(error)
            finally:
                done.set()

        interrupted = False
        with self._lock:
            if threading.current_thread() is not threading.main_thread():
                work()
            else:
                threading.Thread(target=work, name="shoal-fit").start()
                while not done.is_set():
                    try:
                        done.wait()
                    except KeyboardInterrupt:
                        interrupted = True
                        flag[0] = b"\x01"
        if failure:
            raise failure[0]
        return interrupted

    def run(
        self,
        starts: int = 1,
        seed: int = 0,
        *,
        method: str = "lm",
        max_steps: int | None = None,
        monitor: Callable[[int, float], Any] | None = None,
        progress: bool | None = None,
        analyse: bool = True,
    ) -> FitResult:
        """Moves the parameters into a minimum, and finds their errors (analyse).

        starts: the start values and starts - 1 drawn between the walls, by seed; the best one
        counts. method: lm, lbfgs or fire; max_steps None: 500 (lm) or 20000; 0: evaluate only.
        monitor(step, rmse in eV) is told of the steps of the first start, on any thread; False
        stops the fit. progress True: a line on stderr. Ctrl-C ends the fit with the best so far
        and raises KeyboardInterrupt with the FitResult as its results.
        """
        watch, thrown = _monitor(monitor, progress)
        result = _abi.shoal_fit_result()

        def call(flag: ctypes.c_void_p) -> int:
            options = _run_options(method, max_steps, starts, seed, flag)
            if watch:
                options.monitor = watch
            return lib.shoal_fit_run(self._ptr, ctypes.byref(options), ctypes.byref(result))

        interrupted = self._guard(call)
        if progress:
            print(file=sys.stderr)
        if thrown:
            raise thrown[0]
        names = {"objective": "j"}
        self.result = FitResult(
            *(getattr(result, names.get(f.name, f.name)) for f in fields(FitResult))
        )
        if analyse:
            self.analyse()
        _raise_if(interrupted, self.result)
        return self.result

    def cross_validate(
        self,
        folds: int = 5,
        seed: int = 0,
        *,
        leave_monomer_out: bool = False,
        starts: int = 1,
        method: str = "lm",
        max_steps: int | None = None,
    ) -> CrossValidation:
        """Fits folds of dimers in turn and predicts what was kept back; values stay as they are.

        leave_monomer_out: all dimers of one monomer after the other instead of folds.
        """
        if not leave_monomer_out and folds < 2:
            raise ArgumentError(f"folds {folds}: expected 2 or more")
        raw = _abi.shoal_cv_result()

        def call(flag: ctypes.c_void_p) -> int:
            options = _abi.shoal_cv_options(
                n_folds=0 if leave_monomer_out else folds,
                seed=seed,
                run=_run_options(method, max_steps, starts, seed, flag),
            )
            return lib.shoal_fit_cross_validate(self._ptr, ctypes.byref(options), ctypes.byref(raw))

        interrupted = self._guard(call)
        self._cv = _cross_validation(raw, len(self.data))
        _raise_if(interrupted, self._cv)
        return self._cv

    def bootstrap(
        self, n: int = 200, seed: int = 0, *, method: str = "lm", max_steps: int | None = None
    ) -> np.ndarray:
        """Errors of the parameters from n fits to dimers drawn with replacement; returns dofs."""
        if n < 2:
            raise ArgumentError(f"bootstrap {n}: expected 2 or more")

        def call(flag: ctypes.c_void_p) -> int:
            options = _abi.shoal_bootstrap_options(
                n=n, seed=seed, run=_run_options(method, max_steps, 1, seed, flag)
            )
            return lib.shoal_fit_bootstrap(self._ptr, ctypes.byref(options))

        interrupted = self._guard(call)
        _raise_if(interrupted, None)
        return self.dofs

    def choose_pool(self, folds: int = 5, seed: int = 0) -> tuple[float, float]:
        """Sets the strength of the pool by cross-validation; returns it and its error in eV."""
        pool, error = ctypes.c_double(), ctypes.c_double()

        def call(flag: ctypes.c_void_p) -> int:
            options = _abi.shoal_cv_options(
                n_folds=folds, seed=seed, run=_run_options("lm", None, 1, seed, flag)
            )
            return lib.shoal_fit_choose_pool(
                self._ptr, ctypes.byref(options), ctypes.byref(pool), ctypes.byref(error)
            )

        interrupted = self._guard(call)
        _raise_if(interrupted, None)
        return pool.value, error.value

    # --- parameters ---------------------------------------------------------------------------

    def __len__(self) -> int:
        """Number of parameters, frozen ones included."""
        return lib.shoal_fit_dofs(self._ptr)

    @property
    def n_free(self) -> int:
        """Number of parameters that are not frozen."""
        return lib.shoal_fit_free_dofs(self._ptr)

    @property
    def evaluator(self) -> str:
        """moments, pairs, or a device."""
        return lib.shoal_fit_evaluator(self._ptr).decode()

    @property
    def dofs(self) -> np.ndarray:
        """All parameters as a structured array, as pandas.DataFrame takes it.

        type, comp, atoms, start, value, min, max, error (by dimers), error_independent,
        error_bootstrap, low, high (95 % of the bootstrap), frozen, at_bound and why it is frozen;
        units of the file: angstrom, eV, e.
        """
        out = np.zeros(len(self), dtype=_DOF_TYPE)
        for i in range(len(self)):
            d = self._info(i)
            out[i] = (
                d.type.decode(),
                d.comp.decode(),
                d.n_atoms,
                d.start,
                d.value,
                d.min,
                d.max,
                d.uncertainty,
                d.independent,
                d.bootstrap,
                d.low,
                d.high,
                d.frozen,
                d.at_bound,
                d.why.decode() if d.why else "",
            )
        return out

    def _info(self, i: int) -> Any:
        info = _abi.shoal_dof_info()
        check(lib.shoal_fit_dof(self._ptr, i, ctypes.byref(info)))
        return info

    def _find(self, dof: int | str) -> int:
        """Number of a parameter, by itself or by "TYPE.COMP"."""
        if not isinstance(dof, str):
            if not 0 <= dof < len(self):
                raise ArgumentError(f"parameter {dof}: expected 0 to {len(self) - 1}")
            return int(dof)
        for i in range(len(self)):
            d = self._info(i)
            if dof == f"{d.type.decode()}.{d.comp.decode()}":
                return i
        raise ArgumentError(f"{dof!r}: no such parameter; expected TYPE.COMP of the DOFs")

    @property
    def values(self) -> np.ndarray:
        """Present values of all parameters, units of the file; can be set."""
        return self.dofs["value"]

    @values.setter
    def values(self, values: Sequence[float]) -> None:
        if len(values) != len(self):
            raise ArgumentError(f"{len(values)} values: expected {len(self)}")
        for i, value in enumerate(values):
            check(lib.shoal_fit_set_value(self._ptr, i, float(value)))

    def set_value(self, dof: int | str, value: float) -> None:
        """Sets one parameter, by number or as "O_3.R"."""
        check(lib.shoal_fit_set_value(self._ptr, self._find(dof), value))

    def analyse(self) -> None:
        """Finds standard errors and correlations at the present values; run() does it itself."""
        check(lib.shoal_fit_analyse(self._ptr))

    @property
    def correlations(self) -> np.ndarray:
        """[n, n] after analyse(); NaN of what the data do not determine."""
        n = len(self)
        return np.array(
            [[lib.shoal_fit_correlation(self._ptr, i, k) for k in range(n)] for i in range(n)]
        ).reshape(n, n)

    @property
    def loose_directions(self) -> list[str]:
        """Directions that the data hardly determine, after analyse()."""
        return [
            lib.shoal_fit_loose_direction(self._ptr, k).decode()
            for k in range(lib.shoal_fit_loose_directions(self._ptr))
        ]

    # --- energies -----------------------------------------------------------------------------

    def objective(self, gradient: bool = False) -> float | tuple[float, np.ndarray]:
        """J in eV^2; with gradient also its slopes by all parameters, in units of the file."""
        j = ctypes.c_double()
        slopes = np.zeros(len(self)) if gradient else None
        with self._lock:
            check(
                lib.shoal_fit_objective(
                    self._ptr, ctypes.byref(j), slopes.ctypes.data if gradient else None
                )
            )
        return (j.value, slopes) if gradient else j.value

    def predict(self) -> Prediction:
        """Energies of all samples by component at the present values, eV."""
        parts = np.zeros((len(self.data), _abi.SHOAL_N_PARTS))
        with self._lock:
            check(lib.shoal_fit_predict(self._ptr, parts.ctypes.data))
        samples = self.data.samples
        columns = [np.ascontiguousarray(parts[:, k]) for k in range(_abi.SHOAL_N_PARTS)]
        return Prediction(*columns, parts.sum(axis=1), samples["reference"], samples["weight"])

    def check_derivatives(
        self,
        dof: int | str | None = None,
        *,
        step: float = 0.0,
        tolerance: float = 0.0,
        points: int = 0,
    ) -> list[DerivativeCheck]:
        """Compares analytic slopes with extrapolated differences, of one parameter or of all.

        step: the largest one, scaled (0: 0.05); tolerance (0: 1e-9); points: 3 to 16 (0: 8).
        """
        options = _abi.shoal_derivative_options(step=step, tolerance=tolerance, points=points)
        out = []
        for i in range(len(self)) if dof is None else [self._find(dof)]:
            c = _abi.shoal_derivative_check(
                analytic=np.nan, numeric=np.nan, error=np.nan, doubt=np.nan, passed=True
            )
            d = self._info(i)
            if not d.frozen:
                with self._lock:
                    check(
                        lib.shoal_fit_check_derivative(
                            self._ptr, i, ctypes.byref(options), ctypes.byref(c)
                        )
                    )
            out.append(
                DerivativeCheck(
                    d.type.decode(),
                    d.comp.decode(),
                    c.analytic,
                    c.numeric,
                    c.error,
                    c.doubt,
                    lib.shoal_derivative_verdict(
                        None if d.frozen else ctypes.byref(c)
                    ).decode(),
                )
            )
        return out

    def scan(
        self,
        a: int | str,
        values_a: Sequence[float],
        b: int | str | None = None,
        values_b: Sequence[float] | None = None,
        *,
        plot: str | os.PathLike | None = None,
    ) -> ScanCurve:
        """The objective along one parameter, or over a grid of two, the others as they are.

        plot: the path of a figure, .svg by the library with the present values marked, other
        endings by matplotlib (shoal.plot.objective).
        """
        by_library = plot is not None and os.fspath(plot).endswith(".svg")
        if plot is not None and not by_library:
            check_path(plot)
        i = self._find(a)
        k = -1 if b is None else self._find(b)
        first = np.asarray(values_a, dtype=float)
        second = np.zeros(1) if b is None else np.asarray(values_b, dtype=float)
        points = (_abi.shoal_scan_point * (len(first) * len(second)))()
        for p, (x, y) in enumerate((x, y) for x in first for y in second):
            points[p].a, points[p].b = x, y
            with self._lock:
                check(lib.shoal_fit_scan_point(self._ptr, i, k, ctypes.byref(points[p])))
        shape = (len(first),) if b is None else (len(first), len(second))

        def column(name: str) -> np.ndarray:
            return np.array([getattr(p, name) for p in points]).reshape(shape)

        two = b is not None
        curve = ScanCurve(
            first,
            second if two else None,
            column("j"),
            column("slope_a"),
            column("slope_b") if two else None,
            column("numeric_a"),
            column("numeric_b") if two else None,
        )
        if plot is None:
            return curve
        if by_library:
            scan = _abi.shoal_fit_scan(
                dof_a=i,
                dof_b=k,
                n_a=len(first),
                n_b=len(second),
                points=ctypes.cast(points, ctypes.POINTER(_abi.shoal_scan_point)),
            )
            check(lib.shoal_fit_plot_scan(self._ptr, ctypes.byref(scan), os.fsencode(plot)))
        else:
            save(objective(curve, names=[self._label(i), self._label(k) if two else ""]), plot)
        return curve

    def _label(self, i: int) -> str:
        d = self.dofs[i]
        return f"{d['type']} {d['comp']}"

    # --- what is written ----------------------------------------------------------------------

    def pair_model(self) -> Any:
        """What was fitted as a PairModel, for Batch(params=..), Surface and files."""
        from .pair_model import PairModel

        out = ctypes.c_void_p()
        check(lib.shoal_fit_pair_model(self._ptr, ctypes.byref(out)))
        return PairModel._adopt(out.value)

    def write(self, path: str | os.PathLike) -> None:
        """Writes the model with the fitted values, as --params and PairModel.read take it."""
        check(lib.shoal_fit_write_model(self._ptr, os.fsencode(path)))

    def write_dofs(self, path: str | os.PathLike) -> None:
        """Writes the parameters as CSV."""
        check(lib.shoal_fit_write_dofs(self._ptr, os.fsencode(path)))

    def prediction_errors(self) -> np.ndarray:
        """[n] standard errors of the energies of all samples, eV, by those of the parameters and
        their correlations; NaN where the data leave a parameter open."""
        errors = np.empty(len(self.predict().energy))
        to = errors.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
        check(lib.shoal_fit_prediction_errors(self._ptr, to))
        return errors

    def write_samples(self, path: str | os.PathLike, cv: CrossValidation | None = None) -> None:
        """Writes the energies of all samples by component as CSV."""
        check(lib.shoal_fit_write_samples(self._ptr, self._raw(cv), os.fsencode(path)))

    def write_derivatives(self, path: str | os.PathLike) -> None:
        """Writes dE/dR, dE/dE, dE/dQ and dE/dH of every atom of every sample as CSV."""
        check(lib.shoal_fit_write_derivatives(self._ptr, os.fsencode(path)))

    def write_trajectory(self, path: str | os.PathLike) -> None:
        """Writes the objective and all parameters at every step of the last run as CSV."""
        check(lib.shoal_fit_write_trajectory(self._ptr, os.fsencode(path)))

    def plot(self, prefix: str | os.PathLike, cv: CrossValidation | None = None) -> None:
        """Draws figures PREFIX-scatter.svg, -curves.svg, -maps.svg, ..; shoal.plot.parity draws
        the first of them in the formats of matplotlib."""
        ending = os.path.splitext(os.fspath(prefix))[1].lower()
        if ending in (".svg", ".png", ".pdf", ".jpg", ".jpeg"):
            raise ArgumentError(
                f"prefix: expected how the names of all figures begin, got {os.fspath(prefix)!r}"
            )
        check(lib.shoal_fit_plot(self._ptr, self._raw(cv), os.fsencode(prefix)))

    def _raw(self, cv: CrossValidation | None) -> Any:
        if cv is None:
            return None
        if cv is not self._cv:
            raise ArgumentError("cv: expected the last cross-validation of this fit")
        return ctypes.byref(cv._raw)

    def __repr__(self) -> str:
        what = f", {self.result!r}" if self.result else ""
        return (
            f"Fit({self.model}, {len(self.data)} samples of {self.data.n_dimers} dimers, "
            f"{self.n_free} of {len(self)} parameters free, by {self.evaluator}{what})"
        )

    def __str__(self) -> str:
        lines = [
            repr(self),
            f"{'type':<12}{'comp':<8}{'atoms':>8}{'start':>14}{'value':>14}{'error':>14}",
        ]
        for d in self.dofs:
            error = f"{d['error']:14.3g}" if np.isfinite(d["error"]) else f"{'-':>14}"
            lines.append(
                f"{d['type']:<12}{d['comp']:<8}{d['atoms']:8d}{d['start']:14.6g}"
                f"{d['value']:14.6g}{error}{'  at bound' if d['at_bound'] else ''}"
                f"{'  frozen' if d['frozen'] else ''}"
            )
        return "\n".join(lines)


def _words(words: Iterable[str]) -> bytes | None:
    return " ".join(words).encode() or None


def _create(data: Dataset, dofs: Any, options: Any) -> ctypes.c_void_p:
    handle = ctypes.c_void_p()
    out, by = ctypes.byref(handle), ctypes.byref(options)
    if dofs is None:
        check(lib.shoal_fit_create_fixed(out, data._ptr, by))
    elif isinstance(dofs, (str, os.PathLike)) and not is_text(dofs):
        check(lib.shoal_fit_create(out, data._ptr, os.fsencode(dofs), by))
    else:
        text = dofs if isinstance(dofs, str) else dof_text(dofs)
        check(lib.shoal_fit_create_memory(out, data._ptr, text.encode(), b"dofs", by))
    return handle


def _run_options(
    method: str, max_steps: int | None, starts: int, seed: int, flag: ctypes.c_void_p
) -> Any:
    # Of C: 0 is the default, < 0 is none.
    steps = 0 if max_steps is None else whole("max_steps", max_steps, 0) or -1
    return _abi.shoal_fit_run_options(
        method=choose("method", method, _METHODS),
        max_steps=steps,
        n_starts=whole("starts", starts, 1),
        seed=whole("seed", seed, 0, 2**64 - 1),
        stop=_IS_SET,
        user=flag,
    )


def _monitor(
    monitor: Callable[[int, float], Any] | None, progress: bool | None
) -> tuple[Any, list[BaseException]]:
    """The C function for a monitor and a line of progress, and where it puts what it raises."""
    thrown: list[BaseException] = []
    if monitor is None and not progress:
        return None, thrown

    def watch(_user: int | None, step: int, rmse: float) -> bool:
        try:
            if progress:
                print(f"\rstep {step}: RMSE {rmse:.6f} eV", end="", file=sys.stderr, flush=True)
            return monitor is None or monitor(step, rmse) is not False
        except BaseException as error:  # noqa: BLE001  (raised again by run)
            thrown.append(error)
            return False

    return _abi.shoal_fit_monitor(watch), thrown


def _cross_validation(raw: Any, n_samples: int) -> CrossValidation:
    folds = np.array(
        [
            (f.label.decode(errors="replace"), f.n_samples, f.n_dimers, f.rmse, f.rmse_train)
            for f in raw.folds[: raw.n_folds]
            if f.n_samples > 0
        ]
        if raw.folds
        else [],
        dtype=[
            ("fold", "U64"),
            ("samples", np.int32),
            ("dimers", np.int32),
            ("rmse", float),
            ("rmse_train", float),
        ],
    )
    dimers = np.array(
        [
            (d.name.decode(errors="replace"), d.dimer, d.n_samples, d.rmse, d.largest)
            for d in raw.dimers[: raw.n_dimers]
        ]
        if raw.dimers
        else [],
        dtype=[
            ("name", "U64"),
            ("dimer", np.int32),
            ("samples", np.int32),
            ("rmse", float),
            ("largest", float),
        ],
    )
    return CrossValidation(
        raw.stopped,
        raw.rmse,
        raw.std,
        raw.median,
        folds,
        dimers,
        _numbers(raw.predicted, n_samples),
        _numbers(raw.error, n_samples),
        raw,
    )


def _raise_if(interrupted: bool, results: Any) -> None:
    if interrupted:
        error = KeyboardInterrupt("interrupted: results is the best so far")
        error.results = results
        raise error
