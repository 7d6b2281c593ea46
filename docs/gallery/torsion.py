# SPDX-License-Identifier: BSD-3-Clause
"""Butane turns about its middle bond: every point relaxed, from both neighbours."""
LINES = ("shoal scan -q --coordinate torsion:0,1,2,3=-180:180:10 --relaxed --follow --plot torsion.svg butane.sdf",)
RESULT = "torsion.svg"
