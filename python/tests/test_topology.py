# SPDX-License-Identifier: BSD-3-Clause
# Topologies: what UFF makes, and what users build.
import json
import pickle

import numpy as np
import pytest
from conftest import hexavalent

import shoal
from shoal.topology import cosines

OHH = [[0, 0, 0], [0.95, 0.1, 0], [-0.3, 0.9, 0.1]]


def test_terms_are_views_with_names(butane):
    top = butane.topology()
    assert top.status == "ok" and len(top) == len(butane)
    bonds = top.terms("bond")
    assert bonds.dtype.names[:4] == ("atoms", "shifts", "k", "r0")
    assert bonds["atoms"].shape == (len(butane.copy().perceive().bonds), 2)
    assert 1.0 < bonds["r0"].min() < bonds["r0"].max() < 1.6
    assert np.shares_memory(bonds, top.terms("bond"))
    assert not bonds.flags.writeable
    del top  # the view keeps it
    assert 1.0 < bonds["r0"].min()


def test_untyped_is_a_status_with_a_reason():
    top = hexavalent().topology()
    assert top.status == "untyped" and "valence 6" in top.reason
    assert top.status in repr(top)


def build():
    return (
        shoal.Topology.build("OHH")
        .atom(0, vdw_x=3.5, vdw_d=0.003, charge=-0.8, type="OW")
        .atom(1, charge=0.4)
        .atom(2, charge=0.4)
        .bond(0, 1, k=45.9, r0=0.957)
        .bond(0, 2, k=45.9, r0=0.957)
        .angle(1, 0, 2, k=4.0, theta0=104.5)
    )


def test_energies_of_an_own_topology_are_those_of_its_formulas():
    top = build().finish()
    assert top.types == ["OW", "H", "H"] and top.charges.tolist() == [-0.8, 0.4, 0.4]
    mol = shoal.Molecule("OHH", OHH)
    r = shoal.Batch(mol, topologies=top, precision="double", device="cpu").energy()
    p = np.array(OHH)
    a, b = p[1] - p[0], p[2] - p[0]
    lengths = np.array([np.linalg.norm(a), np.linalg.norm(b)])
    cosine = a @ b / lengths.prod()
    t0 = np.radians(104.5)
    angle = 4.0 / 2 * (cosine - np.cos(t0)) ** 2 / np.sin(t0) ** 2
    assert r.terms["bond"][0] == pytest.approx(
        0.5 * 45.9 * ((lengths - 0.957) ** 2).sum(), rel=1e-12
    )
    assert r.terms["angle"][0] == pytest.approx(angle, rel=1e-12)
    assert r.terms["coulomb"][0] == 0  # ends of bonds and angles are excluded
    named = shoal.Batch(mol, topologies=build().finish("named"), device="cpu").energy()
    assert named.terms["coulomb"][0] != 0


def test_cosines_have_their_minimum_and_curvature():
    for degrees in (90.0, 104.5, 120.0, 60.0):
        c = cosines(degrees)
        t0 = np.radians(degrees)

        def energy(t):
            return sum(x * np.cos(k * t) for k, x in enumerate(c))

        h = 1e-4
        assert energy(t0) == pytest.approx(0, abs=1e-12)
        assert (energy(t0 + h) - 2 * energy(t0) + energy(t0 - h)) / h**2 == pytest.approx(
            1, rel=1e-3
        )


def test_other_kinds_of_terms():
    top = (
        shoal.Topology.build([6, 6, 6, 6])
        .torsion(0, 1, 2, 3, v=0.1, n=3, d=-1)
        .inversion(0, 1, 2, 3, force=0.2)
        .term("bond", (0, 1), [10.0, 1.5, 1.0])
        .exclude(0, 2)
        .pair(0, 3, vdw_scale=0.5, coulomb_scale=0.8)
        .finish("named")
    )
    assert [len(top.terms(k)) for k in ("bond", "torsion", "inversion")] == [1, 1, 1]
    assert top.terms("torsion")["n"].tolist() == [3.0]


