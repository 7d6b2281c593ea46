# SPDX-License-Identifier: BSD-3-Clause
# Scans of volumes: points are what energy and relax give in those cells, equations of state are analytic ones, and the
# stiffness that strains give.
import os
import pathlib
import re
import subprocess
import time

from program import CASES, PROGRAM, check, equal, near, run, run_each, run_json, write

QUARTZ = CASES / "quartz.cif"
GPA = 160.2176634  # of 1 eV/A^3
ARGON = """4
name=argon Lattice="5.3 0 0 0 5.3 0 0 0 5.3" Properties=species:S:1:pos:R:3 pbc="T T T"
Ar 0 0 0
Ar 2.65 2.65 0
Ar 2.65 0 2.65
Ar 0 2.65 2.65
"""
LAYER = """2
name=layer Lattice="4 0 0 1 4.5 0 0 0 30" Properties=species:S:1:pos:R:3 pbc="T T F"
Ar 0 0 0.5
Kr 2 2.2 1
"""
DEVICES = ["cpu"] + (["opencl:cpu"] if run("energy", "--device", "opencl:cpu", QUARTZ).returncode != 3 else [])


def scan(*words, code=0):
    return run_json("scan", "--json", "-q", "--charges", "none", *words, code=code)


def check_rigid(directory):
    """Points are the energies of the cells that are written; fractions of the cell stay."""
    out = f"{directory}/points.xyz"
    for path in (QUARTZ, CASES / "mof-5.cif"):
        (record,) = run_json("energy", "-q", "--json", "--charges", "none", path)
        rows = scan("--coordinate", "volume=0.95:1.1:0.05", path, "-o", out)
        equal([r["point"] for r in rows], [[0.95], [1], [1.05], [1.1]], "points")
        written = run_json("energy", "-q", "--json", "--charges", "none", out)
        equal(rows[1]["energy"], record["energy"], "the file's own volume")
        for r, w in zip(rows, written):
            near(r["energy"], w["energy"], 1e-9 * abs(r["energy"]) + 1e-9, f"{path.name} at {r['point']}")
            near(r["volume"], rows[1]["volume"] * r["point"][0], 1e-9 * r["volume"], "volume")
    # A layer has an area: what lies across it stays.
    layer = write(directory, "layer.xyz", LAYER)
    rows = scan("--coordinate", "volume=1.21", layer, "--positions", "-o", out)
    for found, wanted in zip(rows[0]["positions"], ((0, 0, 0.5), (2.2, 2.42, 1))):
        for a, b in zip(found, wanted):
            near(a, b, 1e-9, f"an atom of a layer: {found} for {wanted}")
    lattice = [float(x) for x in re.search(r'Lattice="([^"]*)"', pathlib.Path(out).read_text()).group(1).split()]
    for a, b in zip(lattice, (4.4, 0, 0, 1.1, 4.95, 0, 0, 0, 30)):
        near(a, b, 1e-9, f"the cell of a layer: {lattice}")
    check("volume" not in rows[0] and "stress" in rows[0], "a layer has no volume")


def check_equation(directory):
    """Lennard-Jones crystals scale as A V^-4 - B V^-2; their bulk modulus, and that of strains."""
    argon = write(directory, "argon.xyz", ARGON)
    rows = scan("--coordinate", "volume=0.97:1.05:n17", argon)
    v, e = [r["volume"] for r in rows], [r["energy"] for r in rows]
    s44, s42, s22 = (sum(x**-k for x in v) for k in (8, 6, 4))
    b4, b2 = sum(x**-4 * y for x, y in zip(v, e)), sum(x**-2 * y for x, y in zip(v, e))
    a = (b4 * s22 - b2 * s42) / (s44 * s22 - s42 * s42)
    b = -(s44 * b2 - s42 * b4) / (s44 * s22 - s42 * s42)
    lowest = (2 * a / b) ** 0.5
    bulk = (20 * a * lowest**-5 - 6 * b * lowest**-3) * GPA
    told = run("scan", "--charges", "none", "--coordinate", "volume=0.97:1.05:n17", argon).stderr
    volume, share, modulus, slope = map(float, re.search(
        r"volume ([\d.]+) A\^3 \(([\d.]+) of the file's\), bulk modulus ([\d.]+) GPa, its slope ([\d.]+)", told).groups())
    near(volume, lowest, 2e-4 * lowest, "the volume where the energy is lowest")
    near(share, volume / 5.3**3, 1e-5, "by that of the file")
    near(modulus, bulk, 0.005 * bulk, "the bulk modulus")
    near(slope, 8, 0.1, "its slope: (4 + 2) + 2 of these powers")
    (row,) = run_json("relax", "-q", "--json", "--charges", "none", "--cell", "full", "--stress", "1e-5", "--elastic", argon)
    near(modulus, row["elastic"]["bulk_modulus_gpa"], 0.005 * bulk, "that of the stiffness")
    near(volume, row["volume"], 2e-4 * lowest, "the relaxed cell")


