#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Since which version each name of include/shoal stands: data/since.tsv.
"""Checks that the table has every function, type, constant and macro of the headers, and nothing else.
lint_since.py --update [ROOT]: adds what is new with the version of the tree, and takes out what is gone."""

import pathlib
import re
import sys

import make_c_reference
import source_tree

TABLE = pathlib.Path("data/since.tsv")
HEAD = "# Names of include/shoal and the version since which each stands; tools/lint_since.py --update adds new ones.\n"
VERSION = re.compile(r"\d+\.\d+")


def declared(top):
    """Names that the headers declare, constants of enums included."""
    names = set()
    for items in make_c_reference.headers(top).values():
        for item in items:
            names |= {one.name for one in make_c_reference.each([item]) if one.name}
            if item.kind == "enum":
                names |= {re.match(r"\w+", code).group() for code, _ in item.members}
    return names


def current(top):
    text = (top / "include/shoal/version.h").read_text(encoding="utf-8")
    return VERSION.search(re.search(r'SHOAL_VERSION "(.*)"', text).group(1)).group()


def number(version):
    return tuple(int(part) for part in version.split("."))


def check(top):
    names, table, now = declared(top), make_c_reference.since_table(top), current(top)
    for name in sorted(names - table.keys()):
        yield f"{TABLE}: {name} is not there (tools/lint_since.py --update)"
    for name in sorted(table.keys() - names):
        yield f"{TABLE}: {name} is in no header (tools/lint_since.py --update)"
    for name, version in sorted(table.items()):
        if not VERSION.fullmatch(version) or number(version) > number(now):
            yield f"{TABLE}: {name} stands since {version}, expected {now} or earlier"


def update(top):
    table, now = make_c_reference.since_table(top), current(top)
    rows = [f"{name}\t{table.get(name, now)}\n" for name in sorted(declared(top))]
    (top / TABLE).write_text(HEAD + "".join(rows), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--update"]:
        update(source_tree.root(sys.argv[2:]))
    else:
        source_tree.report(list(check(source_tree.root())))
