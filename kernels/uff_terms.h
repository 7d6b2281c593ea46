/* SPDX-License-Identifier: BSD-3-Clause
 * UFF's bonded terms as pure functions: difference vectors and parameters in, energy returned,
 * forces by pointer. Units eV and angstrom. Formulas in term_kinds.h; gradients derived
 * from them directly. The unregularised functions are branch-free, so that loops over systems
 * vectorise; the schedules call the *_straight ones where *_is_straight says so. */
#ifndef SHOAL_KERNELS_UFF_TERMS_H
#define SHOAL_KERNELS_UFF_TERMS_H

#include "real.h"

/* Added to squares, it keeps 1/r finite for coincident atoms, even for a product of two of them, and
 * is far below rounding elsewhere in either precision. (The larger of the two would do as well, but compilers make a branch
 * of it, and loops over systems stay scalar.) */
#define UFF_TINY (sizeof(real) == 4 ? R(1e-18) : R(1e-36))
#define UFF_SINGULAR R(1e-6) /* sin^2 of a bend angle, cos^2 of an inversion: see below */

typedef struct bond_par {
    real k, r0;
} bond_par;

/* E = sum_n p[n] cos^n t: the Chebyshev sum of the topology as a polynomial. */
typedef struct angle_par {
    real p[5];
} angle_par;

/* E = v (1 - d cos n phi) */
typedef struct torsion_par {
    real v, d;
    int n;
} torsion_par;

/* E = k (c0 + c1 cos w + c2 cos 2w) */
typedef struct inversion_par {
    real k, c0, c1, c2;
} inversion_par;

/* d = r_i - r_j; *fi is the force on i, that on j is its negative. */
SHOAL_FN real uff_bond(bond_par p, v3 d, v3 *fi)
{
    const real r2 = v3_dot(d, d);
    const real inverse = real_rsqrt(r2 + UFF_TINY);
    const real s = r2 * inverse - p.r0;
    *fi = v3_scale(-p.k * s * inverse, d);
    return R(0.5) * p.k * s * s;
}

/* a = r_i - r_j, b = r_k - r_j; forces on i and k, that on j is the negative of their sum. */
SHOAL_FN real uff_angle(angle_par p, v3 a, v3 b, v3 *fi, v3 *fk)
{
    const real a2 = v3_dot(a, a), b2 = v3_dot(b, b);
    real ia2, ib2, iab;
    real_inverses(a2 + UFF_TINY, b2 + UFF_TINY, &ia2, &ib2, &iab);
    const real c = v3_dot(a, b) * iab;
    const real slope =
        p.p[1] + c * (R(2.0) * p.p[2] + c * (R(3.0) * p.p[3] + c * (R(4.0) * p.p[4])));
    /* a2 ia2 is 1, or 0 for an arm of no length, which has no force. */
    *fi = v3_scale(-slope * (a2 * ia2), v3_sub(v3_scale(iab, b), v3_scale(c * ia2, a)));
    *fk = v3_scale(-slope * (b2 * ib2), v3_sub(v3_scale(iab, a), v3_scale(c * ib2, b)));
    return p.p[0] + c * (p.p[1] + c * (p.p[2] + c * (p.p[3] + c * p.p[4])));
}

/* cos n phi and sin n phi from those of phi, n = 1..6, by complex multiplication. */
SHOAL_FN void uff_multiply_angle(int n, real c, real s, real *cn, real *sn)
{
    const real c2 = c * c - s * s, s2 = R(2.0) * c * s;
    const real c3 = c2 * c - s2 * s, s3 = c2 * s + s2 * c;
    /* UFF's own are 2, 3 and 6; the others come by one more product. */
    const real cm = n == 2 || n == 4 ? c2 : n == 1 ? c : c3;
    const real sm = n == 2 || n == 4 ? s2 : n == 1 ? s : s3;
    const int twice = n == 6 || n == 4;
    const real cf = n == 5 ? c2 : cm, sf = n == 5 ? s2 : sm;
    *cn = twice || n == 5 ? cm * cf - sm * sf : cm;
    *sn = twice || n == 5 ? cm * sf + sm * cf : sm;
}

