# SPDX-License-Identifier: BSD-3-Clause
# Every option of every command does something: with it, what the program writes is another, or it is refused. The
# options are those that the program lists itself, so that a new one needs a row here.
import itertools
import os
import pathlib
import re
import subprocess
import tempfile
import time

from option_inputs import (
    BARE, CATION, CRYSTAL, DRAWN, ETHANOL, ETHENE, FORMAMIDE, FORMIC, FORMIC_TYPES, HALVED, HALVES,
    LONG, MOVING, PAIRED, SURFACE_TYPES, TIGHT, WATER_JSON, WET, turns)
from program import METHANE, PROGRAM, TOP, WATER, check, equal, finish, run, write

# --- what there is -------------------------------------------------------------------------------------------

VERBS = {"fit": ("", "prepare", "eval", "compare", "scan", "bonded"), "grid": ("build", "check", "info", "export")}


def listed(*words):
    """Long options in the help of a command."""
    return re.findall(r"^  (?:-\w, |    )--([a-z-]+)", run(*words, "--help").stdout, re.MULTILINE)


def commands():
    """Names of all commands, those with verbs once for each."""
    text = run("--help").stdout.split("commands:\n")[1].split("\n\n")[0]
    for name in (line.split()[0] for line in text.splitlines()):
        for verb in VERBS.get(name, ("",)):
            yield f"{name} {verb}".strip()


# --- input ---------------------------------------------------------------------------------------------------

def sdf_of_ethene():
    """With a wrong order of its bond."""
    rows = [line.split() for line in ETHENE.splitlines()[2:]]
    atoms = "".join(f"{float(x):10.4f}{float(y):10.4f}{float(z):10.4f} {s:<3} 0  0\n" for s, x, y, z in rows)
    bonds = "".join(f"{a:3d}{b:3d}{o:3d}  0\n" for a, b, o in ((1, 2, 1), (1, 3, 1), (1, 4, 1), (2, 5, 1), (2, 6, 1)))
    return f"ethene\n\n\n  6  5  0  0  0  0  0  0  0  0999 V2000\n{atoms}{bonds}M  END\n$$$$\n"


def example(name):
    return (TOP / "examples" / "fit" / name).read_text()


def dimers(n):
    """The first frames of the example, as energies of another method would have them."""
    frames = re.split(r"^(?=\d+$)", example("dimers.xyz"), flags=re.MULTILINE)[1:]
    return re.sub(r"Etot (\S+)", lambda m: f"Etot {float(m[1]) - 0.01}", "".join(frames[:n]))


def turned():
    """Ethene with its halves at right angles, twice."""
    lines = ETHENE.splitlines()
    lines[-2:] = ["H 0.92 0.05 -1.23", "H -0.92 0.05 -1.23"]
    return "\n".join(lines) + "\n"


def amides():
    """Formamide and water, as a dimer."""
    rows = FORMAMIDE.splitlines()[2:] + [f"{s} {x} {y} {float(z) + 4}" for s, x, y, z in map(str.split, WATER.splitlines()[2:])]
    return "9\n# n0 6 Etot -0.1 x0 1 z 0 set:1\n" + "\n".join(rows) + "\n"


def sf6():
    """Two of its fluorines nearly coincide."""
    places = [(0, 0, 0), (0.03, 1.6, 0.002), (0, 1.6, 0), (-1.6, 0, 0), (0, -1.6, 0), (0, 0, 1.6), (0, 0, -1.6)]
    atoms = "".join("%10.4f%10.4f%10.4f %-3s 0  0\n" % (*r, "SFFFFFF"[k]) for k, r in enumerate(places))
    bonds = "".join(f"  1{k:3d}  1  0\n" for k in range(2, 8))
    return f"SF6\n\n\n  7  6  0  0  0  0  0  0  0  0999 V2000\n{atoms}{bonds}M  END\n$$$$\n"


def make_inputs(place):
    for name, text in (("mol.xyz", ETHANOL), ("ring.smi", "C1CCC/C=C/CC1 ring\n"), ("water.xyz", WATER), ("two.xyz", WATER + METHANE), ("empty.xyz", ""),
                       ("amide.xyz", FORMAMIDE), ("acid.xyz", FORMIC), ("amides.xyz", amides()), ("ethene.xyz", ETHENE), ("turned.xyz", turned()), ("ethene.sdf", sdf_of_ethene()),
                       ("crystal.xyz", CRYSTAL), ("traj.xyz", MOVING), ("long.xyz", LONG), ("pair.xyz", PAIRED), ("turns.xyz", turns()), ("more_turns.xyz", 60 * turns()),
                       ("halves.cif", HALVES), ("wet.cif", WET), ("rock.xyz", "8\nLattice=\"5.6 0 0 0 5.6 0 0 0 5.6\" pbc=\"T T T\"\n" + "".join(f"{('Ne', 'Ar')[sum(r) % 2]} {2.8 * r[0]} {2.8 * r[1]} {2.8 * r[2]}\n" for r in itertools.product((0, 1), repeat=3))), ("halves.pdb", HALVED),
                       ("broken.xyz", WATER + "3\ncut\nO 0 0 0\n" + WATER), ("many.xyz", WATER * 3000),
                       ("types.dat", example("AtomTypes.dat")), ("water.json", WATER_JSON), ("mine.tsv", "atom * 3.1 0.01 0.1\nbond * * 40 1.2 1\n"), ("columns.dat", example("columns.dat")),
                       ("sites.dat", example("AtomTypes.dat") + "E_O3 * E * 0 0 0 0 0 1.0 0.01 -0.1 -0.3\nE_HO * E * 0 0 0 0 0 1.0 0.01 0.1 0.3\n"
                        "E_HC3 * E * 0 0 0 0 0 1.0 0.01 0.1 0.3\n"),
                       ("dofs.dat", example("dofs.dat")), ("data.xyz", example("dimers.xyz")),
                       ("big.xyz", example("dimers.xyz") * 12), ("more.xyz", dimers(40)), ("more.dat", example("dofs.dat") + "C_3 E 1e-5 0.03 1 0 0 0 0\n"),
                       ("charged.dat", example("dofs.dat") + "O_3 Q -1 -0.1 1 0 0 0 0 -0.8\n"),
                       ("odd.xyz", dimers(2).replace("H_O", "H_C3")), ("broken_pair.xyz", PAIRED.replace("O 0 0 3", "Rf 0 0 3")),
                       ("weights.dat", "2\n1\n" * 68), ("map.dat", "H_O H_C3\n"), ("pair.smi", PAIRED), ("bare.sdf", BARE), ("drawn.sdf", DRAWN),
                       ("tight.smi", TIGHT), ("mols.csv", "mol,smiles\nO,CO\n"),
                       ("cation.xyz", CATION), ("sf6.sdf", sf6()), ("few.xyz", WATER * 200), ("surf.dat", SURFACE_TYPES), ("formic.dat", "".join(SURFACE_TYPES.splitlines(True)[:2]) + FORMIC_TYPES),
                       ("bent.xyz", METHANE.replace("0.63 0.63 0.63", "0.7 0.5 0.6"))):
        write(place, name, text)
    for name in ("mol.xyz", "pair.smi", "pair.xyz", "water.xyz", "crystal.xyz", "amide.xyz", "acid.xyz"):
        write(place, "2" + name, 2 * (pathlib.Path(place) / name).read_text())
    write(place, "2mols.csv", "".join((lines := (pathlib.Path(place) / "mols.csv").read_text().splitlines(True)) + lines[1:]))
    lines = ETHANOL.splitlines(True)
    write(place, "ends.xyz", "".join(lines + lines[:5] + lines[6:8] + lines[5:6] + lines[8:]))
    for arguments in (("slab", "rocksalt", "NaCl", "--size", "2x2", "--layers", 2, "-o", "nacl.xyz", "-q"),
                      ("slab", "fcc", "Au", "--size", "2x2", "--layers", 2, "-o", "gold.xyz", "-q"),
                      ("grid", "build", "nacl.xyz", "-o", "nacl.h5", "--step", 0.3, "--height", 6, "--samples", 1, "-q"),
                      *(("grid", "export", "nacl.h5", "--channel", channel, "-o", name) for channel, name in
                        (("coulomb", "q.cube"), ("coulomb", "q.npy"), ("pauli", "p.xsf"), ("london", "l.xsf"))),
                      ("fit", *FIT.split()[1:], "-q", "-o", "model.dat"),
                      ("energy", "--device", "ref", "-q", "water.xyz", "-o", "run.h5"),
                      ("types", "-q", "--dialect", "paper", "amide.xyz", "-o", "paper.xyz"),
                      *(("energy", "--device", "ref", "-q", "two.xyz", "--shard", f"{k}/2", "-o", f"part{k}.xyz")
                        for k in (0, 1))):
        done = run(*arguments, cwd=place)
        check(done.returncode in (0, 1), f"{arguments}: {done.stderr}")
    os.chmod(write(place, "python", '#!/bin/sh\necho "$@"\n'), 0o755)


