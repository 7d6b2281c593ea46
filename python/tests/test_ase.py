# SPDX-License-Identifier: BSD-3-Clause
"""ASE: the calculator under ASE's own tests, many Atoms at once, conversions."""

import copy
import inspect
import pickle
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("ase", reason="ASE is not installed")
pytest.importorskip("ase.calculators.fd", reason="ASE is older than 3.24")

import ase.constraints as constraints  # noqa: E402
from ase import Atoms, units  # noqa: E402
from ase.build import add_adsorbate, bulk, fcc111, molecule  # noqa: E402
from ase.calculators.calculator import CalculationFailed, PropertyNotImplementedError  # noqa: E402
from ase.calculators.fd import (  # noqa: E402
    calculate_numerical_forces,
    calculate_numerical_stress,
)
from ase.filters import FrechetCellFilter  # noqa: E402
from ase.io import read, write  # noqa: E402
from ase.md.verlet import VelocityVerlet  # noqa: E402
from ase.optimize import BFGS, FIRE  # noqa: E402

import shoal  # noqa: E402
import shoal.ase as bridge  # noqa: E402
from shoal import calculator  # noqa: E402
from shoal.ase import Shoal, relax_many, split  # noqa: E402


def rattled(name, seed=1, amount=0.05):
    atoms = molecule(name)
    atoms.rattle(amount, seed=seed)
    return atoms


def argon():
    atoms = bulk("Ar", cubic=True)
    atoms.rattle(0.1, seed=2)
    return atoms


def ethane_crystal():
    """Two molecules in a cell that leans, one of them across its border."""
    atoms = molecule("C2H6")
    other = molecule("C2H6")
    other.rotate(70, (1, 1, 0))
    other.translate((3.9, 2.9, 2.6))
    atoms += other
    atoms.set_cell([[6.0, 0.3, 0.0], [0.4, 5.5, 0.2], [0.1, 0.5, 6.5]])
    atoms.pbc = True
    return atoms


# --- the calculator ---


@pytest.mark.parametrize("charges", ["none", "qeq"])
def test_forces_are_slopes(charges):
    atoms = rattled("CH3CONH2")
    atoms.calc = Shoal(charges=charges)
    numeric = calculate_numerical_forces(atoms, eps=1e-4)
    np.testing.assert_allclose(atoms.get_forces(), numeric, atol=2e-6)
    assert (np.abs(atoms.get_charges()).max() > 0.1) == (charges == "qeq")
    assert sum(atoms.calc.terms.values()) == pytest.approx(atoms.get_potential_energy(), abs=1e-12)


def test_energy_is_that_of_a_batch():
    atoms = rattled("C6H6")
    atoms.calc = Shoal()
    wanted = shoal.Batch([bridge.to_molecule(atoms)], device="cpu", precision="double").energy()
    assert atoms.get_potential_energy() == wanted.energy[0]
    assert np.array_equal(atoms.get_forces(), wanted.forces[0])
    assert atoms.get_potential_energy(force_consistent=True) == wanted.energy[0]


def salt():
    atoms = bulk("NaCl", "rocksalt", a=5.64, cubic=True)
    atoms.rattle(0.05, seed=1)
    atoms.set_initial_charges([1.0 if symbol == "Na" else -1.0 for symbol in atoms.symbols])
    return atoms


def diamond():
    atoms = bulk("C", "diamond", a=3.567, cubic=True)
    atoms.rattle(0.03, seed=1)
    return atoms


@pytest.mark.parametrize("make", [argon, ethane_crystal, salt, diamond])
def test_stress(make):
    """ASE's sign and order, to 3e-8 eV/angstrom^3 of ASE's own differences."""
    atoms = make()
    atoms.calc = Shoal(charges="qeq" if make is ethane_crystal else "auto")
    stress = atoms.get_stress()
    numeric = calculate_numerical_stress(atoms, eps=2e-5)
    assert np.abs(stress).max() > 1e-4
    np.testing.assert_allclose(stress, numeric, atol=3e-8, rtol=0)


