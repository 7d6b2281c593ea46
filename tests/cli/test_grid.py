# SPDX-License-Identifier: BSD-3-Clause
# Grids from the command line: build, check, info, export, and where --grid takes them from.
import pathlib
import tempfile

from program import check, equal, finish, near, run, run_json, skip, write

CHARGED = (
    "3\nProperties=species:S:1:pos:R:3:initial_charges:R:1\n"
    "O 1.0 1.0 2.7 -0.8\nH 1.9 1.1 2.9 0.4\nH 0.7 1.9 3.0 0.4\n"
)
FORM = ("--surface-form", "morse")
KEYS = {"samples", "rms_dE", "max_dE", "rms_dF", "max_dF"}


def build(folder, *options):
    slab = pathlib.Path(folder) / "salt.xyz"
    equal(run("slab", "rocksalt", "NaCl", "--size", "2x2", "--charge", "0.9", "-o", slab).returncode, 0,
          "slab")
    done = run("grid", "build", slab, "--step", "0.12", *FORM, *options)
    if done.returncode != 0 and "no HDF5" in done.stderr:
        skip("this build has no HDF5")
    equal(done.returncode, 0, f"grid build: {done.stderr}")
    check("1/4 of its cell" in done.stdout, "the small period is named")
    grid = pathlib.Path(folder) / "salt.xyz.grid.h5"
    check(grid.exists(), "the grid lies beside the surface")
    return slab, grid


def test_check(folder, grid):
    plot = pathlib.Path(folder) / "errors.svg"
    report, = run_json("grid", "check", grid, "--samples", "500", "--json", "--plot", plot)
    check(KEYS <= set(report), f"keys of a check: {sorted(report)}")
    equal(report["samples"], 500, "samples of a check")
    equal(set(report["probes"]), {"O", "C", "H", "N"}, "probes")
    check(report["max_dE"] < 1e-3 and report["max_dF"] < 5e-3, f"errors: {report}")
    check(all(KEYS <= set(band) for band in report["bands"]), "keys of the bands")
    check(report["bands"][-2]["from"] == 20 and report["bands"][-2]["samples"] > 10, "high bands")
    check("<svg" in plot.read_text() and "height above contact" in plot.read_text(), "the plot")
    again, = run_json("grid", "check", grid, "--samples", "500", "--json", "--threads", "1")
    equal(again, report, "a check repeated on one thread")
    done = run("grid", "check", grid, "--samples", "50", "--max-de", "1e-12")
    equal(done.returncode, 1, "exit code of a check that fails")
    check("smaller --step" in done.stderr, "and what helps")
    equal(run("grid", "check", grid, "--samples", "5", "--plot", "x.png", cwd=folder).returncode, 2,
          "figures are .svg")


def test_info(grid):
    info, = run_json("grid", "info", grid, "--json")
    equal(info["cells"], 4, "cells of the surface")
    equal(info["channels"], ["pauli", "london", "coulomb"], "channels")
    check(max(info["step"]) <= 0.12 and info["errors"]["samples"] == 2000, f"info: {info}")
    check(info["levels"] and info["levels"][0]["bottom"] >= 10, f"levels: {info['levels']}")
    check(info["top"] > info["switch_z"] > 10, "where the grid ends")
    table = run("grid", "info", grid).stdout
    a, b, z = info["shape"]
    check(f"{a} x {b} x {z} nodes" in table and f"{1e-6 * info['bytes']:.1f} MB" in table, f"as a table: {table}")


def test_export(folder, grid):
    for name, option in (("o.cube", "--probe=O"), ("q.xsf", "--channel=coulomb"),
                         ("c.npy", "--probe=1.9,0.005,0.1")):
        done = run("grid", "export", grid, "-o", name, option, cwd=folder)
        equal(done.returncode, 0, f"export {name}: {done.stderr}")
        check((pathlib.Path(folder) / name).stat().st_size > 10000, f"size of {name}")
    for options, reason in ((("-o", "a.txt"), ".cube, .xsf or .npy"), ((), "-o FILE"),
                            (("-o", "a.npy", "--channel", "donor"), "zero everywhere"),
                            (("-o", "a.npy", "--probe", "Xx"), "expected O, C, H or N")):
        done = run("grid", "export", grid, *options, cwd=folder)
        check(done.returncode in (2, 4) and reason in done.stderr, f"{options}: {done.stderr}")


def surface_energy(molecule, *options):
    row, = run_json("energy", "--json", *options, molecule)
    equal(row["status"], "ok", "status")
    return row["terms"]["surface"]


