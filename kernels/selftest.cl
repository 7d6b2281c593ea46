/* SPDX-License-Identifier: BSD-3-Clause
 * What a device must get right before it is trusted: local memory and barriers. */

/* One work-group sums its share of values; the group size is a power of two. */
__kernel void selftest_sum(__global const float *values, __global float *sums,
                           __local float *scratch)
{
    const int lane = (int)get_local_id(0);
    scratch[lane] = values[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int stride = (int)get_local_size(0) / 2; stride > 0; stride /= 2) {
        if (lane < stride) scratch[lane] += scratch[lane + stride];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0) sums[get_group_id(0)] = scratch[0];
}
