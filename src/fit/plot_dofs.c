/* SPDX-License-Identifier: BSD-3-Clause
 * Figures of the objective: along its DOFs, over two of them, and on the way of a fit. */
#include <stdlib.h>
#include <string.h>

#include "fit/plot.h"

enum { SCAN_POINTS = 11, MAX_LINES = 7 };
#define MOST_SPAN 1e6 /* of the colours of a map; a perfect fit has J = 0 in its minimum */

/* J and its analytic slope around the present value of a DOF, and the slopes of the chords between
 * neighbours, at their middles: columns x, J, slope, middles, chords. */
static shoal_status scan(plotting *p, int32_t dof, const shoal_dof_info *info, double *columns[5])
{
    const double reach = 0.1 * (info->max - info->min);
    const double low = fmax(info->min, info->value - reach);
    const double high = fmin(info->max, info->value + reach);
    double *gradient = plot_numbers(p, shoal_fit_dofs(p->fit));
    shoal_status status = gradient ? SHOAL_OK : SHOAL_E_MEMORY;
    for (int k = 0; k < 5; ++k)
        if (!(columns[k] = plot_numbers(p, SCAN_POINTS))) return SHOAL_E_MEMORY;
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

static const char *value_label(const shoal_dof_info *info)
{
    return info->value == info->start ? "start value" : "fitted value";
}

/* J and its slope along a DOF, with its present value: a ring on J, a line across the slope. */
static void fill_panels(const char *name, const figure_series series[3], const figure_mark marks[2],
                        figure_panel panels[2])
{
    panels[0] = (figure_panel){.title = name,
                               .x = {.label = name},
                               .y = {.label = "J (eV^2)"},
                               .series = series,
                               .n_series = 1,
                               .marks = marks,
                               .n_marks = 2};
    panels[1] = (figure_panel){.title = name,
                               .x = {.label = name},
                               .y = {.label = "dJ/dvalue (eV^2 per unit)"},
                               .series = series + 1,
                               .n_series = 2,
                               .marks = marks + 1,
                               .n_marks = 1};
}

static void mark_value(const shoal_dof_info *info, double j, figure_mark marks[2])
{
    marks[0] = (figure_mark){value_label(info), info->value, j};
    marks[1] = (figure_mark){NULL, info->value, NAN};
}

static shoal_status add_scan(plotting *p, int32_t dof, double j, figure_panel panels[2],
                             figure_series series[3], figure_mark marks[2])
{
    shoal_dof_info info;
    double *columns[5];
    SHOAL_TRY(shoal_fit_dof(p->fit, dof, &info));
    SHOAL_TRY(scan(p, dof, &info, columns));
    const char *name = plot_label(p, "%s %s", info.type, info.comp);
    if (!name) return SHOAL_E_MEMORY;
    series[0] = (figure_series){NULL, FIGURE_LINE_DOTS, SCAN_POINTS, columns[0], columns[1]};
    series[1] = (figure_series){"analytic", FIGURE_LINE, SCAN_POINTS, columns[0], columns[2]};
    series[2] = (figure_series){"numeric", FIGURE_DOTS, SCAN_POINTS - 1, columns[3], columns[4]};
    mark_value(&info, j, marks);
    fill_panels(name, series, marks, panels);
    return SHOAL_OK;
}

shoal_status plot_dofs(plotting *p)
{
    const int32_t n = shoal_fit_dofs(p->fit);
    figure_panel *panels = arena_alloc(&p->memory, 2 * (size_t)n, sizeof *panels);
    figure_series *series = arena_alloc(&p->memory, 3 * (size_t)n, sizeof *series);
    figure_mark *marks = arena_alloc(&p->memory, 2 * (size_t)n, sizeof *marks);
    int32_t used = 0;
    double j;
    if (!panels || !series || !marks) return SHOAL_E_MEMORY;
    SHOAL_TRY(shoal_fit_objective(p->fit, &j, NULL));
    for (int32_t dof = 0; dof < n; ++dof) {
        if (p->fit->dofs[dof].frozen) continue;
        SHOAL_TRY(add_scan(p, dof, j, panels + (ptrdiff_t)2 * used, series + (ptrdiff_t)3 * used,
                           marks + (ptrdiff_t)2 * used));
        ++used;
    }
    return plot_write(p, "dofs", "the objective along its degrees of freedom", panels, 2 * used, 4);
}

/* Column k of the trajectory. */
static double *trajectory_column(plotting *p, int32_t k)
{
    const fit_trajectory *t = &p->fit->trajectory;
    double *out = plot_numbers(p, t->n);
    for (int32_t i = 0; out && i < t->n; ++i)
        out[i] = t->rows[i * (3 + p->fit->problem.n_free) + k];
    return out;
}

/* The next panel of values by step: free DOFs of one component from *at on, as many as there are
 * colours. Without any left *n stays. */
static shoal_status add_values(plotting *p, const char *comp, int32_t *at, const double *steps,
                               figure_series *series, figure_panel *panel)
{
    int32_t n = 0;
    for (; *at < p->fit->problem.n_free && n < MAX_LINES; ++*at) {
        shoal_dof_info info;
        SHOAL_TRY(shoal_fit_dof(p->fit, p->fit->free_dofs[*at], &info));
        if (strcmp(info.comp, comp) != 0) continue;
        const char *name = plot_label(p, "%s %s", info.type, info.comp);
        const double *values = trajectory_column(p, 3 + *at);
        if (!name || !values) return SHOAL_E_MEMORY;
        series[n++] = (figure_series){name, FIGURE_LINE, p->fit->trajectory.n, steps, values};
    }
    *panel = (figure_panel){
        .x = {.label = "step"}, .y = {.label = comp}, .series = series, .n_series = n};
    return SHOAL_OK;
}

/* True if no free DOF before number i has its component. */
static bool is_first_of_comp(const plotting *p, int32_t i, const char **comp)
{
    shoal_dof_info info, other;
    if (shoal_fit_dof(p->fit, p->fit->free_dofs[i], &info) != SHOAL_OK) return false;
    *comp = info.comp;
    for (int32_t k = 0; k < i; ++k)
        if (shoal_fit_dof(p->fit, p->fit->free_dofs[k], &other) == SHOAL_OK &&
            strcmp(other.comp, info.comp) == 0)
            return false;
    return true;
}

shoal_status plot_trajectory(plotting *p)
{
    const fit_trajectory *t = &p->fit->trajectory;
    const int32_t n_free = p->fit->problem.n_free;
    if (t->n < 2) return SHOAL_OK;
    figure_panel *panels = arena_alloc(&p->memory, (size_t)n_free + 2, sizeof *panels);
    figure_series *series =
        arena_alloc(&p->memory, 2 + (size_t)MAX_LINES * (size_t)(n_free + 1), sizeof *series);
    double *steps = plot_numbers(p, t->n), *j = trajectory_column(p, 1);
    const double *slope = trajectory_column(p, 2);
    int32_t n = 2;
    if (!panels || !series || !steps || !j || !slope) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < t->n; ++i) steps[i] = i;
    series[0] = (figure_series){NULL, FIGURE_LINE_DOTS, t->n, steps, j};
    series[1] = (figure_series){NULL, FIGURE_LINE_DOTS, t->n, steps, slope};
    panels[0] = (figure_panel){.title = "objective",
                               .x = {.label = "step"},
                               .y = {.label = "J (eV^2)", .log = true},
                               .series = series,
                               .n_series = 1};
    panels[1] = (figure_panel){.title = "largest slope",
                               .x = {.label = "step"},
                               .y = {.label = "|dJ/du| (eV^2)", .log = true},
                               .series = series + 1,
                               .n_series = 1};
    for (int32_t i = 0; i < n_free; ++i) {
        const char *comp;
        if (!is_first_of_comp(p, i, &comp)) continue;
        for (int32_t at = i; at < n_free;) {
            SHOAL_TRY(add_values(p, comp, &at, steps, series + (ptrdiff_t)MAX_LINES * (n - 1),
                                 &panels[n]));
            if (panels[n].n_series > 0) ++n;
        }
    }
    return plot_write(p, "trajectory", "the way of the fit", panels, n, 3);
}

