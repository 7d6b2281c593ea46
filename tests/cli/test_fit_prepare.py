# SPDX-License-Identifier: BSD-3-Clause
# shoal fit prepare: dimers typed and charged by Shoal's own rules, and read again by all commands.
import csv
import math
import pathlib
import tempfile

import program

WATER = [("O", (0, 0, 0.1173)), ("H", (0, 0.7572, -0.4692)), ("H", (0, -0.7572, -0.4692))]
AMMONIUM = [("N", (0, 0, 0)), ("H", (0.59, 0.59, 0.59)), ("H", (0.59, -0.59, -0.59)),
            ("H", (-0.59, 0.59, -0.59)), ("H", (-0.59, -0.59, 0.59))]
# Planar amide: the engine calls its atoms C_R, O_R and N_R.
FORMAMIDE = [("C", (0.000, 0.419, 0)), ("O", (1.197, 0.226, 0)), ("N", (-0.937, -0.564, 0)),
             ("H", (-0.446, 1.427, 0)), ("H", (-1.908, -0.291, 0)), ("H", (-0.675, -1.537, 0))]
FORMATE = [("C", (0, 0, 0)), ("O", (1.13, 0.54, 0)), ("O", (-1.13, 0.54, 0)), ("H", (0, -1.13, 0))]
HELIUM_PAIR = [("Rf", (0, 0, 0))]  # no UFF type


def frame(a, b, distance, comment, charges=None):
    """Text of a dimer: b is moved along z."""
    atoms = a + [(s, (x, y, z + distance)) for s, (x, y, z) in b]
    rows = [f"{s} {x:.4f} {y:.4f} {z:.4f}" for s, (x, y, z) in atoms]
    if charges:
        rows = [f"{row} {q}" for row, q in zip(rows, charges)]
    return f"{len(atoms)}\n# n0 {len(a)} {comment}\n" + "\n".join(rows) + "\n"


def parse(text):
    """Frames as (comment, [(label, position, charge)]), without what the comment says of charges (test_fit_charges)."""
    lines, frames = text.replace(" charges qeq-molecules", "").splitlines(), []
    while lines:
        n = int(lines[0])
        rows = [line.split() for line in lines[2:2 + n]]
        frames.append((lines[1], [(r[0], tuple(map(float, r[1:4])), float(r[4])) for r in rows]))
        lines = lines[2 + n:]
    return frames


def prepare(place, text, *options, code=0, name="raw.xyz"):
    """Frames, types and DOFs that prepare makes of a file."""
    (place / name).write_text(text)
    outputs = ["-o", place / "frames.xyz", "--types-out", place / "types.dat", "--dofs-out",
               place / "dofs.dat"]
    done = program.run("fit", "prepare", place / name, *outputs, *options)
    program.equal(done.returncode, code, f"exit code of prepare: {done.stderr}")
    frames = parse((place / "frames.xyz").read_text())
    rows = [line.split() for line in (place / "types.dat").read_text().splitlines()
            if not line.startswith("#")]
    return frames, {r[0]: r for r in rows}, (place / "dofs.dat").read_text(), done


def check_types(place):
    """Labels beyond the element and bonds between the molecules mean nothing; the comment is kept."""
    near = frame([("O_9", p) if s == "O" else ("H_C3", p) for s, p in WATER], FORMAMIDE, 1.6,
                 "Etot -0.25 x0 0.80 z 30 grp OH-O split train Elst 1 Exch 2 Ind 3 Disp 4 set:1.a")
    frames, types, dofs, _ = prepare(place, near)
    labels = [row[0] for row in frames[0][1]]
    program.equal(labels, ["O_3", "H_O", "H_O", "C_R", "O_R", "N_R", "H_C2", "H_N", "H_N"], "labels")
    program.equal(frames[0][0].split(), near.splitlines()[1].split(), "the comment")
    program.near(sum(q for _, _, q in frames[0][1][:3]), 0, 1e-9, "charge of the first molecule")
    program.check(frames[0][1][0][2] < -0.1, "QEq charges without charges in the file")
    program.equal((types["O_3"][5], types["O_R"][5], types["N_R"][5]), ("2", "2", "0"), "lone pairs")
    program.equal(types["O_3"][9:13], ["1.75000", "0.002601846", "0.0", "-0.50"], "water's oxygen")
    program.equal([float(types[t][12]) for t in ("H_O", "H_N", "H_C2", "N_R", "C_R")],
                  [0.5, 0.5, 0, 0, 0], "donors")
    kinds = [tuple(line.split()[:2]) for line in dofs.splitlines() if line[0] != "#"]
    program.equal(len(kinds), 2 * len(types) + 4, "R and E of all types, H of polar ones")
    program.check(("H_O", "3") in kinds and ("C_R", "3") not in kinds, "H of polar types")
    done = program.run("fit", "--types", place / "types.dat", "--data", place / "frames.xyz", "--dofs",
                       place / "dofs.dat", "--max-steps", 0, "--json")
    program.equal((done.returncode, done.stderr), (0, ""), "a fit reads what prepare writes, unwarned")


