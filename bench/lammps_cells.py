#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Crystals relaxed with their cells, structures per second on one core, beside LAMMPS with the same terms.
"""usage: lammps_cells.py SHOAL [--lammps lmp] [--most-atoms 1300] [--least-width 9] [--compare 20] [--compare-atoms 300]
       [--seed 1] [--fmax 0.01] [--stress 0.01] [--forcefield uff4mof] FILES

All FILES that are typed and have no more than so many atoms are relaxed by one run of `shoal relax --cell full` on one thread,
without charges. LAMMPS (`lmp`, with MOLECULE) relaxes a sample of those up to --compare-atoms, each by itself, with the terms of Shoal's topologies as
data (tools/check_lammps.py): conjugate gradients with `fix box/relax tri`, begun again (it keeps the strains of its beginning)
until no component of a force is above --fmax (eV/angstrom) and none of the stress above --stress (GPa). Cells narrower than
--least-width, which would need copies in LAMMPS, are left out of the sample.

A structure counts in the comparison if both have converged and their energies differ by less than 1 meV per atom: else they
went to different minima, and are named. Times are the processor's seconds: of Shoal with start, reading and typing; of LAMMPS
less those of the same input with one single point in the place of the minimisation. Each structure is a JSON line; the last
one has the rates."""

import argparse
import json
import os
import pathlib
import random
import resource
import statistics
import subprocess
import sys
import tempfile

import numpy as np

import shoal

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
import check_lammps  # noqa: E402

ROUNDS = 40


def used():
    """Processor's seconds of all children so far."""
    r = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r.ru_utime + r.ru_stime


def run(command, **keywords):
    before = used()
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, **keywords)
    return done, used() - before


def relax(arguments, files):
    command = [arguments.shoal, "relax", "-q", "--json", "--threads", "1", "--forcefield", arguments.forcefield, "--charges", "none",
               "--cell", "full", "--fmax", str(arguments.fmax), "--stress", str(arguments.stress), "--no-angle-guard",
               "--vdw-cutoff", str(check_lammps.CUTOFF)]
    done, seconds = run([*command, *files])
    return [json.loads(line) for line in done.stdout.splitlines()], seconds


def minimisation(arguments):
    """Rounds of minimisation, each from the cell in which the last has ended."""
    bar = arguments.stress / check_lammps.GPA_PER_BAR
    return ["neigh_modify one 10000 page 100000", "thermo_style custom step pe vol fmax pxx pyy pzz pxy pxz pyz",
            "thermo_modify norm no format float %.12g", "thermo 1000000", "min_style cg", "min_modify norm max line quadratic",
            "fix cell all box/relax tri 0.0 vmax 0.01", "variable f equal fmax",
            *[f"variable p{k} equal abs({name})" for k, name in enumerate(("pxx", "pyy", "pzz", "pxy", "pxz", "pyz"))],
            f"variable round loop {ROUNDS}", "label again", f"minimize 0 {arguments.fmax} 500 5000",
            "if \"${f} < " + str(arguments.fmax) + "".join(f" && ${{p{k}}} < {bar}" for k in range(6)) + "\" then \"jump SELF done\"",
            "next round", "jump SELF again", "label done", "variable e equal pe", "variable v equal vol",
            'print "ended ${e} ${v} ${f} ${p0} ${p1} ${p2} ${p3} ${p4} ${p5}"']


def by_lammps(arguments, path, folder):
    """Energy, volume, whether it has converged, and the seconds; or the reason why not."""
    mol = shoal.read(path)[0]
    field = shoal.UFF(angle_guard=False) if arguments.forcefield == "uff" else arguments.forcefield
    top = mol.topology(charges="none", forcefield=field)
    reason = check_lammps.write(folder, mol, top, minimisation(arguments), "linear")
    if isinstance(reason, str):
        return reason
    done, seconds = run([arguments.lammps, "-in", "in", "-log", "none"], cwd=folder, timeout=1800)
    ended = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("ended ")]
    if not ended:
        return "; ".join(line for line in done.stdout.splitlines() if "ERROR" in line)[:200] or "LAMMPS said nothing"
    check_lammps.write(folder, mol, top, ["neigh_modify one 10000 page 100000", "run 0"], "linear")
    _, start = run([arguments.lammps, "-in", "in", "-log", "none"], cwd=folder, timeout=600)
    e, v, f, *p = map(float, ended[-1])
    good = f <= arguments.fmax and max(p) * check_lammps.GPA_PER_BAR <= arguments.stress
    return {"energy": e, "volume": v, "converged": good, "seconds": max(seconds - start, 0.0)}


def widths(mol):
    return 1 / np.linalg.norm(np.linalg.inv(np.asarray(mol.cell)), axis=0)


def chosen(arguments):
    done, _ = run([arguments.shoal, "types", "-q", "--json", "--forcefield", arguments.forcefield, *arguments.files])
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    one = {row["file"] for row in rows} - {row["file"] for row in rows if row["record"] > 0}
    return [row["file"] for row in rows if row["status"] == "ok" and row["file"] in one and row["natoms"] <= arguments.most_atoms]


def compare(arguments, files, ours):
    wide = [f for f in files if ours[f]["natoms"] <= arguments.compare_atoms and widths(shoal.read(f)[0]).min() >= arguments.least_width]
    sample = random.Random(arguments.seed).sample(wide, min(arguments.compare, len(wide)))
    rows = []
    for path in sample:
        (row,), seconds = relax(arguments, [path])
        with tempfile.TemporaryDirectory() as folder:
            theirs = by_lammps(arguments, path, pathlib.Path(folder))
        told = {"name": pathlib.Path(path).stem, "natoms": row["natoms"], "shoal": row["status"], "steps": row["steps"],
                "energy": row["energy"], "seconds": seconds, "lammps": theirs}
        told["same"] = (not isinstance(theirs, str) and theirs["converged"] and row["status"] == "converged"
                        and row["energy"] == ours[path]["energy"] and abs(theirs["energy"] - row["energy"]) < 1e-3 * row["natoms"])
        rows.append(told)
        print(json.dumps(told), flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shoal")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--lammps", default="lmp")
    parser.add_argument("--most-atoms", type=int, default=1300)
    parser.add_argument("--compare-atoms", type=int, default=300)
    parser.add_argument("--least-width", type=float, default=9.0)
    parser.add_argument("--compare", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fmax", type=float, default=0.01)
    parser.add_argument("--stress", type=float, default=0.01)
    parser.add_argument("--forcefield", default="uff4mof")
    arguments = parser.parse_args()
    files = chosen(arguments)
    rows, seconds = relax(arguments, files)
    ours = {row["file"]: row for row in rows}
    done = sum(row["status"] == "converged" for row in rows)
    told = compare(arguments, files, ours)
    same = [t for t in told if t["same"]]
    ratios = [t["lammps"]["seconds"] / t["seconds"] for t in same]
    print(json.dumps({
        "structures": len(rows), "converged": done, "seconds": seconds, "structures_per_s": len(rows) / seconds,
        "median_atoms": statistics.median(row["natoms"] for row in rows), "compared": len(told), "same_minimum": len(same),
        "lammps_structures_per_s": len(same) / sum(t["lammps"]["seconds"] for t in same) if same else None,
        "shoal_structures_per_s": len(same) / sum(t["seconds"] for t in same) if same else None,
        "median_ratio": statistics.median(ratios) if ratios else None}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
