# SPDX-License-Identifier: BSD-3-Clause
# Broken files: the record fails, with file, line and reason, and the others count; with --strict exit code 4 and
# one line on stderr.
import json
import random
import tempfile

from program import WATER, check, equal, finish, run, run_json, write

LONG = "a" * 1000000
JUNK = bytes(random.Random(4).randrange(256) for _ in range(5000)) + b"\0\0"

# format: (what is wrong, text, line where it is noticed)
XYZ = [
    ("no count", "water\nO 0 0 0\n", 1),
    ("negative count", "-3\n\n", 1),
    ("huge count", "99999999999\n\n", 1),
    ("count of more atoms than the file has", "4\n\nO 0 0 0\nH 0 0 1\nH 0 1 0\n", 5),
    ("truncated after the count", "3\n", 1),
    ("count of fewer atoms", "2\n\nO 0 0 0\nH 0 0 1\nH 0 1 0\n", 5),
    ("missing coordinate", "1\n\nO 0 0\n", 3),
    ("nan", "1\n\nO 0 0 nan\n", 3),
    ("inf", "1\n\nO 0 inf 0\n", 3),
    ("overflow", "1\n\nO 0 1e999 0\n", 3),
    ("text for a number", "1\n\nO 0 0 0x10\n", 3),
    ("unknown element", "1\n\nQq 0 0 0\n", 3),
    ("atomic number out of range", "1\n\n119 0 0 0\n", 3),
    ("short lattice", '1\nLattice="1 0 0" \nC 0 0 0\n', 2),
    ("flat lattice", '1\nLattice="1 0 0 2 0 0 0 0 1"\nC 0 0 0\n', 2),
    ("open quote", '1\nLattice="1 0 0\nC 0 0 0\n', 2),
    ("bad columns", "1\nProperties=species:S:1:pos:R:2\nC 0 0 0\n", 2),
    ("bad charge", "1\nProperties=species:S:1:pos:R:3:q:R:1\nC 0 0 0 x\n", 3),
    ("endless line", LONG + "\n", 1),
    ("endless atom", "1\n\nC 0 0 " + LONG + "\n", 3),
    ("binary", JUNK, None),
    ("second frame broken", WATER + "1\n\nC 0 0\n", 8),
]

HEAD = "name\n  made\n\n"
ATOM = "    0.0000    0.0000    0.0000 C   0  0\n"


def v2000(n_atoms, n_bonds, *lines):
    return HEAD + f"{n_atoms:3d}{n_bonds:3d}  0  0  0  0  0  0  0  0999 V2000\n" + "".join(lines)


SDF = [
    ("truncated header", "name\n  made\n", 2),
    ("no counts", HEAD + "hello\n", 4),
    ("count of more atoms", v2000(2, 0, ATOM, "M  END\n$$$$\n"), 6),
    ("count of more bonds", v2000(1, 1, ATOM, "M  END\n$$$$\n"), 6),
    ("truncated atoms", v2000(2, 0, ATOM), 5),
    ("nan", v2000(1, 0, ATOM.replace("0.0000 C", "   nan C"), "M  END\n"), 5),
    ("unknown element", v2000(1, 0, ATOM.replace("C ", "Qq"), "M  END\n"), 5),
    ("bond out of range", v2000(1, 1, ATOM, "  1  2  1  0\n", "M  END\n"), 6),
    ("bond to itself", v2000(1, 1, ATOM, "  1  1  1  0\n", "M  END\n"), 6),
    ("query bond", v2000(2, 1, ATOM, ATOM, "  1  2  8  0\n", "M  END\n"), 7),
    ("bad charge line", v2000(1, 0, ATOM, "M  CHG  1   9   1\n", "M  END\n"), 6),
    ("endless line", HEAD + LONG + "\n", 4),
    ("binary", JUNK, None),
]

MOLECULE = "@<TRIPOS>MOLECULE\nx\n{} {}\nSMALL\nNO_CHARGES\n@<TRIPOS>ATOM\n"

