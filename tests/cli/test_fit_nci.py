# SPDX-License-Identifier: BSD-3-Clause
# shoal fit on curves of the Non-Covalent Interactions Atlas (Rezac 2020), where they are at hand.
"""SHOAL_NCI_DIR names the folder with AtomTypes.dat, dofSelection_HB375x10.dat and the sets as *.xyz."""

import os
import pathlib
import tempfile

import program

KCAL = 0.0433641042418
NEUTRAL = ("HB375x10", "HB300SPXx10", "D442x10", "D1200", "R739x5")


def find():
    places = [os.environ.get("SHOAL_NCI_DIR"), program.TOP.parent / "shared" / "data" / "nci"]
    for place in places:
        if place and (pathlib.Path(place) / "HB375x10.xyz").is_file():
            return pathlib.Path(place)
    return program.skip("no curves of the NCI Atlas here (SHOAL_NCI_DIR)")


def fit(place, *arguments):
    base = ("--types", place / "AtomTypes.dat", "--data", place / "HB375x10.xyz", "--dofs",
            place / "dofSelection_HB375x10.dat", "--json", "-q")
    return program.run_json("fit", *base, *arguments)[0]


def check_hydrogen_bonds(place):
    morse = fit(place, "--model", "morse", "--alpha", 1.6, "--cv", 5)
    program.equal(morse["n_dof"], 40, "DOFs")
    program.check(morse["rmse"] <= 0.78 * KCAL, f"Morse: {morse['rmse'] / KCAL} kcal/mol")
    program.check(morse["cv_rmse"] <= 0.86 * KCAL, f"Morse, kept back: {morse['cv_rmse'] / KCAL}")
    lj = fit(place, "--model", "lj", "--cv", 5)
    program.check(lj["rmse"] <= 1.0 * KCAL, f"LJ: {lj['rmse'] / KCAL} kcal/mol")
    program.check(lj["cv_rmse"] <= 1.10 * KCAL, f"LJ, kept back: {lj['cv_rmse'] / KCAL}")
    # Without the pull between alike types: the optimum that scipy's L-BFGS-B finds for the same problem.
    free = fit(place, "--alpha", 1.6, "--pool", 0)
    program.near(free["rmse"] / KCAL, 0.771, 0.0006, "Morse, free")
    program.near(fit(place, "--model", "lj", "--pool", 0)["rmse"] / KCAL, 0.984, 0.0006, "LJ, free")
    for other in (("--method", "lbfgs"), ("--threads", 1), ("--starts", 4, "--seed", 7)):
        got = fit(place, "--alpha", 1.6, "--pool", 0, *other)
        program.near(got["objective"] / free["objective"], 1.0, 1e-6, f"optimum with {other}")


def check_best(place):
    """The recommended model: bars of kept-back dimers."""
    best = fit(place, "--model", "best", "--cv", 5)
    program.equal(best["model"], "exp6-sites", "name of the best model")
    program.check(best["rmse"] <= 0.60 * KCAL, f"best: {best['rmse'] / KCAL} kcal/mol")
    program.check(best["cv_rmse"] <= 0.70 * KCAL, f"best, kept back: {best['cv_rmse'] / KCAL}")


def joint_dofs(place):
    """R and E of all types, H where the table has one."""
    lines = []
    for line in (place / "AtomTypes.dat").read_text().splitlines():
        words = line.split("#")[0].split()
        if not words:
            continue
        name, h = words[0], float(words[12])
        lines.append(f"{name} R 0.6 3.0 0.9 2.6 1 1 1e-3 {words[9]}")
        lines.append(f"{name} E 1e-6 0.05 1e-5 0.03 1 1 0 {words[10]}")
        if h != 0.0:
            low, high = (0.001, 0.99) if h > 0 else (-0.99, -0.001)
            lines.append(f"{name} H {low} {high} {low} {high} 1 1 2.5e-4 {h}")
    return "\n".join(lines) + "\n"


def check_joint(place):
    with tempfile.TemporaryDirectory() as folder:
        dofs = program.write(folder, "dofs.dat", joint_dofs(place))
        data = [x for name in NEUTRAL for x in ("--data", place / f"{name}.xyz")]
        (result,) = program.run_json("fit", "--types", place / "AtomTypes.dat", *data, "--dofs", dofs,
                                     "--alpha", 1.6, "--fit-lambda", "--json", "-q")
    program.equal(len(result["sets"]), len(NEUTRAL), "an error for every set")
    limits = (1.0, 1.9, 1.3, 0.8, 1.2)
    for entry, limit in zip(result["sets"], limits):
        program.check(entry["rmse"] <= limit * KCAL, f"{entry['set']}: {entry['rmse'] / KCAL} kcal/mol")


def main():
    place = find()
    check_hydrogen_bonds(place)
    check_best(place)
    check_joint(place)
    program.finish()


if __name__ == "__main__":
    main()
