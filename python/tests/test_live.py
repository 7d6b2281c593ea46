# SPDX-License-Identifier: BSD-3-Clause
# Live engines: runs that go on, arrays that are held and changed.
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import TOP, shaken

import shoal
from shoal.live import array_table
from shoal.results import term_names


def two(butane, n=3, **options):
    many = shaken(butane, n)
    return [shoal.Engine(butane.topology(), many, precision="double", **options) for _ in range(2)]


@pytest.mark.parametrize(
    "how",
    [
        {"method": "fire"},
        {"method": "lbfgs", "fmax": 1e-4},
        {"method": "md", "thermostat": "langevin", "friction": 0.02, "seed": 5},
        {"method": "md", "thermostat": "nose-hoover", "tau": 15, "temperature": 200},
    ],
)
def test_steps_add_up(butane, how):
    once, parts = two(butane)
    once.run(24, **how)
    seen = []
    parts.run(10, every=4, callback=lambda e: seen.append(e.energies[0]), **how)
    parts.run(14, **how)
    assert len(seen) == 3
    for name in ("positions", "forces", "energies", "steps"):
        assert np.array_equal(once.arrays[name], parts.arrays[name])
    assert once.arrays["steps"][0] == 24 or how["method"] == "lbfgs"


def test_engines_side_by_side(butane):
    devices = ["cpu", "opencl:cpu", "cpu"]
    try:
        shoal.device.resolve("opencl:cpu")
    except shoal.DeviceError:
        devices.remove("opencl:cpu")
    pos = shaken(butane, 4)

    def run(engine):
        for _ in range(3):
            engine.run(5, "fire", fmax=1e-4)
        return engine

    def engines():
        return [shoal.Engine(butane.topology(), pos, device=d, precision="float") for d in devices]

    alone = [run(engine) for engine in engines()]
    with ThreadPoolExecutor() as pool:
        together = list(pool.map(run, engines()))
    for a, b in zip(alone, together):
        assert np.array_equal(a.arrays["positions"], b.arrays["positions"])
        assert np.array_equal(a.energies, b.energies)
    assert np.allclose(alone[0].energies, alone[1].energies, atol=1e-5)


def test_pairs_are_clamped(butane):
    pos = 0.5 * shaken(butane, 3)
    engine = shoal.Engine(butane.topology(), pos, precision="double")
    plain = engine.energy().energies.copy()
    engine.arrays["pair_clamp"][1] = 0.6
    engine.energy()
    assert np.array_equal(engine.energies[[0, 2]], plain[[0, 2]]) and engine.energies[1] < plain[1]
    assert "clamped pairs" in engine.result(1).warning and not engine.result(0).warning
    engine.arrays["pair_clamp"] = 0
    assert np.array_equal(engine.energy().energies, plain)
    all_of_them = shoal.Interactions(pair_clamp=0.6)
    again = shoal.Engine(butane.topology(), pos, precision="double", interactions=all_of_them)
    assert again.energy().energies[1] < plain[1]
    with pytest.raises(shoal.ArgumentError, match="expected 0 to 0.95"):
        shoal.Engine(butane.topology(), pos, interactions=shoal.Interactions(pair_clamp=1.5))


@pytest.mark.parametrize("method", ["fire", "lbfgs", "md"])
def test_states_are_saved(butane, tmp_path, method):
    engine, other = two(butane)
    engine.run(7, method)
    engine.parameters["bond"].k *= 1.1
    engine.switch_off("torsion")
    engine.run(3, method)
    engine.save(tmp_path / "a.state")
    engine.run(4, method)
    other.load(tmp_path / "a.state").run(4, method)
    for name in ("positions", "forces", "energies", "steps", "bond.k"):
        assert np.array_equal(engine.arrays[name], other.arrays[name])
    (tmp_path / "a.state").write_bytes(b"nothing")
    with pytest.raises(shoal.ArgumentError, match="no state"):
        other.load(tmp_path / "a.state")


