# SPDX-License-Identifier: BSD-3-Clause
# docs/support.md is what the program computes and refuses.
import re
import sys

from program import PROGRAM, TOP, check, equal, finish

sys.path.insert(0, str(TOP / "tools"))
import make_support_table as support  # noqa: E402


def cells_of(text):
    """{(job, surface, device, force field): (directions, reasons)} of a page."""
    notes = dict(re.findall(r"^\[\^(\d+)\]: (.*)$", text, re.MULTILINE))
    columns, found = [], {}
    for line in text.splitlines():
        words = [word.strip() for word in line.strip("|").split("|")]
        if line.startswith("| job"):
            columns = [tuple(word.split(", ")) for word in words[2:]]
        elif line.startswith("| `"):
            for (forcefield, device), cell in zip(columns, words[2:]):
                why = {notes[k] for k in re.findall(r"\[\^(\d+)\]", cell)}
                found[words[0].strip("`"), words[1] == "yes", device, forcefield] = (cell.split(" [")[0], why)
    return found


def main():
    told = cells_of(support.PAGE.read_text(encoding="utf-8"))
    equal(len(told), len(support.JOBS) * 2 * len(support.DEVICES) * len(support.FORCEFIELDS), "cells of the page")
    # Kernels of OpenCL take minutes to compile for all jobs: single points stand for them, which other tests share.
    found = support.table(PROGRAM, lambda job, surface, device: device != "opencl" or (job, surface) == ("energy", False))
    check(any(device == "cpu" for _, _, device, _ in found), "the cpu was asked")
    for key, answer in found.items():
        good = " ".join(str(n) for n, why in sorted(answer.items()) if why is None) or "no"
        equal(told.get(key), (good, {why for why in answer.values() if why}), " ".join(map(str, key)))
    finish()


main()
