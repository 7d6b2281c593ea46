# SPDX-License-Identifier: BSD-3-Clause
# Help, wrong usage, missing files, and where input and output come from.
import gzip
import os
import tempfile

from program import METHANE, UNTYPED, WATER, check, energies, equal, finish, run, run_json, write

COMMANDS = ("types", "energy", "convert")


def listed_commands():
    """Names in the list that `shoal --help` prints."""
    text = run("--help").stdout.split("commands:\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in text.splitlines()]


def test_help():
    for arguments in (("--help",), ("-h",), ("help",)):
        equal(run(*arguments).returncode, 0, f"{arguments} exit code")
    check(set(COMMANDS) <= set(listed_commands()), "the list of commands")
    for command in listed_commands():
        for flag in ("--help", "-h"):
            done = run(command, flag)
            equal(done.returncode, 0, f"{command} {flag} exit code")
            equal(done.stderr, "", f"{command} {flag} stderr")
            check(done.stdout.startswith(f"usage: shoal {command} "), f"{command} {flag} usage line")
            check("--help" in done.stdout, f"{command} {flag} lists options")
        equal(run(command, "--no-such-option").returncode, 2, f"{command}: an unknown option")
    done = run("--version")
    equal(done.returncode, 0, "--version exit code")
    check(done.stdout.startswith("shoal 0."), "--version text")


def test_wrong_usage(directory):
    water = write(directory, "water.xyz", WATER)
    wrong = [
        (),
        ("frobnicate",),
        ("energy",),
        ("types",),
        ("convert", water),
        ("energy", "--no-such-option", water),
        ("energy", "-Z", water),
        ("energy", "--json=yes", water),
        ("energy", "--threads", "0", water),
        ("energy", "--threads", "two", water),
        ("energy", "--dialect", "amber", water),
        ("energy", "--mixing", "harmonic", water),
        ("energy", "--damping", "nan", water),
        ("energy", "--damping", "-1", water),
        ("energy", "--terms", "bond,frob", water),
        ("energy", "--charges", "some", water),
        ("energy", "--charge", "1.5", water),
        ("energy", "--type", "C_R", water),
        ("energy", "--type", "0=", water),
        ("energy", "--type", "0=much_too_long", water),
        ("energy", "--bond-order", "0-1=2", water),
        ("energy", "--bond-order", "0,1=-1", water),
        ("energy", "--bond-order", "0,1=nan", water),
        ("energy", "--format", "xtl", water),
        ("energy", "--dialect",),
        ("energy", "-",),
        ("energy", water, "-o", f"{directory}/out.foo"),
        ("relax", water, "-o", "-"),
        ("convert", water, "-o", f"{directory}/out"),
        ("slab", "graphene", "-o", f"{directory}/out.foo"),
    ]
    for arguments in wrong:
        done = run(*arguments, stdin="")
        equal(done.returncode, 2, f"exit code of {arguments[:3]}")
        check(done.stderr != "" or not arguments, f"{arguments[:3]} says what is wrong")
        if arguments:
            equal(done.stdout, "", f"stdout of {arguments[:3]}")
    check("standard output" in run("energy", water, "-o", "-").stderr, "-o - says why not")


def test_unknown_device(directory):
    water = write(directory, "water.xyz", WATER)
    done = run("energy", "--device", "abacus", water)
    equal(done.returncode, 3, "exit code of an unknown device")
    check("abacus" in done.stderr, "the message names the device")
    check("auto" in done.stderr and "shadow:DEVICE" in done.stderr, "and what there is")
    os.environ["SHOAL_CPU"] = "mmx"
    done = run("energy", water)
    del os.environ["SHOAL_CPU"]
    equal((done.returncode, done.stdout), (3, ""), "an unknown instruction set")
    check("SHOAL_CPU='mmx'" in done.stderr, "the message names it")
    text = run("energy", "--help").stdout
    check("float, double or auto" in text and "restraint" in text, "help tells all that is accepted")
    for option in (("--precision", "auto"), ("--terms", "bond,restraint")):
        equal(run("energy", *option, water).returncode, 0, f"{option}")


def test_missing(directory):
    for command in COMMANDS:
        output = ("-o", f"{directory}/out.xyz") if command == "convert" else ()
        done = run(command, f"{directory}/absent.xyz", *output)
        equal(done.returncode, 4, f"{command}: exit code of a missing file")
        equal(len(done.stderr.splitlines()), 1, f"{command}: lines on stderr")
        check("absent.xyz" in done.stderr, f"{command}: the message names the file")
    done = run("energy", write(directory, "water.xyz", WATER), "-o", f"{directory}/no/such/out.xyz")
    equal(done.returncode, 4, "exit code of an output in a missing directory")
    done = run("energy", "--format", "xyz", directory)
    equal(done.returncode, 4, "exit code of a directory")


def test_inputs(directory):
    water = write(directory, "water.xyz", WATER)
    both = write(directory, "both.xyz", WATER + METHANE)
    (alone,) = energies(water)
    (piped,) = energies("--format", "xyz", "-", stdin=WATER)
    equal(piped.pop("file"), "-", "standard input has a name, too")
    file = alone.pop("file")
    check(file.endswith("water.xyz") and alone["record"] == 0, f"where a system comes from: {file}")
    equal(piped, alone, "standard input")
    rows = energies(both, water)
    equal([r["name"] for r in rows], ["water", "methane", "water"], "order of several files")
    equal([r["index"] for r in rows], [0, 1, 2], "indices run on over files")
    equal([(r["file"], r["record"]) for r in rows], [(str(both), 0), (str(both), 1), (str(water), 0)], "records do not")
    equal(rows[2]["energy"], alone["energy"], "the same system in another file")
    packed = directory + "/odd.name"
    with open(packed, "wb") as out:
        out.write(gzip.compress(WATER.encode()))
    (zipped,) = energies("--format", "xyz", packed)
    del zipped["file"]
    equal(zipped, alone, "compressed input under any name")
    odd = write(directory, "-odd.xyz", WATER)
    (row,) = run_json("energy", "--json", "--device", "ref", "--", odd.name, cwd=directory)
    equal(row.pop("file"), odd.name, "file")
    equal(row, alone, "a name that starts with a dash, after --")


def test_empty(directory):
    empty = write(directory, "empty.xyz", "")
    done = run("energy", "--json", empty)
    equal((done.returncode, done.stdout), (0, ""), "an empty file has no systems")
    check("no systems" in done.stderr, "and says so")
    equal(run("energy", "--json", "-q", empty).stderr, "", "but not with -q")


def test_failed_run_leaves_nothing(directory):
    broken = write(directory, "broken.xyz", WATER + "3\ncut off\nO 0 0 0\n")
    for name in ("result.xyz", "result.sdf"):
        for command in COMMANDS:
            done = run(command, "--strict", broken, "-o", f"{directory}/{name}")
            equal(done.returncode, 4, f"{command} exit code of a broken input")
            check(not os.path.exists(f"{directory}/{name}"), f"{command} leaves no {name}")
            part = f"{directory}/{name}.partial"
            check("kept in" in done.stderr and os.path.exists(part), f"{command} keeps the rest")
            os.unlink(part)
            check(os.path.exists(f"{directory}/{name}.checkpoint"), f"{command} could go on")
            os.unlink(f"{directory}/{name}.checkpoint")
    left = [f for f in os.listdir(directory) if f.startswith("result")]
    equal(left, [], "no temporary files are left")
    kept = write(directory, "kept.xyz", "precious")
    run("energy", "--strict", broken, "-o", kept)
    equal(kept.read_text(), "precious", "a failed run does not touch an older file")
    os.unlink(f"{kept}.partial")
    mixed = write(directory, "mixed.xyz", WATER + UNTYPED)
    equal(run("energy", mixed, "-o", f"{directory}/mixed_out.xyz").returncode, 1, "a failed system")
    check(os.path.exists(f"{directory}/mixed_out.xyz"), "is no failed run: the output is there")


def main():
    with tempfile.TemporaryDirectory() as directory:
        test_help()
        test_wrong_usage(directory)
        test_unknown_device(directory)
        test_missing(directory)
        test_inputs(directory)
        test_empty(directory)
        test_failed_run_leaves_nothing(directory)
    finish()


if __name__ == "__main__":
    main()
