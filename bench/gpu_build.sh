# SPDX-License-Identifier: BSD-3-Clause
# Sourced by the scripts that time Shoal on a GPU, with their arguments: sets device and build, and builds with tests.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
device=${1:-opencl:nvidia}
build=${BUILD:-build-gpu}

# Containers often have NVIDIA's driver without its entry for the OpenCL loader.
if [ ! -e /etc/OpenCL/vendors/nvidia.icd ] && ldconfig -p 2>/dev/null | grep -q libnvidia-opencl.so.1; then
  mkdir -p /etc/OpenCL/vendors && echo libnvidia-opencl.so.1 > /etc/OpenCL/vendors/nvidia.icd
fi
cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DSHOAL_TESTS=ON > "$build.log" 2>&1 || { cat "$build.log"; exit 1; }
cmake --build "$build" -j "$(nproc)" > "$build.log" 2>&1 || { tail -30 "$build.log"; exit 1; }
