#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Writes python/shoal/_abi.py from include/shoal: make_python_abi.py [TOP [OUT]]; '-' prints it.
"""What becomes of C in ctypes:

  struct                       Structure of the same name
  pointer to such a struct     POINTER(struct)
  pointer to an opaque struct  c_void_p; where the library sets it (shoal_x **), POINTER(c_void_p)
  pointer to numbers, arrays   c_void_p: an address, as numpy's array.ctypes.data, or byref(c_double())
  const char *                 c_char_p; followed by a size_t (bytes, not text) c_void_p
  const char *const *          POINTER(c_char_p)
  enum                         c_int
  function types               CFUNCTYPE of the same name, in structs STRUCT_FIELD; as a parameter c_void_p, which
                               takes such an object or None
"""

import pathlib
import sys

import public_functions
import public_types

PLAIN = {
    "bool": "c_bool",
    "char": "c_char",
    "double": "c_double",
    "int": "c_int",
    "int32_t": "c_int32",
    "int64_t": "c_int64",
    "size_t": "c_size_t",
    "uint32_t": "c_uint32",
    "uint64_t": "c_uint64",
}
USED = sorted({"CFUNCTYPE", "POINTER", "Structure", "c_char_p", "c_void_p", *PLAIN.values()})
WIDTH = 100


class Writer:
    def __init__(self, top):
        self.functions = public_functions.declared(top)
        self.header = public_types.declared(top)
        self.names = {f.name for f in self.functions}

    def plain(self, name):
        if name in self.header.structs:
            return name
        if name in self.header.enums:
            return "c_int"
        if name not in PLAIN:
            raise SystemExit(f"make_python_abi: no type for {name}")
        return PLAIN[name]

    def pointer(self, kind, is_bytes):
        """A pointer by its stars."""
        if kind.base in self.header.callbacks:
            return kind.base if kind.pointers == 1 else "c_void_p"
        if kind.base in self.header.structs:
            return "POINTER(" * kind.pointers + kind.base + ")" * kind.pointers
        if kind.base == "char" and kind.pointers == 1:
            return "c_void_p" if is_bytes else "c_char_p"
        if kind.base == "char" and kind.pointers == 2:
            return "POINTER(c_char_p)"
        return "POINTER(c_void_p)" if kind.pointers == 2 else "c_void_p"

    def argument(self, kind, is_bytes=False):
        """A parameter: arrays are pointers there, and callbacks may be NULL."""
        if kind.call or kind.base in self.header.callbacks:
            return "c_void_p"
        if kind.sizes or (kind.base == "char" and kind.pointers == 1 and not kind.const):
            return "c_void_p"
        if kind.pointers:
            return self.pointer(kind, is_bytes)
        return self.plain(kind.base)

    def result(self, kind):
        if kind.pointers:
            return self.pointer(kind, False)
        return "None" if kind.base == "void" else self.plain(kind.base)

    def arguments(self, parameters):
        following = [k for _, k in parameters[1:]] + [public_types.Type("")]
        return [self.argument(k, is_size(n)) for (_, k), n in zip(parameters, following)]

    def callback(self, call):
        return f"CFUNCTYPE({', '.join([self.result(call.returns), *self.arguments(call.parameters)])})"

    def field(self, struct, name, kind, is_bytes):
        if kind.call:
            return f"{struct}_{name}"
        if kind.pointers:
            return self.pointer(kind, is_bytes)
        text = self.plain(kind.base)
        for i, size in enumerate(reversed(kind.sizes)):
            count = " ".join(size.split())
            count = f"({count})" if " " in count else count
            text = f"({text}) * {count}" if i else f"{text} * {count}"
        return text

    def function(self, f):
        """(result, [arguments]) of a function."""
        if "(*)[" in f.returns:
            returns = "c_void_p"
        elif f.name.endswith("_data") and f.name[:-5] + "_size" in self.names:
            returns = "c_void_p"  # bytes
        else:
            returns = self.result(public_types.read_declaration(f"{f.returns} x")[0][1])
        return returns, self.arguments([parameter(p) for p in f.parameters])


