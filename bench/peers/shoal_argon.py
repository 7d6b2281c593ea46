# SPDX-License-Identifier: BSD-3-Clause
# Shoal's program: all crystals of a file at once.
import functools
import json
import pathlib
import subprocess
import tempfile
import time

import argon
from shoal_program import NAME, version  # noqa: F401  # the driver asks for them


def dynamics(arguments, precision):
    with tempfile.TemporaryDirectory() as place:
        path = pathlib.Path(place) / "argon.xyz"
        argon.write(path, argon.crystals(arguments.systems))
        words = [arguments.shoal, "md", "-q", "--json", "--threads", "1", "--device", arguments.shoal_device, "--precision", precision]
        words += ["--steps", arguments.steps, "--dt", argon.STEP, "--temperature", 0, "--stride", arguments.steps, path]
        start = time.perf_counter()
        done = subprocess.run([str(w) for w in words], capture_output=True, text=True, check=False)
        seconds = time.perf_counter() - start
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    # At rest before the first step, all of the energy is potential.
    made = argon.row(arguments, seconds, [r["etot0"] for r in rows], [r["energy"] for r in rows], "switched from 10 to 12 A")
    return {**made, "device": f"{arguments.shoal_device}, 1 thread"}


def runs(arguments):
    return [(precision, functools.partial(dynamics, arguments, precision)) for precision in ("float", "double")]
