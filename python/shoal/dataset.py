# SPDX-License-Identifier: BSD-3-Clause
"""Reference energies of rigid dimers, for fits of non-covalent parameters (shoal.fit)."""

from __future__ import annotations

import ctypes
import os
import tempfile
import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _abi
from ._handle import brief
from ._lib import ArgumentError, check, lib
from .forcefield import charge_source
from .units import factor

__all__ = ["Dataset", "LabelCheck", "Prepared", "SetInfo", "prepare"]

_DIALECTS = {
    "rdkit": _abi.SHOAL_DIALECT_RDKIT,
    "paper": _abi.SHOAL_DIALECT_PAPER,
    "firecore": _abi.SHOAL_DIALECT_FIRECORE,
}


def choose(option: str, value: str, names: dict[str, int]) -> int:
    """The number of a word; ArgumentError names the words that were expected."""
    if isinstance(value, str) and value in names:
        return names[value]
    words = list(names)
    raise ArgumentError(f"{option} {brief(value)}: expected {', '.join(words[:-1])} or {words[-1]}")


def is_text(source: Any) -> bool:
    """Whether a source is the text of a file and not its path: it has a line feed."""
    return isinstance(source, str) and "\n" in source


@dataclass(frozen=True)
class SetInfo:
    """One set of a data set, that is one file; energies in eV."""

    label: str
    first: int
    n_samples: int
    n_dimers: int
    n_atoms: int
    weight: float
    rms: float
    least: float
    most: float


@dataclass(frozen=True)
class LabelCheck:
    """Atoms that the engine would give other types than the data do.

    differences: (label in the data, name in the engine, number of atoms, sample and atom of the
    first); untyped: how many frames the engine would not type, with the reason of the first.
    """

    n_atoms: int
    differences: list[tuple[str, str, int, int, int]]
    n_untyped: int
    reason: str

    def __bool__(self) -> bool:
        return self.n_atoms == 0 and self.n_untyped == 0


def _read_types(types: Any) -> ctypes.c_void_p:
    """A table of types that the caller destroys, from a path, a text or a pair model."""
    out = ctypes.c_void_p()
    if is_text(types):
        data = types.encode()
        check(lib.shoal_atom_types_read_memory(ctypes.byref(out), data, len(data), b"types"))
    elif isinstance(types, (str, os.PathLike)):
        check(lib.shoal_atom_types_read(ctypes.byref(out), os.fsencode(types)))
    elif hasattr(types, "_ptr"):
        check(lib.shoal_atom_types_copy(ctypes.byref(out), lib.shoal_pair_model_types(types._ptr)))
    else:
        raise ArgumentError(f"types {types!r}: expected a path, the text of a table or a PairModel")
    return out


