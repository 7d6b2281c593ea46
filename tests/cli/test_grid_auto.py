# SPDX-License-Identifier: BSD-3-Clause
# --grid auto: which way it chooses, what it keeps, and what it leaves alone; fields far above.
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

from program import PROGRAM, check, equal, finish, near, run, run_json, write

WATER = "3\nProperties=species:S:1:pos:R:3:initial_charges:R:1\n" \
        "O 1.0 1.0 {0} -0.8\nH 1.9 1.1 {1} 0.4\nH 0.7 1.9 {2} 0.4\n"
ION = "1\nProperties=species:S:1:pos:R:3:initial_charges:R:1\nNa 3.0 5.0 {0} 1.0\n"


def waters(folder, n):
    text = WATER.format(2.9, 3.1, 3.2)
    return write(folder, f"water{n}.xyz", text * n)


def slab(folder, name, *options):
    path = pathlib.Path(folder) / name
    done = run("slab", "rocksalt", "NaCl", "--charge", "0.9", *options, "-o", path)
    equal(done.returncode, 0, f"slab: {done.stderr}")
    return path


def grids(folder):
    return sorted(path.name for path in pathlib.Path(folder).rglob("*.h5*"))


def surface_energies(*arguments):
    rows = run_json("energy", "--json", "--forces", "--device", "cpu", *arguments)
    return [(row["terms"]["surface"], row["forces"][0]) for row in rows]


