#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Files of a version, for tests/formats: make_format_files.py PROGRAM FOLDER. To be run once, before a version is out.
"""Results, a grid and its substrate, and a run that was stopped with its checkpoint; tests/cli/test_formats.py reads them."""

import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

TWO = """3
water
O 0 0 0.1173
H 0 0.7572 -0.4692
H 0 -0.7572 -0.4692
5
methane
C 0 0 0
H 0.63 0.63 0.63
H 0.63 -0.63 -0.63
H -0.63 0.63 -0.63
H -0.63 -0.63 0.63
"""
MANY = 4000  # copies of both: a run that can be stopped
PROBE = "3\nwater\nO 1 1 5\nH 1.76 1 5.59\nH 0.24 1 5.59\n"


def make(program, folder, out):
    def run(*words, codes=(0,)):
        done = subprocess.run([program, *words], cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode not in codes:
            raise SystemExit(f"make_format_files: {' '.join(words)}: {done.stderr}")
        return done.stdout

    (folder / "two.xyz").write_text(TWO)
    (folder / "many.xyz").write_text(TWO * MANY)
    (folder / "probe.xyz").write_text(PROBE)
    run("relax", "-q", "two.xyz", "-o", "run.h5")
    run("slab", "rocksalt", "NaCl", "--size", "1x1", "--layers", "2", "-q", "-o", "salt.xyz")
    run("grid", "build", "salt.xyz", "-o", "salt.h5", "--step", "0.5", "--height", "3", "--samples", "5", "-q")
    run("relax", "-q", "--threads", "1", "many.xyz", "-o", "out.xyz", "--max-hours", "1e-9", codes=(75,))
    on_grid = json.loads(run("energy", "-q", "--json", "--surface", "salt.xyz", "--grid", "salt.h5", "probe.xyz"))
    rows = [json.loads(line) for line in run("energy", "-q", "--json", "run.h5").splitlines()]
    known = {"energies": [row["energy"] for row in rows], "fmax": [row["fmax"] for row in rows], "on_grid": on_grid["energy"]}
    (out / "known.json").write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    (out / "salt.xyz").write_bytes((folder / "salt.xyz").read_bytes())
    for name in ("run.h5", "salt.h5", "out.xyz.checkpoint", "out.xyz.partial"):
        (out / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes(), 9, mtime=0))


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[2])
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        make(str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(place), target)
