#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Makes the files of data/bench/ with RDKit (fixed seed), and the unit cell of the framework.
"""usage: make_bench_cases.py [DIRECTORY]    (default: data/bench; needs RDKit)"""

import pathlib
import random
import sys

MOLECULES = (
    ("formic_acid", "OC=O"),
    ("xylitol", "OC[C@@H](O)[C@H](O)[C@@H](O)CO"),
    ("ptcda", "O=C1OC(=O)c2ccc3c4ccc5c6c(ccc(c7ccc1c2c73)c64)C(=O)OC5=O"),
    ("imatinib", "Cc1ccc(cc1Nc2nccc(n2)c3cccnc3)NC(=O)c4ccc(cc4)CN5CCN(CC5)C"),
    ("peptide", "AGSAGSAGSA"),
)

# Molecules of which no two are alike: two substituents on a frame, at random.
FRAMES = (
    "c1ccc({a})cc1{b}", "C1CCC({a})CC1{b}", "c1cc({a})ncc1{b}", "c1sc({a})cc1{b}", "c1oc({a})cc1{b}",
    "C1CC1({a}){b}", "C1NCC({a})CC1{b}", "O=C({a})N{b}", "O=C({a})O{b}", "CC({a})C{b}", "C=C({a})C{b}",
    "C(#C{a})C{b}", "C1OCC({a})O1", "c1[nH]c({a})nc1{b}", "CS(=O)(=O)C({a}){b}", "CC({a})=NO{b}",
    "OC({a})C(N){b}", "CN({a})C(=O)C{b}", "C1CC(=O)C({a})C1{b}", "N#CC({a})C{b}",
)
SUBSTITUENTS = ("C", "CC", "O", "N", "F", "Cl", "OC", "C(=O)O", "CO", "CN", "SC", "C=C", "C#N", "C(C)C", "CCO",
                "NC", "C(N)=O", "CF", "OCC", "CCN", "CS", "C2CC2", "C(F)F", "NC(C)=O")
N_UNLIKE, MOST_OF_A_FRAME = 64, 5
UNLIKE_ATOMS = range(20, 27)

# alpha-cristobalite, P4(1)2(1)2 (Dollase, Z. Kristallogr. 121 (1965) 369), charges +2.4 and -1.2 e.
A, C = 4.978, 6.948
SILICON = (0.3003, 0.3003, 0.0)
OXYGEN = (0.2392, 0.1044, 0.1787)
SYMMETRY = (
    lambda x, y, z: (x, y, z),
    lambda x, y, z: (-x, -y, z + 0.5),
    lambda x, y, z: (0.5 - y, x + 0.5, z + 0.25),
    lambda x, y, z: (y + 0.5, 0.5 - x, z + 0.75),
    lambda x, y, z: (0.5 - x, y + 0.5, 0.25 - z),
    lambda x, y, z: (x + 0.5, 0.5 - y, 0.75 - z),
    lambda x, y, z: (y, x, -z),
    lambda x, y, z: (-y, -x, 0.5 - z),
)


def make_molecule(name, text):
    """Hydrogens added, one ETKDG conformer, relaxed with UFF, Gasteiger charges."""
    from rdkit import Chem
    from rdkit.Chem import AllChem

    mol = Chem.MolFromSequence(text) if name == "peptide" else Chem.MolFromSmiles(text)
    mol = Chem.AddHs(mol)
    if AllChem.EmbedMolecule(mol, randomSeed=2026) != 0:
        raise SystemExit(f"no 3-D structure found for {name}")
    if AllChem.UFFOptimizeMolecule(mol, maxIters=20000) != 0:
        raise SystemExit(f"UFF did not converge for {name}")
    AllChem.ComputeGasteigerCharges(mol)
    mol.SetProp("_Name", name)
    charges = [atom.GetDoubleProp("_GasteigerCharge") for atom in mol.GetAtoms()]
    lines = [" ".join(f"{q:.4f}" for q in charges[k:k + 10]) for k in range(0, len(charges), 10)]
    return Chem.MolToMolBlock(mol) + ">  <partial_charges>\n" + "\n".join(lines) + "\n\n$$$$\n"


def draw_unlike():
    """SMILES and structures of ETKDG; many frames, each a few times."""
    from rdkit import Chem
    from rdkit.Chem import AllChem

    rng, found, used = random.Random(12), {}, {}
    while len(found) < N_UNLIKE:
        frame = rng.choice(FRAMES)
        if used.get(frame, 0) == MOST_OF_A_FRAME:
            continue
        text = frame.format(a=rng.choice(SUBSTITUENTS), b=rng.choice(SUBSTITUENTS))
        mol = Chem.AddHs(Chem.MolFromSmiles(text))
        name = Chem.MolToSmiles(Chem.RemoveHs(mol))
        if (mol.GetNumAtoms() in UNLIKE_ATOMS and name not in found
                and AllChem.EmbedMolecule(mol, randomSeed=2026) == 0):
            found[name] = mol
            used[frame] = used.get(frame, 0) + 1
    return found


def make_unlike():
    """Records without columns that nobody reads."""
    from rdkit import Chem

    lines = []
    for name, mol in draw_unlike().items():
        Chem.Kekulize(mol, clearAromaticFlags=True)
        n_atoms, n_bonds = mol.GetNumAtoms(), mol.GetNumBonds()
        lines += [name, "  tools/make_bench_cases.py", "embedded by RDKit",
                  f"{n_atoms:3d}{n_bonds:3d}  0  0  0  0            999 V2000"]
        for atom, (x, y, z) in zip(mol.GetAtoms(), mol.GetConformer().GetPositions()):
            lines.append(f"{x:10.4f}{y:10.4f}{z:10.4f} {atom.GetSymbol():3s} 0")
        for bond in mol.GetBonds():
            i, j = bond.GetBeginAtomIdx() + 1, bond.GetEndAtomIdx() + 1
            lines.append(f"{i:3d}{j:3d}{int(bond.GetBondTypeAsDouble()):3d}")
        lines += ["M  END", "$$$$"]
    return "\n".join(lines) + "\n"


def images(position):
    found = []
    for move in SYMMETRY:
        image = tuple(round(x % 1.0, 6) % 1.0 for x in move(*position))
        if image not in found:
            found.append(image)
    return found


def make_cell():
    rows = [("Si", 2.4, p) for p in images(SILICON)] + [("O", -1.2, p) for p in images(OXYGEN)]
    lines = [str(len(rows)), f'Lattice="{A} 0 0 0 {A} 0 0 0 {C}" '
             'Properties=species:S:1:pos:R:3:charge:R:1 name=framework pbc="T T T"']
    lines += [f"{s:2s} {x * A:10.6f} {y * A:10.6f} {z * C:10.6f} {q:5.1f}"
              for s, q, (x, y, z) in rows]
    return "\n".join(lines) + "\n"


def main():
    target = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "data/bench")
    target.mkdir(parents=True, exist_ok=True)
    for name, text in MOLECULES:
        (target / f"{name}.sdf").write_text(make_molecule(name, text))
    (target / "unlike.sdf").write_text(make_unlike())
    (target / "framework.xyz").write_text(make_cell())


if __name__ == "__main__":
    main()
