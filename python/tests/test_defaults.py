# SPDX-License-Identifier: BSD-3-Clause
"""Defaults of methods are those that the help of the program states for the same options."""

import inspect
import re
import subprocess

import pytest
from program import program_path

import shoal

BATCH = shoal.Batch
METHODS = [
    ("relax", BATCH.relax, 5),
    ("embed", BATCH.embed, 5),
    ("search", BATCH.search, 12),
    ("md", BATCH.md, 3),
    ("modes", BATCH.modes, 1),
    ("fit", shoal.fit.Fit.__init__, 3),
    ("fit bonded", shoal.fit.BondedFit.__init__, 4),
]
# Other things of the same name, or other units: an interval of frames, Pa and atm.
UNLIKE = {("relax", "every"), ("modes", "pressure"), ("fit", "max_steps")}


@pytest.mark.parametrize(("command", "method", "least"), METHODS)
def test_defaults(command, method, least):
    text = subprocess.run(
        [program_path(), *command.split(), "--help"], capture_output=True, text=True, check=True
    ).stdout
    joined = re.sub(r"\n {20,}", " ", text)
    number = r"--([a-z-]+) [A-Z][^\n]*?\(default:? (-?\d[\d.]*(?:e-?\d+)?)\b(?![x,:/])"
    stated = {name.replace("-", "_"): float(value) for name, value in re.findall(number, joined)}
    compared = 0
    for name, parameter in inspect.signature(method).parameters.items():
        usual = parameter.default
        if name not in stated or (command, name) in UNLIKE or not isinstance(usual, (int, float)):
            continue
        assert usual == stated[name], f"{command}: {name}"
        compared += 1
    assert compared >= least


def test_pressure_of_modes():
    assert inspect.signature(BATCH.modes).parameters["pressure"].default == 101325.0


def test_bands():
    text = subprocess.run(
        [program_path(), "neb", "--help"], capture_output=True, text=True, check=True
    ).stdout
    usual = {
        name: parameter.default
        for name, parameter in inspect.signature(shoal.barriers).parameters.items()
    }
    options = {
        "images": "images",
        "spring": "spring",
        "fmax": "band-fmax",
        "max_steps": "band-steps",
    }
    for name, option in options.items():
        found = re.search(rf"--{option} .*?default ([\d.]+)", text, re.DOTALL)
        assert usual[name] == float(found.group(1))
