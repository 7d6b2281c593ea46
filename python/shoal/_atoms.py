# SPDX-License-Identifier: BSD-3-Clause
# ASE Atoms into molecules and back, and molecules apart from their substrate.
"""Conversions between molecules and ase.Atoms."""

from __future__ import annotations

from typing import Any

import numpy as np
from ase import Atoms, units
from ase.calculators.singlepoint import SinglePointCalculator

from ._handle import integers
from ._lib import ArgumentError
from .molecule import Molecule
from .surface import Surface


def to_molecule(
    atoms: Atoms, *, bonds: Any = None, initial_charges: bool | None = None, name: str = ""
) -> Molecule:
    """The molecule of an Atoms, with cell and pbc.

    bonds: as of `Molecule`; None: found from distances. initial_charges: take the initial charges
    as partial charges, in e; None: where any of them is not zero. Masses that differ from those of
    the elements become isotopes; momenta become velocities. Tags and constraints stay behind.
    Positions may be NaN: such a system fails alone, and its reason names the atom.
    """
    charges = atoms.get_initial_charges()
    taken = bool(charges.any()) if initial_charges is None else initial_charges
    periodic = bool(atoms.pbc.any()) or bool(atoms.cell.array.any())
    known = np.isfinite(atoms.positions).all()
    out = Molecule(
        atoms.numbers,
        atoms.positions if known else np.nan_to_num(atoms.positions),
        bonds,
        cell=atoms.cell.array if periodic else None,
        pbc=atoms.pbc if periodic else None,
        charges=charges if taken else None,
        name=name or str(atoms.info.get("name", "")),
    )
    if not known:
        out._move(atoms.positions)
    if atoms.has("masses"):
        usual = Atoms(numbers=atoms.numbers).get_masses()
        other = np.abs(atoms.get_masses() - usual) > 0.5
        if other.any():
            out.isotopes = np.where(other, np.rint(atoms.get_masses()), 0).astype(np.int32)
    if atoms.has("momenta"):
        out.velocities = atoms.get_velocities() * units.fs
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
    if molecule.velocities is not None:
        out.set_velocities(molecule.velocities / units.fs)
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


def mask_of(substrate: Any, n: int) -> np.ndarray:
    """Truth values of atoms, from such values or from indices."""
    given = np.asarray(substrate)
    if given.dtype == bool:
        if given.shape != (n,):
            raise ArgumentError(f"substrate: expected {n} truth values, got shape {given.shape}")
        return given
    mask = np.zeros(n, bool)
    try:
        mask[integers("substrate", given, (None,))] = True
    except (IndexError, ArgumentError):
        raise ArgumentError(f"substrate: expected atoms 0 to {n - 1}, got {substrate!r}") from None
    return mask


def split(atoms: Atoms, mask: Any, **options: Any) -> tuple[Atoms, Surface]:
    """Splits Atoms on a slab into the molecule and the substrate.

    mask: truth values or indices of the substrate atoms. The substrate becomes a rigid `Surface`
    that repeats along a and b, which must lie in the xy plane with z away from it; its initial
    charges are the charges of the surface. options are those of `Surface` (form="morse", ..). The
    molecule keeps cell, constraints and what repeats along a and b.
    """
    substrate = mask_of(mask, len(atoms))
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


def wanted(charges: str) -> bool | None:
    """Whether initial charges are partial charges, by the source that was asked for."""
    return {"file": True, "none": False}.get(charges)
