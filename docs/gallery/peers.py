# SPDX-License-Identifier: BSD-3-Clause
"""The same work with several programs over time: rates on one thread by commit, from bench/peers/history.jsonl."""
import io
import json
import pathlib

HISTORY = pathlib.Path(__file__).resolve().parents[2] / "bench/peers/history.jsonl"
TITLES = {"relax": "64 unlike molecules to their minima", "argon": "dynamics of 864 atoms of argon"}
UNITS = {"relax": "molecules per second", "argon": "steps per second"}
COLOURS = {"Shoal": "#0072b2", "RDKit": "#d55e00", "Open Babel": "#cc79a7", "LAMMPS": "#009e73", "OpenMM": "#e69f00",
           "torch-sim": "#56b4e9", "nvMolKit": "#000000"}
DASHES = {"uff": "-", "mmff94": "--", "float": "-", "double": "--"}


def rows():
    lines = HISTORY.read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if "skipped" not in row]


def panel(ax, work, found):
    commits = list(dict.fromkeys((row["date"], row["commit"]) for row in found))
    for name, setting in dict.fromkeys((row["program"], row["setting"]) for row in found):
        points = [(commits.index((r["date"], r["commit"])), r["per_s"]) for r in found if (r["program"], r["setting"]) == (name, setting)]
        ax.plot(*zip(*points), DASHES.get(setting, ":"), marker="o", color=COLOURS.get(name, "#888"), label=f"{name}, {setting}")
    ax.set_yscale("log")
    ax.set_xticks(range(len(commits)), [f"{commit}\n{date}" for date, commit in commits], fontsize=7)
    ax.set_xlim(-0.3, len(commits) - 0.7)
    ax.set_title(TITLES[work], fontsize=10)
    ax.set_ylabel(UNITS[work])
    ax.grid(axis="y", alpha=0.3)
    ax.legend(fontsize=7, frameon=False)


def draw(examples):
    import matplotlib

    matplotlib.rcParams.update({"svg.hashsalt": "shoal", "backend": "Agg"})
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(TITLES), figsize=(9, 4.2), layout="constrained")
    for ax, work in zip(axes, TITLES):
        panel(ax, work, [row for row in rows() if row["work"] == work])
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()
