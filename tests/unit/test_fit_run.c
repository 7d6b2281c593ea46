/* SPDX-License-Identifier: BSD-3-Clause
 * Fits: planted parameters found again, methods and starts that agree, folds, errors, bounds. */
#include "fit_planted.h"

static void check_planted(const shoal_fit *fit, double tolerance)
{
    for (int32_t i = 0; i < N_PLANTED; ++i) {
        shoal_dof_info d;
        CHECK(shoal_fit_dof(fit, i, &d) == SHOAL_OK);
        CHECK_NEAR(d.value / planted[i], 1.0, tolerance);
    }
}

/* Every model finds what its data were made with, within 1 % under noise of 0.2 meV. */
static void test_planted(void)
{
    static const char *const models[] = {"lj", "lj8", "lj9", "morse", "buck", "exp6"};
    for (int m = 0; m < 6; ++m) {
        const shoal_fit_options o = {.model = models[m], .n_threads = 1};
        shoal_dataset *data = plant(60, &o, 0.0002);
        shoal_fit *fit;
        shoal_fit_result r;
        CHECK(shoal_fit_create_memory(&fit, data, dofs, "dofs", &o) == SHOAL_OK);
        CHECK(shoal_fit_run(fit, NULL, &r) == SHOAL_OK);
        CHECK(r.converged);
        CHECK_NEAR(r.rmse, 0.0002, 0.00002);
        check_planted(fit, 0.01);
        /* errors of the parameters are of the size of their deviations */
        CHECK(shoal_fit_analyse(fit) == SHOAL_OK);
        for (int32_t i = 0; i < N_PLANTED; ++i) {
            shoal_dof_info d;
            CHECK(shoal_fit_dof(fit, i, &d) == SHOAL_OK);
            CHECK(d.uncertainty > 0.0);
            CHECK(fabs(d.value - planted[i]) < 4.5 * d.uncertainty);
        }
        shoal_fit_destroy(fit);
        shoal_dataset_destroy(data);
    }
}

/* Methods, starts and threads end in the same optimum; a repeat gives the same bits. */
static void test_methods(void)
{
    const shoal_fit_options o = {.model = "morse", .n_threads = 1};
    shoal_dataset *data = plant(40, &o, 0.002);
    double j[6], first[N_PLANTED];
    /* Steps when this was written: a method that works, but badly, needs more. */
    static const int32_t usual[] = {
        [SHOAL_FIT_LM] = 7, [SHOAL_FIT_LBFGS] = 76, [SHOAL_FIT_FIRE] = 703};
    for (int k = 0; k < 6; ++k) {
        static const shoal_fit_method methods[] = {SHOAL_FIT_LM,   SHOAL_FIT_LM, SHOAL_FIT_LBFGS,
                                                   SHOAL_FIT_FIRE, SHOAL_FIT_LM, SHOAL_FIT_LM};
        shoal_fit_options options = o;
        const shoal_fit_run_options run = {
            .method = methods[k], .n_starts = k == 4 ? 8 : 1, .seed = 3};
        if (k == 5) options.evaluator = "pairs";
        if (k == 4) options.n_threads = 3;
        shoal_fit *fit;
        shoal_fit_result r;
        CHECK(shoal_fit_create_memory(&fit, data, dofs, "dofs", &options) == SHOAL_OK);
        for (int32_t i = 0; i < N_PLANTED; ++i)
            CHECK(shoal_fit_set_value(fit, i, 1.03 * planted[i]) == SHOAL_OK);
        CHECK(shoal_fit_run(fit, &run, &r) == SHOAL_OK);
        j[k] = r.j;
        CHECK_NEAR(r.j / j[0], 1.0, k == 1 ? 0.0 : 1e-8);
        for (int32_t i = 0; i < N_PLANTED; ++i) {
            shoal_dof_info d;
            CHECK(shoal_fit_dof(fit, i, &d) == SHOAL_OK);
            if (k == 0) first[i] = d.value;
            CHECK_NEAR(d.value / first[i], 1.0, k == 1 ? 0.0 : k == 3 ? 1e-4 : 1e-6);
        }
        if (k == 4) CHECK(r.same_optimum >= 4);
        CHECK(k >= 4 || r.steps <= 1.5 * usual[methods[k]]);
        shoal_fit_destroy(fit);
    }
    shoal_dataset_destroy(data);
}

