/* SPDX-License-Identifier: BSD-3-Clause
 * Bonded terms of MMFF94 (T. A. Halgren, J. Comput. Chem. 17 (1996) 490), forms in term_kinds.h. Without a branch but
 * for torsions about straight angles. */
#ifndef SHOAL_KERNELS_MMFF94_TERMS_H
#define SHOAL_KERNELS_MMFF94_TERMS_H

#include "uff_terms.h"

#define MMFF94_LEAST_SINE R(1e-4) /* of an angle, or cosine of an elevation: forces stay finite */
#define MMFF94_LEAST_AREA R(1e-3) /* sine of the angle between two arms that span a plane */

/* arctan(u)/u as a polynomial in u^2, |u| <= tan(pi/8): to 6e-10 and 1e-18. */
SHOAL_FN real mmff94_arctan_float(real w)
{
    return R(0.99999999937122815559) +
           w * (R(-0.33333306893048512837) +
                w * (R(0.19998183041083205602) +
                     w * (R(-0.14239532669648974578) +
                          w * (R(0.10569828806414448072) + w * R(-0.060263052276584590988)))));
}
SHOAL_FN real mmff94_arctan_double(real w)
{
    const real high =
        R(0.076920453309022249521) +
        w * (R(-0.066629518136291900881) +
             w * (R(0.058468782973308725201) +
                  w * (R(-0.050351024566015518428) +
                       w * (R(0.037965257453865936236) + w * R(-0.017805397205419445228)))));
    const real low = R(-0.14285714279250244942) +
                     w * (R(0.11111110744919658237) + w * (R(-0.090908968090640270761) + w * high));
    return R(0.99999999999999999874) +
           w * (R(-0.33333333333333121163) + w * (R(0.19999999999940891462) + w * low));
}

/* The angle from its sine, 0 or above, and its cosine, which need not be normalised. */
SHOAL_FN real mmff94_angle(real s, real c)
{
    const real a = real_abs(c), most = real_max(a, s), least = real_min(a, s);
    const real k = R(0.41421356237309504880); /* tan(pi/8) */
    const real u = (least - k * most) / (most + k * least), w = u * u;
    const real series = sizeof(R(0.0)) == 4 ? mmff94_arctan_float(w) : mmff94_arctan_double(w);
    real t = R(0.39269908169872415481) + u * series;
    t = s > a ? R(0.5) * R(PI) - t : t;
    return c < R(0.0) ? R(PI) - t : t;
}

/* arms[0] = r_j - r_i; p = k, r0, c. */
SHOAL_FN real term_quartic_bond(const real *p, const v3 *arms, v3 *f)
{
    const real r2 = v3_dot(arms[0], arms[0]), inverse = real_rsqrt(r2 + UFF_TINY);
    const real s = r2 * inverse - p[1], cs = p[2] * s;
    const real slope = p[0] * s * (R(1.0) + cs * (R(1.5) + R(1.16666666666666666667) * cs));
    f[1] = v3_scale(-slope * inverse, arms[0]);
    f[0] = v3_scale(R(-1.0), f[1]);
    return R(0.5) * p[0] * s * s * (R(1.0) + cs * (R(1.0) + R(0.58333333333333333333) * cs));
}

/* arms = r_i - r_j, r_k - r_j; p = k, t0, c, ki, kk, ri, rk. */
SHOAL_FN real term_bend(const real *p, const v3 *arms, v3 *f)
{
    const real a2 = v3_dot(arms[0], arms[0]), ia = real_rsqrt(a2 + UFF_TINY);
    const real b2 = v3_dot(arms[1], arms[1]), ib = real_rsqrt(b2 + UFF_TINY);
    const v3 a = v3_scale(ia, arms[0]), b = v3_scale(ib, arms[1]), n = v3_cross(a, b);
    const real c = v3_dot(a, b), s = real_sqrt(v3_dot(n, n));
    const real d = mmff94_angle(s + UFF_TINY, c) - p[1], cd = p[2] * d;
    const real stretch = p[3] * (a2 * ia - p[5]) + p[4] * (b2 * ib - p[6]);
    const real slope = p[0] * d * (R(1.0) + R(1.5) * cd) + stretch;
    const real pull = slope / real_max(s, MMFF94_LEAST_SINE);
    /* a2 ia^2 is 1, or 0 for an arm of no length, which has no force. */
    f[0] = v3_sub(v3_scale(pull * (a2 * ia * ia) * ia, v3_sub(b, v3_scale(c, a))),
                  v3_scale(p[3] * d, a));
    f[2] = v3_sub(v3_scale(pull * (b2 * ib * ib) * ib, v3_sub(a, v3_scale(c, b))),
                  v3_scale(p[4] * d, b));
    f[1] = v3_scale(R(-1.0), v3_add(f[0], f[2]));
    return R(0.5) * p[0] * d * d * (R(1.0) + cd) + stretch * d;
}

/* One elevation: of the unit vector w over the plane of u and v, t = u.(v x w). */
typedef struct mmff94_elevation {
    real angle;
    real by_t,
        by_plane; /* slope of k/2 angle^2 by t, and by the unit normal's share in the area, times it */
    v3 normal;    /* unit normal of the plane */
} mmff94_elevation;

