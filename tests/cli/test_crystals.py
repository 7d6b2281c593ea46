# SPDX-License-Identifier: BSD-3-Clause
# Crystals from and to CIF, POSCAR and PDB: what is read is the same in all of them, and the same as from extended xyz.
import hashlib
import json
import math
import pathlib

from program import CASES, check, equal, run, run_each, run_json, write

QUARTZ = CASES / "quartz.cif"
CELL = "".join(f"_cell_{k}\n" for k in ("length_a 6", "length_b 6", "length_c 6", "angle_alpha 90", "angle_beta 90", "angle_gamma 90"))
SITES = "loop_\n_atom_site_label\n_atom_site_fract_x\n_atom_site_fract_y\n_atom_site_fract_z\n_atom_site_occupancy\n"
HALVES = f"data_halves\n{CELL}{SITES}Ar1 0 0 0 1\nKr1 0.5 0.5 0.5 0.6\nXe1 0.5 0.5 0.52 0.4\n"


def energy(*arguments):
    (row,) = run_json("energy", "-q", "--json", "--charges", "none", *arguments)
    equal(row["status"], "ok", f"{arguments}: {row.get('reason')}")
    return row["energy"]


def check_formats(directory):
    """Written in every format and read again, by name, the energy is that of the first."""
    wanted = energy(QUARTZ)
    check(math.isfinite(wanted), "an energy")
    for name, tolerance in (("q.cif", 1e-9), ("q.vasp", 1e-9), ("q.poscar", 1e-9), ("q.xyz", 1e-9), ("q.pdb", 0.1), ("q.cif.gz", 1e-9)):
        path = pathlib.Path(directory) / name
        equal(run("convert", "-q", QUARTZ, "-o", path).returncode, 0, f"{name} is written")
        check(abs(energy(path) - wanted) < tolerance, f"{name}: the same energy, {energy(path)} for {wanted}")


def check_content(directory):
    """Names that tell nothing: the first lines do; POSCAR is a name."""
    wanted = energy(QUARTZ)
    for name in ("q.vasp", "q.pdb", "q.cif", "q.mol2"):
        source = QUARTZ
        if name == "q.mol2":
            source = write(directory, "water.xyz", "3\nwater\nO 0 0 0.1\nH 0 0.7572 -0.5\nH 0 -0.7572 -0.5\n")
        path = pathlib.Path(directory) / name
        equal(run("convert", "-q", source, "-o", path).returncode, 0, f"{name} is written")
        for other in ("unnamed", "POSCAR_3" if name == "q.vasp" else "a.dat"):
            renamed = pathlib.Path(directory) / other
            renamed.write_bytes(path.read_bytes())
            found = energy(renamed)
            check(name == "q.mol2" or abs(found - wanted) < 0.1, f"{name} as {other}")
    done = run("energy", write(directory, "text.dat", "nothing\nthat is known\n"))
    equal(done.returncode, 2, "no format")
    check("does not tell a format" in done.stderr, done.stderr)


def check_disorder(directory):
    path = write(directory, "halves.cif", HALVES)
    (row,) = run_json("energy", "-q", "--json", path, code=1)
    equal(row["status"], "unreadable", "disorder is refused")
    check("disordered" in row["reason"] and ":15:" in row["reason"], row["reason"])
    (row,) = run_json("energy", "-q", "--json", "--major-part", path)
    equal((row["natoms"], row["status"]), (2, "ok"), "the major part")


