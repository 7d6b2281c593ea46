# SPDX-License-Identifier: BSD-3-Clause
# Drawings for notebooks, and pictures of results of real runs.
import pathlib
import re
import xml.etree.ElementTree as ElementTree
from types import SimpleNamespace

import numpy as np
import pytest

import shoal
from shoal import picture, report, view

TOP = pathlib.Path(__file__).resolve().parents[2]
WATER = ([8, 1, 1], [[0, 0, 0.12], [0, 0.76, -0.47], [0, -0.76, -0.47]])


def parsed(text):
    return ElementTree.fromstring(text)


def circles(text):
    return [
        (float(c.get("cx")), float(c.get("cy")))
        for c in parsed(text).iter("{http://www.w3.org/2000/svg}circle")
    ]


def test_atoms_and_bonds_are_drawn_inside():
    text = picture.svg(*WATER, [(0, 1), (0, 2)])
    at = np.array(circles(text))
    assert len(at) == 3 and text.count("<path") == 4  # bonds in halves
    assert (at > 0).all() and (at < [picture.WIDTH, picture.HEIGHT]).all()
    lengths = np.linalg.norm(at[:, None] - at[None], axis=2)
    flat = np.sort(lengths[np.triu_indices(3, 1)])
    assert flat[2] / flat[0] == pytest.approx(1.52 / 0.961, rel=0.02)  # seen from the front
    assert "#ff0d0d" in text and len(text) < 2000


def test_the_nearest_atom_is_drawn_last():
    numbers = [6, 8, 7, 9, 17]
    positions = np.array([[0, 0, 0], [1, 3, 0.3], [0, -2, 0], [4, 2, 0], [2, 1, 5]])
    text = picture.svg(numbers, positions, cell=np.diag([5.0, 5, 5]))
    drawn = [c.get("fill") for c in parsed(text).iter("{http://www.w3.org/2000/svg}circle")]
    # From the side and a little from above: what has a small y and a large z is near.
    assert drawn[0] == picture.COLOURS[8] and drawn[-1] == picture.COLOURS[7]


def test_cells_are_boxes_of_what_repeats():
    assert picture.svg(*WATER, cell=np.diag([5.0, 5, 5])).count("<path") == 12
    assert picture.svg(*WATER, cell=np.diag([5.0, 5, 0])).count("<path") == 4
    assert picture.svg(*WATER, cell=np.diag([5.0, 0, 0])).count("<path") == 1
    assert picture.svg(*WATER, cell=np.zeros((3, 3))).count("<path") == 0


def test_nothing_is_drawn_of_nothing():
    assert picture.svg([], np.zeros((0, 3))) == ""
    assert picture.svg([1], [[0, 0, np.nan]]) == ""
    assert picture.svg([1] * 500, np.zeros((500, 3))) == ""
    assert "<svg" in picture.svg([1], [[1, 2, 3]])


# --- results of runs ---


@pytest.fixture(scope="module")
def results():
    water = shoal.Molecule(*WATER, [(0, 1), (0, 2)], name="<b>water")
    heavy = shoal.Molecule([104], [[0, 0, 0]], name="heavy")
    return shoal.Batch([water, heavy], device="cpu").relax(every=1)


def test_reprs(results):
    html = results[0]._repr_html_()
    assert html.count("<circle") == 3 and "&lt;b&gt;water" in html and "<b>water" not in html
    assert "converged" in html and "eV/Å" in html
    assert "untyped" in results[1]._repr_html_()
    html = results[0].molecule._repr_html_()
    assert html.count("<circle") == 3 and "H2O" in html
    assert "&lt;b&gt;water" in results._repr_html_()