MOL2 = [
    ("no molecule", "hello\n", 1),
    ("bad counts", "@<TRIPOS>MOLECULE\nx\nfrob\nSMALL\nNO_CHARGES\n", 3),
    ("truncated atoms", MOLECULE.format(2, 0) + "1 C 0 0 0 C.3\n", None),
    ("nan", MOLECULE.format(1, 0) + "1 C 0 0 nan C.3\n", 7),
    ("unknown element", MOLECULE.format(1, 0) + "1 C 0 0 0 Qq\n", 7),
    ("bond out of range", MOLECULE.format(1, 1) + "1 C 0 0 0 C.3\n@<TRIPOS>BOND\n1 1 5 1\n", 9),
    ("nothing after a backslash", MOLECULE.format(1, 0) + "1 C 0 0 0 \\\n", 7),
    ("a section after a backslash", MOLECULE.format(1, 0) + "1 C 0 0 0 \\\n@<TRIPOS>BOND\n", 8),
    ("endless line", "@<TRIPOS>MOLECULE\nx\n" + LONG + "\n", 3),
    ("binary", JUNK, None),
]


def check_unreadable(directory, form, what, name, line):
    """The mistake is the status of a system."""
    done = run("energy", "--json", "-q", name, cwd=directory)
    title = f"{form}, {what}"
    equal(done.returncode, 1, f"{title}: exit code")
    rows = [json.loads(row) for row in done.stdout.splitlines()]
    bad = [r for r in rows if r["status"] == "unreadable"]
    equal(len(bad), 1, f"{title}: unreadable systems of {len(rows)}")
    place = f"{name}:{line}:" if line else f"{name}:"
    for row in bad:
        check(row["reason"].startswith(place), f"{title}: '{place}' in {row['reason'][:200]!r}")
        check(row["file"] == name and row["line"] >= 1 and row["record"] == len(rows) - 1, f"{title}: {row}")


def check_refused(directory, form, what, text, line):
    name = f"broken.{form}"
    write(directory, name, text)
    check_unreadable(directory, form, what, name, line)
    for command in ("types", "energy"):
        done = run(command, "--json", "--strict", name, cwd=directory)
        title = f"{form}, {what}, {command}"
        equal(done.returncode, 4, f"{title}: exit code")
        equal(len(done.stderr.splitlines()), 1, f"{title}: lines on stderr ({done.stderr[:200]})")
        place = f"{name}:{line}:" if line else f"{name}:"
        check(place in done.stderr, f"{title}: '{place}' in {done.stderr[:200]!r}")
        check(len(done.stderr) < 500, f"{title}: a short message")


def test_frames_before(directory):
    """What was read before the mistake is computed; the exit code tells of the mistake."""
    path = write(directory, "late.xyz", 3 * WATER + "1\n\nC 0 0 zero\n")
    rows = run_json("energy", "--json", "--device", "ref", "--strict", path, code=4)
    equal([r["status"] for r in rows], ["ok"] * 3, "frames before a broken one")


def test_tiny_cell(directory):
    """A cell smaller than its atom is refused in no time; its neighbours get the results they have alone."""
    argon = '1\nLattice="0.8 0 0 0 0.8 0 0 0 0.8" pbc="T T T"\nAr 0 0 0\n'
    path = write(directory, "tiny.xyz", WATER + argon + WATER)
    for device in ("ref", "cpu"):
        rows = run_json("energy", "--json", "--device", device, path, code=1)
        equal([r["status"] for r in rows], ["ok", "untyped", "ok"], f"statuses around a tiny cell, {device}")
        check("122 bonds" in rows[1]["reason"], f"reason of a tiny cell: {rows[1]['reason']}")
        alone = run_json("energy", "--json", "--device", device, write(directory, "alone.xyz", WATER))
        equal([r["energy"] for r in rows if r["status"] == "ok"], 2 * [alone[0]["energy"]], "beside a tiny cell")


def main():
    with tempfile.TemporaryDirectory() as directory:
        for form, table in (("xyz", XYZ), ("sdf", SDF), ("mol2", MOL2)):
            for what, text, line in table:
                check_refused(directory, form, what, text, line)
        test_frames_before(directory)
        test_tiny_cell(directory)
    finish()


if __name__ == "__main__":
    main()
