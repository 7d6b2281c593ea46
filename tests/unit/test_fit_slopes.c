/* SPDX-License-Identifier: BSD-3-Clause
 * Checks of slopes: right ones are never called wrong, whatever the model and the size of the data, and
 * wrong ones always are. */
#include "fit_planted.h"

static const char *const models[] = {
    "morse",  "lj",    "lj8",
    "lj9",    "buck",  "exp6",
    "morse6", "buck6", "E0*((1+H)*exp(-2*a*(r-R0))-2*exp(-a*(r-R0)))+kC*Q/r"};
enum { N_MODELS = (int)(sizeof models / sizeof models[0]), N_VARIANTS = 6 };

static shoal_fit_options variant(const char *model, int k)
{
    shoal_fit_options o = {.model = model, .n_threads = 1};
    if (k == 1) o.clamp_from = 0.01, o.clamp_to = 0.05; /* the second slope jumps at the clamp */
    if (k == 2) o.clamp_from = 1e-3, o.clamp_to = 2e-3;
    if (k == 3) o.fit_alpha = strncmp(model, "lj", 2) != 0, o.fit_lambda = true;
    if (k == 4) o.tether = 1e-3;
    if (k == 5) o.evaluator = "pairs";
    return o;
}

static int count_wrong(shoal_fit *fit, int *n_uncertain)
{
    int wrong = 0;
    for (int32_t i = 0; i < shoal_fit_dofs(fit); ++i) {
        shoal_derivative_check c;
        CHECK(shoal_fit_check_derivative(fit, i, NULL, &c) == SHOAL_OK);
        wrong += !c.passed;
        *n_uncertain += c.uncertain;
    }
    return wrong;
}

/* At the start, where residuals are huge, and at the optimum, where slopes vanish. */
static void test_right(void)
{
    static const int sizes[] = {1, 3, 30};
    for (int size = 0; size < 3; ++size) {
        shoal_dataset *data = plant(sizes[size], &(shoal_fit_options){.n_threads = 1}, 0.003);
        for (int m = 0; m < N_MODELS; ++m)
            for (int k = 0; k < N_VARIANTS; ++k) {
                const shoal_fit_options o = variant(models[m], k);
                shoal_fit *fit = NULL;
                shoal_fit_result r;
                int uncertain = 0;
                CHECK(shoal_fit_create_memory(&fit, data, dofs, "dofs", &o) == SHOAL_OK);
                const int before = count_wrong(fit, &uncertain);
                CHECK(shoal_fit_run(fit, NULL, &r) == SHOAL_OK);
                const int after = count_wrong(fit, &uncertain);
                if (before + after > 0)
                    printf("%s, variant %d, %d dimers: %d and %d wrong\n", models[m], k,
                           sizes[size], before, after);
                CHECK(before + after == 0);
                CHECK(uncertain <= 4);
                shoal_fit_destroy(fit);
            }
        shoal_dataset_destroy(data);
    }
}

static fit_evaluator right; /* before it is spoiled */
static int32_t spoiled_slot;
static double spoiled_by;

static shoal_status spoil_slope(fit_evaluator *ev, const double *p, const fit_target *t, double *j,
                                double *slope)
{
    const shoal_status status = right.slope(ev, p, t, j, slope);
    slope[spoiled_slot] *= 1.0 + spoiled_by;
    return status;
}

static shoal_status spoil_rows(fit_evaluator *ev, const double *p, double *energy, double *rows)
{
    const fit_problem *problem = ev->problem;
    const shoal_status status = right.rows(ev, p, energy, rows);
    for (int32_t s = 0; s < problem->n_samples; ++s) {
        const fit_block *block = &problem->blocks[problem->block_of[s]];
        for (int32_t k = 0; k < block->n_columns; ++k)
            if (problem->column_slot[block->columns[k]] == spoiled_slot)
                rows[problem->row_start[s] + k] *= 1.0 + spoiled_by;
    }
    return status;
}

static void spoil(shoal_fit *fit, double by)
{
    right = *fit->evaluator;
    spoiled_by = by;
    if (right.slope) fit->evaluator->slope = spoil_slope;
    fit->evaluator->rows = spoil_rows;
}

/* A slope that is off by a millionth is found, in every model and at clamps, too. */
static void test_wrong(void)
{
    shoal_dataset *data = plant(40, &(shoal_fit_options){.n_threads = 1}, 0.003);
    for (int m = 0; m < N_MODELS; ++m)
        for (int k = 0; k < 2; ++k) {
            const shoal_fit_options o = variant(models[m], k);
            shoal_fit *fit = NULL;
            shoal_derivative_check c;
            CHECK(shoal_fit_create_memory(&fit, data, dofs, "dofs", &o) == SHOAL_OK);
            spoil(fit, k == 0 ? 1e-6 : 1e-3);
            for (int32_t i = 0; i < shoal_fit_dofs(fit); ++i) {
                spoiled_slot = fit->dofs[i].slot;
                CHECK(shoal_fit_check_derivative(fit, i, NULL, &c) == SHOAL_OK);
                CHECK(!c.passed);
            }
            shoal_fit_destroy(fit);
        }
    shoal_dataset_destroy(data);
}

/* Steps, their number and the tolerance are the caller's choice. */
static void test_options(void)
{
    shoal_dataset *data = plant(4, &(shoal_fit_options){.n_threads = 1}, 0.003);
    shoal_fit *fit = NULL;
    shoal_derivative_check fine, rough, c;
    CHECK(shoal_fit_create_memory(&fit, data, dofs, "dofs", NULL) == SHOAL_OK);
    const shoal_derivative_options wide = {.step = 1.0, .points = 3};
    CHECK(shoal_fit_check_derivative(fit, 0, NULL, &fine) == SHOAL_OK);
    CHECK(shoal_fit_check_derivative(fit, 0, &wide, &rough) == SHOAL_OK);
    CHECK(fine.passed && rough.passed && rough.doubt > 100.0 * fine.doubt);
    CHECK(rough.error > 10.0 * fine.error);
    CHECK(shoal_fit_check_derivative(fit, 0, &(shoal_derivative_options){.points = 2}, &c) ==
          SHOAL_E_ARGUMENT);
    CHECK(shoal_fit_check_derivative(fit, 0, &(shoal_derivative_options){.points = 17}, &c) ==
          SHOAL_E_ARGUMENT);
    spoil(fit, 1e-5);
    spoiled_slot = fit->dofs[0].slot;
    CHECK(shoal_fit_check_derivative(fit, 0, NULL, &c) == SHOAL_OK && !c.passed);
    CHECK(shoal_fit_check_derivative(fit, 0, &(shoal_derivative_options){.tolerance = 1e-3}, &c) ==
          SHOAL_OK);
    CHECK(c.passed);
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
}

int main(void)
{
    test_right();
    test_wrong();
    test_options();
    return check_done();
}
