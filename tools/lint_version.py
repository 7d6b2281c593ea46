#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# One version everywhere: CMake's project, the macros of include/shoal/version.h, CITATION.cff, recipes.
import re

import set_version
import source_tree

PROJECT = re.compile(r"^project\(shoal VERSION (\d+)\.(\d+)\.(\d+)", re.MULTILINE)
# Where recipes of other packagers and the entry to cite name it; tools/set_version.py writes all of them.
RECIPES = {"packaging/conda/recipe.yaml": 'version: "{}"', "packaging/spack/package.py": 'version("{}", ', "docs/citing.md": "version = {{{}}},"}
PARTS = ("MAJOR", "MINOR", "PATCH")


def macro(text, name):
    match = re.search(rf"^#define {name} (.+)$", text, re.MULTILINE)
    return match.group(1).strip() if match else None


def check(top):
    project = PROJECT.search((top / "CMakeLists.txt").read_text())
    if not project:
        yield "CMakeLists.txt: no line project(shoal VERSION x.y.z ..)"
        return
    version = ".".join(project.groups())
    wanted = {f"SHOAL_VERSION_{part}": value for part, value in zip(PARTS, project.groups())}
    wanted["SHOAL_VERSION"] = f'"{version}"'
    header = (top / "include/shoal/version.h").read_text()
    for name, value in wanted.items():
        if macro(header, name) != value:
            yield f"include/shoal/version.h: {name} is {macro(header, name)}, CMake says {value}"
    citation = (top / "CITATION.cff").read_text()
    if f"\nversion: {version}\n" not in citation:
        yield f"CITATION.cff: no line 'version: {version}'"
    for name, words in RECIPES.items():
        if words.format(version) not in (top / name).read_text():
            yield f"{name}: no {words.format(version)}"
    library = f"libshoal{set_version.interface(version)}"
    if f"Package: {library}\n" not in (top / "packaging/debian/control").read_text():
        yield f"packaging/debian/control: no Package: {library}"
    if not (top / f"packaging/debian/{library}.install").exists():
        yield f"packaging/debian: no {library}.install"


if __name__ == "__main__":
    source_tree.report(list(check(source_tree.root())))
