# SPDX-License-Identifier: BSD-3-Clause
# Mistakes that users make: each names the argument, what it got and what it expected.
import pickle

import numpy as np
import pytest
from program import EXAMPLES

import shoal

OHH = [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]]


def water():
    return shoal.Molecule("OHH", OHH)


def batch(**options):
    return shoal.Batch(water(), device="cpu", **options)


def summed(**options):
    return batch(interactions=shoal.Interactions(**options))


def typed(**options):
    return batch(typing=shoal.Typing(**options))


def taken(**options):
    return batch(input=shoal.Input(**options))


MIXED = shoal.Interactions(mixing="arithmetic")


def mixed(**options):
    return batch(interactions=MIXED, **options)


def spread():
    return water().topology(forcefield="mmffsp3")


def salt():
    return shoal.Surface.rocksalt("NaCl", size=(1, 1), layers=1)


def crossed(**options):
    """Butane over two torsions, one or two points each."""
    made = shoal.Batch(EXAMPLES / "butane.sdf", device="cpu")
    return made.scan("torsion:0,1,2,3=60:180:n2", "torsion:1,2,3,13=60", **options)


def framed():
    return batch().scan(frames=[water(), water()])


def modelled(**options):
    return shoal.PairModel(types={"O_3": {"r": 1.7, "e": 0.003}}, **options)


