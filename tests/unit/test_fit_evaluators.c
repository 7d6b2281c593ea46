/* SPDX-License-Identifier: BSD-3-Clause
 * Moments against the pair loop, slopes of every DOF, threads, and like pairs by hand. */
#include "fit/objective.h"
#include "fit_fixture.h"

/* All components of all types, both globals that moments know. */
static const char more_dofs[] = "C_3 H 0.01 0.9 1 0 0 0 0 0.2\n"
                                "C_3 Q -0.5 0.5 1 0 0 0 0 0.1\n"
                                "O_3 Q -0.9 0.0 -0.8 -0.1 3 3 0.7 -0.4\n"
                                "* lambda 0.5 1.5 1 0 0 0 0\n";

static shoal_fit *make(const shoal_dataset *data, const shoal_fit_options *options)
{
    shoal_fit *fit = NULL;
    char text[2048];
    (void)snprintf(text, sizeof text, "%s%s", fixture_dofs, more_dofs);
    CHECK(shoal_fit_create_memory(&fit, data, text, "dofs", options) == SHOAL_OK);
    CHECK_TEXT(shoal_error_text(), "");
    return fit;
}

static void check_slopes(shoal_fit *fit)
{
    for (int32_t i = 0; i < shoal_fit_dofs(fit); ++i) {
        shoal_derivative_check c;
        shoal_dof_info d;
        CHECK(shoal_fit_dof(fit, i, &d) == SHOAL_OK);
        if (d.frozen) continue;
        CHECK(shoal_fit_check_derivative(fit, i, NULL, &c) == SHOAL_OK);
        CHECK(c.passed);
        if (!c.passed)
            (void)printf("%s.%s: %.15g, %.15g, %g\n", d.type, d.comp, c.analytic, c.numeric,
                         c.error);
    }
}

/* Energies and rows of two evaluators of the same problem. */
static void compare_rows(const shoal_fit *a, const shoal_fit *b)
{
    fit_objective *x, *y;
    CHECK(objective_create(&x, a, false) == SHOAL_OK && objective_create(&y, b, false) == SHOAL_OK);
    double j[2], *g = calloc(2 * (size_t)x->n, sizeof *g);
    CHECK(objective_value(x, x->start, &j[0], g) == SHOAL_OK);
    CHECK(objective_value(y, y->start, &j[1], g + x->n) == SHOAL_OK);
    CHECK_NEAR(j[0], j[1], 1e-13 * j[1]);
    for (int32_t i = 0; i < x->n; ++i) CHECK_NEAR(g[i], g[x->n + i], 1e-12 * sqrt(j[1]));
    CHECK(x->evaluator->rows(x->evaluator, x->p, x->energy, x->rows) == SHOAL_OK);
    CHECK(y->evaluator->rows(y->evaluator, y->p, y->energy, y->rows) == SHOAL_OK);
    for (int32_t s = 0; s < a->problem.n_samples; ++s)
        CHECK_NEAR(x->energy[s], y->energy[s], 1e-12);
    double most = 0.0;
    const int64_t n = a->problem.row_start[a->problem.n_samples];
    for (int64_t i = 0; i < n; ++i) most = fmax(most, fabs(x->rows[i] - y->rows[i]));
    CHECK(n > 0);
    CHECK(most < 1e-11);
    free(g);
    objective_destroy(x);
    objective_destroy(y);
}

/* The evaluator of choice and the pair loop agree, and their slopes are slopes; evaluator: its name, NULL: any. */
static void check_evaluators(const shoal_dataset *data, shoal_fit_options o, const char *evaluator)
{
    shoal_fit *a = make(data, &o);
    check_slopes(a);
    o.evaluator = "pairs";
    shoal_fit *b = make(data, &o);
    check_slopes(b);
    compare_rows(a, b);
    if (evaluator) CHECK_TEXT(shoal_fit_evaluator(a), evaluator);
    shoal_fit_destroy(a);
    shoal_fit_destroy(b);
}

static void test_models(const shoal_dataset *data)
{
    static const char *const models[] = {"lj",   "lj8",    "lj9",   "morse",
                                         "buck", "morse6", "buck6", "exp6"};
    for (int m = 0; m < 8; ++m)
        for (int hbond = SHOAL_HBOND_REPULSION; hbond <= SHOAL_HBOND_BOTH; ++hbond) {
            const shoal_fit_options o = {.model = models[m], .hbond = (shoal_hbond)hbond};
            check_evaluators(data, o, m < 5 ? "moments" : "pairs");
        }
}

/* Options that change the Coulomb energy, the residuals or the restraints. */
static void test_options(const shoal_dataset *data)
{
    const shoal_fit_options options[] = {
        {.neutral = true},
        {.type_charges = true},
        {.neutral = true, .type_charges = true},
        {.coulomb = SHOAL_COULOMB_DAMPED, .coulomb_damping = 0.7},
        {.coulomb = SHOAL_COULOMB_NONE},
        {.clamp_from = 0.01, .clamp_to = 0.05},
        {.tether = 0.01, .clamp_from = 0.02, .clamp_to = 0.03},
    };
    for (size_t k = 0; k < sizeof options / sizeof options[0]; ++k)
        check_evaluators(data, options[k], NULL);
}

