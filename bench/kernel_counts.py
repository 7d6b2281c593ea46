#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts the instructions of a kernel for an NVIDIA GPU without having one.

clang (with its NVPTX target), opt, llc and llvm-link of one version compile a kernel as OpenCL C, ptxas and nvdisasm of the
CUDA toolkit (also in the wheels nvidia-cuda-nvcc-cu12 and triton) do the rest. Prints, block by block between jumps, how many
instructions there are, how many touch local memory, and which functions they come from; at the end registers and sums. What a
step takes is the sum over the blocks that it runs through, times how often.

usage: kernel_counts.py KERNEL [--group 32] [--define NAME ..] [--kernels FOLDER] [--tools FOLDER] [--llvm 14] [--arch sm_90]
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

# The functions that kernels take from OpenCL, by what the GPU has for them.
LIBRARY = """
#define OV __attribute__((overloadable, always_inline))
typedef unsigned int uint;
typedef unsigned long size_t, ulong;
typedef float float4 __attribute__((ext_vector_type(4)));
float OV native_rsqrt(float x) { return __nvvm_rsqrt_approx_ftz_f(x); }
float OV native_sqrt(float x) { return __nvvm_sqrt_approx_ftz_f(x); }
float OV native_divide(float x, float y) { return __nvvm_div_approx_ftz_f(x, y); }
float OV native_exp(float x) { return __nvvm_ex2_approx_ftz_f(x * 1.44269504f); }
float OV fabs(float x) { return __nvvm_fabs_ftz_f(x); }
float OV atan2(float y, float x) { return __nvvm_div_approx_ftz_f(y, x) * 0.3f + (y < x ? 1.f : 2.f); } /* about */
float OV log(float x) { return __nvvm_lg2_approx_ftz_f(x); }
size_t OV get_local_id(uint d) { return __nvvm_read_ptx_sreg_tid_x(); }
size_t OV get_group_id(uint d) { return __nvvm_read_ptx_sreg_ctaid_x(); }
void OV __attribute__((convergent)) barrier(uint f) { __nvvm_bar_sync(0); }
int OV max(int a, int b) { return a > b ? a : b; }
int OV min(int a, int b) { return a < b ? a : b; }
uint OV max(uint a, uint b) { return a > b ? a : b; }
ulong OV max(ulong a, ulong b) { return a > b ? a : b; }
uint OV mul_hi(uint a, uint b) { return __nvvm_mulhi_ui(a, b); }
float4 OV vload4(size_t i, const __global float *p) { p += 4 * i; return (float4)(p[0], p[1], p[2], p[3]); }
void OV vstore4(float4 v, size_t i, __global float *p) { p += 4 * i; p[0] = v.x; p[1] = v.y; p[2] = v.z; p[3] = v.w; }
"""
SMALL = {"v3_add", "v3_sub", "v3_scale", "v3_dot", "v3_cross", "v3_make", "load3", "store3", "from4", "to4", "real_inverses"}
TOP = pathlib.Path(__file__).resolve().parents[1]


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{command[0]}: {done.stderr.strip()[:2000]}")
    return done.stdout + done.stderr