/* Where Levenberg-Marquardt does not get on, L-BFGS goes on to the same optimum. */
static void test_stall(void)
{
    const shoal_fit_options o = {.model = "morse", .n_threads = 1, .pool = -1.0};
    shoal_dataset *data = plant(40, &o, 0.002);
    double j[2], u[N_PLANTED];
    for (int k = 0; k < 2; ++k) {
        shoal_fit *fit;
        fit_objective *objective;
        fit_descent d = {.max_steps = 500, .patience = k};
        CHECK(shoal_fit_create_memory(&fit, data, dofs, "dofs", &o) == SHOAL_OK);
        CHECK(objective_create(&objective, fit, false) == SHOAL_OK);
        for (int32_t i = 0; i < N_PLANTED; ++i)
            u[i] = fit_dof_scaled(&fit->dofs[i], 1.03 * planted[i]);
        CHECK(fit_minimise(objective, SHOAL_FIT_LM, u, &d) == SHOAL_OK);
        CHECK(d.converged && (d.handed_over > 0) == (k == 1) && d.stalled == (k == 1));
        j[k] = d.j;
        objective_destroy(objective);
        shoal_fit_destroy(fit);
    }
    CHECK_NEAR(j[1] / j[0], 1.0, 1e-9);
    shoal_dataset_destroy(data);
}

/* Components fitted to their own terms find the same parameters. */
static void test_components(void)
{
    const shoal_fit_options o = {.components = true};
    shoal_dataset *data = plant(20, &(shoal_fit_options){0}, 0.0);
    shoal_fit *fit;
    CHECK(shoal_fit_create_memory(&fit, data, dofs, "dofs", &o) == SHOAL_E_FORMAT);
    for (int32_t s = 0; s < data->n_samples; ++s) {
        data->samples[s].sapt[SAPT_ELST] = -0.2 + 0.01 * s;
        data->samples[s].sapt[SAPT_EXCH] = 0.3;
        data->samples[s].sapt[SAPT_IND] = -0.05;
        data->samples[s].sapt[SAPT_DISP] = -0.1;
    }
    CHECK(shoal_fit_create_memory(&fit, data, dofs, "dofs", &o) == SHOAL_OK);
    CHECK(fit->problem.n_samples == 3 * data->n_samples);
    for (int32_t i = 0; i < shoal_fit_dofs(fit); ++i) {
        shoal_derivative_check c;
        CHECK(shoal_fit_check_derivative(fit, i, NULL, &c) == SHOAL_OK);
        CHECK(c.passed);
    }
    shoal_fit_result r;
    CHECK(shoal_fit_run(fit, NULL, &r) == SHOAL_OK);
    CHECK(r.rmse < r.rmse_before);
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
}

