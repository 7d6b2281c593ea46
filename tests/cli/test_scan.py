# SPDX-License-Identifier: BSD-3-Clause
# Scans: points are what energy and relax give, how coordinates are held, order, summary, figures, restarts, ranks.
import json
import os
import pathlib
import random
import shutil
import subprocess
import time

from program import CASES, PROGRAM, check, equal, near, run, run_each, run_json, torsion, write

WATER = "3\nname=water\nO 0 0 0\nH 0.9575 0 0.01\nH -0.24 0.927 0\n"
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1")


def sdf(name, atoms, bonds):
    lines = [name, "", "", f"{len(atoms):3d}{len(bonds):3d}  0  0  0  0  0  0  0  0999 V2000"]
    lines += [f"{x:10.4f}{y:10.4f}{z:10.4f} {s:<3s} 0  0" for s, x, y, z in atoms]
    lines += [f"{i + 1:3d}{j + 1:3d}{order:3d}  0" for i, j, order in bonds]
    return "\n".join(lines + ["M  END", "$$$$", ""])


def butane():
    carbons = [(0, 0, 0), (1.53, 0, 0), (2.1, 1.42, 0), (3.63, 1.42, 0.1)]
    hydrogens = [(0, (-.36, -.5, .89)), (0, (-.36, -.52, -.89)), (0, (-.36, 1.03, 0)), (1, (1.89, -.52, .89)),
                 (1, (1.89, -.52, -.89)), (2, (1.74, 1.94, .89)), (2, (1.74, 1.94, -.89)), (3, (3.99, 1.9, 1)),
                 (3, (3.99, 1.9, -.8)), (3, (3.99, .4, .1))]
    atoms = [("C", *r) for r in carbons] + [("H", *r) for _, r in hydrogens]
    return sdf("butane", atoms, [(0, 1, 1), (1, 2, 1), (2, 3, 1)] + [(c, 4 + k, 1) for k, (c, _) in
                                                                     enumerate(hydrogens)])


def turn(x):
    return (x + 180) % 360 - 180


def slab(directory):
    path = f"{directory}/salt.xyz"
    equal(run("slab", "rocksalt", "--size", "2x2", "--layers", "2", "-q", "-o", path).returncode, 0, "a slab")
    return path


def same_numbers(a, b, text, keys=("energy", "fmax", "terms")):
    equal(len(a), len(b), f"{text}: points")
    for x, y in zip(a, b):
        for key in keys:
            equal(x.get(key), y.get(key), f"{text}: {key} of point {x.get('point')}")


# --- points are those of energy and relax ------------------------------------------------------------

def check_rigid(directory):
    path, out = write(directory, "butane.sdf", butane()), f"{directory}/points.sdf"
    rows = run_json("scan", path, "--json", "-q", "--positions", "--coordinate", "torsion:0,1,2,3=-180:180:7.5", "-o", out)
    equal([r["point"][0] for r in rows[:3] + rows[-1:]], [-180, -172.5, -165, 180], "points, both ends included")
    equal([r["index"] for r in rows], list(range(49)), "index")
    for r in rows:
        near(turn(torsion(r["positions"], 0, 1, 2, 3) - r["point"][0]), 0, 1e-9, "torsion of a point")
    same_numbers(rows, run_json("energy", out, "--json", "-q"), "torsion, rigid")
    rows = run_json("scan", path, "--json", "-q", "--coordinate", "distance:1,2=1.3:2:0.1", "--coordinate",
                    "angle:0,1,2=100:120:n3", "-o", out)
    equal(len(rows), 8 * 3, "a product")
    equal(rows[4]["point"], [1.4, 110], "the last coordinate is the fastest")
    same_numbers(rows, run_json("energy", out, "--json", "-q"), "distance and angle")


def check_surface(directory):
    path, salt, out = write(directory, "water.xyz", WATER), slab(directory), f"{directory}/points.xyz"
    common = ("--json", "-q", "--surface", salt, "--grid", "off", "--charges", "qeq")
    for words in (("z=2:6:0.25",), ("x=0:4:0.5", "y=0:4:0.5"), ("z=3", "rx=0:360:30", "rz=0:90:45")):
        coordinates = [w for c in words for w in ("--coordinate", c)]
        rows = run_json("scan", path, *common, *coordinates, "--height", 2.5, "-o", out, "--positions")
        # Charges are those of the record, which the file has, too.
        same_numbers(rows, run_json("energy", out, "--json", "-q", "--surface", salt, "--grid", "off"), f"water, {words}")
        for r in rows[:40]:
            centre = [sum(x[k] for x in r["positions"]) / 3 for k in range(3)]
            for c, value in zip(words, r["point"]):
                if c[0] in "xyz":
                    near(centre["xyz".index(c[0])], value, 1e-9, f"{c[0]} of the centre (the surface is at 0)")
    rows = run_json("scan", path, *common, "--coordinate", "z=-3:0:1", code=1)
    check(rows[0]["status"] == "below_surface", f"a point below: {rows[0]}")