def test_use(folder, slab, grid):
    water = write(folder, "water.xyz", CHARGED)
    direct = surface_energy(water, "--device", "ref", "--surface", slab, *FORM)
    on_cpu = ("--device", "cpu", "--surface", slab, *FORM)
    kept = surface_energy(water, *on_cpu)
    near(kept, direct, 1e-4, "the grid beside the surface")
    check(kept != direct, "it is a grid")
    equal(surface_energy(water, *on_cpu, "--grid", grid), kept, "the same grid by name")
    near(surface_energy(water, *on_cpu, "--grid", "off"), direct, 1e-9, "direct sums")
    # Other parameters: by name it is refused, auto says so and does without.
    other = ("--device", "cpu", "--surface", slab, *FORM, "--alpha", "1.6")
    done = run("energy", *other, "--grid", grid, water)
    equal(done.returncode, 4, "exit code for a stale grid")
    check("another surface or of other parameters" in done.stderr, f"stale: {done.stderr}")
    done = run("energy", *other, water)
    equal(done.returncode, 0, "auto with a stale grid")
    check("it is left alone" in done.stderr and "direct sums" in done.stderr, f"auto: {done.stderr}")
    equal(run("energy", "--device", "ref", "--surface", slab, "--grid", grid, water).returncode, 2,
          "ref does not take a grid")
    equal(run("energy", "--grid", grid, water).returncode, 2, "a grid without a surface")
    row, = run_json("relax", "--json", "--surface", slab, "--height", "3", water)
    equal(row["status"], "converged", f"relaxed on a grid: {row}")
    check(row["terms"]["surface"] < -0.1, "water sticks to salt")


def test_verdict(folder, slab, grid):
    """A grid that fails its check is named in every row; one that passes is not."""
    water = write(folder, "two.xyz", CHARGED + CHARGED)
    coarse = pathlib.Path(folder) / "coarse.h5"
    equal(run("grid", "build", slab, "--step", "0.4", *FORM, "-q", "-o", coarse).returncode, 0, "a coarse grid")
    for path, bad in ((coarse, True), (grid, False)):
        info, = run_json("grid", "info", path, "--json")
        equal(info["passes"], not bad, f"{path.name} passes")
        equal("failed its check" in run("grid", "info", path).stdout, bad, f"{path.name} in words")
        for verb in ("energy", "relax"):
            rows = run_json(verb, "--json", "--charges", "none", "--surface", slab, *FORM, "--grid", path, water)
            equal(["the grid failed its check" in row.get("warning", "") for row in rows], [bad, bad],
                  f"{verb} on {path.name}: {rows}")


def test_meshes(folder, slab, grid):
    """The surface's own potential as a cube gives the energies that it gave, twice of it others; who may use such a grid."""
    place = pathlib.Path(folder)
    water = write(folder, "on.xyz", CHARGED)
    on = ("--device", "cpu", "--surface", slab, *FORM)
    equal(run("grid", "export", grid, "-o", "v.cube", "--channel", "coulomb", cwd=folder).returncode, 0, "export")
    common = ("grid", "build", slab, "--step", "0.12", *FORM, "-o", place / "v.h5")
    done = run(*common, "--coulomb", place / "v.cube")
    equal(done.returncode, 0, f"a channel from elsewhere: {done.stderr}")
    check("coulomb from v.cube, wrong by " in done.stdout, f"its error: {done.stdout}")
    info, = run_json("grid", "info", place / "v.h5", "--json")
    source, = info["sources"]
    equal((source["channel"], source["mesh"]), ("coulomb", "v.cube"), "its source")
    near(source["end"] - source["top"], 3, 1e-9, "where it is switched off")
    own = surface_energy(water, *on, "--grid", grid)
    near(surface_energy(water, *on, "--grid", place / "v.h5"), own, 2e-4, "its energies")
    report, = run_json("grid", "check", place / "v.h5", "--json", "--samples", "300", "--max-df", "9")
    near(report["channels"]["coulomb"]["max_dE"], source["max_dE"], 1e-12, "a check tells the error of the channel")
    done = run(*common, "--coulomb", place / "v.cube", "--mesh-unit", "rydberg", "--electron", "-q")
    equal(done.returncode, 0, f"half of it, turned: {done.stderr}")
    half = surface_energy(water, *on, "--grid", place / "v.h5")
    done = run(*common, "-q", "--surface-charges", "Na=0,Cl=0")
    equal(done.returncode, 0, f"no charges: {done.stderr}")
    bare = surface_energy(water, *on, "--surface-charges", "Na=0,Cl=0", "--grid", place / "v.h5")
    near(half - bare, -0.5 * (own - bare), 2e-4, "half of it, turned")
    # A potential for a surface without charges: molecules feel it, and nobody says that it has none.
    done = run(*common, "-q", "--surface-charges", "Na=0,Cl=0", "--coulomb", place / "v.cube")
    equal(done.returncode, 0, f"a potential instead of charges: {done.stderr}")
    row, = run_json("energy", "--json", *on, "--surface-charges", "Na=0,Cl=0", "--grid", place / "v.h5", water)
    near(row["terms"]["surface"], own, 2e-4, "a potential instead of charges")
    check("the surface has none" not in row.get("warning", ""), f"warned: {row.get('warning')}")
    check("of charges" not in row.get("warning", ""), f"warned: {row.get('warning')}")
    done = run(*common[:-2], "--coulomb", place / "v.cube")
    check(done.returncode == 2 and "-o FILE" in done.stderr, f"it needs a name: {done.stderr}")
    # Beside the surface it is not taken.
    kept = grid.read_bytes()
    equal(run(*common[:-1], grid, "-q", "--coulomb", place / "v.cube").returncode, 0, "over the one that is kept")
    done = run("energy", *on, water)
    check(done.returncode == 0 and "its coulomb comes from a mesh" in done.stderr, f"auto: {done.stderr}")
    grid.write_bytes(kept)
    for options, reason in ((("--coulomb", "none.cube"), "none.cube: cannot open"),
                            (("--coulomb", write(folder, "bad.cube", "a\nb\n1 0 0\n")), "bad.cube:3: bad line"),
                            (("--coulomb", place / "v.cube", "--mesh-shift", "1,0,0"), "no atom of it is within"),
                            (("--coulomb", place / "v.cube", "--mesh-shift", "1,0"), "expected 3 numbers"),
                            (("--pauli", place / "v.cube", "--electron"), "--electron needs --coulomb"),
                            (("--electron",), "needs --coulomb, --pauli or --london")):
        done = run(*common, *options)
        check(done.returncode in (2, 4) and reason in done.stderr, f"{options}: {done.stderr}")


