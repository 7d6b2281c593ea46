# SPDX-License-Identifier: BSD-3-Clause
# Tries a wheel where nothing else is: trial.py WHEEL DEMO.sdf DOWNLOADS.
"""Two machines without a compiler are made of packages: one with Python (Debian 12 by debootstrap), where the wheel is installed,
used and removed, and one with nothing but glibc 2.27, where its program runs. Both need root and debootstrap; elsewhere a virtual
environment with an empty PATH stands for the first, and it is said."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

import sysroot

LIMIT = 60  # s, from nothing installed to a page that shows the first relaxation
SUITE, MIRROR = "bookworm", "http://deb.debian.org/debian"
HOME = "/root"
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
COMPILERS = ("cc", "gcc", "clang", "c99", "tcc", "make", "cmake", "ninja")
INSTALL = ["python3 -m venv {place}", "{place}/bin/pip -q --disable-pip-version-check install {wheel}"]
USE = ["{place}/bin/shoal relax --quiet demo.sdf -o run.h5 -o relaxed.sdf", "{place}/bin/shoal report run.h5 -o report.html"]
REMOVE = ["{place}/bin/pip -q uninstall -y shoal numpy"]
EVERY = """for command in $({place}/bin/shoal --help | sed -n '/^commands:/,/^$/s/^  \\([a-z]*\\) .*/\\1/p'); do
  {place}/bin/shoal "$command" --help >/dev/null || exit 1
done"""


def inside(root, *words, user="root", stdout=subprocess.DEVNULL):
    """Runs a command in a folder as if that were a machine; programs find what lies beside them by its /proc, PoCL processors by its /sys."""
    mounted = ('mkdir -p "$1/proc" "$1/sys" && mount -t proc proc "$1/proc" && mount --bind /sys "$1/sys" && '
               'exec chroot --userspec="$0" "$@"')
    sysroot.run("unshare", "--mount", "sh", "-ec", mounted, "0:0" if user == "root" else user, root, *words, stdout=stdout)


class Chroot:
    """A machine in a folder."""

    def __init__(self, root):
        self.root = root

    def run(self, line):
        inside(self.root, "/usr/bin/env", "-i", "PATH=/usr/bin:/bin", f"HOME={HOME}", f"PIP_CERT={HOME}/certificates",
               "sh", "-ec", f"cd {HOME} && {line}")

    @property
    def home(self):
        return self.root / "root"


class Plain:
    """This machine, with a PATH that has no compiler."""

    def __init__(self, root):
        self.root = self.home = root
        tools = root / "tools"
        tools.mkdir()
        for name in ("python3", "sed", "sh", "env"):
            (tools / name).symlink_to(shutil.which(name, path="/usr/bin:/bin"))
        self.environment = {"PATH": str(tools), "HOME": str(root)}

    def run(self, line):
        subprocess.run(["sh", "-ec", line], check=True, cwd=self.root, env=self.environment, stdout=subprocess.DEVNULL)


def no_compiler(root):
    found = [name for name in COMPILERS for folder in ("usr/bin", "bin") if (root / folder / name).exists()]
    if found:
        raise SystemExit(f"trial: compilers in the new machine: {found}")


def debian(root, kept, packages=("python3", "python3-venv", "ca-certificates")):
    """Debian 12 with some packages and nothing else; made once and kept as an archive."""
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        fresh = root.with_name("fresh")
        include = [f"--include={','.join(packages)}"] if packages else []
        sysroot.run("debootstrap", "--variant=minbase", *include, SUITE, fresh, MIRROR, stdout=subprocess.DEVNULL)
        sysroot.run("tar", "-C", fresh, "-cf", kept, ".")
    root.mkdir()
    sysroot.run("tar", "-C", root, "-xf", kept)
    shutil.copyfile("/etc/resolv.conf", root / "etc/resolv.conf")
    shutil.copyfile(CERTIFICATES, root / "root/certificates")  # a network may have one of its own
    no_compiler(root)
    return Chroot(root)


def files(place):
    return {p.relative_to(place).as_posix() for p in place.rglob("*") if not p.is_dir()}


def page_is_whole(path):
    text = path.read_text(encoding="utf-8")
    if len(text) < 100_000 or "</html>" not in text or "caffeine" not in text:
        raise SystemExit(f"trial: {path.name} is no report of the molecules")


def attempt(machine, wheel, demo):
    """Seconds from nothing to the report page."""
    home, inner = machine.home, pathlib.Path(HOME) if isinstance(machine, Chroot) else machine.home
    shutil.copy(wheel, home)
    shutil.copyfile(demo, home / "demo.sdf")
    words = {"place": inner / "venv", "wheel": inner / wheel.name}
    start = time.monotonic()
    machine.run(INSTALL[0].format(**words))
    before = files(home / "venv")
    machine.run(INSTALL[1].format(**words))
    for line in USE:
        machine.run(line.format(**words))
    seconds = time.monotonic() - start
    page_is_whole(home / "report.html")
    machine.run(EVERY.format(**words))
    for line in REMOVE:
        machine.run(line.format(**words))
    left = sorted(files(home / "venv") - before) + [str(p) for p in [home / ".cache/shoal"] if p.exists()]
    left = [name for name in left if "/pip/" not in name and "__pycache__" not in name]
    if left:
        raise SystemExit(f"trial: uninstalling leaves {left[:5]} ({len(left)} files)")
    if seconds > LIMIT:
        raise SystemExit(f"trial: {seconds:.0f} s until the first report, expected {LIMIT}")
    return seconds


def oldest(wheel, demo, place, downloads):
    """The program on a machine that has glibc 2.27 and zlib only."""
    root = place / "oldest"
    sysroot.unpack(root, downloads)
    for name in ("usr/lib/x86_64-linux-gnu", "usr/lib/gomp"):
        for path in (root / name).glob("libgomp*"):
            path.unlink()
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(root)
    (root / "shoal/bin/shoal").chmod(0o755)
    shutil.copyfile(demo, root / "demo.sdf")
    inside(root, "shoal/bin/shoal", "relax", "--quiet", "demo.sdf", "-o", "run.h5")


def main(wheel, demo, downloads):
    with tempfile.TemporaryDirectory(prefix="shoal-trial-") as name:
        place = pathlib.Path(name)
        if os.geteuid() == 0 and shutil.which("debootstrap"):
            seconds = attempt(debian(place / "debian", downloads / f"{SUITE}.tar"), wheel, demo)
            print(f"trial: Debian 12 without compiler: installed, relaxed, reported in {seconds:.1f} s; uninstalled without a trace")
            oldest(wheel, demo, place, downloads)
            print("trial: the program runs with glibc 2.27 and zlib alone")
        else:
            (place / "plain").mkdir()
            seconds = attempt(Plain(place / "plain"), wheel, demo)
            print(f"trial: no debootstrap or not root: a PATH without compiler: {seconds:.1f} s; uninstalled without a trace")


if __name__ == "__main__":
    main(*(pathlib.Path(word).resolve() for word in sys.argv[1:]))
