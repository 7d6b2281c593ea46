# SPDX-License-Identifier: BSD-3-Clause
# What the C library is given: every option of Python in its field, in its unit, and nothing else.
import ctypes

import numpy as np
import pytest
from program import EXAMPLES

import shoal
from shoal import fit
from shoal._lib import lib

OHH = [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]]


class Seen(Exception):
    """Ends a call where it reaches the C library; carries the struct in plain words."""


def plain(struct, before=""):
    """Members that are not zero, by their path; "set" where only an address stands."""
    out = {}
    for name, kind in struct._fields_:
        value, path = getattr(struct, name), before + name
        if not (any(value) if isinstance(value, ctypes.Array) else value):
            continue
        if isinstance(value, ctypes._Pointer) and issubclass(kind._type_, ctypes.Structure):
            value = value.contents
        if isinstance(value, ctypes.Structure):
            out.update(plain(value, path + "."))
        elif isinstance(value, ctypes.Array):
            out[path] = list(value)
        else:
            shown = kind is not ctypes.c_void_p and isinstance(value, (bool, int, float, bytes))
            out[path] = value if shown else "set"
    return out


@pytest.fixture
def seen(monkeypatch):
    """What a call gives to a function of the C library, as its argument of that number."""

    def look(call, function, at):
        def spy(*arguments):
            raise Seen(plain(arguments[at]._obj))

        with monkeypatch.context() as patch:
            patch.setattr(lib, function, spy)
            with pytest.raises(Seen) as error:
                call()
        return error.value.args[0]

    return look


def batch(**options):
    return shoal.Batch(shoal.Molecule("OHH", OHH), device="cpu", **options)


def salt():
    return shoal.Surface.rocksalt("NaCl", size=(2, 2), layers=2)


def of(first, **members):
    """Members of a part of a struct, "a.b" from b=."""
    return {f"{first}.{name}": value for name, value in members.items()}


PULL = shoal.Restraint.distance(0, 1, 1.1, k=2.0)
PULLED = {
    **of("constraints.restraints", kind=1, atoms=[0, 1, 0, 0], k=2.0, value=1.1),
    "constraints.n_restraints": 1,
}
SUMS = shoal.Interactions(
    terms_off="angle, vdw",
    mixing="geometric",
    vdw_cutoff=9.5,
    vdw_tail=True,
    ewald="mesh",
    ewald_tolerance=1e-7,
    coulomb_damping=0.3,
)
TYPED = shoal.Typing(
    types={"1": "H_b"},
    bond_orders={(0, 2): 1.5},
    total_charge=-2,
    rebuild_bonds=True,
    bond_slack=0.6,
    add_hydrogens=True,
    file_types=True,
    fragment=2,
)
WITH_PAIRS = shoal.MMFFsp3(electron_pairs=True, bond_scale=0.9, pi_inertia=2.0, pi_softening=0.1)
PLACED = shoal.Placement("upright", (10, 20, 30), (1.5, 2.5), 3.5)
FIXED_CELL = of("compute.relax", fmax=0.001, max_steps=5000, max_move=0.2)
STRESS = of("compute.relax", stress=0.006241509074460763 * 0.01)
RELAX = {**FIXED_CELL, **STRESS}
MADE = of("build.variants", make="set", user="set")
VISITED = {"output.visit": "set"}
MD = {"job": 4, "resume.seconds": 5.0, "output.n_sinks": 2, **VISITED}
MODES = {"job": 5, **VISITED}
AIR = of("compute.modes", temperature=298.15, pressure=101325.0, vectors=True)
CURVE = "angle:1,0,2=90:120:n4"

