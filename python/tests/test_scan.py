# SPDX-License-Identifier: BSD-3-Clause
"""Scans from Python have the bits of 'shoal scan', on a grid, with minima and barriers."""

import pickle

import numpy as np
import pytest
from program import EXAMPLES, rows_of, stop_when

import shoal
from shoal import Coordinate
from shoal._lib import ArgumentError
from shoal.view import view

BUTANE = EXAMPLES / "butane.sdf"
TORSION = "torsion:0,1,2,3=-180:180:20"


def batch(path=BUTANE, **keywords):
    return shoal.Batch(shoal.read(path), device="cpu", **keywords)


def compare(r, rows):
    """All that the program tells of the points, bit for bit."""
    assert len(r) == len(rows)
    assert r.status.tolist() == [row["status"] for row in rows]
    assert r.index.tolist() == [row["index"] for row in rows]
    assert r.points.tolist() == [row["point"] for row in rows]
    assert r.energy.tolist() == [row["energy"] for row in rows]
    assert r.fmax.tolist() == [row["fmax"] for row in rows]
    for name in r.terms.dtype.names:
        assert r.terms[name].tolist() == [row["terms"].get(name, 0.0) for row in rows], name


def test_rigid_curve_has_the_bits_of_the_program():
    r = batch().scan(TORSION)
    compare(r, rows_of("scan", "-q", "--json", "--coordinate", TORSION, BUTANE))
    assert r.energies.shape == (1, 19) and r.values[0][0] == -180 and r.values[0][-1] == 180
    assert np.array_equal(r.energies[0], r.energy)
    assert r.held is None
    part = r[5:9]
    assert np.isnan(part.energies[0]).sum() == 15
    assert part.points.tolist() == r.points[5:9].tolist()


def test_relaxed_scan_has_the_bits_of_the_program():
    options = ["--relaxed", "--hold-angle", 3000, "--fmax", 0.02]
    r = batch().scan(TORSION, relaxed=True, hold_angle=3000, fmax=0.02)
    rows = rows_of("scan", "-q", "--json", "--coordinate", TORSION, *options, BUTANE)
    compare(r, rows)
    assert r.energy0.tolist() == [row["energy0"] for row in rows]
    assert r.steps.tolist() == [row["steps"] for row in rows]
    assert r.restraint_energy.tolist() == [row["restraint_energy"] for row in rows]
    assert r.held.tolist() == [row["held"] for row in rows]
    assert r.restraint_energy.max() > 0 and abs(r.held).max() < 0.1


def test_energies_before_are_without_restraints_too(tmp_path):
    ring = shoal.Molecule(
        "CCCC",
        [[0, 0, 0], [1.55, 0, 0.1], [1.55, 1.55, 0], [0, 1.55, 0.1]],
        bonds=[(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 0, 1)],
    )
    ring.add_hydrogens()
    ring.write(tmp_path / "ring.sdf")
    r = batch(tmp_path / "ring.sdf").scan("distance:0,1=1.6:1.7:0.1", relaxed=True)
    option = ["--relaxed", "--coordinate", "distance:0,1=1.6:1.7:0.1"]
    rows = rows_of("scan", "-q", "--json", *option, tmp_path / "ring.sdf")
    compare(r, rows)
    assert r.energy0.tolist() == [row["energy0"] for row in rows]
    assert (r.energy0 < 20).all()  # springs of a ring begin with some 50 eV


def test_follow_is_that_of_the_program_and_the_grid_is_by_place():
    two = ["torsion:0,1,2,3=0:120:60", "angle:0,1,2=105:115:5"]
    r = batch().scan(*two, relaxed=True, follow=True)
    rows = rows_of(
        "scan",
        "-q",
        "--json",
        "--relaxed",
        "--follow",
        "--coordinate",
        two[0],
        "--coordinate",
        two[1],
        BUTANE,
    )
    compare(r, rows)
    assert r.energies.shape == (1, 3, 3)
    for energy, point in zip(r.energy, r.points):
        a = r.values[0].tolist().index(point[0])
        b = r.values[1].tolist().index(point[1])
        assert r.energies[0, a, b] == energy
    assert r.points[3].tolist() == [60.0, 105.0]


