# SPDX-License-Identifier: BSD-3-Clause
# shoal md: rows, trajectories as xyz and HDF5, copies and exchange, systems that fly apart, runs that are killed and
# gone on with, ranks of MPI.
import math
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

from program import METHANE, PROGRAM, TOP, WATER, UNTYPED, check, equal, finish, near, run, run_json, write

DEMO = TOP / "examples" / "demo.sdf"
BOLTZMANN = 8.617333262145179e-5  # eV/K
ASE_TIME = 10.18050571  # fs
# Two atoms without a bond between them, and no room.
NEAR = ("near\n\n\n  2  0  0  0  0  0  0  0  0  0999 V2000\n"
        "    0.0000    0.0000    0.0000 Ar  0  0\n    1.2000    0.0000    0.0000 Ar  0  0\nM  END\n$$$$\n")
KEYS = ("time_fs", "etot0", "etot", "drift", "temperature_mean", "temperature_err")


def frames(path):
    """(comment as a dictionary, rows of numbers) of every frame."""
    lines = pathlib.Path(path).read_text().splitlines()
    found = []
    while lines:
        n = int(lines[0])
        words = dict(w.split("=", 1) for w in lines[1].replace('" ', '"\n').split() if "=" in w)
        found.append((lines[1], words, [line.split() for line in lines[2:2 + n]]))
        lines = lines[2 + n:]
    return found


def check_rows(directory):
    """What the issue of a run is, on standard output and in files."""
    water = write(directory, "water.xyz", WATER + METHANE)
    rows = run_json("md", "--json", "-q", "--steps", 400, "--stride", 4, "--seed", 3, water)
    equal([r["status"] for r in rows], ["ok", "ok"], "they come to the end")
    for row in rows:
        check(all(math.isfinite(row[k]) for k in KEYS), f"numbers: {row}")
        equal((row["time_fs"], row["steps"], row["samples"]), (200, 400, 101), "length of the run")
        near(row["etot"], row["etot0"], 0.02, "energy is kept")
    equal([r["dof"] for r in rows], [3, 9], "degrees of freedom")
    again = run_json("md", "--json", "-q", "--steps", 400, "--stride", 4, "--seed", 3, "--threads", 1, water)
    equal(again, rows, "threads do not matter")
    other = run_json("md", "--json", "-q", "--steps", 400, "--stride", 4, "--seed", 4, water)
    check(other[0]["etot0"] != rows[0]["etot0"], "the seed matters")
    table = run("md", "--steps", 100, water)
    check("etot0" in table.stdout and "water" in table.stdout and "systems came to the end" in table.stderr,
          f"a table: {table.stdout} {table.stderr}")
    for words, text in ((("--thermostat", "frob"), "langevin"), (("--temperature", "x"), "300:600"),
                        (("--temperature", "1:2:3"), "--anneal"), (("--exchange", "10"), "--temperatures"),
                        (("--remove-motion", "5", "--thermostat", "langevin"), "--remove-motion"),
                        (("--seed", "-3"), "--seed"), (("--seed", "9" * 30), "--seed"),
                        (("--temperature", "300:600"), "--thermostat"), (("--anneal", "1:2:3"), "--thermostat"),
                        (("--hydrogen-mass", "30"), "--hydrogen-mass"),
                        (("--dt", "60", "--thermostat", "nose-hoover"), "tau"), (("-o", f"{directory}/x.sdf"), ".extxyz"),
                        (("--temperatures", "300,400", "--temperature", "300"), "--temperatures"),
                        (("--temperatures", "300,400,500", "--copies", "4"), "a multiple"),
                        (("--temperatures", "300", "--exchange", "5", "--thermostat", "langevin"), "two copies")):
        done = run("md", *words, water)
        equal((done.returncode, text in done.stderr), (2, True), f"{words}: {done.stderr}")


