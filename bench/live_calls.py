#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# What calls of a live engine cost: many short runs beside one long one, and a change of one array beside an upload.
"""usage: live_calls.py [--device cpu] [--precision float] [--systems 1000] [--calls 100] [--repeats 5] [--threads 1]
                         [--molecule FILE ..]

One JSON line per molecule and method: seconds of one run(n), of n times run(1), and the ratio of their medians, in
turns in the same process. A last line per molecule: seconds from a change of the charges of all systems, each with
its own, to the end of a single point, beside those of a single point alone and of a new engine with its first one.
Needs the Python package (PYTHONPATH=python, SHOAL_LIBRARY)."""

import argparse
import json
import pathlib
import statistics
import time

import numpy as np

import shoal

TOP = pathlib.Path(__file__).resolve().parent.parent
METHODS = (
    {"method": "fire", "fmax": 1e-12},
    {"method": "lbfgs", "fmax": 1e-12},
    {"method": "md", "dt": 0.5, "seed": 1},
)


def engine_of(molecule, a):
    rng = np.random.default_rng(1)
    shape = (a.systems, len(molecule), 3)
    pos = molecule.positions + rng.uniform(-0.1, 0.1, shape)
    return shoal.Engine(
        molecule.topology(), pos, device=a.device, precision=a.precision, threads=a.threads
    )


def seconds(do):
    start = time.perf_counter()
    do()
    return time.perf_counter() - start


def calls(molecule, how, a):
    once, many = [], []
    for _ in range(a.repeats):
        engine = engine_of(molecule, a)
        engine.run(2, **how)  # what is built at first use
        many.append(seconds(lambda: [engine.run(1, **how) for _ in range(a.calls)]))
        engine = engine_of(molecule, a)
        engine.run(2, **how)
        once.append(seconds(lambda: engine.run(a.calls, **how)))
    return statistics.median(once), statistics.median(many)


def own_charges(engine, charges):
    engine.split().arrays["charges"] = charges
    engine.energy()


def change(molecule, a):
    engine = engine_of(molecule, a).split()
    charges = np.random.default_rng(2).uniform(-0.1, 0.1, (a.systems, len(molecule)))
    engine.arrays["charges"] = charges
    engine.energy()
    point, changed, built = [], [], []
    for _ in range(a.repeats):
        point.append(seconds(engine.energy))
        charges = -charges
        changed.append(seconds(lambda: (engine.arrays.__setitem__("charges", charges), engine.energy())))
        built.append(seconds(lambda: own_charges(engine_of(molecule, a), charges)))
    return [statistics.median(s) for s in (point, changed, built)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--precision", default="float")
    parser.add_argument("--systems", type=int, default=1000)
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--molecule", nargs="*", default=[TOP / "examples" / "butane.sdf"])
    a = parser.parse_args()
    for path in a.molecule:
        molecule = shoal.read(path)[0]
        common = {"n_atoms": len(molecule), "systems": a.systems, "device": a.device}
        for how in METHODS:
            once, many = calls(molecule, how, a)
            row = {**common, "method": how["method"], "calls": a.calls, "once_s": once, "calls_s": many}
            print(json.dumps({**row, "ratio": round(many / once, 2)}), flush=True)
        point, changed, built = change(molecule, a)
        row = {**common, "point_s": point, "changed_s": changed, "built_s": built}
        print(json.dumps({**row, "change_s": changed - point}), flush=True)


if __name__ == "__main__":
    main()
