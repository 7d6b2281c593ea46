# SPDX-License-Identifier: BSD-3-Clause
"""MOF-5, a framework: as in its CIF, and with atoms and cell relaxed with UFF4MOF."""
import pathlib

import shoal
from shoal import picture

CIF = pathlib.Path(__file__).resolve().parents[2] / "tests/cases/mof-5.cif"
WIDE = picture.WIDTH
picture.MOST_ATOMS = 1000  # cells of frameworks are mostly empty


def draw(examples):
    mof = shoal.read(CIF)[0]
    result = shoal.Batch(mof, device="cpu", forcefield="uff4mof").relax(cell="full", fmax=0.01)
    after = result.molecules[0]
    bonds = [tuple(b)[:2] for b in after.bonds]
    parts = [picture.svg(m.numbers, m.positions, bonds, m.cell) for m in (mof, after)]
    moved = [f'<svg x="{WIDE * k}"{part.removeprefix("<svg")}' for k, part in enumerate(parts)]
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * WIDE} {picture.HEIGHT}" width="{2 * WIDE}" '
            f'height="{picture.HEIGHT}">' + "".join(moved) + "</svg>")
