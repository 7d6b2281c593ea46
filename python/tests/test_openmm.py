# SPDX-License-Identifier: BSD-3-Clause
# Systems of OpenMM against OpenMM's own energies and forces, force by force.
import numpy as np
import pytest

import shoal

openmm = pytest.importorskip("openmm")
import shoal.openmm  # noqa: E402

KJ = 96.485332123310025  # kJ/mol in an eV
SYMBOLS = "CCOHHHHHH"
MASSES = [12.011, 12.011, 15.999, *[1.008] * 6]
BONDS = [(0, 1), (1, 2), (2, 8), (0, 3), (0, 4), (0, 5), (1, 6), (1, 7)]
RNG = np.random.default_rng(5)
# Ethanol, far from its minimum, so that every term counts.
POSITIONS = np.array(
    [
        [-1.2, -0.2, 0.1],
        [0.1, 0.6, -0.1],
        [1.2, -0.3, 0.2],
        [-1.4, -0.9, -0.7],
        [-1.1, -0.8, 1.0],
        [-2.0, 0.5, 0.2],
        [0.2, 1.3, 0.7],
        [0.0, 1.1, -1.1],
        [1.9, 0.2, 0.5],
    ]
)


def angles_of(bonds):
    near = {i: sorted({a + b - i for a, b in bonds if i in (a, b)}) for i in range(9)}
    return [(a, j, b) for j in near for a in near[j] for b in near[j] if a < b]


def torsions_of(bonds):
    near = {i: sorted({a + b - i for a, b in bonds if i in (a, b)}) for i in range(9)}
    return [
        (i, j, k, m)
        for j, k in bonds
        for i in near[j]
        for m in near[k]
        if i != k and m not in (j, i)
    ]


def bond_force():
    f = openmm.HarmonicBondForce()
    for n, (i, j) in enumerate(BONDS):
        f.addBond(i, j, 0.10 + 0.005 * n, 2e5 + 1e4 * n)
    return f


def angle_force():
    f = openmm.HarmonicAngleForce()
    for n, (i, j, k) in enumerate(angles_of(BONDS)):
        f.addAngle(i, j, k, 1.8 + 0.02 * n, 400.0 + 10 * n)
    return f


def torsion_force():
    f = openmm.PeriodicTorsionForce()
    for n, atoms in enumerate(torsions_of(BONDS)):
        phase = (0.0, np.pi, 0.4, -1.3)[n % 4]
        f.addTorsion(*atoms, 1 + n % 6, phase, 0.6 + 0.1 * n)
    f.addTorsion(0, 6, 1, 2, 2, np.pi, 4.6)  # improper, about no bond
    f.addTorsion(0, 7, 1, 6, 3, 1.1, -2.3)
    return f


def ryckaert_force():
    f = openmm.RBTorsionForce()
    for n, atoms in enumerate(torsions_of(BONDS)):
        f.addTorsion(*atoms, 9.3 + n, 12.1, -13.1, -3.1, 26.2, -31.5 + n)
    return f


def pair_force():
    f = openmm.NonbondedForce()
    f.setNonbondedMethod(openmm.NonbondedForce.NoCutoff)
    charges = [-0.14, 0.13, -0.6, 0.04, 0.05, 0.04, 0.04, 0.04, 0.4]
    sigma = [0.34, 0.34, 0.307, 0.265, 0.265, 0.265, 0.247, 0.247, 0.0]
    depth = [0.458, 0.458, 0.88, 0.066, 0.066, 0.066, 0.066, 0.066, 0.0]
    for row in zip(charges, sigma, depth):
        f.addParticle(*row)
    f.createExceptionsFromBonds(BONDS, 1 / 1.2, 0.5)
    return f


FORCES = {
    "bond": bond_force,
    "angle": angle_force,
    "torsion": torsion_force,
    "ryckaert": ryckaert_force,
    "pairs": pair_force,
}


def system_of(*forces):
    system = openmm.System()
    for mass in MASSES:
        system.addParticle(mass)
    for force in forces:
        system.addForce(force)
    return system


def energy_of(system, positions):
    """OpenMM's energy in eV and forces in eV/angstrom."""
    platform = openmm.Platform.getPlatformByName("Reference")
    context = openmm.Context(system, openmm.VerletIntegrator(0.001), platform)
    context.setPositions(positions / 10)
    state = context.getState(getEnergy=True, getForces=True)
    energy = state.getPotentialEnergy().value_in_unit(openmm.unit.kilojoule_per_mole)
    forces = state.getForces(asNumpy=True)._value
    return energy / KJ, np.array(forces) / KJ / 10


