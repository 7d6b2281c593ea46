# SPDX-License-Identifier: BSD-3-Clause
"""Molecular dynamics of many systems side by side: Batch.md, and what it finds.

Units are fs, K, eV, angstrom, angstrom/fs and amu; docs/md.md explains thermostats, segments and
the numbers that come out.

>>> r = shoal.Batch("examples/demo.sdf").md(steps=2000, temperature=300, seed=1)
>>> r.temperature_mean.round(-1)
>>> r.trajectory_of(0).energy                # potential energy along the way of system 0
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _abi
from ._handle import copy_of, number, whole
from ._lib import ArgumentError, check, lib
from .dataset import choose
from .ragged import Ragged
from .results import Results
from .table import Table

__all__ = ["MDResults"]

_THERMOSTATS = {"none": _abi.SHOAL_THERMOSTAT_NONE, "langevin": _abi.SHOAL_THERMOSTAT_LANGEVIN,
                "nose-hoover": _abi.SHOAL_THERMOSTAT_NOSE_HOOVER}
_HEAVIEST_HYDROGEN = 20.0  # amu
_MOST_TEMPERATURES = 256

# Numbers of every system: name here, member of shoal_md_result, type.
_COLUMNS = (
    ("steps", "n_steps", np.int32), ("time", "time", float), ("dof", "n_dof", float),
    ("etot0", "etot0", float), ("etot", "etot", float), ("drift", "drift", float),
    ("fluctuation", "fluctuation", float), ("conserved_drift", "conserved_drift", float),
    ("samples", "n_samples", np.int32), ("temperature_mean", "temperature_mean", float),
    ("temperature_err", "temperature_err", float), ("potential_mean", "potential_mean", float),
    ("potential_err", "potential_err", float), ("bath", "temperature", float),
    ("exchanges_tried", "n_tried", np.int32), ("exchanges", "n_swapped", np.int32),
)


def _kelvin(name: str, values: Any) -> np.ndarray:
    out = np.atleast_1d(np.asarray(values, dtype=float))
    if out.ndim != 1 or not 1 <= len(out) <= _MOST_TEMPERATURES or not (
            (out >= 0) & (out <= 1e6)).all():
        raise ArgumentError(f"{name} {values!r}: expected up to {_MOST_TEMPERATURES} temperatures "
                            "in K, 0 to 1e6")
    return out


class Settings:
    """Options of dynamics, checked, as the C library takes them."""

    def __init__(
        self,
        steps: int = 1000,
        dt: float = 0.5,
        temperature: float | Sequence[float] | None = None,
        thermostat: str | None = "langevin",
        friction: float = 0.01,
        tau: float = 20.0,
        seed: int = 0,
        stride: int | None = None,
        copies: int | None = None,
        temperatures: Sequence[float] | None = None,
        exchange: int | None = None,
        remove_every: int | None = None,
        hydrogen_mass: float | None = None,
    ) -> None:
        bath = choose("thermostat", thermostat or "none", _THERMOSTATS)
        ladder = None if temperatures is None else _kelvin("temperatures", temperatures)
        ramp = None if temperature is None else _kelvin("temperature", temperature)
        n_kelvin = 0 if ladder is None else len(ladder)
        n_copies = n_kelvin if copies is None else whole("copies", copies, 1)
        if n_kelvin and (ramp is not None or n_copies % n_kelvin):
            raise ArgumentError(f"temperatures gives {n_kelvin} copies one each: expected no "
                                "temperature, and copies a multiple of that")
        if exchange is not None and (n_kelvin < 2 or bath == _abi.SHOAL_THERMOSTAT_NONE):
            raise ArgumentError("exchange needs temperatures of two copies or more, and a "
                                "thermostat")
        if remove_every is not None and bath == _abi.SHOAL_THERMOSTAT_LANGEVIN:
            raise ArgumentError("remove_every: langevin drives the overall motion, too; expected "
                                "another thermostat")
        if ramp is not None and len(ramp) > 1 and bath == _abi.SHOAL_THERMOSTAT_NONE:
            raise ArgumentError("a temperature that changes needs a bath: expected thermostat "
                                "langevin or nose-hoover")
        if hydrogen_mass is not None and hydrogen_mass > _HEAVIEST_HYDROGEN:
            raise ArgumentError(f"hydrogen_mass {hydrogen_mass:g}: expected "
                                f"{_HEAVIEST_HYDROGEN:g} amu at most")
        self._arrays = (ramp, ladder)  # C has their addresses
        self.options = _abi.shoal_md_options(
            n_steps=whole("steps", steps, 1),
            dt=number("dt", dt, above=0),
            thermostat=bath,
            friction=number("friction", friction, above=0),
            tau=number("tau", tau, above=0),
            temperatures=None if ramp is None else ramp.ctypes.data,
            n_temperatures=0 if ramp is None else len(ramp),
            seed=whole("seed", seed, 0, 2**64 - 1),
            stride=0 if stride is None else whole("stride", stride, 1),
            remove_every=0 if remove_every is None else whole("remove_every", remove_every, 1),
            exchange_every=0 if exchange is None else whole("exchange", exchange, 1),
            n_copies=n_kelvin,
            hydrogen_mass=0.0 if hydrogen_mass is None else number("hydrogen_mass", hydrogen_mass,
                                                                   above=0),
            copy_temperatures=None if ladder is None else ladder.ctypes.data,
        )
        # Copies differ by their numbers alone, which their velocities are drawn by.
        self._jitter = _abi.shoal_jitter(n_copies=n_copies)
        self.variants = None
        if n_copies:
            self.variants = _abi.shoal_variants()
            check(lib.shoal_jitter_variants(ctypes.byref(self._jitter),
                                            ctypes.byref(self.variants)))
            self.variants.group = n_kelvin if exchange is not None else 0


class Taker:
    """Keeps what dynamics found of every system, which the stream forgets."""

    def __init__(self) -> None:
        self.rows: list[tuple[Any, ...]] = []
        self.velocities: list[np.ndarray] = []
        self.masses: list[np.ndarray] = []

    def take(self, system: Any) -> None:
        n = lib.shoal_molecule_n_atoms(system.mol)
        if not system.md:
            self.rows.append(tuple(0 if kind is np.int32 else np.nan for _, _, kind in _COLUMNS))
            self.velocities.append(np.full((n, 3), np.nan))
            self.masses.append(np.full(n, np.nan))
            return
        md = system.md.contents
        self.rows.append(tuple(getattr(md, member) for _, member, _ in _COLUMNS))
        self.velocities.append(copy_of(md.velocities, (n, 3), float))
        self.masses.append(copy_of(md.masses, (n,), float))

    def columns(self) -> dict[str, np.ndarray]:
        rows = list(zip(*self.rows)) or [()] * len(_COLUMNS)
        return {name: np.array(values, dtype=kind)
                for (name, _, kind), values in zip(_COLUMNS, rows)}


def _column(name: str, text: str) -> property:
    return property(lambda self: self._md[name], doc=text)


class MDResults(Results):
    """What dynamics found of every system; see Batch.md.

    As Results it holds the systems at the end of the run (energy is the potential one, eV). One
    number per system besides; what a system that failed does not have is NaN.
    """

    def __init__(self, table: Table, provenance: Any = None, files: Sequence[str] = (), *,
                 columns: dict[str, np.ndarray], velocities: Ragged, masses: Ragged,
                 trajectory: Results | None = None) -> None:
        super().__init__(table, provenance, files)
        self._md = columns
        self._velocities = velocities
        self.masses = masses
        """amu; masses[i] is [n_atoms]."""
        self.frames = trajectory

    steps = _column("steps", "[n] steps that were made.")
    time = _column("time", "[n] fs.")
    dof = _column("dof", "[n] degrees of freedom that temperatures are counted by.")
    etot0 = _column("etot0", "[n] eV: potential and kinetic energy at the start.")
    etot = _column("etot", "[n] eV: the same at the end.")
    drift = _column("drift", "[n] eV/ns per degree of freedom: slope of the line through etot.")
    fluctuation = _column("fluctuation", "[n] eV: root mean square of etot about that line.")
    conserved_drift = _column("conserved_drift",
                              "[n] eV/ns per degree of freedom, of what a Nose-Hoover chain keeps.")
    samples = _column("samples", "[n] samples of the averages.")
    temperature_mean = _column("temperature_mean", "[n] K.")
    temperature_err = _column("temperature_err", "[n] K: error of the mean, by blocks.")
    potential_mean = _column("potential_mean", "[n] eV.")
    potential_err = _column("potential_err", "[n] eV.")
    bath = _column("bath", "[n] K: of the thermostat at the end.")
    exchanges_tried = _column("exchanges_tried", "[n] swaps that the copy might have made.")
    exchanges = _column("exchanges", "[n] swaps that the copy made.")

    @property
    def velocities(self) -> Ragged:
        """angstrom/fs at the end; velocities[i] is [n_atoms, 3]."""
        return self._velocities

    @property
    def trajectory(self) -> Results:
        """Frames of all systems, one system after the other: energy, time, kinetic, bath,
        positions, velocities, forces; trajectory.index tells the system."""
        if self.frames is None:
            raise AttributeError("these results have no trajectory; ask for it with frames=True")
        return self.frames

    def slice_of(self, i: int) -> slice:
        """Rows of the trajectory that belong to system i."""
        index = self.trajectory.index
        mine = self.index[i]
        return slice(int(np.searchsorted(index, mine)),
                     int(np.searchsorted(index, mine, side="right")))

    def trajectory_of(self, i: int) -> Results:
        """The frames of system i alone, copied."""
        return self.trajectory[self.slice_of(i)]

    def _part(self, rows: np.ndarray) -> MDResults:
        part = super()._part(rows)
        out = MDResults(part._table, part.provenance, part.files,
                        columns={name: values[rows] for name, values in self._md.items()},
                        velocities=_rows(self._velocities, rows), masses=_rows(self.masses, rows))
        if self.frames is not None:
            out.frames = self.frames[np.isin(self.frames.index, out.index)]
        return out


def join(arrays: Sequence[np.ndarray], shape: tuple[int, ...]) -> Ragged:
    """Arrays of systems as one ragged array; shape: that of a row."""
    starts = np.zeros(len(arrays) + 1, dtype=np.int64)
    np.cumsum([len(a) for a in arrays], out=starts[1:])
    return Ragged(np.concatenate(arrays) if arrays else np.empty((0, *shape)), starts)


def _rows(ragged: Ragged, rows: np.ndarray) -> Ragged:
    return join([ragged[int(k)] for k in rows], ragged.flat.shape[1:])
