# SPDX-License-Identifier: BSD-3-Clause
# shoal fit: input, output, checks and scans on a small data set made here.
import csv
import math
import random
import tempfile

import program

TYPES = """# made for a test
O_3  * O E 2 2 0 0 0.66 1.75 0.0026 -0.4 -0.50 7.5 # oxygen
H_O  * H E 1 0 0 0 0.35 1.40 0.0010  0.2  0.50
C_3  * C E 4 0 0 0 0.75 1.90 0.0045  0.0  0.00
"""
DOFS = """O_3 0 1.2 2.2 1.3 2.1 1 1 0 1.75
O_3 1 0.0001 0.03 0.0001 0.02 1 1 0 0.0026
H_O 0 0.8 2.0 0.9 1.9 1 1 0 1.40
H_O 1 0.0001 0.03 0.0001 0.02 1 1 0 0.0010
O_3 3 -0.95 -0.01 -0.9 -0.02 1 1 0 -0.50
"""
PLANTED = {"O_3": (1.65, 0.0050, -0.62), "H_O": (1.28, 0.0016, 0.50), "C_3": (1.90, 0.0045, 0.0)}
KC = 14.3996454784
ALPHA = 1.7
NOISE = 0.0001  # eV


def morse(a, b):
    """Energy of two atoms (type, position, charge) with the planted parameters, by the textbook."""
    (ta, pa, qa), (tb, pb, qb) = a, b
    r = math.dist(pa, pb)
    r0 = PLANTED[ta][0] + PLANTED[tb][0]
    e0 = math.sqrt(PLANTED[ta][1] * PLANTED[tb][1])
    h = min(0.0, PLANTED[ta][2] * PLANTED[tb][2])
    x = math.exp(-ALPHA * (r - r0))
    return e0 * ((1 + h) * x * x - 2 * x) + KC * qa * qb / r


def molecule(z, turn):
    c, s = math.cos(turn), math.sin(turn)
    atoms = [("O_3", (0, 0, 0), -0.6), ("H_O", (0.76, 0, 0.59), 0.3), ("H_O", (-0.76, 0, 0.59), 0.3)]
    return [(t, (c * x - s * k, y, s * x + c * k + z), q) for t, (x, y, k), q in atoms]


def frames(noise):
    """Dimers at six distances each, as text."""
    out = []
    rng = random.Random(4)
    for dimer in range(40):
        turns = rng.uniform(0, 6.3), rng.uniform(0, 6.3)
        for k in range(6):
            a, b = molecule(0.0, turns[0]), molecule(3.1 + 0.35 * k, turns[1])
            energy = sum(morse(i, j) for i in a for j in b) + rng.gauss(0, noise)
            out.append(f"6\n# n0 3 Etot {energy:.9f} x0 {0.8 + 0.1 * k:.2f} z 0 grp OH-O set:{dimer}\n")
            out += [f"{t} {x:.5f} {y:.5f} {z:.5f} {q}\n" for t, (x, y, z), q in a + b]
    return "".join(out)


def options(place):
    return ["--types", place / "types.dat", "--data", place / "data.xyz", "--dofs", place / "dofs.dat"]


def check_fit(place):
    files = {k: place / f"{k}.csv" for k in ("table", "samples", "trajectory")}
    wanted = [x for k, path in files.items() for x in (f"--{k}", path)]
    run = ("fit", *options(place), "--alpha", ALPHA, "--cv", 4, "--json", "-o", place / "out.dat")
    (result,) = program.run_json(*run, *wanted)
    program.equal(list(result)[:9], ["model", "n_dof", "rmse_before", "rmse", "cv_rmse", "cv_std",
                                     "cv_folds", "evaluations", "seconds"], "keys")
    program.equal((result["units"], result["n_dof"], result["converged"]), ("eV", 5, True), "values")
    program.near(result["rmse"], NOISE, 0.2 * NOISE, "residual noise")
    program.check(result["cv_rmse"] < 2 * NOISE, f"kept back: {result['cv_rmse']}")
    check_statistics(result)
    values = {(row["type"], row["comp"]): row for row in csv.DictReader(files["table"].open())}
    for key, want in (("R", 0), ("E", 1)):
        for kind in ("O_3", "H_O"):
            got = float(values[kind, key]["value"])
            program.near(got / PLANTED[kind][want], 1.0, 0.01, f"planted {kind}.{key}")
    program.near(float(values["O_3", "H"]["value"]) / PLANTED["O_3"][2], 1.0, 0.01, "planted H")
    samples = list(csv.DictReader(files["samples"].open()))
    program.equal(len(samples), 240, "rows of samples")
    for row in samples[::17]:
        total = sum(float(row[k]) for k in ("coulomb_eV", "vdw_eV", "hbond_eV", "site_eV"))
        program.near(total, float(row["model_eV"]), 1e-12, "components add up")
    program.check(len(list(csv.DictReader(files["trajectory"].open()))) > 3, "trajectory")
    again = program.run_json(*run)[0]
    for key in ("rmse", "cv_rmse", "objective", "evaluations"):
        program.equal(again[key], result[key], f"repeat: {key}")
    check_table(place, values)


