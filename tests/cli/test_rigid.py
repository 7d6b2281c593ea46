# SPDX-License-Identifier: BSD-3-Clause
# --rigid: molecules that keep their shape in relaxations, searches, scans and dynamics, what energies of adsorption refer
# to, restarts, and what is refused.
import json
import math
import tempfile

from program import METHANE, WATER, check, finish, near, run, run_json, write

PAIR = ("6\npair\nO 0 0 0\nH 0.96 0 0.02\nH -0.24 0.93 0\nO 3.1 0.3 0.1\nH 3.6 1.15 0.1\nH 3.85 -0.35 0.05\n")


def distances(positions, atoms):
    return [math.dist(positions[i], positions[j]) for i in atoms for j in atoms if i < j]


def keeps_shape(name, positions, first, atoms):
    for a, b in zip(distances(positions, atoms), distances(first, atoms)):
        near(a, b, 3e-6, f"{name}: a distance")


def rows_of(text):
    return [[float(x) for x in line.split()[1:4]] for line in text.splitlines()[2:]]


def check_relax(directory):
    pair, start = write(directory, "pair.xyz", PAIR), rows_of(PAIR)
    common = ("relax", "--json", "-q", "--positions", "--charges", "qeq", pair)
    free = run_json(*common)[0]
    for device in ("cpu", "cpu --precision double"):
        rigid = run_json(*common, "--rigid", "molecules", "--device", *device.split())[0]
        check(rigid["status"] == "converged" and rigid["fmax"] <= 0.001, f"relax: {rigid}")
        check(free["energy"] < rigid["energy"] < rigid["energy0"], "relax: rigid molecules end between")
        for atoms in (range(3), range(3, 6)):
            keeps_shape("relax", rigid["positions"], start, atoms)
    named = run_json(*common, "--rigid", "0-2", "--rigid", "3-")[0]
    check(named == run_json(*common, "--rigid", "molecules")[0], "relax: bodies by atoms are those by molecules")
    one = run_json(*common, "--rigid", "all")[0]
    near(one["energy"], one["energy0"], 1e-6, "relax: one body alone has nothing to do")
    half = run_json(*common, "--rigid", "0-2")[0]
    keeps_shape("relax", half["positions"], start, range(3))
    check(half["energy"] < run_json(*common, "--rigid", "molecules")[0]["energy"], "relax: one molecule is free")


def check_surface(directory):
    water, slab = write(directory, "water.xyz", WATER), f"{directory}/nacl.xyz"
    run("slab", "rocksalt", "NaCl", "-q", "-o", slab)
    common = ("--json", "-q", "--charges", "qeq", "--surface", slab, "--grid", "off", water)
    energy = run_json("energy", "--json", "-q", "--charges", "qeq", water)[0]["energy"]
    relaxed = run_json("relax", "--rigid", "molecules", "--height", 2.5, "--adsorption", *common)[0]
    near(relaxed["adsorption_energy"], relaxed["energy"] - energy, 1e-6, "adsorption refers to the molecule as it is")
    rows = run_json("search", "--rigid", "molecules", "--starts", 12, "--positions", *common)
    check(len(rows) > 0, "search: no minimum")
    for row in rows:
        keeps_shape("search", row["positions"], rows_of(WATER), range(3))
        near(row["adsorption_energy"], row["energy"] - energy, 1e-6, "search: adsorption")


def check_dynamics(directory):
    pair, start = write(directory, "pair.xyz", PAIR), rows_of(PAIR)
    rows = run_json("md", "--json", "-q", "--positions", "--steps", 300, "--dt", 2, "--rigid", "molecules", pair)
    check(rows[0]["dof"] == 6, f"md: {rows[0]}")
    for atoms in (range(3), range(3, 6)):
        keeps_shape("md", rows[0]["positions"], start, atoms)
    scan = run_json("scan", "--json", "-q", "--coordinate", "distance:0,3=2.9:3.3:0.2", "--relaxed", "--positions",
                    "--rigid", "molecules", pair)
    points = [row for row in scan if "positions" in row]
    check(len(points) == 3, f"scan: {len(points)} points")
    for row in points:
        keeps_shape("scan", row["positions"], start, range(3))


def check_refusals(directory):
    pair = write(directory, "pair.xyz", PAIR + METHANE)
    for options, code, text in (
            (("relax", "--rigid", "0-2", "--rigid", "2-4"), 2, "atom 2 is in two bodies"),
            (("relax", "--rigid", "molecules", "--rigid", "0"), 2, "--rigid again"),
            (("relax", "--rigid", "element:Q"), 2, "is no condition"),
            (("relax", "--rigid", "molecules", "--fix", "0"), 1, "atom 0 is fixed and belongs to one"),
            (("relax", "--rigid", "0-9"), 1, "rigid 0-9 names atom 6"),
            (("md", "--rigid", "molecules", "--rigid-bonds"), 2, "rigid bonds and rigid bodies"),
            (("scan", "--relaxed", "--rigid", "molecules", "--coordinate", "volume=0.9:1.1:n3"), 2, "a volume would change"),
            (("scan", "--relaxed", "--rigid", "molecules", "--coordinate", "distance:0,3=3:4:n2", "--starts", "3"), 2,
             "several starts of a point would change"),
            (("scan", "--relaxed", "--rigid", "molecules", "--coordinate", "distance:0,3=3:4:n2", "--copies", "2",
              "--jitter", "0.1"), 2, "copies with moved atoms would change"),
            (("modes", "--rigid", "molecules"), 1, "rigid bodies"),
            (("search", "--rigid", "molecules"), 2, "expected a surface"),
            (("relax", "--rigid", "molecules", "--forcefield", "mmffsp3", "--electron-pairs"), 1, "do not follow them")):
        done = run(*options, pair)
        text_of = done.stdout + done.stderr
        check(done.returncode == code and text in text_of, f"{options}: {done.returncode}: {text_of}")
    held = run_json("relax", "--json", "-q", "--rigid", "molecules", "--fix", "0-2", "--positions",
                    write(directory, "held.xyz", PAIR))[0]
    check(held["status"] == "converged" and held["positions"][1] == rows_of(PAIR)[1], "what is fixed as a whole stays")


with tempfile.TemporaryDirectory() as place:
    check_relax(place)
    check_surface(place)
    check_dynamics(place)
    check_refusals(place)
finish()
