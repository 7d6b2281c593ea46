# SPDX-License-Identifier: BSD-3-Clause
# Barriers from the command line: butane and water on NaCl against relaxed scans, images, pictures, and what is refused.
import math
import pathlib
import tempfile

from program import TOP, WATER, check, equal, finish, near, run, run_json, write

BUTANE = TOP / "examples" / "butane.sdf"


def turned(folder, name, angle):
    """Butane, relaxed from a torsion of its carbon atoms."""
    out = folder / name
    run_json("relax", "--json", BUTANE, "--restrain", f"torsion:0,1,2,3={angle},5", "-o", folder / "held.xyz", code=None)
    run_json("relax", "--json", folder / "held.xyz", "--fmax", "1e-4", "-o", out)
    return out


def test_butane(folder):
    ends = turned(folder, "anti.xyz", 180), turned(folder, "gauche.xyz", 65)
    row = run_json("neb", "--json", *ends, "-o", "path.xyz", "--plot", "path.svg", cwd=folder)[0]
    points = run_json("scan", "--json", ends[0], "--relaxed", "--fmax", "1e-4", "--coordinate", "torsion:0,1,2,3=180:100:-2", code=None)
    energies = [p["energy"] for p in points if "energy" in p]
    near(row["barrier"], max(energies) - min(energies), 1e-3, "barrier of butane is that of a relaxed scan")
    equal(row["status"], "converged", "status")
    equal((row["verdict"], row["order"]), ("saddle", 1), "the highest image is a saddle of first order")
    near(row["energies"][-1] - row["energies"][0], row["barrier"] - row["back"], 1e-9, "both barriers")
    equal(row["saddle"], row["energies"].index(max(row["energies"])), "the saddle is the highest image")
    near(row["barrier"], max(row["energies"]) - row["energies"][0], 1e-12, "barrier from the first end")
    text = (folder / "path.xyz").read_text()
    lines = [line.split() for line in text.splitlines()]
    n = int(lines[0][0]) + 2
    images = [[float(x) for line in lines[k + 2:k + n] for x in line[1:4]] for k in range(0, len(lines), n)]
    along = [0.0]
    for a, b in zip(images, images[1:]):
        along.append(along[-1] + math.dist(a, b))
    for got, want in zip(row["path"], along):
        near(got, want, 1e-5, "lengths along the path")
    equal(text.count("energy="), len(row["energies"]), "frames of the path")
    check("<svg" in (folder / "path.svg").read_text()[:200], "a picture is SVG")
    again = run_json("neb", "--json", *ends, "--threads", 1)[0]
    equal(again, row, "another number of threads")


def test_water_on_salt(folder):
    """From one cation to the next one, over the bridge between two anions."""
    run("slab", "rocksalt", "NaCl", "--size", "4x4", "--layers", 3, "-q", "-o", "salt.xyz", cwd=folder)
    edge = 5.6402 / math.sqrt(2)
    for name, n in (("one.xyz", 1), ("other.xyz", 2)):
        y = n * edge
        write(folder, name, f"3\n\nO {edge} {y} 2.5\nH {edge + 0.6} {y + 0.5} 2.9\nH {edge + 0.6} {y - 0.5} 2.9\n")
    on = ("--surface", "salt.xyz", "--grid", "off")
    run_json("relax", "--json", "one.xyz", "other.xyz", *on, "--charges", "qeq", "--fmax", "1e-4", "-o", "both.xyz", cwd=folder)
    row = run_json("neb", "--json", "both.xyz", *on, "--charges", "file", "--images", 11, cwd=folder)[0]
    equal((row["status"], row["verdict"], row["order"]), ("converged", "saddle", 1), "water hops")
    near(row["energies"][0], row["energies"][-1], 1e-5, "both ends are alike")
    # The same in one command from one of them, with a picture.
    hop = run_json("neb", "--json", "one.xyz", *on, "--charges", "qeq", "--images", 11, "--hop", f"0,{edge}",
                   "-o", "hop.xyz", "--plot", "hop.svg", cwd=folder)
    equal([band["status"] for band in hop], ["converged"], "one band of one minimum")
    near(hop[0]["barrier"], row["barrier"], 1e-3, "a hop is the band to the next cation")
    frames = (folder / "hop.xyz").read_text().splitlines()
    y = [float(frames[k].split()[2]) for k in range(2, len(frames), 5)]
    near(y[-1] - y[0], edge, 1e-2, "it ends where it hopped")
    check("<svg" in (folder / "hop.svg").read_text()[:200], "a picture of it")
    turn = run_json("neb", "--json", "one.xyz", *on, "--charges", "qeq", "--turn", 90, "-o", "turn.xyz", cwd=folder)[0]
    equal((turn["status"], turn["verdict"], turn["order"]), ("converged", "saddle", 1), "water turns")
    check(0.005 < turn["barrier"] < 0.05, f"barrier of a turn: {turn['barrier']}")
    frames = [line.split() for line in (folder / "turn.xyz").read_text().splitlines()]
    arrows = [[float(frames[k + 3][x]) - float(frames[k + 4][x]) for x in (1, 2)] for k in (0, len(frames) - 5)]
    near(abs(arrows[0][0] * arrows[1][1] - arrows[0][1] * arrows[1][0]) / math.hypot(*arrows[0]) / math.hypot(*arrows[1]), 1, 0.02,
         "hydrogen atoms are turned by 90 degrees")
    write(folder, "first.xyz", "".join((folder / "both.xyz").read_text().splitlines(True)[:5]))
    points = run_json("scan", "--json", "first.xyz", *on, "--charges", "file", "--relaxed", "--fmax", "3e-4",
                      "--coordinate", f"y={edge}:{2 * edge}:n17", cwd=folder)
    energies = [p["energy"] for p in points if "energy" in p and "index" in p]
    near(row["barrier"], max(energies) - min(energies), 1e-3, "barrier of water is that of a relaxed scan")


def test_refusals(folder):
    write(folder, "water.xyz", WATER)
    write(folder, "methane.xyz", (TOP / "examples" / "butane.sdf").read_text())
    for words, text in ((("water.xyz",), "no pair of minima"), (("water.xyz", "anti.xyz"), "not the same molecule"),
                        (("water.xyz", "water.xyz", "--plot", "x.pdf"), "--plot"), (("water.xyz", "water.xyz", "--images", "0"), "--images"),
                        (("water.xyz", "water.xyz", "--turn", "60"), "take one file"), (("water.xyz", "--hop", "1"), "expected 2 numbers")):
        done = run("neb", *words, cwd=folder)
        check(done.returncode == 2 and text in done.stderr, f"{words}: {done.stderr!r} names {text!r}")


with tempfile.TemporaryDirectory() as place:
    here = pathlib.Path(place)
    test_butane(here)
    test_water_on_salt(here)
    test_refusals(here)
finish()