def check_limits(directory):
    """Reasons name the limit that was passed."""
    for text, told in ((HALVES.replace("_length_a 6", "_length_a 1000000"), "between 0 and 100000 for _cell_length_a"),
                       (HALVES.replace("_alpha 90", "_alpha 180"), "between 0 and 180 for _cell_angle_alpha"),
                       (HALVES.replace("_length_b 6", "_length_b -6"), "between 0 and 100000 for _cell_length_b"),
                       (HALVES.replace("_cell_length_b 6", "_cell_length_b 6\n_cell_length_a 7"), "('7'), expected one value of _cell_length_a"),
                       (HALVES.replace("_fract_z\n", "_fract_z\n_atom_site_fract_x\n"), "the same column twice ('_atom_site_fract_x')"),
                       (HALVES.replace("0 0 0 1", "0 0 0 2"), "bad occupancy ('2'), expected 0 to 1")):
        check(text != HALVES, "another text")
        (row,) = run_json("energy", "-q", "--json", "--major-part", write(directory, "odd.cif", text), code=1)
        check(row["status"] == "unreadable" and told in row["reason"], f"{told}: {row['reason']}")
    charged = SITES + "_atom_site_charge\n_atom_site_partial_charge\n"
    named = write(directory, "named.cif", f"data_named\n{CELL}{charged}Ar1 0 0 0 1 0.5 0.5\nKr1 0.5 0.5 0.5 1 -0.5 -0.5\n")
    (row,) = run_json("energy", "-q", "--json", named)
    equal(row["status"], "ok", "an item under two of its names")
    full = HALVES.replace("0 0 0 1\n", "0 0 0 1.02(3)\n")
    (row,) = run_json("energy", "-q", "--json", "--major-part", write(directory, "full.cif", full))
    equal(row["natoms"], 2, "an occupancy above 1 by its uncertainty")


def check_one(directory):
    """A POSCAR has room for one."""
    path = pathlib.Path(directory) / "two.vasp"
    done = run("convert", "-q", QUARTZ, QUARTZ, "-o", path)
    check(done.returncode != 0 and "one structure" in done.stderr, f"two into a POSCAR: {done.stderr}")
    done = run("convert", "-q", QUARTZ, QUARTZ, "-o", path.with_suffix(".cif"))
    equal(done.returncode, 0, "two into a CIF")
    equal(len(run_json("energy", "-q", "--json", path.with_suffix(".cif"))), 2, "two blocks")


WET = f"""data_wet
{CELL.replace("_a 6", "_a 2.51").replace("_b 6", "_b 12").replace("_c 6", "_c 12")}{SITES}C1 0 0 0 1
H1 0 0.073 -0.052 1
H2 0 -0.073 -0.052 1
C2 0.5 0 0.07 1
H3 0.5 0.073 0.122 1
H4 0.5 -0.073 0.122 1
O1 0.5 0.5 0.5 1
H5 0.8 0.5 0.55 1
H6 0.2 0.5 0.55 1
"""


def check_solvent(directory):
    """A chain of polyethylene with water beside it, and quartz, of which nothing is left out."""
    path = write(directory, "wet.cif", WET)
    (row,) = run_json("energy", "-q", "--json", path)
    equal((row["natoms"], row["status"]), (9, "ok"), "with water")
    out = pathlib.Path(directory) / "dry.xyz"
    (row,) = run_json("energy", "-q", "--json", "--drop-solvent", path, "-o", out)
    equal((row["natoms"], row["status"]), (6, "ok"), "without")
    check('dropped="1 H2O"' in out.read_text(), f"what was dropped: {out.read_text().splitlines()[1]}")
    (row,) = run_json("energy", "-q", "--json", "--drop-solvent", QUARTZ)
    equal(row["natoms"], 9, "nothing to drop")


GROUPS = SITES.replace("_occupancy\n", "_occupancy\n_atom_site_disorder_group\n")


def check_alternatives(directory):
    """Parts of several assemblies without names are refused, a guest that is mostly absent is left out."""
    groups = "".join(f"{label} {x} 0.5 0.5 {share} {group}\n" for label, x, share, group in
                     (("Ar1", 0.0, 0.7, 1), ("Ar2", 0.02, 0.3, 2), ("Ne3", 0.5, 0.6, 3), ("Ne4", 0.52, 0.4, 4)))
    path = write(directory, "parts.cif", f"data_parts\n{CELL}{GROUPS}{groups}")
    (row,) = run_json("energy", "-q", "--json", "--major-part", path, code=1)
    check("told apart" in row["reason"], row["reason"])
    path = write(directory, "guest.cif", f"data_guest\n{CELL}{GROUPS}Ar1 0 0 0 1 0\nNe2 0.5 0.5 0.5 0.2 1\n")
    (row,) = run_json("energy", "-q", "--json", "--major-part", path)
    equal(row["natoms"], 1, "a fifth of a guest")


def check_group_of_cell(directory):
    """Operations have to leave lengths and angles as they are."""
    for name, angle, good in (("P 21", 90, True), ("P 21", 110, False), ("P 1 1 21", 110, True), ("P 6", 90, False)):
        cell = CELL.replace("gamma 90", f"gamma {angle}")
        path = write(directory, "turned.cif", f"data_t\n{cell}_symmetry_space_group_name_H-M '{name}'\n{SITES}Ar1 0.1 0.2 0.3 1\n")
        (row,) = run_json("energy", "-q", "--json", path, code=0 if good else 1)
        check(good or "space group" in row["reason"], f"{name}, gamma {angle}: {row}")


