# SPDX-License-Identifier: BSD-3-Clause
# One command gives the tree another version; lint_version finds a place that is left behind.
import pathlib
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests"))

from checks import check, finish  # noqa: E402

PARTS = ("include", "tools", "packaging", "docs", "examples", "data/abi.tsv", "data/since.tsv", "tests/install", "tests/transcripts", "python/shoal",
         "python/tests/transcripts", "CMakeLists.txt", "CITATION.cff", "CHANGELOG.md")


def run(tree, script, *words):
    done = subprocess.run([sys.executable, str(tree / "tools" / script), *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def copied(place):
    for part in PARTS:
        (place / part).parent.mkdir(parents=True, exist_ok=True)
        if (TOP / part).is_dir():
            shutil.copytree(TOP / part, place / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(TOP / part, place / part)


def test_raised(tree, version, library):
    check(run(tree, "set_version.py", version)[0] == 0, f"set_version {version}")
    for lint in ("lint_version.py", "lint_abi.py", "lint_since.py"):
        code, text = run(tree, lint)
        check(code == 0, f"{lint} after set_version {version}: {text}")
    text = (tree / "packaging/debian/rules").read_text(encoding="utf-8")
    check(f"libshoal.so.{library} " in text, f"packaging/debian/rules of {version}")
    check(f'SHOAL_VERSION = "{version}"' in (tree / "python/shoal/_abi.py").read_text(encoding="utf-8"), f"_abi.py of {version}")
    heading = next(line for line in (tree / "CHANGELOG.md").read_text(encoding="utf-8").splitlines() if line.startswith("## "))
    check(heading.startswith(f"## [{version}] - 20"), f"CHANGELOG.md: {heading}")


def test_refused(tree):
    code, text = run(tree, "set_version.py", "0.0.1")
    check(code == 1 and "later than 0.0.1" in text, f"an earlier version: {text}")
    code, text = run(tree, "set_version.py", "1.0")
    check(code == 1 and "expected x.y.z" in text, f"1.0: {text}")
    code, text = run(tree, "set_version.py", "1.2.0")
    check(code == 1 and "unreleased" in text, f"a changelog without a heading for it: {text}")


def test_forgotten(tree):
    for name, old, new in (("docs/citing.md", "{1.0.0}", "{0.9.0}"), ("packaging/debian/control", "Package: libshoal1", "Package: libshoal0.9")):
        whole = (tree / name).read_text(encoding="utf-8")
        (tree / name).write_text(whole.replace(old, new), encoding="utf-8")
        code, text = run(tree, "lint_version.py")
        check(code == 1 and name in text, f"{name}: {text}")
        (tree / name).write_text(whole, encoding="utf-8")


with tempfile.TemporaryDirectory() as directory:
    place = pathlib.Path(directory)
    copied(place)
    changelog = (place / "CHANGELOG.md").read_text(encoding="utf-8")
    test_raised(place, "0.8.1", "0.8")
    (place / "CHANGELOG.md").write_text(changelog, encoding="utf-8")
    test_raised(place, "1.0.0", "1")
    test_refused(place)
    test_forgotten(place)
finish()
