/* SPDX-License-Identifier: BSD-3-Clause
 * The slope of the energy of systems that repeat by strain, after their forces: of terms and of sites, summed by
 * blocks. Pairs are in large_image_strain.cl, k-vectors are left to the host. */
#include "large.h"
#include "large_sites.h"

/* Sums over a block, where they are wanted. */
SHOAL_FN void put_sums(int wanted, global real4 *to, real4 low, real4 high, local real4 *red)
{
    const real w = low.w; /* combine takes the largest of these */
    const real4 a = combine((real4)(low.x, low.y, low.z, 0), red);
    const real4 b = combine((real4)(w, high.x, high.y, 0), red);
    if (wanted && get_local_id(0) == 0) {
        to[0] = (real4)(a.x, a.y, a.z, b.x);
        to[1] = (real4)(b.y, b.z, 0, 0);
    }
}

#define CORNER(a, c) ((c) == 0 ? (a).x : (c) == 1 ? (a).y : (c) == 2 ? (a).z : (a).w)

/* Arms lead from the first corner of a term to the others; directions do not take part. */
#define ADD_ARM(n_atoms, t, b, shift)                                                              \
    if ((t) != (b)) {                                                                              \
        corner[t] = v3_add(corner[b],                                                              \
                           large_apart(&space, CORNER(a, b), CORNER(a, t), large_shift(shift)));   \
        large_strain(R(1.0), corner[t], from4(slot[(n_atoms)*k + (t)]), &low, &high);              \
    }

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_strain_terms(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local real4 red[WG];
    const large_space space = LARGE_SPACE;
    const int kind = block.z, k = block.y + l;
    real4 low = (real4)(0, 0, 0, 0), high = low;
    if (sys->periodic && k < t->n_terms[kind]) {
        const int term = t->term[kind] + k;
        const int4 a = term_atoms[term], shifts = term_shifts[term];
        global const real4 *slot = slots + sys->slot + t->slot[kind];
        v3 corner[4];
        for (int c = 0; c < 4; ++c) corner[c] = v3_make(0, 0, 0);
        switch (kind) {
#define STRAIN_TERM(NAME, name, ENERGY, n_atoms, n_par, n_num, numbers, shape, value, par, units,  \
                    form, t0, b0, t1, b1, t2, b2)                                                  \
    case TERM_KIND_##NAME:                                                                         \
        ADD_ARM(n_atoms, t0, b0, shifts.x)                                                         \
        if (TERM_ARM_COUNT(n_atoms, t0, b0) > 1) ADD_ARM(n_atoms, t1, b1, shifts.y)                \
        if (TERM_ARM_COUNT(n_atoms, t0, b0) > 2) ADD_ARM(n_atoms, t2, b2, shifts.z)                \
        break;
            TERM_KINDS(STRAIN_TERM)
#undef STRAIN_TERM
        }
    }
    put_sums(sys->periodic, strains + sys->strain + 2 * block.w, low, high, red);
}

/* The frames turn and bend with the strain, and do not stretch what they hold. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_strain_sites(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local real4 red[WG];
    const large_space space = LARGE_SPACE;
    const int k = block.y + l;
    real4 low = (real4)(0, 0, 0, 0), high = low;
    if (sys->periodic && k < t->n_sites) {
        global const real4 *from = slots + sys->slot + t->site_slot + LARGE_SITE_SLOTS * k;
        global const int *words = site_atoms + 4 * LARGE_SITE_FOURS * (t->site + k);
        const large_site s = LARGE_SITE(k);
        large_strain(R(-1.0), site_offset(&s.frame, s.at), from4(from[0]), &low, &high);
        for (int m = 0; m < s.n_arms; ++m)
            large_strain(R(1.0),
                         large_apart(&space, words[LARGE_S_FROM + m], words[LARGE_S_TO + m],
                                     large_shift(words[LARGE_S_SHIFT + m])),
                         from4(from[1 + 2 * m]), &low, &high);
    }
    put_sums(sys->periodic, strains + sys->strain + 2 * (sys->bonded + n_particles + block.w), low,
             high, red);
}
