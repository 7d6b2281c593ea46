# SPDX-License-Identifier: BSD-3-Clause
# --dry-run of energy and relax: a plan, and nothing else.
import os
import pathlib
import subprocess
import sys
import tempfile

import program

DEMO = program.TOP / "examples" / "demo.sdf"


def check_plans():
    for verb in ("energy", "relax"):
        for device in ("cpu", "ref", "shadow:cpu"):
            if (verb, device) == ("relax", "ref"):
                continue
            (plan,) = program.run_json(verb, "--dry-run", "--json", "--device", device, DEMO)
            program.equal(plan["systems"], 12, f"systems of {verb} on {device}")
            program.equal(plan["atoms"], 281, f"atoms of {verb} on {device}")
            program.equal(plan["device_bytes"], 0, "memory of a device other than the processor")
            program.check(plan["host_bytes"] > 0 and plan["slices"] == 1, "memory and parts")


def check_files():
    with tempfile.TemporaryDirectory() as place:
        done = program.run("relax", "--dry-run", DEMO, "-o", pathlib.Path(place) / "out.xyz")
        program.equal(done.returncode, 0, "exit code")
        program.check("12 small" in done.stdout, "the table tells the schedule")
        program.check(not list(pathlib.Path(place).iterdir()), "no file is written")


def check_ref():
    """What a run refuses, a dry run refuses too, in the same words."""
    runs = [program.run("relax", "--device", "ref", DEMO, *dry) for dry in ((), ("--dry-run",))]
    program.equal([r.returncode for r in runs], [3, 3], "exit codes of relax on ref")
    program.equal(runs[1].stderr, runs[0].stderr, "what they say")


def taken(*options):
    """KiB that a run took at the most; less where its threads did not come to work at the same time."""
    child = subprocess.Popen([program.PROGRAM, *map(str, options)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, used = os.wait4(child.pid, 0)
    return used.ru_maxrss


def check_memory():
    """Close to what runs take, molecules, topologies and all, whatever the number of threads."""
    molecules = DEMO.read_text()
    with tempfile.TemporaryDirectory() as place:
        path = program.write(place, "many.sdf", molecules * 150)
        for verb in (("energy",), ("relax", "--max-steps", "1")):
            for threads in ("2", "16"):
                options = (*verb, "--threads", threads, "--json")
                (plan,) = program.run_json(*options, "--dry-run", path)
                ratio = plan["host_bytes"] / 1024 / max(taken(*options, "-q", path) for _ in range(3))
                program.check(0.7 < ratio < 1.3,
                              f"{verb[0]}, {threads} threads: planned {ratio:.2f} of what was taken")


def check_device_memory():
    """A batch larger than the memory allowed runs in parts."""
    if program.run("energy", "--device", "opencl:cpu", DEMO).returncode == 3:
        print("no OpenCL here: --device-memory is left out")
        return
    with tempfile.TemporaryDirectory() as place:
        path = program.write(place, "many.sdf", DEMO.read_text() * 60)
        options = ("relax", "-q", "--json", "--device", "opencl:cpu", "--max-steps", "3")
        (plan,) = program.run_json(*options, "--dry-run", "--device-memory", "1", path)
        program.check(plan["slices"] > 3, f"slices of 1 MiB: {plan}")
        whole, parts = (program.run(*options, *extra, path).stdout
                        for extra in ((), ("--device-memory", "1")))
        program.check(whole and whole == parts, "the same bits from parts")
    program.equal(program.run("energy", "--device-memory", "0", DEMO).returncode, 2, "no memory")


check_plans()
check_device_memory()
check_ref()
if sys.platform == "linux":
    check_memory()
check_files()
program.finish()
