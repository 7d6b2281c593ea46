# SPDX-License-Identifier: BSD-3-Clause
# Files that could be mistaken: texts that a spreadsheet computes, files of another version.
import csv
import os
import subprocess
import sys

from program import METHANE, WATER, check, equal, run, run_each, write

# Programs for the Python that has h5py, which need not be this one.
OTHER_VERSION = "import h5py, sys\nwith h5py.File(sys.argv[1], 'r+') as f: f.attrs.modify('version', 99)\n"


def check_formulas(directory):
    names = ["=1+1", "+cmd", "-2", "@sum", '=HYPERLINK("x","y")', "plain", "-", "a-b"]
    path = write(directory, "in.xyz", "".join(WATER.replace("water", name, 1) for name in names))
    equal(run("energy", "-q", path, "-o", f"{directory}/out.csv", "-o", f"{directory}/out.jsonl").returncode, 0, "runs")
    with open(f"{directory}/out.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    wanted = ["'" + name if name[0] in "=+-@" and len(name) > 1 else name for name in names]
    equal([row["name"] for row in rows], wanted, "texts that no spreadsheet computes")
    check(all(float(row["energy"]) == float(row["energy"]) for row in rows), "numbers stay numbers")


def check_version(directory):
    path = write(directory, "in.xyz", WATER + METHANE)
    h5 = f"{directory}/out.h5"
    if run("convert", path, "-o", h5).returncode == 3:
        print("  no HDF5 in this build: files of another version are left out")
        return
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and subprocess.run([python, "-c", OTHER_VERSION, h5], capture_output=True).returncode == 0:
            break
    else:
        print("  no Python with h5py: files of another version are left out")
        return
    for command in (("energy", h5), ("convert", h5, "-o", f"{directory}/again.sdf"), ("merge", "-o", f"{directory}/m.h5", h5)):
        done = run(*command)
        equal(done.returncode, 4, f"{command[0]}: a file of another version is an input that does not fit")
        check("version 99" in done.stderr, f"{command[0]} says why: {done.stderr}")


run_each([check_formulas, check_version])
