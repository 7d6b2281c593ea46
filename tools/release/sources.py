# SPDX-License-Identifier: BSD-3-Clause
# Files of others that a release needs: fetched once, and taken only if they are what sources.tsv says.
import dataclasses
import hashlib
import pathlib
import urllib.request

TABLE = pathlib.Path(__file__).with_name("sources.tsv")


@dataclasses.dataclass(frozen=True)
class Source:
    name: str
    version: str
    licence: str
    role: str  # "sysroot" or "inside"
    machine: str  # x86_64, aarch64 or any
    sha256: str
    url: str


def table(machine):
    """What a machine needs."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    rows = [Source(*line.split("\t")) for line in lines if line and not line.startswith("#")]
    return [source for source in rows if source.machine in (machine, "any")]


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() if hasattr(hashlib, "file_digest") else \
            hashlib.sha256(file.read()).hexdigest()


def fetch(source, folder):
    """The file of a source, in a folder that keeps them."""
    path = folder / source.url.rsplit("/", 1)[-1]
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        part = path.with_name(path.name + ".part")
        with urllib.request.urlopen(source.url, timeout=120) as answer:
            part.write_bytes(answer.read())
        part.rename(path)
    found = sha256(path)
    if found != source.sha256:
        raise SystemExit(f"release: {source.url}: SHA-256 is {found}, expected {source.sha256}: remove {path}")
    return path
