# SPDX-License-Identifier: BSD-3-Clause
# Substrates whose topmost layers move: energies, relaxations, outputs, and what is refused.
import math
import pathlib
import tempfile

from program import METHANE, check, equal, finish, near, run, run_json, write

CHARGED = "Properties=species:S:1:pos:R:3:initial_charges:R:1"
WATER = "O 0.2 0.1 3.0 -0.8\nH 0.95 0.2 3.6 0.4\nH -0.5 0.5 3.6 0.4\n"
BARE = "0\nbare\n"
LJ = ("--surface-form", "lj", "--grid", "off", "--threads", "1")


def slab(folder, name, *arguments):
    path = pathlib.Path(folder) / name
    done = run("slab", *arguments, "-q", "-o", path)
    equal(done.returncode, 0, f"slab {arguments}: {done.stderr}")
    return path


def frames(path):
    lines = pathlib.Path(path).read_text().splitlines()
    out = []
    while lines:
        n = int(lines[0])
        atoms = [line.split() for line in lines[2:2 + n]]
        out.append((lines[1], [a[0] for a in atoms], [tuple(map(float, a[1:4])) for a in atoms]))
        lines = lines[2 + n:]
    return out


def lattice(comment):
    numbers = list(map(float, comment.split('Lattice="')[1].split('"')[0].split()))
    return numbers[:2], numbers[3:5]


def nearest(i, positions, cell):
    best = math.inf
    for j, p in enumerate(positions):
        for m in (-1, 0, 1):
            for n in (-1, 0, 1):
                if (i, m, n) == (j, 0, 0):
                    continue
                d = [positions[i][c] - p[c] + m * cell[0][c] + n * cell[1][c] for c in (0, 1)]
                best = min(best, math.hypot(*d, positions[i][2] - p[2]))
    return best


# At the places of the crystal: layers and molecule, less the layers, is the molecule on the rigid slab.
def test_energy(folder, salt):
    cell = salt.read_text().splitlines()[1].split('Lattice="')[1].split('"')[0]
    free = write(folder, "free.xyz", f"3\n{CHARGED}\n{WATER}")
    repeated = write(folder, "repeated.xyz", f'3\nLattice="{cell}" pbc="T T F" {CHARGED}\n{WATER}')
    bare = write(folder, "bare.xyz", BARE)
    options = ("--vdw-cutoff", "40", "--surface", salt, *LJ)
    for device in ("cpu", "ref"):
        joined, alone = run_json("energy", "--json", "--device", device, *options, "--movable-layers", "1",
                                 free, bare)
        rigid, = run_json("energy", "--json", "--device", device, *options, repeated)
        near(joined["energy"] - alone["energy"], rigid["energy"], 1e-5, f"a movable layer on {device}")
        near(joined["terms"]["restraint"], 0, 1e-12, "springs at rest")
    same, = run_json("energy", "--json", *options, "--movable-layers", "1", repeated)
    near(same["energy"], run_json("energy", "--json", *options, "--movable-layers", "1", free)[0]["energy"], 1e-9,
         "a system that repeats with the slab")
    grid, = run_json("energy", "--json", "--surface", salt, "--surface-form", "lj", "--movable-layers", "1", bare)
    off, = run_json("energy", "--json", "--surface", salt, *LJ, "--movable-layers", "1", bare)
    near(grid["energy"], off["energy"], 1e-3, "the grid is that of the rest")


# Layers alone stay where they are and ordered, also when water has broken their symmetry.
def test_layers_stay(folder):
    bare = write(folder, "bare.xyz", BARE)
    water = write(folder, "water.xyz", f"3\n{CHARGED}\n{WATER}")
    for arguments, low, high, layers in (
        (("rocksalt", "NaCl"), 2.3, 3.3, 1), (("rocksalt", "KBr"), 2.7, 3.8, 1), (("rocksalt", "MgO"), 1.9, 2.4, 1),
        (("fluorite", "CaF2"), 2.1, 2.6, 3), (("fcc", "Au"), 2.6, 3.1, 1), (("fcc", "Cu"), 2.3, 2.8, 1),
        (("bcc", "Fe"), 2.2, 2.7, 1), (("hcp", "Ti"), 2.6, 3.1, 1),
    ):
        path = slab(folder, "layers.xyz", *arguments)
        out = pathlib.Path(folder) / "stay.xyz"
        rows = run_json("relax", "--json", "--surface", path, *LJ, "--metals", "uff", "--movable-layers", layers, "--height", "2.6",
                        "-o", out, bare, water)
        whole, = frames(path)
        cell = lattice(whole[0])
        for row, (_, elements, positions), n in zip(rows, frames(out), (0, 3)):
            equal(row["status"], "converged", f"layers of {arguments}")
            moved = max(math.dist(p, q) for p, q in zip(positions[n:], whole[2]))
            check(moved < 0.5, f"{arguments}, {n} atoms of a molecule: an atom moves by {moved:.2f} A")
            equal(elements[n:], whole[1][:len(elements) - n], "the order of the atoms")
            apart = [nearest(i, positions[n:], cell) for i in range(len(positions) - n)]
            check(low < min(apart) and max(apart) < high,
                  f"{arguments}: neighbours {min(apart):.2f} to {max(apart):.2f} A")


