# SPDX-License-Identifier: BSD-3-Clause
# Runs: Ctrl-C, threads, progress, files that are gone on with.
import os
import re
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import shaken, slow_batch
from test_results import equal

import shoal


def press_ctrl_c(after):
    timer = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_ctrl_c_stops_in_order(butane):
    batch = slow_batch(butane)
    before = signal.getsignal(signal.SIGINT)
    timer = press_ctrl_c(0.4)
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt) as caught:
        batch.relax(fmax=1e-4)
    timer.join()
    assert time.monotonic() - begin < 10
    found = caught.value.results
    assert 0 <= len(found) < len(batch)
    assert found.converged.all() and found.index.tolist() == list(range(len(found)))
    assert signal.getsignal(signal.SIGINT) is before
    few = shoal.Batch(butane, positions=batch.systems.starts[0][:3], device="cpu").relax(fmax=1e-4)
    n = min(3, len(found))
    assert few.energy[:n].tolist() == found.energy[:n].tolist()


def test_ctrl_c_is_raised_where_a_handler_of_the_user_returns(butane):
    batch = slow_batch(butane)
    noted = []
    before = signal.signal(signal.SIGINT, lambda *_: noted.append(1))
    try:
        timer = press_ctrl_c(0.2)
        with pytest.raises(KeyboardInterrupt) as caught:  # never some of the results as if all
            batch.relax(fmax=1e-4)
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert noted == [1] and len(caught.value.results) < len(batch)


def test_an_error_in_a_callback_ends_the_run(butane):
    batch = slow_batch(butane)

    def tell(part, info):
        assert 0 <= part <= 1 and info.n_done >= 0
        raise RuntimeError("enough")

    begin = time.monotonic()
    with pytest.raises(RuntimeError, match="enough") as caught:
        batch.relax(fmax=1e-4, progress=tell)
    assert time.monotonic() - begin < 10 and len(caught.value.results) < len(batch)


def test_the_gil_is_released(butane):
    batch = slow_batch(butane, 4000)
    count, done = 0, threading.Event()

    def run():
        batch.relax(fmax=1e-4)
        done.set()

    thread = threading.Thread(target=run)
    thread.start()
    while not done.is_set():
        count += 1
        time.sleep(0.001)
    thread.join()
    assert count > 10  # it would be 0 or 1 if the thread held it


def test_two_threads_with_batches_of_their_own(butane, golden):
    jobs = {"butane": butane, "ethane": golden["ethane"]}
    found = {}

    def run(name, mol):
        found[name] = shoal.Batch(mol, positions=shaken(mol, 50), device="cpu", threads=1).relax()

    threads = [threading.Thread(target=run, args=item) for item in jobs.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name, mol in jobs.items():
        alone = shoal.Batch(mol, positions=shaken(mol, 50), device="cpu").relax()
        assert equal(alone, found[name])


def test_progress(butane, capsys):
    told = []
    batch = slow_batch(butane, 4000)
    batch.relax(fmax=1e-4, progress=lambda part, info: told.append((part, info.n_done)))
    assert told and all(0 <= part <= 1 for part, _ in told)
    assert told == sorted(told)
    batch.relax(fmax=1e-4, progress=True)
    assert "relax" in capsys.readouterr().err
    batch.energy()
    assert capsys.readouterr().err == ""


def test_save_while_it_runs(butane, tmp_path):
    path = tmp_path / "run.h5"
    batch = shoal.Batch(butane, positions=shaken(butane, 5), device="cpu")
    r = batch.relax(save=path)
    assert equal(r, shoal.load(path)) and equal(r, batch.relax())
    assert shoal.load(path).provenance["complete"]


def test_a_run_goes_on_where_it_ended(butane, tmp_path):
    path = tmp_path / "run.h5"
    batch = slow_batch(butane, 6000)

    def tell(part, info):
        if info.n_done > 100:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError):
        batch.relax(save=path, progress=tell)
    part = shoal.load(path)
    assert 0 < len(part) < 6000 and not part.provenance["complete"]
    r = batch.relax(save=path, resume=True)
    assert len(r) == 6000 and equal(r, batch.relax()) and equal(r, shoal.load(path))
    begin = time.monotonic()
    again = batch.relax(save=path, resume=True)  # nothing is left to do
    assert equal(again, r) and time.monotonic() - begin < 5


WORK = """
import sys, shoal
shoal.restart.CHECKPOINT_SECONDS = 0.2
sys.path.insert(0, sys.argv[2])
from conftest import TOP, slow_batch
batch = slow_batch(shoal.read(TOP / "examples" / "butane.sdf")[0], 100000)
batch.relax(save=sys.argv[1], progress=lambda part, info: print(info.n_done, flush=True))
"""


