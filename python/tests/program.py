# SPDX-License-Identifier: BSD-3-Clause
"""The program of the same build, whose numbers the tests of jobs compare with."""

import json
import os
import pathlib
import shutil
import signal
import subprocess

import pytest

from shoal._lib import lib

TOP = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = TOP / "examples"


def program_path():
    """SHOAL_PROGRAM, the program beside the library that is used, or that of the build."""
    lib.load()
    beside = pathlib.Path(lib.path).parent
    named = [os.environ.get("SHOAL_PROGRAM"), beside / "shoal", beside.parent / "bin" / "shoal"]
    for place in [*named, TOP / "build" / "shoal", shutil.which("shoal")]:
        if place and os.path.isfile(place) and os.access(place, os.X_OK):
            return str(place)
    pytest.skip("no shoal program to compare with: SHOAL_PROGRAM may name one")


def rows_of(*arguments):
    """Lines of JSON that the program prints; it may end with 1, where some systems failed."""
    done = subprocess.run(
        [program_path(), *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def stop_when(reached):
    """A progress function that is Ctrl-C as soon as reached(info) is true."""
    return lambda _part, info: reached(info) and signal.raise_signal(signal.SIGINT)
