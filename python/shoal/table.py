# SPDX-License-Identifier: BSD-3-Clause
# Tables of results as numpy arrays.
"""Tables: the columns of results in memory of the C library, seen by numpy without a copy."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from . import _abi
from ._handle import Handle, view
from ._lib import check, lib, string_bytes

DTYPES = {
    _abi.SHOAL_COLUMN_INT8: "i1",
    _abi.SHOAL_COLUMN_UINT8: "u1",
    _abi.SHOAL_COLUMN_INT16: "<i2",
    _abi.SHOAL_COLUMN_INT32: "<i4",
    _abi.SHOAL_COLUMN_INT64: "<i8",
    _abi.SHOAL_COLUMN_FLOAT64: "<f8",
    _abi.SHOAL_COLUMN_TEXT8: "S8",
    _abi.SHOAL_COLUMN_TEXT24: "S24",
}
WHAT = ("forces", "dynamics", "variants", "adsorption", "directions", "stress")
CHUNK = 1 << 24  # bytes of records that are handed over at once


class String(Handle):
    """A text or bytes that the C library appends to."""

    _destroy = "shoal_string_destroy"

    def __init__(self) -> None:
        self._create("shoal_string_create")

    def __len__(self) -> int:
        return int(lib.shoal_string_size(self._ptr))

    @property
    def address(self) -> int:
        """Where its bytes lie, until it changes."""
        return ctypes.cast(lib.shoal_string_data(self._ptr), ctypes.c_void_p).value or 0

    def clear(self) -> None:
        lib.shoal_string_clear(self._ptr)

    def __bytes__(self) -> bytes:
        return string_bytes(ctypes.c_void_p(self._ptr))


class Rows(Handle):
    """The table of the C library.

    Arrays keep it alive, so nothing here may lead to them: Python finds no cycles through arrays.
    """

    _destroy = "shoal_table_destroy"


class Columns(Mapping[str, np.ndarray]):
    """Columns of a table by their path; each becomes an array when it is asked for."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._found: dict[str, np.ndarray] = {}
        self._places: dict[str, tuple[int | None, tuple[int, ...], str]] = {}
        out = _abi.shoal_column()
        k = 0
        while lib.shoal_table_column(rows._ptr, k, ctypes.byref(out)) == _abi.SHOAL_OK:
            shape = (out.n_rows, out.width) if out.width > 0 else (out.n_rows,)
            self._places[out.name.decode()] = (out.data, shape, DTYPES[out.type])
            k += 1

    def __getitem__(self, path: str) -> np.ndarray:
        if path not in self._found:
            self._found[path] = view(self._rows, *self._places[path])
        return self._found[path]

    def __contains__(self, path: object) -> bool:
        return path in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class Table:
    """Records of systems, or of frames, as columns; not changed once they were looked at."""

    surface: Any = None
    """The Surface that the systems stand on, where a run in this process has filled it."""

    def __init__(self, **what: bool) -> None:
        options = _abi.shoal_results_what(**what)
        self._columns: Columns | None = None
        self._rows = Rows()
        self._rows._create("shoal_table_create", ctypes.byref(options))

    @property
    def _ptr(self) -> int | None:
        return self._rows._ptr

    def __len__(self) -> int:
        return int(lib.shoal_table_size(self._ptr))

    def sink(self) -> _abi.shoal_sink:
        """The sink of a stream that fills it."""
        out = _abi.shoal_sink()
        check(lib.shoal_table_sink(self._ptr, ctypes.byref(out)))
        return out

    def frame_sink(self) -> _abi.shoal_sink:
        """The sink of a stream that fills it with frames of trajectories."""
        out = _abi.shoal_sink()
        check(lib.shoal_table_frame_sink(self._ptr, ctypes.byref(out)))
        return out

    @property
    def what(self) -> dict[str, bool]:
        """What its records hold beside what all of them hold."""
        out = _abi.shoal_results_what()
        lib.shoal_table_what(self._ptr, ctypes.byref(out))
        return {name: bool(getattr(out, name)) for name in WHAT}

    def take(self, records: bytes) -> None:
        """Appends records."""
        check(lib.shoal_table_take(self._ptr, records, len(records)))

    @property
    def columns(self) -> Columns:
        """Columns by their path, read-only views that keep the table alive."""
        if self._columns is None:
            self._columns = Columns(self._rows)
        return self._columns

    def record(self, i: int, out: String) -> None:
        """Appends row i to a text, as the record that it was made of."""
        check(lib.shoal_table_record(self._ptr, i, out._ptr))

    def chunks(self, rows: Iterable[int]) -> Iterable[String]:
        """Records of some rows, in pieces; each is valid until the next."""
        piece = String()
        for i in rows:
            self.record(int(i), piece)
            if len(piece) >= CHUNK:
                yield piece
                piece.clear()
        if len(piece):
            yield piece

    def part(self, rows: Any) -> Table:
        """A table of its own with some of the rows."""
        out = Table(**self.what)
        out.surface = self.surface
        for piece in self.chunks(rows):
            check(lib.shoal_table_take(out._ptr, piece.address, len(piece)))
        return out

    def __reduce__(self) -> Any:
        records = b"".join(bytes(piece) for piece in self.chunks(range(len(self))))
        return _restore, (self.what, records, self.surface)


def _restore(what: dict[str, bool], records: bytes, surface: Any = None) -> Table:
    table = Table(**what)
    table.surface = surface
    if records:
        table.take(records)
    return table
