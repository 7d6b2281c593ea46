# SPDX-License-Identifier: BSD-3-Clause
# RDKit Mols into molecules and back.
"""Conversions between molecules and RDKit Mols, without a file in between."""

from __future__ import annotations

import ctypes
import sys
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from rdkit import Chem
from rdkit.Chem import rdmolops

from . import _abi
from ._lib import ArgumentError, UnsupportedError, check, lib
from .molecule import BOND_DTYPE, Molecule

_ORDERS = {
    Chem.BondType.UNSPECIFIED: _abi.SHOAL_ORDER_UNKNOWN,
    Chem.BondType.SINGLE: _abi.SHOAL_ORDER_SINGLE,
    Chem.BondType.DOUBLE: _abi.SHOAL_ORDER_DOUBLE,
    Chem.BondType.TRIPLE: _abi.SHOAL_ORDER_TRIPLE,
    Chem.BondType.QUADRUPLE: _abi.SHOAL_ORDER_QUADRUPLE,
    Chem.BondType.AROMATIC: _abi.SHOAL_ORDER_AROMATIC,
    Chem.BondType.ONEANDAHALF: _abi.SHOAL_ORDER_AROMATIC,
    Chem.BondType.DATIVE: _abi.SHOAL_ORDER_DATIVE,
    Chem.BondType.DATIVEONE: _abi.SHOAL_ORDER_DATIVE,
}
_TYPES = {
    _abi.SHOAL_ORDER_UNKNOWN: Chem.BondType.UNSPECIFIED,
    _abi.SHOAL_ORDER_SINGLE: Chem.BondType.SINGLE,
    _abi.SHOAL_ORDER_DOUBLE: Chem.BondType.DOUBLE,
    _abi.SHOAL_ORDER_TRIPLE: Chem.BondType.TRIPLE,
    _abi.SHOAL_ORDER_QUADRUPLE: Chem.BondType.QUADRUPLE,
    _abi.SHOAL_ORDER_AROMATIC: Chem.BondType.AROMATIC,
    _abi.SHOAL_ORDER_DATIVE: Chem.BondType.DATIVE,
}
# Twice the order of a bond in a matrix of orders -> shoal_bond_order; -1: ask the bond itself.
_DOUBLED = np.full(16, -1, np.int32)
_DOUBLED[[2, 3, 4, 6, 8]] = [1, 4, 2, 3, 5]
_MATRIX_ATOMS = 200  # beyond it a matrix of orders is dearer than asking every bond
_AT_ONCE = 256  # Mols whose matrices are held


def _set_one_by_one(conformer: Chem.Conformer, positions: np.ndarray) -> None:
    for i, place in enumerate(positions.tolist()):
        conformer.SetAtomPosition(i, place)


# RDKit 2022.09, which Debian 12 has, knows no way to set all atoms of a conformer at once.
set_positions = getattr(Chem.Conformer, "SetPositions", _set_one_by_one)


