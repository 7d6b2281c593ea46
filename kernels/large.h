/* SPDX-License-Identifier: BSD-3-Clause
 * Large and periodic systems: many work-groups per system, arrays in global memory. Every kernel has
 * the same arguments; a group works on one block. Coordinates are kept relative to an anchor, a
 * multiple of LARGE_STEP angstrom, so that differences of neighbours keep their digits in float.
 *
 * No barrier stands behind a condition: where there is nothing to do, loops have no turns. */
#ifndef SHOAL_KERNELS_LARGE_H
#define SHOAL_KERNELS_LARGE_H

#define WG LARGE_GROUP
#include "large_layout.h"
#include "vectors.h"

#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_local_int32_base_atomics : enable

/* Parts of a turn, in units that wrap around by themselves. */
#ifdef SHOAL_DOUBLE
typedef ulong turn;
typedef ulong4 turn4;
#define TURN_SCALE 4611686018427387904.0 /* 2^62 */
#define TURN_CODE(x) ((ulong)(long)(x) << 2)
#define TURN_UNIT 5.42101086242752217e-20 /* 2^-64 */
#define TURN_VALUE(t) ((real)(long)(t)*TURN_UNIT)
#else
typedef uint turn;
typedef uint4 turn4;
#define TURN_SCALE 1073741824.0f /* 2^30 */
#define TURN_CODE(x) ((uint)(int)(x) << 2)
#define TURN_UNIT 2.3283064365386963e-10f /* 2^-32 */
#define TURN_VALUE(t) ((real)(int)(t)*TURN_UNIT)
#endif

#define LARGE_ARGUMENTS                                                                            \
    global const large_topology *topologies, global const int4 *term_atoms,                        \
        global const int4 *term_shifts, global const real4 *term_numbers,                          \
        global const int *gather_start, global const uint4 *gather,                                \
        global const int *exclude_start, global const int2 *exclude, global const real4 *atoms,    \
        global const int *link_start, global const int *link_atoms,                                \
        global const real *link_shares, global const real *link_scales,                            \
        global const int *site_atoms, global const real *site_numbers,                             \
        global const real *settings, global const int4 *blocks,                                    \
        global const large_system *systems, global const int4 *restraint_atoms,                    \
        global const real *restraints, global const real *geometry, global int *status,            \
        global real *states, global real *terms, global const real4 *anchors,                      \
        global const int4 *homes, global const turn4 *anchor_turns, global real4 *positions,       \
        global real4 *forces, global real4 *wrapped, global int4 *images, global turn4 *turns,     \
        global real4 *origins, global real4 *slots, global real4 *sums, global uint *list,         \
        global int *cells, global const real4 *table, global const int4 *kvecs,                    \
        global const real4 *kvec_values, global real4 *kvec_sums, global real4 *moves,             \
        global real4 *history, global real4 *lows, global real4 *strains,                          \
        global const real4 *mesh_turns, global const real2 *mesh_weights, global real *mesh,       \
        global real *splines, const int first_block

#define LARGE_SETUP                                                                                \
    const int l = (int)get_local_id(0);                                                            \
    const int4 block = blocks[first_block + (int)get_group_id(0)];                                 \
    global const large_system *sys = systems + block.x;                                            \
    global const large_topology *t = topologies + sys->topology;                                   \
    global const real *geo = geometry + LARGE_GEOMETRY * block.x;                                  \
    global int *stat = status + LARGE_STATUS * block.x;                                            \
    const int n = t->n_points, n_particles = n + t->n_sites, at = sys->atom;                       \
    const int movers = n + t->n_directions;                                                        \
    (void)l, (void)geo, (void)stat, (void)n, (void)n_particles, (void)at,                          \
        (void)movers; /* some need only some */

/* Whether a system is on its way, and whether it takes part in steps now. */
#define LARGE_ON_WAY (stat[LARGE_FLAGS] == 0 && stat[LARGE_OUTCOME] == STEP_GOING)
#define LARGE_GOING (LARGE_ON_WAY && stat[LARGE_DRIVER + STEP_EVALS] < stat[LARGE_LIMIT])

/* When a relaxation ends, and how far its steps go; by the state of the system. */
#define LARGE_LIMITS                                                                               \
    {                                                                                              \
        settings[LARGE_FMAX2], state[STEP_MAX_MOVE], (int)settings[LARGE_MAX_STEPS]                \
    }

/* Sum number k of a block of movers of the system. */
#define LARGE_SUM(block_of_movers, k)                                                              \
    sums[sys->sum + sys->bonded + LARGE_SUMS * (block_of_movers) + (k)]

