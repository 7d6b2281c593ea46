# SPDX-License-Identifier: BSD-3-Clause
# What commands say in words, and counts and errors that they sum up, follow from the rows of the same run.
import math
import pathlib
import re
import tempfile

from program import TOP, UNTYPED, WATER, check, equal, finish, near, run, run_json, write
from test_options import ETHANOL
from test_tables import KCAL, same

BUTANE = TOP / "examples" / "butane.sdf"
FIT = TOP / "examples" / "fit"


def numbers(text):
    return tuple(float(x) for x in re.findall(r"= (-?[0-9.]+)", text))


def test_scans():
    """Heights of minima and barriers are above the lowest point; what coordinates were held to."""
    torsion, distance = "torsion:0,1,2,3=0:300:60", "distance:0,1=1.4:1.6:0.1"
    for words in ((torsion,), (torsion, distance)):
        command = ["scan", *(w for c in words for w in ("--coordinate", c)), "--relaxed", "--max-steps", 9, BUTANE]
        rows = run_json(*command, "--json", "-q", code=None)
        energy = {tuple(r["point"]): r["energy"] for r in rows}
        lowest = min(energy.values())
        for unit, more in ((1.0, ()), (KCAL, ("--kcal",))):
            text = run(*command, *more).stderr
            found = re.findall(r"(?:minimum at|barrier at|over) ([^:;]*): \+([0-9.]+)", text)
            check(len(found) >= 4, f"{words}: minima and barriers in {text}")
            for place, height in found:
                same(height, (energy[numbers(place)] - lowest) / unit, f"{words}: height at {place}")
            at, value = re.search(r"lowest at ([^:]*): (-?[0-9.]+)", text).groups()
            same(value, energy[numbers(at)] / unit, f"{words}: the lowest")
            equal(energy[numbers(at)], lowest, f"{words}: is the lowest")
        for k, name in enumerate(("angles", "lengths")[:len(words)]):
            value = re.search(name + r" were held to ([0-9.e-]+)", text).group(1)
            near(float(value), max(abs(r["held"][k]) for r in rows), 0.06 * float(value), f"{words}: {name} held")


def test_energy_before(place):
    """Energies before a relaxation are without the restraints that hold the point, too."""
    ring = [(1.39 * math.cos(k * math.pi / 3), 1.39 * math.sin(k * math.pi / 3)) for k in range(6)]
    atoms = [f"C {x:.4f} {y:.4f} 0" for x, y in ring] + [f"H {1.78 * x:.4f} {1.78 * y:.4f} 0" for x, y in ring]
    write(place, "benzene.xyz", "12\nbenzene\n" + "\n".join(atoms) + "\n")
    rows = run_json("scan", "--json", "-q", "--coordinate", "torsion:0,1,2,3=10:20:10", "--relaxed", "--max-steps", 1,
                    "benzene.xyz", code=None, cwd=place)
    for row in rows:
        check(row["restraint_energy"] > 1, f"the ring resists: {row['restraint_energy']}")
        near(row["energy0"], row["energy"], 1e-9, "one evaluation moves nothing")


def test_searches(place):
    """Sites are those of the molecule, not of layers that move; starts are those of the files."""
    rows = run_json("search", "--json", "-q", "--positions", "--starts", 2, "--fmax", 0.3, "--no-polish", "--surface", "nacl.xyz",
                    "--grid", "off", "--movable-layers", 1, "water.xyz", cwd=place)
    for row in rows:
        atoms = row["positions"][:3]
        check(len(row["positions"]) > 3, "layers are there")
        for k in range(3):
            near(row["at"][k], sum(p[k] for p in atoms) / 3, 1e-9, "middle of the molecule")
        near(row["lowest_atom"], min(p[2] for p in atoms), 1e-9, "its lowest atom")
    rows = run_json("search", "--json", "-q", "--starts", 6, "--no-polish", "-o", "minima.xyz", "mol.xyz", cwd=place)
    text = (pathlib.Path(place) / "minima.xyz").read_text()
    for key in ("rank", "count", "start"):
        equal([r[key] for r in rows], [int(x) for x in re.findall(rf"search_{key}=(\d+)", text)], f"{key} in both")


