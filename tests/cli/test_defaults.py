# SPDX-License-Identifier: BSD-3-Clause
# What the help says an option is by default is what it is: stating it changes nothing.
import json
import pathlib
import re
import tempfile

from program import CASES, TOP, WATER, check, equal, finish, run, write

BUTANE = TOP / "examples" / "butane.sdf"
QUARTZ = CASES / "quartz.cif"
SHORT = ("--starts", 8, "--threads", 1)
# Commands on small inputs, each where some options act.
ON = ("--surface", "salt.xyz", "--grid", "off")
BASES = (
    ("energy", QUARTZ, "--vdw-tail"), ("energy", QUARTZ, "--ewald", "mesh"), ("energy", "water.xyz", *ON, "--height", 3),
    ("energy", "water.xyz", *ON, "--surface-form", "morse"), ("energy", "water.xyz", "--forcefield", "mmffsp3"),
    ("relax", BUTANE), ("relax", QUARTZ, "--cell", "full", "--fmax", "0.05"), ("relax", QUARTZ, "--cell", "full", "--elastic", "--max-steps", 300),
    ("relax", "two.xyz", "--trajectory", "t2.xyz"), ("relax", BUTANE, "--conformers", 2), ("relax", "water.xyz", "--copies", 3),
    ("relax", "water.xyz", *ON, "--movable-layers", 1, "--max-steps", 20),
    ("embed", "some.smi", "--conformers", 3, "--keep", 2), ("embed", "some.smi", "--keep", 2),
    ("search", BUTANE, *SHORT), ("search", BUTANE, *SHORT, "--kicks", 2), ("search", "water.xyz", *SHORT, *ON),
    ("scan", BUTANE, "--coordinate", "torsion:0,1,2,3=0:120:60", "--relaxed", "--starts", 2),
    ("scan", "water.xyz", "--coordinate", "distance:0,1=0.9:1.1:0.1", "--relaxed"),
    ("md", "water.xyz"), ("md", "water.xyz", "--thermostat", "langevin"), ("md", "water.xyz", "--thermostat", "nose-hoover"),
    ("modes", "water.xyz"), ("neb", "anti.xyz", "gauche.xyz"),
    ("probe", "water.xyz", "-o", "p.h5", "--points", "3x3x3"),
)
# Times and the like, which no two runs share.
VARYING = ("seconds", "points_per_second", "started", "wall_s", "cpu_s")
# Sizes of work and of memory, which change no result; the slack of bonds has three, by element.
QUIET = {"threads", "device-memory", "checkpoint-every", "bond-slack"}
# Of layers that move, in relaxations alone.
OWNER = {"layer-spring": "relax"}
# Of the force field and of surfaces, looked at in single points alone.
SHARED = {"vdw-cutoff", "ewald-tolerance", "damping", "pair-clamp", "surface-damping", "alpha", "bond-scale", "pi-softening",
          "pi-inertia", "height"}


def numbers_of(text):
    """Options and the number that the help gives as their default."""
    joined = re.sub(r"\n {20,}", " ", text)
    return re.findall(r"--([a-z-]+) [A-Z][^\n]*?\(default:? (-?\d[\d.]*(?:e-?\d+)?)\b(?![x,:/])", joined)


def strip(line):
    row = json.loads(line)
    return {k: v for k, v in row.items() if k not in VARYING}


def outcome(words, folder):
    done = run(words[0], "--json", "-q", *words[1:], cwd=folder)
    files = [(folder / name).read_text() for name in ("t.xyz", "t2.xyz") if (folder / name).exists()]
    for name in ("t.xyz", "t2.xyz", "p.h5"):
        (folder / name).unlink(missing_ok=True)
    return done, [strip(line) for line in done.stdout.splitlines()], files


def is_tried(command, option):
    return option not in QUIET and command == OWNER.get(option, "energy" if option in SHARED else command)


def test_command(name, bases, folder):
    stated, tried = numbers_of(run(name, "--help").stdout), set()
    check(bool(stated) or name == "types", f"{name}: defaults in the help")
    for base in bases:
        usual, rows, files = outcome(base, folder)
        check(usual.returncode in (0, 1) and rows, f"{base}: {usual.stderr}")
        for option, value in stated:
            if f"--{option}" in base or not is_tried(name, option):
                continue
            if option == "alpha" and "morse" not in base:  # which it implies
                continue
            done, again, others = outcome((*base, f"--{option}", value), folder)
            if done.returncode == 2:
                continue
            tried.add(option)
            check(again == rows and others == files, f"{base} --{option} {value} is not what it is by default")
    return {option for option, _ in stated if is_tried(name, option)} - tried


# A hundred times as many starts, and what acts on modes that are drawn.
LEFT = {"modes": ["amplitude", "step"], "search": ["starts"]}

with tempfile.TemporaryDirectory() as place:
    here = pathlib.Path(place)
    write(here, "water.xyz", WATER)
    write(here, "two.xyz", WATER + WATER.replace("0.7572", "0.9"))
    write(here, "some.smi", "CCCO propanol\nOCCN aminoethanol\n")
    run("slab", "rocksalt", "NaCl", "--size", "2x2", "--layers", 2, "-q", "-o", "salt.xyz", cwd=here)
    for out, angle in (("anti.xyz", 180), ("gauche.xyz", 65)):
        run("relax", "-q", BUTANE, "--restrain", f"torsion:0,1,2,3={angle},5", "-o", out, cwd=here)
    left = {}
    for command in sorted({base[0] for base in BASES}):
        left[command] = test_command(command, [b for b in BASES if b[0] == command], here)
    equal({k: sorted(v) for k, v in left.items() if v}, LEFT, "defaults that were not tried")
finish()