def check_relaxed(directory):
    path = write(directory, "butane.sdf", butane())
    what = "torsion:0,1,2,3=0:180:20"
    start, out = f"{directory}/start.sdf", f"{directory}/out.sdf"
    run_json("scan", path, "--json", "-q", "--coordinate", what, "-o", start)
    rows = run_json("scan", path, "--json", "-q", "--coordinate", what, "--relaxed", "-o", out)
    frames = [f + "$$$$\n" for f in pathlib.Path(start).read_text().split("$$$$\n")[:-1]]
    for r, frame in zip(rows, frames):
        one = write(directory, "one.sdf", frame)
        alone = run_json("relax", one, "--json", "-q", "--restrain", f"torsion:0,1,2,3={r['point'][0]},4000")[0]
        equal((r["terms"], r["steps"], r["fmax"]), (alone["terms"], alone["steps"], alone["fmax"]), f"relaxed at {r['point']}")
        equal(r["energy"], alone["energy"] - alone["terms"]["restraint"], "the energy is without restraints")
        equal(r["restraint_energy"], alone["terms"]["restraint"], "which are told")
        check(abs(r["held"][0]) < 0.1, f"held {r['held']}")
    written = run_json("energy", out, "--json", "-q")
    for r, w in zip(rows, written):
        near(w["energy"], r["energy"], 1e-9, "the energy of the relaxed geometry")


def check_relaxed_map(directory):
    path, salt, start = write(directory, "water.xyz", WATER), slab(directory), f"{directory}/start.xyz"
    common = ("--json", "-q", "--surface", salt, "--grid", "off", "--height", 2.5)
    grid = ("--coordinate", "x=0:2:1", "--coordinate", "y=0:2:1")
    run_json("scan", path, *common, *grid, "-o", start)
    rows = run_json("scan", path, *common, *grid, "--relaxed")
    lines = pathlib.Path(start).read_text().splitlines(keepends=True)
    for k, r in enumerate(rows):
        one = write(directory, "one.xyz", "".join(lines[5 * k:5 * k + 5]))
        alone = run_json("relax", one, "--json", "-q", "--surface", salt, "--grid", "off", "--restrain", "xy:0-2=2000")[0]
        equal((r["terms"], r["steps"]), (alone["terms"], alone["steps"]), f"relaxed at {r['point']}")
        check(max(map(abs, r["held"])) < 1e-3, f"held {r['held']}")
    check(rows[0]["energy"] < rows[0]["energy0"] - 1e-4, "the height was relaxed")


def check_centre(directory):
    """The centre of the molecule, or the atom that is named, stays where the point puts it: a map has the symmetry of
    its surface."""
    path, salt = write(directory, "flat.xyz", "3\nname=water\nO 0 0 0\nH 0.96 0 0\nH -0.24 0.93 0\n"), slab(directory)
    common = ("scan", path, "--json", "-q", "--surface", salt, "--grid", "off", "--height", 2.5, "--charges", "qeq",
              "--relaxed", "--max-steps", 3000, "--positions")
    rows = run_json(*common, "--coordinate", "x=-1:1:1", "--coordinate", "y=-1:1:1")
    for r in rows:
        for k in range(2):
            near(sum(x[k] for x in r["positions"]) / 3, r["point"][k], 2e-3, f"centre at {r['point']}")
    edges = [r["energy"] for r in rows if abs(r["point"][0]) + abs(r["point"][1]) == 1]
    check(max(edges) - min(edges) < 0.005, f"mirrored points: {edges}")
    for r in run_json(*common, "--coordinate", "x=-1:1:1", "--coordinate", "y=0.5", "--anchor", 1):
        near(r["positions"][1][0], r["point"][0], 2e-3, f"the anchor at {r['point']}")
        near(r["positions"][1][1], 0.5, 2e-3, f"the anchor at {r['point']}")


