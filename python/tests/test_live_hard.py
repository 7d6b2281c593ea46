# SPDX-License-Identifier: BSD-3-Clause
# Live engines in the hands of somebody who does everything wrong.
import copy
import gc
import pickle
import threading

import numpy as np
import pytest
from conftest import shaken

import shoal
from shoal.live import array_table

# NumPy 1 takes no read-only array by DLPack, and gives none that may be written.
numpy2 = pytest.mark.skipif(
    np.__version__ < "2", reason="DLPack of NumPy 1 knows no read-only arrays"
)

RESULTS = ("forces", "energies", "terms", "fmax", "status", "steps")


def live(butane, n=3, **options):
    return shoal.Engine(butane.topology(), shaken(butane, n), precision="double", **options)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("positions", np.zeros((3, 13, 3))),
        ("positions", np.zeros((2, 14, 3))),
        ("positions", np.zeros((3, 14, 4))),
        ("velocities", np.zeros(5)),
        ("masses", np.ones((3, 15))),
        ("charges", np.zeros((2, 14))),
        ("bond.k", np.ones(12)),
        ("fixed", np.zeros((3, 3))),
        ("cell", np.zeros((3, 2, 3))),
        ("fire_dt", np.ones(4)),
    ],
)
def test_sizes_that_do_not_fit(butane, name, value):
    engine = live(butane)
    before = np.array(engine.arrays[name])
    with pytest.raises(shoal.ArgumentError):
        engine.arrays[name] = value
    assert np.array_equal(engine.arrays[name], before)


@pytest.mark.parametrize("value", ["one", None, [1, "a"], 1j, object(), {"a": 1}, b"12"])
def test_what_is_no_number(butane, value):
    engine = live(butane)
    for name in ("positions", "bond.k", "max_move", "fixed"):
        before = np.array(engine.arrays[name])
        with pytest.raises(shoal.ArgumentError):
            engine.arrays[name] = value
        assert np.array_equal(engine.arrays[name], before)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_none(butane, value):
    engine = live(butane)
    engine.run(3, "fire")
    energies = np.array(engine.arrays["energies"])
    names = ("velocities", "masses", "charges", "vdw_x", "vdw_d", "bond.k", "fire_dt", "max_move")
    for name in names:
        before = np.array(engine.arrays[name])
        with pytest.raises(shoal.ArgumentError):
            engine.arrays[name] = value
        assert np.array_equal(engine.arrays[name], before)
    assert np.array_equal(engine.energy().energies, energies)


def test_other_types_become_ours(butane):
    engine = live(butane)
    for kind in (np.float32, np.int64, np.uint8, bool):
        engine.arrays["charges"] = np.ones((1, 14), kind)
        assert engine.arrays["charges"].flat.dtype == np.float64
        assert (np.asarray(engine.arrays["charges"]) == 1).all()
    engine.arrays["positions"] = np.asfortranarray(shaken(butane, 3).astype(np.float32))
    assert np.array_equal(engine.arrays["positions"], shaken(butane, 3).astype(np.float32))
    engine.arrays["positions"][::-1, ::2] = engine.arrays["positions"][::-1, ::2] + 0.5


def test_results_are_read_only(butane):
    engine = live(butane)
    for name in RESULTS:
        with pytest.raises(shoal.ArgumentError, match="nothing was evaluated"):
            np.asarray(engine.arrays[name])
    engine.energy()
    for name in RESULTS:
        with pytest.raises(shoal.ArgumentError, match="nobody writes"):
            engine.arrays[name] = 0
        with pytest.raises(ValueError, match="read-only"):
            np.asarray(engine.arrays[name])[...] = 0
        with pytest.raises(shoal.ArgumentError):
            engine.arrays[name].changed()
    with pytest.raises(KeyError):
        engine.arrays["spins"]
    with pytest.raises(KeyError):
        engine.parameters["spins"]


@numpy2
def test_views_keep_their_engine(butane):
    engine = live(butane)
    engine.run(2)
    pos, charges = np.asarray(engine.arrays["positions"]), np.asarray(engine.arrays["charges"])
    other = np.from_dlpack(engine.arrays["forces"])
    kept = pos.copy(), charges.copy(), other.copy()
    del engine
    gc.collect()
    trash = [np.random.default_rng(k).random(4096) for k in range(200)]
    for view, copy_of in zip((pos, charges, other), kept):
        assert np.array_equal(view, copy_of)
    assert len(trash) == 200


