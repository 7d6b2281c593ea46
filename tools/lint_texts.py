#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Texts of the library name no option of the program: callers in C and Python have none.
import re

import source_tree

STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
OPTION = re.compile(r"(?<![-\w])--[a-z]")


def check(top):
    for path in source_tree.files(top):
        if path.parts[0] != "src" or path.suffix not in (".c", ".h"):
            continue
        text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group(0).count("\n"), (top / path).read_text(), flags=re.DOTALL)
        for number, line in enumerate(text.splitlines(), 1):
            for match in STRING.finditer(line):
                if OPTION.search(match.group(0)):
                    yield f"{path}:{number}: {match.group(0)}: the library names no option of the program"


if __name__ == "__main__":
    source_tree.report(list(check(source_tree.root())))
