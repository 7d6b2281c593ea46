# SPDX-License-Identifier: BSD-3-Clause
# Objects of ASE and RDKit where Shoal takes molecules, and what rarely happens on the way.
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import shoal
from shoal.ragged import Ragged

OHH = [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]]


def water(**options):
    return shoal.Molecule("OHH", OHH, **options)


# --- ASE ---


@pytest.fixture
def ase():
    pytest.importorskip("ase", reason="ASE is not installed")
    import ase as found
    import ase.constraints  # noqa: F401

    return found


def test_atoms_are_systems(ase):
    """One Atoms, or some among molecules, by hand and in a batch."""
    atoms = ase.Atoms("OHH", OHH, info={"name": "w"}, charges=[-0.8, 0.4, 0.4])
    found = shoal.Molecule.from_ase(atoms)
    assert (found.name, found.charges.tolist()) == ("w", [-0.8, 0.4, 0.4])
    assert np.array_equal(found.positions, OHH) and not found.pbc.any()
    wanted = shoal.Batch(found, device="cpu").energy()
    for systems in (atoms, [water(), atoms]):
        made = shoal.Batch(systems, device="cpu").energy()
        assert made.energy[-1] == wanted.energy[0] and made.name[-1] == "w"
    back = wanted.to_ase()[0]
    assert np.array_equal(back.calc.results["charges"], [-0.8, 0.4, 0.4])
    assert back.calc.results["free_energy"] == wanted.energy[0] and back.calc.name == "shoal"
    bare = shoal.Batch(water(), device="cpu").energy(forces=False).to_ase()[0]
    assert set(bare.calc.results) == {"energy", "free_energy"}


def test_a_cell_that_does_not_repeat_stays(ase):
    made = shoal.ase.to_molecule(ase.Atoms("OHH", OHH, cell=[5, 6, 7], pbc=False))
    assert made.cell.tolist() == np.diag([5, 6, 7]).tolist() and not made.pbc.any()
    back = shoal.ase.to_atoms(made)
    assert back.cell.lengths().tolist() == [5, 6, 7] and not back.pbc.any()
    wire = shoal.ase.to_molecule(ase.Atoms("OHH", OHH, cell=[5, 6, 7], pbc=[0, 1, 0]))
    assert wire.pbc.tolist() == [False, True, False]


def test_masses_become_isotopes_beyond_half_a_unit(ase):
    atoms = ase.Atoms("OHH", OHH)
    usual = atoms.get_masses()
    for shift, isotopes in ((0.49, [0, 0, 0]), (1.4, [0, 2, 0]), (-0.51, [0, 0, 0])):
        atoms.set_masses(usual + [0.0, shift, 0.0])
        assert shoal.ase.to_molecule(atoms).isotopes.tolist() == isotopes
    atoms.set_masses([18.1, usual[1], usual[2]])
    made = shoal.ase.to_molecule(atoms)
    assert made.isotopes.tolist() == [18, 0, 0]
    assert shoal.ase.to_atoms(made).get_masses().tolist() == [18.0, usual[1], usual[2]]


def test_initial_charges_by_what_was_asked_for(ase):
    atoms = ase.Atoms("OHH", OHH)
    assert shoal.ase.to_molecule(atoms).charges is None
    assert shoal.ase.to_molecule(atoms, initial_charges=True).charges.tolist() == [0, 0, 0]
    atoms.set_initial_charges([-0.2, 0.1, 0.1])
    assert shoal.ase.to_molecule(atoms, initial_charges=False).charges is None
    energies = {}
    for charges in ("auto", "file", "none"):
        atoms.calc = shoal.ase.Shoal(charges=charges)
        energies[charges] = atoms.get_charges().tolist()
    assert energies == {
        "auto": [-0.2, 0.1, 0.1],
        "file": [-0.2, 0.1, 0.1],
        "none": [0, 0, 0],
    }


