# SPDX-License-Identifier: BSD-3-Clause
# The table of mutants fits the tree, and tools/mutants.py says so when it does not.
import pathlib
import sys
import tempfile
import types

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tools"), str(TOP / "tests")]
import mutants  # noqa: E402
from checks import check, finish  # noqa: E402


def row(**changes):
    return dict({"id": "a", "file": "x.c", "original": "b + c", "replacement": "b - c", "tests": "t",
                 "why": "w"}, **changes)


def test_stale(directory):
    top = pathlib.Path(directory)
    (top / "x.c").write_text("a = b + c;\nd = e + f;\n")
    check(mutants.find_stale([row()], top) == [], "a row that fits")
    for changes, words in (({"original": "b * c"}, "0 times"), ({"original": "+"}, "2 times"),
                           ({"file": "y.c"}, "0 times"), ({"replacement": "b + c"}, "changes nothing")):
        found = mutants.find_stale([row(**changes)], top)
        check(len(found) == 1 and words in found[0], f"{changes}: {found}")
    check(len(mutants.find_stale([row(), row()], top)) == 1, "two of one name")


def test_verdicts():
    killer = mutants.find_killer
    check(killer({"t": 0}, {"t": 0}) is None, "a test that passes kills nothing")
    check(killer({"t": 0}, {"t": 3}) == "t", "one that fails does")
    check(killer({"t": 0}, {"t": None}) == "t", "and one that crashes")
    check(killer({"t": 3}, {"t": 3}) is None, "one that failed before does not")
    check(killer({"t": 3}, {"t": 4}) == "t", "unless it fails more")
    check(killer({"t": None}, {"t": None}) is None, "one that crashed before never does")
    check(mutants.is_device_code("kernels/group_fire.cl") and mutants.is_device_code("kernels/group.h")
          and mutants.is_device_code("kernels/step_state.h")
          and not mutants.is_device_code("kernels/step_fire.h")
          and not mutants.is_device_code("kernels/uff_terms.h")
          and not mutants.is_device_code("kernels/layout.h"), "what is built and what is read")


class Pytest(mutants.PythonTests):
    """Ends as it is told to."""

    def __init__(self, scratch, codes):
        self.scratch, self.codes = scratch, list(codes)

    def run(self, names):
        return self.codes.pop(0), "what pytest says"


def ends(call, *arguments):
    try:
        call(*arguments)
    except SystemExit as end:
        return "what pytest says" in str(end)
    return False


def test_python(directory):
    scratch = types.SimpleNamespace(tree=pathlib.Path(directory))
    source = scratch.tree / "x.c"
    source.write_text("a = b + c;\n")
    for code, verdict in ((0, "SURVIVED"), (1, "killed by t"), (2, "killed by t")):
        check(mutants.try_python(Pytest(scratch, [code]), row()) == verdict, f"pytest ends with {code}")
        check(source.read_text() == "a = b + c;\n", "the mutant is gone")
    check(ends(Pytest(scratch, [4]).fail, "t"), "tests that are not there kill nothing")
    Pytest(scratch, [0]).must_pass("t")
    for code in (1, 2, 4, 5):
        check(ends(Pytest(scratch, [code]).must_pass, "t"), f"{code} without a mutant ends the program")


def main():
    rows = mutants.read_table(TOP / "tests" / "mutants.tsv")
    stale = mutants.find_stale(rows, TOP)
    check(stale == [], "the table is stale:\n" + "\n".join(stale))
    check(len(rows) >= 60, f"{len(rows)} mutants, expected 60 or more")
    with tempfile.TemporaryDirectory() as directory:
        test_stale(directory)
        test_python(directory)
    test_verdicts()
    finish()


if __name__ == "__main__":
    main()
