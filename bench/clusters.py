#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Base pairs, stacks and small clusters by a pair model, against numbers of the literature.
"""usage: clusters.py SHOAL [--params MODEL] [--charges SOURCE] [--starts 300] [--seed 0] [--only NAME ..] [--json]

Searches each cluster for its minima ('shoal search', molecules flexible by the force field) and sorts these into what they are: Watson-Crick
pairs by their hydrogen bonds, stacks by their planes. Energies in kcal/mol: 'binding' less that of the lowest minima of the molecules,
'interaction' less that of the molecules as they are in the cluster, which is what S22 counts. None of the clusters is in the sets that models are
fitted to here. Exit code 1: an order or a value that is asked for is missed."""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

KCAL = 1 / 0.0433641042418  # eV in kcal/mol
BONDED = 3.5  # A, from donor to acceptor
FLAT = 30.0  # degrees between planes that are stacked

MOLECULES = {
    "adenine": "Nc1ncnc2[nH]cnc12",
    "thymine": "Cc1c[nH]c(=O)[nH]c1=O",
    "guanine": "Nc1nc2[nH]cnc2c(=O)[nH]1",
    "cytosine": "Nc1cc[nH]c(=O)n1",
    "uracil": "O=c1cc[nH]c(=O)[nH]1",
    "water": "O",
    "benzene": "c1ccccc1",
    "formic acid": "OC=O",
    "formamide": "NC=O",
    "ammonia": "N",
    "methane": "C",
    "indole": "c1ccc2[nH]ccc2c1",
}

# Name, molecules, what is sought, its hydrogen bonds (atom of a molecule: atom of the other, in the order of the SMILES), the reference and which of
# the two energies it is. S22: Jurecka et al., PCCP 8 (2006) 1985, revised by Marshall et al., JCP 135 (2011) 194102. Pairs of bases:
# Sponer, Jurecka, Hobza, JACS 126 (2004) 10142. Water: Temelso et al., JPCA 115 (2011) 12034.
CLUSTERS = [
    ("A-T", ("adenine", "thymine"), "Watson-Crick", [(0, 8), (2, 6)], -15.4, "binding"),
    ("A-T", ("adenine", "thymine"), "stacked", None, -11.7, "interaction"),
    ("G-C", ("guanine", "cytosine"), "Watson-Crick", [(0, 6), (10, 7), (9, 0)], -28.0, "binding"),
    ("G-C", ("guanine", "cytosine"), "stacked", None, -16.9, "interaction"),
    ("uracil 2", ("uracil",) * 2, "stacked", None, -9.8, "interaction"),
    ("water 2", ("water",) * 2, "lowest", None, -5.0, "binding"),
    ("water 3", ("water",) * 3, "lowest", None, -15.7, "binding"),
    ("water 4", ("water",) * 4, "lowest", None, -27.4, "binding"),
    ("water 6", ("water",) * 6, "lowest", None, -46.1, "binding"),
    ("formic acid 2", ("formic acid",) * 2, "lowest", None, -18.8, "interaction"),
    ("formamide 2", ("formamide",) * 2, "lowest", None, -16.1, "interaction"),
    ("ammonia 2", ("ammonia",) * 2, "lowest", None, -3.1, "interaction"),
    ("benzene 2", ("benzene",) * 2, "lowest", None, -2.7, "interaction"),
    ("benzene-methane", ("benzene", "methane"), "lowest", None, -1.4, "interaction"),
    ("benzene-water", ("benzene", "water"), "lowest", None, -3.3, "interaction"),
    ("benzene-indole", ("benzene", "indole"), "lowest", None, -5.6, "interaction"),
]
ORDERS = [("A-T", "Watson-Crick", "stacked"), ("G-C", "Watson-Crick", "stacked")]
WITHIN = {("G-C", "Watson-Crick"): 3.0}  # kcal/mol


