#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Ensembles of 'shoal embed' and of RDKit's ETKDGv3, as many conformers each, relaxed alike: who finds the low minima.
"""usage: embed_ensembles.py SHOAL FILE.smi [--molecules 300] [--conformers 50] [--sample-seed 1] [--forcefield uff] [--keep FOLDER] [--most-heavy 60]

Of molecules drawn at random, two numbers: those whose lowest minimum is as low as ETKDGv3's (0.1 kcal/mol), and, among all minima within
3 kcal/mol of the lowest that either found, the share of ETKDGv3's that Shoal found, too, and the share of Shoal's that ETKDGv3 found.
Minima are one if their energies differ by less than 0.02 kcal/mol and their sorted distances of heavy atoms by less than 0.1 A; mirror
images count as one. Both relax in Shoal to 0.001 eV/A. --keep keeps RDKit's conformers, which take most of the time. Exit code 1: a bar
is missed; 77: no RDKit."""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

KCAL = 96485.332 / 4184  # of an eV
AS_LOW, WINDOW, SAME_ENERGY, SAME_DISTANCE = 0.1, 3.0, 0.02, 0.1  # kcal/mol, A
FMAX = "0.001"
MOST_TRIES = 20  # of ETKDGv3 for a conformer; its default, ten for every atom, takes hours for a few large molecules


def etkdg(line, n, path):
    """Writes conformers of a molecule; False without any."""
    from rdkit import Chem
    from rdkit.Chem import AllChem

    mol = Chem.AddHs(Chem.MolFromSmiles(line))
    parameters = AllChem.ETKDGv3()
    parameters.randomSeed = 2026
    parameters.maxIterations = MOST_TRIES
    found = list(AllChem.EmbedMultipleConfs(mol, n, parameters))
    with Chem.SDWriter(str(path)) as writer:
        for k in found:
            writer.write(mol, confId=k)
    return bool(found)


def minima(command, n_heavy):
    """Energies in kcal/mol with distances of heavy atoms, which come first, of what converged, without copies, in order."""
    import numpy as np

    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    found = []
    for row in rows:
        if row["status"] != "converged":
            continue
        heavy = np.array(row["positions"][:n_heavy])
        first, second = np.triu_indices(len(heavy), 1)
        found.append((row["energy"] * KCAL, np.sort(np.linalg.norm(heavy[first] - heavy[second], axis=1))))
    found.sort(key=lambda one: one[0])
    different = []
    for one in found:
        if not is_among(one, different):
            different.append(one)
    return different, len(found)


def is_among(one, others):
    """Whether a minimum is one of these; pairs of far energies are not looked at."""
    import numpy as np

    return any(
        abs(energy - one[0]) < SAME_ENERGY
        and (len(distances) == 0 or np.abs(distances - one[1]).max() < SAME_DISTANCE)
        for energy, distances in others
    )


def heavy_atoms(line):
    from rdkit import Chem

    return Chem.MolFromSmiles(line).GetNumAtoms()


def share(these, those):
    """How many of these minima are among those, and how many there are."""
    return sum(is_among(one, those) for one in these), len(these)


def compare(arguments, line, number, folder):
    """Of a molecule: lowest of Shoal less that of ETKDGv3, shares of both; None if RDKit has none."""
    n_heavy = heavy_atoms(line)
    source = folder / f"{number}.sdf"
    if not source.exists() and not etkdg(line, arguments.conformers, source):
        return None
    if source.stat().st_size == 0:
        return None
    options = ["--json", "--positions", "-q", "--fmax", FMAX, "--threads", "1", "--forcefield", arguments.forcefield]
    theirs, n_theirs = minima([arguments.shoal, "relax", source, *options], n_heavy)
    ours, n_ours = minima([arguments.shoal, "embed", "--smiles", line, "--conformers", arguments.conformers,
                           "--seed", arguments.seed, *options, *arguments.options.split()], n_heavy)
    if not theirs or not ours:
        return (float("inf") if theirs else -float("inf"), (0, len(theirs)), (0, len(ours)), n_theirs, n_ours)
    lowest = min(theirs[0][0], ours[0][0])
    low = [[one for one in some if one[0] < lowest + WINDOW] for some in (theirs, ours)]
    return ours[0][0] - theirs[0][0], share(low[0], ours), share(low[1], theirs), n_theirs, n_ours


def draw(arguments):
    """SMILES of so many molecules, of one part each, that leave no configuration open: isomers would be compared otherwise."""
    from rdkit import Chem

    lines = [line.split()[0] for line in arguments.file.read_text(encoding="utf-8").splitlines() if line.split()]
    random.Random(arguments.sample_seed).shuffle(lines)
    n = 0
    for line in lines:
        mol = Chem.MolFromSmiles(line) if "." not in line and n < arguments.molecules else None
        if not mol or mol.GetNumAtoms() > arguments.most_heavy:
            continue
        if all(one.specified == Chem.StereoSpecified.Specified for one in Chem.FindPotentialStereo(mol)):
            n += 1
            yield Chem.MolToSmiles(mol)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shoal")
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--molecules", type=int, default=300)
    parser.add_argument("--conformers", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sample-seed", type=int, default=1)
    parser.add_argument("--forcefield", default="uff")
    parser.add_argument("--most-heavy", type=int, default=60, help="atoms; larger ones take ETKDGv3 hours")
    parser.add_argument("--keep", type=pathlib.Path, help="folder of RDKit's conformers")
    parser.add_argument("--options", default="", help="of embed, separated by spaces")
    parser.add_argument("--verbose", action="store_true", help="a line for every molecule")
    arguments = parser.parse_args()
    try:
        from rdkit import RDLogger
    except ImportError:
        print("skipped: RDKit is not installed")
        return 77
    RDLogger.DisableLog("rdApp.*")
    n = n_low = n_lower = without = 0
    theirs, ours = [0, 0], [0, 0]
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or pathlib.Path(temporary)
        folder.mkdir(exist_ok=True)
        for number, line in enumerate(draw(arguments)):
            found = compare(arguments, line, number, folder)
            if found is None:
                without += 1
                continue
            n += 1
            n_low += found[0] < AS_LOW
            n_lower += found[0] < -AS_LOW
            for total, part in ((theirs, found[1]), (ours, found[2])):
                total[0] += part[0]
                total[1] += part[1]
            if arguments.verbose:
                print(f"{found[0]:8.2f}  theirs found {found[1][0]} of {found[1][1]}, ours {found[2][0]} of "
                      f"{found[2][1]}; converged {found[3]}, {found[4]}  {line}", flush=True)
    print(f"{n} molecules x {arguments.conformers} ({arguments.forcefield}; {without} without ETKDGv3 conformers): as low "
          f"in {n_low} ({100 * n_low / max(n, 1):.0f} %), lower in {n_lower}; of ETKDGv3's {theirs[1]} minima within "
          f"{WINDOW:.0f} kcal/mol Shoal found {theirs[0]} ({100 * theirs[0] / max(theirs[1], 1):.1f} %), of its {ours[1]} "
          f"ETKDGv3 {ours[0]} ({100 * ours[0] / max(ours[1], 1):.1f} %); {time.perf_counter() - began:.0f} s")
    met = n_low >= 0.7 * n and theirs[0] * ours[1] >= ours[0] * theirs[1]
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
