# SPDX-License-Identifier: BSD-3-Clause
# Shoal: batched molecular mechanics.
"""Shoal: energies, relaxations, scans, dynamics and searches of many molecules at once.

Units are eV, angstrom, fs, K, e and amu everywhere; angles that users give are in degrees.

>>> import shoal
>>> water = shoal.Molecule("OHH", [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]])
>>> results = shoal.Batch(water).relax(fmax=0.001)
>>> str(results.status[0])
'converged'
"""

from __future__ import annotations

import importlib
from typing import Any

from ._abi import SHOAL_VERSION as __version__
from ._lib import (
    ArgumentError,
    DeviceError,
    Error,
    FileError,
    FormatError,
    MemoryError_,
    MissingFileError,
    UnsupportedError,
)
from ._optional import MissingPackageError
from .barrier import Band, barriers
from .batch import Batch
from .coordinate import Coordinate
from .device import Device, devices
from .embedding import embed
from .engine import Engine
from .forcefield import MMFF94, MMFFsp3, UFF
from .lens import compare as check
from .mesh import Mesh
from .molecule import Molecule, iread, read, write
from .options import Conformers, Copies, Input, Interactions, Layers, Typing, like
from .pair_model import PairModel
from .placement import Placement
from .probing import ProbeBlock, probe
from .ragged import Ragged
from .restraint import Restraint
from .results import Result, Results, load
from .surface import Grid, Surface, cut, slab, terminations
from .topology import Topology, TopologyBuilder

__all__ = [
    "ArgumentError",
    "Band",
    "Batch",
    "Coordinate",
    "Conformers",
    "Copies",
    "Device",
    "DeviceError",
    "Engine",
    "Error",
    "FileError",
    "FormatError",
    "Grid",
    "Input",
    "Interactions",
    "Layers",
    "MMFF94",
    "MMFFsp3",
    "MemoryError_",
    "Mesh",
    "MissingFileError",
    "MissingPackageError",
    "Molecule",
    "PairModel",
    "Placement",
    "ProbeBlock",
    "Ragged",
    "Restraint",
    "Result",
    "Results",
    "Surface",
    "Topology",
    "TopologyBuilder",
    "Typing",
    "UFF",
    "UnsupportedError",
    "__version__",
    "barriers",
    "check",
    "cut",
    "devices",
    "embed",
    "iread",
    "like",
    "load",
    "probe",
    "read",
    "slab",
    "terminations",
    "write",
]

# Modules that are loaded when they are first used: some need packages that not everybody has.
_LATER = (
    "ase",
    "chemiscope",
    "dask",
    "fit",
    "md",
    "lens",
    "modes",
    "openmm",
    "plot",
    "rdkit",
    "report",
    "scan",
    "search",
    "units",
)


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return importlib.import_module("." + name, __name__)
    raise AttributeError(f"module 'shoal' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_LATER])
