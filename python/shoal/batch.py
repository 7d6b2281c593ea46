# SPDX-License-Identifier: BSD-3-Clause
# Batches: many systems, computed together.
"""Batches: any number of systems and how they are computed; ``energy()``, ``relax()`` and other
jobs."""

from __future__ import annotations

import ctypes
import inspect
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _abi
from ._handle import Handle, address_of, brief, choice, instance, integers, number, whole, word
from ._lib import ArgumentError, check, lib
from .embedding import embed_batch as _embed
from .forcefield import ForceField, name_of, typing_options
from .md import md as _md
from .modes import modes as _modes
from .molecule import format_of, perceive_options, read_options
from .options import (
    Conformers,
    FMAX,
    MAX_STEPS,
    Copies,
    Input,
    Interactions,
    Layers,
    Typing,
    counted,
    flat,
    group,
    refuse_unknown,
)
from .pair_model import PairModel, model_of
from .placement import Placement
from .progress import Choice
from .restraint import Restraint, restraint_array
from .results import Results
from .run import Run
from .scan import scan as _scan
from .search import search as _search
from .settings import Settings
from .surface import Grid, Surface
from .systems import Systems
from .topology import Topology

METHODS = ("lbfgs", "fire")
# Options after which results are no longer one for each system, with its atoms.
RESHAPING = (
    *("add_hydrogens", "conformers", "copies", "drop_solvent", "fragment", "movable"),
    "shard",
)


class Selection(Handle):
    """Which atoms a text means: "0,3-10", "element:Na & below:1", "all"."""

    _destroy = "shoal_selection_destroy"

    def __init__(self, text: str) -> None:
        self._create("shoal_selection_create", word("selection", text))


CELLS = ("", "full", "shape", "volume", "xy")


def set_cell(
    options: _abi.shoal_relax_options, cell: str | None, pressure: float, stress: float
) -> None:
    """What of the cells a relaxation moves, in its options; pressure and stress in GPa."""
    gpa = lib.shoal_unit_value(_abi.SHOAL_UNIT_GIGAPASCAL)
    vectors = cell.split(",") if isinstance(cell, str) else []
    if vectors and set(vectors) <= set("abc"):
        options.cell = _abi.SHOAL_CELL_LENGTHS
        options.cell_vectors = sum(1 << "abc".index(v) for v in set(vectors))
    elif cell is not None:
        options.cell = choice("cell", cell, (*CELLS[1:], "a,b,c")) + 1
    options.pressure = number("pressure", pressure) * gpa
    options.stress = number("stress", stress, least=1e-12) * gpa



