# SPDX-License-Identifier: BSD-3-Clause
# shoal fit --dump-derivatives against differences: every atom has a type of its own, so that the table and the
# frames change one atom at a time.
import csv
import pathlib
import tempfile

from program import check, equal, finish, near, run, write

# x, y, z, charge, R, E, H of the atoms of two fragments.
ATOMS = [(0.0, 0.0, 0.0, -0.6, 1.75, 0.0026, -0.5), (-0.6, 0.76, 0.1, 0.35, 1.40, 0.0007, 0.6),
         (-0.5, -0.76, 0.2, 0.25, 1.35, 0.0011, 0.4), (2.9, 0.2, 0.3, -0.4, 1.65, 0.0031, -0.7),
         (3.4, -0.6, 0.4, 0.3, 1.20, 0.0009, 0.3), (3.6, 0.8, -0.9, 0.1, 1.90, 0.0045, 0.2),
         (4.4, 0.1, 0.6, 0.0, 1.50, 0.0020, -0.2)]
N_FIRST = 3
FORMULA = "sqrt(Ei*Ej)*(1+0.3*(Hi+Hj))*exp(-1.5*(r-Ri-Rj)) + kC*Q/r + 0.01*(Qi+Qj)*exp(-r)"
STEPS = {"R": 1e-4, "E": 1e-7, "Q": 1e-4, "H": 1e-4}


def table(atoms):
    return "".join(f"A{i} * O * 2 0 0 0 0.66 {a[4]!r} {a[5]!r} 0.0 {a[6]!r}\n" for i, a in enumerate(atoms))


def frames(atoms):
    """Two samples: the second fragment is moved away in the second."""
    text = ""
    for shift in (0.0, 0.7):
        text += f"{len(atoms)}\n# n0 {N_FIRST} Etot -0.1 x0 {shift} z 0 pair\n"
        for i, (x, y, z, q, *_) in enumerate(atoms):
            text += f"A{i} {x + (shift if i >= N_FIRST else 0.0)!r} {y!r} {z!r} {q!r}\n"
    return text


def moved(atoms, i, column, step):
    changed = [list(a) for a in atoms]
    changed[i][column] += step
    return changed


def fit(directory, atoms, *arguments):
    """Energies of the samples."""
    out = pathlib.Path(directory) / "samples.csv"
    write(directory, "types", table(atoms))
    write(directory, "data", frames(atoms))
    files = [f"--{name}={pathlib.Path(directory) / name}" for name in ("types", "data", "dofs")]
    done = run("fit", *files, "--pool", "0", "--max-steps", "0", "-q", "--samples", out, *arguments)
    equal(done.returncode, 0, f"exit code of {arguments}: {done.stderr}")
    return [float(row["model_eV"]) for row in csv.DictReader(out.read_text().splitlines())]


def check_model(directory, *arguments):
    out = pathlib.Path(directory) / "atoms.csv"
    fit(directory, ATOMS, *arguments, "--dump-derivatives", out)
    lines = out.read_text().splitlines()
    equal(lines[0], "sample,atom,type,dE/dR,dE/dE,dE/dQ,dE/dH", "columns")
    rows = {(int(r["sample"]), int(r["atom"])): r for r in csv.DictReader(lines)}
    equal(len(rows), 2 * len(ATOMS), f"{arguments}: rows")
    for i in range(len(ATOMS)):
        equal(rows[1, i]["type"], f"A{i}", "type")
        for name, column in (("R", 4), ("E", 5), ("Q", 3), ("H", 6)):
            up = fit(directory, moved(ATOMS, i, column, STEPS[name]), *arguments)
            down = fit(directory, moved(ATOMS, i, column, -STEPS[name]), *arguments)
            for s in range(2):
                slope = (up[s] - down[s]) / (2 * STEPS[name])
                got = float(rows[s, i][f"dE/d{name}"])
                near(got, slope, 1e-7 + 1e-5 * abs(slope), f"{arguments}: dE/d{name} of atom {i} in sample {s}")


def test_empty(directory):
    """An atom whose E is 0 has no dE/dE."""
    atoms = moved(ATOMS, 6, 5, -ATOMS[6][5])
    out = pathlib.Path(directory) / "atoms.csv"
    fit(directory, atoms, "--model", "lj", "--dump-derivatives", out)
    rows = list(csv.DictReader(out.read_text().splitlines()))
    equal([r["atom"] for r in rows if r["dE/dE"] == ""], ["6", "6"], "atoms without dE/dE")
    check(all(r["dE/dR"] for r in rows), "other slopes are there")


def test_site(directory):
    """The charge of a site comes from its host."""
    def energies(charge, *arguments):
        write(directory, "types", table(ATOMS) + f"E0 * E * 0 0 0 0 0.0 0.8 0.0 {charge!r} 0.0\n")
        text = f"{len(ATOMS) + 1}\n# n0 {N_FIRST} Etot -0.1 x0 0 z 0 pair\n"
        for i, (x, y, z, q, *_) in enumerate(ATOMS):
            text += f"A{i} {x!r} {y!r} {z!r} {q!r} -1\n"
        write(directory, "data", text + "E0 2.5 0.3 0.4 0.0 3\n")
        out = pathlib.Path(directory) / "samples.csv"
        files = [f"--{name}={pathlib.Path(directory) / name}" for name in ("types", "data", "dofs")]
        done = run("fit", *files, "--pool", "0", "--max-steps", "0", "-q", "--samples", out, *arguments)
        equal(done.returncode, 0, f"exit code: {done.stderr}")
        return float(next(csv.DictReader(out.read_text().splitlines()))["model_eV"])

    dumped = pathlib.Path(directory) / "atoms.csv"
    energies(-0.1, "--dump-derivatives", dumped)
    slope = (energies(-0.1 + 1e-4) - energies(-0.1 - 1e-4)) / 2e-4
    row = [r for r in csv.DictReader(dumped.read_text().splitlines()) if r["type"] == "E0"][0]
    check(abs(slope) > 1e-3, "a slope to see")
    near(float(row["dE/dQ"]), slope, 1e-6, "dE/dQ of a site")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as work:
        write(work, "dofs", "A0 R 0.5 3.0 0.5 3.0 0 0 0\n")
        check_model(work, "--model", "morse")
        check_model(work, "--model", "lj9", "--hbond", "both", "--coulomb", "erf", "--radius-charge", "0.1")
        check_model(work, "--model", FORMULA)
        test_empty(work)
        test_site(work)
    finish()
