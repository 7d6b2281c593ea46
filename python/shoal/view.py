# SPDX-License-Identifier: BSD-3-Clause
"""What pictures need of a run: its columns by the paths of the HDF5 file (docs/results.md), and
its header."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ._lib import Error
from ._optional import missing
from .coordinate import Coordinate

# In these states a system has what was asked for.
FINE = ("ok", "converged")


@dataclass
class View:
    """A run as columns. Systems are counted from 0, in the order of the input."""

    columns: Mapping[str, np.ndarray]
    status_names: list[str]
    term_names: list[str]
    header: dict[str, Any] = field(default_factory=dict)
    path: str = ""
    frames: View | None = None  # geometries on the way of relaxations
    coordinates: list[tuple[str, np.ndarray]] = field(
        default_factory=list
    )  # of a scan: name, values
    points: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))  # [n][coordinates]
    minima: dict[str, np.ndarray] = field(default_factory=dict)  # of a search: rank, count, weight
    notes: list[str] = field(default_factory=list)  # what the columns do not say
    keeps: Any = None  # whose memory the columns are

    def __post_init__(self) -> None:
        if not self.coordinates:
            self._find_points()

    def __len__(self) -> int:
        return len(self.columns["systems/status"])

    def get(self, name: str) -> np.ndarray | None:
        """A column of ``systems``, or None where the run has no such thing."""
        return self.columns.get("systems/" + name)

    def texts(self, name: str) -> list[str]:
        """The texts of all systems: ``name``, ``reason`` or ``warning``."""
        starts = self.columns[f"systems/{name}_starts"]
        letters = np.asarray(self.columns["systems/" + name]).tobytes()
        return [
            letters[a:b].decode("utf-8", "replace")
            for a, b in zip(starts[:-1].tolist(), starts[1:].tolist())
        ]

    def fields(self, i: int) -> dict[str, str]:
        """Data fields of system i, those of the user's file and of a search."""
        starts = self.columns["data/starts"]
        raw = np.asarray(self.columns["data/bytes"][starts[i] : starts[i + 1]]).tobytes()
        parts = raw.decode("utf-8", "replace").split("\0")
        return dict(zip(parts[0:-1:2], parts[1::2]))

    def fine(self) -> np.ndarray:
        """bool[n]: ok or converged."""
        good = [name in FINE for name in self.status_names]
        return np.array(good, dtype=bool)[self.columns["systems/status"]]

    def span(self, i: int, what: str = "atoms") -> slice:
        """Where the atoms (or bonds) of system i are in the long columns."""
        starts = self.columns[what + "/starts"]
        return slice(int(starts[i]), int(starts[i + 1]))

    def molecule_of(self) -> np.ndarray:
        """int[n]: number of the record that a system was made of, whatever its variant."""
        file, record = self.columns["systems/file"], self.columns["systems/record"]
        pairs = np.stack([np.asarray(file, dtype=np.int64), np.asarray(record, dtype=np.int64)], 1)
        if len(pairs) == 0:
            return np.zeros(0, dtype=np.int64)
        changes = np.any(pairs[1:] != pairs[:-1], axis=1)
        variant = self.get("variant")
        if variant is not None and self.get("time") is not None:  # copies of dynamics
            changes |= np.asarray(variant[1:] != variant[:-1])
        return np.concatenate([[0], np.cumsum(changes)])

    def said(self) -> dict[str, Any]:
        """What the file says of its run as a whole; of the program: version, command, options,
        files, .."""
        found = self.header.get("options") or {}
        if isinstance(found, str):
            try:
                found = json.loads(found)
            except ValueError:
                return {}
        return found if isinstance(found, dict) else {}

    def options(self) -> dict[str, Any]:
        """Options of the job alone."""
        said = self.said()
        return said["options"] if isinstance(said.get("options"), dict) else said

    def command_lines(self) -> list[str]:
        """The command of the program, an option per line."""
        return str(self.header.get("command") or "").split("\n")

    def _find_points(self) -> None:
        """The grid of a scan in a file, from its options and the numbers of variants."""
        asked = [x.split(" ", 1)[1] for x in self.command_lines() if x.startswith("--coordinate ")]
        told = self.options().get("coordinates")  # of Batch.scan
        asked = asked or [str(x) for x in (told if isinstance(told, list) else [])]
        variant = self.get("variant")
        if not asked or variant is None or len(variant) == 0:
            return
        try:
            grid = [Coordinate.parse(text) for text in asked]
        except Error:
            return
        shape = tuple(c.n for c in grid)
        at = np.asarray(variant, dtype=np.int64)
        if at.max() >= np.prod(shape):  # copies of points
            return
        rows = np.stack(np.unravel_index(at, shape), axis=1)
        self.coordinates = [(c.name, np.linspace(c.start, c.stop, c.n)) for c in grid]
        self.points = np.stack([v[rows[:, k]] for k, (_, v) in enumerate(self.coordinates)], axis=1)


