# SPDX-License-Identifier: BSD-3-Clause
# Surfaces, slabs and grids.
"""Surfaces: rigid substrates that repeat in the xy plane, slabs of common ones, and their grids."""

from __future__ import annotations

import ctypes
import os
import pathlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _abi
from ._handle import (
    Handle,
    address_of,
    brief,
    choice,
    existing,
    flag,
    integers,
    listed,
    number,
    pairs_of,
    path_bytes,
    reals,
    view,
    whole,
    word,
)
from ._interrupt import Interrupt
from ._lib import ArgumentError, FormatError, check, lib
from .mesh import mesh_of
from .molecule import Molecule, elements_of, read, write
from .pair_model import PairModel, model_of
from .progress import Choice, Progress
from .table import String

FORMS = ("lj", "morse")
MESH_CHANNELS = ("pauli", "london", "coulomb")
METALS = ("adsorption", "uff")


class Surface(Handle):
    """A rigid substrate that systems stand on: the atoms, charges and cell of a Molecule or of an
    ase.Atoms.

    The rows a and b of its cell lie in the xy plane and repeat; z points away from it. form: "lj"
    (UFF's own) or "morse", with alpha in 1/angstrom (which implies it); damping: angstrom, of the
    Coulomb sum; charges: e by element, such as {"Na": 0.9, "Cl": -0.9}, instead of the molecule's;
    params: a pair model or a table of types; hbonds=False leaves their h out. metals: parameters
    of the atoms of a metal, "adsorption" (fitted to measured adsorption; UFF's of metals that were
    not) or "uff", which bind molecules several times too weakly; None: "adsorption", or those of
    params.

    >>> import shoal
    >>> salt = shoal.Surface.rocksalt("NaCl", size=(4, 4))
    >>> len(salt), round(salt.area, 1)
    (96, 254.5)
    """

    _destroy = "shoal_surface_destroy"

    def __init__(
        self,
        molecule: Any,
        *,
        form: str | None = None,
        alpha: float | None = None,
        damping: float = 0.0,
        charges: Mapping[str, float] | None = None,
        params: PairModel | str | None = None,
        hbonds: bool = True,
        metals: str | None = None,
    ) -> None:
        if hasattr(molecule, "get_atomic_numbers"):  # of ASE
            molecule = Molecule.from_ase(molecule)
        if not isinstance(molecule, Molecule):
            raise ArgumentError(
                f"molecule: expected a Molecule or ase.Atoms with a cell, got {brief(molecule)}"
            )
        if alpha is not None and form is None:
            form = "morse"
        if alpha is not None and choice("form", form, FORMS) != FORMS.index("morse"):
            raise ArgumentError("alpha: belongs to form='morse'; lj has none")
        self.molecule = molecule.copy()
        """The atoms, with their cell."""
        self._given: dict[str, Any] = {
            "form": form,
            "alpha": alpha,
            "damping": number("damping", damping, 0),
            "charges": dict(pairs_of("charges", charges, "{'Na': 0.9, ..}")) or None,
            "params": model_of(params),
            "hbonds": flag("hbonds", hbonds),
            "metals": metals,
        }
        self._grids: dict[tuple[Any, ...], Grid] = {}
        self._remade: dict[int, Surface] = {}  # with other parameters
        options, keep = self._options()
        self._create("shoal_surface_create", self.molecule._ptr, ctypes.byref(options))
        del keep

    def _options(self) -> tuple[_abi.shoal_surface_options, Any]:
        given = self._given
        options = _abi.shoal_surface_options(
            damping=given["damping"], no_hbonds=not given["hbonds"]
        )
        model = given["params"]
        if model is not None and not model.is_table:
            if given["form"] is not None or given["damping"] or not given["hbonds"]:
                raise ArgumentError(
                    "form, alpha, damping, hbonds: the pair model of params says how molecules and "
                    "substrate interact; expected none of them"
                )
            options.model = model._ptr
        elif model is not None:
            options.types = lib.shoal_pair_model_types(model._ptr)
        if given["metals"] is not None:
            if model is not None:
                raise ArgumentError(
                    "metals: params has parameters of all atoms of the surface; expected None"
                )
            options.metals = choice("metals", given["metals"], METALS)
        if given["form"] is not None:
            options.form = choice("form", given["form"], FORMS)
        if given["alpha"] is not None:
            options.alpha = number("alpha", given["alpha"], least=0.2)
        charges = given["charges"] or {}
        array = (_abi.shoal_element_charge * max(len(charges), 1))()
        for k, (symbol, q) in enumerate(charges.items()):
            array[k].z = int(elements_of([symbol])[0])
            array[k].charge = number(f"charges[{symbol!r}]", q)
        options.charges = array
        options.n_charges = len(charges)
        return options, (array, model)

    @classmethod
    def read(cls, path: Any, **options: Any) -> Surface:
        """The surface of a file with one frame and a cell (xyz, extxyz); options as of
        Surface()."""
        frames = read(path)
        if len(frames) != 1:
            raise FormatError(f"{os.fspath(path)}: expected one frame, got {len(frames)}")
        return cls(frames[0], **options)

    def with_params(self, params: PairModel | str | None) -> Surface:
        """The same surface with a pair model or a table of types."""
        model = model_of(params)
        made = self._remade.get(id(model))
        if made is None:  # the model that it holds keeps its id from being used again
            given = {**self._given, "params": model}
            if model is not None:
                given["metals"] = None
            made = Surface(self.molecule, **given)
            self._remade[id(model)] = made
        return made

    # --- slabs ---

    @classmethod
    def slab(
        cls,
        kind: str,
        elements: str | tuple[str, ...] | None = None,
        *,
        size: tuple[int, int] = (4, 4),
        layers: int | None = None,
        a: float | None = None,
        c: float | None = None,
        charge: float | None = None,
        step: int | None = None,
        vacancies: Any = (),
        adatoms: Any = (),
        vacuum: float = 20.0,
        **options: Any,
    ) -> Surface:
        """A slab of a kind ("rocksalt", "fcc111", ..); the topmost layer is at z = 0.

        elements: "NaCl", "Au", ("Ca", "F"); None: the usual ones. size: cells along a and b. a,
        c: lattice constants in angstrom, None: tabulated. charge: e of the first element where
        there are two (the other one balances it), None: by the class of material, 0: none. step:
        rows of cells along b that the topmost layer keeps. vacancies: atoms that are left out.
        adatoms: ("Au", u, v[, height[, charge]]) each, u and v in cells, height in angstrom above
        the top (None: as low as covalent radii let it). vacuum: angstrom above it. Other options as
        of Surface().
        """
        mol = slab(
            kind,
            elements,
            size=size,
            layers=layers,
            a=a,
            c=c,
            charge=charge,
            step=step,
            vacancies=vacancies,
            adatoms=adatoms,
            vacuum=vacuum,
        )
        return cls(mol, **options)

    @classmethod
    def cut(cls, crystal: Molecule, facet: Any = None, **given: Any) -> Surface:
        """A slab cut from a crystal; arguments as of ``shoal.cut``, others as of Surface()."""
        own = {k: given.pop(k) for k in list(given) if k in _CUT_OPTIONS}
        return cls(cut(crystal, facet, **own), **given)

    @classmethod
    def rocksalt(cls, elements: str | None = "NaCl", **options: Any) -> Surface:
        """(001) of an AB salt; options as of slab()."""
        return cls.slab("rocksalt", elements, **options)

    @classmethod
    def rocksalt110(cls, elements: str | None = "NaCl", **options: Any) -> Surface:
        """(110) of an AB salt; options as of slab()."""
        return cls.slab("rocksalt110", elements, **options)

    @classmethod
    def fcc100(cls, elements: str | None = "Au", **options: Any) -> Surface:
        """(100) of a face-centred metal; options as of slab()."""
        return cls.slab("fcc100", elements, **options)

    @classmethod
    def fcc110(cls, elements: str | None = "Au", **options: Any) -> Surface:
        """(110) of a face-centred metal; options as of slab()."""
        return cls.slab("fcc110", elements, **options)

    @classmethod
    def fcc111(cls, elements: str | None = "Au", **options: Any) -> Surface:
        """(111) of a face-centred metal; options as of slab()."""
        return cls.slab("fcc111", elements, **options)

    @classmethod
    def bcc100(cls, elements: str | None = "Fe", **options: Any) -> Surface:
        """(100) of a body-centred metal; options as of slab()."""
        return cls.slab("bcc100", elements, **options)

    @classmethod
    def bcc110(cls, elements: str | None = "Fe", **options: Any) -> Surface:
        """(110) of a body-centred metal; options as of slab()."""
        return cls.slab("bcc110", elements, **options)

    @classmethod
    def bcc111(cls, elements: str | None = "Fe", **options: Any) -> Surface:
        """(111) of a body-centred metal; options as of slab()."""
        return cls.slab("bcc111", elements, **options)

    @classmethod
    def hcp0001(cls, elements: str | None = "Ti", **options: Any) -> Surface:
        """(0001) of a hexagonal metal; options as of slab()."""
        return cls.slab("hcp0001", elements, **options)

    @classmethod
    def fluorite111(cls, elements: str | None = "CaF", **options: Any) -> Surface:
        """(111) of an AB2 salt, "CaF2" or "CaF"; options as of slab()."""
        return cls.slab("fluorite111", elements, **options)

    @classmethod
    def fluorite110(cls, elements: str | None = "CaF", **options: Any) -> Surface:
        """(110) of an AB2 salt, "CaF2" or "CaF"; options as of slab()."""
        return cls.slab("fluorite110", elements, **options)

    @classmethod
    def graphene(cls, **options: Any) -> Surface:
        """Sheets of carbon, one unless layers says otherwise; options as of slab()."""
        return cls.slab("graphene", None, **options)

    @classmethod
    def boron_nitride(cls, **options: Any) -> Surface:
        """Sheets of h-BN; options as of slab()."""
        return cls.slab("boron_nitride", None, **options)

    # --- what it is ---

    def _view(self) -> _abi.shoal_surface_view:
        out = _abi.shoal_surface_view()
        lib.shoal_surface_get(self._ptr, ctypes.byref(out))
        return out

    def __len__(self) -> int:
        return int(self._view().n_atoms)

    @property
    def numbers(self) -> np.ndarray:
        """Atomic numbers, [n]."""
        v = self._view()
        return view(self, v.elements, (v.n_atoms,), np.int32)

    @property
    def positions(self) -> np.ndarray:
        """[n, 3] angstrom."""
        v = self._view()
        return view(self, v.pos, (v.n_atoms, 3), np.float64)

    @property
    def charges(self) -> np.ndarray:
        """[n] e, those that act."""
        v = self._view()
        return view(self, v.charges, (v.n_atoms,), np.float64)

    @property
    def cell(self) -> np.ndarray:
        """Rows a, b, c, [3, 3] angstrom; c is not repeated."""
        return self.molecule.cell

    @property
    def area(self) -> float:
        """Of the cell, angstrom^2."""
        return float(self._view().area)

    @property
    def top(self) -> float:
        """z of the topmost atom, angstrom."""
        return float(self._view().top)

    @property
    def floor(self) -> float:
        """z of the lowest terrace, angstrom: below it no molecule belongs."""
        return float(self._view().floor)

    @property
    def form(self) -> str:
        """ "lj" or "morse"; of a pair model its form."""
        return lib.shoal_surface_form_name(self._ptr).decode()

    @property
    def metals(self) -> str:
        """Whose parameters its atoms of a metal have: "adsorption", "uff", "adsorption, uff"; "" of
        salts and sheets, and with params."""
        return (self._view().metals or b"").decode()

    def split(self, layers: int) -> tuple[Surface, Surface]:
        """The surface without its topmost layers, and these, which may then move with systems."""
        rest, movable = ctypes.c_void_p(), ctypes.c_void_p()
        n = whole("movable", layers, 1, 10000)
        check(lib.shoal_surface_split(self._ptr, n, ctypes.byref(rest), ctypes.byref(movable)))
        return self._part(rest.value), self._part(movable.value)

    def _part(self, pointer: int | None) -> Surface:
        part = Surface._adopt(pointer)
        v = part._view()
        part._given = dict(self._given)
        part._grids = {}
        part._remade = {}
        part.molecule = Molecule(
            view(part, v.elements, (v.n_atoms,), np.int32),
            view(part, v.pos, (v.n_atoms, 3), np.float64),
            cell=self.molecule.cell,
            pbc=self.molecule.pbc,
            charges=view(part, v.charges, (v.n_atoms,), np.float64),
        )
        return part

    def write(self, path: Any) -> None:
        """Writes its atoms and cell: .xyz, .extxyz, .sdf."""
        write(path, self.molecule)

    # --- grids ---

    def grid(
        self,
        step: float | None = None,
        *,
        height: float | None = None,
        cache: Any = True,
        device: str | None = None,
        threads: int = 0,
        samples: int = 2000,
        fields: Mapping[str, Any] | None = None,
        progress: Choice = None,
    ) -> Grid:
        """The fields of the surface as splines, many times faster than direct sums.

        step: angstrom (None: 0.1, of lj 0.07); height: angstrom above the topmost atom, None: as
        far as anything is felt. samples: points that errors are measured at. cache: True: the
        grid of these options is kept with this object; a folder: also there, as a file; False: it
        is built anew. fields: channels from elsewhere instead of the surface's own, by name
        ("coulomb", "pauli", "london"): a Mesh, or a file of one; such a grid is not kept.

        >>> import shoal
        >>> salt = shoal.Surface.rocksalt("NaCl", size=(2, 2), layers=2)
        >>> salt.grid(step=0.1).errors.rms_e < 0.01
        True
        """
        key = (step, height, samples)
        meshes = {
            MESH_CHANNELS[choice("fields", name, MESH_CHANNELS)]: mesh_of(f"fields[{name!r}]", v)
            for name, v in pairs_of("fields", fields, "{'coulomb': 'v.cube', ..}")
        }
        if meshes:
            cache = False
        folder = None if isinstance(cache, bool) or cache is None else pathlib.Path(cache)
        if cache and key in self._grids:
            return self._grids[key]
        options = _abi.shoal_grid_options(
            step=0.0 if step is None else number("step", step, above=0),
            height=0.0 if height is None else number("height", height, above=0),
            device=None if device in (None, "cpu", "ref") else word("device", device),
            n_threads=whole("threads", threads, 0, 4096),
            samples=whole("samples", samples, 0, 10**8) or -1,
        )
        for channel, mesh in meshes.items():
            setattr(options, channel, mesh._ptr)
        file = None if folder is None else folder / self._grid_name(step, height)
        grid = self._kept(file) if file is not None else None
        if grid is None:
            grid = self._build(options, progress)
            if file is not None:
                file.parent.mkdir(parents=True, exist_ok=True)
                grid.save(file)
        if cache:
            self._grids[key] = grid
        return grid

    def _usual_grid(self) -> Grid | None:
        """A grid of the default step and height that was built already."""
        return next((g for key, g in self._grids.items() if key[:2] == (None, None)), None)

    def _grid_name(self, step: float | None, height: float | None) -> str:
        return f"grid-{self._view().hash:016x}-{step or 0:g}-{height or 0:g}.h5"

    def _kept(self, file: pathlib.Path) -> Grid | None:
        try:
            return Grid.read(file, self) if file.exists() else None
        except FormatError:
            return None  # cut or of another version: it is built anew

    def _build(self, options: _abi.shoal_grid_options, progress: Choice) -> Grid:
        shown = Progress(progress, "grid")
        interrupt = Interrupt()
        failure: list[BaseException] = []

        @_abi.shoal_grid_monitor
        def monitor(_user: Any, done: float) -> bool:
            try:
                shown.update(_Done(done))
            except BaseException as error:  # given on when the library has returned
                failure.append(error)
            return not failure and not interrupt.noted

        options.monitor = monitor
        out = ctypes.c_void_p()
        with interrupt:
            status = lib.shoal_grid_build(ctypes.byref(out), self._ptr, ctypes.byref(options))
        shown.close()
        if failure or interrupt.noted:
            lib.shoal_grid_destroy(out)
            interrupt.deliver()
            raise failure[0]
        check(status)
        grid: Grid = Grid._adopt(out.value)
        grid.surface = self._bare()
        return grid

    def _bare(self) -> Surface:
        """The same surface without its grids, which would lead back to it."""
        other: Surface = Surface._adopt(lib.shoal_surface_retain(self._ptr))
        other.molecule, other._given = self.molecule, self._given
        other._grids, other._remade = {}, {}
        return other

    def __reduce__(self) -> Any:
        return _restore, (self.molecule, self._given)

    def __repr__(self) -> str:
        name = f" {self.molecule.name!r}" if self.molecule.name else ""
        return f"<Surface{name} {self.molecule.formula}, {self.area:.1f} A^2, {self.form}>"