class Batch:
    """Systems, and how they are computed.

    systems: a Molecule, ase.Atoms or RDKit Mol (one system per conformer), a list of these, what
    another run found (`Results`, or some `Result` of it), or one or more paths, which are read
    while they are computed. positions: [n, n_atoms, 3]
    angstrom, conformers of one molecule; of several molecules a list with such an array, or
    [n_atoms, 3], for each. Arrays of float64 are looked at when a job runs, not copied. input: an
    `Input`: format, strict, shard. copies: a number or a `Copies`: so many of every system.
    conformers: a number or a `Conformers`: so many of every system, from its bonds.

    Typing: forcefield "uff", "uff:paper", "uff:firecore", "uff4mof", "mmff94", "mmff94s",
    "mmffsp3", "mmffsp3:firecore", or a `UFF`, `MMFF94` or `MMFFsp3` with options of its own;
    of systems in memory also a list with one for each.
    charges "auto" (those that are there), "none", "file", "qeq" or "mmff94". params: a PairModel
    or its path instead of the force field's LJ. typing: a `Typing`: types, bonds, hydrogens, total
    charge. topologies: Topology objects instead of typing, one or one per system.

    Computing: device "cpu", "auto" (a GPU, else the cpu), "opencl:0", ..; precision "auto",
    "float" or "double"; threads (0: all); device_memory: bytes to use. interactions: an
    `Interactions`: terms, mixing, cut-off, Ewald sums.

    Holding: fixed: atoms that do not move, as indices or a mask for all systems, a list of these
    by system, one or more selections such as "element:Na & below:1", or a list of selections and
    one of the others; restraints: Restraint objects for all systems, or a list of lists by system.
    rigid: what moves as it is, in relaxations, searches on surfaces, scans and dynamics:
    "molecules", or bodies of all systems, each a selection such as "0-11" or a list of indices.

    On a surface: surface; grid: None or "auto" (the cheaper of sums and a grid), a Grid or its
    path, True or "off"; placement: a `Placement`; movable: a number or `Layers`: topmost layers
    that move.

    >>> import numpy as np, shoal
    >>> water = shoal.Molecule("OHH", [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]])
    >>> conformers = water.positions + 0.01 * np.arange(9).reshape(3, 3) * np.ones((5, 1, 1))
    >>> len(shoal.Batch(water, positions=conformers).relax())
    5
    """

    def __init__(
        self,
        systems: Any,
        *,
        positions: Any = None,
        input: Input | None = None,
        copies: int | Copies | None = None,
        conformers: int | Conformers | None = None,
        forcefield: ForceField | Sequence[ForceField] = "uff",
        charges: str = "auto",
        params: PairModel | str | os.PathLike[str] | None = None,
        typing: Typing | None = None,
        topologies: Topology | Sequence[Topology] | None = None,
        device: str = "cpu",
        precision: str = "auto",
        threads: int = 0,
        device_memory: int | None = None,
        interactions: Interactions | None = None,
        fixed: Any = None,
        restraints: Any = None,
        rigid: Any = None,
        surface: Surface | None = None,
        grid: Grid | str | os.PathLike[str] | bool | None = None,
        placement: Placement | None = None,
        movable: int | Layers | None = None,
        **unknown: Any,
    ) -> None:
        given = {k: v for k, v in locals().items() if k in DEFAULTS and v is not DEFAULTS[k]}
        self._arguments = {k: v for k, v in locals().items() if k in DEFAULTS}
        refuse_unknown("Batch()", unknown)
        self._given: dict[str, Any] = flat(given)  # what results tell of it
        self.params = model_of(params)
        self.systems = Systems(systems, positions)
        self._split(surface, counted("movable", movable))
        self.settings = Settings(
            device=device,
            precision=precision,
            threads=threads,
            device_memory=device_memory,
            interactions=interactions,
            surface=self._surface,
            grid=grid,
            params=self.params,
        )
        if placement is not None:
            instance("placement", placement, Placement).check(surface is not None)
        self.placement = placement
        self.systems.set_topologies(topologies)
        self._fix, rest = _selections(fixed)
        self.systems.set_fixed(rest)
        self.systems.set_restraints(restraints)
        self._rigid_molecules, self._rigid = _bodies(rigid)
        self._typing: Typing = group("typing", typing)
        self._types = _overrides(self._typing.types)
        self._perceive = perceive_options(
            self._typing.total_charge, self._typing.rebuild_bonds, self._typing.bond_slack
        )
        self._set_forcefield(forcefield, charges)
        made = counted("copies", copies)
        self.copies: int | None = None if made is None else made.n
        self.jitter, self.seed = (0.0, 1) if made is None else (made.jitter, made.seed)
        self.conformers: Conformers | None = counted("conformers", conformers)
        self._input: Input = group("input", input)
        self._format = format_of(self._input.format)
        self._shard = self._input.shard or (0, 0)

    def _set_forcefield(self, forcefield: Any, charges: str) -> None:
        """Options of typing; every system is typed here if each has a force field of its own."""
        by_system = isinstance(forcefield, (list, tuple))
        fields = list(forcefield) if by_system else [forcefield]
        for one in fields:
            name_of(one)  # others may have no hash
        rules = [self._rules(*typing_options(charges, one)) for one in dict.fromkeys(fields)]
        if by_system:
            self._given["forcefield"] = [f if isinstance(f, str) else repr(f) for f in fields]
            self._type_each(fields, dict(zip(dict.fromkeys(fields), rules)))
        self._typing_options, self._orders = rules[0]
        # Whether systems may have directions.
        own = [name_of(one).startswith("mmffsp3") for one in fields]
        self._turns = any(own)
        if self.params is None:
            tops = self.systems.topologies
            self.settings.check_mixing(
                all(top._has_pair_model for top in tops) if tops else all(own)
            )

    def _split(self, surface: Any, movable: Layers | None) -> None:
        """Takes the layers that move off the surface."""
        self._surface = surface
        self.movable: Surface | None = None
        self.movable_spring = 0.0
        if movable is None:
            return
        if not isinstance(surface, Surface):
            raise ArgumentError(
                f"movable: expected a surface with it, got surface={brief(surface)}"
            )
        if self.params is not None and not self.params.is_table:
            raise ArgumentError(
                "movable: the pair model of params says nothing of what holds a crystal together; "
                "expected None"
            )
        self._surface, self.movable = surface.split(movable.n)
        self.movable_spring = movable.spring

    def _rules(
        self, rules: _abi.shoal_typing_options, table: Any
    ) -> tuple[_abi.shoal_typing_options, Any]:
        """Options of typing with those that all force fields share; what has to live as long."""
        if self.params is not None:
            rules.model = self.params._ptr
        items = list((self._typing.bond_orders or {}).items())
        array = (_abi.shoal_bond_override * max(len(items), 1))()
        for k, ((i, j), order) in enumerate(items):
            array[k].i, array[k].j = whole("bond_orders", i, 0), whole("bond_orders", j, 0)
            array[k].order = number("bond_orders", order, above=0)
        rules.orders = array
        rules.n_orders = len(items)
        return rules, (array, table)

    def _type_each(self, fields: list[Any], rules: Mapping[Any, Any]) -> None:
        """Types every system by a force field of its own."""
        for key in ("topologies", "types", "movable", "add_hydrogens", "drop_solvent", "fragment"):
            if key in self._given:
                raise ArgumentError(f"{key}: expected one forcefield with it, got a list")
        self.systems.set_topologies(
            self.systems.typed(
                fields, {one: rule for one, (rule, _) in rules.items()}, self._perceive
            )
        )

    # --- what it is ---

    @property
    def surface(self) -> Surface | None:
        """What the systems stand on, without layers that move."""
        return self.settings.surface

    @property
    def device(self) -> str:
        """The device that computes: "auto" has become the name of one."""
        return self.settings.device

    def __len__(self) -> int:
        """Systems, copies and conformers counted; TypeError of files, not read before a run."""
        if self.systems.files:
            raise TypeError("a batch of files has no length before it is run")
        return len(self.systems) * self._each()

    def __reduce__(self) -> Any:
        """Systems and options; what cannot be pickled among them says so."""
        own = self.systems
        systems = own.files or own.molecules
        return _again, (systems, own.starts or None, self._arguments)

    def __repr__(self) -> str:
        what = ", ".join(self.systems.files) or f"{len(self)} systems"
        on = f" on {self.surface!r}" if self.surface is not None else ""
        return f"<Batch of {what}{on}, {self.device}>"

    # --- jobs ---

    def energy(
        self,
        forces: bool = True,
        *,
        adsorption: bool = False,
        progress: Choice = None,
        save: Any = None,
        resume: bool = False,
    ) -> Results:
        """Energies and forces where the atoms are.

        save: a file of results (.h5) that is written meanwhile; resume=True: what it holds
        already is taken from it. adsorption: also energies less those of the molecules alone,
        relaxed.
        """
        return self._run(
            _abi.SHOAL_JOB_ENERGY,
            label="energy",
            forces=forces,
            adsorption=adsorption,
            progress=progress,
            save=save,
            resume=resume,
        )

    def relax(
        self,
        fmax: float = FMAX,
        max_steps: int = MAX_STEPS,
        method: str = "lbfgs",
        *,
        max_move: float = 0.2,
        cell: str | None = None,
        pressure: float = 0.0,
        stress: float = 0.01,
        adsorption: bool = False,
        every: int = 0,
        forces: bool = True,
        progress: Choice = None,
        save: Any = None,
        resume: bool = False,
    ) -> Results:
        """Moves the atoms downhill until no atom feels more than fmax (eV/angstrom).

        max_steps: evaluations per system; method "lbfgs" or "fire"; max_move: angstrom, the
        longest move in one step. every: a geometry of the way for ``results.frames`` every so
        many evaluations, 0: none. adsorption, save, resume: as of ``energy``. A run with save
        that was ended goes on by the same call with resume=True.

        cell: what of the cells moves with the atoms, "full", "shape" (at constant volume),
        "volume" (at constant shape), "xy", or lengths of vectors ("a", "a,b", ..); None: nothing.
        pressure and stress in GPa: a cell has converged when no component of stress and pressure
        that may move is more than stress.

        >>> import shoal
        >>> water = shoal.Molecule("OHH", [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]])
        >>> bool(shoal.Batch(water).relax().converged[0])
        True
        """
        options = self.relax_options(fmax, max_steps, method, max_move, every)
        set_cell(options, cell, pressure, stress)
        told = {"fmax": fmax, "max_steps": max_steps, "method": method, "max_move": max_move}
        if cell is not None:
            told |= {"cell": cell, "pressure": pressure, "stress": stress}
        return self._run(
            _abi.SHOAL_JOB_RELAX,
            label="relax",
            relax=options,
            told=told,
            frames=every > 0,
            forces=forces,
            adsorption=adsorption,
            progress=progress,
            save=save,
            resume=resume,
        )

    @staticmethod
    def relax_options(
        fmax: float = FMAX,
        max_steps: int = MAX_STEPS,
        method: str = "lbfgs",
        max_move: float = 0.2,
        every: int = 0,
    ) -> _abi.shoal_relax_options:
        """Options of a relaxation as the C library takes them, checked."""
        return _abi.shoal_relax_options(
            fmax=number("fmax", fmax, least=1e-12),
            max_steps=whole("max_steps", max_steps, 1, 10**9),
            method=choice("method", method, METHODS),
            max_move=number("max_move", max_move, least=1e-6),
            every=whole("every", every, 0, 10**9),
        )

    # Functions of their modules, which take the batch first.
    scan = _scan
    md = _md
    search = _search
    modes = _modes
    embed = _embed

    # --- streams ---

    def _run(self, job: int, **how: Any) -> Any:
        """Runs a stream over the systems; see run.Run for what may be asked for."""
        return Run(self, job, **how).results()

    def _fixed_alike(self, who: str) -> list[Selection]:
        """Selections of the atoms that are fixed, the same for all systems."""
        if not self.systems.files and self.systems.records["fixed"].any():
            raise ArgumentError(
                f"fixed: {who} expects the same atoms of all systems, or selections"
            )
        fixed = self.systems.fixed
        more = [Selection(",".join(map(str, fixed.tolist())))] if len(fixed) else []
        return [*self._fix, *more]

    def _stream(self, job: int) -> tuple[_abi.shoal_stream_options, list[Any]]:
        """Options of a stream over the systems, and what has to live as long.

        Restraints and variants of a job are added by the caller.
        """
        options = _abi.shoal_stream_options(
            job=job,
            input=_abi.shoal_stream_input(
                format=self._format,
                read=read_options(self._input.major_part, self._input.smiles_column),
                strict=bool(self._input.strict),
                shard=self._shard[0],
                n_shards=self._shard[1],
            ),
            typing=_abi.shoal_stream_typing(
                perceive=ctypes.pointer(self._perceive),
                forcefield=ctypes.pointer(self._typing_options),
                file_types=bool(self._typing.file_types),
                add_hydrogens=bool(self._typing.add_hydrogens),
                drop_solvent=bool(self._typing.drop_solvent),
                fragment=self._typing.fragment or 0,
            ),
            compute=_abi.shoal_stream_compute(
                engine=ctypes.pointer(self.settings.options),
                n_threads=self.settings.options.n_threads,
            ),
        )
        keep = self.systems.fill(options)
        if self._types is not None:
            options.typing.types = self._types[0]
            options.typing.n_types = len(self._types[1])
        if len(self.systems.fixed):
            options.constraints.fixed = address_of(self.systems.fixed)
            options.constraints.n_fixed = len(self.systems.fixed)
        if self._fix:
            array = (ctypes.c_void_p * len(self._fix))(*[s._ptr for s in self._fix])
            options.constraints.fix = array
            options.constraints.n_fix = len(self._fix)
            keep.append(array)
        if self._rigid:
            bodies = (ctypes.c_void_p * len(self._rigid))(*[s._ptr for s in self._rigid])
            options.constraints.rigid = bodies
            options.constraints.n_rigid = len(self._rigid)
            keep.append(bodies)
        options.constraints.rigid_molecules = self._rigid_molecules
        if self.placement is not None:
            placement = self.placement._options()
            options.build.placement = ctypes.pointer(placement)
            keep.append(placement)
        if self.movable is not None:
            options.build.movable = self.movable._ptr
            options.build.movable_spring = self.movable_spring
        return options, keep

    def _restraints(self, more: Any = ()) -> tuple[Any, int]:
        """Restraints of all systems, those of a job behind them."""
        own = self.systems.restraints
        extra: list[_abi.shoal_restraint] = list(more)
        array = (_abi.shoal_restraint * max(len(own) + len(extra), 1))()
        array[: len(own)] = list(restraint_array(own))[: len(own)]
        for k, item in enumerate(extra):
            if isinstance(item, Restraint):
                item._fill(array[len(own) + k])
            else:
                array[len(own) + k] = item
        return array, len(own) + len(extra)

    def _jitter(self) -> tuple[_abi.shoal_variants | None, Any]:
        """Variants that are the copies of every record, if there are any."""
        if self.copies is None:
            return None, None
        jitter = _abi.shoal_jitter(n_copies=self.copies, distance=self.jitter, seed=self.seed)
        jitter.movable = None if self.movable is None else self.movable._ptr
        variants = _abi.shoal_variants()
        check(lib.shoal_jitter_variants(ctypes.byref(jitter), ctypes.byref(variants)))
        return variants, jitter

    def _each(self) -> int:
        """Systems of a record."""
        return (self.copies or 1) * (1 if self.conformers is None else self.conformers.n)

    def _refuse_conformers(self, job: str) -> None:
        if self.conformers is not None:
            raise ArgumentError(
                f"conformers: expected none with {job}; Batch(batch.embed(n).molecules) has them"
            )

    def _n_atoms(self) -> float:
        """Atoms of all systems, of files about."""
        if self.systems.in_memory:
            return float(self.systems.sizes.sum()) * self._each()
        files = [os.fsencode(f) for f in self.systems.files]
        array = (ctypes.c_char_p * len(files))(*files)
        atoms = lib.shoal_format_count_atoms(array, len(files), self._format)
        return float(atoms) * self._each()


