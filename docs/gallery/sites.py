# SPDX-License-Identifier: BSD-3-Clause
"""Where butane sits on NaCl(001): minima of a search, coloured by energy, with the atoms of the lowest one."""
LINES = (
    "shoal slab rocksalt NaCl --size 4x4 -q -o nacl.xyz",
    "shoal search -q --surface nacl.xyz --starts 60 --seed 1 --picture sites.svg butane.sdf",
)
RESULT = "sites.svg"
