#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Names, lengths, first lines and wording of the project's files, and links between documents.
import pathlib
import re

import source_tree

CODE = (".c", ".h", ".cl", ".py")
TEXT = CODE + (".md", ".txt", ".cmake", ".json", ".yaml", ".cff", ".tsv", "")
HOMELESS = re.compile(r"^(utils?|misc|common|helpers?)$", re.IGNORECASE)
# Bracketed letters keep this file from finding itself.
UNDONE = re.compile(r"\b(T[O]DO(?!\(#\d+\))|FIX[M]E|X[X]X|H[A]CK)\b|[n]ot implemented")
ABSOLUTE = re.compile(r"(?<![\w./:<>*)\]}$~%+-])/([a-z_]+)/[\w.]", re.IGNORECASE)
SYSTEM = {"usr", "bin", "dev", "proc", "etc", "sys"}
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def line_limit(path):
    if path.parts[0] == "kernels" or path.suffix == ".cl":
        return 400
    if path.parts[0] == "include":
        return 350
    return 1000


def check_code(path, lines):
    first = lines[0] if lines else ""
    if first.startswith("#!"):
        first = lines[1] if len(lines) > 1 else ""
    if "SPDX-License-Identifier: BSD-3-Clause" not in first:
        yield f"{path}:1: the first line must name the licence (SPDX-License-Identifier)"
    generated = any(" Made by tools/" in line for line in lines[:2])
    if len(lines) > line_limit(path) and not generated:
        yield f"{path}: {len(lines)} lines, at most {line_limit(path)}: split it by noun"


def check_wording(path, lines):
    for number, line in enumerate(lines, 1):
        if UNDONE.search(line):
            yield f"{path}:{number}: unfinished work needs an issue number: {line.strip()}"
        for match in ABSOLUTE.finditer(line):
            if match.group(1) not in SYSTEM:
                yield f"{path}:{number}: path of one machine: {line.strip()}"


def check_spacing(path, lines):
    for number, line in enumerate(lines, 1):
        if line != line.rstrip():
            yield f"{path}:{number}: trailing white space"
        if "\t" in line and path.suffix in CODE:
            yield f"{path}:{number}: tab"


def check_links(top, path, lines):
    for number, line in enumerate(lines, 1):
        for target in LINK.findall(line):
            if "://" not in target and not (top / path.parent / target).exists():
                yield f"{path}:{number}: no such file: {target}"


def check_file(top, path):
    for part in path.parts:
        if HOMELESS.match(pathlib.PurePosixPath(part).stem):
            yield f"{path}: '{part}' names no noun; find its functions a home"
    is_input = path.parts[0] == "tests" and ({"cases", "corpus"} & set(path.parts))
    is_image = path.parts[:2] == ("packaging", "container")  # has places of its own
    is_asset = path.parts[:3] == ("python", "shoal", "assets")  # works of others, and pages
    if path.suffix not in TEXT or is_input or is_asset:
        return
    lines = (top / path).read_text(encoding="utf-8").splitlines()
    if path.suffix in CODE:
        yield from check_code(path, lines)
    if not is_image:
        yield from check_wording(path, lines)
    yield from check_spacing(path, lines)
    if path.suffix == ".md":
        yield from check_links(top, path, lines)


def main():
    top = source_tree.root()
    source_tree.report([f for path in source_tree.files(top) for f in check_file(top, path)])


if __name__ == "__main__":
    main()