def check_trajectory(directory):
    """Frames say what ASE needs: momenta in its unit, masses, energies."""
    water = write(directory, "w.xyz", WATER)
    out = f"{directory}/traj.xyz"
    (row,) = run_json("md", "--json", "-q", "--steps", 100, "--stride", 10, "--hydrogen-mass", 3, "-o", out, water)
    found = frames(out)
    equal(len(found), 11, "frames")
    for k, (comment, words, atoms) in enumerate(found):
        check("Properties=species:S:1:pos:R:3:forces:R:3:momenta:R:3:masses:R:1" in comment, f"columns: {comment}")
        equal(float(words["time_fs"]), 5.0 * k, "time")
        kinetic = 0
        for atom in atoms:
            p, mass = [float(x) for x in atom[7:10]], float(atom[10])
            kinetic += sum(x * x for x in p) / (2 * mass)  # eV in ASE's units
        near(kinetic, float(words["kinetic_energy"]), 1e-7, "kinetic energy by momenta")
        near(float(words["md_temperature"]), 2 * kinetic / (row["dof"] * BOLTZMANN), 1e-3, "temperature")
    equal([float(a[10]) for a in found[0][2]][1:], [3, 3], "heavier hydrogens")
    near(float(found[0][2][0][10]), 15.999 - 2 * (3 - 1.008), 2e-3, "and a lighter oxygen")
    near(float(found[-1][1]["energy"]) + float(found[-1][1]["kinetic_energy"]), row["etot"], 1e-12, "the last frame")
    # Velocities belong to the coordinates: the central difference tells them to the square of the step.
    fine = f"{directory}/fine.xyz"
    run("md", "-q", "--steps", 4, "--dt", 0.1, "--stride", 1, "-o", fine, water)
    f = [atoms for _, _, atoms in frames(fine)]
    for a in range(3):
        for k in range(3):
            middle = (float(f[2][a][1 + k]) - float(f[0][a][1 + k])) / 0.2
            v = float(f[1][a][7 + k]) / float(f[1][a][10]) / ASE_TIME
            near(v, middle, 2e-5, "velocity of whole steps")
    rows = run_json("energy", "--json", "-q", "--device", "cpu", out)
    equal(len(rows), 11, "the trajectory is read again")
    near(rows[5]["energy"], float(found[5][1]["energy"]), 1e-12, "and gives its energies")


def check_velocities(directory):
    """A run that begins with the momenta of a frame goes on as the one that wrote it."""
    path = write(directory, "methane.xyz", METHANE)
    common = ("md", "--json", "-q", "--dt", 0.5, "--stride", 50, "--seed", 3, "--temperature", 300)
    whole = run_json(*common, "--steps", 100, "-o", f"{directory}/whole.xyz", "-o", f"{directory}/whole.h5", path)[0]
    text = pathlib.Path(f"{directory}/whole.xyz").read_text().splitlines(keepends=True)
    n = int(text[0]) + 2
    middle = write(directory, "middle.xyz", "".join(text[n:2 * n]))
    for source, k in ((middle, 0), (f"{directory}/whole.xyz", 1), (f"{directory}/whole.h5", 1)):
        rest = run_json(*common, "--steps", 50, "--velocities", "file", source)[k]
        equal(rest["dof"], whole["dof"], "without overall motion")
        near(rest["etot0"], whole["etot"], 1e-3, f"{source}: total energy is kept")
        near(rest["energy"], whole["energy"], 1e-6, f"{source}: the same end")
    (row,) = run_json(*common, "--steps", 2, "--velocities", "file", path, code=1)
    check(row["status"] == "untyped" and "no momenta" in row["reason"], row)
    done = run(*common, "--velocities", "none", path)
    check(done.returncode == 2 and "drawn" in done.stderr, done.stderr)
    frame = [line.split() for line in text[n:2 * n]]
    frame[2][-2] = "much"
    done = run("energy", "--strict", write(directory, "bad.xyz", text[n] + text[n + 1] + "\n".join(map(" ".join, frame[2:])) + "\n"))
    check("bad momentum" in done.stderr, done.stderr)


def check_hdf5(directory):
    if "hdf5" not in run("--version").stdout:
        return
    water = write(directory, "h.xyz", WATER + METHANE)
    h5, xyz = f"{directory}/t.h5", f"{directory}/t.xyz"
    done = run("md", "-q", "--steps", 60, "--stride", 20, "-o", h5, "-o", xyz, water)
    equal(done.returncode, 0, f"HDF5: {done.stderr}")
    rows = run_json("energy", "--json", "-q", "--device", "cpu", h5)
    found = frames(xyz)
    equal((len(rows), len(found)), (8, 8), "frames of both")
    for row, (_, words, _) in zip(rows, found):
        near(row["energy"], float(words["energy"]), 1e-12, "a frame of HDF5")
    try:
        import h5py
    except ImportError:
        return
    with h5py.File(h5) as f:
        equal(list(f["systems/time"][:4]), [0, 10, 20, 30], "times")
        equal(f["atoms/velocity"].shape, (4 * 3 + 4 * 5, 3), "velocities")
        near(f["systems/kinetic"][1], float(found[1][1]["kinetic_energy"]), 1e-12, "kinetic energy")


