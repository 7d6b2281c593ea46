# SPDX-License-Identifier: BSD-3-Clause
# Every number of every table is the one of the JSON of the same run, in eV or, with --kcal, in kcal/mol.
import tempfile

from program import WATER, check, equal, finish, near, run, run_json, write
from test_options import ETHANOL

KCAL = 0.0433641042418  # eV
TERMS = "bond angle torsion inversion vdw coulomb".split()
ON = "--surface nacl.xyz --grid off water.xyz"


# A command, and what its table has behind the name, by row of the JSON and eV per unit.
TABLES = (
    ("energy --device ref mol.xyz",
     lambda r, u: [9, "ok", r["energy"] / u, r["fmax"] / u, *(r["terms"][t] / u for t in TERMS)]),
    (f"energy --device ref --height 3 {ON}",
     lambda r, u: [3, "ok", r["energy"] / u, r["fmax"] / u, *(r["terms"][t] / u for t in [*TERMS, "surface"])]),
    ("relax --max-steps 9 mol.xyz",
     lambda r, u: [9, "max_steps", r["steps"], r["energy0"] / u, r["energy"] / u, r["fmax"] / u]),
    (f"relax --max-steps 9 --height 3 --adsorption {ON}",
     lambda r, u: [3, r["status"], r["steps"], r["energy0"] / u, r["energy"] / u, r["fmax"] / u,
                   r["adsorption_energy"] / u]),
    ("scan --coordinate distance:0,1=1.4:1.6:0.1 --coordinate angle:0,1,2=100:110:10 mol.xyz",
     lambda r, u: [*r["point"], "ok", r["energy"] / u, r["fmax"] / u]),
    ("scan --coordinate distance:0,1=1.4:1.6:0.1 --relaxed --max-steps 9 mol.xyz",
     lambda r, u: [*r["point"], "max_steps", r["energy"] / u, r["fmax"] / u, r["steps"]]),
    (f"scan --coordinate z=3:4:1 --adsorption {ON}",
     lambda r, u: [*r["point"], "ok", r["energy"] / u, r["fmax"] / u, r["adsorption_energy"] / u]),
    ("search --starts 6 --no-polish mol.xyz",
     lambda r, u: [r["rank"], r["energy"] / u, r["relative_energy"] / u, r["count"], r["copies"],
                   r["weight"]]),
    (f"search --starts 2 --fmax 0.05 --no-polish {ON}",
     lambda r, u: [r["rank"], r["energy"] / u, r["relative_energy"] / u, r["count"], r["copies"],
                   r["weight"],
                   r["adsorption_energy"] / u, r["at"][0], r["at"][1], r["lowest_atom"]]),
    ("md --steps 20 --stride 5 --seed 3 mol.xyz",
     lambda r, u: [9, "ok", 20, r["time_fs"], r["etot0"] / u, r["etot"] / u, r["temperature_mean"],
                   r["temperature_err"], r["drift"] / u]),
)


def same(word, wanted, text):
    """Whether a word of a table is a value, rounded to the digits that it shows."""
    if isinstance(wanted, str):
        equal(word, wanted, text)
        return
    digits, _, power = word.partition("e")
    last = 10.0 ** (int(power or 0) - len(digits.partition(".")[2]))
    near(float(word), wanted, 0.51 * last, text)


def test_tables(place):
    for command, columns in TABLES:
        rows = run_json(*command.split(), "--json", "-q", code=None, cwd=place)
        check(len(rows) > 0, f"{command}: rows")
        for unit, more in ((1.0, ()), (KCAL, ("--kcal",))):
            done = run(*command.split(), *more, "-q", cwd=place)
            lines = done.stdout.splitlines()
            check(("kcal" if more else "eV") in lines[0], f"{command} {more}: head {lines[0]}")
            equal(len(lines), 1 + len(rows), f"{command} {more}: lines")
            for line, row in zip(lines[1:], rows):
                words, wanted = line.partition("  warning:")[0].split()[1:], columns(row, unit)
                equal(len(words), len(wanted), f"{command} {more}: columns of {line}")
                for k, (word, value) in enumerate(zip(words, wanted)):
                    same(word, value, f"{command} {more}: column {k + 1} of {line}")


def test_modes(place):
    """The table of modes has lines of its own for each molecule."""
    (row,) = run_json("modes", "--json", "-q", "water.xyz", cwd=place)
    heat = row["thermochemistry"]
    for unit, more in ((1.0, ()), (KCAL, ("--kcal",))):
        lines = run("modes", *more, "-q", "water.xyz", cwd=place).stdout.splitlines()
        words = lines[1].split()[1:]
        wanted = [3, row["status"], row["verdict"], row["energy"] / unit, row["fmax"] / unit,
                  heat["zero_point"] / unit,
                  heat["free_energy"] / unit]
        for word, value in zip(words, wanted):
            same(word, value, f"modes {more}: {lines[1]}")
        for line, wavenumber, mass in zip(lines[3:], row["frequencies_cm1"], row["reduced_masses_amu"]):
            same(line.split()[1], wavenumber, f"modes {more}: {line}")
            same(line.split()[2], mass, f"modes {more}: {line}")
        gas = lines[-1].split()
        for name, key in (("U", "energy"), ("H", "enthalpy"), ("S", "entropy"), ("G", "free_energy")):
            same(gas[gas.index(name) + 1].removesuffix("/K"), heat[key] / unit, f"modes {more}: {name} of {lines[-1]}")


def main():
    with tempfile.TemporaryDirectory() as place:
        write(place, "mol.xyz", ETHANOL)
        write(place, "water.xyz", WATER)
        run("slab", "rocksalt", "NaCl", "--size", "2x2", "--layers", 2, "-o", "nacl.xyz", "-q", cwd=place)
        test_tables(place)
        test_modes(place)
    finish()


if __name__ == "__main__":
    main()
