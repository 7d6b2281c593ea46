# SPDX-License-Identifier: BSD-3-Clause
# Barriers: nudged elastic bands between minima.
"""Barriers between minima: nudged elastic bands with a climbing image, all images of all bands as
one batch."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _abi
from ._handle import address_of, copy_of, flag, instance, listed, number, reals, whole
from ._interrupt import Interrupt
from ._lib import ArgumentError, Error, check, lib
from .molecule import Molecule
from .pair_model import model_of
from .settings import Settings
from .surface import Surface


@dataclass(frozen=True)
class Band:
    """A path between two minima; the first and the last image are the ends."""

    converged: bool
    energies: np.ndarray
    """[images] eV."""
    lengths: np.ndarray
    """[images] angstrom along the path, of all atoms together."""
    positions: np.ndarray
    """[images, atoms, 3] angstrom."""
    saddle: int
    """The highest image."""
    barrier: float
    """eV: the saddle above the first end."""
    back: float
    """eV: the saddle above the last end."""
    fmax: float
    """eV/angstrom that is left on an image."""
    steps: int
    """Evaluations of every image."""
    order: int | None
    """Imaginary frequencies of the saddle: 1 where it is one. None: not asked for."""
    frequency: float | None
    """The lowest one, 1/cm; imaginary ones negative."""

    def plot(self, ax: Any = None) -> Any:
        """The energies along the path by matplotlib; the Axes."""
        from .plot import path

        return path(self.lengths, self.energies - self.energies[0], ax=ax)


def barriers(
    first: Molecule | Sequence[Molecule],
    last: Molecule | Sequence[Molecule] | None = None,
    *,
    hop: Sequence[float] | None = None,
    turn: float = 0.0,
    surface: Surface | None = None,
    images: int = 9,
    spring: float = 2.0,
    fmax: float = 0.002,
    max_steps: int = 3000,
    climb: bool = True,
    straight: bool = False,
    modes: bool = True,
    charges: str | None = None,
    params: Any = None,
    forcefield: Any = None,
    **options: Any,
) -> list[Band]:
    """Bands from each molecule of first to that of last with the same place; both are minima.

    Instead of last: hop, angstrom along x and y, and turn, degrees about z; the last ends are the
    first ones, moved so and relaxed.

    images: between the ends. spring: eV/angstrom^2. fmax: eV/angstrom. climb: the highest image
    climbs. straight: begins on the straight line, otherwise where interatomic distances change
    evenly. modes: vibrations of the highest image, which tell whether it is a saddle. charges,
    params, forcefield: as of ``Molecule.topology``, of first; other options as of ``Engine``.
    """
    moves = hop is not None or number("turn", turn) != 0
    if moves == (last is not None):
        raise ArgumentError("last, hop, turn: expected last, or hop and turn")
    ends = [_molecules("first", first), _molecules("last", first if last is None else last)]
    if len(ends[0]) != len(ends[1]) or not ends[0]:
        raise ArgumentError(f"last: expected {len(ends[0])} molecules, got {len(ends[1])}")
    model = model_of(params)
    typing = {"charges": charges, "params": model, "forcefield": forcefield}
    typing = {name: value for name, value in typing.items() if value is not None}
    settings = Settings(surface=surface, params=model, **options)
    settings.choose_grid(0, 1)
    given = (_abi.shoal_band * len(ends[0]))()
    keep: list[Any] = []
    for k, (a, b) in enumerate(zip(*ends)):
        if not np.array_equal(a.numbers, b.numbers):
            raise ArgumentError(f"last[{k}]: expected the atoms of first[{k}], in their order")
        top = a.topology(**typing)
        places = [reals("positions", mol.positions, (len(a), 3)) for mol in (a, b)]
        cell = reals("cell", a.cell, (3, 3)) if a.pbc.any() else None
        keep += [top, *places, cell]
        given[k].topology = top._ptr
        given[k].first, given[k].last = (address_of(pos) for pos in places)
        given[k].cell = None if cell is None else address_of(cell)
    if moves:
        keep.append(_moved(given, sum(len(mol) for mol in ends[0]), hop, turn, settings))
    how = _abi.shoal_band_options(
        n_images=whole("images", images, 1, 1000),
        spring=number("spring", spring, above=0),
        fmax=number("fmax", fmax, above=0),
        max_steps=whole("max_steps", max_steps, 1, 2**31 - 1),
        no_climb=not flag("climb", climb),
        straight=flag("straight", straight),
    )
    found = _find(given, settings, how, flag("modes", modes))
    del keep
    return found


def _moved(given: Any, n_atoms: int, hop: Any, turn: float, settings: Settings) -> np.ndarray:
    """Last ends from the first ones, put into the bands."""
    move = _abi.shoal_band_move(turn=number("turn", turn))
    move.shift[:2] = [0.0, 0.0] if hop is None else reals("hop", hop, (2,)).tolist()
    last = np.zeros((n_atoms, 3))
    ends = _abi.shoal_band_ends(last=address_of(last))
    engine = ctypes.byref(settings.options)
    how = ctypes.byref(move)
    check(lib.shoal_bands_move(given, len(given), how, engine, None, ctypes.byref(ends)))
    if ends.n_failed:
        raise Error(f"{ends.n_failed} of {len(given)} last ends did not converge")
    at = 0
    for band in given:
        band.last = address_of(last[at:])
        view = _abi.shoal_topology_view()
        lib.shoal_topology_get(band.topology, ctypes.byref(view))
        at += view.n_atoms
    return last


def _molecules(name: str, given: Any) -> list[Molecule]:
    items = [given] if isinstance(given, Molecule) else listed(name, given, "Molecules")
    for k, mol in enumerate(items):
        instance(f"{name}[{k}]", mol, Molecule)
    return list(items)


def _find(given: Any, settings: Settings, how: Any, modes: bool) -> list[Band]:
    out, interrupt = ctypes.c_void_p(), Interrupt()
    monitor = _abi.shoal_monitor(lambda _user, _progress: not interrupt.noted)
    engine = ctypes.byref(settings.options)
    with interrupt:
        status = lib.shoal_bands_find(
            ctypes.byref(out), given, len(given), engine, ctypes.byref(how), monitor, None
        )
    check(status)
    try:
        interrupt.deliver()
        return [_band(out, k, given, engine, modes) for k in range(len(given))]
    finally:
        lib.shoal_bands_destroy(out)


def _band(bands: Any, k: int, given: Any, engine: Any, modes: bool) -> Band:
    got, verdict = _abi.shoal_band_result(), _abi.shoal_band_verdict()
    check(lib.shoal_bands_get(bands, k, ctypes.byref(got)))
    if modes:
        one = ctypes.byref(given[k])
        check(lib.shoal_bands_judge(bands, k, one, engine, ctypes.byref(verdict)))
    n = got.n_images
    return Band(
        converged=got.status == _abi.SHOAL_SYSTEM_CONVERGED,
        energies=copy_of(got.energies, (n,), np.float64),
        lengths=copy_of(got.lengths, (n,), np.float64),
        positions=copy_of(got.positions, (n, got.n_atoms, 3), np.float64),
        saddle=got.saddle,
        barrier=got.barrier,
        back=got.back,
        fmax=got.fmax,
        steps=got.steps,
        order=verdict.order if modes else None,
        frequency=verdict.frequency if modes else None,
    )
