/* SPDX-License-Identifier: BSD-3-Clause
 * Figures of a fit: model against reference, curves of the worst dimers, maps over distance and
 * angle, and the objective along its DOFs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "fit/objective.h"
#include "io/svg.h"

enum { MAX_CURVES = 12, MAX_MAPS = 4, MAX_SERIES = 7, SCAN_POINTS = 11, LABEL_SIZE = 96 };
enum { MOST_CELLS = 16 }; /* of a map, for each of its samples */

typedef struct plotting {
    shoal_fit *fit;
    const shoal_dataset *data;
    const char *prefix;
    arena memory;
    double *model, *reference; /* [n_samples] eV */
} plotting;

static double *new_numbers(plotting *p, int32_t n)
{
    return arena_alloc(&p->memory, (size_t)n, sizeof(double));
}

static shoal_status write_figure(plotting *p, const char *name, const char *title,
                                 const svg_panel *panels, int32_t n, int32_t columns)
{
    char path[1024];
    const int used = snprintf(path, sizeof path, "%s-%s.svg", p->prefix, name);
    if (used < 0 || (size_t)used >= sizeof path)
        return shoal_fail(SHOAL_E_ARGUMENT, "the prefix of plots is too long: %.80s...", p->prefix);
    return svg_write(path, title, panels, n, columns);
}