def test_cell_is_relaxed_by_ase():
    """Typing and bonds stay while the cell changes."""
    atoms = bulk("Ar")
    atoms.calc = Shoal()
    assert BFGS(FrechetCellFilter(atoms), logfile=None).run(fmax=5e-3, steps=40)
    assert abs(atoms.cell.lengths() - bulk("Ar").cell.lengths()).min() > 0.01
    assert np.abs(atoms.get_stress()).max() < 5e-4


def test_no_stress_without_a_cell():
    atoms = molecule("H2O")
    atoms.calc = Shoal()
    with pytest.raises(PropertyNotImplementedError, match="three directions"):
        atoms.get_stress()


def test_atoms_that_move_are_not_typed_again(monkeypatch):
    typed = []
    plain = calculator._System._type
    monkeypatch.setattr(
        calculator._System, "_type", lambda self, part: (typed.append(1), plain(self, part))
    )
    atoms = ethane_crystal()
    atoms.calc = Shoal()
    first = atoms.get_potential_energy()
    atoms.rattle(0.02, seed=3)
    atoms.get_forces()
    atoms.set_cell(atoms.cell * 1.01, scale_atoms=True)
    atoms.get_potential_energy()
    assert len(typed) == 1
    atoms.pbc = [True, True, False]
    assert atoms.get_potential_energy() != first and len(typed) == 2
    atoms.numbers[0] = 14
    atoms.get_potential_energy()
    assert len(typed) == 3
    atoms.calc.set(forcefield="uff:paper")
    atoms.get_potential_energy()
    assert len(typed) == 4


def test_bonds_kept_or_found():
    """A kept bond pulls however far its atoms are apart; one that is looked for does not."""
    atoms = molecule("H2")
    for how, far in (("keep", True), ("find", False)):
        atoms.set_distance(0, 1, 0.74)
        atoms.calc = Shoal(bonds=how)
        atoms.get_potential_energy()
        atoms.set_distance(0, 1, 5.0)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            assert (atoms.get_potential_energy() > 10) == far
        assert any("atoms 0 and 1 is 5.00" in str(w.message) for w in told) == far
    atoms.calc = Shoal(bonds=[(0, 1, 1)])
    assert atoms.get_potential_energy() > 10


def test_wrapped_atoms_keep_their_bonds():
    atoms = ethane_crystal()
    atoms.calc = Shoal()
    before, forces = atoms.get_potential_energy(), atoms.get_forces()
    atoms.wrap()
    assert not np.allclose(atoms.positions, ethane_crystal().positions)
    assert atoms.get_potential_energy() == pytest.approx(before, abs=1e-9)
    np.testing.assert_allclose(atoms.get_forces(), forces, atol=1e-8)


@pytest.mark.parametrize("optimiser", [BFGS, FIRE])
def test_optimisers(optimiser):
    atoms = rattled("CH3CH2OH", amount=0.1)
    atoms.set_constraint(constraints.FixAtoms([0]))
    start = atoms.positions.copy()
    atoms.calc = Shoal()
    assert optimiser(atoms, logfile=None).run(fmax=0.02, steps=500)
    assert np.array_equal(atoms.positions[0], start[0])
    assert not np.allclose(atoms.positions[1], start[1])


def test_dynamics_conserve_energy():
    atoms = rattled("CH3CH2OH", amount=0.02)
    atoms.calc = Shoal()
    rng = np.random.default_rng(5)
    atoms.set_momenta(
        rng.normal(size=(len(atoms), 3)) * np.sqrt(atoms.get_masses() * 0.02)[:, None]
    )
    begin = atoms.get_total_energy()
    VelocityVerlet(atoms, timestep=0.2 * units.fs).run(300)
    assert atoms.get_kinetic_energy() > 0.05
    assert abs(atoms.get_total_energy() - begin) < 2e-3


