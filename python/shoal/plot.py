# SPDX-License-Identifier: BSD-3-Clause
"""Plots by matplotlib: energies by term, relaxations, scans, sites on a substrate, fits,
spectra.

Every function takes Results (or the path of a file of results, or plain arrays), draws into
``ax`` or into a figure of its own, and returns the Axes. Colours are those of Okabe and Ito,
told apart by all eyes. ``pip install shoal[plot]`` brings matplotlib. ``results.plot.NAME(..)``
is ``shoal.plot.NAME(results, ..)``.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._lib import ArgumentError
from ._optional import missing
from .view import View, view

COLOURS = {
    "bond": "#0072b2",
    "angle": "#56b4e9",
    "torsion": "#009e73",
    "inversion": "#cc79a7",
    "vdw": "#e69f00",
    "coulomb": "#d55e00",
    "surface": "#8c6d46",
    "restraint": "#8a8f98",
}
BLUE, ORANGE, GREEN, GREY = "#0072b2", "#d55e00", "#009e73", "#8a8f98"
DEGREES = ("angle", "torsion", "rx", "ry", "rz")


# --- figures --------------------------------------------------------------------------------------


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise missing("shoal.plot", error) from None
    return plt


def _axes(ax: Any, size: tuple[float, float] = (6.0, 3.8)) -> Any:
    """The Axes to draw into, in the plain style of all plots; size in inches."""
    if ax is None:
        _, ax = _pyplot().subplots(figsize=size, layout="constrained")
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.grid(True, color=GREY, alpha=0.2, linewidth=0.7)
    ax.set_axisbelow(True)
    return ax


def check_path(path: Any) -> None:
    """Refuses what ``save`` could not write, before the work for it is done."""
    plt = _pyplot()
    ending = os.path.splitext(os.fspath(path))[1][1:].lower()
    formats = plt.figure().canvas.get_supported_filetypes()
    plt.close()
    if ending not in formats:
        raise ArgumentError(f"plot: expected a name with one of {sorted(formats)}, got {path!r}")


def save(ax: Any, path: Any) -> None:
    """Writes the figure of ax, in the format of the path's ending, and closes it."""
    plt = _pyplot()
    ax.figure.savefig(path)
    plt.close(ax.figure)


def _legend(ax: Any, **options: Any) -> None:
    ax.legend(frameon=False, fontsize="small", **options)


def _needs_numbers(values: np.ndarray, what: str) -> np.ndarray:
    good = values[np.isfinite(values)]
    if len(good) == 0:
        raise ArgumentError(f"{what}: there are no finite numbers to plot")
    return good


class Plots:
    """``results.plot``: the functions of this module, with these results."""

    def __init__(self, results: Any) -> None:
        self._results = results

    def energy_terms(self, **options: Any) -> Any:
        """See shoal.plot.energy_terms."""
        return energy_terms(self._results, **options)

    def energies(self, **options: Any) -> Any:
        """See shoal.plot.energies."""
        return energies(self._results, **options)

    def relaxation(self, **options: Any) -> Any:
        """See shoal.plot.relaxation."""
        return relaxation(self._results, **options)

    def trajectory(self, **options: Any) -> Any:
        """See shoal.plot.trajectory."""
        return trajectory(self._results, **options)

    def scan(self, **options: Any) -> Any:
        """See shoal.plot.scan."""
        return scan(self._results, **options)

    def sites(self, surface: Any = None, **options: Any) -> Any:
        """See shoal.plot.sites."""
        return sites(self._results, surface, **options)

    def spectrum(self, **options: Any) -> Any:
        """See shoal.plot.spectrum."""
        return spectrum(self._results, **options)


# --- energies -------------------------------------------------------------------------------------


