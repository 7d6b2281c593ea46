# SPDX-License-Identifier: BSD-3-Clause
# ASE: relaxing many Atoms at once; the calculator and conversions by their names.
"""ASE: a calculator, relaxation of many Atoms at once, conversions.

Units are ASE's own: eV, angstrom, e, and eV/angstrom^3 for stress.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ._optional import missing

try:
    from ase import Atoms
    from ase.calculators.singlepoint import SinglePointCalculator
except ImportError as error:
    raise missing("shoal.ase", error) from None

from ._atoms import from_result, mask_of, split, to_atoms, to_molecule, wanted
from ._constraints import Constraints
from ._lib import ArgumentError
from .batch import Batch, check_in_place
from .calculator import Shoal
from .molecule import Molecule
from .options import FMAX, MAX_STEPS
from .surface import Surface

__all__ = ["Shoal", "from_result", "relax_many", "split", "to_atoms", "to_molecule"]


def relax_many(
    images: Iterable[Atoms],
    *,
    fmax: float = FMAX,
    max_steps: int = MAX_STEPS,
    method: str = "lbfgs",
    device: str = "cpu",
    charges: str = "auto",
    substrate: Any = None,
    surface: Surface | None = None,
    progress: Any = None,
    **options: Any,
) -> list[Atoms]:
    """Relaxes many Atoms as one batch; gives relaxed copies in the same order.

    fmax in eV/angstrom. charges: "auto" (initial charges, if any is not zero), "none", "file"
    (initial charges, which must be there) or "qeq". substrate: truth values or indices of the atoms
    of every image that are a rigid slab, the same in all of them; surface: the `Surface` to stand
    on, instead of what is made of them. Other options are those of `Batch`.

    Each copy has the energy, forces (without those of constraints) and charges in its calculator,
    and in ``info`` shoal_status, shoal_reason and shoal_steps; one that failed stays as it was,
    without a calculator. Constraints are kept to: FixAtoms; FixCartesian, FixedPlane and FixedLine
    along x, y, z; Hookean. Others raise UnsupportedError. Cell and pbc stay.
    """
    check_in_place(options)
    images = list(images)
    for k, image in enumerate(images):
        if not isinstance(image, Atoms):
            raise ArgumentError(f"image {k}: expected ase.Atoms, got {image!r}")
    if not images:
        return []
    for name in ("fixed", "restraints"):
        if name in options:
            raise ArgumentError(f"{name}: expected constraints of the Atoms, such as FixAtoms")
    parts, surface = _parted(images, substrate, surface)
    kept = [Constraints(part, f"image {k}") for k, part in enumerate(parts)]
    molecules = [to_molecule(part, initial_charges=wanted(charges)) for part in parts]
    common = {"device": device, "surface": surface, **options}
    relax = {"fmax": fmax, "max_steps": max_steps, "method": method, "progress": progress}
    found = _relax_kept(molecules, kept, {"charges": charges, **common}, relax)
    return [
        _relaxed(image, part, substrate, result)
        for image, part, result in zip(images, parts, found)
    ]


def _parted(
    images: Sequence[Atoms], substrate: Any, surface: Surface | None
) -> tuple[list[Atoms], Surface | None]:
    """The atoms that move, and what they stand on."""
    if substrate is None:
        return list(images), surface
    parts: list[Atoms] = []
    first: Atoms | None = None
    for k, image in enumerate(images):
        mask = mask_of(substrate, len(image))
        slab = image[mask]
        if first is None:
            made = split(image, mask)[1] if surface is None else surface
            first = slab
        elif not _same_slab(first, slab):
            raise ArgumentError(f"image {k}: expected the substrate of image 0 at the same place")
        part = image[~mask]
        part.pbc = [*image.pbc[:2], False]
        parts.append(part)
    return parts, made if parts else surface


def _same_slab(a: Atoms, b: Atoms) -> bool:
    return (
        len(a) == len(b)
        and bool((a.numbers == b.numbers).all())
        and bool(np.allclose(a.positions, b.positions, rtol=0, atol=1e-9))
        and bool(np.allclose(a.cell.array, b.cell.array, rtol=0, atol=1e-9))
    )


def _relax_kept(
    molecules: list[Molecule],
    kept: list[Constraints],
    batch: dict[str, Any],
    relax: dict[str, Any],
) -> list[dict[str, Any]]:
    """Results by image; those with restraints again until these say what the constraints say."""
    results = Batch(
        molecules,
        fixed=[k.fixed for k in kept],
        restraints=[k.restraints() for k in kept],
        **batch,
    ).relax(**relax)
    found = [_taken(results, i) for i in range(len(molecules))]
    soft = [i for i, k in enumerate(kept) if k.soft and found[i]["positions"] is not None]
    again = [i for i in soft if kept[i].follow(found[i]["positions"])]
    for _ in range(8):
        if not again:
            break
        _once_more(again, molecules, kept, found, batch, relax)
        again = [
            i
            for i in again
            if found[i]["positions"] is not None and kept[i].follow(found[i]["positions"])
        ]
    _without_restraints(soft, molecules, kept, found, batch)
    return found


def _taken(results: Any, i: int) -> dict[str, Any]:
    """What is kept of one result; positions None where there are no numbers."""
    finite = bool(np.isfinite(results.energy[i]))
    return {
        "status": str(results.status[i]),
        "reason": str(results.reason[i]),
        "steps": int(results.steps[i]),
        "energy": float(results.energy[i]),
        "positions": np.array(results.positions[i]) if finite else None,
        "forces": np.array(results.forces[i]) if finite else None,
        "charges": np.nan_to_num(results.charges[i]) if finite else None,  # NaN: there are none
    }


def _frozen(molecule: Molecule, result: Mapping[str, Any]) -> Molecule:
    """A molecule where it ended, with the bonds it began with and the charges that acted."""
    out = molecule.copy()
    if not len(out.bonds):
        out.perceive()
    out.positions = result["positions"]
    out.charges = result["charges"]
    return out


def _once_more(
    again: list[int],
    molecules: list[Molecule],
    kept: list[Constraints],
    found: list[dict[str, Any]],
    batch: dict[str, Any],
    relax: dict[str, Any],
) -> None:
    results = Batch(
        [_frozen(molecules[i], found[i]) for i in again],
        fixed=[kept[i].fixed for i in again],
        restraints=[kept[i].restraints() for i in again],
        **{**batch, "charges": "file"},
    ).relax(**relax)
    for n, i in enumerate(again):
        before = found[i]["steps"]
        found[i] = _taken(results, n)
        found[i]["steps"] += before


def _without_restraints(
    soft: list[int],
    molecules: list[Molecule],
    kept: list[Constraints],
    found: list[dict[str, Any]],
    batch: dict[str, Any],
) -> None:
    """Energies and forces of the bare systems, with held coordinates exactly at their places."""
    soft = [i for i in soft if found[i]["positions"] is not None]
    if not soft:
        return
    for i in soft:
        found[i]["positions"] = kept[i].settle(found[i]["positions"])
    bare = [_frozen(molecules[i], found[i]) for i in soft]
    results = Batch(bare, **{**batch, "charges": "file"}).energy()
    for n, i in enumerate(soft):
        found[i]["energy"] = float(results.energy[n])
        found[i]["forces"] = np.array(results.forces[n])


def _relaxed(image: Atoms, part: Atoms, substrate: Any, result: Mapping[str, Any]) -> Atoms:
    """A copy of an image with the numbers of its result."""
    out = image.copy()
    out.info["shoal_status"] = result["status"]
    out.info["shoal_reason"] = result["reason"]
    out.info["shoal_steps"] = result["steps"]
    if result["positions"] is None:
        return out
    moved = np.ones(len(image), bool) if substrate is None else ~mask_of(substrate, len(image))
    forces, charges = np.zeros((len(image), 3)), image.get_initial_charges()
    out.positions[moved] = result["positions"]
    forces[moved], charges[moved] = result["forces"], result["charges"]
    energy = result["energy"]
    out.calc = SinglePointCalculator(
        out, energy=energy, free_energy=energy, forces=forces, charges=charges
    )
    out.calc.name = "shoal"
    return out
