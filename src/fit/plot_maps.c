/* SPDX-License-Identifier: BSD-3-Clause
 * Figures of dimers with several angles: maps over distance and angle, plane and polar, with the
 * line of minimal energy, and cuts through them. */
#include <stdlib.h>

#include "fit/plot.h"

enum { MAX_MAPS = 4, N_CUTS = 4 };
enum { MOST_CELLS = 16 };                                    /* of a map, for each of its samples */
enum { REFERENCE, MODEL, DIFFERENCE, N_KINDS, N_LINES = 2 }; /* lines: of reference and model */

typedef struct dimer_map {
    const char *name;
    int32_t n_r, n_angles;
    double *r, *angle;        /* increasing; degrees */
    double *values[N_KINDS];  /* [n_angles][n_r] eV, NaN where there is no sample */
    double least;             /* of the reference, eV */
    double *r_least[N_LINES]; /* [n_angles] where the energy is least, NaN if at an end */
    double *e_least[N_LINES]; /* [n_angles] least energy, eV */
    int32_t deepest, highest; /* angles with the deepest and the shallowest reference minimum */
    int32_t at_r;             /* distance of the deepest one */
    double *cut_at[N_LINES];  /* [n_angles] energies at that distance, eV */
} dimer_map;

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

static bool is_on_map(const fit_sample *s, int32_t dimer)
{
    return s->dimer == dimer && !isnan(s->x0) && !isnan(s->angle);
}

/* Least of a row of energies: the parabola through three points around the lowest one. */
static void find_least(const double *x, const double *e, int32_t n, double *r_least,
                       double *e_least)
{
    int32_t at = -1;
    *r_least = *e_least = NAN;
    for (int32_t i = 0; i < n; ++i)
        if (isfinite(e[i]) && (at < 0 || e[i] < e[at])) at = i;
    if (at < 0) return;
    *e_least = e[at];
    if (at == 0 || at == n - 1 || !isfinite(e[at - 1] + e[at + 1])) return;
    const double a = x[at - 1] - x[at], b = x[at + 1] - x[at];
    const double ea = (e[at - 1] - e[at]) / a, eb = (e[at + 1] - e[at]) / b;
    const double curvature = (eb - ea) / (b - a), slope = ea - curvature * a;
    *r_least = curvature > 0.0 ? x[at] - 0.5 * slope / curvature : x[at];
    if (curvature > 0.0) *e_least -= 0.25 * slope * slope / curvature;
}

/* Lines of least energy, and where the cuts go. */
static shoal_status find_lines(plotting *p, dimer_map *m)
{
    for (int k = 0; k < N_LINES; ++k) {
        m->r_least[k] = plot_numbers(p, m->n_angles);
        m->e_least[k] = plot_numbers(p, m->n_angles);
        m->cut_at[k] = plot_numbers(p, m->n_angles);
        if (!m->r_least[k] || !m->e_least[k] || !m->cut_at[k]) return SHOAL_E_MEMORY;
        for (int32_t j = 0; j < m->n_angles; ++j)
            find_least(m->r, &m->values[k][j * m->n_r], m->n_r, &m->r_least[k][j],
                       &m->e_least[k][j]);
    }
    const double *e = m->e_least[REFERENCE];
    for (int32_t j = 1; j < m->n_angles; ++j) {
        if (!(e[m->deepest] <= e[j])) m->deepest = j;
        if (!(e[m->highest] >= e[j])) m->highest = j;
    }
    const double *row = &m->values[REFERENCE][m->deepest * m->n_r];
    for (int32_t i = 1; i < m->n_r; ++i)
        if (!(row[m->at_r] <= row[i])) m->at_r = i;
    for (int k = 0; k < N_LINES; ++k)
        for (int32_t j = 0; j < m->n_angles; ++j)
            m->cut_at[k][j] = m->values[k][j * m->n_r + m->at_r];
    return SHOAL_OK;
}

/* Distances and angles that there are. *is_map is false where the samples are scattered and nearly
 * all cells would be empty. */