def neighbours(bonds):
    out = {}
    for i, j in bonds:
        out.setdefault(i, []).append(j)
        out.setdefault(j, []).append(i)
    return out


def check_held(directory):
    """Torsions about many bonds, of rings, too, are held to 0.1 degree."""
    rng, worst, n, rings = random.Random(3), 0.0, 0, 0
    records = [r + "$$$$\n" for r in (CASES / "types.sdf").read_text().split("$$$$\n")[:-1]]
    types = run_json("types", CASES / "types.sdf", "--json", "-q", code=None)
    for record, t in zip(records, types):
        if t["status"] != "ok" or t["natoms"] > 40:
            continue
        near_by = neighbours([(i, j) for i, j, _ in t["bonds"]])
        middle = [(i, j) for i, j, _ in t["bonds"] if len(near_by[i]) > 1 and len(near_by[j]) > 1]
        if not middle:
            continue
        j, k = rng.choice(middle)
        i, l = rng.choice([a for a in near_by[j] if a != k]), rng.choice([a for a in near_by[k] if a != j])
        if i == l:
            continue
        path = write(directory, "one.sdf", record)
        at = rng.uniform(-180, 180)
        rows = run_json("scan", path, "--json", "-q", "--positions", "--relaxed", "--coordinate",
                        f"torsion:{i},{j},{k},{l}={at}", code=None)
        if rows[0]["status"] != "converged":
            continue
        is_ring = abs(turn(torsion(rows[0]["positions"], i, j, k, l) - at) - rows[0]["held"][0]) < 1e-6
        check(is_ring, f"{t['name']}: held says {rows[0]['held']}")
        worst, n = max(worst, abs(rows[0]["held"][0])), n + 1
    check(n > 20, f"{n} torsions were scanned")
    check(worst < 0.1, f"held to {worst} degrees")


# --- the rest ----------------------------------------------------------------------------------------

def dipeptide(directory):
    whole = open(pathlib.Path(__file__).parents[2] / "examples" / "demo.sdf").read().split("$$$$\n")
    return write(directory, "dipeptide.sdf", next(r for r in whole if r.startswith("alanine dipeptide")) + "$$$$\n")


def check_follow(directory):
    """Points that start from their neighbours, too: nothing falls any more, and no fresh start lies lower."""
    words = ("scan", dipeptide(directory), "--json", "-q", "--relaxed", "--coordinate", "torsion:1,3,4,6=-180:120:60",
             "--coordinate", "torsion:3,4,6,8=-180:120:60")
    fresh, rows = run_json(*words), run_json(*words, "--follow")
    equal([r["point"] for r in rows], [r["point"] for r in fresh], "the same points in the same order")
    check("round" not in fresh[0] and all(r["round"] >= 0 for r in rows), rows[0])
    for a, b in zip(rows, fresh):
        check(a["energy"] < b["energy"] + 2e-3, f"{a['point']}: {a['energy']}, a fresh start {b['energy']}")
        if a["round"] == 0:
            equal(a["energy"], b["energy"], "what nobody has found lower")
    fell = [b["energy"] - a["energy"] for a, b in zip(rows, fresh)]
    check(max(fell) > 0.01, f"fell by {max(fell)} eV")
    starts = run_json(*words, "--starts", 6)
    check(max(r["round"] for r in starts) in range(1, 6), "starts are numbered")
    both = run_json(*words, "--starts", 6, "--follow", "--seed", 5)
    for a, b, c in zip(starts, rows, both):
        check(a["energy"] > b["energy"] - 2e-3, f"{a['point']}: a start is lower than what follows")
        check(abs(c["energy"] - b["energy"]) < 2e-3, f"{c['point']}: other starts, another end")