/* True where the angle between a and b is straight to 0.06 degrees: a torsion about b has no meaning
 * there, and its energy is switched off smoothly. */
SHOAL_FN int uff_bend_is_straight(v3 a, v3 b)
{
    const v3 n = v3_cross(a, b);
    return v3_dot(n, n) < UFF_SINGULAR * v3_dot(b, b) * v3_dot(a, a);
}

SHOAL_FN int uff_torsion_is_straight(v3 a, v3 b, v3 c)
{
    return uff_bend_is_straight(a, b) | uff_bend_is_straight(c, b);
}

/* One side of the torsions about b: the unit normal n of the plane of a and b (for the other side: of
 * c and b), 1 / |a x b|, and how far a reaches along b in units of b. ib2 = 1 / b^2. */
SHOAL_FN void uff_torsion_arm(v3 a, v3 b, real ib2, v3 *n, real *inverse, real *along)
{
    const v3 m = v3_cross(a, b);
    *inverse = real_rsqrt(v3_dot(m, m) + UFF_TINY);
    *n = v3_scale(*inverse, m);
    *along = v3_dot(a, b) * ib2;
}

/* Energy and dE/dphi from the cosine and sine of phi. */
SHOAL_FN real uff_torsion_at(torsion_par p, real c, real s, real *slope)
{
    real cn, sn;
    uff_multiply_angle(p.n, c, s, &cn, &sn);
    *slope = p.v * p.d * (real)p.n * sn;
    return p.v * (R(1.0) - p.d * cn);
}

SHOAL_FN real uff_torsion(torsion_par p, v3 a, v3 b, v3 c, v3 *fi, v3 *fj, v3 *fk, v3 *fl)
{
    const real b2 = v3_dot(b, b), ib = real_rsqrt(b2 + UFF_TINY), length = b2 * ib;
    v3 n1, n2;
    real in1, in2, ca, cc, slope;
    uff_torsion_arm(a, b, ib * ib, &n1, &in1, &ca);
    uff_torsion_arm(c, b, ib * ib, &n2, &in2, &cc);
    const real pull1 = length * in1, pull2 = length * in2;
    const real e = uff_torsion_at(p, v3_dot(n1, n2), -v3_dot(n1, c) * pull2, &slope);
    const v3 f1 = v3_scale(-slope * pull1, n1), f4 = v3_scale(slope * pull2, n2);
    *fi = f1;
    *fl = f4;
    *fk = v3_sub(v3_scale(-ca, f1), v3_scale(cc + R(1.0), f4));
    *fj = v3_add(v3_scale(ca - R(1.0), f1), v3_scale(cc, f4));
    return e;
}

/* Switch S(sin^2 t) of the angle between u and v, exactly 1 from UFF_SINGULAR on, with continuous
 * second derivatives; gradients with respect to u and v. */
SHOAL_FN real uff_bend_switch(v3 u, v3 v, v3 *gu, v3 *gv)
{
    const real iu = real_rsqrt(v3_dot(u, u) + UFF_TINY);
    const real iv = real_rsqrt(v3_dot(v, v) + UFF_TINY);
    const v3 eu = v3_scale(iu, u), ev = v3_scale(iv, v), n = v3_cross(eu, ev);
    const real c = v3_dot(eu, ev);
    const real y = real_min(v3_dot(n, n) / UFF_SINGULAR, R(1.0));
    const real slope = R(-60.0) * c / UFF_SINGULAR * y * y * (R(1.0) - y) * (R(1.0) - y);
    *gu = v3_scale(slope * iu, v3_sub(ev, v3_scale(c, eu)));
    *gv = v3_scale(slope * iv, v3_sub(eu, v3_scale(c, ev)));
    return y * y * y * (R(10.0) + y * (R(-15.0) + y * R(6.0)));
}

