/* SPDX-License-Identifier: BSD-3-Clause
 * Bonds, angles and inversions over lanes, atom by atom: the vectors to the neighbours of an atom serve all
 * of them. Included once for every way of looking at lanes, which is given by
 *     MODE(name)       names of this way
 *     NUMBER, VECTOR   a number and a vector of every lane; ON(name), V3(name) functions of them
 *     AT(x, l)         lane l of a number, AT3(x, l) of a vector; ANY(x) whether a flag is set in a lane
 *     FIELD, GET, PUT  where atoms are: loads an atom of every lane, adds to the force on it
 *     CENTRE, ROTOR    tables; PAR(x) is one of their numbers in every lane, THERE(x) tells which lanes have
 *                      inversions at all; ROW(t, l) is the centre of lane l alone */

/* Energies of all lanes. */
typedef struct MODE(sums) {
    NUMBER bond, angle, torsion, inversion;
} MODE(sums);

/* The regularised form of an inversion in the lanes that need it. */
static void MODE(invert_straight)(ON(inversion_par) p, VECTOR a, VECTOR b, VECTOR c,
                                  ON(flag) straight, VECTOR f[3], NUMBER *e)
{
    for (int l = 0; l < MODE_LANES; ++l) {
        if (!AT(straight, l)) continue;
        const inversion_par par = {AT(p.k, l), AT(p.c0, l), AT(p.c1, l), AT(p.c2, l)};
        v3 g[3];
        AT(*e, l) =
            uff_inversion_straight(par, AT3(a, l), AT3(b, l), AT3(c, l), &g[0], &g[1], &g[2]);
        for (int k = 0; k < 3; ++k) {
            AT(f[k].x, l) = g[k].x;
            AT(f[k].y, l) = g[k].y;
            AT(f[k].z, l) = g[k].z;
        }
    }
}

/* The inversion with arm n out of the plane of the other two. It depends on directions only, so that forces
 * for unit vectors need 1/r to be those on the atoms. */
SHOAL_FN void MODE(invert)(const CENTRE *t, int n, ON(centre_arm) arm[3], NUMBER *sum)
{
    ON(centre_arm) *const a = &arm[(n + 1) % 3], *const b = &arm[(n + 2) % 3], *const c = &arm[n];
    const ON(inversion_par) p = {PAR(t->inversion[n][0]), PAR(t->inversion[n][1]),
                                 PAR(t->inversion[n][2]), PAR(t->inversion[n][3])};
    VECTOR f[3];
    NUMBER e = ON(uff_inversion)(p, a->unit, b->unit, c->unit, &f[0], &f[1], &f[2]);
    const ON(flag) straight = ON(uff_inversion_is_straight)(a->unit, b->unit, c->unit) & THERE(t);
    if (__builtin_expect(ANY(straight), 0))
        MODE(invert_straight)(p, a->unit, b->unit, c->unit, straight, f, &e);
    a->force = V3(add)(a->force, V3(scale)(a->inverse, f[0]));
    b->force = V3(add)(b->force, V3(scale)(b->inverse, f[1]));
    c->force = V3(add)(c->force, V3(scale)(c->inverse, f[2]));
    *sum += e;
}

/* Lanes in which an angle of the centre is so small that its guard may be on. */
SHOAL_FN ON(flag) MODE(is_tight)(int n_arms, const ON(centre_arm) arm[CENTRE_ARMS])
{
    ON(flag) tight = {0};
    for (int a = 0; a < n_arms; ++a)
        for (int b = a + 1; b < n_arms; ++b) tight |= ON(centre_is_tight)(&arm[a], &arm[b]);
    return tight;
}

/* The guards of the angles of a centre in these lanes. */
static __attribute__((noinline)) void MODE(guard)(const CENTRE *t, int n_arms, ON(flag) tight,
                                                  ON(centre_arm) arm[CENTRE_ARMS], NUMBER *sum)
{
    for (int l = 0; l < MODE_LANES; ++l) {
        if (!AT(tight, l)) continue;
        centre_arm own[CENTRE_ARMS];
        for (int a = 0; a < n_arms; ++a)
            own[a] = (centre_arm){AT3(arm[a].unit, l), AT3(arm[a].force, l), AT(arm[a].inverse, l)};
        real e = 0;
        for (int a = 0, n = 0; a < CENTRE_ARMS; ++a)
            for (int b = a + 1; b < CENTRE_ARMS; ++b, ++n)
                if (b < n_arms) e += centre_guard(&own[a], &own[b], ROW(t, l)->guard[n]);
        if (!(e > 0)) continue;
        AT(*sum, l) += e;
        for (int a = 0; a < n_arms; ++a) {
            AT(arm[a].force.x, l) = own[a].force.x;
            AT(arm[a].force.y, l) = own[a].force.y;
            AT(arm[a].force.z, l) = own[a].force.z;
        }
    }
}

/* One centre of so many arms, a constant. */
SHOAL_FN void MODE(centre)(const CENTRE *t, int n_arms, bool inverts, const FIELD *at,
                           MODE(sums) * e)
{
    const VECTOR r = GET(at, t->atom);
    ON(centre_arm) arm[CENTRE_ARMS];
    for (int a = 0; a < n_arms; ++a) {
        const ON(bond_par) p = {PAR(t->k[a]), PAR(t->r0[a])};
        e->bond += ON(centre_bond)(&arm[a], p, V3(sub)(GET(at, t->arm[a]), r));
    }
    for (int a = 0, n = 0; a < CENTRE_ARMS; ++a)
        for (int b = a + 1; b < CENTRE_ARMS; ++b, ++n) {
            if (b >= n_arms) continue;
            const ON(angle_par) p = {{PAR(t->angle[n][0]), PAR(t->angle[n][1]), PAR(t->angle[n][2]),
                                      PAR(t->angle[n][3]), PAR(t->angle[n][4])}};
            e->angle += ON(centre_angle)(&arm[a], &arm[b], p);
        }
    if (t->guards) {
        const ON(flag) tight = MODE(is_tight)(n_arms, arm);
        if (__builtin_expect(ANY(tight), 0)) MODE(guard)(t, n_arms, tight, arm, &e->angle);
    }
    for (int n = 0; n < CENTRE_INVERSIONS && inverts; ++n) MODE(invert)(t, n, arm, &e->inversion);
    VECTOR own = {0};
    for (int a = 0; a < n_arms; ++a) {
        own = V3(sub)(own, arm[a].force);
        PUT(at, t->arm[a], arm[a].force);
    }
    PUT(at, t->atom, own);
}

static void MODE(eval_centres)(const CENTRE *t, int32_t n, const FIELD *at, MODE(sums) * e)
{
    for (const CENTRE *end = t + n; t < end; ++t) switch (2 * t->n_arms + t->inverts) {
        case 9: MODE(centre)(t, 4, true, at, e); break; /* in lanes of unlike systems */
        case 8: MODE(centre)(t, 4, false, at, e); break;
        case 7: MODE(centre)(t, 3, true, at, e); break;
        case 6: MODE(centre)(t, 3, false, at, e); break;
        case 5:
        case 4: MODE(centre)(t, 2, false, at, e); break;
        default: MODE(centre)(t, 1, false, at, e); break;
        }
}
