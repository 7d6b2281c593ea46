#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Conformers by 'shoal embed' from SMILES, judged by RDKit: identity, configurations, contacts, energies, time.
"""usage: embed_rdkit.py SHOAL FILE.smi [--molecules 300] [--conformers 10] [--sample-seed S] [--energies]

- embedded: molecules with at least one conformer, and with all of them
- identity: the canonical isomeric SMILES of the SD records is that of RDKit's reading of the line
- configurations: those that the line states, found again by RDKit in the coordinates alone
- contacts: atoms nearer than half of their covalent radii
- energies (--energies): RDKit's UFF, medians of each molecule's conformers against those of ETKDGv3, relaxed alike
- time (with --energies): of one thread, conformers/s. Shoal's with reading and writing, relaxed to 0.001 eV/A and as they are embedded;
  ETKDGv3's without, alone and with RDKit's relaxation by UFF
- without --sample-seed every n-th line; with it lines drawn at random"""

import argparse
import pathlib
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time


def children_seconds():
    """Of the processor, by programs that have ended."""
    use = resource.getrusage(resource.RUSAGE_CHILDREN)
    return use.ru_utime + use.ru_stime


def plain(mol):
    """Canonical isomeric SMILES, as of a molecule that was read from it."""
    from rdkit import Chem

    return Chem.MolToSmiles(Chem.MolFromSmiles(Chem.MolToSmiles(Chem.RemoveHs(mol))))


def is_other(line, mol):
    """Whether RDKit's reading of the SD record is not that of the line; what the line leaves open may be either."""
    from rdkit import Chem

    meant = Chem.MolFromSmiles(line)
    if plain(mol) == plain(meant):
        return False
    flat = [Chem.RemoveHs(Chem.Mol(m)) for m in (mol, meant)]
    for m in flat:
        Chem.RemoveStereochemistry(m)
    return plain(flat[0]) != plain(flat[1])


def stated_is_found(line, mol):
    """Whether centres and double bonds that the line states come out of the coordinates alone."""
    from rdkit import Chem

    bare = Chem.Mol(mol)
    Chem.RemoveStereochemistry(bare)
    Chem.AssignStereochemistryFrom3D(bare)
    meant = Chem.MolFromSmiles(line)
    bare = Chem.RemoveHs(bare)
    return bare.HasSubstructMatch(meant, useChirality=True)


def has_contact(mol):
    from rdkit import Chem

    table = Chem.GetPeriodicTable()
    radii = [table.GetRcovalent(atom.GetAtomicNum()) for atom in mol.GetAtoms()]
    distances = Chem.Get3DDistanceMatrix(mol)
    n = mol.GetNumAtoms()
    return any(distances[i][j] < 0.5 * (radii[i] + radii[j]) for i in range(n) for j in range(i))


def relaxed_median(mol, conformers):
    from rdkit.Chem import AllChem

    for conformer in conformers:
        mol.AddConformer(conformer, assignId=True)
    found = AllChem.UFFOptimizeMoleculeConfs(mol, maxIters=2000)
    return statistics.median(energy for _, energy in found)


def compare_energies(groups, n):
    """Medians less those of ETKDGv3, kcal/mol, conformers of ETKDGv3, its seconds, and with relaxation."""
    from rdkit import Chem
    from rdkit.Chem import AllChem

    differences, n_found, seconds, relaxed = [], 0, 0.0, 0.0
    for mols in groups.values():
        theirs = Chem.Mol(mols[0])
        theirs.RemoveAllConformers()
        parameters = AllChem.ETKDGv3()
        parameters.randomSeed = 2026
        began = time.process_time()
        found = AllChem.EmbedMultipleConfs(theirs, n, parameters)
        seconds += time.process_time() - began
        if not found:
            continue
        n_found += len(found)
        began = time.process_time()
        median = relaxed_median(theirs, [])
        relaxed += time.process_time() - began
        ours = Chem.Mol(mols[0])
        ours.RemoveAllConformers()
        energy = relaxed_median(ours, [mol.GetConformer() for mol in mols])
        differences.append(energy - median)
    return differences, n_found, seconds, seconds + relaxed