def test_report_of_results_and_of_their_file_agree(results, tmp_path):
    results.save(tmp_path / "run.h5")
    written = report.write(str(tmp_path / "run.h5"), tmp_path / "file.html", "same")
    memory = results.report(tmp_path / "memory.html", title="same")

    def parts(path):
        text = path.read_text()
        names = ("energy", "fmax", "steps")
        columns = [re.search(rf'"key":"{n}",.*?"data":"([^"]*)"', text).group(1) for n in names]
        return (
            columns
            + re.findall(r'id="chunk\d+">([^<]*)<', text)
            + [re.search(r'"texts":\[.*?\]', text).group(0)]
        )

    assert parts(written) == parts(memory)
    assert '"traces":null' in written.read_text() and '"traces":{' in memory.read_text()


def test_views_of_jobs():
    butane = shoal.Molecule(
        "CCCC",
        [[0, 0, 0], [1.53, 0, 0], [2.04, 1.44, 0], [3.57, 1.44, 0]],
        [(0, 1), (1, 2), (2, 3)],
    )
    butane.add_hydrogens()
    batch = shoal.Batch(butane, device="cpu")
    scan = view.view(batch.scan("torsion:0,1,2,3=0:180:60"))
    assert [name for name, _ in scan.coordinates] == ["torsion:0,1,2,3"]
    assert scan.points[:, 0].tolist() == [0, 60, 120, 180]
    found = view.view(batch.search(starts=4))
    assert found.minima["search_rank"][0] == 1
    frames = view.view(batch.md(steps=20, stride=10, frames=True))
    assert frames.get("time").tolist() == [0, 5, 10] and frames.notes == []
    hot = shoal.Batch([butane, shoal.Molecule([104], [[0, 0, 0]], name="heavy")], device="cpu")
    notes = view.view(hot.md(steps=20, stride=10, frames=True)).notes
    assert len(notes) == 1 and notes[0].startswith("heavy: untyped, ")


def test_plots_of_results(results):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    ax = results.plot.relaxation()
    assert ax.lines[0].get_ydata()[-1] == 0
    assert results.plot.energy_terms().get_xlabel() == "energy (eV)"
    matplotlib.pyplot.close("all")


