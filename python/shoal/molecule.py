# SPDX-License-Identifier: BSD-3-Clause
# Molecules: atoms, coordinates, bonds, charges, cell; read from files and written to them.
"""Molecules, and the files they come from and go to."""

from __future__ import annotations

import ctypes
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _abi
from ._handle import (
    Handle,
    address_of,
    array_of,
    brief,
    copy_of,
    flag,
    integers,
    listed,
    number,
    path_bytes,
    reals,
    text,
    three_flags,
    whole,
    word,
)
from ._lib import ArgumentError, FormatError, check, lib, string_bytes
from .forcefield import ForceField, typing_options

if TYPE_CHECKING:
    from .pair_model import PairModel
    from .topology import Topology

BOND_DTYPE: np.dtype[Any] = np.dtype(_abi.shoal_bond)
ORDERS = (0, 1, 2, 3, 4, 5, 9)  # shoal_bond_order
SMILES = _abi.SHOAL_FORMAT_SMILES


def elements_of(value: Any) -> np.ndarray:
    """Atomic numbers of numbers or symbols."""
    items = [value] if isinstance(value, str) else listed("numbers", value, "elements")
    if items and all(isinstance(item, str) for item in items):
        found = [lib.shoal_element_number(word("symbols", item)) for item in items]
        if 0 in found:
            raise ArgumentError(f"symbols: expected elements, got {items[found.index(0)]!r}")
        return np.array(found, np.int32)
    return integers("numbers", items, (None,))


def bond_rows(value: Any, n_atoms: int) -> np.ndarray:
    """Bonds as the C library has them, of (i, j), (i, j, order) or (i, j, order, shift)."""
    if isinstance(value, np.ndarray) and value.dtype == BOND_DTYPE:
        _check_orders(value)
        return np.ascontiguousarray(value).reshape(-1)
    rows = listed("bonds", value, "a list of (i, j)")
    out = np.zeros(len(rows), BOND_DTYPE)
    for k, given in enumerate(rows):
        row = listed(f"bonds[{k}]", given, "(i, j), (i, j, order) or (i, j, order, shift)")
        if not 2 <= len(row) <= 4:
            raise ArgumentError(
                f"bonds[{k}]: expected (i, j), (i, j, order) or (i, j, order, shift)"
            )
        i, j = (whole(f"bonds[{k}]", a, 0, max(n_atoms - 1, 0)) for a in row[:2])
        order = row[2] if len(row) > 2 else _abi.SHOAL_ORDER_UNKNOWN
        if isinstance(order, (float, np.floating)) and order == 1.5:
            order = _abi.SHOAL_ORDER_AROMATIC
        shift = tuple(integers(f"bonds[{k}] shift", row[3], (3,))) if len(row) > 3 else (0, 0, 0)
        kind = whole(f"bonds[{k}] order", order, 0, 9)
        out[["i", "j", "shift", "order"]][k] = (i, j, shift, kind)
    _check_orders(out)
    return out


def _check_orders(rows: np.ndarray) -> None:
    unknown = ~np.isin(rows["order"], ORDERS)
    if unknown.any():
        raise ArgumentError(f"bonds: there is no bond order {rows['order'][unknown][0]}")