SHOAL_FN mmff94_elevation mmff94_elevate(real k, v3 u, v3 v, real t)
{
    const v3 n = v3_cross(u, v);
    const real n2 = v3_dot(n, n), length = real_sqrt(n2 + UFF_TINY);
    const real inverse = R(1.0) / real_max(length, MMFF94_LEAST_AREA);
    const real s = t * inverse, left = R(1.0) - s * s;
    const real c = real_sqrt(real_max(left, MMFF94_LEAST_SINE * MMFF94_LEAST_SINE));
    const real up = mmff94_angle(real_abs(s), c);
    mmff94_elevation e;
    e.angle = s < R(0.0) ? -up : up;
    e.by_t = k * e.angle / c * inverse;
    e.by_plane = length > MMFF94_LEAST_AREA ? e.by_t * s : R(0.0);
    e.normal = v3_scale(inverse, n);
    return e;
}

/* The slope by a unit vector as one by its arm, turned into a force. */
SHOAL_FN v3 mmff94_tangent(v3 slope, v3 unit, real inverse)
{
    return v3_scale(-inverse, v3_sub(slope, v3_scale(v3_dot(slope, unit), unit)));
}

/* The three elevations at a centre: arms = r_i, r_k, r_l - r_j; p = k. */
SHOAL_FN real term_wilson(const real *p, const v3 *arms, v3 *f)
{
    const real iu = real_rsqrt(v3_dot(arms[0], arms[0]) + UFF_TINY);
    const real iv = real_rsqrt(v3_dot(arms[1], arms[1]) + UFF_TINY);
    const real iw = real_rsqrt(v3_dot(arms[2], arms[2]) + UFF_TINY);
    const v3 u = v3_scale(iu, arms[0]), v = v3_scale(iv, arms[1]), w = v3_scale(iw, arms[2]);
    const v3 vw = v3_cross(v, w), wu = v3_cross(w, u), uv = v3_cross(u, v);
    const real t = v3_dot(u, vw);
    const mmff94_elevation a = mmff94_elevate(p[0], v, w, t), b = mmff94_elevate(p[0], w, u, t),
                           c = mmff94_elevate(p[0], u, v, t);
    const real by_t = a.by_t + b.by_t + c.by_t;
    const v3 na = v3_scale(a.by_plane, a.normal), nb = v3_scale(b.by_plane, b.normal),
             nc = v3_scale(c.by_plane, c.normal);
    const v3 gu = v3_sub(v3_scale(by_t, vw), v3_add(v3_cross(v, nc), v3_cross(nb, w)));
    const v3 gv = v3_sub(v3_scale(by_t, wu), v3_add(v3_cross(nc, u), v3_cross(w, na)));
    const v3 gw = v3_sub(v3_scale(by_t, uv), v3_add(v3_cross(u, nb), v3_cross(na, v)));
    f[0] = mmff94_tangent(gu, u, iu);
    f[2] = mmff94_tangent(gv, v, iv);
    f[3] = mmff94_tangent(gw, w, iw);
    f[1] = v3_scale(R(-1.0), v3_add(v3_add(f[0], f[2]), f[3]));
    return R(0.5) * p[0] * (a.angle * a.angle + b.angle * b.angle + c.angle * c.angle);
}

/* p = v1, v2, v3. */
SHOAL_FN real term_fourier(const real *p, const v3 *arms, v3 *f)
{
    const torsion_frame t = torsion_frame_of(arms[0], arms[1], arms[2]);
    const real c = t.cosine, c2 = c * c;
    const real slope =
        t.sine * (R(0.5) * (R(3.0) * p[2] - p[0]) + c * (R(2.0) * p[1] - R(6.0) * p[2] * c));
    torsion_frame_push(&t, slope, &f[0], &f[1], &f[2], &f[3]);
    return R(0.5) * (p[0] * (R(1.0) + c) + p[2] * (R(1.0) + c * (R(4.0) * c2 - R(3.0)))) +
           p[1] * (R(1.0) - c2);
}

SHOAL_FN int term_fourier_is_straight(const v3 *arms)
{
    return uff_torsion_is_straight(arms[0], arms[1], arms[2]);
}

SHOAL_FN real term_fourier_straight(const real *p, const v3 *arms, v3 *f)
{
    const real e = term_fourier(p, arms, f);
    return torsion_fade(e, arms[0], arms[1], arms[2], &f[0], &f[1], &f[2], &f[3]);
}

/* arms[0] = r_j - r_i; p = scale kC q_i q_j, delta, n: E = p0 / (r + delta)^n, n = 1 or 2. */
SHOAL_FN real term_pair_buffered(const real *p, const v3 *arms, v3 *f)
{
    const real r2 = v3_dot(arms[0], arms[0]), ir = real_rsqrt(r2 + UFF_TINY);
    const real x = R(1.0) / (r2 * ir + p[1]), e = p[0] * (p[2] > R(1.5) ? x * x : x);
    f[1] = v3_scale(p[2] * e * x * ir, arms[0]);
    f[0] = v3_scale(R(-1.0), f[1]);
    return e;
}

#endif
