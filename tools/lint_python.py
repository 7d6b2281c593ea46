#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The Python package against the headers: _abi.py, calls of C functions, lengths of lines.
"""Calls are found by their text: `lib.shoal_x(...)`, `_abi.shoal_x(...)` and `_abi.SHOAL_X`."""

import ast

import make_python_abi
import source_tree

ABI = "python/shoal/_abi.py"
WIDTH = 100
OLDEST = (3, 10)  # Python that must read all of it


class Interface:
    """What the headers declare, by name."""

    def __init__(self, top):
        writer = make_python_abi.Writer(top)
        header = writer.header
        self.text = make_python_abi.text_of(top)
        self.counts = {f.name: len(f.parameters) for f in writer.functions}
        self.statuses = {f.name for f in writer.functions if f.returns == "shoal_status"}
        self.fields = {name: [f for f, _ in fields] for name, fields in header.structs.items()}
        made = ast.parse(self.text).body
        self.names = {t.id for n in made if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}
        self.names |= set(self.fields)


def owner(node):
    """The word before the last dot: 'lib' of lib.shoal_x and of self.lib.shoal_x; '' of anything else."""
    value = node.value if isinstance(node, ast.Attribute) else None
    return getattr(value, "id", getattr(value, "attr", ""))


def check_call(interface, call):
    """What is wrong with a call of C, if it is one."""
    name, who = getattr(call.func, "attr", ""), owner(call.func)
    plain = not any(isinstance(a, ast.Starred) for a in call.args)
    if who == "lib" and name in interface.counts and plain:
        if call.keywords or len(call.args) != interface.counts[name]:
            yield f"{name} takes {interface.counts[name]} arguments, here are {len(call.args)}"
    if who == "_abi" and name in interface.fields:
        for keyword in call.keywords:
            if keyword.arg and keyword.arg not in interface.fields[name]:
                yield f"{name} has no field {keyword.arg}"


def check_names(interface, node):
    """Names of C that the headers do not have, and statuses that nobody looks at."""
    if isinstance(node, ast.Attribute):
        who = owner(node)
        if who == "lib" and node.attr.startswith("shoal_") and node.attr not in interface.counts:
            yield f"include/shoal declares no function {node.attr}"
        if who == "_abi" and node.attr.lower().startswith("shoal_") and node.attr not in interface.names:
            yield f"include/shoal declares no {node.attr}"
    if isinstance(node, ast.ImportFrom) and node.module in ("_abi", "shoal._abi"):
        for alias in node.names:
            if alias.name.lower().startswith("shoal_") and alias.name not in interface.names:
                yield f"include/shoal declares no {alias.name}"
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        name = getattr(node.value.func, "attr", "")
        if owner(node.value.func) == "lib" and name in interface.statuses:
            yield f"the status of {name} is dropped: check({name}(..))"
    if isinstance(node, ast.Call):
        yield from check_call(interface, node)


def check_file(interface, path, text):
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > WIDTH:
            yield f"{path}:{number}: {len(line)} columns, at most {WIDTH}"
    try:
        tree = ast.parse(text, feature_version=OLDEST)
    except SyntaxError as error:
        yield f"{path}:{error.lineno}: not Python {'.'.join(map(str, OLDEST))}: {error.msg}"
        return
    if path.parts[:2] != ("python", "shoal") or str(path) == ABI:
        return
    for node in ast.walk(tree):
        for finding in check_names(interface, node):
            yield f"{path}:{node.lineno}: {finding}"


def check(top):
    interface = Interface(top)
    abi = top / ABI
    if not abi.exists() or abi.read_text() != interface.text:
        yield f"{ABI}: not what tools/make_python_abi.py makes of the headers: run it"
    for path in source_tree.files(top):
        if path.parts[0] == "python" and path.suffix == ".py" and "assets" not in path.parts:
            yield from check_file(interface, path, (top / path).read_text(encoding="utf-8"))


if __name__ == "__main__":
    root = source_tree.root()
    source_tree.report(list(check(root)))
