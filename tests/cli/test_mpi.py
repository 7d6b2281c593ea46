# SPDX-License-Identifier: BSD-3-Clause
# Ranks of MPI share a run: the files of one process, whatever their number, with bad records, stops and mistakes.
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from program import PROGRAM, TOP, check, equal, finish, run, skip, write

TYPES = (TOP / "tests" / "cases" / "types.sdf").read_text()
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1")


def ranks(n, *arguments):
    return ["mpirun", "-n", str(n), PROGRAM] + [str(a) for a in arguments]


def run_ranks(n, *arguments):
    return subprocess.run(ranks(n, *arguments), env=ENVIRONMENT, capture_output=True, text=True, timeout=120)


def names(stem):
    return [f"{stem}.{kind}" for kind in ("sdf", "jsonl", "csv")]


def outputs(stem):
    return [word for name in names(stem) for word in ("-o", name)]


def check_same(directory):
    """Two and three ranks give the files of one."""
    path = write(directory, "in.sdf", TYPES * 20 + "bad\n\n\nx\n$$$$\n" + TYPES * 20)
    words = ("--json", "-q", "--threads", 1, path)
    one = run("relax", *words, *outputs(f"{directory}/one"))
    equal(one.returncode, 1, f"one process: {one.stderr[-300:]}")
    for n in (2, 3):
        many = run_ranks(n, "relax", *words, *outputs(f"{directory}/many"))
        equal((many.returncode, many.stdout), (1, one.stdout), f"{n} ranks: {many.stderr[-300:]}")
        for a, b in zip(names(f"{directory}/one"), names(f"{directory}/many")):
            check(pathlib.Path(a).read_bytes() == pathlib.Path(b).read_bytes(), f"{n} ranks: {b}")
        check(many.stderr.count("unreadable") == 1, f"{n} ranks report once: {many.stderr[-500:]}")


def check_search(directory):
    """A search of two ranks, with chains and without, gives the files of one process."""
    demo = (TOP / "examples" / "demo.sdf").read_text().split("$$$$\n")
    path = write(directory, "ala.sdf", next(r for r in demo if r.startswith("alanine")) + "$$$$\n")
    for kicks in (0, 2):
        words = ("search", "-q", "--starts", 60, "--kicks", kicks, "--threads", 1, path)
        one = run(*words, "-o", f"{directory}/found1.sdf")
        two = run_ranks(2, *words, "-o", f"{directory}/found2.sdf")
        equal((one.returncode, two.returncode, two.stdout), (0, 0, one.stdout), f"search: {two.stderr[-300:]}")
        files = [pathlib.Path(f"{directory}/found{n}.sdf").read_bytes() for n in (1, 2)]
        check(files[0] == files[1] and len(files[0]) > 1000, "minima of two ranks")


def check_mistakes(directory):
    """Mistakes end all ranks."""
    water = TOP / "tests" / "golden" / "water.xyz"
    for words, code in ((("energy", f"{directory}/absent.xyz"), 4), (("energy", water, "-o", water), 2),
                        (("energy", "--device", "opencl:99", water), 3), (("relax", "--frob", water), 2)):
        done = run_ranks(2, *words)
        equal(done.returncode, code, f"{words}: {done.stderr[-300:]}")


def check_grids(directory):
    """Ranks that chose differently do not share a run."""
    water, salt = TOP / "tests" / "golden" / "water.xyz", f"{directory}/salt.xyz"
    equal(run("slab", "rocksalt", "--size", "1x1", "-q", "-o", salt).returncode, 0, "a slab")
    made = run("grid", "build", "-q", salt, "--step", "0.3", "--samples", "1", "-o", f"{directory}/grid.h5")
    if "no HDF5" in made.stderr:
        return
    words = [PROGRAM, "energy", "-q", "--surface", salt, "--height", "3", str(water), "--grid"]
    done = subprocess.run(["mpirun", "-n", "1", *words, "off", ":", "-n", "1", *words, f"{directory}/grid.h5"],
                          env=ENVIRONMENT, capture_output=True, text=True, timeout=120)
    check(done.returncode != 0 and "rank 1: has the surface on a grid" in done.stderr, f"grids: {done.stderr[-300:]}")


def check_fit(directory):
    """A fit has the same bits on any number of ranks, and goes on with another number of them."""
    example = TOP / "examples" / "fit"
    words = ["fit", "--types", example / "AtomTypes.dat", "--data", example / "dimers.xyz", "--dofs", example / "dofs.dat", "--evaluator",
             "pairs", "--cv", "3", "--starts", "2", "-q", "-o"]
    texts = []
    for n in (1, 2, 3):
        model = pathlib.Path(directory) / f"model{n}.dat"
        stopped = run_ranks(n, *words, model, "--max-hours", "1e-7")
        check("the same command with --resume goes on" in stopped.stderr, stopped.stderr)
        equal(stopped.stderr.count("best so far"), 1, "one rank tells")
        done = run_ranks(4 - n, *words, model, "--resume")
        equal(done.returncode, 0, done.stderr)
        texts.append((model.read_text(), re.sub(r"in \S+ s", "", done.stdout)))
    equal(texts[0], texts[1], "two ranks, then two")
    equal(texts[0], texts[2], "three ranks, then one")


def check_resume(directory):
    """Stopped as two ranks, gone on with as one."""
    path = write(directory, "long.sdf", TYPES * 400)
    out = f"{directory}/long_out.sdf"
    done = run_ranks(2, "relax", "-q", "--threads", 1, path, "-o", out, "--max-hours", 1e-4)
    equal(done.returncode, 75, f"stopped: {done.stderr[-300:]}")
    check(os.path.exists(f"{out}.checkpoint"), f"with a checkpoint: {os.listdir(directory)}")
    equal(run("relax", "-q", path, "-o", out, "--resume").returncode, 0, "one process goes on")
    run("relax", "-q", path, "-o", f"{directory}/whole.sdf")
    check(pathlib.Path(out).read_bytes() == pathlib.Path(f"{directory}/whole.sdf").read_bytes(), "the same file")


def main():
    if not shutil.which("mpirun"):
        skip("no mpirun here")
    if not (pathlib.Path(PROGRAM).parent / "shoal_mpi.so").exists():
        skip("built without MPI")
    with tempfile.TemporaryDirectory() as directory:
        check_same(directory)
        check_search(directory)
        check_mistakes(directory)
        check_grids(directory)
        check_resume(directory)
        check_fit(directory)
    finish()


if __name__ == "__main__":
    main()
