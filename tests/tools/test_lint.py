# SPDX-License-Identifier: BSD-3-Clause
# The lint scripts find what they are there to find, and nothing in a clean tree.
import pathlib
import subprocess
import sys
import tempfile

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
SPDX = "/* SPDX-License-Identifier: BSD-3-Clause\n * Text. */\n"
PYTHON = "# SPDX-License-Identifier: BSD-3-Clause\n"
WORK_LEFT = "T" + "ODO"

# Headers of a tree for lint_python, which makes _abi.py of them.
ABI_HEADER = SPDX + """#define SHOAL_API
typedef enum shoal_status { SHOAL_OK = 0, } shoal_status;
typedef struct shoal_options { double fmax; } shoal_options;
SHOAL_API shoal_status shoal_run(const shoal_options *options, double x);
SHOAL_API const char *shoal_text(void);
"""
BATCH = "python/shoal/batch.py"

# script, path of the file, its text, words the finding must hold (None: no finding)
CASES = (
    ("lint_includes", "src/chem/a.c", SPDX + '#include "base/error.h"\n', None),
    ("lint_includes", "src/chem/a.c", SPDX + '#include "chem/b.h"\n', None),
    ("lint_includes", "src/chem/a.c", SPDX + '#include "ff/table.h"\n', "must not include"),
    ("lint_includes", "src/io/a.c", SPDX + '#include "ff/table.h"\n', "must not include"),
    ("lint_includes", "src/io/a.c", SPDX + '#include "shoal/engine.h"\n', "must not include"),
    ("lint_includes", "src/base/a.c", SPDX + '#include "shoal/molecule.h"\n', "must not include"),
    ("lint_includes", "src/batch/a.c", SPDX + '#include "backend/backend.h"\n', "must not include"),
    ("lint_includes", "src/engine/a.c", SPDX + '#include "stream/stream.h"\n', "must not include"),
    ("lint_includes", "src/other/a.c", SPDX + '#include "base/error.h"\n', "no module"),
    ("lint_includes", "src/backend/ref/a.c", SPDX + '#include "kernels/t.h"\n', "ref backend"),
    ("lint_includes", "src/jobs/a.c", SPDX + '#include "base/hdf5_library.h"\n', "outside #ifdef SHOAL_HAVE_HDF5"),
    ("lint_includes", "src/jobs/a.c", SPDX + '#ifdef SHOAL_HAVE_HDF5\n#include "base/hdf5_library.h"\n#endif\n', None),
    ("lint_includes", "src/jobs/a.c", SPDX + '#ifdef SHOAL_HAVE_HDF5\n#else\n#include "base/hdf5_library.h"\n#endif\n', "outside"),
    ("lint_includes", "cli/a.c", SPDX + '#include "shoal/shoal.h"\n', None),
    ("lint_includes", "cli/a.c", SPDX + '#include "base/error.h"\n', "include/shoal only"),
    ("lint_includes", "include/shoal/a.h", SPDX + '#include "base/a.h"\n', "public header"),
    ("lint_files", "src/chem/ring.c", SPDX, None),
    ("lint_files", "src/chem/ring.c", "int x;\n", "licence"),
    ("lint_files", "src/chem/utils.c", SPDX, "names no noun"),
    ("lint_files", "src/misc/ring.c", SPDX, "names no noun"),
    ("lint_files", "src/chem/long.c", SPDX + "\n" * 999, "at most 1000"),
    ("lint_files", "python/shoal/_abi.py", PYTHON + "# Made by tools/x.py\n" + "\n" * 999, None),
    ("lint_files", "python/shoal/batch.py", PYTHON + "\n" * 1000, "at most 1000"),
    ("lint_files", "tests/cases/broken.txt", "x \n", None),
    ("lint_files", "python/shoal/assets/viewer.py", "x = 1 \n", None),
    ("lint_files", "kernels/long.cl", SPDX + "\n" * 399, "at most 400"),
    ("lint_files", "src/a.c", SPDX + f"/* {WORK_LEFT}: later */\n", "issue number"),
    ("lint_files", "src/a.c", SPDX + f"/* {WORK_LEFT}(#7): later */\n", None),
    ("lint_files", "docs/a.md", "see /" + "srv/data/x\n", "path of one machine"),
    ("lint_files", "docs/a.md", "see /usr/include and eV/angstrom/x\n", None),
    ("lint_notebooks", "docs/tutorials/a.md", "# A\n\nText.\n", None),
    ("lint_notebooks", "docs/tutorials/a.md", "# A\n\n```python\nprint(1)\n```\n", "a.ipynb: is not what"),
    ("lint_notebooks", "docs/notebooks/a.ipynb", "{}\n", "a.ipynb: is not what"),
    ("lint_files", "docs/a.md", "[b](b.md)\n", "no such file"),
    ("lint_files", "docs/a.md", "[a](a.md#part), [x](https://example.org/)\n", None),
    ("lint_files", "docs/a.md", "text \n", "trailing"),
    ("lint_headers", "include/shoal/a.h", SPDX + "#include <stdint.h>\nint32_t f(int x);\n", None),
    ("lint_headers", "include/shoal/a.h", SPDX + "#define A 1\n", None),
    ("lint_headers", "include/shoal/a.h", SPDX + "int32_t f(int x);\n", "a.h as c17"),
    ("lint_headers", "include/shoal/a.h", SPDX + "int f(int new);\n", "a.h as c++17"),
)

