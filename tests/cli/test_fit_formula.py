# SPDX-License-Identifier: BSD-3-Clause
# shoal fit with formulas, sites, OpenCL devices and plots, on dimers with planted parameters.
import csv
import json
import math
import pathlib
import tempfile

from program import check, equal, finish, near, run, run_json, write

KC = 14.3996454784
TYPES = """\
O_3  * O E_O3 2 2 0 0 0.66 1.75 0.0026 -0.4 -0.5
H_O  * H *    1 0 0 0 0.35 1.40 0.0007  0.2  0.6
C_3  * C *    4 0 0 0 0.75 1.90 0.0045  0.1  0.0
E_O3 * E *    0 0 0 0 0.00 0.80 0.0000 -0.1 -0.3
"""
DOFS = """\
O_3 R 1.2 2.2 1.2 2.2 0 0 0 1.75
H_O R 0.8 2.0 0.8 2.0 0 0 0 1.40
C_3 R 1.2 2.4 1.2 2.4 0 0 0 1.90
"""
MORSE = "E0*((1+H)*exp(-2*a*(r-R0)) - 2*exp(-a*(r-R0))) + kC*Q/r"
PLANTED = {"O_3": (1.65, 0.0026, -0.5), "H_O": (1.25, 0.0007, 0.6), "C_3": (1.95, 0.0045, 0.0)}


def pair_energy(a, b):
    """Morse with alpha 1.6 and the planted radii."""
    (ra, ea, ha), (rb, eb, hb) = PLANTED[a[0]], PLANTED[b[0]]
    r = math.dist(a[1:4], b[1:4])
    decay = math.exp(-1.6 * (r - ra - rb))
    gate = min(ha * hb, 0.0)
    return math.sqrt(ea * eb) * ((1 + gate) * decay**2 - 2 * decay) + KC * a[4] * b[4] / r


def frames():
    """Three dimers at six distances each."""
    water = [("O_3", 0.0, 0.0, 0.0, -0.6), ("H_O", -0.6, 0.76, 0.0, 0.3), ("H_O", -0.6, -0.76, 0.0, 0.3)]
    others = {"water": [("O_3", 0.5, 0.3, 0.2, -0.6), ("H_O", -0.3, 0.1, -0.2, 0.3), ("H_O", 1.0, -0.4, 0.5, 0.3)],
              "methyl": [("C_3", 0.0, 0.2, 0.4, -0.2), ("H_O", 0.4, -0.7, 0.6, 0.2)],
              "both": [("O_3", 0.2, 1.1, 0.0, -0.3), ("C_3", 0.6, -0.3, 0.1, 0.3)]}
    text = ""
    for name, atoms in others.items():
        for step in range(6):
            shifted = [(t, x + 2.6 + 0.3 * step, y, z, q) for t, x, y, z, q in atoms]
            energy = sum(pair_energy(a, b) for a in water for b in shifted)
            text += f"{3 + len(shifted)}\n# n0 3 Etot {energy:.12f} x0 {step} z 0 {name}\n"
            text += "".join(f"{t} {x} {y} {z} {q}\n" for t, x, y, z, q in water + shifted)
    return text


def fit(directory, *arguments, code=0):
    files = [f"--{name}={pathlib.Path(directory) / name}" for name in ("types", "data", "dofs")]
    return run_json("fit", *files, "--alpha", "1.6", "--pool", "0", "--json", "-q", *arguments, code=code)[-1]


def refusal(directory, code, piece, *arguments):
    files = [f"--{name}={pathlib.Path(directory) / name}" for name in ("types", "data", "dofs")]
    done = run("fit", *files, "--pool", "0", *arguments)
    equal(done.returncode, code, f"exit code of {arguments}: {done.stderr}")
    check(piece in done.stderr, f"{arguments}: '{piece}' in {done.stderr}")


