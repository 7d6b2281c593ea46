# SPDX-License-Identifier: BSD-3-Clause
# Searches: conformers and minima on a surface, the same from all seeds, whatever the threads, and after SIGKILL.
import hashlib
import json
import math
import os
import pathlib
import signal
import subprocess
import tempfile
import time

from program import METHANE, PROGRAM, TOP, UNTYPED, check, equal, finish, run, run_json, torsion, write

DEMO = TOP / "examples" / "demo.sdf"
BUTANE = """14
butane
C 0.0000 0.0000 0.0000
C 1.5300 0.0000 0.0000
C 2.1031 1.4186 0.0000
C 2.9722 1.7370 1.2183
H -0.3762 -1.0337 0.0000
H -0.3762 0.5168 0.8952
H -0.3762 0.5168 -0.8952
H 3.3602 2.7639 1.1462
H 2.3807 1.6370 2.1402
H 3.8186 1.0354 1.2520
H 1.8840 -0.5450 0.8870
H 1.8840 -0.5450 -0.8870
H 2.6950 1.5600 -0.9160
H 1.2700 2.1370 0.0000
"""
CYCLOHEXANE = """18
cyclohexane
C 1.4550 0.0000 0.2500
C 0.7275 1.2601 -0.2500
C -0.7275 1.2601 0.2500
C -1.4550 0.0000 -0.2500
C -0.7275 -1.2601 0.2500
C 0.7275 -1.2601 -0.2500
H 2.4800 0.0000 -0.1500
H 1.4600 0.0000 1.3500
H 1.2400 2.1477 0.1500
H 0.7300 1.2644 -1.3500
H -1.2400 2.1477 -0.1500
H -0.7300 1.2644 1.3500
H -2.4800 0.0000 0.1500
H -1.4600 0.0000 -1.3500
H -1.2400 -2.1477 -0.1500
H -0.7300 -1.2644 1.3500
H 1.2400 -2.1477 0.1500
H 0.7300 -1.2644 -1.3500
"""
WATER = "3\nwater\nO 0 0 0.1173\nH 0 0.7572 -0.4692\nH 0 -0.7572 -0.4692\n"


def record(directory, name):
    """One molecule of the demo file, as a file of its own."""
    for text in DEMO.read_text().split("$$$$\n"):
        if text.startswith(name + "\n"):
            return write(directory, name.split()[0] + ".sdf", text + "$$$$\n")
    raise KeyError(name)


def close(rows, others, text, n=None, energy=1e-4):
    equal(len(rows[:n]), len(others[:n]), f"{text}: minima")
    for a, b in zip(rows[:n], others[:n]):
        check(abs(a["energy"] - b["energy"]) < energy, f"{text}: {a['energy']} and {b['energy']}")


# --- conformers ------------------------------------------------------------------------------------

def check_butane(directory):
    """anti, and two gauche forms that are mirror images of each other."""
    path = write(directory, "butane.xyz", BUTANE)
    rows = run_json("search", "-q", "--json", "--positions", "--starts", 30, "--seed", 4, path)
    equal([r["rank"] for r in rows], [1, 2, 3], "ranks of butane")
    angles = [torsion(r["positions"], 0, 1, 2, 3) for r in rows]
    check(abs(abs(angles[0]) - 180) < 1, f"the lowest is anti: {angles}")
    check(abs(angles[1] + angles[2]) < 0.5 and 55 < abs(angles[1]) < 75, f"two gauche forms: {angles}")
    equal(sum(r["count"] for r in rows), 30, "counts")
    check(all(r["count"] > 1 for r in rows), "each was found again")
    weights = [math.exp(-r["relative_energy"] / (8.617333262e-5 * 298.15)) for r in rows]
    for w, r in zip(weights, rows):
        check(abs(r["weight"] - w / sum(weights)) < 1e-9, "Boltzmann weights")
    hot = run_json("search", "-q", "--json", "--starts", 30, "--seed", 4, "--temperature", 3000, path)
    check(hot[0]["weight"] < 0.5 < rows[0]["weight"], "weights know the temperature")
    (only,) = run_json("search", "-q", "--json", "--starts", 30, "--window", 0.01, path)
    equal(only["rank"], 1, "one in a narrow window")