def check_copies(directory):
    """Copies begin with other velocities; a system does not care what stands beside it."""
    methane = write(directory, "m.xyz", METHANE)
    rows = run_json("md", "--json", "-q", "--steps", 200, "--copies", 5, methane)
    equal([(r["index"], r["copy"], r["record"]) for r in rows], [(k, k, 0) for k in range(5)], "numbers")
    equal(len({r["etot0"] for r in rows}), 5, "copies differ")
    both = run_json("md", "--json", "-q", "--steps", 200, write(directory, "mw.xyz", METHANE + WATER))
    equal(both[0]["etot"], rows[0]["etot"], "the first one is what it is in another file")
    words = ("md", "--json", "-q", "--steps", 2000, "--thermostat", "langevin", "--friction", 0.05,
             "--temperatures", "300,400,500", "--exchange", 100, methane)
    rows = run_json(*words)
    equal(sorted(r["bath"] for r in rows), [300, 400, 500], "temperatures change hands")
    check(all(0 < r["exchanges"] <= r["exchanges_tried"] for r in rows), f"exchanges: {rows}")
    ramp = run_json("md", "--json", "-q", "--steps", 500, "--thermostat", "nose-hoover", "--temperature", "300:600",
                    methane)
    equal(ramp[0]["bath"], 600, "end of a ramp")
    plain = run_json("md", "--json", "-q", "--steps", 2000, "--thermostat", "nose-hoover", "--tau", 20, methane)
    check(abs(plain[0]["conserved_drift"]) < 20 and plain[0]["fluctuation"] > 0.02, f"a chain: {plain}")


def check_small_molecules(directory):
    """A Nose-Hoover chain brings the smallest molecules to the temperature of the bath, and none of them stays away."""
    text = "2\nHCl\nH 0 0 0\nCl 0 0 1.29\n2\nN2\nN 0 0 0\nN 0 0 1.1\n"
    rows = run_json("md", "--json", "-q", "--steps", 40000, "--copies", 24, "--thermostat", "nose-hoover", "--seed", 1,
                    write(directory, "two.xyz", text))
    for name in ("HCl", "N2"):
        kelvin = [r["temperature_mean"] for r in rows if r["name"] == name]
        mean = sum(kelvin) / len(kelvin)
        equal(len(kelvin), 24, f"copies of {name}")
        check(abs(mean - 300) < 15, f"{name}: {mean} K on average")
        check(all(abs(t - 300) < 75 for t in kelvin), f"{name}: {min(kelvin)} to {max(kelvin)} K")
    check(all(abs(r["conserved_drift"]) < 1 for r in rows), "what the chain keeps, with the heat of its end")


def check_shards(directory):
    """Trajectories of shards are merged frame by frame, also where one shard was run twice."""
    words = ["md", "-q", DEMO, "--steps", "30", "--stride", "10", "--copies", "2"]
    kinds = ("xyz", "h5") if "hdf5" in run("--version").stdout else ("xyz",)
    for kind in kinds:
        run(*words, "-o", f"{directory}/whole.{kind}")
        for k in range(3):
            run(*words, "--shard", f"{k}/3", "-o", f"{directory}/shard{k}.{kind}")
        done = run("merge", "-q", "-o", f"{directory}/merged.{kind}", *(f"{directory}/shard{k}.{kind}" for k in (2, 0, 1, 0)))
        equal(done.returncode, 0, f"merge of trajectories: {done.stderr}")
    equal(pathlib.Path(f"{directory}/merged.xyz").read_bytes(), pathlib.Path(f"{directory}/whole.xyz").read_bytes(),
          "trajectories: merged = whole")
    if "h5" not in kinds:
        return
    for name in ("merged", "whole"):
        run("convert", "-q", f"{directory}/{name}.h5", "-o", f"{directory}/{name}.h5.xyz")
    equal(pathlib.Path(f"{directory}/merged.h5.xyz").read_bytes(), pathlib.Path(f"{directory}/whole.h5.xyz").read_bytes(),
          "trajectories in HDF5: merged = whole")


def check_failures(directory):
    paths = (write(directory, "bad.xyz", METHANE + UNTYPED), write(directory, "near.sdf", NEAR),
             write(directory, "good.xyz", WATER))
    rows = run_json("md", "--json", "-q", "--steps", 300, *paths, code=1)
    equal([r["status"] for r in rows], ["ok", "untyped", "unstable", "ok"], "statuses")
    check("shorter time step" in rows[2]["reason"] and "step" in rows[2]["reason"], f"reason: {rows[2]}")
    heavy = run_json("md", "--json", "-q", "--steps", 10, "--hydrogen-mass", 5, *paths, code=1)
    check(heavy[0]["status"] == "untyped" and "amu" in heavy[0]["reason"] and heavy[3]["status"] == "ok",
          f"masses: {heavy[0]}")
    held = run_json("md", "--json", "-q", "--steps", 200, "--fix", "0", "--positions",
                    write(directory, "fix.xyz", WATER))
    equal((held[0]["positions"][0], held[0]["dof"]), ([0, 0, 0.1173], 6), "an atom that is held")


