# SPDX-License-Identifier: BSD-3-Clause
"""Dynamics from Python have the bits of 'shoal md', with trajectories as tables of frames."""

import pickle

import numpy as np
import pytest
from program import EXAMPLES, rows_of, stop_when

import shoal
from shoal._lib import ArgumentError

DEMO = EXAMPLES / "demo.sdf"
KEYS = {
    "steps": "steps",
    "time": "time_fs",
    "dof": "dof",
    "etot0": "etot0",
    "etot": "etot",
    "drift": "drift",
    "fluctuation": "fluctuation",
    "conserved_drift": "conserved_drift",
    "samples": "samples",
    "temperature_mean": "temperature_mean",
    "temperature_err": "temperature_err",
    "potential_mean": "potential_mean",
    "potential_err": "potential_err",
    "bath": "bath",
    "energy": "energy",
}


def batch(path=DEMO, **keywords):
    return shoal.Batch(shoal.read(path), device="cpu", **keywords)


def compare(r, rows):
    """All that the program tells of the systems, bit for bit."""
    assert r.status.tolist() == [row["status"] for row in rows]
    for name, key in KEYS.items():
        expected = np.array([row.get(key, np.nan) for row in rows], dtype=float)
        assert np.array_equal(np.asarray(getattr(r, name), float), expected, equal_nan=True), name


OPTIONS = [
    (
        dict(steps=300, temperature=400, seed=5, stride=50),
        [
            "--steps",
            300,
            "--temperature",
            400,
            "--thermostat",
            "langevin",
            "--seed",
            5,
            "--stride",
            50,
        ],
    ),
    (
        dict(steps=200, dt=0.25, thermostat=None, temperature=200, remove_every=50),
        ["--steps", 200, "--dt", 0.25, "--temperature", 200, "--remove-motion", 50],
    ),
    (
        dict(steps=300, thermostat="nose-hoover", tau=30, temperature=(100, 300)),
        ["--steps", 300, "--thermostat", "nose-hoover", "--tau", 30, "--temperature", "100:300"],
    ),
    (
        dict(steps=100, dt=1.0, friction=0.05, hydrogen_mass=3),
        [
            "--steps",
            100,
            "--dt",
            1.0,
            "--friction",
            0.05,
            "--hydrogen-mass",
            3,
            "--thermostat",
            "langevin",
        ],
    ),
    (
        dict(steps=100, copies=2, seed=9),
        ["--steps", 100, "--copies", 2, "--seed", 9, "--thermostat", "langevin"],
    ),
]


@pytest.mark.parametrize(
    "keywords, options", OPTIONS, ids=["langevin", "none", "nose-hoover", "heavy", "copies"]
)
def test_same_bits_as_the_program(keywords, options):
    compare(batch().md(**keywords), rows_of("md", "-q", "--json", *options, DEMO))


def test_replica_exchange():
    ladder = [300, 330, 370, 420]
    r = batch(EXAMPLES / "butane.sdf").md(steps=400, temperatures=ladder, exchange=20, seed=3)
    rows = rows_of(
        "md",
        "-q",
        "--json",
        "--steps",
        400,
        "--temperatures",
        "300,330,370,420",
        "--exchange",
        20,
        "--seed",
        3,
        "--thermostat",
        "langevin",
        EXAMPLES / "butane.sdf",
    )
    compare(r, rows)
    assert r.exchanges.tolist() == [row["exchanges"] for row in rows] and r.exchanges.sum() > 0
    assert r.exchanges_tried.tolist() == [row["exchanges_tried"] for row in rows]
    assert sorted(r.bath) == ladder and r.variant.tolist() == [0, 1, 2, 3]
    made = shoal.md.Settings(temperatures=ladder, copies=8, exchange=20)
    assert (made.variants.n, made.variants.group) == (8, 4)  # a ladder is never parted


