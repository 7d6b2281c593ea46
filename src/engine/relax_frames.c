/* SPDX-License-Identifier: BSD-3-Clause
 * Frames of a trajectory: rounds of steps end where a system has one due, and it is evaluated there in the
 * precision of energies. Evaluations leave the state of a driver alone, so that frames change no bit. */
#include <stdlib.h>

#include "base/alloc.h"
#include "engine/relax.h"
#include "layout.h"

shoal_status relax_frames_begin(relax_run *run)
{
    const int32_t n = run->engine->n_systems;
    if (run->options.every == 0 || !run->options.frame) return SHOAL_OK;
    run->framed = shoal_alloc((size_t)n, sizeof *run->framed);
    if (!run->framed) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < n; ++i) run->framed[i] = -1;
    return SHOAL_OK;
}

static bool is_due(const relax_run *run, int32_t i)
{
    const backend_result *r = &run->engine->results[i];
    return r->outcome == STEP_GOING && r->steps % run->options.every == 0 &&
           r->steps != run->framed[i];
}

int32_t relax_frames_round(const relax_run *run)
{
    const int32_t every = run->options.every;
    int32_t round = run->part.round < every ? run->part.round : every;
    for (int32_t k = 0; k < run->part.n; ++k) {
        const backend_result *r = &run->engine->results[run->part.systems[k]];
        const int32_t left = every - r->steps % every;
        if (r->outcome == STEP_GOING && left < round) round = left;
    }
    return round;
}

static shoal_status show(relax_run *run, int32_t i)
{
    const backend_result *r = &run->engine->results[i];
    const shoal_relax_frame frame = {.i_system = i,
                                     .steps = r->steps,
                                     .pos = (const double(*)[3])r->pos,
                                     .forces = (const double(*)[3])r->forces,
                                     .energy = r->energy,
                                     .fmax = r->fmax,
                                     .terms = r->terms};
    run->framed[i] = r->steps;
    return run->options.frame(run->options.frame_user, &frame);
}

/* Where float makes the steps, the other plan is idle. */
static shoal_status evaluate(relax_run *run)
{
    shoal_engine *engine = run->engine;
    const shoal_backend *b = engine->backend;
    const uint32_t end = BACKEND_FORCES | BACKEND_TERMS;
    SHOAL_TRY(b->read(run->plan, BACKEND_POSITIONS, engine->results));
    if (run->phase == RELAX_FAST) return engine_evaluate(engine, &engine->exact, end);
    SHOAL_TRY(b->eval(run->plan, end));
    return engine_read(engine, run->plan, &run->part, end);
}

shoal_status relax_frames_show(relax_run *run)
{
    backend_result *results = run->engine->results;
    const backend_part *part = &run->part;
    int32_t n = 0;
    bool *due = shoal_alloc((size_t)part->n, sizeof *due);
    if (!due) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < part->n; ++k) n += due[k] = is_due(run, part->systems[k]);
    /* The others sit out. */
    for (int32_t k = 0; k < part->n; ++k) results[part->systems[k]].active = due[k];
    shoal_status status = n > 0 ? evaluate(run) : SHOAL_OK;
    for (int32_t k = 0; k < part->n; ++k) results[part->systems[k]].active = true;
    for (int32_t k = 0; k < part->n && status == SHOAL_OK; ++k)
        if (due[k]) status = show(run, part->systems[k]);
    free(due);
    return status;
}

/* A system that the monitor stopped has not come to its end. */
shoal_status relax_frames_end(relax_run *run)
{
    for (int32_t i = 0; i < run->engine->n_systems && run->framed; ++i) {
        const backend_result *r = &run->engine->results[i];
        const bool stopped =
            run->stop && r->status == SHOAL_SYSTEM_MAX_STEPS && r->steps < run->options.max_steps;
        if (r->active && !stopped) SHOAL_TRY(show(run, i));
    }
    return SHOAL_OK;
}
