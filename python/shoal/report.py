# SPDX-License-Identifier: BSD-3-Clause
"""A run as one HTML file: table, structures that can be turned, plots, provenance.

The file holds everything it needs and loads nothing. ``shoal report run.h5`` writes it from the
command line.
"""

from __future__ import annotations

import argparse
import base64
import html
import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ._lib import ArgumentError, Error
from .view import View, view

ASSETS = Path(__file__).resolve().parent / "assets"
SCRIPTS = ("report_data.js", "report_table.js", "report_plots.js", "report_viewer.js", "report.js")
VIEWER_VERSION = "3Dmol.js 2.5.5"

MAX_STRUCTURES = 10_000
MAX_ROWS = 200_000
MAX_ATOMS = 2_000_000  # of all structures together: 16 MB of the page
MAX_DRAWN = 60_000  # atoms of one structure: no browser turns more
CHUNK = 256  # structures that are decoded together, when one of them is looked at

EXIT_ALL_FINE, EXIT_USAGE, EXIT_FILES = 0, 2, 4

# column of the file -> label, unit, digits behind the point (None: a whole number; "e": as it
# fits), description
NUMBERS: dict[str, tuple[str, str, Any, str]] = {
    "natoms": ("atoms", "", None, "number of atoms"),
    "energy": ("energy", "eV", 6, "energy at the end"),
    "energy0": ("before", "eV", 6, "energy before the relaxation"),
    "adsorption_energy": ("adsorption", "eV", 6, "energy less that of the molecule alone, relaxed"),
    "fmax": ("fmax", "eV/Å", "e", "largest force on a free atom"),
    "steps": ("steps", "", None, "evaluations of the relaxation"),
    "time": ("time", "fs", 1, "time of the frame"),
    "kinetic": ("kinetic", "eV", 6, "kinetic energy"),
    "bath": ("bath", "K", 1, "temperature of the bath"),
}
SEARCH_FIELDS = {
    "search_rank": ("rank", "", None, "place among the minima of its molecule"),
    "search_count": ("count", "", None, "relaxations that ended here"),
    "search_weight": ("weight", "", 4, "Boltzmann weight among the minima listed"),
    "search_copies": ("copies", "", None, "minima of numbered atoms that it stands for, relative"),
}


def write(
    results: Any,
    path: str | os.PathLike[str],
    title: str | None = None,
    *,
    surface: Any = None,
    max_structures: int = MAX_STRUCTURES,
    max_rows: int = MAX_ROWS,
) -> Path:
    """Writes the report of a run.

    results: Results, or the path of a file of results (``.h5``). title: of the page; by default
    what was run. surface: substrate to draw below the structures, a path or an object with
    numbers, positions and cell (angstrom); by default that of the results, or the file that the
    run names, where it is found; False: none. max_structures, max_rows: larger runs keep those
    that failed and, of the others, some that are spread evenly; the page says what was left
    out. Returns the path of the page.
    """
    if max_structures < 0 or max_rows < 1:
        raise ValueError("max_structures must be at least 0 and max_rows at least 1")
    out = Path(path)
    if isinstance(results, (str, os.PathLike)) and out.exists() and out.samefile(results):
        raise ArgumentError(f"{out} is the file of results; expected another name for the page")
    page = render(view(results), title, surface, max_structures, max_rows)
    part = out.with_name(out.name + ".part")
    try:
        part.write_bytes(page.encode("utf-8", "replace"))  # names of files may be no UTF-8
        os.replace(part, out)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    return out


