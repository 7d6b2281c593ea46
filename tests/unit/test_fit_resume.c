/* SPDX-License-Identifier: BSD-3-Clause
 * Fits that are stopped, and go on from their checkpoint in another fit, end with the bits of those that nobody disturbed. */
#include <string.h>
#include <unistd.h>

#include "fit_planted.h"

static const char name[] = "test_fit_resume.checkpoint";

/* All that fits tell in the end. */
typedef struct told {
    shoal_fit_result result;
    double value[N_PLANTED], low[N_PLANTED], high[N_PLANTED];
    double folds[3], kept, trajectory;
    int32_t n_rows;
} told;

/* Stops after so many questions; some ten are asked between descents. */
static _Atomic int32_t questions, patience;
static bool ask(void *user)
{
    (void)user;
    return ++questions > patience;
}

static shoal_fit *create(const shoal_dataset *data, const shoal_fit_options *o)
{
    shoal_fit *fit;
    CHECK(shoal_fit_create_memory(&fit, data, dofs, "dofs", o) == SHOAL_OK);
    for (int32_t i = 0; i < N_PLANTED; ++i)
        CHECK(shoal_fit_set_value(fit, i, planted[i] * (1.0 + 0.03 * (i % 3))) == SHOAL_OK);
    return fit;
}

/* The fit, its replicates and its folds; whether it came to its end. */
static bool go(shoal_fit *fit, shoal_fit_method method, told *out)
{
    const shoal_fit_run_options run = {.method = method, .n_starts = 2, .seed = 5, .stop = ask};
    const shoal_bootstrap_options bootstrap = {.n = 3, .run = run};
    const shoal_cv_options cv = {.n_folds = 3, .run = run};
    shoal_cv_result folds = {0};
    memset(out, 0, sizeof *out);
    CHECK(shoal_fit_run(fit, &run, &out->result) == SHOAL_OK);
    if (questions > patience) return false;
    out->result.seconds = 0.0;
    out->n_rows = fit->trajectory.n;
    for (int32_t i = 0; i < fit->trajectory.n * (3 + fit->problem.n_free); ++i)
        out->trajectory += fit->trajectory.rows[i];
    CHECK(shoal_fit_bootstrap(fit, &bootstrap) == SHOAL_OK);
    if (questions > patience) return false;
    CHECK(shoal_fit_cross_validate(fit, &cv, &folds) == SHOAL_OK);
    if (questions > patience) return false;
    for (int32_t k = 0; k < 3; ++k) out->folds[k] = folds.folds[k].rmse;
    out->kept = folds.rmse;
    for (int32_t i = 0; i < N_PLANTED; ++i) {
        shoal_dof_info d;
        CHECK(shoal_fit_dof(fit, i, &d) == SHOAL_OK);
        out->value[i] = d.value;
        out->low[i] = d.low;
        out->high[i] = d.high;
    }
    return true;
}

/* Stopped after so many steps again and again; seconds: between checkpoints. */
static void check_method(const shoal_dataset *data, shoal_fit_method method, const char *evaluator,
                         int32_t steps, double seconds)
{
    const shoal_fit_options o = {.model = "morse",
                                 .n_threads = 2,
                                 .evaluator = evaluator,
                                 .fit_increments = data->n_bonds > 0};
    told whole, parts;
    questions = 0;
    patience = INT32_MAX;
    shoal_fit *fit = create(data, &o);
    CHECK(go(fit, method, &whole));
    CHECK((fit->n_groups > 0) == (data->n_bonds > 0));
    shoal_fit_destroy(fit);
    int32_t tries = 0;
    for (bool done = false; !done && tries < 400; ++tries) {
        bool resumed;
        fit = create(data, &o);
        CHECK(shoal_fit_keep(fit, &(shoal_fit_restart){name, seconds, true}, &resumed) == SHOAL_OK);
        CHECK_TEXT(shoal_error_text(), "");
        CHECK(resumed == (tries > 0));
        questions = 0;
        patience = steps;
        done = go(fit, method, &parts);
        CHECK(shoal_fit_keep_end(fit, done) == SHOAL_OK);
        CHECK((access(name, F_OK) == 0) == !done);
        shoal_fit_destroy(fit);
    }
    CHECK(tries > 2 && tries < 400);
    CHECK(memcmp(&whole, &parts, sizeof whole) == 0);
    (void)unlink(name);
}

