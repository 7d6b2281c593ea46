# SPDX-License-Identifier: BSD-3-Clause
# Runs that were killed and whose files were cut or changed afterwards: going on is refused, or its end is that of a run that
# nobody disturbed. Never another result, and an answer in any case.
#
#   test_damage.py PROGRAM [--places N] [--only TEXT] [--seed N]
#
# damages every kind of file at N random places (2, or 200 with SHOAL_TEST_THOROUGH), one place a trial: half of them cut
# there, the others with one bit turned over. Prints what came of them.
import argparse
import collections
import gzip
import os
import pathlib
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time

from program import PROGRAM, TOP, check, equal, finish, run, write

TYPES = TOP / "tests" / "cases" / "types.sdf"
DEMO = TOP / "examples" / "demo.sdf"
LONGEST = 60  # seconds that an answer may take here, where others build and test; beyond that it hangs
READING = 1.0  # seconds that a reader may wait before it says what is wrong, beside those of its processor, as others share that

# For the Python that has h5py, which need not be this one: datasets and what describes them, but for times.
COMPARE = """
import h5py, sys
def all_of(path):
    out = {}
    with h5py.File(path, "r") as f:
        f.visititems(lambda name, x: out.__setitem__(name, x[()].tobytes()) if isinstance(x, h5py.Dataset) else None)
        out.update({k: str(v) for k, v in f.attrs.items() if k not in ("start_time", "options", "command")})
    return out
sys.exit(all_of(sys.argv[1]) != all_of(sys.argv[2]))
"""


def python_with_h5py():
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and subprocess.run([python, "-c", "import h5py"], capture_output=True).returncode == 0:
            return python
    return None


PYTHON = python_with_h5py()

# A job: its name, what is run, the outputs, the directory's files that are its state beside them, and one that has to
# have something in it when the run is killed.
Job = collections.namedtuple("Job", "name arguments outputs work needs", defaults=((), None))

JOBS = [
    Job("relax", ("relax", "-q", "--threads", "1", "{many}"),
        ("r.jsonl", "r.csv", "r.xyz", "r.sdf", "r.jsonl.gz", "r.csv.gz", "r.xyz.gz", "r.sdf.gz", "r.h5")),
    Job("relax trajectory", ("relax", "-q", "--threads", "1", "{more}", "--trajectory", "way.xyz", "--every", "5"), ("r.sdf",)),
    Job("md", ("md", "-q", "--threads", "1", "--steps", "100", "--stride", "20", "--thermostat", "langevin", "{many}"),
        ("t.xyz", "t.xyz.gz", "t.h5"), (), "t.xyz.partial"),
    # More than 32 MiB wait for the end of the first system.
    Job("md waiting", ("md", "-q", "--threads", "1", "--steps", "4000", "--stride", "8", "--thermostat", "langevin", "{some}"),
        ("t.xyz", "t.h5"), ("t.xyz.checkpoint.frames",), "t.xyz.checkpoint.frames"),
    Job("search", ("search", "-q", "--threads", "1", "--starts", "300", "--patience", "0", "--no-polish", "{some}"), ("m.sdf",), ("m.sdf.work",)),
]


def content(path):
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def same(one, other):
    if one.suffix != ".h5":
        return content(one) == content(other)
    return subprocess.run([PYTHON, "-c", COMPARE, one, other], capture_output=True).returncode == 0


def is_of_use(checkpoint):
    """Something is done, or under way."""
    try:
        data = checkpoint.read_bytes()
    except FileNotFoundError:  # another one takes its place
        return False
    return b"\nnext 0\n" not in data or b"\nstate 0\n" not in data


