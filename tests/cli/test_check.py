#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# shoal check: what is asked of a device is computed there, so that a broken kernel is found and named.
import ast
import contextlib
import math
import os
import pathlib
import re
import shutil
import struct
import tempfile

from program import CASES, TOP, UNTYPED, WATER, check, equal, finish, near, run, run_json, write

DEMO = TOP / "examples" / "demo.sdf"
POLYMER = TOP / "examples" / "polyethylene.xyz"
# Atoms without bonds, so that nothing is excluded.
CRYSTAL = ('2\nLattice="5 0 0 1 5.5 0 -1 0.5 6" Properties=species:S:1:pos:R:3:initial_charges:R:1\n'
           "Ar 0.1 0.2 0.3 0.8\nKr 2.6 2.5 3.2 -0.8\n")
SLAB = ('2\nLattice="5 0 0 0 6 0 0 0 30" pbc="T T F" Properties=species:S:1:pos:R:3:initial_charges:R:1\n'
        "Ar 0 0 0 0.5\nKr 2.9 0.4 1.5 -0.5\n")
RESTRAINTS = ("--restrain", "distance:0,3=2.5,4", "--restrain", "torsion:0,1,2,3=40,1", "--restrain", "angle:0,1,2=100,2")
CHARGED = ("--charges", "qeq")
DEVICES = ["cpu"]
if run("energy", "--device", "opencl:cpu", DEMO).returncode != 3:
    DEVICES.append("opencl:cpu")
else:
    check(not os.environ.get("CI"), "OpenCL is there")
    print("no OpenCL here: kernels are not broken")

# A line of every formula, and one that is wrong by a hundredth.
BROKEN = {
    "bond": [("uff_terms.h", r"-p\.k \* s \* inverse", "R(-1.01) * p.k * s * inverse"),
             ("uff_forms.h", r"-p\.k \* s, arm", "R(-1.01) * p.k * s, arm")],
    "angle": [("uff_terms.h", r"p\.p\[0\] \+ c", "R(1.01) * p.p[0] + c"),
              ("uff_forms.h", r"p\.p\[0\] \+ c", "R(1.01) * p.p[0] + c")],
    "torsion": [("uff_terms.h", r"p\.v \* p\.d \* \(real\)p\.n", "R(1.02) * p.v * p.d * (real)p.n"),
                ("uff_terms.h", r"R\(1\.0\) - p\.d \* cn", "R(1.01) - p.d * cn")],
    "inversion": [("uff_forms.h", r"p\.k \* \(p\.c0 \+", "R(1.01) * p.k * (R(1.01) * p.c0 +")],
    "vdw": [("pair_terms.h", r"\*s = t \* u6 - t;", "*s = t * u6 - R(1.01) * t;"),
            ("pair_terms.h", r"u6 - R\(2\.0\)", "u6 - R(2.02)")],
    "coulomb": [("pair_terms.h", r"return kqq \* id;", "return R(1.01) * kqq * id;")],
    "surface": [("surface_terms.h", r"return e \* \(P \* e \+ L\)", "return R(1.01) * e * (P * e + L)"),
                ("surface_terms.h", r"return a \* s6 \+ b \* s3", "return R(1.01) * (a * s6 + b * s3)"),
                ("grid_terms.h", r"out\.value = e\.value \* ", "out.value = R(1.01) * e.value * ")],
    "restraint": [("restraint_terms.h", r"real e = R\(0\.5\) \* k \* delta", "real e = R(0.505) * k * delta"),
                  ("restraint_terms.h", r"return R\(0\.5\) \* k \* delta", "return R(0.505) * k * delta")],
    "ewald": [("ewald_terms.h", r"e = gauss \*", "e = R(1.05) * gauss *")],
    "large": [("large_pairs.cl", r"f\[q\] \+= g \* d;", "f[q] += R(1.01) * g * d;")],
    "step": [("group_fire.cl", r"v3_add\(load3\(pos, i\), v3_scale\(m\.move, v\)\)",
              "v3_add(load3(pos, i), v3_scale(R(1.3) * m.move, v))")],
}


