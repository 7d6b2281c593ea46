# SPDX-License-Identifier: BSD-3-Clause
# RDKit: Mols into molecules and back, and relaxing the conformers of Mols where they are.
"""RDKit Mols: conversions, and relaxation of their conformers in place.

Atoms, bond orders, formal charges and radicals are taken from the Mol as it is; nothing is written
to a file. Energies are in eV but for the drop-ins of RDKit's own functions, which give kcal/mol.
"""

from __future__ import annotations

import os
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rdkit import Chem
from rdkit.Chem import rdmolops

from . import _abi
from ._lib import ArgumentError, UnsupportedError
from .batch import Batch
from .molecule import BOND_DTYPE, Molecule
from .ragged import Ragged
from .results import Results
from .table import Table

__all__ = [
    "GeometryWarning",
    "HydrogenWarning",
    "MolResult",
    "Optimized",
    "UFFOptimizeMolecule",
    "UFFOptimizeMoleculeConfs",
    "UFFOptimizeMoleculesConfs",
    "from_result",
    "optimize",
    "to_mol",
    "to_molecule",
    "to_molecules",
]

KCAL_PER_EV = 1.0 / 0.0433641042418  # kernels/constants.h

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


class HydrogenWarning(UserWarning):
    """A Mol has hydrogen atoms that are only counted, without coordinates."""


class GeometryWarning(UserWarning):
    """A conformer has coordinates of a drawing."""


# --- Mols into molecules ---


def _called(mol: Chem.Mol, label: str = "") -> str:
    """How a Mol is named in messages: place in the list, and its name if it has one."""
    name = mol.GetProp("_Name") if mol.HasProp("_Name") else ""
    return " ".join(part for part in (label or "the Mol", f"({name})" if name else "") if part)


def _atom_called(mol: Chem.Mol, i: int) -> str:
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
                f"{_called(mol, label)}: the bond from {_atom_called(mol, i)} to "
                f"{_atom_called(mol, j)} is {bond.GetBondType()}; expected single, double, triple, "
                "quadruple, aromatic or dative"
            )
        rows[k] = (i, j, (0, 0, 0), order, False, False)
    return rows


def _bonds(mol: Chem.Mol, label: str) -> np.ndarray:
    """Bonds in the layout of the C library; by RDKit's matrix of orders where that says it all."""
    if mol.GetNumAtoms() > _MATRIX_ATOMS:
        return _listed_bonds(mol, label)
    matrix = rdmolops.GetAdjacencyMatrix(mol, useBO=True, force=True, prefix="_shoal")
    mol.ClearProp("_shoalAdjacencyMatrix")
    i, j = np.nonzero(matrix)
    ahead = i < j
    doubled = (2.0 * matrix[i, j]).astype(np.int64)
    orders = _DOUBLED[np.minimum(doubled[ahead], 15)]
    # A dative bond stands on one side of the diagonal, one of order zero on neither.
    listed = int(ahead.sum())
    plain = listed == mol.GetNumBonds() and 2 * listed == len(i) and (orders >= 0).all()
    if not plain:
        return _listed_bonds(mol, label)
    rows = np.zeros(listed, BOND_DTYPE)
    rows["i"], rows["j"], rows["order"] = i[ahead], j[ahead], orders
    return rows


def _atoms(mol: Chem.Mol, label: str) -> tuple[list[int], list[int], list[int]]:
    """Atomic numbers, formal charges and unpaired electrons."""
    numbers, charges, radicals = [], [], []
    get = mol.GetAtomWithIdx  # half the price of iterating over GetAtoms()
    for i in range(mol.GetNumAtoms()):
        atom = get(i)
        numbers.append(atom.GetAtomicNum())
        charges.append(atom.GetFormalCharge())
        radicals.append(atom.GetNumRadicalElectrons())
    if 0 in numbers:
        raise ArgumentError(
            f"{_called(mol, label)}: atom {numbers.index(0)} is a dummy atom; expected an element"
        )
    return numbers, charges, radicals


