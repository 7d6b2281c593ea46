# SPDX-License-Identifier: BSD-3-Clause
# Probe scans: what a tip feels over a molecule.
"""A tip, an atom or a rigid molecule, moved over a molecule on a block of points: energies, forces,
frequency shifts, pictures of constant height."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import _abi
from ._handle import Handle, address_of, instance, integers, number, path_bytes, reals, view
from ._interrupt import Interrupt
from ._lib import check, lib
from .molecule import Molecule
from .pair_model import model_of
from .settings import Settings
from .surface import Surface

POINTS = (100, 100, 30)
HEIGHTS = (2.5, 6.0)


class ProbeBlock(Handle):
    """Energies and forces of a tip on a block of points."""

    _destroy = "shoal_tip_block_destroy"

    def __init__(self, pointer: int) -> None:
        self._ptr = pointer
        got = _abi.shoal_tip_view()
        lib.shoal_tip_block_get(pointer, ctypes.byref(got))
        shape = tuple(got.n)
        self.origin, self.step = np.array(got.origin), np.array(got.step)
        self.energies = view(self, got.energies, shape, np.float64)
        """[x, y, z] eV between tip and molecule, and between tip and surface."""
        self.forces = view(self, got.forces, (*shape, 3), np.float64)
        """[x, y, z, 3] eV/angstrom, on the whole tip."""
        self.n_failed = int(got.n_failed)
        self.seconds = float(got.seconds)

    @property
    def axes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Places of the points along x, y and z, angstrom."""
        shape = self.energies.shape
        x, y, z = (o + s * np.arange(n) for o, s, n in zip(self.origin, self.step, shape))
        return x, y, z

    def shifts(self, frequency: float, stiffness: float, amplitude: float) -> np.ndarray:
        """Frequency shifts [x, y, z'] in Hz by Giessibl's formula: Hz, N/m, angstrom.

        z' are the lowest points of the oscillation, from the bottom of the block on.
        """
        how, n_z = _oscillator(frequency, stiffness, amplitude), ctypes.c_int32()
        ask = (self._ptr, ctypes.byref(how))
        check(lib.shoal_tip_shifts(*ask, None, ctypes.byref(n_z)))
        out = np.empty((*self.energies.shape[:2], n_z.value))
        check(lib.shoal_tip_shifts(*ask, address_of(out), ctypes.byref(n_z)))
        return out

    def write(self, path: Any, oscillator: tuple[float, float, float] | None = None) -> None:
        """Writes HDF5, as ``shoal probe`` does; oscillator: as of ``shifts``, which it adds."""
        how = None if oscillator is None else ctypes.byref(_oscillator(*oscillator))
        check(lib.shoal_tip_block_write(self._ptr, how, path_bytes("path", path)))

    def plot(
        self, height: float, oscillator: tuple[float, float, float] | None = None, ax: Any = None
    ) -> Any:
        """The force along z, or the frequency shift, in the plane nearest to a height; the Axes."""
        from .plot import plane

        x, y, z = self.axes
        values = self.forces[..., 2] if oscillator is None else self.shifts(*oscillator)
        k = int(np.abs(z[: values.shape[2]] - number("height", height)).argmin())
        what = "$F_z$, eV/Å" if oscillator is None else "frequency shift, Hz"
        return plane(x, y, values[:, :, k], f"{what}, z = {z[k]:.2f} Å", ax=ax)


def _oscillator(frequency: Any, stiffness: Any, amplitude: Any) -> Any:
    return _abi.shoal_tip_oscillator(
        frequency=number("frequency", frequency, above=0),
        stiffness=number("stiffness", stiffness, above=0),
        amplitude=number("amplitude", amplitude, above=0),
    )


def probe(
    sample: Molecule,
    tip: Molecule | str = "O",
    *,
    surface: Surface | None = None,
    points: tuple[int, int, int] = POINTS,
    margin: float = 3.0,
    heights: tuple[float, float] = HEIGHTS,
    charges: str | None = None,
    params: Any = None,
    forcefield: Any = None,
    **options: Any,
) -> ProbeBlock:
    """Moves a tip over a molecule that stays as it is: relax it first.

    tip: an element, or a rigid molecule whose first atom is the apex. The block of points reaches
    margin angstrom beyond the atoms in x and y, and from heights[0] to heights[1] angstrom above
    the topmost one. charges, params, forcefield: as of ``Molecule.topology``; other options as of
    ``Engine``.
    """
    instance("sample", sample, Molecule)
    apex = Molecule([tip], [[0.0, 0.0, 0.0]]) if isinstance(tip, str) else tip
    instance("tip", apex, Molecule)
    model = model_of(params)
    typing = {"charges": charges, "params": model, "forcefield": forcefield}
    typing = {name: value for name, value in typing.items() if value is not None}
    tops = [mol.topology(**typing) for mol in (sample, apex)]
    places = [reals("positions", mol.positions, (len(mol), 3)) for mol in (sample, apex)]
    systems = [
        _abi.shoal_system(topology=top._ptr, pos=address_of(pos)) for top, pos in zip(tops, places)
    ]
    settings = Settings(surface=surface, params=model, **options)
    settings.choose_grid(0, 1)
    block = _abi.shoal_tip_options()
    block.n[:] = integers("points", points, (3,)).tolist()
    between = reals("heights", heights, (2,))
    check(
        lib.shoal_tip_around(
            ctypes.byref(block),
            ctypes.byref(systems[0]),
            number("margin", margin, 0),
            address_of(between),
        )
    )
    return _scan(systems, settings, block)


def _scan(systems: list[Any], settings: Settings, block: Any) -> ProbeBlock:
    out = ctypes.c_void_p()
    interrupt = Interrupt()
    monitor = _abi.shoal_monitor(lambda _user, _progress: not interrupt.noted)
    with interrupt:
        status = lib.shoal_tip_scan(
            ctypes.byref(out),
            ctypes.byref(systems[0]),
            ctypes.byref(systems[1]),
            ctypes.byref(settings.options),
            ctypes.byref(block),
            monitor,
            None,
        )
    check(status)
    interrupt.deliver()
    return ProbeBlock(out.value)