def compare(system, device):
    top = shoal.openmm.topology(system)
    mol = shoal.Molecule(SYMBOLS, POSITIONS)
    result = shoal.Batch(mol, topologies=top, precision="double", device=device).energy(
        forces=True
    )
    energy, forces = energy_of(system, POSITIONS)
    assert abs(energy) > 1e-3
    assert result.energy[0] == pytest.approx(energy, rel=1e-6)
    assert np.abs(result.forces[0] - forces).max() < 1e-6 * np.abs(forces).max()
    return result


@pytest.mark.parametrize("device", ["ref", "cpu"])
@pytest.mark.parametrize("name", FORCES)
def test_each_force_is_that_of_openmm(name, device):
    compare(system_of(FORCES[name]()), device)


def test_a_whole_system_and_its_file(tmp_path):
    system = system_of(*(make() for make in FORCES.values()), openmm.CMMotionRemover())
    compare(system, "cpu")
    path = tmp_path / "system.xml"
    path.write_text(openmm.XmlSerializer.serialize(system))
    one, other = shoal.openmm.topology(path), shoal.openmm.topology(system)
    for kind in ("bond", "bend", "torsion", "periodic", "pair_vdw", "pair_coulomb"):
        assert len(one.terms(kind)) and (one.terms(kind) == other.terms(kind)).all()
    assert one.masses.tolist() == MASSES
    assert one.numbers.tolist() == [6, 6, 8, *[1] * 6]


def test_a_box_of_two_by_a_lattice_sum():
    pairs = pair_force()
    pairs.setNonbondedMethod(openmm.NonbondedForce.Ewald)
    pairs.setCutoffDistance(1.2)
    pairs.setEwaldErrorTolerance(1e-7)
    pairs.setUseDispersionCorrection(False)
    system = system_of(pairs)
    system.setDefaultPeriodicBoxVectors((2.5, 0, 0), (0, 2.6, 0), (0, 0, 2.7))
    top = shoal.openmm.topology(system)
    mol = shoal.Molecule(SYMBOLS, POSITIONS, cell=[25.0, 26.0, 27.0], pbc=True)
    result = shoal.Batch(mol, topologies=top, precision="double", device="cpu").energy()
    energy, _ = energy_of(system, POSITIONS)
    assert result.energy[0] == pytest.approx(energy, abs=1e-6)


@pytest.mark.parametrize(
    "spoil, words",
    [
        (lambda s: s.addConstraint(0, 3, 0.1), "constraints=None"),
        (lambda s: s.addForce(openmm.CustomBondForce("r")), "CustomBondForce"),
        (lambda s: s.addForce(pair_force()), "two NonbondedForces"),
        (lambda s: s.getForce(0).setNonbondedMethod(1), "cut-off of their own"),
        (lambda s: s.getForce(0).addGlobalParameter("q", 1.0), "global parameters"),
        (lambda s: s.getForce(0).setParticleParameters(0, 0.0, 0.3, 0.4), "one of its atoms"),
        (lambda s: s.setParticleMass(3, 2.7), "mass of no element"),
        (lambda s: s.setParticleMass(3, 0.0), "has no mass"),
        (
            lambda s: s.setVirtualSite(8, openmm.TwoParticleAverageSite(0, 1, 0.5, 0.5)),
            "TwoParticleAverageSite",
        ),
    ],
)
def test_what_shoal_lacks_is_refused(spoil, words):
    system = system_of(pair_force())
    spoil(system)
    if "TwoParticle" in words:
        system.setParticleMass(8, 0)
    with pytest.raises(shoal.ArgumentError, match=words):
        shoal.openmm.topology(system)


def test_other_masses_ask_for_elements():
    system = system_of(bond_force())
    for i in range(3, 9):
        system.setParticleMass(i, 3.0)
    with pytest.raises(shoal.ArgumentError, match="elements"):
        shoal.openmm.topology(system)
    top = shoal.openmm.topology(system, elements=list(SYMBOLS))
    assert top.masses[3:].tolist() == [3.0] * 6 and top.numbers[8] == 1


def test_files_that_are_none(tmp_path):
    (tmp_path / "a.xml").write_text("<State/>")
    (tmp_path / "b.xml").write_text("<Sys")
    for name, words in (("a.xml", "of a State"), ("b.xml", "b.xml")):
        with pytest.raises(shoal.ArgumentError, match=words):
            shoal.openmm.topology(tmp_path / name)
    with pytest.raises(shoal.MissingFileError):
        shoal.openmm.topology(tmp_path / "c.xml")
    with pytest.raises(shoal.ArgumentError, match="openmm.System"):
        shoal.openmm.topology(3)