def atom(x, place=" ", share=1.0):
    return f"ATOM      1  O  {place}HOH A   1    {x:8.3f}   0.000   0.000{share:6.2f}  0.00           O\n"


def check_pdb(directory):
    """Models are records however they end; an alternative of no occupancy is not chosen."""
    for text, n in ((f"MODEL        1\n{atom(0)}MODEL        2\n{atom(0.1)}END\n", 2),
                    (f"{atom(0)}ENDMDL 1\n{atom(0.1)}ENDMDL 2\n", 2), (f"{atom(0)}END\n", 1)):
        rows = run_json("energy", "-q", "--json", write(directory, "models.pdb", text))
        equal([row["natoms"] for row in rows], [1] * n, f"models of {text}")
    path = write(directory, "none.pdb", atom(0, "A", 0.0) + atom(3, "B", 1.0) + "END\n")
    (row,) = run_json("energy", "-q", "--json", "--major-part", "--positions", path)
    equal(row["positions"], [[3, 0, 0]], "the alternative that is there")
    left = write(directory, "left.xyz", '1\nLattice="9 0 0 0 9 0 0 0 -9" pbc="T T T"\nAr 0 0 0\n')
    for name in ("left.cif", "left.pdb"):
        done = run("convert", "-q", left, "-o", pathlib.Path(directory) / name)
        check(done.returncode != 0 and "right-handed" in done.stderr, f"{name}: {done.stderr}")
    ring = pathlib.Path(directory) / "ring.pdb"
    equal(run("convert", "-q", write(directory, "ring.mol2", RING), "-o", ring).returncode, 0, "aromatic bonds as PDB")
    conect = [line for line in ring.read_text().splitlines() if line.startswith("CONECT")]
    check(conect and all(len(line.split()) == 3 for line in conect), "one open order leaves all open")


RING = "@<TRIPOS>MOLECULE\nx\n3 2\nSMALL\nNO_CHARGES\n@<TRIPOS>ATOM\n" \
       "1 C1 0 0 0 C.ar\n2 C2 1.4 0 0 C.ar\n3 O3 -1.2 0 0 O.2\n@<TRIPOS>BOND\n1 1 2 ar\n2 1 3 2\n"


def check_cell_options(directory):
    done = run("relax", "--cell", "shape", "--pressure", "1", QUARTZ)
    check(done.returncode == 2 and "the volume stays" in done.stderr, f"shape under pressure: {done.stderr}")
    done = run("relax", "--cell", "full", "--restrain", "position:0=5", "--restrain", "position:3=5", QUARTZ)
    check(done.returncode != 0 and "held at" in done.stderr, f"places in a moving cell: {done.stderr}")


def check_energies(directory):
    """Before: as read; after: of the cell that came out."""
    path = pathlib.Path(directory) / "relaxed.xyz"
    (row,) = run_json("relax", "-q", "--json", "--charges", "none", "--cell", "full", "--precision", "double", QUARTZ, "-o", path)
    check(abs(row["energy0"] - energy(QUARTZ)) < 1e-9, f"before: {row['energy0']}, {energy(QUARTZ)}")
    check(abs(row["energy"] - energy(path)) < 1e-6 and row["energy"] < row["energy0"] - 1e-3, f"after: {row['energy']}, {energy(path)}")


def check_cell_steps(directory):
    """Frameworks take no more than twice the evaluations of their atoms alone; forces get smaller than asked for where a stress needs that."""
    for name in ("mof-5.cif", "cu-btc.cif"):
        command = ("relax", "-q", "--json", "--forcefield", "uff4mof", "--charges", "none", "--fmax", "0.01", CASES / name)
        (alone,), (both,) = run_json(*command), run_json(*command, "--cell", "full")
        equal(both["status"], "converged", f"{name}: {both.get('reason')}")
        check(both["steps"] <= 2 * alone["steps"], f"{name}: {both['steps']} evaluations, {alone['steps']} of atoms alone")
    (row,) = run_json("relax", "-q", "--json", "--charges", "none", "--cell", "full", "--fmax", "0.1", "--stress", "1e-4", QUARTZ)
    check(row["status"] == "converged" and row["fmax"] < 0.01, f"forces of {row['fmax']} under a small stress")