def check_rings(directory):
    """Chair and twisted boat, which has two mirror images."""
    path = write(directory, "ring.xyz", CYCLOHEXANE)
    rows = run_json("search", "-q", "--json", "--starts", 200, "--window", 2, path)
    equal(len(rows), 3, "chair and two twisted boats")
    check(0.2 < rows[1]["relative_energy"] < 0.5, f"a boat: {rows[1]}")
    check(abs(rows[1]["energy"] - rows[2]["energy"]) < 1e-4, "mirror images of one energy")


def check_seeds(directory):
    """What one seed finds, another one finds, too."""
    path = record(directory, "alanine dipeptide")
    lists = [run_json("search", "-q", "--json", "--starts", 1200, "--seed", s, path) for s in (1, 2)]
    close(lists[0], lists[1], "two seeds", 10)
    hops = run_json("search", "-q", "--json", "--starts", 30, "--kicks", 39, path)
    close(lists[0], hops, "basin hopping", 5)
    equal(hops[0]["count"] > 1, True, "hops come back")


def check_patience(directory):
    path = write(directory, "butane.xyz", BUTANE)
    done = run("search", "--json", "--starts", 2000, "--patience", 25, path)
    counts = sum(json.loads(line)["count"] for line in done.stdout.splitlines())
    check(25 < counts < 200, f"patience ends it: {counts}")
    check("nothing new in 25 relaxations" in done.stderr, f"and says so: {done.stderr}")
    for n in (1, 3):
        again = run("search", "-q", "--json", "--starts", 2000, "--patience", 25, "--threads", n, path)
        equal(again.stdout, done.stdout, f"{n} threads end at the same relaxation")


def check_fixed(directory):
    """Fixed atoms stay where they are, also where kicks have no joint to turn."""
    path = write(directory, "methane.xyz", METHANE)
    rows = run_json("search", "-q", "--json", "--positions", "--starts", 4, "--kicks", 5, "--fix", "0,1", "--seed", 2, path)
    for r in rows:
        equal(r["positions"][:2], [[0, 0, 0], [0.63, 0.63, 0.63]], "fixed atoms after kicks")


PENTANE = """17
pentane
C -2.5 0 0.3
C -1.25 0 -0.5
C 0 0 0.35
C 1.25 0 -0.5
C 2.5 0 0.3
H -3.4 0 -0.3
H -2.5 0.88 0.95
H -2.5 -0.88 0.95
H -1.25 0.88 -1.15
H -1.25 -0.88 -1.15
H 0 0.88 1
H 0 -0.88 1
H 1.25 0.88 -1.15
H 1.25 -0.88 -1.15
H 3.4 0 -0.3
H 2.5 0.88 0.95
H 2.5 -0.88 0.95
"""
DICHLOROETHANE = """8
dichloroethane
C 0.76 0 0
C -0.76 0 0
Cl 1.36 1.67 0
Cl -1.36 -1.67 0
H 1.12 -0.51 0.89
H 1.12 -0.51 -0.89
H -1.12 0.51 0.89
H -1.12 0.51 -0.89
"""


def check_copies(directory):
    """Rows count for all labelled minima: pentane has nine of the ideal chain, cyclohexane 2 chairs and 2 x 3 twist-boats."""
    kt = 8.617333262e-5 * 600
    expected = {"pentane": [1, 2, 2, 1, 1, 2, 2], "butane": [1, 1, 1], "dichloroethane": [1, 1, 1], "cyclohexane": [2, 3, 3]}
    for name, text in (("pentane", PENTANE), ("butane", BUTANE), ("dichloroethane", DICHLOROETHANE), ("cyclohexane", CYCLOHEXANE)):
        path = write(directory, name + ".xyz", text)
        rows = run_json("search", "-q", "--json", "--starts", 200, "--temperature", 600, path)
        equal([r["copies"] for r in rows], expected[name], f"copies of {name}")
        parts = [n * math.exp(-r["relative_energy"] / kt) for n, r in zip(expected[name], rows)]
        for part, r in zip(parts, rows):
            check(abs(r["weight"] - part / sum(parts)) < 1e-9, f"weights of {name}")
    path = f"{directory}/pentane.xyz"
    rows = run_json("search", "-q", "--json", "--starts", 200, "--temperature", 600, "--free-energies", path)
    check(abs(rows[0]["weight"] - 0.397) < 0.005, f"tt by free energies: {rows[0]['weight']}")
    # Half of a pair of mirror images stands for both: two starts of this seed find anti and one gauche form.
    (anti, gauche) = run_json("search", "-q", "--json", "--starts", 2, "--seed", 1, f"{directory}/butane.xyz")
    check(gauche["relative_energy"] > 0.04, "anti and one gauche form")
    equal([anti["copies"], gauche["copies"]], [1, 2], "a mirror image that was not found")