def energy_terms(results: Any, *, ax: Any = None, max_bars: int = 30) -> Any:
    """Energies by term, eV. Up to max_bars systems: a bar for each, piled up from its terms,
    those below zero to the left. More: boxes over all systems (middle half, 5 to 95 %)."""
    run = view(results)
    values = np.asarray(run.columns["systems/terms"], dtype=float)
    energy = np.asarray(run.columns["systems/energy"], dtype=float)
    _needs_numbers(energy, "energy")
    rows = np.flatnonzero(np.isfinite(energy))
    used = [k for k in range(values.shape[1]) if np.any(np.nan_to_num(values[rows, k]) != 0)]
    names = [run.term_names[k] for k in used]
    if len(rows) > max_bars:
        return _term_boxes(_axes(ax), values[rows][:, used], names)
    ax = _axes(ax, (6.4, 1.2 + 0.27 * len(rows)))
    labels = run.texts("name")
    _pile(ax, values[rows][:, used], names)
    ax.set_yticks(range(len(rows)), [labels[i] or f"#{i}" for i in rows.tolist()])
    ax.plot(energy[rows], np.arange(len(rows)), "D", color="black", markersize=3.5, label="total")
    ax.invert_yaxis()
    ax.grid(False, axis="y")
    ax.set_xlabel("energy (eV)")
    handles, words = ax.get_legend_handles_labels()
    order = sorted(range(len(words)), key=lambda k: words[k] == "total")
    _legend(
        ax,
        handles=[handles[k] for k in order],
        ncols=min(6, len(order)),
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
    )
    return ax


def _pile(ax: Any, values: np.ndarray, names: Sequence[str]) -> None:
    """Horizontal bars, terms of one sign one behind the other."""
    above, below = np.zeros(len(values)), np.zeros(len(values))
    for k, name in enumerate(names):
        v = np.nan_to_num(values[:, k])
        start = np.where(v >= 0, above, below)
        ax.barh(
            np.arange(len(v)), v, left=start, height=0.72, color=COLOURS.get(name, GREY), label=name
        )
        above, below = above + np.maximum(v, 0), below + np.minimum(v, 0)
    ax.axvline(0, color="black", linewidth=0.8)


def _term_boxes(ax: Any, values: np.ndarray, names: Sequence[str]) -> Any:
    data = [v[np.isfinite(v)] for v in values.T]
    lying = {"orientation": "horizontal"} if _has_orientation(ax) else {"vert": False}
    boxes = ax.boxplot(data, whis=(5, 95), showfliers=False, patch_artist=True, widths=0.6, **lying)
    for box, name in zip(boxes["boxes"], names):
        box.set(facecolor=COLOURS.get(name, GREY), edgecolor="none")
    for line in boxes["medians"]:
        line.set(color="white", linewidth=1.6)
    ax.set_yticks(range(1, len(names) + 1), names)
    ax.invert_yaxis()
    ax.axvline(0, color="black", linewidth=0.8)
    ax.set_xlabel(f"energy of {len(values)} systems (eV): middle half, 5 to 95 %")
    return ax


def _has_orientation(ax: Any) -> bool:
    """Whether boxplot has the name that replaced ``vert`` in matplotlib 3.10."""
    import inspect

    return "orientation" in inspect.signature(ax.boxplot).parameters


QUANTITIES = {
    "energy": "energy (eV)",
    "energy0": "energy before (eV)",
    "drop": "energy drop (eV)",
    "adsorption_energy": "adsorption energy (eV)",
    "fmax": "fmax (eV/Å)",
    "steps": "evaluations",
    "energy_per_atom": "energy per atom (eV)",
}


def energies(results: Any, *, quantity: str = "energy", bins: Any = "auto", ax: Any = None) -> Any:
    """Histogram of a quantity of all systems: energy, energy0, drop (energy0 less energy),
    adsorption_energy, energy_per_atom (eV), fmax (eV/angstrom, on a logarithmic axis) or steps.
    results may be an array, too."""
    if quantity not in QUANTITIES:
        raise ArgumentError(f"quantity: expected one of {', '.join(QUANTITIES)}, got {quantity!r}")
    values = _needs_numbers(_quantity(results, quantity), quantity)
    ax = _axes(ax)
    label = QUANTITIES[quantity]
    if quantity == "fmax":
        values = _needs_numbers(values[values > 0], "fmax above 0")
        ax.set_xscale("log")
        bins = (
            np.geomspace(values.min(), values.max() * 1.0001, 31) if isinstance(bins, str) else bins
        )
    elif isinstance(bins, str) and len(values) >= 50:
        values, bins, beyond = _gathered(values)
        label += f"; {beyond[0]} beyond {beyond[1]:.3g} in the last bar" if beyond[0] else ""
    ax.hist(values, bins=bins, color=BLUE, edgecolor="white", linewidth=0.5)
    ax.set_xlabel(label)
    ax.set_ylabel("systems")
    ax.yaxis.get_major_locator().set_params(integer=True)
    return ax


