# SPDX-License-Identifier: BSD-3-Clause
# Topologies: the terms of one molecule, from a force field or built by hand.
"""Topologies: types, parameters and terms of one molecule, made by a force field or by the user."""

from __future__ import annotations

import copy
import ctypes
import functools
from typing import Any

import numpy as np

from . import _abi
from ._handle import (
    Handle,
    address_of,
    brief,
    choice,
    integers,
    listed,
    number,
    path_bytes,
    reals,
    text,
    three_flags,
    view,
    whole,
    word,
)
from ._lib import ArgumentError, check, lib
from .molecule import elements_of
from .pair_model import PairModel

EXCLUSIONS = ("bonds and angles", "named")


def kinds() -> list[str]:
    """Names of the kinds of bonded terms: "bond", "angle", "torsion", .."""
    return [text(_kind(k).name) for k in range(lib.shoal_term_kind_count())]


def _kind(k: int) -> _abi.shoal_term_kind:
    out = _abi.shoal_term_kind()
    lib.shoal_term_kind_get(k, ctypes.byref(out))
    return out


def _kind_number(name: str) -> int:
    k = int(lib.shoal_term_kind_by_name(word("kind", name)))
    if k < 0:
        raise ArgumentError(f"kind: expected one of {', '.join(kinds())}, got {brief(name)}")
    return k


def _term_dtype(kind: _abi.shoal_term_kind) -> np.dtype:
    """The records of one kind, with parameters by name, over the struct of the C library."""
    term = _abi.shoal_term
    names = text(kind.parameters).split()
    at = {"atoms": term.atoms.offset, "shifts": term.shifts.offset}
    formats: list[Any] = [("i4", kind.n_atoms), ("i4", (kind.n_atoms, 3))]
    offsets = [at["atoms"], at["shifts"]] + [term.p.offset + 8 * k for k in range(len(names))]
    return np.dtype(
        {
            "names": ["atoms", "shifts", *names],
            "formats": formats + ["f8"] * len(names),
            "offsets": offsets,
            "itemsize": ctypes.sizeof(term),
        }
    )


