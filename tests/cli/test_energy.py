# SPDX-License-Identifier: BSD-3-Clause
# shoal energy: the JSON contract, terms, --explain, charges, output files, order, threads.
import os
import re
import tempfile

from program import CASES, METHANE, TOP, UNTYPED, WATER
from program import check, energies, equal, finish, near, run, run_json, write

TERMS = ("bond", "angle", "torsion", "inversion", "vdw", "coulomb", "surface", "restraint")
KCAL = 0.0433641042418  # eV
# Their files leave out bonds that distances suggest, and xyz has no place to say so.
BONDS_BY_CHOICE = ("sodium_chloride", "diborane")


def test_contract(directory):
    path = write(directory, "mixed.xyz", WATER + UNTYPED + METHANE)
    rows = energies("--forces", path, code=1)
    equal([r["status"] for r in rows], ["ok", "untyped", "ok"], "statuses")
    equal([r["index"] for r in rows], [0, 1, 2], "indices")
    for row in (rows[0], rows[2]):
        equal(sorted(row["terms"]), sorted(TERMS), "terms")
        near(sum(row["terms"].values()), row["energy"], 1e-12, "sum of the terms")
        equal(len(row["forces"]), row["natoms"], "forces")
        lengths = [sum(x * x for x in force) ** 0.5 for force in row["forces"]]
        near(row["fmax"], max(lengths), 1e-12, "fmax")
        for axis in range(3):
            near(sum(force[axis] for force in row["forces"]), 0, 1e-10, "net force")
    check("atom 0 (Rf" in rows[1]["reason"], "the reason names the atom")
    check("energy" not in rows[1], "no energy without types")
    check("forces" not in energies(path, code=1)[0], "no forces unless asked for")
    done = run("energy", "--device", "ref", path)
    equal(done.returncode, 1, "exit code of the table")
    equal(len(done.stdout.splitlines()), 4, "a headline and three rows")


def test_terms():
    path = TOP / "examples" / "demo.sdf"
    full = energies(path)
    for term in ("bond", "angle", "torsion", "inversion", "vdw"):
        for all_on, one in zip(full, energies("--terms", term, path)):
            equal(one["terms"][term], all_on["terms"][term], f"{all_on['name']}: {term} alone")
            others = [v for t, v in one["terms"].items() if t != term]
            equal(others, [0] * len(others), f"{all_on['name']}: the others are off")
    some = energies("--terms", "bond,vdw", path)
    for all_on, two in zip(full, some):
        want = all_on["terms"]["bond"] + all_on["terms"]["vdw"]
        near(two["energy"], want, 1e-12, f"{all_on['name']}: two terms")


def explained(*arguments):
    """(term, energy) of every row of --explain, and the total of the table."""
    done = run("energy", "--explain", "--device", "ref", *arguments)
    equal(done.returncode, 0, f"--explain: {done.stderr}")
    rows, total = [], None
    for line in done.stdout.splitlines():
        words = line.split()
        if words and words[0] in TERMS:
            rows.append((words[0], float(words[1])))
        match = re.search(r"  ok\s+(-?[\d.]+)", line)
        total = float(match.group(1)) if match else total
    return rows, total


def test_explain(directory):
    path = write(directory, "glycine.sdf", (CASES / "glycine.sdf").read_text().split("$$$$\n")[0] + "$$$$\n")
    (row,) = energies(path)
    rows, total = explained(path)
    near(total, row["energy"], 1e-6, "total of the table")
    near(sum(e for _, e in rows), row["energy"], 1e-6 * len(rows), "sum of the rows")
    for term in TERMS:
        part = sum(e for t, e in rows if t == term)
        near(part, row["terms"][term], 1e-6 * len(rows), f"rows of {term}")
    sizes = [abs(e) for _, e in rows]
    equal(sizes, sorted(sizes, reverse=True), "rows are sorted by size")
    kcal, _ = explained("--kcal", path)
    near(sum(e for _, e in kcal) * KCAL, row["energy"], 1e-6 * len(rows), "rows in kcal/mol")
    rows, total = explained(TOP / "examples" / "polyethylene.xyz")
    check(abs(sum(e for _, e in rows) - total) < 1e-6 * len(rows), "rows of a periodic system")


