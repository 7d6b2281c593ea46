# SPDX-License-Identifier: BSD-3-Clause
# Files of earlier versions (tests/formats) are read as they were meant, or refused with a word on what to do.
import gzip
import json
import pathlib
import shutil
import sys
import tempfile

from program import TOP, check, equal, finish, near, run, run_json, skip

sys.path.insert(0, str(TOP / "tools"))
import make_format_files  # noqa: E402

FOLDERS = sorted(p for p in (TOP / "tests/formats").iterdir() if p.is_dir())
# What a version of ours does not read any more, and what it says: (folder, file): words.
REFUSED = {}
ANEW = "files of a version that is not out yet are made anew by tools/make_format_files.py"


def unpacked(folder, place):
    for path in folder.iterdir():
        if path.suffix == ".gz":
            (place / path.stem).write_bytes(gzip.decompress(path.read_bytes()))
        else:
            shutil.copy(path, place)
    (place / "two.xyz").write_text(make_format_files.TWO)
    (place / "many.xyz").write_text(make_format_files.TWO * make_format_files.MANY)
    (place / "probe.xyz").write_text(make_format_files.PROBE)


def refused(folder, name, *words):
    """Whether a file is among those that are no longer read; then it must be told so."""
    said = REFUSED.get((folder.name, name))
    if said:
        done = run(*words)
        check(done.returncode == 4 and said in done.stderr, f"{folder.name}/{name}: not refused as expected: {done.stderr}")
    return bool(said)


def read_results(folder, place, known):
    words = ("energy", "-q", place / "run.h5")
    if refused(folder, "run.h5", *words):
        return
    rows = run_json(*words, "--json")
    equal([row["name"] for row in rows], ["water", "methane"], f"{folder.name}/run.h5: names")
    for row, energy, force in zip(rows, known["energies"], known["fmax"]):
        near(row["energy"], energy, 1e-9, f"{folder.name}/run.h5: energy of {row['name']}")
        near(row["fmax"], force, 1e-7, f"{folder.name}/run.h5: force of {row['name']}")
        equal(row["status"], "ok", f"{folder.name}/run.h5: {row['name']}")


def read_grid(folder, place, known):
    words = ("energy", "-q", "--surface", place / "salt.xyz", "--grid", place / "salt.h5", place / "probe.xyz")
    if refused(folder, "salt.h5", *words):
        return
    near(run_json(*words, "--json")[0]["energy"], known["on_grid"], 1e-6, f"{folder.name}/salt.h5: energy on the grid")


def go_on(folder, place):
    """A run that was stopped goes on to what a run from the start gives, or is refused and stays as it is: options, which a
    checkpoint belongs to, may have become more."""
    before = (place / "out.xyz.partial").read_bytes()
    line = ("relax", "-q", "--threads", "1", "many.xyz", "-o")
    done = run(*line, "out.xyz", "--resume", cwd=place)
    if done.returncode != 0:
        check("is of another " in done.stderr and ".checkpoint" in done.stderr, f"{folder.name}: --resume: {done.stderr}")
        check((place / "out.xyz.partial").read_bytes() == before, f"{folder.name}: what a refused checkpoint stands for is changed")
        return
    equal(run(*line, "whole.xyz", cwd=place).returncode, 0, "a whole run")
    pairs = [run_json("energy", "-q", "--json", place / name) for name in ("out.xyz", "whole.xyz")]
    names = [[row["name"] for row in rows] for rows in pairs]
    check(names[0] == names[1] and len(names[0]) == 2 * make_format_files.MANY, f"{folder.name}: systems of a run that went on")
    worst = max(abs(a["energy"] - b["energy"]) for a, b in zip(*pairs))
    check(worst < 1e-6, f"{folder.name}: energies of a run that went on: {worst} eV from those of a whole one ({ANEW})")


def refuse_another(folder, place):
    """A checkpoint of another version of the format is told so, and what it stands for stays."""
    path, kept = place / "out.xyz.checkpoint", (place / "out.xyz.partial").read_bytes()
    head, rest = path.read_bytes().split(b"\n", 1)
    path.write_bytes(b"shoal checkpoint 1\n" + rest)
    done = run("relax", "-q", "--threads", "1", "many.xyz", "-o", "out.xyz", "--resume", cwd=place)
    equal(done.returncode, 4, f"{folder.name}: --resume of another format: exit code")
    check("the checkpoint is of another version" in done.stderr, f"{folder.name}: --resume of another format: {done.stderr}")
    check((place / "out.xyz.partial").read_bytes() == kept, f"{folder.name}: what a checkpoint of another format stands for is changed")
    path.write_bytes(head + b"\n" + rest)


def main():
    if "hdf5" not in run("--version").stdout:
        skip("built without HDF5")
    check(len(FOLDERS) > 0, "there are files of earlier versions")
    for folder in FOLDERS:
        known = json.loads((folder / "known.json").read_text())
        with tempfile.TemporaryDirectory() as name:
            place = pathlib.Path(name)
            unpacked(folder, place)
            read_results(folder, place, known)
            read_grid(folder, place, known)
            refuse_another(folder, place)
            go_on(folder, place)


if __name__ == "__main__":
    main()
    finish()
