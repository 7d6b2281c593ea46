# SPDX-License-Identifier: BSD-3-Clause
# Files of results of which one number, one row, one dataset or one attribute is not what it was: each is refused, and
# the reason says where.
import json
import pathlib
import tempfile

from program import METHANE, WATER, call, check, equal, finish, python_with_h5py, run, skip, write

# A program for the Python that has h5py, which need not be this one: makes the damages that it reads, [kind, name,
# at, value], each in a copy; those that cannot be made are left out.
DAMAGE = """
import h5py, json, numpy, shutil, sys
whole, folder, asked = sys.argv[1], sys.argv[2], json.load(sys.stdin)
for k, (kind, name, at, value) in enumerate(asked):
    path = f"{folder}/{k}.h5"
    shutil.copy(whole, path)
    with h5py.File(path, "r+") as f:
        if kind == "remove":
            del f[name]
        elif kind == "shorten":
            f[name].resize(f[name].shape[0] - 1, axis=0)
        elif kind == "set":
            f[name][at] = value
        elif kind == "flip":
            row = numpy.asarray(f[name][at])
            if row.dtype.kind == "S":
                f[name][at] = b"other"
            else:
                raw = bytearray(row.tobytes())
                raw[0] ^= 1
                f[name][at] = numpy.frombuffer(bytes(raw), row.dtype).reshape(row.shape)
        elif kind == "array":
            del f[name]
            f.create_dataset(name, data=numpy.array(value, "i8"))
        elif kind == "attribute":
            f.attrs.modify(name, value)
        elif kind == "forget":
            del f.attrs[name]
"""
LIST = """
import h5py, json, sys
out = {}
with h5py.File(sys.argv[1], "r") as f:
    f.visititems(lambda name, x: out.__setitem__(name, list(x.shape)) if isinstance(x, h5py.Dataset) else None)
print(json.dumps(out))
"""
N = 5


def make_whole(directory):
    """Results of every kind of column: five systems, one without bonds of its own, one that has no type."""
    charged = "2\nname=salt charge=0 shoal_extra=1\nNa 0 0 0\nCl 0 0 2.4\n"
    text = METHANE + WATER + charged + "1\nheavy\nRf 0 0 0\n" + METHANE
    source, whole = write(directory, "five.xyz", text), pathlib.Path(directory) / "whole.h5"
    done = run("energy", "-q", source, "-o", whole)
    equal(done.returncode, 1, f"five systems, one of no type: {done.stderr}")
    return whole


# Columns that not all files have: without one, records are not what they were.
OPTIONAL = ("atoms/force", "systems/stress")
# The first system that has rows of it, where that is not the first of all.
FIRST = {"data/bytes": 2, "systems/reason": 3, "systems/warning": 2}


def damages_of(name, n_rows):
    """What may happen to a dataset, and what is said of it."""
    senseless, disagrees = f"'{name}' makes no sense", "does not agree with its checksum"
    yield ["remove", name, 0, 0], disagrees if name in OPTIONAL else f"'{name}' is missing"
    if n_rows == 0:
        return
    yield ["shorten", name, 0, 0], senseless
    if not name.endswith("starts"):
        yield ["flip", name, 0, 0], f"system {FIRST.get(name, 0)} {disagrees}"
        return
    for at, value in ((0, -1), (1, -1), (1, 1 << 40), (2, 1 << 40), (N - 1, -1)):
        yield ["set", name, at, value], senseless
    for value in (-3, 1 << 40):  # rows of all systems, which the columns of the axis do not have
        yield ["set", name, N, value], "makes no sense"


def damages(shapes):
    for name, shape in sorted(shapes.items()):
        if name.startswith("files/"):
            yield ["remove", name, 0, 0], "'files' makes no sense"
        elif name == "systems/index":
            yield ["remove", name, 0, 0], f"'{name}' is missing"
            yield ["flip", name, 0, 0], "does not agree with its checksum"
        else:
            yield from damages_of(name, shape[0])
    for text in ("program", "command", "options", "device", "driver", "start_time"):
        yield ["forget", text, 0, 0], f"'{text}' makes no sense"
    for starts in ([0, -1], [0, 9999], [-1, 2], [3, 2]):
        yield ["array", "files/starts", 0, starts], "'files/starts' makes no sense"
    yield ["array", "files/starts", 0, []], "'files' makes no sense"
    yield ["forget", "format", 0, 0], "not results of shoal"
    yield ["attribute", "format", 0, "other-results"], "not results of shoal"
    yield ["forget", "version", 0, 0], "results of version 0"
    for version in (1, 99):
        yield ["attribute", "version", 0, version], f"results of version {version}"


def check_prefix(directory, python, whole):
    """The index is written last: without its last row a file is that of a run with one system less."""
    folder = pathlib.Path(directory) / "prefix"
    folder.mkdir()
    asked = [["shorten", "systems/index", 0, 0], ["set", "systems/index", 0, 0], ["attribute", "complete", 0, 0]]
    call(python, DAMAGE, whole, folder, stdin=json.dumps(asked))
    outputs = []
    for path in (whole, folder / "0.h5", folder / "1.h5"):
        done = run("convert", "-q", path, "-o", "-", "--output-format", "xyz")
        check(done.returncode in (0, 1), f"{path.name}: {done.returncode}: {done.stderr}")
        outputs.append(done.stdout)
    equal(outputs[2], outputs[0], "a number set to what it was")
    check(outputs[0].startswith(outputs[1]) and 0 < len(outputs[1]) < len(outputs[0]), "a file without its last index")


def main():
    python = python_with_h5py()
    if not python:
        skip("no Python with h5py")
    with tempfile.TemporaryDirectory() as directory:
        whole = make_whole(directory)
        asked = list(damages(json.loads(call(python, LIST, whole))))
        check(len(asked) > 150, f"{len(asked)} damages")
        folder = pathlib.Path(directory) / "damaged"
        folder.mkdir()
        call(python, DAMAGE, whole, folder, stdin=json.dumps([damage for damage, _ in asked]))
        for k, (damage, reason) in enumerate(asked):
            done = run("convert", "-q", folder / f"{k}.h5", "-o", f"{directory}/out.xyz")
            equal(done.returncode, 4, f"{damage}: {done.stderr}")
            check(reason in done.stderr, f"{damage}: expected '{reason}', got: {done.stderr}")
        check_prefix(directory, python, whole)
    finish()


main()
