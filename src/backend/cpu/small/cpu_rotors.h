/* SPDX-License-Identifier: BSD-3-Clause
 * Torsions over lanes, bond by bond: what belongs to one side of a bond is computed once for all the
 * torsions about it. Included by cpu_lanes.h. */

/* One side of the torsions about a bond: an atom next to j, or to k. */
typedef struct LANE(arm) {
    LANE(block) n;       /* unit normal of its plane with the bond */
    LANE(block) lean;    /* next to k: the way from k to the atom, times pull */
    real pull[LANES];    /* |b| / |a x b| */
    real along[LANES];   /* a . b / b^2 */
    real slope[LANES];   /* sum of -dE/dphi next to j, of +dE/dphi next to k */
    int straight[LANES]; /* in line with the bond: its torsions take the regularised form */
} LANE(arm);

/* The bond itself. */
typedef struct LANE(axis) {
    LANE(block) b;
    real length[LANES], ib2[LANES];
} LANE(axis);

SHOAL_FN void LANE(set_axis)(LANE(axis) * x, const LANE(block) * rj, const LANE(block) * rk, int l)
{
    const v3 b = v3_sub(LANE(get)(rk, l), LANE(get)(rj, l));
    const real b2 = v3_dot(b, b), ib = real_rsqrt(b2 + UFF_TINY);
    x->b.v[0][l] = b.x;
    x->b.v[1][l] = b.y;
    x->b.v[2][l] = b.z;
    x->length[l] = b2 * ib;
    x->ib2[l] = ib * ib;
}

SHOAL_FN void LANE(set_arm)(LANE(arm) * arm, const LANE(axis) * x, const LANE(block) * end,
                            const LANE(block) * foot, int l)
{
    const v3 a = v3_sub(LANE(get)(end, l), LANE(get)(foot, l)), b = LANE(get)(&x->b, l);
    v3 n;
    real inverse, along;
    uff_torsion_arm(a, b, x->ib2[l], &n, &inverse, &along);
    const real pull = x->length[l] * inverse;
    arm->n.v[0][l] = n.x;
    arm->n.v[1][l] = n.y;
    arm->n.v[2][l] = n.z;
    arm->lean.v[0][l] = pull * a.x;
    arm->lean.v[1][l] = pull * a.y;
    arm->lean.v[2][l] = pull * a.z;
    arm->pull[l] = pull;
    arm->along[l] = along;
    arm->slope[l] = 0;
    arm->straight[l] = uff_bend_is_straight(a, b);
}

/* One torsion in one lane; masked, it leaves out lanes with a straight arm. */
SHOAL_FN void LANE(torsion)(torsion_par p, bool masked, LANE(arm) * i, LANE(arm) * k, real *e,
                            int l)
{
    const v3 n = LANE(get)(&i->n, l);
    const int off = masked ? i->straight[l] | k->straight[l] : 0;
    real slope;
    const real energy = uff_torsion_at(p, v3_dot(n, LANE(get)(&k->n, l)),
                                       -v3_dot(n, LANE(get)(&k->lean, l)), &slope);
    slope = off ? R(0.0) : slope;
    i->slope[l] -= slope;
    k->slope[l] += slope;
    e[l] += off ? R(0.0) : energy;
}

/* All lanes of a torsion; with a constant n the compiler keeps only the powers that are needed. */
SHOAL_FN void LANE(torsion_of)(int n, torsion_par p, bool masked, LANE(arm) *restrict i,
                               LANE(arm) *restrict k, real *restrict e)
{
    p.n = n;
    OVER_LANES
    for (int l = 0; l < LANES; ++l) LANE(torsion)(p, masked, i, k, e, l);
}

SHOAL_FN void LANE(turn)(const tables *t, const rotor *r, bool masked, LANE(arm) * arms,
                         real *restrict e)
{
    for (int32_t m = 0; m < r->n_torsions; ++m) {
        const rotor_torsion *q = &t->torsions[r->torsion + m];
        const torsion_par p = q->par;
        LANE(arm) *i = &arms[q->i], *k = &arms[q->l];
        switch (p.n) {
        case 2: LANE(torsion_of)(2, p, masked, i, k, e); break;
        case 3: LANE(torsion_of)(3, p, masked, i, k, e); break;
        case 6: LANE(torsion_of)(6, p, masked, i, k, e); break;
        default: LANE(torsion_of)(p.n, p, masked, i, k, e); break;
        }
    }
}

