# SPDX-License-Identifier: BSD-3-Clause
"""Dask: shares of a relaxation on a local cluster of two workers, one of which is killed."""

import os
import signal

import numpy as np
import pytest

pytest.importorskip("distributed", reason="Dask distributed is not installed")

from distributed import Client, LocalCluster  # noqa: E402

import shoal  # noqa: E402
import shoal.dask as bridge  # noqa: E402


def ethanols(n=26):
    """Molecules of one kind in different geometries, and one that cannot be typed."""
    rng = np.random.default_rng(3)
    symbols = ["C", "C", "O", "H", "H", "H", "H", "H", "H"]
    positions = np.array(
        [
            [1.17, -0.40, 0.0], [0.0, 0.56, 0.0], [-1.19, -0.21, 0.0], [-1.95, 0.38, 0.0],
            [2.10, 0.15, 0.0], [1.14, -1.04, 0.89], [1.14, -1.04, -0.89], [0.04, 1.20, 0.89],
            [0.04, 1.20, -0.89],
        ]
    )  # fmt: skip
    bonds = [(0, 1, 1), (1, 2, 1), (2, 3, 1), (0, 4, 1), (0, 5, 1), (0, 6, 1), (1, 7, 1), (1, 8, 1)]
    out = []
    for k in range(n):
        moved = positions + rng.normal(0, 0.08, positions.shape)
        out.append(shoal.Molecule(symbols, moved, bonds, name=f"ethanol {k}"))
    strange = shoal.Molecule(["C", "Ds"], [[0, 0, 0], [0, 0, 2.0]], [(0, 1, 1)], name="strange")
    return [*out[:5], strange, *out[5:]]


def test_mols_are_sent_whole():
    chem = pytest.importorskip("rdkit.Chem", reason="RDKit is not installed")
    mol = chem.MolFromSmiles("[He]")
    mol.SetProp("_Name", "helium")
    mol.AddConformer(chem.Conformer(1))
    mol.GetConformer().SetAtomPosition(0, [0.1, 1 / 3, 2 / 3])
    (piece,) = bridge._pieces([mol], 1)
    (sent,) = map(bridge._unpacked, piece["systems"])
    assert sent.GetProp("_Name") == "helium"
    assert (sent.GetConformer().GetPositions() == mol.GetConformer().GetPositions()).all()


@pytest.fixture(scope="module")
def client():
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def test_copies_of_systems_in_memory_are_refused(client):
    with pytest.raises(shoal.ArgumentError, match="copies"):
        bridge.relax(client, ethanols(2), copies=2, device="cpu")


@pytest.fixture(scope="module")
def wanted():
    return shoal.Batch(ethanols(), device="cpu").relax(fmax=0.02)


def check_same(found, wanted):
    """Every number and text in the same order, to the bit."""
    assert len(found) == len(wanted)
    for path in (
        "systems/energy",
        "systems/fmax",
        "systems/steps",
        "systems/index",
        "systems/status",
    ):
        np.testing.assert_array_equal(found.column(path), wanted.column(path))
    assert np.array_equal(found.positions.flat, wanted.positions.flat)
    assert found.name == wanted.name and found.reason == wanted.reason


@pytest.mark.parametrize("shares", [1, 7])
def test_molecules(client, wanted, shares):
    found = bridge.relax(client, ethanols(), shares=shares, device="cpu", fmax=0.02)
    check_same(found, wanted)
    assert found.status[5] == "untyped" and "atom 1" in found.reason[5]


def test_files(client, wanted, tmp_path):
    molecules = ethanols()
    shoal.write(tmp_path / "a.sdf", molecules[:11])
    shoal.write(tmp_path / "b.sdf", molecules[11:])
    files = [tmp_path / "a.sdf", tmp_path / "b.sdf"]
    told = []
    found = bridge.relax(
        client,
        files,
        shares=5,
        device=["cpu", "cpu"],
        fmax=0.02,
        save=tmp_path / "run.h5",
        progress=lambda part, n: told.append((part, n)),
    )
    check_same(found, shoal.Batch([str(f) for f in files], device="cpu").relax(fmax=0.02))
    assert told == [(k / 5, k) for k in range(1, 6)]
    check_same(shoal.load(tmp_path / "run.h5"), found)


def test_the_share_of_a_lost_worker_is_done_again(client, wanted):
    """A worker is killed that holds the results of a share: they are computed again."""
    pids = client.run(os.getpid)
    lost = []

    def kill(_part, done):
        holders = [worker for worker, keys in client.has_what().items() if keys]
        if not lost and holders:
            lost.append(holders[0])
            os.kill(pids[holders[0]], signal.SIGKILL)

    found = bridge.relax(client, ethanols(), shares=6, device="cpu", fmax=0.02, progress=kill)
    check_same(found, wanted)
    assert lost and lost[0] not in client.run(os.getpid)


def test_errors_come_back(client):
    with pytest.raises(shoal.ArgumentError, match="method"):
        bridge.relax(client, ethanols(3), device="cpu", method="newton", retries=0)
    with pytest.raises(shoal.ArgumentError, match="got both"):
        bridge.relax(client, ["a.sdf", ethanols(1)[0]])
    with pytest.raises(shoal.ArgumentError, match="client"):
        bridge.relax(None, "a.sdf")


def test_device_by_number():
    assert [bridge._worker_number(name) for name in (0, 3, "gpu-12", "tcp", "n2-w7")] == [
        0,
        3,
        12,
        0,
        7,
    ]