class Molecule(Handle):
    """Atoms with coordinates (angstrom), and what else is known of them.

    numbers: atomic numbers or symbols. positions: [n, 3] angstrom. bonds: (i, j), (i, j, order)
    or (i, j, order, shift) each, with orders 0 unknown, 1, 2, 3, 4 or 1.5 aromatic, 5 quadruple,
    9 dative; None: they are found from distances. cell: [3, 3] angstrom, rows a, b, c; pbc: which
    of them repeat (default: all). charges: partial charges in e. formal_charges: whole numbers;
    with them and all bond orders given nothing has to be guessed.

    Arrays of a molecule are read-only copies; assign a whole array to change one.

    >>> import shoal
    >>> water = shoal.Molecule("OHH", [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]])
    >>> len(water), water.symbols
    (3, ['O', 'H', 'H'])
    """

    _destroy = "shoal_molecule_destroy"
    _bonds_given = False  # perhaps none at all: they are not looked for

    def __init__(
        self,
        numbers: Any,
        positions: Any,
        bonds: Any = None,
        *,
        cell: Any = None,
        pbc: Any = None,
        charges: Any = None,
        formal_charges: Any = None,
        name: str = "",
    ) -> None:
        if isinstance(numbers, str):
            numbers = _split_symbols(numbers)
        z = elements_of(numbers)
        pos = reals("positions", positions, (len(z), 3))
        self._create("shoal_molecule_create")
        check(lib.shoal_molecule_add_atoms(self._ptr, len(z), address_of(z), address_of(pos)))
        if bonds is not None:
            rows = bond_rows(bonds, len(z))
            at = rows.ctypes.data_as(ctypes.POINTER(_abi.shoal_bond))
            check(lib.shoal_molecule_add_bonds(self._ptr, len(rows), at))
        self._bonds_given = bonds is not None
        if formal_charges is not None:
            self.formal_charges = formal_charges
        if charges is not None:
            self.charges = charges
        if cell is not None:
            self.set_cell(cell, True if pbc is None else pbc)
        elif pbc is not None and three_flags("pbc", pbc).any():
            raise ArgumentError("pbc: expected a cell with it, got cell=None")
        if word("name", name):
            self.name = name

    @classmethod
    def _empty(cls) -> Molecule:
        self = cls.__new__(cls)
        self._create("shoal_molecule_create")
        return self

    # --- what it is made of ---

    def __len__(self) -> int:
        return int(lib.shoal_molecule_n_atoms(self._ptr))

    @property
    def numbers(self) -> np.ndarray:
        """Atomic numbers, [n] int32."""
        return copy_of(lib.shoal_molecule_elements(self._ptr), (len(self),), np.int32)

    @property
    def symbols(self) -> list[str]:
        """Element symbols."""
        return [text(lib.shoal_element_symbol(int(z))) for z in self.numbers]

    @property
    def formula(self) -> str:
        """Elements and their numbers, carbon and hydrogen first: "C2H6O"."""
        counts: dict[str, int] = {}
        for symbol in self.symbols:
            counts[symbol] = counts.get(symbol, 0) + 1
        first = [s for s in ("C", "H") if s in counts] if "C" in counts else []
        order = first + sorted(set(counts) - set(first))
        return "".join(s + (str(counts[s]) if counts[s] > 1 else "") for s in order)

    @property
    def positions(self) -> np.ndarray:
        """Coordinates, [n, 3] angstrom. Assign a whole array to move the atoms."""
        return copy_of(lib.shoal_molecule_positions(self._ptr), (len(self), 3), np.float64)

    @positions.setter
    def positions(self, value: Any) -> None:
        self._move(reals("positions", value, (len(self), 3)))

    def _move(self, positions: Any) -> None:
        """Moves the atoms, also to where there is no number: such a system fails alone."""
        pos = reals("positions", positions, (len(self), 3), finite=False)
        check(lib.shoal_molecule_set_positions(self._ptr, address_of(pos)))

    @property
    def bonds(self) -> np.ndarray:
        """Bonds, a structured array with i, j, shift, order, aromatic, conjugated and shared."""
        n = int(lib.shoal_molecule_n_bonds(self._ptr))
        at = lib.shoal_molecule_bonds(self._ptr)
        return copy_of(ctypes.cast(at, ctypes.c_void_p).value, (n,), BOND_DTYPE)

    @property
    def charges(self) -> np.ndarray | None:
        """Partial charges, [n] e; None where none were given or computed."""
        at = lib.shoal_molecule_charges(self._ptr)
        return copy_of(at, (len(self),), np.float64) if at else None

    @charges.setter
    def charges(self, value: Any) -> None:
        q = reals("charges", value, (len(self),))
        check(lib.shoal_molecule_set_charges(self._ptr, address_of(q)))

    @property
    def velocities(self) -> np.ndarray | None:
        """[n, 3] angstrom/fs, as frames of trajectories have them; None where none were given."""
        at = lib.shoal_molecule_velocities(self._ptr)
        return copy_of(at, (len(self), 3), np.float64) if at else None

    @velocities.setter
    def velocities(self, value: Any) -> None:
        if value is None:
            check(lib.shoal_molecule_set_velocities(self._ptr, None))
            return
        v = reals("velocities", value, (len(self), 3))
        check(lib.shoal_molecule_set_velocities(self._ptr, address_of(v)))

    @property
    def formal_charges(self) -> np.ndarray:
        """Charges of the Kekule structure, [n] int32."""
        return copy_of(lib.shoal_molecule_formal_charges(self._ptr), (len(self),), np.int32)

    @formal_charges.setter
    def formal_charges(self, value: Any) -> None:
        q = integers("formal_charges", value, (len(self),))
        check(lib.shoal_molecule_set_formal_charges(self._ptr, address_of(q)))

    @property
    def radicals(self) -> np.ndarray:
        """Unpaired electrons, [n] int32."""
        return copy_of(lib.shoal_molecule_radicals(self._ptr), (len(self),), np.int32)

    @radicals.setter
    def radicals(self, value: Any) -> None:
        present = self.radicals.tolist()
        for i, n in enumerate(integers("radicals", value, (len(self),)).tolist()):
            if n != present[i]:
                check(lib.shoal_molecule_set_radical(self._ptr, i, n))

    @property
    def isotopes(self) -> np.ndarray:
        """Mass numbers, [n]; 0 for an element as it is found."""
        return np.array(
            [lib.shoal_molecule_isotope(self._ptr, i) for i in range(len(self))], np.int32
        )

    @isotopes.setter
    def isotopes(self, value: Any) -> None:
        for i, n in enumerate(integers("isotopes", value, (len(self),)).tolist()):
            check(lib.shoal_molecule_set_isotope(self._ptr, i, n))

    def set_type(self, i: int, label: str) -> None:
        """Decides on the UFF type of an atom, such as "C_R"; "" takes it back."""
        k = whole("i", i, 0, max(len(self) - 1, 0))
        check(lib.shoal_molecule_set_type(self._ptr, k, word("label", label)))

    @property
    def cell(self) -> np.ndarray:
        """Rows a, b, c, [3, 3] angstrom; all zero for an isolated molecule."""
        return self._cell()[0]

    @property
    def pbc(self) -> np.ndarray:
        """Which of the three repeat, [3] bool."""
        return self._cell()[1]

    def _cell(self) -> tuple[np.ndarray, np.ndarray]:
        cell, pbc = np.zeros((3, 3)), np.zeros(3, np.bool_)
        lib.shoal_molecule_cell(self._ptr, address_of(cell), address_of(pbc))
        return cell, pbc

    def set_cell(self, cell: Any, pbc: Any = True) -> None:
        """Gives the molecule a cell: rows a, b, c in angstrom; pbc: one or three truth values."""
        given = array_of("cell", cell)
        rows = reals("cell", np.diag(given) if given.shape == (3,) else given, (3, 3))
        repeats = three_flags("pbc", pbc)
        check(lib.shoal_molecule_set_cell(self._ptr, address_of(rows), address_of(repeats)))

    @property
    def name(self) -> str:
        """What the molecule is called; can be set."""
        return text(lib.shoal_molecule_name(self._ptr))

    @name.setter
    def name(self, value: str) -> None:
        check(lib.shoal_molecule_set_name(self._ptr, word("name", value)))

    @property
    def properties(self) -> dict[str, str]:
        """Data fields of the file (a copy): set one by ``set_property``."""
        n = lib.shoal_molecule_n_properties(self._ptr)
        key, value = lib.shoal_molecule_property_key, lib.shoal_molecule_property_value
        pairs = [(text(key(self._ptr, i)), text(value(self._ptr, i))) for i in range(n)]
        return dict(reversed(pairs))  # of those that a file repeats, the first

    def set_property(self, key: str, value: Any) -> None:
        """Sets a data field, which files keep; None removes it."""
        if value is None:
            lib.shoal_molecule_remove_property(self._ptr, word("key", key))
        else:
            data = word("key", key), word("value", str(value))
            check(lib.shoal_molecule_set_property(self._ptr, *data))

    def copy(self) -> Molecule:
        """A molecule of its own with the same contents."""
        other = Molecule._empty()
        check(lib.shoal_molecule_copy(other._ptr, self._ptr))
        other._bonds_given = self._bonds_given
        return other

    def __copy__(self) -> Molecule:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Molecule:
        return self.copy()

    # --- chemistry ---

    def perceive(
        self,
        total_charge: int | None = None,
        *,
        rebuild_bonds: bool = False,
        bond_slack: float | None = None,
    ) -> Molecule:
        """Completes the chemistry in place: bonds from distances, orders, formal charges,
        aromaticity.

        total_charge in e, where formal charges must be found; bond_slack in angstrom beyond the
        covalent radii. Raises FormatError, naming the atom, where no structure fits.
        """
        options = perceive_options(total_charge, rebuild_bonds, bond_slack)
        check(lib.shoal_molecule_perceive(self._ptr, ctypes.byref(options)))
        return self

    def add_hydrogens(self) -> int:
        """Adds the hydrogen atoms that valences lack, behind the others; how many were added."""
        n = ctypes.c_int32()
        check(lib.shoal_molecule_add_hydrogens(self._ptr, ctypes.byref(n)))
        return n.value

    def equilibrate(self, total_charge: float = 0.0) -> Molecule:
        """Replaces the partial charges by those of charge equilibration (QEq), with a total in
        e."""
        options = _abi.shoal_qeq_options(total_charge=number("total_charge", total_charge))
        check(lib.shoal_molecule_equilibrate(self._ptr, ctypes.byref(options)))
        return self

    def topology(
        self,
        charges: str = "auto",
        params: PairModel | str | None = None,
        *,
        forcefield: ForceField = "uff",
    ) -> Topology:
        """Types the molecule and gives its terms; look at ``status`` and ``reason``.

        forcefield "uff", "uff:paper", "uff:firecore", "mmffsp3", "mmffsp3:firecore", or a `UFF` or
        `MMFFsp3` with options of its own.

        >>> import shoal
        >>> water = shoal.Molecule("OHH", [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]])
        >>> water.topology(forcefield="uff:paper").types
        ['O_3', 'H_', 'H_']
        """
        from .pair_model import model_of
        from .topology import Topology

        options, table = typing_options(charges, forcefield)
        model = model_of(params)
        if model is not None:
            options.model = model._ptr
        made = Topology._typed(self.copy(), options)  # typing perceives; this one stays as it is
        del table  # until here
        made._made = _typed_again, (self.copy(), charges, model, forcefield)
        return made

    @property
    def types(self) -> list[str]:
        """UFF types of the atoms, as the default dialect has them."""
        return self.topology(charges="none").types

    # --- other programs ---

    @classmethod
    def from_smiles(cls, smiles: str) -> Molecule:
        """The molecule of a SMILES, with its hydrogens and configurations and without coordinates;
        behind blanks its name may follow. Jobs make a conformer of it, `Batch.embed` several.

        >>> import shoal
        >>> shoal.Molecule.from_smiles("CCO ethanol")
        <Molecule 'ethanol' C2H6O, 9 atoms>
        """
        line = word("smiles", smiles)
        if not line.strip() or b"\n" in line or b"\r" in line:
            raise ArgumentError(f"smiles: expected one line with a SMILES, got {brief(smiles)}")
        reader = _Reader()
        reader._create("shoal_reader_open_memory", line, len(line), b"SMILES", SMILES)
        for mol in _frames(reader, strict=True):
            return mol
        raise ArgumentError(f"smiles: expected a SMILES, got {brief(smiles)}")

    @classmethod
    def from_ase(cls, atoms: Any) -> Molecule:
        """The molecule of an ase.Atoms."""
        from . import ase

        return ase.to_molecule(atoms)

    def to_ase(self) -> Any:
        """The same as ase.Atoms."""
        from . import ase

        return ase.to_atoms(self)

    @classmethod
    def from_rdkit(cls, mol: Any, conf_id: int = -1) -> Molecule:
        """The molecule of one conformer of an RDKit Mol."""
        from . import rdkit

        return rdkit.to_molecule(mol, conf_id)

    def to_rdkit(self) -> Any:
        """The same as an RDKit Mol with one conformer."""
        from . import rdkit

        return rdkit.to_mol(self)

    def write(self, path: Any) -> None:
        """Writes the molecule to a file: .xyz, .extxyz, .sdf, also with .gz."""
        write(path, [self])

    # --- Python ---

    def __reduce__(self) -> Any:
        packed = ctypes.c_void_p()
        check(lib.shoal_string_create(ctypes.byref(packed)))
        try:
            check(lib.shoal_molecule_pack(self._ptr, packed))
            return _unpacked, (string_bytes(packed), self._bonds_given)
        finally:
            lib.shoal_string_destroy(packed)

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        cell = " periodic" if lib.shoal_molecule_is_periodic(self._ptr) else ""
        return f"<Molecule{name} {self.formula}, {len(self)} atoms{cell}>"

    def _repr_html_(self) -> str:
        from .picture import molecule_html

        return molecule_html(self)


