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


def symbols(numbers):
    """Atomic numbers by 27 * first letter + second letter, which is 0 where there is none."""
    for symbol, z in numbers.items():
        key = [ord(c) - ord("a") for c in symbol.lower()]
        yield f'[{27 * key[0] + (key[1] + 1 if len(key) > 1 else 0)}] = {z},'


def powers():
    """10^k for k = -292..324 with 128 bits before the point, rounded up: high and low half."""
    for k in range(-292, 325):
        above, below = 10**max(k, 0), 10**max(-k, 0)
        shift = 127 - (above.bit_length() - 1 if k >= 0 else -below.bit_length())
        g = -(-(above << max(shift, 0)) // (below << max(-shift, 0)))
        yield f'{{UINT64_C(0x{g >> 64:016x}), UINT64_C(0x{g & (2**64 - 1):016x})}},'


def uff(path, numbers):
    columns = ("r1", "theta0", "x1", "D1", "zeta", "Z1", "Vi", "Uj", "Xi", "hard", "radius")
    table = sorted(rows(path), key=lambda r: numbers[r["symbol"]])
    for r in table:
        values = ", ".join(repr(float(r[c])) for c in columns)
        yield f'{{"{r["label"]}", {numbers[r["symbol"]]}, {values}}},'


def uff4mof(data, numbers):
    """Rows of UFF with the radius and angle of a type that it lacks: those of its element, with the same third
    character if there is one."""
    table = list(rows(os.path.join(data, "uff.tsv")))
    columns = ("x1", "D1", "zeta", "Z1", "Vi", "Uj", "Xi", "hard", "radius")
    for r in rows(os.path.join(data, "uff4mof.tsv")):
        own = [t for t in table if t["symbol"] == r["symbol"]]
        like = [t for t in own if t["label"][2:3] == r["label"][2]] or own
        values = ", ".join(repr(float(v)) for v in
                           [r["r1"], r["theta0"], *(like[0][c] for c in columns)])
        yield f'{{"{r["label"]}", {numbers[r["symbol"]]}, {values}}},'


def uff_first(path, numbers):
    """Where the types of element z begin in the table above; one more entry ends the last."""
    types = [numbers[r["symbol"]] for r in rows(path)]
    for z in range(max(numbers.values()) + 2):
        yield f"{sum(t < z for t in types)},"


def mmff_types(path, numbers):
    columns = ("Ass", "Asp", "Kss", "Ksp", "Kpp", "R", "eps", "Hb")
    for r in rows(path):
        values = ", ".join(repr(float(r[c])) for c in columns)
        yield f'{{"{r["label"]}", {numbers[r["symbol"]]}, {values}, "{r["uff"]}"}},'


def mmff_bonds(path, numbers):
    for r in rows(path):
        ends = sorted((numbers[r["first"]], numbers[r["second"]]))
        yield f'{{{ends[0]}, {ends[1]}, {r["order"]}, {{{float(r["L"])!r}, {float(r["K"])!r}}}}},'


def mmff94_types(path, numbers):
    columns = ("crd", "val", "pilp", "mltb", "arom", "lin", "sbmb")
    real = ("pbci", "fcadj", "alpha", "n", "a", "g")
    for r in rows(path):
        levels = ", ".join(r[f"level{k}"] for k in (3, 4, 5))
        yield (f'[{r["type"]}] = {{"{r["symbol"]}", {numbers[r["element"]]}, '
               f'{", ".join(r[c] for c in columns)}, {{{levels}}}, '
               f'{", ".join(repr(float(r[c])) for c in real)}, \'{r["da"]}\'}},')


def mmff94_rows(path, names, values, wanted=None):
    """Rows by a key made of the columns `names`, two digits each."""
    table = {}
    for r in rows(path):
        if wanted and r["set"] not in ("both", wanted):
            continue
        key = 0
        for name in names:
            key = 100 * key + int(r[name])
        if key in table:
            sys.exit(f"{path}: two rows for {key}")
        table[key] = [repr(float(r[v])) for v in values]
    for key in sorted(table):
        yield f'{{{key}, {{{", ".join(table[key])}}}}},'


def mmff94_rules(path, numbers):
    for r in rows(path):
        yield (f'{{{numbers[r["i"]]}, {numbers[r["j"]]}, '
               f'{{{float(r["r0"])!r}, {float(r["k"])!r}}}}},')


def mmff94(data, numbers):
    """Tables of MMFF94: file, lines."""
    def path(name):
        return os.path.join(data, f"mmff94_{name}.tsv")
    torsion, ends = ("class", "i", "j", "k", "l"), ("class", "i", "j", "k")
    return (("mmff94_types.inc", mmff94_types(path("types"), numbers)),
            ("mmff94_bonds.inc", mmff94_rows(path("bonds"), ends[:3], ("k", "r0"))),
            ("mmff94_bond_rules.inc", mmff94_rules(path("bond_rules"), numbers)),
            ("mmff94_angles.inc", mmff94_rows(path("angles"), ends, ("ka", "theta0"))),
            ("mmff94_stretch_bends.inc",
             mmff94_rows(path("stretch_bends"), ends, ("kijk", "kkji"))),
            ("mmff94_stretch_bend_rules.inc",
             mmff94_rows(path("stretch_bend_rules"), ends[1:], ("kijk", "kkji"))),
            ("mmff94_out_of_plane.inc",
             mmff94_rows(path("out_of_plane"), torsion[1:], ("koop", "koops"))),
            ("mmff94_torsions.inc", mmff94_rows(path("torsions"), torsion, ("v1", "v2", "v3"), "94")),
            ("mmff94s_torsions.inc",
             mmff94_rows(path("torsions"), torsion, ("v1", "v2", "v3"), "94s")),
            ("mmff94_charges.inc", mmff94_rows(path("charges"), ends[:3], ("bci",))))


def space_groups(path):
    for r in rows(path):
        choice = "0" if r["choice"] == "-" else f"'{r['choice']}'"
        hall = r["hall"].replace('"', '\\"')
        yield f'{{{r["number"]}, "{r["hm"]}", {choice}, "{hall}"}},'


def metals(path, numbers):
    for r in rows(path):
        yield f'{{{numbers[r["symbol"]]}, {float(r["x"])!r}, {float(r["D"])!r}}},'


def main():
    data, out = sys.argv[1:3]
    os.makedirs(out, exist_ok=True)
    path = os.path.join(data, "elements.tsv")
    numbers = {r["symbol"]: int(r["Z"]) for r in rows(path)}
    for name, lines in (("element_table.inc", elements(path)),
                        ("symbol_table.inc", symbols(numbers)),
                        ("power_table.inc", powers()),
                        ("uff_table.inc", uff(os.path.join(data, "uff.tsv"), numbers)),
                        ("uff_first.inc", uff_first(os.path.join(data, "uff.tsv"), numbers)),
                        ("uff4mof_table.inc", uff4mof(data, numbers)),
                        ("mmff_types.inc", mmff_types(os.path.join(data, "mmff_types.tsv"), numbers)),
                        ("mmff_bonds.inc", mmff_bonds(os.path.join(data, "mmff_bonds.tsv"), numbers)),
                        ("space_groups.inc",
                         space_groups(os.path.join(data, "space_groups.tsv"))),
                        ("metals_table.inc", metals(os.path.join(data, "metals.tsv"), numbers)),
                        *mmff94(data, numbers)):
        with open(os.path.join(out, name), "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")


main()