def check_ions(place):
    """The sum of the charges tells an ion; what differs in ions has a sign."""
    water = [-0.8, 0.4, 0.4]
    ammonium = [-0.4, 0.35, 0.35, 0.35, 0.35]
    text = frame(WATER, AMMONIUM, 2.4, "Etot -0.9 a", water + ammonium)
    frames, types, _, _ = prepare(place, text)
    labels = [row[0] for row in frames[0][1]]
    program.equal(labels, ["O_3", "H_O", "H_O", "N_3+", "H_N+", "H_N+", "H_N+", "H_N+"], "a cation")
    program.equal([q for _, _, q in frames[0][1]], water + ammonium, "charges of the file are kept")
    program.equal(float(types["N_3+"][12]), 0, "a cation takes no hydrogen bond")
    frames, _, _, _ = prepare(place, text, "--charges", "qeq-molecules")
    program.near(sum(q for _, _, q in frames[0][1][3:]), 1, 1e-9, "QEq of a cation")
    program.near(sum(q for _, _, q in frames[0][1][:3]), 0, 1e-9, "QEq of its neighbour")
    for comment, want in (("Etot 0 a", "O_R-"), ("Etot 0 charge_a 0 charge_b -1 a", "O_R-")):
        frames, _, _, _ = prepare(place, frame(WATER, FORMATE, 3.0, comment))
        program.equal(frames[0][1][4][0], want, f"an anion without charges in the file: {comment}")
        program.near(sum(q for _, _, q in frames[0][1][3:]), -1, 1e-9, "its charge")
    (type_of,) = program.run_json("types", "--json", place / "frames.xyz")
    program.equal(sum(type_of["formal_charges"]), -1, "the frame has the charge of its parts")
    program.equal(type_of["status"], "ok", "read by types")


CO2 = [("O", (0, 0, 1.162)), ("C", (0, 0, 0)), ("O", (0, 0, -1.162))]
BORANE = [("B", (0, 0, 0)), ("H", (1.19, 0, 0)), ("H", (-0.595, 1.0306, 0)), ("H", (-0.595, -1.0306, 0))]


def check_reversed(place):
    """Charges of a molecule with the wrong sign are replaced: MMFF94's if they add up, else QEq's; other ones are kept."""
    water, wrong = [-0.8, 0.4, 0.4], [0.8, -0.4, -0.4]
    frames, _, _, done = prepare(place, frame(WATER, WATER, 3.0, "Etot -0.1 a", water + wrong), "--json")
    charges = [q for _, _, q in frames[0][1]]
    program.equal(charges[:3], water, "the right ones are kept")
    program.near(charges[3], -0.86, 1e-6, "MMFF94's water")
    program.equal(program.json.loads(done.stdout)["mended"], 1, "frames that were mended")
    program.check("frame 1 (a): the charges of fragment 2 point against electronegativity: those of mmff94" in done.stderr, done.stderr)
    frames, _, _, done = prepare(place, frame(WATER, WATER, 3.0, "Etot -0.1 a", water + wrong), "--charges", "file")
    program.equal(([q for _, _, q in frames[0][1]], done.stderr), (water + wrong, ""), "asked for, they are kept")
    frames, _, _, done = prepare(place, frame(WATER, CO2, 3.5, "Etot -0.1 a", water + [0.8, -1.6, 0.8]))
    charges = [q for _, _, q in frames[0][1]][3:]
    program.check(charges[1] > 0.3 and "qeq-molecules" in done.stderr, f"CO2 has QEq's: {charges}")
    program.near(sum(charges), 0, 1e-9, "which add up")
    borane = [0.6, -0.2, -0.2, -0.2]
    frames, _, _, done = prepare(place, frame(WATER, BORANE, 3.5, "Etot -0.1 a", water + borane))
    program.equal(([q for _, _, q in frames[0][1]][3:], done.stderr), (borane, ""), "bonds that are not polar say nothing")
    text = frame(WATER, CO2, 3.5, "Etot -0.1 a") + frame(WATER, WATER, 3.0, "Etot -0.1 b")
    frames, _, _, done = prepare(place, text, "--charges", "mmff94", code=1)
    program.equal(len(frames), 1, "MMFF94's charges of CO2 do not add up")
    program.check("fragment 2: the charges of mmff94 do not add up to its charge, 0 e" in done.stderr, done.stderr)