class Topology(Handle):
    """The typed and parameterised terms of one molecule; made by ``Molecule.topology`` or
    ``build``.

    Arrays are read-only views. Units: eV, angstrom, e, amu. Arrays by atom have the atoms of the
    molecule; electron pairs and directions have arrays of their own.

    >>> import shoal
    >>> water = shoal.Molecule("OHH", [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]])
    >>> water.topology().types
    ['O_3', 'H_', 'H_']
    """

    _destroy = "shoal_topology_destroy"
    _made: tuple[Any, ...] | None = None  # a function and its arguments that make it again

    @staticmethod
    def build(numbers: Any) -> TopologyBuilder:
        """Begins a topology by hand, of atoms by number or symbol: any parameters, on any
        device."""
        return TopologyBuilder(numbers)

    @classmethod
    def load(cls, path: Any) -> Topology:
        """A topology that ``save`` wrote, or another program in the same form of JSON."""
        out = ctypes.c_void_p()
        check(lib.shoal_topology_read(ctypes.byref(out), path_bytes("path", path)))
        made = cls._adopt(out.value)
        made._made = _loaded, (made._text(),)
        return made

    def save(self, path: Any) -> None:
        """Writes all of it as JSON: atoms, terms, exclusions, special pairs, the form of pairs."""
        check(lib.shoal_topology_write(self._ptr, path_bytes("path", path)))

    def _text(self) -> bytes:
        made = ctypes.c_void_p()
        check(lib.shoal_string_create(ctypes.byref(made)))
        try:
            check(lib.shoal_topology_put(made, self._ptr))
            size = lib.shoal_string_size(made)
            return ctypes.string_at(lib.shoal_string_data(made), size)
        finally:
            lib.shoal_string_destroy(made)

    @classmethod
    def _typed(cls, mol: Any, options: _abi.shoal_typing_options) -> Topology:
        """What typing makes of a molecule, which it perceives."""
        out = ctypes.c_void_p()
        check(lib.shoal_topology_create(ctypes.byref(out), mol._ptr, ctypes.byref(options)))
        return cls._adopt(out.value)

    def _view(self) -> _abi.shoal_topology_view:
        out = _abi.shoal_topology_view()
        lib.shoal_topology_get(self._ptr, ctypes.byref(out))
        return out

    def __len__(self) -> int:
        return int(self._view().n_atoms)

    @property
    def _has_pair_model(self) -> bool:
        """Whether a pair model says how its pairs mix."""
        return bool(self._view().model)

    @property
    def status(self) -> str:
        """ "ok", or "untyped"."""
        status = lib.shoal_topology_status(self._ptr)
        return text(lib.shoal_system_status_name(status))

    @property
    def reason(self) -> str:
        """Why it is untyped; "" if it is not."""
        return text(lib.shoal_topology_reason(self._ptr))

    @property
    def warning(self) -> str:
        """What to know of it although it could be typed; "" if nothing."""
        return text(lib.shoal_topology_warning(self._ptr))

    @property
    def numbers(self) -> np.ndarray:
        """Atomic numbers, [n]."""
        v = self._view()
        return view(self, v.elements, (v.n_atoms,), np.int32)

    @property
    def types(self) -> list[str]:
        """Labels of the atoms; empty where it is untyped."""
        v = self._view()
        return [text(v.types[i]) for i in range(v.n_atoms)] if v.types else []

    @property
    def masses(self) -> np.ndarray:
        """[n] amu."""
        v = self._view()
        return view(self, v.masses, (v.n_atoms,), np.float64)

    @property
    def charges(self) -> np.ndarray:
        """[n] e; all zero without charges."""
        v = self._view()
        return view(self, v.charges, (v.n_atoms,), np.float64)

    @property
    def vdw_x(self) -> np.ndarray:
        """[n] angstrom: distance of the vdW minimum of two such atoms."""
        v = self._view()
        return view(self, v.vdw_x, (v.n_atoms,), np.float64)

    @property
    def vdw_d(self) -> np.ndarray:
        """[n] eV: its depth."""
        v = self._view()
        return view(self, v.vdw_d, (v.n_atoms,), np.float64)

    @property
    def n_pairs(self) -> int:
        """Electron pairs; terms number them behind the atoms."""
        return int(self._view().n_pairs)

    @property
    def n_movers(self) -> int:
        """All that moves: atoms, electron pairs, directions, in this order."""
        v = self._view()
        return int(v.n_atoms + v.n_pairs + v.n_directions)

    @property
    def pair_atoms(self) -> np.ndarray:
        """[n_pairs] atoms that electron pairs belong to."""
        n, ends = len(self), self.terms("bond")["atoms"]
        hosts = {int(max(i, j)): int(min(i, j)) for i, j in ends if max(i, j) >= n}
        return np.array([hosts.get(n + k, -1) for k in range(self.n_pairs)], np.int32)

    @property
    def pair_charges(self) -> np.ndarray:
        """[n_pairs] e: charges of electron pairs."""
        v = self._view()
        return view(self, v.charges, (v.n_atoms + v.n_pairs,), np.float64)[v.n_atoms :]

    @property
    def direction_atoms(self) -> np.ndarray:
        """[n_directions] atoms that unit vectors (pi axes, lone pairs) stand at; terms number the
        vectors behind atoms and electron pairs."""
        v = self._view()
        return view(self, v.direction_atoms, (v.n_directions,), np.int32)

    @property
    def inertias(self) -> np.ndarray:
        """[n_directions] amu angstrom^2."""
        v = self._view()
        return view(self, v.inertias, (v.n_directions,), np.float64)

    def terms(self, kind: str = "bond") -> np.ndarray:
        """Terms of a kind, a structured array with atoms, shifts and the parameters by name.

        >>> import shoal
        >>> water = shoal.Molecule("OHH", [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]])
        >>> water.topology().terms("bond")["r0"].round(3)
        array([0.99, 0.99])
        """
        k = _kind_number(kind)
        n = ctypes.c_int32()
        v = self._view()
        first = lib.shoal_topology_terms(ctypes.byref(v), k, ctypes.byref(n))
        at = ctypes.cast(first, ctypes.c_void_p).value
        return view(self, at, (n.value,), _term_dtype(_kind(k)))

    def __reduce__(self) -> Any:
        if self._made is None:
            raise TypeError(
                "this Topology cannot be pickled: pickle the molecule and type it again by "
                "Molecule.topology"
            )
        return self._made

    def __repr__(self) -> str:
        v = self._view()
        state = "" if self.status == "ok" else f", {self.status}: {self.reason}"
        return f"<Topology {v.n_atoms} atoms, {v.n_terms} terms{state}>"


