# SPDX-License-Identifier: BSD-3-Clause
# Read, relax, write, read again: the user's own data survive, no word of an earlier run does, and what converged is
# read back as converged.
import pathlib
import tempfile

from program import TOP, check, equal, finish, near, run, run_json, write

# Alanine zwitterion with deuterium, a wedge, a chiral flag, comment lines and repeated fields; 2-methylpropanol by xyz.
ALANINE = """L-alanine
  maker   1122334455
a comment line
 13 12  0  0  1  0  0  0  0  0999 V2000
   -0.0182    0.5126    0.3600 C   0  0  1  0  0  0  0  0  0  0  0  0
   -1.2800   -0.3300    0.2600 C   0  0  0  0  0  0  0  0  0  0  0  0
    1.2500   -0.3500    0.1700 C   0  0  0  0  0  0  0  0  0  0  0  0
    2.3300    0.2300   -0.0700 O   0  0  0  0  0  0  0  0  0  0  0  0
    1.1300   -1.5900    0.2800 O   0  5  0  0  0  0  0  0  0  0  0  0
   -0.0300    1.5600   -0.6900 N   0  3  0  0  0  0  0  0  0  0  0  0
    0.0100    1.0000    1.3400 H   0  0  0  0  0  0  0  0  0  0  0  0
   -2.1600    0.3100    0.3700 H   1  0  0  0  0  0  0  0  0  0  0  0
   -1.3300   -0.8500   -0.7000 H   0  0  0  0  0  0  0  0  0  0  0  0
   -1.3000   -1.0800    1.0600 H   0  0  0  0  0  0  0  0  0  0  0  0
   -0.9000    2.0800   -0.6000 H   0  0  0  0  0  0  0  0  0  0  0  0
    0.7500    2.2000   -0.5800 H   0  0  0  0  0  0  0  0  0  0  0  0
    0.0200    1.1300   -1.6100 H   0  0  0  0  0  0  0  0  0  0  0  0
  1  2  1  1
  1  3  1  0
  3  4  2  0
  3  5  1  0
  1  6  1  0
  1  7  1  6
  2  8  1  0
  2  9  1  0
  2 10  1  0
  6 11  1  0
  6 12  1  0
  6 13  1  0
M  CHG  2   5  -1   6   1
M  ISO  2   2  13   8   2
M  END
> <partial_charges>
0.1 -0.2 0.6 -0.7 -0.7 -0.3 0.1 0.1 0.1 0.1 0.3 0.3 0.3

> <energy>
-42.5

> <note>
first

> <note>
second

> <status>
my own

$$$$
"""
XYZ = ('3\nProperties=species:S:1:pos:R:3 name=water energy=-14.2 temperature=300 label="a b"\n'
       "O 0 0 0.1173\nD 0 0.7572 -0.4692\nH 0 -0.7572 -0.4692\n")
# Words of ALANINE that no run may lose.
KEPT = ("L-alanine\n", "a comment line\n", "> <note>\nfirst\n", "> <note>\nsecond\n", "M  ISO", "M  CHG",
        "> <energy_input>\n-42.5\n", "> <status_input>\nmy own\n", "> <partial_charges>\n0.1 -0.2 0.6", "  1  2  1  1\n",
        "  1  7  1  6\n")


def has_all(text, words, title):
    for word in words:
        check(word in text, f"{title}: {word!r} is kept in\n{text}")


def check_sdf(directory):
    """Twice through relax and SDF: the same data, the results of the second run alone."""
    path = write(directory, "in.sdf", ALANINE)
    first = run("relax", "--max-steps", 3, path, "-o", f"{directory}/first.sdf")
    check("'energy'" in first.stderr or "'status'" in first.stderr, f"a field that is renamed is said: {first.stderr}")
    equal(run("relax", "-q", f"{directory}/first.sdf", "-o", f"{directory}/second.sdf").returncode, 0, "second run")
    one, two = (pathlib.Path(f"{directory}/{name}.sdf").read_text() for name in ("first", "second"))
    for title, text in (("first", one), ("second", two)):
        has_all(text, KEPT, title)
        equal(text.splitlines()[3][12:15].strip(), "1", f"{title}: chiral flag")
        for key in ("energy", "status", "fmax", "steps", "uff_types", "forces", "shoal"):
            equal(text.count(f"> <{key}>"), 1, f"{title}: {key}")
        check("_input_input" not in text, f"{title}: names do not pile up")
    check("max_steps" in one and "max_steps" not in two and "converged" in two, "no word of the first run")
    (again,) = run_json("relax", "--json", f"{directory}/second.sdf")
    equal((again["status"], again["steps"]), ("converged", 1), "converged is read back as converged")