def _split_symbols(value: str) -> list[str]:
    """Symbols of "OHH" or "C O H"."""
    import re

    if value.strip() in ("",) or not re.fullmatch(r"([A-Z][a-z]?|\s)+", value):
        raise ArgumentError(f"symbols: expected elements such as 'OHH', got {value!r}")
    return re.findall(r"[A-Z][a-z]?", value)


def _unpacked(packed: bytes, bonds_given: bool) -> Molecule:
    mol = Molecule._empty()
    check(lib.shoal_molecule_unpack(mol._ptr, packed, len(packed)))
    mol._bonds_given = bonds_given
    return mol


def _typed_again(mol: Molecule, charges: str, params: Any, forcefield: ForceField) -> Topology:
    return mol.topology(charges, params, forcefield=forcefield)


def perceive_options(
    total_charge: int | None, rebuild_bonds: bool, bond_slack: float | None
) -> _abi.shoal_perceive_options:
    """Options of perception as the C library takes them."""
    options = _abi.shoal_perceive_options(rebuild_bonds=flag("rebuild_bonds", rebuild_bonds))
    if bond_slack is not None:
        options.bond_slack = number("bond_slack", bond_slack, above=0)
    if total_charge is not None:
        options.total_charge = whole("total_charge", total_charge, -1000, 1000)
        options.has_total_charge = True
    return options