def test_the_page_has_the_table():
    page = (TOP / "docs" / "live.md").read_text()
    for row in array_table():
        if "." not in row.name:
            end = "writable" if row.writable else ""
            assert f"| `{row.name}` | {row.unit} | {row.what} | {end} |" in page


def test_callbacks_stop(butane):
    engine, _ = two(butane)
    engine.run(100, "fire", every=5, callback=lambda e: e.arrays["steps"][0] < 10)
    assert engine.arrays["steps"][:].tolist() == [10, 10, 10]


def test_views_are_of_one_moment(butane):
    engine, other = two(butane)
    engine.run(3, "fire")
    energies = engine.arrays["energies"]
    first = np.array(energies)
    engine.run(3, "fire")
    other.set_all_positions(engine.arrays["positions"].flat)
    other.energy()
    assert np.allclose(engine.arrays["forces"], other.forces.stack(), atol=1e-10)
    assert np.allclose(energies, other.energies) and not np.array_equal(energies, first)
    assert engine.energies.tolist() == energies[:].tolist()


def test_shapes(butane, golden):
    engine, _ = two(butane)
    n = len(butane)
    assert engine.arrays["positions"].shape == (3, n, 3)
    assert engine.arrays["masses"].shape == (3, n)
    assert engine.arrays["charges"].shape == (1, n)
    assert engine.arrays["cell"].shape == (3, 3, 3)
    assert engine.arrays["bond.k"].shape == (1, 13)
    unlike = shoal.Engine.of([butane, golden["water"]])
    unlike.run(2)
    pos = unlike.arrays["positions"]
    assert pos.shape == (n + 3, 3) and pos[1].shape == (3, 3)
    assert pos.starts.tolist() == [0, n, n + 3]
    pos[1] = pos[1] + 1.0
    assert np.array_equal(unlike.arrays["positions"][1], unlike.arrays["positions"].flat[n:])
    assert len(list(engine.arrays)) == len(array_table()) == len(engine.arrays)


def test_parameters_change(butane):
    engine, other = two(butane)
    before = engine.energy().terms["bond"].copy()
    engine.parameters["bond"].k = 2 * engine.arrays["bond.k"][:]
    assert np.allclose(engine.energy().terms["bond"], 2 * before)
    with pytest.raises(shoal.ArgumentError, match="whole number"):
        engine.parameters["torsion"].n = 2.5
    assert np.allclose(engine.energy().terms["bond"], 2 * before)
    other.split()
    k = other.parameters["bond"].k
    assert k.shape == (3, 13)
    k += 1.0
    k -= 1.0
    k[1] *= 2
    assert np.allclose(other.energy().terms["bond"] / before, [1, 2, 1])
    assert other.topology_numbers.tolist() == [0, 1, 2]
    with pytest.raises(AttributeError, match="r0"):
        engine.parameters["bond"].stiffness  # noqa: B018


def test_switches(butane):
    engine, _ = two(butane)
    total = engine.energy().energies.copy()
    vdw = engine.terms["vdw"].copy()
    assert np.allclose(engine.switch_off("vdw").energy().energies, total - vdw)
    assert np.array_equal(engine.switch_off().energy().energies, total)


def test_velocities_and_masses(butane):
    engine, _ = two(butane, 1)
    engine.arrays["velocities"][...] = 0
    engine.arrays["masses"][0, 0] = 100.0
    engine.run(1, "md", dt=0.1)
    v = np.array(engine.arrays["velocities"])
    f = np.array(engine.arrays["forces"])
    m = np.array(engine.arrays["masses"])
    assert m[0, 0] == 100 and (m[0, 1:] < 13).all()
    # a = F/m in angstrom/fs^2; forces hardly change in a tenth of a femtosecond
    expected = f / m[..., None] * 9.648533e-3 * 0.1
    assert np.allclose(v, expected, rtol=0.05, atol=2e-7)


def test_other_libraries_share_memory(butane):
    engine, _ = two(butane)
    array = np.from_dlpack(engine.arrays["positions"])
    assert array.shape == engine.arrays["positions"].shape
    assert np.shares_memory(array, np.asarray(engine.arrays["positions"]))
    view = np.asarray(engine.arrays["positions"])
    with pytest.raises(ValueError, match="read-only"):
        view[0, 0, 0] = 1


