#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fit the parameters of metal surfaces in data/metals.tsv to the measurements in data/adsorption.tsv.

usage: fit_metals.py [--write] [METAL ...]

Needs the Python package and NumPy. Every molecule is relaxed on a slab of four layers, flat, from turned and shifted starts, with
UFF and without charges; the lowest energy counts. A fit minimises the squares of the deviations, each in units of its error: that
of the measurement and what a form with two numbers cannot do better than, 10 % of an energy and 0.05 angstrom. Without METAL all
are fitted. Prints the tables of docs/surfaces.md; --write also writes data/metals.tsv.
"""
import pathlib
import sys

import numpy as np
import shoal

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
FITTED = ("Cu", "Ag", "Au", "Pt", "Pb")
# Trapping of alkanes on Pd is that of Pt's potential: Kao, Madix, J. Phys. Chem. B 106 (2002) 8248.
SAME = {"Pd": "Pt"}
# Metals of which only xenon is known. UFF's xenon is bound too weakly and too low, by as much as on these.
BY_XENON, XENON_KNOWN = ("Pt", "Pb"), ("Cu", "Ag")
STARTS, LAYERS, FMAX = 12, 4, 2e-3
FLOOR_ENERGY, FLOOR_HEIGHT = 0.10, 0.05  # relative; angstrom
CHAIN = ("n-hexane", "n-decane")  # their difference is that of four CH2
KCAL = 0.0433641  # eV


def rows(path):
    lines = [x.split("\t") for x in path.read_text().splitlines() if x and not x.startswith("#")]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def read_measurements():
    out = rows(DATA / "adsorption.tsv")
    for row in out:
        for key in ("energy", "energy_err", "height", "height_err"):
            row[key] = None if row[key] == "-" else float(row[key])
    return out


def read_molecules():
    return {mol.name: mol for mol in shoal.read(DATA / "adsorption.sdf")}


def surface_of(name, parameters):
    """The slab of a name such as Ag111; parameters (x, D) of the metal, None: UFF's."""
    if name == "graphite":
        return shoal.Surface(shoal.slab("graphene", size=(1, 1), layers=LAYERS))
    mol = shoal.slab("fcc" + name[-3:], name[:-3], size=(1, 1), layers=LAYERS)
    if parameters is None:
        return shoal.Surface(mol, metals="uff")
    x, depth = parameters
    table = f"{name[:-3]} * {name[:-3]} * 0 0 0 0 1 {x / 2:.12g} {depth * KCAL:.12g} 0 0\n"
    return shoal.Surface(mol, params=shoal.PairModel.from_text(table))


def starts_of(mol, cell):
    """[n, n_atoms, 3]: flat, turned about z and shifted over the cell, evenly."""
    flat = mol.positions - mol.positions.mean(axis=0)
    if len(flat) > 1:
        flat = flat @ np.linalg.eigh(flat.T @ flat)[1][:, ::-1]
    out = []
    for k in range(STARTS):
        c, s = np.cos(np.pi * k / STARTS), np.sin(np.pi * k / STARTS)
        place = np.array([k * 0.618034 % 1, k * 0.754878 % 1]) @ cell[:2, :2]
        turned = flat @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) + [*place, 0]
        turned[:, 2] += 3.3 - min(0, flat[:, 2].min() + 0.5)
        out.append(turned)
    return np.array(out)


def adsorb(name, parameters, molecules):
    """(energy, height) of molecules, by name; energies are positive where they are bound."""
    surface = surface_of(name, parameters)
    cell = np.array(surface.cell)
    starts = [starts_of(mol, cell) for mol in molecules.values()]
    batch = shoal.Batch(list(molecules.values()), positions=starts if len(starts) > 1 else starts[0], surface=surface,
                        charges="none", device="cpu", precision="double", grid=False)
    found = batch.relax(fmax=FMAX, adsorption=True)
    out = {}
    for k, (title, mol) in enumerate(molecules.items()):
        energies = np.array(found.adsorption_energy[k * STARTS:(k + 1) * STARTS])
        best = int(np.nanargmin(energies))
        z = np.array(found.positions[k * STARTS + best])[:, 2]
        carbon = np.array(mol.numbers) == 6
        out[title] = (-energies[best], float((z[carbon] if carbon.any() else z).mean()))
    return out


def compute(name, parameters, titles, molecules):
    """As adsorb, with CH2 among the titles."""
    plain = [t for t in titles if t != "CH2"] + [t for t in CHAIN if "CH2" in titles]
    found = adsorb(name, parameters, {t: molecules[t] for t in plain})
    if "CH2" in titles:
        found["CH2"] = ((found[CHAIN[1]][0] - found[CHAIN[0]][0]) / 4, None)
    return found