def user_level() -> int:
    """The level of the stack, for a warning of the caller, where this package was called."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        frame, level = frame.f_back, level + 1
    return level


class HydrogenWarning(UserWarning):
    """A Mol has hydrogen atoms that are only counted, without coordinates."""


class GeometryWarning(UserWarning):
    """A conformer has coordinates of a drawing."""


# --- Mols into molecules ---


def called(mol: Chem.Mol, label: str = "") -> str:
    """How a Mol is named in messages: place in the list, and its name if it has one."""
    name = mol.GetProp("_Name") if mol.HasProp("_Name") else ""
    return " ".join(part for part in (label or "the Mol", f"({name})" if name else "") if part)


def atom_called(mol: Chem.Mol, i: int) -> str:
    return f"atom {i} ({mol.GetAtomWithIdx(i).GetSymbol()})"


def _listed_bonds(mol: Chem.Mol, label: str) -> np.ndarray:
    """Bonds one by one, for orders that a matrix does not tell."""
    rows = np.zeros(mol.GetNumBonds(), BOND_DTYPE)
    get = mol.GetBondWithIdx
    for k in range(len(rows)):
        bond = get(k)
        order = _ORDERS.get(bond.GetBondType())
        i, j = bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()
        if order is None:
            raise ArgumentError(
                f"{called(mol, label)}: the bond from {atom_called(mol, i)} to "
                f"{atom_called(mol, j)} is {bond.GetBondType()}; expected single, double, triple, "
                "quadruple, aromatic or dative"
            )
        rows[["i", "j", "order"]][k] = (i, j, order)
    return rows


def _matrix(mol: Chem.Mol) -> np.ndarray:
    """Orders of the bonds of a Mol, one row after the other; RDKit makes it at once."""
    matrix = rdmolops.GetAdjacencyMatrix(mol, useBO=True, force=True, prefix="_shoal")
    mol.ClearProp("_shoalAdjacencyMatrixBO")
    return matrix.ravel()


def _bonds(mols: Sequence[Chem.Mol], labels: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Bonds of Mols in the layout of the C library, and where those of every Mol begin.

    They are looked up in matrices of orders, all at once, where these say it all.
    """
    sizes = np.array([mol.GetNumAtoms() for mol in mols])
    n_bonds = np.array([mol.GetNumBonds() for mol in mols])
    small = sizes <= _MATRIX_ATOMS
    matrices = [_matrix(mol) for mol, fits in zip(mols, small.tolist()) if fits]
    flat = np.concatenate(matrices) if matrices else np.zeros(0)
    begin = sums(np.where(small, sizes**2, 0))
    at = np.flatnonzero(flat)
    cut = np.searchsorted(at, begin)
    which = np.repeat(np.arange(len(mols)), np.diff(cut))
    i, j = np.divmod(at - begin[which], sizes[which])
    orders = _DOUBLED[(2.0 * flat[at]).astype(np.intp)]
    # A dative bond stands on one side of the diagonal, one of order zero on neither.
    plain = small & (np.diff(cut) == 2 * n_bonds)
    plain[which[orders < 0]] = False
    ahead = (i < j) & plain[which]
    starts = sums(n_bonds)
    rows = np.zeros(int(starts[-1]), BOND_DTYPE)
    taken = np.repeat(plain, n_bonds)
    rows["i"][taken], rows["j"][taken], rows["order"][taken] = i[ahead], j[ahead], orders[ahead]
    for k in np.flatnonzero(~plain).tolist():
        rows[starts[k] : starts[k + 1]] = _listed_bonds(mols[k], labels[k])
    return rows, starts


def sums(counts: Any) -> np.ndarray:
    """Where each of many begins behind those before it, [n + 1]."""
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])


