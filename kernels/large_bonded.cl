/* SPDX-License-Identifier: BSD-3-Clause
 * Bonded terms of large systems, one per work-item; every term writes slots of its own. */
#include "bonded_terms.h"
#include "large.h"

SHOAL_FN void put(global real4 *slot, int k, v3 f)
{
    slot[k] = to4(f, 0);
}

/* Atom c of four; c is a constant. */
#define CORNER(a, c) ((c) == 0 ? (a).x : (c) == 1 ? (a).y : (c) == 2 ? (a).z : (a).w)

/* An arm of the term with the atoms a: a difference, or a direction. */
#define LARGE_ARM(t, b, shift)                                                                     \
    ((t) == (b) ? from4(positions[at + CORNER(a, t)])                                              \
                : large_apart(&space, CORNER(a, b), CORNER(a, t), large_shift(shift)))

/* A block holds terms of one kind; block.w is its number. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_bonded(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local real4 red[WG];
    const large_space space = LARGE_SPACE;
    const int kind = block.z, k = block.y + l;
    real e = 0;
    if (LARGE_GOING && k < t->n_terms[kind]) {
        const int term = t->term[kind] + k;
        const int4 a = term_atoms[term], shifts = term_shifts[term];
        const real4 low = term_numbers[2 * term], high = term_numbers[2 * term + 1];
        const real p[TERM_NUMBERS] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
        global real4 *slot = slots + sys->slot + t->slot[kind];
        v3 arms[TERM_ARMS], f[4];
        switch (kind) {
#define LARGE_TERM(NAME, name, ENERGY, n_atoms, n_par, n_num, numbers, shape, value, par, units,   \
                   form, t0, b0, t1, b1, t2, b2)                                                   \
    case TERM_KIND_##NAME:                                                                         \
        arms[0] = LARGE_ARM(t0, b0, shifts.x);                                                     \
        if (TERM_ARM_COUNT(n_atoms, t0, b0) > 1) arms[1] = LARGE_ARM(t1, b1, shifts.y);            \
        if (TERM_ARM_COUNT(n_atoms, t0, b0) > 2) arms[2] = LARGE_ARM(t2, b2, shifts.z);            \
        e = bonded_term(TERM_KIND_##NAME, p, arms, f);                                             \
        for (int c = 0; c < n_atoms; ++c) put(slot, n_atoms *k + c, f[c]);                         \
        break;
            TERM_KINDS(LARGE_TERM)
#undef LARGE_TERM
        }
    }
    const real4 all = combine((real4)(e, 0, 0, 0), red);
    if (l == 0) sums[sys->sum + block.w] = all;
}
