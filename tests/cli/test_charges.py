# SPDX-License-Identifier: BSD-3-Clause
# Formal charges and bond orders from bare coordinates: totals that are kept, lengths that decide, and an order of
# atoms that does not matter.
import pathlib
import random
import re
import tempfile

from program import CASES, check, energies, equal, finish, near, run, run_json, write

AMMONIUM = "N 0 0 0\nH 0.6 0.6 0.6\nH 0.6 -0.6 -0.6\nH -0.6 0.6 -0.6\nH -0.6 -0.6 0.6\n"
NITROMETHANE = ["C -1.49 0 0", "N 0 0 0", "O 0.625 1.0825 0", "O 0.69 -1.195 0", "H -1.85 1 0"]
NITROMETHANE += ["H -1.85 -0.5 0.87", "H -1.85 -0.5 -0.87"]


def read_frames(path):
    """Comment and atom lines of every frame."""
    lines = path.read_text().splitlines()
    frames = []
    while lines:
        n = int(lines[0])
        frames.append((lines[1], lines[2 : n + 2]))
        lines = lines[n + 2 :]
    return frames


def frame(comment, atoms):
    return "\n".join([str(len(atoms)), comment, *atoms]) + "\n"


def charge_of(comment):
    return int(re.search(r"charge=(-?\d+)", comment)[1])


def move(atom, rng, by):
    symbol, *at = atom.split()[:4]
    return " ".join([symbol] + ["%.4f" % (float(x) + rng.gauss(0, by)) for x in at])


def test_totals(directory):
    frames = read_frames(CASES / "ions.xyz")
    check(len(frames) > 120, f"{len(frames)} ions")
    for row, (comment, _) in zip(run_json("types", "--json", CASES / "ions.xyz"), frames):
        equal(row["status"], "ok", f"{comment}: {row.get('reason')}")
        equal(sum(row["formal_charges"]), charge_of(comment), comment)
    rng = random.Random(4)
    for by in (0.02, 0.06):
        moved = [frame(c, [move(a, rng, by) for a in atoms]) for c, atoms in frames]
        path = write(directory, "moved.xyz", "".join(moved))
        rows = run_json("types", "--json", path, code=None)
        kept = [r for r in rows if r["status"] == "ok"]
        check(len(kept) > 0.97 * len(rows), f"{len(kept)} of {len(rows)} moved by {by} are typed")
        for row, (comment, _) in zip(rows, frames):
            if row["status"] == "ok":
                equal(sum(row["formal_charges"]), charge_of(comment), f"{comment} moved by {by}")
            else:
                check("total charge" in row["reason"], f"{comment}: {row['reason']}")


def test_option(directory):
    """The option gives what the file does not say; without either, ions with full shells are refused."""
    for comment, atoms in read_frames(CASES / "ions.xyz")[::5]:
        bare = re.sub(r" charge=-?\d+", "", comment)
        path = write(directory, "ion.xyz", frame(bare, atoms))
        (row,) = run_json("types", "--json", "--charge", charge_of(comment), path)
        equal(sum(row["formal_charges"]), charge_of(comment), f"{bare} with --charge")


def test_order_of_atoms(directory):
    rng = random.Random(5)
    for name in ("ions.xyz", "perceive.xyz"):
        frames = read_frames(CASES / name)
        frames = [(re.sub(r"total=", "charge=", c), a) for c, a in frames]
        texts = []
        for k in range(3):
            texts.append("".join(frame(c, a if k == 0 else rng.sample(a, len(a))) for c, a in frames))
        first, *others = [
            energies(write(directory, f"{k}.xyz", text), code=None) for k, text in enumerate(texts)
        ]
        equal(len(first), len(frames), f"frames of {name}")
        for rows in others:
            for a, b in zip(first, rows):
                equal(b["status"], a["status"], f"{name}: status of {a['name']} in another order")
                if a["status"] == "ok":
                    near(b["energy"], a["energy"], 1e-9, f"{name}: {a['name']} in another order")