# --- rows ----------------------------------------------------------------------------------------------------

INPUT = "--types types.dat --data data.xyz --dofs dofs.dat --max-steps 4"
FIT = f"fit {INPUT}"
# With {the input}, which rows may replace.
BASES = {
    "types": "types {mol.xyz}",
    "energy": "energy --device ref {mol.xyz}",
    "embed": "embed --conformers 2 --max-steps 9 {mol.xyz}",
    "relax": "relax --max-steps 12 {mol.xyz}",
    "modes": "modes {water.xyz}",
    "scan": "scan --coordinate distance:0,1=1.4:1.5:0.1 {mol.xyz}",
    "search": "search --json --starts 2 --fmax 0.05 --no-polish {mol.xyz}",
    "md": "md --steps 20 --stride 5 {mol.xyz}",
    "fit": FIT,
    "fit prepare": "fit prepare {pair.xyz} -o frames.xyz --types-out out.dat",
    "fit bonded": "fit bonded {turns.xyz}",
    "fit eval": "fit eval --types types.dat --data data.xyz",
    "fit compare": FIT.replace("fit", "fit compare", 1) + " --models morse --cv 2",
    "fit scan": "fit scan --types types.dat --data data.xyz --dofs dofs.dat --dof O_3.R=1.6:1.8:2",
    "check": "check --json {mol.xyz}",
    "bench": "bench --json --case formic_acid --systems 2 --steps 3 --repeats 1 --threads 1",
    "convert": "convert {mol.xyz} -o out.sdf",
    "merge": "merge part0.xyz part1.xyz -o all.xyz",
    "slab": "slab rocksalt NaCl --size 2x2 -o out.xyz",
    "grid build": "grid build nacl.xyz -o out.h5 --step 0.3 --height 6 --samples 10",
    "grid check": "grid check nacl.h5 --samples 50",
    "grid info": "grid info nacl.h5",
    "grid export": "grid export nacl.h5 -o out.npy",
    "report": "report run.h5",
    "neb": "neb --json --images 1 --no-modes {2mol.xyz}",
    "probe": "probe {mol.xyz} -o block.h5 --points 3x3x8",
    "devices": "devices",
    "doctor": "doctor --seconds 0",
    "completion": "completion bash",
}
ON = "--surface nacl.xyz --height 3 --grid off"
ON_GOLD = "--surface gold.xyz --height 3 --grid off"
FORMULA = "E0*((R0/r)^n-2*(R0/r)^6)+kC*Q/r"
DECAY = "E0*exp(-(decayi+decayj)*(r-R0))+kC*Q/r"
PI = "--forcefield mmffsp3 @ethene.xyz"

