#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Makes the files of data/bench/ with RDKit (fixed seed), and the unit cell of the framework.
"""usage: make_bench_cases.py [DIRECTORY]    (default: data/bench; needs RDKit)"""

import pathlib
import sys

MOLECULES = (
    ("formic_acid", "OC=O"),
    ("xylitol", "OC[C@@H](O)[C@H](O)[C@@H](O)CO"),
    ("ptcda", "O=C1OC(=O)c2ccc3c4ccc5c6c(ccc(c7ccc1c2c73)c64)C(=O)OC5=O"),
    ("imatinib", "Cc1ccc(cc1Nc2nccc(n2)c3cccnc3)NC(=O)c4ccc(cc4)CN5CCN(CC5)C"),
    ("peptide", "AGSAGSAGSA"),
)

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
    (target / "framework.xyz").write_text(make_cell())


if __name__ == "__main__":
    main()
