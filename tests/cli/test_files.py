# SPDX-License-Identifier: BSD-3-Clause
# Files that could be mistaken: texts that a spreadsheet computes, files of another version, names that promise something
# else; what files say of their run, and tables of files of results.
import csv
import json
import os
import pathlib
import resource
import subprocess
import sys

from program import METHANE, TOP, UNTYPED, WATER, check, equal, run, run_each, write

DEMO = TOP / "examples" / "demo.sdf"
EMPTY = "nothing\n\n\n  0  0  0  0  0  0  0  0  0  0999 V2000\nM  END\n$$$$\n"

# Programs for the Python that has h5py, which need not be this one.
ATTRIBUTES = """import h5py, json, sys
with h5py.File(sys.argv[1]) as f: print(json.dumps({k: f.attrs[k].decode() for k in ("options", "start_time")}))
"""
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


def python_with_h5py():
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and subprocess.run([python, "-c", "import h5py"], capture_output=True).returncode == 0:
            return python
    print("  no Python with h5py: what needs it is left out")
    return None


def has_hdf5(directory):
    done = run("convert", write(directory, "one.xyz", WATER), "-o", f"{directory}/one.h5")
    if done.returncode == 3:
        print("  no HDF5 in this build: its files are left out")
    return done.returncode == 0


def check_version(directory):
    python = python_with_h5py()
    if not python or not has_hdf5(directory):
        return
    h5 = f"{directory}/out.h5"
    equal(run("convert", write(directory, "in.xyz", WATER + METHANE), "-o", h5).returncode, 0, "converted")
    subprocess.run([python, "-c", OTHER_VERSION, h5], check=True)
    for command in (("energy", h5), ("convert", h5, "-o", f"{directory}/again.sdf"), ("merge", "-o", f"{directory}/m.h5", h5)):
        done = run(*command)
        equal(done.returncode, 4, f"{command[0]}: a file of another version is an input that does not fit")
        check("version 99" in done.stderr, f"{command[0]} says why: {done.stderr}")


def check_tables(directory):
    """The table of a run comes out of its file of results, byte for byte, of several one after the other."""
    if not has_hdf5(directory):
        return
    path = write(directory, "in.sdf", DEMO.read_text() + "bad\n\n\nx\n$$$$\n")
    other = write(directory, "other.xyz", WATER.replace("water", '" a, b', 1) + UNTYPED)
    for name, words in (("a", (path,)), ("b", ("--copies", "3", "--jitter", "0.05", other))):
        run("relax", "-q", *words, "-o", f"{directory}/{name}.h5", "-o", f"{directory}/{name}.csv")
        done = run("convert", f"{directory}/{name}.h5", "-o", f"{directory}/again.csv")
        equal(done.returncode, 0, f"{name}: {done.stderr}")
        equal(pathlib.Path(f"{directory}/again.csv").read_text(), pathlib.Path(f"{directory}/{name}.csv").read_text(), name)
    done = run("convert", f"{directory}/a.h5", f"{directory}/a.h5", "-o", "-", "--output-format", "csv")
    rows = pathlib.Path(f"{directory}/a.csv").read_text().splitlines()
    equal(done.stdout.splitlines(), rows + rows[1:], "two files on standard output")
    for words in ((path, "-o", f"{directory}/x.csv"), (f"{directory}/a.h5", "-o", f"{directory}/x.csv", "-o", f"{directory}/y.csv"),
                  (f"{directory}/a.h5", "-o", f"{directory}/a.h5")):
        equal(run("convert", *words).returncode, 2, f"convert {words}")