# The files that state the version; lint_version finds each of them out of step.
VERSION = {
    "CMakeLists.txt": "project(shoal VERSION 1.2.3 LANGUAGES C)\n",
    "CITATION.cff": "title: Shoal\nversion: 1.2.3\n",
    "packaging/conda/recipe.yaml": 'context:\n  version: "1.2.3"\n',
    "packaging/spack/package.py": 'version("1.2.3", sha256="0")\n',
    "packaging/debian/control": "Package: libshoal1\n",
    "packaging/debian/libshoal1.install": "usr/lib\n",
    "docs/citing.md": "version = {1.2.3},\n",
    "include/shoal/version.h": '#define SHOAL_VERSION "1.2.3"\n#define SHOAL_VERSION_MAJOR 1\n'
    "#define SHOAL_VERSION_MINOR 2\n#define SHOAL_VERSION_PATCH 3\n",
}
HEADER = "include/shoal/version.h"
# The table that belongs to these headers.
SINCE = "data/since.tsv"
STANDS = "# names\n" + "".join(f"{name}\t1.0\n" for name in (
    "SHOAL_OK", "SHOAL_VERSION", "SHOAL_VERSION_MAJOR", "SHOAL_VERSION_MINOR", "SHOAL_VERSION_PATCH",
    "shoal_options", "shoal_status", "shoal_text")) + "shoal_run\t1.2\n"
# How lint_abi has them, before and after the version is out.
ABI = "data/abi.tsv"
TEXT_ROW = "function\tshoal_text\tconst char *()\n"
RECORDED = ("# made\nversion\t1.2.3\topen\nenum\tshoal_status\tSHOAL_OK=0\n"
            "function\tshoal_run\tshoal_status(const shoal_options *, double)\n"
            + TEXT_ROW + "struct\tshoal_options\tdouble fmax\n")