@contextlib.contextmanager
def kernels(*terms):
    """Kernels from a folder, with the formulas of some terms broken."""
    with tempfile.TemporaryDirectory() as directory:
        folder = shutil.copytree(TOP / "kernels", f"{directory}/kernels")
        for term in terms:
            for name, line, wrong in BROKEN[term]:
                path = pathlib.Path(folder) / name
                text, n = re.subn(line, wrong, path.read_text())
                check(n > 0, f"{name} has no {line}: tell this test what to break instead")
                path.write_text(text)
        os.environ["SHOAL_KERNEL_DIR"] = str(folder)
        try:
            yield
        finally:
            del os.environ["SHOAL_KERNEL_DIR"]


def interactions(directory):
    """(what, further arguments) of every kind of interaction."""
    salt = pathlib.Path(directory) / "salt.xyz"
    if not salt.exists():
        equal(run("slab", "rocksalt", "NaCl", "--charge", "0.5", "-q", "-o", salt).returncode, 0, "a slab")
        run("grid", "build", "-q", "--samples", "1", salt)  # where --grid auto finds it
    crystal, slab = write(directory, "crystal.xyz", CRYSTAL), write(directory, "cell.xyz", SLAB)
    aspirin = ("--system", 5, *CHARGED, *RESTRAINTS, DEMO)
    surface = ("--system", 1, *CHARGED, "--surface", salt, "--height", "2.5", DEMO)
    found = [(what, aspirin) for what in ("bond:3", "angle:5", "torsion:2", "inversion:1", "vdw:0,9", "coulomb:0,9",
                                          "restraint:0", "restraint:1", "restraint:2")]
    found += [("surface:0", (*surface, "--grid", "off")), ("surface:0", (*surface, "--grid", "auto"))]
    found += [(what, (POLYMER,)) for what in ("bond:0", "angle:0", "torsion:0", "vdw:0,6", "vdw:1,19,0,0,-1")]
    found += [(what, (crystal,)) for what in ("vdw:0,1", "vdw:0,0", "vdw:1,1,0,2,0", "coulomb:0,1")]
    found += [("coulomb:0,1", (slab,)), ("vdw:0,1", (slab,))]
    return found


def test_interactions(directory):
    """Every kind on every device, in every precision, whole systems and plain terms."""
    for device in DEVICES:
        for precision, most in (("float", 1e-4), ("double", 1e-9))[:2 if device == "cpu" else 1]:
            for what, rest in interactions(directory):
                (row,) = run_json("check", "--json", "--device", device, "--precision", precision,
                                  "--interaction", what, *rest)
                text = f"{what} on {device} in {precision}"
                equal((row["device"], row["precision"], row["differs"]), (device, precision, False), text)
                equal(row["term"], what.split(":")[0], text)
                near(row["computed"]["energy"], row["ref"]["energy"],
                     max(most, row["tolerance"]) * (1 + abs(row["ref"]["energy"])), f"{text}: energy")
                for f, g in zip(row["ref"]["forces"], row["computed"]["forces"]):
                    near(math.dist(f, g), 0, max(most, row["tolerance"]) * 60, f"{text}: forces")
    (row,) = run_json("check", "--json", "--plain-terms", "--system", 5, "--interaction", "torsion:3", DEMO)
    equal((row["kind"], row["atoms"], row["unit"]), ("torsion", [14, 0, 1, 3], "degrees"), "plain terms")
    equal(sorted(row["parameters"]), ["d", "n", "v"], "parameters by name")
    near(row["value"], -178.198, 1e-3, "its value")
    shown = run("check", "--interaction", "torsion:2", "--system", 5, DEMO).stdout.splitlines()
    equal((len(shown), shown[-1].split(":")[0]), (18, "agrees"), "atoms, value, parameters, energy and twelve forces")
    # Some of it is smaller than nothing to go by: an image beyond the cut-off, a pair without charges.
    for what, rest in (("vdw:0,6,0,0,9", (POLYMER,)), ("coulomb:0,9", ("--system", 5, DEMO))):
        (row,) = run_json("check", "--json", "--interaction", what, *rest)
        equal((row["ref"]["energy"], row["computed"]["energy"]), (0, 0), what)


