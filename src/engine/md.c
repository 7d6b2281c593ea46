/* SPDX-License-Identifier: BSD-3-Clause
 * Dynamics: segments of steps on every part of a batch, the same for every backend. */
#include "engine/md.h"
#include "engine/bodies.h"
#include "engine/live.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "constants.h"
#include "layout.h"

/* What a sample is made of. */
#define NUMBERS (BACKEND_FORCES | BACKEND_TERMS)

/* --- progress ------------------------------------------------------------------------------------- */

static bool tell(md_run *run, int64_t n_made, double energy, double fmax)
{
    const bool alone = run->engine->n_systems == 1;
    const shoal_progress p = {.n_systems = run->engine->n_systems,
                              .n_done = run->n_done,
                              .n_failed = run->n_failed,
                              .n_evaluations = n_made,
                              .energy = alone ? energy : NAN,
                              .fmax = alone ? fmax : NAN};
    if (run->monitor && !run->stop) run->stop = !run->monitor(run->user, &p);
    return !run->stop;
}

static bool go_on(void *user, int64_t n_evaluations, int64_t n_done, double energy, double fmax)
{
    md_run *run = user;
    (void)n_done;
    return tell(run, run->n_made + n_evaluations, energy, fmax);
}

/* --- segments ------------------------------------------------------------------------------------- */

void md_reject(md_run *run, int32_t i)
{
    shoal_engine *engine = run->engine;
    backend_result *r = &engine->results[i];
    const int32_t step = r->steps;
    if (r->outcome == STEP_UNSTABLE)
        shoal_backend_reject(
            r, engine_n_movers(engine, i), SHOAL_SYSTEM_UNSTABLE,
            "at step %d (%g fs) an atom would move farther than %g A in one step%s; "
            "a shorter time step may help",
            step, step * run->options.dt, MD_MOST,
            run->options.rigid_bonds ? ", or a rigid bond was lost" : "");
    else
        shoal_backend_reject(r, engine_n_movers(engine, i), SHOAL_SYSTEM_NOT_FINITE,
                             "forces or energies are not finite at step %d (%g fs)", step,
                             step * run->options.dt);
}

/* A system that has come to a bad end sits out from now on. */
static void fail_system(md_run *run, int32_t i)
{
    md_reject(run, i);
    run->gone[i] = true;
    ++run->n_done;
    ++run->n_failed;
}

static void look_for_failures(md_run *run, const backend_part *part)
{
    for (int32_t k = 0; k < part->n; ++k) {
        const int32_t i = part->systems[k];
        const backend_result *r = &run->engine->results[i];
        if (r->active && (r->outcome == STEP_UNSTABLE || r->outcome == STEP_NOT_FINITE))
            fail_system(run, i);
    }
}

static int64_t count_active(const md_run *run, const backend_part *part)
{
    int64_t n = 0;
    for (int32_t k = 0; k < part->n; ++k) n += run->engine->results[part->systems[k]].active;
    return n;
}

static shoal_status sample_part(md_run *run, const backend_part *part, int32_t step)
{
    shoal_engine *engine = run->engine;
    const shoal_backend *b = engine->backend;
    if (count_active(run, part) == 0) return SHOAL_OK;
    SHOAL_TRY(b->eval(engine->exact.plan, NUMBERS));
    SHOAL_TRY(engine_read(engine, engine->exact.plan, part,
                          NUMBERS | BACKEND_POSITIONS | BACKEND_VELOCITIES));
    for (int32_t k = 0; k < part->n; ++k) {
        backend_result *r = &engine->results[part->systems[k]];
        const bool finite = isfinite(r->energy) && isfinite(r->fmax);
        if (!r->active || (finite && !md_rigid_is_lost(run, part->systems[k]))) continue;
        r->steps = step;
        r->outcome = finite ? STEP_UNSTABLE : STEP_NOT_FINITE;
        fail_system(run, part->systems[k]);
    }
    return md_sample(run, part->systems, part->n, step);
}