def test_trajectory():
    r = batch().md(steps=200, stride=50, seed=2)
    frames = r.trajectory
    assert len(frames) == 5 * len(r)
    assert frames.index.tolist() == [i for i in range(len(r)) for _ in range(5)]
    one = r.trajectory_of(1)
    assert one.time.tolist() == [0.0, 25.0, 50.0, 75.0, 100.0]
    assert np.array_equal(one.positions[4], r.positions[1])
    assert np.array_equal(one.velocities[4], r.velocities[1])
    assert one.energy[4] == r.energy[1]
    assert one.energy[4] + one.kinetic[4] == pytest.approx(r.etot[1], abs=1e-12)
    speed = (r.velocities[1] ** 2).sum(axis=1) @ r.masses[1]
    assert 0.5 * speed * 103.642696562 == pytest.approx(one.kinetic[4], rel=1e-8)  # amu A^2/fs^2
    assert np.array_equal(one.positions[0], shoal.read(DEMO)[1].positions)
    assert r.slice_of(1) == slice(5, 10)
    bare = batch().md(steps=200, stride=50, seed=2, frames=False)
    assert np.array_equal(bare.etot, r.etot)
    with pytest.raises(AttributeError, match="frames=True"):
        bare.trajectory


def test_trajectories_are_written_as_the_program_writes_them(tmp_path):
    r = shoal.Batch(DEMO, device="cpu").md(steps=20, stride=10, seed=3)
    r.trajectory.write(tmp_path / "mine.xyz")
    options = ["--steps", 20, "--stride", 10, "--seed", 3, "--thermostat", "langevin"]
    rows_of("md", "-q", "--json", *options, DEMO, "-o", tmp_path / "its.xyz")
    mine = (tmp_path / "mine.xyz").read_text().splitlines()
    its = (tmp_path / "its.xyz").read_text().splitlines()
    assert len(mine) == len(its)
    assert [x for x in mine if "=" not in x] == [x for x in its if "=" not in x]  # atoms
    for a, b in zip(mine, its):
        for key in ("time_fs=", "bath_temperature=", "energy=", "Properties="):
            words = [[w for w in line.split() if w.startswith(key)] for line in (a, b)]
            assert words[0] == words[1]
    kinetic = [float(w[15:]) for x in its for w in x.split() if w.startswith("kinetic_energy=")]
    assert np.allclose(r.trajectory.kinetic, kinetic, rtol=1e-14, atol=0)


def test_parts_and_pickles():
    r = batch().md(steps=20, seed=1)
    part = r[1:]
    assert np.array_equal(part.etot, r.etot[1:]) and len(part.velocities) == len(r) - 1
    assert np.array_equal(part.trajectory_of(0).time, r.trajectory_of(1).time)
    again = pickle.loads(pickle.dumps(r))
    assert np.array_equal(again.drift, r.drift, equal_nan=True)
    assert np.array_equal(again.trajectory.kinetic, r.trajectory.kinetic)


def test_a_system_that_flies_apart():
    water = shoal.Molecule("OHH", [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]])
    argon = shoal.Molecule(["Ar", "Ar"], [[0, 0, 0], [0, 0, 4.0]])
    r = shoal.Batch([water, argon], device="cpu").md(steps=50, dt=10.0, thermostat=None)
    assert r.status.tolist() == ["unstable", "ok"] and "step" in r.reason[0]
    assert np.isnan(r.etot[0]) and np.isfinite(r.etot[1])