# Commands (with commas between them, or * for all that have it; a row that names its command goes first), option, what
# the command has besides (@ another input, = another command), value, and what must come of it: "output" (stdout, exit code or a file is
# another), "stderr" (that is), "refused" (exit code 2 and a sentence), or the name of a function here.
ROWS = f"""
* ; help ; ; ; output
* ; dielectric ; --forcefield mmff94 @amide.xyz ; distance ; output
* ; dielectric ; ; distance ; refused
* ; json ; ; ; output
bench ; json ; =bench --case formic_acid --systems 2 --steps 3 --repeats 1 ; ; output
check ; json ; =check mol.xyz ; ; output
* ; format ; @pair.smi ; xyz ; output
* ; strict ; @broken.xyz ; ; output
* ; quiet ; @empty.xyz ; ; stderr
* ; verbose ; ; ; stderr
* ; threads ; ; 3 ; threads
* ; output ; ; other.xyz ; output
* ; output-format ; -o - ; jsonl ; output
convert ; output-format ; =convert mol.xyz -o - ; sdf ; output
* ; positions ; --json ; ; output
* ; positions ; ; ; refused
* ; forces ; --json ; ; output
* ; forces ; ; ; refused
types ; forces ; --json ; ; refused
* ; resume ; -o out.xyz ; ; stderr
* ; checkpoint ; -o out.xyz --max-hours 1e-9 ; my.checkpoint ; output
* ; checkpoint-every ; @few.xyz -o out.xyz --log run.log ; 0.001 ; output
* ; max-hours ; -o out.xyz ; 1e-9 ; output
* ; shard ; @two.xyz ; 1/2 ; output
search ; shard ; @two.xyz ; 1/2 ; refused
search ; relaxations ; --resume ; two.xyz ; refused
* ; log ; ; run.log ; output

energy ; explain ; ; ; output
energy ; record ; @two.xyz ; 1 ; output
embed ; conformers ; ; 3 ; output
embed ; keep ; =embed --conformers 3 --rmsd 0 --fmax 0.05 mol.xyz ; 1 ; output
embed ; window ; =embed --conformers 3 --rmsd 0 --fmax 0.05 mol.xyz ; 1e-9 ; output
embed ; rmsd ; =embed --conformers 3 --keep 3 --fmax 0.05 mol.xyz ; 0 ; output
embed ; temperature ; =embed --conformers 3 --rmsd 0 --fmax 0.05 --json mol.xyz ; 3000 ; output
probe ; smiles ; ; CCO ; refused
* ; smiles ; ; CCO ; output
* ; smiles-column ; @mols.csv ; mol ; output
embed ; keep-flat ; @drawn.sdf ; ; refused
* ; conformers ; ; 2 ; output
check ; conformer-seed ; --conformers 2 --dump positions ; 7 ; output
* ; conformer-seed ; --conformers 2 ; 7 ; output
embed ; seed ; ; 5 ; output
embed ; tries ; @tight.smi ; 1 ; output
embed ; no-relaxation ; ; ; output
embed ; vdw-cutoff ; ; 7 ; refused
embed ; vdw-tail ; ; ; refused
embed ; ewald ; ; mesh ; refused
embed ; ewald-tolerance ; ; 1e-3 ; refused
relax ; trajectory ; ; way.xyz ; output
relax ; every ; --trajectory way.xyz ; 3 ; output
relax ; every ; ; 3 ; refused
relax ; cell ; @crystal.xyz ; full ; output
relax ; cell ; @crystal.xyz --trajectory way.xyz ; full ; refused
relax ; pressure ; @crystal.xyz --cell full ; 5 ; output
relax ; pressure ; ; 5 ; refused
relax ; stress ; @crystal.xyz --cell full ; 5 ; output
relax ; stress ; ; 5 ; refused
relax ; certificate ; ; cert.jsonl ; output
relax ; keep-symmetry ; @crystal.xyz ; ; output
relax ; keep-symmetry ; @crystal.xyz --trajectory way.xyz ; ; refused
relax ; elastic ; @crystal.xyz --fmax 0.01 ; ; output

* ; fmax ; ; 9 ; output
* ; max-steps ; ; 3 ; output
* ; method ; ; fire ; output
* ; max-move ; ; 0.001 ; output
scan ; fmax ; --relaxed ; 9 ; output
scan ; max-steps ; --relaxed ; 3 ; output
scan ; method ; --relaxed ; fire ; output
scan ; max-move ; --relaxed ; 0.001 ; output
scan ; fmax ; ; 9 ; refused
check ; fmax ; --relax ; 9 ; output
check ; strict ; ; ; refused
check ; max-steps ; --relax ; 3 ; output
check ; method ; --relax ; fire ; output
check ; max-move ; --relax ; 0.001 ; output
check ; fmax ; ; 9 ; refused
* ; fix ; ; 1 ; output
check ; fix ; ; 1 ; refused
check ; fix ; --relax ; 1 ; output
search ; drop-solvent ; ; ; refused
search ; primitive ; ; ; refused
search ; space-group ; ; ; refused
search ; major-part ; @halves.pdb ; ; output
search ; fix ; --positions ; 1 ; output
* ; rigid ; ; all ; output
relax ; rigid ; @two.xyz ; molecules ; output
scan ; rigid ; --relaxed ; 0-3 ; output
scan ; rigid ; ; 0-3 ; refused
search ; rigid ; --surface nacl.xyz --height 3 --starts 2 ; molecules ; output
search ; rigid ; --surface nacl.xyz ; 0-3 ; refused
search ; rigid ; ; molecules ; refused
check ; rigid ; --relax ; all ; refused
* ; restrain ; ; distance:0,1=2,5 ; output
scan ; anchor ; ; 0 ; refused
scan ; fix ; --relaxed ; 3 ; output
scan ; restrain ; --relaxed ; distance:1,2=2,5 ; output
scan ; fix ; ; 3 ; refused
energy ; grid ; --device cpu --surface nacl.xyz --height 3 ; nacl.h5 ; output
energy ; device ; --json ; cpu ; output
* ; device ; --json ; ref ; output
* ; precision ; --json ; double ; output
energy ; precision ; --json --device cpu ; float ; output
modes ; precision ; ; float ; refused
scan ; precision ; --json ; float ; output
md ; precision ; --json ; float ; output
fit compare ; precision ; ; float ; refused
fit scan ; precision ; ; float ; refused
* ; terms ; ; bond ; output
* ; terms ; --forcefield mmffsp3 ; torsion ; refused
* ; terms ; ; pi_pi ; refused
* ; mixing ; @mol.xyz ; arithmetic ; output
* ; mixing ; --forcefield mmffsp3 ; arithmetic ; refused
* ; mixing ; @pair.xyz --params types.dat ; geometric ; refused
bench ; mixing ; --case xylitol ; arithmetic ; output
bench ; dielectric ; --case xylitol --forcefield mmff94 ; distance ; output
types ; dielectric ; --forcefield mmff94 ; distance ; refused
bench ; mixing ; --forcefield mmffsp3 ; arithmetic ; refused
* ; damping ; @mol.xyz --charges qeq ; 0.5 ; output
* ; pair-clamp ; @mol.xyz ; 0.95 ; output
* ; vdw-cutoff ; @crystal.xyz ; 7 ; output
* ; vdw-tail ; @crystal.xyz ; ; output
* ; ewald ; --ewald-tolerance 1e-2 @crystal.xyz ; mesh ; output
energy ; ewald ; =energy --json --device cpu --ewald-tolerance 1e-3 crystal.xyz ; mesh ; output
* ; ewald-tolerance ; @crystal.xyz ; 1e-3 ; output
* ; device-memory ; ; 100 ; refused
* ; kcal ; ; ; output
* ; dry-run ; ; ; output

* ; surface ; ; nacl.xyz ; output
* ; height ; --surface nacl.xyz --grid off ; 4 ; output
* ; grid ; --surface nacl.xyz --height 3 ; nacl.h5 ; output
bench ; damping ; --case xylitol ; 0.5 ; output
bench ; pair-clamp ; --case xylitol ; 0.95 ; output
bench ; vdw-cutoff ; =bench --what file --repeats 1 --json crystal.xyz ; 7 ; output
bench ; vdw-cutoff ; ; 7 ; refused
bench ; vdw-tail ; ; ; refused
bench ; ewald ; =bench --what file --repeats 1 --json crystal.xyz ; mesh ; output
bench ; ewald ; ; mesh ; refused
bench ; ewald-tolerance ; =bench --what file --repeats 1 --json crystal.xyz ; 1e-3 ; output
bench ; ewald-tolerance ; ; 1e-3 ; refused
bench ; pi-softening ; =bench --what file --repeats 1 --json --forcefield mmffsp3 turned.xyz ; 0.3 ; output
bench ; pi-softening ; ; 0.3 ; refused
bench ; bond-scale ; --forcefield mmffsp3 ; 2 ; output
bench ; bond-scale ; ; 2 ; refused
bench ; no-hbonds ; {ON} --params formic.dat --what converge ; ; output
bench ; surface-charges ; {ON} ; Na=0.5,Cl=-0.5 ; output
bench ; surface-damping ; {ON} ; 1 ; output
* ; surface-charges ; {ON} --charges qeq ; Na=0.5,Cl=-0.5 ; output
* ; surface-form ; {ON} ; morse ; output
* ; metals ; {ON_GOLD} ; uff ; output
* ; metals ; {ON} --params surf.dat @water.xyz ; adsorption ; refused
bench ; metals ; {ON} --params formic.dat ; adsorption ; refused
fit ; alpha ; ; 2 ; output
fit eval ; alpha ; ; 2 ; output
fit scan ; alpha ; ; 2 ; output
fit compare ; alpha ; ; 2 ; output
fit ; alpha ; --model lj ; 2 ; refused
* ; alpha ; {ON} --surface-form morse ; 2 ; output
* ; alpha ; {ON} --surface-form lj ; 2 ; refused
* ; surface-damping ; {ON} --charges qeq ; 1 ; output
* ; no-hbonds ; {ON} --params surf.dat @water.xyz ; ; output
* ; movable-layers ; {ON} ; 1 ; output
* ; layer-spring ; {ON} --movable-layers 1 ; 5 ; output
* ; layer-spring ; {ON} ; 5 ; refused
energy ; layer-spring ; {ON} --movable-layers 1 ; 5 ; refused
scan ; layer-spring ; {ON} --movable-layers 1 ; 5 ; refused
scan ; layer-spring ; {ON} --movable-layers 1 --relaxed --max-steps 9 ; 5 ; output
check ; layer-spring ; {ON} --movable-layers 1 ; 5 ; refused
check ; layer-spring ; {ON} --movable-layers 1 --relax --max-steps 9 ; 5 ; output
bench ; movable-layers ; {ON} ; 1 ; refused
neb, probe ; movable-layers ; {ON} ; 1 ; refused
neb, probe ; layer-spring ; {ON} ; 1 ; refused
bench ; layer-spring ; {ON} ; 1 ; refused
* ; orient ; {ON} ; flat ; output
* ; rotate ; {ON} ; 90,0,0 ; output
* ; at ; {ON} ; 1,1 ; output
* ; with-slab ; {ON} -o out.xyz ; ; output
* ; adsorption ; {ON} ; ; output
* ; copies ; ; 2 ; output
* ; jitter ; --copies 2 ; 0.2 ; output
* ; seed ; --copies 2 --jitter 0.2 ; 7 ; output
* ; forcefield ; ; mmffsp3 ; output
* ; electron-pairs ; {PI} @water.xyz ; ; output
* ; electron-pairs ; ; ; refused
* ; bond-scale ; {PI} ; 2 ; output
* ; bond-scale ; ; 2 ; refused
md ; pi-inertia ; {PI} ; 5 ; output
md ; pi-inertia ; ; 5 ; refused
* ; pi-softening ; {PI} ; 0.3 ; output
* ; pi-softening ; ; 0.3 ; refused
* ; dialect ; @amide.xyz ; paper ; output
* ; charges ; @mol.xyz ; qeq ; output
* ; charge ; @cation.xyz ; 1 ; output
* ; type ; ; 0=C_R ; output
types ; bond-order ; --json ; 0,1=1.5 ; output
* ; bond-order ; ; 0,1=1.5 ; output
* ; rebuild-bonds ; @ethene.sdf ; ; output
* ; bond-slack ; @long.xyz ; 0.6 ; output
* ; add-hydrogens ; @bare.sdf ; ; output
* ; keep-flat ; @drawn.sdf ; ; output
* ; no-angle-guard ; @sf6.sdf ; ; output
* ; no-angle-guard ; {PI} ; ; refused
bench ; no-angle-guard ; ; ; refused
* ; file-types ; @paper.xyz ; ; output
* ; fragment ; @pair.xyz ; 1 ; output
* ; drop-solvent ; @wet.cif ; ; output
* ; primitive ; @rock.xyz ; ; output
* ; space-group ; @rock.xyz --json ; ; output
* ; major-part ; @halves.cif ; ; output
* ; params ; @pair.xyz ; types.dat ; output
* ; ff-table ; ; mine.tsv ; output
* ; topology ; @water.xyz ; water.json ; output
* ; topology ; --forcefield uff ; water.json ; refused
* ; like ; @acid.xyz ; firecore ; output
* ; like ; --forcefield uff ; firecore ; refused
* ; like ; ; gromacs ; refused
modes ; no-relax ; ; ; output
modes ; step ; --json ; 0.01 ; output
modes ; temperature ; ; 500 ; output
modes ; pressure ; ; 2 ; output
modes ; symmetry-number ; ; 1 ; output
modes ; modes-out ; ; modes.xyz ; output
modes ; frames ; --modes-out modes.xyz ; 3 ; output
modes ; frames ; ; 3 ; refused
modes ; amplitude ; --modes-out modes.xyz --frames 4 ; 0.5 ; output
modes ; amplitude ; ; 0.5 ; refused
scan ; coordinate ; ; angle:0,1,2=100:110:5 ; output
scan ; frames ; =scan mol.xyz ; mol.xyz ; output
scan ; move ; =scan --coordinate x=3:4:1 pair.xyz ; 0,1,2 ; output
scan ; relaxed ; ; ; output
scan ; shape ; =scan --relaxed --json --charges none --coordinate volume=0.98 crystal.xyz ; ; output
scan ; shape ; --relaxed ; ; refused
scan ; follow ; =scan --relaxed --json --coordinate angle:0,1,2=100:110:5 mol.xyz ; ; output
scan ; starts ; =scan --relaxed --json --coordinate angle:0,1,2=100:110:5 mol.xyz ; 2 ; output
scan ; hold-angle ; =scan --relaxed --json --coordinate angle:0,1,2=100:110:5 mol.xyz ; 10 ; output
scan ; hold-length ; --relaxed --json ; 10 ; output
scan ; plot ; ; scan.svg ; output
scan ; range ; --plot scan.svg ; 0:0.001 ; output
search ; json ; =search --starts 2 --fmax 0.05 --no-polish mol.xyz ; ; output
search ; output-format ; =search --starts 2 --fmax 0.05 --no-polish mol.xyz -o - ; jsonl ; output
search ; kcal ; =search --starts 9 --no-polish mol.xyz ; ; output
search ; device ; ; ref ; output
search ; vdw-cutoff ; {ON} --movable-layers 1 @water.xyz ; 7 ; output
search ; vdw-tail ; ; ; refused
search ; ewald ; ; mesh ; refused
search ; ewald-tolerance ; {ON} --movable-layers 1 --surface-charges Na=0.9,Cl=-0.9 @water.xyz ; 1e-2 ; output
search ; height ; --surface nacl.xyz --grid off @water.xyz ; 4 ; output
search ; grid ; --surface nacl.xyz --height 3 @water.xyz ; nacl.h5 ; output
search ; surface-charges ; {ON} --charges qeq @water.xyz ; Na=0.5,Cl=-0.5 ; output
search ; surface-form ; {ON} @water.xyz ; morse ; output
search ; metals ; {ON_GOLD} @water.xyz ; uff ; output
search ; alpha ; {ON} --surface-form morse @water.xyz ; 2 ; output
search ; surface-damping ; {ON} --charges qeq @water.xyz ; 1 ; output
search ; movable-layers ; {ON} @water.xyz ; 1 ; output
search ; layer-spring ; {ON} --movable-layers 1 @water.xyz ; 5 ; output
search ; layer-spring ; {ON} ; 5 ; refused
search ; positions ; ; ; output
search ; forces ; ; ; output
search ; fmax ; ; 0.001 ; output
search ; starts ; ; 3 ; output
search ; seed ; ; 5 ; output
search ; patience ; --starts 9 ; 1 ; output
search ; window ; --starts 9 ; 1e-9 ; output
search ; kicks ; ; 2 ; output
search ; kick-temperature ; --kicks 5 ; 1e5 ; output
search ; same-energy ; --starts 9 --fmax 0.001 ; 1e-9 ; output
search ; same-rmsd ; --starts 9 --fmax 0.001 ; 1e-9 ; output
search ; temperature ; --starts 9 ; 3000 ; output
search ; isomers ; =search --json --starts 20 --fmax 0.05 --no-polish ring.smi ; ; output
search ; no-polish ; =search --json --starts 2 --fmax 0.05 mol.xyz ; ; output
search ; free-energies ; =search --json --starts 2 --fmax 0.05 mol.xyz ; ; output
search ; free-energies ; ; ; refused
search ; picture ; {ON} @water.xyz ; sites.svg ; output
search ; picture ; ; sites.svg ; refused
md ; steps ; ; 9 ; output
md ; dt ; ; 0.2 ; output
md ; temperature ; ; 500 ; output
md ; anneal ; --thermostat langevin ; 300:500:100 ; output
md ; temperatures ; --copies 2 ; 300,500 ; output
md ; thermostat ; ; langevin ; output
md ; friction ; --thermostat langevin ; 0.1 ; output
md ; friction ; --thermostat nose-hoover ; 0.1 ; refused
md ; friction ; ; 0.1 ; refused
md ; tau ; --thermostat nose-hoover ; 5 ; output
md ; tau ; --thermostat langevin ; 5 ; refused
md ; tau ; ; 5 ; refused
md ; velocities ; =md --steps 2 --json traj.xyz ; file ; output
md ; seed ; ; 5 ; output
md ; stride ; ; 4 ; output
md ; copies ; ; 2 ; output
md ; exchange ; --thermostat langevin --temperatures 300,310 ; 5 ; output
md ; remove-motion ; --json ; 5 ; output
md ; remove-motion ; {ON} ; 5 ; refused
md ; remove-motion ; --fix 0 ; 5 ; refused
md ; remove-motion ; --thermostat langevin ; 5 ; refused
md ; hydrogen-mass ; ; 3 ; output
md ; rigid-bonds ; ; ; output
check ; tolerance ; ; 1e-20 ; output
check ; each-term ; ; ; output
check ; relax ; ; ; output
check ; interaction ; ; bond:0 ; output
check ; dump ; ; positions ; output
check ; dump-to ; --dump positions ; . ; output
check ; system ; @two.xyz --dump positions ; 1 ; output
check ; system ; ; 1 ; refused
check ; plain-terms ; ; ; output
* ; types ; =fit --data data.xyz --dofs dofs.dat ; types.dat ; output
fit eval ; types ; =fit eval --data data.xyz ; types.dat ; output
* ; data ; ; more.xyz ; output
* ; dofs ; ; more.dat ; output
* ; weights ; ; weights.dat ; output
fit compare ; weights ; ; weights.dat ; refused
* ; curve-weights ; ; 3 ; output
fit compare ; curve-weights ; ; 3 ; refused
* ; map ; ; map.dat ; output
* ; sites ; --types sites.dat --site-model sr ; auto:0.5 ; output
* ; increments ; ; ; output
* ; model ; ; lj ; output
fit compare ; model ; =fit compare {INPUT} --variant --fit-lambda --cv 2 ; lj ; output
* ; const ; --model {FORMULA} ; n=11 ; output
fit compare ; const ; =fit compare {INPUT} --variant --fit-lambda --cv 2 --model {FORMULA} ; n=11 ; output
* ; const ; ; n=11 ; refused
fit compare ; const ; ; n=11 ; refused
* ; column ; --types columns.dat --model {DECAY} ; decay ; output
* ; column ; ; x ; refused
fit compare ; column ; =fit compare {INPUT} --types columns.dat --variant --fit-lambda --cv 2 --model {DECAY} ; decay ; output
fit compare ; column ; ; x ; refused
* ; fit-alpha ; ; ; output
* ; fit-lambda ; ; ; output
* ; radius-charge ; ; 0.1 ; output
* ; fit-radius-charge ; ; ; output
* ; dispersion-damping ; --model exp6 ; 3 ; output
* ; fit-dispersion-damping ; --model exp6 --dispersion-damping 3 ; ; output
* ; fit-site-charges ; --sites auto:0.5 ; ; output
* ; fit-damping ; --coulomb damped ; ; output
* ; hbond ; ; none ; output
* ; coulomb ; ; none ; output
fit ; damping ; --coulomb damped ; 2 ; output
fit ; damping ; ; 2 ; refused
fit eval ; damping ; --coulomb damped ; 2 ; output
fit eval ; damping ; ; 2 ; refused
fit compare ; damping ; --coulomb damped ; 2 ; output
fit compare ; damping ; ; 2 ; refused
fit scan ; damping ; --coulomb damped ; 2 ; output
fit scan ; damping ; ; 2 ; refused
* ; site-model ; --types sites.dat --sites auto:0.5 ; sr ; output
* ; type-charges ; ; ; output
* ; neutral ; --dofs charged.dat ; ; output
fit scan ; neutral ; --dofs charged.dat --dof O_3.Q=-0.5:-0.4:2 ; ; output
* ; components ; ; ; output
* ; clamp ; ; 0.001,0.002 ; output
* ; pool ; ; 0 ; output
fit prepare ; finer ; ; ; output
* ; regularize ; ; off ; output
fit ; regularize ; --pool 2 ; off ; refused
fit eval ; regularize ; ; off ; refused
fit scan ; regularize ; --tether 5 ; off ; refused
* ; units ; ; kcal ; output
* ; start-from ; ; model.dat ; output
* ; tether ; ; 5 ; output
fit ; checkpoint ; -o out.dat --max-hours 1e-9 ; my.checkpoint ; output
fit ; checkpoint-every ; ; 0 ; refused
fit ; max-hours ; -o out.dat ; 1e-9 ; output
fit ; max-hours ; ; 1 ; refused
fit ; method ; ; fire ; output
fit ; evaluator ; ; pairs ; output
fit ; starts ; ; 2 ; output
fit ; seed ; --starts 3 ; 5 ; output
fit ; cv ; ; 2 ; output
fit ; leave-monomer-out ; ; ; output
fit ; bootstrap ; ; 3 ; output
fit ; check-only ; ; ; output
fit ; check-derivatives ; ; ; output
fit ; check-dof ; --check-derivatives ; O_3.R ; output
fit ; check-step ; --check-derivatives ; 0.01 ; output
fit ; check-points ; --check-derivatives ; 4 ; output
fit ; check-tolerance ; --check-derivatives ; 0 ; refused
fit ; precision ; ; float ; refused
fit ; bench ; ; ; output
fit ; sets ; --bench ; 3 ; output
fit compare ; radius-charge ; --json ; 0.1 ; output
fit compare ; dispersion-damping ; =fit compare {INPUT} --models exp6 --cv 2 ; 3 ; output
fit compare ; dispersion-damping ; ; 3 ; refused
fit compare ; fit-dispersion-damping ; =fit compare {INPUT} --models exp6 --cv 2 --dispersion-damping 3 ; ; output
fit compare ; method ; ; fire ; output
fit compare ; evaluator ; --json ; pairs ; output
fit compare ; max-steps ; --json ; 1 ; output
fit compare ; starts ; --json --max-steps 1 ; 20 ; output
fit compare ; seed ; --starts 3 ; 5 ; output
fit compare, fit scan ; bootstrap ; ; 3 ; refused
fit compare, fit scan ; check-only ; ; ; refused
fit compare, fit scan ; check-derivatives ; ; ; refused
fit compare, fit scan ; check-dof ; ; O_3.R ; refused
fit compare, fit scan ; check-step ; ; 0.1 ; refused
fit compare, fit scan ; check-points ; ; 5 ; refused
fit compare, fit scan ; check-tolerance ; ; 1e-3 ; refused
fit compare, fit scan ; bench ; ; ; refused
fit compare, fit scan ; sets ; ; 3 ; refused
fit scan ; method ; --fitted ; fire ; output
fit scan ; evaluator ; --fitted --json ; pairs ; output
fit scan ; max-steps ; --fitted ; 3 ; output
fit scan ; starts ; --json --fitted --max-steps 1 ; 20 ; output
fit scan ; seed ; --json --fitted --max-steps 1 --starts 20 ; 5 ; output
fit scan ; dofs ; =fit scan --types types.dat --data data.xyz --dof C_3.E=0.001:0.002:2 --dofs dofs.dat ; more.dat ; output
fit scan ; increments ; --dof O_3:H_O.Q=0.1:0.2:2 ; ; output
fit scan ; fit-alpha ; --dof *.alpha=1.5:1.6:2 ; ; output
fit scan ; fit-lambda ; --dof *.lambda=0.9:1:2 ; ; output
fit scan ; fit-radius-charge ; --dof *.c=0:0.1:2 ; ; output
fit scan ; fit-dispersion-damping ; --model exp6 --dispersion-damping 3 --dof *.beta=3:4:2 ; ; output
fit scan ; fit-site-charges ; --sites auto:0.5 --dof E_O3.Q=-0.2:-0.1:2 ; ; output
fit scan ; fit-damping ; --coulomb damped --dof *.d=0.9:1:2 ; ; output
fit scan ; pool ; --fitted --json ; 0 ; output
fit scan ; pool ; ; 0 ; refused
fit scan ; cv ; ; 2 ; refused
fit scan ; leave-monomer-out ; ; ; refused
fit compare ; cv ; ; 3 ; output
fit compare ; leave-monomer-out ; =fit compare {INPUT} --models lj ; ; output
fit scan ; method ; ; fire ; refused
fit ; table ; ; table.csv ; output
fit ; samples ; ; samples.csv ; output
fit ; trajectory ; ; way.csv ; output
fit ; dump-derivatives ; ; slopes.csv ; output
fit ; plot ; ; figure ; output
fit ; write-frames ; ; frames.xyz ; output
fit ; quiet ; ; ; output
fit prepare ; types-out ; =fit prepare pair.xyz -o frames.xyz ; out.dat ; output
fit prepare ; dofs-out ; ; dofs.out ; output
fit prepare ; map ; ; map.dat ; output
fit prepare ; charges ; @pair.xyz ; none ; output
fit prepare ; dialect ; @amides.xyz ; paper ; output
fit prepare ; quiet ; =fit prepare broken_pair.xyz -o frames.xyz ; ; stderr
fit bonded ; terms ; ; bond,angle ; output
fit bonded ; by-bond ; ; ; output
fit bonded ; bond ; --by-bond ; 1,2 ; output
fit bonded ; periods ; ; 2 ; output
fit bonded ; freedom ; ; 0.01 ; output
fit bonded ; force-weight ; ; 2 ; output
fit bonded ; hold ; --max-steps 2 ; 0,1,2,8 ; output
fit bonded ; hold-strength ; --hold 0,1,2,8 --max-steps 2 ; 1 ; output
fit bonded ; forcefield ; ; mmff94 ; output
fit bonded ; charges ; ; qeq ; output
fit bonded ; units ; ; kcal ; output
fit bonded ; max-steps ; --terms bond,angle,torsion ; 1 ; output
fit bonded ; quiet ; ; ; output
fit eval ; params ; =fit eval --data data.xyz ; model.dat ; output
fit eval ; fit-alpha ; ;  ; refused
fit eval ; fit-lambda ; ;  ; refused
fit eval ; fit-radius-charge ; ;  ; refused
fit eval ; fit-dispersion-damping ; ;  ; refused
fit eval ; fit-site-charges ; ;  ; refused
fit eval ; fit-damping ; ;  ; refused
fit eval ; clamp ; ; 0.001,0.002 ; refused
fit eval ; pool ; ; 0 ; refused
fit eval ; tether ; ; 5 ; refused
fit eval ; neutral ; ;  ; refused
fit eval ; components ; ;  ; refused
fit eval ; worst ; ; 1 ; output
fit eval ; samples ; ; samples.csv ; output
fit eval ; quiet ; --data odd.xyz ; ; stderr
fit compare ; models ; ; morse ; output
fit compare ; variant ; ; --fit-alpha ; output
fit compare ; params ; ; model.dat ; output
fit compare ; quiet ; --data odd.xyz ; ; stderr
fit scan ; dof ; ; H_O.R=1.2:1.3:2 ; output
fit scan ; fitted ; ; ; output
fit scan ; plot ; ; scan.svg ; output
bench ; case ; ; xylitol ; output
bench ; systems ; ; 3 ; output
bench ; steps ; ; 4 ; output
bench ; what ; ; eval ; output
bench ; job ; =bench --what file --repeats 1 --json mol.xyz ; types ; output
bench ; job ; ; types ; refused
bench ; output ; =bench --what file --repeats 1 --json mol.xyz ; out.xyz ; output
bench ; output ; ; out.xyz ; refused
bench ; method ; --what converge ; fire ; output
bench ; against ; ; mmffsp3 ; output
bench ; repeats ; ; 2 ; output
bench ; seed ; ; 5 ; output
bench ; list ; ; ; output
bench ; threads ; ; 3 ; output
convert ; charge ; @cation.xyz ; 1 ; output
convert ; output ; =convert mol.xyz ; out.xyz ; output
merge ; output ; =merge part0.xyz part1.xyz ; all.xyz ; output
merge ; partial ; =merge part1.xyz -o all.xyz ; ; output
merge ; quiet ; =merge part0.xyz -o all.xyz ; ; stderr
neb ; output ; ; out.xyz ; output
neb ; smiles-column ; @2mols.csv ; mol ; output
probe ; smiles ; =probe -o block.h5 --points 3x3x8 ; CCO ; output
neb ; json ; =neb --images 1 --no-modes 2mol.xyz ; ; output
neb ; format ; @2pair.smi ; xyz ; output
neb ; quiet ; --charges qeq ; ; stderr
neb ; hop ; =neb --json --images 1 --no-modes water.xyz --surface nacl.xyz --height 3 --grid off ; 1,0 ; output
neb ; hop ; ; 1 ; refused
neb ; turn ; =neb --json --images 1 --no-modes water.xyz --surface nacl.xyz --height 3 --grid off ; 30 ; output
neb ; images ; ; 2 ; output
neb ; spring ; --images 3 @ends.xyz ; 0.5 ; output
neb ; band-fmax ; --images 3 @ends.xyz ; 0.1 ; output
neb ; band-steps ; --images 3 @ends.xyz ; 2 ; output
neb ; no-climb ; --images 4 @ends.xyz ; ; output
neb ; straight ; --images 3 @ends.xyz ; ; output
neb ; no-modes ; =neb --json --images 1 2mol.xyz ; ; output
neb ; plot ; ; way.svg ; output
neb ; charges ; ; qeq ; output
neb ; params ; @2pair.xyz ; types.dat ; output
neb ; mixing ; ; arithmetic ; output
neb ; damping ; --charges qeq ; 0.5 ; output
neb ; vdw-cutoff ; @2crystal.xyz ; 7 ; output
neb ; pair-clamp ; @2mol.xyz ; 0.95 ; output
neb ; vdw-tail ; @2crystal.xyz ; ; output
neb ; ewald ; --ewald-tolerance 1e-2 @2crystal.xyz ; mesh ; output
neb ; ewald-tolerance ; @2crystal.xyz ; 1e-2 ; output
neb ; dielectric ; --forcefield mmff94 @2amide.xyz ; distance ; output
neb ; electron-pairs ; {PI} @2water.xyz ; ; refused
neb ; topology ; @2water.xyz ; water.json ; output
neb ; like ; @2acid.xyz ; firecore ; output
neb ; no-hbonds ; {ON} --params surf.dat @2water.xyz ; ; output
probe ; output ; =probe mol.xyz -o x.h5 --points 3x3x8 ; block.h5 ; output
probe ; device ; --precision float --json ; ref ; output
probe ; precision ; --json ; float ; output
probe ; vdw-cutoff ; ; 7 ; refused
probe ; vdw-tail ; ; ; refused
probe ; ewald ; ; mesh ; refused
probe ; ewald-tolerance ; ; 1e-3 ; refused
probe ; electron-pairs ; {PI} @water.xyz ; ; refused
probe ; dielectric ; --forcefield mmff94 --tip water.xyz @amide.xyz ; distance ; refused
probe ; tip ; ; Xe ; output
probe ; tip-charge ; --charges qeq ; 0.3 ; output
probe ; charges ; --tip-charge 0.3 ; qeq ; output
probe ; damping ; --charges qeq --tip-charge 0.3 ; 0.5 ; output
probe ; surface-charges ; {ON} --tip-charge 0.3 ; Na=0.5,Cl=-0.5 ; output
probe ; surface-damping ; {ON} --tip-charge 0.3 ; 1 ; output
probe ; no-hbonds ; {ON} --params surf.dat --tip water.xyz @water.xyz ; ; output
probe ; points ; ; 2x3x8 ; output
probe ; margin ; ; 1 ; output
probe ; from ; ; 3 ; output
probe ; to ; ; 7 ; output
probe ; frequency-shift ; ; 30000,1800,0.4 ; output
probe ; plot ; ; plane.svg ; output
probe ; plane ; --plot plane.svg ; 5 ; output
slab ; output ; =slab rocksalt NaCl ; out.xyz ; output
slab ; size ; ; 3x2 ; output
slab ; layers ; ; 2 ; output
slab ; a ; ; 6 ; output
slab ; c ; =slab graphene -o out.xyz --layers 2 ; 8 ; output
slab ; c ; ; 8 ; refused
slab ; facet ; ; 110 ; output
slab ; facet ; =slab crystal.xyz -o out.xyz ; 110 ; output
slab ; termination ; =slab crystal.xyz --facet 001 -o out.xyz ; 2 ; output
slab ; adatom ; ; Ar,0.5,0.5 ; output
slab ; charge ; ; 0.5 ; output
slab ; step ; ; 1 ; output
slab ; vacancy ; ; 0,1 ; output
slab ; vacuum ; ; 9 ; output
slab ; quiet ; ; ; stderr
grid build ; output ; =grid build nacl.xyz --step 0.3 --height 6 --samples 10 ; out.h5 ; output
grid build ; step ; ; 0.4 ; output
grid build ; height ; ; 5 ; output
grid build ; whole-cell ; ; ; output
grid build ; samples ; ; 20 ; output
grid build ; params ; ; surf.dat ; output
grid build ; device ; ; ref ; absent
grid build ; json ; ; ; output
grid build ; quiet ; ; ; output
grid build ; surface-charges ; ; Na=0.5,Cl=-0.5 ; output
grid build ; surface-form ; ; morse ; output
grid build ; metals ; =grid build gold.xyz -o out.h5 --step 0.3 --height 6 --samples 10 ; uff ; output
grid build ; metals ; --params surf.dat ; uff ; refused
grid build ; alpha ; --surface-form morse ; 2 ; output
grid build ; surface-damping ; ; 1 ; output
grid build ; no-hbonds ; --params surf.dat ; ; output
grid build ; movable-layers ; ; 1 ; output
grid build ; layer-spring ; --movable-layers 1 ; 3 ; refused
grid build ; coulomb ; ; q.cube ; output
grid build ; pauli ; ; p.xsf ; output
grid build ; london ; ; l.xsf ; output
grid build ; mesh-unit ; --coulomb q.cube ; rydberg ; output
grid build ; mesh-unit ; --london l.xsf ; rydberg ; refused
grid build ; electron ; --coulomb q.cube ; ; output
grid build ; mesh-repeats ; --coulomb q.cube ; ; refused
grid build ; mesh-shift ; --coulomb q.cube ; 0.1,0,0 ; output
grid build ; mesh-shift ; ; 0.1,0,0 ; refused
grid build ; mesh-cell ; --coulomb q.npy --mesh-shift 0,0,-0.5 ; 3.9882,0,0,0,3.9882,0,0,0,10.2 ; output
grid build ; x-fastest ; --coulomb q.npy --mesh-shift 0,0,-0.5 --mesh-cell 3.9882,0,0,0,3.9882,0,0,0,10.2 ; ; refused
grid check ; samples ; ; 60 ; output
grid check ; seed ; ; 5 ; output
grid check ; max-de ; --max-df 99 ; 99 ; output
grid check ; max-df ; --max-de 99 ; 99 ; output
grid check ; plot ; ; errors.svg ; output
grid export ; output ; ; out.cube ; output
grid export ; channel ; ; pauli ; output
grid export ; probe ; ; H ; output
report ; output ; ; page.html ; output
report ; title ; ; title ; output
report ; surface ; ; nacl.xyz ; output
report ; max-structures ; ; 5 ; output
report ; max-rows ; ; 5 ; output
report ; quiet ; ; ; output
devices ; quiet ; ; ; stderr
doctor ; seconds ; ; 0.01 ; output
doctor ; quiet ; ; ; output
"""