# --- surfaces --------------------------------------------------------------------------------------

def check_free_energy(directory, path, slab):
    """Of a molecule that is held by a surface, as 'modes' has it; without charges, which QEq would find for another geometry."""
    on = ("-q", "--json", "--charges", "none", "--surface", slab, "--grid", "off")
    row = run_json("search", *on, "--starts", 20, "--free-energies", "--positions", path)[0]
    atoms = [f"{z} {x!r} {y!r} {h!r}\n" for z, (x, y, h) in zip("OHH", row["positions"])]
    (found,) = run_json("modes", *on, write(directory, "lowest.xyz", "".join(["3\n\n", *atoms])))
    check(abs(row["energy"] - found["energy"]) < 1e-6, f"the same minimum: {row} {found}")
    check(abs(row["free_energy"] - found["thermochemistry"]["free_energy"]) < 1e-4, f"free energy: {row} {found}")


def check_surface(directory):
    """Water on NaCl: symmetry leaves few minima, the lowest from all seeds, and a picture of them."""
    slab = f"{directory}/salt.xyz"
    equal(run("slab", "-q", "rocksalt", "--size", "2x2", "--layers", 2, "-o", slab).returncode, 0, "slab")
    path = write(directory, "water.xyz", WATER)
    options = ("search", "-q", "--json", "--charges", "qeq", "--surface", slab, "--grid", "off", "--starts", 60)
    lists = [run_json(*options, "--seed", s, path) for s in (1, 2, 3)]
    for others in lists[1:]:
        close(lists[0], others, "seeds on the surface", 1)
    check(len(lists[0]) < 12, f"symmetry leaves few minima: {len(lists[0])}")
    check(lists[0][0]["count"] > 3, "the lowest was found again and again")
    check(-1.5 < lists[0][0]["adsorption_energy"] < -0.1, f"it binds: {lists[0][0]}")
    check(1 < lists[0][0]["lowest_atom"] < 3.5, "near contact")
    alone = run_json("relax", "-q", "--json", "--charges", "qeq", "--fmax", 1e-6, "--precision", "double", path)[0]["energy"]
    for row in lists[0]:
        check(abs(row["energy"] - row["adsorption_energy"] - alone) < 1e-6, f"less the molecule alone, {alone}: {row}")
    check_free_energy(directory, path, slab)
    run(*options, "-o", f"{directory}/on.sdf", "-o", f"{directory}/on.h5", path)
    text = pathlib.Path(f"{directory}/on.sdf").read_text()
    equal(text.count("> <adsorption_energy>"), text.count("$$$$"), "energies of adsorption in the SD file")
    equal(len(run_json("energy", "-q", "--json", f"{directory}/on.h5")), text.count("$$$$"), "and an HDF5 file")
    check(b'"surface":' in pathlib.Path(f"{directory}/on.h5").read_bytes(), "whose header has the options")
    equal(run(*options, "--picture", f"{directory}/sites.svg", path).returncode, 0, "a picture")
    figure = pathlib.Path(f"{directory}/sites.svg").read_text()
    equal([figure.count(f'fill="{colour}"') for colour in ("#ff0d0d", "#e6e6e6")], [1, 2], "with the atoms of the lowest")
    check(f">water: {len(lists[0])} minim" in figure and f"adsorption energy {lists[0][0]['adsorption_energy']:.3f} eV" in figure, "and its name and energy")
    done = run(*options, "--picture", f"{directory}/sites.png", path)
    check(done.returncode == 2 and ".svg" in done.stderr and "plot.sites()" in done.stderr, done.stderr)
    done = run("search", "-q", "--picture", f"{directory}/no.svg", path)
    equal(done.returncode, 2, "a picture needs a surface")


# --- runs ------------------------------------------------------------------------------------------

KINDS = ("sdf", "xyz", "jsonl")


