#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The lowest minimum by 'shoal search' and by relaxed conformers of RDKit's ETKDGv3, from as many relaxations.
"""usage: search_rdkit.py SHOAL [--starts 300] [--seeds 3] [--set known|unseen|fresh|all] [--only NAME ..] [--known FILE]

One line per molecule: energies in meV above the lowest that either found, and how long both took. As low: within
0.4 meV (0.01 kcal/mol). Exit code 1: a molecule is not; 77: no RDKit. --known keeps RDKit's energies in a JSON file, because they need not be computed again."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

SAME = 0.4  # meV
MILLI = 1000

KNOWN = {
    "decane": "CCCCCCCCCC",
    "dodecane": "CCCCCCCCCCCC",
    "2-methylnonane": "CC(C)CCCCCCC",
    "1,6-hexanediol": "OCCCCCCO",
    "1,8-octanediol": "OCCCCCCCCO",
    "2,3-hexanediol": "C[C@@H](O)[C@H](O)CCC",
    "sorbitol": "OC[C@H](O)[C@@H](O)[C@H](O)[C@H](O)CO",
    "xylitol": "OC[C@@H](O)[C@H](O)[C@@H](O)CO",
    "glucose": "OC[C@H]1O[C@@H](O)[C@H](O)[C@@H](O)[C@@H]1O",
    "sucrose": "O1[C@H](CO)[C@@H](O)[C@H](O)[C@@H](O)[C@H]1O[C@@]2(O[C@@H]([C@@H](O)[C@@H]2O)CO)CO",
    "trehalose": "OC[C@H]1O[C@H](O[C@H]2O[C@H](CO)[C@@H](O)[C@H](O)[C@H]2O)[C@H](O)[C@@H](O)[C@@H]1O",
    "tetraglycine": "NCC(=O)NCC(=O)NCC(=O)NCC(=O)O",
    "trialanine": "C[C@H](N)C(=O)N[C@@H](C)C(=O)N[C@@H](C)C(=O)O",
    "glutathione": "N[C@@H](CCC(=O)N[C@@H](CS)C(=O)NCC(=O)O)C(=O)O",
    "aspartame": "COC(=O)[C@H](Cc1ccccc1)NC(=O)[C@@H](N)CC(=O)O",
    "lisinopril": "NCCCC[C@H](N[C@@H](CCc1ccccc1)C(=O)O)C(=O)N1CCC[C@H]1C(=O)O",
    "spermine": "NCCCNCCCCNCCCN",
    "cadaverine": "NCCCCCN",
    "18-crown-6": "O1CCOCCOCCOCCOCCOCC1",
    "12-crown-4": "O1CCOCCOCCOCC1",
    "cyclo-Gly4": "C1C(=O)NCC(=O)NCC(=O)NCC(=O)N1",
    "cyclo-Ala6": "C[C@@H]1NC(=O)[C@H](C)NC(=O)[C@H](C)NC(=O)[C@H](C)NC(=O)[C@H](C)NC(=O)[C@H](C)NC1=O",
    "civetone": "O=C1CCCCCCC/C=C\\CCCCCCC1",
    "cryptand-222": "C1COCCOCCN2CCOCCOCCN1CCOCCOCC2",
    "E-cyclooctene": "C1CCC/C=C/CC1",
}
UNSEEN = {
    "undecane": "CCCCCCCCCCC",
    "5-butylnonane": "CCCCC(CCCC)CCCC",
    "1,5-pentanediol": "OCCCCCO",
    "1,7-heptanediol": "OCCCCCCCO",
    "mannitol": "OC[C@@H](O)[C@@H](O)[C@H](O)[C@H](O)CO",
    "lactose": "OC[C@H]1O[C@@H](O[C@H]2[C@H](O)[C@@H](O)[C@H](O)O[C@@H]2CO)[C@H](O)[C@@H](O)[C@H]1O",
    "fructose": "OC[C@]1(O)OC[C@@H](O)[C@@H](O)[C@@H]1O",
    "citric acid": "OC(=O)CC(O)(CC(=O)O)C(=O)O",
    "Gly-Ser-Ala": "NCC(=O)N[C@@H](CO)C(=O)N[C@@H](C)C(=O)O",
    "Val-Leu": "CC(C)[C@H](N)C(=O)N[C@@H](CC(C)C)C(=O)O",
    "Phe-Gly-Gly": "N[C@@H](Cc1ccccc1)C(=O)NCC(=O)NCC(=O)O",
    "Met-Ala": "CSCC[C@H](N)C(=O)N[C@@H](C)C(=O)O",
    "arginine": "NC(N)=NCCC[C@H](N)C(=O)O",
    "enalapril": "CCOC(=O)[C@H](CCc1ccccc1)N[C@@H](C)C(=O)N1CCC[C@H]1C(=O)O",
    "captopril": "C[C@H](CS)C(=O)N1CCC[C@H]1C(=O)O",
    "tetraethylene glycol": "OCCOCCOCCOCCO",
    "triglyme": "COCCOCCOCCOC",
    "spermidine": "NCCCNCCCCN",
    "15-crown-5": "O1CCOCCOCCOCCOCC1",
    "cyclo-Gly5": "C1C(=O)NCC(=O)NCC(=O)NCC(=O)NCC(=O)N1",
    "cyclo-Ala4": "C[C@@H]1NC(=O)[C@H](C)NC(=O)[C@H](C)NC(=O)[C@H](C)NC1=O",
    "cyclotetradecane": "C1CCCCCCCCCCCCC1",
    "muscone": "C[C@@H]1CCCCCCCCCCCCC(=O)C1",
    "oleic acid, short": "CCCC/C=C\\CCCC(=O)O",
    "pantothenic acid": "CC(C)(CO)[C@@H](O)C(=O)NCCC(=O)O",
}
# Neither the schedule nor conformers were chosen with these in view.
FRESH = {
    "gluconic acid": "OC[C@@H](O)[C@@H](O)[C@H](O)[C@@H](O)C(=O)O",
    "diethyl tartrate": "CCOC(=O)[C@H](O)[C@@H](O)C(=O)OCC",
    "cyclen": "C1CNCCNCCNCCN1",
    "dipentyl ether": "CCCCCOCCCCC",
    "N-butylpentanamide": "CCCCNC(=O)CCCC",
    "propranolol": "CC(C)NC[C@H](O)COc1cccc2ccccc12",
    "1,9-nonanediol": "OCCCCCCCCCO",
    "metoprolol": "COCCc1ccc(OC[C@@H](O)CNC(C)C)cc1",
    "Tyr-Gly-Gly": "N[C@@H](Cc1ccc(O)cc1)C(=O)NCC(=O)NCC(=O)O",
    "Ser-Gly-Phe-NH2": "OC[C@H](N)C(=O)NCC(=O)N[C@@H](Cc1ccccc1)C(N)=O",
    "maltose": "OC[C@H]1O[C@H](O[C@H]2[C@H](O)[C@@H](O)[C@H](O)O[C@@H]2CO)[C@H](O)[C@@H](O)[C@@H]1O",
    "exaltolide": "O=C1CCCCCCCCCCCCCCO1",
}


def rdkit_lowest(shoal, smiles, starts, directory):
    """Lowest energy, meV, and seconds."""
    from rdkit import Chem
    from rdkit.Chem import AllChem

    began = time.perf_counter()
    mol = Chem.AddHs(Chem.MolFromSmiles(smiles))
    parameters = AllChem.ETKDGv3()
    parameters.randomSeed = 2026
    parameters.useSmallRingTorsions = True
    parameters.useMacrocycleTorsions = True
    found = list(AllChem.EmbedMultipleConfs(mol, starts, parameters))
    if len(found) < starts // 2:
        parameters.useRandomCoords = True
        found = list(AllChem.EmbedMultipleConfs(mol, starts, parameters))
    path = directory / "conformers.sdf"
    with Chem.SDWriter(str(path)) as writer:
        for k in found:
            writer.write(mol, confId=k)
    rows = run([shoal, "relax", path, "--fmax", "0.001", "--threads", "1", "--json", "-q"])
    energies = [row["energy"] for row in rows if row["status"] == "converged"]
    return min(energies) * MILLI, time.perf_counter() - began


def run(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def search_lowest(shoal, smiles, starts, seed, directory, options):
    began = time.perf_counter()
    path = directory / "molecule.smi"
    path.write_text(smiles + "\n", encoding="utf-8")
    command = [shoal, "search", path, "--starts", starts, "--seed", seed, "--json", "-q"]
    rows = run(command + ["--threads", "1"] + options)
    return min((row["energy"] for row in rows), default=float("inf")) * MILLI, time.perf_counter() - began


def reference(arguments, name, smiles, directory):
    known = {}
    if arguments.known and arguments.known.exists():
        known = json.loads(arguments.known.read_text(encoding="utf-8"))
    key = f"{smiles} {arguments.starts}"
    if key not in known:
        known[key] = rdkit_lowest(arguments.shoal, smiles, arguments.starts, directory)
        if arguments.known:
            arguments.known.write_text(json.dumps(known, indent=1), encoding="utf-8")
    return known[key]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shoal")
    parser.add_argument("--starts", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--set", default="known", choices=("known", "unseen", "fresh", "all"))
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--known", type=pathlib.Path)
    parser.add_argument("--options", default="", help="of the search, separated by spaces")
    arguments = parser.parse_args()
    try:
        import rdkit  # noqa: F401
    except ImportError:
        print("skipped: RDKit is not installed")
        return 77
    everything = {**KNOWN, **UNSEEN, **FRESH}
    molecules = {"known": KNOWN, "unseen": UNSEEN, "fresh": FRESH, "all": everything}[arguments.set]
    if arguments.only:
        molecules = {k: v for k, v in everything.items() if k in arguments.only}
    n_low = n_same = 0
    print(f"{'molecule':24s}{'ETKDGv3':>9s}  seeds")
    with tempfile.TemporaryDirectory() as folder:
        for name, smiles in molecules.items():
            directory = pathlib.Path(folder)
            theirs, their_time = reference(arguments, name, smiles, directory)
            ours, times = zip(
                *(
                    search_lowest(arguments.shoal, smiles, arguments.starts, seed, directory,
                                  arguments.options.split())
                    for seed in range(arguments.seeds)
                )
            )
            least = min(theirs, *ours)
            low = sum(e <= theirs + SAME for e in ours)
            same = max(ours) - min(ours) <= SAME
            n_low += low == len(ours)
            n_same += same
            text = "".join(f"{e - least:9.1f}" for e in ours)
            marks = ("" if low == len(ours) else f" {low} as low") + ("" if same else " differ")
            print(f"{name:24s}{theirs - least:9.1f}  {text}  {their_time:6.1f} s "
                  f"{sum(times) / len(times):6.1f} s{marks}", flush=True)
    print(f"{n_low} of {len(molecules)} as low as ETKDGv3 from every seed, {n_same} the same from all seeds")
    return 0 if n_low == len(molecules) else 1


if __name__ == "__main__":
    sys.exit(main())