def test_starts_are_those_of_the_program():
    r = batch().scan("torsion:0,1,2,3=0:120:60", relaxed=True, starts=3, seed=4)
    words = "scan -q --json --relaxed --starts 3 --seed 4 --coordinate torsion:0,1,2,3=0:120:60"
    compare(r, rows_of(*words.split(), BUTANE))
    once = batch().scan("torsion:0,1,2,3=0:120:60", relaxed=True)
    assert (r.energy < once.energy + 1e-3).all()
    one = batch(fixed=[0]).scan("torsion:0,1,2,3=60", relaxed=True, starts=3)
    assert np.array_equal(one.positions[0][0], one.molecules[0].positions[0])
    with pytest.raises(ArgumentError, match="several starts"):
        batch().scan("torsion:0,1,2,3=0:120:60", starts=3)


def test_places_of_three_coordinates_of_unlike_length():
    three = ["torsion:0,1,2,3=0:60:60", "angle:0,1,2=105:115:5", "distance:0,1=1.5:1.56:0.02"]
    r = batch().scan(*three, relaxed=True, follow=True, max_steps=2)
    words = [word for one in three for word in ("--coordinate", one)]
    rows = rows_of(
        "scan", "-q", "--json", "--relaxed", "--follow", "--max-steps", "2", *words, BUTANE
    )
    assert r.energies.shape == (1, 2, 3, 4)
    assert np.allclose(r.points, [row["point"] for row in rows], atol=1e-12)
    assert np.ravel(r.energies[0])[r.place].tolist() == [row["energy"] for row in rows]


def test_coordinates_as_objects():
    made = Coordinate.torsion(0, 1, 2, 3, "-180:180:20")
    assert (
        made
        == Coordinate.parse(TORSION)
        == Coordinate.torsion(0, 1, 2, 3, np.linspace(-180, 180, 19))
    )
    assert (made.kind, made.atoms, made.n, made.unit) == ("torsion", (0, 1, 2, 3), 19, "degrees")
    assert Coordinate.distance(0, 1, 1.5).n == 1
    for c in (made, Coordinate.x(1.5), Coordinate.angle(0, 1, 2, "90:120:n7")):
        assert Coordinate.parse(str(c)) == c
    assert Coordinate.z("2:6:0.5").n == 9
    assert np.array_equal(batch().scan(made).energy, batch().scan(TORSION).energy)
    with pytest.raises(ArgumentError, match="evenly"):
        Coordinate.angle(0, 1, 2, [90, 100, 120])
    with pytest.raises(ArgumentError, match="torsion"):
        Coordinate.parse("torsion:0,1,2=0:10:1")


def test_minima_and_barriers(tmp_path):
    r = batch().scan("torsion:0,1,2,3=-180:180:10", relaxed=True)
    minima = r.minima()
    assert minima[0].point == (-180.0,) and minima[0].barrier is None
    assert sorted(abs(m.point[0]) for m in minima[1:3]) == [60.0, 60.0] or len(minima) == 3
    assert all(m.energy >= minima[0].energy for m in minima)
    barriers = dict(r.barriers())
    assert barriers[0.0] - minima[0].energy == pytest.approx(0.333744, abs=2e-6)
    r.picture(tmp_path / "curve.svg")
    assert "<svg" in (tmp_path / "curve.svg").read_text()
    pytest.importorskip("matplotlib").use("Agg")
    r.picture(tmp_path / "curve.png", title="butane")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    again = pickle.loads(pickle.dumps(r))
    assert again.minima() == minima and np.array_equal(again.energies, r.energies)


def test_ctrl_c_and_a_file_that_is_gone_on_with(tmp_path):
    path = tmp_path / "scan.h5"
    many = "torsion:0,1,2,3=0:359.998:0.002"  # some tenths of a second
    whole = batch(threads=1).scan(many)
    with pytest.raises(KeyboardInterrupt) as caught:
        batch(threads=1).scan(many, save=path, progress=stop_when(lambda _: True))
    part = caught.value.results
    assert len(part) < len(whole) and np.array_equal(part.energy, whole.energy[: len(part)])
    r = batch(threads=1).scan(many, save=path, resume=True)
    assert np.array_equal(r.energies, whole.energies)
    assert np.array_equal(shoal.load(path).energy, whole.energy)


