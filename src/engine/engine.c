/* SPDX-License-Identifier: BSD-3-Clause
 * Engines: a copy of a batch, compiled for one backend, and the results of its last run. */
#include "engine/engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "backend/system_check.h"
#include "base/alloc.h"
#include "base/error.h"
#include "batch/batch.h"
#include "engine/bodies.h"
#include "engine/engine_view.h"
#include "engine/explain.h"
#include "engine/geometry.h"
#include "engine/live.h"
#include "engine/md.h"
#include "engine/placement.h"
#include "ff/auxiliary.h"
#include "ff/topology.h"
#include "geom/lattice.h"
#include "shoal/device.h"

#define FEW_SYSTEMS 256 /* below this, loops over the results take less than waking threads up */
#define POOL_MOST 8     /* and more threads than this would wait for each other */

const char *shoal_precision_name(int precision)
{
    static const char *const names[] = {"auto", "float", "double"};
    return precision >= SHOAL_PRECISION_AUTO && precision <= SHOAL_PRECISION_DOUBLE
               ? names[precision]
               : NULL;
}

const char *shoal_ewald_name(int ewald)
{
    static const char *const names[] = {"auto", "plain", "mesh"};
    return ewald >= SHOAL_EWALD_AUTO && ewald <= SHOAL_EWALD_MESH ? names[ewald] : NULL;
}

static shoal_status check_range(const char *name, double value, double low, double high)
{
    if (value >= low && value <= high) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "engine: %s is %g, expected %g to %g", name, value, low,
                      high);
}

static shoal_status fill_options(const shoal_engine_options *given, shoal_engine_options *options)
{
    *options = given ? *given : (shoal_engine_options){0};
    options->device = NULL;
    if (options->vdw_cutoff == 0.0) options->vdw_cutoff = 12.0;
    if (options->ewald_tolerance == 0.0) options->ewald_tolerance = 1e-10;
    SHOAL_TRY(check_range("coulomb_damping", options->coulomb_damping, 0.0, 1e3));
    SHOAL_TRY(check_range("vdw_cutoff", options->vdw_cutoff, 1.0, 1e3));
    SHOAL_TRY(check_range("ewald_tolerance", options->ewald_tolerance, 1e-15, 1e-2));
    SHOAL_TRY(check_range("n_threads", options->n_threads, 0.0, 4096.0));
    SHOAL_TRY(check_range("pair_clamp", options->pair_clamp, 0.0, ENGINE_MOST_CLAMP));
    options->pair_clamp = (double)(float)options->pair_clamp; /* the same in all precisions */
    SHOAL_TRY(check_range("device_bytes", (double)options->device_bytes, 0.0, 1e18));
    if (options->precision < SHOAL_PRECISION_AUTO || options->precision > SHOAL_PRECISION_DOUBLE)
        return shoal_fail(SHOAL_E_ARGUMENT, "engine: unknown precision %d",
                          (int)options->precision);
    if (options->mixing < SHOAL_MIXING_DEFAULT || options->mixing > SHOAL_MIXING_GEOMETRIC)
        return shoal_fail(SHOAL_E_ARGUMENT, "engine: unknown mixing rule %d", (int)options->mixing);
    if (!shoal_ewald_name((int)options->ewald))
        return shoal_fail(SHOAL_E_ARGUMENT, "engine: unknown Ewald sum %d", (int)options->ewald);
    return SHOAL_OK;
}

/* Takes references of the surface and the grid, which must belong together. */
static shoal_status keep_surface(shoal_engine_options *options)
{
    shoal_surface *surface = options->surface;
    shoal_grid *grid = options->grid;
    options->surface = NULL;
    options->grid = NULL;
    if (grid) {
        shoal_grid_view g;
        shoal_surface_view of_grid, given;
        shoal_grid_get(grid, &g);
        if (!surface) surface = (shoal_surface *)g.surface;
        shoal_surface_get(g.surface, &of_grid);
        shoal_surface_get(surface, &given);
        if (of_grid.hash != given.hash)
            return shoal_fail(SHOAL_E_ARGUMENT,
                              "engine: the grid belongs to another surface or other parameters");
        options->grid = shoal_grid_retain(grid);
    }
    if (surface) options->surface = shoal_surface_retain(surface);
    return SHOAL_OK;
}

