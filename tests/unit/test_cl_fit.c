/* SPDX-License-Identifier: BSD-3-Clause
 * The pair loop of fits on an OpenCL device against the one of the processor: energies, rows and
 * slopes for every model, Coulomb kernel, sites and constraint; many sets; repeated bits. */
#include "cl_fixture.h"
#include "fit/fit_opencl.h"
#include "fit/objective.h"
#include "fit_fixture.h"

typedef struct comparison {
    const char *device, *label;
    bool is_double;
    double tolerance; /* relative to the largest value of its kind */
} comparison;

/* Largest difference of two arrays relative to the largest value. */
static double distance_of(const double *a, const double *b, int64_t n)
{
    double most = 0.0, size = 1e-30;
    for (int64_t k = 0; k < n; ++k) {
        if (!(fabs(a[k] - b[k]) <= most)) most = fabs(a[k] - b[k]);
        size = fmax(size, fabs(b[k]));
    }
    return most / size;
}

/* J and its slope from energies and rows, in the plainest way. */
static double sum_up(const fit_problem *problem, const fit_target *t, const double *energy,
                     const double *rows, double *slope)
{
    double j = 0.0;
    for (int32_t s = 0; s < problem->n_samples; ++s) {
        double rate;
        const double c = fit_residual(t, energy[s] - t->reference[s], &rate);
        const fit_block *block = &problem->blocks[problem->block_of[s]];
        j += 0.5 * t->weight[s] * c * c;
        for (int32_t k = 0; k < block->n_columns; ++k)
            slope[problem->column_slot[block->columns[k]]] +=
                t->weight[s] * c * rate * rows[problem->row_start[s] + k];
    }
    return j;
}

static void compare(const comparison *c, const shoal_fit *fit, fit_evaluator *device,
                    fit_evaluator *host)
{
    const fit_problem *problem = &fit->problem;
    const int64_t n_rows = problem->row_start[problem->n_samples];
    const size_t n = (size_t)problem->n_samples, n_slots = (size_t)problem->n_slots;
    double *energy[2], *rows[2], *slope[2], j[2];
    double *p = calloc(n_slots, sizeof *p);
    const fit_target target = {fit->reference, fit->weight, 0.05, 0.1};
    for (int k = 0; k < 2; ++k) {
        fit_evaluator *ev = k ? host : device;
        energy[k] = calloc(n, sizeof(double));
        rows[k] = calloc((size_t)n_rows, sizeof(double));
        slope[k] = calloc(n_slots, sizeof(double));
        fit_slots(fit, fit->value, p);
        CHECK(ev->rows(ev, p, energy[k], rows[k]) == SHOAL_OK);
    }
    CHECK(device->slope(device, p, &target, &j[0], slope[0]) == SHOAL_OK);
    j[1] = sum_up(problem, &target, energy[1], rows[1], slope[1]);
    const double worst[] = {distance_of(energy[0], energy[1], (int64_t)n),
                            distance_of(rows[0], rows[1], n_rows), fabs(j[0] - j[1]) / fabs(j[1]),
                            distance_of(slope[0], slope[1], (int64_t)n_slots)};
    for (int k = 0; k < 4; ++k) {
        if (!(worst[k] <= c->tolerance))
            (void)printf("%s (%s): %s differ by %.3g\n", c->label,
                         c->is_double ? "double" : "float",
                         k == 0   ? "energies"
                         : k == 1 ? "rows"
                         : k == 2 ? "objectives"
                                  : "slopes",
                         worst[k]);
        CHECK(worst[k] <= c->tolerance);
    }
    for (int k = 0; k < 2; ++k) {
        free(energy[k]);
        free(rows[k]);
        free(slope[k]);
    }
    free(p);
}

