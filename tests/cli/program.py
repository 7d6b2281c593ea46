# SPDX-License-Identifier: BSD-3-Clause
# Runs the program under test (first argument) and counts what held and what did not.
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests"))
from checks import check, equal, finish  # noqa: E402

CASES = TOP / "tests" / "cases"
PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())

WATER = "3\nwater\nO 0 0 0.1173\nH 0 0.7572 -0.4692\nH 0 -0.7572 -0.4692\n"
METHANE = (
    "5\nmethane\nC 0 0 0\nH 0.63 0.63 0.63\nH 0.63 -0.63 -0.63\nH -0.63 0.63 -0.63\n"
    "H -0.63 -0.63 0.63\n"
)
# No UFF type: the table ends before rutherfordium.
UNTYPED = "1\nheavy\nRf 0 0 0\n"


def run(*arguments, stdin=None, cwd=None):
    """The finished process; stdin is text."""
    command = [PROGRAM] + [str(a) for a in arguments]
    return subprocess.run(command, input=stdin, cwd=cwd, capture_output=True, text=True)


def refuse_constant(text):
    raise ValueError(f"{text} is no JSON")


def run_json(*arguments, code=0, stdin=None, cwd=None):
    """One object per line of stdout; the exit code must be the expected one, or 0 or 1 if it is None."""
    done = run(*arguments, stdin=stdin, cwd=cwd)
    wanted = done.returncode if code is None and done.returncode in (0, 1) else code
    equal(done.returncode, wanted, f"exit code of {' '.join(map(str, arguments))}: {done.stderr}")
    return [json.loads(line, parse_constant=refuse_constant) for line in done.stdout.splitlines()]


def energies(*arguments, code=0, stdin=None, cwd=None):
    """Results of `shoal energy --json` in double precision."""
    return run_json("energy", "--json", "--device", "ref", *arguments, code=code, stdin=stdin, cwd=cwd)


def near(got, want, tolerance, text):
    check(math.isfinite(got) and abs(got - want) <= tolerance, f"{text}: {got!r}, expected {want!r}")


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def torsion(positions, i, j, k, l):
    """Of four atoms, in degrees."""

    def sub(a, b):
        return [x - y for x, y in zip(a, b)]

    def cross(a, b):
        return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]

    def dot(a, b):
        return sum(x * y for x, y in zip(a, b))

    a, b, c = sub(positions[i], positions[j]), sub(positions[k], positions[j]), sub(positions[l], positions[k])
    n, m = cross(a, b), cross(c, b)
    return math.degrees(math.atan2(-dot(n, c) * math.sqrt(dot(b, b)), dot(n, m)))


def run_each(tasks):
    """Calls every task with a directory of its own, and finishes."""
    with tempfile.TemporaryDirectory() as top:
        for k, task in enumerate(tasks):
            directory = f"{top}/{k}"
            os.mkdir(directory)
            task(directory)
    finish()


def write(directory, name, text):
    """A file of text or bytes; returns its path."""
    path = pathlib.Path(directory) / name
    if isinstance(text, bytes):
        path.write_bytes(text)
    else:
        path.write_text(text)
    return path


def python_with_h5py():
    """A Python that has h5py, None: there is none."""
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and subprocess.run([python, "-c", "import h5py"], capture_output=True).returncode == 0:
            return python
    return None


def call(python, program, *arguments, stdin=None):
    """What a program in that Python prints."""
    done = subprocess.run([python, "-c", program, *map(str, arguments)], capture_output=True, text=True, input=stdin)
    equal(done.returncode, 0, f"h5py: {done.stderr[-300:]}")
    return done.stdout
