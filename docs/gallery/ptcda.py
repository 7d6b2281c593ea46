# SPDX-License-Identifier: BSD-3-Clause
"""PTCDA on Ag(111): relaxed on the rigid metal. A notebook shows results with this drawing."""
import shoal
from shoal import picture


def draw(examples):
    ptcda = next(m for m in shoal.read(examples / "demo.sdf") if m.name == "PTCDA")
    silver = shoal.Surface.fcc111("Ag", size=(8, 8))
    middle = silver.cell[0][:2] / 2 + silver.cell[1][:2] / 2
    placement = shoal.Placement(height=3.0, orient="flat", at=middle)
    result = shoal.Batch(ptcda, device="cpu", surface=silver, placement=placement).relax()
    bonds = [tuple(b)[:2] for b in ptcda.bonds]
    return picture.svg(ptcda.numbers, result.positions[0], bonds, below=(silver.numbers, silver.positions))
