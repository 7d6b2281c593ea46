# SPDX-License-Identifier: BSD-3-Clause
# Files that options are tried with (test_options.py).
import math

MOVING = """3
Properties=species:S:1:pos:R:3:momenta:R:3
O 0 0 0.12 0.1 0 0.2
H 0.7572 0 -0.4692 0 0.1 0
H -0.7572 0 -0.4692 0 0 0.1
"""

ETHANOL = """9
ethanol
C -0.75 0.01 0.03
C 0.65 0.62 -0.01
O 1.61 -0.43 0.02
H -0.88 -0.62 0.92
H -0.88 -0.62 -0.86
H -1.52 0.80 0.02
H 0.77 1.28 0.87
H 0.77 1.23 -0.92
H 2.49 -0.03 0.10
"""
WATER_JSON = ('{"format":"shoal topology","version":1,"elements":[8,1,1],"types":["OW","HW","HW"],"vdw_x":[3.5,2.9,2.9],'
              '"vdw_d":[0.003,0.002,0.002],"charges":[-0.8,0.4,0.4],"terms":{"bond":[[0,1,30,1.1,1],[0,2,30,1.1,1]]}}')


def turns():
    """Ethanol whose hydroxyl group turns, with energies."""
    rows = ETHANOL.splitlines()[2:]
    text = ""
    for k in range(6):
        y, z = math.cos(1.05 * k), math.sin(1.05 * k)
        end = f"H {2.05 - 0.28 * y:.4f} {-0.43 - 0.85 * y:.4f} {0.02 + 0.9 * z:.4f}"
        text += f"9\nProperties=species:S:1:pos:R:3:forces:R:3 energy={0.05 * y + 0.02 * z * z:.6f}\n"
        text += "".join(f"{row} 0.01 {0.02 * k} 0\n" for row in [*rows[:8], end])
    return text


FORMIC = "5\nacid\nC 0 0 0\nO 1.2 0.1 0\nO -0.65 1.15 0.05\nH -0.55 -0.95 0.1\nH -1.5 1 0.4\n"
FORMAMIDE = "6\namide\nC 0 0.419 0\nO 1.197 0.226 0\nN -0.937 -0.564 0\nH -0.446 1.427 0\nH -1.908 -0.291 0\nH -0.675 -1.537 0\n"
ETHENE = """6
ethene
C 0 0 0.67
C 0 0 -0.67
H 0.2 0.90 1.23
H -0.2 -0.90 1.23
H 0 0.92 -1.23
H 0 -0.92 -1.23
"""
CRYSTAL = """4
Lattice="6 0 0 0 6 0 0 0 6" pbc="T T T" Properties=species:S:1:pos:R:3:initial_charges:R:1
Ar 0 0 0 0.2
Ar 3 3 0.1 -0.1
Ar 3 0 3 -0.1
Ar 0 3 3 0
"""
# A bond of 1.9 angstrom, which is one with more slack, and an oxygen that lacks a hydrogen.
LONG = "4\nlong\nC 0 0 0\nO 1.9 0 0\nH -0.5 0.9 0\nH -0.5 -0.9 0\n"
HALVES = """data_halves
_cell_length_a 9
_cell_length_b 9
_cell_length_c 9
_cell_angle_alpha 90
_cell_angle_beta 90
_cell_angle_gamma 90
loop_
_atom_site_type_symbol
_atom_site_fract_x
_atom_site_fract_y
_atom_site_fract_z
_atom_site_occupancy
O 0 0 0.01303 0.6
H 0 0.08413 -0.05213 0.6
H 0 -0.08413 -0.05213 0.6
Xe 0 0 0.1 0.4
"""
HALVED = """HETATM    1  O   HOH A   1       0.000   0.000   0.119  1.00  0.00           O
HETATM    2  H1  HOH A   1       0.000   0.763  -0.477  1.00  0.00           H
HETATM    3  H2 AHOH A   1       0.000  -0.763  -0.477  0.60  0.00           H
HETATM    4  H2 BHOH A   1       0.100  -0.800  -0.400  0.40  0.00           H
END
"""
WET = """data_wet
_cell_length_a 2.51
_cell_length_b 12
_cell_length_c 12
_cell_angle_alpha 90
_cell_angle_beta 90
_cell_angle_gamma 90
loop_
_atom_site_type_symbol
_atom_site_fract_x
_atom_site_fract_y
_atom_site_fract_z
C 0 0 0
H 0 0.073 -0.052
H 0 -0.073 -0.052
C 0.5 0 0.07
H 0.5 0.073 0.122
H 0.5 -0.073 0.122
Ne 0 0.5 0.5
"""
PAIRED = """6
n0 3 Etot -0.1 x0 1 z 0 set:1
O 0 0 0.1173 -0.8
H 0 0.7572 -0.4692 0.4
H 0 -0.7572 -0.4692 0.4
O 0 0 3.1173 -0.8
H 0 0.7572 2.4692 0.4
H 0 -0.7572 2.4692 0.4
"""
CATION = "4\nhydronium\nO 0 0 0\nH 0.93 0 0.3\nH -0.46 0.81 0.3\nH -0.46 -0.81 0.3\n"
DRAWN = """propanol
  any               2D

  4  3  0  0  0  0  0  0  0  0999 V2000
    0.0000    0.0000    0.0000 C   0  0
    1.3000    0.7500    0.0000 C   0  0
    2.6000    0.0000    0.0000 C   0  0
    3.9000    0.7500    0.0000 O   0  0
  1  2  1  0
  2  3  1  0
  3  4  1  0
M  END
$$$$
"""
# One try is not enough for a macrocycle.
TIGHT = "CCCCC[C@@H]1/C=C\\C2CCC(=O)[C@@H]2C/C=C\\CCCC(=O)O1 tight\n"
BARE = ("bare\n\n\n  2  1  0  0  0  0  0  0  0  0999 V2000\n    0.0000    0.0000    0.0000 C   0  0\n"
        "    1.5400    0.0000    0.0000 C   0  0\n  1  2  1  0\nM  END\n$$$$\n")
FORMIC_TYPES = "".join(f"{t} * {t[0]} E 1 0 0 0 0.7 1.7 0.003 {q} {h}\n" for t, q, h in (
    ("C_R", 0, 0), ("O_R", 0, -0.4), ("O_3", 0, -0.4), ("H_", 0, 0.3), ("H_O", 0, 0.3), ("H_C2", 0, 0), ("H_CR", 0, 0)))
SURFACE_TYPES = """Na * Na E 1 0 0 0 1.0 1.4915 0.0013 0.9 0.0
Cl * Cl E 1 0 0 0 1.0 1.9735 0.0098 -0.9 -0.5
O_3 * O E 2 2 0 0 0.7 1.75 0.0026 -0.8 0.0
H_O * H E 1 0 0 0 0.3 1.443 0.0019 0.4 0.8
"""
