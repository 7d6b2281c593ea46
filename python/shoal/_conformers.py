# SPDX-License-Identifier: BSD-3-Clause
# Coordinates out of the conformers of Mols, through a batch, and back.
"""Conformers of RDKit Mols on their way through a batch."""

from __future__ import annotations

import gc
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
from rdkit import Chem

from ._mol import (
    GeometryWarning,
    HydrogenWarning,
    check_mol,
    conformers_of,
    drawing_text,
    missing_hydrogens,
    molecules_of,
    set_positions,
    sums,
    user_level,
)
from .batch import Batch, check_in_place
from .device import resolve
from .molecule import Molecule
from .results import Results

# A long run is cut into parts: the Mols of the next one are read while one is computed. Conformers:
CUT_FROM = {"cpu": 2000, "other": 20000}  # where it begins to be worth it
PART = {"cpu": 1, "other": 30000}  # of a part at least, the first of which is half as large
PARTS = 5  # about, at most
BY_SYSTEM = ("fixed", "restraints", "topologies")  # may be lists over all conformers: not cut


class Conformers:
    """Conformers of some Mols with their coordinates, and a molecule of each Mol that has any."""

    def __init__(
        self,
        mols: Sequence[Any],
        labels: Sequence[str],
        conf_ids: Sequence[int] | None,
        charge_property: str | None,
    ) -> None:
        there = [k for k, mol in enumerate(mols) if mol is not None]
        self.mols, self.labels = [mols[k] for k in there], [labels[k] for k in there]
        self.lists: list[list[Chem.Conformer]] = []
        self.blocks: list[np.ndarray] = []  # by Mol, [n_conformers, n_atoms, 3] angstrom
        with _no_collection():
            for mol, label in zip(self.mols, self.labels):
                self.lists.append(conformers_of(mol, conf_ids, label))
                arrays = list(map(Chem.Conformer.GetPositions, self.lists[-1]))
                self.blocks.append(np.concatenate(arrays).reshape(len(arrays), -1, 3))
        self.flat = [block[:, 0, 2] == 0.0 for block in self.blocks]  # perhaps, by the first atom
        firsts = [_first_known(block) for block in self.blocks]
        self.molecules = molecules_of(self.mols, firsts, charge_property, self.labels)
        lacks = (missing_hydrogens(mol, label) for mol, label in zip(self.mols, self.labels))
        self.missing = [text for text in lacks if text]

    def drawings(self) -> Iterator[tuple[int, int]]:
        """Mol and number of the conformers all of whose atoms have z = 0."""
        for i, maybe in enumerate(self.flat):
            if maybe.any():
                for k in np.flatnonzero(maybe).tolist():
                    if not self.blocks[i][k, :, 2].any():
                        yield i, k

    def complaint(self) -> str:
        """What to say of the first conformer that is 2-D; "" where none is."""
        for i, k in self.drawings():
            conformer = self.lists[i][k]
            if not conformer.Is3D():
                return drawing_text(self.mols[i], conformer.GetId(), self.labels[i])
        return ""

    def write_back(self, results: Results) -> None:
        """Moves the conformers to where a run left them; those that failed stay."""
        flat, sound = results.positions.flat, np.isfinite(results.energy)
        row = atom = 0
        for conformers, before in zip(self.lists, self.blocks):
            n, n_atoms = before.shape[:2]
            block = flat[atom : atom + n * n_atoms].reshape(before.shape)
            good = sound[row : row + n]
            row, atom = row + n, atom + n * n_atoms
            if good.all():
                deque(map(set_positions, conformers, block), maxlen=0)
            else:
                for k in np.flatnonzero(good).tolist():
                    set_positions(conformers[k], block[k])
        for i, k in self.drawings():
            if self.lists[i][k].GetPositions()[:, 2].any():
                self.lists[i][k].Set3D(True)


def _first_known(block: np.ndarray) -> np.ndarray:
    """The first conformer whose coordinates are numbers, or the first."""
    known = np.isfinite(block).all(axis=(1, 2))
    return block[int(np.argmax(known))]


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keeps Python from looking for garbage among thousands of conformers as they are listed."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


