# SPDX-License-Identifier: BSD-3-Clause
# --params: vdW parameters of a table of atom types in energy and relax.
import math
import tempfile

import program

ROW = "{} * {} E 0 0 0 0 0.5 {} {} {} 0.0\n"
# Two water molecules, 2.9 angstrom apart: the only vdW pairs are those between them.
DIMER = (
    "6\ndimer\nO 0 0 0\nH 0.7572 0.5865 0\nH -0.7572 0.5865 0\n"
    "O 0 0 2.9\nH 0.7572 0.5865 2.9\nH -0.7572 0.5865 2.9\n"
)


def table(*rows):
    return "".join(ROW.format(*row) for row in rows)


def lj(a, b, parameters):
    (ra, ea), (rb, eb) = parameters[a[0]], parameters[b[0]]
    u = (ra + rb) / math.dist(a[1], b[1])
    return math.sqrt(ea * eb) * (u**12 - 2 * u**6)


def check_energy(place):
    """Against a sum over the pairs of the two molecules, R added and depths multiplied."""
    parameters = {"O": (1.60, 0.005), "H": (1.20, 0.001)}
    rows = [("O_3", "O", 1.60, 0.005, 0.0), ("H_O", "H", 1.20, 0.001, 0.0)]
    types = program.write(place, "types.dat", table(*rows))
    system = program.write(place, "dimer.xyz", DIMER)
    atoms = [(w[0], tuple(map(float, w[1:]))) for w in map(str.split, DIMER.splitlines()[2:])]
    want = sum(lj(a, b, parameters) for a in atoms[:3] for b in atoms[3:])
    for device in ("ref", "cpu"):
        (got,) = program.run_json("energy", "--json", "--device", device, "--precision", "double", "--params", types, system)
        program.near(got["terms"]["vdw"], want, 1e-9, f"vdw on {device}")
        program.equal(got["terms"]["coulomb"], 0, "no charges")
    (relaxed,) = program.run_json("relax", "--json", "--params", types, system)
    program.equal(relaxed["status"], "converged", "relaxation with a table")
    check_charges(place, system)


def check_charges(place, system):
    rows = [("O_3", "O", 1.60, 0.005, -0.8), ("H_O", "H", 1.20, 0.001, 0.4)]
    types = program.write(place, "charged.dat", table(*rows))
    (got,) = program.energies("--params", types, system)
    program.check(abs(got["terms"]["coulomb"]) > 0.01, "charges of the table")
    (got,) = program.energies("--params", types, "--charges", "none", system)
    program.equal(got["terms"]["coulomb"], 0, "no charges asked for")


def check_names(place):
    """By neighbour, by label, or refused with both names."""
    system = program.write(place, "system.xyz", DIMER)
    types = program.write(place, "few.dat", table(("O_3", "O", 1.6, 0.005, 0.0)))
    (got,) = program.energies("--params", types, system, code=1)
    program.equal(got["status"], "untyped", "missing type")
    program.check("atom 1 (H, UFF type H_): the table of parameters has neither H_O nor H_" in got["reason"],
                  got["reason"])
    types = program.write(place, "general.dat", table(("O_3", "O", 1.6, 0.005, 0.0), ("H_", "H", 1.2, 0.001, 0.0)))
    (got,) = program.energies("--params", types, system)
    program.equal(got["status"], "ok", "H_ serves where there is no H_O")
    methane = program.write(place, "methane.xyz", program.METHANE)
    types = program.write(place, "carbon.dat", table(("C_3", "C", 1.9, 0.004, 0.0), ("H_C3", "H", 1.4, 0.001, 0.0)))
    (got,) = program.energies("--params", types, methane)
    program.equal(got["status"], "ok", "H on sp3 carbon is H_C3")


def check_ions(place):
    """Types of ions bear the sign of the charge; those of the other sign are not theirs."""
    ion = "{0}\nProperties=species:S:1:pos:R:3:formal_charge:I:1\n{1}"
    hydroxide = program.write(place, "hydroxide.xyz", ion.format(2, "O 0 0 0 -1\nH 0.97 0 0 0\n"))
    oxonium = program.write(place, "oxonium.xyz", ion.format(
        4, "O 0 0 0 1\nH 0.97 0 0.1 0\nH -0.48 0.84 0.1 0\nH -0.48 -0.84 0.1 0\n"))
    for sign, own, other in (("-", hydroxide, oxonium), ("+", oxonium, hydroxide)):
        rows = [("O_3" + sign, "O", 1.6, 0.005, 0.0), ("H_O" + sign, "H", 1.2, 0.001, 0.0)]
        types = program.write(place, "ions.dat", table(*rows))
        (got,) = program.energies("--params", types, own)
        program.equal(got["status"], "ok", f"types of ions with {sign}")
        (got,) = program.energies("--params", types, other, code=1)
        program.equal(got["status"], "untyped", f"the other ion than {sign}")


