# SPDX-License-Identifier: BSD-3-Clause
# ASE: Atoms into molecules and back, a calculator, and relaxing many Atoms at once.
"""ASE: a calculator, relaxation of many Atoms at once, conversions.

Units are ASE's own: eV, angstrom, e, and eV/angstrom^3 for stress.
"""

from __future__ import annotations

import warnings
from typing import Any, Iterable, Mapping, Sequence

import numpy as np
from ase import Atoms
from ase.calculators.calculator import (
    CalculationFailed,
    Calculator,
    PropertyNotImplementedError,
    all_changes,
)
from ase.calculators.singlepoint import SinglePointCalculator
from ase.constraints import FixAtoms, FixCartesian, FixedLine, FixedPlane, Hookean

from ._lib import ArgumentError, UnsupportedError
from .batch import Batch
from .engine import Engine
from .molecule import Molecule
from .pair_model import model_of
from .restraint import Restraint
from .surface import Surface

__all__ = ["Shoal", "from_result", "relax_many", "split", "to_atoms", "to_molecule"]

HOLD = 1000.0  # eV/angstrom^2: how a coordinate is held that must not move


# --- conversions ---


def to_molecule(
    atoms: Atoms, *, bonds: Any = None, initial_charges: bool | None = None, name: str = ""
) -> Molecule:
    """The molecule of an Atoms, with cell and pbc.

    bonds: as of `Molecule`; None: found from distances. initial_charges: take the initial charges
    as partial charges, in e; None: where any of them is not zero. Masses that differ from those of
    the elements become isotopes. Tags, momenta and constraints stay behind.
    """
    charges = atoms.get_initial_charges()
    taken = bool(charges.any()) if initial_charges is None else initial_charges
    periodic = bool(atoms.pbc.any()) or bool(atoms.cell.array.any())
    out = Molecule(
        atoms.numbers,
        atoms.positions,
        bonds,
        cell=atoms.cell.array if periodic else None,
        pbc=atoms.pbc if periodic else None,
        charges=charges if taken else None,
        name=name or str(atoms.info.get("name", "")),
    )
    if atoms.has("masses"):
        usual = Atoms(numbers=atoms.numbers).get_masses()
        other = np.abs(atoms.get_masses() - usual) > 0.5
        if other.any():
            out.isotopes = np.where(other, np.rint(atoms.get_masses()), 0).astype(np.int32)
    return out


def to_atoms(molecule: Molecule) -> Atoms:
    """An Atoms with the elements, coordinates, cell, pbc and partial charges of a molecule.

    Its name and data fields go into ``info``; isotopes become masses in amu.
    """
    out = Atoms(
        numbers=molecule.numbers,
        positions=molecule.positions,
        cell=molecule.cell,
        pbc=molecule.pbc,
        info=dict(molecule.properties),
    )
    if molecule.name:
        out.info["name"] = molecule.name
    if molecule.charges is not None:
        out.set_initial_charges(molecule.charges)
    isotopes = molecule.isotopes
    if isotopes.any():
        out.set_masses(np.where(isotopes > 0, isotopes, out.get_masses()))
    return out


def from_result(result: Any) -> Atoms:
    """An Atoms of one system of `Results`, with energy, forces and charges in its calculator.

    Status and reason are in ``info`` as shoal_status and shoal_reason.
    """
    out = to_atoms(result.molecule)
    out.info["shoal_status"] = result.status
    out.info["shoal_reason"] = result.reason
    if np.isfinite(result.energy):
        found = {"energy": result.energy, "free_energy": result.energy}
        if "atoms/force" in result.results._table.columns:
            found["forces"] = np.array(result.forces)
        if np.isfinite(result.charges).all():
            found["charges"] = np.array(result.charges)
        out.calc = SinglePointCalculator(out, **found)
        out.calc.name = "shoal"
    return out


