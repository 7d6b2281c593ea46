# SPDX-License-Identifier: BSD-3-Clause
# Runs that lose nothing: outputs of all kinds, checkpoints after SIGKILL and SIGTERM, shards and their merging, bad
# records among good ones, logs.
import gzip
import hashlib
import json
import os
import pathlib
import random
import resource
import signal
import subprocess
import time

from program import METHANE, PROGRAM, TOP, WATER, check, equal, run, run_each, run_json, write

DEMO = TOP / "examples" / "demo.sdf"
TYPES = TOP / "tests" / "cases" / "types.sdf"
KINDS = ("sdf", "xyz.gz", "jsonl", "csv")


def outputs(directory, name, kinds=KINDS):
    return [word for kind in kinds for word in ("-o", f"{directory}/{name}.{kind}")]


def content(path):
    data = pathlib.Path(path).read_bytes()
    return gzip.decompress(data) if str(path).endswith(".gz") else data


def contents(directory, name, kinds=KINDS):
    return [content(f"{directory}/{name}.{kind}") for kind in kinds]


def left(directory, name):
    return sorted(f for f in os.listdir(directory) if f.startswith(name))


# --- outputs ---------------------------------------------------------------------------------------

def check_outputs(directory):
    """All kinds at once; what goes to standard output is what goes to a file."""
    done = run("relax", "-q", *outputs(directory, "all"), DEMO)
    equal(done.returncode, 0, f"exit code: {done.stderr}")
    rows = [json.loads(line) for line in pathlib.Path(f"{directory}/all.jsonl").read_text().splitlines()]
    equal(len(rows), 12, "rows of JSON")
    equal([(r["file"], r["record"]) for r in rows], [(str(DEMO), k) for k in range(12)], "where they come from")
    table = pathlib.Path(f"{directory}/all.csv").read_text().splitlines()
    equal((len(table), table[0].split(",")[:3]), (13, ["index", "file", "record"]), "rows of CSV")
    equal(left(directory, "all"), [f"all.{k}" for k in sorted(KINDS)], "no part is left")
    for kind in ("sdf", "xyz", "jsonl", "csv"):
        piped = run("relax", "-q", "-o", "-", "--output-format", kind, DEMO)
        name = f"{directory}/all.{kind}" if kind != "xyz" else f"{directory}/all.xyz.gz"
        equal(piped.stdout.encode(), content(name), f"standard output as {kind}")
    (row,) = run_json("energy", "--json", "--positions", "--forces", write(directory, "water.xyz", WATER))
    equal((len(row["positions"]), len(row["forces"])), (3, 3), "atoms in JSON")
    equal(row["positions"][0], [0, 0, 0.1173], "a position in JSON")


def check_refusals(directory):
    """Mistakes that are known before anything is computed."""
    water = write(directory, "water.xyz", WATER)
    for words, code, text in (
        (("-o", water), 2, "is an input, too"),
        (("-o", f"{directory}/x.xyz", "-o", f"{directory}/x.xyz"), 2, "twice"),
        (("-o", f"{directory}/x.dat"), 2, "does not tell a format"),
        (("-o", "-"), 2, "--output-format"),
        (("-o", "-", "--output-format", "frob"), 2, "frob"),
        (("--json", "-o", "-", "--output-format", "xyz"), 2, "both go to standard output"),
        (("-o", f"{directory}/no/x.xyz"), 4, "no/x.xyz"),
        (("--shard", "3/3"), 2, "0/3"),
        (("--resume",), 2, "--resume needs a file"),
        (("--max-hours", "1"), 2, "--max-hours needs a file"),
        ((f"{directory}/typo.xyz", "-o", f"{directory}/x.xyz"), 4, "typo.xyz"),
    ):
        done = run("energy", water, *words)
        equal((done.returncode, done.stdout), (code, ""), f"{words}: {done.stderr}")
        check(text in done.stderr, f"{words}: '{text}' in {done.stderr}")
    for words in (("--checkpoint", water), ("--log", water), ("-o", f"{directory}/y.xyz", "--log", f"{directory}/y.xyz")):
        done = run("energy", water, *words)
        equal((done.returncode, water.read_text()), (2, WATER), f"{words}: {done.stderr}")
    other = write(directory, "other.txt", "precious")
    done = run("energy", water, "--checkpoint", other)
    equal((done.returncode, other.read_text()), (2, "precious"), f"a file that is no checkpoint: {done.stderr}")
    equal(run("relax", water, "--every", 3).returncode, 2, "--every without --trajectory")
    os.symlink(water, f"{directory}/link.xyz")
    done = run("energy", water, "-o", f"{directory}/link.xyz")
    check(done.returncode == 2 and "is an input, too" in done.stderr, f"a link to the input: {done.stderr}")
    equal(water.read_text(), WATER, "the input is as it was")
    equal(left(directory, "x."), [], "nothing was written")