def check_relaxed(directory):
    """Slopes of the curve are the pressure, on every device; the shape gains more, and the volume stays."""
    words = ("--relaxed", "--coordinate", "volume=0.98:1.02:n5", "--fmax", "1e-4", QUARTZ)
    first = None
    for device in DEVICES:
        rows = scan(*words, "--device", device)
        for i in range(1, 4):
            slope = (rows[i + 1]["energy"] - rows[i - 1]["energy"]) / (rows[i + 1]["volume"] - rows[i - 1]["volume"])
            stress = sum(rows[i]["stress_gpa"][:3]) / 3
            near(slope * GPA, stress, 0.02 * abs(stress) + 0.02, f"{device}: slope and pressure")
        check(all(r["held"] == [0] and r["restraint_energy"] == 0 for r in rows), "nothing holds a volume but the cell")
        first = first or rows
        for r, f in zip(rows, first):
            near(r["energy"], f["energy"], 1e-3, f"{device} at {r['point']}")
    shaped = scan(*words, "--shape")
    for r, f in zip(shaped, first):
        equal(r["status"], "converged", f"with its shape: {r.get('reason')}")
        near(r["volume"], f["volume"], 1e-6 * f["volume"], "the volume stays")
        check(r["energy"] < f["energy"] - 1e-5, f"the shape gains energy: {r['energy']} and {f['energy']}")
    followed = scan(*words, "--follow")
    for r, f in zip(followed, first):
        check(r["energy"] < f["energy"] + 1e-3, "the lowest of what was found stays")
    # Two coordinates: distances are those of the scaled geometry, then set.
    layer = write(directory, "layer.xyz", LAYER)
    rows = scan("--coordinate", "volume=0.9:1.1:n3", "--coordinate", "distance:0,1=2.5:3:n2", layer, "--positions")
    for r in rows:
        a, b = r["positions"]
        near(sum((x - y) ** 2 for x, y in zip(a, b)) ** 0.5, r["point"][1], 1e-9, "a distance in a scaled cell")


def check_summary(directory):
    """Figures, shards, and what cannot be scanned."""
    argon, figure = write(directory, "argon.xyz", ARGON), f"{directory}/curve.svg"
    done = run("scan", "--charges", "none", "--coordinate", "volume=0.9:1.1:n9", "--plot", figure, argon, argon)
    equal(done.returncode, 0, done.stderr)
    equal(done.stderr.count("bulk modulus"), 2, "of both records")
    check("volume, of the file" in pathlib.Path(figure).read_text(), "the axis")
    check(os.path.exists(f"{directory}/curve-2.svg"), "a figure of each")
    done = run("scan", "--charges", "none", "--coordinate", "volume=1.1:1.3:n9", argon)
    check("no minimum between these volumes" in done.stderr, done.stderr)
    words = ("scan", "-q", "--charges", "none", "--coordinate", "volume=0.9:1.1:n9", argon)
    run(*words, "-o", f"{directory}/whole.jsonl")
    for k in range(2):
        equal(run(*words, "--shard", f"{k}/2", "-o", f"{directory}/part{k}.jsonl").returncode, 0, f"shard {k}")
    run("merge", *[f"{directory}/part{k}.jsonl" for k in range(2)], "-o", f"{directory}/merged.jsonl")
    equal(pathlib.Path(f"{directory}/whole.jsonl").read_text(), pathlib.Path(f"{directory}/merged.jsonl").read_text(), "shards")
    water = write(directory, "water.xyz", "3\nwater\nO 0 0 0.1\nH 0 0.7572 -0.5\nH 0 -0.7572 -0.5\n")
    (row,) = scan("--coordinate", "volume=1", water, code=1)
    check("repeats in no direction" in row["reason"], row)
    for text, *more in (("0.1 to 10 times that of the file", "--coordinate", "volume=140:150:1"),
                        ("expected the coordinate volume", "--coordinate", "distance:0,1=3", "--relaxed", "--shape"),
                        ("expected a relaxed scan", "--coordinate", "volume=1", "--shape"),
                        ("cannot follow each other", "--coordinate", "volume=1:1.1:n2", "--relaxed", "--shape", "--follow")):
        done = run("scan", argon, *more)
        check(done.returncode == 2 and text in done.stderr, f"{more}: {done.stderr}")


def check_resume(directory):
    """A run that was killed goes on: the files of one that nobody disturbed, and the equation of state."""
    argon = write(directory, "argon.xyz", ARGON)
    base = [PROGRAM, "scan", "--charges", "none", "--checkpoint-every", "0.01", "--coordinate", "volume=0.9:1.1:n40000", str(argon)]
    began = time.monotonic()
    whole = subprocess.run([*base, "-o", f"{directory}/whole.jsonl"], capture_output=True, text=True)
    seconds = time.monotonic() - began
    process = subprocess.Popen([*base, "-o", f"{directory}/part.jsonl"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.6 * seconds)
    process.kill()
    process.wait()
    done = subprocess.run([*base, "--resume", "-o", f"{directory}/part.jsonl"], capture_output=True, text=True)
    equal(done.returncode, 0, done.stderr)
    equal(pathlib.Path(f"{directory}/part.jsonl").read_bytes() == pathlib.Path(f"{directory}/whole.jsonl").read_bytes(), True, "files")
    line = [x for x in whole.stderr.splitlines() if "equation of state" in x]
    check(len(line) == 1, whole.stderr[-500:])
    equal(line, [x for x in done.stderr.splitlines() if "equation of state" in x], "what is told")


if __name__ == "__main__":
    run_each([check_rigid, check_equation, check_relaxed, check_summary, check_resume])