class TopologyBuilder(Handle):
    """Fills a topology; every method but ``finish`` gives the builder back, so that calls chain.

    >>> import shoal
    >>> top = (
    ...     shoal.Topology.build("OHH")
    ...     .bond(0, 1, k=45.9, r0=0.957)
    ...     .bond(0, 2, k=45.9, r0=0.957)
    ...     .angle(1, 0, 2, k=4.0, theta0=104.5)
    ...     .finish()
    ... )
    >>> len(top.terms("bond"))
    2
    """

    _destroy = "shoal_topology_abandon"

    def __init__(self, numbers: Any) -> None:
        from .molecule import _split_symbols

        z = elements_of(_split_symbols(numbers) if isinstance(numbers, str) else numbers)
        self._n = len(z)
        self._directions = 0
        self._calls: list[tuple[Any, ...]] = []  # by which a pickled topology is made again
        self._elements = z
        self._create("shoal_topology_begin", len(z), address_of(z))

    def _atom(self, name: str, i: Any) -> int:
        if self._ptr is None:
            raise ArgumentError("this builder is finished; begin another one by Topology.build()")
        return whole(name, i, 0, self._n - 1)

    def atom(
        self,
        i: int,
        *,
        vdw_x: float = 3.0,
        vdw_d: float = 0.0,
        charge: float = 0.0,
        mass: float = 0.0,
        type: str | None = None,
    ) -> TopologyBuilder:
        """Sets all parameters of one atom: vdw_x angstrom, vdw_d eV, charge e, mass amu (0: the
        element's)."""
        p = _abi.shoal_atom_parameters(
            vdw_x=number("vdw_x", vdw_x),
            vdw_d=number("vdw_d", vdw_d),
            charge=number("charge", charge),
            mass=number("mass", mass),
            type=None if type is None else word("type", type),
        )
        check(lib.shoal_topology_set_atom(self._ptr, self._atom("i", i), ctypes.byref(p)))
        return self

    def periodic(self, pbc: Any = True) -> TopologyBuilder:
        """Directions in which systems of this topology repeat."""
        repeats = three_flags("pbc", pbc)
        check(lib.shoal_topology_set_periodic(self._ptr, address_of(repeats)))
        return self

    def model(self, model: PairModel, hbonds: Any = None) -> TopologyBuilder:
        """How pairs interact: form, hydrogen bonds and Coulomb of a pair model, whose plain LJ
        mixes by the arithmetic rule. Parameters are those of the atoms alone; hbonds: [n]
        strengths of hydrogen bonds."""
        if not isinstance(model, PairModel):
            raise ArgumentError(f"model: expected a PairModel, got {brief(model)}")
        h = None if hbonds is None else reals("hbonds", hbonds, (self._n,))
        self._atom("atoms", 0)
        at = None if h is None else address_of(h)
        check(lib.shoal_topology_set_model(self._ptr, model._ptr, at))
        return self

    def term(self, kind: str, atoms: Any, parameters: Any, shifts: Any = None) -> TopologyBuilder:
        """A term of any kind: atoms in its order, parameters in the order of ``Topology.terms``."""
        k = _kind_number(kind)
        n, n_parameters = _kind(k).n_atoms, _kind(k).n_parameters
        self._atom("atoms", 0)
        most = self._n + self._directions - 1
        given = listed("atoms", atoms, f"{n} atoms")
        at = integers("atoms", [whole("atoms", i, 0, most) for i in given], (n,))
        p = reals("parameters", parameters, (n_parameters,))
        moved = None if shifts is None else integers("shifts", shifts, (n, 3))
        check(
            lib.shoal_topology_add_term(
                self._ptr,
                k,
                address_of(at),
                None if moved is None else address_of(moved),
                address_of(p),
            )
        )
        return self

    def direction(self, atom: int, inertia: float = 1.0) -> TopologyBuilder:
        """A unit vector that stands at an atom, with an inertia in amu angstrom^2; terms number
        directions as they come, behind the atoms."""
        out = ctypes.c_int32()
        i = self._atom("atom", atom)
        moment = number("inertia", inertia, above=0)
        check(lib.shoal_topology_add_direction(self._ptr, i, moment, ctypes.byref(out)))
        self._directions += 1
        return self

    def bond(self, i: int, j: int, k: float, r0: float, shift: Any = None) -> TopologyBuilder:
        """E = k/2 (r - r0)^2; k eV/angstrom^2, r0 angstrom; shift: cells from i's to j's."""
        moved = None if shift is None else integers("shift", shift, (3,))
        check(
            lib.shoal_topology_add_bond(
                self._ptr,
                self._atom("i", i),
                self._atom("j", j),
                None if moved is None else address_of(moved),
                number("k", k),
                number("r0", r0),
            )
        )
        return self

    def angle(
        self,
        i: int,
        j: int,
        l: int,
        k: float,
        theta0: float | None = None,
        c: Any = None,
    ) -> TopologyBuilder:
        """E = k (c0 + c1 cos t + .. + c4 cos 4t), k in eV; j is the centre.

        theta0 (degrees) instead of c: k/2 (cos t - cos theta0)^2 / sin^2 theta0, which is k/2
        (t - theta0)^2 near its minimum; 180: k (1 + cos t).
        """
        if (theta0 is None) == (c is None):
            raise ArgumentError("angle: expected either theta0 or c")
        numbers = cosines(number("theta0", theta0)) if c is None else reals("c", c, (None,))
        if len(numbers) > 5:
            raise ArgumentError(f"c: expected up to 5 numbers, got {len(numbers)}")
        series = np.zeros(5)
        series[: len(numbers)] = numbers
        atoms = integers("atoms", [self._atom("atoms", a) for a in (i, j, l)], (3,))
        check(
            lib.shoal_topology_add_angle(
                self._ptr, address_of(atoms), None, number("k", k), address_of(series)
            )
        )
        return self

    def torsion(
        self,
        i: int,
        j: int,
        k: int,
        l: int,
        v: float,
        n: int,
        d: int = 1,
    ) -> TopologyBuilder:
        """E = v (1 - d cos n phi) about the bond j-k; v in eV, n 1 to 6, d 1 or -1."""
        atoms = integers("atoms", [self._atom("atoms", a) for a in (i, j, k, l)], (4,))
        check(
            lib.shoal_topology_add_torsion(
                self._ptr,
                address_of(atoms),
                None,
                number("v", v),
                whole("d", d, -1, 1),
                whole("n", n, 1, 6),
            )
        )
        return self

    def inversion(
        self,
        i: int,
        j: int,
        k: int,
        l: int,
        force: float,
        c: Any = (1.0, -1.0, 0.0),
    ) -> TopologyBuilder:
        """E = force (c0 + c1 cos w + c2 cos 2w), eV; j is the centre, w between j-l and the plane
        i-j-k."""
        atoms = integers("atoms", [self._atom("atoms", a) for a in (i, j, k, l)], (4,))
        series = reals("c", c, (3,))
        check(
            lib.shoal_topology_add_inversion(
                self._ptr, address_of(atoms), None, number("force", force), address_of(series)
            )
        )
        return self

    def exclude(self, i: int, j: int, shift: Any = None) -> TopologyBuilder:
        """No vdW and no Coulomb energy of this pair."""
        moved = None if shift is None else integers("shift", shift, (3,))
        at = None if moved is None else address_of(moved)
        check(lib.shoal_topology_exclude(self._ptr, self._atom("i", i), self._atom("j", j), at))
        return self

    def pair(
        self,
        i: int,
        j: int,
        *,
        vdw_scale: float = 1.0,
        coulomb_scale: float = 1.0,
        x: float = 0.0,
        d: float = 0.0,
        shift: Any = (0, 0, 0),
    ) -> TopologyBuilder:
        """A pair with rules of its own, such as 1-4 pairs: scaled, or with x (angstrom) and d
        (eV)."""
        p = _abi.shoal_special_pair(
            i=self._atom("i", i),
            j=self._atom("j", j),
            vdw_scale=number("vdw_scale", vdw_scale),
            coulomb_scale=number("coulomb_scale", coulomb_scale),
            x=number("x", x),
            d=number("d", d),
        )
        p.shift[:] = integers("shift", shift, (3,)).tolist()
        check(lib.shoal_topology_add_pair(self._ptr, ctypes.byref(p)))
        return self

    def finish(self, exclusions: str = "bonds and angles") -> Topology:
        """The topology; exclusions: pairs without vdW and Coulomb, or "named" for those alone."""
        how = choice("exclusions", exclusions, EXCLUSIONS)
        self._atom("atoms", 0)
        out = ctypes.c_void_p()
        pointer, self._ptr = self._ptr, None  # it is gone, also on failure
        check(lib.shoal_topology_finish(pointer, how, ctypes.byref(out)))
        made: Topology = Topology._adopt(out.value)
        made._made = _built_again, (self._elements, self._calls, exclusions)
        return made

    def __reduce__(self) -> Any:
        raise TypeError("a TopologyBuilder cannot be pickled; expected the Topology of finish()")


