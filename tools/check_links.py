#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Addresses on the web that the documents name: check_links.py [FOLDER] asks each of them once.
"""Pages of the tree are compared by tools/check_site.py without the network; this asks servers. 404, 410 and a server that does not answer are findings;
that a server wants a browser (403, 429) is not."""

import concurrent.futures
import pathlib
import re
import sys
import urllib.error
import urllib.request

import source_tree

ADDRESS = re.compile(r"https?://[^\s<>\"'`\]|{}]+")
SUFFIXES = (".md", ".cff", ".bib", ".html")
WITHOUT_SERVER = ("example.org",)
SECONDS, THREADS = 30, 8


def trimmed(address):
    """Without what belongs to the sentence: a bracket that the address does not open, and all that follows it."""
    depth = 0
    for k, letter in enumerate(address):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth < 0:
            return address[:k]
    return address.rstrip(".,;:")


def addresses(top):
    """{address: the first file that names it}"""
    found = {}
    for path in source_tree.files(top):
        if path.suffix in SUFFIXES and "assets" not in path.parts:
            for address in ADDRESS.findall((top / path).read_text(encoding="utf-8", errors="replace")):
                found.setdefault(trimmed(address), path)
    return {a: path for a, path in found.items() if not any(name in a for name in WITHOUT_SERVER)}


def trouble(address):
    """What a server says against an address, or None."""
    request = urllib.request.Request(address, headers={"User-Agent": "shoal-links"})
    try:
        with urllib.request.urlopen(request, timeout=SECONDS):
            return None
    except urllib.error.HTTPError as error:
        return f"answers {error.code}" if error.code in (404, 410) else None
    except (urllib.error.URLError, OSError) as error:
        return f"does not answer: {getattr(error, 'reason', error)}"


def check(top):
    named = addresses(top)
    with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
        for address, said in zip(named, pool.map(trouble, named)):
            if said:
                yield f"{named[address]}: {address} {said}"
    print(f"{len(named)} addresses")


if __name__ == "__main__":
    source_tree.report(list(check(source_tree.root())))
