# SPDX-License-Identifier: BSD-3-Clause
# shoal fit bonded: torsions found again, tables that give the energies of the fit, scans that relax.
import pathlib
import tempfile

import program

SYMBOLS = "C C O H H H H H H".split()
KCAL = 0.0433641042418


def geometries(place):
    """Ethanol with its hydroxyl group turned, as shoal scan makes it."""
    text = "\n".join(f"{s} {x} {y} {z}" for s, (x, y, z) in zip(SYMBOLS, (
        (-0.75, 0.01, 0.03), (0.65, 0.62, -0.01), (1.61, -0.43, 0.02), (-0.88, -0.62, 0.92), (-0.88, -0.62, -0.86),
        (-1.52, 0.80, 0.02), (0.77, 1.28, 0.87), (0.77, 1.23, -0.92), (2.49, -0.03, 0.10))))
    (place / "ethanol.xyz").write_text("9\n\n" + text + "\n")
    program.run("scan", "-q", place / "ethanol.xyz", "--coordinate", "torsion:0,1,2,8=-180:165:15", "-o", place / "scan.xyz")
    return (place / "scan.xyz").read_text()


def with_energies(place, table, name, forcefield, unit=1.0):
    """The geometries with energies of another table."""
    rows = program.run_json("energy", "--json", "-q", "--device", "ref", "--forcefield", forcefield, "--ff-table", table, place / "scan.xyz")
    lines, out = (place / "scan.xyz").read_text().splitlines(), []
    for k, row in enumerate(rows):
        frame = lines[k * 11:(k + 1) * 11]
        out += [frame[0], f"Properties=species:S:1:pos:R:3 energy={row['energy'] / unit:.12g}"]
        out += [" ".join(line.split()[:4]) for line in frame[2:]]
    (place / name).write_text("\n".join(out) + "\n")
    return [row["energy"] for row in rows]


def fit(place, data, *options, code=0):
    return program.run_json("fit", "bonded", place / data, "--json", *options, code=code)[0]


def spread(got, wanted):
    shift = sum(a - b for a, b in zip(got, wanted)) / len(got)
    return max(abs(a - b - shift) for a, b in zip(got, wanted))


def check_found_again(place, forcefield, rows):
    """A torsion is met at geometries as they are; the table gives these energies in the engine."""
    (place / "known.tsv").write_text(rows)
    wanted = with_energies(place, place / "known.tsv", "data.xyz", forcefield)
    common = ("--forcefield", forcefield, "--by-bond", "--bond", "2,1", "--freedom", 1000)
    r = fit(place, "data.xyz", *common, "-o", place / "found.tsv")
    program.check(r["rmse"] < 1e-6 and r["rmse_before"] > 0.005, f"{forcefield}: {r}")
    program.equal(r["geometries"], 24, "geometries")
    got = [row["energy"] for row in program.run_json("energy", "--json", "-q", "--device", "ref", "--forcefield", forcefield, "--ff-table",
                                                     place / "found.tsv", place / "scan.xyz")]
    program.check(spread(got, wanted) < 1e-5, f"{forcefield}: table and data by {spread(got, wanted)} eV")
    with_energies(place, place / "known.tsv", "kcal.xyz", forcefield, KCAL)
    again = fit(place, "kcal.xyz", *common, "--units", "kcal")
    program.near(again["rmse_before"], r["rmse_before"], 1e-9, "energies in kcal/mol")
    # Bonds and angles alone cannot make a torsion, and what is pulled strongly stays.
    stiff = fit(place, "data.xyz", "--forcefield", forcefield, "--by-bond", "--bond", "1,2", "--freedom", 1e-5)
    program.near(stiff["rmse"], stiff["rmse_before"], 1e-4, "no freedom")


def check_start(place):
    """What the force field has is where a fit begins: its own energies have no error, UFF's and MMFF94's."""
    for forcefield in ("uff", "mmff94"):
        own = with_energies(place, "/dev/null", "own.xyz", forcefield)
        r = fit(place, "own.xyz", "--forcefield", forcefield, "-o", place / "own.tsv")
        program.check(r["rmse_before"] < 1e-9 and r["rmse"] < 1e-9, f"{forcefield}: {r}")
        table = with_energies(place, place / "own.tsv", "again.xyz", forcefield)
        program.check(spread(table, own) < 1e-8, f"{forcefield}: a table that changes nothing changes {spread(table, own)} eV")


def check_relaxed(place):
    """Energies of relaxed geometries: those of shoal scan --relaxed with the table that was fitted."""
    (place / "known.tsv").write_text("periodic C_3 C_3 O_3 H_ 0.08 1 0\n")
    program.run("scan", "-q", "--relaxed", place / "ethanol.xyz", "--ff-table", place / "known.tsv", "--coordinate", "torsion:0,1,2,8=-180:150:30",
                "--fmax", "1e-5", "--precision", "double", "-o", place / "relaxed.xyz")
    r = fit(place, "relaxed.xyz", "--by-bond", "--bond", "1,2", "--hold", "0,1,2,8", "--freedom", 1000, "-o", place / "held.tsv")
    program.check(r["rmse"] < 1e-4 and r["rmse_before"] > 0.005, f"relaxed: {r}")


def check_refused(place):
    for code, text, options in ((4, "energy", (place / "ethanol.xyz",)), (2, "expected 2 atoms", (place / "data.xyz", "--bond", "1")),
                                (2, "expected bond, angle", (place / "data.xyz", "--terms", "vdw")),
                                (2, "is an input", (place / "data.xyz", "-o", place / "data.xyz")),
                                (2, "held atom 77", (place / "data.xyz", "--hold", "0,1,2,77"))):
        done = program.run("fit", "bonded", *options)
        program.check(text in done.stderr and done.returncode in (2, 4), f"{options}: {done.returncode} {done.stderr}")
    # a bond in a ring has no torsions to fit unless it is asked for
    ring = "3\nProperties=species:S:1:pos:R:3 energy=0\nO 0 0 0.1173\nH 0 0.7572 -0.4692\nH 0 -0.7572 -0.4692\n"
    (place / "water.xyz").write_text(ring)
    done = program.run("fit", "bonded", place / "water.xyz")
    program.check(done.returncode != 0 and "no such terms" in done.stderr, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name).resolve()
        geometries(place)
        check_found_again(place, "uff", "periodic C_3 C_3 O_3 H_ 0.06 1 0\nperiodic H_ C_3 O_3 H_ 0.02 2 3.14159265358979\n")
        check_start(place)
        check_relaxed(place)
        check_refused(place)
    program.finish()


if __name__ == "__main__":
    main()
