# SPDX-License-Identifier: BSD-3-Clause
# Harmonic restraints.
"""Restraints: harmonic pulls k/2 (x - value)^2 on positions, distances, angles and torsions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import _abi
from ._handle import brief, number, reals, whole, word
from ._lib import ArgumentError

PLACES = ("position", "centre")
AXES = {"x": _abi.SHOAL_FREE_X, "y": _abi.SHOAL_FREE_Y, "z": _abi.SHOAL_FREE_Z}


@dataclass(frozen=True)
class Restraint:
    """One pull; made by ``position``, ``centre``, ``distance``, ``angle`` and ``torsion``.

    >>> import shoal
    >>> shoal.Restraint.distance(0, 5, value=3.0, k=2.0)
    Restraint(kind='distance', atoms=(0, 5), k=2.0, value=3.0, target=None, directions='')
    """

    kind: str
    atoms: tuple[int, ...]
    k: float
    """eV/angstrom^2, or eV/radian^2 of angles and torsions."""
    value: float = 0.0
    """What it is pulled to: angstrom, or degrees."""
    target: tuple[float, float, float] | None = None
    """Of a position or a centre, angstrom; None: where it starts."""
    directions: str = ""
    """Of a position or a centre: those that are held."""

    @staticmethod
    def position(i: int, k: float, target: Any = None, directions: str = "xyz") -> Restraint:
        """Ties atom i to target (angstrom; None: where it starts), in the directions named."""
        return Restraint("position", _atoms(i), number("k", k, 0), 0.0, *_place(target, directions))

    @staticmethod
    def centre(
        first: int, last: int, k: float, target: Any = None, directions: str = "xyz"
    ) -> Restraint:
        """Ties the centre (mean) of atoms first to last to target, in the directions named."""
        atoms = _atoms(first, last)
        if first > last:
            raise ArgumentError(f"atoms: expected the first and the last one, got {atoms}")
        return Restraint("centre", atoms, number("k", k, 0), 0.0, *_place(target, directions))

    @staticmethod
    def distance(i: int, j: int, value: float, k: float) -> Restraint:
        """Pulls the distance of two atoms to value, angstrom; k in eV/angstrom^2."""
        return Restraint("distance", _atoms(i, j), number("k", k, 0), number("value", value, 0))

    @staticmethod
    def angle(i: int, j: int, k_atom: int, value: float, k: float) -> Restraint:
        """Pulls the angle i-j-k_atom, j being the centre, to value, degrees; k in eV/radian^2."""
        degrees = number("value", value, 0)
        if degrees > 180:
            raise ArgumentError(f"value: expected an angle from 0 to 180 degrees, got {value!r}")
        return Restraint("angle", _atoms(i, j, k_atom), number("k", k, 0), degrees)

    @staticmethod
    def torsion(i: int, j: int, k_atom: int, l_atom: int, value: float, k: float) -> Restraint:
        """Pulls the torsion of four atoms to value, degrees, the short way; k in eV/radian^2."""
        return Restraint(
            "torsion", _atoms(i, j, k_atom, l_atom), number("k", k, 0), number("value", value)
        )

    def _fill(self, out: _abi.shoal_restraint) -> None:
        """As the C library takes it."""
        kinds = ("position", "distance", "angle", "torsion", "centre")
        out.kind = kinds.index(self.kind)
        for n, i in enumerate(self.atoms):
            out.atoms[n] = i
        out.k = self.k
        out.value = math.radians(self.value) if out.kind > 1 else self.value
        if self.kind in PLACES:
            out.value = sum(bit for axis, bit in AXES.items() if axis not in self.directions)
            out.target[:] = self.target or (0.0, 0.0, 0.0)


def _place(target: Any, directions: str) -> tuple[tuple[float, ...] | None, str]:
    """A target, and the directions that are held."""
    word("directions", directions)
    held = "".join(axis for axis in "xyz" if axis in directions)
    if not held or set(directions) - set("xyz"):
        raise ArgumentError(f"directions: expected some of 'xyz', got {brief(directions)}")
    return None if target is None else tuple(reals("target", target, (3,)).tolist()), held


def _atoms(*atoms: Any) -> tuple[int, ...]:
    found = tuple(whole("atom", i, 0) for i in atoms)
    if len(set(found)) < len(found):
        raise ArgumentError(f"atoms: expected different ones, got {found}")
    return found


def restraint_array(restraints: Sequence[Restraint]) -> Any:
    """Restraints as an array of the C library."""
    array = (_abi.shoal_restraint * max(len(restraints), 1))()
    for k, restraint in enumerate(restraints):
        if not isinstance(restraint, Restraint):
            raise ArgumentError(f"restraints[{k}]: expected a Restraint, got {brief(restraint)}")
        restraint._fill(array[k])
    return array
