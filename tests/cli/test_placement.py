# SPDX-License-Identifier: BSD-3-Clause
# Placement: orientation, turns, places, copies, molecule files with their slab, energies of adsorption.
import itertools
import json
import pathlib

from program import check, equal, near, run, run_each, run_json, write

# Flat and long.
BENZENE = "12\nname=benzene\n" + "".join(
    f"{s} {r * x} {r * y * 0.6} {r * y * 0.8}\n" for s, r in (("C", 1.39), ("H", 2.48))
    for x, y in ((1, 0), (0.5, 0.8660254), (-0.5, 0.8660254), (-1, 0), (-0.5, -0.8660254), (0.5, -0.8660254)))
WATER = "3\nname=water\nO 0 0 0\nH 0.9575 0 0.01\nH -0.24 0.927 0\n"


def slab(directory):
    path = f"{directory}/salt.xyz"
    equal(run("slab", "rocksalt", "--size", "2x2", "--layers", "2", "-q", "-o", path).returncode, 0, "a slab")
    return path


def extents(row):
    return [max(x[k] for x in row["positions"]) - min(x[k] for x in row["positions"]) for k in range(3)]


def check_places(directory):
    path, salt = write(directory, "benzene.xyz", BENZENE), slab(directory)
    common = ("--json", "-q", "--positions", "--surface", salt, "--grid", "off")
    for command in ("energy", "relax"):
        words = (command, path, *common) + (("--max-steps", 1) if command == "relax" else ())
        flat = run_json(*words, "--orient", "flat", "--at", "1.5,2.5", "--height", 3, code=None)[0]
        near(extents(flat)[2], 0, 1e-6, f"{command}: flat")
        centre = [sum(x[k] for x in flat["positions"]) / 12 for k in range(2)]
        near(centre[0], 1.5, 1e-9, "x of its centre")
        near(centre[1], 2.5, 1e-9, "y of its centre")
        near(min(x[2] for x in flat["positions"]), 3, 1e-9, "height above the top, at 0")
        up = run_json(*words, "--orient", "upright", "--height", 3, code=None)[0]
        check(extents(up)[2] > 4 and min(extents(up)) < 1e-6, f"{command}: upright, {extents(up)}")
        turned = run_json(*words, "--orient", "flat", "--rotate", "90,0,0", "--height", 3, code=None)[0]
        check(extents(turned)[2] > 4, f"{command}: turned")
    for words, text in ((("--at", "1"), "2 numbers"), (("--rotate", "1,2"), "3 numbers"), (("--orient", "up"), "flat"),
                        (("--copies", "0"), "copies"), (("--copies", "2", "--seed", "-1"), "--seed"),
                        (("--jitter", "0.1"), "--copies"), (("--seed", "1"), "--copies")):
        done = run("relax", path, "--surface", salt, *words)
        check(done.returncode == 2 and text in done.stderr, f"{words}: {done.returncode} {done.stderr}")
    done = run("relax", path, "--adsorption")
    check(done.returncode == 2 and "--adsorption needs --surface" in done.stderr, done.stderr)


def check_copies(directory):
    """Numbers hang on seed, record and copy: not on the other molecules, shards or threads."""
    path = write(directory, "two.xyz", WATER + BENZENE)
    words = ("relax", "--json", "-q", "--copies", 4, "--jitter", 0.1, "--seed", 5)
    rows = run_json(*words, path)
    equal([r["index"] for r in rows], list(range(8)), "4 copies of each")
    equal(rows[0]["energy0"], run_json("relax", write(directory, "one.xyz", WATER), "--json", "-q")[0]["energy0"],
          "the first stays as it is")
    for a, b in itertools.combinations(rows[:4], 2):
        check(a["energy0"] != b["energy0"], "copies differ")
    alone = run_json(*words, write(directory, "one.xyz", WATER))
    equal([r["energy0"] for r in alone], [r["energy0"] for r in rows[:4]], "other molecules do not matter")
    equal(run_json(*words, path, "--threads", 1), rows, "nor threads")
    shards = [run_json(*words, path, "--shard", f"{k}/3") for k in range(3)]
    equal(sorted((r for s in shards for r in s), key=lambda r: r["index"]), rows, "nor shards")
    other = run_json("relax", "--json", "-q", "--copies", 4, "--jitter", 0.1, "--seed", 6, path)
    check(other[1]["energy0"] != rows[1]["energy0"], "seeds differ")