def _atoms(mols: Sequence[Chem.Mol], labels: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Atomic numbers, formal charges and unpaired electrons, [3, atoms]; where Mols begin."""
    atoms = []
    for mol in mols:
        get = mol.GetAtomWithIdx  # half the price of iterating over GetAtoms()
        atoms += [get(i) for i in range(mol.GetNumAtoms())]
    calls = (Chem.Atom.GetAtomicNum, Chem.Atom.GetFormalCharge, Chem.Atom.GetNumRadicalElectrons)
    numbers = np.array([list(map(call, atoms)) for call in calls], np.int32).reshape(3, -1)
    starts = sums([mol.GetNumAtoms() for mol in mols])
    for i in np.flatnonzero(numbers[0] == 0).tolist()[:1]:
        k = int(np.searchsorted(starts, i, side="right")) - 1
        raise ArgumentError(
            f"{called(mols[k], labels[k])}: atom {i - starts[k]} is a dummy atom; expected an "
            "element"
        )
    return numbers, starts


def missing_hydrogens(mol: Chem.Mol, label: str) -> str:
    """Which hydrogens of a Mol are only counted; "" where all are atoms."""
    if mol.NeedsUpdatePropertyCache():
        mol = Chem.Mol(mol)
        mol.UpdatePropertyCache(strict=False)
    n = mol.GetNumAtoms(onlyExplicit=False) - mol.GetNumAtoms()
    if n <= 0:
        return ""
    counts = ((atom.GetIdx(), atom.GetTotalNumHs()) for atom in mol.GetAtoms())
    i, count = next((i, count) for i, count in counts if count)
    return (
        f"{called(mol, label)}: {n} hydrogen atoms are missing, {count} of them at "
        f"{atom_called(mol, i)}; Chem.AddHs(mol, addCoords=True) makes them atoms"
    )


def _property_charges(mol: Chem.Mol, name: str, label: str) -> np.ndarray:
    """Partial charges from a property of the atoms, e."""
    out = np.empty(mol.GetNumAtoms())
    for atom in mol.GetAtoms():
        i = atom.GetIdx()
        try:
            out[i] = float(atom.GetPropsAsDict(True, True)[name])
        except (KeyError, TypeError, ValueError):
            raise ArgumentError(
                f"{called(mol, label)}: {atom_called(mol, i)} has no number in the property "
                f"{name!r}"
            ) from None
    if not np.isfinite(out).all():
        i = int(np.argmin(np.isfinite(out)))
        raise ArgumentError(
            f"{called(mol, label)}: {atom_called(mol, i)}: {name!r} is {out[i]}, expected a number"
        )
    return out


def molecules_of(
    mols: Sequence[Chem.Mol],
    positions: Sequence[np.ndarray],
    charge_property: str | None,
    labels: Sequence[str],
) -> list[Molecule]:
    """What decides on the energies of Mols: atoms, bonds, charges, radicals.

    Mols in a row that are the same but for their conformers share a molecule, with the coordinates
    of the first.
    """
    first = _firsts(mols) if charge_property is None else list(range(len(mols)))
    made = sorted(set(first))
    out: list[Molecule] = []
    for a in range(0, len(made), _AT_ONCE):
        part = made[a : a + _AT_ONCE]
        some = [mols[k] for k in part]
        out += _made(some, [positions[k] for k in part], [labels[k] for k in part])
    if charge_property is not None:
        for mol, molecule, label in zip(mols, out, labels):
            molecule.charges = _property_charges(mol, charge_property, label)
    by_first = dict(zip(made, out))
    return [by_first[k] for k in first]


def _firsts(mols: Sequence[Chem.Mol]) -> list[int]:
    """For every Mol the first of those in a row that are the same but for their conformers.

    Records of an SD file are often conformers of one molecule, and reading the atoms of each would
    be the dearest part of it all.
    """
    first: list[int] = []
    kept, told = b"", None  # of the first of the row; b"": not asked for yet
    graph = int(Chem.PropertyPickleOptions.NoConformers)  # all but conformers and properties
    for k, mol in enumerate(mols):
        name = mol.GetProp("_Name") if mol.HasProp("_Name") else ""
        now = (mol.GetNumAtoms(), mol.GetNumBonds(), name)
        same = False
        if now == told:
            kept = kept or mols[first[-1]].ToBinary(graph)
            same = mol.ToBinary(graph) == kept
        first.append(first[-1] if same else k)
        if not same:
            kept, told = b"", now
    return first


def _made(
    mols: Sequence[Chem.Mol], positions: Sequence[np.ndarray], labels: Sequence[str]
) -> list[Molecule]:
    """As Molecule() makes them, but from arrays of all: there may be many."""
    numbers, starts = _atoms(mols, labels)
    bonds, bond_starts = _bonds(mols, labels)
    pos = np.concatenate(positions)
    z, q, xyz = numbers[0].ctypes.data, numbers[1].ctypes.data, pos.ctypes.data
    at, size = bonds.ctypes.data, BOND_DTYPE.itemsize
    ends = bond_starts.tolist()
    out = []
    for k, (a, b) in enumerate(zip(starts.tolist(), starts[1:].tolist())):
        molecule = Molecule._empty()
        molecule._bonds_given = True
        ptr = molecule._ptr
        check(lib.shoal_molecule_add_atoms(ptr, b - a, z + 4 * a, xyz + 24 * a))
        first = _abi.shoal_bond.from_address(at + ends[k] * size)
        check(lib.shoal_molecule_add_bonds(ptr, ends[k + 1] - ends[k], ctypes.byref(first)))
        check(lib.shoal_molecule_set_formal_charges(ptr, q + 4 * a))
        if mols[k].HasProp("_Name"):
            molecule.name = mols[k].GetProp("_Name")
        out.append(molecule)
    for i in np.flatnonzero(numbers[2]).tolist():
        k = int(np.searchsorted(starts, i, side="right")) - 1
        check(lib.shoal_molecule_set_radical(out[k]._ptr, i - int(starts[k]), int(numbers[2, i])))
    return out


def check_mol(mol: Any, label: str) -> None:
    if not isinstance(mol, Chem.Mol):
        raise ArgumentError(f"{label or 'mol'}: expected an RDKit Mol, got {type(mol).__name__}")
    if mol.GetNumAtoms() == 0:
        raise ArgumentError(f"{called(mol, label)}: expected atoms, got none")
    if mol.GetNumConformers() == 0:
        raise ArgumentError(
            f"{called(mol, label)}: there are no conformers; AllChem.EmbedMultipleConfs makes some"
        )


def conformers_of(
    mol: Chem.Mol, conf_ids: Iterable[int] | None, label: str
) -> list[Chem.Conformer]:
    """The conformers of a Mol, all of them or those with these ids."""
    if conf_ids is None:
        return list(mol.GetConformers())
    out = []
    for conf_id in conf_ids:
        try:
            out.append(mol.GetConformer(int(conf_id)))
        except ValueError:
            have = [conformer.GetId() for conformer in mol.GetConformers()]
            raise ArgumentError(
                f"{called(mol, label)}: there is no conformer {conf_id}; ids are {have}"
            ) from None
    return out


def drawing_text(mol: Chem.Mol, conf_id: int, label: str) -> str:
    return (
        f"{called(mol, label)}: conformer {conf_id} is 2-D; atoms of a flat molecule stay in its "
        "plane. AllChem.EmbedMolecule makes a 3-D one"
    )


def to_molecules(
    mol: Chem.Mol,
    conf_ids: Iterable[int] | None = None,
    *,
    charge_property: str | None = None,
    properties: bool = True,
) -> list[Molecule]:
    """One molecule per conformer of a Mol.

    Bond orders (also aromatic and dative), formal charges, radicals, isotopes and the name are
    those of the Mol. charge_property: name of an atom property with partial charges in e, such as
    "_GasteigerCharge". properties: data fields of the Mol go along. Chirality marks do not: the
    coordinates say it. Missing hydrogens and drawings give warnings; a Mol without conformers,
    a dummy atom or a bond of another kind raises ArgumentError, naming the atom.
    """
    check_mol(mol, "")
    conformers = conformers_of(mol, conf_ids, "")
    missing = missing_hydrogens(mol, "")
    if missing:
        warnings.warn(missing, HydrogenWarning, stacklevel=user_level())
    flat = [conformer.GetId() for conformer in conformers if not conformer.Is3D()]
    if flat:
        text = drawing_text(mol, flat[0], "")
        warnings.warn(text, GeometryWarning, stacklevel=user_level())
    if not conformers:
        return []
    (first,) = molecules_of([mol], [conformers[0].GetPositions()], charge_property, [""])
    isotopes = [atom.GetIsotope() for atom in mol.GetAtoms()]
    if any(isotopes):
        first.isotopes = isotopes
    if properties:
        for key, value in mol.GetPropsAsDict().items():
            first.set_property(key, value)
    out = [first]
    for conformer in conformers[1:]:
        other = first.copy()
        other._move(conformer.GetPositions())
        out.append(other)
    return out


def to_molecule(mol: Chem.Mol, conf_id: int = -1, **options: Any) -> Molecule:
    """The molecule of one conformer of a Mol (-1: the first); options as of `to_molecules`."""
    return to_molecules(mol, [conf_id], **options)[0]


def to_mol(molecule: Molecule, *, sanitize: bool = True) -> Chem.Mol:
    """A Mol with one conformer, with the bonds, orders and formal charges of a molecule.

    A molecule whose bonds or orders are not known is perceived (a copy of it). Stereo marks are
    made from the coordinates. The cell is left out: a Mol has none.
    """
    if not len(molecule.bonds) or (molecule.bonds["order"] == _abi.SHOAL_ORDER_UNKNOWN).any():
        molecule = molecule.copy().perceive()
    shifted = molecule.bonds["shift"].any(axis=1)
    if shifted.any():
        bond = molecule.bonds[int(np.argmax(shifted))]
        raise UnsupportedError(
            f"{molecule.name or 'the molecule'}: atom {bond['i']} is bonded to atom {bond['j']} of "
            "another cell, which a Mol cannot say"
        )
    out = Chem.RWMol()
    rows = zip(molecule.numbers, molecule.formal_charges, molecule.radicals, molecule.isotopes)
    for z, charge, radical, isotope in rows:
        atom = Chem.Atom(int(z))
        atom.SetFormalCharge(int(charge))
        atom.SetNumRadicalElectrons(int(radical))
        atom.SetIsotope(int(isotope))
        atom.SetNoImplicit(True)
        out.AddAtom(atom)
    for bond in molecule.bonds:
        out.AddBond(int(bond["i"]), int(bond["j"]), _TYPES[int(bond["order"])])
        if bond["order"] == _abi.SHOAL_ORDER_AROMATIC:
            made = out.GetBondWithIdx(out.GetNumBonds() - 1)
            made.SetIsAromatic(True)
            made.GetBeginAtom().SetIsAromatic(True)
            made.GetEndAtom().SetIsAromatic(True)
    conformer = Chem.Conformer(len(molecule))
    set_positions(conformer, np.array(molecule.positions))
    conformer.Set3D(True)
    out.AddConformer(conformer)
    mol = out.GetMol()
    if molecule.name:
        mol.SetProp("_Name", molecule.name)
    for key, value in molecule.properties.items():
        mol.SetProp(key, value)
    if sanitize:
        Chem.SanitizeMol(mol)
        Chem.AssignStereochemistryFrom3D(mol)
    return mol


def from_result(result: Any) -> Chem.Mol:
    """A Mol of one system of `Results`, with its energy (eV), status and reason as properties."""
    mol = to_mol(result.molecule)
    if np.isfinite(result.energy):
        mol.SetDoubleProp("energy", result.energy)
    mol.SetProp("status", result.status)
    if result.reason:
        mol.SetProp("reason", result.reason)
    return mol
