#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compare MMFF94 with the logs of its validation suite: every interaction with its constants, and the energies.
usage: check_mmff94.py PROGRAM DIRECTORY [mmff94|mmff94s] [FIRST N]

DIRECTORY has MMFF94_dative.sdf.gz and MMFF94_reference.log.xz (and MMFF94s_...). Terms whose constants are all zero
do not exist in Shoal. Exit code 77: the directory is not there."""

import collections
import gzip
import json
import lzma
import pathlib
import re
import subprocess
import sys
import tempfile

KCAL = 0.0433641042418  # eV
MILLIDYNE = 143.9325 * KCAL


def records(text):
    """Name and lines of every molecule of a log."""
    starts = [m.start() for m in re.finditer(r"^\S.*\n\nTotal ENERGY", text, re.M)]
    for a, b in zip(starts, [*starts[1:], len(text)]):
        lines = text[a:b].splitlines()
        yield lines[0].strip(), lines


def sections(lines):
    """Rows of the tables by their title without blanks."""
    title, rows = None, collections.defaultdict(list)
    for line in lines:
        if re.match(r"([A-Z] ){3}", line):
            title = line.replace(" ", "")
        elif title and re.search(r"\d\.\d{3}", line) and "ENERGY =" not in line:
            rows[title].append(line)
    return rows


def numbers(line, n):
    return [float(x) for x in re.findall(r"-?\d+\.\d{3}", line)[-n:]]


def atoms_of(line, count, names):
    """Indices of the atoms that a row starts with: names, of which some are followed by # and a number."""
    head, found = line, []
    while len(found) < count:
        m = re.match(r"\s*([^\s#]+)(?:\s*#(\d+))?", head)
        found.append(int(m[2]) - 1 if m[2] else names[m[1]])
        head = head[m.end():]
    return tuple(found)


def ends_sorted(at):
    return min(at, at[::-1])


def expected(lines):
    """What the log lists: kind -> {atoms: constants}."""
    rows = sections(lines)
    names = {}
    for line in lines:
        for name, number in re.findall(r"([^\s#]+)\s*#(\d+)", line):
            names.setdefault(name, int(number) - 1)
    out = collections.defaultdict(dict)
    for title, found in rows.items():
        for line in found:
            if title.startswith("BOND"):
                v = numbers(line, 5)
                out["bond"][ends_sorted(atoms_of(line, 2, names))] = (v[4], v[1])
            elif title.startswith("ANGLE"):
                v = numbers(line, 5)
                out["angle"][ends_sorted(atoms_of(line, 3, names))] = (v[4], v[1])
            elif title.startswith("STRETCH"):
                out["stretch-bend"][atoms_of(line, 3, names)] = (numbers(line, 1)[0],)
            elif title.startswith("OUT"):
                at = atoms_of(line, 4, names)
                out["out-of-plane"][(at[1], *sorted((at[0], at[2], at[3])))] = (numbers(line, 1)[0],)
            elif title.startswith("TORSION"):
                out["torsion"][ends_sorted(atoms_of(line, 4, names))] = tuple(numbers(line, 3))
    return out


def computed(row):
    out = collections.defaultdict(dict)
    for t in row["interactions"]:
        at, p = tuple(t["atoms"]), t.get("parameters", {})
        if t["kind"] == "quartic_bond":
            out["bond"][ends_sorted(at)] = (p["k"] / MILLIDYNE, p["r0"])
        elif t["kind"] == "angle":
            out["angle"][ends_sorted(at)] = (p["k"] / MILLIDYNE, 180)
        elif t["kind"] == "bend":
            out["angle"][ends_sorted(at)] = (p["k"] / MILLIDYNE, p["t0"] * 57.29577951308232)
            out["stretch-bend"][at] = (p["ki"] / MILLIDYNE,)
            out["stretch-bend"][at[::-1]] = (p["kk"] / MILLIDYNE,)
        elif t["kind"] == "wilson":
            out["out-of-plane"][(at[1], *sorted((at[0], at[2], at[3])))] = (p["k"] / MILLIDYNE,)
        elif t["kind"] == "fourier":
            out["torsion"][ends_sorted(at)] = tuple(p[k] / KCAL for k in ("v1", "v2", "v3"))
    return out


def compare(name, lines, row):
    """Lines of what differs."""
    wanted, got = expected(lines), computed(row)
    for kind in sorted(set(wanted) | set(got)):
        for at in sorted(set(wanted[kind]) | set(got[kind])):
            w, g = wanted[kind].get(at), got[kind].get(at)
            zero = any(x is not None and all(abs(v) < 6e-4 for v in x) for x in (w, g))
            if None in (w, g) and zero:
                continue
            if None in (w, g) or any(abs(a - b) > 6e-4 for a, b in zip(w, g)):
                yield f"{name}: {kind} {at}: {g}, expected {w}"
    total = float(re.search(r"Total ENERGY.*?(-?\d+\.\d+)", "\n".join(lines))[1])
    difference = row["energy"] / KCAL - total
    if not abs(difference) < 1e-3 + 1e-5:
        yield f"{name}: energy {row['energy'] / KCAL:.5f}, expected {total:.5f}"


def main():
    program, directory, variant, *part = (*sys.argv[1:3], *(sys.argv[3:] or ["mmff94"]))
    stem = "MMFF94s" if variant == "mmff94s" else "MMFF94"
    top = pathlib.Path(directory)
    log, molecules = top / f"{stem}_reference.log.xz", top / f"{stem}_dative.sdf.gz"
    if not log.exists():
        print(f"{log} is not there")
        return 77
    first, n = (int(x) for x in part) if part else (0, 1 << 30)
    text = gzip.open(molecules, "rt").read().split("$$$$\n")[first : first + n]
    with tempfile.NamedTemporaryFile("w", suffix=".sdf") as f:
        f.write("$$$$\n".join(text) + ("" if text[-1] == "" else "$$$$\n"))
        f.flush()
        run = subprocess.run([program, "energy", "--json", "--explain", "--quiet", "--device", "ref",
                              "--forcefield", variant, f.name], capture_output=True, text=True)
    logs = dict(records(lzma.open(log, "rt").read()))
    n_good = n_seen = n_terms = 0
    for line in run.stdout.splitlines():
        row = json.loads(line)
        if "name" not in row or row["name"] not in logs:
            continue
        n_seen += 1
        wrong = [f"{row['name']}: {row.get('reason')}"] if row["status"] != "ok" else list(
            compare(row["name"], logs[row["name"]], row))
        n_terms += sum(len(x) for x in expected(logs[row["name"]]).values())
        n_good += not wrong
        for text in wrong[:5]:
            print(text)
    print(f"{variant}: {n_good} of {n_seen} molecules, {n_terms} interactions with their constants")
    return 0 if 0 < n_seen == n_good else 1


sys.exit(main())
