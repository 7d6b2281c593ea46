# SPDX-License-Identifier: BSD-3-Clause
# Mols into molecules without coordinates, and conformers into Mols.
"""RDKit Mols on their way to conformers: atoms, bonds and configurations, by way of SMILES."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from rdkit import Chem

from ._lib import ArgumentError, FormatError
from ._mol import called, missing_hydrogens, set_positions
from .molecule import Molecule
from .results import Results

# Numbers of atoms in reasons: "atom 3 (C)", "atoms 3 and 4", "atoms 3, 4 ..", "bond 3-4".
ATOMS = re.compile(r"\b(?:atoms?|bond) \d+(?:(?:-| and |, )\d+)*")


class Embedded:
    """A Mol that is to get conformers: its molecule, whose atom k is atom ``order[k]`` of the Mol.

    molecule is None and reason says why where Shoal cannot read the Mol.
    """

    def __init__(self, mol: Chem.Mol, label: str) -> None:
        if not isinstance(mol, Chem.Mol):
            kind = type(mol).__name__
            raise ArgumentError(f"{label or 'mol'}: expected an RDKit Mol, got {kind}")
        if mol.GetNumAtoms() == 0:
            raise ArgumentError(f"{called(mol, label)}: expected atoms, got none")
        missing = missing_hydrogens(mol, label)
        if missing:
            raise ArgumentError(missing.replace(", addCoords=True", ""))
        self.mol = mol
        self.molecule: Molecule | None = None
        self.reason = ""
        try:
            self._read()
        except (FormatError, ValueError) as error:
            self.reason = str(error)

    def _read(self) -> None:
        """By a SMILES with all atoms in brackets and single, double and triple bonds alone: it
        states atoms, charges and configurations, and leaves nothing to be guessed."""
        plain = Chem.Mol(self.mol)
        Chem.Kekulize(plain, clearAromaticFlags=True)
        smiles = Chem.MolToSmiles(plain, canonical=False, kekuleSmiles=True, allHsExplicit=True)
        told = plain.GetPropsAsDict(True, True)["_smilesAtomOutputOrder"]
        order = np.array(list(told), dtype=int)
        molecule = Molecule.from_smiles(smiles)
        atoms = [self.mol.GetAtomWithIdx(k) for k in order.tolist()]
        if molecule.numbers.tolist() != [atom.GetAtomicNum() for atom in atoms]:
            raise ArgumentError(f"{smiles} has other atoms than the Mol")
        molecule.radicals = [atom.GetNumRadicalElectrons() for atom in atoms]
        molecule.name = self.mol.GetProp("_Name") if self.mol.HasProp("_Name") else ""
        self.molecule, self.order = molecule, order

    def write(self, results: Results | None, rows: range, relax: bool) -> list[int]:
        """Conformers that were found take the place of those of the Mol; their ids."""
        self.mol.RemoveAllConformers()
        self.mol.ClearProp("reason")
        ids = []
        for k in rows:
            assert results is not None
            if np.isfinite(results.energy[k]):
                ids.append(self._add(results, k, relax))
            else:
                self.reason = self.reason or self._renumbered(results.reason[k])
        if not ids:
            self.mol.SetProp("reason", self.reason)
        return ids

    def _renumbered(self, reason: str) -> str:
        """A reason with the numbers that the atoms have in the Mol."""

        def theirs(found: re.Match[str]) -> str:
            return re.sub(r"\d+", lambda digits: str(self.order[int(digits[0])]), found[0])

        return ATOMS.sub(theirs, reason)

    def _add(self, results: Results, k: int, relax: bool) -> int:
        places = np.empty((len(self.order), 3))
        places[self.order] = results.positions[k]
        conformer = Chem.Conformer(len(places))
        set_positions(conformer, places)
        conformer.Set3D(True)
        if relax:
            conformer.SetDoubleProp("energy", float(results.energy[k]))
            conformer.SetProp("status", str(results.status[k]))
        return int(self.mol.AddConformer(conformer, assignId=True))


def molecules_of(found: Sequence[Embedded | None]) -> list[Molecule]:
    """Those that can be embedded, one after the other."""
    return [one.molecule for one in found if one is not None and one.molecule is not None]


def write_all(
    found: Sequence[Embedded | None], results: Results | None, n: int, relax: bool
) -> list[list[int]]:
    """Ids of the conformers of every Mol, of which results has n rows if it could be read."""
    out: list[list[int]] = []
    row = 0
    for one in found:
        size = n if one is not None and one.molecule is not None else 0
        out.append([] if one is None else one.write(results, range(row, row + size), relax))
        row += size
    return out
