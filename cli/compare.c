/* SPDX-License-Identifier: BSD-3-Clause
 * How far the results of a device are from those of ref. */
#include "compare.h"

#include <math.h>

static double length(const double a[3])
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

void compare_results(const shoal_result *ref, const shoal_result *device, int32_t n_atoms,
                     comparison *out)
{
    const bool a = ref->status == SHOAL_SYSTEM_OK, b = device->status == SHOAL_SYSTEM_OK;
    *out = (comparison){.comparable = a && b, .same_status = ref->status == device->status};
    if (!out->comparable) return;
    for (int32_t i = 0; i < n_atoms; ++i) {
        double d[3];
        for (int c = 0; c < 3; ++c) d[c] = device->forces[i][c] - ref->forces[i][c];
        out->force = fmax(out->force, length(ref->forces[i]));
        if (length(d) <= out->force_error) continue;
        out->force_error = length(d);
        out->atom = i;
    }
    out->verdict = out->force_error / fmax(out->force, COMPARE_LEAST_FORCE);
    out->relative = out->force_error > 0 ? out->force_error / out->force : 0;
    double size = 1;
    for (int t = 0; t < SHOAL_N_TERMS; ++t) size += fabs(ref->terms[t]);
    for (int t = 0; t < SHOAL_N_TERMS; ++t) {
        const double error = fabs(device->terms[t] - ref->terms[t]) / size;
        if (error <= out->energy_error) continue;
        out->energy_error = error;
        out->term = t;
    }
}

double compare_tolerance(const shoal_engine_options *options)
{
    /* ref sums directly; the errors of a spline are no mistakes. */
    if (options->grid) return 1e-3;
    return options->precision == SHOAL_PRECISION_DOUBLE ? 1e-9 : 1e-4;
}