# --- machinery -----------------------------------------------------------------------------------------------

# What differs from run to run: times and rates.
TIMES = (
    (r'"thread_seconds": ?\{[^}]*\}', "_"),
    (r'("(?:\w*seconds|\w+_per_s|time|spread)": ?)[^,}]+', r"\1_"),
    (r"[0-9.e+-]+( relaxations| evaluations| pairs)?(/s| s\b)", "_"),
    (r"spread [0-9.]+ %", "_"),
    (r"[0-9.]+( available| GiB free)", "_"),
)


def scrub(text):
    for pattern, other in TIMES:
        text = re.sub(pattern, other, text)
    return text


def content(path):
    """What can be compared of a file; HDF5 notes when it was written, and checkpoints how long it took."""
    if path.suffix in (".h5", ".checkpoint"):
        return path.stat().st_size
    return scrub(path.read_text()) if path.suffix in (".log", ".jsonl", ".csv") else path.read_bytes()


class Outcome:
    """What a command line leaves behind in a folder that has links to the inputs, and them alone afterwards."""

    folder = None

    def __init__(self, place, line):
        if Outcome.folder is None:
            Outcome.folder = pathlib.Path(tempfile.mkdtemp(dir=place))
            self.link(place)
        done = run(*line, cwd=Outcome.folder)
        made = [p for p in sorted(Outcome.folder.iterdir()) if not p.is_symlink()]
        self.output = (done.returncode, scrub(done.stdout), {p.name: content(p) for p in made})
        self.code, self.stderr = done.returncode, scrub(done.stderr)
        for path in made:
            path.unlink()
        if any((place / path.name).exists() for path in made):
            self.link(place)

    @staticmethod
    def link(place):
        for path in place.iterdir():
            if path != Outcome.folder and not (Outcome.folder / path.name).is_symlink():
                os.symlink(path, Outcome.folder / path.name)