def _mask_of(substrate: Any, n: int) -> np.ndarray:
    """Truth values of atoms, from such values or from indices."""
    given = np.asarray(substrate)
    if given.dtype == bool:
        if given.shape != (n,):
            raise ArgumentError(f"substrate: expected {n} truth values, got shape {given.shape}")
        return given
    mask = np.zeros(n, bool)
    try:
        mask[given.astype(int)] = True
    except (IndexError, ValueError, TypeError):
        raise ArgumentError(f"substrate: expected atoms 0 to {n - 1}, got {substrate!r}") from None
    return mask


def split(atoms: Atoms, mask: Any, **options: Any) -> tuple[Atoms, Surface]:
    """Splits Atoms on a slab into the molecule and the substrate.

    mask: truth values or indices of the substrate atoms. The substrate becomes a rigid `Surface`
    that repeats along a and b, which must lie in the xy plane with z away from it; its initial
    charges are the charges of the surface. options are those of `Surface` (form="morse", ..). The
    molecule keeps cell, constraints and what repeats along a and b.
    """
    substrate = _mask_of(mask, len(atoms))
    if not substrate.any() or substrate.all():
        raise ArgumentError(
            f"mask: expected some of {len(atoms)} atoms as substrate, got {int(substrate.sum())}"
        )
    slab = to_molecule(atoms[substrate])
    slab.set_cell(atoms.cell.array, [True, True, False])
    molecule = atoms[~substrate]
    molecule.pbc = [*atoms.pbc[:2], False]
    molecule.info = dict(atoms.info)
    return molecule, Surface(slab, **options)


# --- constraints ---


class _Constraints:
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
        if isinstance(constraint, FixAtoms):
            self.fixed[constraint.index] = True
        elif isinstance(constraint, FixCartesian):
            self.held[constraint.index] |= constraint.mask
        elif isinstance(constraint, (FixedPlane, FixedLine)):
            along = np.abs(np.asarray(constraint.dir)) > 1e-12
            if along.sum() != 1:
                raise _refusal(label, constraint, "one along x, y or z")
            held = along if isinstance(constraint, FixedPlane) else ~along
            self.held[np.atleast_1d(constraint.index)] |= held
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
        f"{label}: relax_many cannot keep to the constraint {constraint!r}; expected {expected}, or "
        "use the calculator shoal.ase.Shoal with an optimiser of ASE, which keeps to all"
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
        from ase.geometry import find_mic

        ends = atoms.positions[spring.indices] if spring._type == "two atoms" else None
        way = ends[1] - ends[0] if ends is not None else spring.origin - atoms.positions[spring.index]
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


# --- many Atoms at once ---


def relax_many(
    images: Iterable[Atoms],
    *,
    fmax: float = 0.01,
    max_steps: int = 5000,
    method: str = "lbfgs",
    device: str = "auto",
    charges: str = "auto",
    substrate: Any = None,
    surface: Surface | None = None,
    progress: Any = None,
    **options: Any,
) -> list[Atoms]:
    """Relaxes many Atoms as one batch; gives relaxed copies in the same order.

    fmax in eV/angstrom. charges: "auto" (initial charges, if any is not zero), "none", "file"
    (initial charges, which must be there) or "qeq". substrate: truth values or indices of the atoms
    of every image that are a rigid slab, the same in all of them; surface: the `Surface` to stand
    on, instead of what is made of them. Other options are those of `Batch`.

    Each copy has the energy, forces (without those of constraints) and charges in its calculator,
    and in ``info`` shoal_status, shoal_reason and shoal_steps; one that failed stays as it was,
    without a calculator. Constraints are kept to: FixAtoms; FixCartesian, FixedPlane and FixedLine
    along x, y, z; Hookean. Others raise UnsupportedError. Cell and pbc stay.
    """
    images = list(images)
    parts, surface = _parted(images, substrate, surface)
    kept = [_Constraints(part, f"image {k}") for k, part in enumerate(parts)]
    molecules = [to_molecule(part, initial_charges=_wanted(charges)) for part in parts]
    common = {"device": device, "surface": surface, **options}
    relax = {"fmax": fmax, "max_steps": max_steps, "method": method, "progress": progress}
    found = _relax_kept(molecules, kept, {"charges": charges, **common}, relax)
    return [
        _relaxed(image, part, substrate, result)
        for image, part, result in zip(images, parts, found)
    ]