/* Electron pairs and directions by the atoms, which were put somewhere. Only the topology knows how many of the points
 * are atoms: backends see none but atoms and directions. */
static void place_auxiliary(shoal_engine *engine, int32_t i)
{
    shoal_topology_view view;
    shoal_topology_get(engine->topologies[i], &view);
    if (auxiliary_count(&view) == 0 || engine->systems[i].skip) return;
    double(*pos)[3] = engine->results[i].pos;
    const double(*places)[3] = engine->topologies[i]->places;
    if (places)
        memcpy(pos + view.n_atoms, places, (size_t)auxiliary_count(&view) * sizeof *pos);
    else
        auxiliary_place(&view, (const double(*)[3])engine->systems[i].cell, pos);
}

typedef struct batch_copy {
    shoal_engine *engine;
    const shoal_batch *batch;
} batch_copy;

/* All of a system and of its result but its place among the restraints; what follows the first letter of the
 * reason does not matter. */
static void copy_system(void *what, int32_t i)
{
    const batch_copy *copy = what;
    shoal_engine *engine = copy->engine;
    const batch_system *from = &copy->batch->systems[i];
    backend_system *s = &engine->systems[i];
    backend_result *r = &engine->results[i];
    const size_t n = (size_t)from->n_atoms;
    const int32_t start = from->atom_start + from->auxiliary_start;
    const shoal_system_status status = shoal_topology_status(from->topology);
    engine->topologies[i] = from->topology;
    engine->starts[i + 1] = from->atom_start + from->n_atoms;
    shoal_topology_get(from->topology, &s->view);
    s->view.model = pair_model_damped_outside(s->view.model, engine->options.coulomb_damping);
    s->topology = from->topology_index;
    memcpy(s->cell, from->cell, sizeof s->cell);
    s->fixed = from->fixed ? engine->fixed + start : NULL;
    if (from->fixed) memcpy(engine->fixed + start, from->fixed, n * sizeof *from->fixed);
    s->bodies = from->bodies ? engine->bodies + start : NULL;
    for (size_t a = 0; a < (size_t)mover_count(&s->view) && from->bodies; ++a)
        engine->bodies[start + (int32_t)a] = a < n ? from->bodies[a] : -1;
    s->skip = status != SHOAL_SYSTEM_OK;
    s->pair_clamp = engine->options.pair_clamp;
    memset(r, 0, offsetof(backend_result, reason) + 1);
    r->forces = engine->forces + start;
    r->pos = engine->pos + start;
    if (n > 0) memcpy(r->pos, copy->batch->pos + from->atom_start, n * sizeof *r->pos);
    place_auxiliary(engine, i);
    s->view.n_atoms += s->view.n_pairs;
    s->view.n_pairs = 0;
    if (s->skip) shoal_backend_reject(r, mover_count(&s->view), status, "%s", "");
}

/* What cannot be copied side by side. */
static void copy_restraints(shoal_engine *engine, const shoal_batch *batch)
{
    int32_t n_restraints = 0;
    for (int32_t i = 0; i < batch->n_systems; ++i) {
        const batch_system *from = &batch->systems[i];
        engine->systems[i].restraints = engine->restraints + n_restraints;
        engine->systems[i].n_restraints = from->n_restraints;
        if (from->n_restraints > 0)
            memcpy(engine->restraints + n_restraints, from->restraints,
                   (size_t)from->n_restraints * sizeof *from->restraints);
        n_restraints += from->n_restraints;
    }
}

