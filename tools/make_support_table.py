#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Writes docs/support.md by asking the program what it can compute: make_support_table.py [PROGRAM [OUT]]; '-' prints it.
"""A small molecule goes through every job, device and force field, periodic in 0 to 3 directions, alone and on a
surface. What is computed is supported; what is refused gives the reason. Nothing else knows what is supported."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[1]
PAGE = TOP / "docs" / "support.md"
JOBS = {
    "energy": ("energy",),
    "relax": ("relax", "--max-steps", "2"),
    "relax --rigid": ("relax", "--rigid", "molecules", "--max-steps", "2"),
    "md": ("md", "--steps", "2"),
    "md --rigid": ("md", "--rigid", "molecules", "--steps", "2"),
    "modes": ("modes", "--no-relax"),
    "scan": ("scan", "--coordinate", "distance:0,1=1.2:1.3:0.1"),
    "scan --relaxed": ("scan", "--coordinate", "distance:0,1=1.2:1.3:0.1", "--relaxed", "--max-steps", "2"),
    "search": ("search", "--starts", "2", "--kicks", "0", "--max-steps", "200"),
}
FORCEFIELDS = ("uff", "mmffsp3")
DEVICES = {"ref": "ref", "cpu": "cpu", "opencl": "opencl:0"}
COMPUTED = ("ok", "converged", "max_steps")
FORMALDEHYDE = (("C", 0, 0, 0, 0.2), ("O", 0, 0, 1.21, -0.4), ("H", 0.94, 0, -0.54, 0.1), ("H", -0.94, 0, -0.54, 0.1))
FAILED = re.compile(r"^  \d+ (\dD): (\w+), (.*)$", re.MULTILINE)


def write_systems(path, edge):
    """One molecule four times, periodic in 0 to 3 directions; edge: that of the surface's cell, angstrom."""
    lines = []
    for n in range(4):
        pbc = " ".join("T" if c < n else "F" for c in range(3))
        cell = f'Lattice="{edge} 0 0 0 {edge} 0 0 0 20" pbc="{pbc}" ' if n else ""
        lines += ["4", f"{cell}name={n}D Properties=species:S:1:pos:R:3:charge:R:1"]
        lines += [f"{e} {x + 3} {y + 3} {z + 4} {q}" for e, x, y, z, q in FORMALDEHYDE]
    path.write_text("\n".join(lines) + "\n")


def ask(program, place, job, device, forcefield, surface):
    """{directions that repeat: None, or the reason of the refusal}."""
    command = [program, *JOBS[job], "--json", "--device", device, "--forcefield", forcefield, "systems.xyz"]
    command += ["--surface", "slab.xyz", "--grid", "off"] if surface else []
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        reason = done.stderr.strip().splitlines()[0].removeprefix("shoal: ")
        return {n: reason for n in range(4)}
    told = {}
    for row in map(json.loads, done.stdout.splitlines()):
        if "name" in row:
            told[int(row["name"][0])] = None if row.get("status", "ok") in COMPUTED else row["reason"]
    for name, status, reason in FAILED.findall(done.stderr):
        told.setdefault(int(name[0]), None if status in COMPUTED else reason)
    if sorted(told) != [0, 1, 2, 3]:
        raise SystemExit(f"make_support_table: {' '.join(command)}: {done.stdout}{done.stderr}")
    return told


def devices_of(program):
    """Devices by the name of their column, as far as this machine has them."""
    done = subprocess.run([program, "devices", "--json"], capture_output=True, text=True, check=False)
    there = {json.loads(line)["device"] for line in done.stdout.splitlines()}
    return {column: device for column, device in DEVICES.items() if device in there}


def cell_of(told, reasons):
    """Directions that are supported, and the numbers of the reasons why others are not."""
    notes = sorted({reasons.setdefault(why, len(reasons) + 1) for why in told.values() if why})
    good = " ".join(str(n) for n, why in sorted(told.items()) if why is None) or "no"
    return good + "".join(f" [^{k}]" for k in notes)


def table(program, wanted=lambda job, surface, column: True):
    """{(job, surface, device, force field): what ask() says}."""
    found, devices = {}, devices_of(program)
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        slab = ("slab", "rocksalt", "NaCl", "--size", "4x4", "--layers", "1", "-q", "-o", "slab.xyz")
        subprocess.run([program, *slab], cwd=place, check=True)
        write_systems(place / "systems.xyz", re.search(r'Lattice="(\S+)', (place / "slab.xyz").read_text()).group(1))
        for job in JOBS:
            for surface in (False, True):
                for column, device in devices.items():
                    for forcefield in FORCEFIELDS if wanted(job, surface, column) else ():
                        told = ask(program, place, job, device, forcefield, surface)
                        found[job, surface, column, forcefield] = told
    return found


def page_of(found):
    reasons, columns = {}, [(d, f) for f in FORCEFIELDS for d in DEVICES]
    lines = ["# What is supported", "",
             "A cell says in how many directions a system may repeat: 0 is an isolated molecule, 1 a chain, 2 a layer, 3 a "
             "crystal. `tools/make_support_table.py` asks the program for every entry, and a test compares them.", "",
             "| job | surface | " + " | ".join(f"{f}, {d}" for d, f in columns) + " |",
             "| --- | --- |" + " --- |" * len(columns)]
    for job in JOBS:
        for surface in (False, True):
            cells = [cell_of(found[job, surface, d, f], reasons) for d, f in columns]
            lines.append(f"| `{job}` | {'yes' if surface else 'no'} | " + " | ".join(cells) + " |")
    lines += ["", "Where something is refused, the program says:", ""]
    lines += [f"[^{k}]: {why}" for why, k in reasons.items()]
    return "\n".join(lines) + "\n"


def main():
    program = str(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else TOP / "build" / "shoal").resolve())
    out = sys.argv[2] if len(sys.argv) > 2 else PAGE
    found = table(program)
    if any((job, False, d, FORCEFIELDS[0]) not in found for d in DEVICES for job in JOBS):
        raise SystemExit("make_support_table: there is no OpenCL device here; expected ref, cpu and opencl:0")
    text = page_of(found)
    if out == "-":
        print(text, end="")
    else:
        pathlib.Path(out).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
