# SPDX-License-Identifier: BSD-3-Clause
"""Searches for minima: conformers, and where and how molecules lie on a surface; see Batch.search.

Energies are in eV, lengths in angstrom; docs/search.md explains starts, and when minima are one.
"""

from __future__ import annotations

import ctypes
import os
import warnings
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _abi
from ._handle import flag, number, path_bytes, whole
from ._lib import ArgumentError, UnsupportedError, check, lib
from .options import FMAX, MAX_STEPS
from .progress import Choice
from .restart import Restart
from .results import Results
from .run import Run
from .table import String, Table

if TYPE_CHECKING:
    from .batch import Batch

__all__ = ["SearchCounts", "SearchResults", "search"]


@dataclass(frozen=True)
class SearchCounts:
    """How far a search came, all molecules together.

    failed: relaxations that did not converge or could not be computed; changed: that ended as
    another molecule; above: outside the window; ended: molecules whose search patience ended;
    since_new: relaxations since the last new minimum of the last molecule; once, twice: minima that
    so many relaxations ended in, from which one can tell how many are missing; unmoved: a ring of
    seven atoms or more was left as it is.
    """

    molecules: int
    relaxations: int
    failed: int
    changed: int
    above: int
    minima: int
    ended: int
    since_new: int
    once: int
    twice: int
    unmoved: bool


class Search:
    """Owns a search of the C library, and holds what that borrows."""

    def __init__(self, pointer: ctypes.c_void_p, borrowed: Any) -> None:
        self.pointer = pointer
        weakref.finalize(self, _destroy, pointer, borrowed)

    @property
    def counts(self) -> SearchCounts:
        c = _abi.shoal_search_counts()
        lib.shoal_search_count(self.pointer, ctypes.byref(c))
        return SearchCounts(*(getattr(c, name) for name, _ in c._fields_))

    def __len__(self) -> int:
        return lib.shoal_search_n_minima(self.pointer)

    def refine(self) -> Search:
        out = ctypes.c_void_p()
        check(lib.shoal_search_refine(ctypes.byref(out), self.pointer))
        return Search(out, self)

    def sink(self) -> tuple[Any, list[Any]]:
        """A sink that feeds the search, and what has to live as long as the stream."""

        @_abi.shoal_sink_write
        def take(_user: Any, data: int, size: int) -> int:
            return lib.shoal_search_take(self.pointer, data, size, None)

        form = ctypes.cast(lib.shoal_search_format, _abi.shoal_sink_format)
        return _abi.shoal_sink(format=form, write=take, user=self.pointer), [take, form]

    def journal(self, run: Run, path: Any, resume: bool) -> Restart:
        """A file that takes the place of the sink: what the search keeps of every relaxation."""
        output = _abi.shoal_run_output(path=path_bytes("journal", path), user=self.pointer)
        output.put = ctypes.cast(lib.shoal_search_format, _abi.shoal_run_output_put)
        made = Restart(run, output, resume, keep=True)  # minima are polished behind the run

        def take(_user: Any, data: int, size: int, kept: int) -> int:
            return lib.shoal_search_take(self.pointer, data, size, kept)

        def replay(_user: Any, data: int, size: int) -> int:
            return lib.shoal_search_replay(self.pointer, data, size)

        made.take(take, replay)
        return made


def _destroy(pointer: ctypes.c_void_p, _borrowed: Any) -> None:
    """A search goes before what it looks into: a surface, an earlier search."""
    lib.shoal_search_destroy(pointer)


def _check_journal(path: Any) -> None:
    """Refuses a file of the user's: a journal has a checkpoint beside it."""
    beside = (os.fspath(path) + ending for ending in (".checkpoint", ".checkpoint.old", ".partial"))
    if os.path.exists(path) and not any(os.path.exists(name) for name in beside):
        raise ArgumentError(f"journal: {os.fspath(path)} is there and no journal of a search")


def _forget_journal(path: Any) -> None:
    """A search that is done needs it no more."""
    for ending in (".checkpoint.old", ".checkpoint", ""):
        if os.path.exists(os.fspath(path) + ending):
            os.unlink(os.fspath(path) + ending)


def _of_minima(name: str, text: str) -> Any:
    """A property of SearchResults: a column of its minima."""

    def column(self: SearchResults) -> np.ndarray:
        return self.minima[name]

    return property(column, doc=text)


