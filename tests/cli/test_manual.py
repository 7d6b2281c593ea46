# SPDX-License-Identifier: BSD-3-Clause
# Pages of the manual and completion for shells hold what --help does: commands, options, values.
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from program import PROGRAM, TOP, check, equal, finish, run, write

SECTIONS = ("NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "ENVIRONMENT", "FILES", "SEE ALSO")
SHELLS = ("bash", "zsh", "fish")


def commands():
    text = run("--help").stdout.split("commands:\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in text.splitlines()]


def verbs(command):
    """Second words, as the usage line or the notes of the command tell them."""
    text = run(command, "--help").stdout
    first = re.match(rf"usage: shoal {command} ([a-z|]+) \.\.\.", text)
    return first.group(1).split("|") if first else sorted(set(re.findall(rf"'shoal {command} ([a-z]+) --help'", text)))


def options(*words):
    """Names of all options, with the short ones, of a command's --help."""
    lines = run(*words, "--help").stdout.splitlines()
    found = [re.match(r"  (?:(-\w), |    )(--[\w-]+)", line) for line in lines]
    return {name for hit in found if hit for name in hit.groups() if name}


def plain(page):
    """A page without roff: what a reader would search for."""
    for code, text in (("\\fB", ""), ("\\fI", ""), ("\\fR", ""), ("\\-", "-"), ("\\&", ""), ("\\(aq", "'"),
                       ("\\(ha", "^"), ("\\(ti", "~"), ("\\(ga", "`"), ("\\e", "\\")):
        page = page.replace(code, text)
    return page


def all_pages():
    return {c: run("help", "--man", c).stdout for c in commands()}


def test_pages():
    whole = run("help", "--man").stdout
    for command, page in all_pages().items():
        text = plain(page)
        check(f".BR shoal\\-{command} (1)" in whole and f"\\fB{command}\\fR" in whole, f"shoal(1) names {command}")
        for section in SECTIONS:
            check(f".SH {section}\n" in page, f"{command}: section {section}")
        ways = [(command, *verb) for verb in [(), *((v,) for v in verbs(command))]]
        for words in ways:
            for option in options(*words):
                check(re.search(rf"^(-\w, )?{option}( |,|$)", text, re.MULTILINE), f"page of {words}: {option}")
            usage = run(*words, "--help").stdout.splitlines()[0].removeprefix("usage: ")
            check("..." in usage or usage in text, f"page of {words}: {usage}")
        for code in ("0", "1", "2", "3", "4", "75", "130"):
            check(f".TP\n\\fB{code}\\fR\n" in page, f"{command}: exit code {code}")
    page = all_pages()["slab"]
    check(".SH EXAMPLES\n.EX\n  shoal slab rocksalt" in page, "examples of the notes")
    equal(run("help", "--man", "frobnicate").returncode, 2, "page of no command")
    with open("/dev/full", "w") as full:
        result = subprocess.run([PROGRAM, "help", "--man"], stdout=full, stderr=subprocess.PIPE, text=True)
    equal(result.returncode, 4, "a page that could not be written")


def test_variables():
    """Every variable that the sources ask for."""
    page = plain(run("help", "--man", "relax").stdout)
    names = set()
    for folder in ("src", "cli"):
        for path in (TOP / folder).rglob("*.c"):
            names |= set(re.findall(r'"(SHOAL_[A-Z_]+)"', path.read_text(encoding="utf-8")))
    check(len(names) > 5, "variables are found")
    names.add("PYTHON")
    for name in names:
        check(f".TP\n{name}\n" in page, f"variable {name} is in the pages")


def complaints(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = (done.stdout + done.stderr).splitlines() if "-Tlint" in command else done.stderr.splitlines()
    return [line for line in lines if "missing date" not in line]


def test_roff(directory):
    tools = [t for t in (("mandoc", "-Tlint", "-Wwarning"), ("groff", "-ww", "-man", "-Tascii", "-z"))
             if shutil.which(t[0])]
    for name, page in [("", run("help", "--man").stdout), *all_pages().items()]:
        path = str(write(directory, f"page{name}.1", page))
        for tool in tools:
            equal(complaints([*tool, path]), [], f"{tool[0]} about the page of '{name}'")


def test_scripts():
    scripts = {shell: run("completion", shell).stdout for shell in SHELLS}
    for command in commands():
        for words in [(command,), *((command, v) for v in verbs(command))]:
            name = " ".join(words)
            listed = re.search(rf"^  '?{name}'?\) words='[^']*' options='([^']*)'", scripts["bash"], re.MULTILINE)
            mine = options(*words)
            check(listed and set(listed.group(1).split()) >= mine, f"bash: options of {name}")
            zsh = re.search(rf"^  '{name}'\)\n(.*?) ;;$", scripts["zsh"], re.MULTILINE | re.DOTALL)
            for option in (o for o in mine if o.startswith("--")):
                check(zsh and re.search(rf"'\*{option}=?\[", zsh.group(1)), f"zsh: {name} {option}")
                check(f"-n '__shoal_at \"{name}\"' -l {option[2:]} " in scripts["fish"], f"fish: {name} {option}")
    equal(run("completion", "tcsh").returncode, 2, "a shell that is not known")
    for words in ("bash zsh fish", " prepare eval compare scan bonded"):
        check(f"\"1:word: _shoal_words '{words}'\"" in scripts["zsh"], f"zsh: {words}, behind a blank")
    return scripts


def test_syntax(directory, scripts):
    for shell in SHELLS:
        if shutil.which(shell):
            path = write(directory, f"script.{shell}", scripts[shell])
            done = subprocess.run([shell, "-n", path], capture_output=True, text=True, check=False)
            equal((done.returncode, done.stderr), (0, ""), f"{shell} reads its script")


def completed(directory, *words):
    """What bash offers for the last word, cut as bash does; [] if it is not there."""
    script = f"""source script.bash
COMP_WORDS=({' '.join("'" + w + "'" for w in words)}) COMP_CWORD={len(words) - 1}
_shoal; printf '%s\\n' "${{COMPREPLY[@]}}" """
    path = os.pathsep.join([str(pathlib.Path(directory) / "bin"), os.environ["PATH"]])
    done = subprocess.run(["bash", "-c", script], cwd=directory, env=dict(os.environ, PATH=path), capture_output=True,
                          text=True, check=False)
    equal((done.returncode, done.stderr), (0, ""), f"completion of {words}")
    return done.stdout.split()


def test_bash(directory):
    (pathlib.Path(directory) / "bin").mkdir()
    os.symlink(PROGRAM, f"{directory}/bin/shoal")
    write(directory, "water.xyz", "")
    write(directory, "wave.sdf", "")
    for words, wanted in (
            (("shoal", "rel"), ["relax"]),
            (("shoal", "help", "mer"), ["merge"]),
            (("shoal", "relax", "wat"), ["water.xyz"]),
            (("shoal", "relax", "--json", "wa"), ["water.xyz", "wave.sdf"]),
            (("shoal", "relax", "--max-s"), ["--max-steps"]),
            (("shoal", "relax", "--method", ""), ["lbfgs", "fire"]),
            (("shoal", "relax", "--method", "=", "f"), ["fire"]),
            (("shoal", "relax", "--method", "="), ["lbfgs", "fire"]),
            (("shoal", "relax", "--orient", "wa"), []),
            (("shoal", "relax", "--fmax", "wa"), []),
            (("shoal", "relax", "-o", "wat"), ["water.xyz"]),
            (("shoal", "relax", "--surface", "wav"), ["wave.sdf"]),
            (("shoal", "relax", "--grid", "o"), ["off"]),
            (("shoal", "relax", "--grid", "wa"), ["water.xyz", "wave.sdf"]),
            (("shoal", "relax", "--device", "c"), ["cpu", "cpu"]),
            (("shoal", "relax", "--device", "shadow", ":"), [""]),
            (("shoal", "convert", "--format", "mo"), ["mol", "mol2"]),
            (("shoal", "completion", "z"), ["zsh"]),
            (("shoal", "grid", "e"), ["export"]),
            (("shoal", "grid", "check", "--max-"), ["--max-de", "--max-df"]),
            (("shoal", "fit", "prepare", "--dialect", "p"), ["paper"]),
            (("shoal", "fit", "--plo"), ["--plot"])):
        equal(completed(directory, *words), [w for w in wanted if w], f"bash: {' '.join(words)}")
    everything = completed(directory, "shoal", "")
    equal(everything, [*commands(), "help"], "bash: all commands")
    devices = [line.split()[0] for line in run("devices", "-q").stdout.splitlines()[1:]]
    check(set(devices) <= set(completed(directory, "shoal", "md", "--device", "")), f"bash: devices {devices}")
    if "opencl:0" in devices:
        equal(completed(directory, "shoal", "md", "--device", "opencl", ":", "0"), ["0"], "bash: after a colon")


def test_fish(directory):
    if not shutil.which("fish"):
        return
    for line, wanted in (("shoal rel", ["relax"]), ("shoal help rel", ["relax"]), ("shoal grid w", []),
                         ("shoal grid e", ["export"]), ("shoal fit prep", ["prepare"]), ("shoal relax wat", ["water.xyz"]),
                         ("shoal completion z", ["zsh"]), ("shoal relax --method=f", ["--method=fire"])):
        done = subprocess.run(["fish", "--no-config", "-c", f"source script.fish; complete -C '{line}'"], cwd=directory,
                              capture_output=True, text=True, check=False)
        equal([row.split("\t")[0] for row in done.stdout.splitlines()], wanted, f"fish: {line} {done.stderr}")


with tempfile.TemporaryDirectory() as top:
    test_pages()
    test_variables()
    test_roff(top)
    test_syntax(top, test_scripts())
    if shutil.which("bash"):
        test_bash(top)
        test_fish(top)
finish()
