# SPDX-License-Identifier: BSD-3-Clause
# Calls that nobody can mean: each is carried out or refused by an error of Shoal, in words.
"""Arguments of public calls are replaced by things that are wrong in type, shape, size or sign.

A call may do what it says, or raise a shoal.Error; a TypeError is that of a signature, raised where
the call stands. Anything else (an error of numpy or ctypes, a warning, a crash) is a defect.
"""

import os
import pathlib
import random
import traceback
import warnings
from fractions import Fraction

import numpy as np
import pytest

import shoal
import shoal.search
from shoal.options import Copies, Input, Interactions, Layers, Typing

CALLS = int(os.environ.get("SHOAL_WRONG_CALLS", 3000))
SEED = int(os.environ.get("SHOAL_WRONG_SEED", 1))
OHH = np.array([[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]])


class Weird:
    """Something that is nothing that a call expects."""


def boom(*_args):
    raise KeyError("boom")


def water():
    return shoal.Molecule("OHH", OHH)


def salt():
    return shoal.Surface.rocksalt("NaCl", size=(1, 1), layers=2)


def odd_values():
    """Made anew for each call: some are iterators."""
    zeros = np.zeros((3, 3))
    return [
        *(None, True, False, 0, -1, 1, 2, 7, 2**31, 2**63, -(2**31) - 1, 10**30, -(10**30)),
        *(0.5, -0.5, 1e308, 1e-320, float("nan"), float("inf"), 1 + 2j, Fraction(1, 3)),
        *("", "x", "0", "1.5", "cpu", "1:2:3", "0-2", "\0", "a\0b", "\ud800", "ä" * 300),
        *(b"", b"x", b"\xff", bytearray(b"abc"), memoryview(b"abc"), "no/file.xyz"),
        *([], [0], [None], [[]], [[0, 0, 0]], [1, "a"], [0, "x"], [[0, 1, 1.5]], (), (0, 1)),
        *({}, {"a": 1}, {0: 1}, {(0, 1): 2}, {"O": float("nan")}, set(), {1}),
        *(np.array([]), np.array(0.0), np.array([1.0]), np.zeros(3), zeros, np.zeros((2, 3, 3))),
        *(np.full((3, 3), np.nan), np.zeros((3, 3), complex), np.zeros((3, 3), np.float16)),
        *(np.zeros((3, 3), object), np.array([["a"] * 3] * 3), np.zeros((3, 3), ">f8")),
        *(np.ma.masked_array(zeros, mask=True), np.ma.masked, np.zeros((6, 6))[::2, ::2]),
        *(np.asfortranarray(OHH), np.zeros((3, 3), bool), np.array([True, False, True])),
        *(np.arange(3), np.arange(3, dtype=np.uint64) + 2**63, np.datetime64("2020-01-01")),
        *(np.zeros((0, 3)), np.float32(0.3), np.int64(2), pathlib.Path("/tmp"), range(3)),
        *(Weird(), Weird, object, boom, shoal, water(), [water()], salt(), iter([1, 2])),
        *(slice(3), Ellipsis, NotImplemented, ValueError("x"), lambda *_: 0),
    ]