def test_large_slab(folder):
    """A few molecules on a large slab with defects: the sums of a second, not the grid of a minute."""
    defects = slab(folder, "defects.xyz", "--size", "12x12", "--vacancy", "0,157")
    few, many = waters(folder, 5), waters(folder, 30000)
    before = time.monotonic()
    done = run("relax", "--surface", defects, "--max-steps", "60", few)
    check(time.monotonic() - before < 20, "five molecules are soon done")
    check("--grid auto: direct sums: a grid of" in done.stderr, f"the reason: {done.stderr!r}")
    equal(grids(folder), [], "nothing is built for five")
    smaller = slab(folder, "smaller.xyz", "--size", "4x4", "--vacancy", "0,1")
    plan, = run_json("relax", "--dry-run", "--json", "--surface", smaller, many)
    check(plan["grid"].startswith("to be built") and plan["grid_bytes"] > 4e7, f"plan: {plan}")
    equal(grids(folder), [], "a plan builds nothing")
    equal(run("relax", "--surface", smaller, pathlib.Path(folder) / "absent.xyz").returncode, 4, "a file that is not there")
    equal(grids(folder), [], "nothing is built for a file that is not there")
    plan, = run_json("energy", "--dry-run", "--json", "--surface", defects, "--device", "ref", few)
    equal(plan["grid"], "direct sums", "the device ref")
    # Where memory is short, sums do.
    limit = 500 * 1024 * 1024
    if sys.platform == "linux":
        done = subprocess.run(
            [PROGRAM, "relax", "--dry-run", "--threads", "1", "--surface", str(defects), str(many)],
            capture_output=True, text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        check("does not fit into the memory" in done.stdout, f"short of memory: {done}")


def test_kept(folder):
    """Many molecules on a small period: a grid, which is kept and found again."""
    salt = slab(folder, "salt.xyz", "--size", "2x2")
    kept = pathlib.Path(folder) / "salt.xyz.grid.h5"
    many = waters(folder, 30000)
    plan, = run_json("energy", "--dry-run", "--json", "--surface", salt, many)
    check(plan["grid"].startswith("to be built"), f"plan: {plan['grid']}")
    check(not kept.exists(), "a plan leaves nothing")
    first = run("energy", "--json", "--surface", salt, many)
    check("--grid auto: the grid is kept as" in first.stderr, f"kept: {first.stderr!r}")
    check(kept.exists() and grids(folder) == [kept.name], f"files: {grids(folder)}")
    at = kept.stat().st_mtime_ns
    again = run("energy", "--json", "--surface", salt, many)
    check("kept" not in again.stderr and kept.stat().st_mtime_ns == at, "it is not built again")
    equal(again.stdout, first.stdout, "results by the grid that was kept")
    limit = 80 * 1000 * 1024
    if sys.platform == "linux" and "asan" not in PROGRAM:
        done = subprocess.run([PROGRAM, "energy", "--threads", "1", "--surface", str(salt), str(waters(folder, 1))],
                              capture_output=True, text=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        check(done.returncode == 0 and "does not fit into the memory" in done.stderr, f"one that is kept: {done}")
    one = surface_energies("--surface", salt, waters(folder, 1))[0]
    direct = surface_energies("--surface", salt, "--grid", "off", waters(folder, 1))[0]
    check(0 < abs(one[0] - direct[0]) < 1e-4, "it serves one molecule, too")
    return salt, kept, many


def test_cache(folder, salt, kept, many):
    """A file that does not fit, or a folder where nothing can be written: the cache."""
    bytes_before = kept.read_bytes()
    done = run("energy", "-q", "--surface", salt, "--surface-damping", "0.3", many)
    cache = pathlib.Path(os.environ["XDG_CACHE_HOME"]) / "shoal"
    found = grids(cache)
    equal(len(found), 1, f"grids in the cache: {found}")
    check(kept.read_bytes() == bytes_before and done.stderr == "", "the other grid is left alone")
    at = (cache / found[0]).stat().st_mtime_ns
    run("energy", "-q", "--surface", salt, "--surface-damping", "0.3", many)
    equal((cache / found[0]).stat().st_mtime_ns, at, "the cache is used")
    link = kept.with_name("salt2.xyz.grid.h5")
    link.symlink_to("nowhere")
    run("energy", "-q", "--surface", slab(folder, "salt2.xyz", "--size", "2x2", "--layers", "2"), many)
    check(link.is_symlink(), "a link that points nowhere is left alone")
    if os.geteuid() != 0:
        locked = pathlib.Path(folder) / "locked"
        locked.mkdir()
        other = slab(locked, "salt.xyz", "--size", "2x2", "--layers", "2")
        locked.chmod(0o555)
        done = run("energy", "--surface", other, many)
        check(done.returncode == 0 and str(cache) in done.stderr, f"cache: {done.stderr}")
        locked.chmod(0o755)


def test_resume(folder, salt, kept):
    """A run that is gone on with keeps to its way, whatever lies there now."""
    few = waters(folder, 40)
    hidden = kept.rename(kept.with_suffix(".away"))
    out = pathlib.Path(folder) / "out.xyz"
    words = ("relax", "-q", "--surface", salt, few, "-o", out, "--max-steps", "2")
    whole = pathlib.Path(folder) / "whole.xyz"
    run(*words[:5], "-o", whole, "--max-steps", "2")
    equal(run(*words, "--max-hours", "1e-7").returncode, 75, "stopped")
    text = pathlib.Path(f"{out}.checkpoint").read_bytes()
    check(b"auto, by direct sums" in text, "the way is in the checkpoint")
    hidden.rename(kept)
    done = run(*words, "--resume")
    check(done.returncode in (0, 1), f"gone on: {done.stderr}")
    equal(out.read_text(), whole.read_text(), "the way of the beginning")


def test_high(folder):
    """Ions high above two vacancies feel the same with a grid and without."""
    defects = slab(folder, "holes.xyz", "--size", "6x6", "--layers", "2", "--vacancy", "0,43")
    grid = pathlib.Path(folder) / "holes.h5"
    equal(run("grid", "build", "-q", defects, "--step", "0.2", "--surface-form", "morse", "--samples", "1", "-o", grid).returncode, 0,
          "build")
    ions = [write(folder, f"ion{z}.xyz", ION.format(z)) for z in (9.9, 10.2, 21, 22, 30, 45)]
    for precision in ("float", "double"):
        options = ("--precision", precision, "--surface", defects, "--surface-form", "morse", *ions)
        direct = surface_energies("--grid", "off", *options)
        spline = surface_energies("--grid", grid, *options)
        check(abs(direct[2][0]) > 1e-4, "there is a field at 21 A")
        for (e, f), (e_grid, f_grid) in zip(direct, spline):
            near(e_grid, e, 2e-6, f"energy in {precision}")
            for a, b in zip(f, f_grid):
                near(b, a, 2e-6, f"force in {precision}")
    report, = run_json("grid", "check", "--json", "--samples", "800", "--max-de", "1", "--max-df", "1", grid)
    for band in report["bands"][5:]:
        check(band["samples"] > 20 and band["max_dE"] < 2e-6, f"band: {band}")


if run("grid", "info", "none.h5").stderr.find("no HDF5") >= 0:
    from program import skip
    skip("this build has no HDF5")
with tempfile.TemporaryDirectory() as top:
    os.environ["XDG_CACHE_HOME"] = str(pathlib.Path(top) / "cache")
    os.environ.pop("SHOAL_CACHE_DIR", None)
    for name in ("large", "small", "high"):
        (pathlib.Path(top) / name).mkdir()
    test_large_slab(pathlib.Path(top) / "large")
    place = pathlib.Path(top) / "small"
    files = test_kept(place)
    test_cache(place, *files)
    test_resume(place, *files[:2])
    test_high(pathlib.Path(top) / "high")
finish()
