# SPDX-License-Identifier: BSD-3-Clause
# Potentials on a mesh that other programs computed.
"""Potentials on a mesh: files of other programs (.cube, .xsf, .npy), or arrays."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import _abi
from ._handle import Handle, address_of, choice, existing, flag, number, reals, view, word
from ._lib import ArgumentError, lib

UNITS = {
    "ev": _abi.SHOAL_MESH_EV,
    "hartree": _abi.SHOAL_MESH_HARTREE,
    "rydberg": _abi.SHOAL_MESH_RYDBERG,
}


class Mesh(Handle):
    """Values on a mesh whose first two vectors lie in the xy plane and repeat, to be a channel of a
    grid (``Surface.grid(fields={"coulomb": mesh})``).

    values: [n_a, n_b, n_c]; node (i, j, k) is at origin + i/n_a A + j/n_b B + k/n_c C with the rows
    A, B, C of cell, in angstrom. A potential is the energy of a charge of +1 e; electron=True: of
    an electron. unit: "ev" (default), "hartree" or "rydberg". repeats: along C as well.

    >>> import numpy as np, shoal
    >>> mesh = shoal.Mesh(np.ones((8, 8, 30)), cell=np.diag([4.0, 4.0, 12.0]), origin=(0, 0, -1))
    >>> mesh.shape, float(mesh([1.0, 2.0, 3.0])[0].round(9))
    ((8, 8, 30), 1.0)
    """

    _destroy = "shoal_mesh_destroy"

    def __init__(
        self,
        values: Any,
        cell: Any,
        origin: Any = (0.0, 0.0, 0.0),
        *,
        name: str = "array",
        unit: str = "ev",
        electron: bool = False,
        repeats: bool = False,
    ) -> None:
        array = reals("values", values, (None, None, None))
        options = _options(unit, electron, repeats, origin, cell)
        shape = (ctypes.c_int32 * 3)(*array.shape)
        self._create(
            "shoal_mesh_create",
            word("name", name),
            shape,
            address_of(array),
            ctypes.byref(options),
        )

    @classmethod
    def read(
        cls,
        path: Any,
        *,
        cell: Any = None,
        unit: str | None = None,
        electron: bool = False,
        repeats: bool = False,
        shift: Any = (0.0, 0.0, 0.0),
        x_fastest: bool = False,
    ) -> Mesh:
        """The mesh of a .cube, .xsf or .npy file.

        cell: of .npy, which has none; x_fastest: its shape is z, y, x. unit: None is hartree of
        .cube, else "ev". shift: angstrom, added to the places of nodes and atoms.
        """
        options = _options(unit, electron, repeats, shift, cell)
        options.x_fastest = flag("x_fastest", x_fastest)
        mesh = cls.__new__(cls)
        mesh._create("shoal_mesh_read", existing("path", path), ctypes.byref(options))
        return mesh

    def _view(self) -> _abi.shoal_mesh_view:
        out = _abi.shoal_mesh_view()
        lib.shoal_mesh_get(self._ptr, ctypes.byref(out))
        return out

    @property
    def name(self) -> str:
        """Of its file."""
        return (self._view().name or b"").decode("utf-8", "replace")

    @property
    def shape(self) -> tuple[int, int, int]:
        """Nodes along A, B and C."""
        return tuple(self._view().shape)  # type: ignore[return-value]

    @property
    def cell(self) -> np.ndarray:
        """Rows A, B, C, [3, 3] angstrom."""
        return np.array([list(row) for row in self._view().cell])

    @property
    def origin(self) -> np.ndarray:
        """Of the first node, [3] angstrom."""
        return np.array(list(self._view().origin))

    @property
    def repeats(self) -> bool:
        """Whether it repeats along C."""
        return bool(self._view().repeats)

    @property
    def values(self) -> np.ndarray:
        """[n_a, n_b, n_c] eV."""
        v = self._view()
        return view(self, v.values, tuple(v.shape), np.float64)

    def __call__(self, points: Any) -> np.ndarray:
        """[4] or [n, 4]: the value and its slopes along x, y, z at points [3] or [n, 3]."""
        at = np.atleast_2d(np.asarray(points, dtype=np.float64))
        at = reals("points", at, (None, 3))
        out = np.zeros((len(at), 4))
        for k in range(len(at)):
            lib.shoal_mesh_field(self._ptr, address_of(at[k]), address_of(out[k]))
        return out[0] if np.ndim(points) == 1 else out

    def __reduce__(self) -> Any:
        raise TypeError("Mesh objects cannot be pickled; read them from their file again")

    def __repr__(self) -> str:
        a, b, c = self.shape
        return f"<Mesh {self.name!r} {a} x {b} x {c}>"


def _options(
    unit: str | None, electron: bool, repeats: bool, shift: Any, cell: Any
) -> _abi.shoal_mesh_options:
    options = _abi.shoal_mesh_options(
        of_electron=flag("electron", electron), repeats=flag("repeats", repeats)
    )
    if unit is not None:
        choice("unit", unit, UNITS)
        options.unit = UNITS[unit]
    options.shift[:] = [number("shift", x) for x in reals("shift", shift, (3,))]
    if cell is not None:
        for row, given in zip(options.cell, reals("cell", cell, (3, 3))):
            row[:] = given.tolist()
    return options


def mesh_of(name: str, value: Any) -> Mesh:
    """A mesh, or that of a file."""
    if isinstance(value, Mesh):
        return value
    if not isinstance(value, str) and not hasattr(value, "__fspath__"):
        kind = type(value).__name__
        raise ArgumentError(f"{name}: expected a Mesh or the name of a file, got {kind}")
    return Mesh.read(value)
