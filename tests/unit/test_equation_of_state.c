/* SPDX-License-Identifier: BSD-3-Clause
 * Equations of state: energies that follow one give it back; what has no minimum is refused. */
#include <math.h>

#include "check.h"
#include "shoal/scan.h"

enum { MOST = 16 };

/* F. Birch, Phys. Rev. 71 (1947) 809: energy by volume. */
static double birch(double v, double v0, double e0, double bulk, double slope)
{
    const double x = pow(v0 / v, 2.0 / 3);
    return e0 + 9.0 / 16 * v0 * bulk * (pow(x - 1, 3) * slope + (x - 1) * (x - 1) * (6 - 4 * x));
}

static void make(double v0, double e0, double bulk, double slope, double v[MOST], double e[MOST])
{
    for (int i = 0; i < MOST; ++i) {
        v[i] = v0 * (0.85 + 0.02 * ((i * 7) % MOST)); /* in no order */
        e[i] = birch(v[i], v0, e0, bulk, slope);
    }
}

static void test_exact(void)
{
    const double cases[4][4] = {{100, -3, 0.5, 4},      /* stiff */
                                {17000, -900, 0.1, 2},  /* a framework: large numbers */
                                {40, 5, 2.5, 16.0 / 3}, /* the cubic term has gone with this .. */
                                {11.4, -7, 2.8, 3.6}};
    for (int k = 0; k < 4; ++k) {
        const double *p = cases[k];
        double v[MOST], e[MOST];
        shoal_equation_of_state s;
        make(p[0], p[1], p[2], p[3], v, e);
        e[3] = NAN;
        CHECK(shoal_equation_of_state_fit(v, e, MOST, &s) == SHOAL_OK && s.n == MOST - 1);
        CHECK_NEAR(s.volume, p[0], 1e-8 * p[0]);
        CHECK_NEAR(s.energy, p[1], 1e-10 * (1 + fabs(p[1])));
        CHECK_NEAR(s.bulk, p[2], 1e-7 * p[2]);
        CHECK_NEAR(s.slope, p[3], 1e-6 * p[3]);
        CHECK(s.error < 1e-10 * (1 + fabs(p[1])));
    }
}

static void test_error(void)
{
    double v[MOST], e[MOST];
    shoal_equation_of_state s;
    make(100, -3, 0.5, 4, v, e);
    for (int i = 0; i < MOST; ++i) e[i] += i % 2 ? 1e-3 : -1e-3;
    CHECK(shoal_equation_of_state_fit(v, e, MOST, &s) == SHOAL_OK);
    CHECK(s.error > 5e-4 && s.error < 1.001e-3);
    CHECK_NEAR(s.volume, 100, 0.1);
}

static void test_refusals(void)
{
    double v[MOST], e[MOST];
    shoal_equation_of_state s;
    make(100, -3, 0.5, 4, v, e);
    CHECK(shoal_equation_of_state_fit(v, e, 5, &s) == SHOAL_OK);
    CHECK(shoal_equation_of_state_fit(v, e, 4, &s) == SHOAL_E_ARGUMENT);
    for (int i = 0; i < MOST; ++i) e[i] = v[i];
    CHECK(shoal_equation_of_state_fit(v, e, MOST, &s) == SHOAL_E_ARGUMENT);
    for (int i = 0; i < MOST; ++i) e[i] = -(v[i] - 100) * (v[i] - 100); /* a maximum */
    CHECK(shoal_equation_of_state_fit(v, e, MOST, &s) == SHOAL_E_ARGUMENT);
    for (int i = 0; i < MOST; ++i) e[i] = (v[i] - 80) * (v[i] - 80); /* beyond the smallest */
    CHECK(shoal_equation_of_state_fit(v, e, MOST, &s) == SHOAL_E_ARGUMENT);
    for (int i = 0; i < MOST; ++i) v[i] = 100;
    CHECK(shoal_equation_of_state_fit(v, e, MOST, &s) == SHOAL_E_ARGUMENT);
    for (int i = 0; i < MOST; ++i) v[i] = i % 3 ? 100 : 110; /* two volumes */
    CHECK(shoal_equation_of_state_fit(v, e, MOST, &s) == SHOAL_E_ARGUMENT);
}

int main(void)
{
    test_exact();
    test_error();
    test_refusals();
    return check_done();
}
