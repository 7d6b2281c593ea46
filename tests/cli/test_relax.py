# SPDX-License-Identifier: BSD-3-Clause
# shoal relax: the JSON contract, statuses, output files, constraints, order, exit codes.
import math
import tempfile

from program import CASES, METHANE, TOP, UNTYPED, WATER
from program import check, energies, equal, finish, near, run, run_json, write

DEMO = TOP / "examples" / "demo.sdf"
TERMS = ("bond", "angle", "torsion", "inversion", "vdw", "coulomb", "surface", "restraint")
BUTANE = (
    "14\nbutane\n"
    "C -1.90 0.10 0.05\nC -0.60 -0.60 0.00\nC 0.60 0.40 0.00\nC 1.90 -0.30 0.10\n"
    "H -1.95 0.75 0.92\nH -1.98 0.72 -0.85\nH -2.74 -0.60 0.08\nH -0.58 -1.25 0.88\n"
    "H -0.56 -1.24 -0.89\nH 0.55 1.05 -0.87\nH 0.58 1.04 0.90\nH 1.98 -0.93 1.00\n"
    "H 2.74 0.40 0.10\nH 1.95 -0.95 -0.78\n"
)
COINCIDENT = "2\nclash\nAr 0 0 0\nAr 0 0 0\n"


def relaxed(*arguments, code=0):
    return run_json("relax", "--json", *arguments, code=code)


def positions(path):
    """Coordinates of every frame of an xyz file."""
    lines, frames = path.read_text().splitlines(), []
    while lines:
        n = int(lines[0])
        frames.append([[float(x) for x in line.split()[1:4]] for line in lines[2:n + 2]])
        lines = lines[n + 2:]
    return frames


def distance(a, b):
    return math.dist(a, b)


def torsion(a, b, c, d):
    def cross(u, v):
        return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]

    def minus(u, v):
        return [x - y for x, y in zip(u, v)]

    m, n = cross(minus(b, a), minus(c, b)), cross(minus(c, b), minus(d, c))
    cosine = sum(x * y for x, y in zip(m, n)) / math.dist(m, [0] * 3) / math.dist(n, [0] * 3)
    return math.degrees(math.acos(max(-1.0, min(1.0, cosine))))


def test_contract(directory):
    path = write(directory, "mixed.xyz", WATER + UNTYPED + METHANE + COINCIDENT)
    rows = relaxed(path, code=1)
    statuses = ["converged", "untyped", "converged", "not_finite"]
    equal([r["status"] for r in rows], statuses, "statuses")
    equal([r["index"] for r in rows], [0, 1, 2, 3], "indices")
    equal(rows[3]["reason"], "the vdw energy is not finite: atoms 0 (Ar) and 1 (Ar) are 0.00 A apart", "what is to blame")
    for row in (rows[0], rows[2]):
        equal(sorted(row["terms"]), sorted(TERMS), "terms")
        near(sum(row["terms"].values()), row["energy"], 1e-12, "sum of the terms")
        check(row["fmax"] <= 0.01, "fmax")
        check(row["energy"] <= row["energy0"] + 1e-12, "downhill")
        check(row["steps"] >= 1, "steps")
    for row in (rows[1], rows[3]):
        check(row["reason"] != "", "a reason")
        check("energy" not in row and "steps" not in row, "no numbers")
    done = run("relax", path)
    equal(done.returncode, 1, "exit code")
    equal(len(done.stdout.splitlines()), 5, "a headline and a row per system")
    check("2 of 4 systems converged" in done.stderr, "the summary")
    check("1 heavy: untyped" in done.stderr and "3 clash: not_finite" in done.stderr, "the list")
    equal(run("relax", "-q", write(directory, "w.xyz", WATER)).stderr, "", "quiet")


def test_start_is_the_single_point():
    for row, want in zip(relaxed(DEMO), energies(DEMO)):
        near(row["energy0"], want["energy"], 1e-9, f"{row['name']}: energy before")