def targets(folder):
    """Calls that are right: name, function, arguments by name."""
    batch = shoal.Batch(water(), device="cpu", threads=1)
    on = shoal.Batch(
        water(),
        device="cpu",
        surface=salt(),
        grid="off",
        threads=1,
        placement=shoal.Placement(height=3.0),
    )
    model = {"O_3": {"r": 1.75, "e": 0.0026}, "H_": {"r": 1.2, "e": 0.002}}
    found = batch.relax(max_steps=30)
    top = water().topology()

    def a_batch(**options):
        return shoal.Batch(**{"device": "cpu", "threads": 1, **options}).relax(max_steps=5)

    def a_builder(method, **options):
        getattr(shoal.Topology.build("OHHO"), method)(**options)

    def an_attribute(name, value):
        setattr(water(), name, value)

    def an_engine(**options):
        shoal.Engine(**options).energy()

    atoms = {"i": 0, "j": 1, "k": 1.0}
    return [
        ("Molecule", shoal.Molecule, {"numbers": "OHH", "positions": OHH, "bonds": [(0, 1)],
         "cell": np.eye(3), "pbc": True, "charges": [0, 0, 0], "formal_charges": [0, 0, 0],
         "name": "w"}),
        *(
            (f"Molecule.{name}", an_attribute, {"name": name, "value": value})
            for name, value in (
                ("positions", OHH), ("charges", [0] * 3), ("radicals", [0] * 3),
                ("isotopes", [0] * 3), ("name", "w"), ("formal_charges", [0] * 3),
            )
        ),
        ("set_type", water().set_type, {"i": 0, "label": "O_3"}),
        ("set_cell", water().set_cell, {"cell": np.eye(3), "pbc": True}),
        ("set_property", water().set_property, {"key": "a", "value": "b"}),
        ("perceive", lambda **k: water().perceive(**k),
         {"total_charge": 0, "rebuild_bonds": False, "bond_slack": 0.4}),
        ("equilibrate", lambda **k: water().equilibrate(**k), {"total_charge": 0.0}),
        ("topology", water().topology, {"charges": "none", "params": None, "forcefield": "uff"}),
        ("read", shoal.read, {"path": folder / "w.xyz", "format": "xyz", "strict": True}),
        ("write", shoal.write, {"path": folder / "o.xyz", "molecules": [water()]}),
        ("load", shoal.load, {"path": folder / "r.h5"}),
        ("Batch", a_batch, {
            "systems": water(), "positions": OHH, "copies": 2, "forcefield": "uff",
            "charges": "none", "params": None, "topologies": None, "device": "cpu",
            "precision": "auto", "threads": 1, "device_memory": None, "interactions": None,
            "fixed": [0], "restraints": [], "typing": None, "input": None}),
        ("Batch on", a_batch, {
            "systems": water(), "surface": salt(), "grid": "off", "movable": None,
            "placement": shoal.Placement(height=3.0)}),
        ("Typing", lambda **k: a_batch(systems=water(), typing=Typing(**k)), {
            "types": {"0": "O_3"}, "bond_orders": {(0, 1): 1.0}, "total_charge": 0,
            "rebuild_bonds": False, "bond_slack": None, "add_hydrogens": False,
            "file_types": False, "fragment": None}),
        ("Interactions", lambda **k: a_batch(systems=water(), interactions=Interactions(**k)), {
            "terms_off": (), "mixing": None, "vdw_cutoff": None, "vdw_tail": False,
            "ewald": "auto", "ewald_tolerance": None, "coulomb_damping": None}),
        ("Layers", Layers, {"n": 1, "spring": 1.0}),
        ("Copies", lambda **k: a_batch(systems=water(), copies=Copies(**k)),
         {"n": 2, "jitter": 0.0, "seed": 1}),
        ("Input", lambda **k: a_batch(systems=water(), input=Input(**k)),
         {"format": None, "strict": False, "shard": None}),
        ("UFF", lambda **k: a_batch(systems=water(), forcefield=shoal.UFF(**k)),
         {"dialect": "paper", "angle_guard": True}),
        ("MMFFsp3", lambda **k: a_batch(systems=water(), forcefield=shoal.MMFFsp3(**k)), {
            "dialect": None, "electron_pairs": False, "bond_scale": None, "pi_inertia": None,
            "pi_softening": None}),
        ("Placement", lambda **k: shoal.Placement(**k).apply(water(), salt()),
         {"orient": "flat", "rotate": (0, 0, 0), "at": (0, 0), "height": 3.0}),
        ("Placement.apply", shoal.Placement().apply, {"molecule": water(), "surface": None}),
        ("energy", batch.energy, {"forces": True, "adsorption": False, "progress": None,
         "save": None, "resume": False}),
        ("relax", batch.relax, {
            "fmax": 0.01, "max_steps": 20, "method": "lbfgs", "max_move": 0.2, "adsorption": False,
            "every": 0, "forces": True, "progress": None, "save": None, "resume": False}),
        ("relax on", on.relax, {"max_steps": 5, "adsorption": True, "method": "fire"}),
        ("scan", batch.scan, {
            "coordinates": "distance:0,1=0.9:1.0:0.05", "relaxed": False, "move": None,
            "about": None, "follow": False, "stiffness": None, "max_steps": 3}),
        ("md", batch.md, {
            "steps": 2, "dt": 0.5, "temperature": 300, "thermostat": "langevin", "friction": None,
            "tau": None, "seed": 0, "stride": 1, "copies": None, "temperatures": None,
            "exchange": None, "remove_every": None, "hydrogen_mass": None, "rigid_bonds": False,
            "frames": False,
            "save": None, "resume": None}),
        ("search", batch.search, {
            "starts": 2, "seed": 0, "kicks": 0, "kick_temperature": 300.0, "patience": 2,
            "window": 0.5, "same_energy": 0.002, "same_rmsd": 0.1, "temperature": 298.0,
            "polish": False, "max_steps": 5, "journal": None, "resume": False}),
        ("embed", lambda **k: batch.embed(2, **k), {
            "seed": 0, "relax": True, "max_tries": 2, "fmax": 0.01, "max_steps": 5,
            "method": "lbfgs", "max_move": 0.2, "forces": True, "progress": None, "save": None,
            "resume": False}),
        ("shoal.embed", lambda molecules, **k: shoal.embed(molecules, 2, **k),
         {"molecules": "O", "seed": 0, "relax": True, "max_steps": 5, "charges": "none"}),
        ("from_smiles", shoal.Molecule.from_smiles, {"smiles": "O"}),
        ("modes", batch.modes, {
            "relax": False, "fmax": None, "max_steps": None, "method": None, "step": None,
            "temperature": 300.0, "pressure": 1e5, "symmetry_number": None, "vectors": True}),
        ("Engine", an_engine, {
            "topologies": top, "positions": [OHH], "cells": None, "fixed": None,
            "restraints": None, "device": "cpu", "threads": 1, "precision": "double"}),
        ("Engine.of", shoal.Engine.of, {"molecules": water(), "charges": "none"}),
        ("set_positions", shoal.Engine.of(water()).set_positions, {"i": 0, "positions": OHH}),
        ("set_all_positions", shoal.Engine.of(water()).set_all_positions, {"positions": OHH}),
        ("Engine.relax", shoal.Engine.of(water()).relax,
         {"fmax": 0.01, "max_steps": 5, "method": "lbfgs", "max_move": 0.2}),
        ("Engine.result", shoal.Engine.of(water()).energy().result, {"i": 0}),
        ("Engine.explain", shoal.Engine.of(water()).energy().explain, {"i": 0}),
        ("Surface", shoal.Surface, {
            "molecule": shoal.slab("rocksalt", "NaCl", size=(1, 1)), "form": None, "alpha": None,
            "damping": 0.0, "charges": None, "params": None, "hbonds": True, "metals": None}),
        ("Surface.slab", shoal.Surface.slab, {
            "kind": "rocksalt", "elements": "NaCl", "size": (1, 1), "layers": 1, "a": None,
            "c": None, "charge": None, "step": None, "vacancies": (), "vacuum": 20.0}),
        ("Surface.read", shoal.Surface.read, {"path": folder / "s.xyz"}),
        ("split", salt().split, {"layers": 1}),
        ("Grid.read", shoal.Grid.read, {"path": folder / "g.h5", "surface": salt()}),
        ("PairModel", shoal.PairModel, {
            "form": "lj", "types": model, "formula": None, "alpha": None, "hbond": "repulsion",
            "coulomb": "plain", "coulomb_damping": None, "lambda_": None, "radius_charge": None,
            "dispersion_damping": None, "scale_14": None, "constants": None, "columns": (),
            "sites": (), "increments": (), "charges_of": (), "neutral": False}),
        ("PairModel.read", shoal.PairModel.read, {"path": folder / "m.txt"}),
        ("PairModel.from_text", shoal.PairModel.from_text, {"content": "x"}),
        ("Coordinate.parse", shoal.Coordinate.parse, {"text": "z=1:2:0.5"}),
        ("Coordinate.distance", shoal.Coordinate.distance, {"i": 0, "j": 1, "values": [1, 2]}),
        ("Coordinate.torsion", shoal.Coordinate.torsion,
         {"i": 0, "j": 1, "k": 2, "l": 3, "values": "0:360:90"}),
        ("Coordinate.z", shoal.Coordinate.z, {"values": 3.0}),
        ("Restraint.position", shoal.Restraint.position,
         {"i": 0, "k": 1.0, "target": (0, 0, 0), "directions": "xy"}),
        ("Restraint.centre", shoal.Restraint.centre,
         {"first": 0, "last": 1, "k": 1.0, "target": None, "directions": "xyz"}),
        ("Restraint.distance", shoal.Restraint.distance, {**atoms, "value": 1.0}),
        ("Restraint.angle", shoal.Restraint.angle,
         {"i": 0, "j": 1, "k_atom": 2, "value": 90, "k": 1.0}),
        ("Restraint.torsion", shoal.Restraint.torsion,
         {"i": 0, "j": 1, "k_atom": 2, "l_atom": 3, "value": 90, "k": 1.0}),
        ("Topology.build", shoal.Topology.build, {"numbers": "OHH"}),
        ("Topology.terms", top.terms, {"kind": "bond"}),
        *(
            (f"builder.{method}", a_builder, {"method": method, **options})
            for method, options in (
                ("atom", {"i": 0, "vdw_x": 3.0, "vdw_d": 0.0, "charge": 0.0, "mass": 0.0,
                 "type": "O_3"}),
                ("periodic", {"pbc": True}),
                ("term", {"kind": "bond", "atoms": (0, 1), "parameters": (1.0, 1.0),
                 "shifts": None}),
                ("direction", {"atom": 0, "inertia": 1.0}),
                ("bond", {**atoms, "r0": 1.0, "shift": None}),
                ("angle", {"i": 1, "j": 0, "l": 2, "k": 1.0, "theta0": 100.0}),
                ("torsion", {"i": 1, "j": 0, "k": 2, "l": 3, "v": 0.1, "n": 2, "d": 1}),
                ("inversion", {"i": 1, "j": 0, "k": 2, "l": 3, "force": 1.0, "c": (1, -1, 0)}),
                ("exclude", {"i": 0, "j": 1, "shift": None}),
                ("pair", {"i": 0, "j": 1, "vdw_scale": 1.0, "coulomb_scale": 1.0, "x": 0.0,
                 "d": 0.0, "shift": (0, 0, 0)}),
                ("finish", {"exclusions": "named"}),
            )
        ),
        ("column", found.column, {"path": "systems/energy"}),
        ("save", found.save, {"path": folder / "o.h5"}),
        ("Results.write", found.write, {"path": folder / "o.xyz"}),
    ]  # fmt: skip