# Water on a layer that gives way is bound a little more than on a rigid one.
def test_water(folder, salt):
    bare = write(folder, "bare.xyz", BARE)
    water = write(folder, "qeq.xyz", "3\n\n" + "\n".join(line.rsplit(" ", 1)[0] for line in WATER.splitlines()) + "\n")
    options = ("--surface", salt, *LJ, "--charges", "qeq", "--height", "2.5", "--fmax", "0.002")
    rigid, = run_json("relax", "--json", *options, water)
    alone, joined = run_json("relax", "--json", *options, "--movable-layers", "1", bare, water)
    bound = joined["energy"] - alone["energy"]
    check(rigid["energy"] - 0.1 < bound < rigid["energy"], f"{bound:.3f} eV, rigid {rigid['energy']:.3f} eV")


def test_outputs(folder, salt):
    methane = write(folder, "methane.xyz", METHANE)
    options = ("--surface", salt, *LJ, "--movable-layers", "1", "--height", "3")
    xyz, sdf = pathlib.Path(folder) / "o.xyz", pathlib.Path(folder) / "o.sdf"
    done = run("relax", "-q", *options, "--max-steps", "5", methane, "-o", xyz, "-o", sdf)
    check(done.returncode in (0, 1), f"relax: {done.stderr}")
    (comment, elements, positions), = frames(xyz)
    equal(elements[:5].count("H"), 4, "the molecule comes first")
    equal(len(elements), 5 + 18, "its atoms and those of a layer")
    check('pbc="T T F"' in comment, f"the cell: {comment}")
    check("Lattice" in sdf.read_text() and "Na " in sdf.read_text(), "SD files have all atoms, too")
    fixed = ",".join(str(k) for k in range(5, 23))
    done = run("relax", "-q", *options, "--fix", fixed, methane, "-o", xyz)
    _, _, held = frames(xyz)[0]
    layer = frames(salt)[0][2]
    near(max(math.dist(p, q) for p, q in zip(held[5:], layer)), 0, 1e-12, "fixed layers stay")
    row, = run_json("energy", "--json", "--forces", *options, methane)
    equal(len(row["forces"]), 23, "atoms of the row")
    row, = run_json("energy", "--json", "--positions", *options, methane)
    near(min(p[2] for p in row["positions"][:5]), 3.0, 1e-9, "the height above the movable layers")
    done = run("relax", "--json", *options, "--fix", "23", methane)
    check("the system has 23 atoms" in done.stdout, f"atoms that are not there: {done.stdout}")
    done = run("check", *options, methane)
    equal(done.returncode, 0, f"check: {done.stderr}{done.stdout}")
    spring, = run_json("check", "--json", *options, "--layer-spring", "2.5", "--interaction", "restraint:0", methane)
    equal((spring["atoms"], spring["parameters"]["k"]), ([5], 2.5), "check has the springs, too")


def test_refusals(folder, salt):
    water = write(folder, "water.xyz", f"3\n{CHARGED}\n{WATER}")
    sheet = slab(folder, "sheet.xyz", "graphene", "--layers", "2")
    fluorite = slab(folder, "fluorite.xyz", "fluorite")
    for reason, arguments in {
        "--movable-layers needs --surface": ("--movable-layers", "1"),
        "--layer-spring needs --movable-layers": ("--surface", salt, "--layer-spring", "2"),
        "3 of its 3 layers cannot move, expected 1 to 2": ("--surface", salt, "--movable-layers", "3"),
        "atoms 0 (C) and 1 (C) are bonded": ("--surface", sheet, "--movable-layers", "1"),
        "expected zero, as those of the first 3": ("--surface", fluorite, "--movable-layers", "1"),
    }.items():
        done = run("energy", *arguments, water)
        equal(done.returncode, 2, f"exit code of {arguments}")
        check(reason in done.stderr, f"{done.stderr!r} names {reason!r}")
    other = write(folder, "other.xyz", f'3\nLattice="9 0 0 0 9 0 0 0 20" pbc="T T F" {CHARGED}\n{WATER}')
    charged = write(folder, "charged.xyz", f"1\n{CHARGED}\nNa 0.1 0.1 3.0 1.0\n")
    for path, reason in ((other, "not in a and b with the cell of the movable layers"), (charged, "charge")):
        row, = run_json("energy", "--json", "--surface", salt, *LJ, "--movable-layers", "1", path, code=1)
        check(row["status"] != "ok" and reason in row["reason"], f"{path}: {row}")


with tempfile.TemporaryDirectory() as where:
    small = slab(where, "small.xyz", "rocksalt", "--size", "3x3")
    test_energy(where, small)
    test_layers_stay(where)
    test_water(where, slab(where, "salt.xyz", "rocksalt"))
    test_outputs(where, small)
    test_refusals(where, small)
finish()
