# SPDX-License-Identifier: BSD-3-Clause
# What Python objects share that own an object of the C library.
"""Handles: one Python object owns one object of the C library and gives it back when it goes."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from ._lib import ArgumentError, MissingFileError, check, lib


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


def array_of(name: str, value: Any) -> np.ndarray:
    """An argument as an array of numbers or truth values, before its shape is looked at. What numpy
    would change in silence is refused: texts, complex and masked numbers."""
    try:
        array = np.asarray(value)
        masked = np.ma.is_masked(value)
    except (TypeError, ValueError, RuntimeError) as error:  # such as rows of unlike lengths
        raise ArgumentError(f"{name}: expected an array of numbers: {error}") from None
    if masked:
        raise ArgumentError(f"{name}: expected numbers, got a masked array that lacks some of them")
    if array.dtype.kind == "O" and all(isinstance(x, Real) for x in array.flat):
        array = array.astype(np.float64)
    if array.dtype.kind in "biuf":
        return array
    what = "complex ones" if array.dtype.kind == "c" else brief(value)
    raise ArgumentError(f"{name}: expected real numbers, got {what}")


def reals(name: str, value: Any, shape: tuple[int | None, ...], finite: bool = True) -> np.ndarray:
    """An argument as float64 array of a shape (None: any length), or an ArgumentError that names
    it."""
    given = array_of(name, value)
    if given.size == 0 and None in shape:
        given = given.astype(np.float64).reshape([0 if want is None else want for want in shape])
    if given.dtype.kind == "b":
        raise ArgumentError(f"{name}: expected numbers of shape {shown(shape)}, got truth values")
    fits = given.ndim == len(shape) and all(
        want is None or want == have for want, have in zip(shape, given.shape)
    )
    if not fits:
        raise ArgumentError(f"{name}: expected shape {shown(shape)}, got {shown(given.shape)}")
    array = np.ascontiguousarray(given, dtype=np.float64)
    if finite and not np.isfinite(array).all():
        at = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        raise ArgumentError(f"{name}{list(at)}: expected a finite number, got {array[at]}")
    return array


def integers(name: str, value: Any, shape: tuple[int | None, ...]) -> np.ndarray:
    """An argument as int32 array of a shape; numbers that are not whole are refused."""
    array = array_of(name, value)
    if array.size == 0 and None in shape:
        array = array.astype(np.int32).reshape([0 if want is None else want for want in shape])
    if array.dtype.kind == "f" and np.array_equal(array, np.round(array)):
        array = np.clip(array.astype(np.float64), -(2.0**62), 2.0**62).astype(np.int64)
    if array.dtype.kind not in "iu" or array.ndim != len(shape):
        raise ArgumentError(
            f"{name}: expected whole numbers of shape {shown(shape)}, got {brief(value)}"
        )
    if any(want is not None and want != have for want, have in zip(shape, array.shape)):
        raise ArgumentError(f"{name}: expected shape {shown(shape)}, got {shown(array.shape)}")
    if array.size and not (-(2**31) <= int(array.min()) and int(array.max()) < 2**31):
        raise ArgumentError(f"{name}: expected numbers of 32 bits")
    return np.ascontiguousarray(array, dtype=np.int32)


def atom_mask(name: str, value: Any, n: int) -> np.ndarray:
    """Truth values of n atoms, from such values or from indices."""
    given = array_of(name, value)
    if given.dtype == np.bool_:
        if given.shape != (n,):
            raise ArgumentError(f"{name}: expected a mask of {n} atoms, got {shown(given.shape)}")
        return np.ascontiguousarray(given)
    atoms = integers(name, given, (None,))
    if ((atoms < 0) | (atoms >= n)).any():
        raise ArgumentError(f"{name}: expected atoms from 0 to {n - 1}, got {brief(value)}")
    mask = np.zeros(n, np.bool_)
    mask[atoms] = True
    return mask


def three_flags(name: str, value: Any) -> np.ndarray:
    """Truth values along a, b and c, from three or from one for all."""
    given = array_of(name, value)
    if given.shape not in ((), (1,), (3,)) or not np.isin(given, (0, 1)).all():
        raise ArgumentError(f"{name}: expected one or three truth values, got {brief(value)}")
    return np.ascontiguousarray(np.broadcast_to(given.astype(np.bool_), (3,)))


def shown(shape: Sequence[int | None]) -> str:
    """A shape in words: [n, 3]."""
    return "[" + ", ".join("n" if k is None else str(k) for k in shape) + "]"


def brief(value: Any) -> str:
    """A value in an error, of which the beginning is enough."""
    said = " ".join(repr(value).split())
    return said if len(said) <= 120 else f"{said[:100]} .. ({type(value).__name__})"


def number(name: str, value: Any, least: float | None = None, above: float | None = None) -> float:
    """An argument as a finite number in a range."""
    if not isinstance(value, Real) or isinstance(value, (bool, np.bool_)):
        value = _scalar(name, value, "a number")
    x = float(value)
    if not np.isfinite(x):
        raise ArgumentError(f"{name}: expected a finite number, got {brief(value)}")
    if least is not None and x < least:
        raise ArgumentError(f"{name}: expected {least:g} or more, got {brief(value)}")
    if above is not None and x <= above:
        raise ArgumentError(f"{name}: expected a number above {above:g}, got {brief(value)}")
    return x


def _scalar(name: str, value: Any, wanted: str) -> Any:
    """The number in an array of one, or an ArgumentError."""
    if isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "iuf":
        if not np.ma.is_masked(value):
            return value[()]
    raise ArgumentError(f"{name}: expected {wanted}, got {brief(value)}")


def whole(name: str, value: Any, least: int, most: int = 2**31 - 1) -> int:
    """An argument as a whole number in a range."""
    wanted = f"a whole number from {least} to {most}"
    if not isinstance(value, Real) or isinstance(value, (bool, np.bool_)):
        value = _scalar(name, value, wanted)
    if not np.isfinite(float(value)) or int(value) != value or not least <= int(value) <= most:
        raise ArgumentError(f"{name}: expected {wanted}, got {brief(value)}")
    return int(value)


def flag(name: str, value: Any) -> bool:
    """An argument that is true or false."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise ArgumentError(f"{name}: expected True or False, got {brief(value)}")


