#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Every public header compiles alone, as C17 and as C++17, without warnings.
import shutil
import subprocess

import source_tree

LANGUAGES = (
    ("c17", "c", ("gcc", "cc", "clang")),
    ("c++17", "c++", ("g++", "clang++", "c++")),
)
FLAGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-fsyntax-only")


def check(compiler, language, standard, top, header):
    name = header.relative_to("include")
    command = [compiler, f"-std={standard}", *FLAGS, "-I", str(top / "include"), "-x", language, "-"]
    source = f'#include "{name}"\nextern int something;  // a header of macros alone is no unit\n'
    run = subprocess.run(command, input=source, capture_output=True, text=True)
    return f"{header} as {standard}:\n{run.stderr.rstrip()}" if run.returncode != 0 else None


def main():
    top = source_tree.root()
    headers = [p for p in source_tree.files(top) if p.parts[0] == "include" and p.suffix == ".h"]
    findings = []
    for standard, language, candidates in LANGUAGES:
        compiler = next((c for c in candidates if shutil.which(c)), None)
        if compiler is None:
            print(f"lint_headers: {standard} skipped: none of {', '.join(candidates)} is installed")
            continue
        findings += [check(compiler, language, standard, top, h) for h in headers]
    source_tree.report([f for f in findings if f])


if __name__ == "__main__":
    main()
