/* SPDX-License-Identifier: BSD-3-Clause
 * The energies of a scan as a curve or a map. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "io/figure.h"
#include "jobs/scan.h"

enum { MOST_MARKS = 12, MOST_FOUND = 200, LABEL_SIZE = 80, TITLE_SIZE = 400 };

/* "torsion 0,1,2,3, degrees" */
static void label_of(const shoal_coordinate *c, char out[LABEL_SIZE])
{
    const char *unit = coordinate_unit(c->kind);
    _Static_assert(sizeof "distance" + 4 * sizeof ",-2147483648" + sizeof ", degrees" <= LABEL_SIZE,
                   "room for a name, atoms and a unit");
    int used = snprintf(out, LABEL_SIZE, "%s", shoal_coordinate_name((int)c->kind));
    for (int k = 0; k < coordinate_n_atoms(c->kind); ++k)
        used +=
            snprintf(out + used, (size_t)(LABEL_SIZE - used), "%s%d", k ? "," : " ", c->atoms[k]);
    (void)snprintf(out + used, (size_t)(LABEL_SIZE - used), ", %s", unit);
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The coordinates that have several points, at most two; their number. */
static int32_t find_axes(const shoal_scan *scan, int32_t axes[2])
{
    int32_t n = 0;
    for (int32_t k = 0; k < scan->options.n_coordinates; ++k) {
        if (scan->coordinates[k].n < 2) continue;
        if (n < 2) axes[n] = k;
        ++n;
    }
    return n;
}

/* Where the wall of a repulsion, which would hide all else, is cut off: heights that are far above those of as many lower
 * points have no say, even where they are most of all. */
static double cut_off(double *sorted, int64_t n)
{
    if (n == 0) return 0;
    qsort(sorted, (size_t)n, sizeof *sorted, compare_numbers);
    int64_t k = n / 2;
    if (sorted[n - 1] <= 8 * sorted[k]) return sorted[n - 1];
    while (k >= 4 && sorted[k] > 8 * sorted[k / 2]) k /= 2;
    return fmin(sorted[n - 1], 4 * sorted[k]);
}

/* Energies above the lowest, in units, and the range of them that is drawn. */
static shoal_status scale(const double *energies, int64_t n, const shoal_scan_figure *figure,
                          double *out, double range[2])
{
    double *sorted = shoal_alloc_dirty((size_t)n, sizeof *sorted);
    const double unit = figure->unit > 0 ? figure->unit : 1;
    int64_t n_finite = 0;
    double low = INFINITY;
    if (!sorted) return SHOAL_E_MEMORY;
    for (int64_t i = 0; i < n; ++i) low = isfinite(energies[i]) ? fmin(low, energies[i]) : low;
    for (int64_t i = 0; i < n; ++i) {
        out[i] = (energies[i] - low) / unit;
        if (isfinite(out[i])) sorted[n_finite++] = out[i];
    }
    range[0] = figure->low;
    range[1] = figure->high > figure->low ? figure->high : cut_off(sorted, n_finite);
    free(sorted);
    return SHOAL_OK;
}

static shoal_status find_marks(const shoal_scan *scan, const double *energies,
                               const double *heights, const int32_t axes[2], int32_t n_axes,
                               figure_mark marks[MOST_MARKS], int32_t *n)
{
    shoal_scan_minimum minima[MOST_FOUND];
    int32_t found;
    SHOAL_TRY(shoal_scan_minima(scan, energies, minima, MOST_FOUND, &found));
    *n = 0;
    for (int32_t k = 0; k < found && k < MOST_FOUND && *n < MOST_MARKS; ++k) {
        if (minima[k].at_edge) continue;
        double at[2] = {0, heights[minima[k].place]};
        for (int32_t a = 0; a < n_axes; ++a) {
            const shoal_coordinate *c = &scan->coordinates[axes[a]];
            at[a] = scan_value(c, minima[k].place / scan->strides[axes[a]] % c->n);
        }
        marks[*n] = (figure_mark){.label = *n > 0 ? NULL : "minima", .x = at[0], .y = at[1]};
        ++*n;
    }
    return SHOAL_OK;
}

static shoal_status plot_curve(const shoal_coordinate *c, figure_panel *panel, double *y,
                               const double range[2], const char *title, const char *path)
{
    const int32_t n = (int32_t)c->n;
    double *x = shoal_alloc_dirty((size_t)n, sizeof *x);
    if (!x) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < n; ++i) {
        x[i] = scan_value(c, i);
        if (y[i] < range[0] || y[i] > range[1]) y[i] = NAN;
    }
    const figure_series curve = {.style = FIGURE_LINE_DOTS, .n = n, .x = x, .y = y};
    panel->series = &curve;
    panel->n_series = 1;
    const shoal_status status = figure_write(path, title, panel, 1, 1);
    free(x);
    return status;
}

