# SPDX-License-Identifier: BSD-3-Clause
# What the wheel is compiled against: an old C library, so that it runs wherever that or a newer one is, and a lean HDF5.
"""Today's compiler with headers and libraries of glibc 2.27. HDF5 is built from source without what drags others in
(curl, AWS, szip, C++, Fortran, tools); zlib is taken from the machine, as every Linux has it. For aarch64 the compiler is Debian's
gcc-aarch64-linux-gnu, the C library glibc 2.31, and what a build must run is run by qemu-aarch64."""

import os
import pathlib
import subprocess
import tarfile

import sources

NATIVE = "x86_64"
GOMP = pathlib.Path("usr/lib/gomp")  # alone there: the way that auditwheel looks for it must lead to nothing else
TOOLCHAIN = """\
set(CMAKE_C_COMPILER {compiler})
set(CMAKE_SYSROOT {root})
set(CMAKE_FIND_ROOT_PATH {root})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_C_FLAGS_INIT "{flags}")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "{link}")
set(CMAKE_EXE_LINKER_FLAGS_INIT "{link}")
set(OpenMP_gomp_LIBRARY {root}/{gomp}/libgomp.so CACHE FILEPATH "")
set(HDF5_C_COMPILER_EXECUTABLE HDF5_C_COMPILER_EXECUTABLE-NOTFOUND CACHE FILEPATH "")
"""
CROSS = """\
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR {machine})
set(CMAKE_CROSSCOMPILING_EMULATOR {emulator})
"""
HDF5_OPTIONS = {
    "BUILD_SHARED_LIBS": "ON", "BUILD_STATIC_LIBS": "OFF", "BUILD_TESTING": "OFF", "HDF5_BUILD_CPP_LIB": "OFF",
    "HDF5_BUILD_EXAMPLES": "OFF", "HDF5_BUILD_FORTRAN": "OFF", "HDF5_BUILD_HL_LIB": "OFF", "HDF5_BUILD_TOOLS": "OFF",
    "HDF5_BUILD_UTILS": "OFF", "HDF5_ENABLE_EMBEDDED_LIBINFO": "OFF", "HDF5_ENABLE_SZIP_SUPPORT": "OFF",
    "HDF5_ENABLE_Z_LIB_SUPPORT": "ON", "HDF5_ENABLE_PLUGIN_SUPPORT": "OFF", "HDF5_EXTERNALLY_CONFIGURED": "1",
    "HDF5_INSTALL_CMAKE_DIR": "lib/cmake",
}


def run(*command, **more):
    subprocess.run([str(c) for c in command], check=True, **more)


def libraries(machine):
    return pathlib.Path(f"usr/lib/{machine}-linux-gnu")


def compiler(machine):
    return os.environ.get("CC", "gcc") if machine == NATIVE else f"{machine}-linux-gnu-gcc"


def emulator(root, machine):
    """What runs programs of a machine; they find their libraries in the sysroot."""
    return [] if machine == NATIVE else [f"qemu-{machine}", "-L", str(root)]


def relative_links(root):
    """Links of packages point to where they would be installed."""
    for path in root.rglob("*"):
        target = os.readlink(path) if path.is_symlink() else ""
        if target.startswith("/"):
            path.unlink()
            path.symlink_to(os.path.relpath(root / target[1:], path.parent))


def unpack(root, downloads, machine=NATIVE):
    root.mkdir(parents=True)
    for source in sources.table(machine):
        if source.url.endswith(".deb"):
            run("dpkg-deb", "-x", sources.fetch(source, downloads), root)
    relative_links(root)
    (root / GOMP).mkdir()
    for name in ("libgomp.so", "libgomp.so.1"):
        (root / GOMP / name).write_bytes((root / libraries(machine) / "libgomp.so.1").read_bytes())


def write_toolchain(root, place, machine):
    """Names of folders stay out of what is compiled; libraries of the sysroot come before those of the compiler's machine."""
    flags = f"-ffile-prefix-map={root}=/sysroot -ffile-prefix-map={place}=."
    here = libraries(machine)
    folders = [root / GOMP, root / here, root / "lib" / here.name]
    link = " ".join([f"-B{root / here}", *(f"-L{f}" for f in folders), "-Wl,--build-id=none", "-Wl,-s"])
    text = TOOLCHAIN.format(root=root, gomp=GOMP, flags=flags, link=link, compiler=compiler(machine))
    if machine != NATIVE:
        text += CROSS.format(machine=machine, emulator=";".join(emulator(root, machine)))
    path = place / "toolchain.cmake"
    path.write_text(text, encoding="utf-8")
    return path


def forget_places(build, root, place):
    """HDF5 holds a text of how it was configured: without the folders of this build."""
    found = list(build.rglob("H5build_settings.c"))
    if not found:
        raise SystemExit("release: HDF5 has no H5build_settings.c: where are its settings?")
    for path in found:
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(str(root), "sysroot").replace(str(place), "."), encoding="utf-8")


def build_hdf5(root, place, toolchain, downloads):
    """HDF5 into the sysroot, with its licences beside it."""
    source = next(s for s in sources.table(NATIVE) if s.name == "hdf5")
    with tarfile.open(sources.fetch(source, downloads)) as archive:
        top = place / archive.getnames()[0].split("/")[0]
        archive.extractall(place, filter="data") if hasattr(tarfile, "data_filter") else archive.extractall(place)
    options = [f"-D{name}={value}" for name, value in HDF5_OPTIONS.items()]
    build = place / "hdf5"
    run("cmake", "-S", top, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_TOOLCHAIN_FILE={toolchain}",
        f"-DCMAKE_INSTALL_PREFIX={root}/usr", *options, stdout=subprocess.DEVNULL)
    forget_places(build, root, place)
    run("cmake", "--build", build, "--target", "install", stdout=subprocess.DEVNULL)
    return top


def make(place, downloads, machine=NATIVE):
    """(root, toolchain file, sources of HDF5) in an empty folder."""
    root = place / "sysroot"
    unpack(root, downloads, machine)
    toolchain = write_toolchain(root, place, machine)
    return root, toolchain, build_hdf5(root, place, toolchain, downloads)