static shoal_status copy_batch(shoal_engine *engine, const shoal_batch *batch)
{
    const size_t n_systems = (size_t)batch->n_systems;
    const size_t n_atoms = (size_t)batch->n_atoms + (size_t)batch->n_auxiliary;
    size_t n_restraints = 0;
    for (int32_t i = 0; i < batch->n_systems; ++i)
        n_restraints += (size_t)batch->systems[i].n_restraints;
    engine->kept = shoal_alloc((size_t)batch->n_kept, sizeof *engine->kept);
    engine->topologies = shoal_alloc_dirty(n_systems, sizeof *engine->topologies);
    engine->systems = shoal_alloc_dirty(n_systems, sizeof *engine->systems);
    engine->results = shoal_alloc_dirty(n_systems, sizeof *engine->results);
    engine->starts = shoal_alloc_dirty(n_systems + 1, sizeof *engine->starts);
    engine->pos = shoal_alloc_dirty(n_atoms, sizeof *engine->pos);
    engine->forces = shoal_alloc_dirty(n_atoms, sizeof *engine->forces);
    engine->fixed = shoal_alloc(batch->n_constrained > 0 ? n_atoms : 0, sizeof *engine->fixed);
    engine->restraints = shoal_alloc_dirty(n_restraints, sizeof *engine->restraints);
    if (batch->n_rigid > 0) {
        engine->bodies = shoal_alloc_dirty(n_atoms, sizeof *engine->bodies);
        if (!engine->bodies) return SHOAL_E_MEMORY;
    }
    if (!engine->kept || !engine->topologies || !engine->systems || !engine->results ||
        !engine->starts || !engine->pos || !engine->forces || !engine->fixed || !engine->restraints)
        return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < batch->n_kept; ++k)
        engine->kept[engine->n_kept++] = shoal_topology_retain(batch->kept[k].topology);
    batch_copy copy = {engine, batch};
    engine->starts[0] = 0;
    thread_pool_for(engine->pool, batch->n_systems, copy_system, &copy);
    engine->n_systems = batch->n_systems;
    engine->n_auxiliary = batch->n_auxiliary;
    copy_restraints(engine, batch);
    return SHOAL_OK;
}

/* The rule of pair models whose LJ runs as UFF's does. Backends ask for the arithmetic rule; all else is the
 * geometric one. */
static shoal_status choose_mixing(shoal_engine *engine, const shoal_batch *batch)
{
    const shoal_mixing wanted = engine->options.mixing;
    bool lj = false, bare = false;
    for (int32_t k = 0; k < batch->n_kept; ++k) {
        const shoal_topology *t = batch->kept[k].topology;
        if (t->status != SHOAL_SYSTEM_OK) continue;
        lj = lj || (t->model && !t->view.model);
        bare = bare || !t->model;
    }
    if (wanted == SHOAL_MIXING_GEOMETRIC) engine->options.mixing = SHOAL_MIXING_DEFAULT;
    if (wanted == SHOAL_MIXING_ARITHMETIC || !lj) return SHOAL_OK;
    if (wanted == SHOAL_MIXING_GEOMETRIC)
        return shoal_fail(SHOAL_E_ARGUMENT, "engine: geometric mixing, but systems with a pair "
                                            "model, whose rule is the arithmetic one");
    if (bare)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "engine: LJ of a pair model mixes by the arithmetic rule and UFF by the "
                          "geometric one: expected a batch for each, or a rule for both");
    engine->options.mixing = SHOAL_MIXING_ARITHMETIC;
    return SHOAL_OK;
}

static int count_threads(const shoal_engine_options *options)
{
#ifdef _OPENMP
    const int n = options->n_threads > 0 ? options->n_threads : omp_get_max_threads();
#else
    const int n = options->n_threads > 0 ? options->n_threads : 1;
#endif
    return n < POOL_MOST ? n : POOL_MOST;
}

static engine_plan plan_in(const shoal_engine *engine, shoal_precision precision, bool dry)
{
    return (engine_plan){.input = {.n_systems = engine->n_systems,
                                   .systems = engine->systems,
                                   .options = &engine->options,
                                   .precision = precision,
                                   .dry = dry,
                                   .pool = engine->pool}};
}

static void choose_precisions(shoal_engine *engine, bool dry)
{
    const shoal_precision wanted = engine->options.precision;
    const bool automatic = wanted == SHOAL_PRECISION_AUTO;
    engine->mixed = automatic && engine->backend->mixed;
    engine->exact = plan_in(engine, automatic ? engine->backend->precision : wanted, dry);
    engine->fast = plan_in(engine, SHOAL_PRECISION_FLOAT, dry);
}

shoal_status engine_need_plan(shoal_engine *engine, engine_plan *plan)
{
    if (plan->plan) return SHOAL_OK;
    return engine->backend->create(&plan->plan, engine->device, &plan->input);
}

/* The device that does the work: what "auto" means, or what follows "shadow:". */
static shoal_status find_device(const char *device, char chosen[24], bool *shadow)
{
    *shadow = device && strncmp(device, "shadow", 6) == 0 && (device[6] == ':' || !device[6]);
    if (*shadow) SHOAL_TRY(shoal_device_check(device));
    return shoal_device_resolve(*shadow ? device + 7 : device, chosen);
}