/* Fitted alpha needs pairs, and moments say why. */
static void test_alpha(const shoal_dataset *data)
{
    shoal_fit *fit = make(data, &(shoal_fit_options){.fit_alpha = true, .model = "buck"});
    CHECK_TEXT(shoal_fit_evaluator(fit), "pairs");
    check_slopes(fit);
    shoal_fit_destroy(fit);
    const shoal_fit_options o = {.fit_alpha = true, .evaluator = "moments"};
    CHECK(shoal_fit_create_memory(&fit, data, fixture_dofs, "dofs", &o) == SHOAL_E_UNSUPPORTED);
    CHECK_TEXT(shoal_error_text(), "moments cannot be used: alpha is fitted");
}

/* Threads and repeats give the same bits. */
static void test_bits(void)
{
    shoal_dataset *data = fixture_data(16, 0.0);
    for (int pairs = 0; pairs < 2; ++pairs) {
        double j[3], g[3][32];
        for (int k = 0; k < 3; ++k) {
            const shoal_fit_options o = {.n_threads = k == 0 ? 1 : 3,
                                         .evaluator = pairs ? "pairs" : "moments"};
            shoal_fit *fit = make(data, &o);
            CHECK(shoal_fit_objective(fit, &j[k], g[k]) == SHOAL_OK);
            CHECK(j[k] == j[0]);
            CHECK(memcmp(g[k], g[0], (size_t)shoal_fit_dofs(fit) * sizeof g[0][0]) == 0);
            shoal_fit_destroy(fit);
        }
    }
    shoal_dataset_destroy(data);
}

/* Parts add up; without hydrogen bonds and charges only vdw is left. */
static void test_parts(const shoal_dataset *data)
{
    double parts[32][SHOAL_N_PARTS];
    shoal_fit *fit = make(data, NULL);
    fit_objective *o;
    CHECK(objective_create(&o, fit, false) == SHOAL_OK);
    double rmse, energy[32];
    CHECK(objective_rmse(o, o->start, &rmse, energy) == SHOAL_OK);
    CHECK(shoal_fit_predict(fit, parts) == SHOAL_OK);
    for (int32_t s = 0; s < shoal_dataset_samples(data); ++s) {
        double sum = 0.0;
        for (int k = 0; k < SHOAL_N_PARTS; ++k) sum += parts[s][k];
        CHECK_NEAR(sum, energy[s], 1e-12);
        CHECK(parts[s][SHOAL_PART_HBOND] < 0.0);
        CHECK(parts[s][SHOAL_PART_SITE] == 0.0);
    }
    objective_destroy(o);
    shoal_fit_destroy(fit);
}

/* Two like atoms: E = y^2 f, so dE/dy = 2 y f and dE/dR = 2 dE/dR0, the plain sum over both. */
static void test_like_pair(void)
{
    static const char frame[] = "2\n# n0 1 Etot 0\nO_3 0 0 0 0\nO_3 0 0 3.2 0\n";
    static const char dofs[] = "O_3 R 1 3 1 0 0 0 0\nO_3 E 0.0001 0.1 1 0 0 0 0\n";
    shoal_atom_types *types;
    shoal_dataset *data;
    shoal_fit *fit;
    double j, g[2];
    CHECK(shoal_atom_types_read_memory(&types, fixture_types, strlen(fixture_types), "t") ==
          SHOAL_OK);
    CHECK(shoal_dataset_create(&data, types) == SHOAL_OK);
    CHECK(shoal_dataset_add_memory(data, frame, strlen(frame), "f", 1.0) == SHOAL_OK);
    const shoal_fit_options o = {.model = "lj"};
    CHECK(shoal_fit_create_memory(&fit, data, dofs, "dofs", &o) == SHOAL_OK);
    CHECK(shoal_fit_objective(fit, &j, g) == SHOAL_OK);
    const double u = 3.5 / 3.2, u6 = pow(u, 6.0), f = u6 * u6 - 2.0 * u6, e = 0.0026 * f;
    CHECK_NEAR(j, 0.5 * e * e, 1e-14 * j);
    CHECK_NEAR(g[1], e * f, 1e-14 * fabs(g[1])); /* dE/dE = f, charges are zero */
    CHECK_NEAR(g[0], e * 2.0 * 0.0026 * 12.0 / 3.5 * (u6 * u6 - u6), 1e-13 * fabs(g[0]));
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
    shoal_atom_types_destroy(types);
}

/* Fitted charges with --neutral: every fragment keeps the charge it has in the file. */
static void test_neutral(const shoal_dataset *data)
{
    shoal_fit *fit = make(data, &(shoal_fit_options){.neutral = true});
    fit_objective *o;
    double q[64];
    CHECK(objective_create(&o, fit, false) == SHOAL_OK);
    double j, g[32];
    CHECK(objective_value(o, o->start, &j, g) == SHOAL_OK);
    for (int32_t s = 0; s < data->n_samples; ++s) {
        const fit_sample *sample = &data->samples[s];
        fit_charges(&fit->problem, sample, o->p, q, NULL);
        for (int f = 0; f < 2; ++f) {
            double now = 0.0, file = 0.0;
            const int32_t end = f ? sample->n_atoms : sample->n_first;
            for (int32_t i = f ? sample->n_first : 0; i < end; ++i) {
                now += q[i];
                file += data->charge[sample->atom_start + i];
            }
            CHECK_NEAR(now, file, 1e-13);
        }
    }
    objective_destroy(o);
    shoal_fit_destroy(fit);
}

int main(void)
{
    shoal_dataset *data = fixture_data(3, 0.0);
    test_models(data);
    test_options(data);
    test_alpha(data);
    test_bits();
    test_parts(data);
    test_neutral(data);
    test_like_pair();
    shoal_dataset_destroy(data);
    return check_done();
}