def test_copies_and_pickles():
    atoms = rattled("CH3CONH2")
    atoms.calc = Shoal(charges="qeq")
    energy = atoms.get_potential_energy()
    for calc in (copy.deepcopy(atoms.calc), pickle.loads(pickle.dumps(atoms.calc))):
        assert calc.parameters == atoms.calc.parameters
        assert calc.results["energy"] == energy
        other = atoms.copy()
        other.calc = calc
        other.rattle(0.01, seed=1)
        assert other.get_potential_energy() != energy
    assert atoms.get_potential_energy() == energy


def test_parameters():
    atoms = rattled("CH3CONH2")
    atoms.calc = Shoal(label="dir/run")
    assert (atoms.calc.label, atoms.calc.directory, atoms.calc.prefix) == ("dir/run", "dir", "run")
    atoms.calc = Shoal()
    energy = atoms.get_potential_energy()
    assert atoms.calc.set(charges="auto") == {} and atoms.calc.results
    assert atoms.calc.set(charges="qeq") == {"charges": "qeq"} and not atoms.calc.results
    assert atoms.get_potential_energy() != energy
    with pytest.raises(shoal.ArgumentError, match="cutof: no parameter"):
        Shoal(cutof=12.0)


def test_untyped_names_the_atom():
    atoms = Atoms("OHH", [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]])
    atoms.numbers[1] = 110
    atoms.calc = Shoal()
    with pytest.raises(CalculationFailed, match="atom 1"):
        atoms.get_potential_energy()


def test_initial_charges():
    atoms = molecule("H2O")
    atoms.calc = Shoal()
    assert np.array_equal(atoms.get_charges(), np.zeros(3))
    atoms.set_initial_charges([-0.8, 0.4, 0.4])
    assert np.array_equal(atoms.get_charges(), [-0.8, 0.4, 0.4])
    far = Atoms("He2", [[0, 0, 0], [0, 0, 8]])
    far.calc = Shoal()
    zero = far.get_potential_energy()
    far.set_initial_charges([0.5, -0.5])
    assert far.get_potential_energy() - zero == pytest.approx(-14.399645 * 0.25 / 8, rel=1e-5)


# --- ASE's own tests, with this calculator ---


@pytest.mark.filterwarnings("ignore:Unknown pytest.mark")
def test_of_ase_trajectory(tmp_path, monkeypatch):
    from ase.test.calculator import test_traj

    monkeypatch.chdir(tmp_path)
    test_traj.test_h2_traj(SimpleNamespace(calc=Shoal, name="shoal"), None)


@pytest.mark.parametrize("name", ["test_fd", "test_analytical_forces", "test_analytical_stress"])
def test_of_ase_finite_differences(name, monkeypatch):
    from ase.test.calculator import test_fd

    test = getattr(test_fd, name, None)
    if test is None or not inspect.signature(test).parameters:
        pytest.skip("this version of ASE has no such test, or with atoms of copper alone")
    monkeypatch.setattr(test_fd, "EMT", lambda: Shoal(bonds=[]))
    test(argon())


def test_of_ase_directories_and_labels(monkeypatch):
    from ase.test import test_calculator_label
    from ase.test.calculator import test_calculator

    monkeypatch.setattr(test_calculator, "Calculator", Shoal)
    monkeypatch.setattr(test_calculator_label, "Calculator", Shoal)
    test_calculator.test_directory_and_label()
    test_calculator_label.test_calculator_label()


# --- many at once ---