/* The torsion with its switches. */
SHOAL_FN real uff_torsion_straight(torsion_par p, v3 a, v3 b, v3 c, v3 *fi, v3 *fj, v3 *fk, v3 *fl)
{
    v3 ga, gb1, gc, gb2;
    const real s1 = uff_bend_switch(a, b, &ga, &gb1), s2 = uff_bend_switch(c, b, &gc, &gb2);
    const real e = uff_torsion(p, a, b, c, fi, fj, fk, fl), s = s1 * s2;
    const v3 di = v3_scale(-e * s2, ga), dl = v3_scale(-e * s1, gc);
    const v3 db = v3_add(v3_scale(-e * s2, gb1), v3_scale(-e * s1, gb2));
    *fi = v3_add(v3_scale(s, *fi), di);
    *fl = v3_add(v3_scale(s, *fl), dl);
    *fk = v3_add(v3_scale(s, *fk), v3_sub(db, dl));
    *fj = v3_sub(v3_scale(s, *fj), v3_add(di, db));
    return s * e;
}

/* True where i-j-k is straight or l stands upright on its plane. a, b, c = r_i, r_k, r_l - r_j. */
SHOAL_FN int uff_inversion_is_straight(v3 a, v3 b, v3 c)
{
    const v3 n = v3_cross(a, b);
    const real n2 = v3_dot(n, n), c2 = v3_dot(c, c), dot = v3_dot(n, c);
    return (int)(n2 < UFF_SINGULAR * v3_dot(a, a) * v3_dot(b, b)) |
           (int)(n2 * c2 - dot * dot < UFF_SINGULAR * n2 * c2);
}

/* Energy and its derivative by sin w from sin w and cos w; the rest of the chain is geometry. */
SHOAL_FN real uff_inversion_from(inversion_par p, real s, real c, real dc_ds, v3 a, v3 b, v3 u,
                                 v3 n, real in, real iu, v3 *fi, v3 *fk, v3 *fl)
{
    const real slope = p.k * (p.c1 * dc_ds - R(4.0) * p.c2 * s); /* dE/ds; cos 2w = 1 - 2 s^2 */
    *fl = v3_scale(-slope * iu, v3_sub(n, v3_scale(s, u)));
    const v3 t = v3_scale(-slope * in, v3_sub(u, v3_scale(s, n)));
    *fi = v3_cross(b, t);
    *fk = v3_cross(t, a);
    return p.k * (p.c0 + p.c1 * c + p.c2 * (R(1.0) - R(2.0) * s * s));
}

SHOAL_FN real uff_inversion(inversion_par p, v3 a, v3 b, v3 c, v3 *fi, v3 *fk, v3 *fl)
{
    const v3 m = v3_cross(a, b);
    const real in = real_rsqrt(v3_dot(m, m) + UFF_TINY);
    const real c2 = v3_dot(c, c), iu = real_rsqrt(c2 + UFF_TINY);
    const v3 n = v3_scale(in, m), u = v3_scale(iu, c);
    const real s = v3_dot(n, u);
    const real cosine = real_sqrt(real_abs(R(1.0) - s * s) + UFF_TINY);
    return uff_inversion_from(p, s, cosine, -s / cosine, a, b, u, n, in, (c2 * iu * iu) * iu, fi,
                              fk, fl);
}

/* cos w of an inversion is never negative and has a kink at 90 degrees: for cos^2 w below
 * UFF_SINGULAR it is replaced by the parabola in cos^2 w that joins it with two continuous
 * derivatives. Straight i-j-k is switched off as in torsions. */