def test_damage(folder, grid):
    cut = write(folder, "cut.h5", grid.read_bytes()[: grid.stat().st_size // 2])
    for path, reason in ((cut, "cut short"), (write(folder, "a.h5", "text"), "not an HDF5 file"),
                         (pathlib.Path(folder) / "none.h5", "cannot be opened")):
        for verb in ("info", "check"):
            done = run("grid", verb, path)
            equal(done.returncode, 4, f"exit code of {verb} {path.name}")
            check(reason in done.stderr, f"{verb} {path.name}: {done.stderr}")


def test_usage():
    for arguments in ((), ("bake",), ("build",), ("build", "a.xyz", "--step", "0.001"),
                      ("check", "a.h5", "--samples", "0")):
        equal(run("grid", *arguments).returncode, 2, f"exit code of grid {arguments}")
    with tempfile.TemporaryDirectory() as folder:
        slab = pathlib.Path(folder) / "salt.xyz"
        run("slab", "rocksalt", "NaCl", "--size", "8x8", "--charge", "0.9", "-o", slab)
        done = run("grid", "build", slab, "--whole-cell", "-o", pathlib.Path(folder) / "no" / "x.h5")
        equal(done.returncode, 4, "no folder for the grid")
        check("x.h5: cannot be created: No such" in done.stderr and "grid 1" not in done.stderr,
              f"told before the build: {done.stderr}")
        equal([path.name for path in pathlib.Path(folder).iterdir()], ["salt.xyz"], "left behind")
    check("export GRID" in run("grid", "--help").stdout, "help")


def test_bench():
    report, = run_json("bench", "--case", "xylitol", "--surface", "nacl:2x2x2", "--systems", "16",
                       "--steps", "5", "--repeats", "1", "--json")
    equal((report["surface"], report["grid"]), ("nacl:2x2x2", "yes"), "bench on a grid")
    report, = run_json("bench", "--what", "grid", "--surface", "nacl:1x1x2", "--repeats", "1", "--json")
    check(report["nodes"] > 100000 and report["nodes_per_s"] > 0, f"bench of a grid: {report}")
    equal(run("bench", "--what", "grid").returncode, 2, "a grid of nothing")


with tempfile.TemporaryDirectory() as place:
    surface_file, grid_file = build(place)
    test_check(place, grid_file)
    test_info(grid_file)
    test_export(place, grid_file)
    test_use(place, surface_file, grid_file)
    test_verdict(place, surface_file, grid_file)
    test_meshes(place, surface_file, grid_file)
    test_damage(place, grid_file)
    test_usage()
    test_bench()
finish()
