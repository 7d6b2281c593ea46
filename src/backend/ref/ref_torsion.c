/* SPDX-License-Identifier: BSD-3-Clause
 * Torsions and inversions.
 *
 * A torsion has no angle when i-j-k or j-k-l is straight, an inversion none when i-j-k is straight:
 * there the plain formulas jump and their forces grow without bound. Both energies are therefore
 * multiplied by S(sin^2 t) for each such bend angle t. S is exactly 1 for sin^2 t >= 1e-6 (0.06
 * degrees from straight) and falls to 0 at straight with continuous second derivatives.
 *
 * cos w of an inversion is never negative and so has a kink at w = 90 degrees. For cos^2 w < 1e-6
 * it is replaced by the parabola in cos^2 w that joins it with two continuous derivatives.
 *
 * Everywhere else these are the plain formulas to the last digit. */
#include "backend/ref/ref.h"

#include "constants.h"

#define SINGULAR 1e-6 /* sin^2 of a bend angle, cos^2 of an inversion */

double ref_bend_switch(v3 u, v3 v, v3 *grad_u, v3 *grad_v)
{
    const v3 n = v3_cross(u, v);
    const double y = v3_dot(n, n) / (v3_dot(u, u) * v3_dot(v, v) * SINGULAR);
    if (y >= 1.0) {
        *grad_u = *grad_v = (v3){0.0, 0.0, 0.0};
        return 1.0;
    }
    const double c = ref_cosine(u, v, grad_u, grad_v);
    if (c == 0.0) return 0.0;
    const double slope = -2.0 * c / SINGULAR * 30.0 * y * y * (1.0 - y) * (1.0 - y);
    *grad_u = v3_scale(slope, *grad_u);
    *grad_v = v3_scale(slope, *grad_v);
    return y * y * y * (10.0 + y * (-15.0 + y * 6.0));
}

/* Angle and gradients of Blondel and Karplus, J. Comput. Chem. 17 (1996) 1132. */
void ref_torsion_measure(ref_torsion *t)
{
    const v3 a = v3_cross(t->f, t->g), b = v3_cross(t->h, t->g);
    const double aa = v3_dot(a, a), bb = v3_dot(b, b), lg = v3_length(t->g);
    t->phi = atan2(v3_dot(v3_cross(b, a), t->g), v3_dot(a, b) * lg);
    const v3 from_a = v3_scale(v3_dot(t->f, t->g) / (aa * lg), a);
    const v3 from_b = v3_scale(v3_dot(t->h, t->g) / (bb * lg), b);
    t->grad_i = v3_scale(-lg / aa, a);
    t->grad_l = v3_scale(lg / bb, b);
    t->grad_j = v3_add(v3_scale(lg / aa, a), v3_sub(from_a, from_b));
}

bool ref_torsion_is_real(const ref_torsion *t)
{
    v3 f, g;
    return ref_bend_switch(t->f, t->g, &f, &g) != 0.0 && ref_bend_switch(t->h, t->g, &f, &g) != 0.0;
}

/* k takes what is left of the forces. */
double ref_torsion_forces(const ref_torsion *t, double plain, double by_phi, v3 force[4])
{
    v3 grad_f, grad_g, grad_h, grad_g2;
    const double s1 = ref_bend_switch(t->f, t->g, &grad_f, &grad_g);
    const double s2 = ref_bend_switch(t->h, t->g, &grad_h, &grad_g2);
    const double slope = by_phi * s1 * s2;
    const v3 by_f = v3_scale(plain * s2, grad_f), by_h = v3_scale(plain * s1, grad_h);
    const v3 by_g = v3_add(v3_scale(plain * s2, grad_g), v3_scale(plain * s1, grad_g2));
    force[0] = v3_scale(-1.0, v3_add(v3_scale(slope, t->grad_i), by_f));
    force[1] = v3_scale(-1.0, v3_add(v3_scale(slope, t->grad_j), v3_sub(by_g, by_f)));
    force[3] = v3_scale(-1.0, v3_add(v3_scale(slope, t->grad_l), by_h));
    force[2] = v3_scale(-1.0, v3_add(v3_add(force[0], force[1]), force[3]));
    return plain * s1 * s2;
}