def test_methods_and_precisions():
    for options in ((), ("--method", "fire", "--fmax", "0.01"), ("--precision", "double"), ("--precision", "float")):
        rows = relaxed(*options, DEMO)
        equal({r["status"] for r in rows}, {"converged"}, f"{options}")
        check(all(r["fmax"] <= 0.01 for r in rows), f"{options}: fmax")
    tight = relaxed("--fmax", "1e-6", DEMO)
    check(all(r["fmax"] <= 1e-6 for r in tight), "a limit below what float can reach")
    (row,) = run_json("relax", "--json", "--max-steps", 3, "--format", "xyz", "-", stdin=BUTANE, code=1)
    equal((row["status"], row["steps"]), ("max_steps", 3), "out of steps")
    check(math.isfinite(row["energy"]), "and still with numbers")


def test_output(directory):
    out = write(directory, "out.xyz", "")
    rows = relaxed(DEMO, "-o", out)
    again = energies(out)
    equal([r["name"] for r in again], [r["name"] for r in rows], "order of the output")
    sdf = write(directory, "out.sdf", "")
    relaxed(DEMO, "-o", sdf)
    for row, read in zip(rows, energies(sdf)):
        near(read["energy"], row["energy"], 1e-3, f"{row['name']}: energy of the SD file")
    path = write(directory, "mixed.xyz", WATER + UNTYPED + METHANE)
    relaxed(path, "-o", out, code=1)
    equal(len(positions(out)), 3, "failed systems are in the output too")
    check("status=untyped" in out.read_text(), "with their status")


def test_constraints(directory):
    path, out = write(directory, "butane.xyz", BUTANE), write(directory, "out.xyz", "")
    start = positions(path)[0]
    relaxed(path, "--fix", "0,3", "--fix", "12", "-o", out)
    end = positions(out)[0]
    for i in range(14):
        equal(end[i] == start[i], i in (0, 3, 12), f"atom {i} fixed")
    (row,) = relaxed(path, "--restrain", "torsion:0,1,2,3=60,50", "--restrain", "distance:0,1=1.6,500",
                     "-o", out)
    end = positions(out)[0]
    near(torsion(*end[:4]), 60, 1, "restrained torsion")
    near(distance(end[0], end[1]), 1.6, 0.02, "restrained distance")
    check(row["terms"]["restraint"] > 0, "energy of the restraints")
    for option in ("angle:0,1,2=180,0.1", "angle:0,1,2=0,0", "distance:0,1=0,0", "torsion:0,1,2,3=-300,1"):
        check(run("relax", "--max-steps", "3", path, "--restrain", option).returncode < 2, f"{option} is accepted")
    (row,) = relaxed(path, "--restrain", "angle:0,1,2=120,200", "--restrain", "position:3=50", "-o", out)
    end = positions(out)[0]
    near(distance(end[3], start[3]), 0, 0.05, "restrained position")
    relaxed(path, "--restrain", "torsion:0,1,2,3=90,50", "--restrain", "xy:3=1000", "--restrain", "z:0=1000", "-o", out)
    (end,) = positions(out)
    near(max(abs(end[3][0] - start[3][0]), abs(end[3][1] - start[3][1]), abs(end[0][2] - start[0][2])), 0, 0.02,
         "directions that are held")
    check(abs(end[3][2] - start[3][2]) > 0.02 and abs(end[0][1] - start[0][1]) > 0.2, "others are free")
    for wrong in (("--fix", "a"), ("--fix", "0,"), ("--restrain", "bend:0,1=1,1"),
                  ("--restrain", "distance:0=1,1"), ("--restrain", "distance:0,1=1"),
                  ("--restrain", "angle:0,1,2=1,-1"), ("--restrain", "angle:0,1,2=-1,1"),
                  ("--restrain", "angle:0,1,2=181,1"), ("--restrain", "distance:0,1=-1,1"),
                  ("--restrain", "torsion:0,1,2,1=60,1"), ("--method", "newton"), ("--fmax", "0"),
                  ("--max-steps", "0"), ("--precision", "half")):
        done = run("relax", path, *wrong)
        equal(done.returncode, 2, f"exit code of {wrong}")
        check(done.stderr != "", f"{wrong} says what is wrong")


