# SPDX-License-Identifier: BSD-3-Clause
"""Molecular dynamics of many systems side by side: Batch.md, and what it finds.

Units are fs, K, eV, angstrom, angstrom/fs and amu; docs/md.md explains thermostats, segments and
the numbers that come out.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _abi
from ._handle import address_of, array_of, brief, flag, number, path_bytes, reals, whole
from ._lib import ArgumentError, check, lib
from .dataset import choose
from .molecule import Molecule, _Writer
from .progress import Choice
from .ragged import Ragged
from .results import Results, ResultsFile, _Frames
from .run import Run
from .table import Table

if TYPE_CHECKING:
    from .batch import Batch

__all__ = ["MDResults", "Trajectory", "md"]

_THERMOSTATS = {
    "none": _abi.SHOAL_THERMOSTAT_NONE,
    "langevin": _abi.SHOAL_THERMOSTAT_LANGEVIN,
    "nose-hoover": _abi.SHOAL_THERMOSTAT_NOSE_HOOVER,
}
_VELOCITIES = {"drawn": 0, "file": 1}
_HEAVIEST_HYDROGEN = 20.0  # amu
_MOST_TEMPERATURES = 256
STATE_SECONDS = 5.0  # between two states that a run can go on from

# Numbers of every system: their names here, and members of shoal_md_result.
_MEMBERS = {
    "steps": "n_steps",
    "time": "time",
    "dof": "n_dof",
    "etot0": "etot0",
    "etot": "etot",
    "drift": "drift",
    "fluctuation": "fluctuation",
    "conserved_drift": "conserved_drift",
    "samples": "n_samples",
    "temperature_mean": "temperature_mean",
    "temperature_err": "temperature_err",
    "potential_mean": "potential_mean",
    "potential_err": "potential_err",
    "bath": "temperature",
    "exchanges_tried": "n_tried",
    "exchanges": "n_swapped",
    "rigid": "n_rigid",
}
_TYPES = dict(_abi.shoal_md_result._fields_)
ROW = np.dtype(
    {
        "names": list(_MEMBERS),
        "formats": ["<i4" if _TYPES[m] is ctypes.c_int32 else "<f8" for m in _MEMBERS.values()],
        "offsets": [getattr(_abi.shoal_md_result, m).offset for m in _MEMBERS.values()],
        "itemsize": ctypes.sizeof(_abi.shoal_md_result),
    }
)
_NONE = np.zeros(1, ROW)  # of a system that failed
for _name in ROW.names or ():
    if ROW[_name].kind == "f":
        _NONE[_name] = np.nan


def _kelvin(name: str, values: Any) -> np.ndarray:
    given = np.atleast_1d(array_of(name, values))
    out = reals(name, given.reshape(-1), (None,))
    if (
        given.ndim != 1
        or not 1 <= len(out) <= _MOST_TEMPERATURES
        or not ((out >= 0) & (out <= 1e6)).all()
    ):
        raise ArgumentError(
            f"{name} {brief(values)}: expected up to {_MOST_TEMPERATURES} temperatures in K, "
            "0 to 1e6"
        )
    return out


class Settings:
    """Options of dynamics, checked, as the C library takes them."""

    def __init__(
        self,
        steps: int = 1000,
        dt: float = 0.5,
        temperature: float | Sequence[float] | None = None,
        thermostat: str | None = "langevin",
        friction: float | None = None,
        tau: float | None = None,
        seed: int = 0,
        stride: int | None = None,
        copies: int | None = None,
        temperatures: Sequence[float] | None = None,
        exchange: int | None = None,
        remove_every: int | None = None,
        hydrogen_mass: float | None = None,
        velocities: str | None = None,
        rigid_bonds: bool = False,
    ) -> None:
        bath = choose("thermostat", "none" if thermostat is None else thermostat, _THERMOSTATS)
        ladder = None if temperatures is None else _kelvin("temperatures", temperatures)
        ramp = None if temperature is None else _kelvin("temperature", temperature)
        n_kelvin = 0 if ladder is None else len(ladder)
        n_copies = n_kelvin if copies is None else whole("copies", copies, 1)
        if n_kelvin and (ramp is not None or n_copies % n_kelvin):
            raise ArgumentError(
                f"temperatures gives {n_kelvin} copies one each: expected no "
                "temperature, and copies a multiple of that"
            )
        if exchange is not None and (n_kelvin < 2 or bath == _abi.SHOAL_THERMOSTAT_NONE):
            raise ArgumentError(
                "exchange needs temperatures of two copies or more, and a thermostat"
            )
        if friction is not None and bath != _abi.SHOAL_THERMOSTAT_LANGEVIN:
            raise ArgumentError("friction: expected thermostat='langevin' with it")
        if tau is not None and bath != _abi.SHOAL_THERMOSTAT_NOSE_HOOVER:
            raise ArgumentError("tau: expected thermostat='nose-hoover' with it")
        if remove_every is not None and bath == _abi.SHOAL_THERMOSTAT_LANGEVIN:
            raise ArgumentError(
                "remove_every: langevin drives the overall motion, too; expected another thermostat"
            )
        if ramp is not None and len(ramp) > 1 and bath == _abi.SHOAL_THERMOSTAT_NONE:
            raise ArgumentError(
                "a temperature that changes needs a bath: expected thermostat "
                "langevin or nose-hoover"
            )
        heavy = None if hydrogen_mass is None else number("hydrogen_mass", hydrogen_mass, above=0)
        if heavy is not None and heavy > _HEAVIEST_HYDROGEN:
            raise ArgumentError(
                f"hydrogen_mass {heavy:g}: expected {_HEAVIEST_HYDROGEN:g} amu at most"
            )
        self._arrays = (ramp, ladder)  # C has their addresses
        self.options = _abi.shoal_md_options(
            n_steps=whole("steps", steps, 1),
            dt=number("dt", dt, above=0),
            thermostat=bath,
            friction=0.0 if friction is None else number("friction", friction, above=0),
            tau=0.0 if tau is None else number("tau", tau, above=0),
            temperatures=None if ramp is None else ramp.ctypes.data,
            n_temperatures=0 if ramp is None else len(ramp),
            seed=whole("seed", seed, 0, 2**64 - 1),
            stride=0 if stride is None else whole("stride", stride, 1),
            remove_every=0 if remove_every is None else whole("remove_every", remove_every, 1),
            exchange_every=0 if exchange is None else whole("exchange", exchange, 1),
            n_copies=n_kelvin,
            hydrogen_mass=heavy or 0.0,
            rigid_bonds=flag("rigid_bonds", rigid_bonds),
            copy_temperatures=None if ladder is None else ladder.ctypes.data,
            own_velocities=bool(choose("velocities", velocities or "drawn", _VELOCITIES)),
        )
        # Copies differ by their numbers alone, which their velocities are drawn by.
        self._jitter = _abi.shoal_jitter(n_copies=n_copies)
        self.variants = None
        if n_copies:
            self.variants = _abi.shoal_variants()
            check(
                lib.shoal_jitter_variants(ctypes.byref(self._jitter), ctypes.byref(self.variants))
            )
            self.variants.group = n_kelvin if exchange is not None else 0


class Taker:
    """Keeps what dynamics found of every system by its number, as bytes: the stream forgets it."""

    def __init__(self) -> None:
        self.rows: dict[int, bytes] = {}
        self.velocities: dict[int, bytes] = {}
        self.masses: dict[int, bytes] = {}

    def visit(self, systems: Any, n: int) -> None:
        """Takes consecutive systems of a stream."""
        copy = ctypes.string_at
        for k in range(n):
            system = systems[k]
            if not system.md or system.unfinished:
                continue
            i, found = system.index, system.md.contents
            n_atoms = lib.shoal_molecule_n_atoms(system.mol)
            self.rows[i] = bytes(found)
            self.velocities[i] = copy(found.velocities, 24 * n_atoms)
            self.masses[i] = copy(found.masses, 8 * n_atoms)

    def columns(self, index: Sequence[int]) -> np.ndarray:
        """Numbers of some systems; NaN and 0 of those that have none."""
        none = _NONE.tobytes()
        return np.frombuffer(b"".join(self.rows.get(i, none) for i in index), dtype=ROW)

    def ragged(self, index: Sequence[int], starts: np.ndarray) -> tuple[Ragged, Ragged]:
        """Velocities and masses of some systems, whose atoms have these places."""
        sizes = np.diff(starts).tolist()
        none = np.full(3 * max(sizes, default=0), np.nan).tobytes()

        def join(found: dict[int, bytes], width: int) -> np.ndarray:
            parts = (found.get(i) or none[: 8 * width * n] for i, n in zip(index, sizes))
            return np.frombuffer(b"".join(parts), dtype=np.float64)

        return (
            Ragged(join(self.velocities, 3).reshape(-1, 3), starts),
            Ragged(join(self.masses, 1), starts),
        )


def _column(name: str, text: str) -> property:
    return property(lambda self: self._md[name], doc=text)


class MDResults(Results):
    """What dynamics found of every system; see Batch.md.

    As Results it holds the systems at the end of the run (energy is the potential one, eV). One
    number per system besides; what a system that failed does not have is NaN.
    """

    _stopped: dict[str, Any] | None = None  # state and options of a run that Ctrl-C ended

    def __init__(
        self,
        table: Table,
        provenance: Any = None,
        files: Sequence[str] = (),
        *,
        columns: np.ndarray,
        velocities: Ragged,
        masses: Ragged,
        trajectory: Trajectory | None = None,
    ) -> None:
        super().__init__(table, provenance, files)
        self._md = columns
        self._velocities = velocities
        self.masses = masses
        """amu; masses[i] is [n_atoms]."""
        self.frames = trajectory

    steps = _column("steps", "[n] steps that were made.")
    time = _column("time", "[n] fs.")
    dof = _column("dof", "[n] degrees of freedom that temperatures are counted by.")
    etot0 = _column("etot0", "[n] eV: potential and kinetic energy at the start.")
    etot = _column("etot", "[n] eV: the same at the end.")
    drift = _column("drift", "[n] eV/ns per degree of freedom: slope of the line through etot.")
    fluctuation = _column("fluctuation", "[n] eV: root mean square of etot about that line.")
    conserved_drift = _column(
        "conserved_drift", "[n] eV/ns per degree of freedom, of what a Nose-Hoover chain keeps."
    )
    samples = _column("samples", "[n] samples of the averages.")
    temperature_mean = _column("temperature_mean", "[n] K.")
    temperature_err = _column("temperature_err", "[n] K: error of the mean, by blocks.")
    potential_mean = _column("potential_mean", "[n] eV.")
    potential_err = _column("potential_err", "[n] eV.")
    bath = _column("bath", "[n] K: of the thermostat at the end.")
    exchanges_tried = _column("exchanges_tried", "[n] swaps that the copy might have made.")
    exchanges = _column("exchanges", "[n] swaps that the copy made.")
    rigid = _column("rigid", "[n] rigid bonds.")

    @property
    def velocities(self) -> Ragged:
        """angstrom/fs at the end; velocities[i] is [n_atoms, 3]."""
        return self._velocities

    @property
    def trajectory(self) -> Trajectory:
        """Frames of all systems, one system after the other: energy, time, kinetic, bath,
        positions, velocities, forces; trajectory.index tells the system."""
        if self.frames is None:
            raise AttributeError("these results have no trajectory; ask for it with frames=True")
        return self.frames

    def slice_of(self, i: int) -> slice:
        """Rows of the trajectory that belong to system i."""
        index = self.trajectory.index
        mine = self.index[i]
        return slice(
            int(np.searchsorted(index, mine)), int(np.searchsorted(index, mine, side="right"))
        )

    def trajectory_of(self, i: int) -> Trajectory:
        """The frames of system i alone, copied."""
        return self.trajectory[self.slice_of(i)]

    def _shown(self) -> dict[str, Any]:
        def mean(k: int) -> str:
            return f"{self.temperature_mean[k]:.1f} ± {self.temperature_err[k]:.1f}"

        drift = {"drift / eV/ns": lambda k: f"{self.drift[k]:.3g}"}
        return {**super()._shown(), "mean temperature / K": mean, **drift}

    def _dataframe(self) -> Any:
        """A pandas.DataFrame with a row for every system at the end of its run."""
        out = super()._dataframe()
        for name in self._md.dtype.names or ():
            out[name] = self._md[name]
        return out

    def _part(self, rows: np.ndarray) -> MDResults:
        part = super()._part(rows)
        out = MDResults(
            part._table,
            part.provenance,
            part.files,
            columns=self._md[rows],
            velocities=_rows(self._velocities, rows),
            masses=_rows(self.masses, rows),
        )
        if self.frames is not None:
            out.frames = self.frames[np.isin(self.frames.index, out.index)]
        return out


class Trajectory(Results):
    """Frames of dynamics, those of a system one after the other; ``index`` tells the system.

    Beside what all Results have: time (fs), kinetic (eV), bath (K), velocities (angstrom/fs).
    """

    def __init__(
        self,
        table: Table,
        provenance: Any = None,
        files: Sequence[str] = (),
        *,
        masses: dict[int, np.ndarray] | None = None,
    ) -> None:
        super().__init__(table, provenance, files)
        self.masses = masses or {}
        """amu, by the number of the system."""

    def _part(self, rows: np.ndarray) -> Trajectory:
        part = super()._part(rows)
        return Trajectory(part._table, part.provenance, part.files, masses=self.masses)

    def write(self, path: Any) -> None:
        """Writes all frames; extended xyz has momenta (in the unit of ASE) and masses, too."""
        writer = _Writer()
        writer._create("shoal_writer_open", path_bytes("path", path), _abi.SHOAL_FORMAT_AUTO)
        columns = {name: self.column("systems/" + name) for name in ("time", "kinetic", "bath")}
        frames, mol, velocities = _Frames(self), Molecule._empty(), self.velocities
        for i, index in enumerate(self.index.tolist()):
            frame = frames.fill(i)
            frame.types = None  # the same in all frames
            for name, values in columns.items():
                setattr(frame, name, address_of(values) + i * values.strides[0])
            masses = self.masses.get(index)
            known = masses is not None and bool(np.isfinite(masses).all())
            frame.velocities = address_of(velocities[i]) if known else None
            frame.masses = address_of(masses) if known else None
            check(lib.shoal_table_molecule(self._table._ptr, i, mol._ptr))
            check(lib.shoal_writer_put(writer._ptr, mol._ptr, ctypes.byref(frame)))
        check(lib.shoal_writer_close(writer._ptr))


def join(arrays: Sequence[np.ndarray], shape: tuple[int, ...]) -> Ragged:
    """Arrays of systems as one ragged array; shape: that of a row."""
    starts = np.zeros(len(arrays) + 1, dtype=np.int64)
    np.cumsum([len(a) for a in arrays], out=starts[1:])
    return Ragged(np.concatenate(arrays) if arrays else np.empty((0, *shape)), starts)


def _rows(ragged: Ragged, rows: np.ndarray) -> Ragged:
    return join([ragged[int(k)] for k in rows], ragged.flat.shape[1:])


def md(
    batch: Batch,
    steps: int = 1000,
    dt: float = 0.5,
    temperature: float | Sequence[float] | None = None,
    thermostat: str | None = "langevin",
    *,
    friction: float | None = None,
    tau: float | None = None,
    seed: int = 0,
    stride: int | None = None,
    copies: int | None = None,
    temperatures: Sequence[float] | None = None,
    exchange: int | None = None,
    remove_every: int | None = None,
    hydrogen_mass: float | None = None,
    velocities: str | None = None,
    rigid_bonds: bool = False,
    frames: bool = True,
    forces: bool = True,
    progress: Choice = None,
    save: Any = None,
    resume: MDResults | None = None,
) -> MDResults:
    """Moves every system of a batch by Newton's equations: Batch.md.

    steps of dt fs. temperature: K, of the bath and of the first velocities (None: 300); several: a
    ramp over the run, in pieces of equal length. thermostat: "langevin" (friction in 1/fs, 0.01 by
    default), "nose-hoover" (tau in fs, 20 by default) or None, which keeps the energy. seed: of all
    random numbers. stride: a frame and a sample every so many steps (None: 100, or a tenth of a
    short run). copies: so many of every system, with other velocities; temperatures: K, of the
    copies, one each; exchange:
    neighbours among them may swap temperatures every so many steps. remove_every: takes overall
    motion out every so many steps. hydrogen_mass: amu, of bound hydrogens, taken from their
    neighbours. velocities: to begin with, "drawn" (the default) or "file": those of the molecules,
    which files of trajectories and Atoms give. rigid_bonds: bonds to hydrogen keep the lengths that
    they have at rest, so that dt may be 2. frames: whether the trajectory is kept, with its
    forces. save: a file of results
    (.h5) that its frames are written to meanwhile, as ``shoal md -o`` does.

    Ctrl-C raises KeyboardInterrupt with what was finished as its results; the same call with
    resume=error.results goes on from the last state of the systems that were under way, and ends
    with the bits of a run that nobody stopped.

    >>> import shoal
    >>> r = shoal.Batch("examples/demo.sdf").md(steps=200, temperature=300, seed=1, stride=50)
    >>> print(r.status[0], r.trajectory_of(0).time)
    ok [  0.  25.  50.  75. 100.]
    """
    frames = flag("frames", frames)
    settings = Settings(
        steps,
        dt,
        temperature,
        thermostat,
        friction,
        tau,
        seed,
        stride,
        copies,
        temperatures,
        exchange,
        remove_every,
        hydrogen_mass,
        velocities,
        rigid_bonds,
    )
    if settings.variants is not None and batch.copies is not None:
        raise ArgumentError("copies: the batch has copies already; expected them once")
    taker = Taker()

    def results(table: Table, provenance: Any, files: Sequence[str]) -> MDResults:
        at = Results(table)
        index = at.index.tolist()
        velocities, masses = taker.ragged(index, np.array(at.positions.starts))
        columns = taker.columns(index)
        return MDResults(
            table, provenance, files, columns=columns, velocities=velocities, masses=masses
        )

    told = {
        "steps": steps,
        "dt": dt,
        "temperature": temperature,
        "thermostat": thermostat,
        "friction": friction,
        "tau": tau,
        "stride": stride,
        "copies": copies,
        "temperatures": temperatures,
        "exchange": exchange,
        "remove_every": remove_every,
        "hydrogen_mass": hydrogen_mass,
        "velocities": velocities,
        "rigid_bonds": rigid_bonds,
    }
    run = MDRun(
        batch,
        _abi.SHOAL_JOB_MD,
        label="md",
        md=settings.options,
        variants=settings.variants,
        visit=taker.visit,
        frames=frames,
        forces=forces,
        seed=seed,
        told={k: v for k, v in {**told, "frames": frames}.items() if v is not None},
        results_type=results,
        progress=progress,
    )
    run.keep.append(settings)
    run.options.resume.seconds = STATE_SECONDS
    if resume is not None:
        run.go_on(resume, taker)
    if save is not None:
        run.save_frames(save, resume)
    return run.results()


class MDRun(Run):
    """A run that keeps its state when it is stopped, and goes on from one."""

    state = b""

    def _monitor(self, user: Any, told: Any) -> bool:
        goes_on = super()._monitor(user, told)
        if not goes_on:  # told once more when all threads have stopped
            p = told.contents
            self.state = ctypes.string_at(p.state, p.state_size) if p.state else b""
        return goes_on

    def _gather(self) -> Any:
        found = super()._gather()
        if found is not None and found.frames is not None:
            masses = dict(zip(found.index.tolist(), found.masses))
            table, told = found.frames._table, found.provenance
            found.frames = Trajectory(table, told, found.files, masses=masses)
        if found is not None and self.interrupt.noted:
            found._stopped = {"state": self.state, "options": self._fingerprint()}
        return found

    def save_frames(self, path: Any, before: MDResults | None) -> None:
        """Frames go to a file, too, behind those of an interrupted run."""
        if self.frames is None:
            raise ArgumentError("save: the file holds frames; expected frames=True with it")
        self._check_name(path)
        table = self.frames
        file = self.file = ResultsFile(path, table.what, self.provenance(), self._files())
        old = before.trajectory if before is not None else None
        for piece in old._table.chunks(range(len(old))) if old is not None else ():
            file.write(piece.address, len(piece))

        @_abi.shoal_sink_write
        def write(_user: Any, at: int, size: int) -> int:
            status = lib.shoal_table_take(table._ptr, at, size)
            return (
                status if status != _abi.SHOAL_OK else lib.shoal_results_write(file._ptr, at, size)
            )

        self.keep.append(write)
        self.sinks[1].write = write  # behind the one of the systems

    def _fingerprint(self) -> str:
        return repr((self.told_options(), self.seed, self.fingerprint()))

    def go_on(self, before: Any, taker: Taker) -> None:
        """Takes over what an interrupted run has found, and its state."""
        stopped = before._stopped if isinstance(before, MDResults) else None
        if stopped is None:
            raise ArgumentError("resume: expected the results of a run that Ctrl-C ended")
        if stopped["options"] != self._fingerprint():
            raise ArgumentError("resume: expected systems and options of the run that was ended")
        for mine, old in ((self.table, before), (self.frames, before.frames)):
            if mine is not None and old is not None:
                for piece in old._table.chunks(range(len(old))):
                    check(lib.shoal_table_take(mine._ptr, piece.address, len(piece)))
        for i, index in enumerate(before.index.tolist()):
            if before.samples[i] > 0:
                taker.rows[index] = before._md[i].tobytes()
                taker.velocities[index] = before.velocities[i].tobytes()
                taker.masses[index] = before.masses[i].tobytes()
        self.options.input.first = int(before.index[-1]) + 1 if len(before) else 0
        if stopped["state"]:
            text = ctypes.create_string_buffer(stopped["state"], len(stopped["state"]))
            self.keep.append(text)
            self.options.resume.state = ctypes.cast(text, ctypes.c_void_p)
            self.options.resume.size = len(text)
