#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Build Shoal and time dynamics beside FIRE on a GPU. usage: bench/gpu_md.sh [DEVICE] (default opencl:nvidia)
#
# Works from a bare checkout as bench/gpu.sh does; prints JSON lines. "of_fire" is what counts: the steps per
# second of a driver in those of FIRE, which must not fall below 0.8.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/gpu_build.sh"

echo "== random numbers, drift and steps on the device"
SHOAL_TEST_DEVICE=$device "$build/tests/test_cl_md"
echo "== steps per second, ${SYSTEMS:-20000} systems"
"$build/bench_md" "$device" "${SYSTEMS:-20000}" "${STEPS:-500}" data/bench/xylitol.sdf data/bench/ptcda.sdf \
  data/bench/imatinib.sdf
