# SPDX-License-Identifier: BSD-3-Clause
# shoal modes: frequencies, what is left out, thermochemistry, frames of modes, mistakes; killed and resumed, in shards,
# by two ranks and on all devices it gives the same.
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import time

from program import METHANE, PROGRAM, TOP, UNTYPED, WATER, check, equal, finish, near, run, run_json, write

TYPES = (TOP / "tests" / "cases" / "types.sdf").read_text()
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1")
DIOXIDE = "3\ndioxide\nO 1.2 0.01 0\nC 0 0 0\nO -1.2 0 0\n"
# Golden; python/tests/test_modes_rdkit.py has the same from RDKit's forces.
GOLDEN = {"water": [1757.398, 3705.948, 3759.590], "dioxide": [904.084, 904.084, 1065.797, 2040.120],
          "methane": [1309.957] * 3 + [1467.248] * 2 + [2783.169] + [2941.624] * 3}


def modes(*arguments, code=0):
    return run_json("modes", "--json", "-q", *arguments, code=code)


def check_rows(directory):
    """Golden frequencies, and what stands around them."""
    path = write(directory, "in.xyz", WATER + DIOXIDE + METHANE + UNTYPED)
    rows = modes(path, code=1)
    equal([r["status"] for r in rows], ["converged"] * 3 + ["untyped"], "statuses")
    check("frequencies_cm1" not in rows[3] and rows[3]["reason"], "an untyped system has a reason and no modes")
    for row, name in zip(rows, GOLDEN):
        equal(len(row["frequencies_cm1"]), len(GOLDEN[name]), f"{name}: modes")
        for got, want in zip(row["frequencies_cm1"], GOLDEN[name]):
            near(got, want, 0.01, f"{name}: frequency")
        equal((row["verdict"], row["order"], row["linear"]), ("minimum", 0, name == "dioxide"), name)
        equal(row["removed"], 5 if name == "dioxide" else 6, f"{name}: translations and rotations")
        check(0 < row["error_cm1"] < 0.01 and row["fmax"] <= 1e-6, f"{name}: error")
        gas = row["thermochemistry"]
        equal((gas["kind"], gas["symmetry_found"], gas["temperature"]), ("ideal gas", True, 298.15), name)
        equal(gas["symmetry_number"], 12 if name == "methane" else 2, f"{name}: symmetry number")
        near(gas["zero_point"], sum(row["frequencies_cm1"]) * 1.239841984e-4 / 2, 1e-9, f"{name}: zero point")
        near(gas["free_energy"], gas["enthalpy"] - 298.15 * gas["entropy"], 1e-9, f"{name}: free energy")
    table = run("modes", "-q", path).stdout
    check("minimum" in table and "3759.590" in table and "symmetry number 12 (found)" in table, table[:600])


def check_options(directory):
    """Geometry kept, heavy hydrogen, a given symmetry number, another unit."""
    path = write(directory, "water.xyz", WATER)
    (kept,) = modes("--no-relax", "--positions", path)
    equal((kept["status"], kept["verdict"], kept["positions"][0]), ("ok", "not stationary", [0, 0, 0.1173]), "--no-relax")
    equal(kept["thermochemistry"]["free_energy"], None, "no thermochemistry away from a minimum")
    (loose,) = modes("--no-relax", "--fmax", "5", path)
    equal(loose["verdict"], "minimum", "--fmax decides what is stationary")
    (light,) = modes(path)
    (heavy,) = modes(write(directory, "heavy.xyz", WATER.replace("H", "D")))
    near(heavy["frequencies_cm1"][2] / light["frequencies_cm1"][2], 0.7346, 0.002, "heavy water")
    (mixed,) = modes(write(directory, "mixed.xyz", WATER.replace("H", "D", 1)))
    equal((light["thermochemistry"]["symmetry_number"], mixed["thermochemistry"]["symmetry_number"]), (2, 1), "isotopes")
    (given,) = modes("--symmetry-number", "1", "--temperature", "500", "--pressure", "2", path)
    gas = given["thermochemistry"]
    equal((gas["symmetry_number"], gas["symmetry_found"], gas["temperature"], gas["pressure_pa"]),
          (1, False, 500, 202650), "given numbers")
    for words, code in ((("--precision", "float"), 2), (("--step", "0.7"), 2), (("--temperature", "0"), 2),
                        (("--temperature", "1.1e6"), 2), (("--temperature", "1e308"), 2),
                        (("--device", "ref"), 3), (("--modes-out", f"{directory}/m.sdf"), 2), (("--frames", "0"), 2),
                        (("--frames", "2"), 2), (("--amplitude", "1", "--modes-out", f"{directory}/m.xyz"), 2),
                        (("--no-relax", "--max-steps", "9"), 2), (("--no-relax", "--method", "fire"), 2)):
        done = run("modes", *words, path)
        equal(done.returncode, code, f"{words}: {done.stderr}")
        check(done.stderr.startswith("shoal: "), f"{words} are explained")


