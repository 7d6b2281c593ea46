#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# RDKit's rate on the molecules of bench_typing: UFF set-up alone, and from the text of the record.
"""usage: typing_rdkit.py FILE.sdf...

"type" starts from a sanitized Mol, so perception is not in it; "parse+type" starts from the mol
block. Shoal's figure, perception and terms of a molecule in memory, lies between the two. RDKit
also lists the non-bonded pairs here, Shoal only the excluded ones."""

import json
import pathlib
import statistics
import sys
import time

N_REPEATS = 5


def blocks_of(path):
    return [record for record in path.read_text().split("$$$$\n") if record.strip()]


def timed(work, items):
    start = time.perf_counter()
    results = [work(item) for item in items]
    seconds = time.perf_counter() - start
    if not all(results):
        raise SystemExit("typing_rdkit: RDKit could not set up every molecule")
    return seconds


def measure(what, path, work, items):
    times = [timed(work, items) for _ in range(N_REPEATS)]
    rates = sorted(len(items) / t for t in times)
    print(json.dumps({
        "what": what, "case": path.name, "program": "rdkit", "molecules": len(items),
        "repeats": N_REPEATS, "molecules_per_s": round(statistics.median(rates)),
        "molecules_per_s_min": round(rates[0]), "molecules_per_s_max": round(rates[-1]),
    }), flush=True)


def main():
    try:
        from rdkit import Chem, ForceField, RDLogger  # noqa: F401 (the force field needs its module)
        from rdkit.Chem import rdForceFieldHelpers as helpers
    except ImportError:
        print("typing_rdkit: skipped: no RDKit in this Python (./dev setup --compare)")
        return
    RDLogger.DisableLog("rdApp.*")

    def parse(block):
        return Chem.MolFromMolBlock(block, removeHs=False)

    for path in map(pathlib.Path, sys.argv[1:]):
        blocks = blocks_of(path)
        molecules = [parse(block) for block in blocks]
        measure("type", path, helpers.UFFGetMoleculeForceField, molecules)
        measure("parse+type", path, lambda b: helpers.UFFGetMoleculeForceField(parse(b)), blocks)


if __name__ == "__main__":
    main()
