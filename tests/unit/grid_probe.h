/* SPDX-License-Identifier: BSD-3-Clause
 * The shared formulas of grids: basis functions, wrapped nodes, straight lines and the wall below.
 * Included with SHOAL_REAL and the rounding ERROR of numbers of the size of 1 set. */
#include "check.h"
#include "real.h"

typedef real grid_vector __attribute__((vector_size(4 * sizeof(real))));

#include "grid_terms.h"

static double sum4(real a, real b, real c, real d)
{
    return (double)a + (double)b + (double)c + (double)d;
}

/* Cubic B-splines add up to 1, reproduce straight lines, and their slopes are their slopes. */
static void test_basis(void)
{
    for (int k = 0; k <= 20; ++k) {
        const double t = 0.05 * k, h = 1e-3;
        const grid_basis4 w = grid_basis((real)t);
        CHECK_NEAR(sum4(w.b0, w.b1, w.b2, w.b3), 1, 4 * ERROR);
        CHECK_NEAR(sum4(-w.b0, R(0.0), w.b2, R(2.0) * w.b3), t, 8 * ERROR);
        CHECK_NEAR(sum4(w.d0, w.d1, w.d2, w.d3), 0, 8 * ERROR);
        CHECK_NEAR(sum4(-w.d0, R(0.0), w.d2, R(2.0) * w.d3), 1, 8 * ERROR);
        const grid_basis4 up = grid_basis((real)(t + h)), down = grid_basis((real)(t - h));
        CHECK_NEAR((double)(up.b1 - down.b1) / (2 * h), (double)w.d1, 1e-6 + 1e3 * ERROR);
        CHECK_NEAR((double)(up.b3 - down.b3) / (2 * h), (double)w.d3, 1e-6 + 1e3 * ERROR);
    }
}

/* Beyond the grid the spline goes on straight. */
static void test_beyond(void)
{
    static const double c[4] = {0.7, -1.3, 2.1, 0.4};
    for (int k = 0; k < 5; ++k) {
        const double beyond = -0.4 * k;
        const grid_basis4 w = grid_basis(R(0.0)), z = grid_basis_z(R(0.0), (real)beyond);
        const double value = (double)w.b0 * c[0] + (double)w.b1 * c[1] + (double)w.b2 * c[2];
        const double slope = (double)w.d0 * c[0] + (double)w.d1 * c[1] + (double)w.d2 * c[2];
        const double got =
            (double)z.b0 * c[0] + (double)z.b1 * c[1] + (double)z.b2 * c[2] + (double)z.b3 * c[3];
        CHECK_NEAR(got, value + beyond * slope, 20 * ERROR);
    }
}

static void test_wrap(void)
{
    for (int n = 4; n < 120; n += 7)
        for (int i = -3 * n - 1; i <= 3 * n + 1; ++i)
            CHECK(grid_wrap(i, n, R(1.0) / (real)n) == ((i % n) + n) % n);
}

/* Energies of the wall by hand, forces by differences; it pushes up. */
static void test_wall(void)
{
    const grid_frame f = {.ax = R(1.5), .by = R(1.25), .cz = R(2.0), .wall = R(3.0)};
    const grid_field type = {R(0.125), R(0.75), R(-0.25), R(0.125)};
    const grid_field charge = {R(0.125), R(-0.25), R(-0.5), R(-0.25)};
    for (int k = 0; k < 4; ++k) {
        const real beyond = R(-0.5) * (real)k;
        v3 force;
        const double e = (double)grid_finish(f, type, R(0.0), charge, beyond, &force);
        CHECK_NEAR(e, 0.25 + 1.5 * 0.25 * k * k, 4 * ERROR);
        CHECK_NEAR((double)force.x, -0.75, 4 * ERROR);
        CHECK_NEAR((double)force.y, 0.9375, 4 * ERROR);
        CHECK_NEAR((double)force.z, 0.25 + 3.0 * k, 16 * ERROR);
    }
}

/* c (t^4 - 1) and its slope, from the bottom of a well to deep in a wall; without compression a field is what it is. */
static void test_expand(void)
{
    static const double steps[] = {-0.9, -0.5, -1e-5, 0, 1e-5, 0.25, 3, 20};
    const double c = 0.25;
    for (int k = 0; k < 8; ++k) {
        const grid_field e = {(real)steps[k], R(1.0), R(-2.0), R(0.5)};
        const grid_field out = grid_expand(e, (real)(1 / (4 * c))), same = grid_expand(e, R(0.0));
        const double t = 1 + (double)e.value / (4 * c), slope = pow(t, 3);
        const double want = c * expm1(4 * log1p((double)e.value / (4 * c)));
        CHECK_NEAR((double)out.value, want, 40 * ERROR * fabs(want));
        CHECK_NEAR((double)out.a, slope, 40 * ERROR * slope);
        CHECK_NEAR((double)out.b, -2 * slope, 80 * ERROR * slope);
        CHECK_NEAR((double)out.z, 0.5 * slope, 40 * ERROR * slope);
        CHECK(same.value == e.value && same.a == e.a && same.b == e.b && same.z == e.z);
    }
}

static int test_all(void)
{
    test_basis();
    test_beyond();
    test_wrap();
    test_wall();
    test_expand();
    return check_done();
}
