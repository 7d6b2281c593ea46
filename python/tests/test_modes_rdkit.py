# SPDX-License-Identifier: BSD-3-Clause
"""Frequencies against differences of RDKit's forces with the same force field."""

import numpy as np
import pytest

import shoal

pytest.importorskip("rdkit")
from rdkit import Chem  # noqa: E402
from rdkit.Chem import AllChem, rdForceFieldHelpers  # noqa: E402

EV = 96.48533212 / 4.184  # kcal/mol
WAVENUMBER = 521.4708983725  # cm-1 of 1 eV/A^2/amu
MOLECULES = {
    "water": "O",
    "carbon dioxide": "O=C=O",
    "benzene": "c1ccccc1",
    "ethanol": "CCO",
    "acetylene": "C#C",
    "alanine": "C[C@H](N)C(=O)O",
    "dimethyl sulfoxide": "CS(C)=O",
}


def forces(mol, positions):
    """eV/A; the force field is made where the atoms are: its lists of pairs depend on that."""
    conformer = mol.GetConformer()
    for i, p in enumerate(positions.reshape(-1, 3)):
        conformer.SetAtomPosition(i, [float(x) for x in p])
    field = rdForceFieldHelpers.UFFGetMoleculeForceField(mol, vdwThresh=100.0)
    return -np.array(field.CalcGrad()) / EV


def frequencies(mol, positions, step=1e-3):
    """All 3 n of them, nothing taken out."""
    x = np.array(positions).ravel()
    hessian = np.zeros((len(x), len(x)))
    for i, e in enumerate(step * np.eye(len(x))):
        hessian[i] = (forces(mol, x - e) - forces(mol, x + e)) / (2 * step)
    masses = np.repeat([atom.GetMass() for atom in mol.GetAtoms()], 3)
    weighed = (hessian + hessian.T) / 2 / np.sqrt(np.outer(masses, masses))
    values = np.linalg.eigvalsh(weighed)
    return np.sign(values) * np.sqrt(np.abs(values)) * WAVENUMBER


@pytest.mark.parametrize("name", MOLECULES)
def test_frequencies_are_those_of_rdkit(name):
    mol = Chem.AddHs(Chem.MolFromSmiles(MOLECULES[name]))
    assert AllChem.EmbedMolecule(mol, randomSeed=7) == 0
    found = shoal.Batch(shoal.Molecule.from_rdkit(mol), device="cpu").modes()
    assert (found.status[0], found.verdict[0]) == ("converged", "minimum")
    theirs = sorted(frequencies(mol, found.positions[0]), key=abs)
    assert np.abs(theirs[: found.removed[0]]).max() < 3  # of the molecule as a whole
    assert found.frequencies[0] == pytest.approx(sorted(theirs[found.removed[0] :]), abs=0.5)