def _gathered(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, tuple[int, float]]:
    """Values and bins in which the few that lie far above all others are in the last one; how
    many, beyond what."""
    low, high = values.min(), values.max()
    most = min(high, np.quantile(values, 0.995) + 0.3 * (np.quantile(values, 0.99) - low))
    bins = np.linspace(
        low, most if most > low else low + 1, min(60, int(2 * np.cbrt(len(values))) + 4)
    )
    return np.minimum(values, bins[-1]), bins, (int((values > bins[-1]).sum()), float(bins[-1]))


def _quantity(results: Any, quantity: str) -> np.ndarray:
    if isinstance(results, (np.ndarray, list, tuple)):
        return np.asarray(results, dtype=float)
    run = view(results)
    if quantity == "drop":
        return np.asarray(run.columns["systems/energy0"]) - np.asarray(
            run.columns["systems/energy"]
        )
    if quantity == "energy_per_atom":
        atoms = np.maximum(np.asarray(run.columns["systems/natoms"]), 1)
        return np.asarray(run.columns["systems/energy"]) / atoms
    values = run.get(quantity)
    if values is None:
        raise ArgumentError(f"quantity: these results have no {quantity}")
    return np.asarray(values, dtype=float)


# --- ways -----------------------------------------------------------------------------------------


def relaxation(
    results: Any, *, systems: Sequence[int] | None = None, fmax: bool = True, ax: Any = None
) -> Any:
    """Energy above the end (eV) and, on a second axis, largest force (eV/angstrom) on the way of
    relaxations.

    results: of ``relax(every=..)``, or its frames. systems: numbers in the input, up to eight
    unless they are named. The axis of forces is ``ax.right_ax``.
    """
    run = view(results)
    frames = run.frames if run.frames is not None else run
    index = np.asarray(frames.columns["systems/index"])
    known = np.unique(index)
    chosen = list(known[:8]) if systems is None else list(systems)
    curves = [(i, np.flatnonzero(index == i)) for i in chosen]
    if not any(len(rows) > 1 for _, rows in curves):
        raise ArgumentError("relaxation: these results have no frames; relax(every=1) keeps them")
    ax = _axes(ax)
    names = frames.texts("name")
    right = ax.twinx() if fmax else None
    for k, (i, rows) in enumerate(curves):
        energy = np.asarray(frames.columns["systems/energy"])[rows]
        steps = np.asarray(frames.columns["systems/steps"])[rows]
        x = steps if len(steps) and steps[-1] > steps[0] else np.arange(len(rows))
        colour = list(COLOURS.values())[k % len(COLOURS)]
        label = (names[rows[0]] if len(rows) else "") or f"#{i}"
        ax.plot(
            x, energy - (energy[-1] if len(energy) else 0), color=colour, label=label, linewidth=1.8
        )
        if right is not None:
            force = np.asarray(frames.columns["systems/fmax"])[rows]
            right.plot(x, force, color=colour, linestyle=":", linewidth=1.3)
    ax.set_xlabel("evaluations")
    ax.set_ylabel("energy above the end (eV)")
    if right is not None:
        right.set_yscale("log")
        right.set_ylabel("fmax (eV/Å), dotted")
        right.spines["top"].set_visible(False)
        ax.right_ax = right
    _legend(ax)
    return ax


