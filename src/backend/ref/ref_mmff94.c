/* SPDX-License-Identifier: BSD-3-Clause
 * Bonded terms of MMFF94, by angles (T. A. Halgren, J. Comput. Chem. 17 (1996) 490, equations 2 to 7).
 *
 * At a straight angle no plane is distinguished: below a sine of 1e-4 the part of a force that turns an angle fades
 * away, and so does that of an elevation below a cosine of 1e-4. Two arms with a sine below 1e-3 span no plane: there
 * the sine of the elevation is the triple product divided by 1e-3. */
#include "backend/ref/ref.h"

#include "ff/pair_model.h"

#include "constants.h"

#define LEAST_SINE 1e-4
#define LEAST_AREA 1e-3

/* E = k/2 s^2 (1 + c s + 7/12 c^2 s^2), s = r - r0 */
double ref_quartic_bond_term(const ref_system *sys, const shoal_term *term, double *value,
                             v3 force[4])
{
    const double k = term->p[SHOAL_BOND_K], r0 = term->p[SHOAL_BOND_R0];
    const double c = term->p[SHOAL_QUARTIC_C];
    const v3 d = v3_sub(ref_corner(sys, term, 1), ref_corner(sys, term, 0));
    const double r = v3_length(d), s = r - r0;
    const double slope = k * s + 1.5 * k * c * pow(s, 2) + 7.0 / 6.0 * k * c * c * pow(s, 3);
    *value = r;
    if (r >= REF_COINCIDENT) force[1] = v3_scale(-slope / r, d);
    force[0] = v3_scale(-1.0, force[1]);
    return 0.5 * k * pow(s, 2) + 0.5 * k * c * pow(s, 3) + 7.0 / 24.0 * k * c * c * pow(s, 4);
}

/* E = k/2 d^2 (1 + c d) + (ki (r_ij - ri) + kk (r_jk - rk)) d, d = t - t0 */
double ref_bend_term(const ref_system *sys, const shoal_term *term, double *value, v3 force[4])
{
    const double *p = term->p;
    const v3 centre = ref_corner(sys, term, 1);
    const v3 u = v3_sub(ref_corner(sys, term, 0), centre);
    const v3 v = v3_sub(ref_corner(sys, term, 2), centre);
    const double lu = v3_length(u), lv = v3_length(v);
    v3 grad_u, grad_v;
    const double cosine = ref_cosine(u, v, &grad_u, &grad_v);
    const double t = atan2(v3_length(v3_cross(u, v)), v3_dot(u, v));
    const double d =
        (lu < REF_COINCIDENT || lv < REF_COINCIDENT ? acos(cosine) : t) - p[SHOAL_BEND_T0];
    const double stretch =
        p[SHOAL_BEND_KI] * (lu - p[SHOAL_BEND_RI]) + p[SHOAL_BEND_KK] * (lv - p[SHOAL_BEND_RK]);
    const double slope =
        p[SHOAL_BEND_K] * d + 1.5 * p[SHOAL_BEND_K] * p[SHOAL_BEND_C] * d * d + stretch;
    const double pull = slope / fmax(sin(t), LEAST_SINE);
    force[0] = v3_scale(pull, grad_u);
    force[2] = v3_scale(pull, grad_v);
    if (lu >= REF_COINCIDENT) force[0] = v3_sub(force[0], v3_scale(p[SHOAL_BEND_KI] * d / lu, u));
    if (lv >= REF_COINCIDENT) force[2] = v3_sub(force[2], v3_scale(p[SHOAL_BEND_KK] * d / lv, v));
    force[1] = v3_scale(-1.0, v3_add(force[0], force[2]));
    *value = DEGREES * t;
    return 0.5 * p[SHOAL_BEND_K] * d * d * (1.0 + p[SHOAL_BEND_C] * d) + stretch * d;
}