static void run_case(comparison c, const shoal_dataset *data, const char *dofs,
                     shoal_fit_options options)
{
    shoal_fit *fit = NULL;
    fit_evaluator *device = NULL;
    options.evaluator = "pairs";
    CHECK(shoal_fit_create_memory(&fit, data, dofs, "dofs", &options) == SHOAL_OK);
    CHECK_TEXT(shoal_error_text(), "");
    if (!fit) return;
    /* Either precision for every other case: compiling takes most of the time. */
    c.tolerance = c.is_double ? 1e-11 : 2e-5;
    if (fit_opencl_create(&device, &fit->problem, c.device, c.is_double) == SHOAL_OK) {
        compare(&c, fit, device, fit->evaluator);
        device->destroy(device);
    } else {
        (void)printf("%s: %s\n", c.label, shoal_error_text());
        CHECK(c.is_double && strstr(shoal_error_text(), "has no double precision"));
    }
    shoal_fit_destroy(fit);
}

static void check_models(const char *device)
{
    static const char *const models[] = {"morse", "lj", "lj8", "lj9", "buck", "exp6"};
    static const shoal_hbond hbonds[] = {SHOAL_HBOND_REPULSION, SHOAL_HBOND_ATTRACTION,
                                         SHOAL_HBOND_BOTH, SHOAL_HBOND_NONE};
    static const shoal_coulomb kinds[] = {SHOAL_COULOMB_CLAMP,  SHOAL_COULOMB_PLAIN,
                                          SHOAL_COULOMB_SMOOTH, SHOAL_COULOMB_DAMPED,
                                          SHOAL_COULOMB_ERF,    SHOAL_COULOMB_NONE};
    shoal_dataset *data = fixture_data(3, 0.0);
    for (int k = 0; k < 6; ++k)
        run_case((comparison){.device = device, .label = models[k], .is_double = k % 2 == 1}, data,
                 fixture_dofs,
                 (shoal_fit_options){.model = models[k],
                                     .hbond = hbonds[k % 4],
                                     .coulomb = kinds[k],
                                     .coulomb_damping = 0.8,
                                     .fit_lambda = true,
                                     .fit_alpha = k == 0 || k >= 4});
    shoal_dataset_destroy(data);
}

/* 43 atoms of a fragment and two sites for every oxygen: more than a work-group. */
static void check_sites(const char *device)
{
    static const char *const models[] = {NULL, "sr", "sr3"};
    char dofs[2000];
    shoal_dataset *data = fixture_data(14, 0.5), *few = fixture_data(2, 0.5);
    (void)snprintf(dofs, sizeof dofs,
                   "%sE_O3 Q -0.5 0 -0.5 0 0 0 0\nE_O3 R 0.3 2 0.3 2 0 0 0\n"
                   "E_O3 H -0.9 -0.1 -0.9 -0.1 0 0 0\n",
                   fixture_dofs);
    const size_t used = strlen(dofs);
    run_case((comparison){.device = device, .label = "large"}, data, dofs,
             (shoal_fit_options){.site_model = "sr2"});
    for (int k = 0; k < 3; ++k) { /* distances that move: of a type, of all */
        (void)snprintf(dofs + used, sizeof dofs - used, "%s",
                       k == 0   ? ""
                       : k == 1 ? "E_O3 L 0.2 1 0.2 1 0 0 0\n"
                                : "* L 0.2 1 0.2 1 0 0 0\n");
        run_case(
            (comparison){.device = device, .label = "sites", .is_double = k % 2 == 1}, few, dofs,
            (shoal_fit_options){.site_model = models[k], .type_charges = k == 1, .neutral = k > 1});
    }
    shoal_dataset_destroy(data);
    shoal_dataset_destroy(few);
}

