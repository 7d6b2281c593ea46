#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Pages as a browser shows them, wide and narrow: screenshots.py FOLDER PAGE.html...
"""Chromium draws every page at 1400 and 400 pixels into FOLDER/NAME-WIDTH.png. What the browser complains of on its console, a page that is wider than
the window, and anything that is loaded from the network end it with 1."""

import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

WIDTHS, HEIGHT = (1400, 400), 2400  # pixels
NAMES = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = ("--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars", "--no-first-run",
           "--disable-background-networking", "--enable-logging=stderr", "--virtual-time-budget=6000")
# A frame as wide as the screenshot: a window of a desktop cannot be narrower than 500 pixels.
FRAME = """<!doctype html><meta charset="utf-8"><body style="margin:0"><iframe id="page" src="{page}" style="border:0;width:{width}px;height:{height}px"></iframe>
<pre id="found" hidden></pre><script>addEventListener("load", () => setTimeout(() => {{
const inner = document.getElementById("page").contentWindow, root = inner.document.documentElement;
document.getElementById("found").textContent = JSON.stringify({{wide: root.scrollWidth, title: inner.document.title,
loaded: inner.performance.getEntriesByType("resource").map((e) => e.name).filter((u) => !/^(data|blob|file):/.test(u))}});
}}, 2000));</script>"""


def browser():
    """Chromium's program, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def photograph(page, size, picture, *options):
    """The run of the browser that made a picture of a page, whose size is in pixels."""
    with tempfile.TemporaryDirectory(prefix="shoal-browser-") as profile:
        words = [browser(), *OPTIONS, *options, f"--user-data-dir={profile}", f"--window-size={size[0]},{size[1]}", f"--screenshot={picture}",
                 page.as_uri()]
        return subprocess.run(words, capture_output=True, text=True, timeout=180, check=True)


def look(page, width, picture):
    """What is wrong with a page at a width."""
    with tempfile.TemporaryDirectory(prefix="shoal-page-") as name:
        frame = pathlib.Path(name) / "frame.html"
        frame.write_text(FRAME.format(page=page.as_uri(), width=width, height=HEIGHT), encoding="utf-8")
        done = photograph(frame, (width, HEIGHT), picture, "--allow-file-access-from-files", "--dump-dom")
    text = re.search(r'<pre id="found"[^>]*>([^<]+)</pre>', done.stdout)
    if not text:
        return [f"the browser told nothing: {done.stderr[-400:]}"]
    found = json.loads(html.unescape(text.group(1)))
    wrong = [line.strip() for line in done.stderr.splitlines() if ":CONSOLE" in line]
    wrong += [f"loads {address}" for address in found["loaded"]]
    if found["wide"] > width:
        wrong.append(f"{found['wide']} pixels wide")
    print(f"{picture.name}: {found['title']}: {'; '.join(wrong) or 'nothing on the console, nothing wider than the window'}")
    return wrong


def main():
    if not browser():
        raise SystemExit("screenshots: no Chromium (Debian: apt-get install chromium)")
    folder = pathlib.Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    pages = [pathlib.Path(word).resolve() for word in sys.argv[2:]]
    wrong = [fault for page in pages for width in WIDTHS for fault in look(page, width, folder / f"{page.stem}-{width}.png")]
    print(f"screenshots: {len(pages)} pages, {len(wrong)} finding(s)")
    sys.exit(1 if wrong or not pages else 0)


if __name__ == "__main__":
    main()
