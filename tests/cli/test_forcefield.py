# SPDX-License-Identifier: BSD-3-Clause
# --forcefield: MMFFsp3 through every command, its golden numbers, its refusals, and what does not go together.
import tempfile

from program import TOP, WATER, check, energies, equal, finish, near, run, run_json, write

DEMO = TOP / "examples" / "demo.sdf"
FIRECORE = ("--forcefield", "mmffsp3:firecore")


def xyz(name, atoms, charges=None):
    """A frame; charges as a column of extended xyz."""
    rows = [row.split() for row in atoms.split(";")]
    head = f"name={name}"
    if charges:
        head += " Properties=species:S:1:pos:R:3:charge:R:1"
        rows = [row + [str(q)] for row, q in zip(rows, charges)]
    return "\n".join([str(len(rows)), head] + [" ".join(row) for row in rows]) + "\n"


GOLDEN_WATER = xyz("water", "O 0 0 0; H 0.95 0.1 0; H -0.3 0.9 0.1", (-0.8, 0.4, 0.4))
FORMIC = xyz("formic", "C 0 0 0; O 1.2 0.1 0; O -0.65 1.15 0.05; H -0.55 -0.95 0.1; H -1.5 1 0.4",
             (0.6, -0.5, -0.6, 0.05, 0.45))
ETHYLENE = xyz("ethylene", "C 0 0 0; C 1.34 .02 -.01; H -.56 .92 .1; H -.58 -.93 -.05; H 1.9 .94 -.15; H 1.88 -.9 .2")
BENZENE = xyz("benzene",
              "C 1.397 0 .05; C .699 1.21 -.05; C -.698 1.21 .05; C -1.397 0 -.05; C -.699 -1.21 .05; "
              "C .698 -1.21 -.05; H 2.48 0 -.1; H 1.24 2.148 .05; H -1.24 2.148 .05; H -2.48 0 -.1; "
              "H -1.24 -2.148 .05; H 1.24 -2.148 .05")
ACETAMIDE = xyz("acetamide",
                "C 0 0 0; C 1.5 .05 .02; O 2.15 1.08 -.05; N 2.12 -1.15 .1; H -.38 1.02 .05; H -.38 -.5 .89; "
                "H -.37 -.54 -.88; H 1.6 -2 .25; H 3.12 -1.2 -.05")
AMMONIUM = xyz("ammonium", "N 0 0 0; H .59 .59 .59; H .59 -.59 -.59; H -.59 .59 -.59; H -.59 -.59 .59")
BORANE = xyz("borane", "B 0 0 0; H 1.19 0 0; H -.595 1.0306 0; H -.595 -1.0306 0")

# Bond, angle and van der Waals energies in eV: what does not depend on the pi vectors.
GOLDEN = (
    ("water", GOLDEN_WATER, 0.008288986382107, 0.004231270674902, 0.0),
    ("formic acid", FORMIC, 0.092547087124907, 0.045590617789469, 0.029677576002),
    ("ethylene", ETHYLENE, 0.003049622269196, 0.015178301945650, -0.002005634588),
    ("benzene", BENZENE, 0.282798773839725, 0.005283123046956, 0.420642237917),
    ("acetamide", ACETAMIDE, 0.080652921053139, 0.066445484134138, 0.072100213684),
)


