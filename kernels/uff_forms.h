/* SPDX-License-Identifier: BSD-3-Clause
 * Those of UFF's bonded forms that fast paths share, without a branch and without a function call, so
 * that they also work on vectors of numbers: the CPU schedule includes this header once more with its
 * vector type for real, v3 of such vectors, and FORM for the names. */
#if !defined(FORM) && !defined(SHOAL_KERNELS_UFF_FORMS_H)
#define SHOAL_KERNELS_UFF_FORMS_H
#include "constants.h"
#include "real.h"

/* Added to squares, it keeps 1/r finite for coincident atoms, even for a product of two of them, and
 * is far below rounding elsewhere in either precision. (The larger of the two would do as well, but compilers make
 * a branch of it, and loops over systems stay scalar.) */
#define UFF_TINY (sizeof(R(0.0)) == 4 ? R(1e-18) : R(1e-36))
#define UFF_TIGHT R(ANGLE_TIGHT)
#define UFF_SINGULAR R(1e-6) /* sin^2 of a bend angle, cos^2 of an inversion: see below */

#define FORM(name) name
#define FORM_FLAG int
#define FORM_SQRT real_sqrt
#define FORM_RSQRT real_rsqrt
#define FORM_ABS real_abs
#define FORM_ONCE
#endif

#ifdef FORM
typedef struct FORM(bond_par) {
    real k, r0;
} FORM(bond_par);

/* E = sum_n p[n] cos^n t: the Chebyshev sum of the topology as a polynomial. */
typedef struct FORM(angle_par) {
    real p[5];
} FORM(angle_par);

/* E = k (c0 + c1 cos w + c2 cos 2w) */
typedef struct FORM(inversion_par) {
    real k, c0, c1, c2;
} FORM(inversion_par);

/* cos n phi and sin n phi from those of phi, n = 1..6, by complex multiplication. */
SHOAL_FN void FORM(uff_multiply_angle)(int n, real c, real s, real *cn, real *sn)
{
    const real c2 = c * c - s * s, s2 = R(2.0) * c * s;
    const real c3 = c2 * c - s2 * s, s3 = c2 * s + s2 * c;
    /* UFF's own are 2, 3 and 6; the others come by one more product. */
    real cm = c3, sm = s3;
    if (n == 2 || n == 4) cm = c2, sm = s2;
    if (n == 1) cm = c, sm = s;
    const int twice = n == 6 || n == 4;
    real cf = cm, sf = sm;
    if (n == 5) cf = c2, sf = s2;
    *cn = cm;
    *sn = sm;
    if (twice || n == 5) {
        *cn = cm * cf - sm * sf;
        *sn = cm * sf + sm * cf;
    }
}

/* True where the angle between a and b is straight to 0.06 degrees: a torsion about b has no meaning
 * there, and its energy is switched off smoothly. */
SHOAL_FN FORM_FLAG FORM(uff_bend_is_straight)(v3 a, v3 b)
{
    const v3 n = v3_cross(a, b);
    return v3_dot(n, n) < UFF_SINGULAR * v3_dot(b, b) * v3_dot(a, a);
}

/* One side of the torsions about b: the unit normal n of the plane of a and b (for the other side: of
 * c and b), 1 / |a x b|, and how far a reaches along b in units of b. ib2 = 1 / b^2. */
SHOAL_FN void FORM(uff_torsion_arm)(v3 a, v3 b, real ib2, v3 *n, real *inverse, real *along)
{
    const v3 m = v3_cross(a, b);
    *inverse = FORM_RSQRT(v3_dot(m, m) + UFF_TINY);
    *n = v3_scale(*inverse, m);
    *along = v3_dot(a, b) * ib2;
}

/* True where i-j-k is straight or l stands upright on its plane. a, b, c = r_i, r_k, r_l - r_j. */
SHOAL_FN FORM_FLAG FORM(uff_inversion_is_straight)(v3 a, v3 b, v3 c)
{
    const v3 n = v3_cross(a, b);
    const real n2 = v3_dot(n, n), c2 = v3_dot(c, c), dot = v3_dot(n, c);
    return (n2 < UFF_SINGULAR * v3_dot(a, a) * v3_dot(b, b)) |
           (n2 * c2 - dot * dot < UFF_SINGULAR * n2 * c2);
}

