#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Build Shoal and time dynamics beside FIRE on a GPU. usage: bench/gpu_md.sh [DEVICE] (default opencl:nvidia)
#
# Works from a bare checkout as bench/gpu.sh does; prints JSON lines. "of_fire" is what counts: the steps per
# second of a driver in those of FIRE, which must not fall below 0.8.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
device=${1:-opencl:nvidia}
build=${BUILD:-build-gpu}

# Containers often have NVIDIA's driver without its entry for the OpenCL loader.
if [ ! -e /etc/OpenCL/vendors/nvidia.icd ] && ldconfig -p 2>/dev/null | grep -q libnvidia-opencl.so.1; then
  mkdir -p /etc/OpenCL/vendors && echo libnvidia-opencl.so.1 > /etc/OpenCL/vendors/nvidia.icd
fi
cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DSHOAL_TESTS=ON > "$build.log" 2>&1 || { cat "$build.log"; exit 1; }
cmake --build "$build" -j "$(nproc)" > "$build.log" 2>&1 || { tail -30 "$build.log"; exit 1; }

echo "== random numbers, drift and steps on the device"
SHOAL_TEST_DEVICE=$device "$build/tests/test_cl_md"
echo "== steps per second, ${SYSTEMS:-20000} systems"
"$build/bench_md" "$device" "${SYSTEMS:-20000}" "${STEPS:-500}" data/bench/xylitol.sdf data/bench/ptcda.sdf \
  data/bench/imatinib.sdf
