# SPDX-License-Identifier: BSD-3-Clause
# Reports in a browser: nothing goes wrong, structures are drawn, the table sorts and filters,
# nothing is loaded.
import base64
import json
import pathlib
import re
import shutil
import struct
import subprocess
import zlib

import numpy as np
import pytest
from made_run import made_run

import shoal
from shoal import report

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium")

# Collects what goes wrong from the beginning, and what could be loaded.
EARS = """<script>
window.troubles = [];
addEventListener("error", (e) => troubles.push("error: " + e.message));
addEventListener("unhandledrejection", (e) => troubles.push("rejection: " + e.reason));
addEventListener("securitypolicyviolation", (e) => troubles.push("blocked: " + e.blockedURI));
for (const name of ["error", "warn"]) {
  const old = console[name];
  console[name] = (...words) => { troubles.push(name + ": " + words.join(" ")); old(...words); };
}
</script>"""

# What a reader would do; findings end up in the page.
HANDS = """<script>
const cells = (key) => {
  const k = [...document.querySelectorAll("#head > div")].findIndex((c) => c.dataset.key === key);
  const rows = k < 0 ? [] : [...document.querySelectorAll("#rows .row")];
  return rows.map((r) => r.children[k].textContent);
};
/* The picture as it is now, of 200 x 200 pixels. */
const drawn = () => {
  const gl = document.querySelector("#canvas canvas");
  const copy = document.createElement("canvas");
  copy.width = 200; copy.height = 200;
  viewer.gl.render();
  const c = copy.getContext("2d");
  c.drawImage(gl, 0, 0, 200, 200);
  return c.getImageData(0, 0, 200, 200).data;
};
const lit = () => {
  const seen = new Set(), d = drawn();
  for (let k = 0; k < d.length; k += 4) seen.add(d[k] << 16 | d[k + 1] << 8 | d[k + 2]);
  return seen.size;
};
/* Pixels of the border that something is drawn on. */
const cut = () => {
  const d = new Uint32Array(drawn().buffer);
  const isBorder = (k) => k % 200 < 1 || k % 200 > 198 || k < 200 || k >= 39800;
  return d.filter((x, k) => isBorder(k) && x !== d[0]).length;
};
const found = {};
const header = (key) => document.querySelector(`#head > div[data-key="${key}"]`);
found.rows_in_page = document.querySelectorAll("#rows .row").length;
found.names = cells("name").slice(0, 5);
found.failures = document.querySelector("#failures").textContent;
header("energy")?.click();
found.ascending = cells("energy").slice(0, 20);
header("energy")?.click();
found.descending = cells("energy").slice(0, 20);
setFilter("is:failed");
found.failed = [cells("status"), byId("count").textContent];
setFilter("energy<1 atoms=5");
found.filtered = [cells("energy"), cells("natoms")];
setFilter("energy<x");
found.complaint = byId("filter-error").textContent;
found.complaints = {};
for (const wrong of ["status:slow", "is:odd", "colour=3", "energy<", "energy>1 energy<0"]) {
  setFilter("");
  setFilter(wrong);
  found.complaints[wrong] = [byId("filter-error").textContent, table.order.length];
}
setFilter("");
found.fine = [byId("filter-error").textContent, byId("filter").hasAttribute("aria-invalid")];
found.too_wide = byId("table").scrollWidth - byId("table").clientWidth;
found.shown = table.shown.map((c) => c.key);
found.warnings = [...document.querySelectorAll("#warnings-list li")].map((li) => {
  li.querySelector("button").click();
  return [li.textContent, table.order.length];
});
setFilter("");
found.colours = [];
for (const row of document.querySelectorAll("#rows .row")) {
  if (found.colours.length === 3) break;
  row.click();
  found.colours.push([byId("view-name").textContent, lit()]);
  found.cut = (found.cut || 0) + cut();
}
found.plots = [...document.querySelectorAll("#plots .panel")].map(
  (p) => [p.querySelector("h2").textContent, p.querySelectorAll("svg *").length]);
const box = byId("table");
box.scrollTop = box.scrollHeight;
drawRows();
found.last = cells("index").pop();
const slider = byId("frame");
found.frames = byId("frames").hidden ? 0 : Number(slider.max) + 1;
if (found.frames) {
  slider.value = 3;
  slider.dispatchEvent(new Event("input"));
  found.frame = byId("frame-label").textContent;
}
found.films = viewer.films.map((f) => f.name);
found.moved = [];
if (viewer.films.length) {
  const way = viewer.films.length - 1;
  byId("film").value = way;
  byId("film").dispatchEvent(new Event("change"));
  const start = Array.from(structure(viewer.row).positions);
  for (const k of [0, Math.floor(viewer.film.n / 4), viewer.film.n - 1]) {
    chooseFrame(k);
    const at = viewer.film.at(k);
    const far = Math.max(...start.map((x, j) => Math.abs(x - at[j])));
    found.moved.push([byId("frame-label").textContent, far]);
  }
}
const buttons = [...document.querySelectorAll("#buttons button")];
const overlay = buttons.find((b) => b.textContent === "overlay");
if (overlay) {
  const before = lit();
  overlay.click();
  found.overlay = [before, lit()];
  overlay.click();
}
/* A frame drawn with the mouse over the middle of a plot. */
const panels = [...document.querySelectorAll("#plots .panel")];
const plot = panels.find((p) => /Scan|One against/.test(p.textContent));
if (plot) {
  const mouse = (type, x, y) => {
    const g = plot.querySelector("svg"), box = g.getBoundingClientRect();
    const buttons = type === "mouseup" ? 0 : 1;
    g.dispatchEvent(new MouseEvent(type, { bubbles: true, button: 0, buttons,
      clientX: box.left + x * box.width, clientY: box.top + y * box.height }));
  };
  const ticks = () => [...plot.querySelectorAll("svg text")].map((t) => t.textContent);
  found.zoom = [ticks()];
  const whole = plot.querySelector("button");
  mouse("mousedown", 0.3, 0.3); mouse("mousemove", 0.5, 0.5); mouse("mouseup", 0.5, 0.5);
  setTimeout(() => {
    found.zoom.push(ticks(), whole.hidden);
    whole.click();
    found.zoom.push(ticks());
    finish();
  }, 20);
} else setTimeout(finish, 0);
function finish() {
found.script_ran = window.pwned === true;
found.overflow = document.documentElement.scrollWidth - innerWidth;
found.hash = location.hash;
found.loaded = performance.getEntriesByType("resource").map((e) => e.name)
  .filter((u) => !/^(data|blob):/.test(u));
found.troubles = troubles;
const pre = document.createElement("pre");
pre.id = "found";
pre.textContent = btoa(unescape(encodeURIComponent(JSON.stringify(found))));
document.body.append(pre);
pre.hidden = true;
}
</script>"""


