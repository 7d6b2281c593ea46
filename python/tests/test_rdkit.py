# SPDX-License-Identifier: BSD-3-Clause
"""RDKit Mols: conversions, relaxation in place, drop-ins."""

import os
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("rdkit", reason="RDKit is not installed")

from rdkit import Chem, RDLogger  # noqa: E402
from rdkit.Chem import AllChem  # noqa: E402

import shoal  # noqa: E402
import shoal.rdkit as bridge  # noqa: E402
from shoal import _conformers, _mol  # noqa: E402

SMILES = [
    "CCO",
    "c1ccccc1C(=O)NC",
    "C[N+](=O)[O-]",
    "[O-]C(=O)CC[NH3+]",
    "c1ccc2[nH]ccc2c1",
    "CS(=O)(=O)c1ccncc1",
    "C#CC=C",
    "O=c1[nH]cnc2nc[nH]c12",
    "CP(=O)(OC)OC",
    "FC(Cl)(Br)I",
]


def embedded(smiles, n=1, seed=7):
    mol = Chem.AddHs(Chem.MolFromSmiles(smiles))
    ids = AllChem.EmbedMultipleConfs(mol, n, randomSeed=seed)
    assert len(ids) == n
    mol.SetProp("_Name", smiles)
    return mol


def rdkit_energy(mol, conf_id=-1):
    return AllChem.UFFGetMoleculeForceField(mol, confId=conf_id).CalcEnergy()


@pytest.fixture(scope="module")
def mols():
    return [embedded(smiles, 3) for smiles in SMILES]


def test_energies_are_those_of_rdkit(mols):
    """Bond orders, charges and aromaticity of the Mol arrive: at 1e-6 of RDKit's own energy."""
    systems = [m for mol in mols for m in bridge.to_molecules(mol)]
    unguarded = shoal.UFF(angle_guard=False)  # as RDKit
    batch = shoal.Batch(systems, device="cpu", forcefield=unguarded)
    found = batch.energy().energy / 0.0433641042418  # eV to kcal/mol
    wanted = [rdkit_energy(mol, c.GetId()) for mol in mols for c in mol.GetConformers()]
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


# Rings of three and four, charges, hypervalent and divalent S and P, cumulenes, ..
KINDS = """
CC C=C C#C c1ccccc1 OO CSSC CSC=C CC(=O)C CC(=O)OC C1CC1 C1CCC1 C1=CC1 C1=CCC1 C=C=C N#CC CN=O
c1ccoc1 c1ccsc1 c1cc[nH]c1 CP(C)C CP(=O)(C)C CS(=O)C OSO OS SCO CC=CC=C C=CC=O CN(C)C CC(=O)[O-]
OC(=O)O NC(=O)N C1=CC2=CC=CC2=C1 CB(C)C C[Si](C)(C)C FC(F)=C O=C=O CN=[N+]=[N-] COc1ccccc1 CON=C
Nc1ccccc1 CSc1ccccc1 C=CO C=CN C=CS OP(=O)(O)O OS(=O)(=O)O NS(=O)(=O)C C1=CC=CC=CC=C1 CC1=CC1
CC1=CCC1 C=C1CC1 C=C1CCC1 SSS COOC COSC CC(=S)N O=c1cc[nH]cc1 C1COCCN1 C[N+](C)(C)C CS(=O)(=O)C
c1cc[n+](C)cc1 C1=CC=C2C=CC=C2C=C1 c1ccc2c(c1)ccc1ccccc12 C1CC2CC1C2 C12C3C4C1C5C2C3C45 CNO C=S
OB(O)c1ccccc1 CC(=O)C=[N+]=[N-] O=C1C=CC(=O)C=C1 C[N+]#[C-] CN=C=O CN=C=S c1nnn[nH]1 c1cnoc1 CP
c1cncs1 c1ccc(cc1)-c1ccccc1 CC(=O)OC(C)=O CC=S C[S+](C)C C[P+](C)(C)C F/C=C/F [SiH3][SiH3]
O=[N+]([O-])c1ccccc1 C[SiH2]O
""".split()


