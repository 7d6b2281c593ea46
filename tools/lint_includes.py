#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Dependencies point one way, read off the #include lines.
"""base < geom < chem < {ff, io} < surf < batch < {cl, mpi} < backend < engine < {embed, results} < stream <
{jobs, fit} < cli.

A module may include itself and lower ranks, never its equals. cli and examples see include/shoal
only; benchmarks and tests may look inside. The ref backend is an independent witness: it includes neither kernels/,
constants apart, nor the other backends."""

import pathlib

import source_tree

RANK = {
    "base": 0,
    "geom": 1,
    "chem": 2,
    "ff": 3,
    "io": 3,
    "surf": 4,
    "batch": 5,
    "cl": 6,
    "mpi": 6,
    "backend": 7,
    "engine": 8,
    "embed": 9,
    "results": 9,
    "stream": 10,
    "jobs": 11,
    "fit": 11,
}
# The lowest module that may know a public header.
PUBLIC = {
    "status.h": "base",
    "text.h": "base",
    "json.h": "base",
    "units.h": "base",
    "version.h": "base",
    "molecule.h": "chem",
    "topology.h": "ff",
    "atom_types.h": "io",
    "io.h": "io",
    "surface.h": "surf",
    "grid.h": "surf",
    "fit.h": "fit",
    "batch.h": "batch",
    "engine.h": "batch",
    "compare.h": "backend",
    "device.h": "cl",
}
OUTSIDE = ("cli", "examples")


def allowed_in_module(module, name):
    parts = pathlib.PurePosixPath(name).parts
    if parts[0] == "shoal":
        target = PUBLIC.get(parts[-1])
        if target is None:
            return parts[-1] != "shoal.h"
        # Public headers of one rank may meet: ff and io both describe molecules.
        return RANK[target] <= RANK[module]
    if len(parts) == 1 or parts[0] not in RANK:
        return True
    return parts[0] == module or RANK[parts[0]] < RANK[module]


def check_source(path, number, name, kernels):
    module = path.parts[1]
    if module not in RANK:
        return f"{path}: no module src/{module} is known to tools/lint_includes.py"
    if not allowed_in_module(module, name):
        return f'{path}:{number}: src/{module} must not include "{name}"'
    if path.parts[1:3] == ("backend", "ref"):
        other = name.startswith(("backend/cpu/", "backend/opencl/", "kernels/"))
        shared = pathlib.PurePosixPath(name).name in kernels and name != "constants.h"
        if other or shared:
            return f'{path}:{number}: the ref backend must not include "{name}"'
    return None


def check_guards(top, path):
    """Headers that include <hdf5.h> are included only where there is one: a build may be without."""
    within = []  # conditions that are open
    for number, line in enumerate((top / path).read_text().splitlines(), 1):
        words = line.replace("#", "# ").split()
        if words[:1] != ["#"]:
            continue
        if words[1].startswith("if"):
            within.append(" ".join(words[1:]))
        elif words[1] in ("else", "elif"):
            within[-1] = " ".join(words[1:])
        elif words[1] == "endif":
            within.pop()
        elif words[1] == "include" and '"base/hdf5_' in line and "ifdef SHOAL_HAVE_HDF5" not in within:
            yield f"{path}:{number}: {words[2]} outside #ifdef SHOAL_HAVE_HDF5"


def check_outside(top, path, number, name):
    if name.startswith("shoal/") or (top / path.parent / name).is_file():
        return None
    return f'{path}:{number}: {path.parts[0]} uses include/shoal only, not "{name}"'


def main():
    top = source_tree.root()
    paths = [p for p in source_tree.files(top) if p.suffix in source_tree.C_SUFFIXES]
    kernels = {p.name for p in paths if p.parts[0] == "kernels"}
    findings = []
    for path in paths:
        if path.parts[0] == "src" and not path.name.startswith("hdf5_"):
            findings += check_guards(top, path)
        for number, kind, name in source_tree.includes(top / path):
            if kind == "<" and not name.startswith("shoal/"):
                continue
            if path.parts[0] == "src":
                findings.append(check_source(path, number, name, kernels))
            elif path.parts[0] in OUTSIDE:
                findings.append(check_outside(top, path, number, name))
            elif path.parts[0] == "include" and not name.startswith("shoal/"):
                findings.append(f'{path}:{number}: a public header must not include "{name}"')
    source_tree.report([f for f in findings if f])


if __name__ == "__main__":
    main()
