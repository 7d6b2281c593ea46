# SPDX-License-Identifier: BSD-3-Clause
# Systems of OpenMM, as OpenFF and others make them, as topologies.
"""Parameters of other programs: a System of OpenMM (OpenFF Interchange, Amber and CHARMM readers
and many more make one), or the XML file that it is written to, becomes a topology.

Harmonic bonds and angles, periodic and Ryckaert-Bellemans torsions, Lennard-Jones pairs by the
rules of Lorentz and Berthelot, charges and exceptions (1-4 pairs) are taken over term by term; any
other force that has an energy is refused by its name.
"""

from __future__ import annotations

import os
import xml.etree.ElementTree as xml
from collections.abc import Iterator
from typing import Any

import numpy as np

from ._handle import brief
from ._lib import ArgumentError, file_error, lib
from .molecule import elements_of
from .pair_model import PairModel
from .topology import Topology, TopologyBuilder

__all__ = ["topology"]

_KJ = 1 / 96.485332123310025  # eV: e N_A, exact since 2019
_NM = 10.0  # angstrom
_MINIMUM = 2 ** (1 / 6)  # of a Lennard-Jones pair, in sigma

# Without an energy.
_SILENT = (
    "AndersenThermostat",
    "CMMotionRemover",
    "MonteCarloAnisotropicBarostat",
    "MonteCarloBarostat",
    "MonteCarloMembraneBarostat",
)


def topology(system: Any, elements: Any = None) -> Topology:
    """The topology of a System: the path of its XML file, or the System itself.

    elements: numbers or symbols, [n]; None: by the masses, which are kept in any case. Constraints,
    virtual sites and pairs with a cut-off and without a lattice sum are refused: Shoal has none.
    Systems with a lattice sum are periodic; their molecules must be whole in the coordinates.

    >>> import shoal.openmm
    >>> top = shoal.openmm.topology("interchange.xml")  # doctest: +SKIP
    >>> shoal.Batch("ligand.sdf", topologies=top).energy()  # doctest: +SKIP
    """
    root = _read(system)
    masses = [_number(p, "mass") for p in root.findall("Particles/Particle")]
    _refuse(root)
    numbers = _by_masses(masses) if elements is None else elements_of(elements)
    if len(numbers) != len(masses):
        raise ArgumentError(f"elements: expected {len(masses)}, got {len(numbers)}")
    builder = Topology.build(numbers)
    nonbonded = 0
    for force in root.findall("Forces/Force"):
        kind = force.get("type", "")
        if kind in _SILENT:
            continue
        if kind not in _TAKEN:
            raise ArgumentError(
                f"system: it has a {kind}, expected none but {', '.join(_TAKEN)}"
                + (": write it with all pairs in one force" if "Nonbonded" in kind else "")
            )
        nonbonded += kind == "NonbondedForce"
        if nonbonded > 1:
            raise ArgumentError("system: two NonbondedForces, expected one")
        if kind == "NonbondedForce":
            _take_pairs(builder, force, np.asarray(numbers), masses)
        else:
            _TAKEN[kind](builder, force)
    if nonbonded == 0:
        for i, mass in enumerate(masses):
            builder.atom(i, mass=mass)
    return builder.finish("named" if nonbonded else "bonds and angles")


def _read(system: Any) -> xml.Element:
    if isinstance(system, (str, os.PathLike)):
        try:
            root = xml.parse(os.fspath(system)).getroot()
        except OSError as error:
            raise file_error(f"system: {system}: {error.strerror}") from None
        except xml.ParseError as error:
            raise ArgumentError(f"system: {system}: {error}") from None
    else:
        try:
            from openmm import XmlSerializer

            root = xml.fromstring(XmlSerializer.serialize(system))
        except (ImportError, AttributeError, TypeError, ValueError):
            raise ArgumentError(
                f"system: expected the path of an XML file or an openmm.System, got {brief(system)}"
            ) from None
    if root.tag != "System":
        raise ArgumentError(f"system: expected the XML of a System, got that of a {root.tag}")
    return root


def _refuse(root: xml.Element) -> None:
    """What no topology has."""
    n = len(root.findall("Constraints/Constraint"))
    if n:
        raise ArgumentError(
            f"system: {n} constraints, expected none: make it with constraints=None and "
            "rigidWater=False, so that these bonds have terms"
        )
    for i, particle in enumerate(root.findall("Particles/Particle")):
        if len(particle):
            raise ArgumentError(f"system: particle {i} is a {particle[0].tag}, expected an atom")
        if _number(particle, "mass") == 0:
            raise ArgumentError(
                f"system: particle {i} has no mass, so OpenMM holds it: expected a mass here, and "
                "fixed atoms in the Batch"
            )


def _by_masses(masses: list[float]) -> list[int]:
    table = Topology.build(range(1, 119)).finish().masses
    numbers = []
    for i, mass in enumerate(masses):
        z = int(np.argmin(np.abs(table - mass)))
        # Helium and beryllium are hydrogen with the mass of its neighbours, as a rule.
        if z + 1 in (2, 4) or not abs(table[z] - mass) < 0.02:
            raise ArgumentError(
                f"elements: particle {i} has {mass:g} amu, the mass of no element; expected "
                "elements= where masses are repartitioned"
            )
        numbers.append(z + 1)
    return numbers


