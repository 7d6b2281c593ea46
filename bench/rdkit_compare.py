#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# RDKit and Shoal on one core in the same run: energies with gradients, and conformers to convergence.
"""usage: rdkit_compare.py SHOAL [--conformers 256] [--rdkit-conformers 16] [--fmax 0.01]

One JSON line per molecule. Both compute UFF without charges and with all pairs. RDKit's evaluation
is CalcEnergy + CalcGrad of a force field that is ready; its relaxation is UFFOptimizeMoleculeConfs
with as many iterations as it wants. Shoal's figures are those of whole runs of the program, reading
and typing included, on the same conformers. RDKit gets fewer of them, because it needs longer; all
rates are per conformer."""

import argparse
import json
import pathlib
import random
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
N_EVALUATIONS = 500
N_REPEATS = 3
KCAL = 0.0433641042418  # eV


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


def write_sdf(mol, path):
    from rdkit import Chem

    with path.open("w") as out:
        for conformer in mol.GetConformers():
            out.write(Chem.MolToMolBlock(mol, confId=conformer.GetId()) + "$$$$\n")


def rdkit_evaluations(mol):
    """Per second."""
    from rdkit.Chem import AllChem

    field = AllChem.UFFGetMoleculeForceField(mol, vdwThresh=1e6, ignoreInterfragInteractions=False)
    field.Initialize()
    rates = []
    for _ in range(N_REPEATS):
        n, start = 0, time.perf_counter()
        while time.perf_counter() - start < 0.5:
            field.CalcEnergy()
            field.CalcGrad()
            n += 1
        rates.append(n / (time.perf_counter() - start))
    return statistics.median(rates)


def rdkit_relax(mol, n):
    """Conformers per second and their energies in kcal/mol."""
    from rdkit import Chem
    from rdkit.Chem import AllChem

    few = Chem.Mol(mol)
    for conformer in list(few.GetConformers())[n:]:
        few.RemoveConformer(conformer.GetId())
    start = time.perf_counter()
    results = AllChem.UFFOptimizeMoleculeConfs(few, numThreads=1, maxIters=1000000, vdwThresh=1e6,
                                               ignoreInterfragInteractions=False)
    seconds = time.perf_counter() - start
    if any(code != 0 for code, _ in results):
        print("rdkit_compare: RDKit did not converge everywhere")
    return len(results) / seconds, [energy for _, energy in results]


def shoal_relax(program, path, *options):
    """Seconds of the fastest of a few runs, and the rows."""
    command = [program, "relax", "-q", "--json", "--threads", "1", "--charges", "none", *options, path]
    times = []
    for _ in range(N_REPEATS):
        start = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True)
        times.append(time.perf_counter() - start)
    if done.returncode not in (0, 1):
        raise SystemExit(f"rdkit_compare: {done.stderr}")
    return statistics.median(times), [json.loads(line) for line in done.stdout.splitlines()]


def compare(program, directory, name, text, n, n_rdkit, fmax):
    mol = make_conformers(name, text, n)
    path = directory / f"{name}.sdf"
    write_sdf(mol, path)
    seconds, rows = shoal_relax(program, path, "--precision", "float", "--fmax", "1e-12",
                                "--max-steps", str(N_EVALUATIONS))
    evaluations = sum(row["steps"] for row in rows) / seconds
    seconds, rows = shoal_relax(program, path, "--fmax", fmax)
    rdkit_rate = rdkit_evaluations(mol)
    rdkit_conformers, energies = rdkit_relax(mol, n_rdkit)
    ours = [row["energy"] / KCAL for row in rows]
    print(json.dumps({
        "what": "rdkit", "case": name, "natoms": mol.GetNumAtoms(), "conformers": n, "threads": 1,
        "fmax": float(fmax),
        "shoal_evals_per_s": round(evaluations), "rdkit_evals_per_s": round(rdkit_rate),
        "evals_ratio": round(evaluations / rdkit_rate, 1),
        "shoal_conformers_per_s": round(n / seconds, 1),
        "rdkit_conformers_per_s": round(rdkit_conformers, 2),
        "conformers_ratio": round(n / seconds / rdkit_conformers, 1),
        "converged": sum(row["status"] == "converged" for row in rows),
        "mean_steps": round(statistics.mean(row["steps"] for row in rows), 1),
        "shoal_mean_kcal": round(statistics.mean(ours[:n_rdkit]), 3),
        "rdkit_mean_kcal": round(statistics.mean(energies), 3),
    }), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("shoal")
    parser.add_argument("--conformers", type=int, default=256)
    parser.add_argument("--rdkit-conformers", type=int, default=16)
    parser.add_argument("--fmax", default="0.01", help="of Shoal, eV/A")
    arguments = parser.parse_args()
    try:
        from rdkit import ForceField, RDLogger  # noqa: F401 (the force field needs its module)
    except ImportError:
        print("rdkit_compare: skipped: no RDKit in this Python (./dev setup --compare)")
        return
    RDLogger.DisableLog("rdApp.*")
    with tempfile.TemporaryDirectory() as directory:
        for name, text in MOLECULES:
            compare(arguments.shoal, pathlib.Path(directory), name, text, arguments.conformers,
                    arguments.rdkit_conformers, arguments.fmax)


if __name__ == "__main__":
    main()
