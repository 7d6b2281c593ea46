# SPDX-License-Identifier: BSD-3-Clause
# --fix and --type by number, range, element and height, found for every molecule; --explain of one frame.
import os
import tempfile

from program import METHANE, WATER, check, equal, finish, run, run_json, write


def positions(text):
    lines = text.splitlines()
    return [[float(x) for x in line.split()[1:4]] for line in lines[2:2 + int(lines[0])]]


STARTS = [positions(WATER), positions(METHANE)]


def moved(*arguments, code=0):
    """For each row which atoms have moved, as a text of 0 and 1."""
    rows = run_json("relax", "--json", "-q", "--positions", *arguments, code=code)
    return ["".join("01"[a != b] for a, b in zip(row["positions"], start)) for row, start in zip(rows, STARTS)]


def check_fix(directory):
    path = write(directory, "in.xyz", WATER + METHANE)
    free = moved(path)
    check(free[0] == "111" and "1" in free[1], f"nothing is held: {free}")
    equal(moved("--fix", "0", path), ["011", "0" + free[1][1:]], "an atom")
    equal(moved("--fix", "1-2", path)[0], "100", "a range")
    equal(moved("--fix", "1-", path), ["100", "00000"], "a range without end; the centre of methane feels nothing")
    equal(moved("--fix", "element:H", path)[0], "100", "an element")
    equal(moved("--fix", "!element:O", path), ["100", "00000"], "all but an element")
    equal(moved("--fix", "above:0", path)[0], "011", "a height")
    equal(moved("--fix", "below:-0.4&element:H", path)[0], "100", "a height and an element")
    equal(moved("--fix", "0", "--fix", "2", path)[0], "010", "several options")
    equal(moved("--fix", "0,element:H&1-1", path)[0], "001", "several parts")
    equal(moved("--fix", "all", path), ["000", "00000"], "all")


def check_mistakes(directory):
    path = write(directory, "in.xyz", WATER + METHANE)
    rows = run_json("relax", "--json", "-q", "--fix", "2-3", path, code=1)
    equal(rows[0]["reason"], "fix 2-3 names atom 3, the system has 3 atoms", "an atom that one of them lacks")
    equal(rows[1]["status"], "converged", "the other goes on")
    for option, text in (("--fix", "element:Qq"), ("--fix", "5-3"), ("--fix", "1;2"), ("--type", "element:H"),
                         ("--type", "=H_"), ("--type", "x=H_"), ("--type", "0=TOOLONGLABEL")):
        done = run("relax", option, text, path)
        equal(done.returncode, 2, f"{option} {text}: {done.stderr}")
        check(option in done.stderr, f"{option} {text} is named: {done.stderr}")
    done = run("relax", "--fix", "element:Fe", "--fix", "0", "--type", "above:99=H_", path)
    equal(done.returncode, 0, "what selects nothing is no failure")
    check("warning: --fix 'element:Fe' selects no atom in any system" in done.stderr, done.stderr)
    check("warning: --type 'above:99' selects no atom in any system" in done.stderr, done.stderr)
    check("--fix '0'" not in done.stderr, done.stderr)
    quiet = run("relax", "-q", "--fix", "element:Fe", path)
    check("selects no atom" not in quiet.stderr, "-q")


def check_type(directory):
    path = write(directory, "in.xyz", WATER + METHANE)
    def types(*words, code=0):
        return [row["types"] for row in run_json("types", "--json", "-q", *words, path, code=code)]
    equal(types("--type", "element:O=O_2"), [["O_2", "H_", "H_"], ["C_3"] + ["H_"] * 4], "by element")
    equal(types("--type", "1-2=H_b"), [["O_3", "H_b", "H_b"], ["C_3", "H_b", "H_b", "H_", "H_"]], "by range")
    equal(types("--type", "1=H_b")[0], ["O_3", "H_b", "H_"], "by number")
    equal(types("--type", "element:H&above:0=H_b")[1], ["C_3", "H_b", "H_", "H_", "H_b"], "by height")
    rows = run_json("types", "--json", "-q", "--type", "4=H_b", path, code=1)
    equal(rows[0]["reason"], "type 4=H_b names atom 4, the system has 3 atoms", "an atom that one of them lacks")


def check_layers(directory):
    """Heights are those where a system begins: above a substrate, whose movable atoms may be named, too."""
    path, slab = write(directory, "water.xyz", WATER), f"{directory}/salt.xyz"
    equal(run("slab", "rocksalt", "NaCl", "--size", "2x2", "-q", "-o", slab).returncode, 0, "a slab")
    words = ("--surface", slab, "--surface-form", "lj", "--movable-layers", "1", "--height", "2.5", "--grid", "off",
             "--positions", path)
    rows = [run_json("relax", "--json", "-q", *fix, "--max-steps", steps, *words, code=None)[0]["positions"]
            for fix, steps in (((), 1), (("--fix", "below:0.5"), 40), (("--fix", "!0-2"), 40))]
    start, by_height, by_number = rows
    check(len(start) > 10, "the layer is there")
    for i, (a, b, c) in enumerate(zip(start, by_height, by_number)):
        equal((a == b, a == c), (i > 2, i > 2), f"atom {i}")


def check_explain(directory):
    """One frame of a file, as by itself."""
    path = write(directory, "in.xyz", WATER + METHANE + WATER.replace("0.7572", "0.8"))
    rows = run_json("energy", "--json", "--explain", path)
    for k, want in enumerate(rows):
        got = run_json("energy", "--json", "--explain", "--record", k, path)
        equal(got, [want], f"frame {k}")
    equal(run_json("energy", "--json", "--record", "4", path, path)[0]["record"], 1, "frames of all files are counted")
    way = f"{directory}/way.xyz"
    equal(run("relax", "-q", path, "--trajectory", way, "--every", "1").returncode, 0, "a trajectory")
    (frame,) = run_json("energy", "--json", "--explain", "--record", "3", way)
    sums = {}
    for row in frame["interactions"]:
        sums[row["term"]] = sums.get(row["term"], 0) + row["energy"]
    for term, energy in frame["terms"].items():
        check(abs(sums.get(term, 0) - energy) < 1e-9, f"{term} of a frame on the way: {sums.get(term)}, {energy}")
    for words, code in ((("--record", "3"), 2), (("--record", "-1"), 2), (("--record", "1", "--shard", "0/2"), 2)):
        done = run("energy", "--explain", *words, path)
        equal(done.returncode, code, f"{words}: {done.stderr}")


with tempfile.TemporaryDirectory() as top:
    for number, test in enumerate((check_fix, check_mistakes, check_type, check_layers, check_explain)):
        place = f"{top}/{number}"
        os.mkdir(place)
        test(place)
finish()
