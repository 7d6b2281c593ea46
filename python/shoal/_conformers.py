# SPDX-License-Identifier: BSD-3-Clause
# Coordinates out of the conformers of Mols, through a batch, and back.
"""Conformers of RDKit Mols on their way through a batch."""

from __future__ import annotations

import os
import warnings
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
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
    molecule_of,
)
from .batch import Batch
from .device import resolve
from .molecule import Molecule
from .results import Results

# A large run is cut in two: the coordinates of the second part are read while the first one is
# computed, and those of the first written back while the second one is.
CUT_FROM = 20000  # conformers
FIRST_PART = 0.25


class Conformers:
    """Conformers of some Mols with their coordinates; a None among the Mols has none."""

    def __init__(
        self, mols: Sequence[Any], conf_ids: Sequence[int] | None, labels: Sequence[str]
    ) -> None:
        self.mols, self.labels = mols, labels
        self.lists: list[list[Chem.Conformer]] = [
            [] if mol is None else conformers_of(mol, conf_ids, label)
            for mol, label in zip(mols, labels)
        ]
        take = Chem.Conformer.GetPositions
        arrays = [take(conformer) for conformers in self.lists for conformer in conformers]
        self.positions = np.concatenate(arrays) if arrays else np.zeros((0, 3))
        counts = [len(conformers) for conformers in self.lists]
        sizes = [0 if mol is None else mol.GetNumAtoms() for mol in mols]
        self.starts = _sums(counts)  # conformers of every Mol
        self.atom_starts = _sums(np.repeat(sizes, counts))  # atoms of every conformer
        self.flat = self._flat()

    def _flat(self) -> list[int]:
        """Conformers all of whose atoms have z = 0, by their number among all."""
        if not len(self.positions):
            return []
        depth = np.maximum.reduceat(np.abs(self.positions[:, 2]), self.atom_starts[:-1])
        return np.flatnonzero(depth == 0.0).tolist()

    def __getitem__(self, k: int) -> tuple[int, Chem.Conformer]:
        """The number of its Mol and a conformer, by its number among all."""
        i = int(np.searchsorted(self.starts, k, side="right")) - 1
        return i, self.lists[i][k - int(self.starts[i])]

    def drawing(self) -> str:
        """What to say of the first conformer that is a drawing; "" where none is."""
        for k in self.flat:
            i, conformer = self[k]
            if not conformer.Is3D():
                return drawing_text(self.mols[i], conformer.GetId(), self.labels[i])
        return ""

    def blocks(self) -> list[np.ndarray]:
        """Coordinates by Mol, [n_conformers, n_atoms, 3] each, without Mols that have none."""
        at = self.atom_starts[self.starts].tolist()
        counts = np.diff(self.starts).tolist()
        return [self.positions[a:b].reshape(n, -1, 3) for a, b, n in zip(at, at[1:], counts) if n]

    def write_back(self, results: Results) -> None:
        """Moves the conformers to where a run left them; those that failed stay."""
        positions = results.positions.flat
        sound = np.isfinite(results.energy)
        at = self.atom_starts[self.starts].tolist()
        put = Chem.Conformer.SetPositions
        for i, conformers in enumerate(self.lists):
            if not conformers:
                continue
            block = positions[at[i] : at[i + 1]].reshape(len(conformers), -1, 3)
            good = sound[self.starts[i] : self.starts[i + 1]]
            if good.all():
                deque(map(put, conformers, block), maxlen=0)
            else:
                for k in np.flatnonzero(good).tolist():
                    put(conformers[k], block[k])
        for k in self.flat:
            if positions[self.atom_starts[k] : self.atom_starts[k + 1], 2].any():
                self[k][1].Set3D(True)


def _sums(counts: Any) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])