class SearchResults(Results):
    """Minima of a search, molecule by molecule, the lowest first; see Batch.search.

    As Results it holds their geometries, energies and forces; adsorption_energy on a surface.
    """

    def __init__(
        self,
        table: Table,
        provenance: Any = None,
        files: Sequence[str] = (),
        *,
        minima: np.ndarray,
        counts: SearchCounts,
        search: Search | None = None,
    ) -> None:
        super().__init__(table, provenance, files)
        self.minima = minima
        """[n] structured: molecule, rank, energy, free_energy, adsorption_energy, weight,
        copies, count, start."""
        self.counts = counts
        """What became of all relaxations."""
        self._search = search

    molecule = _of_minima("molecule", "[n] number of the molecule in the input, from 0.")
    rank = _of_minima("rank", "[n] among the minima of the molecule, from 1.")
    weight = _of_minima("weight", "[n] of Boltzmann among the minima of the molecule, 0 to 1.")
    copies = _of_minima("copies", "[n] minima of numbered atoms that it stands for, relative.")
    free_energy = _of_minima("free_energy", "[n] eV, harmonic, of one copy; NaN: not computed.")
    count = _of_minima("count", "[n] relaxations that ended there.")
    start = _of_minima("start", "[n] the relaxation that ended there with the lowest energy.")

    @property
    def relative_energy(self) -> np.ndarray:
        """[n] eV above the lowest minimum of the molecule."""
        first = np.maximum.accumulate(np.where(self.rank == 1, np.arange(len(self)), 0))
        energy = self.minima["energy"]
        return energy - energy[first]

    def _shown(self) -> dict[str, Any]:
        columns = super()._shown()
        columns.pop("")
        ahead = {
            "molecule": lambda k: self.molecule[k],
            "rank": lambda k: self.rank[k],
            "above / eV": lambda k: f"{self.relative_energy[k]:.4f}",
            "weight": lambda k: f"{self.weight[k]:.4f}",
            "copies": lambda k: self.copies[k],
            "count": lambda k: self.count[k],
        }
        if np.isfinite(self.free_energy).any():
            ahead["free energy / eV"] = lambda k: f"{self.free_energy[k]:.4f}"
        return {**ahead, **columns}

    def of(self, molecule: int) -> SearchResults:
        """The minima of one molecule, copied."""
        return self[self.molecule == molecule]

    def picture(self, path: Any, molecule: int = 0) -> None:
        """Draws the surface from above with the minima of one molecule by rank: .svg by the
        library, other endings by matplotlib (shoal.plot.sites)."""
        if not str(path).endswith(".svg"):
            from .plot import save, sites

            save(sites(self.of(molecule)), path)
            return
        if self._search is None:
            raise ArgumentError(
                "picture: these results are a part or a copy of a search; "
                "expected those that Batch.search returned"
            )
        check(lib.shoal_search_picture(self._search.pointer, molecule, path_bytes("path", path)))

    def _dataframe(self) -> Any:
        """A pandas.DataFrame with a row for every minimum."""
        out = super()._dataframe()
        for k, name in enumerate(("molecule", "rank", "weight", "copies", "count", "start")):
            out.insert(k, name, self.minima[name])
        return out

    def _part(self, rows: np.ndarray) -> SearchResults:
        part = super()._part(rows)
        return SearchResults(
            part._table, part.provenance, part.files, minima=self.minima[rows], counts=self.counts
        )

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_search": None}


MINIMUM = np.dtype(
    [
        ("molecule", np.int64),
        ("rank", np.int32),
        ("energy", float),
        ("free_energy", float),
        ("adsorption_energy", float),
        ("weight", float),
        ("copies", np.int64),
        ("count", np.int64),
        ("start", np.int64),
    ]
)


def collect(search: Search, on_surface: bool, directions: bool) -> tuple[Table, np.ndarray]:
    """The minima of a ranked search: their records as a table, and their numbers."""
    table = Table(forces=True, adsorption=on_surface, directions=directions)
    rows = np.zeros(len(search), dtype=MINIMUM)
    piece, m = String(), _abi.shoal_minimum()
    for i in range(len(search)):
        check(lib.shoal_search_get(search.pointer, i, ctypes.byref(m)))
        rows[i] = tuple(getattr(m, name) for name in MINIMUM.names)
        check(lib.shoal_search_record(search.pointer, i, piece._ptr))
        check(lib.shoal_table_take(table._ptr, piece.address, len(piece)))
        piece.clear()
    return table, rows


