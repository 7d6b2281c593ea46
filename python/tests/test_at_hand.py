# SPDX-License-Identifier: BSD-3-Clause
# What users reach for: parts of results, units, files by their names, what is missing, odd arrays.
import inspect
import subprocess
import sys

import numpy as np
import pytest
from ase import Atoms
from ase.build import fcc111
from program import EXAMPLES, program_path
from rdkit import Chem
from rdkit.Chem import AllChem

import shoal
import shoal.ase
import shoal.rdkit
from shoal.options import FMAX, MAX_STEPS

OHH = np.array([[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]])
KCAL = shoal.units.factor("kcal/mol")  # of an eV


def water(**options):
    return shoal.Molecule("OHH", OHH, **options)


@pytest.fixture(scope="module")
def demo():
    return shoal.Batch(EXAMPLES / "demo.sdf", device="cpu").relax(fmax=0.01, max_steps=30)


# --- results ---


def test_where(demo):
    done = demo.where(status="converged")
    assert len(done) == 8 and set(done.status) == {"converged"} and done.name[1] == "ethanol"
    assert len(demo.where(status=["converged", "max_steps"])) == len(demo)
    assert demo.where(name="ethanol", converged=True).index.tolist() == [1]
    low = demo.where(energy=lambda e: e < 0.1)
    assert (low.energy < 0.1).all() and len(low) == int((demo.energy < 0.1).sum())
    for wrong, words in (
        ({"status": "convergd"}, "status: expected one of ok, converged"),
        ({"colour": 1}, "expected a property .* got 'colour'"),
        ({"_table": 1}, "expected a property"),
        ({"positions": 1}, "expected a property"),
        ({"energy": "low"}, "energy: expected values as energy has them"),
    ):
        with pytest.raises(shoal.ArgumentError, match=words):
            demo.where(**wrong)


def test_units(demo):
    assert KCAL == pytest.approx(1.602176634e-19 * 6.02214076e23 / 4184, rel=1e-12)
    assert demo.get("energy", units="kcal/mol") == pytest.approx(demo.energy * KCAL, rel=1e-12)
    assert demo.get("vdw", units="kJ/mol") == pytest.approx(demo.terms["vdw"] * KCAL * 4.184)
    hartree = demo.get("energy", "Hartree")
    assert hartree == pytest.approx(demo.energy / 27.211386245988, rel=1e-10)
    frame, plain = demo.to_dataframe(units="kcal/mol"), demo.to_dataframe()
    assert frame["fmax"].to_numpy() == pytest.approx(plain["fmax"].to_numpy() * KCAL)
    assert (frame["steps"] == plain["steps"]).all() and frame.attrs["units"] == "kcal/mol"
    short = demo.to_dataframe(units="kcal")
    assert short.equals(frame) and short.attrs == frame.attrs
    assert demo.get("energy", units="meV") == pytest.approx(demo.energy * 1000, rel=1e-15)
    with pytest.raises(shoal.ArgumentError, match="units: steps is no energy"):
        demo.get("steps", units="kcal/mol")
    with pytest.raises(shoal.ArgumentError, match="units: expected 'eV' or 'meV' or 'kcal/mol'"):
        demo.to_dataframe(units="cal")


def test_one_default_device(monkeypatch):
    """That of the program; a long run on it is told of a GPU that stood idle."""
    asked = []

    def left_idle(device, seconds):
        asked.append((device, seconds))
        return "opencl:7"

    batch = shoal.Batch([water()])
    assert batch.device == "cpu" and shoal.device.left_idle("cpu", 1.0) == ""
    monkeypatch.setattr("shoal.run.left_idle", left_idle)
    with pytest.warns(RuntimeWarning, match="idle meanwhile: device='auto' takes opencl:7"):
        batch.energy()
    ((device, seconds),) = asked
    assert device == "cpu" and 0 < seconds < 30


