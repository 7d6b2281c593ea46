# SPDX-License-Identifier: BSD-3-Clause
"""Conformers from bonds: those of the program, of SMILES, and in RDKit's Mols."""

import numpy as np
import pytest
from conftest import TOP, hexavalent
from test_batch import agrees

import shoal

SMILES = ["CCO ethanol", "C[C@H](N)C(=O)O", "F/C=C\\F", "O=c1[nH]cnc2nc[nH]c12"]
BUTANE = TOP / "examples" / "butane.sdf"


@pytest.fixture
def library(tmp_path):
    path = tmp_path / "library.smi"
    path.write_text("\n".join(SMILES) + "\n")
    return path


def same(found, rows):
    """Numbers of conformers, beside what all results have."""
    assert found.variant.tolist() == [row["variant"] for row in rows]
    assert found.record.tolist() == [row["record"] for row in rows]
    return agrees(found, rows)


# --- batches --------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["library", BUTANE])
def test_conformers_are_those_of_the_program(cli, library, path):
    path = library if path == "library" else path
    words = ("--conformers", 3, "--seed", 5, "--forces", "--positions")
    rows = cli("embed", path, *words)
    found = shoal.Batch(path, device="cpu").embed(3, seed=5)
    assert found.converged.all() and same(found, rows)
    assert found.energy0.tolist() == [row["energy0"] for row in rows]
    assert same(shoal.Batch(shoal.read(path), device="cpu").embed(3, seed=5), rows)
    rows = cli("embed", path, *words, "--no-relaxation")
    assert same(shoal.Batch(path, device="cpu").embed(3, seed=5, relax=False), rows)


def test_options_reach_the_library(cli):
    words = ("--conformers", 2, "--forces", "--positions")
    given = ("--fmax", 0.05, "--max-steps", 40, "--method", "fire", "--max-move", 0.1)
    options = {"fmax": 0.05, "max_steps": 40, "method": "fire", "max_move": 0.1}
    found = shoal.Batch(BUTANE, device="cpu").embed(2, **options)
    assert same(found, cli("embed", BUTANE, *words, *given))
    assert len(shoal.Batch(BUTANE).embed()) == 10 * len(shoal.read(BUTANE))


def test_coordinates_have_no_say_and_seeds_have(butane):
    one = shoal.Batch(butane).embed(2, seed=1)
    moved = shoal.Batch(butane, positions=[butane.positions[::-1] * 3.0]).embed(2, seed=1)
    assert (one.positions.flat == moved.positions.flat).all()
    other = shoal.Batch(butane).embed(2, seed=2)
    assert not (one.positions.flat == other.positions.flat).all()


def test_what_is_told(butane):
    told = shoal.Batch(butane).embed(2, seed=4).provenance
    assert told["seed"] == 4 and told["options"]["job"] == "embed"
    assert told["command"].startswith("Batch.embed(n=2, seed=4, relax=True, max_tries=30, fmax=0.0")
    told = shoal.Batch(butane).embed(1, relax=False, max_tries=7).provenance
    assert told["command"] == "Batch.embed(n=1, seed=0, relax=False, max_tries=7)"


def test_files_of_results(butane, tmp_path):
    batch, path = shoal.Batch(butane), tmp_path / "embed.h5"
    found = batch.embed(3, seed=6, save=path)
    assert (shoal.load(path).positions.flat == found.positions.flat).all()
    again = batch.embed(3, seed=6, save=path, resume=True)
    assert again.energy.tolist() == found.energy.tolist()


def test_one_that_fails_says_why(butane):
    found = shoal.Batch([butane, hexavalent(), butane]).embed(2)
    assert found.status.tolist() == ["converged"] * 2 + ["untyped"] * 2 + ["converged"] * 2
    assert found.reason[2] and found.record.tolist() == [0, 0, 1, 1, 2, 2]


def test_what_is_refused(butane):
    salt = shoal.Surface.rocksalt("NaCl", size=(2, 2), layers=2)
    for name, options in (
        ("copies", {"copies": 2}),
        ("surface", {"surface": salt}),
        ("placement", {"surface": salt, "placement": shoal.Placement(height=3.0)}),
    ):
        with pytest.raises(shoal.ArgumentError, match=name if name == "copies" else "surface"):
            shoal.Batch(butane, **options).embed(2)
    for name, options in (
        ("n", {"n": 0}), ("n", {"n": 2.5}), ("seed", {"seed": -1}), ("max_tries", {"max_tries": 0}),
        ("relax", {"relax": "no"}), ("fmax", {"fmax": 0}), ("resume", {"resume": True}),
    ):  # fmt: skip
        with pytest.raises(shoal.ArgumentError, match=name):
            shoal.Batch(butane).embed(**options)