def check_held(directory):
    """On a surface, with fixed atoms and in a cell."""
    path, slab = write(directory, "water.xyz", WATER), f"{directory}/sheet.xyz"
    equal(run("slab", "graphene", "--size", "4x4", "-q", "-o", slab).returncode, 0, "a sheet")
    (row,) = modes("--surface", slab, "--height", "3", "--grid", "off", path)
    equal((row["removed"], len(row["frequencies_cm1"])), (0, 9), "on a surface")
    equal(row["thermochemistry"]["kind"], "harmonic", "on a surface")
    check(row["frequencies_cm1"][5] < 400, "six slow ones on a surface")
    (row,) = modes("--fix", "element:O", path)
    equal((row["removed"], len(row["frequencies_cm1"]), row["verdict"]), (0, 6, "minimum"), "a fixed atom")
    boxed = WATER.replace("water", 'Lattice="12 0 0 0 12 0 0 0 12" pbc="T T T"')
    (row,) = modes(write(directory, "box.xyz", boxed))
    equal((row["removed"], len(row["frequencies_cm1"])), (3, 6), "in a cell")
    near(row["frequencies_cm1"][5], GOLDEN["water"][2], 0.5, "in a cell")


def read_frames(path):
    lines, frames = pathlib.Path(path).read_text().splitlines(), []
    while lines:
        n = int(lines[0])
        frames.append((lines[1], [line.split() for line in lines[2:2 + n]]))
        lines = lines[2 + n:]
    return frames


def check_frames(directory):
    """One frame for each mode, or one period."""
    path, out = write(directory, "in.xyz", WATER + METHANE), f"{directory}/modes.xyz"
    rows = modes(path, "--modes-out", out)
    frames = read_frames(out)
    equal(len(frames), 12, "a frame for each mode")
    check("displacement:R:3" in frames[0][0] and "frequency_cm1=1757.39" in frames[0][0], frames[0][0])
    for comment, atoms in frames:
        near(sum(float(x) ** 2 for a in atoms for x in a[4:7]), 1, 1e-9, f"length of {comment}")
    masses = {"O": 15.999, "H": 1.008}
    for x in range(3):
        near(sum(masses[a[0]] * float(a[4 + x]) for a in frames[2][1]), 0, 1e-6, "the centre stays")
    modes(path, "--modes-out", out, "--frames", "8", "--amplitude", "0.3")
    frames = read_frames(out)
    equal(len(frames), 96, "eight frames for each mode")
    way = [[float(b) - float(a) for a, b in zip(p[1:4], q[1:4])] for p, q in zip(frames[0][1], frames[2][1])]
    near(max(sum(x * x for x in d) for d in way) ** 0.5, 0.3, 1e-9, "the amplitude")
    equal([r["index"] for r in rows], [0, 1], "rows")
    again = run_json("energy", "--json", "--explain", "--record", "90", out)
    equal([(r["index"], r["status"]) for r in again], [(90, "ok")], "a frame explained")


def outputs(stem):
    return [w for kind in ("jsonl", "sdf", "csv") for w in ("-o", f"{stem}.{kind}")] + ["--modes-out", f"{stem}.xyz"]


