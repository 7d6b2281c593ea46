# SPDX-License-Identifier: BSD-3-Clause
# Slabs from the command line, molecules on them, and what is refused.
import os
import pathlib
import tempfile

from program import METHANE, TOP, check, energies, equal, finish, near, run, run_json, write

CHARGED = (
    "3\nProperties=species:S:1:pos:R:3:initial_charges:R:1\n"
    "O 1.0 1.0 3.2 -0.8\nH 1.9 1.1 3.3 0.4\nH 0.7 1.9 3.4 0.4\n"
)
TYPES = (
    "Na * Na E 1 0 0 0 1.0 1.4915 0.0013 0.9 0.0\n"
    "Cl * Cl E 1 0 0 0 1.0 1.9735 0.0098 -0.9 -0.5\n"
    "O_3 * O E 2 2 0 0 0.7 1.75 0.0026 -0.8 0.0\n"
    "H_O * H E 1 0 0 0 0.3 1.443 0.0019 0.4 0.8\n"
)


def lifted(text, height):
    lines = text.splitlines()
    for k, line in enumerate(lines[2:], 2):
        words = line.split()
        lines[k] = " ".join(words[:3] + [str(float(words[3]) + height)] + words[4:])
    return "\n".join(lines) + "\n"


def slab(folder, name, *arguments):
    path = pathlib.Path(folder) / name
    done = run("slab", *arguments, "-o", path)
    equal(done.returncode, 0, f"slab {arguments}: {done.stderr}")
    return path


def frames(path):
    """Symbols and positions of all frames of an xyz file."""
    lines, out = pathlib.Path(path).read_text().splitlines(), []
    while lines:
        n = int(lines[0])
        rows = [line.split() for line in lines[2:2 + n]]
        out.append([(row[0], [float(x) for x in row[1:4]]) for row in rows])
        lines = lines[2 + n:]
    return out


def nearest(atoms, surface):
    """Smallest distance of any atom from any image of any atom of a rectangular surface."""
    cell = surface.read_text().split('Lattice="')[1].split('"')[0].split()
    a, b = float(cell[0]), float(cell[4])
    best, sites = 1e9, frames(surface)[0]
    for _, r in atoms:
        for _, s in sites:
            x, y = r[0] - s[0], r[1] - s[1]
            x, y = x - a * round(x / a), y - b * round(y / b)
            best = min(best, (x * x + y * y + (r[2] - s[2]) ** 2) ** 0.5)
    return best


def test_salts(folder):
    """Molecules with charges rest on salts, wherever they are computed."""
    demo = TOP / "examples" / "demo.sdf"
    out = pathlib.Path(folder) / "rest.xyz"
    for salt, q in (("NaCl", "0.9"), ("KBr", "0.9"), ("MgO", "1.7")):
        surface = slab(folder, f"{salt}.xyz", "rocksalt", salt, "--charge", q)
        ways = [("off", "cpu"), ("auto", "cpu"), ("off", "opencl:cpu")] if salt == "NaCl" else [("off", "cpu")]
        for grid, device in ways:
            what = f"{salt}, --grid {grid}, {device}"
            rows = run_json("relax", "-q", "--json", "--charges", "qeq", "--surface", surface, "--height", "3", "--grid", grid,
                            "--device", device, "-o", out, demo)
            equal({row["status"] for row in rows}, {"converged"}, what)
            for row, atoms in zip(rows, frames(out)):
                r = nearest(atoms, surface)
                check(r > 1.6, f"{what}: {row['name']} is {r} A away")
            if salt == "NaCl":
                near(rows[0]["terms"]["surface"], -0.4, 0.1, f"{what}: water on salt binds as in the literature")


def test_collapse(folder):
    """The soft wall of Morse gives way to charges, and that is said."""
    demo = TOP / "examples" / "demo.sdf"
    surface = slab(folder, "soft.xyz", "rocksalt", "NaCl", "--charge", "0.9")
    soft = ["relax", "--charges", "qeq", "--surface", surface, "--height", "3", "--json"]
    for form in (["--surface-form", "morse"], ["--alpha", "1.5"]):
        water = run_json(*soft, *form, "--grid", "auto", demo, code=1)[0]
        equal(water["status"], "collapsed", "water in a soft wall")
        check("(O)" in water["reason"] and "(Na) of the surface" in water["reason"], water["reason"])
    out, kept = (pathlib.Path(folder) / name for name in ("fallen.xyz", "fallen.h5"))
    water = run_json(*soft, "--surface-form", "morse", "--grid", "auto", "-o", out, "-o", kept, demo, code=1)[0]
    check(water["energy"] < -1, "the energy of what collapsed is kept")
    check(nearest(frames(out)[0], surface) < 1, "and so is its geometry")
    equal(run("convert", kept, "-o", pathlib.Path(folder) / "again.xyz").returncode, 0, "results of what collapsed are read")
    check(nearest(frames(pathlib.Path(folder) / "again.xyz")[0], surface) < 1, "with their geometry")
    check(b"collapsed" in kept.read_bytes(), "the name of the status is in the file")
    done = run(*soft, "--surface-form", "lj", "--alpha", "1.5", demo)
    equal(done.returncode, 2, "an alpha that nobody would use")


