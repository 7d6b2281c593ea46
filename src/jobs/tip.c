/* SPDX-License-Identifier: BSD-3-Clause
 * A tip over a sample: one topology of both, whose only pairs are those between them, as many copies of it as an engine
 * holds, and the points of a block through them by turns. */
#include "jobs/tip.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "ff/topology.h"
#include "shoal/topology_builder.h"

#define MOST_POINTS 1000000000.0
#define ATOMS_AT_A_TIME 400000

/* --- sample and tip as one ------------------------------------------------------------------------ */

static shoal_status check_part(const shoal_system *part, const char *name)
{
    const shoal_topology_view *v;
    if (!part->topology || !part->pos)
        return shoal_fail(SHOAL_E_ARGUMENT, "probe: the %s has no topology or no coordinates",
                          name);
    v = &part->topology->view;
    if (part->topology->status != SHOAL_SYSTEM_OK)
        return shoal_fail(SHOAL_E_ARGUMENT, "probe: the %s is untyped: %s", name,
                          part->topology->reason);
    if (v->pbc[0] || v->pbc[1] || v->pbc[2])
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "probe: the %s repeats, and the tip would with it; expected one that "
                          "does not (a substrate is a surface)",
                          name);
    if (v->n_sites > 0 || v->n_pairs > 0 || v->table_types)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "probe: the %s has sites, electron pairs or columns of a formula, which "
                          "tips do not see",
                          name);
    if (v->n_atoms == 0) return shoal_fail(SHOAL_E_ARGUMENT, "probe: the %s has no atoms", name);
    return SHOAL_OK;
}

static shoal_status put_atoms(shoal_topology_builder *b, const shoal_topology_view *v,
                              int32_t first)
{
    for (int32_t i = 0; i < v->n_atoms; ++i) {
        const shoal_atom_parameters p = {v->vdw_x[i], v->vdw_d[i], v->charges[i], v->masses[i],
                                         v->types[i]};
        SHOAL_TRY(shoal_topology_set_atom(b, first + i, &p));
    }
    for (int32_t i = 0; i < v->n_atoms; ++i)
        for (int32_t j = 0; j < i; ++j)
            SHOAL_TRY(shoal_topology_exclude(b, first + i, first + j, NULL));
    return SHOAL_OK;
}

static shoal_status put_model(shoal_topology_builder *b, const shoal_topology_view *v[2])
{
    const int32_t n = v[0]->n_atoms + v[1]->n_atoms;
    const bool has = v[0]->hbonds && v[1]->hbonds;
    if (!v[0]->model) return SHOAL_OK;
    double *h = shoal_alloc((size_t)n, sizeof *h);
    if (!h) return SHOAL_E_MEMORY;
    for (int k = 0, at = 0; k < 2 && has; at += v[k]->n_atoms, ++k)
        memcpy(h + at, v[k]->hbonds, (size_t)v[k]->n_atoms * sizeof *h);
    const shoal_status status =
        shoal_topology_set_model(b, (shoal_pair_model *)v[0]->model, has ? h : NULL);
    free(h);
    return status;
}

static shoal_status fill_builder(shoal_topology_builder *b, const shoal_topology_view *v[2])
{
    SHOAL_TRY(put_atoms(b, v[0], 0));
    SHOAL_TRY(put_atoms(b, v[1], v[0]->n_atoms));
    return put_model(b, v);
}

/* The topology whose only pairs are those of an atom of the sample and one of the tip. */
static shoal_status combine(shoal_topology **out, const shoal_system *sample,
                            const shoal_system *tip)
{
    const shoal_topology_view *v[2] = {&sample->topology->view, &tip->topology->view};
    const int32_t n = v[0]->n_atoms + v[1]->n_atoms;
    shoal_topology_builder *b = NULL;
    if (v[0]->model != v[1]->model)
        return shoal_fail(SHOAL_E_ARGUMENT, "probe: sample and tip have unlike pair models");
    int32_t *elements = shoal_alloc((size_t)n, sizeof *elements);
    if (!elements) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < n; ++i)
        elements[i] = i < v[0]->n_atoms ? v[0]->elements[i] : v[1]->elements[i - v[0]->n_atoms];
    shoal_status status = shoal_topology_begin(&b, n, elements);
    free(elements);
    SHOAL_TRY(status);
    status = fill_builder(b, v);
    if (status == SHOAL_OK) return shoal_topology_finish(b, SHOAL_EXCLUDE_NAMED, out);
    shoal_topology_abandon(b);
    return status;
}

