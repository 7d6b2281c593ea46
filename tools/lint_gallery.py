#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# docs/gallery.md has the pictures and captions of the scripts in docs/gallery: lint_gallery.py [--update]
import sys

import make_gallery
import source_tree


def check():
    if (make_gallery.TOP / "docs/gallery.md").read_text(encoding="utf-8") != make_gallery.page():
        yield "docs/gallery.md: is not what docs/gallery gives: tools/lint_gallery.py --update"


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        (make_gallery.TOP / "docs/gallery.md").write_text(make_gallery.page(), encoding="utf-8")
    source_tree.report(list(check()))