def test_refusals(butane):
    engine, _ = two(butane)
    with pytest.raises(shoal.ArgumentError, match="nobody writes"):
        engine.arrays["forces"][...] = 0
    with pytest.raises(KeyError, match="positions"):
        engine.arrays["spins"]
    with pytest.raises(shoal.ArgumentError, match="fmax"):
        engine.run(5, "md", fmax=0.1)
    with pytest.raises(shoal.ArgumentError, match="friction"):
        engine.run(5, "md", friction=0.1)
    with pytest.raises(shoal.ArgumentError, match="temperature"):
        engine.run(5, "fire", temperature=300)
    with pytest.raises(shoal.ArgumentError, match="real numbers"):
        engine.arrays["charges"][...] = 1j
    with pytest.raises(shoal.ArgumentError, match="charges"):
        engine.arrays["charges"][...] = np.zeros(3)
    with pytest.raises(shoal.ArgumentError, match="nothing"):
        engine.arrays["energies"][0]


@pytest.mark.parametrize("device", ["cpu", "opencl:cpu"])
@pytest.mark.parametrize("field", [shoal.UFF, shoal.MMFF94])
@pytest.mark.parametrize("name", ["vdw_x", "vdw_d", "charges", "bond"])
def test_a_change_is_an_engine_built_anew(butane, tmp_path, device, field, name):
    """Also of MMFF94 on OpenCL, whose pairs go by a table of kinds of atoms."""
    try:
        engine = shoal.Engine.of([butane] * 2, forcefield=field(), device=device)
    except shoal.DeviceError as error:
        pytest.skip(str(error))
    engine.run(3, "fire")
    places = np.array(engine.arrays["positions"])
    top, i = butane.topology(forcefield=field()), 6
    x, d, q = float(top.vdw_x[i]), float(top.vdw_d[i]), float(top.charges[i])
    if name == "bond":
        kind = "bond" if field is shoal.UFF else "quartic_bond"
        values = [float(v) for v in list(top.terms(kind)[2])[2:]]
        values[0] *= 1.25
        engine.arrays[f"{kind}.k"][0, 2] = values[0]
        ends = top.terms(kind)["atoms"][2]
        row = f"{kind} {ends[0]} {ends[1]} " + " ".join(map(repr, values))
    else:
        x, d = x * (1.1 if name == "vdw_x" else 1), d * (2 if name == "vdw_d" else 1)
        q = 0.3 if name == "charges" else q
        engine.arrays[name][0, i] = {"vdw_x": x, "vdw_d": d, "charges": q}[name]
        row = f"atom {i} {x!r} {d!r}" + (f" {q!r}" if name == "charges" else "")
    if name == "charges":  # one alone feels nothing
        engine.arrays[name][0, 13] = -0.3
        row += f"\natom 13 {x!r} {d!r} -0.3"
    table = tmp_path / "changed.tsv"
    table.write_text(row + "\n")
    other = shoal.Engine.of([butane] * 2, forcefield=field(table=table), device=device)
    other.set_all_positions(places.reshape(-1, 3))
    before = np.array(other.arrays["positions"])
    assert np.array_equal(before, places)
    for one in (engine, other):
        one.run(4, "fire")
    for array in ("positions", "forces", "energies", "terms"):
        assert np.array_equal(engine.arrays[array], other.arrays[array]), array
    plain = shoal.Engine.of([butane] * 2, forcefield=field(), device=device)
    plain.set_all_positions(places.reshape(-1, 3))
    plain.run(4, "fire")
    assert not np.array_equal(engine.arrays["forces"], plain.arrays["forces"])


