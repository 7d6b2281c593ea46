# SPDX-License-Identifier: BSD-3-Clause
# Conformers of molecules, from their bonds.
"""Conformers from bonds and configurations alone: Batch.embed, and ``shoal.embed`` of SMILES.

docs/conformers.md explains how they are made.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from . import _abi
from ._handle import flag, number, whole
from ._lib import ArgumentError, FormatError, check, lib
from .molecule import Molecule
from .options import FMAX, MAX_STEPS
from .progress import Choice
from .results import Results
from .run import Run

if TYPE_CHECKING:
    from .batch import Batch

__all__ = ["embed", "embed_batch"]

MOST = 1000000  # conformers and tries


def embed_batch(
    batch: Batch,
    n: int = 10,
    *,
    seed: int = 0,
    relax: bool = True,
    max_tries: int = 30,
    keep: int = 0,
    window: float = 0.0,
    rmsd: float | None = None,
    temperature: float = 298.15,
    fmax: float = FMAX,
    max_steps: int = MAX_STEPS,
    method: str = "lbfgs",
    max_move: float = 0.2,
    forces: bool = True,
    progress: Choice = None,
    save: Any = None,
    resume: bool = False,
) -> Results:
    """Makes n conformers of every molecule from its bonds, whatever its coordinates: Batch.embed.

    Results have n systems for each: ``record`` is the molecule, ``variant`` the number of the
    conformer. It depends on the molecule, on that number and on the seed alone. One that is not
    found in max_tries starts is "untyped", with the reason. relax: to fmax (eV/angstrom) in
    max_steps evaluations, by method and max_move, as of ``relax``; otherwise energies are where
    distance geometry left the atoms. save, resume: as of ``energy``.

    keep: the lowest ones that differ (0: all); window: eV above the lowest (0: all); rmsd:
    angstrom between atoms other than hydrogen below which two are one (0.5 where one of keep and
    window is given; 0: none are). With any of these, molecules have the data fields
    conformer_rank, conformer_relative_energy (eV) and conformer_weight, Boltzmann's at temperature
    (K) among those that are kept.

    >>> import shoal
    >>> found = shoal.Batch("examples/butane.sdf").embed(3, seed=1)
    >>> print(found.variant, found.status[0])
    [0 1 2] converged
    """
    _check(batch)
    relax = flag("relax", relax)
    conformers = _abi.shoal_conformers(
        n=whole("n", n, 1, MOST),
        seed=whole("seed", seed, 0),
        most_tries=whole("max_tries", max_tries, 1, MOST),
        no_relaxation=not relax,
    )
    ensemble = _ensemble(keep, window, rmsd, temperature)
    choice = _abi.shoal_choice()
    if keep or window or rmsd is not None:
        check(lib.shoal_ensemble_choice(ctypes.byref(ensemble), ctypes.byref(choice)))
        conformers.choice = ctypes.pointer(choice)
    options = batch.relax_options(fmax, max_steps, method, max_move)
    told = {"n": n, "seed": seed, "relax": relax, "max_tries": max_tries}
    if conformers.choice:
        told |= {"keep": keep, "window": window, "rmsd": rmsd, "temperature": temperature}
    if relax:
        told |= {"fmax": fmax, "max_steps": max_steps, "method": method, "max_move": max_move}
    found = Run(
        batch,
        _abi.SHOAL_JOB_RELAX if relax else _abi.SHOAL_JOB_ENERGY,
        label="embed",
        relax=options if relax else None,
        conformers=conformers,
        repeats=float(n),
        seed=seed,
        told=told,
        forces=forces,
        progress=progress,
        save=save,
        resume=resume,
    ).results()
    del ensemble, choice  # until here
    return found


def _ensemble(
    keep: int, window: float, rmsd: float | None, temperature: float
) -> _abi.shoal_ensemble:
    return _abi.shoal_ensemble(
        most=whole("keep", keep, 0, MOST),
        window=number("window", window, 0),
        rmsd=0.0 if rmsd is None else number("rmsd", rmsd, 0),
        temperature=number("temperature", temperature, 1e-6),
        keep_alike=rmsd == 0,
    )


def _check(batch: Batch) -> None:
    """Refuses what the conformers of a molecule have no place for."""
    if batch.conformers is not None:
        raise ArgumentError("conformers: expected none with embed, whose n says how many")
    if batch.copies is not None:
        raise ArgumentError("copies: expected none with embed, whose n are the copies")
    for name in ("surface", "movable", "placement"):
        if getattr(batch, name) is not None:
            raise ArgumentError(
                f"{name}: conformers are made of free molecules; expected a batch without it"
            )


def embed(
    molecules: Any,
    n: int = 10,
    *,
    seed: int = 0,
    relax: bool = True,
    max_tries: int = 30,
    keep: int = 0,
    window: float = 0.0,
    rmsd: float | None = None,
    temperature: float = 298.15,
    fmax: float = FMAX,
    max_steps: int = MAX_STEPS,
    progress: Choice = None,
    **options: Any,
) -> Results:
    """Conformers of molecules or SMILES, n of each; see Batch.embed.

    molecules: a SMILES, behind which a name may follow, a Molecule, or a list of these; files are
    for `Batch`. Other options are those of `Batch`.

    >>> import shoal
    >>> found = shoal.embed(["CCO ethanol", "C[C@H](N)C(=O)O"], 2)
    >>> print(found.record, found.name[0])
    [0 0 1 1] ethanol
    """
    from .batch import Batch

    items = [molecules] if isinstance(molecules, (str, Molecule)) else molecules
    if isinstance(items, (list, tuple)):
        items = [_molecule(k, item) for k, item in enumerate(items)]
    return Batch(items, **options).embed(
        n,
        seed=seed,
        relax=relax,
        max_tries=max_tries,
        keep=keep,
        window=window,
        rmsd=rmsd,
        temperature=temperature,
        fmax=fmax,
        max_steps=max_steps,
        progress=progress,
    )


def _molecule(k: int, item: Any) -> Any:
    if not isinstance(item, str):
        return item
    try:
        return Molecule.from_smiles(item)
    except (ArgumentError, FormatError) as error:
        raise type(error)(f"molecules[{k}]: {error}") from None
