/* SPDX-License-Identifier: BSD-3-Clause
 * Vectors of four numbers, and sums over the members of a work-group in a fixed order. WG is the size
 * of a work-group. */
#ifndef SHOAL_KERNELS_VECTORS_H
#define SHOAL_KERNELS_VECTORS_H

#include "real.h"

#include "real_vectors.h"

SHOAL_FN v3 from4(real4 r)
{
    return v3_make(r.x, r.y, r.z);
}

SHOAL_FN real4 to4(v3 r, real w)
{
    return (real4)(r.x, r.y, r.z, w);
}

/* Sums x, y, z of every work-item and takes the largest w; all of them get the result, NaN included.
 * Fixed order. */
SHOAL_FN real4 combine(real4 value, local real4 *red)
{
    const int l = (int)get_local_id(0);
    red[l] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    real4 part = (real4)(0, 0, 0, 0);
    if (l < 8)
        for (int k = 0; k < WG / 8; ++k) {
            const real4 r = red[8 * k + l];
            part = (real4)(part.x + r.x, part.y + r.y, part.z + r.z,
                           real_max(part.w, r.w) + (r.w - r.w));
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 8) red[l] = part;
    barrier(CLK_LOCAL_MEM_FENCE);
    real4 all = red[0];
    for (int k = 1; k < 8; ++k) {
        const real4 r = red[k];
        all = (real4)(all.x + r.x, all.y + r.y, all.z + r.z, real_max(all.w, r.w) + (r.w - r.w));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return all;
}

#endif