def trajectory(results: Any, *, system: int = 0, ax: Any = None) -> Any:
    """Potential, kinetic and total energy (eV) of one system of dynamics over the time (fs)."""
    run = view(results)
    time = run.get("time")
    if time is None:
        raise ArgumentError(
            "trajectory: these results have no frames of dynamics; md(frames=True) keeps them"
        )
    index = np.asarray(run.columns["systems/index"])
    rows = np.flatnonzero(index == system)
    if len(rows) == 0:
        raise ArgumentError(
            f"system: there are {', '.join(map(str, np.unique(index)[:20]))}, not {system}"
        )
    ax = _axes(ax)
    potential = np.asarray(run.columns["systems/energy"])[rows]
    kinetic = np.asarray(run.columns["systems/kinetic"])[rows]
    for values, label, colour in (
        (potential, "potential", BLUE),
        (kinetic, "kinetic", GREEN),
        (potential + kinetic, "total", ORANGE),
    ):
        ax.plot(np.asarray(time)[rows], values, color=colour, label=label, linewidth=1.5)
    ax.set_xlabel("time (fs)")
    ax.set_ylabel("energy (eV)")
    _legend(ax)
    return ax


# --- scans ----------------------------------------------------------------------------------------


def scan(
    results: Any,
    *,
    molecule: int = 0,
    relative: bool = True,
    limits: tuple[float, float] | None = None,
    ax: Any = None,
) -> Any:
    """Curve of a scan along one coordinate, or map over two, of those with several points; energies
    in eV, above the lowest point unless relative is False. molecule: number of the molecule, from
    0. limits: energies that colours or the axis go from and to."""
    run = view(results)
    if not run.coordinates:
        raise ArgumentError("scan: these results are no points of a scan along coordinates")
    of = run.molecule_of()
    rows = np.flatnonzero(of == molecule)
    if len(rows) == 0:
        raise ArgumentError(f"molecule: there are {len(np.unique(of))}, not {molecule}")
    energy = np.asarray(run.columns["systems/energy"], dtype=float)[rows]
    energy = energy - (_needs_numbers(energy, "energy").min() if relative else 0.0)
    used = [k for k, (_, values) in enumerate(run.coordinates) if len(values) > 1]
    label = "energy above the lowest (eV)" if relative else "energy (eV)"
    if len(used) == 1:
        ax = _scan_curve(_axes(ax), run, rows, energy, used[0], label)
        if limits is not None:
            ax.set_ylim(*limits)
        return ax
    if len(used) == 2:
        return _scan_map(_axes(ax, (6.2, 4.6)), run, rows, energy, used, label, limits)
    raise ArgumentError(f"scan: one or two coordinates can be drawn, not {len(used)}")


def _coordinate_label(name: str) -> str:
    kind, _, atoms = name.partition(":")
    unit = "V of the file" if kind == "volume" else "degrees" if kind in DEGREES else "Å"
    return f"{kind} {atoms.replace(',', '–')} ({unit})" if atoms else f"{kind} ({unit})"


def _scan_curve(
    ax: Any, run: View, rows: np.ndarray, energy: np.ndarray, k: int, label: str
) -> Any:
    x = run.points[rows, k]
    order = np.argsort(x, kind="stable")
    ax.plot(x[order], energy[order], "o-", color=BLUE, markersize=3.5, linewidth=1.6)
    ax.set_xlabel(_coordinate_label(run.coordinates[k][0]))
    ax.set_ylabel(label)
    return ax


def _scan_map(
    ax: Any,
    run: View,
    rows: np.ndarray,
    energy: np.ndarray,
    used: Sequence[int],
    label: str,
    limits: tuple[float, float] | None,
) -> Any:
    (name_x, x), (name_y, y) = (run.coordinates[k] for k in used)
    grid = np.full((len(y), len(x)), np.nan)
    at = [
        np.abs(v[None, :] - run.points[rows, k][:, None]).argmin(axis=1)
        for v, k in ((x, used[0]), (y, used[1]))
    ]
    grid[at[1], at[0]] = energy
    ax.grid(False)
    low, high = limits or (None, None)
    mesh = ax.pcolormesh(x, y, grid, shading="nearest", cmap="viridis", vmin=low, vmax=high)
    if min(grid.shape) > 2 and np.isfinite(grid).all() and np.ptp(grid) > 0:
        levels = 8 if limits is None else np.linspace(*limits, 8)
        ax.contour(x, y, grid, levels=levels, colors="white", linewidths=0.6, alpha=0.7)
    ax.figure.colorbar(mesh, ax=ax, label=label)
    ax.set_xlabel(_coordinate_label(name_x))
    ax.set_ylabel(_coordinate_label(name_y))
    return ax


