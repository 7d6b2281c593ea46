# SPDX-License-Identifier: BSD-3-Clause
# Calls that fail: memory, files, threads, OpenCL. The n-th call of a kind fails (or all from there on, as on a full
# disk), for n spread over all calls of a clean run. Whatever happens, the program ends by itself with a code that it
# documents, says why, frees its memory, and leaves nothing under the name of its output that is not whole.
#
#   test_faults.py PROGRAM [--all | --seconds S] [--only TEXT] [--fault KIND:N]
#
# takes a sample of S seconds (20, or 300 with SHOAL_TEST_THOROUGH) unless told otherwise. Needs the library of tests/faults.
import argparse
import collections
import gzip
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import program
from program import CASES, check, finish, skip

LIBRARY = pathlib.Path(program.PROGRAM).parent / "tests" / "faults" / "shoal_faults.so"
KINDS = ["memory", "open", "read", "write", "sync", "rename", "stdio", "thread", "opencl"]
SEVERAL = {"write": "+", "memory": "", "opencl": ""}  # kinds that are tried with all later calls failing, too
CODES = range(0, 5)
TIMEOUT = 60  # seconds: beyond that it hangs

# A row: name, arguments, and the output file if it has one. {in} is an SD file, {xyz} an xyz file of the same molecules,
# {out} the directory of outputs; "cold" forgets kernels that were built before.
Command = collections.namedtuple("Command", "name arguments output cold", defaults=(None, False))
CPU = ["--device", "cpu", "--threads", "1"]
OPENCL = ["--device", "opencl:cpu", "--threads", "1"]
COMMANDS = [
    Command("energy", ("energy", "--json", *CPU, "{in}")),
    Command("energy table", ("energy", *CPU, "{xyz}")),
    Command("energy opencl", ("energy", "--json", *OPENCL, "{in}")),
    Command("relax sdf", ("relax", *CPU, "{in}", "-o", "{out}/out.sdf"), "out.sdf"),
    Command("relax gz", ("relax", "--json", *CPU, "{xyz}", "-o", "{out}/out.xyz.gz"), "out.xyz.gz"),
    Command("relax threads", ("relax", "--device", "cpu", "--threads", "2", "{in}", "-o", "{out}/out.sdf"), "out.sdf"),
    Command("relax opencl", ("relax", *OPENCL, "{in}", "-o", "{out}/out.xyz"), "out.xyz"),
    Command("relax opencl cold", ("relax", *OPENCL, "{in}", "-o", "{out}/out.xyz"), "out.xyz", True),
    Command("types", ("types", "--json", "{in}")),
    Command("convert", ("convert", "{xyz}", "-o", "{out}/out.sdf"), "out.sdf"),
]