def test_fits():
    command = ("fit", "--types", FIT / "AtomTypes.dat", "--data", FIT / "dimers.xyz", "--dofs", FIT / "dofs.dat", "--cv", 3)
    (result,) = run_json(*command, "--json")
    lines = run(*command).stdout.splitlines()
    for title, rows, keys in (("kept back ", result["folds"], ("rmse", "rmse_train")),
                              ("worst kept back", result["worst"][:10], ("rmse", "largest"))):
        first = next(k for k, line in enumerate(lines) if line.startswith(title) and "frames" in line)
        for line, row in zip(lines[first + 1:], rows):
            words = line.split()
            equal(int(words[-4 if title == "kept back " else -3]), row["samples"], f"frames of {line}")
            for word, key in zip(words[-2:], keys):
                same(word, row[key] / KCAL, f"{key} of {line}")


def test_grids(place):
    command = ("grid", "check", "nacl.h5", "--samples", 200, "--json")
    report, = run_json(*command, code=None, cwd=place)
    for part in (report, *report["probes"].values(), *report["channels"].values(), *report["bands"]):
        for kind in ("dE", "dF"):
            check(part[f"rms_{kind}"] <= part[f"max_{kind}"], f"rms and largest: {part}")
    check(report["rms_dE"] < report["max_dE"] and report["rms_dF"] < report["max_dF"], "they differ")
    ends = [(band["to"], after["from"]) for band, after in zip(report["bands"], report["bands"][1:])]
    check(all(a == b for a, b in ends) and len(ends) > 1, f"bands follow each other: {ends}")
    e, f = report["max_dE"], report["max_dF"]
    check(f > 1.2 * e, f"largest errors {e} eV and {f} eV/A differ")
    for most, code in (((1.01 * e, 1.01 * f), 0), ((0.99 * e, 1.01 * f), 1), ((1.01 * e, 0.99 * f), 1)):
        equal(run(*command, "--max-de", most[0], "--max-df", most[1], cwd=place).returncode, code, f"exit code of {most}")
    check("0.001 eV or 0.005 eV/A" in run(*command, cwd=place).stderr, "what is allowed by default")
    info, = run_json("grid", "info", "nacl.h5", "--json", cwd=place)
    megabytes = re.search(r"([0-9.]+) MB", run("grid", "info", "nacl.h5", cwd=place).stdout).group(1)
    same(megabytes, info["bytes"] / 1e6, "size of the grid")


def test_counts(place):
    """One of three systems has no type."""
    write(place, "both.xyz", WATER + WATER + UNTYPED)
    plan, = run_json("energy", "--dry-run", "--json", "-q", "both.xyz", code=None, cwd=place)
    equal((plan["systems"], plan["untyped"]), (3, 1), "of a dry run")
    report, = run_json("bench", "--what", "file", "--job", "energy", "--repeats", 1, "--json", "both.xyz", cwd=place)
    equal((report["systems"], report["failed"], report["spread"]), (3, 1, 0), "of a run that is timed once")
    for every, name in (((), "usual.xyz"), (("--every", 10), "ten.xyz")):
        run("relax", "-q", "--fmax", 1e-5, "mol.xyz", "--trajectory", name, *every, cwd=place)
    usual, ten = ((pathlib.Path(place) / name).read_text() for name in ("usual.xyz", "ten.xyz"))
    check(usual == ten and usual.count("ethanol") > 2, "a frame every ten evaluations")


def test_exchange(place):
    """Copies beyond those of the temperatures are ladders of their own."""
    command = ("md", "--json", "-q", "--steps", 40, "--stride", 10, "--thermostat", "langevin", "--temperatures", "300,320",
               "--exchange", 5, "mol.xyz")
    two, four = (run_json(*command, "--copies", n, cwd=place) for n in (2, 4))
    for a, b in zip(two, four):
        equal(a, b, "the first ladder")
    check(sum(r["exchanges"] for r in two) > 0, "they do exchange")


def main():
    with tempfile.TemporaryDirectory() as place:
        write(place, "mol.xyz", ETHANOL)
        write(place, "water.xyz", WATER)
        run("slab", "rocksalt", "NaCl", "--size", "2x2", "--layers", 2, "-o", "nacl.xyz", "-q", cwd=place)
        run("grid", "build", "nacl.xyz", "-o", "nacl.h5", "--step", 0.2, "--height", 6, "--samples", 1, "-q", cwd=place)
        test_scans()
        test_energy_before(place)
        test_searches(place)
        test_fits()
        test_grids(place)
        test_counts(place)
        test_exchange(place)
    finish()


if __name__ == "__main__":
    main()