def parse(rows):
    """Rows by command and option."""
    table = {}
    for line in filter(None, rows.splitlines()):
        names, option, extra, value, see = (x.strip() for x in line.split(" ;"))
        for name in names.split(", "):
            table.setdefault((name, option), []).append((extra, value, see))
    return table


def line_of(command, extra):
    """The words of a row's command without its option."""
    if extra.startswith("="):
        return extra[1:].split()
    words = extra.split()
    others = [w[1:] for w in words if w.startswith("@")]
    base = BASES[command]
    if others:
        base = re.sub(r"\{.*\}", others[-1], base)
    return base.replace("{", "").replace("}", "").split() + [w for w in words if not w.startswith("@")]


# What is worth more than one thread.
MANY = {"fit": "--starts 20", "fit scan": "--data big.xyz --evaluator pairs", "fit bonded": "more_turns.xyz"}


def count_threads(place, command, n):
    """How many threads a command has while it waits for more input, or how many the teams of OpenMP have."""
    if "{" not in BASES[command] or command in MANY:
        os.environ.update(OMP_DISPLAY_AFFINITY="TRUE", OMP_AFFINITY_FORMAT="team of %N")
        done = run(*line_of(command, MANY.get(command, "")), "--threads", n, cwd=place)
        del os.environ["OMP_DISPLAY_AFFINITY"]
        return max(map(int, re.findall(r"team of (\d+)", done.stderr)), default=1)
    line = re.sub(r"\{.*\}", "-", BASES[command]).replace("out.sdf", "/dev/null").split()
    more = ["--output-format", "sdf"] if command == "convert" else []
    with subprocess.Popen([PROGRAM, *line, *more, "--format", "xyz", "--threads", str(n)], stdin=subprocess.PIPE, cwd=place,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True) as process:
        process.stdin.write(ETHANOL)
        process.stdin.flush()
        found, until = 0, time.monotonic() + 10
        while found < n and time.monotonic() < until:
            time.sleep(0.01)
            found = len(os.listdir(f"/proc/{process.pid}/task"))
        time.sleep(0.05)  # until the last ones have begun
        found = len(os.listdir(f"/proc/{process.pid}/task"))
        process.stdin.close()
    return found


