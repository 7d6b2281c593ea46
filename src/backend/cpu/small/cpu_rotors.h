/* SPDX-License-Identifier: BSD-3-Clause
 * Torsions over lanes, bond by bond: what belongs to one side of a bond is computed once for all the
 * torsions about it. Included after cpu_centres.h, once for every way of looking at lanes. */

/* One side of the torsions about a bond: an atom next to j, or to k. */
typedef struct MODE(arm) {
    VECTOR n;          /* unit normal of its plane with the bond */
    VECTOR lean;       /* next to k: the way from k to the atom, times pull */
    NUMBER pull;       /* |b| / |a x b| */
    NUMBER along;      /* a . b / b^2 */
    NUMBER slope;      /* sum of -dE/dphi next to j, of +dE/dphi next to k */
    ON(flag) straight; /* in line with the bond: its torsions take the regularised form */
} MODE(arm);

SHOAL_FN void MODE(set_arm)(MODE(arm) * arm, VECTOR a, VECTOR b, NUMBER length, NUMBER ib2)
{
    const NUMBER zero = {0};
    NUMBER inverse;
    ON(uff_torsion_arm)(a, b, ib2, &arm->n, &inverse, &arm->along);
    arm->pull = length * inverse;
    arm->lean = V3(scale)(arm->pull, a);
    arm->slope = zero;
    arm->straight = ON(uff_bend_is_straight)(a, b);
}

/* Torsion m between two arms; masked, it leaves out lanes with a straight arm. n is its periodicity, 0
 * where lanes differ in it. */
SHOAL_FN void MODE(torsion)(const ROTOR *t, int m, int n, bool masked, MODE(arm) * i, MODE(arm) * k,
                            NUMBER *e)
{
    const NUMBER c = V3(dot)(i->n, k->n), s = -V3(dot)(i->n, k->lean);
    NUMBER cn, sn;
    MULTIPLY_ANGLE(t, m, n, c, s, &cn, &sn);
    NUMBER slope = PAR(t->slope[m]) * sn;
    NUMBER energy = PAR(t->v[m]) * (R(1.0) - PAR(t->d[m]) * cn);
    if (masked) {
        const ON(flag) off = i->straight | k->straight;
        const NUMBER zero = {0};
        slope = SELECT(off, zero, slope);
        energy = SELECT(off, zero, energy);
    }
    i->slope -= slope;
    k->slope += slope;
    *e += energy;
}

/* All torsions of a rotor; with a constant n the compiler keeps only the powers that are needed. */
SHOAL_FN void MODE(turn)(const ROTOR *t, int n, bool masked, MODE(arm) * arms, NUMBER *sum)
{
    NUMBER e = *sum;
    for (int i = 0; i < t->n_near; ++i)
        for (int k = 0; k < t->n_far; ++k) MODE(torsion)
    (t, ROTOR_SIDE * i + k, n, masked, &arms[i], &arms[ROTOR_SIDE + k], &e);
    *sum = e;
}

/* Adds the torsions with a straight arm, lane by lane. */
static void MODE(add_straight)(const ROTOR *t, const MODE(arm) * arms, const FIELD *at, NUMBER *e)
{
    for (int m = 0; m < ROTOR_TORSIONS; ++m) {
        const int a = m / ROTOR_SIDE, b = ROTOR_SIDE + m % ROTOR_SIDE;
        if (a >= t->n_near || b >= ROTOR_SIDE + t->n_far) continue;
        const ON(flag) straight = arms[a].straight | arms[b].straight;
        for (int l = 0; l < MODE_LANES; ++l) {
            const torsion_par p = {AT(PAR(t->v[m]), l), AT(PAR(t->d[m]), l), PERIOD(t, m, l)};
            v3 f[4];
            if (!AT(straight, l) || p.n == 0) continue;
            const v3 rj = GET_LANE(at, t->j, l), rk = GET_LANE(at, t->k, l);
            AT(*e, l) += uff_torsion_straight(
                p, v3_sub(GET_LANE(at, t->arm[a], l), rj), v3_sub(rk, rj),
                v3_sub(GET_LANE(at, t->arm[b], l), rk), &f[0], &f[1], &f[2], &f[3]);
            PUT_LANE(at, t->arm[a], l, f[0]);
            PUT_LANE(at, t->j, l, f[1]);
            PUT_LANE(at, t->k, l, f[2]);
            PUT_LANE(at, t->arm[b], l, f[3]);
        }
    }
}

static void MODE(turn_straight)(const ROTOR *t, MODE(arm) * arms, const FIELD *at, NUMBER *e)
{
    MODE(turn)(t, 0, true, arms, e);
    MODE(add_straight)(t, arms, at, e);
}

/* Forces of the arms on their atoms, and what balances them on j and k. */
SHOAL_FN void MODE(push_arms)(const ROTOR *t, const MODE(arm) * arms, const FIELD *at)
{
    VECTOR fj = {0}, fk = {0};
    for (int side = 0; side < 2; ++side) {
        const int first = ROTOR_SIDE * side, end = first + (side ? t->n_far : t->n_near);
        const real far = side ? R(1.0) : R(0.0);
        for (int n = first; n < end; ++n) {
            const MODE(arm) *arm = &arms[n];
            const VECTOR f = V3(scale)(arm->slope * arm->pull, arm->n);
            fj = V3(add)(fj, V3(scale)(arm->along + (far - R(1.0)), f));
            fk = V3(sub)(fk, V3(scale)(arm->along + far, f));
            PUT(at, t->arm[n], f);
        }
    }
    PUT(at, t->j, fj);
    PUT(at, t->k, fk);
}

SHOAL_FN void MODE(rotor)(const ROTOR *t, const FIELD *at, NUMBER *e)
{
    const VECTOR rj = GET(at, t->j), rk = GET(at, t->k), b = V3(sub)(rk, rj);
    const NUMBER b2 = V3(dot)(b, b), ib = ON_RSQRT(b2 + UFF_TINY), length = b2 * ib, ib2 = ib * ib;
    ON(flag) straight = {0};
    MODE(arm) arms[ROTOR_ARMS];
    for (int n = 0; n < t->n_near; ++n) {
        MODE(set_arm)(&arms[n], V3(sub)(GET(at, t->arm[n]), rj), b, length, ib2);
        straight |= arms[n].straight;
    }
    for (int n = ROTOR_SIDE; n < ROTOR_SIDE + t->n_far; ++n) {
        MODE(set_arm)(&arms[n], V3(sub)(GET(at, t->arm[n]), rk), b, length, ib2);
        straight |= arms[n].straight;
    }
    if (__builtin_expect(ANY(straight), 0))
        MODE(turn_straight)(t, arms, at, e);
    else
        switch (t->common) {
        case 2: MODE(turn)(t, 2, false, arms, e); break;
        case 3: MODE(turn)(t, 3, false, arms, e); break;
        case 6: MODE(turn)(t, 6, false, arms, e); break;
        default: MODE(turn)(t, 0, false, arms, e); break;
        }
    MODE(push_arms)(t, arms, at);
}

static void MODE(eval_rotors)(const ROTOR *t, int32_t n, const FIELD *at, MODE(sums) * e)
{
    for (const ROTOR *end = t + n; t < end; ++t) MODE(rotor)(t, at, &e->torsion);
}
