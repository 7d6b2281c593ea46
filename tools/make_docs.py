#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The documentation as a site: pages of docs/, the C interface from its headers, the Python package from its docstrings.
"""Pages are Markdown that a code host shows as well. They are copied to build/docs-src, where links out of docs/ are
turned to what the site has in their place, and lists of docs/index.md become its table of contents. Sphinx must be
installed (docs/requirements.txt). A warning is an error."""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

import make_c_reference

TOP = pathlib.Path(__file__).resolve().parents[1]
LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?(\))")
FENCE = re.compile(r"^(```|~~~)")
# Files of the tree that have another place on the site; search.html is Sphinx's own.
ELSEWHERE = {"README.md": "index.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md",
             "docs/search.md": "searches.md",
             "docs/decisions": "decisions/index.md", "include/shoal": "reference/c/index.md"}

# Modules of the package by what they are about; one that is missing here stands under the last.
SUBJECTS = {
    "Molecules": ("shoal", "molecule", "coordinate", "embedding", "ase", "rdkit", "openmm"),
    "Force fields": ("forcefield", "topology", "table", "pair_model"),
    "Surfaces": ("surface", "placement"),
    "Computing": ("batch", "restraint", "md", "modes", "scan", "search", "live", "calculator", "device", "engine", "settings", "options", "systems"),
    "Results": ("results", "run", "restart", "progress", "ragged", "report", "plot", "picture", "view", "lens", "chemiscope", "dask"),
    "Fits": ("dataset", "fit", "fit_results"),
    "Everything else": ("units",),
}


def page_for(path):
    """The page of the site for a file of the tree, or None; path is relative to the top."""
    name = path.as_posix()
    if name in ELSEWHERE:
        return ELSEWHERE[name]
    if name.startswith("docs/") and path.suffix == ".md":
        return name[len("docs/"):]
    if name.startswith("include/shoal/") and path.suffix == ".h":
        return f"reference/c/{path.stem}.md"
    return None


def relative(target, page):
    return os.path.relpath(target, pathlib.PurePosixPath(page).parent)