def test_charges(directory):
    path = write(directory, "water.xyz", 2 * WATER)
    charged = CASES / "water_ext.xyz"
    rows = energies("--charges", "file", path, code=1)
    equal([r["status"] for r in rows], ["untyped", "untyped"], "--charges file without charges")
    check("no partial charges" in rows[0]["reason"], "and the reason")
    rows = energies("--charges", "none", charged)
    equal(rows[0]["terms"]["coulomb"], 0, "--charges none")
    acetone = write(directory, "acetone.sdf", record("acetone"))
    (plain,) = energies(acetone)
    (qeq,) = energies("--charges", "qeq", acetone)
    equal(plain["terms"]["coulomb"], 0, "no charges by default")
    check(abs(qeq["terms"]["coulomb"]) > 0.01, "--charges qeq adds a Coulomb term")
    near(qeq["energy"] - qeq["terms"]["coulomb"], plain["energy"], 1e-12, "and changes no other")
    many = "\n".join(f"Ar {4 * (k % 40)} {4 * (k // 40 % 40)} {4 * (k // 1600)}" for k in range(60000))
    path = write(directory, "many.xyz", WATER + f"60000\nmany\n{many}\n" + WATER)
    rows = energies("--charges", "qeq", path, code=1)
    equal([r["status"] for r in rows], ["ok", "untyped", "ok"], "a system that is too large for QEq")
    check("QEq: 60000 atoms" in rows[1]["reason"], "and why")
    ice = WATER.split("\n")
    ice[1] = 'Lattice="3.1 0 0 0 3.3 0 0.4 0 3.6" pbc="T T T"'
    (row,) = energies("--charges", "qeq", write(directory, "ice.xyz", "\n".join(ice)))
    check(row["status"] == "ok" and row["terms"]["coulomb"] != 0, "--charges qeq of a periodic system")


def record(name):
    for block in (CASES / "types.sdf").read_text().split("$$$$\n"):
        if block.startswith(name + "\n"):
            return block + "$$$$\n"
    raise LookupError(name)


def test_output(directory):
    """Written files give the same energies, in the digits that their format has."""
    source = CASES / "types.sdf"
    want = energies(source)
    for name in ("out.sdf", "out.sdf.gz", "out.extxyz"):
        path = f"{directory}/{name}"
        equal(run("energy", "-q", "--device", "ref", source, "-o", path).returncode, 0, f"writing {name}")
        got = energies("--charges", "none", path)
        equal([r["name"] for r in got], [r["name"] for r in want], f"names in {name}")
        for a, b in zip(got, want):
            if name == "out.extxyz" and b["name"] in BONDS_BY_CHOICE:
                continue
            near(a["energy"], b["energy"], 1e-12 * abs(b["energy"]) + 1e-14, f"{name}: {b['name']}")
    neutral = TOP / "examples" / "demo.sdf"
    path = f"{directory}/demo.xyz"
    equal(run("energy", "-q", "--device", "ref", neutral, "-o", path).returncode, 0, "writing xyz")
    for a, b in zip(energies(path), energies(neutral)):
        near(a["energy"], b["energy"], 1e-12 * abs(b["energy"]), f"demo.xyz: {b['name']}")
    text = (TOP / path).read_text()
    for key in ("energy=", "forces:R:3", "uff_type:S:1"):
        check(key in text, f"{key} in extended xyz")


def test_failed_in_output(directory):
    path = write(directory, "mixed.xyz", WATER + UNTYPED)
    output = f"{directory}/mixed_out.xyz"
    equal(run("energy", "--device", "ref", path, "-o", output).returncode, 1, "exit code")
    lines = (TOP / output).read_text().splitlines()
    check("status=untyped" in lines[6], "the failed system is written with its status")
    check("energy=" in lines[1] and "energy=" not in lines[6], "and without energy")


def test_large_numbers(directory):
    """Columns stay apart, whatever is in them."""
    atom = "    0.0000    0.0000%10.4f Ar  0  0\n"
    head = "clash\n\n\n  2  0  0  0  0  0  0  0  0  0999 V2000\n"
    distances = (1.5, 1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.1)
    path = write(directory, "clash.sdf", "".join(head + atom % 0 + atom % r + "M  END\n$$$$\n" for r in distances))
    for options in ((), ("--kcal",)):
        unit = 0.0433641042418 if options else 1
        done = run("energy", *options, path)
        lines = done.stdout.splitlines()
        for line, row in zip(lines[1:], energies(path)):
            words = line.split()
            equal(len(words), 11, f"columns of {line!r}")
            near(float(words[3]) * unit / row["energy"], 1, 1e-3, "energy in the table")
            near(float(words[9]) * unit / row["terms"]["vdw"], 1, 1e-3, "vdw")
    rows = run("energy", "--explain", path).stdout
    check(all(len(line.split()) >= 4 for line in rows.splitlines() if line.startswith("vdw")), "explained")
    for line in run("relax", "--max-steps", "2", path).stdout.splitlines()[1:]:
        equal(len(line.split()[:7]), 7, f"columns of {line!r}")
        if line.split()[2] != "collapsed":
            check(float(line.split()[4]) > 10, "energy before")


def many(n):
    """Different small systems: water with a growing bond, a failed one now and then."""
    frames = []
    for i in range(n):
        if i % 101 == 50:
            frames.append(UNTYPED)
        else:
            frames.append(f"3\nw{i}\nO 0 0 0\nH 0 {0.9 + 1e-4 * i:.4f} 0\nH 0.9 0 {1e-3 * (i % 7):.4f}\n")
    return "".join(frames)


