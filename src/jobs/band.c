/* SPDX-License-Identifier: BSD-3-Clause
 * Nudged elastic bands: all images of all bands in one engine, each band with steps of its own. */
#include "jobs/band.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ff/topology.h"
#include "io/figure.h"

#define CLIMB_BELOW 10.0 /* times fmax: then the highest image begins to climb */
#define CLIMB_AFTER 500  /* evaluations, whatever the forces */
#define MOST_IMAGES 1000

struct shoal_bands {
    band_state *list;
    int32_t n;
};

typedef struct band_run {
    shoal_bands *bands;
    shoal_band_options o;
    shoal_engine *engine;
    double (*pos)[3]; /* of all systems of the engine */
    int64_t n_atoms, n_evaluations;
    int32_t n_systems;
    bool *going; /* [n] */
} band_run;

static shoal_status fill_options(const shoal_band_options *given, shoal_band_options *o)
{
    *o = given ? *given : (shoal_band_options){0};
    if (o->n_images == 0) o->n_images = 9;
    if (o->spring == 0.0) o->spring = 2.0;
    if (o->fmax == 0.0) o->fmax = 0.002;
    if (o->max_steps == 0) o->max_steps = 3000;
    if (o->n_images < 1 || o->n_images > MOST_IMAGES)
        return shoal_fail(SHOAL_E_ARGUMENT, "band: %d images, expected 1 to %d", o->n_images,
                          MOST_IMAGES);
    if (o->max_steps < 1)
        return shoal_fail(SHOAL_E_ARGUMENT, "band: %d steps, expected 1 or more", o->max_steps);
    if (!(o->spring > 0.0 && o->fmax > 0.0 && isfinite(o->spring) && isfinite(o->fmax)))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "band: a spring of %g eV/A^2 and forces of %g eV/A, expected numbers "
                          "above zero",
                          o->spring, o->fmax);
    return SHOAL_OK;
}

static shoal_status check_band(const shoal_band *b, int32_t i)
{
    if (!b->topology || !b->first || !b->last)
        return shoal_fail(SHOAL_E_ARGUMENT, "band %d: no topology or no ends", i);
    const shoal_topology_view *v = &b->topology->view;
    if (b->topology->status != SHOAL_SYSTEM_OK)
        return shoal_fail(SHOAL_E_ARGUMENT, "band %d: untyped: %s", i, b->topology->reason);
    if (v->n_pairs > 0 || v->n_directions > 0)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "band %d: electron pairs and directions, which move beside the atoms, "
                          "have no path",
                          i);
    for (int32_t a = 0; a < v->n_atoms; ++a)
        for (int c = 0; c < 3; ++c)
            if (!isfinite(b->first[a][c]) || !isfinite(b->last[a][c]))
                return shoal_fail(SHOAL_E_ARGUMENT, "band %d: atom %d is not finite", i, a);
    return SHOAL_OK;
}

/* --- the start ------------------------------------------------------------------------------------ */

static bool is_free(const shoal_band *given, const shoal_engine_options *engine)
{
    const bool *pbc = given->topology->view.pbc;
    return !pbc[0] && !pbc[1] && !pbc[2] && !given->fixed && !(engine && engine->surface);
}

static shoal_status begin_band(band_state *b, const shoal_band *given,
                               const shoal_engine_options *engine, const shoal_band_options *o)
{
    const size_t n = (size_t)given->topology->view.n_atoms, m = (size_t)o->n_images + 2;
    *b = (band_state){.n_atoms = (int32_t)n,
                      .n_images = (int32_t)m,
                      .fixed = given->fixed,
                      .spring = o->spring,
                      .status = SHOAL_SYSTEM_MAX_STEPS,
                      .pos = shoal_alloc(n * m, sizeof *b->pos),
                      .forces = shoal_alloc(n * m, sizeof *b->forces),
                      .velocities = shoal_alloc(n * m, sizeof *b->velocities),
                      .energies = shoal_alloc(m, sizeof *b->energies),
                      .lengths = shoal_alloc(m, sizeof *b->lengths)};
    if (!b->pos || !b->forces || !b->velocities || !b->energies || !b->lengths)
        return SHOAL_E_MEMORY;
    memcpy(b->pos, given->first, n * sizeof *b->pos);
    memcpy(b->pos + n * (m - 1), given->last, n * sizeof *b->pos);
    if (is_free(given, engine)) band_align(b);
    band_fill(b);
    if (!o->straight) band_even(b);
    b->fire = fire_begin(0, fire_usual());
    return SHOAL_OK;
}

