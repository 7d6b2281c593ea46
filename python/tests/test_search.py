# SPDX-License-Identifier: BSD-3-Clause
"""Searches from Python find the minima of 'shoal search', bit for bit."""

import pickle

import numpy as np
import pytest
from program import EXAMPLES, rows_of, stop_when

import shoal
from shoal._lib import ArgumentError

DEMO = EXAMPLES / "demo.sdf"
BUTANE = EXAMPLES / "butane.sdf"
FOUND = stop_when(lambda info: info.n_done > 0)


def batch(path=DEMO, **keywords):
    return shoal.Batch(shoal.read(path), device="cpu", **keywords)


def compare(r, rows):
    assert len(r) == len(rows)
    for name in (
        "rank",
        "energy",
        "relative_energy",
        "count",
        "copies",
        "weight",
        "molecule",
        "start",
        "fmax",
        "name",
    ):
        assert list(getattr(r, name)) == [row[name] for row in rows], name
    for i, row in enumerate(rows):
        assert r.positions[i].tolist() == row["positions"]
        assert r.forces[i].tolist() == row["forces"]


def test_same_bits_as_the_program():
    r = batch().search(starts=20)
    compare(r, rows_of("search", "-q", "--json", "--positions", "--forces", "--starts", 20, DEMO))
    assert r.counts.molecules == len(shoal.read(DEMO)) and r.counts.relaxations > 20
    assert (r.fmax < 1e-6).mean() > 0.5  # polished


def test_options():
    options = [
        "--starts",
        6,
        "--kicks",
        4,
        "--kick-temperature",
        500,
        "--seed",
        3,
        "--window",
        1,
        "--same-energy",
        0.001,
        "--same-rmsd",
        0.05,
        "--temperature",
        350,
        "--patience",
        0,
        "--no-polish",
        "--fmax",
        0.002,
    ]
    r = batch(BUTANE).search(
        starts=6,
        kicks=4,
        kick_temperature=500,
        seed=3,
        window=1,
        same_energy=0.001,
        same_rmsd=0.05,
        temperature=350,
        patience=0,
        polish=False,
        fmax=0.002,
    )
    compare(r, rows_of("search", "-q", "--json", "--positions", "--forces", *options, BUTANE))
    assert r.counts.relaxations == 30


def test_free_energies_weigh():
    r = batch(BUTANE).search(starts=20, free_energies=True, temperature=600)
    rows = rows_of(
        "search", "-q", "--json", "--positions", "--forces", "--starts", 20, "--free-energies",
        "--temperature", 600, BUTANE,
    )  # fmt: skip
    compare(r, rows)
    assert r.free_energy.tolist() == [row["free_energy"] for row in rows]
    part = r.copies * np.exp(-(r.free_energy - r.free_energy[0]) / (8.617333262e-5 * 600))
    assert np.allclose(r.weight, part / part.sum())
    plain = batch(BUTANE).search(starts=20, temperature=600)
    assert np.isnan(plain.free_energy).all() and abs(plain.weight[0] - r.weight[0]) > 0.01
    with pytest.raises(ArgumentError, match="free_energies: expected polish=True"):
        batch(BUTANE).search(starts=2, free_energies=True, polish=False)


def test_minima_are_results(tmp_path):
    r = batch().search(starts=20)
    assert (r.status == "converged").all() and np.isclose(r.of(2).weight.sum(), 1)
    assert r.of(2).rank.tolist() == list(range(1, len(r.of(2)) + 1))
    assert r[0].molecule.name == r.name[0]
    r.write(tmp_path / "minima.sdf")
    assert len(shoal.read(tmp_path / "minima.sdf")) == len(r)
    again = pickle.loads(pickle.dumps(r))
    assert again.minima.tobytes() == r.minima.tobytes() and again.counts == r.counts
    with pytest.raises(ArgumentError, match="part or a copy"):
        again.picture(tmp_path / "x.svg")
    with pytest.raises(ArgumentError, match="surface"):
        r.picture(tmp_path / "x.svg")


def test_on_a_surface(tmp_path):
    water = shoal.Molecule("OHH", [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]])
    top = shoal.Surface.rocksalt("NaCl", size=(2, 2), layers=2)
    r = shoal.Batch(water, surface=top, grid="off", device="cpu", charges="qeq").search(
        starts=12, free_energies=True
    )
    assert len(r) > 0 and (r.adsorption_energy < 0).all()
    assert (r.free_energy > r.energy).all()  # no rotation, six more vibrations
    assert r.adsorption_energy[0] == r.minima["adsorption_energy"][0]
    assert (np.diff(r.energy) >= 0).all()
    r.picture(tmp_path / "sites.svg")
    assert "<svg" in (tmp_path / "sites.svg").read_text()
    pytest.importorskip("matplotlib").use("Agg")
    r.picture(tmp_path / "sites.png")
    assert (tmp_path / "sites.png").read_bytes().startswith(b"\x89PNG")


def test_ctrl_c_gives_what_was_found():
    with pytest.raises(KeyboardInterrupt) as caught:
        batch(BUTANE, threads=1).search(starts=2000000, patience=0, progress=FOUND)
    assert 1 <= len(caught.value.results) <= 30  # flat valleys are not polished
    assert 0 < caught.value.results.counts.relaxations < 2000000


def test_a_search_goes_on_from_its_journal(tmp_path):
    path = tmp_path / "search.work"
    options = {"starts": 4000, "kicks": 1, "seed": 2, "patience": 0}
    whole = batch(BUTANE).search(**options)
    with pytest.raises(KeyboardInterrupt) as caught:
        batch(BUTANE, threads=1).search(**options, journal=path, progress=FOUND)
    assert 0 < caught.value.results.counts.relaxations < 8000
    part, point = tmp_path / "search.work.partial", tmp_path / "search.work.checkpoint"
    written, saved = part.read_bytes(), point.read_bytes()
    with pytest.raises(ArgumentError, match="is of another run: seed was 2 there and is 3 now"):
        batch(BUTANE).search(**{**options, "seed": 3}, journal=path, resume=True)
    batch(BUTANE).search(starts=2, journal=path)  # not meant to go on: the journal is kept
    assert (tmp_path / "search.work.partial.old").read_bytes() == written
    assert not part.exists() and not point.exists() and not path.exists()
    part.write_bytes(written + b"half of it")  # as if it had been killed in the middle of an entry
    point.write_bytes(saved)
    seen = []
    r = batch(BUTANE).search(
        **options, journal=path, resume=True, progress=lambda _, info: seen.append(info.n_done)
    )
    assert r.minima.tobytes() == whole.minima.tobytes() and r.counts == whole.counts
    assert np.array_equal(r.positions.flat, whole.positions.flat)
    assert 0 < seen[-1] < 8000  # some of them were in the journal
    assert not any(p.exists() for p in (path, part, point))
    path.write_text("of the user")
    for resume in (False, True):
        with pytest.raises(ArgumentError, match="no journal"):
            batch(BUTANE).search(starts=2, journal=path, resume=resume)
    assert path.read_text() == "of the user"


WRONG = [
    (dict(starts=0), "starts"),
    (dict(window=-1), "window"),
    (dict(same_rmsd=0), "same_rmsd"),
    (dict(kicks=-1), "kicks"),
    (dict(seed=1.5), "seed"),
]


@pytest.mark.parametrize("keywords, text", WRONG)
def test_what_makes_no_sense_is_refused(keywords, text):
    with pytest.raises(ArgumentError, match=text):
        batch().search(**keywords)
