# SPDX-License-Identifier: BSD-3-Clause
# Results of a run: columns, single systems, files.
"""Results: what a run found of all its systems, as arrays without a copy, and as files."""

from __future__ import annotations

import ctypes
import json
import math
import operator
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any, overload

import numpy as np

from . import _abi
from ._handle import Handle, address_of, brief, choice, existing, path_bytes, text
from ._lib import ArgumentError, check, lib
from ._optional import missing
from .molecule import Molecule
from .ragged import Ragged
from .surface import Surface
from .table import WHAT, String, Table
from .units import convert_frame, converted

MOST_KINDS = 8  # of warnings that are printed
MEMORY = "memory"  # the file that systems in memory are said to come from
SCALARS = (
    *("index", "record", "variant", "natoms", "energy", "energy0", "adsorption_energy"),
    *("fmax", "steps", "time", "kinetic", "bath"),
)


OF_DIRECTIONS = ("sigma_pi", "pi_pi")  # terms of systems that have some


def term_names() -> list[str]:
    """Names of the terms of an energy, in their order: "bond", "angle", .."""
    return [text(lib.shoal_term_name(k)) for k in range(lib.shoal_term_count())]


def status_names() -> np.ndarray:
    """Names of the statuses of systems, by their number."""
    last = _abi.SHOAL_SYSTEM_UNSTABLE
    return np.array([text(lib.shoal_system_status_name(k)) for k in range(last + 1)])


# By bits 5 to 7 of systems/flags.
CHARGES_FROM = np.array(["none", "file", "qeq", "mmff94", "types", "qeq-molecules"])


