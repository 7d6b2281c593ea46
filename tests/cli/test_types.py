# SPDX-License-Identifier: BSD-3-Clause
# shoal types: the JSON contract, overrides, charges, and systems without types among others.
import tempfile

from program import CASES, METHANE, TOP, UNTYPED, WATER, check, equal, finish, near, run, run_json, write


def fields(path, key):
    """Values of one data field, record by record."""
    lines = path.read_text().splitlines()
    return [lines[i + 1] for i, line in enumerate(lines) if line == f">  <{key}>"]


def test_contract(directory):
    path = write(directory, "mixed.xyz", WATER + UNTYPED + METHANE)
    rows = run_json("types", "--json", path, code=1)
    equal([r["index"] for r in rows], [0, 1, 2], "indices")
    equal([r["name"] for r in rows], ["water", "heavy", "methane"], "names")
    equal([r["natoms"] for r in rows], [3, 1, 5], "atoms")
    equal([r["status"] for r in rows], ["ok", "untyped", "ok"], "statuses")
    equal(rows[0]["types"], ["O_3", "H_", "H_"], "types of water")
    equal(rows[0]["charges"], [0, 0, 0], "charges of water")
    equal(rows[0]["bonds"], [[0, 1, 1], [0, 2, 1]], "bonds of water")
    check("atom 0 (Rf" in rows[1]["reason"], "the reason names atom and element")
    for key in ("types", "charges", "bonds"):
        check(all(key in r for r in rows), f"key {key}")
    check("reason" not in rows[0], "no reason where nothing failed")
    done = run("types", path)
    equal(done.returncode, 1, "exit code of the table")
    check("untyped" in done.stdout and "Rf" in done.stdout, "the table has the reason")
    check("O_3" in done.stdout and "C_3" in done.stdout, "and the types of the others")
    check("1 system could not be typed" in done.stderr, f"stderr counts the failed: {done.stderr}")


def test_table():
    rows = run_json("types", "--json", CASES / "types.sdf")
    expected = fields(CASES / "types.sdf", "expect")
    equal(len(rows), len(expected), "records of types.sdf")
    for row, labels in zip(rows, expected):
        equal(" ".join(row["types"]), labels, row["name"])


def test_names(directory):
    name = 'a "quoted" \\ name\twith é'
    path = write(directory, "name.xyz", f"1\n{name}\nHe 0 0 0\n")
    (row,) = run_json("types", "--json", path)
    equal(row["name"].split(), name.split(), "a name with odd characters")


def test_overrides(directory):
    path = write(directory, "water.xyz", WATER)
    (row,) = run_json("types", "--json", "--type", "0=O_2", path)
    equal(row["types"], ["O_2", "H_", "H_"], "--type")
    (row,) = run_json("types", "--json", "--type", "0=O_9", path, code=1)
    check("'O_9' is no UFF type" in row["reason"], "--type with an unknown label")
    (row,) = run_json("types", "--json", "--type", "0=C_3", path, code=1)
    check("belongs to C" in row["reason"], "--type of another element")
    (row,) = run_json("types", "--json", "--bond-order", "1,0=1.5", path)
    equal(row["bonds"], [[0, 1, 1.5], [0, 2, 1]], "--bond-order")
    column = write(
        directory,
        "column.xyz",
        "3\nProperties=species:S:1:pos:R:3:uff_type:S:1\nO 0 0 0.1173 O_3_z\n"
        "H 0 0.7572 -0.4692 -\nH 0 -0.7572 -0.4692 -\n",
    )
    (row,) = run_json("types", "--json", column)
    equal(row["types"], ["O_3_z", "H_", "H_"], "the column uff_type")


def test_charge(directory):
    acetate = next(
        frame
        for frame in frames((CASES / "perceive.xyz").read_text())
        if "name=acetate" in frame
    )
    path = write(directory, "acetate.xyz", acetate)
    (row,) = run_json("types", "--json", "--charge", "-1", path)
    equal(sum(row["formal_charges"]), -1, "--charge")
    (row,) = run_json("types", "--json", "--charge", "-1", "--charges", "qeq", path)
    near(sum(row["charges"]), -1, 1e-12, "QEq has the total of the formal charges")
    (row,) = run_json("types", "--json", "--charges", "qeq", TOP / "examples" / "polyethylene.xyz")
    near(sum(row["charges"]), 0, 1e-10, "QEq of a chain")
    check(all((q > 0) == (label == "H_") for q, label in zip(row["charges"], row["types"])), "polar C-H bonds")


def frames(text):
    lines = text.splitlines(keepends=True)
    at = 0
    while at < len(lines):
        n = int(lines[at]) + 2
        yield "".join(lines[at : at + n])
        at += n


def test_rebuild(directory):
    """Bonds of the file are used, unless they are to be found again."""
    text = (CASES / "types.sdf").read_text().split("$$$$\n")[0] + "$$$$\n"
    wrong = text.replace("  5  4  0", "  5  3  0").replace("  1  5  1  0\n", "")
    path = write(directory, "wrong.sdf", wrong)
    (row,) = run_json("types", "--json", path)
    equal(len(row["bonds"]), 3, "bonds as given")
    (row,) = run_json("types", "--json", "--rebuild-bonds", path)
    equal(len(row["bonds"]), 4, "bonds found again")


def test_periodic():
    (row,) = run_json("types", "--json", CASES / ".." / ".." / "examples" / "graphene.xyz")
    equal(set(row["types"]), {"C_R"}, "types of graphene")
    equal(len(row["bonds"]), 12, "bonds of graphene")
    check(all(len(b) == 6 for b in row["bonds"]), "bonds of a crystal have a shift")
    check(any(b[3:] != [0, 0, 0] for b in row["bonds"]), "and some cross the border")


def test_aromatic_refused(directory):
    """A ring that has no Kekule structure is untyped; the others go on."""
    ring = "cp\n\n\n 10 10  0  0  0  0  0  0  0  0999 V2000\n"
    for i in range(10):
        ring += f"{1.2 * i:10.4f}    0.0000    0.0000 {'CH'[i // 5]}   0  0\n"
    for i in range(5):
        ring += f"{i + 1:3d}{(i + 1) % 5 + 1:3d}  4  0\n{i + 1:3d}{i + 6:3d}  1  0\n"
    ring += "M  END\n$$$$\n"
    first = (CASES / "types.sdf").read_text().split("$$$$\n")[0] + "$$$$\n"
    path = write(directory, "ring.sdf", ring + first)
    rows = run_json("types", "--json", path, code=1)
    equal([r["status"] for r in rows], ["untyped", "ok"], "statuses beside an impossible ring")
    check("Kekule" in rows[0]["reason"], "the reason")


def main():
    with tempfile.TemporaryDirectory() as directory:
        test_contract(directory)
        test_table()
        test_names(directory)
        test_overrides(directory)
        test_charge(directory)
        test_rebuild(directory)
        test_periodic()
        test_aromatic_refused(directory)
    finish()


if __name__ == "__main__":
    main()