def test_single_systems_are_switched_by_their_own_parameters(butane):
    engine, other = two(butane)
    whole = np.array(other.energy().arrays["terms"])
    engine.split()
    engine.arrays["vdw_d"][1] = 0.0
    engine.parameters["angle"].k[2] = 0.0
    engine.parameters["torsion"].v[0] = 0.0
    terms = np.array(engine.energy().arrays["terms"])
    names = term_names()
    off = {(0, "torsion"), (1, "vdw"), (2, "angle")}
    for i in range(3):
        for k, name in enumerate(names[: terms.shape[1]]):
            assert terms[i, k] == (0 if (i, name) in off else whole[i, k]), (i, name)
    assert all(whole[i, names.index(name)] != 0 for i, name in off)


LIMITS = [
    ("vdw_x", 1e-9, 0.0),
    ("vdw_d", 0.0, -1e-12),
    ("charges", -1e3, -1000.001),
    ("masses", 1e-9, 0.0),
    ("velocities", -1e3, -1000.001),
    *((name, 1e-6, 9.9e-7) for name in ("fire_dt", "fire_dt_max", "fire_damping", "max_move")),
    *((name, 1.0, 1.0001) for name in ("fire_dt", "fire_dt_max", "fire_damping", "fire_alpha")),
    ("fire_alpha", 0.0, -1e-9),
    ("max_move", 10.0, 10.001),
    ("pair_clamp", 0.95, 0.9501),
    ("pair_clamp", 0.0, -1e-9),
]


@pytest.mark.parametrize(("name", "good", "bad"), LIMITS)
def test_limits(butane, name, good, bad):
    engine, _ = two(butane)
    array = engine.arrays[name]
    array[...] = good
    assert np.allclose(np.asarray(engine.arrays[name]), good, rtol=1e-7)
    with pytest.raises(shoal.ArgumentError, match=name):
        array[...] = bad


def test_each_number_of_fire_counts(butane):
    """From its usual value; of one system alone it changes that one alone."""
    usual = {"fire_dt": 0.02, "fire_dt_max": 0.12, "fire_alpha": 0.1, "fire_damping": 0.99}
    _, plain = two(butane)
    plain.run(30, "fire")
    ends = np.array(plain.arrays["positions"])
    for name, value in {**usual, "max_move": 0.2}.items():
        engine, _ = two(butane)
        before = np.asarray(engine.arrays[name])
        assert before.shape == (3,)
        assert value == pytest.approx(before[0]), name
        engine.arrays[name][1] = (0.01 if name == "max_move" else 0.2) * before[1]
        engine.run(30, "fire")
        moved = np.abs(np.asarray(engine.arrays["positions"]) - ends).max(axis=(1, 2))
        assert moved[0] == 0 and moved[2] == 0 and moved[1] > 0, name


def test_restraints_and_cells():
    """Of a crystal of argon with one atom that is pulled to a place."""
    edge = 5.3
    places = edge * np.array([[0, 0, 0], [0.5, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0.5]])
    crystal = shoal.Molecule(["Ar"] * 4, places, cell=edge * np.eye(3), pbc=True)
    pulls = [[shoal.Restraint.position(2, k=3.0, target=places[2] + [0.1, 0.2, 0])]]
    options = {"cells": [edge * np.eye(3)], "restraints": pulls, "precision": "double"}
    engine = shoal.Engine([crystal.topology()], [places], **options)
    assert engine.energy().terms["restraint"][0] == pytest.approx(1.5 * 0.05)
    engine.arrays["restraint_target"][0] = places[2] + [0.0, 0.0, 0.3]
    assert engine.energy().terms["restraint"][0] == pytest.approx(1.5 * 0.09)
    engine.arrays["restraint_k"][0] = 6.0
    assert engine.energy().terms["restraint"][0] == pytest.approx(3.0 * 0.09)
    wide = 1.1 * edge * np.eye(3)
    engine.arrays["cell"][0] = wide
    engine.arrays["positions"][0] = 1.1 * places
    other = shoal.Engine([crystal.topology()], [1.1 * places], cells=[wide], precision="double")
    assert engine.energy().terms["vdw"][0] == pytest.approx(other.energy().terms["vdw"][0])
    with pytest.raises(shoal.ArgumentError, match="cell"):
        engine.arrays["cell"][0] = 1e7 * np.eye(3) * -1
