/* SPDX-License-Identifier: BSD-3-Clause
 * The energies of a scan as a curve or a map. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "io/figure.h"
#include "jobs/scan.h"

enum { MOST_MARKS = 12, LABEL_SIZE = 80 };

/* "torsion 0,1,2,3, degrees" */
static void label_of(const shoal_coordinate *c, char out[LABEL_SIZE])
{
    const bool degrees = c->kind != SHOAL_COORDINATE_DISTANCE &&
                         (c->kind < SHOAL_COORDINATE_X || c->kind > SHOAL_COORDINATE_Z);
    _Static_assert(sizeof "distance" + 4 * sizeof ",-2147483648" + sizeof ", degrees" <= LABEL_SIZE,
                   "room for a name, atoms and a unit");
    int used = snprintf(out, LABEL_SIZE, "%s", shoal_coordinate_name((int)c->kind));
    for (int k = 0; k < coordinate_n_atoms(c->kind); ++k)
        used +=
            snprintf(out + used, (size_t)(LABEL_SIZE - used), "%s%d", k ? "," : " ", c->atoms[k]);
    (void)snprintf(out + used, (size_t)(LABEL_SIZE - used), ", %s", degrees ? "degrees" : "A");
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Energies above the lowest, in units; *cap: where the wall of a repulsion, which would hide all else, is cut off. */
static shoal_status scale(const double *energies, int64_t n, double unit, double *out, double *cap)
{
    double *sorted = shoal_alloc_dirty((size_t)n, sizeof *sorted);
    int64_t n_finite = 0;
    double low = INFINITY;
    if (!sorted) return SHOAL_E_MEMORY;
    for (int64_t i = 0; i < n; ++i) low = isfinite(energies[i]) ? fmin(low, energies[i]) : low;
    for (int64_t i = 0; i < n; ++i) {
        out[i] = (energies[i] - low) / unit;
        if (isfinite(out[i])) sorted[n_finite++] = out[i];
    }
    qsort(sorted, (size_t)n_finite, sizeof *sorted, compare_numbers);
    *cap = n_finite == 0
               ? 0
               : fmin(sorted[n_finite - 1],
                      fmax(4 * sorted[n_finite / 2], sorted[(int64_t)(0.9 * (double)n_finite)]));
    free(sorted);
    return SHOAL_OK;
}

static shoal_status find_marks(const shoal_scan *scan, const double *energies,
                               const double *heights, figure_mark marks[MOST_MARKS], int32_t *n)
{
    shoal_scan_minimum minima[MOST_MARKS];
    int32_t found;
    SHOAL_TRY(shoal_scan_minima(scan, energies, minima, MOST_MARKS, &found));
    *n = found < MOST_MARKS ? found : MOST_MARKS;
    for (int32_t k = 0; k < *n; ++k) {
        const int64_t place = minima[k].place;
        const int64_t n_last = scan->coordinates[scan->options.n_coordinates - 1].n;
        const bool is_map = scan->options.n_coordinates == 2;
        marks[k] = (figure_mark){
            .label = k > 0 ? NULL : "minima",
            .x = scan_value(&scan->coordinates[0], is_map ? place / n_last : place),
            .y = is_map ? scan_value(&scan->coordinates[1], place % n_last) : heights[place]};
    }
    return SHOAL_OK;
}

static shoal_status plot_curve(const shoal_scan *scan, figure_panel *panel, double *y, double cap,
                               const char *title, const char *path)
{
    const int32_t n = (int32_t)scan->size;
    double *x = shoal_alloc_dirty((size_t)n, sizeof *x);
    if (!x) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < n; ++i) {
        x[i] = scan_value(&scan->coordinates[0], i);
        if (y[i] > cap) y[i] = NAN;
    }
    const figure_series curve = {.style = FIGURE_LINE_DOTS, .n = n, .x = x, .y = y};
    panel->series = &curve;
    panel->n_series = 1;
    const shoal_status status = figure_write(path, title, panel, 1, 1);
    free(x);
    return status;
}

/* Columns are the first coordinate; both axes increase. */
static shoal_status plot_map(const shoal_scan *scan, figure_panel *panel, const double *heights,
                             double cap, const char *label, const char *title, const char *path)
{
    const shoal_coordinate *a = &scan->coordinates[0], *b = &scan->coordinates[1];
    const int32_t n_x = (int32_t)a->n, n_y = (int32_t)b->n;
    double *numbers =
        shoal_alloc_dirty((size_t)n_x + (size_t)n_y + (size_t)scan->size, sizeof *numbers);
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
    const figure_map map = {
        .label = label, .n_x = n_x, .n_y = n_y, .x = x, .y = y, .values = values, .high = cap};
    panel->map = &map;
    const shoal_status status = figure_write(path, title, panel, 1, 1);
    free(numbers);
    return status;
}

shoal_status shoal_scan_plot(const shoal_scan *scan, const double *energies, double unit,
                             const char *unit_name, const char *title, const char *path)
{
    char labels[2][LABEL_SIZE], energy[LABEL_SIZE];
    figure_mark marks[MOST_MARKS];
    figure_panel panel = {.marks = marks};
    double cap = 0;
    shoal_clear_error();
    SHOAL_NEED(scan && energies && unit_name && title && path);
    const int32_t n = scan->options.n_coordinates;
    if (n < 1 || n > 2 || scan->size < 2)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "figures are curves or maps: expected one or two coordinates, found %d",
                          n);
    double *heights = shoal_alloc_dirty((size_t)scan->size, sizeof *heights);
    shoal_status status =
        heights ? scale(energies, scan->size, unit, heights, &cap) : SHOAL_E_MEMORY;
    if (status == SHOAL_OK) status = find_marks(scan, energies, heights, marks, &panel.n_marks);
    (void)snprintf(energy, sizeof energy, n == 1 ? "energy above the lowest, %s" : "dE, %s",
                   unit_name);
    for (int32_t k = 0; k < n; ++k) label_of(&scan->coordinates[k], labels[k]);
    panel.x.label = labels[0];
    panel.y.label = n == 1 ? energy : labels[1];
    if (status == SHOAL_OK)
        status = n == 1 ? plot_curve(scan, &panel, heights, cap, title, path)
                        : plot_map(scan, &panel, heights, cap, energy, title, path);
    free(heights);
    return status;
}
