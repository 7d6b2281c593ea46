# SPDX-License-Identifier: BSD-3-Clause
# The systems of a batch: files, or molecules in memory as records of a stream.
"""Systems: what a batch is made of, as the C library takes it."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from . import _abi
from ._handle import address_of, array_of, brief, existing, integers, listed, reals
from ._lib import ArgumentError, check, lib
from .molecule import Molecule
from .restraint import PLACES, Restraint, restraint_array
from .results import Result, Results
from .topology import Topology

_names = [field[0] for field in _abi.shoal_record._fields_]
RECORD = np.dtype(
    {
        "names": _names,
        "formats": ["<i4" if name == "n_restraints" else "<u8" for name in _names],
        "offsets": [getattr(_abi.shoal_record, name).offset for name in _names],
        "itemsize": ctypes.sizeof(_abi.shoal_record),
    }
)


class Systems:
    """Files, or records in memory: molecules, perhaps with coordinates, topologies and constraints.

    ``records`` has one row of pointers per system; what they point to is kept alive here.
    """

    def __init__(self, systems: Any, positions: Any = None) -> None:
        self.files: list[str] = _paths(systems)
        self.molecules: list[Molecule] = []
        self.topologies: list[Topology] = []  # that were given or made, one or one for each
        self.keep: list[Any] = []
        self.records = np.zeros(0, RECORD)
        self.sizes = np.zeros(0, np.int32)  # atoms of every system
        self.starts: list[np.ndarray] = []  # coordinates that were given, by molecule
        self.counts = np.zeros(0, np.int64)  # systems of every molecule
        self.fixed = np.zeros(0, np.int32)  # atoms that are fixed in all systems
        self.restraints: list[Restraint] = []  # of all systems
        if self.files:
            if positions is not None:
                raise ArgumentError("positions: expected None with files")
            return
        self.molecules = _molecules(systems)
        if not self.molecules:
            raise ArgumentError("systems: expected molecules or paths, got none")
        self._lay_out(positions)

    @property
    def in_memory(self) -> bool:
        return not self.files

    def __len__(self) -> int:
        return len(self.records)

    # --- records ---

    def _lay_out(self, positions: Any) -> None:
        molecules = self.molecules
        pointers = np.array([mol._ptr for mol in molecules], np.uint64)
        sizes = np.array([len(mol) for mol in molecules], np.int32)
        if (sizes == 0).any():
            raise ArgumentError(f"systems[{int(np.argmin(sizes))}]: expected atoms, got none")
        self.counts = np.ones(len(molecules), np.int64)
        if positions is not None:
            self.starts = _coordinates(positions, sizes)
            self.counts = np.array([len(block) for block in self.starts], np.int64)
        self.records = np.zeros(int(self.counts.sum()), RECORD)
        if not len(self.records):
            raise ArgumentError("positions: expected coordinates of one system or more, got none")
        self.records["molecule"] = np.repeat(pointers, self.counts)
        self.sizes = np.repeat(sizes, self.counts)
        if positions is not None:
            at = [
                address_of(block) + np.arange(len(block), dtype=np.uint64) * np.uint64(24 * n)
                for block, n in zip(self.starts, sizes.tolist())
            ]
            self.records["pos"] = np.concatenate(at)

    def check_unchanged(self) -> None:
        """Refuses molecules that have got or lost atoms since the batch was made."""
        if not self.starts and not self.records["fixed"].any():
            return  # nothing here has a length
        first = np.cumsum(self.counts) - self.counts
        for k, mol in zip(first.tolist(), self.molecules):
            if len(mol) != self.sizes[k]:
                raise ArgumentError(
                    f"systems: a molecule had {self.sizes[k]} atoms when the batch was made and "
                    f"has {len(mol)} now; make a new batch"
                )

    # --- what belongs to single systems ---

    def set_topologies(self, topologies: Any) -> None:
        """Terms of the user instead of typing: one for all, or one for each."""
        if topologies is None:
            return
        self._need_memory("topologies")
        if isinstance(topologies, Topology):
            topologies = [topologies]
        items = listed("topologies", topologies, "a Topology, or one for each system")
        for k, item in enumerate(items):
            if not isinstance(item, Topology):
                raise ArgumentError(f"topologies[{k}]: expected a Topology, got {brief(item)}")
        if len(items) not in (1, len(self)):
            raise ArgumentError(
                f"topologies: expected one, or one for each of {len(self)} systems, "
                f"got {len(items)}"
            )
        self._check_topologies(items)
        self.records["topology"] = np.array([item._ptr for item in items], np.uint64)
        self.topologies = items

    def typed(self, fields: list[Any], rules: dict[Any, Any], perceive: Any) -> list[Topology]:
        """A topology for each system by the force field that is given for it; conformers of a
        molecule share theirs unless charges depend on coordinates."""
        self._need_memory("forcefield by system")
        if len(fields) not in (1, len(self)):
            raise ArgumentError(
                f"forcefield: expected one, or one for each of {len(self)} systems, "
                f"got {len(fields)}"
            )
        of = np.repeat(np.arange(len(self.molecules)), self.counts).tolist()
        first = (np.cumsum(self.counts) - self.counts).tolist()
        made: dict[tuple[Any, ...], Topology] = {}
        found = []
        for k, i in enumerate(of):
            field = fields[k if len(fields) > 1 else 0]
            alone = rules[field].charges == _abi.SHOAL_CHARGES_QEQ
            key = (i, field, k if alone else 0)
            if key not in made:
                mol = self.molecules[i].copy()
                if self.starts:
                    mol.positions = self.starts[i][k - first[i]]
                check(lib.shoal_molecule_perceive(mol._ptr, ctypes.byref(perceive)))
                made[key] = Topology._typed(mol, rules[field])
            found.append(made[key])
        return found

    def _check_topologies(self, items: list[Topology]) -> None:
        n_atoms = {id(item): len(item) for item in items}
        sizes = np.array([n_atoms[id(item)] for item in items])
        wrong = np.flatnonzero(sizes != self.sizes)
        if len(wrong):
            k = int(wrong[0])
            has = int(sizes[k if len(items) > 1 else 0])
            raise ArgumentError(
                f"topologies: system {k} has {self.sizes[k]} atoms, its topology {has}"
            )
        first = (np.cumsum(self.counts) - self.counts).tolist()
        for k, mol in zip(first, self.molecules):
            if (items[k if len(items) > 1 else 0].numbers != mol.numbers).any():
                raise ArgumentError(f"topologies: system {k} has other elements than its topology")

    def set_fixed(self, fixed: Any) -> None:
        """Atoms that do not move: a mask or indices for all systems, or a list of them by
        system."""
        if fixed is None:
            return
        if _is_flat(fixed):
            self.fixed = self._indices("fixed", fixed, None)
            return
        self._need_memory("fixed by system")
        items = list(fixed)
        if len(items) != len(self):
            raise ArgumentError(
                f"fixed: expected one mask for each of {len(self)} systems, got {len(items)}"
            )
        at = np.concatenate(([0], np.cumsum(self.sizes, dtype=np.int64)))
        flat = np.zeros(int(at[-1]), np.bool_)
        for k, item in enumerate(items):
            flat[at[k] : at[k + 1]][self._indices(f"fixed[{k}]", item, k)] = True
        self.records["fixed"] = np.uint64(address_of(flat)) + at[:-1].astype(np.uint64)
        self.keep.append(flat)

    def _indices(self, name: str, value: Any, system: int | None) -> np.ndarray:
        """Atoms by a mask or by indices."""
        array = array_of(name, [] if value is None else value)
        sizes = self.sizes if system is None else self.sizes[system : system + 1]
        if array.dtype == np.bool_:
            wrong = np.flatnonzero(sizes != array.size)
            if array.ndim != 1 or len(wrong):
                k = system if system is not None else int(wrong[0]) if len(wrong) else 0
                raise ArgumentError(
                    f"{name}: expected a mask of {self.sizes[k] if len(self) else 'n'} atoms "
                    f"(system {k}), got shape {list(array.shape)}"
                )
            return np.flatnonzero(array).astype(np.int32)
        found = integers(name, array, (None,))
        most = int(sizes.max()) if len(sizes) else 2**31 - 1
        if found.size and (int(found.min()) < 0 or int(found.max()) >= most):
            bad = int(found[(found < 0) | (found >= most)][0])
            raise ArgumentError(f"{name}: expected atoms from 0 to {most - 1}, got {bad}")
        return found

    def set_restraints(self, restraints: Any) -> None:
        """Pulls on all systems, or a list of them by system."""
        items = [] if restraints is None else _listed(restraints)
        if all(isinstance(item, Restraint) for item in items):
            for item in items:
                self._check_atoms(item, None)
            self.restraints = [r for r in items if r.target is None]
            aimed = [r for r in items if r.target is not None]
            if aimed:
                self._need_memory("restraints with a target")
                self._put_restraints([aimed])
            return
        self._need_memory("restraints by system")
        lists = [_listed(item) for item in items]
        if len(lists) != len(self):
            raise ArgumentError(
                f"restraints: expected one list for each of {len(self)} systems, got {len(lists)}"
            )
        for k, each in enumerate(lists):
            for item in each:
                if not isinstance(item, Restraint):
                    raise ArgumentError(f"restraints[{k}]: expected Restraints, got {brief(item)}")
                self._check_atoms(item, k)
        self._put_restraints(lists)

    def _check_atoms(self, item: Restraint, system: int | None) -> None:
        sizes = self.sizes if system is None else self.sizes[system : system + 1]
        if len(sizes) and max(item.atoms) >= int(sizes.max()):
            raise ArgumentError(
                f"restraints: {item.kind} of atoms {item.atoms}: expected atoms from 0 to "
                f"{int(sizes.max()) - 1}"
            )

    def _put_restraints(self, lists: list[list[Restraint]]) -> None:
        """One list for each system, or one that all share."""
        flat = [item for each in lists for item in each]
        array = restraint_array(flat)
        size = ctypes.sizeof(_abi.shoal_restraint)
        counts = np.array([len(each) for each in lists], np.int64)
        at = np.cumsum(counts) - counts
        for k, item in enumerate(flat):
            if item.kind in PLACES and item.target is None:
                array[k].target[:] = (np.nan,) * 3  # where the atom starts
        base = np.uint64(ctypes.addressof(array))
        self.records["restraints"] = base + at.astype(np.uint64) * np.uint64(size)
        self.records["n_restraints"] = counts
        self.keep.append(array)

    def _need_memory(self, name: str) -> None:
        if self.files:
            raise ArgumentError(f"{name}: expected systems in memory; shoal.read() reads files")

    # --- the stream ---

    def fill(self, options: _abi.shoal_stream_options) -> list[Any]:
        """Names the systems in the options of a stream; what is returned lives as long."""
        if self.files:
            names = (ctypes.c_char_p * len(self.files))(*[os.fsencode(f) for f in self.files])
            options.input.files = names
            options.input.n_files = len(self.files)
            return [names]
        self.check_unchanged()
        records = ctypes.POINTER(_abi.shoal_record)
        options.input.records = ctypes.cast(address_of(self.records), records)
        options.input.n_records = len(self.records)
        return [self.records]


def _paths(systems: Any) -> list[str]:
    """Paths, if they are that."""
    items = systems if isinstance(systems, (list, tuple)) else [systems]
    if not items or not all(isinstance(item, (str, os.PathLike)) for item in items):
        return []
    return [os.fsdecode(existing("systems", item)) for item in items]


def _molecules(systems: Any) -> list[Molecule]:
    """Molecules of whatever has some."""
    if isinstance(systems, Molecule):
        return [systems]
    if isinstance(systems, Results):
        return list(systems.molecules)
    if _is_other(systems):
        return _converted(systems, "systems")
    found: list[Molecule] = []
    for k, item in enumerate(listed("systems", systems, "molecules or paths")):
        if isinstance(item, Molecule):
            found.append(item)
        else:
            found += _converted(item, f"systems[{k}]")
    return found


def _is_other(item: Any) -> bool:
    foreign = hasattr(item, "GetConformers") or hasattr(item, "get_atomic_numbers")
    return foreign or isinstance(item, Result)


def _converted(item: Any, name: str) -> list[Molecule]:
    """Molecules of ASE and RDKit, of RDKit one per conformer, and of what a run found."""
    if isinstance(item, Result):
        return [item.molecule]
    if hasattr(item, "GetConformers"):
        from . import rdkit

        return rdkit.to_molecules(item)
    if hasattr(item, "get_atomic_numbers"):
        from . import ase

        return [ase.to_molecule(item)]
    raise ArgumentError(
        f"{name}: expected a Molecule, ase.Atoms, an RDKit Mol or a Result, "
        f"got {type(item).__name__}"
    )


def _coordinates(positions: Any, sizes: np.ndarray) -> list[np.ndarray]:
    """Coordinates by molecule, each [n, n_atoms, 3]."""
    if len(sizes) == 1:
        n = int(sizes[0])
        try:
            array = array_of("positions", positions)
        except ArgumentError as error:
            raise ArgumentError(
                f"{error} (shape [n, {n}, 3]: conformers of one molecule have as many atoms as it)"
            ) from None
        if array.ndim == 2:
            array = array[np.newaxis]
        return [reals("positions", array, (None, n, 3), finite=False)]
    items = listed("positions", positions, "one array for each molecule")
    if len(items) != len(sizes):
        raise ArgumentError(
            f"positions: expected one array for each of {len(sizes)} molecules, got {len(items)}"
        )
    found = []
    for k, (item, n) in enumerate(zip(items, sizes.tolist())):
        array = array_of(f"positions[{k}]", item)
        shape: tuple[int | None, ...] = (None, n, 3) if array.ndim == 3 else (n, 3)
        block = reals(f"positions[{k}]", array, shape, finite=False)
        found.append(block if block.ndim == 3 else block[np.newaxis])
    return found


def _is_flat(value: Any) -> bool:
    """Whether it is one mask or one list of indices."""
    if isinstance(value, np.ndarray):
        return value.ndim == 1 and value.dtype != object
    items = list(value) if isinstance(value, Iterable) else [value]
    return all(np.ndim(item) == 0 and item is not None for item in items)


def _listed(value: Any) -> list[Any]:
    if isinstance(value, Restraint):
        return [value]
    if not isinstance(value, Sequence):
        raise ArgumentError(f"restraints: expected a list of Restraints, got {brief(value)}")
    return list(value)
