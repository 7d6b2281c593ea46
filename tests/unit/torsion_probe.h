/* SPDX-License-Identifier: BSD-3-Clause
 * The shared torsion for every number of minima from 1 to 6: energies against the cosine of the
 * mathematical library, forces against differences; and torsions and inversions where they are switched
 * off or rounded off, because an angle is straight or an atom upright. Included with SHOAL_REAL set, with the error of an
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

/* Where sin^2 of an angle is y times the limit, the energy is a fraction of the plain one: 0 at y = 0,
 * 1 at y = 1 and beyond, and at y and 1 - y together 1. */
static void test_straight(void)
{
    const torsion_par p = {R(0.7), R(-1.0), 3};
    for (int k = 0; k <= 12; ++k) {
        const double y = 0.1 * k, sine = sqrt(y * (double)UFF_SINGULAR);
        const double z = y < 1 ? y : 1, part = z * z * z * (10 + z * (-15 + 6 * z));
        v3 a, b, c, f[4];
        place(0.4, &a, &b, &c);
        a = v3_make((real)(0.9 * sine), 0, (real)(-0.9 * sqrt(1 - sine * sine)));
        const double plain = 0.7 * (1 + cos(3 * 0.4));
        const double got = (double)uff_torsion_straight(p, a, b, c, &f[0], &f[1], &f[2], &f[3]);
        CHECK_NEAR(got, part * plain, 300 * ENERGY_ERROR);
        CHECK(uff_torsion_is_straight(a, b, c) == (k < 10) || k == 10);
    }
}

/* An atom that stands upright on the plane of the others: cos w is rounded off at 0. */
static void test_upright(void)
{
    const inversion_par p = {R(2.0), R(1.0), R(-1.0), R(0.0)};
    const double root = sqrt((double)UFF_SINGULAR);
    for (int k = 0; k <= 10; ++k) {
        const double z = 0.1 * k, cosine = root * sqrt(z);
        const v3 a = v3_make(R(1.0), 0, 0), b = v3_make(R(-0.5), R(0.8), 0);
        const v3 c = v3_make((real)cosine, 0, (real)sqrt(1 - cosine * cosine));
        const double want = root * (0.375 + z * (0.75 - 0.125 * z));
        v3 f[3];
        const double got = (double)uff_inversion_straight(p, a, b, c, &f[0], &f[1], &f[2]);
        /* 1 - sin^2 w has an error of the size of 1, but none at 0. */
        CHECK_NEAR(got, 2 * (1 - want), k == 0 ? 10 * ENERGY_ERROR : 2e3 * ENERGY_ERROR);
    }
}

static int test_all(void)
{
    for (int n = 1; n <= 6; ++n) test_energy(n);
    test_straight();
    test_upright();
    return check_done();
}
