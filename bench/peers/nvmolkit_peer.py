# SPDX-License-Identifier: BSD-3-Clause
# nvMolKit: all molecules at once on an NVIDIA card; RDKit's MMFF94.
import functools
import time

import nvmolkit
from nvmolkit.mmffOptimization import MMFFOptimizeMoleculesConfs
from rdkit import Chem

NAME = "nvMolKit"
MOST = 20000  # iterations


def version(_):
    return nvmolkit.__version__


def relax(arguments):
    molecules = [m for m in Chem.SDMolSupplier(arguments.file, removeHs=False) if m is not None]
    start = time.perf_counter()
    energies = [e for conformers in MMFFOptimizeMoleculesConfs(molecules, maxIters=MOST) for e in conformers]
    return {"seconds": time.perf_counter() - start, "device": "NVIDIA card", "energies": energies, "converged": "its default"}


def runs(arguments):
    return [("mmff94", functools.partial(relax, arguments))]
