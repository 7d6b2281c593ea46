# SPDX-License-Identifier: BSD-3-Clause
# Results: views, single systems, subsets, files, pickling.
import gc
import os
import pickle
import subprocess
import weakref

import numpy as np
import pytest
from conftest import TOP, hexavalent, shaken

import shoal


@pytest.fixture
def results(golden):
    mols = [golden["water"], hexavalent(), golden["ethane"], golden["formamide"]]
    mols[2].set_property("note", "kept")
    return shoal.Batch(mols, device="cpu").relax()


def equal(a, b):
    """All columns are the same, bit for bit."""
    assert a._table.columns.keys() == b._table.columns.keys()
    for name, column in a._table.columns.items():
        assert column.tobytes() == b._table.columns[name].tobytes(), name
    return True


def test_ragged_arrays_are_views(results):
    assert results.positions.flat.shape == (3 + 7 + 8 + 6, 3)
    for ragged in (results.positions, results.forces, results.charges, results.numbers):
        for i in range(len(results)):
            assert np.shares_memory(ragged[i], ragged.flat)
            assert len(ragged[i]) == len(results[i])
    assert np.shares_memory(results.positions.flat, results.positions.flat)
    assert np.shares_memory(results.energy, results.energy)
    assert np.shares_memory(results.terms["bond"], results.column("systems/terms"))
    assert not results.energy.flags.writeable
    with pytest.raises(ValueError, match="do not stack"):
        results.positions.stack()


def test_views_outlive_the_results(golden):
    energy = shoal.Batch(golden["water"], device="cpu").energy().energy
    forces = shoal.Batch(golden["water"], device="cpu").energy().forces[0]
    gc.collect()
    junk = [np.ones(1000) for _ in range(100)]
    again = shoal.Batch(golden["water"], device="cpu").energy()
    assert energy[0] == again.energy[0] and np.array_equal(forces, again.forces[0])
    del junk


def test_memory_goes_at_once(golden, tmp_path):
    """Nothing waits for Python to look for cycles, which it does not find through arrays."""
    gc.disable()
    try:
        batch = shoal.Batch(golden["water"], device="cpu")
        r = batch.relax(every=1, save=tmp_path / "run.h5")
        seen = (r.energy, r.positions[0], r.frames.forces, r[0].molecule)
        r.write(tmp_path / "run.sdf")
        surface = shoal.Surface.graphene(size=(1, 1))
        grid = surface.grid(step=0.5, samples=0)
        things = (r, r._table._rows, r.frames._table._rows, batch, surface, grid, golden["water"])
        gone = [weakref.ref(thing) for thing in things]
        del r, batch, surface, grid, things, seen
        golden.clear()
        assert [ref() for ref in gone] == [None] * len(gone)
    finally:
        gc.enable()


def test_memory_of_c_is_given_back(butane):
    batch = shoal.Batch(butane, positions=shaken(butane, 500), device="cpu")

    def grown(n):
        for _ in range(n):
            assert batch.energy().forces.flat is not None and butane.copy() is not None
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    assert -grown(20) + grown(50) < 10e6  # it would be 40 MB


def test_terms_add_up(results):
    total = sum(results.terms[name] for name in results.terms.dtype.names)
    assert np.allclose(total[results.ok], results.energy[results.ok], rtol=0, atol=1e-12)


def test_single_systems(results):
    one = results[2]
    assert one.name == "ethane" and one.status == "converged" and one.converged and one.ok
    assert one.energy == results.energy[2] and one.steps == results.steps[2] > 0
    assert one.numbers.tolist().count(6) == 2 and one.types[0] == "C_3"
    assert results[-1].name == "formamide" and results[1].reason == results.reason[1]
    assert one.molecule.properties["note"] == "kept"
    assert np.array_equal(one.molecule.positions, one.positions)
    assert [r.name for r in results] == results.name
    with pytest.raises(IndexError):
        results[4]


def test_subsets(results):
    good = results[results.ok]
    assert len(good) == 3 and good.name == ["water", "ethane", "formamide"]
    assert good.energy.tolist() == results.energy[results.ok].tolist()
    assert results[1:3].name == ["hexavalent", "ethane"]
    assert results[[3, 0]].name == ["formamide", "water"]
    assert len(results[np.zeros(4, bool)]) == 0 and len(results[[]]) == 0
    with pytest.raises(IndexError, match="mask"):
        results[np.ones(3, bool)]


def test_molecules_are_a_sequence(results):
    assert len(results.molecules) == 4 and results.molecules[0].name == "water"
    assert [m.name for m in results.molecules[2:]] == ["ethane", "formamide"]


def test_save_and_load(results, tmp_path, program):
    results.save(tmp_path / "run.h5")
    back = shoal.load(tmp_path / "run.h5")
    assert equal(results, back)
    assert back.provenance["options"]["fmax"] == 0.001 and back.provenance["complete"]
    assert back.provenance["device"] == "cpu" and back.provenance["command"].startswith(
        "Batch.relax"
    )
    assert [m.name for m in shoal.read(tmp_path / "run.h5")] == results.name
    words = [program, "convert", tmp_path / "run.h5", "-o", tmp_path / "run.xyz"]
    subprocess.run(words, capture_output=True, timeout=60)
    assert "formamide" in (tmp_path / "run.xyz").read_text()


