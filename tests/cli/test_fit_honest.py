# SPDX-License-Identifier: BSD-3-Clause
# shoal fit: what must not pass for a fit (slopes that are not finite, equal energies, poles), charges from nothing, the same
# dimer in two files, going on from a model, frames with sites read back, units.
import csv
import json
import math
import pathlib
import re
import tempfile

import program

EXAMPLE = program.TOP / "examples" / "fit"
TYPES, DATA, DOFS = EXAMPLE / "AtomTypes.dat", EXAMPLE / "dimers.xyz", EXAMPLE / "dofs.dat"
FIT = ("--types", TYPES, "--data", DATA, "--dofs", DOFS, "-q")
MORSE = "E0*(exp(-2*a*(r-R0)) - 2*exp(-a*(r-R0)))"


def fit(*arguments, code=0):
    return program.run_json("fit", *FIT, "--json", *arguments, code=code)[0]


def refused(code, text, *arguments):
    done = program.run("fit", *arguments)
    program.equal(done.returncode, code, f"{arguments}: {done.stderr}")
    program.check(text in done.stderr, f"{text!r} not in {done.stderr!r}")


def check_refusals(place):
    frames = DATA.read_text()
    equal = program.write(place, "equal.xyz", re.sub(r"Etot [-0-9.e]+", "Etot -0.1", frames))
    refused(4, "all 136 reference energies are -0.1 eV", *FIT[:2], "--data", equal, *FIT[4:])
    done = program.run("fit", "eval", "--types", TYPES, "--data", equal)
    program.equal(done.returncode, 0, "errors of a model need no fit")
    refused(2, "sites of type E_O3 have no width", *FIT, "--sites", "auto", "--site-model", "sr2", "--fit-site-charges")
    refused(2, "a denominator passes zero", *FIT, "--model", "E0/(r-3.1) + kC*Q/r")
    done = program.run("fit", *FIT, "--model", MORSE + " + kC*Q/r + 1e-3*(r-3)^2/(r-3)/r^6")
    program.equal(done.returncode, 0, f"a zero of both is no pole: {done.stderr}")
    # at the start the pole is short of the data, at the end it is among them
    moved = program.write(place, "moved.dat", "* b 0.1 3.5 3.1 3.5 1e6 0 0 1.0\n")
    refused(2, "a denominator passes zero", *FIT[:4], "--dofs", moved, "-q", "--model", "-1e-6*r^-6/(r-b) + kC*Q/r")
    done = program.run("fit", *FIT, "--method", "fire")
    program.equal(done.returncode, 1, "FIRE stalls")
    program.check("stalled" in done.stderr and "--method" in done.stderr, done.stderr)


def check_charges(place):
    """Charges from nothing: by electronegativity, as good as those that many starts find."""
    frames = program.write(place, "none.xyz", re.sub(r"(?m)^([A-Z]\S* \S+ \S+ \S+) \S+$", r"\1 0", DATA.read_text()))
    names = ("O_3", "H_O", "C_3", "H_C3")
    dofs = program.write(place, "q.dat", DOFS.read_text() + "".join(f"{n} Q -1 1 1 0 0 0 0\n" for n in names))
    found = program.run_json("fit", "--types", TYPES, "--data", frames, "--dofs", dofs, "-q", "--json", "--type-charges",
                             code=None)[0]
    q = {d["type"]: d for d in found["parameters"] if d["comp"] == "Q"}
    program.check(q["O_3"]["start"] < -0.4 < 0.2 < q["H_O"]["start"], f"starts {q}")
    program.check(found["rmse"] < 0.01, f"{found['rmse']} eV: the saddle without charges has 0.06")
    program.check(q["O_3"]["value"] * q["H_O"]["value"] < 0, f"values {q}")
    found = program.run_json("fit", "--types", TYPES, "--data", frames, "--dofs", DOFS, "-q", "--json", "--increments",
                             code=None)[0]
    program.check(found["rmse"] < 0.01, f"increments from nothing: {found['rmse']} eV")


def check_repeats(place):
    """The same dimers under other names are kept back together, and it is said."""
    other = program.write(place, "other.xyz", DATA.read_text().replace("dimer", "twin"))
    twice = ("--types", TYPES, "--data", DATA, "--data", other, "--dofs", DOFS)
    done = program.run("fit", *twice, "--json", "--cv", 4)
    program.check("136 frames stand of one set in another" in done.stderr, done.stderr)
    alone = fit("--cv", 4)
    both = json.loads(done.stdout)
    program.near(both["cv_rmse"], alone["cv_rmse"], 1e-4 * alone["cv_rmse"], "twice the data tell no more")
    done = program.run("fit", *FIT[:-1], "--check-only")
    program.check("another" not in done.stderr, done.stderr)


