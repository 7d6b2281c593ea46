# SPDX-License-Identifier: BSD-3-Clause
# Breaks one line at a time in a scratch copy of the tree and looks whether the tests notice.
"""usage: tools/mutants.py [--sample N] [--seed S] [--only PATTERN] [--list] [--check] [--scratch DIR]
                        [--python PYTHON]

The table tests/mutants.tsv holds one mutant per row: id, file, what stands there (exactly once), what
is put there instead, the tests that should notice (a regular expression of ctest names), and why it
matters. Rows of python/shoal name tests of pytest instead, and run where a Python (--python) has
NumPy and pytest; elsewhere they are left out, and the end says so. A mutant is killed if one of its tests fails that
passes without it, or fails more often. Tests of pytest have to pass without a mutant.
Exit code 0: all killed; 1: some survived; 2: the table is stale, or a mutant does not compile."""

import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import time
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import source_tree  # noqa: E402

TOP = pathlib.Path(__file__).resolve().parents[1]
COLUMNS = ("id", "file", "original", "replacement", "tests", "why")
COUNTS = re.compile(r"(\d+) passed, (\d+) failed")
TIMEOUT_S = 400  # of one test; mutants may well loop for ever


def read_table(path):
    rows = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) != len(COLUMNS):
            sys.exit(f"{path}:{number}: {len(fields)} columns, expected {len(COLUMNS)}")
        rows.append(dict(zip(COLUMNS, fields)))
    return rows


def find_stale(rows, top):
    """What the tree no longer bears out, one line each."""
    findings, seen = [], set()
    for row in rows:
        path = top / row["file"]
        count = path.read_text().count(row["original"]) if path.is_file() else 0
        if count != 1:
            findings.append(f"{row['id']}: {row['file']} has the original {count} times, expected once")
        if row["original"] == row["replacement"]:
            findings.append(f"{row['id']}: the replacement changes nothing")
        if row["id"] in seen:
            findings.append(f"{row['id']}: there are two mutants of this name")
        seen.add(row["id"])
    return findings


def is_device_code(name):
    """Kernels that no C file includes: they are read from the tree at run time, without a build."""
    path = pathlib.PurePosixPath(name)
    return path.parts[0] == "kernels" and path.name != "large_layout.h" and (
        path.suffix == ".cl" or path.name.startswith(("group", "large", "step_state", "uff_centre")))


def is_python(row):
    return row["file"].startswith("python/")


def test_device(name):
    """Where tests of all devices run: on the cpu alone unless the code is of OpenCL, since PoCL takes
    long to compile. What both share, such as the decisions in kernels/step*.h, is one copy, and
    test_cl_step compares the compilers."""
    opencl = is_device_code(name) or name.startswith(("src/cl/", "src/backend/opencl/"))
    return None if opencl else "cpu"