def test_ctrl_c_and_going_on(monkeypatch, tmp_path):
    monkeypatch.setattr(shoal.md, "STATE_SECONDS", 1e-9)
    mols = shoal.read(EXAMPLES / "butane.sdf") * 2
    options = {"steps": 40000, "seed": 4, "stride": 4000}

    def batch():
        return shoal.Batch(mols, device="cpu", threads=1)

    whole = batch().md(**options)
    with pytest.raises(KeyboardInterrupt) as caught:
        stop = stop_when(lambda info: info.n_evaluations > 8000)
        batch().md(**options, progress=stop, save=tmp_path / "run.h5")
    part = caught.value.results
    assert not shoal.load(tmp_path / "run.h5").provenance["complete"]
    assert len(part) < len(whole) and len(part._stopped["state"]) > 1000
    seen = []
    r = batch().md(
        **options,
        resume=part,
        progress=lambda _, info: seen.append(info),
        save=tmp_path / "run.h5",
    )
    assert seen[-1].n_evaluations < 2 * 40000  # the steps before were not made again
    assert np.array_equal(r.etot, whole.etot) and np.array_equal(r.drift, whole.drift)
    assert np.array_equal(r.trajectory.positions.flat, whole.trajectory.positions.flat)
    assert np.array_equal(r.velocities.flat, whole.velocities.flat)
    saved = shoal.load(tmp_path / "run.h5")
    assert saved.provenance["complete"]
    assert np.array_equal(saved.velocities.flat, whole.trajectory.velocities.flat)
    first = whole[:1]  # as if it had been stopped behind the first system
    first._stopped = {**part._stopped, "state": b""}
    r = batch().md(**options, resume=first, save=tmp_path / "first.h5")
    assert len(shoal.load(tmp_path / "first.h5")) == len(whole.trajectory)
    assert np.array_equal(r.etot, whole.etot) and r.index.tolist() == [0, 1]
    assert np.array_equal(r.trajectory.kinetic, whole.trajectory.kinetic)
    with pytest.raises(ArgumentError, match="resume"):
        batch().md(**{**options, "seed": 5}, resume=part)
    with pytest.raises(ArgumentError, match="resume"):
        batch().md(**options, resume=whole)


WRONG = [
    (dict(steps=0), "steps"),
    (dict(dt=-1.0), "dt"),
    (dict(thermostat="ice"), "thermostat 'ice': expected none"),
    (dict(thermostat=None, temperature=(100, 300)), "bath"),
    (dict(remove_every=10), "langevin"),
    (dict(exchange=10), "temperatures"),
    (dict(temperatures=[300, 400], temperature=300), "temperature"),
    (dict(temperatures=[300, 400], copies=3), "multiple"),
    (dict(hydrogen_mass=30.0), "amu"),
    (dict(temperature=-5), "temperature"),
    (dict(seed=-1), "seed"),
    (dict(frames=False, save="run.h5"), "frames=True"),
]


@pytest.mark.parametrize("keywords, text", WRONG)
def test_what_makes_no_sense_is_refused(keywords, text):
    with pytest.raises(ArgumentError, match=text):
        batch().md(**keywords)


def test_numbers_of_another_thermostat_are_refused():
    batch = shoal.Batch(shoal.read(EXAMPLES / "butane.sdf"), device="cpu")
    with pytest.raises(ArgumentError, match="friction.*langevin"):
        batch.md(steps=1, thermostat="nose-hoover", friction=0.1)
    with pytest.raises(ArgumentError, match="tau.*nose-hoover"):
        batch.md(steps=1, tau=5.0)


def test_velocities_of_molecules_begin_a_run():
    first = shoal.read(EXAMPLES / "demo.sdf")[0]
    whole = shoal.Batch(first, device="cpu").md(steps=60, thermostat=None, seed=2, stride=30)
    middle = shoal.read(EXAMPLES / "demo.sdf")[0]
    frames = whole.trajectory_of(0)
    middle.positions = frames.positions[1]
    middle.velocities = frames.velocities[1]
    rest = shoal.Batch(middle, device="cpu").md(
        steps=30, thermostat=None, seed=9, velocities="file"
    )
    assert np.allclose(rest.positions[0], whole.positions[0], atol=1e-9)
    assert np.allclose(rest.velocities[0], whole.velocities[0], atol=1e-9)
    middle.velocities = None
    assert middle.velocities is None
    rest = shoal.Batch(middle, device="cpu").md(steps=3, velocities="file")
    assert rest.status[0] == "untyped" and "no momenta" in rest.reason[0]
    with pytest.raises(ArgumentError, match="velocities"):
        shoal.Batch(first, device="cpu").md(steps=3, velocities="none")


def test_velocities_and_momenta_of_ase():
    atoms = pytest.importorskip("ase.build").molecule("H2O")
    atoms.set_momenta(np.arange(9.0).reshape(3, 3))
    from shoal.ase import to_atoms, to_molecule

    there = to_molecule(atoms)
    assert there.velocities.shape == (3, 3)
    assert np.allclose(to_atoms(there).get_momenta(), atoms.get_momenta(), atol=1e-12)
