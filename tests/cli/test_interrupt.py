# SPDX-License-Identifier: BSD-3-Clause
# Signals: a run ends in order with what is finished and a checkpoint, at once if it is told twice, and no part of
# its output ever has the name of the whole.
import os
import pathlib
import signal
import subprocess
import tempfile
import time

from program import METHANE, PROGRAM, WATER, check, equal, finish, write


def start(*arguments, **more):
    command = [PROGRAM] + [str(a) for a in arguments]
    more.setdefault("stdout", subprocess.PIPE)
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, **more)


def wait_for(condition, what, seconds=20.0):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.002)
    check(condition(), what)


def names(directory, start_of_name):
    return sorted(f for f in os.listdir(directory) if f.startswith(start_of_name))


def helix(n):
    """A long chain in a bad shape, whose relaxation takes long."""
    atoms = [f"C {1.3 * (k % 2)} {0.9 * (k % 3)} {1.3 * k}" for k in range(n)]
    return f"{n}\nchain\n" + "\n".join(atoms) + "\n"


def check_in_order(directory, number):
    """Finished systems are kept as PATH.partial, those on their way are left out, and a later run can go on."""
    slow = helix(3000)
    path = write(directory, "slow.xyz", WATER + METHANE + slow)
    run = start("relax", "--json", "--threads", 1, "--fmax", 1e-9, "--max-steps", 1000000, "-o",
                f"{directory}/relaxed.xyz", path)
    wait_for(lambda: names(directory, "relaxed.xyz.partial"), "the output is begun")
    time.sleep(0.5)
    run.send_signal(number)
    if number != signal.SIGINT:  # as launchers do that pass it on
        time.sleep(0.02)
        run.send_signal(number)
    began = time.monotonic()
    out, err = run.communicate(timeout=60)
    check(time.monotonic() - began < 2, f"ended after {time.monotonic() - began:.1f} s")
    equal(run.returncode, 75, f"exit code: {err}")
    check("ending with what is finished" in err and f"interrupted by {signal.Signals(number).name}" in err, err)
    check("chain" not in out, f"a system on its way is no result: {out[:200]}")
    left = names(directory, "relaxed")
    equal(left, ["relaxed.xyz.checkpoint", "relaxed.xyz.partial"], "what is left")
    equal(len(out.splitlines()), 2, "rows of the finished systems")
    equal(len(pathlib.Path(f"{directory}/relaxed.xyz.partial").read_text().splitlines()), 12, "what is kept")
    for name in left:
        os.unlink(f"{directory}/{name}")


def check_without_file(directory):
    """Nothing to go on with: the exit code tells the signal."""
    path = write(directory, "slow.xyz", WATER + helix(3000))
    run = start("relax", "--json", "--fmax", 1e-9, "--max-steps", 1000000, path)
    time.sleep(0.7)
    run.send_signal(signal.SIGTERM)
    out, err = run.communicate(timeout=60)
    equal((run.returncode, len(out.splitlines())), (143, 1), f"exit code and rows: {err}")


def check_chunks(directory):
    """A run over many chunks keeps those that were done."""
    path = write(directory, "many.xyz", METHANE * 100000)
    rows = pathlib.Path(directory) / "rows.json"
    with rows.open("w") as out:
        run = start("energy", "--json", "-o", f"{directory}/many_out.xyz", path, stdout=out)
        wait_for(lambda: rows.stat().st_size > 0, "the first results")
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=60)
    equal(run.returncode, 75, f"exit code: {err}")
    equal(names(directory, "many_out"), ["many_out.xyz.checkpoint", "many_out.xyz.checkpoint.old", "many_out.xyz.partial"],
          "what is left of many")
    kept = (pathlib.Path(directory) / "many_out.xyz.partial").read_text().count("\nC ")
    equal(len(rows.read_text().splitlines()), kept, "systems reported are those kept")
    check(0 < kept < 100000 and f"the {kept} systems before it are kept in" in err, err)


def check_at_once(directory):
    """Waiting for input, and twice."""
    run = start("energy", "--format", "xyz", "-", "-o", f"{directory}/waiting.xyz", stdin=subprocess.PIPE)
    wait_for(lambda: names(directory, "waiting.xyz.partial"), "an output is begun while input is awaited")
    time.sleep(0.2)
    run.send_signal(signal.SIGTERM)
    run.stdin.flush()
    err = run.stderr.read()
    equal(run.wait(20), 143, f"exit code: {err}")
    check("interrupted by SIGTERM" in err, err)
    equal(names(directory, "waiting"), [], "files of a run that waited")
    path = write(directory, "large.xyz", helix(20000))
    run = start("energy", "--device", "ref", "--threads", 1, "-o", f"{directory}/twice.xyz", path)
    wait_for(lambda: names(directory, "twice.xyz.partial"), "an output is begun")
    time.sleep(0.3)
    run.send_signal(signal.SIGINT)
    time.sleep(0.1)
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=20)
    equal(run.returncode, 130, f"exit code: {err}")
    check("twice.xyz" not in names(directory, "twice"), "a run that was told twice has no output")


def check_charges(directory):
    """Charges of a large system are given up at once, and so is all behind it."""
    path = write(directory, "charges.xyz", WATER + helix(16000) + WATER)
    run = start("energy", "--json", "--threads", 1, "--charges", "qeq", path)
    time.sleep(0.8)
    run.send_signal(signal.SIGINT)
    began = time.monotonic()
    out, err = run.communicate(timeout=60)
    equal((run.returncode, len(out.splitlines())), (130, 1), f"exit code and rows: {err}")
    check(time.monotonic() - began < 10, "it does not take its time")


def check_ignored(directory):
    """A signal that the caller ignores stays ignored (nohup, background jobs)."""
    path = write(directory, "few.xyz", METHANE * 20000)
    run = start("convert", path, "-o", f"{directory}/few_out.xyz",
                preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    wait_for(lambda: names(directory, "few_out"), "the output is begun")
    run.send_signal(signal.SIGHUP)
    _, err = run.communicate(timeout=60)
    equal((run.returncode, names(directory, "few_out")), (0, ["few_out.xyz"]), f"an ignored signal: {err}")


def main():
    with tempfile.TemporaryDirectory() as directory:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
            check_in_order(directory, number)
        check_without_file(directory)
        check_chunks(directory)
        check_at_once(directory)
        check_charges(directory)
        check_ignored(directory)
    finish()


if __name__ == "__main__":
    main()