def view(source: Any) -> View:
    """The view of a file of results, of results in memory, or a view as it is."""
    if isinstance(source, View):
        return source
    if isinstance(source, (str, os.PathLike)):
        return _of_file(os.fspath(source))
    if hasattr(source, "_table") and hasattr(source, "provenance"):
        return _of_results(source)
    raise TypeError(
        f"expected results or the path of a file of results, not {type(source).__name__}"
    )


def _of_results(results: Any, path: str = "") -> View:
    """Results in memory. Dynamics are seen as their frames, where they were kept."""
    from .results import status_names, term_names

    frames, notes = results.frames, []
    if frames is not None and "systems/time" in frames._table.columns:
        bad = np.flatnonzero(~results.ok)
        names, status, reasons = results.name, results.status, results.reason
        notes = [f"{names[i] or f'#{i}'}: {status[i]}, {reasons[i]}" for i in bad[:50].tolist()]
        notes += [f"{len(bad) - 50} more systems failed"] if len(bad) > 50 else []
        results, frames = frames, None
    header = {"files": results.files, **results.provenance}
    out = View(results._table.columns, [str(x) for x in status_names()], term_names(), header, path)
    out.frames = _of_results(frames) if frames is not None else None
    out.keeps, out.notes = results, notes
    if getattr(results, "coordinates", None):
        values = zip(results.coordinates, results.values)
        out.coordinates = [(c.name, np.asarray(v, dtype=float)) for c, v in values]
        out.points = np.asarray(results.points, dtype=float)
    minima = getattr(results, "minima", None)
    if isinstance(minima, np.ndarray):  # of a search; those of a scan are a method
        names = ("rank", "count", "weight", "copies")
        out.minima = {"search_" + name: np.asarray(minima[name], dtype=float) for name in names}
    return out


def _of_file(path: str) -> View:
    """A file of results; where the library has no HDF5, h5py reads it."""
    from ._lib import UnsupportedError
    from .results import load

    try:
        return _of_results(load(path), path)
    except UnsupportedError:  # a library without HDF5
        return _by_h5py(path)


def _by_h5py(path: str) -> View:
    try:
        import h5py
    except ImportError as error:
        raise missing("reading results by a library without HDF5", error) from None

    def text(value: Any) -> Any:
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else value

    try:
        f = h5py.File(path, "r", swmr=True)
    except OSError as error:
        raise ValueError(f"{path}: no file of results ({error})") from None
    with f:
        header = {key: text(value) for key, value in f.attrs.items()}
        if header.get("format") != "shoal-results":
            raise ValueError(f"{path}: no file of results")
        n = len(f["systems/index"])
        columns: dict[str, np.ndarray] = {}
        f.visititems(
            lambda name, item: columns.update({name: item[()]}) if hasattr(item, "shape") else None
        )
        names = [x.decode() for x in f["systems/status"].attrs["names"]]
        terms = [x.decode() for x in f["systems/terms"].attrs["names"]]
    for key, value in columns.items():  # a run that goes on may have written more of some
        if key.startswith("systems/") and key + "_starts" not in columns:
            columns[key] = value[: n + 1 if key.endswith("_starts") else n]
    return View(columns, names, terms, header, path)