def search(
    batch: Batch,
    starts: int = 1000,
    *,
    seed: int = 0,
    kicks: int = 0,
    kick_temperature: float = 300.0,
    patience: int = 1000,
    window: float = 0.5,
    same_energy: float = 0.002,
    same_rmsd: float = 0.1,
    temperature: float = 298.15,
    isomers: bool = False,
    polish: bool = True,
    free_energies: bool = False,
    fmax: float = FMAX,
    max_steps: int = MAX_STEPS,
    method: str = "lbfgs",
    max_move: float = 0.2,
    progress: Choice = None,
    journal: Any = None,
    resume: bool = False,
) -> SearchResults:
    """Finds the minima of every molecule of a batch, free or on its surface: Batch.search.

    starts: relaxations of every molecule, drawn by seed. Free molecules come in generations, each
    made from the low minima before it. kicks: basin hopping instead, so many disturbed relaxations
    behind every start, going uphill by kick_temperature (K). patience: a molecule is done when so
    many relaxations in a row found nothing new (0: never). window: eV, minima further above the
    lowest are left out (0: none are). same_energy (eV), same_rmsd (angstrom): minima further apart
    in one of them are two. temperature: K, of the weights. isomers: minima of other configurations
    are listed, too. polish: minima are relaxed once more, in
    double precision to 1e-6 eV/angstrom. free_energies: weights by harmonic free energies at the
    temperature. fmax (eV/angstrom), max_steps, method, max_move: of the
    relaxations. A placement of the batch may have a height alone: that of the lowest atom of every
    start.

    Ctrl-C raises KeyboardInterrupt with the minima so far, not polished, as its results. journal: a
    file that is written meanwhile; a search that was ended, however that was, goes on by the same
    call with resume=True and finds what it would have found. It is called NAME.partial and has a
    checkpoint, NAME.checkpoint, beside it; both go when the search is done. Without resume an
    earlier journal is kept as NAME.partial.old.

    >>> import shoal
    >>> r = shoal.Batch("examples/butane.sdf").search(starts=20)
    >>> print(r.rank[:2], r.status[0])
    [1 2] converged
    """
    options = _abi.shoal_search_options(
        starts=whole("starts", starts, 1),
        kicks=whole("kicks", kicks, 0, 1000000),
        kick_temperature=number("kick_temperature", kick_temperature, above=0),
        seed=whole("seed", seed, 0),
        patience=whole("patience", patience, 0),
        window=number("window", window, least=0),
        same_energy=number("same_energy", same_energy, above=0),
        same_rmsd=number("same_rmsd", same_rmsd, above=0),
        temperature=number("temperature", temperature, above=0),
        isomers=flag("isomers", isomers),
    )
    borrowed = _borrow(batch, options)
    pointer = ctypes.c_void_p()
    check(lib.shoal_search_create(ctypes.byref(pointer), ctypes.byref(options)))
    made = Search(pointer, borrowed)
    relax = batch.relax_options(fmax, max_steps, method, max_move)
    told = {
        **{name: getattr(options, name) for name in OPTIONS},
        "fmax": fmax,
        "max_steps": max_steps,
        "method": method,
        "max_move": max_move,
    }
    polish, free_energies = flag("polish", polish), flag("free_energies", free_energies)
    resume = flag("resume", resume)
    if free_energies and not polish:
        raise ArgumentError("free_energies: expected polish=True with it, got polish=False")
    if resume and journal is None:
        raise ArgumentError("resume: expected journal with it, got journal=None")
    if journal is not None:
        journal = os.fsdecode(path_bytes("journal", journal))
        _check_journal(journal)
    how = {"seed": seed, "repeats": float(starts * (1 + kicks)), "progress": progress}
    told |= {"polish": polish, "free_energies": free_energies}
    run = _run(batch, made, relax, told=told, **how)
    if journal is not None:
        run.restart = made.journal(run, journal, resume)
        run.options.output.n_sinks = 0
    try:
        run.results()
        check(lib.shoal_search_rank(made.pointer))
        modes = None
        if free_energies:  # copies count symmetry already
            modes = _abi.shoal_modes_options(temperature=temperature, symmetry_number=1)
        found = _polish(batch, made, relax, seed, modes) if polish and len(made) else made
    except KeyboardInterrupt as error:
        check(lib.shoal_search_rank(made.pointer))
        error.results = _gather(batch, run, made, made)  # type: ignore[attr-defined]
        raise
    if journal is not None:
        _forget_journal(journal)
    return _gather(batch, run, made, found)


