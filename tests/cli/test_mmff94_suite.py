# SPDX-License-Identifier: BSD-3-Clause
# MMFF94 against logs of its validation suite, where they are at hand, by tools/check_mmff94.py.
import os
import pathlib
import subprocess
import sys

from program import PROGRAM, TOP, check, finish, skip


def find_set():
    places = [os.environ.get("SHOAL_MMFF94_DIR"), TOP.parent / "shared" / "data" / "mmff94"]
    for place in places:
        if place and (pathlib.Path(place) / "MMFF94_reference.log.xz").is_file():
            return str(place)
    skip("no validation suite; SHOAL_MMFF94_DIR may name its folder")


def test_suite(_):
    for variant, first in (("mmff94", "60"), ("mmff94s", "0")):
        command = [sys.executable, TOP / "tools" / "check_mmff94.py", PROGRAM, find_set()]
        run = subprocess.run([*command, variant, first, "60"], capture_output=True, text=True)
        check(run.returncode == 0, run.stdout + run.stderr)


test_suite(None)
finish()