static shoal_status find_grid(plotting *p, const plot_dimer *entry, dimer_map *m, bool *is_map)
{
    m->r = plot_numbers(p, entry->n);
    m->angle = plot_numbers(p, entry->n);
    *is_map = false;
    if (!m->r || !m->angle) return SHOAL_E_MEMORY;
    for (int32_t s = 0; s < p->data->n_samples; ++s) {
        const fit_sample *f = &p->data->samples[s];
        if (!is_on_map(f, entry->dimer)) continue;
        insert_sorted(m->r, &m->n_r, f->x0);
        insert_sorted(m->angle, &m->n_angles, f->angle);
        if ((int64_t)m->n_r * m->n_angles > (int64_t)MOST_CELLS * entry->n) return SHOAL_OK;
        m->least = fmin(m->least, p->reference[s]);
    }
    *is_map = true;
    return SHOAL_OK;
}

static shoal_status make_map(plotting *p, const plot_dimer *entry, dimer_map *m, bool *is_map)
{
    *m = (dimer_map){.name = plot_dimer_name(p, entry->dimer)};
    SHOAL_TRY(find_grid(p, entry, m, is_map));
    if (!*is_map) return SHOAL_OK;
    for (int k = 0; k < N_KINDS; ++k) {
        if (!(m->values[k] = plot_numbers(p, m->n_r * m->n_angles))) return SHOAL_E_MEMORY;
        for (int32_t i = 0; i < m->n_r * m->n_angles; ++i) m->values[k][i] = NAN;
    }
    for (int32_t s = 0; s < p->data->n_samples; ++s) {
        const fit_sample *f = &p->data->samples[s];
        if (!is_on_map(f, entry->dimer)) continue;
        const int32_t at =
            index_of(m->angle, m->n_angles, f->angle) * m->n_r + index_of(m->r, m->n_r, f->x0);
        m->values[REFERENCE][at] = p->reference[s];
        m->values[MODEL][at] = p->model[s];
        m->values[DIFFERENCE][at] = p->model[s] - p->reference[s];
    }
    return find_lines(p, m);
}

/* Colours of energies reach to the depth of the well, those of differences to the largest one unless
 * that is deeper. */
static double reach_of(const dimer_map *m, int kind)
{
    double most = 0.0;
    if (kind != DIFFERENCE) return -m->least;
    for (int32_t i = 0; i < m->n_r * m->n_angles; ++i)
        if (isfinite(m->values[kind][i])) most = fmax(most, fabs(m->values[kind][i]));
    return m->least < 0.0 ? fmin(most, -m->least) : most;
}

/* Reference, model and difference of all maps, with their lines of least energy. */
static shoal_status write_maps(plotting *p, const dimer_map *maps, int32_t n, bool polar)
{
    static const char *const kinds[] = {"reference", "model", "model - reference"};
    figure_panel panels[N_KINDS * MAX_MAPS];
    figure_map drawn[N_KINDS * MAX_MAPS];
    figure_series lines[MAX_MAPS][N_LINES];
    for (int32_t i = 0; i < n; ++i) {
        const dimer_map *m = &maps[i];
        for (int k = 0; k < N_LINES; ++k)
            lines[i][k] = (figure_series){k == MODEL ? "least E, model" : "least E, reference",
                                          k == MODEL ? FIGURE_DASHES : FIGURE_LINE, m->n_angles,
                                          m->r_least[k], m->angle};
        for (int k = 0; k < N_KINDS; ++k) {
            figure_panel *panel = &panels[N_KINDS * i + k];
            const double reach = reach_of(m, k);
            drawn[N_KINDS * i + k] = (figure_map){"E (eV)",     m->n_r, m->n_angles, m->r, m->angle,
                                                  m->values[k], -reach, reach,       false};
            *panel = (figure_panel){.title = plot_label(p, "%.60s: %s", m->name, kinds[k]),
                                    .x = {.label = "x0"},
                                    .y = {.label = "angle (degrees)"},
                                    .series = k == MODEL ? &lines[i][MODEL] : lines[i],
                                    .n_series = k == DIFFERENCE ? 2 : 1,
                                    .map = &drawn[N_KINDS * i + k],
                                    .polar = polar};
        }
    }
    return plot_write(p, polar ? "polar" : "maps", "energies over distance and angle", panels,
                      N_KINDS * n, N_KINDS);
}

