# SPDX-License-Identifier: BSD-3-Clause
# LAMMPS: one crystal after the other; lj/cut has no switch, so its energies lie a little lower.
import functools
import pathlib
import re
import shutil
import subprocess
import tempfile

import argon

NAME = "LAMMPS"
SCRIPT = """\
units metal
atom_style atomic
boundary p p p
read_data {place}/data
pair_style lj/cut {cutoff}
pair_coeff 1 1 {depth} {sigma}
timestep {step}
fix 1 all nve
thermo_style custom step pe
thermo_modify norm no format float %.10g
thermo {steps}
run {steps}
"""


def program():
    found = next((shutil.which(name) for name in ("lmp", "lmp_serial", "lammps") if shutil.which(name)), None)
    if found is None:
        raise ImportError("no lmp")
    return found


def version(_):
    text = subprocess.run([program(), "-h"], capture_output=True, text=True, check=False).stdout
    return re.search(r"(\d+ \w+ \d{4}\S*)", text).group(1)


def data(positions):
    box = "\n".join(f"0 {argon.BOX} {axis}lo {axis}hi" for axis in "xyz")
    atoms = "\n".join(f"{k} 1 {x:.10f} {y:.10f} {z:.10f}" for k, (x, y, z) in enumerate(positions, 1))
    return f"argon\n\n{len(positions)} atoms\n1 atom types\n{box}\n\nMasses\n\n1 {argon.MASS}\n\nAtoms\n\n{atoms}\n"


def one(arguments, positions, place):
    """Seconds of its loop, potential energies before and after."""
    (place / "data").write_text(data(positions), encoding="utf-8")
    (place / "in").write_text(SCRIPT.format(place=place, cutoff=argon.CUTOFF, depth=argon.DEPTH, sigma=argon.SIGMA,
                                            step=argon.STEP / 1000, steps=arguments.steps), encoding="utf-8")
    done = subprocess.run([program(), "-in", str(place / "in"), "-log", str(place / "log")], capture_output=True, text=True, check=False)
    energies = re.findall(r"^\s*(?:0|%d)\s+(-?\d\S*)\s*$" % arguments.steps, done.stdout, re.MULTILINE)
    loop = re.search(r"Loop time of (\S+) on", done.stdout)
    if not loop or len(energies) != 2:
        raise RuntimeError(done.stdout[-500:] + done.stderr)
    return float(loop.group(1)), float(energies[0]), float(energies[1])


def dynamics(arguments):
    with tempfile.TemporaryDirectory() as place:
        seconds, first, last = zip(*(one(arguments, p, pathlib.Path(place)) for p in argon.crystals(arguments.systems)))
    return argon.row(arguments, sum(seconds), first, last, "cut at 12 A")


def runs(arguments):
    return [("double", functools.partial(dynamics, arguments))]
