# SPDX-License-Identifier: BSD-3-Clause
"""Serotonin from its SMILES: the seven lowest distinct conformers of two hundred, superimposed on their rings."""
import numpy as np
import shoal
from shoal import picture


def draw(examples):
    drug = shoal.Molecule.from_smiles("NCCc1c[nH]c2ccc(O)cc12 serotonin")
    found = shoal.embed(drug, 200, seed=1, keep=7)
    bonds = np.array([tuple(b)[:2] for b in drug.bonds])
    heavy = [k for k, z in enumerate(drug.numbers) if z != 1]
    ring = [3, 4, 5, 6, 7, 8, 9, 11, 12]
    laid = [np.asarray(p) - np.asarray(p)[ring].mean(axis=0) for p in found.positions]
    turned = []
    for pos in laid:
        u, _, v = np.linalg.svd(pos[ring].T @ laid[0][ring])
        u[:, 2] *= np.sign(np.linalg.det(u @ v))
        turned.append((pos @ u @ v)[heavy])
    kept = [b for b in bonds if set(b) <= set(heavy)]
    all_bonds = [(heavy.index(i) + n * len(heavy), heavy.index(j) + n * len(heavy)) for n in range(len(turned)) for i, j in kept]
    return picture.svg(np.tile(np.asarray(drug.numbers)[heavy], len(turned)), np.concatenate(turned), all_bonds)
