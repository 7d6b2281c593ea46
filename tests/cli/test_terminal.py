# SPDX-License-Identifier: BSD-3-Clause
# What people see: a line of progress that fits its terminal, names they may have meant, ways from other formats, and
# warnings by kind at the end.
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import time

from program import PROGRAM, TOP, WATER, check, equal, run, run_each, write

RADICAL = "2\n{}\nO 0 0 0\nH {} 0 0\n"


def progress_of(text):
    """Percents, systems and systems per second, line by line."""
    found = re.findall(r"\] +(\d+) %  (\d+) [^/\r\n]* ([0-9.]+)/s", text)
    return [(float(part), int(done), float(pace)) for part, done, pace in found]


def on_terminal(columns, *arguments, stop_at=None, moments=None):
    """What a program writes on a terminal of so many columns as its stderr; with a signal where so many percent are done. moments: takes
    what it told of its progress, and when."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.DEVNULL, stderr=its)
    os.close(its)
    code, text = 0, b""
    while True:
        try:
            more = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not more:
            break
        text += more
        if moments is not None:
            moments += [(time.monotonic(), *told) for told in progress_of(more.decode())]
        if stop_at is not None and any(part >= stop_at for part, _, _ in progress_of(more.decode())):
            process.terminate()
            code, stop_at = 75, None
    os.close(ours)
    equal(process.wait(), code, f"exit code of {arguments}")
    return text.decode()


def test_progress(directory):
    path = write(directory, "many.xyz", WATER * 200000)
    slowly = ("--threads", "1", "--method", "fire", "--precision", "double", "--fmax", "1e-6")
    for columns in (40, 80, 120):
        text = on_terminal(columns, "relax", *slowly, path)
        lines = [line for line in re.split("\r|\n", text.replace("\033[K", "")) if line.startswith("[")]
        check(len(lines) > 0, f"{columns} columns: a line of progress")
        check(max(map(len, lines), default=0) < columns, f"{columns} columns: none is wider: {lines[-1:]}")
        check(not re.search(r"\de[+]\d", text), f"{columns} columns: no exponents in {lines[-1:]}")
        if columns >= 80:
            check(all(" systems" in line for line in lines), f"{columns} columns: systems are counted")
            check(" left" in "".join(lines[-1:]), f"{columns} columns: the time that is left: {lines[-1:]}")


def test_progress_of_what_is_left(directory):
    """A run that goes on tells its own pace, not that of the systems it found done."""
    path, n = write(directory, "many.xyz", WATER * 300000), 300000
    words = ("relax", "--threads", "1", "--method", "fire", "--precision", "double", "--fmax", "1e-6", path, "-o", f"{directory}/out.csv")
    on_terminal(80, *words, stop_at=60)
    told = []
    on_terminal(80, *words, "--resume", moments=told)
    check(told and told[0][2] > 0.6 * n, f"it goes on where it was: {told[:1]}")
    check(told and abs(told[-1][2] - n * told[-1][1] / 100) < 0.03 * n, f"systems of all: {told[-1:]}")
    if told:
        # It began before its first line: at its own pace it did at least this in between, and never as much as all that is left.
        (first, _, done, _), (last, _, _, pace) = told[0], told[-1]
        check(pace * (last - first) < 1.5 * (n - done), f"{n - done} systems, {last - first:.1f} s from line to line, at {pace}/s")


def test_guesses(directory):
    water = write(directory, "water.xyz", WATER)
    for command, option, meant in (
        ("relax", "--fmx", "--fmax"),
        ("relax", "--thread", "--threads"),
        ("relax", "--max-setps=3", "--max-steps"),
        ("energy", "--surfcae", "--surface"),
    ):
        done = run(command, option, water)
        equal(done.returncode, 2, f"{option}: exit code")
        check(f"did you mean {meant}?" in done.stderr, f"{option}: {done.stderr}")
    for option in ("--zzz", "--no-such-option", "-Z", "--" + 100 * "x"):
        check("did you mean" not in run("relax", option, water).stderr, f"{option} is like none")
    for given, meant in (("relx", "relax"), ("conv", "convert"), ("serach", "search")):
        done = run(given, water)
        equal(done.returncode, 2, f"{given}: exit code")
        check(f"did you mean {meant}?" in done.stderr, f"{given}: {done.stderr}")
    check("did you mean" not in run("frobnicate").stderr, "frobnicate is like no command")


def test_other_formats(directory):
    for name, way in (
        ("a.pdbqt", "obabel"),
        ("a.xsf", "ase convert"),
        ("a.mae", "RDKit"),
        ("a.sdf.bz2", "unpacked first"),
    ):
        done = run("relax", write(directory, name, "of no format\n"))
        equal(done.returncode, 2, f"{name}: exit code")
        check(way in done.stderr, f"{name}: {done.stderr}")
    done = run("relax", write(directory, "a.log", "of no format\n"))
    check(done.stderr.rstrip().endswith("or a format given"), f"a.log: {done.stderr}")


def test_warnings(directory):
    text = WATER + "".join(RADICAL.format(name, 0.97 + 0.01 * k) for k, name in enumerate("abc"))
    path = write(directory, "radicals.xyz", text)
    last = run("relax", path).stderr.split("shoal: ")[-1]
    equal(last.count("\n"), 2, f"one kind of warning: {last}")
    check(last.startswith("3 systems have a warning:\n  1 a: 1 unpaired electron"), last)
    check(last.endswith("; and 2 more alike\n"), last)
    check("unpaired electron" in run("search", "--starts", "3", path).stderr, "a search tells warnings")
    equal(run("relax", "-q", path).stderr, "", "a quiet run")
    salt = f"{directory}/salt.xyz"
    equal(run("slab", "rocksalt", "NaCl", "--size", "3x3", "--layers", "2", "-q", "-o", salt).returncode, 0, "a salt")
    water = write(directory, "water.xyz", WATER)
    last = run("energy", "--surface", salt, "--height", 3, water).stderr.split("shoal: ")[-1]
    equal(last.count("\n"), 2, f"one warning is one kind: {last}")
    check("and the molecule has none (charge" in last, last)


def test_tables(directory):
    """Tables fit the terminal; where there is none they have all columns."""
    long_name = write(directory, "long.xyz", WATER.replace("water", "a-name-that-is-longer-than-columns", 1))
    for command, more in (("energy", ()), ("relax", ()), ("modes", ()), ("md", ("--steps", "10")),
                          ("search", ("--starts", "3"))):
        for columns in (80, 100, 200):
            lines = table_on_terminal(columns, command, "-q", *more, str(long_name))
            check(max(map(len, lines[:2])) <= columns, f"{command}, {columns} columns: {lines[:2]}")
            equal(len(lines[0]), len(lines[1]), f"{command}, {columns} columns: the header has the width of its rows: {lines[:2]}")
        piped = run(command, "-q", *more, long_name).stdout.splitlines()
        equal(len(lines[0]), len(piped[0]), f"{command}: all columns where there is room, and in a pipe")


def table_on_terminal(columns, *arguments):
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen([PROGRAM, *arguments], stdout=its, stderr=subprocess.PIPE)
    _, err = process.communicate()
    os.close(its)
    text = b""
    try:
        while more := os.read(ours, 65536):
            text += more
        if moments is not None:
            moments += [(time.monotonic(), *told) for told in progress_of(more.decode())]
    except OSError:
        pass
    os.close(ours)
    equal(process.returncode, 0, f"exit code of {arguments}: {err}")
    return text.decode().splitlines()


def test_exit_codes(directory):
    """The table of docs/cli.md, row by row."""
    water = write(directory, "water.xyz", WATER)
    bad = write(directory, "bad.xyz", "1\nno such element\nQq 0 0 0\n")
    many = write(directory, "many.xyz", WATER * 20000)
    for code, words in (
        (0, ("energy", water)),
        (1, ("energy", water, bad)),
        (2, ("energy", water, "--nonsense")),
        (2, ("energy",)),
        (3, ("energy", water, "--device", "opencl:99")),
        (4, ("energy", f"{directory}/missing.xyz")),
        (4, ("energy", water, "-o", f"{directory}/no/folder.xyz")),
        (75, ("relax", many, "-o", f"{directory}/out.xyz", "--max-hours", "1e-7")),
    ):
        equal(run(*words).returncode, code, f"exit code of {words}")
    table = (TOP / "docs" / "cli.md").read_text().split("| exit code | meaning |")[1].split("\n\n")[0]
    codes = {int(c) for row in table.splitlines()[2:] for c in row.split("|")[1].split(",")}
    equal(codes, {0, 1, 2, 3, 4, 75, 129, 130, 138, 143}, "codes of the table; those of signals are in test_interrupt")


run_each([test_tables, test_exit_codes, test_progress, test_progress_of_what_is_left, test_guesses, test_other_formats, test_warnings])
