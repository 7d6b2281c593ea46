# SPDX-License-Identifier: BSD-3-Clause
# Probe scans from the command line: the block in HDF5, pictures, and what is refused.
import pathlib
import tempfile

from program import WATER, check, equal, finish, near, run, run_json, write


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


def test_refusals(folder):
    write(folder, "two.xyz", 2 * "1\n\nXe 0 0 0\n")
    for words, text in (((), "no output"), (("-o", "b.h5", "--points", "3x3"), "expected three whole numbers"),
                        (("-o", "b.h5", "--frequency-shift", "1,2"), "expected Hz, N/m and angstrom"),
                        (("-o", "b.h5", "--points", "0x1x1"), "0 points along x"),
                        (("-o", "b.h5", "--tip", "two.xyz"), "2 frames, expected one"),
                        (("-o", "b.h5", "--plot", "b.pdf"), "--plot")):
        done = run("probe", "water.xyz", *words, cwd=folder)
        check(done.returncode != 0 and text in done.stderr, f"{words}: {done.stderr!r} names {text!r}")
        check(not (folder / "b.h5").exists(), f"{words}: no file is left")


with tempfile.TemporaryDirectory() as place:
    here = pathlib.Path(place)
    write(here, "water.xyz", WATER)
    test_block(here)
    test_refusals(here)
finish()