def _wanted(charges: str) -> bool | None:
    """Whether initial charges are partial charges, by the source that was asked for."""
    return {"file": True, "none": False}.get(charges)


def _parted(
    images: Sequence[Atoms], substrate: Any, surface: Surface | None
) -> tuple[list[Atoms], Surface | None]:
    """The atoms that move, and what they stand on."""
    if substrate is None:
        return list(images), surface
    parts: list[Atoms] = []
    first: Atoms | None = None
    for k, image in enumerate(images):
        mask = _mask_of(substrate, len(image))
        slab = image[mask]
        if first is None:
            made = split(image, mask)[1] if surface is None else surface
            first = slab
        elif not _same_slab(first, slab):
            raise ArgumentError(f"image {k}: expected the substrate of image 0 at the same place")
        part = image[~mask]
        part.pbc = [*image.pbc[:2], False]
        parts.append(part)
    return parts, made if parts else surface


def _same_slab(a: Atoms, b: Atoms) -> bool:
    return (
        len(a) == len(b)
        and bool((a.numbers == b.numbers).all())
        and bool(np.allclose(a.positions, b.positions, rtol=0, atol=1e-9))
        and bool(np.allclose(a.cell.array, b.cell.array, rtol=0, atol=1e-9))
    )


def _relax_kept(
    molecules: list[Molecule],
    kept: list[_Constraints],
    batch: dict[str, Any],
    relax: dict[str, Any],
) -> list[dict[str, Any]]:
    """Results by image; those with restraints again until these say what the constraints say."""
    results = Batch(
        molecules,
        fixed=[k.fixed for k in kept],
        restraints=[k.restraints() for k in kept],
        **batch,
    ).relax(**relax)
    found = [_taken(results, i) for i in range(len(molecules))]
    soft = [i for i, k in enumerate(kept) if k.soft and found[i]["positions"] is not None]
    again = [i for i in soft if kept[i].follow(found[i]["positions"])]
    for _ in range(8):
        if not again:
            break
        _once_more(again, molecules, kept, found, batch, relax)
        again = [
            i for i in again
            if found[i]["positions"] is not None and kept[i].follow(found[i]["positions"])
        ]
    _without_restraints(soft, molecules, kept, found, batch)
    return found


def _taken(results: Any, i: int) -> dict[str, Any]:
    """What is kept of one result; positions None where there are no numbers."""
    finite = bool(np.isfinite(results.energy[i]))
    return {
        "status": str(results.status[i]),
        "reason": str(results.reason[i]),
        "steps": int(results.steps[i]),
        "energy": float(results.energy[i]),
        "positions": np.array(results.positions[i]) if finite else None,
        "forces": np.array(results.forces[i]) if finite else None,
        "charges": np.nan_to_num(results.charges[i]) if finite else None,  # NaN: there are none
    }


def _frozen(molecule: Molecule, result: Mapping[str, Any]) -> Molecule:
    """A molecule where it ended, with the bonds it began with and the charges that acted."""
    out = molecule.copy()
    if not len(out.bonds):
        out.perceive()
    out.positions = result["positions"]
    out.charges = result["charges"]
    return out


def _once_more(
    again: list[int],
    molecules: list[Molecule],
    kept: list[_Constraints],
    found: list[dict[str, Any]],
    batch: dict[str, Any],
    relax: dict[str, Any],
) -> None:
    results = Batch(
        [_frozen(molecules[i], found[i]) for i in again],
        fixed=[kept[i].fixed for i in again],
        restraints=[kept[i].restraints() for i in again],
        **{**batch, "charges": "file"},
    ).relax(**relax)
    for n, i in enumerate(again):
        before = found[i]["steps"]
        found[i] = _taken(results, n)
        found[i]["steps"] += before