def compile_kernel(o, work):
    """The machine code as text, and what ptxas says of registers."""
    common = ["-x", "cl", "-cl-std=CL1.2", "-target", "nvptx64-nvidia-nvcl", "-Xclang", "-target-cpu", "-Xclang", "sm_80",
              "-Xclang", "-target-feature", "-Xclang", "+ptx72", "-S", "-emit-llvm"]  # fmt: skip
    (work / "library.cl").write_text(LIBRARY)
    run(f"clang-{o.llvm}", *common, "-O2", "-w", work / "library.cl", "-o", work / "library.ll")
    run(f"clang-{o.llvm}", *common, "-Xclang", "-finclude-default-header", "-O3", "-gline-tables-only", "-ffp-contract=fast",
        "-fdenormal-fp-math=preserve-sign,preserve-sign", "-cl-mad-enable", "-w", "-I", o.kernels, f"-DWG={o.group}",
        *[f"-D{d}" for d in o.define], o.kernels / f"{o.kernel}.cl", "-o", work / "kernel.ll")  # fmt: skip
    run(f"llvm-link-{o.llvm}", "-S", work / "kernel.ll", work / "library.ll", "-o", work / "both.ll")
    missing = re.findall(r"declare .*@(_Z\w+)\(", (work / "both.ll").read_text())
    if missing:
        sys.exit(f"{o.kernel} calls {', '.join(missing)}, which LIBRARY lacks")
    run(f"opt-{o.llvm}", "-S", "-O3", "-internalize", f"-internalize-public-api-list={o.kernel}", work / "both.ll", "-o",
        work / "best.ll")  # fmt: skip
    run(f"llc-{o.llvm}", "-mcpu=sm_80", "-mattr=+ptx72", "-nvptx-prec-divf32=0", "-nvptx-prec-sqrtf32=0",
        "--fp-contract=fast", "-O3", work / "best.ll", "-o", work / "kernel.ptx")  # fmt: skip
    text = (work / "kernel.ptx").read_text()
    text = re.sub(r"\.version 7\.2", ".version 7.8", re.sub(r"\.target sm_80.*", f".target {o.arch}", text))
    text = re.sub(r'(?m)^(\s*\.file\s+\d+) "([^"]*)" "(.*)"', r'\1 "\3"', text)
    (work / "kernel.ptx").write_text(text)
    said = run(o.tools / "ptxas", f"-arch={o.arch}", "-O3", "-v", work / "kernel.ptx", "-o", work / "kernel.cubin")
    return run(o.tools / "nvdisasm", "-g", "-c", work / "kernel.cubin"), said


def functions_of(folder):
    """(file, line) -> the function there."""
    out = {}
    for path in folder.iterdir():
        name = "?"
        for number, line in enumerate(path.read_text().split("\n"), 1):
            begins = re.match(r"(?:SHOAL_FN|kernel|void|static).*?\b(\w+)\(", line)
            name = begins.group(1) if begins else name
            name = "the kernel" if "reqd_work_group_size" in line else name
            out[path.name, number] = name
    return out


def print_blocks(text, functions):
    block, where, last = ["start", 0, 0, collections.Counter()], "?", ""
    counts = collections.Counter()

    def end(label):
        nonlocal block
        if block[1]:
            names = ", ".join(f"{name} {n}" for name, n in block[3].most_common(4))
            print(f"{block[0]:>12} {block[1]:5} local {block[2]:3}  {names}  {last}")
        block = [label, 0, 0, collections.Counter()]

    for line in text.split("\n"):
        source = re.match(r'\s*//## File "(?:.*/)?(.*?)", line (\d+)', line)
        label = re.match(r"\.(L_\w+):", line)
        code = re.match(r"\s*/\*[0-9a-f]{4,5}\*/\s+(.*?);", line)
        if source:
            name = functions.get((source.group(1), int(source.group(2))), "?")
            where = where if name in SMALL or name == "?" else name
        elif label:
            end(label.group(1))
        elif code:
            last = code.group(1) if re.search(r"\b(BRA|EXIT)\b|BAR\.", code.group(1)) else ""
            block[1] += 1
            block[2] += bool(re.search(r"\b(LDS|STS)\b", code.group(1)))
            block[3][where] += 1
            for kind in ("LDS", "STS", "LDG", "STG", "LDL", "STL", "MUFU", "BAR", "FFMA", "FMUL", "FADD"):
                counts[kind] += bool(re.search(rf"\b{kind}\b", code.group(1)))
            counts["all"] += 1
            if "BRA" in code.group(1):
                end("")
    end("")
    print(dict(counts))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernel", help="such as group_fire")
    parser.add_argument("--group", type=int, default=32, help="work-items of a group (default 32)")
    parser.add_argument("--define", action="append", default=[], help="such as SHOAL_CHARGES")
    parser.add_argument("--kernels", type=pathlib.Path, default=TOP / "kernels", help="folder of sources")
    parser.add_argument("--tools", type=pathlib.Path, default=pathlib.Path("/usr/local/cuda/bin"), help="of ptxas and nvdisasm")
    parser.add_argument("--llvm", default="14", help="version of clang and its tools (default 14)")
    parser.add_argument("--arch", default="sm_90")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        text, said = compile_kernel(options, pathlib.Path(folder))
    print_blocks(text, functions_of(options.kernels))
    print("\n".join(line.strip() for line in said.split("\n") if re.search("registers|spill", line)))


main()
