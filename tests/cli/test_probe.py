# SPDX-License-Identifier: BSD-3-Clause
# Probe scans from the command line: the block in HDF5, pictures, and what is refused.
import math
import pathlib
import tempfile

from program import TOP, WATER, check, equal, finish, near, run, run_json, write


HIGH = "O 2 2.1 6.5\nH 2.6 2.1 5.9\nH 1.4 2.1 5.9\n"


def block_of(path):
    try:
        import h5py
    except ImportError:
        print("h5py is not there: contents of blocks are not looked at")
        return None
    with h5py.File(path) as f:
        return {name: f[name][:] for name in f} | dict(f.attrs)


def test_block(folder):
    rows = run_json("probe", "--json", "water.xyz", "-o", "block.h5", "--points", "4x5x12", "--tip", "Xe",
                    "--frequency-shift", "30000,1800,0.4", "--plot", "plane.svg", cwd=folder)
    equal(rows[0]["points"], [4, 5, 12], "points")
    check("<svg" in (folder / "plane.svg").read_text()[:200], "a picture is SVG")
    block = block_of(folder / "block.h5")
    if block is None:
        return
    equal(block["force"].shape, (4, 5, 12, 3), "shape of forces")
    equal(block["format"].decode() if isinstance(block["format"], bytes) else block["format"], "shoal-probe", "format")
    x, y, z = (rows[0]["origin"][c] + 2 * rows[0]["step"][c] for c in range(3))
    alone = WATER.splitlines()
    both = "\n".join(["4", "both", *alone[2:5], f"Xe {x} {y} {z}"]) + "\n"
    write(folder, "both.xyz", both)
    write(folder, "far.xyz", both.replace(f"Xe {x} {y} {z}", "Xe 0 0 90"))
    energies = [run_json("energy", "--json", name, cwd=folder)[0]["energy"] for name in ("both.xyz", "far.xyz")]
    near(block["energy"][2, 2, 2], energies[0] - energies[1], 1e-6, "energy of a point")


def shift_of(heights, forces, low, f0, stiffness, amplitude):
    """-f0 / (pi k A) times the integral of F cos over half an oscillation, forces between points by Lagrange's cubic."""
    n, total, step = 4000, 0.0, heights[1] - heights[0]
    for m in range(n):
        c = math.cos(math.pi * (m + 0.5) / n)
        at = low + amplitude * (1 + c) / step
        first = min(max(math.floor(at) - 1, 0), len(heights) - 4)
        for i in range(first, first + 4):
            weight = 1.0
            for k in range(first, first + 4):
                weight *= (at - k) / (i - k) if k != i else 1.0
            total += weight * forces[i] * c / n
    return -f0 / (stiffness / 16.02176634 * amplitude) * total


def test_shifts(folder):
    """Every number of the file: where the block is, and shifts from its forces."""
    row = run_json("probe", "--json", "water.xyz", "-o", "shift.h5", "--points", "2x3x14", "--tip", "CO",
                   "--frequency-shift", "28000,1500,0.35", cwd=folder)[0]
    block = block_of(folder / "shift.h5")
    if block is None:
        return
    equal((block["frequency"], block["stiffness"], block["amplitude"], block["version"]), (28000, 1500, 0.35, 1), "the oscillator")
    equal((list(block["origin"]), list(block["step"])), (row["origin"], row["step"]), "where the block is")
    shifts = block["frequency_shift"]
    heights = [k * row["step"][2] for k in range(14)]
    n = sum(1 for z in heights if z + 0.7 <= heights[-1] + 1e-9)
    equal(shifts.shape, (2, 3, n), "heights that the whole oscillation stays within")
    largest = max(abs(float(v)) for v in shifts.flatten())
    check(largest > 0.01, f"the largest shift: {largest} Hz")
    for x in range(2):
        for y in range(3):
            for z in range(n):
                want = shift_of(heights, [float(f[2]) for f in block["force"][x, y]], z, 28000, 1500, 0.35)
                near(float(shifts[x, y, z]), want, 2e-4 * largest, f"shift at {x}, {y}, {z}")


