# SPDX-License-Identifier: BSD-3-Clause
"""Results for chemiscope (https://chemiscope.org): structures and a map of their properties.

The input of chemiscope is JSON, which is written here without the chemiscope package.
"""

from __future__ import annotations

import gzip
import json
import os
from typing import Any

import numpy as np

from ._lib import ArgumentError
from .picture import element_symbol
from .view import View, view

# column -> name, unit, description
PROPERTIES = {
    "energy": ("energy", "eV", "energy at the end"),
    "energy0": ("energy before", "eV", "energy before the relaxation"),
    "adsorption_energy": (
        "adsorption energy",
        "eV",
        "energy less that of the molecule alone, relaxed",
    ),
    "fmax": ("fmax", "eV/Å", "largest force on a free atom"),
    "steps": ("steps", "", "evaluations of the relaxation"),
    "natoms": ("atoms", "", "number of atoms"),
    "time": ("time", "fs", "time of the frame"),
    "kinetic": ("kinetic energy", "eV", "kinetic energy of the frame"),
}


def to_chemiscope(
    results: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    name: str | None = None,
    forces: bool = False,
    charges: bool = False,
) -> dict[str, Any]:
    """Results (or a file of results) as the input of chemiscope: a dict, and a file where path
    names one (``.json`` or ``.json.gz``).

    Systems without atoms or energies are left out; the description says how many. Properties are
    those of systems: energies (eV), by term, fmax (eV/angstrom), steps, status, coordinates of a
    scan (angstrom, degrees). forces, charges: also those of atoms, as length of the force
    (eV/angstrom) and charge (e).
    """
    run = view(results)
    energy = np.asarray(run.columns["systems/energy"], dtype=float)
    rows = np.flatnonzero((np.diff(run.columns["atoms/starts"]) > 0) & np.isfinite(energy))
    if len(rows) == 0:
        raise ArgumentError("to_chemiscope: there are no systems with atoms and energies")
    left_out = len(run) - len(rows)
    said = f"{len(rows)} systems" + (
        f"; {left_out} without energies were left out" if left_out else ""
    )
    properties = _system_properties(run, rows)
    properties.update(_atom_properties(run, rows, forces, charges))
    data: dict[str, Any] = {
        "meta": {"name": name or _name(run), "description": said},
        "structures": [_structure(run, i) for i in rows.tolist()],
        "properties": properties,
        "settings": _settings(properties),
    }
    if forces or charges:
        data["environments"] = [
            {"structure": k, "center": a, "cutoff": 3.5}
            for k, i in enumerate(rows.tolist())
            for a in range(run.span(i).stop - run.span(i).start)
        ]
        data["settings"]["target"] = "structure"
    if path is not None:
        _write(data, os.fspath(path))
    return data


def _name(run: View) -> str:
    said = run.said().get("command") or run.command_lines()[0]
    return f"shoal {said}".strip() if said else "shoal"


def _structure(run: View, i: int) -> dict[str, Any]:
    atoms, bonds = run.span(i), run.span(i, "bonds")
    position = np.round(np.asarray(run.columns["atoms/position"][atoms], dtype=float), 5)
    out: dict[str, Any] = {
        "size": len(position),
        "names": [element_symbol(z) for z in run.columns["atoms/number"][atoms].tolist()],
        **{axis: position[:, k].tolist() for k, axis in enumerate("xyz")},
    }
    near = ~np.any(run.columns["bonds/shift"][bonds], axis=1)
    pairs = run.columns["bonds/atoms"][bonds][near].tolist()
    orders = run.columns["bonds/order"][bonds][near].tolist()
    if pairs:
        out["bonds"] = [
            [a, b, order if order in (1, 2, 3) else 1] for (a, b), order in zip(pairs, orders)
        ]
    cell, pbc = run.get("cell"), run.get("pbc")
    if cell is not None and pbc is not None and np.all(pbc[i]):  # chemiscope knows crystals alone
        out["cell"] = [float(x) for x in cell[i]]
    return out


def _property(target: str, values: Any, units: str = "", description: str = "") -> dict[str, Any]:
    out = {"target": target, "values": values}
    if units:
        out["units"] = units
    if description:
        out["description"] = description
    return out


def _system_properties(run: View, rows: np.ndarray) -> dict[str, Any]:
    """Numbers that all systems have, and words."""
    found: dict[str, Any] = {}

    def add(name: str, values: Any, units: str, description: str) -> None:
        numbers = np.asarray(values, dtype=float)[rows]
        if np.isfinite(numbers).all():
            found[name] = _property("structure", numbers.tolist(), units, description)

    for column, (name, units, description) in PROPERTIES.items():
        values = run.get(column)
        if values is not None and (column != "steps" or np.any(values)):
            add(name, values, units, description)
    for k, (name, _) in enumerate(run.coordinates):
        kind = name.partition(":")[0]
        add(
            name,
            run.points[:, k],
            "Å" if kind in ("distance", "x", "y", "z") else "degrees",
            "coordinate of the scan",
        )
    terms = np.asarray(run.columns["systems/terms"], dtype=float)
    for name, energies in zip(run.term_names, terms.T):  # files may have the first terms only
        if np.any(np.nan_to_num(energies) != 0):
            add(f"{name} energy", energies, "eV", f"energy of the {name} terms")
    names = run.texts("name")
    status = run.columns["systems/status"]
    found["name"] = _property("structure", [names[i] or f"#{i}" for i in rows.tolist()])
    found["status"] = _property("structure", [run.status_names[status[i]] for i in rows.tolist()])
    return found


def _atom_properties(run: View, rows: np.ndarray, forces: bool, charges: bool) -> dict[str, Any]:
    chosen = np.concatenate([np.arange(run.span(i).start, run.span(i).stop) for i in rows.tolist()])
    found = {}
    for wanted, column, name, units in (
        (forces, "atoms/force", "force", "eV/Å"),
        (charges, "atoms/charge", "charge", "e"),
    ):
        if not wanted:
            continue
        values = run.columns.get(column)
        values = None if values is None else np.asarray(values, dtype=float)[chosen]
        if values is None or not np.isfinite(values).all():
            raise ArgumentError(f"to_chemiscope: these results have no {name}s")
        numbers = np.linalg.norm(values, axis=1) if values.ndim == 2 else values
        found[name] = _property("atom", numbers.tolist(), units)
    return found


def _settings(properties: dict[str, Any]) -> dict[str, Any]:
    """What the map shows first: energy over the number of systems, time or fmax."""
    numbers = [
        k
        for k, p in properties.items()
        if p["target"] == "structure" and not isinstance(p["values"][0], str)
    ]
    x = next((k for k in ("time", "fmax", "atoms") if k in numbers and k != "energy"), numbers[-1])
    choice = {"x": {"property": x}, "y": {"property": "energy"}, "color": {"property": numbers[0]}}
    return {"map": choice, "structure": [{"bonds": True, "spaceFilling": False}]}


def _write(data: dict[str, Any], path: str) -> None:
    if not path.endswith((".json", ".json.gz")):
        raise ArgumentError(
            f"to_chemiscope: expected a name that ends with .json or .json.gz, got {path!r}"
        )
    text = json.dumps(data, allow_nan=False).encode()
    part = path + ".part"
    try:
        with open(part, "wb") as file:
            file.write(gzip.compress(text, mtime=0) if path.endswith(".gz") else text)
        os.replace(part, path)
    except OSError:
        if os.path.exists(part):
            os.unlink(part)
        raise
