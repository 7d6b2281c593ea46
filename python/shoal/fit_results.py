# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of fits and what fits find, as shoal.fit gives them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ._lib import ArgumentError


@dataclass(frozen=True)
class Dof:
    """A degree of freedom: parameter comp of a type, or a global one of type "*".

    comp: R (angstrom), E (eV), Q (e), H, L (angstrom, distance of sites), a column of a formula; of
    "*" alpha, lambda, c, beta, d, L or a constant of the formula. min and max are never left.
    Beyond xlo and xhi harmonic walls klo and khi pull back, k0 pulls to the start, in (kcal/mol)^2
    per squared unit; by default there are none. start None: the value of the table.
    """

    type: str
    comp: str
    min: float
    max: float
    xlo: float = 1.0
    xhi: float = 0.0
    klo: float = 0.0
    khi: float = 0.0
    k0: float = 0.0
    start: float | None = None
    inverse_mass: float | None = None

    def line(self) -> str:
        """Its line in a file of parameters."""
        if self.inverse_mass is not None and self.start is None:
            raise ArgumentError(f"{self.type}.{self.comp}: inverse_mass needs a start")
        numbers = (
            self.min,
            self.max,
            self.xlo,
            self.xhi,
            self.klo,
            self.khi,
            self.k0,
            self.start,
            self.inverse_mass,
        )
        words = [repr(float(x)) for x in numbers if x is not None]
        return " ".join([self.type, self.comp, *words])


def dof_text(rows: Iterable[Any]) -> str:
    """Lines of a file of parameters, of objects, rows and lines."""
    lines = []
    for row in rows:
        if isinstance(row, Mapping):
            row = Dof(**row)
        elif not isinstance(row, (str, Dof)):
            row = Dof(*row)
        lines.append(row if isinstance(row, str) else row.line())
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class FitResult:
    """What a run of a fit came to; rmse (weighted) in eV, objective in eV^2."""

    converged: bool
    stopped: bool
    steps: int
    evaluations: int
    best_start: int
    same_optimum: int
    handed_over: int
    stalled: bool
    objective: float
    rmse_before: float
    rmse: float
    seconds: float

    def __repr__(self) -> str:
        how = "converged" if self.converged else "stopped" if self.stopped else "NOT converged"
        return (
            f"FitResult({how}, RMSE {self.rmse_before:.6f} -> {self.rmse:.6f} eV, "
            f"{self.steps} steps, {self.evaluations} evaluations in {self.seconds:.3g} s)"
        )


@dataclass(frozen=True)
class Prediction:
    """Energies of all samples by component, eV; energy is their sum."""

    coulomb: np.ndarray
    vdw: np.ndarray
    hbond: np.ndarray
    site: np.ndarray
    energy: np.ndarray
    reference: np.ndarray
    weight: np.ndarray

    @property
    def error(self) -> np.ndarray:
        """energy - reference, eV."""
        return self.energy - self.reference

    @property
    def rmse(self) -> float:
        """Of the samples that count, each alike, eV."""
        counts = self.weight > 0
        return float(np.sqrt(np.mean(self.error[counts] ** 2))) if counts.any() else 0.0

    def __repr__(self) -> str:
        return f"Prediction({len(self.energy)} samples, RMSE {self.rmse:.6f} eV)"


@dataclass(frozen=True)
class CrossValidation:
    """Errors of samples while they were kept back, eV.

    folds and dimers are structured arrays (dimers: worst first); predicted and error have one
    number per sample.
    """

    stopped: bool
    rmse: float
    std: float
    median: float
    folds: np.ndarray
    dimers: np.ndarray
    predicted: np.ndarray
    error: np.ndarray
    _raw: Any = field(repr=False, compare=False, default=None)

    def __repr__(self) -> str:
        return (
            f"CrossValidation({len(self.folds)} folds, RMSE {self.rmse:.6f} eV, folds +- "
            f"{self.std:.6f} eV, median {self.median:.6f} eV)"
        )


@dataclass(frozen=True)
class DerivativeCheck:
    """Slope of the objective by one parameter, analytic and by differences."""

    type: str
    comp: str
    analytic: float
    numeric: float
    error: float
    doubt: float
    verdict: str

    @property
    def passed(self) -> bool:
        """Whether both slopes agree within the doubt."""
        return self.verdict != "WRONG"


@dataclass(frozen=True)
class ScanCurve:
    """Objective (eV^2) and slopes over values of one parameter, or over a grid [a, b] of two."""

    a: np.ndarray
    b: np.ndarray | None
    objective: np.ndarray
    slope_a: np.ndarray
    slope_b: np.ndarray | None
    numeric_a: np.ndarray
    numeric_b: np.ndarray | None
