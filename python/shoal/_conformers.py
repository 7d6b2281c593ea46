# SPDX-License-Identifier: BSD-3-Clause
# Coordinates out of the conformers of Mols, through a batch, and back.
"""Conformers of RDKit Mols on their way through a batch."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from rdkit import Chem

from ._lib import ArgumentError
from ._mol import (
    GeometryWarning,
    HydrogenWarning,
    check_mol,
    conformers_of,
    drawing_text,
    missing_hydrogens,
    molecules_of,
    not_finite_text,
    sums,
)
from .batch import Batch
from .device import resolve
from .results import Results

# A run is cut in two where it is worth it: the Mols of the second part are read while the first one
# is computed, and those of the first written back while the second one is.
CUT_FROM = {"cpu": 2000, "other": 20000}  # conformers: a GPU is slow with few
FIRST_PART = 0.25


class Conformers:
    """Conformers of some Mols with their coordinates, and a molecule of each Mol that has any."""

    def __init__(
        self,
        mols: Sequence[Any],
        labels: Sequence[str],
        conf_ids: Sequence[int] | None,
        charge_property: str | None,
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
        self.starts = sums(counts)  # conformers of every Mol
        self.atom_starts = sums(np.repeat(sizes, counts))  # atoms of every conformer
        self.flat = self._flat()
        self._check_finite()
        firsts = [arrays[k] for k, n in zip(self.starts.tolist(), counts) if n]
        there = [k for k, n in enumerate(counts) if n]
        given, named = [mols[k] for k in there], [labels[k] for k in there]
        self.molecules = molecules_of(given, firsts, charge_property, named)
        lacks = (missing_hydrogens(mol, label) for mol, label in zip(given, named))
        self.missing = [text for text in lacks if text]

    def _flat(self) -> list[int]:
        """Conformers all of whose atoms have z = 0, by their number among all."""
        at = self.atom_starts
        maybe = np.flatnonzero(self.positions[at[:-1], 2] == 0.0).tolist()  # by their first atoms
        return [k for k in maybe if not self.positions[at[k] : at[k + 1], 2].any()]

    def _check_finite(self) -> None:
        for atom in np.flatnonzero(~np.isfinite(self.positions).all(axis=1)).tolist()[:1]:
            i, conformer = self[int(np.searchsorted(self.atom_starts, atom, side="right")) - 1]
            where = conformer.GetId(), conformer.GetPositions()
            raise ArgumentError(not_finite_text(self.mols[i], *where, self.labels[i]))

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
    counts = [_count(mol, label, conf_ids) for mol, label in zip(mols, labels)]
    starts = sums(counts)
    if not starts[-1]:
        return [], starts

    def read(a: int, b: int) -> Conformers:
        return Conformers(mols[a:b], labels[a:b], conf_ids, charge_property)

    k = _cut(starts, batch)
    part = read(0, k)
    if k == len(mols):
        _warn([part])
        found = [_relaxed(part, batch, relax)]
        part.write_back(found[0])
        return found, starts
    with ThreadPoolExecutor(1) as aside:
        reading = aside.submit(read, k, len(mols))
        found = [_relaxed(part, batch, relax)]
        rest = reading.result()
        _warn([part, rest])
        writing = aside.submit(part.write_back, found[0])
        found.append(_relaxed(rest, batch, relax))
        writing.result()
    rest.write_back(found[1])
    return found, starts


def _count(mol: Any, label: str, conf_ids: Sequence[int] | None) -> int:
    """Conformers that are asked for, of a Mol that has some."""
    if mol is None:
        return 0
    check_mol(mol, label)
    return mol.GetNumConformers() if conf_ids is None else len(conf_ids)


def _cut(starts: np.ndarray, batch: dict[str, Any]) -> int:
    """How many Mols are computed first; all of them where a cut is not worth it."""
    n = len(starts) - 1
    device = "cpu" if resolve(batch.get("device", "auto")) == "cpu" else "other"
    if int(starts[-1]) < CUT_FROM[device]:
        return n
    k = int(np.searchsorted(starts, FIRST_PART * starts[-1]))
    return n if starts[k] == starts[-1] else k


def _warn(parts: Sequence[Conformers]) -> None:
    """Says what looks wrong with the Mols, once per kind."""
    missing = [text for part in parts for text in part.missing]
    if missing:
        more = f" (and {len(missing) - 1} other Mols)" if len(missing) > 1 else ""
        warnings.warn(missing[0] + more, HydrogenWarning, stacklevel=5)
    drawings = [text for text in (part.drawing() for part in parts) if text]
    if drawings:
        warnings.warn(drawings[0], GeometryWarning, stacklevel=5)


def _relaxed(part: Conformers, batch: dict[str, Any], relax: dict[str, Any]) -> Results:
    blocks = part.blocks()
    positions = blocks if len(blocks) > 1 else blocks[0]
    return Batch(part.molecules, positions=positions, **batch).relax(forces=False, **relax)