def test_lengths(directory):
    swapped = [NITROMETHANE[k] for k in (0, 1, 3, 2, 4, 5, 6)]
    text = frame("a", NITROMETHANE) + frame("b", swapped)
    path = write(directory, "nitromethane.xyz", text)
    a, b = energies(path)
    near(a["energy"], b["energy"], 1e-9, "nitromethane with its oxygen atoms swapped")
    a, b = run_json("types", "--json", path)
    check([1, 2, 2] in a["bonds"] and [1, 3, 2] in b["bonds"], "the shorter bond is the double one")


def test_refused(directory):
    path = write(directory, "none.xyz", f"5\nammonium\n{AMMONIUM}")
    (row,) = run_json("types", "--json", path, code=1)
    equal(row["status"], "untyped", "ammonium without a charge")
    equal(row["reason"], "no bond orders give the total charge 0; those that fit best have 1", "reason")
    run_json("types", "--json", "--charge", 1, path)
    stated = write(directory, "stated.xyz", f"5\nname=ammonium charge=1\n{AMMONIUM}")
    (row,) = run_json("types", "--json", stated)
    equal(row["formal_charges"], [1, 0, 0, 0, 0], "charge= of the file")
    for asked in (0, -1):  # the option wins
        (row,) = run_json("types", "--json", "--charge", asked, stated, code=1)
        check(f"total charge {asked};" in row["reason"], row["reason"])
    out = str(directory / "out.xyz")
    run("convert", stated, "-o", out)
    check("charge=1" in open(out).read(), "convert keeps the charge")
    (row,) = run_json("types", "--json", out)
    equal(sum(row["formal_charges"]), 1, "and it is read again")


def star(centre, partner, n, order):
    lines = ["star", "", "", f"{n + 1:3d}{n:3d}  0  0  0  0  0  0  0  0999 V2000"]
    for k in range(n + 1):
        symbol = centre if k == 0 else partner
        lines.append(f"{1.1 * k:10.4f}{0:10.4f}{0:10.4f} {symbol:3s} 0  0")
    lines += [f"  1{k + 2:3d}{order:3d}  0" for k in range(n)]
    return "\n".join(lines + ["M  END", "$$$$", ""])


def test_impossible(directory):
    path = write(directory, "stars.sdf", star("H", "C", 8, 1) + star("N", "O", 4, 2))
    h, n = run_json("types", "--json", path, code=1)
    equal(h["reason"], "atom 0 (H): valence 8; no H has more than 2", "hydrogen with eight bonds")
    equal(n["reason"], "atom 0 (N): valence 8; no N has more than 5", "nitrogen with four double bonds")


# A file's charges switch Coulomb energies on: rows and the summary say whose they are.
def test_whose(directory):
    waters = "".join(
        f"3\nProperties=species:S:1:pos:R:3{column} name=w\n"
        + "".join(f"{a} {q}\n" for a, q in zip(["O 0 0 0", "H 0.96 0 0", "H -0.24 0.93 0"], charges))
        for column, charges in ((":charge:R:1", (-0.8, 0.4, 0.4)), ("", ("", "", "")))
    )
    path = write(directory, "waters.xyz", waters)
    for options, words in (
        ((), ["file", "none"]),
        (("--charges", "none"), ["none", "none"]),
        (("--charges", "qeq"), ["qeq", "qeq"]),
    ):
        for command in ("types", "energy", "relax"):
            rows = run_json(command, "--json", *options, path)
            equal([row["charges_from"] for row in rows], words, f"{command} {options}")
    said = {"file": "of the file in 1 system, none in 1", "qeq": "by QEq in 2 systems"}
    for source, text in said.items():
        options = ["--charges", "qeq"] if source == "qeq" else []
        done = run("energy", *options, path)
        equal(done.stderr.count("charges, and so Coulomb energies: " + text + "\n"), 1, source)
        check("charges" not in run("energy", "-q", *options, path).stderr, "said with -q")
    check("charges" not in run("energy", "--charges", "none", path).stderr, "said without charges")
    out = str(directory / "waters.h5")
    run("energy", "-q", path, "-o", out, "--checkpoint", str(directory / "c"))
    rows = run_json("types", "--json", out)
    equal([row["charges_from"] for row in rows], ["file", "none"], "read back")


def main():
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        test_totals(directory)
        test_option(directory)
        test_order_of_atoms(directory)
        test_lengths(directory)
        test_refused(directory)
        test_impossible(directory)
        test_whose(directory)
    finish()


if __name__ == "__main__":
    main()
