#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Kernels compile offline: every .cl as OpenCL C 1.2 in each variant, every shared header as C17.

Without clang the check is left out, with a word."""
import concurrent.futures
import itertools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
KERNELS = ROOT / "kernels"
SHARED = ("bonded_terms.h", "term_kinds.h", "uff_terms.h", "uff_forms.h", "uff_centre.h", "range_terms.h", "pair_terms.h",
          "ewald_terms.h", "restraint_terms.h", "fit_terms.h", "grid_terms.h", "surface_terms.h", "special_terms.h", "layout.h")
OPENCL = ("-x", "cl", "-cl-std=CL1.2", "-target", "spir64", "-Xclang", "-finclude-default-header")
FLAGS = ("-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-Wno-unused-parameter",
         "-fsyntax-only")


def compile_with(options, path):
    done = subprocess.run(["clang", *options, *FLAGS, f"-I{KERNELS}", str(path)],
                          capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    return f"{path.name} {' '.join(options)}:\n{done.stderr.strip()}"


def device_variants():
    """Options and file of every kernel in each of its variants."""
    options = ("-DSHOAL_ARITHMETIC", "-DSHOAL_DAMPED", "-DSHOAL_DOUBLE")
    small = [("-DWG=32",), ("-DWG=32", "-DSHOAL_PLAIN_TERMS"),
             ("-DWG=32", "-DSHOAL_PLAIN_TERMS", "-DSHOAL_CHARGES", "-DSHOAL_DOUBLE"),
             ("-DWG=32", "-DSHOAL_CHARGES", "-DSHOAL_SURFACE"),
             ("-DWG=32", "-DSHOAL_DIRECT", "-DNEAR_KIND=1"),
             ("-DWG=32", "-DSHOAL_DIRECT", "-DSHOAL_DIRECT_LJ", "-DSHOAL_DIRECT_CHARGES",
              "-DSHOAL_DOUBLE")]
    small += [(f"-DWG={size}", choice, *options) for size, choice in
              itertools.product((64, 128), ("-DSHOAL_CHARGES", "-DSHOAL_SURFACE"))]
    large = [(), options, ("-DSHOAL_SURFACE", "-DSHOAL_CHARGES"),
             ("-DSHOAL_DIRECT", "-DSHOAL_DIRECT_CHARGES", "-DSHOAL_DOUBLE")]
    return [((*OPENCL, *variant), path) for path in sorted(KERNELS.glob("*.cl"))
            for variant in (large if path.name.startswith("large_") else small)]


def host_variants(directory):
    """The same of every shared header, included by a source of its own."""
    for name, real in itertools.product(SHARED, ("float", "double")):
        source = pathlib.Path(directory) / f"{name}.{real}.c"
        source.write_text(f"#define SHOAL_REAL {real}\n"
                          f"typedef {real} grid_vector "
                          f"__attribute__((vector_size(4 * sizeof({real}))));\n"
                          f"#include \"{name}\"\nint unused;\n")
        yield ("-std=c17", "-Wconversion"), source


def main():
    if not shutil.which("clang"):
        print("lint_kernels: left out: no clang")
        return 0
    with tempfile.TemporaryDirectory() as directory, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        variants = [*device_variants(), *host_variants(directory)]
        bad = [text for text in pool.map(lambda v: compile_with(*v), variants) if text]
    print(*bad, sep="\n", end="\n" if bad else "")
    print(f"lint_kernels: {f'{len(bad)} finding(s)' if bad else 'ok'}")
    return len(bad) > 0


sys.exit(main())