def check_control_characters(directory):
    """Names do not reach the terminal as they are."""
    path = write(directory, "evil.sdf", DEMO.read_text().replace("water\n", "wa\x1b[2Jter\x07\n", 1))
    for words in ((), ("--type", "0=Xx")):
        done = run("energy", *words, path)
        check(not any(c in done.stdout + done.stderr for c in "\x1b\x07"), f"{words}: {done.stdout[:200]!r}")
    rows = run("energy", "--json", path).stdout
    check("\x1b" not in rows and json.loads(rows.splitlines()[0])["name"] == "wa\x1b[2Jter\x07", rows[:100])


# --- bad records -----------------------------------------------------------------------------------

def poisons(record):
    """Eight ways to spoil an SD record: (what, text); none of them ends it too early."""
    lines = record.split("\n")
    atom, counts = lines[4], lines[3]

    def with_line(k, text):
        return "\n".join(lines[:k] + [text] + lines[k + 1:])

    return [
        ("unknown atom", with_line(4, atom[:31] + "Xx " + atom[34:])),
        ("nan", with_line(4, "       nan" + atom[10:])),
        ("no number", with_line(4, "   zero   " + atom[10:])),
        ("bad counts", with_line(3, "foo" + counts[3:])),
        ("too many atoms", with_line(3, "999" + counts[3:])),
        ("bond to nowhere", with_line(4 + int(counts[:3]), "998" + lines[4 + int(counts[:3])][3:])),
        ("binary", with_line(1, "\x00\x01\x02")),
        ("truncated", "\n".join(lines[:7]) + "\n$$$$\n"),
    ]


def check_poison(directory, n):
    """One in a hundred is spoiled: the others are what they are alone, and those say file, line and reason."""
    blocks = [b + "$$$$\n" for b in DEMO.read_text().split("$$$$\n") if b.strip()]
    records = [blocks[k % len(blocks)] for k in range(n)]
    good = run("energy", "--json", write(directory, "good.sdf", "".join(records))).stdout.splitlines()
    rng, bad = random.Random(3), {}
    for k in range(0, n, 100):
        bad[k + rng.randrange(100)] = None
    for number, k in enumerate(sorted(bad)):
        bad[k], records[k] = poisons(records[k])[number % 8]
    path = write(directory, "good.sdf", "".join(records).encode())
    starts = [1]
    for record in records:
        starts.append(starts[-1] + record.count("\n"))
    done = run("energy", "--json", "-q", "-o", f"{directory}/poison.xyz", path)
    rows = done.stdout.splitlines()
    equal((done.returncode, len(rows)), (1, n), f"exit code and rows: {done.stderr[:500]}")
    check(all(rows[k] == good[k] for k in range(n) if k not in bad), "the good ones are what they are without the bad")
    for k, what in bad.items():
        row = json.loads(rows[k])
        equal((row["status"], row["file"], row["record"], row["line"]), ("unreadable", str(path), k, starts[k]), what)
        place, line = row["reason"].split(": ")[0].rsplit(":", 1)
        check(place == str(path) and starts[k] <= int(line) <= starts[k + 1], f"{what}: {row['reason']}")
    equal(pathlib.Path(f"{directory}/poison.xyz").read_text().count("Properties="), n - len(bad), "systems written")
    strict = run("energy", "--json", "-q", "--strict", path)
    equal((strict.returncode, len(strict.stdout.splitlines())), (4, min(bad)), "--strict stops at the first")


# --- checkpoints -----------------------------------------------------------------------------------

def is_complete(command):
    """All outputs have their names and no checkpoint is left: the run was killed when it had done everything."""
    files = [command[k + 1] for k, word in enumerate(command) if word == "-o"]
    return all(map(os.path.exists, files)) and not os.path.exists(f"{files[0]}.checkpoint")


