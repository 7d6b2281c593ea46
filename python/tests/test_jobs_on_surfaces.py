# SPDX-License-Identifier: BSD-3-Clause
"""Jobs on a surface have the bits of the program, with placement, constraints, movable layers."""

import numpy as np
import pytest
from program import EXAMPLES, rows_of

import shoal
from shoal import Placement

BUTANE = EXAMPLES / "butane.sdf"


@pytest.fixture(scope="module")
def slab(tmp_path_factory):
    path = tmp_path_factory.mktemp("slab") / "nacl.xyz"
    shoal.Surface.rocksalt("NaCl", size=(3, 3), layers=2).write(path)
    return path


def batch(slab, **keywords):
    top = shoal.Surface.read(slab)
    return shoal.Batch(BUTANE, surface=top, grid="off", device="cpu", **keywords)


def options(slab, *more):
    return ["-q", "--json", "--surface", slab, "--grid", "off", *more, BUTANE]


def test_scan(slab):
    place = Placement(orient="flat", rotate=(0, 0, 30), at=(1.0, 2.0), height=3.0)
    r = batch(slab, placement=place).scan("z=4:6:1", "rz=0:90:45", adsorption=True)
    put = ["--orient", "flat", "--rotate", "0,0,30", "--at", "1,2", "--height", 3.0, "--adsorption"]
    rows = rows_of("scan", "--coordinate", "z=4:6:1", "--coordinate", "rz=0:90:45",
                   *options(slab, *put))  # fmt: skip
    assert r.energy.tolist() == [row["energy"] for row in rows]
    assert r.adsorption_energy.tolist() == [row["adsorption_energy"] for row in rows]
    assert r.points.tolist() == [row["point"] for row in rows]


def test_relaxed_scan_with_layers_restraints_and_held_atoms(slab):
    held = [shoal.Restraint.torsion(0, 1, 2, 3, value=180, k=1.0)]
    on = batch(slab, movable=1, placement=Placement(height=3.0), restraints=held, fixed="0")
    r = on.scan("torsion:3,2,1,6=50:60:10", relaxed=True, max_steps=300, adsorption=True)
    put = ["--relaxed", "--movable-layers", 1, "--height", 3.0, "--max-steps", 300, "--restrain",
           "torsion:0,1,2,3=180,1.0", "--fix", "0", "--adsorption"]  # fmt: skip
    rows = rows_of("scan", "--coordinate", "torsion:3,2,1,6=50:60:10", *options(slab, *put))
    assert r.energy.tolist() == [row["energy"] for row in rows]
    assert r.held.tolist() == [row["held"] for row in rows]
    assert r.restraint_energy.tolist() == [row["restraint_energy"] for row in rows]
    assert r.adsorption_energy.tolist() == [row["adsorption_energy"] for row in rows]


def test_restraints_of_systems_beside_the_springs_of_layers(slab):
    pulls = [[shoal.Restraint.distance(0, 1, value=2.0, k=k)] for k in (1.0, 3.0)]
    butane = shoal.read(BUTANE)[0]
    on = {"surface": shoal.Surface.read(slab), "movable": 1, "placement": Placement(height=3.0)}
    r = shoal.Batch([butane] * 2, restraints=pulls, device="cpu", grid="off", **on).energy()
    stretch = np.linalg.norm(butane.positions[1] - butane.positions[0]) - 2.0
    assert r.terms["restraint"] == pytest.approx([0.5 * k * stretch**2 for k in (1.0, 3.0)])


def test_dynamics(slab):
    r = batch(slab, movable=1, placement=Placement(height=3.0)).md(steps=40, seed=3)
    rows = rows_of("md", *options(slab, "--movable-layers", 1, "--height", 3.0, "--steps", 40,
                                  "--seed", 3, "--thermostat", "langevin"))  # fmt: skip
    assert r.etot.tolist() == [row["etot"] for row in rows] and r.dof[0] == rows[0]["dof"]


def test_search(slab):
    r = batch(slab, placement=Placement(height=2.5)).search(starts=8, max_steps=1000)
    rows = rows_of("search", *options(slab, "--height", 2.5, "--starts", 8, "--max-steps", 1000))
    assert r.energy.tolist() == [row["energy"] for row in rows]
    assert r.adsorption_energy.tolist() == [row["adsorption_energy"] for row in rows]
    assert r.count.tolist() == [row["count"] for row in rows]
    with pytest.raises(shoal.ArgumentError, match="height alone"):
        batch(slab, placement=Placement(orient="flat")).search(starts=8)


def test_modes(slab):
    r = batch(slab, placement=Placement(height=3.0), fixed="0-3").modes(fmax=1e-3)
    rows = rows_of("modes", *options(slab, "--height", 3.0, "--fix", "0-3", "--fmax", 1e-3))
    assert r.frequencies[0].tolist() == rows[0]["frequencies_cm1"]
    assert r.removed[0] == 0 and np.isfinite(r.thermo["free_energy"][0])