def looked_at(folder, run, size, hash_="", **options):
    """What was found in the page, the screenshot as an array, and what the browser complained
    of."""
    given = {
        "title": "A <made> run",
        "surface": None,
        "max_structures": 10_000,
        "max_rows": 200_000,
        **options,
    }
    return browsed(folder, report.render(run, **given), size, hash_)


def browsed(folder, page, size, hash_=""):
    """The same of a page that is there."""
    page = page.replace("<title>", EARS + "<title>", 1).replace("</body>", HANDS + "</body>")
    (folder / "page.html").write_text(page, encoding="utf-8")
    command = [
        BROWSER,
        "--headless=new",
        "--no-sandbox",
        "--use-angle=swiftshader",
        "--enable-unsafe-swiftshader",
        "--hide-scrollbars",
        "--no-first-run",
        "--disable-background-networking",
        "--enable-logging=stderr",
        f"--user-data-dir={folder / 'profile'}",
        f"--window-size={size[0]},{size[1]}",
        "--virtual-time-budget=3000",
        f"--screenshot={folder / 'page.png'}",
        "--dump-dom",
        f"file://{folder / 'page.html'}{hash_}",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    text = re.search(r'<pre id="found"[^>]*>([^<]*)</pre>', done.stdout)
    assert text, done.stderr[-2000:]
    complaints = [x for x in done.stderr.splitlines() if ":CONSOLE" in x]
    return json.loads(base64.b64decode(text.group(1))), pixels(folder / "page.png"), complaints


def pixels(path: pathlib.Path, most=400) -> np.ndarray:
    """[most][width][channels]: the first lines of a PNG with 8 bits per channel."""
    raw = path.read_bytes()
    at, parts = 8, []
    width = height = channels = 0
    while at < len(raw):
        size, kind = struct.unpack(">I4s", raw[at : at + 8])
        body = raw[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            channels = {2: 3, 6: 4}[colour]
            assert depth == 8
        elif kind == b"IDAT":
            parts.append(body)
        at += size + 12
    lines = np.frombuffer(zlib.decompress(b"".join(parts)), np.uint8).reshape(height, -1)[:most]
    out = np.zeros((len(lines), width, channels), np.uint8)
    above = np.zeros((width, channels), np.uint8)
    for y, line in enumerate(lines):
        above = out[y] = unfiltered(line[0], line[1:].reshape(width, channels), above)
    return out


def unfiltered(how, line, above):
    """A line of a PNG without its filter."""
    if how == 0:
        return line
    if how == 1:
        return np.cumsum(line, axis=0, dtype=np.uint8)
    if how == 2:
        return line + above
    out = line.astype(int).tolist()
    up = above.astype(int).tolist()
    left, corner = [0] * len(up[0]), [0] * len(up[0])
    for x, cell in enumerate(out):
        for c in range(len(cell)):
            a, b, d = left[c], up[x][c], corner[c]
            if how == 3:
                guess = (a + b) // 2
            else:
                pa, pb, pc = abs(b - d), abs(a - d), abs(a + b - 2 * d)
                guess = a if pa <= pb and pa <= pc else b if pb <= pc else d
            cell[c] = (cell[c] + guess) & 255
        left, corner = cell, up[x]
    return np.array(out, np.uint8)


def colours(image):
    return len(np.unique(image[..., :3].reshape(-1, 3).astype(np.int64) @ [65536, 256, 1]))


def numbers(texts):
    return [float(t.replace("−", "-")) for t in texts if t]


def substrate():
    class Slab:
        numbers = np.array([11, 17, 17, 11])
        positions = np.array([[0, 0, 0], [2.8, 0, 0], [0, 2.8, 0], [2.8, 2.8, 0]], dtype=float)
        cell = np.diag([5.6, 5.6, 20.0])

    return Slab()


def test_a_run_with_failures_on_a_substrate(tmp_path):
    run = made_run(2500)
    found, image, complaints = looked_at(tmp_path, run, (1400, 1000), surface=substrate())
    assert found["troubles"] == [] and complaints == []
    assert found["loaded"] == [] and not found["script_ran"]
    assert found["rows_in_page"] < 80  # of 2500
    assert found["names"][0] == "<script>alert(1)</script>"
    assert "not finite" in found["failures"] and "the vdw energy is not finite" in found["failures"]
    energy = run.columns["systems/energy"]
    lowest = np.sort(energy[np.isfinite(energy)])
    assert np.allclose(numbers(found["ascending"]), lowest[:20], atol=1e-4)
    assert np.allclose(numbers(found["descending"]), lowest[::-1][:20], atol=1e-4)
    failed = (~run.fine()).sum()
    assert set(found["failed"][0]) <= {"not finite", "max steps"} and found["failed"][1].startswith(
        f"{failed} of"
    )
    assert max(numbers(found["filtered"][0])) < 1 and set(found["filtered"][1]) == {"5"}
    assert "no number" in found["complaint"]
    told = found["complaints"]
    assert "there are converged" in told["status:slow"][0] and "is:warned" in told["is:odd"][0]
    assert "no column 'colour'" in told["colour=3"][0] and "is no number" in told["energy<"][0]
    assert all(words.startswith("The filter is not applied") and n == 2500 for words, n in
               (told[key] for key in ("status:slow", "is:odd", "colour=3", "energy<")))  # fmt: skip
    assert told["energy>1 energy<0"] == ["No system passes this filter.", 0]
    assert found["fine"] == ["", False]
    assert found["too_wide"] <= 0 and "warning" in found["shown"]
    ((words, rows),) = found["warnings"]
    assert words.endswith("atoms 0 and 1 are near") and rows == len(range(3, 2500, 17))
    whole, part, hidden, again = found["zoom"]
    assert whole == again != part and not hidden
    before, over = found["overlay"]
    assert over > before > 20
    lowest_row = np.flatnonzero(~np.isfinite(energy))[-1]  # what has no energy comes last
    assert found["last"] == str(lowest_row)
    titles = [title for title, _ in found["plots"]]
    assert {"Energy by term", "Distribution", "Statuses", "Places on the substrate"} <= set(titles)
    assert all(n > 3 for _, n in found["plots"])
    assert image.shape[:2] == (400, 1400) and colours(image) > 500
    assert found["overflow"] <= 0


def test_a_trajectory_in_a_narrow_window(tmp_path):
    run = made_run(30, kind="md")
    found, image, complaints = looked_at(tmp_path, run, (500, 900), "#sort=-energy&row=12")
    assert found["troubles"] == [] and complaints == [] and found["loaded"] == []
    assert all(n > 20 for _, n in found["colours"]) and len(found["colours"]) == 3
    assert found["frames"] == 10 and found["frame"].startswith("4 / 10")
    assert "Trajectory" in [title for title, _ in found["plots"]]
    assert "sort=-energy" in found["hash"]
    assert colours(image) > 200 and found["overflow"] <= 0


def test_energies_that_differ_in_the_last_digit_or_are_enormous(tmp_path):
    """Axes of such numbers have ticks, and an end."""
    for name, energy in (("near", [-1000.0, np.nextafter(-1000.0, 0), -1000.0]), ("large", [1e17])):
        run = made_run(len(energy))
        run.columns["systems/status"][:] = 1
        run.columns["systems/energy"] = np.array(energy)
        (tmp_path / name).mkdir()
        found, _, complaints = looked_at(tmp_path / name, run, (1000, 800))
        assert found["troubles"] == [] and complaints == []
        assert all(n > 2 for _, n in found["plots"])


def moving(run, n_frames=5):
    """Frames of relaxations: all atoms come from the side."""
    n, columns = len(run), dict(run.columns)
    places = [run.columns["atoms/position"][run.span(i)] for i in range(n)]
    frames = [at + 0.1 * (n_frames - 1 - k) for at in places for k in range(n_frames)]
    columns["systems/index"] = np.repeat(np.arange(n), n_frames)
    columns["systems/status"] = np.repeat(run.columns["systems/status"], n_frames)
    columns["systems/steps"] = np.tile(np.arange(n_frames, dtype=np.int32), n)
    columns["systems/energy"] = np.tile(np.linspace(2.0, 1.0, n_frames), n)
    columns["systems/fmax"] = np.tile(np.linspace(1.0, 0.0, n_frames), n)
    columns["atoms/position"] = np.concatenate(frames)
    columns["atoms/starts"] = np.cumsum([0] + [len(at) for at in frames])
    run.frames = report.View(columns, run.status_names, run.term_names)
    return run


def test_structures_fit_their_frame(tmp_path):
    """Nothing is drawn on the border, flat and long as they are."""
    words = ("COC(=O)C1=NN2C(=O)Nc3cc(Cl)ccc3C2C1", "ClC#CC#CCl", "c1ccc2cc3ccccc3cc2c1")
    text = "".join(f"{smiles} m{k}\n" for k, smiles in enumerate(words))
    (tmp_path / "large.smi").write_text(text)
    shoal.Batch(tmp_path / "large.smi", device="cpu").relax().report(tmp_path / "large.html")
    page = (tmp_path / "large.html").read_text(encoding="utf-8")
    for size in ((1400, 1000), (400, 900)):
        found, _, complaints = browsed(tmp_path, page, size)
        assert complaints == [] and len(found["colours"]) == 3
        assert min(n for _, n in found["colours"]) > 20 and found["cut"] == 0


def test_relaxations_play(tmp_path):
    found, _, complaints = looked_at(tmp_path, moving(made_run(12)), (1400, 900))
    assert found["troubles"] == [] and complaints == [] and found["too_wide"] <= 0
    assert found["films"] == ["relaxation"]
    (first, far), _, (last, near) = found["moved"]
    assert first.startswith("evaluation 0, 2.000 eV") and abs(far - 0.4) < 2e-3
    assert last.startswith("evaluation 4, 1.000 eV") and near < 2e-3
    assert "Relaxation" in [title for title, _ in found["plots"]]


def test_modes_move(tmp_path):
    run = made_run(2)
    sizes = np.diff(run.columns["atoms/starts"])

    class Kept:  # as ModesResults have them
        vectors = [np.eye(3 * n)[:4].reshape(4, n, 3) for n in sizes]
        frequencies = [np.array([-50.0, 100.0, 200.0, 300.0])] * 2

    run.keeps = Kept
    found, _, complaints = looked_at(tmp_path, run, (400, 900))
    assert found["troubles"] == [] and complaints == [] and found["overflow"] <= 0
    assert [f.split(":")[0] for f in found["films"]] == ["mode 1", "mode 2", "mode 3", "mode 4"]
    assert found["films"][0].endswith("−50 cm⁻¹") or found["films"][0].endswith("-50 cm⁻¹")
    rest, turn, _ = (far for _, far in found["moved"])
    assert rest == 0 and abs(turn - 0.35) < 1e-3


def test_a_search_fits_and_a_map_can_be_looked_into(tmp_path):
    for kind, n in (("search", 9), ("scan", 12)):
        run = made_run(n, kind=kind)
        run.columns["systems/adsorption_energy"] = run.columns["systems/energy"] - 1
        (tmp_path / kind).mkdir()
        found, _, complaints = looked_at(tmp_path / kind, run, (1400, 900))
        assert found["troubles"] == [] and complaints == [] and found["too_wide"] <= 0
        if kind == "search":
            wanted = {"search_rank", "search_weight", "energy", "adsorption_energy"}
            assert wanted <= set(found["shown"])
            found, _, complaints = looked_at(tmp_path / kind, run, (400, 900))
            assert complaints == [] and found["too_wide"] <= 0 and found["overflow"] <= 0
            assert found["shown"] == ["index", "name", "status", "adsorption_energy"]
        else:
            whole, part, hidden, again = found["zoom"]
            assert whole == again != part and not hidden