# --- SMILES ---------------------------------------------------------------------------------------


def test_smiles_are_read_as_the_files_are(library):
    for smiles, wanted in zip(SMILES, shoal.read(library)):
        one = shoal.Molecule.from_smiles(smiles)
        assert (one.name, one.formula) == (wanted.name, wanted.formula)
        assert (one.numbers == wanted.numbers).all() and (one.bonds == wanted.bonds).all()


@pytest.mark.parametrize("wrong", ["", "  ", "C\nC", 3, None, "C(", "SMILES", b"CC"])
def test_texts_that_are_no_smiles(wrong):
    with pytest.raises(shoal.Error, match="SMILES|smiles"):
        shoal.Molecule.from_smiles(wrong)


def test_embed_takes_smiles_and_molecules(library, butane):
    wanted = shoal.Batch(library).embed(2, seed=3)
    found = shoal.embed(SMILES, 2, seed=3)
    assert (found.positions.flat == wanted.positions.flat).all() and found.name == wanted.name
    one = shoal.embed(SMILES[0], 2, seed=3)
    assert one.energy.tolist() == wanted.energy[:2].tolist()
    mixed = shoal.embed([butane, "CCO"], 1, relax=False, max_tries=9, charges="qeq")
    assert mixed.record.tolist() == [0, 1] and set(mixed.charges_from) == {"qeq"}
    assert mixed.provenance["options"]["max_tries"] == 9
    rough = shoal.embed(butane, 1, fmax=0.1, max_steps=3)
    assert rough.provenance["options"]["fmax"] == 0.1 and rough.steps[0] <= 3
    with pytest.raises(shoal.FormatError, match=r"^molecules\[1\]: SMILES:1: .*column 2"):
        shoal.embed(["CC", "C("], 2)


# --- RDKit ----------------------------------------------------------------------------------------

MOLS = """
CCO F/C=C/F F/C=C\\F C[C@H](N)C(=O)O C[C@@](F)(Cl)Br O=c1[nH]cnc2nc[nH]c12 C[N+](=O)[O-] [CH2]C
c1cc[n+](C)cc1 [O-]C(=O)CC[NH3+] C[S@](=O)CC CP(=O)(OC)OC C/C=C/[C@@H]1C[C@H]1O [13CH4] O [H][H]
""".split()


@pytest.fixture
def chem():
    return pytest.importorskip("rdkit.Chem", reason="RDKit is not installed")


def with_hydrogens(chem, smiles):
    mol = chem.AddHs(chem.MolFromSmiles(smiles))
    mol.SetProp("_Name", smiles)
    return mol


def test_mols_get_conformers(chem):
    """Energies are those that RDKit finds there, configurations those that were stated."""
    from rdkit.Chem import AllChem

    import shoal.rdkit as bridge

    mols = [with_hydrogens(chem, smiles) for smiles in MOLS]
    wanted = [chem.MolToSmiles(mol) for mol in mols]
    assert bridge.embed(mols, 2, seed=1) == [[0, 1]] * len(mols)
    for mol, smiles in zip(mols, wanted):
        assert chem.MolToSmiles(mol) == smiles and not mol.HasProp("reason")
        assert [c.Is3D() for c in mol.GetConformers()] == [True] * 2
        for conformer in mol.GetConformers():
            k = conformer.GetId()
            theirs = AllChem.UFFGetMoleculeForceField(mol, confId=k).CalcEnergy() * 0.0433641042418
            assert conformer.GetDoubleProp("energy") == pytest.approx(theirs, rel=1e-6, abs=1e-6)
            assert conformer.GetProp("status") == "converged"
            seen = chem.Mol(mol)
            chem.AssignStereochemistryFrom3D(seen, k)
            assert chem.MolToSmiles(seen) == smiles
    first = [c.GetPositions() for c in mols[0].GetConformers()]
    assert not (first[0] == first[1]).all()


