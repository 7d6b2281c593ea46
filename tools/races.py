#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Data races in kernels: small runs of every schedule under Oclgrind, which sees all reads and writes of a work-group.

PoCL runs the work-items of a group one after the other, so that a missing barrier does not show there.

usage: races.py SHOAL    exit 77 where Oclgrind (Debian: oclgrind) is not installed"""
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

WATERS = """9
{}
O 0 0 0
H 0.96 0 0
H -0.24 0.93 0
O 3 0.3 0
H 3.9 0.2 0.1
H 2.8 1.2 0.2
O 0.2 3.1 0.3
H 1.1 3.2 0.3
H 0 4.1 0.2
"""
CRYSTAL = 'Lattice="14 0 0 0 14 0 0 0 14" Properties=species:S:1:pos:R:3'
STEPS = ["--max-steps", "3"]
RUNS = [  # {} is a molecule, a work-group each; {p} a crystal, of many; {s} a slab
    "energy --charges qeq {}",
    "relax --method fire {}",
    "relax --method fire --rigid molecules {}",
    "relax --method lbfgs --charges qeq {}",
    "relax --method lbfgs --rigid molecules {}",
    "relax --forcefield mmffsp3 {}",
    "relax --forcefield mmff94 --charges mmff94 --method fire {}",
    "relax --params noncovalent --charges mmff94 {}",
    "relax --surface {s} --grid off --charges qeq --height 3 {}",
    "relax --surface {s} --grid off --height 3 --rigid molecules {}",
    "md --thermostat langevin --rigid-bonds --dt 2 {}",
    "md --thermostat nose-hoover {}",
    "md --forcefield mmffsp3 {}",
    "md --thermostat langevin --rigid molecules {}",
    "relax --method fire --charges qeq --cell full {p}",
    "relax --method fire --rigid molecules {p}",
    "relax --method lbfgs --rigid molecules {p}",
    "relax --method lbfgs --forcefield mmffsp3 {p}",
    "relax --method fire --charges qeq --ewald mesh {p}",
    "md --rigid-bonds --dt 2 {p}",
    "md --thermostat langevin --rigid molecules {p}",
]
# Kernel and the file that reads: the length of a step is read by all with the rest of a state, and not used where it is written.
HARMLESS = {("large_lbfgs_move", "kernels/step_state.h")}
TRIES = 4  # Oclgrind's compiler crashes now and then


def find_oclgrind():
    for folder in ("/usr/lib/oclgrind", "/usr/lib", "/usr/local/lib"):
        path = pathlib.Path(folder) / "liboclgrind-rt-icd.so"
        if path.exists():
            return path
    return None


def races_of(text):
    """How often what happened: (kernel, memory, places)."""
    found = collections.Counter()
    for block in text.split("data race at ")[1:]:
        kernel = re.search(r"Kernel: (\S+)", block)
        places = re.findall(r"At line (\d+) \(column \d+\) of (\S+?):", block)
        if (kernel[1], places[0][1]) not in HARMLESS:
            found[kernel[1], block.split()[0], " ".join(f"{file}:{line}" for line, file in places)] += 1
    return found


def run(shoal, arguments, environment):
    """(exit code, all that it said) of the first try that does not crash."""
    steps = ["--steps", "4", "--stride", "2"] if arguments[0] == "md" else [] if arguments[0] == "energy" else STEPS
    command = [shoal, *arguments, *steps, "-q", "--threads", "1", "--device", "opencl:0"]
    for _ in range(TRIES):
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, check=False)
        if done.returncode in (0, 1):
            break
    return done.returncode, done.stdout + done.stderr


def main():
    shoal, library = os.path.abspath(sys.argv[1]), find_oclgrind()
    if not library:
        print("data races: skipped: Oclgrind is not installed")
        return 77
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        top = pathlib.Path(folder)
        (top / "oclgrind.icd").write_text(f"{library}\n")
        names = {"p": top / "crystal.xyz", "s": top / "slab.xyz"}
        (top / "molecule.xyz").write_text(WATERS.format("waters"))
        names["p"].write_text(WATERS.format(CRYSTAL))
        subprocess.run([shoal, "slab", "rocksalt", "NaCl", "--size", "2x2", "-q", "-o", names["s"]], check=True)
        environment = {**os.environ, "OCL_ICD_VENDORS": folder, "OCLGRIND_DATA_RACES": "1",
                       "OCLGRIND_MAX_ERRORS": "100000", "SHOAL_CACHE": "0", "SHOAL_CL_COMPILER": "",
                       "SHOAL_CL_OPTIONS": "-cl-opt-disable"}
        for line in RUNS:
            code, text = run(shoal, line.format(top / "molecule.xyz", **names).split(), environment)
            found = races_of(text)
            print(f"{'ok' if code in (0, 1) and not found else 'failed'}: {line}")
            for what, count in found.most_common():
                print(f"  {count} x {' '.join(what)}")
            if code not in (0, 1):
                print(f"  exit {code}: {text.strip()[-300:]}")
            bad += bool(found) or code not in (0, 1)
    print(f"{len(RUNS) - bad} passed, {bad} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