def render(run: View, title: str | None, surface: Any, max_structures: int, max_rows: int) -> str:
    """The page as text."""
    rows = _choose(run, max_rows)
    shown = _structures(run, rows, max_structures)
    data = _table(run, rows)
    data["structures"] = shown["index"]
    data["groups"] = _groups(run, rows)
    data["scan"] = _scan(run, rows)
    data["traces"] = _traces(run, rows)
    data["paths"], paths = _paths(run, rows, shown)
    data["modes"] = _modes(run, rows)
    data["surface"], note = _substrate(run, surface)
    data["provenance"] = _provenance(run)
    data["notes"] = _notes(run, rows, shown, note)
    title = title or _title(run)
    data["title"] = title
    values = {
        "TITLE": html.escape(title),
        "STYLE": (ASSETS / "report.css").read_text(encoding="utf-8"),
        "DATA": _json(data),
        "CHUNKS": "\n".join(
            f'<script type="text/plain" id="chunk{k}">{text}</script>'
            for k, text in enumerate(shown["chunks"])
        )
        + "".join(
            f'\n<script type="text/plain" id="path{k}">{text}</script>'
            for k, text in enumerate(paths)
        ),
        "VIEWER": _script((ASSETS / "3Dmol-min.js").read_text(encoding="utf-8")),
        "SCRIPT": _script(
            "\n".join((ASSETS / name).read_text(encoding="utf-8") for name in SCRIPTS)
        ),
    }
    page = (ASSETS / "report.html").read_text(encoding="utf-8")
    return re.sub(r"@([A-Z]+)@", lambda m: values[m.group(1)], page)


def _script(text: str) -> str:
    """A program that no HTML parser takes for the end of its element."""
    return re.sub(r"<(?=/script|!--)", r"\\x3c", text, flags=re.IGNORECASE)