def test_views_never_disagree(butane):
    """Whatever is asked for, in whatever order, is of the end of the last run."""
    engine, fresh = live(butane), live(butane)
    some = ("energies", "positions", "forces")
    orders = [RESULTS, RESULTS[::-1], some, some[1::-1]]
    for steps, (method, names) in enumerate(zip(("fire", "lbfgs", "md", "fire"), orders), 1):
        engine.run(steps, method)
        seen = {name: np.array(engine.arrays[name]) for name in names}
        fresh.set_all_positions(np.asarray(engine.arrays["positions"]).reshape(-1, 3))
        fresh.energy()
        if "energies" in seen:
            assert np.allclose(seen["energies"], fresh.energies, rtol=0, atol=1e-9)
        if "forces" in seen:
            assert np.allclose(seen["forces"], fresh.forces.stack(), rtol=0, atol=1e-8)
        assert np.allclose(engine.arrays["terms"][:].sum(axis=1), engine.arrays["energies"])
        longest = np.linalg.norm(engine.arrays["forces"][:], axis=2).max(axis=1)
        assert np.allclose(engine.arrays["fmax"], longest)
        again = {name: np.array(engine.arrays[name]) for name in names}
        for name in names:
            assert np.array_equal(seen[name], again[name])


def test_the_same_memory_every_time(butane):
    engine = live(butane)
    engine.run(1, "fire")
    first = {name: np.asarray(engine.arrays[name]) for name in ("positions", "charges", "masses")}
    for _ in range(5):
        engine.run(1, "fire")
        for name, view in first.items():
            assert np.shares_memory(view, np.asarray(engine.arrays[name]))
            assert np.array_equal(view, engine.arrays[name])


@numpy2
def test_written_through_a_view(butane):
    engine, other = live(butane), live(butane)
    view = np.from_dlpack(engine.arrays["positions"])
    view[...] += 0.25
    engine.arrays["positions"].changed()
    other.set_all_positions(other.arrays["positions"].flat + 0.25)
    assert np.array_equal(engine.energy().energies, other.energy().energies)
    with pytest.raises(ValueError, match="read-only"):
        engine.arrays["positions"].flat[...] = 0


def test_other_libraries(butane):
    """Who takes DLPack asks for the device first, and may want a version or a copy."""

    class Consumer:
        def take(self, producer):
            assert tuple(map(int, producer.__dlpack_device__())) == (1, 0)
            return producer.__dlpack__()

    engine = live(butane)
    engine.energy()
    for row in array_table():
        array = engine.arrays[row.name]
        if np.asarray(array).size == 0:
            continue
        if row.writable:
            assert "dltensor" in repr(Consumer().take(array))
        else:  # this version of DLPack cannot say that nobody may write
            with pytest.raises(BufferError):
                Consumer().take(array)
    torch = pytest.importorskip("torch", reason="torch is not installed")
    tensor = torch.from_dlpack(engine.arrays["positions"])
    assert tensor.shape == (3, 14, 3)


def test_threads_take_turns(butane):
    engine, alone = live(butane), live(butane)
    failed = []

    def run():
        try:
            for _ in range(10):
                engine.run(2, "fire")
                assert np.isfinite(engine.arrays["energies"]).all()
        except Exception as error:  # noqa: BLE001
            failed.append(error)

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    alone.run(60, "fire")
    assert np.array_equal(engine.arrays["positions"], alone.arrays["positions"])


def test_callbacks_that_fail(butane):
    engine, alone = live(butane), live(butane)

    def fail(_engine):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        engine.run(10, "fire", every=4, callback=fail)
    engine.run(6, "fire")  # four were made
    alone.run(10, "fire")
    assert np.array_equal(engine.arrays["positions"], alone.arrays["positions"])


@pytest.mark.parametrize("steps", [0, -1, 1.5, "two", None, 2**31])
def test_steps_that_are_none(butane, steps):
    with pytest.raises(shoal.ArgumentError):
        live(butane).run(steps)


def test_copies(butane):
    engine = live(butane)
    engine.run(3, "fire")
    for made in (copy.copy(engine), pickle.loads(pickle.dumps(engine))):
        made.run(1, "fire")
        assert np.isfinite(made.arrays["energies"]).all()
    engine.run(1, "fire")
    assert engine.arrays["steps"][:].tolist() == [4, 4, 4]


def test_nobody_is_there():
    empty = shoal.Molecule([], np.zeros((0, 3)))
    engine = shoal.Engine(empty.topology(), [empty.positions] * 2)
    engine.run(2, "fire")
    assert engine.arrays["positions"].shape == (2, 0, 3)
    assert engine.arrays["bond.k"].shape[-1] == 0
    engine.arrays["charges"] = 1.0
    assert engine.energy().energies.shape == (2,)
