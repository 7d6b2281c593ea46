# SPDX-License-Identifier: BSD-3-Clause
# Salts, metals, zeolites and boron nitride from coordinates and a cell: energies, warnings, relaxed sheets.
import math
import random
import tempfile

from program import check, energies, equal, finish, near, run, run_json, write


def text_of(cell, atoms, pbc="T T T"):
    """A frame of extended xyz; atoms are (symbol, x, y, z) in angstrom."""
    lattice = " ".join(str(x) for row in cell for x in row)
    lines = [str(len(atoms)), f'Lattice="{lattice}" pbc="{pbc}"']
    return "\n".join(lines + [" ".join(map(str, a)) for a in atoms]) + "\n"


def box(a, b, c):
    return ((a, 0, 0), (0, b, 0), (0, 0, c))


def rocksalt(first, second, a, n, layers):
    """n x n x layers atoms of a (001) slab, half of them of each kind."""
    atoms = []
    for i in range(n):
        for j in range(n):
            for k in range(layers):
                atoms.append(((first, second)[(i + j + k) % 2], i * a / 2, j * a / 2, k * a / 2))
    return atoms


def water_at(x, y, z):
    return [("O", x, y, z), ("H", x + 0.76, y, z + 0.59), ("H", x - 0.76, y, z + 0.59)]


def copper(n, layers):
    """(111) layers, and the cell in which they repeat."""
    d, h = 3.615 / math.sqrt(2), 3.615 / math.sqrt(3)
    atoms = []
    for k in range(layers):
        for i in range(n):
            for j in range(n):
                s, t = i + k / 3, j + k / 3
                atoms.append(("Cu", (s + t / 2) * d, t * d * math.sqrt(3) / 2, k * h))
    return ((n * d, 0, 0), (n * d / 2, n * d * math.sqrt(3) / 2, 0), (0, 0, 30)), atoms


BENZENE = [
    (symbol, r * math.cos(k * math.pi / 3), r * math.sin(k * math.pi / 3), 0)
    for symbol, r in (("C", 1.39), ("H", 2.48))
    for k in range(6)
]


def moved(atoms, x, y, z):
    return [(a[0], a[1] + x, a[2] + y, a[3] + z) for a in atoms]


def look(directory, name, text):
    """The row of an energy, and that of types."""
    path = write(directory, name + ".xyz", text)
    (row,) = energies(path)
    (types,) = run_json("types", "--json", path)
    equal(row["status"], "ok", f"status of {name}")
    return row, types


def test_salt(directory):
    row, types = look(directory, "NaCl", text_of(box(5.64, 5.64, 5.64), rocksalt("Na", "Cl", 5.64, 2, 2)))
    near(row["terms"]["angle"], 0, 0, "angles of NaCl")
    equal(types["bonds"], [], "bonds of NaCl")
    equal(sorted(types["formal_charges"]), [-1] * 4 + [1] * 4, "its charges")
    equal(row["warning"], "4 Na, 4 Cl: taken as ions, without covalent bonds", "its warning")
    atoms = rocksalt("Na", "Cl", 5.64, 4, 3) + water_at(2.82, 2.82, 8.04)
    row, types = look(directory, "wet", text_of(box(11.28, 11.28, 40), atoms, "T T F"))
    equal(len(types["bonds"]), 2, "bonds of water on NaCl")
    check(row["energy"] < 1, f"energy of water on NaCl: {row['energy']}")
    equal(sum(types["formal_charges"]), 0, "its total charge")
    atoms = rocksalt("Mg", "O", 4.212, 4, 3) + water_at(2.106, 0, 6.36)
    row, types = look(directory, "magnesia", text_of(box(8.424, 8.424, 40), atoms, "T T F"))
    equal(len(types["bonds"]), 2, "bonds of water on MgO")
    equal(sum(types["formal_charges"]), 0, "its total charge")


def test_metal(directory):
    cell, atoms = copper(4, 3)
    row, types = look(directory, "copper", text_of(cell, atoms, "T T F"))
    near(row["terms"]["angle"] + row["terms"]["bond"], 0, 0, "bonded terms of copper")
    check(abs(row["energy"]) < 2, f"energy of copper: {row['energy']}")
    equal(row["warning"], "metal: 48 Cu without covalent bonds; UFF describes metals poorly", "warning")
    both = text_of(cell, atoms + moved(BENZENE, 6, 4, 7.3), "T T F")
    row, types = look(directory, "benzene", both)
    equal(len(types["bonds"]), 12, "bonds of benzene on copper")
    equal(types["types"][48:], ["C_R"] * 6 + ["H_"] * 6, "its types")


def test_permuted(directory):
    cell, atoms = copper(4, 3)
    atoms = atoms + moved(BENZENE, 6, 4, 7.3) + [("Na", 6, 4, 15), ("Cl", 8.4, 4, 15)]
    (first,) = energies(write(directory, "first.xyz", text_of(cell, atoms, "T T F")))
    random.Random(7).shuffle(atoms)
    (second,) = energies(write(directory, "second.xyz", text_of(cell, atoms, "T T F")))
    near(second["energy"], first["energy"], 1e-9, "energy with the atoms in another order")


def sheet(n, bump):
    """Boron nitride, every atom moved up or down."""
    a, h = 2.504, 2.504 * math.sqrt(3) / 2
    noise = random.Random(3)
    atoms = []
    for i in range(n):
        for j in range(n):
            x, y = a * i - a / 2 * j, h * j
            atoms.append(("B", x, y + 2 * h / 3, 5 + noise.uniform(-bump, bump)))
            atoms.append(("N", x + a / 2, y + h / 3, 5 + noise.uniform(-bump, bump)))
    return text_of(((n * a, 0, 0), (-n * a / 2, n * h, 0), (0, 0, 20)), atoms, "T T F")


def test_sheet_stays_flat(directory):
    path = write(directory, "sheet.xyz", sheet(4, 0.1))
    out = write(directory, "flat.xyz", "")
    done = run("relax", "--device", "cpu", "--fmax", "0.0005", "-o", out, path)
    equal(done.returncode, 0, f"relaxing a sheet: {done.stderr}")
    heights = [float(line.split()[3]) for line in out.read_text().splitlines()[2:]]
    equal(len(heights), 32, "atoms of the sheet")
    check(max(heights) - min(heights) < 0.02, f"buckled by {max(heights) - min(heights)} angstrom")


def main():
    with tempfile.TemporaryDirectory() as directory:
        test_salt(directory)
        test_metal(directory)
        test_permuted(directory)
        test_sheet_stays_flat(directory)
    finish()


if __name__ == "__main__":
    main()