def wrong_call(rng, call, right):
    """A call with one or two arguments that are odd: what is wrong with how it ended, or ""."""
    arguments = dict(right)
    for name in rng.sample(list(right), min(len(right), rng.choice((1, 1, 2)))):
        if name != "method" or "max_steps" in right:  # of builders it is a name of theirs
            arguments[name] = rng.choice(odd_values())
    if rng.random() < 0.02:
        arguments["nonsense"] = 1
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for ours in (UserWarning, RuntimeWarning):
                warnings.filterwarnings("default", category=ours, module=r"(shoal|test_wrong)")
            call(**arguments)
    except shoal.Error as error:
        return "" if len(str(error)) > 8 else f"says nothing: {error!r}"
    except TypeError as error:
        frames = traceback.extract_tb(error.__traceback__)
        of_user = "/tests/" in frames[-1].filename or "self.call(" in (frames[-1].line or "")
        said = "unexpected keyword" in str(error) or "required" in str(error)
        return "" if said or of_user else shown(error, arguments)
    except KeyError as error:
        return "" if error.args == ("boom",) else shown(error, arguments)
    except BaseException as error:
        return shown(error, arguments)
    return ""


def shown(error, arguments):
    at = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{pathlib.Path(at.filename).name}:{at.lineno}"
    return f"{type(error).__name__}: {str(error)[:150]} at {place} of {str(arguments)[:300]}"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Files that right calls need, and a place where wrong ones may write."""
    monkeypatch.chdir(tmp_path)
    shoal.write(tmp_path / "w.xyz", water())
    salt().write(tmp_path / "s.xyz")
    salt().grid(step=0.3, samples=0).save(tmp_path / "g.h5")
    shoal.Batch(water(), device="cpu").energy().save(tmp_path / "r.h5")
    table = {"O_3": {"r": 1.75, "e": 0.0026}}
    shoal.PairModel(types=table).write(tmp_path / "m.txt")
    return tmp_path


def test_wrong_calls_are_refused_in_words(folder):
    rng = random.Random(SEED)
    all_targets = targets(folder)
    troubles = {}
    for k in range(CALLS):
        name, call, right = all_targets[k % len(all_targets)]
        trouble = wrong_call(rng, call, right)
        if trouble:
            troubles.setdefault((name, trouble.split(" of ")[0]), trouble)
    assert not troubles, "\n".join(f"{name}: {text}" for (name, _), text in troubles.items())