/* Adds the torsions with a straight arm, lane by lane. */
static void LANE(add_straight)(const tables *t, const rotor *r, const LANE(block) *restrict pos,
                               const LANE(arm) * arms, LANE(block) *restrict force, real *e)
{
    const int32_t *atoms = t->arm_atoms + r->arm;
    for (int32_t n = 0; n < r->n_torsions; ++n) {
        const rotor_torsion *q = &t->torsions[r->torsion + n];
        const int32_t i = atoms[q->i], k = atoms[q->l];
        for (int l = 0; l < LANES; ++l) {
            if (!(arms[q->i].straight[l] | arms[q->l].straight[l])) continue;
            const v3 rj = LANE(get)(&pos[r->j], l), rk = LANE(get)(&pos[r->k], l);
            v3 f[4];
            e[l] +=
                uff_torsion_straight(q->par, v3_sub(LANE(get)(&pos[i], l), rj), v3_sub(rk, rj),
                                     v3_sub(LANE(get)(&pos[k], l), rk), &f[0], &f[1], &f[2], &f[3]);
            LANE(add)(&force[i], l, f[0]);
            LANE(add)(&force[r->j], l, f[1]);
            LANE(add)(&force[r->k], l, f[2]);
            LANE(add)(&force[k], l, f[3]);
        }
    }
}

/* Force of an arm on its atom, and what balances it on j and k; far is 1 next to k. */
SHOAL_FN void LANE(push_arm)(const LANE(arm) * arm, real far, LANE(block) * end, LANE(block) * fj,
                             LANE(block) * fk, int l)
{
    const v3 f = v3_scale(arm->slope[l] * arm->pull[l], LANE(get)(&arm->n, l));
    LANE(add)(end, l, f);
    LANE(add)(fj, l, v3_scale(arm->along[l] + (far - R(1.0)), f));
    LANE(subtract)(fk, l, v3_scale(arm->along[l] + far, f));
}

SHOAL_FN void LANE(push_arms)(const tables *t, const rotor *r, const LANE(arm) *restrict arms,
                              LANE(block) *restrict force)
{
    const int32_t *atoms = t->arm_atoms + r->arm;
    LANE(block) fj = force[r->j], fk = force[r->k];
    for (int32_t n = 0; n < r->n_arms; ++n) {
        const LANE(arm) *arm = &arms[n];
        LANE(block) *end = &force[atoms[n]];
        const real far = n < r->n_near ? R(0.0) : R(1.0);
        OVER_LANES
        for (int l = 0; l < LANES; ++l) LANE(push_arm)(arm, far, end, &fj, &fk, l);
    }
    force[r->j] = fj;
    force[r->k] = fk;
}

static void LANE(eval_rotors)(const tables *t, const LANE(block) *restrict pos,
                              LANE(block) *restrict force, LANE(energies) *restrict e,
                              LANE(arm) *restrict arms)
{
    for (int32_t m = 0; m < t->n_rotors; ++m) {
        const rotor *r = &t->rotors[m];
        const LANE(block) *rj = &pos[r->j], *rk = &pos[r->k];
        LANE(axis) axis;
        int straight[LANES] = {0};
        OVER_LANES
        for (int l = 0; l < LANES; ++l) LANE(set_axis)(&axis, rj, rk, l);
        for (int32_t n = 0; n < r->n_arms; ++n) {
            const LANE(block) *end = &pos[t->arm_atoms[r->arm + n]];
            const LANE(block) *foot = n < r->n_near ? rj : rk;
            LANE(arm) *arm = &arms[n];
            OVER_LANES
            for (int l = 0; l < LANES; ++l) LANE(set_arm)(arm, &axis, end, foot, l);
            OVER_LANES
            for (int l = 0; l < LANES; ++l) straight[l] |= arm->straight[l];
        }
        if (LANE(any)(straight)) {
            LANE(turn)(t, r, true, arms, e->e[SHOAL_TERM_TORSION]);
            LANE(add_straight)(t, r, pos, arms, force, e->e[SHOAL_TERM_TORSION]);
        } else {
            LANE(turn)(t, r, false, arms, e->e[SHOAL_TERM_TORSION]);
        }
        LANE(push_arms)(t, r, arms, force);
    }
}
