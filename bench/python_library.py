#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times relaxations of a library of conformers from Python, as JSON lines.

    python bench/python_library.py LIBRARY.sdf.gz [--repeat 16] [--device opencl] [--check]

Three ways over the same conformers, grouped into molecules as they follow each other in the file:
  rdkit    shoal.rdkit.optimize on RDKit Mols, relaxed in place (left out without RDKit)
  batch    shoal.Batch.relax on molecules and coordinates in memory
  library  the part of each of them that is spent inside shoal_stream_run
Every way is called --calls times; the first call of a process pays for starting the device. A line
has seconds, seconds inside the library, the overhead of the rest relative to them, and conformers
per second.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import Any, Callable, Iterator

import numpy as np

import shoal


def groups(items: list[Any], same: Callable[[Any, Any], bool]) -> Iterator[list[Any]]:
    """Items in a row that are conformers of one molecule."""
    group: list[Any] = []
    for item in items:
        if group and not same(group[0], item):
            yield group
            group = []
        group.append(item)
    if group:
        yield group


def same_molecule(a: shoal.Molecule, b: shoal.Molecule) -> bool:
    return (
        a.name == b.name
        and np.array_equal(a.numbers, b.numbers)
        and np.array_equal(a.bonds[["i", "j", "order"]], b.bonds[["i", "j", "order"]])
    )


def in_memory(path: str, repeat: int) -> tuple[list[shoal.Molecule], list[np.ndarray]]:
    """Molecules, and the coordinates of their conformers, each repeated."""
    molecules, positions = [], []
    for group in groups(shoal.read(path), same_molecule):
        molecules.append(group[0])
        block = np.array([mol.positions for mol in group])
        positions.append(np.tile(block, (repeat, 1, 1)))
    return molecules, positions


def same_mol(a: Any, b: Any) -> bool:
    def told(mol: Any) -> Any:
        bonds = [
            (bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), bond.GetBondType())
            for bond in mol.GetBonds()
        ]
        return mol.GetProp("_Name"), [atom.GetAtomicNum() for atom in mol.GetAtoms()], bonds

    return told(a) == told(b)


def as_mols(path: str, repeat: int, apart: bool) -> list[Any]:
    """RDKit Mols with their conformers, each repeated; or one Mol per conformer."""
    import gzip

    from rdkit import Chem, RDLogger

    RDLogger.DisableLog("rdApp.*")
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        records = [m for m in Chem.ForwardSDMolSupplier(file, removeHs=False) if m is not None]
    if apart:
        return [Chem.Mol(mol) for _ in range(repeat) for mol in records]
    mols = []
    for group in groups(records, same_mol):
        mol = Chem.Mol(group[0])
        mol.RemoveAllConformers()
        for _ in range(repeat):
            for one in group:
                mol.AddConformer(one.GetConformer(), assignId=True)
        mols.append(mol)
    return mols


def tell(way: str, call: int, seconds: float, inside: float, parts: list[shoal.Results]) -> None:
    n = sum(len(part) for part in parts)
    line = {
        "way": way,
        "call": call,
        "conformers": n,
        "seconds": round(seconds, 4),
        "library_seconds": round(inside, 4),
        "overhead": round((seconds - inside) / inside, 4),
        "per_second": round(n / seconds, 1),
        "library_per_second": round(n / inside, 1),
        "converged": int(sum(np.sum(part.converged) for part in parts)),
        "device": parts[0].provenance["device"],
    }
    print(json.dumps(line), flush=True)


def time_batch(options: argparse.Namespace) -> None:
    molecules, positions = in_memory(options.library, options.repeat)
    for call in range(1, options.calls + 1):
        begin = time.perf_counter()
        batch = shoal.Batch(molecules, positions=positions, **options.batch)
        results = batch.relax(fmax=options.fmax, forces=False, progress=False)
        seconds = time.perf_counter() - begin
        tell("batch", call, seconds, results.provenance["seconds"], [results])


def time_rdkit(options: argparse.Namespace) -> None:
    import shoal.rdkit

    mols = as_mols(options.library, options.repeat, options.apart)
    starts = [[c.GetPositions() for c in mol.GetConformers()] for mol in mols]
    for call in range(1, options.calls + 1):
        for mol, block in zip(mols, starts):
            for conformer, positions in zip(mol.GetConformers(), block):
                conformer.SetPositions(positions)
        begin = time.perf_counter()
        found = shoal.rdkit.optimize(mols, fmax=options.fmax, progress=False, **options.batch)
        seconds = time.perf_counter() - begin
        tell("rdkit", call, seconds, found.seconds, found.parts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", help="an SD file")
    parser.add_argument("--repeat", type=int, default=1, help="how often every conformer is taken")
    parser.add_argument("--calls", type=int, default=2)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--fmax", type=float, default=0.01, help="eV/angstrom")
    parser.add_argument("--ways", default="batch,rdkit")
    parser.add_argument("--apart", action="store_true", help="one Mol per conformer")
    options = parser.parse_args()
    options.batch = {"device": options.device, "threads": options.threads}
    if "batch" in options.ways:
        time_batch(options)
    if "rdkit" in options.ways:
        try:
            import rdkit  # noqa: F401
        except ImportError:
            print("rdkit: left out, RDKit is not installed", file=sys.stderr)
        else:
            time_rdkit(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
