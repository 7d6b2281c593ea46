# SPDX-License-Identifier: BSD-3-Clause
# Scripts of a release that need nothing installed: the container file, sources of every machine, wheels whose bytes do not hang on order and time.
import os
import pathlib
import sys
import tempfile
import zipfile

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests"))
sys.path.insert(0, str(TOP / "tools/release"))

from checks import check, finish  # noqa: E402

import container  # noqa: E402
import sbom  # noqa: E402
import sources  # noqa: E402
import wheel  # noqa: E402

INFO = "shoal-1.0.dist-info"
METADATA = "Metadata-Version: 2.4\nName: shoal\nLicense-Expression: BSD-3-Clause\nLicense-File: LICENSE\n"
FILES = {f"{INFO}/METADATA": METADATA, f"{INFO}/RECORD": "", f"{INFO}/WHEEL": "Tag: py3-none-any\n", "shoal/__init__.py": "x = 1\n"}
# (words of the file, what stands in their place, what is found)
BROKEN = (
    ("debian:12-slim AS build", "debian:latest AS build", "expected an image"),
    ("--no-install-recommends", "", "no --no-install-recommends"),
    ("lib/apt/lists/*", "lib/apt/other", "no lib/apt/lists/*"),
    ("--no-cache-dir", "", "no --no-cache-dir"),
    ("USER shoal", "USER root", "no USER"),
    ('CMD ["doctor"]', "CMD doctor", "expected JSON"),
    ("WORKDIR /data", "WORKDIR data", "not absolute"),
    ("libgomp1 libhdf5-103-1", "gcc libgomp1 libhdf5-103-1", "the last stage has ['gcc']"),
    ("USER shoal", "HEALTHCHECK NONE\nUSER shoal", "HEALTHCHECK: not among"),
)


def test_container(place):
    text = container.FILE.read_text(encoding="utf-8")
    check(not list(container.faults(container.stages())), "the container file is without fault")
    for words, other, found in BROKEN:
        check(words in text, f"the container file has no {words}")
        container.FILE = place / "Containerfile"
        container.FILE.write_text(text.replace(words, other), encoding="utf-8")
        said = list(container.faults(container.stages()))
        check(any(found in line for line in said), f"{words} -> {other}: {said}")


def test_sources():
    """Every machine is built of the same parts; what is inside has an entry in the list of parts."""
    names = {m: sorted((s.name, s.role) for s in sources.table(m)) for m in ("x86_64", "aarch64")}
    check(names["x86_64"] == names["aarch64"] and len(names["x86_64"]) > 6, f"sources: {names}")
    for machine in names:
        check(all(len(s.sha256) == 64 for s in sources.table(machine)), f"checksums of {machine}")
        check('"libgomp"' in sbom.text(TOP, machine), f"list of the parts of {machine}")


def test_wheel(place):
    """Order, times and compression of the parts do not matter; RECORD has every file."""
    made = []
    for k, (names, method) in enumerate(((list(FILES), zipfile.ZIP_STORED), (list(FILES)[::-1], zipfile.ZIP_DEFLATED))):
        folder = place / str(k)
        (folder / "in").mkdir(parents=True)
        path = folder / "in/shoal-1.0-py3-none-any.whl"
        with zipfile.ZipFile(path, "w", method) as archive:
            for name in names:
                archive.writestr(zipfile.ZipInfo(name, (2000 + k, 1, 1, 0, 0, 0)), FILES[name])
        made.append(wheel.completed(path, {"MIT.txt": "text\n"}, folder, "x86_64").read_bytes())
    check(made[0] == made[1], "the same parts in another order give other bytes")
    with zipfile.ZipFile(place / "0/shoal-1.0-py3-none-any.whl") as archive:
        rows = {line.split(",")[0] for line in archive.read(f"{INFO}/RECORD").decode().splitlines()}
        check(rows == set(archive.namelist()), f"RECORD: {rows ^ set(archive.namelist())}")
        check("License-File: MIT.txt\n" in archive.read(f"{INFO}/METADATA").decode(), "METADATA names the licences")


os.environ.setdefault("SOURCE_DATE_EPOCH", "1750000000")
for test in (test_container, test_wheel):
    with tempfile.TemporaryDirectory() as directory:
        test(pathlib.Path(directory))
test_sources()
finish()