def check_left_out(place):
    """A molecule that cannot be typed is named, the others go on."""
    text = frame(WATER, WATER, 3.0, "Etot 0 good") + frame(WATER, HELIUM_PAIR, 3.0, "Etot 0 bad:7")
    frames, _, _, done = prepare(place, text, code=1)
    program.equal(len(frames), 1, "frames that are left")
    program.check("frame 2 (bad:7) left out: fragment 2" in done.stderr, done.stderr)
    program.check("1 of 2 frames could not be typed" in done.stderr, done.stderr)
    program.check("1 frames typed, 2 types; 1 left out" in done.stdout, done.stdout)
    done = program.run("fit", "prepare", place / "raw.xyz", "-o", place / "raw.xyz")
    program.equal(done.returncode, 2, "an input is not overwritten")
    (place / "plain.xyz").write_text(program.WATER)
    done = program.run("fit", "prepare", place / "plain.xyz", "-o", place / "out.xyz")
    program.equal(done.returncode, 4, f"no n0: {done.stderr}")
    program.check("expected n0" in done.stderr and not (place / "out.xyz").exists(), done.stderr)
    (place / "raw.xyz").write_text(frame(WATER, WATER, 3.0, "Etot 0 a"))
    done = program.run("fit", "prepare", place / "raw.xyz", "-o", place / "o.xyz", "--charges", "file")
    program.check(done.returncode == 4 and "no charges in the file" in done.stderr, done.stderr)


def sdf(atoms, name, fields, ion=""):
    rows = "".join(f"{x:10.4f}{y:10.4f}{z:10.4f} {s:<3} 0  0\n" for s, (x, y, z) in atoms)
    tail = "".join(f"> <{k}>\n{v}\n\n" for k, v in fields.items())
    return f"{name}\n\n\n{len(atoms):3d}  0  0  0  0  0  0  0  0  0999 V2000\n{rows}{ion}M  END\n{tail}$$$$\n"


def check_pairs(place):
    far = [(s, (x, y, z + 3.0)) for s, (x, y, z) in WATER]
    text = sdf(WATER, "wat er", {"x0": "1.1", "grp": "OH O"}) + sdf(far, "b", {"Etot": "-0.1"})
    frames, _, _, _ = prepare(place, text, name="raw.sdf")
    program.equal(frames[0][0], "# n0 3 Etot -0.1 x0 1.1 grp OH_O wat_er_b", "the comment of a pair")
    program.equal([row[0] for row in frames[0][1]], ["O_3", "H_O", "H_O"] * 2, "types of a pair")
    for one, two in (({"dimer": "it self"}, {}), ({}, {"dimer": "it self"})):
        frames, _, _, _ = prepare(place, sdf(WATER, "a", {"Etot": "0", **one}) + sdf(far, "b", two), name="raw.sdf")
        program.equal(frames[0][0], "# n0 3 Etot 0 it_self", "the name of a pair, in either record")
    (place / "odd.sdf").write_text(sdf(WATER, "a", {"Etot": "0"}))
    done = program.run("fit", "prepare", place / "odd.sdf", "-o", place / "out.xyz")
    program.check(done.returncode == 4 and "has no second" in done.stderr, done.stderr)
    (place / "odd.sdf").write_text(2 * sdf(WATER, "a", {}))
    done = program.run("fit", "prepare", place / "odd.sdf", "-o", place / "out.xyz")
    program.check(done.returncode == 4 and "data field Etot" in done.stderr, done.stderr)


