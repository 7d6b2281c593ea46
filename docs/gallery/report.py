# SPDX-License-Identifier: BSD-3-Clause
"""The page of a run: table, structures and plots, written by one command. The picture is taken with Chromium, if it is installed."""
LINES = ("shoal relax -q demo.sdf -o run.h5", "shoal report -q run.h5 -o report.html")
RESULT = "report.html"
SIZE = (1100, 760)  # pixels
