#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Errors of grids by surface and step, against lattice sums that share nothing with the library.

    tools/grid_errors.py build/shoal [--steps 0.1,0.07,0.05] [--points 200] [--surfaces KBr,LiF]

Single charged atoms are put where they may be (|E| < 2 eV, no nearer than 1.2 A to an atom), evaluated by `shoal energy`
on a grid, and compared with LJ pairs written out and with charges under Gaussian windows that are extrapolated. Needs
NumPy. Ends with 1 if an error at the default step is above 1 meV or 5 meV/A.
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

KCAL = 0.0433641153
COULOMB = 14.3996454784
# UFF: distance of the minimum (A) and depth (kcal/mol), Rappe 1992
UFF = {
    "H": (2.886, 0.044), "C": (3.851, 0.105), "O": (3.500, 0.060), "N": (3.660, 0.069),
    "Li": (2.451, 0.025), "F": (3.364, 0.050), "Na": (2.983, 0.030), "Cl": (3.947, 0.227),
    "Mg": (3.021, 0.111), "K": (3.812, 0.035), "Br": (4.189, 0.251), "I": (4.500, 0.339),
    "Rb": (4.114, 0.040), "Ca": (3.399, 0.238), "Ba": (3.703, 0.364), "Ag": (3.148, 0.036),
    "Au": (3.293, 0.039), "Fe": (2.912, 0.013), "Cu": (3.495, 0.005),
}  # fmt: skip
PROBES = {"H": 0.4, "O": -0.8, "C": 0.2, "N": -0.6}
SURFACES = {
    "NaCl(001)": "rocksalt NaCl", "KBr(001)": "rocksalt KBr", "LiF(001)": "rocksalt LiF",
    "MgO(001)": "rocksalt MgO", "KI(001)": "rocksalt KI", "RbI(001)": "rocksalt RbI",
    "CaF2(111)": "fluorite CaF2", "BaF2(111)": "fluorite BaF2", "Ag(110)": "fcc Ag --facet 110",
    "Au(100)": "fcc Au --facet 100", "Fe(111)": "bcc Fe --facet 111", "Cu(111)": "fcc Cu",
    "graphene": "graphene", "NaCl, step": "rocksalt NaCl --size 1x2 --step 1",
    "NaCl, vacancies": "rocksalt NaCl --size 2x2 --vacancy 0,1",
}  # fmt: skip


class Slab:
    def __init__(self, path: pathlib.Path) -> None:
        lines = path.read_text().splitlines()
        rows = [line.split() for line in lines[2 : 2 + int(lines[0])]]
        lattice = [float(x) for x in lines[1].split('Lattice="')[1].split('"')[0].split()]
        self.cell = np.array([lattice[0:2], lattice[3:5]])
        self.area = abs(np.linalg.det(self.cell))
        self.elements = [row[0] for row in rows]
        self.pos = np.array([[float(x) for x in row[1:4]] for row in rows])
        charged = "charges" in lines[1]
        at_top = self.pos[:, 2] > self.pos[:, 2].max() - 0.01
        self.rough = at_top.sum() * 2 * len(set(self.pos[:, 2])) < 2 * len(rows) - 1
        self.charges = np.array([float(row[4]) if charged else 0.0 for row in rows])

    def images(self, reach: float) -> np.ndarray:
        """Lattice vectors up to a length and a cell more."""
        edges = np.linalg.norm(self.cell, axis=1)
        n = [int(reach * edges[1 - k] / self.area) + 3 for k in range(2)]
        a, b = np.meshgrid(np.arange(-n[0], n[0] + 1), np.arange(-n[1], n[1] + 1))
        vectors = np.stack([a.ravel(), b.ravel()], 1) @ self.cell
        return vectors[np.linalg.norm(vectors, axis=1) < reach + edges.sum()]

    def pairs(self, r: np.ndarray, element: str, cut: float = 30.0) -> np.ndarray:
        """Energy and gradient of LJ pairs; the continuum of 1/r^6 beyond the cut."""
        out = np.zeros(4)
        images = self.images(cut)
        for kind, at in zip(self.elements, self.pos):
            x = math.sqrt(UFF[kind][0] * UFF[element][0])
            depth = KCAL * math.sqrt(UFF[kind][1] * UFF[element][1])
            d = np.column_stack([r[:2] - at[:2] - images, np.full(len(images), r[2] - at[2])])
            d = d[(d[:, :2] ** 2).sum(1) < cut * cut]
            r2 = (d**2).sum(1)
            u6 = (x * x / r2) ** 3
            out[0] += depth * (u6 * u6 - 2 * u6).sum()
            out[1:] += ((-12 * depth * (u6 * u6 - u6) / r2)[:, None] * d).sum(0)
            z, far = r[2] - at[2], cut * cut + (r[2] - at[2]) ** 2
            out[0] -= depth * x**6 * math.pi / self.area / far**2
            out[3] += 4 * depth * x**6 * math.pi / self.area * z / far**3
        return out

    def window(self, r: np.ndarray, length: float) -> np.ndarray:
        """Potential of the charges under exp(-rho^2/l^2), less the mean of that over the plane."""
        out = np.zeros(4)
        images = self.images(5.7 * length)
        for q, at in zip(self.charges, self.pos):
            z = r[2] - at[2]
            d = r[:2] - at[:2] - images
            rho2 = (d**2).sum(1)
            r2 = rho2 + z * z
            v = np.exp(-rho2 / length**2) / np.sqrt(r2)
            mean = math.pi**1.5 * length * math.exp((z / length) ** 2) / self.area
            mean *= math.erfc(abs(z) / length)
            slope = 2 * abs(z) / length**2 * mean - 2 * math.pi / self.area
            out[0] += q * (v.sum() - mean)
            out[1:3] -= q * ((v * (1 / r2 + 2 / length**2))[:, None] * d).sum(0)
            out[3] -= q * ((v / r2).sum() * z + math.copysign(1, z) * slope)
        return out

    def potential(self, r: np.ndarray) -> np.ndarray:
        """Windows at l^2, 2 l^2 and 4 l^2 extrapolated, with planes of charge for the mean."""
        if not self.charges.any():
            return np.zeros(4)
        length = 1.8 * np.linalg.norm(self.cell, axis=1).max()
        out = self.window(r, length) / 3 - 2 * self.window(r, math.sqrt(2) * length)
        out += 8 / 3 * self.window(r, 2 * length)
        z = r[2] - self.pos[:, 2]
        out[0] -= 2 * math.pi / self.area * (self.charges * abs(z)).sum()
        out[3] -= 2 * math.pi / self.area * (self.charges * np.sign(z)).sum()
        return COULOMB * out

    def points(self, element: str, n: int, seed: int) -> list[np.ndarray]:
        """Random places, most of them in the wall of an atom without charge."""
        random = np.random.default_rng(seed)
        top, found = self.pos[:, 2].max(), []
        low = top - 3.0 if self.rough else top - 0.5
        images = self.images(6.0)
        sites = (self.pos[:, None, :] + np.pad(images, ((0, 0), (0, 1)))[None]).reshape(-1, 3)
        while len(found) < n:
            r = np.append(random.random(2) @ self.cell, random.uniform(low, top + 4.0))
            if (np.linalg.norm(sites - r, axis=1)).min() < 1.25:
                continue
            wall = self.pairs(r, element, 6.0)[0]
            if wall < 12 and (wall > 0.3 or len(found) % 3 == 0):
                found.append(r)
        return found