def test_relax_many():
    images = [rattled(name, seed) for seed, name in enumerate(["CH3CH2OH", "C6H6", "H2O"])]
    images.append(ethane_crystal())
    images[0].set_constraint(constraints.FixAtoms([0, 1]))
    images[1].info["key"] = "value"
    images[2].set_tags([4, 5, 6])
    kept = [image.positions.copy() for image in images]
    found = relax_many(images, fmax=0.005, device="cpu")
    assert all(np.array_equal(a.positions, b) for a, b in zip(images, kept))
    for image, out in zip(images, found):
        assert out.info["shoal_status"] == "converged" and out.info["shoal_steps"] > 3
        assert np.array_equal(out.numbers, image.numbers)
        assert np.array_equal(out.cell, image.cell) and np.array_equal(out.pbc, image.pbc)
        assert np.linalg.norm(out.get_forces(), axis=1).max() < 0.006  # with constraints
        single = out.copy()
        single.calc = Shoal(bonds=bonds_of(image))
        assert out.get_potential_energy() == pytest.approx(single.get_potential_energy(), abs=1e-6)
    assert np.array_equal(found[0].positions[:2], kept[0][:2])
    assert found[1].info["key"] == "value" and found[2].get_tags().tolist() == [4, 5, 6]


def bonds_of(atoms):
    return np.array(bridge.to_molecule(atoms).perceive().bonds)


def test_relax_many_with_a_failure():
    assert relax_many([]) == []
    bad = molecule("H2O")
    bad.numbers[2] = 110
    good, out = relax_many([rattled("CH3OH"), bad], device="cpu")
    with pytest.raises(shoal.ArgumentError, match="image 0: expected ase.Atoms"):
        relax_many(molecule("H2O"))
    with pytest.raises(shoal.ArgumentError, match="copies"):
        relax_many([molecule("H2O")], copies=2)
    assert good.info["shoal_status"] == "converged"
    assert out.info["shoal_status"] == "untyped" and "atom 2" in out.info["shoal_reason"]
    assert out.calc is None and np.array_equal(out.positions, bad.positions)


@pytest.mark.parametrize(
    "constraint",
    [
        constraints.FixCartesian([3, 4], (True, False, True)),
        constraints.FixAtoms([]),
        constraints.FixedPlane([3], (0, 0, 1)),
        constraints.FixedLine([3], (1, 0, 0)),
        constraints.FixCartesian(range(9), (True, False, False)),
        constraints.Hookean(0, 1, rt=1.3, k=5.0),
        constraints.Hookean(0, 1, rt=1.46, k=5.0),
        constraints.Hookean(0, 1, rt=2.5, k=5.0),
        constraints.Hookean(3, (0.5, 0.0, 2.0), rt=0.0, k=0.5),
        constraints.Hookean(3, (0.0, 0.0, 1.0, -0.2), k=2.0),
    ],
    ids=lambda c: type(c).__name__,
)
def test_relax_many_keeps_to_constraints(constraint):
    """A minimum under ASE's own idea of the constraint, with what it holds where it was."""
    atoms = rattled("CH3CH2OH", amount=0.08)
    atoms.set_distance(0, 1, 1.4, fix=0)  # a spring of 1.46 begins to pull on the way
    atoms.set_constraint(constraint)
    (found,) = relax_many([atoms], fmax=0.002, device="cpu", precision="double")
    assert found.info["shoal_status"] == "converged"
    held = found.positions.copy()
    constraint.adjust_positions(atoms, held)
    assert np.array_equal(held, found.positions)
    again = found.copy()
    again.calc = Shoal(bonds=bonds_of(atoms))
    assert np.linalg.norm(again.get_forces(), axis=1).max() < 0.005
    assert found.get_potential_energy() == pytest.approx(again.get_potential_energy(), abs=1e-9)


def test_relax_many_refuses_other_constraints():
    atoms = molecule("H2O")
    atoms.set_constraint(constraints.FixBondLength(0, 1))
    with pytest.raises(shoal.UnsupportedError, match="image 1: .*FixBondLength"):
        relax_many([molecule("H2"), atoms])
    atoms.set_constraint(constraints.FixedPlane([0], (1, 1, 0)))
    with pytest.raises(shoal.UnsupportedError, match="along x, y or z"):
        relax_many([atoms])


# --- molecule and substrate ---