class Bench:
    """Inputs, and a place for outputs that is empty before every run."""

    def __init__(self, directory):
        self.top = pathlib.Path(directory)
        self.out = self.top / "out"
        records = (CASES / "types.sdf").read_text().split("$$$$\n")
        self.sdf = self.top / "in.sdf"
        self.sdf.write_text("".join(r + "$$$$\n" for r in records[:24] if r.strip()))
        self.xyz = self.top / "in.xyz"
        done = program.run("convert", self.sdf, "-o", self.xyz)
        if done.returncode != 0:
            sys.exit(f"no input: {done.stderr}")
        for name in ("warm", "cold"):
            (self.top / name).mkdir()

    def run(self, command, fault=None, resume=False):
        """The finished process, or None if it hangs; calls[kind] is what was counted, live[place] how many blocks of
        memory that a place in the program asked for were not freed."""
        if not resume:
            shutil.rmtree(self.out, ignore_errors=True)
            self.out.mkdir()
        cache = self.top / ("cold" if command.cold else "warm")
        if command.cold:
            shutil.rmtree(cache)
            cache.mkdir()
        log = self.top / "log"
        log.unlink(missing_ok=True)
        names = {"in": self.sdf, "xyz": self.xyz, "out": self.out}
        arguments = [a.format(**names) for a in command.arguments] + ["--resume"] * resume
        environment = dict(os.environ, SHOAL_CACHE_DIR=str(cache), LD_PRELOAD=str(LIBRARY), SHOAL_FAULT_LOG=str(log))
        if fault:
            environment["SHOAL_FAULT"] = fault
        try:
            done = subprocess.run([program.PROGRAM, *arguments], env=environment, capture_output=True,
                                  timeout=TIMEOUT, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return None, {}, {}
        lines = [line.split() for line in log.read_text().splitlines()] if log.exists() else []
        calls = {w[0]: int(w[1]) for w in lines if w[0] != "live"}
        return done, calls, {w[1]: int(w[2]) for w in lines if w[0] == "live"}

    def outputs(self):
        return {p.name: p.read_bytes() for p in sorted(self.out.iterdir())}


def rows(stdout):
    """What a run reports, without what differs from run to run."""
    kept = []
    for line in stdout.decode(errors="replace").splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            row = line
        if isinstance(row, dict):
            row = {k: v for k, v in row.items() if k not in ("seconds", "time", "wall_s")}
        kept.append(row)
    return kept


def plain(name, data):
    return gzip.decompress(data) if name.endswith(".gz") else data


def check_kept(bench, name, what):
    """A part that is kept has whole records that the program reads."""
    path = bench.out / name
    suffix = [s for s in (".xyz.gz", ".xyz", ".sdf.gz", ".sdf") if s in name]
    copy = bench.top / ("kept" + (suffix[0] if suffix else ".sdf"))
    shutil.copy(path, copy)
    done = program.run("types", copy)
    check(done.returncode in (0, 1), f"{what}: {name} cannot be read: {done.stderr}")


def check_resume(bench, command, clean, what):
    """What is kept beside a checkpoint becomes the whole, as if nothing had happened."""
    done, _, _ = bench.run(command, resume=True)
    text = done.stderr.decode(errors="replace") if done else "hangs"
    check(done is not None and done.returncode in (0, 1), f"{what}: --resume: {text[-300:]}")
    found = bench.outputs()
    check(set(found) == set(clean["outputs"]), f"{what}: --resume leaves {list(found)}")
    for name, data in clean["outputs"].items():
        same = name in found and plain(name, found[name]) == plain(name, data)
        check(same, f"{what}: --resume makes another {name}")


def judge(bench, command, clean, fault, done, live):
    what = f"{command.name}, {fault}"
    if done is None:
        check(False, f"{what}: hangs")
        return
    errors = done.stderr.decode(errors="replace")
    code = done.returncode
    check(code in CODES, f"{what}: ended by {code}: {errors[-300:]}")
    if code not in CODES:
        return
    lost = {place: n for place, n in live.items() if n > clean["live"].get(place, 0)}
    check(not lost, f"{what}: memory that was asked for at {lost} is not freed")
    if code != 0:
        check(errors.strip() != "", f"{what}: exit code {code} without a word")
    found = bench.outputs()
    if code == 0:  # nobody needed the call: nothing differs
        check(rows(done.stdout) == clean["rows"], f"{what}: exit code 0 and other results")
        for name, data in clean["outputs"].items():
            same = name in found and plain(name, found[name]) == plain(name, data)
            check(same, f"{what}: exit code 0 and another {name}")
    for name in found:
        if name == command.output:
            whole = plain(name, found[name]) == plain(name, clean["outputs"][name]) or code == 1
            check(whole, f"{what}: exit code {code} and a {name} that is not whole")
        else:
            check(name.endswith((".partial", ".checkpoint")), f"{what}: exit code {code} leaves {name}")
        if name.endswith(".partial"):
            check_kept(bench, name, what)
    if any(name.endswith(".checkpoint") for name in found):
        check_resume(bench, command, clean, what)


def spread(n):
    """1 to n in an order whose beginnings are spread evenly: bits of the index, turned round."""
    bits = max(1, (n - 1).bit_length())
    order = (int(format(k, f"0{bits}b")[::-1], 2) + 1 for k in range(1 << bits))
    return [k for k in order if k <= n]


def plan(calls):
    """Faults of one command, all kinds in turn."""
    lists = []
    for kind in KINDS:
        n = calls.get(kind, 0)
        lists.append([f"{kind}:{k}" for k in spread(n)] if n else [])
        if n and kind in SEVERAL:
            lists.append([f"{kind}:{k}+" for k in spread(n)])
    return [a[k] for k in range(max(map(len, lists), default=0)) for a in lists if k < len(a)]


def clean_run(bench, command):
    more = {}
    if "opencl" in command.name:  # programs are built and kept: all of them, if none is known from before
        more = bench.run(command._replace(cold=True))[2]
        bench.run(command)
    done, calls, live = bench.run(command)
    live = {place: max(live.get(place, 0), more.get(place, 0)) for place in {*live, *more}}
    if done is None or done.returncode not in (0, 1):
        return None, calls
    return {"rows": rows(done.stdout), "outputs": bench.outputs(), "live": live}, calls


def try_faults(bench, plans, clean, end):
    """In turn, so that all commands get the same time; what is left at the end is left out."""
    spent = {command: 0.0 for command in plans}
    tried = collections.Counter()
    while any(plans.values()) and time.monotonic() < end:
        command = min((c for c in plans if plans[c]), key=spent.get)
        fault = plans[command].pop(0)
        start = time.monotonic()
        done, _, live = bench.run(command, fault)
        judge(bench, command, clean[command], fault, done, live)
        spent[command] += time.monotonic() - start
        tried[fault.split(":")[0]] += 1
    return tried


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--seconds", type=float, default=300 if "SHOAL_TEST_THOROUGH" in os.environ else 20)
    parser.add_argument("--only", default="")
    parser.add_argument("--fault")
    options = parser.parse_args()
    if not LIBRARY.exists():
        skip("no tests/faults/shoal_faults.so: a build with sanitizers, or no glibc")
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as directory:
        bench = Bench(directory)
        clean, plans = {}, {}
        for command in (c for c in COMMANDS if options.only in c.name):
            result, calls = clean_run(bench, command)
            if not result:
                check("opencl" in command.name, f"{command.name} fails without a fault")
                print(f"{command.name}: no such device, left out")
                continue
            clean[command] = result
            plans[command] = [options.fault] if options.fault else plan(calls)
        tried = try_faults(bench, plans, clean, math.inf if options.all else start + options.seconds)
    left = sum(map(len, plans.values()))
    print(f"faults tried: {dict(tried)}; {left} left for --all; {time.monotonic() - start:.0f} s")
    finish()


if __name__ == "__main__":
    main()