/* k/2 w^2 with w the angle between the arm c and the plane of a and b; adds to the forces on their ends. */
static double elevation(double k, v3 a, v3 b, v3 c, double *angle, v3 *fa, v3 *fb, v3 *fc)
{
    const double la = v3_length(a), lb = v3_length(b), lc = v3_length(c);
    const v3 area = v3_scale(1.0 / (la * lb), v3_cross(a, b)), e = v3_scale(1.0 / lc, c);
    const double size = v3_length(area), by = fmax(size, LEAST_AREA);
    const double sine = fmax(-1.0, fmin(1.0, v3_dot(area, e) / by));
    const double w = asin(sine), slope = k * w / fmax(cos(w), LEAST_SINE);
    /* The sine is e.(a x b)/|a x b|; close to a line e.(a x b)/(|a||b|) and a constant. */
    const v3 n = v3_scale(1.0 / by, area), t = size > LEAST_AREA ? v3_sub(e, v3_scale(sine, n)) : e;
    const double s = slope / (la * lb * by);
    const v3 along_a = size > LEAST_AREA ? (v3){0, 0, 0} : v3_scale(sine / (la * la), a);
    const v3 along_b = size > LEAST_AREA ? (v3){0, 0, 0} : v3_scale(sine / (lb * lb), b);
    *fa = v3_sub(*fa, v3_sub(v3_scale(s, v3_cross(b, t)), v3_scale(slope, along_a)));
    *fb = v3_sub(*fb, v3_sub(v3_scale(s, v3_cross(t, a)), v3_scale(slope, along_b)));
    *fc = v3_sub(*fc, v3_scale(slope / lc, v3_sub(n, v3_scale(sine, e))));
    *angle = w;
    return 0.5 * k * w * w;
}

/* E = k/2 (w_i^2 + w_k^2 + w_l^2), Wilson's angles at the centre j. */
double ref_wilson_term(const ref_system *sys, const shoal_term *term, double *value, v3 force[4])
{
    const double k = term->p[SHOAL_WILSON_K];
    const v3 rj = ref_corner(sys, term, 1);
    const v3 a = v3_sub(ref_corner(sys, term, 0), rj), b = v3_sub(ref_corner(sys, term, 2), rj);
    const v3 c = v3_sub(ref_corner(sys, term, 3), rj);
    double w;
    if (fmin(v3_length(a), fmin(v3_length(b), v3_length(c))) < REF_COINCIDENT) return 0.0;
    double e = elevation(k, b, c, a, &w, &force[2], &force[3], &force[0]);
    e += elevation(k, c, a, b, &w, &force[3], &force[0], &force[2]);
    e += elevation(k, a, b, c, &w, &force[0], &force[2], &force[3]);
    force[1] = v3_scale(-1.0, v3_add(v3_add(force[0], force[2]), force[3]));
    *value = DEGREES * w;
    return e;
}

/* E = 1/2 (v1 (1 + cos phi) + v2 (1 - cos 2 phi) + v3 (1 + cos 3 phi)) S S, as torsions are switched off. */
double ref_fourier_term(const ref_system *sys, const shoal_term *term, double *value, v3 force[4])
{
    const double *v = term->p;
    const v3 rj = ref_corner(sys, term, 1), rk = ref_corner(sys, term, 2);
    ref_torsion t = {
        .f = v3_sub(ref_corner(sys, term, 0), rj),
        .g = v3_sub(rj, rk),
        .h = v3_sub(ref_corner(sys, term, 3), rk),
    };
    double plain = 0.0, slope = 0.0;
    if (!ref_torsion_is_real(&t)) return 0.0;
    ref_torsion_measure(&t);
    for (int n = 1; n <= 3; ++n) {
        const double sign = n == 2 ? -1.0 : 1.0;
        plain += 0.5 * v[n - 1] * (1.0 + sign * cos(n * t.phi));
        slope -= 0.5 * v[n - 1] * sign * n * sin(n * t.phi);
    }
    *value = DEGREES * t.phi;
    return ref_torsion_forces(&t, plain, slope, force);
}

/* E = scale kC q q / (r + delta)^n */
double ref_pair_buffered_term(const ref_system *sys, const shoal_term *term, double *value,
                              v3 force[4])
{
    const double delta = term->p[SHOAL_BUFFERED_DELTA], n = term->p[SHOAL_BUFFERED_N];
    const double qi = sys->view->charges[term->atoms[0]], qj = sys->view->charges[term->atoms[1]];
    const v3 d = v3_sub(ref_corner(sys, term, 1), ref_corner(sys, term, 0));
    const double r = v3_length(d);
    const double e = term->p[SHOAL_BUFFERED_SCALE] * pair_model_unit(sys->view->model) * qi * qj /
                     pow(r + delta, n);
    *value = r;
    if (r >= REF_COINCIDENT) force[1] = v3_scale(n * e / (r + delta) / r, d);
    force[0] = v3_scale(-1.0, force[1]);
    return e;
}
