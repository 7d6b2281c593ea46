/* SPDX-License-Identifier: BSD-3-Clause
 * Special pairs of a pair model, by their family. */
#include "backend/ref/ref.h"

#include <math.h>

/* exp(-x) sum_{k=0..6} x^k/k!, what Tang and Toennies take from 1; its slope is -exp(-x) x^6/6!. */
static double remainder_6(double x)
{
    double term = 1.0, sum = 1.0;
    for (int k = 1; k <= 6; ++k) {
        term *= x / k;
        sum += term;
    }
    return exp(-x) * sum;
}

double ref_pair_form_term(const ref_system *sys, const shoal_term *term, double *value, v3 force[4])
{
    static const int powers[] = {12, 9, 8};
    const v3 d = v3_sub(ref_corner(sys, term, 1), ref_corner(sys, term, 0));
    const double r = v3_length(d), a = term->p[SHOAL_FORM_A], b = term->p[SHOAL_FORM_B];
    const double k = term->p[SHOAL_FORM_K], beta = term->p[SHOAL_FORM_BETA];
    const int family = (int)term->p[SHOAL_FORM_FAMILY];
    const double damping = beta > 0.0 ? 1.0 - remainder_6(beta * r) : 1.0;
    const double damping_slope = beta > 0.0 ? beta * exp(-beta * r) * pow(beta * r, 6) / 720.0 : 0;
    double attraction = damping * pow(r, -6), repulsion, slope_a, slope_b;
    slope_a = damping_slope * pow(r, -6) - 6.0 * damping * pow(r, -7);
    if (family < 3) {
        repulsion = pow(r, -powers[family]);
        slope_b = -powers[family] * pow(r, -powers[family] - 1);
    } else {
        const double rate = family == 3 ? 2.0 * k : k;
        repulsion = exp(-rate * r);
        slope_b = -rate * repulsion;
    }
    if (family == 3) {
        attraction = exp(-k * r);
        slope_a = -k * attraction;
    }
    *value = r;
    force[1] = v3_scale(-(b * slope_b - a * slope_a) / r, d);
    force[0] = v3_scale(-1.0, force[1]);
    return b * repulsion - a * attraction;
}