def _again(systems: Any, positions: Any, arguments: dict[str, Any]) -> Batch:
    one = not isinstance(systems[0], str) and len(systems) == 1 and positions is not None
    return Batch(systems, positions=positions[0] if one else positions, **arguments)


def check_in_place(options: Mapping[str, Any]) -> None:
    """Refuses options of a batch whose results could not be put back where its systems were."""
    if isinstance(options.get("forcefield", "uff"), (list, tuple)):
        raise ArgumentError("forcefield: expected one for all; a Batch takes one for each system")
    given = flat(options)
    for name in RESHAPING:
        if given.get(name):
            raise ArgumentError(
                f"{name}: results would have other systems or atoms than what is relaxed in place; "
                "expected a Batch with it"
            )


def _selections(fixed: Any) -> tuple[list[Selection], Any]:
    """Selections among what the fixed atoms are given by, and the rest of it."""
    items = [fixed] if isinstance(fixed, str) else fixed
    if not isinstance(items, (list, tuple)) or not any(isinstance(one, str) for one in items):
        return [], fixed
    rest = [one for one in items if not isinstance(one, str)]
    if len(rest) == 1 and isinstance(rest[0], (list, tuple, np.ndarray)):
        rest = rest[0]
    try:
        return [Selection(one) for one in items if isinstance(one, str)], rest
    except ArgumentError as error:
        raise ArgumentError(f"fixed: {error}") from None