def relax_in_place(
    mols: Sequence[Any],
    labels: Sequence[str],
    conf_ids: Sequence[int] | None,
    charge_property: str | None,
    batch: dict[str, Any],
    relax: dict[str, Any],
) -> tuple[list[Results], np.ndarray]:
    """Relaxes conformers where they are: results in parts, and where those of every Mol begin.

    An error in any of the Mols is raised before one of them was changed.
    """
    check_in_place(batch)
    counts = [_count(mol, label, conf_ids) for mol, label in zip(mols, labels)]
    starts = sums(counts)
    if not starts[-1]:
        return [], starts

    def read(a: int, b: int) -> Conformers:
        return Conformers(mols[a:b], labels[a:b], conf_ids, charge_property)

    ends = _cut(starts, batch)
    parts: list[Conformers] = []
    found: list[Results] = []
    with ThreadPoolExecutor(1) as aside:
        reading = deque(aside.submit(read, a, b) for a, b in zip([0] + ends, ends))
        writing: list[Future[None]] = []
        try:
            while reading:
                begin = len(found)
                parts.append(reading[0].result())
                reading.popleft()
                if not reading:  # nothing is wrong with any of them: what comes may change them
                    _warn(parts)
                    writing = [aside.submit(p.write_back, r) for p, r in zip(parts, found)]
                share = [float(starts[k] / starts[-1]) for k in ([0] + ends)[begin : begin + 2]]
                found.append(_relaxed(parts[-1], batch, _told_of(relax, *share)))
        finally:
            for task in reading:
                task.cancel()
        for written in writing:
            written.result()
    parts[-1].write_back(found[-1])
    return found, starts


def _told_of(relax: dict[str, Any], begin: float, end: float) -> dict[str, Any]:
    """Options of a part of a run, whose progress is that of the whole."""
    tell = relax.get("progress")
    if not callable(tell):
        return relax
    return {**relax, "progress": lambda part, info: tell(begin + part * (end - begin), info)}


def _count(mol: Any, label: str, conf_ids: Sequence[int] | None) -> int:
    """Conformers that are asked for, of a Mol that has some."""
    if mol is None:
        return 0
    check_mol(mol, label)
    return mol.GetNumConformers() if conf_ids is None else len(conf_ids)


def _cut(starts: np.ndarray, batch: dict[str, Any]) -> list[int]:
    """Mols behind the last of every part, all of which have conformers."""
    n, total = len(starts) - 1, int(starts[-1])
    if any(batch.get(name) is not None for name in BY_SYSTEM):
        return [n]
    device = "cpu" if resolve(batch.get("device", "cpu")) == "cpu" else "other"
    if total < CUT_FROM[device]:
        return [n]
    size = max(PART[device], total / PARTS)
    at = size / 2
    ends: list[int] = []
    while at < total:
        k = int(np.searchsorted(starts, at))
        if starts[k] == total:
            break
        ends.append(k)
        at = float(starts[k]) + size
    return [*ends, n]


def _warn(parts: Sequence[Conformers]) -> None:
    """Says what looks wrong with the Mols, once per kind."""
    missing = [text for part in parts for text in part.missing]
    if missing:
        more = f" (and {len(missing) - 1} other Mols)" if len(missing) > 1 else ""
        warnings.warn(missing[0] + more, HydrogenWarning, stacklevel=user_level())
    drawings = [text for text in (part.complaint() for part in parts) if text]
    if drawings:
        warnings.warn(drawings[0], GeometryWarning, stacklevel=user_level())


def _relaxed(part: Conformers, batch: dict[str, Any], relax: dict[str, Any]) -> Results:
    molecules: list[Molecule] = []
    rows: list[list[np.ndarray]] = []  # coordinates by molecule, of one Mol or of several in a row
    for molecule, block in zip(part.molecules, part.blocks):
        if not molecules or molecule is not molecules[-1]:
            molecules.append(molecule)
            rows.append([])
        rows[-1].append(block)
    blocks = [row[0] if len(row) == 1 else np.concatenate(row) for row in rows]
    positions = blocks if len(blocks) > 1 else blocks[0]
    return Batch(molecules, positions=positions, **batch).relax(forces=False, **relax)
