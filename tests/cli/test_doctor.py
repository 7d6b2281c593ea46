# SPDX-License-Identifier: BSD-3-Clause
# shoal doctor: every part is looked at, every device tested; what is wrong is found, and the exit code tells.
import contextlib
import os
import pathlib
import re
import shutil
import tempfile

from program import PROGRAM, TOP, check, equal, finish, run, run_json

PARTS = ["library", "processor", "memory", "cache", "hdf5", "mpi", "opencl"]
QUICK = ("doctor", "--seconds", "0.01")


@contextlib.contextmanager
def environment(**values):
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def rows(*arguments, code=0):
    return {row["part"]: row for row in run_json(*arguments, "--json", code=code)}


def devices():
    return [d["device"] for d in run_json("devices", "--json", "-q") if d["device"] != "ref"]


def test_all_parts():
    found = rows(*QUICK)
    equal(list(found), PARTS + devices(), "parts, in order")
    for part, row in found.items():
        check(row["health"] in ("fine", "note", "warning"), f"{part}: {row}")
        check(row["found"] and (row["health"] == "fine") == (row["advice"] == ""), f"{part}: advice where it is due: {row}")
    for name in devices():
        row = found[name]
        check(0 < row["error"] < row["tolerance"] <= 1e-4, f"{name}: error of float: {row['error']}")
        check(row["evals_per_s"] > 100 and row["start_seconds"] > 0, f"{name}: rate {row}")


def test_table():
    done = run("doctor", "--seconds", "0")
    lines = done.stdout.splitlines()
    equal(done.returncode, 0, "exit code")
    equal(lines[0].split(), ["part", "health", "found"], "head of the table")
    check("not tested" in done.stdout and "passes" not in done.stdout, "0 s: no device is tested")
    check(lines[-1].startswith(("all is well", "it works")), f"verdict: {lines[-1]}")
    equal(run("doctor", "file.xyz").returncode, 2, "exit code with a file")
    equal(run("doctor", "--seconds", "-1").returncode, 2, "exit code with a negative time")


def test_missing():
    """What users set wrong is found, and told with what to do."""
    with environment(SHOAL_CACHE="0"):
        row = rows("doctor", "--seconds", "0")["cache"]
        equal((row["health"], "SHOAL_CACHE_DIR" in row["advice"]), ("note", True), "no cache")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        with environment(SHOAL_CACHE_DIR=folder):
            equal(rows("doctor", "--seconds", "0")["cache"]["health"], "warning", "a cache that others may write to")
    with environment(OMP_NUM_THREADS="999"):
        row = rows("doctor", "--seconds", "0")["processor"]
        equal(row["health"], "warning", f"999 threads: {row}")
        check("OMP_NUM_THREADS" in row["advice"], f"999 threads: {row}")
    with environment(SHOAL_MPI_PLUGIN="/nowhere.so"):
        equal(rows("doctor", "--seconds", "0")["mpi"]["health"], "note", "no plugin for MPI")
        with environment(OMPI_COMM_WORLD_SIZE="2"):
            row = rows("doctor", "--seconds", "0", code=3)["mpi"]
            equal(row["health"], "broken", f"started by mpirun without the plugin: {row}")
            said = run("doctor", "--seconds", "0", "-q")
            check(said.returncode == 3 and said.stdout.startswith("mpi"), f"-q tells it: {said.stdout}")


def test_wrong_device():
    """A device whose bonds are wrong is found."""
    name = next((d for d in devices() if d.startswith("opencl")), None)
    if not name:
        print("without OpenCL: no wrong device")
        return
    with tempfile.TemporaryDirectory() as directory:
        folder = shutil.copytree(TOP / "kernels", f"{directory}/kernels")
        path = pathlib.Path(folder) / "uff_terms.h"
        text, n = re.subn(r"- p\.r0;", "- R(1.01) * p.r0;", path.read_text())
        check(n > 0, "uff_terms.h has no such line: tell this test what to break instead")
        path.write_text(text)
        with environment(SHOAL_KERNEL_DIR=str(folder)):
            row = rows(*QUICK, code=3)[name]
            equal(row["health"], "broken", f"wrong bonds: {row}")
            check("WRONG" in row["found"] and "do not use it" in row["advice"], f"wrong bonds: {row}")
            check("broken" in run(*QUICK).stdout.splitlines()[-1], "verdict")


if __name__ == "__main__":
    check(os.access(PROGRAM, os.X_OK), "the program")
    test_all_parts()
    test_table()
    test_missing()
    test_wrong_device()
    finish()
