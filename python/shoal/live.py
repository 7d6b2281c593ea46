# SPDX-License-Identifier: BSD-3-Clause
# Live engines: runs that go on, and arrays that can be held and changed.
"""Arrays of a live engine and the motion of its systems; docs/live.md tells more of them."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _abi
from ._handle import Memory, choice, number, text, whole
from ._lib import ArgumentError, check, lib
from .ragged import Ragged

if TYPE_CHECKING:
    from .engine import Engine

METHODS = ("lbfgs", "fire", "md")
THERMOSTATS = ("none", "langevin", "nose-hoover")
_TYPES = (np.dtype("<f8"), np.dtype("<i4"), np.dtype("|u1"))


@dataclass(frozen=True)
class ArrayInfo:
    """A row of the table of arrays."""

    name: str
    unit: str
    what: str
    writable: bool


def array_table() -> list[ArrayInfo]:
    """All arrays that engines have, with their units."""
    rows: list[ArrayInfo] = []
    out = _abi.shoal_array()
    while lib.shoal_array_describe(len(rows), ctypes.byref(out)):
        rows.append(ArrayInfo(text(out.name), text(out.unit), text(out.what), out.writable))
    return rows


def _info(name: str) -> ArrayInfo:
    for row in array_table():
        if row.name == name:
            return row
    raise KeyError(f"no array {name!r}; there are {', '.join(r.name for r in array_table())}")


class _Part(np.ndarray):
    """What an array gives, read-only: ``array[1] *= 2`` makes a new one, which is then written."""

    def __iadd__(self, other: Any) -> np.ndarray:  # type: ignore[override,misc]
        return np.asarray(self) + other

    def __isub__(self, other: Any) -> np.ndarray:  # type: ignore[override,misc]
        return np.asarray(self) - other

    def __imul__(self, other: Any) -> np.ndarray:  # type: ignore[override,misc]
        return np.asarray(self) * other

    def __itruediv__(self, other: Any) -> np.ndarray:  # type: ignore[override,misc]
        return np.asarray(self) / other


class EngineArray:
    """One array of an engine; what it gives is of the end of the last run.

    Where all systems (of parameters: all topologies) have as many rows, its shape is [systems,
    rows, columns]; otherwise ``array[i]`` is that of system i, and ``flat`` has all rows.
    ``array[..] = x`` writes and tells the engine. ``numpy.asarray(array)`` and
    ``torch.from_dlpack(array)`` are views of the engine's memory; who writes into such a view tells
    the engine by ``changed()``.
    """

    __slots__ = ("_engine", "info")

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine = engine
        self.info = _info(name)
        """Name, unit and what it is."""

    @property
    def name(self) -> str:
        return self.info.name

    def _ask(self) -> _abi.shoal_array:
        out = _abi.shoal_array()
        with self._engine._lock:
            check(lib.shoal_engine_array(self._engine._ptr, self.name.encode(), ctypes.byref(out)))
        return out

    def _parts(self, write: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """All rows, and where those of every system or topology begin."""
        a = self._ask()
        starts = np.array(Memory(self._engine, a.starts, (a.n_blocks + 1,), "<i4"))
        shape: tuple[int, ...] = (int(starts[-1]), a.n_columns)
        kind = _TYPES[a.number]
        if 0 in shape:
            rows = np.empty(shape, kind)
        else:
            rows = np.asarray(Memory(self._engine, a.data, shape, kind.str, write and a.writable))
        if self.name == "cell":
            rows = rows.reshape(-1, 3, 3)
        elif a.n_columns == 1:
            rows = rows[:, 0]
        return rows, starts

    @property
    def flat(self) -> np.ndarray:
        """Rows of all systems, one after the other; read-only."""
        return self._parts()[0]

    @property
    def starts(self) -> np.ndarray:
        """System (of parameters: topology) i has the rows starts[i] to starts[i + 1]."""
        return self._parts()[1]

    def _shaped(self, write: bool = False) -> np.ndarray | Ragged:
        rows, starts = self._parts(write)
        counts = np.diff(starts)
        if len(counts) == len(rows) and (counts == 1).all() and self._one_each():
            return rows
        if len(counts) and (counts == counts[0]).all():
            return rows.reshape((len(counts), int(counts[0]), *rows.shape[1:]))
        return Ragged(rows, starts)

    def _one_each(self) -> bool:
        return self._ask().rows == _abi.SHOAL_ROWS_SYSTEMS

    def __getitem__(self, key: Any) -> Any:
        part = self._shaped()[key]
        return part.view(_Part) if isinstance(part, np.ndarray) else part

    def __setitem__(self, key: Any, value: Any) -> None:
        if not self.info.writable:
            raise ArgumentError(f"{self.name}: runs find it, nobody writes it")
        given = np.asarray(value)
        if given.dtype.kind not in "biuf":
            raise ArgumentError(f"{self.name}: expected real numbers, got {given.dtype}")
        target = self._shaped(write=True)
        if isinstance(target, Ragged):
            if isinstance(key, slice) and key == slice(None) or key is Ellipsis:
                target = target.flat
            else:
                target, key = target[key], Ellipsis
        try:
            target[key] = given
        except ValueError as error:
            raise ArgumentError(f"{self.name}: {error}") from None
        self.changed()

    def __iadd__(self, other: Any) -> EngineArray:
        self[...] = np.asarray(self) + other
        return self

    def __isub__(self, other: Any) -> EngineArray:
        self[...] = np.asarray(self) - other
        return self

    def __imul__(self, other: Any) -> EngineArray:
        self[...] = np.asarray(self) * other
        return self

    def __itruediv__(self, other: Any) -> EngineArray:
        self[...] = np.asarray(self) / other
        return self

    def changed(self) -> None:
        """Tells the engine that somebody wrote into a view of this array."""
        with self._engine._lock:
            check(lib.shoal_engine_changed(self._engine._ptr, self.name.encode()))

    def __len__(self) -> int:
        return len(self._shaped())

    @property
    def shape(self) -> tuple[int, ...]:
        """Of ``numpy.asarray``; of systems of different sizes that of ``flat``."""
        shaped = self._shaped()
        return shaped.flat.shape if isinstance(shaped, Ragged) else shaped.shape

    def _whole(self, write: bool) -> np.ndarray:
        shaped = self._shaped(write)
        return shaped.flat if isinstance(shaped, Ragged) else shaped

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        array = self._whole(False)
        if dtype is not None and array.dtype != dtype:
            return array.astype(dtype)
        return array.copy() if copy else array

    def __dlpack__(self, **how: Any) -> Any:
        return self._whole(True).__dlpack__(**how)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)  # memory of the host

    def __repr__(self) -> str:
        return f"<{self.name} of an Engine, in {self.info.unit}>"


class EngineArrays(Mapping[str, EngineArray]):
    """Arrays of an engine by name: ``engine.arrays["positions"]``, ``engine.arrays["bond.k"]``."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __getitem__(self, name: str) -> EngineArray:
        return EngineArray(self._engine, name)

    def __setitem__(self, name: str, value: Any) -> None:
        self[name][...] = value

    def __iter__(self) -> Iterator[str]:
        return iter([row.name for row in array_table()])

    def __len__(self) -> int:
        return len(array_table())

    def __repr__(self) -> str:
        return f"<arrays of an Engine: {', '.join(self)}>"


