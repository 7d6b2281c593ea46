#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Steps of dynamics by the size of systems and by how many there are, and where the device is not kept busy.
"""usage: sizes.py SHOAL [--device cpu] [--threads 1] [--atoms 11,38,98,..] [--systems 1,10,..] [--seconds 1]
       [--most 4e6] [--table]

One JSON line for every number of atoms and of systems: whole runs of 'md' with two numbers of steps, the
difference of which is the steps alone, without start, reading and typing. Systems are copies of an alkane (all pairs)
up to 3000 atoms, and of cristobalite with a cut-off of 12 angstrom from there on, with other velocities each. steps_per_s is by the wall clock; steps_per_cpu_s by the processor's seconds of all threads, which
other work on the machine disturbs least (of no use for a GPU). --table prints atom-steps per second as a table in Markdown
instead, by the processor's seconds on the device cpu; behind them what that is of the best with as many atoms,
where it is less than 70 %: a hole. Cells with more than --most atoms altogether are left out."""

import argparse
import json
import math
import pathlib
import resource
import subprocess
import tempfile
import time

ATOMS = "11,23,38,98,302,998,3002,10080,51840,199584"
SYSTEMS = "1,10,100,1000,10000,100000"
ALKANES_TO = 3002  # atoms; all pairs of more take minutes
HOLE = 0.7
FRAMEWORK = pathlib.Path(__file__).resolve().parent.parent / "data" / "bench" / "framework.xyz"


def alkane(n_atoms):
    """A zigzag of (n_atoms - 2) / 3 carbons: elements and positions."""
    n = round((n_atoms - 2) / 3)
    rise, run = 1.54 * math.cos(math.radians(56)), 1.54 * math.sin(math.radians(56))
    atoms = []
    for k in range(n):
        x, y, side = k * run, rise / 2 * (-1) ** k, (-1) ** k
        atoms.append(("C", x, y, 0.0))
        atoms += [("H", x, y + side * 0.63, z) for z in (0.89, -0.89)]
        for end, way in ((0, -1), (n - 1, 1)):
            if k == end:
                atoms.append(("H", x + way * 0.91, y - side * 0.62, 0.0))
    return atoms, ""


def framework(n_atoms):
    """Cells of cristobalite, n_atoms or a little more."""
    lines = FRAMEWORK.read_text().splitlines()
    cell = [float(w) for w in lines[1].split('Lattice="')[1].split('"')[0].split()]
    unit = [(w[0], *map(float, w[1:4])) for w in map(str.split, lines[2:]) if len(w) >= 4]
    count = [1, 1, 1]
    while len(unit) * math.prod(count) < n_atoms:
        count[min(range(3), key=lambda k: count[k] * cell[4 * k])] += 1
    atoms = [
        (z, x + i * cell[0], y + j * cell[4], w + k * cell[8])
        for i in range(count[0])
        for j in range(count[1])
        for k in range(count[2])
        for z, x, y, w in unit
    ]
    cells = " ".join(str(c * count[k // 3]) for k, c in enumerate(cell))
    return atoms, f'Lattice="{cells}" Properties=species:S:1:pos:R:3 pbc="T T T"'


def write(path, atoms, comment):
    with open(path, "w", encoding="ascii") as file:
        file.write(f"{len(atoms)}\n{comment}\n")
        file.writelines(f"{z} {x:.5f} {y:.5f} {w:.5f}\n" for z, x, y, w in atoms)


def run(o, path, n_systems, n_steps):
    """Seconds of the wall and of the processor, and steps of all systems."""
    command = [o.shoal, "md", "--json", "-q", "--device", o.device, "--threads", str(o.threads)]
    command += ["--steps", str(n_steps), "--stride", str(n_steps), "--copies", str(n_systems), path]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    if any(row["status"] != "ok" for row in rows):
        raise SystemExit(f"sizes.py: {rows[0]}")
    return wall, cpu, sum(row["steps"] for row in rows)


def measure(o, path, n_atoms, n_systems):
    few, many = 1, 3
    first = run(o, path, n_systems, few)
    while True:
        wall, cpu, steps = (b - a for a, b in zip(first, run(o, path, n_systems, many)))
        seconds = cpu if o.device == "cpu" else wall
        if seconds > o.seconds:
            break
        many = few + (many - few) * round(min(50, max(2, 1.3 * o.seconds / max(seconds, 1e-3))))
    return {
        "device": o.device,
        "threads": o.threads,
        "atoms": n_atoms,
        "systems": n_systems,
        "steps": steps,
        "steps_per_s": steps / wall,
        "steps_per_cpu_s": steps / cpu,
    }


def rate(o, line):
    return line["atoms"] * line["steps_per_cpu_s" if o.device == "cpu" else "steps_per_s"]


def print_table(o, lines):
    columns = sorted({line["systems"] for line in lines})
    print("| atoms | " + " | ".join(f"{n} systems" if n > 1 else "1 system" for n in columns) + " |")
    print("| --- |" + " --- |" * len(columns))
    for n_atoms in sorted({line["atoms"] for line in lines}):
        row = {line["systems"]: rate(o, line) for line in lines if line["atoms"] == n_atoms}
        best = max(row.values())
        words = []
        for n in columns:
            part = f" ({row[n] / best:.0%})" if n in row and row[n] < HOLE * best else ""
            words.append(f"{row[n] / 1e6:.2f} M{part}" if n in row else "")
        print(f"| {n_atoms} | " + " | ".join(words) + " |")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("shoal")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--atoms", default=ATOMS)
    parser.add_argument("--systems", default=SYSTEMS)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--most", type=float, default=4e6)
    parser.add_argument("--table", action="store_true")
    o = parser.parse_args()
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for wanted in map(int, o.atoms.split(",")):
            atoms, comment = alkane(wanted) if wanted <= ALKANES_TO else framework(wanted)
            path = f"{folder}/system.xyz"
            write(path, atoms, comment)
            for n_systems in map(int, o.systems.split(",")):
                if n_systems > 1 and len(atoms) * n_systems > o.most:
                    continue
                lines.append(measure(o, path, len(atoms), n_systems))
                if not o.table:
                    print(json.dumps(lines[-1]), flush=True)
    if o.table:
        print_table(o, lines)


if __name__ == "__main__":
    main()