SHOAL_FN real uff_inversion_straight(inversion_par p, v3 a, v3 b, v3 c, v3 *fi, v3 *fk, v3 *fl)
{
    const v3 m = v3_cross(a, b);
    const real in = real_rsqrt(v3_dot(m, m) + UFF_TINY);
    const real c2 = v3_dot(c, c), iu = real_rsqrt(c2 + UFF_TINY);
    const v3 n = v3_scale(in, m), u = v3_scale(iu, c);
    const real s = v3_dot(n, u), y = real_max(R(1.0) - s * s, R(0.0));
    const real root = real_sqrt(UFF_SINGULAR), z = y / UFF_SINGULAR;
    real cosine = real_sqrt(y + UFF_TINY), dc_ds = -s / cosine;
    if (z < R(1.0)) {
        cosine = root * (R(0.375) + z * (R(0.75) - R(0.125) * z));
        dc_ds = R(-2.0) * s / root * (R(0.75) - R(0.25) * z);
    }
    v3 ga, gb;
    const real e =
        uff_inversion_from(p, s, cosine, dc_ds, a, b, u, n, in, (c2 * iu * iu) * iu, fi, fk, fl);
    const real t = uff_bend_switch(a, b, &ga, &gb);
    *fi = v3_sub(v3_scale(t, *fi), v3_scale(e, ga));
    *fk = v3_sub(v3_scale(t, *fk), v3_scale(e, gb));
    *fl = v3_scale(t, *fl);
    return t * e;
}

/* The kinds of term_kinds.h: arms and numbers in, energy returned, forces on all atoms out. */

SHOAL_FN real term_bond(const real *p, const v3 *arms, v3 *f)
{
    bond_par par;
    par.k = p[0];
    par.r0 = p[1];
    const real e = uff_bond(par, arms[0], &f[1]);
    f[0] = v3_scale(R(-1.0), f[1]);
    return e;
}

SHOAL_FN real term_angle(const real *p, const v3 *arms, v3 *f)
{
    angle_par par;
    par.p[0] = p[0];
    par.p[1] = p[1];
    par.p[2] = p[2];
    par.p[3] = p[3];
    par.p[4] = p[4];
    const real e = uff_angle(par, arms[0], arms[1], &f[0], &f[2]);
    f[1] = v3_scale(R(-1.0), v3_add(f[0], f[2]));
    return e;
}

SHOAL_FN torsion_par uff_torsion_par(const real *p)
{
    torsion_par par;
    par.v = p[0];
    par.d = p[1];
    par.n = (int)p[2];
    return par;
}

SHOAL_FN real term_torsion(const real *p, const v3 *arms, v3 *f)
{
    return uff_torsion(uff_torsion_par(p), arms[0], arms[1], arms[2], &f[0], &f[1], &f[2], &f[3]);
}

SHOAL_FN int term_torsion_is_straight(const v3 *arms)
{
    return uff_torsion_is_straight(arms[0], arms[1], arms[2]);
}

SHOAL_FN real term_torsion_straight(const real *p, const v3 *arms, v3 *f)
{
    return uff_torsion_straight(uff_torsion_par(p), arms[0], arms[1], arms[2], &f[0], &f[1], &f[2],
                                &f[3]);
}

SHOAL_FN inversion_par uff_inversion_par(const real *p)
{
    inversion_par par;
    par.k = p[0];
    par.c0 = p[1];
    par.c1 = p[2];
    par.c2 = p[3];
    return par;
}

SHOAL_FN real term_inversion(const real *p, const v3 *arms, v3 *f)
{
    const real e =
        uff_inversion(uff_inversion_par(p), arms[0], arms[1], arms[2], &f[0], &f[2], &f[3]);
    f[1] = v3_scale(R(-1.0), v3_add(v3_add(f[0], f[2]), f[3]));
    return e;
}

SHOAL_FN int term_inversion_is_straight(const v3 *arms)
{
    return uff_inversion_is_straight(arms[0], arms[1], arms[2]);
}

SHOAL_FN real term_inversion_straight(const real *p, const v3 *arms, v3 *f)
{
    const real e = uff_inversion_straight(uff_inversion_par(p), arms[0], arms[1], arms[2], &f[0],
                                          &f[2], &f[3]);
    f[1] = v3_scale(R(-1.0), v3_add(v3_add(f[0], f[2]), f[3]));
    return e;
}

#endif