class Results:
    """What a run found of its systems, in the order of the input.

    Arrays are read-only views of the memory of the run, without a copy. Energies in eV, forces in
    eV/angstrom, positions in angstrom, charges in e. What could not be computed is NaN, and
    status and reason say why.

    >>> import shoal
    >>> water = shoal.Molecule("OHH", [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]])
    >>> r = shoal.Batch(water).relax(fmax=0.001)
    >>> str(r.status[0]), r.positions[0].shape
    ('converged', (3, 3))
    """

    frames: Results | None = None
    """Geometries on the way, of ``relax(every=..)`` and of dynamics; None where none were asked
    for."""
    _framed: _Frames | None = None

    def __init__(
        self, table: Table, provenance: dict[str, Any] | None = None, files: Sequence[str] = ()
    ) -> None:
        self._table = table
        self.provenance: dict[str, Any] = provenance or {}
        """Where the numbers come from: version, device, options, seed, time."""
        self.files = list(files) or [MEMORY]
        """What ``file`` counts."""

    # --- numbers of systems ---

    def __len__(self) -> int:
        return len(self._table)

    def column(self, path: str) -> np.ndarray:
        """A column by its path in a file of results, such as "systems/energy" (docs/results.md)."""
        if isinstance(path, str) and path in self._table.columns:
            return self._table.columns[path]
        has = ", ".join(sorted(self._table.columns))
        raise ArgumentError(f"column: expected one of {has}, got {brief(path)}")

    def _system(self, name: str, why: str = "") -> np.ndarray:
        found = self._table.columns.get("systems/" + name)
        if found is None:
            raise AttributeError(f"these results have no {name}{why}")
        return found

    @property
    def energy(self) -> np.ndarray:
        """[n] eV."""
        return self._system("energy")

    @property
    def energy0(self) -> np.ndarray:
        """[n] eV, before a relaxation; NaN without one."""
        return self._system("energy0")

    @property
    def fmax(self) -> np.ndarray:
        """[n] eV/angstrom: the largest force on a free atom."""
        return self._system("fmax")

    @property
    def steps(self) -> np.ndarray:
        """[n] evaluations of a relaxation; 0 without one."""
        return self._system("steps")

    @property
    def terms(self) -> np.ndarray:
        """[n] structured, eV: terms["bond"], terms["vdw"], .."""
        raw = self._system("terms")
        kind = np.dtype([(name, "<f8") for name in term_names()[: raw.shape[1]]])
        return raw.view(kind)[:, 0] if len(raw) else np.zeros(0, kind)

    @property
    def adsorption_energy(self) -> np.ndarray:
        """[n] eV: energy less that of the molecule alone, relaxed."""
        return self._system("adsorption_energy", "; ask for them with adsorption=True")

    @property
    def stress(self) -> np.ndarray:
        """[n, 6] xx, yy, zz, yz, xz, xy in eV/angstrom^3, positive where stretched; by area and by
        length where systems repeat in two directions and in one, NaN where they do not."""
        return self._system("stress", "; energies and relaxations without a surface have it")

    @property
    def status_code(self) -> np.ndarray:
        """[n] numbers of ``status``."""
        return self._system("status")

    @property
    def status(self) -> np.ndarray:
        """[n] words: "ok", "converged", "max_steps", "untyped", .."""
        return status_names()[self.status_code]

    @property
    def charges_from(self) -> np.ndarray:
        """[n] words: whose charges acted: "file", "qeq", "mmff94", "types" or "none"."""
        return CHARGES_FROM[np.asarray(self._system("flags")) // 32 % 8]

    @property
    def converged(self) -> np.ndarray:
        """[n] bool: relaxed until the forces were small."""
        return self.status_code == _abi.SHOAL_SYSTEM_CONVERGED

    @property
    def ok(self) -> np.ndarray:
        """[n] bool: computed, or relaxed until the forces were small."""
        return self.status_code <= _abi.SHOAL_SYSTEM_CONVERGED

    @property
    def surface(self) -> Surface | None:
        """What the systems stand on; None without one, and of results that were loaded."""
        return self._table.surface

    @property
    def index(self) -> np.ndarray:
        """[n] numbers in the whole input."""
        return self._system("index")

    @property
    def record(self) -> np.ndarray:
        """[n] numbers in their files."""
        return self._system("record")

    @property
    def variant(self) -> np.ndarray:
        """[n] numbers of the variants of a record: copies, points of a scan."""
        return self._system("variant")

    @property
    def time(self) -> np.ndarray:
        """[n] fs, of frames of dynamics."""
        return self._system("time")

    @property
    def kinetic(self) -> np.ndarray:
        """[n] eV, of frames of dynamics."""
        return self._system("kinetic")

    @property
    def bath(self) -> np.ndarray:
        """[n] K, temperature of the thermostat, of frames of dynamics."""
        return self._system("bath")

    def _texts(self, name: str) -> list[str]:
        data = self._system(name).tobytes()
        at = self._system(name + "_starts").tolist()
        return [data[a:b].decode("utf-8", "replace") for a, b in zip(at, at[1:])]

    @property
    def name(self) -> list[str]:
        """Names of the systems."""
        return self._texts("name")

    @property
    def reason(self) -> list[str]:
        """Why a system failed; "" where it did not."""
        return self._texts("reason")

    @property
    def warning(self) -> list[str]:
        """What looks wrong; "" where nothing does."""
        return self._texts("warning")

    @property
    def file(self) -> list[str]:
        """The files that systems come from."""
        return [self.files[k] if k < len(self.files) else "" for k in self._system("file").tolist()]

    def get(self, name: str, units: str = "eV") -> np.ndarray:
        """[n] numbers by name: a property such as "energy", or a term such as "vdw"; units of
        energies: "eV", "meV", "kcal/mol" ("kcal"), "kJ/mol" or "Hartree" (forces: by angstrom).

        >>> import shoal
        >>> r = shoal.Batch("examples/demo.sdf").energy()
        >>> r.get("energy", units="kcal/mol")[1].round(3)
        3.052
        """
        terms = self.terms
        if isinstance(name, str) and name in (terms.dtype.names or ()):
            return converted(name, terms[name], units, terms.dtype.names)
        return converted(name, self._known(name), units)

    def _known(self, name: Any) -> Any:
        """A property with one entry for every system."""
        public = isinstance(name, str) and name.isidentifier() and not name.startswith("_")
        found = getattr(self, name, None) if public else None
        if not isinstance(found, (np.ndarray, list)) or len(found) != len(self):
            raise ArgumentError(
                "get, where: expected a property with an entry for each system, such as 'energy' "
                f"or 'status', got {brief(name)}"
            )
        return found

    def where(self, **wanted: Any) -> Results:
        """The systems, copied, whose properties have a value, one of a list of values, or pass a
        function.

        >>> import shoal
        >>> r = shoal.Batch("examples/demo.sdf").relax(max_steps=40)
        >>> len(r.where(status="converged")) + len(r.where(converged=False)) == len(r)
        True
        >>> low = r.where(status=["converged", "max_steps"], energy=lambda e: e < 0.5)
        """
        kept = np.ones(len(self), np.bool_)
        for name, value in wanted.items():
            kept &= self._matches(name, np.asarray(self._known(name)), value)
        return self._part(np.flatnonzero(kept))

    def _matches(self, name: str, column: np.ndarray, value: Any) -> np.ndarray:
        """Which rows of a column are wanted."""
        if callable(value):
            return np.array([bool(value(x)) for x in column.tolist()], np.bool_)
        values = [value] if isinstance(value, str) or np.ndim(value) == 0 else list(value)
        if name == "status":
            for one in values:
                choice("status", one, status_names().tolist())
        if any(isinstance(one, str) != (column.dtype.kind == "U") for one in values):
            raise ArgumentError(f"{name}: expected values as {name} has them, got {brief(value)}")
        return np.isin(column, values)

    # --- numbers of atoms ---

    def _ragged(self, name: str, why: str = "") -> Ragged:
        found = self._table.columns.get("atoms/" + name)
        if found is None:
            raise AttributeError(f"these results have no {name}{why}")
        return Ragged(found, self._table.columns["atoms/starts"])

    @property
    def numbers(self) -> Ragged:
        """Atomic numbers; numbers[i] of system i."""
        return self._ragged("number")

    @property
    def positions(self) -> Ragged:
        """angstrom, where the run ended; positions[i] is [n_atoms, 3]."""
        return self._ragged("position")

    @property
    def forces(self) -> Ragged:
        """eV/angstrom; forces[i] is [n_atoms, 3]."""
        return self._ragged("force", "; ask for them with forces=True")

    @property
    def charges(self) -> Ragged:
        """e; NaN where there are no charges."""
        return self._ragged("charge")

    @property
    def velocities(self) -> Ragged:
        """angstrom/fs, of frames of dynamics."""
        return self._ragged("velocity")

    @property
    def types(self) -> Ragged:
        """Labels of the force field, as bytes."""
        return self._ragged("type")

    # --- single systems ---

    @overload
    def __getitem__(self, i: int) -> Result: ...
    @overload
    def __getitem__(self, i: slice | Sequence[int] | np.ndarray) -> Results: ...
    def __getitem__(self, i: Any) -> Result | Results:
        n = len(self)
        if isinstance(i, slice):
            return self._part(np.arange(n)[i])
        if isinstance(i, (list, np.ndarray)) and np.ndim(i) == 1:
            rows = np.asarray(i)
            if rows.dtype == np.bool_ and len(rows) != n:
                raise IndexError(f"a mask of {len(rows)} for {n} systems")
            return self._part(np.arange(n)[rows if rows.size else rows.astype(int)])
        if isinstance(i, str):
            raise TypeError(f"results[{i!r}]: expected a number; where(name=..) finds by name")
        k = operator.index(i)
        if not -n <= k < n:
            raise IndexError(f"system {k} of {n}")
        return Result(self, k % n)

    def _part(self, rows: np.ndarray) -> Results:
        return Results(self._table.part(rows), dict(self.provenance), self.files)

    def __iter__(self) -> Iterator[Result]:
        return (Result(self, k) for k in range(len(self)))

    @property
    def molecules(self) -> Molecules:
        """The systems as molecules, made when they are asked for."""
        return Molecules(self)

    def to_ase(self) -> list[Any]:
        """ase.Atoms of all systems, with energies and forces."""
        return [one.to_ase() for one in self]

    def to_rdkit(self) -> list[Any]:
        """RDKit Mols of all systems."""
        return [one.to_rdkit() for one in self]

    def to_dataframe(self, units: str = "eV") -> Any:
        """A pandas.DataFrame with a row for every system; terms are columns. units of energies:
        "eV", "kcal/mol", "kJ/mol" or "Hartree"."""
        return convert_frame(self._dataframe(), units, term_names())

    def _dataframe(self) -> Any:
        try:
            import pandas
        except ImportError as error:
            raise missing("to_dataframe", error) from None

        columns: dict[str, Any] = {"name": self.name, "status": self.status}
        has = self._table.columns
        for name in SCALARS:
            if "systems/" + name in has:
                columns[name] = np.array(has["systems/" + name])
        terms = self.terms
        names = terms.dtype.names or ()
        turned = any(np.nan_to_num(terms[name]).any() for name in OF_DIRECTIONS if name in names)
        for name in names:
            if turned or name not in OF_DIRECTIONS:
                columns[name] = np.array(terms[name])
        columns.update({"reason": self.reason, "warning": self.warning})
        return pandas.DataFrame(columns)

    # --- files ---

    def save(self, path: Any) -> None:
        """Writes what the name says: .h5, a file of results, which ``shoal.load``, the program and
        h5py read; .csv, a table; or the systems as molecules with their results: .xyz, .extxyz,
        .sdf (the latter also .gz).
        """
        kind = output_kind("path", path)
        if kind == _abi.SHOAL_OUTPUT_MOLECULES:
            self.write(path)
            return
        if kind == _abi.SHOAL_OUTPUT_CSV:
            self._write_table(path)
            return
        with ResultsFile(path, self._table.what, self.provenance, self.files) as file:
            for piece in self._table.chunks(range(len(self))):
                file.write(piece.address, len(piece))
            file.close()

    def write(self, path: Any) -> None:
        """Writes all systems with their results as molecules: .sdf, .xyz or .extxyz, also .gz."""
        from .molecule import _Writer

        writer = _Writer()
        writer._create("shoal_writer_open", path_bytes("path", path), _abi.SHOAL_FORMAT_AUTO)
        frames, mol = self._frames(), Molecule._empty()
        unreadable = self.status_code == _abi.SHOAL_SYSTEM_UNREADABLE
        for i in np.flatnonzero(~unreadable).tolist():
            frame = frames.fill(i)
            check(lib.shoal_table_molecule(self._table._ptr, i, mol._ptr))
            check(lib.shoal_writer_put(writer._ptr, mol._ptr, ctypes.byref(frame)))
        check(lib.shoal_writer_close(writer._ptr))

    def _write_table(self, path: Any) -> None:
        """Writes the table that the program would have written."""
        what = _abi.shoal_results_what(**self._table.what)
        names = (ctypes.c_char_p * len(self.files))(*[os.fsencode(name) for name in self.files])
        record = String()

        @_abi.shoal_output_entry
        def put(_user: Any, i: int, out: int) -> int:
            if i == 0:
                lib.shoal_results_csv_header(ctypes.byref(what), out)
                return _abi.SHOAL_OK
            record.clear()
            check(lib.shoal_table_record(self._table._ptr, i - 1, record._ptr))
            where = record.address, len(record)
            how = ctypes.byref(what), *where, names, len(names), out
            return int(lib.shoal_results_csv_record(*how))

        output = _abi.shoal_run_output(
            path=path_bytes("path", path), kind=_abi.SHOAL_OUTPUT_CSV
        )
        n = len(self) + 1  # and the heading
        check(lib.shoal_run_output_write(ctypes.byref(output), None, n, put, None))

    def _frames(self) -> _Frames:
        """What writers of files ask for, made once."""
        if self._framed is None:
            self._framed = _Frames(self)
        return self._framed

    def report(self, path: Any, **options: Any) -> Any:
        """Writes a page about the run that opens without a network; see shoal.report."""
        from . import report

        return report.write(self, path, **options)

    def to_chemiscope(self, *arguments: Any, **options: Any) -> Any:
        """The systems for chemiscope; see shoal.chemiscope."""
        from . import chemiscope

        return chemiscope.to_chemiscope(self, *arguments, **options)

    @property
    def plot(self) -> Any:
        """Pictures of these results: ``results.plot.energy_terms()``, ..; see shoal.plot."""
        from . import plot

        return plot.Plots(self)

    # --- Python ---

    def __repr__(self) -> str:
        n = len(self)
        if n == 0:
            return f"<{type(self).__name__} of no systems>"
        words, counts = np.unique(self.status, return_counts=True)
        states = ", ".join(f"{count} {word}" for word, count in zip(words, counts))
        energy = self.energy
        low = f", lowest {np.nanmin(energy):.6g} eV" if np.isfinite(energy).any() else ""
        starts = self._system("warning_starts")
        warned = int(np.count_nonzero(np.diff(starts)))
        said = f", {warned} with warnings" if warned else ""
        return f"<{type(self).__name__} of {n} system{'s' if n > 1 else ''}: {states}{low}{said}>"

    @property
    def warning_kinds(self) -> list[WarningKind]:
        """What looks wrong, by kind: texts that differ in their numbers alone are one kind. The
        most frequent first."""
        found: dict[str, WarningKind] = {}
        for i, text in enumerate(self.warning):
            for said in filter(None, (part.strip() for part in text.split(";"))):
                key = re.sub(r"[-+.0-9]+", "", said)
                kind = found.setdefault(key, WarningKind(said, 0, i))
                found[key] = replace(kind, count=kind.count + 1)
        return sorted(found.values(), key=lambda kind: -kind.count)

    def __str__(self) -> str:
        lines = [repr(self)]
        kinds, names = self.warning_kinds, self.name
        for kind in kinds[:MOST_KINDS]:
            name = names[kind.first] or f"#{self.index[kind.first]}"
            lines.append(f"  {kind.count} x {name}: {kind.text}")
        if len(kinds) > MOST_KINDS:
            lines.append(f"  and {len(kinds) - MOST_KINDS} other kinds of warnings")
        return "\n".join(lines)

    def _shown(self) -> dict[str, Any]:
        """Columns of the table in notebooks: a function of the row, by the heading."""
        columns: dict[str, Any] = {
            "": lambda k: self.index[k],
            "name": lambda k: self[k].name,
            "atoms": lambda k: len(self[k]),
            "status": lambda k: self[k].status,
        }
        if np.any(self._system("steps")):
            columns["steps"] = lambda k: self._system("steps")[k]
        columns["energy / eV"] = lambda k: f"{self.energy[k]:.6f}"
        if "systems/adsorption_energy" in self._table.columns:
            columns["adsorption / eV"] = lambda k: f"{self.adsorption_energy[k]:.4f}"
        columns["fmax / eV/Å"] = lambda k: f"{self.fmax[k]:.2e}"
        return columns

    def _repr_html_(self) -> str:
        most, columns = 20, self._shown()
        said = [""] * len(self)
        if len(self):
            said = ["; ".join(filter(None, both)) for both in zip(self.reason, self.warning)]
        if any(said[:most]):
            columns["reason, warning"] = lambda k: said[k]
        rows = [
            "".join(f"<td>{escape(str(of(k)))}</td>" for of in columns.values())
            for k in range(min(len(self), most))
        ]
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        more = f"<p>.. and {len(self) - most} more</p>" if len(self) > most else ""
        title = "".join(f"<th>{escape(h)}</th>" for h in columns)
        words = escape(str(self)).replace("\n", "<br>")
        return f"<p>{words}</p><table><tr>{title}</tr>{body}</table>{more}"


@dataclass(frozen=True)
class WarningKind:
    """Warnings that differ in their numbers alone."""

    text: str
    """The first of them."""
    count: int
    """Systems that have it."""
    first: int
    """The row of the first."""


def output_kind(name: str, path: Any) -> int:
    """What the name of a file of results says: SHOAL_OUTPUT_HDF5, _CSV or _MOLECULES."""
    out = _abi.shoal_run_output()
    check(lib.shoal_run_output_choose(ctypes.byref(out), path_bytes(name, path), None))
    if out.kind == _abi.SHOAL_OUTPUT_TEXT:
        raise ArgumentError(
            f"{name}: expected a name that ends with .h5, .csv, .xyz, .extxyz or .sdf, got "
            f"{brief(path)}"
        )
    return int(out.kind)


def check_results_name(name: str, path: Any) -> None:
    """Refuses a name of anything but a file of results, for what is written as it comes."""
    if output_kind(name, path) != _abi.SHOAL_OUTPUT_HDF5:
        raise ArgumentError(
            f"{name}: expected a file of results, whose name ends with .h5, got {brief(path)}; "
            "results.save() writes others"
        )


class Result:
    """One system of Results; arrays are views."""

    __slots__ = ("i", "results")

    def __init__(self, results: Results, i: int) -> None:
        self.results = results
        self.i = i
        """Its row in ``results``."""

    def __len__(self) -> int:
        return int(self.results._system("natoms")[self.i])

    def _text(self, name: str) -> str:
        at = self.results._system(name + "_starts")
        data = self.results._system(name)[at[self.i] : at[self.i + 1]]
        return data.tobytes().decode("utf-8", "replace")

    @property
    def index(self) -> int:
        """Number in the whole input."""
        return int(self.results.index[self.i])

    @property
    def energy(self) -> float:
        """eV."""
        return float(self.results.energy[self.i])

    @property
    def energy0(self) -> float:
        """eV, before a relaxation; NaN without one."""
        return float(self.results.energy0[self.i])

    @property
    def adsorption_energy(self) -> float:
        """eV."""
        return float(self.results.adsorption_energy[self.i])

    @property
    def stress(self) -> np.ndarray:
        """[6] xx, yy, zz, yz, xz, xy in eV/angstrom^3, as ``Results.stress`` has it."""
        return self.results.stress[self.i]

    @property
    def fmax(self) -> float:
        """eV/angstrom."""
        return float(self.results.fmax[self.i])

    @property
    def steps(self) -> int:
        """Evaluations."""
        return int(self.results.steps[self.i])

    @property
    def terms(self) -> dict[str, float]:
        """eV by term; without those of directions where nothing has turned any."""
        row = self.results._system("terms")[self.i]
        found = dict(zip(term_names(), row.tolist()))
        if not any(np.nan_to_num(found.get(name, 0.0)) for name in OF_DIRECTIONS):
            for name in OF_DIRECTIONS:
                found.pop(name, None)
        return found

    @property
    def status(self) -> str:
        """ok, converged, or what went wrong: untyped, max_steps, ..; docs/json.md lists them."""
        return text(lib.shoal_system_status_name(int(self.results.status_code[self.i])))

    @property
    def converged(self) -> bool:
        """Whether a relaxation came to its end."""
        return bool(self.results.status_code[self.i] == _abi.SHOAL_SYSTEM_CONVERGED)

    @property
    def ok(self) -> bool:
        """Whether nothing failed: ok or converged."""
        return bool(self.results.status_code[self.i] <= _abi.SHOAL_SYSTEM_CONVERGED)

    @property
    def name(self) -> str:
        """As the input has it."""
        return self._text("name")

    @property
    def reason(self) -> str:
        """Why it failed: which atom, what was expected; "" if it did not."""
        return self._text("reason")

    @property
    def warning(self) -> str:
        """What deserves a second look, such as missing hydrogen; "" if nothing does."""
        return self._text("warning")

    @property
    def file(self) -> str:
        """The file that it comes from."""
        k = int(self.results._system("file")[self.i])
        return self.results.files[k] if k < len(self.results.files) else ""

    @property
    def device(self) -> str:
        """What computed it; "" where nothing did."""
        return bytes(self.results._system("device")[self.i]).decode()

    @property
    def numbers(self) -> np.ndarray:
        """[n_atoms] atomic numbers."""
        return self.results.numbers[self.i]

    @property
    def positions(self) -> np.ndarray:
        """[n_atoms, 3] angstrom."""
        return self.results.positions[self.i]

    @property
    def forces(self) -> np.ndarray:
        """[n_atoms, 3] eV/angstrom."""
        return self.results.forces[self.i]

    @property
    def charges(self) -> np.ndarray:
        """[n_atoms] e."""
        return self.results.charges[self.i]

    @property
    def types(self) -> list[str]:
        """Labels of the force field."""
        return [bytes(label).decode() for label in self.results.types[self.i]]

    @property
    def cell(self) -> np.ndarray:
        """[3, 3] angstrom; zero for a molecule."""
        return self.results._system("cell")[self.i].reshape(3, 3)

    @property
    def pbc(self) -> np.ndarray:
        """[3] bool."""
        return self.results._system("pbc")[self.i].astype(np.bool_)

    @property
    def molecule(self) -> Molecule:
        """The system as a molecule, where the run left it."""
        mol = Molecule._empty()
        check(lib.shoal_table_molecule(self.results._table._ptr, self.i, mol._ptr))
        return mol

    def to_ase(self) -> Any:
        """ase.Atoms with energy and forces."""
        from . import ase

        return ase.from_result(self)

    def to_rdkit(self) -> Any:
        """An RDKit Mol with one conformer."""
        from . import rdkit

        return rdkit.from_result(self)

    def _frame(self) -> tuple[_abi.shoal_frame, Any]:
        """What is known of it beside the molecule, until the next is asked for; and its owner."""
        frames = self.results._frames()
        return frames.fill(self.i), frames

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        why = f": {self.reason}" if self.reason else ""
        return f"<Result{name} {len(self)} atoms, {self.status}{why}, {self.energy:.6f} eV>"

    def _repr_html_(self) -> str:
        from .picture import result_html

        return result_html(self)


class _Frames:
    """What is known of systems beside their molecules, one at a time, for writers of files."""

    def __init__(self, results: Results) -> None:
        self.columns = results._table.columns
        self.frame = _abi.shoal_frame(is_result=True)
        self.at = {name: (address_of(c), c.strides[0]) for name, c in self._wanted().items()}
        self.starts = results.positions.starts.tolist()
        self.texts = {name: results._texts(name) for name in ("reason", "warning")}
        self.status = [name.encode() for name in results.status.tolist()]
        self.numbers = {name: results._system(name).tolist() for name in ("index", "record")}
        self.file = [name.encode() for name in results.file]
        self.energy, self.energy0 = results.energy.tolist(), results.energy0.tolist()
        whole = np.asarray(self.columns["systems/pbc"]).all(axis=1)
        if "systems/stress" in self.columns:
            whole &= np.isfinite(self.columns["systems/stress"][:, 0])
        self.volumes = whole.tolist()
        labels = results.types.flat
        self.labels = labels.astype("S9")  # with a zero behind eight letters, too
        at = address_of(self.labels) + self.labels.itemsize * np.arange(len(labels))
        self.types = at.astype(np.uint64)
        self.typed = labels != b""

    def __reduce__(self) -> Any:
        return type(None), ()  # pickled results make it anew

    def _wanted(self) -> dict[str, np.ndarray]:
        names = ("energy", "fmax", "energy0", "steps", "variant", "adsorption_energy", "stress")
        has = self.columns
        found = {name: has["systems/" + name] for name in names if "systems/" + name in has}
        if "atoms/force" in has:
            found["forces"] = has["atoms/force"]
        return found

    def _point(self, name: str, row: int, there: bool) -> None:
        base, stride = self.at.get(name, (0, 0))
        setattr(self.frame, name, base + row * stride if base and there else None)

    def fill(self, i: int) -> _abi.shoal_frame:
        """The frame of system i, valid until the next."""
        frame = self.frame
        a, b = self.starts[i], self.starts[i + 1]
        frame.status = self.status[i]
        frame.reason = self.texts["reason"][i].encode()
        frame.warning = self.texts["warning"][i].encode()
        frame.index, frame.record = self.numbers["index"][i], self.numbers["record"][i]
        frame.file = self.file[i] or None
        computed, relaxed = math.isfinite(self.energy[i]), math.isfinite(self.energy0[i])
        for name in ("energy", "fmax"):
            self._point(name, i, computed)
        for name in ("energy0", "steps"):
            self._point(name, i, relaxed)
        self._point("variant", i, True)
        self._point("stress", i, computed and self.volumes[i])
        self._point("forces", a, computed and b > a)
        if "adsorption_energy" in self.at:
            frame.adsorption_energy = self.columns["systems/adsorption_energy"][i]
            frame.has_adsorption = math.isfinite(frame.adsorption_energy)
        typed = b > a and bool(self.typed[a:b].all())
        at: Any = address_of(self.types) + 8 * a if typed else None
        frame.types = ctypes.cast(at, ctypes.POINTER(ctypes.c_char_p))
        return frame


class Molecules(Sequence[Molecule]):
    """Molecules of Results, each made when it is asked for."""

    def __init__(self, results: Results) -> None:
        self._results = results

    def __len__(self) -> int:
        return len(self._results)

    @overload
    def __getitem__(self, i: int) -> Molecule: ...
    @overload
    def __getitem__(self, i: slice) -> list[Molecule]: ...
    def __getitem__(self, i: int | slice) -> Molecule | list[Molecule]:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        return self._results[operator.index(i)].molecule

    def __repr__(self) -> str:
        return f"<Molecules of {len(self)} systems>"


def header_of(
    what: dict[str, bool], provenance: dict[str, Any], files: Sequence[str]
) -> _abi.shoal_results_header:
    """What a file says of a run as a whole, as the C library takes it."""
    names = [os.fsencode(name) for name in files]
    header = _abi.shoal_results_header(
        files=(ctypes.c_char_p * len(names))(*names),
        n_files=len(names),
        program=str(provenance.get("program", "")).encode(),
        command=str(provenance.get("command", "")).encode(),
        options=json.dumps(provenance.get("options", {}), default=str).encode(),
        device=str(provenance.get("device", "")).encode(),
        driver=str(provenance.get("driver", "")).encode(),
        start_time=str(provenance.get("start_time", "")).encode(),
        seed=int(provenance.get("seed", 0)),
    )
    for name in WHAT:
        setattr(header.what, name, what.get(name, False))
    return header


class ResultsFile(Handle):
    """A file of results that is written; without ``close`` it counts as not complete."""

    _destroy = "shoal_results_destroy"

    def __init__(
        self, path: Any, what: dict[str, bool], provenance: dict[str, Any], files: Sequence[str]
    ) -> None:
        header = header_of(what, provenance, files)
        self._create("shoal_results_create", path_bytes("save", path), ctypes.byref(header), -1)

    def write(self, address: int, size: int) -> None:
        check(lib.shoal_results_write(self._ptr, address, size))

    def sync(self) -> None:
        """Puts everything written so far on the disk."""
        n = ctypes.c_int64()
        check(lib.shoal_results_sync(self._ptr, ctypes.byref(n)))

    def close(self) -> None:
        """Ends the file: from now on it is complete."""
        check(lib.shoal_results_close(self._ptr))

    def __enter__(self) -> ResultsFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._release()


class _ResultsReader(Handle):
    _destroy = "shoal_results_reader_destroy"


def load(path: Any) -> Results:
    """Reads a file of results (HDF5) that a run, ``Results.save`` or the program has written.

    A file whose writer was ended is read as far as it goes; provenance["complete"] tells.

    >>> import shoal
    >>> r = shoal.load("run.h5")  # doctest: +SKIP
    """
    reader = _ResultsReader()
    reader._create("shoal_results_open", existing("path", path))
    header = _abi.shoal_results_header()
    check(lib.shoal_results_header_get(reader._ptr, ctypes.byref(header)))
    table = Table(**{name: bool(getattr(header.what, name)) for name in WHAT})
    piece = String()
    n = int(lib.shoal_results_n_systems(reader._ptr))
    for i in range(n):
        check(lib.shoal_results_read(reader._ptr, i, piece._ptr))
        if len(piece) >= 1 << 24 or i == n - 1:
            check(lib.shoal_table_take(table._ptr, piece.address, len(piece)))
            piece.clear()
    files = [text(header.files[k]) for k in range(header.n_files)]
    return Results(table, _provenance_of(header, reader), files)


def _provenance_of(header: _abi.shoal_results_header, reader: _ResultsReader) -> dict[str, Any]:
    told = {
        name: text(getattr(header, name))
        for name in ("program", "command", "device", "driver", "start_time")
    }
    options: Any = text(header.options)
    try:
        options = json.loads(options) if options else {}
    except ValueError:
        pass  # of another program: as it stands
    complete = bool(lib.shoal_results_is_complete(reader._ptr))
    return {**told, "options": options, "seed": int(header.seed), "complete": complete}
