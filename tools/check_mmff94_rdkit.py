#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compare MMFF94 with RDKit: energies, forces and types of the molecules of SD files and of lists of SMILES.
usage: check_mmff94_rdkit.py PROGRAM FILE.sdf|FILE.smi .. [--conformers N] [--variant MMFF94|MMFF94s] [--xyz] [--list N]

Lines of SMILES are embedded by RDKit. --xyz gives Shoal bare coordinates as well and counts equal types, and apart what no
coordinates tell: fragments that RDKit put so close that a bond would be longer, and S+-O-, whose types RDKit says are not
those of S=O. The bars are 1e-5 kcal/mol and 1e-5 of its forces (kcal/mol/A). Exit code 1: something differs; 77: RDKit is
not there."""

import argparse
import collections
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    from rdkit import Chem, RDLogger
    from rdkit.Chem import AllChem
except ImportError:
    print("skipped: RDKit is not installed")
    sys.exit(77)

KCAL = 0.0433641042418  # eV
BAR = 1e-5


def from_smiles(path, n_conformers):
    for line in path.read_text().splitlines():
        words = line.split()
        if not words or (mol := Chem.MolFromSmiles(words[0])) is None:
            continue
        mol = Chem.AddHs(mol)
        AllChem.EmbedMultipleConfs(mol, n_conformers, randomSeed=1)
        mol.SetProp("_Name", words[1] if len(words) > 1 else words[0])
        yield mol


def from_sdf(path):
    opened = gzip.open(path) if path.suffix == ".gz" else path.open("rb")
    with opened as file:
        yield from Chem.ForwardSDMolSupplier(file, removeHs=False)


def molecules(path, n_conformers):
    mols = from_smiles(path, n_conformers) if path.suffix == ".smi" else from_sdf(path)
    for mol in mols:
        if mol is not None and mol.GetNumConformers() and AllChem.MMFFHasAllMoleculeParams(mol):
            yield mol


def of_rdkit(mol, variant, conformer):
    """Energy (kcal/mol), gradient (kcal/mol/A) and types."""
    properties = AllChem.MMFFGetMoleculeProperties(mol, mmffVariant=variant)
    field = AllChem.MMFFGetMoleculeForceField(mol, properties, nonBondedThresh=1e6, confId=conformer, ignoreInterfragInteractions=False)
    types = [properties.GetMMFFAtomType(i) for i in range(mol.GetNumAtoms())]
    return field.CalcEnergy(), field.CalcGrad(), types


def run(program, command, path, variant, *options):
    text = subprocess.run(
        [program, command, "--json", "-q", "--forcefield", variant.lower(), *options, str(path)],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    return [json.loads(line) for line in text.splitlines() if line.startswith('{"index"')]


def write(mols, path, is_xyz):
    """All conformers of all molecules as records of one file; molecule and conformer of each."""
    records, texts = [], []
    for mol in mols:
        for conformer in mol.GetConformers():
            records.append((mol, conformer.GetId()))
            if is_xyz:
                charge = Chem.GetFormalCharge(mol)
                block = Chem.MolToXYZBlock(mol, confId=conformer.GetId()).splitlines()
                texts.append("\n".join([block[0], f"charge={charge}", *block[2:]]) + "\n")
            else:
                texts.append(precise_block(mol, conformer) + "$$$$\n")
    path.write_text("".join(texts))
    return records


def precise_block(mol, conformer):
    """A V2000 block has four digits, so the molecule that RDKit sees has no more."""
    for i in range(mol.GetNumAtoms()):
        place = conformer.GetAtomPosition(i)
        conformer.SetAtomPosition(i, [round(x, 4) for x in place])
    return Chem.MolToMolBlock(mol, confId=conformer.GetId(), kekulize=True)


def compare(mol, conformer, row, variant):
    """Why they differ, or None."""
    if row["status"] != "ok":
        return f"{row['status']}: {row.get('reason', '')}"
    energy, gradient, _ = of_rdkit(mol, variant, conformer)
    difference = row["energy"] / KCAL - energy
    forces = [f / KCAL for force in row["forces"] for f in force]
    off = max(abs(f + g) / max(1.0, abs(g)) for f, g in zip(forces, gradient))
    if abs(difference) > BAR * max(1.0, abs(energy) / 1000):
        return f"energy {difference:+.6f} of {energy:.4f} kcal/mol"
    return f"forces {off:.2e} kcal/mol/A" if off > BAR else None


def compare_types(types, wanted, symbols):
    """Types by symbol; a symbol may stand for several numbers, so both are compared as partitions of what they name."""
    for symbol, number in zip(types, wanted):
        if number not in symbols[symbol]:
            return f"{symbol} instead of {number}"
    return None


def are_overlapping(mol, conformer):
    """Whether atoms of two fragments are nearer than their covalent radii and 0.45 A, the most that Shoal takes for a bond."""
    fragment = [0] * mol.GetNumAtoms()
    for k, atoms in enumerate(Chem.GetMolFrags(mol)):
        for i in atoms:
            fragment[i] = k
    if max(fragment) == 0:
        return False
    radius = [Chem.GetPeriodicTable().GetRcovalent(atom.GetAtomicNum()) for atom in mol.GetAtoms()]
    far = Chem.Get3DDistanceMatrix(mol, confId=conformer)
    return any(
        fragment[i] != fragment[j] and far[i][j] < radius[i] + radius[j] + 0.45
        for i in range(len(radius))
        for j in range(i)
    )


def without_dative(mol):
    """The Mol with S=O for S+-O-; None where it has none."""
    pattern = Chem.MolFromSmarts("[S+;X3]-[O-]")
    pairs = mol.GetSubstructMatches(pattern)
    out = Chem.RWMol(mol)
    for s, o in pairs:
        out.GetAtomWithIdx(s).SetFormalCharge(0)
        out.GetAtomWithIdx(o).SetFormalCharge(0)
        out.GetBondBetweenAtoms(s, o).SetBondType(Chem.BondType.DOUBLE)
    Chem.SanitizeMol(out)
    return out if pairs else None


def symbols_of_types():
    table = pathlib.Path(__file__).resolve().parent.parent / "data" / "mmff94_types.tsv"
    rows = [line.split("\t") for line in table.read_text().splitlines() if line and not line.startswith("#")]
    names = collections.defaultdict(set)
    for row in rows[1:]:
        numbers = [int(word) for word in row if word.isdigit()]
        if numbers:
            names[row[1] if row[0].isdigit() else row[0]].add(numbers[0])
    return names


def check(args, path, folder):
    mols = list(molecules(path, args.conformers))
    records = write(mols, folder / "a.sdf", False)
    rows = run(args.program, "energy", folder / "a.sdf", args.variant, "--forces", "--precision", "double", "--device", "cpu")
    good = report(path.name + ", energies and forces", [
        (mol.GetProp("_Name"), compare(mol, conformer, row, args.variant)) for (mol, conformer), row in zip(records, rows)
    ], args.list, len(records))
    if args.xyz:
        good = compare_bare(args, path, mols, folder) and good
    return good


def compare_bare(args, path, mols, folder):
    records = write(mols, folder / "a.xyz", True)
    rows = run(args.program, "types", folder / "a.xyz", args.variant)
    symbols = symbols_of_types()
    results, overlapping, dative = [], 0, 0
    for (mol, conformer), row in zip(records, rows):
        why = compare_row(mol, conformer, row, args.variant, symbols)
        neutral = without_dative(mol) if why else None
        if why and are_overlapping(mol, conformer):
            overlapping += 1
        elif neutral and not compare_row(neutral, conformer, row, args.variant, symbols):
            dative += 1
        else:
            results.append((mol.GetProp("_Name"), why))
    same = sum(why is None for _, why in results)
    title = path.name + ", types of bare coordinates"
    print(f"{title}: {same} of all {len(records)}; apart: {overlapping} with fragments on top of each other, {dative} drawn S+-O-")
    return report(title, results, args.list, len(records) - overlapping - dative)


def compare_row(mol, conformer, row, variant, symbols):
    if row["status"] != "ok":
        return row.get("reason", row["status"])
    return compare_types(row["types"], of_rdkit(mol, variant, conformer)[2], symbols)


def report(title, results, n_listed, n):
    bad = [(name, why) for name, why in results if why]
    for name, why in bad[:n_listed]:
        print(f"  {name}: {why}")
    print(f"{title}: {len(results) - len(bad)} of {n}")
    return not bad and len(results) == n


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--conformers", type=int, default=1)
    parser.add_argument("--variant", default="MMFF94", choices=("MMFF94", "MMFF94s"))
    parser.add_argument("--xyz", action="store_true")
    parser.add_argument("--list", type=int, default=20)
    args = parser.parse_args()
    RDLogger.DisableLog("rdApp.*")
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(0 if all([check(args, path, pathlib.Path(folder)) for path in args.files]) else 1)


if __name__ == "__main__":
    main()
