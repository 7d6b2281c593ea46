/* SPDX-License-Identifier: BSD-3-Clause
 * Engines: a copy of a batch, compiled for one backend, and the results of its last run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "backend/backend.h"
#include "base/alloc.h"
#include "base/error.h"
#include "batch/batch.h"
#include "run/explain.h"
#include "run/geometry.h"
#include "run/interaction.h"
#include "run/placement.h"
#include "shoal/device.h"

#define FEW_SYSTEMS 256 /* below this, loops over the results take less than waking threads up */
#define POOL_MOST 8     /* and more threads than this would wait for each other */

struct shoal_engine {
    const shoal_backend *backend;
    void *plan;
    shoal_engine_options options; /* defaults filled in; device is not kept */
    backend_input input;
    shoal_topology **topologies; /* [n_systems], references of the engine's own */
    backend_system *systems;     /* [n_systems] */
    backend_result *results;     /* [n_systems] */
    double (*pos)[3];            /* of all systems together */
    double (*forces)[3];
    bool *fixed; /* of all systems together */
    shoal_restraint *restraints;
    char (*warnings)[BACKEND_REASON_SIZE]; /* [n_systems] after a relaxation, else NULL */
    double lattice[2][2];                  /* of the surface, see placement_lattice */
    bool evaluated;
};

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
    SHOAL_TRY(check_range("device_bytes", (double)options->device_bytes, 0.0, 1e18));
    if (options->precision < SHOAL_PRECISION_AUTO || options->precision > SHOAL_PRECISION_DOUBLE)
        return shoal_fail(SHOAL_E_ARGUMENT, "engine: unknown precision %d",
                          (int)options->precision);
    if (options->mixing != SHOAL_MIXING_GEOMETRIC && options->mixing != SHOAL_MIXING_ARITHMETIC)
        return shoal_fail(SHOAL_E_ARGUMENT, "engine: unknown mixing rule %d", (int)options->mixing);
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

static void copy_system(shoal_engine *engine, int32_t i, const batch_system *from,
                        int32_t *n_restraints)
{
    backend_system *s = &engine->systems[i];
    backend_result *r = &engine->results[i];
    engine->topologies[i] = shoal_topology_retain(from->topology);
    shoal_topology_get(engine->topologies[i], &s->view);
    s->pos = (const double(*)[3])(engine->pos + from->atom_start);
    memcpy(s->cell, from->cell, sizeof s->cell);
    s->fixed = from->fixed ? engine->fixed + from->atom_start : NULL;
    if (from->fixed)
        memcpy(engine->fixed + from->atom_start, from->fixed,
               (size_t)from->n_atoms * sizeof *from->fixed);
    s->restraints = engine->restraints + *n_restraints;
    s->n_restraints = from->n_restraints;
    if (from->n_restraints > 0)
        memcpy(engine->restraints + *n_restraints, from->restraints,
               (size_t)from->n_restraints * sizeof *from->restraints);
    *n_restraints += from->n_restraints;
    r->forces = engine->forces + from->atom_start;
    r->pos = engine->pos + from->atom_start;
    const shoal_system_status status = shoal_topology_status(from->topology);
    s->skip = status != SHOAL_SYSTEM_OK;
    if (s->skip) shoal_backend_reject(r, from->n_atoms, status, "%s", "");
}

