/* SPDX-License-Identifier: BSD-3-Clause
 * What 'shoal fit' prints: tables of parameters and errors, and speeds. */
#include "fit_report.h"

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

typedef struct correlation {
    double c;
    int32_t a, b;
} correlation;

static int by_strength(const void *x, const void *y)
{
    const correlation *p = x, *q = y;
    if (fabs(p->c) != fabs(q->c)) return fabs(p->c) > fabs(q->c) ? -1 : 1;
    return p->a != q->a ? p->a - q->a : p->b - q->b;
}

/* All pairs of DOFs with more than STRONG, strongest first. The caller frees *out. */
static int find_strong(const shoal_fit *fit, correlation **out)
{
    int n = 0, room = 0;
    *out = NULL;
    for (int32_t i = 0; i < shoal_fit_dofs(fit); ++i)
        for (int32_t k = i + 1; k < shoal_fit_dofs(fit); ++k) {
            const double c = shoal_fit_correlation(fit, i, k);
            if (!(fabs(c) > STRONG)) continue;
            if (n == room) {
                room = 2 * room + 16;
                correlation *more = realloc(*out, (size_t)room * sizeof *more);
                if (!more) return n;
                *out = more;
            }
            (*out)[n++] = (correlation){c, i, k};
        }
    if (n > 0) qsort(*out, (size_t)n, sizeof **out, by_strength);
    return n;
}

