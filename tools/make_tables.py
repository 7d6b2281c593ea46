#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Turn the tables in data/ into C initialisers. usage: make_tables.py DATA_DIR OUTPUT_DIR"""
import os
import sys


def rows(path):
    with open(path, encoding="utf-8") as f:
        lines = [line.rstrip("\n").split("\t") for line in f if line.strip() and line[0] != "#"]
    header = lines[0]
    for number, line in enumerate(lines[1:], 2):
        if len(line) != len(header):
            sys.exit(f"{path}: row {number} has {len(line)} columns, expected {len(header)}")
        yield dict(zip(header, line))


def elements(path):
    for r in rows(path):
        valences = [int(v) for v in r["valences"].split(",")]
        period = sum(int(r["Z"]) > closed for closed in (2, 10, 18, 36, 54, 86)) + 1
        yield (f'[{r["Z"]}] = {{"{r["symbol"]}", {float(r["mass"])!r}, {float(r["radius"])!r}, '
               f'{r["outer"]}, {period}, {len(valences)}, '
               f'{{{", ".join(str(v) for v in valences)}}}}},')


def uff(path, numbers):
    columns = ("r1", "theta0", "x1", "D1", "zeta", "Z1", "Vi", "Uj", "Xi", "hard", "radius")
    table = sorted(rows(path), key=lambda r: numbers[r["symbol"]])
    for r in table:
        values = ", ".join(repr(float(r[c])) for c in columns)
        yield f'{{"{r["label"]}", {numbers[r["symbol"]]}, {values}}},'


def uff_first(path, numbers):
    """Where the types of element z begin in the table above; one more entry ends the last."""
    types = [numbers[r["symbol"]] for r in rows(path)]
    for z in range(max(numbers.values()) + 2):
        yield f"{sum(t < z for t in types)},"


def main():
    data, out = sys.argv[1:3]
    os.makedirs(out, exist_ok=True)
    path = os.path.join(data, "elements.tsv")
    numbers = {r["symbol"]: int(r["Z"]) for r in rows(path)}
    for name, lines in (("element_table.inc", elements(path)),
                        ("uff_table.inc", uff(os.path.join(data, "uff.tsv"), numbers)),
                        ("uff_first.inc", uff_first(os.path.join(data, "uff.tsv"), numbers))):
        with open(os.path.join(out, name), "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")


main()