/* What differences of positions need; pointers to the first atom of the system. */
typedef struct large_space {
    global const real4 *pos, *anchor;
    global const int4 *home;
    global const real *geo;
    int periodic;
} large_space;

#define LARGE_SPACE                                                                                \
    {                                                                                              \
        positions + at, anchors + at, homes + at, geo, sys->periodic                               \
    }

SHOAL_FN int4 large_shift(int code)
{
    return (int4)((code & 1023) - 512, (code >> 10 & 1023) - 512, (code >> 20 & 1023) - 512, 0);
}

/* n a + m b + k c, from one of the two parts of the cell. */
SHOAL_FN v3 large_lattice(global const real *a, int4 n)
{
    const real x = (real)n.x, y = (real)n.y, z = (real)n.z;
    return v3_make(x * a[0] + y * a[3] + z * a[6], x * a[1] + y * a[4] + z * a[7],
                   x * a[2] + y * a[5] + z * a[8]);
}

/* r_j + shift - r_i. */
SHOAL_FN v3 large_apart(const large_space *s, int i, int j, int4 shift)
{
    const real4 ai = s->anchor[i], aj = s->anchor[j];
    v3 high = v3_make(aj.x - ai.x, aj.y - ai.y, aj.z - ai.z);
    v3 low = v3_sub(from4(s->pos[j]), from4(s->pos[i]));
    if (s->periodic) {
        const int4 m = shift + s->home[j] - s->home[i];
        high = v3_add(high, large_lattice(s->geo + LARGE_HIGH, m));
        low = v3_add(low, large_lattice(s->geo + LARGE_LOW, m));
    }
    return v3_add(high, low);
}

/* One component of a position in units of the dual basis. */
SHOAL_FN real large_along(global const real *dual, v3 r)
{
    return r.x * dual[0] + r.y * dual[1] + r.z * dual[2];
}

SHOAL_FN turn large_turn(global const real *dual, v3 r)
{
    const real f = large_along(dual, r);
    return TURN_CODE((f - rint(f)) * TURN_SCALE);
}

/* Where an atom is for its pairs: moved by whole cells as when the list was made. w is its charge. */
SHOAL_FN real4 large_wrap(global const real *geo, real4 anchor, v3 u, int4 image, real charge)
{
    const v3 high = v3_sub(from4(anchor), large_lattice(geo + LARGE_HIGH, image));
    return to4(v3_add(high, v3_sub(u, large_lattice(geo + LARGE_LOW, image))), charge);
}

/* Whether phases of the particles are wanted. */
#define LARGE_HAS_PHASES(sys) ((sys)->n_kvecs > 0 || (sys)->order > 0)

/* Phases of an atom. */
SHOAL_FN turn4 large_turns(global const real *geo, turn4 anchor, v3 u)
{
    return (turn4)(anchor.x + large_turn(geo + LARGE_KVEC, u),
                   anchor.y + large_turn(geo + LARGE_KVEC + 3, u),
                   anchor.z + large_turn(geo + LARGE_KVEC + 6, u), 0);
}

/* Adds scale times what a force on something at d does to the slope by strain: xx, yy, zz, yz; xz, xy. */
SHOAL_FN void large_strain(real scale, v3 d, v3 f, real4 *low, real4 *high)
{
    const real part = R(-0.5) * scale;
    *low += (real4)(-scale * d.x * f.x, -scale * d.y * f.y, -scale * d.z * f.z,
                    part * (d.y * f.z + d.z * f.y));
    *high += (real4)(part * (d.x * f.z + d.z * f.x), part * (d.x * f.y + d.y * f.x), 0, 0);
}

/* Sums of four values of every work-item; work-item q gets the sum of number q. red[4 WG]. */
SHOAL_FN real4 combine_quads(const real4 *v, local real4 *red)
{
    const int l = (int)get_local_id(0);
    for (int q = 0; q < LARGE_QUAD; ++q) red[q * WG + l] = v[q];
    barrier(CLK_LOCAL_MEM_FENCE);
    real4 part = (real4)(0, 0, 0, 0);
    if (l < 8 * LARGE_QUAD)
        for (int k = 0; k < WG / 8; ++k) part += red[(l >> 3) * WG + (l & 7) + 8 * k];
    barrier(CLK_LOCAL_MEM_FENCE);
    red[l] = part;
    barrier(CLK_LOCAL_MEM_FENCE);
    real4 all = (real4)(0, 0, 0, 0);
    if (l < LARGE_QUAD)
        for (int k = 0; k < 8; ++k) all += red[8 * l + k];
    barrier(CLK_LOCAL_MEM_FENCE);
    return all;
}

#endif