NAN = np.array(OHH) * np.nan
TURNED = shoal.Placement(rotate=(0, 0, 1))
GEOMETRIC = shoal.Interactions(mixing="geometric")
BUTANE = EXAMPLES / "butane.sdf"
ARGUMENTS = [
    (lambda: batch(interactions=GEOMETRIC, params=modelled()), "mixing: .* got 'geometric'"),
    (lambda: shoal.Batch(water(), device="ref", surface=salt(), grid=True), "grid: .* 'ref' sums"),
    (lambda: shoal.Batch(BUTANE, positions=[OHH]), "positions: expected None with files"),
    (lambda: shoal.Batch(BUTANE, fixed=[[0]]), "fixed by system: expected systems in memory"),
    (lambda: shoal.Batch(BUTANE).energy(save=BUTANE), "butane.sdf is an input, too"),
    (lambda: shoal.Batch(BUTANE).md(save=BUTANE), "save: .*butane.sdf is an input, too"),
    (lambda: typed(types={"element:Qq": "C_R"}), "types: .*Qq"),
    (lambda: typed(types={0: "C_3+12345"}), r"types\[0\]: expected a label"),
    (lambda: typed(bond_slack=0), "bond_slack: expected a number above 0"),
    (lambda: typed(bond_orders={(0, 1): 0}), "bond_orders: expected a number above 0"),
    (lambda: typed(fragment=3), "fragment: expected a whole number from 1 to 2, got 3"),
    (lambda: batch(fixed=[2**31]), "fixed: expected numbers of 32 bits"),
    (lambda: batch().relax(fmax=np.inf), "fmax: expected a finite number, got inf"),
    (lambda: batch().relax(max_steps=np.inf), "max_steps: expected a whole number"),
    (lambda: batch().relax(max_steps="7"), "max_steps: expected a whole number"),
    (lambda: shoal.load(7), "path: expected a path, got 7"),
    (lambda: shoal.PairModel.read(7), "path: expected a path, got 7"),
    (lambda: shoal.PairModel(types=[7]), "types: expected a path, text or dict"),
    (lambda: modelled(hbond="some"), "hbond: expected 'repulsion' or .*, got 'some'"),
    (lambda: modelled(coulomb="some"), "coulomb: expected one of plain, .* got 'some'"),
    (lambda: shoal.Surface.graphene(params=modelled(), damping=0.1), "form, alpha, damping"),
    (lambda: shoal.Surface.graphene(params=modelled(), hbonds=False), "damping, hbonds"),
    (lambda: shoal.Surface.graphene(params=modelled(), form="lj"), "form, alpha, damping, hbonds"),
    (lambda: shoal.Grid.read("no.h5", 7), "surface: expected a Surface, got 7"),
    (lambda: shoal.Engine("x", [OHH]), r"topologies"),
    (lambda: shoal.Engine(["x"], [OHH]), r"topologies\[0\]: expected a Topology, got 'x'"),
    (lambda: shoal.Engine(water().topology(), []), "positions: expected those of one system"),
    (lambda: shoal.Engine([water().topology()], [OHH, OHH]), "topologies: expected 2, got 1"),
    (
        lambda: shoal.Engine(water().topology(), [OHH], restraints=[["pull"]]),
        r"restraints\[0\]: expected a Restraint, got 'pull'",
    ),
    (lambda: shoal.Coordinate.distance(0, 1, []), "distance:0,1: expected a row of values"),
    (lambda: shoal.Coordinate.rz([[1.0]]), "rz: expected a row of values"),
    (lambda: shoal.Coordinate.x([0, 1, 3]), "x: expected values that are evenly spaced"),
    (lambda: batch().scan(7), "scan: expected texts such as .* got 7"),
    (lambda: batch().scan(), "scan: expected coordinates or frames"),
    (lambda: batch(placement=TURNED).scan(frames=[water()]), "frames have the places"),
    (lambda: batch().scan("z=1", jitter=0.1), "jitter: expected copies with it"),
    (lambda: batch().scan("distance:0,1=1", relaxed=True, hold_length=0), "hold_length: expected"),
    (lambda: framed().minima(), "a scan of frames has no grid"),
    (lambda: crossed().barriers(), "barriers are those of curves; .* found 2"),
    (lambda: crossed().minima(1), "molecule 1: expected 0 to 0"),
    (lambda: crossed().minima(-2), "molecule -2: expected 0 to 0"),
    (lambda: batch(copies=2).search(), "search: expected a batch without copies"),
    (lambda: taken(shard=(0, 2)).search(), "shard: a search takes all"),
    (lambda: batch(fixed=[[0]]).search(), "fixed: a search expects the same atoms"),
    (lambda: batch(placement=TURNED).search(), "placement: a search places molecules itself"),
    (lambda: batch().search(resume=True), "resume: expected journal with it"),
    (lambda: batch(copies=2).md(copies=2), "copies: the batch has copies already"),
    (lambda: batch().md(temperature=[]), r"temperature \[\]: expected up to"),
    (lambda: batch().md(temperature=-1), "temperature -1: expected up to"),
    (lambda: batch().md(temperature=1.1e6), "temperature 1100000.0: expected up to"),
    (lambda: batch().md(temperatures=[[300.0]]), r"temperatures \[\[300.0\]\]: expected up to"),
    (lambda: batch().md(frames=False, save="never.h5"), "save: the file holds frames"),
    (lambda: batch().modes(step=0.5), "step 0.5: expected 1e-6 to 0.5"),
    (lambda: batch().modes(step=9e-7), "step 9e-07: expected 1e-6 to 0.5"),
    (lambda: batch().modes(relax=False, max_steps=5), "max_steps and method are about"),
    (lambda: batch().modes(pressure=0), "pressure: expected a number above 0"),
    (lambda: batch(precision="float").modes(), "precision 'float': modes"),
    (lambda: batch().energy().column("energy"), "column: expected one of .*, got 'energy'"),
    (lambda: summed(vdw_cutoff=0.9), "vdw_cutoff: expected"),
    (lambda: shoal.Placement(height=0.09), "height: expected"),
    (lambda: salt().split(0), "movable: expected"),
    (lambda: shoal.Surface.rocksalt("NaCl", size=(1, 1), alpha=0.19), "alpha: expected"),
    (lambda: shoal.Molecule("OHH", OHH[:2]), r"positions: expected shape \[3, 3\], got \[2, 3\]"),
    (lambda: shoal.Molecule("OHH", np.zeros((3, 2))), r"positions: expected shape \[3, 3\]"),
    (lambda: shoal.Molecule("OHH", "abc"), "positions: expected real numbers"),
    (lambda: shoal.Molecule("OHH", NAN), r"positions\[0, 0\]: expected a finite number, got nan"),
    (lambda: shoal.Molecule(["O", "Q", "H"], OHH), "symbols: expected elements, got 'Q'"),
    (lambda: shoal.Molecule("o?h", OHH), "symbols: expected elements"),
    (lambda: shoal.Molecule([8, 1, 200], OHH), "200"),
    (lambda: shoal.Molecule([8, 1.5, 1], OHH), "numbers: expected whole numbers"),
    (lambda: shoal.Molecule("OHH", OHH, [(0, 7)]), r"bonds\[0\]: .* got 7"),
    (lambda: shoal.PairModel(types={"O_3": {"r": 1, "e": 1}}, scale_14=1), "scale_14: expected"),
    (lambda: shoal.PairModel(types={"O_3": {"r": 1, "e": 1, "q": "a"}}), "q: expected a number"),
    (lambda: batch(surface=salt(), grid=np.zeros(3)), "grid: expected a Grid"),
    (lambda: shoal.write("never.xyz", [7]), "molecules: expected Molecules, got 7"),
    (lambda: shoal.Molecule("OHH", OHH, [(0, 1, 7)]), "there is no bond order 7"),
    (lambda: shoal.Molecule([[1], [1, 2]], OHH), "numbers: expected an array of numbers"),
    (lambda: shoal.Molecule("OHH", OHH, formal_charges=[]), r"formal_charges: expected shape"),
    (lambda: shoal.Molecule("OHH", OHH, [(0,)]), r"bonds\[0\]: expected \(i, j\)"),
    (lambda: shoal.Molecule("OHH", OHH, charges=[1, 2]), r"charges: expected shape \[3\]"),
    (
        lambda: shoal.Molecule("OHH", OHH, formal_charges=[0.5, 0, 0]),
        "formal_charges: expected whole",
    ),
    (lambda: shoal.Molecule("OHH", OHH, pbc=True), "pbc: expected a cell"),
    (lambda: shoal.Molecule("OHH", OHH, cell=np.zeros((2, 2))), r"cell: expected shape \[3, 3\]"),
    (lambda: water().topology(charges="gasteiger"), "charges: expected .*qeq.*, got 'gasteiger'"),
    (lambda: shoal.Batch([]), "systems: expected molecules or paths, got none"),
    (lambda: shoal.Batch([water(), 7]), r"systems\[1\]: expected a Molecule, .*got int"),
    (lambda: shoal.Batch(7), "systems: expected molecules or paths, got 7"),
    (
        lambda: shoal.Batch([water(), shoal.Molecule([], np.zeros((0, 3)))]),
        r"systems\[1\]: expected atoms",
    ),
    (
        lambda: batch(positions=np.zeros((5, 4, 3))),
        r"positions: expected shape \[n, 3, 3\], got \[5, 4, 3\]",
    ),
    (lambda: batch(positions=[OHH, OHH[:2]]), r"positions: .*\[n, 3, 3\]"),
    (lambda: batch(positions=np.zeros((0, 3, 3))), "positions: expected coordinates of one system"),
    (
        lambda: shoal.Batch([water()] * 2, positions=[OHH]),
        "positions: expected one array for each of 2",
    ),
    (lambda: batch(charges="resp"), "charges: expected .* got 'resp'"),
    (lambda: batch(forcefield=shoal.UFF("gaff")), "force field 'uff:gaff', expected"),
    (lambda: batch(forcefield=7), "forcefield: expected a name such as 'mmffsp3', .* got 7"),
    (lambda: batch(interactions="vdw"), "interactions: expected a shoal.Interactions, got 'vdw'"),
    (lambda: batch(precision="half"), "precision: expected .* got 'half'"),
    (lambda: summed(mixing="cubic"), "mixing: expected .* got 'cubic'"),
    (lambda: batch(device_memory=1 << 30), "device_memory: .* got device='cpu'"),
    (lambda: mixed(forcefield="mmffsp3"), "mixing: expected None .* as mmffsp3 has"),
    (lambda: mixed(forcefield=["mmffsp3"]), "mixing: expected None"),
    (lambda: mixed(topologies=spread()), "mixing: expected None"),
    (lambda: shoal.Engine(spread(), [OHH], interactions=MIXED), "mixing: expected None"),
    (lambda: summed(terms_off=["bonds"]), "terms_off: expected .* got 'bonds'"),
    (lambda: batch(threads=-1), "threads: expected a whole number from 0"),
    (lambda: batch(threads=1.5), "threads: expected a whole number"),
    (lambda: summed(vdw_cutoff="far"), "vdw_cutoff: expected a number, got 'far'"),
    (lambda: summed(coulomb_damping=-1), "coulomb_damping: expected 0 or more, got -1"),
    (lambda: batch(fixed=[0, 9]), "fixed: expected atoms from 0 to 2, got 9"),
    (lambda: batch(fixed=[-1]), "fixed: expected atoms from 0 to 2, got -1"),
    (lambda: batch(fixed=[True, False]), "fixed: expected a mask of 3 atoms"),
    (lambda: batch(fixed=[[0], [1]]), "fixed: expected one mask for each of 1 systems, got 2"),
    (lambda: batch(fixed="element:Qq"), "fixed: .*Qq"),
    (lambda: batch(fixed=["element:O", 9]), "fixed: expected atoms from 0 to 2, got 9"),
    (lambda: batch(fixed=["element:O", [True]]), "fixed: expected a mask of 3 atoms"),
    (lambda: batch(restraints=["pull"]), "restraints"),
    (lambda: batch(restraints=7), "restraints: expected a list of Restraints, got 7"),
    (
        lambda: batch(restraints=[[], []]),
        "restraints: expected one list for each of 1 systems, got 2",
    ),
    (
        lambda: batch(restraints=[shoal.Restraint.distance(0, 8, 1.0, k=1)]),
        r"restraints: distance of atoms \(0, 8\)",
    ),
    (lambda: shoal.Restraint.distance(0, 0, 1.0, k=1), "atoms: expected different ones"),
    (lambda: shoal.Restraint.distance(0, 1, -1.0, k=1), "value: expected 0 or more, got -1"),
    (lambda: shoal.Restraint.angle(0, 1, 2, 190, k=1), "value: expected an angle from 0 to 180"),
    (
        lambda: shoal.Restraint.position(0, k=1, directions="w"),
        "directions: expected some of 'xyz'",
    ),
    (
        lambda: batch(topologies=shoal.Topology.build("OH").finish()),
        "topologies: system 0 has 3 atoms, its topology 2",
    ),
    (
        lambda: batch(topologies=shoal.Topology.build("OHO").finish()),
        "topologies: system 0 has other elements",
    ),
    (
        lambda: batch(topologies=[water().topology()] * 2),
        "topologies: expected one, or one for each of 1",
    ),
    (lambda: batch(topologies=["x"]), r"topologies\[0\]: expected a Topology, got 'x'"),
    (lambda: batch(surface="NaCl"), "surface: expected a Surface, got 'NaCl'"),
    (lambda: batch(grid=True), "grid: expected a surface"),
    (lambda: batch(surface=salt(), grid=0.1), "grid: expected a Grid"),
    (lambda: batch(placement="flat"), "placement: expected a Placement, got 'flat'"),
    (lambda: batch(movable=1), "movable: expected a surface"),
    (lambda: shoal.Layers(1, spring=-1), "spring: expected 0 or more, got -1"),
    (lambda: batch(params=7), "params: expected a PairModel or a path, got 7"),
    (lambda: typed(types={0: 7}), r"types\[0\]: expected a label"),
    (lambda: typed(types=["C_R"]), "types: expected a dict"),
    (lambda: typed(total_charge=0.5), "total_charge: expected a whole number"),
    (lambda: shoal.Copies(2, jitter=-1), "jitter: expected 0 or more, got -1"),
    (lambda: shoal.Copies(2, seed=-1), "seed: expected a whole number from 0"),
    (lambda: batch(copies=0), "copies: expected a whole number from 1"),
    (lambda: taken(shard=(3, 2)), "shard: expected a whole number from 0 to 1, got 3"),
    (lambda: taken(shard=3), r"shard: expected whole numbers of shape \[2\], got 3"),
    (lambda: taken(format="dcd"), "format: expected .* got 'dcd'"),
    (lambda: shoal.Batch(water(), device=7), "device: expected a name"),
    (lambda: batch().relax(fmax=0), "fmax: expected 1e-12 or more, got 0"),
    (lambda: batch().relax(fmax="small"), "fmax: expected a number, got 'small'"),
    (lambda: batch().relax(max_steps=0), "max_steps: expected a whole number from 1"),
    (lambda: batch().relax(method="bfgs"), "method: expected 'lbfgs' or 'fire', got 'bfgs'"),
    (lambda: batch().relax(adsorption=True), "adsorption: expected a surface"),
    (lambda: batch().relax(resume=True), "resume: expected save"),
    (lambda: batch().energy(progress="bar"), "progress: expected .* got 'bar'"),
    (lambda: shoal.Surface(water()), "cell|repeat|period"),
    (lambda: shoal.Surface("NaCl"), "molecule: expected a Molecule"),
    (lambda: shoal.Surface.rocksalt("Au"), "'Au': expected two elements"),
    (lambda: shoal.Surface.fcc111("NaCl"), "'NaCl': expected one element"),
    (lambda: shoal.Surface.fcc111(["Na", "Cl"]), "elements: fcc111 has 1"),
    (lambda: shoal.Surface.fcc111("Au", c=5.0), "c belongs to hcp, graphene and h-BN"),
    (lambda: shoal.Surface.slab("diamond"), "kind: expected one of .* got 'diamond'"),
    (lambda: shoal.Surface.rocksalt("NaCl", size=(0, 2)), "size: expected two numbers from 1 on"),
    (lambda: shoal.Surface.graphene(form="buck"), "form: expected 'lj' or 'morse', got 'buck'"),
    (lambda: shoal.Surface.graphene(form="lj", alpha=1.0), "alpha: belongs to form='morse'"),
    (lambda: salt().grid(step=-1), "step: expected a number above 0, got -1"),
    (lambda: shoal.Placement(orient="sideways"), "orient: expected .* got 'sideways'"),
    (lambda: shoal.Placement(at=(1, 2, 3)), r"at: expected shape \[2\], got \[3\]"),
    (lambda: shoal.PairModel(form="mie", types={}), "form: expected one of .* got 'mie'"),
    (
        lambda: shoal.PairModel(types={"C_3": {"r": 1.9}}),
        r"types\['C_3'\]: expected a dict with e, got",
    ),
    (lambda: shoal.PairModel(), "types: expected a table"),
    (
        lambda: shoal.Topology.build("OHH").bond(0, 3, k=1, r0=1),
        "j: expected a whole number from 0 to 2, got 3",
    ),
    (lambda: shoal.Topology.build("OHH").finish("all"), "exclusions: expected .* got 'all'"),
    (lambda: shoal.Topology.build("OHH").angle(0, 1, 2, k=1), "angle: expected either theta0 or c"),
    (lambda: water().topology().terms("bonds"), "kind: expected one of bond, .* got 'bonds'"),
]


