# SPDX-License-Identifier: BSD-3-Clause
"""Butane rotates about its middle bond: every point is relaxed, starting from both neighbours."""
LINES = ("shoal scan -q --coordinate torsion:0,1,2,3=-180:180:10 --relaxed --follow --plot torsion.svg butane.sdf",)
RESULT = "torsion.svg"