def _restore(molecule: Molecule, given: dict[str, Any]) -> Surface:
    return Surface(molecule, **given)


@dataclass
class _Done:
    """What the monitor of a grid tells, as that of a stream would."""

    part: float
    n_read: int = 0
    n_done: int = 0
    n_computed: int = 0
    n_failed: int = 0
    n_evaluations: int = 0


@dataclass(frozen=True)
class GridErrors:
    """Errors of a grid against the direct sum, eV and eV/angstrom."""

    samples: int
    rms_e: float
    max_e: float
    rms_f: float
    max_f: float


@dataclass(frozen=True)
class GridSource:
    """Where a channel comes from, if it is not the surface's own; eV and eV/angstrom of a charge of
    1 e, or of an atom of carbon.

    It is wrong by max_e and max_f at most from contact up to top (angstrom), and switched off from
    there to end; cut is the most that is lost by that. zero: the potential of the vacuum, which is
    taken off.
    """

    mesh: str
    max_e: float
    max_f: float
    top: float
    end: float
    cut: float
    zero: float


class Grid(Handle):
    """The grid of a surface; made by ``Surface.grid`` or read from a file."""

    _destroy = "shoal_grid_destroy"
    surface: Surface

    @staticmethod
    def read(path: Any, surface: Surface) -> Grid:
        """Reads a grid; FormatError where it is not that of this surface."""
        if not isinstance(surface, Surface):
            raise ArgumentError(f"surface: expected a Surface, got {brief(surface)}")
        grid = Grid.__new__(Grid)
        grid._create("shoal_grid_read", existing("path", path), surface._ptr)
        grid.surface = surface._bare()
        return grid

    def save(self, path: Any) -> None:
        """Writes it (HDF5), with the surface that it is of."""
        check(lib.shoal_grid_write(self._ptr, path_bytes("path", path)))

    def _view(self) -> _abi.shoal_grid_view:
        out = _abi.shoal_grid_view()
        lib.shoal_grid_get(self._ptr, ctypes.byref(out))
        return out

    @property
    def errors(self) -> GridErrors:
        """Against the direct sum, at random points from contact to above the top."""
        e = self._view().errors
        return GridErrors(e.samples, e.rms_e, e.max_e, e.rms_f, e.max_f)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Nodes along a, b and z, of the finest level."""
        return tuple(self._view().shape)  # type: ignore[return-value]

    @property
    def nbytes(self) -> int:
        """Bytes of all coefficients."""
        return int(self._view().bytes)

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of the channels that it has: "pauli", "london", "coulomb", .."""
        has = self._view().has_channel
        return tuple(name for c, name in enumerate(_channel_names()) if has[c])

    @property
    def sources(self) -> dict[str, GridSource]:
        """Channels that come from elsewhere, by name."""
        found = {}
        for c, s in enumerate(self._view().sources):
            if s.there:
                name = s.name.decode("utf-8", "replace")
                numbers = (s.max_e, s.max_f, s.top, s.end, s.cut, s.zero)
                found[_channel_names()[c]] = GridSource(name, *numbers)
        return found

    def fields(self, points: Any, channel: str | None = None) -> np.ndarray:
        """V, dV/dx, dV/dy, dV/dz at points [n, 3] angstrom: [n, 4] of a channel by its name, or
        [n, channels, 4] of all.

        >>> import shoal
        >>> grid = shoal.Surface.rocksalt("NaCl", size=(2, 2), layers=2).grid(step=0.2)
        >>> grid.channels, grid.fields([[0.0, 0.0, 3.0]], "coulomb").shape
        (('pauli', 'london', 'coulomb'), (1, 4))
        """
        at = reals("points", points, (None, 3))
        at_channel = None if channel is None else choice("channel", channel, _channel_names())
        out = np.zeros((len(at), _abi.SHOAL_N_CHANNELS, 4))
        for k in range(len(at)):
            lib.shoal_grid_fields(self._ptr, address_of(at[k]), address_of(out[k]))
        return out if at_channel is None else out[:, at_channel]

    def check(self, samples: int = 10000, *, seed: int = 1, threads: int = 0) -> GridErrors:
        """Compares it with direct sums at random points; channels from elsewhere count by the
        errors that it keeps of them."""
        report = _abi.shoal_grid_report()
        n = whole("samples", samples, 1, 10**8)
        start, workers = whole("seed", seed, 0), whole("threads", threads, 0, 4096)
        check(
            lib.shoal_grid_check(self._ptr, n, start, workers, ctypes.byref(report), None)
        )
        e = report.all
        return GridErrors(e.samples, e.rms_e, e.max_e, e.rms_f, e.max_f)

    def export(self, path: Any, *, channel: str | None = None, probe: str | None = None) -> None:
        """Writes values at the nodes of the finest level for other programs: .cube, .xsf or .npy.

        channel: that one alone; probe: the energy of an atom, "O", "C", "H", "N" or its radius
        (angstrom), depth (eV) and charge (e), "1.75,0.0026,-0.4"; neither: of "O".
        """
        if channel is not None and probe is not None:
            raise ArgumentError("channel, probe: expected one of them")
        weights = (ctypes.c_double * _abi.SHOAL_N_CHANNELS)()
        if channel is not None:
            weights[choice("channel", channel, _channel_names())] = 1.0
            if channel not in self.channels:
                raise ArgumentError(f"channel: {channel!r} is zero everywhere in this grid")
        else:
            atom = _abi.shoal_probe()
            name = word("probe", "O" if probe is None else probe)
            check(lib.shoal_grid_probe_parse(name, ctypes.byref(atom)))
            surface = self._view().surface
            lib.shoal_surface_weights(surface, ctypes.byref(atom), weights)
        check(lib.shoal_grid_export(self._ptr, path_bytes("path", path), weights))

    def __reduce__(self) -> Any:
        raise TypeError("Grid objects cannot be pickled; save them to a file")

    def __repr__(self) -> str:
        a, b, z = self.shape
        return f"<Grid {a} x {b} x {z}, {self.nbytes / 1e6:.1f} MB>"


