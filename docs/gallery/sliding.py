# SPDX-License-Identifier: BSD-3-Clause
"""Water slides over NaCl(001): the energy at every position in a surface cell, with height and orientation relaxed."""
LINES = (
    "shoal slab rocksalt NaCl --size 4x4 -q -o nacl.xyz",
    "shoal scan -q --relaxed --follow --charges qeq --surface nacl.xyz --height 3 "
    "--coordinate x=0:3.988:n13 --coordinate y=0:3.988:n13 --plot sliding.svg water.xyz",
)
INPUTS = {"water.xyz": "3\nwater\nO 0 0 0\nH 0.76 0 0.59\nH -0.76 0 0.59\n"}
RESULT = "sliding.svg"
