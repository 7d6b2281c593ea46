# SPDX-License-Identifier: BSD-3-Clause
# shoal report: hands its options to Python, and says so where there is none. The pages have tests of their own
# in python/tests.
import os
import subprocess
import tempfile

from program import PROGRAM, check, equal, finish, run, write

with tempfile.TemporaryDirectory() as scratch:

    def report(*arguments, **variables):
        """The finished process, with variables of the environment."""
        environment = {**os.environ, **variables}
        command = [PROGRAM, "report", *map(str, arguments)]
        return subprocess.run(command, cwd=scratch, env=environment, capture_output=True, text=True)

    # Without Python.
    done = report("run.h5", PYTHON="./no-python")
    equal(done.returncode, 4, "exit code without Python")
    check("needs Python" in done.stderr and "./no-python" in done.stderr, f"message: {done.stderr}")
    done = report("run.h5", PYTHON="", PATH=scratch)
    equal(done.returncode, 4, "exit code without python3 on PATH")
    check("'python3' cannot be started" in done.stderr, f"message: {done.stderr}")

    # With a Python that does not have the package.
    done = report("run.h5", PYTHONPATH="", PYTHONNOUSERSITE="1", PYTHON=write(scratch, "bare", "").as_posix())
    equal(done.returncode, 4, "exit code of a Python that cannot be run")
    bare = write(scratch, "python", '#!/bin/sh\nexec "$REAL" -S -E "$@"\n')
    bare.chmod(0o755)
    done = report("run.h5", PYTHON=str(bare), REAL="python3")
    equal(done.returncode, 4, f"exit code without the package: {done.stderr}")
    check("needs the Python package" in done.stderr and "pip install ./python" in done.stderr, f"message: {done.stderr}")
    equal(done.stderr.count("\n"), 1, f"lines of the message: {done.stderr}")

    # The package is not looked for where the user stands.
    for folder in ("shoal", "packages/shoal"):
        os.makedirs(os.path.join(scratch, folder))
        write(scratch, f"{folder}/__init__.py", "")
    write(scratch, "packages/shoal/report.py", "def main(argv):\n    print(argv)\n    return 3\n")
    done = report("run.h5", PYTHON="python3", PYTHONPATH=os.path.join(scratch, "packages"))
    equal((done.returncode, done.stdout), (3, "['--', 'run.h5']\n"), f"another shoal: {done.stderr}")

    # What Python is given: a stand-in prints its arguments.
    stand_in = write(scratch, "stand-in", '#!/bin/sh\nshift 2\nprintf "%s\\n" "$@"\nexit 7\n')
    stand_in.chmod(0o755)
    done = report("-o", "a b.html", "--title", "x = y", "-q", "--max-structures=5", "--", "-run.h5", PYTHON=str(stand_in))
    equal(done.returncode, 7, "exit code is that of Python")
    want = ["--output=a b.html", "--title=x = y", "--quiet", "--max-structures=5", "--", "-run.h5"]
    equal(done.stdout.splitlines(), want, "arguments")
    done = report("--title", "", "run.h5", PYTHON=str(stand_in))
    equal(done.stdout.splitlines(), ["--title=", "--", "run.h5"], "a title that is empty")

# Mistakes and --help need no Python.
equal(run("report").returncode, 2, "no file")
equal(run("report", "a.h5", "b.h5").returncode, 2, "two files")
equal(run("report", "--frobnicate", "a.h5").returncode, 2, "an option that is not there")
helped = run("report", "--help")
equal(helped.returncode, 0, "--help")
check("--max-structures" in helped.stdout and "PYTHON" in helped.stdout, "what --help says")
check("report" in run("--help").stdout, "the list of commands")
finish()
