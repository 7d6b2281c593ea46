# SPDX-License-Identifier: BSD-3-Clause
# The calculator for ASE.
"""An ASE calculator over an engine, which is set up once and given new positions every time."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from ase import Atoms
from ase.calculators.calculator import (
    CalculationFailed,
    Calculator,
    PropertyNotImplementedError,
    all_changes,
)

from ._atoms import mask_of, split, to_molecule, wanted
from ._lib import ArgumentError, lib
from .engine import Engine
from .forcefield import FIELDS
from .options import Interactions
from .pair_model import PairModel, model_of
from .surface import Grid, Surface

# Central differences of the energy: steps and weights of the fourth order.
DISPLACEMENT = 2e-3  # angstrom
STEPS = ((1, 8 / 12), (-1, -8 / 12), (2, -1 / 12), (-2, 1 / 12))
FOLLOWED = 1e-7  # eV per radian, eV/angstrom: what follows the atoms feels no more


class Shoal(Calculator):
    """Energies, forces, stress and charges of a force field for ASE.

    Atoms are typed at the first call, from their distances, and keep bonds, types and charges while
    they move; other elements, pbc or initial charges are typed anew. Atoms that are wrapped back
    into the cell keep their bonds.

    bonds: "keep", or "find" to look for bonds again whenever atoms move (energies then jump where a
    bond is found or lost), or a list of bonds as `Molecule` takes it. charges: "auto" (initial
    charges, if any is not zero), "none", "file" (initial charges) or "qeq" (equilibrated at the
    first geometry). total_charge in e, where formal charges must be found. forcefield: "uff",
    "mmffsp3", either with a dialect behind a colon, "mmff94", "mmff94s", or an object. Pi vectors
    and electron pairs of MMFFsp3 follow the atoms: they are relaxed at every geometry, and forces
    are central differences of that energy, all copies as one batch; ``shoal.ase.relax_many`` moves
    them along and is far faster. params: a pair model. device: "cpu", "opencl:0", "auto";
    precision: "double" or "float"; threads: 0 for all; interactions: an `Interactions`: terms to
    leave out, cut-off and Ewald sums.

    surface: the `Surface` that the atoms stand on; substrate: truth values or indices of atoms that
    are a rigid slab, of which the surface is made where none is given. They feel no forces, as if
    FixAtoms held them, and are no part of the energy.

    Energies by term of the last call are in ``terms``, in eV. Stress is there where three
    directions repeat: central differences of the energy under strain, all copies as one batch.
    """

    implemented_properties = ["energy", "free_energy", "forces", "stress", "charges"]
    default_parameters: dict[str, Any] = {
        "charges": "auto",
        "forcefield": "uff",
        "params": None,
        "bonds": "keep",
        "total_charge": None,
        "device": "cpu",
        "precision": "double",
        "threads": 0,
        "interactions": None,
        "surface": None,
        "grid": None,
        "substrate": None,
    }
    ignored_changes = {"initial_magmoms"}

    def __init__(self, **kwargs: Any) -> None:
        self.terms: dict[str, float] = {}
        self._system: _System | None = None
        super().__init__(**kwargs)

    def set(self, **kwargs: Any) -> dict[str, Any]:
        """Changes parameters; what was typed and computed is forgotten if any changes."""
        for key in kwargs:
            if key not in self.default_parameters and key != "parameters":
                known = ", ".join(self.default_parameters)
                raise ArgumentError(f"{key}: no parameter of this calculator; they are {known}")
        changed = super().set(**kwargs)
        if changed:
            self.reset()
        return changed

    def reset(self) -> None:
        """Forgets bonds, types and results."""
        super().reset()
        self._system = None
        self.terms = {}

    def todict(self, skip_default: bool = True) -> dict[str, Any]:
        """Parameters for files of ASE; objects of Shoal in words."""
        given = super().todict(skip_default)
        objects = (Surface, Grid, PairModel, Interactions, *FIELDS)
        return {k: repr(v) if isinstance(v, objects) else v for k, v in given.items()}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_system": None}  # typed again where it is needed

    def calculate(
        self,
        atoms: Atoms | None = None,
        properties: Sequence[str] = ("energy",),
        system_changes: Sequence[str] = tuple(all_changes),
    ) -> None:
        """Called by ASE; fails with CalculationFailed, naming atom and reason."""
        super().calculate(atoms, list(properties), list(system_changes))
        system = self._system
        if system is None or not system.fits(self.atoms):
            system = self._system = _System(self.atoms, self.parameters)
        energy, forces, self.terms = system.evaluate(self.atoms)
        self.results = {
            "energy": energy,
            "free_energy": energy,
            "forces": forces,
            "charges": system.charges(self.atoms),
        }
        if "stress" in properties:
            self.results["stress"] = system.stress()


# Parameters that engines take.
_ENGINE = ("device", "precision", "threads", "interactions", "grid")


class _System:
    """One typed Atoms in an engine, which is given new positions again and again."""

    def __init__(self, atoms: Atoms, parameters: Mapping[str, Any]) -> None:
        self.parameters = parameters
        self.numbers, self.pbc = atoms.numbers.copy(), atoms.pbc.copy()
        self.initial_charges = atoms.get_initial_charges()
        n = len(atoms)
        substrate = parameters["substrate"]
        self.moving = np.ones(n, bool) if substrate is None else ~mask_of(substrate, n)
        self.slab: np.ndarray | None = (
            None  # positions of the substrate that the surface is made of
        )
        self.surface = parameters["surface"]
        part = atoms
        if substrate is not None:
            if self.surface is None:
                self.slab = atoms.positions[~self.moving].copy()
                self.surface = split(atoms, ~self.moving)[1]
            part = atoms[self.moving]
            part.pbc = [*atoms.pbc[:2], False]
        self._type(part)
        self._look_at_surface()
        self.last = part.positions.copy()
        self.cell = atoms.cell.array.copy()
        self._engine: Engine | None = None

    def _type(self, part: Atoms) -> None:
        """Finds bonds, types and charges at this geometry."""
        given = self.parameters
        self.bonds = given["bonds"] if isinstance(given["bonds"], str) else "given"
        if self.bonds not in ("keep", "find", "given"):
            raise ArgumentError(f"bonds: expected 'keep', 'find' or bonds, got {self.bonds!r}")
        bonds = given["bonds"] if self.bonds == "given" else None
        molecule = to_molecule(part, bonds=bonds, initial_charges=wanted(given["charges"]))
        if given["total_charge"] is not None:
            molecule.perceive(given["total_charge"])
        self.part_pbc = part.pbc.copy()
        self.topology = molecule.topology(
            given["charges"], given["params"], forcefield=given["forcefield"]
        )
        if self.topology.status != "ok":
            raise CalculationFailed(f"{self.topology.status}: {self.topology.reason}")
        # Whether something moves that ASE knows nothing of.
        self.follows = self.topology.n_movers > len(self.topology)
        kept = self.topology.terms("bond")
        kept = kept[(kept["atoms"] < len(self.topology)).all(axis=1)]
        watches = self.bonds == "keep" and len(kept)
        self.watched = np.array(kept) if watches else None  # bonds that may become absurd

    def _look_at_surface(self) -> None:
        """Warns of what rows of a batch would: charges on one side alone, metals with UFF's."""
        if self.surface is None or self.parameters["params"] is not None:
            return
        text = lib.shoal_surface_warning(self.surface._ptr, self.topology._ptr)
        if text:
            warnings.warn(text.decode(), stacklevel=2)

    def fits(self, atoms: Atoms) -> bool:
        """Whether these atoms are still those that were typed."""
        if len(atoms) != len(self.numbers) or (atoms.numbers != self.numbers).any():
            return False
        if (atoms.pbc != self.pbc).any():
            return False
        if (atoms.get_initial_charges() != self.initial_charges).any():
            return False
        moved = not np.array_equal(atoms.positions[self.moving], self.last)
        if self.bonds == "find" and moved:
            return False
        slab = atoms.positions[~self.moving]
        return self.slab is None or (
            np.array_equal(slab, self.slab) and np.array_equal(atoms.cell.array, self.cell)
        )

    def _unwrapped(self, atoms: Atoms) -> np.ndarray:
        """Positions as whole vectors of the cell away from the last ones as they need to be.

        Bonds name the image of an atom that they go to, so an atom that was wrapped to the other
        side of the cell is taken back.
        """
        positions = atoms.positions[self.moving]
        if self.part_pbc.any():
            cell = atoms.cell.complete().array
            turns = np.rint((positions - self.last) @ np.linalg.inv(cell))
            positions = positions - np.where(self.part_pbc, turns, 0.0) @ cell
        return positions

    def _make(
        self, cells: Sequence[np.ndarray], positions: Sequence[np.ndarray], **more: Any
    ) -> Engine:
        given = {key: self.parameters[key] for key in _ENGINE if self.parameters[key] is not None}
        return Engine(
            [self.topology] * len(positions),
            positions,
            cells=cells if self.part_pbc.any() else None,
            fixed=[np.ones(len(self.topology), bool)] * len(positions) if self.follows else None,
            surface=self.surface,
            params=model_of(self.parameters["params"]),
            **{**given, **more},
        )

    def _look_at_bonds(self, positions: np.ndarray, cell: np.ndarray) -> None:
        """Warns once where a bond that is kept has become absurd: these may be other molecules."""
        bonds = self.watched
        if bonds is None:
            return
        i, j = bonds["atoms"].T
        ways = positions[j] - positions[i] + bonds["shifts"][:, 1] @ cell
        stretch = np.einsum("ij,ij->i", ways, ways) / bonds["r0"] ** 2
        k = int(stretch.argmax())
        if stretch[k] > 4.0:
            self.watched = None
            warnings.warn(
                f"the bond of atoms {i[k]} and {j[k]} is {np.linalg.norm(ways[k]):.2f} angstrom "
                "long; bonds are those of the first geometry: calc.reset() or bonds='find' looks "
                "for them again",
                stacklevel=2,
            )

    def evaluate(self, atoms: Atoms) -> tuple[float, np.ndarray, dict[str, float]]:
        """Energy in eV, forces of all atoms in eV/angstrom, energies by term in eV."""
        positions = self._unwrapped(atoms)
        if self.follows:
            return self._evaluate_followed(atoms, positions)
        cell = atoms.cell.array
        if self._engine is None or not np.array_equal(cell, self.cell):
            self._engine = self._make([cell], [positions])
        else:
            self._engine.set_positions(0, positions)
        self.cell, self.last = cell.copy(), positions
        self._look_at_bonds(positions, cell)
        self._engine.energy()
        result = self._engine.result(0)
        if not np.isfinite(result.energy):
            raise CalculationFailed(f"{result.status}: {result.reason}")
        forces = np.zeros((len(atoms), 3))
        forces[self.moving] = result.forces
        self._stress = result.stress
        return float(result.energy), forces, dict(result.terms)

    def _evaluate_followed(
        self, atoms: Atoms, positions: np.ndarray
    ) -> tuple[float, np.ndarray, dict[str, float]]:
        """The same where something follows the atoms: engines hold these, and show no forces."""
        moves = np.zeros((positions.size, len(STEPS), positions.size))
        for k in range(positions.size):
            moves[k, :, k] = [step * DISPLACEMENT for step, _ in STEPS]
        copies = positions + np.vstack((np.zeros((1, positions.size)), *moves)).reshape(
            -1, *positions.shape
        )
        cell = atoms.cell.array
        if self._engine is None or not np.array_equal(cell, self.cell):
            self._engine = self._make([cell] * len(copies), list(copies))
        else:
            self._engine.set_all_positions(copies)
        self.cell, self.last = cell.copy(), positions
        self._look_at_bonds(positions, cell)
        self._compute(self._engine)
        result = self._engine.result(0)
        if not np.isfinite(result.energy):
            raise CalculationFailed(f"{result.status}: {result.reason}")
        weights = np.array([weight for _, weight in STEPS]) / DISPLACEMENT
        slopes = np.array(self._engine.energies)[1:].reshape(-1, len(STEPS)) @ weights
        forces = np.zeros((len(atoms), 3))
        forces[self.moving] = -slopes.reshape(positions.shape)
        self._stress = result.stress
        return float(result.energy), forces, dict(result.terms)

    def _compute(self, engine: Engine) -> None:
        """Evaluates; where all atoms are fixed, what follows them has moved before."""
        if self.follows:
            engine.relax(fmax=FOLLOWED, max_steps=1000)
        else:
            engine.energy()

    def charges(self, atoms: Atoms) -> np.ndarray:
        """Partial charges that act, e; of the substrate its own."""
        out = atoms.get_initial_charges()
        out[self.moving] = self.topology.charges[: int(self.moving.sum())]
        return out

    def stress(self) -> np.ndarray:
        """xx, yy, zz, yz, xz, xy of the last evaluation, eV/angstrom^3; positive: stretched."""
        if not self.part_pbc.all() or self.surface is not None:
            raise PropertyNotImplementedError(
                "stress: expected a cell that repeats in three directions"
            )
        return self._stress