def test_conformers_that_were_there_go(chem):
    from rdkit.Chem import AllChem

    import shoal.rdkit as bridge

    mol = with_hydrogens(chem, "CCO")
    AllChem.EmbedMultipleConfs(mol, 5, randomSeed=3)
    assert bridge.embed(mol, 2, relax=False) == [0, 1] and mol.GetNumConformers() == 2
    assert not mol.GetConformer(0).HasProp("energy")
    other = with_hydrogens(chem, "CCO")
    bridge.embed(other, 2, relax=False)
    assert (other.GetConformer(1).GetPositions() == mol.GetConformer(1).GetPositions()).all()
    bridge.embed(other, 2, seed=1, relax=False)
    assert not (other.GetConformer(1).GetPositions() == mol.GetConformer(1).GetPositions()).all()


def test_mols_that_cannot_be_embedded(chem):
    import shoal.rdkit as bridge

    pentavalent = chem.MolFromSmiles("FC(F)(F)(F)F", sanitize=False)
    pentavalent = chem.RenumberAtoms(pentavalent, [0, 2, 3, 4, 5, 1])
    texts = ("CCO", "*C", "CC")
    mols = [with_hydrogens(chem, smiles) for smiles in texts]
    mols[1:1] = [None, pentavalent]
    assert bridge.embed(mols, 2) == [[0, 1], [], [], [], [0, 1]]
    assert mols[2].GetProp("reason").startswith("atom 5 (C, valence 5, 5 neighbours")
    assert "unknown element" in mols[3].GetProp("reason")
    assert mols[4].GetConformer(0).GetDoubleProp("energy") < 0.1 and not mols[4].HasProp("reason")
    assert bridge.embed([], 2) == [] and bridge.embed([None], 2) == [[]]


def test_reasons_have_the_numbers_of_the_mol(chem):
    from shoal._embed_mols import Embedded

    mol = chem.RenumberAtoms(with_hydrogens(chem, "O"), [1, 2, 0])
    one = Embedded(mol, "")
    assert one.order.tolist() == [0, 2, 1]
    for reason, wanted in (
        ("atom 1 (O, 2 bonds): 1 atoms", "atom 2 (O, 2 bonds): 1 atoms"),
        ("atoms 1 and 2 are 1.50 A apart", "atoms 2 and 1 are 1.50 A apart"),
        ("(atoms 1, 2 ..) in 2 tries", "(atoms 2, 1 ..) in 2 tries"),
        ("bond 0-1 (H-O): no rule", "bond 0-2 (H-O): no rule"),
    ):
        assert one._renumbered(reason) == wanted


def test_reasons_go_when_conformers_come(chem):
    import shoal.rdkit as bridge

    mol = with_hydrogens(chem, "CCO")
    mol.SetProp("reason", "an earlier one")
    assert bridge.embed(mol, 1) == [0] and not mol.HasProp("reason")


def test_nothing_is_changed_by_what_is_refused(chem):
    import shoal.rdkit as bridge

    whole = with_hydrogens(chem, "CCO")
    for bad, text in (
        (chem.MolFromSmiles("CCO"), r"Mol 1: 6 hydrogen atoms are missing, 3 of them at atom 0"),
        (chem.Mol(), "expected atoms"),
        ("CCO", "expected an RDKit Mol"),
    ):
        with pytest.raises(shoal.ArgumentError, match=text):
            bridge.embed([whole, bad], 2)
    for options in ({"n": 0}, {"forcefield": ["uff"]}, {"charges": "none of them"}):
        with pytest.raises(shoal.ArgumentError):
            bridge.embed(whole, **options)
    assert whole.GetNumConformers() == 0


def test_options_of_mols_reach_the_batch(chem):
    import shoal.rdkit as bridge

    mol = with_hydrogens(chem, "CCCCO")
    energy = []
    for options in ({}, {"forcefield": "mmff94", "charges": "mmff94"}, {"max_steps": 2}):
        bridge.embed(mol, 1, threads=1, **options)
        energy.append(mol.GetConformer(0).GetDoubleProp("energy"))
    assert mol.GetConformer(0).GetProp("status") == "max_steps"
    assert len(np.unique(energy)) == 3


# --- ensembles and batches of conformers ----------------------------------------------------------