def try_threads(place, command):
    counts = [count_threads(place, command, n) for n in (5, 9)]
    check(counts[1] - counts[0] >= 3, f"{command} --threads: {counts} threads of 5 and 9")


def try_row(place, command, option, row, known):
    extra, value, see = row
    if see == "threads":
        try_threads(place, command)
        return
    base = line_of(command, extra)
    line = [*base, f"--{option}", *([value] if value else [])]
    text = " ".join(line)
    after = Outcome(place, line)
    if see in ("refused", "absent"):
        check(after.code == (2 if see == "refused" else 3) and after.stderr.count("\n") >= 1, f"{text}: not refused, {after.code} {after.stderr}")
        return
    if tuple(base) not in known:
        known[tuple(base)] = Outcome(place, base)
    before = known[tuple(base)]
    if see == "stderr":
        check(after.stderr != before.stderr, f"{text}: nothing else on stderr: {after.stderr}")
    else:
        check(after.output != before.output, f"{text}: without effect {after.code} {after.stderr}")
    check(after.code != 2, f"{text}: refused: {after.stderr}")


def main():
    table = parse(ROWS)
    known = {}
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        make_inputs(place)
        os.environ["PYTHON"] = f"{place}/python"
        used = set()
        for command in commands():
            for option in (*listed(*command.split()), "help"):
                key = next((k for k in ((command, option), ("*", option)) if k in table), None)
                check(key is not None, f"no row for --{option} of {command}")
                for row in table.get(key, ()):
                    used.add(key)
                    try_row(place, command, option, row, known)
        equal(sorted(set(table) - used), [], "rows of options that there are")
        for base, outcome in known.items():
            # How far a run comes until it is stopped depends on the moment.
            if "--max-hours" not in base:
                check(Outcome(place, base).output == outcome.output, f"another result of {' '.join(base)}")
    finish()


if __name__ == "__main__":
    main()
