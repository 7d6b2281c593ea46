# SPDX-License-Identifier: BSD-3-Clause
# Engines: fixed systems, evaluated again and again.
"""Engines: a fixed list of systems, set up once and evaluated any number of times."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _abi
from ._handle import (
    address_of,
    array_of,
    atom_mask,
    brief,
    Handle,
    instance,
    listed,
    number,
    reals,
    text,
    view,
    whole,
    word,
)
from ._interrupt import Interrupt
from ._lib import ArgumentError, UnsupportedError, check, lib, string_bytes
from .live import EngineArrays, EngineParameters, motion
from .molecule import Molecule
from .options import FMAX, MAX_STEPS
from .ragged import Ragged
from .restraint import PLACES, Restraint, restraint_array
from .results import OF_DIRECTIONS, status_names, term_names
from .settings import Settings, term_bits
from .topology import Topology


NO_MONITOR = _abi.shoal_monitor(0)


@dataclass(frozen=True)
class EngineResult:
    """One system of an engine; arrays are views until the next run."""

    status: str
    reason: str
    warning: str
    energy: float
    """eV; NaN where there are no numbers."""
    energy0: float
    """eV, before a relaxation."""
    fmax: float
    """eV/angstrom."""
    steps: int
    """Evaluations of a relaxation."""
    terms: dict[str, float]
    """eV by term."""
    forces: np.ndarray
    """[n_atoms, 3] eV/angstrom."""
    positions: np.ndarray
    """[n_atoms, 3] angstrom."""
    electron_pairs: np.ndarray
    """[n_pairs, 3] angstrom."""
    directions: np.ndarray
    """[n_directions, 3]: unit vectors, as ``Topology.direction_atoms`` has them."""
    cell: np.ndarray
    """[3, 3] rows a, b, c in angstrom, zero where the system does not repeat."""
    stress: np.ndarray
    """[6] xx, yy, zz, yz, xz, xy in eV/angstrom^3, positive where stretched; by area and by length,
    eV/angstrom^2 and eV/angstrom, where the system repeats in two directions and in one. NaN where
    it does not, and on a surface."""
    stiffness: np.ndarray | None
    """[6, 6] eV/angstrom^3, slopes of stress by strain (Voigt), after ``relax(elastic=..)`` of a
    system that converged and repeats in three directions; otherwise None."""


@dataclass(frozen=True)
class TermRow:
    """One interaction, as ``Engine.explain`` lists them."""

    term: str
    kind: str
    """Of a bonded term; "" of others."""
    atoms: tuple[int, ...]
    """Electron pairs and directions are numbered behind the atoms."""
    value: float
    """Distance in angstrom, angle in degrees, or height above a surface."""
    energy: float
    """eV."""
    parameters: tuple[float, float, float]


class _CBatch(Handle):
    _destroy = "shoal_batch_destroy"


class Engine(Handle):
    """Systems that stay the same but for their coordinates, without any start-up per call.

    topologies: a Topology for each system, or one for all. positions: a list of [n_atoms, 3]
    angstrom, or [n, n_atoms, 3]. cells: [3, 3] angstrom each, of periodic systems. fixed: masks,
    restraints: lists of Restraint, one per system. Other options (device, precision, threads,
    terms_off, surface, grid, ..) are those of Batch; grid is a Grid or None.

    >>> import shoal
    >>> water = shoal.Molecule("OHH", [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]])
    >>> engine = shoal.Engine(water.topology(), [water.positions])
    >>> for x in (0.95, 1.0, 1.05):
    ...     engine.set_positions(0, [[0, 0, 0], [x, 0, 0], [-0.24, 0.93, 0]])
    ...     energy = engine.energy().energies[0]
    """

    _destroy = "shoal_engine_destroy"
    _asked: tuple[Any, ...] = ()
    _motion: Any = None

    def __init__(
        self,
        topologies: Topology | Sequence[Topology],
        positions: Any,
        *,
        cells: Any = None,
        fixed: Any = None,
        restraints: Any = None,
        device: str = "cpu",
        **options: Any,
    ) -> None:
        blocks = listed("positions", positions, "a list of arrays")
        if not blocks:
            raise ArgumentError("positions: expected those of one system or more, got none")
        if isinstance(topologies, Topology):
            topologies = [topologies] * len(blocks)

        def each(name: str, given: Any) -> list[Any]:
            items = listed(name, given, f"{len(blocks)}")
            if len(items) != len(blocks):
                raise ArgumentError(f"{name}: expected {len(blocks)}, got {len(items)}")
            return items

        tops = each("topologies", topologies)
        cells = None if cells is None else each("cells", cells)
        fixed = None if fixed is None else each("fixed", fixed)
        restraints = None if restraints is None else each("restraints", restraints)
        self._arguments = {
            **{"cells": cells, "fixed": fixed, "restraints": restraints, "device": device},
            **options,
        }
        self._starts = [np.array(array_of("positions", block)) for block in blocks]
        self._lock = threading.Lock()  # calls release the GIL, and an engine runs one at a time
        self._settings = Settings(device=device, **options)
        self._settings.choose_grid(0, 1)
        self._topologies = tops
        batch = _CBatch()
        batch._create("shoal_batch_create")
        for k, (top, block) in enumerate(zip(tops, blocks)):
            if not isinstance(top, Topology):
                raise ArgumentError(f"topologies[{k}]: expected a Topology, got {brief(top)}")
            self._add(batch, k, top, block, cells, fixed, restraints)
        self._settings.check_mixing(all(top._has_pair_model for top in tops))
        made = ctypes.byref(self._settings.options)
        self._create("shoal_engine_create", batch._ptr, made)

    def _add(
        self, batch: _CBatch, k: int, top: Topology, block: Any, cells: Any, fixed: Any, pulls: Any
    ) -> None:
        """Puts one system into the batch, which copies it."""
        n = len(top)
        pos = reals(f"positions[{k}]", block, (n, 3))
        system = _abi.shoal_system(topology=top._ptr, pos=address_of(pos))
        if cells is not None and cells[k] is not None:
            cell = reals(f"cells[{k}]", cells[k], (3, 3))
            system.cell = address_of(cell)
        if fixed is not None and fixed[k] is not None:
            mask = atom_mask(f"fixed[{k}]", fixed[k], n)
            system.fixed = address_of(mask)
        items: list[Restraint] = []
        if pulls is not None and pulls[k] is not None:
            items = listed(f"restraints[{k}]", pulls[k], "Restraints")
        array = restraint_array(items)
        for item, made in zip(items, array):
            if item.kind in PLACES and item.target is None and item.atoms[-1] < n:
                first, last = item.atoms[0], item.atoms[-1]  # where they start
                made.target[:] = pos[first : last + 1].mean(axis=0)
        system.restraints = array
        system.n_restraints = len(items)
        check(lib.shoal_batch_add(batch._ptr, ctypes.byref(system)))

    @classmethod
    def of(cls, molecules: Molecule | Sequence[Molecule], **options: Any) -> Engine:
        """An engine of molecules; charges, params and forcefield as of Molecule.topology."""
        if isinstance(molecules, Molecule):
            molecules = [molecules]
        items = listed("molecules", molecules, "Molecules")
        for k, mol in enumerate(items):
            instance(f"molecules[{k}]", mol, Molecule)
        names = ("charges", "params", "forcefield")
        typing = {k: options.pop(k) for k in names if k in options}
        tops = [mol.topology(**typing) for mol in items]
        cells = [mol.cell if mol.pbc.any() else None for mol in items]
        has = any(cell is not None for cell in cells)
        pos = [mol.positions for mol in items]
        return cls(tops, pos, cells=cells if has else None, **options)

    def __len__(self) -> int:
        return len(self._topologies)

    def _system(self, i: int) -> int:
        return whole("system", i, 0, len(self) - 1)

    # --- running ---

    def set_positions(self, i: int, positions: Any) -> None:
        """Moves the atoms of one system, [n_atoms, 3] angstrom."""
        k = self._system(i)
        pos = reals("positions", positions, (len(self._topologies[k]), 3))
        with self._lock:
            check(lib.shoal_engine_set_positions(self._ptr, k, address_of(pos)))

    def set_all_positions(self, positions: Any) -> None:
        """Moves the atoms of all systems, [atoms of all, 3] angstrom."""
        n = sum(len(top) for top in self._topologies)
        given = array_of("positions", positions)
        pos = reals("positions", given.reshape(-1, 3) if given.size == 3 * n else given, (n, 3))
        with self._lock:
            check(lib.shoal_engine_set_all_positions(self._ptr, address_of(pos)))

    def energy(self) -> Engine:
        """Computes energies and forces where the atoms are."""
        with self._lock:
            check(lib.shoal_engine_eval(self._ptr))
        return self

    def relax(
        self,
        fmax: float = FMAX,
        max_steps: int = MAX_STEPS,
        method: str = "lbfgs",
        max_move: float = 0.2,
        cell: str | None = None,
        pressure: float = 0.0,
        stress: float = 0.01,
        elastic: float = 0.0,
    ) -> Engine:
        """Relaxes all systems; fmax in eV/angstrom, max_move in angstrom; see ``Batch.relax``.

        elastic: the size of strains by which the stress is differentiated afterwards, such as
        0.005, for ``EngineResult.stiffness``; 0: it is not."""
        from .batch import Batch, set_cell

        options = Batch.relax_options(fmax, max_steps, method, max_move)
        set_cell(options, cell, pressure, stress)
        options.elastic = number("elastic", elastic)
        interrupt = Interrupt()
        monitor = _abi.shoal_monitor(lambda _user, _progress: not interrupt.noted)
        with self._lock, interrupt:
            status = lib.shoal_engine_relax(self._ptr, ctypes.byref(options), monitor, None)
        check(status)
        interrupt.deliver()
        return self

    # --- living on ---

    def run(
        self,
        steps: int = 1,
        method: str = "lbfgs",
        *,
        fmax: float | None = None,
        max_move: float | None = None,
        dt: float | None = None,
        temperature: float | None = None,
        thermostat: str | None = None,
        friction: float | None = None,
        tau: float | None = None,
        seed: int | None = None,
        every: int | None = None,
        callback: Callable[[Engine], Any] | None = None,
    ) -> Engine:
        """Makes so many more steps of every system, and goes on where the last call ended.

        method: "lbfgs" or "fire" (with fmax in eV/angstrom, max_move in angstrom), or "md" (dt in
        fs, temperature in K, thermostat "langevin" with friction in 1/fs, "nose-hoover" with tau in
        fs, or None). With the same method and numbers, and nothing changed meanwhile, k steps and k
        more are 2 k steps, bit for bit. callback(engine) is called after every so many
        steps, and ends the run by returning False.
        """
        n = whole("steps", steps, 1, 2**31 - 1)
        piece = n if every is None else whole("every", every, 1, 2**31 - 1)
        asked = (method, fmax, max_move, dt, temperature, thermostat, friction, tau, seed)
        if asked != self._asked:
            self._motion = ctypes.byref(motion(*asked))
            self._asked = asked
        while n > 0:
            self._run_piece(min(piece, n))
            n -= piece
            go_on = callback(self) if callback is not None else None
            if go_on is not None and not go_on:
                break
        return self

    def _run_piece(self, n: int) -> None:
        """Short pieces end before anybody wants to stop them; Python then sees Ctrl-C by itself."""
        if n <= 10:
            with self._lock:
                check(lib.shoal_engine_run(self._ptr, self._motion, n, NO_MONITOR, None))
            return
        interrupt = Interrupt()
        monitor = _abi.shoal_monitor(lambda _user, _progress: not interrupt.noted)
        with self._lock, interrupt:
            status = lib.shoal_engine_run(self._ptr, self._motion, n, monitor, None)
        check(status)
        interrupt.deliver()

    def save(self, path: Any) -> None:
        """Writes all that the engine is at this moment: arrays, places, the state of its motion."""
        out = ctypes.c_void_p()
        check(lib.shoal_string_create(ctypes.byref(out)))
        try:
            with self._lock:
                check(lib.shoal_engine_write_state(self._ptr, out))
            data = string_bytes(out)
        finally:
            lib.shoal_string_destroy(out)
        with open(path, "wb") as file:
            file.write(data)

    def load(self, path: Any) -> Engine:
        """Goes where another engine of the same systems, options and device was when it was saved;
        its next steps are those that the other one made, bit for bit."""
        with open(path, "rb") as file:
            data = file.read()
        with self._lock:
            check(lib.shoal_engine_read_state(self._ptr, data, len(data)))
        return self

    @property
    def arrays(self) -> EngineArrays:
        """Arrays by name, which can be read and written; see ``shoal.live``."""
        return EngineArrays(self)

    @property
    def parameters(self) -> EngineParameters:
        """Parameters of bonded terms: ``engine.parameters["bond"].k``."""
        return EngineParameters(self)

    @property
    def topology_numbers(self) -> np.ndarray:
        """[n] number of every system's topology among the blocks of arrays of parameters."""
        with self._lock:
            address = lib.shoal_engine_topology_numbers(self._ptr)
        return view(self, address, (len(self),), np.int32)

    def split(self) -> Engine:
        """Gives every system parameters of its own."""
        with self._lock:
            check(lib.shoal_engine_split(self._ptr))
        return self

    def switch_off(self, terms: str | Sequence[str] = ()) -> Engine:
        """Switches these terms off, and all others on, from the next run on."""
        with self._lock:
            check(lib.shoal_engine_set_terms_off(self._ptr, term_bits(terms)))
        return self

    # --- results ---

    def _view(self) -> _abi.shoal_engine_results_view:
        out = _abi.shoal_engine_results_view()
        with self._lock:
            check(lib.shoal_engine_view(self._ptr, ctypes.byref(out)))
        return out

    @property
    def energies(self) -> np.ndarray:
        """[n] eV, a view until the next run."""
        v = self._view()
        return view(self, v.energies, (v.n_systems,), np.float64)

    @property
    def fmax(self) -> np.ndarray:
        """[n] eV/angstrom, a view until the next run."""
        v = self._view()
        return view(self, v.fmax, (v.n_systems,), np.float64)

    @property
    def terms(self) -> np.ndarray:
        """[n] structured, eV by term, a view until the next run."""
        v = self._view()
        kind = np.dtype([(name, "<f8") for name in term_names()])
        return view(self, v.terms, (v.n_systems, v.n_terms), np.float64).view(kind)[:, 0]

    @property
    def status(self) -> np.ndarray:
        """[n] words."""
        v = self._view()
        codes = view(self, ctypes.cast(v.status, ctypes.c_void_p).value, (v.n_systems,), np.int32)
        return status_names()[codes]

    def _ragged(self, address: int) -> Ragged:
        v = self._view()
        starts = view(self, v.starts, (v.n_systems + 1,), np.int32)
        return Ragged(view(self, address, (int(starts[-1]), 3), np.float64), starts)

    @property
    def positions(self) -> Ragged:
        """angstrom, views until the next run."""
        return self._ragged(self._view().positions)

    @property
    def forces(self) -> Ragged:
        """eV/angstrom, views until the next run."""
        return self._ragged(self._view().forces)

    def result(self, i: int = 0) -> EngineResult:
        """What the last run found of one system."""
        k = self._system(i)
        out = _abi.shoal_result()
        with self._lock:
            check(lib.shoal_engine_result(self._ptr, k, ctypes.byref(out)))
        top = self._topologies[k]
        n = len(top)
        pos = view(
            self, lib.shoal_engine_positions(self._ptr, k), (top.n_movers, 3), np.float64
        )
        terms = view(self, out.terms, (out.n_terms,), np.float64)
        return EngineResult(
            status=text(lib.shoal_system_status_name(out.status)),
            reason=text(out.reason),
            warning=text(out.warning),
            energy=out.energy,
            energy0=out.energy0,
            fmax=out.fmax,
            steps=out.steps,
            terms={
                name: energy
                for name, energy in zip(term_names(), terms.tolist())
                if len(top.direction_atoms) or name not in OF_DIRECTIONS
            },
            forces=view(self, out.forces, (n, 3), np.float64),
            positions=pos[:n],
            electron_pairs=pos[n : n + top.n_pairs],
            directions=pos[n + top.n_pairs :],
            cell=view(self, lib.shoal_engine_cell(self._ptr, k), (3, 3), np.float64).copy(),
            stress=np.array(out.stress),
            stiffness=view(self, out.elastic, (6, 6), np.float64).copy() if out.elastic else None,
        )

    def field(self, name: str) -> np.ndarray:
        """What the device holds of the only system after a single point: "positions", "forces",
        "energies", "charges", "slots" (forces of terms before they are gathered), "gather" (atoms
        and slots that they add up) or "neighbours".
        UnsupportedError where the schedule keeps none."""
        out = _abi.shoal_field()
        with self._lock:
            check(lib.shoal_engine_field(self._ptr, word("name", name), ctypes.byref(out)))
        try:
            if not out.values:
                raise UnsupportedError(f"{name}: {text(out.missing)}")
            return np.array(view(self, out.values, (out.rows, out.n_columns), np.float64))
        finally:
            lib.shoal_field_free(ctypes.byref(out))

    def explain(self, i: int = 0) -> list[TermRow]:
        """Every interaction of one system where it is, with its value and energy."""
        rows: list[TermRow] = []
        names = term_names()
        kinds = {k: text(_kind_name(k)) for k in range(lib.shoal_term_kind_count())}

        @_abi.shoal_term_visitor
        def visit(_user: Any, row: Any) -> None:
            r = row.contents
            rows.append(
                TermRow(
                    names[r.term],
                    kinds.get(r.kind, ""),
                    tuple(r.atoms[k].atom for k in range(r.n_atoms)),
                    r.value,
                    r.energy,
                    tuple(r.parameters),
                )
            )

        with self._lock:
            check(lib.shoal_engine_explain(self._ptr, self._system(i), visit, None))
        return rows

    def __reduce__(self) -> Any:
        """Systems, options and where the atoms are; energies are computed again, and motion begins
        at rest."""
        return _again, (self._topologies, self._starts, self._arguments, self._places())

    def _places(self) -> np.ndarray:
        """[atoms of all, 3] angstrom."""
        at = (lib.shoal_engine_positions(self._ptr, k) for k in range(len(self)))
        blocks = [
            np.array(view(self, address, (len(top), 3), np.float64))
            for address, top in zip(at, self._topologies)
        ]
        return np.concatenate(blocks)

    def __repr__(self) -> str:
        return f"<Engine of {len(self)} systems, {self._settings.device}>"


def _again(tops: Any, starts: Any, arguments: dict[str, Any], places: np.ndarray) -> Engine:
    engine = Engine(tops, starts, **arguments)
    engine.set_all_positions(places)
    return engine


def _kind_name(k: int) -> bytes:
    out = _abi.shoal_term_kind()
    lib.shoal_term_kind_get(k, ctypes.byref(out))
    return out.name