def _missing_hydrogens(mol: Chem.Mol, label: str) -> str:
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
        f"{_called(mol, label)}: {n} hydrogen atoms are missing, {count} of them at "
        f"{_atom_called(mol, i)}; Chem.AddHs(mol, addCoords=True) makes them atoms"
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
                f"{_called(mol, label)}: {_atom_called(mol, i)} has no number in the property {name!r}"
            ) from None
    if not np.isfinite(out).all():
        i = int(np.argmin(np.isfinite(out)))
        raise ArgumentError(
            f"{_called(mol, label)}: {_atom_called(mol, i)}: {name!r} is {out[i]}, expected a number"
        )
    return out


def _molecule(
    mol: Chem.Mol, positions: np.ndarray, charge_property: str | None, label: str
) -> Molecule:
    """What decides on the energy of a Mol: atoms, bonds, formal charges, radicals, partial charges."""
    numbers, formal, radicals = _atoms(mol, label)
    out = Molecule(
        np.array(numbers, np.int32),
        positions,
        _bonds(mol, label),
        formal_charges=np.array(formal, np.int32),
        name=mol.GetProp("_Name") if mol.HasProp("_Name") else "",
    )
    if any(radicals):
        out.radicals = radicals
    if charge_property is not None:
        out.charges = _property_charges(mol, charge_property, label)
    return out


def _check_mol(mol: Any, label: str) -> None:
    if not isinstance(mol, Chem.Mol):
        raise ArgumentError(f"{label or 'mol'}: expected an RDKit Mol, got {type(mol).__name__}")
    if mol.GetNumConformers() == 0:
        raise ArgumentError(
            f"{_called(mol, label)}: there are no conformers; AllChem.EmbedMultipleConfs makes some"
        )


def _conformers(mol: Chem.Mol, conf_ids: Iterable[int] | None, label: str) -> list[Chem.Conformer]:
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
                f"{_called(mol, label)}: there is no conformer {conf_id}; ids are {have}"
            ) from None
    return out


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
    _check_mol(mol, "")
    conformers = _conformers(mol, conf_ids, "")
    missing = _missing_hydrogens(mol, "")
    if missing:
        warnings.warn(missing, HydrogenWarning, stacklevel=2)
    flat = [conformer.GetId() for conformer in conformers if not conformer.Is3D()]
    if flat:
        warnings.warn(_drawing(mol, flat[0], ""), GeometryWarning, stacklevel=2)
    if not conformers:
        return []
    first = _molecule(mol, conformers[0].GetPositions(), charge_property, "")
    isotopes = [atom.GetIsotope() for atom in mol.GetAtoms()]
    if any(isotopes):
        first.isotopes = isotopes
    if properties:
        for key, value in mol.GetPropsAsDict().items():
            first.set_property(key, value)
    out = [first]
    for conformer in conformers[1:]:
        other = first.copy()
        other.positions = conformer.GetPositions()
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
    conformer.SetPositions(np.array(molecule.positions))
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


# --- relaxing Mols ---


def _drawing(mol: Chem.Mol, conf_id: int, label: str) -> str:
    return (
        f"{_called(mol, label)}: conformer {conf_id} is 2-D; atoms of a flat molecule stay in its "
        "plane. AllChem.EmbedMolecule makes a 3-D one"
    )


@dataclass(frozen=True)
class MolResult:
    """What became of the conformers of one Mol; arrays have an entry for each of them."""

    energy: np.ndarray
    """eV; NaN where it failed."""
    energy0: np.ndarray
    """eV, before."""
    fmax: np.ndarray
    """eV/angstrom: the largest force on an atom."""
    steps: np.ndarray
    """Evaluations."""
    status: np.ndarray
    """Words: "converged", "max_steps", "untyped", .."""
    reason: list[str]
    """Why a conformer failed, naming the atom; "" where it did not."""
    warning: list[str]
    """What looks wrong; "" where nothing does."""

    @property
    def converged(self) -> np.ndarray:
        """Whether the forces became small."""
        return self.status == "converged"

    def __len__(self) -> int:
        return len(self.energy)


