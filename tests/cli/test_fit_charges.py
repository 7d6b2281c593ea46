# SPDX-License-Identifier: BSD-3-Clause
# Charges of fits and of energies mean the same: QEq of the whole and of each molecule, models that say whose theirs are.
import csv
import pathlib
import tempfile

import program

WATER = [("O", (0, 0, 0.1173)), ("H", (0, 0.7572, -0.4692)), ("H", (0, -0.7572, -0.4692))]
METHANOL = [("C", (-0.046, 0.664, 0)), ("O", (-0.046, -0.755, 0)), ("H", (-1.087, 0.976, 0)), ("H", (0.438, 1.071, 0.890)),
            ("H", (0.438, 1.071, -0.890)), ("H", (0.861, -1.057, 0))]
SOURCES = ("qeq", "qeq-molecules", "mmff94")


def frames():
    text = ""
    for k, z in enumerate((2.8, 3.0, 3.3, 3.8, 4.6, 6.0)):
        atoms = METHANOL + [(s, (x + 0.1 * k, y, w + z)) for s, (x, y, w) in WATER]
        text += f"{len(atoms)}\n# n0 {len(METHANOL)} Etot {0.3 * (3 / z) ** 12 - 0.35 * (3 / z) ** 6:.6f} x0 {z / 3:.3f} made{k % 3}\n"
        text += "".join(f"{s} {x:.4f} {y:.4f} {w:.4f}\n" for s, (x, y, w) in atoms)
    return text


def prepare(place, source):
    done = program.run("fit", "prepare", "-q", place / "plain.xyz", "-o", place / "frames.xyz", "--types-out", place / "types.dat",
                       "--dofs-out", place / "dofs.dat", "--charges", source)
    program.equal(done.returncode, 0, done.stderr)
    lines = (place / "frames.xyz").read_text().splitlines()
    n = len(METHANOL) + len(WATER)
    return [(lines[k + 1], [float(row.split()[4]) for row in lines[k + 2:k + 2 + n]]) for k in range(0, len(lines), n + 2)]


def check_one_meaning(place):
    """The charges of prepare are those of types, and of the molecules alone."""
    for source in SOURCES:
        rows = program.run_json("types", "--json", "-q", "--charges", source, place / "plain.xyz")
        for (comment, charges), row in zip(prepare(place, source), rows):
            words = comment.split()
            program.equal(words[-3:-1], ["charges", source], "the comment says whose they are")
            program.equal(row["charges_from"], source, "so does the row")
            for a, b in zip(charges, row["charges"]):
                program.near(a, b, 2e-6, f"{source}: charges of fits and of energies")
        alone = [program.run_json("types", "--json", "-q", "--charges", source, "--fragment", k, place / "plain.xyz")[0]["charges"]
                 for k in (1, 2)]
        whole = rows[0]["charges"]
        flow = max(abs(a - b) for a, b in zip(whole, sum(alone, [])))
        program.check(flow > 1e-3 if source == "qeq" else flow < 1e-9, f"{source}: {flow} e between the molecules")


def energies(place, *options, told=None):
    parts = []
    for fragment in ((), ("--fragment", 1), ("--fragment", 2)):
        done = program.run("energy", "--json", "--device", "ref", "--params", place / "model.dat", *options, *fragment, place / "plain.xyz")
        program.equal(done.returncode, 0, done.stderr)
        if told is not None:
            program.equal("the pair model was fitted with" in done.stderr, told, f"{options}: {done.stderr}")
        parts.append([program.json.loads(line) for line in done.stdout.splitlines()])
    for row in parts[0]:
        program.check(row["charges_from"] != "none" or "none" in options, "charges act")
    return [sum(sign * row["terms"][k] for sign, row in zip((1, -1, -1), rows) for k in ("vdw", "coulomb")) for rows in zip(*parts)]


def check_model(place):
    """Frames without charges get those of the model; others are warned of."""
    for source in ("qeq-molecules", "mmff94"):
        prepare(place, source)
        done = program.run("fit", "-q", "--types", place / "types.dat", "--data", place / "frames.xyz", "--dofs", place / "dofs.dat",
                           "--max-steps", 5, "-o", place / "model.dat", "--samples", place / "samples.csv")
        program.check(f"\ncharges {source}\n" in (place / "model.dat").read_text(), f"the model says {source}: {done.stderr}")
        with open(place / "samples.csv", newline="") as file:
            wanted = [float(row["model_eV"]) for row in csv.DictReader(file)]
        for options, told in (((), False), (("--charges", source), False)):
            for got, want in zip(energies(place, *options, told=told), wanted):
                program.near(got, want, 1e-6, f"{source}: engine and fit, {options}")
        for other in {*SOURCES, "none"} - {source}:
            energies(place, "--charges", other, told=True)


def check_eval(place):
    prepare(place, "qeq-molecules")
    done = program.run("fit", "eval", "--params", place / "model.dat", "--data", place / "frames.xyz")
    program.check("fitted with those of mmff94" in done.stderr, f"fit eval: {done.stderr}")
    prepare(place, "mmff94")
    done = program.run("fit", "eval", "--params", place / "model.dat", "--data", place / "frames.xyz")
    program.check("fitted with those of" not in done.stderr, f"fit eval: {done.stderr}")


def check_crystal(place):
    """A molecule that the cell cuts is whole, and alone."""
    rows = [f"{s} {x % 9:.4f} {y % 9:.4f} {z % 9:.4f}" for s, (x, y, z) in WATER]
    cell = 'Lattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3'
    (place / "cell.xyz").write_text("3\n" + cell + "\n" + "\n".join(rows) + "\n")
    (place / "water.xyz").write_text("3\n\n" + "\n".join(f"{s} {x} {y} {z}" for s, (x, y, z) in WATER) + "\n")
    (alone,) = program.run_json("types", "--json", "-q", "--charges", "qeq", place / "water.xyz")
    (cut,) = program.run_json("types", "--json", "-q", "--charges", "qeq-molecules", place / "cell.xyz")
    for a, b in zip(alone["charges"], cut["charges"]):
        program.near(a, b, 1e-6, "charges of a molecule in a cell")


def check_ions(place):
    """Each molecule keeps its formal charge."""
    ammonium = [("N", (0, 0, 0)), ("H", (0.59, 0.59, 0.59)), ("H", (0.59, -0.59, -0.59)), ("H", (-0.59, 0.59, -0.59)), ("H", (-0.59, -0.59, 0.59))]
    atoms = ammonium + [("Cl", (0, 0, 3.2))]
    text = f"{len(atoms)}\n# n0 5 Etot -4.5 charge_a 1 charge_b -1 salt\n" + "".join(f"{s} {x} {y} {z}\n" for s, (x, y, z) in atoms)
    (place / "salt.xyz").write_text(text)
    (row,) = program.run_json("types", "--json", "-q", "--charges", "qeq-molecules", place / "salt.xyz")
    program.near(sum(row["charges"][:5]), 1.0, 1e-9, "charge of the ammonium")
    program.near(row["charges"][5], -1.0, 1e-9, "charge of the chloride")


def main():
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name).resolve()
        (place / "plain.xyz").write_text(frames())
        check_one_meaning(place)
        check_model(place)
        check_eval(place)
        check_crystal(place)
        check_ions(place)
    program.finish()


if __name__ == "__main__":
    main()