def test_charge_warnings(folder):
    """Charges on one side alone come to nothing; surfaces of one element are neutral by symmetry."""
    demo = TOP / "examples" / "demo.sdf"
    salt = slab(folder, "on.xyz", "rocksalt", "NaCl", "--charge", "0.9")
    bare = slab(folder, "bare.xyz", "rocksalt", "NaCl", "--charge", "0")
    gold = slab(folder, "au.xyz", "fcc", "Au")
    cases = ((salt, "none", "the molecule has none"), (salt, "qeq", None), (bare, "none", None),
             (bare, "qeq", "the surface has none"), (gold, "qeq", None))
    for surface, charges, want in cases:
        rows = run_json("energy", "-q", "--json", "--surface", surface, "--grid", "off", "--height", "3", "--charges", charges, demo)
        for row in rows:
            said = row.get("warning", "")
            check(want in said if want else said == "", f"{surface.name}, {charges}: '{said}'")
    rows = run_json("energy", "-q", "--json", "--terms", "bond", "--surface", salt, "--grid", "off", "--height", "3", demo)
    check("warning" not in rows[0], "a surface that is switched off")


def test_slabs(folder):
    salt = slab(folder, "salt.xyz", "rocksalt", "NaCl", "--size", "16x16", "--charge", "0.9")
    text = salt.read_text().splitlines()
    equal(text[0], "1536", "atoms of a 16x16 salt slab")
    check('pbc="T T F"' in text[1] and "NaCl(001) 16x16x3" in text[1], "cell and name of the slab")
    check(slab(folder, "gold.xyz", "fcc", "Au", "--facet", "100").read_text().startswith("48\n"),
          "atoms of a gold slab")
    check(slab(folder, "gr.extxyz", "graphene", "--size", "3x5").read_text().startswith("30\n"),
          "atoms of graphene")
    check(slab(folder, "step.xyz", "rocksalt", "--step", "1", "--vacancy", "40,41")
          .read_text().startswith("70\n"), "atoms of a slab with a step and vacancies")
    for n, arguments in {
        96: ("bcc", "W"), 48: ("hcp", "Mg"), 144: ("fluorite", "CaF2", "--layers", "3"),
        128: ("rocksalt", "KBr", "--facet", "110"), 64: ("h-bn", "--layers", "2"), 80: ("fcc", "--facet", "110",
                                                                                      "--layers", "5"),
    }.items():
        check(slab(folder, "kind.xyz", *arguments).read_text().startswith(f"{n}\n"), f"atoms of {arguments}")
    wrong = {
        "unknown kind 'sc'; expected rocksalt, fluorite, fcc, bcc, hcp, graphene or h-bn": ("sc",),
        "facet '111': (111) of rocksalt is polar": ("rocksalt", "--facet", "111", "-o", "x.xyz"),
        "facet '100': (100) of fluorite is polar": ("fluorite", "--facet", "100", "-o", "x.xyz"),
        "facet '211': expected 110, 100, 111 of bcc": ("bcc", "--facet", "211", "-o", "x.xyz"),
        "expected two elements, e.g. NaCl, CaF2": ("fluorite", "Ca", "-o", "x.xyz"),
        "'NaCl2': expected two elements": ("rocksalt", "NaCl2", "-o", "x.xyz"),
        "c belongs to hcp": ("fcc", "--c", "5", "-o", "x.xyz"),
        "no output": ("graphene",),
        "expected two elements": ("rocksalt", "Na", "-o", "x.xyz"),
        "no lattice constant of Fe": ("fcc", "Fe", "-o", "x.xyz"),
        "--size '4': expected two": ("graphene", "--size", "4", "-o", "x.xyz"),
        "--size '4294967300x4': expected two": (
            "graphene", "--size", "4294967300x4", "-o", "x.xyz"),
        "--vacancy '1;2'": ("graphene", "--vacancy", "1;2", "-o", "x.xyz"),
        "vacancies and adatoms leave a charge of -0.9 e": (
            "rocksalt", "--charge", "0.9", "--vacancy", "0", "-o", "x.xyz"),
        "facet '111': graphene is a sheet": ("graphene", "--facet", "111", "-o", "x.xyz"),
        "--output 'x.sdf': SD files have no place": ("rocksalt", "-o", "x.sdf"),
        "--output 'x.mol.gz': SD files have no place": ("graphene", "-o", "x.mol.gz"),
    }
    for reason, arguments in wrong.items():
        done = run("slab", *arguments, cwd=folder)
        equal(done.returncode, 2, f"exit code of slab {arguments}")
        check(reason in done.stderr, f"slab {arguments}: {done.stderr!r} names {reason!r}")
    equal(list(pathlib.Path(folder).glob("x.*")), [], "files that refused slabs leave")


