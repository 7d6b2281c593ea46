# SPDX-License-Identifier: BSD-3-Clause
# The project's own files as the lint_*.py checks see them, and how a check reports.
"""Every check is run as `python3 tools/lint_NAME.py [ROOT]` and exits 1 if it finds something."""

import pathlib
import re
import subprocess
import sys

C_SUFFIXES = (".c", ".h", ".cl", ".inc")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def root(words=None):
    """The tree that the first of the words names (those of the command, unless they are given), or the one that this
    file is in, whatever the working folder is."""
    words = sys.argv[1:] if words is None else words
    return pathlib.Path(words[0]).resolve() if words else pathlib.Path(__file__).resolve().parents[1]


def files(top):
    """Paths relative to top of what belongs to the project: known to git, or new and not ignored.
    Without git (an unpacked archive), everything outside build directories."""
    if (top / ".git").exists():
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listing = subprocess.run(command, cwd=top, check=True, capture_output=True, text=True)
        names = [pathlib.PurePosixPath(n) for n in listing.stdout.split("\0") if n]
    else:
        names = [pathlib.PurePosixPath(p.relative_to(top).as_posix()) for p in top.rglob("*")]
        names = [n for n in names if not n.parts[0].startswith("build") and "__pycache__" not in n.parts]
    return sorted(n for n in set(names) if (top / n).is_file())


def includes(path):
    """(line number, quote or angle, name) of every #include line of a file."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1), match.group(2)


def report(findings):
    """Prints the findings and ends the program: 0 without any, otherwise 1."""
    for finding in findings:
        print(finding)
    name = pathlib.Path(sys.argv[0]).stem
    print(f"{name}: {len(findings)} finding(s)" if findings else f"{name}: ok")
    sys.exit(1 if findings else 0)
