# SPDX-License-Identifier: BSD-3-Clause
# The documentation site: the C reference leaves nothing out, pages find each other, broken links are found.
import http.server
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests"))
sys.path.insert(0, str(TOP / "tools"))

from checks import check, finish  # noqa: E402

import check_links as web_links  # noqa: E402
import make_c_reference  # noqa: E402
import make_docs  # noqa: E402
import public_functions  # noqa: E402
import run_examples  # noqa: E402



def test_reference(place):
    """Every function, struct, enum and member is on the page of its header, with its comment."""
    make_c_reference.write(TOP, place)
    pages = {p.stem: p.read_text(encoding="utf-8") for p in place.glob("*.md")}
    for function in public_functions.declared(TOP):
        page = pages[pathlib.Path(function.header).stem]
        check(re.search(rf"\b{function.name}\(", page), f"{function.header}: {function.name} is missing")
    for header in sorted((TOP / "include" / "shoal").glob("*.h")):
        text = public_functions.COMMENT.sub(" ", header.read_text(encoding="utf-8"))
        for name in re.findall(r"(?:struct|enum) (shoal_\w+) \{", text):
            check(f"## {name}\n" in pages[header.stem], f"{header.name}: {name} is missing")
        for body in re.findall(r"enum(?: shoal_\w+)? \{(.*?)\}", text, re.DOTALL):
            for member in re.findall(r"SHOAL_\w+", body):
                check(f"`{member}" in pages[header.stem], f"{header.name}: {member} is missing")
    check("| `SHOAL_E_MEMORY = -1` | an allocation failed |" in pages["status"], "comment behind a member")
    check("| `double fmax` |" in pages["engine"], "a member without its comment above")
    check("An empty batch." in pages["batch"], "comment above a function")
    for name, page in pages.items():
        told = len(re.findall(r"^\*Since \d+\.\d+", page, re.MULTILINE))
        check(name == "index" or told == page.count("\n## "), f"{name}.md: a name without its version")
    check_links(place, pages)


def check_links(place, pages):
    for name, text in pages.items():
        for target, anchor in re.findall(r"\]\((\w+)\.md#(\w+)\)", text):
            there = re.search(rf"^## {anchor}$", pages[target], re.MULTILINE | re.IGNORECASE)
            check(there, f"{place.name}/{name}.md: no {target}.md#{anchor}")


def test_stage(stage):
    """All pages of docs/ are there and in the table of contents; links of the tree have become links of the site."""
    make_docs.put_together(stage)
    index = (stage / "index.md").read_text(encoding="utf-8")
    for path in (TOP / "docs").rglob("*.md"):
        source = pathlib.PurePosixPath(path.relative_to(TOP).as_posix())
        page = make_docs.page_for(source)
        check((stage / page).is_file(), f"{source} is not on the site")
        check(source.parts[1] in ("index.md", "decisions") or f"\n{page}\n" in index, f"{source}: not in the contents")
    for page in stage.rglob("*.md"):
        text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)\s#]+)(?:#[^)]*)?\)", text):
            if "://" not in target:
                check((page.parent / target).is_file(), f"{page.relative_to(stage)}: no {target}")


def findings_of(place, **pages):
    """What check_site says of a site with these pages."""
    for name, body in pages.items():
        (place / f"{name}.html").write_text(f"<html><body>{body}</body></html>", encoding="utf-8")
    command = [sys.executable, str(TOP / "tools" / "check_site.py"), str(place)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    return run.returncode, run.stdout


def test_check_site(place):
    fine = '<a href="b.html#x">b</a><a href="https://example.org/none">away</a>'
    check(findings_of(place, a=fine, b='<p id="x"></p>')[0] == 0, "a good site")
    for body, words in (('<a href="c.html">c</a>', "no such file: c.html"),
                        ('<a href="b.html#y">b</a>', "no such place: b.html#y"),
                        ('<a href="#z">z</a>', "no such place: #z"),
                        ('<script src="https://example.org/a.js"></script>', "loads https"),
                        ('<link rel="stylesheet" href="//example.org/a.css">', "loads //example"),
                        ('<img src="none.png">', "no such file: none.png")):
        code, text = findings_of(place, a=body)
        check(code == 1 and words in text, f"{body}: {text}")


class Server(http.server.BaseHTTPRequestHandler):
    """Answers with the number that an address ends with."""

    def do_GET(self):
        self.send_response(int(self.path[1:4]))
        self.end_headers()

    def log_message(self, *_):
        pass


def test_addresses(place):
    """Addresses on the web: what is gone is told, what only keeps programs away is not."""
    with http.server.HTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        here = f"http://127.0.0.1:{server.server_port}"
        (place / "a.md").write_text(f"[a]({here}/200), <{here}/403>, {here}/404(x). [b]({here}/410)\n", encoding="utf-8")
        found = sorted(web_links.check(place))
        server.shutdown()
    check(found == [f"a.md: {here}/404(x) answers 404", f"a.md: {here}/410 answers 410"], f"addresses: {found}")
    found = list(web_links.check(place))
    check(len(found) == 4 and "does not answer" in found[0], f"addresses without their server: {found}")


def test_examples():
    """Numbers agree to the last digit shown, words exactly."""
    for shown, line, equal in (("E 1.234", "E 1.2345", True), ("E 1.234", "E 1.237", False),
                               ("E 1.234 eV", "E 1.234 meV", False), ("12 atoms", "13 atoms", False)):
        check(run_examples.same(shown, line) == equal, f"{shown} and {line}")
    page = "```python\na = 1\n```\n\n```text\n1\n...\n```\n\ntext\n\n```sh\n$ x\n```\n\n```python\nb\n```\n"
    blocks = list(run_examples.blocks_of(page))
    check([(line, shown) for line, _, shown in blocks] == [(2, ["1"]), (17, [])], f"blocks of a page: {blocks}")


for test in (test_reference, test_stage, test_check_site, test_addresses):
    with tempfile.TemporaryDirectory() as directory:
        test(pathlib.Path(directory))
test_examples()
finish()