/* Reference as dots and model as a line over x, with labels or without. */
static void pair_of(figure_series out[2], const char *const labels[2], int32_t n, const double *x,
                    const double *reference, const double *model)
{
    out[0] = (figure_series){labels[0], FIGURE_DOTS, n, x, reference};
    out[1] = (figure_series){labels[1], FIGURE_LINE, n, x, model};
}

static shoal_status add_cuts(plotting *p, const dimer_map *m, figure_panel panels[N_CUTS],
                             figure_series series[N_CUTS][4])
{
    static const char *const labels[] = {"reference", "model"};
    const int32_t angles[] = {m->deepest, m->highest};
    for (int k = 0; k < 2; ++k) {
        const int32_t at = angles[k] * m->n_r;
        const long long tenths = llround(10.0 * m->angle[angles[k]]);
        const char *own[2];
        for (int i = 0; i < 2; ++i)
            own[i] = plot_label(p, "%s, %s%lld.%lld\xc2\xb0", labels[i], tenths < 0 ? "-" : "",
                                llabs(tenths) / 10, llabs(tenths) % 10);
        if (!own[0] || !own[1]) return SHOAL_E_MEMORY;
        pair_of(&series[0][2 * k], own, m->n_r, m->r, m->values[REFERENCE] + at,
                m->values[MODEL] + at);
    }
    pair_of(series[1], labels, m->n_angles, m->angle, m->cut_at[REFERENCE], m->cut_at[MODEL]);
    pair_of(series[2], labels, m->n_angles, m->angle, m->e_least[REFERENCE], m->e_least[MODEL]);
    pair_of(series[3], labels, m->n_angles, m->angle, m->r_least[REFERENCE], m->r_least[MODEL]);
    const char *titles[] = {plot_label(p, "%.50s: radial cuts", m->name),
                            plot_value_label(p, "cut at the minimum, x0", m->r[m->at_r], ""),
                            "least energy by angle", "distance of the least energy"};
    for (int k = 0; k < N_CUTS; ++k)
        panels[k] = (figure_panel){.title = titles[k],
                                   .x = {.label = k == 0 ? "x0" : "angle (degrees)"},
                                   .y = {.label = k == 3 ? "x0" : "interaction energy (eV)"},
                                   .series = series[k],
                                   .n_series = k == 0 ? (m->deepest == m->highest ? 2 : 4) : 2};
    /* Walls of the radial cuts would hide the wells. */
    if (m->least < 0.0) {
        panels[0].y.low = 1.2 * m->least;
        panels[0].y.high = -1.5 * m->least;
    }
    return SHOAL_OK;
}

shoal_status plot_maps(plotting *p)
{
    dimer_map maps[MAX_MAPS];
    figure_panel panels[N_CUTS * MAX_MAPS];
    figure_series series[MAX_MAPS][N_CUTS][4];
    int32_t n = 0;
    for (int32_t d = 0; d < p->data->n_dimers && n < MAX_MAPS; ++d) {
        bool is_map;
        if (!plot_has_angles(p, p->dimers[d].dimer)) continue;
        SHOAL_TRY(make_map(p, &p->dimers[d], &maps[n], &is_map));
        if (!is_map) continue;
        SHOAL_TRY(add_cuts(p, &maps[n], &panels[N_CUTS * n], series[n]));
        ++n;
    }
    if (n == 0) return SHOAL_OK;
    SHOAL_TRY(write_maps(p, maps, n, false));
    SHOAL_TRY(write_maps(p, maps, n, true));
    return plot_write(p, "cuts", "cuts through the maps", panels, N_CUTS * n, N_CUTS);
}