/* Radii that depend on charges, also on fitted ones, damped dispersion, charge clouds that grow. */
static void check_additions(const char *device)
{
    static const char *const models[] = {"exp6", "lj9", "buck6"};
    static const shoal_coulomb kinds[] = {SHOAL_COULOMB_PLAIN, SHOAL_COULOMB_ERF,
                                          SHOAL_COULOMB_DAMPED};
    shoal_dataset *data = fixture_data(2, 0.5);
    CHECK(shoal_dataset_add_increments(data) == SHOAL_OK);
    for (int k = 0; k < 3; ++k)
        run_case((comparison){.device = device, .label = models[k], .is_double = k != 1}, data,
                 fixture_dofs,
                 (shoal_fit_options){.model = models[k],
                                     .coulomb = kinds[k],
                                     .coulomb_damping = 0.8,
                                     .radius_charge = 0.3,
                                     .fit_radius_charge = k != 1,
                                     .fit_dispersion_damping = k > 0,
                                     .fit_coulomb_damping = k > 0,
                                     .fit_site_charges = true,
                                     .fit_increments = k == 0,
                                     .neutral = k == 2});
    shoal_dataset_destroy(data);
}

static void check_formulas(const char *device)
{
    static const char *const formulas[] = {
        "E0*((1+H)*exp(-2*a*(r-R0)) - 2*exp(-a*(r-R0))) + kC*Q/r",
        "sqrt(Ei*Ej)*(((Ri+Rj)/r)^9 - 1.5*((Ri+Rj)/r)^6) + kC*Qi*Qj*erf(r/b)/r + c*Hi*Hj*exp(-r)",
        "E0*max(0, R0-r)^2 - E0*tanh(b/r)^3 + kC*Q/sqrt(r^2+b^2) + H*E0/cosh(r/c)"};
    char dofs[2000];
    shoal_dataset *data = fixture_data(3, 0.0);
    for (int k = 0; k < 3; ++k) {
        (void)snprintf(dofs, sizeof dofs, "%s%s", fixture_dofs,
                       k == 0 ? "" : "* b 0.1 3 0.1 3 0 0 0 0.9\n* c 0.1 3 0.1 3 0 0 0 1.2\n");
        run_case((comparison){.device = device, .label = formulas[k], .is_double = k % 2 == 1},
                 data, dofs,
                 (shoal_fit_options){.model = formulas[k], .alpha = 1.5, .fit_lambda = true});
    }
    shoal_dataset_destroy(data);
}

/* Columns of the table that a formula names: one, two, and one that only gives the next its place. */
static void check_columns(const char *device)
{
    static const char *const columns[] = {"pol", "pol w", "pol w"};
    static const char *const formulas[] = {
        "E0*((R0/r)^12 - 2*(R0/r)^6) - poli*polj*exp(-r) + kC*Q/r",
        "E0*((1+H)*(R0/r)^9 - 1.5*(R0/r)^6) - b*(poli*wj + polj*wi)*exp(-(wi+wj)*r)",
        "E0*((R0/r)^9 - 1.5*(R0/r)^6) + b*exp(-(wi+wj)*r)"};
    char dofs[2000];
    shoal_dataset *data = fixture_data_of(fixture_column_types, 2, 0.0);
    for (int k = 0; k < 3; ++k) {
        (void)snprintf(dofs, sizeof dofs,
                       "%s%s%sO_3 pol 0.1 2 1 0 0 0 0\nC_3 pol 0.1 3 1 0 0 0 0\n", fixture_dofs,
                       k > 0 ? "* b 0.1 3 0.1 3 0 0 0 0.9\n" : "",
                       k > 0 ? "H_O w 1 3 1 0 0 0 0\nO_3 w 1 3 1 0 0 0 0\n" : "");
        run_case((comparison){.device = device, .label = formulas[k], .is_double = k != 1}, data,
                 dofs, (shoal_fit_options){.model = formulas[k], .columns = columns[k]});
    }
    shoal_dataset_destroy(data);
}