def _json(data: Any) -> str:
    """JSON that can stand inside a script element, whatever names and reasons contain."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def _pack(values: Any, kind: str) -> str:
    """Base64 of an array: f8, f4, i4, i2, i1 or u1, little endian."""
    with np.errstate(over="ignore"):  # too large for f4: infinite, which the page leaves out
        packed = np.ascontiguousarray(values, dtype="<" + kind).tobytes()
    return base64.b64encode(packed).decode("ascii")


# --- table ----------------------------------------------------------------------------------------


def _choose(run: View, most: int, among: np.ndarray | None = None) -> np.ndarray:
    """Rows to show, ascending: those that failed first, then others that are spread evenly."""
    rows = np.arange(len(run)) if among is None else among
    if len(rows) <= most:
        return rows
    fine = run.fine()[rows]
    failed, others = rows[~fine][:most], rows[fine]
    room = most - len(failed)
    if room == 0 or len(others) == 0:
        return failed
    spread = others[np.linspace(0, len(others) - 1, min(room, len(others))).astype(np.int64)]
    return np.sort(np.concatenate([failed, np.unique(spread)]))


def _table(run: View, rows: np.ndarray) -> dict[str, Any]:
    columns = []
    for key, (label, unit, digits, why) in NUMBERS.items():
        values = run.get(key)
        if values is None or (key == "steps" and not np.any(values)):
            continue
        columns.append(_column(key, label, unit, digits, why, np.asarray(values)[rows]))
    drop = _drop(run)
    if drop is not None:
        where = next(k for k, c in enumerate(columns) if c["key"] == "energy0") + 1
        columns.insert(
            where, _column("drop", "drop", "eV", 6, "energy before less energy", drop[rows])
        )
    columns[1:1] = _search_columns(run, rows)  # behind the number of atoms
    names = run.texts("name")
    texts: dict[str, int] = {}
    out: dict[str, Any] = {
        "n": len(rows),
        "total": len(run),
        "columns": [c for c in columns if c["finite"]],
        "index": _pack(run.columns["systems/index"][rows], "f8"),
        "names": [names[i] for i in rows.tolist()],
        "status": _pack(run.columns["systems/status"][rows], "u1"),
        "statuses": run.status_names,
        "fine": [k for k, name in enumerate(run.status_names) if name in ("ok", "converged")],
    }
    for name in ("reason", "warning"):
        all_texts = run.texts(name)
        numbers = [texts.setdefault(all_texts[i], len(texts)) for i in rows.tolist()]
        out[name] = _pack(numbers, "i4")
    out["texts"] = list(texts)
    terms = np.asarray(run.columns["systems/terms"])[rows]
    used = [k for k in range(terms.shape[1]) if np.any(np.nan_to_num(terms[:, k]) != 0)]
    out["terms"] = {
        "names": [run.term_names[k] for k in used],
        "data": _pack(terms[:, used], "f4"),
    }
    return out


def _column(key: str, label: str, unit: str, digits: Any, why: str, values: np.ndarray) -> dict:
    kind = "i4" if digits is None else "f8" if digits == 6 else "f4"
    if kind == "i4" and not np.issubdtype(values.dtype, np.integer):
        kind = "f4"
    return {
        "key": key,
        "label": label,
        "unit": unit,
        "digits": digits,
        "why": why,
        "kind": kind,
        "finite": bool(np.any(np.isfinite(values))),
        "data": _pack(values, kind),
    }


def _drop(run: View) -> np.ndarray | None:
    before, after = run.get("energy0"), run.get("energy")
    if before is None or not np.any(np.isfinite(before)):
        return None
    return np.asarray(before) - np.asarray(after)


def _search_columns(run: View, rows: np.ndarray) -> list[dict]:
    found = run.minima
    if not found and len(rows) and "search_rank" in run.fields(int(rows[0])):
        fields = [run.fields(i) for i in range(len(run))]
        found = {key: np.array([_number(f.get(key)) for f in fields]) for key in SEARCH_FIELDS}
    return [
        _column(key, *SEARCH_FIELDS[key], np.asarray(values)[rows]) for key, values in found.items()
    ]


def _number(text: str | None) -> float:
    try:
        return float(text) if text is not None else float("nan")
    except ValueError:
        return float("nan")


# --- structures -----------------------------------------------------------------------------------


def _structures(run: View, rows: np.ndarray, most: int) -> dict[str, Any]:
    """Coordinates in chunks of int16, what is bound to what once for all structures that share
    it."""
    counts = np.diff(run.columns["atoms/starts"])
    able = rows[(counts[rows] > 0) & (counts[rows] <= MAX_DRAWN)]
    while True:
        chosen = _choose(run, most, able)
        if counts[chosen].sum() <= MAX_ATOMS or len(chosen) <= 1:
            break
        most = int(len(chosen) * min(0.9, MAX_ATOMS / counts[chosen].sum()))
    frames, skeletons, cells = _Chunks(), _Skeletons(run), _Cells(run)
    of_row = np.full(len(rows), -1)
    of_row[np.searchsorted(rows, chosen)] = np.arange(len(chosen))
    skeleton, cell = [], []
    for i in chosen.tolist():
        skeleton.append(skeletons.number(i))
        cell.append(cells.number(i))
        frames.add(np.asarray(run.columns["atoms/position"][run.span(i)], dtype=float))
    index = {
        "row": _pack(of_row, "i4"),
        "chunk": CHUNK,
        "skeleton": _pack(skeleton, "i4"),
        "cell": _pack(cell, "i4"),
        "cells": cells.found,
        "origin": _pack(frames.origins, "f4"),
        "step": _pack(frames.steps, "f4"),
        "skeletons": skeletons.packed(),
    }
    return {
        "of_row": of_row,
        "room": MAX_ATOMS - int(counts[chosen].sum()),  # atoms that geometries on the way may have
        "index": index,
        "chunks": frames.texts(),
        "n": len(chosen),
        "able": int((counts[rows] > 0).sum()),
    }


class _Chunks:
    """Positions as whole numbers of a step, 0.001 angstrom unless a structure is larger than 65."""

    def __init__(self) -> None:
        self.origins: list[np.ndarray] = []
        self.steps: list[float] = []
        self.whole: list[bytes] = []

    def add(self, position: np.ndarray) -> None:
        known = np.where(np.isfinite(position), position, 0.0)
        middle = (known.max(axis=0) + known.min(axis=0)) / 2
        step = max(0.001, float(np.abs(known - middle).max()) / 32_000)
        self.origins.append(middle)
        self.steps.append(step)
        self.whole.append(np.rint((known - middle) / step).astype("<i2").tobytes())

    def texts(self) -> list[str]:
        return [
            base64.b64encode(b"".join(self.whole[k : k + CHUNK])).decode("ascii")
            for k in range(0, len(self.whole), CHUNK)
        ]


class _Skeletons:
    """Elements and bonds; conformers and frames share them."""

    def __init__(self, run: View) -> None:
        self.run = run
        self.known: dict[bytes, int] = {}
        self.parts: list[tuple[np.ndarray, ...]] = []

    def number(self, i: int) -> int:
        columns, atoms, bonds = self.run.columns, self.run.span(i), self.run.span(i, "bonds")
        part = (
            np.asarray(columns["atoms/number"][atoms], dtype="u1"),
            np.asarray(columns["bonds/atoms"][bonds], dtype="<i4"),
            np.asarray(columns["bonds/order"][bonds], dtype="u1"),
            np.asarray(columns["bonds/shift"][bonds], dtype="<i2"),
        )
        key = b"|".join(x.tobytes() for x in part)
        if key not in self.known:
            self.known[key] = len(self.parts)
            self.parts.append(part)
        return self.known[key]

    def packed(self) -> dict[str, str]:
        def joined(k: int, kind: str) -> str:
            flat = [p[k].reshape(-1) for p in self.parts]
            return _pack(np.concatenate(flat) if flat else [], kind)

        return {
            "n_atoms": _pack([len(p[0]) for p in self.parts], "i4"),
            "n_bonds": _pack([len(p[1]) for p in self.parts], "i4"),
            "numbers": joined(0, "u1"),
            "bonds": joined(1, "i4"),
            "orders": joined(2, "u1"),
            "shifts": joined(3, "i2"),
        }


class _Cells:
    """Different cells; -1 stands for a molecule without one."""

    def __init__(self, run: View) -> None:
        self.cell, self.pbc = run.get("cell"), run.get("pbc")
        self.known: dict[bytes, int] = {}
        self.found: list[dict[str, list[float]]] = []

    def number(self, i: int) -> int:
        if self.cell is None or self.pbc is None or not np.any(self.pbc[i]):
            return -1
        if not np.isfinite(self.cell[i]).all():
            return -1
        key = np.asarray(self.cell[i]).tobytes() + np.asarray(self.pbc[i]).tobytes()
        if key not in self.known:
            self.known[key] = len(self.found)
            vectors = [round(float(x), 5) for x in np.asarray(self.cell[i]).reshape(-1)]
            self.found.append({"vectors": vectors, "pbc": [int(x) for x in self.pbc[i]]})
        return self.known[key]


# --- what belongs together ------------------------------------------------------------------------


def _groups(run: View, rows: np.ndarray) -> dict[str, Any] | None:
    """Rows of one trajectory or scan, where there are such: the number of the first row of each."""
    if run.get("time") is None and run.get("variant") is None:
        return None
    of = run.molecule_of()[rows]
    starts = np.flatnonzero(np.diff(of, prepend=-1))
    if len(starts) == len(rows):
        return None
    kind = "trajectory" if run.get("time") is not None else "variants"
    return {"kind": kind, "starts": [int(x) for x in starts]}


def _scan(run: View, rows: np.ndarray) -> dict[str, Any] | None:
    """Coordinates of a scan and the point of every row."""
    if not run.coordinates or len(rows) == 0:
        return None
    return {
        "coordinates": [
            {
                "label": name,
                "unit": "Å" if name.partition(":")[0] in ("distance", "x", "y", "z") else "°",
                "values": [round(float(v), 6) for v in values],
                "at": _pack(run.points[rows, k], "f4"),
            }
            for k, (name, values) in enumerate(run.coordinates)
        ]
    }


def _traces(run: View, rows: np.ndarray) -> dict[str, str] | None:
    """Energies and forces on the way of every row, where frames of relaxations were kept."""
    if run.frames is None or len(run.frames) == 0:
        return None
    first, last = _frames_of(run, rows)
    chosen = np.array([k for a, b in zip(first, last) for k in range(a, b)], dtype=np.int64)
    names = {"energy": "f8", "fmax": "f4", "steps": "i4"}
    found = {
        k: _pack(run.frames.columns["systems/" + k][chosen], kind) for k, kind in names.items()
    }
    return {**found, "starts": _pack(np.concatenate([[0], np.cumsum(last - first)]), "i4")}


def _frames_of(run: View, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First and last frame of every row, where frames of relaxations were kept."""
    assert run.frames is not None
    of = np.asarray(run.frames.columns["systems/index"])
    index = np.asarray(run.columns["systems/index"])[rows]
    return np.searchsorted(of, index), np.searchsorted(of, index, side="right")