/* ref sums over the surface, which is another one where a grid has channels from elsewhere. */
static shoal_status check_sources(const shoal_grid *grid, const char *device)
{
    shoal_grid_view view;
    shoal_grid_get(grid, &view);
    for (int c = 0; c < SHOAL_CHANNEL_KINDS; ++c)
        if (view.sources[c].there && strcmp(device, "ref") == 0)
            return shoal_fail(
                SHOAL_E_ARGUMENT,
                "engine: ref sums over the surface, which does not have the %s of the grid; "
                "use another device",
                shoal_channel_name(c));
    return SHOAL_OK;
}

/* Room for warnings, if there is one before the first run. */
static shoal_status need_warnings(shoal_engine *engine)
{
    char note[BACKEND_REASON_SIZE] = "";
    if (engine->options.pair_clamp > 0) note[0] = '?';
    for (int32_t i = 0; i < engine->n_systems && !note[0]; ++i)
        if (!engine->systems[i].skip) system_note(&engine->systems[i], &engine->options, note);
    if (!note[0]) return SHOAL_OK;
    engine->warnings = shoal_alloc((size_t)engine->n_systems, sizeof *engine->warnings);
    return engine->warnings ? SHOAL_OK : SHOAL_E_MEMORY;
}

static shoal_status build(shoal_engine *engine, const shoal_batch *batch,
                          const shoal_engine_options *options, bool dry)
{
    const char *argument;
    const shoal_backend *backend;
    char chosen[24];
    bool shadow;
    SHOAL_TRY(find_device(options ? options->device : NULL, chosen, &shadow));
    SHOAL_TRY(shoal_backend_find(chosen, &backend, &argument));
    const shoal_status filled = fill_options(options, &engine->options);
    SHOAL_TRY(keep_surface(&engine->options));
    SHOAL_TRY(filled);
    SHOAL_TRY(check_sources(engine->options.grid, chosen));
    if (batch->n_systems >= FEW_SYSTEMS)
        engine->pool = thread_pool_create(count_threads(&engine->options));
    SHOAL_TRY(copy_batch(engine, batch));
    SHOAL_TRY(choose_mixing(engine, batch));
    SHOAL_TRY(need_warnings(engine));
    SHOAL_TRY(
        placement_lattice(engine->systems, engine->n_systems, &engine->options, engine->lattice));
    engine->backend = backend;
    SHOAL_TRY(backend->open(&engine->device, argument));
    choose_precisions(engine, dry);
    SHOAL_TRY(engine_need_plan(engine, &engine->exact));
    return shadow ? engine_shadow_create(&engine->shadow, engine) : SHOAL_OK;
}

shoal_status shoal_engine_create(shoal_engine **out, const shoal_batch *batch,
                                 const shoal_engine_options *options)
{
    shoal_clear_error();
    if (!out || !batch) return shoal_fail(SHOAL_E_ARGUMENT, "engine: no batch or no place for it");
    *out = NULL;
    shoal_engine *engine = shoal_alloc(1, sizeof *engine);
    if (!engine) return SHOAL_E_MEMORY;
    const shoal_status status = build(engine, batch, options, false);
    if (status != SHOAL_OK) {
        shoal_engine_destroy(engine);
        return status;
    }
    *out = engine;
    return SHOAL_OK;
}

static void count_systems(const shoal_engine *engine, const shoal_batch *batch, shoal_plan *out)
{
    out->n_systems = engine->n_systems;
    out->n_atoms = batch->n_atoms;
    out->n_topologies = batch->n_topologies;
    for (int32_t i = 0; i < engine->n_systems; ++i) out->n_untyped += engine->systems[i].skip;
    out->host_bytes =
        (int64_t)engine->n_systems * (int64_t)(sizeof *engine->systems + sizeof *engine->results) +
        ((int64_t)batch->n_atoms + batch->n_auxiliary) * (int64_t)(2 * sizeof *engine->pos + 1);
}