/* Many sets give the bits of single ones, and a second run those of the first. */
static void check_sets(const char *device)
{
    enum { N_SETS = 5 };
    shoal_dataset *data = fixture_data(4, 0.0);
    shoal_fit *fit = NULL;
    fit_evaluator *ev = NULL;
    CHECK(shoal_fit_create_memory(&fit, data, fixture_dofs, "dofs",
                                  &(shoal_fit_options){.evaluator = "pairs"}) == SHOAL_OK);
    CHECK(fit && fit_opencl_create(&ev, &fit->problem, device, false) == SHOAL_OK);
    if (fit && ev) {
        const size_t n = (size_t)fit->problem.n_slots;
        const fit_target target = {fit->reference, fit->weight, 0.0, 0.0};
        double *p = calloc(N_SETS * n, sizeof *p), *slopes = calloc(N_SETS * n, sizeof *slopes);
        double *alone = calloc(n, sizeof *alone), j[N_SETS], j_alone;
        for (size_t m = 0; m < N_SETS; ++m) {
            fit_slots(fit, fit->value, p + m * n);
            p[m * n] += 0.01 * (double)m;
        }
        for (int repeat = 0; repeat < 2; ++repeat) {
            CHECK(fit_opencl_slopes(ev, N_SETS, p, &target, j, slopes) == SHOAL_OK);
            for (size_t m = 0; m < N_SETS; ++m) {
                CHECK(ev->slope(ev, p + m * n, &target, &j_alone, alone) == SHOAL_OK);
                CHECK(j_alone == j[m]);
                CHECK(memcmp(alone, slopes + m * n, n * sizeof *alone) == 0);
            }
        }
        CHECK(j[0] != j[1]);
        free(p);
        free(slopes);
        free(alone);
        ev->destroy(ev);
    }
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
}

/* J at the end of a fit by the pair loop (device NULL) or on a device; NAN without one. */
static double fit_to_end(const shoal_dataset *data, const char *device,
                         const shoal_fit_run_options *run)
{
    shoal_fit *fit = NULL;
    shoal_fit_result result = {.j = NAN};
    char evaluator[64] = "pairs";
    if (device) (void)snprintf(evaluator, sizeof evaluator, "opencl:%s", device);
    const shoal_fit_options options = {.evaluator = evaluator, .tether = 1e-3};
    CHECK(shoal_fit_create_memory(&fit, data, fixture_dofs, "dofs", &options) == SHOAL_OK);
    CHECK_TEXT(shoal_error_text(), "");
    if (fit) CHECK(shoal_fit_run(fit, run, &result) == SHOAL_OK);
    shoal_fit_destroy(fit);
    return result.j;
}

/* A whole fit on the device ends where that on the processor ends. */
static void check_optimum(const char *device)
{
    shoal_dataset *data = fixture_data(4, 0.0);
    const double want = fit_to_end(data, NULL, NULL);
    CHECK_NEAR(fit_to_end(data, device, NULL), want, 1e-6 * fabs(want));
    shoal_dataset_destroy(data);
}

/* Starts that share launches end as those of the processor do, and with the same bits again. */
static void check_starts(const char *device)
{
    const shoal_fit_run_options run = {.n_starts = 7, .seed = 5};
    shoal_dataset *data = fixture_data(3, 0.0);
    const double want = fit_to_end(data, NULL, &run), found = fit_to_end(data, device, &run);
    CHECK_NEAR(found, want, 1e-6 * fabs(want));
    CHECK(fit_to_end(data, device, &run) == found);
    shoal_dataset_destroy(data);
}

static void check_refusals(void)
{
    shoal_dataset *data = fixture_data(1, 0.5);
    shoal_fit *fit = NULL;
    CHECK(shoal_fit_create_memory(&fit, data, fixture_dofs, "dofs",
                                  &(shoal_fit_options){.evaluator = "opencl:nosuch"}) ==
          SHOAL_E_DEVICE);
    shoal_fit_destroy(fit);
    shoal_dataset_destroy(data);
}

int main(void)
{
    const char *device = device_for_tests();
    if (!device) return SKIPPED;
    check_models(device);
    check_sites(device);
    check_additions(device);
    check_formulas(device);
    check_columns(device);
    check_sets(device);
    check_optimum(device);
    check_starts(device);
    check_refusals();
    return check_done();
}
