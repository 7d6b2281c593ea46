#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Charges of periodic systems for tests/unit/test_qeq_periodic.c, by other means than Shoal's.

Integrals of clouds: Gauss-Legendre quadrature. Crystals: Ewald sums with a split of their own. Slabs: crystals with a gap
of four cell lengths and the dipole term of Yeh and Berkowitz. Chains: plain sums over 2 x 20000 images and the leading term of what
is left. Hydrogen: damped rounds of a dense solver. Needs numpy; prints C.
"""
import math
import pathlib

import numpy as np

HARTREE, BOHR, ZETA_H = 27.211386245988, 0.529177210903, 1.0698
REACH = 13.0  # angstrom; the clouds of the elements below have no more than 1e-11 beyond it
PERIOD = {"H": 1, "C": 2, "N": 2, "O": 2, "F": 2}
NODES, WEIGHTS = np.polynomial.legendre.leggauss(80)


def parameters():
    table = {}
    path = pathlib.Path(__file__).parents[2] / "data" / "uff.tsv"
    for line in path.read_text().splitlines():
        f = line.split("\t")
        if len(f) > 12 and f[1] in PERIOD and f[1] not in table:
            table[f[1]] = tuple(float(x) for x in f[10:13])
    return table


def moment(n, zeta, s):
    x, term, tail, total = 2 * zeta * s, 1.0, 0.0, 0.0
    for k in range(2 * n):
        term = term * x / k if k else term
        tail = tail + term
        total = total + (1 - k / (2 * n)) * (1 - np.exp(-x) * tail)
    return s - total / (2 * zeta)


def excess(a, b, r):
    """Sum of J - 1/r of clouds (n, zeta) over distances r, in bohr."""
    (na, za), (nb, zb) = (a, b) if a[1] < b[1] else (b, a)
    norm = (2 * zb) ** (2 * nb + 1) / (4 * math.pi * math.factorial(2 * nb))
    total, end, r = 0.0, (40 + 4 * nb) / (2 * zb), r[:, None]
    for low, high in ((0 * r, np.minimum(r, end)), (r, r + end)):
        t = (high - low) / 2 * NODES + (high + low) / 2
        f = t * norm * t ** (2 * nb - 2) * np.exp(-2 * zb * t) * (moment(na, za, r + t) - moment(na, za, abs(r - t)))
        total += ((high - low) / 2 * WEIGHTS * f * 2 * math.pi / r).sum()
    return total - (1 / r).sum()


def images(cell, n_periodic, reach):
    size = [int(reach / np.linalg.norm(cell[k]) * 1.3) + 2 if k < n_periodic else 0 for k in range(3)]
    grid = np.array(np.meshgrid(*[np.arange(-s, s + 1) for s in size], indexing="ij")).reshape(3, -1).T
    return grid @ cell


def ewald(pos, cell, alpha):
    """Potentials of unit charges on a background: [n][n], 1/angstrom."""
    n, volume = len(pos), abs(np.linalg.det(cell))
    reach, kmax = 5.4 / alpha, 2 * alpha * 5.4
    erfc = np.vectorize(math.erfc)
    shifts = images(cell, 3, reach)
    dual = 2 * math.pi * np.linalg.inv(cell).T
    k = images(dual, 3, kmax)
    k2 = (k**2).sum(1)
    keep = (k2 > 1e-12) & (k2 < kmax**2)
    k, k2 = k[keep], k2[keep]
    weights = 4 * math.pi / volume / k2 * np.exp(-k2 / (4 * alpha**2))
    out = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            d = pos[j] - pos[i]
            r = np.linalg.norm(d + shifts, axis=1)
            r = r[(r > 1e-9) & (r < reach)]
            out[i, j] = (erfc(alpha * r) / r).sum() + (weights * np.cos(k @ d)).sum() - math.pi / volume / alpha**2
            if i == j:
                out[i, j] -= 2 * alpha / math.sqrt(math.pi)
    return out


def slab(pos, cell, _):
    """The third vector of the cell is normal to it."""
    height = pos[:, 2].max() - pos[:, 2].min()
    wide = np.array(cell, float)
    wide[2] = [0, 0, height + 4 * max(np.linalg.norm(cell[0]), np.linalg.norm(cell[1]))]
    volume = abs(np.linalg.det(wide))
    z = pos[:, 2]
    return ewald(pos, wide, 0.55) - 2 * math.pi / volume * (z[:, None] - z[None, :]) ** 2


def chain(pos, cell, _):
    a, n, out = np.linalg.norm(cell[0]), 20000, np.zeros((len(pos), len(pos)))
    steps = np.arange(1, n + 1) * a
    tail = 1 / (2 * n**2) - 1 / (2 * n**3)  # sum of m^-3 beyond n
    for i in range(len(pos)):
        for j in range(len(pos)):
            x, rho2 = pos[j, 0] - pos[i, 0], ((pos[j, 1:] - pos[i, 1:]) ** 2).sum()
            both = 1 / np.hypot(x + steps, math.sqrt(rho2)) + 1 / np.hypot(x - steps, math.sqrt(rho2)) - 2 / steps
            out[i, j] = both.sum() + (2 * x * x - rho2) / a**3 * tail
            if i != j:
                out[i, j] += 1 / math.sqrt(x * x + rho2)
    return out


def equilibrate(symbols, pos, cell, n_periodic, total):
    table, n = parameters(), len(symbols)
    pos, cell = np.array(pos, float), np.array(cell, float)
    far = {3: lambda: ewald(pos, cell, 0.62), 2: lambda: slab(pos, cell, 0), 1: lambda: chain(pos, cell, 0)}[n_periodic]()
    shifts = images(cell, n_periodic, REACH)
    hydrogen = np.array([s == "H" for s in symbols])
    q, mixing = np.where(hydrogen, 0.3, 0.0), 0.7
    fixed = {}
    for _ in range(200):
        matrix = np.zeros((n + 1, n + 1))
        clouds = []
        for i, s in enumerate(symbols):
            zeta = ZETA_H + q[i] if s == "H" else 0.4913 * (2 * PERIOD[s] + 1) * BOHR / (2 * table[s][2])
            clouds.append((PERIOD[s], zeta))
        for i in range(n):
            for j in range(i, n):
                if hydrogen[i] or hydrogen[j] or (i, j) not in fixed:
                    r = np.linalg.norm(pos[j] - pos[i] + shifts, axis=1)
                    fixed[i, j] = excess(clouds[i], clouds[j], r[(r > 1e-9) & (r < REACH)] / BOHR)
                matrix[i, j] = matrix[j, i] = HARTREE * (BOHR * far[i, j] + fixed[i, j])
            swelling = 1 + q[i] / ZETA_H if hydrogen[i] else 1
            matrix[i, i] += 2 * table[symbols[i]][1] * swelling
            matrix[i, n] = matrix[n, i] = 1
        new = np.linalg.solve(matrix, [-table[s][0] for s in symbols] + [total])[:n]
        change = abs(new - q)[hydrogen].max() if hydrogen.any() else 0
        if change < 1e-10:
            return new
        q = q + mixing * (new - q)
    raise SystemExit("no convergence")


CASES = [
    ("crystal", 3, 0, [[4.6, 0, 0], [0.4, 4.9, 0], [-0.3, 0.6, 5.2]],
     [("C", 0.1, 0.2, 0.1), ("N", 2.4, 2.5, 2.6), ("O", 2.2, 0.3, 0.4), ("H", 2.9, 0.9, 0.2)]),
    ("charged crystal", 3, 1, [[4.6, 0, 0], [0.4, 4.9, 0], [-0.3, 0.6, 5.2]],
     [("C", 0.1, 0.2, 0.1), ("N", 2.4, 2.5, 2.6), ("O", 2.2, 0.3, 0.4), ("H", 2.9, 0.9, 0.2)]),
    ("slab", 2, 0, [[3.1, 0, 0], [0.9, 3.4, 0], [0, 0, 1]],
     [("C", 0, 0, 0), ("O", 1.6, 1.5, 0.1), ("F", 0.2, 0.3, 2.0), ("H", 1.5, 1.6, 1.1)]),
    ("chain", 1, 0, [[4.4, 0, 0], [0, 1, 0], [0, 0, 1]],
     [("F", 0, 0.2, 0), ("H", 0.9, 0.5, 0.1), ("O", 2.3, -0.3, 0.6), ("N", 3.0, 1.4, 0.2)]),
]

for name, n_periodic, total, cell, atoms in CASES:
    charges = equilibrate([a[0] for a in atoms], [a[1:] for a in atoms], cell, n_periodic, total)
    print(f"    /* {name} */ {{{', '.join(f'{x:.10f}' for x in charges)}}},")
