# SPDX-License-Identifier: BSD-3-Clause
# The structs, enums, function types and numbers that include/shoal declares.
"""A reader of Shoal's own headers, not of C, as public_functions.py is for the functions."""

import dataclasses
import re

import public_functions

NUMBER = re.compile(r"^#define (SHOAL_\w+)[ \t]+(.+)$", re.MULTILINE)
STRUCT = re.compile(r"\b(?:typedef )?struct (\w+) \{(.*?)\}\s*(\w*)\s*;", re.DOTALL)
ENUM = re.compile(r"\benum(?: (\w+))? \{(.*?)\}\s*\w*\s*;", re.DOTALL)
CALLBACK = re.compile(r"\btypedef ([\w ]+?) ?(\*?)(\w+)\(([^;]*)\);", re.DOTALL)


@dataclasses.dataclass
class Type:
    """What a name stands for: `base` behind `pointers` stars, in an array of `sizes`. A pointer to arrays, as
    double (*pos)[3], is a pointer to numbers with one star and without sizes; `call` is what a pointer to
    a function takes and gives."""

    base: str
    pointers: int = 0
    sizes: tuple = ()
    call: object = None
    const: bool = False


@dataclasses.dataclass
class Call:
    returns: Type
    parameters: list  # of (name, Type)


@dataclasses.dataclass
class Header:
    numbers: dict  # of macros: int or str
    enums: dict  # name (or the number of an unnamed one): {constant: value}
    structs: dict  # name: [(field, Type)], in an order in which each is known before it is held
    callbacks: dict  # name: Call


def split(text, separator):
    """Parts of text between separators that no bracket holds."""
    depth, start, parts = 0, 0, []
    for i, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if c == separator and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return parts + [text[start:]]


def read_declarator(base, const, text):
    """(name, Type) of what follows the words of a type: '*name', 'name[2][3]', '(*name)[3]', '(*name)(..)'."""
    match = re.fullmatch(r"((?:\*\s*(?:const\b\s*)?)*)\s*(.*)", text.strip(), re.DOTALL)
    stars, rest = match.group(1).count("*"), match.group(2)
    match = re.fullmatch(r"\(\s*\*\s*(?:const\s+)?(\w+)\s*\)\s*\((.*)\)", rest, re.DOTALL)
    if match:
        call = Call(Type(base, stars, const=const), read_parameters(match.group(2)))
        return match.group(1), Type("", call=call)
    match = re.fullmatch(r"\(\s*\*\s*(?:const\s+)?(\w+)\s*\)\s*(?:\[[^]]*\]\s*)+", rest)
    if match:
        return match.group(1), Type(base, stars + 1, const=const)
    match = re.fullmatch(r"(\w+)\s*((?:\[[^]]*\]\s*)*)", rest)
    if not match:
        raise SystemExit(f"public_types: cannot read '{' '.join(text.split())}'")
    sizes = tuple(s.strip() for s in re.findall(r"\[([^]]*)\]", match.group(2)))
    return match.group(1), Type(base, stars, sizes, const=const)


def read_declaration(text):
    """All (name, Type) of one declaration."""
    match = re.match(r"\s*(const\s+)?(?:struct\s+)?(\w+)\s*(const\b)?(.*)", text, re.DOTALL)
    if not match:
        raise SystemExit(f"public_types: cannot read '{' '.join(text.split())}'")
    const = bool(match.group(1) or match.group(3))
    return [read_declarator(match.group(2), const, part) for part in split(match.group(4), ",")]


def read_parameters(text):
    if text.strip() in ("", "void"):
        return []
    return [read_declaration(part)[0] for part in split(text, ",")]


def evaluate(text, known):
    """The value of an expression of integers, of constants and of macros known so far."""
    words = re.sub(r"\b[A-Z_]\w*\b", lambda m: str(known[m.group(0)]), text.strip())
    if not re.fullmatch(r"[\d\sx+*/()<|-]+", words):
        raise SystemExit(f"public_types: cannot evaluate '{text}'")
    return int(eval(words))  # numbers and operators only, as checked


def read_enum(body, known):
    values, following = {}, 0
    for part in body.split(","):
        name, _, value = (p.strip() for p in part.partition("="))
        if name:
            known[name] = values[name] = evaluate(value, known) if value else following
            following = values[name] + 1
    return values


def ordered(structs):
    """Structs that others hold come before those."""
    done = {}

    def put(name):
        for _, kind in structs[name]:
            if kind.base in structs and not kind.pointers and kind.base not in done:
                put(kind.base)
        done.setdefault(name, structs[name])

    for name in structs:
        put(name)
    return done


def include_order(top):
    """Headers, each behind those that it includes."""
    folder, done = top / "include" / "shoal", []

    def put(name):
        if name in done:
            return
        for other in re.findall(r'#include "shoal/(\w+\.h)"', (folder / name).read_text()):
            put(other)
        done.append(name)

    for path in sorted(folder.glob("*.h")):
        put(path.name)
    return [folder / name for name in done]


def declared(top):
    header, known, unnamed = Header({}, {}, {}, {}), {}, 0
    for path in include_order(top):
        text = public_functions.COMMENT.sub(" ", path.read_text()).replace("\\\n", " ")
        for name, value in NUMBER.findall(text):
            if value.startswith('"'):
                header.numbers[name] = value.strip().strip('"')
            elif re.match(r"[(\d-]", value):
                known[name] = header.numbers[name] = evaluate(value, known)
        for name, body in ENUM.findall(text):
            unnamed += not name
            header.enums[name or unnamed] = read_enum(body, known)
        for name, body, _ in STRUCT.findall(text):
            header.structs[name] = [f for part in split(body, ";") if part.strip() for f in read_declaration(part)]
        for returns, star, name, parameters in CALLBACK.findall(text):
            result = read_declaration(f"{returns} {star}x")[0][1]
            header.callbacks[name] = Call(result, read_parameters(parameters))
    header.structs = ordered(header.structs)
    return header
