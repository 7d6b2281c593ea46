# SPDX-License-Identifier: BSD-3-Clause
# Figures of shoal fit and shoal fit scan: SVG is XML, and what is drawn is where it belongs.
import csv
import math
import pathlib
import re
import tempfile
import xml.etree.ElementTree as xml

from program import check, equal, finish, near, run, write

TYPES = """\
O_3 * O * 2 2 0 0 0.66 1.75 0.1000 -0.4 0.0
C_3 * C * 4 0 0 0 0.75 1.90 0.0045  0.1 0.0
"""
DOFS = """\
O_3 R 1.0 2.2 1.0 2.2 0 0 0 1.70
C_3 E 0.005 0.09 0.005 0.09 0 0 0 0.05
"""
MARK = "#b00020"
RADII = [round(2.6 + 0.1 * k, 1) for k in range(21)]
ANGLES = list(range(0, 181, 15))


def r_least(angle):
    return 3.0 + 0.2 * math.cos(math.radians(angle))


def frames():
    """One dimer of two atoms over distance and angle, with a well whose place and depth depend on the angle."""
    text = ""
    for angle in ANGLES:
        for r in RADII:
            decay = math.exp(-1.6 * (r - r_least(angle)))
            energy = (0.05 + 0.01 * math.cos(math.radians(angle))) * (decay**2 - 2 * decay)
            text += f"2\n# n0 1 Etot {energy:.10f} x0 {r} z {angle} pa<i>r & \x07co\nO_3 0 0 0 0\nC_3 {r} 0 0 0\n"
    return text


def inputs(directory):
    return [f"--{name}={pathlib.Path(directory) / name}" for name in ("types", "data", "dofs")]


def read_svg(path):
    """All elements without their name space, in order; fails if it is no XML."""
    found = list(xml.parse(path).getroot().iter())
    for element in found:
        element.tag = element.tag.split("}")[1]
    return found


def axis(elements, horizontal, panel=(0, 460)):
    """From place to value, by the labels of the ticks of one panel; ticks are 11 points high."""
    ticks = []
    for e in elements:
        if e.tag != "text" or e.get("font-size") != "11" or not re.fullmatch(r"-?[\d.]+", e.text or ""):
            continue
        x, y, anchor = float(e.get("x")), float(e.get("y")), e.get("text-anchor")
        if panel[0] <= x < panel[1] and anchor == ("middle" if horizontal else "end"):
            ticks.append((x if horizontal else y - 4, float(e.text)))
    (p, a), (q, b) = ticks[0], ticks[-1]
    decimals = {len(f"{t.text}".partition(".")[2]) for t in elements
                if t.tag == "text" and t.get("font-size") == "11" and re.fullmatch(r"-?[\d.]+", t.text or "")
                and panel[0] <= float(t.get("x")) < panel[1]
                and t.get("text-anchor") == ("middle" if horizontal else "end")}
    equal(len(decimals), 1, f"ticks of one axis have as many decimals: {decimals}")
    return lambda place: a + (place - p) / (q - p) * (b - a)


def points(element):
    return [tuple(map(float, p.split())) for p in re.split("[ML]", element.get("d")) if p]


def test_fit_figures(directory):
    prefix = pathlib.Path(directory) / "figure"
    table, steps = pathlib.Path(directory) / "table.csv", pathlib.Path(directory) / "steps.csv"
    done = run("fit", *inputs(directory), "--pool", "0", "--plot", prefix, "-q",
               "--table", table, "--trajectory", steps)
    equal(done.returncode, 0, f"exit code: {done.stderr}")
    sheets = {name: read_svg(f"{prefix}-{name}.svg")
              for name in ("scatter", "samples", "maps", "polar", "cuts", "dofs", "trajectory")}
    check(not pathlib.Path(f"{prefix}-curves.svg").exists(), "no curves: the one dimer has angles")
    check_map_lines(sheets["maps"])
    check_polar_lines(sheets["polar"])
    check_cuts(sheets["cuts"])
    values = {row["type"]: float(row["value"]) for row in csv.DictReader(table.read_text().splitlines())}
    check_marks(sheets["dofs"], values["O_3"])
    lines = [e for e in sheets["trajectory"] if e.tag == "path" and e.get("stroke") == "#0072b2"]
    equal(len(points(lines[0])), len(steps.read_text().splitlines()) - 1, "points of J by step")
    texts = [e.text for e in sheets["trajectory"] if e.tag == "text"]
    check("O_3 R" in texts and "C_3 E" in texts, "values of the DOFs by step")


