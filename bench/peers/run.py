#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The same work by Shoal and whatever else is installed: run.py SHOAL [--work relax|argon] [--json FILE] [--repeats N]
"""One JSON line per program and setting, and a table on stdout. All compute on one thread unless the row says otherwise. What
differs cannot be made equal, so every row says it. `seconds` is the wall time of the best repeat. Shoal's time is that of the whole
program, from start to exit, with reading and writing; the others' begins when systems are in memory. A program that is not
installed gets a row that says so.

relax: the molecules of --file (default: 64 unlike ones) to their minima, by UFF and MMFF94. `converged` is the program's own
criterion at its own default, `median` the median energy of the molecules in kcal/mol: the lower, the further it went; comparable
within a force field.

argon: dynamics of crystals of 864 atoms, Lennard-Jones to 12 angstrom, in steps of 2 fs from rest. `first` and `last` are potential
energies before and after, in meV per atom: alike where the same was computed."""

import argparse
import datetime
import importlib
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
TOP = pathlib.Path(__file__).resolve().parents[2]
PEERS = {
    "relax": ("shoal_program", "rdkit_peer", "openbabel_peer", "nvmolkit_peer"),
    "argon": ("shoal_argon", "lammps_peer", "openmm_peer", "torchsim_peer"),
}
LONG = 20  # s
COLUMNS = {
    "relax": ("program", "version", "setting", "device", "molecules", "seconds", "per_s", "median", "converged"),
    "argon": ("program", "version", "setting", "device", "systems", "steps", "seconds", "per_s", "first", "last", "pairs"),
}


def commit():
    done = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=TOP, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def processor():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def measured(row):
    """A row with what follows from the energies of its molecules."""
    if "energies" not in row:
        return row
    energies = row.pop("energies")
    if not energies:
        raise ValueError("it computed no molecule")
    return {**row, "molecules": len(energies), "per_s": len(energies) / row["seconds"], "median": statistics.median(energies)}


def fastest(run, repeats):
    """Of so many repeats, or of those that begin within LONG seconds."""
    start, best = time.perf_counter(), None
    for _ in range(repeats):
        result = run()
        best = result if best is None or result["seconds"] < best["seconds"] else best
        if time.perf_counter() - start > LONG:
            break
    return best


def rows_of(name, arguments):
    """What a peer gives, best repeat of each row; one row with a reason where it cannot run."""
    try:
        peer = importlib.import_module(name)
        version = peer.version(arguments)
    except (ImportError, OSError) as error:
        return [{"program": name.split("_")[0], "skipped": f"not installed: {error}"}]
    rows = []
    for setting, run in peer.runs(arguments):
        row = {"program": peer.NAME, "version": version, "setting": setting, "device": "cpu, 1 thread"}
        try:
            rows.append({**row, **measured(fastest(run, arguments.repeats))})
        except (RuntimeError, ValueError, AttributeError) as error:
            rows.append({**row, "skipped": str(error)})
    return rows


def text(value):
    return f"{value:.4g}" if isinstance(value, float) else str(value if value is not None else "")


def table(rows, columns):
    lines = [columns] + [[text(row.get(c)) for c in columns] for row in rows if "skipped" not in row]
    widths = [max(len(line[k]) for line in lines) for k in range(len(columns))]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())
    for row in rows:
        if "skipped" in row:
            print(f"{row['program']} {row.get('setting', '')}: skipped: {row['skipped']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shoal")
    parser.add_argument("--work", choices=sorted(PEERS), default="relax")
    parser.add_argument("--file", default=str(TOP / "data/bench/unlike.sdf"), help="relax: molecules with coordinates")
    parser.add_argument("--systems", type=int, default=8, help="argon: crystals")
    parser.add_argument("--steps", type=int, default=200, help="argon: of each")
    parser.add_argument("--json", help="file to append lines to")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--shoal-device", default="cpu")
    arguments = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    rows = [row for name in PEERS[arguments.work] for row in rows_of(name, arguments)]
    where = {"date": datetime.date.today().isoformat(), "commit": commit(), "machine": processor(), "work": arguments.work}
    if arguments.work == "relax":
        where["file"] = pathlib.Path(arguments.file).name
    if arguments.json:
        with open(arguments.json, "a", encoding="utf-8") as file:
            file.writelines(json.dumps({**where, **row}) + "\n" for row in rows)
    table(rows, COLUMNS[arguments.work])


if __name__ == "__main__":
    main()
