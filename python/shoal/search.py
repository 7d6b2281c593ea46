# SPDX-License-Identifier: BSD-3-Clause
"""Searches for minima: conformers, and where and how molecules lie on a surface; see Batch.search.

Energies are in eV, lengths in angstrom; docs/search.md explains starts, and when minima are one.

>>> r = shoal.Batch("examples/demo.sdf").search(starts=20)
>>> r.energy[r.molecule == 2], r.weight[r.molecule == 2]
>>> r.write("minima.sdf")
"""

from __future__ import annotations

import ctypes
import warnings
import weakref
from dataclasses import dataclass
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _abi
from ._handle import number, path_bytes, whole
from ._lib import ArgumentError, UnsupportedError, check, lib
from .results import Results
from .table import String, Table

__all__ = ["SearchCounts", "SearchResults"]

FMAX = 1e-3  # eV/angstrom, of the starts ..
FINE_FMAX = 1e-6  # .. and of the minima in the end: flat valleys have one only if it is reached


@dataclass(frozen=True)
class SearchCounts:
    """How far a search came, all molecules together.

    failed: relaxations that did not converge or could not be computed; changed: that ended as
    another molecule; above: outside the window; ended: molecules whose search patience ended;
    since_new: relaxations since the last new minimum of the last molecule.
    """

    molecules: int
    relaxations: int
    failed: int
    changed: int
    above: int
    minima: int
    ended: int
    since_new: int


def options_of(
    *,
    starts: int = 1000,
    seed: int = 0,
    kicks: int = 0,
    kick_temperature: float = 300.0,
    patience: int = 1000,
    window: float = 0.5,
    same_energy: float = 0.002,
    same_rmsd: float = 0.1,
    temperature: float = 298.15,
) -> Any:
    """Options of a search, checked, as the C library takes them."""
    return _abi.shoal_search_options(
        starts=whole("starts", starts, 1),
        kicks=whole("kicks", kicks, 0, 1000000),
        kick_temperature=number("kick_temperature", kick_temperature, above=0),
        seed=whole("seed", seed, 0),
        patience=whole("patience", patience, 0),
        window=number("window", window, least=0),
        same_energy=number("same_energy", same_energy, above=0),
        same_rmsd=number("same_rmsd", same_rmsd, above=0),
        temperature=number("temperature", temperature, above=0),
    )


class Search:
    """Owns a search of the C library, and the one that it was refined from."""

    def __init__(self, pointer: ctypes.c_void_p, before: Search | None = None) -> None:
        self.pointer = pointer
        self.before = before
        weakref.finalize(self, _destroy, pointer, before)

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
        take = _abi.shoal_sink_write(
            lambda _user, data, size: lib.shoal_search_take(self.pointer, data, size, None))
        form = ctypes.cast(lib.shoal_search_format, _abi.shoal_sink_format)
        return _abi.shoal_sink(format=form, write=take, user=self.pointer), [take, form]


def _destroy(pointer: ctypes.c_void_p, _before: Search | None) -> None:
    """A refined search goes before the one that it looks into, which this call holds."""
    lib.shoal_search_destroy(pointer)


class SearchResults(Results):
    """Minima of a search, molecule by molecule, the lowest first; see Batch.search.

    As Results it holds their geometries, energies and forces; adsorption_energy on a surface.
    """

    def __init__(self, table: Table, provenance: Any = None, files: Sequence[str] = (), *,
                 minima: np.ndarray, counts: SearchCounts, search: Search | None = None) -> None:
        super().__init__(table, provenance, files)
        self.minima = minima
        """[n] structured: molecule, rank, energy, adsorption_energy, weight, count, start."""
        self.counts = counts
        """What became of all relaxations."""
        self._search = search

    @property
    def molecule(self) -> np.ndarray:
        """[n] number of the molecule in the input, from 0."""
        return self.minima["molecule"]

    @property
    def rank(self) -> np.ndarray:
        """[n] among the minima of the molecule, from 1."""
        return self.minima["rank"]

    @property
    def weight(self) -> np.ndarray:
        """[n] of Boltzmann among the minima of the molecule, 0 to 1."""
        return self.minima["weight"]

    @property
    def count(self) -> np.ndarray:
        """[n] relaxations that ended there."""
        return self.minima["count"]

    @property
    def start(self) -> np.ndarray:
        """[n] the relaxation that ended there with the lowest energy."""
        return self.minima["start"]

    @property
    def relative_energy(self) -> np.ndarray:
        """[n] eV above the lowest minimum of the molecule."""
        first = np.maximum.accumulate(np.where(self.rank == 1, np.arange(len(self)), 0))
        energy = self.minima["energy"]
        return energy - energy[first]

    def of(self, molecule: int) -> SearchResults:
        """The minima of one molecule, copied."""
        return self[self.molecule == molecule]

    def picture(self, path: Any, molecule: int = 0) -> None:
        """Draws the surface from above with the minima of one molecule by rank: .svg or .png."""
        if self._search is None:
            raise ArgumentError("picture: these results are a part or a copy of a search; "
                                "expected those that Batch.search returned")
        check(lib.shoal_search_picture(self._search.pointer, molecule, path_bytes("path", path)))

    def _part(self, rows: np.ndarray) -> SearchResults:
        part = super()._part(rows)
        return SearchResults(part._table, part.provenance, part.files, minima=self.minima[rows],
                             counts=self.counts)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_search": None}


MINIMUM = np.dtype([
    ("molecule", np.int64), ("rank", np.int32), ("energy", float), ("adsorption_energy", float),
    ("weight", float), ("count", np.int64), ("start", np.int64)])


def collect(search: Search, on_surface: bool) -> tuple[Table, np.ndarray]:
    """The minima of a ranked search: their records as a table, and their numbers."""
    table = Table(forces=True, adsorption=on_surface)
    rows = np.zeros(len(search), dtype=MINIMUM)
    piece, m = String(), _abi.shoal_minimum()
    for i in range(len(search)):
        check(lib.shoal_search_get(search.pointer, i, ctypes.byref(m)))
        rows[i] = tuple(getattr(m, name) for name in MINIMUM.names)
        check(lib.shoal_search_record(search.pointer, i, piece._ptr))
        check(lib.shoal_table_take(table._ptr, piece.address, len(piece)))
        piece.clear()
    return table, rows
