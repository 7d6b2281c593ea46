# SPDX-License-Identifier: BSD-3-Clause
# Engines: systems that are evaluated again and again.
import threading

import numpy as np
import pytest
from conftest import TOP, shaken

import shoal


def test_energies_are_those_of_a_batch(butane):
    many = shaken(butane, 3)
    engine = shoal.Engine(butane.topology(), many)
    r = shoal.Batch(butane, positions=many, device="cpu").energy()
    engine.energy()
    assert engine.energies.tolist() == r.energy.tolist() and len(engine) == 3
    assert np.array_equal(engine.forces.flat, r.forces.flat)
    assert engine.terms["bond"].tolist() == r.terms["bond"].tolist()
    assert engine.status.tolist() == ["ok"] * 3
    one = engine.result(1)
    assert one.energy == r.energy[1] and one.terms == r[1].terms
    assert np.array_equal(one.forces, r.forces[1])


def test_atoms_are_moved(butane):
    engine = shoal.Engine(butane.topology(), [butane.positions])
    many = shaken(butane, 3)
    r = shoal.Batch(butane, positions=many, device="cpu").energy()
    for k in range(3):
        engine.set_positions(0, many[k])
        assert engine.energy().energies[0] == r.energy[k]
    engine.set_all_positions(many[:1])
    assert engine.energy().energies[0] == r.energy[0]


def test_relax(butane):
    engine = shoal.Engine.of(butane)
    one = engine.relax(fmax=0.001).result()
    r = shoal.Batch(butane, device="cpu").relax(fmax=0.001)
    assert one.energy == r.energy[0] and one.status == "converged" and one.steps == r.steps[0]
    assert np.array_equal(engine.positions[0], r.positions[0])


def test_explain_adds_up(butane):
    engine = shoal.Engine.of(butane, precision="double")
    rows = engine.explain()
    one = engine.energy().result()
    for term in ("bond", "angle", "torsion", "vdw"):
        total = sum(row.energy for row in rows if row.term == term)
        assert total == pytest.approx(one.terms[term], rel=1e-9, abs=1e-12)
    assert {row.kind for row in rows if row.term == "bond"} == {"bond"}


def test_periodic_fixed_and_restrained(golden):
    cell = shoal.read(TOP / "examples" / "graphene.xyz")[0]
    engine = shoal.Engine.of(cell)
    r = shoal.Batch(cell, device="cpu").energy()
    assert engine.energy().energies[0] == r.energy[0]
    water = golden["water"]
    pull = shoal.Restraint.distance(0, 1, value=1.2, k=100.0)
    engine = shoal.Engine.of(water, fixed=[[0]], restraints=[[pull]])
    assert np.array_equal(engine.relax().positions[0][0], water.positions[0])
    assert engine.result().terms["restraint"] > 0


def test_surface(golden):
    salt = shoal.Surface.rocksalt("NaCl", size=(2, 2), layers=2)
    put = shoal.Placement(height=3.0).apply(golden["water"], salt)
    engine = shoal.Engine.of(put, surface=salt, grid="off")
    r = shoal.Batch(put, surface=salt, grid="off", device="cpu").energy()
    assert engine.energy().energies[0] == r.energy[0]


def test_threads_take_turns(butane):
    engine = shoal.Engine(butane.topology(), [butane.positions] * 200)
    wanted = engine.relax(fmax=1e-3).energies.copy()
    start = np.concatenate([butane.positions] * 200)

    def run():
        for _ in range(10):
            engine.set_all_positions(start)
            engine.relax(fmax=1e-3)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    engine.set_all_positions(start)
    assert (engine.relax(fmax=1e-3).energies == wanted).all()


def test_mistakes(butane):
    top = butane.topology()
    for arguments, options, words in (
        ((top, []), {}, "positions"),
        ((top, [butane.positions[:3]]), {}, "positions"),
        (([top, top], [butane.positions]), {}, "topologies"),
        (("top", [butane.positions]), {}, "topologies"),
        ((top, [butane.positions]), {"cells": []}, "cells"),
        ((top, [butane.positions]), {"precision": "half"}, "precision"),
        ((top, [butane.positions]), {"fixed": [[99]]}, r"fixed\[0\]: expected atoms from 0"),
        ((top, [butane.positions]), {"fixed": [[True]]}, r"fixed\[0\]: expected a mask"),
        ((top, [butane.positions]), {"restraints": []}, "restraints: expected 1, got 0"),
        (
            (top, [butane.positions]),
            {"restraints": [[shoal.Restraint.position(99, k=1.0)]]},
            "restraint on atom 99",
        ),
    ):
        with pytest.raises(shoal.ArgumentError, match=words):
            shoal.Engine(*arguments, **options)
    engine = shoal.Engine(top, [butane.positions], fixed=[[]])
    with pytest.raises(shoal.ArgumentError):
        engine.energies  # before the first run
    with pytest.raises(shoal.ArgumentError, match="system"):
        engine.result(1)
    with pytest.raises(shoal.ArgumentError, match="finite"):
        engine.set_positions(0, butane.positions * np.nan)
