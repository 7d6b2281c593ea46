#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# RDKit and Shoal on one core in the same run: energies with gradients, and conformers to convergence.
"""usage: rdkit_compare.py SHOAL [--forcefield uff|mmff94] [--conformers 256] [--rdkit-conformers 16] [--fmax 0.01]
       [--unlike FILE]

One JSON line per molecule, and one for a file of unlike molecules. Both programs compute UFF without
charges, or MMFF94 with them, and all pairs, on one thread. What is in the times:

- conformers: RDKit's UFFOptimizeMoleculeConfs (or MMFF) with as many iterations as it wants, on a molecule in
  memory; Shoal's whole program run with 'relax' to --fmax, from start to exit, with reading the SDF
  file, typing every record and writing JSON. RDKit gets fewer conformers, because it needs longer.
- evaluations: RDKit's CalcEnergy + CalcGrad of a force field that is ready; Shoal's whole run with
  'relax --method fire' in float to a limit that is never met, divided by all evaluations.
- unlike: the same evaluations for the molecules of an SDF file, of which no two are alike; those of
  'shoal bench --case unlike' unless --unlike names others.

Times are seconds of the processor, user and system together, because other work on the machine
disturbs these least; median of a few runs. Wall-clock ratios stand beside them."""

import argparse
import json
import pathlib
import random
import resource
import statistics
import subprocess
import tempfile
import time

MOLECULES = (
    ("xylitol", "OC[C@@H](O)[C@H](O)[C@@H](O)CO"),
    ("octane", "CCCCCCCC"),
    ("peptide", "AGSAGSAGSA"),
)
N_SEEDS = 8  # embedded conformers; the others are shaken copies
SHAKE = 0.1  # angstrom
N_EVALUATIONS = 1000
UNLIKE = pathlib.Path(__file__).resolve().parent.parent / "data" / "bench" / "unlike.sdf"
N_REPEATS = 5
KCAL = 0.0433641042418  # eV


class Clock:
    """Seconds of the processor and of the wall since it was made; of this process or its children."""

    def __init__(self, children=False):
        self.who = resource.RUSAGE_CHILDREN if children else resource.RUSAGE_SELF
        self.start = self.now()

    def now(self):
        use = resource.getrusage(self.who)
        return use.ru_utime + use.ru_stime, time.perf_counter()

    def seconds(self):
        return [now - start for now, start in zip(self.now(), self.start)]


def median(pairs):
    """Of processor and wall seconds, each by itself."""
    return [statistics.median(values) for values in zip(*pairs)]


def make_conformers(name, text, n):
    from rdkit import Chem
    from rdkit.Chem import AllChem

    mol = Chem.MolFromSequence(text) if name == "peptide" else Chem.MolFromSmiles(text)
    mol = Chem.AddHs(mol)
    seeds = list(AllChem.EmbedMultipleConfs(mol, min(n, N_SEEDS), randomSeed=2026))
    rng = random.Random(1)
    for k in range(n - len(seeds)):
        conformer = Chem.Conformer(mol.GetConformer(seeds[k % len(seeds)]))
        for i in range(mol.GetNumAtoms()):
            p = conformer.GetAtomPosition(i)
            p.x, p.y, p.z = (x + rng.uniform(-SHAKE, SHAKE) for x in (p.x, p.y, p.z))
            conformer.SetAtomPosition(i, p)
        mol.AddConformer(conformer, assignId=True)
    return mol


def write_block(mol, conformer, out):
    from rdkit import Chem

    out.write(Chem.MolToMolBlock(mol, confId=conformer) + "$$$$\n")


def write_sdf(mol, path):
    with path.open("w") as out:
        for conformer in mol.GetConformers():
            write_block(mol, conformer.GetId(), out)


def read_unlike(path):
    from rdkit import Chem

    return [mol for mol in Chem.SDMolSupplier(str(path), removeHs=False) if mol]


def rdkit_field(mol, forcefield):
    from rdkit.Chem import AllChem

    if forcefield == "uff":
        return AllChem.UFFGetMoleculeForceField(mol, vdwThresh=1e6, ignoreInterfragInteractions=False)
    return AllChem.MMFFGetMoleculeForceField(mol, AllChem.MMFFGetMoleculeProperties(mol), nonBondedThresh=1e6,
                                             ignoreInterfragInteractions=False)


def rdkit_evaluations(molecules, n, forcefield):
    """Seconds per evaluation."""
    fields = [rdkit_field(mol, forcefield) for mol in molecules]
    for field in fields:
        field.Initialize()
    times = []
    for _ in range(N_REPEATS):
        clock = Clock()
        for field in fields:
            for _ in range(n):
                field.CalcEnergy()
                field.CalcGrad()
        times.append(clock.seconds())
    return [t / (n * len(fields)) for t in median(times)]


