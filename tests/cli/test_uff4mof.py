# SPDX-License-Identifier: BSD-3-Clause
# UFF4MOF: types of nodes, and energies of bonds and angles by the formulas of the papers, worked out here from the tables
# and the coordinates alone.
import collections
import csv
import math

from program import CASES, TOP, check, equal, near, run, run_each, run_json, write

KCAL = 0.0433641153087705  # eV
FORMS = {"1": 1, "2": 3, "R": 3, "4": 4, "6": 4}  # cos n theta by the third character of a label


def table(name):
    with open(TOP / "data" / name) as file:
        return list(csv.DictReader((line for line in file if line[0] != "#"), delimiter="\t"))


def parameters():
    """r1, theta0, Z1 and Xi by label."""
    own = {r["label"]: (float(r["r1"]), float(r["theta0"]), float(r["Z1"]), float(r["Xi"])) for r in table("uff.tsv")}
    of = {r["symbol"]: own[r["label"]] for r in table("uff.tsv")}
    for r in table("uff4mof.tsv"):
        own[r["label"]] = (float(r["r1"]), float(r["theta0"]), *of[r["symbol"]][2:])
    return own


def order_of(a, b, perceived):
    metals = [t for t in (a, b) if t[:2] in ("Zn", "Cu")]
    if len(metals) == 2:
        return 0.25
    if metals:
        return 0.5
    return 1.5 if {a[:2], b[:2]} == {"C_", "O_"} else perceived


def natural(a, b, order):
    ri, rj, xi, xj = a[0], b[0], a[3], b[3]
    charge = ri * rj * (math.sqrt(xi) - math.sqrt(xj)) ** 2 / (xi * ri + xj * rj)
    return ri + rj - 0.1332 * (ri + rj) * math.log(order) - charge


def angle_energy(a, b, c, rij, rjk, theta, n):
    cosine = math.cos(math.radians(b[1]))
    rik2 = rij**2 + rjk**2 - 2 * rij * rjk * cosine
    k = 664.12 * a[2] * c[2] / rik2**2.5 * (3 * rij * rjk * (1 - cosine**2) - rik2 * cosine)
    if n:
        return k / n**2 * (1 - math.cos(n * theta) if n > 1 else 1 + math.cos(theta))
    c2 = 1 / (4 * (1 - cosine**2))
    return k * (c2 * (2 * cosine**2 + 1) - 4 * c2 * cosine * math.cos(theta) + c2 * math.cos(2 * theta))


def evaluate(row, a):
    """Energies of bonds and angles in eV, in a cubic cell."""
    par, pos = parameters(), row["positions"]
    types = row["types"]
    bond, angle = 0.0, 0.0
    ends = collections.defaultdict(list)
    for i, j, perceived, *_ in row["bonds"]:
        d = [(q - p) - a * round((q - p) / a) for p, q in zip(pos[i], pos[j])]
        r = math.dist(d, (0, 0, 0))
        r0 = natural(par[types[i]], par[types[j]], order_of(types[i], types[j], perceived))
        bond += 0.5 * 664.12 * par[types[i]][2] * par[types[j]][2] / r0**3 * (r - r0) ** 2
        ends[i].append((j, d, r0))
        ends[j].append((i, [-x for x in d], r0))
    for j, list_ in ends.items():
        for m, (i, u, rij) in enumerate(list_):
            for k, v, rjk in list_[m + 1 :]:
                cosine = sum(x * y for x, y in zip(u, v)) / math.dist(u, (0, 0, 0)) / math.dist(v, (0, 0, 0))
                n = FORMS.get(types[j][2], 0)
                angle += angle_energy(par[types[i]], par[types[j]], par[types[k]], rij, rjk, math.acos(max(-1, min(1, cosine))), n)
    return bond * KCAL, angle * KCAL


def check_node(name, a, wanted):
    path = CASES / name
    (typed,) = run_json("types", "-q", "--json", "--forcefield", "uff4mof", path)
    counts = collections.Counter(typed["types"])
    equal({t: n for t, n in counts.items() if t in wanted}, wanted, f"{name}: types")
    (row,) = run_json("energy", "-q", "--json", "--positions", "--no-angle-guard", "--charges", "none", "--forcefield", "uff4mof", path)
    bond, angle = evaluate({**typed, "positions": row["positions"]}, a)
    near(row["terms"]["bond"], bond, 1e-6 * bond, f"{name}: bonds")
    near(row["terms"]["angle"], angle, 1e-6 * angle, f"{name}: angles")


