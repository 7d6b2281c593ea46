#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Make tests/cases/mmff94.sdf with RDKit (fixed seeds): types, charges and energies by MMFF94 and MMFF94s.
usage: make_mmff94_cases.py [FILE]    (needs RDKit 2026.09)"""

import random
import sys

from rdkit import Chem, RDLogger
from rdkit.Chem import AllChem, rdForceFieldHelpers
from rdkit.Geometry import Point3D

SHAKE = 0.05  # angstrom: no case may sit in a minimum, where wrong forces look right

APART = 3.0  # angstrom, between molecules of a case

SMILES = """
CC(O)C=C CC(=O)NC CC#CC=O N#CCN=C C1CC1C1CCC1 C1=CCC1F OC(=O)CCl NC(=O)CBr CC(=O)OCI
CSC(C)=S CS(C)=O CS(=O)(=O)NC C[Si](C)(C)C COP(=O)(O)OC CP(C)C CC=N NN=CC Oc1ccccc1 O
CC(=O)[O-] OS(=O)(=O)C C[NH3+] C[O-] c1ccncc1C c1cc[nH]c1 Nc1ccccc1 c1ccsc1 CC[N+](=O)[O-]
CN=O CN=[N+]=[N-] CN=S(C)(C)=O C[OH2+] C[OH+]C CC(C)=[OH+] C[NH+]=CC NC=[NH2+] NC(N)=[NH2+]
c1cc[nH+]cc1 c1ccoc1 [C-]#[N+]C CS(=O)(=O)[N-]C c1cnc[nH]1 c1ccn[nH]1 C=[N+](C)[O-]
C[N+](C)(C)[O-] c1cc[n+]([O-])cc1 CS CC(=S)[S-] CS(=O)[O-] C=S=O CP=C c1nnn[n-]1
[O-]Cl(=O)(=O)=O c1nc[nH]n1 c1c[nH+]c[nH]1 c1c[n+]([O-])cs1 [Fe+2].O [Fe+3].O [F-].O [Cl-].O
[Br-].O [Li+].O [Na+].O [K+].O [Zn+2].O [Ca+2].O [Cu+].O [Cu+2].O [Mg+2].O CNS(=O)C C1=CC=CC=CC=C1
CC(=O)c1ccc(O)cc1 OCC(O)C(O)CO C1OC1C1NC1 CSSC COO NN CNO C=C=C C=C=O N=NC c1ccc2[nH]ccc2c1
c1ccc2ccccc2c1 C1=CC(=O)C=CC1=O c1nc(N)nc2[nH]cnc12 O=c1cc[nH]c(=O)[nH]1 CN1CCCC1C(=O)O c1cnoc1
CC(=O)N1CCOCC1 COc1ccc(C#N)cc1 FC(F)(F)c1ccccc1 CS(=O)(=O)c1ccccc1 C1CC2CC1C=C2 CON=C c1ccc(-c2ccccc2)cc1
NC(=O)NC(=O)C [O-][N+](=O)[O-] CN(C)N=O COS(=O)OC COS(=O)(=O)[O-] CP(=O)([O-])[O-] CC([S-])=O
C[N+]#N [NH-]c1ccccc1 CC(=O)NC1=CSC=N1 ClC(Cl)=CC#N [H]OC([H])([H])S
"""

# Bonds by rule between atoms without multiple bonds, which are shorter than RDKit's: no energies.
BY_RULE = {"CN=S(C)(C)=O", "C[OH2+]", "C[OH+]C"}


def shaken(smiles, seed):
    mol = Chem.AddHs(Chem.MolFromSmiles(smiles))
    if AllChem.EmbedMolecule(mol, randomSeed=seed) < 0:
        return None
    conf, rng = mol.GetConformer(), random.Random(seed)
    part = {i: k for k, atoms in enumerate(Chem.GetMolFrags(mol)) for i in atoms}
    for i in range(mol.GetNumAtoms()):
        p = conf.GetAtomPosition(i)
        at = [round(x + rng.uniform(-SHAKE, SHAKE), 4) for x in (p.x + APART * part[i], p.y, p.z)]
        conf.SetAtomPosition(i, Point3D(*at))
    return mol


def energy(mol, variant):
    p = rdForceFieldHelpers.MMFFGetMoleculeProperties(mol, mmffVariant=variant)
    field = rdForceFieldHelpers.MMFFGetMoleculeForceField(mol, p, nonBondedThresh=1e9,
                                                           ignoreInterfragInteractions=False)
    return f"{field.CalcEnergy():.8f}"


def main():
    RDLogger.DisableLog("rdApp.*")
    path = sys.argv[1] if len(sys.argv) > 1 else "tests/cases/mmff94.sdf"
    missing = set(range(1, 100)) - {83, 84, 85, 86}
    with Chem.SDWriter(path) as out:
        for seed, smiles in enumerate(SMILES.split(), 1):
            parsed = Chem.MolFromSmiles(smiles)
            mol = shaken(smiles, seed) if parsed else None
            p = rdForceFieldHelpers.MMFFGetMoleculeProperties(mol) if mol else None
            if p is None:
                print("left out:", smiles)
                continue
            n = range(mol.GetNumAtoms())
            types = [p.GetMMFFAtomType(i) for i in n]
            missing -= set(types)
            mol.SetProp("_Name", smiles)
            mol.SetProp("types", " ".join(str(t) for t in types))
            mol.SetProp("charges", " ".join(f"{p.GetMMFFPartialCharge(i):.8g}" for i in n))
            if smiles not in BY_RULE:
                mol.SetProp("mmff94", energy(mol, "MMFF94"))
                mol.SetProp("mmff94s", energy(mol, "MMFF94s"))
            out.write(mol)
    print("types without a case:", sorted(missing))


main()