def check_charges(directory):
    """QEq charges are those of every point: energies are those of the points by themselves, where they end."""
    path, out = dipeptide(directory), f"{directory}/points.sdf"
    for more, tolerance in (((), 1e-9), (("--relaxed",), 2e-3)):
        words = ("scan", path, "--coordinate", "torsion:1,3,4,6=-120:60:90", "--charges", "qeq", "--json", "-o", out, *more)
        done = run(*words, "-o", f"{directory}/points.jsonl")
        check("QEq charges are those of each geometry" in done.stderr, done.stderr)
        rows = [json.loads(line) for line in open(f"{directory}/points.jsonl")]
        again = run_json("energy", out, "--json", "-q", "--charges", "qeq")
        written = run_json("energy", out, "--json", "-q")
        for r, own, kept in zip(rows, again, written):
            held = r.get("restraint_energy", 0) and 0
            near(r["energy"], own["energy"] + held, tolerance, f"{more} {r['point']}: charges of its geometry")
            near(r["energy"], kept["energy"] + held, 1e-4, f"{more} {r['point']}: charges in the file")
    plain = run_json("scan", path, "--coordinate", "torsion:1,3,4,6=-120:60:90", "--json", "-q", "--charges", "none")
    check(all("QEq" not in str(r) for r in plain), "not asked for")


def check_mirrored(directory):
    """Points that are mirrored on the surface have the same energy when their starts have any orientation."""
    slab = f"{directory}/nacl.xyz"
    run("slab", "rocksalt", "NaCl", "--size", "4x4", "--layers", 2, "-q", "-o", slab)
    path = write(directory, "water.xyz", WATER)
    def spread(*more):
        rows = run_json("scan", path, "--json", "-q", "--relaxed", "--surface", slab, "--height", 2.5, "--charges", "qeq",
                        "--coordinate", "x=-2.8:2.8:1.4", "--coordinate", "y=-0.7:0.7:1.4", *more)
        by_point = {tuple(r["point"]): r["energy"] for r in rows}
        return max(abs(e - by_point[(abs(x), abs(y))]) for (x, y), e in by_point.items())
    check(spread("--fmax", "0.01") > 0.05, "one start gets the map askew")
    check(spread("--starts", 12) < 5e-3, "mirrored points differ")


def check_frames(directory):
    path, out = write(directory, "butane.sdf", butane()), f"{directory}/points.xyz"
    rows = run_json("scan", path, "--json", "-q", "--coordinate", "torsion:0,1,2,3=0:60:20", "-o", out)
    frames = run_json("scan", path, "--json", "-q", "--frames", out)
    equal([f["point"] for f in frames], [[0], [1], [2], [3]], "frames are counted")
    same_numbers(rows, frames, "frames")
    copies = run_json("scan", path, "--json", "-q", "--frames", out, "--copies", 2, "--jitter", 0.05)
    same_numbers(copies[:4], frames, "the first copy of frames")
    check(all(a["energy"] != b["energy"] for a, b in zip(copies[4:], frames)), "the second one differs")
    other = write(directory, "water.xyz", WATER)
    bad = run_json("scan", other, "--json", "-q", "--frames", out, code=1)
    check("frame 0 has 14 atoms, the system has 3" in bad[0]["reason"], bad[0])


def check_several(directory):
    """Every molecule gets all points; one that lacks an atom fails, the others go on."""
    path = write(directory, "both.sdf", butane() + sdf("water", [("O", 0, 0, 0), ("H", .96, 0, 0), ("H", -.2, .9, 0)],
                                                       [(0, 1, 1), (0, 2, 1)]) + butane())
    done = run("scan", path, "--json", "--coordinate", "torsion:0,1,2,3=0:360:30")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    equal(done.returncode, 1, "some failed")
    equal([r["index"] for r in rows], list(range(39)), "all points of all molecules")
    check("names atom 3, the system has 3 atoms" in rows[13]["reason"], rows[13])
    same_numbers(rows[:13], rows[26:], "the same molecule twice")
    check(done.stderr.count("butane: lowest at torsion 0,1,2,3 = 180") == 2, done.stderr)
    equal(done.stderr.count("barrier at torsion 0,1,2,3 = 360"), 2, "the highest barrier is named")
    copies = run_json("scan", write(directory, "one.sdf", butane()), "--json", "-q", "--coordinate", "torsion:0,1,2,3=0:90:30",
                      "--copies", 3, "--jitter", 0.05)
    equal([r["copy"] for r in copies], [0] * 4 + [1] * 4 + [2] * 4, "copies")
    same_numbers(copies[:4], rows[:4], "the first copy is as it was")
    check(copies[5]["energy"] != rows[1]["energy"], "others differ")