def check_statistics(result):
    """Parameters, errors, correlations and folds of the JSON."""
    parameters = result["parameters"]
    program.equal([(p["type"], p["comp"]) for p in parameters][:2], [("O_3", "R"), ("O_3", "E")], "parameters")
    for p in parameters:
        program.check(p["error"] > 0 and p["error_independent"] > 0, f"errors of {p}")
        program.check(0.2 < p["error"] / p["error_independent"] < 5, f"independent noise: {p}")
        program.equal(p["error_bootstrap"], None, "no bootstrap was asked for")
    program.equal([len(row) for row in result["correlations"]], [0, 1, 2, 3, 4], "lower triangle")
    program.check(all(abs(c) <= 1 for row in result["correlations"] for c in row), "correlations")
    names = [[p["type"], p["comp"]] for p in parameters]
    strong = {(names.index(s[:2]), names.index(s[2:4])) for s in result["strong_correlations"]}
    for i, row in enumerate(result["correlations"]):
        for k, c in enumerate(row):
            program.equal((k, i) in strong, abs(c) > 0.95, f"strong or not: {names[i]} {names[k]} {c}")
    program.equal([f["dimers"] for f in result["folds"]], [10, 10, 10, 10], "folds")
    program.check(0 < result["cv_median"] < result["cv_rmse"], "median of what was kept back")
    errors = [w["rmse"] for w in result["worst"]]
    program.equal(errors, sorted(errors, reverse=True), "worst dimers first")
    program.check(errors[0] > result["cv_rmse"], "the worst is worse than the mean")


def check_bootstrap(place):
    run = ("fit", *options(place), "--alpha", ALPHA, "--json", "--bootstrap", 60)
    (result,) = program.run_json(*run)
    for p in result["parameters"]:
        program.check(0.4 < p["error"] / p["error_bootstrap"] < 2.5, f"errors of {p}")
        program.check(p["low"] < p["value"] < p["high"], f"95 % of {p}")
    (again,) = program.run_json(*run, "--threads", 1)
    program.equal(again["parameters"], result["parameters"], "threads change no bootstrap")
    done = program.run("fit", *options(place), "--alpha", ALPHA, "--bootstrap", 20, "--cv", 4)
    program.check("bootstrap" in done.stdout.splitlines()[0], done.stdout)
    program.check("worst kept back" in done.stdout and "median error" in done.stdout, done.stdout)


def check_table(place, values):
    """The written table keeps what was not fitted and serves as a start."""
    lines = (place / "out.dat").read_text().splitlines()
    program.check(lines[0].startswith("# fitted by shoal"), lines[0])
    program.equal(lines[1:3], ["shoal_pair_model 1", "form morse"], "a pair model")
    lines = lines[lines.index("types"):]
    program.equal(lines[1], "# made for a test", "comments stay")
    program.check(lines[2].endswith(" 7.5 # oxygen"), f"columns stay: {lines[2]}")
    program.equal(lines[4], TYPES.splitlines()[3], "untouched type")
    program.equal(lines[2].split()[9], values["O_3", "R"]["value"], "value in the table")
    dofs = "\n".join(" ".join(line.split()[:9]) for line in DOFS.splitlines())
    program.write(place, "again.dat", dofs + "\n")
    done = program.run_json("fit", "--types", place / "out.dat", "--data", place / "data.xyz", "--dofs",
                            place / "again.dat", "--alpha", ALPHA, "--json", "--max-steps", 0)
    program.near(done[0]["rmse_before"], NOISE, 0.2 * NOISE, "the table is where the fit ended")
    program.equal(done[0]["rmse"], done[0]["rmse_before"], "no steps, no change")