class Optimized(Sequence[MolResult]):
    """What became of the conformers of many Mols; ``optimized[i]`` is the MolResult of Mol i.

    Ragged arrays: ``energy[i][k]`` belongs to conformer k of Mol i. A None among the Mols has no
    conformers.
    """

    def __init__(self, results: Results, starts: np.ndarray) -> None:
        self.results = results
        """All conformers one after the other, as `Results`."""
        self.starts = starts
        """Mol i has the rows starts[i] to starts[i + 1] of ``results``."""
        self._columns: dict[str, Any] = {}

    def _column(self, name: str) -> Any:
        if name not in self._columns:
            self._columns[name] = getattr(self.results, name)
        return self._columns[name]

    @property
    def energy(self) -> Ragged:
        """eV; NaN where it failed."""
        return Ragged(self._column("energy"), self.starts)

    @property
    def energy0(self) -> Ragged:
        """eV, before."""
        return Ragged(self._column("energy0"), self.starts)

    @property
    def fmax(self) -> Ragged:
        """eV/angstrom."""
        return Ragged(self._column("fmax"), self.starts)

    @property
    def steps(self) -> Ragged:
        """Evaluations."""
        return Ragged(self._column("steps"), self.starts)

    @property
    def status(self) -> Ragged:
        """Words: "converged", "max_steps", "untyped", .."""
        return Ragged(self._column("status"), self.starts)

    @property
    def converged(self) -> Ragged:
        """Whether the forces became small."""
        return Ragged(self._column("converged"), self.starts)

    @property
    def reason(self) -> list[list[str]]:
        """Why a conformer failed, naming the atom; "" where it did not."""
        return [self[i].reason for i in range(len(self))]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        if not -len(self) <= i < len(self):
            raise IndexError(f"Mol {i} of {len(self)}")
        i %= len(self)
        rows = slice(int(self.starts[i]), int(self.starts[i + 1]))
        names = ("energy", "energy0", "fmax", "steps", "status", "reason", "warning")
        return MolResult(*(self._column(name)[rows] for name in names))

    def __iter__(self) -> Iterator[MolResult]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        n, done = len(self.results), int(np.sum(self._column("converged")))
        return f"<Optimized: {len(self)} Mols, {n} conformers, {done} converged>"


