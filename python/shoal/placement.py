# SPDX-License-Identifier: BSD-3-Clause
# How molecules are put above a surface.
"""Placement: how a molecule is turned and where it is put before it is computed."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

from . import _abi
from ._handle import choice, instance, number, reals
from ._lib import ArgumentError, check, lib
from .molecule import Molecule
from .surface import Surface

ORIENTATIONS = ("asis", "flat", "upright")


@dataclass(frozen=True)
class Placement:
    """Turned about its centre, then moved.

    orient: "asis", "flat" or "upright" (by axes of inertia). rotate: degrees about x, then y,
    then z, after that. at: (x, y), where the centre goes, angstrom; None: it stays. height:
    angstrom of the lowest atom above the topmost one of the surface; None: it stays.

    >>> import shoal
    >>> shoal.Placement(orient="flat", at=(0, 0), height=3.0)
    Placement(orient='flat', rotate=(0.0, 0.0, 0.0), at=(0.0, 0.0), height=3.0)
    """

    orient: str = "asis"
    rotate: tuple[float, float, float] = (0.0, 0.0, 0.0)
    at: tuple[float, float] | None = None
    height: float | None = None

    def __post_init__(self) -> None:
        choice("orient", self.orient, ORIENTATIONS)
        put = object.__setattr__
        put(self, "rotate", tuple(reals("rotate", self.rotate, (3,)).tolist()))
        if self.at is not None:
            put(self, "at", tuple(reals("at", self.at, (2,)).tolist()))
        if self.height is not None:
            put(self, "height", number("height", self.height, least=0.1))

    def _options(self) -> _abi.shoal_placement:
        out = _abi.shoal_placement(orient=ORIENTATIONS.index(self.orient))
        out.rotate[:] = self.rotate
        if self.at is not None:
            out.has_at = True
            out.at[:] = self.at
        out.height = self.height or 0.0
        return out

    def check(self, on_surface: bool) -> None:
        """Refuses a height above nothing."""
        if self.height is not None and not on_surface:
            raise ArgumentError("height: expected a surface with it, got surface=None")

    def apply(self, molecule: Molecule, surface: Any = None) -> Molecule:
        """A copy of a molecule, put so; surface: what height counts from."""
        mol = instance("molecule", molecule, Molecule).copy()
        options = self._options()
        on = None if surface is None else instance("surface", surface, Surface)._ptr
        self.check(on is not None)
        check(lib.shoal_placement_apply(ctypes.byref(options), on, mol._ptr))
        return mol