def check_start(place):
    """A model is where another fit goes on."""
    model = place / "model.dat"
    options = ("--model", "exp6", "--fit-alpha", "--fit-lambda", "--sites", "auto", "--fit-site-charges", "--increments")
    whole = fit(*options, "-o", model)
    again = fit(*options, "--start-from", model)
    program.near(again["rmse_before"], whole["rmse"], 1e-12, "it begins where the other ended")
    program.check(again["converged"] and again["steps"] < whole["steps"] / 2, f"{again['steps']} {whole['steps']}")
    before = fit(*options, "--start-from", model, "--max-steps", 0)
    program.equal([d["start"] for d in before["parameters"]], [d["start"] for d in whole["parameters"]], "starts stay")
    refused(2, "is an input, too", *FIT, *options, "--start-from", model, "-o", model)
    text = "".join(f"{n} * {e} E 1 0 0 0 0.5 1.5 0.003 0 0\n" for n, e in (("N_3", "N"), ("H_N", "H")))
    refused(2, "none of the parameters", *FIT, "--start-from", program.write(place, "n.dat", text))


def check_frames(place):
    """Frames with sites are read back and give the same fit."""
    frames = place / "sites.xyz"
    options = ("--model", "exp6", "--fit-site-charges", "--hbond", "none")
    one = fit(*options, "--sites", "auto", "--write-frames", frames)
    two = program.run_json("fit", *FIT[:2], "--data", frames, *FIT[4:], "--json", *options)[0]
    program.near(two["rmse"], one["rmse"], 1e-9, "frames with sites")
    program.equal(len(two["parameters"]), len(one["parameters"]), "charges of their sites are fitted")
    near = "8\n# n0 4 Etot 0.02 near\n" + "".join(f"C_3 {s * 3.2} 0 0 0\nH_C3 {s * 2.1} 0 0 0\nH_C3 {s * 3.6} 1 0 0\nH_C3 {s * 3.6} -1 0 0\n"
                                                   for s in (-0.22, 0.22))
    close = program.write(place, "near.xyz", near)
    table = program.write(place, "near.dat", "C_3 * C E 4 0 0 0 0.757 1.9 0.004 0 0\nH_C3 * H E 1 0 0 0 0.354 1.4 0.002 0 0\n")
    dofs = program.write(place, "neardofs.dat", "H_C3 R 1.2 1.8 1.2 1.8 0 0 0\n")
    common = ("fit", "--types", table, "--dofs", dofs, "--json", "-q", "--model", "exp6", "--max-steps", 0)
    one = program.run_json(*common, "--data", close, "--sites", "auto:0.4", "--write-frames", frames, code=None)[0]
    two = program.run_json(*common, "--data", frames, code=None)[0]
    program.near(two["rmse"], one["rmse"], 1e-9, "sites of two molecules on top of each other")


def check_formula_lambda(place):
    """A formula carries its factor of charges into the model: energies of the engine are those of the fit."""
    model, samples = place / "formula.dat", place / "formula.csv"
    result = fit("--model", "E0*((R0/r)^9 - 2*(R0/r)^6) + 0.5*(1+0.3*Qi*Qj)*kC*Q/r + 0.1*Qi*Qj", "--fit-lambda", "-o", model, "--samples", samples)
    values = {row["comp"]: row["value"] for row in result["parameters"] if row["type"] == "*"}
    program.check(abs(values["lambda"] - 1) > 0.01, f"lambda is not 1: {values}")
    rows = [[row["energy"] for row in program.run_json("energy", "--json", "-q", "--device", "ref", "--params", model, "--charges", "file",
                                                       "--terms", "vdw", *part, DATA)] for part in ((), ("--fragment", 1), ("--fragment", 2))]
    with open(samples, encoding="utf-8") as lines:
        wanted = [float(row["model_eV"]) for row in csv.DictReader(lines)]
    for whole, a, b, want in zip(*rows, wanted):
        program.near(whole - a - b, want, 1e-9, "energy of the dimer")


def check_sites_refused(place):
    """Sites go neither with formulas nor with the lone pairs of MMFFsp3, and this is said before anything is computed."""
    model = place / "never.dat"
    refused(2, "a formula goes with neither lambda, nor sites", *FIT, "--model", MORSE + " + kC*Q/r", "--sites", "auto", "-o", model)
    program.check(not model.exists(), "no model is written")
    for forcefield, reason in (("mmffsp3", "which MMFFsp3 cannot have: its lone pairs are pi vectors or electron pairs"),
                               ("mmff94", "sites, which go with UFF only")):
        done = program.run("energy", "--json", "--forcefield", forcefield, "--params", "noncovalent", "--smiles", "CO")
        program.equal(done.returncode, 1, done.stderr)
        program.equal(program.json.loads(done.stdout)["status"], "untyped", forcefield)
        program.check(reason in done.stdout, done.stdout)