static shoal_status copy_batch(shoal_engine *engine, const shoal_batch *batch)
{
    const size_t n_systems = (size_t)batch->n_systems, n_atoms = (size_t)batch->n_atoms;
    engine->topologies = shoal_alloc(n_systems, sizeof *engine->topologies);
    engine->systems = shoal_alloc(n_systems, sizeof *engine->systems);
    engine->results = shoal_alloc(n_systems, sizeof *engine->results);
    engine->pos = shoal_alloc(n_atoms, sizeof *engine->pos);
    engine->forces = shoal_alloc(n_atoms, sizeof *engine->forces);
    engine->fixed = shoal_alloc(n_atoms, sizeof *engine->fixed);
    size_t n_restraints = 0;
    for (int32_t i = 0; i < batch->n_systems; ++i)
        n_restraints += (size_t)batch->systems[i].n_restraints;
    engine->restraints = shoal_alloc(n_restraints, sizeof *engine->restraints);
    if (!engine->topologies || !engine->systems || !engine->results || !engine->pos ||
        !engine->forces || !engine->fixed || !engine->restraints)
        return SHOAL_E_MEMORY;
    if (n_atoms > 0) memcpy(engine->pos, batch->pos, n_atoms * sizeof *engine->pos);
    engine->input = (backend_input){
        .n_systems = batch->n_systems, .systems = engine->systems, .options = &engine->options};
    int32_t restraints = 0;
    for (int32_t i = 0; i < batch->n_systems; ++i)
        copy_system(engine, i, &batch->systems[i], &restraints);
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

static shoal_status build(shoal_engine *engine, const shoal_batch *batch,
                          const shoal_engine_options *options, bool dry)
{
    const char *argument, *device = options ? options->device : NULL;
    const shoal_backend *backend;
    char chosen[24];
    if (device && strcmp(device, "auto") == 0) {
        SHOAL_TRY(shoal_device_resolve(device, chosen));
        device = chosen;
    }
    SHOAL_TRY(shoal_backend_find(device, &backend, &argument));
    const shoal_status filled = fill_options(options, &engine->options);
    SHOAL_TRY(keep_surface(&engine->options));
    SHOAL_TRY(filled);
    SHOAL_TRY(copy_batch(engine, batch));
    SHOAL_TRY(placement_lattice(&engine->input, engine->lattice));
    engine->input.dry = dry;
    if (!dry && batch->n_systems >= FEW_SYSTEMS)
        engine->input.pool = thread_pool_create(count_threads(&engine->options));
    SHOAL_TRY(backend->create(&engine->plan, argument, &engine->input));
    engine->backend = backend;
    return SHOAL_OK;
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
    const backend_input *in = &engine->input;
    out->n_systems = in->n_systems;
    out->n_atoms = batch->n_atoms;
    out->n_topologies = batch->n_topologies;
    for (int32_t i = 0; i < in->n_systems; ++i) out->n_untyped += in->systems[i].skip;
    out->host_bytes =
        (int64_t)in->n_systems * (int64_t)(sizeof *in->systems + sizeof *engine->results) +
        (int64_t)batch->n_atoms * (int64_t)(2 * sizeof *engine->pos + 1);
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
        out->relaxes = engine->backend->relax != NULL;
        if (engine->backend->describe)
            status = engine->backend->describe(engine->plan, engine->results, out);
    }
    shoal_engine_destroy(engine);
    return status;
}

void shoal_engine_destroy(shoal_engine *engine)
{
    if (!engine) return;
    if (engine->backend) engine->backend->destroy(engine->plan);
    thread_pool_destroy(engine->input.pool);
    shoal_grid_destroy(engine->options.grid);
    shoal_surface_destroy(engine->options.surface);
    for (int32_t i = 0; i < engine->input.n_systems; ++i)
        shoal_topology_destroy(engine->topologies[i]);
    free(engine->topologies);
    free(engine->systems);
    free(engine->results);
    free(engine->pos);
    free(engine->forces);
    free(engine->fixed);
    free(engine->restraints);
    free(engine->warnings);
    free(engine);
}

/* Nothing of an earlier run may be taken for a result of the next. */
static void forget_result(void *what, int32_t i)
{
    shoal_engine *engine = what;
    backend_result *r = &engine->results[i];
    if (engine->warnings) engine->warnings[i][0] = '\0';
    if (engine->systems[i].skip) return; /* its result stays what it is */
    r->reason[0] = '\0';
    r->steps = 0;
    r->energy0 = 0;
    memset(r->terms0, 0, sizeof r->terms0);
}

static void forget_results(shoal_engine *engine)
{
    thread_pool_for(engine->input.pool, engine->input.n_systems, forget_result, engine);
}