def test_perception_and_terms_are_those_of_rdkit():
    """Energies of RDKit at 1e-6: with its bonds, and with what coordinates and total charge say."""
    made = [embedded(smiles) for smiles in KINDS]
    drawn = [bridge.to_molecule(mol) for mol in made]
    bare = [
        shoal.Molecule(m.numbers, m.positions).perceive(Chem.GetFormalCharge(mol))
        for m, mol in zip(drawn, made)
    ]
    wanted = [rdkit_energy(mol) for mol in made]
    unguarded = shoal.UFF(angle_guard=False)  # as RDKit
    for systems in (drawn, bare):
        found = shoal.Batch(systems, device="cpu", forcefield=unguarded).energy()
        off = np.abs(found.energy / 0.0433641042418 - wanted) / np.maximum(np.abs(wanted), 1)
        assert not [smiles for smiles, x in zip(KINDS, off) if not x < 1e-6]


def test_atoms_and_bonds_arrive():
    mol = Chem.MolFromSmiles("[13CH3][NH3+].[CH2]C")
    mol = Chem.AddHs(mol)
    AllChem.EmbedMolecule(mol, randomSeed=3)
    mol.SetProp("_Name", "salt")
    mol.SetProp("source", "drawer 3")
    out = bridge.to_molecule(mol)
    assert out.numbers.tolist() == [atom.GetAtomicNum() for atom in mol.GetAtoms()]
    assert out.formal_charges.tolist() == [atom.GetFormalCharge() for atom in mol.GetAtoms()]
    assert out.isotopes[0] == 13
    assert out.radicals.tolist() == [atom.GetNumRadicalElectrons() for atom in mol.GetAtoms()]
    assert out.radicals.sum() == 1
    assert out.name == "salt" and out.properties["source"] == "drawer 3"
    assert np.array_equal(out.positions, mol.GetConformer().GetPositions())


@pytest.mark.parametrize("way", ["matrix", "list"])
def test_bond_orders(way, monkeypatch):
    """Both ways of asking give the same bonds: by a matrix of orders, and one by one."""
    monkeypatch.setattr(_mol, "_MATRIX_ATOMS", 200 if way == "matrix" else 0)
    for smiles in ("C=CC#CC", "c1ccccc1C", "[Re]$[Re]", "[NH3]->[Pt](Cl)(Cl)<-[NH3]"):
        mol = Chem.AddHs(Chem.MolFromSmiles(smiles))
        rows, starts = _mol._bonds([mol], [""])
        assert starts.tolist() == [0, mol.GetNumBonds()] and not rows["shift"].any()
        have = {(int(b["i"]), int(b["j"])): int(b["order"]) for b in rows}
        want = {}
        for bond in mol.GetBonds():
            i, j = bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()
            order = {"SINGLE": 1, "DOUBLE": 2, "TRIPLE": 3, "AROMATIC": 4}
            order |= {"QUADRUPLE": 5, "DATIVE": 9}
            want[(i, j)] = order[str(bond.GetBondType())]
        if 9 not in want.values():
            want = {(min(p), max(p)): order for p, order in want.items()}
            have = {(min(p), max(p)): order for p, order in have.items()}
        assert have == want


def test_the_mol_is_not_changed_by_reading(mols):
    mol = embedded("c1ccccc1O")
    before = (mol.ToBinary(), list(mol.GetPropNames(True, True)))
    bridge.to_molecule(mol)
    assert list(mol.GetPropNames(True, True)) == before[1]
    assert mol.ToBinary() == before[0]


def test_round_trip(mols):
    for mol in mols:
        back = bridge.to_mol(bridge.to_molecule(mol))
        flat = [Chem.MolToSmiles(m, isomericSmiles=False) for m in (back, mol)]
        assert flat[0] == flat[1]
        assert np.array_equal(
            back.GetConformer().GetPositions(), mol.GetConformer(0).GetPositions()
        )
        assert back.GetProp("_Name") == mol.GetProp("_Name")