static shoal_status add_images(shoal_batch *batch, const shoal_band *given, const band_state *b)
{
    const shoal_system system = {.topology = given->topology,
                                 .pos = (const double(*)[3])b->pos,
                                 .cell = given->cell,
                                 .fixed = given->fixed};
    return shoal_batch_add_many(batch, &system, b->n_images, (const double(*)[3])b->pos);
}

static shoal_status begin_run(band_run *r, const shoal_band *given,
                              const shoal_engine_options *engine)
{
    shoal_batch *batch = NULL;
    SHOAL_TRY(shoal_batch_create(&batch));
    shoal_status status = SHOAL_OK;
    for (int32_t i = 0; i < r->bands->n && status == SHOAL_OK; ++i) {
        band_state *b = &r->bands->list[i];
        status = begin_band(b, &given[i], engine, &r->o);
        b->first_system = r->n_systems;
        b->first_atom = (int32_t)r->n_atoms;
        r->n_systems += b->n_images;
        r->n_atoms += (int64_t)b->n_images * b->n_atoms;
        if (r->n_atoms > INT32_MAX)
            status = shoal_fail(SHOAL_E_ARGUMENT, "band %d: too many atoms in all images", i);
        if (status == SHOAL_OK) status = add_images(batch, &given[i], b);
        r->going[i] = true;
    }
    if (status == SHOAL_OK) status = shoal_engine_create(&r->engine, batch, engine);
    shoal_batch_destroy(batch);
    if (status != SHOAL_OK) return status;
    r->pos = shoal_alloc((size_t)r->n_atoms, sizeof *r->pos);
    return r->pos ? SHOAL_OK : SHOAL_E_MEMORY;
}

/* --- the loop ------------------------------------------------------------------------------------- */

static double largest(const double (*forces)[3], int32_t n)
{
    double most = 0.0;
    for (int32_t i = 0; i < n; ++i)
        most = fmax(most, sqrt(forces[i][0] * forces[i][0] + forces[i][1] * forces[i][1] +
                               forces[i][2] * forces[i][2]));
    return most;
}

/* What the engine found of a band. */
static void take_forces(band_state *b, const shoal_engine_results_view *v)
{
    const size_t n = (size_t)b->n_images * (size_t)b->n_atoms;
    memcpy(b->forces, v->forces + b->first_atom, n * sizeof *b->forces);
    memcpy(b->energies, v->energies + b->first_system, (size_t)b->n_images * sizeof *b->energies);
    if (b->steps > 0) return;
    const double first = largest((const double(*)[3])b->forces, b->n_atoms);
    b->ends_fmax =
        fmax(first, largest((const double(*)[3])(b->forces + n - b->n_atoms), b->n_atoms));
}

static shoal_system_status status_of(int outcome)
{
    return outcome == STEP_CONVERGED    ? SHOAL_SYSTEM_CONVERGED
           : outcome == STEP_STALLED    ? SHOAL_SYSTEM_STALLED
           : outcome == STEP_NOT_FINITE ? SHOAL_SYSTEM_NOT_FINITE
                                        : SHOAL_SYSTEM_MAX_STEPS;
}

/* The highest image begins to climb once the band lies about where it belongs; a path without a barrier has none. */
static void begin_to_climb(band_state *b)
{
    b->climbs = true;
    const int32_t n_evals = b->fire.n_evals;
    b->fire = fire_begin(n_evals, fire_usual());
    memset(b->velocities, 0, (size_t)b->n_images * (size_t)b->n_atoms * sizeof *b->velocities);
}

