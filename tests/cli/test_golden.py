# SPDX-License-Identifier: BSD-3-Clause
# Energies by term and forces of five molecules against the golden numbers of an independent program; types and
# orders are found, not given.
import json

from program import TOP, energies, equal, finish, near, run

GOLDEN = TOP / "tests" / "golden"
RULES = ("--dialect", "firecore", "--mixing", "arithmetic", "--damping", "1")
ROWS = ("bond", "angle", "torsion", "inversion")


def check_energy(system, terms):
    path = GOLDEN / f"{system['name']}.xyz"
    (row,) = energies("--forces", *RULES, path)
    near(row["energy"], system["energy"], 1e-6, f"{system['name']} energy")
    for term, want in zip(terms, system["terms"]):
        near(row["terms"][term], want, 1e-6, f"{system['name']} {term}")
    for atom, want in system["forces"].items():
        for axis in range(3):
            got = row["forces"][int(atom)][axis]
            near(got, want[axis], 2e-5, f"{system['name']} force on {atom}, component {axis}")


def check_counts(system):
    path = GOLDEN / f"{system['name']}.xyz"
    rows = run("energy", "--explain", "--device", "ref", *RULES, path)
    names = [line.split()[0] for line in rows.stdout.splitlines() if line.strip()]
    counts = [names.count(term) for term in ROWS]
    equal(counts, system["counts"], f"{system['name']} bonds, angles, torsions, inversions")


def check_types():
    out = run("types", "--json", *RULES[:2], GOLDEN / "formic_acid.xyz").stdout
    equal(json.loads(out)["types"], ["C_2", "O_2", "O_3", "H_", "H_"], "types of formic acid")


def main():
    check_types()
    golden = json.loads((GOLDEN / "firecore.json").read_text())
    for system in golden["systems"]:
        check_energy(system, golden["terms"])
        check_counts(system)
    finish()


if __name__ == "__main__":
    main()
