/* SPDX-License-Identifier: BSD-3-Clause
 * Nodes over lanes: bonds, half angles and the terms of a direction share the vectors to the neighbours of an atom.
 * Included after cpu_centres.h, once for every way of looking at lanes; NODE are the tables. */

/* Energies of all lanes. */
typedef struct MODE(node_sums) {
    NUMBER bond, angle, tilt, twist;
} MODE(node_sums);

/* The terms of the direction of a node: with its arms, and with the directions of other nodes. */
SHOAL_FN void MODE(turn_node)(const NODE *t, int n_arms, ON(centre_arm) arm[CENTRE_ARMS],
                              const FIELD *at, MODE(node_sums) * e)
{
    const VECTOR d = GET(at, t->direction);
    VECTOR pull = {0};
    for (int a = 0; a < n_arms; ++a) {
        const ON(tilt_par) p = {PAR(t->tilt[a][0]), PAR(t->tilt[a][1])};
        e->tilt += ON(node_tilt)(&arm[a], d, &pull, p);
    }
    for (int k = 0; k < t->n_twists; ++k) {
        const ON(twist_par) p = {PAR(t->twist[k][0]), PAR(t->twist[k][1]), PAR(t->twist[k][2])};
        const VECTOR other = GET(at, t->partner[k]);
        NUMBER g;
        e->twist += ON(node_twist)(d, other, p, &g);
        pull = V3(add)(pull, V3(scale)(g, other));
        PUT(at, t->partner[k], V3(scale)(g, d));
    }
    PUT(at, t->direction, pull);
}

/* One node of so many arms, a constant. */
SHOAL_FN void MODE(node)(const NODE *t, int n_arms, bool turns, const FIELD *at,
                         MODE(node_sums) * e)
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
            const ON(half_par) p = {PAR(t->angle[n][0]), PAR(t->angle[n][1]), PAR(t->angle[n][2])};
            e->angle += ON(node_angle)(&arm[a], &arm[b], p);
        }
    if (turns) MODE(turn_node)(t, n_arms, arm, at, e);
    VECTOR own = {0};
    for (int a = 0; a < n_arms; ++a) {
        own = V3(sub)(own, arm[a].force);
        PUT(at, t->arm[a], arm[a].force);
    }
    PUT(at, t->atom, own);
}

static void MODE(eval_nodes)(const NODE *t, int32_t n, const FIELD *at, MODE(node_sums) * e)
{
    for (const NODE *end = t + n; t < end; ++t) switch (2 * t->n_arms + t->turns) {
        case 9: MODE(node)(t, 4, true, at, e); break;
        case 8: MODE(node)(t, 4, false, at, e); break;
        case 7: MODE(node)(t, 3, true, at, e); break;
        case 6: MODE(node)(t, 3, false, at, e); break;
        case 5: MODE(node)(t, 2, true, at, e); break;
        case 4: MODE(node)(t, 2, false, at, e); break;
        case 3: MODE(node)(t, 1, true, at, e); break;
        default: MODE(node)(t, 1, false, at, e); break;
        }
}
