# SPDX-License-Identifier: BSD-3-Clause
# shoal fit eval and compare: errors of models on data made here, against sums made here.
import csv
import math
import random
import statistics
import tempfile

import program

TYPES = """O_3  * O E 2 2 0 0 0.66 1.75 0.0026 -0.4 -0.50
H_O  * H E 1 0 0 0 0.35 1.40 0.0010  0.2  0.50
O_x  * O E 2 2 0 0 0.66 1.75 0.0026 -0.4 -0.50
"""
DOFS = "O_3 R 1.2 2.2 1 0 0 0 0\nO_3 E 1e-5 0.03 1 0 0 0 0\nH_O R 0.8 2 1 0 0 0 0\nH_O E 1e-5 0.03 1 0 0 0 0\n"
TABLE = {"O_3": (1.75, 0.0026, -0.4, -0.5), "H_O": (1.40, 0.0010, 0.2, 0.5)}
KC = 14.3996454784


def energy(a, b, form, alpha=1.6, scale=1.0, own=(), coulomb=True):
    """Energy between two molecules of (type, position, charge), by the textbook."""
    total = 0.0
    for ti, pi, qi in a:
        for tj, pj, qj in b:
            r, (ri, ei, ci, hi), (rj, ej, cj, hj) = math.dist(pi, pj), TABLE[ti], TABLE[tj]
            e0, h, u = math.sqrt(ei * ej), min(0.0, hi * hj), (ri + rj) / r
            x = math.exp(-alpha * (r - ri - rj))
            pair = (1 + h) * u**12 - 2 * u**6 if form == "lj" else (1 + h) * x * x - 2 * x
            q = (ci if ti in own else qi) * (cj if tj in own else qj)
            total += e0 * pair + (scale * KC * q / r if coulomb else 0.0)
    return total


def molecule(z, turn):
    c, s = math.cos(turn), math.sin(turn)
    atoms = [("O_3", (0, 0, 0), -0.6), ("H_O", (0.76, 0, 0.59), 0.3), ("H_O", (-0.76, 0, 0.59), 0.3)]
    return [(t, (c * x - s * k, y, s * x + c * k + z), q) for t, (x, y, k), q in atoms]


class Sample:
    def __init__(self, a, b, reference, dimer, x0, group):
        self.a, self.b, self.reference = a, b, reference
        self.dimer, self.x0, self.group = dimer, x0, group

    def text(self):
        rows = [f"{t} {x:.6f} {y:.6f} {z:.6f} {q}" for t, (x, y, z), q in self.a + self.b]
        head = f"6\n# n0 3 Etot {self.reference:.12f} x0 {self.x0:.2f} z 0 grp {self.group} set:{self.dimer}\n"
        return head + "\n".join(rows) + "\n"


def make_samples():
    rng, out = random.Random(5), []
    for dimer in range(24):
        turns, shift = (rng.uniform(0, 6.3), rng.uniform(0, 6.3)), rng.gauss(0, 0.02)
        for k in range(4):
            a, b = molecule(0.0, turns[0]), molecule(3.1 + 0.35 * k, turns[1])
            a, b = ([(t, tuple(round(x, 6) for x in p), q) for t, p, q in m] for m in (a, b))
            e = energy(a, b, "morse") + shift + rng.gauss(0, 0.005)
            out.append(Sample(a, b, round(e, 12), dimer, 0.8 + 0.1 * k, "AB"[dimer % 2]))
    return out


def near_rows(rows, key, wanted, text):
    """Rows of the JSON against lists of errors by key."""
    program.equal([r[key] for r in rows], list(wanted), f"{text}: keys")
    for row, errors in zip(rows, wanted.values()):
        program.near(row["rmse"], math.sqrt(statistics.fmean(e * e for e in errors)), 1e-9, text)
        program.equal(row["n"], len(errors), text)


