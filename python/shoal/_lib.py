# SPDX-License-Identifier: BSD-3-Clause
# Finds libshoal, binds its functions when first used, and turns its errors into exceptions.
"""The C library: ``lib.shoal_x(...)`` calls a function of include/shoal, ``check(status)`` raises.

Calls release the GIL. The library is loaded at the first call, from the file that the environment
variable SHOAL_LIBRARY names, otherwise from the folder ``lib`` of this package.
"""

from __future__ import annotations

import ctypes
import errno
import os
import pathlib
import threading
from typing import Any, Callable

from . import _abi

__all__ = [
    "ArgumentError",
    "DeviceError",
    "Error",
    "FileError",
    "FormatError",
    "MemoryError_",
    "UnsupportedError",
    "MissingFileError",
    "check",
    "file_error",
    "lib",
    "string_bytes",
]


class Error(Exception):
    """What the library refuses or fails at; the text names the file, line or value."""


class ArgumentError(Error, ValueError):
    """An argument that cannot be meant."""


class FormatError(Error, ValueError):
    """A file says something that its format does not allow."""


class FileError(Error, OSError):
    """The operating system refused to open, read or write a file."""


class MissingFileError(FileError, FileNotFoundError):
    """A file or folder that is not there."""


class DeviceError(Error, RuntimeError):
    """There is no such device, or it failed."""


class UnsupportedError(Error, RuntimeError):
    """This build of the library, or the device, lacks what was asked for."""


class MemoryError_(Error, MemoryError):
    """There is not enough memory."""


KINDS: dict[int, type[Error]] = {
    _abi.SHOAL_E_MEMORY: MemoryError_,
    _abi.SHOAL_E_ARGUMENT: ArgumentError,
    _abi.SHOAL_E_FORMAT: FormatError,
    _abi.SHOAL_E_IO: FileError,
    _abi.SHOAL_E_DEVICE: DeviceError,
    _abi.SHOAL_E_UNSUPPORTED: UnsupportedError,
}


def version_of(number: int) -> str:
    """A version from its number: "0.1.0" from 100."""
    return f"{number // 10000}.{number // 100 % 100}.{number % 100}"


def library_path() -> pathlib.Path:
    """The file that is loaded, whether it is there or not."""
    named = os.environ.get("SHOAL_LIBRARY")
    return pathlib.Path(named or pathlib.Path(__file__).parent / "lib" / "libshoal.so")


def load(path: pathlib.Path) -> ctypes.CDLL:
    """Loads a library and refuses one of another version, whose structs may differ."""
    try:
        library = ctypes.CDLL(os.fspath(path))
        number = library.shoal_version_number
    except (OSError, AttributeError) as error:
        hint = (
            "SHOAL_LIBRARY names it"
            if os.environ.get("SHOAL_LIBRARY")
            else "pip install ./python builds it; SHOAL_LIBRARY may name another one"
        )
        raise UnsupportedError(f"cannot load the C library {path}: {error} ({hint})") from None
    number.restype, number.argtypes = ctypes.c_int32, []
    if number() != _abi.SHOAL_VERSION_NUMBER:
        raise UnsupportedError(
            f"{path} is version {version_of(number())} of Shoal, this package {_abi.SHOAL_VERSION}"
        )
    return library


class Library:
    """Functions of the C library as attributes, each bound when it is first used."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._library: ctypes.CDLL | None = None
        self.path: pathlib.Path | None = None  # of what is loaded

    def load(self) -> ctypes.CDLL:
        """The loaded library."""
        with self._lock:
            if self._library is None:
                path = library_path()
                self._library = load(path)
                self.path = path
            return self._library

    def has(self, name: str) -> bool:
        """Whether the loaded library has a function."""
        return hasattr(self.load(), name)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        signature = _abi.FUNCTIONS.get(name)
        if signature is None:
            raise AttributeError(f"include/shoal declares no {name}")
        library = self.load()
        try:
            function = library[name]  # a new object each time: nobody else sets its types
        except AttributeError:
            raise UnsupportedError(f"{self.path} has no function {name}") from None
        function.restype, function.argtypes = signature
        setattr(self, name, function)
        return function


lib = Library()


def file_error(said: str) -> FileError:
    """The error of what the operating system refused; said: with its reason at the end."""
    missing = said.endswith(os.strerror(errno.ENOENT))
    error = MissingFileError(said) if missing else FileError(said)
    error.errno = errno.ENOENT if missing else None
    return error


def check(status: int) -> None:
    """Raises what a failed call said about itself: to be called right after it, in its thread."""
    if status == _abi.SHOAL_OK:
        return
    text = lib.shoal_error_text().decode("utf-8", "replace")
    text = text or f"Shoal failed with status {status}"
    raise file_error(text) if status == _abi.SHOAL_E_IO else KINDS.get(status, Error)(text)


def string_bytes(string: ctypes.c_void_p) -> bytes:
    """A copy of what a shoal_string holds."""
    return ctypes.string_at(lib.shoal_string_data(string), lib.shoal_string_size(string))
