# SPDX-License-Identifier: BSD-3-Clause
# The structs and numbers of _abi.py are those that a C compiler sees in the headers.
import ctypes
import pathlib
import shutil
import subprocess

import pytest

from shoal import _abi

INCLUDE = pathlib.Path(__file__).resolve().parents[2] / "include"
COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


def structs():
    found = (c for name, c in vars(_abi).items() if name.startswith("shoal_"))
    return [c for c in found if issubclass(c, ctypes.Structure)]


def numbers():
    return {n: v for n, v in vars(_abi).items() if n.startswith("SHOAL_") and isinstance(v, int)}


def program():
    """C that prints a line for every number, struct and field."""
    lines = ["#include <stdio.h>", "#include <stddef.h>", '#include "shoal/shoal.h"']
    lines += ["int main(void)", "{"]
    lines += [f'    printf("{n} %lld\\n", (long long){n});' for n in numbers()]
    for struct in structs():
        name = struct.__name__
        lines.append(f'    printf("{name} %zu\\n", sizeof({name}));')
        for field, *_ in struct._fields_:
            place = f"offsetof({name}, {field}), sizeof((({name} *)0)->{field})"
            lines.append(f'    printf("{name}.{field} %zu %zu\\n", {place});')
    return "\n".join([*lines, "    return 0;", "}", ""])


def seen_by_ctypes():
    """The same lines from _abi.py."""
    lines = [f"{name} {value}" for name, value in numbers().items()]
    for struct in structs():
        lines.append(f"{struct.__name__} {ctypes.sizeof(struct)}")
        for field, *_ in struct._fields_:
            place = getattr(struct, field)
            lines.append(f"{struct.__name__}.{field} {place.offset} {place.size}")
    return lines


@pytest.mark.skipif(not COMPILER, reason="no C compiler")
def test_structs_are_those_of_c(tmp_path):
    (tmp_path / "layout.c").write_text(program())
    command = [COMPILER, "-std=c17", "-I", str(INCLUDE), "layout.c", "-o", "layout"]
    subprocess.run(command, cwd=tmp_path, check=True)
    seen_by_c = subprocess.run([tmp_path / "layout"], check=True, capture_output=True, text=True)
    assert len(structs()) > 70 and len(numbers()) > 150
    assert seen_by_c.stdout.splitlines() == seen_by_ctypes()


def test_a_misspelt_field_is_an_error():
    with pytest.raises(AttributeError):
        _abi.shoal_relax_options().fmx = 0.01