def turned(match, source, page, stage):
    """A link of the file `source`, for the page that it becomes."""
    target = match.group(2)
    if "://" in target or target.startswith("mailto:"):
        return match.group()
    path = pathlib.PurePosixPath(os.path.normpath(source.parent / target))
    place, anchor = page_for(path), match.group(3) or ""
    if place is None:
        if not (TOP / path).is_file():
            raise SystemExit(f"make_docs: {source}: no such file: {target}")
        place, anchor = f"files/{path}", ""
        (stage / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(TOP / path, stage / place)
    return f"{match.group(1)}{relative(place, page)}{anchor}{match.group(4)}"


def copy_page(source, page, stage):
    """Copies a Markdown file of the tree with its links turned, blocks of code left alone."""
    lines, code = [], False
    for line in (TOP / source).read_text(encoding="utf-8").splitlines():
        if FENCE.match(line.strip()):
            code = not code
            line = line.replace("```sh", "```console") if code else line
        if not code:
            line = LINK.sub(lambda match: turned(match, source, page, stage), line)
        lines.append(line)
    (stage / page).parent.mkdir(parents=True, exist_ok=True)
    (stage / page).write_text("\n".join(lines) + "\n", encoding="utf-8")


def toctree(entries, *options):
    return "\n".join(["", "```{toctree}", *options, "", *entries, "```", ""])


def add_contents(stage):
    """Every list of links below a heading of the index becomes a part of the table of contents."""
    index, listed = stage / "index.md", set()
    parts = re.split(r"^## ", index.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for k, part in enumerate(parts[1:], 1):
        pages = [m.group(2) for m in LINK.finditer(part) if m.group(2).endswith(".md")]
        caption = part.splitlines()[0]
        listed.update(pages)
        parts[k] = part + toctree(dict.fromkeys(pages), ":hidden:", f":caption: {caption}")
    rest = sorted(p.relative_to(stage).as_posix() for p in stage.rglob("*.md") if p != index)
    rest = [page for page in rest if page not in listed and not page.startswith(("decisions/", "reference/"))]
    if rest:
        parts.append("More\n" + toctree(rest, ":caption: More"))
    index.write_text("## ".join(parts), encoding="utf-8")


def title_of(page):
    return next(line[2:] for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("# "))


def write_decisions(stage):
    names = sorted(p.name for p in (stage / "decisions").glob("[0-9]*.md"))
    rows = [f"- [{title_of(stage / 'decisions' / name)}]({name})" for name in names if name != "0000-template.md"]
    text = ["# Decisions", "", "Choices that were hard, with their reasons and measurements.", "", *rows, "",
            toctree(names, ":hidden:")]
    (stage / "decisions" / "index.md").write_text("\n".join(text), encoding="utf-8")


def python_modules():
    """Public modules of the package, shoal itself first."""
    names = [p.stem for p in sorted((TOP / "python" / "shoal").glob("*.py")) if not p.stem.startswith("_")]
    return ["shoal"] + [f"shoal.{name}" for name in names] if names else []


def page_of_module(name):
    """Without a dot: shoal.md would be taken for a file."""
    return name.replace(".", "-")


def module_rows(modules):
    """A line for each subject with its modules, none left out."""
    told = {name for names in SUBJECTS.values() for name in names}
    short = {name.removeprefix("shoal."): name for name in modules}
    for subject, names in SUBJECTS.items():
        found = [n for n in names if n in short] + [n for n in short if n not in told and subject == list(SUBJECTS)[-1]]
        links = ", ".join(f"[`{short[n]}`](reference/python/{page_of_module(short[n])}.md)" for n in found)
        if found:
            yield f"- {subject}: {links}"


def write_python(stage):
    """One page per module, below the page about the package."""
    modules = python_modules()
    place = stage / "reference" / "python"
    place.mkdir(parents=True, exist_ok=True)
    for name in modules:
        options = [":members:", ":undoc-members:", ":show-inheritance:"]
        if name == "shoal":
            options = [":no-members:"]
        lines = [f"# {name}", "", "```{eval-rst}", f".. automodule:: {name}", *[f"   {o}" for o in options], "```", ""]
        (place / f"{page_of_module(name)}.md").write_text("\n".join(lines), encoding="utf-8")
    if modules:
        page = stage / "python.md"
        pages = [f"reference/python/{page_of_module(name)}" for name in modules]
        text = page.read_text(encoding="utf-8") + "\n".join(["", "## Modules", "", *module_rows(modules), ""])
        page.write_text(text + toctree(pages, ":hidden:"), encoding="utf-8")


def put_together(stage):
    shutil.rmtree(stage, ignore_errors=True)
    for path in sorted((TOP / "docs").rglob("*.md")):
        source = pathlib.PurePosixPath(path.relative_to(TOP).as_posix())
        copy_page(source, page_for(source), stage)
    for name in ("CHANGELOG.md", "CONTRIBUTING.md"):
        copy_page(pathlib.PurePosixPath(name), ELSEWHERE[name], stage)
    for name in ("conf.py", "shoal.css"):
        place = stage / ("_static" if name.endswith(".css") else ".") / name
        place.parent.mkdir(exist_ok=True)
        shutil.copyfile(TOP / "docs" / name, place)
    make_c_reference.write(TOP, stage / "reference" / "c")
    write_decisions(stage)
    write_python(stage)
    add_contents(stage)


def build(stage, site):
    environment = dict(os.environ, SHOAL_TOP=str(TOP))
    paths = [str(TOP / "python"), environment.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(p for p in paths if p)
    shutil.rmtree(site, ignore_errors=True)
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "-j", "auto", "-d",
               str(stage.parent / "docs-doctrees"), str(stage), str(site)]
    return subprocess.run(command, env=environment, check=False).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stage", type=pathlib.Path, default=TOP / "build" / "docs-src")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=TOP / "build" / "docs-site")
    args = parser.parse_args()
    put_together(args.stage)
    status = build(args.stage, args.output)
    checker = pathlib.Path(__file__).with_name("check_site.py")
    sys.exit(status or subprocess.run([sys.executable, str(checker), str(args.output)], check=False).returncode)


if __name__ == "__main__":
    main()
