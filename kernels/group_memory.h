/* SPDX-License-Identifier: BSD-3-Clause
 * What a work-group works with: memory, vectors, sums over its members, data of the program. */
#ifndef SHOAL_KERNELS_GROUP_MEMORY_H
#define SHOAL_KERNELS_GROUP_MEMORY_H

#include "layout.h"
#include "vectors.h"

SHOAL_FN v3 load3(local const real4 *p, uint i)
{
    const real4 r = p[i];
    return v3_make(r.x, r.y, r.z);
}

SHOAL_FN void store3(local real4 *p, uint i, v3 f)
{
    p[i] = (real4)(f.x, f.y, f.z, 0);
}

/* Kernels that need no energies leave them out. */
#ifdef SHOAL_NO_ENERGY
#define ADD_ENERGY(to, value) (void)(value)
#else
#define ADD_ENERGY(to, value) ((to) += (value))
#endif

typedef struct energies {
    real bond, angle, torsion, inversion, vdw, coulomb, restraint;
} energies;

#define NO_ENERGIES                                                                                \
    {                                                                                              \
        0, 0, 0, 0, 0, 0, 0                                                                        \
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
