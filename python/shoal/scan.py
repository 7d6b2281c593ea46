# SPDX-License-Identifier: BSD-3-Clause
"""Scans: energies along coordinates, rigid or relaxed, and what they say: minima and barriers.

Batch.scan makes them. Energies are in eV, lengths in angstrom, angles in degrees; docs/scans.md
explains coordinates and how points are made.
"""

from __future__ import annotations

import ctypes
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _abi
from ._handle import Handle, brief, flag, integers, number, path_bytes, whole, word
from ._lib import ArgumentError, check, lib
from .coordinate import Coordinate
from .molecule import Molecule
from .options import FMAX, MAX_STEPS
from .progress import Choice
from .results import Results
from .run import Run
from .table import Table

if TYPE_CHECKING:
    from .batch import Batch

__all__ = ["Coordinate", "EquationOfState", "Minimum", "ScanResults", "scan"]

WITH_NUMBERS = (
    _abi.SHOAL_SYSTEM_OK,
    _abi.SHOAL_SYSTEM_CONVERGED,
    _abi.SHOAL_SYSTEM_MAX_STEPS,
    _abi.SHOAL_SYSTEM_STALLED,
    _abi.SHOAL_SYSTEM_COLLAPSED,
)


SIGNS = {"A": "Å", "degrees": "°", "V": "V"}


@dataclass(frozen=True)
class EquationOfState:
    """Energies of volumes by Birch and Murnaghan: what is where they are lowest.

    volume: angstrom^3; energy: eV; bulk_modulus: GPa; slope: what that grows by with the pressure;
    error: eV, root of the mean square of what is left.
    """

    volume: float
    energy: float
    bulk_modulus: float
    slope: float
    error: float


@dataclass(frozen=True)
class Minimum:
    """A minimum of a scan, and the lowest way over which it reaches a lower one.

    point: values of the coordinates; energy and barrier_energy in eV; barrier: the highest point on
    the way, None of the lowest minimum. at_edge: the energy may go on downhill beyond the grid.
    """

    place: tuple[int, ...]
    point: tuple[float, ...]
    energy: float
    at_edge: bool
    barrier: tuple[float, ...] | None
    barrier_energy: float


class Scan(Handle):
    """A scan of the C library: the variants of a stream, and what their energies say."""

    _destroy = "shoal_scan_destroy"

    def __init__(self, coordinates: Sequence[Coordinate], **options: Any) -> None:
        rows = (_abi.shoal_coordinate * max(len(coordinates), 1))(*(c._c() for c in coordinates))
        given = _abi.shoal_scan_options(coordinates=rows, n_coordinates=len(coordinates), **options)
        self._create("shoal_scan_create", ctypes.byref(given))

    @property
    def size(self) -> int:
        """Points of one copy of a record."""
        return int(lib.shoal_scan_size(self._ptr))

    def variants(self) -> _abi.shoal_variants:
        out = _abi.shoal_variants()
        check(lib.shoal_scan_variants(self._ptr, ctypes.byref(out)))
        return out

    def restraints(self) -> list[_abi.shoal_restraint]:
        """Those that hold the coordinates, copied."""
        n = ctypes.c_int32()
        rows = lib.shoal_scan_restraints(self._ptr, ctypes.byref(n))
        return [_abi.shoal_restraint.from_buffer_copy(rows[k]) for k in range(n.value)]

    def locate(self, variant: int, n_values: int) -> tuple[np.ndarray, int]:
        """Values of a point, and its place in the grid."""
        values, place = np.empty(n_values), ctypes.c_int64()
        check(lib.shoal_scan_locate(self._ptr, variant, values.ctypes.data, ctypes.byref(place)))
        return values, place.value


