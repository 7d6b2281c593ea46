# SPDX-License-Identifier: BSD-3-Clause
# How energies are computed: options of engines.
"""Settings of engines: device, precision, terms, cut-offs, surface and grid."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable
from typing import Any

from . import _abi
from ._handle import brief, choice, whole
from ._lib import ArgumentError, check, lib
from .device import resolve
from .options import EWALDS, MIXINGS, Interactions, group, names_of_terms, refuse_unknown
from .pair_model import PairModel
from .results import term_names
from .surface import Grid, Surface

PRECISIONS = ("auto", "float", "double")


class Settings:
    """Options of an engine, checked; ``options`` is what the C library takes."""

    def __init__(
        self,
        *,
        device: str = "cpu",
        precision: str = "auto",
        threads: int = 0,
        device_memory: int | None = None,
        interactions: Interactions | None = None,
        surface: Surface | None = None,
        grid: Grid | str | os.PathLike[str] | bool | None = None,
        params: PairModel | None = None,
        **unknown: Any,
    ) -> None:
        refuse_unknown("Engine()", unknown)
        sums: Interactions = group("interactions", interactions)
        self.device = resolve(device)
        if device_memory is not None and device != "auto" and "opencl" not in self.device:
            raise ArgumentError(
                f"device_memory: expected None without OpenCL devices, got device={brief(device)}"
            )
        self.surface = _surface(surface, params)
        self.grid = self._grid(grid)
        rule = 0 if sums.mixing is None else 1 + choice("mixing", sums.mixing, MIXINGS)
        if params is not None:
            if rule == _abi.SHOAL_MIXING_GEOMETRIC:
                raise ArgumentError(
                    "mixing: expected None or 'arithmetic' with params, whose R0 is Ri + Rj; "
                    "got 'geometric'"
                )
            rule = _abi.SHOAL_MIXING_ARITHMETIC
        self.options = _abi.shoal_engine_options(
            device=self.device.encode(),
            precision=choice("precision", precision, PRECISIONS),
            terms_off=term_bits(sums.terms_off),
            mixing=rule,
            vdw_cutoff=sums.vdw_cutoff or 0.0,
            vdw_tail=bool(sums.vdw_tail),
            ewald=choice("ewald", sums.ewald, EWALDS),
            ewald_tolerance=sums.ewald_tolerance or 0.0,
            coulomb_damping=sums.coulomb_damping or 0.0,
            pair_clamp=sums.pair_clamp,
            n_threads=whole("threads", threads, 0, 4096),
            device_bytes=0
            if device_memory is None
            else whole("device_memory", device_memory, 1, 2**62),
            surface=None if self.surface is None else self.surface._ptr,
            grid=self.grid._ptr if isinstance(self.grid, Grid) else None,
        )

    def check_mixing(self, has_own: bool) -> None:
        """Refuses a rule where pairs of all systems have one of their own."""
        if has_own and self.options.mixing:
            raise ArgumentError(
                "mixing: expected None where the force field has a rule of its own, as mmffsp3 has"
            )

    def _grid(self, grid: Any) -> Grid | str | bool | None:
        """The grid that was asked for, read where it is a path."""
        if grid is None or grid is False or (isinstance(grid, str) and grid in ("auto", "off")):
            return grid  # type: ignore[no-any-return]
        if grid is not True and not isinstance(grid, (Grid, str, os.PathLike)):
            raise ArgumentError(
                f"grid: expected a Grid, its path, True, 'auto' or 'off', got {brief(grid)}"
            )
        if self.surface is None and not isinstance(grid, Grid):
            raise ArgumentError("grid: expected a surface with it, got surface=None")
        if self.device == "ref":
            raise ArgumentError("grid: the device 'ref' sums directly; expected grid='off'")
        if grid is True or isinstance(grid, Grid):
            return grid
        assert self.surface is not None
        return Grid.read(grid, self.surface)

    def choose_grid(self, atoms: float, evaluations: float) -> str:
        """Sets the grid for a run over so many atoms; what was chosen, in words.

        "auto" takes a grid that this surface has already, or builds one where that costs less than
        the sums of the run.
        """
        if self.surface is None and not isinstance(self.grid, Grid):
            return ""
        if isinstance(self.grid, Grid):
            return "given"
        if self.grid in ("off", False) or self.device == "ref":
            return "direct sums"
        assert self.surface is not None
        if self.grid is not True and not self._grid_pays(self.surface, atoms, evaluations):
            self.options.grid = None
            return "direct sums"
        kept = self.surface._usual_grid()
        if kept is None:
            kept = self.surface.grid(samples=0, threads=self.options.n_threads)
        self.options.grid = kept._ptr
        return "built"

    def _grid_pays(self, surface: Surface, atoms: float, evaluations: float) -> bool:
        if surface._usual_grid() is not None:
            return True
        chosen = _abi.shoal_grid_choice()
        device = self.device.encode()
        check(
            lib.shoal_grid_choose(
                ctypes.byref(chosen), surface._ptr, atoms, evaluations, device
            )
        )
        return not chosen.direct


def _surface(surface: Any, params: PairModel | None) -> Surface | None:
    if surface is None:
        return None
    if not isinstance(surface, Surface):
        raise ArgumentError(f"surface: expected a Surface, got {brief(surface)}")
    if params is not None and surface._given["params"] is None:
        if surface._given["metals"] is not None:
            raise ArgumentError(
                "metals: params has parameters of all atoms of the surface; expected a surface "
                "without metals"
            )
        return surface.with_params(params)  # one model for molecule and substrate
    return surface


def term_bits(off: str | Iterable[str]) -> int:
    """Bits of the terms that are switched off."""
    names = term_names()
    bits = 0
    for name in names_of_terms(off):
        bits |= 1 << choice("terms_off", name, names)
    return bits