def test_refusals(directory):
    water = write(directory, "water.xyz", WATER)
    for device in ("frob", "opencl:99", "opencl:frob", "cpu:3", "ref:1", "shadow:frob"):
        for way in (("--interaction", "bond:0"), ("--each-term",), ("--relax",), ()):
            done = run("check", "--device", device, *way, water)
            equal((done.returncode, done.stdout), (3, ""), f"{device} {way}: {done.stderr}")
    for wrong in ("bond", "bond:x", "frob:1", "vdw:1", "bond:10000", "bond:-1", "vdw:1,1", "vdw:0,1", "vdw:0,9",
                  "vdw:0,1,0", "coulomb:0,1,0,0,1", "surface:0", "restraint:0", "torsion:0"):
        done = run("check", "--interaction", wrong, water)
        equal((done.returncode, done.stdout), (2, ""), f"exit code of {wrong}")
        check(done.stderr, f"{wrong}: a word on why")
    equal(run("check", "--interaction", "bond:0", "--system", 99, DEMO).returncode, 2, "no such system")
    equal(run("check", "--interaction", "bond:0", write(directory, "heavy.xyz", UNTYPED)).returncode, 2, "untyped")
    equal(run("check", "--interaction", "bond:0", "--each-term", water).returncode, 2, "two ways at once")
    equal(run("check", "--method", "fire", water).returncode, 2, "--method without --relax")
    equal(run("check", "--each-term", "--system", "0", water).returncode, 2, "--system where all are looked at")
    text = run("check", "--help").stdout
    for word in ("--each-term", "--relax", "vdw:I,J,A,B,C", "exit code 3", "0.001 (pairs)"):
        check(word in text, f"--help tells of {word}")


def table(*arguments, code=0):
    """Lines of --each-term by (term, kind)."""
    return {(r["term"], r["kind"]): r for r in run_json("check", "--json", "--each-term", *arguments, code=code)}


def test_each_term(directory):
    for device in DEVICES:
        lines = table("--device", device, *CHARGED, *RESTRAINTS, DEMO)
        wholes = {term for term, kind in lines if kind == "whole"}
        equal(wholes, {"bond", "angle", "torsion", "inversion", "vdw", "coulomb", "restraint"}, f"terms on {device}")
        for (term, kind), line in lines.items():
            equal((line["differ"], line["tolerance"]), (0, 1e-4), f"{term} {kind} on {device}")
            if kind != "whole":
                equal(line["interactions"], line["compared"], f"all of {kind} on {device}")
                check(line["worst"]["where"].count(":") == len(line["worst"]["atoms"]), f"{kind}: where")
    plain = table(DEMO)
    explained = {}
    for row in run_json("energy", "--explain", "--json", DEMO):
        for x in row["interactions"]:
            explained[x["kind"]] = explained.get(x["kind"], 0) + 1
    equal({kind: line["interactions"] for (_, kind), line in plain.items() if kind != "whole"}, explained,
          "as many as --explain shows")
    for path in (POLYMER, write(directory, "crystal.xyz", CRYSTAL), write(directory, "cell.xyz", SLAB)):
        for device in DEVICES:
            lines = table("--device", device, path)
            check(all(line["differ"] == 0 for line in lines.values()), f"{path} on {device}")
            check(lines["vdw", "vdw"]["compared"] > 20, f"{path}: images one by one")
    check(table(write(directory, "crystal.xyz", CRYSTAL))["coulomb", "coulomb"]["compared"] > 0, "lattices of two")
    shown = run("check", "--each-term", DEMO).stdout
    check("all terms agree" in shown and "one by one" in shown, "the table")
    equal(run("check", "--each-term", "--tolerance", "1e-12", DEMO).returncode, 1, "nothing agrees to 1e-12")