class Held:
    """How relaxed points were held, by their numbers: what the stream forgets."""

    def __init__(self, scan: Scan, n_values: int) -> None:
        self.scan = scan
        self.n_values = n_values
        self.rows: dict[int, np.ndarray] = {}
        self.before: dict[int, tuple[float, float]] = {}
        """eV: of restraints at the start, and of the molecule alone; until its record is made."""

    def visit(self, systems: Any, n: int) -> None:
        """Takes what is known of consecutive systems."""
        table = np.full((n, self.n_values), np.nan)
        at, width, of_restraint = (
            table.ctypes.data,
            8 * self.n_values,
            8 * _abi.SHOAL_TERM_RESTRAINT,
        )
        for k in range(n):
            system = systems[k]
            result = system.result
            if self.n_values and result.status in WITH_NUMBERS:
                there = at + k * width
                held = lib.shoal_scan_held(self.scan._ptr, ctypes.byref(system), there)
                if held != _abi.SHOAL_OK:
                    table[k] = np.nan
            self.rows[system.index] = table[k]
            strain = 0.0
            if result.terms0:
                strain = ctypes.c_double.from_address(result.terms0 + of_restraint).value
            self.before[system.index] = (strain, system.isolated_energy)

    def of(self, index: np.ndarray) -> np.ndarray:
        """Rows of some points; NaN of those that an earlier run has made."""
        none = np.full(self.n_values, np.nan)
        rows = [self.rows.get(int(i), none) for i in index]
        return np.array(rows).reshape(len(rows), self.n_values)


class RelaxedRun(Run):
    """A run whose records have energies without restraints: those hold a point, and no more."""

    held: Held

    def _sink(self, more: list[_abi.shoal_sink]) -> None:
        assert self.table is not None
        if self.restart is not None:
            super()._sink(more)
            return
        table = self.table
        what = _abi.shoal_results_what(**table.what)
        form = ctypes.cast(lib.shoal_results_format, _abi.shoal_sink_format)

        @_abi.shoal_sink_write
        def write(_user: Any, at: int, size: int) -> int:
            if not self.edited(at, size):
                return _abi.SHOAL_E_ARGUMENT
            return lib.shoal_table_take(table._ptr, at, size)

        self.keep += [what, write, form]
        sink = _abi.shoal_sink(format=form, write=write, user=ctypes.addressof(what))
        self.sinks = (_abi.shoal_sink * (1 + len(more)))(sink, *more)
        self.options.output.sinks = self.sinks
        self.options.output.n_sinks = len(self.sinks)

    def _edit(self, at: int, size: int) -> None:
        """Takes the energies of restraints out of records, in place."""
        index, length = ctypes.c_int64(), ctypes.c_size_t()
        index_at, length_at = ctypes.byref(index), ctypes.byref(length)
        end, number = at + size, ctypes.c_double.from_address
        # Columns of systems come first in a record, with rows of one size: all have these places.
        names = (b"systems/energy", b"systems/energy0", b"systems/terms")
        energy, energy0, terms = (_field(at, size, name) - at for name in names)
        restraint = terms + 8 * _abi.SHOAL_TERM_RESTRAINT
        adsorbs = self.options.compute.adsorption
        adsorbed = _field(at, size, b"systems/adsorption_energy") - at if adsorbs else 0
        while at < end:
            check(lib.shoal_results_record_index(at, end - at, index_at, length_at))
            number(at + energy).value -= number(at + restraint).value
            strain, alone = self.held.before.pop(index.value)
            number(at + energy0).value -= strain
            if adsorbs:
                number(at + adsorbed).value = number(at + energy).value - alone
            at += length.value


def _field(at: int, size: int, name: bytes) -> int:
    """Where a field of the record there lies; it need not be aligned."""
    data, n = ctypes.c_void_p(), ctypes.c_size_t()
    check(lib.shoal_results_record_field(at, size, name, ctypes.byref(data), ctypes.byref(n)))
    return data.value or 0


def analysis_of(coordinates: Sequence[Coordinate]) -> Scan:
    """A scan that is good for the analysis of energies; x .. rz need something that moves."""
    moves = any(not c.atoms and c.kind != "volume" for c in coordinates)
    atom = ctypes.c_int32(0)
    return Scan(coordinates, move=ctypes.addressof(atom) if moves else None, n_move=int(moves))


