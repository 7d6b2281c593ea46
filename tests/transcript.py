# SPDX-License-Identifier: BSD-3-Clause
# When two lines of a transcript say the same: words equal, numbers close, what differs from run to run left out.
import re

NUMBER = re.compile(r"(?<![\w.#])[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?")
LONG = re.compile(r"(?<![\w.])-?\d+\.\d{6,}(?:e[-+]?\d+)?(?![\w.])")
# What differs from run to run or from build to build.
VOLATILE = (
    (re.compile(r'"(seconds|wall_seconds|rate|version|shoal|host|started|finished|threads|command)":("[^"]*"|[-+.\deE]+)'), r'"\1":*'),
    (re.compile(r"\b\d+(\.\d+)?(e[-+]?\d+)? (ms|s|min)\b"), "* s"),
    (re.compile(r"[\d.]+(e[+-]?\d+)?( \w+)?/s\b"), r"*\2/s"),
    (re.compile(r"\b(host +about) [\d.]+ \w+"), r"\1 *"),
    (re.compile(r"shoal \d+\.\d+\S*"), "shoal *"),
    (re.compile(r"Shoal \d+\.\d+\S*"), "Shoal *"),
)


def blurred(line):
    for pattern, text in VOLATILE:
        line = pattern.sub(text, line)
    return LONG.sub(lambda found: f"{float(found[0]):.7g}", line).rstrip()


def close(got, want, tolerance):
    if "." not in want and "e" not in want.lower():
        return got == want
    a, b = float(got), float(want)
    return abs(a - b) <= tolerance * (1 + abs(b))


def same(got, want, tolerance):
    """Whether two lines say the same."""
    if NUMBER.sub("#", got).split() != NUMBER.sub("#", want).split():
        return False
    return all(close(a, b, tolerance) for a, b in zip(NUMBER.findall(got), NUMBER.findall(want)))


def tolerance_of(lines):
    """The tolerance that the lines before the first command state."""
    return next((float(line.split()[2]) for line in lines if line.startswith("# tolerance ")), 2e-5)


def difference(got, wanted, tolerance):
    """The first lines that are not what they should be; nothing where all are."""
    longest = max(len(got), len(wanted))
    for a, b in zip(got + ["(nothing)"] * (longest - len(got)), wanted + ["(nothing)"] * (longest - len(wanted))):
        if not same(a, b, tolerance):
            return f"got      {a[:400]}\nexpected {b[:400]}"
    return ""
