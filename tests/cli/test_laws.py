# SPDX-License-Identifier: BSD-3-Clause
# Batch laws through the command line, bitwise: alone = together, order, threads, isolation, repeat.
import os
import random
import subprocess
import tempfile

from program import CASES, PROGRAM, TOP, check, equal, finish, run_json, write

ENVIRONMENT_SETS = ("base", "avx2", "avx512")


def records(path):
    return [r + "$$$$\n" for r in path.read_text().split("$$$$\n") if r.strip()]


def results(directory, verb, blocks, *options):
    """What must not change: all numbers of every system as they are printed."""
    path = write(directory, "blocks.sdf", "".join(blocks))
    extra = ("--max-steps", "60") if verb == "relax" else ("--forces",)
    rows = run_json(verb, "--json", "-q", *extra, *options, path, code=None)
    equal(len(rows), len(blocks), f"{verb}: one row per system")
    for row in rows:
        for key in ("index", "file", "record"):
            del row[key]
    return [repr(row) for row in rows]


def clash(block):
    """The second atom on top of the first one."""
    lines = block.split("\n")
    lines[5] = lines[4][:30] + lines[5][30:]
    return "\n".join(lines)


def crystal(block, pbc):
    """The molecule in a cell of its own size, with charges where the sum over the cell allows them."""
    lines = block.rstrip("$\n").split("\n")
    n = int(lines[3][:3])
    atoms = [[float(line[10 * c:10 * c + 10]) for c in range(3)] for line in lines[4:4 + n]]
    edges = [max(a[c] for a in atoms) - min(a[c] for a in atoms) + 3.0 for c in range(3)]
    cell = [edges[0], 0, 0, 0.2 * edges[0], edges[1], 0, -0.1 * edges[0], 0.3 * edges[1], edges[2]]
    charges = [0.1 if i % 2 else -0.1 for i in range(n - n % 2)] + [0.0] * (n % 2)
    fields = [("Lattice", " ".join(f"{x:.4f}" for x in cell)), ("pbc", pbc)]
    if pbc.count("T") > 1:
        fields.append(("partial_charges", " ".join(map(str, charges))))
    return "\n".join(lines + [f"> <{key}>\n{value}\n" for key, value in fields]) + "\n$$$$\n"


def test_laws(directory, verb, options, n_blocks=40, every=8):
    blocks = records(TOP / "examples" / "demo.sdf") + records(CASES / "types.sdf")
    rng = random.Random(7)
    rng.shuffle(blocks)
    blocks = [b for b in blocks if int(b.split("\n")[3][:3]) > 1][:n_blocks]
    for i, pbc in enumerate(("T T T", "T T F", "T F F") * (n_blocks // 20)):
        blocks[6 * i + 1] = crystal(blocks[6 * i + 1], pbc)
    what = f"{verb} {' '.join(options)}"
    base = results(directory, verb, blocks, *options)
    equal(results(directory, verb, blocks, *options), base, f"{what}: repeat")
    equal(results(directory, verb, blocks, *options, "--threads", 1), base, f"{what}: one thread")
    equal(results(directory, verb, blocks, *options, "--threads", 3), base, f"{what}: three threads")
    order = list(range(len(blocks)))
    rng.shuffle(order)
    shuffled = results(directory, verb, [blocks[i] for i in order], *options)
    equal(shuffled, [base[i] for i in order], f"{what}: order")
    for i in range(0, len(blocks), every):
        equal(results(directory, verb, [blocks[i]], *options), [base[i]], f"{what}: alone")
        equal(results(directory, verb, [blocks[i]] * 19, *options), [base[i]] * 19, f"{what}: many")
    broken = results(directory, verb, [clash(blocks[0])] + blocks[1:], *options)
    equal(broken[1:], base[1:], f"{what}: a broken neighbour")


def test_instruction_sets(directory):
    path = TOP / "examples" / "demo.sdf"
    outputs = set()
    for name in ENVIRONMENT_SETS:
        done = subprocess.run([PROGRAM, "relax", "-q", "--json", path],
                              env=dict(os.environ, SHOAL_CPU=name), capture_output=True, text=True)
        equal(done.returncode, 0, f"SHOAL_CPU={name}")
        outputs.add(done.stdout)
    equal(len(outputs), 1, "results of all instruction sets")
    check(all(outputs), "there are results")


def test_device(directory):
    """The same on OpenCL, with fewer systems; PoCL unless SHOAL_TEST_DEVICE names another one."""
    device = os.environ.get("SHOAL_TEST_DEVICE", "opencl:cpu")
    if not device.startswith("opencl"):
        return
    probe = subprocess.run([PROGRAM, "energy", "-q", "--device", device, CASES / "glycine.sdf"],
                           capture_output=True, text=True)
    if probe.returncode != 0:
        print(f"{device} left out: {probe.stderr.strip()}")
        check(not os.environ.get("CI"), "nothing is left out there")
        return
    for verb, options in (("energy", ()), ("relax", ()), ("relax", ("--method", "fire"))):
        test_laws(directory, verb, ("--device", device, *options), n_blocks=20, every=5)


def main():
    with tempfile.TemporaryDirectory() as directory:
        for verb in ("energy", "relax"):
            for options in ((), ("--precision", "float"), ("--precision", "double")):
                test_laws(directory, verb, ("--device", "cpu", *options))
        test_laws(directory, "relax", ("--device", "cpu", "--method", "fire"))
        test_device(directory)
        test_instruction_sets(directory)
    finish()


if __name__ == "__main__":
    main()
