# SPDX-License-Identifier: BSD-3-Clause
# Molecules whose pair model puts sites beside their atoms, over a grid: all schedules against direct sums, and forces against
# differences of the energy.
import pathlib
import tempfile

import program

MODEL = """shoal_pair_model 1
form morse
alpha 1.6
hbond none
coulomb plain
lambda 1
site O_3 lone_pairs 2 E_O3 0.65
site H_O beyond 1 E_HO 0.4
types
O_3  * O  E 2 2 0 0 0.66 1.75 0.0026 -0.4 0
H_O  * H  E 1 0 0 0 0.35 1.40 0.0007  0.2 0
E_O3 * E  * 0 0 0 0 0.00 0.80 0.0000 -0.15 0
E_HO * E  * 0 0 0 0 0.00 0.80 0.0000  0.10 0
Na   * Na * 1 0 0 0 1.50 1.50 0.0013  0.0 0
Cl   * Cl * 1 0 0 0 1.00 1.97 0.0098  0.0 0
"""
WATER = (("O", (0, 0, 0)), ("H", (0.76, 0.12, 0.55)), ("H", (-0.72, 0.31, 0.5)))
STEP = 1e-3


def waters(n, moved=0.0):
    """n waters in rows, the z of the second atom moved."""
    rows = []
    for k in range(n):
        at = (3.1 * (k % 12), 3.3 * (k // 12), 0.15 * (k % 3))
        rows += [(s, [a + b for a, b in zip(p, at)]) for s, p in WATER]
    rows[1][1][2] += moved
    text = "".join(f"{s} {p[0]:.6f} {p[1]:.6f} {p[2]:.6f} {-0.8 if s == 'O' else 0.4}\n" for s, p in rows)
    return f"{len(rows)}\nProperties=species:S:1:pos:R:3:initial_charges:R:1\n{text}"


def energy(place, name, n, device, grid, moved=0.0):
    molecule = program.write(place, "molecule.extxyz", waters(n, moved))
    options = ("-q", "--device", device, "--precision", "double", "--forces", "--charges", "file", "--params", place / "model.dat",
               "--surface", place / "nacl.xyz", "--height", 2.8, "--grid", grid)
    (row,) = program.run_json("energy", "--json", *options, molecule)
    program.equal(row["status"], "ok", f"{name}: {row}")
    return row


def check_size(place, n):
    """A system of this size on both devices: 145 waters take the large schedules."""
    want = energy(place, "ref", n, "ref", "off")
    program.check(abs(want["terms"]["surface"]) > 0.05, "the surface is felt")
    for device in ("cpu", "opencl:cpu"):
        name = f"{device}, {n} waters"
        got = energy(place, name, n, device, place / "nacl.xyz.grid.h5")
        program.near(got["terms"]["surface"], want["terms"]["surface"], 2e-6 * 3 * n, f"{name}: the energy of the surface")
        for a, b in zip(sum(got["forces"], []), sum(want["forces"], [])):
            program.near(a, b, 2e-4, f"{name}: forces")
        ends = [energy(place, name, n, device, place / "nacl.xyz.grid.h5", m)["energy"] for m in (STEP, -STEP)]
        program.near(-(ends[0] - ends[1]) / (2 * STEP), got["forces"][1][2], 1e-5, f"{name}: force against differences")


def main():
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        program.write(place, "model.dat", MODEL)
        program.equal(program.run("slab", "rocksalt", "NaCl", "-o", place / "nacl.xyz").returncode, 0, "a slab")
        done = program.run("grid", "build", "-q", place / "nacl.xyz", "--params", place / "model.dat")
        program.equal(done.returncode, 0, done.stderr)
        check_size(place, 3)
        check_size(place, 145)
    program.finish()


main()
