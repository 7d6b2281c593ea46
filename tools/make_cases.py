#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Makes tests/cases/types.sdf and perceive.xyz with RDKit (fixed seeds): labels, energies, valences.
"""usage: make_cases.py [DIRECTORY]    (default: tests/cases; needs RDKit 2022.09)"""

import pathlib
import random
import sys

from rdkit import Chem, RDLogger
from rdkit.Chem import AllChem
from rdkit.Geometry import Point3D

from cases_table import BY_HAND, PERCEIVED, TYPED

SHAKE = 0.03  # angstrom: no case may sit in a minimum, where wrong forces look right


# --- UFF labels, from the rules that RDKit 2022.09 follows ----------------------------------------

FIXED_3 = {12, 13, 14, 15, 50, 51, 52, 81, 82, 83, 84}
TAGS = {
    "+1": ("Cu", "Ag"),
    "+2": ("Be", "Ca", "Mn", "Fe", "Ni", "Pd", "Pt", "Mg", "Zn", "Se", "Cd", "Te", "Hg", "Po"),
    "+3": ("Sc", "Cr", "Co", "Au", "Ga", "As", "In", "Sb", "Tl", "Bi", "La", "Ce", "Gd", "Lu"),
    "+4": ("He", "Ar", "Ti", "Kr", "Xe", "Th", "U"),
    "+5": ("V", "Nb", "Tc", "Ta"),
    "+6": ("Mo",),
}


def digit(atom):
    hyb = str(atom.GetHybridization())
    if atom.GetAtomicNum() in FIXED_3:
        return "3"
    if atom.GetAtomicNum() == 80:
        return "1"
    if hyb == "SP2":
        conjugated = any(bond.GetIsConjugated() for bond in atom.GetBonds())
        resonant = atom.GetSymbol() in "CNOS" and (atom.GetIsAromatic() or conjugated)
        return "R" if resonant else "2"
    return {"SP": "1", "SP3": "3", "SP2D": "4", "SP3D": "5", "SP3D2": "6"}.get(hyb, "")


def tag(atom, geometry):
    symbol, valence = atom.GetSymbol(), atom.GetTotalValence()
    if symbol == "P":
        return "+3" if valence == 3 else "+5"
    if symbol == "S":
        return "" if geometry in "2R" else {2: "+2", 4: "+4"}.get(valence, "+6")
    return next((t for t, symbols in TAGS.items() if symbol in symbols), "")


def label(atom):
    table = Chem.GetPeriodicTable()
    z = atom.GetAtomicNum()
    name = atom.GetSymbol().ljust(2, "_")
    if table.GetDefaultValence(z) != -1 and table.GetNOuterElecs(z) in (1, 7):
        return name
    geometry = digit(atom)
    return name + geometry + tag(atom, geometry)


# --- geometries -----------------------------------------------------------------------------------


def embed(name, smiles):
    mol = Chem.AddHs(Chem.MolFromSmiles(smiles))
    if AllChem.EmbedMolecule(mol, randomSeed=2026) != 0:
        raise SystemExit(f"no 3-D structure found for {name}")
    mol.SetProp("_Name", name)
    return mol


def shake(mol, seed):
    """Moves all atoms a little and rounds to the four decimals of an SD file."""
    rng = random.Random(seed)
    conformer = mol.GetConformer()
    for i in range(mol.GetNumAtoms()):
        old = conformer.GetAtomPosition(i)
        moved = [round(x + rng.uniform(-SHAKE, SHAKE), 4) for x in (old.x, old.y, old.z)]
        conformer.SetAtomPosition(i, Point3D(*moved))


def build(name, case):
    """A molecule from atoms, coordinates and bonds written by hand."""
    mol = Chem.RWMol()
    conformer = Chem.Conformer(len(case["atoms"]))
    for i, (symbol, charge, position) in enumerate(case["atoms"]):
        atom = Chem.Atom(symbol)
        atom.SetFormalCharge(charge)
        atom.SetNoImplicit(True)
        mol.AddAtom(atom)
        conformer.SetAtomPosition(i, Point3D(*position))
    for i, j, order in case["bonds"]:
        mol.AddBond(i, j, {1: Chem.BondType.SINGLE, 9: Chem.BondType.DATIVE}[order])
    mol.AddConformer(conformer)
    mol.SetProp("_Name", name)
    mol.UpdatePropertyCache(strict=False)
    return mol


# --- files ----------------------------------------------------------------------------------------


def write_record(out, mol, fields):
    out.write(Chem.MolToMolBlock(mol))
    for key, value in fields:
        out.write(f">  <{key}>\n{value}\n\n")
    out.write("$$$$\n")


def rdkit_energy(mol):
    """kcal/mol, all pairs beyond 1-3, fragments interact."""
    field = AllChem.UFFGetMoleculeForceField(mol, vdwThresh=1e6, ignoreInterfragInteractions=False)
    return field.CalcEnergy()


def write_types(path):
    with path.open("w") as out:
        for seed, (name, smiles) in enumerate(TYPED):
            mol = embed(name, smiles)
            shake(mol, seed)
            if not AllChem.UFFHasAllMoleculeParams(mol):
                raise SystemExit(f"RDKit cannot type {name}; it belongs to BY_HAND")
            labels = " ".join(label(atom) for atom in mol.GetAtoms())
            energy = f"{rdkit_energy(mol):.12g}"
            write_record(out, mol, [("expect", labels), ("rdkit_kcal", energy)])
        for seed, (name, case) in enumerate(BY_HAND.items()):
            mol = embed(name, case["smiles"]) if "smiles" in case else build(name, case)
            shake(mol, seed)
            write_record(out, mol, [("expect", case["expect"])])


def valence_text(mol):
    """Heavy atoms as symbol, valence, charge, radicals; sorted, so that resonance does not matter."""
    words = []
    for atom in mol.GetAtoms():
        if atom.GetAtomicNum() == 1 and atom.GetDegree() == 1:
            continue
        charge = atom.GetFormalCharge()
        sign = "+" * charge if charge > 0 else "-" * -charge
        radicals = "*" * atom.GetNumRadicalElectrons()
        words.append(f"{atom.GetSymbol()}{atom.GetTotalValence()}{sign}{radicals}")
    return " ".join(sorted(words))


def write_perceived(path):
    with path.open("w") as out:
        for name, smiles in PERCEIVED:
            mol = embed(name, smiles)
            if AllChem.MMFFHasAllMoleculeParams(mol):
                AllChem.MMFFOptimizeMolecule(mol, maxIters=2000)
            else:
                AllChem.UFFOptimizeMolecule(mol, maxIters=2000)
            charge = Chem.GetFormalCharge(mol)
            kekule = Chem.Mol(mol)
            Chem.Kekulize(kekule, clearAromaticFlags=True)
            out.write(f"{mol.GetNumAtoms()}\n")
            out.write(f'name={name} total={charge} expect="{valence_text(kekule)}"\n')
            for atom, (x, y, z) in zip(mol.GetAtoms(), mol.GetConformer().GetPositions()):
                out.write(f"{atom.GetSymbol():2s} {x:9.4f} {y:9.4f} {z:9.4f}\n")


def main():
    RDLogger.DisableLog("rdApp.*")
    target = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/cases")
    write_types(target / "types.sdf")
    write_perceived(target / "perceive.xyz")


if __name__ == "__main__":
    main()