def path(lengths: Any, energies: Any, *, ax: Any = None) -> Any:
    """Energies along a path between two minima, eV over angstrom."""
    ax = _axes(ax)
    ax.plot(lengths, energies, "o-", color=BLUE)
    ax.set_xlabel("path, Å")
    ax.set_ylabel("energy, eV")
    return ax


def plane(x: Any, y: Any, values: Any, label: str, *, ax: Any = None) -> Any:
    """Values [x, y] on a plane of points, angstrom, as a picture with the scale of a map."""
    ax = _axes(ax, (5.4, 4.6))
    ax.grid(False)
    mesh = ax.pcolormesh(x, y, np.asarray(values).T, shading="nearest", cmap="gray")
    ax.figure.colorbar(mesh, ax=ax, label=label)
    ax.set_aspect("equal")
    ax.set_xlabel("x, Å")
    ax.set_ylabel("y, Å")
    return ax


# --- sites ----------------------------------------------------------------------------------------


def sites(results: Any, surface: Any = None, *, max_sites: int = 200, ax: Any = None) -> Any:
    """Where systems lie on a substrate, seen from above: middles of the molecules in its cell
    (angstrom), coloured by the energy of adsorption (or the energy, eV), the lowest on top and
    numbered where there are few; below them the topmost atoms. surface: a Surface, a Molecule
    with a cell or a file; by default that of the results, or the file that the run names."""
    from .report import substrate_atoms

    run = view(results)
    if surface is None:
        surface = getattr(run.keeps, "surface", None)
    if surface is None:
        surface = str(run.options().get("surface") or "")
        if not os.path.isfile(surface):
            raise ArgumentError(
                f"sites: give the surface that the systems lie on {surface}".strip()
            )
    numbers, positions, cell = substrate_atoms(surface)
    values = run.get("adsorption_energy")
    label = "energy" if values is None else "adsorption energy"
    values = np.asarray(run.columns["systems/energy"] if values is None else values, dtype=float)
    counts = np.diff(run.columns["atoms/starts"])
    rows = np.flatnonzero(np.isfinite(values) & (counts > 0))
    if len(rows) == 0:
        raise ArgumentError("sites: there are no systems with energies")
    rows = rows[np.argsort(values[rows], kind="stable")][:max_sites]
    middles = np.array(
        [np.mean(run.columns["atoms/position"][run.span(i)], axis=0) for i in rows.tolist()]
    )
    ax = _axes(ax, (5.8, 5.0))
    ax.grid(False)
    _draw_substrate(ax, np.asarray(numbers), positions, cell)
    at = _wrapped(middles, cell)
    dots = ax.scatter(
        at[::-1, 0],
        at[::-1, 1],
        c=values[rows][::-1],
        cmap="viridis",
        s=46,
        edgecolors="white",
        linewidths=0.8,
        zorder=3,
    )
    if len(rows) <= 12:
        for k, (x, y) in enumerate(at[:, :2]):
            ax.annotate(
                str(k + 1), (x, y), xytext=(5, 4), textcoords="offset points", fontsize="small"
            )
    ax.figure.colorbar(dots, ax=ax, label=f"{label} (eV)", shrink=0.8)
    ax.set_aspect("equal")
    ax.set_xlabel("x (Å)")
    ax.set_ylabel("y (Å)")
    return ax


def _wrapped(points: np.ndarray, cell: np.ndarray) -> np.ndarray:
    """Points brought into the cell of a substrate, along a and b."""
    plane = np.asarray(cell, dtype=float)[:2, :2]
    parts = np.linalg.solve(plane.T, points[:, :2].T).T
    out = np.array(points, dtype=float)
    out[:, :2] = (parts - np.floor(parts + 1e-6)) @ plane
    return out


