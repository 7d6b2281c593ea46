#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Makes tests/cases/ions.xyz with RDKit (fixed seeds): ions, salts and neutral molecules with charged atoms.
"""usage: make_ions.py [FILE]    (default: tests/cases/ions.xyz)"""

import pathlib
import sys

from rdkit import Chem, RDLogger
from rdkit.Chem import AllChem

APART = 3.6  # angstrom between the ions of a salt

IONS = """
nitrite [O-]N=O
imidazolide c1c[n-]cn1
pyrrolide c1cc[n-]c1
tetrazolide c1nnn[n-]1
sulfite [O-]S(=O)[O-]
azide [N-]=[N+]=[N-]
chlorate [O-]Cl(=O)=O
cyanide [C-]#N
carbonate [O-]C(=O)[O-]
nitrate [O-][N+](=O)[O-]
phosphate [O-]P(=O)([O-])[O-]
dihydrogenphosphate OP(=O)([O-])O
mesylate CS(=O)(=O)[O-]
acetate CC(=O)[O-]
formate [O-]C=O
oxalate [O-]C(=O)C(=O)[O-]
ammonium [NH4+]
guanidinium NC(N)=[NH2+]
imidazolium c1c[nH]c[nH+]1
pyridinium c1cc[nH+]cc1
thiocyanate [S-]C#N
cyanate [O-]C#N
perchlorate [O-]Cl(=O)(=O)=O
hypochlorite [O-]Cl
hydroxide [OH-]
hydronium [OH3+]
enolate C=C[O-]
phenolate [O-]c1ccccc1
methanethiolate C[S-]
acetylide C#[C-]
cyclopentadienyl [CH-]1C=CC=C1
tropylium [cH+]1cccccc1
iminium C=[NH2+]
iminium2 CC=[N+](C)C
glycine_zw [NH3+]CC(=O)[O-]
diazomethane C=[N+]=[N-]
tmao C[N+](C)(C)[O-]
pyridine_no [O-][n+]1ccccc1
nitromethane C[N+](=O)[O-]
nitrile_oxide CC#[N+][O-]
isocyanide C[N+]#[C-]
methyl_azide CN=[N+]=[N-]
dmso CS(C)=O
sulfone CS(C)(=O)=O
phosphine_oxide CP(C)(C)=O
co [C-]#[O+]
nitrosonium N#[O+]
superoxide [O][O-]
4apno Nc1cc[n+]([O-])cc1
furoxan Cc1no[n+]([O-])c1C
2mpno Sc1cccc[n+]1[O-]
sulfate [O-]S(=O)(=O)[O-]
bisulfate OS(=O)(=O)[O-]
thiosulfate [O-]S(=O)(=O)[S-]
bisulfite [O-]S(=O)O
bf4 F[B-](F)(F)F
borohydride [BH4-]
tma C[N+](C)(C)C
sulfonium C[S+](C)C
phosphonium C[P+](C)(C)C
acylium CC#[O+]
pyrylium c1cc[o+]cc1
diazonium N#[N+]c1ccccc1
nitronium O=[N+]=O
amide [NH2-]
hydride [H-]
fluoride [F-]
chloride [Cl-]
sodium [Na+]
magnesium [Mg+2]
nacl [Na+].[Cl-]
naoac CC(=O)[O-].[Na+]
nh4cl [NH4+].[Cl-]
carbanion C[CH-]C(C)=O
aci_nitromethane [CH2-][N+](=O)[O-]
vinamidinium CC(C)=NC=[N+](C)C
dicyanamide N#C[N-]C#N
tricyanomethanide N#C[C-](C#N)C#N
tfsi O=S(=O)([N-]S(=O)(=O)C(F)(F)F)C(F)(F)F
triflate FC(F)(F)S(=O)(=O)[O-]
quinone O=C1C=CC(=O)C=C1
nitrophenolate [O-]c1ccc(cc1)[N+](=O)[O-]
benzoate O=C([O-])c1ccccc1
picolinic_zw [nH+]1ccccc1C(=O)[O-]
paraquat C[n+]1ccc(cc1)-c1cc[n+](C)cc1
succinimidide O=C1[N-]C(=O)CC1
diketonate [O-]C1=CC(=O)CC1
acac CC([O-])=CC(C)=O
nmepy C[N+]1=CC=CC=C1
dmim Cn1cc[n+](C)c1
periodate [O-][I+3]([O-])([O-])[O-]
bromate [O-]Br(=O)=O
diphosphate [O-]P(=O)([O-])OP(=O)([O-])[O-]
phosphonate CP(=O)([O-])O
dithiophosphate CCOP(=S)([S-])OCC
dithiocarbamate S=C([S-])N(C)C
diazotate [O-]N=Nc1ccccc1
benzotriazolide c1ccc2[n-]nnc2c1
purinide [n-]1cnc2cncnc21
uracilide O=c1cc[n-]c(=O)[nH]1
pyrimidinolate [O-]c1ncncc1
oxocarbenium C=[O+]C
benzyl_cation c1ccccc1[CH2+]
benzyl_anion c1ccccc1[CH2-]
methanide [CH3-]
tbutyl_cation C[C+](C)C
peroxide_anion [O-]OC
co2 O=C=O
ozone [O-][O+]=O
n2o N#[N+][O-]
nhc_zw CN1C=C[N+](C)=[C-]1
histidine_zw [NH3+]C(Cc1c[nH]cn1)C(=O)[O-]
taurine_zw [NH3+]CCS(=O)(=O)[O-]
betaine C[N+](C)(C)CC(=O)[O-]
nitropyridine_no [O-][n+]1ccc([N+](=O)[O-])cc1
phenyl_azide c1ccc(cc1)N=[N+]=[N-]
pbn_nitrone CC(C)(C)[N+]([O-])=Cc1ccccc1
azoxybenzene [O-][N+](c1ccccc1)=Nc1ccccc1
diazoketone N#CC(=[N+]=[N-])C(C)=O
sif6 F[Si-2](F)(F)(F)(F)F
selenocyanate [Se-]C#N
arsenate [As](=O)([O-])([O-])[O-]
icl2 Cl[I-]Cl
triiodide I[I-]I
bph4 [B-](c1ccccc1)(c1ccccc1)(c1ccccc1)c1ccccc1
phenyl_isocyanide [C-]#[N+]c1ccccc1
picrate [O-]c1c([N+](=O)[O-])cc([N+](=O)[O-])cc1[N+](=O)[O-]
guaninide Nc1nc(=O)c2nc[n-]c2[nH]1
diazoacetone CC(=O)C=[N+]=[N-]
oximate [O-]/N=C/c1ccccc1
pyrrolidinium C1CC[NH2+]C1
hydrogenfumarate [O-]C(=O)/C=C/C(=O)O
allyl_cation_ether C=C[CH+]CCOC
allyl_anion_ether C=C[CH-]CCOC
allyl_radical_ether C=C[CH]CCOC
allyl_cation_diether [CH2+]C=CCCOCCOC
peptide_anion [NH3+]CC(=O)NCC(=O)NC(CC(=O)[O-])C(=O)[O-]
nitro_ether_anion [O-]C(=O)CCOCC(=O)NCC[N+](=O)[O-]
malachite_green CN(C)c1ccc(cc1)C(c1ccccc1)=C1C=CC(=[N+](C)C)C=C1
methylene_blue CN(C)c1ccc2nc3ccc(cc3[s+]c2c1)N(C)C
"""