def test_golden(directory):
    for name, text, bond, angle, vdw in GOLDEN:
        path = write(directory, "golden.xyz", text)
        (row,) = energies(*FIRECORE, path)
        near(row["terms"]["bond"], bond, 1e-11, f"{name}: bonds")
        near(row["terms"]["angle"], angle, 1e-11, f"{name}: angles")
        near(row["terms"]["vdw"], vdw, 1e-11, f"{name}: van der Waals")
        equal("sigma_pi" in row["terms"], name != "water", f"{name}: terms of directions where there are some")
        near(sum(row["terms"].values()), row["energy"], 1e-12, f"{name}: terms add up")
    path = write(directory, "water.xyz", GOLDEN_WATER)
    (row,) = energies(*FIRECORE, "--charges", "none", path)
    near(row["energy"], 0.012520257057009, 1e-12, "water")
    equal(list(row["terms"]), ["bond", "angle", "torsion", "inversion", "vdw", "coulomb", "surface", "restraint"],
          "water has no directions")
    path = write(directory, "formic.xyz", FORMIC)
    (row,) = energies(*FIRECORE, path)
    near(row["terms"]["coulomb"], -0.930115422400, 1e-7, "formic acid: Coulomb, up to digits of its constant")
    (alone,) = energies(*FIRECORE, "--terms", "pi_pi", path)
    near(alone["energy"], row["terms"]["pi_pi"], 1e-13, "a term alone by --terms")
    (both,) = energies(*FIRECORE, "--terms", "sigma_pi,pi_pi", path)
    near(both["energy"], row["terms"]["sigma_pi"] + row["terms"]["pi_pi"], 1e-13, "two of them")


def test_types(directory):
    path = write(directory, "three.xyz", FORMIC + ACETAMIDE + GOLDEN_WATER)
    rows = run_json("types", "--json", *FIRECORE, path)
    equal(rows[0]["types"], ["C_COO", "O_pCOO", "O_sCOO", "H", "H"], "types of formic acid")
    equal(rows[1]["types"][:4], ["C_3", "C_ald", "O_ald", "N_R"], "types of acetamide")
    equal(rows[0]["pi"], [0, 1, 2], "nodes with a pi vector")
    equal(rows[1]["pi"], [1, 2, 3], "none where nothing acts on it")
    check("pi" not in rows[2] and "electron_pairs" not in rows[2], "water has none")
    equal(sorted(bond[2] for bond in rows[0]["bonds"]), [1, 1, 1, 2], "orders of bonds")
    rows = run_json("types", "--json", *FIRECORE, "--electron-pairs", path)
    pairs = rows[2]["electron_pairs"]
    equal([p["atom"] for p in pairs], [0, 0], "pairs of water")
    near(pairs[0]["charge"], -0.2, 1e-12, "charge of a pair")
    near(rows[2]["charges"][0], -0.4, 1e-12, "what is left to its host")
    equal(len(rows[2]["types"]), 3, "types are those of atoms")
    equal(len(rows[2]["bonds"]), 2, "and so are bonds")
    text = run("types", *FIRECORE, "--electron-pairs", path).stdout
    check("C_COO" in text and "  pi\n" in text and "  of 0\n" in text, f"the table: {text}")
    rows = run_json("types", "--json", write(directory, "plain.xyz", FORMIC))
    check("pi" not in rows[0], "UFF has no pi vectors")


def test_refusals(directory):
    for name, text, word in (("ammonium", AMMONIUM, "atom 0 (N"), ("borane", BORANE, "atom 0 (B")):
        path = write(directory, f"{name}.xyz", text)
        for forcefield in ("mmffsp3", "mmffsp3:firecore"):
            (row,) = run_json("types", "--json", "--charge", "1" if name == "ammonium" else "0", "--forcefield",
                              forcefield, path, code=1)
            equal(row["status"], "untyped", f"{name} with {forcefield}")
            check(word in row["reason"], f"{name}: the reason names the atom: {row['reason']}")
    rows = run_json("types", "--json", "--forcefield", "mmffsp3", DEMO, code=1)
    bad = {row["name"]: row["reason"] for row in rows if row["status"] == "untyped"}
    check("sulfanilamide" in bad and "(S" in bad["sulfanilamide"], f"a sulfone: {bad}")
    check(sum(row["status"] == "ok" for row in rows) >= 9, f"the others go on: {sorted(bad)}")


