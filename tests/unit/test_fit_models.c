/* SPDX-License-Identifier: BSD-3-Clause
 * Built-in pair models and Coulomb kernels: values by hand, slopes by extrapolated differences. */
#include <stdlib.h>

#include "check.h"
#include "fit/fit.h"

static const char *const names[] = {"lj", "lj8", "lj9", "morse", "buck", "morse6", "buck6", "exp6"};
enum { N_NAMES = 8, N_POINTS = 60 };

/* One pair: r, R0, E0, H, alpha. */
static double energy(const fit_model *model, const double x[5], pair_batch *b)
{
    const double globals[FIT_MAX_GLOBALS] = {[FIT_ALPHA] = x[4]};
    b->n = 1;
    b->scale_a = b->scale_b = 1.0;
    b->r[0] = x[0];
    b->r0[0] = x[1];
    b->e0[0] = x[2];
    b->h[0] = x[3];
    model->eval(model, globals, true, b);
    return b->e[0];
}

/* Richardson's extrapolation of central differences, error of order h^8. */
static double slope(const fit_model *model, const double point[5], int k, pair_batch *b)
{
    double table[4][4], x[5];
    double h = 2e-3 * fmax(fabs(point[k]), 0.05);
    memcpy(x, point, sizeof x);
    for (int i = 0; i < 4; ++i, h *= 0.5) {
        x[k] = point[k] + h;
        const double plus = energy(model, x, b), above = x[k];
        x[k] = point[k] - h;
        table[i][0] = (plus - energy(model, x, b)) / (above - x[k]);
        double factor = 4.0;
        for (int m = 1; m <= i; ++m, factor *= 4.0)
            table[i][m] = (factor * table[i][m - 1] - table[i - 1][m - 1]) / (factor - 1.0);
    }
    return table[3][3];
}

static double uniform(double low, double high)
{
    return low + (high - low) * rand() / RAND_MAX;
}

static void check_slopes(const fit_model *model, double alpha, pair_batch *b)
{
    for (int i = 0; i < N_POINTS; ++i) {
        const double x[5] = {uniform(1.8, 6.0), uniform(2.5, 4.0), uniform(1e-4, 0.02),
                             i % 4 == 0 ? 0.0 : uniform(-0.8, -0.01), alpha * uniform(0.9, 1.2)};
        const double e = energy(model, x, b);
        const double analytic[5] = {b->by_r[0], b->by_r0[0], b->by_e0[0], b->by_h[0],
                                    b->by_global[FIT_ALPHA][0]};
        for (int k = 0; k < 5; ++k) {
            if (k == 4 && !(model->globals_used & 1u << FIT_ALPHA)) continue;
            const double numeric = slope(model, x, k, b);
            /* repulsion and attraction may cancel: the scale is what a change of x[k] by 1 could do */
            const double scale = fmax(fabs(numeric), fabs(e) / fmax(fabs(x[k]), 0.1));
            CHECK_NEAR(analytic[k] / scale, numeric / scale, 1e-9);
        }
    }
}

static void test_slopes(pair_batch *b)
{
    for (int n = 0; n < N_NAMES; ++n)
        for (int hbond = SHOAL_HBOND_REPULSION; hbond <= SHOAL_HBOND_NONE; ++hbond) {
            fit_model model;
            double alpha;
            CHECK(fit_model_builtin(names[n], (shoal_hbond)hbond, &model, &alpha));
            check_slopes(&model, alpha > 0.0 ? alpha : 1.0, b);
        }
}

/* Every model has its minimum -E0 at R0; H < 0 on the repulsion (factor 1 at R0 for lj) deepens it. */
static void test_minimum(pair_batch *b)
{
    for (int n = 0; n < N_NAMES; ++n) {
        fit_model model;
        double alpha;
        CHECK(fit_model_builtin(names[n], SHOAL_HBOND_REPULSION, &model, &alpha));
        const double x[5] = {3.4, 3.4, 0.01, 0.0, alpha};
        CHECK_NEAR(energy(&model, x, b), -0.01, 1e-16);
        /* a Buckingham potential with a decay of its own has its minimum elsewhere */
        const bool at_r0 = strcmp(names[n], "buck") != 0;
        if (at_r0) CHECK_NEAR(b->by_r[0], 0.0, 1e-15);
    }
}

/* Numbers by hand at u = R0/r = 2 and 1/2, and of an outside calculator for the exponentials. */
static void test_numbers(pair_batch *b)
{
    static const struct {
        const char *name;
        double r, r0, e;
    } cases[] = {
        {"lj", 1.0, 2.0, 4096.0 - 128.0},
        {"lj8", 1.0, 2.0, 3.0 * 256.0 - 4.0 * 64.0},
        {"lj9", 1.0, 2.0, 2.0 * 512.0 - 3.0 * 64.0},
        {"lj", 4.0, 2.0, 1.0 / 4096.0 - 2.0 / 64.0},
        {"morse", 4.0, 3.0, 0.0407622039783662 - 2.0 * 0.2018965179946554},
        {"exp6", 4.0, 2.0, 6.1442123533282e-6 - 2.0 / 64.0},
        {"morse6", 3.0, 2.0, 0.00247875217666636 - 2.0 * 0.0497870683678639},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        fit_model model;
        double alpha;
        CHECK(fit_model_builtin(cases[i].name, SHOAL_HBOND_NONE, &model, &alpha));
        const double x[5] = {cases[i].r, cases[i].r0, 1.0, 0.0, alpha};
        CHECK_NEAR(energy(&model, x, b), cases[i].e, 1e-12 * fabs(cases[i].e) + 1e-14);
    }
}

