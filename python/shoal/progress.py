# SPDX-License-Identifier: BSD-3-Clause
# How far a run has come, for people who wait for it.
"""Progress: a bar of tqdm, a line on stderr, or a function of the caller."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Union

from ._lib import ArgumentError

LONG = 2.0  # seconds after which a run counts as long
EVERY = 0.2  # seconds between two lines


@dataclass
class Info:
    """How far a run has come."""

    part: float
    """0 to 1, of the input that is done."""
    n_read: int
    n_done: int
    """Systems that are finished and handed on."""
    n_computed: int
    n_failed: int
    n_evaluations: int
    seconds: float
    """Since the run began."""


Choice = Union[None, bool, Callable[[float, Info], Any]]


def info_of(progress: Any, seconds: float) -> Info:
    """What the C library tells."""
    return Info(
        float(progress.part),
        int(progress.n_read),
        int(progress.n_done),
        int(progress.n_computed),
        int(progress.n_failed),
        int(progress.n_evaluations),
        seconds,
    )


class Progress:
    """Shows what a run tells, as ``progress=`` of a call asks for.

    True: a bar of tqdm where that is installed, else a line on stderr. None: the same, but only
    on a terminal and for runs of more than two seconds. False: nothing. A function is called with
    the part that is done (0 to 1) and an Info.
    """

    def __init__(self, how: Choice, label: str, n_systems: int | None = None) -> None:
        if not (how is None or isinstance(how, bool) or callable(how)):
            raise ArgumentError(f"progress: expected None, True, False or a function, got {how!r}")
        self.call = how if callable(how) else None
        self.shows = how is True or (how is None and sys.stderr is not None and sys.stderr.isatty())
        self.patience = 0.0 if how is True else LONG
        self.label = label
        self.n_systems = n_systems
        self.begin = time.monotonic()
        self.last = -1.0
        self.bar: Any = None
        self.wrote = False

    @property
    def wanted(self) -> bool:
        """Whether anybody looks."""
        return self.shows or self.call is not None

    def update(self, told: Any) -> None:
        """Takes what the monitor of a run was told."""
        seconds = time.monotonic() - self.begin
        if self.call is not None:
            self.call(float(told.part), info_of(told, seconds))
            return
        if not self.shows or seconds < self.patience or seconds - self.last < EVERY:
            return
        self.last = seconds
        if self.bar is None and not self.wrote:
            self.bar = self._tqdm()
        if self.bar is not None:
            self.bar.n = round(100 * told.part, 1)
            self.bar.set_postfix_str(f"{told.n_done} systems, {told.n_evaluations} evaluations")
        else:
            self._line(told, seconds)

    def _tqdm(self) -> Any:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return None
        form = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}{postfix}"
        return tqdm(total=100, desc=self.label, leave=False, bar_format=form)

    def _line(self, told: Any, seconds: float) -> None:
        self.wrote = True
        sys.stderr.write(
            f"\r{self.label}: {100 * told.part:3.0f} %, {told.n_done} systems, {seconds:.0f} s "
        )
        sys.stderr.flush()

    def close(self) -> None:
        """Clears what was shown."""
        if self.bar is not None:
            self.bar.close()
        elif self.wrote:
            sys.stderr.write("\r" + " " * 60 + "\r")
            sys.stderr.flush()