def check_offers(directory):
    """Formats that are offered are taken."""
    water = write(directory, "water.xyz", WATER)
    done = run("convert", water, "-o", "-")
    equal(done.returncode, 2, "standard output has no name")
    for name in ("xyz", "sdf"):
        check(name in done.stderr and run("convert", water, "-o", "-", "--output-format", name).returncode == 0, name)
    check("h5" not in done.stderr and "json" not in done.stderr, f"no others are offered: {done.stderr}")
    for words in (("energy", water, "-o", f"{directory}/x.xyz"), ("convert", water, "-o", f"{directory}/x.xyz")):
        done = run(*words, "--output-format", "nonsense")
        check(done.returncode == 2 and "'nonsense'" in done.stderr, f"{words[0]}: {done.returncode} {done.stderr}")
    for command in ("convert", "relax"):
        done = run(command, water, "-o", f"{directory}/x.mol")
        check(done.returncode == 2 and ".sdf" in done.stderr, f"{command}: .mol has one molecule: {done.stderr}")
    rows = run("types", "--json", write(directory, "many.mol", DEMO.read_text())).stdout.splitlines()
    equal(len(rows), DEMO.read_text().count("$$$$"), "records of a .mol that has several are all read")


def check_empty(directory):
    """A molecule without atoms is no success."""
    path = write(directory, "empty.sdf", EMPTY + WATER_SDF(directory))
    for command in ("types", "energy", "relax", "modes", "md"):
        done = run(command, "--json", path)
        row = json.loads(done.stdout.splitlines()[0])
        equal((done.returncode, row["status"]), (1, "untyped"), f"{command}: {done.stderr}")
        check("no atoms" in row["reason"], f"{command}: {row}")


def WATER_SDF(directory):
    return run("convert", write(directory, "water.xyz", WATER), "-o", "-", "--output-format", "sdf").stdout


def check_header(directory):
    """Options that were given several times are lists, and the start has a time."""
    python = python_with_h5py()
    if not python or not has_hdf5(directory):
        return
    h5 = f"{directory}/out.h5"
    run("relax", "-q", DEMO, "-o", h5, "-o", f"{directory}/b.csv", "--fmax", "0.05")
    said = json.loads(subprocess.run([python, "-c", ATTRIBUTES, h5], capture_output=True, text=True).stdout)
    pairs = []
    options = json.loads(said["options"], object_pairs_hook=lambda p: pairs.append([k for k, _ in p]) or dict(p))
    check(all(len(keys) == len(set(keys)) for keys in pairs), f"keys are unique: {pairs}")
    equal(options["options"]["output"], [h5, f"{directory}/b.csv"], "outputs")
    equal(options["options"]["fmax"], "0.05", "an option that was given once")
    check(said["start_time"].startswith("20") and said["start_time"].endswith("Z"), f"start: {said['start_time']!r}")


def check_charges(directory):
    """Computed charges are results for ASE, those of a file are initial ones; both are read again."""
    path = write(directory, "water.xyz", WATER)
    run("relax", "-q", "--charges", "qeq", path, "-o", f"{directory}/qeq.xyz")
    text = pathlib.Path(f"{directory}/qeq.xyz").read_text()
    check(":charges:R:1" in text and "initial_charges" not in text, f"computed: {text.splitlines()[1]}")
    run("relax", "-q", f"{directory}/qeq.xyz", "-o", f"{directory}/again.xyz")
    check(":initial_charges:R:1" in pathlib.Path(f"{directory}/again.xyz").read_text(), "given")


def check_full(directory):
    """A disk that is full is told once, and what is kept in one line."""
    path = write(directory, "big.sdf", DEMO.read_text() * 20)
    kinds = ("xyz", "sdf", "jsonl", "csv", "extxyz")

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (50000, 50000))

    command = ["relax", "-q", path, *(w for k in kinds for w in ("-o", f"{directory}/full.{k}"))]
    done = subprocess.run([sys.argv[1], *map(str, command)], preexec_fn=limit, capture_output=True, text=True)
    equal(done.returncode, 4, f"exit code: {done.stderr}")
    equal(done.stderr.count("File too large"), 1, f"why: {done.stderr}")
    equal(done.stderr.count("kept in"), 1, f"what is kept: {done.stderr}")


run_each([check_formulas, check_version, check_tables, check_offers, check_empty, check_header, check_charges, check_full])