/* Hydrogen bonds: (1 + H) on the repulsion, (1 - H) on the attraction. */
static void test_hbonds(pair_batch *b)
{
    static const double want[] = {0.5 - 2.0, 1.0 - 3.0, 0.5 - 3.0, 1.0 - 2.0};
    for (int hbond = SHOAL_HBOND_REPULSION; hbond <= SHOAL_HBOND_NONE; ++hbond) {
        fit_model model;
        double alpha;
        CHECK(fit_model_builtin("lj", (shoal_hbond)hbond, &model, &alpha));
        const double x[5] = {3.0, 3.0, 1.0, -0.5, 1.0};
        CHECK_NEAR(energy(&model, x, b), want[hbond], 1e-15);
    }
    CHECK(!fit_model_builtin("no such", SHOAL_HBOND_NONE, &(fit_model){0}, &(double){0}));
}

/* A separable model is its factors times its moments. */
static void test_separable(pair_batch *b)
{
    for (int n = 0; n < N_NAMES; ++n) {
        fit_model model;
        double alpha, moment[2], factor[2], by_r0[2];
        CHECK(fit_model_builtin(names[n], SHOAL_HBOND_NONE, &model, &alpha));
        if (!model.separable) continue;
        const double x[5] = {2.9, 3.3, 0.7, 0.0, alpha};
        const double e = energy(&model, x, b), by = b->by_r0[0];
        model.separable->moment(x[0], alpha, &moment[0], &moment[1]);
        model.separable->factor(x[1], alpha, factor, by_r0);
        CHECK_NEAR(0.7 * (factor[1] * moment[1] - factor[0] * moment[0]), e,
                   1e-14 * fabs(e) + 1e-14);
        CHECK_NEAR(0.7 * (by_r0[1] * moment[1] - by_r0[0] * moment[0]), by, 1e-12);
    }
}

static void test_coulomb(void)
{
    for (int kind = SHOAL_COULOMB_PLAIN; kind <= SHOAL_COULOMB_NONE; ++kind)
        for (double r = 0.1; r < 4.0; r += 0.037) {
            double by_r, other;
            const double h = 1e-4 * r;
            const double g = fit_coulomb_kernel((shoal_coulomb)kind, r, 0.8, &by_r);
            const double p1 = fit_coulomb_kernel((shoal_coulomb)kind, r + h, 0.8, &other);
            const double m1 = fit_coulomb_kernel((shoal_coulomb)kind, r - h, 0.8, &other);
            const double p2 = fit_coulomb_kernel((shoal_coulomb)kind, r + 2 * h, 0.8, &other);
            const double m2 = fit_coulomb_kernel((shoal_coulomb)kind, r - 2 * h, 0.8, &other);
            const double numeric = (8.0 * (p1 - m1) - (p2 - m2)) / (12.0 * h);
            /* the bend at 1/3 A is not smoother than its slope */
            const bool bend = kind == SHOAL_COULOMB_CLAMP || kind == SHOAL_COULOMB_SMOOTH;
            if (bend && fabs(r - 1.0 / 3.0) < 1e-3) continue;
            CHECK_NEAR(by_r, numeric, 1e-9 * fabs(numeric) + 1e-10);
            CHECK(g <= 1.0 / r);
            if (bend) CHECK(g < 6.0);
            if (bend && r > 0.34) CHECK_NEAR(g, 1.0 / r, 1e-15);
        }
    double by_r;
    CHECK_NEAR(fit_coulomb_kernel(SHOAL_COULOMB_ERF, 1.0, 1.0, &by_r), 0.842700792949715, 1e-14);
    CHECK_NEAR(fit_coulomb_kernel(SHOAL_COULOMB_DAMPED, 4.0, 3.0, &by_r), 0.2, 1e-16);
    CHECK_NEAR(fit_coulomb_kernel(SHOAL_COULOMB_CLAMP, 1.0 / 6.0, 0.0, &by_r), 4.5, 1e-14);
    CHECK_NEAR(fit_coulomb_kernel(SHOAL_COULOMB_SMOOTH, 1.0 / 6.0, 0.0, &by_r), 5.0, 1e-14);
}

int main(void)
{
    pair_batch *b = calloc(1, sizeof *b);
    if (!b) return 1;
    srand(7);
    test_slopes(b);
    test_minimum(b);
    test_numbers(b);
    test_hbonds(b);
    test_separable(b);
    test_coulomb();
    free(b);
    return check_done();
}