def check_move(directory):
    """One of two molecules is moved relative to the other."""
    path = write(directory, "two.xyz", "6\nname=two\nO 0 0 0\nH 0.96 0 0\nH -0.24 0.93 0\nO 0 0 3\nH 0.96 0 3\nH -0.24 0.93 3\n")
    rows = run_json("scan", path, "--json", "-q", "--positions", "--move", "3,4,5", "--coordinate", "z=2.5:6:0.5",
                    "--coordinate", "rz=0:90:90")
    for r in rows:
        first, second = r["positions"][:3], r["positions"][3:]
        near(sum(x[2] for x in second) / 3 - sum(x[2] for x in first) / 3, r["point"][0], 1e-9, "relative to the other")
        equal(first[0], [0, 0, 0], "which stays")
    check(rows[0]["energy"] > rows[-1]["energy"] or rows[0]["energy"] != rows[-1]["energy"], "energies differ")


def check_mistakes(directory):
    path, water = write(directory, "butane.sdf", butane()), write(directory, "water.xyz", WATER)
    for words, text in ((("--coordinate", "z=1:2:0.5"), "needs a surface"), ((), "--coordinate or --frames"),
                        (("--coordinate", "torsion:0,1,2,3=0:10:0"), "the step is 0"),
                        (("--coordinate", "torsion:0,1,2,3=0:10:-1"), "leads away"),
                        (("--coordinate", "torsion:0,1,2=0:10:1"), "expected"),
                        (("--coordinate", "bend:0,1,2=0:10:1"), "expected distance:"),
                        (("--coordinate", "torsion:0,1,2,3=0:10:1e-12"), "more than 1e+09 points"),
                        (("--coordinate", "torsion:0,1,2,3=0:10:1e-4", "--coordinate", "angle:0,1,2=1:9:1e-5"), "points"),
                        (("--coordinate", "torsion:0,1,2,3=0:9:1", "--follow"), "relaxed"),
                        (("--coordinate", "torsion:0,1,2,3=0:9:1", "--fmax", "0.1"), "need --relaxed"),
                        (("--coordinate", "torsion:0,1,2,3=0:9:1", "--plot", "x.pdf"), "--plot"),
                        (("--coordinate", "torsion:0,1,2,3=0:9:1", "--with-slab"), "needs --surface"),
                        (("--coordinate", "rx=0:9:1", "--relaxed", "--surface", slab(directory)), "cannot be held"),
                        (("--coordinate", "torsion:0,1,2,3=0:9:1", "--jitter", "0.1"), "needs --copies"),
                        (("--coordinate", "x=1:2:1", "--move", "0,3,0"), "twice"),
                        (("--coordinate", "torsion:0,1,2,3=0:9:1", "--move", "0"), "x .. rz"),
                        (("--frames", path, "--rotate", "0,0,9"), "expected no --orient")):
        done = run("scan", path, *words)
        check(done.returncode == 2 and text in done.stderr and done.stdout == "", f"{words}: {done.returncode} {done.stderr}")
    rows = run_json("scan", path, "--json", "-q", "--coordinate", "x=1:2:1", "--move", ",".join(map(str, range(14))), code=1)
    check("all 14 atoms move" in rows[0]["reason"], rows[0])
    ring = write(directory, "ring.sdf", sdf("ring", [("C", 0, 0, 0), ("C", 1.5, 0, 0), ("C", 1.5, 1.5, .1), ("C", 0, 1.5, 0)],
                                            [(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 0, 1)]))
    rows = run_json("scan", ring, "--json", "-q", "--coordinate", "torsion:0,1,2,3=10:20:10", code=1)
    check("ring" in rows[0]["reason"], rows[0])
    rows = run_json("scan", ring, "--json", "-q", "--coordinate", "torsion:0,1,2,3=10:20:10", "--relaxed")
    check(all(abs(r["held"][0]) < 0.1 for r in rows), "a ring is held")
    check(run("scan", water, "--coordinate", "distance:0,1=1").returncode == 0, "one point")