def _channel_names() -> tuple[str, ...]:
    return tuple(lib.shoal_channel_name(c).decode() for c in range(_abi.SHOAL_N_CHANNELS))


KINDS = {
    "rocksalt": _abi.SHOAL_SLAB_ROCKSALT,
    "fcc100": _abi.SHOAL_SLAB_FCC100,
    "fcc111": _abi.SHOAL_SLAB_FCC111,
    "graphene": _abi.SHOAL_SLAB_GRAPHENE,
    "fcc110": _abi.SHOAL_SLAB_FCC110,
    "bcc100": _abi.SHOAL_SLAB_BCC100,
    "bcc110": _abi.SHOAL_SLAB_BCC110,
    "bcc111": _abi.SHOAL_SLAB_BCC111,
    "hcp0001": _abi.SHOAL_SLAB_HCP0001,
    "rocksalt110": _abi.SHOAL_SLAB_ROCKSALT110,
    "fluorite111": _abi.SHOAL_SLAB_FLUORITE111,
    "fluorite110": _abi.SHOAL_SLAB_FLUORITE110,
    "boron_nitride": _abi.SHOAL_SLAB_BORON_NITRIDE,
}


def slab(
    kind: str,
    elements: str | tuple[str, ...] | None = None,
    *,
    size: tuple[int, int] = (4, 4),
    layers: int | None = None,
    a: float | None = None,
    c: float | None = None,
    charge: float | None = None,
    step: int | None = None,
    vacancies: Any = (),
    adatoms: Any = (),
    vacuum: float = 20.0,
) -> Molecule:
    """The atoms of a slab as a molecule; arguments as of ``Surface.slab``."""
    choice("kind", kind, KINDS)
    options, keep = _slab_shape(size, layers, charge, step, vacancies, adatoms, vacuum)
    options.kind = KINDS[kind]
    options.a = 0.0 if a is None else number("a", a, above=0)
    options.c = 0.0 if c is None else number("c", c, above=0)
    if elements is not None:
        options.elements[:] = _slab_elements(options, kind, elements)
    mol = Molecule._empty()
    check(lib.shoal_slab_build(mol._ptr, ctypes.byref(options)))
    del keep
    return mol


