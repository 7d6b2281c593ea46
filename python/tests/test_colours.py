# SPDX-License-Identifier: BSD-3-Clause
# Colours of the report that mean something differ for all eyes, and can be read.
"""Machado, Oliveira and Fernandes (2009) give what protanopes, deuteranopes and tritanopes see, as
matrices of linear RGB; differences are those of CIE L*a*b* (1976): 2 is just seen, 10 at a glance.
"""

import itertools
import re

import numpy as np
import pytest

from shoal import report

EYES = {
    "usual": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
               [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
               [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
               [0.004733, 0.691367, 0.303900]],
}  # fmt: skip
TO_XYZ = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]


def linear(colour):
    c = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    x = np.array(TO_XYZ) @ np.clip(rgb, 0, 1) / [0.9505, 1, 1.089]
    f = np.where(x > 0.008856, np.cbrt(x), 7.787 * x + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def difference(a, b):
    """The least that any eyes see."""
    return min(
        np.linalg.norm(lab(np.array(eye) @ linear(a)) - lab(np.array(eye) @ linear(b)))
        for eye in EYES.values()
    )


def contrast(a, b):
    bright = sorted(float(np.array(TO_XYZ[1]) @ linear(c)) for c in (a, b))
    return (bright[1] + 0.05) / (bright[0] + 0.05)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_grades_differ_for_all_eyes(mode):
    style = (report.ASSETS / "report.css").read_text()
    blocks = re.findall(r":root \{(.*?)\}", style, re.S)
    found = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", blocks[0 if mode == "light" else 1]))
    grades = [found[name] for name in ("fine", "slow", "bad")]
    for a, b in itertools.combinations(grades, 2):
        assert difference(a, b) > 20, (a, b)
    for colour in (*grades, found["muted"], found["ink"]):
        assert contrast(colour, found["panel"]) > 4.5, colour