def check_nodes(directory):
    check_node("mof-5.cif", 25.832, {"Zn3f2": 32, "O_3_f": 8, "O_2": 96, "C_R": 192})
    check_node("cu-btc.cif", 26.343, {"Cu4+2": 48, "O_2": 192, "C_R": 288})


def check_warning(directory):
    """Plain UFF says that there are better types; a given type counts; what has no type is told."""
    (row,) = run_json("types", "-q", "--json", CASES / "cu-btc.cif")
    check("UFF4MOF has types" in row.get("warning", ""), f"a warning: {row.get('warning')}")
    (row,) = run_json("types", "-q", "--json", "--forcefield", "uff4mof", "--type", "element:Cu=Cu3f2", CASES / "cu-btc.cif")
    equal(row["types"].count("Cu3f2"), 48, "a given type")
    path = write(directory, "square.xyz", "5\nsquare\nHg 0 0 0\nCl 2.3 0 0\nCl -2.3 0 0\nCl 0 2.3 0\nCl 0 -2.3 0\n")
    (row,) = run_json("types", "-q", "--json", "--charge", "-2", "--forcefield", "uff4mof", path, code=1)
    check("in a square" in row["reason"], row["reason"])
    equal(run("types", "-q", "--forcefield", "uff4mof:paper", path).returncode, 2, "no dialects")


# UiO-66 with its eight oxygen atoms of a node, four of them hydroxide.
UIO66 = """data_uio66
_cell_length_a 20.7004
_cell_length_b 20.7004
_cell_length_c 20.7004
_cell_angle_alpha 90
_cell_angle_beta 90
_cell_angle_gamma 90
_symmetry_space_group_name_H-M 'F -4 3 m'
loop_
_atom_site_label
_atom_site_type_symbol
_atom_site_fract_x
_atom_site_fract_y
_atom_site_fract_z
Zr1 Zr 0.11989 0 0
O1 O 0.17047 0 0.0953
C1 C 0.1536 0 0.1536
C2 C 0.205 0 0.205
C3 C 0.2675 0 0.1844
H1 H 0.27872 0 0.13048
O2 O 0.0511 0.0511 0.0511
O3 O 0.0621 -0.0621 0.0621
H3 H 0.0895 -0.0895 0.0895
"""


def distances(row, i, others, cell):
    def to(j):
        return math.dist((0, 0, 0), [(q - p) - a * round((q - p) / a) for p, q, a in zip(row["positions"][i], row["positions"][j], cell)])
    return sorted(to(j) for j in others if j != i)


def check_zirconium(directory):
    """A node of zirconium is that of GULP with the library of the papers' authors, as published beside cif2lammps for a node
    with twelve other links: carboxylate at 2.439, the eight in the middle at 2.342, zirconium at 3.820 angstrom."""
    path = write(directory, "uio66.cif", UIO66)
    (row,) = run_json("relax", "-q", "--json", "--positions", "--forcefield", "uff4mof", "--charges", "none", "--cell", "full",
                      "--fmax", "0.01", path)
    equal((row["natoms"], row["status"]), (456, "converged"), f"UiO-66: {row.get('reason')}")
    (typed,) = run_json("types", "-q", "--json", "--forcefield", "uff4mof", path)
    cell, types = [row["cell"][k][k] for k in range(3)], typed["types"]
    equal(collections.Counter(t[:3] for t in types), {"Zr8": 24, "O_2": 96, "O_3": 32, "C_R": 192, "H_": 112}, "types")
    zirconium = types.index("Zr8f4")
    oxygen = distances(row, zirconium, [k for k, t in enumerate(types) if t[0] == "O"], cell)[:8]
    for r, wanted in zip(oxygen, [2.342] * 4 + [2.439] * 4):
        near(r, wanted, 0.005, f"Zr-O: {oxygen}")
    near(distances(row, zirconium, [k for k, t in enumerate(types) if t == "Zr8f4"], cell)[0], 3.820, 0.01, "Zr-Zr")


run_each([check_nodes, check_warning, check_zirconium])