def cut(
    crystal: Molecule,
    facet: Any = None,
    *,
    termination: int = 1,
    size: tuple[int, int] | None = None,
    layers: int | None = None,
    charge: float | None = None,
    step: int | None = None,
    vacancies: Any = (),
    adatoms: Any = (),
    vacuum: float = 20.0,
) -> Molecule:
    """A slab cut from a crystal by Miller indices: "1-10", (1, -1, 0) or four of a hexagonal cell.

    termination: the plane on top, counted from 1 as in ``terminations``. layers: whole formulas,
    from one plane to the next equal one (3). Without facet crystal is a slab, one that repeats in a
    and b alone, and is taken as it is. charge: of the first element of a salt, None: the crystal's,
    else by the class of material. Other arguments as of ``Surface.slab``.
    """
    cells = ((1, 1) if facet is None else (4, 4)) if size is None else size
    options, keep = _slab_shape(cells, layers, charge, step, vacancies, adatoms, vacuum)
    _cut_crystal(options, crystal, facet)
    options.termination = 0 if facet is None else whole("termination", termination, 1, 10000)
    mol = Molecule._empty()
    check(lib.shoal_slab_build(mol._ptr, ctypes.byref(options)))
    del keep
    return mol


_CUT_OPTIONS = frozenset(
    "termination size layers charge step vacancies adatoms vacuum".split()
)