/* Steps of one part until the end of the segment, or until the monitor has enough. */
static shoal_status run_part(md_run *run, const backend_part *part, int32_t until)
{
    shoal_engine *engine = run->engine;
    const shoal_backend *b = engine->backend;
    void *plan = engine->exact.plan;
    const backend_poll poll = {go_on, run};
    const int32_t stride = run->options.stride;
    for (int32_t step = run->step; step < until && !run->stop;) {
        if (step % stride == 0) SHOAL_TRY(sample_part(run, part, step));
        const int32_t next = step + stride - step % stride, to = next < until ? next : until;
        const int64_t n = count_active(run, part);
        if (n == 0) return SHOAL_OK;
        const uint32_t end = to == until ? BACKEND_POSITIONS | BACKEND_VELOCITIES : 0;
        SHOAL_TRY(b->step(plan, to - step, BACKEND_STEPS | end, &poll));
        SHOAL_TRY(b->read(plan, BACKEND_STEPS | end, engine->results));
        look_for_failures(run, part);
        run->n_made += n * (to - step);
        step = to;
        (void)tell(run, run->n_made, NAN, NAN);
    }
    if (until == run->options.n_steps && !run->stop) return sample_part(run, part, until);
    return SHOAL_OK;
}

/* Who makes this segment, and in what bath. */
static int32_t begin_segment(md_run *run, int32_t until)
{
    shoal_engine *engine = run->engine;
    int32_t n = 0;
    for (int32_t i = 0; i < engine->n_systems; ++i) {
        backend_result *r = &engine->results[i];
        r->active = !run->gone[i] && run->walkers[i].step == run->step;
        if (!r->active) continue;
        const double from = BOLTZMANN * md_temperature(run, i, run->step);
        run->baths[i].n_dof = run->walkers[i].n_dof;
        run->baths[i].kt = from;
        run->baths[i].kt_change =
            (BOLTZMANN * md_temperature(run, i, until) - from) / (until - run->step);
        r->steps = run->step;
        r->outcome = STEP_GOING;
        ++n;
    }
    return n;
}

/* Where states are taken from until the next one. */
static void keep(md_run *run)
{
    const shoal_engine *engine = run->engine;
    const size_t n = engine_all_movers(engine);
    if (n > 0) memcpy(run->kept_pos, engine->pos, n * sizeof *engine->pos);
    if (n > 0) memcpy(run->kept_velocities, engine->md->velocities, n * sizeof *engine->pos);
    memcpy(run->kept, run->walkers, (size_t)engine->n_systems * sizeof *run->walkers);
}

/* Those that the backend cannot begin with. */
static void note_rejected(md_run *run)
{
    for (int32_t i = 0; i < run->engine->n_systems; ++i) {
        if (run->gone[i] || run->walkers[i].step != run->step || run->engine->results[i].active)
            continue;
        run->gone[i] = true;
        ++run->n_done;
        ++run->n_failed;
    }
}

static shoal_status run_segment(md_run *run, int32_t until)
{
    shoal_engine *engine = run->engine;
    const shoal_backend *b = engine->backend;
    const backend_driver driver = {.md = &run->md, .bodies = bodies_of(run->bodies)};
    backend_part part;
    if (begin_segment(run, until) == 0) return SHOAL_OK;
    SHOAL_TRY(b->first(engine->exact.plan, &driver, engine->results));
    note_rejected(run);
    while (!run->stop) {
        SHOAL_TRY(b->next(engine->exact.plan, engine->results, &part));
        if (part.n == 0) break;
        SHOAL_TRY(b->start(engine->exact.plan, &driver, engine->results));
        SHOAL_TRY(run_part(run, &part, until));
    }
    return SHOAL_OK;
}

/* --- between segments ----------------------------------------------------------------------------- */

static int32_t next_multiple(int32_t step, int32_t every)
{
    return every > 0 && step <= INT32_MAX - every ? step + every - step % every : INT32_MAX;
}

/* A segment ends where anything happens to baths or velocities. */
static int32_t end_of_segment(const md_run *run)
{
    const int32_t ends[] = {next_multiple(run->step, MD_SEGMENT), md_next_bend(run, run->step),
                            next_multiple(run->step, run->options.remove_every),
                            next_multiple(run->step, run->options.exchange_every)};
    int32_t until = run->options.n_steps;
    for (size_t k = 0; k < sizeof ends / sizeof ends[0]; ++k)
        if (ends[k] < until) until = ends[k];
    return until;
}

static shoal_status exchange(md_run *run)
{
    SHOAL_TRY(engine_evaluate(run->engine, &run->engine->exact, NUMBERS));
    md_exchange(run, run->step);
    return SHOAL_OK;
}

static void remove_motion(md_run *run)
{
    const shoal_engine *engine = run->engine;
    for (int32_t i = 0; i < engine->n_systems; ++i) {
        const backend_result *r = &engine->results[i];
        if (r->active && md_is_free(engine, i))
            (void)md_remove_motion(engine->systems[i].view.n_atoms,
                                   engine->systems[i].view.n_directions, run->baths[i].masses,
                                   (const double(*)[3])r->pos, !md_is_periodic(&engine->systems[i]),
                                   r->velocities);
    }
}

