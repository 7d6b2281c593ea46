# SPDX-License-Identifier: BSD-3-Clause
# Sessions of a user with what the program answered: tests/transcripts/*.txt, in the order of their commands.
#
# Lines behind '$ ' are run by the shell in a directory that has the folders cases, examples and inputs. Their output
# follows, then that of stderr behind '! ', and the exit code where it is not 0. Words have to be the same, numbers with
# a point within the tolerance of the file ('# tolerance T', relative and absolute), whole ones exactly. SHOAL_UPDATE=1
# in the environment writes the answers anew: every line that changes is to be understood before it is kept.
import os
import pathlib
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

from program import PROGRAM, TOP, check, finish
from transcript import blurred, difference, tolerance_of

TRANSCRIPTS = TOP / "tests" / "transcripts"

def commands_of(path):
    """The lines before the first command, and (command, expected lines) of each."""
    head, steps = [], []
    for line in path.read_text().splitlines():
        if line.startswith("$ "):
            steps.append((line[2:], []))
        elif steps:
            steps[-1][1].append(line)
        else:
            head.append(line)
    return head, [(command, trimmed(lines)) for command, lines in steps]


def trimmed(lines):
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


def answer(command, directory):
    environment = os.environ | {
        "PATH": f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}",
        "XDG_CACHE_HOME": directory,
        "COLUMNS": "100",
        "LC_ALL": "C.UTF-8",
    }
    done = subprocess.run(["bash", "-c", command], cwd=directory, env=environment, text=True, capture_output=True)
    said = done.stdout.splitlines() + [f"! {line}" for line in done.stderr.splitlines()]
    lines = [blurred(line.replace(directory, "DIR")) for line in said]
    return trimmed(lines + ([f"exit code {done.returncode}"] if done.returncode else []))


def replay(path):
    """The whole file as it should be, and what differs from what it is."""
    head, steps = commands_of(path)
    tolerance = tolerance_of(head)
    text, wrong = head[:], []
    with tempfile.TemporaryDirectory() as directory:
        for name, folder in (("cases", "cases"), ("inputs", "transcripts")):
            os.symlink(TOP / "tests" / folder, f"{directory}/{name}")
        os.symlink(TOP / "examples", f"{directory}/examples")
        for command, wanted in steps:
            got = answer(command, directory)
            text += [f"$ {command}", *got, ""]
            what = difference(got, wanted, tolerance)
            wrong += [(command, what)] if what else []
    return "\n".join(text), wrong


def main():
    paths = sorted(TRANSCRIPTS.glob("*.txt"))
    check(len(paths) > 3, f"{TRANSCRIPTS}: hardly a transcript there")
    with ThreadPoolExecutor(2) as pool:
        for path, (text, wrong) in zip(paths, pool.map(replay, paths)):
            if os.environ.get("SHOAL_UPDATE"):
                path.write_text(text)
                continue
            check(commands_of(path)[1] != [], f"{path.name}: no command in it")
            for command, what in wrong:
                check(False, f"{path.name}: {command}\n{what}")
    finish()


if __name__ == "__main__":
    main()