def check_ranges(directory, salt):
    """A map whose third coordinate is the same everywhere, most of whose points are overlaps."""
    water, out = write(directory, "water.xyz", WATER), f"{directory}/fixed.svg"
    words = ("scan", water, "--surface", salt, "--grid", "off", "--coordinate", "x=0:4:0.5", "--coordinate", "z=2", "--coordinate",
             "y=-4:0:0.5", "--plot", out)
    def draw(*more):
        done = run(*words, *more)
        equal(done.returncode, 0, done.stderr)
        figure = pathlib.Path(out).read_text()
        cells = [line.split('fill="')[1][:7] for line in figure.splitlines() if "crispEdges" in line and 'fill="' in line]
        return figure, cells, done.stderr
    figure, wide, told = draw()
    check(">water; z = 2 A<" in figure and ">x, A<" in figure and ">y, A<" in figure, "axes and what is fixed")
    check("minimum at" not in told.split("at the edge")[0] or "lowest at" in told, told)
    narrow = draw("--range", "0:0.02")[1]
    check(len(set(wide)) > 8 and narrow[:81].count("#fde725") > wide[:81].count("#fde725"), "colours up to the limit")
    for value in ("1", "2:1", "0:x", "-1:2", "0:1:2", "0:inf"):
        done = run(*words, "--range", value)
        check(done.returncode == 2 and "--range" in done.stderr, f"{value}: {done.stderr}")
    done = run(*words[:-2], "--range", "0:1")
    check(done.returncode == 2 and "--range needs --plot" in done.stderr, done.stderr)


def check_ends(directory):
    """The end of a curve is no minimum, whether or not it is lower than the point beside it."""
    path, out = write(directory, "butane.sdf", butane()), f"{directory}/ends.svg"
    done = run("scan", path, "--coordinate", "torsion:0,1,2,3=-90:130:10", "--plot", out)
    check(done.stderr.count("minimum at") + done.stderr.count("lowest at") == 2, done.stderr)
    check("downhill to the edge at torsion 0,1,2,3 = 130" in done.stderr, done.stderr)
    check(">minima<" in pathlib.Path(out).read_text(), "minima are marked")
    done = run("scan", path, "--coordinate", "torsion:0,1,2,3=90:150:10", "--plot", out)
    check("at the edge" in done.stderr and ">minima<" not in pathlib.Path(out).read_text(), f"ends are not: {done.stderr}")


def check_figures(directory):
    path, salt = write(directory, "butane.sdf", butane()), slab(directory)
    for name, words in (("curve.svg", ("--coordinate", "torsion:0,1,2,3=0:360:30")),
                        ("follow.svg", ("--coordinate", "torsion:0,1,2,3=360:0:-30", "--relaxed", "--follow")),
                        ("map.svg", ("--coordinate", "x=0:4:1", "--coordinate", "y=4:0:-1", "--surface", salt, "--height", 3))):
        out = f"{directory}/{name}"
        done = run("scan", path, "-q", *words, "--plot", out)
        equal(done.returncode, 0, f"{name}: {done.stderr}")
        start = pathlib.Path(out).read_bytes()[:400]
        check(b"<svg" in start, name)
    check_ranges(directory, salt)
    done = run("scan", path, "-q", "--coordinate", "torsion:0,1,2,3=0:360:30", "--plot", f"{directory}/curve.png")
    equal(done.returncode, 2, "PNG is refused")
    check(".svg" in done.stderr and "plot.scan()" in done.stderr, done.stderr)
    done = run("scan", path, "--coordinate", "torsion:0,1,2,3=0:360:30")
    check(done.stdout.startswith("name ") and "torsion" in done.stdout.splitlines()[0] and
          len(done.stdout.splitlines()) == 14, "a table")


# --- restarts and ranks --------------------------------------------------------------------------------

def outputs(stem, kinds=("sdf", "jsonl", "csv")):
    return [word for kind in kinds for word in ("-o", f"{stem}.{kind}")]


def check_same_files(a, b, text, kinds=("sdf", "jsonl", "csv")):
    for kind in kinds:
        check(pathlib.Path(f"{a}.{kind}").read_bytes() == pathlib.Path(f"{b}.{kind}").read_bytes(), f"{text}: {kind}")


