#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The interface of include/shoal against the one that data/abi.tsv describes.
"""Red when a struct, an enum, a function or a number is not as it was recorded. While the recorded version is open,
lint_abi.py --update [ROOT] records what there is. Once it is out (--release [ROOT] says so), nothing may change until the version
is raised: by a minor one for additions and, before 1.0, for all else; from 1.0 on all else asks for a major one."""

import pathlib
import re
import sys

import public_functions
import public_types
import source_tree

TABLE = pathlib.Path("data/abi.tsv")
STATES = ("open", "released")


def type_text(kind):
    if kind.call:
        return f"{type_text(kind.call.returns)}({', '.join(type_text(k) for _, k in kind.call.parameters)})"
    return f"{'const ' if kind.const else ''}{kind.base}{'*' * kind.pointers}{''.join(f'[{s}]' for s in kind.sizes)}"


def current(top):
    """{(kind, name): description} of the headers."""
    header, rows = public_types.declared(top), {}
    for name, fields in header.structs.items():
        rows["struct", name] = "; ".join(f"{type_text(kind)} {field}" for field, kind in fields)
    for name, values in header.enums.items():
        label = name if isinstance(name, str) else next(iter(values))
        rows["enum", label] = "; ".join(f"{constant}={value}" for constant, value in values.items())
    for name, call in header.callbacks.items():
        rows["callback", name] = type_text(public_types.Type("", call=call))
    for name, value in header.numbers.items():
        if not name.startswith("SHOAL_VERSION"):
            rows["number", name] = repr(value)
    for f in public_functions.declared(top):
        rows["function", f.name] = f"{f.returns}({', '.join(p.type for p in f.parameters)})"
    return {key: " ".join(text.split()) for key, text in rows.items()}


def version_of(top):
    text = (top / "include/shoal/version.h").read_text(encoding="utf-8")
    return re.search(r'#define SHOAL_VERSION "(\d+\.\d+\.\d+)', text).group(1)


def recorded(top):
    """(version, state, {(kind, name): description})."""
    lines = [line for line in (top / TABLE).read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    head = lines[0].split("\t")
    rows = (line.split("\t") for line in lines[1:])
    return head[1], head[2], {(kind, name): text for kind, name, text in rows}


def number(version):
    return tuple(int(part) for part in version.split("."))


def allowed(before, now, only_added):
    """Whether a version may differ from the one before it as it does."""
    (major, minor, _), (new_major, new_minor, _) = number(before), number(now)
    if new_major > major:
        return True
    return new_major == major and new_minor > minor and (major == 0 or only_added)


def differences(was, now):
    for key in sorted(was.keys() | now.keys()):
        if was.get(key) != now.get(key):
            what = "is new" if key not in was else "is gone" if key not in now else "is not as it was"
            yield key, what


def check(top):
    version, state, was = recorded(top)
    now, changes = version_of(top), list(differences(was, current(top)))
    if state not in STATES:
        yield f"{TABLE}: the state of {version} is '{state}', expected one of {STATES}"
    if number(now) < number(version):
        yield f"{TABLE}: describes {version}, the headers are {now}"
    only_added = all(what == "is new" for _, what in changes)
    if state == "released" and changes and allowed(version, now, only_added):
        return
    hint = "tools/lint_abi.py --update" if state == "open" else f"{version} is out: raise the version in version.h"
    for (kind, name), what in changes:
        yield f"include/shoal: {kind} {name} {what} ({hint})"


def write(top, version, state, rows):
    lines = ["# The interface of a version, as tools/lint_abi.py reads it from include/shoal.", f"version\t{version}\t{state}"]
    lines += [f"{kind}\t{name}\t{text}" for (kind, name), text in sorted(rows.items())]
    (top / TABLE).write_text("\n".join(lines) + "\n", encoding="utf-8")


def update(top):
    """Refused while the version that is recorded is out."""
    if (top / TABLE).exists():
        version, state, was = recorded(top)
        changes = list(differences(was, current(top)))
        if state == "released" and not allowed(version, version_of(top), all(w == "is new" for _, w in changes)):
            sys.exit(f"lint_abi: {version} is out, and {version_of(top)} may not differ from it as it does: raise the version")
    write(top, version_of(top), "open", current(top))


def release(top):
    findings = list(check(top))
    if findings:
        source_tree.report(findings)
    write(top, version_of(top), "released", current(top))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--update"]:
        update(source_tree.root(sys.argv[2:]))
    elif sys.argv[1:2] == ["--release"]:
        release(source_tree.root(sys.argv[2:]))
    else:
        source_tree.report(list(check(source_tree.root())))