def check_deep(place):
    """A depth above 0.1 eV: what was written can be read, and fitted further."""
    planted = PLANTED["O_3"]
    PLANTED["O_3"] = (1.65, 0.3, -0.62)
    program.write(place, "deep.xyz", frames(NOISE))
    PLANTED["O_3"] = planted
    dofs = program.write(place, "deep.dat", DOFS.replace("0.03 0.0001 0.02", "0.6 0.0001 0.6"))
    data = ("--data", place / "deep.xyz", "--alpha", ALPHA, "--pool", 0, "--json")
    table = place / "deep_out.dat"
    (result,) = program.run_json("fit", "--types", place / "types.dat", "--dofs", dofs, *data, "-o", table)
    program.near(result["rmse"], NOISE, 0.2 * NOISE, "fit of a deep well")
    program.check("\n# units: eV\n" in table.read_text(), "the table says its unit")
    on = program.write(place, "on.dat", "O_3 E 0.0001 0.6 1 0 0 0 0\n")
    (again,) = program.run_json("fit", "--types", table, "--dofs", on, *data, "--max-steps", 0)
    program.near(again["rmse"], result["rmse"], 1e-9, "the fit goes on from the table")
    done = program.run("fit", "--types", place / "types.dat", "--dofs",
                       program.write(place, "kcal.dat", "O_3 E 0 0.6 1 0 0 0 0 0.3\n"), *data)
    program.equal(done.returncode, 4, "a start above 0.1 eV that no table has")


def check_others(place):
    for model in ("lj", "lj9", "exp6"):
        (result,) = program.run_json("fit", *options(place), "--model", model, "--json")
        program.check(result["rmse"] < 0.3 * result["rmse_before"], f"{model} fits: {result}")
    for method in ("lbfgs", "lm"):
        (result,) = program.run_json("fit", *options(place), "--method", method, "--alpha", ALPHA, "--json",
                                     "--starts", 3, "--seed", 5)
        program.near(result["rmse"], NOISE, 0.2 * NOISE, f"{method} from three starts")
    (result,) = program.run_json("fit", *options(place), "--fit-alpha", "--json")
    program.equal(result["evaluator"], "pairs", "fitted alpha")
    program.near(result["rmse"], NOISE, 0.2 * NOISE, "fitted alpha finds the noise")
    done = program.run("fit", *options(place), "--alpha", ALPHA, "--leave-monomer-out")
    program.equal(done.returncode, 2, f"one monomer cannot be left out: {done.stderr}")


def check_checks(place):
    done = program.run("fit", *options(place), "--check-only")
    program.equal(done.returncode, 0, done.stderr)
    program.check("240 frames of 40 dimers, 1 monomers" in done.stdout, done.stdout)
    program.write(place, "frozen.dat", "O_3 R 1 2 1 2 0 0 0\nH_O R 1.4 1.4 1 2 0 0 0\nC_3 R 1 2 1 2 0 0 0\n")
    done = program.run("fit", *options(place)[:4], "--dofs", place / "frozen.dat", "--check-only")
    program.check("frozen: H_O.R (its bounds are equal), C_3.R (the data have no such atoms)" in done.stdout, done.stdout)
    done = program.run("fit", *options(place), "--check-derivatives")
    program.equal(done.returncode, 0, done.stderr)
    program.equal(done.stdout.count("  ok"), 5, done.stdout)
    (found,) = program.run_json("fit", *options(place), "--check-only", "--json")
    program.equal((found["samples"], found["dimers"], found["monomers"]), (240, 40, 1), "what a check found")
    program.equal([s["samples"] for s in found["sets"]], [240], "samples of the set")
    program.equal(sorted(t["type"] for t in found["types"]), ["H_O", "O_3"], "types in the data")
    program.equal((len(found["dofs"]), found["n_dof"], found["evaluator"]), (5, 5, "moments"), "parameters")
    (found,) = program.run_json("fit", *options(place)[:4], "--dofs", place / "frozen.dat", "--check-only", "--json")
    program.equal([d.get("reason") for d in found["dofs"]], [None, "its bounds are equal", "the data have no such atoms"],
                  "frozen parameters")
    (found,) = program.run_json("fit", *options(place)[:4], "--check-only", "--json")
    program.equal((found["dofs"], found["n_dof"]), ([], 0), "a check without parameters")
    (found,) = program.run_json("fit", *options(place), "--check-derivatives", "--json")
    program.equal([d["verdict"] for d in found["derivatives"]], 5 * ["ok"], "verdicts on slopes")
    some = ("fit", *options(place), "--check-derivatives", "--json")
    for which, n in (("O_3.R", 1), ("O_3", 3), (".E", 2)):
        (found,) = program.run_json(*some, "--check-dof", which, "--check-step", 0.02, "--check-points", 6)
        program.equal(len(found["derivatives"]), n, f"slopes of {which}")
    (found,) = program.run_json(*some, "--clamp", "0.001,0.002")
    program.equal(found["n_wrong"], 0, "slopes at the kinks of a clamp")
    points = program.run_json("fit", "scan", *options(place), "--dof", "O_3.R=1.5:1.9:5", "--json")
    program.equal(len(points), 5, "points of a scan")
    for p in points:
        program.near(p["slope_a"] / p["numeric_a"], 1.0, 1e-8, "slope of a scan")
    scan = ("fit", "scan", *options(place), "--alpha", ALPHA, "--dof", "H_O.R=1.28:1.28:1", "--fitted", "--json")
    cut, whole = (program.run_json(*scan, *more)[0]["objective"] for more in (("--max-steps", 1), ()))
    program.check(cut > 1.5 * whole, f"--max-steps of a scan: {cut} against {whole}")
    done = program.run("fit", "scan", *options(place), "--dof", "O_3.R=1.5:1.9:3", "--dof", "H_O.E=0.001:0.002:2")
    program.equal(len([line for line in done.stdout.splitlines() if line]), 7, done.stdout)


