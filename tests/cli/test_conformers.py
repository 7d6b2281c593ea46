# SPDX-License-Identifier: BSD-3-Clause
# Conformers of SMILES: several of each for every command, cut runs that go on, shards.
import gzip
import math
import pathlib
import re
import signal
import subprocess
import time

from program import PROGRAM, check, equal, near, run, run_each, run_json, write

SMILES = """CCO ethanol
CC(=O)[O-] acetate
OCC(O)C(O)CO tetraol
C/C=C/CCO pentenol
N[C@@H](C)C(=O)N[C@@H](CO)C(=O)O dipeptide
"""
# Random starts seldom become one.
CAGE = "CN1CC[C@]23c4c5ccc(O)c4O[C@H]2[C@@H](O)C=C[C@H]3[C@H]1C5 morphine\n"
# Enough of them that a run can be stopped on its way.
MANY = "".join(f"{'C' * (k % 9)}C(O)C{'OC' * (k % 5)}N m{k}\n" for k in range(120))
RUNS = ("--checkpoint-every", "0.001", "--threads", "2", "-q")


def check_systems(directory):
    """Every command makes the same conformers, and says which is which."""
    path = write(directory, "some.smi", SMILES)
    several = ("--conformers", 3, "--conformer-seed", 5)
    relaxed = run_json("relax", "--json", path, *several)
    embedded = run_json("embed", "--json", path, "--conformers", 3, "--seed", 5)
    equal([r["index"] for r in relaxed], list(range(15)), "numbers of conformers in the whole input")
    equal([r["record"] for r in relaxed], [k // 3 for k in range(15)], "their records")
    equal([r["conformer"] for r in relaxed], [k % 3 for k in range(15)], "their numbers")
    equal({r["smiles"] for r in relaxed[3:6]}, {"CC(=O)[O-]"}, "their SMILES")
    equal([r["name"] for r in relaxed[:3]], ["ethanol"] * 3, "their names")
    equal(relaxed, embedded, "relax --conformers and embed")
    first = run_json("relax", "--json", path, "--conformer-seed", 5)
    equal([r["energy"] for r in first], [r["energy"] for r in relaxed[::3]], "conformer 0 alone, and among three")
    check("conformer" not in first[0] and "variant" not in first[0], "one conformer of each has no number")
    other = run_json("relax", "--json", path, "--conformers", 3, "--conformer-seed", 6)
    check([r["energy"] for r in other] != [r["energy"] for r in relaxed], "another seed gives other conformers")
    for device in ("ref", "shadow:cpu"):
        seen = run_json("energy", "--json", "--device", device, "--positions", path, *several)
        mine = run_json("energy", "--json", "--positions", path, *several)
        equal([r["positions"] for r in seen], [r["positions"] for r in mine], f"conformers on {device}")
    dumped = run_json("check", "--json", "--dump", "positions", path)[0]["fields"]["positions"]["values"]
    check(len({tuple(p) for p in dumped}) == 9, "a check computes conformers")
    single = run_json("energy", "--json", path, *several)
    equal([r["energy"] for r in single], [r["energy0"] for r in relaxed], "single points of the conformers")


def check_variants(directory):
    """Scans and searches of every conformer, as of files that hold them."""
    path = write(directory, "some.smi", SMILES.splitlines()[2] + "\n")
    run("embed", "-q", path, "--conformers", 2, "--seed", 5, "--fmax", 0.05, "-o", f"{directory}/two.xyz")
    scan = ("scan", "--json", "--coordinate", "torsion:0,1,2,4=0:120:60")
    of_smiles = run_json(*scan, path, "--conformers", 2, "--conformer-seed", 5)
    equal([(r["conformer"], r["variant"]) for r in of_smiles], [(c, v) for c in (0, 1) for v in (0, 1, 2)], "points of the scans")
    equal(len({r["energy"] for r in of_smiles}), 6, "energies of two scans that differ")
    single = run_json(*scan, path, "--conformer-seed", 5)
    equal([r["energy"] for r in single], [r["energy"] for r in of_smiles[:3]], "the scan of conformer 0")
    search = run_json("search", "--json", "--starts", 4, path, "--conformers", 2)
    equal([r["rank"] for r in search].count(1), 2, "searches of each conformer")
    md = run_json("md", "--json", "--steps", 5, path, "--conformers", 2, "--copies", 3)
    equal([(r["conformer"], r["copy"]) for r in md], [(c, k) for c in (0, 1) for k in range(3)], "copies of conformers")
    check(md[0]["etot0"] != md[3]["etot0"], "dynamics begin at conformers that differ")
    planned = run("relax", "--dry-run", "--json", path, "--conformers", 7)
    check('"systems":7' in planned.stdout, f"a plan of conformers: {planned.stdout}")


def check_fields(directory):
    path = write(directory, "some.smi", SMILES)
    out = f"{directory}/out.sdf"
    equal(run("relax", "-q", path, "--conformers", 2, "-o", out).returncode, 0, "exit code")
    text = open(out).read()
    equal(re.findall(r"> <conformer>\n(.*)", text), ["0", "1"] * 5, "numbers in the SD file")
    equal(re.findall(r"> <smiles>\n(.*)", text)[2:4], ["CC(=O)[O-]"] * 2, "SMILES in the SD file")
    equal(text.splitlines()[0], "ethanol", "title")
    nameless = run("embed", "-q", "--conformers", 1, "-o", "-", "--output-format", "sdf", "--format", "smi", "-", stdin="CCO\n")
    equal(nameless.stdout.splitlines()[0], "CCO", "the SMILES is the title of a line without a name")


def check_not_found(directory):
    """One that is not found has no coordinates, and its own reason, whatever else of its record was found."""
    path = write(directory, "cage.smi", CAGE)
    command = ("embed", path, "--conformers", 30, "--tries", 1)
    whole, shard = f"{directory}/whole.sdf", f"{directory}/shard.sdf"
    rows = run_json(*command, "--json", "-o", whole, code=1)
    records = open(whole).read().split("$$$$\n")
    lost = [r["conformer"] for r in rows if r["status"] == "untyped"]
    check(0 < len(lost) < 30, f"{len(lost)} of 30 are not found")
    for k, record in enumerate(records[:30]):
        places = {line[:30] for line in record.splitlines()[4:] if re.match(r"( +-?\d+\.\d{4}){3} ", line)}
        equal(len(places) == 1, k in lost, f"conformer {k} is at one place")
        equal(record.splitlines()[1].split()[-1], "0D" if k in lost else "3D", f"dimension of conformer {k}")
    run(*command, "--shard", f"{lost[0]}/30", "-o", shard)
    equal(open(shard).read(), records[lost[0]] + "$$$$\n", "the same bytes alone")
    none = run_json("embed", "--smiles", "C12C3C4C1C5C2C3C45", "--conformers", 3, "--tries", 1, "--json", code=1)
    check(len({r["reason"] for r in none}) == 3 and all(r["status"] == "untyped" for r in none), f"each has its own reason: {none}")


def check_charges(directory):
    """QEq charges are those of the geometry, not of a molecule without one."""
    path = write(directory, "some.smi", SMILES)
    for several in ((), ("--conformers", 2)):
        out = f"{directory}/out.sdf"
        made = run_json("energy", "--json", "--charges", "qeq", path, *several, "-o", out)
        again = run_json("energy", "--json", "--charges", "qeq", out)
        for a, b in zip(made, again):
            near(a["energy"], b["energy"], 1e-5, f"QEq of {a['name']}, and of its file")


def check_kept(directory):
    """The low and different ones, by the rule worked out here once more."""
    path = write(directory, "some.smi", "OCCC(C)O diol\nCCCCC pentane\nC methane\n[Rf] heavy\n")
    command = ("embed", "--json", path, "--conformers", 40, "--seed", 2)
    every = run_json(*command, code=1)
    kept = run_json(*command, "--keep", 4, "--window", 0.1, "--rmsd", 0.3, "--temperature", 500, code=1)
    for name, most in (("diol", 4), ("pentane", 4), ("methane", 1)):
        mine = [r for r in kept if r["name"] == name]
        all_of_it = {r["index"]: r for r in every if r["name"] == name}
        ranked = sorted(mine, key=lambda r: r["conformer_rank"])
        equal([r["conformer_rank"] for r in ranked], list(range(1, len(mine) + 1)), f"ranks of {name}")
        check(1 <= len(mine) <= most, f"{name}: {len(mine)} kept")
        equal([r["index"] for r in mine], sorted(r["index"] for r in mine), f"{name}: in the order of the input")
        equal([r["energy"] for r in mine], [all_of_it[r["index"]]["energy"] for r in mine], f"{name}: energies of those that are kept")
        lowest = min(r["energy"] for r in all_of_it.values())
        near(ranked[0]["energy"], lowest, 0, f"{name}: the lowest is kept")
        heights = [r["energy"] - lowest for r in ranked]
        check(heights == sorted(heights) and heights[-1] <= 0.1, f"{name}: heights {heights}")
        weights = [math.exp(-h / (8.617333262e-5 * 500)) for h in heights]
        for r, h, w in zip(ranked, heights, weights):
            near(r["conformer_relative_energy"], h, 1e-9, f"{name}: height")
            near(r["conformer_weight"], w / sum(weights), 1e-9, f"{name}: weight")
    equal([(r["name"], r["status"]) for r in kept][-1], ("heavy", "untyped"), "one that has none is told once")
    three = [r for r in run_json(*command, "--keep", 3, code=1) if r["name"] == "diol"]
    weights = [math.exp(-r["conformer_relative_energy"] / (8.617333262e-5 * 298.15)) for r in three]
    for r, w in zip(three, weights):
        near(r["conformer_weight"], w / sum(weights), 1e-9, "weights at the temperature that is the default")
    tight = run_json("embed", "--json", "--smiles", "OCCC(C)O", "--conformers", 3, "--keep", 2, "--fmax", 1e-11, "--precision", "float", code=1)
    equal([r["status"] for r in tight], ["stalled"] * len(tight), "in float nothing comes so far")
    equal(sorted(r["conformer_rank"] for r in tight), list(range(1, len(tight) + 1)), "what has stalled is ranked, too")
    one = [r["index"] for r in run_json(*command, "--keep", 1, code=1)]
    equal(len(one), 4, "the lowest alone")
    alike = run_json(*command, "--keep", 40, "--rmsd", 0, code=1)
    equal(sorted(r["index"] for r in alike), [r["index"] for r in every if r["name"] != "heavy"] + [120], "none is the same as another")
    check(len(run_json(*command, "--rmsd", 5, code=1)) == 4, "all are the same within 5 A")
    near_ones = [run_json(*command, *rmsd, code=1) for rmsd in (("--keep", 40), ("--rmsd", 0.5), ("--rmsd", 0.25))]
    equal([r["index"] for r in near_ones[0]], [r["index"] for r in near_ones[1]], "0.5 A by default")
    check(len(near_ones[2]) > len(near_ones[1]), "more of them within 0.25 A")
    equal(len(run_json("embed", "--json", "--smiles", "[H][H]", "--conformers", 4, "--keep", 3)), 1, "a molecule of hydrogen alone has one")
    out = f"{directory}/kept.sdf"
    run(*command[:1], *command[2:], "-q", "--keep", 2, "-o", out)
    text = open(out).read()
    equal(len(re.findall("> <conformer_weight>", text)), text.count("> <conformer_rank>"), "weights in the SD file")
    weights = [float(w) for w in re.findall(r"> <conformer_weight>\n(.*)", text)]
    near(sum(weights), 3, 1e-9, "weights of three molecules")


def check_warnings(directory):
    """Conformers whose charges are settled in rounds keep one warning of each kind."""
    path = write(directory, "radical.xyz", "7\nethyl\nC 0 0 0\nC 1.53 0 0\nH -0.4 1.02 0\nH -0.4 -0.51 0.88\nH -0.4 -0.51 -0.88\n"
                 "H 1.93 1.02 0\nH 1.93 -0.51 0.88\n")
    for row in run_json("relax", "--json", "-q", "--charges", "qeq", "--conformers", 2, "--cell", "full", path):
        equal([len(row["warning"].split(text)) for text in ("unpaired electron", "its cell")], [2, 2], f"each warning once: {row['warning']}")


def check_smiles(directory):
    """As words of the command, and in columns of tables."""
    rows = run_json("embed", "--json", "--conformers", 1, "--smiles", "CCO ethanol", "--smiles", "C#N")
    equal([(r["name"], r["natoms"], r["file"]) for r in rows], [("ethanol", 9, "smiles:CCO ethanol"), ("C#N", 3, "smiles:C#N")], "two words")
    path = write(directory, "some.smi", SMILES)
    both = run_json("energy", "--json", "--smiles", "CCO", path)
    equal([r["name"] for r in both][-2:], ["dipeptide", "CCO"], "words stand behind files")
    equal(both[0]["energy"], both[-1]["energy"], "the same SMILES from a file and as a word")
    bad = run_json("energy", "--json", "--smiles", "C(", "--smiles", "CC", code=1)
    equal([r["status"] for r in bad], ["unreadable", "ok"], "a bad one costs itself")
    none = run("energy")
    check(none.returncode == 2 and "0 files" in none.stderr, f"neither: {none.stderr}")
    piped = run_json("energy", "--json", "--format", "smi", "-", stdin=SMILES)
    plain = run_json("energy", "--json", path)
    equal([r["energy"] for r in piped], [r["energy"] for r in plain], "standard input")
    packed = write(directory, "some.smi.gz", gzip.compress(SMILES.encode()))
    equal([r["energy"] for r in run_json("energy", "--json", packed)], [r["energy"] for r in plain], "gzip")
    lines = [line.split() for line in SMILES.splitlines()]
    for ending, separator in (("csv", ","), ("tsv", "\t"), ("csv", ";")):
        table = separator.join(("ID", "Canonical_SMILES", "other")) + "\n"
        table += "".join(separator.join((name, f'"{smiles}"', '"a ""b"" ' + separator + '"')) + "\r\n" for smiles, name in lines)
        path = write(directory, f"table.{ending}", "\n" + table + "\n")
        rows = run_json("energy", "--json", path, "-o", f"{directory}/out.sdf")
        equal([(r["name"], r["energy"]) for r in rows], [(r["name"], r["energy"]) for r in plain], f"a table with {separator!r}")
        other = re.findall(r"> <other>\n(.*)", open(f"{directory}/out.sdf").read())
        equal(other, [f'a "b" {separator}'.strip()] * 5, "another column")
        check("Canonical_SMILES" not in open(f"{directory}/out.sdf").read(), "the column with the SMILES is no data field")
        unzipped = write(directory, f"table.{ending}.gz", gzip.compress(path.read_bytes()))
        equal([r["energy"] for r in run_json("energy", "--json", unzipped)], [r["energy"] for r in plain], "a table in gzip")
    named = write(directory, "named.csv", 'n,mol\nfirst,CCO\n"sec\nond",C(\nthird,\n,C\n')
    rows = run_json("energy", "--json", named, "--smiles-column", "MOL", code=1)
    equal([r["status"] for r in rows], ["ok", "unreadable", "unreadable", "ok"], "rows of a table")
    equal([r["line"] for r in rows if "line" in r], [3, 5], "lines of rows that cannot be read")
    first = write(directory, "first.csv", "\nsmiles\nC(\nC\n")
    rows = run_json("energy", "--json", first, code=1)
    check(rows[0]["line"] == 3 and ":3:" in rows[0]["reason"], f"the line of the first row: {rows[0]}")
    wrong = run_json("energy", "--json", named, code=1)
    check("no column of SMILES" in wrong[0]["reason"] and "'smiles'" in wrong[0]["reason"], wrong[0]["reason"])


def check_refused(directory):
    path = write(directory, "some.smi", SMILES)
    slab = f"{directory}/slab.xyz"
    run("slab", "rocksalt", "NaCl", "--size", "2x2", "-o", slab, "-q")
    on = ("relax", path, "--surface", slab, "--height", 3, "--grid", "off")
    for arguments, word in (((*on, "--conformers", 2, "--adsorption"), "adsorption"),
                            ((*on, "--conformers", 2, "--movable-layers", 1), "layers that move"),
                            (("relax", path, "--conformers", 2, "--keep-flat"), "flat"),
                            (("relax", path, "--conformers", 0), "conformers")):
        done = run(*arguments)
        check(done.returncode in (2, 3) and word in done.stderr, f"{arguments}: {done.returncode} {done.stderr}")
    placed = run_json("energy", "--json", "--positions", *on[1:], "--conformers", 2)
    equal(len(placed), 10, "conformers on a surface")
    top = max(float(line.split()[3]) for line in open(slab).read().splitlines()[2:])
    for row in placed:
        near(min(p[2] for p in row["positions"]) - top, 3, 1e-6, f"height of conformer {row['conformer']} of {row['name']}")


def cut_and_go_on(directory, command, n_times=1, merged=0):
    """A run that is stopped, killed and resumed writes the bytes of one that is not."""
    path = write(directory, "many.smi", MANY * n_times)
    whole, parts = f"{directory}/whole.sdf", f"{directory}/parts.sdf"
    equal(run(*command, path, "-q", "--threads", 1, "-o", whole).returncode, 0, f"{command}: whole")
    size = len(open(whole, "rb").read())
    cut = [*command, path, *RUNS, "-o", parts]
    process = subprocess.Popen([PROGRAM, *map(str, cut)], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    until = time.monotonic() + 20
    while process.poll() is None and time.monotonic() < until:
        if any(p.stat().st_size > size // 4 for p in pathlib.Path(directory).glob("parts.sdf*") if "checkpoint" not in p.name):
            break
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    equal(process.wait(), -signal.SIGKILL, f"{command}: killed on its way")
    stopped = run(*cut, "--resume", "--max-hours", 1e-5)
    check(stopped.returncode in (0, 75), f"{command}: stopped, or quicker than that: {stopped.returncode} {stopped.stderr}")
    done = run(*cut, "--resume")
    equal(done.returncode, 0, f"{command}: resumed: {done.stderr}")
    check(open(parts, "rb").read() == open(whole, "rb").read(), f"{command}: whole, and resumed after a kill and a stop")
    shards = []
    for k in range(3):
        shards.append(f"{directory}/shard{k}.sdf")
        equal(run(*command, path, "-q", "--shard", f"{k}/3", "-o", shards[-1]).returncode, 0, f"{command}: shard {k}")
    together = f"{directory}/merged.sdf"
    equal(run("merge", *shards, "-o", together, "-q").returncode, merged, f"{command}: merge")
    check(open(together, "rb").read() == open(whole, "rb").read(), f"{command}: whole and merged shards")


def check_embed_goes_on(directory):
    cut_and_go_on(directory, ("embed", "--conformers", 9))


def check_kept_goes_on(directory):
    cut_and_go_on(directory, ("embed", "--conformers", 9, "--keep", 3), merged=1)  # which tells of numbers that are missing


def check_relax_goes_on(directory):
    cut_and_go_on(directory, ("relax", "--conformers", 5, "--conformer-seed", 3), 3)


def check_one_each_goes_on(directory):
    cut_and_go_on(directory, ("relax",), 10)


run_each((check_systems, check_variants, check_fields, check_not_found, check_charges, check_kept, check_warnings, check_smiles, check_refused, check_embed_goes_on, check_kept_goes_on, check_relax_goes_on,
          check_one_each_goes_on))
