# SPDX-License-Identifier: BSD-3-Clause
# Factors of 1-4 pairs of a pair model, on every kind of device.
import math
import tempfile

import program

ROWS = "C_3 * C E 0 0 0 0 0.5 1.9 0.004 -0.18 0.0\nH_C3 * H E 0 0 0 0 0.5 1.4 0.002 0.06 0.0\n"
ETHANE = (
    "8\nethane\nC 0 0 0.765\nC 0 0 -0.765\nH 1.02 0 1.16\nH -0.51 0.883 1.16\nH -0.51 -0.883 1.16\n"
    "H -1.02 0 -1.16\nH 0.51 0.883 -1.16\nH 0.51 -0.883 -1.16\n"
)


def check_ethane(place):
    """Ethane's only pairs are the 1-4 pairs of its hydrogens: the factors times the form, damped as the model says."""
    system = program.write(place, "ethane.xyz", ETHANE)
    model = program.write(place, "scaled.dat", "shoal_pair_model 1\nform morse\nalpha 1.6\ncoulomb damped\n"
                          "coulomb_damping 1.5\nscale_14 0.5 0.25\ntypes\n" + ROWS)
    hydrogens = [tuple(map(float, line.split()[1:])) for line in ETHANE.splitlines()[4:]]
    far = [math.dist(a, b) for a in hydrogens[:3] for b in hydrogens[3:]]
    morse = [math.exp(-1.6 * (r - 2.8)) for r in far]
    vdw = 0.5 * 0.002 * sum(e * e - 2 * e for e in morse)
    coulomb = 0.25 * 14.3996448 * 0.06**2 * sum(1 / math.hypot(r, 1.5) for r in far)
    devices = [d["device"] for d in program.run_json("devices", "-q", "--json")]
    for device in ["ref", "cpu"] + [d for d in devices if d.startswith("opencl")][:1]:
        (got,) = program.energies("--device", device, "--params", model, system)
        program.near(got["terms"]["vdw"], vdw, 1e-5, f"vdw of 1-4 pairs on {device}")
        program.near(got["terms"]["coulomb"], coulomb, 1e-5, f"Coulomb of 1-4 pairs on {device}")
        (got,) = program.energies("--device", device, "--damping", "0.5", "--params", model, system, code=1)
        program.equal(got["status"], "untyped", f"two dampings on {device}")


def main():
    with tempfile.TemporaryDirectory() as name:
        check_ethane(program.pathlib.Path(name))
    program.finish()


if __name__ == "__main__":
    main()
