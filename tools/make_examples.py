#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Makes the files of examples/: demo.sdf with RDKit (fixed seed), the periodic ones by arithmetic.
"""usage: make_examples.py [DIRECTORY]    (default: examples)"""

import math
import pathlib
import sys

MOLECULES = (
    ("water", "O"),
    ("ethanol", "CCO"),
    ("benzene", "c1ccccc1"),
    ("trimethyl phosphate", "COP(=O)(OC)OC"),
    ("sulfanilamide", "Nc1ccc(cc1)S(=O)(=O)N"),
    ("aspirin", "CC(=O)Oc1ccccc1C(=O)O"),
    ("alanine dipeptide", "CC(=O)N[C@@H](C)C(=O)NC"),
    ("xylitol", "OC[C@@H](O)[C@H](O)[C@@H](O)CO"),
    ("caffeine", "Cn1cnc2c1c(=O)n(C)c(=O)n2C"),
    ("adamantane", "C1C2CC3CC1CC(C2)C3"),
    ("PTCDA", "O=C1OC(=O)c2ccc3c4ccc5c6c(ccc(c7ccc1c2c73)c64)C(=O)OC5=O"),
    ("imatinib", "Cc1ccc(cc1Nc2nccc(n2)c3cccnc3)NC(=O)c4ccc(cc4)CN5CCN(CC5)C"),
)


def write_demo(path):
    """Hydrogens added, one ETKDG conformer, relaxed with MMFF94: near the UFF minimum, not in it."""
    from rdkit import Chem
    from rdkit.Chem import AllChem

    with path.open("w") as out:
        for name, smiles in MOLECULES:
            mol = Chem.AddHs(Chem.MolFromSmiles(smiles))
            if AllChem.EmbedMolecule(mol, randomSeed=2026) != 0:
                raise SystemExit(f"no 3-D structure found for {name}")
            if AllChem.MMFFOptimizeMolecule(mol, maxIters=5000) != 0:
                raise SystemExit(f"MMFF94 did not converge for {name}")
            mol.SetProp("_Name", name)
            out.write(Chem.MolToMolBlock(mol))
            out.write(f">  <SMILES>\n{smiles}\n\n$$$$\n")


def write_extxyz(path, name, cell, pbc, atoms):
    lattice = " ".join(f"{x:.6f}" for row in cell for x in row)
    with path.open("w") as out:
        out.write(f"{len(atoms)}\n")
        out.write(f'Lattice="{lattice}" Properties=species:S:1:pos:R:3 name={name} pbc="{pbc}"\n')
        for symbol, position in atoms:
            out.write(f"{symbol:2s}" + "".join(f" {x:12.6f}" for x in position) + "\n")


def write_graphene(path):
    """2 x 2 cells of graphene, C-C 1.42 A, 20 A of vacuum."""
    a = 1.42 * math.sqrt(3.0)
    a1, a2 = (a, 0.0), (a / 2.0, 1.5 * 1.42)
    atoms = []
    for i in range(2):
        for j in range(2):
            x, y = i * a1[0] + j * a2[0], i * a1[1] + j * a2[1]
            atoms.append(("C", (x, y, 10.0)))
            atoms.append(("C", (x + a / 2.0, y + 0.71, 10.0)))
    cell = ((2 * a1[0], 0.0, 0.0), (2 * a2[0], 2 * a2[1], 0.0), (0.0, 0.0, 20.0))
    write_extxyz(path, "graphene", cell, "T T F", atoms)


def write_polyethylene(path):
    """An endless all-trans chain along c: eight CH2 per cell, the last bond crosses the border."""
    cc, ch, ccc, hch = 1.53, 1.09, math.radians(112.0), math.radians(107.0)
    half_c, half_x = cc * math.sin(ccc / 2), cc * math.cos(ccc / 2) / 2
    atoms = []
    for i in range(8):
        side = 1.0 if i % 2 == 0 else -1.0
        z = (i + 0.5) * half_c
        atoms.append(("C", (side * half_x, 0.0, z)))
        dx, dy = ch * math.cos(hch / 2), ch * math.sin(hch / 2)
        atoms.append(("H", (side * (half_x + dx), dy, z)))
        atoms.append(("H", (side * (half_x + dx), -dy, z)))
    cell = ((15.0, 0.0, 0.0), (0.0, 15.0, 0.0), (0.0, 0.0, 8 * half_c))
    write_extxyz(path, "polyethylene", cell, "F F T", atoms)


def main():
    target = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "examples")
    write_demo(target / "demo.sdf")
    write_graphene(target / "graphene.xyz")
    write_polyethylene(target / "polyethylene.xyz")


if __name__ == "__main__":
    main()
