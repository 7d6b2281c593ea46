/* SPDX-License-Identifier: BSD-3-Clause
 * What a work-group works with: memory, vectors, sums over its members, data of the program. */
#ifndef SHOAL_KERNELS_GROUP_MEMORY_H
#define SHOAL_KERNELS_GROUP_MEMORY_H

#include "layout.h"
#include "real.h"

#ifdef SHOAL_DOUBLE
typedef double4 real4;
#else
typedef float4 real4;
#endif

#ifdef SHOAL_LARGE
#define SPACE global
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#else
#define SPACE local
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#endif

SHOAL_FN v3 load3(SPACE const real4 *p, uint i)
{
    const real4 r = p[i];
    return v3_make(r.x, r.y, r.z);
}

SHOAL_FN void store3(SPACE real4 *p, uint i, v3 f)
{
    p[i] = (real4)(f.x, f.y, f.z, 0);
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

/* Kernels that need no energies leave them out. */
#ifdef SHOAL_NO_ENERGY
#define ADD_ENERGY(to, value) (void)(value)
#else
#define ADD_ENERGY(to, value) ((to) += (value))
#endif

typedef struct energies {
    real bond, angle, torsion, inversion, vdw, coulomb, restraint, surface;
} energies;

#define NO_ENERGIES                                                                                \
    {                                                                                              \
        0, 0, 0, 0, 0, 0, 0, 0                                                                     \
    }

typedef struct program_data {
    global const uint4 *bonds, *angles, *torsions, *inversions;
    global const real4 *forms, *atoms;
    global const real *numbers; /* parameters in double precision; unused in float */
    global const int *gather_start;
    global const uint4 *gather;
    global const uint *exclude;
    global const real *restraints; /* of this system */
    int n_restraints;
} program_data;

#ifdef SHOAL_DOUBLE
#define NUMBER(data, word) (data)->numbers[word]
#else
#define NUMBER(data, word) as_float(word)
#endif

#endif
