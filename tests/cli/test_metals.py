# SPDX-License-Identifier: BSD-3-Clause
# Metal surfaces: energies and heights against measured ones, and that every command says whose parameters it has.
import pathlib
import tempfile

from program import TOP, check, equal, finish, near, run, run_json, write

MOLECULES = TOP / "data" / "adsorption.sdf"
MEASURED = TOP / "data" / "adsorption.tsv"
ENERGY, HEIGHT = 0.25, 0.15  # of energies; angstrom
# What UFF's own numbers of the molecule decide: xenon's depth is 0.6 of the real one. Energies of CH2 assume that the
# prefactor of desorption does not grow with the chain, which it does.
BEYOND = ("xenon", "CH2")
WARNING = "the surface is a metal with UFF's parameters"


def slab(folder, name, *arguments):
    path = pathlib.Path(folder) / name
    done = run("slab", *arguments, "-q", "-o", path)
    equal(done.returncode, 0, f"slab {arguments}: {done.stderr}")
    return path


def record(folder, name):
    """The molecule of that name in a file of its own."""
    for text in MOLECULES.read_text().split("$$$$\n"):
        if text.startswith(name + "\n"):
            return write(folder, name + ".sdf", text + "$$$$\n")
    raise KeyError(name)


def measurements():
    lines = [line.split("\t") for line in MEASURED.read_text().splitlines() if not line.startswith("#")]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def height(row):
    """Mean of the carbon atoms, the topmost layer being at 0."""
    lines = MOLECULES.read_text().split(f"{row['name']}\n", 1)[1].splitlines()
    elements = [line[31:34].strip() for line in lines[3:3 + row["natoms"]]]
    z = [r[2] for r, e in zip(row["positions"], elements) if e == "C"]
    return sum(z) / len(z)


# Adsorbed on Cu, Ag and Au, molecules that were fitted and those that were left out. A search of few starts is lower than or
# as low as what the fit found.
def test_measured(folder):
    for name in ("Cu111", "Ag111", "Au111"):
        surface = slab(folder, name + ".xyz", "fcc", name[:2], "--size", "1x1", "--layers", 4)
        for m in measurements():
            if m["surface"] != name or m["use"] == "chem" or m["molecule"] in BEYOND:
                continue
            rows = run_json("search", "--json", "-q", "--positions", "--surface", surface, "--starts", 24, "--seed", 1,
                            "--charges", "none", record(folder, m["molecule"]))
            best = rows[0]
            equal(best["metals"], "adsorption", "whose parameters the row names")
            check("warning" not in best, f"no warning: {best.get('warning')}")
            if m["energy"] != "-":
                near(-best["adsorption_energy"] / float(m["energy"]), 1, ENERGY, f"energy of {m['molecule']} on {name}")
            if m["height"] != "-":
                near(height(best), float(m["height"]), HEIGHT, f"height of {m['molecule']} on {name}")


# Every command that takes a surface tells the parameters in its rows, and warns of UFF's.
def test_said(folder):
    silver = slab(folder, "silver.xyz", "fcc", "Ag", "--size", "1x1")
    iron = slab(folder, "iron.xyz", "bcc", "Fe", "--size", "1x1")
    salt = slab(folder, "salt.xyz", "rocksalt", "NaCl", "--size", "1x1", "--charge", "0")
    benzene = record(folder, "benzene")
    commands = (("energy",), ("relax",), ("scan", "--coordinate", "z=3:3.2:0.1"), ("scan", "--relaxed", "--coordinate", "z=3:3.1:0.1"),
                ("search", "--starts", 2), ("md", "--steps", 4, "--stride", 2), ("modes", "--no-relax"), ("check",))
    for command in commands:
        for surface, options, metals in ((silver, (), "adsorption"), (silver, ("--metals", "uff"), "uff"), (iron, (), "uff"),
                                         (iron, ("--metals", "adsorption"), "uff"), (salt, (), None)):
            place = () if command[0] in ("scan", "search") else ("--height", 3)
            done = run(*command, "--json", "--surface", surface, "--grid", "off", "--charges", "none", *place, *options, benzene)
            what = f"{command[0]} on {surface.stem} {options}"
            check(done.returncode in (0, 1), f"{what}: {done.stderr}")
            for line in [x for x in done.stdout.splitlines() if '"systems":' not in x]:  # check ends with a summary
                check(f'"metals":"{metals}"' in line if metals else "metals" not in line, f"{what}: {line}")
                if command[0] != "check":
                    equal(WARNING in line, metals == "uff", f"{what} warns: {line}")
            said = f"parameters of the metal surface: {metals}"
            check(said in done.stderr if metals else "metal" not in done.stderr, f"{what}: {done.stderr}")
    sheet = slab(folder, "sheet.xyz", "graphene", "--size", "1x1")
    row, = run_json("energy", "--json", "--surface", sheet, "--grid", "off", "--height", 3, benzene)
    check("metals" not in row and "1.4 to 1.8 times as strongly" in row["warning"], f"graphene: {row}")
    table = run("search", "--starts", 2, "--surface", iron, "--charges", "none", benzene)
    check(WARNING in table.stdout, f"rows of the table, too: {table.stdout}")


# Direct sums on cpu and ref, and a grid, have the same numbers; a grid of the others is refused.
def test_devices(folder):
    silver = slab(folder, "silver.xyz", "fcc", "Ag", "--size", "1x1")
    benzene = record(folder, "benzene")
    options = ("--surface", silver, "--height", 3.2, "--charges", "none", benzene)
    sums = [run_json("energy", "--json", "--device", device, "--grid", "off", *options)[0]["terms"]["surface"] for device in ("ref", "cpu")]
    near(sums[1], sums[0], 1e-5, "cpu against ref")
    check(sums[0] < -0.4, f"five times that of UFF: {sums[0]}")
    grid = pathlib.Path(folder) / "silver.h5"
    equal(run("grid", "build", silver, "-q", "-o", grid).returncode, 0, "a grid")
    equal(run_json("grid", "info", "--json", grid)[0]["metals"], "adsorption", "the file knows it by its numbers")
    near(run_json("energy", "--json", "--device", "cpu", "--grid", grid, *options)[0]["terms"]["surface"], sums[0], 1e-3, "from the grid")
    done = run("energy", "--metals", "uff", "--grid", grid, *options)
    check(done.returncode != 0 and "silver.h5" in done.stderr, f"a grid of other parameters: {done.stderr}")


# A run is not gone on with by other parameters.
def test_resume(folder):
    silver = slab(folder, "silver.xyz", "fcc", "Ag", "--size", "1x1")
    out = pathlib.Path(folder) / "out.xyz"
    options = ("--surface", silver, "--grid", "off", "--height", 3, "-o", out, MOLECULES)
    equal(run("relax", "--max-hours", 1e-9, *options).returncode, 75, "stopped with a checkpoint")
    other = run("relax", "--resume", "--metals", "uff", *options)
    check(other.returncode not in (0, 1), f"gone on with by others: {other.stderr}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        for test in (test_measured, test_said, test_devices, test_resume):
            test(folder)
    finish()


main()
