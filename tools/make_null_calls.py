#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Writes a call of every public function for tests/unit/test_null_calls.c: make_null_calls.py TOP OUT
"""Pointers are NULL where a bit of the argument says so, otherwise they point to something valid:
given_TYPE() for types that only the library makes, given_TYPE for callbacks, given_path() for names of files,
zeroed memory for all else. A type that the test cannot give does not compile."""

import pathlib
import sys

import public_functions

PATHS = ("path", "prefix", "dofs")


class Writer:
    def __init__(self, top):
        self.opaque = public_functions.opaque(top)
        self.callbacks = public_functions.callbacks(top)

    def valid(self, p, slot):
        if not p.pointer:
            return "1.0" if p.words == ["double"] else "0"
        word = p.words[0]
        single = p.type.count("*") == 1 and "[" not in p.type
        if single and word in self.opaque:
            return f"given_{word}()"
        if single and word in self.callbacks:
            return f"given_{word}"
        if single and p.type.startswith("const char"):
            return "given_path()" if p.name in PATHS else f'given_text("{p.name}")'
        return f'given_memory("{word}", {slot})'

    def function(self, f):
        arguments, slot = [], 0
        for p in f.parameters:
            value = self.valid(p, slot)
            if p.pointer:
                value = f"(null & {1 << slot}u) ? NULL : {value}"
                slot += 1
            arguments.append(f"        {value}")
        call = f"{f.name}({'' if not arguments else chr(10)}{f',{chr(10)}'.join(arguments)})"
        if f.returns == "shoal_status":
            body = f"return {call};"
        elif f.returns == "const char *":
            body = f"use_text({call});\n    return SHOAL_OK;"
        else:
            body = f"(void){call};\n    return SHOAL_OK;"
        unused = "" if slot else "    (void)null;\n"
        return f"static shoal_status call_{f.name}(unsigned null)\n{{\n{unused}    {body}\n}}\n"


def row(f):
    names = [f'"{p.name}"' for p in f.parameters if p.pointer]
    status = "true" if f.returns == "shoal_status" else "false"
    return f'    {{"{f.name}", call_{f.name}, {status}, {len(names)}, {{{", ".join(names) or "NULL"}}}}},\n'


def main():
    top, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    functions = public_functions.declared(top)
    writer = Writer(top)
    text = "/* Made by tools/make_null_calls.py from include/shoal. */\n"
    text += "\n".join(writer.function(f) for f in functions)
    text += "\nstatic const null_call calls[] = {\n" + "".join(row(f) for f in functions) + "};\n"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text)


if __name__ == "__main__":
    main()