def test_a_run_that_was_killed_goes_on(butane, tmp_path):
    path, here = tmp_path / "run.h5", os.path.dirname(__file__)
    words = [sys.executable, "-c", WORK, str(path), here]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as run:
        point = tmp_path / "run.h5.checkpoint.old"  # the second checkpoint has come
        assert any(point.exists() and len(shoal.load(path)) > 100 for _ in run.stdout)
        run.kill()
    done = shoal.load(path)
    checkpoint = tmp_path / "run.h5.checkpoint"
    text = (checkpoint if checkpoint.exists() else point).read_bytes()  # killed between two renames
    n_kept = int(re.search(rb"\nnext (\d+)\n", text)[1])
    assert 0 < n_kept <= len(done)
    batch = slow_batch(butane, 100000)

    def tell(part, info):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError) as caught:
        batch.relax(save=path, resume=True, progress=tell)
    found = caught.value.results  # what was written behind the last checkpoint is computed again
    assert len(found) >= n_kept and found.index.tolist() == list(range(len(found)))
    n = min(len(found), len(done))
    assert equal(found[:n], done[:n])


def test_a_file_without_its_checkpoint_is_computed_anew_with_a_warning(butane, tmp_path, recwarn):
    path = tmp_path / "run.h5"
    batch = shoal.Batch(butane, device="cpu")
    r = batch.relax(save=path, resume=True)  # the first time there is nothing to go on with
    assert not recwarn.list
    (tmp_path / "run.h5.checkpoint").unlink()
    with pytest.warns(RuntimeWarning, match="no checkpoint yet; the run begins at the start"):
        assert equal(batch.relax(save=path, resume=True), r)


def test_ctrl_c_is_no_reason_for_a_warning(butane, tmp_path, recwarn):
    batch = slow_batch(butane)
    timer = press_ctrl_c(0.4)
    with pytest.raises(KeyboardInterrupt):
        batch.relax(fmax=1e-4, save=tmp_path / "run.h5")
    timer.join()
    assert [str(w.message) for w in recwarn.list] == []


def test_resume_refuses_another_run(butane, tmp_path):
    path = tmp_path / "run.h5"
    batch = shoal.Batch(butane, device="cpu")
    batch.relax(save=path)
    with pytest.raises(shoal.ArgumentError, match="fmax was 0.001"):
        batch.relax(fmax=0.1, save=path, resume=True)
    other = shoal.Batch(butane, positions=butane.positions + 1, device="cpu")
    with pytest.raises(shoal.ArgumentError, match="is of another run: options, systems"):
        other.relax(save=path, resume=True)
    with pytest.raises(shoal.ArgumentError, match="resume"):
        batch.relax(resume=True)


def model(r):
    return shoal.PairModel(
        form="morse", alpha=1.7, types={"C_3": {"r": r, "e": 0.004}, "H_": {"r": 1.4, "e": 0.002}}
    )


def bonded(k):
    return shoal.Topology.build("HH").bond(0, 1, k=k, r0=0.74).finish()


def charged(q):
    return shoal.Molecule("HH", [[0, 0, 0], [0, 0, 0.8]], charges=[q, -q])


def salt(alpha):
    return shoal.Surface.rocksalt("NaCl", size=(2, 2), layers=1, alpha=alpha)


@pytest.mark.parametrize(
    "make",
    [
        lambda x: shoal.Batch(charged(0.1), device="cpu", params=model(1.7 + x)),
        lambda x: shoal.Batch(charged(0.1), device="cpu", topologies=bonded(40 + x)),
        lambda x: shoal.Batch(charged(0.1), device="cpu", surface=salt(1.5 + x), grid="off"),
        lambda x: shoal.Batch(charged(0.1 + x), device="cpu"),
    ],
    ids=["params", "topologies", "surface", "charges"],
)
def test_resume_refuses_what_looks_alike(make, tmp_path):
    path = tmp_path / "run.h5"
    make(0.0).energy(save=path)
    assert len(make(0.0).energy(save=path, resume=True)) == 1
    with pytest.raises(shoal.ArgumentError, match="is of another run"):
        make(0.1).energy(save=path, resume=True)


def test_resume_begins_where_there_is_nothing(butane, tmp_path):
    r = shoal.Batch(butane, device="cpu").relax(save=tmp_path / "new.h5", resume=True)
    assert len(r) == 1


def test_a_small_call_costs_little(golden):
    batch = shoal.Batch(golden["water"], device="cpu")
    batch.relax()
    seconds = []
    for _ in range(50):
        begin = time.perf_counter()
        r = batch.relax()
        seconds.append(time.perf_counter() - begin - r.provenance["seconds"])
    assert min(seconds) < 1e-3  # of Python alone


def test_python_costs_little_beside_c(butane):
    """10 000 conformers: all but the time inside the stream is below a twentieth."""
    many = shaken(butane, 10000)
    shares = []
    for _ in range(2):
        begin = time.perf_counter()
        r = shoal.Batch(butane, positions=many, device="cpu").relax()
        energy, positions = r.energy, r.positions
        total = time.perf_counter() - begin
        shares.append(total / r.provenance["seconds"] - 1)
    assert len(energy) == 10000 and len(positions) == 10000
    assert min(shares) < 0.05


def test_large_numbers_of_molecules(golden):
    mols = [golden["water"].copy() for _ in range(300)]
    r = shoal.Batch(mols, device="cpu").energy()
    assert len(r) == 300 and len(np.unique(r.energy)) == 1
