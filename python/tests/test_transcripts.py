# SPDX-License-Identifier: BSD-3-Clause
# Sessions in Python with what they printed: python/tests/transcripts/*.txt, each line compared as
# those of tests/transcripts are. SHOAL_UPDATE=1 in the environment writes the answers anew.
import contextlib
import io
import os
import pathlib
import sys

import numpy as np
import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests"))
from transcript import blurred, difference, tolerance_of  # noqa: E402

SESSIONS = sorted((pathlib.Path(__file__).parent / "transcripts").glob("*.txt"))


def plain(value):
    """Numbers with seven digits, whatever holds them."""
    if isinstance(value, (float, np.floating)):
        return f"{float(value):.7g}"
    if isinstance(value, np.ndarray) and value.dtype.names:
        return " ".join(f"{name}={plain(value[name])}" for name in value.dtype.names)
    if isinstance(value, dict):
        return ", ".join(f"{key}: {plain(item)}" for key, item in value.items())
    if isinstance(value, (list, tuple)) or np.ndim(value):
        return "[" + " ".join(plain(item) for item in value) + "]"
    return str(value)


def show(*values):
    print(*[plain(value) for value in values])


def commands_of(text):
    """(source, expected lines) of every command."""
    steps = []
    for line in text.splitlines():
        if line.startswith(">>> "):
            steps.append(([line[4:]], []))
        elif line.startswith("... ") and steps and not steps[-1][1]:
            steps[-1][0].append(line[4:])
        elif steps:
            steps[-1][1].append(line)
    return steps


def answer(source, names):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            exec(compile("\n".join(source) + "\n", "<session>", "single"), names)
        except Exception as error:  # noqa: BLE001 - what is raised is part of the session
            print(f"{type(error).__name__}: {error}")
    return [blurred(line) for line in out.getvalue().replace(str(TOP), "TOP").splitlines()]


@pytest.mark.parametrize("path", SESSIONS, ids=[path.stem for path in SESSIONS])
def test_session(path, tmp_path, monkeypatch):
    text = path.read_text()
    head = text.split("\n>>> ")[0].strip().splitlines()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    inputs, examples = TOP / "tests" / "transcripts", TOP / "examples"
    names = {"show": show, "np": np, "INPUTS": inputs, "EXAMPLES": examples}
    lines, wrong = head + [""], []
    for source, wanted in commands_of(text):
        got = answer(source, names)
        lines += [f">>> {source[0]}", *[f"... {line}" for line in source[1:]], *got]
        what = difference(got, wanted, tolerance_of(head))
        wrong += [f"{source[0]}\n{what}"] if what else []
    if os.environ.get("SHOAL_UPDATE"):
        path.write_text("\n".join(lines) + "\n")
    else:
        assert not wrong, "\n".join(wrong)
