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
MOST_ATOMS = 400  # drawings of more say nothing
WIDTH, HEIGHT = 320, 220  # px


def element_symbol(z: int) -> str:
    """Symbol of an element, "X" where there is none."""
    return text(lib.shoal_element_symbol(int(z))) or "X"


def svg(numbers: Any, positions: Any, bonds: Iterable[Any] = (), cell: Any = None) -> str:
    """The drawing: atoms as balls, the nearest last; bonds (i, j, ..) as lines. positions [n][3]
    and cell [3][3] in angstrom. A molecule is seen along its shortest extent, a crystal from a
    corner. "" with no or too many atoms."""
    numbers, positions = (
        np.asarray(numbers, dtype=int),
        np.asarray(positions, dtype=float).reshape(-1, 3),
    )
    if not 0 < len(numbers) <= MOST_ATOMS or not np.isfinite(positions).all():
        return ""
    edges = _edges(cell)
    everything = np.concatenate([positions, edges.reshape(-1, 3)])
    middle = everything.mean(axis=0)
    turn = _corner_view() if len(edges) else _flat_view(positions - positions.mean(axis=0))
    seen = (everything - middle) @ turn.T
    low, high = seen[:, :2].min(axis=0), seen[:, :2].max(axis=0)
    scale = min(
        (WIDTH - 44) / max(high[0] - low[0], 1e-9),
        (HEIGHT - 44) / max(high[1] - low[1], 1e-9),
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
    parts += [piece for _, piece in sorted(_pieces(numbers, at, bonds, scale), key=lambda x: x[0])]
    return "".join([*parts, "</svg>"])


def _pieces(
    numbers: np.ndarray, at: np.ndarray, bonds: Iterable[Any], scale: float
) -> Iterable[tuple[float, str]]:
    """Depth and SVG of every atom and half bond."""
    for bond in bonds:
        i, j = int(bond[0]), int(bond[1])
        middle = (at[i] + at[j]) / 2
        if i == j or np.hypot(*(at[i] - at[j])[:2]) > 3.4 * scale:
            continue  # to another cell
        for k in (i, j):
            piece = _line(at[k], middle, COLOURS.get(int(numbers[k]), GREY), max(1.5, 0.17 * scale))
            yield float(min(at[k][2], middle[2])) - 0.01, piece
    for z, (x, y, depth) in zip(numbers.tolist(), at):
        radius = scale * (0.2 if z == 1 else 0.3 if z < 11 else 0.38)
        colour = COLOURS.get(z, GREY)
        yield (
            float(depth),
            (
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{max(radius, 1.5):.1f}" '
                f'fill="{colour}" stroke="#333" stroke-width=".7"/>'
            ),
        )


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
    lines = [f"{result.status}, {len(result)} atoms", energy, result.reason, result.warning]
    return card(
        result.name or f"#{result.index}", lines, svg(result.numbers, result.positions, bonds, cell)
    )
