# SPDX-License-Identifier: BSD-3-Clause
# What is pickled comes back with the same bits, or says why it cannot.
import pickle

import numpy as np
import pytest
from program import EXAMPLES

import shoal

ACETATE = """7
charge=-1 name=acetate
C 0 0 0
C 1.5 0 0
O 2.1 1.1 0
O 2.1 -1.1 0
H -0.4 1.0 0
H -0.4 -0.5 0.9
H -0.4 -0.5 -0.9
"""


def again(thing):
    return pickle.loads(pickle.dumps(thing))


@pytest.fixture
def acetate(tmp_path):
    (tmp_path / "acetate.xyz").write_text(ACETATE)
    return shoal.read(tmp_path / "acetate.xyz")[0]


def demo():
    return shoal.read(EXAMPLES / "demo.sdf")


def terms_of(top):
    return [top.terms(kind).tobytes() for kind in shoal.topology.kinds()]


def test_a_molecule_keeps_the_charge_of_its_frame(acetate):
    """Without it no structure fits: the molecule would be a radical."""
    other = again(acetate)
    assert other.topology().status == "ok" and other.properties == acetate.properties
    assert other.perceive().formal_charges.sum() == -1


def test_a_perceived_molecule_keeps_orders_that_were_found(acetate):
    """Shared orders are those of perception alone."""
    one = acetate.perceive()
    other = again(one)
    assert sorted(one.bonds["shared"])[-2:] == [1.5, 1.5]
    for name in one.bonds.dtype.names:
        assert np.array_equal(other.bonds[name], one.bonds[name]), name
    assert terms_of(other.topology()) == terms_of(one.topology())


def test_topologies():
    for mol in demo():
        top = mol.topology(forcefield="uff:paper")
        other = again(top)
        assert other.types == top.types and terms_of(other) == terms_of(top)
    built = (
        shoal.Topology.build("OHH")
        .atom(0, vdw_x=3.2, vdw_d=0.002, charge=-0.8)
        .bond(0, 1, k=45.9, r0=0.957)
        .bond(0, 2, k=45.9, r0=0.957)
        .angle(1, 0, 2, k=4.0, theta0=104.5)
        .pair(1, 2, coulomb_scale=0.5)
    )
    with pytest.raises(TypeError, match="expected the Topology of finish"):
        pickle.dumps(built)
    top = built.finish("named")
    other = again(top)
    assert terms_of(other) == terms_of(top) and np.array_equal(other.vdw_d, top.vdw_d)
    at = [[[0, 0, 0], [1.1, 0, 0], [0, 1.1, 0]]]
    energies = [shoal.Engine(t, at, device="cpu").energy().energies[0] for t in (top, other)]
    assert energies[0] == energies[1] != 0


def test_batches():
    held = shoal.Restraint.distance(0, 1, value=1.2, k=3.0)
    batch = shoal.Batch(
        demo(), copies=shoal.Copies(2, jitter=0.02), fixed=["element:O"], restraints=[held],
        typing=shoal.Typing(types={"element:O": "O_3"}), device="cpu",
    )  # fmt: skip
    assert np.array_equal(again(batch).relax().energy, batch.relax().energy, equal_nan=True)
    water = demo()[0]
    many = water.positions + np.array([0.0, 0.1, 0.2])[:, None, None] * np.eye(3)[0]
    assert len(again(shoal.Batch(water, positions=many, device="cpu"))) == 3
    files = again(shoal.Batch(EXAMPLES / "demo.sdf", device="cpu"))
    assert len(files.energy()) == 12


def test_engines():
    """Where the atoms are comes along, and options."""
    engine = shoal.Engine.of(demo(), device="cpu", precision="double")
    engine.relax(max_steps=5)
    other = again(engine)
    assert np.array_equal(other.energy().energies, engine.energy().energies)


def test_grids_say_why_not():
    salt = shoal.Surface.rocksalt("NaCl", size=(1, 1), layers=2)
    grid = salt.grid(step=0.3, samples=0)
    with pytest.raises(TypeError, match="save them to a file"):
        pickle.dumps(shoal.Batch(demo()[0], surface=salt, grid=grid, device="cpu"))