def check_pressure(directory):
    """A positive pressure compresses, a negative one pulls, as long as the crystal stands it; the stress is the opposite."""
    argon = "4\nLattice=\"5.3 0 0 0 5.3 0 0 0 5.3\" pbc=\"T T T\"\nAr 0 0 0\nAr 2.65 2.65 0\nAr 2.65 0 2.65\nAr 0 2.65 2.65\n"
    path = write(directory, "argon.xyz", argon)
    volumes = []
    for pressure in (5, 1, 0, -0.1):
        (row,) = run_json("relax", "-q", "--json", "--charges", "none", "--cell", "full", "--pressure", pressure, path)
        equal(row["status"], "converged", f"{pressure} GPa: {row.get('reason')}")
        check(all(abs(s + pressure) < 0.011 for s in row["stress_gpa"][:3]), f"{pressure} GPa: {row['stress_gpa']}")
        volumes.append(row["volume"])
    check(volumes == sorted(volumes), f"volumes: {volumes}")
    (row,) = run_json("relax", "-q", "--json", "--charges", "none", "--cell", "full", "--pressure", "-1", path, code=1)
    equal(row["status"], "unstable", "beyond what it stands")
    check("more than 10 times its size" in row["reason"], row["reason"])


def inverse(m):
    """By Gauss and Jordan."""
    n = len(m)
    rows = [list(row) + [float(i == k) for k in range(n)] for i, row in enumerate(m)]
    for i in range(n):
        best = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[best] = rows[best], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for k in range(n):
            if k != i:
                rows[k] = [a - rows[k][i] * b for a, b in zip(rows[k], rows[i])]
    return [row[n:] for row in rows]


def check_moduli(elastic, c):
    """Of powders by Voigt, Reuss and Hill (Proc. Phys. Soc. A 65 (1952) 349); eigenvalues by the trace of powers of the matrix."""
    s = inverse(c)
    diagonal, across, shears = (lambda m: m[0][0] + m[1][1] + m[2][2]), (lambda m: m[0][1] + m[0][2] + m[1][2]), (lambda m: m[3][3] + m[4][4] + m[5][5])
    bulk = (diagonal(c) + 2 * across(c)) / 9, 1 / (diagonal(s) + 2 * across(s))
    shear = (diagonal(c) - across(c) + 3 * shears(c)) / 15, 15 / (4 * diagonal(s) - 4 * across(s) + 3 * shears(s))
    for key, want in (("bulk_voigt", bulk[0]), ("bulk_reuss", bulk[1]), ("bulk_modulus", sum(bulk) / 2), ("shear_voigt", shear[0]),
                      ("shear_reuss", shear[1]), ("shear_modulus", sum(shear) / 2)):
        check(abs(elastic[f"{key}_gpa"] - want) < 1e-6 * abs(want), f"{key}: {elastic[f'{key}_gpa']}, expected {want}")
    weight = [1, 1, 1] + 3 * [math.sqrt(2)]
    m = [[weight[i] * weight[k] * c[i][k] for k in range(6)] for i in range(6)]
    values = elastic["eigenvalues_gpa"]
    check(values == sorted(values) and abs(sum(values) - sum(m[i][i] for i in range(6))) < 1e-6, f"trace: {values}")
    squares = sum(m[i][k] * m[k][i] for i in range(6) for k in range(6))
    check(abs(sum(v * v for v in values) - squares) < 1e-6 * squares, f"trace of the square: {values}")