def test_printed_results_count_warnings_by_kind():
    lacks = [shoal.Molecule("CO", [[0, 0, 0], [1.43, 0, 0]], [(0, 1, 1)], name=n) for n in "ab"]
    found = shoal.Batch([*lacks, water()], device="cpu").energy()
    assert [bool(text) for text in found.warning] == [True, True, False]
    kind, *others = found.warning_kinds
    assert (kind.count, kind.first) == (2, 0) and kind.text in found.warning[0]
    assert all(one.count == 2 for one in others)
    assert repr(found).endswith("2 with warnings>")
    assert str(found).splitlines()[1] == f"  2 x a: {kind.text}", str(found)
    assert "2 x a" in found._repr_html_()
    assert str(found[2:3]).count("\n") == 0


def test_save_does_what_the_name_says(demo, tmp_path):
    demo.save(tmp_path / "a.xyz")
    demo.write(tmp_path / "b.xyz")
    assert (tmp_path / "a.xyz").read_bytes() == (tmp_path / "b.xyz").read_bytes()
    demo.save(tmp_path / "a.h5")
    assert np.array_equal(shoal.load(tmp_path / "a.h5").energy, demo.energy)
    demo.save(tmp_path / "a.csv")
    lines = (tmp_path / "a.csv").read_text().splitlines()
    assert len(lines) == 1 + len(demo) and lines[0].startswith("index,file,record,name,")
    convert = [program_path(), "convert", tmp_path / "a.h5", "-o", tmp_path / "b.csv"]
    subprocess.run(convert, check=True, capture_output=True)
    assert (tmp_path / "b.csv").read_text().splitlines() == lines
    for name in ("a.json", "a.png", "a"):
        with pytest.raises(shoal.ArgumentError, match="expected"):
            demo.save(tmp_path / name)
    batch = shoal.Batch(water(), device="cpu")
    for call in (batch.relax, batch.energy, lambda save: batch.md(steps=2, save=save)):
        with pytest.raises(shoal.ArgumentError, match="save: expected a file of results"):
            call(save=tmp_path / "c.xyz")
    assert not (tmp_path / "c.xyz").exists()


def test_notebook_tables():
    search = shoal.Batch(EXAMPLES / "butane.sdf", device="cpu").search(starts=5)
    page = search._repr_html_()
    for heading in ("rank", "weight", "copies", "above / eV"):
        assert f"<th>{heading}</th>" in page
    modes = shoal.Batch(water(), device="cpu").modes()
    page = modes._repr_html_()
    assert "<td>minimum</td>" in page and "<td>1757, 3706, 3760</td>" in page
    salt = shoal.Surface.rocksalt("NaCl", size=(2, 2), layers=2)
    on = shoal.Batch(
        water(), surface=salt, grid="off", placement=shoal.Placement(height=2.5), device="cpu"
    ).energy(adsorption=True)
    assert f"<td>{on.adsorption_energy[0]:.4f}</td>" in on._repr_html_()
    md = shoal.Batch(water(), device="cpu").md(steps=4)
    assert "mean temperature / K" in md._repr_html_()
    scan = shoal.Batch(water(), device="cpu").scan("distance:0,1=0.9:1.1:0.1")
    page = scan._repr_html_()
    assert "<th>distance:0,1 / Å</th>" in page and "<td>1.1</td>" in page


# --- files that are not there, packages that are not installed ---


def test_missing_files_are_file_not_found(tmp_path):
    here = tmp_path / "nothing.xyz"
    for call in (
        lambda: shoal.read(here),
        lambda: shoal.load(here),
        lambda: shoal.Batch(here),
        lambda: shoal.PairModel.read(here),
        lambda: shoal.PairModel(types=here),
        lambda: shoal.Surface.read(here),
        lambda: shoal.Grid.read(here, shoal.Surface.rocksalt("NaCl", size=(1, 1))),
        lambda: water().write(tmp_path / "no" / "folder.xyz"),
        lambda: shoal.report.write(here, tmp_path / "a.html"),
    ):
        with pytest.raises(FileNotFoundError) as caught:
            call()
        assert isinstance(caught.value, shoal.FileError) and "no" in str(caught.value)
    (tmp_path / "locked").mkdir()
    with pytest.raises(shoal.FileError) as caught:
        water().write(tmp_path / "locked" / ".." / "locked.xyz" / "a.xyz")


