# SPDX-License-Identifier: BSD-3-Clause
# shoal fit prepare --finer: names by the neighbourhood, and the same names in the engine.
import csv
import math
import pathlib
import re
import tempfile

import program

# Methanol and formic acid, side by side; distances and energies are made.
METHANOL = (("C", -0.046, 0.664, 0), ("O", -0.046, -0.755, 0), ("H", -1.087, 0.976, 0), ("H", 0.438, 1.071, 0.890),
            ("H", 0.438, 1.071, -0.890), ("H", 0.861, -1.057, 0))
FORMIC = (("C", 0, 0.423, 0), ("O", -1.020, -0.428, 0), ("O", 1.157, 0.110, 0), ("H", -0.375, 1.450, 0), ("H", -0.650, -1.326, 0))
NAMES = ["C_3x", "O_3h1", "H_C3x", "H_C3x", "H_C3x", "H_O"], ["C_Rx2", "O_Rh1", "O_R", "H_C2x2", "H_Op"]


def frames():
    text = ""
    for turn in range(4):
        for z in (2.9, 3.1, 3.4, 4.0, 5.0):
            c, s = math.cos(0.9 * turn), math.sin(0.9 * turn)
            text += f"11\n# n0 6 Etot {30 / z**6 * (3.05 / z)**6 - 60 / z**6 + 0.01 * c:.6f} x0 {z / 3:.3f} z 0 pair{turn}\n"
            text += "".join(f"{e} {x} {y} {w}\n" for e, x, y, w in METHANOL)
            text += "".join(f"{e} {c * x - s * y:.5f} {s * x + c * y:.5f} {w + z}\n" for e, x, y, w in FORMIC)
    return text


def prepare(place, *more):
    done = program.run("fit", "prepare", program.write(place, "plain.xyz", frames()), "-o", place / "frames.xyz", "--types-out",
                       place / "types.dat", "--dofs-out", place / "dofs.dat", "--charges", "mmff94", *more)
    program.equal(done.returncode, 0, done.stderr)
    return [line.split()[0] for line in (place / "frames.xyz").read_text().splitlines()[2:13]]


def energies(place, *fragment):
    """Of all frames with the model, by the engine."""
    options = ("energy", "--json", "--device", "ref", "--params", place / "model.dat", "--charges", "file", *fragment)
    return [sum(row["terms"][k] for k in ("vdw", "coulomb")) for row in program.run_json(*options, place / "frames.xyz")]


def check_same(place):
    """The engine finds the finer types by itself: interaction energies are those of the fit."""
    done = program.run("fit", "--types", place / "types.dat", "--data", place / "frames.xyz", "--dofs", place / "dofs.dat", "--model",
                       "best", "-o", place / "model.dat", "--samples", place / "samples.csv", "--json", "--max-steps", 20)
    program.check("warning" not in done.stderr, f"labels are the engine's: {done.stderr}")
    whole, a, b = energies(place), energies(place, "--fragment", 1), energies(place, "--fragment", 2)
    with open(place / "samples.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file)]
    program.equal(len(rows), len(whole), "samples")
    for row, e, x, y in zip(rows, whole, a, b):
        program.near(e - x - y, float(row["model_eV"]), 1e-11, f"engine and fit of {row}")


def check_nearest(place):
    """Finer types that a table lacks are what comes nearest, in data and in the engine."""
    lines = (place / "model.dat").read_text().splitlines()
    lacking = [line for line in lines if line.split()[0] not in ("C_Rx2", "H_Op") and "C_Rx2" not in line and "H_Op" not in line]
    row = next(line for line in lines if line.startswith("C_Rx2 "))
    near = [row.replace("C_Rx2", "C_Rx", 1)]
    (place / "model.dat").write_text("\n".join(lacking + near) + "\n")
    rows = [x - a - b for x, a, b in zip(energies(place), energies(place, "--fragment", 1), energies(place, "--fragment", 2))]
    done = program.run("fit", "eval", "--params", place / "model.dat", "--data", place / "frames.xyz", "--samples", place / "near.csv")
    program.equal(done.returncode, 0, done.stderr)
    program.check("warning" not in done.stderr.replace("could not", ""), done.stderr)
    with open(place / "near.csv", newline="") as file:
        for got, want in zip(rows, csv.DictReader(file)):
            program.near(got, float(want["model_eV"]), 1e-11, "nearest types")


def main():
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name).resolve()
        program.equal(prepare(place), [re.sub(r"(x\d?|h\d|p)$", "", n) for n in sum(NAMES, [])], "names without --finer")
        program.equal(prepare(place, "--finer"), sum(NAMES, []), "names with it")
        parents = {w[0]: w[1] for w in map(str.split, (place / "types.dat").read_text().splitlines()) if w[0] != "#"}
        program.equal((parents["O_3h1"], parents["C_Rx2"], parents["O_R"], parents["H_Op"]), ("O_3", "C_R", "*", "H_O"), "parents")
        check_same(place)
        check_nearest(place)
    program.finish()


if __name__ == "__main__":
    main()
