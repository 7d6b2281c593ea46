# SPDX-License-Identifier: BSD-3-Clause
# The wheel of a release, from its sdist: wheel.py SDIST FOLDER DOWNLOADS [MACHINE], run by a Python that has auditwheel.
"""Compiled in a new folder against the sysroot, then completed: libgomp by auditwheel, licences of all that is inside
(PEP 639) and a list of it (PEP 770). Same sources, same compiler, same bytes."""

import base64
import csv
import hashlib
import io
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

import sbom
import sysroot

LICENCES = pathlib.Path(__file__).with_name("licences")
TOP = pathlib.Path(__file__).resolve().parents[2]
EXPRESSION = "BSD-3-Clause AND BSD-1-Clause AND Zlib AND MIT AND (GPL-3.0-or-later WITH GCC-exception-3.1)"
OLDEST = {"x86_64": (2, 28), "aarch64": (2, 31)}  # the C library that a machine must have at least


def environment(machine):
    """Of a build for a machine, whose name the wheel has."""
    tools = pathlib.Path(sys.executable).parent
    more = {} if machine == sysroot.NATIVE else {"_PYTHON_HOST_PLATFORM": f"linux-{machine}"}
    return {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "PYTHONHASHSEED": "0", **more}


def unpacked(sdist, place):
    with tarfile.open(sdist) as archive:
        archive.extractall(place, filter="data") if hasattr(tarfile, "data_filter") else archive.extractall(place)
    return next(place.glob("shoal-*"))


def compiled(source, place, toolchain, root, machine):
    """The wheel before libgomp is in it."""
    settings = {"cmake.define.CMAKE_TOOLCHAIN_FILE": toolchain, "cmake.define.HDF5_ROOT": root / "usr",
                "cmake.define.SHOAL_MPI": "OFF", "cmake.define.SHOAL_PYTHON_HDF5": "ON",
                "cmake.define.SHOAL_WERROR": "OFF", "build-dir": place / "build"}
    words = [f"--config-settings={name}={value}" for name, value in settings.items()]
    sysroot.run(sys.executable, "-m", "pip", "-q", "--disable-pip-version-check", "wheel", "--no-deps",
                "--no-build-isolation", "-w", place / "plain", *words, source, env=environment(machine))
    return next((place / "plain").glob("shoal-*.whl"))


def repaired(wheel, place, root, machine):
    sysroot.run(sys.executable, "-m", "auditwheel", "repair", "--ldpaths", root / sysroot.GOMP, "-w", place / "repaired", wheel,
                env=environment(machine), stdout=subprocess.DEVNULL)
    return next((place / "repaired").glob("shoal-*.whl"))


def licences(hdf5, source):
    """Texts by name: of Shoal, of what is compiled in or lies beside it, of what report pages hold."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(LICENCES.iterdir())}
    texts["HDF5.txt"] = (hdf5 / "COPYING").read_text(encoding="utf-8", errors="replace")
    texts["HDF5-LBNL.txt"] = (hdf5 / "COPYING_LBNL_HDF5").read_text(encoding="utf-8", errors="replace")
    texts["uthash.txt"] = (hdf5 / "src/uthash.h").read_text(encoding="utf-8").split("*/")[0].lstrip("/* \n")
    texts["3Dmol.txt"] = (source / "python/shoal/assets/3Dmol.LICENSE.txt").read_text(encoding="utf-8")
    return texts


def metadata(text, names):
    """METADATA that names every licence."""
    text = re.sub(r"^License-Expression: .*$", f"License-Expression: {EXPRESSION}", text, flags=re.MULTILINE)
    lines = "".join(f"License-File: {name}\n" for name in names)
    return text.replace("License-File: LICENSE\n", f"License-File: LICENSE\n{lines}")


def record(files, name):
    rows = io.StringIO()
    writer = csv.writer(rows, lineterminator="\n")
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        writer.writerow([path, f"sha256={digest}", len(data)])
    writer.writerow([name, "", ""])
    return rows.getvalue().encode()


def completed(wheel, texts, folder, machine):
    """The wheel with licences and the list of its parts, in a fixed order and with one time for all files."""
    with zipfile.ZipFile(wheel) as archive:
        modes = {i.filename: i.external_attr for i in archive.infolist() if not i.is_dir()}
        files = {name: archive.read(name) for name in sorted(modes)}
    info = next(name for name in files if name.endswith(".dist-info/METADATA")).rsplit("/", 1)[0]
    files[f"{info}/METADATA"] = metadata(files[f"{info}/METADATA"].decode(), texts).encode()
    files.update({f"{info}/licenses/{name}": text.encode() for name, text in texts.items()})
    files = {name: data for name, data in files.items() if not name.startswith(f"{info}/sboms/")}
    files[f"{info}/sboms/shoal.cdx.json"] = sbom.text(TOP, machine).encode()
    del files[f"{info}/RECORD"]
    files = dict(sorted(files.items()))
    files[f"{info}/RECORD"] = record(files, f"{info}/RECORD")
    moment = time.gmtime(max(int(os.environ["SOURCE_DATE_EPOCH"]), 315532800))[:6]
    out = folder / wheel.name
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, moment)
            entry.external_attr = modes.get(name, 0o644 << 16)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return out


def check_age(wheel, machine):
    """The name of a wheel says which C libraries it runs with."""
    versions = [tuple(map(int, v)) for v in re.findall(r"manylinux_(\d+)_(\d+)", wheel.name)]
    major, minor = OLDEST[machine]
    if not versions or min(versions) > (major, minor):
        raise SystemExit(f"release: {wheel.name}: expected manylinux_{major}_{minor} or older")


def check_places(wheel, place):
    """Nothing inside names the folder that it was built in."""
    with zipfile.ZipFile(wheel) as archive:
        found = [name for name in archive.namelist() if str(place).encode() in archive.read(name)]
    if found:
        raise SystemExit(f"release: {wheel.name}: the build folder {place} is named in {found}")


def make(sdist, folder, downloads, machine=sysroot.NATIVE):
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="shoal-wheel-") as name:
        place = pathlib.Path(name).resolve()
        root, toolchain, hdf5 = sysroot.make(place, downloads, machine)
        source = unpacked(sdist, place)
        wheel = repaired(compiled(source, place, toolchain, root, machine), place, root, machine)
        check_age(wheel, machine)
        check_places(wheel, place)
        return completed(wheel, licences(hdf5, source), folder, machine)


if __name__ == "__main__":
    print(make(*(pathlib.Path(word).resolve() for word in sys.argv[1:4]), *sys.argv[4:]))
