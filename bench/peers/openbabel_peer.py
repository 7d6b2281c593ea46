# SPDX-License-Identifier: BSD-3-Clause
# Open Babel: conjugate gradients of each molecule by itself.
import functools
import time

from openbabel import openbabel as ob
from openbabel import pybel

NAME = "Open Babel"
MOST = 5000  # steps
KCAL = {"kJ/mol": 0.2390057361, "kcal/mol": 1.0}


def version(_):
    return ob.OBReleaseVersion()


def relax(arguments, forcefield):
    molecules = [m.OBMol for m in pybel.readfile("sdf", arguments.file)]
    energies = []
    start = time.perf_counter()
    for mol in molecules:
        ff = ob.OBForceField.FindForceField(forcefield)
        if not ff.Setup(mol):
            continue
        ff.ConjugateGradients(MOST, 1e-6)
        energies.append(ff.Energy(False) * KCAL[ff.GetUnit()])
    return {"seconds": time.perf_counter() - start, "energies": energies, "converged": "1e-6 of the energy in a step"}


def runs(arguments):
    return [(name, functools.partial(relax, arguments, name)) for name in ("uff", "mmff94")]