def test_formula(directory):
    """The formula finds what the built-in model finds: the planted radii."""
    table = pathlib.Path(directory) / "table.csv"
    for model in ("morse", MORSE):
        result = fit(directory, "--model", model, "--evaluator", "pairs", "--table", table)
        check(result["rmse"] < 1e-7, f"{model}: rmse {result['rmse']}")
        rows = {row["type"]: row for row in csv.DictReader(table.read_text().splitlines())}
        for name, (radius, _, _) in PLANTED.items():
            near(float(rows[name]["value"]), radius, 1e-4, f"{model}: radius of {name}")


def test_refusals(directory):
    refusal(directory, 2, "column 9: expected an operator or the ')' for column 4", "--model", "E0*(r-R0")
    refusal(directory, 2, "one of exp log sqrt", "--model", "E0*foo(r)")
    refusal(directory, 2, "'b', which has no value", "--model", "E0*exp(-b*r)")
    refusal(directory, 2, "expected NAME=NUMBER", "--model", "E0*exp(-b*r)", "--const", "b=")
    refusal(directory, 2, "not finite for sample 1 (water)", "--model", "E0*log(r-5)")
    refusal(directory, 2, "a denominator passes zero", "--model", "E0/(r-4)")
    refusal(directory, 2, "its slope jumps", "--model", "E0*abs(r-4.01)")


def test_derivatives(directory):
    files = [f"--{name}={pathlib.Path(directory) / name}" for name in ("types", "data", "dofs")]
    done = run("fit", *files, "--pool", "0", "--model", MORSE, "--alpha", "1.6", "--check-derivatives")
    equal(done.returncode, 0, f"--check-derivatives: {done.stdout} {done.stderr}")


def test_sites(directory):
    """Frames with sites are written with their hosts and give the same fit when read again."""
    out = pathlib.Path(directory) / "sites.xyz"
    first = fit(directory, "--sites", "0.5", "--site-model", "sr2", "--write-frames", out, "--max-steps", "0",
                code=None)
    lines = out.read_text().splitlines()
    equal(lines[0], "10", "atoms of a frame: six and two sites for each oxygen")
    check(lines[1].startswith("# n0 5 "), f"first fragment with its sites: {lines[1]}")
    equal([line.split()[0] for line in lines[2:7]], ["O_3", "H_O", "H_O", "E_O3", "E_O3"], "order")
    equal([line.split()[5] for line in lines[2:12]], "-1 -1 -1 0 0 -1 -1 -1 5 5".split(), "hosts")
    write(directory, "data", out.read_text())
    again = fit(directory, "--site-model", "sr2", "--max-steps", "0", code=None)
    write(directory, "data", frames())
    near(again["rmse"], first["rmse"], 1e-9, "rmse of frames read again")


def test_plots(directory):
    prefix = pathlib.Path(directory) / "figure"
    fit(directory, "--plot", prefix, "--cv", "3")
    for name in ("scatter", "curves", "dofs"):
        text = pathlib.Path(f"{prefix}-{name}.svg").read_text()
        check(text.startswith("<svg ") and text.endswith("</svg>\n"), f"{name}: a whole file")


def test_opencl(directory):
    devices = [json.loads(line)["device"] for line in run("devices", "--json", "-q").stdout.splitlines()]
    found = [d for d in devices if d.startswith("opencl:")]
    if not found:
        print("without OpenCL: devices left out")
        return
    host = fit(directory, "--evaluator", "pairs", "--model", MORSE)
    device = fit(directory, "--evaluator", found[0], "--model", MORSE)
    near(device["rmse"], host["rmse"], 1e-6, "rmse on a device")
    speed = fit(directory, "--evaluator", found[0], "--precision", "float", "--bench", "--sets", "8")
    check(speed["error"] < 1e-4 and speed["pairs_per_s"] > 0, f"speed: {speed}")
    equal((speed["samples"], speed["sets"], speed["pairs"]), (18, 8, 6 * (9 + 6 + 6)), "size of the benchmark")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as work:
        write(work, "types", TYPES)
        write(work, "data", frames())
        write(work, "dofs", DOFS)
        for test in (test_formula, test_refusals, test_derivatives, test_sites, test_plots, test_opencl):
            test(work)
    finish()