class _Loaded:
    """Conformers of many Mols, ready to be computed."""

    def __init__(
        self, mols: Sequence[Any], conf_ids: Iterable[int] | None, charge_property: str | None,
        labels: Sequence[str],
    ) -> None:
        ids = None if conf_ids is None else [int(k) for k in conf_ids]
        self.mols, self.labels = mols, labels
        self.conformers: list[list[Chem.Conformer]] = []
        self.molecules: list[Molecule | None] = []
        arrays: list[np.ndarray] = []
        missing = []
        take = Chem.Conformer.GetPositions
        for mol, label in zip(mols, labels):
            if mol is None:
                self.conformers.append([])
                self.molecules.append(None)
                continue
            _check_mol(mol, label)
            conformers = _conformers(mol, ids, label)
            positions = list(map(take, conformers))
            self.conformers.append(conformers)
            self.molecules.append(
                _molecule(mol, positions[0], charge_property, label) if positions else None
            )
            arrays += positions
            missing += [text for text in [_missing_hydrogens(mol, label)] if text]
        self.positions = np.concatenate(arrays) if arrays else np.zeros((0, 3))
        counts = [len(conformers) for conformers in self.conformers]
        sizes = [0 if mol is None else mol.GetNumAtoms() for mol in mols]
        self.starts = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
        self.atom_starts = np.concatenate([[0], np.cumsum(np.repeat(sizes, counts), dtype=np.int64)])
        self._warn(missing)

    def _warn(self, missing: Sequence[str]) -> None:
        """Says what looks wrong with the input, once per kind."""
        if missing:
            more = f" (and {len(missing) - 1} other Mols)" if len(missing) > 1 else ""
            warnings.warn(missing[0] + more, HydrogenWarning, stacklevel=4)
        for k in self.flat():
            i = int(np.searchsorted(self.starts, k, side="right")) - 1
            conformer = self._conformer(k)
            if not conformer.Is3D():
                text = _drawing(self.mols[i], conformer.GetId(), self.labels[i])
                warnings.warn(text, GeometryWarning, stacklevel=4)
                break

    def flat(self) -> list[int]:
        """Conformers all of whose atoms have z = 0, by their number among all."""
        if not len(self.positions):
            return []
        depth = np.maximum.reduceat(np.abs(self.positions[:, 2]), self.atom_starts[:-1])
        return np.flatnonzero(depth == 0.0).tolist()

    def blocks(self) -> list[np.ndarray]:
        """Coordinates by Mol, [n_conformers, n_atoms, 3] each, without those that have none."""
        at = self.atom_starts[self.starts].tolist()
        counts = np.diff(self.starts).tolist()
        return [
            self.positions[a:b].reshape(n, -1, 3) for a, b, n in zip(at, at[1:], counts) if n
        ]

    def write_back(self, results: Results) -> None:
        """Moves the conformers to where the run left them; those that failed stay."""
        positions, energy = results.positions.flat, results.energy
        put = Chem.Conformer.SetPositions
        sound = np.isfinite(energy)
        for i, conformers in enumerate(self.conformers):
            if not conformers:
                continue
            a, b = int(self.starts[i]), int(self.starts[i + 1])
            block = positions[self.atom_starts[a] : self.atom_starts[b]].reshape(b - a, -1, 3)
            if sound[a:b].all():
                deque(map(put, conformers, block), maxlen=0)
            else:
                for k in np.flatnonzero(sound[a:b]).tolist():
                    put(conformers[k], block[k])
        for k in self.flat():
            if positions[self.atom_starts[k] : self.atom_starts[k + 1], 2].any():
                self._conformer(k).Set3D(True)

    def _conformer(self, k: int) -> Chem.Conformer:
        """A conformer by its number among all."""
        i = int(np.searchsorted(self.starts, k, side="right")) - 1
        return self.conformers[i][k - int(self.starts[i])]


def _run(loaded: _Loaded, batch: dict[str, Any], relax: dict[str, Any]) -> Optimized:
    """Relaxes what was loaded and moves the conformers."""
    molecules = [molecule for molecule in loaded.molecules if molecule is not None]
    if not molecules:
        return Optimized(Results(Table()), loaded.starts)
    results = Batch(molecules, positions=loaded.blocks(), **batch).relax(forces=False, **relax)
    loaded.write_back(results)
    return Optimized(results, loaded.starts)


def _labels(mols: Sequence[Any], single: bool) -> list[str]:
    return [""] if single else [f"Mol {k}" for k in range(len(mols))]


