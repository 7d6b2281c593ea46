# SPDX-License-Identifier: BSD-3-Clause
# shoal fit with the models beyond the plain forms: charged radii, sites by element, damping, exp6-sites.
import csv
import pathlib
import tempfile

import program
from program import check, equal, finish, near, run, run_json

FIT = program.TOP / "examples" / "fit"
BASE = ("--types", FIT / "AtomTypes.dat", "--data", FIT / "dimers.xyz", "--dofs", FIT / "dofs.dat", "-q")


def fit(*arguments, code=0):
    return run_json("fit", *BASE, "--json", *arguments, code=code)[-1]


def table(folder, *arguments):
    """Value of every DOF by type and component."""
    path = pathlib.Path(folder) / "dofs.csv"
    fit(*arguments, "--table", path)
    with open(path, encoding="utf-8") as lines:
        return {(row["type"], row["comp"]): row for row in csv.DictReader(lines)}


def check_best(folder):
    plain = fit("--model", "exp6", "--fit-alpha", "--fit-lambda", "--hbond", "none")
    best, named = fit("--model", "best"), fit("--model", "exp6-full")
    equal(best["model"], "exp6-full", "name of the best model")
    equal(best["objective"], named["objective"], "the best model by its name")
    sites = fit("--model", "exp6-sites")
    check(sites["rmse"] < plain["rmse"], "sites and radii that depend on charges pay")
    free = [fit("--model", model, "--regularize", "off")["rmse"] for model in ("best", "exp6-sites")]
    check(free[0] < free[1], "increments, too, where nothing draws them to zero")
    dofs = table(folder, "--model", "best")
    for key in (("*", "alpha"), ("*", "lambda"), ("*", "c"), ("E_O3", "Q"), ("E_HO", "Q"), ("E_HC3", "Q"), ("O_3:H_O", "Q")):
        check(key in dofs, f"{key} is fitted")
    check(("E_C3", "Q") not in dofs, "carbon has no sites")
    # The table that is written has the types of the sites, and is read again.
    out = pathlib.Path(folder) / "types.dat"
    fit("--model", "best", "-o", out)
    text = out.read_text()
    check("E_HO " in text and "E_O3 " in text, "types of sites in the table")
    check("O_3:H_O" not in text, "increments are no types")


def check_derivatives(*arguments):
    done = run("fit", *BASE, "--check-derivatives", *arguments)
    equal(done.returncode, 0, f"derivatives with {arguments}: {done.stdout}")
    check(" ok" in done.stdout and "WRONG" not in done.stdout, f"verdicts with {arguments}")
    return done.stdout


def check_options(folder):
    text = check_derivatives("--model", "best")
    check("*           c " in text and "E_HO        Q " in text, "slopes by c and charges of sites")
    text = check_derivatives("--model", "exp6", "--fit-dispersion-damping", "--coulomb", "erf", "--fit-damping",
                             "--radius-charge", 0.2, "--fit-radius-charge", "--sites", "auto:0.5",
                             "--fit-site-charges")
    check("*           beta " in text and "*           d " in text, "slopes by beta and d")
    check_derivatives("--model", "best", "--increments")
    dofs = table(folder, "--increments")
    check(("O_3:H_O", "Q") in dofs and float(dofs["O_3:H_O", "Q"]["value"]) != 0.0, "an increment is fitted")
    # Without charges radii do not depend on them; with them they do.
    equal(fit("--max-steps", 0)["evaluator"], "moments", "plain Morse goes by moments")
    charged = fit("--max-steps", 0, "--radius-charge", 0.2)
    equal(charged["evaluator"], "pairs", "charged radii go by pairs")
    check(abs(charged["rmse"] - fit("--max-steps", 0)["rmse"]) > 1e-5, "--radius-charge changes energies")
    damped = fit("--max-steps", 0, "--model", "lj", "--dispersion-damping", 1.5)
    check(abs(damped["rmse"] - fit("--max-steps", 0, "--model", "lj")["rmse"]) > 1e-5, "damping changes energies")
    near(fit("--max-steps", 0, "--model", "lj", "--dispersion-damping", 100)["rmse"] /
         fit("--max-steps", 0, "--model", "lj")["rmse"], 1.0, 1e-9, "at large beta nothing is damped")
    dofs = table(folder, "--fit-radius-charge", "--fit-lambda")
    check(abs(float(dofs["*", "c"]["value"])) > 1e-6, "c moves")


def check_pool():
    """The strength that is chosen predicts at least as well as all that are tried."""
    chosen = fit("--pool", "auto", "--cv", 4)
    for strength in (0, 0.3, 1, 3):
        other = fit("--pool", strength, "--cv", 4)
        check(chosen["cv_rmse"] <= other["cv_rmse"] * (1 + 1e-9), f"pool {strength} predicts better than auto")
    done = run("fit", *BASE[:-1], "--pool", "auto")
    check(done.stdout.startswith("pool "), f"the pool is printed: {done.stdout[:80]}")


def refused(piece, *arguments):
    done = run("fit", *BASE, *arguments)
    check(done.returncode not in (0, 1), f"{arguments} refused: {done.returncode}")
    check(piece in done.stderr, f"{arguments}: {done.stderr}")


def check_refusals():
    refused("has no u^6", "--dispersion-damping", 2)
    refused("write R0 - c*(Qi + Qj)", "--model", "E0*exp(-r)*R0", "--fit-radius-charge")
    refused("expected the kernel damped or erf", "--fit-damping")
    refused("no hydrogen-bond factor", "--model", "best", "--hbond", "both")
    refused("0 to 10 angstrom", "--sites", "auto:11")


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_best(folder)
        check_options(folder)
    check_pool()
    check_refusals()
    finish()


main()
