# SPDX-License-Identifier: BSD-3-Clause
"""The program of the same build, whose numbers the tests of jobs compare with."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = TOP / "examples"


def program_path():
    """SHOAL_PROGRAM, the program beside the library that is used, or that of the build."""
    library = os.environ.get("SHOAL_LIBRARY", "")
    places = [
        os.environ.get("SHOAL_PROGRAM", ""),
        os.path.join(os.path.dirname(library), "shoal"),
        str(TOP / "build" / "shoal"),
        shutil.which("shoal") or "",
    ]
    for place in places:
        if place and os.path.isfile(place):
            return place
    pytest.skip("no shoal program to compare with: SHOAL_PROGRAM may name one")


def rows_of(*arguments):
    """Lines of JSON that the program prints; it may end with 1, where some systems failed."""
    done = subprocess.run(
        [program_path(), *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]