def test_explain(directory):
    path = write(directory, "formic.xyz", FORMIC)
    for more in ((), ("--electron-pairs",)):
        (row,) = energies(*FIRECORE, *more, "--explain", path)
        sums = dict.fromkeys(row["terms"], 0.0)
        for each in row["interactions"]:
            sums[each["term"]] += each["energy"]
        for term, energy in row["terms"].items():
            near(sums[term], energy, 1e-12, f"rows of {term} {more}")
    tilts = [r for r in row["interactions"] if r["term"] == "sigma_pi"]
    check(tilts and all(r["types"][0].startswith("pi(") and "hosts" in r for r in tilts), "names of directions")
    equal({r["hosts"][0] == r["atoms"][1] for r in tilts}, {True}, "a direction stands at its node")
    check(any("E" in r["types"] for r in row["interactions"]), "electron pairs are there")
    text = run("energy", *FIRECORE, "--explain", path).stdout
    check("pi(0:C_COO)" in text and "pi_pi" in text, "the table names directions")


def test_agreement(directory):
    """What contradicts something else, or nothing there could use, is a mistake of usage."""
    path = write(directory, "water.xyz", WATER)
    for wrong, words in (
            (("--forcefield", "amber"), "mmffsp3:firecore"),
            (("--forcefield", "mmffsp3:paper"), "mmffsp3"),
            (("--forcefield", "uff:paper", "--dialect", "firecore"), "contradicts"),
            (("--dialect", "firecore", "--forcefield", "uff:paper"), "contradicts"),
            (("--forcefield", "mmffsp3", "--dialect", "firecore"), "contradicts"),
            (("--dialect", "rdkit", "--forcefield", "mmffsp3"), "contradicts"),
            (("--electron-pairs",), "needs --forcefield mmffsp3"),
            (("--forcefield", "uff", "--bond-scale", "2"), "needs --forcefield mmffsp3"),
            (("--forcefield", "mmffsp3", "--bond-scale", "0"), "--bond-scale"),
            (("--forcefield", "mmffsp3", "--pi-inertia", "1"), "--pi-inertia"),
            (("--forcefield", "mmffsp3", "--pi-softening", "x"), "--pi-softening"),
    ):
        for command in ("energy", "relax"):
            done = run(command, *wrong, path)
            equal((done.returncode, done.stdout), (2, ""), f"{command} {wrong}")
            check(words in done.stderr, f"{wrong}: {done.stderr}")
    same = [tuple(row["energy"] for row in energies(*way, DEMO)) for way in (
        ("--dialect", "paper"), ("--forcefield", "uff:paper"), ("--forcefield", "uff", "--dialect", "paper"),
        ("--dialect", "paper", "--forcefield", "uff:paper"))]
    equal(len(set(same)), 1, "a dialect by either option")
    check(same[0] != tuple(row["energy"] for row in energies(DEMO)), "which is another one")


def test_options(directory):
    path = write(directory, "formic.xyz", FORMIC)
    (plain,) = energies(*FIRECORE, path)
    (twice,) = energies(*FIRECORE, "--bond-scale", 2, path)
    near(twice["terms"]["bond"], 2 * plain["terms"]["bond"], 1e-12, "--bond-scale")
    equal(twice["terms"]["angle"], plain["terms"]["angle"], "of bonds alone")
    (soft,) = energies(*FIRECORE, "--pi-softening", 0.05, path)
    check(soft["terms"]["pi_pi"] != plain["terms"]["pi_pi"], "--pi-softening")
    (pairs,) = energies(*FIRECORE, "--electron-pairs", path)
    check(pairs["terms"]["coulomb"] != plain["terms"]["coulomb"], "--electron-pairs")


