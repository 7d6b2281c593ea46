# SPDX-License-Identifier: BSD-3-Clause
# Periodic systems from files: charged chains, net charges of crystals, the tail of van der Waals sums.
import math
import tempfile

from program import check, energies, equal, finish, near, run, run_json, write

KC = 14.3996454784255  # eV angstrom / e^2


def atoms(cell, pbc, rows):
    head = f'Lattice="{cell}" Properties=species:S:1:pos:R:3:charge:R:1 pbc="{pbc}"'
    return "\n".join([str(len(rows)), head] + rows) + "\n"


def line(edge, charges):
    step = edge / len(charges)
    rows = [f"Ar 0 {k * step} 0 {q}" for k, q in enumerate(charges)]
    return atoms(f"9 0 0 0 {edge} 0 0 0 9", "F T F", rows)


def crystal(first, second):
    return atoms("7 0 0 0 7 0 0 0 7", "T T T", [f"Ar 0 0 0 {first}", f"Ar 3.5 3.5 3.5 {second}"])


def test_chains(directory):
    path = write(directory, "chains.xyz", line(8, [1, -1]) + line(24, [1, -1] * 3) + line(8, [1, 0]))
    for device in ("ref", "cpu"):
        rows = run_json("energy", "--json", "--device", device, path, code=1)
        equal([r["status"] for r in rows], ["ok", "ok", "untyped"], "statuses")
        near(rows[0]["terms"]["coulomb"], -2 * math.log(2) * KC / 4, 1e-9, "alternating charges")
        near(rows[1]["terms"]["coulomb"], -6 * math.log(2) * KC / 4, 3e-9, "three cells of them")
        check("a chain with a net charge" in rows[2]["reason"], "why it is refused")
    path = write(directory, "one.xyz", line(8, [1, -1]))
    equal(run("check", "--device", "cpu", path).returncode, 0, "ref and cpu agree")


def test_net_charge(directory):
    path = write(directory, "crystals.xyz", crystal(0.4, 0.6) + crystal(0.5, -0.5))
    text = "net charge +1.000 e: neutralised by a uniform background"
    for command in ("energy", "relax"):
        rows = run_json(command, "--json", path)
        equal([r.get("warning", "") for r in rows], [text, ""], f"warnings of {command}")
        check(text in run(command, path).stdout, f"the table of {command}")
    rows = energies("--charges", "none", path)
    equal([r.get("warning", "") for r in rows], ["", ""], "without charges")


def test_tail(directory):
    path = write(directory, "both.xyz", crystal(0, 0) + line(8, [0, 0]))
    plain, tail = energies(path), energies("--vdw-tail", path)
    equal(tail[1]["energy"], plain[1]["energy"], "a chain has no tail")
    check(tail[0]["terms"]["vdw"] < plain[0]["terms"]["vdw"] - 1e-4, "a crystal has one")
    near(tail[0]["energy"] - plain[0]["energy"],
         tail[0]["terms"]["vdw"] - plain[0]["terms"]["vdw"], 1e-12, "in the vdw term")
    far = energies("--vdw-cutoff", "60", path)[0]["energy"]
    check(abs(tail[0]["energy"] - far) < 0.5 * abs(plain[0]["energy"] - far), "nearer to the sum")
    off = energies("--vdw-tail", "--terms", "bond", path)
    equal(off[0]["terms"]["vdw"], 0, "with vdw off there is none")


def test_mesh(directory):
    path = write(directory, "both.xyz", crystal(1, -1) + line(8, [1, -1]))
    plain, mesh = (energies("--device", "cpu", "--ewald", sum, path) for sum in ("plain", "mesh"))
    near(mesh[0]["terms"]["coulomb"], plain[0]["terms"]["coulomb"], 1e-9, "a crystal")
    equal(mesh[1]["energy"], plain[1]["energy"], "a chain has no mesh")
    equal([r.get("coulomb_sum") for r in plain + mesh], [None, None, "mesh", None], "and says so")
    text = "its Coulomb sum is plain: a mesh needs a system that is periodic in three directions"
    equal([r.get("warning", "") for r in mesh], ["", text], "and says so")
    rough = energies("--device", "cpu", "--ewald", "mesh", "--ewald-tolerance", "1e-3",
                     path)[0]["terms"]["coulomb"]
    near(rough / plain[0]["terms"]["coulomb"], 1, 1e-3, "a large tolerance")
    check(rough != plain[0]["terms"]["coulomb"], "is taken at its word")
    equal(run("energy", "--ewald-tolerance", "0", path).returncode, 2, "none at all")
    if run("energy", "--device", "opencl:cpu", path).returncode != 3:
        there = energies("--device", "opencl:cpu", "--precision", "double", "--ewald", "mesh", path)
        near(there[0]["terms"]["coulomb"], mesh[0]["terms"]["coulomb"], 1e-11, "the same mesh elsewhere")
        equal([r.get("coulomb_sum") for r in there], ["mesh", None], "which rows say")
        equal([r.get("warning", "") for r in there], ["", text], "and what has none")


with tempfile.TemporaryDirectory() as scratch:
    test_chains(scratch)
    test_net_charge(scratch)
    test_tail(scratch)
    test_mesh(scratch)
finish()