shoal_status shoal_engine_plan(const shoal_batch *batch, const shoal_engine_options *options,
                               shoal_plan *out)
{
    shoal_clear_error();
    if (!batch || !out) return shoal_fail(SHOAL_E_ARGUMENT, "plan: no batch or no place for it");
    *out = (shoal_plan){.n_slices = 1};
    shoal_engine *engine = shoal_alloc(1, sizeof *engine);
    if (!engine) return SHOAL_E_MEMORY;
    shoal_status status = build(engine, batch, options, true);
    if (status == SHOAL_OK) {
        count_systems(engine, batch, out);
        status = engine_begin_run(engine);
        out->relaxes = engine->backend->step != NULL;
        if (status == SHOAL_OK && engine->backend->describe)
            status = engine->backend->describe(engine->exact.plan, engine->results, out);
    }
    shoal_engine_destroy(engine);
    return status;
}

void shoal_engine_destroy(shoal_engine *engine)
{
    if (!engine) return;
    engine_live_drop_md(engine);
    engine_live_free(engine->live);
    if (engine->exact.plan) engine->backend->destroy(engine->exact.plan);
    if (engine->fast.plan) engine->backend->destroy(engine->fast.plan);
    engine_shadow_destroy(engine->shadow);
    thread_pool_destroy(engine->pool);
    shoal_grid_destroy(engine->options.grid);
    shoal_surface_destroy(engine->options.surface);
    for (int32_t k = 0; k < engine->n_kept; ++k) shoal_topology_destroy(engine->kept[k]);
    free(engine->kept);
    free(engine->topologies);
    free(engine->systems);
    free(engine->results);
    free(engine->starts);
    free(engine->pos);
    free(engine->forces);
    free(engine->fixed);
    free(engine->restraints);
    free(engine->bodies);
    free(engine->warnings);
    free(engine->elastic);
    free(engine->symmetry);
    engine_view_free(engine);
    shoal_string_destroy(engine->stopped);
    engine_md_free(engine->md);
    free(engine);
}

void engine_warn(shoal_engine *engine, int32_t i, const char *text)
{
    char *warning = engine->warnings[i];
    const size_t used = strlen(warning), size = sizeof engine->warnings[i];
    if (*text && used + 3 < size)
        (void)snprintf(warning + used, size - used, "%s%s", used > 0 ? "; " : "", text);
}

/* Nothing of an earlier run may be taken for a result of the next. */
static void begin_system(void *what, int32_t i)
{
    shoal_engine *engine = what;
    const backend_system *s = &engine->systems[i];
    backend_result *r = &engine->results[i];
    char why[BACKEND_REASON_SIZE];
    if (engine->warnings) engine->warnings[i][0] = '\0';
    if (s->skip) return; /* its result stays what it is */
    if (engine->warnings) system_note(s, &engine->options, engine->warnings[i]);
    r->active = true;
    r->status = SHOAL_SYSTEM_OK;
    r->reason[0] = '\0';
    r->steps = r->outcome = 0;
    r->energy0 = 0;
    for (int k = 0; k < 6; ++k) r->strain[k] = NAN;
    memset(r->terms0, 0, sizeof r->terms0);
    /* Of an isolated system within reach its numbers will tell; a sum over a lattice may not even begin. */
    const bool periodic = s->view.pbc[0] || s->view.pbc[1] || s->view.pbc[2];
    const bool damped = s->view.model && engine->options.coulomb_damping > 0;
    const bool doubtful = periodic || damped || engine->options.surface ||
                          system_find_far((const double(*)[3])r->pos, s->view.n_atoms) >= 0;
    if (!doubtful || system_check(s, &engine->options, r))
        placement_check(s, &engine->options, (const double(*)[2])engine->lattice, r);
    if (r->active && !bodies_check(engine, i, why))
        shoal_backend_reject(r, engine_n_movers(engine, i), SHOAL_SYSTEM_UNTYPED, "%s", why);
    r->refused = !r->active;
}

void engine_reject_not_finite(shoal_engine *engine, int32_t i)
{
    const backend_system *s = &engine->systems[i];
    backend_result *r = &engine->results[i];
    char why[BACKEND_REASON_SIZE];
    if (!system_check(s, &engine->options, r)) return;
    shoal_backend_not_finite(r, engine_n_movers(engine, i));
    if (!geometry_is_collapsed(s, NULL, r, why)) return;
    const size_t used = strlen(r->reason);
    (void)snprintf(r->reason + used, sizeof r->reason - used, ": %s", why);
}

