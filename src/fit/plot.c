/* SPDX-License-Identifier: BSD-3-Clause
 * Figures of a fit: model against reference, energies by sample, curves of the worst dimers. */
#include "fit/plot.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { MAX_CURVES = 12, MAX_SERIES = 7, LABEL_SIZE = 96 };
enum { MAX_JOINED = 300 }; /* samples; more of them would be a band */

double *plot_numbers(plotting *p, int32_t n)
{
    return arena_alloc(&p->memory, (size_t)n, sizeof(double));
}

char *plot_label(plotting *p, const char *format, ...)
{
    char *out = arena_alloc(&p->memory, LABEL_SIZE, 1);
    if (!out) return NULL;
    va_list list;
    va_start(list, format);
    (void)vsnprintf(out, LABEL_SIZE, format, list);
    va_end(list);
    return out;
}

char *plot_value_label(plotting *p, const char *words, double value, const char *unit)
{
    const long long units = llround(1e4 * fmin(value, 1e9));
    return plot_label(p, "%.60s: %lld.%04lld %s", words, units / 10000, units % 10000, unit);
}

shoal_status plot_write(const plotting *p, const char *name, const char *title,
                        const figure_panel *panels, int32_t n, int32_t columns)
{
    char path[1024];
    const int used = snprintf(path, sizeof path, "%s-%s.svg", p->prefix, name);
    if (used < 0 || (size_t)used >= sizeof path)
        return shoal_fail(SHOAL_E_ARGUMENT, "the prefix of plots is too long: %.80s...", p->prefix);
    return figure_write(path, title, panels, n, columns);
}

/* What follows the last slash. */
static const char *short_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static double rms_of(const double *a, const double *b, int32_t n)
{
    double sum = 0.0;
    int32_t used = 0;
    for (int32_t i = 0; i < n; ++i) {
        if (!isfinite(a[i] - b[i])) continue;
        sum += (a[i] - b[i]) * (a[i] - b[i]);
        ++used;
    }
    return used > 0 ? sqrt(sum / used) : 0.0;
}

/* One series of dots for every set; sets beyond the last colour share it. */
static int32_t set_series(plotting *p, const double *model, figure_series *out)
{
    const shoal_dataset *data = p->data;
    const int32_t n = data->n_sets < MAX_SERIES ? data->n_sets : MAX_SERIES;
    for (int32_t k = 0; k < n; ++k) {
        const int32_t first = data->sets[k].first;
        const int32_t end = k + 1 < n ? first + data->sets[k].n_samples : data->n_samples;
        const double *x = p->reference + first, *y = model + first;
        const bool shared = k + 1 == n && n < data->n_sets;
        const char *name = shared ? "further sets, RMSE" : short_name(data->sets[k].label);
        out[k] = (figure_series){plot_value_label(p, name, rms_of(x, y, end - first), "eV"),
                                 FIGURE_DOTS, end - first, x, y};
    }
    return n;
}

static shoal_status plot_scatter(plotting *p, const shoal_cv_result *cv)
{
    figure_series fitted[MAX_SERIES], kept[MAX_SERIES], errors[1];
    figure_panel panels[3];
    double *error = plot_numbers(p, p->data->n_samples);
    int32_t n = 2;
    if (!error) return SHOAL_E_MEMORY;
    for (int32_t s = 0; s < p->data->n_samples; ++s) error[s] = p->model[s] - p->reference[s];
    errors[0] = (figure_series){NULL, FIGURE_DOTS, p->data->n_samples, p->reference, error};
    panels[0] = (figure_panel){.title = "fitted",
                               .x = {.label = "reference energy (eV)"},
                               .y = {.label = "model energy (eV)"},
                               .series = fitted,
                               .n_series = set_series(p, p->model, fitted),
                               .diagonal = true};
    panels[1] = (figure_panel){.title = "error",
                               .x = {.label = "reference energy (eV)"},
                               .y = {.label = "model - reference (eV)"},
                               .series = errors,
                               .n_series = 1};
    if (cv && cv->predicted) {
        panels[n] = panels[0];
        panels[n].title = "kept back";
        panels[n].series = kept;
        panels[n++].n_series = set_series(p, cv->predicted, kept);
    }
    return plot_write(p, "scatter", "model against reference", panels, n, n);
}

/* Energies and weights in the order of the samples. */
static shoal_status plot_samples(plotting *p)
{
    const int32_t n = p->data->n_samples;
    double *index = plot_numbers(p, n), *weight = plot_numbers(p, n);
    if (!index || !weight) return SHOAL_E_MEMORY;
    for (int32_t s = 0; s < n; ++s) {
        index[s] = s + 1;
        weight[s] = p->data->samples[s].weight;
    }
    const figure_series energies[] = {
        {"reference", FIGURE_DOTS, n, index, p->reference},
        {"model", n > MAX_JOINED ? FIGURE_DOTS : FIGURE_LINE, n, index, p->model}};
    const figure_series weights[] = {{NULL, FIGURE_DOTS, n, index, weight}};
    const figure_panel panels[] = {{.title = "energy",
                                    .x = {.label = "sample"},
                                    .y = {.label = "interaction energy (eV)"},
                                    .series = energies,
                                    .n_series = 2},
                                   {.title = "weight",
                                    .x = {.label = "sample"},
                                    .y = {.label = "weight"},
                                    .series = weights,
                                    .n_series = 1}};
    return plot_write(p, "samples", "samples in their order", panels, 2, 2);
}

