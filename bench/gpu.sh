#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Build, check and time Shoal on a GPU, in one go. usage: bench/gpu.sh [DEVICE] (default opencl:nvidia)
#
# Works from a bare checkout on a machine with gcc, cmake and OpenCL; prints JSON lines.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/gpu_build.sh"
shoal=$build/shoal
"$shoal" devices

echo "== device against ref"
"$shoal" check --device "$device" examples/demo.sdf
SHOAL_TEST_DEVICE=$device "$build/tests/test_conformance"

echo "== relaxation steps per second, 20 000 systems"
for case in formic_acid xylitol ptcda imatinib peptide; do
  for method in fire lbfgs; do
    "$shoal" bench --case "$case" --systems 20000 --steps 500 --what relax --method "$method" \
      --device "$device" --json
  done
done
echo "== the same with 1000 systems"
for case in xylitol ptcda imatinib peptide; do
  "$shoal" bench --case "$case" --systems 1000 --steps 2000 --what relax --method fire \
    --device "$device" --json
done

echo "== on NaCl(001) 8x8x3 with its grid, 20 000 systems"
for case in xylitol ptcda; do
  for method in fire lbfgs; do
    "$shoal" bench --case "$case" --surface nacl --systems 20000 --steps 500 --what relax \
      --method "$method" --device "$device" --json
  done
done
echo "== the same, without a small period: a grid of 63.8 x 63.8 A"
"$shoal" slab rocksalt NaCl --size 16x16 --charge 0.9 --vacancy 0,1 -o "$build/hole.xyz"
"$shoal" bench --case xylitol --surface "$build/hole.xyz" --systems 20000 --steps 500 --what relax \
  --method fire --device "$device" --json
echo "== building the 0.1 A grid of the 1536-atom slab, whole cell"
"$shoal" bench --what grid --surface nacl:16x16x3 --device "$device" --repeats 3 --json
