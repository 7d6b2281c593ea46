# SPDX-License-Identifier: BSD-3-Clause
# shoal devices: the table and the JSON lines agree, and every device named can be asked for.
from program import check, equal, finish, run, run_json

COMMON = {"device": str, "name": str, "type": str, "vendor": str, "compute_units": int, "memory_bytes": int,
          "fp64": bool}
OPENCL = {"platform": str, "driver": str, "version": str, "clock_mhz": int, "max_buffer_bytes": int,
          "local_bytes": int, "max_group_size": int}


def check_keys(device, keys):
    for key, kind in keys.items():
        check(type(device.get(key)) is kind, f"{device.get('device')}: {key} is {device.get(key)!r}")


def test_list():
    devices = run_json("devices", "--json", "-q")
    names = [d["device"] for d in devices]
    equal(names[:2], ["cpu", "ref"], "first devices")
    equal(names[2:], [f"opencl:{i}" for i in range(len(names) - 2)], "devices of OpenCL")
    for device in devices:
        check_keys(device, COMMON)
        check(device["compute_units"] > 0, f"{device['device']}: compute units")
        if device["device"].startswith("opencl"):
            check_keys(device, OPENCL)
    check(devices[0].get("instruction_set") in ("base", "avx2", "avx512"), "instruction set")
    rows = run("devices", "-q").stdout.splitlines()
    equal([row.split()[0] for row in rows], ["device"] + names, "rows of the table")
    for device, row in zip(devices, rows[1:]):
        check(device["name"] in row, f"{device['device']}: name in the table")


def test_messages():
    for arguments in ((), ("--json",)):
        done = run("devices", *arguments)
        equal(done.returncode, 0, f"exit code of devices {arguments}")
        gpu = "gpu" in done.stdout
        check(gpu or "penCL" in done.stderr or "opencl" in done.stderr, "a word on why there is no GPU")
    equal(run("devices", "-q").stderr, "", "stderr with -q")
    equal(run("devices", "--help").returncode, 0, "exit code of --help")
    equal(run("devices", "file.xyz").returncode, 2, "exit code with a file")
    equal(run("devices", "--fast").returncode, 2, "exit code with an unknown option")


if __name__ == "__main__":
    test_list()
    test_messages()
    finish()