static void print_correlations(const shoal_fit *fit)
{
    correlation *strong;
    const int n = find_strong(fit, &strong);
    if (n > 0) (void)printf("%d correlation%s beyond %.2f:\n", n, n == 1 ? "" : "s", STRONG);
    for (int k = 0; k < n; ++k) {
        shoal_dof_info x, y;
        if (shoal_fit_dof(fit, strong[k].a, &x) != SHOAL_OK ||
            shoal_fit_dof(fit, strong[k].b, &y) != SHOAL_OK)
            continue;
        (void)printf("  %+.4f %s.%s %s.%s\n", strong[k].c, x.type, x.comp, y.type, y.comp);
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

static void json_correlations(json *j, const shoal_fit *fit)
{
    correlation *strong;
    const int n = find_strong(fit, &strong);
    json_open(j, "strong_correlations", '[');
    for (int k = 0; k < n; ++k) {
        shoal_dof_info x, y;
        if (shoal_fit_dof(fit, strong[k].a, &x) != SHOAL_OK ||
            shoal_fit_dof(fit, strong[k].b, &y) != SHOAL_OK)
            continue;
        json_open(j, NULL, '[');
        json_text(j, NULL, x.type);
        json_text(j, NULL, x.comp);
        json_text(j, NULL, y.type);
        json_text(j, NULL, y.comp);
        json_number(j, NULL, strong[k].c);
        json_close(j, ']');
    }
    json_close(j, ']');
    free(strong);
    json_open(j, "correlations", '['); /* rows of the lower triangle */
    for (int32_t i = 0; i < shoal_fit_dofs(fit); ++i) {
        json_open(j, NULL, '[');
        for (int32_t k = 0; k < i; ++k)
            json_number(j, NULL, 1e-4 * round(1e4 * shoal_fit_correlation(fit, i, k)));
        json_close(j, ']');
    }
    json_close(j, ']');
}

void json_open_dof(json *j, const shoal_dof_info *d)
{
    json_open(j, NULL, '{');
    json_text(j, "type", d->type);
    json_text(j, "comp", d->comp);
    json_integer(j, "atoms", d->n_atoms);
    json_number(j, "start", d->start);
}

void json_parameters(json *j, const shoal_fit *fit)
{
    json_open(j, "parameters", '[');
    for (int32_t i = 0; i < shoal_fit_dofs(fit); ++i) {
        shoal_dof_info d;
        if (shoal_fit_dof(fit, i, &d) != SHOAL_OK) continue;
        json_open_dof(j, &d);
        json_number(j, "value", d.value);
        json_number(j, "error", d.uncertainty);
        json_number(j, "error_independent", d.independent);
        json_number(j, "error_bootstrap", d.bootstrap);
        json_number(j, "low", d.low);
        json_number(j, "high", d.high);
        json_boolean(j, "at_bound", d.at_bound);
        json_boolean(j, "frozen", d.frozen);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_correlations(j, fit);
}

void json_folds(json *j, const shoal_cv_result *cv)
{
    json_number(j, "cv_median", cv->median);
    json_open(j, "folds", '[');
    for (int32_t k = 0; k < cv->n_folds; ++k) {
        const shoal_cv_fold *f = &cv->folds[k];
        if (f->n_samples == 0) continue;
        json_open(j, NULL, '{');
        json_text(j, "fold", f->label);
        json_integer(j, "samples", f->n_samples);
        json_integer(j, "dimers", f->n_dimers);
        json_number(j, "rmse", f->rmse);
        json_number(j, "rmse_train", f->rmse_train);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_open(j, "worst", '[');
    for (int32_t k = 0; k < cv->n_dimers && k < WORST_SHOWN; ++k) {
        json_open(j, NULL, '{');
        json_text(j, "dimer", cv->dimers[k].name);
        json_integer(j, "samples", cv->dimers[k].n_samples);
        json_number(j, "rmse", cv->dimers[k].rmse);
        json_number(j, "largest", cv->dimers[k].largest);
        json_close(j, '}');
    }
    json_close(j, ']');
}

/* Errors of the samples of one set that count: of the fit and while kept back. */
static shoal_status set_errors(const fit_job *job, const shoal_set_info *set,
                               const double (*parts)[SHOAL_N_PARTS], const shoal_cv_result *cv,
                               double *rmse, double *kept)
{
    double sum = 0.0, sum_cv = 0.0;
    int32_t n = 0;
    for (int32_t s = set->first; s < set->first + set->n_samples; ++s) {
        shoal_sample_info info;
        const shoal_status status = shoal_dataset_sample(job->data, s, &info);
        if (status != SHOAL_OK) return status;
        if (!(info.weight > 0.0)) continue;
        double e = -info.reference;
        for (int k = 0; k < SHOAL_N_PARTS; ++k) e += parts[s][k];
        sum += e * e;
        if (cv) sum_cv += cv->error[s] * cv->error[s];
        ++n;
    }
    *rmse = n > 0 ? sqrt(sum / n) : 0.0;
    *kept = n > 0 ? sqrt(sum_cv / n) : 0.0;
    return SHOAL_OK;
}

int report_sets(const fit_job *job, const shoal_cv_result *cv, bool print, double *rmse)
{
    const size_t n = (size_t)shoal_dataset_samples(job->data);
    double(*parts)[SHOAL_N_PARTS] = malloc(n * sizeof *parts);
    if (!parts) {
        cli_complain("out of memory");
        return EXIT_DEVICE;
    }
    shoal_status status = shoal_fit_predict(job->fit, parts);
    if (print)
        (void)printf("%-28s%8s%12s%14s%s\n", "set", "frames", "RMSE/eV", "RMSE/kcal/mol",
                     cv ? "   kept back/kcal/mol" : "");
    for (int32_t k = 0; k < shoal_dataset_sets(job->data) && status == SHOAL_OK; ++k) {
        shoal_set_info set;
        double kept = 0.0;
        status = shoal_dataset_set(job->data, k, &set);
        if (status == SHOAL_OK)
            status =
                set_errors(job, &set, (const double(*)[SHOAL_N_PARTS])parts, cv, &rmse[k], &kept);
        if (status != SHOAL_OK || !print) continue;
        (void)printf("%-28.28s%8d%12.6f%14.4f", set_name(set.label), set.n_samples, rmse[k],
                     rmse[k] / EV_PER_KCAL);
        if (cv) (void)printf("%21.4f", kept / EV_PER_KCAL);
        (void)printf("\n");
    }
    free(parts);
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
    json_text(j, "what", "fit");
    json_text(j, "evaluator", name);
    json_text(j, "device", s.device);
    json_text(j, "precision", o->fit.single ? "float" : "double");
    json_integer(j, "samples", s.n_samples);
    json_integer(j, "pairs", s.n_pairs);
    json_integer(j, "sets", s.n_sets);
    json_number(j, "seconds", s.seconds);
    json_number(j, "spread", s.spread);
    json_number(j, "pairs_per_s", s.pairs_per_s);
    json_number(j, "error", s.error);
    (void)json_print_line(j);
    return EXIT_ALL_FINE;
}
