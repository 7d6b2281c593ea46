# SPDX-License-Identifier: BSD-3-Clause
# torch-sim: all crystals at once by its LennardJonesModel, on a card where torch has one; the model cuts without a switch.
import functools
import importlib.metadata
import time

import argon
import torch
from torch_sim.integrators import nve
from torch_sim.models.lennard_jones import LennardJonesModel
from torch_sim.state import SimState

NAME = "torch-sim"
FS = 1 / 10.180505672  # in units of eV, amu and angstrom
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
TYPES = {"float": torch.float32, "double": torch.float64}


def version(_):
    return f"{importlib.metadata.version('torch-sim-atomistic')}, torch {torch.__version__}"


def state_of(systems, dtype):
    n = sum(map(len, systems))
    owners = [k for k, positions in enumerate(systems) for _ in positions]
    cell = argon.BOX * torch.eye(3, dtype=dtype, device=DEVICE).repeat(len(systems), 1, 1)
    positions = torch.tensor([p for positions in systems for p in positions], dtype=dtype, device=DEVICE)
    return SimState(positions=positions, masses=torch.full((n,), argon.MASS, dtype=dtype, device=DEVICE), cell=cell, pbc=True,
                    atomic_numbers=torch.full((n,), 18, device=DEVICE), system_idx=torch.tensor(owners, device=DEVICE))


def dynamics(arguments, precision):
    torch.set_num_threads(1)
    dtype = TYPES[precision]
    model = LennardJonesModel(argon.SIGMA, argon.DEPTH, DEVICE, dtype, cutoff=argon.CUTOFF)
    begin, step = nve(model, dt=torch.tensor(argon.STEP * FS, dtype=dtype, device=DEVICE),
                      kT=torch.tensor(0.0, dtype=dtype, device=DEVICE), seed=0)
    state = begin(state_of(argon.crystals(arguments.systems), dtype))
    first = state.energy.tolist()
    start = time.perf_counter()
    for _ in range(arguments.steps):
        state = step(state)
    last = state.energy.tolist()
    made = argon.row(arguments, time.perf_counter() - start, first, last, "cut at 12 A")
    return {**made, "device": torch.cuda.get_device_name() if DEVICE.type == "cuda" else "cpu, 1 thread"}


def runs(arguments):
    return [(precision, functools.partial(dynamics, arguments, precision)) for precision in TYPES]
