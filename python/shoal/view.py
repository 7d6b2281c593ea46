# SPDX-License-Identifier: BSD-3-Clause
"""What pictures need of a run: its columns by the paths of the HDF5 file (docs/results.md), and its header."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

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

    def options(self) -> dict[str, Any]:
        """What the file says of its run; options that may repeat are lists."""
        text = self.header.get("options") or ""
        try:
            found = json.loads(text, object_pairs_hook=_keep_repeated)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}


def _keep_repeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, value in pairs:
        if key in out and key == "coordinate":
            out[key] = (out[key] if isinstance(out[key], list) else [out[key]]) + [value]
        else:
            out[key] = value
    return out


def view(source: Any) -> View:
    """The view of a file of results, of results in memory, or a view as it is."""
    if isinstance(source, View):
        return source
    if isinstance(source, (str, os.PathLike)):
        return _of_file(os.fspath(source))
    raise TypeError(f"expected results or the path of a file of results, not {type(source).__name__}")


def _of_file(path: str) -> View:
    import h5py

    def text(value: Any) -> Any:
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else value

    with h5py.File(path, "r", swmr=True) as f:
        n = len(f["systems/index"])
        columns: dict[str, np.ndarray] = {}
        f.visititems(
            lambda name, item: columns.update({name: item[()]}) if hasattr(item, "shape") else None
        )
        names = [x.decode() for x in f["systems/status"].attrs["names"]]
        terms = [x.decode() for x in f["systems/terms"].attrs["names"]]
        header = {key: text(value) for key, value in f.attrs.items()}
    for key, value in columns.items():
        if key.startswith("systems/") and not key.endswith("starts") and len(value) > n:
            if key + "_starts" not in columns:
                columns[key] = value[:n]
    return View(columns, names, terms, header, path)


SYMBOLS = (
    "X H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr "
    "Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir "
    "Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf"
).split()


def read_xyz(path: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Atomic numbers, positions and cell of the first frame of an extended xyz file, angstrom."""
    import gzip
    import re

    opened = gzip.open(path, "rt") if path.endswith(".gz") else open(path, encoding="utf-8")
    with opened as f:
        try:
            n, comment = int(f.readline()), f.readline()
            rows = [f.readline().split()[:4] for _ in range(n)]
            numbers = np.array([SYMBOLS.index(row[0]) for row in rows])
            positions = np.array([[float(x) for x in row[1:4]] for row in rows])
        except (ValueError, IndexError) as error:
            raise ValueError(f"{path}: no xyz file of a substrate ({error})") from None
    lattice = re.search(r'Lattice="([^"]*)"', comment)
    if not lattice:
        raise ValueError(f"{path}: a substrate needs a cell (Lattice)")
    return numbers, positions, np.array([float(x) for x in lattice.group(1).split()]).reshape(3, 3)
