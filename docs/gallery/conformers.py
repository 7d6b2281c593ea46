# SPDX-License-Identifier: BSD-3-Clause
"""Three conformers of imatinib: starting geometries of a search, relaxed in one batch, with the lowest in front."""
import shoal
from shoal import picture

WIDE = picture.WIDTH


def draw(examples):
    drug = next(m for m in shoal.read(examples / "demo.sdf") if m.name == "imatinib")
    found = shoal.Batch(drug, device="cpu", charges="none").search(starts=60, seed=1)
    bonds = [tuple(b)[:2] for b in drug.bonds]
    order = sorted(range(len(found.energy)), key=lambda k: found.energy[k])[:3]
    parts = [picture.svg(drug.numbers, found.positions[k], bonds) for k in order]
    moved = [f'<svg x="{WIDE * k}"{part.removeprefix("<svg")}' for k, part in enumerate(parts)]
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {3 * WIDE} {picture.HEIGHT}" width="{3 * WIDE}" '
            f'height="{picture.HEIGHT}">' + "".join(moved) + "</svg>")
