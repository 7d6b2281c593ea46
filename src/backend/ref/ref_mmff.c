/* SPDX-License-Identifier: BSD-3-Clause
 * Terms of MMFFsp3, by angles: those between bonds, between a bond and a direction, and between directions.
 *
 * With n the unit vector along u x v, the angle t from u to v grows fastest by u x n / |u|^2 and n x v / |v|^2.
 * Terms of directions multiply that by sin t and are smooth everywhere; a half angle is not, see below. */
#include "backend/ref/ref.h"

#include "constants.h"

#define NEARLY_STRAIGHT 1e-4 /* cosine of half an angle below which its force fades away */

/* The angle from u to v, radians. *turn is u x v / (|u| |v|): the axis, as long as the sine. False if u or v has no
 * direction. */
static bool find_angle(v3 u, v3 v, double *angle, v3 *turn)
{
    const double lu = v3_length(u), lv = v3_length(v);
    if (lu < REF_COINCIDENT || lv < REF_COINCIDENT) return false;
    *turn = v3_scale(1.0 / (lu * lv), v3_cross(u, v));
    *angle = atan2(v3_length(*turn), v3_dot(u, v) / (lu * lv));
    return true;
}

/* Forces on u and v of an energy whose slope by their angle is `by_sine` times the sine of it. */
static void push_apart(double by_sine, v3 turn, v3 u, v3 v, v3 *fu, v3 *fv)
{
    *fu = v3_scale(-by_sine / v3_dot(u, u), v3_cross(u, turn));
    *fv = v3_scale(-by_sine / v3_dot(v, v), v3_cross(turn, v));
}

/* E = k (1 - cos((t - t0)/2)). Its slope at 180 degrees is k/2 cos(t0/2), in a direction that a straight angle
 * does not have: from 0.01 degrees on it goes to zero, and where t is exactly 0 or 180 degrees there is no force.
 * The unit vector of an arm without length is zero, and so cosine and sine of half the angle, half as long as the
 * sum and the difference of the two, are 1/2 for one such arm and 0 for two; the energy is k/2 times the square of
 * their distance from those of t0. */
double ref_half_angle_term(const ref_system *sys, const shoal_term *term, double *value,
                           v3 force[4])
{
    const double k = term->p[SHOAL_HALF_K], t0 = term->p[SHOAL_HALF_T0];
    const v3 centre = ref_corner(sys, term, 1);
    const v3 u = v3_sub(ref_corner(sys, term, 0), centre);
    const v3 v = v3_sub(ref_corner(sys, term, 2), centre);
    double t;
    v3 turn;
    if (!find_angle(u, v, &t, &turn)) {
        const double half = fmax(v3_length(u), v3_length(v)) < REF_COINCIDENT ? 0.0 : 0.5;
        return 0.5 * k * (pow(half - cos(0.5 * t0), 2) + pow(half - sin(0.5 * t0), 2));
    }
    const double sine = v3_length(turn), fade = fmin(1.0, cos(0.5 * t) / NEARLY_STRAIGHT);
    const double slope =
        0.5 * k * (fade * sin(0.5 * t) * cos(0.5 * t0) - cos(0.5 * t) * sin(0.5 * t0));
    if (sine > 0.0) push_apart(slope / sine, turn, u, v, &force[0], &force[2]);
    force[1] = v3_scale(-1.0, v3_add(force[0], force[2]));
    *value = DEGREES * t;
    return k * (1.0 - cos(0.5 * (t - t0)));
}

/* E = k (cos t - c0)^2 of the direction (number 0) and the bond from 1 to 2. A bond without length is across. */
double ref_sigma_pi_term(const ref_system *sys, const shoal_term *term, double *value, v3 force[4])
{
    const double k = term->p[SHOAL_SIGMA_K], c0 = term->p[SHOAL_SIGMA_C0];
    const v3 p = ref_corner(sys, term, 0);
    const v3 bond = v3_sub(ref_corner(sys, term, 2), ref_corner(sys, term, 1));
    double t;
    v3 turn;
    if (!find_angle(p, bond, &t, &turn)) return k * c0 * c0;
    push_apart(-2.0 * k * (cos(t) - c0), turn, p, bond, &force[0], &force[2]);
    force[1] = v3_scale(-1.0, force[2]);
    *value = DEGREES * t;
    return k * (cos(t) - c0) * (cos(t) - c0);
}

/* E = k (sqrt(1 + d^2) - sqrt(cos^2 t + d^2)), d the softening; without it k (1 - |cos t|). t is the smaller of the two
 * angles between the lines that the directions are on: at 90 degrees the two pull towards each other. */
double ref_pi_pi_term(const ref_system *sys, const shoal_term *term, double *value, v3 force[4])
{
    const double k = term->p[SHOAL_PI_K], soft = term->p[SHOAL_PI_SOFT];
    const v3 p = ref_corner(sys, term, 0), q = ref_corner(sys, term, 1);
    const double side = v3_dot(p, q) < 0.0 ? -1.0 : 1.0;
    double t;
    v3 turn;
    if (!find_angle(p, v3_scale(side, q), &t, &turn)) return 0.0;
    const double root = hypot(cos(t), soft);
    push_apart(k * (root > 0.0 ? cos(t) / root : 1.0), turn, p, v3_scale(side, q), &force[0],
               &force[1]);
    force[1] = v3_scale(side, force[1]);
    *value = DEGREES * t;
    return k * (hypot(1.0, soft) - root);
}