def check_pair_charges(place):
    """Charges count where both records have some, formal ones where they are stated."""
    far = [(s, (x, y, z + 3.0)) for s, (x, y, z) in WATER]
    first, second = [-0.8, 0.5, 0.3], [-0.6, 0.2, 0.4]
    stated = [{"partial_charges": " ".join(map(str, q))} for q in (first, second)]
    for a, b in ((1, 1), (1, 0), (0, 1)):
        one, two = {"E_tot": "0", **stated[0]} if a else {"E_tot": "0"}, stated[1] if b else {}
        text = sdf(WATER, "", {"x0": "2", **one}) + sdf(far, "", {"x0": "3", "z": "45", **two})
        frames, _, _, _ = prepare(place, text, name="raw.sdf")
        program.equal(frames[0][0], "# n0 3 Etot 0 x0 2 z 45 A_B", "fields of both records, the first before the second")
        charges = [q for _, _, q in frames[0][1]]
        if a and b:
            program.equal(charges, first + second, "charges of two records")
            prepare(place, text, "--charges", "file", name="raw.sdf")
        else:
            program.near(sum(charges[:3]), 0, 1e-9, "QEq where one record has no charges")
            program.near(charges[1], charges[2], 1e-4, "QEq of both hydrogen atoms")
            done = program.run("fit", "prepare", place / "raw.sdf", "-o", place / "o.xyz", "--charges", "file")
            program.check(done.returncode == 4 and "no charges in the file" in done.stderr, done.stderr)
    frames, _, _, _ = prepare(place, text, "--charges", "none", name="raw.sdf")
    program.equal([q for _, _, q in frames[0][1]], [0] * 6, "--charges none")
    cation = [(s, (x, y, z + 3.0)) for s, (x, y, z) in AMMONIUM]
    ion = "M  CHG  1   1   1\n"
    water = ["O_3", "H_O", "H_O"]
    ammonium = ["N_3+"] + 4 * ["H_N+"]
    for text, want in ((sdf(WATER, "a", {"Etot": "0"}) + sdf(cation, "b", {}, ion), water + ammonium),
                       (sdf(cation, "b", {"Etot": "0"}, ion) + sdf(WATER, "a", {}), ammonium + water)):
        frames, _, _, _ = prepare(place, text, name="raw.sdf")
        program.equal([row[0] for row in frames[0][1]], want, "an ion in either record")
        program.near(sum(q for _, _, q in frames[0][1]), 1, 1e-9, "its charge")
    (place / "none.sdf").write_text(sdf(WATER, "a", {"Etot": "0"}) + sdf([], "b", {}))
    done = program.run("fit", "prepare", place / "none.sdf", "-o", place / "out.xyz")
    program.check(done.returncode == 4 and "pair 1: a molecule without atoms" in done.stderr, done.stderr)


def check_files(place):
    """Frames are counted in their own files; what is left out is counted; comments stay as they were."""
    charges = [-0.8, 0.4, 0.4] * 2
    (place / "one.xyz").write_text(frame(WATER, WATER, 3.0, "Etot 0 some words a", charges) * 2)
    bare = frame(WATER, WATER, 3.0, "Etot 0 other words b").replace("# n0", "n0")
    (place / "two.xyz").write_text(bare + frame(WATER, WATER, 3.2, "Etot 0 c", charges))
    run = ("fit", "prepare", place / "one.xyz", place / "two.xyz", "-o", place / "frames.xyz")
    done = program.run(*run, "--charges", "file")
    program.equal(done.returncode, 1, done.stderr)
    program.check("two.xyz: frame 1 (b) left out: no charges in the file" in done.stderr, done.stderr)
    program.check("1 of 4 frames could not be typed" in done.stderr, done.stderr)
    program.check("3 frames typed, 2 types; 1 left out" in done.stdout, done.stdout)
    program.equal(program.run(*run).returncode, 0, "all have charges by QEq or their file")
    comments = [comment for comment, _ in parse((place / "frames.xyz").read_text())]
    program.equal(comments, 2 * ["# n0 3 Etot 0 some words a"] + ["# n0 3 Etot 0 other words b", "# n0 3 Etot 0 c"],
                  "comments with words of others")