def on_gold(height=3.2):
    slab = fcc111("Au", (4, 4, 2), vacuum=8.0)
    add_adsorbate(slab, molecule("H2O"), height, "ontop")
    slab.set_constraint(constraints.FixAtoms(mask=slab.symbols == "Au"))
    return slab, np.asarray(slab.symbols == "Au")


def test_split():
    atoms, mask = on_gold()
    part, surface = split(atoms, mask)
    assert part.get_chemical_formula() == "H2O" and part.pbc.tolist() == [True, True, False]
    assert len(surface.molecule) == mask.sum()
    with pytest.raises(shoal.ArgumentError, match="expected some of 35 atoms"):
        split(atoms, np.zeros(35, bool))
    with pytest.raises(shoal.ArgumentError, match="expected 35 truth values"):
        split(atoms, np.zeros(3, bool))


def test_a_surface_goes_along_into_copies_and_files(tmp_path):
    atoms, mask = on_gold()
    part, surface = split(atoms, mask)
    part.calc = Shoal(surface=surface)
    energy = part.get_potential_energy()
    write(tmp_path / "x.traj", part)
    assert read(tmp_path / "x.traj").get_potential_energy() == energy
    other = part.copy()
    other.calc = pickle.loads(pickle.dumps(part.calc))
    other.calc.reset()
    assert other.get_potential_energy() == energy


def test_substrate():
    """The molecule on a rigid slab: its energy, its forces, and none on the slab."""
    atoms, mask = on_gold()
    atoms.calc = Shoal(substrate=mask)
    part, surface = split(atoms, mask)
    part.calc = Shoal(surface=surface)
    assert atoms.get_potential_energy() == part.get_potential_energy()
    forces = atoms.get_forces(apply_constraint=False)
    assert np.array_equal(forces[~mask], part.get_forces()) and not forces[mask].any()
    assert abs(atoms.calc.terms["surface"]) > 1e-3
    numeric = calculate_numerical_forces(atoms, eps=1e-4, iatoms=np.flatnonzero(~mask))
    np.testing.assert_allclose(forces[~mask], numeric, atol=2e-6)
    assert BFGS(atoms, logfile=None).run(fmax=0.01, steps=300)
    (found,) = relax_many([on_gold()[0]], substrate=mask, fmax=0.01, device="cpu")
    assert found.info["shoal_status"] == "converged"
    assert np.array_equal(found.positions[mask], atoms.positions[mask])
    assert found.get_potential_energy() == pytest.approx(atoms.get_potential_energy(), abs=5e-3)
    assert not found.get_forces()[mask].any()


# --- conversions ---


def test_round_trip():
    atoms = ethane_crystal()
    atoms.set_initial_charges(np.linspace(-0.1, 0.1, len(atoms)))
    atoms.set_masses([2.014 if s == "H" else None for s in atoms.symbols])
    atoms.info["name"] = "ethane"
    mol = bridge.to_molecule(atoms)
    assert mol.isotopes.max() == 2 and mol.name == "ethane"
    back = bridge.to_atoms(mol)
    assert np.array_equal(back.positions, atoms.positions)
    assert np.array_equal(back.numbers, atoms.numbers)
    assert np.array_equal(back.cell, atoms.cell) and back.pbc.all()
    assert np.array_equal(back.get_initial_charges(), atoms.get_initial_charges())
    assert np.abs(back.get_masses() - atoms.get_masses()).max() < 0.1
    assert back.info["name"] == "ethane"


def test_results_to_ase(tmp_path):
    found = shoal.Batch([bridge.to_molecule(rattled("CH3OH"))], device="cpu").relax()
    atoms = found.to_ase()[0]
    assert atoms.get_potential_energy() == found.energy[0]
    assert np.array_equal(atoms.get_forces(), found.forces[0])
    assert atoms.info["shoal_status"] == "converged"
    write(tmp_path / "x.traj", atoms)
    assert read(tmp_path / "x.traj").get_potential_energy() == found.energy[0]