/* --- the engine ----------------------------------------------------------------------------------- */

typedef struct tip_run {
    const shoal_system *sample, *tip;
    shoal_tip_block *block;
    shoal_engine *engine;
    shoal_monitor *monitor;
    void *user;
    int32_t n_sample, n_tip, n_systems;
    double (*pos)[3]; /* [n_systems][n_sample + n_tip] */
    double rest;      /* eV: of the sample on the surface, which is in every energy */
} tip_run;

static void point_of(const shoal_tip_view *v, int64_t k, double out[3])
{
    const int64_t i[3] = {k / v->n[2] / v->n[1], k / v->n[2] % v->n[1], k % v->n[2]};
    for (int c = 0; c < 3; ++c) out[c] = v->origin[c] + v->step[c] * (double)i[c];
}

/* Puts the tip of a system at a point. */
static void place_tip(const tip_run *r, int32_t i_system, int64_t point)
{
    double to[3];
    double(*pos)[3] = r->pos + (size_t)i_system * (size_t)(r->n_sample + r->n_tip) + r->n_sample;
    point_of(&r->block->view, point, to);
    for (int32_t i = 0; i < r->n_tip; ++i)
        for (int c = 0; c < 3; ++c) pos[i][c] = to[c] + (r->tip->pos[i][c] - r->tip->pos[0][c]);
}

static shoal_status create_engine(tip_run *r, const shoal_engine_options *options)
{
    const int32_t n = r->n_sample + r->n_tip;
    shoal_system system = {.pos = (const double(*)[3])r->pos};
    shoal_batch *batch = NULL;
    SHOAL_TRY(combine(&system.topology, r->sample, r->tip));
    for (int32_t k = 0; k < r->n_systems; ++k) {
        memcpy(r->pos + (size_t)k * (size_t)n, r->sample->pos,
               (size_t)r->n_sample * sizeof *r->pos);
        place_tip(r, k, k);
    }
    shoal_status status = shoal_batch_create(&batch);
    if (status == SHOAL_OK)
        status = shoal_batch_add_many(batch, &system, r->n_systems, (const double(*)[3])r->pos);
    if (status == SHOAL_OK) status = shoal_engine_create(&r->engine, batch, options);
    shoal_batch_destroy(batch);
    shoal_topology_destroy(system.topology);
    return status;
}

/* The energy of the sample alone on the surface, as the same engine adds it up. */
static shoal_status measure_rest(tip_run *r, const shoal_engine_options *options)
{
    shoal_system sample = {.pos = r->sample->pos};
    const shoal_topology_view *v = &r->sample->topology->view;
    shoal_topology_builder *b = NULL;
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    shoal_result result = {0};
    if (!options || !options->surface) return SHOAL_OK;
    SHOAL_TRY(shoal_topology_begin(&b, v->n_atoms, v->elements));
    shoal_status status = put_atoms(b, v, 0);
    if (status == SHOAL_OK && v->model)
        status = shoal_topology_set_model(b, (shoal_pair_model *)v->model, v->hbonds);
    if (status == SHOAL_OK)
        status = shoal_topology_finish(b, SHOAL_EXCLUDE_NAMED, &sample.topology);
    else
        shoal_topology_abandon(b);
    if (status == SHOAL_OK) status = shoal_batch_create(&batch);
    if (status == SHOAL_OK) status = shoal_batch_add(batch, &sample);
    if (status == SHOAL_OK) status = shoal_engine_create(&engine, batch, options);
    if (status == SHOAL_OK) status = shoal_engine_eval(engine);
    if (status == SHOAL_OK) status = shoal_engine_result(engine, 0, &result);
    if (status == SHOAL_OK && result.status != SHOAL_SYSTEM_OK)
        status = shoal_fail(SHOAL_E_ARGUMENT, "probe: the sample is %s: %s",
                            shoal_system_status_name(result.status), result.reason);
    r->rest = result.energy;
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
    shoal_topology_destroy(sample.topology);
    return status;
}