class ScanResults(Results):
    """Points of a scan, those of the first molecule first, as Results; see Batch.scan. A part of
    them has the same grid, with NaN where it has no points.

    Energies do not contain the restraints that hold a relaxed point: restraint_energy does.
    ``energies[i]`` are those of molecule i (or of its copies, one after the other) on the grid of
    the coordinates, ``values[k]`` the values of coordinate k along that grid.
    """

    def __init__(
        self,
        table: Table,
        provenance: Any = None,
        files: Sequence[str] = (),
        *,
        coordinates: Sequence[Coordinate] = (),
        n_frames: int = 0,
        n_copies: int = 1,
        held: np.ndarray | None = None,
    ) -> None:
        super().__init__(table, provenance, files)
        self.coordinates = tuple(coordinates)
        self.shape = tuple(c.n for c in coordinates) or (n_frames,)
        """Points along every coordinate; of frames, their number."""
        self.n_copies = n_copies
        self.held = held
        """[points, coordinates] of a relaxed scan: how far each ended from its value (angstrom,
        degrees); NaN where it failed. None of a rigid one."""
        self._scan: Scan | None = None

    @property
    def n_points(self) -> int:
        """Points of one molecule, or of one copy of it."""
        return int(np.prod(self.shape))

    @property
    def values(self) -> tuple[np.ndarray, ...]:
        """Values of every coordinate along the grid, angstrom or degrees; of frames, numbers."""
        if not self.coordinates:
            return (np.arange(self.n_points, dtype=float),)
        scan, n = self._analysis(), len(self.coordinates)
        strides = [int(np.prod(self.shape[k + 1 :])) for k in range(n)]
        return tuple(
            np.array([scan.locate(i * strides[k], n)[0][k] for i in range(self.shape[k])])
            for k in range(n)
        )

    @property
    def place(self) -> np.ndarray:
        """[points] where each lies in the grid, the last coordinate running fastest."""
        return np.asarray(self.variant) % self.n_points

    @property
    def points(self) -> np.ndarray:
        """[points, coordinates] values of every point, angstrom and degrees."""
        grid = np.stack(np.meshgrid(*self.values, indexing="ij"), axis=-1)
        return grid.reshape(self.n_points, len(self.shape))[self.place]

    @property
    def energies(self) -> np.ndarray:
        """[molecules and copies, n, n, ..] eV on the grid; NaN where a point failed."""
        index = np.asarray(self.index)
        of = index // self.n_points
        rows, at = np.unique(of, return_inverse=True)
        out = np.full((len(rows), self.n_points), np.nan)
        out[at, self.place] = self.energy
        return out.reshape(len(rows), *self.shape)

    @property
    def restraint_energy(self) -> np.ndarray:
        """[points] eV, of what holds the coordinates; no part of the energy."""
        return self.terms["restraint"]

    def _shown(self) -> dict[str, Any]:
        columns, points = super()._shown(), self.points
        for k, c in enumerate(self.coordinates):
            columns[f"{c.name} / {SIGNS[c.unit]}"] = lambda i, k=k: (
                f"{points[i, k]:.6g}"
            )
        return columns

    def _dataframe(self) -> Any:
        """A pandas.DataFrame with a row for every point, and its values in front."""
        out = super()._dataframe()
        names = [c.name for c in self.coordinates] or ["frame"]
        for k, name in enumerate(names):
            out.insert(k, name, self.points[:, k])
        if self.held is not None:
            for k, name in enumerate(names):
                out[f"held {name}"] = self.held[:, k]
        return out

    def _analysis(self) -> Scan:
        if self._scan is None:
            self._scan = analysis_of(self.coordinates)
        return self._scan

    def _curve(self, i: int) -> np.ndarray:
        if not self.coordinates:
            raise ArgumentError("a scan of frames has no grid: expected coordinates")
        all_of = self.energies
        if not -len(all_of) <= i < len(all_of):
            raise ArgumentError(f"molecule {i}: expected 0 to {len(all_of) - 1}")
        return np.ascontiguousarray(all_of[i].ravel())

    def _points(self) -> Callable[[int], tuple[float, ...]]:
        """The values of a place in the grid, for many of them."""
        values = self.values

        def point(place: int) -> tuple[float, ...]:
            at = np.unravel_index(place, self.shape)
            return tuple(float(v[k]) for v, k in zip(values, at))

        return point

    def minima(self, i: int = 0) -> list[Minimum]:
        """Minima of molecule (or copy) i, the lowest first; dents below 0.1 meV are none."""
        energies = self._curve(i)
        most = 1024
        while True:
            rows, n = (_abi.shoal_scan_minimum * most)(), ctypes.c_int32()
            check(
                lib.shoal_scan_minima(
                    self._analysis()._ptr, energies.ctypes.data, rows, most, ctypes.byref(n)
                )
            )
            if n.value <= most:
                break
            most = n.value
        point = self._points()
        return [
            Minimum(
                tuple(int(k) for k in np.unravel_index(m.place, self.shape)),
                point(m.place),
                m.energy,
                m.at_edge,
                point(m.barrier) if m.barrier >= 0 else None,
                m.barrier_energy if m.barrier >= 0 else np.nan,
            )
            for m in rows[: n.value]
        ]

    def barriers(self, i: int = 0) -> list[tuple[float, float]]:
        """Maxima between neighbouring minima of the curve of molecule i: (value, energy in eV)."""
        energies = self._curve(i)
        if len(self.shape) != 1:
            raise ArgumentError(
                f"barriers are those of curves; expected one coordinate, found "
                f"{len(self.shape)}: see the barrier of minima"
            )
        places, n = (ctypes.c_int64 * len(energies))(), ctypes.c_int32()
        check(
            lib.shoal_scan_maxima(
                self._analysis()._ptr, energies.ctypes.data, places, len(energies), ctypes.byref(n)
            )
        )
        point = self._points()
        return [(point(p)[0], float(energies[p])) for p in places[: n.value]]

    def equation_of_state(self, i: int = 0) -> EquationOfState:
        """Of the curve of crystal i, whose only coordinate is its volume."""
        if [c.kind for c in self.coordinates] != ["volume"]:
            raise ArgumentError("equations of state are those of volumes: expected volume alone")
        of, energies = np.asarray(self.index) // self.n_points, self._curve(i)
        row = int(np.flatnonzero(of == np.unique(of)[i])[0])
        if not self._system("pbc")[row].all():
            raise ArgumentError("equations of state are those of crystals: expected three periods")
        volume = abs(np.linalg.det(self._system("cell")[row].reshape(3, 3)))
        volumes = volume / self.points[row, 0] * self.values[0]
        out = _abi.shoal_equation_of_state()
        check(
            lib.shoal_equation_of_state_fit(
                volumes.ctypes.data, energies.ctypes.data, len(volumes), ctypes.byref(out)
            )
        )
        gpa = lib.shoal_unit_value(_abi.SHOAL_UNIT_GIGAPASCAL)
        return EquationOfState(out.volume, out.energy, out.bulk / gpa, out.slope, out.error)

    def picture(
        self,
        path: Any,
        i: int = 0,
        *,
        title: str | None = None,
        limits: tuple[float, float] | None = None,
    ) -> None:
        """Draws the curve, or the map of two coordinates, of molecule i: .svg by the library with
        the minima marked, other endings by matplotlib (shoal.plot.scan). limits: energies above
        the lowest, eV, that are shown; None: without the steep walls of overlaps."""
        energies = self._curve(i)
        if title is None:
            of = np.asarray(self.index) // self.n_points
            title = self.name[int(np.flatnonzero(of == np.unique(of)[i])[0])]
        if not str(path).endswith(".svg"):
            from .plot import save, scan

            ax = scan(self, molecule=i, limits=limits)
            ax.set_title(title)
            save(ax, path)
            return
        low, high = _limits(limits)
        figure = _abi.shoal_scan_figure(title=word("title", title), low=low, high=high)
        check(
            lib.shoal_scan_plot(
                self._analysis()._ptr,
                energies.ctypes.data,
                ctypes.byref(figure),
                path_bytes("path", path),
            )
        )

    def _part(self, rows: np.ndarray) -> ScanResults:
        part = super()._part(rows)
        return ScanResults(
            part._table,
            part.provenance,
            part.files,
            coordinates=self.coordinates,
            n_frames=self.n_points,
            n_copies=self.n_copies,
            held=None if self.held is None else self.held[rows],
        )

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_scan": None}  # made again when it is asked for