def check_refusals(place):
    def refused(code, text, *arguments):
        done = program.run("fit", *arguments)
        program.equal(done.returncode, code, done.stderr)
        program.check(text in done.stderr, f"{text!r} not in {done.stderr!r}")

    refused(2, "--types, --data and --dofs are needed", "--types", place / "types.dat")
    refused(4, "cannot open", "--types", place / "none", "--data", place / "data.xyz", "--dofs", "x")
    refused(2, "--method 'newton': expected lm, lbfgs or fire", *options(place), "--method", "newton")
    refused(2, "--hbond 'x': expected repulsion, attraction, both or none", *options(place), "--hbond", "x")
    refused(2, "--check-dof 'O_3.Q': no such parameter", *options(place), "--check-derivatives", "--check-dof", "O_3.Q")
    refused(2, "belong to --check-derivatives", *options(place), "--check-step", 0.1)
    refused(2, "--check-points '2'", *options(place), "--check-derivatives", "--check-points", 2)
    refused(3, "moments cannot be used", *options(place), "--evaluator", "moments", "--fit-alpha")
    refused(2, "alpha 5 of exp6: expected a number above 6", *options(place), "--model", "exp6", "--alpha", 5)
    refused(4, "frame 1 (set:0): expected Elst, Exch, Ind and Disp", *options(place), "--components")
    refused(2, "model 'morze': expected morse, lj", *options(place), "--model", "morze")
    refused(2, "constants 'b=1': the model morse has none", *options(place), "--const", "b=1")
    refused(2, "weights of curves: steepness -3", *options(place), "--curve-weights", -3)
    refused(2, "clamp from 0 to -1 eV", *options(place), "--clamp", "0,-1")
    refused(2, "--cv and --leave-monomer-out", *options(place), "--cv", 4, "--leave-monomer-out")
    refused(2, "belong to 'shoal fit'", "scan", *options(place), "--dof", "O_3.R=1:2:2", "--cv", 4)
    refused(2, "belong to 'shoal fit'", "scan", *options(place), "--dof", "O_3.R=1:2:2", "--bootstrap", 4)
    refused(2, "expected finite values", "scan", *options(place), "--dof", "O_3.R=nan:2:2")
    refused(2, "expected two different DOFs", "scan", *options(place), "--dof", "O_3.R=1:2:2", "--dof",
            "O_3.R=1:2:2")
    refused(2, "no such parameter", "scan", *options(place), "--dof", "O_3.Q=0:1:2")
    path = program.write(place, "bad.xyz", "2\n# n0 1 Etot 0\nO_3 0 0 0\nXx 0 0 2\n")
    refused(4, "bad.xyz:4: unknown type ('Xx')", *options(place)[:2], "--data", path, "--dofs", "x")


def main():
    with tempfile.TemporaryDirectory() as name:
        place = program.pathlib.Path(name)
        program.write(place, "types.dat", TYPES)
        program.write(place, "dofs.dat", DOFS)
        program.write(place, "data.xyz", frames(NOISE))
        check_fit(place)
        check_bootstrap(place)
        check_deep(place)
        check_others(place)
        check_checks(place)
        check_refusals(place)
    program.finish()


if __name__ == "__main__":
    main()