def _number(at: xml.Element, name: str) -> float:
    try:
        return float(at.attrib[name])
    except (KeyError, ValueError):
        raise ArgumentError(
            f"system: {at.tag}: expected a number {name}, got {brief(dict(at.attrib))}"
        ) from None


def _rows(force: xml.Element, path: str, n: int, *names: str) -> Iterator[tuple[Any, ...]]:
    """Atoms and numbers of the terms of a force."""
    for row in force.findall(path):
        atoms = [int(_number(row, f"p{k + 1}")) for k in range(n)]
        yield (atoms, *(_number(row, name) for name in names))


def _take_bonds(builder: TopologyBuilder, force: xml.Element) -> None:
    for (i, j), d, k in _rows(force, "Bonds/Bond", 2, "d", "k"):
        builder.bond(i, j, k=k * _KJ / _NM**2, r0=d * _NM)


def _take_angles(builder: TopologyBuilder, force: xml.Element) -> None:
    for atoms, a, k in _rows(force, "Angles/Angle", 3, "a", "k"):
        builder.term("bend", atoms, [k * _KJ, a, 0, 0, 0, 0, 0])


def _take_torsions(builder: TopologyBuilder, force: xml.Element) -> None:
    for atoms, n, phase, k in _rows(
        force, "Torsions/Torsion", 4, "periodicity", "phase", "k"
    ):
        if k:
            _add_torsion(builder, atoms, k * _KJ, n, phase)


def _add_torsion(
    builder: TopologyBuilder, atoms: list[int], k: float, n: float, phase: float
) -> None:
    """k (1 + cos(n phi - phase)); most phases are those of the faster kind."""
    for d, own in ((-1, 0.0), (1, np.pi)):
        if abs(phase - own) < 1e-6 and n > 0:
            builder.term("torsion", atoms, [k, d, n])
            return
    builder.term("periodic", atoms, [k, n, phase])


def _take_ryckaert_bellemans(builder: TopologyBuilder, force: xml.Element) -> None:
    """Powers of cos(phi - 180) as cosines of multiples of phi, and what is left, a constant."""
    for atoms, *c in _rows(
        force, "Torsions/Torsion", 4, "c0", "c1", "c2", "c3", "c4", "c5"
    ):
        series = np.polynomial.chebyshev.poly2cheb(np.array(c) * (-1.0) ** np.arange(6))
        series = np.concatenate([series, np.zeros(6 - len(series))]) * _KJ
        for n in range(1, 6):
            if series[n]:
                builder.term("torsion", atoms, [series[n], -1, n])
        constant = series[0] - series[1:].sum()
        if constant:
            builder.term("periodic", atoms, [0.5 * constant, 0, 0])


def _take_pairs(
    builder: TopologyBuilder, force: xml.Element, numbers: np.ndarray, masses: list[float]
) -> None:
    method = int(force.get("method", 0))
    if method not in (0, 3, 4):
        raise ArgumentError(
            "system: pairs have a cut-off of their own, expected NoCutoff, Ewald or PME"
        )
    if force.findall("GlobalParameters/*") or force.findall("ParticleOffsets/*"):
        raise ArgumentError("system: pairs depend on global parameters, expected numbers")
    particles = [
        (_number(p, "q"), _number(p, "sig") * _NM * _MINIMUM, _number(p, "eps") * _KJ)
        for p in force.findall("Particles/Particle")
    ]
    for i, (_, x, d) in enumerate(particles):
        if d and not x > 0:
            raise ArgumentError(f"system: particle {i} has epsilon and no sigma, expected both")
    types: dict[tuple[int, float, float], str] = {}
    for i, (q, x, d) in enumerate(particles):
        x = x if d > 0 and x > 0 else 3.0
        z = int(numbers[i])
        label = types.setdefault((z, x, d), f"{_symbol(z)}{len(types) + 1}")
        builder.atom(i, vdw_x=x, vdw_d=d, charge=q, mass=masses[i], type=label)
    builder.model(
        PairModel(
            hbond="none",
            types={
                label: {"r": 0.5 * x, "e": d, "element": _symbol(z)}
                for (z, x, d), label in types.items()
            },
        )
    )
    if method:
        builder.periodic()
    for (i, j), q, sigma, eps in _rows(force, "Exceptions/Exception", 2, "q", "sig", "eps"):
        both = particles[i][0] * particles[j][0]
        if not sigma:
            eps = 0.0
        if q and not both:
            raise ArgumentError(
                f"system: exception {i}-{j} has charges, and one of its atoms has none"
            )
        if not q and not eps:
            builder.exclude(i, j)
            continue
        builder.pair(
            i,
            j,
            vdw_scale=1.0 if eps else 0.0,
            coulomb_scale=q / both if q else 0.0,
            x=sigma * _NM * _MINIMUM if eps else 0.0,
            d=eps * _KJ if eps else 0.0,
        )


def _symbol(z: int) -> str:
    return str(lib.shoal_element_symbol(z).decode())


_TAKEN: dict[str, Any] = {
    "HarmonicBondForce": _take_bonds,
    "HarmonicAngleForce": _take_angles,
    "PeriodicTorsionForce": _take_torsions,
    "RBTorsionForce": _take_ryckaert_bellemans,
    "NonbondedForce": _take_pairs,
}