def test_files_of_the_program_are_loaded(tmp_path, program, golden):
    golden["water"].write(tmp_path / "water.xyz")
    words = [program, "relax", tmp_path / "water.xyz", "-o", tmp_path / "run.h5"]
    subprocess.run(words, check=True, capture_output=True, timeout=60)
    r = shoal.load(tmp_path / "run.h5")
    mine = shoal.Batch(shoal.read(tmp_path / "water.xyz"), device="cpu").relax()
    assert r.energy.tolist() == mine.energy.tolist() and r.provenance["program"]
    assert np.array_equal(r.positions[0], mine.positions[0]) and r.file == [
        str(tmp_path / "water.xyz")
    ]


def test_pickling(results, tmp_path):
    results.write(tmp_path / "before.sdf")  # leaves nothing behind that cannot be pickled
    back = pickle.loads(pickle.dumps(results))
    assert equal(results, back) and back.provenance == results.provenance
    empty = pickle.loads(pickle.dumps(results[[]]))
    assert len(empty) == 0


@pytest.mark.parametrize("name", ["run.sdf", "run.xyz", "run.sdf.gz"])
def test_write(results, tmp_path, name):
    results[results.ok].write(tmp_path / name)
    back = shoal.read(tmp_path / name)
    assert [m.name for m in back] == ["water", "ethane", "formamide"]
    assert float(back[0].properties["energy"]) == results.energy[0]
    assert back[1].properties["status"] == "converged"
    assert np.allclose(back[2].positions, results.positions[3], atol=1e-4)


@pytest.mark.parametrize("ending", ["sdf", "xyz"])
def test_molecule_files_are_those_of_the_program(program, tmp_path, ending):
    source = TOP / "examples" / "demo.sdf"
    mine, its = tmp_path / f"mine.{ending}", tmp_path / f"its.{ending}"
    shoal.Batch(source, device="cpu").relax().write(mine)
    subprocess.run([program, "relax", source, "-o", its], capture_output=True, timeout=60)
    assert mine.read_bytes() == its.read_bytes()


def test_dataframe(results):
    pandas = pytest.importorskip("pandas")
    frame = results.to_dataframe()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == 4
    assert frame["energy"].tolist()[0] == results.energy[0]
    assert frame["bond"].tolist()[0] == results.terms["bond"][0]
    assert frame["status"].tolist() == results.status.tolist()


def test_what_was_not_asked_for(golden):
    r = shoal.Batch(golden["water"], device="cpu").energy(forces=False)
    with pytest.raises(AttributeError, match="forces=True"):
        r.forces
    with pytest.raises(AttributeError, match="adsorption=True"):
        r.adsorption_energy
    with pytest.raises(shoal.ArgumentError, match="systems/energy"):
        r.column("systems/enrgy")


def test_reprs(results):
    assert "3 converged" in repr(results) and "1 untyped" in repr(results)
    html = results._repr_html_()
    assert html.count("<tr>") == 5 and "hexavalent" in html
    assert "untyped" in repr(results[1])
    assert "no systems" in repr(results[[]])


def test_provenance(golden):
    copies = shoal.Copies(1, seed=7)
    batch = shoal.Batch(golden["water"], device="cpu", charges="qeq", copies=copies)
    r = batch.relax(fmax=0.02)
    told = r.provenance
    assert told["options"]["charges"] == "qeq" and told["options"]["fmax"] == 0.02
    assert told["seed"] == 7 and told["device"] == "cpu" and shoal.__version__ in told["program"]


def test_many_conformers_stack_without_a_copy(butane):
    r = shoal.Batch(butane, positions=shaken(butane, 20), device="cpu").energy()
    assert np.shares_memory(r.forces.stack(), r.forces.flat)
    assert r.forces.stack().shape == (20, len(butane), 3)
    assert np.asarray(r.forces).shape == (20, len(butane), 3)


def test_whose_charges(tmp_path):
    """The file's charges switch Coulomb energies on; results say so, also those of a file."""
    text = "3\nProperties=species:S:1:pos:R:3:charge:R:1\n"
    text += "O 0 0 0 -0.8\nH 0.96 0 0 0.4\nH -0.24 0.93 0 0.4\n"
    text += "3\n\nO 0 0 0\nH 0.96 0 0\nH -0.24 0.93 0\n"
    path = tmp_path / "waters.xyz"
    path.write_text(text)
    wanted = {"auto": ["file", "none"], "none": ["none"] * 2, "qeq": ["qeq"] * 2}
    for charges, words in wanted.items():
        found = shoal.Batch(str(path), device="cpu", charges=charges).energy()
        assert list(found.charges_from) == words
        found.save(tmp_path / f"{charges}.h5")
        assert list(shoal.load(tmp_path / f"{charges}.h5").charges_from) == words