def check_elastic(directory):
    """Constants of quartz: trigonal, whole in JSON and in the table; a molecule has none, and says so."""
    command = ("relax", "-q", "--charges", "none", "--cell", "full", "--fmax", "1e-4", "--stress", "1e-3", "--elastic")
    (row,) = run_json(*command, "--json", QUARTZ)
    elastic = row["elastic"]
    c = elastic["stiffness_gpa"]
    near = 0.02 * c[0][0]
    check(elastic["stable"] and elastic["asymmetry_gpa"] < near, f"quartz is stable: {elastic}")
    for a, b in ((c[0][0], c[1][1]), (c[3][3], c[4][4]), (c[0][2], c[1][2]), (c[5][5], (c[0][0] - c[0][1]) / 2), (c[0][3], -c[1][3])):
        check(abs(a - b) < near, f"constants of a trigonal crystal: {a} and {b} of {c}")
    check(all(c[i][k] == c[k][i] for i in range(6) for k in range(6)), "symmetric")
    check_moduli(elastic, c)
    check(elastic["bulk_reuss_gpa"] <= elastic["bulk_modulus_gpa"] <= elastic["bulk_voigt_gpa"], f"bounds: {elastic}")
    table = run(*command, QUARTZ).stdout
    check("bulk/GPa" in table and f"{elastic['bulk_modulus_gpa']:.3f}" in table and " stable" in table, table)
    water = write(directory, "water.xyz", "3\nwater\nO 0 0 0.1\nH 0 0.7572 -0.5\nH 0 -0.7572 -0.5\n")
    (row,) = run_json("relax", "-q", "--json", "--elastic", water)
    check("elastic" not in row and "three directions" in row["warning"], f"a molecule: {row}")
    layer = write(directory, "layer.xyz", '3\nLattice="9 0 0 0 9 0 0 0 9" pbc="T T F"\nO 0 0 0.1\nH 0 0.7572 -0.5\nH 0 -0.7572 -0.5\n')
    (row,) = run_json("relax", "-q", "--json", "--elastic", layer)
    check("elastic" not in row and "three directions" in row["warning"], f"what repeats in two directions: {row}")
    (row,) = run_json("relax", "-q", "--json", "--elastic", "--max-steps", "1", QUARTZ, code=1)
    check("elastic" not in row and "not converged" in row["warning"], f"too few steps: {row}")


def certificates(directory, *arguments, code=0):
    path = pathlib.Path(directory) / "certificate.jsonl"
    done = run("relax", "-q", "--certificate", path, *arguments)
    equal(done.returncode, code, f"{arguments}: {done.stderr}")
    return [json.loads(line) for line in path.read_text().splitlines()]


def check_certificate(directory):
    """What was made of a crystal, and what is wrong: with bonds that break, too few steps, files that are none."""
    (c,) = certificates(directory, "--charges", "none", "--cell", "full", "--fmax", "0.01", "--pressure", "0.5", QUARTZ)
    equal((c["verdict"], c["reasons"], c["status"]), ("pass", [], "converged"), "quartz")
    equal(c["input_sha256"], hashlib.sha256(QUARTZ.read_bytes()).hexdigest(), "hash of the input")
    equal((sum(c["types"].values()), c["natoms"], len(c["types"])), (9, 9, 2), "types")
    equal((c["bonds"]["before"], c["bonds"]["after"], c["bonds"]["broken"], c["bonds"]["made"]), (12, 12, 0, 0), "bonds")
    equal((c["forcefield"], c["charges_from"], c["formal_charge"]), ("uff", "none", 0), "how")
    check(c["cell_relaxed"] and abs(c["volume_change"] - (c["volume"] / c["volume0"] - 1)) < 1e-12 and c["volume"] != c["volume0"], f"volumes: {c}")
    check(c["fmax"] <= c["fmax_wanted"] == 0.01 and max(abs(s + 0.5) for s in c["stress_gpa"][:3]) <= c["stress_wanted_gpa"], f"what is left: {c}")
    near = c["shortest_contacts"]
    equal(len(near), 3, "contacts")
    check(0.5 < near[0]["of_vdw"] <= near[1]["of_vdw"] <= near[2]["of_vdw"] < 1, f"contacts in order: {near}")
    (c,) = certificates(directory, "--charges", "none", "--max-steps", "1", QUARTZ, code=1)
    check(c["verdict"] == "fail" and c["reasons"][0].startswith("max_steps") and not c["cell_relaxed"], f"one step: {c}")
    equal(c["volume"], c["volume0"], "a cell that stays")
    pulled = ("--restrain", "distance:0,1=2.5,500", "--fmax", "0.01")
    water = write(directory, "water.xyz", "3\nwater\nO 0 0 0.1\nH 0 0.7572 -0.5\nH 0 -0.7572 -0.5\n")
    (c,) = certificates(directory, *pulled, water)
    equal((c["verdict"], c["bonds"]["broken"], c["bonds"]["broken_between"]), ("fail", 1, [[0, 1]]), f"a bond is pulled apart: {c}")
    check("volume" not in c and any("broken" in reason for reason in c["reasons"]), f"a molecule: {c}")
    (c,) = certificates(directory, water)
    equal(c["fmax_wanted"], 0.001, "the limit of forces, where none is given")
    pair = "2\nunlike\nAr 0 0 0\nKr {} 0 0\n"
    (c,) = certificates(directory, write(directory, "pair.xyz", pair.format(4)))
    (near,) = c["shortest_contacts"]
    check(abs(near["of_vdw"] - near["distance"] / (0.5 * (3.868 + 4.141))) < 1e-6, f"of the mean of both: {near}")
    crowd = "4\ncrowd\nH 0 0 0\nH 0.74 0 0\nH 1.94 0 0\nH 2.68 0 0\n"
    (c,) = certificates(directory, "--fix", "element:H", write(directory, "crowd.xyz", crowd))
    equal((c["verdict"], c["reasons"]), ("fail", ["atoms 1 and 2 are 1.20 A apart"]), "molecules that are too near")
    wet = write(directory, "wet.cif", WET)
    (c,) = certificates(directory, "--drop-solvent", "--fmax", "0.01", wet)
    equal((c["dropped"], c["natoms"]), ("1 H2O", 6), "what was dropped")
    (c,) = certificates(directory, write(directory, "cut.cif", "data_cut\n_cell_length_a 3\n"), code=1)
    check(c["verdict"] == "fail" and c["status"] == "unreadable", f"not readable: {c}")