def terminations(crystal: Molecule, facet: Any) -> list[str]:
    """Planes that a slab cut from a crystal may end with; the first is the default of ``cut``."""
    options = _abi.shoal_slab_options()
    _cut_crystal(options, crystal, facet)
    out = String()
    check(lib.shoal_slab_terminations(ctypes.byref(options), out._ptr))
    return [line.split(": ", 1)[1] for line in bytes(out).decode().splitlines()]


def _cut_crystal(options: Any, crystal: Any, facet: Any) -> None:
    if not isinstance(crystal, Molecule):
        raise ArgumentError(f"crystal: expected a Molecule, got {type(crystal).__name__}")
    options.crystal = crystal._ptr
    if facet is None:
        return
    indices = [facet] if isinstance(facet, str) else map(str, listed("facet", facet, "indices"))
    text = ",".join(indices).encode()
    check(lib.shoal_slab_parse_indices(ctypes.byref(options), text))


def _slab_shape(
    size: Any, layers: Any, charge: Any, step: Any, vacancies: Any, adatoms: Any, vacuum: Any
) -> tuple[Any, Any]:
    """What slabs of tables and of crystals have in common, and what it borrows."""
    cells = integers("size", size, (2,))
    if (cells < 1).any():
        raise ArgumentError(f"size: expected two numbers from 1 on, got {size!r}")
    missing = integers("vacancies", vacancies, (None,))
    added = _adatoms(adatoms)
    options = _abi.shoal_slab_options(
        layers=0 if layers is None else whole("layers", layers, 1, 10000),
        charge=0.0 if charge is None else number("charge", charge),
        no_charges=charge == 0,
        step=0 if step is None else whole("step", step, 1),
        vacancies=address_of(missing) if len(missing) else None,
        n_vacancies=len(missing),
        adatoms=added,
        n_adatoms=len(added) if added is not None else 0,
        vacuum=number("vacuum", vacuum, above=0),
    )
    options.size[:] = cells.tolist()
    return options, (missing, added)


