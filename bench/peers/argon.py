# SPDX-License-Identifier: BSD-3-Clause
# Crystals of argon, as every program of this work computes them.
import random

from shoal_program import KCAL

# UFF's argon: where the minimum is (A), its depth (eV); what others call sigma.
MINIMUM, DEPTH = 3.868, 0.185 * KCAL
SIGMA = MINIMUM / 2 ** (1 / 6)
MASS = 39.948  # amu
CUTOFF, SWITCH = 12.0, 10.0  # A; Shoal and OpenMM switch in between, by the same polynomial
CELLS, LATTICE = 6, 5.4  # cells along an edge, the edge of one, A
BOX = CELLS * LATTICE
SHAKE = 0.1  # A
STEP = 2.0  # fs
CORNERS = ((0, 0, 0), (0, 0.5, 0.5), (0.5, 0, 0.5), (0.5, 0.5, 0))


def crystal(seed):
    """Positions in angstrom, fcc, every atom a little off its place."""
    draw = random.Random(seed)
    grid = [(i, j, k) for i in range(CELLS) for j in range(CELLS) for k in range(CELLS)]
    return [[LATTICE * (c + d) + draw.uniform(-SHAKE, SHAKE) for c, d in zip(cell, corner)] for cell in grid for corner in CORNERS]


def crystals(n):
    return [crystal(seed) for seed in range(n)]


def write(path, systems):
    cell = f"{BOX} 0 0 0 {BOX} 0 0 0 {BOX}"
    with open(path, "w", encoding="utf-8") as file:
        for positions in systems:
            file.write(f'{len(positions)}\nLattice="{cell}" Properties=species:S:1:pos:R:3 pbc="T T T"\n')
            file.writelines(f"Ar {x:.10f} {y:.10f} {z:.10f}\n" for x, y, z in positions)


def row(arguments, seconds, first, last, pairs):
    """first, last: potential energies of all systems in eV, before the first step and after the last one."""
    atoms = len(CORNERS) * CELLS**3 * arguments.systems
    steps = arguments.steps * arguments.systems
    return {"seconds": seconds, "systems": arguments.systems, "steps": arguments.steps, "pairs": pairs, "per_s": steps / seconds,
            "first": 1000 * sum(first) / atoms, "last": 1000 * sum(last) / atoms}
