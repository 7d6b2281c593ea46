# SPDX-License-Identifier: BSD-3-Clause
# One run of a stream over the systems of a batch.
"""Runs: a stream of the C library from its options to results, with progress, Ctrl-C and files."""

from __future__ import annotations

import ctypes
import json
import os
import time
import warnings
import zlib
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _abi
from ._handle import flag, path_bytes, text
from ._interrupt import Interrupt
from ._lib import ArgumentError, check, lib
from .device import left_idle
from .progress import Choice, Progress
from .restart import Restart, results_file
from .results import MEMORY, Results, ResultsFile, check_results_name
from .table import Table

if TYPE_CHECKING:
    from .batch import Batch


class Run:
    """A stream over the systems of a batch, for all jobs.

    relax, md, modes: options of the job, as structs of the C library. variants: what becomes of
    every record (a scan, a search); copies of the batch unless it is given. conformers: how those
    of molecules are made. restraints: structs behind those of the batch. sinks: further
    shoal_sink structs. visit: called with the address of consecutive shoal_stream_system structs
    and their number; it may raise. table: whether results are gathered; frames: whether frames of
    trajectories are. told: options of the job for the provenance. results_type: a subclass of
    Results.
    """

    def __init__(
        self,
        batch: Batch,
        job: int,
        *,
        label: str = "run",
        relax: _abi.shoal_relax_options | None = None,
        md: _abi.shoal_md_options | None = None,
        modes: _abi.shoal_modes_options | None = None,
        variants: _abi.shoal_variants | None = None,
        conformers: _abi.shoal_conformers | None = None,
        restraints: Any = (),
        sinks: Sequence[_abi.shoal_sink] = (),
        visit: Callable[[Any, int], Any] | None = None,
        table: bool = True,
        frames: bool = False,
        forces: bool = True,
        adsorption: bool = False,
        repeats: float = 1.0,
        first: int = 0,
        seed: int | None = None,
        told: dict[str, Any] | None = None,
        results_type: type[Results] = Results,
        progress: Choice = None,
        save: Any = None,
        resume: bool = False,
    ) -> None:
        self.batch = batch
        self.job = job
        self.label = label
        self.visit = visit
        self.results_type = results_type
        self.failure: BaseException | None = None
        self.interrupt = Interrupt()
        self.progress = Progress(progress, label)
        forces, adsorption = flag("forces", forces), flag("adsorption", adsorption)
        resume = flag("resume", resume)
        if adsorption and batch.surface is None:
            raise ArgumentError("adsorption: expected a surface with it, got surface=None")
        if resume and save is None:
            raise ArgumentError("resume: expected save with it, got save=None")
        pointers = [None if x is None else ctypes.byref(x) for x in (relax, md)]
        each = lib.shoal_job_evaluations(job, *pointers)
        self.grid = batch.settings.choose_grid(batch._n_atoms(), repeats * each)
        self.options, self.keep = batch._stream(job)
        self.told = dict(told or {})
        self.seed = batch.seed if seed is None else seed
        self.keep += [self._attach("compute", "relax", relax)]
        self.keep += [self._attach("compute", "md", md)]
        self.keep += [self._attach("compute", "modes", modes), self._vary(variants)]
        if conformers is not None:
            self.options.build.conformers = conformers
        elif batch.conformers is not None:
            made = batch.conformers
            self.options.build.conformers = _abi.shoal_conformers(
                n=made.n, seed=made.seed, most_tries=made.max_tries
            )
        array, n = batch._restraints(restraints)
        self.options.constraints.restraints = array
        self.options.constraints.n_restraints = n
        self.options.compute.adsorption = adsorption
        if adsorption:
            self.options.compute.alone = lib.shoal_search_conformers()
        self.options.input.first = first
        self.keep.append(array)
        what = {
            "forces": forces,
            "variants": bool(self.options.build.variants) or self.options.build.conformers.n > 0,
            "adsorption": adsorption,
            "directions": batch._turns,
            "stress": md is None and modes is None and batch.surface is None,
        }
        self.table = Table(**what) if table else None
        self.frames = (
            Table(**{**what, "adsorption": False, "dynamics": md is not None}) if frames else None
        )
        self.start = datetime.now(timezone.utc)
        self.seconds = 0.0
        self.file: ResultsFile | None = None
        self.restart: Restart | None = None
        if save is not None:
            if self.table is None:
                raise ArgumentError("save: this job has no table of results")
            self._check_name(save)
            self.restart = results_file(self, save, self.table, resume)
        self._sink(list(sinks))

    def _attach(self, group: str, name: str, struct: Any) -> Any:
        if struct is not None:
            setattr(getattr(self.options, group), name, ctypes.pointer(struct))
        return struct

    def _vary(self, variants: _abi.shoal_variants | None) -> Any:
        jitter = None
        if variants is None:
            variants, jitter = self.batch._jitter()
        return self._attach("build", "variants", variants), jitter

    # --- what comes out ---

    def _sink(self, more: list[_abi.shoal_sink]) -> None:
        sinks = []
        if self.table is not None:
            sinks += [self.table.sink()] if self.restart is None else []
        if self.frames is not None:
            sinks.append(self.frames.frame_sink())
        sinks += more
        self.sinks = (_abi.shoal_sink * max(len(sinks), 1))(*sinks)
        self.options.output.sinks = self.sinks
        self.options.output.n_sinks = len(sinks)

    def _edit(self, at: int, size: int) -> None:
        """Changes records before they are kept."""

    def edited(self, at: int, size: int) -> bool:
        """Whether that was done; what it raises is given on when the stream has ended."""
        try:
            self._edit(at, size)
            return True
        except BaseException as error:
            self.failure = error
            return False

    def _check_name(self, path: Any) -> None:
        """Refuses a file of results that would take the place of an input."""
        path_bytes("save", path)
        inputs = [f for f in self.batch.systems.files if os.path.exists(f)]
        if os.path.exists(path) and any(os.path.samefile(path, f) for f in inputs):
            raise ArgumentError(f"save: {os.fspath(path)} is an input, too; expected another name")
        check_results_name("save", path)

    # --- the run ---

    def _monitor(self, _user: Any, told: Any) -> bool:
        try:
            self.progress.update(told.contents)
        except BaseException as error:  # given on when the stream has ended
            self.failure = error
        return self.failure is None and not self.interrupt.noted

    def _visit(self, _user: Any, systems: Any, n: int) -> int:
        try:
            assert self.visit is not None
            self.visit(systems, n)
            return _abi.SHOAL_OK
        except BaseException as error:  # the same
            self.failure = error
            return _abi.SHOAL_E_ARGUMENT

    def _stream(self) -> int:
        """Runs it; callbacks live as long as the call."""
        monitor = _abi.shoal_stream_output_monitor(self._monitor)
        self.options.output.monitor = monitor
        if self.visit is not None:
            visit = _abi.shoal_stream_output_visit(self._visit)
            self.options.output.visit = visit
        begin = time.perf_counter()
        try:
            with self.interrupt:
                if self.restart is not None:
                    return self.restart.run(self.options)
                return lib.shoal_stream_run(ctypes.byref(self.options))
        finally:
            self.seconds = time.perf_counter() - begin
            self.progress.close()
            # They lead back here, and what a run holds should go when nobody needs it.
            self.options.output.monitor = _abi.shoal_stream_output_monitor()
            self.options.output.visit = _abi.shoal_stream_output_visit()

    def results(self) -> Any:
        """Runs the stream and gives what it found.

        What ends it early (Ctrl-C, a failing device, an error in a callback) is raised with
        ``results``: what was finished until then.
        """
        try:
            status = self._stream()
            if self.failure is not None:
                raise self.failure
            check(status)
            self.interrupt.deliver()
        except BaseException as error:
            self._end(complete=False)
            try:
                error.results = self._gather()  # type: ignore[attr-defined]
            except Exception:
                pass  # what ended it counts
            raise
        self._end(complete=True)
        self._tell_idle()
        return self._gather()

    def _tell_idle(self) -> None:
        gpu = left_idle(self.batch.device, self.seconds)
        if gpu:
            said = f"a GPU stood idle meanwhile: device='auto' takes {gpu}"
            warnings.warn(said, RuntimeWarning, stacklevel=4)

    def _end(self, complete: bool) -> None:
        file, self.file = self.file, None
        if file is None:
            return
        try:
            file.close() if complete else file.sync()
        finally:
            file._release()

    def _gather(self) -> Results | None:
        if self.table is None:
            return None
        self.table.surface = self.batch.surface
        found = self.results_type(self.table, self.provenance(), self._files())
        if self.frames is not None:
            self.frames.surface = self.batch.surface
            found.frames = Results(self.frames, found.provenance, self._files())
        return found

    def _files(self) -> list[str]:
        return self.batch.systems.files or [MEMORY]

    # --- where numbers come from ---

    def told_options(self) -> dict[str, Any]:
        """Options of batch and job, as JSON can hold them."""
        given = {**self.batch._given, **self.told}
        surface = self.batch.surface
        found = {"grid": self.grid, "metals": surface.metals if surface is not None else ""}
        told = {key: text for key, text in found.items() if text}
        return {"job": self.label, **{k: _plain(v) for k, v in given.items()}, **told}

    def fingerprint(self) -> str:
        """What tells the systems and parameters of this run from others, bytes of files as well."""
        out = ctypes.create_string_buffer(65)
        check(lib.shoal_stream_fingerprint(ctypes.byref(self.options), True, out))
        return out.value.decode()

    def provenance(self) -> dict[str, Any]:
        """Version, device, options, seed and time of the run."""
        options = self.told_options()
        words = ", ".join(f"{k}={v!r}" for k, v in self.told.items())
        return {
            "program": f"shoal {text(lib.shoal_version_text())}",
            "command": f"Batch.{self.label}({words})",
            "options": options,
            "device": self.batch.device,
            "seed": self.seed,
            "start_time": self.start.isoformat(timespec="seconds"),
            "seconds": self.seconds,
        }


def _plain(value: Any) -> Any:
    """What JSON can hold: long lists and arrays by their length and a checksum, objects by repr."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, np.ndarray):
        return f"array {list(value.shape)} {zlib.crc32(value.tobytes()):08x}"
    if isinstance(value, (list, tuple)):
        items = [_plain(v) for v in value]
        if len(items) <= 20:
            return items
        return f"{len(items)} items {zlib.crc32(json.dumps(items, default=str).encode()):08x}"
    return repr(value)
