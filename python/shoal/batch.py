# SPDX-License-Identifier: BSD-3-Clause
# Batches: many systems, computed together.
"""Batches: any number of systems and how they are computed; ``energy()``, ``relax()`` and other
jobs."""

from __future__ import annotations

import ctypes
import inspect
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import _abi
from ._handle import Handle, address_of, choice, number, whole
from ._lib import ArgumentError, check, lib
from .forcefield import own_options, typing_options
from .md import md as _md
from .modes import modes as _modes
from .molecule import format_of, perceive_options
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
RESHAPING = ("add_hydrogens", "copies", "fragment", "movable", "shard")
LAYER_SPRING = 1.0  # eV/angstrom^2


class Selection(Handle):
    """Which atoms a text means: "0,3-10", "element:Na & below:1", "all"."""

    _destroy = "shoal_selection_destroy"

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise ArgumentError(f"selection: expected a text such as 'element:Na', got {text!r}")
        self._create("shoal_selection_create", text.encode())


class Batch:
    """Systems, and how they are computed.

    systems: a Molecule, ase.Atoms or RDKit Mol (one system per conformer), a list of these, or
    one or more paths, which are read while they are computed. positions: [n, n_atoms, 3]
    angstrom, conformers of one molecule; of several molecules a list with such an array, or
    [n_atoms, 3], for each. Arrays of float64 are looked at when a job runs, not copied.

    Typing: forcefield "uff", "uff:paper", "uff:firecore", "mmffsp3" or "mmffsp3:firecore", of
    systems in memory also a list with one for each; charges "auto" (those that are there),
    "none", "file" or "qeq"; dialect "rdkit", "paper" or "firecore" of a bare "uff"; params: a
    PairModel or its path instead of the force field's LJ; types: {"3": "C_R", "element:S":
    "S_3+6"}, by atom or selection; total_charge in e; add_hydrogens;
    topologies: Topology objects instead of typing, one or one per system. rebuild_bonds: bonds
    from distances, whatever the file says, up to bond_slack (angstrom) beyond the covalent radii;
    bond_orders: {(0, 1): 1.41}; file_types: types that Shoal wrote into the file before;
    angle_guard=False: UFF's angles alone; fragment: 1 or 2, one molecule of frames of two.
    Of MMFFsp3: electron_pairs, lone pairs as points with charges; bond_scale, a factor of bond
    constants; pi_inertia of pi vectors, amu angstrom^2; pi_softening, the cosine over which the
    cusp of crossed pi vectors is rounded.

    Computing: device "auto" (a GPU, else the cpu), "cpu", "opencl:0", ..; precision "auto",
    "float" or "double"; threads (0: all); terms_off: names of terms, such as ["coulomb"]; mixing
    "geometric" or "arithmetic"; vdw_cutoff, coulomb_damping in angstrom; vdw_tail: the mean vdW
    energy beyond the cut-off of a crystal; ewald_tolerance relative; device_memory: bytes to use.

    Holding: fixed: atoms that do not move, as indices or a mask for all systems, or a list of
    them by system; fix: selections such as "element:Na & below:1"; restraints: Restraint objects
    for all systems, or a list of lists by system.

    On a surface: surface; grid: None or "auto" (the cheaper of sums and a grid), a Grid or its
    path, True or "off"; placement; movable: topmost layers that move, tied by movable_spring
    (eV/angstrom^2, default 1).

    copies: so many of every system, of which all but the first are jittered by up to jitter
    angstrom, with random numbers of seed. shard: (i, n) takes every n-th system, from the i-th on.
    Of files: format, if names do not tell it; strict: a record that cannot be read ends the run.

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
        charges: str = "auto",
        forcefield: str | Sequence[str] = "uff",
        dialect: str = "rdkit",
        electron_pairs: bool = False,
        bond_scale: float | None = None,
        pi_inertia: float | None = None,
        pi_softening: float | None = None,
        params: PairModel | str | os.PathLike[str] | None = None,
        surface: Surface | None = None,
        grid: Grid | str | os.PathLike[str] | bool | None = None,
        device: str = "auto",
        precision: str = "auto",
        threads: int = 0,
        terms_off: str | Iterable[str] = (),
        mixing: str | None = None,
        vdw_cutoff: float | None = None,
        vdw_tail: bool = False,
        ewald_tolerance: float | None = None,
        coulomb_damping: float | None = None,
        device_memory: int | None = None,
        fixed: Any = None,
        fix: str | Iterable[str] | None = None,
        restraints: Any = None,
        topologies: Topology | Sequence[Topology] | None = None,
        placement: Placement | None = None,
        movable: int | None = None,
        movable_spring: float | None = None,
        types: Mapping[Any, str] | None = None,
        total_charge: int | None = None,
        rebuild_bonds: bool = False,
        bond_slack: float | None = None,
        bond_orders: Mapping[tuple[int, int], float] | None = None,
        add_hydrogens: bool = False,
        angle_guard: bool = True,
        file_types: bool = False,
        fragment: int | None = None,
        copies: int | None = None,
        jitter: float = 0.0,
        seed: int = 1,
        shard: tuple[int, int] | None = None,
        format: str | None = None,
        strict: bool = False,
    ) -> None:
        given = {k: v for k, v in locals().items() if k in DEFAULTS and v is not DEFAULTS[k]}
        self._given: dict[str, Any] = given  # what results tell of it
        self.params = model_of(params)
        self.systems = Systems(systems, positions)
        self.movable: Surface | None = None
        self.movable_spring = 0.0
        self._split(surface, movable, movable_spring)
        self.settings = Settings(
            device=device,
            precision=precision,
            threads=threads,
            terms_off=terms_off,
            mixing=mixing,
            vdw_cutoff=vdw_cutoff,
            vdw_tail=vdw_tail,
            ewald_tolerance=ewald_tolerance,
            coulomb_damping=coulomb_damping,
            device_memory=device_memory,
            surface=self._surface,
            grid=grid,
            params=self.params,
        )
        if placement is not None and not isinstance(placement, Placement):
            raise ArgumentError(f"placement: expected a Placement, got {placement!r}")
        self.placement = placement
        self.systems.set_topologies(topologies)
        self.systems.set_fixed(fixed)
        self.systems.set_restraints(restraints)
        self._fix = _selections(fix)
        self._types = _overrides(types)
        self._perceive = perceive_options(total_charge, rebuild_bonds, bond_slack)
        own = {
            "electron_pairs": electron_pairs,
            "bond_scale": bond_scale,
            "pi_inertia": pi_inertia,
            "pi_softening": pi_softening,
        }
        if not isinstance(forcefield, (str, list, tuple)):
            raise ArgumentError(
                f"forcefield: expected a name or a list of names, got {forcefield!r}"
            )
        names = [forcefield] if isinstance(forcefield, str) else list(forcefield)
        rules = {
            name: self._typing(
                typing_options(
                    charges,
                    name,
                    dialect if name == "uff" or len(names) == 1 else "rdkit",
                    angle_guard=angle_guard,
                    **(own if len(set(names)) == 1 else own_options(name, own)),
                ),
                bond_orders,
            )
            for name in dict.fromkeys(names)
        }
        if not isinstance(forcefield, str):
            given["forcefield"] = names
            self._type_each(names, rules, given)
        self._typing_options, self._orders = rules[names[0]]
        self._turns = any(name.startswith("mmffsp3") for name in names)  # may have directions
        self.copies = None if copies is None else whole("copies", copies, 1)
        self.jitter = number("jitter", jitter, 0)
        self.seed = whole("seed", seed, 0, 2**63 - 1)
        if self.jitter and self.copies is None:
            raise ArgumentError("jitter: expected copies with it, got copies=None")
        self._fragment = 0 if fragment is None else whole("fragment", fragment, 1, 2)
        self._format = format_of(format)
        self._shard = _shard(shard)
        self._strict = bool(strict)
        self._add_hydrogens = bool(add_hydrogens)
        self._file_types = bool(file_types)

    def _split(self, surface: Any, movable: int | None, spring: float | None) -> None:
        """Takes the layers that move off the surface."""
        self._surface = surface
        if movable is None:
            if spring is not None:
                raise ArgumentError("movable_spring: expected movable with it, got movable=None")
            return
        if not isinstance(surface, Surface):
            raise ArgumentError(f"movable: expected a surface with it, got surface={surface!r}")
        self._surface, self.movable = surface.split(movable)
        self.movable_spring = (
            LAYER_SPRING if spring is None else number("movable_spring", spring, 0)
        )

    def _typing(
        self, rules: _abi.shoal_typing_options, orders: Mapping[tuple[int, int], float] | None
    ) -> tuple[_abi.shoal_typing_options, Any]:
        if self.params is not None:
            rules.model = self.params._ptr
        items = list((orders or {}).items())
        array = (_abi.shoal_bond_override * max(len(items), 1))()
        for k, ((i, j), order) in enumerate(items):
            array[k].i, array[k].j = whole("bond_orders", i, 0), whole("bond_orders", j, 0)
            array[k].order = number("bond_orders", order, above=0)
        rules.orders = array
        rules.n_orders = len(items)
        return rules, array

    def _type_each(self, names: list[str], rules: Any, given: Mapping[str, Any]) -> None:
        """Types every system by a force field of its own."""
        for key in ("topologies", "types", "movable", "add_hydrogens", "fragment"):
            if key in given:
                raise ArgumentError(f"{key}: expected one forcefield with it, got a list")
        self.systems.set_topologies(
            self.systems.typed(
                names,
                {name: rule for name, (rule, _) in rules.items()},
                self._perceive,
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
        """Systems, copies counted; TypeError of files, which are not read before a run."""
        if self.systems.files:
            raise TypeError("a batch of files has no length before it is run")
        return len(self.systems) * (self.copies or 1)

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
        fmax: float = 0.01,
        max_steps: int = 5000,
        method: str = "lbfgs",
        *,
        max_move: float = 0.2,
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

        >>> import shoal
        >>> water = shoal.Molecule("OHH", [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]])
        >>> bool(shoal.Batch(water).relax().converged[0])
        True
        """
        options = self.relax_options(fmax, max_steps, method, max_move, every)
        return self._run(
            _abi.SHOAL_JOB_RELAX,
            label="relax",
            relax=options,
            told={"fmax": fmax, "max_steps": max_steps, "method": method, "max_move": max_move},
            frames=every > 0,
            forces=forces,
            adsorption=adsorption,
            progress=progress,
            save=save,
            resume=resume,
        )

    @staticmethod
    def relax_options(
        fmax: float = 0.01,
        max_steps: int = 5000,
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

    # --- streams ---

    def _run(self, job: int, **how: Any) -> Any:
        """Runs a stream over the systems; see run.Run for what may be asked for."""
        return Run(self, job, **how).results()

    def _stream(self, job: int) -> tuple[_abi.shoal_stream_options, list[Any]]:
        """Options of a stream over the systems, and what has to live as long.

        Restraints and variants of a job are added by the caller.
        """
        options = _abi.shoal_stream_options(
            job=job,
            input=_abi.shoal_stream_input(
                format=self._format,
                strict=self._strict,
                shard=self._shard[0],
                n_shards=self._shard[1],
            ),
            typing=_abi.shoal_stream_typing(
                perceive=ctypes.pointer(self._perceive),
                forcefield=ctypes.pointer(self._typing_options),
                file_types=self._file_types,
                add_hydrogens=self._add_hydrogens,
                fragment=self._fragment,
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

    def _n_atoms(self) -> float:
        """Atoms of all systems, of files about."""
        if self.systems.in_memory:
            return float(self.systems.sizes.sum()) * (self.copies or 1)
        files = [os.fsencode(f) for f in self.systems.files]
        array = (ctypes.c_char_p * len(files))(*files)
        return float(lib.shoal_format_count_atoms(array, len(files), _abi.SHOAL_FORMAT_AUTO))


def check_in_place(options: Mapping[str, Any]) -> None:
    """Refuses options of a batch whose results could not be put back where its systems were."""
    if not isinstance(options.get("forcefield", "uff"), str):
        raise ArgumentError("forcefield: expected one for all; a Batch takes one for each system")
    for name in RESHAPING:
        if options.get(name, DEFAULTS[name]) != DEFAULTS[name]:
            raise ArgumentError(
                f"{name}: results would have other systems or atoms than what is relaxed in place; "
                "expected a Batch with it"
            )


def _selections(fix: str | Iterable[str] | None) -> list[Selection]:
    if fix is None:
        return []
    try:
        return [Selection(one) for one in ([fix] if isinstance(fix, str) else list(fix))]
    except (ArgumentError, TypeError) as error:
        raise ArgumentError(f"fix: {error}") from None


def _overrides(types: Mapping[Any, str] | None) -> tuple[Any, list[Selection]] | None:
    """UFF labels by atom or selection."""
    if not types:
        return None
    if not isinstance(types, Mapping):
        raise ArgumentError(f"types: expected a dict such as {{3: 'C_R'}}, got {types!r}")
    array = (_abi.shoal_type_override * len(types))()
    where = []
    for k, (atoms, label) in enumerate(types.items()):
        if not isinstance(label, str) or not 0 < len(label) < 8:
            raise ArgumentError(f"types[{atoms!r}]: expected a label such as 'C_R', got {label!r}")
        try:
            where.append(Selection(str(atoms)))
        except ArgumentError as error:
            raise ArgumentError(f"types: {error}") from None
        array[k].label = label.encode()
        array[k].where = where[-1]._ptr
    return array, where


def _shard(shard: tuple[int, int] | None) -> tuple[int, int]:
    if shard is None:
        return 0, 0
    try:
        i, n = shard
    except (TypeError, ValueError):
        raise ArgumentError(f"shard: expected (i, n), got {shard!r}") from None
    return whole("shard", i, 0, whole("shard", n, 1) - 1), n


DEFAULTS = {
    name: parameter.default
    for name, parameter in inspect.signature(Batch.__init__).parameters.items()
    if parameter.kind is parameter.KEYWORD_ONLY and name != "positions"
}
