#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Links of a built site: every page, file and anchor they name is there, and nothing is loaded from elsewhere.
import html.parser
import pathlib
import sys
import urllib.parse

LOADING = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("source", "src")}


class Page(html.parser.HTMLParser):
    """Anchors of a page, where it links to and what it loads."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.loads = set(), [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        for key in ("id", "name"):
            if values.get(key):
                self.anchors.add(values[key])
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        for key in ("src", "href"):
            rel = values.get("rel") or ""
            if (tag, key) in LOADING and values.get(key) and "canonical" not in rel:
                self.loads.append(values[key])


def is_remote(target):
    return target.startswith("//") or urllib.parse.urlsplit(target).scheme in ("http", "https", "ftp")


def broken(site, pages):
    for path, page in pages.items():
        name = path.relative_to(site)
        for target in page.loads:
            if is_remote(target):
                yield f"{name}: loads {target}"
        for target in page.links + page.loads:
            parts = urllib.parse.urlsplit(target)
            if is_remote(target) or parts.scheme:
                continue
            there = path
            if parts.path:
                there = (path.parent / urllib.parse.unquote(parts.path)).resolve()
                there = there / "index.html" if there.is_dir() else there
            if not there.is_file():
                yield f"{name}: no such file: {target}"
            elif parts.fragment and there in pages:
                if urllib.parse.unquote(parts.fragment) not in pages[there].anchors:
                    yield f"{name}: no such place: {target}"


def styles(site):
    for path in site.rglob("*.css"):
        text = path.read_text(encoding="utf-8")
        if "url(http" in text or "url(//" in text or "@import" in text:
            yield f"{path.relative_to(site)}: loads something from elsewhere"


def main():
    site = pathlib.Path(sys.argv[1]).resolve()
    paths = [p for p in site.rglob("*.html") if "_static" not in p.parts]
    pages = {path: Page(path) for path in paths}
    findings = sorted(set(broken(site, pages)) | set(styles(site)))
    for finding in findings:
        print(finding)
    print(f"check_site: {len(pages)} pages, {len(findings)} finding(s)")
    sys.exit(1 if findings or not pages else 0)


if __name__ == "__main__":
    main()