def embed(smiles):
    mol = Chem.AddHs(Chem.MolFromSmiles(smiles))
    if AllChem.EmbedMolecule(mol, randomSeed=7) != 0:
        AllChem.EmbedMolecule(mol, randomSeed=7, useRandomCoords=True)
    conformer = mol.GetConformer()
    fragments = Chem.GetMolFrags(mol)
    for k, atoms in enumerate(fragments):
        reach = max(conformer.GetAtomPosition(i).x for i in fragments[0])
        for i in atoms:
            at = conformer.GetAtomPosition(i)
            at.x += k * (reach + APART)
            conformer.SetAtomPosition(i, at)
    if len(fragments) == 1 and AllChem.MMFFHasAllMoleculeParams(mol):
        AllChem.MMFFOptimizeMolecule(mol)
    return mol


def main():
    RDLogger.DisableLog("rdApp.*")
    top = pathlib.Path(__file__).resolve().parents[1]
    path = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else top / "tests" / "cases" / "ions.xyz"
    with path.open("w") as out:
        for line in IONS.split("\n"):
            if not line:
                continue
            name, smiles = line.split()
            mol = embed(smiles)
            out.write(f"{mol.GetNumAtoms()}\nname={name} charge={Chem.GetFormalCharge(mol)}\n")
            for atom, at in zip(mol.GetAtoms(), mol.GetConformer().GetPositions()):
                out.write("%s %.3f %.3f %.3f\n" % (atom.GetSymbol(), *at))


main()
