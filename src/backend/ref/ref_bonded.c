/* SPDX-License-Identifier: BSD-3-Clause
 * Bonds and angles. */
#include "backend/ref/ref.h"

#include <math.h>

#include "constants.h"

v3 ref_corner(const ref_system *sys, const shoal_term *term, int k)
{
    return ref_position(sys, term->atoms[k], term->shifts[k]);
}

/* At r = 0 the energy is that of the formula and the force, which has no direction, is zero. */
static double ref_bond_term(const ref_system *sys, const shoal_term *term, double *value,
                            v3 force[4])
{
    const double k = term->p[SHOAL_BOND_K], r0 = term->p[SHOAL_BOND_R0];
    const v3 d = v3_sub(ref_corner(sys, term, 1), ref_corner(sys, term, 0));
    const double r = v3_length(d);
    *value = r;
    if (!(r < REF_COINCIDENT)) {
        force[1] = v3_scale(-k * (r - r0) / r, d);
        force[0] = v3_scale(-1.0, force[1]);
    }
    return 0.5 * k * (r - r0) * (r - r0);
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

/* Energy and slope by the cosine of the guard: nothing from the angle on where it begins. */
static double angle_guard(const double *p, double cosine, double *slope)
{
    const double depth = cosine - p[SHOAL_ANGLE_GUARD_FROM];
    *slope = 0.0;
    if (p[SHOAL_ANGLE_GUARD] == 0.0 || depth <= 0.0) return 0.0;
    *slope = 3.0 * p[SHOAL_ANGLE_GUARD] * pow(depth, 2);
    return p[SHOAL_ANGLE_GUARD] * pow(depth, 3);
}

static double ref_angle_term(const ref_system *sys, const shoal_term *term, double *value,
                             v3 force[4])
{
    const v3 centre = ref_corner(sys, term, 1);
    const v3 u = v3_sub(ref_corner(sys, term, 0), centre);
    const v3 v = v3_sub(ref_corner(sys, term, 2), centre);
    const double k = term->p[SHOAL_ANGLE_K];
    v3 grad_u, grad_v;
    const double cosine = ref_cosine(u, v, &grad_u, &grad_v);
    double slope, guard_slope;
    const double energy = k * angle_series(term->p + SHOAL_ANGLE_C0, cosine, &slope);
    const double guard = angle_guard(term->p, cosine, &guard_slope);
    const double pull = k * slope + guard_slope;
    *value = DEGREES * atan2(v3_length(v3_cross(u, v)), v3_dot(u, v));
    force[0] = v3_scale(-pull, grad_u);
    force[2] = v3_scale(-pull, grad_v);
    force[1] = v3_scale(-1.0, v3_add(force[0], force[2]));
    return energy + guard;
}

/* A guard alone: nothing from the angle on where it begins. */
static double ref_guard_term(const ref_system *sys, const shoal_term *term, double *value,
                             v3 force[4])
{
    const v3 centre = ref_corner(sys, term, 1);
    const v3 u = v3_sub(ref_corner(sys, term, 0), centre);
    const v3 v = v3_sub(ref_corner(sys, term, 2), centre);
    v3 grad_u, grad_v;
    const double depth = ref_cosine(u, v, &grad_u, &grad_v) - term->p[SHOAL_GUARD_FROM];
    *value = DEGREES * atan2(v3_length(v3_cross(u, v)), v3_dot(u, v));
    if (depth <= 0.0) return 0.0;
    const double pull = 3.0 * term->p[SHOAL_GUARD_K] * pow(depth, 2);
    force[0] = v3_scale(-pull, grad_u);
    force[2] = v3_scale(-pull, grad_v);
    force[1] = v3_scale(-1.0, v3_add(force[0], force[2]));
    return term->p[SHOAL_GUARD_K] * pow(depth, 3);
}

/* How far a number lies outside of a range: above it positive, below it negative. */
static double beyond(double x, double low, double high)
{
    return x > high ? x - high : x < low ? x - low : 0.0;
}

static double ref_range_term(const ref_system *sys, const shoal_term *term, double *value,
                             v3 force[4])
{
    const double k = term->p[SHOAL_RANGE_K], lower = term->p[SHOAL_RANGE_LOWER];
    const double upper = term->p[SHOAL_RANGE_UPPER];
    const v3 d = v3_sub(ref_corner(sys, term, 1), ref_corner(sys, term, 0));
    const double r = *value = v3_length(d);
    double energy = 0.0, slope = 0.0; /* dE/dr over r */
    if (upper > 0.0 && r > upper) {
        const double x = pow(r / upper, 2) - 1.0;
        energy = k * x * x;
        slope = 4.0 * k * x / (upper * upper);
    } else if (r < lower) {
        const double q = pow(r / lower, 2), x = 2.0 / (1.0 + q) - 1.0;
        energy = k * x * x;
        slope = -8.0 * k * x / (pow(1.0 + q, 2) * lower * lower);
    }
    force[0] = v3_scale(slope, d);
    force[1] = v3_scale(-slope, d);
    return energy;
}

static double ref_volume_term(const ref_system *sys, const shoal_term *term, double *value,
                              v3 force[4])
{
    const v3 corner = ref_corner(sys, term, 0);
    v3 arm[3];
    for (int k = 0; k < 3; ++k) arm[k] = v3_sub(ref_corner(sys, term, k + 1), corner);
    *value = v3_dot(arm[0], v3_cross(arm[1], arm[2]));
    const double k = term->p[SHOAL_VOLUME_K];
    const double x = beyond(*value, term->p[SHOAL_VOLUME_LOW], term->p[SHOAL_VOLUME_HIGH]);
    force[0] = (v3){0.0, 0.0, 0.0};
    for (int a = 0; a < 3; ++a) {
        force[a + 1] = v3_scale(-2.0 * k * x, v3_cross(arm[(a + 1) % 3], arm[(a + 2) % 3]));
        force[0] = v3_sub(force[0], force[a + 1]);
    }
    return k * x * x;
}

ref_term *const ref_terms[TERM_N_KINDS] = {
    [SHOAL_KIND_BOND] = ref_bond_term,
    [SHOAL_KIND_ANGLE] = ref_angle_term,
    [SHOAL_KIND_TORSION] = ref_torsion_term,
    [SHOAL_KIND_INVERSION] = ref_inversion_term,
    [SHOAL_KIND_PAIR_VDW] = ref_pair_vdw_term,
    [SHOAL_KIND_PAIR_COULOMB] = ref_pair_coulomb_term,
    [SHOAL_KIND_PAIR_FORM] = ref_pair_form_term,
    [SHOAL_KIND_HALF_ANGLE] = ref_half_angle_term,
    [SHOAL_KIND_SIGMA_PI] = ref_sigma_pi_term,
    [SHOAL_KIND_PI_PI] = ref_pi_pi_term,
    [SHOAL_KIND_GUARD] = ref_guard_term,
    [SHOAL_KIND_RANGE] = ref_range_term,
    [SHOAL_KIND_VOLUME] = ref_volume_term,
    [SHOAL_KIND_QUARTIC_BOND] = ref_quartic_bond_term,
    [SHOAL_KIND_BEND] = ref_bend_term,
    [SHOAL_KIND_WILSON] = ref_wilson_term,
    [SHOAL_KIND_FOURIER] = ref_fourier_term,
    [SHOAL_KIND_PAIR_BUFFERED] = ref_pair_buffered_term,
    [SHOAL_KIND_PERIODIC] = ref_periodic_term,
};

shoal_term_row ref_bonded_row(const ref_system *sys, int kind, int32_t index, v3 force[4])
{
    const shoal_term *term = &terms_of(sys->view, kind)[index];
    shoal_term_row row = {.term = term_shapes[kind].energy,
                          .kind = kind,
                          .index = index,
                          .n_atoms = term_shapes[kind].n_atoms};
    for (int k = 0; k < 4; ++k) force[k] = (v3){0.0, 0.0, 0.0};
    row.energy = ref_terms[kind](sys, term, &row.value, force);
    for (int32_t k = 0; k < row.n_atoms; ++k)
        row.atoms[k] = ref_image(term->atoms[k], term->shifts[k]);
    return row;
}

static void add_term(const ref_system *sys, int kind, int32_t index, ref_sink *sink)
{
    v3 force[4];
    const shoal_term_row row = ref_bonded_row(sys, kind, index, force);
    for (int32_t k = 0; k < row.n_atoms; ++k) {
        const shoal_image *at = &row.atoms[k];
        ref_push(sink, at->atom, force[k]);
        if (at->atom < sys->view->n_atoms)
            ref_strain(sink, ref_position(sys, at->atom, at->shift), force[k]);
    }
    ref_emit(sink, &row);
}

void ref_bonded(const ref_system *sys, int energy, ref_sink *sink)
{
    for (int kind = 0; kind < TERM_N_KINDS; ++kind)
        for (int32_t i = 0; term_shapes[kind].energy == energy && i < terms_count(sys->view, kind);
             ++i)
            add_term(sys, kind, i, sink);
}
