# SPDX-License-Identifier: BSD-3-Clause
"""A molecule as a small drawing (SVG), for notebooks: no script, a few kilobytes."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

import numpy as np

from ._handle import text
from ._lib import lib

# Jmol's colours of elements; others are grey.
COLOURS = {
    1: "#e6e6e6", 3: "#cc80ff", 5: "#ffb5b5", 6: "#909090", 7: "#3050f8", 8: "#ff0d0d",
    9: "#90e050", 11: "#ab5cf2", 12: "#8aff00", 13: "#bfa6a6", 14: "#f0c8a0", 15: "#ff8000",
    16: "#e6c619", 17: "#1ff01f", 19: "#8f40d4", 20: "#3dff00", 22: "#bfc2c7", 26: "#e06633",
    29: "#c88033", 30: "#7d80b0", 35: "#a62929", 47: "#c0c0c0", 53: "#940094", 78: "#d0d0e0",
    79: "#ffd123",
}  # fmt: skip
GREY = "#a0a0a0"
# Metals that form slabs, by number.
METALS = (13, *range(22, 32), *range(40, 51), *range(72, 84))
PALE = 0.55  # angstrom: radius of atoms of a substrate that is no metal
MARGIN, DEEP = 4.0, 4.5  # angstrom of a substrate around a molecule, and below its topmost atom
MOST_ATOMS = 400  # drawings of more say nothing
WIDTH, HEIGHT = 320, 220  # px


def element_symbol(z: int) -> str:
    """Symbol of an element, "X" where there is none."""
    return text(lib.shoal_element_symbol(int(z))) or "X"


def svg(
    numbers: Any,
    positions: Any,
    bonds: Iterable[Any] = (),
    cell: Any = None,
    below: tuple[Any, Any] | None = None,
) -> str:
    """The drawing: atoms as balls, the nearest last; bonds (i, j, ..) as lines; metals as spheres
    that touch. positions [n][3] and cell [3][3] in angstrom. below: atomic numbers and positions of
    a substrate, drawn pale. A molecule is seen along its shortest extent, a crystal or a molecule
    on a substrate from a corner. "" with no or too many atoms."""
    numbers, positions = (
        np.asarray(numbers, dtype=int),
        np.asarray(positions, dtype=float).reshape(-1, 3),
    )
    if not 0 < len(numbers) <= MOST_ATOMS or not np.isfinite(positions).all():
        return ""
    edges = _edges(None if below is not None else cell)
    n = len(numbers)
    if below is not None:
        numbers = np.concatenate([numbers, np.asarray(below[0], dtype=int)])
        positions = np.concatenate([positions, np.asarray(below[1], dtype=float).reshape(-1, 3)])
    everything = np.concatenate([positions, edges.reshape(-1, 3)])
    middle = everything.mean(axis=0)
    in_box = len(edges) > 0 or below is not None
    turn = _corner_view() if in_box else _flat_view(positions - positions.mean(axis=0))
    seen = (everything - middle) @ turn.T
    low, high = seen[:, :2].min(axis=0), seen[:, :2].max(axis=0)
    touching = _touching(numbers, positions)
    balls = 2 * max(touching, PALE if below is not None else 0.0)  # angstrom that stand out
    scale = min(
        (WIDTH - 44 + 22 * bool(balls)) / max(high[0] - low[0] + balls, 1e-9),
        (HEIGHT - 44 + 22 * bool(balls)) / max(high[1] - low[1] + balls, 1e-9),
        46.0,
    )
    at = (seen - np.append((low + high) / 2, 0)) * [scale, -scale, 1] + [WIDTH / 2, HEIGHT / 2, 0]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" '
        'stroke-linecap="round">'
    ]
    for a, b in at[len(numbers) :].reshape(-1, 2, 3):
        parts.append(_line(a, b, "#888", 1))
    pieces = _pieces(numbers, at, bonds, scale, touching, n)
    parts += [piece for _, piece in sorted(pieces, key=lambda x: x[0])]
    return "".join([*parts, "</svg>"])


def _pieces(
    numbers: np.ndarray,
    at: np.ndarray,
    bonds: Iterable[Any],
    scale: float,
    touching: float,
    n: int,
) -> Iterable[tuple[float, str]]:
    """Depth and SVG of every atom and half bond; touching: radius of metal atoms, angstrom, 0:
    as others. Atoms from n on are pale."""
    for bond in bonds:
        i, j = int(bond[0]), int(bond[1])
        middle = (at[i] + at[j]) / 2
        if touching and int(numbers[i]) in METALS and int(numbers[j]) in METALS:
            continue
        if i == j or np.hypot(*(at[i] - at[j])[:2]) > 3.4 * scale:
            continue  # to another cell
        for k in (i, j):
            piece = _line(at[k], middle, COLOURS.get(int(numbers[k]), GREY), max(1.5, 0.17 * scale))
            yield float(min(at[k][2], middle[2])) - 0.01, piece
    for k, (z, (x, y, depth)) in enumerate(zip(numbers.tolist(), at)):
        radius = scale * (0.2 if z == 1 else 0.3 if z < 11 else 0.38)
        if k >= n:
            radius = scale * PALE
        if touching and z in METALS:
            radius = scale * touching
        colour = COLOURS.get(z, GREY)
        edge = "#333"
        if k >= n:
            colour, edge = _lighter(colour), "#999"
        yield (
            float(depth),
            (
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{max(radius, 1.5):.1f}" '
                f'fill="{colour}" stroke="{edge}" stroke-width=".7"/>'
            ),
        )


def _lighter(colour: str) -> str:
    """Halfway to white."""
    return "#" + "".join(f"{(int(colour[k : k + 2], 16) + 255) // 2:02x}" for k in (1, 3, 5))


def _touching(numbers: np.ndarray, positions: np.ndarray) -> float:
    """Half the shortest distance of metal atoms that are neighbours as in a crystal, angstrom."""
    at = positions[np.isin(numbers, METALS)]
    if len(at) < 2:
        return 0.0
    gaps = np.linalg.norm(at[:60, None] - at[None], axis=2)
    near = float(gaps[gaps > 0].min(initial=np.inf))
    return 0.48 * near if 2.2 < near < 3.7 else 0.0


def beneath(positions: Any, substrate: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """Atomic numbers and positions of the upper layers of a surface under and around atoms, as its
    cell repeats; None where there are too many to draw."""
    at = np.asarray(positions, dtype=float).reshape(-1, 3)
    if not len(at) or not np.isfinite(at).all():
        return None
    own, numbers = np.asarray(substrate.positions), np.asarray(substrate.numbers)
    upper = own[:, 2] > substrate.top - DEEP
    own, numbers, cell = own[upper], numbers[upper], np.asarray(substrate.cell)
    low, high = at[:, :2].min(axis=0) - MARGIN, at[:, :2].max(axis=0) + MARGIN
    corners = np.array([[x, y] for x in (low[0], high[0]) for y in (low[1], high[1])])
    parts = np.linalg.solve(cell[:2, :2].T, corners.T).T
    first, last = np.floor(parts.min(axis=0)) - 1, np.ceil(parts.max(axis=0)) + 1
    if np.prod(last - first + 1) * len(own) > 1e5:
        return None
    found, kinds = [], []
    for i in range(int(first[0]), int(last[0]) + 1):
        for j in range(int(first[1]), int(last[1]) + 1):
            moved = own + i * cell[0] + j * cell[1]
            seen = ((moved[:, :2] >= low) & (moved[:, :2] <= high)).all(axis=1)
            found.append(moved[seen])
            kinds.append(numbers[seen])
    out = np.concatenate(found)
    return (np.concatenate(kinds), out) if 0 < len(out) <= MOST_ATOMS else None


def _line(a: np.ndarray, b: np.ndarray, colour: str, width: float) -> str:
    way = f"M{a[0]:.1f} {a[1]:.1f}L{b[0]:.1f} {b[1]:.1f}"
    return f'<path d="{way}" stroke="{colour}" stroke-width="{width:.1f}"/>'


def _edges(cell: Any) -> np.ndarray:
    """[edges][2][3]: the box of a cell; directions of length 0 have none."""
    vectors = np.zeros((0, 3)) if cell is None else np.asarray(cell, dtype=float).reshape(3, 3)
    vectors = vectors[np.abs(vectors).sum(axis=1) > 1e-9]
    out = []
    for k, along in enumerate(vectors):
        others = np.delete(vectors, k, axis=0)
        for mask in range(1 << len(others)):
            start = sum((v for bit, v in enumerate(others) if mask >> bit & 1), np.zeros(3))
            out.append([start, start + along])
    return np.array(out).reshape(-1, 2, 3)


def _flat_view(centred: np.ndarray) -> np.ndarray:
    """Rotation that lays the longest extent along x and the shortest towards the eye."""
    _, _, axes = np.linalg.svd(centred, full_matrices=True)
    if np.linalg.det(axes) < 0:
        axes[2] *= -1
    return axes


def _corner_view() -> np.ndarray:
    """Rotation that shows a box from the side and a little from above: z points up."""
    a, b = np.radians(-25), np.radians(-72)
    about_z = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
    about_x = np.array([[1, 0, 0], [0, np.cos(b), -np.sin(b)], [0, np.sin(b), np.cos(b)]])
    return about_x @ about_z


def card(title: str, lines: Iterable[str], drawing: str) -> str:
    """HTML of a drawing with its title and lines of text; the texts are escaped here."""
    words = "".join(f"<div>{escape(line)}</div>" for line in lines if line)
    return (
        f'<div style="display:inline-block;max-width:{WIDTH + 20}px">{drawing}'
        f'<div style="font-size:90%"><b>{escape(title)}</b>{words}</div></div>'
    )


def molecule_html(mol: Any) -> str:
    """What a notebook shows of a Molecule."""
    cell = np.asarray(mol.cell) * np.asarray(mol.pbc)[:, None]
    drawing = svg(mol.numbers, mol.positions, mol.bonds, cell)
    return card(mol.name or mol.formula, [f"{mol.formula}, {len(mol)} atoms"], drawing)


def result_html(result: Any) -> str:
    """What a notebook shows of one system of Results."""
    columns = result.results._table.columns
    starts = columns["bonds/starts"]
    bonds = columns["bonds/atoms"][starts[result.i] : starts[result.i + 1]]
    cell = result.cell * result.pbc[:, None]
    energy = (
        f"{result.energy:.6f} eV, fmax {result.fmax:.3g} eV/Å" if np.isfinite(result.energy) else ""
    )
    adsorbed = ""
    if "systems/adsorption_energy" in columns and np.isfinite(result.adsorption_energy):
        adsorbed = f"adsorption {result.adsorption_energy:.4f} eV"
    lines = [f"{result.status}, {len(result)} atoms", energy, adsorbed]
    lines += [result.reason, result.warning]
    surface = getattr(result.results, "surface", None)
    below = None if surface is None else beneath(result.positions, surface)
    drawing = svg(result.numbers, result.positions, bonds, cell, below)
    return card(result.name or f"#{result.index}", lines, drawing)