class Dataset:
    """Interaction energies of dimers: frames of two rigid fragments with energies in eV.

    types is the table of atom types (docs/fitting.md): its path, its text, or a PairModel. map is
    the path of a file of two columns: a label in the data, and the label to use for it. Once a Fit
    has been made of it, a data set does not change any more.

    >>> import shoal
    >>> data = shoal.fit.Dataset("examples/fit/AtomTypes.dat").add("examples/fit/dimers.xyz")
    >>> len(data), data.n_dimers
    (136, 17)
    """

    def __init__(self, types: Any, *, map: str | os.PathLike | None = None) -> None:
        table = _read_types(types)
        handle = ctypes.c_void_p()
        try:
            check(lib.shoal_dataset_create(ctypes.byref(handle), table))
        finally:
            lib.shoal_atom_types_destroy(table)
        self._ptr = handle
        self._finalizer = weakref.finalize(self, lib.shoal_dataset_destroy, handle)
        self._fits = 0
        if map is not None:
            check(lib.shoal_dataset_map_labels(handle, os.fsencode(map)))

    def _change(self) -> ctypes.c_void_p:
        if self._fits:
            raise ArgumentError(
                "the data set belongs to a fit and does not change any more: "
                "expected all data, sites and weights before Fit()"
            )
        return self._ptr

    def add(self, path: str | os.PathLike, weight: float = 1.0, units: str = "eV") -> Dataset:
        """Appends the frames of a file as a set of this weight; returns the data set.

        units: of its energies, eV or kcal (per mole).

        Sets of equal weight count the same, whatever their size. A text with a line feed is taken
        for the frames themselves.
        """
        unit = choose("units", units, {"eV": 1.0, "kcal": 1.0 / factor("kcal/mol")})
        check(lib.shoal_dataset_set_energy_unit(self._change(), unit))
        if is_text(path):
            data = str(path).encode()
            check(
                lib.shoal_dataset_add_memory(
                    self._change(), data, len(data), f"text {self.n_sets}".encode(), weight
                )
            )
        else:
            check(lib.shoal_dataset_add(self._change(), os.fsencode(path), weight))
        return self

    def weigh(self, weights: str | os.PathLike | Iterable[float]) -> Dataset:
        """Multiplies one number to the weight of every sample; a negative one leaves it out.

        weights: the path of a file with a number for every sample, or the numbers.
        """
        handle = self._change()
        if isinstance(weights, (str, os.PathLike)):
            check(lib.shoal_dataset_read_weights(handle, os.fsencode(weights)))
            return self
        numbers = np.asarray(weights, dtype=float).ravel()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "weights")
            with open(path, "w", encoding="ascii") as out:
                out.writelines(f"{x!r}\n" for x in numbers.tolist())
            check(lib.shoal_dataset_read_weights(handle, os.fsencode(path)))
        return self

    def weigh_curves(self, steepness: float, width: float = 0.1) -> Dataset:
        """Weights exp(-steepness (E - Emin) / (|Emin| + width)) over each dimer; width in eV."""
        check(lib.shoal_dataset_weigh_curves(self._change(), steepness, width))
        return self

    def add_sites(self, distance: float) -> Dataset:
        """Puts lone pairs and sigma holes beside their atoms as the table says; angstrom."""
        check(lib.shoal_dataset_add_sites(self._change(), distance))
        return self

    def auto_sites(self, distance: float = 0.0) -> Dataset:
        """Puts sites by element; angstrom, 0: 0.7 (lone pairs), 0.4 (H), 0.6 (halogens)."""
        check(lib.shoal_dataset_auto_sites(self._change(), distance))
        return self

    def add_increments(self) -> Dataset:
        """Lets every bond between unlike types move a charge between its atoms."""
        check(lib.shoal_dataset_add_increments(self._change()))
        return self

    def write(self, path: str | os.PathLike) -> None:
        """Writes all frames, with their sites, as add() reads them."""
        check(lib.shoal_dataset_write(self._ptr, os.fsencode(path)))

    def check_labels(self, most: int = 100) -> LabelCheck:
        """Compares the labels of the data with the types that the engine would give; see docs."""
        rows = (_abi.shoal_label_difference * most)()
        found = _abi.shoal_label_check()
        check(lib.shoal_dataset_check_labels(self._ptr, rows, most, ctypes.byref(found)))
        listed = [
            (r.label.decode(), r.name.decode(), r.n_atoms, r.sample, r.atom)
            for r in rows[: min(most, found.n_differences)]
        ]
        return LabelCheck(found.n_atoms, listed, found.n_untyped, found.reason.decode())

    def __len__(self) -> int:
        return lib.shoal_dataset_samples(self._ptr)

    @property
    def n_sets(self) -> int:
        """Files, or parts that were added."""
        return lib.shoal_dataset_sets(self._ptr)

    @property
    def n_dimers(self) -> int:
        """Curves: pairs of monomers."""
        return lib.shoal_dataset_dimers(self._ptr)

    @property
    def n_monomers(self) -> int:
        """Different molecules among the fragments."""
        return lib.shoal_dataset_monomers(self._ptr)

    @property
    def n_pairs(self) -> int:
        """Pairs of atoms of different fragments, all samples together."""
        return lib.shoal_dataset_pairs(self._ptr)

    @property
    def sets(self) -> list[SetInfo]:
        """What was added, set by set."""
        out = []
        info = _abi.shoal_set_info()
        for k in range(self.n_sets):
            check(lib.shoal_dataset_set(self._ptr, k, ctypes.byref(info)))
            out.append(
                SetInfo(
                    info.label.decode(errors="replace"),
                    info.first,
                    info.n_samples,
                    info.n_dimers,
                    info.n_atoms,
                    info.weight,
                    info.rms,
                    info.least,
                    info.most,
                )
            )
        return out

    @property
    def samples(self) -> np.ndarray:
        """A structured array: name, group, set, dimer, n_atoms, n_first, x0 (angstrom), angle
        (degrees), reference (eV), weight."""
        rows = []
        s = _abi.shoal_sample_info()
        for k in range(len(self)):
            check(lib.shoal_dataset_sample(self._ptr, k, ctypes.byref(s)))
            rows.append(
                (
                    s.name.decode(errors="replace"),
                    s.group.decode(errors="replace"),
                    s.set,
                    s.dimer,
                    s.n_atoms,
                    s.n_first,
                    s.x0,
                    s.angle,
                    s.reference,
                    s.weight,
                )
            )
        longest = [max((len(row[c]) for row in rows), default=1) or 1 for c in (0, 1)]
        return np.array(
            rows,
            dtype=[
                ("name", f"U{longest[0]}"),
                ("group", f"U{longest[1]}"),
                ("set", np.int32),
                ("dimer", np.int32),
                ("n_atoms", np.int32),
                ("n_first", np.int32),
                ("x0", float),
                ("angle", float),
                ("reference", float),
                ("weight", float),
            ],
        )

    @property
    def reference(self) -> np.ndarray:
        """Reference energies of all samples, eV."""
        return self.samples["reference"]

    def __repr__(self) -> str:
        return (
            f"Dataset({len(self)} samples of {self.n_dimers} dimers in {self.n_sets} "
            f"set{'' if self.n_sets == 1 else 's'})"
        )


