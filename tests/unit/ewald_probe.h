/* SPDX-License-Identifier: BSD-3-Clause
 * The shared formulas of Ewald sums and of the vdW switch: values against the mathematical library,
 * forces against differences. Included with SHOAL_REAL set, and with EPSILON, the error of one operation
 * in it. */
#include <stdbool.h>

#include "check.h"

#include "ewald_terms.h"
#include "pair_terms.h"

/* sharp + smooth = 1/s, and each is the slope of the other's energy: both by s^2. */
static double split_error(double alpha, double s2, bool slopes)
{
    const double a = (double)(real)alpha, q = (double)(real)s2, s = sqrt(q);
    real slope, s2g;
    const double smooth = (double)ewald_erf((real)alpha, (real)s2, &slope);
    const double sharp = (double)ewald_erfc((real)(1.0 / s), (real)(a * s), &s2g);
    if (!slopes)
        return fmax(fabs(smooth * s / erf(a * s) - 1.0), fabs(smooth + sharp - 1.0 / s) * s);
    return fabs((double)s2g / q - 2.0 * (double)slope - 1.0 / (s * q)) * (s * q);
}

static double slab_error(double k, double z, double alpha)
{
    const double ka = k / (2.0 * alpha), az = alpha * z;
    const double up = exp(k * z) * erfc(ka + az), down = exp(-k * z) * erfc(ka - az);
    real difference;
    const double sum = (double)ewald_slab_kvec((real)(k * z), (real)az, (real)ka,
                                               (real)exp(-ka * ka - az * az), &difference);
    return fmax(fabs(sum - up - down), fabs((double)difference - up + down)) /
           fmax(up + down, 1e-3); /* the plain formula itself loses digits far out */
}

/* Energy of a vdW pair (depth 1/12, x = 1) at r under the switch of a cut-off; *g r is the force. */
static double switched(double r, double cutoff, double *force)
{
    const double start = VDW_SWITCH * cutoff, width = cutoff - start;
    const double y = fmin(1.0, fmax(0.0, (r - start) / width));
    real s;
    const real plain = pair_vdw(1, 1, (real)(1.0 / (r * r * r * r * r * r)), &s);
    const real e = pair_switch(plain, (real)y, (real)(r / width), &s);
    *force = (double)s / r;
    return (double)e / 12.0;
}

static void test_split(void)
{
    for (int k = 0; k <= 400; ++k) {
        const double s2 = 1e-3 * pow(1e6, k / 400.0);
        CHECK_NEAR(split_error(0.3, s2, false), 0.0, 16 * EPSILON);
        CHECK_NEAR(split_error(0.3, s2, true), 0.0, 32 * EPSILON);
    }
    real slope;
    CHECK_NEAR((double)ewald_erf((real)0.4, 0, &slope), 0.8 / sqrt(3.14159265358979323846),
               4 * EPSILON);
}

static void test_slab(void)
{
    for (int i = 1; i <= 40; ++i)
        for (int j = 0; j <= 40; ++j)
            CHECK_NEAR(slab_error(0.1 * i, 0.5 * j, 0.4), 0.0, 100 * EPSILON);
}

static void test_switch(void)
{
    const double cutoff = 2.0, h = sizeof(real) == 4 ? 1e-3 : 1e-5;
    double force, aside;
    for (double r = 0.9; r < cutoff; r += 0.007) {
        (void)switched(r, cutoff, &force);
        const double slope =
            (switched(r + h, cutoff, &aside) - switched(r - h, cutoff, &aside)) / (2 * h);
        CHECK_NEAR(force, -slope, (sizeof(real) == 4 ? 1e-3 : 1e-8) * fmax(1.0, fabs(force)));
    }
    CHECK_NEAR(switched(1.5, cutoff, &force), (pow(1.5, -12) - 2 * pow(1.5, -6)) / 12, EPSILON);
    CHECK_NEAR(switched(2.0, cutoff, &force), 0.0, 0.0);
    CHECK_NEAR(force, 0.0, 0.0);
}

/* All of it. */
static int test_all(void)
{
    test_split();
    test_slab();
    test_switch();
    return check_done();
}