def test_ensembles_are_those_of_the_program(cli, library, tmp_path):
    words = ("--conformers", 12, "--seed", 5, "--forces", "--positions", "--keep", 2)
    rows = cli("embed", library, *words, "--window", 0.2, "--rmsd", 0.4, "--temperature", 400)
    options = {"seed": 5, "keep": 2, "window": 0.2, "rmsd": 0.4, "temperature": 400}
    found = shoal.Batch(library, device="cpu").embed(12, **options, save=tmp_path / "kept.h5")
    assert same(found, rows) and 4 <= len(found) <= 8
    weights = [float(mol.properties["conformer_weight"]) for mol in found.molecules]
    assert weights == [row["conformer_weight"] for row in rows]
    assert sum(weights) == pytest.approx(len(SMILES))
    assert len(shoal.load(tmp_path / "kept.h5")) == len(found)
    assert len(shoal.embed(SMILES, 12, rmsd=9)) == len(SMILES)
    assert len(shoal.embed(SMILES[:1], 12, keep=12, rmsd=0)) == 12
    for name, value in (("keep", -1), ("window", -1), ("rmsd", -1), ("temperature", 0)):
        with pytest.raises(shoal.ArgumentError, match=name):
            shoal.Batch(library).embed(2, **{name: value})


def test_batches_of_conformers(cli, library, butane):
    words = ("--conformers", 3, "--conformer-seed", 4, "--forces", "--positions")
    rows = cli("relax", library, *words)
    batch = shoal.Batch(library, conformers=shoal.Conformers(3, seed=4), device="cpu")
    assert same(batch.relax(), rows)
    assert len(batch.energy()) == 12 and len(shoal.Batch(butane, conformers=5)) == 5
    assert len(shoal.Batch(butane, conformers=2, copies=3).energy()) == 6
    assert shoal.Batch(butane, conformers=shoal.Conformers(1, max_tries=1)).energy().status[0] in (
        "ok",
        "untyped",
    )
    for job in (lambda b: b.embed(), lambda b: b.search(3), lambda b: b.scan("distance:0,1=1:2:1")):
        with pytest.raises(shoal.ArgumentError, match="conformers"):
            job(shoal.Batch(butane, conformers=2))
    with pytest.raises(shoal.ArgumentError, match="conformers"):
        shoal.Batch(butane, conformers=0)


def test_tables_of_smiles(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("id,mol,smiles\nfirst,CCO,C\nsecond,CC,C\n")
    assert [mol.formula for mol in shoal.read(path)] == ["CH4", "CH4"]
    mols = shoal.read(path, smiles_column="Mol")
    assert [(mol.name, mol.formula) for mol in mols] == [("first", "C2H6O"), ("second", "C2H6")]
    assert mols[0].properties["id"] == "first"
    found = shoal.Batch(path, input=shoal.Input(smiles_column="mol")).energy()
    assert found.name == ["first", "second"] and found.record.tolist() == [0, 1]
    with pytest.raises(shoal.FormatError, match="nothing"):
        shoal.read(path, smiles_column="nothing")


DRAWN = [
    "N[C@@H](C)C(=O)O",
    "N[C@H](C)C(=O)O",
    "F[C@](Cl)(Br)I",
    "C[S@](=O)CC",
    "C/C=C/C(=O)O",
    "C/C=C\\C(=O)O",
    "C[C@H]1CC[C@@H](O)CC1",
    "O[C@H]1[C@H](O)[C@@H](O)CO[C@@H]1C",
    "CC[C@@](C)(N)C(=O)O",
    "C[N@+](CC)(CCC)CCCC",
    "C[Si@@H](F)Cl",
    "O=C1C[C@@H]2CC[C@H]1C2",
    "F/C(Cl)=C(Br)/I",
]


def test_drawings_say_configurations(tmp_path):
    """Of RDKit's drawings with wedges: conformers are those that RDKit reads them as, with
    hydrogens drawn and without."""
    chem = pytest.importorskip("rdkit.Chem")
    from rdkit.Chem import rdDepictor

    for hydrogens in (False, True):
        writer = chem.SDWriter(str(tmp_path / "drawn.sdf"))
        wanted = []
        for smiles in DRAWN:
            mol = chem.MolFromSmiles(smiles)
            mol = chem.AddHs(mol) if hydrogens else mol
            rdDepictor.Compute2DCoords(mol)
            read = chem.MolFromMolBlock(chem.MolToMolBlock(mol))
            wanted.append(chem.MolToSmiles(read))
            writer.write(mol)
        writer.close()
        results = shoal.Batch(str(tmp_path / "drawn.sdf")).relax(fmax=0.05)
        results.save(tmp_path / "solid.sdf")
        got = []
        for mol in chem.SDMolSupplier(str(tmp_path / "solid.sdf"), removeHs=False):
            chem.AssignStereochemistryFrom3D(mol)
            got.append(chem.MolToSmiles(chem.RemoveHs(mol)))
        assert [(a, b) for a, b in zip(got, wanted) if a != b] == []
        assert len(got) == len(DRAWN)
