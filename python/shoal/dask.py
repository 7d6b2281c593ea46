# SPDX-License-Identifier: BSD-3-Clause
# Relaxing on the workers of a Dask scheduler.
"""Dask: a relaxation shared by the workers of an existing scheduler.

The input is cut into shares, each of them a task. A worker computes one share at a time, whatever
the number of its threads, so start one worker per device. Which device that is:

- ``device="cpu"``, the default, or another name: the same for all workers. Where every worker sees
  one GPU alone (CUDA_VISIBLE_DEVICES, as dask-cuda sets it), "auto" (a GPU, else the cpu) is all
  that is needed.
- ``device=["opencl:0", "opencl:1"]``: by the number of the worker, which is the last number in its
  name (0, 1, .. of a LocalCluster, "gpu-3" from ``dask worker --name gpu-3``), modulo the length.
- ``resources={"GPU": 1}``: only workers that were started with such a resource take shares.

A worker that is lost loses its share alone: the scheduler gives it to another one. No bit of a
result depends on who computed it, nor on the number of shares.
"""

from __future__ import annotations

import ctypes
import os
import re
import threading
from dataclasses import replace
from typing import Any, Mapping, Sequence

import numpy as np

from ._optional import missing

try:
    from distributed import Client, as_completed, get_worker
except ImportError as error:
    raise missing("shoal.dask", error) from None

from ._lib import ArgumentError, check, lib
from .batch import Batch
from .options import group
from .results import Results
from .table import Table

__all__ = ["relax"]

RELAX = ("fmax", "max_steps", "method", "max_move", "adsorption")  # options of Batch.relax
WHOLE = 0x1FFFF  # rdkit.Chem.PropertyPickleOptions: AllProps and CoordsAsDouble
SHARES = 4  # per worker: a lost one costs a part, and the slowest waits for less

_one_at_a_time = threading.Lock()  # a share uses all of its device


def relax(
    client: Client,
    systems: Any,
    *,
    save: Any = None,
    shares: int | None = None,
    device: str | Sequence[str] = "cpu",
    resources: Mapping[str, float] | None = None,
    retries: int = 2,
    progress: Any = None,
    **options: Any,
) -> Results:
    """Relaxes files or molecules on the workers of a Dask scheduler; results in order.

    systems: a path or a list of paths, which all workers must be able to read, or a list of
    Molecule, ase.Atoms or RDKit Mol (one system per conformer). save: file of results to write at
    the end. shares: into how many tasks the input is cut (4 per worker unless given). device and
    resources: see the top of this module. retries: how often a share is tried again after an error
    of its device; a lost worker is no error. progress: a function that is called with the part that
    is done, 0 to 1, and the number of finished shares. Other options are those of `Batch` and of
    `Batch.relax` (fmax, max_steps, method, ..).

    >>> from distributed import Client
    >>> import shoal.dask
    >>> client = Client("scheduler:8786")                      # doctest: +SKIP
    >>> shoal.dask.relax(client, "library.sdf.gz", fmax=0.01)  # doctest: +SKIP
    """
    if not isinstance(client, Client):
        raise ArgumentError(f"client: expected a distributed.Client, got {client!r}")
    n_workers = max(len(client.ncores()), 1)
    n = SHARES * n_workers if shares is None else shares
    if n < 1:
        raise ArgumentError(f"shares: expected 1 or more, got {shares!r}")
    pieces = _pieces(systems, n)
    if "files" not in pieces[0] and options.get("copies") is not None:
        raise ArgumentError(
            "copies: shares of systems in memory would jitter alike; expected files"
        )
    if isinstance(options.get("forcefield", "uff"), (list, tuple)):
        raise ArgumentError("forcefield: expected one for all systems")
    if group("input", options.get("input")).shard is not None:
        raise ArgumentError("shard: Dask cuts the input into shares itself; expected no shard")
    moves = {key: options.pop(key) for key in RELAX if key in options}
    futures = [
        client.submit(
            _share,
            piece,
            device,
            options,
            moves,
            pure=False,
            retries=retries,
            resources=dict(resources) if resources else None,
        )
        for piece in pieces
    ]
    try:
        _follow(futures, progress)
        results = _joined(pieces, client.gather(futures))
    finally:
        client.cancel(futures)
    if save is not None:
        results.save(save)
    return results


