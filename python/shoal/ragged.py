# SPDX-License-Identifier: BSD-3-Clause
# Arrays of systems of different sizes.
"""Ragged arrays: one flat array for all systems, and where each of them begins."""

from __future__ import annotations

from collections.abc import Iterator
from typing import overload

import numpy as np


class Ragged:
    """Rows of all systems one after the other; ``ragged[i]`` is a view of those of system i.

    >>> import numpy as np
    >>> from shoal.ragged import Ragged
    >>> r = Ragged(np.arange(5.0), np.array([0, 2, 5]))
    >>> r[1]
    array([2., 3., 4.])
    """

    __slots__ = ("flat", "starts")

    def __init__(self, flat: np.ndarray, starts: np.ndarray) -> None:
        self.flat = flat
        """Rows of all systems, [starts[-1], ..]."""
        self.starts = starts
        """System i has the rows starts[i] to starts[i + 1]; [n + 1]."""

    def __len__(self) -> int:
        return max(len(self.starts) - 1, 0)

    @overload
    def __getitem__(self, i: int) -> np.ndarray: ...
    @overload
    def __getitem__(self, i: slice) -> list[np.ndarray]: ...
    def __getitem__(self, i: int | slice) -> np.ndarray | list[np.ndarray]:
        n = len(self)
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(n))]
        k = int(i)
        if not -n <= k < n:
            raise IndexError(f"system {i} of {n}")
        k %= n
        return self.flat[self.starts[k] : self.starts[k + 1]]

    def __iter__(self) -> Iterator[np.ndarray]:
        bounds = self.starts.tolist()
        for k in range(len(self)):
            yield self.flat[bounds[k] : bounds[k + 1]]

    @property
    def counts(self) -> np.ndarray:
        """Rows of every system."""
        return np.diff(self.starts)

    def stack(self) -> np.ndarray:
        """[n, rows, ..], a view, where all systems have as many rows; otherwise ValueError."""
        n = len(self)
        rows = self.counts
        if n and (rows != rows[0]).any():
            raise ValueError(f"systems have {rows.min()} to {rows.max()} rows; they do not stack")
        return self.flat.reshape((n, int(rows[0]) if n else 0, *self.flat.shape[1:]))

    def __array__(self, dtype: object = None, copy: bool | None = None) -> np.ndarray:
        array = self.stack()
        if dtype is not None and array.dtype != dtype:
            return array.astype(dtype)  # type: ignore[call-overload]
        return array.copy() if copy else array

    def __repr__(self) -> str:
        return f"<Ragged {len(self)} systems, {len(self.flat)} rows of {self.flat.dtype}>"