def check_map_lines(svg):
    """The line of least energy of the reference is where the energies have their minima."""
    x, y = axis(svg, True), axis(svg, False)
    line = [e for e in svg if e.tag == "path" and e.get("stroke") == "#000000" and e.get("stroke-width") == "1.60"][0]
    equal(len(points(line)), len(ANGLES), "points of the line of least energy")
    for (px, py), angle in zip(points(line), ANGLES):
        near(y(py), angle, 0.5, "angle on the line of least energy")
        near(x(px), r_least(angle), 0.02, f"distance of the least energy at {angle} degrees")


def check_polar_lines(svg):
    spokes = [points(e) for e in svg if e.tag == "path" and e.get("stroke") == "#777777" and len(points(e)) == 2]
    centre = spokes[0][0]
    check(all(s[0] == centre for s in spokes[:7]), "spokes of the first panel start in its middle")
    line = [e for e in svg if e.tag == "path" and e.get("stroke") == "#000000" and e.get("stroke-width") == "1.60"][0]
    far = [math.dist(p, centre) for p in points(line)]
    near(far[0] / far[-1], r_least(0) / r_least(180), 0.01, "distances on the polar line")
    for (px, py), angle in zip(points(line), ANGLES):
        near(math.degrees(math.atan2(centre[1] - py, px - centre[0])), angle, 0.5, "angle on the polar line")


def check_cuts(svg):
    texts = [e.text for e in svg if e.tag == "text"]
    check("reference, 0.0°" in texts and "model, 180.0°" in texts, "radial cuts at the deepest and the other end")
    check("cut at the minimum, x0: 3.2000 " in texts, "the angular cut goes through the minimum")
    y = axis(svg, False, (920, 1380))
    dots = [e for e in svg if e.tag == "circle" and e.get("fill") == "#0072b2" and 998 < float(e.get("cx")) < 1362
            and e.get("fill-opacity")]
    equal(len(dots), len(ANGLES), "least energy of every angle")
    near(y(float(dots[0].get("cy"))), -0.06, 0.0005, "least energy at 0 degrees")
    near(y(float(dots[-1].get("cy"))), -0.04, 0.0005, "least energy at 180 degrees")


def check_marks(svg, value):
    """The fitted value is marked where it is, by a dashed line."""
    x = axis(svg, True)
    line = [e for e in svg if e.tag == "path" and e.get("stroke") == MARK][0]
    near(x(points(line)[0][0]), value, 0.002, "fitted value marked in a scan")
    equal(line.get("stroke-dasharray"), "4 3", "a dashed line")


def test_scans(directory):
    folder = pathlib.Path(directory)
    common = (*inputs(directory), "--pool", "0", "--fitted")
    one = ("--dof", "O_3.R=1.0:2.0:11")
    two = (*one, "--dof", "C_3.E=0.09:0.01:9")
    equal(run("fit", "scan", *common, *two, "--plot", folder / "map").returncode, 0, "a map")
    equal(run("fit", *inputs(directory), "--pool", "0", "-q", "--table", folder / "t.csv").returncode, 0, "the fit")
    values = [float(row["value"]) for row in csv.DictReader((folder / "t.csv").read_text().splitlines())]
    svg = read_svg(folder / "map-scan.svg")
    ring = [e for e in svg if e.tag == "circle" and e.get("fill") == MARK][0]
    at = float(ring.get("cx")), float(ring.get("cy"))
    near(axis(svg, True)(at[0]), values[0], 0.01, "first value of the mark")
    near(axis(svg, False)(at[1]), values[1], 0.001, "second value of the mark")
    cells = [e for e in svg if e.tag == "rect" and e.get("shape-rendering")]
    check(len(cells) >= 99, f"{len(cells)} cells")
    equal(run("fit", "scan", *common, *one, "--plot", folder / "line.svg").returncode, 0, "a line")
    read_svg(folder / "line.svg")


def test_names(directory):
    folder = pathlib.Path(directory)
    for _ in range(2):
        equal(run("fit", *inputs(directory), "--pool", "0", "-q", "--plot", folder / "only.svg").returncode, 0, "SVG")
        check((folder / "only-scatter.svg").exists() and not (folder / "only.svg-scatter.svg").exists(), "the prefix")
        (folder / "only-maps.svg").rename(folder / f"maps{_}")
    check((folder / "maps0").read_bytes() == (folder / "maps1").read_bytes(), "the same fit gives the same bytes")
    for words in (("fit",), ("fit", "scan", "--dof", "O_3.R=1.0:2.0:11")):
        done = run(*words, *inputs(directory), "--plot", folder / "x.png")
        check(done.returncode == 2 and ".svg" in done.stderr and "shoal.plot.parity(fit)" in done.stderr, done.stderr)
    check(run("fit", *inputs(directory), "--plot", folder / "none" / "x", "-q").returncode != 0, "no folder")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as work:
        write(work, "types", TYPES)
        write(work, "data", frames())
        write(work, "dofs", DOFS)
        for test in (test_fit_figures, test_scans, test_names):
            test(work)
    finish()