@pytest.mark.parametrize("call, words", ARGUMENTS, ids=[str(k) for k in range(len(ARGUMENTS))])
def test_arguments(call, words):
    with pytest.raises(shoal.ArgumentError, match=words):
        call()


def test_arguments_are_value_errors():
    with pytest.raises(ValueError):
        batch(charges="resp")
    assert issubclass(shoal.ArgumentError, shoal.Error)


def test_missing_files(tmp_path):
    missing = tmp_path / "no.sdf"
    for call in (
        lambda: shoal.read(missing),
        lambda: shoal.Batch(missing),
        lambda: shoal.Batch([str(missing)]),
        lambda: shoal.load(tmp_path / "no.h5"),
        lambda: shoal.PairModel.read(missing),
        lambda: shoal.Surface.read(missing),
        lambda: shoal.Grid.read(missing, salt()),
        lambda: batch().energy(save=tmp_path / "no" / "run.h5"),
        lambda: water().write(tmp_path / "no" / "a.xyz"),
    ):
        with pytest.raises((shoal.FileError, shoal.FormatError), match="no"):
            call()
    with pytest.raises(OSError, match="no such file"):
        shoal.Batch(missing)


def test_other_formats(tmp_path):
    path = tmp_path / "a.sdf"
    path.write_text("not a molecule\n")
    with pytest.raises(shoal.FormatError, match="a.sdf"):
        shoal.read(path)
    (tmp_path / "a.h5").write_text("not HDF5")
    with pytest.raises(shoal.Error, match="a.h5"):
        shoal.load(tmp_path / "a.h5")