def deviations(found, used):
    out = []
    for row in used:
        energy, height = found[row["molecule"]]
        if row["energy"] is not None:
            error = np.hypot(row["energy_err"] / row["energy"], FLOOR_ENERGY)
            out.append((energy / row["energy"] - 1) / error)
        if row["height"] is not None:
            out.append((height - row["height"]) / np.hypot(row["height_err"], FLOOR_HEIGHT))
    return np.array(out)


def fit(metal, used, molecules):
    """Gauss and Newton in x and ln D."""
    at = np.array([3.5, np.log(0.5)])
    titles = [row["molecule"] for row in used]

    def of(p):
        found = compute(used[0]["surface"], (p[0], np.exp(p[1])), titles, molecules)
        return deviations(found, used)

    for _ in range(6):
        here = of(at)
        slopes = np.array([(of(at + step) - here) / 0.01 for step in (np.array([0.01, 0]), np.array([0, 0.01]))]).T
        move = np.linalg.lstsq(slopes, -here, rcond=None)[0]
        at = at + np.clip(move, -0.4, 0.4)
        if np.abs(move).max() < 1e-3:
            break
    return round(float(at[0]), 3), round(float(np.exp(at[1])), 3)


def xenon_factors(parameters, measured, molecules):
    """What UFF's xenon has of the measured energy, and what it is lower by, on the metals where both are known."""
    ratios, shifts = [], []
    for metal in XENON_KNOWN:
        row = next(r for r in measured if r["surface"] == metal + "111" and r["molecule"] == "xenon")
        energy, height = compute(row["surface"], parameters[metal], ["xenon"], molecules)["xenon"]
        ratios.append(energy / row["energy"])
        shifts.append(height - row["height"])
    print(f"# xenon on {', '.join(XENON_KNOWN)}: {np.mean(ratios):.2f} of the energy, {np.mean(shifts):+.2f} A")
    return float(np.mean(ratios)), float(np.mean(shifts))


def used_of(metal, measured, factors):
    used = [dict(r) for r in measured if r["surface"].startswith(metal) and r["use"] == "fit"]
    if metal in BY_XENON:
        used[0]["energy"] *= factors[0]
        used[0]["height"] += factors[1]
    return used


def text(value, form):
    return "" if value is None else format(value, form)


def report(parameters, measured, molecules):
    print("surface\tmolecule\tuse\tenergy\tmeasured\tdeviation %\theight\tmeasured\tdeviation\tUFF energy\tUFF height")
    for name in dict.fromkeys(r["surface"] for r in measured):
        mine = [r for r in measured if r["surface"] == name]
        titles = [r["molecule"] for r in mine]
        found = compute(name, parameters.get(name[:-3]), titles, molecules)
        uff = compute(name, None, titles, molecules)
        for r in mine:
            (energy, height), (uff_energy, uff_height) = found[r["molecule"]], uff[r["molecule"]]
            of_energy = None if r["energy"] is None else 100 * (energy / r["energy"] - 1)
            of_height = None if r["height"] is None else height - r["height"]
            print("\t".join((name, r["molecule"], r["use"], text(energy, ".3f"), text(r["energy"], ".3f"),
                             text(of_energy, "+.0f"), text(height, ".2f"), text(r["height"], ".2f"),
                             text(of_height, "+.2f"), text(uff_energy, ".3f"), text(uff_height, ".2f"))))


def write(parameters):
    path = DATA / "metals.tsv"
    head = [line for line in path.read_text().splitlines() if line.startswith(("#", "symbol"))]
    body = [f"{metal}\t{x:g}\t{depth:g}" for metal, (x, depth) in parameters.items()]
    path.write_text("\n".join(head + body) + "\n")


def main():
    wanted = [a for a in sys.argv[1:] if a != "--write"] or FITTED
    measured, molecules = read_measurements(), read_molecules()
    parameters = {r["symbol"]: (float(r["x"]), float(r["D"])) for r in rows(DATA / "metals.tsv")}
    factors = None
    for metal in [m for m in FITTED if m in wanted]:
        if metal in BY_XENON and factors is None:
            factors = xenon_factors(parameters, measured, molecules)
        parameters[metal] = fit(metal, used_of(metal, measured, factors), molecules)
        print(f"# {metal}: x {parameters[metal][0]} A, D {parameters[metal][1]} kcal/mol", flush=True)
    for metal, of in SAME.items():
        parameters[metal] = parameters[of]
    report(parameters, measured, molecules)
    if "--write" in sys.argv:
        write(parameters)


main()
