# SPDX-License-Identifier: BSD-3-Clause
# RDKit: each molecule by itself, as many iterations as it wants.
import functools
import time

import rdkit
from rdkit import Chem, RDLogger
from rdkit.Chem import AllChem

NAME = "RDKit"
MOST = 20000  # iterations


def version(_):
    return rdkit.__version__


def field(mol, forcefield):
    if forcefield == "uff":
        return AllChem.UFFGetMoleculeForceField(mol, vdwThresh=1e6, ignoreInterfragInteractions=False)
    return AllChem.MMFFGetMoleculeForceField(mol, AllChem.MMFFGetMoleculeProperties(mol), nonBondedThresh=1e6)


def relax(arguments, forcefield):
    RDLogger.DisableLog("rdApp.*")
    molecules = [m for m in Chem.SDMolSupplier(arguments.file, removeHs=False) if m is not None]
    energies, converged = [], 0
    start = time.perf_counter()
    for mol in molecules:
        try:
            ff = field(mol, forcefield)
        except (ValueError, RuntimeError):
            ff = None  # no types
        if ff is None:
            continue
        ff.Initialize()
        converged += ff.Minimize(maxIts=MOST) == 0
        energies.append(ff.CalcEnergy())
    return {"seconds": time.perf_counter() - start, "energies": energies, "converged": f"its default: {converged} of {len(molecules)}"}


def runs(arguments):
    return [(name, functools.partial(relax, arguments, name)) for name in ("uff", "mmff94")]
