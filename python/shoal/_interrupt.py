# SPDX-License-Identifier: BSD-3-Clause
# Ctrl-C while the C library works.
"""Interrupts: Ctrl-C is noted while C code runs, so that it can stop in order, and raised
afterwards.

A KeyboardInterrupt inside a callback of C code would be lost: Python may raise it before the
callback's first line. So, in the main thread and for the time of one call, SIGINT sets a mark;
what the signal did before is done when the call has ended.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any


class Interrupt:
    """``with Interrupt() as interrupt: call(); interrupt.deliver()``; ``noted`` tells monitors to
    stop."""

    __slots__ = ("_before", "_signal", "noted")

    def __init__(self) -> None:
        self.noted = False
        self._before: Callable[[int, FrameType | None], Any] | None = None
        self._signal: tuple[int, FrameType | None] = (signal.SIGINT, None)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.noted = True
        self._signal = (number, frame)

    def __enter__(self) -> Interrupt:
        if threading.current_thread() is threading.main_thread():
            before = signal.getsignal(signal.SIGINT)
            if callable(before):  # neither ignored nor left to the system
                signal.signal(signal.SIGINT, self._note)
                self._before = before
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def deliver(self) -> None:
        """Does what the signal would have done and raises KeyboardInterrupt, as the call ended
        early."""
        if self.noted and self._before is not None:
            self._before(*self._signal)
            raise KeyboardInterrupt