/* J over two DOFs: colours by its logarithm where it spans much. */
static shoal_status write_map(plotting *p, const char *path, const shoal_dof_info info[2],
                              const shoal_fit_scan *s)
{
    double *a = plot_numbers(p, s->n_a), *b = plot_numbers(p, s->n_b);
    double *values = plot_numbers(p, s->n_a * s->n_b);
    const char *names[] = {plot_label(p, "%s %s", info[0].type, info[0].comp),
                           plot_label(p, "%s %s", info[1].type, info[1].comp)};
    double low = INFINITY, high = 0.0;
    if (!a || !b || !values || !names[0] || !names[1]) return SHOAL_E_MEMORY;
    /* Maps want increasing values; the scan may go downwards. */
    for (int32_t i = 0; i < s->n_a; ++i) {
        const bool turn_a = s->points[0].a > s->points[(size_t)(s->n_a - 1) * (size_t)s->n_b].a;
        const int32_t from_a = turn_a ? s->n_a - 1 - i : i;
        for (int32_t k = 0; k < s->n_b; ++k) {
            const bool turn_b = s->points[0].b > s->points[s->n_b - 1].b;
            const shoal_scan_point *point =
                &s->points[(size_t)from_a * (size_t)s->n_b + (size_t)(turn_b ? s->n_b - 1 - k : k)];
            a[i] = point->a;
            b[k] = point->b;
            values[k * s->n_a + i] = point->j;
            low = fmin(low, point->j);
            high = fmax(high, point->j);
        }
    }
    const bool is_log = low > 0.0 && high > 20.0 * low;
    const figure_map map = {.label = "J (eV^2)",
                            .n_x = s->n_a,
                            .n_y = s->n_b,
                            .x = a,
                            .y = b,
                            .values = values,
                            .low = is_log ? fmax(low, high / MOST_SPAN) : 0.0,
                            .high = is_log ? high : 0.0,
                            .log = is_log};
    const figure_mark mark = {value_label(&info[0]), info[0].value, info[1].value};
    const figure_panel panel = {.x = {.label = names[0]},
                                .y = {.label = names[1]},
                                .marks = &mark,
                                .n_marks = 1,
                                .map = &map};
    return figure_write(path, "the objective over two parameters", &panel, 1, 1);
}

