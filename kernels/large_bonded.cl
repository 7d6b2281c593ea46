/* SPDX-License-Identifier: BSD-3-Clause
 * Bonded terms of large systems, one per work-item; every term writes slots of its own. */
#include "large.h"
#include "uff_terms.h"

SHOAL_FN void put(global real4 *slot, int k, v3 f)
{
    slot[k] = to4(f, 0);
}

SHOAL_FN real bond_term(const large_space *s, int4 a, int4 shifts, real4 p, global real4 *slot)
{
    bond_par par;
    v3 f;
    par.k = p.x;
    par.r0 = p.y;
    const v3 d = large_apart(s, a.x, a.y, large_shift(shifts.x));
    const real e = uff_bond(par, v3_scale(R(-1.0), d), &f);
    put(slot, 0, f);
    put(slot, 1, v3_scale(R(-1.0), f));
    return e;
}

SHOAL_FN real angle_term(const large_space *s, int4 a, int4 shifts, real4 p, real last,
                         global real4 *slot)
{
    angle_par par;
    v3 fi, fk;
    par.p[0] = p.x;
    par.p[1] = p.y;
    par.p[2] = p.z;
    par.p[3] = p.w;
    par.p[4] = last;
    const real e = uff_angle(par, large_apart(s, a.y, a.x, large_shift(shifts.x)),
                             large_apart(s, a.y, a.z, large_shift(shifts.y)), &fi, &fk);
    put(slot, 0, fi);
    put(slot, 1, v3_scale(R(-1.0), v3_add(fi, fk)));
    put(slot, 2, fk);
    return e;
}

SHOAL_FN real torsion_term(const large_space *s, int4 a, int4 shifts, real4 p, global real4 *slot)
{
    torsion_par par;
    v3 fi, fj, fk, fl;
    real e;
    par.v = p.x;
    par.d = p.y;
    par.n = shifts.w;
    const v3 u = large_apart(s, a.y, a.x, large_shift(shifts.x));
    const v3 b = large_apart(s, a.y, a.z, large_shift(shifts.y));
    const int4 last = large_shift(shifts.z) - large_shift(shifts.y);
    const v3 c = large_apart(s, a.z, a.w, last);
    if (uff_torsion_is_straight(u, b, c))
        e = uff_torsion_straight(par, u, b, c, &fi, &fj, &fk, &fl);
    else
        e = uff_torsion(par, u, b, c, &fi, &fj, &fk, &fl);
    put(slot, 0, fi);
    put(slot, 1, fj);
    put(slot, 2, fk);
    put(slot, 3, fl);
    return e;
}

SHOAL_FN real inversion_term(const large_space *s, int4 a, int4 shifts, real4 p, global real4 *slot)
{
    inversion_par par;
    v3 fi, fk, fl;
    real e;
    par.k = p.x;
    par.c0 = p.y;
    par.c1 = p.z;
    par.c2 = p.w;
    const v3 u = large_apart(s, a.y, a.x, large_shift(shifts.x));
    const v3 b = large_apart(s, a.y, a.z, large_shift(shifts.y));
    const v3 c = large_apart(s, a.y, a.w, large_shift(shifts.z));
    if (uff_inversion_is_straight(u, b, c))
        e = uff_inversion_straight(par, u, b, c, &fi, &fk, &fl);
    else
        e = uff_inversion(par, u, b, c, &fi, &fk, &fl);
    put(slot, 0, fi);
    put(slot, 1, v3_scale(R(-1.0), v3_add(v3_add(fi, fk), fl)));
    put(slot, 2, fk);
    put(slot, 3, fl);
    return e;
}

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
        const real4 p = term_numbers[2 * term];
        global real4 *slot = slots + sys->slot + t->slot[kind] +
                             (kind == LARGE_BONDS    ? 2
                              : kind == LARGE_ANGLES ? 3
                                                     : 4) *
                                 k;
        if (kind == LARGE_BONDS)
            e = bond_term(&space, a, shifts, p, slot);
        else if (kind == LARGE_ANGLES)
            e = angle_term(&space, a, shifts, p, term_numbers[2 * term + 1].x, slot);
        else if (kind == LARGE_TORSIONS)
            e = torsion_term(&space, a, shifts, p, slot);
        else
            e = inversion_term(&space, a, shifts, p, slot);
    }
    const real4 all = combine((real4)(e, 0, 0, 0), red);
    if (l == 0) sums[sys->sum + block.w] = all;
}