def outputs(directory, name):
    return [word for kind in KINDS for word in ("-o", f"{directory}/{name}.{kind}")]


def contents(directory, name):
    return [hashlib.sha256(pathlib.Path(f"{directory}/{name}.{kind}").read_bytes()).hexdigest() for kind in KINDS]


def check_outputs(directory):
    """Minima as molecules with their numbers, readable again."""
    path = write(directory, "butane.xyz", BUTANE)
    done = run("search", "-q", "--json", "--starts", 30, *outputs(directory, "all"), "-o", f"{directory}/all.h5", path)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    equal(pathlib.Path(f"{directory}/all.jsonl").read_text(), done.stdout, "lines of JSON in a file")
    for kind in ("sdf", "xyz", "h5"):
        found = run_json("energy", "--json", "--device", "ref", f"{directory}/all.{kind}")
        equal([round(r["energy"], 4) for r in found], [round(r["energy"], 4) for r in rows], f"energies of {kind}")
        equal([r["index"] for r in found], [0, 1, 2], f"order of {kind}")
    text = pathlib.Path(f"{directory}/all.sdf").read_text()
    for key in ("search_rank", "search_count", "search_weight", "search_copies", "search_start"):
        equal(text.count(f"<{key}>"), 3, f"{key} in the SD file")
    run("search", "-q", "--starts", 30, "-o", f"{directory}/again.sdf", f"{directory}/all.sdf")
    again = pathlib.Path(f"{directory}/again.sdf").read_text()
    equal(again.count("<search_rank>"), 9, "an earlier search's fields are replaced")
    equal(sorted(f for f in os.listdir(directory) if ".work" in f), [], "no journal is left")


def check_threads(directory):
    path = record(directory, "xylitol")
    options = ("search", "-q", "--starts", 60, "--kicks", 2, "--seed", 3)
    for n in (1, 3):
        run(*options, "--threads", n, *outputs(directory, f"threads{n}"), path)
    equal(contents(directory, "threads1"), contents(directory, "threads3"), "threads change nothing")