def test_commands(directory):
    """Every command that types molecules does it with either force field."""
    path = write(directory, "formic.xyz", FORMIC)
    relaxed = write(directory, "relaxed.xyz", "")
    mmff = ("--forcefield", "mmffsp3")
    (row,) = run_json("relax", "--json", *mmff, "--fmax", "0.001", path, "-o", relaxed)
    equal(row["status"], "converged", "relax")
    check(row["terms"]["pi_pi"] >= 0 and row["energy"] < row["energy0"], "relax: terms and energies")
    jobs = {
        "scan": ("--coordinate", "torsion:1,0,2,4=0:180:90"),
        "md": ("--steps", 20, "--temperature", 300),
        "search": ("--starts", 3),
        "modes": (),
        "check": (),
    }
    for command, arguments in jobs.items():
        rows = run_json(command, "--json", *mmff, *arguments, relaxed)
        check(rows, f"{command} has rows")
        (other, *_) = run_json(command, "--json", *arguments, relaxed, code=None)
        check(other != rows[0], f"{command} is another with UFF")
    equal(run("energy", "--dry-run", *mmff, path).returncode, 0, "--dry-run")
    rows = run_json("check", "--json", "--each-term", *mmff, relaxed)
    check({"sigma_pi", "pi_pi"} <= {r["term"] for r in rows}, "check --each-term knows the terms")
    rows = run_json("check", "--json", "--each-term", write(directory, "w.xyz", WATER))
    check(not {"sigma_pi", "pi_pi"} & {r["term"] for r in rows}, "but not of systems without directions")


def test_bench():
    (row,) = run_json("bench", "--json", "--case", "formic_acid", "--systems", 8, "--steps", 4, "--repeats", 2,
                      "--forcefield", "mmffsp3", "--against", "uff")
    equal((row["forcefield"], row["against"]["forcefield"]), ("mmffsp3", "uff"), "names of both")
    near(row["against"]["times_as_fast"], row["against"]["seconds"] / row["seconds"], 1e-9, "the ratio")
    text = run("bench", "--case", "xylitol", "--systems", 4, "--steps", 2, "--repeats", 1, "--forcefield", "mmffsp3",
               "--against", "uff").stdout
    check("times as fast as uff" in text, f"the table: {text}")
    (row,) = run_json("bench", "--json", "--systems", 4, "--steps", 2, "--repeats", 1)
    check("forcefield" not in row and "against" not in row, "only where it was asked for")
    (row,) = run_json("bench", "--json", "--what", "file", "--job", "types", "--repeats", 1, "--forcefield", "mmffsp3", DEMO)
    check(row["failed"] > 0, "files are typed by it: a sulfone fails")
    equal(run("bench", "--what", "file", "--against", "uff", DEMO).returncode, 2, "--against is not for files")
    equal(run("bench", "--electron-pairs").returncode, 2, "an option of MMFFsp3 alone")


def test_damping(directory):
    """The original damps Coulomb by 1 angstrom; a length from outside takes the place of that."""
    path = write(directory, "damped.xyz", FORMIC)
    for device in ("ref", "cpu"):
        own, same, shorter, none = (
            energies(*FIRECORE, "--device", device, *damping, path)[0]["terms"]["coulomb"]
            for damping in ((), ("--damping", "1"), ("--damping", "0.5"), ("--damping", "1e-9"))
        )
        near(same, own, 1e-12, f"{device}: the damping that it has anyway")
        check(none < shorter < own - 1e-3, f"{device}: {none} {shorter} {own}")


def test_resume(directory):
    """A run goes on with the force field that it began with, and no other."""
    import os
    out = f"{directory}/out.jsonl"
    whole = f"{directory}/whole.jsonl"
    arguments = ("--forcefield", "mmffsp3", "-q", "--fmax", "0.02", DEMO)
    run("relax", *arguments, "-o", whole)
    broken = write(directory, "broken.sdf", DEMO.read_text() + "cut off\n")
    run("relax", "--strict", "--forcefield", "mmffsp3", "-q", broken, "-o", out)
    check(os.path.exists(out + ".checkpoint"), "there is something to go on with")
    for other in (("--forcefield", "uff"), ("--forcefield", "mmffsp3:firecore"), (),
                  ("--forcefield", "mmffsp3", "--electron-pairs")):
        done = run("relax", "--strict", *other, "-q", broken, "-o", out, "--resume")
        equal(done.returncode, 2, f"going on with {other}")
        check("another run" in done.stderr, f"{other}: {done.stderr}")


