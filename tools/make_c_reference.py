#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Pages about the C interface, made of the comments in include/shoal.
"""A reader of Shoal's own headers: a comment right above a declaration, or behind it on its line, belongs to it; one
that stands alone is a paragraph."""

import argparse
import dataclasses
import pathlib
import re

TOP = pathlib.Path(__file__).resolve().parents[1]
TOKEN = re.compile(r"/\*.*?\*/", re.DOTALL)
NAME = re.compile(r"\b(?:shoal|SHOAL)_\w+")
SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#$])")
SKIPPED = re.compile(r"^(#|extern \"C\"|\})")

# Headers by what they are about; one that is missing here stands under the last.
SUBJECTS = {
    "Molecules and files": ("molecule", "selection", "io", "text"),
    "Force fields": ("topology", "topology_builder", "ff_table", "pair_model", "atom_types", "like"),
    "Surfaces": ("surface", "grid", "placement"),
    "Computing": ("engine", "restraint", "device", "live", "md", "modes", "elastic"),
    "Runs from file to file": ("stream", "run", "row", "results", "table", "json", "merge", "planner", "scan", "search"),
    "Fits": ("dataset", "fit", "fit_data", "fit_errors", "fit_json"),
    "Checks": ("check", "compare", "explain", "certificate", "doctor", "bench"),
    "Everything else": ("shoal", "status", "units", "version"),
}


@dataclasses.dataclass
class Item:
    """A declaration with its comment; alike: further ones that stand below it without comments."""

    kind: str  # function, struct, enum, type, macro, text
    name: str
    code: str
    comment: str
    members: list = dataclasses.field(default_factory=list)
    alike: list = dataclasses.field(default_factory=list)


def words_of(comment):
    """The text of a comment without its stars; an empty line begins a paragraph."""
    inner = comment.strip()[2:-2]
    lines = [re.sub(r"^\s*\*?\s?", "", line).rstrip() for line in inner.split("\n")]
    paragraphs = re.split(r"\n\s*\n", "\n".join(lines))
    return "\n\n".join(" ".join(p.split()) for p in paragraphs if p.strip())


def end_of_declaration(text, start):
    """Where the ';' is that ends what begins at start, comments and braces skipped."""
    depth, i = 0, start
    while i < len(text):
        comment = TOKEN.match(text, i)
        if comment:
            i = comment.end()
            continue
        depth += (text[i] in "({[") - (text[i] in ")}]")
        if text[i] == ";" and depth == 0:
            return i + 1
        i += 1
    raise SystemExit(f"make_c_reference: no end of '{text[start:start + 60]}'")


def trailing_comment(text, end):
    """A comment on the line where a declaration ends, and where that comment ends."""
    match = re.compile(r"[ \t,]*(/\*.*?\*/)[ \t]*(?=\n|$)", re.DOTALL).match(text, end)
    return (words_of(match.group(1)), match.end()) if match else ("", end)


def split_members(body, separator):
    """(code, comment) of the members of a struct (';') or an enum (',')."""
    members, i, above = [], 0, ""
    while i < len(body):
        blank = re.compile(r"[\s]+").match(body, i)
        if blank:
            i = blank.end()
            continue
        comment = TOKEN.match(body, i)
        if comment:
            above, i = words_of(comment.group()), comment.end()
            continue
        start, depth, inner = i, 0, ""
        while i < len(body) and not (body[i] == separator and depth == 0):
            comment = TOKEN.match(body, i)
            if comment:
                inner, i = words_of(comment.group()), comment.end()
                continue
            depth += (body[i] in "({[") - (body[i] in ")}]")
            i += 1
        code = " ".join(TOKEN.sub(" ", body[start:i]).split())
        behind, i = trailing_comment(body, min(i + 1, len(body)))
        text = " ".join(part for part in (above, behind, inner) if part)
        if code:
            members.append((code, text))
        above = ""
    return members


