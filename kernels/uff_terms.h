/* SPDX-License-Identifier: BSD-3-Clause
 * UFF's bonded terms as pure functions: difference vectors and parameters in, energy returned,
 * forces by pointer. Units eV and angstrom. Formulas in term_kinds.h; gradients derived
 * from them directly. The unregularised functions are branch-free (some of them stand in uff_forms.h), so
 * that loops over systems vectorise; the schedules call the *_straight ones where *_is_straight says so. */
#ifndef SHOAL_KERNELS_UFF_TERMS_H
#define SHOAL_KERNELS_UFF_TERMS_H

#include "uff_forms.h"

/* E = v (1 - d cos n phi) */
typedef struct torsion_par {
    real v, d;
    int n;
} torsion_par;

/* d = r_i - r_j; *fi is the force on i, that on j is its negative. */
SHOAL_FN real uff_bond(bond_par p, v3 d, v3 *fi)
{
    const real r2 = v3_dot(d, d);
    const real inverse = real_rsqrt(r2 + UFF_TINY);
    const real s = r2 * inverse - p.r0;
    *fi = v3_scale(-p.k * s * inverse, d);
    return R(0.5) * p.k * s * s;
}

/* a = r_i - r_j, b = r_k - r_j; forces on i and k, that on j is the negative of their sum. *cosine is that of the angle. */
SHOAL_FN real uff_angle(angle_par p, v3 a, v3 b, v3 *fi, v3 *fk, real *cosine)
{
    const real a2 = v3_dot(a, a), b2 = v3_dot(b, b);
    real ia2, ib2, iab;
    real_inverses(a2 + UFF_TINY, b2 + UFF_TINY, &ia2, &ib2, &iab);
    const real c = v3_dot(a, b) * iab;
    /* a2 ia2 is 1, or 0 for an arm of no length, which has no force. */
    const real slope =
        (p.p[1] + c * (R(2.0) * p.p[2] + c * (R(3.0) * p.p[3] + c * (R(4.0) * p.p[4])))) *
        ((a2 * ia2) * (b2 * ib2));
    const real across = -slope * iab, along = slope * c;
    *fi = v3_add(v3_scale(across, b), v3_scale(along * ia2, a));
    *fk = v3_add(v3_scale(across, a), v3_scale(along * ib2, b));
    *cosine = c;
    return p.p[0] + c * (p.p[1] + c * (p.p[2] + c * (p.p[3] + c * p.p[4])));
}

/* The guard of an angle, E = k max(0, cos t - from)^3: with it no minimum is left where two neighbours
 * coincide. Two derivatives are continuous, and above the angle that belongs to `from` nothing changes. */
typedef struct angle_guard {
    real k, from;
} angle_guard;

/* Whether it may be on between a and b. */
SHOAL_FN int uff_angle_is_tight(v3 a, v3 b)
{
    const real dot = v3_dot(a, b);
    return (dot > R(0.0)) & (dot * dot > UFF_TIGHT * UFF_TIGHT * v3_dot(a, a) * v3_dot(b, b));
}

/* Between two arms of a centre. */
SHOAL_FN real centre_guard(centre_arm *a, centre_arm *b, angle_guard g)
{
    const real c = v3_dot(a->unit, b->unit), x = c - g.from;
    if (!(g.k > R(0.0) && x > R(0.0))) return R(0.0);
    const real slope = R(3.0) * g.k * x * x;
    a->force =
        v3_add(a->force, v3_scale(-slope * a->inverse, v3_sub(b->unit, v3_scale(c, a->unit))));
    b->force =
        v3_add(b->force, v3_scale(-slope * b->inverse, v3_sub(a->unit, v3_scale(c, b->unit))));
    return g.k * x * x * x;
}

