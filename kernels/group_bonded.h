/* SPDX-License-Identifier: BSD-3-Clause
 * Bonded terms of a system, spread over a work-group; every term writes slots of its own. */
#ifndef SHOAL_KERNELS_GROUP_BONDED_H
#define SHOAL_KERNELS_GROUP_BONDED_H

#include "bonded_terms.h"
#include "group_memory.h"
#include "uff_centre.h"

/* Forces of torsions with the same i, j, k: the sums on i and on the last atoms, and what the latter pull along b. With
 * those on j and k they have no sum and, but for the switches of straight ones, no torque. */
typedef struct torsion_pull {
    v3 first, last, along;
} torsion_pull;

/* Adds one torsion; the force on its last atom is returned. */
SHOAL_FN v3 torsion_pull_add(torsion_pull *sum, const torsion_frame *t, real slope)
{
    const v3 last = v3_scale(slope * t->pull2, t->n2);
    sum->first = v3_sub(sum->first, v3_scale(slope * t->pull1, t->n1));
    sum->last = v3_add(sum->last, last);
    sum->along = v3_add(sum->along, v3_scale(t->along2, last));
    return last;
}

/* The same where an arm is straight: `along` gets what makes the force on j right. */
SHOAL_FN v3 torsion_pull_straight(torsion_pull *sum, torsion_par p, real along1, v3 a, v3 b, v3 c,
                                  energies *e)
{
    v3 fi, fj, fk, fl;
    ADD_ENERGY(e, TORSION, uff_torsion_straight(p, a, b, c, &fi, &fj, &fk, &fl));
    sum->first = v3_add(sum->first, fi);
    sum->last = v3_add(sum->last, fl);
    sum->along = v3_add(sum->along, v3_sub(fj, v3_scale(along1 - R(1.0), fi)));
    return fl;
}

SHOAL_FN void eval_torsions(const topology_record *t, const program_data *data,
                            local const real4 *pos, local real4 *slot, energies *e)
{
    const int l = (int)get_local_id(0);
    for (int k = l; k < t->n_torsions; k += WG) {
        const uint4 q = data->torsions[2 * (t->torsion + k)];
        const uint4 w = data->torsions[2 * (t->torsion + k) + 1];
        const v3 rj = load3(pos, q.x >> 16), rk = load3(pos, q.y & 0xffffu);
        const v3 a = v3_sub(load3(pos, q.x & 0xffffu), rj), b = v3_sub(rk, rj);
        const int count = (int)(q.w >> 24), base = (int)w.w, straight = uff_bend_is_straight(a, b);
        const v3 zero = v3_make(0, 0, 0);
        torsion_pull sum = {zero, zero, zero};
        real length, ib2;
        torsion_frame frame = torsion_frame_begin(a, b, &length, &ib2);
        for (int m = 0; m < count; ++m) {
            const uint last = m == 0 ? q.y >> 16 : m == 1 ? q.z & 0xffffu : q.z >> 16;
            const uint code = q.w >> (8 * m);
            torsion_par p;
            p.v = NUMBER(data, m == 0 ? w.x : m == 1 ? w.y : w.z);
            p.n = (int)(code & 7u);
            p.d = code & 8u ? R(-1.0) : R(1.0);
            const v3 c = v3_sub(load3(pos, last), rk);
            v3 force;
            if (straight | uff_bend_is_straight(c, b)) {
                force = torsion_pull_straight(&sum, p, frame.along1, a, b, c, e);
            } else {
                real slope;
                torsion_frame_end(&frame, b, c, length, ib2);
                ADD_ENERGY(e, TORSION, uff_torsion_at(p, frame.cosine, frame.sine, &slope));
                force = torsion_pull_add(&sum, &frame, slope);
            }
            store3(slot, base + 3 + m, force);
        }
        const v3 first = v3_scale(frame.along1, sum.first);
        store3(slot, base, sum.first);
        store3(slot, base + 1, v3_add(v3_sub(first, sum.first), sum.along));
        store3(slot, base + 2, v3_sub(v3_sub(v3_scale(R(-1.0), first), sum.along), sum.last));
    }
}

/* Word w of centre k: those of all centres stand together, so that neighbours read neighbours. */
#define CENTRE(k, w) data->centres[t->centre + (w)*t->n_centres + (k)]

SHOAL_FN angle_par centre_angle_par(const program_data *data, real base, uint4 powers)
{
    angle_par p;
    p.p[0] = base;
    p.p[1] = NUMBER(data, powers.x);
    p.p[2] = NUMBER(data, powers.y);
    p.p[3] = NUMBER(data, powers.z);
    p.p[4] = NUMBER(data, powers.w);
    return p;
}

