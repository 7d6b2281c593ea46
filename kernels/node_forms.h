/* SPDX-License-Identifier: BSD-3-Clause
 * The forms of node_terms.h for fast paths that share the vectors of a node, without a branch and without a function
 * call, so that they also work on vectors of numbers: see uff_forms.h, whose centre_arm they use. Forces on directions
 * are left to be projected: what points along a direction is not taken away. */
#if !defined(FORM) && !defined(SHOAL_KERNELS_NODE_FORMS_H)
#define SHOAL_KERNELS_NODE_FORMS_H
#include "node_terms.h"
#include "uff_forms.h"

#define FORM(name) name
#define FORM_SQRT real_sqrt
#define FORM_MAX(a, b) real_max(a, b)
#define FORM_SELECT(c, a, b) ((c) ? (a) : (b))
#define FORM_NODE_ONCE
#endif

#ifdef FORM
/* E = k (1 - cos((t - t0)/2)), with cosine and sine of t0/2. */
typedef struct FORM(half_par) {
    real k, c, s;
} FORM(half_par);

/* E = k (p.h - c0)^2 */
typedef struct FORM(tilt_par) {
    real k, c0;
} FORM(tilt_par);

/* E = k (root - sqrt((p.q)^2 + soft2)) */
typedef struct FORM(twist_par) {
    real k, soft2, root;
} FORM(twist_par);

SHOAL_FN real FORM(node_angle)(FORM(centre_arm) * a, FORM(centre_arm) * b, FORM(half_par) p)
{
    const v3 sum = v3_add(a->unit, b->unit), difference = v3_sub(a->unit, b->unit);
    const real c2 = R(0.25) * v3_dot(sum, sum);
    const real s2 = R(0.25) * v3_dot(difference, difference) + NODE_SINE2;
    const real c = FORM_SQRT(c2), s = FORM_SQRT(s2);
    const real wide = FORM_MAX(c, NODE_LEAST_COSINE), inverse = R(1.0) / (wide * s),
               cosine = c2 - s2;
    const real pull = R(0.25) * p.k * (p.c * s - p.s * wide) * inverse;
    const real dc = c - p.c, ds = s - p.s;
    const real ga = pull * a->inverse, gb = pull * b->inverse;
    a->force = v3_add(a->force, v3_scale(ga, v3_sub(b->unit, v3_scale(cosine, a->unit))));
    b->force = v3_add(b->force, v3_scale(gb, v3_sub(a->unit, v3_scale(cosine, b->unit))));
    return R(0.5) * p.k * (dc * dc + ds * ds);
}

/* The direction d of the node and one of its arms; *pull is the force on d so far. */
SHOAL_FN real FORM(node_tilt)(FORM(centre_arm) * a, v3 d, v3 *pull, FORM(tilt_par) p)
{
    const real c = v3_dot(d, a->unit), off = c - p.c0, g = R(-2.0) * p.k * off;
    *pull = v3_add(*pull, v3_scale(g, a->unit));
    a->force = v3_add(a->force, v3_scale(g * a->inverse, v3_sub(d, v3_scale(c, a->unit))));
    return p.k * off * off;
}

/* Two directions; returns the energy, and the force on either is *g times the other. */
SHOAL_FN real FORM(node_twist)(v3 d, v3 e, FORM(twist_par) p, real *g)
{
    const real c = v3_dot(d, e), root = FORM_SQRT(c * c + p.soft2);
    *g = p.k * FORM_SELECT(root > R(0.0), c / root, R(1.0));
    return p.k * (p.root - root);
}
#endif

#ifdef FORM_NODE_ONCE
#undef FORM_NODE_ONCE
#undef FORM_SELECT
#undef FORM_MAX
#undef FORM_SQRT
#undef FORM
#endif