/* Whether a band goes on after one evaluation. */
static bool advance(band_state *b, const shoal_band_options *o)
{
    ++b->steps;
    band_nudge(b);
    const double limit = b->climbs || o->no_climb ? o->fmax : CLIMB_BELOW * o->fmax;
    const bool goes_on = band_step(b, limit, o->max_steps);
    if (!b->climbs && !o->no_climb && b->steps < o->max_steps &&
        (b->fire.outcome == STEP_CONVERGED || b->steps >= CLIMB_AFTER)) {
        begin_to_climb(b);
        return true;
    }
    b->status = status_of(b->fire.outcome);
    return goes_on;
}

static shoal_status run_step(band_run *r, int32_t *n_going)
{
    shoal_engine_results_view v;
    for (int32_t i = 0; i < r->bands->n; ++i) {
        const band_state *b = &r->bands->list[i];
        memcpy(r->pos + b->first_atom, b->pos,
               (size_t)b->n_images * (size_t)b->n_atoms * sizeof *b->pos);
    }
    SHOAL_TRY(shoal_engine_set_all_positions(r->engine, (const double(*)[3])r->pos));
    SHOAL_TRY(shoal_engine_eval(r->engine));
    SHOAL_TRY(shoal_engine_view(r->engine, &v));
    *n_going = 0;
    for (int32_t i = 0; i < r->bands->n; ++i) {
        band_state *b = &r->bands->list[i];
        if (!r->going[i]) continue;
        take_forces(b, &v);
        r->going[i] = advance(b, &r->o);
        *n_going += r->going[i];
        r->n_evaluations += b->n_images;
    }
    return SHOAL_OK;
}

static void measure_lengths(band_state *b)
{
    const size_t n = (size_t)b->n_atoms;
    for (int32_t i = 1; i < b->n_images; ++i) {
        double sum = 0.0;
        for (size_t a = 0; a < n; ++a)
            for (int c = 0; c < 3; ++c) {
                const double d = b->pos[(size_t)i * n + a][c] - b->pos[(size_t)(i - 1) * n + a][c];
                sum += d * d;
            }
        b->lengths[i] = b->lengths[i - 1] + sqrt(sum);
    }
}

static shoal_status run_bands(band_run *r, shoal_monitor *monitor, void *user)
{
    int32_t n_going = r->bands->n;
    bool goes_on = true;
    while (n_going > 0 && goes_on) {
        SHOAL_TRY(run_step(r, &n_going));
        const shoal_progress p = {.n_systems = r->bands->n,
                                  .n_done = r->bands->n - n_going,
                                  .n_evaluations = r->n_evaluations,
                                  .energy = NAN,
                                  .fmax = NAN};
        goes_on = !monitor || monitor(user, &p);
    }
    for (int32_t i = 0; i < r->bands->n; ++i) measure_lengths(&r->bands->list[i]);
    return SHOAL_OK;
}

shoal_status shoal_bands_find(shoal_bands **out, const shoal_band *bands, int32_t n_bands,
                              const shoal_engine_options *engine, const shoal_band_options *options,
                              shoal_monitor *monitor, void *user)
{
    band_run r = {0};
    shoal_clear_error();
    SHOAL_NEED(out && bands && n_bands > 0);
    *out = NULL;
    SHOAL_TRY(fill_options(options, &r.o));
    for (int32_t i = 0; i < n_bands; ++i) SHOAL_TRY(check_band(&bands[i], i));
    r.bands = shoal_alloc(1, sizeof *r.bands);
    if (!r.bands) return SHOAL_E_MEMORY;
    r.bands->list = shoal_alloc((size_t)n_bands, sizeof *r.bands->list);
    r.bands->n = r.bands->list ? n_bands : 0;
    r.going = shoal_alloc((size_t)n_bands, sizeof *r.going);
    shoal_status status = r.bands->list && r.going ? SHOAL_OK : SHOAL_E_MEMORY;
    if (status == SHOAL_OK) status = begin_run(&r, bands, engine);
    if (status == SHOAL_OK) status = run_bands(&r, monitor, user);
    shoal_engine_destroy(r.engine);
    free(r.pos);
    free(r.going);
    if (status == SHOAL_OK)
        *out = r.bands;
    else
        shoal_bands_destroy(r.bands);
    return status;
}