class Structure:
    """A minimum as 'shoal search' writes it."""

    def __init__(self, record, sizes):
        lines = record.split("\n")
        n, m = int(lines[3][:3]), int(lines[3][3:6])
        self.atoms = [(line[31:34].strip(), [float(line[10 * k:10 * k + 10]) for k in range(3)])
                      for line in lines[4:4 + n]]
        self.bonds = [(int(line[:3]) - 1, int(line[3:6]) - 1, line[6:9]) for line in lines[4 + n:4 + n + m]]
        self.energy = float(lines[lines.index("> <energy>") + 1]) * KCAL
        self.molecules = self.split(sizes)

    def split(self, sizes):
        """Atoms of each molecule: all heavy atoms come first, in the order of the SMILES."""
        molecules, start = [], 0
        for size in sizes:
            molecules.append(list(range(start, start + size)))
            start += size
        owner = {atom: k for k, members in enumerate(molecules) for atom in members}
        for a, b, _ in self.bonds:
            a, b = min(a, b), max(a, b)
            if b >= start:
                molecules[owner[a]].append(b)
        return molecules

    def record_of(self, members):
        """One molecule, where it is, as an SD record."""
        place = {atom: k + 1 for k, atom in enumerate(members)}
        bonds = [(place[a], place[b], order) for a, b, order in self.bonds if a in place]
        lines = ["", "", "", f"{len(members):3d}{len(bonds):3d}  0  0  0  0  0  0  0  0999 V2000"]
        for symbol, xyz in (self.atoms[k] for k in members):
            lines.append("".join(f"{x:10.4f}" for x in xyz) + f" {symbol:3s}" + " 0" + "  0" * 11)
        lines += [f"{a:3d}{b:3d}{order}  0" for a, b, order in bonds]
        return "\n".join([*lines, "M  END", "$$$$", ""])

    def heavy(self, molecule):
        return [self.atoms[k][1] for k in self.molecules[molecule] if self.atoms[k][0] != "H"]

    def is_bonded_by(self, pairs):
        first, second = self.heavy(0), self.heavy(1)
        return all(math.dist(first[i], second[j]) < BONDED for i, j in pairs)

    def is_stacked(self):
        (c1, n1), (c2, n2) = plane(self.heavy(0)), plane(self.heavy(1))
        between = [b - a for a, b in zip(c1, c2)]
        apart = abs(dot(between, n1))
        aside = math.sqrt(max(dot(between, between) - apart * apart, 0.0))
        return abs(dot(n1, n2)) > math.cos(math.radians(FLAT)) and apart > 2.5 and aside < 3.5

    def is_a(self, what, pairs):
        return what == "lowest" or (self.is_bonded_by(pairs) if pairs else self.is_stacked())


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def plane(points):
    """Middle and normal of a ring: the mean of the normals of its triangles with the middle, all on one side."""
    middle = [sum(x) / len(points) for x in zip(*points)]
    total = [0.0] * 3
    for k, p in enumerate(points):
        for q in points[:k]:
            normal = cross([x - y for x, y in zip(p, middle)], [x - y for x, y in zip(q, middle)])
            side = -1.0 if dot(normal, total) < 0.0 else 1.0
            total = [t + side * x for t, x in zip(total, normal)]
    length = math.sqrt(dot(total, total))
    return middle, [x / length for x in total]


class Shoal:
    def __init__(self, options):
        self.options = options
        self.model = ["--params", options.params] if options.params else []
        self.model += ["--charges", options.charges]
        self.known = {}

    def run(self, *arguments, text=None):
        done = subprocess.run([self.options.shoal, *arguments, *self.model], input=text, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"shoal {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    def minima(self, molecules, starts):
        smiles = ".".join(MOLECULES[name] for name in molecules)
        sizes = [sum(letter.isalpha() and letter != "H" for letter in MOLECULES[name]) for name in molecules]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "minima.sdf"
            self.run("search", "-q", "--smiles", smiles, "--starts", str(starts), "--seed", str(self.options.seed),
                     "--window", "1.5", "-o", str(path))
            return [Structure(record, sizes) for record in path.read_text().split("$$$$\n") if record.strip()]

    def alone(self, name):
        if name not in self.known:
            self.known[name] = self.minima([name], 10)[0].energy
        return self.known[name]

    def energies(self, structure, molecules):
        """Binding and interaction, kcal/mol."""
        text = "".join(structure.record_of(members) for members in structure.molecules)
        rows = self.run("energy", "-q", "--json", "--format", "sdf", "-", text=text).splitlines()
        as_they_are = sum(json.loads(row)["energy"] * KCAL for row in rows)
        return {"binding": structure.energy - sum(self.alone(name) for name in molecules),
                "interaction": structure.energy - as_they_are}


def measure(shoal, options):
    """A row for every line of CLUSTERS."""
    rows, minima = [], {}
    for name, molecules, what, pairs, reference, kind in CLUSTERS:
        if options.only and name not in options.only:
            continue
        if name not in minima:
            minima[name] = shoal.minima(molecules, options.starts)
        found = next((x for x in minima[name] if x.is_a(what, pairs)), None)
        row = {"cluster": name, "what": what, "reference": reference, "kind": kind}
        if found:
            row.update(shoal.energies(found, molecules), rank=minima[name].index(found) + 1)
            row["error"] = row[kind] - reference
        rows.append(row)
    return rows


def failures(rows):
    known = {(row["cluster"], row["what"]): row for row in rows}
    for cluster, below, above in ORDERS:
        low, high = known.get((cluster, below)), known.get((cluster, above))
        if low and high and not low.get("binding", 0.0) < high.get("binding", 0.0):
            yield f"{cluster}: {below} is not below {above}"
    for (cluster, what), bar in WITHIN.items():
        row = known.get((cluster, what))
        if row and not abs(row.get("error", math.inf)) <= bar:
            yield f"{cluster}, {what}: further than {bar} kcal/mol from {row['reference']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shoal")
    parser.add_argument("--params")
    parser.add_argument("--charges", default="mmff94")
    parser.add_argument("--starts", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", action="append")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = measure(Shoal(options), options)
    if options.json:
        print("\n".join(json.dumps(row) for row in rows))
    else:
        print(f"{'cluster':18s}{'what':14s}{'rank':>5s}{'binding':>9s}{'interaction':>13s}{'reference':>11s}   kcal/mol")
        for row in rows:
            numbers = f"{row['rank']:5d}{row['binding']:9.2f}{row['interaction']:13.2f}" if "rank" in row else f"{'not found':>27s}"
            print(f"{row['cluster']:18s}{row['what']:14s}{numbers}{row['reference']:11.1f}   {row['kind']}")
    missed = list(failures(rows))
    for line in missed:
        print(line, file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