static void check_geometry(void *what, int32_t i)
{
    shoal_engine *engine = what;
    geometry_check(&engine->systems[i], &engine->results[i], engine->warnings[i]);
}

static void check_placement(shoal_engine *engine, int32_t i, const double (*pos)[3])
{
    backend_result *r = &engine->results[i];
    if (!engine->systems[i].skip && r->status != SHOAL_SYSTEM_NOT_FINITE)
        placement_check(&engine->systems[i], pos, &engine->options,
                        (const double(*)[2])engine->lattice, r);
}

shoal_status shoal_engine_eval(shoal_engine *engine)
{
    shoal_clear_error();
    if (!engine) return shoal_fail(SHOAL_E_ARGUMENT, "eval: no engine");
    forget_results(engine);
    SHOAL_TRY(engine->backend->eval(engine->plan, engine->results));
    for (int32_t i = 0; i < engine->input.n_systems; ++i)
        check_placement(engine, i, (const double(*)[3])engine->results[i].pos);
    engine->evaluated = true;
    return SHOAL_OK;
}

static shoal_status fill_relax(const shoal_relax_options *given, shoal_relax_options *options)
{
    *options = given ? *given : (shoal_relax_options){0};
    if (options->fmax == 0.0) options->fmax = 0.01;
    if (options->max_steps == 0) options->max_steps = 5000;
    if (options->max_move == 0.0) options->max_move = 0.2;
    SHOAL_TRY(check_range("fmax", options->fmax, 1e-12, 1e6));
    SHOAL_TRY(check_range("max_steps", options->max_steps, 1.0, 1e9));
    SHOAL_TRY(check_range("max_move", options->max_move, 1e-6, 10.0));
    if (options->method != SHOAL_METHOD_LBFGS && options->method != SHOAL_METHOD_FIRE)
        return shoal_fail(SHOAL_E_ARGUMENT, "relax: unknown method %d", (int)options->method);
    return SHOAL_OK;
}

/* Relaxes; systems that began where they must not be stay there, and others may have ended there. */
static shoal_status relax_placed(shoal_engine *engine, const backend_relax *relax)
{
    int32_t n_atoms = 0;
    for (int32_t i = 0; i < engine->input.n_systems; ++i)
        n_atoms += engine->systems[i].view.n_atoms;
    double(*start)[3] = shoal_alloc((size_t)n_atoms, sizeof *start);
    if (!start) return SHOAL_E_MEMORY;
    if (n_atoms > 0) memcpy(start, engine->pos, (size_t)n_atoms * sizeof *start);
    const shoal_status status = engine->backend->relax(engine->plan, relax, engine->results);
    for (int32_t i = 0; i < engine->input.n_systems && status == SHOAL_OK; ++i) {
        backend_result *r = &engine->results[i];
        const double(*began)[3] = (const double(*)[3])(start + (r->pos - engine->pos));
        check_placement(engine, i, began);
        if (r->status == SHOAL_SYSTEM_BELOW_SURFACE || r->status == SHOAL_SYSTEM_OUT_OF_GRID)
            memcpy(r->pos, began, (size_t)engine->systems[i].view.n_atoms * sizeof *began);
        else
            check_placement(engine, i, (const double(*)[3])r->pos);
    }
    free(start);
    return status;
}

shoal_status shoal_engine_relax(shoal_engine *engine, const shoal_relax_options *options,
                                shoal_monitor *monitor, void *user)
{
    shoal_clear_error();
    if (!engine) return shoal_fail(SHOAL_E_ARGUMENT, "relax: no engine");
    if (!engine->backend->relax)
        return shoal_fail(SHOAL_E_UNSUPPORTED, "relax: the device '%s' computes single points only",
                          engine->backend->name);
    backend_relax relax = {.monitor = monitor, .user = user};
    SHOAL_TRY(fill_relax(options, &relax.options));
    if (!engine->warnings)
        engine->warnings = shoal_alloc((size_t)engine->input.n_systems, sizeof *engine->warnings);
    if (!engine->warnings) return SHOAL_E_MEMORY;
    forget_results(engine);
    if (engine->options.surface)
        SHOAL_TRY(relax_placed(engine, &relax));
    else
        SHOAL_TRY(engine->backend->relax(engine->plan, &relax, engine->results));
    thread_pool_for(engine->input.pool, engine->input.n_systems, check_geometry, engine);
    engine->evaluated = true;
    return SHOAL_OK;
}

