# SPDX-License-Identifier: BSD-3-Clause
"""A trajectory of butane at 300 K: the total energy is conserved, while potential and kinetic energy are exchanged."""
import io

import shoal


def draw(examples):
    import matplotlib

    matplotlib.rcParams.update({"svg.hashsalt": "shoal", "backend": "Agg"})
    minimum = shoal.Batch(examples / "butane.sdf", device="cpu").relax().molecules[0]
    run = shoal.Batch(minimum, device="cpu").md(steps=1000, dt=0.5, temperature=300, thermostat=None, seed=1, stride=4)
    text = io.StringIO()
    run.plot.trajectory().figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()