def embed(arguments, source, result, *options):
    """Seconds of the processor."""
    began = children_seconds()
    subprocess.run([arguments.shoal, "embed", "-q", "--threads", "1", "--conformers", str(arguments.conformers),
                    str(source), "-o", str(result), *options], check=False, stdout=subprocess.DEVNULL)
    return children_seconds() - began


def sample(arguments):
    """SMILES of so many lines."""
    lines = [line.split()[0] for line in arguments.file.read_text(encoding="utf-8").splitlines() if line.split()]
    if arguments.sample_seed is not None:
        return random.Random(arguments.sample_seed).sample(lines, min(arguments.molecules, len(lines)))
    return lines[:: max(1, len(lines) // arguments.molecules)][: arguments.molecules]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shoal")
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--molecules", type=int, default=300)
    parser.add_argument("--conformers", type=int, default=10)
    parser.add_argument("--sample-seed", type=int)
    parser.add_argument("--energies", action="store_true")
    arguments = parser.parse_args()
    try:
        from rdkit import Chem, RDLogger
    except ImportError:
        print("skipped: RDKit is not installed")
        return 0
    RDLogger.DisableLog("rdApp.*")
    lines = sample(arguments)
    with tempfile.TemporaryDirectory() as folder:
        source, result = pathlib.Path(folder) / "in.smi", pathlib.Path(folder) / "out.sdf"
        source.write_text("".join(f"{line} {k}\n" for k, line in enumerate(lines)), encoding="utf-8")
        seconds = embed(arguments, source, result)
        bare = embed(arguments, source, pathlib.Path(folder) / "bare.sdf", "--no-relaxation") if arguments.energies else 0
        groups = {}
        for mol in Chem.SDMolSupplier(str(result), removeHs=False):
            if mol is not None and mol.GetNumConformers() and mol.GetConformer().Is3D():
                groups.setdefault(int(mol.GetProp("_Name")), []).append(mol)
    everyone = [(k, mol) for k, mols in groups.items() for mol in mols]
    complete = sum(len(mols) == arguments.conformers for mols in groups.values())
    other = [lines[k] for k, mols in groups.items()
             if is_other(lines[k], mols[0])]
    wrong = [lines[k] for k, mol in everyone if not stated_is_found(lines[k], mol)]
    close = sum(has_contact(mol) for _, mol in everyone)
    print(f"{len(groups)} of {len(lines)} embedded, {complete} of them completely; {len(everyone)} conformers, "
          f"{len(everyone) / seconds:.0f}/s; {len(other)} of another molecule, {len(wrong)} of another configuration, "
          f"{close} with contacts")
    for k in sorted(set(range(len(lines))) - set(groups)):
        print(f"  no conformer: {lines[k]}")
    for line in dict.fromkeys(other + wrong):
        print(f"  other: {line}")
    if arguments.energies:
        differences, n_theirs, theirs, relaxed = compare_energies(groups, arguments.conformers)
        rate = len(everyone) / seconds
        higher = sum(d > 0.1 for d in differences)
        print(f"median energy less ETKDGv3's: median {statistics.median(differences):.3f} kcal/mol; higher in {higher} "
              f"of {len(differences)}, lower in {sum(d < -0.1 for d in differences)}")
        print(f"conformers/s of one core: Shoal {rate:.0f} relaxed, {len(everyone) / bare:.0f} embedded; ETKDGv3 "
              f"{n_theirs / relaxed:.1f} relaxed, {n_theirs / theirs:.1f} embedded: relaxed to relaxed "
              f"{rate * relaxed / n_theirs:.1f} x, to embedded {rate * theirs / n_theirs:.1f} x")
    return 0


if __name__ == "__main__":
    sys.exit(main())