def format_of(name: str | None) -> int:
    """A format of the C library by its name; None: by the names of files."""
    if name is None:
        return _abi.SHOAL_FORMAT_AUTO
    found = lib.shoal_format_by_name(word("format", name))
    if found == _abi.SHOAL_FORMAT_AUTO:
        raise ArgumentError(
            "format: expected 'xyz', 'extxyz', 'sdf', 'mol', 'mol2', 'smi', 'cif', 'poscar', 'pdb' "
            f"or 'h5', got {name!r}"
        )
    return int(found)


def read_options(major_part: Any, smiles_column: Any) -> _abi.shoal_read_options:
    """How records are read; both options are those of iread."""
    column = None if smiles_column is None else word("smiles_column", smiles_column)
    return _abi.shoal_read_options(major_part=flag("major_part", major_part), smiles_column=column)


def iread(
    path: Any,
    *,
    format: str | None = None,
    strict: bool = True,
    major_part: bool = False,
    smiles_column: str | None = None,
) -> Iterator[Molecule]:
    """Reads the molecules of a file one by one: xyz, extxyz, sdf, mol, mol2, smi, csv, cif, POSCAR,
    pdb (also .gz), results (.h5).

    smiles_column: of tables (.csv, .tsv), the name of the column with the SMILES (default: smiles).

    major_part: of disorder, keep the groups with the largest occupancy; otherwise they are refused.
    strict=False: a record that cannot be read is left out with a warning; otherwise FormatError.

    >>> import shoal
    >>> names = [mol.name for mol in shoal.iread("lib.sdf")]  # doctest: +SKIP
    """
    if format_of(format) == _abi.SHOAL_FORMAT_HDF5 or (
        format is None
        and lib.shoal_format_by_path(path_bytes("path", path)) == _abi.SHOAL_FORMAT_HDF5
    ):
        from .results import load

        return iter(load(path).molecules)
    reader = _Reader()
    options = read_options(major_part, smiles_column)
    reader._create(
        "shoal_reader_open_with", path_bytes("path", path), format_of(format), ctypes.byref(options)
    )
    return _frames(reader, strict)


