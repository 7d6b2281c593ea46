#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Texts of the library name no option of the program: callers in C and Python have none.
import re

import source_tree

# What is no string is matched, too, so that quotes in it begin none.
STRING = re.compile(r"""/\*.*?\*/|//[^\n]*|'(?:[^'\\\n]|\\.)+'|("(?:[^"\\\n]|\\.)*")""", re.DOTALL)
OPTION = re.compile(r"(?<![-\w])--[a-z]")


def check(top):
    for path in source_tree.files(top):
        if path.parts[0] != "src" or path.suffix not in (".c", ".h"):
            continue
        text = (top / path).read_text()
        for match in STRING.finditer(text):
            if match.group(1) and OPTION.search(match.group(1)):
                number = 1 + text.count("\n", 0, match.start())
                yield f"{path}:{number}: {match.group(1)}: the library names no option of the program"


if __name__ == "__main__":
    source_tree.report(list(check(source_tree.root())))
