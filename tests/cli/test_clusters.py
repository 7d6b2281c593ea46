# SPDX-License-Identifier: BSD-3-Clause
# The pair model that is part of the library: base pairs and clusters, molecules from SMILES, planar nitrogens.
import pathlib
import subprocess
import sys
import tempfile

import program

MODEL = ("--params", "noncovalent")
# Formamide whose amino group is a pyramid here and flat there, above an atom of neon.
PYRAMID = "C 0 0 0\nO 1.22 0 0\nN -0.7 1.17 0.1\nH -0.55 -0.95 0\nH -0.2 2.05 -0.15\nH -1.68 1.2 -0.15\n"
FLAT = "C 0 0 0\nO 1.22 0 0\nN -0.7 1.17 0\nH -0.55 -0.95 0\nH -0.2 2.05 0\nH -1.7 1.2 0\n"


def check_orders():
    """Watson-Crick below stacked, G-C near the literature: what the script asks for."""
    script = program.TOP / "bench" / "clusters.py"
    done = subprocess.run([sys.executable, script, program.PROGRAM, *MODEL, "--starts", "150", "--only", "A-T", "--only", "G-C"],
                          capture_output=True, text=True)
    program.equal(done.returncode, 0, f"base pairs: {done.stdout}{done.stderr}")
    program.check("not found" not in done.stdout, f"all are found: {done.stdout}")


def check_smiles(place):
    """A molecule without a geometry has the sites and energy that its own output has."""
    for smiles in ("c1ccncc1", "CC(C)=O", "O"):
        path = place / "relaxed.sdf"
        (made,) = program.run_json("relax", "--json", *MODEL, "--smiles", smiles, "-o", path)
        (again,) = program.run_json("energy", "--json", *MODEL, path)
        program.equal(made["charges_from"], "mmff94", "charges that the model names")
        program.near(again["energy"], made["energy"], 2e-5, f"{smiles}: what was written")


def check_sides(place):
    """Every conformer has the lone pairs of its own pyramids: energies are those of the file."""
    path = place / "amine.sdf"
    made = program.run_json("energy", "--json", *MODEL, "--smiles", "CCN(C)CCC", "--conformers", "8", "-o", path)
    again = program.run_json("energy", "--json", *MODEL, path)
    program.check(len(made) == 8, "conformers of an amine")
    for k, (a, b) in enumerate(zip(made, again)):
        program.near(a["energy"], b["energy"], 1e-9, f"conformer {k} of an amine: what was written")


def check_planar(place):
    """Whether an amino group is flat at first decides on no site."""
    text = ""
    for k, molecule in enumerate((PYRAMID, FLAT)):
        for z in (2.8, 3.2, 3.8):
            text += f"7\n# n0 6 Etot {-0.002 * (k + 1) / z:.6f} x0 {z / 3:.3f} z 0 pair{k}\n{molecule}Ne 0 0 {z}\n"
    program.run("fit", "prepare", program.write(place, "plain.xyz", text), "--charges", "none", "-o", place / "frames.xyz",
                "--types-out", place / "types.dat", "--dofs-out", place / "dofs.dat")
    done = program.run("fit", "--types", place / "types.dat", "--data", place / "frames.xyz", "--dofs", place / "dofs.dat", "--coulomb",
                       "none", "--model", "lj", "--sites", "auto", "--max-steps", 0, "--write-frames", place / "sites.xyz")
    written = (place / "sites.xyz").read_text() if (place / "sites.xyz").exists() else ""
    program.check("E_OR" in written and "E_NR" not in written, f"sites of a carbonyl group alone: {done.stderr}{written}")


def check_name(place):
    """A file of the name is meant by its path."""
    program.write(place, "noncovalent", "H_O * H E 0 0 0 0 0.3 1.2 0.001 0 0\n")
    water = program.write(place, "water.xyz", program.WATER)
    (row,) = program.run_json("energy", "--json", *MODEL, water, cwd=place)
    program.equal(row["status"], "ok", "the model of the library")
    (row,) = program.run_json("energy", "--json", "--params", "./noncovalent", water, cwd=place, code=1)
    program.equal(row["status"], "untyped", "the file")


def main():
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        check_orders()
        check_smiles(place)
        check_sides(place)
        check_planar(place)
        check_name(place)
    program.finish()


if __name__ == "__main__":
    main()