/* --- the block ------------------------------------------------------------------------------------ */

static void keep_point(tip_run *r, const shoal_engine_results_view *v, int32_t i, int64_t point)
{
    double f[3] = {0};
    const int32_t first = v->starts[i] + r->n_sample;
    for (int32_t a = 0; a < r->n_tip; ++a)
        for (int c = 0; c < 3; ++c) f[c] += v->forces[first + a][c];
    const double e = v->energies[i] - r->rest;
    const bool fine = isfinite(e) && isfinite(f[0]) && isfinite(f[1]) && isfinite(f[2]);
    r->block->energies[point] = fine ? e : NAN;
    for (int c = 0; c < 3; ++c) r->block->forces[point][c] = fine ? f[c] : NAN;
    r->block->view.n_failed += !fine;
}

/* Points from first on through the systems of the engine; those beyond the last point stay where they are. */
static shoal_status run_round(tip_run *r, int64_t first)
{
    const int64_t left = r->block->view.n_points - first;
    const int32_t n = left < r->n_systems ? (int32_t)left : r->n_systems;
    shoal_engine_results_view v;
    for (int32_t k = 0; k < n; ++k) place_tip(r, k, first + k);
    SHOAL_TRY(shoal_engine_set_all_positions(r->engine, (const double(*)[3])r->pos));
    SHOAL_TRY(shoal_engine_eval(r->engine));
    SHOAL_TRY(shoal_engine_view(r->engine, &v));
    for (int32_t k = 0; k < n; ++k) keep_point(r, &v, k, first + k);
    r->block->view.n_done += n;
    return SHOAL_OK;
}

static bool goes_on(const tip_run *r)
{
    const shoal_tip_view *v = &r->block->view;
    const shoal_progress p = {.n_systems = v->n_points,
                              .n_done = v->n_done,
                              .n_failed = v->n_failed,
                              .n_evaluations = v->n_done,
                              .energy = NAN,
                              .fmax = NAN};
    return !r->monitor || r->monitor(r->user, &p);
}

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static shoal_status run_block(tip_run *r, const shoal_engine_options *engine)
{
    shoal_tip_view *v = &r->block->view;
    r->pos = shoal_alloc((size_t)r->n_systems * (size_t)(r->n_sample + r->n_tip), sizeof *r->pos);
    if (!r->pos) return SHOAL_E_MEMORY;
    SHOAL_TRY(measure_rest(r, engine));
    SHOAL_TRY(create_engine(r, engine));
    const double begin = now();
    while (v->n_done < v->n_points && goes_on(r)) SHOAL_TRY(run_round(r, v->n_done));
    v->seconds = now() - begin;
    for (int64_t k = v->n_done; k < v->n_points; ++k) {
        r->block->energies[k] = NAN;
        for (int c = 0; c < 3; ++c) r->block->forces[k][c] = NAN;
    }
    return SHOAL_OK;
}

static shoal_status check_options(const shoal_tip_options *o)
{
    double n = 1.0;
    for (int c = 0; c < 3; ++c) {
        if (o->n[c] < 1)
            return shoal_fail(SHOAL_E_ARGUMENT, "probe: %d points along %c, expected 1 or more",
                              o->n[c], "xyz"[c]);
        if (!isfinite(o->origin[c]) || !isfinite(o->step[c]) || (o->n[c] > 1 && o->step[c] <= 0.0))
            return shoal_fail(SHOAL_E_ARGUMENT,
                              "probe: points along %c from %g by %g A, expected finite ones that "
                              "go up",
                              "xyz"[c], o -> origin[c], o -> step[c]);
        n *= o->n[c];
    }
    if (n > MOST_POINTS)
        return shoal_fail(SHOAL_E_ARGUMENT, "probe: %.0f points, expected at most %.0f", n,
                          MOST_POINTS);
    if (o->n_systems < 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "probe: %d systems at a time, expected 0 or more",
                          o->n_systems);
    return SHOAL_OK;
}