/* Bounds hold; DOFs of absent types are frozen. */
static void test_bounds(void)
{
    static const char text[] = "O_3 R 1.70 1.72 1 0 0 0 0 1.71\n"
                               "E_O3 R 0.1 1 1 0 0 0 0\n"
                               "H_O R 1.0 2.0 1 0 0 0 0\n";
    const shoal_fit_options o = {.n_threads = 1};
    shoal_dataset *data = plant(20, &o, 0.0);
    shoal_fit *fit;
    shoal_fit_result r;
    shoal_dof_info d;
    CHECK(shoal_fit_create_memory(&fit, data, text, "dofs", &o) == SHOAL_OK);
    CHECK(shoal_fit_dofs(fit) == 3 && shoal_fit_free_dofs(fit) == 2);
    CHECK(shoal_fit_run(fit, NULL, &r) == SHOAL_OK);
    CHECK(r.converged);
    CHECK(shoal_fit_analyse(fit) == SHOAL_OK);
    CHECK(shoal_fit_dof(fit, 0, &d) == SHOAL_OK);
    CHECK(d.at_bound && (d.value == 1.70 || d.value == 1.72));
    CHECK(isnan(d.uncertainty));
    CHECK(shoal_fit_dof(fit, 1, &d) == SHOAL_OK);
    CHECK(d.frozen && d.value == d.start);
    CHECK(shoal_fit_dof(fit, 2, &d) == SHOAL_OK);
    CHECK(!d.at_bound && d.uncertainty > 0.0);
    CHECK(shoal_fit_loose_directions(fit) == 0);
    CHECK(shoal_fit_set_value(fit, 1, 0.5) == SHOAL_E_ARGUMENT);
    CHECK(shoal_fit_set_value(fit, 0, 1.9) == SHOAL_E_ARGUMENT);
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
}

/* Only h_i h_j is seen: one can grow as the other shrinks, and that direction is named. */
static void test_loose(void)
{
    char text[1024];
    const shoal_fit_options o = {.n_threads = 1};
    shoal_dataset *data = plant(40, &o, 0.0002);
    shoal_fit *fit;
    shoal_fit_result r;
    (void)snprintf(text, sizeof text, "%sH_O H 0.2 0.95 1 0 0 0 0\n", dofs);
    CHECK(shoal_fit_create_memory(&fit, data, text, "dofs", &o) == SHOAL_OK);
    CHECK(shoal_fit_run(fit, NULL, &r) == SHOAL_OK);
    CHECK(shoal_fit_analyse(fit) == SHOAL_OK);
    bool named = false;
    for (int32_t k = 0; k < shoal_fit_loose_directions(fit); ++k) {
        const char *loose = shoal_fit_loose_direction(fit, k);
        named = named || (strstr(loose, "H_O.H") && strstr(loose, "O_3.H"));
    }
    CHECK(named);
    CHECK(shoal_fit_loose_direction(fit, shoal_fit_loose_directions(fit)) == NULL);
    CHECK_NEAR(fabs(shoal_fit_correlation(fit, 0, 0)), 1.0, 1e-9);
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
}

/* J at the start with a wall at x, at 1.8 of O_3's R; none for a strength of 0. */
static double wall_at(const shoal_dataset *data, double low, double high, double strength)
{
    char text[1024];
    shoal_fit *fit;
    shoal_fit_result r;
    const shoal_fit_options o = {.n_threads = 1};
    (void)snprintf(text, sizeof text, "O_3 R 1.2 2.4 %g %g %g %g 0 1.8\n", low, high, strength,
                   strength);
    CHECK(shoal_fit_create_memory(&fit, data, text, "dofs", &o) == SHOAL_OK);
    CHECK(shoal_fit_run(fit, &(shoal_fit_run_options){.max_steps = -1}, &r) == SHOAL_OK);
    shoal_fit_destroy(fit);
    return r.j;
}

/* Walls are parabolas of the way beyond them, on either side. */
static void test_walls(void)
{
    shoal_dataset *data = plant(10, &(shoal_fit_options){.n_threads = 1}, 0.0);
    const double none = wall_at(data, 1.3, 2.3, 1e3);
    CHECK_NEAR(wall_at(data, 1.3, 2.3, 0.0), none, 1e-15 * none);
    const double above = wall_at(data, 1.3, 1.7, 1e3) - none;
    const double below = wall_at(data, 1.9, 2.3, 1e3) - none;
    CHECK(above > 0.0);
    CHECK_NEAR(below / above, 1.0, 1e-6);
    CHECK_NEAR((wall_at(data, 1.3, 1.6, 1e3) - none) / above, 4.0, 1e-5);
    CHECK_NEAR((wall_at(data, 2.0, 2.3, 1e3) - none) / above, 4.0, 1e-5);
    shoal_dataset_destroy(data);
}