def test_broken_terms(directory):
    """The kernels are what is computed with: each broken term is found, and no other is blamed."""
    device = ("--device", "opencl:cpu")
    with kernels():
        equal(run("check", *device, "--each-term", DEMO).returncode, 0, "whole kernels from a folder")
    everything = ("bond", "angle", "torsion", "inversion", "vdw", "coulomb", "surface", "restraint", "ewald")
    with kernels(*everything):
        for what, rest in interactions(directory):
            (row,) = run_json("check", "--json", *device, "--interaction", what, *rest, code=1)
            check(row["differs"], f"{what}: broken and not noticed, {rest}")
    with kernels("torsion"):
        lines = table(*device, DEMO, code=1)
        equal({term for (term, _), line in lines.items() if line["differ"] > 0}, {"torsion"}, "which term is broken")
        equal(lines["torsion", "torsion"]["differ"], lines["torsion", "torsion"]["compared"], "all torsions")
        check("differs" in run("check", *device, "--system", 5, "--interaction", "torsion:3", DEMO).stdout, "the text")
        rows = run_json("check", "--json", *device, "--relax", "--max-steps", "5", DEMO, code=1)
        first = [r["first"] for r in rows if "first" in r]
        check(all(f["term"] == "torsion" for f in first), "and of a relaxation")
        check(sum(f["step"] == 0 for f in first) > 8, "from its first step on")
        equal(run("check", *device, "--system", 5, "--interaction", "bond:3", DEMO).returncode, 0, "a bond is whole")


def test_broken_schedule(directory):
    """Many work-groups per system: what is alone with its atoms does not meet them, what is among all atoms does."""
    waters = [f"{e} {3.1 * a + x:.3f} {3.1 * b + y:.3f} {3.1 * c:.3f}" for a in range(9) for b in range(9) for c in range(8)
              for e, x, y in (("O", 0, 0), ("H", 0.76, 0.58), ("H", -0.76, 0.58))]
    big = write(directory, "big.xyz", f"{len(waters)}\nbig\n" + "\n".join(waters) + "\n")
    device = ("--device", "opencl:cpu", "--terms", "vdw")
    check(all(line["differ"] == 0 for line in table(*device, big).values()), "whole kernels")
    with kernels("large"):
        lines = table(*device, big, code=1)
        equal(lines["vdw", "whole"]["differ"], 1, "the system")
        check(lines["vdw", "vdw"]["differ"] > 0, "its pairs")
        i, j = lines["vdw", "vdw"]["worst"]["atoms"]
        check(lines["vdw", "whole"]["worst"]["atom"] in (i, j), "of the worst atom")
        (row,) = run_json("check", "--json", *device, "--interaction", f"vdw:{i},{j}", big, code=1)
        near(row["verdict"], 0.01, 1e-3, "and how wrong they are")


def test_relax():
    for device in DEVICES:
        for method in ("lbfgs", "fire"):
            rows = run_json("check", "--json", "--relax", "--method", method, "--max-steps", 40, "--device", device, DEMO)
            summary = rows.pop()
            text = f"{method} on {device}"
            equal((summary["systems"], summary["differ"]), (12, 0), text)
            equal(summary["compared"], sum(r["compared"] for r in rows), f"{text}: geometries")
            check(all(r["compared"] == r["steps"] + 1 for r in rows), f"{text}: every step")
            check(0 < summary["max"] < 1e-4, f"{text}: errors")
    done = run("check", "--relax", "-", "--format", "xyz", stdin="2\nargon\nAr 0 0 0\nAr 0 0 0.001\n")
    check(done.returncode == 1 and "largest force error inf" in done.stdout, f"forces beyond float: {done.stdout}")
    rows = run_json("check", "--json", "--relax", "--tolerance", "1e-9", "--max-steps", 3, DEMO, code=1)
    check(all(r["first"]["term"] and r["first"]["step"] == 0 for r in rows[:-1]), "what is first")
    shown = run("check", "--relax", *CHARGED, *RESTRAINTS[:2], CASES / "types.sdf")
    check("systems relaxed on cpu (float)" in shown.stdout, f"the table: {shown.stderr}")


