# SPDX-License-Identifier: BSD-3-Clause
"""Harmonic vibrations: frequencies, verdicts and thermochemistry, as Batch.modes finds them.

Frequencies are in cm-1 (imaginary ones negative), masses in amu, energies in eV, entropies in eV/K;
docs/modes.md explains what is left out and how errors are estimated.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _abi
from ._handle import address_of, choice, copy_of, flag, number, path_bytes, text, whole
from ._lib import ArgumentError, check, lib
from .md import join
from .molecule import _Writer
from .progress import Choice
from .ragged import Ragged
from .results import Results
from .run import Run
from .table import Table

if TYPE_CHECKING:
    from .batch import Batch

__all__ = ["ModesResults", "modes"]

THERMO = np.dtype(
    [
        ("ideal_gas", bool),
        ("symmetry_number", np.int32),
        ("symmetry_found", bool),
        ("modes_left_out", np.int32),
        ("temperature", float),
        ("pressure", float),
        ("zero_point", float),
        ("energy", float),
        ("enthalpy", float),
        ("entropy", float),
        ("free_energy", float),
    ]
)
_THERMO_MEMBERS = (
    "ideal_gas",
    "symmetry_number",
    "symmetry_found",
    "n_left_out",
    "temperature",
    "pressure",
    "zero_point",
    "energy",
    "enthalpy",
    "entropy",
    "free_energy",
)
_NO_THERMO = (False, 0, False, 0, *[np.nan] * 7)
_NUMBERS = ("order", "n_removed", "linear", "error", "step")
_TYPES = (np.int32, np.int32, bool, float, float)


class Settings:
    """Options of modes, checked, as the C library takes them."""

    def __init__(
        self,
        relax: bool,
        fmax: float | None,
        max_steps: int | None,
        method: str | None,
        step: float | None,
        temperature: float,
        pressure: float,
        symmetry_number: int | None,
        vectors: bool,
    ) -> None:
        relax, vectors = flag("relax", relax), flag("vectors", vectors)
        if not relax and (max_steps is not None or method is not None):
            raise ArgumentError(
                "max_steps and method are about the relaxation, which relax=False leaves out"
            )
        if step is not None and not 1e-6 <= number("step", step) < 0.5:
            raise ArgumentError(f"step {step!r}: expected 1e-6 to 0.5 angstrom")
        tight = 0.0 if fmax is None else number("fmax", fmax, above=0)
        self.modes = _abi.shoal_modes_options(
            no_relax=not relax,
            fmax=tight,
            step=step or 0.0,
            temperature=number("temperature", temperature, above=0),
            pressure=number("pressure", pressure, above=0),
            symmetry_number=0
            if symmetry_number is None
            else whole("symmetry_number", symmetry_number, 1, 1000),
            vectors=vectors,
        )
        self.relax = _abi.shoal_relax_options(
            method=choice("method", "lbfgs" if method is None else method, ("lbfgs", "fire")),
            fmax=tight,
            max_steps=0 if max_steps is None else whole("max_steps", max_steps, 1),
        )


@dataclass(frozen=True)
class Found:
    """Modes of one system."""

    verdict: str = ""
    numbers: tuple[Any, ...] = (0, 0, False, np.nan, np.nan)
    thermo: tuple[Any, ...] = _NO_THERMO
    frequencies: np.ndarray = field(default_factory=lambda: np.empty(0))
    masses: np.ndarray = field(default_factory=lambda: np.empty(0))
    vectors: np.ndarray | None = None

    @classmethod
    def of(cls, m: _abi.shoal_modes_result) -> Found:
        n = m.n_modes
        return cls(
            text(lib.shoal_verdict_name(m.verdict)),
            tuple(getattr(m, name) for name in _NUMBERS),
            tuple(getattr(m.thermo, name) for name in _THERMO_MEMBERS),
            copy_of(m.frequencies, (n,), float),
            copy_of(m.reduced_masses, (n,), float),
            copy_of(m.vectors, (n, m.n_atoms, 3), float) if m.vectors else None,
        )


class ModesResults(Results):
    """Vibrations of every system; see Batch.modes.

    As Results it holds the geometries, relaxed unless relax=False. Systems that failed have no
    modes, the verdict "", and NaN.
    """

    def __init__(
        self,
        table: Table,
        provenance: Any = None,
        files: Sequence[str] = (),
        *,
        found: Sequence[Found],
    ) -> None:
        super().__init__(table, provenance, files)
        self._found = list(found)
        self.frequencies: Ragged = join([f.frequencies for f in found], ())
        """cm-1, ascending, imaginary ones negative; frequencies[i] is [n_modes]."""
        self.reduced_masses: Ragged = join([f.masses for f in found], ())
        """amu, of displacements of length 1; reduced_masses[i] is [n_modes]."""
        self.vectors: list[np.ndarray | None] = [f.vectors for f in found]
        """vectors[i] is [n_modes, n_atoms, 3], of length 1 over all atoms; None without them."""
        self.verdict = np.array([f.verdict for f in found], dtype="U16")
        """[n] "minimum", "saddle" or "not stationary"."""
        columns = list(zip(*(f.numbers for f in found))) or [()] * len(_TYPES)
        arrays = [np.array(c, dtype=t) for c, t in zip(columns, _TYPES)]
        self.order, self.removed, self.linear, self.error, self.step = arrays
        self.thermo = np.array([f.thermo for f in found], dtype=THERMO)
        """[n] structured, eV and eV/K: ideal_gas, symmetry_number, symmetry_found, modes_left_out,
        temperature (K), pressure (Pa), zero_point, energy, enthalpy, entropy, free_energy."""

    @property
    def n_modes(self) -> np.ndarray:
        """[n] number of modes."""
        return self.frequencies.counts

    def write_modes(self, path: Any, frames: int = 1, amplitude: float = 0.2) -> None:
        """Writes the modes of all systems as extended xyz, a frame for each with displacements.

        frames: so many geometries over one period instead, in which the atom that moves most goes
        amplitude angstrom far.
        """
        n = whole("frames", frames, 1, 1000)
        far = number("amplitude", amplitude, above=0)
        writer = _Writer()
        writer._create("shoal_writer_open", path_bytes("path", path), _abi.SHOAL_FORMAT_XYZ)
        for i, vectors in enumerate(self.vectors):
            for k, way in enumerate(() if vectors is None else vectors):
                self._write_mode(writer, i, k, way, n, far)
        check(lib.shoal_writer_close(writer._ptr))

    def _write_mode(
        self, writer: _Writer, i: int, k: int, way: np.ndarray, n_frames: int, far: float
    ) -> None:
        one = self[i]
        mol, start = one.molecule, np.array(one.positions)
        mol.set_property("mode", str(k))
        mol.set_property("frequency_cm1", f"{self.frequencies[i][k]:.10g}")
        mol.set_property("reduced_mass_amu", f"{self.reduced_masses[i][k]:.10g}")
        status, file = one.status.encode(), self.file[i].encode()
        frame = _abi.shoal_frame(
            is_result=True, status=status, file=file, index=one.index, record=int(self.record[i])
        )
        if n_frames == 1:
            frame.displacements = address_of(way)
        most = np.sqrt((way**2).sum(axis=1).max())
        for f in range(n_frames):
            part = np.sin(2 * np.pi * f / n_frames) * far / most if most > 0 else 0.0
            mol.positions = start + part * way
            check(lib.shoal_writer_put(writer._ptr, mol._ptr, ctypes.byref(frame)))

    def _shown(self) -> dict[str, Any]:
        def lowest(k: int) -> str:
            few = ", ".join(f"{f:.0f}" for f in self.frequencies[k][:6])
            return few + (", .." if len(self.frequencies[k]) > 6 else "")

        return {
            **super()._shown(),
            "verdict": lambda k: self.verdict[k],
            "frequencies / cm-1": lowest,
            "zero point / eV": lambda k: f"{self.thermo['zero_point'][k]:.4f}",
            "free energy / eV": lambda k: f"{self.thermo['free_energy'][k]:.4f}",
        }

    def _dataframe(self) -> Any:
        """A pandas.DataFrame with a row for every system; modes themselves are left out."""
        out = super()._dataframe()
        out["verdict"], out["n_modes"] = self.verdict, self.n_modes
        for name in ("zero_point", "enthalpy", "entropy", "free_energy"):
            out[name] = self.thermo[name]
        return out

    def _part(self, rows: np.ndarray) -> ModesResults:
        part = super()._part(rows)
        return ModesResults(
            part._table, part.provenance, part.files, found=[self._found[int(k)] for k in rows]
        )


def modes(
    batch: Batch,
    *,
    relax: bool = True,
    fmax: float | None = None,
    max_steps: int | None = None,
    method: str | None = None,
    step: float | None = None,
    temperature: float = 298.15,
    pressure: float = 101325.0,
    symmetry_number: int | None = None,
    vectors: bool = True,
    forces: bool = True,
    progress: Choice = None,
) -> ModesResults:
    """Relaxes every system of a batch and finds its harmonic vibrations: Batch.modes.

    relax=False keeps the geometries. fmax: eV/angstrom that the relaxation ends at (1e-6), and
    beyond which a geometry is not stationary (1e-3). step: angstrom of differences of forces (None:
    chosen). temperature in K, pressure in Pa, symmetry_number (None: found) for thermochemistry.
    vectors: whether displacements are kept. Forces are computed in double precision.

    >>> import shoal
    >>> r = shoal.Batch("examples/demo.sdf").modes()
    >>> print(r.verdict[0], r.frequencies[0].round(1))
    minimum [1757.4 3705.9 3759.6]
    """
    if batch.settings.options.precision == _abi.SHOAL_PRECISION_FLOAT:
        raise ArgumentError("precision 'float': modes are differences of forces and need double")
    settings = Settings(
        relax, fmax, max_steps, method, step, temperature, pressure, symmetry_number, vectors
    )
    found: dict[int, Found] = {}

    def visit(systems: Any, n: int) -> None:
        for k in range(n):
            if systems[k].modes:
                found[systems[k].index] = Found.of(systems[k].modes.contents)

    def results(table: Table, provenance: Any, files: Sequence[str]) -> ModesResults:
        rows = [found.get(i, Found()) for i in Results(table).index.tolist()]
        return ModesResults(table, provenance, files, found=rows)

    told = {
        "relax": relax,
        "fmax": fmax,
        "max_steps": max_steps,
        "method": method,
        "step": step,
        "temperature": temperature,
        "pressure": pressure,
        "symmetry_number": symmetry_number,
    }
    run = Run(
        batch,
        _abi.SHOAL_JOB_MODES,
        label="modes",
        relax=settings.relax,
        modes=settings.modes,
        visit=visit,
        forces=forces,
        results_type=results,
        progress=progress,
        told={k: v for k, v in told.items() if v is not None},
    )
    return run.results()