def check_h5(directory):
    """The same through HDF5, which every command reads; no word of the first run is in what the second writes."""
    path = write(directory, "in.sdf", ALANINE)
    if "no HDF5" in run("relax", "-q", "--max-steps", 3, path, "-o", f"{directory}/first.h5").stderr:
        return
    equal(run("relax", "-q", f"{directory}/first.h5", "-o", f"{directory}/second.h5", "-o", f"{directory}/direct.sdf")
          .returncode, 0, "relax of HDF5")
    (again,) = run_json("relax", "--json", f"{directory}/second.h5")
    equal((again["status"], again["steps"]), ("converged", 1), "converged is read back as converged")
    for name in ("first", "second"):
        run("convert", "-q", f"{directory}/{name}.h5", "-o", f"{directory}/{name}_back.sdf")
    one, two, direct = (pathlib.Path(f"{directory}/{name}.sdf").read_text()
                        for name in ("first_back", "second_back", "direct"))
    for title, text in (("first", one), ("second", two)):
        has_all(text, KEPT, title)
        equal(text.splitlines()[1], "  maker   1122334455", f"{title}: line of the program")
        equal(text.splitlines()[3][12:15].strip(), "1", f"{title}: chiral flag")
        for key in ("energy", "status", "fmax", "steps", "uff_types", "forces", "shoal"):
            equal(text.count(f"> <{key}>"), 1, f"{title}: {key}")
        check("_input_input" not in text, f"{title}: names do not pile up")
    check("max_steps" in one and "max_steps" not in two and "converged" in two, "no word of the first run")
    equal(two, direct, "what is converted is what was written")
    (types,) = run_json("types", "--json", "--file-types", f"{directory}/first.h5")
    equal(types["types"][:2], ["C_3", "C_3"], "types of the file")
    wrong = run("convert", f"{directory}/first.h5", "-o", f"{directory}/first.h5")
    check(wrong.returncode == 2 and "is an input" in wrong.stderr, f"not onto itself: {wrong.stderr}")
    wrong = run("energy", write(directory, "wrong.h5", "no file of that kind"))
    check(wrong.returncode == 4 and "not an HDF5 file" in wrong.stderr, f"{wrong.returncode} {wrong.stderr}")
    check_h5_unread(directory)


def check_h5_unread(directory):
    """What could not be read stays so, with its old reason; what was only converted is no result."""
    run("convert", "-q", write(directory, "bad.xyz", XYZ + "1\nbroken\nH 0 0 x\n"), "-o", f"{directory}/bad.h5")
    rows = run_json("energy", "--json", f"{directory}/bad.h5", code=1)
    equal([r["status"] for r in rows], ["ok", "unreadable"], "status")
    check("bad coordinate" in rows[1]["reason"], f"reason: {rows[1]}")
    run("convert", "-q", f"{directory}/bad.h5", "-o", f"{directory}/bad_back.xyz")
    text = pathlib.Path(f"{directory}/bad_back.xyz").read_text()
    has_all(text, ("energy=-14.2", "temperature=300", 'label="a b"', 'name="water"'), "converted")
    check("shoal=" not in text and "status=" not in text, f"no result: {text}")


