# SPDX-License-Identifier: BSD-3-Clause
# What is installed can be built on: from a tree that was moved, by CMake against both libraries, by
# pkg-config, in C and in C++; the example of docs/library.md as it is printed there.
#   test_install.py BUILD C_COMPILER CXX_COMPILER [EXTRA_FLAGS]
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tools"), str(TOP / "tests")]

import public_functions  # noqa: E402
from checks import check, finish  # noqa: E402

BUILD = pathlib.Path(sys.argv[1])
CC, CXX = sys.argv[2], sys.argv[3]
FLAGS = sys.argv[4].split() if len(sys.argv) > 4 else []
CPP_FLAGS = ("-std=c++17", "-Wall", "-Wextra", "-Werror")

CPP = """#include <cstdio>
#include "shoal/shoal.h"
static_assert(SHOAL_VERSION_NUMBER >= 100, "a version");
int main()
{
    shoal_molecule *mol = nullptr;
    const double pos[3] = {0, 0, 0};
    bool good = shoal_molecule_create(&mol) == SHOAL_OK &&
                shoal_molecule_add_atom(mol, 18, pos) == SHOAL_OK &&
                shoal_version_number() == SHOAL_VERSION_NUMBER;
    std::printf("%s %d\\n", shoal_element_symbol(shoal_molecule_elements(mol)[0]), good);
    shoal_molecule_destroy(mol);
    return good ? 0 : 1;
}
"""
CPP_PROJECT = """cmake_minimum_required(VERSION 3.16)
project(user LANGUAGES CXX)
find_package(shoal 0.1 REQUIRED COMPONENTS static)
if(TARGET shoal::shoal)
  message(FATAL_ERROR "shared was not asked for")
endif()
add_executable(user user.cpp)
target_link_libraries(user PRIVATE shoal::static)
"""
# Names that the library uses inside: a program may have its own.
CLASH = """#include "shoal/shoal.h"
int arena_alloc(void);
int thread_pool_create(void);
int cell_complete(void);
int arena_alloc(void) { return 1; }
int thread_pool_create(void) { return 2; }
int cell_complete(void) { return 3; }
"""


def run(*command, env=None, cwd=None):
    """Output of a command that must succeed; None, with the reason printed, if it does not."""
    words = [str(c) for c in command]
    try:
        done = subprocess.run(words, capture_output=True, text=True, env=env, cwd=cwd, check=False)
    except FileNotFoundError as error:  # a program that could not be built before
        return check(False, str(error))
    check(done.returncode == 0, f"{' '.join(words)}\n{done.stdout}{done.stderr}")
    return done.stdout if done.returncode == 0 else None


def installed(place):
    """Installs with DESTDIR, then moves the tree: nothing may depend on where it was made."""
    staged = place / "staged"
    env = dict(os.environ, DESTDIR=str(staged))
    run("cmake", "--install", BUILD, "--prefix", "/usr/shoal-made-here", env=env)
    prefix = place / "moved" / "tree"
    prefix.parent.mkdir()
    shutil.move(staged / "usr/shoal-made-here", prefix)
    return prefix


def environment(prefix, **more):
    libraries = next(prefix.glob("lib*/**/pkgconfig")).parent
    clean = {k: v for k, v in os.environ.items() if k not in ("LD_LIBRARY_PATH", "CMAKE_PREFIX_PATH")}
    return dict(clean, PKG_CONFIG_PATH=str(libraries / "pkgconfig"), **more), libraries


def blocks(language, page="docs/library.md"):
    text = (TOP / page).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def check_energies(output, text):
    """examples/demo.sdf begins with water, 0.022151 eV in README.md."""
    lines = (output or "").splitlines()
    good = len(lines) == 12 and lines[0].split()[:3] == ["0", "ok", "0.022151"]
    check(good, f"{text}: {output}")


def linked_with_shared(program):
    return "libshoal.so" in (run("readelf", "-d", program) or "")


def build_with_cmake(prefix, source, place, target, env):
    options = [f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_C_COMPILER={CC}", f"-DSHOAL_TARGET={target}",
               f"-DCMAKE_C_FLAGS={' '.join(FLAGS)}"]
    if run("cmake", "-S", source, "-B", place, *options, env=env) is not None:
        run("cmake", "--build", place, env=env)


