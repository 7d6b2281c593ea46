# SPDX-License-Identifier: BSD-3-Clause
# The command `shoal` of the Python package: the C program, and `shoal report`.
"""Apart from the package, so that the program starts without numpy."""

from __future__ import annotations

import os
import pathlib
import sys


def program_path() -> pathlib.Path:
    """The C program: what SHOAL_PROGRAM names, otherwise that of the package."""
    named = os.environ.get("SHOAL_PROGRAM")
    return pathlib.Path(named or pathlib.Path(__file__).parent / "shoal" / "bin" / "shoal")


def report(arguments: list[str]) -> int:
    """`shoal report`, which is written in Python."""
    try:
        from shoal import report as module
    except ImportError as error:
        print(f"shoal report: {error}: the package is not complete", file=sys.stderr)
        return 4
    return module.main(arguments) or 0


def main() -> int:
    """Becomes the C program: arguments, output, exit status and signals are its own."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["report"]:
        return report(arguments[1:])
    program = program_path()
    try:
        os.execv(program, ["shoal", *arguments])
    except OSError as error:
        print(f"shoal: cannot start {program}: {error.strerror}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