def optimize(
    mols: Any,
    fmax: float = 0.01,
    max_steps: int = 5000,
    method: str = "lbfgs",
    device: str = "auto",
    *,
    charges: str = "auto",
    charge_property: str | None = None,
    surface: Any = None,
    conf_ids: Iterable[int] | None = None,
    progress: Any = None,
    **options: Any,
) -> Any:
    """Relaxes the conformers of Mols in place.

    mols: a Mol, or a list of them in which None stands for one that could not be made. fmax in
    eV/angstrom; max_steps: evaluations per conformer; method: "lbfgs" or "fire"; device: "auto" (a
    GPU, else the cpu), "cpu", "opencl:0", ... charges: "auto" (those of charge_property, else
    none), "none" or "qeq"; charge_property: name of an atom property with partial charges in e,
    such as "_GasteigerCharge". surface: a `Surface` to stand on. conf_ids: ids of the conformers to
    relax, of every Mol; others stay. Other options are those of `Batch`.

    Gives a MolResult for a Mol, an Optimized for a list: energies in eV, status and reason of every
    conformer. A conformer that cannot be computed stays where it is, and its reason names the atom.
    Conformer ids and properties of the Mols stay.

    >>> from rdkit import Chem
    >>> from rdkit.Chem import AllChem
    >>> import shoal.rdkit
    >>> mol = Chem.AddHs(Chem.MolFromSmiles("CCO"))
    >>> _ = AllChem.EmbedMultipleConfs(mol, 4, randomSeed=7)
    >>> found = shoal.rdkit.optimize(mol, device="cpu")
    >>> found.status[0], len(found.energy)
    ('converged', 4)
    """
    single = isinstance(mols, Chem.Mol)
    listed = [mols] if single else list(mols)
    loaded = _Loaded(listed, conf_ids, charge_property, _labels(listed, single))
    found = _run(
        loaded,
        {"charges": charges, "surface": surface, "device": device, **options},
        {"fmax": fmax, "max_steps": max_steps, "method": method, "progress": progress},
    )
    return found[0] if single else found


# --- drop-ins of RDKit's own functions ---


def UFFOptimizeMoleculeConfs(  # noqa: N802 - RDKit's name
    mol: Chem.Mol,
    numThreads: int = 0,
    maxIters: int = 200,
    vdwThresh: float = 10.0,
    ignoreInterfragInteractions: bool = True,
    *,
    fmax: float = 0.01,
    device: str = "auto",
) -> list[tuple[int, float]]:
    """Relaxes all conformers of a Mol; a list of (not_converged, energy in kcal/mol), as RDKit gives it.

    not_converged is 0 where it converged, 1 where it needs more steps, -1 (with the energy -1) where
    the Mol cannot be typed; a warning then names the atom. What differs from RDKit:

    - maxIters counts evaluations of energy and forces, of which an iteration of RDKit takes one or more;
    - converged means that no atom feels more than fmax, in eV/angstrom;
    - vdwThresh must be 10.0, the factor at which Shoal leaves vdW pairs out, too;
    - numThreads 0, the default, uses all cores; it is not looked at on a GPU;
    - some terms: docs/uff.md lists what Shoal puts right.
    """
    return UFFOptimizeMoleculesConfs(
        [mol], numThreads, maxIters, vdwThresh, ignoreInterfragInteractions, fmax=fmax, device=device
    )[0]


def UFFOptimizeMolecule(  # noqa: N802 - RDKit's name
    self: Chem.Mol,
    maxIters: int = 200,
    vdwThresh: float = 10.0,
    confId: int = -1,
    ignoreInterfragInteractions: bool = True,
    *,
    fmax: float = 0.01,
    device: str = "auto",
) -> int:
    """Relaxes one conformer of a Mol: 0 converged, 1 more steps are needed, -1 it cannot be typed.

    What differs from RDKit: see `UFFOptimizeMoleculeConfs`.
    """
    found = _drop_in([self], [int(confId)], 0, maxIters, vdwThresh, ignoreInterfragInteractions, fmax, device)
    return found[0][0][0]


def UFFOptimizeMoleculesConfs(  # noqa: N802 - after RDKit's name
    mols: Iterable[Any],
    numThreads: int = 0,
    maxIters: int = 200,
    vdwThresh: float = 10.0,
    ignoreInterfragInteractions: bool = True,
    *,
    fmax: float = 0.01,
    device: str = "auto",
) -> list[list[tuple[int, float]]]:
    """The list form of `UFFOptimizeMoleculeConfs`: one such list per Mol, all relaxed as one batch.

    A None among the Mols has an empty list.
    """
    return _drop_in(
        list(mols), None, numThreads, maxIters, vdwThresh, ignoreInterfragInteractions, fmax, device
    )