def _paths(
    run: View, rows: np.ndarray, shown: dict[str, Any]
) -> tuple[dict[str, Any] | None, list[str]]:
    """Geometries on the way of relaxations, of rows whose structure is in the page and as long as
    there is room."""
    if run.frames is None or len(run.frames) == 0:
        return None, []
    frames, room = run.frames, shown["room"]
    chunks, counts, kept = _Chunks(), [], []
    for row, (first, last) in enumerate(zip(*_frames_of(run, rows))):
        n_atoms = int(run.columns["systems/natoms"][rows[row]])
        fits = shown["of_row"][row] >= 0 and (last - first) * n_atoms <= room
        counts.append(int(last - first) if fits else 0)
        if not fits:
            continue
        room -= counts[-1] * n_atoms
        for k in range(int(first), int(last)):
            kept.append(k)
            at = frames.columns["atoms/position"][frames.span(k)]
            chunks.add(np.asarray(at, dtype=float))
    if not kept:
        return None, []
    data = {
        "starts": _pack(np.concatenate([[0], np.cumsum(counts)]), "i4"),
        "chunk": CHUNK,
        "origin": _pack(chunks.origins, "f4"),
        "step": _pack(chunks.steps, "f4"),
        "energy": _pack(frames.columns["systems/energy"][kept], "f8"),
        "at": _pack(frames.columns["systems/steps"][kept], "i4"),
    }
    return data, chunks.texts()