def contents(stem):
    return [pathlib.Path(f"{stem}.{kind}").read_bytes() for kind in ("jsonl", "sdf", "csv", "xyz")]


def check_kills(directory):
    """Killed again and again, in shards and by two ranks: the same bytes."""
    path = write(directory, "many.sdf", TYPES * 25)
    base = [PROGRAM, "modes", "-q", path, "--threads", "2", "--checkpoint-every", "0.02"]
    began = time.monotonic()
    whole = subprocess.run(base + outputs(f"{directory}/whole"), capture_output=True, text=True)
    seconds = time.monotonic() - began
    check(whole.returncode in (0, 1), f"a whole run: {whole.stderr[-300:]}")
    rng, kills = random.Random(3), 0
    for _ in range(200):
        part = subprocess.Popen(base + ["--resume"] + outputs(f"{directory}/part"), stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True)
        try:
            part.wait(rng.uniform(0.3, 0.9) * seconds if kills < 6 else 600)
        except subprocess.TimeoutExpired:
            part.kill()
            kills += 1
        part.communicate()
        if part.returncode in (0, 1):
            break
    check(kills > 0, "no run was killed")
    check(contents(f"{directory}/part") == contents(f"{directory}/whole"), f"killed {kills} times")
    one = run("modes", "-q", path, "--threads", "1", "-o", f"{directory}/one.jsonl")
    check(one.returncode == whole.returncode, "one thread")
    check(pathlib.Path(f"{directory}/one.jsonl").read_bytes() == contents(f"{directory}/whole")[0], "one thread, two")
    shards = [f"{directory}/shard{k}.jsonl" for k in range(3)]
    for k, shard in enumerate(shards):
        run("modes", "-q", path, "--shard", f"{k}/3", "-o", shard)
    run("merge", "-q", "-o", f"{directory}/merged.jsonl", *shards)
    check(pathlib.Path(f"{directory}/merged.jsonl").read_bytes() == contents(f"{directory}/whole")[0], "three shards")
    if not shutil.which("mpirun") or not (pathlib.Path(PROGRAM).parent / "shoal_mpi.so").exists():
        print("no mpirun, or no plugin for it: two ranks were not tried")
        return
    ranks = subprocess.run(["mpirun", "-n", "2"] + base[:-2] + outputs(f"{directory}/ranks"), env=ENVIRONMENT,
                           capture_output=True, text=True, timeout=300)
    equal(ranks.returncode, whole.returncode, f"two ranks: {ranks.stderr[-300:]}")
    check(contents(f"{directory}/ranks") == contents(f"{directory}/whole"), "two ranks")


def check_devices(directory):
    """ref and OpenCL find what the cpu finds."""
    path, there = write(directory, "in.xyz", WATER + DIOXIDE + METHANE), f"{directory}/there.xyz"
    equal(run("relax", "-q", "--fmax", "1e-7", "--precision", "double", path, "-o", there).returncode, 0, "relaxed")
    cpu = modes("--no-relax", there)
    for device in ("ref", "opencl:pocl"):
        done = run("modes", "--json", "-q", "--no-relax", "--device", device, there)
        if done.returncode == 3:
            print(f"{device} was not tried: {done.stderr.strip()}")
            continue
        rows = modes("--no-relax", "--device", device, there)
        for a, b in zip(cpu, rows):
            for x, y in zip(a["frequencies_cm1"], b["frequencies_cm1"]):
                near(y, x, 1e-5, f"{device}: {a['name']}")
        if device != "ref":
            for a, b in zip(cpu, modes("--device", device, path)):
                for x, y in zip(a["frequencies_cm1"], b["frequencies_cm1"]):
                    near(y, x, 1e-2, f"{device}, relaxed: {a['name']}")


with tempfile.TemporaryDirectory() as top:
    for number, test in enumerate((check_rows, check_options, check_held, check_frames, check_kills, check_devices)):
        place = f"{top}/{number}"
        os.mkdir(place)
        test(place)
finish()