@pytest.mark.parametrize("in_parts", [False, True])
def test_optimize_in_place(mols, in_parts, monkeypatch):
    """The same bits as a Batch of the same molecules, in the conformers that they came from."""
    monkeypatch.setitem(_conformers.CUT_FROM, "cpu", 2 if in_parts else 1000)
    taken = [Chem.Mol(mol) for mol in mols]
    taken[2].GetConformer(1).SetId(17)
    taken[0].SetProp("source", "drawer 3")
    systems = [m for mol in mols for m in bridge.to_molecules(mol)]
    wanted = shoal.Batch(systems, device="cpu").relax(fmax=0.02)
    found = bridge.optimize([taken[0], None, *taken[1:]], fmax=0.02, device="cpu")
    assert len(found) == len(mols) + 1 and len(found[1]) == 0 and (len(found.parts) > 2) == in_parts
    energies = np.concatenate([found.energy[k] for k in range(len(found))])
    assert np.array_equal(energies, wanted.energy)
    assert (found[0].status == "converged").all() and found[0].reason == [""] * 3
    positions = [c.GetPositions() for mol in taken for c in mol.GetConformers()]
    assert all(np.array_equal(a, b) for a, b in zip(positions, wanted.positions))
    assert [c.GetId() for c in taken[2].GetConformers()] == [0, 17, 2]
    assert taken[0].GetProp("source") == "drawer 3"
    assert not np.array_equal(positions[0], mols[0].GetConformer(0).GetPositions())


def test_mols_in_a_row_that_are_alike():
    """Conformers in Mols of their own share a molecule; others of the same size and name do not."""
    alike = [embedded("CCO", seed=k) for k in range(1, 4)]
    changed = Chem.RWMol(alike[0])
    changed.GetAtomWithIdx(0).SetFormalCharge(1)
    other = embedded("COC", seed=4)
    other.SetProp("_Name", "CCO")
    mols = [*alike, changed.GetMol(), other, alike[2]]
    positions = [mol.GetConformer().GetPositions() for mol in mols]
    made = _mol.molecules_of(mols, positions, None, [""] * 6)
    assert made[0] is made[1] is made[2] and len({id(m) for m in made}) == 4
    assert made[3].formal_charges[0] == 1
    wanted = shoal.Batch([bridge.to_molecule(mol) for mol in mols], device="cpu").relax()
    found = bridge.optimize(mols, device="cpu")
    assert np.array_equal(found.energy.flat, wanted.energy, equal_nan=True)
    for mol, positions in zip(mols, wanted.positions):
        if mol is not alike[2]:
            assert np.array_equal(mol.GetConformer().GetPositions(), positions)


def test_progress_of_a_run_in_parts():
    told = []
    for begin, end in ((0.0, 0.25), (0.25, 1.0)):
        options = {"fmax": 0.1, "progress": lambda part, info: told.append((part, info))}
        part = _conformers._told_of(options, begin, end)
        assert part["fmax"] == 0.1
        part["progress"](0.5, "info")
        part["progress"](1.0, "info")
    assert told == [(0.125, "info"), (0.25, "info"), (0.625, "info"), (1.0, "info")]
    assert _conformers._told_of({"progress": False}, 0.0, 0.5) == {"progress": False}


def test_failed_conformers_stay(mols):
    """Whatever positions their results have."""
    mol = Chem.Mol(mols[0])
    part = _conformers.Conformers([mol], [""], None, None)
    moved = SimpleNamespace(flat=(part.blocks[0] + 1.0).reshape(-1, 3))
    energy = np.array([0.5, np.nan, 0.25])
    part.write_back(SimpleNamespace(positions=moved, energy=energy))
    for k, shift in enumerate((1.0, 0.0, 1.0)):
        before, after = (m.GetConformer(k).GetPositions() for m in (mols[0], mol))
        assert np.array_equal(after, before + shift)


