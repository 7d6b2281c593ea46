# SPDX-License-Identifier: BSD-3-Clause
"""A fit of Morse parameters to interaction energies of dimers: predicted against reference energies."""
LINES = ("shoal fit -q --types fit/AtomTypes.dat --data fit/dimers.xyz --dofs fit/dofs.dat --model morse --plot fit",)
RESULT = "fit-scatter.svg"
