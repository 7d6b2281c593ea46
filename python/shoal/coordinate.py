# SPDX-License-Identifier: BSD-3-Clause
"""Coordinates of scans: distances, angles, torsions, volumes, or where and how a molecule lies."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _abi
from ._handle import array_of, brief, choice, reals, whole, word
from ._lib import ArgumentError, check, lib

_N_ATOMS = {"distance": 2, "angle": 3, "torsion": 4}


@dataclass(frozen=True)
class Coordinate:
    """A coordinate and its points: n of them from start to stop, evenly.

    kind: distance (angstrom), angle, torsion (degrees) of atoms counted from 0, or x, y, z
    (angstrom), rx, ry, rz (degrees) of the molecule, or volume (that of the file times a number) of
    its cell. Coordinate.torsion(0, 1, 2, 3, values) and its
    sisters take values as text ("0:360:5" by steps, "0:360:n7" as many points, "60"), as one
    number, or as numbers that are evenly spaced; Coordinate.parse takes all of it as text.

    >>> import shoal
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
        check(lib.shoal_coordinate_parse(word("coordinate", text), ctypes.byref(c)))
        kind = lib.shoal_coordinate_name(c.kind).decode()
        return cls(kind, tuple(c.atoms[: _N_ATOMS.get(kind, 0)]), getattr(c, "from"), c.to, c.n)

    @classmethod
    def _make(cls, kind: str, atoms: tuple[int, ...], values: Any) -> Coordinate:
        numbered = [str(whole(f"{kind} of atoms", i, 0)) for i in atoms]
        what = f"{kind}:{','.join(numbered)}" if atoms else kind
        if isinstance(values, str):
            return cls.parse(f"{what}={values}")
        given = np.atleast_1d(array_of(what, values))
        if given.ndim != 1 or not given.size:
            raise ArgumentError(f"{what}: expected a row of values, got {brief(values)}")
        numbers = reals(what, given, (None,))
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
    def torsion(cls, i: int, j: int, k: int, l: int, values: Any) -> Coordinate:
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

    @classmethod
    def volume(cls, values: Any) -> Coordinate:
        """Of the cell: that of the record times a number; of layers areas, of chains lengths."""
        return cls._make("volume", (), values)

    @property
    def name(self) -> str:
        """What stands before '=' in a text: "torsion:0,1,2,3"."""
        return f"{self.kind}:{','.join(map(str, self.atoms))}" if self.atoms else self.kind

    @property
    def unit(self) -> str:
        """Of its values: A or degrees; V of the volume of the record."""
        if self.kind == "volume":
            return "V"
        return "A" if self.kind in ("distance", "x", "y", "z") else "degrees"

    def _c(self) -> Any:
        """The same for the C library."""
        kinds = [lib.shoal_coordinate_name(k).decode() for k in range(_abi.SHOAL_N_COORDINATES)]
        c = _abi.shoal_coordinate(kind=choice("kind", self.kind, kinds), to=self.stop, n=self.n)
        c.atoms[: len(self.atoms)] = self.atoms
        setattr(c, "from", self.start)
        return c

    def __str__(self) -> str:
        if self.n == 1:
            return f"{self.name}={self.start!r}"
        return f"{self.name}={self.start!r}:{self.stop!r}:n{self.n}"