def _without_restraints(
    soft: list[int],
    molecules: list[Molecule],
    kept: list[_Constraints],
    found: list[dict[str, Any]],
    batch: dict[str, Any],
) -> None:
    """Energies and forces of the bare systems, with held coordinates exactly at their places."""
    soft = [i for i in soft if found[i]["positions"] is not None]
    if not soft:
        return
    for i in soft:
        found[i]["positions"] = kept[i].settle(found[i]["positions"])
    bare = [_frozen(molecules[i], found[i]) for i in soft]
    results = Batch(bare, **{**batch, "charges": "file"}).energy()
    for n, i in enumerate(soft):
        found[i]["energy"] = float(results.energy[n])
        found[i]["forces"] = np.array(results.forces[n])


def _relaxed(image: Atoms, part: Atoms, substrate: Any, result: Mapping[str, Any]) -> Atoms:
    """A copy of an image with the numbers of its result."""
    out = image.copy()
    out.info["shoal_status"] = result["status"]
    out.info["shoal_reason"] = result["reason"]
    out.info["shoal_steps"] = result["steps"]
    if result["positions"] is None:
        return out
    moved = np.ones(len(image), bool) if substrate is None else ~_mask_of(substrate, len(image))
    forces, charges = np.zeros((len(image), 3)), image.get_initial_charges()
    out.positions[moved] = result["positions"]
    forces[moved], charges[moved] = result["forces"], result["charges"]
    energy = result["energy"]
    out.calc = SinglePointCalculator(
        out, energy=energy, free_energy=energy, forces=forces, charges=charges
    )
    out.calc.name = "shoal"
    return out


# --- the calculator ---

# Central differences of the energy under strain: steps and weights of the fourth order.
STRAIN = 2e-4
STEPS = ((1, 8 / 12), (-1, -8 / 12), (2, -1 / 12), (-2, 1 / 12))
VOIGT = ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))