def _draw_substrate(ax: Any, numbers: np.ndarray, positions: np.ndarray, cell: np.ndarray) -> None:
    """The topmost atoms, a colour for each element, and the outline of the cell."""
    from .picture import COLOURS as ELEMENTS
    from .picture import element_symbol

    top = positions[:, 2] > positions[:, 2].max() - 0.8
    a, b = np.asarray(cell, dtype=float)[:2, :2]
    edge = np.array([[0, 0], a, a + b, b, [0, 0]])
    low, high = edge.min(axis=0) - 1.0, edge.max(axis=0) + 1.0
    inside = _wrapped(positions[top], cell)[:, :2]
    at = np.concatenate([inside + i * a + j * b for i in (-1, 0, 1) for j in (-1, 0, 1)])
    elements = np.tile(numbers[top], 9)
    near = np.all((at >= low) & (at <= high), axis=1)
    for z in np.unique(elements):
        mine = at[near & (elements == z)]
        colour = ELEMENTS.get(int(z), "#909090")
        ax.scatter(
            mine[:, 0],
            mine[:, 1],
            s=90,
            color=colour,
            alpha=0.35,
            linewidths=0,
            label=element_symbol(int(z)),
        )
    ax.plot(edge[:, 0], edge[:, 1], color=GREY, linewidth=1)
    _legend(ax, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=6)


# --- fits -----------------------------------------------------------------------------------------


def parity(
    fit: Any,
    predicted: Any = None,
    *,
    cv: Any = None,
    kept_back: Any = None,
    limit: float | None = None,
    ax: Any = None,
) -> Any:
    """Energies of the model against those of the reference, eV.

    fit: a shoal.fit.Fit or what its predict() gave; or an array of reference energies, with
    predicted. cv: the CrossValidation, whose predictions of samples while they were kept back
    are drawn, too. kept_back: bool[n] instead: which of the samples the fit did not see. limit:
    leaves out references above so many eV.
    """
    reference, model, weight = _samples(fit, predicted)
    seen = (weight > 0) & np.isfinite(reference) & np.isfinite(model)
    if limit is not None:
        seen &= reference <= limit
    if not seen.any():
        raise ArgumentError("parity: there are no samples to draw")
    back = (
        np.zeros(len(reference), dtype=bool)
        if kept_back is None
        else np.asarray(kept_back, dtype=bool)
    )
    if back.shape != reference.shape:
        raise ArgumentError(f"kept_back: {back.shape} for {reference.shape} samples")
    groups = [(seen & ~back, model, "fitted", BLUE, "o")]
    if kept_back is not None:
        groups.append((seen & back, model, "kept back", ORANGE, "s"))
    if cv is not None:
        other = np.asarray(cv.predicted, dtype=float)
        groups.append((seen & np.isfinite(other), other, "kept back", ORANGE, "s"))
    ax = _axes(ax, (5.0, 4.8))
    for chosen, energy, label, colour, marker in groups:
        error = energy[chosen] - reference[chosen]
        rmse = float(np.sqrt(np.mean(error**2))) if chosen.any() else float("nan")
        words = f"{label}: {chosen.sum()}, RMSE {rmse:.3g} eV"
        ax.plot(
            reference[chosen],
            energy[chosen],
            marker,
            color=colour,
            markersize=3.5,
            alpha=0.55,
            markeredgewidth=0,
            label=words,
        )
    shown = np.concatenate([np.concatenate([reference[c], e[c]]) for c, e, *_ in groups])
    low, high = float(shown.min()), float(shown.max())
    ax.plot([low, high], [low, high], color="black", linewidth=0.9, zorder=1)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xlabel("reference (eV)")
    ax.set_ylabel("model (eV)")
    _legend(ax, loc="upper left")
    return ax


