# SPDX-License-Identifier: BSD-3-Clause
# Inputs for chemiscope: what is in them, and that chemiscope itself would write the same.
import gzip
import json

import numpy as np
import pytest
from made_run import made_run

from shoal import ArgumentError
from shoal.chemiscope import to_chemiscope


def test_structures_and_properties():
    run = made_run(20)
    data = to_chemiscope(run)
    kept = np.flatnonzero(np.isfinite(run.columns["systems/energy"]))
    assert len(data["structures"]) == len(kept) < 20
    assert f"{20 - len(kept)} without energies" in data["meta"]["description"]
    assert data["properties"]["energy"]["values"] == run.columns["systems/energy"][kept].tolist()
    assert data["properties"]["energy"]["units"] == "eV"
    assert {"bond energy", "status", "name", "fmax", "atoms"} <= set(data["properties"])
    assert all(len(p["values"]) == len(kept) for p in data["properties"].values())
    water = data["structures"][0]
    assert water["names"] == ["O", "H", "H"] and water["bonds"] == [[0, 1, 1], [0, 2, 1]]
    assert np.allclose(water["z"], run.columns["atoms/position"][:3, 2], atol=1e-5)
    chain = data["structures"][2]
    assert (
        chain["bonds"] == [[0, 1, 1]] and "cell" not in chain
    )  # one of two leads to the next cell
    for choice in data["settings"]["map"].values():
        assert choice["property"] in data["properties"]


def test_atoms_have_forces_and_charges():
    run = made_run(6)
    n = len(run.columns["atoms/number"])
    run.columns["atoms/force"] = np.tile([3.0, 4.0, 0.0], (n, 1))
    run.columns["atoms/charge"] = np.linspace(-1, 1, n)
    data = to_chemiscope(run, forces=True, charges=True)
    assert data["properties"]["force"]["target"] == "atom"
    assert set(data["properties"]["force"]["values"]) == {5.0}
    assert len(data["environments"]) == len(data["properties"]["charge"]["values"])
    with pytest.raises(ArgumentError, match="no forces"):
        to_chemiscope(made_run(3), forces=True)


def test_files(tmp_path):
    run = made_run(4)
    data = to_chemiscope(run, tmp_path / "a.json.gz", name="four")
    assert json.loads(gzip.decompress((tmp_path / "a.json.gz").read_bytes())) == data
    assert data["meta"]["name"] == "four"
    with pytest.raises(ArgumentError, match=".json"):
        to_chemiscope(run, tmp_path / "a.txt")
    assert [p.name for p in tmp_path.iterdir()] == ["a.json.gz"]
    with pytest.raises(ArgumentError, match="no systems"):
        to_chemiscope(made_run(0))


def test_chemiscope_writes_the_same():
    chemiscope = pytest.importorskip("chemiscope")
    ase = pytest.importorskip("ase")
    data = to_chemiscope(made_run(6))
    atoms = [
        ase.Atoms(s["names"], np.transpose([s["x"], s["y"], s["z"]])) for s in data["structures"]
    ]
    theirs = chemiscope.create_input(
        structures=atoms,
        properties={k: dict(v) for k, v in data["properties"].items()},
        metadata=data["meta"],
        settings=data["settings"],
    )
    assert theirs["meta"] == data["meta"]
    assert theirs["properties"] == data["properties"]
    ours = [{k: v for k, v in s.items() if k != "bonds"} for s in data["structures"]]
    assert theirs["structures"] == ours


def test_units_of_coordinates_and_places_of_atoms():
    """Coordinates of a scan have their units; environments count the structures that are there."""
    run = made_run(6)
    n = len(run)
    run.coordinates = [("distance:0,1", np.arange(3.0)), ("torsion:0,1,2,3", np.arange(3.0))]
    run.points = np.tile([1.0, 60.0], (n, 1))
    found = to_chemiscope(run)["properties"]
    assert found["distance:0,1"]["units"] == "Å" and found["torsion:0,1,2,3"]["units"] == "degrees"
    run.columns["atoms/charge"] = np.zeros(len(run.columns["atoms/number"]))
    run.columns["systems/energy"][0] = np.nan  # the first is left out
    data = to_chemiscope(run, charges=True)
    sizes = [s["size"] for s in data["structures"]]
    assert len(sizes) < n
    want = [(k, a) for k, size in enumerate(sizes) for a in range(size)]
    assert [(e["structure"], e["center"]) for e in data["environments"]] == want