/* Energy and its derivative by sin w from sin w and cos w; the rest of the chain is geometry. */
SHOAL_FN real FORM(uff_inversion_from)(FORM(inversion_par) p, real s, real c, real dc_ds, v3 a,
                                       v3 b, v3 u, v3 n, real in, real iu, v3 *fi, v3 *fk, v3 *fl)
{
    const real slope = p.k * (p.c1 * dc_ds - R(4.0) * p.c2 * s); /* dE/ds; cos 2w = 1 - 2 s^2 */
    *fl = v3_scale(-slope * iu, v3_sub(n, v3_scale(s, u)));
    const v3 t = v3_scale(-slope * in, v3_sub(u, v3_scale(s, n)));
    *fi = v3_cross(b, t);
    *fk = v3_cross(t, a);
    return p.k * (p.c0 + p.c1 * c + p.c2 * (R(1.0) - R(2.0) * s * s));
}

SHOAL_FN real FORM(uff_inversion)(FORM(inversion_par) p, v3 a, v3 b, v3 c, v3 *fi, v3 *fk, v3 *fl)
{
    const v3 m = v3_cross(a, b);
    const real in = FORM_RSQRT(v3_dot(m, m) + UFF_TINY);
    const real c2 = v3_dot(c, c), iu = FORM_RSQRT(c2 + UFF_TINY);
    const v3 n = v3_scale(in, m), u = v3_scale(iu, c);
    const real s = v3_dot(n, u);
    const real cosine = FORM_SQRT(FORM_ABS(R(1.0) - s * s) + UFF_TINY);
    return FORM(uff_inversion_from)(p, s, cosine, -s / cosine, a, b, u, n, in, (c2 * iu * iu) * iu,
                                    fi, fk, fl);
}

/* One neighbour: unit vector to it, 1/r, and the force on it so far. */
typedef struct FORM(centre_arm) {
    v3 unit, force;
    real inverse;
} FORM(centre_arm);

/* The bond to the neighbour at d from the centre, of strength p.k = 0 where it is counted elsewhere. */
SHOAL_FN real FORM(centre_bond)(FORM(centre_arm) * arm, FORM(bond_par) p, v3 d)
{
    const real r2 = v3_dot(d, d), inverse = FORM_RSQRT(r2 + UFF_TINY), s = r2 * inverse - p.r0;
    arm->unit = v3_scale(inverse, d);
    arm->inverse = (r2 * inverse * inverse) * inverse; /* 0 for an arm of no length: no force */
    arm->force = v3_scale(-p.k * s, arm->unit);
    return R(0.5) * p.k * s * s;
}

SHOAL_FN real FORM(centre_angle)(FORM(centre_arm) * a, FORM(centre_arm) * b, FORM(angle_par) p)
{
    const real c = v3_dot(a->unit, b->unit);
    const real slope =
        p.p[1] + c * (R(2.0) * p.p[2] + c * (R(3.0) * p.p[3] + c * (R(4.0) * p.p[4])));
    const real ga = -slope * a->inverse, gb = -slope * b->inverse;
    a->force = v3_add(a->force, v3_scale(ga, v3_sub(b->unit, v3_scale(c, a->unit))));
    b->force = v3_add(b->force, v3_scale(gb, v3_sub(a->unit, v3_scale(c, b->unit))));
    return p.p[0] + c * (p.p[1] + c * (p.p[2] + c * (p.p[3] + c * p.p[4])));
}

/* True where the angle between two arms is so small that it may have a guard. */
SHOAL_FN FORM_FLAG FORM(centre_is_tight)(const FORM(centre_arm) * a, const FORM(centre_arm) * b)
{
    return v3_dot(a->unit, b->unit) > UFF_TIGHT;
}

#endif

#ifdef FORM_ONCE
#undef FORM_ONCE
#undef FORM_ABS
#undef FORM_RSQRT
#undef FORM_SQRT
#undef FORM_FLAG
#undef FORM
#endif
