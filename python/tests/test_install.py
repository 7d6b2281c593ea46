# SPDX-License-Identifier: BSD-3-Clause
# The installed package: what it holds, how it starts the program, what it says if all is not there.
import ctypes
import importlib.metadata
import os
import pathlib
import re
import signal
import subprocess
import sys
import sysconfig
import time

import pytest

from shoal import _abi, _lib
from shoal._lib import lib

TOP = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = pathlib.Path(_lib.__file__).parent
DEMO = TOP / "examples" / "demo.sdf"
COMMAND = pathlib.Path(sysconfig.get_path("scripts")) / "shoal"
in_tree = PACKAGE == TOP / "python" / "shoal"
installed = pytest.mark.skipif(in_tree, reason="the package is used from the source tree")


def run(*words, **more):
    words = [str(w) for w in words]
    return subprocess.run(words, capture_output=True, text=True, timeout=60, **more)


def python(code, **variables):
    """Runs Python code in a process of its own, away from the tree."""
    environment = {**os.environ, **variables}
    code = f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r}); {code}"
    return run(sys.executable, "-c", code, env=environment, cwd="/")


def test_the_source_tree_is_not_tested_by_accident():
    assert not in_tree or os.environ.get("SHOAL_LIBRARY"), "install the package: ./dev python"


def test_library_and_headers_are_of_one_version():
    assert lib.shoal_version_number() == _abi.SHOAL_VERSION_NUMBER
    assert lib.shoal_version_text().decode().startswith(_abi.SHOAL_VERSION)


def test_every_function_of_the_headers_is_there():
    assert [name for name in _abi.FUNCTIONS if not lib.has(name)] == []


@installed
def test_what_the_wheel_holds():
    files = {str(f) for f in importlib.metadata.files("shoal")}
    for name in ("lib/libshoal.so", "bin/shoal", "py.typed", "_abi.py"):
        assert f"shoal/{name}" in files
    assert "shoal/include/shoal/shoal.h" in files
    assert not [f for f in files if f.endswith((".a", ".cmake", ".pc", ".c"))]
    wheel = importlib.metadata.distribution("shoal").read_text("WHEEL")
    assert "Tag: py3-none-" in wheel
    assert importlib.metadata.version("shoal") == _abi.SHOAL_VERSION


@installed
def test_numpy_is_all_that_is_needed():
    needed = [r for r in importlib.metadata.requires("shoal") if "extra ==" not in r]
    assert [r.split(">")[0] for r in needed] == ["numpy"]


@installed
@pytest.mark.parametrize("words", [[COMMAND], [sys.executable, "-m", "shoal"]])
def test_the_command_is_the_program(words, tmp_path):
    version = run(*words, "--version", cwd=tmp_path)
    assert version.stdout.strip() == f"shoal {lib.shoal_version_text().decode()}"
    wrong = run(*words, "relax", "--nonsense", cwd=tmp_path)
    assert wrong.returncode == 2 and "--nonsense" in wrong.stderr


@installed
def test_the_command_becomes_the_program():
    """Under the same process number: signals are the program's own."""
    words = [str(COMMAND), "energy", "--format", "sdf", "-"]
    with subprocess.Popen(words, stdin=subprocess.PIPE) as process:
        link = pathlib.Path(f"/proc/{process.pid}/exe")
        end = time.monotonic() + 20
        while link.resolve() != PACKAGE / "bin" / "shoal" and time.monotonic() < end:
            time.sleep(0.02)
        assert link.resolve() == PACKAGE / "bin" / "shoal"
        process.send_signal(signal.SIGKILL)
        assert process.wait(timeout=20) == -signal.SIGKILL


@installed
def test_results_are_saved_by_the_wheel(tmp_path):
    done = run(COMMAND, "relax", "--quiet", DEMO, "-o", tmp_path / "run.h5")
    if "hdf5" not in lib.shoal_version_text().decode():
        assert "HDF5" in done.stderr
        pytest.skip("built without HDF5")
    assert done.returncode == 0, done.stderr
    reader = ctypes.c_void_p()
    _lib.check(lib.shoal_results_open(ctypes.byref(reader), os.fsencode(tmp_path / "run.h5")))
    assert lib.shoal_results_n_systems(reader) == 12
    lib.shoal_results_reader_destroy(reader)


def test_import_needs_no_library_and_says_what_is_missing():
    code = "from shoal._lib import lib; print('imported'); lib.shoal_version_number()"
    done = python(code, SHOAL_LIBRARY="none.so")
    assert done.stdout == "imported\n"
    assert done.returncode != 0
    assert "UnsupportedError: cannot load the C library none.so" in done.stderr
    assert "SHOAL_LIBRARY names it" in done.stderr


def test_import_needs_no_opencl():
    code = "from shoal._lib import lib; lib.load(); print(open('/proc/self/maps').read())"
    done = python(code)
    assert "libshoal" in done.stdout and "libOpenCL" not in done.stdout


def test_another_version_is_refused(monkeypatch):
    monkeypatch.setattr(_abi, "SHOAL_VERSION_NUMBER", 99999)
    with pytest.raises(_lib.UnsupportedError, match="is version"):
        _lib.load(lib.path or _lib.library_path())


def test_a_missing_function_is_named_when_it_is_used(monkeypatch):
    monkeypatch.setitem(_abi.FUNCTIONS, "shoal_of_tomorrow", (None, []))
    assert not lib.has("shoal_of_tomorrow")
    with pytest.raises(_lib.UnsupportedError, match="has no function shoal_of_tomorrow"):
        lib.shoal_of_tomorrow()
    with pytest.raises(AttributeError, match="declares no shoal_of_yesterday"):
        lib.shoal_of_yesterday()


def test_errors_have_the_text_of_the_library():
    with pytest.raises(_lib.ArgumentError, match="no place for the result") as caught:
        _lib.check(lib.shoal_molecule_create(None))
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, _lib.Error)
    reader = ctypes.c_void_p()
    with pytest.raises(_lib.FileError, match="none.sdf") as caught:
        _lib.check(lib.shoal_reader_open(ctypes.byref(reader), b"none.sdf", 0))
    assert isinstance(caught.value, OSError)


def test_every_status_has_its_exception():
    for name, status in vars(_abi).items():
        if name.startswith("SHOAL_E_"):
            assert status in _lib.KINDS, name


def test_readme(tmp_path, monkeypatch, capsys):
    pytest.importorskip("shoal.batch")
    readme = (TOP / "python" / "README.md").read_text()
    (tmp_path / "demo.sdf").write_text(DEMO.read_text())
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in re.findall(r"^```python\n(.*?)^```", readme, re.MULTILINE | re.DOTALL):
        exec(block, names)
    assert capsys.readouterr().out.count("converged") == 12
    assert names["results"].converged.all()


def test_extras_of_the_documents_are_there():
    """All extras that the README names, and no others beside [test]."""
    readme = (TOP / "python" / "README.md").read_text()
    project = (TOP / "python" / "pyproject.toml").read_text()
    declared = project.split("[project.optional-dependencies]")[1].split("\n[")[0]
    assert set(re.findall(r"`shoal\[(\w+)\]", readme)) | {"test"} == set(
        re.findall(r"^(\w+) =", declared, re.MULTILINE)
    )


@installed
def test_report_is_written_in_python():
    done = run(COMMAND, "report", "none.h5")
    assert done.returncode == 4 and "none.h5" in done.stderr