class Trial:
    """A directory of inputs, the whole run of a job, and what was left of it when it was killed."""

    def __init__(self, top, job, rng):
        self.job, self.rng, self.top = job, rng, pathlib.Path(top)
        names = {"many": write(top, "many.sdf", TYPES.read_text() * 20), "more": write(top, "more.sdf", TYPES.read_text() * 60), "some": DEMO}
        self.arguments = [a.format(**names) for a in job.arguments]
        self.outputs = [o for o in job.outputs if PYTHON or not o.endswith(".h5")]
        beside = self.outputs[0] if job.work == () or job.needs else job.work[0]
        self.point = f"{beside}.checkpoint"
        self.whole = self.top / "whole"
        self.whole.mkdir()
        began = time.monotonic()
        done = self.run(self.whole)
        self.seconds = time.monotonic() - began
        check(done.returncode in (0, 1), f"{job.name}: {done.returncode} {done.stderr}")

    def command(self):
        return [PROGRAM, *self.arguments, *(word for o in self.outputs for word in ("-o", o)), "--checkpoint-every", "0.005"]

    def run(self, directory, *more):
        try:
            return subprocess.run(self.command() + list(more), cwd=directory, capture_output=True, text=True,
                                  timeout=LONGEST + 5 * getattr(self, "seconds", 100))
        except subprocess.TimeoutExpired:
            return None

    def kill(self, name):
        """What a run leaves that is killed at some moment behind its second checkpoint with something in it."""
        for attempt in range(20):
            directory = self.top / name
            shutil.rmtree(directory, ignore_errors=True)
            directory.mkdir()
            process = subprocess.Popen(self.command(), cwd=directory, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            old = directory / f"{self.point}.old"
            while process.poll() is None and not self.is_under_way(directory):
                time.sleep(0.002)
            time.sleep(self.rng.uniform(0, 0.3) * self.seconds / (1 + attempt))  # sooner if it was over before
            process.kill()
            process.wait()
            if self.is_under_way(directory):
                return directory
        check(False, f"{self.job.name}: it was never killed between its checkpoints")
        return None

    def is_under_way(self, directory):
        old, needed = directory / f"{self.point}.old", directory / (self.job.needs or f"{self.point}.old")
        return old.exists() and is_of_use(old) and needed.exists() and needed.stat().st_size > 0

    def victims(self, directory):
        """Files that can be damaged, and what they are called in the report."""
        names = [*self.outputs, *(["way.xyz"] if "--trajectory" in self.arguments else []), *self.job.work]
        found = []
        for name in names:
            path = directory / (name if name.endswith((".h5", ".frames")) else f"{name}.partial")
            if path.exists() and path.stat().st_size > 0:
                found.append((f"{self.job.name} {'.'.join(name.split('.')[1:])}", path.name))
        is_there = (directory / self.point).exists()  # not between two renamings
        return found + [(f"{self.job.name} checkpoint", self.point)] * is_there

    def damage(self, path, cuts):
        size = path.stat().st_size
        place = self.rng.randrange(size)
        if cuts:
            os.truncate(path, place)
            return f"cut at {place} of {size}"
        with path.open("r+b") as file:
            file.seek(place)
            byte = file.read(1)[0] ^ 1 << self.rng.randrange(8)
            file.seek(place)
            file.write(bytes([byte]))
        return f"a bit of byte {place} of {size}"

    def read(self, path, what):
        """Whoever reads a damaged file is told so within a second, or gets what is there."""
        began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            done = subprocess.run([PROGRAM, "types", "--json", path], capture_output=True, timeout=LONGEST)
            seconds, now = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
            busy = now.ru_utime + now.ru_stime - before.ru_utime - before.ru_stime
            swift = busy < READING and seconds < READING + 5 * busy
            check(done.returncode in (0, 1, 2, 4) and swift, f"{what}: read: {done.returncode}, {seconds:.1f} s, {busy:.1f} s busy")
        except subprocess.TimeoutExpired:
            check(False, f"{what}: reading hangs")

    def resume(self, directory, what):
        done = self.run(directory, "--resume")
        if done is None:
            check(False, f"{what}: going on hangs")
            return "hangs"
        if done.returncode not in (0, 1):
            refused = done.returncode in (2, 4) and done.stderr.startswith("shoal: ")
            check(refused, f"{what}: {done.returncode} {done.stderr}")
            return "refused" if refused else "failed"
        names = self.outputs + (["way.xyz"] if "--trajectory" in self.arguments else [])
        wrong = [o for o in names if not same(directory / o, self.whole / o)]
        check(not wrong, f"{what}: {wrong} differ, {done.stderr}")
        return "wrong" if wrong else "identical"

    def place(self, killed, label, name, cuts, counts):
        directory = self.top / "trial"
        shutil.rmtree(directory, ignore_errors=True)
        shutil.copytree(killed, directory)
        what = f"{label}: {self.damage(directory / name, cuts)}"
        if name.endswith(".h5"):
            self.read(directory / name, what)
        counts[label][self.resume(directory, what)] += 1


def damage_job(top, job, options, rng, counts):
    trial = Trial(top, job, rng)
    n_kills = max(1, min(10, options.places // 3))
    killed = [trial.kill(f"killed{k}") for k in range(n_kills)]
    for k in range(options.places):
        directory = killed[k % n_kills]
        for label, name in trial.victims(directory) if directory else ():
            if options.only in label:
                trial.place(directory, label, name, k % 2 == 0, counts)


def damage_grid(top, options, rng, counts):
    """A grid that was cut or changed: refused, or the energies that it gave."""
    if run("slab", "rocksalt", "NaCl", "--size", "2x2", "--layers", "2", "-o", f"{top}/salt.xyz").returncode != 0:
        return
    built = run("grid", "build", "-q", "--step", "0.3", "-o", f"{top}/salt.h5", f"{top}/salt.xyz")
    if built.returncode != 0:
        print(f"  grids are left out: {built.stderr.strip()}")
        return
    words = ("energy", "--json", "-q", "--surface", f"{top}/salt.xyz", "--height", "3", DEMO, "--grid")
    whole = run(*words, f"{top}/salt.h5")
    equal(whole.returncode, 0, f"grid: {whole.stderr}")
    for k in range(options.places if options.only in "grid" else 0):
        path = pathlib.Path(f"{top}/damaged.h5")
        shutil.copy(f"{top}/salt.h5", path)
        what = f"grid: {Trial.damage(argparse.Namespace(rng=rng), path, k % 2 == 0)}"
        began = time.monotonic()
        done = run(*words, path)
        seconds = time.monotonic() - began
        if done.returncode == 0:
            equal(done.stdout, whole.stdout, what)
            counts["grid"]["identical" if done.stdout == whole.stdout else "wrong"] += 1
        else:
            check(done.returncode in (2, 4) and seconds < LONGEST, f"{what}: {done.returncode}, {seconds:.1f} s, {done.stderr}")
            counts["grid"]["refused"] += 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--places", type=int, default=200 if os.environ.get("SHOAL_TEST_THOROUGH") else 2)
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    counts = collections.defaultdict(collections.Counter)
    if not PYTHON:
        print("  no Python with h5py: files of HDF5 are left out")
    for job in JOBS:
        if any(options.only in f"{job.name} {o}" for o in (*job.outputs, *job.work, "checkpoint", "xyz")):
            with tempfile.TemporaryDirectory() as top:
                damage_job(top, job, options, rng, counts)
    with tempfile.TemporaryDirectory() as top:
        damage_grid(top, options, rng, counts)
    for label, count in counts.items():
        print(f"  {label:24s}" + "".join(f"  {n} {what}" for what, n in sorted(count.items())))
    finish()


main()
