# SPDX-License-Identifier: BSD-3-Clause
# Programs of kernels that processes of their own compile: as many as a run needs but one, the same results, and this
# process does it where they fail.
import os
import pathlib
import sys
import tempfile

from program import METHANE, PROGRAM, check, equal, finish, run, skip, write

DEVICE = ("--device", os.environ.get("SHOAL_TEST_DEVICE", "opencl:cpu"))
WRAPPER = f"""#!{sys.executable}
import os, sys
with open(sys.argv[0] + ".calls", "a") as calls:
    calls.write(" ".join(sys.argv[1:]) + "\\n")
os.execv({PROGRAM!r}, [{PROGRAM!r}] + sys.argv[1:])
"""


def relax(place, cache, compiler, options=""):
    """A relaxation that compiles a program for single points and one for steps, in a new cache."""
    folder = place / cache
    folder.mkdir(mode=0o700)
    os.environ.update(SHOAL_CACHE_DIR=str(folder), SHOAL_CL_OPTIONS=options)
    os.environ.pop("SHOAL_CL_COMPILER", None)
    if compiler is not None:
        os.environ["SHOAL_CL_COMPILER"] = str(compiler)
    return run("relax", "--json", *DEVICE, "--max-steps", "3", "--fmax", "9", place / "mol.xyz")


def kept(place, cache, ending):
    return len(list((place / cache).glob(f"*.{ending}")))


def test_apart(place):
    write(place, "wrapper", WRAPPER)
    (place / "wrapper").chmod(0o700)
    own = relax(place, "threads", "")
    equal(own.returncode, 0, own.stderr)
    programs = kept(place, "threads", "bin")
    for cache, compiler in (("itself", None), ("wrapped", place / "wrapper"), ("failing", "/bin/false"), ("none", "/none")):
        done = relax(place, cache, compiler)
        equal(done.stdout, own.stdout, f"the same with {cache}: {done.stderr}")
        equal(kept(place, cache, "bin"), programs, f"programs kept with {cache}")
        equal(kept(place, cache, "task"), 0, f"tasks left by {cache}")
    calls = (place / "wrapper.calls").read_text().split("\n")[:-1]
    equal(len(calls), 1, "one program of the two is compiled apart")
    check(calls and calls[0].startswith("compile-kernel "), f"what was called: {calls}")
    relax_again = run("relax", "--json", *DEVICE, "--max-steps", "3", "--fmax", "9", place / "mol.xyz")
    equal(relax_again.stdout, own.stdout, "from the cache")



def test_errors(place):
    """What does not compile is told in the same words; compilers print besides."""
    done = [relax(place, f"broken{k}", compiler, "-Dslot=9x") for k, compiler in enumerate((None, "") * 2)]
    texts = {d.stderr.strip().split("\n")[-1] for d in done}
    equal(len(texts), 1, f"messages: {texts}")
    check("does not compile" in texts.pop(), "it is told")


def test_calls():
    for key in ("0" * 64, "../x", "0" * 63 + "x", ""):
        done = run("compile-kernel", key)
        check(done.returncode not in (0, 1) and done.stderr.startswith("shoal: "), f"{key}: {done.stderr}")


def main():
    if run("energy", *DEVICE, "-", stdin=METHANE).returncode == 3:
        skip(f"there is no {DEVICE[1]}")
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        write(place, "mol.xyz", METHANE)
        test_apart(place)
        test_errors(place)
        test_calls()
    finish()


main()