def check_kills(directory, words, n_kills):
    """Kill -9 at random moments and going on: the files and the figure of one run that nobody disturbed."""
    other = butane().replace("0.1000 C", "0.2000 C", 1)
    check(other != butane(), "another molecule")
    path = write(directory, "butane.sdf", butane() + other + butane())
    base = [PROGRAM, "scan", str(path), "-q", "--checkpoint-every", "0.01", *words]
    began = time.monotonic()
    subprocess.run(base + outputs(f"{directory}/whole") + ["--plot", f"{directory}/whole.svg"], stdout=subprocess.DEVNULL, check=True)
    seconds, rng = time.monotonic() - began, random.Random(2)
    part = base + outputs(f"{directory}/part") + ["--plot", f"{directory}/part.svg"]
    for kill in range(n_kills + 1):
        process = subprocess.Popen(part + ["--resume"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if kill < n_kills:
            time.sleep(rng.uniform(0.2, 0.8) * seconds)
            process.kill()
        _, err = process.communicate(timeout=300)
        check(process.returncode in (0, -9), f"{process.returncode} {err}")
        if process.returncode == 0:
            break
    check_same_files(f"{directory}/whole", f"{directory}/part", f"killed: {words}")
    for name in ("", "-2", "-3"):
        whole, part = f"{directory}/whole{name}.svg", f"{directory}/part{name}.svg"
        check(os.path.exists(part) and pathlib.Path(whole).read_bytes() == pathlib.Path(part).read_bytes(), f"figure {name}")
    check(not any(".points" in f for f in os.listdir(directory)), f"left: {os.listdir(directory)}")


def check_foreign_points(directory):
    """Energies of another molecule, which a killed run may have left, are not taken for those of this one."""
    path, out = write(directory, "butane.sdf", butane() * 2), f"{directory}/late.jsonl"
    words = [PROGRAM, "scan", str(path), "--coordinate", "torsion:0,1,2,3=0:359:0.01", "--checkpoint-every", "0.01", "-o", out]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    kept = pathlib.Path(out + ".points")
    while process.poll() is None and not (kept.exists() and kept.stat().st_size and os.path.exists(out + ".checkpoint")):
        time.sleep(0.001)
    process.kill()
    process.wait()
    if not kept.exists():
        return
    kept.write_bytes(bytes(kept.stat().st_size))
    done = subprocess.run(words + ["--resume"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    equal(done.returncode, 0, done.stderr)
    check("0.000000 eV, at the edge" not in done.stderr and "lowest at" in done.stderr, done.stderr)


def check_shards(directory):
    path = write(directory, "butane.sdf", butane() * 2)
    words = ("scan", path, "-q", "--coordinate", "torsion:0,1,2,3=0:350:10")
    run(*words, "-o", f"{directory}/whole.jsonl")
    for k in range(3):
        equal(run(*words, "--shard", f"{k}/3", "-o", f"{directory}/part{k}.jsonl").returncode, 0, f"shard {k}")
    run("merge", *[f"{directory}/part{k}.jsonl" for k in range(3)], "-o", f"{directory}/merged.jsonl")
    check(pathlib.Path(f"{directory}/whole.jsonl").read_bytes() == pathlib.Path(f"{directory}/merged.jsonl").read_bytes(),
          "shards make the whole")


def check_ranks(directory):
    if not shutil.which("mpirun") or not (pathlib.Path(PROGRAM).parent / "shoal_mpi.so").exists():
        return
    path = write(directory, "butane.sdf", butane() * 3)
    for k, words in enumerate((["--coordinate", "torsion:0,1,2,3=0:350:1"],
                               ["--coordinate", "torsion:0,1,2,3=0:350:10", "--relaxed", "--follow"])):
        base = ["scan", str(path), "-q", "--json", "--threads", "1", *words]
        one = run(*base, *outputs(f"{directory}/one{k}"), "--plot", f"{directory}/one{k}.svg")
        done = subprocess.run(["mpirun", "-n", "2", PROGRAM, *base, *outputs(f"{directory}/two{k}"), "--plot",
                               f"{directory}/two{k}.svg"], env=ENVIRONMENT, capture_output=True, text=True, timeout=120)
        equal((done.returncode, done.stdout), (0, one.stdout), f"two ranks: {done.stderr[-300:]}")
        check_same_files(f"{directory}/one{k}", f"{directory}/two{k}", f"two ranks, {words}")
        check(pathlib.Path(f"{directory}/one{k}.svg").read_bytes() == pathlib.Path(f"{directory}/two{k}.svg").read_bytes(), "figure")


if __name__ == "__main__":
    run_each([check_rigid, check_surface, check_relaxed, check_relaxed_map, check_centre, check_held, check_follow, check_charges, check_mirrored, check_ends, check_frames,
              check_several, check_move, check_mistakes, check_figures, check_shards, check_ranks,
              check_foreign_points, lambda d: check_kills(d, ["--coordinate", "torsion:0,1,2,3=0:359:0.05"], 4),
              lambda d: check_kills(d, ["--coordinate", "torsion:0,1,2,3=0:359:2", "--relaxed"], 4),
              lambda d: check_kills(d, ["--coordinate", "torsion:0,1,2,3=0:359:5", "--relaxed", "--follow"], 3)])