def check_eval(place, samples):
    run = ("fit", "eval", "--data", place / "data.xyz", "--json")
    errors = [energy(s.a, s.b, "lj") - s.reference for s in samples]
    for options in (("--params", place / "types.dat"), ("--types", place / "types.dat", "--model", "lj")):
        (got,) = program.run_json(*run, *options)
        program.equal(list(got)[:3], ["n", "rmse", "mae"], "first keys")
        program.equal((got["n"], got["dimers"], got["units"]), (96, 24, "eV"), "counts")
        program.near(got["rmse"], math.sqrt(statistics.fmean(e * e for e in errors)), 1e-9, "RMSE")
        program.near(got["mae"], statistics.fmean(map(abs, errors)), 1e-9, "MAE")
        program.near(got["mean"], statistics.fmean(errors), 1e-9, "mean")
        program.near(got["median"], statistics.median(map(abs, errors)), 1e-9, "median")
    by = lambda key: {k: [e for e, s in zip(errors, samples) if key(s) == k]
                      for k in dict.fromkeys(map(key, samples))}
    near_rows(got["groups"], "group", by(lambda s: s.group), "groups")
    near_rows(got["distances"], "x0", {round(k, 2): v for k, v in by(lambda s: s.x0).items()}, "x0")
    near_rows(got["sets"], "set", {"data.xyz": errors}, "sets")
    worst = {f"set:{k}": v for k, v in by(lambda s: s.dimer).items()}
    order = sorted(worst, key=lambda k: -statistics.fmean(e * e for e in worst[k]))
    near_rows(got["worst"], "name", {k: worst[k] for k in order[:10]}, "worst dimers")
    text = program.run(*run[:-1], "--params", place / "types.dat", "--worst", 2).stdout
    program.check("worst dimers" in text and order[1] in text and order[2] + " " not in text, text)
    (both,) = program.run_json(*run, "--data", place / "data.xyz", "--params", place / "types.dat")
    program.equal((both["n"], both["dimers"], len(both["sets"])), (192, 24, 2), "two files of the same dimers")
    program.run_json(*run, "--params", place / "types.dat", "--samples", place / "samples.csv")
    rows = list(csv.DictReader((place / "samples.csv").open()))
    program.near(float(rows[7]["error_eV"]), errors[7], 1e-9, "energies of samples")


def check_models(place, samples):
    """Every setting of a model's file counts."""
    head = "shoal_pair_model 1\n"
    cases = [
        ("form morse\nalpha 1.7\n", dict(form="morse", alpha=1.7)),
        ("form morse\nlambda 0.8\n", dict(form="morse", scale=0.8)),
        ("form lj\ncharges_of *\n", dict(form="lj", own=("O_3", "H_O"))),
        ("form lj\ncharges_of O_3\n", dict(form="lj", own=("O_3",))),
        ("form lj\ncoulomb none\n", dict(form="lj", coulomb=False)),
        ("form formula\nformula E0*((1+H)*exp(-2*b*(r-R0))-2*exp(-b*(r-R0)))+kC*Q/r\nconstant b 1.6\n",
         dict(form="morse")),
    ]
    for text, how in cases:
        path = program.write(place, "model.dat", head + text + "types\n" + TYPES)
        done = program.run("fit", "eval", "--params", path, "--data", place / "data.xyz", "--json", "-q")
        if done.returncode != 0:
            program.check(False, f"{text}: {done.stderr}")
            continue
        got = program.json.loads(done.stdout)
        errors = [energy(s.a, s.b, **how) - s.reference for s in samples]
        program.near(got["rmse"], math.sqrt(statistics.fmean(e * e for e in errors)), 1e-9, text)


def check_refusals(place):
    data = ("--data", place / "data.xyz")
    cases = [
        (2, "--params (or --types) and --data are needed", ()),
        (2, "--params says what the model is", ("--params", place / "types.dat", "--alpha", 2, *data)),
        (2, "--params says what the model is", ("--params", place / "types.dat", "--types", "x", *data)),
        (2, "the model gives no finite energy", ("--types", place / "types.dat", "--alpha", "1e9", *data)),
        (4, "nowhere", ("--params", place / "nowhere", *data)),
        (4, "wrong.dat: pair model: damping of dispersion, but morse has no u^6", ("--params", program.write(
            place, "wrong.dat", "shoal_pair_model 1\nform morse\ndispersion_damping 3\ntypes\n" + TYPES), *data)),
    ]
    for code, text, options in cases:
        done = program.run("fit", "eval", *options)
        program.check(done.returncode == code and text in done.stderr, f"{options}: {done.stderr}")
    renamed = program.write(place, "renamed.xyz", (place / "data.xyz").read_text().replace("O_3", "OW"))
    run = ("fit", "eval", "--params", place / "types.dat", "--data", renamed, "--json", "-q")
    program.equal(program.run(*run).returncode, 4, "an unknown label")
    (want,) = program.run_json(*run[:5], place / "data.xyz", *run[6:])
    (got,) = program.run_json(*run, "--map", program.write(place, "map", "OW O_3\n"))
    program.equal(got["rmse"], want["rmse"], "mapped labels")
    done = program.run(*run[:-2], "--map", program.write(place, "map", "OW O_x\n"))
    program.check("O_3, not O_x: 192 atoms" in done.stderr, f"labels are compared after the map: {done.stderr}")


