# SPDX-License-Identifier: BSD-3-Clause
# The container file, read and tried without an engine for containers: container.py DEMO.sdf DOWNLOADS.
"""Every stage becomes a folder with Debian of its name, in which the instructions are carried out one by one; then the last stage does what users ask of
it: its default command, a relaxation and its report, as the user it names. Needs root and debootstrap. SKBUILD_CMAKE_DEFINE is handed on, so that a trial
may build for fewer machines than the file says."""

import dataclasses
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import trial

TOP = pathlib.Path(__file__).resolve().parents[2]
FILE = TOP / "packaging/container/Containerfile"
sys.path.insert(0, str(TOP / "tools"))
import source_tree  # noqa: E402  # beside this folder

IMAGE = re.compile(r"docker\.io/library/debian:12-slim")
KNOWN = {"FROM", "RUN", "COPY", "ENV", "USER", "WORKDIR", "ENTRYPOINT", "CMD"}
TOOLS = {"gcc", "g++", "clang", "cmake", "make", "ninja-build", "libc6-dev"}
HANDED_ON = ("SKBUILD_CMAKE_DEFINE", "http_proxy", "https_proxy")


@dataclasses.dataclass
class Stage:
    image: str
    name: str
    steps: list  # (instruction, text)

    def last(self, instruction, default=""):
        return next((text for word, text in reversed(self.steps) if word == instruction), default)


def stages():
    text = re.sub(r"\\\n\s*", "", "".join(line for line in FILE.open(encoding="utf-8") if not line.lstrip().startswith("#")))
    found = []
    for line in filter(None, map(str.strip, text.splitlines())):
        word, _, rest = line.partition(" ")
        if word == "FROM":
            image, _, name = rest.partition(" AS ")
            found.append(Stage(image, name or str(len(found)), []))
        else:
            found[-1].steps.append((word, rest))
    return found


def faults_of_run(text):
    if "apt-get install" in text:
        for wanted in ("apt-get update &&", "-y", "--no-install-recommends", "lib/apt/lists/*"):
            if wanted not in text:
                yield f"RUN {text[:40]}: no {wanted}"
    if "pip install" in text and "--no-cache-dir" not in text:
        yield f"RUN {text[:40]}: no --no-cache-dir"
    if "sudo " in text or "cd /" in text:
        yield f"RUN {text[:40]}: sudo and cd do nothing here: USER, WORKDIR"


def faults(found):
    """What a reader of container files would find fault with."""
    for stage in found:
        if not IMAGE.fullmatch(stage.image):
            yield f"FROM {stage.image}: expected an image with its registry and version that the trial knows"
        for word, text in stage.steps:
            if word not in KNOWN:
                yield f"{word}: not among {sorted(KNOWN)}"
            if word == "RUN":
                yield from faults_of_run(text)
            if word == "WORKDIR" and not text.startswith("/"):
                yield f"WORKDIR {text}: not absolute"
            if word in ("ENTRYPOINT", "CMD") and not text.startswith("["):
                yield f"{word} {text}: a shell would stand between signals and the program: expected JSON"
    last = found[-1]
    if last.last("USER", "root") in ("root", "0"):
        yield "the program would run as root: no USER"
    inside = TOOLS & {w for word, text in last.steps if word == "RUN" for w in shlex.split(text)}
    if inside:
        yield f"the last stage has {sorted(inside)}"


class Machine:
    """A stage in a folder."""

    def __init__(self, stage, root, downloads):
        self.stage, self.root, self.user, self.place = stage, root, "root", "/"
        self.values = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}
        trial.debian(root, downloads / f"{trial.SUITE}-slim.tar", ())

    def run(self, *words, stdout=subprocess.DEVNULL):
        """As the file's ENV, USER and WORKDIR have it; PIP_CERT is this trial's."""
        values = {**self.values, "PIP_CERT": "/etc/shoal-certificates", "DEBIAN_FRONTEND": "noninteractive",
                  **{name: os.environ[name] for name in HANDED_ON if name in os.environ}}
        line = f'cd {shlex.quote(self.place)} && exec "$@"'
        trial.inside(self.root, "/usr/bin/env", "-i", *(f"{k}={v}" for k, v in values.items()), "sh", "-ec", line, "sh", *words,
                     user=self.user, stdout=stdout)

    def copy(self, text, others):
        words = shlex.split(text)
        source = others[words.pop(0).removeprefix("--from=")].root if words[0].startswith("--from=") else TOP
        *names, there = words
        target = self.root / there.lstrip("/")
        for name in names:
            if source == TOP:
                for path in source_tree.files(TOP):
                    (target / path).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(TOP / path, target / path, follow_symlinks=False)
            else:
                shutil.copytree(source / name.lstrip("/"), target, dirs_exist_ok=True)

    def carry_out(self, word, text, others):
        if word == "RUN":
            self.run("sh", "-c", text)
        elif word == "COPY":
            self.copy(text, others)
        elif word == "ENV":
            for name, value in (w.split("=", 1) for w in shlex.split(text)):
                self.values[name] = re.sub(r"\$(\w+)", lambda m: self.values.get(m.group(1), ""), value)
        elif word == "USER":
            self.user, self.values["HOME"] = text, f"/home/{text}"
        elif word == "WORKDIR":
            self.place = text
            (self.root / text.lstrip("/")).mkdir(parents=True, exist_ok=True)


def build(found, place, downloads):
    """The last stage, with everything carried out."""
    made = {}
    for stage in found:
        machine = Machine(stage, place / stage.name, downloads)
        shutil.copyfile(trial.CERTIFICATES, machine.root / "etc/shoal-certificates")
        for word, text in stage.steps:
            start = time.monotonic()
            machine.carry_out(word, text, made)
            print(f"container: {stage.name}: {time.monotonic() - start:5.0f} s  {word} {text[:90]}", flush=True)
        made[stage.name] = machine
    return machine


def use(machine, demo):
    """What docker run -v FOLDER:/data would do; seconds of the relaxation and its report."""
    data = machine.root / machine.place.lstrip("/")
    data.chmod(0o777)
    shutil.copyfile(demo, data / "demo.sdf")
    entry = json.loads(machine.stage.last("ENTRYPOINT", "[]"))
    machine.run(*entry, *json.loads(machine.stage.last("CMD", "[]")), stdout=None)
    start = time.monotonic()
    machine.run(*entry, "relax", "--quiet", "demo.sdf", "-o", "run.h5")
    machine.run(*entry, "report", "run.h5", "-o", "report.html")
    trial.page_is_whole(data / "report.html")
    trial.no_compiler(machine.root)
    return time.monotonic() - start


def main(demo, downloads):
    found = stages()
    wrong = list(faults(found))
    if wrong:
        raise SystemExit("\n".join(f"release: {FILE.name}: {text}" for text in wrong))
    print(f"container: {FILE.name}: {len(found)} stages, nothing to find fault with")
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        raise SystemExit("release: the container file cannot be tried: it needs root and debootstrap")
    with tempfile.TemporaryDirectory(prefix="shoal-container-") as name:
        seconds = use(build(found, pathlib.Path(name), downloads), demo)
    if seconds > trial.LIMIT:
        raise SystemExit(f"release: container: {seconds:.0f} s for a relaxation and its report, expected {trial.LIMIT}")
    print(f"container: relaxed and reported in {seconds:.1f} s by a user without rights; no compiler inside")


if __name__ == "__main__":
    main(*(pathlib.Path(word).resolve() for word in sys.argv[1:]))
