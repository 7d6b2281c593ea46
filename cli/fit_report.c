/* SPDX-License-Identifier: BSD-3-Clause
 * What 'shoal fit' prints: tables of parameters and errors, and speeds. */
#include "fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "systems.h"

#define STRONG 0.95 /* correlations that are listed */
enum { WORST_SHOWN = 10 };

const char *set_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static void print_correlations(const shoal_fit *fit)
{
    shoal_strong_pair *strong;
    int32_t n;
    if (shoal_fit_strong_pairs(fit, STRONG, &strong, &n) != SHOAL_OK) return;
    if (n > 0) (void)printf("%d correlation%s beyond %.2f:\n", n, n == 1 ? "" : "s", STRONG);
    for (int k = 0; k < n; ++k) {
        shoal_dof_info x, y;
        if (shoal_fit_dof(fit, strong[k].a, &x) != SHOAL_OK ||
            shoal_fit_dof(fit, strong[k].b, &y) != SHOAL_OK)
            continue;
        (void)printf("  %+.4f %s.%s %s.%s\n", strong[k].correlation, x.type, x.comp, y.type,
                     y.comp);
    }
    free(strong);
}

static void print_error(double error)
{
    if (isfinite(error))
        (void)printf("%14.3g", error);
    else
        (void)printf("%14s", "-");
}

int report_dofs(const fit_job *job, bool bootstrap)
{
    const shoal_fit *fit = job->fit;
    (void)printf("%-12s%-8s%8s%14s%14s%14s%s\n", "type", "comp", "atoms", "start", "value", "error",
                 bootstrap ? "     bootstrap" : "");
    for (int32_t i = 0; i < shoal_fit_dofs(fit); ++i) {
        shoal_dof_info d;
        const shoal_status status = shoal_fit_dof(fit, i, &d);
        if (status != SHOAL_OK) return complain_of_status(status);
        (void)printf("%-12s%-8s%8d%14.6g%14.6g", d.type, d.comp, d.n_atoms, d.start, d.value);
        print_error(d.uncertainty);
        if (bootstrap) print_error(d.bootstrap);
        (void)printf("%s%s\n", d.at_bound ? "  at bound" : "", d.frozen ? "  frozen" : "");
    }
    print_correlations(fit);
    const int32_t n = shoal_fit_loose_directions(fit);
    if (n > 0)
        (void)printf("%d direction%s that the data hardly determine (curvature relative to the "
                     "largest):\n",
                     n, n == 1 ? "" : "s");
    for (int32_t k = 0; k < n; ++k) (void)printf("  %s\n", shoal_fit_loose_direction(fit, k));
    return EXIT_ALL_FINE;
}

int report_sets(const fit_job *job, const shoal_cv_result *cv)
{
    const int32_t n = shoal_dataset_sets(job->data);
    double *rmse = calloc(2 * (size_t)n, sizeof *rmse), *kept = rmse ? rmse + n : NULL;
    shoal_status status =
        rmse ? shoal_fit_set_errors(job->fit, job->data, cv, rmse, kept) : SHOAL_E_MEMORY;
    (void)printf("%-28s%8s%12s%14s%s\n", "set", "frames", "RMSE/eV", "RMSE/kcal/mol",
                 cv ? "   kept back/kcal/mol" : "");
    for (int32_t k = 0; k < n && status == SHOAL_OK; ++k) {
        shoal_set_info set;
        status = shoal_dataset_set(job->data, k, &set);
        (void)printf("%-28.28s%8d%12.6f%14.4f", set_name(set.label), set.n_samples, rmse[k],
                     rmse[k] / EV_PER_KCAL);
        if (cv) (void)printf("%21.4f", kept[k] / EV_PER_KCAL);
        (void)printf("\n");
    }
    free(rmse);
    return status == SHOAL_OK ? EXIT_ALL_FINE : complain_of_status(status);
}

void report_folds(const shoal_cv_result *cv)
{
    (void)printf("%-24s%8s%8s%16s%16s\n", "kept back", "frames", "dimers", "RMSE/kcal/mol",
                 "others");
    for (int32_t k = 0; k < cv->n_folds; ++k) {
        const shoal_cv_fold *f = &cv->folds[k];
        if (f->n_samples == 0) continue;
        (void)printf("%-24.24s%8d%8d%16.4f%16.4f\n", f->label, f->n_samples, f->n_dimers,
                     f->rmse / EV_PER_KCAL, f->rmse_train / EV_PER_KCAL);
    }
}

void report_worst(const shoal_cv_result *cv)
{
    const int32_t n = cv->n_dimers < WORST_SHOWN ? cv->n_dimers : WORST_SHOWN;
    (void)printf("%-32s%8s%16s%16s\n", "worst kept back", "frames", "RMSE/kcal/mol", "largest");
    for (int32_t k = 0; k < n; ++k) {
        const shoal_cv_dimer *d = &cv->dimers[k];
        (void)printf("%-32.32s%8d%16.4f%16.4f\n", d->name, d->n_samples, d->rmse / EV_PER_KCAL,
                     d->largest / EV_PER_KCAL);
    }
}

int report_speed(const fit_job *job, const fit_options *o)
{
    shoal_fit_speed s;
    const char *evaluator = shoal_fit_evaluator(job->fit);
    const char *name = o->fit.evaluator ? o->fit.evaluator : evaluator;
    const int sets = o->bench_sets > 0 ? o->bench_sets : 512;
    const shoal_status status = shoal_fit_measure(job->fit, name, o->fit.single, sets, &s);
    if (status != SHOAL_OK) return complain_of_status(status);
    if (!o->json) {
        (void)printf("%s on %s: %d sets of parameters, %d samples, %lld pairs: %.4g s (spread %.0f "
                     "%%), %.4g pairs/s, error of the slope %.1e\n",
                     name, s.device, s.n_sets, s.n_samples, (long long)s.n_pairs, s.seconds,
                     100.0 * s.spread, s.pairs_per_s, s.error);
        return EXIT_ALL_FINE;
    }
    json line = {0}, *j = &line;
    json_open(j, NULL, '{');
    json_put(j, "what", "fit", "evaluator", name, "device", s.device, "precision",
             o->fit.single ? "float" : "double", "samples", s.n_samples, "pairs", s.n_pairs, "sets",
             s.n_sets, "seconds", s.seconds, "spread", s.spread, "pairs_per_s", s.pairs_per_s,
             "error", s.error);
    (void)json_print_line(j);
    return EXIT_ALL_FINE;
}
