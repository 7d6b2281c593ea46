# SPDX-License-Identifier: BSD-3-Clause
"""Scans: energies along coordinates, rigid or relaxed, and what they say: minima and barriers.

Batch.scan makes them. Energies are in eV, lengths in angstrom, angles in degrees; docs/scans.md
explains coordinates and how points are made.

>>> r = shoal.Batch("examples/butane.sdf").scan("torsion:0,1,2,3=-180:180:10", relaxed=True)
>>> r.minima()[0].point
(-180.0,)
>>> r.picture("butane.svg")
"""

from __future__ import annotations

import ctypes
import itertools
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _abi
from ._handle import Handle, copy_of, number, path_bytes, whole
from ._lib import ArgumentError, check, lib
from .results import Results
from .table import Table

__all__ = ["Coordinate", "Minimum", "ScanResults"]

_N_ATOMS = {"distance": 2, "angle": 3, "torsion": 4}


@dataclass(frozen=True)
class Coordinate:
    """A coordinate and its points: n of them from start to stop, evenly.

    kind: distance (angstrom), angle, torsion (degrees) of atoms counted from 0, or x, y, z
    (angstrom), rx, ry, rz (degrees) of the molecule. Coordinate.torsion(0, 1, 2, 3, values) and its
    sisters take values as text ("0:360:5" by steps, "0:360:n7" as many points, "60"), as one
    number, or as numbers that are evenly spaced; Coordinate.parse takes all of it as text.

    >>> shoal.Coordinate.torsion(0, 1, 2, 3, "0:360:5").n
    73
    """

    kind: str
    atoms: tuple[int, ...]
    start: float
    stop: float
    n: int

    @classmethod
    def parse(cls, text: str) -> Coordinate:
        """A coordinate from "torsion:0,1,2,3=0:360:5", "z=2:6:0.1", "angle:0,1,2=90:120:n7"."""
        c = _abi.shoal_coordinate()
        check(lib.shoal_coordinate_parse(text.encode(), ctypes.byref(c)))
        kind = lib.shoal_coordinate_name(c.kind).decode()
        return cls(kind, tuple(c.atoms[: _N_ATOMS.get(kind, 0)]), getattr(c, "from"), c.to, c.n)

    @classmethod
    def _make(cls, kind: str, atoms: tuple[int, ...], values: Any) -> Coordinate:
        what = f"{kind}:{','.join(map(str, atoms))}" if atoms else kind
        if isinstance(values, str):
            return cls.parse(f"{what}={values}")
        numbers = np.atleast_1d(np.asarray(values, dtype=float))
        if numbers.ndim != 1 or not numbers.size:
            raise ArgumentError(f"{what}: expected a row of values, got {values!r}")
        first, last, n = float(numbers[0]), float(numbers[-1]), len(numbers)
        if not np.allclose(numbers, np.linspace(first, last, n), atol=1e-9, rtol=0):
            raise ArgumentError(f"{what}: expected values that are evenly spaced")
        return cls.parse(f"{what}={first!r}:{last!r}:n{n}" if n > 1 else f"{what}={first!r}")

    @classmethod
    def distance(cls, i: int, j: int, values: Any) -> Coordinate:
        """Between two atoms, angstrom."""
        return cls._make("distance", (i, j), values)

    @classmethod
    def angle(cls, i: int, j: int, k: int, values: Any) -> Coordinate:
        """At the atom in the middle, degrees."""
        return cls._make("angle", (i, j, k), values)

    @classmethod
    def torsion(cls, i: int, j: int, k: int, l: int, values: Any) -> Coordinate:  # noqa: E741
        """About the bond j-k, degrees."""
        return cls._make("torsion", (i, j, k, l), values)

    @classmethod
    def x(cls, values: Any) -> Coordinate:
        """Of the centre of the molecule, or of the atoms that move, angstrom."""
        return cls._make("x", (), values)

    @classmethod
    def y(cls, values: Any) -> Coordinate:
        """Of the centre, angstrom."""
        return cls._make("y", (), values)

    @classmethod
    def z(cls, values: Any) -> Coordinate:
        """Of the centre, above the topmost atom of the surface, angstrom."""
        return cls._make("z", (), values)

    @classmethod
    def rx(cls, values: Any) -> Coordinate:
        """Turned about x, away from where it was, degrees."""
        return cls._make("rx", (), values)

    @classmethod
    def ry(cls, values: Any) -> Coordinate:
        """Turned about y, degrees."""
        return cls._make("ry", (), values)

    @classmethod
    def rz(cls, values: Any) -> Coordinate:
        """Turned about z, degrees."""
        return cls._make("rz", (), values)

    @property
    def name(self) -> str:
        """What stands before '=' in a text: "torsion:0,1,2,3"."""
        return f"{self.kind}:{','.join(map(str, self.atoms))}" if self.atoms else self.kind

    @property
    def unit(self) -> str:
        return "A" if self.kind in ("distance", "x", "y", "z") else "degrees"

    def _c(self) -> Any:
        """The same for the C library."""
        c = _abi.shoal_coordinate()
        check(lib.shoal_coordinate_parse(f"{self.name}=0".encode(), ctypes.byref(c)))
        setattr(c, "from", self.start)
        c.to, c.n = self.stop, self.n
        return c

    def __str__(self) -> str:
        return f"{self.name}={self.start:g}:{self.stop:g}:n{self.n}"