def rdkit_relax(mol, n, forcefield):
    """Seconds per conformer, and energies in kcal/mol."""
    from rdkit import Chem
    from rdkit.Chem import AllChem

    few = Chem.Mol(mol)
    for conformer in list(few.GetConformers())[n:]:
        few.RemoveConformer(conformer.GetId())
    options = {"numThreads": 1, "maxIters": 1000000, "ignoreInterfragInteractions": False}
    clock = Clock()
    if forcefield == "uff":
        results = AllChem.UFFOptimizeMoleculeConfs(few, vdwThresh=1e6, **options)
    else:
        results = AllChem.MMFFOptimizeMoleculeConfs(few, nonBondedThresh=1e6, **options)
    seconds = clock.seconds()
    if any(code != 0 for code, _ in results):
        print("rdkit_compare: RDKit did not converge everywhere")
    return [t / len(results) for t in seconds], [energy for _, energy in results]


def shoal_relax(program, path, forcefield, *options):
    """Seconds of a whole run, and the rows."""
    charges = ["--charges", "none"] if forcefield == "uff" else []
    command = [program, "relax", "-q", "--json", "--threads", "1", "--forcefield", forcefield, *charges, *options, path]
    times = []
    for _ in range(N_REPEATS):
        clock = Clock(children=True)
        done = subprocess.run(command, capture_output=True, text=True)
        times.append(clock.seconds())
    if done.returncode not in (0, 1):
        raise SystemExit(f"rdkit_compare: {done.stderr}")
    return median(times), [json.loads(line) for line in done.stdout.splitlines()]


def shoal_evaluations(program, path, forcefield):
    """Seconds per evaluation."""
    seconds, rows = shoal_relax(program, path, forcefield, "--method", "fire", "--precision", "float",
                                "--fmax", "1e-12", "--max-steps", str(N_EVALUATIONS))
    n = sum(row["steps"] for row in rows)
    return [t / n for t in seconds]


def ratios(name, unit, ours, theirs):
    return {f"shoal_{unit}_per_s": round(1 / ours[0], 1), f"rdkit_{unit}_per_s": round(1 / theirs[0], 1),
            f"{name}_ratio": round(theirs[0] / ours[0], 1),
            f"{name}_wall_ratio": round(theirs[1] / ours[1], 1)}


def compare(program, directory, name, text, arguments):
    n, n_rdkit = arguments.conformers, arguments.rdkit_conformers
    mol = make_conformers(name, text, n)
    path = directory / f"{name}.sdf"
    write_sdf(mol, path)
    forcefield = arguments.forcefield
    evaluation = shoal_evaluations(program, path, forcefield)
    rdkit_evaluation = rdkit_evaluations([mol], 200000 // mol.GetNumAtoms() ** 2, forcefield)
    seconds, rows = shoal_relax(program, path, forcefield, "--fmax", arguments.fmax)
    rdkit_conformer, energies = rdkit_relax(mol, n_rdkit, forcefield)
    print(json.dumps({
        "what": "rdkit", "forcefield": forcefield, "case": name, "natoms": mol.GetNumAtoms(), "conformers": n, "threads": 1,
        "fmax": float(arguments.fmax),
        **ratios("evals", "evals", evaluation, rdkit_evaluation),
        **ratios("conformers", "conformers", [t / n for t in seconds], rdkit_conformer),
        "converged": sum(row["status"] == "converged" for row in rows),
        "mean_steps": round(statistics.mean(row["steps"] for row in rows), 1),
        "shoal_mean_kcal": round(statistics.mean(row["energy"] / KCAL for row in rows[:n_rdkit]), 3),
        "rdkit_mean_kcal": round(statistics.mean(energies), 3),
    }), flush=True)


def compare_unlike(program, path, forcefield):
    molecules = read_unlike(path)
    sizes = [mol.GetNumAtoms() for mol in molecules]
    print(json.dumps({
        "what": "rdkit", "forcefield": forcefield, "case": "unlike", "natoms": [min(sizes), max(sizes)],
        "systems": len(molecules), "threads": 1,
        **ratios("evals", "evals", shoal_evaluations(program, path, forcefield),
                 rdkit_evaluations(molecules, 100, forcefield)),
    }), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("shoal")
    parser.add_argument("--forcefield", default="uff", choices=("uff", "mmff94"))
    parser.add_argument("--conformers", type=int, default=256)
    parser.add_argument("--rdkit-conformers", type=int, default=16)
    parser.add_argument("--fmax", default="0.01", help="of Shoal, eV/A")
    parser.add_argument("--unlike", type=pathlib.Path, default=UNLIKE, help="SDF file, one conformer of each")
    arguments = parser.parse_args()
    try:
        from rdkit import ForceField, RDLogger  # noqa: F401 (the force field needs its module)
    except ImportError:
        print("rdkit_compare: skipped: no RDKit in this Python (./dev setup --compare)")
        return
    RDLogger.DisableLog("rdApp.*")
    with tempfile.TemporaryDirectory() as directory:
        for name, text in MOLECULES:
            compare(arguments.shoal, pathlib.Path(directory), name, text, arguments)
        compare_unlike(arguments.shoal, arguments.unlike, arguments.forcefield)


if __name__ == "__main__":
    main()