/* Between a and b; adds to the forces. */
SHOAL_FN real uff_guard(angle_guard g, v3 a, v3 b, v3 *fi, v3 *fk)
{
    centre_arm i, k;
    i.inverse = real_rsqrt(v3_dot(a, a) + UFF_TINY);
    k.inverse = real_rsqrt(v3_dot(b, b) + UFF_TINY);
    i.unit = v3_scale(i.inverse, a);
    k.unit = v3_scale(k.inverse, b);
    i.force = *fi;
    k.force = *fk;
    const real e = centre_guard(&i, &k, g);
    *fi = i.force;
    *fk = k.force;
    return e;
}

SHOAL_FN int uff_torsion_is_straight(v3 a, v3 b, v3 c)
{
    return uff_bend_is_straight(a, b) | uff_bend_is_straight(c, b);
}

/* Energy and dE/dphi from the cosine and sine of phi. */
SHOAL_FN real uff_torsion_at(torsion_par p, real c, real s, real *slope)
{
    real cn, sn;
    uff_multiply_angle(p.n, c, s, &cn, &sn);
    *slope = p.v * p.d * (real)p.n * sn;
    return p.v * (R(1.0) - p.d * cn);
}

/* Cosine and sine of a torsion, and what its forces are made of. */
typedef struct torsion_frame {
    v3 n1, n2;
    real pull1, pull2, along1, along2, cosine, sine;
} torsion_frame;

/* The side of a, which several torsions may have in common: *length is that of b, *ib2 one by its square. */
SHOAL_FN torsion_frame torsion_frame_begin(v3 a, v3 b, real *length, real *ib2)
{
    const real b2 = v3_dot(b, b), ib = real_rsqrt(b2 + UFF_TINY);
    torsion_frame t;
    real in1;
    *length = b2 * ib;
    *ib2 = ib * ib;
    uff_torsion_arm(a, b, *ib2, &t.n1, &in1, &t.along1);
    t.pull1 = *length * in1;
    t.n2 = v3_make(0, 0, 0);
    t.pull2 = t.along2 = t.cosine = t.sine = R(0.0);
    return t;
}

/* The side of c. */
SHOAL_FN void torsion_frame_end(torsion_frame *t, v3 b, v3 c, real length, real ib2)
{
    real in2;
    uff_torsion_arm(c, b, ib2, &t->n2, &in2, &t->along2);
    t->pull2 = length * in2;
    t->cosine = v3_dot(t->n1, t->n2);
    t->sine = -v3_dot(t->n1, c) * t->pull2;
}

SHOAL_FN torsion_frame torsion_frame_of(v3 a, v3 b, v3 c)
{
    real length, ib2;
    torsion_frame t = torsion_frame_begin(a, b, &length, &ib2);
    torsion_frame_end(&t, b, c, length, ib2);
    return t;
}

/* Forces from the slope by the angle. */
SHOAL_FN void torsion_frame_push(const torsion_frame *t, real slope, v3 *fi, v3 *fj, v3 *fk, v3 *fl)
{
    const v3 f1 = v3_scale(-slope * t->pull1, t->n1), f4 = v3_scale(slope * t->pull2, t->n2);
    *fi = f1;
    *fl = f4;
    *fk = v3_sub(v3_scale(-t->along1, f1), v3_scale(t->along2 + R(1.0), f4));
    *fj = v3_add(v3_scale(t->along1 - R(1.0), f1), v3_scale(t->along2, f4));
}