void shoal_bands_destroy(shoal_bands *bands)
{
    if (!bands) return;
    for (int32_t i = 0; i < bands->n; ++i) {
        band_state *b = &bands->list[i];
        free(b->pos);
        free(b->forces);
        free(b->velocities);
        free(b->energies);
        free(b->lengths);
    }
    free(bands->list);
    free(bands);
}

shoal_status shoal_bands_get(const shoal_bands *bands, int32_t i, shoal_band_result *out)
{
    shoal_clear_error();
    SHOAL_NEED(bands && out);
    if (i < 0 || i >= bands->n)
        return shoal_fail(SHOAL_E_ARGUMENT, "band %d, expected 0 to %d", i, bands->n - 1);
    const band_state *b = &bands->list[i];
    const int32_t top = band_saddle(b);
    *out = (shoal_band_result){.status = b->status,
                               .n_atoms = b->n_atoms,
                               .n_images = b->n_images,
                               .energies = b->energies,
                               .lengths = b->lengths,
                               .positions = (const double(*)[3])b->pos,
                               .saddle = top,
                               .barrier = b->energies[top] - b->energies[0],
                               .back = b->energies[top] - b->energies[b->n_images - 1],
                               .fmax = b->fmax,
                               .ends_fmax = b->ends_fmax,
                               .steps = b->steps};
    return SHOAL_OK;
}

shoal_status shoal_bands_judge(const shoal_bands *bands, int32_t i, const shoal_band *band,
                               const shoal_engine_options *engine, shoal_band_verdict *out)
{
    shoal_band_result b;
    shoal_modes_result *modes = NULL;
    SHOAL_TRY(shoal_bands_get(bands, i, &b));
    SHOAL_NEED(band && out);
    shoal_engine_options exact = engine ? *engine : (shoal_engine_options){0};
    exact.precision = SHOAL_PRECISION_AUTO;
    const shoal_system system = {.topology = band->topology,
                                 .pos = b.positions + (size_t)b.saddle * (size_t)b.n_atoms,
                                 .cell = band->cell,
                                 .fixed = band->fixed};
    const shoal_modes_options options = {.fmax = fmax(2.0 * b.fmax, 1e-3)};
    SHOAL_TRY(shoal_modes_find(&modes, &system, NULL, &exact, &options));
    *out = (shoal_band_verdict){modes->verdict, modes->order,
                                modes->n_modes > 0 ? modes->frequencies[0] : NAN};
    shoal_modes_result_destroy(modes);
    return SHOAL_OK;
}

shoal_status shoal_bands_plot(const shoal_bands *bands, int32_t i, const char *path)
{
    shoal_band_result b;
    char title[80];
    SHOAL_TRY(shoal_bands_get(bands, i, &b));
    SHOAL_NEED(path);
    double *heights = shoal_alloc((size_t)b.n_images, sizeof *heights);
    if (!heights) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < b.n_images; ++k) heights[k] = b.energies[k] - b.energies[0];
    const figure_series line = {
        .style = FIGURE_LINE_DOTS, .n = b.n_images, .x = b.lengths, .y = heights};
    const figure_mark mark = {.x = b.lengths[b.saddle], .y = heights[b.saddle]};
    const figure_panel panel = {.x = {.label = "path, A"},
                                .y = {.label = "energy, eV"},
                                .series = &line,
                                .n_series = 1,
                                .marks = &mark,
                                .n_marks = 1};
    (void)snprintf(title, sizeof title, "barrier %.4f eV, back %.4f eV", b.barrier, b.back);
    const shoal_status status = figure_write(path, title, &panel, 1, 1);
    free(heights);
    return status;
}