def item_of(code, comment):
    """What one declaration is."""
    plain = " ".join(TOKEN.sub(" ", code).split())
    body = re.search(r"\{(.*)\}", code, re.DOTALL)
    if re.match(r"(typedef )?enum\b", plain):
        name = re.search(r"\}\s*(\w*)\s*;", plain).group(1) or re.search(r"\{\s*(\w+)", plain).group(1)
        return Item("enum", name, plain, comment, split_members(body.group(1), ","))
    if re.match(r"(typedef )?(struct|union)\b", plain) and body:
        name = re.search(r"(?:struct|union) (\w+)", plain).group(1)
        return Item("struct", name, plain, comment, split_members(body.group(1), ";"))
    if plain.startswith("typedef"):
        match = re.search(r"typedef [\w *]+?\(?\*?(\w+)\)?\s*\(", plain) or re.search(r"(\w+)\s*;", plain)
        return Item("type", match.group(1), plain, comment)
    match = re.search(r"\b(shoal_\w+)\s*\(", plain)
    if not match:
        raise SystemExit(f"make_c_reference: cannot read '{plain}'")
    return Item("function", match.group(1), plain.replace("SHOAL_API ", ""), comment)


def macro_of(line, comment):
    line = " ".join(line.replace("\\\n", " ").split())
    match = re.match(r"# ?define (SHOAL_\w+)(.*)", line)
    guard = match and (match.group(1).endswith("_H") or match.group(1) == "SHOAL_API")
    return Item("macro", match.group(1), line.strip(), comment) if match and not guard else None


def items_of(text):
    """The items of a header in their order; the first is the comment that opens the file."""
    opening = TOKEN.match(text)
    items, i, pending = [Item("text", "", "", words_of(opening.group()))], opening.end(), None
    while i < len(text):
        blank = re.compile(r"\s+").match(text, i)
        if blank:
            if pending is not None and blank.group().count("\n") > 1:
                items.append(Item("text", "", "", pending))
                pending = None
            touching = blank.group().count("\n") <= 1
            i = blank.end()
            continue
        comment = TOKEN.match(text, i)
        if comment:
            pending, i = words_of(comment.group()), comment.end()
            continue
        line = re.compile(r"(?:[^\n]*\\\n)*[^\n]*").match(text, i).group()
        if SKIPPED.match(line):
            item = macro_of(line, pending or "")
            if item:
                items.append(item)
            i, pending = i + len(line), None
            continue
        end = end_of_declaration(text, i)
        behind, after = trailing_comment(text, end)
        item = item_of(text[i:end], " ".join(part for part in (pending, behind) if part))
        last = items[-1] if items else None
        if not item.comment and item.kind in ("function", "type") and last and touching and last.kind == item.kind:
            last.alike.append(item)
        else:
            items.append(item)
        i, pending = after, None
    return items


def headers(top):
    """{name of a header: its items}, shoal.h first."""
    paths = sorted((top / "include" / "shoal").glob("*.h"), key=lambda p: (p.name != "shoal.h", p.name))
    return {path.name: items_of(path.read_text(encoding="utf-8")) for path in paths}


def since_table(top):
    """{name: version} of data/since.tsv; empty where there is none."""
    path = top / "data" / "since.tsv"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return dict(line.split("\t") for line in lines if line and not line.startswith("#"))


def each(items):
    for item in items:
        yield item
        yield from item.alike


def index_of(pages):
    """{name: page#anchor} of all that is declared, members of enums included."""
    places = {}
    for header, items in pages.items():
        page = f"{pathlib.Path(header).stem}.md"
        for item in items:
            for one in each([item]):
                if one.name:
                    places.setdefault(one.name, f"{page}#{item.name.lower()}")
            if item.kind == "enum":
                for code, _ in item.members:
                    places[re.match(r"\w+", code).group()] = f"{page}#{item.name.lower()}"
    return places


def marked(text, places):
    """Markdown of a comment: names of the interface are links, everything else is plain."""
    parts, end = [], 0
    for match in NAME.finditer(text):
        parts.append(SPECIAL.sub(r"\\\1", text[end : match.start()]))
        name = match.group()
        parts.append(f"[`{name}`]({places[name]})" if name in places else f"`{name}`")
        end = match.end()
    return "".join(parts) + SPECIAL.sub(r"\\\1", text[end:])


def wrapped(code):
    """A declaration over several lines where it is long: one parameter each."""
    if len(code) <= 88 or "(" not in code:
        return code
    start = code.index("(", code.index("shoal_") if "shoal_" in code else 0)
    depth, lines, line = 0, [code[: start + 1]], ""
    for c in code[start + 1 :]:
        depth += (c in "([") - (c in ")]")
        line += c
        if c == "," and depth == 0:
            lines.append("    " + line.strip())
            line = ""
    return "\n".join([*lines, "    " + line.strip()])


