# SPDX-License-Identifier: BSD-3-Clause
# shoal fit: outputs tried before the fit, inputs that stay, charges that are missing, options without use, Ctrl-C.
import json
import os
import re
import signal
import subprocess
import tempfile
import time

import program

EXAMPLE = program.TOP / "examples" / "fit"
FIT = ("--types", EXAMPLE / "AtomTypes.dat", "--data", EXAMPLE / "dimers.xyz", "--dofs", EXAMPLE / "dofs.dat")
FORMULA = "E0*((R0/r)^12 - 2*(R0/r)^6)"


def refused(code, text, *arguments):
    done = program.run("fit", *arguments)
    program.equal(done.returncode, code, f"{arguments}: {done.stderr}")
    program.check(text in done.stderr, f"{text!r} not in {done.stderr!r}")
    return done


def check_outputs(place):
    """Nothing is computed for an output that cannot be written, and no input is overwritten."""
    inputs = {}
    for key, name in (("--types", "AtomTypes.dat"), ("--data", "dimers.xyz"), ("--dofs", "dofs.dat")):
        inputs[key] = program.write(place, name, (EXAMPLE / name).read_text())
    weights = program.write(place, "weights.dat", "1 " * (EXAMPLE / "dimers.xyz").read_text().count("Etot"))
    fit = [x for pair in inputs.items() for x in pair] + ["--weights", weights, "-q"]
    before = {path: path.read_bytes() for path in place.iterdir()}
    (place / "link.dat").symlink_to(inputs["--types"])
    os.link(inputs["--data"], place / "hard.dat")
    for option in ("-o", "--table", "--samples", "--trajectory", "--write-frames"):
        for path in (*inputs.values(), weights, place / "link.dat", place / "hard.dat",
                     place / ".." / place.name / "dofs.dat"):
            done = refused(2, "is an input, too", *fit, option, path)
            program.equal(done.stdout, "", "nothing was fitted")
        refused(4, "cannot write", *fit, option, place / "none" / "x")
        refused(4, "cannot write", *fit, option, place)
    refused(4, "cannot write", *fit, "--plot", place / "none" / "x")
    refused(2, "named as an output twice", *fit, "-o", place / "x", "--table", place / "x")
    for path, text in before.items():
        program.check(path.read_bytes() == text, f"{path.name} is as it was")
    old = program.write(place, "old.dat", "what was there\n")
    refused(4, "cannot write", *fit, "-o", old, "--samples", place / "none" / "x")
    program.equal(old.read_text(), "what was there\n", "an output of a fit that did not start")
    names = {path.name for path in place.iterdir()}
    program.equal(program.run("fit", *fit, "-o", old, "--table", "/dev/null").returncode, 0, "allowed outputs")
    program.check(old.read_text().startswith("# fitted by"), "the output is written in the end")
    program.equal({path.name for path in place.iterdir()}, names, "no trial is left behind")


def check_charges(place):
    """A frame atom without a charge is refused where charges matter, and only there."""
    text = (EXAMPLE / "dimers.xyz").read_text().splitlines(keepends=True)
    for name, lines in (("one", [2]), ("all", [k for k, x in enumerate(text) if len(x.split()) == 5])):
        frames = list(text)
        for k in lines:
            if not frames[k].startswith("#"):
                frames[k] = " ".join(frames[k].split()[:4]) + "\n"
        path = program.write(place, f"{name}.xyz", "".join(frames))
        fit = (*FIT[:2], "--data", path, *FIT[4:], "-q")
        refused(4, f"{name}.xyz:3: atom O_3 has no charge: expected one in column 5", *fit)
        refused(4, "charges of types from the table", *fit)
        for more in (("--type-charges",), ("--coulomb", "none"), ("--model", FORMULA)):
            done = program.run("fit", *fit, *more)
            program.check(done.returncode in (0, 1), f"{more}: {done.stderr}")
        refused(4, "has no charge", *fit, "--model", FORMULA + " + kC*Q/r")
        refused(4, "has no charge", *fit, "--model", FORMULA + " + kC*Qi*Qj/r")
        program.equal(program.run("fit", *fit[:4], "--check-only").returncode, 0, "looking at the frames")


def check_ignored():
    refused(2, "alpha: the model has none", *FIT, "--model", "lj", "--alpha", 2)
    refused(2, "alpha: the formula has no a", *FIT, "--model", FORMULA, "--alpha", 2)
    refused(2, "alpha: the formula has no a", *FIT, "--model", FORMULA, "--fit-alpha")
    refused(2, "hydrogen bonds: a formula says", *FIT, "--model", FORMULA, "--hbond", "both")
    refused(2, "a Coulomb kernel: all of the energy is in the formula", *FIT, "--model", FORMULA, "--coulomb", "erf")
    refused(2, "lambda: the model has no charges", *FIT, "--model", FORMULA, "--fit-lambda")
    refused(2, "lambda: the model has no charges", *FIT, "--coulomb", "none", "--fit-lambda")
    refused(2, "charges of types: the model has no charges", *FIT, "--coulomb", "none", "--type-charges")
    refused(2, "a model of sites: the data have none", *FIT, "--site-model", "sr")
    refused(2, "--damping belongs to", *FIT, "--damping", 2)
    refused(2, "--precision belongs to", *FIT, "--precision", "float")
    refused(2, "--sets belongs to", *FIT, "--sets", 3)