/* All that took part have come to the step; what is due there is done. */
static shoal_status end_segment(md_run *run, int32_t until)
{
    const shoal_md_options *o = &run->options;
    for (int32_t i = 0; i < run->engine->n_systems; ++i) {
        const backend_result *r = &run->engine->results[i];
        if (!r->active) continue;
        run->walkers[i].step = until;
        memcpy(run->walkers[i].thermostat, r->thermostat, sizeof r->thermostat);
        run->n_done += until == o->n_steps;
    }
    run->step = until;
    if (until == o->n_steps) return SHOAL_OK;
    if (o->exchange_every > 0 && until % o->exchange_every == 0) SHOAL_TRY(exchange(run));
    if (o->remove_every > 0 && until % o->remove_every == 0) remove_motion(run);
    keep(run);
    return SHOAL_OK;
}

/* --- the run -------------------------------------------------------------------------------------- */

/* A state holds until the monitor, or its caller, has seen it. */
static shoal_status keep_stopped(md_run *run)
{
    if (!run->stop) return SHOAL_OK;
    SHOAL_TRY(shoal_string_create(&run->engine->stopped));
    return md_state_save(run, run->engine->stopped);
}

static shoal_status run_all(md_run *run)
{
    SHOAL_TRY(md_state_load(run));
    keep(run);
    while (run->step < run->options.n_steps && !run->stop) {
        const int32_t until = end_of_segment(run);
        SHOAL_TRY(run_segment(run, until));
        if (!run->stop) SHOAL_TRY(end_segment(run, until));
    }
    return keep_stopped(run);
}

/* Those that a monitor stopped stand where they stood when it did; their numbers are of that place. */
static shoal_status evaluate_stopped(md_run *run)
{
    shoal_engine *engine = run->engine;
    for (int32_t i = 0; i < engine->n_systems; ++i)
        engine->results[i].active = !run->gone[i] && run->walkers[i].step < run->options.n_steps;
    return engine_evaluate(engine, &engine->exact, NUMBERS);
}

static void judge(md_run *run)
{
    shoal_engine *engine = run->engine;
    for (int32_t i = 0; i < engine->n_systems; ++i) {
        backend_result *r = &engine->results[i];
        if (run->gone[i]) continue;
        r->active = true;
        const bool done = run->walkers[i].step == run->options.n_steps;
        r->status = done ? SHOAL_SYSTEM_OK : SHOAL_SYSTEM_MAX_STEPS;
        if (done) r->steps = run->options.n_steps;
        if (!isfinite(r->energy) || !isfinite(r->fmax)) engine_reject_not_finite(engine, i);
    }
}

static shoal_status run_to_end(md_run *run)
{
    shoal_engine *engine = run->engine;
    SHOAL_TRY(md_begin(run));
    engine->md_run = run;
    shoal_status status = run_all(run);
    engine->md_run = NULL;
    if (status == SHOAL_OK && run->stop) status = evaluate_stopped(run);
    if (status != SHOAL_OK) return status;
    judge(run);
    engine_check_placement(engine);
    engine_warn_of_clamps(engine);
    md_make_results(run);
    return engine->shadow ? engine_shadow_compare(engine->shadow, engine) : SHOAL_OK;
}

shoal_status shoal_engine_md(shoal_engine *engine, const shoal_md_options *options,
                             shoal_monitor *monitor, void *user)
{
    shoal_clear_error();
    if (!engine) return shoal_fail(SHOAL_E_ARGUMENT, "md: no engine");
    if (!engine->backend->step)
        return shoal_fail(SHOAL_E_UNSUPPORTED, "md: the device '%s' computes single points only",
                          engine->backend->name);
    md_run run = {.engine = engine, .monitor = monitor, .user = user};
    SHOAL_TRY(md_fill_options(engine, options, &run.options));
    shoal_string_destroy(engine->stopped);
    engine->stopped = NULL;
    SHOAL_TRY(engine_begin_run(engine));
    engine_live_drop_md(engine);
    for (int32_t i = 0; i < engine->n_systems; ++i) run.n_done += !engine->results[i].active;
    run.n_failed = run.n_done;
    const shoal_status status = run_to_end(&run);
    md_end(&run);
    SHOAL_TRY(status);
    engine->evaluated = true;
    return SHOAL_OK;
}
