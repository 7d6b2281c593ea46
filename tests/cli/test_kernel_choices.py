# SPDX-License-Identifier: BSD-3-Clause
# Work-groups and compiler options that the environment asks for: the same numbers, and results that name them.
import os
import pathlib
import tempfile

from program import METHANE, check, equal, finish, near, run, run_json, skip, write

DEVICE = ("--device", os.environ.get("SHOAL_TEST_DEVICE", "opencl:cpu"))


def test_numbers_and_names(place):
    text, log = "groups of 64, -DCHOSEN=2", place / "cl.log"
    plain = run_json("energy", "--json", *DEVICE, place / "mol.xyz")[0]["energy"]
    os.environ.update(SHOAL_CL_GROUP="64", SHOAL_CL_OPTIONS="-DCHOSEN=2", SHOAL_CL_LOG=str(log), SHOAL_CACHE="0")
    near(run_json("energy", "--json", *DEVICE, place / "mol.xyz")[0]["energy"], plain, 1e-5, text)
    check(all(word in log.read_text() for word in ("-DWG=64", "-DCHOSEN=2")), "what the compiler was told")
    os.environ.pop("SHOAL_CL_LOG")
    os.environ.pop("SHOAL_CACHE")
    done = run("relax", *DEVICE, "--max-steps", "3", "--fmax", "9", place / "mol.xyz", "-o", place / "out.h5")
    equal(done.returncode, 0, done.stderr)
    check(text.encode() in (place / "out.h5").read_bytes(), "the results name both")
    run("relax", "--max-steps", "3", "--fmax", "9", place / "mol.xyz", "-o", place / "cpu.h5")
    check(b"groups of 64" not in (place / "cpu.h5").read_bytes(), "results of the cpu do not")
    bench = ("bench", "--json", *DEVICE, "--case", "formic_acid", "--systems", "2", "--steps", "2", "--repeats", "1")
    equal(run_json(*bench)[0]["kernels"], text, "the row of bench")
    os.environ.update(SHOAL_CL_GROUP="", SHOAL_CL_OPTIONS="")
    check("kernels" not in run_json(*bench)[0], "nothing was asked for")


def test_refusals(place):
    for group, options, text in (
        ("48", "", "SHOAL_CL_GROUP is '48', expected 32, 64, 128 or 256"),
        ("", "-D9x", "kernels"),
    ):
        os.environ.update(SHOAL_CL_GROUP=group, SHOAL_CL_OPTIONS=options)
        done = run("energy", "--json", *DEVICE, place / "mol.xyz")
        check(done.returncode not in (0, 1) and text in done.stderr, f"{group}{options}: {done.stderr}")
    os.environ.update(SHOAL_CL_GROUP="", SHOAL_CL_OPTIONS="")


def main():
    if run("energy", *DEVICE, "-", stdin=METHANE).returncode == 3:
        skip(f"there is no {DEVICE[1]}")
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        write(place, "mol.xyz", METHANE)
        test_numbers_and_names(place)
        test_refusals(place)
    finish()


main()