class KindParameters:
    """Parameters of one kind of bonded terms: ``engine.parameters["bond"].k``."""

    def __init__(self, engine: Engine, kind: str, names: list[str]) -> None:
        object.__setattr__(self, "_engine", engine)
        object.__setattr__(self, "_kind", kind)
        object.__setattr__(self, "names", names)

    def __getattr__(self, name: str) -> EngineArray:
        if name.startswith("_") or name not in self.names:
            raise AttributeError(f"{self._kind} has {', '.join(self.names)}, no {name!r}")
        return EngineArray(self._engine, f"{self._kind}.{name}")

    def __setattr__(self, name: str, value: Any) -> None:
        getattr(self, name)[...] = value

    def __dir__(self) -> list[str]:
        return list(self.names)

    def __repr__(self) -> str:
        return f"<parameters of {self._kind}: {', '.join(self.names)}>"


class EngineParameters(Mapping[str, KindParameters]):
    """Parameters of bonded terms by kind."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._names: dict[str, list[str]] = {}
        for row in array_table():
            kind, dot, name = row.name.partition(".")
            if dot:
                self._names.setdefault(kind, []).append(name)

    def __getitem__(self, kind: str) -> KindParameters:
        if kind not in self._names:
            raise KeyError(f"no kind {kind!r}; there are {', '.join(self._names)}")
        return KindParameters(self._engine, kind, self._names[kind])

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def motion(
    method: str,
    fmax: float | None,
    max_move: float | None,
    dt: float | None,
    temperature: float | None,
    thermostat: str | None,
    friction: float | None,
    tau: float | None,
    seed: int | None,
) -> _abi.shoal_motion:
    """What ``Engine.run`` is asked for, for C; options of another method are refused."""
    moving = choice("method", method, METHODS) == METHODS.index("md")
    relaxing = {"fmax": fmax, "max_move": max_move}
    moves = {"dt": dt, "temperature": temperature, "friction": friction, "tau": tau, "seed": seed}
    for name, given in (relaxing if moving else {**moves, "thermostat": thermostat}).items():
        if given is not None:
            raise ArgumentError(f"{name}: expected None with method={method!r}")
    bath = choice("thermostat", thermostat or "none", THERMOSTATS)
    if friction is not None and THERMOSTATS[bath] != "langevin":
        raise ArgumentError("friction: expected thermostat='langevin' with it")
    if tau is not None and THERMOSTATS[bath] != "nose-hoover":
        raise ArgumentError("tau: expected thermostat='nose-hoover' with it")
    return _abi.shoal_motion(
        dynamics=moving,
        method=0 if moving else METHODS.index(method),
        fmax=0.0 if fmax is None else number("fmax", fmax, least=1e-12),
        max_move=0.0 if max_move is None else number("max_move", max_move, least=1e-6),
        dt=0.0 if dt is None else number("dt", dt, above=0),
        thermostat=bath,
        friction=0.0 if friction is None else number("friction", friction, above=0),
        tau=0.0 if tau is None else number("tau", tau, above=0),
        temperature=0.0 if temperature is None else number("temperature", temperature, above=0),
        seed=0 if seed is None else whole("seed", seed, 0, 2**64 - 1),
    )