static int by_error(const void *a, const void *b)
{
    const plot_dimer *x = a, *y = b;
    const double ex = x->n > 0 ? x->square / x->n : 0.0, ey = y->n > 0 ? y->square / y->n : 0.0;
    if (ex != ey) return ex < ey ? 1 : -1;
    return (x->dimer > y->dimer) - (x->dimer < y->dimer);
}

static shoal_status rank_dimers(plotting *p)
{
    const shoal_dataset *data = p->data;
    plot_dimer *list = arena_alloc(&p->memory, (size_t)data->n_dimers, sizeof *list);
    if (!list) return SHOAL_E_MEMORY;
    for (int32_t d = 0; d < data->n_dimers; ++d) list[d].dimer = d;
    for (int32_t s = 0; s < data->n_samples; ++s) {
        const double error = p->model[s] - p->reference[s];
        plot_dimer *entry = &list[data->samples[s].dimer];
        ++entry->n;
        entry->square += error * error;
    }
    qsort(list, (size_t)data->n_dimers, sizeof *list, by_error);
    p->dimers = list;
    return SHOAL_OK;
}

bool plot_has_angles(const plotting *p, int32_t dimer)
{
    double first = NAN;
    for (int32_t s = 0; s < p->data->n_samples; ++s) {
        const fit_sample *x = &p->data->samples[s];
        if (x->dimer != dimer || isnan(x->angle)) continue;
        if (!isnan(first) && x->angle != first) return true;
        first = x->angle;
    }
    return false;
}

const char *plot_dimer_name(const plotting *p, int32_t dimer)
{
    for (int32_t s = 0; s < p->data->n_samples; ++s)
        if (p->data->samples[s].dimer == dimer) return p->data->samples[s].name;
    return "";
}

/* Distance, reference and model energies of a dimer in the order of the samples. */
static shoal_status collect_curve(plotting *p, const plot_dimer *entry, double *columns[3])
{
    int32_t n = 0;
    for (int k = 0; k < 3; ++k)
        if (!(columns[k] = plot_numbers(p, entry->n))) return SHOAL_E_MEMORY;
    for (int32_t s = 0; s < p->data->n_samples; ++s) {
        const fit_sample *x = &p->data->samples[s];
        if (x->dimer != entry->dimer) continue;
        columns[0][n] = isnan(x->x0) ? n + 1 : x->x0;
        columns[1][n] = p->reference[s];
        columns[2][n++] = p->model[s];
    }
    return SHOAL_OK;
}

static shoal_status plot_curves(plotting *p)
{
    figure_panel panels[MAX_CURVES];
    figure_series series[MAX_CURVES][2];
    int32_t n = 0;
    for (int32_t d = 0; d < p->data->n_dimers && n < MAX_CURVES; ++d) {
        const plot_dimer *entry = &p->dimers[d];
        double *columns[3];
        if (entry->n < 2 || plot_has_angles(p, entry->dimer)) continue;
        SHOAL_TRY(collect_curve(p, entry, columns));
        series[n][0] = (figure_series){"reference", FIGURE_DOTS, entry->n, columns[0], columns[1]};
        series[n][1] = (figure_series){"model", FIGURE_LINE, entry->n, columns[0], columns[2]};
        panels[n] = (figure_panel){.title = plot_value_label(p, plot_dimer_name(p, entry->dimer),
                                                             sqrt(entry->square / entry->n), "eV"),
                                   .x = {.label = "x0"},
                                   .y = {.label = "interaction energy (eV)"},
                                   .series = series[n],
                                   .n_series = 2};
        ++n;
    }
    if (n == 0) return SHOAL_OK;
    return plot_write(p, "curves", "the worst dimers and their RMSE", panels, n, 3);
}

static shoal_status predict(plotting *p)
{
    const int32_t n = p->data->n_samples;
    double(*parts)[SHOAL_N_PARTS] = shoal_alloc((size_t)n, sizeof *parts);
    p->model = plot_numbers(p, n);
    p->reference = plot_numbers(p, n);
    shoal_status status = parts && p->model && p->reference ? SHOAL_OK : SHOAL_E_MEMORY;
    if (status == SHOAL_OK) status = shoal_fit_predict(p->fit, parts);
    for (int32_t s = 0; s < n && status == SHOAL_OK; ++s) {
        p->reference[s] = p->data->samples[s].reference;
        for (int k = 0; k < SHOAL_N_PARTS; ++k) p->model[s] += parts[s][k];
    }
    free(parts);
    return status;
}

shoal_status shoal_fit_plot(shoal_fit *fit, const shoal_cv_result *cv, const char *prefix)
{
    shoal_clear_error();
    SHOAL_NEED(fit && prefix);
    const size_t n = strlen(prefix), end = n > 4 && strcmp(prefix + n - 4, ".svg") == 0 ? 4 : 0;
    char *stem = strndup(prefix, n - end);
    if (!stem) return shoal_fail(SHOAL_E_MEMORY, "out of memory: names of figures");
    plotting p = {.fit = fit, .data = fit->problem.data, .prefix = stem};
    shoal_status status = predict(&p);
    if (status == SHOAL_OK) status = rank_dimers(&p);
    if (status == SHOAL_OK) status = plot_scatter(&p, cv);
    if (status == SHOAL_OK) status = plot_samples(&p);
    if (status == SHOAL_OK) status = plot_curves(&p);
    if (status == SHOAL_OK) status = plot_maps(&p);
    if (status == SHOAL_OK) status = plot_dofs(&p);
    if (status == SHOAL_OK) status = plot_trajectory(&p);
    arena_free(&p.memory);
    free(stem);
    return status;
}
