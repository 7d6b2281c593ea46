#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Energies by term and stress of crystals against LAMMPS, which gets the terms of Shoal's topologies.
"""check_lammps.py SHOAL FILES: every structure is typed (--forcefield), its terms are written as LAMMPS data, and `lmp` computes bond, angle,
torsion, inversion and van der Waals energies and the pressure by its own code. What differs is the arithmetic: LAMMPS has angles and van der
Waals pairs of any form as tables, whose interpolation shows in the digits. Charges are left out. Needs `lmp` (MOLECULE, KSPACE not) and NumPy."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import shoal

GPA_PER_BAR = 1e-4
CUTOFF = 12.0


def repeats(cell):
    """LAMMPS knows bonds by the nearest images: cells at least that wide."""
    heights = 1 / np.linalg.norm(np.linalg.inv(cell), axis=0)
    return [int(np.ceil(9.0 / h)) for h in heights]


def larger(mol, n):
    """A supercell; bonds are those of the copies."""
    cell = np.asarray(mol.cell)
    shifts = np.stack(np.meshgrid(*[np.arange(k) for k in n], indexing="ij"), -1).reshape(-1, 3)
    positions = (np.asarray(mol.positions)[None] + (shifts @ cell)[:, None]).reshape(-1, 3)
    return shoal.Molecule(list(mol.numbers) * len(shifts), positions, cell=cell * np.array(n)[:, None], pbc=True)


def turned(cell):
    """A lower triangular cell and the turn that makes it so: rows times turn."""
    q, r = np.linalg.qr(np.asarray(cell).T)
    sign = np.diag(np.sign(np.diag(r)))
    return (sign @ r).T, q @ sign


class Kinds:
    """Numbers of rows of parameters, in the order in which they come."""

    def __init__(self):
        self.known = {}

    def __call__(self, *row):
        return self.known.setdefault(tuple(float(f"{x:.14g}") for x in row), len(self.known) + 1)


def columns(rows, *names):
    return [np.asarray(rows[name], float) for name in names]


def switched(r, x, d):
    y = np.clip((r - 5 / 6 * CUTOFF) / (CUTOFF / 6), 0, 1)
    s = 1 - y**3 * (10 - 15 * y + 6 * y**2)
    slope = -30 * y**2 * (1 - y) ** 2 / (CUTOFF / 6)
    u = d * ((x / r) ** 12 - 2 * (x / r) ** 6)
    du = 12 * d / r * ((x / r) ** 6 - (x / r) ** 12)
    return u * s, -(du * s + u * slope)


def table(path, sections):
    with open(path, "w") as out:
        for name, head, rows in sections:
            out.write(f"{name}\n{head}\n\n")
            out.writelines(f"{k} {a:.12g} {e:.15g} {f:.15g}\n" for k, (a, e, f) in enumerate(rows, 1))
            out.write("\n")


def pair_sections(kinds):
    r = np.linspace(0.6, CUTOFF, 20001)
    for a, (xa, da) in enumerate(kinds):
        for b, (xb, db) in list(enumerate(kinds))[a:]:
            e, f = switched(r, np.sqrt(xa * xb), np.sqrt(da * db))
            yield f"P{a + 1}_{b + 1}", f"N {len(r)} R {r[0]} {r[-1]}", zip(r, e, f)


def angle_sections(kinds):
    degrees = np.linspace(0, 180, 7201)
    t = np.radians(degrees)
    for n, (k, *c) in enumerate(kinds, 1):
        e = k * sum(c[m] * np.cos(m * t) for m in range(5))
        f = k * sum(m * c[m] * np.sin(m * t) for m in range(5))
        yield f"A{n}", f"N {len(t)}", zip(degrees, e, np.radians(1) * f)


# What LAMMPS prints of one geometry.
SINGLE_POINT = [
    "compute p all pressure NULL virial", "thermo_style custom ebond eangle edihed eimp evdwl c_p[1] c_p[2] c_p[3] c_p[4] c_p[5] c_p[6]",
    "thermo_modify format float %.12g norm no", "neigh_modify one 10000 page 100000", "run 0"]


def write(folder, mol, top, commands=SINGLE_POINT, lookup="spline"):
    """Data and input of LAMMPS, commands behind it; where it has no counterpart the reason, else the turn of the cell."""
    for kind in shoal.topology.kinds():
        if kind not in ("bond", "angle", "torsion", "inversion", "guard") and len(top.terms(kind)):
            return f"terms of the kind {kind}"
    cell, turn = turned(mol.cell)
    positions = np.asarray(mol.positions) @ turn
    atoms, bonds, angles, torsions, inversions = Kinds(), Kinds(), Kinds(), Kinds(), Kinds()
    of_atom = [atoms(x, d) for x, d in zip(top.vdw_x, top.vdw_d)]
    lists = {"Bonds": [], "Angles": [], "Dihedrals": [], "Impropers": []}
    rows = top.terms("bond")
    for at, k, r0 in zip(rows["atoms"], *columns(rows, "k", "r0")):
        lists["Bonds"].append((bonds(k / 2, r0), *at))
    rows = top.terms("angle")
    names = [n for n in rows.dtype.names if n not in ("atoms", "shifts")]
    for at, *p in zip(rows["atoms"], *columns(rows, *names)):
        lists["Angles"].append((angles(*p), *at))
    rows = top.terms("torsion")
    for at, v, d, n in zip(rows["atoms"], *columns(rows, "v", "d", "n")):
        lists["Dihedrals"].append((torsions(v, -d, n), *at))
    rows = top.terms("inversion")
    for at, k, c0, c1, c2 in zip(rows["atoms"], *columns(rows, "k", "c0", "c1", "c2")):
        if abs(c2) > 1e-12 or abs(c0 + c1) > 1e-12:
            return "an inversion that is not k (1 - cos w)"
        i, j, k_, l = at
        lists["Impropers"].append((inversions(k * c0, 0), j, i, k_, l))
    kinds = {"Bonds": bonds, "Angles": angles, "Dihedrals": torsions, "Impropers": inversions}
    with open(folder / "data", "w") as out:
        out.write(f"crystal\n\n{len(positions)} atoms\n{len(atoms.known)} atom types\n")
        for name, members in lists.items():
            out.write(f"{len(members)} {name.lower()}\n{len(kinds[name].known)} {name[:-1].lower()} types\n")
        for k, axis in enumerate("xyz"):
            out.write(f"0 {cell[k, k]:.14g} {axis}lo {axis}hi\n")
        out.write(f"{cell[1, 0]:.14g} {cell[2, 0]:.14g} {cell[2, 1]:.14g} xy xz yz\n\nMasses\n\n")
        out.writelines(f"{k} 1.0\n" for k in range(1, len(atoms.known) + 1))
        out.write("\nAtoms\n\n")
        wrapped = positions - np.floor(positions @ np.linalg.inv(cell)) @ cell
        out.writelines(f"{i} 1 {t} {r[0]:.14g} {r[1]:.14g} {r[2]:.14g}\n" for i, (t, r) in enumerate(zip(of_atom, wrapped), 1))
        for name, members in lists.items():
            if members:
                out.write(f"\n{name}\n\n")
                out.writelines(f"{n} {kind} {' '.join(str(a + 1) for a in at)}\n" for n, (kind, *at) in enumerate(members, 1))
    table(folder / "pairs", pair_sections(list(atoms.known)))
    table(folder / "angles", angle_sections(list(angles.known)))
    lines = ["units metal", "atom_style molecular", "box tilt large", "special_bonds lj 0 0 1 coul 0 0 1",
             f"pair_style table {lookup} 20001", "bond_style harmonic", f"angle_style table {lookup} 7201", "dihedral_style harmonic",
             "improper_style umbrella", "read_data data extra/special/per/atom 60"]
    names = list(atoms.known)
    lines += [f"pair_coeff {a + 1} {b + 1} pairs P{a + 1}_{b + 1} {CUTOFF}" for a in range(len(names)) for b in range(a, len(names))]
    lines += [f"bond_coeff {n} {k:.15g} {r0:.15g}" for (k, r0), n in bonds.known.items()]
    lines += [f"angle_coeff {n} angles A{n}" for n in angles.known.values()]
    lines += [f"dihedral_coeff {i} {v:.15g} {int(d)} {int(n)}" for (v, d, n), i in torsions.known.items()]
    lines += [f"improper_coeff {n} {k:.15g} 0" for (k, _), n in inversions.known.items()]
    lines += commands
    (folder / "in").write_text("\n".join(line for line in lines if lists_has(line, lists)) + "\n")
    return turn


def lists_has(line, lists):
    """LAMMPS refuses styles of terms that there are none of."""
    for word, name in (("bond_", "Bonds"), ("angle_", "Angles"), ("dihedral_", "Dihedrals"), ("improper_", "Impropers")):
        if line.startswith(word):
            return bool(lists[name])
    return True


def lammps(folder):
    done = subprocess.run(["lmp", "-in", "in", "-log", "none"], cwd=folder, capture_output=True, text=True, timeout=600)
    lines = done.stdout.splitlines()
    head = next((k for k, line in enumerate(lines) if line.split()[:1] == ["E_bond"]), None)
    if head is None:
        raise RuntimeError("; ".join(line for line in lines if "ERROR" in line) or done.stderr[-300:])
    return [float(x) for x in lines[head + 1].split()]


def compare(arguments, path, folder):
    mol = shoal.read(path)[0]
    whole = larger(mol, repeats(mol.cell))
    own = folder / "crystal.extxyz"
    whole.write(own)
    command = [arguments.shoal, "energy", "-q", "--json", "--forcefield", arguments.forcefield, "--no-angle-guard", "--charges", "none",
               "--precision", "double", "--vdw-cutoff", str(CUTOFF), str(own)]
    row = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
    if row["status"] != "ok":
        return f"{row['status']}: {row.get('reason')}"
    field = shoal.UFF(angle_guard=False) if arguments.forcefield == "uff" else arguments.forcefield
    whole = shoal.read(own)[0]
    turn = write(folder, whole, whole.topology(charges="none", forcefield=field))
    if isinstance(turn, str):
        return turn
    found = lammps(folder)
    energies = [row["terms"][t] for t in ("bond", "angle", "torsion", "inversion", "vdw")]
    xx, yy, zz, xy, xz, yz = found[5:]
    theirs = -np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) * GPA_PER_BAR
    s = row["stress_gpa"]
    ours = turn.T @ np.array([[s[0], s[5], s[4]], [s[5], s[1], s[3]], [s[4], s[3], s[2]]]) @ turn
    off = np.abs(ours - theirs).max() / max(np.abs(ours).max(), 0.1)
    return energies, [a - b for a, b in zip(energies, found[:5])], off, row["natoms"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shoal")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--forcefield", default="uff4mof")
    parser.add_argument("--tolerance", type=float, default=2e-6, help="of energies, relative to the largest term")
    arguments = parser.parse_args()
    bad = done = 0
    print(f"{'structure':24}{'atoms':>6}{'bond':>12}{'angle':>12}{'torsion':>12}{'inversion':>12}{'vdw':>12}   differences (eV), stress (relative)")
    for path in arguments.files:
        with tempfile.TemporaryDirectory() as folder:
            try:
                out = compare(arguments, path, pathlib.Path(folder))
            except shoal.FormatError as refused:
                out = str(refused)
        name = pathlib.Path(path).stem
        if isinstance(out, str):
            print(f"{name:24} left out: {out}")
            continue
        energies, differences, stress, n = out
        largest = max(map(abs, energies))
        good = max(map(abs, differences)) < arguments.tolerance * largest and stress < 1e-4
        bad += not good
        done += 1
        print(f"{name:24}{n:6}" + "".join(f"{e:12.4f}" for e in energies) + "   " + " ".join(f"{d:9.1e}" for d in differences) + f"  {stress:.1e}" +
              ("" if good else "  differs"), flush=True)
    print(f"{done} compared, {bad} differ")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