# A job, and what it asks of the C library beyond an energy of one molecule on the cpu.
JOBS = [
    (
        lambda: batch(precision="double", threads=3, interactions=SUMS).energy(),
        {
            **of("compute.engine", precision=2, terms_off=2 + 16, mixing=2, n_threads=3),
            **of("compute.engine", vdw_cutoff=9.5, vdw_tail=True, ewald_tolerance=1e-7),
            "compute.engine.ewald": 2,
            "compute.engine.coulomb_damping": 0.3,
            "compute.n_threads": 3,
        },
    ),
    (
        lambda: batch(forcefield="uff:paper", charges="qeq", typing=TYPED, copies=4).energy(),
        {
            **of("typing.perceive", bond_slack=0.6, rebuild_bonds=True),
            **of("typing.perceive", total_charge=-2, has_total_charge=True),
            **of("typing.forcefield", dialect=1, charges=3, n_orders=1),
            **of("typing.forcefield.orders", j=2, order=1.5),
            **of("typing.types", label=b"H_b", where="set"),
            **of("typing", n_types=1, file_types=True, add_hydrogens=True, fragment=2),
            **MADE,
            "build.variants.n": 4,
        },
    ),
    (
        lambda: batch(forcefield=WITH_PAIRS).energy(),
        {
            **of("typing.forcefield", forcefield=1, electron_pairs=True, bond_scale=0.9),
            **of("typing.forcefield", pi_inertia=2.0, pi_softening=0.1),
        },
    ),
    (
        lambda: batch(forcefield=shoal.UFF(angle_guard=False), fixed=[0, 2]).energy(),
        {
            "typing.forcefield.no_angle_guard": True,
            **of("constraints", fixed="set", n_fixed=2),
        },
    ),
    (
        lambda: batch(fixed="element:O", restraints=[PULL]).energy(),
        {**of("constraints", fix="set", n_fix=1), **PULLED},
    ),
    (
        lambda: shoal.Batch(
            EXAMPLES / "butane.sdf",
            device="cpu",
            input=shoal.Input(format="sdf", strict=True, shard=(1, 3)),
        ).energy(),
        {
            **of("input", files="set", n_files=1, format=2, strict=True, shard=1, n_shards=3),
            **of("input", n_records=None),
            "input.records.molecule": None,
        },
    ),
    (lambda: batch().relax(), {"job": 3, **RELAX}),
    (
        lambda: batch().relax(0.02, 77, "fire", max_move=0.3, every=5),
        {
            "job": 3,
            **of("compute.relax", method=1, fmax=0.02, max_steps=77, max_move=0.3, every=5),
            **STRESS,
            "output.n_sinks": 2,
        },
    ),
    (
        lambda: batch(
            surface=salt(), grid="off", movable=shoal.Layers(1, 2.5), placement=PLACED
        ).relax(adsorption=True),
        {
            "job": 3,
            **of("build.placement", orient=2, rotate=[10, 20, 30], has_at=True, at=[1.5, 2.5]),
            **of("build", movable="set", movable_spring=2.5),
            "build.placement.height": 3.5,
            "compute.engine.surface": "set",
            "compute.adsorption": True,
            **of("compute.alone", make="set", n=50),
            **RELAX,
        },
    ),
    (lambda: batch().md(), {**MD, **of("compute.md", n_steps=1000, dt=0.5, thermostat=1)}),
    (
        lambda: batch().md(
            123,
            0.25,
            [100, 200, 300],
            "nose-hoover",
            tau=15.0,
            seed=5,
            stride=7,
            remove_every=11,
            hydrogen_mass=2.0,
        ),
        {
            **MD,
            **of("compute.md", n_steps=123, dt=0.25, thermostat=2, tau=15.0, temperatures="set"),
            **of("compute.md", n_temperatures=3, seed=5, stride=7, remove_every=11),
            "compute.md.hydrogen_mass": 2.0,
        },
    ),
    (
        lambda: batch().md(
            10, copies=6, temperatures=[300, 400, 500], exchange=4, friction=0.02, frames=False
        ),
        {
            **MD,
            **MADE,
            **of("build.variants", n=6, group=3),
            **of("compute.md", n_steps=10, dt=0.5, thermostat=1, friction=0.02, n_copies=3),
            **of("compute.md", exchange_every=4, copy_temperatures="set"),
            "output.n_sinks": 1,
        },
    ),
    (
        lambda: batch().md(copies=2, temperatures=[300, 400], thermostat=None),
        {
            **MD,
            **MADE,
            "build.variants.n": 2,
            **of("compute.md", n_steps=1000, dt=0.5, n_copies=2, copy_temperatures="set"),
        },
    ),
    (lambda: batch().modes(), {**MODES, **AIR}),
    (lambda: batch().modes(relax=False), {**MODES, **AIR, "compute.modes.no_relax": True}),
    (
        lambda: batch().modes(
            fmax=2e-5,
            max_steps=88,
            method="fire",
            step=0.004,
            temperature=310,
            pressure=2e5,
            symmetry_number=2,
            vectors=False,
        ),
        {
            **MODES,
            **of("compute.relax", method=1, fmax=2e-5, max_steps=88),
            **of("compute.modes", fmax=2e-5, step=0.004, temperature=310.0, pressure=2e5),
            "compute.modes.symmetry_number": 2,
        },
    ),
    (
        lambda: batch().scan("distance:0,1=1:2:n3"),
        {**MADE, **of("build.variants", n=3, own_charges=True)},
    ),
    (
        lambda: batch(restraints=[PULL]).scan(
            CURVE, relaxed=True, follow=True, fmax=0.03, max_steps=66, method="fire"
        ),
        {
            "job": 3,
            **MADE,
            **of(
                "build.variants", n=4, group=4, calm=2, gain=1e-3, again="set", own_charges=True
            ),
            **of("compute.relax", method=1, fmax=0.03, max_steps=66, max_move=0.2),
            **PULLED,
            "constraints.n_restraints": 2,
            **VISITED,
        },
    ),
    (
        lambda: batch().scan(CURVE, relaxed=True),
        {
            "job": 3,
            **MADE,
            **of("build.variants", n=4, own_charges=True),
            **FIXED_CELL,
            **of("constraints.restraints", kind=2, atoms=[1, 0, 2, 0], k=4000.0, value=np.pi / 2),
            "constraints.n_restraints": 1,
            **VISITED,
        },
    ),
    (
        lambda: batch().search(),
        {"job": 3, **MADE, **of("build.variants", n=1000, series=500, stage=25), **FIXED_CELL},
    ),
    (
        lambda: batch().search(9, fmax=0.02, max_steps=44, method="fire", max_move=0.1),
        {
            "job": 3,
            **MADE,
            **of("build.variants", n=9, series=9, stage=8),
            **of("compute.relax", method=1, fmax=0.02, max_steps=44, max_move=0.1),
        },
    ),
    (
        lambda: batch().embed(),
        {
            "job": 3,
            **of("build.conformers", n=10, most_tries=30),
            **FIXED_CELL,
        },
    ),
    (
        lambda: batch().embed(4, seed=5, max_tries=6, fmax=0.02, max_steps=44, method="fire",
                              max_move=0.1),
        {
            "job": 3,
            **of("build.conformers", n=4, seed=5, most_tries=6),
            **of("compute.relax", method=1, fmax=0.02, max_steps=44, max_move=0.1),
        },
    ),
    (
        lambda: batch().embed(1, relax=False),
        {
            **of("build.conformers", n=1, most_tries=30, no_relaxation=True),
        },
    ),
]
ENERGY = {
    "job": 2,
    "input.records.molecule": "set",
    "input.n_records": 1,
    "compute.engine.device": b"cpu",
    **of("output.sinks", format="set", write="set", user="set"),
    **of("output", n_sinks=1, monitor="set"),
}