def kill_and_resume(directory, command, n_kills, longest, rows):
    """Runs a command again and again, killed at random moments, until it is done."""
    rng, kills = random.Random(5), 0
    while True:
        with open(rows, "ab") as out:
            process = subprocess.Popen(command + ["--resume"], stdout=out, stderr=subprocess.PIPE, text=True)
            if kills < n_kills:
                time.sleep(rng.uniform(0.01, longest))
                process.kill()
                kills += 1
            _, err = process.communicate(timeout=300)
        check(process.returncode in (0, -9), f"after {kills} kills: {process.returncode} {err}")
        if process.returncode != -9 or (not command[-1].endswith(".h5") and is_complete(command)):
            return kills


def check_kills(directory, device, kinds, n_kills=10):
    """Kill -9 at random moments and going on: the same files as one run that nobody disturbed."""
    path = write(directory, "many.sdf", TYPES.read_text() * 40)
    base = [PROGRAM, "relax", "-q", "--json", "--device", device, "--checkpoint-every", "0.01", str(path)]
    began = time.monotonic()
    with open(f"{directory}/whole.rows", "wb") as out:
        equal(subprocess.run(base + outputs(directory, "whole", kinds), stdout=out).returncode, 0, "the whole run")
    seconds = time.monotonic() - began
    kills = kill_and_resume(directory, base + outputs(directory, "part", kinds), n_kills, seconds / 2,
                            f"{directory}/part.rows")
    check(kills > 0, "no run was killed")
    same = kinds if "h5" not in kinds else [k for k in kinds if k != "h5"]
    for kind, one, other in zip(same, contents(directory, "whole", same), contents(directory, "part", same)):
        check(one == other, f"{device}, {kind}: killed {kills} times, {len(one)} and {len(other)} bytes")
    equal(content(f"{directory}/whole.rows"), content(f"{directory}/part.rows"), f"{device}: rows")
    equal(left(directory, "part"), sorted([f"part.{k}" for k in kinds] + ["part.rows"]), f"{device}: files left")


def helix(n):
    """A long chain in a bad shape, whose relaxation takes long."""
    atoms = [f"C {1.3 * (k % 2)} {0.9 * (k % 3)} {1.3 * k}" for k in range(n)]
    return f"{n}\nname=chain\n" + "\n".join(atoms) + "\n"