def check_monomers(place):
    """Monomers of a frame, and the energy between them: both read charges and molecules from the frame."""
    text = frame(WATER, FORMAMIDE, 2.2, "Etot -0.2 x0 1.0 set:1")
    prepare(place, text)
    energy = {}
    for part in ("all", "1", "2"):
        for charges in ("file", "none"):
            (row,) = program.energies(place / "frames.xyz", "--fragment", part, "--charges", charges)
            program.equal(row["status"], "ok", f"fragment {part}")
            energy[part, charges] = row
    program.equal([energy[p, "file"]["natoms"] for p in ("all", "1", "2")], [9, 3, 6], "atoms")
    program.equal(energy["all", "file"]["name"], "set:1", "the name")
    for term in ("bond", "angle", "torsion", "inversion"):
        parts = [energy[p, "file"]["terms"][term] for p in ("all", "1", "2")]
        program.near(parts[0], parts[1] + parts[2], 1e-12, f"no {term} between the molecules")
    coulomb = [energy[p, "file"]["terms"]["coulomb"] for p in ("all", "1", "2")]
    atoms = parse((place / "frames.xyz").read_text())[0][1]
    want = sum(14.3996454784 * a[2] * b[2] / math.dist(a[1], b[1]) for a in atoms[:3] for b in atoms[3:])
    program.near(coulomb[0] - coulomb[1] - coulomb[2], want, 1e-6, "Coulomb energy of column 5")
    program.check(abs(want) > 0.01, "there is some")
    program.equal(energy["all", "none"]["terms"]["coulomb"], 0, "--charges none")
    (place / "plain.xyz").write_text(program.WATER)
    (row,) = program.energies(place / "plain.xyz", "--fragment", 1, code=1)
    program.check(row["status"] != "ok" and "n0 and Etot" in row["reason"], str(row))
    # Results keep the split: relaxed and read again, it is still two molecules.
    done = program.run("relax", place / "frames.xyz", "-o", place / "relaxed.xyz", "--max-steps", 3, "-q")
    (row,) = program.run_json("types", "--json", "--fragment", 2, place / "relaxed.xyz")
    program.equal((row["natoms"], row["status"]), (6, "ok"), f"a result is a frame, too: {done.stderr}")


def check_circle(place):
    """Frame less fragments is what the fit computes, ions beside neutral molecules included."""
    charges = [-0.8, 0.4, 0.4, -0.4, 0.35, 0.35, 0.35, 0.35]
    text = frame(WATER, FORMAMIDE, 2.4, "Etot -0.2 a") + frame(FORMAMIDE, FORMATE, 3.1, "Etot -0.5 b")
    prepare(place, text + frame(WATER, AMMONIUM, 2.4, "Etot -0.9 c", charges))
    rows = "".join(line + "\n" for line in (place / "types.dat").read_text().splitlines() if line[0] != "#")
    rows += "E_O * E * 0 0 0 0 0 0 0 -0.15 0\nE_H * E * 0 0 0 0 0 0 0 0.1 0\n"
    sites = "site O_3 lone_pairs 2 E_O 0.4\nsite H_N beyond 1 E_H 0.3\n"
    for model in ("form lj\nhbond none\nlambda 0.9\n", "form morse\nalpha 1.7\nlambda 0.85\n",
                  "form exp6\nhbond none\nradius_charge 0.12\n" + sites):
        path = place / "model.dat"
        path.write_text(f"shoal_pair_model 1\n{model}types\n{rows}")
        samples = place / "samples.csv"
        done = program.run("fit", "eval", "--params", path, "--data", place / "frames.xyz", "--samples", samples)
        program.equal((done.returncode, done.stderr), (0, ""), f"eval of {model}")
        wanted = [float(row["model_eV"]) for row in csv.DictReader(samples.open())]
        run = ("--params", path, place / "frames.xyz", "--fragment")
        whole, first, second = (program.energies(*run, part) for part in ("all", "1", "2"))
        for k, want in enumerate(wanted):
            got = whole[k]["energy"] - first[k]["energy"] - second[k]["energy"]
            scale = max(1, *(abs(e[k]["energy"]) for e in (whole, first, second)))
            program.near(got, want, 1e-9 * scale, f"frame {k}, {model}")