def test_order(directory):
    """More systems than one chunk holds keep their order, and each its own result."""
    n = 2500
    path = write(directory, "many.xyz", many(n))
    rows = energies(path, code=1)
    equal([r["index"] for r in rows], list(range(n)), "indices")
    names = ["heavy" if i % 101 == 50 else f"w{i}" for i in range(n)]
    equal([r["name"] for r in rows], names, "names")
    frames = many(n).split("3\nw")
    for i in (0, 1023, 1024, 1025, 2047, 2048, n - 1):
        alone = next(f for f in frames if f.startswith(f"{i}\n"))
        (row,) = energies("--format", "xyz", "-", stdin="3\nw" + alone.replace(UNTYPED, ""))
        equal(row["energy"], rows[i]["energy"], f"system {i} alone and together")
        equal(row["fmax"], rows[i]["fmax"], f"fmax of system {i}")


def test_threads(directory):
    path = write(directory, "many.xyz", many(1300))
    for command in ("types", "energy"):
        one = run(command, "--json", "--threads", "1", path).stdout
        two = run(command, "--json", "--threads", "2", path).stdout
        check(one == two and one, f"{command}: one and two threads give the same bytes")
        check(run(command, "--json", "--threads", "2", path).stdout == two, f"{command}: a second run")


def test_not_finite(directory):
    """Two atoms at one place: their system has no energy, the others do."""
    clash = "2\nclash\nHe 1 2 3\nHe 1 2 3\n"
    path = write(directory, "clash.xyz", WATER + clash + METHANE)
    rows = energies(path, code=1)
    equal([r["status"] for r in rows], ["ok", "not_finite", "ok"], "statuses beside a clash")
    good = energies(write(directory, "good.xyz", WATER + METHANE))
    equal([rows[0]["energy"], rows[2]["energy"]], [r["energy"] for r in good], "the others' energies")


def test_no_numbers(directory):
    """Whatever the status, there is no NaN in JSON (run_json refuses it) and none in the table."""
    slab = f"{directory}/slab.xyz"
    equal(run("slab", "rocksalt", "--size", "2x2", "-o", slab).returncode, 0, "slab")
    below = "1\nbelow\nAr 0 0 -4\n"
    clash = "2\nclash\nHe 0 0 9\nHe 0 0 9\n"
    near_clash = "2\nnear\nAr 0 0 9\nAr 0 0 9.05\n"
    nearer = "2\nnearer\nAr 0 0 9\nAr 0 0 9.001\n"  # too much for float
    path = write(directory, "statuses.xyz", below + clash + UNTYPED + nearer)
    shadow = ("--device", "shadow:cpu", "--precision", "float")
    for device, last in ((("--device", "ref"), "ok"), (("--device", "cpu"), "ok"), (shadow, "differs")):
        for command, end in (("energy", last), ("relax", None)):
            if command == "relax" and device[1] != "cpu":
                continue
            options = (command, *device, "--surface", slab, path)
            rows = run_json(*options, "--json", *(("--forces",) if command == "energy" else ()), code=1)
            statuses = [r["status"] for r in rows]
            equal(statuses[:3], ["below_surface", "not_finite", "untyped"], f"statuses, {command} {device}")
            check(end is None or statuses[3] == end, f"last status of {command} {device}: {statuses[3]}")
            check(all(r.get("reason") for r in rows[:3]), f"reasons, {command} {device}")
            text = run(*options).stdout
            check("nan" not in text.lower() and "inf " not in text.lower(), f"{command} {device}: {text}")
    row = run("energy", "--device", "ref", write(directory, "near.xyz", near_clash)).stdout.splitlines()[1]
    equal(len(row.split()), 11, f"columns of a huge energy: {row}")
    near(float(row.split()[3]), 3.685527e20, 1e16, "a huge energy in the table")


def test_convert(directory):
    source = CASES / "types.sdf"
    for name in ("again.sdf", "again.extxyz"):
        path = f"{directory}/{name}"
        equal(run("convert", source, "-o", path).returncode, 0, f"convert to {name}")
        rows = run_json("types", "--json", path)
        equal(len(rows), 92, f"systems in {name}")
    want = energies(source)
    for a, b in zip(energies(f"{directory}/again.sdf"), want):
        near(a["energy"], b["energy"], 1e-12 * abs(b["energy"]) + 1e-14, f"again.sdf: {b['name']}")
    check(not os.path.exists(f"{directory}/again.sdf.tmp"), "no temporary file is left")


def main():
    with tempfile.TemporaryDirectory() as directory:
        test_contract(directory)
        test_terms()
        test_explain(directory)
        test_charges(directory)
        test_output(directory)
        test_failed_in_output(directory)
        test_large_numbers(directory)
        test_order(directory)
        test_threads(directory)
        test_not_finite(directory)
        test_no_numbers(directory)
        test_convert(directory)
    finish()


if __name__ == "__main__":
    main()