def kill_at_checkpoint(words, checkpoint):
    """Killed when a checkpoint has a state; false if the run was done before."""
    process = subprocess.Popen([PROGRAM] + [str(w) for w in words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    began = time.time()
    while process.poll() is None and time.time() - began < 60:
        if os.path.exists(checkpoint) and os.path.getsize(checkpoint) > 4000:
            process.send_signal(signal.SIGKILL)
            process.wait()
            return True
        time.sleep(0.02)
    process.kill()
    process.wait()
    return False


def check_resume(directory):
    """A run that is killed in the middle of its systems goes on there, and its files are those of a whole one."""
    whole, part = f"{directory}/whole", f"{directory}/part"
    more = ("h5",) if "hdf5" in run("--version").stdout else ()
    outputs = tuple(w for k in ("xyz", "jsonl", *more) for w in ("-o", f"{part}.{k}"))
    molecules = write(directory, "r.xyz", (WATER + METHANE) * 3)
    for steps in (60000, 300000, 1500000):  # a fast machine may be done before it is looked at
        words = ("md", "-q", "--steps", steps, "--stride", steps // 120, "--thermostat", "langevin", "--checkpoint-every",
                 "0.05", "--threads", 2, molecules)
        killed = kill_at_checkpoint(words + outputs, f"{part}.xyz.checkpoint")
        if killed:
            break
    check(killed, "killed in the middle")
    done = run(*words, *(w for k in ("xyz", "jsonl", *more) for w in ("-o", f"{whole}.{k}")))
    equal(done.returncode, 0, f"whole: {done.stderr}")
    size = os.path.getsize(f"{part}.xyz.checkpoint") if killed else 0
    check(size > 4000, f"a checkpoint with a state: {size} bytes")
    rest = run(words[0], *words[2:], *outputs, "--resume")
    equal(rest.returncode, 0, f"resume: {rest.stderr[-300:]}")
    made = re.search(r"(\d+) steps in", rest.stderr)
    check(made and int(made[1]) < 6 * steps - 500, f"not all steps are made again: {rest.stderr[-300:]}")
    for kind in ("xyz", "jsonl"):
        check(pathlib.Path(f"{whole}.{kind}").read_bytes() == pathlib.Path(f"{part}.{kind}").read_bytes(),
              f"the same {kind}")
    if more:
        rows = [run("convert", "-q", f"{stem}.h5", "-o", "-", "--output-format", "xyz").stdout for stem in (whole, part)]
        equal(len(rows[0].splitlines()) > 6 * 121 * 3, True, "frames in HDF5")
        check(rows[0] == rows[1], "the same frames in HDF5")


def check_stops(directory):
    """However often a run is stopped, its checkpoint has one state of every system."""
    out = f"{directory}/stops.xyz"
    words = ("md", "-q", "--steps", 100000000, "--stride", 5000, "--threads", 1, "--checkpoint-every", "0.05", "-o", out,
             write(directory, "s.xyz", METHANE))
    for _ in range(3):
        done = run(*words, "--resume", "--max-hours", 0.0001)
        equal(done.returncode, 75, f"stopped: {done.stderr}")
    equal(pathlib.Path(f"{out}.checkpoint").read_bytes().count(b"shoalmd2"), 1, "states")


def check_bench():
    for what in ("md", "langevin"):
        (row,) = run_json("bench", "--what", what, "--systems", 8, "--steps", 50, "--repeats", 1, "--json")
        check(row["what"] == what and row["steps_per_s"] > 0, f"bench: {row}")


def check_ranks(directory):
    if not shutil.which("mpirun") or not (pathlib.Path(PROGRAM).parent / "shoal_mpi.so").exists():
        print("ranks are left out: no mpirun, or built without MPI")
        return
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_rmaps_base_oversubscribe="1")
    words = ["md", "-q", "--threads", "1", "--steps", "500", "--copies", "3", str(DEMO)]
    one, two = f"{directory}/one", f"{directory}/two"
    equal(run(*words, "-o", f"{one}.xyz", "-o", f"{one}.jsonl").returncode, 0, "one process")
    done = subprocess.run(["mpirun", "-n", "2", PROGRAM, *words, "-o", f"{two}.xyz", "-o", f"{two}.jsonl"],
                          env=environment, capture_output=True, text=True, timeout=120)
    equal(done.returncode, 0, f"two ranks: {done.stderr[-300:]}")
    for kind in ("xyz", "jsonl"):
        check(pathlib.Path(f"{one}.{kind}").read_bytes() == pathlib.Path(f"{two}.{kind}").read_bytes(),
              f"ranks give the same {kind}")


with tempfile.TemporaryDirectory() as place:
    check_rows(place)
    check_trajectory(place)
    check_hdf5(place)
    check_copies(place)
    check_small_molecules(place)
    check_shards(place)
    check_failures(place)
    check_velocities(place)
    check_resume(place)
    check_stops(place)
    check_ranks(place)
    check_bench()
finish()