def check_fits(place):
    """What fit -o writes has the energies of the fit, also of DOFs that equal bounds hold."""
    formula = "E0*((1+H)*exp(-2*a*(r-R0))-2*exp(-a*(r-R0)))+kC*Q/r"
    cases = [
        ("* c 0.2 0.2 1 0 0 0 0 0.2\n", ("--model", "lj")),
        ("* beta 3 3 1 0 0 0 0 3\n", ("--model", "lj")),
        ("* d 2 2 1 0 0 0 0 2\n", ("--coulomb", "damped")),
        ("* lambda 0 3 1 0 0 0 0 0\n", ("--max-steps", 0)),
        ("* L 0.3 0.3 1 0 0 0 0 0.3\nE_O3 Q -1 1 1 0 0 0 0 -0.2\n", ("--sites", "auto")),
        ("E_O3 Q -1 1 1 0 0 0 0 -0.2\nE_HO Q -1 1 1 0 0 0 0 0.1\nE_HO L 0.1 1 1 0 0 0 0\n", ("--sites", "auto")),
        ("* lambda 0.2 3 1 0 0 0 0 0.7\n", ("--model", formula)),
    ]
    data, model = ("--data", place / "data.xyz", "--json", "-q"), place / "fitted.dat"
    for text, options in cases:
        model.unlink(missing_ok=True)
        dofs = program.write(place, "more.dat", DOFS + text)
        done = program.run("fit", "--types", place / "types.dat", *data, "--dofs", dofs, "--pool", 0, "-o", model, *options)
        program.check(done.returncode in (0, 1), f"{text}: {done.stderr}")
        (got,) = program.run_json("fit", "eval", "--params", model, *data)
        program.near(got["rmse"], program.json.loads(done.stdout)["rmse"], 1e-11, text)
        if "E_HO L" in text:
            program.check("site O_3 lone_pairs 2 E_O3 0.7\n" in model.read_text(), "other sites stay where they are")
    bare = "2\n# n0 1 Etot 0 x0 1 z 0 pair\nC_x 0 0 0 0.1\nC_x 0 0 4 -0.1\n"
    text = (f"shoal_pair_model 1\nform lj\nsite O_3 lone_pairs 2 E_O3 0.7\nincrement O_3 H_O 0.1\ntypes\n{TYPES}"
            "C_x * C * 4 0 0 0 0.7 1.9 0.004 0 0\nE_O3 * E * 0 0 0 0 0 0 0 -0.2 0\n")
    (got,) = program.run_json("fit", "eval", "--params", program.write(place, "model.dat", text), "--data",
                              program.write(place, "bare.xyz", bare), "--json", "-q")
    u = 3.8 / 4
    program.near(got["mae"], abs(0.004 * (u**12 - 2 * u**6) - KC * 0.01 / 4), 1e-12, "no atom with a site or a bond")


def check_outputs(place):
    """Inputs are not overwritten, and what no model can hold is refused before the fit."""
    run = ("fit", "--types", place / "types.dat", "--data", place / "data.xyz", "--dofs", place / "dofs.dat", "-q")
    data = (place / "data.xyz").read_text()
    for options in ((*run, "--dump-derivatives", place / "data.xyz"),
                    ("fit", "eval", "--params", place / "types.dat", "--data", place / "data.xyz", "--samples",
                     place / "data.xyz")):
        done = program.run(*options)
        program.check(done.returncode == 2 and "is an input, too" in done.stderr, f"{options}: {done.stderr}")
    program.equal((place / "data.xyz").read_text(), data, "the data")
    program.run(*run, "--sites", "auto", "--max-steps", 0, "--write-frames", place / "sites.xyz")
    wide = program.write(place, "wide.dat", TYPES + "E_O3 * E * 0 0 0 0 0 0.8 0 0 0\nE_HO * E * 0 0 0 0 0 0.8 0 0 0\n")
    for options, want in (((*run[:2], wide, *run[3:], "--sites", "auto", "--site-model", "sr"), "known to fits alone"),
                          ((*run[:2], place / "sites.dat", "--data", place / "sites.xyz", *run[5:]), "came with sites")):
        program.write(place, "sites.dat", TYPES + "E_O3 * E * 0 0 0 0 0 0 0 0 0\nE_HO * E * 0 0 0 0 0 0 0 0 0\n")
        done = program.run(*options, "--json", "-o", place / "out.dat")
        program.check(done.returncode == 3 and want in done.stderr and not done.stdout, f"{want}: {done.stderr}")


