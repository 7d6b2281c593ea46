# SPDX-License-Identifier: BSD-3-Clause
# The sources as Python's tools want them: sdist.py FOLDER, run by a Python that has scikit-build-core.
"""All files of the project, with the settings of python/pyproject.toml at the top. SOURCE_DATE_EPOCH gives all times."""

import os
import pathlib
import shutil
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tools"))
import source_tree  # noqa: E402  # beside this folder

# Settings of python/pyproject.toml that name places, as they are at the top.
MOVED = {
    'readme = "README.md"': 'readme = "python/README.md"',
    'cmake.source-dir = ".."': 'cmake.source-dir = "."',
    'wheel.packages = ["shoal", "shoal_program.py"]': 'wheel.packages = ["python/shoal", "python/shoal_program.py"]',
    'input = "../include/shoal/version.h"': 'input = "include/shoal/version.h"',
    'testpaths = ["tests"]': 'testpaths = ["python/tests"]',
}


def settings():
    text = (TOP / "python/pyproject.toml").read_text(encoding="utf-8")
    for there, here in MOVED.items():
        if text.count(there) != 1:
            raise SystemExit(f"sdist: python/pyproject.toml: expected one line {there}")
        text = text.replace(there, here)
    return text


def stage(place):
    for name in source_tree.files(TOP):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(TOP / name, place / name, follow_symlinks=False)
    (place / "pyproject.toml").write_text(settings(), encoding="utf-8")


def make(folder):
    """The path of the archive."""
    import scikit_build_core.build

    before = pathlib.Path.cwd()
    with tempfile.TemporaryDirectory(prefix="shoal-sdist-") as place:
        stage(pathlib.Path(place))
        os.chdir(place)
        try:
            return folder / scikit_build_core.build.build_sdist(str(folder))
        finally:
            os.chdir(before)


if __name__ == "__main__":
    print(make(pathlib.Path(sys.argv[1]).resolve()))