def test_broken_step():
    """Forces are right and the steps are not."""
    with kernels("step"):
        command = ("check", "--json", "--device", "opencl:cpu", "--relax", "--max-steps", "20")
        rows = run_json(*command, "--method", "fire", DEMO, code=1)
        check(all("first" not in r for r in rows), "forces are right")
        parted = [r["parted"]["step"] for r in rows if "parted" in r]
        check(len(parted) > 8 and max(parted) < 8, f"steps are not: {parted}")
        equal(run_json(*command, "--method", "lbfgs", DEMO)[-1]["differ"], 0, "the other method is whole")


def read_npy(path):
    """Rows of a file of NumPy, version 1.0."""
    data = path.read_bytes()
    (size,) = struct.unpack("<H", data[8:10])
    header = ast.literal_eval(data[10:10 + size].decode())
    equal((data[:8], (10 + size) % 64, header["descr"], header["fortran_order"]), (b"\x93NUMPY\1\0", 0, "<f8", False),
          f"header of {path}")
    rows, columns = header["shape"]
    values = struct.unpack(f"<{rows * columns}d", data[10 + size:])
    return [list(values[columns * k:columns * (k + 1)]) for k in range(rows)]


def gathered(fields, forces, n_kinds, text):
    """Slots that atoms gather, and their own of pairs (and k-vectors), are their forces."""
    n, slots = len(forces), fields["slots"]["values"]
    first = len(slots) - (n if n_kinds == 1 else 3 * n)
    sums = [[sum(slots[first + m * n + i][c] for m in range(n_kinds)) for c in range(3)] for i in range(n)]
    for i, slot in fields["gather"]["values"]:
        sums[int(i)] = [a + b for a, b in zip(sums[int(i)], slots[int(slot)])]
    near(max(math.dist(a, b) for a, b in zip(sums, forces)), 0, 1e-4, f"slots and forces of {text}")