def relax_in_place(
    mols: Sequence[Any],
    labels: Sequence[str],
    conf_ids: Sequence[int] | None,
    charge_property: str | None,
    batch: dict[str, Any],
    relax: dict[str, Any],
) -> tuple[list[Results], np.ndarray]:
    """Relaxes conformers where they are: results in parts, and where those of every Mol begin."""
    molecules = _typed(mols, labels, conf_ids, charge_property)
    counts = [
        0 if mol is None else mol.GetNumConformers() if conf_ids is None else len(conf_ids)
        for mol in mols
    ]
    starts = _sums(counts)
    if not starts[-1]:
        return [], starts
    cuts = _cuts(starts, batch)
    with ThreadPoolExecutor(1) as aside:
        ahead = _read(aside, mols, conf_ids, labels, cuts[0], len(cuts) > 1)
        found: list[Results] = []
        writing: list[Future[None]] = []
        for k, (a, b) in enumerate(cuts):
            part = ahead.result()
            if k + 1 < len(cuts):
                ahead = _read(aside, mols, conf_ids, labels, cuts[k + 1], True)
            _warn(part.drawing(), GeometryWarning)
            found.append(_relaxed(molecules[a:b], part, batch, relax))
            if k + 1 < len(cuts):
                writing.append(aside.submit(part.write_back, found[-1]))
            else:
                part.write_back(found[-1])
        for each in writing:
            each.result()
    return found, starts


def _typed(
    mols: Sequence[Any],
    labels: Sequence[str],
    conf_ids: Sequence[int] | None,
    charge_property: str | None,
) -> list[Molecule | None]:
    """A molecule for every Mol, however many conformers it has; bad Mols are refused here."""
    molecules: list[Molecule | None] = []
    missing = []
    for mol, label in zip(mols, labels):
        if mol is None:
            molecules.append(None)
            continue
        check_mol(mol, label)
        first = conformers_of(mol, conf_ids, label)[:1] if conf_ids else [mol.GetConformer()]
        molecules.append(molecule_of(mol, first[0].GetPositions(), charge_property, label))
        lack = missing_hydrogens(mol, label)
        if lack:
            missing.append(lack)
    if missing:
        more = f" (and {len(missing) - 1} other Mols)" if len(missing) > 1 else ""
        _warn(missing[0] + more, HydrogenWarning)
    return molecules


def _warn(text: str, category: type[Warning]) -> None:
    if text:
        warnings.warn(text, category, stacklevel=5)


def _cuts(starts: np.ndarray, batch: dict[str, Any]) -> list[tuple[int, int]]:
    """Mols of the parts of a run: two where that hides the work of Python behind the device."""
    n = len(starts) - 1
    busy = resolve(batch.get("device", "auto")) == "cpu" and (os.cpu_count() or 1) < 4
    if int(starts[-1]) < CUT_FROM or busy:
        return [(0, n)]
    k = int(np.searchsorted(starts, FIRST_PART * starts[-1]))
    if starts[k] in (0, starts[-1]):
        return [(0, n)]
    return [(0, k), (k, n)]


def _read(
    aside: ThreadPoolExecutor,
    mols: Sequence[Any],
    conf_ids: Sequence[int] | None,
    labels: Sequence[str],
    cut: tuple[int, int],
    threaded: bool,
) -> Future[Conformers]:
    """Coordinates of some Mols, read in another thread."""
    a, b = cut
    if threaded:
        return aside.submit(Conformers, mols[a:b], conf_ids, labels[a:b])
    done: Future[Conformers] = Future()
    done.set_result(Conformers(mols[a:b], conf_ids, labels[a:b]))
    return done


def _relaxed(
    molecules: Sequence[Molecule | None],
    part: Conformers,
    batch: dict[str, Any],
    relax: dict[str, Any],
) -> Results:
    present = [molecule for molecule in molecules if molecule is not None]
    blocks = part.blocks()
    positions = blocks if len(blocks) > 1 else blocks[0]
    return Batch(present, positions=positions, **batch).relax(forces=False, **relax)