def test_slab_charges(folder):
    for what, said in {
        ("rocksalt",): "charges: Na +0.9, Cl -0.9 e (default; --charge sets others)",
        ("rocksalt", "MgO"): "charges: Mg +1.8, O -1.8 e (default",
        ("fluorite", "CeO2"): "charges: O -1.11, Ce +2.221 e (default",
        ("h-bn",): "charges: B +0.4, N -0.4 e (default",
        ("rocksalt", "TiN", "--a", "4.235"): "charges: none is known of this material; --charge sets them",
        ("bcc", "Fe"): "note: no parameters were fitted to adsorption on Fe",
    }.items():
        done = run("slab", *what, "-o", pathlib.Path(folder) / "said.xyz")
        check(said in done.stderr, f"slab {what} says {said!r}: {done.stderr!r}")
    for what in (("rocksalt", "--charge", "0"), ("rocksalt", "--charge", "0.5"), ("fcc", "Cu"), ("graphene",)):
        done = run("slab", *what, "-o", pathlib.Path(folder) / "said.xyz")
        check("charges:" not in done.stderr and "note:" not in done.stderr, f"slab {what}: {done.stderr!r}")
    bare = slab(folder, "bare.xyz", "rocksalt", "--charge", "0").read_text()
    check("charge" not in bare, "--charge 0 writes none")


def test_energies(folder):
    small = slab(folder, "small.xyz", "rocksalt", "--size", "1x1", "--charge", "0.9")
    large = slab(folder, "large.xyz", "rocksalt", "--size", "5x5", "--charge", "0.9")
    plain = slab(folder, "plain.xyz", "rocksalt", "--size", "2x2")
    water = write(folder, "water.xyz", CHARGED)
    moved = write(folder, "moved.xyz", lifted(CHARGED, 1.0))
    base = energies("--surface", small, water)[0]["terms"]
    check(base["surface"] < -0.01, "water is bound to salt")
    for name, arguments in {
        "a larger cell": ("--surface", large),
        "charges by element": ("--surface", plain, "--surface-charges", "Na=0.9,Cl=-0.9"),
    }.items():
        near(energies(*arguments, water)[0]["terms"]["surface"], base["surface"], 1e-10, name)
    for form in ("morse", "lj"):
        both = [run_json("energy", "--json", "--device", device, "--surface", large,
                         "--surface-form", form, "--grid", "off", water, moved) for device in ("ref", "cpu")]
        for k in range(2):
            near(both[0][k]["energy"], both[1][k]["energy"], 1e-9, f"{form} on ref and cpu")
    damped = energies("--surface", small, "--surface-damping", "1", water)[0]["terms"]["surface"]
    stiff = energies("--surface", small, "--alpha", "2", water)[0]["terms"]["surface"]
    check(len({base["surface"], damped, stiff}) == 3, "damping and alpha change the energy")
    off = energies("--surface", small, "--terms", "bond,angle", water)[0]["terms"]
    equal(off["surface"], 0, "--terms without surface")
    types = write(folder, "types.dat", TYPES)
    hbonds = [energies("--surface", plain, "--params", types, *more, water)[0]["terms"]["surface"]
              for more in ((), ("--no-hbonds",))]
    check(hbonds[0] < hbonds[1] - 1e-6, f"hydrogen bonds take from the wall: {hbonds}")
    table = run("energy", "--surface", small, "--explain", water).stdout
    check("surface" in table.splitlines()[0] and "(height)" in table, "tables show the surface")


