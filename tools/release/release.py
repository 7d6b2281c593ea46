#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A release, made and tried: release.py FOLDER [STEP...], run by the Python of a virtual environment that has TOOLS.
"""FOLDER/dist holds what is published: sdist, wheel, Debian packages, SBOM, SHA256SUMS. Every step fails rather than leave
something out; the table at the end says how long each took. SOURCE_DATE_EPOCH is that of the last commit unless it is set."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import container
import debian
import emulated
import recipes
import sbom
import sdist
import sources
import sysroot
import trial
import wheel

TOP = pathlib.Path(__file__).resolve().parents[2]
MOST = 15 * 2**20  # bytes of a wheel


class Release:
    def __init__(self, folder):
        self.folder = folder
        self.dist, self.downloads = folder / "dist", folder / "downloads"
        self.dist.mkdir(parents=True, exist_ok=True)

    def one(self, pattern):
        found = sorted(self.dist.glob(pattern))
        if len(found) != 1:
            raise SystemExit(f"release: {self.dist}: expected one {pattern}, found {len(found)}")
        return found[0]

    @property
    def archive(self):
        return self.one("shoal-*.tar.gz")

    @property
    def package(self):
        return self.one(f"shoal-*{sysroot.NATIVE}.whl")

    def keep(self, made):
        if made.stat().st_size > MOST:
            raise SystemExit(f"release: {made.name}: {made.stat().st_size} bytes, at most {MOST}")
        print(f"wheel: {made.name}: {made.stat().st_size / 2**20:.2f} MiB")

    def sdist(self):
        for old in self.dist.glob("shoal*"):
            old.unlink()
        sdist.make(self.dist)

    def wheel(self):
        self.keep(wheel.make(self.archive, self.dist, self.downloads))

    def aarch64(self):
        """By the same recipe with Debian's cross-compiler, tried by qemu-user."""
        missing = emulated.needed("aarch64")
        if missing:
            raise SystemExit(f"release: aarch64: not installed: {' '.join(missing)}")
        made = wheel.make(self.archive, self.dist, self.downloads, "aarch64")
        self.keep(made)
        emulated.attempt("aarch64", self.archive, made, self.package, TOP / "examples/demo.sdf", self.downloads)

    def container(self):
        container.main(TOP / "examples/demo.sdf", self.downloads)

    def again(self):
        """The same once more, elsewhere and with nothing kept by a cache of compilers."""
        os.environ["CCACHE_DISABLE"] = "1"
        with tempfile.TemporaryDirectory(prefix="shoal-again-") as name:
            place = pathlib.Path(name).resolve()
            made = [(self.archive, sdist.make(place)), (self.package, wheel.make(self.archive, place, self.downloads))]
            differ = [(first, second) for first, second in made if sources.sha256(first) != sources.sha256(second)]
            for _, second in differ:
                shutil.copy(second, self.folder / f"differs-{second.name}")
        del os.environ["CCACHE_DISABLE"]
        if differ:
            raise SystemExit(f"release: not the same bytes twice: {', '.join(f.name for f, _ in differ)}: {self.folder}/differs-*")
        for first, _ in made:
            print(f"again: {first.name}: the same bytes twice: {sources.sha256(first)}")

    def check(self):
        """What the index for Python packages asks for."""
        packages = sorted(self.dist.glob("shoal-*.whl"))
        for words in (["twine", "check", "--strict", self.archive, *packages], *(["auditwheel", "show", p] for p in packages)):
            subprocess.run([sys.executable, "-m", *map(str, words)], check=True)

    def sbom(self):
        path = self.dist / "shoal.cdx.json"
        path.write_text(sbom.text(TOP), encoding="utf-8")
        sbom.check(path)

    def trial(self):
        trial.main(self.package, TOP / "examples/demo.sdf", self.downloads)

    def debian(self):
        debian.make(self.archive, self.dist, TOP / "examples/demo.sdf", self.downloads)

    def recipes(self):
        recipes.check(self.archive, self.folder)

    def sums(self):
        paths = sorted(p for p in self.dist.iterdir() if p.name != "SHA256SUMS")
        text = "".join(f"{sources.sha256(p)}  {p.name}\n" for p in paths)
        (self.dist / "SHA256SUMS").write_text(text, encoding="utf-8")
        print(text, end="")


STEPS = ("sdist", "wheel", "again", "check", "sbom", "trial", "debian", "container", "recipes", "sums")
NAMED = ("aarch64",)  # only where they are asked for


def last_commit():
    done = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=TOP, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "1750000000"


def main(folder, steps):
    unknown = set(steps) - {*STEPS, *NAMED}
    if unknown:
        raise SystemExit(f"release: unknown steps {sorted(unknown)}; there are: {' '.join(STEPS + NAMED)}")
    os.environ.setdefault("SOURCE_DATE_EPOCH", last_commit())
    release, times = Release(folder.resolve()), []
    for step in steps or STEPS:
        print(f"\n== {step}", flush=True)
        start = time.monotonic()
        getattr(release, step)()
        times.append(f"{time.monotonic() - start:6.0f}  {step}")
    print("\nseconds  step", *times, sep="\n")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2:])