@dataclass(frozen=True)
class Minimum:
    """A minimum of a scan, and the lowest way over which it reaches a lower one.

    point: values of the coordinates; energy and barrier_energy in eV; barrier: the highest point on
    the way, None of the lowest minimum. at_edge: the energy may go on downhill beyond the grid.
    """

    place: tuple[int, ...]
    point: tuple[float, ...]
    energy: float
    at_edge: bool
    barrier: tuple[float, ...] | None
    barrier_energy: float


class Scan(Handle):
    """A scan of the C library: the variants of a stream, and what their energies say."""

    _destroy = "shoal_scan_destroy"

    def __init__(self, coordinates: Sequence[Coordinate], **options: Any) -> None:
        rows = (_abi.shoal_coordinate * max(len(coordinates), 1))(*(c._c() for c in coordinates))
        given = _abi.shoal_scan_options(coordinates=rows, n_coordinates=len(coordinates), **options)
        self._create("shoal_scan_create", ctypes.byref(given))

    @property
    def size(self) -> int:
        """Points of one copy of a record."""
        return int(lib.shoal_scan_size(self._ptr))

    def variants(self) -> _abi.shoal_variants:
        out = _abi.shoal_variants()
        check(lib.shoal_scan_variants(self._ptr, ctypes.byref(out)))
        return out

    def restraints(self) -> list[_abi.shoal_restraint]:
        """Those that hold the coordinates, copied."""
        n = ctypes.c_int32()
        rows = lib.shoal_scan_restraints(self._ptr, ctypes.byref(n))
        return [_abi.shoal_restraint.from_buffer_copy(rows[k]) for k in range(n.value)]

    def locate(self, variant: int, n_values: int) -> tuple[np.ndarray, int]:
        """Values of a point, and its place in the grid."""
        values, place = np.empty(n_values), ctypes.c_int64()
        check(lib.shoal_scan_locate(self._ptr, variant, values.ctypes.data, ctypes.byref(place)))
        return values, place.value


def analysis_of(coordinates: Sequence[Coordinate]) -> Scan:
    """A scan that is good for the analysis of energies; x .. rz need something that moves."""
    moves = any(not c.atoms for c in coordinates)
    atom = ctypes.c_int32(0)
    return Scan(coordinates, move=ctypes.addressof(atom) if moves else None, n_move=int(moves))