def test_topologies_by_system(butane):
    mol = shoal.Molecule("OHH", OHH)
    soft = shoal.Topology.build("OHH").bond(0, 1, k=1.0, r0=1.0).finish()
    hard = shoal.Topology.build("OHH").bond(0, 1, k=2.0, r0=1.0).finish()
    r = shoal.Batch(mol, positions=[OHH] * 2, topologies=[soft, hard], device="cpu").energy()
    assert r.energy[1] == 2 * r.energy[0] > 0


def test_a_builder_ends_with_finish():
    builder = build()
    builder.finish()
    with pytest.raises(shoal.ArgumentError, match="finished"):
        builder.bond(0, 1, k=1.0, r0=1.0)


@pytest.mark.parametrize("degrees", [40, 90, 104.5, 120, 175, 180])
def test_angles_have_their_minimum_where_it_was_wanted(degrees):
    c = cosines(degrees)

    def energy(t):
        return sum(x * np.cos(n * np.radians(t)) for n, x in enumerate(c))

    near = np.array([energy(degrees + d) for d in (-0.1, 0.0, 0.1)])
    assert near[1] == pytest.approx(0, abs=1e-12) and near.min() == near[1]
    if degrees < 180:  # k/2 (t - t0)^2
        assert near[0] + near[2] == pytest.approx(np.radians(0.1) ** 2, rel=1e-3)


def test_scale_of_14_pairs_has_an_order():
    types = {"O_3": {"r": 1.75, "e": 0.0026}}
    model = shoal.PairModel(types=types, scale_14=(0.5, 0.8125))
    assert "scale_14 0.5 0.8125" in model.text


def test_numbers_of_types_keep_their_names():
    row = {"r": 1.75, "e": 0.0026, "q": -0.4, "h": 0.2}
    found = shoal.PairModel(types={"O_3": row}).types["O_3"]
    assert {name: found[name] for name in row} == pytest.approx(row)


def test_a_pair_model_mixes_by_the_arithmetic_rule():
    model = shoal.PairModel(hbond="none", types={"Ar": {"r": 1.9, "e": 0.01}})
    top = (
        shoal.Topology.build([18, 10])
        .atom(0, vdw_x=3.8, vdw_d=0.01)
        .atom(1, vdw_x=3.0, vdw_d=0.004)
        .model(model)
        .finish()
    )
    mol = shoal.Molecule([18, 10], [[0, 0, 0], [0, 0, 3.4]])
    energy = shoal.Batch(mol, topologies=top, precision="double", device="cpu").energy().energy
    assert energy[0] == pytest.approx(-np.sqrt(0.01 * 0.004), rel=1e-12)
    assert pickle.loads(pickle.dumps(top)).vdw_x.tolist() == [3.8, 3.0]
    with pytest.raises(shoal.ArgumentError, match="PairModel"):
        shoal.Topology.build([18]).model("lj")
    with pytest.raises(shoal.ArgumentError, match="hbonds"):
        shoal.Topology.build([18]).model(model, hbonds=[0.1, 0.2])


def test_saved_and_loaded_whole(tmp_path, butane):
    mol = butane.copy()
    for top in (build().finish(), mol.topology("qeq"), mol.topology(forcefield="mmff94")):
        top.save(tmp_path / "top.json")
        again = shoal.Topology.load(tmp_path / "top.json")
        for other in (again, pickle.loads(pickle.dumps(again))):
            assert other.types == top.types and other.charges.tolist() == top.charges.tolist()
            for kind in shoal.topology.kinds():
                assert (other.terms(kind) == top.terms(kind)).all()
    energies = [
        shoal.Batch(mol, topologies=t, device="cpu", precision="double").energy().energy[0]
        for t in (top, again)
    ]
    assert energies[0] == energies[1]
    text = json.loads((tmp_path / "top.json").read_text())
    assert text["elements"] == mol.numbers.tolist() and len(text["terms"]["quartic_bond"]) == 13
    (tmp_path / "bad.json").write_text("{\n[]}")
    with pytest.raises(shoal.FormatError, match="bad.json:2"):
        shoal.Topology.load(tmp_path / "bad.json")
    pairs = shoal.Molecule("OHH", OHH).topology(forcefield=shoal.MMFFsp3(electron_pairs=True))
    with pytest.raises(shoal.UnsupportedError, match="electron pairs"):
        pairs.save(tmp_path / "pairs.json")
