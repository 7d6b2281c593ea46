#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Numbers of pair models for tests/unit/test_pair_model_golden.c, by other means than Shoal's.

Pairs: formulas of include/shoal/pair_model.h in 40 digits, slopes by numeric differentiation. Clusters and crystals:
the molecules of tests/unit/pair_model_fixture.h with sites placed by geometry, exclusions by walking along bonds, lattice
sums by an Ewald split of its own over molecules that no cell border cuts. Needs mpmath and numpy; prints
tests/golden/pair_model.inc.
"""
import itertools
import math

import mpmath as mp
import numpy as np

mp.mp.dps = 40
KC = 14.3996454784  # eV angstrom, kernels/constants.h
FORMS = ["lj", "lj8", "lj9", "morse", "buck", "morse6", "buck6", "exp6"]
HBONDS = ["repulsion", "attraction", "both", "none"]
COULOMBS = ["plain", "clamp", "smooth", "damped", "erf", "none"]
ALPHA = {"morse": 1.6, "buck": 1.6, "morse6": 6, "buck6": 6, "exp6": 12}
BETA, DAMPING, LAMBDA, RADIUS_CHARGE = "2.4", "0.8", "0.87", "0.06"


def vdw(form, hbond, beta, r0, e0, h, r):
    u, a = r0 / r, mp.mpf(ALPHA.get(form, 0))
    if form in ("morse", "buck"):
        e = mp.exp(-a * (r - r0))
    else:
        e = mp.exp(-a * (r / r0 - 1))
    x = beta * r
    f = 1 - mp.exp(-x) * sum(x**k / mp.factorial(k) for k in range(7)) if beta else 1
    six = f * u**6
    attraction = {"lj8": 4 * six, "lj9": 3 * six, "morse": 2 * e, "morse6": 2 * e}.get(form, 2 * six)
    repulsion = {"lj": u**12, "lj8": 3 * u**8, "lj9": 2 * u**9}.get(form, e * e)
    if form == "exp6":
        attraction, repulsion = a / (a - 6) * six, 6 / (a - 6) * e
    h = min(h, 0) if hbond != "none" else 0
    h1 = h if hbond in ("repulsion", "both") else 0
    h2 = h if hbond in ("attraction", "both") else 0
    return e0 * ((1 + h1) * repulsion - (1 - h2) * attraction)


def coulomb(kind, r):
    d, y = mp.mpf(DAMPING), 1 / r
    z = (y - 3) / 3
    if kind == "clamp" and z > 0:
        return 3 + 3 * (1 - 1 / (1 + z))
    if kind == "smooth" and z > 0:
        return 6 - 3 / (1 + z + z * z)
    if kind == "damped":
        return 1 / mp.sqrt(r * r + d * d)
    if kind == "erf":
        return mp.erf(r / d) / r
    return 0 * r if kind == "none" else y


def c_number(x):
    return mp.nstr(mp.mpf(x), 17)


def print_pairs():
    ri, rj, ei, ej = mp.mpf("1.65"), mp.mpf("1.21"), mp.mpf("0.0041"), mp.mpf("0.0015")
    print("/* form, hbond, damping of dispersion, h of the second atom, r, energy, slope */")
    print("static const double golden_pairs[][7] = {")
    for (i, form), (j, hbond), beta, hj, r in itertools.product(
            enumerate(FORMS), enumerate(HBONDS), ["0", BETA], ["0.7", "-0.7"], ["1.3", "2.86", "4.2"]):
        if (beta != "0" and form in ("morse", "morse6")) or (hj == "-0.7" and r != "1.3"):
            continue
        h = mp.mpf("-0.55") * mp.mpf(hj)

        def energy(x):
            return vdw(form, hbond, mp.mpf(beta), ri + rj, mp.sqrt(ei * ej), h, x)

        at = mp.mpf(r)
        print(f"    {{{i}, {j}, {beta}, {hj}, {r}, {c_number(energy(at))}, {c_number(mp.diff(energy, at))}}},")
    print("};")


def print_coulomb():
    print("/* kind, r, g, slope */\nstatic const double golden_coulomb[][4] = {")
    for (i, kind), r in itertools.product(enumerate(COULOMBS), ["0.12", "0.3", "0.7", "3.1"]):
        at = mp.mpf(r)
        g, slope = coulomb(kind, at), mp.diff(lambda x, kind=kind: coulomb(kind, x), at)
        print(f"    {{{i}, {r}, {c_number(g)}, {c_number(slope)}}},")
    print("};")


# --- the cluster ----------------------------------------------------------------------------------

WATER = [("O_3", (0, 0, 0), -0.80), ("H_O", (0.96, 0, 0), 0.4), ("H_O", (-0.24, 0.93, 0), 0.4)]
AMMONIA = [("N_3", (0, 0, 0), -0.9), ("H_N", (0.94, 0, 0.38), 0.3), ("H_N", (-0.47, 0.81, 0.38), 0.3),
           ("H_N", (-0.47, -0.81, 0.38), 0.3)]
FORMALDEHYDE = [("C_2", (0, 0, 0), 0.4), ("O_2", (1.22, 0, 0), -0.4), ("H_C2", (-0.55, 0.94, 0.05), 0.02),
                ("H_C2", (-0.55, -0.94, 0), -0.02)]
CHLOROMETHANE = [("C_3", (0, 0, 0), -0.05), ("Cl", (1.78, 0, 0), -0.19), ("H_C3", (-0.37, 1.02, 0), 0.08),
                 ("H_C3", (-0.37, -0.51, 0.88), 0.08), ("H_C3", (-0.37, -0.51, -0.88), 0.08)]
CLUSTER = [(WATER, (0, 0, 0), 0, 0), (WATER, (-0.86, -0.2, 2.38), 0.9, 1), (AMMONIA, (3.9, 0.2, 0.1), 0.4, 0),
           (FORMALDEHYDE, (0.6, 4.1, 0.4), 0.2, 2), (CHLOROMETHANE, (3.7, 3.6, 2.9), 1.1, 1)]
CELL = np.array([[8.6, 0, 0], [1.3, 8.9, 0], [-0.8, 1.1, 7.4]])
TYPES = {"O_3": (1.65, 0.0041, -0.55), "O_2": (1.58, 0.0052, -0.40), "N_3": (1.83, 0.0036, -0.62),
         "C_3": (1.92, 0.0045, 0.0), "C_2": (1.88, 0.0047, 0.05), "Cl": (1.97, 0.0098, -0.12),
         "H_O": (1.21, 0.0015, 0.70), "H_N": (1.30, 0.0017, 0.45), "H_C2": (1.44, 0.0020, 0.10),
         "H_C3": (1.43, 0.0019, 0.0)}
SITES = {"O_3": (-0.21, 0.65), "O_2": (-0.17, 0.40), "N_3": (-0.33, 0.55), "Cl": (0.09, 0.70), "H_O": (0.12, 0.95)}


def unit(a):
    return a / np.linalg.norm(a)


def site_places(kind, at, others, beyond):
    """Sites about an atom; others: its neighbours, beyond: those of its only neighbour."""
    bonds = [unit(o - at) for o in others]
    distance = SITES[kind][1]
    if kind in ("Cl", "H_O"):
        return [at - distance * bonds[0]]
    if kind == "N_3":  # away from the plane of the three neighbours' directions
        normal = unit(np.cross(bonds[1] - bonds[0], bonds[2] - bonds[0]))
        return [at - distance * math.copysign(1, normal @ sum(bonds)) * normal]
    if kind == "O_3":  # a tetrahedron with the bonds' bisector
        back, normal = -unit(bonds[0] + bonds[1]), unit(np.cross(bonds[0], bonds[1]))
        return [at + distance * (back / math.sqrt(3) + side * math.sqrt(2 / 3) * normal) for side in (1, -1)]
    side = unit(beyond[0] - others[0]) - unit(beyond[1] - others[0])  # O_2: in the plane, 120 degrees from C=O
    side = unit(side - side @ bonds[0] * bonds[0])
    return [at + distance * (-0.5 * bonds[0] + math.sqrt(0.75) * s * side) for s in (1, -1)]


def make(with_sites):
    """Types (None of a site), places, charges, whole charges, owners (the atom itself, or a site's), molecules."""
    kinds, places, charges, molecules, centres = [], [], [], [], []
    for m, (atoms, at, angle, turns) in enumerate(CLUSTER):
        first = len(kinds)
        for kind, p, q in atoms:
            r = (math.cos(angle) * p[0] - math.sin(angle) * p[1], math.sin(angle) * p[0] + math.cos(angle) * p[1], p[2])
            kinds.append(kind)
            places.append(np.array([at[c] + r[(turns + c) % 3] for c in range(3)]))
            charges.append(q)
            molecules.append(m)
            centres.append(first)
    n = len(kinds)
    owners, whole = list(range(n)), list(charges)
    for i in range(n if with_sites else 0):
        if kinds[i] not in SITES:
            continue
        of_centre = [places[k] for k in range(n) if centres[k] == centres[i] and k != centres[i]]
        others = of_centre if centres[i] == i else [places[centres[i]]]
        beyond = [p for p in of_centre if p is not places[i]]
        for place in site_places(kinds[i], places[i], others, beyond):
            kinds.append(None)
            places.append(place)
            charges.append(SITES[kinds[i]][0])
            charges[i] -= SITES[kinds[i]][0]
            owners.append(i)
    return kinds, np.array(places), np.array(charges), whole, owners, molecules


def excluded(owners, molecules, i, j):
    """All molecules have one centre: any two of their atoms are bonded or ends of an angle."""
    return molecules[owners[i]] == molecules[owners[j]]


def switch(r, cutoff):
    y = max(0.0, (r - cutoff * 5 / 6) / (cutoff / 6))
    return 1 - 10 * y**3 + 15 * y**4 - 6 * y**5


def images(d, cell, cutoff):
    reach = [int(math.ceil((cutoff + np.linalg.norm(d)) * np.linalg.norm(b))) for b in np.linalg.inv(cell).T]
    for n in itertools.product(*(range(-k, k + 1) for k in reach)):
        v = d + np.array(n) @ cell
        if v @ v < cutoff * cutoff:
            yield n, float(np.linalg.norm(v))


def pair_energy(case, system, i, j, r):
    form, hbond, _, damped, _ = case
    kinds, _, _, whole, _, _ = system
    c = float(RADIUS_CHARGE)
    (ri, ei, hi), (rj, ej, hj) = TYPES[kinds[i]], TYPES[kinds[j]]
    r0 = ri + rj - c * (whole[i] + whole[j])
    return float(vdw(form, hbond, mp.mpf(BETA) if damped else 0, mp.mpf(r0), mp.sqrt(ei * ej), hi * hj, mp.mpf(r)))


def cluster_energies(case):
    system = make(case[4])
    kinds, places, charges, _, owners, molecules = system
    q = math.sqrt(float(LAMBDA)) * charges
    energies = [0.0, 0.0]
    for i, j in itertools.combinations(range(len(kinds)), 2):
        if excluded(owners, molecules, i, j):
            continue
        r = float(np.linalg.norm(places[i] - places[j]))
        if kinds[i] and kinds[j]:
            energies[0] += pair_energy(case, system, i, j, r)
        energies[1] += KC * q[i] * q[j] * float(coulomb(case[2], mp.mpf(r)))
    return energies


def ewald(places, q, cell):
    """Energy of a lattice of charges, all pairs, without the charges' own."""
    split, reach = 0.62, 10.5
    volume, b = abs(np.linalg.det(cell)), 2 * math.pi * np.linalg.inv(cell).T
    energy = -split / math.sqrt(math.pi) * (q @ q) - math.pi / (2 * volume * split**2) * q.sum()**2
    for i, j in itertools.product(range(len(q)), repeat=2):
        for n, r in images(places[j] - places[i], cell, reach):
            if i != j or any(n):
                energy += 0.5 * q[i] * q[j] * math.erfc(split * r) / r
    most = 2 * split * 6.2
    last = [int(most * np.linalg.norm(a) / (2 * math.pi)) + 1 for a in cell]
    for n in itertools.product(*(range(-k, k + 1) for k in last)):
        k = np.array(n) @ b
        k2 = k @ k
        if 0 < k2 < most * most:
            s = q @ np.exp(1j * (places @ k))
            energy += 2 * math.pi / volume * math.exp(-k2 / (4 * split**2)) / k2 * abs(s)**2
    return KC * energy


def crystal_energies(case, cutoff=7.0):
    system = make(case[4])
    kinds, places, charges, _, owners, molecules = system
    q = math.sqrt(float(LAMBDA)) * charges
    energies = [0.0, ewald(places, q, CELL) if case[2] != "none" else 0.0]
    for i in range(len(kinds)):
        for j in range(i, len(kinds)):
            weight = 0.5 if i == j else 1.0
            d = places[j] - places[i]
            for n, r in images(d, CELL, cutoff):
                home = not any(n)
                if home and (i == j or excluded(owners, molecules, i, j)):
                    if i != j and case[2] != "none":
                        energies[1] -= KC * q[i] * q[j] / r
                    continue
                if kinds[i] and kinds[j]:
                    energies[0] += weight * switch(r, cutoff) * pair_energy(case, system, i, j, r)
                if case[2] not in ("plain", "none"):
                    short = float(coulomb(case[2], mp.mpf(r)) - 1 / mp.mpf(r))
                    energies[1] += weight * KC * q[i] * q[j] * short
    return energies


CASES = [("lj", "repulsion", "plain", False, True), ("lj8", "attraction", "clamp", True, True),
         ("lj9", "both", "smooth", False, True), ("morse", "none", "damped", False, True),
         ("buck", "both", "erf", True, True), ("morse6", "repulsion", "none", False, False),
         ("buck6", "attraction", "plain", False, False), ("exp6", "repulsion", "erf", True, True)]


def print_systems():
    print("typedef struct golden_system {\n    model_case c;\n    bool periodic;\n    double vdw, coulomb;\n} golden_system;")
    print("static const golden_system golden_systems[] = {")
    for periodic, case in itertools.product((False, True), CASES):
        if periodic and case[2] == "damped":
            continue  # no range to cut it at
        form, hbond, kind, damped, sites = case
        e = crystal_energies(case) if periodic else cluster_energies(case)
        flags = f"{'true' if damped else 'false'}, {'true' if sites else 'false'}, NULL"
        print(f"    {{{{{FORMS.index(form)}, {HBONDS.index(hbond)}, {COULOMBS.index(kind)}, {flags}}}, "
              f"{'true' if periodic else 'false'}, {e[0]:.15g}, {e[1]:.15g}}},")
    print("};")


if __name__ == "__main__":
    print("/* Made by tests/golden/pair_model.py. */\n/* clang-format off */")
    print_pairs()
    print_coulomb()
    print_systems()