def _adatoms(adatoms: Any) -> Any:
    rows = [tuple(row) for row in listed("adatoms", adatoms, "('Au', u, v[, height[, charge]])")]
    if not rows:
        return None
    array = (_abi.shoal_adatom * len(rows))()
    for one, row in zip(array, rows):
        if not 3 <= len(row) <= 5:
            raise ArgumentError(
                f"adatoms: expected ('Au', u, v[, height[, charge]]), got {row!r}"
            )
        one.z = int(elements_of([row[0]])[0])
        one.at[:] = [number("adatoms", x) for x in row[1:3]]
        one.height = 0.0 if len(row) < 4 or row[3] is None else number("adatoms", row[3])
        one.charge = number("adatoms", row[4]) if len(row) == 5 else 0.0
    return array


def _slab_elements(options: Any, kind: str, elements: Any) -> tuple[int, int]:
    if isinstance(elements, str):
        check(lib.shoal_slab_parse_elements(ctypes.byref(options), word("elements", elements)))
        return tuple(options.elements)
    numbers = elements_of(listed("elements", elements, "symbols")).tolist()
    wanted = int(lib.shoal_slab_elements(options.kind))
    if len(numbers) != wanted:
        raise ArgumentError(f"elements: {kind} has {wanted}, got {elements!r}")
    return (numbers[0], numbers[1] if wanted == 2 else 0)