WITHOUT = """
import sys
class Gone:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {gone!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Gone())
import shoal
try:
    {code}
except ImportError as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize(
    "gone, code, words",
    [
        ("rdkit", "import shoal.rdkit", "shoal.rdkit needs rdkit: pip install rdkit"),
        ("rdkit", "shoal.Molecule('H', [[0, 0, 0]]).to_rdkit()", "pip install rdkit"),
        ("ase", "shoal.ase.relax_many", "shoal.ase needs ase: pip install ase"),
        ("distributed", "shoal.dask", "pip install distributed"),
        ("matplotlib", "shoal.Batch(shoal.Molecule('H', [[0, 0, 0]]), device='cpu')"
         ".energy().plot.energies()", "shoal.plot needs matplotlib: pip install matplotlib"),
        ("pandas", "shoal.Batch(shoal.Molecule('H', [[0, 0, 0]]), device='cpu')"
         ".energy().to_dataframe()", "to_dataframe needs pandas: pip install pandas"),
    ],
)  # fmt: skip
def test_packages_that_are_missing_are_named_with_the_line_to_type(gone, code, words):
    script = WITHOUT.format(gone={gone}, code=code)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.startswith("MissingPackageError ") and words in done.stdout, done


# --- arrays as they come ---


def test_arrays_that_numpy_would_change_in_silence_are_refused():
    masked = np.ma.masked_array(OHH, mask=np.eye(3, dtype=bool))
    for wrong, words in (
        (OHH + 1j, "positions: expected real numbers, got complex ones"),
        (masked, "positions: expected numbers, got a masked array"),
        (OHH.astype(str), "positions: expected real numbers"),
        (OHH.astype(bool), "positions: .* got truth values"),
        ([[0, 0, None]] * 3, "positions: expected real numbers"),
        (OHH.astype("M8[s]"), "positions: expected real numbers"),
    ):
        with pytest.raises(shoal.ArgumentError, match=words):
            water().positions = wrong
        with pytest.raises(shoal.ArgumentError, match=words):
            shoal.Batch(water(), positions=wrong)


@pytest.mark.parametrize(
    "change",
    [
        lambda a: np.asfortranarray(a),
        lambda a: np.repeat(a, 2, axis=0)[::2],
        lambda a: a.astype(">f8"),
        lambda a: np.ma.masked_array(a),
        lambda a: a[:, ::-1].copy()[:, ::-1],
        lambda a: a.tolist(),
    ],
)
def test_arrays_of_any_layout_are_the_same_numbers(change):
    wanted = shoal.Batch(water(), device="cpu").energy().energy
    made = change(OHH)
    if isinstance(made, np.ndarray):
        made.flags.writeable = False
    assert shoal.Batch(shoal.Molecule("OHH", made), device="cpu").energy().energy == wanted
    assert shoal.Batch(water(), positions=made, device="cpu").energy().energy == wanted


def test_arrays_of_molecules_and_results_are_read_only():
    found = shoal.Batch(water(), device="cpu").energy()
    for array in (water().positions, found.energy, found.positions[0], found[0].forces):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


# --- one bad system ---


def test_one_system_that_is_nowhere_fails_alone():
    nowhere = OHH.copy()
    nowhere[1, 2] = np.nan
    wanted = shoal.Batch(water(), device="cpu").relax()
    alone = "the position of atom 1 (H) is not finite"
    for found in (
        shoal.Batch(water(), positions=np.array([OHH, nowhere]), device="cpu").relax(),
        shoal.Batch([water(), water()], positions=[OHH, nowhere], device="cpu").relax(),
    ):
        assert found.status.tolist() == ["converged", "not_finite"] and found.reason[1] == alone
        assert found.energy[0] == wanted.energy[0]
    images = [Atoms("OHH", OHH), Atoms("OHH", nowhere)]
    found = shoal.Batch(images, device="cpu").relax()
    assert found.status[0] == "converged" and not found.ok[1]
    relaxed = shoal.ase.relax_many(images, device="cpu")
    assert [a.info["shoal_status"] for a in relaxed] == ["converged", found.status[1]]
    mol = Chem.AddHs(Chem.MolFromSmiles("CCO"))
    AllChem.EmbedMultipleConfs(mol, 3, randomSeed=1)
    where = mol.GetConformer(0).GetPositions()
    where[4, 0] = np.inf
    shoal._mol.set_positions(mol.GetConformer(0), where)
    result = shoal.rdkit.optimize(mol, device="cpu")
    assert result.status.tolist() == ["not_finite", "converged", "converged"]
    assert np.array_equal(mol.GetConformer(0).GetPositions(), where) and result.lowest in (1, 2)


# --- surfaces ---


def test_a_surface_of_ase_atoms():
    gold = fcc111("Au", (2, 2, 3), vacuum=8.0)
    made = shoal.Surface(gold, metals="uff")
    assert made.metals == "uff" and len(made) == 12
    assert np.allclose(made.cell[:2], gold.cell[:2])


def test_what_the_program_refuses_is_refused():
    table = {"O_3": {"r": 1.75, "e": 0.0026}, "Au": {"r": 1.5, "e": 0.01}}
    gold = {who: shoal.Surface.fcc111("Au", size=(2, 2), metals=who) for who in (None, "uff")}
    model = shoal.PairModel(types=table)
    with pytest.raises(shoal.ArgumentError, match="metals: params has parameters"):
        shoal.Batch(water(), surface=gold["uff"], params=model)
    shoal.Batch(water(), surface=gold[None], params=model)
    high = shoal.Placement(height=3.0)
    with pytest.raises(shoal.ArgumentError, match="height: expected a surface"):
        shoal.Batch(water(), placement=high)
    with pytest.raises(shoal.ArgumentError, match="height: expected a surface"):
        high.apply(water())
    salt = shoal.Surface.rocksalt("NaCl", size=(1, 1))
    with pytest.raises(shoal.ArgumentError, match="movable: the pair model of params"):
        shoal.Batch(water(), surface=salt, movable=1, params=model)


# --- conformers ---


def test_optimized_as_a_table_and_the_lowest_conformers():
    mols = [Chem.AddHs(Chem.MolFromSmiles(text)) for text in ("CCCO", "C", "CC=O")]
    for mol, n in zip(mols, (4, 1, 2)):
        AllChem.EmbedMultipleConfs(mol, n, randomSeed=3)
    mols.insert(1, None)
    found = shoal.rdkit.optimize(mols, device="cpu")
    frame = found.to_dataframe(units="kcal/mol")
    assert frame["mol"].tolist() == [0] * 4 + [2] + [3] * 2
    assert frame["conformer"].tolist() == [0, 1, 2, 3, 0, 0, 1]
    assert frame["energy"].to_numpy() == pytest.approx(found.energy.flat * KCAL)
    assert found.lowest[1] == -1 and found.lowest[0] == int(np.argmin(found[0].energy))
    best = found.to_dataframe(lowest=True)
    assert best["mol"].tolist() == [0, 2, 3] and (best["relative_energy"] == 0).all()
    assert best["conformer"].tolist() == [int(k) for k in found.lowest if k >= 0]


# --- defaults ---


def test_a_relaxation_has_the_same_defaults_everywhere(cli):
    """In whatever signature they stand, and those of the program."""
    found = {"fmax": set(), "max_steps": set()}
    for part in (shoal.Batch, shoal.Engine, shoal.ase, shoal.rdkit):
        for name, value in inspect.getmembers(part, inspect.isroutine):
            if name.startswith("_"):
                continue
            for key in set(found) & set(inspect.signature(value).parameters):
                found[key].add(inspect.signature(value).parameters[key].default)
    assert found["fmax"] - {None, inspect.Parameter.empty} == {FMAX}
    assert found["max_steps"] - {None, inspect.Parameter.empty} == {MAX_STEPS}
    rows = cli("relax", "--forcefield", "mmff94", EXAMPLES / "butane.sdf")
    mine = shoal.Batch(EXAMPLES / "butane.sdf", forcefield="mmff94").relax()
    assert [row["steps"] for row in rows] == mine.steps.tolist()