def check_resume(directory, kicks):
    """Killed at any moment, it goes on and ends with the same bytes."""
    path = record(directory, "alanine dipeptide")
    options = ("search", "-q", "--starts", 600 // (1 + kicks), "--kicks", kicks, "--seed", 5, "--checkpoint-every", 0.01)
    began = time.monotonic()
    run(*options, *outputs(directory, "whole"), path)
    seconds, kills = time.monotonic() - began, 0
    for attempt in range(200):
        # Early enough for a fast machine, later and later until a run comes to its end.
        patience = seconds * min(0.1 + 0.05 * attempt, 2)
        command = [PROGRAM, *map(str, options), *outputs(directory, "killed"), "--resume", str(path)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            time.sleep(patience)
            if process.poll() is not None:
                equal(process.returncode, 0, f"the last one: {process.stderr.read()}")
                break
            process.send_signal(signal.SIGKILL if kills % 2 == 0 else signal.SIGTERM)
            process.wait()
            kills += 1
    check(kills > 0, "it was killed")
    equal(contents(directory, "killed"), contents(directory, "whole"), f"{kills} kills change nothing")
    other = run(*options[:-4], "--seed", 6, *outputs(directory, "whole"), path)
    equal(other.returncode, 0, "another seed begins anew")


def check_late_stop(directory):
    """Outputs that cannot be written keep all that was computed."""
    path = record(directory, "alanine dipeptide")
    slow = ("search", "-q", "--starts", 60, "-o", f"{directory}/late.sdf", "-o", "/dev/full", "--output-format", "sdf")
    equal(run(*slow, path).returncode, 4, "a full disk")
    check(os.path.exists(f"{directory}/late.sdf.work.checkpoint"), f"a checkpoint: {sorted(os.listdir(directory))}")
    began = time.time()
    equal(run(*slow, "--resume", path).returncode, 4, "still full, and nothing computed again")
    check("going on with system 60" in run(*[w for w in slow if w != "-q"], "--resume", path).stderr, "all are done")
    check(time.time() - began < 60, "at once")


def check_shards(directory):
    """Shards of a search and their merging: the list of the whole, patience, kicks and a molecule that fails included."""
    def path(name):
        return f"{directory}/shards_{name}"

    if run("convert", write(directory, "one.xyz", METHANE), "-o", path("try.h5")).returncode == 3:
        print("  no HDF5 in this build: shards of searches are left out")
        return
    inputs = (write(directory, "bad.xyz", UNTYPED), DEMO)
    slab = path("salt.xyz")
    run("slab", "rocksalt", "NaCl", "--size", "4x4", "--layers", "2", "-o", slab)
    for what, n, files in (
        (("--starts", 40, "--patience", 20), 3, inputs),
        (("--starts", 9, "--kicks", 3, "--patience", 0, "--seed", 5), 2, inputs),
        (("--starts", 12, "--no-polish", "--surface", slab, "--grid", "off"), 4, (DEMO,)),
    ):
        files = files if "--surface" not in what else (write(directory, "butane.xyz", BUTANE),)
        whole = run("search", "-q", *what, *files, "-o", path("whole.sdf"), "-o", path("whole.jsonl"))
        for k in range(n):
            done = run("search", "-q", *what, *files, "--shard", f"{k}/{n}", "-o", path(f"{k}.h5"))
            equal((done.returncode, done.stdout), (0, ""), f"shard {k} of {what}: {done.stderr}")
        merged = run("merge", "-q", "-o", path("all.h5"), *(path(f"{k}.h5") for k in reversed(range(n))))
        equal(merged.returncode, 0, f"merge: {merged.stderr}")
        done = run("search", "-q", *what, *files, "--relaxations", path("all.h5"), "-o", path("out.sdf"), "-o",
                   path("out.jsonl"))
        equal((done.returncode, done.stdout), (whole.returncode, whole.stdout), f"{what}: the list, {done.stderr}")
        for kind in ("sdf", "jsonl"):
            equal(open(path(f"out.{kind}")).read(), open(path(f"whole.{kind}")).read(), f"{what}: {kind}")
    run("merge", "-q", "--partial", "-o", path("some.h5"), path("0.h5"), path("2.h5"))
    done = run("search", "-q", *what, *files, "--relaxations", path("some.h5"))
    check(done.returncode == 4 and "missing" in done.stderr, f"a shard is missing: {done.returncode} {done.stderr}")
    done = run("search", "-q", *what, "--seed", 9, *files, "--relaxations", path("all.h5"))
    check(done.returncode == 2 and "'--seed 9'" in done.stderr, f"of another search: {done.stderr}")
    done = run("search", "-q", "--starts", 40, DEMO, "--relaxations", path("try.h5"))
    check(done.returncode == 2, f"no relaxations: {done.returncode} {done.stderr}")


def check_refusals(directory):
    path = write(directory, "butane.xyz", BUTANE)
    bad = write(directory, "bad.xyz", UNTYPED)
    equal(run("search", "-q", "--starts", 5, bad).returncode, 1, "a molecule without types has no minimum")
    for words in ((), ("-o", f"{directory}/x.sdf"), ("-o", f"{directory}/x.h5", "-o", f"{directory}/y.h5")):
        done = run("search", "-q", "--shard", "0/2", *words, path)
        check(done.returncode == 2 and ".h5" in done.stderr, f"a shard has one file of relaxations: {words} {done.stderr}")
    done = run("search", "-q", "--free-energies", "--no-polish", path)
    check(done.returncode == 2 and "--free-energies" in done.stderr, done.stderr)
    equal(run("search", "-q", "-o", f"{directory}/x.csv", path).returncode, 2, "no CSV")
    equal(run("search", "-q", "-o", f"{directory}/no/x.sdf", path).returncode, 4, "no such folder")
    equal(run("search", "-q", "-o", path, path).returncode, 2, "not over the input")
    rows = run_json("search", "-q", "--json", "--starts", 20, bad, path, code=1)
    equal({r["molecule"] for r in rows}, {1}, "the others go on")


with tempfile.TemporaryDirectory() as scratch:
    check_butane(scratch)
    check_rings(scratch)
    check_seeds(scratch)
    check_patience(scratch)
    check_fixed(scratch)
    check_copies(scratch)
    check_surface(scratch)
    check_outputs(scratch)
    check_threads(scratch)
    check_resume(scratch, 0)
    check_resume(scratch, 3)
    check_late_stop(scratch)
    check_shards(scratch)
    check_refusals(scratch)
finish()
