# SPDX-License-Identifier: BSD-3-Clause
# Two devices side by side: whole systems, terms, single interactions.
"""What a device computes beside another one: whole systems, term by term, or one interaction."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import _abi
from ._handle import address_of, brief, choice, instance, number, whole
from ._lib import ArgumentError, check, lib
from .engine import Engine, _CBatch
from .molecule import Molecule
from .settings import term_bits, term_names

__all__ = ["Difference", "compare", "interaction"]


@dataclass(frozen=True)
class Difference:
    """One system, or one term or interaction of it, on two devices."""

    system: int
    term: str
    """ "" of a whole system."""
    reference: float
    """eV, and on the other device:"""
    energy: float
    force_error: float
    """Largest difference of a force, eV/angstrom, at this atom:"""
    atom: int
    verdict: float
    """That over the largest force, or over 1 eV/angstrom."""
    energy_error: float
    """Largest difference of a term over the sum of all."""
    tolerance: float

    @property
    def differs(self) -> bool:
        """Whether this is more than rounding."""
        return not (self.verdict <= self.tolerance and self.energy_error <= self.tolerance)


def compare(
    molecules: Molecule | Sequence[Molecule],
    device: str = "cpu",
    *,
    against: str = "ref",
    each_term: bool = False,
    tolerance: float | None = None,
    **options: Any,
) -> list[Difference]:
    """Energies and forces of systems on a device and on another one.

    each_term: every term by itself, all others switched off. tolerance: None, that of
    ``shoal check``. Other options are those of ``Engine.of``; precision is that of the device.

    >>> import shoal
    >>> water = shoal.Molecule("OHH", [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]])
    >>> [row.differs for row in shoal.check(water, device="cpu")]
    [False]
    """
    # What "auto" is for energies differs by device; a check is of what devices run fastest in.
    options.setdefault("precision", "double" if device == "ref" else "float")
    one = Engine.of(molecules, device=device, **options)
    other = Engine.of(molecules, device=against, **{**options, "precision": "auto"})
    off = one._settings.options.terms_off
    names = term_names()
    if not each_term:
        return _compared(one, other, "", tolerance)
    rows = []
    for name in names:
        if not off & term_bits([name]):
            for engine in (one, other):
                engine.switch_off([other_name for other_name in names if other_name != name])
            rows += _compared(one, other, name, tolerance)
    return rows


def _compared(one: Engine, other: Engine, term: str, tolerance: float | None) -> list[Difference]:
    one.energy()
    other.energy()
    most = _tolerance(one, tolerance)
    rows = []
    for i, top in enumerate(one._topologies):
        got, want, c = _abi.shoal_result(), _abi.shoal_result(), _abi.shoal_comparison()
        check(lib.shoal_engine_result(one._ptr, i, ctypes.byref(got)))
        check(lib.shoal_engine_result(other._ptr, i, ctypes.byref(want)))
        lib.shoal_compare(ctypes.byref(want), ctypes.byref(got), top.n_movers, ctypes.byref(c))
        rows.append(_row(i, term, want, got, c, most))
    return rows


def _tolerance(engine: Engine, given: float | None) -> float:
    if given is not None:
        return number("tolerance", given, 0)
    return float(lib.shoal_compare_tolerance(ctypes.byref(engine._settings.options)))


def _row(i: int, term: str, want: Any, got: Any, c: Any, most: float) -> Difference:
    known = c.comparable or c.same_status
    return Difference(
        system=i,
        term=term,
        reference=want.energy,
        energy=got.energy,
        force_error=c.force_error,
        atom=c.atom,
        verdict=c.verdict if known else float("inf"),
        energy_error=c.energy_error,
        tolerance=most,
    )


def interaction(
    molecule: Molecule,
    term: str,
    atoms: Sequence[int],
    device: str = "cpu",
    *,
    against: str = "ref",
    tolerance: float | None = None,
    **options: Any,
) -> Difference:
    """One interaction alone on two devices: term "bond", .., "vdw", and its atoms in either order.

    >>> import shoal
    >>> water = shoal.Molecule("OHH", [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]])
    >>> shoal.lens.interaction(water, "angle", (1, 0, 2), device="cpu").differs
    False
    """
    instance("molecule", molecule, Molecule)
    k = choice("term", term, term_names())
    options.setdefault("precision", "double" if device == "ref" else "float")
    whole_system = Engine.of(molecule, device="ref", **{**options, "precision": "auto"})
    row = _found(whole_system, k, [whole("atoms", i, 0) for i in atoms])
    if row is None:
        raise ArgumentError(f"atoms: {brief(tuple(atoms))} have no {term}, expected some that have")
    lone = []
    for where, precision in ((device, options["precision"]), (against, "auto")):
        how = {**options, "precision": precision}
        settings = Engine.of(molecule, device=where, **how)._settings
        settings.options.terms_off = ~(1 << k) & 0xFFFFFFFF
        lone.append(_Lone(whole_system, molecule, row, settings))
    got, want = (one.result() for one in lone)
    c = _abi.shoal_comparison()
    periodic = bool(molecule.pbc.any())
    n = whole_system._topologies[0].n_movers
    lib.shoal_compare_interaction(
        ctypes.byref(want), ctypes.byref(got), n, k, periodic, ctypes.byref(c)
    )
    return _row(0, term, want, got, c, _tolerance(whole_system, tolerance))


def _found(engine: Engine, term: int, atoms: list[int]) -> Any:
    """The interaction of a term that has these atoms, one way or the other."""
    found: list[Any] = []

    @_abi.shoal_term_visitor
    def visit(_user: Any, row: Any) -> None:
        r = row.contents
        own = [r.atoms[k].atom for k in range(r.n_atoms)]
        if r.term == term and atoms in (own, own[::-1]) and not found:
            found.append(type(r).from_buffer_copy(r))

    check(lib.shoal_engine_explain(engine._ptr, 0, visit, None))
    return found[0] if found else None


class _Lone:
    """An engine of one interaction, its atoms where they are in the system."""

    def __init__(self, engine: Engine, molecule: Molecule, row: Any, settings: Any) -> None:
        pos, cell = molecule.positions.copy(), molecule.cell.copy()
        system = _abi.shoal_system(topology=engine._topologies[0]._ptr, pos=address_of(pos))
        if molecule.pbc.any():
            system.cell = address_of(cell)
        options = ctypes.byref(settings.options)
        batch = _CBatch()
        batch._create("shoal_batch_create")
        check(
            lib.shoal_batch_add_interaction(
                batch._ptr, ctypes.byref(system), options, ctypes.byref(row), 0
            )
        )
        self._engine = _CEngine()
        self._engine._create("shoal_engine_create", batch._ptr, options)
        check(lib.shoal_engine_eval(self._engine._ptr))

    def result(self) -> Any:
        out = _abi.shoal_result()
        check(lib.shoal_engine_result(self._engine._ptr, 0, ctypes.byref(out)))
        return out


class _CEngine(_CBatch):
    _destroy = "shoal_engine_destroy"
