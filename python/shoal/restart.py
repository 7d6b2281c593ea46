# SPDX-License-Identifier: BSD-3-Clause
# Files that a run writes, and that a later one goes on with.
"""Restart: the run of the C library around a stream, with one output and a checkpoint beside it."""

from __future__ import annotations

import ctypes
import json
import warnings
from typing import TYPE_CHECKING, Any

from . import _abi
from ._handle import path_bytes
from ._lib import lib
from .results import header_of

if TYPE_CHECKING:
    from .run import Run
    from .table import Table

CHECKPOINT_SECONDS = 10.0  # between two moments at which a run could go on from
OF_NO_MATTER = ("threads", "device_memory")  # options that change nothing in the results


class Restart:
    """One output of a run, and whether it goes on with what an earlier one has written.

    keep: the checkpoint stays when the run is complete, so that going on with it finds nothing
    left to do.
    """

    def __init__(
        self, run: Run, output: _abi.shoal_run_output, resume: bool, keep: bool = False
    ) -> None:
        self.output = output
        self.result = _abi.shoal_run_result()
        self.options = _abi.shoal_run_options(
            outputs=ctypes.pointer(output),
            n_outputs=1,
            resume=resume,
            keep_checkpoint=keep,
            seconds=CHECKPOINT_SECONDS,
            about=_about(run.told_options()).encode(),
        )
        self.kept: list[Any] = []
        self.said: list[str] = []

    def take(self, take: Any, replay: Any) -> None:
        """Sees what is written: bytes at an address, and what goes to the file is appended to
        the text that is the last argument; and what was written before, where the run goes on."""
        self.output.take = _abi.shoal_run_output_take(take)
        self.output.replay = _abi.shoal_run_output_replay(replay)

    def run(self, stream: _abi.shoal_stream_options) -> int:
        """Runs a stream; the status of the C library."""
        self.options.stream = ctypes.pointer(stream)
        self.options.tell = _abi.shoal_run_options_tell(self._hear)
        try:
            return int(lib.shoal_run_stream(ctypes.byref(self.options), ctypes.byref(self.result)))
        finally:
            # They lead back to the run, and what it holds should go when nobody needs it.
            self.options.stream = None
            self.options.tell = _abi.shoal_run_options_tell()
            self.output.take = _abi.shoal_run_output_take()
            self.output.replay = _abi.shoal_run_output_replay()
            for said in self.said:
                warnings.warn(said, RuntimeWarning, stacklevel=2)

    def _hear(self, _user: Any, event: int, said: bytes) -> None:
        if event == _abi.SHOAL_RUN_WARNING:
            self.said.append(said.decode(errors="replace"))


def results_file(run: Run, path: Any, table: Table, resume: bool) -> Restart:
    """A file of results, whose records go to a table, too."""
    output = _abi.shoal_run_output(path=path_bytes("save", path), kind=_abi.SHOAL_OUTPUT_HDF5)
    made = Restart(run, output, resume, keep=True)
    made.options.what = _abi.shoal_results_what(**table.what)
    header = header_of(table.what, run.provenance(), run._files())
    made.options.header = ctypes.pointer(header)
    made.kept.append(header)

    def take(_user: Any, at: int, size: int, kept: int) -> int:
        if not run.edited(at, size):
            return _abi.SHOAL_E_ARGUMENT
        status = int(lib.shoal_table_take(table._ptr, at, size))
        if status == _abi.SHOAL_OK:
            lib.shoal_string_put(kept, at, size)
        return status

    def replay(_user: Any, at: int, size: int) -> int:
        return int(lib.shoal_table_take(table._ptr, at, size))

    made.take(take, replay)
    return made


def _about(told: dict[str, Any]) -> str:
    """Options, one a line."""
    matters = {k: v for k, v in told.items() if k not in OF_NO_MATTER}
    return "\n".join(f"{k} {json.dumps(v, default=str)}" for k, v in sorted(matters.items()))
