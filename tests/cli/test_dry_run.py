# SPDX-License-Identifier: BSD-3-Clause
# --dry-run of energy and relax: a plan, and nothing else.
import pathlib
import tempfile

import program

DEMO = program.TOP / "examples" / "demo.sdf"


def check_plans():
    for verb in ("energy", "relax"):
        for device in ("cpu", "ref", "shadow:cpu"):
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


check_plans()
check_files()
program.finish()