def check_xyz(directory):
    path = write(directory, "in.xyz", XYZ)
    run("relax", "-q", "--max-steps", 2, path, "-o", f"{directory}/first.xyz")
    run("relax", "-q", f"{directory}/first.xyz", "-o", f"{directory}/second.xyz")
    one, two = (pathlib.Path(f"{directory}/{name}.xyz").read_text() for name in ("first", "second"))
    for title, text in (("first", one), ("second", two)):
        has_all(text, ("temperature=300", 'label="a b"', "energy_input=-14.2", 'name="water"'), title)
        equal(text.count("status="), 1, f"{title}: status")
    check("max_steps" in one and "max_steps" not in two and "converged" in two, "no word of the first run")
    (again,) = run_json("relax", "--json", f"{directory}/second.xyz")
    equal((again["status"], again["steps"]), ("converged", 1), "converged is read back as converged")
    run("convert", "-q", f"{directory}/second.xyz", "-o", f"{directory}/back.sdf")
    check("M  ISO  1   2   2" in pathlib.Path(f"{directory}/back.sdf").read_text(), "deuterium from xyz to SDF")


def check_types(directory):
    """Types of one dialect do not decide in another; --file-types says that they shall."""
    path = write(directory, "in.sdf", (TOP / "examples" / "demo.sdf").read_text())
    run("types", "-q", "--dialect", "paper", path, "-o", f"{directory}/paper.xyz")
    plain = [r["types"] for r in run_json("types", "--json", path)]
    paper = [r["types"] for r in run_json("types", "--json", "--dialect", "paper", path)]
    check(plain != paper, "the dialects differ")
    equal([r["types"] for r in run_json("types", "--json", f"{directory}/paper.xyz")], plain, "labels are results")
    equal([r["types"] for r in run_json("types", "--json", "--file-types", f"{directory}/paper.xyz")], paper, "--file-types")


def check_converted(directory):
    """Conversion loses nothing of a run."""
    run("relax", "-q", TOP / "examples" / "demo.sdf", "-o", f"{directory}/relaxed.sdf")
    run("convert", "-q", f"{directory}/relaxed.sdf", "-o", f"{directory}/relaxed.xyz")
    text = pathlib.Path(f"{directory}/relaxed.xyz").read_text()
    equal((text.count("energy="), text.count("status=converged")), (12, 12), "results in a converted file")
    rows = run_json("relax", "--json", f"{directory}/relaxed.xyz")
    check(all(r["status"] == "converged" and r["steps"] == 1 for r in rows), f"and all digits: {rows}")


# Orders that resonance structures share, and oxo groups: the force field of a file of results is that of the run.
def check_orders(directory):
    flat = [  # formate; dicyanamide; MnO4-: one structure is drawn, all of them count
        ("formate", -1, "C 0 0 0|O 1.1 0.61 0|O -1.1 0.61 0|H 0 -1.1 0"),
        ("dicyanamide", -1, "N 0 0 0|C 1.1 .6 0|C -1.1 .6 0|N 2.1 1.15 0|N -2.1 1.15 0"),
        ("MnO4", -1, "Mn 0 0 0|O .93 .93 .93|O .93 -.93 -.93|O -.93 .93 -.93|O -.93 -.93 .93"),
    ]
    text = ""
    for name, charge, atoms in flat:
        lines = atoms.split("|")
        text += "\n".join([str(len(lines)), f"name={name} charge={charge}", *lines]) + "\n"
    source = write(directory, "resonance.xyz", text)
    wanted = [row["energy"] for row in run_json("energy", "--json", source)]
    for suffix in ("xyz", "sdf", "h5"):
        out = str(pathlib.Path(directory) / ("resonance_out." + suffix))
        run("energy", "-q", source, "-o", out)
        rows = run_json("energy", "--json", out)
        for row, energy in zip(rows, wanted):
            near(row["energy"], energy, 1e-9, f"{row['name']} read back from {suffix}")
        again = str(pathlib.Path(directory) / ("resonance_again." + suffix))
        run("energy", "-q", out, "-o", again)
        for row, energy in zip(run_json("energy", "--json", again), wanted):
            near(row["energy"], energy, 1e-9, f"{row['name']} read back twice from {suffix}")


def main():
    with tempfile.TemporaryDirectory() as directory:
        check_sdf(directory)
        check_h5(directory)
        check_xyz(directory)
        check_types(directory)
        check_converted(directory)
        check_orders(directory)
    finish()


if __name__ == "__main__":
    main()