def jackknife(a, b, samples):
    """Difference of two RMSE and its standard error over dimers."""
    dimers = sorted({s.dimer for s in samples})
    rmse = lambda errors, out: math.sqrt(statistics.fmean(
        e * e for e, s in zip(errors, samples) if s.dimer != out))
    values = [rmse(b, d) - rmse(a, d) for d in dimers]
    mean = statistics.fmean(values)
    spread = sum((v - mean) ** 2 for v in values) * (len(dimers) - 1) / len(dimers)
    return rmse(b, None) - rmse(a, None), math.sqrt(spread)


def check_compare(place, samples):
    run = ("fit", "compare", "--types", place / "types.dat", "--data", place / "data.xyz", "--dofs",
           place / "dofs.dat", "--cv", 4, "--seed", 3)
    (got,) = program.run_json(*run, "--models", "morse,lj", "--variant", "--model morse --alpha 1.9",
                              "--params", place / "types.dat", "--json")
    names = [m["model"] for m in got["models"]]
    program.equal(names, ["morse", "lj", "--model morse --alpha 1.9", str(place / "types.dat")], "models")
    program.equal((got["n"], got["dimers"], got["folds"], got["units"]), (96, 24, 4, "eV"), "counts")
    for model, options in (("morse", ()), ("lj", ()), ("morse", ("--alpha", 1.9))):
        csv_file = place / "cv.csv"
        (alone,) = program.run_json("fit", *run[2:], "--model", model, *options, "--json", "-q", "--samples",
                                    csv_file)
        row = got["models"][names.index(model if not options else names[2])]
        program.near(row["rmse"], alone["cv_rmse"], 1e-12, f"{model}: the folds of shoal fit --cv")
        program.near(row["rmse_fit"], alone["rmse"], 1e-12, f"{model}: fitted to all")
        program.equal(row["n_dof"], 4, "DOFs")
    kept = {}
    for model in ("morse", "lj"):
        program.run_json("fit", *run[2:], "--model", model, "--json", "-q", "--samples", place / "cv.csv")
        rows = list(csv.DictReader((place / "cv.csv").open()))
        kept[model] = [float(r["kept_back_eV"]) - float(r["reference_eV"]) for r in rows]
    difference, error = jackknife(kept["morse"], kept["lj"], samples)
    program.near(got["models"][1]["difference"], difference, 1e-10, "difference")
    program.near(got["models"][1]["uncertainty"], error, 1e-10, "uncertainty by dimers")
    program.check(error > 1e-5, "there is some")
    given = [energy(s.a, s.b, "lj") - s.reference for s in samples]
    program.near(got["models"][3]["rmse"], math.sqrt(statistics.fmean(e * e for e in given)), 1e-9, "given")
    program.equal((got["models"][3]["fitted"], got["models"][3]["rmse_fit"]), (False, None), "not fitted")
    text = program.run(*run, "--models", "morse,lj").stdout
    program.check("RMSE - first" in text and "+-" in text, text)
    for options, want in ((("--models", "morse,,lj"), "names with commas"), ((), "are needed"),
                          (("--variant", "--nothing 1"), "expected an option of models"),
                          (("--variant", "--alpha"), "needs a value"),
                          (("--models", "morse", "--weights", "x"), "no --weights")):
        done = program.run(*run, *options)
        program.check(done.returncode == 2 and want in done.stderr, f"{options}: {done.stderr}")


def check_monomers(place):
    """Dimers that are kept back twice count as in 'shoal fit'; increments have errors by bootstrap."""
    example = program.pathlib.Path(__file__).resolve().parents[2] / "examples" / "fit"
    common = ("--types", example / "AtomTypes.dat", "--data", example / "dimers.xyz", "--dofs", example / "dofs.dat",
              "--json", "-q")
    (alone,) = program.run_json("fit", *common, "--leave-monomer-out")
    (got,) = program.run_json("fit", "compare", *common, "--leave-monomer-out", "--models", "morse")
    program.near(got["models"][0]["rmse"], alone["cv_rmse"], 1e-12, "monomer by monomer")
    program.run("fit", *common, "--increments", "--bootstrap", 3, "--table", place / "table.csv")
    rows = [r for r in csv.DictReader((place / "table.csv").open()) if ":" in r["type"]]
    program.check(rows and all(r["bootstrap"] for r in rows), "errors of increments")


def main():
    samples = make_samples()
    with tempfile.TemporaryDirectory() as name:
        place = program.pathlib.Path(name)
        program.write(place, "types.dat", TYPES)
        program.write(place, "dofs.dat", DOFS)
        program.write(place, "data.xyz", "".join(s.text() for s in samples))
        check_eval(place, samples)
        check_models(place, samples)
        check_refusals(place)
        check_fits(place)
        check_outputs(place)
        check_compare(place, samples)
        check_monomers(place)
    program.finish()


if __name__ == "__main__":
    main()