MODEL_TYPES = (
    "Na * Na E 1 0 0 0 1.0 1.40 0.0021 0.9 0.3\n"
    "Cl * Cl E 1 0 0 0 1.0 1.95 0.0098 -0.9 -0.5\n"
    "O_3 * O E 2 2 0 0 0.7 1.65 0.0041 -0.8 -0.5\n"
    "H_O * H E 1 0 0 0 0.3 1.21 0.0015 0.4 0.7\n"
    "E_O * E * 0 0 0 0 0 1 0 -0.2 0\n"
)


def model(folder, name, *lines):
    text = "".join(f"{line}\n" for line in ("shoal_pair_model 1", *lines, "types"))
    return write(folder, name, text + MODEL_TYPES)


def test_pair_models(folder):
    salt = slab(folder, "model.xyz", "rocksalt", "NaCl", "--size", "2x2", "--charge", "0.9")
    water = write(folder, "model_water.xyz", CHARGED)
    forms = {"lj": (), "lj8": (), "lj9": (), "morse": ("alpha 1.7",), "buck": (), "morse6": (), "buck6": (),
             "exp6": ("alpha 12.5",)}
    seen = {}
    for form, more in forms.items():
        path = model(folder, f"{form}.dat", f"form {form}", *more, "hbond both", "lambda 0.9",
                     "site O_3 lone_pairs 2 E_O 0.4")
        want, got = (energies("--surface", salt, "--params", path, "--grid", "off", "--device", device, "--precision",
                              "double", water)[0]["terms"]["surface"] for device in ("ref", "cpu"))
        near(got, want, 1e-9 * abs(want), f"{form}: cpu against ref")
        seen[round(want, 6)] = form
    equal(len(seen), len(forms), "every form has its own energy")
    strong, weak = (energies("--surface", salt, "--params", model(folder, "c.dat", "form morse", f"lambda {x}"),
                             "--grid", "off", water)[0]["terms"]["surface"] for x in (1.0, 0.25))
    none = energies("--surface", salt, "--params", model(folder, "n.dat", "form morse", "coulomb none"),
                    "--grid", "off", water)[0]["terms"]["surface"]
    near(weak - none, 0.25 * (strong - none), 1e-5, "lambda scales the charges of molecule and substrate")


def test_model_refusals(folder):
    salt = slab(folder, "refused.xyz", "rocksalt", "NaCl", "--size", "2x2", "--charge", "0.9")
    water = write(folder, "refused_water.xyz", CHARGED)
    morse = model(folder, "morse_model.dat", "form morse")
    own = model(folder, "own.dat", "form formula", "formula E0*(R0/r)^9")
    exp6 = model(folder, "exp6_model.dat", "form exp6")
    sites = model(folder, "sites.dat", "form morse", "site Cl beyond 1 E_O 0.4")
    for arguments, code, text in (
            (("--params", morse, "--alpha", "1.5"), 2, "--alpha contradicts --params"),
            (("--params", morse, "--surface-form", "lj"), 2, "--surface-form contradicts --params"),
            (("--params", morse, "--no-hbonds"), 2, "--no-hbonds contradicts --params"),
            (("--params", morse, "--surface-damping", "1"), 2, "--surface-damping contradicts --params"),
            (("--params", morse, "--movable-layers", "1"), 2, "--movable-layers cannot be combined with the pair model"),
            (("--params", own), 4, "the pair model is a formula"),
            (("--params", sites), 4, "puts sites beside atoms of the type Cl")):
        result = run("energy", "--surface", salt, *arguments, water)
        check(result.returncode == code and text in result.stderr, f"{text}: {result.returncode} {result.stderr}")
    result = run("grid", "build", salt, "--params", exp6, "-o", str(pathlib.Path(folder) / "none.h5"))
    check(result.returncode != 0 and "direct sums can do it" in result.stderr, f"grids refuse exp6: {result.stderr}")
    result = run("energy", "--surface", salt, "--params", exp6, water)
    check(result.returncode == 0 and "direct sums: grid: the pair model cannot be put on one" in result.stderr,
          f"--grid auto falls back: {result.stderr}")


