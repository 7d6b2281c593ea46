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
  return [...document.querySelectorAll("#rows .row")].map((r) => r.children[k].textContent);
};
const lit = () => {
  const gl = document.querySelector("#canvas canvas");
  const copy = document.createElement("canvas");
  copy.width = 200; copy.height = 200;
  viewer.gl.render();
  const c = copy.getContext("2d");
  c.drawImage(gl, 0, 0, 200, 200);
  const seen = new Set(), d = c.getImageData(0, 0, 200, 200).data;
  for (let k = 0; k < d.length; k += 4) seen.add(d[k] << 16 | d[k + 1] << 8 | d[k + 2]);
  return seen.size;
};
const found = {};
const header = (key) => document.querySelector(`#head > div[data-key="${key}"]`);
found.rows_in_page = document.querySelectorAll("#rows .row").length;
found.names = cells("name").slice(0, 5);
found.failures = document.querySelector("#failures").textContent;
header("energy").click();
found.ascending = cells("energy").slice(0, 20);
header("energy").click();
found.descending = cells("energy").slice(0, 20);
setFilter("is:failed");
found.failed = [cells("status"), byId("count").textContent];
setFilter("energy<1 atoms=5");
found.filtered = [cells("energy"), cells("natoms")];
setFilter("energy<x");
found.complaint = byId("filter-error").textContent;
setFilter("");
found.colours = [];
for (const row of document.querySelectorAll("#rows .row")) {
  if (found.colours.length === 3) break;
  row.click();
  found.colours.push([byId("view-name").textContent, lit()]);
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
    page = report.render(run, **given)
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
    assert np.allclose(numbers(found["ascending"]), lowest[:20], atol=1e-6)
    assert np.allclose(numbers(found["descending"]), lowest[::-1][:20], atol=1e-6)
    failed = (~run.fine()).sum()
    assert set(found["failed"][0]) <= {"not finite", "max steps"} and found["failed"][1].startswith(
        f"{failed} of"
    )
    assert max(numbers(found["filtered"][0])) < 1 and set(found["filtered"][1]) == {"5"}
    assert "no number" in found["complaint"]
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