@dataclass(frozen=True)
class Prepared:
    """What prepare() made: files, counts, and what it had to say."""

    frames: str
    types: str
    dofs: str
    n_frames: int
    n_left_out: int
    n_types: int
    notes: list[str] = field(default_factory=list)

    def dataset(self, weight: float = 1.0) -> Dataset:
        """The frames with their types as a data set."""
        return Dataset(self.types).add(self.frames, weight)


def prepare(
    paths: str | os.PathLike | Sequence[str | os.PathLike],
    *,
    frames: str | os.PathLike,
    types: str | os.PathLike,
    dofs: str | os.PathLike,
    charges: str = "auto",
    dialect: str = "rdkit",
    finer: bool = False,
    map: str | os.PathLike | None = None,
) -> Prepared:
    """Makes frames, a table of types and a list of parameters of plain dimers, as three files.

    paths: xyz files whose comments have n0 and Etot (eV), or SD and mol2 files of pairs of
    molecules. charges: auto, qeq-molecules, qeq, mmff94, file or none. finer: types that know more
    of their neighbourhood (O_3h1, C_3x). See "From plain dimers" in docs/fitting.md.
    """
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    names = [os.fsencode(p) for p in paths]
    files = (ctypes.c_char_p * max(len(names), 1))(*names)
    notes: list[str] = []
    note = _abi.shoal_fit_note(lambda _user, text: notes.append(text.decode(errors="replace")))
    options = _abi.shoal_prepare_options(
        charges=charge_source(charges),
        dialect=choose("dialect", dialect, _DIALECTS),
        finer=finer,
        map=os.fsencode(map) if map is not None else None,
        frames=os.fsencode(frames),
        types=os.fsencode(types),
        dofs=os.fsencode(dofs),
        note=note,
    )
    result = _abi.shoal_prepare_result()
    check(lib.shoal_fit_prepare(files, len(names), ctypes.byref(options), ctypes.byref(result)))
    return Prepared(
        os.fspath(frames),
        os.fspath(types),
        os.fspath(dofs),
        result.n_frames,
        result.n_left_out,
        result.n_types,
        notes,
    )
