# SPDX-License-Identifier: BSD-3-Clause
# The devices of this machine.
"""Devices: what systems can be computed on, by the names that ``Batch(device=..)`` takes."""

from __future__ import annotations

import ctypes
import warnings
from dataclasses import dataclass
from typing import Any

from . import _abi
from ._handle import brief, text, word
from ._lib import ArgumentError, check, lib


@dataclass(frozen=True)
class Device:
    """One device; texts are "" and numbers 0 where they do not apply.

    >>> import shoal
    >>> shoal.devices()[0].device
    'cpu'
    """

    device: str
    """Its name for ``Batch(device=..)``: "cpu", "ref", "opencl:0"."""
    name: str
    vendor: str
    platform: str
    driver: str
    version: str
    instruction_set: str
    """Of "cpu": the build that runs, "base", "avx2" or "avx512"."""
    type: str
    """"cpu", "gpu", "accelerator" or "other"."""
    compute_units: int
    clock_mhz: int
    memory_bytes: int
    max_buffer_bytes: int
    local_bytes: int
    max_group_size: int
    fp64: bool


def devices() -> list[Device]:
    """All devices: "cpu", "ref", then those of OpenCL, if there is any."""
    n = ctypes.c_int32()
    check(lib.shoal_device_count(ctypes.byref(n)))
    found = []
    for k in range(n.value):
        info = _abi.shoal_device_info()
        check(lib.shoal_device_get(k, ctypes.byref(info)))
        names = Device.__dataclass_fields__
        values: dict[str, Any] = {name: getattr(info, name) for name in names}
        values["type"] = lib.shoal_device_type_name(info.type)
        texts = {k: text(v) for k, v in values.items() if isinstance(v, bytes)}
        found.append(Device(**{**values, **texts}))
    return found


def resolve(device: str) -> str:
    """The device that a name means here: "auto" becomes the first GPU, or "cpu".

    Several names may be joined by commas. Raises DeviceError where there is no such device.
    """
    if not isinstance(device, str) or not device:
        raise ArgumentError(
            f"device: expected a name such as 'cpu' or 'opencl:0', got {brief(device)}"
        )
    if device == "cpu":
        return device
    out = ctypes.create_string_buffer(24)
    names = []
    for part in device.split(","):
        check(lib.shoal_device_resolve(word("device", part), out))
        names.append(text(out.value))
        check(lib.shoal_device_check(out.value))
    if "opencl" in ",".join(names) and lib.shoal_cache_folder(None, 0) == _abi.SHOAL_E_IO:
        warnings.warn(text(lib.shoal_error_text()), stacklevel=4)
    return ",".join(names)


def left_idle(device: str, seconds: float) -> str:
    """The GPU that stood idle while the processor took so long that it would have paid, or ""."""
    out = ctypes.create_string_buffer(24)
    lib.shoal_device_left_idle(word("device", device), seconds, out)
    return text(out.value)
