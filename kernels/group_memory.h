/* SPDX-License-Identifier: BSD-3-Clause
 * What a work-group works with: memory, vectors, sums over its members, data of the program. */
#ifndef SHOAL_KERNELS_GROUP_MEMORY_H
#define SHOAL_KERNELS_GROUP_MEMORY_H

#include "layout.h"
#include "step.h"
#include "term_kinds.h"
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

/* The force on atom i, no longer than squares allow; the shortened one takes its place. */
SHOAL_FN v3 load_force(local real4 *force, uint i)
{
    const v3 f = load3(force, i);
    const real largest = real_max(real_max(real_abs(f.x), real_abs(f.y)), real_abs(f.z));
    if (!(largest > FORCE_MOST)) return f;
    const v3 shorter = v3_scale(FORCE_MOST / largest, f);
    store3(force, i, shorter);
    return shorter;
}

/* The larger of two numbers that are not negative, NaN or infinite if one of them is. As whole numbers they have the same
 * order, which takes one instruction instead of four. */
#ifdef SHOAL_DOUBLE
#define larger_size(a, b) as_double(max(as_ulong(a), as_ulong(b)))
#else
#define larger_size(a, b) as_float(max(as_uint(a), as_uint(b)))
#endif

/* combine() with two barriers instead of four: red holds RED_SIZE(WG) vectors, where the parts have a
 * place of their own, so that the next call may begin at once. (In kernels that call it once nothing is
 * gained, and PoCL 3.1 fails to compile some of them with it.) */
SHOAL_FN real4 group_combine(real4 value, local real4 *red)
{
    const int l = (int)get_local_id(0);
    red[l] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    real4 part = (real4)(0, 0, 0, 0);
    if (l < 8) {
        for (int k = 0; k < WG / 8; ++k) {
            const real4 r = red[8 * k + l];
            part = (real4)(part.x + r.x, part.y + r.y, part.z + r.z, larger_size(part.w, r.w));
        }
        red[WG + l] = part;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    real4 all = red[WG];
    for (int k = 1; k < 8; ++k) {
        const real4 r = red[WG + k];
        all = (real4)(all.x + r.x, all.y + r.y, all.z + r.z, larger_size(all.w, r.w));
    }
    all.w += all.w - all.w; /* NaN if it is infinite */
    return all;
}

/* Kernels that need no energies leave them out. */
#ifdef SHOAL_NO_ENERGY
#define ADD_ENERGY(e, NAME, value) (void)(value)
#else
#define ADD_ENERGY(e, NAME, value) ((e)->of[ENERGY_##NAME] += (value))
#endif

/* By the names of TERM_ENERGIES, filled up to threes. Indices are constants everywhere, so that these are registers. */
typedef struct energies {
    real of[(N_ENERGIES + 2) / 3 * 3];
} energies;

#define NO_ENERGIES                                                                                \
    {                                                                                              \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

/* Atoms, and the sites beside them. */
#ifdef SHOAL_SITES
#define N_PARTICLES(t) ((t)->n_points + (t)->n_sites)
#else
#define N_PARTICLES(t) (t)->n_points
#endif

/* Vectors that steps move: atoms and directions. */
#ifdef SHOAL_DIRECTIONS
#define N_MOVERS(t) ((t)->n_points + (t)->n_directions)
#else
#define N_MOVERS(t) (t)->n_points
#endif

typedef struct program_data {
    global const uint4 *bonds, *angles, *torsions, *terms, *centres;
    global const real4 *forms, *atoms;
    global const real *numbers; /* parameters in double precision; unused in float */
    global const int *gather_start;
    global const uint4 *gather;
    global const uint *exclude;
    global const real *restraints; /* of this system */
    int n_restraints;
#ifdef SHOAL_SITES
    global const uint4 *sites; /* of this topology */
#endif
} program_data;

#ifdef SHOAL_DOUBLE
#define NUMBER(data, word) (data)->numbers[word]
#else
#define NUMBER(data, word) as_float(word)
#endif

#endif