class Scratch:
    """A copy of the tree and a build of it, kept between runs of this program."""

    def __init__(self, directory, jobs):
        self.tree, self.build = directory / "tree", directory / "build"
        self.jobs = jobs
        self.environment = dict(os.environ, SHOAL_CACHE_DIR=str(directory / "cache"),
                                POCL_CACHE_DIR=str(directory / "pocl"))
        for name in ("cache", "pocl", "tree"):
            (directory / name).mkdir(parents=True, exist_ok=True)

    def copy(self):
        """Only what differs is written, so that a build goes on from the last one."""
        wanted = source_tree.files(TOP)
        for name in wanted:
            data, path = (TOP / name).read_bytes(), self.tree / name
            if path.is_file() and path.read_bytes() == data:
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            path.chmod((TOP / name).stat().st_mode)
        known = {self.tree / name for name in wanted}
        for path in self.tree.rglob("*"):
            if path.is_file() and path not in known and "__pycache__" not in path.parts:
                path.unlink()

    def call(self, *command, environment=None):
        return subprocess.run(command, env=environment or self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace")

    def must(self, *command):
        done = self.call(*command)
        if done.returncode != 0:
            sys.exit(f"{done.stdout[-6000:]}\nmutants: failed: {' '.join(map(str, command))}")
        return done.stdout

    def configure(self):
        generator = ("-G", "Ninja") if self.call("sh", "-c", "command -v ninja").returncode == 0 else ()
        self.must("cmake", "-S", self.tree, "-B", self.build, *generator,
                  "-DSHOAL_ISA=base", f"-DPython3_EXECUTABLE={sys.executable}")
        text = self.must("ctest", "--test-dir", self.build, "--show-only=json-v1")
        return [test["name"] for test in json.loads(text[text.index("{"):])["tests"]]

    def make(self, tests):
        """Builds what the tests need; the output if that fails, otherwise None."""
        targets = {"shoal_cli" if name.startswith("cli.") else name.split(".", 1)[1]
                   for name in tests if name.startswith(("cli.", "unit."))}
        if any(name.startswith("examples.") for name in tests):
            targets = {"all"}
        if not targets:
            return None
        done = self.call("cmake", "--build", self.build, "--parallel", str(self.jobs), "--target",
                         *sorted(targets))
        return done.stdout if done.returncode != 0 else None

    def run(self, tests, device=None, device_code=False, stop=False):
        """{test: number of failures}; 0 for a test that passes, None for one that ends otherwise."""
        environment = dict(self.environment)
        report = self.build / "mutants.xml"
        report.unlink(missing_ok=True)
        names = "^(" + "|".join(re.escape(name) for name in tests) + ")$"
        if device_code:
            environment["SHOAL_KERNEL_DIR"] = str(self.tree / "kernels")
        if device:
            environment["SHOAL_TEST_DEVICE"] = device
        self.call("ctest", "--test-dir", self.build, "--tests-regex", names, "--parallel",
                  str(self.jobs), "--timeout", str(TIMEOUT_S), "--output-junit", report,
                  *(("--stop-on-failure",) if stop else ()), environment=environment)
        results = {}
        for case in xml.etree.ElementTree.parse(report).getroot().iter("testcase"):
            counts = COUNTS.findall(case.findtext("system-out") or "")
            passed = case.get("status") in ("run", "notrun", "disabled")
            results[case.get("name")] = 0 if passed else int(counts[-1][1]) if counts else None
        return results


class PythonTests:
    """Tests of the Python package in a scratch tree, with the library that is built there."""

    def __init__(self, scratch, python):
        self.scratch, self.python = scratch, python
        self.environment = dict(scratch.environment, PYTHONPATH=str(scratch.tree / "python"),
                                PYTHONDONTWRITEBYTECODE="1", SHOAL_LIBRARY=str(scratch.build / "libshoal.so"),
                                SHOAL_PROGRAM=str(scratch.build / "shoal"))

    def is_there(self):
        return self.scratch.call(self.python, "-c", "import numpy, pytest").returncode == 0

    def run(self, names):
        """What pytest ends with (0: all pass, 1: some fail, 2: interrupted) and says."""
        tests = [str(self.scratch.tree / "python" / "tests" / name) for name in names.split()]
        done = self.scratch.call(self.python, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests,
                                 environment=self.environment)
        return done.returncode, done.stdout

    def must_pass(self, names):
        """Ends the program unless the tests pass: a test that fails anyway would kill every mutant."""
        code, output = self.run(names)
        if code != 0:
            sys.exit(f"{output[-3000:]}\nmutants: {names}: pytest ends with {code} without a mutant, expected 0")

    def fail(self, names):
        code, output = self.run(names)
        if code not in (0, 1, 2):
            sys.exit(f"{output[-3000:]}\nmutants: {names}: pytest ends with {code}")
        return code != 0


def try_python(tests, row):
    path = tests.scratch.tree / row["file"]
    text = path.read_text()
    path.write_text(text.replace(row["original"], row["replacement"]))
    try:
        return f"killed by {row['tests']}" if tests.fail(row["tests"]) else "SURVIVED"
    finally:
        path.write_text(text)


def run_python(rows, scratch, python):
    """Verdicts on rows of python/shoal; none where no Python can run their tests."""
    tests = PythonTests(scratch, python)
    if not rows:
        return {}
    if not tests.is_there():
        print(f"{len(rows)} mutants of Python are left out: {python} has no NumPy or no pytest (--python)", flush=True)
        return {}
    scratch.must("cmake", "--build", scratch.build, "--parallel", str(scratch.jobs), "--target", "shoal_cli",
                 "shoal_shared")
    for names in sorted({row["tests"] for row in rows}):
        tests.must_pass(names)
    verdicts = {}
    for row in rows:
        verdicts[row["id"]] = try_python(tests, row)
        print(f"{row['id']}: {verdicts[row['id']]}", flush=True)
    return verdicts


def find_killer(before, after):
    """The first test that fails more than it did, or None."""
    for name, failures in after.items():
        usual = before.get(name)
        if failures is None and usual is not None:
            return name
        if failures is not None and usual is not None and failures > usual:
            return name
    return None


def try_mutant(scratch, row, tests, before):
    """'killed by X', 'SURVIVED' or 'DOES NOT COMPILE'."""
    path = scratch.tree / row["file"]
    text = path.read_text()
    device_code = is_device_code(row["file"])
    path.write_text(text.replace(row["original"], row["replacement"]))
    try:
        output = None if device_code else scratch.make(tests)
        if output is not None:
            return "DOES NOT COMPILE\n" + "\n".join(output.splitlines()[-12:])
        stop = all(before.get(name) == 0 for name in tests)
        after = scratch.run(tests, test_device(row["file"]), device_code, stop)
        killer = find_killer(before, after)
        return f"killed by {killer}" if killer else "SURVIVED"
    finally:
        path.write_text(text)


def report_baseline(before):
    for name, failures in sorted(before.items()):
        if failures != 0:
            what = "ends badly" if failures is None else f"fails {failures} times"
            print(f"without a mutant {name} {what}: only more failures than that count", flush=True)


def run_mutants(rows, scratch, python):
    begin = time.monotonic()
    scratch.copy()
    names = scratch.configure()
    of_python = [row for row in rows if is_python(row)]
    rows = [row for row in rows if not is_python(row)]
    tests_of = {row["id"]: [n for n in names if re.search(row["tests"], n)] for row in rows}
    for row in rows:
        if not tests_of[row["id"]]:
            sys.exit(f"mutants: {row['id']}: no test matches {row['tests']}")
    wanted = sorted({name for tests in tests_of.values() for name in tests})
    output = scratch.make(wanted)
    if output is not None:
        sys.exit(output[-6000:] + "\nmutants: the tree does not build")
    before = {}
    for device in {test_device(row["file"]) for row in rows}:
        here = {n for row in rows if test_device(row["file"]) == device for n in tests_of[row["id"]]}
        before[device] = scratch.run(sorted(here), device) if here else {}
        report_baseline(before[device])
    print(f"built, and {len(wanted)} tests run, in {time.monotonic() - begin:.0f} s", flush=True)
    verdicts = {}
    # Neighbours in the same file are built again together.
    for row in sorted(rows, key=lambda r: (is_device_code(r["file"]), r["file"])):
        begin = time.monotonic()
        verdict = verdicts[row["id"]] = try_mutant(scratch, row, tests_of[row["id"]],
                                                  before[test_device(row["file"])])
        print(f"{row['id']}: {verdict} ({time.monotonic() - begin:.0f} s)", flush=True)
        if not verdict.startswith("killed"):
            print(f"    {row['file']}: {row['original']} -> {row['replacement']}\n    {row['why']}",
                  flush=True)
    return verdicts | run_python(of_python, scratch, python)


def main():
    parser = argparse.ArgumentParser(prog="./dev mutants", description=__doc__.split("\n\n")[1])
    parser.add_argument("--sample", type=int, metavar="N", help="only N of them, by --seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", metavar="PATTERN", help="those whose id, file or tests match")
    parser.add_argument("--list", action="store_true", help="show the mutants and end")
    parser.add_argument("--check", action="store_true", help="only whether the table fits the tree")
    parser.add_argument("--scratch", type=pathlib.Path, default=TOP / "build-mutants")
    parser.add_argument("--python", default=os.environ.get("PYTHON") or sys.executable,
                        help="for mutants of python/shoal: one with NumPy and pytest")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    rows = read_table(TOP / "tests" / "mutants.tsv")
    stale = find_stale(rows, TOP)
    if stale:
        print("\n".join(stale))
        print(f"the table is stale: {len(stale)} of {len(rows)} mutants")
        return 2
    if options.only:
        rows = [r for r in rows if re.search(options.only, " ".join((r["id"], r["file"], r["tests"])))]
    if options.sample is not None and options.sample < len(rows):
        rows = random.Random(options.seed).sample(rows, options.sample)
    if options.list or options.check:
        for row in rows if options.list else ():
            print(f"{row['id']}: {row['file']}: {row['original']} -> {row['replacement']}")
        print(f"{len(rows)} mutants fit the tree")
        return 0
    verdicts = run_mutants(rows, Scratch(options.scratch.resolve(), options.jobs), options.python)
    killed = sum(v.startswith("killed") for v in verdicts.values())
    survived = sum(v == "SURVIVED" for v in verdicts.values())
    broken = len(verdicts) - killed - survived
    for name, verdict in verdicts.items():
        if not verdict.startswith("killed"):
            print(f"  {name}: {verdict.splitlines()[0]}")
    print(f"{len(verdicts)} mutants: {killed} killed, {survived} survived" +
          (f", {broken} do not compile" if broken else ""))
    return 2 if broken else 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