MIXED = [("Ar", 0.3, 0.2, 0.1), ("Kr", 3.4, 0.4, 0.2), ("Xe", 0.2, 3.9, 7.6), ("Ne", 6.4, 3.6, 4.4), ("O", 3.5, 3.6, 4.0), ("H", 4.2, 4.2, 4.1), ("H", 2.8, 4.2, 3.9)]
VDW = {"Ar": 3.868, "Kr": 4.141, "Xe": 4.404, "Ne": 3.243, "O": 3.5, "H": 2.886}
EDGES = (7.0, 7.5, 8.0)


def contacts_of(atoms):
    """Pairs of strangers by their nearest images, as parts of the mean of both vdW distances, the nearest first."""
    found = []
    for j, b in enumerate(atoms):
        for i, a in enumerate(atoms[:j]):
            if {a[0], b[0]} <= {"O", "H"}:
                continue
            r = min(math.dist([a[1 + c] + n[c] * EDGES[c] for c in range(3)], b[1:]) for n in
                    [(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)])
            found.append((r / (0.5 * (VDW[a[0]] + VDW[b[0]])), r, [i, j]))
    return sorted(found)


def check_witness(directory):
    """Numbers of a certificate, each worked out once more: contacts across cells, charges, types, pressures and volumes."""
    lines = "".join(f"{e} {x} {y} {z} {q}\n" for (e, x, y, z), q in zip(MIXED, (0.1, -0.2, 0.3, 0, -0.8, 0.4, 0.4)))
    path = write(directory, "mixed.xyz", f'7\nLattice="7 0 0 0 7.5 0 0 0 8" pbc="T T T" Properties=species:S:1:pos:R:3:charge:R:1\n{lines}')
    (c,) = certificates(directory, "--max-steps", "1", "--type", "4=O_3", path, code=1)
    want = contacts_of(MIXED)
    for found, (share, r, atoms) in zip(c["shortest_contacts"], want):
        equal((found["atoms"], found["first"], found["second"]), (atoms, MIXED[atoms[0]][0], MIXED[atoms[1]][0]), "which atoms")
        check(abs(found["of_vdw"] - share) < 1e-6 and abs(found["distance"] - r) < 1e-6, f"{found}, expected {share}, {r}")
    equal(len(c["shortest_contacts"]), 3, "three of them")
    check(abs(c["net_charge"] - 0.2) < 1e-6, f"charges add up: {c['net_charge']}")
    equal(c["types"], {"Ar4+4": 1, "H_": 2, "Kr4+4": 1, "Ne4+4": 1, "O_3": 1, "Xe4+4": 1}, "how many atoms of each type")
    equal(c["types_given"], 1, "types that were given")
    # Just within and just beyond half of the distance of lowest energy.
    for share, verdict in ((0.499, "fail"), (0.501, "pass")):
        x = [0, 0.74, 0.74 + share * 2.886, 1.48 + share * 2.886]
        close = write(directory, "close.xyz", "4\n\n" + "".join(f"H {v} 0 0\n" for v in x))
        (c,) = certificates(directory, "--fix", "all", close)
        equal((c["verdict"], c["status"]), (verdict, "converged"), f"{share} of the distance")
    command = ("--charges", "none", "--cell", "full", "--fmax", "0.02", "--pressure", "0.7", "--stress", "0.03", QUARTZ)
    (c,) = certificates(directory, *command)
    (row,) = run_json("relax", "-q", "--json", *command)
    gpa = 160.21766340
    for got, want in zip(c["stress_gpa"], row["stress"]):
        check(abs(got - want * gpa) < 1e-6, f"stress in GPa: {got}, {want} eV/A^3")
    check(abs(c["pressure_gpa"] - 0.7) < 1e-9 and abs(c["stress_wanted_gpa"] - 0.03) < 1e-9, f"{c['pressure_gpa']}, {c['stress_wanted_gpa']}")
    volume = 4.9137 ** 2 * 5.4047 * math.sqrt(3) / 2
    check(abs(c["volume0"] / volume - 1) < 0.01 and c["volume0"] != c["volume"], f"volume of quartz: {c['volume0']}, {volume}")
    a, b, d = row["cell"]
    now = a[0] * (b[1] * d[2] - b[2] * d[1]) - a[1] * (b[0] * d[2] - b[2] * d[0]) + a[2] * (b[0] * d[1] - b[1] * d[0])
    check(abs(c["volume"] - now) < 1e-6 and abs(c["volume_change"] - (now / c["volume0"] - 1)) < 1e-7, f"volume: {c['volume']}, {now}")
    for key in ("energy", "energy0", "fmax", "steps"):
        equal(c[key], row[key], key)
    # Argon atoms that are pressed together become nothing that is bonded; hydrogen atoms do.
    made = write(directory, "made.sdf", TWO)
    (c,) = certificates(directory, "--restrain", "distance:0,1=0.76,50000", made)
    equal((c["bonds"]["broken"], c["bonds"]["made"], c["bonds"].get("made_between"), c["verdict"]), (0, 1, [[0, 1]], "fail"), f"a bond is made: {c['bonds']}")
    check("bonds were made: 1" in c["reasons"], f"{c['reasons']}")