def _limits(limits: tuple[float, float] | None) -> tuple[float, float]:
    """Energies above the lowest; both 0 where nothing was asked for."""
    if limits is None:
        return 0.0, 0.0
    low, high = (number("limits", x, least=0) for x in limits)
    if not high > low:
        raise ArgumentError(f"limits: expected two increasing energies, got {limits!r}")
    return low, high


def _told(geometries: Sequence[Molecule]) -> str:
    """How many geometries, and which: a scan that goes on has the same."""
    sum_of = zlib.crc32(b"".join(np.asarray(g.positions).tobytes() for g in geometries))
    return f"{len(geometries)} {sum_of:08x}"


def scan(
    batch: Batch,
    *coordinates: str | Coordinate,
    frames: Any = None,
    move: Any = None,
    anchor: int | None = None,
    relaxed: bool = False,
    shape: bool = False,
    starts: int | None = None,
    follow: bool = False,
    hold_length: float | None = None,
    hold_angle: float | None = None,
    copies: int | None = None,
    jitter: float | None = None,
    seed: int | None = None,
    fmax: float | None = None,
    max_steps: int | None = None,
    method: str | None = None,
    adsorption: bool = False,
    forces: bool = False,
    progress: Choice = None,
    save: Any = None,
    resume: bool = False,
) -> ScanResults:
    """Computes every system of a batch at all points of a grid of coordinates: Batch.scan.

    coordinates: texts such as "torsion:0,1,2,3=0:360:5" or Coordinate objects; points are their
    product. frames: geometries instead, molecules or a path. move: atoms that x .. rz move,
    relative to the centre of the others; without it the whole molecule above a surface. anchor:
    the atom that x .. rz are those of, instead of the centre.

    relaxed: every point is relaxed (fmax in eV/angstrom, max_steps, method) with its coordinates
    held by springs of hold_length (2000 eV/angstrom^2) and hold_angle (4000 eV/rad^2). shape:
    the shape of cells, too, at every volume. starts: from
    so many geometries, of which the lowest result stays; follow: from the results of its
    neighbours, too, until none falls. copies, jitter (angstrom), seed: copies of every
    system, those of the batch unless given. save, resume: as of Batch.relax.

    >>> import shoal
    >>> r = shoal.Batch("examples/butane.sdf").scan("torsion:0,1,2,3=-180:180:10", relaxed=True)
    >>> r.energies.shape, r.minima()[0].point
    ((1, 37), (-180.0,))
    """
    relaxed, follow, shape = flag("relaxed", relaxed), flag("follow", follow), flag("shape", shape)
    given = [c if isinstance(c, Coordinate) else Coordinate.parse(_text(c)) for c in coordinates]
    geometries = _frames(frames, batch)
    if bool(given) == bool(geometries):
        raise ArgumentError("scan: expected coordinates or frames")
    if not relaxed and any(
        x is not None for x in (hold_length, hold_angle, fmax, max_steps, method)
    ):
        raise ArgumentError(
            "hold_length, hold_angle, fmax, max_steps and method: expected relaxed=True with them"
        )
    own = batch.systems
    if not relaxed and (own.restraints or own.in_memory and own.records["n_restraints"].any()):
        raise ArgumentError("restraints hold what is relaxed: expected relaxed=True with them")
    made, kept, n_copies = _make(
        batch,
        given,
        geometries,
        move,
        anchor,
        copies,
        jitter,
        seed,
        relaxed=relaxed,
        shape=shape,
        starts=starts,
        follow=follow,
        hold_length=hold_length,
        hold_angle=hold_angle,
    )
    points, n_values = made.size, len(given) or 1
    held = Held(made, len(given))

    def results(table: Table, provenance: Any, files: Sequence[str]) -> ScanResults:
        out = ScanResults(
            table,
            provenance,
            files,
            coordinates=given,
            n_frames=len(geometries),
            n_copies=n_copies,
        )
        out.held = held.of(out.index) if relaxed and given else None
        return out

    told = {
        "coordinates": [str(c) for c in given],
        "relaxed": relaxed,
        "shape": shape,
        "starts": starts,
        "follow": follow,
        "move": move,
        "anchor": anchor,
        "copies": n_copies,
        "jitter": jitter,
        "seed": seed,
        "hold_length": hold_length,
        "hold_angle": hold_angle,
        "fmax": fmax,
        "max_steps": max_steps,
        "method": method,
        "frames": _told(geometries),
    }
    how = dict(
        label="scan",
        variants=made.variants(),
        restraints=made.restraints(),
        forces=forces,
        adsorption=adsorption,
        told={k: v for k, v in told.items() if v},
        repeats=float(points * (starts or 1)),
        seed=seed,
        results_type=results,
        progress=progress,
        save=save,
        resume=resume,
    )
    if not relaxed:
        run = Run(batch, _abi.SHOAL_JOB_ENERGY, **how)
    else:
        relax = batch.relax_options(
            FMAX if fmax is None else fmax,
            MAX_STEPS if max_steps is None else max_steps,
            method or "lbfgs",
        )
        if shape:
            relax.cell = _abi.SHOAL_CELL_SHAPE
        run = RelaxedRun(batch, _abi.SHOAL_JOB_RELAX, relax=relax, visit=held.visit, **how)
        run.held = held
    run.keep += [made, kept, n_values]
    return run.results()