OUT = RECORDED.replace("open", "released")
# The home of constants, beside which lint_constants finds others.
CONSTANTS = {"kernels/constants.h": SPDX + "#define KCAL_EV 0.0433641042418 /* eV */\n#define PI 3.14159265358979\n"}
CASES += (
    ("lint_constants", "src/ff/a.c", SPDX + "#define E (KCAL_EV * 0.5)\n/* 0.0433641 eV */\n", None),
    ("lint_constants", "src/ff/a.c", SPDX + "#define KCAL 0.0433641\n", "0.0433641 is KCAL_EV"),
    ("lint_constants", "src/ff/a.c", SPDX + "double x = 4.33641042e-2 * y;\n", "4.33641042e-2 is KCAL_EV"),
    ("lint_constants", "src/ff/a.c", SPDX + "double x = 0.043 * y, z = 0.04337;\n", None),
    ("lint_constants", "cli/a.c", SPDX + "double x = 23.0605478;\n", "is KCAL_EV"),
    ("lint_constants", "python/shoal/a.py", PYTHON + "PI = 3.14159  # radians\n", "is PI"),
    ("lint_constants", "python/shoal/a.py", PYTHON + "x = 1  # 3.14159\n", None),
    ("lint_constants", "tests/unit/a.c", SPDX + "#define PI 3.14159265358979\n", None),
    ("lint_constants", "src/ff/a.c", SPDX + "#define OTHER 0.57721566490153\n", None),
    ("lint_constants", "src/ff/a.c", SPDX + "float x = 3.14159265f * y;\n", "3.14159265f is PI"),
    ("lint_constants", "src/ff/a.c", SPDX + "long double x = 4.33641042e-2L;\n", "4.33641042e-2L is KCAL_EV"),
    ("lint_constants", "src/ff/b.c", SPDX + "#define SECOND 1.23984198433200e-4F\n", "defined in src/ff/a.h, too"),
    ("lint_constants", "src/ff/b.c", SPDX + "#define SECOND 1.23984198433200e-4 /* eV */\n", "defined in src/ff/a.h, too"),
    ("lint_texts", "src/ff/a.c", SPDX + '/* "--grid off" */\nf("expected no grid -- or one");\n', None),
    ("lint_texts", "src/ff/a.c", SPDX + 'f("a shorter --dt helps");\n', "names no option"),
    ("lint_texts", "src/ff/a.c", SPDX + 'f("\\"(--dt)");\n', "names no option"),
    ("lint_texts", "src/ff/a.c", SPDX + "if (c == '\"') f(\"--dt\");\n", "names no option"),
    ("lint_texts", "src/ff/a.c", SPDX + "if (c == '\"' && d--k) f('\"');\n", None),
    ("lint_texts", "src/ff/a.c", SPDX + 'f("/*");\nf("--dt"); /* it\'s */\n', "a.c:4: "),
    ("lint_texts", "cli/a.c", SPDX + 'f("--dt");\n', None),
    ("lint_python", BATCH, PYTHON + "check(lib.shoal_run(byref(o), 1.0))\n", None),
    ("lint_python", BATCH, PYTHON + "check(self.lib.shoal_run(o))\n", "takes 2 arguments, here are 1"),
    ("lint_python", BATCH, PYTHON + "check(lib.shoal_run(*all))\nlib.shoal_text()\n", None),
    ("lint_python", BATCH, PYTHON + "lib.shoal_run(byref(o), 1.0)\n", "status of shoal_run is dropped"),
    ("lint_python", BATCH, PYTHON + "check(lib.shoal_walk(o))\n", "declares no function shoal_walk"),
    ("lint_python", BATCH, PYTHON + "o = _abi.shoal_options(fmax=1)\n", None),
    ("lint_python", BATCH, PYTHON + "o = _abi.shoal_options(fmx=1)\n", "no field fmx"),
    ("lint_python", BATCH, PYTHON + "o = _abi.SHOAL_KO\n", "declares no SHOAL_KO"),
    ("lint_python", BATCH, PYTHON + "from ._abi import SHOAL_OK, SHOAL_KO\n", "declares no SHOAL_KO"),
    ("lint_python", BATCH, PYTHON + "#" * 101 + "\n", "101 columns"),
    ("lint_python", BATCH, PYTHON + "def f[T](x: T): pass\n", "not Python 3.10"),
    ("lint_python", "include/shoal/a.h", ABI_HEADER.replace("double x", "float x"), "no type for float"),
    ("lint_python", "python/shoal/_abi.py", PYTHON, "not what tools/make_python_abi.py makes"),
    ("lint_since", SINCE, STANDS, None),
    ("lint_since", SINCE, STANDS.replace("shoal_text\t1.0\n", ""), "shoal_text is not there"),
    ("lint_since", SINCE, STANDS.replace("SHOAL_OK\t1.0\n", ""), "SHOAL_OK is not there"),
    ("lint_since", SINCE, STANDS + "shoal_walk\t1.0\n", "shoal_walk is in no header"),
    ("lint_since", SINCE, STANDS.replace("shoal_run\t1.2", "shoal_run\t1.3"), "since 1.3, expected 1.2"),
    ("lint_since", SINCE, STANDS.replace("shoal_run\t1.2", "shoal_run\tearly"), "since early"),
    ("lint_version", HEADER, VERSION[HEADER], None),
    ("lint_version", HEADER, VERSION[HEADER].replace("MINOR 2", "MINOR 1"), "SHOAL_VERSION_MINOR is 1"),
    ("lint_version", HEADER, VERSION[HEADER].replace('"1.2.3"', '"1.2.4"'), "SHOAL_VERSION is"),
    ("lint_version", "CITATION.cff", "title: Shoal\nversion: 1.2.2\n", "CITATION.cff"),
    ("lint_version", "packaging/spack/package.py", 'version("1.2.2", sha256="0")\n', "packaging/spack"),
    ("lint_version", "packaging/debian/control", "Package: libshoal0.2\n", "no Package: libshoal1"),
    ("lint_version", "docs/citing.md", "version = {1.2.2},\n", "docs/citing.md"),
    ("lint_abi", ABI, RECORDED, None),
    ("lint_abi", ABI, RECORDED.replace("double fmax", "float fmax"), "struct shoal_options is not as it was (tools/lint_abi.py --update)"),
    ("lint_abi", ABI, RECORDED.replace("SHOAL_OK=0", "SHOAL_OK=1"), "enum shoal_status is not as it was"),
    ("lint_abi", ABI, RECORDED.replace("double)", "int32_t)"), "function shoal_run is not as it was"),
    ("lint_abi", ABI, RECORDED + "function\tshoal_walk\tvoid()\n", "function shoal_walk is gone"),
    ("lint_abi", ABI, OUT, None),
    ("lint_abi", ABI, OUT.replace("double fmax", "float fmax"), "1.2.3 is out: raise the version"),
    ("lint_abi", ABI, OUT.replace(TEXT_ROW, ""), "function shoal_text is new (1.2.3 is out"),
    ("lint_abi", ABI, OUT.replace("1.2.3", "1.1.0").replace(TEXT_ROW, ""), None),
    ("lint_abi", ABI, OUT.replace("1.2.3", "1.1.0").replace("double fmax", "float fmax"), "1.1.0 is out: raise the version"),
    ("lint_abi", ABI, OUT.replace("1.2.3", "0.9.0").replace("double fmax", "float fmax"), None),
    ("lint_abi", ABI, OUT.replace("1.2.3", "1.3.0"), "describes 1.3.0, the headers are 1.2.3"),
    ("lint_version", "CMakeLists.txt", "project(shoal VERSION 1.2.4)\n", "SHOAL_VERSION_PATCH is 3"),
)