def check_slab(directory):
    path, salt = write(directory, "water.xyz", WATER), slab(directory)
    n = int(pathlib.Path(salt).read_text().split()[0])
    for command in (["relax"], ["scan", "--coordinate", "z=3:4:0.5"]):
        for kind in ("xyz", "sdf"):
            out = f"{directory}/both.{kind}"
            done = run(*command, path, "-q", "--surface", salt, "--height", 2.5, "--with-slab", "-o", out)
            equal(done.returncode, 0, f"{command}: {done.stderr}")
            text = pathlib.Path(out).read_text()
            check(str(n + 3) in text.splitlines()[0 if kind == "xyz" else 3], f"{kind}: atoms of both")
            check(kind == "sdf" or ('Lattice="' in text and 'pbc="T T F"' in text), "the cell of the slab")
            again = run_json("types", out, "--json", "-q", code=None)
            equal(again[0]["natoms"], n + 3, "it can be read")


def check_adsorption(directory):
    """Total minus the relaxed molecule alone."""
    path, salt = write(directory, "two.xyz", WATER + BENZENE), slab(directory)
    common = ("--json", "-q", "--surface", salt, "--grid", "off", "--height", 3)
    alone = run_json("relax", path, "--json", "-q")
    rows = run_json("relax", path, *common, "--adsorption", "--copies", 2, "--jitter", 0.05)
    for k, r in enumerate(rows):
        equal(r["isolated_energy"], alone[k // 2]["energy"], "the molecule alone, relaxed")
        equal(r["adsorption_energy"], r["energy"] - r["isolated_energy"], "its adsorption")
    rows = run_json("scan", path, *common, "--adsorption", "--coordinate", "z=3:9:3")
    for k, r in enumerate(rows):
        equal(r["adsorption_energy"], r["energy"] - alone[k // 3]["energy"], "of a point of a scan")
    table = run("relax", path, "-q", "--surface", salt, "--height", 3, "--adsorption").stdout.splitlines()
    check(table[0].endswith("adsorption") and "nan" not in table[1], f"the table: {table[:2]}")


def check_reference(directory):
    """A molecule that is read as a high conformer is compared with its lowest one."""
    salt, butane = slab(directory), str(pathlib.Path(__file__).parents[2] / "examples" / "butane.sdf")
    gauche = f"{directory}/gauche.sdf"
    run("scan", butane, "-q", "--coordinate", "torsion:0,1,2,3=65", "-o", gauche)
    high, low = (run_json("relax", path, "--json", "-q")[0]["energy"] for path in (gauche, butane))
    check(high > low + 0.03, f"two conformers: {high} {low}")
    on = ("--json", "--surface", salt, "--grid", "off", "--height", 3)
    done = run("relax", gauche, *on, "--adsorption")
    row = json.loads(done.stdout)
    near(row["isolated_energy"], low, 1e-3, "the lowest conformer alone")
    near(row["adsorption_energy"], row["energy"] - row["isolated_energy"], 1e-12, "the difference")
    check(row["isolated_start"] > 0 and "lowest of up to 50 conformers" in done.stderr, f"said: {row} {done.stderr}")
    rows = run_json("search", gauche, "-q", *on, "--starts", 4, "--patience", 0)
    near(rows[0]["energy"] - rows[0]["adsorption_energy"], low, 1e-3, "of a search, too")


if __name__ == "__main__":
    run_each([check_places, check_copies, check_slab, check_adsorption, check_reference])