def check_large(directory, device, method):
    """Inside one large system, stopped by signals and by SIGKILL."""
    first = WATER if method == "lbfgs" else ""  # or nothing is done when it is stopped
    path = write(directory, "large.xyz", first + helix(2000) + METHANE)
    base = [PROGRAM, "relax", "-q", "--method", method, "--device", device, "--fmax", "1e-9", "--max-steps", "300",
            "--checkpoint-every", "0.05", str(path)]
    began = time.monotonic()
    subprocess.run(base + ["-o", f"{directory}/whole.sdf"], capture_output=True)
    seconds = time.monotonic() - began
    rng, stops = random.Random(1), 0
    for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGUSR1, signal.SIGKILL, None):
        process = subprocess.Popen(base + ["-o", f"{directory}/part.sdf", "--resume"], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        if number:
            time.sleep(rng.uniform(0.3, 0.5) * seconds)
            process.send_signal(number)
        _, err = process.communicate(timeout=120)
        wanted = (1,) if number is None else (75, 1) if number != signal.SIGKILL else (-9, 1)
        check(process.returncode in wanted, f"{number}: {process.returncode} {err}")
        stops += process.returncode in (75, -9)
        if process.returncode == 1:
            break
    check(stops > 0, "the relaxation was stopped")
    equal(content(f"{directory}/part.sdf"), content(f"{directory}/whole.sdf"), f"{device}, {method}, {stops} stops")


def check_other_command(directory):
    """A checkpoint goes with its command and its files."""
    path = write(directory, "some.sdf", TYPES.read_text() * 200)
    words = ("relax", "-q", path, "-o", f"{directory}/some_out.sdf")
    equal(run(*words, "--max-hours", 1e-6).returncode, 75, "stopped by --max-hours")
    check("some_out.sdf.checkpoint" in left(directory, "some"), "with a checkpoint")
    equal(run(*words, "--max-hours", 1e-6, "--resume").returncode, 75, "and again")
    check("some_out.sdf.checkpoint.old" in left(directory, "some"), "and the one before it")
    point, hours = pathlib.Path(f"{directory}/some_out.sdf.checkpoint"), 1e-6
    while b"\nnext 0\n" in point.read_bytes():  # inputs of which nothing was computed may change
        hours *= 2
        equal(run(*words, "--max-hours", hours, "--resume").returncode, 75, "until something is done")
    other = run(*words, "--fmax", 0.5, "--resume")
    check(other.returncode == 2 and "another run, without '--fmax 0.5'" in other.stderr, f"other options: {other.stderr}")
    path.write_text(TYPES.read_text() * 201)
    other = run(*words, "--resume")
    check(other.returncode == 2 and "has changed" in other.stderr, f"another input: {other.stderr}")
    path.write_text(TYPES.read_text() * 200)
    whole = point.read_bytes()
    old = pathlib.Path(f"{point}.old")
    for damage in (b"", b"?" * 40 + whole[40:], whole[:-9]):  # the one before it is taken
        check(old.exists(), "the one before it")
        point.write_bytes(damage)
        again = run(*words, "--max-hours", 1e-6, "--resume")
        equal(again.returncode, 75, f"a checkpoint that begins with {damage[:5]}: {again.stderr}")
        run(*words, "--max-hours", 1e-6, "--resume")
    whole = point.read_bytes()
    if old.exists():
        old.unlink()
    point.write_bytes(whole.replace(b"\nnext ", b"\nnext 1", 1))
    damaged = run(*words, "--resume")
    check(damaged.returncode == 4 and "damaged" in damaged.stderr, f"a damaged checkpoint: {damaged.stderr}")
    old.write_bytes(whole)
    equal(run(*words, "--resume", "--threads", 1).returncode, 0, "the one before it is taken instead")
    once = run("relax", "-q", path, "-o", f"{directory}/once.sdf")
    equal(once.returncode, 0, "one run")
    equal(content(f"{directory}/some_out.sdf"), content(f"{directory}/once.sdf"), "and gives the same")


def check_failed_beginning(directory):
    """What cannot begin does no harm to what is there."""
    path = write(directory, "some.sdf", TYPES.read_text() * 200)
    words = ("relax", "-q", path, "-o", f"{directory}/out.sdf")
    equal(run(*words, "--max-hours", 1e-5).returncode, 75, "stopped")
    before = left(directory, "out")
    for more in (("--resume", "--log", f"{directory}/no/log"), ("--log", f"{directory}/no/log"),
                 ("--resume", "-o", f"{directory}/no/x.sdf")):
        check(run(*words, *more).returncode in (2, 4), f"{more} cannot begin")
        equal(left(directory, "out"), before, f"{more}: files")
    equal(run(*words, "--resume").returncode, 0, "and it goes on")
    equal(left(directory, "out"), ["out.sdf"], "nothing else is left")
    run("relax", "-q", path, "-o", f"{directory}/once.sdf")
    equal(content(f"{directory}/out.sdf"), content(f"{directory}/once.sdf"), "to the same end")
    os.unlink(f"{directory}/out.sdf")
    for hours in (1e-5, 3e-5, 1e-4, 3e-4):  # until something is done, however busy the machine is
        run(*words, "--max-hours", hours)
        if os.path.exists(f"{directory}/out.sdf.partial"):
            break
    kept = content(f"{directory}/out.sdf.partial")
    equal(run(*words).returncode, 0, "without --resume it begins anew")
    equal(left(directory, "out"), ["out.sdf", "out.sdf.partial.old"], "what was done before is kept")
    equal(content(f"{directory}/out.sdf.partial.old"), kept, "as it was")


def check_completion(directory):
    """The second output cannot take its name: a later run has only that to do."""
    path = write(directory, "some.sdf", TYPES.read_text() * 100)
    command = [PROGRAM, "relax", "-q", "--checkpoint-every", "0.01", str(path), "-o", f"{directory}/a.sdf", "-o",
               f"{directory}/b.csv"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 20
    while not os.path.exists(f"{directory}/b.csv.partial") and time.monotonic() < end:
        time.sleep(0.002)
    os.mkdir(f"{directory}/b.csv")
    _, err = process.communicate(timeout=60)
    equal(process.returncode, 4, f"exit code: {err}")
    check("a.sdf" in left(directory, "a"), f"the first has its name: {os.listdir(directory)}")
    os.rmdir(f"{directory}/b.csv")
    done = run(*command[1:], "--resume")
    equal((done.returncode, done.stdout), (0, ""), f"going on: {done.stderr}")
    run(*command[1:6], "-o", f"{directory}/c.sdf", "-o", f"{directory}/c.csv")
    for one, other in (("a.sdf", "c.sdf"), ("b.csv", "c.csv")):
        equal(content(f"{directory}/{one}"), content(f"{directory}/{other}"), one)
    equal(left(directory, "a") + left(directory, "b"), ["a.sdf", "b.csv"], "files")


def check_second_writer(directory):
    """Two runs on one output: the second is refused, the first is not harmed."""
    path = write(directory, "many.sdf", TYPES.read_text() * 300)
    for kind in ("sdf", "h5"):
        out = f"{directory}/two.{kind}"
        first = subprocess.Popen([PROGRAM, "relax", "-q", "--threads", "1", "--checkpoint-every", "0.05", str(path), "-o",
                                  out], stdout=subprocess.DEVNULL)
        end = time.monotonic() + 20
        while not os.path.exists(f"{out}.checkpoint.old") and time.monotonic() < end:
            time.sleep(0.005)
        second = run("relax", "-q", path, "-o", out)
        check(second.returncode == 4 and "another" in second.stderr, f"{kind}: {second.returncode} {second.stderr}")
        equal(first.wait(60), 0, f"{kind}: the first")
        equal(left(directory, "two"), [f"two.{kind}"], f"{kind}: files")
        os.unlink(out)


def check_appended(directory):
    """Rows behind a checkpoint are taken back, what others have written into the same file is not."""
    path = write(directory, "some.sdf", TYPES.read_text() * 60)
    log = pathlib.Path(f"{directory}/job.log")
    for words, said in ((("convert", path, "-o", f"{directory}/c.xyz"), ""), (("relax", "--json", path, "-o", f"{directory}/r.xyz"), "")):
        log.write_text("precious\n" + said)
        for more in (("--max-hours", "1e-5"), ()):
            with log.open("a") as out:
                out.write("a job begins\n")
                out.flush()
                subprocess.run([PROGRAM, *map(str, words), "-q", "--resume", *more], stdout=out, stderr=subprocess.DEVNULL)
        text = log.read_text()
        check(text.startswith("precious\n") and text.count("a job begins") == 2, f"{words[0]}: {text[:200]}")
        rows = [json.loads(row)["index"] for row in text.splitlines() if row.startswith("{")]
        n = len(run("types", "--json", "-q", path).stdout.splitlines())
        check(not rows or sorted(set(rows)) == list(range(n)), f"{words[0]}: no row is lost")


def check_pipe(directory):
    """A named pipe is read once."""
    os.mkfifo(f"{directory}/pipe.sdf")
    writer = subprocess.Popen(["sh", "-c", f"cat {TYPES} > {directory}/pipe.sdf"])
    done = subprocess.run([PROGRAM, "energy", "-q", f"{directory}/pipe.sdf", "-o", f"{directory}/piped.jsonl"],
                          capture_output=True, text=True, timeout=30)
    writer.wait(10)
    rows = len(run("energy", "--json", TYPES).stdout.splitlines())
    equal((done.returncode, len(pathlib.Path(f"{directory}/piped.jsonl").read_text().splitlines())), (0, rows), done.stderr)


def check_full_disk(directory):
    """A file that may not grow: what is there is whole, and named."""
    path = write(directory, "big.sdf", TYPES.read_text() * 40)
    for kind in ("sdf", "jsonl", "xyz.gz", "h5"):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (400000, 400000))

        out = f"{directory}/full.{kind}"
        done = subprocess.run([PROGRAM, "energy", "-q", str(path), "-o", out], preexec_fn=limit, capture_output=True,
                              text=True)
        equal(done.returncode, 4, f"{kind}: {done.stderr}")
        check("kept in" in done.stderr, f"{kind}: {done.stderr}")
        part = f"{out}.partial" if kind != "h5" else out
        check(os.path.exists(part), f"{kind}: {left(directory, 'full')}")
        if kind == "sdf":
            equal(run("types", "-q", "--format", "sdf", part).returncode, 0, "what is kept can be read")
        if kind == "jsonl":
            check(all(json.loads(line) for line in open(part)), "what is kept can be read")
        if kind == "xyz.gz":
            equal(run("types", "-q", "--format", "xyz", part).returncode, 0, "what is kept can be read")


# --- shards ----------------------------------------------------------------------------------------

def check_shards(directory):
    """Three shards, one of them run twice, are the whole."""
    path = write(directory, "all.sdf", TYPES.read_text() * 3 + "bad\n\n\nx\n$$$$\n" + DEMO.read_text())
    equal(run("relax", "-q", path, *outputs(directory, "one")).returncode, 1, "the whole run")
    for name, shard in (("s0", "0/3"), ("s1", "1/3"), ("s2", "2/3"), ("again", "1/3")):
        run("relax", "-q", "--shard", shard, path, *outputs(directory, name))
    for kind in KINDS:
        files = [f"{directory}/{name}.{kind}" for name in ("s2", "s0", "again", "s1")]
        for _ in range(2):
            done = run("merge", "-o", f"{directory}/merged.{kind}", *files)
            lacks_one = kind in ("sdf", "xyz.gz")  # the unreadable one
            equal(done.returncode, int(lacks_one), f"merge of {kind}: {done.stderr}")
            equal(content(f"{directory}/merged.{kind}"), content(f"{directory}/one.{kind}"), f"{kind}: merged = whole")
    missing = run("merge", "-o", f"{directory}/merged.jsonl", f"{directory}/s0.jsonl", f"{directory}/s2.jsonl")
    check(missing.returncode == 1 and "in none of the files" in missing.stderr, f"a shard is missing: {missing.stderr}")
    rows = pathlib.Path(f"{directory}/again.jsonl")
    rows.write_text(rows.read_text().replace('"converged"', '"Converged"', 1))
    other = run("merge", "-o", f"{directory}/merged.jsonl", f"{directory}/s1.jsonl", rows)
    check(other.returncode == 4 and "not the same" in other.stderr, f"shards of other runs: {other.stderr}")
    mixed = run("merge", "-o", f"{directory}/merged.jsonl", f"{directory}/s1.jsonl", f"{directory}/s1.sdf")
    equal(mixed.returncode, 2, f"files of different formats: {mixed.stderr}")


# --- trajectories, logs, several devices -----------------------------------------------------------

def check_trajectory(directory):
    """Geometries on the way; the result is what it is without them."""
    plain = run("relax", "--json", "-q", DEMO).stdout
    done = run("relax", "--json", "-q", "--trajectory", f"{directory}/way.xyz", "--every", 5, DEMO)
    equal((done.returncode, done.stdout), (0, plain), f"results beside a trajectory: {done.stderr}")
    rows = [json.loads(line) for line in plain.splitlines()]
    frames = run_json("energy", "--json", "--device", "ref", f"{directory}/way.xyz")
    text = pathlib.Path(f"{directory}/way.xyz").read_text()
    steps = [int(word[6:]) for word in text.split() if word.startswith("steps=")]
    index = [int(word[12:]) for word in text.split() if word.startswith("shoal_index=")]
    equal(index, sorted(index), "systems in the order of the input")
    for row in rows:
        of_it = [s for s, i in zip(steps, index) if i == row["index"]]
        check(of_it[0] <= 1 and of_it[-1] == row["steps"], f"{row['name']}: {of_it}, {row['steps']} evaluations")
        last = [f for f, i in zip(frames, index) if i == row["index"]][-1]
        check(abs(last["energy"] - row["energy"]) < 1e-6, f"{row['name']}: the last frame is the result")


def check_log(directory):
    """What was run, on what."""
    path = write(directory, "in.sdf", DEMO.read_text().replace(" C ", " Xx", 1))
    before = path.read_text().partition(" Xx")[0].rpartition("$$$$\n")
    n, line = before[0].count("$$$$") + 1, (before[0] + before[1]).count("\n") + 1
    run("relax", "-q", "--fmax", 0.02, "--log", f"{directory}/log.jsonl", path)
    lines = [json.loads(line) for line in pathlib.Path(f"{directory}/log.jsonl").read_text().splitlines()]
    events = {line["event"]: line for line in lines}
    equal(set(events), {"start", "system", "inputs", "devices", "end"}, "events")
    equal((events["start"]["command"], events["start"]["options"]["fmax"]), ("relax", "0.02"), "what was run")
    equal([i["file"] for i in events["inputs"]["inputs"]], [str(path)], "inputs")
    equal(events["inputs"]["inputs"][0]["sha256"], hashlib.sha256(path.read_bytes()).hexdigest(), "hash of the input")
    equal((events["system"]["status"], events["end"]["failed"], events["end"]["exit"]), ("unreadable", 1, 1), "what failed")
    equal(events["end"]["unreadable"], 1, "unreadable systems")
    equal([d["device"] for d in events["devices"]["devices"]], ["cpu"], "devices")
    equal([events["system"][k] for k in ("index", "record", "line")], [n, n, line], "which failed")
    equal(events["inputs"]["inputs"][0]["bytes"], path.stat().st_size, "size of the input")
    equal((events["start"]["first"], events["start"]["ranks"]), (0, 1), "where it began")
    rows = [json.loads(line) for line in run("relax", "--json", "-q", "--fmax", 0.02, path).stdout.splitlines()]
    warned = sum(bool(row.get("warning")) for row in rows)
    steps = sum(row.get("steps", 0) for row in rows)
    equal([events["end"][k] for k in ("done", "warned", "evaluations")], [len(rows), warned, steps], "counts")
    equal(warned, 0, "no warnings there")
    # A file whose second and fourth records cannot be read, and one that gets a warning.
    good = "3\nw\nO 0 0 0\nH 0.96 0 0\nH -0.24 0.93 0\n"
    bad = "2\nbroken\nO 0 0 0\nH 1 here 0\n"
    path = write(directory, "two.xyz", good + bad + good + bad + "2\nwarned\nNe 0 0 0\nNe 1.2 0 0\n")
    log = f"{directory}/other.jsonl"
    run("energy", "-q", "--log", log, DEMO, path)
    lines = [json.loads(line) for line in pathlib.Path(log).read_text().splitlines()]
    n = DEMO.read_text().count("$$$$")
    failed = [(line["index"], line["record"], line["line"]) for line in lines if line["event"] == "system"]
    equal(failed[:2], [(n + 1, 1, 6), (n + 3, 3, 15)], "index, record and line of what cannot be read")
    rows = [json.loads(line) for line in run("energy", "--json", "-q", DEMO, path).stdout.splitlines()]
    warned = sum(bool(row.get("warning")) for row in rows)
    equal([lines[-1][k] for k in ("done", "unreadable", "warned")], [n + 5, 2, warned], "counts of two files")


def check_devices(directory):
    """Two devices share a run; every row is that of the device that it names."""
    if run("devices", "--json").stdout.count("opencl") == 0:
        print("skipped: no OpenCL device for a run on two devices")
        return
    path = write(directory, "two.sdf", TYPES.read_text() * 10)
    alone = {d: run("energy", "--json", "--precision", "float", "--device", d, path).stdout.splitlines()
             for d in ("cpu", "opencl:cpu")}
    both = run("energy", "--json", "--precision", "float", "--device", "opencl:cpu,cpu", path)
    equal(both.returncode, 0, f"exit code: {both.stderr}")
    rows = [json.loads(line) for line in both.stdout.splitlines()]
    equal(len(rows), len(alone["cpu"]), "rows")
    for k, row in enumerate(rows):
        device = row.pop("device")
        check(row == json.loads(alone["cpu" if device == "cpu" else "opencl:cpu"][k]), f"system {k} on {device}")


if __name__ == "__main__":
    run_each([check_outputs, check_refusals, check_control_characters, lambda d: check_poison(d, 2400),
              lambda d: check_kills(d, "cpu", KINDS), lambda d: check_large(d, "cpu", "lbfgs"),
              lambda d: check_large(d, "cpu", "fire"), check_other_command, check_failed_beginning, check_completion, check_second_writer, check_appended,
              check_pipe, check_full_disk, check_shards,
              check_trajectory, check_log, check_devices])
