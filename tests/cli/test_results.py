# SPDX-License-Identifier: BSD-3-Clause
# Results in HDF5, as h5py sees them: while they are written, after kill -9 and going on, and from shards.
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from program import PROGRAM, TOP, check, equal, finish, run, skip, write
from test_runs import kill_and_resume

TYPES = (TOP / "tests" / "cases" / "types.sdf").read_text()

# Programs for the Python that has h5py, which need not be this one.
NUMBERS = """
import h5py, json, sys
with h5py.File(sys.argv[1], "r", swmr=True) as f:
    s, a = f["systems"], f["atoms"]
    n = len(s["index"])
    names = [x.decode() for x in s["status"].attrs["names"]]
    starts = a["starts"][:n + 1]
    print(json.dumps({"n": n, "index": s["index"][:n].tolist(), "energy": s["energy"][:n].tolist(),
                      "status": [names[k] for k in s["status"][:n]], "natoms": (starts[1:] - starts[:-1]).tolist(),
                      "fmax": s["fmax"][:n].tolist(), "z": int(a["number"][0]), "x": a["position"][0].tolist()}))
"""
SAME = """
import h5py, sys
a, b = (h5py.File(p, "r") for p in sys.argv[1:3])
names = []
a.visititems(lambda name, x: names.append(name) if isinstance(x, h5py.Dataset) else None)
other = [n for n in names if n not in b or a[n].shape != b[n].shape or a[n][()].tobytes() != b[n][()].tobytes()]
print(len(names), *other)
"""


def python_with_h5py():
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and subprocess.run([python, "-c", "import h5py"], capture_output=True).returncode == 0:
            return python
    return None


def ask(python, program, *files):
    done = subprocess.run([python, "-c", program, *map(str, files)], capture_output=True, text=True)
    check(done.returncode == 0, f"h5py: {done.stderr[-300:]}")
    return done.stdout


def check_same(python, one, other, title):
    answer = ask(python, SAME, one, other).split()
    check(len(answer) == 1 and int(answer[0]) > 20, f"{title}: datasets that differ: {answer}")


def check_numbers(python, directory):
    """The file says what the rows say."""
    path = write(directory, "in.sdf", TYPES + "bad\n\n\nx\n$$$$\n" + TYPES)
    done = run("relax", "--json", "-q", path, "-o", f"{directory}/out.h5")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    found = json.loads(ask(python, NUMBERS, f"{directory}/out.h5"))
    equal((done.returncode, found["n"]), (1, len(rows)), f"systems: {done.stderr}")
    for key in ("index", "status", "natoms"):
        equal(found[key], [r[key] for r in rows], key)
    for key in ("energy", "fmax"):
        equal([x for x, r in zip(found[key], rows) if key in r], [r[key] for r in rows if key in r], key)
    example = pathlib.Path(TOP / "docs" / "results.md").read_text().split("```python\n")[1].split("```")[0]
    check("lowest energy" in ask(python, example, f"{directory}/out.h5"), "the example of the docs runs")


def check_growing(python, directory):
    """It opens while the run goes on, and grows."""
    path = write(directory, "many.sdf", TYPES * 800)
    process = subprocess.Popen([PROGRAM, "relax", "-q", "--threads", "1", "--checkpoint-every", "0.2", str(path), "-o",
                                f"{directory}/growing.h5"], stdout=subprocess.DEVNULL)
    seen = []
    while process.poll() is None:
        time.sleep(0.1)
        if os.path.exists(f"{directory}/growing.h5") and process.poll() is None:
            done = subprocess.run([python, "-c", NUMBERS, f"{directory}/growing.h5"], capture_output=True, text=True)
            if done.returncode == 0:
                seen.append(json.loads(done.stdout)["n"])
            elif "IndexError" not in done.stderr and process.poll() is None:  # no atoms yet
                check(False, f"while it is written: {done.stderr[-300:]}")
    equal(process.returncode, 0, "exit code")
    check(len(set(seen)) >= 2 and seen == sorted(seen), f"systems seen on the way: {seen}")


def check_kills(python, directory):
    path = write(directory, "many.sdf", TYPES * 60)
    base = [PROGRAM, "relax", "-q", "--checkpoint-every", "0.01", str(path)]
    began = time.monotonic()
    subprocess.run(base + ["-o", f"{directory}/whole.h5"], stdout=subprocess.DEVNULL)
    kills = kill_and_resume(directory, base + ["-o", f"{directory}/part.h5"], 10, (time.monotonic() - began) / 2,
                            os.devnull)
    check(kills > 0, "no run was killed")
    check_same(python, f"{directory}/whole.h5", f"{directory}/part.h5", f"killed {kills} times")
    equal(sorted(f for f in os.listdir(directory) if f.startswith("part")), ["part.h5"], "files left")


def check_shards(python, directory):
    path = write(directory, "in.sdf", TYPES * 2)
    run("relax", "-q", path, "-o", f"{directory}/one.h5")
    for k in range(3):
        run("relax", "-q", "--shard", f"{k}/3", path, "-o", f"{directory}/s{k}.h5")
    done = run("merge", "-o", f"{directory}/merged.h5", *(f"{directory}/s{k}.h5" for k in (2, 1, 0, 1)))
    equal(done.returncode, 0, f"merge: {done.stderr}")
    check_same(python, f"{directory}/one.h5", f"{directory}/merged.h5", "merged = whole")


def check_damage(_, directory):
    """Whatever is wrong with a file, the program says it, and HDF5 says nothing."""
    whole = pathlib.Path(directory) / "whole.h5"
    run("energy", "-q", write(directory, "in.sdf", TYPES), "-o", whole)
    data, n_refused = whole.read_bytes(), 0
    for at in range(2000, 6000, 100):
        hurt = pathlib.Path(directory) / "hurt.h5"
        hurt.write_bytes(data[:at] + bytes([data[at] ^ 0x20]) + data[at + 1:])
        done = run("convert", "-q", hurt, "-o", f"{directory}/out.xyz")
        n_refused += done.returncode == 4
        check("HDF5:" not in done.stderr, f"byte {at}: {done.stderr[:200]}")
    check(n_refused > 5, f"{n_refused} of 40 damaged files were refused")


def main():
    python = python_with_h5py()
    if not python:
        skip("no Python with h5py")
    if "hdf5" not in run("--version").stdout:
        skip("built without HDF5")
    for task in (check_numbers, check_growing, check_kills, check_shards, check_damage):
        with tempfile.TemporaryDirectory() as directory:
            task(python, directory)
    finish()


if __name__ == "__main__":
    main()
