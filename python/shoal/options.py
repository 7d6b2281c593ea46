# SPDX-License-Identifier: BSD-3-Clause
# Options of a batch that are rarely needed, in groups by subject.
"""Groups of options: `Typing`, `Interactions`, `Layers`, `Copies` and `Input`."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from . import _abi
from ._handle import brief, choice, flag, integers, listed, number, pairs_of, whole, word
from ._lib import ArgumentError, check, lib
from .forcefield import FIELDS

FMAX = 0.001  # eV/angstrom, as in shoal_relax_options
MAX_STEPS = 5000

MIXINGS = ("arithmetic", "geometric")
EWALDS = ("auto", "plain", "mesh")


def names_of_terms(off: str | Iterable[str]) -> tuple[str, ...]:
    """Names of terms, of a list or of a text with them."""
    words = off.replace(",", " ").split() if isinstance(off, str) else off
    names = tuple(listed("terms_off", words, "names of terms"))
    for name in names:
        word("terms_off", name)
    return names


def like(name: str) -> dict[str, Any]:
    """Options that give the numbers of another program: "firecore".

    >>> import shoal
    >>> shoal.like("firecore")["forcefield"]
    'uff:firecore'
    """
    typing, engine = _abi.shoal_typing_options(), _abi.shoal_engine_options()
    check(lib.shoal_like(word("name", name), ctypes.byref(typing), ctypes.byref(engine)))
    dialect = "uff:firecore" if typing.dialect == _abi.SHOAL_DIALECT_FIRECORE else "uff"
    arithmetic = engine.mixing == _abi.SHOAL_MIXING_ARITHMETIC
    pairs = Interactions(
        mixing="arithmetic" if arithmetic else None, coulomb_damping=engine.coulomb_damping
    )
    return {"forcefield": dialect, "interactions": pairs}


@dataclass(frozen=True)
class Typing:
    """How molecules are perceived and typed, where the file and the rules are not enough.

    types: {"3": "C_R", "element:S": "S_3+6"}, labels by atom or selection. bond_orders: {(0, 1):
    1.41}, by atoms. total_charge in e, where formal charges must be found. rebuild_bonds: bonds
    from distances, whatever the file says, up to bond_slack (angstrom) beyond the covalent radii.
    add_hydrogens: where valences lack them. drop_solvent: of frameworks, what is not bonded to
    them. file_types: types that Shoal wrote into the file
    before. fragment: 1 or 2, one molecule of frames of two.

    >>> import shoal
    >>> shoal.Batch("lib.sdf", typing=shoal.Typing(add_hydrogens=True))  # doctest: +SKIP
    """

    types: Mapping[Any, str] | None = None
    bond_orders: Mapping[tuple[int, int], float] | None = None
    total_charge: int | None = None
    rebuild_bonds: bool = False
    bond_slack: float | None = None
    add_hydrogens: bool = False
    file_types: bool = False
    drop_solvent: bool = False
    fragment: int | None = None

    def __post_init__(self) -> None:
        pairs_of("types", self.types, "a dict such as {3: 'C_R'}")
        for key, _ in pairs_of("bond_orders", self.bond_orders, "a dict such as {(0, 1): 1.5}"):
            integers("bond_orders", key, (2,))
        for name in ("rebuild_bonds", "add_hydrogens", "file_types", "drop_solvent"):
            flag(name, getattr(self, name))
        if self.total_charge is not None:
            whole("total_charge", self.total_charge, -1000, 1000)
        if self.bond_slack is not None:
            number("bond_slack", self.bond_slack, above=0)
        if self.fragment is not None:
            whole("fragment", self.fragment, 1, 2)


@dataclass(frozen=True)
class Interactions:
    """Which terms act, and how those between atoms that are not bonded are summed.

    terms_off: names of terms, such as ["coulomb"]. mixing: "geometric" or "arithmetic"; None: as
    the force field says. vdw_cutoff in angstrom; vdw_tail: the mean vdW energy beyond the cut-off
    of a crystal. ewald: the Coulomb sum of a crystal, "plain", "mesh" or "auto", what costs less;
    ewald_tolerance: its relative error. coulomb_damping in angstrom. pair_clamp: two atoms nearer
    than this share of their vdW distance push each other as they do there, for bad starts (0.6);
    0: none.

    >>> import shoal
    >>> shoal.Batch("box.xyz", interactions=shoal.Interactions(vdw_cutoff=9))  # doctest: +SKIP
    """

    terms_off: str | Iterable[str] = ()
    mixing: str | None = None
    vdw_cutoff: float | None = None
    vdw_tail: bool = False
    ewald: str = "auto"
    ewald_tolerance: float | None = None
    coulomb_damping: float | None = None
    pair_clamp: float = 0.0

    def __post_init__(self) -> None:
        if self.mixing is not None:
            choice("mixing", self.mixing, MIXINGS)
        flag("vdw_tail", self.vdw_tail)
        choice("ewald", self.ewald, EWALDS)
        object.__setattr__(self, "terms_off", names_of_terms(self.terms_off))
        if self.vdw_cutoff is not None:
            number("vdw_cutoff", self.vdw_cutoff, least=1)
        for name in ("ewald_tolerance", "coulomb_damping"):
            if getattr(self, name) is not None:
                number(name, getattr(self, name), least=0)
        object.__setattr__(self, "pair_clamp", number("pair_clamp", self.pair_clamp, least=0))


@dataclass(frozen=True)
class Layers:
    """The n topmost layers of a surface, which move with the molecule.

    spring: eV/angstrom^2 that ties each of their atoms to its place in the crystal; 0: none.

    >>> import shoal
    >>> salt = shoal.Surface.rocksalt("NaCl", size=(2, 2), layers=3)
    >>> water = shoal.Molecule("OHH", [[0, 0, 3], [0.96, 0, 3], [-0.24, 0.93, 3]])
    >>> len(shoal.Batch(water, surface=salt, movable=shoal.Layers(1, spring=2.0)).energy()[0])
    11
    """

    n: int
    spring: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", whole("movable", self.n, 1))
        object.__setattr__(self, "spring", number("spring", self.spring, 0))


@dataclass(frozen=True)
class Copies:
    """n of every system, of which all but the first are jittered by up to jitter angstrom, with
    random numbers of seed.

    >>> import shoal
    >>> water = shoal.Molecule("OHH", [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]])
    >>> len(shoal.Batch(water, copies=shoal.Copies(4, jitter=0.05, seed=3)).energy())
    4
    """

    n: int
    jitter: float = 0.0
    seed: int = 1

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "n", whole("copies", self.n, 1))
        put(self, "jitter", number("jitter", self.jitter, 0))
        put(self, "seed", whole("seed", self.seed, 0, 2**63 - 1))


@dataclass(frozen=True)
class Conformers:
    """n conformers of every system, made from its bonds, with random numbers of seed; each has
    max_tries starts.

    >>> import shoal
    >>> butane = shoal.Molecule.from_smiles("CCCC")
    >>> len(shoal.Batch(butane, conformers=shoal.Conformers(4, seed=3)).energy())
    4
    """

    n: int
    seed: int = 0
    max_tries: int = 30

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "n", whole("conformers", self.n, 1, 1000000))
        put(self, "seed", whole("seed", self.seed, 0, 2**63 - 1))
        put(self, "max_tries", whole("max_tries", self.max_tries, 1, 1000000))


@dataclass(frozen=True)
class Input:
    """Which systems are read, and how.

    format: of files whose names do not tell it. strict: a record that cannot be read ends the run;
    otherwise it is a system that failed. shard: (i, n) takes every n-th system, from the i-th on.
    major_part: of disorder, keep the groups with the largest occupancy; otherwise they are refused.
    smiles_column: of tables, the name of the column with the SMILES.

    >>> import shoal
    >>> r = shoal.Batch("examples/demo.sdf", input=shoal.Input(shard=(1, 4))).energy()
    >>> r.index
    array([1, 5, 9])
    """

    format: str | None = None
    strict: bool = False
    shard: tuple[int, int] | None = None
    major_part: bool = False
    smiles_column: str | None = None

    def __post_init__(self) -> None:
        flag("strict", self.strict)
        flag("major_part", self.major_part)
        if self.format is not None:
            word("format", self.format)
        if self.smiles_column is not None:
            word("smiles_column", self.smiles_column)
        if self.shard is not None:
            i, n = integers("shard", self.shard, (2,)).tolist()
            whole("shard", i, 0, whole("shard", n, 1) - 1)


# Groups by the option that takes them; of some the first field alone may be given.
GROUPS: dict[str, type] = {
    "typing": Typing,
    "interactions": Interactions,
    "movable": Layers,
    "copies": Copies,
    "conformers": Conformers,
    "input": Input,
}


def group(name: str, value: Any) -> Any:
    """The group that an option was given, or its defaults."""
    kind = GROUPS[name]
    if value is None or isinstance(value, kind):
        return kind() if value is None else value
    raise ArgumentError(f"{name}: expected a shoal.{kind.__name__}, got {brief(value)}")


def counted(name: str, value: Any) -> Any:
    """The same of a group that begins with a number, which may stand alone; None stays."""
    kind = GROUPS[name]
    if value is None or isinstance(value, kind):
        return value
    return kind(whole(name, value, 1))


def flat(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options with those of groups among them, as far as they are no defaults."""
    out: dict[str, Any] = {}
    for name, value in options.items():
        if isinstance(value, FIELDS):
            out[name] = value.name
        if not isinstance(value, (*GROUPS.values(), *FIELDS)):
            out[name] = value
            continue
        for field in fields(value):
            if field.name == "n":
                out[name] = value.n
            elif getattr(value, field.name) != field.default and field.name != "dialect":
                out[field.name] = getattr(value, field.name)
    return out


def _needed(kind: Any) -> str:
    """What a group cannot do without, as it is written first."""
    return "n, " if "n" in {field.name for field in fields(kind)} else ""


def refuse_unknown(call: str, unknown: Mapping[str, Any]) -> None:
    """TypeError for an option that a call does not have, naming the group that has it."""
    for name in unknown:
        hints = [
            f"{option}=shoal.{kind.__name__}({_needed(kind)}{name}=...)"
            for option, kind in [*GROUPS.items(), *(("forcefield", f) for f in FIELDS)]
            if name in {field.name for field in fields(kind)} - {"n"}
        ]
        hint = f"; expected {' or '.join(hints)}" if hints else ""
        raise TypeError(f"{call} got an unexpected keyword argument {name!r}{hint}")
