# SPDX-License-Identifier: BSD-3-Clause
# Which force field types a molecule, and its options.
"""Force fields: by their names, "uff" and "mmffsp3" with the dialects behind a colon, "mmff94" and
"mmff94s", or as `UFF`, `MMFFsp3` and `MMFF94` with options of their own."""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from typing import Any, Union

from . import _abi
from ._handle import Handle, brief, choice, flag, number, path_bytes, text, word
from ._lib import ArgumentError, check, lib

CHARGES = ("auto", "none", "file", "qeq", "mmff94", "qeq-molecules")


class _Table(Handle):
    """Parameters of the user, read from a file."""

    _destroy = "shoal_ff_table_destroy"

    def __init__(self, path: Any) -> None:
        self._create("shoal_ff_table_read", path_bytes("table", path))


def _check_table(field: Any) -> None:
    if field.table is not None:
        object.__setattr__(field, "table", os.fsdecode(path_bytes("table", field.table)))


@dataclass(frozen=True)
class UFF:
    """The universal force field.

    dialect: None (that of RDKit), "paper" or "firecore". angle_guard=False: UFF's angles alone,
    without the energy that keeps neighbours of an atom from coinciding.
    table: path of parameters that take the place of its own (docs/ff-tables.md).

    >>> import shoal
    >>> water = shoal.Molecule("OHH", [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]])
    >>> len(shoal.Batch(water, forcefield=shoal.UFF("paper", angle_guard=False)).energy())
    1
    """

    dialect: str | None = None
    angle_guard: bool = True
    table: Any = None

    def __post_init__(self) -> None:
        _check_table(self)
        flag("angle_guard", self.angle_guard)
        if self.dialect is not None:
            word("dialect", self.dialect)

    @property
    def name(self) -> str:
        """Its name, with the dialect behind a colon."""
        return "uff" if self.dialect is None else f"uff:{self.dialect}"

    def _fill(self, out: _abi.shoal_typing_options) -> None:
        out.no_angle_guard = not self.angle_guard


@dataclass(frozen=True)
class MMFFsp3:
    """MMFFsp3.

    dialect: None or "firecore". electron_pairs: lone pairs as points with charges. bond_scale: a
    factor of all bond constants. pi_inertia of pi vectors, amu angstrom^2. pi_softening: the
    cosine over which the cusp of crossed pi vectors is rounded.
    table: path of parameters that take the place of its own (docs/ff-tables.md).

    >>> import shoal
    >>> water = shoal.Molecule("OHH", [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]])
    >>> water.topology(forcefield=shoal.MMFFsp3(electron_pairs=True)).pair_atoms
    array([0, 0], dtype=int32)
    """

    dialect: str | None = None
    electron_pairs: bool = False
    bond_scale: float | None = None
    pi_inertia: float | None = None
    pi_softening: float | None = None
    table: Any = None

    def __post_init__(self) -> None:
        _check_table(self)
        flag("electron_pairs", self.electron_pairs)
        if self.dialect is not None:
            word("dialect", self.dialect)
        for name in ("bond_scale", "pi_inertia"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, number(name, getattr(self, name), above=0))
        if self.pi_softening is not None:
            object.__setattr__(self, "pi_softening", number("pi_softening", self.pi_softening, 0))

    @property
    def name(self) -> str:
        """Its name, with the dialect behind a colon."""
        return "mmffsp3" if self.dialect is None else f"mmffsp3:{self.dialect}"

    def _fill(self, out: _abi.shoal_typing_options) -> None:
        out.electron_pairs = bool(self.electron_pairs)
        for name in ("bond_scale", "pi_inertia", "pi_softening"):
            setattr(out, name, getattr(self, name) or 0.0)


@dataclass(frozen=True)
class MMFF94:
    """The Merck molecular force field; MMFFsp3 is another one.

    planar: MMFF94s, whose conjugated nitrogens are planar. dielectric: "constant", or "distance",
    which grows with the distance.
    table: path of parameters that take the place of its own (docs/ff-tables.md).

    >>> import shoal
    >>> water = shoal.Molecule("OHH", [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]])
    >>> water.topology(forcefield=shoal.MMFF94(planar=True)).types
    ['OH2', 'HOH', 'HOH']
    """

    planar: bool = False
    dielectric: str = "constant"
    table: Any = None

    def __post_init__(self) -> None:
        _check_table(self)
        choice("dielectric", self.dielectric, ("constant", "distance"))

    @property
    def name(self) -> str:
        """Its name."""
        return "mmff94s" if self.planar else "mmff94"

    def _fill(self, out: _abi.shoal_typing_options) -> None:
        out.far_dielectric = self.dielectric == "distance"


FIELDS = (UFF, MMFFsp3, MMFF94)
ForceField = Union[str, UFF, MMFFsp3, MMFF94]


def name_of(forcefield: Any) -> str:
    """The name of a force field, with its dialect."""
    if isinstance(forcefield, FIELDS):
        return forcefield.name
    if isinstance(forcefield, str):
        return forcefield
    raise ArgumentError(
        "forcefield: expected a name such as 'mmffsp3', a UFF, MMFFsp3 or MMFF94, "
        f"got {brief(forcefield)}"
    )


def charge_source(charges: str) -> int:
    """The number of a word for whose charges act."""
    choice("charges", charges, CHARGES)
    names = (text(lib.shoal_charge_source_name(k)) for k in range(_abi.SHOAL_N_CHARGE_SOURCES))
    return list(names).index(charges)


def typing_options(
    charges: str = "auto", forcefield: ForceField = "uff"
) -> tuple[_abi.shoal_typing_options, Any]:
    """Options of typing as the C library takes them, checked, and what has to live as long."""
    out = _abi.shoal_typing_options(charges=charge_source(charges))
    check(lib.shoal_forcefield_by_name(word("forcefield", name_of(forcefield)), ctypes.byref(out)))
    if isinstance(forcefield, str):
        return out, None
    forcefield._fill(out)
    table = None if forcefield.table is None else _Table(forcefield.table)
    if table is not None:
        out.table = table._ptr
    return out, table
