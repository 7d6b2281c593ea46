# SPDX-License-Identifier: BSD-3-Clause
# Debian packages of a release, from its sdist and packaging/debian: debian.py SDIST FOLDER.
import datetime
import email.utils
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
# What lintian may say: no list of symbols while the interface may change with every minor version; no bug that an upload closes.
KNOWN = ("no-symbols-control-file", "initial-upload-closes-no-bugs")


def changelog(version):
    """From the first part of CHANGELOG.md only its existence: the file itself is in the packages."""
    moment = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    return (f"shoal ({version}-1) unstable; urgency=medium\n\n  * Release {version}; NEWS are in CHANGELOG.md.\n\n"
            f" -- The Shoal developers <shoal@example.org>  {email.utils.format_datetime(moment)}\n")


def stage(sdist, place):
    with tarfile.open(sdist) as archive:
        archive.extractall(place, filter="data") if hasattr(tarfile, "data_filter") else archive.extractall(place)
    source = next(place.glob("shoal-*"))
    version = source.name.split("-", 1)[1]
    shutil.copy(sdist, place / f"shoal_{version}.orig.tar.gz")
    shutil.copytree(TOP / "packaging/debian", source / "debian")
    (source / "debian/changelog").write_text(changelog(version), encoding="utf-8")
    return source


def lint(changes):
    """Errors and warnings of lintian beside those that are known."""
    done = subprocess.run(["lintian", "--allow-root", "--suppress-tags", ",".join(KNOWN), "--fail-on", "error,warning", changes],
                          capture_output=True, text=True, check=False)
    print(done.stdout, end="")
    if done.returncode != 0:
        raise SystemExit(f"release: lintian: {done.stderr}")
    print("lintian: neither errors nor warnings")


def make(sdist, folder):
    with tempfile.TemporaryDirectory(prefix="shoal-debian-") as name:
        place = pathlib.Path(name)
        source = stage(sdist, place)
        with open(folder.parent / "debian.log", "w", encoding="utf-8") as log:
            subprocess.run(["dpkg-buildpackage", "-us", "-uc", "-b"], cwd=source, check=True, stdout=log, stderr=log)
        lint(next(place.glob("*.changes")))
        for path in sorted(place.glob("*.deb")):
            if "-dbgsym" not in path.name:
                shutil.copy(path, folder)
                print(f"debian: {path.name}: {path.stat().st_size / 2**20:.2f} MiB")


if __name__ == "__main__":
    make(*(pathlib.Path(word).resolve() for word in sys.argv[1:]))