/* What follows the last slash. */
static const char *short_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "words: 0.0123 eV", whatever the locale; value >= 0. */
static char *with_number(plotting *p, const char *words, double value)
{
    char *out = arena_alloc(&p->memory, LABEL_SIZE, 1);
    if (!out) return NULL;
    const long long units = llround(1e4 * fmin(value, 1e9));
    (void)snprintf(out, LABEL_SIZE, "%.60s: %lld.%04lld eV", words, units / 10000, units % 10000);
    return out;
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
static int32_t set_series(plotting *p, const double *model, svg_series *out)
{
    const shoal_dataset *data = p->data;
    const int32_t n = data->n_sets < MAX_SERIES ? data->n_sets : MAX_SERIES;
    for (int32_t k = 0; k < n; ++k) {
        const int32_t first = data->sets[k].first;
        const int32_t end = k + 1 < n ? first + data->sets[k].n_samples : data->n_samples;
        const double *x = p->reference + first, *y = model + first;
        out[k] = (svg_series){with_number(p,
                                          k + 1 == n && n < data->n_sets
                                              ? "further sets, RMSE"
                                              : short_name(data->sets[k].label),
                                          rms_of(x, y, end - first)),
                              SVG_DOTS, end - first, x, y};
    }
    return n;
}

static shoal_status plot_scatter(plotting *p, const shoal_cv_result *cv)
{
    svg_series fitted[MAX_SERIES], kept[MAX_SERIES], errors[1];
    svg_panel panels[3];
    double *error = new_numbers(p, p->data->n_samples);
    int32_t n = 2;
    if (!error) return SHOAL_E_MEMORY;
    for (int32_t s = 0; s < p->data->n_samples; ++s) error[s] = p->model[s] - p->reference[s];
    errors[0] = (svg_series){NULL, SVG_DOTS, p->data->n_samples, p->reference, error};
    panels[0] = (svg_panel){.title = "fitted",
                            .x = {.label = "reference energy (eV)"},
                            .y = {.label = "model energy (eV)"},
                            .series = fitted,
                            .n_series = set_series(p, p->model, fitted),
                            .diagonal = true};
    panels[1] = (svg_panel){.title = "error",
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
    return write_figure(p, "scatter", "model against reference", panels, n, n);
}

/* The samples of a dimer in their order, and their error. */
typedef struct dimer_entry {
    int32_t dimer, n;
    double square; /* sum of squared errors, eV^2 */
} dimer_entry;

static int by_error(const void *a, const void *b)
{
    const dimer_entry *x = a, *y = b;
    const double ex = x->n > 0 ? x->square / x->n : 0.0, ey = y->n > 0 ? y->square / y->n : 0.0;
    if (ex != ey) return ex < ey ? 1 : -1;
    return (x->dimer > y->dimer) - (x->dimer < y->dimer);
}

/* Dimers, the worst first; NULL when memory is out. */
static dimer_entry *rank_dimers(plotting *p)
{
    const shoal_dataset *data = p->data;
    dimer_entry *list = arena_alloc(&p->memory, (size_t)data->n_dimers, sizeof *list);
    if (!list) return NULL;
    for (int32_t d = 0; d < data->n_dimers; ++d) list[d].dimer = d;
    for (int32_t s = 0; s < data->n_samples; ++s) {
        const double error = p->model[s] - p->reference[s];
        dimer_entry *entry = &list[data->samples[s].dimer];
        ++entry->n;
        entry->square += error * error;
    }
    qsort(list, (size_t)data->n_dimers, sizeof *list, by_error);
    return list;
}

/* Is there more than one angle? */
static bool has_angles(const shoal_dataset *data, int32_t dimer)
{
    double first = NAN;
    for (int32_t s = 0; s < data->n_samples; ++s) {
        const fit_sample *x = &data->samples[s];
        if (x->dimer != dimer || isnan(x->angle)) continue;
        if (!isnan(first) && x->angle != first) return true;
        first = x->angle;
    }
    return false;
}

/* Distance, reference and model energies of a dimer in the order of the samples. */
static shoal_status collect_curve(plotting *p, const dimer_entry *entry, double *columns[3])
{
    int32_t n = 0;
    for (int k = 0; k < 3; ++k)
        if (!(columns[k] = new_numbers(p, entry->n))) return SHOAL_E_MEMORY;
    for (int32_t s = 0; s < p->data->n_samples; ++s) {
        const fit_sample *x = &p->data->samples[s];
        if (x->dimer != entry->dimer) continue;
        columns[0][n] = isnan(x->x0) ? n + 1 : x->x0;
        columns[1][n] = p->reference[s];
        columns[2][n++] = p->model[s];
    }
    return SHOAL_OK;
}

static const char *dimer_name(const shoal_dataset *data, int32_t dimer)
{
    for (int32_t s = 0; s < data->n_samples; ++s)
        if (data->samples[s].dimer == dimer) return data->samples[s].name;
    return "";
}

static shoal_status plot_curves(plotting *p, const dimer_entry *list)
{
    svg_panel panels[MAX_CURVES];
    svg_series series[MAX_CURVES][2];
    int32_t n = 0;
    for (int32_t d = 0; d < p->data->n_dimers && n < MAX_CURVES; ++d) {
        double *columns[3];
        if (list[d].n < 2 || has_angles(p->data, list[d].dimer)) continue;
        SHOAL_TRY(collect_curve(p, &list[d], columns));
        series[n][0] = (svg_series){"reference", SVG_DOTS, list[d].n, columns[0], columns[1]};
        series[n][1] = (svg_series){"model", SVG_LINE, list[d].n, columns[0], columns[2]};
        panels[n] = (svg_panel){.title = with_number(p, dimer_name(p->data, list[d].dimer),
                                                     sqrt(list[d].square / list[d].n)),
                                .x = {.label = "x0"},
                                .y = {.label = "interaction energy (eV)"},
                                .series = series[n],
                                .n_series = 2};
        ++n;
    }
    if (n == 0) return SHOAL_OK;
    return write_figure(p, "curves", "the worst dimers and their RMSE", panels, n, 3);
}

/* Puts a value into a sorted list unless it is there. */
static void insert_sorted(double *list, int32_t *n, double value)
{
    int32_t at = *n;
    for (int32_t i = 0; i < *n; ++i)
        if (list[i] == value) return;
    for (; at > 0 && list[at - 1] > value; --at) list[at] = list[at - 1];
    list[at] = value;
    ++*n;
}

static int32_t index_of(const double *list, int32_t n, double value)
{
    for (int32_t i = 0; i < n; ++i)
        if (list[i] == value) return i;
    return 0;
}

/* Reference, model and difference of a dimer over distance and angle. *is_map is false where the
 * samples are scattered and nearly all cells would be empty. */
static shoal_status make_maps(plotting *p, const dimer_entry *entry, svg_map maps[3], bool *is_map)
{
    double *x = new_numbers(p, entry->n), *y = new_numbers(p, entry->n), *values[3], least = 0.0;
    int32_t n_x = 0, n_y = 0;
    *is_map = false;
    if (!x || !y) return SHOAL_E_MEMORY;
    for (int32_t s = 0; s < p->data->n_samples; ++s) {
        const fit_sample *f = &p->data->samples[s];
        if (f->dimer != entry->dimer || isnan(f->x0) || isnan(f->angle)) continue;
        insert_sorted(x, &n_x, f->x0);
        insert_sorted(y, &n_y, f->angle);
        if ((int64_t)n_x * n_y > (int64_t)MOST_CELLS * entry->n) return SHOAL_OK;
        least = fmin(least, p->reference[s]);
    }
    for (int k = 0; k < 3; ++k) {
        if (!(values[k] = new_numbers(p, n_x * n_y))) return SHOAL_E_MEMORY;
        for (int32_t i = 0; i < n_x * n_y; ++i) values[k][i] = NAN;
        maps[k] = (svg_map){"E (eV)", n_x, n_y, x, y, values[k], least, -least};
    }
    for (int32_t s = 0; s < p->data->n_samples; ++s) {
        const fit_sample *f = &p->data->samples[s];
        if (f->dimer != entry->dimer || isnan(f->x0) || isnan(f->angle)) continue;
        const int32_t at = index_of(y, n_y, f->angle) * n_x + index_of(x, n_x, f->x0);
        values[0][at] = p->reference[s];
        values[1][at] = p->model[s];
        values[2][at] = p->model[s] - p->reference[s];
    }
    *is_map = true;
    return SHOAL_OK;
}

static shoal_status plot_maps(plotting *p, const dimer_entry *list)
{
    static const char *const kinds[] = {"reference", "model", "model - reference"};
    svg_panel panels[3 * MAX_MAPS];
    svg_map maps[MAX_MAPS][3];
    int32_t n = 0;
    for (int32_t d = 0; d < p->data->n_dimers && n < MAX_MAPS; ++d) {
        bool is_map;
        if (!has_angles(p->data, list[d].dimer)) continue;
        SHOAL_TRY(make_maps(p, &list[d], maps[n], &is_map));
        if (!is_map) continue;
        for (int k = 0; k < 3; ++k) {
            char *title = arena_alloc(&p->memory, LABEL_SIZE, 1);
            if (!title) return SHOAL_E_MEMORY;
            (void)snprintf(title, LABEL_SIZE, "%.60s: %s", dimer_name(p->data, list[d].dimer),
                           kinds[k]);
            panels[3 * n + k] = (svg_panel){.title = title,
                                            .x = {.label = "x0"},
                                            .y = {.label = "angle (degrees)"},
                                            .map = &maps[n][k]};
        }
        ++n;
    }
    if (n == 0) return SHOAL_OK;
    return write_figure(p, "maps", "energies over distance and angle", panels, 3 * n, 3);
}

/* J and its analytic slope around the present value of a DOF, and the slopes of the chords between
 * neighbours, at their middles: columns x, J, slope, middles, chords. */
static shoal_status scan(plotting *p, int32_t dof, const shoal_dof_info *info, double *columns[5])
{
    const double reach = 0.1 * (info->max - info->min);
    const double low = fmax(info->min, info->value - reach);
    const double high = fmin(info->max, info->value + reach);
    double *gradient = new_numbers(p, shoal_fit_dofs(p->fit));
    shoal_status status = gradient ? SHOAL_OK : SHOAL_E_MEMORY;
    for (int k = 0; k < 5; ++k)
        if (!(columns[k] = new_numbers(p, SCAN_POINTS))) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < SCAN_POINTS && status == SHOAL_OK; ++i) {
        columns[0][i] = fmin(low + (high - low) * i / (SCAN_POINTS - 1), high);
        status = shoal_fit_set_value(p->fit, dof, columns[0][i]);
        if (status == SHOAL_OK) status = shoal_fit_objective(p->fit, &columns[1][i], gradient);
        if (status == SHOAL_OK) columns[2][i] = gradient[dof];
        if (i == 0) continue;
        columns[3][i - 1] = 0.5 * (columns[0][i - 1] + columns[0][i]);
        columns[4][i - 1] =
            (columns[1][i] - columns[1][i - 1]) / (columns[0][i] - columns[0][i - 1]);
    }
    const shoal_status restored = shoal_fit_set_value(p->fit, dof, info->value);
    return status == SHOAL_OK ? restored : status;
}

static shoal_status add_scan(plotting *p, int32_t dof, svg_panel panels[2], svg_series series[3])
{
    shoal_dof_info info;
    double *columns[5];
    char *title = arena_alloc(&p->memory, LABEL_SIZE, 1);
    if (!title) return SHOAL_E_MEMORY;
    SHOAL_TRY(shoal_fit_dof(p->fit, dof, &info));
    SHOAL_TRY(scan(p, dof, &info, columns));
    (void)snprintf(title, LABEL_SIZE, "%s %s", info.type, info.comp);
    series[0] = (svg_series){NULL, SVG_LINE_DOTS, SCAN_POINTS, columns[0], columns[1]};
    series[1] = (svg_series){"analytic", SVG_LINE, SCAN_POINTS, columns[0], columns[2]};
    series[2] = (svg_series){"numeric", SVG_DOTS, SCAN_POINTS - 1, columns[3], columns[4]};
    panels[0] = (svg_panel){.title = title,
                            .x = {.label = title},
                            .y = {.label = "J (eV^2)"},
                            .series = series,
                            .n_series = 1};
    panels[1] = (svg_panel){.title = title,
                            .x = {.label = title},
                            .y = {.label = "dJ/dvalue (eV^2 per unit)"},
                            .series = series + 1,
                            .n_series = 2};
    return SHOAL_OK;
}

static shoal_status plot_dofs(plotting *p)
{
    const int32_t n = shoal_fit_dofs(p->fit);
    svg_panel *panels = arena_alloc(&p->memory, 2 * (size_t)n, sizeof *panels);
    svg_series *series = arena_alloc(&p->memory, 3 * (size_t)n, sizeof *series);
    int32_t used = 0;
    if (!panels || !series) return SHOAL_E_MEMORY;
    for (int32_t dof = 0; dof < n; ++dof) {
        if (p->fit->dofs[dof].frozen) continue;
        SHOAL_TRY(add_scan(p, dof, panels + (ptrdiff_t)2 * used, series + (ptrdiff_t)3 * used));
        ++used;
    }
    return write_figure(p, "dofs", "the objective along its degrees of freedom", panels, 2 * used,
                        4);
}

static shoal_status predict(plotting *p)
{
    const int32_t n = p->data->n_samples;
    double(*parts)[SHOAL_N_PARTS] = shoal_alloc((size_t)n, sizeof *parts);
    p->model = new_numbers(p, n);
    p->reference = new_numbers(p, n);
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
    plotting p = {.fit = fit, .data = fit->problem.data, .prefix = prefix};
    shoal_status status = predict(&p);
    const dimer_entry *list = status == SHOAL_OK ? rank_dimers(&p) : NULL;
    if (status == SHOAL_OK && !list) status = SHOAL_E_MEMORY;
    if (status == SHOAL_OK) status = plot_scatter(&p, cv);
    if (status == SHOAL_OK) status = plot_curves(&p, list);
    if (status == SHOAL_OK) status = plot_maps(&p, list);
    if (status == SHOAL_OK) status = plot_dofs(&p);
    arena_free(&p.memory);
    return status;
}