def test_frames_and_copies():
    mols = shoal.read(BUTANE)
    moved = [mols[0].copy() for _ in range(2)]
    moved[1].positions = moved[1].positions * 1.01
    r = batch().scan(frames=moved)
    assert r.energy[0] == batch().energy().energy[0] and r.energy[1] != r.energy[0]
    assert r.points.tolist() == [[0.0], [1.0]]
    r = batch().scan("torsion:0,1,2,3=0:90:90", copies=3, jitter=0.05, seed=4)
    rows = rows_of(
        "scan",
        "-q",
        "--json",
        "--coordinate",
        "torsion:0,1,2,3=0:90:90",
        "--copies",
        3,
        "--jitter",
        0.05,
        "--seed",
        4,
        BUTANE,
    )
    compare(r, rows)
    assert r.energies.shape == (3, 2) and len(np.unique(r.energies)) == 6


def test_atoms_that_move():
    water = shoal.Molecule(
        "OHHOHH",
        [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0], [0, 0, 3], [0.96, 0, 3], [-0.24, 0.93, 3]],
    )
    r = shoal.Batch(water, charges="qeq", device="cpu").scan("z=2.5:5:0.25", move=[3, 4, 5])
    assert (np.diff(r.energy) < 0).all() and (r.status == "ok").all()  # dipoles side by side
    assert np.allclose(r.positions[4][3:, 2] - r.positions[4][:3, 2], 3.5)


def test_on_a_surface():
    top = shoal.Surface.rocksalt("NaCl", size=(4, 4), layers=2)
    on = shoal.Batch(
        shoal.read(BUTANE),
        device="cpu",
        surface=top,
        grid="off",
        placement=shoal.Placement(orient="flat", at=(1.0, 2.0)),
    )
    r = on.scan("z=3:6:0.5", "rz=0:90:45")
    assert r.energies.shape == (1, 7, 3) and np.isfinite(r.energies).all()
    assert r.minima()[0].energy == r.energies.min()


def test_a_point_that_fails_is_nan():
    ring = shoal.Molecule(
        "CCC", [[0, 0, 0], [1.5, 0, 0], [0.75, 1.3, 0]], bonds=[(0, 1, 1), (1, 2, 1), (2, 0, 1)]
    )
    r = shoal.Batch(ring, device="cpu").scan("distance:0,1=1.4:1.6:0.1")
    assert np.isnan(r.energies).all() and "ring" in r.reason[0]


def test_restraints_of_the_batch_need_a_relaxed_scan():
    pull = shoal.Restraint.distance(0, 3, value=4.0, k=1.0)
    for restraints in ([pull], [[pull]]):
        with pytest.raises(ArgumentError, match="relaxed=True"):
            batch(restraints=restraints).scan(TORSION)
    r = batch(restraints=[[pull]]).scan("torsion:0,1,2,3=60", relaxed=True)
    rows = rows_of("scan", "-q", "--json", "--relaxed", "--coordinate", "torsion:0,1,2,3=60",
                   "--restrain", "distance:0,3=4.0,1.0", BUTANE)  # fmt: skip
    assert r.positions.stack().shape == (1, 14, 3)
    assert r.restraint_energy[0] == pytest.approx(rows[0]["restraint_energy"], rel=0.01)


def test_dataframes():
    pytest.importorskip("pandas")
    r = batch().scan("torsion:0,1,2,3=0:90:45", relaxed=True)
    frame = r.to_dataframe()
    assert frame["torsion:0,1,2,3"].tolist() == [0.0, 45.0, 90.0]
    assert frame["held torsion:0,1,2,3"].tolist() == r.held[:, 0].tolist()
    assert batch().md(steps=10).to_dataframe()["steps"].tolist() == [10]
    assert batch().search(starts=2).to_dataframe()["rank"][0] == 1
    assert batch().modes().to_dataframe()["verdict"][0] == "minimum"


WRONG = [
    (([], {}), "coordinates or frames"),
    ((["torsion:0,1,2=0:1:1"], {}), "torsion"),
    ((["z=2:3:1"], {}), "surface"),
    (([TORSION], {"fmax": 0.1}), "relaxed"),
    (([TORSION], {"hold_angle": 10.0}), "relaxed"),
    (([TORSION], {"follow": True, "copies": 0}), "copies"),
    (([TORSION], {"jitter": 0.1}), "copies"),
    ((["torsion:0,1,2,99=0:10:5"], {"relaxed": True}), None),
]


@pytest.mark.parametrize("given, text", WRONG)
def test_what_makes_no_sense_is_refused(given, text):
    arguments, keywords = given
    if text is None:  # of this system alone
        assert (batch().scan(*arguments, **keywords).status == "untyped").all()
        return
    with pytest.raises(ArgumentError, match=text):
        batch().scan(*arguments, **keywords)