static void check_refused(const char *text, const shoal_dataset *data, const shoal_fit_options *o,
                          const shoal_fit_run_options *run)
{
    shoal_fit *fit = create(data, o);
    shoal_fit_result r;
    shoal_status status = shoal_fit_keep(fit, &(shoal_fit_restart){name, 0.0, true}, NULL);
    if (status == SHOAL_OK) status = shoal_fit_run(fit, run, &r);
    CHECK(status == SHOAL_E_ARGUMENT);
    CHECK(strstr(shoal_error_text(), text) != NULL);
    CHECK(strstr(shoal_error_text(), name) != NULL);
    shoal_fit_destroy(fit);
}

/* Another fit is refused with the reason; what is damaged, too. */
static void test_refused(shoal_dataset *data)
{
    shoal_fit_options o = {.model = "morse", .n_threads = 1};
    const shoal_fit_run_options run = {.method = SHOAL_FIT_LBFGS, .stop = ask};
    shoal_fit_run_options other = run;
    shoal_fit *fit = create(data, &o);
    shoal_fit_result r;
    CHECK(shoal_fit_keep(fit, &(shoal_fit_restart){name, 0.0, true}, NULL) == SHOAL_OK);
    questions = 0;
    patience = 4;
    CHECK(shoal_fit_run(fit, &run, &r) == SHOAL_OK && r.stopped);
    CHECK(shoal_fit_keep_end(fit, false) == SHOAL_OK);
    shoal_fit_destroy(fit);
    other.seed = 9;
    check_refused("of another fit: method, steps, starts, seed", data, &o, &other);
    o.alpha = 1.5;
    check_refused("options, systems or parameters are not the same", data, &o, &run);
    o.alpha = 0.0;
    data->pos[3][1] += 1e-9;
    check_refused("an input has changed since the checkpoint", data, &o, &run);
    data->pos[3][1] -= 1e-9;
    FILE *file = fopen(name, "r+");
    CHECK(file && fseek(file, 300, SEEK_SET) == 0 && fputc('x', file) == 'x' && fclose(file) == 0);
    fit = create(data, &o);
    CHECK(shoal_fit_keep(fit, &(shoal_fit_restart){name, 0.0, true}, NULL) == SHOAL_E_FORMAT);
    CHECK(shoal_fit_keep(fit, &(shoal_fit_restart){name, -1.0, true}, NULL) == SHOAL_E_ARGUMENT);
    shoal_fit_destroy(fit);
    (void)unlink(name);
}

int main(void)
{
    const shoal_fit_options o = {.model = "morse", .n_threads = 1};
    shoal_dataset *data = plant(12, &o, 0.004);
    (void)unlink(name);
    check_method(data, SHOAL_FIT_LM, NULL, 14, 0.0);
    check_method(data, SHOAL_FIT_LM, "pairs", 17, 1e-9);
    check_method(data, SHOAL_FIT_LBFGS, NULL, 60, 0.0);
    check_method(data, SHOAL_FIT_FIRE, NULL, 4000, 0.0);
    test_refused(data);
    shoal_dataset_destroy(data);
    /* increments are drawn to zero: another stage */
    data = plant(12, &o, 0.004);
    CHECK(shoal_dataset_add_increments(data) == SHOAL_OK && data->n_bonds > 0);
    check_method(data, SHOAL_FIT_LM, NULL, 14, 0.0);
    check_method(data, SHOAL_FIT_LBFGS, NULL, 200, 0.0);
    shoal_dataset_destroy(data);
    return check_done();
}