def interrupt(place, *arguments):
    """Ends a fit by SIGINT after its first line of progress; exit code and JSON."""
    table = place / "best.dat"
    command = [program.PROGRAM, "fit", *map(str, FIT), "--json", "-o", str(table), *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        time.sleep(1.5)
        run.send_signal(signal.SIGINT)
        try:
            out, err = run.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            run.kill()
            raise
    program.check("the best so far" in err, err)
    program.equal(run.returncode, 130, err)
    return json.loads(out), table


def check_interrupt(place):
    whole = program.run_json("fit", *FIT, "--json")[0]
    long_one = ("--model", "lj", "--method", "fire", "--max-steps", 100000000, "--clamp", "1e-5,2e-5", "--evaluator", "pairs")
    for more in (long_one, ("--starts", 1000000), ("--bootstrap", 1000000), ("--cv", 4, "--starts", 1000000)):
        result, table = interrupt(place, *more)
        program.check(result["interrupted"] and result["cv_rmse"] is None, f"{more}: {result}")
        program.check(table.read_text().startswith("# fitted by"), f"{more}: the table is written")
        if more is not long_one:
            program.check(result["rmse"] < 1.001 * whole["rmse"], f"{more}: {result['rmse']} {whole['rmse']}")
        else:
            program.check(not result["converged"] and result["objective"] > 0, f"{more}: {result}")
        table.unlink()
        checkpoint = table.with_name("best.dat.checkpoint")
        program.check(checkpoint.exists(), f"{more}: the checkpoint")
        checkpoint.unlink()
    program.equal(whole["interrupted"], False, "a fit that went to its end")


def check_progress():
    """On a terminal the error of a fit is drawn as it falls."""
    ours, theirs = os.openpty()
    command = [program.PROGRAM, "fit", *map(str, FIT), "--json", "--model", "lj", "--method", "fire", "--max-steps", "100000000",
               "--clamp", "1e-5,2e-5", "--evaluator", "pairs"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs) as run:
        os.close(theirs)
        text, end = "", time.monotonic() + 60
        while not re.search(r"RMSE \S+ kcal/mol  \[[_.:=+*#-]{8,40}\]", text) and time.monotonic() < end:
            text += os.read(ours, 4096).decode()
        run.kill()
    os.close(ours)
    program.check(re.search(r"step \d+, RMSE \S+ kcal/mol  \[[^\]]*#[^\]]*_[^\]]*\]", text), text[-300:])


def check_resume(place):
    """A fit that ran out of time goes on with --resume, and ends with the bytes of one that did not."""
    names = ("model.dat", "dofs.csv", "way.csv", "samples.csv")

    def fit(folder, *more, code=0):
        outputs = [x for pair in zip(("-o", "--table", "--trajectory", "--samples"), (folder / n for n in names)) for x in pair]
        return program.run("fit", *FIT, "--method", "lbfgs", "--evaluator", "pairs", "--cv", 4, "--bootstrap", 5, *outputs, *more)

    folders = [place / "whole", place / "parts"]
    for folder in folders:
        folder.mkdir()
    program.equal(fit(folders[0]).returncode, 0, "the whole")
    checkpoint = folders[1] / "model.dat.checkpoint"
    done = fit(folders[1], "--max-hours", 1e-9, "--resume")
    program.equal(done.returncode, 75, done.stderr)
    program.check("no checkpoint yet" in done.stderr and "the same command with --resume goes on" in done.stderr, done.stderr)
    for tries in range(60):
        program.check(checkpoint.exists(), "there is a checkpoint")
        done = fit(folders[1], "--max-hours", 0.05 / 3600, "--resume")
        program.check(f"the fit goes on from {checkpoint}" in done.stderr, done.stderr)
        if done.returncode == 0:
            break
        program.equal(done.returncode, 75, done.stderr)
    program.check(done.returncode == 0 and not checkpoint.exists(), f"complete after {tries} more")
    for name in names:
        same = [[line for line in (f / name).read_text().splitlines() if not line.startswith("#")] for f in folders]
        program.equal(*same, name)
    program.run("fit", *FIT, "-o", folders[1] / "model.dat", "--max-hours", 1e-9)
    for changed, text in ((("--alpha", 1.5), "options, systems or parameters are not the same"), (("--starts", 3), "of another fit")):
        refused(2, text, *FIT, "-o", folders[1] / "model.dat", "--resume", *changed)
    refused(2, "--resume and --max-hours need a file", *FIT, "--resume")


def main():
    with tempfile.TemporaryDirectory() as name:
        place = program.pathlib.Path(name).resolve()
        check_outputs(place)
    with tempfile.TemporaryDirectory() as name:
        place = program.pathlib.Path(name).resolve()
        check_charges(place)
        check_ignored()
        check_interrupt(place)
        check_resume(place)
        check_progress()
    program.finish()


if __name__ == "__main__":
    main()