def _threads(wanted: int) -> int:
    """RDKit's count of threads in Shoal's words: 0 all, -n all but n."""
    return wanted if wanted >= 0 else max(1, (os.cpu_count() or 1) + wanted)


def _drop_in(
    mols: list[Any],
    conf_ids: list[int] | None,
    threads: int,
    max_steps: int,
    threshold: float,
    apart: bool,
    fmax: float,
    device: str,
) -> list[list[tuple[int, float]]]:
    if threshold != 10.0:
        raise UnsupportedError(
            f"vdwThresh: Shoal leaves out vdW pairs beyond 10 times their minimum; got {threshold!r}"
        )
    if max_steps < 1:
        raise ArgumentError(f"maxIters: expected 1 or more, got {max_steps!r}")
    pieces = _Pieces(mols, apart, len(mols) == 1)
    loaded = _Loaded(pieces.mols, conf_ids, None, pieces.labels)
    found = _run(
        loaded,
        {"charges": "none", "device": device, "threads": _threads(threads)},
        {"fmax": fmax, "max_steps": max_steps},
    )
    for k in range(len(found)):
        if (found[k].status == "untyped").any():
            text = f"{_called(pieces.mols[k], pieces.labels[k])}: {found[k].reason[0]}"
            warnings.warn(text, stacklevel=3)
    return pieces.joined(found, conf_ids)


class _Pieces:
    """Mols cut into their fragments, which then do not interact."""

    def __init__(self, mols: list[Any], apart: bool, single: bool) -> None:
        self.whole = mols
        self.mols: list[Any] = []
        self.labels: list[str] = []
        self.atoms: list[Any] = []  # of the whole Mol, or None for all of them
        self.starts = [0]
        for mol, label in zip(mols, _labels(mols, single)):
            atoms = Chem.GetMolFrags(mol) if apart and isinstance(mol, Chem.Mol) else ()
            if len(atoms) > 1:
                self.mols += Chem.GetMolFrags(mol, asMols=True, sanitizeFrags=False)
                self.atoms += [np.array(part) for part in atoms]
            else:
                self.mols.append(mol)
                self.atoms.append(None)
            self.labels += [label] * (len(self.mols) - self.starts[-1])
            self.starts.append(len(self.mols))

    def joined(
        self, found: Optimized, conf_ids: list[int] | None
    ) -> list[list[tuple[int, float]]]:
        """Results of whole Mols, with the fragments written back."""
        out = []
        for mol, a, b in zip(self.whole, self.starts, self.starts[1:]):
            rows = [_rows(found[k]) for k in range(a, b)]
            out.append([_sum(row) for row in zip(*rows)])
            if mol is not None and self.atoms[a] is not None:
                self._write_back(mol, a, b, conf_ids)
        return out

    def _write_back(self, mol: Chem.Mol, a: int, b: int, conf_ids: list[int] | None) -> None:
        pieces = [_conformers(self.mols[k], conf_ids, "") for k in range(a, b)]
        for conformer, *parts in zip(_conformers(mol, conf_ids, ""), *pieces):
            positions = conformer.GetPositions()
            for atoms, part in zip(self.atoms[a:b], parts):
                positions[atoms] = part.GetPositions()
            conformer.SetPositions(positions)


def _rows(result: MolResult) -> list[tuple[int, float]]:
    """(not_converged, kcal/mol) of every conformer, as RDKit has them."""
    codes = np.where(np.isfinite(result.energy), (~result.converged).astype(int), -1).tolist()
    energies = (result.energy * KCAL_PER_EV).tolist()
    return [(code, energy if code >= 0 else -1.0) for code, energy in zip(codes, energies)]


def _sum(parts: Sequence[tuple[int, float]]) -> tuple[int, float]:
    """Of fragments: the worst code and the sum of energies."""
    codes = [code for code, _ in parts]
    if min(codes) < 0:
        return -1, -1.0
    return max(codes), sum(energy for _, energy in parts)