def _modes(run: View, rows: np.ndarray) -> dict[str, str] | None:
    """Frequencies and displacements of vibrations, where they were kept: the atom that moves most
    by 32000."""
    found, room = getattr(run.keeps, "vectors", None), MAX_ATOMS
    if not found:
        return None
    counts, frequencies, vectors = [], [], []
    for i in rows.tolist():
        ways = found[i]
        fits = ways is not None and ways.size // 3 <= room
        counts.append(len(ways) if fits else 0)
        if fits:
            room -= ways.size // 3
            most = np.sqrt((ways**2).sum(axis=2)).max(axis=1, initial=1e-12)
            vectors.append(np.rint(32000 * ways / most[:, None, None]).reshape(len(ways), -1))
            frequencies.append(run.keeps.frequencies[i])
    if not vectors:
        return None
    places = np.cumsum([0] + [v.shape[1] for block in vectors for v in block[:, None]])[:-1]
    return {
        "starts": _pack(np.concatenate([[0], np.cumsum(counts)]), "i4"),
        "frequencies": _pack(np.concatenate(frequencies), "f4"),
        "places": _pack(places, "i4"),
        "vectors": _pack(np.concatenate([block.reshape(-1) for block in vectors]), "i2"),
    }


# --- substrate ------------------------------------------------------------------------------------


