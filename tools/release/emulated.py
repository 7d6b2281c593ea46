# SPDX-License-Identifier: BSD-3-Clause
# What another machine gets, tried on this one by qemu-user: emulated.py MACHINE SDIST WHEEL NATIVE_WHEEL DEMO.sdf DOWNLOADS.
"""The program of the wheel gives what that of this machine's wheel gives, to the last bit, and unit tests that need no device pass, built from
the sdist against the same sysroot."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

import sysroot
import wheel as wheels

COMMANDS = (
    ("energy", "--json", "--forces"), ("energy", "--json", "--precision", "double"), ("energy", "--json", "--forcefield", "mmff94"),
    ("relax", "--json", "--positions"), ("relax", "--json", "--method", "fire", "--precision", "double"), ("types", "--json"),
    ("md", "--json", "--steps", "100", "--thermostat", "langevin", "--seed", "1"), ("modes", "--json", "--precision", "double"),
)
SECONDS = 900  # of a unit test, emulated


def needed(machine):
    """Programs that are missing, with the packages of Debian that have them."""
    wanted = {f"{machine}-linux-gnu-gcc": f"gcc-{machine}-linux-gnu", f"qemu-{machine}": "qemu-user"}
    return [package for name, package in wanted.items() if not shutil.which(name)]


def program(wheel, place):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place)
    path = place / "shoal/bin/shoal"
    path.chmod(0o755)
    return path


def printed(command, words, demo):
    done = subprocess.run([*map(str, command), *words, "-q", str(demo)], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        raise SystemExit(f"release: {command[-1]} {' '.join(words)}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def compare(native, emulated, demo):
    """Lines of JSON of both, byte by byte."""
    for words in COMMANDS:
        if printed(native, words, demo) != printed(emulated, words, demo):
            raise SystemExit(f"release: shoal {' '.join(words)}: other bits than on {sysroot.NATIVE}")
    return len(COMMANDS)


def unit_tests(sdist, place, machine, downloads):
    """Built and run; the last lines of ctest."""
    root, toolchain, _ = sysroot.make(place, downloads, machine)
    source, build = wheels.unpacked(sdist, place), place / "tests"
    options = {"CMAKE_TOOLCHAIN_FILE": toolchain, "CMAKE_BUILD_TYPE": "Release", "HDF5_ROOT": root / "usr", "SHOAL_MPI": "OFF",
               "SHOAL_OPENCL": "OFF", "SHOAL_TESTS": "ON"}
    words = [f"-D{name}={value}" for name, value in options.items()]
    jobs = str(os.cpu_count())
    sysroot.run("cmake", "-S", source, "-B", build, "-G", "Ninja", *words, stdout=subprocess.DEVNULL)
    sysroot.run("cmake", "--build", build, "--parallel", jobs, "--target", "unit_tests", stdout=subprocess.DEVNULL)
    done = subprocess.run(["ctest", "--test-dir", str(build), "-R", "^unit\\.", "-j", jobs, "--timeout", str(SECONDS)],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"release: unit tests of {machine}:\n{done.stdout[-4000:]}")
    return [line for line in done.stdout.splitlines() if "tests passed" in line]


def attempt(machine, sdist, wheel, native, demo, downloads):
    with tempfile.TemporaryDirectory(prefix="shoal-emulated-") as name:
        place = pathlib.Path(name).resolve()
        root = place / "machine"
        sysroot.unpack(root, downloads, machine)
        command = [*sysroot.emulator(root, machine), program(wheel, place / "emulated")]
        n = compare([program(native, place / "native")], command, demo)
        print(f"{machine}: {n} commands on {demo.name} give the bits of {sysroot.NATIVE}")
        print(f"{machine}: unit tests by qemu:", *unit_tests(sdist, place / "unit", machine, downloads))


if __name__ == "__main__":
    attempt(sys.argv[1], *(pathlib.Path(word).resolve() for word in sys.argv[2:]))
