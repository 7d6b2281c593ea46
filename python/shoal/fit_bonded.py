# SPDX-License-Identifier: BSD-3-Clause
"""Fits of bonded parameters to energies and forces of geometries, such as scans of torsions."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _abi
from ._handle import Handle, choice, flag, integers, listed, number, path_bytes, text, whole, word
from ._lib import check, lib, string_bytes
from .forcefield import ForceField, typing_options
from .units import factor

__all__ = ["BondedFit", "BondedParameter", "BondedResult"]

_TERMS = {
    "bond": _abi.SHOAL_TERM_BOND,
    "angle": _abi.SHOAL_TERM_ANGLE,
    "torsion": _abi.SHOAL_TERM_TORSION,
}


@dataclass(frozen=True)
class BondedParameter:
    """A parameter: its name, what it starts from and is, and how many terms have it."""

    name: str
    start: float
    value: float
    width: float
    n_terms: int


@dataclass(frozen=True)
class BondedResult:
    """What a fit found; errors are root mean squares, of energies in eV, forces in eV/angstrom."""

    geometries: int
    molecules: int
    parameters: int
    steps: int
    converged: bool
    objective: float
    rmse_before: float
    rmse: float
    force_rmse_before: float
    force_rmse: float
    seconds: float


class BondedFit(Handle):
    """Torsions, bonds and angles of molecules, fitted to geometries; see docs/fit-bonded.md.

    terms: of "bond", "angle", "torsion". bonds: (i, j) whose torsions are fitted, all in no ring
    by default. by_bond: every bond has parameters of its own. hold: torsions (i, j, k, l) that
    are held while geometries relax. Energies are those of the data field energy, of geometries with
    equal elements up to a constant.
    """

    _destroy = "shoal_bonded_fit_destroy"

    def __init__(
        self,
        *paths: Any,
        terms: Iterable[str] = ("torsion",),
        by_bond: bool = False,
        bonds: Any = None,
        periods: int = 4,
        freedom: float = 1.0,
        force_weight: float = 0.0,
        hold: Any = (),
        hold_strength: float = 100.0,
        forcefield: ForceField = "uff",
        charges: str = "auto",
        units: str = "eV",
        device: str = "cpu",
        threads: int = 0,
        max_steps: int = 50,
    ) -> None:
        bits, names = 0, list(_TERMS)
        for name in listed("terms", terms, "names of terms"):
            bits |= 1 << _TERMS[names[choice("terms", name, names)]]
        self._typing, self._table = typing_options(charges, forcefield)
        options = _abi.shoal_bonded_options(
            typing=ctypes.pointer(self._typing),
            terms=bits,
            by_bond=flag("by_bond", by_bond),
            periods=whole("periods", periods, 1, 6),
            freedom=number("freedom", freedom, above=0.0),
            force_weight=number("force_weight", force_weight, least=0.0),
            held_k=number("hold_strength", hold_strength, above=0.0),
            energy_unit=1.0 / factor(units),
            device=word("device", device),
            n_threads=whole("threads", threads, 0),
            max_steps=whole("max_steps", max_steps, 1),
        )
        if bonds is not None:
            pairs = integers("bonds", bonds, (None, 2))
            options.bonds = pairs.ctypes.data
            options.n_bonds = len(pairs)
        if len(hold) > 0:
            held = integers("hold", hold, (None, 4))
            options.held = held.ctypes.data
            options.n_held = len(held)
        self._create("shoal_bonded_fit_create", ctypes.byref(options))
        for path in paths:
            self.add(path)

    def add(self, path: Any) -> BondedFit:
        """Geometries of a file, with energies and, perhaps, forces."""
        check(lib.shoal_bonded_fit_add(self._ptr, path_bytes("path", path)))
        return self

    def add_text(self, content: str) -> BondedFit:
        """The same of the text of an extended xyz file."""
        data = word("content", content)
        check(lib.shoal_bonded_fit_add_memory(self._ptr, data, len(data), b"text"))
        return self

    def run(self) -> BondedResult:
        """Fits from the present values."""
        r = _abi.shoal_bonded_result()
        check(lib.shoal_bonded_fit_run(self._ptr, ctypes.byref(r)))
        return BondedResult(
            r.n_geometries,
            r.n_molecules,
            r.n_parameters,
            r.steps,
            bool(r.converged),
            r.j,
            r.rmse_before,
            r.rmse,
            r.force_rmse_before,
            r.force_rmse,
            r.seconds,
        )

    @property
    def n_parameters(self) -> int:
        """How many parameters there are."""
        n = ctypes.c_int32()
        check(lib.shoal_bonded_fit_parameters(self._ptr, ctypes.byref(n)))
        return n.value

    @property
    def parameters(self) -> list[BondedParameter]:
        """All parameters with their present values."""
        found = []
        for k in range(self.n_parameters):
            p = _abi.shoal_bonded_parameter()
            check(lib.shoal_bonded_fit_parameter(self._ptr, k, ctypes.byref(p)))
            found.append(BondedParameter(text(p.name), p.start, p.value, p.width, p.n_terms))
        return found

    def set_value(self, parameter: int, value: float) -> None:
        """Gives a parameter a value."""
        x = number("value", value)
        check(lib.shoal_bonded_fit_set_value(self._ptr, whole("parameter", parameter, 0), x))

    def objective(self) -> tuple[float, np.ndarray]:
        """J in eV^2 and its slope by every parameter."""
        j, gradient = ctypes.c_double(), np.empty(self.n_parameters)
        to = gradient.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
        check(lib.shoal_bonded_fit_objective(self._ptr, ctypes.byref(j), to))
        return j.value, gradient

    def energies(self) -> tuple[np.ndarray, np.ndarray]:
        """Energies of all geometries, eV, with the constants that fit best, and the references."""
        n, pointer = ctypes.c_int32(), ctypes.POINTER(ctypes.c_double)
        check(lib.shoal_bonded_fit_energies(self._ptr, None, None, ctypes.byref(n)))
        energy, reference = np.empty(n.value), np.empty(n.value)
        check(
            lib.shoal_bonded_fit_energies(
                self._ptr,
                energy.ctypes.data_as(pointer),
                reference.ctypes.data_as(pointer),
                ctypes.byref(n),
            )
        )
        return energy, reference

    @property
    def table(self) -> str:
        """The parameters as a table, for ``shoal.UFF(table=...)`` when written to a file."""
        string = ctypes.c_void_p()
        check(lib.shoal_string_create(ctypes.byref(string)))
        try:
            check(lib.shoal_bonded_fit_table(self._ptr, string))
            return string_bytes(string).decode()
        finally:
            lib.shoal_string_destroy(string)
