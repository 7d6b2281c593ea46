/* SPDX-License-Identifier: BSD-3-Clause
 * Bonded terms of a system, spread over a work-group; every term writes slots of its own. */
#ifndef SHOAL_KERNELS_GROUP_BONDED_H
#define SHOAL_KERNELS_GROUP_BONDED_H

#include "group_memory.h"
#include "uff_terms.h"

SHOAL_FN void eval_torsions(const topology_record *t, const program_data *data,
                            local const real4 *pos, local real4 *slot, energies *e)
{
    const int l = (int)get_local_id(0);
    for (int k = l; k < t->n_torsions; k += WG) {
        const uint4 q = data->torsions[2 * (t->torsion + k)];
        const uint4 w = data->torsions[2 * (t->torsion + k) + 1];
        const v3 rj = load3(pos, q.x >> 16), rk = load3(pos, q.y & 0xffffu);
        const v3 a = v3_sub(load3(pos, q.x & 0xffffu), rj), b = v3_sub(rk, rj);
        const int count = (int)(q.w >> 24), base = (int)w.w;
        v3 si = v3_make(0, 0, 0), sj = si, sk = si;
        for (int m = 0; m < count; ++m) {
            const uint last = m == 0 ? q.y >> 16 : m == 1 ? q.z & 0xffffu : q.z >> 16;
            const uint code = q.w >> (8 * m);
            torsion_par p;
            p.v = NUMBER(data, m == 0 ? w.x : m == 1 ? w.y : w.z);
            p.n = (int)(code & 7u);
            p.d = code & 8u ? R(-1.0) : R(1.0);
            const v3 c = v3_sub(load3(pos, last), rk);
            v3 fi, fj, fk, fl;
            if (uff_torsion_is_straight(a, b, c))
                ADD_ENERGY(e->torsion, uff_torsion_straight(p, a, b, c, &fi, &fj, &fk, &fl));
            else
                ADD_ENERGY(e->torsion, uff_torsion(p, a, b, c, &fi, &fj, &fk, &fl));
            si = v3_add(si, fi);
            sj = v3_add(sj, fj);
            sk = v3_add(sk, fk);
            store3(slot, base + 3 + m, fl);
        }
        store3(slot, base, si);
        store3(slot, base + 1, sj);
        store3(slot, base + 2, sk);
    }
}

SHOAL_FN void eval_inversions(const topology_record *t, const program_data *data,
                              local const real4 *pos, local real4 *slot, energies *e)
{
    const int l = (int)get_local_id(0);
    const int at_inversion = t->at_inversion;
    for (int k = l; k < t->n_inversions; k += WG) {
        const uint4 q = data->inversions[t->inversion + k];
        const real4 form = data->forms[q.w & 0xffu];
        const int turns = q.w & 0x100u ? 1 : 3; /* each of the three atoms out of plane in turn */
        inversion_par p;
        p.k = NUMBER(data, q.z);
        p.c0 = form.x;
        p.c1 = form.y;
        p.c2 = form.z;
        const v3 rj = load3(pos, q.x >> 16);
        v3 a = v3_sub(load3(pos, q.x & 0xffffu), rj), b = v3_sub(load3(pos, q.y & 0xffffu), rj);
        v3 c = v3_sub(load3(pos, q.y >> 16), rj);
        v3 sa = v3_make(0, 0, 0), sb = sa, sc = sa;
        for (int turn = 0; turn < turns; ++turn) {
            v3 fa, fb, fc;
            if (uff_inversion_is_straight(a, b, c))
                ADD_ENERGY(e->inversion, uff_inversion_straight(p, a, b, c, &fa, &fb, &fc));
            else
                ADD_ENERGY(e->inversion, uff_inversion(p, a, b, c, &fa, &fb, &fc));
            sa = v3_add(sa, fa);
            sb = v3_add(sb, fb);
            sc = v3_add(sc, fc);
            if (turns == 1) continue;
            v3 swap = a; /* i, k, l -> k, l, i, and the sums with them */
            a = b;
            b = c;
            c = swap;
            swap = sa;
            sa = sb;
            sb = sc;
            sc = swap;
        }
        store3(slot, at_inversion + 4 * k, sa);
        store3(slot, at_inversion + 4 * k + 1, v3_scale(R(-1.0), v3_add(v3_add(sa, sb), sc)));
        store3(slot, at_inversion + 4 * k + 2, sb);
        store3(slot, at_inversion + 4 * k + 3, sc);
    }
}

SHOAL_FN void eval_angles(const topology_record *t, const program_data *data,
                          local const real4 *pos, local real4 *slot, energies *e)
{
    const int l = (int)get_local_id(0);
    const int at_angle = t->at_inversion + 4 * t->n_inversions;
    for (int k = l; k < t->n_angles; k += WG) {
        const uint4 q = data->angles[2 * (t->angle + k)], w = data->angles[2 * (t->angle + k) + 1];
        angle_par p;
        p.p[0] = NUMBER(data, q.z);
        p.p[1] = NUMBER(data, q.w);
        p.p[2] = NUMBER(data, w.x);
        p.p[3] = NUMBER(data, w.y);
        p.p[4] = NUMBER(data, w.z);
        const v3 rj = load3(pos, q.x >> 16);
        v3 fi, fk;
        ADD_ENERGY(e->angle, uff_angle(p, v3_sub(load3(pos, q.x & 0xffffu), rj),
                                       v3_sub(load3(pos, q.y & 0xffffu), rj), &fi, &fk));
        store3(slot, at_angle + 3 * k, fi);
        store3(slot, at_angle + 3 * k + 1, v3_scale(R(-1.0), v3_add(fi, fk)));
        store3(slot, at_angle + 3 * k + 2, fk);
    }
}

SHOAL_FN void eval_bonds(const topology_record *t, const program_data *data, local const real4 *pos,
                         local real4 *slot, energies *e)
{
    const int l = (int)get_local_id(0);
    const int at_bond = t->at_inversion + 4 * t->n_inversions + 3 * t->n_angles;
    for (int k = l; k < t->n_bonds; k += WG) {
        const uint4 q = data->bonds[t->bond + k];
        bond_par p;
        p.k = NUMBER(data, q.y);
        p.r0 = NUMBER(data, q.z);
        v3 f;
        ADD_ENERGY(e->bond,
                   uff_bond(p, v3_sub(load3(pos, q.x & 0xffffu), load3(pos, q.x >> 16)), &f));
        store3(slot, at_bond + 2 * k, f);
        store3(slot, at_bond + 2 * k + 1, v3_scale(R(-1.0), f));
    }
}

#endif