OPTIONS = ("starts", "kicks", "kick_temperature", "patience", "window", "same_energy", "same_rmsd")
OPTIONS += ("temperature", "height", "seed")


def _borrow(batch: Batch, options: Any) -> list[Any]:
    """Fills in what a search takes from a batch; returns what has to live as long as it."""
    batch._refuse_conformers("search")
    if batch.copies is not None:
        raise ArgumentError("search: expected a batch without copies; starts are drawn by seed")
    if batch._shard[1]:
        raise ArgumentError(
            "shard: a search takes all of its starts; expected another seed instead"
        )
    place = batch.placement
    if place is not None and (place.orient != "asis" or any(place.rotate) or place.at is not None):
        raise ArgumentError("placement: a search places molecules itself; expected a height alone")
    fix = batch._fixed_alike("a search")
    options.height = (place.height or 0.0) if place is not None else 0.0
    options.surface = batch.surface._ptr if batch.surface is not None else None
    options.directions = batch._turns
    options.movable = batch.movable._ptr if batch.movable is not None else None
    pointers = (ctypes.c_void_p * max(len(fix), 1))(*(f._ptr for f in fix))
    options.fix, options.n_fix = pointers, len(fix)
    if batch._rigid:
        raise ArgumentError('rigid: a search moves molecules as they are; expected "molecules"')
    options.rigid = batch._rigid_molecules
    return [batch.surface, batch.movable, fix, pointers, options]


def _run(
    batch: Batch,
    made: Search,
    relax: Any,
    *,
    precision: int | None = None,
    modes: Any = None,
    **how: Any,
) -> Run:
    """A stream of relaxations that feeds a search."""
    sink, keep = made.sink()
    run = Run(
        batch,
        _abi.SHOAL_JOB_RELAX if modes is None else _abi.SHOAL_JOB_MODES,
        label="search",
        relax=relax,
        sinks=[sink],
        table=False,
        variants=lib.shoal_search_variants(made.pointer).contents,
        adsorption=batch.surface is not None,
        **how,
    )
    run.options.build.placement = None
    if modes is not None:
        run.options.compute.modes = ctypes.pointer(modes)
        keep.append(modes)
    if precision is not None:
        engine = _abi.shoal_engine_options.from_buffer_copy(batch.settings.options)
        engine.precision = precision
        run.options.compute.engine = ctypes.pointer(engine)
        keep.append(engine)
    run.keep += keep
    return run


def _polish(batch: Batch, made: Search, relax: Any, seed: int, modes: Any) -> Search:
    """Relaxes the minima further, in double precision where the device has it."""
    fine = _abi.shoal_relax_options.from_buffer_copy(relax)
    fine.fmax = min(fine.fmax, lib.shoal_search_fmax())
    for precision in (_abi.SHOAL_PRECISION_DOUBLE, batch.settings.options.precision):
        refined = made.refine()
        try:
            _run(batch, refined, fine, precision=precision, modes=modes, seed=seed).results()
        except UnsupportedError as error:
            if precision != _abi.SHOAL_PRECISION_DOUBLE or modes is not None:
                raise
            warnings.warn(f"minima are polished in single precision: {error}", stacklevel=3)
            continue
        check(lib.shoal_search_rank(refined.pointer))
        return refined
    raise AssertionError("unreachable")


def _gather(batch: Batch, run: Run, made: Search, found: Search) -> SearchResults:
    """The minima of one search, and the counts of the one that drew the starts."""
    table, rows = collect(found, batch.surface is not None, batch._turns)
    table.surface = batch.surface
    return SearchResults(
        table, run.provenance(), run._files(), minima=rows, counts=made.counts, search=found
    )
