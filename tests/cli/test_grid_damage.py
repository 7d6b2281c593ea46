# SPDX-License-Identifier: BSD-3-Clause
# Files of grids of which one number, one dataset or one attribute is missing or is not what it was: none is used, and the
# reason says what is wrong.
import json
import pathlib
import tempfile

from program import call, check, equal, finish, python_with_h5py, run, skip

# Programs for the Python that has h5py, which need not be this one.
DAMAGE = """
import h5py, json, numpy, shutil, sys
whole, folder, asked = sys.argv[1], sys.argv[2], json.load(sys.stdin)
for k, (kind, name, key) in enumerate(asked):
    path = f"{folder}/{k}.h5"
    shutil.copy(whole, path)
    with h5py.File(path, "r+") as f:
        if kind == "remove":
            del f[name]
        elif kind == "forget":
            del f[name].attrs[key]
        elif kind == "next":
            f[name].attrs.modify(key, f[name].attrs[key] + 1)
        elif kind == "change":
            old = f[name].attrs[key]
            if isinstance(old, (str, bytes, numpy.bytes_)):
                f[name].attrs[key] = "other"
            else:
                new = numpy.array(old)
                new.flat[new.size - 1] += 2 if key == "version" else 1
                f[name].attrs.modify(key, new)
        elif kind == "shape":
            old = numpy.atleast_1d(f[name].attrs[key])
            f[name].attrs[key] = numpy.concatenate([old, old])
        elif kind == "flip":
            data = f[name]
            at = tuple(n // 2 for n in data.shape)
            data[at] = data[at] + 1
        elif kind == "shorten":
            old = f[name][()]
            del f[name]
            f[name] = old[:-1]
"""
LIST = """
import h5py, json, sys
out = {"/": ["group", list(h5py.File(sys.argv[1], "r").attrs)]}
with h5py.File(sys.argv[1], "r") as f:
    f.visititems(lambda name, x: out.__setitem__(name, ["data" if isinstance(x, h5py.Dataset) else "group", list(x.attrs)]))
print(json.dumps(out))
"""


# What nobody reads back, what the checksum leaves out (how far a check was off), and a text that a list of texts begins with.
HARMLESS = ("units",)
UNSUMMED = (["change", "/", "errors"], ["shape", "surface", "form"])
WORDS = {
    "format": "not a grid of shoal",
    "surface": "'elements' is missing or not as expected",
    "surface/elements": "is missing or not as expected",
}


def damages(tree):
    """(damage, what is said of it)."""
    yield ["next", "/", "version"], "damaged: no channel from elsewhere"
    for name, (kind, attributes) in sorted(tree.items()):
        last = WORDS.get(name, f"'{name.split('/')[-1]}' is missing or not as expected")
        if name != "/":
            yield ["remove", name, ""], last
        if kind == "data":
            yield ["flip", name, ""], "its substrate does not have its hash" if "surface" in name else "its checksum does not agree"
            yield ["shorten", name, ""], last
        for key in attributes:
            for how in ("forget", "change", "shape"):
                said = WORDS.get(key, f"'{key}' is missing or not as expected")
                if how == "change" and key != "format":
                    said = "; build the grid again" if key == "version" else "damaged: "
                if key not in HARMLESS and [how, name, key] not in UNSUMMED:
                    yield [how, name, key], said


def main():
    python = python_with_h5py()
    if not python or "hdf5" not in run("--version").stdout:
        skip("no Python with h5py, or no HDF5")
    with tempfile.TemporaryDirectory() as directory:
        slab, grid = pathlib.Path(directory) / "salt.xyz", pathlib.Path(directory) / "salt.h5"
        run("slab", "rocksalt", "NaCl", "--size", "2x2", "--charge", "0.9", "-o", slab)
        done = run("grid", "build", slab, "--step", "0.5", "-o", grid)
        check(grid.exists(), f"a coarse grid: {done.stderr}")
        equal(run("grid", "info", grid).returncode, 0, "it is read")
        asked = list(damages(json.loads(call(python, LIST, grid))))
        folder = pathlib.Path(directory) / "damaged"
        folder.mkdir()
        call(python, DAMAGE, grid, folder, stdin=json.dumps([damage for damage, _ in asked]))
        check(len(asked) > 100, f"{len(asked)} damages")
        for k, (damage, said) in enumerate(asked):
            done = run("grid", "info", folder / f"{k}.h5")
            equal(done.returncode, 4, f"{damage}: {done.stdout} {done.stderr}")
            check(said in done.stderr, f"{damage}: expected '{said}', got {done.stderr}")
    finish()


main()