def _substrate(run: View, surface: Any) -> tuple[dict[str, Any] | None, str]:
    """Atoms of the substrate, and a note where the run had one that cannot be drawn."""
    if surface is False:
        return None, ""
    asked = run.options()
    movable = int(asked.get("movable-layers") or asked.get("movable") or 0)
    taken = False  # from the substrate: layers that move, which are atoms of every system
    if surface is None and getattr(run.keeps, "surface", None) is not None:
        surface, taken = run.keeps.surface, True
    if surface is None:
        surface = asked.get("surface")
        if not surface:
            return None, ""
        beside = Path(run.path).parent / str(surface)
        found = [
            p for p in (Path(str(surface)), beside, beside.parent / beside.name) if p.is_file()
        ]
        if not found:
            return (
                None,
                f"The substrate is not drawn: give it to the report by surface ({surface}).",
            )
        try:
            atoms = substrate_atoms(found[0])
        except (OSError, ValueError) as error:
            return None, f"The substrate is not drawn: {error}"
    else:
        atoms = substrate_atoms(surface)
    numbers, positions, cell = atoms
    seen = positions[:, 2] > positions[:, 2].max() - 12.0  # what lies deeper is not seen
    if movable and not taken:
        heights = np.unique(np.round(positions[:, 2], 1))[::-1]
        layers = heights[np.concatenate([[True], np.diff(heights) < -0.5])]
        seen &= positions[:, 2] < layers[min(movable, len(layers)) - 1] - 0.3
    return {
        "numbers": _pack(numbers[seen], "u1"),
        "positions": _pack(positions[seen], "f4"),
        "cell": [round(float(x), 5) for x in np.asarray(cell).reshape(-1)],
        "movable": bool(movable),
    }, ""