/* A guard by its number among the forms plus 1; 0: none. */
SHOAL_FN angle_guard load_guard(const program_data *data, uint number)
{
    angle_guard g;
    g.k = R(0.0);
    g.from = R(1.0);
    if (number == 0) return g;
    const real4 form = data->forms[number - 1];
    g.k = form.x;
    g.from = form.y;
    return g;
}

/* Planar centres: each of the three neighbours out of plane in turn, and their bonds and angles. */
SHOAL_FN void eval_centres(const topology_record *t, const program_data *data,
                           local const real4 *pos, local real4 *slot, energies *e)
{
    for (int k = WG - 1 - (int)get_local_id(0); k < t->n_centres; k += WG) {
        const uint4 q = CENTRE(k, 0), w = CENTRE(k, 1), u = CENTRE(k, 2);
        const real4 form = data->forms[w.x];
        const v3 rj = load3(pos, q.x >> 16);
        centre_arm a, b, c;
        bond_par bond;
        inversion_par p;
        bond.k = NUMBER(data, w.z);
        bond.r0 = NUMBER(data, w.w);
        ADD_ENERGY(e, BOND, centre_bond(&a, bond, v3_sub(load3(pos, q.x & 0xffffu), rj)));
        bond.k = NUMBER(data, u.x);
        bond.r0 = NUMBER(data, u.y);
        ADD_ENERGY(e, BOND, centre_bond(&b, bond, v3_sub(load3(pos, q.y & 0xffffu), rj)));
        bond.k = NUMBER(data, u.z);
        bond.r0 = NUMBER(data, u.w);
        ADD_ENERGY(e, BOND, centre_bond(&c, bond, v3_sub(load3(pos, q.y >> 16), rj)));
        const real base = NUMBER(data, q.w); /* of all three angles */
        ADD_ENERGY(e, ANGLE, centre_angle(&a, &b, centre_angle_par(data, base, CENTRE(k, 3))));
        ADD_ENERGY(e, ANGLE, centre_angle(&a, &c, centre_angle_par(data, R(0.0), CENTRE(k, 4))));
        ADD_ENERGY(e, ANGLE, centre_angle(&b, &c, centre_angle_par(data, R(0.0), CENTRE(k, 5))));
        if (centre_is_tight(&a, &b) | centre_is_tight(&a, &c) | centre_is_tight(&b, &c)) {
            const uint4 guards = CENTRE(k, 6);
            ADD_ENERGY(e, ANGLE, centre_guard(&a, &b, load_guard(data, guards.x)));
            ADD_ENERGY(e, ANGLE, centre_guard(&a, &c, load_guard(data, guards.y)));
            ADD_ENERGY(e, ANGLE, centre_guard(&b, &c, load_guard(data, guards.z)));
        }
        p.k = NUMBER(data, w.y);
        p.c0 = form.x;
        p.c1 = form.y;
        p.c2 = form.z;
        ADD_ENERGY(e, INVERSION, centre_inversion(&a, &b, &c, p));
        ADD_ENERGY(e, INVERSION, centre_inversion(&b, &c, &a, p));
        ADD_ENERGY(e, INVERSION, centre_inversion(&c, &a, &b, p));
        store3(slot, q.z, a.force);
        store3(slot, q.z + 1, v3_sub(v3_sub(v3_scale(R(-1.0), a.force), b.force), c.force));
        store3(slot, q.z + 2, b.force);
        store3(slot, q.z + 3, c.force);
    }
}

/* Terms of any kind that no other loop takes. Programs for systems without them leave the loop out: it
 * would cost registers. */
#ifdef SHOAL_PLAIN_TERMS
/* Where the energy of a term goes. Pairs are met from both sides, and vdW counts 12-fold, that of pair models once. */
#ifdef SHOAL_MODEL
#define TERM_VDW_SHARES R(2.0)
#else
#define TERM_VDW_SHARES R(24.0)
#endif
#define TERM_SHARES(energy)                                                                        \
    ((energy) == ENERGY_VDW ? TERM_VDW_SHARES : (energy) == ENERGY_COULOMB ? R(2.0) : R(1.0))

/* Kinds with directions are left out where there are none; two zeros fill up a row. */
#ifdef SHOAL_DIRECTIONS
#define HAS_NO_DIRECTIONS 0
#else
#define HAS_NO_DIRECTIONS 1
#endif
#define TERM_HAS_DIRECTION(n, t0, b0, t1, b1) ((t0) == (b0) || ((n) > 2 && (t1) == (b1)))