def since_of(item, since):
    """Since which versions the names of an item stand."""
    versions = {}
    members = [re.match(r"\w+", code).group() for code, _ in item.members] if item.kind == "enum" else []
    for name in [one.name for one in each([item])] + members:
        versions.setdefault(since.get(name, "?"), []).append(name)
    if len(versions) == 1:
        return f"*Since {next(iter(versions))}.*"
    return " ".join(f"*Since {version}: {', '.join(names)}.*" for version, names in versions.items())


def item_lines(item, places, since):
    section = re.fullmatch(r"-+ (.*?) -+", item.comment)
    if section:
        return [f"**{section.group(1).capitalize()}**", ""]
    if item.kind == "text":
        return [marked(item.comment, places), ""]
    lines = [f"## {item.name}", ""]
    if item.members:
        what = "enum" if item.kind == "enum" else "struct"
        lines += [f"*{what}*", ""]
    else:
        lines += ["```c", *[wrapped(one.code) for one in each([item])], "```", ""]
    if item.comment:
        lines += [marked(item.comment, places), ""]
    if item.members:
        lines += ["| member | meaning |", "| --- | --- |"]
        for code, comment in item.members:
            code = code.replace("|", "\\|")
            lines.append(f"| `{code}` | {marked(comment, places).replace(chr(10), ' ')} |")
        lines.append("")
    return [*lines, since_of(item, since), ""]


def opening_of(items):
    return re.sub(r"^SPDX-License-Identifier: \S+\s*", "", items[0].comment)


def page_of(header, items, places, since):
    lines = [f"# shoal/{header}", "", marked(opening_of(items), places), ""]
    for item in items[1:]:
        lines += item_lines(item, places, since)
    return "\n".join(lines)


def summary(items):
    return re.split(r"(?<=[a-z\)])[.] ", opening_of(items).split("\n\n")[0])[0].rstrip(".") + "."


def by_subject(pages):
    """(subject, its headers), none left out."""
    told = {f"{name}.h" for names in SUBJECTS.values() for name in names}
    last = list(SUBJECTS)[-1]
    for subject, names in SUBJECTS.items():
        headers_of = [f"{name}.h" for name in names if f"{name}.h" in pages]
        yield subject, headers_of + [h for h in pages if h not in told and subject == last]


def names_of(header, items):
    """Links to what a header declares."""
    stem = pathlib.Path(header).stem
    found = sorted({one.name: item.name.lower() for item in items for one in each([item]) if one.name}.items())
    return " · ".join(f"[`{name}`]({stem}.md#{anchor})" for name, anchor in found)


def index_page(pages, places):
    lines = ["# C interface", "", "By subject, one page per header, made of the comments in it. "
             "[The library](../../library.md) says how to build on it, and who owns what; [a program of your own](../../tutorials/c-program.md) begins with "
             "a file.", ""]
    for subject, found in by_subject(pages):
        lines += [f"## {subject}", "", "| header | what |", "| --- | --- |"]
        for header in found:
            lines.append(f"| [shoal/{header}]({pathlib.Path(header).stem}.md) | {marked(summary(pages[header]), places)} |")
        lines.append("")
        for header in found:
            if names_of(header, pages[header]):
                lines += [f"**{pathlib.Path(header).stem}**: {names_of(header, pages[header])}", ""]
    lines += ["```{toctree}", ":hidden:", "", *[pathlib.Path(h).stem for _, found in by_subject(pages) for h in found], "```", ""]
    return "\n".join(lines)


def write(top, place):
    """Writes all pages into the folder `place`."""
    pages = headers(top)
    places, since = index_of(pages), since_table(top)
    place.mkdir(parents=True, exist_ok=True)
    for header, items in pages.items():
        page = page_of(header, items, places, since)
        (place / f"{pathlib.Path(header).stem}.md").write_text(page, encoding="utf-8")
    (place / "index.md").write_text(index_page(pages, places), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("build/docs-src/reference/c"))
    args = parser.parse_args()
    write(TOP, args.output)


if __name__ == "__main__":
    main()