def test_documents(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    text = (TOP / "docs" / "pictures.md").read_text(encoding="utf-8")
    (tmp_path / "examples").symlink_to(TOP / "examples")
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in re.findall(r"^```python\n(.*?)^```", text, re.M | re.S):
        exec(compile(block, "docs/pictures.md", "exec"), names)
    made = {p.name for p in tmp_path.iterdir() if p.is_file() and p.stat().st_size > 1000}
    assert made == {
        "terms.png",
        "relaxation.pdf",
        "drops.svg",
        "ethanol.png",
        "run.html",
        "run.json.gz",
    }


def test_results_for_chemiscope(results):
    assert results.to_chemiscope()["structures"][0]["names"] == ["O", "H", "H"]


def test_up_is_up_and_bonds_change_colour_in_the_middle():
    """z of a crystal points up, where y of an SVG points down."""
    low, high = circles(picture.svg([6, 8], [[0, 0, 0], [0, 0, 3]], cell=np.diag([4.0, 4, 4])))
    assert high[1] < low[1] - 20
    text = picture.svg(*WATER, [(0, 1), (0, 2)])
    ends = re.findall(r'd="M(\S+) (\S+)L(\S+) (\S+)" stroke="(\S+)"', text)
    assert len(ends) == 4
    lengths = [np.hypot(float(a) - float(c), float(b) - float(d)) for a, b, c, d, _ in ends]
    assert lengths == pytest.approx([np.mean(lengths)] * 4, abs=0.2)


def test_a_drawing_is_no_mirror_image():
    """Four unlike atoms about a fifth: seen with depth, turned as they were given."""
    numbers = [6, 1, 9, 17, 35]
    corners = np.array([[0, 0, 0], [1, 1, 1], [1.2, -1.2, -1.2], [-1.6, 1.6, -1.6], [-2, -2, 2.0]])
    for sign in (1, -1):
        at = picture.svg(numbers, sign * corners)
        order = [c.get("fill") for c in parsed(at).iter("{http://www.w3.org/2000/svg}circle")]
        place = dict(zip(order, circles(at)))
        colours = [picture.COLOURS[z] for z in numbers]
        x = np.array([[*place[colour], order.index(colour)] for colour in colours])
        x[:, 1] *= -1  # downwards
        a, b, c = x[2:] - x[1]
        assert np.sign(np.dot(np.cross(a, b), c)) == sign * np.sign(
            np.linalg.det(corners[2:] - corners[1])
        )


def test_sizes_and_cells_of_results():
    """Hydrogen is the smallest ball, and of a sheared cell only what repeats is drawn."""
    text = picture.svg([1, 6, 17], [[0, 0, 0], [3, 0, 0], [6, 0, 0]])
    radii = [float(c.get("r")) for c in parsed(text).iter("{http://www.w3.org/2000/svg}circle")]
    assert sorted(radii) == radii and len(set(radii)) == 3
    cell = np.array([[5.0, 0, 1], [1, 6, 0], [2, 0, 9]])
    system = SimpleNamespace(
        results=SimpleNamespace(
            _table=SimpleNamespace(
                columns={"bonds/starts": np.array([0, 1]), "bonds/atoms": np.array([[0, 1]])}
            )
        ),
        i=0, index=7, name="", energy=np.nan, fmax=0.0, status="ok", reason="", warning="",
        numbers=np.array([6, 8]), positions=np.array([[0, 0, 0], [0, 0, 1.2]]),
        cell=cell, pbc=np.array([True, True, False]),
    )  # fmt: skip
    system_drawn = picture.result_html(type("R", (SimpleNamespace,), {"__len__": lambda _: 2})(
        **vars(system)
    ))
    repeats = np.array([cell[0], cell[1], np.zeros(3)])
    assert picture.svg(system.numbers, system.positions, [(0, 1)], repeats) in system_drawn
    assert "#7" in system_drawn


def test_metals_are_spheres_that_touch_and_salts_are_not():
    gold = shoal.slab("fcc111", "Au", size=(2, 2), layers=2)
    drawn = picture.svg(gold.numbers, gold.positions, [(0, 1)], gold.cell)
    radii = {float(r) for r in re.findall(r'<circle[^>]* r="([0-9.]+)"', drawn)}
    assert len(radii) == 1 and not re.search(r'stroke-width="[2-9]', drawn)  # no bonds
    centres = np.array(re.findall(r'cx="([0-9.]+)" cy="([0-9.]+)"', drawn), dtype=float)
    assert (centres.min(axis=0) > min(radii)).all()  # nothing is cut off
    assert (centres < [picture.WIDTH - min(radii), picture.HEIGHT - min(radii)]).all()
    salt = shoal.slab("rocksalt", "NaCl", size=(1, 1))
    other = picture.svg(salt.numbers, salt.positions, (), salt.cell)
    assert max(map(float, re.findall(r' r="([0-9.]+)"', other))) < 0.5 * min(radii)


def test_a_result_on_a_surface_is_drawn_with_it():
    salt = shoal.Surface.rocksalt("NaCl", size=(2, 2), layers=3)
    water = shoal.Molecule("OHH", [[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]])
    on = shoal.Placement(at=(30.0, 30.0), height=2.5)  # cells away
    found = shoal.Batch(water, surface=salt, grid="off", placement=on, device="cpu").energy(
        adsorption=True
    )
    numbers, at = picture.beneath(found.positions[0], salt)
    assert set(numbers.tolist()) == {11, 17} and at[:, 2].min() > salt.top - 4.5
    middle = np.asarray(found.positions[0]).mean(axis=0)[:2]
    assert np.abs(at[:, :2].mean(axis=0) - middle).max() < 1.5
    page = found[0]._repr_html_()
    assert page.count("<circle") == 3 + len(numbers) and "adsorption" in page
    far = np.array([[0.0, 0, 3], [1e4, 0, 3], [0, 1e4, 3]])
    assert picture.beneath(far, salt) is None