# Two hydrogen atoms without a bond.
TWO = "\n\n\n  2  0  0  0  0  0  0  0  0  0999 V2000\n" + "".join(
    f"    {x:.4f}    0.0000    0.0000 H   0  0  0  0  0  0  0  0  0  0  0  0\n" for x in (0, 1.5)) + "M  END\n$$$$\n"


def ethane(shift=0.0):
    """Eclipsed, in a box whose mirrors keep it so, one hydrogen off its place."""
    lines = ["8", 'Lattice="12 0 0 0 11 0 0 0 13" pbc="T T T"']
    for sign in (1, -1):
        lines.append(f"C 6 5 {6.5 + 0.77 * sign}")
        for k in range(3):
            a = 2 * math.pi * k / 3
            x, y = 6 + 1.02 * math.cos(a), 5 + 1.02 * math.sin(a)
            lines.append(f"H {x} {y + (shift if sign > 0 and k == 0 else 0)} {6.5 + 1.16 * sign}")
    return "\n".join(lines) + "\n"


def check_symmetry(directory):
    """Quartz stays trigonal; eclipsed ethane stays so where its mirrors are kept, and turns where they are not; what lacks its symmetry is said."""
    (row,) = run_json("relax", "-q", "--json", "--charges", "none", "--cell", "full", "--keep-symmetry", QUARTZ)
    equal((row["status"], row["symmetry"]["operations"]), ("converged", 6), f"quartz: {row}")
    a, b, c = row["cell"]
    long = math.hypot(*a)
    check(abs(math.hypot(*b) - long) < 1e-9 and abs(sum(x * y for x, y in zip(a, b)) + long * long / 2) < 1e-8, f"a hexagonal cell: {row['cell']}")
    check(abs(c[0]) + abs(c[1]) < 1e-9 and abs(row["stress"][0] - row["stress"][1]) < 1e-9, f"and stress: {row['stress']}")
    path = write(directory, "ethane.xyz", ethane(0.004))
    tight = ("relax", "-q", "--json", "--precision", "double", "--fmax", "1e-6")
    (kept,) = run_json(*tight, "--keep-symmetry", path)
    (free,) = run_json(*tight, path)
    equal((kept["status"], free["status"], kept["symmetry"]["operations"]), ("converged", "converged", 4), "mirrors")
    check(kept["energy"] > free["energy"] + 0.05 and "symmetry" not in free, f"eclipsed and staggered: {kept['energy']} and {free['energy']}")
    check(0.001 < kept["symmetry"]["moved"] < 0.004, f"back to its place: {kept['symmetry']}")
    (cell,) = run_json("relax", "-q", "--json", "--keep-symmetry", "--cell", "shape", "--precision", "double", path)
    flat = [abs(cell["cell"][i][k]) for i in range(3) for k in range(3) if i != k]
    check(max(flat) < 1e-12, f"mirrors leave right angles: {cell['cell']}")
    two = write(directory, "two.xyz", '2\nLattice="4.5 0 0 0 4.5 0 0 0 4.5" pbc="T T T"\nS 0 0 0\nS 2.25 2.25 2.25\n')
    (alike,) = run_json("relax", "-q", "--json", "--keep-symmetry", two)
    (unlike,) = run_json("relax", "-q", "--json", "--keep-symmetry", "--type", "0=S_3+6", two)
    equal(alike["symmetry"]["operations"], 2 * unlike["symmetry"]["operations"], "atoms of unlike types do not stand for each other")
    charged = write(directory, "charged.xyz", "3\nLattice=\"14 0 0 0 9 0 0 0 9\" pbc=\"T T T\" Properties=species:S:1:pos:R:3:charge:R:1\n"
                    "Ar 0 0 0 0.3\nAr 3.5 0 0 0.1\nAr -3.5 0 0 -0.4\n")
    (row,) = run_json("relax", "-q", "--json", "--keep-symmetry", charged, code=1)
    check(row["status"] == "untyped" and "force on atom" in row["reason"], f"charges: {row}")
    water = write(directory, "water.xyz", "3\nwater\nO 0 0 0.1\nH 0 0.7572 -0.5\nH 0 -0.7572 -0.5\n")
    (row,) = run_json("relax", "-q", "--json", "--keep-symmetry", water)
    check(row["status"] == "converged" and "three directions" in row["warning"], f"a molecule: {row}")
    (row,) = run_json("relax", "-q", "--json", "--keep-symmetry", "--fix", "0", QUARTZ, code=1)
    check("held" in row["reason"], f"held atoms: {row}")