class _Reader(Handle):
    _destroy = "shoal_reader_destroy"


def _frames(reader: _Reader, strict: bool) -> Iterator[Molecule]:
    found = ctypes.c_bool()
    while True:
        mol = Molecule._empty()
        try:
            check(lib.shoal_reader_next(reader._ptr, mol._ptr, ctypes.byref(found)))
        except FormatError as error:
            if strict:
                raise
            before = _consumed(reader)
            warnings.warn(f"left out: {error}", stacklevel=3)
            if before == reader.__dict__.get("stuck"):
                return  # the file cannot be read on
            reader.__dict__["stuck"] = before
            continue
        if not found.value:
            return
        yield mol


def _consumed(reader: _Reader) -> int:
    done = ctypes.c_uint64()
    lib.shoal_reader_progress(reader._ptr, ctypes.byref(done), None)
    return done.value


def read(
    path: Any,
    *,
    format: str | None = None,
    strict: bool = True,
    major_part: bool = False,
    smiles_column: str | None = None,
) -> list[Molecule]:
    """Reads all molecules of a file; see iread.

    >>> import shoal
    >>> mols = shoal.read("library.sdf.gz")  # doctest: +SKIP
    """
    options = {"strict": strict, "major_part": major_part, "smiles_column": smiles_column}
    return list(iread(path, format=format, **options))