static shoal_status check_index(const shoal_engine *engine, int32_t i_system)
{
    if (!engine) return shoal_fail(SHOAL_E_ARGUMENT, "no engine");
    if (i_system >= 0 && i_system < engine->input.n_systems) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "system %d, expected 0 to %d", i_system,
                      engine->input.n_systems - 1);
}

shoal_status shoal_engine_result(const shoal_engine *engine, int32_t i_system, shoal_result *out)
{
    shoal_clear_error();
    SHOAL_TRY(check_index(engine, i_system));
    if (!out) return shoal_fail(SHOAL_E_ARGUMENT, "result: no place for it");
    if (!engine->evaluated)
        return shoal_fail(SHOAL_E_ARGUMENT, "result: nothing was evaluated yet");
    const backend_result *r = &engine->results[i_system];
    *out = (shoal_result){.status = r->status,
                          .reason = engine->systems[i_system].skip
                                        ? shoal_topology_reason(engine->topologies[i_system])
                                        : r->reason,
                          .energy = r->energy,
                          .fmax = r->fmax,
                          .forces = (const double(*)[3])r->forces};
    out->n_terms = SHOAL_N_TERMS;
    out->terms = r->terms;
    out->steps = r->steps;
    out->energy0 = r->energy0;
    out->terms0 = r->terms0;
    out->warning = engine->warnings ? engine->warnings[i_system] : "";
    return SHOAL_OK;
}

shoal_status shoal_engine_set_positions(shoal_engine *engine, int32_t i_system,
                                        const double (*pos)[3])
{
    shoal_clear_error();
    SHOAL_TRY(check_index(engine, i_system));
    const int32_t n = engine->systems[i_system].view.n_atoms;
    if (n > 0 && !pos) return shoal_fail(SHOAL_E_ARGUMENT, "set_positions: no positions");
    if (n > 0) memcpy(engine->results[i_system].pos, pos, (size_t)n * sizeof *pos);
    return SHOAL_OK;
}

const double (*shoal_engine_positions(const shoal_engine *engine, int32_t i_system))[3]
{
    if (!engine || i_system < 0 || i_system >= engine->input.n_systems) return NULL;
    return (const double(*)[3])engine->results[i_system].pos;
}

shoal_status shoal_engine_explain(const shoal_engine *engine, int32_t i_system,
                                  shoal_term_visitor *visit, void *user)
{
    shoal_clear_error();
    SHOAL_TRY(check_index(engine, i_system));
    if (!visit) return shoal_fail(SHOAL_E_ARGUMENT, "explain: no visitor");
    const backend_system *system = &engine->systems[i_system];
    return system->skip ? SHOAL_OK : explain_interactions(system, &engine->options, visit, user);
}

shoal_status shoal_engine_interaction(const shoal_engine *engine, int32_t i_system, int term,
                                      const int32_t which[2], shoal_precision precision,
                                      shoal_interaction *ref, shoal_interaction *shared)
{
    shoal_clear_error();
    SHOAL_TRY(check_index(engine, i_system));
    if (!which || !ref || !shared) return shoal_fail(SHOAL_E_ARGUMENT, "interaction: no place");
    const backend_system *system = &engine->systems[i_system];
    if (system->skip)
        return shoal_fail(SHOAL_E_ARGUMENT, "system %d: %s", i_system,
                          shoal_topology_reason(engine->topologies[i_system]));
    return interaction_compare(system, &engine->options, term, which, precision, ref, shared);
}
