# SPDX-License-Identifier: BSD-3-Clause
# shoal bench and shoal check: contracts, refusals, what they find.
import tempfile

from program import CASES, TOP, UNTYPED, WATER, check, equal, finish, near, run, run_json, write

DEMO = TOP / "examples" / "demo.sdf"
SIZES = {"formic_acid": 5, "xylitol": 22, "ptcda": 38, "imatinib": 68, "peptide": 97, "unlike": 26}
PHASES = ("create", "first_eval", "eval", "first_relax", "relax", "read", "destroy")
KEYS = ("case", "natoms", "systems", "steps", "backend", "device", "precision", "evals_per_s", "what")


def bench(*arguments):
    (row,) = run_json("bench", "--json", "--repeats", 1, "--systems", 20, "--threads", 1, *arguments)
    return row


def test_bench():
    names = [line.split()[0] for line in run("bench", "--list").stdout.splitlines()]
    check(set(SIZES) < set(names) and {"framework", "cells"} < set(names), "the list of cases")
    for name, size in SIZES.items():
        row = bench("--case", name, "--steps", 10)
        for key in KEYS:
            check(key in row, f"{name}: {key}")
        equal((row["case"], row["natoms"], row["systems"], row["steps"]), (name, size, 20, 10), name)
        equal((row["backend"], row["precision"], row["what"]), ("cpu", "float", "relax"), name)
        check(row["evals_per_s"] > 0 and 0 < row["checked"] < 1e-4, f"{name}: rate and check")
    row = bench("--what", "eval", "--steps", 3)
    equal(row["precision"], "double", "eval is in double on the cpu")
    names = {d["device"]: d["name"] for d in run_json("devices", "-q", "--json")}
    equal((row["device_string"], row["device"]), ("cpu", names["cpu"]), "string and name of the device")
    row = bench("--what", "converge", "--method", "fire")
    equal((row["converged"], row["method"]), (20, "fire"), "converge")
    check(row["systems_per_s"] > 0 and row["mean_steps"] > 5, "converge: rates")
    check(bench("--what", "typing")["molecules_per_s"] > 0, "typing")
    row = bench("--what", "engine", "--steps", 2)
    for life in (row["first"], row["later"]):
        check(all(life[key] >= 0 for key in PHASES) and len(life) == len(PHASES), "the life of an engine")
    near(row["create_and_destroy"], row["later"]["create"] + row["later"]["destroy"], 1e-9, "both ends of it")
    check(0 < row["checked"] < 1e-4 and row["first_result"] < 100, "engine: checked, and since the start")
    check("create and destroy" in run("bench", "--what", "engine", "--systems", 4, "--steps", 2).stdout, "table")
    check("evaluations/s" in run("bench", "--systems", 4, "--steps", 2, "--repeats", 1).stdout, "table")
    for wrong in (("--case", "unobtainium"), ("--what", "nothing"), ("--systems", "0"), ("file.xyz",),
                  ("--method", "newton")):
        equal(run("bench", *wrong).returncode, 2, f"exit code of {wrong}")
    equal(run("bench", "--device", "abacus").returncode, 3, "an unknown device")


def test_bench_opencl():
    """Energies are in float there, and any way to ask for a device gives its name."""
    found = [d for d in run_json("devices", "-q", "--json") if d["device"].startswith("opencl:")]
    for device in found[:1]:
        for asked in (device["device"], f"opencl:{device['type']}"):
            row = bench("--what", "eval", "--steps", 2, "--device", asked)
            equal((row["backend"], row["precision"]), ("opencl", "float"), f"eval on {asked}")
            equal((row["device_string"], row["device"]), (asked, device["name"]), f"name of {asked}")


def test_bench_params(directory):
    """A pair model times what it is told to, is checked against ref, and a table without the types is refused."""
    model = TOP / "examples" / "morse_hbond.dat"
    for name in ("xylitol", "ptcda", "unlike"):
        for what in ("relax", "eval"):
            row = bench("--case", name, "--params", model, "--what", what, "--steps", 4)
            check(row["evals_per_s"] > 0 and 0 < row["checked"] < 1e-4, f"{name}: rate and check of {what} by a model")
    kept = [line for line in model.read_text().splitlines() if not line.startswith("C_3")]
    poor = write(directory, "poor.dat", "\n".join(kept) + "\n")
    done = run("bench", "--params", poor, "--systems", 4, "--steps", 2)
    equal(done.returncode, 1, "a table that lacks a type")
    check("C_3" in done.stderr, "it says which")
    equal(run("bench", "--params", model, "--what", "file", DEMO).returncode, 2, "a model of files")


def test_check(directory):
    rows = run_json("check", "--json", DEMO)
    summary = rows.pop()
    equal((len(rows), summary["systems"], summary["differ"]), (12, 12, 0), "check")
    near(summary["max"], max(r["verdict"] for r in rows), 0, "the largest error")
    check(0 < summary["median"] < 5e-6 and summary["max"] < 1e-4, "errors in float")
    worst = rows[summary["worst"]["index"]]
    equal(summary["worst"]["name"], worst["name"], "the worst system")
    check(run_json("check", "--json", "--precision", "double", DEMO)[-1]["max"] < 1e-9, "in double")
    equal(run_json("check", "--json", "--tolerance", "1e-12", DEMO, code=1)[-1]["differ"], 12,
          "nothing agrees to 1e-12 in float")
    # Of a crystal in balance nothing but rounding is left, and that is no measure of errors.
    crystal = ('8\nLattice="5.64 0 0 0 5.64 0 0 0 5.64" Properties=species:S:1:pos:R:3:initial_charges:R:1\n'
               + "".join(f"{e} {x * 2.82} {y * 2.82} {z * 2.82} {q}\n"
                         for x in (0, 1) for y in (0, 1) for z in (0, 1)
                         for e, q in ((("Na", 1), ("Cl", -1))[(x + y + z) % 2],)))
    rows = run_json("check", "--json", write(directory, "balance.xyz", crystal + WATER))
    summary = rows.pop()
    check(rows[0]["relative"] > 100 * rows[1]["relative"], "relative to next to nothing")
    equal((summary["worst"]["index"], summary["worst"]["verdict"]), (1, summary["max"]), "the really worst")
    equal(summary["max"], max(r["verdict"] for r in rows), "the largest error")
    differ = [run_json("check", "--json", "--precision", "double", "--tolerance", t, DEMO, code=None)[-1]["differ"]
              for t in ("0", "1e-9")]
    check(differ[0] > 0 and differ[1] == 0, "a tolerance of 0 means what it says")
    equal(run("check", "--tolerance", "-1", DEMO).returncode, 2, "a negative tolerance")
    equal(run("check", DEMO, "-o", "out.xyz").returncode, 2, "check writes no file")
    check("--output" not in run("check", "--help").stdout, "and its help offers none")
    path = write(directory, "mixed.xyz", WATER + UNTYPED)
    rows = run_json("check", "--json", path)
    equal([r.get("status") for r in rows], ["ok", "untyped", None], "untyped systems do not differ")
    check("worst: system" in run("check", CASES / "types.sdf").stdout, "the table")


def main():
    test_bench()
    test_bench_opencl()
    with tempfile.TemporaryDirectory() as directory:
        test_bench_params(directory)
        test_check(directory)
    finish()


if __name__ == "__main__":
    main()