/* Folds are disjoint and complete, the same for every number of threads. */
static void test_folds(void)
{
    shoal_dataset *data = plant(30, &(shoal_fit_options){.n_threads = 1}, 0.003);
    double rmse[2];
    for (int k = 0; k < 2; ++k) {
        const shoal_fit_options o = {.n_threads = k == 0 ? 1 : 3};
        const shoal_cv_options cv = {.n_folds = 5, .seed = 1};
        shoal_cv_result r;
        shoal_fit *fit;
        CHECK(shoal_fit_create_memory(&fit, data, dofs, "dofs", &o) == SHOAL_OK);
        shoal_fit_result whole;
        CHECK(shoal_fit_run(fit, NULL, &whole) == SHOAL_OK);
        CHECK(shoal_fit_cross_validate(fit, &cv, &r) == SHOAL_OK);
        int32_t total = 0;
        for (int32_t f = 0; f < r.n_folds; ++f) {
            CHECK(r.folds[f].n_dimers == 6);
            total += r.folds[f].n_samples;
        }
        CHECK(total == shoal_dataset_samples(data));
        CHECK(r.rmse > 0.002 && r.rmse < 0.006);
        double mean = 0.0, squares = 0.0;
        for (int32_t f = 0; f < r.n_folds; ++f) mean += r.folds[f].rmse / r.n_folds;
        for (int32_t f = 0; f < r.n_folds; ++f)
            squares += (r.folds[f].rmse - mean) * (r.folds[f].rmse - mean);
        CHECK_NEAR(r.std, sqrt(squares / (r.n_folds - 1)), 1e-12);
        for (int32_t f = 0; f < r.n_folds; ++f) /* what was kept back was not fitted */
            CHECK(r.folds[f].rmse_train != whole.rmse);
        rmse[k] = r.rmse;
        /* monomers: water with three charges alike, and the other one */
        const shoal_cv_options out = {.n_folds = 0};
        CHECK(shoal_dataset_monomers(data) == 2);
        CHECK(shoal_fit_cross_validate(fit, &out, &r) == SHOAL_OK);
        CHECK(r.n_folds == 2);
        CHECK_TEXT(r.folds[0].label, "OH2");
        CHECK(shoal_fit_cross_validate(fit, &(shoal_cv_options){.n_folds = 31}, &r) ==
              SHOAL_E_ARGUMENT);
        shoal_fit_destroy(fit);
    }
    CHECK(rmse[0] == rmse[1]);
    shoal_dataset_destroy(data);
}

/* A type that only samples kept back have must not keep what it learned from them. */
static void test_folds_start(void)
{
    static const char near[] = "O_3 R 1.2 2.2 1.2 2.2 0 0 0 1.66\n"
                               "O_3 E 0.0001 0.02 0.0001 0.02 0 0 0 0.0049\n"
                               "O_3 H -0.95 -0.01 -0.9 -0.02 0 0 0 -0.62\n"
                               "H_O R 0.8 2.0 0.8 2.0 0 0 0 1.31\n"
                               "H_O E 0.0001 0.02 0.0001 0.02 0 0 0 0.0011\n"
                               "H_O Q 0.0 0.6 0.0 0.6 0 0 0 0.38\n"
                               "C_3 R 1.2 2.4 1.2 2.4 0 0 0 2.2\n"
                               "C_3 E 0.0001 0.02 0.0001 0.02 0 0 0\n";
    shoal_dataset *data = plant(30, &(shoal_fit_options){.n_threads = 1}, 0.003);
    double rmse[2];
    for (int k = 0; k < 2; ++k) {
        shoal_fit *fit;
        shoal_fit_result result;
        shoal_cv_result r;
        const shoal_fit_options o = {.pool = -1.0};
        CHECK(shoal_fit_create_memory(&fit, data, near, "dofs", &o) == SHOAL_OK);
        if (k == 1) CHECK(shoal_fit_run(fit, NULL, &result) == SHOAL_OK);
        CHECK(shoal_fit_cross_validate(fit, &(shoal_cv_options){.n_folds = 0}, &r) == SHOAL_OK);
        CHECK_TEXT(r.folds[1].label, "CHO"); /* the only carbon */
        rmse[k] = r.folds[1].rmse;
        shoal_fit_destroy(fit);
    }
    CHECK(rmse[0] > 0.01);
    CHECK_NEAR(rmse[1] / rmse[0], 1.0, 1e-6);
    shoal_dataset_destroy(data);
}

