# SPDX-License-Identifier: BSD-3-Clause
# Commands shown in the documents run as written and print what stands below them.
"""In a fenced block, a line `$ shoal ...` is run by the shell beside a copy of examples/; it must exit 0.
Every line below it, but for `...`, must be in the output. Order and last digits are free: they hang on
compilers and libraries where interactions have equal energies."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tools"))

from run_examples import first_missing  # noqa: E402

DOCUMENTS = ("README.md", "docs/cli.md", "docs/surfaces.md", "docs/perception.md",
             "docs/fitting.md", "docs/modes.md", "docs/search.md", "docs/scans.md",
             "docs/quick-start.md", "docs/json.md", "docs/correctness.md", "docs/performance.md", "docs/benchmarks.md",
             "docs/charges.md", "docs/mmff.md", "docs/ff-tables.md")
# Each in a folder of its own, as its reader is.
TUTORIALS = sorted(path.relative_to(TOP).as_posix() for path in (TOP / "docs" / "tutorials").glob("*.md"))
IMAGE = re.compile(r"\]\(images/([^)]+)\)")
BLOCK = re.compile(r"^```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def commands_of(text):
    """(command, shown lines) of every `$ shoal` line of every fenced block."""
    for block in BLOCK.findall(text):
        current = None
        for line in block.splitlines():
            if line.startswith("$ "):
                if current:
                    yield current
                current = (line[2:], []) if line.startswith("$ shoal ") else None
            elif current and line.strip() and line.strip() != "...":
                current[1].append(line.rstrip())
        if current:
            yield current


def check(document, command, shown, place, environment):
    run = subprocess.run(command, shell=True, cwd=place, env=environment, capture_output=True, text=True)
    if run.returncode != 0:
        return f"{document}: `{command}` exits {run.returncode}: {run.stderr}"
    missing = first_missing(shown, run.stdout + run.stderr)
    if missing is not None:
        return f"{document}: `{command}` does not print: {missing}\nbut:\n{run.stdout}{run.stderr}"
    return None


def run_documents(documents, program):
    """What is wrong with each command of some documents, None where nothing is; all of them run in one folder."""
    with tempfile.TemporaryDirectory() as directory:
        place = pathlib.Path(directory)
        shutil.copytree(TOP / "examples", place / "examples")
        (place / "bin").mkdir()
        (place / "bin" / "shoal").symlink_to(program)
        environment = dict(os.environ, PATH=f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}")
        for document in documents:
            for command, shown in commands_of((TOP / document).read_text(encoding="utf-8")):
                yield check(document, command, shown, place, environment)
            for image in IMAGE.findall((TOP / document).read_text(encoding="utf-8")):
                made = (place / image).is_file()
                yield None if made else f"{document}: no command makes {image}, which it shows"


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    results = list(run_documents(DOCUMENTS, program))
    for tutorial in TUTORIALS:
        results += run_documents([tutorial], program)
    n, failures = len(results), [f for f in results if f]
    for failure in failures:
        print(failure)
    print(f"{n - len(failures)} passed, {len(failures)} failed")
    sys.exit(1 if failures or n == 0 else 0)


if __name__ == "__main__":
    main()
