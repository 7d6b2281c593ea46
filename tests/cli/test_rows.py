# SPDX-License-Identifier: BSD-3-Clause
# Numbers of rows, each worked out once more from other outputs of the same run: means and errors of dynamics, minima of
# a search as molecules, frequencies of modes that are drawn.
import math
import re

from program import METHANE, TOP, WATER, check, equal, near, run, run_each, run_json, write

BOLTZMANN = 8.617333262e-5  # eV/K


def frames(path):
    """Words of the comments of a trajectory."""
    lines, out, at = open(path).read().splitlines(), [], 0
    while at < len(lines):
        out.append({k: v.strip('"') for k, v in re.findall(r'([\w]+)=("[^"]*"|\S+)', lines[at + 1])})
        at += 2 + int(lines[at])
    return out


def mean(values):
    return sum(values) / len(values)


def error_of(values):
    """Of the mean, from blocks: the largest spread that 16 of them tell, or all single values."""
    most, blocks, level = 0.0, list(values), 0
    while len(blocks) > 1:
        if level > 0 and len(blocks) < 16:
            break
        m = mean(blocks)
        most = max(most, math.sqrt(mean([(b - m) ** 2 for b in blocks]) / (len(blocks) - 1)))
        blocks = [0.5 * (a + b) for a, b in zip(blocks[::2], blocks[1::2])]
        level += 1
    return most


def line_of(times, values):
    """Slope, and the spread about the line."""
    t, y = mean(times), mean(values)
    slope = sum((a - t) * (b - y) for a, b in zip(times, values)) / sum((a - t) ** 2 for a in times)
    return slope, math.sqrt(mean([(b - y - slope * (a - t)) ** 2 for a, b in zip(times, values)]))


def check_md(directory):
    write(directory, "two.xyz", WATER + METHANE)
    for bath in (("none",), ("langevin", "--friction", 0.05)):
        out = f"{directory}/{bath[0]}.xyz"
        rows = run_json("md", "--json", f"{directory}/two.xyz", "--steps", 300, "--stride", 2, "--thermostat", *bath, "--temperature", 250,
                        "--dt", 0.4, "--precision", "double", "-o", out)
        found = frames(out)
        for row, n_atoms in zip(rows, (3, 5)):
            own = [f for f in found if f["index"] == str(row["index"])] if "index" in found[0] else [
                f for f in found if len(f) and f.get("name", row["name"]) == row["name"]]
            equal(len(own), row["samples"], f"{bath[0]}: a frame for each sample")
            energy, kelvin = [float(f["energy"]) for f in own], [float(f["md_temperature"]) for f in own]
            times = [float(f["time_fs"]) for f in own]
            total = [float(f["energy"]) + float(f["kinetic_energy"]) for f in own]
            near(row["potential_mean"], mean(energy), 1e-9, f"{bath[0]}: mean energy")
            near(row["potential_err"], error_of(energy), 1e-9, f"{bath[0]}: its error")
            near(row["temperature_mean"], mean(kelvin), 1e-5, f"{bath[0]}: mean temperature")
            near(row["temperature_err"], error_of(kelvin), 1e-5, f"{bath[0]}: its error")
            equal((times[0], times[1], times[-1]), (0, 0.8, row["time_fs"]), f"{bath[0]}: times")
            near(row["etot0"], total[0], 1e-9, f"{bath[0]}: the first total energy")
            near(row["etot"], total[-1], 1e-9, f"{bath[0]}: the last one")
            settled = [k for k, t in enumerate(times) if t >= 300 * 0.4 / 5 - 1e-9]
            slope, rest = line_of([times[k] for k in settled], [total[k] for k in settled])
            near(row["drift"], slope * 1e6 / row["dof"], 1e-6 * (1 + abs(row["drift"])), f"{bath[0]}: drift, eV/ns and degree of freedom")
            near(row["fluctuation"], rest, 1e-9, f"{bath[0]}: fluctuation")
            equal(row["dof"], 3 * n_atoms - (6 if bath[0] == "none" else 0), f"{bath[0]}: degrees of freedom")


def check_minima(directory):
    """Fields of molecules are those of the rows; weights are those of free energies."""
    out = f"{directory}/minima.sdf"
    rows = run_json("search", "--json", "-q", TOP / "examples" / "butane.sdf", "--starts", 8, "--free-energies", "--temperature", 400, "-o", out)
    check(len(rows) >= 2, f"{len(rows)} minima")
    for key, field in (("rank", "rank"), ("count", "count"), ("weight", "weight"), ("copies", "copies"), ("free_energy", "free_energy"), ("start", "start")):
        values = [float(v) for v in re.findall(rf"> <search_{field}>\n(.*)", open(out).read())]
        equal(len(values), len(rows), f"search_{field} of each")
        for row, value in zip(rows, values):
            near(value, row[key], 1e-9 * (1 + abs(value)), f"search_{field}")
    heights = [row["copies"] * math.exp(-(row["free_energy"] - rows[0]["free_energy"]) / (BOLTZMANN * 400)) for row in rows]
    for row, height in zip(rows, heights):
        near(row["weight"], height / sum(heights), 1e-9, "weight")
    equal([row["rank"] for row in rows], list(range(1, len(rows) + 1)), "ranks")
    equal(len({row["start"] for row in rows}), len(rows), "starts of different minima differ")


def check_modes(directory):
    """Drawn modes say which they are; energies follow from frequencies."""
    path, out = write(directory, "water.xyz", WATER), f"{directory}/modes.xyz"
    (row,) = run_json("modes", "--json", path, "--temperature", 350, "--modes-out", out)
    found = frames(out)
    told = sorted({(float(f["frequency_cm1"]), float(f["reduced_mass_amu"])) for f in found})
    equal(len(told), 3, "modes of water")
    for (frequency, mass), wanted, other in zip(told, row["frequencies_cm1"], row["reduced_masses_amu"]):
        near(frequency, wanted, 1e-6, "frequency of a drawn mode")
        near(mass, other, 1e-6, "its reduced mass")
    quanta = [1.239841984e-4 * f for f in row["frequencies_cm1"]]  # eV
    kt, thermo = BOLTZMANN * 350, row["thermochemistry"]
    near(thermo["zero_point"], sum(quanta) / 2, 1e-8, "zero-point energy")
    vibration = sum(q / 2 + q / math.expm1(q / kt) for q in quanta)
    near(thermo["energy"], row["energy"] + vibration + 3 * kt, 1e-6, "vibrations, and 3 kT of translation and rotation")
    near(thermo["enthalpy"], thermo["energy"] + kt, 1e-9, "enthalpy")
    near(thermo["free_energy"], thermo["enthalpy"] - 350 * thermo["entropy"], 1e-9, "free energy")
    equal((thermo["kind"], thermo["temperature"], thermo["pressure_pa"], thermo["symmetry_number"], thermo["modes_left_out"]),
          ("ideal gas", 350, 101325, 2, 0), "conditions")


run_each((check_md, check_minima, check_modes))