def check_units(place):
    kcal = 0.0433641042418
    scaled = re.sub(r"Etot (\S+)", lambda m: f"Etot {float(m[1]) / kcal:.17g}", DATA.read_text())
    frames = program.write(place, "kcal.xyz", scaled)
    one = fit()
    two = program.run_json("fit", *FIT[:2], "--data", frames, *FIT[4:], "--json", "--units", "kcal")[0]
    program.near(two["rmse"], one["rmse"], 1e-9, "energies in kcal/mol")
    done = program.run("fit", "eval", "--types", TYPES, "--data", frames, "--units", "kcal", "--json")
    base = program.run("fit", "eval", "--types", TYPES, "--data", DATA, "--json")
    program.near(json.loads(done.stdout)["rmse"], json.loads(base.stdout)["rmse"], 1e-9, "errors of a model")


def check_regularize(place):
    """Off means that nothing but the data counts."""
    lines = [x.split() for x in DOFS.read_text().splitlines() if x and not x.startswith("#")]
    pulled = ["\t".join(w[:4] + [w[9], w[9], "50", "50", "50"] + w[9:]) for w in lines]
    held = program.write(place, "held.dat", "\n".join(pulled) + "\n")
    free = fit("--pool", 0)
    off = program.run_json("fit", *FIT[:4], "--dofs", held, "-q", "--json", "--regularize", "off")[0]
    on = program.run_json("fit", *FIT[:4], "--dofs", held, "-q", "--json", code=None)[0]
    program.near(off["rmse"], free["rmse"], 1e-7, "neither walls nor pulls")
    program.near(off["objective"], 0.5 * off["rmse"] ** 2, 1e-15, "the objective is that of the data")
    program.check(on["rmse"] > 2 * off["rmse"], "with them it is another fit")
    refused(2, "do not go with --regularize off", *FIT, "--regularize", "off", "--pool", 2)


def check_mmff94(place):
    """Charges of MMFF94, not of QEq: water has -0.86 and 0.43."""
    frames = place / "mmff94.xyz"
    done = program.run("fit", "prepare", DATA, "--charges", "mmff94", "-o", frames, "-q")
    program.equal(done.returncode, 0, done.stderr)
    first = frames.read_text().splitlines()[2:5]
    program.equal([float(x.split()[4]) for x in first], [-0.86, 0.43, 0.43], "charges of water")


def check_prediction_errors(place):
    """Errors of energies by those of two parameters, their correlation and differences of energies; of dimers left out, too."""
    dofs, samples = place / "two.dat", place / "samples.csv"
    weights = program.write(place, "weights.txt", "-1 " * 10 + "1 " * 126)

    def run(values, *more):
        dofs.write_text("".join(f"{name} 0.2 3 1 0 0 0 0 {x!r}\n" for name, x in zip(("H_C3 R", "* lambda"), values)))
        done = program.run_json("fit", "--types", TYPES, "--data", DATA, "--dofs", dofs, "-q", "--json", "--samples", samples, "--weights", weights,
                                "--pool", 0, *more, code=None)[0]
        with open(samples, newline="") as file:
            return done, list(csv.DictReader(file))

    found, rows = run((1.4, 1.0))
    at = [d["value"] for d in found["parameters"]]
    errors = [d["error"] for d in found["parameters"]]
    slopes = []
    for k in (0, 1):
        ends = [run([x * (1 + (s * 1e-4 if i == k else 0)) for i, x in enumerate(at)], "--max-steps", 0)[1] for s in (1, -1)]
        slopes.append([(float(a["model_eV"]) - float(b["model_eV"])) / (2e-4 * at[k]) for a, b in zip(*ends)])
    c = found["correlations"][1][0]
    for a, b, row in zip(*slopes, rows):
        x, y = a * errors[0], b * errors[1]
        want = math.sqrt(max(x * x + y * y + 2 * c * x * y, 0))
        program.near(float(row["uncertainty_eV"]), want, 2e-3 * (abs(x) + abs(y)), f"error of sample {row['sample']}")


def main():
    for check in (check_refusals, check_charges, check_repeats, check_start, check_frames, check_formula_lambda, check_sites_refused,
                  check_units, check_regularize,
                  check_mmff94, check_prediction_errors):
        with tempfile.TemporaryDirectory() as name:
            check(pathlib.Path(name).resolve())
    program.finish()


if __name__ == "__main__":
    main()