def listed(name: str, value: Any, wanted: str) -> list[Any]:
    """What an argument has one after the other; texts are one thing."""
    is_scalar = isinstance(value, np.ndarray) and not value.ndim
    if isinstance(value, Iterable) and not is_scalar:
        if not isinstance(value, (str, bytes, bytearray, memoryview, Mapping)):
            return list(value)
    raise ArgumentError(f"{name}: expected {wanted}, got {brief(value)}")


def pairs_of(name: str, value: Any, wanted: str) -> list[tuple[Any, Any]]:
    """Keys and values of a mapping; of None there are none."""
    if value is None:
        return []
    if not isinstance(value, Mapping):
        raise ArgumentError(f"{name}: expected {wanted}, got {brief(value)}")
    return list(value.items())


def instance(name: str, value: Any, kind: type, wanted: str = "") -> Any:
    """An argument of a class."""
    if isinstance(value, kind):
        return value
    wanted = wanted or f"a {kind.__name__}"
    raise ArgumentError(f"{name}: expected {wanted}, got {brief(value)}")


def choice(name: str, value: Any, choices: Iterable[str]) -> int:
    """The place of a word among those that are allowed."""
    names = list(choices)
    if isinstance(value, str) and value in names:
        return names.index(value)
    few = " or ".join(map(repr, names)) if len(names) < 6 else "one of " + ", ".join(names)
    raise ArgumentError(f"{name}: expected {few}, got {brief(value)}")


def word(name: str, value: Any) -> bytes:
    """A text as the C library takes it."""
    if not isinstance(value, str):
        raise ArgumentError(f"{name}: expected a text, got {brief(value)}")
    try:
        data = value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        data = b"\0"
    if b"\0" in data:
        raise ArgumentError(f"{name}: expected a text without such letters, got {value!r}")
    return data


def text(value: bytes | None) -> str:
    """A text of the C library; what is not UTF-8 is shown as such."""
    return (value or b"").decode("utf-8", "replace")


def path_bytes(name: str, value: Any) -> bytes:
    """A path as the C library takes it."""
    try:
        data = os.fsencode(value)
    except (TypeError, ValueError):
        data = b""
    if not data or b"\0" in data:
        raise ArgumentError(f"{name}: expected a path, got {brief(value)}")
    return data


def existing(name: str, value: Any) -> bytes:
    """The path of a file that is there, as the C library takes it."""
    data = path_bytes(name, value)
    if not os.path.exists(data):
        raise MissingFileError(f"{name}: no such file: {os.fsdecode(data)}")
    return data
