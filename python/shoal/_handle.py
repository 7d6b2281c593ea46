# SPDX-License-Identifier: BSD-3-Clause
# What Python objects share that own an object of the C library.
"""Handles: one Python object owns one object of the C library and gives it back when it goes."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ._lib import ArgumentError, check, lib


class Handle:
    """Owns a pointer of the C library; ``_destroy`` names the function that frees it."""

    _destroy = ""
    _ptr: int | None = None

    def _create(self, function: str, *arguments: Any) -> None:
        """Calls a function whose first parameter is the place for the new pointer."""
        out = ctypes.c_void_p()
        check(getattr(lib, function)(ctypes.byref(out), *arguments))
        self._ptr = out.value

    @classmethod
    def _adopt(cls, pointer: int | None) -> Any:
        """An object around a pointer that nobody else owns."""
        self = cls.__new__(cls)
        self._ptr = pointer
        return self

    def _release(self) -> None:
        pointer, self._ptr = self._ptr, None
        if pointer:
            getattr(lib, self._destroy)(pointer)

    def __del__(self) -> None:
        try:
            self._release()
        except Exception:  # the interpreter ends: the memory goes with the process
            pass

    def __reduce__(self) -> Any:
        raise TypeError(f"{type(self).__name__} objects cannot be pickled or copied")


class Memory:
    """Memory of the C library as numpy sees it; it keeps the owner alive."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(
        self,
        owner: Any,
        address: int,
        shape: tuple[int, ...],
        typestr: str,
        writable: bool = False,
    ) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "version": 3,
            "data": (address, not writable),
            "shape": shape,
            "typestr": typestr,
        }


def view(owner: Any, address: int | None, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """A read-only array over memory of the C library, which its owner keeps alive."""
    kind = np.dtype(dtype)
    if not address or 0 in shape:
        empty = np.empty(shape, kind)
        empty.flags.writeable = False
        return empty
    if kind.names is None:
        return np.asarray(Memory(owner, address, shape, kind.str))
    raw = np.asarray(Memory(owner, address, (*shape[:-1], shape[-1] * kind.itemsize), "|u1"))
    return raw.view(kind)


def copy_of(address: int | None, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """A read-only copy of an array of the C library."""
    array = np.array(view(None, address, shape, dtype))
    array.flags.writeable = False
    return array


def address_of(array: np.ndarray) -> int:
    """Where the numbers of an array lie."""
    return int(array.ctypes.data)


def reals(name: str, value: Any, shape: tuple[int | None, ...], finite: bool = True) -> np.ndarray:
    """An argument as float64 array of a shape (None: any length), or an ArgumentError that names
    it."""
    try:
        array = np.ascontiguousarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name}: expected numbers of shape {shown(shape)}: {error}") from None
    fits = array.ndim == len(shape) and all(
        want is None or want == have for want, have in zip(shape, array.shape)
    )
    if not fits:
        raise ArgumentError(f"{name}: expected shape {shown(shape)}, got {shown(array.shape)}")
    if finite and not np.isfinite(array).all():
        at = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        raise ArgumentError(f"{name}{list(at)}: expected a finite number, got {array[at]}")
    return array


def integers(name: str, value: Any, shape: tuple[int | None, ...]) -> np.ndarray:
    """An argument as int32 array of a shape; numbers that are not whole are refused."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ArgumentError(f"{name}: expected whole numbers: {error}") from None
    if array.size == 0 and None in shape:
        array = array.astype(np.int32).reshape([0 if want is None else want for want in shape])
    if array.dtype.kind == "f" and np.array_equal(array, np.round(array)):
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu" or array.ndim != len(shape):
        raise ArgumentError(
            f"{name}: expected whole numbers of shape {shown(shape)}, got {value!r}"
        )
    if any(want is not None and want != have for want, have in zip(shape, array.shape)):
        raise ArgumentError(f"{name}: expected shape {shown(shape)}, got {shown(array.shape)}")
    if array.size and not (-(2**31) <= int(array.min()) and int(array.max()) < 2**31):
        raise ArgumentError(f"{name}: expected numbers of 32 bits")
    return np.ascontiguousarray(array, dtype=np.int32)


def atom_mask(name: str, value: Any, n: int) -> np.ndarray:
    """Truth values of n atoms, from such values or from indices."""
    given = np.asarray(value)
    if given.dtype == np.bool_:
        if given.shape != (n,):
            raise ArgumentError(f"{name}: expected a mask of {n} atoms, got {shown(given.shape)}")
        return np.ascontiguousarray(given)
    atoms = integers(name, given, (None,))
    if ((atoms < 0) | (atoms >= n)).any():
        raise ArgumentError(f"{name}: expected atoms from 0 to {n - 1}, got {value!r}")
    mask = np.zeros(n, np.bool_)
    mask[atoms] = True
    return mask


def shown(shape: Sequence[int | None]) -> str:
    """A shape in words: [n, 3]."""
    return "[" + ", ".join("n" if k is None else str(k) for k in shape) + "]"


def number(name: str, value: Any, least: float | None = None, above: float | None = None) -> float:
    """An argument as a finite number in a range."""
    try:
        x = float(value)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name}: expected a number, got {value!r}") from None
    if not np.isfinite(x):
        raise ArgumentError(f"{name}: expected a finite number, got {value!r}")
    if least is not None and x < least:
        raise ArgumentError(f"{name}: expected {least:g} or more, got {value!r}")
    if above is not None and x <= above:
        raise ArgumentError(f"{name}: expected a number above {above:g}, got {value!r}")
    return x


def whole(name: str, value: Any, least: int, most: int = 2**31 - 1) -> int:
    """An argument as a whole number in a range."""
    try:
        n = int(value)
        exact = n == value
    except (TypeError, ValueError, OverflowError):
        exact = False
        n = 0
    if isinstance(value, (str, bytes)) or not exact or not least <= n <= most:
        raise ArgumentError(
            f"{name}: expected a whole number from {least} to {most}, got {value!r}"
        )
    return n


def choice(name: str, value: Any, choices: Iterable[str]) -> int:
    """The place of a word among those that are allowed."""
    names = list(choices)
    if value in names:
        return names.index(value)
    raise ArgumentError(f"{name}: expected {' or '.join(map(repr, names))}, got {value!r}")


def text(value: bytes | None) -> str:
    """A text of the C library; what is not UTF-8 is shown as such."""
    return (value or b"").decode("utf-8", "replace")


def path_bytes(name: str, value: Any) -> bytes:
    """A path as the C library takes it."""
    import os

    try:
        return os.fsencode(value)
    except TypeError:
        raise ArgumentError(f"{name}: expected a path, got {value!r}") from None