SHOAL_FN void eval_terms(const topology_record *t, const program_data *data, local const real4 *pos,
                         local real4 *slot, energies *e)
{
    for (int k = (int)get_local_id(0); k < t->n_terms; k += WG) {
        global const uint4 *record = data->terms + TERM_WORDS * (t->term + k);
        const uint4 q = record[0], u = record[1], w = record[2];
        const real p[TERM_NUMBERS] = {NUMBER(data, u.x), NUMBER(data, u.y), NUMBER(data, u.z),
                                      NUMBER(data, u.w), NUMBER(data, w.x), NUMBER(data, w.y),
                                      NUMBER(data, w.z), NUMBER(data, w.w)};
        const v3 r[4] = {load3(pos, q.x & 0xffffu), load3(pos, q.x >> 16),
                         load3(pos, q.y & 0xffffu), load3(pos, q.y >> 16)};
        v3 arms[TERM_ARMS], f[4];
        switch (q.w) {
#define EVAL_TERM(NAME, name, ENERGY, n_atoms, n_par, n_num, numbers, shape, value, par, units,    \
                  form, t0, b0, t1, b1, t2, b2)                                                    \
    case TERM_KIND_##NAME:                                                                         \
        if (HAS_NO_DIRECTIONS && TERM_HAS_DIRECTION(n_atoms, t0, b0, t1, b1)) break;               \
        arms[0] = TERM_ARM(r, t0, b0);                                                             \
        arms[1] = TERM_ARM(r, t1, b1);                                                             \
        arms[2] = TERM_ARM(r, t2, b2);                                                             \
        ADD_ENERGY(e, ENERGY,                                                                      \
                   TERM_SHARES(ENERGY_##ENERGY) * bonded_term(TERM_KIND_##NAME, p, arms, f));      \
        for (int c = 0; c < n_atoms; ++c) store3(slot, q.z + c, f[c]);                             \
        break;
            TERM_KINDS(EVAL_TERM)
#undef EVAL_TERM
        }
    }
}
#define EVAL_TERMS(t, data, pos, slot, e) eval_terms(t, data, pos, slot, e)
#else
#define EVAL_TERMS(t, data, pos, slot, e)
#endif

SHOAL_FN void eval_angles(const topology_record *t, const program_data *data,
                          local const real4 *pos, local real4 *slot, energies *e)
{
    const int l = (int)get_local_id(0);
    const int at_angle = t->at_angle;
    for (int k = l; k < t->n_angles; k += WG) {
        const uint4 q = data->angles[2 * (t->angle + k)], w = data->angles[2 * (t->angle + k) + 1];
        angle_par p;
        p.p[0] = NUMBER(data, q.z);
        p.p[1] = NUMBER(data, q.w);
        p.p[2] = NUMBER(data, w.x);
        p.p[3] = NUMBER(data, w.y);
        p.p[4] = NUMBER(data, w.z);
        const v3 rj = load3(pos, q.x >> 16);
        const v3 a = v3_sub(load3(pos, q.x & 0xffffu), rj);
        const v3 b = v3_sub(load3(pos, q.y & 0xffffu), rj);
        v3 fi, fk;
        real cosine;
        ADD_ENERGY(e, ANGLE, uff_angle(p, a, b, &fi, &fk, &cosine));
        if (w.w != 0 && cosine > UFF_TIGHT)
            ADD_ENERGY(e, ANGLE, uff_guard(load_guard(data, w.w), a, b, &fi, &fk));
        store3(slot, at_angle + 3 * k, fi);
        store3(slot, at_angle + 3 * k + 1, v3_sub(v3_scale(R(-1.0), fi), fk));
        store3(slot, at_angle + 3 * k + 2, fk);
    }
}

SHOAL_FN void eval_bonds(const topology_record *t, const program_data *data, local const real4 *pos,
                         local real4 *slot, energies *e)
{
    const int l = (int)get_local_id(0);
    const int at_bond = t->at_angle + 3 * t->n_angles;
    for (int k = l; k < t->n_bonds; k += WG) {
        const uint4 q = data->bonds[t->bond + k];
        bond_par p;
        p.k = NUMBER(data, q.y);
        p.r0 = NUMBER(data, q.z);
        v3 f;
        ADD_ENERGY(e, BOND,
                   uff_bond(p, v3_sub(load3(pos, q.x & 0xffffu), load3(pos, q.x >> 16)), &f));
        store3(slot, at_bond + 2 * k, f);
        store3(slot, at_bond + 2 * k + 1, v3_scale(R(-1.0), f));
    }
}

#endif