def check_neutral(place):
    """Charges of types alone with neutral fragments: molecules of frames without charges have their formal ones."""
    text = frame(WATER, AMMONIUM, 2.6, "Etot -0.9 a") + frame(FORMATE, WATER, 3.1, "Etot -0.5 b")
    text += frame(WATER, FORMAMIDE, 3.0, "Etot -0.2 c")
    prepare(place, text, "--charges", "none")
    path, samples = place / "model.dat", place / "samples.csv"
    rows = [r.split() for r in (place / "types.dat").read_text().splitlines() if r[0] != "#"]
    for k, row in enumerate(rows):
        row[11] = f"{0.3 * (-1) ** k + 0.01 * k:.2f}"
    table = "".join(" ".join(row) + "\n" for row in rows)
    path.write_text(f"shoal_pair_model 1\nform morse\ncharges_of *\nneutral yes\ntypes\n{table}")
    frames = (place / "frames.xyz").read_text().splitlines()
    bare = place / "bare.xyz"
    bare.write_text("".join(" ".join(r.split()[:4] if len(r.split()) == 5 else r.split()) + "\n" for r in frames))
    done = program.run("fit", "eval", "--params", path, "--data", bare, "--samples", samples)
    program.equal((done.returncode, done.stderr), (0, ""), "eval of frames without charges")
    wanted = [float(row["model_eV"]) for row in csv.DictReader(samples.open())]
    parts = [program.energies("--params", path, bare, "--fragment", part) for part in ("all", "1", "2")]
    for k, want in enumerate(wanted):
        got = parts[0][k]["energy"] - parts[1][k]["energy"] - parts[2][k]["energy"]
        program.near(got, want, 1e-9 * max(1, *(abs(e[k]["energy"]) for e in parts)), f"frame {k}, neutral")


def check_labels(place):
    """fit names atoms that the engine types otherwise, and --map settles it."""
    text = frame(WATER, FORMAMIDE, 2.5, "Etot -0.2 set:1") + frame(WATER, WATER, 3.0, "Etot -0.1 set:2")
    prepare(place, text)
    data = (place / "frames.xyz").read_text().replace("N_R", "N_am").replace("C_R ", "C_2 ")
    (place / "data.xyz").write_text(data)
    table = (place / "types.dat").read_text()
    extra = [line.replace("N_R ", "N_am ") for line in table.splitlines() if line.startswith("N_R")]
    extra += [line.replace("C_R ", "C_2 ") for line in table.splitlines() if line.startswith("C_R")]
    (place / "more.dat").write_text(table + "\n".join(extra) + "\n")
    run = ("fit", "--types", place / "more.dat", "--data", place / "data.xyz", "--check-only")
    done = program.run(*run)
    program.equal(done.returncode, 0, done.stderr)
    program.check("would give 2 atoms other types" in done.stderr, done.stderr)
    program.check("C_R, not C_2: 1 atoms, first atom 3 of frame 0 (set:1)" in done.stderr, done.stderr)
    program.check("N_R, not N_am: 1 atoms, first atom 5 of frame 0" in done.stderr, done.stderr)
    program.equal(program.run(*run, "-q").stderr, "", "silent with -q")
    (place / "map").write_text("# what the data say\nN_am N_R\nC_2 C_R # amide\n")
    program.equal(program.run(*run, "--map", place / "map").stderr, "", "settled by the map")
    (place / "map").write_text("N_am N_R x\n")
    done = program.run(*run, "--map", place / "map")
    program.check(done.returncode == 4 and "map:1: too many columns" in done.stderr, done.stderr)
    (place / "map").write_text("N_R N_am\n")
    frames, types, _, _ = prepare(place, text, "--map", place / "map")
    program.check("N_am" in types and frames[0][1][5][0] == "N_am", "prepare writes mapped names")


def check_ordinary(place):
    """Without n0 and Etot an xyz file means what it meant."""
    close = frame(WATER, WATER, 1.4, "a comment").replace("# n0 3 ", "")
    (place / "one.xyz").write_text(close)
    (place / "two.xyz").write_text(close.replace("a comment", "n0 3 Etot 0 z 0 two"))
    (one,) = program.run_json("types", "--json", place / "one.xyz", code=None)
    (two,) = program.run_json("types", "--json", place / "two.xyz")
    program.equal((one["name"], two["name"]), ("a comment", "two"), "names")
    program.equal((len(two["bonds"]), two["status"]), (4, "ok"), "bonds inside of two molecules")
    program.check(len(one["bonds"]) > 4 or one["status"] != "ok", "one molecule otherwise")
    (place / "two.xyz").write_text(close.replace("a comment", "n0 6 Etot 0 two"))
    (row,) = program.run_json("types", "--json", place / "two.xyz", code=1)
    program.check("bad n0" in row["reason"], str(row))


def main():
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        check_types(place)
        check_ions(place)
        check_reversed(place)
        check_left_out(place)
        check_pairs(place)
        check_pair_charges(place)
        check_files(place)
        check_monomers(place)
        check_circle(place)
        check_neutral(place)
        check_labels(place)
        check_ordinary(place)
    program.finish()


main()
