# SPDX-License-Identifier: BSD-3-Clause
# Which force field types a molecule, and its options.
"""Force fields: "uff" and "mmffsp3", with the dialects behind a colon, and what typing can be
told."""

from __future__ import annotations

import ctypes
from typing import Any

from . import _abi
from ._handle import choice, number
from ._lib import ArgumentError, check, lib

CHARGES = ("auto", "none", "file", "qeq")
DIALECTS = ("rdkit", "paper", "firecore")
# Options that only MMFFsp3 has, as a call of typing takes them.
OF_MMFFSP3 = ("electron_pairs", "bond_scale", "pi_inertia", "pi_softening")


def typing_options(
    charges: str = "auto",
    forcefield: str = "uff",
    dialect: str = "rdkit",
    *,
    angle_guard: bool = True,
    electron_pairs: bool = False,
    bond_scale: float | None = None,
    pi_inertia: float | None = None,
    pi_softening: float | None = None,
) -> _abi.shoal_typing_options:
    """Options of typing as the C library takes them, checked.

    forcefield: "uff", "uff:paper", "uff:firecore", "mmffsp3" or "mmffsp3:firecore"; dialect: of a
    bare "uff". Of MMFFsp3: electron_pairs, lone pairs as points with charges; bond_scale, a factor
    of all bond constants; pi_inertia, amu angstrom^2; pi_softening, the cosine over which the cusp
    of crossed pi vectors is rounded.
    """
    out = _abi.shoal_typing_options(
        charges=choice("charges", charges, CHARGES), no_angle_guard=not angle_guard
    )
    if not isinstance(forcefield, str):
        raise ArgumentError(f"forcefield: expected a name such as 'mmffsp3', got {forcefield!r}")
    check(lib.shoal_forcefield_by_name(forcefield.encode(), ctypes.byref(out)))
    chosen = choice("dialect", dialect, DIALECTS)
    if forcefield == "uff":
        out.dialect = chosen
    elif dialect != "rdkit" and (":" not in forcefield or chosen != out.dialect):
        raise ArgumentError(f"dialect: {dialect!r} contradicts forcefield={forcefield!r}")
    if not angle_guard and out.forcefield == _abi.SHOAL_FORCEFIELD_MMFFSP3:
        raise ArgumentError("angle_guard: a choice of forcefield='uff'; mmffsp3 has no such guard")
    given = {
        "electron_pairs": bool(electron_pairs),
        "bond_scale": _factor("bond_scale", bond_scale),
        "pi_inertia": _factor("pi_inertia", pi_inertia),
        "pi_softening": 0.0 if pi_softening is None else number("pi_softening", pi_softening, 0),
    }
    for name, value in given.items():
        if value and out.forcefield != _abi.SHOAL_FORCEFIELD_MMFFSP3:
            raise ArgumentError(f"{name}: expected forcefield='mmffsp3' with it")
        setattr(out, name, value)
    return out


def _factor(name: str, value: Any) -> float:
    return 0.0 if value is None else number(name, value, above=0)


def own_options(forcefield: str, given: dict[str, Any]) -> dict[str, Any]:
    """Those of the options of MMFFsp3 that concern a force field; of UFF none."""
    return given if str(forcefield).startswith("mmffsp3") else {}