def test_unknown_devices():
    for device in ("gpu", "opencl:99", "cuda:0"):
        with pytest.raises(shoal.DeviceError, match=device):
            shoal.Batch(water(), device=device)
    with pytest.raises(RuntimeError):
        shoal.Batch(water(), device="gpu")


def test_molecules_that_change_size_after_the_batch_was_made():
    mol = shoal.Molecule("CC", [[0, 0, 0], [1.5, 0, 0]], [(0, 1, 1)])
    made = shoal.Batch(mol, fixed=[[True, False]], device="cpu")
    mol.add_hydrogens()
    with pytest.raises(shoal.ArgumentError, match="had 2 atoms .* has 8 now"):
        made.relax()


def test_what_cannot_be_pickled_says_so():
    for thing in (shoal.Topology.build("OH"), salt().grid(step=0.3, samples=0)):
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(thing)


@pytest.mark.parametrize(
    "name, group",
    [
        ("vdw_cutoff", r"interactions=shoal\.Interactions\(vdw_cutoff=\.\.\.\)"),
        ("add_hydrogens", r"typing=shoal\.Typing\(add_hydrogens="),
        ("shard", r"input=shoal\.Input\(shard="),
        ("jitter", r"copies=shoal\.Copies\(n, jitter="),
        ("spring", r"movable=shoal\.Layers\(n, spring="),
        ("angle_guard", r"forcefield=shoal\.UFF\(angle_guard="),
        ("dialect", r"shoal\.UFF\(dialect=\.\.\.\) or forcefield=shoal\.MMFFsp3\(dialect="),
        ("n", "'n'$"),
        ("colour", "'colour'$"),
    ],
)
def test_options_of_groups_name_their_group(name, group):
    with pytest.raises(TypeError, match=group):
        batch(**{name: 1})


def test_engines_name_groups_too():
    with pytest.raises(TypeError, match=r"Engine\(\) .* interactions=shoal\.Interactions\(mixing="):
        shoal.Engine.of(water(), mixing="arithmetic")


def test_angles_up_to_a_straight_one():
    assert shoal.Restraint.angle(0, 1, 2, 180, 1).value == 180
    with pytest.raises(shoal.ArgumentError, match="0 to 180"):
        shoal.Restraint.angle(0, 1, 2, 180.1, 1)


def test_options_are_told_by_their_names():
    from shoal.options import flat

    assert (shoal.Copies(3).seed, shoal.Copies(3).jitter, shoal.Layers(2).spring) == (1, 0.0, 1.0)
    copies = shoal.Copies(3, jitter=0.1)
    told = flat({"copies": copies, "movable": shoal.Layers(2), "device": "cpu"})
    assert told == {"copies": 3, "jitter": 0.1, "movable": 2, "device": "cpu"}
