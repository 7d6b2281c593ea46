# SPDX-License-Identifier: BSD-3-Clause
# Shoal as its users start it: a program, from file to file.
import functools
import json
import pathlib
import subprocess
import tempfile
import time

NAME = "Shoal"
KCAL = 0.0433641042418  # eV


def version(arguments):
    return subprocess.run([arguments.shoal, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]


def relax(arguments, forcefield):
    with tempfile.TemporaryDirectory() as place:
        out = pathlib.Path(place) / "out.jsonl"
        words = [arguments.shoal, "relax", "-q", "--json", "--threads", "1", "--device", arguments.shoal_device, "--forcefield",
                 forcefield, arguments.file]
        start = time.perf_counter()
        with open(out, "w", encoding="utf-8") as file:
            done = subprocess.run(words, stdout=file, check=False)
        seconds = time.perf_counter() - start
        rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    if done.returncode not in (0, 1) or not rows:
        raise RuntimeError(f"exit code {done.returncode}")
    good = [row for row in rows if row["status"] == "converged"]
    return {"seconds": seconds, "device": f"{arguments.shoal_device}, 1 thread", "energies": [row["energy"] / KCAL for row in good],
            "converged": f"fmax 0.001 eV/A: {len(good)} of {len(rows)}"}


def runs(arguments):
    return [(name, functools.partial(relax, arguments, name)) for name in ("uff", "mmff94")]
