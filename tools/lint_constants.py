#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A constant of nature or mathematics stands once, in kernels/constants.h.
"""Finds its digits, or those of its inverse, where they are typed again: numbers of five digits or more that agree with one
of those constants to 1e-5. Other places include constants.h; callers of the library ask shoal_unit_value(). A constant
that only one file needs stays there: two files that define the same long number are a finding, too."""

import re

import source_tree

HOME = "kernels/constants.h"
PLACES = ("bench", "cli", "include", "kernels", "python/shoal", "src")
LEAST_DIGITS = 5
AGREE = 1e-5
LONG = 10  # digits of a number that nobody types twice by chance

# (file, constant): why it may be typed there.
ALLOWED = {
    ("bench/clusters.py", "KCAL_EV"): "compares with the literature from outside",
    ("bench/rdkit_compare.py", "KCAL_EV"): "compares programs from outside",
    ("bench/peers/shoal_program.py", "KCAL_EV"): "compares programs from outside",
    ("src/io/atom_types_file.c", "KCAL_EV"): "in the words of an error text",
}

DEFINE = re.compile(r"^\s*#\s*define\s+(\w+)\s+\(?([0-9.]+(?:[eE][-+]?\d+)?)[fFlL]?\)?\s*(?:/\*.*)?$")
NUMBER = re.compile(r"(?<![\w.])((?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?)[fFlL]?(?![\w.])")


def digits(text):
    """How many digits a number has that say something."""
    return len(re.sub(r"[eE].*", "", text).replace(".", "").strip("0"))


def constants(top):
    found = {}
    for line in (top / HOME).read_text().splitlines():
        match = DEFINE.match(line)
        if match:
            found[match.group(1)] = float(match.group(2))
    return found


def without_comments(text, suffix):
    """The text with comments blanked; numbers in them explain."""
    if suffix == ".py":
        return re.sub(r"#.*", "", text)
    return re.sub(r"/\*.*?\*/|//[^\n]*", lambda m: "\n" * m.group(0).count("\n"), text, flags=re.DOTALL)


def sources(top):
    for path in source_tree.files(top):
        inside = any(str(path).startswith(place + "/") for place in PLACES)
        if inside and path.suffix in (".c", ".h", ".cl", ".py") and str(path) != HOME:
            if "assets" not in path.parts:
                yield path


def again(known, text):
    """The constant that a number is, or is the inverse of."""
    value = float(text)
    for name, constant in known.items():
        if any(abs(value / wanted - 1) < AGREE for wanted in (constant, 1 / constant)):
            return name
    return None


def check(top):
    known = constants(top)
    defined = {}
    for path in sources(top):
        for number, line in enumerate(without_comments((top / path).read_text(), path.suffix).splitlines(), 1):
            for match in NUMBER.finditer(line):
                if digits(match.group(1)) < LEAST_DIGITS:
                    continue
                name = again(known, match.group(1))
                if name and (str(path), name) not in ALLOWED:
                    yield f"{path}:{number}: {match.group(0)} is {name} of {HOME}, where it stands once"
            own = DEFINE.match(line)
            if own and digits(own.group(2)) >= LONG:
                other = defined.setdefault(float(own.group(2)), path)
                if other != path:
                    yield f"{path}:{number}: {own.group(2)} is defined in {other}, too; expected once, in {HOME}"


if __name__ == "__main__":
    source_tree.report(list(check(source_tree.root())))