def check_spglib(directory):
    """Names and primitive cells; a supercell has both of its cell, and energies are by the volume."""
    done = run("types", "-q", "--json", "--space-group", QUARTZ)
    if done.returncode != 0 and "spglib is not installed" in done.stderr:
        print(f"names of space groups left out: {done.stderr}")
        return
    row = json.loads(done.stdout)
    check(row["space_group"] in ("152 P3_121", "154 P3_221"), f"quartz: {row['space_group']}")
    mof = CASES / "mof-5.cif"
    (row,) = run_json("energy", "-q", "--json", "--charges", "none", "--forcefield", "uff4mof", "--space-group", mof)
    (small,) = run_json("energy", "-q", "--json", "--charges", "none", "--forcefield", "uff4mof", "--space-group", "--primitive", mof)
    equal((row["space_group"], small["space_group"], row["natoms"], small["natoms"]), ("225 Fm-3m", "225 Fm-3m", 424, 106), "MOF-5")
    check(abs(row["energy"] - 4 * small["energy"]) < 1e-4 and abs(row["fmax"] - small["fmax"]) < 1e-4, f"a quarter: {row['energy']}, {small['energy']}")
    water = write(directory, "water.xyz", "3\nwater\nO 0 0 0.1\nH 0 0.7572 -0.5\nH 0 -0.7572 -0.5\n")
    (row,) = run_json("energy", "-q", "--json", "--space-group", "--primitive", water)
    check("space_group" not in row and row["natoms"] == 3, f"a molecule: {row}")


run_each([check_spglib, check_limits, check_pressure, check_energies, check_symmetry, check_certificate, check_witness, check_elastic, check_alternatives, check_group_of_cell, check_pdb, check_cell_options, check_cell_steps, check_formats, check_content, check_disorder, check_one, check_solvent])