def test_calculator_takes_a_total_charge_and_refuses_nonsense(ase):
    corners = np.array([[0, 0, 0], [1, 1, 1], [-1, -1, 1], [-1, 1, -1], [1, -1, -1]])
    atoms = ase.Atoms("NH4", 0.6 * corners)
    atoms.calc = shoal.ase.Shoal(charges="qeq", total_charge=1)
    assert atoms.get_charges().sum() == pytest.approx(1.0, abs=1e-9)
    atoms.calc = shoal.ase.Shoal(bonds="guess")
    with pytest.raises(shoal.ArgumentError, match="bonds: expected 'keep', 'find' or bonds"):
        atoms.get_potential_energy()


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda c: c.Hookean(0, (1.0, 1.0, 0.0, -1.0), k=1.0), "a plane normal to x, y or z"),
        (lambda c: c.Hookean(0, (0.5, 0.0, 0.0), rt=0.5, k=1.0), "a point with rt=0"),
        (lambda c: c.Hookean(0, 1, rt=1.0, k=1.0), "atoms in the same cell"),
        (lambda c: c.Hookean(0, (4.9, 0.0, 0.0), rt=0.0, k=1.0), "atoms in the same cell"),
    ],
)
def test_springs_that_no_restraint_stands_for(ase, make, words):
    """Across the border of a cell, off the axes, or with a length of their own."""
    atoms = ase.Atoms("H2", [[0.2, 0, 0], [4.7, 0, 0]], cell=[5.0, 9.0, 9.0], pbc=True)
    atoms.set_constraint(make(ase.constraints))
    with pytest.raises(shoal.UnsupportedError, match=f"image 0: .*Hookean.* expected {words}"):
        shoal.ase.relax_many([atoms])


def test_springs_within_a_cell_and_planes_are_taken(ase):
    from shoal._constraints import Constraints

    atoms = ase.Atoms("H2", [[0.2, 0.3, 0.4], [1.7, 0.3, 0.4]], cell=[5.0, 9.0, 9.0], pbc=True)
    hookean = ase.constraints.Hookean
    atoms.set_constraint(
        [
            hookean(0, 1, rt=1.0, k=3.0),
            hookean(0, (0.5, 0.3, 0.4), rt=0.0, k=4.0),
            hookean(1, (2.0, 0.0, 0.0, -3.0), k=5.0),  # pulls beyond x = 1.5
            hookean(1, (0.0, 1.0, 0.0, -3.0), k=5.0),  # not there yet
        ]
    )
    kept = Constraints(atoms, "image 0")
    assert kept.soft and kept.pulling == [True, True, True, False]
    position = shoal.Restraint.position
    assert kept.restraints() == [
        shoal.Restraint.distance(0, 1, 1.0, 3.0),
        position(0, 4.0, (0.5, 0.3, 0.4)),
        position(1, 5.0, (1.5, 0.0, 0.0), "x"),
    ]
    moved = atoms.positions.copy()
    moved[1] = [1.1, 3.1, 0.4]
    assert kept.follow(moved) and kept.pulling == [True, True, False, True]
    assert not kept.follow(moved)  # nothing changes any more


def test_held_coordinates_are_aimed_beyond_their_place(ase):
    from shoal._constraints import HOLD, Constraints

    atoms = ase.Atoms("OHH", OHH)
    atoms.set_constraint(
        [ase.constraints.FixedPlane([1], (0, 0, 1)), ase.constraints.FixedLine([2], (0, 1, 0))]
    )
    kept = Constraints(atoms, "")
    assert kept.held.tolist() == [[False] * 3, [False, False, True], [True, False, True]]
    pulls = kept.restraints()
    assert [(r.atoms, r.directions, r.k) for r in pulls] == [
        ((1,), "z", HOLD),
        ((2,), "xz", HOLD),
    ]
    ended = np.array(OHH, float)
    ended[1] += [0.3, 0.2, 0.01]
    ended[2] += [-0.02, 0.4, 0.0]
    assert kept.follow(ended)
    assert kept.targets[1, 2] == pytest.approx(-0.01)
    assert kept.targets[2] == pytest.approx([-0.24 + 0.02, 0.93, 0.0])
    settled = kept.settle(ended)
    assert settled[1].tolist() == [0.96 + 0.3, 0.2, 0.0] and settled[2].tolist()[0] == -0.24
    assert not kept.follow(settled)