def check_model(place):
    """A setting that is not known is refused, with its line."""
    rows = table(("O_3", "O", 1.6, 0.005, 0.0), ("H_O", "H", 1.2, 0.001, 0.0))
    model = program.write(place, "model.dat", "shoal_pair_model 1\nform morse\ncolour blue\ntypes\n" + rows)
    system = program.write(place, "system.xyz", DIMER)
    done = program.run("energy", "--params", model, system)
    program.equal(done.returncode, 4, done.stderr)
    program.check("model.dat:3" in done.stderr and "colour" in done.stderr, done.stderr)
    done = program.run("energy", "--params", place / "none.dat", system)
    program.equal(done.returncode, 4, done.stderr)


def check_mixing(place):
    """A pair model has its own mixing rule; another one is refused, not overridden."""
    types = program.write(place, "types.dat", table(("O_3", "O", 1.6, 0.005, 0.0), ("H_O", "H", 1.2, 0.001, 0.0)))
    system = program.write(place, "system.xyz", DIMER)
    for command in ("energy", "relax", "check"):
        done = program.run(command, "--params", types, "--mixing", "geometric", system)
        program.equal(done.returncode, 2, done.stderr)
        program.check("--mixing geometric: the pair model of --params has R0 = Ri + Rj" in done.stderr, done.stderr)
    (want,) = program.energies("--params", types, system)
    (got,) = program.energies("--params", types, "--mixing", "arithmetic", system)
    program.equal(got["energy"], want["energy"], "the rule of the model")


def check_factors(place):
    """1-4 factors are linear in the energies, the same on all devices, and know the damping of the model."""
    butane = (
        "14\nbutane\nC -1.95 0.10 0.05\nC -0.55 -0.50 0.00\nC 0.55 0.55 0.02\nC 1.95 -0.10 -0.03\nH -2.70 -0.68 0.30\n"
        "H -2.05 0.90 0.80\nH -2.20 0.53 -0.93\nH -0.42 -1.15 0.88\nH -0.45 -1.12 -0.90\nH 0.42 1.20 -0.86\n"
        "H 0.45 1.17 0.92\nH 2.70 0.66 -0.28\nH 2.05 -0.88 -0.79\nH 2.20 -0.55 0.94\n"
    )
    rows = table(("C_3", "C", 1.95, 0.004, -0.3), ("H_C3", "H", 1.4, 0.0015, 0.12))
    system = program.write(place, "butane.xyz", butane)
    for settings in ("form lj\n", "form lj\ncoulomb damped\ncoulomb_damping 0.5\n", "form morse\nlambda 0.9\n"):
        found = {}
        for factors in ((0, 0), (0.5, 0.5), (1, 1)):
            head = f"shoal_pair_model 1\n{settings}scale_14 {factors[0]} {factors[1]}\ntypes\n"
            model = program.write(place, "factors.dat", head + rows)
            terms = [
                program.run_json("energy", "--json", "--device", device, "--params", model, system)[0]["terms"]
                for device in ("ref", "cpu")
            ]
            for part in ("vdw", "coulomb"):
                program.near(terms[1][part], terms[0][part], 1e-10, f"{settings} {factors} {part}: cpu")
                found[factors[0], part] = terms[0][part]
        for part in ("vdw", "coulomb"):
            mean = 0.5 * (found[0, part] + found[1, part])
            program.near(found[0.5, part], mean, 1e-10, f"{settings} {part}: half")
            program.check(abs(found[0, part] - found[1, part]) > 1e-4, f"{settings} {part}: no 1-4 pairs")


def main():
    with tempfile.TemporaryDirectory() as name:
        place = program.pathlib.Path(name)
        check_energy(place)
        check_names(place)
        check_ions(place)
        check_model(place)
        check_mixing(place)
        check_factors(place)
    program.finish()


if __name__ == "__main__":
    main()
