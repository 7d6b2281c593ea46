# SPDX-License-Identifier: BSD-3-Clause
"""Units of energies: Shoal computes in eV, and ``units=`` of what reads results converts.

>>> from shoal import units
>>> round(units.factor("kcal/mol") / units.factor("kJ/mol"), 4)
0.239
>>> units.factor("kcal") == units.factor("kcal/mol")
True
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _abi
from ._handle import choice
from ._lib import ArgumentError, lib

__all__ = ["UNITS", "factor"]

UNITS = ("eV", "meV", "kcal/mol", "kJ/mol", "Hartree")
SHORT = {"kcal": "kcal/mol", "kJ": "kJ/mol", "hartree": "Hartree"}
KJ = 4.184  # of a kcal

# Columns of results that are energies, or energies by something else (angstrom, K, ns).
ENERGIES = {
    *("energy", "energy0", "adsorption_energy", "fmax", "kinetic", "relative_energy"),
    *("free_energy", "etot0", "etot", "drift", "fluctuation", "conserved_drift"),
    *("potential_mean", "potential_err", "zero_point", "enthalpy", "entropy"),
}


def whole_name(units: str) -> str:
    """The unit that is meant by its name or a shorter one ("kcal", "kJ")."""
    units = SHORT.get(units, units) if isinstance(units, str) else units
    choice("units", units, UNITS)
    return units


def factor(units: str) -> float:
    """How many of such a unit ("eV", "meV", "kcal/mol", "kJ/mol" or "Hartree") an eV is."""
    units = whole_name(units)
    kcal = 1.0 / lib.shoal_unit_value(_abi.SHOAL_UNIT_KCAL_PER_MOL)
    hartree = 1.0 / lib.shoal_unit_value(_abi.SHOAL_UNIT_HARTREE)
    return {"eV": 1.0, "meV": 1e3, "kcal/mol": kcal, "kJ/mol": KJ * kcal, "Hartree": hartree}[units]


def converted(name: str, values: Any, units: str, terms: Any = ()) -> np.ndarray:
    """A column in units of energy; terms: names of terms, which are energies, too."""
    by = factor(units)
    if name in ENERGIES or name in terms:
        return np.asarray(values) * by
    if units == "eV":
        return np.asarray(values)
    raise ArgumentError(f"units: {name} is no energy; expected 'eV', got {units!r}")


def convert_frame(frame: Any, units: str, terms: Any) -> Any:
    """A DataFrame whose energies are in units; its ``attrs`` say which."""
    by = factor(units)
    for name in frame.columns:
        if by != 1.0 and (name in ENERGIES or name in terms):
            frame[name] = frame[name] * by
    frame.attrs["units"] = whole_name(units)
    return frame