def _samples(fit: Any, predicted: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    if predicted is not None:
        reference = np.asarray(fit, dtype=float)
        model = np.asarray(predicted, dtype=float)
        if reference.shape != model.shape:
            raise ArgumentError(
                f"predicted: {model.shape} numbers for references of {reference.shape}"
            )
        return reference, model, np.ones(len(reference))
    found = fit.predict() if hasattr(fit, "predict") else fit
    if not hasattr(found, "reference"):
        raise ArgumentError(
            "parity: expected a Fit, a Prediction, or references and predicted energies"
        )
    columns = found.reference, found.energy, found.weight
    reference, model, weight = (np.asarray(x, dtype=float) for x in columns)
    return reference, model, weight


def objective(curve: Any, *, names: Sequence[str] = ("", ""), ax: Any = None) -> Any:
    """The objective of a fit along one parameter, with its slope on a second axis
    (``ax.right_ax``), or over two as a map. curve: what Fit.scan gave; names: of the parameters."""
    values = np.asarray(curve.objective, dtype=float)
    _needs_numbers(values, "objective")
    if curve.b is None:
        ax = _axes(ax)
        ax.plot(curve.a, values, "o-", color=BLUE, markersize=3.5, linewidth=1.6)
        ax.right_ax = ax.twinx()
        ax.right_ax.plot(curve.a, curve.slope_a, color=ORANGE, linestyle=":")
        ax.right_ax.set_ylabel("slope, dotted")
        ax.right_ax.spines["top"].set_visible(False)
        ax.set_ylabel("objective (eV²)")
    else:
        ax = _axes(ax, (6.2, 4.6))
        ax.grid(False)
        mesh = ax.pcolormesh(curve.a, curve.b, values.T, shading="nearest", cmap="viridis")
        ax.figure.colorbar(mesh, ax=ax, label="objective (eV²)")
        ax.set_ylabel(names[1])
    ax.set_xlabel(names[0])
    return ax


# --- vibrations -----------------------------------------------------------------------------------


def spectrum(
    modes: Any,
    *,
    system: int = 0,
    width: float = 10.0,
    intensities: Any = None,
    shape: str = "lorentzian",
    ax: Any = None,
) -> Any:
    """Lines of vibrations and their sum, broadened to a full width at half height of ``width``
    cm-1.

    modes: ModesResults (of which ``system`` is drawn), or frequencies in cm-1, imaginary ones
    negative. Without intensities (of any unit, one for each mode) all lines are alike: a density
    of states. shape: lorentzian or gaussian. width 0: lines alone.
    """
    found = getattr(modes, "frequencies", modes)
    frequencies = np.asarray(found[system] if found is not modes else found, dtype=float)
    if frequencies.size == 0:
        raise ArgumentError("spectrum: this system has no modes")
    if width < 0 or shape not in ("lorentzian", "gaussian"):
        raise ArgumentError(
            "spectrum: expected a width of 0 or more, and lorentzian or gaussian as its shape"
        )
    height = (
        np.ones(frequencies.size) if intensities is None else np.asarray(intensities, dtype=float)
    )
    if height.shape != frequencies.shape:
        raise ArgumentError(f"intensities: {height.shape} for {frequencies.shape} modes")
    ax = _axes(ax, (7.0, 3.4))
    real = frequencies >= 0
    ax.vlines(frequencies[real], 0, height[real], color=GREY, linewidth=1.0, label="modes")
    if (~real).any():
        ax.vlines(
            frequencies[~real], 0, height[~real], color=ORANGE, linewidth=1.4, label="imaginary"
        )
    if width > 0:
        x = np.linspace(
            min(0.0, frequencies.min() - 5 * width), frequencies.max() + 10 * width, 2000
        )
        ax.plot(
            x,
            broadened(x, frequencies, height, width, shape),
            color=BLUE,
            linewidth=1.6,
            label=f"width {width:g} cm$^{{-1}}$",
        )
    ax.set_xlabel("wave number (cm$^{-1}$)")
    ax.set_ylabel("modes" if intensities is None else "intensity")
    ax.set_ylim(bottom=0)
    _legend(ax)
    return ax


def broadened(
    x: Any, frequencies: Any, heights: Any, width: float, shape: str = "lorentzian"
) -> np.ndarray:
    """Sum of lines at x, each with its height at its frequency and the full width ``width`` at
    half of it."""
    d = (np.asarray(x)[:, None] - np.asarray(frequencies)[None, :]) / (width / 2)
    lines = 1 / (1 + d**2) if shape == "lorentzian" else np.exp(-np.log(2) * d**2)
    return lines @ np.asarray(heights, dtype=float)
