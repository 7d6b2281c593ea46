# SPDX-License-Identifier: BSD-3-Clause
"""Harmonic vibrations: frequencies, verdicts and thermochemistry, as Batch.modes finds them.

Frequencies are in cm-1 (imaginary ones negative), masses in amu, energies in eV, entropies in eV/K;
docs/modes.md explains what is left out and how errors are estimated.

>>> r = shoal.Batch("examples/demo.sdf").modes()
>>> r.frequencies[0]
array([1757.39786223, 3705.94764183, 3759.59021153])
>>> r.verdict[0], r.thermo["free_energy"][0]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _abi
from ._handle import choice, copy_of, number, text, whole
from ._lib import ArgumentError, lib
from .md import join
from .ragged import Ragged
from .results import Results
from .table import Table

__all__ = ["ModesResults"]

THERMO = np.dtype([
    ("ideal_gas", bool), ("symmetry_number", np.int32), ("symmetry_found", bool),
    ("modes_left_out", np.int32), ("temperature", float), ("pressure", float),
    ("zero_point", float), ("energy", float), ("enthalpy", float), ("entropy", float),
    ("free_energy", float)])
_THERMO_MEMBERS = ("ideal_gas", "symmetry_number", "symmetry_found", "n_left_out", "temperature",
                   "pressure", "zero_point", "energy", "enthalpy", "entropy", "free_energy")
_NO_THERMO = (False, 0, False, 0, *[np.nan] * 7)
_NUMBERS = ("order", "n_removed", "linear", "error", "step")
_TYPES = (np.int32, np.int32, bool, float, float)


class Settings:
    """Options of modes, checked, as the C library takes them."""

    def __init__(
        self,
        relax: bool = True,
        fmax: float | None = None,
        max_steps: int | None = None,
        method: str | None = None,
        step: float | None = None,
        temperature: float = 298.15,
        pressure: float = 101325.0,
        symmetry_number: int | None = None,
        vectors: bool = True,
    ) -> None:
        if not relax and (max_steps is not None or method is not None):
            raise ArgumentError("max_steps and method are about the relaxation, which relax=False "
                                "leaves out")
        if step is not None and not 1e-6 <= step < 0.5:
            raise ArgumentError(f"step {step!r}: expected 1e-6 to 0.5 angstrom")
        tight = 0.0 if fmax is None else number("fmax", fmax, above=0)
        self.modes = _abi.shoal_modes_options(
            no_relax=not relax,
            fmax=tight,
            step=step or 0.0,
            temperature=number("temperature", temperature, above=0),
            pressure=number("pressure", pressure, above=0),
            symmetry_number=0 if symmetry_number is None else whole(
                "symmetry_number", symmetry_number, 1, 1000),
            vectors=vectors,
        )
        self.relax = _abi.shoal_relax_options(
            method=choice("method", method or "lbfgs", ("lbfgs", "fire")),
            fmax=tight,
            max_steps=0 if max_steps is None else whole("max_steps", max_steps, 1),
        )


class Taker:
    """Keeps the modes of every system, which the stream forgets."""

    def __init__(self) -> None:
        self.verdicts: list[str] = []
        self.numbers: list[tuple[Any, ...]] = []
        self.thermo: list[tuple[Any, ...]] = []
        self.frequencies: list[np.ndarray] = []
        self.masses: list[np.ndarray] = []
        self.vectors: list[np.ndarray | None] = []

    def take(self, system: Any) -> None:
        if not system.modes:
            self.verdicts.append("")
            self.numbers.append((0, 0, False, np.nan, np.nan))
            self.thermo.append(_NO_THERMO)
            self.frequencies.append(np.empty(0))
            self.masses.append(np.empty(0))
            self.vectors.append(None)
            return
        m = system.modes.contents
        n = m.n_modes
        self.verdicts.append(text(lib.shoal_verdict_name(m.verdict)))
        self.numbers.append(tuple(getattr(m, name) for name in _NUMBERS))
        self.thermo.append(tuple(getattr(m.thermo, name) for name in _THERMO_MEMBERS))
        self.frequencies.append(copy_of(m.frequencies, (n,), float))
        self.masses.append(copy_of(m.reduced_masses, (n,), float))
        self.vectors.append(copy_of(m.vectors, (n, m.n_atoms, 3), float) if m.vectors else None)

    def part(self, rows: np.ndarray) -> Taker:
        """Those of some systems."""
        out = Taker()
        for name, values in self.__dict__.items():
            setattr(out, name, [values[int(k)] for k in rows])
        return out


class ModesResults(Results):
    """Vibrations of every system; see Batch.modes.

    As Results it holds the geometries, relaxed unless relax=False. Systems that failed have no
    modes, the verdict "", and NaN.
    """

    def __init__(self, table: Table, provenance: Any = None, files: Sequence[str] = (), *,
                 found: Taker) -> None:
        super().__init__(table, provenance, files)
        self._found = found
        self.frequencies: Ragged = join(found.frequencies, ())
        """cm-1, ascending, imaginary ones negative; frequencies[i] is [n_modes]."""
        self.reduced_masses: Ragged = join(found.masses, ())
        """amu, of displacements of length 1; reduced_masses[i] is [n_modes]."""
        self.vectors: list[np.ndarray | None] = list(found.vectors)
        """vectors[i] is [n_modes, n_atoms, 3], of length 1 over all atoms; None without them."""
        self.verdict = np.array(found.verdicts, dtype="U16")
        """[n] "minimum", "saddle" or "not stationary"."""
        columns = list(zip(*found.numbers)) or [()] * len(_TYPES)
        arrays = [np.array(c, dtype=t) for c, t in zip(columns, _TYPES)]
        self.order, self.removed, self.linear, self.error, self.step = arrays
        self.thermo = np.array(found.thermo, dtype=THERMO)
        """[n] structured, eV and eV/K: ideal_gas, symmetry_number, symmetry_found, modes_left_out,
        temperature (K), pressure (Pa), zero_point, energy, enthalpy, entropy, free_energy."""

    @property
    def n_modes(self) -> np.ndarray:
        """[n] number of modes."""
        return self.frequencies.counts

    def _part(self, rows: np.ndarray) -> ModesResults:
        part = super()._part(rows)
        return ModesResults(part._table, part.provenance, part.files, found=self._found.part(rows))