def test_dump(directory):
    names = "positions,forces,energies,charges,slots,gather,neighbours"
    for device in DEVICES:
        (row,) = run_json("energy", "--json", "--forces", "--positions", "--device", device, "--precision", "float",
                          POLYMER)
        (dump,) = run_json("check", "--device", device, "--dump", names, POLYMER)
        fields = dump["fields"]
        equal(list(fields), names.split(","), f"fields on {device}")
        equal(fields["forces"]["values"], row["forces"], f"forces on {device}")
        near(max(math.dist(a, b) for a, b in zip(fields["positions"]["values"], row["positions"])), 0, 1e-6, "positions")
        found = dict(zip(fields["energies"]["columns"].split(), fields["energies"]["values"][0]))
        equal((found.pop("sigma_pi"), found.pop("pi_pi")), (0, 0), "energies of directions, which it has not")
        equal(found, row["terms"], "energies")
        if device == "cpu":
            equal((fields["neighbours"]["missing"], "missing" in fields["slots"], "missing" in fields["gather"]),
                  ("this schedule keeps no neighbour list", True, True), "what the cpu does not keep")
            continue
        # Every image within the cut-off, from both sides, where it is.
        (explained,) = run_json("energy", "--json", "--explain", "--terms", "vdw", POLYMER)
        pairs = [(min(x["atoms"]), max(x["atoms"]), round(x["value"], 3)) for x in explained["interactions"]]
        listed = [(min(i, j), max(i, j), round(math.hypot(x, y, z), 3)) for i, j, x, y, z in fields["neighbours"]["values"]]
        check(sorted(2 * pairs) == sorted(listed), f"{len(listed)} neighbours, {len(pairs)} pairs")
        # All forces of the slots are those of the atoms, which sum to nothing.
        n, slots = len(row["forces"]), fields["slots"]["values"]
        total = [sum(abs(s[c]) for s in slots) for c in range(3)]
        near(max(abs(sum(s[c] for s in slots[:-n])) / total[c] for c in range(3)), 0, 1e-5, "forces of terms balance")
        check(len(slots) > 3 * n and min(total) > 1, "slots")
        gathered(fields, row["forces"], 2, "a periodic system")
        folder = pathlib.Path(directory) / "fields"
        (filed,) = run_json("check", "--device", device, "--dump", names, "--dump-to", folder, POLYMER)
        for name, field in filed["fields"].items():
            equal(read_npy(folder / f"{name}.npy"), fields[name]["values"], f"{name}.npy")
            equal(field["file"], f"{folder}/{name}.npy", "its file")
        (small,) = run_json("check", "--device", device, "--system", 1, "--dump", "forces,slots,gather,neighbours", DEMO)
        check(small["fields"]["neighbours"]["missing"], "small systems have no lists")
        gathered(small["fields"], small["fields"]["forces"]["values"], 1, "a small system")
        (bonds,) = run_json("check", "--device", device, "--system", 1, "--terms", "bond", "--dump", "forces,slots", DEMO)
        slots, n = bonds["fields"]["slots"]["values"], len(bonds["fields"]["forces"]["values"])
        check(sum(any(s[:3]) for s in slots) % 2 == 0 and not any(any(s) for s in slots[-n:]), "slots of bonds alone, two each")
    for wrong in (("--dump", "frob", DEMO), ("--dump", "forces", "--system", 99, DEMO), ("--dump-to", directory, DEMO),
                  ("--dump", "forces", "--relax", DEMO), ("--dump", "forces", write(directory, "rf.xyz", UNTYPED))):
        equal(run("check", *wrong).returncode, 2, f"exit code of {wrong}")
    equal(run("check", "--dump", "forces", "--dump-to", f"{write(directory, 'file', 'x')}/in", DEMO).returncode, 4, "no folder")


def test_explain(directory):
    rows = run_json("energy", "--explain", "--json", *CHARGED, DEMO)
    equal(len(rows), 12, "a line for every system")
    for row in rows:
        sums = dict.fromkeys(row["terms"], 0.0)
        for x in row["interactions"]:
            sums[x["term"]] += x["energy"]
        for term, energy in row["terms"].items():
            near(sums[term], energy, 1e-9 * (1 + abs(energy)), f"{row['name']}: {term}")
    bond = next(x for x in rows[0]["interactions"] if x["term"] == "bond")
    equal(list(bond), ["term", "kind", "index", "atoms", "types", "parameters", "value", "unit", "energy"], "keys")
    equal((list(bond["parameters"]), bond["unit"]), (["k", "r0", "order"], "A"), "of a bond")
    (row,) = run_json("energy", "--explain", "--json", POLYMER)
    check(any("shifts" in x and len(x["shifts"]) == len(x["atoms"]) for x in row["interactions"]), "images")
    row, heavy = run_json("energy", "--explain", "--json", write(directory, "two.xyz", WATER + UNTYPED), code=1)
    check("interactions" in row and "interactions" not in heavy, "nothing to explain")


def main():
    with tempfile.TemporaryDirectory() as directory:
        test_refusals(directory)
        test_interactions(directory)
        test_each_term(directory)
        test_relax()
        test_explain(directory)
        test_dump(directory)
        if "opencl:cpu" in DEVICES:
            test_broken_terms(directory)
            test_broken_schedule(directory)
            test_broken_step()
    finish()


main()
