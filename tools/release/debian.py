# SPDX-License-Identifier: BSD-3-Clause
# Debian packages of a release, from its sdist and packaging/debian: debian.py SDIST FOLDER DEMO.sdf DOWNLOADS.
"""Built, linted, and tried in a folder with Debian 12 and nothing else, where it is root: installed with what they depend on, used, and purged without a trace."""

import datetime
import email.utils
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

import trial

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


INSTALL = ["apt-get -qq update", "apt-get -qq install -y --no-install-recommends ./*.deb libhdf5-103-1 >/dev/null",
           "for name in *.deb; do dpkg -L $(dpkg-deb -f $name Package); done > installed"]
USE = ["shoal relax --quiet demo.sdf -o run.h5", "shoal report run.h5 -o report.html",
       "python3 -c 'import shoal; print(shoal.Batch(\"demo.sdf\").energy())' >/dev/null"]
PURGE = ["apt-get -qq purge -y $(for name in *.deb; do dpkg-deb -f $name Package; done) >/dev/null", "rm -rf *.deb .cache"]
FORGOTTEN = ("var/lib/dpkg", "var/cache", "var/log", "root")  # what dpkg keeps of every package, and this trial's own files


def attempt(folder, demo, downloads):
    """What is left of the packages is an error."""
    with tempfile.TemporaryDirectory(prefix="shoal-debian-trial-") as name:
        root = pathlib.Path(name) / "debian"
        trial.debian(root, downloads / f"{trial.SUITE}-slim.tar", ())
        for path in (*folder.glob("*.deb"), demo):
            shutil.copy(path, root / "root")

        def run(line):
            trial.inside(root, "/usr/bin/env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "DEBIAN_FRONTEND=noninteractive",
                         "sh", "-ec", f"cd /root && {line}")

        for line in (*INSTALL, *USE):
            run(line)
        trial.page_is_whole(root / "root/report.html")
        installed = (root / "root/installed").read_text(encoding="utf-8").split("\n")
        for line in PURGE:
            run(line)
        left = [p for p in installed if p and not (root / p[1:]).is_dir() and (root / p[1:]).exists()]
        left += [p for p in trial.files(root) if "shoal" in p and not p.startswith(FORGOTTEN)]
        if left:
            raise SystemExit(f"release: purging the Debian packages leaves {left[:5]} ({len(left)} files)")
    print(f"debian: installed, used and purged without a trace: {len([p for p in installed if p])} names")


def make(sdist, folder, demo, downloads):
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
    if os.geteuid() == 0 and shutil.which("debootstrap"):
        attempt(folder, demo, downloads)
    else:
        print("debian: not tried: that needs root and debootstrap")


if __name__ == "__main__":
    make(*(pathlib.Path(word).resolve() for word in sys.argv[1:]))
