#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The same molecules through Shoal and whatever else is installed: run.py SHOAL FILE.sdf [--json FILE] [--repeats N]
"""One JSON line per program and force field, and a table on stdout. All relax the molecules of the file, on one thread unless the
row says otherwise. What differs cannot be made equal, so every row says it: `converged` is the program's own criterion at its own
default, `median` the median energy of the molecules in kcal/mol (the lower, the further it went; comparable within a force field),
`seconds` the wall time of the best repeat. Shoal's time is that of the whole program, from start to exit, with reading and writing;
the others' begins when molecules are in memory. A program that is not installed gets a row that says so."""

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

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
PEERS = ("shoal_program", "rdkit_peer", "openbabel_peer", "nvmolkit_peer")
COLUMNS = ("program", "version", "forcefield", "device", "molecules", "seconds", "per_s", "median", "converged")


def commit():
    top = pathlib.Path(__file__).resolve().parents[2]
    done = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=top, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def rows_of(name, arguments):
    """What a peer gives, best repeat of each row; one row with a reason where it cannot run."""
    try:
        peer = importlib.import_module(name)
        version = peer.version(arguments)
    except (ImportError, OSError) as error:
        return [{"program": name.split("_")[0], "skipped": f"not installed: {error}"}]
    rows = []
    for forcefield, run in peer.runs(arguments):
        try:
            best = min((run() for _ in range(arguments.repeats)), key=lambda row: row["seconds"])
        except (RuntimeError, ValueError, AttributeError) as error:
            rows.append({"program": peer.NAME, "version": version, "forcefield": forcefield, "skipped": str(error)})
            continue
        energies = sorted(best.pop("energies"))
        rows.append({"program": peer.NAME, "version": version, "forcefield": forcefield, "device": "cpu, 1 thread", **best,
                     "molecules": len(energies), "per_s": len(energies) / best["seconds"], "median": statistics.median(energies)})
    return rows


def text(value):
    return f"{value:.4g}" if isinstance(value, float) else str(value if value is not None else "")


def table(rows):
    lines = [COLUMNS] + [[text(row.get(c)) for c in COLUMNS] for row in rows if "skipped" not in row]
    widths = [max(len(line[k]) for line in lines) for k in range(len(COLUMNS))]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())
    for row in rows:
        if "skipped" in row:
            print(f"{row['program']} {row.get('forcefield', '')}: skipped: {row['skipped']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shoal")
    parser.add_argument("file")
    parser.add_argument("--json", help="file to append lines to")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--shoal-device", default="cpu")
    arguments = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    rows = [row for name in PEERS for row in rows_of(name, arguments)]
    where = {"date": datetime.date.today().isoformat(), "commit": commit(), "machine": platform.processor() or platform.machine(),
             "file": pathlib.Path(arguments.file).name}
    if arguments.json:
        with open(arguments.json, "a", encoding="utf-8") as file:
            file.writelines(json.dumps({**where, **row}) + "\n" for row in rows)
    table(rows)


if __name__ == "__main__":
    main()