def test_too_small(directory):
    """A system that lacks an atom which an option names fails alone, with a reason."""
    path, out = write(directory, "small.xyz", METHANE + WATER + METHANE), write(directory, "out.xyz", "")
    for option, value, what in (("--fix", "0,3", "fix 3"),
                                ("--restrain", "distance:0,3=1,1", "restraint distance:0,3"),
                                ("--restrain", "position:3=1", "restraint position:3"),
                                ("--type", "3=H_", "type 3=H_")):
        rows = relaxed(path, option, value, "-o", out, code=1)
        equal([r["status"] for r in rows], ["converged", "untyped", "converged"], f"{option} {value}")
        equal(rows[1]["reason"], f"{what} names atom 3, the system has 3 atoms", f"{option}: the reason")
        equal(rows[0]["energy"], rows[2]["energy"], f"{option}: the others are what they are")
        equal(len(positions(out)), 3, f"{option}: all are in the output")
    (alone,) = relaxed(path, "--type", "4=H_", code=1)[1:2]
    check("type 4=H_" in alone["reason"], "the override is named")
    (row,) = relaxed(write(directory, "heavy.xyz", UNTYPED), "--fix", "7", code=1)
    check("Rf" in row["reason"], "an untyped system keeps its reason")
    rows = run_json("types", "--json", "--type", "3=H_", path, code=1)
    equal([r["status"] for r in rows], ["ok", "untyped", "ok"], "types")
    (plan,) = run_json("relax", "--json", "--dry-run", "--fix", "3", path)
    equal((plan["systems"], plan["untyped"]), (3, 1), "the plan counts it")


def test_devices(directory):
    path = write(directory, "water.xyz", WATER)
    equal(run("relax", "--device", "abacus", path).returncode, 3, "an unknown device")
    done = run("relax", "--device", "ref", path)
    equal(done.returncode, 3, "a device that cannot relax")
    check("ref" in done.stderr, "is named")
    equal(run("energy", "--device", "ref", "--precision", "float", path).returncode, 3, "ref in float")
    near(run_json("energy", "--json", "--device", "cpu", "--precision", "float", path)[0]["energy"],
         energies(path)[0]["energy"], 1e-5, "energy in float")


def test_many(directory):
    """More systems than fit into a chunk of 'energy', in order; failures are listed, then counted."""
    text = "".join(WATER.replace("water", f"w{k}") for k in range(1500))
    rows = relaxed(write(directory, "many.xyz", text))
    equal([r["name"] for r in rows], [f"w{k}" for k in range(1500)], "order")
    equal(len({(r["energy"], r["fmax"], r["steps"]) for r in rows}), 1, "equal systems, equal results")
    done = run("relax", write(directory, "bad.xyz", UNTYPED * 50))
    equal(done.returncode, 1, "exit code of bad systems")
    check("and 30 more" in done.stderr, "long lists end in a count")
    check(len(done.stderr.splitlines()) < 26, "and stay short")


def main():
    with tempfile.TemporaryDirectory() as directory:
        test_contract(directory)
        test_start_is_the_single_point()
        test_methods_and_precisions()
        test_output(directory)
        test_constraints(directory)
        test_too_small(directory)
        test_devices(directory)
        test_many(directory)
    rows = relaxed(CASES / "types.sdf", code=None)
    check(all(r["status"] in ("converged", "untyped") for r in rows), "tests/cases/types.sdf")
    finish()


if __name__ == "__main__":
    main()
