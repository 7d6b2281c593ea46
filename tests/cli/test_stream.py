# SPDX-License-Identifier: BSD-3-Clause
# Whole runs, from file to file: the same bytes by any number of threads, in the order of the input, in memory
# that does not grow with it, and complete up to a mistake.
import json
import os
import pathlib
import subprocess
import tempfile

from program import CASES, METHANE, PROGRAM, TOP, WATER, check, equal, finish, run, write

DEMO = TOP / "examples" / "demo.sdf"


def output(directory, name, *arguments, code=0):
    """What a run prints and writes."""
    path = pathlib.Path(directory) / name
    result = run(*arguments, "-o", path)
    equal(result.returncode, code, f"exit code of {arguments[:3]}: {result.stderr}")
    return result.stdout, path.read_bytes()


def check_threads(directory):
    """Threads change no byte."""
    file = CASES / "types.sdf"
    for command, code in (("types", 0), ("energy", 0), ("relax", 1), ("convert", 0)):
        options = ["-q", file, DEMO] + ([] if command == "convert" else ["--json"])
        if command == "relax":
            options += ["--max-steps", 60]
        one = output(directory, "one.sdf", command, "--threads", 1, *options, code=code)
        many = output(directory, "many.sdf", command, "--threads", 5, *options, code=code)
        check(one == many, f"{command}: one thread and five give the same bytes")
        rows = [json.loads(line)["index"] for line in one[0].splitlines()]
        equal(rows, list(range(len(rows))), f"{command}: rows in the order of the input")


def chain(n):
    """A carbon chain that is large enough to be computed apart."""
    atoms = "".join(f"C {1.27 * k} {0.8 * (k % 2)} 0\n" for k in range(n))
    return f"{n}\nname=chain\n{atoms}"


def check_large(directory):
    """A large system keeps its place among small ones."""
    path = write(directory, "mixed.xyz", WATER * 700 + chain(1500) + METHANE * 700)
    result = run("energy", "--json", "-q", "--threads", 2, path)
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    equal(len(rows), 1401, f"rows: {result.stderr}")
    equal([r["natoms"] for r in rows[699:702]], [3, 1500, 5], "the large system is where it was")


def check_mistake(directory):
    """With --strict what stands before a mistake is reported and kept, nothing behind it, and the line is named."""
    path = write(directory, "bad.xyz", WATER * 300 + "1\nbad\nC 0 zero 0\n" + METHANE * 300)
    result = run("energy", "--json", "-q", "--strict", "--threads", 2, path, "-o", f"{directory}/bad_out.xyz")
    equal(result.returncode, 4, f"exit code: {result.stderr}")
    equal(len(result.stdout.splitlines()), 300, "rows before the mistake")
    check("bad.xyz:1503: " in result.stderr and "'zero'" in result.stderr, result.stderr)
    check("the 300 systems before it are kept" in result.stderr, result.stderr)
    kept = (pathlib.Path(directory) / "bad_out.xyz.partial").read_text()
    equal(kept.count("\nO "), 300, "systems that were kept")


def check_memory(directory):
    """300 000 molecules, whose results would fill a gigabyte, in 200 MB at most."""
    path = write(directory, "many.xyz", METHANE * 300000)
    command = [PROGRAM, "energy", "--json", "-q", "--threads", "2", str(path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    equal(process.returncode, 0, "exit code")
    check(usage.ru_maxrss < 200 << 10, f"memory: {usage.ru_maxrss >> 10} MB")


def check_pipe(directory):
    """What comes through a pipe is computed when it comes, and a signal ends the wait for more and keeps it."""
    command = [PROGRAM, "energy", "--json", "-q", "--format", "xyz", "-", "-o", f"{directory}/piped.xyz"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    process.stdin.write(WATER * 3 + METHANE[:20])
    process.stdin.flush()
    rows = [json.loads(process.stdout.readline())["natoms"] for _ in range(3)]
    equal(rows, [3, 3, 3], "results while the pipe is open")
    process.terminate()
    equal(process.wait(20), 143, "exit code of a run that waited")
    kept = (pathlib.Path(directory) / "piped.xyz.partial").read_text()
    equal(kept.count("\nO "), 3, "systems that were kept")
    process.stdin.close()
    process.stdout.close()


def check_full(directory):
    """Rows that cannot be printed end the run, and nothing is said to be kept that is not."""
    path = write(directory, "few.xyz", WATER * 1000)
    with open("/dev/full", "w") as full:
        result = subprocess.run([PROGRAM, "energy", "-q", path, "-o", f"{directory}/full.xyz"], stdout=full,
                                stderr=subprocess.PIPE, text=True)
    equal(result.returncode, 4, result.stderr)
    check("are kept" not in result.stderr, result.stderr)


def check_bench_file():
    result = run("bench", "--what", "file", "--job", "energy", "--repeats", 2, "--threads", 1, "--json", DEMO)
    row = json.loads(result.stdout)
    equal((row["what"], row["job"], row["systems"], row["failed"]), ("file", "energy", 12, 0), "bench of a file")
    for stage in ("read", "parse", "type", "pack", "compute", "format", "write"):
        check(row["thread_seconds"][stage] >= 0, stage)
    check("needs the names of files" in run("bench", "--what", "file").stderr, "no file")
    equal(run("bench", DEMO).returncode, 2, "files for a built-in system")


def check_help():
    equal(run("help", "relax").stdout, run("relax", "--help").stdout, "help COMMAND")
    equal(run("help", "nothing").returncode, 2, "help of an unknown command")


def main():
    with tempfile.TemporaryDirectory() as directory:
        check_threads(directory)
        check_large(directory)
        check_mistake(directory)
        check_memory(directory)
        check_pipe(directory)
        check_full(directory)
    check_bench_file()
    check_help()
    finish()


if __name__ == "__main__":
    main()
