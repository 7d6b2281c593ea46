/* SPDX-License-Identifier: BSD-3-Clause
 * The shared torsion for every number of minima from 1 to 6: energies against the cosine of the
 * mathematical library, forces against differences. Included with SHOAL_REAL set, with the error of an
 * energy relative to the barrier, ENERGY_ERROR, and that of a force, FORCE_ERROR. */
#include "check.h"

#include "uff_terms.h"

/* Atoms i and l at unit distance from the bond j-k along z, phi apart. */
static void place(double phi, v3 *a, v3 *b, v3 *c)
{
    *a = v3_make((real)0.9, 0, (real)-0.3);
    *b = v3_make(0, 0, (real)1.4);
    *c = v3_make((real)(1.1 * cos(phi)), (real)(1.1 * sin(phi)), (real)0.4);
}

static void test_energy(int n)
{
    for (int k = 0; k < 72; ++k)
        for (int sign = -1; sign <= 1; sign += 2) {
            const double phi = 0.0436 + k * 0.0872664626;
            const torsion_par p = {R(0.7), (real)sign, n};
            v3 a, b, c, f[4];
            place(phi, &a, &b, &c);
            const double want = 0.7 * (1 - sign * cos(n * phi));
            CHECK_NEAR((double)uff_torsion(p, a, b, c, &f[0], &f[1], &f[2], &f[3]), want,
                       ENERGY_ERROR);
            /* The force on l along its circle of radius 1.1 is -dE/dphi / 1.1. */
            const double along = -sin(phi) * (double)f[3].x + cos(phi) * (double)f[3].y;
            CHECK_NEAR(along, -0.7 * sign * n * sin(n * phi) / 1.1, FORCE_ERROR);
            CHECK_NEAR((double)(f[0].x + f[1].x + f[2].x + f[3].x), 0, FORCE_ERROR);
            CHECK_NEAR((double)(f[0].y + f[1].y + f[2].y + f[3].y), 0, FORCE_ERROR);
        }
}

static int test_all(void)
{
    for (int n = 1; n <= 6; ++n) test_energy(n);
    return check_done();
}