def tree_of(script):
    """What a script wants to find beside the file that it is tried on."""
    if script == "lint_version":
        return VERSION
    if script in ("lint_since", "lint_abi"):
        return {HEADER: SPDX + VERSION[HEADER], "include/shoal/a.h": ABI_HEADER}
    if script == "lint_constants":
        return {**CONSTANTS, "src/ff/a.h": SPDX + "#define FIRST 1.239841984332e-4\n"}
    if script == "lint_python":
        with tempfile.TemporaryDirectory() as top:
            header = pathlib.Path(top, "include/shoal/a.h")
            header.parent.mkdir(parents=True)
            header.write_text(ABI_HEADER)
            command = [sys.executable, str(TOOLS / "make_python_abi.py"), top, "-"]
            made = subprocess.run(command, capture_output=True, text=True, check=True)
        return {"include/shoal/a.h": ABI_HEADER, "python/shoal/_abi.py": made.stdout}
    return {}


def run_case(script, path, text):
    files = {**tree_of(script), path: text}
    with tempfile.TemporaryDirectory() as top:
        for name, content in files.items():
            file = pathlib.Path(top, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        command = [sys.executable, str(TOOLS / f"{script}.py"), top]
        return subprocess.run(command, capture_output=True, text=True)


def updates_anywhere():
    """lint_since.py works on the tree that it is told or is in, not on the working folder."""
    with tempfile.TemporaryDirectory() as top, tempfile.TemporaryDirectory() as elsewhere:
        for name, content in {**tree_of("lint_since"), SINCE: STANDS.replace("shoal_text\t1.0\n", "")}.items():
            file = pathlib.Path(top, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        script = [sys.executable, str(TOOLS / "lint_since.py")]
        made = subprocess.run([*script, "--update", top], cwd=elsewhere)
        own = subprocess.run(script, cwd=elsewhere, stdout=subprocess.DEVNULL)
        return made.returncode == own.returncode == 0 and "shoal_text\t1.2\n" in pathlib.Path(top, SINCE).read_text()


def main():
    failed = 0
    if not updates_anywhere():
        failed += 1
        print("lint_since.py depends on the working folder")
    for script, path, text, words in CASES:
        run = run_case(script, path, text)
        if "c++17 skipped" in run.stdout and words and "c++17" in words:
            print(f"skipped: {run.stdout.splitlines()[0]}")
            continue
        good = run.returncode == (words is not None) and (words is None or words in run.stdout + run.stderr)
        if not good:
            failed += 1
            print(f"{script} on {path}: expected {words}, got {run.returncode}: {run.stdout}{run.stderr}")
    print(f"{len(CASES) + 1 - failed} passed, {failed} failed")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