def test_relax_many_refuses_what_constraints_say(ase):
    atoms = ase.Atoms("OHH", OHH)
    for name in ("fixed", "restraints"):
        with pytest.raises(shoal.ArgumentError, match=f"{name}: expected constraints"):
            shoal.ase.relax_many([atoms], **{name: [0]})
    with pytest.raises(shoal.ArgumentError, match="forcefield: expected one for all"):
        shoal.ase.relax_many([atoms], forcefield=["uff"])
    with pytest.raises(shoal.ArgumentError, match="substrate: expected atoms 0 to 2, got"):
        shoal.ase.relax_many([atoms], substrate=[0, 3])
    moved = [ase.Atoms("OHH", OHH, cell=[9, 9, 9], pbc=True) for _ in range(2)]
    moved[1].positions[0, 2] += 1e-6
    with pytest.raises(shoal.ArgumentError, match="image 1: expected the substrate of image 0"):
        shoal.ase.relax_many(moved, substrate=[0])


# --- RDKit ---


@pytest.fixture
def chem():
    pytest.importorskip("rdkit", reason="RDKit is not installed")
    from rdkit import Chem

    import shoal.rdkit  # noqa: F401

    return Chem


def embedded(chem, smiles="CCO", n=3):
    from rdkit.Chem import AllChem

    mol = chem.AddHs(chem.MolFromSmiles(smiles))
    assert len(AllChem.EmbedMultipleConfs(mol, n, randomSeed=7)) == n
    return mol


def test_mols_are_systems(chem):
    """One per conformer; the last of them alone; back with all that is known."""
    mol = embedded(chem)
    conformers = [c.GetPositions() for c in mol.GetConformers()]
    assert np.array_equal(shoal.Molecule.from_rdkit(mol, 2).positions, conformers[2])
    wanted = shoal.Batch([shoal.rdkit.to_molecule(mol, k) for k in range(3)], device="cpu").energy()
    for systems in (mol, [mol]):
        found = shoal.Batch(systems, device="cpu").energy()
        assert np.array_equal(found.energy, wanted.energy)
    one = shoal.rdkit.to_molecule(mol, 1)
    one.name, one.charges = "ethanol", np.linspace(-0.1, 0.1, len(one))
    one.set_property("source", "drawer 3")
    back = one.to_rdkit()
    assert back.GetProp("_Name") == "ethanol" and back.GetProp("source") == "drawer 3"
    assert np.array_equal(back.GetConformer().GetPositions(), conformers[1])
    assert chem.CanonSmiles(chem.MolToSmiles(chem.RemoveHs(back))) == "CCO"
    bare = shoal.Molecule(one.numbers, one.positions)  # bonds are found
    assert chem.MolToSmiles(chem.RemoveHs(shoal.rdkit.to_mol(bare))) == "CCO"
    assert shoal.rdkit.to_molecules(mol, []) == []
    failed = shoal.Batch(water(), device="cpu", typing=shoal.Typing(types={0: "C_1"})).energy()
    assert failed[0].to_rdkit().GetProp("status") == failed.status[0]


def test_a_mol_cannot_say_what_is_in_another_cell(chem):
    bonds = np.zeros(1, shoal.molecule.BOND_DTYPE)
    bonds["j"], bonds["shift"], bonds["order"] = 1, (1, 0, 0), 1
    chain = shoal.Molecule("HH", [[0, 0, 0], [2, 0, 0]], bonds, cell=np.eye(3) * 3, pbc=True)
    with pytest.raises(shoal.UnsupportedError, match="atom 0 is bonded to atom 1 of another cell"):
        shoal.rdkit.to_mol(chain)


def test_charges_of_a_property_are_numbers(chem):
    mol = embedded(chem, n=1)
    for k, atom in enumerate(mol.GetAtoms()):
        atom.SetDoubleProp("q", 0.01 * k)
    found = shoal.rdkit.to_molecule(mol, charge_property="q").charges
    assert found == pytest.approx(0.01 * np.arange(9), abs=1e-15)
    mol.GetAtomWithIdx(2).SetDoubleProp("q", np.nan)
    with pytest.raises(shoal.ArgumentError, match=r"atom 2 \(O\): 'q' is nan"):
        shoal.rdkit.to_molecule(mol, charge_property="q")


def test_drawings_and_missing_hydrogens_are_told(chem):
    from rdkit.Chem import AllChem

    flat = chem.MolFromSmiles("CO")
    AllChem.Compute2DCoords(flat)
    with pytest.warns() as told:
        shoal.rdkit.to_molecules(flat)
    words = {w.category.__name__: str(w.message) for w in told}
    assert "4 hydrogen atoms are missing, 3 of them at atom 0 (C)" in words["HydrogenWarning"]
    assert "conformer 0 is 2-D" in words["GeometryWarning"]
    raw = chem.MolFromSmiles("CO", sanitize=False)  # nobody has counted its hydrogens yet
    raw.AddConformer(chem.Conformer(flat.GetConformer()))
    assert "4 hydrogen atoms are missing" in shoal._mol.missing_hydrogens(raw, "")