def write(path: Any, molecules: Molecule | Iterable[Molecule]) -> None:
    """Writes molecules to one file: .xyz, .extxyz, .sdf, .mol2, .cif, .pdb or (one) .vasp, also
    with .gz behind it."""
    items: Sequence[Molecule] | Iterable[Molecule]
    items = [molecules] if isinstance(molecules, Molecule) else molecules
    if not isinstance(items, Iterator):
        items = listed("molecules", items, "Molecules")
    writer = _Writer()
    writer._create("shoal_writer_open", path_bytes("path", path), _abi.SHOAL_FORMAT_AUTO)
    bonded = (_abi.SHOAL_FORMAT_SDF, _abi.SHOAL_FORMAT_MOL2)
    needs_bonds = lib.shoal_writer_format(writer._ptr) in bonded
    for mol in items:
        if not isinstance(mol, Molecule):
            raise ArgumentError(f"molecules: expected Molecules, got {brief(mol)}")
        if needs_bonds and not lib.shoal_molecule_n_bonds(mol._ptr):
            mol = mol.copy().perceive()
        check(lib.shoal_writer_put(writer._ptr, mol._ptr, None))
    check(lib.shoal_writer_close(writer._ptr))


class _Writer(Handle):
    _destroy = "shoal_writer_destroy"
