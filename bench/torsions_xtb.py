# SPDX-License-Identifier: BSD-3-Clause
# Ten torsions of drug-like molecules, scanned by GFN2-xTB, and what shoal fit bonded makes of them.
"""torsions_xtb.py SHOAL [--scans DIR] [--forcefield NAME] [--points N]

Scans are relaxed with the torsion held (ASE, tblite) and kept in DIR, where they are found again. Printed are the errors
of the force field and of the fit over the scan, kcal/mol, and the seconds that the fit took. Needs RDKit, ASE and tblite for
new scans; without them, and without scans, the script says so and ends with 77.
"""

import argparse
import json
import pathlib
import subprocess
import sys

KCAL = 4184 / 96485.332  # eV, of joules and coulombs in a mole
MOLECULES = (  # name, SMILES, SMARTS of the four atoms
    ("biphenyl", "c1ccccc1-c1ccccc1", "cc-!@cc"),
    ("phenylpyrimidine", "c1ccccc1-c1ncccn1", "cc-!@cn"),
    ("acetanilide", "CC(=O)Nc1ccccc1", "C(=O)Ncc"),
    ("benzamide", "NC(=O)c1ccccc1", "O=C-!@cc"),
    ("anisole", "COc1ccccc1", "[CH3]Occ"),
    ("thioanisole", "CSc1ccccc1", "[CH3]Scc"),
    ("ethylbenzene", "CCc1ccccc1", "[CH3][CH2]cc"),
    ("methoxyethane", "CCOC", "[CH3][CH2]O[CH3]"),
    ("methylsulfonamide", "CNS(=O)(=O)C", "[CH3]NS[CH3]"),
    ("methylacetate", "COC(C)=O", "[CH3]OC=O"),
)


def ends_of(mol, smarts):
    from rdkit import Chem

    found = mol.GetSubstructMatch(Chem.MolFromSmarts(smarts))
    bonds = {"C(=O)Ncc": (0, 2, 3, 4), "O=C-!@cc": (0, 1, 2, 3), "[CH3]OC=O": (0, 1, 2, 3)}
    return [found[k] for k in bonds.get(smarts, (0, 1, 2, 3))]


def scan(name, smiles, smarts, points, path):
    from ase import Atoms
    from ase.constraints import FixInternals
    from ase.optimize import BFGS
    from rdkit import Chem
    from rdkit.Chem import AllChem, rdMolTransforms
    from tblite.ase import TBLite

    mol = Chem.AddHs(Chem.MolFromSmiles(smiles))
    AllChem.EmbedMolecule(mol, randomSeed=7)
    AllChem.MMFFOptimizeMolecule(mol)
    at = ends_of(mol, smarts)
    symbols = [a.GetSymbol() for a in mol.GetAtoms()]
    text, conformer = "", mol.GetConformer()
    for k in range(points):
        angle = -180.0 + 360.0 * k / points
        rdMolTransforms.SetDihedralDeg(conformer, *at, angle)
        atoms = Atoms(symbols, conformer.GetPositions())
        atoms.calc = TBLite(method="GFN2-xTB", verbosity=0)
        atoms.set_constraint(FixInternals(dihedrals_deg=[[atoms.get_dihedral(*at), at]]))
        BFGS(atoms, logfile=None).run(fmax=0.03, steps=150)
        energy = atoms.get_potential_energy(force_consistent=False)
        text += f"{len(atoms)}\nProperties=species:S:1:pos:R:3 energy={energy:.8f} hold=\"{','.join(map(str, at))}\" name={name}\n"
        text += "".join(f"{s} {x:.6f} {y:.6f} {z:.6f}\n" for s, (x, y, z) in zip(symbols, atoms.positions))
    path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shoal")
    parser.add_argument("--scans", default="torsion_scans")
    parser.add_argument("--forcefield", default="uff")
    parser.add_argument("--points", type=int, default=24)
    o = parser.parse_args()
    folder = pathlib.Path(o.scans)
    folder.mkdir(parents=True, exist_ok=True)
    for name, smiles, smarts in MOLECULES:
        path = folder / f"{name}.xyz"
        if path.is_file():
            continue
        try:
            scan(name, smiles, smarts, o.points, path)
        except ImportError as error:
            print(f"skipped: no scans in {folder}, and {error.name} is not installed")
            return 77
    worst = 0.0
    print(f"{'torsion':20}{'points':>8}{'before':>10}{'fitted':>10}{'seconds':>10}   kcal/mol, {o.forcefield}")
    for name, _, _ in MOLECULES:
        path = folder / f"{name}.xyz"
        hold = path.read_text().split('hold="')[1].split('"')[0]
        bond = ",".join(hold.split(",")[1:3])
        done = subprocess.run([o.shoal, "fit", "bonded", path, "--forcefield", o.forcefield, "--by-bond", "--bond", bond, "--hold", hold,
                               "--periods", "6", "--freedom", "3", "--json", "-o", folder / f"{name}.tsv"], capture_output=True, text=True)
        if done.returncode not in (0, 1):
            print(f"{name:20} {done.stderr.strip()}")
            worst = float("inf")
            continue
        r = json.loads(done.stdout)
        worst = max(worst, r["rmse"] / KCAL)
        print(f"{name:20}{r['geometries']:8d}{r['rmse_before'] / KCAL:10.3f}{r['rmse'] / KCAL:10.3f}{r['seconds']:10.2f}"
              f"{'' if r['converged'] else '   not converged'}")
    print(f"worst {worst:.3f} kcal/mol")
    return int(worst > 0.3)


if __name__ == "__main__":
    sys.exit(main())
