# SPDX-License-Identifier: BSD-3-Clause
# OpenMM: one crystal after the other on its platform CPU, single precision.
import functools
import time

import argon
import openmm
from openmm import unit

NAME = "OpenMM"
EV = 96.485332123310025 * unit.kilojoule_per_mole


def version(_):
    return openmm.version.short_version


def system_of(n):
    system, force = openmm.System(), openmm.NonbondedForce()
    box = argon.BOX * 0.1
    system.setDefaultPeriodicBoxVectors(*([box if i == j else 0 for j in range(3)] for i in range(3)))
    force.setNonbondedMethod(openmm.NonbondedForce.CutoffPeriodic)
    force.setCutoffDistance(argon.CUTOFF * unit.angstrom)
    force.setUseSwitchingFunction(True)
    force.setSwitchingDistance(argon.SWITCH * unit.angstrom)
    force.setUseDispersionCorrection(False)
    for _ in range(n):
        system.addParticle(argon.MASS)
        force.addParticle(0, argon.SIGMA * unit.angstrom, argon.DEPTH * EV)
    system.addForce(force)
    return system


def energy(context):
    return context.getState(getEnergy=True).getPotentialEnergy() / EV


def rest(context, dt):
    """Velocities half a step before the first one, as leap-frog has them, of atoms at rest."""
    forces = context.getState(getForces=True).getForces(asNumpy=True)
    context.setVelocities(-0.5 * dt * forces / (argon.MASS * unit.dalton))


def one(arguments, positions):
    dt = argon.STEP * unit.femtosecond
    platform = openmm.Platform.getPlatformByName("CPU")
    context = openmm.Context(system_of(len(positions)), openmm.VerletIntegrator(dt), platform, {"Threads": "1"})
    context.setPositions(positions * unit.angstrom)
    first = energy(context)
    rest(context, dt)
    start = time.perf_counter()
    context.getIntegrator().step(arguments.steps)
    last = energy(context)
    return time.perf_counter() - start, first, last


def dynamics(arguments):
    seconds, first, last = zip(*(one(arguments, p) for p in argon.crystals(arguments.systems)))
    return argon.row(arguments, sum(seconds), first, last, "switched from 10 to 12 A")


def runs(arguments):
    return [("float", functools.partial(dynamics, arguments))]