def test_like(directory):
    """FireCore's printed pair, and the formic acid of its documents, by one word."""
    pair = write(directory, "pair.xyz", xyz("pair", "C 0.9998190 1.210745 -0.8386153; H 0 0 0", (0.2919, 0.2948)))
    (row,) = energies("--like", "firecore", "--forces", "--type", "0=C_3", pair)
    near(row["energy"], 6.549306, 1e-5, "the pair of FireCore, in floats")
    for got, want in zip(row["forces"][0], (23.15721, 28.04255, -19.42350)):
        near(got, want, 5e-5, "its forces")
    formic = write(directory, "formic.xyz", FORMIC)
    (typed,) = run_json("types", "--json", "--like", "firecore", formic)
    equal(typed["types"], ["C_2", "O_2", "O_3", "H_", "H_"], "types of formic acid")
    (row,) = energies("--like", "firecore", formic)
    for term, want in zip(("bond", "angle", "torsion", "inversion", "vdw", "coulomb"),
                          (0.152449, 0.117974, 0.051309, 0.018743, 0.031908, -0.930115)):
        near(row["terms"][term], want, 1e-6, f"formic acid: {term}")
    (own,) = energies("--like", "firecore", "--damping", "2", formic)
    check(abs(own["terms"]["coulomb"] - row["terms"]["coulomb"]) > 0.1, "a damping that is given counts")
    (none,) = energies("--like", "firecore", "--damping", "0", formic)
    (plain,) = energies("--forcefield", "uff:firecore", "--mixing", "arithmetic", formic)
    near(none["terms"]["coulomb"], plain["terms"]["coulomb"], 1e-9, "no damping, if that is given")
    check(abs(none["terms"]["coulomb"] - row["terms"]["coulomb"]) > 0.01, "which is another energy")
    for words, text in ((("--like", "gromacs"), "expected firecore"),
                        (("--like", "firecore", "--forcefield", "uff"), "no --forcefield"),
                        (("--forcefield", "uff", "--like", "firecore"), "no --forcefield"),
                        (("--like", "firecore", "--dialect", "paper"), "no --dialect"),
                        (("--like", "firecore", "--params", formic), "no --params")):
        done = run("energy", *words, formic)
        equal(done.returncode, 2, f"{words}: {done.stderr}")
        check(text in done.stderr, f"{words}: {done.stderr}")


def test_table(directory):
    """Parameters that are written and read back give the same numbers; others are changed by type and atom."""
    rows = directory + "/all.tsv"
    for field in ("uff", "mmff94", "mmffsp3"):
        done = run("types", "-q", "--forcefield", field, DEMO, "-o", rows)
        check(done.returncode in (0, 1), done.stderr)
        want = energies("--forcefield", field, DEMO, code=None)
        got = energies("--forcefield", field, "--ff-table", rows, DEMO, code=None)
        equal([r.get("energy") for r in got], [r.get("energy") for r in want], f"{field}: read back")
    water = write(directory, "water.xyz", WATER)
    mine = write(directory, "mine.tsv", "bond O_3 H_ 40 0.9 1\natom 1 2.5 0.002 0.4\n")
    (row,) = energies("--ff-table", mine, water)
    s = (0.7572 ** 2 + 0.5865 ** 2) ** 0.5 - 0.9
    near(row["terms"]["bond"], 40 * s * s, 1e-9, "bonds of the table")
    done = run("energy", "--ff-table", mine, water)
    check("fits nothing" not in done.stderr, done.stderr)
    idle = write(directory, "idle.tsv", "bond O_3 H_ 40 0.9 1\nbond C_3 H_ 40 0.9 1\natom N_3 2.5 0.002\n")
    done = run("energy", "--ff-table", idle, water)
    check("idle.tsv: 2 rows fit nothing" in done.stderr and "line 2" in done.stderr, done.stderr)
    check("nothing" not in run("energy", "--ff-table", idle, directory + "/none.xyz").stderr, "nothing was typed")
    for job in ("relax", "md", "scan", "modes", "search", "check", "bench"):
        words = {"scan": ("--coordinate", "distance:0,1=0.8:1.2:0.1"), "md": ("--steps", "5"),
                 "bench": ("--what", "file")}.get(job, ())
        done = run(job, "--ff-table", directory + "/none.tsv", *words, water)
        equal(done.returncode, 4, f"{job}: a table that is not there: {done.stderr}")
    done = run("energy", "-q", "-o", directory + "/e.tsv", water)
    equal(done.returncode, 2, f"tables are written by types: {done.stderr}")
    heavy = write(directory, "bad.tsv", "bond 0 7 40 0.9 1\n")
    (row,) = energies("--ff-table", heavy, water, code=1)
    check("line 1 of the force-field table" in row["reason"], row["reason"])
    for text, words, reason in (
        ("pi_pi 0 1 0.1 0\n", (), "no atom or direction"),
        ("sigma_pi 0 1 2 0.1 0\n", (), "no atom or direction"),
        ("bond 0 5 5 1.5 1\n", ("--forcefield", "mmffsp3"), "no atom or direction"),
        ("bond 0 0@1,0,0 5 1.5 1\n", (), "does not repeat"),
        ("atom H_ 2.9 0.002 0.3\n", ("--charges", "qeq"), "charges of 2 of 3 atoms"),
        ("atom H_ 2.9 0.002 0.3\n", ("--charges", "none"), "charges of 2 of 3 atoms"),
    ):
        (row,) = energies("--ff-table", write(directory, "bad.tsv", text), *words, water, code=1)
        check(reason in row["reason"], f"{text}{row['reason']}")