@pytest.mark.parametrize("k", range(-1, len(JOBS)))
def test_jobs(seen, k):
    call, more = JOBS[k] if k >= 0 else (lambda: batch().energy(), {})
    wanted = {name: value for name, value in {**ENERGY, **more}.items() if value is not None}
    assert seen(call, "shoal_stream_run", 0) == wanted


FLAGS = {
    name: True
    for name in (
        *("type_charges", "neutral", "fit_lambda", "fit_alpha", "fit_radius_charge"),
        *("fit_dispersion_damping", "fit_site_charges", "components"),
    )
}


def data():
    return fit.Dataset(EXAMPLES / "fit" / "AtomTypes.dat").add(EXAMPLES / "fit" / "dimers.xyz")


def fitted():
    return fit.Fit(data(), EXAMPLES / "fit" / "dofs.dat")


STOPPED = {"stop": "set", "user": "set"}


def run(**members):
    return of("run", **members, **STOPPED)


# Other calls: the function of the C library, the argument that is looked at, and what it has.
CALLS = [
    (
        lambda: batch().search(),
        ("shoal_search_create", 1),
        {
            **dict(starts=1000, kick_temperature=300.0, patience=1000, window=0.5),
            **dict(same_energy=0.002, same_rmsd=0.1, temperature=298.15, fix="set"),
        },
    ),
    (
        lambda: batch(
            surface=salt(),
            grid="off",
            movable=1,
            fixed=[0],
            forcefield="mmffsp3",
            placement=shoal.Placement(height=2.5),
        ).search(
            11,
            seed=3,
            kicks=4,
            kick_temperature=222.0,
            patience=33,
            window=0.7,
            same_energy=0.004,
            same_rmsd=0.3,
            temperature=333.0,
        ),
        ("shoal_search_create", 1),
        {
            **dict(starts=11, kicks=4, kick_temperature=222.0, seed=3, patience=33, window=0.7),
            **dict(same_energy=0.004, same_rmsd=0.3, temperature=333.0, height=2.5),
            **dict(surface="set", movable="set", fix="set", n_fix=1, directions=True),
        },
    ),
    (
        lambda: batch().scan("torsion:0,1,2,3=10:60:n6"),
        ("shoal_scan_create", 1),
        {
            **{"coordinates.kind": 2, "coordinates.atoms": [0, 1, 2, 3], "coordinates.from": 10.0},
            **of("coordinates", to=60.0, n=6),
            **{"n_coordinates": 1, "frames": "set", "copies.seed": 1},
        },
    ),
    (
        lambda: batch(
            surface=salt(),
            grid="off",
            copies=shoal.Copies(3, 0.05, 8),
            restraints=[PULL],
            movable=1,
        ).scan(
            "z=2:6:n5",
            "rx=0:90:n2",
            move=[1, 2],
            relaxed=True,
            follow=True,
            hold_length=1500.0,
            hold_angle=3500.0,
        ),
        ("shoal_scan_create", 1),
        {
            **{"coordinates.kind": 5, "coordinates.from": 2.0, "n_coordinates": 2},
            **of("coordinates", to=6.0, n=5),
            **dict(move="set", n_move=2, frames="set", relaxed=True, follow=True),
            **dict(spring_length=1500.0, spring_angle=3500.0, n_restraints=1),
            **dict(surface="set", movable="set"),
            **of("copies", n_copies=3, distance=0.05, seed=8, movable="set"),
        },
    ),
    (
        lambda: batch(copies=2).scan("x=0:1:n2", move=[0], copies=5, jitter=0.1, seed=4),
        ("shoal_scan_create", 1),
        {
            **of("coordinates", kind=3, to=1.0, n=2),
            **dict(n_coordinates=1, move="set", n_move=1, frames="set"),
            **of("copies", n_copies=5, distance=0.1, seed=4),
        },
    ),
    (
        lambda: batch(copies=shoal.Copies(4, 0.02, 9)).energy(),
        ("shoal_jitter_variants", 0),
        {"n_copies": 4, "distance": 0.02, "seed": 9},
    ),
    (lambda: salt().grid(), ("shoal_grid_build", 2), {"samples": 2000, "monitor": "set"}),
    (
        lambda: salt().grid(step=0.2, height=7.0, device="opencl:0", threads=2, samples=0),
        ("shoal_grid_build", 2),
        dict(step=0.2, height=7.0, device=b"opencl:0", n_threads=2, samples=-1, monitor="set"),
    ),
    (
        lambda: shoal.Surface.rocksalt(),
        ("shoal_slab_build", 1),
        {"elements": [11, 17], "size": [4, 4], "vacuum": 20.0},
    ),
    (
        lambda: shoal.Surface.slab(
            "hcp0001",
            "Ti",
            size=(3, 5),
            layers=6,
            a=2.9,
            c=4.7,
            step=2,
            vacancies=[4],
            vacuum=17.0,
        ),
        ("shoal_slab_build", 1),
        {
            **dict(kind=8, elements=[22, 0], a=2.9, c=4.7, size=[3, 5], layers=6, step=2),
            **dict(vacancies="set", n_vacancies=1, vacuum=17.0),
        },
    ),
    *(
        (
            lambda q=q: shoal.Surface.slab("rocksalt", "MgO", charge=q),
            ("shoal_slab_build", 1),
            {"elements": [12, 8], "size": [4, 4], "vacuum": 20.0, **more},
        )
        for q, more in ((0.0, {"no_charges": True}), (1.2, {"charge": 1.2}), (None, {}))
    ),
    (lambda: salt(), ("shoal_surface_create", 2), {}),
    (
        lambda: shoal.Surface.rocksalt(
            alpha=1.6, damping=0.4, hbonds=False, charges={"Na": 0.8, "Cl": -0.8}
        ),
        ("shoal_surface_create", 2),
        {
            **dict(form=1, alpha=1.6, damping=0.4, no_hbonds=True, n_charges=2),
            **of("charges", z=11, charge=0.8),
        },
    ),
    (lambda: shoal.Surface.rocksalt(form="morse"), ("shoal_surface_create", 2), {"form": 1}),
    (
        lambda: fit.Fit(data(), None),
        ("shoal_fit_create_fixed", 2),
        dict(model=b"morse", coulomb_damping=1.0, pool=1.0, strict=True),
    ),
    (
        lambda: fit.Fit(data(), None, "best", pool=2.5),
        ("shoal_fit_create_fixed", 2),
        dict(model=b"exp6-full", coulomb_damping=1.0, pool=2.5, strict=True),
    ),
    (
        lambda: fit.Fit(
            data(),
            None,
            "exp6",
            alpha=11.0,
            constants={"b": 0.5, "c": 2},
            columns=["A", "B"],
            hbond="both",
            coulomb="erf",
            damping=0.7,
            site_model="sr2",
            radius_charge=0.1,
            dispersion_damping=0.3,
            fit_damping=True,
            fit_increments=True,
            clamp=(0.2, 0.6),
            pool=0.0,
            tether=0.01,
            evaluator="opencl:0",
            precision="float",
            threads=3,
            strict=False,
            **FLAGS,
        ),
        ("shoal_fit_create_fixed", 2),
        {
            **dict(model=b"exp6", alpha=11.0, constants=b"b=0.5 c=2.0", columns=b"A B", hbond=2),
            **dict(coulomb=4, coulomb_damping=0.7, site_model=b"sr2", radius_charge=0.1),
            **dict(dispersion_damping=0.3, fit_coulomb_damping=True, fit_increments=True),
            **dict(clamp_from=0.2, clamp_to=0.6, pool=-1.0, tether=0.01, evaluator=b"opencl:0"),
            **dict(single=True, n_threads=3),
            **FLAGS,
        },
    ),
    (
        lambda: shoal.Topology.build("OHH").pair(
            0, 2, vdw_scale=0.5, coulomb_scale=0.8, x=3.1, d=0.01, shift=(1, 0, -1)
        ),
        ("shoal_topology_add_pair", 1),
        dict(j=2, shift=[1, 0, -1], vdw_scale=0.5, coulomb_scale=0.8, x=3.1, d=0.01),
    ),
    (
        lambda: shoal.Topology.build("OHH").pair(0, 1),
        ("shoal_topology_add_pair", 1),
        dict(j=1, vdw_scale=1.0, coulomb_scale=1.0),
    ),
    (
        lambda: shoal.Topology.build("OHH").atom(
            1, vdw_x=3.5, vdw_d=0.003, charge=-0.8, mass=17.0, type="OW"
        ),
        ("shoal_topology_set_atom", 2),
        dict(vdw_x=3.5, vdw_d=0.003, charge=-0.8, mass=17.0, type=b"OW"),
    ),
    (
        lambda: shoal.Topology.build("OHH").atom(0),
        ("shoal_topology_set_atom", 2),
        {"vdw_x": 3.0},
    ),
    (
        lambda: fit.prepare(
            "a.xyz", frames="f", types="t", dofs="d", charges="qeq", dialect="firecore", map="m"
        ),
        ("shoal_fit_prepare", 2),
        dict(charges=3, dialect=2, map=b"m", frames=b"f", types=b"t", dofs=b"d", note="set"),
    ),
    (
        lambda: fit.prepare(["a.xyz"], frames="f", types="t", dofs="d"),
        ("shoal_fit_prepare", 2),
        dict(frames=b"f", types=b"t", dofs=b"d", note="set"),
    ),
    (lambda: fitted().run(), ("shoal_fit_run", 1), {"n_starts": 1, **STOPPED}),
    (
        lambda: fitted().run(4, 6, method="fire", max_steps=9),
        ("shoal_fit_run", 1),
        dict(method=2, max_steps=9, n_starts=4, seed=6, **STOPPED),
    ),
    (
        lambda: fitted().run(max_steps=0, method="lbfgs"),
        ("shoal_fit_run", 1),
        dict(method=1, max_steps=-1, n_starts=1, **STOPPED),
    ),
    (
        lambda: fitted().cross_validate(),
        ("shoal_fit_cross_validate", 1),
        {"n_folds": 5, **run(n_starts=1)},
    ),
    (
        lambda: fitted().cross_validate(
            4, 6, leave_monomer_out=True, starts=3, method="fire", max_steps=9
        ),
        ("shoal_fit_cross_validate", 1),
        {"seed": 6, **run(method=2, max_steps=9, n_starts=3, seed=6)},
    ),
    (lambda: fitted().bootstrap(), ("shoal_fit_bootstrap", 1), {"n": 200, **run(n_starts=1)}),
    (
        lambda: fitted().bootstrap(9, 3, method="lbfgs", max_steps=8),
        ("shoal_fit_bootstrap", 1),
        {"n": 9, "seed": 3, **run(method=1, max_steps=8, n_starts=1, seed=3)},
    ),
    (
        lambda: fitted().choose_pool(),
        ("shoal_fit_choose_pool", 1),
        {"n_folds": 5, **run(n_starts=1)},
    ),
]


@pytest.mark.parametrize("k", range(len(CALLS)))
def test_calls(seen, k):
    call, where, wanted = CALLS[k]
    assert seen(call, *where) == wanted