class Shoal(Calculator):
    """UFF energies, forces, stress and charges for ASE.

    Atoms are typed at the first call, from their distances, and keep bonds, types and charges while
    they move; other elements, pbc or initial charges are typed anew. Atoms that are wrapped back
    into the cell keep their bonds.

    bonds: "keep", or "find" to look for bonds again whenever atoms move (energies then jump where a
    bond is found or lost), or a list of bonds as `Molecule` takes it. charges: "auto" (initial
    charges, if any is not zero), "none", "file" (initial charges) or "qeq" (equilibrated at the
    first geometry). total_charge in e, where formal charges must be found. dialect: "rdkit", "paper"
    or "firecore". params: a pair model. device: "cpu", "opencl:0", "auto"; precision: "double" or
    "float". vdw_cutoff in angstrom and ewald_tolerance of periodic systems; terms_off: terms to
    leave out; threads: 0 for all.

    surface: the `Surface` that the atoms stand on; substrate: truth values or indices of atoms that
    are a rigid slab, of which the surface is made where none is given. They feel no forces, as if
    FixAtoms held them, and are no part of the energy.

    Energies by term of the last call are in ``terms``, in eV. Stress is there where three directions
    repeat: central differences of the energy under strain, all strained copies as one batch.
    """

    implemented_properties = ["energy", "free_energy", "forces", "stress", "charges"]
    default_parameters: dict[str, Any] = {
        "charges": "auto",
        "dialect": "rdkit",
        "params": None,
        "bonds": "keep",
        "total_charge": None,
        "device": "cpu",
        "precision": "double",
        "threads": 0,
        "terms_off": (),
        "mixing": None,
        "vdw_cutoff": None,
        "vdw_tail": False,
        "ewald_tolerance": None,
        "coulomb_damping": None,
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
            self.results["stress"] = system.stress(self.atoms)


_ENGINE = ("device", "precision", "threads", "terms_off", "mixing", "vdw_cutoff", "vdw_tail")
_ENGINE += ("ewald_tolerance", "coulomb_damping", "grid")  # parameters that engines take


class _System:
    """One typed Atoms in an engine, which is given new positions again and again."""

    def __init__(self, atoms: Atoms, parameters: Mapping[str, Any]) -> None:
        self.parameters = parameters
        self.numbers, self.pbc = atoms.numbers.copy(), atoms.pbc.copy()
        self.initial_charges = atoms.get_initial_charges()
        n = len(atoms)
        substrate = parameters["substrate"]
        self.moving = np.ones(n, bool) if substrate is None else ~_mask_of(substrate, n)
        self.slab: np.ndarray | None = None  # positions of the substrate that the surface is made of
        self.surface = parameters["surface"]
        part = atoms
        if substrate is not None:
            if self.surface is None:
                self.slab = atoms.positions[~self.moving].copy()
                self.surface = split(atoms, ~self.moving)[1]
            part = atoms[self.moving]
            part.pbc = [*atoms.pbc[:2], False]
        self._type(part)
        self.last = part.positions.copy()
        self.cell = atoms.cell.array.copy()
        self._engine: Engine | None = None

    def _type(self, part: Atoms) -> None:
        """Finds bonds, types and charges at this geometry."""
        given = self.parameters
        bonds = None if isinstance(given["bonds"], str) else given["bonds"]
        molecule = to_molecule(part, bonds=bonds, initial_charges=_wanted(given["charges"]))
        if given["total_charge"] is not None:
            molecule.perceive(given["total_charge"])
        self.part_pbc = part.pbc.copy()
        self.topology = molecule.topology(given["charges"], given["dialect"], given["params"])
        if self.topology.status != "ok":
            raise CalculationFailed(f"{self.topology.status}: {self.topology.reason}")
        kept = self.topology.terms("bond") if given["bonds"] == "keep" else []
        self.watched = np.array(kept) if len(kept) else None  # bonds that may become absurd

    def fits(self, atoms: Atoms) -> bool:
        """Whether these atoms are still those that were typed."""
        if len(atoms) != len(self.numbers) or (atoms.numbers != self.numbers).any():
            return False
        if (atoms.pbc != self.pbc).any():
            return False
        if (atoms.get_initial_charges() != self.initial_charges).any():
            return False
        moved = not np.array_equal(atoms.positions[self.moving], self.last)
        if self.parameters["bonds"] == "find" and moved:
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

    def _make(self, cells: Sequence[np.ndarray], positions: Sequence[np.ndarray], **more: Any) -> Engine:
        given = {key: self.parameters[key] for key in _ENGINE if self.parameters[key] is not None}
        return Engine(
            [self.topology] * len(positions),
            positions,
            cells=cells if self.part_pbc.any() else None,
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
                f"the bond of atoms {i[k]} and {j[k]} is {np.linalg.norm(ways[k]):.2f} angstrom long; "
                "bonds are those of the first geometry: calc.reset() or bonds='find' looks for them "
                "again",
                stacklevel=2,
            )

    def evaluate(self, atoms: Atoms) -> tuple[float, np.ndarray, dict[str, float]]:
        """Energy in eV, forces of all atoms in eV/angstrom, energies by term in eV."""
        positions = self._unwrapped(atoms)
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
        return float(result.energy), forces, dict(result.terms)

    def charges(self, atoms: Atoms) -> np.ndarray:
        """Partial charges that act, e; of the substrate its own."""
        out = atoms.get_initial_charges()
        out[self.moving] = self.topology.charges[: int(self.moving.sum())]
        return out

    def stress(self, atoms: Atoms) -> np.ndarray:
        """xx, yy, zz, yz, xz, xy in eV/angstrom^3, with ASE's sign: positive where it is stretched."""
        if not self.part_pbc.all() or self.surface is not None:
            raise PropertyNotImplementedError("stress: expected a cell that repeats in three directions")
        strains = []
        for i, j in VOIGT:
            for step, _ in STEPS:
                strain = np.eye(3)
                strain[i, j] += 0.5 * step * STRAIN
                strain[j, i] += 0.5 * step * STRAIN
                strains.append(strain)
        # The sums of Ewald's method change their length with the cell: at 1e-13 that makes no step.
        engine = self._make(
            [self.cell @ strain for strain in strains],
            [self.last @ strain for strain in strains],
            precision="double",
            ewald_tolerance=1e-13,
        )
        engine.energy()
        energies = np.array([engine.result(k).energy for k in range(len(strains))])
        weights = np.array([weight for _, weight in STEPS]) / STRAIN
        return energies.reshape(6, len(STEPS)) @ weights / atoms.get_volume()