shoal_status engine_begin_run(shoal_engine *engine)
{
    SHOAL_TRY(engine_live_pause(engine));
    SHOAL_TRY(engine_need_plan(engine, &engine->exact));
    engine->flat_is_fresh = engine->evaluated = engine->cell_moved = false;
    engine->has_elastic = engine->has_symmetry = false;
    thread_pool_for(engine->pool, engine->n_systems, begin_system, engine);
    return SHOAL_OK;
}

shoal_status engine_read(shoal_engine *engine, const void *plan, const backend_part *part,
                         uint32_t fields)
{
    SHOAL_TRY(engine->backend->read((void *)(uintptr_t)plan, fields, engine->results));
    for (int32_t k = 0; k < part->n && engine->bodies && fields & BACKEND_FORCES; ++k)
        if (engine->results[part->systems[k]].active) bodies_fmax(engine, part->systems[k]);
    return SHOAL_OK;
}

shoal_status engine_evaluate(shoal_engine *engine, engine_plan *plan, uint32_t fields)
{
    const shoal_backend *b = engine->backend;
    backend_part part;
    SHOAL_TRY(b->first(plan->plan, NULL, engine->results));
    for (;;) {
        SHOAL_TRY(b->next(plan->plan, engine->results, &part));
        if (part.n == 0) return SHOAL_OK;
        SHOAL_TRY(b->eval(plan->plan, fields));
        SHOAL_TRY(engine_read(engine, plan->plan, &part, fields));
    }
}

static void check_finite(void *what, int32_t i)
{
    shoal_engine *engine = what;
    backend_result *r = &engine->results[i];
    if (r->active && (!isfinite(r->energy) || !isfinite(r->fmax)))
        engine_reject_not_finite(engine, i);
}

/* A system that has collapsed into the substrate keeps that verdict, which names the atoms. */
static void check_end(void *what, int32_t i)
{
    shoal_engine *engine = what;
    const backend_result *r = &engine->results[i];
    if (r->active && r->status != SHOAL_SYSTEM_COLLAPSED)
        placement_check(&engine->systems[i], &engine->options, (const double(*)[2])engine->lattice,
                        &engine->results[i]);
}

void engine_check_placement(shoal_engine *engine)
{
    if (engine->options.surface)
        thread_pool_for(engine->pool, engine->n_systems, check_end, engine);
}

shoal_status shoal_engine_eval(shoal_engine *engine)
{
    shoal_clear_error();
    if (!engine) return shoal_fail(SHOAL_E_ARGUMENT, "eval: no engine");
    SHOAL_TRY(engine_begin_run(engine));
    SHOAL_TRY(engine_evaluate(engine, &engine->exact, ENGINE_END));
    thread_pool_for(engine->pool, engine->n_systems, check_finite, engine);
    engine_warn_of_clamps(engine);
    if (engine->shadow) SHOAL_TRY(engine_shadow_compare(engine->shadow, engine));
    engine->evaluated = true;
    return SHOAL_OK;
}

static shoal_status check_index(const shoal_engine *engine, int32_t i_system)
{
    if (!engine) return shoal_fail(SHOAL_E_ARGUMENT, "no engine");
    if (i_system >= 0 && i_system < engine->n_systems) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "system %d, expected 0 to %d", i_system,
                      engine->n_systems - 1);
}

/* A surface does not follow the strain of what stands on it. */
static void find_stress(const shoal_engine *engine, int32_t i, shoal_result *out)
{
    const backend_system *s = &engine->systems[i];
    geom_lattice lattice;
    const bool repeats = lattice_init(&lattice, s->cell, s->view.pbc) && lattice.n_periodic > 0;
    out->measure = repeats ? lattice.measure : NAN;
    out->measure0 = repeats && engine->cell_moved ? engine->results[i].measure0 : out->measure;
    out->pressure = repeats && engine->cell_moved ? engine->pressure : NAN;
    for (int k = 0; k < 6; ++k)
        out->stress[k] =
            engine->options.surface ? NAN : engine->results[i].strain[k] / out->measure;
}