def test_chosen_conformers_alone_move(mols):
    mol = Chem.Mol(mols[1])
    found = bridge.optimize(mol, device="cpu", conf_ids=[2])
    assert len(found) == 1 and found.converged.all()
    before, after = ([c.GetPositions() for c in m.GetConformers()] for m in (mols[1], mol))
    assert np.array_equal(before[0], after[0]) and np.array_equal(before[1], after[1])
    assert not np.array_equal(before[2], after[2])
    with pytest.raises(shoal.ArgumentError, match=r"no conformer 9; ids are \[0, 1, 2\]"):
        bridge.optimize(mol, conf_ids=[9])


def test_one_that_cannot_be_typed_names_the_atom(mols):
    strange = Chem.AddHs(Chem.MolFromSmiles("CC"))
    AllChem.EmbedMolecule(strange, randomSeed=1)
    strange.GetAtomWithIdx(1).SetAtomicNum(110)
    before = strange.GetConformer().GetPositions()
    good = Chem.Mol(mols[0])
    found = bridge.optimize([strange, good], device="cpu")
    assert found[0].status[0] == "untyped" and "atom 1" in found[0].reason[0]
    assert np.isnan(found[0].energy[0]) and found[1].converged.all()
    assert np.array_equal(strange.GetConformer().GetPositions(), before)
    with pytest.warns(UserWarning, match="atom 1"):
        pairs = bridge.UFFOptimizeMoleculesConfs([strange, good], device="cpu")
    assert pairs[0] == [(-1, -1.0)] and len(pairs[1]) == 3


def test_nothing_to_do():
    assert len(bridge.optimize([])) == 0
    assert len(bridge.optimize([None])[0]) == 0
    assert bridge.UFFOptimizeMoleculesConfs([None]) == [[]]


def test_bad_mols():
    with pytest.raises(shoal.ArgumentError, match=r"Mol 1 \(ethane\).*no conformers"):
        bare = Chem.AddHs(Chem.MolFromSmiles("CC"))
        bare.SetProp("_Name", "ethane")
        bridge.optimize([None, bare])
    with pytest.raises(shoal.ArgumentError, match="Mol 0: expected atoms, got none"):
        empty = Chem.Mol()
        empty.AddConformer(Chem.Conformer(0))
        bridge.optimize([empty])
    with pytest.raises(shoal.ArgumentError, match="atom 0 is a dummy atom"):
        dummy = Chem.AddHs(Chem.MolFromSmiles("*CC"))
        AllChem.EmbedMolecule(dummy, randomSeed=1)
        bridge.optimize(dummy)
    with pytest.raises(shoal.ArgumentError, match=r"atom 0 \(C\) to atom 1 \(C\) is ZERO"):
        zero = Chem.RWMol(embedded("CC"))
        zero.GetBondBetweenAtoms(0, 1).SetBondType(Chem.BondType.ZERO)
        bridge.to_molecule(zero)
    with pytest.raises(shoal.ArgumentError, match="expected an RDKit Mol, got str"):
        bridge.optimize(["CCO"])


def test_an_error_changes_no_mol(mols, monkeypatch):
    """Also where Mols are read while others are computed."""
    monkeypatch.setitem(_conformers.CUT_FROM, "cpu", 2)
    taken = [Chem.Mol(mol) for mol in mols]
    taken[-1].GetAtomWithIdx(3).SetAtomicNum(0)
    with pytest.raises(shoal.ArgumentError, match="Mol 9 .*atom 3 is a dummy atom"):
        bridge.optimize(taken, device="cpu")
    for mol, before in zip(taken[:-1], mols):
        for a, b in zip(mol.GetConformers(), before.GetConformers()):
            assert np.array_equal(a.GetPositions(), b.GetPositions())


