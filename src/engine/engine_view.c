/* SPDX-License-Identifier: BSD-3-Clause
 * The results of an engine as flat arrays, filled when they are asked for. */
#include "engine/engine_view.h"
#include "engine/live.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

void engine_view_free(shoal_engine *engine)
{
    free(engine->flat_energies);
    free(engine->flat_terms);
    free(engine->flat_fmax);
    free(engine->flat_steps);
    free(engine->flat_status);
    free(engine->flat_pos);
    free(engine->flat_forces);
}

static shoal_status allocate(shoal_engine *engine)
{
    const size_t n = (size_t)engine->n_systems;
    if (engine->flat_status) return SHOAL_OK;
    engine->flat_energies = shoal_alloc(n, sizeof *engine->flat_energies);
    engine->flat_terms = shoal_alloc(n * SHOAL_N_TERMS, sizeof *engine->flat_terms);
    engine->flat_fmax = shoal_alloc(n, sizeof *engine->flat_fmax);
    engine->flat_steps = shoal_alloc(n, sizeof *engine->flat_steps);
    engine->flat_status = shoal_alloc(n, sizeof *engine->flat_status);
    const size_t n_atoms = engine->n_auxiliary > 0 ? (size_t)engine->starts[n] : 0;
    engine->flat_pos = shoal_alloc(n_atoms, sizeof *engine->flat_pos);
    engine->flat_forces = shoal_alloc(n_atoms, sizeof *engine->flat_forces);
    if (engine->flat_energies && engine->flat_terms && engine->flat_fmax && engine->flat_steps &&
        engine->flat_status && engine->flat_pos && engine->flat_forces)
        return SHOAL_OK;
    engine_view_free(engine);
    engine->flat_energies = engine->flat_terms = engine->flat_fmax = NULL;
    engine->flat_steps = NULL;
    engine->flat_status = NULL;
    engine->flat_pos = engine->flat_forces = NULL;
    return SHOAL_E_MEMORY;
}

static void copy_result(void *what, int32_t i)
{
    shoal_engine *engine = what;
    const backend_result *r = &engine->results[i];
    engine->flat_energies[i] = r->energy;
    engine->flat_fmax[i] = r->fmax;
    engine->flat_steps[i] = r->steps;
    engine->flat_status[i] = r->status;
    memcpy(engine->flat_terms + (size_t)i * SHOAL_N_TERMS, r->terms, sizeof r->terms);
    const int32_t start = engine->starts[i];
    const size_t size = (size_t)(engine->starts[i + 1] - start) * sizeof *r->pos;
    if (engine->n_auxiliary == 0 || size == 0) return;
    memcpy(engine->flat_pos + start, r->pos, size);
    memcpy(engine->flat_forces + start, r->forces, size);
}

shoal_status shoal_engine_view(shoal_engine *engine, shoal_engine_results_view *out)
{
    shoal_clear_error();
    if (!engine || !out) return shoal_fail(SHOAL_E_ARGUMENT, "view: no engine or no place for it");
    if (!engine->evaluated) return shoal_fail(SHOAL_E_ARGUMENT, "view: nothing was evaluated yet");
    SHOAL_TRY(engine_live_settle(engine));
    SHOAL_TRY(allocate(engine));
    if (!engine->flat_is_fresh)
        thread_pool_for(engine->pool, engine->n_systems, copy_result, engine);
    engine->flat_is_fresh = true;
    const bool own = engine->n_auxiliary > 0;
    *out = (shoal_engine_results_view){
        .n_systems = engine->n_systems,
        .n_terms = SHOAL_N_TERMS,
        .starts = engine->starts,
        .positions = (const double(*)[3])(own ? engine->flat_pos : engine->pos),
        .forces = (const double(*)[3])(own ? engine->flat_forces : engine->forces),
        .energies = engine->flat_energies,
        .fmax = engine->flat_fmax,
        .terms = engine->flat_terms,
        .status = engine->flat_status,
        .steps = engine->flat_steps};
    return SHOAL_OK;
}