def test_files_of_scans_have_the_grid_and_spare_the_input(tmp_path):
    path = tmp_path / "butane.sdf"
    path.write_bytes(BUTANE.read_bytes())
    on_disk = shoal.Batch(path, device="cpu")
    with pytest.raises(ArgumentError, match="input"):
        on_disk.scan(TORSION, save=path)
    assert path.read_bytes() == BUTANE.read_bytes()
    way = ("torsion:0,1,2,3=0:60:30", "distance:0,1=1.4:1.6:0.1")
    keywords = {"relaxed": True, "follow": True, "save": tmp_path / "scan.h5"}
    r = on_disk.scan(*way, **keywords)
    seen = view(tmp_path / "scan.h5")
    assert [name for name, _ in seen.coordinates] == ["torsion:0,1,2,3", "distance:0,1"]
    assert np.allclose(seen.points, r.points)
    path.write_bytes(path.read_bytes().replace(b"butane", b"BUTANE", 1))
    with pytest.raises(ArgumentError, match="an input has changed"):
        shoal.Batch(path, device="cpu").scan(*way, **keywords, resume=True)


def test_units_of_coordinates():
    of_atoms = {"distance": 2, "angle": 3, "torsion": 4}
    for kind in ("distance", "x", "y", "z", "angle", "torsion", "rx", "ry", "rz"):
        atoms = range(of_atoms.get(kind, 0))
        made = getattr(Coordinate, kind)(*atoms, [1, 2, 3])
        assert made.unit == ("A" if kind in ("distance", "x", "y", "z") else "degrees")
        assert (made.start, made.stop, made.n) == (1, 3, 3)
        assert Coordinate.parse(str(made)) == made
    assert [Coordinate.z(v).n for v in ([1, 3], [2], 2.5, (1, 2, 3, 4))] == [2, 1, 1, 4]
    with pytest.raises(ArgumentError, match="evenly spaced"):
        Coordinate.z([0, 1, 2.001])


def test_pictures_have_limits_and_a_title_with_what_is_fixed(tmp_path):
    r = batch().scan("torsion:0,1,2,3=0:360:30", "angle:0,1,2=112")
    r.picture(tmp_path / "all.svg")
    r.picture(tmp_path / "low.svg", limits=(0, 0.2))
    texts = [(tmp_path / name).read_text() for name in ("all.svg", "low.svg")]
    assert all("; angle 0,1,2 = 112 degrees<" in text for text in texts)
    assert texts[1].count("<circle") < texts[0].count("<circle")
    with pytest.raises(ArgumentError, match="limits"):
        r.picture(tmp_path / "no.svg", limits=(1, 1))


def test_volumes_have_an_equation_of_state():
    """Argon: the same from any row, and the modulus that energies of Lennard-Jones pairs have."""
    a = 5.3
    places = [(0, 0, 0), (a / 2, a / 2, 0), (a / 2, 0, a / 2), (0, a / 2, a / 2)]
    argon = shoal.Molecule("Ar" * 4, places, cell=np.eye(3) * a, pbc=True)
    b = shoal.Batch([argon, argon], device="cpu", charges="none")
    r = b.scan(Coordinate.volume("0.97:1.05:n9"))
    s = r.equation_of_state(1)
    assert s == r.equation_of_state(0)
    assert abs(s.volume / 150.73 - 1) < 1e-3 and abs(s.bulk_modulus / 2.26 - 1) < 0.01
    assert abs(s.slope - 8) < 0.1 and 0 <= s.error < 1e-5
    assert abs(s.energy - r.energies[0].min()) < 1e-4
    assert r[9:].equation_of_state(0) == s
    relaxed = b.scan("volume=0.99:1.01:n3", relaxed=True, shape=True)
    assert relaxed.held.tolist() == [[0]] * 6
    assert np.isclose(np.linalg.det(relaxed[0].cell), 0.99 * a**3)
    with pytest.raises(ArgumentError, match="5 or more"):
        relaxed.equation_of_state(0)
    with pytest.raises(ArgumentError, match="volume alone"):
        batch().scan(TORSION).equation_of_state(0)
    with pytest.raises(ArgumentError, match="volume"):
        b.scan("distance:0,1=3", relaxed=True, shape=True)