@pytest.mark.parametrize("cut_from", [1, 1000])
def test_missing_hydrogens_and_drawings_warn(cut_from, monkeypatch):
    mol = Chem.MolFromSmiles("CCO")
    AllChem.EmbedMolecule(mol, randomSeed=1)
    with pytest.warns(
        bridge.HydrogenWarning, match=r"6 hydrogen atoms .* 3 of them at atom 0 \(C\)"
    ):
        bridge.to_molecule(mol)
    drawn = Chem.AddHs(Chem.MolFromSmiles("CCO"))
    AllChem.Compute2DCoords(drawn)
    monkeypatch.setitem(_conformers.CUT_FROM, "cpu", cut_from)
    with pytest.warns(bridge.GeometryWarning, match="Mol 1: conformer 0 is 2-D"):
        bridge.optimize([embedded("CCO"), drawn], device="cpu")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bridge.to_molecule(embedded("CCO"))


@pytest.mark.parametrize(
    "name, option",
    [
        ("copies", {"copies": 2}),
        ("copies", {"copies": shoal.Copies(2)}),
        ("shard", {"input": shoal.Input(shard=(0, 2))}),
        ("add_hydrogens", {"typing": shoal.Typing(add_hydrogens=True)}),
        ("fragment", {"typing": shoal.Typing(fragment=1)}),
        ("movable", {"movable": 1}),
    ],
)
def test_options_that_results_do_not_fit_with_are_refused(name, option):
    mol = embedded("CCO", 2)
    before = [conformer.GetPositions() for conformer in mol.GetConformers()]
    salt = shoal.Surface.rocksalt("NaCl", size=(2, 2), layers=2)
    with pytest.raises(shoal.ArgumentError, match=name):
        bridge.optimize([mol], device="cpu", surface=salt, **option)
    for conformer, positions in zip(mol.GetConformers(), before):
        assert (conformer.GetPositions() == positions).all()


def test_atoms_fixed_by_conformer_in_a_long_run(monkeypatch):
    monkeypatch.setitem(_conformers.CUT_FROM, "cpu", 2)
    mols = [embedded(smiles, 3) for smiles in ("CCO", "CCN", "CCF")]
    before = [c.GetPositions() for mol in mols for c in mol.GetConformers()]
    bridge.optimize(mols, device="cpu", fixed=[[k % 2] for k in range(9)])
    after = [c.GetPositions() for mol in mols for c in mol.GetConformers()]
    for k, (a, b) in enumerate(zip(before, after)):
        assert (a[k % 2] == b[k % 2]).all() and (a != b).any(axis=1).sum() == len(a) - 1


def test_warnings_tell_where_it_was_called():
    mol = Chem.RemoveHs(embedded("CCO", 2))
    for call in (bridge.optimize, bridge.UFFOptimizeMoleculeConfs, bridge.UFFOptimizeMolecule):
        with pytest.warns(bridge.HydrogenWarning) as caught:
            call(mol, device="cpu")
        assert caught[0].filename == __file__


def test_charges_of_a_property():
    mol = embedded("CC(=O)[O-]")
    AllChem.ComputeGasteigerCharges(mol)
    out = bridge.to_molecule(mol, charge_property="_GasteigerCharge")
    want = [atom.GetDoubleProp("_GasteigerCharge") for atom in mol.GetAtoms()]
    np.testing.assert_array_equal(out.charges, want)
    with_charges = bridge.optimize(Chem.Mol(mol), device="cpu", charge_property="_GasteigerCharge")
    without = bridge.optimize(Chem.Mol(mol), device="cpu")
    assert abs(with_charges.energy[0] - without.energy[0]) > 0.01
    with pytest.raises(
        shoal.ArgumentError, match=r"atom 0 \(C\) has no number in the property 'q'"
    ):
        bridge.to_molecule(mol, charge_property="q")