def test_cmake(prefix, place):
    env, _ = environment(prefix)
    source = next(prefix.glob("share/doc/**/examples"))
    for target, shared in (("shoal::shoal", True), ("shoal::static", False)):
        made = place / f"cmake_{shared}"
        build_with_cmake(prefix, source, made, target, env)
        program = made / "example_energy"
        check_energies(run(program, source / "demo.sdf", env=env), f"energy with {target}")
        check(linked_with_shared(program) == shared, f"{target} gives the library it is named for")


def test_cmake_refuses(prefix, place):
    """Another minor version is another interface."""
    source = place / "too_new"
    source.mkdir()
    (source / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(x LANGUAGES C)\nfind_package(shoal 99.0 REQUIRED)\n")
    done = subprocess.run(["cmake", "-S", source, "-B", source / "b", f"-DCMAKE_PREFIX_PATH={prefix}"],
                          capture_output=True, text=True, check=False)
    check(done.returncode != 0 and "99.0" in done.stderr, "find_package(shoal 99.0) is refused")


def test_pkg_config(prefix, place):
    env, libraries = environment(prefix)
    run_env = dict(env, LD_LIBRARY_PATH=str(libraries))
    source = next(prefix.glob("share/doc/**/examples"))
    compiler = " ".join([CC, *FLAGS])
    command = f"{compiler} {source}/energy.c $(pkg-config --cflags --libs shoal) -o shared_energy"
    run("sh", "-c", command, env=env, cwd=place)
    check_energies(run(place / "shared_energy", source / "demo.sdf", env=run_env), "energy with pkg-config")
    check(linked_with_shared(place / "shared_energy"), "pkg-config links the shared library")
    # Without the shared library beside it, -lshoal is the static one.
    alone = place / "alone"
    alone.mkdir()
    shutil.copy(libraries / "libshoal.a", alone)
    command = (f"{compiler} {source}/energy.c $(pkg-config --cflags shoal) -L{alone}"
               " $(pkg-config --static --libs-only-l shoal) -o static_energy")
    run("sh", "-c", command, env=env, cwd=place)
    output = run(place / "static_energy", source / "demo.sdf", env=env)
    check_energies(output, "energy with pkg-config --static")
    check(not linked_with_shared(place / "static_energy"), "pkg-config --static links the static library")
    version = run("pkg-config", "--modversion", "shoal", env=env)
    check(version and f'"{version.strip()}"' in (prefix / "include/shoal/version.h").read_text(), "version")


def test_cpp(prefix, place):
    env, libraries = environment(prefix)
    (place / "user.cpp").write_text(CPP)
    (place / "clash.c").write_text(CLASH)
    run(CC, *FLAGS, "-I", prefix / "include", "-c", "clash.c", "-o", "clash.o", cwd=place)
    shared = [f"-L{libraries}", "-lshoal"]
    listed = run("pkg-config", "--static", "--libs-only-l", "shoal", env=env) or "-lshoal"
    static = [libraries / "libshoal.a", *listed.replace("-lshoal", "").split()]
    for name, link in (("cpp_shared", shared), ("cpp_static", static)):
        flags = [*CPP_FLAGS, *FLAGS, "-I", prefix / "include"]
        run(CXX, *flags, "user.cpp", "clash.o", *link, "-o", name, cwd=place)
        output = run(place / name, env=dict(env, LD_LIBRARY_PATH=str(libraries)))
        check(output == "Ar 1\n", f"{name}: {output}")


def test_cpp_project(prefix, place):
    """A project without C asks for one component."""
    source = place / "cpp_project"
    source.mkdir()
    (source / "CMakeLists.txt").write_text(CPP_PROJECT)
    (source / "user.cpp").write_text(CPP)
    env, _ = environment(prefix)
    options = [f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={CXX}",
               f"-DCMAKE_CXX_FLAGS={' '.join(FLAGS)}"]
    if run("cmake", "-S", source, "-B", source / "b", *options, env=env) is not None:
        run("cmake", "--build", source / "b", env=env)
        output = run(source / "b/user", env=env)
        check(output == "Ar 1\n", f"C++ project: {output}")


def test_tutorial(prefix, place):
    """The programs of docs/tutorials/c-program.md: compiled and run by the lines below each, they print what is shown."""
    page = "docs/tutorials/c-program.md"
    env, libraries = environment(prefix)
    folder = place / "tutorial"
    folder.mkdir()
    shutil.copyfile(TOP / "examples/demo.sdf", folder / "demo.sdf")
    programs, lines, shown = (blocks(language, page) for language in ("c", "sh", "text"))
    check(len(programs) == len(lines) == len(shown) == 2, f"{page}: {len(programs)} programs")
    for program, block, text in zip(programs, lines, shown):
        compiled, started = block.strip().splitlines()
        (folder / compiled.split()[1]).write_text(program)
        run("sh", "-c", compiled.replace("cc ", f"{' '.join([CC, *FLAGS])} ", 1), env=env, cwd=folder)
        output = run("sh", "-c", started, env=dict(env, LD_LIBRARY_PATH=str(libraries)), cwd=folder)
        check(output == text, f"{page}: {started}: {output}, expected {text}")


def test_document(prefix, place):
    """The program, project and command of docs/library.md, as they are printed."""
    env, libraries = environment(prefix)
    butane = TOP / "examples/butane.sdf"
    (place / "doc").mkdir()
    (place / "doc/relax_file.c").write_text(blocks("c")[0])
    (place / "doc/CMakeLists.txt").write_text(blocks("cmake")[0])
    shown = blocks("text")[-1]
    build_with_cmake(prefix, place / "doc", place / "doc/build", "", env)
    output = run(place / "doc/build/relax_file", butane, env=env)
    check(output == shown, f"docs/library.md by CMake: {output}, expected {shown}")
    command = blocks("sh")[0].strip().replace("cc ", f"{' '.join([CC, *FLAGS])} ", 1)
    run("sh", "-c", command, env=env, cwd=place / "doc")
    output = run(place / "doc/relax_file", butane, env=dict(env, LD_LIBRARY_PATH=str(libraries)))
    check(output == shown, f"docs/library.md by pkg-config: {output}, expected {shown}")


def names_of(library, dynamic):
    flags = ["-D"] if dynamic else []
    lines = (run("nm", *flags, "--defined-only", "--extern-only", library) or "").splitlines()
    names = {line.split()[2] for line in lines if len(line.split()) == 3}
    # Locks of OpenMP's named sections are shared by all of a program; sanitizers add marks.
    return {n for n in names if not n.startswith((".gomp_critical_user_shoal_", "__odr_asan"))}


def test_names(prefix):
    """Both libraries have the functions of the headers, all of them and nothing else."""
    _, libraries = environment(prefix)
    declared = {f.name for f in public_functions.declared(TOP)}
    check(len(declared) > 100, "functions are declared")
    for name, dynamic in (("libshoal.so", True), ("libshoal.a", False)):
        names = names_of(libraries / name, dynamic)
        check(names >= declared, f"{name} lacks {sorted(declared - names)}")
        check(names <= declared, f"{name} also has {sorted(names - declared)}")


def test_program(prefix):
    env, libraries = environment(prefix)
    output = run(prefix / "bin/shoal", "--version", env=env)
    check(output and "shoal" in output, f"the installed program: {output}")
    header = run("readelf", "-d", libraries / "libshoal.so") or ""
    check(re.search(r"SONAME.*\[libshoal\.so\.\d+(\.\d+)?\]", header), "SONAME has a version")


def test_manual(prefix):
    """A page for the program and for every command, and completion where shells look for it."""
    text = run(prefix / "bin/shoal", "--help") or ""
    commands = re.findall(r"^  (\w+)", text.split("commands:\n")[-1].split("\n\n")[0], re.MULTILINE)
    pages = {"shoal.1"} | {f"shoal-{c}.1" for c in commands}
    there = {p.name for p in (prefix / "share/man/man1").glob("*")}
    check(len(commands) > 10 and there == pages, f"pages of the manual: {sorted(there ^ pages)}")
    for shell, path in (("bash", "bash-completion/completions/shoal"), ("zsh", "zsh/site-functions/_shoal"),
                        ("fish", "fish/vendor_completions.d/shoal.fish")):
        file = prefix / "share" / path
        good = file.exists() and file.read_text() == run(prefix / "bin/shoal", "completion", shell)
        check(good, f"completion of {shell} is installed as {path}")


def missing():
    return [name for name in ("cmake", "pkg-config", "nm", "readelf", CC, CXX) if not shutil.which(name)]


def main():
    if missing():
        print(f"skipped: not installed: {', '.join(missing())} (./dev setup --test)")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as directory:
        place = pathlib.Path(directory)
        prefix = installed(place)
        test_program(prefix)
        test_manual(prefix)
        test_names(prefix)
        test_cmake(prefix, place)
        test_cmake_refuses(prefix, place)
        test_pkg_config(prefix, place)
        test_cpp(prefix, place)
        test_cpp_project(prefix, place)
        test_document(prefix, place)
        test_tutorial(prefix, place)
    finish()


if __name__ == "__main__":
    main()