def test_a_drawing_that_leaves_its_plane_is_no_drawing_any_more(chem):
    """What failed stays; the mark of a conformer that was never flat is the user's."""
    from shoal._conformers import Conformers

    mol = embedded(chem, n=4)
    for k, conformer in enumerate(mol.GetConformers()):
        conformer.Set3D(False)
        if k < 3:
            shoal._mol.set_positions(conformer, conformer.GetPositions() * [1, 1, 0])
    before = [c.GetPositions() for c in mol.GetConformers()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = Conformers([mol], [""], None, None)
    assert list(found.drawings()) == [(0, 0), (0, 1), (0, 2)]
    ended = np.array(before)
    ended[0, 3, 2], ended[1, 3, 2], ended[2, 3, 0] = 0.1, 0.1, 7.0
    run = SimpleNamespace(
        positions=Ragged(ended.reshape(-1, 3), 9 * np.arange(5)),
        energy=np.array([0.0, np.nan, 0.0, 0.0]),
    )
    found.write_back(run)
    assert [c.Is3D() for c in mol.GetConformers()] == [True, False, False, False]
    after = [c.GetPositions() for c in mol.GetConformers()]
    assert np.array_equal(after[0], ended[0]) and np.array_equal(after[1], before[1])
    assert np.array_equal(after[2], ended[2])


def test_many_mols_at_once(chem):
    """Columns by Mol and the results of each say the same."""
    mols = [embedded(chem, "CCO", 3), None, embedded(chem, "CC", 2)]
    found = shoal.rdkit.optimize(mols, device="cpu", max_steps=20, fmax=0.05)
    assert len(found) == 3 and [len(one) for one in found] == [3, 0, 2]
    for name in ("energy", "energy0", "fmax", "steps", "status", "converged"):
        column = getattr(found, name)
        assert isinstance(column, Ragged) and column.counts.tolist() == [3, 0, 2]
        for i, one in enumerate(found):
            assert np.array_equal(column[i], getattr(one, name)), name
    assert (found.energy.flat < found.energy0.flat).all() and (found.steps.flat > 1).all()
    assert found.reason == [[""] * 3, [], [""] * 2]
    assert found.seconds == sum(part.provenance["seconds"] for part in found.parts) > 0
    assert np.array_equal(found[-1].energy, found[2].energy)
    assert [len(one) for one in found[1:]] == [0, 2]
    n = int(found.converged.flat.sum())
    assert repr(found) == f"<Optimized: 3 Mols, 5 conformers, {n} converged>"
    for i in (3, -4):
        with pytest.raises(IndexError, match=f"Mol {i} of 3"):
            found[i]


# --- ragged arrays ---


def test_ragged_arrays():
    r = Ragged(np.arange(10.0).reshape(5, 2), np.array([0, 2, 2, 5]))
    assert len(r) == 3 and r.counts.tolist() == [2, 0, 3]
    assert r[-1].tolist() == r[2].tolist() == [[4, 5], [6, 7], [8, 9]]
    assert [len(x) for x in r[1:]] == [0, 3] and [len(x) for x in r] == [2, 0, 3]
    assert np.shares_memory(r[0], r.flat)
    for k in (3, -4):
        with pytest.raises(IndexError, match=f"system {k} of 3"):
            r[k]
    assert repr(r) == "<Ragged 3 systems, 5 rows of float64>"
    with pytest.raises(ValueError, match="systems have 0 to 3 rows"):
        r.stack()
    even = Ragged(np.arange(6.0), np.array([0, 3, 6]))
    assert even.stack().tolist() == [[0, 1, 2], [3, 4, 5]]
    assert even.__array__(np.float32).dtype == np.float32
    assert np.shares_memory(even.__array__(np.float64), even.flat)
    assert np.shares_memory(np.asarray(even), even.flat)
    assert not np.shares_memory(np.array(even, copy=True), even.flat)
    assert Ragged(np.zeros((0, 3)), np.zeros(1, int)).stack().shape == (0, 0, 3)
