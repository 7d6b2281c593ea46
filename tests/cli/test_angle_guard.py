# SPDX-License-Identifier: BSD-3-Clause
# Two fluorines of SF6 that begin on top of each other come apart, unless --no-angle-guard lets them stay; molecules
# without small angles do not notice the option, on any device. Forces whose squares no float holds are still forces,
# and atoms that are too far away are refused alike.
import math
import pathlib
import tempfile

from program import TOP, check, equal, finish, run_json

LIGANDS = [(0.03, 1.6, 0.002), (0, 1.6, 0), (-1.6, 0, 0), (0, -1.6, 0), (0, 0, 1.6), (0, 0, -1.6)]
DEVICES = ["cpu"] + [d["device"] for d in run_json("devices", "-q", "--json") if d["device"].startswith("opencl")][:1]


def sf6():
    atoms = "".join("%10.4f%10.4f%10.4f %-3s 0  0\n" % (*r, e) for e, r in [("S", (0, 0, 0))] + [("F", r) for r in LIGANDS])
    bonds = "".join(f"  1{k:3d}  1  0\n" for k in range(2, 8))
    return f"SF6\n\n\n  7  6  0  0  0  0  0  0  0  0999 V2000\n{atoms}{bonds}M  END\n$$$$\n"


def nearest(path):
    rows = [line.split() for line in path.read_text().splitlines()[3:9]]
    places = [tuple(map(float, row[1:4])) for row in rows]
    return min(math.dist(a, b) for i, a in enumerate(places) for b in places[:i])


def test_relax(directory):
    (directory / "sf6.sdf").write_text(sf6())
    for device in DEVICES:
        for options, low, high in (([], 2.1, 2.5), (["--no-angle-guard"], 0, 0.01)):
            out = directory / "out.xyz"
            (row,) = run_json("relax", "--json", "-q", "--device", device, *options, "-o", str(out), str(directory / "sf6.sdf"), code=None)
            check(low <= nearest(out) <= high, f"fluorines {nearest(out):.3f} A apart on {device} {options}: {row['status']}")
            out.unlink()


def test_no_trace():
    for device in DEVICES:
        for verb in ("energy", "relax"):
            ask = [verb, "--json", "-q", "--device", device, "--precision", "float", str(TOP / "examples/demo.sdf")]
            equal(run_json(*ask, "--no-angle-guard"), run_json(*ask), f"{verb} on {device} without small angles")


def test_large_forces(directory):
    """Argon atoms so close that they push with 1e20 to 1e32 eV/A."""
    rows = "".join(f"2\n\nAr 0 0 0\nAr 0 0 {z}\n" for z in (0.1, 0.08, 0.05, 0.03, 0.01))
    (directory / "argon.xyz").write_text(rows)
    for device in DEVICES + ["ref"]:
        for precision in ("double",) if device == "ref" else ("float", "double"):
            ask = ["--json", "-q", "--device", device, "--precision", precision, "--bond-slack", "0.001", str(directory / "argon.xyz")]
            found = run_json("energy", *ask)
            equal([r["status"] for r in found], ["ok"] * 5, f"large forces on {device}, {precision}")
            if device != "ref":
                equal([r["status"] for r in run_json("relax", *ask)], ["converged"] * 5, f"relaxed on {device}, {precision}")


def test_far(directory):
    """Neighbours of one another are no floats any more where an atom of a molecule is a metre away."""
    def methane(x):
        atoms = [("C", 0, 0, 0), ("H", x, 0, 0), ("H", -0.36, 1.03, 0), ("H", -0.36, -0.51, 0.89), ("H", -0.36, -0.51, -0.89)]
        rows = [f"M  V30 {n} {e} {a} {b} {c} 0" for n, (e, a, b, c) in enumerate(atoms, 1)]
        bonds = [f"M  V30 {n} 1 1 {n + 1}" for n in range(1, 5)]
        return "\n".join(["far", "", "", "  0  0  0     0  0            999 V3000", "M  V30 BEGIN CTAB", "M  V30 COUNTS 5 4 0 0 0",
                          "M  V30 BEGIN ATOM", *rows, "M  V30 END ATOM", "M  V30 BEGIN BOND", *bonds, "M  V30 END BOND",
                          "M  V30 END CTAB", "M  END", "$$$$", ""])
    places = ("1.09", "9.9e6", "1.1e7", "-1e9", "3e9", "7e9", "1e12", "1e22", "1e300")
    (directory / "far.sdf").write_text("".join(methane(x) for x in places))
    for device in DEVICES + ["ref"]:
        for precision in ("double",) if device == "ref" else ("float", "double"):
            for verb in ("energy", "relax")[:1 if device == "ref" else 2]:
                found = run_json(verb, "--json", "-q", "--device", device, "--precision", precision, str(directory / "far.sdf"), code=1)
                equal([r["status"] for r in found[2:]], ["not_finite"] * 7, f"far atoms: {verb} on {device}, {precision}")
                check(all(r["reason"] == "atom 1 (H) is more than 1e+07 angstrom away from the origin" for r in found[2:]), f"why: {found[2:]}")
                good = "ok" if verb == "energy" else "converged"
                equal(found[0]["status"], good, f"near atoms: {verb} on {device}, {precision}")
                check(found[1]["status"] != "not_finite", f"an atom within range: {found[1]}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        test_relax(pathlib.Path(name))
        test_no_trace()
        test_large_forces(pathlib.Path(name))
        test_far(pathlib.Path(name))
    finish()
