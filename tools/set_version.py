#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Gives the tree another version: set_version.py 1.0.0 [ROOT]
"""Every place that names the version, the shared library and its package, the date of the changelog, and the tables that follow from headers. tools/lint_version.py finds a
place that is forgotten; docs/release.md says what else a version needs."""

import datetime
import re
import subprocess
import sys

import source_tree

FORM = re.compile(r"\d+\.\d+\.\d+")
# Files that hold the version as it is.
WHOLE = ("CMakeLists.txt", "CITATION.cff", "include/shoal/version.h", "docs/citing.md", "docs/python/install.md", "packaging/conda/recipe.yaml",
         "packaging/spack/package.py")
TRANSCRIPTS = ("tests/transcripts", "python/tests/transcripts")
# Files that hold the version of the interface: 0.1, and from 1.0 on the first number.
LIBRARY = ("docs/library.md", "docs/release.md", "packaging/debian/control", "packaging/debian/rules")
FOUND_BY_CMAKE = ("docs/library.md", "examples/CMakeLists.txt", "tests/install/test_install.py")
MACROS = ("MAJOR", "MINOR", "PATCH")


def interface(version):
    """What stands behind libshoal.so, as cmake/libraries.cmake has it."""
    major, minor, _ = version.split(".")
    return f"{major}.{minor}" if major == "0" else major


def minor_of(version):
    return version.rpartition(".")[0]


def replace(path, pairs):
    text = path.read_text(encoding="utf-8")
    for old, new in pairs:
        text = re.sub(old, new, text)
    path.write_text(text, encoding="utf-8")


def set_whole(top, old, new):
    exact = [(rf"(?<![\d.]){re.escape(old)}(?![\d])", new)]
    paths = [top / name for name in WHOLE]
    paths += [path for folder in TRANSCRIPTS for path in sorted((top / folder).glob("*.txt"))]
    for path in paths:
        replace(path, exact)
    macros = [(rf"(#define SHOAL_VERSION_{name}) \d+", rf"\1 {number}") for name, number in zip(MACROS, new.split("."))]
    replace(top / "include/shoal/version.h", macros)


def set_library(top, old, new):
    was, now = re.escape(interface(old)), interface(new)
    for name in LIBRARY:
        replace(top / name, [(rf"libshoal{was}(?![\d.]*\d)", f"libshoal{now}"), (rf"libshoal\.so\.{was}(?![\d.]*\d)", f"libshoal.so.{now}")])
    folder = top / "packaging/debian"
    for path in sorted(folder.glob(f"libshoal{interface(old)}.*")):
        path.rename(folder / path.name.replace(f"libshoal{interface(old)}.", f"libshoal{now}.", 1))
    for name in FOUND_BY_CMAKE:
        replace(top / name, [(rf"find_package\(shoal {re.escape(minor_of(old))}(?!\d)", f"find_package(shoal {minor_of(new)}")])


def set_changelog(top, new):
    today = datetime.date.today().isoformat()
    path = top / "CHANGELOG.md"
    text, n = re.subn(r"^## \[[\d.]+\] - unreleased$", f"## [{new}] - {today}", path.read_text(encoding="utf-8"), count=1, flags=re.MULTILINE)
    if n != 1:
        raise SystemExit("set_version: CHANGELOG.md: no heading '## [x.y.z] - unreleased'")
    path.write_text(text, encoding="utf-8")


def main(new, top):
    if not FORM.fullmatch(new):
        raise SystemExit(f"set_version: {new}: expected x.y.z")
    header = (top / "include/shoal/version.h").read_text(encoding="utf-8")
    old = re.search(r'#define SHOAL_VERSION "(.*)"', header).group(1)
    if tuple(map(int, new.split("."))) < tuple(map(int, old.split("."))):
        raise SystemExit(f"set_version: the tree is {old}, which is later than {new}")
    set_changelog(top, new)
    set_whole(top, old, new)
    set_library(top, old, new)
    for words in (["lint_abi.py", "--update"], ["make_python_abi.py"]):
        subprocess.run([sys.executable, top / "tools" / words[0], *words[1:]], check=True, cwd=top)
    print(f"set_version: {old} -> {new}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    main(sys.argv[1], source_tree.root(sys.argv[2:]))
