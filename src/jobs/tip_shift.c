/* SPDX-License-Identifier: BSD-3-Clause
 * Frequency shifts of an oscillating tip from its block of forces. */
#include <math.h>

#include "jobs/tip.h"
#include "shoal/units.h"

#include "constants.h"

enum { NODES = 64 }; /* of Gauss and Chebyshev */

/* Force along z at a height in steps above the lowest point: the cubic through the four points around it, or those at
 * the end of the line. */
static double force_at(const double (*line)[3], int32_t n, double at)
{
    int32_t first = (int32_t)floor(at) - 1;
    if (first < 0) first = 0;
    if (first > n - 4) first = n - 4;
    const double t = at - first;
    double sum = 0.0;
    for (int i = 0; i < 4; ++i) {
        double weight = 1.0;
        for (int k = 0; k < 4; ++k)
            if (k != i) weight *= (t - k) / (i - k);
        sum += weight * line[first + i][2];
    }
    return sum;
}

/* Of a way whose lowest point is number iz. */
static double shift_of(const shoal_tip_view *v, const shoal_tip_oscillator *o,
                       const double (*line)[3], int32_t iz)
{
    const double reach = o->amplitude / v->step[2];
    const double k = o->stiffness * 10.0 * shoal_unit_value(SHOAL_UNIT_GIGAPASCAL);
    double sum = 0.0;
    for (int m = 0; m < NODES; ++m) {
        const double c = cos(PI * (m + 0.5) / NODES);
        sum += force_at(line, v->n[2], iz + reach * (1.0 + c)) * c;
    }
    return -o->frequency / (k * o->amplitude) * sum / NODES;
}

static shoal_status check_oscillator(const shoal_tip_oscillator *o)
{
    if (o->frequency > 0.0 && o->stiffness > 0.0 && o->amplitude > 0.0 && isfinite(o->frequency) &&
        isfinite(o->stiffness) && isfinite(o->amplitude))
        return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT,
                      "frequency shift: %g Hz, %g N/m and an amplitude of %g A, expected three "
                      "above zero",
                      o->frequency, o->stiffness, o->amplitude);
}

shoal_status shoal_tip_shifts(const shoal_tip_block *block, const shoal_tip_oscillator *oscillator,
                              double *out, int32_t *n_z)
{
    shoal_clear_error();
    SHOAL_NEED(block && oscillator && n_z);
    const shoal_tip_view *v = &block->view;
    *n_z = 0;
    SHOAL_TRY(check_oscillator(oscillator));
    const double height = v->step[2] * (v->n[2] - 1), way = 2.0 * oscillator->amplitude;
    if (v->n[2] < 4 || way > height * (1.0 + 1e-9))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "frequency shift: %d points over %g A of height, expected four or more "
                          "over %g A, twice the amplitude",
                          v->n[2], height, way);
    const int32_t n = 1 + (int32_t)floor((height - way) / v->step[2] * (1.0 + 1e-12) + 1e-9);
    *n_z = n;
    for (int32_t x = 0; out && x < v->n[0]; ++x)
        for (int32_t y = 0; y < v->n[1]; ++y)
            for (int32_t z = 0; z < n; ++z)
                out[((size_t)x * (size_t)v->n[1] + (size_t)y) * (size_t)n + (size_t)z] =
                    shift_of(v, oscillator, v->forces + tip_index(v, x, y, 0), z);
    return SHOAL_OK;
}