def _follow(futures: Sequence[Any], progress: Any) -> None:
    """Waits for all shares, telling how many are done."""
    for done, future in enumerate(as_completed(futures), 1):
        future.result()  # raises what the share raised
        if callable(progress):
            progress(done / len(futures), done)


# --- shares ---


def _pieces(systems: Any, n: int) -> list[dict[str, Any]]:
    """What the tasks work on: every n-th record of all files, or systems in a row."""
    if isinstance(systems, (str, os.PathLike)):
        systems = [systems]
    systems = list(systems)
    if not systems:
        raise ArgumentError("systems: expected files or molecules, got none")
    paths = [isinstance(item, (str, os.PathLike)) for item in systems]
    if all(paths):
        files = [os.path.abspath(path) for path in systems]
        return [{"files": files, "shard": (k, n)} for k in range(n)]
    if any(paths):
        raise ArgumentError("systems: expected files or molecules, got both")
    bounds = np.linspace(0, len(systems), min(n, len(systems)) + 1).astype(int).tolist()
    systems = [_packed(item) for item in systems]
    return [{"systems": systems[a:b]} for a, b in zip(bounds, bounds[1:])]


def _packed(item: Any) -> Any:
    """A system as it is sent; pickled Mols would lose their names and digits of coordinates."""
    return item.ToBinary(WHOLE) if hasattr(item, "GetConformers") else item


def _unpacked(item: Any) -> Any:
    if not isinstance(item, bytes):
        return item
    from rdkit import Chem

    return Chem.Mol(item)  # type: ignore[call-overload]


def _worker_number(name: Any) -> int:
    """The last number in the name of a worker; 0 without one."""
    numbers = re.findall(r"\d+", str(name))
    return int(numbers[-1]) if numbers else 0


def _device_here(device: str | Sequence[str]) -> str:
    """The device of this worker."""
    if isinstance(device, str):
        return device
    return device[_worker_number(get_worker().name) % len(device)]


def _share(
    piece: Mapping[str, Any],
    device: str | Sequence[str],
    options: Mapping[str, Any],
    moves: Mapping[str, Any],
) -> Results:
    """Computes one share, on a worker."""
    given = dict(options)
    given.setdefault("threads", get_worker().state.nthreads)
    where = _device_here(device)
    with _one_at_a_time:
        if "files" in piece:
            given["input"] = replace(group("input", given.get("input")), shard=piece["shard"])
            batch = Batch(piece["files"], device=where, **given)
        else:
            systems = [_unpacked(item) for item in piece["systems"]]
            batch = Batch(systems, device=where, **given)
        return batch.relax(progress=False, **moves)


# --- joining ---


def _joined(pieces: Sequence[Mapping[str, Any]], parts: Sequence[Results]) -> Results:
    """Results of all shares as those of one run."""
    first = parts[0]
    out = Table(**first._table.what)
    out.surface = first.surface
    if "files" in pieces[0]:
        order = np.argsort(np.concatenate([part.index for part in parts]), kind="stable")
        rows = [(part._table, i) for part in parts for i in range(len(part))]
        _append(out, [rows[k] for k in order.tolist()], None)
    else:
        _append(out, [(part._table, i) for part in parts for i in range(len(part))], 0)
    provenance = dict(first.provenance)
    provenance["shares"] = len(parts)
    return Results(out, provenance, first.files)


def _append(out: Table, rows: Sequence[tuple[Table, int]], first: int | None) -> None:
    """Appends rows of tables; with first, they are counted anew from there."""
    from .table import CHUNK, String

    piece = String()
    for k, (table, i) in enumerate(rows):
        begin = len(piece)
        table.record(i, piece)
        if first is not None:
            _count(piece.address + begin, len(piece) - begin, first + k)
        if len(piece) >= CHUNK or k == len(rows) - 1:
            check(lib.shoal_table_take(out._ptr, piece.address, len(piece)))
            piece.clear()


def _count(address: int, size: int, index: int) -> None:
    """Gives a record its number in the whole input and in its source."""
    for dataset in (b"systems/index", b"systems/record"):
        data, width = ctypes.c_void_p(), ctypes.c_size_t()
        check(
            lib.shoal_results_record_field(
                address, size, dataset, ctypes.byref(data), ctypes.byref(width)
            )
        )
        assert width.value == 8
        ctypes.memmove(data, ctypes.byref(ctypes.c_int64(index)), 8)
