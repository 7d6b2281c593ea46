# SPDX-License-Identifier: BSD-3-Clause
# Frequencies against differences of RDKit's forces with the same force field.
import tempfile

from program import equal, finish, near, run_json, skip, write

try:
    import numpy
    from rdkit import Chem
    from rdkit.Chem import AllChem, rdForceFieldHelpers
except ImportError as missing:
    skip(f"{missing}: RDKit computes the other frequencies")

EV = 96.48533212 / 4.184  # kcal/mol
WAVENUMBER = 521.4708983725  # cm-1 of 1 eV/A^2/amu
MOLECULES = {"water": "O", "carbon dioxide": "O=C=O", "benzene": "c1ccccc1", "ethanol": "CCO", "acetylene": "C#C",
             "alanine": "C[C@H](N)C(=O)O", "dimethyl sulfoxide": "CS(C)=O"}


def make(smiles):
    molecule = Chem.AddHs(Chem.MolFromSmiles(smiles))
    AllChem.EmbedMolecule(molecule, randomSeed=7)
    return molecule


def forces(molecule, positions):
    """eV/A; the force field is made where the atoms are, since its lists of pairs depend on that."""
    conformer = molecule.GetConformer()
    for i, p in enumerate(positions.reshape(-1, 3)):
        conformer.SetAtomPosition(i, [float(x) for x in p])
    field = rdForceFieldHelpers.UFFGetMoleculeForceField(molecule, vdwThresh=100.0)
    return -numpy.array(field.CalcGrad()) / EV


def frequencies(molecule, positions, step=1e-3):
    """All 3 n of them, nothing taken out."""
    x = numpy.array(positions).ravel()
    n = len(x)
    hessian = numpy.zeros((n, n))
    for i in range(n):
        e = numpy.zeros(n)
        e[i] = step
        hessian[i] = (forces(molecule, x - e) - forces(molecule, x + e)) / (2 * step)
    masses = numpy.repeat([atom.GetMass() for atom in molecule.GetAtoms()], 3)
    values = numpy.linalg.eigvalsh((hessian + hessian.T) / 2 / numpy.sqrt(numpy.outer(masses, masses)))
    return numpy.sign(values) * numpy.sqrt(numpy.abs(values)) * WAVENUMBER


with tempfile.TemporaryDirectory() as directory:
    worst = 0.0
    for name, smiles in MOLECULES.items():
        molecule = make(smiles)
        path = write(directory, "in.sdf", Chem.MolToMolBlock(molecule) + "$$$$\n")
        (row,) = run_json("modes", "--json", "-q", "--positions", path)
        equal((row["status"], row["verdict"]), ("converged", "minimum"), name)
        theirs = sorted(frequencies(molecule, row["positions"]), key=abs)
        for k in range(row["removed"]):
            near(theirs[k], 0, 3, f"{name}: RDKit's motion {k} of the whole")
        mine, theirs = row["frequencies_cm1"], sorted(theirs[row["removed"]:])
        equal(len(mine), len(theirs), f"{name}: number of modes")
        for a, b in zip(mine, theirs):
            near(a, b, 0.5, f"{name}: frequency")
            worst = max(worst, abs(a - b))
    print(f"largest difference {worst:.4f} cm-1")
finish()