def is_size(kind):
    return kind.base == "size_t" and not kind.pointers


def parameter(p):
    """What public_functions read, as public_types reads it."""
    if "(*)" in p.type:
        text = p.type.replace("(*)", f"(*{p.name})")
    elif "[" in p.type:
        text = p.type.replace("[", f" {p.name}[", 1)
    else:
        text = f"{p.type} {p.name}"
    return public_types.read_declaration(text)[0]


def listed(head, items, tail):
    """head, items and tail in one line, or in as many as they need."""
    line = head + ", ".join(items) + tail
    if len(line) <= WIDTH:
        return line + "\n"
    indent = " " * (len(head) - len(head.lstrip()))
    inner = "".join(f"{indent}    {item},\n" for item in items)
    return f"{head}\n{inner}{indent}{tail}\n"


def constants(header):
    text = "\n# Numbers.\n"
    for name, value in header.numbers.items():
        text += f"{name} = {value!r}\n".replace("'", '"')
    for name, values in header.enums.items():
        text += f"\n# {name if isinstance(name, str) else 'enum'}\n"
        text += "".join(f"{constant} = {value}\n" for constant, value in values.items())
    return text


def structs(writer):
    text = "\n# Structs; their fields come below, as they may point to each other.\n"
    for name in writer.header.structs:
        text += f"\n\nclass {name}(Structure):\n    __slots__ = ()\n"
    text += "\n\n# Types of functions.\n"
    for name, call in writer.header.callbacks.items():
        text += f"{name} = {writer.callback(call)}\n"
    for name, fields in writer.header.structs.items():
        for field, kind in fields:
            if kind.call:
                text += listed(f"{name}_{field} = CFUNCTYPE(", call_parts(writer, kind.call), ")")
    for name, fields in writer.header.structs.items():
        following = [k for _, k in fields[1:]] + [public_types.Type("")]
        text += f"\n{name}._fields_ = [\n"
        for (field, kind), n in zip(fields, following):
            text += f'    ("{field}", {writer.field(name, field, kind, is_size(n))}),\n'
        text += "]\n"
    return text


def call_parts(writer, call):
    return [writer.result(call.returns), *writer.arguments(call.parameters)]


def functions(writer):
    text = "\n# Result and arguments of every function.\nFUNCTIONS = {\n"
    for f in writer.functions:
        returns, arguments = writer.function(f)
        line = f'    "{f.name}": ({returns}, [{", ".join(arguments)}]),'
        if len(line) > WIDTH:
            line = f'    "{f.name}": (\n        {returns},\n{listed("        [", arguments, "],")}    ),'
        text += line + "\n"
    text += "}\n\n# Those whose result is a status.\nSTATUS_FUNCTIONS = frozenset(\n    {\n"
    text += "".join(f'        "{f.name}",\n' for f in writer.functions if f.returns == "shoal_status")
    return text + "    }\n)\n"


def text_of(top):
    writer = Writer(top)
    return (
        "# SPDX-License-Identifier: BSD-3-Clause\n"
        "# Made by tools/make_python_abi.py from include/shoal; do not edit.\n"
        '"""The C interface of Shoal in ctypes: numbers, structs and functions by their C names.\n\n'
        "tools/make_python_abi.py says what becomes of pointers; include/shoal explains all of it.\n"
        '"""\n\n'
        "from ctypes import (\n    "
        + ",\n    ".join(USED)
        + ",\n)\n"
        + constants(writer.header)
        + structs(writer)
        + functions(writer)
    )


def main():
    top = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
    out = sys.argv[2] if len(sys.argv) > 2 else top / "python" / "shoal" / "_abi.py"
    if out == "-":
        sys.stdout.write(text_of(top))
    else:
        pathlib.Path(out).write_text(text_of(top))


if __name__ == "__main__":
    main()