def test_drop_in(mols):
    """RDKit's return shape, and minima of RDKit's own energy."""
    ours, theirs = [Chem.Mol(mol) for mol in mols], [Chem.Mol(mol) for mol in mols]
    lists = bridge.UFFOptimizeMoleculesConfs(ours, maxIters=2000, fmax=1e-3, device="cpu")
    for mol, other, pairs in zip(ours, theirs, lists):
        wanted = AllChem.UFFOptimizeMoleculeConfs(other, maxIters=2000)
        assert [type(x) for x in pairs[0]] == [type(x) for x in wanted[0]] == [int, float]
        assert [code for code, _ in pairs] == [0] * 3
        for conformer, (_, energy) in zip(mol.GetConformers(), pairs):
            assert energy == pytest.approx(rdkit_energy(mol, conformer.GetId()), rel=1e-6, abs=1e-6)
        best = min(energy for _, energy in wanted)
        assert min(energy for _, energy in pairs) == pytest.approx(best, abs=1.0)
    one = Chem.Mol(mols[1])
    assert bridge.UFFOptimizeMolecule(one, maxIters=1, device="cpu") == 1
    assert bridge.UFFOptimizeMolecule(one, maxIters=2000, confId=1, device="cpu") == 0
    pairs = bridge.UFFOptimizeMoleculeConfs(one, maxIters=2000, device="cpu")
    assert [code for code, _ in pairs] == [0, 0, 0]
    with pytest.raises(shoal.UnsupportedError, match="vdwThresh"):
        bridge.UFFOptimizeMoleculeConfs(one, vdwThresh=100.0)


def test_fragments_apart_and_together():
    """As in RDKit, fragments do not feel each other unless that is asked for."""
    mol = embedded("CC.OC(C)=O")
    apart, together = Chem.Mol(mol), Chem.Mol(mol)
    ((code, energy),) = bridge.UFFOptimizeMoleculeConfs(apart, maxIters=2000, device="cpu")
    assert code == 0 and energy == pytest.approx(rdkit_energy(apart), rel=1e-6, abs=1e-6)
    ((code, energy),) = bridge.UFFOptimizeMoleculeConfs(
        together, maxIters=2000, ignoreInterfragInteractions=False, device="cpu"
    )
    field = AllChem.UFFGetMoleculeForceField(together, ignoreInterfragInteractions=False)
    assert code == 0 and energy == pytest.approx(field.CalcEnergy(), rel=1e-6, abs=1e-6)


def test_results_to_rdkit(mols):
    found = shoal.Batch([bridge.to_molecule(mols[1])], device="cpu").relax()
    mol = found.to_rdkit()[0]
    assert mol.GetProp("status") == "converged"
    assert mol.GetDoubleProp("energy") == found.energy[0]
    assert np.array_equal(mol.GetConformer().GetPositions(), found.positions[0])


RDLogger.DisableLog("rdApp.*")


def test_codes_threads_and_parts():
    """Fragments: the worst code and the sum of energies. Threads are counted as RDKit does. Of a
    long run the first part is half as large as the others, so that it begins soon."""
    assert bridge._sum([(0, 1.5), (1, 2.0)]) == (1, 3.5)
    assert bridge._sum([(0, 1.5), (0, 2.0)]) == (0, 3.5)
    assert bridge._sum([(1, 1.5), (-1, 2.0)]) == (-1, -1.0)
    with pytest.raises(shoal.ArgumentError, match="maxIters: expected 1 or more, got 0"):
        bridge.UFFOptimizeMolecule(embedded("C"), maxIters=0)
    cores = os.cpu_count() or 1
    assert [bridge._threads(n) for n in (0, 3, -1, -1000)] == [0, 3, max(1, cores - 1), 1]
    ends = _conformers._cut(np.arange(10001), {"device": "cpu"})
    assert ends == [1000, 3000, 5000, 7000, 9000, 10000]


def test_isotopes_and_radicals_come_back():
    mol = Chem.AddHs(Chem.MolFromSmiles("[13CH3][CH]C"))
    AllChem.EmbedMolecule(mol, randomSeed=5)
    back = bridge.to_mol(bridge.to_molecule(mol))
    for call in ("GetIsotope", "GetNumRadicalElectrons", "GetFormalCharge", "GetAtomicNum"):
        ours, theirs = ([getattr(a, call)() for a in m.GetAtoms()] for m in (back, mol))
        assert ours == theirs
    assert back.GetAtomWithIdx(0).GetIsotope() == 13
