# SPDX-License-Identifier: BSD-3-Clause
# Directions and electron pairs in files: columns where systems may have some, and not a word of them where not.
import pathlib
import shutil
import tempfile

from program import METHANE, check, equal, finish, near, run, run_json, write

FORMIC = "5\nformic\nC 0 0 0\nO 1.2 .1 0\nO -.65 1.15 .05\nH -.55 -.95 .1\nH -1.5 1 .4\n"
MMFF = ("--forcefield", "mmffsp3")


def atoms_of(path):
    """Comment, names of columns and rows of the first frame."""
    lines = pathlib.Path(path).read_text().splitlines()
    names = lines[1].split("Properties=")[1].split()[0].split(":")[::3]
    return lines[1], names, [line.split() for line in lines[2:2 + int(lines[0])]]


def check_columns(place):
    """Of terms and of directions."""
    both = write(place, "both.xyz", FORMIC + METHANE)
    out = place / "out"
    rows = run_json("relax", "-q", "--json", *MMFF, both, "-o", f"{out}.csv", "-o", f"{out}.xyz", "-o", f"{out}.h5")
    equal(["sigma_pi" in r["terms"] for r in rows], [True, False], "terms of directions where there are some")
    lines = pathlib.Path(f"{out}.csv").read_text().splitlines()
    check(",restraint,sigma_pi,pi_pi,device" in lines[0], f"columns: {lines[0]}")
    near(float(lines[1].split(",")[18]), rows[0]["terms"]["sigma_pi"], 1e-12, "sigma_pi in a table")
    equal(lines[2].split(",")[18:20], ["0", "0"], "a system without directions")
    comment, names, atoms = atoms_of(f"{out}.xyz")
    check("pi" in names and "electron_pairs" not in comment, f"columns: {comment}")
    for i, atom in enumerate(atoms):
        length = sum(float(x) ** 2 for x in atom[7:10])
        near(length, 1 if i < 3 else 0, 1e-12, f"direction at atom {i}")
    frames = pathlib.Path(f"{out}.xyz").read_text().splitlines()
    check("pi:R:3" not in frames[8], "no column without directions")
    again = run_json("energy", "-q", "--json", *MMFF, f"{out}.h5")
    equal([r["status"] for r in again], ["ok", "ok"], "results are input")
    run("relax", "-q", *MMFF, "--electron-pairs", both, "-o", f"{out}.xyz")
    check(' electron_pairs="' in atoms_of(f"{out}.xyz")[0], "electron pairs")
    plain = run("energy", "-q", *MMFF, f"{out}.xyz", "-o", f"{out}2.xyz")
    equal(plain.returncode, 0, plain.stderr)
    check("electron_pairs" not in atoms_of(f"{out}2.xyz")[0], "nothing stale")


def check_uff(place):
    """Knows nothing of all that."""
    one = write(place, "one.xyz", FORMIC)
    run("relax", "-q", one, "-o", place / "uff.csv", "-o", place / "uff.xyz")
    text = (place / "uff.csv").read_text() + (place / "uff.xyz").read_text()
    check("pi" not in text.replace("natoms", ""), f"no word of directions: {text}")


def main():
    place = pathlib.Path(tempfile.mkdtemp())
    check_columns(place)
    check_uff(place)
    shutil.rmtree(place)
    finish()


main()
