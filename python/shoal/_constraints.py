# SPDX-License-Identifier: BSD-3-Clause
# Constraints of ASE as fixed atoms and restraints.
"""Constraints of ase.Atoms in the words of Shoal."""

from __future__ import annotations

from typing import Any

import numpy as np
from ase import Atoms
from ase.constraints import FixAtoms, FixCartesian, FixedLine, FixedPlane, Hookean
from ase.geometry import find_mic

from ._lib import UnsupportedError
from .restraint import Restraint

HOLD = 1000.0  # eV/angstrom^2: how a coordinate is held that must not move


class Constraints:
    """Constraints of one Atoms in the words of Shoal: fixed atoms, held directions, springs."""

    def __init__(self, atoms: Atoms, label: str) -> None:
        n = len(atoms)
        self.start = atoms.get_positions()
        self.fixed = np.zeros(n, bool)
        self.held = np.zeros((n, 3), bool)  # directions
        self.springs: list[Hookean] = []
        for constraint in atoms.constraints:
            self._take(constraint, atoms, label)
        self.fixed |= self.held.all(axis=1)
        self.held[self.fixed] = False
        self.targets = self.start.copy()  # where held coordinates are pulled to
        self.pulling = [_stretch(spring, self.start) > 0 for spring in self.springs]

    def _take(self, constraint: Any, atoms: Atoms, label: str) -> None:
        given = constraint.todict()["kwargs"] if hasattr(constraint, "todict") else {}
        indices = given.get("indices", given.get("a", []))  # by version of ASE
        atoms_of = np.atleast_1d(np.asarray(indices, np.intp))  # there may be none
        if isinstance(constraint, FixAtoms):
            self.fixed[atoms_of] = True
        elif isinstance(constraint, FixCartesian):
            self.held[atoms_of] |= np.asarray(given["mask"], bool)
        elif isinstance(constraint, (FixedPlane, FixedLine)):
            along = np.abs(np.asarray(given["direction"])) > 1e-12
            if along.sum() != 1:
                raise _refusal(label, constraint, "one along x, y or z")
            self.held[atoms_of] |= along if isinstance(constraint, FixedPlane) else ~along
        elif isinstance(constraint, Hookean):
            _check_spring(constraint, atoms, label)
            self.springs.append(constraint)
        else:
            raise _refusal(
                label, constraint, "FixAtoms, FixCartesian, FixedPlane, FixedLine or Hookean"
            )

    @property
    def soft(self) -> bool:
        """Whether restraints stand for some of them."""
        return bool(self.held.any()) or bool(self.springs)

    def restraints(self) -> list[Restraint]:
        """What keeps to them in a relaxation."""
        out = []
        for i in np.flatnonzero(self.held.any(axis=1)).tolist():
            held = "".join(axis for axis, on in zip("xyz", self.held[i]) if on)
            out.append(Restraint.position(i, HOLD, self.targets[i], held))
        out += [_pull(s) for s, on in zip(self.springs, self.pulling) if on]
        return out

    def follow(self, positions: np.ndarray) -> bool:
        """Looks where a relaxation ended: aims the restraints better; whether it has to go on.

        A held coordinate gives way by force / HOLD; aimed as far beyond its place, it comes back to
        it. A spring pulls only beyond its length, a restraint always: it is left out where it would
        push.
        """
        off = np.where(self.held, positions - self.start, 0.0)
        self.targets -= off
        pulling = [_stretch(spring, positions) > 0 for spring in self.springs]
        changed, self.pulling = pulling != self.pulling, pulling
        return changed or bool(np.abs(off).max(initial=0.0) > 1e-5)

    def settle(self, positions: np.ndarray) -> np.ndarray:
        """Positions with held coordinates exactly where they were."""
        return np.where(self.held, self.start, positions)


def _refusal(label: str, constraint: Any, expected: str) -> UnsupportedError:
    return UnsupportedError(
        f"{label}: relax_many cannot keep to the constraint {constraint!r}; expected {expected}, "
        "or use the calculator shoal.ase.Shoal with an optimiser of ASE, which keeps to all"
    )


def _check_spring(spring: Hookean, atoms: Atoms, label: str) -> None:
    """Refuses a spring that no restraint of coordinates in the home cell can stand for."""
    if spring._type == "plane":
        if np.count_nonzero(spring.plane[:3]) != 1:
            raise _refusal(label, spring, "a plane normal to x, y or z")
        return
    if spring._type == "point" and (spring.threshold or 0.0) > 0.0:
        raise _refusal(label, spring, "a point with rt=0")
    if atoms.pbc.any():
        ends = atoms.positions[spring.indices] if spring._type == "two atoms" else None
        way = (
            ends[1] - ends[0] if ends is not None else spring.origin - atoms.positions[spring.index]
        )
        if np.abs(find_mic(way, atoms.cell, atoms.pbc)[0] - way).max() > 1e-9:
            raise _refusal(label, spring, "atoms in the same cell")


def _stretch(spring: Hookean, positions: np.ndarray) -> float:
    """Angstrom beyond the length where a spring begins to pull."""
    if spring._type == "plane":
        normal = np.asarray(spring.plane[:3], float)
        return float((normal @ positions[spring.index] + spring.plane[3]) / np.linalg.norm(normal))
    if spring._type == "two atoms":
        i, j = spring.indices
        return float(np.linalg.norm(positions[j] - positions[i]) - (spring.threshold or 0.0))
    return float(np.linalg.norm(spring.origin - positions[spring.index]))


def _pull(spring: Hookean) -> Restraint:
    """The restraint that a spring is while it pulls."""
    if spring._type == "plane":
        normal, offset = np.asarray(spring.plane[:3], float), float(spring.plane[3])
        axis = int(np.argmax(np.abs(normal)))
        target = [0.0, 0.0, 0.0]
        target[axis] = -offset / normal[axis]
        return Restraint.position(int(spring.index), spring.spring, target, "xyz"[axis])
    if spring._type == "two atoms":
        i, j = (int(k) for k in spring.indices)
        return Restraint.distance(i, j, float(spring.threshold or 0.0), spring.spring)
    return Restraint.position(int(spring.index), spring.spring, spring.origin)