/* An H of 0 closes the gate: the slope jumps there and no difference can tell which one is right;
 * near 0 differences stay on their side. */
static void test_gate(void)
{
    static const char gated[] = "O_3 H -0.9 0 1 0 0 0 0 %s\nH_O R 0.8 2 1 0 0 0 0\n";
    static const char *const starts[] = {"0", "-1e-3", "-0.5"};
    shoal_dataset *data = fixture_data(2, 0.0);
    for (int k = 0; k < 3; ++k) {
        shoal_fit *fit;
        shoal_derivative_check c;
        char text[128];
        (void)snprintf(text, sizeof text, gated, starts[k]);
        CHECK(shoal_fit_create_memory(&fit, data, text, "dofs", NULL) == SHOAL_OK);
        CHECK(shoal_fit_check_derivative(fit, 0, NULL, &c) == SHOAL_OK);
        CHECK(c.passed && !c.weak && c.jumps == (k == 0));
        if (k > 0) CHECK(c.error <= 1e-9);
        shoal_fit_destroy(fit);
    }
    shoal_dataset_destroy(data);
}

static fit_evaluator sound;

static shoal_status bad_rows(fit_evaluator *ev, const double *p, double *energy, double *rows)
{
    SHOAL_TRY(sound.rows(ev, p, energy, rows));
    rows[0] = NAN;
    return SHOAL_OK;
}

static shoal_status bad_slope(fit_evaluator *ev, const double *p, const fit_target *t, double *j,
                              double *slope)
{
    SHOAL_TRY(sound.slope(ev, p, t, j, slope));
    slope[ev->problem->column_slot[0]] = NAN;
    return SHOAL_OK;
}

/* A slope that is not finite is no minimum, whatever the method. */
static void test_not_finite(void)
{
    static const shoal_fit_method methods[] = {SHOAL_FIT_LM, SHOAL_FIT_LBFGS, SHOAL_FIT_FIRE};
    shoal_dataset *data = plant(10, &(shoal_fit_options){.n_threads = 1}, 0.002);
    for (int k = 0; k < 3; ++k) {
        const shoal_fit_options o = {.n_threads = 1, .evaluator = "moments"};
        const shoal_fit_run_options run = {.method = methods[k]};
        shoal_fit *fit;
        shoal_fit_result r;
        CHECK(shoal_fit_create_memory(&fit, data, dofs, "dofs", &o) == SHOAL_OK);
        sound = *fit->evaluator;
        fit->evaluator->rows = bad_rows;
        fit->evaluator->slope = sound.slope ? bad_slope : NULL;
        CHECK(shoal_fit_run(fit, &run, &r) == SHOAL_E_ARGUMENT && !r.converged);
        CHECK(strstr(shoal_error_text(), "slope of the objective is not finite at step 0") != NULL);
        fit->evaluator->rows = sound.rows;
        fit->evaluator->slope = sound.slope;
        shoal_fit_destroy(fit);
    }
    shoal_dataset_destroy(data);
}

int main(void)
{
    test_planted();
    test_methods();
    test_stall();
    test_components();
    test_bounds();
    test_loose();
    test_walls();
    test_folds();
    test_folds_start();
    test_gate();
    test_not_finite();
    return check_done();
}
