# SPDX-License-Identifier: BSD-3-Clause
# Runs the program under test (first argument) and counts what held and what did not.
import json
import math
import pathlib
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
CASES = TOP / "tests" / "cases"
PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())

WATER = "3\nwater\nO 0 0 0.1173\nH 0 0.7572 -0.4692\nH 0 -0.7572 -0.4692\n"
METHANE = (
    "5\nmethane\nC 0 0 0\nH 0.63 0.63 0.63\nH 0.63 -0.63 -0.63\nH -0.63 0.63 -0.63\n"
    "H -0.63 -0.63 0.63\n"
)
# No UFF type: the table ends before rutherfordium.
UNTYPED = "1\nheavy\nRf 0 0 0\n"

passed = 0
failures = []


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


def check(condition, text):
    global passed
    if condition:
        passed += 1
    else:
        failures.append(text)
        print(f"failed: {text}")


def equal(got, want, text):
    check(got == want, f"{text}: {got!r}, expected {want!r}")


def near(got, want, tolerance, text):
    check(math.isfinite(got) and abs(got - want) <= tolerance, f"{text}: {got!r}, expected {want!r}")


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def finish():
    print(f"{passed} passed, {len(failures)} failed")
    sys.exit(1 if failures or passed == 0 else 0)


def write(directory, name, text):
    """A file of text or bytes; returns its path."""
    path = pathlib.Path(directory) / name
    if isinstance(text, bytes):
        path.write_bytes(text)
    else:
        path.write_text(text)
    return path