def substrate_atoms(surface: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Atomic numbers, positions [n][3] and cell [3][3] (angstrom) of a substrate: a path or an
    object with these."""
    if isinstance(surface, (str, os.PathLike)):
        from .molecule import read

        surface = read(surface)[0]
    if not abs(np.linalg.det(np.asarray(surface.cell, dtype=float)[:2, :2])) > 1e-6:
        raise ArgumentError("surface: a substrate needs a cell along x and y")
    numbers = np.asarray(surface.numbers)
    return (
        numbers,
        np.asarray(surface.positions, dtype=float),
        np.asarray(surface.cell, dtype=float),
    )


# --- provenance -----------------------------------------------------------------------------------


def _command(run: View) -> str:
    """What was run: a command of the program, or a call."""
    return str(run.said().get("command") or run.command_lines()[0])


def _files(run: View) -> list[str]:
    return [str(f) for f in run.said().get("files") or run.header.get("files") or []]


def _title(run: View) -> str:
    files = [f for f in _files(run) if f != "memory"]
    names = ", ".join(os.path.basename(f) for f in files[:3]) + (", …" if len(files) > 3 else "")
    command = _command(run)
    if command.startswith("Batch."):
        command = command.partition("(")[0].removeprefix("Batch.")
    return " ".join(x for x in ("shoal", command, names) if x)


def _options_told(run: View) -> str:
    told = []
    for line in run.command_lines()[1:]:
        told.append(line)
    if not told:
        told = [f"{k}={v}" for k, v in run.options().items() if v not in (None, "", {}, [])]
    return "\n".join(told)


def _device_told(run: View) -> str:
    devices = [d for d in run.said().get("devices") or [] if isinstance(d, dict)]
    keys = ("device", "name", "instruction_set", "driver")
    told = "; ".join(" ".join(str(d[k]) for k in keys if d.get(k)) for d in devices)
    return told or str(run.header.get("device") or "")


def _provenance(run: View) -> list[list[str]]:
    said, header, files = run.said(), run.header, _files(run)
    more = f"\n… {len(files) - 20} more" if len(files) > 20 else ""
    seconds = header.get("seconds")
    pairs = [
        ("program", header.get("program")),
        ("build", said.get("version")),
        ("command", _command(run)),
        ("options", _options_told(run)),
        ("input", "\n".join(files[:20]) + more),
        ("device", _device_told(run)),
        ("driver", header.get("driver")),
        ("precision", said.get("precision")),
        ("threads", said.get("threads") or None),
        ("ranks", said.get("ranks") if said.get("ranks") != 1 else None),
        ("started", header.get("start_time") or said.get("time")),
        ("took", f"{seconds:.3g} s" if isinstance(seconds, float) else None),
        ("host", said.get("host")),
        ("seed", said.get("seed", header.get("seed"))),
        ("units", header.get("units", "eV, angstrom, e")),
        ("results", os.path.basename(run.path)),
        ("structures drawn by", VIEWER_VERSION),
    ]
    return [[key, str(value)] for key, value in pairs if value not in (None, "")]


def _notes(run: View, rows: np.ndarray, shown: dict[str, Any], surface: str) -> list[str]:
    notes = []
    if len(rows) < len(run):
        notes.append(
            f"The table has {len(rows)} of {len(run)} systems: those that failed, and others "
            "spread evenly."
        )
    if shown["n"] < shown["able"]:
        notes.append(
            f"{shown['n']} of {shown['able']} structures are in this page: failed ones, and others "
            "spread evenly."
        )
    if surface:
        notes.append(surface)
    notes += run.notes
    if run.header.get("complete", True) in (0, False):
        notes.append(
            "The file of results is not complete: its run had not ended, or did not end well."
        )
    return notes


# --- command line ---------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="shoal report",
        description="Writes a run as one HTML file: a table that can be sorted and filtered, "
        "structures that can be turned, plots, provenance. The file needs no network.",
        epilog="exit codes: 0 written, 2 usage, 4 input or output",
    )
    parser.add_argument("results", metavar="RUN.h5", help="file of results, as -o RUN.h5 writes it")
    parser.add_argument("-o", "--output", metavar="FILE", help="page to write (default: RUN.html)")
    parser.add_argument("--title", metavar="TEXT", help="title of the page (default: what was run)")
    parser.add_argument(
        "--surface",
        metavar="FILE",
        help="substrate to draw: xyz or extxyz with a cell (default: the file that the run names, "
        "where it is found); 'none' draws none",
    )
    parser.add_argument(
        "--max-structures",
        metavar="N",
        type=_count,
        default=MAX_STRUCTURES,
        help="structures to put in; failed ones come first, others are spread evenly "
        "(default %(default)s)",
    )
    parser.add_argument(
        "--max-rows",
        metavar="N",
        type=lambda text: _count(text, 1),
        default=MAX_ROWS,
        help="rows of the table, chosen alike (default %(default)s)",
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="no message")
    return parser


def _count(text: str, least: int = 0) -> int:
    try:
        value = int(text)
    except ValueError:
        value = -1
    if value < least:
        raise argparse.ArgumentTypeError(f"expected a whole number, {least} or more, not {text!r}")
    return value


def main(argv: Sequence[str] | None = None) -> int:
    """``shoal report``. Returns the exit code."""
    try:
        options = _parser().parse_args(argv)
    except SystemExit as end:  # --help, and mistakes that argparse has told
        return int(end.code or 0)
    out = options.output or re.sub(r"\.(h5|hdf5)$", "", options.results) + ".html"
    surface = False if options.surface == "none" else options.surface
    try:
        write(
            options.results,
            out,
            options.title,
            surface=surface,
            max_structures=options.max_structures,
            max_rows=options.max_rows,
        )
    except (OSError, ValueError, Error) as error:
        print(f"shoal: {error}", file=sys.stderr)
        return EXIT_FILES
    if not options.quiet:
        print(f"shoal: {out} written, {os.path.getsize(out) / 1e6:.1f} MB", file=sys.stderr)
    return EXIT_ALL_FINE


if __name__ == "__main__":
    sys.exit(main())