def test_model_grids(folder):
    salt = slab(folder, "gridded.xyz", "rocksalt", "NaCl", "--size", "2x2", "--charge", "0.9")
    water = write(folder, "gridded_water.xyz", CHARGED)
    path = str(pathlib.Path(folder) / "model.h5")
    lj9 = model(folder, "lj9_model.dat", "form lj9", "hbond both", "site O_3 lone_pairs 2 E_O 0.4")
    other = model(folder, "other_model.dat", "form lj9", "hbond none", "site O_3 lone_pairs 2 E_O 0.4")
    result = run("grid", "build", "-q", salt, "--step", "0.15", "--params", lj9, "-o", path)
    equal(result.returncode, 0, f"a grid of a pair model: {result.stderr}")
    check_grid = run("grid", "check", path, "--samples", "300", "--max-de", "0.02", "--max-df", "0.5")
    equal(check_grid.returncode, 0, f"the grid against sums: {check_grid.stdout}")
    sums, read = (energies("--surface", salt, "--params", lj9, "--device", "cpu", "--grid", how, water)[0]["terms"]["surface"]
                  for how in ("off", path))
    near(read, sums, 1e-4, "energies by grid and by sums")
    result = run("energy", "--surface", salt, "--params", other, "--grid", path, water)
    check(result.returncode == 4 and "of other parameters" in result.stderr, f"another model: {result.stderr}")


def test_instruction_sets(folder):
    salt = slab(folder, "isa.xyz", "rocksalt", "--size", "3x3", "--charge", "0.9")
    water = write(folder, "water.xyz", CHARGED)
    for precision in ("float", "double"):
        outputs = set()
        for name in ("base", "avx2", "avx512"):  # a processor without one of them uses a lesser one
            os.environ["SHOAL_CPU"] = name
            outputs.add(run("energy", "--json", "--forces", "--device", "cpu", "--precision",
                            precision, "--grid", "off", "--surface", salt, water).stdout)
        del os.environ["SHOAL_CPU"]
        equal(len(outputs), 1, f"different results of instruction sets in {precision}")


def test_relaxation(folder):
    salt = slab(folder, "bare.xyz", "rocksalt", "--size", "2x2")
    frames = write(folder, "frames.xyz",
                   lifted(METHANE, 3.4) + lifted(METHANE, -0.5) + lifted(METHANE, 5.0))
    done = run_json("relax", "--json", "--surface", salt, frames, code=1)
    equal([r["status"] for r in done], ["converged", "below_surface", "converged"], "statuses")
    check("below the surface" in done[1]["reason"], "the reason says so")
    check(done[0]["terms"]["surface"] < -0.02, "methane sticks")
    one = write(folder, "one.xyz", lifted(METHANE, 3.4))
    direct = run_json("relax", "--json", "--grid", "off", "--surface", salt, one)[0]
    near(direct["energy"], done[0]["energy"], 1e-4, "with a grid and without")
    equal(run("check", "--grid", "off", "--surface", salt, one).returncode, 0, "check on a surface")


def test_refusals(folder):
    water = write(folder, "water.xyz", CHARGED)
    cell = 'Lattice="5 0 0 0 5 0 0 0 20" Properties=species:S:1:pos:R:3:q:R:1'
    cases = {
        "the charges add up to 0.4 e": f"2\n{cell}\nNa 0 0 0 0.9\nCl 2 2 0 -0.5\n",
        "a and b must both be periodic": "1\n\nNa 0 0 0\n",
        "must lie in the xy plane": '1\nLattice="5 0 2 0 5 0 0 0 20"\nNa 0 0 0\n',
        "UFF has no parameters": f"1\n{cell}\nRf 0 0 0 0\n",
        ":2:": '1\nLattice="5 0 0 10 0 0 0 0 20"\nNa 0 0 0\n',  # no area, named by line
        "no frames in it": "",
        "the file has 2 frames, expected one": 2 * f"1\n{cell}\nNa 0 0 0 0\n",
    }
    for k, (reason, text) in enumerate(cases.items()):
        path = write(folder, f"bad{k}.xyz", text)
        done = run("energy", "--surface", path, water)
        equal(done.returncode, 4, f"exit code for '{reason}'")
        check(reason in done.stderr and "bad" in done.stderr and not done.stdout,
              f"{done.stderr!r} names {reason!r}")
    for reason, arguments in {
        "--alpha needs --surface": ("--alpha", "2"),
        "--surface-form 'buck'": ("--surface-form", "buck"),
        "'Na:1'": ("--surface-charges", "Na:1"),
    }.items():
        done = run("energy", *arguments, water)
        equal(done.returncode, 2, f"exit code of {arguments}")
        check(reason in done.stderr, f"{done.stderr!r} names {reason!r}")
    equal(run("energy", "--surface", "absent.xyz", water).returncode, 4, "a file that is not there")


with tempfile.TemporaryDirectory() as where:
    test_slabs(where)
    test_slab_charges(where)
    test_energies(where)
    test_instruction_sets(where)
    test_relaxation(where)
    test_refusals(where)
    test_salts(where)
    test_collapse(where)
    test_charge_warnings(where)
    test_pair_models(where)
    test_model_refusals(where)
    test_model_grids(where)
finish()
