# SPDX-License-Identifier: BSD-3-Clause
# RDKit: making conformers of Mols, and relaxing them where they are.
"""RDKit Mols: conversions, and conformers made and relaxed in place.

Atoms, bond orders, formal charges and radicals are taken from the Mol as it is; nothing is written
to a file. Energies are in eV but for the drop-ins of RDKit's own functions, which give kcal/mol.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._optional import missing

try:
    from rdkit import Chem
except ImportError as error:
    raise missing("shoal.rdkit", error) from None

from . import _abi
from ._conformers import relax_in_place
from ._embed_mols import Embedded, molecules_of, write_all
from ._lib import ArgumentError, UnsupportedError, lib
from ._mol import (
    GeometryWarning,
    HydrogenWarning,
    called,
    conformers_of,
    from_result,
    set_positions as _set_positions,
    to_mol,
    to_molecule,
    to_molecules,
    user_level,
)
from .batch import Batch, check_in_place
from .options import FMAX, MAX_STEPS
from .ragged import Ragged
from .results import Results
from .units import convert_frame

__all__ = [
    "GeometryWarning",
    "HydrogenWarning",
    "MMFFOptimizeMolecule",
    "MMFFOptimizeMoleculeConfs",
    "MMFFOptimizeMoleculesConfs",
    "MolResult",
    "Optimized",
    "UFFOptimizeMolecule",
    "UFFOptimizeMoleculeConfs",
    "UFFOptimizeMoleculesConfs",
    "embed",
    "from_result",
    "optimize",
    "to_mol",
    "to_molecule",
    "to_molecules",
]


# --- relaxing Mols ---


@dataclass(frozen=True)
class MolResult:
    """What became of the conformers of one Mol; arrays have an entry for each of them."""

    energy: np.ndarray
    """eV; NaN where it failed."""
    energy0: np.ndarray
    """eV, before."""
    fmax: np.ndarray
    """eV/angstrom: the largest force on an atom."""
    steps: np.ndarray
    """Evaluations."""
    status: np.ndarray
    """Words: "converged", "max_steps", "untyped", .."""
    reason: list[str]
    """Why a conformer failed, naming the atom; "" where it did not."""
    warning: list[str]
    """What looks wrong; "" where nothing does."""

    @property
    def converged(self) -> np.ndarray:
        """Whether the forces became small."""
        return self.status == "converged"

    @property
    def lowest(self) -> int:
        """The number of the conformer with the lowest energy; -1 where none has one."""
        return _lowest(self.energy)

    def __len__(self) -> int:
        return len(self.energy)


def _of_conformers(name: str, text: str) -> Any:
    """A property of Optimized: a column of all parts, by Mol."""

    def column(self: Optimized) -> Ragged:
        return Ragged(self._column(name), self.starts)

    return property(column, doc=text)


class Optimized(Sequence[MolResult]):
    """What became of the conformers of many Mols; ``optimized[i]`` is the MolResult of Mol i.

    Ragged arrays: ``energy[i][k]`` belongs to conformer k of Mol i. A None among the Mols has no
    conformers.
    """

    def __init__(self, parts: Sequence[Results], starts: np.ndarray) -> None:
        self.parts = list(parts)
        """All conformers one after the other, as one or more `Results`."""
        self.starts = starts
        """Mol i has the conformers starts[i] to starts[i + 1] among all."""
        self._columns: dict[str, Any] = {}

    def _column(self, name: str) -> Any:
        if name not in self._columns:
            columns = [getattr(part, name) for part in self.parts]
            if name in ("name", "reason", "warning"):
                self._columns[name] = [text for column in columns for text in column]
            else:
                none = np.zeros(0, dtype=str if name == "status" else float)
                self._columns[name] = np.concatenate(columns) if columns else none
        return self._columns[name]

    @property
    def seconds(self) -> float:
        """What was spent inside the C library."""
        return sum(part.provenance["seconds"] for part in self.parts)

    energy = _of_conformers("energy", "eV; NaN where it failed.")
    energy0 = _of_conformers("energy0", "eV, before.")
    fmax = _of_conformers("fmax", "eV/angstrom.")
    steps = _of_conformers("steps", "Evaluations.")
    status = _of_conformers("status", 'Words: "converged", "max_steps", "untyped", ..')
    converged = _of_conformers("converged", "Whether the forces became small.")

    @property
    def reason(self) -> list[list[str]]:
        """Why a conformer failed, naming the atom; "" where it did not."""
        return [self[i].reason for i in range(len(self))]

    @property
    def lowest(self) -> np.ndarray:
        """[Mols] number of the conformer with the lowest energy, -1 where none has one; conformer
        k of Mol i is ``list(mols[i].GetConformers())[k]``, of those that were asked for."""
        return np.array([_lowest(one.energy) for one in self], dtype=int)

    def to_dataframe(self, units: str = "eV", *, lowest: bool = False) -> Any:
        """A pandas.DataFrame with a row for every conformer: mol and conformer (both from 0), name,
        status, energies in units ("eV", "kcal/mol", ..), relative_energy above the lowest conformer
        of the Mol, fmax, steps, reason, warning. lowest: only the lowest conformer of every Mol.

        >>> from rdkit import Chem
        >>> from rdkit.Chem import AllChem
        >>> import shoal.rdkit
        >>> mols = [Chem.AddHs(Chem.MolFromSmiles(text)) for text in ("CCO", "CCCO")]
        >>> _ = [AllChem.EmbedMultipleConfs(mol, 4, randomSeed=7) for mol in mols]
        >>> shoal.rdkit.optimize(mols, device="cpu").to_dataframe("kcal/mol", lowest=True).shape
        (2, 11)
        """
        try:
            import pandas
        except ImportError as error:
            raise missing("to_dataframe", error) from None
        counts = np.diff(self.starts)
        energy = np.asarray(self._column("energy"), dtype=float)
        floors = [np.nanmin(one.energy) if _lowest(one.energy) >= 0 else np.nan for one in self]
        columns = {
            "mol": np.repeat(np.arange(len(self)), counts),
            "conformer": np.concatenate([np.arange(n) for n in counts] or [np.zeros(0, int)]),
            "name": self._column("name"),
            "status": self._column("status"),
            "energy": energy,
            "relative_energy": energy - np.repeat(np.array(floors, dtype=float), counts),
        }
        for name in ("energy0", "fmax", "steps", "reason", "warning"):
            columns[name] = self._column(name)
        frame = convert_frame(pandas.DataFrame(columns), units, ())
        if lowest:
            best = self.lowest
            frame = frame.iloc[(self.starts[:-1] + best)[best >= 0]].reset_index(drop=True)
        return frame

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        if not -len(self) <= i < len(self):
            raise IndexError(f"Mol {i} of {len(self)}")
        i %= len(self)
        rows = slice(int(self.starts[i]), int(self.starts[i + 1]))
        names = ("energy", "energy0", "fmax", "steps", "status", "reason", "warning")
        return MolResult(*(self._column(name)[rows] for name in names))

    def __iter__(self) -> Iterator[MolResult]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        n, done = int(self.starts[-1]), int(np.sum(self._column("converged")))
        return f"<Optimized: {len(self)} Mols, {n} conformers, {done} converged>"


def _lowest(energy: np.ndarray) -> int:
    """The place of the lowest energy, -1 where there is none."""
    return int(np.nanargmin(energy)) if np.isfinite(energy).any() else -1


def _labels(mols: Sequence[Any], single: bool) -> list[str]:
    return [""] if single else [f"Mol {k}" for k in range(len(mols))]


def optimize(
    mols: Any,
    fmax: float = FMAX,
    max_steps: int = MAX_STEPS,
    method: str = "lbfgs",
    device: str = "cpu",
    *,
    charges: str = "auto",
    charge_property: str | None = None,
    surface: Any = None,
    conf_ids: Iterable[int] | None = None,
    progress: Any = None,
    **options: Any,
) -> Any:
    """Relaxes the conformers of Mols in place.

    mols: a Mol, or a list of them in which None stands for one that could not be made. fmax in
    eV/angstrom; max_steps: evaluations per conformer; method: "lbfgs" or "fire"; device: "cpu",
    "auto" (a GPU, else the cpu), "opencl:0", ... charges: "auto" (those of charge_property, else
    none), "none" or "qeq"; charge_property: name of an atom property with partial charges in e,
    such as "_GasteigerCharge". surface: a `Surface` to stand on. conf_ids: ids of the conformers to
    relax, of every Mol; others stay. Other options are those of `Batch`.

    Gives a MolResult for a Mol, an Optimized for a list: energies in eV, status and reason of every
    conformer. A conformer that cannot be computed stays where it is, and its reason names the atom.
    Conformer ids and properties of the Mols stay. An error in one of the Mols is raised before any
    is changed; a run that Ctrl-C or a callback ended may have moved the conformers of some.

    >>> from rdkit import Chem
    >>> from rdkit.Chem import AllChem
    >>> import shoal.rdkit
    >>> mol = Chem.AddHs(Chem.MolFromSmiles("CCO"))
    >>> _ = AllChem.EmbedMultipleConfs(mol, 4, randomSeed=7)
    >>> found = shoal.rdkit.optimize(mol, device="cpu")
    >>> str(found.status[0]), len(found.energy)
    ('converged', 4)
    """
    single = isinstance(mols, Chem.Mol)
    listed = [mols] if single else list(mols)
    parts, starts = relax_in_place(
        listed,
        _labels(listed, single),
        None if conf_ids is None else [int(k) for k in conf_ids],
        charge_property,
        {"charges": charges, "surface": surface, "device": device, **options},
        {"fmax": fmax, "max_steps": max_steps, "method": method, "progress": progress},
    )
    found = Optimized(parts, starts)
    return found[0] if single else found


# --- making conformers ---


def embed(
    mols: Any,
    n: int = 10,
    seed: int = 0,
    relax: bool = True,
    *,
    max_tries: int = 30,
    fmax: float = FMAX,
    max_steps: int = MAX_STEPS,
    forcefield: Any = "uff",
    charges: str = "auto",
    device: str = "cpu",
    threads: int = 0,
    progress: Any = None,
) -> Any:
    """Makes n conformers of every Mol in place, in the stead of those that it has.

    mols: a Mol, or a list of them in which None stands for one that could not be made. Gives a
    list of the ids of its conformers for each (for a Mol one list), as EmbedMultipleConfs does.
    Configurations are those that the Mol states; of others some of each come out. relax: in the
    force field, and conformers have the properties "energy" (eV) and "status"; otherwise as
    distance geometry leaves them. Other options are those of `Batch` and `Batch.embed`.

    Conformers that are not found are left out. A Mol that gets none has an empty list and says why
    in its property "reason". Hydrogens have to be atoms: a Mol that lacks some raises
    ArgumentError, as anything that is no Mol, before any of them was changed.

    >>> from rdkit import Chem
    >>> import shoal.rdkit
    >>> mols = [Chem.AddHs(Chem.MolFromSmiles(text)) for text in ("CCO", "C[C@H](N)C(=O)O")]
    >>> shoal.rdkit.embed(mols, 3, seed=1)
    [[0, 1, 2], [0, 1, 2]]
    >>> mols[0].GetConformer(0).GetDoubleProp("energy") < 0.1
    True
    """
    single = isinstance(mols, Chem.Mol)
    listed = [mols] if single else list(mols)
    check_in_place({"forcefield": forcefield})
    found = [
        None if mol is None else Embedded(mol, label)
        for mol, label in zip(listed, _labels(listed, single))
    ]
    molecules = molecules_of(found)
    results = None
    if molecules:
        options = {"forcefield": forcefield, "charges": charges, "device": device}
        results = Batch(molecules, threads=threads, **options).embed(
            n,
            seed=seed,
            relax=relax,
            max_tries=max_tries,
            fmax=fmax,
            max_steps=max_steps,
            forces=False,
            progress=progress,
        )
    ids = write_all(found, results, n, relax)
    return ids[0] if single else ids


# --- drop-ins of RDKit's own functions ---


def UFFOptimizeMoleculeConfs(  # noqa: N802 - RDKit's name
    mol: Chem.Mol,
    numThreads: int = 0,
    maxIters: int = 200,
    vdwThresh: float = 10.0,
    ignoreInterfragInteractions: bool = True,
    *,
    fmax: float = FMAX,
    device: str = "cpu",
) -> list[tuple[int, float]]:
    """Relaxes all conformers of a Mol; a list of (not_converged, energy in kcal/mol), as RDKit's.

    not_converged is 0 where it converged, 1 where it needs more steps, -1 (with the energy -1)
    where the Mol cannot be typed; a warning then names the atom. What differs from RDKit:

    - maxIters counts evaluations of energy and forces; an iteration of RDKit takes one or more;
    - converged means that no atom feels more than fmax, in eV/angstrom;
    - vdwThresh must be 10.0, the factor at which Shoal leaves vdW pairs out, too;
    - numThreads 0, the default, uses all cores; it is not looked at on a GPU;
    - some terms: docs/uff.md lists what Shoal puts right.
    """
    return UFFOptimizeMoleculesConfs(
        [mol],
        numThreads,
        maxIters,
        vdwThresh,
        ignoreInterfragInteractions,
        fmax=fmax,
        device=device,
    )[0]


def UFFOptimizeMolecule(  # noqa: N802 - RDKit's name
    self: Chem.Mol,
    maxIters: int = 200,
    vdwThresh: float = 10.0,
    confId: int = -1,
    ignoreInterfragInteractions: bool = True,
    *,
    fmax: float = FMAX,
    device: str = "cpu",
) -> int:
    """Relaxes one conformer of a Mol: 0 converged, 1 more steps are needed, -1 it cannot be typed.

    What differs from RDKit: see `UFFOptimizeMoleculeConfs`.
    """
    _check_threshold(vdwThresh)
    found = _drop_in(
        [self], [int(confId)], 0, maxIters, ignoreInterfragInteractions, fmax, device, _UFF
    )
    return found[0][0][0]


def UFFOptimizeMoleculesConfs(  # noqa: N802 - after RDKit's name
    mols: Iterable[Any],
    numThreads: int = 0,
    maxIters: int = 200,
    vdwThresh: float = 10.0,
    ignoreInterfragInteractions: bool = True,
    *,
    fmax: float = FMAX,
    device: str = "cpu",
) -> list[list[tuple[int, float]]]:
    """The list form of `UFFOptimizeMoleculeConfs`: one such list per Mol, all relaxed as one batch.

    A None among the Mols has an empty list.
    """
    _check_threshold(vdwThresh)
    return _drop_in(
        list(mols), None, numThreads, maxIters, ignoreInterfragInteractions, fmax, device, _UFF
    )


def MMFFOptimizeMoleculeConfs(  # noqa: N802 - RDKit's name
    mol: Chem.Mol,
    numThreads: int = 0,
    maxIters: int = 200,
    mmffVariant: str = "MMFF94",
    nonBondedThresh: float = 100.0,
    ignoreInterfragInteractions: bool = True,
    *,
    fmax: float = FMAX,
    device: str = "cpu",
) -> list[tuple[int, float]]:
    """`UFFOptimizeMoleculeConfs` with MMFF94 or MMFF94s; charges are those of the force field.

    All pairs count, whatever their distance: nonBondedThresh must be 100.0 or more.
    """
    return MMFFOptimizeMoleculesConfs(
        [mol],
        numThreads,
        maxIters,
        mmffVariant,
        nonBondedThresh,
        ignoreInterfragInteractions,
        fmax=fmax,
        device=device,
    )[0]


def MMFFOptimizeMolecule(  # noqa: N802 - RDKit's name
    mol: Chem.Mol,
    mmffVariant: str = "MMFF94",
    maxIters: int = 200,
    nonBondedThresh: float = 100.0,
    confId: int = -1,
    ignoreInterfragInteractions: bool = True,
    *,
    fmax: float = FMAX,
    device: str = "cpu",
) -> int:
    """`UFFOptimizeMolecule` with MMFF94 or MMFF94s; see `MMFFOptimizeMoleculeConfs`."""
    field = _mmff94(mmffVariant, nonBondedThresh)
    found = _drop_in(
        [mol], [int(confId)], 0, maxIters, ignoreInterfragInteractions, fmax, device, field
    )
    return found[0][0][0]


def MMFFOptimizeMoleculesConfs(  # noqa: N802 - after RDKit's name
    mols: Iterable[Any],
    numThreads: int = 0,
    maxIters: int = 200,
    mmffVariant: str = "MMFF94",
    nonBondedThresh: float = 100.0,
    ignoreInterfragInteractions: bool = True,
    *,
    fmax: float = FMAX,
    device: str = "cpu",
) -> list[list[tuple[int, float]]]:
    """The list form of `MMFFOptimizeMoleculeConfs`: all Mols relaxed as one batch."""
    field = _mmff94(mmffVariant, nonBondedThresh)
    return _drop_in(
        list(mols), None, numThreads, maxIters, ignoreInterfragInteractions, fmax, device, field
    )


_UFF = {"charges": "none"}


def _mmff94(variant: str, threshold: float) -> dict[str, Any]:
    if variant not in ("MMFF94", "MMFF94s"):
        raise ArgumentError(f"mmffVariant: expected 'MMFF94' or 'MMFF94s', got {variant!r}")
    if not threshold >= 100.0:
        raise UnsupportedError(
            f"nonBondedThresh: expected 100.0 or more, as all pairs count, got {threshold!r}"
        )
    return {"forcefield": variant.lower()}


def _check_threshold(threshold: float) -> None:
    if threshold != 10.0:
        raise UnsupportedError(
            "vdwThresh: expected 10.0, as Shoal leaves out vdW pairs beyond 10 minima, "
            f"got {threshold!r}"
        )


def _threads(wanted: int) -> int:
    """RDKit's count of threads in Shoal's words: 0 all, -n all but n."""
    return wanted if wanted >= 0 else max(1, (os.cpu_count() or 1) + wanted)


def _drop_in(
    mols: list[Any],
    conf_ids: list[int] | None,
    threads: int,
    max_steps: int,
    apart: bool,
    fmax: float,
    device: str,
    typing: dict[str, Any],
) -> list[list[tuple[int, float]]]:
    if max_steps < 1:
        raise ArgumentError(f"maxIters: expected 1 or more, got {max_steps!r}")
    pieces = _Pieces(mols, apart, len(mols) == 1)
    parts, starts = relax_in_place(
        pieces.mols,
        pieces.labels,
        conf_ids,
        None,
        {**typing, "device": device, "threads": _threads(threads)},
        {"fmax": fmax, "max_steps": max_steps},
    )
    found = Optimized(parts, starts)
    for k in range(len(found)):
        if (found[k].status == "untyped").any():
            text = f"{called(pieces.mols[k], pieces.labels[k])}: {found[k].reason[0]}"
            warnings.warn(text, stacklevel=user_level())
    return pieces.joined(found, conf_ids)


class _Pieces:
    """Mols cut into their fragments, which then do not interact."""

    def __init__(self, mols: list[Any], apart: bool, single: bool) -> None:
        self.whole = mols
        self.mols: list[Any] = []
        self.labels: list[str] = []
        self.atoms: list[Any] = []  # of the whole Mol, or None for all of them
        self.starts = [0]
        for mol, label in zip(mols, _labels(mols, single)):
            atoms = Chem.GetMolFrags(mol) if apart and isinstance(mol, Chem.Mol) else ()
            if len(atoms) > 1:
                self.mols += Chem.GetMolFrags(mol, asMols=True, sanitizeFrags=False)
                self.atoms += [np.array(part) for part in atoms]
            else:
                self.mols.append(mol)
                self.atoms.append(None)
            self.labels += [label] * (len(self.mols) - self.starts[-1])
            self.starts.append(len(self.mols))

    def joined(self, found: Optimized, conf_ids: list[int] | None) -> list[list[tuple[int, float]]]:
        """Results of whole Mols, with the fragments written back."""
        out = []
        for mol, a, b in zip(self.whole, self.starts, self.starts[1:]):
            rows = [_rows(found[k]) for k in range(a, b)]
            out.append([_sum(row) for row in zip(*rows)])
            if mol is not None and self.atoms[a] is not None:
                self._write_back(mol, a, b, conf_ids)
        return out

    def _write_back(self, mol: Chem.Mol, a: int, b: int, conf_ids: list[int] | None) -> None:
        pieces = [conformers_of(self.mols[k], conf_ids, "") for k in range(a, b)]
        for conformer, *parts in zip(conformers_of(mol, conf_ids, ""), *pieces):
            positions = conformer.GetPositions()
            for atoms, part in zip(self.atoms[a:b], parts):
                positions[atoms] = part.GetPositions()
            _set_positions(conformer, positions)


def _rows(result: MolResult) -> list[tuple[int, float]]:
    """(not_converged, kcal/mol) of every conformer, as RDKit has them."""
    codes = np.where(np.isfinite(result.energy), (~result.converged).astype(int), -1).tolist()
    kcal = lib.shoal_unit_value(_abi.SHOAL_UNIT_KCAL_PER_MOL)
    energies = (result.energy / kcal).tolist()
    return [(code, energy if code >= 0 else -1.0) for code, energy in zip(codes, energies)]


def _sum(parts: Sequence[tuple[int, float]]) -> tuple[int, float]:
    """Of fragments: the worst code and the sum of energies."""
    codes = [code for code, _ in parts]
    if min(codes) < 0:
        return -1, -1.0
    return max(codes), sum(energy for _, energy in parts)