/* The angle of a term; false where it has none. */
static bool begin(const ref_system *sys, const shoal_term *term, ref_torsion *t)
{
    const v3 rj = ref_corner(sys, term, 1), rk = ref_corner(sys, term, 2);
    *t = (ref_torsion){
        .f = v3_sub(ref_corner(sys, term, 0), rj),
        .g = v3_sub(rj, rk),
        .h = v3_sub(ref_corner(sys, term, 3), rk),
    };
    if (!ref_torsion_is_real(t)) return false;
    ref_torsion_measure(t);
    return true;
}

/* E = v (1 - d cos n phi) S S */
double ref_torsion_term(const ref_system *sys, const shoal_term *term, double *value, v3 force[4])
{
    const double v = term->p[SHOAL_TORSION_V], d = term->p[SHOAL_TORSION_D],
                 n = term->p[SHOAL_TORSION_N];
    ref_torsion t;
    if (!begin(sys, term, &t)) return 0.0;
    *value = DEGREES * t.phi;
    return ref_torsion_forces(&t, v * (1.0 - d * cos(n * t.phi)), v * d * n * sin(n * t.phi),
                              force);
}

/* E = k (1 + cos(n phi - phase)) S S */
double ref_periodic_term(const ref_system *sys, const shoal_term *term, double *value, v3 force[4])
{
    const double k = term->p[SHOAL_PERIODIC_K], n = term->p[SHOAL_PERIODIC_N];
    ref_torsion t;
    if (!begin(sys, term, &t)) return 0.0;
    const double at = n * t.phi - term->p[SHOAL_PERIODIC_PHASE];
    *value = DEGREES * t.phi;
    return ref_torsion_forces(&t, k * (1.0 + cos(at)), -k * n * sin(at), force);
}

/* sqrt(p) and its slope for p = cos^2 w, with the parabola below SINGULAR. */
static double cosine_of_square(double p, double *slope)
{
    const double edge = sqrt(SINGULAR);
    if (p >= SINGULAR) {
        *slope = 0.5 / sqrt(p);
        return sqrt(p);
    }
    const double y = p / SINGULAR;
    *slope = edge / SINGULAR * (0.75 - 0.25 * y);
    return edge * (0.375 + y * (0.75 - 0.125 * y));
}

/* u, v, w lead from the centre j to i, k, l; E = k (c0 + c1 cos w + c2 cos 2w) S. */
double ref_inversion_term(const ref_system *sys, const shoal_term *term, double *value, v3 force[4])
{
    const double k = term->p[SHOAL_INVERSION_K], *c = term->p + SHOAL_INVERSION_C0;
    const v3 rj = ref_corner(sys, term, 1);
    const v3 u = v3_sub(ref_corner(sys, term, 0), rj), v = v3_sub(ref_corner(sys, term, 2), rj);
    const v3 w = v3_sub(ref_corner(sys, term, 3), rj);
    const double lw = v3_length(w);
    v3 grad_u, grad_v;
    const double s = ref_bend_switch(u, v, &grad_u, &grad_v);
    if (s == 0.0 || lw < REF_COINCIDENT) return 0.0;
    const v3 normal = v3_cross(u, v), e = v3_scale(1.0 / lw, w);
    const double ln = v3_length(normal);
    const v3 n = v3_scale(1.0 / ln, normal);
    const double sine = v3_dot(n, e);
    const v3 across = v3_cross(n, e);
    double slope;
    const double p = v3_dot(across, across), cosine = cosine_of_square(p, &slope);
    const double plain = k * (c[0] + c[1] * cosine + c[2] * (2.0 * p - 1.0));
    /* p = 1 - sin^2 w; the gradients of sin w follow from n = (u x v)/|u x v| and e = w/|w|. */
    const double by_sine = -2.0 * sine * k * (c[1] * slope + 2.0 * c[2]) * s;
    const v3 t = v3_scale(1.0 / ln, v3_sub(e, v3_scale(sine, n)));
    const v3 sine_w = v3_scale(1.0 / lw, v3_sub(n, v3_scale(sine, e)));
    force[0] = v3_add(v3_scale(-by_sine, v3_cross(v, t)), v3_scale(-plain, grad_u));
    force[2] = v3_add(v3_scale(-by_sine, v3_cross(t, u)), v3_scale(-plain, grad_v));
    force[3] = v3_scale(-by_sine, sine_w);
    force[1] = v3_scale(-1.0, v3_add(v3_add(force[0], force[2]), force[3]));
    *value = DEGREES * asin(fmax(-1.0, fmin(1.0, sine)));
    return plain * s;
}