static shoal_status create_block(shoal_tip_block **out, const shoal_tip_options *o)
{
    const size_t n = (size_t)o->n[0] * (size_t)o->n[1] * (size_t)o->n[2];
    shoal_tip_block *b = shoal_alloc(1, sizeof *b);
    if (!b) return SHOAL_E_MEMORY;
    b->energies = shoal_alloc_dirty(n, sizeof *b->energies);
    b->forces = shoal_alloc_dirty(n, sizeof *b->forces);
    b->view = (shoal_tip_view){
        .energies = b->energies, .forces = (const double(*)[3])b->forces, .n_points = (int64_t)n};
    memcpy(b->view.n, o->n, sizeof o->n);
    memcpy(b->view.origin, o->origin, sizeof o->origin);
    memcpy(b->view.step, o->step, sizeof o->step);
    if (b->energies && b->forces) {
        *out = b;
        return SHOAL_OK;
    }
    shoal_tip_block_destroy(b);
    return SHOAL_E_MEMORY;
}

static int32_t choose_systems(const shoal_tip_options *o, int64_t n_points, int32_t n_atoms)
{
    int64_t n = o->n_systems > 0 ? o->n_systems : ATOMS_AT_A_TIME / n_atoms;
    if (n > n_points) n = n_points;
    return n > 1 ? (int32_t)n : 1;
}

shoal_status shoal_tip_around(shoal_tip_options *o, const shoal_system *sample, double margin,
                              const double heights[2])
{
    shoal_clear_error();
    SHOAL_NEED(o && sample && sample->topology && sample->pos && heights);
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t i = 0; i < sample->topology->view.n_atoms; ++i)
        for (int c = 0; c < 3; ++c) {
            low[c] = fmin(low[c], sample->pos[i][c]);
            high[c] = fmax(high[c], sample->pos[i][c]);
        }
    for (int c = 0; c < 2; ++c) {
        low[c] -= margin;
        high[c] += margin;
    }
    low[2] = high[2] + heights[0];
    high[2] += heights[1];
    for (int c = 0; c < 3; ++c) {
        o->origin[c] = o->n[c] > 1 ? low[c] : 0.5 * (low[c] + high[c]);
        o->step[c] = o->n[c] > 1 ? (high[c] - low[c]) / (o->n[c] - 1) : 0.0;
    }
    o->origin[2] = low[2];
    return check_options(o);
}

shoal_status shoal_tip_scan(shoal_tip_block **out, const shoal_system *sample,
                            const shoal_system *tip, const shoal_engine_options *engine,
                            const shoal_tip_options *options, shoal_monitor *monitor, void *user)
{
    shoal_clear_error();
    SHOAL_NEED(out && sample && tip && options);
    *out = NULL;
    SHOAL_TRY(check_options(options));
    SHOAL_TRY(check_part(sample, "sample"));
    SHOAL_TRY(check_part(tip, "tip"));
    tip_run r = {.sample = sample, .tip = tip, .monitor = monitor, .user = user};
    r.n_sample = sample->topology->view.n_atoms;
    r.n_tip = tip->topology->view.n_atoms;
    SHOAL_TRY(create_block(&r.block, options));
    r.n_systems = choose_systems(options, r.block->view.n_points, r.n_sample + r.n_tip);
    const shoal_status status = run_block(&r, engine);
    shoal_engine_destroy(r.engine);
    free(r.pos);
    if (status == SHOAL_OK)
        *out = r.block;
    else
        shoal_tip_block_destroy(r.block);
    return status;
}

void shoal_tip_block_destroy(shoal_tip_block *block)
{
    if (!block) return;
    free(block->energies);
    free(block->forces);
    free(block);
}

void shoal_tip_block_get(const shoal_tip_block *block, shoal_tip_view *view)
{
    if (view) *view = block ? block->view : (shoal_tip_view){0};
}