static shoal_status write_lines(plotting *p, const char *path, const shoal_dof_info *info, double j,
                                const shoal_fit_scan *s)
{
    const int32_t n = s->n_a;
    double *columns[4];
    figure_mark marks[2];
    figure_panel panels[2];
    const char *name = plot_label(p, "%s %s", info->type, info->comp);
    for (int k = 0; k < 4; ++k)
        if (!(columns[k] = plot_numbers(p, n))) return SHOAL_E_MEMORY;
    if (!name) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < n; ++i) {
        columns[0][i] = s->points[i].a;
        columns[1][i] = s->points[i].j;
        columns[2][i] = s->points[i].slope_a;
        columns[3][i] = s->points[i].numeric_a;
    }
    const figure_series series[] = {{NULL, FIGURE_LINE_DOTS, n, columns[0], columns[1]},
                                    {"analytic", FIGURE_LINE, n, columns[0], columns[2]},
                                    {"numeric", FIGURE_DOTS, n, columns[0], columns[3]}};
    mark_value(info, j, marks);
    fill_panels(name, series, marks, panels);
    return figure_write(path, "the objective along a parameter", panels, 2, 2);
}

shoal_status shoal_fit_plot_scan(shoal_fit *fit, const shoal_fit_scan *scan, const char *path)
{
    shoal_clear_error();
    SHOAL_NEED(fit && scan && scan->points && path);
    plotting p = {.fit = fit};
    shoal_dof_info info[2];
    double j;
    if (scan->n_a < 1 || scan->n_b < 1 || (scan->dof_b < 0 && scan->n_b != 1))
        return shoal_fail(SHOAL_E_ARGUMENT, "a scan of %d x %d points cannot be drawn",
                          (int)scan->n_a, (int)scan->n_b);
    SHOAL_TRY(shoal_fit_dof(fit, scan->dof_a, &info[0]));
    if (scan->dof_b >= 0) SHOAL_TRY(shoal_fit_dof(fit, scan->dof_b, &info[1]));
    SHOAL_TRY(shoal_fit_objective(fit, &j, NULL));
    const shoal_status status = scan->dof_b >= 0 ? write_map(&p, path, info, scan)
                                                 : write_lines(&p, path, &info[0], j, scan);
    arena_free(&p.memory);
    return status;
}