def _noted(method: Any) -> Any:
    """A method of the builder that notes how it was called."""

    @functools.wraps(method)
    def call(self: TopologyBuilder, *args: Any, **options: Any) -> TopologyBuilder:
        method(self, *args, **options)
        self._calls.append((method.__name__, copy.deepcopy(args), copy.deepcopy(options)))
        return self

    return call


_METHODS = ("atom", "periodic", "model", "term", "direction", "bond", "angle", "torsion")
for _name in (*_METHODS, "inversion", "exclude", "pair"):
    setattr(TopologyBuilder, _name, _noted(getattr(TopologyBuilder, _name)))


def _loaded(content: bytes) -> Topology:
    out = ctypes.c_void_p()
    check(lib.shoal_topology_read_memory(ctypes.byref(out), content, len(content), b"Topology"))
    made: Topology = Topology._adopt(out.value)
    made._made = _loaded, (content,)
    return made


def _built_again(elements: Any, calls: list[tuple[Any, ...]], exclusions: str) -> Topology:
    builder = TopologyBuilder(elements)
    for name, args, options in calls:
        getattr(builder, name)(*args, **options)
    return builder.finish(exclusions)


def cosines(degrees: float) -> np.ndarray:
    """c0 to c2 of an angle term that is k/2 (t - t0)^2 near its minimum; 1 + cos t of a straight
    one."""
    t0 = np.radians(degrees)
    if abs(np.sin(t0)) < 1e-6:
        return np.array([1.0, 1.0 if np.cos(t0) < 0 else -1.0])
    s2, c = np.sin(t0) ** 2, np.cos(t0)
    # (cos t - c)^2 / (2 s2), with cos^2 t = (1 + cos 2t)/2
    return np.array([(0.5 + c * c) / (2 * s2), -c / s2, 1 / (4 * s2)])