def _text(coordinate: Any) -> str:
    if not isinstance(coordinate, str):
        raise ArgumentError(
            f"scan: expected texts such as 'torsion:0,1,2,3=0:360:5' or Coordinates, "
            f"got {brief(coordinate)}"
        )
    return coordinate


def _frames(frames: Any, batch: Batch) -> list[Molecule]:
    """Geometries as molecules, from a path or whatever a batch takes."""
    if frames is None:
        return []
    if batch.placement is not None:
        raise ArgumentError("frames have the places of their atoms: expected no placement")
    from .molecule import read
    from .systems import Systems

    systems = Systems(frames)
    found = [m for f in systems.files for m in read(f)] if systems.files else systems.molecules
    if not found:
        raise ArgumentError("frames: expected geometries, got none")
    return found


def _make(
    batch: Batch,
    given: list[Coordinate],
    geometries: list[Molecule],
    move: Any,
    anchor: int | None,
    copies: int | None,
    jitter: float | None,
    seed: int | None,
    *,
    relaxed: bool,
    shape: bool,
    starts: int | None,
    follow: bool,
    hold_length: float | None,
    hold_angle: float | None,
) -> tuple[Scan, Any, int]:
    """The scan, what it borrows, and how many copies of every system it makes."""
    batch._refuse_conformers("scan")
    n_copies = batch.copies if copies is None else whole("copies", copies, 1)
    distance = batch.jitter if jitter is None else number("jitter", jitter, least=0)
    if distance and n_copies is None:
        raise ArgumentError("jitter: expected copies with it, got copies=None")
    atoms = integers("move", [] if move is None else move, (None,))
    selections = batch._fixed_alike("a scan with starts") if starts else []
    fix = (ctypes.c_void_p * max(len(selections), 1))(*(f._ptr for f in selections))
    pointers = (ctypes.c_void_p * max(len(geometries), 1))(*(m._ptr for m in geometries))
    options: dict[str, Any] = {
        "move": atoms.ctypes.data if len(atoms) else None,
        "n_move": len(atoms),
        "has_anchor": anchor is not None,
        "anchor": 0 if anchor is None else whole("anchor", anchor, 0),
        "frames": pointers,
        "n_frames": len(geometries),
        "relaxed": relaxed,
        "shape": shape,
        "starts": 0 if starts is None else whole("starts", starts, 1, 1000000),
        "rigid": batch._rigid_molecules or bool(batch._rigid),
        "follow": follow,
        "fix": fix if selections else None,
        "n_fix": len(selections),
        "n_restraints": len(batch.systems.restraints),
        "surface": batch.surface._ptr if batch.surface is not None else None,
        "movable": batch.movable._ptr if batch.movable is not None else None,
        "copies": _abi.shoal_jitter(
            n_copies=n_copies or 0,
            distance=distance,
            seed=batch.seed if seed is None else whole("seed", seed, 0, 2**63 - 1),
            movable=batch.movable._ptr if batch.movable is not None else None,
        ),
        "spring_length": _spring("hold_length", hold_length),
        "spring_angle": _spring("hold_angle", hold_angle),
    }
    kept = (atoms, pointers, geometries, selections, fix)
    return Scan(given, **options), kept, n_copies or 1


def _spring(name: str, value: float | None) -> float:
    return 0.0 if value is None else number(name, value, least=1e-3)
