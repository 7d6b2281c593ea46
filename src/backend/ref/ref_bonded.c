/* SPDX-License-Identifier: BSD-3-Clause
 * Bonds and angles. */
#include "backend/ref/ref.h"

#include "constants.h"

/* At r = 0 the energy is that of the formula and the force, which has no direction, is zero. */
static void add_bond(const ref_system *sys, int32_t index, ref_sink *sink)
{
    const shoal_bond_term *t = &sys->view->bonds[index];
    const v3 d = v3_sub(ref_position(sys, t->j, t->shift), ref_position(sys, t->i, NULL));
    const double r = v3_length(d);
    if (!(r < REF_COINCIDENT))
        ref_push_pair(sink, t->i, t->j, v3_scale(-t->k * (r - t->r0) / r, d));
    const shoal_term_row row = {
        .term = SHOAL_TERM_BOND,
        .index = index,
        .n_atoms = 2,
        .atoms = {{.atom = t->i}, ref_image(t->j, t->shift)},
        .value = r,
        .energy = 0.5 * t->k * (r - t->r0) * (r - t->r0),
    };
    ref_emit(sink, &row);
}

void ref_bonds(const ref_system *sys, ref_sink *sink)
{
    for (int32_t i = 0; i < sys->view->n_bonds; ++i) add_bond(sys, i, sink);
}

double ref_cosine(v3 u, v3 v, v3 *grad_u, v3 *grad_v)
{
    const double lu = v3_length(u), lv = v3_length(v);
    if (lu < REF_COINCIDENT || lv < REF_COINCIDENT) {
        *grad_u = *grad_v = (v3){0.0, 0.0, 0.0};
        return 0.0;
    }
    const v3 a = v3_scale(1.0 / lu, u), b = v3_scale(1.0 / lv, v);
    const double c = v3_dot(a, b);
    *grad_u = v3_scale(1.0 / lu, v3_sub(b, v3_scale(c, a)));
    *grad_v = v3_scale(1.0 / lv, v3_sub(a, v3_scale(c, b)));
    return c;
}

/* cos nt is a polynomial in x = cos t (Chebyshev's T_n), so neither the energy nor its slope by x
 * divides by sin t: both stay finite and consistent at 0 and 180 degrees. */
static double angle_series(const double c[5], double x, double *slope)
{
    const double x2 = x * x;
    *slope = c[1] + c[2] * 4.0 * x + c[3] * (12.0 * x2 - 3.0) + c[4] * (32.0 * x2 - 16.0) * x;
    return c[0] + c[1] * x + c[2] * (2.0 * x2 - 1.0) + c[3] * (4.0 * x2 - 3.0) * x +
           c[4] * (8.0 * x2 * (x2 - 1.0) + 1.0);
}

static void add_angle(const ref_system *sys, int32_t index, ref_sink *sink)
{
    const shoal_angle_term *t = &sys->view->angles[index];
    const v3 centre = ref_position(sys, t->j, NULL);
    const v3 u = v3_sub(ref_position(sys, t->i, t->shift_i), centre);
    const v3 v = v3_sub(ref_position(sys, t->k, t->shift_k), centre);
    v3 grad_u, grad_v;
    const double cosine = ref_cosine(u, v, &grad_u, &grad_v);
    double slope;
    const double energy = t->force_k * angle_series(t->c, cosine, &slope);
    slope *= t->force_k;
    ref_push_pair(sink, t->j, t->i, v3_scale(-slope, grad_u));
    ref_push_pair(sink, t->j, t->k, v3_scale(-slope, grad_v));
    const shoal_term_row row = {
        .term = SHOAL_TERM_ANGLE,
        .index = index,
        .n_atoms = 3,
        .atoms = {ref_image(t->i, t->shift_i), {.atom = t->j}, ref_image(t->k, t->shift_k)},
        .value = DEGREES * atan2(v3_length(v3_cross(u, v)), v3_dot(u, v)),
        .energy = energy,
    };
    ref_emit(sink, &row);
}

void ref_angles(const ref_system *sys, ref_sink *sink)
{
    for (int32_t i = 0; i < sys->view->n_angles; ++i) add_angle(sys, i, sink);
}