shoal_status shoal_engine_result(const shoal_engine *engine, int32_t i_system, shoal_result *out)
{
    shoal_clear_error();
    SHOAL_TRY(check_index(engine, i_system));
    if (!out) return shoal_fail(SHOAL_E_ARGUMENT, "result: no place for it");
    if (!engine->evaluated)
        return shoal_fail(SHOAL_E_ARGUMENT, "result: nothing was evaluated yet");
    SHOAL_TRY(engine_live_settle((shoal_engine *)engine)); /* what it has found is not changed */
    const backend_result *r = &engine->results[i_system];
    *out = (shoal_result){.status = r->status,
                          .reason = engine->systems[i_system].skip
                                        ? shoal_topology_reason(engine->topologies[i_system])
                                        : r->reason,
                          .energy = r->energy,
                          .fmax = r->fmax,
                          .forces = (const double(*)[3])r->forces};
    out->n_terms = terms_shown(engine->systems[i_system].view.n_directions > 0);
    out->terms = r->terms;
    out->steps = r->steps;
    out->energy0 = r->energy0;
    out->terms0 = r->terms0;
    out->warning = engine->warnings ? engine->warnings[i_system] : "";
    out->coulomb_sum = r->mesh ? SHOAL_EWALD_MESH : SHOAL_EWALD_PLAIN;
    find_stress(engine, i_system, out);
    if (engine->has_symmetry) {
        out->n_symmetry = engine->symmetry[i_system].n;
        out->symmetry_moved = engine->symmetry[i_system].moved;
    }
    if (engine->has_elastic && isfinite(engine->elastic[i_system][0][0]))
        out->elastic = (const double(*)[6])engine->elastic[i_system];
    return SHOAL_OK;
}

shoal_status shoal_engine_set_positions(shoal_engine *engine, int32_t i_system,
                                        const double (*pos)[3])
{
    shoal_clear_error();
    SHOAL_TRY(check_index(engine, i_system));
    const int32_t n = engine->starts[i_system + 1] - engine->starts[i_system];
    if (n > 0 && !pos) return shoal_fail(SHOAL_E_ARGUMENT, "set_positions: no positions");
    SHOAL_TRY(engine_live_pause(engine));
    if (n > 0) memcpy(engine->results[i_system].pos, pos, (size_t)n * sizeof *pos);
    place_auxiliary(engine, i_system);
    engine->flat_is_fresh = false;
    return SHOAL_OK;
}

shoal_status shoal_engine_set_all_positions(shoal_engine *engine, const double (*pos)[3])
{
    shoal_clear_error();
    if (!engine) return shoal_fail(SHOAL_E_ARGUMENT, "set_all_positions: no engine");
    const size_t n = (size_t)engine->starts[engine->n_systems];
    if (n > 0 && !pos) return shoal_fail(SHOAL_E_ARGUMENT, "set_all_positions: no positions");
    SHOAL_TRY(engine_live_pause(engine));
    if (n > 0 && engine->n_auxiliary == 0) memcpy(engine->pos, pos, n * sizeof *pos);
    for (int32_t i = 0; i < engine->n_systems && engine->n_auxiliary > 0; ++i)
        SHOAL_TRY(shoal_engine_set_positions(engine, i, pos ? pos + engine->starts[i] : NULL));
    return SHOAL_OK;
}

const double (*shoal_engine_positions(const shoal_engine *engine, int32_t i_system))[3]
{
    if (!engine || i_system < 0 || i_system >= engine->n_systems) return NULL;
    if (engine_live_place((shoal_engine *)engine) != SHOAL_OK) return NULL;
    return (const double(*)[3])engine->results[i_system].pos;
}

const double (*shoal_engine_cell(const shoal_engine *engine, int32_t i_system))[3]
{
    if (!engine || i_system < 0 || i_system >= engine->n_systems) return NULL;
    return (const double(*)[3])engine->systems[i_system].cell;
}

shoal_status shoal_engine_explain(const shoal_engine *engine, int32_t i_system,
                                  shoal_term_visitor *visit, void *user)
{
    shoal_clear_error();
    SHOAL_TRY(check_index(engine, i_system));
    if (!visit) return shoal_fail(SHOAL_E_ARGUMENT, "explain: no visitor");
    SHOAL_TRY(engine_live_place((shoal_engine *)engine));
    const backend_system *system = &engine->systems[i_system];
    const double(*pos)[3] = (const double(*)[3])engine->results[i_system].pos;
    backend_result verdict = {.pos = engine->results[i_system].pos};
    if (system->skip || !system_check(system, &engine->options, &verdict)) return SHOAL_OK;
    return explain_interactions(system, pos, &engine->options, visit, user);
}