def test_initial_charges_are_taken_where_they_are_wanted():
    assert [bridge.wanted(x) for x in ("file", "none", "auto", "qeq")] == [True, False, None, None]
    water = molecule("H2O")
    water.set_initial_charges([-0.8, 0.4, 0.4])
    assert bridge.to_molecule(water, initial_charges=False).charges is None
    assert bridge.to_molecule(water).charges.tolist() == [-0.8, 0.4, 0.4]


def test_springs_to_planes():
    """A x + B y + C z + D = 0, in which the normal need not have length 1."""
    from shoal._constraints import _pull, _stretch

    for plane, target in (((0, 0, 1, -7), 7.0), ((0, 2, 0, 7), -3.5), ((-4, 0, 0, 2), 0.5)):
        spring = constraints.Hookean(a1=0, a2=plane, k=2.0)
        axis = int(np.flatnonzero(plane[:3])[0])
        pull = _pull(spring)
        assert pull.directions == "xyz"[axis] and pull.k == 2.0
        assert pull.target[axis] == pytest.approx(target)
        there = np.zeros((1, 3))
        there[0, axis] = target
        assert _stretch(spring, there) == pytest.approx(0)
        there[0, axis] += np.sign(plane[axis])
        assert abs(_stretch(spring, there)) == pytest.approx(1)


def test_wrapped_atoms_of_a_sheared_cell_keep_their_bonds():
    atoms = rattled("C2H6")
    atoms.set_cell([[6, 0, 0], [2.5, 6.5, 0], [-1.5, 1, 7]])
    atoms.pbc = True
    atoms.calc = Shoal()
    energy, forces = atoms.get_potential_energy(), atoms.get_forces()
    moves = np.array([[1, 0, 0], [0, -1, 0], [0, 0, 1], [1, -1, 0], [0, 2, -1]])
    atoms.positions[:5] += moves @ atoms.cell.array
    assert atoms.get_potential_energy() == pytest.approx(energy, abs=1e-9)
    np.testing.assert_allclose(atoms.get_forces(), forces, atol=1e-8)


def test_a_bond_of_twice_its_length_is_absurd():
    water = molecule("H2O")
    water.calc = Shoal()
    water.get_potential_energy()
    way = water.positions[1] - water.positions[0]
    r0 = float(water.calc._system.topology.terms("bond")["r0"][0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        water.positions[1] = water.positions[0] + way / np.linalg.norm(way) * 1.98 * r0
        water.get_potential_energy()
    water.positions[1] = water.positions[0] + way / np.linalg.norm(way) * 2.02 * r0
    with pytest.warns(UserWarning, match="bond of atoms 0 and 1"):
        water.get_potential_energy()


def test_steps_of_all_rounds_are_told(monkeypatch):
    """Held coordinates take several relaxations; their evaluations add up."""
    image = rattled("CH3CH2OH", amount=0.2)
    image.set_constraint(constraints.FixCartesian([0, 1, 2, 3], mask=[True, True, False]))
    told = []

    def counted(*args, **options):
        made = shoal.Batch(*args, **options)
        relax = made.relax
        made.relax = lambda **more: told.append(relax(**more)) or told[-1]
        return made

    monkeypatch.setattr(bridge, "Batch", counted)
    (out,) = relax_many([image], device="cpu", charges="none")
    steps = [int(results.steps[0]) for results in told]
    assert len(steps) > 1 and out.info["shoal_steps"] == sum(steps)


def test_relax_many_wants_one_substrate():
    """Another cell is another substrate, although its atoms are at the same places."""
    slab = fcc111("Au", (2, 2, 1), vacuum=8)
    add_adsorbate(slab, molecule("H2O"), 3.0)
    other = slab.copy()
    other.set_cell(other.cell.array * [[1.1], [1], [1]])
    with pytest.raises(shoal.ArgumentError, match="image 1: expected the substrate of image 0"):
        relax_many([slab, other], substrate=range(4), device="cpu")