/* Columns are the first coordinate; both axes increase. */
static shoal_status plot_map(const shoal_coordinate *a, const shoal_coordinate *b,
                             figure_panel *panel, figure_map map, const double *heights,
                             const char *title, const char *path)
{
    const int32_t n_x = (int32_t)a->n, n_y = (int32_t)b->n;
    double *numbers =
        shoal_alloc_dirty((size_t)n_x + (size_t)n_y + (size_t)n_x * (size_t)n_y, sizeof *numbers);
    if (!numbers) return SHOAL_E_MEMORY;
    double *x = numbers, *y = x + n_x, *values = y + n_y;
    const bool turn_x = a->to < a->from, turn_y = b->to < b->from;
    for (int32_t i = 0; i < n_x; ++i) x[i] = scan_value(a, turn_x ? n_x - 1 - i : i);
    for (int32_t j = 0; j < n_y; ++j) {
        y[j] = scan_value(b, turn_y ? n_y - 1 - j : j);
        for (int32_t i = 0; i < n_x; ++i)
            values[(int64_t)j * n_x + i] =
                heights[(int64_t)(turn_x ? n_x - 1 - i : i) * n_y + (turn_y ? n_y - 1 - j : j)];
    }
    map.n_x = n_x;
    map.n_y = n_y;
    map.x = x;
    map.y = y;
    map.values = values;
    panel->map = &map;
    const shoal_status status = figure_write(path, title, panel, 1, 1);
    free(numbers);
    return status;
}

/* "NAME; z = 3 A": with what is the same at all points. */
static void title_of(const shoal_scan *scan, const char *title, char out[TITLE_SIZE])
{
    int used = snprintf(out, TITLE_SIZE, "%s", title ? title : "");
    for (int32_t k = 0; k < scan->options.n_coordinates; ++k) {
        const shoal_coordinate *c = &scan->coordinates[k];
        if (c->n > 1 || used < 0 || used >= TITLE_SIZE) continue;
        char label[LABEL_SIZE];
        label_of(c, label);
        char *comma = strrchr(label, ',');
        *comma = '\0';
        used += snprintf(out + used, (size_t)(TITLE_SIZE - used), "%s%s = %.6g%s",
                         used > 0 ? "; " : "", label, c->from, comma + 1);
    }
}

shoal_status shoal_scan_plot(const shoal_scan *scan, const double *energies,
                             const shoal_scan_figure *figure, const char *path)
{
    char labels[2][LABEL_SIZE], energy[LABEL_SIZE], title[TITLE_SIZE];
    figure_mark marks[MOST_MARKS];
    figure_panel panel = {.marks = marks};
    double range[2] = {0, 0};
    int32_t axes[2] = {0, 0};
    shoal_clear_error();
    SHOAL_NEED(scan && energies && figure && path);
    const int32_t n = find_axes(scan, axes);
    if (n < 1 || n > 2)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "figures are curves or maps: expected one or two coordinates of several "
                          "points, found %d",
                          n);
    double *heights = shoal_alloc_dirty((size_t)scan->size, sizeof *heights);
    shoal_status status =
        heights ? scale(energies, scan->size, figure, heights, range) : SHOAL_E_MEMORY;
    if (status == SHOAL_OK)
        status = find_marks(scan, energies, heights, axes, n, marks, &panel.n_marks);
    (void)snprintf(energy, sizeof energy, n == 1 ? "energy above the lowest, %s" : "dE, %s",
                   figure->unit_name ? figure->unit_name : "eV");
    for (int32_t k = 0; k < n; ++k) label_of(&scan->coordinates[axes[k]], labels[k]);
    title_of(scan, figure->title, title);
    panel.x.label = labels[0];
    panel.y.label = n == 1 ? energy : labels[1];
    const figure_map map = {.label = energy, .low = range[0], .high = range[1]};
    const shoal_coordinate *first = &scan->coordinates[axes[0]];
    if (status == SHOAL_OK)
        status = n == 1 ? plot_curve(first, &panel, heights, range, title, path)
                        : plot_map(first, &scan->coordinates[axes[1]], &panel, map, heights, title,
                                   path);
    free(heights);
    return status;
}