class ScanResults(Results):
    """Points of a scan, those of the first molecule first, as Results; see Batch.scan.

    Energies do not contain the restraints that hold a relaxed point: restraint_energy does.
    ``energies[i]`` are those of molecule i (or of its copies, one after the other) on the grid of
    the coordinates, ``values[k]`` the values of coordinate k along that grid.
    """

    def __init__(self, table: Table, provenance: Any = None, files: Sequence[str] = (), *,
                 coordinates: Sequence[Coordinate] = (), n_frames: int = 0, n_copies: int = 1,
                 follow: bool = False, held: np.ndarray | None = None) -> None:
        super().__init__(table, provenance, files)
        self.coordinates = tuple(coordinates)
        self.shape = tuple(c.n for c in coordinates) or (n_frames,)
        """Points along every coordinate; of frames, their number."""
        self.n_copies = n_copies
        self.held = held
        """[points, coordinates] of a relaxed scan: how far each ended from its value (angstrom,
        degrees); NaN where it failed. None of a rigid one."""
        self._follow = follow
        self._scan: Scan | None = None

    @property
    def n_points(self) -> int:
        """Points of one molecule, or of one copy of it."""
        return int(np.prod(self.shape))

    @property
    def values(self) -> tuple[np.ndarray, ...]:
        """Values of every coordinate along the grid, angstrom or degrees; of frames, numbers."""
        if not self.coordinates:
            return (np.arange(self.n_points, dtype=float),)
        scan, n = self._analysis(), len(self.coordinates)
        strides = [int(np.prod(self.shape[k + 1:])) for k in range(n)]
        return tuple(np.array([scan.locate(i * strides[k], n)[0][k] for i in range(self.shape[k])])
                     for k in range(n))

    @property
    def place(self) -> np.ndarray:
        """[points] where each lies in the grid, the last coordinate running fastest."""
        i = np.asarray(self.variant) % self.n_points
        if not self._follow:
            return i
        at = i.copy()
        for k, n in enumerate(self.shape):  # there and back
            stride = int(np.prod(self.shape[k + 1:]))
            row = i // stride
            forth = row % n
            at += np.where(row // n % 2 == 1, n - 1 - 2 * forth, 0) * stride
        return at

    @property
    def points(self) -> np.ndarray:
        """[points, coordinates] values of every point, angstrom and degrees."""
        grid = np.stack(np.meshgrid(*self.values, indexing="ij"), axis=-1)
        return grid.reshape(self.n_points, len(self.shape))[self.place]

    @property
    def energies(self) -> np.ndarray:
        """[molecules and copies, n, n, ..] eV on the grid; NaN where a point failed."""
        index = np.asarray(self.index)
        of = index // self.n_points
        rows, at = np.unique(of, return_inverse=True)
        out = np.full((len(rows), self.n_points), np.nan)
        out[at, self.place] = self.energy
        return out.reshape(len(rows), *self.shape)

    @property
    def restraint_energy(self) -> np.ndarray:
        """[points] eV, of what holds the coordinates; no part of the energy."""
        return self.terms["restraint"]

    def _analysis(self) -> Scan:
        if self._scan is None:
            self._scan = analysis_of(self.coordinates)
        return self._scan

    def _curve(self, i: int) -> np.ndarray:
        if not self.coordinates:
            raise ArgumentError("a scan of frames has no grid: expected coordinates")
        all_of = self.energies
        if not -len(all_of) <= i < len(all_of):
            raise ArgumentError(f"molecule {i}: expected 0 to {len(all_of) - 1}")
        return np.ascontiguousarray(all_of[i].ravel())

    def _point(self, place: int) -> tuple[float, ...]:
        at = np.unravel_index(place, self.shape)
        return tuple(float(v[k]) for v, k in zip(self.values, at))

    def minima(self, i: int = 0) -> list[Minimum]:
        """Minima of molecule (or copy) i, the lowest first; dents below 0.1 meV are none."""
        energies = self._curve(i)
        most = 1024
        while True:
            rows, n = (_abi.shoal_scan_minimum * most)(), ctypes.c_int32()
            check(lib.shoal_scan_minima(self._analysis()._ptr, energies.ctypes.data, rows, most,
                                        ctypes.byref(n)))
            if n.value <= most:
                break
            most = n.value
        return [Minimum(tuple(int(k) for k in np.unravel_index(m.place, self.shape)),
                        self._point(m.place), m.energy, m.at_edge,
                        self._point(m.barrier) if m.barrier >= 0 else None,
                        m.barrier_energy if m.barrier >= 0 else np.nan)
                for m in rows[:n.value]]

    def barriers(self, i: int = 0) -> list[tuple[float, float]]:
        """Maxima between neighbouring minima of the curve of molecule i: (value, energy in eV)."""
        energies = self._curve(i)
        if len(self.shape) != 1:
            raise ArgumentError(f"barriers are those of curves; expected one coordinate, found "
                                f"{len(self.shape)}: see the barrier of minima")
        places, n = (ctypes.c_int64 * len(energies))(), ctypes.c_int32()
        check(lib.shoal_scan_maxima(self._analysis()._ptr, energies.ctypes.data, places,
                                    len(energies), ctypes.byref(n)))
        return [(self._point(p)[0], float(energies[p])) for p in places[:n.value]]

    def picture(self, path: Any, i: int = 0, *, title: str | None = None) -> None:
        """Draws the curve, or the map of two coordinates, of molecule i: .svg or .png."""
        if not str(path).endswith((".svg", ".png")):
            raise ArgumentError(f"{path}: expected a name that ends in .svg or .png")
        energies = self._curve(i)
        if title is None:
            names = self.name
            title = names[min(i * self.n_points, len(names) - 1)] if names else ""
        check(lib.shoal_scan_plot(self._analysis()._ptr, energies.ctypes.data, 1.0, b"eV",
                                  title.encode(), path_bytes("path", path)))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_scan": None}  # made again when it is asked for