def test_topology(directory):
    """A topology that is given whole, for molecules with its elements in its order."""
    water = write(directory, "water.xyz", WATER)
    text = ('{"format":"shoal topology","version":1,"elements":[8,1,1],"types":["OW","HW","HW"],"vdw_x":[3.5,2.9,2.9],'
            '"vdw_d":[0,0,0],"charges":[-0.8,0.4,0.4],"terms":{"bond":[[0,1,30,1.1,1],[0,2,30,1.1,1]]},'
            '"excluded":[[0,1],[0,2]]}')
    given = write(directory, "water.json", text)
    (row,) = energies("--topology", given, water)
    d = (0.7572 ** 2 + 0.5865 ** 2) ** 0.5 - 1.1
    near(row["terms"]["bond"], 30 * d * d, 1e-9, "bonds of the topology")
    near(row["terms"]["coulomb"], 14.3996454784 * 0.16 / 1.5144, 1e-8, "hydrogens see each other")
    (typed,) = run_json("types", "--json", "--topology", given, water)
    equal(typed["types"], ["OW", "HW", "HW"], "its types")
    (row,) = run_json("relax", "--json", "--topology", given, water)
    equal(row["status"], "converged", "it relaxes")
    other = write(directory, "hoh.xyz", "3\nhoh\nH 0 0.7572 -0.4692\nO 0 0 0.1173\nH 0 -0.7572 -0.4692\n")
    (row,) = energies("--topology", given, other, code=1)
    check("another order" in row["reason"], row["reason"])
    for words in (("--forcefield", "uff"), ("--like", "firecore"), ("--ff-table", given), ("--bond-order", "0,1=2"),
                  ("--type", "0=O_R"), ("--file-types",), ("--no-angle-guard",)):
        equal(run("energy", "--topology", given, *words, water).returncode, 2, f"--topology with {words}")
    bad = write(directory, "bad.json", text[:-1])
    done = run("energy", "--topology", bad, water)
    equal(done.returncode, 4, done.stderr)
    check("bad.json:" in done.stderr and "bad JSON" in done.stderr, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as directory:
        test_agreement(directory)
        test_golden(directory)
        test_types(directory)
        test_refusals(directory)
        test_explain(directory)
        test_options(directory)
        test_commands(directory)
        test_bench()
        test_damping(directory)
        test_resume(directory)
        test_like(directory)
        test_table(directory)
        test_topology(directory)
    finish()


if __name__ == "__main__":
    main()