def call(*words: object) -> str:
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(map(str, words))}: {done.stderr}")
    return done.stdout


def measure(shoal: str, folder: pathlib.Path, name: str, steps: list[str], n: int) -> list[tuple]:
    """(dE, dF, checked dF) of every step; the step '' is the default."""
    words = SURFACES[name].split()
    file, atoms = folder / "slab.xyz", folder / "atoms.xyz"
    if "--size" not in words:
        words += ["--size", "1x1"]
    call(shoal, "slab", *words, "-q", "-o", file)
    slab, points, want = Slab(file), [], []
    for element, q in PROBES.items():
        for r in slab.points(element, n, 1):
            e = slab.pairs(r, element) + q * slab.potential(r)
            if abs(e[0]) < 2:
                points.append((element, *r, q))
                want.append(e)
    head = '1\nProperties=species:S:1:pos:R:3:initial_charges:R:1 pbc="F F F"\n'
    atoms.write_text("".join(head + " ".join(map(str, p)) + "\n" for p in points))
    out = []
    for step in steps:
        more = ["--step", step] if step else []
        call(shoal, "grid", "build", file, "-q", "-o", folder / "grid.h5", *more)
        rows = call(shoal, "energy", "--surface", file, "--grid", folder / "grid.h5", "--json",
                    "--forces", "--charges", "file", atoms).splitlines()  # fmt: skip
        both = zip([json.loads(row) for row in rows], want, strict=True)
        both = [(g, w) for g, w in both if g["status"] == "ok"]  # the others are below the surface
        de = max(abs(g["energy"] - w[0]) for g, w in both)
        df = max(np.linalg.norm(np.array(g["forces"][0]) + w[1:]) for g, w in both)
        info = json.loads(call(shoal, "grid", "info", "--json", folder / "grid.h5"))
        out.append((de, df, info["errors"]["max_dF"], info["bytes"] / 1e6, len(both)))
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shoal")
    parser.add_argument("--steps", default="", help="A, besides the default")
    parser.add_argument("--points", type=int, default=200, help="for every probe")
    parser.add_argument("--surfaces", default="", help="those whose names begin so")
    o = parser.parse_args()
    steps = ["", *filter(None, o.steps.split(","))]
    chosen = tuple(filter(None, o.surfaces.split(","))) or ("",)
    failed = 0
    for name in (s for s in SURFACES if s.startswith(chosen)):
        with tempfile.TemporaryDirectory() as folder:
            rows = measure(o.shoal, pathlib.Path(folder), name, steps, o.points)
        failed += not (rows[0][0] < 1e-3 and rows[0][1] < 5e-3)
        for step, (de, df, own, size, n) in zip(steps, rows):
            label = step or "default"
            print(f"{name:16s} {label:8s} {n:5d} points  dE {de:.1e} eV  dF {df:.1e} eV/A  "
                  f"own check {own:.1e}  {size:.1f} MB", flush=True)  # fmt: skip
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