def test_models(folder):
    """A pair model with hydrogen bonds: sample and tip together less both alone, over nothing and over fluorine."""
    model = (TOP / "examples" / "morse_hbond.dat").read_text()
    write(folder, "plain.dat", model.replace("hbond repulsion", "hbond none"))
    write(folder, "bonds.dat", model)
    write(folder, "sheet.xyz", '4\nLattice="6 0 0 0 6 0 0 0 20" pbc="T T F"\n' + "".join(f"F {3 * (k % 2)} {3 * (k // 2)} 2.8\n" for k in range(4)))
    shape = [(0.0, 0.0, 0.0), (0.6, 0.2, 0.75), (-0.6, -0.2, 0.75)]
    write(folder, "tip.xyz", "3\n\n" + "".join(f"{e} {x} {y} {z}\n" for e, (x, y, z) in zip("OHH", shape)))
    for on in ((), ("--surface", "sheet.xyz", "--grid", "off")):
        block = {}
        for name in ("bonds", "plain"):
            how = ("--params", f"{name}.dat", "--charges", "none", *on)
            row = run_json("probe", "--json", "high.xyz", "-o", "model.h5", "--points", "2x2x4", "--tip", "tip.xyz", "--margin", 0.1, "--from", 1.2, "--to", 3, *how, cwd=folder)[0]
            block[name] = block_of(folder / "model.h5")
            if block[name] is None:
                return
            at = [row["origin"][c] + row["step"][c] for c in range(3)]
            tip = "".join(f"{e} {at[0] + x} {at[1] + y} {at[2] + z}\n" for e, (x, y, z) in zip("OHH", shape))
            write(folder, "together.xyz", f"6\n\n{HIGH}{tip}")
            write(folder, "there.xyz", f"3\n\n{tip}")
            exact = (*how, "--precision", "double")
            e = [run_json("energy", "--json", f, *exact, cwd=folder)[0]["energy"] for f in ("together.xyz", "high.xyz")]
            alone = run_json("energy", "--json", "there.xyz", *exact[:4], *exact[-2:], cwd=folder)[0]["energy"]
            near(float(block[name]["energy"][1, 1, 1]), e[0] - e[1] - alone, 1e-6, f"energy of a point {name} {on}")
        check(abs(float(block["bonds"]["energy"][1, 1, 1] - block["plain"]["energy"][1, 1, 1])) > 1e-4, f"hydrogen bonds count {on}")


def test_refusals(folder):
    write(folder, "two.xyz", 2 * "1\n\nXe 0 0 0\n")
    for words, text in (((), "no output"), (("-o", "b.h5", "--points", "3x3"), "expected three whole numbers"),
                        (("-o", "b.h5", "--frequency-shift", "1,2"), "expected Hz, N/m and angstrom"),
                        (("-o", "b.h5", "--points", "0x1x1"), "0 points along x"),
                        (("-o", "b.h5", "--tip", "two.xyz"), "2 frames, expected one"),
                        (("-o", "b.h5", "--params", "noncovalent"), "sites, electron pairs or columns"),
                        (("-o", "b.h5", "--plot", "b.pdf"), "--plot")):
        done = run("probe", "water.xyz", *words, cwd=folder)
        check(done.returncode != 0 and text in done.stderr, f"{words}: {done.stderr!r} names {text!r}")
        check(not (folder / "b.h5").exists(), f"{words}: no file is left")


with tempfile.TemporaryDirectory() as place:
    here = pathlib.Path(place)
    write(here, "water.xyz", WATER)
    write(here, "high.xyz", f"3\nwater\n{HIGH}")
    test_block(here)
    test_shifts(here)
    test_models(here)
    test_refusals(here)
finish()