def _bodies(rigid: Any) -> tuple[bool, list[Selection]]:
    """Whether all molecules are rigid, else the bodies that are."""
    if rigid is None:
        return False, []
    if isinstance(rigid, str):
        rigid = [rigid]
    if not isinstance(rigid, (list, tuple)):
        raise ArgumentError(
            f'rigid: expected "molecules", or bodies as selections or lists of atoms, got {rigid!r}'
        )
    if list(rigid) == ["molecules"]:
        return True, []
    made = []
    for k, body in enumerate(rigid):
        atoms = [] if isinstance(body, str) else integers(f"rigid[{k}]", body, (None,))
        try:
            made.append(Selection(body if isinstance(body, str) else ",".join(map(str, atoms))))
        except ArgumentError as error:
            raise ArgumentError(f"rigid[{k}]: {error}") from None
    return False, made


def _overrides(types: Mapping[Any, str] | None) -> tuple[Any, list[Selection]] | None:
    """UFF labels by atom or selection."""
    if not types:
        return None
    array = (_abi.shoal_type_override * len(types))()
    where = []
    for k, (atoms, label) in enumerate(types.items()):
        if not isinstance(label, str) or not 0 < len(word("types", label)) < 8:
            raise ArgumentError(f"types[{atoms!r}]: expected a label such as 'C_R', got {label!r}")
        try:
            where.append(Selection(str(atoms)))
        except ArgumentError as error:
            raise ArgumentError(f"types: {error}") from None
        array[k].label = word("types", label)
        array[k].where = where[-1]._ptr
    return array, where


DEFAULTS = {
    name: parameter.default
    for name, parameter in inspect.signature(Batch.__init__).parameters.items()
    if parameter.kind is parameter.KEYWORD_ONLY and name != "positions"
}
