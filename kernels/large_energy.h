/* SPDX-License-Identifier: BSD-3-Clause
 * Sums over the blocks of a large system by one work-group, where the history of L-BFGS lies, and how movers are
 * placed. */
#ifndef SHOAL_KERNELS_LARGE_ENERGY_H
#define SHOAL_KERNELS_LARGE_ENERGY_H

#include "large.h"
#include "step_direction.h"

/* Vector v of mover i: moves, changes of the gradient preconditioned, accepted coordinates, forces there,
 * the same preconditioned; what S is applied with. */
#define LARGE_ATOM_HISTORY(v, i)                                                                   \
    history[LARGE_VECTORS * (size_t)at + (size_t)(v) * (size_t)movers + (size_t)(i)]

/* Sum (x, y, z) and largest (w) of number k over all blocks of movers. */
SHOAL_FN real4 large_sum_blocks(global const large_system *sys, int movers,
                                global const real4 *sums, int k, local real4 *red)
{
    const int n_blocks = (movers + WG - 1) / WG;
    real4 all = (real4)(0, 0, 0, 0);
    for (int b = (int)get_local_id(0); b < n_blocks; b += WG) {
        const real4 s = LARGE_SUM(b, k);
        all = (real4)(all.x + s.x, all.y + s.y, all.z + s.z, real_max(all.w, s.w) + (s.w - s.w));
    }
    return combine(all, red);
}

/* Energy of all terms of a kind; their blocks follow each other kind by kind. */
SHOAL_FN real large_bonded_energy(global const large_system *sys, global const large_topology *t,
                                  global const real4 *sums, int kind, local real4 *red)
{
    int first = 0;
    for (int k = 0; k < kind; ++k) first += (t->n_terms[k] + WG - 1) / WG;
    const int last = first + (t->n_terms[kind] + WG - 1) / WG;
    real4 all = (real4)(0, 0, 0, 0);
    for (int b = first + (int)get_local_id(0); b < last; b += WG) all += sums[sys->sum + b];
    return combine(all, red).x;
}

/* Energy of all of it, the size of its parts (y), and the largest squared force (w). */
SHOAL_FN real4 large_energy(global const large_system *sys, global const large_topology *t,
                            global const real *geo, global const real4 *sums, local real4 *red)
{
    real4 all = (real4)(0, 0, 0, 0);
    for (int b = (int)get_local_id(0); b < sys->bonded; b += WG) all += sums[sys->sum + b];
    const real bonded = combine(all, red).x;
    const int movers = t->n_points + t->n_directions;
    const real4 rest = large_sum_blocks(sys, movers, sums, LARGE_SUM_ENERGY, red);
    const real surface = large_sum_blocks(sys, movers, sums, LARGE_SUM_SURFACE, red).x;
    const real self = geo[LARGE_CONSTANT];
    return (real4)(bonded + rest.x + rest.y + rest.z + surface + self,
                   real_abs(bonded) + real_abs(rest.x) + real_abs(rest.y) + real_abs(rest.z) +
                       real_abs(surface) + real_abs(self),
                   0, rest.w);
}

/* Puts atom i at r, relative to its anchor, and everywhere else where its place is kept; far.w gets
 * its squared distance from where the list was made. */
#define LARGE_PLACE(r)                                                                             \
    {                                                                                              \
        const v3 since = v3_sub(r, from4(origins[at + i]));                                        \
        far.w = v3_dot(since, since);                                                              \
        positions[at + i] = to4(r, 0);                                                             \
        wrapped[at + i] = large_wrap(geo, anchors[at + i], r, images[at + i], wrapped[at + i].w);  \
        if (LARGE_HAS_PHASES(sys)) turns[at + i] = large_turns(geo, anchor_turns[at + i], r);      \
    }

/* Dynamics: mover i makes its step by itself. */
#define LARGE_MD_MOVE(i)                                                                           \
    {                                                                                              \
        real4 v = moves[at + i];                                                                   \
        const v3 f = from4(forces[at + i]);                                                        \
        v3 r = from4(positions[at + i]), low = from4(lows[at + i]);                                \
        if (i < n) {                                                                               \
            md_move_atom(&s, &number, &m, state[LARGE_CLOSE], i, f, &v, &r, &low);                 \
            lows[at + i] = to4(low, 0);                                                            \
            LARGE_PLACE(r)                                                                         \
        } else {                                                                                   \
            md_move_direction(&s, &number, &m, state[LARGE_CLOSE], i, f, &v, &r);                  \
            positions[at + i] = to4(r, 0);                                                         \
        }                                                                                          \
        moves[at + i] = v;                                                                         \
    }

#endif