SHOAL_FN real uff_torsion(torsion_par p, v3 a, v3 b, v3 c, v3 *fi, v3 *fj, v3 *fk, v3 *fl)
{
    const torsion_frame t = torsion_frame_of(a, b, c);
    real slope;
    const real e = uff_torsion_at(p, t.cosine, t.sine, &slope);
    torsion_frame_push(&t, slope, fi, fj, fk, fl);
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

/* Puts the switches on a torsion, energy and forces; returns the energy. */
SHOAL_FN real torsion_fade(real e, v3 a, v3 b, v3 c, v3 *fi, v3 *fj, v3 *fk, v3 *fl)
{
    v3 ga, gb1, gc, gb2;
    const real s1 = uff_bend_switch(a, b, &ga, &gb1), s2 = uff_bend_switch(c, b, &gc, &gb2);
    const real s = s1 * s2;
    const v3 di = v3_scale(-e * s2, ga), dl = v3_scale(-e * s1, gc);
    const v3 db = v3_add(v3_scale(-e * s2, gb1), v3_scale(-e * s1, gb2));
    *fi = v3_add(v3_scale(s, *fi), di);
    *fl = v3_add(v3_scale(s, *fl), dl);
    *fk = v3_add(v3_scale(s, *fk), v3_sub(db, dl));
    *fj = v3_sub(v3_scale(s, *fj), v3_add(di, db));
    return s * e;
}

/* The torsion with its switches. */
SHOAL_FN real uff_torsion_straight(torsion_par p, v3 a, v3 b, v3 c, v3 *fi, v3 *fj, v3 *fk, v3 *fl)
{
    const real e = uff_torsion(p, a, b, c, fi, fj, fk, fl);
    return torsion_fade(e, a, b, c, fi, fj, fk, fl);
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
    real cosine;
    const real e = uff_angle(par, arms[0], arms[1], &f[0], &f[2], &cosine);
    f[1] = v3_scale(R(-1.0), v3_add(f[0], f[2]));
    return e;
}

SHOAL_FN int term_angle_is_straight(const v3 *arms)
{
    return uff_angle_is_tight(arms[0], arms[1]);
}

/* With its guard. */
SHOAL_FN real term_angle_straight(const real *p, const v3 *arms, v3 *f)
{
    angle_guard guard;
    guard.k = p[5];
    guard.from = p[6];
    const real e = term_angle(p, arms, f);
    const real more = uff_guard(guard, arms[0], arms[1], &f[0], &f[2]);
    f[1] = v3_scale(R(-1.0), v3_add(f[0], f[2]));
    return more > R(0.0) ? e + more : e;
}

/* A guard that is a term of its own, so that it may begin at any angle. */
SHOAL_FN real term_guard(const real *p, const v3 *arms, v3 *f)
{
    const real a2 = v3_dot(arms[0], arms[0]), b2 = v3_dot(arms[1], arms[1]);
    real ia2, ib2, iab;
    real_inverses(a2 + UFF_TINY, b2 + UFF_TINY, &ia2, &ib2, &iab);
    const real c = v3_dot(arms[0], arms[1]) * iab, d = c - p[1];
    const real x = R(0.5) * (d + real_abs(d)), slope = R(3.0) * p[0] * x * x;
    f[0] =
        v3_scale(-slope * (a2 * ia2), v3_sub(v3_scale(iab, arms[1]), v3_scale(c * ia2, arms[0])));
    f[2] =
        v3_scale(-slope * (b2 * ib2), v3_sub(v3_scale(iab, arms[0]), v3_scale(c * ib2, arms[1])));
    f[1] = v3_scale(R(-1.0), v3_add(f[0], f[2]));
    return p[0] * x * x * x;
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

/* A torsion with a phase; p = k cos phase, k sin phase, n, constant. */
SHOAL_FN real term_periodic(const real *p, const v3 *arms, v3 *f)
{
    const torsion_frame t = torsion_frame_of(arms[0], arms[1], arms[2]);
    real cn, sn;
    uff_multiply_angle((int)p[2], t.cosine, t.sine, &cn, &sn);
    torsion_frame_push(&t, p[2] * (p[1] * cn - p[0] * sn), &f[0], &f[1], &f[2], &f[3]);
    return p[3] + (p[0] * cn + p[1] * sn);
}

SHOAL_FN int term_periodic_is_straight(const v3 *arms)
{
    return uff_torsion_is_straight(arms[0], arms[1], arms[2]);
}

SHOAL_FN real term_periodic_straight(const real *p, const v3 *arms, v3 *f)
{
    const real e = term_periodic(p, arms, f);
    return torsion_fade(e, arms[0], arms[1], arms[2], &f[0], &f[1], &f[2], &f[3]);
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
