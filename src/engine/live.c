/* SPDX-License-Identifier: BSD-3-Clause
 * Runs that go on: the state of a driver stays on the device between calls, and results come to the host when they are
 * asked for. */
#include "engine/live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/system_check.h"
#include "base/alloc.h"
#include "base/error.h"
#include "constants.h"
#include "layout.h"

#define MOST_STEPS 1000000000 /* of a relaxation: it ends by its caller */
#define ROUND 100 /* steps between two looks at the monitor, where the device names no number */
#define NUMBERS (BACKEND_FORCES | BACKEND_TERMS)

shoal_status engine_live_need(shoal_engine *engine)
{
    if (engine->live) return SHOAL_OK;
    engine->live = shoal_alloc(1, sizeof *engine->live);
    if (!engine->live) return SHOAL_E_MEMORY;
    engine->live->buffers = shoal_alloc((size_t)live_array_count(), sizeof(live_buffer));
    return engine->live->buffers ? SHOAL_OK : SHOAL_E_MEMORY;
}

void engine_live_drop_md(shoal_engine *engine)
{
    engine_live *live = engine->live;
    if (!live || !live->has_md) return;
    md_end(&live->md);
    live->has_md = false;
}

void engine_live_free(engine_live *live)
{
    if (!live) return;
    for (int32_t k = 0; k < live_array_count() && live->buffers; ++k) {
        free(live->buffers[k].data);
        free(live->buffers[k].starts);
    }
    free(live->buffers);
    free(live->md_systems);
    free(live->paces);
    free(live->start);
    free(live->masses);
    free(live->velocities);
    live_parameters_free(live->own);
    free(live);
}

/* --- what the host has ---------------------------------------------------------------------------- */

shoal_status engine_live_place(shoal_engine *engine)
{
    engine_live *live = engine->live;
    if (!live || !live->on || live->placed || live->part.n == 0) return SHOAL_OK;
    SHOAL_TRY(engine->backend->read(engine->exact.plan, BACKEND_POSITIONS, engine->results));
    live->placed = true;
    return SHOAL_OK;
}

/* An earlier verdict does not count: systems may have gone on. */
static void forget_verdict(void *what, int32_t k)
{
    shoal_engine *engine = what;
    const int32_t i = engine->live->part.systems[k];
    backend_result *r = &engine->results[i];
    r->active = true;
    r->status = SHOAL_SYSTEM_OK;
    r->reason[0] = '\0';
    engine->warnings[i][0] = '\0';
    system_note(&engine->systems[i], &engine->options, engine->warnings[i]);
}

static void judge_moving(void *what, int32_t k)
{
    shoal_engine *engine = what;
    engine_live *live = engine->live;
    const int32_t i = live->part.systems[k];
    const backend_result *r = &engine->results[i];
    if (r->outcome == STEP_UNSTABLE || r->outcome == STEP_NOT_FINITE)
        md_reject(&live->md, i);
    else if (!isfinite(r->energy) || !isfinite(r->fmax))
        engine_reject_not_finite(engine, i);
    else
        (void)md_meet_positions(&live->md, i, live->step);
}

static void judge_relaxing(void *what, int32_t k)
{
    shoal_engine *engine = what;
    relax_judge(&engine->live->relax, engine->live->part.systems[k]);
}

shoal_status engine_live_settle(shoal_engine *engine)
{
    engine_live *live = engine->live;
    if (!live || !live->on || live->settled || live->part.n == 0) return SHOAL_OK;
    const shoal_backend *b = engine->backend;
    const bool moving = live->motion.dynamics;
    const uint32_t all = BACKEND_POSITIONS | NUMBERS | BACKEND_STEPS;
    thread_pool_for(engine->pool, live->part.n, forget_verdict, engine);
    SHOAL_TRY(b->eval(engine->exact.plan, NUMBERS));
    SHOAL_TRY(
        b->read(engine->exact.plan, moving ? all | BACKEND_VELOCITIES : all, engine->results));
    thread_pool_for(engine->pool, live->part.n, moving ? judge_moving : judge_relaxing, engine);
    engine_check_placement(engine);
    engine_warn_of_clamps(engine);
    if (engine->shadow) SHOAL_TRY(engine_shadow_compare(engine->shadow, engine));
    live->placed = live->settled = true;
    return SHOAL_OK;
}

shoal_status engine_live_pause(shoal_engine *engine)
{
    engine_live *live = engine->live;
    if (!live || !live->on) return SHOAL_OK;
    const shoal_status status =
        live->motion.dynamics ? engine_live_settle(engine) : engine_live_place(engine);
    live->on = false;
    return status;
}

/* --- beginnings ----------------------------------------------------------------------------------- */

static bool is_same(const shoal_motion *a, const shoal_motion *b)
{
    if (a->dynamics != b->dynamics) return false;
    if (!a->dynamics)
        return a->method == b->method && a->fmax == b->fmax && a->max_move == b->max_move;
    return a->dt == b->dt && a->thermostat == b->thermostat && a->friction == b->friction &&
           a->tau == b->tau && a->temperature == b->temperature && a->seed == b->seed;
}

/* Fills the defaults in, and the options of the job that knows them. */
static shoal_status fill_motion(const shoal_engine *engine, const shoal_motion *given,
                                shoal_motion *m, shoal_relax_options *relax, shoal_md_options *md)
{
    *m = given ? *given : (shoal_motion){0};
    const shoal_relax_options r = {
        .method = m->method, .fmax = m->fmax, .max_move = m->max_move, .max_steps = MOST_STEPS};
    if (!m->dynamics) {
        SHOAL_TRY(relax_fill_options(&r, relax));
        m->fmax = relax->fmax;
        return SHOAL_OK;
    }
    if (m->temperature == 0.0) m->temperature = 300.0;
    const shoal_md_options o = {.dt = m->dt,
                                .thermostat = m->thermostat,
                                .friction = m->friction,
                                .tau = m->tau,
                                .temperatures = &m->temperature,
                                .n_temperatures = 1,
                                .seed = m->seed};
    SHOAL_TRY(md_fill_options(engine, &o, md));
    m->dt = md->dt;
    m->friction = md->friction;
    m->tau = md->tau;
    return SHOAL_OK;
}

/* Masses, velocities and degrees of freedom of systems that did not move before. */
static shoal_status first_velocities(shoal_engine *engine)
{
    engine_live *live = engine->live;
    if (!live->md_systems)
        live->md_systems = shoal_alloc((size_t)engine->n_systems, sizeof *live->md_systems);
    if (!live->md_systems) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < engine->n_systems; ++i) {
        const ptrdiff_t at = engine->starts[i];
        live->md_systems[i] = (shoal_md_system){
            .key = i,
            .masses = live->masses ? live->masses + at : NULL,
            .velocities = live->velocities ? (const double(*)[3])(live->velocities + at) : NULL};
    }
    live->md.options.systems = live->md_systems;
    const shoal_status status = md_begin(&live->md);
    live->has_md = true; /* also half made: it is to be freed */
    if (status != SHOAL_OK) engine_live_drop_md(engine);
    return status;
}

/* Velocities are those of the present coordinates, as at the first step of a run. */
static void go_on_moving(shoal_engine *engine)
{
    for (int32_t i = 0; i < engine->n_systems; ++i) {
        const ptrdiff_t first = engine_first_mover(engine, i);
        const size_t n = (size_t)engine_n_movers(engine, i);
        backend_result *r = &engine->results[i];
        r->velocities = engine->md->velocities + first;
        if (n > 0) memcpy(r->velocities, engine->md->whole + first, n * sizeof *r->velocities);
    }
}

/* What dynamics need; *first: they had none of it. */
static shoal_status need_md(shoal_engine *engine, const shoal_md_options *options, bool *first)
{
    engine_live *live = engine->live;
    *first = !live->has_md;
    if (*first) live->md = (md_run){.engine = engine};
    live->md.options = *options;
    live->md.options.temperatures = &live->motion.temperature;
    if (*first) SHOAL_TRY(first_velocities(engine));
    live->md.options.systems = live->md_systems;
    return SHOAL_OK;
}

static shoal_status begin_dynamics(shoal_engine *engine, const shoal_md_options *options)
{
    engine_live *live = engine->live;
    bool first;
    SHOAL_TRY(need_md(engine, options, &first));
    if (!first) go_on_moving(engine);
    md_set_numbers(&live->md);
    for (int32_t i = 0; i < engine->n_systems; ++i) {
        backend_bath *bath = &live->md.baths[i];
        bath->kt = BOLTZMANN * live->motion.temperature;
        bath->kt_change = 0;
        bath->n_dof = live->md.walkers[i].n_dof;
        bath->key = (uint64_t)i + (live->n_begun << 40);
        engine->results[i].steps = 0;
        engine->results[i].outcome = STEP_GOING;
    }
    live->driver = (backend_driver){.md = &live->md.md};
    return SHOAL_OK;
}

static void begin_relaxation(shoal_engine *engine, const shoal_relax_options *options)
{
    engine_live *live = engine->live;
    live->relax = (relax_run){.engine = engine, .options = *options};
    live->driver = relax_driver(&live->relax, &engine->exact, options->fmax);
    live->driver.max_move = live->motion.max_move; /* as it was given */
    live->driver.paces = live->paces;
}

/* All active systems as one part. */
static shoal_status take_all(shoal_engine *engine)
{
    engine_live *live = engine->live;
    const shoal_backend *b = engine->backend;
    int32_t n = 0;
    SHOAL_TRY(b->first(engine->exact.plan, &live->driver, engine->results));
    SHOAL_TRY(b->next(engine->exact.plan, engine->results, &live->part));
    for (int32_t i = 0; i < engine->n_systems; ++i) n += engine->results[i].active;
    if (live->part.n == n) return SHOAL_OK;
    return shoal_fail(
        SHOAL_E_UNSUPPORTED,
        "run: the device holds %d of the %d systems at once (its memory is full, or small "
        "systems stand beside large or periodic ones): expected an engine for each part",
        live->part.n, n);
}

static shoal_status note_energies(shoal_engine *engine)
{
    const backend_part *part = &engine->live->part;
    SHOAL_TRY(engine->backend->eval(engine->exact.plan, BACKEND_TERMS));
    SHOAL_TRY(engine->backend->read(engine->exact.plan, BACKEND_TERMS, engine->results));
    for (int32_t k = 0; k < part->n; ++k) {
        backend_result *r = &engine->results[part->systems[k]];
        r->energy0 = r->energy;
        memcpy(r->terms0, r->terms, sizeof r->terms0);
    }
    return SHOAL_OK;
}

static shoal_status note_start(shoal_engine *engine)
{
    engine_live *live = engine->live;
    const size_t n = engine_all_movers(engine);
    if (!live->start) live->start = shoal_alloc(n + 1, sizeof *live->start);
    if (!live->start) return SHOAL_E_MEMORY;
    if (n > 0) memcpy(live->start, engine->pos, n * sizeof *live->start);
    return SHOAL_OK;
}

static shoal_status begin(shoal_engine *engine, const shoal_relax_options *relax,
                          const shoal_md_options *md)
{
    engine_live *live = engine->live;
    if (!engine->warnings)
        engine->warnings = shoal_alloc((size_t)engine->n_systems, sizeof *engine->warnings);
    if (!engine->warnings) return SHOAL_E_MEMORY;
    SHOAL_TRY(engine_begin_run(engine));
    SHOAL_TRY(note_start(engine));
    if (live->motion.dynamics)
        SHOAL_TRY(begin_dynamics(engine, md));
    else
        begin_relaxation(engine, relax);
    if (!live->motion.dynamics) engine_live_drop_md(engine);
    SHOAL_TRY(take_all(engine));
    if (live->part.n > 0) {
        SHOAL_TRY(note_energies(engine));
        SHOAL_TRY(engine->backend->start(engine->exact.plan, &live->driver, engine->results));
    }
    ++live->n_begun;
    live->step = 0;
    live->on = true;
    return SHOAL_OK;
}

shoal_status engine_live_begin(shoal_engine *engine, const shoal_motion *motion, bool on,
                               bool has_md)
{
    engine_live *live = engine->live;
    shoal_relax_options relax;
    shoal_md_options md;
    bool first;
    SHOAL_TRY(fill_motion(engine, motion, &live->motion, &relax, &md));
    if (on) {
        SHOAL_TRY(begin(engine, &relax, &md));
        live->placed = true;
        live->settled = false;
        return SHOAL_OK;
    }
    if (!has_md) return SHOAL_OK;
    SHOAL_TRY(engine_begin_run(engine));
    return need_md(engine, &md, &first);
}

/* --- runs ----------------------------------------------------------------------------------------- */

static bool tell(const shoal_engine *engine, shoal_monitor *monitor, void *user, int32_t *n_going)
{
    const backend_part *part = &engine->live->part;
    shoal_progress p = {.n_systems = engine->n_systems, .energy = NAN, .fmax = NAN};
    p.n_done = p.n_failed = engine->n_systems - part->n;
    for (int32_t k = 0; k < part->n; ++k) {
        const backend_result *r = &engine->results[part->systems[k]];
        p.n_done += r->outcome != STEP_GOING;
        p.n_failed += r->outcome != STEP_GOING && r->outcome != STEP_CONVERGED;
        p.n_evaluations += r->steps;
    }
    *n_going = engine->n_systems - (int32_t)p.n_done;
    return !monitor || monitor(user, &p);
}

static shoal_status make_steps(shoal_engine *engine, int32_t n_steps, shoal_monitor *monitor,
                               void *user)
{
    engine_live *live = engine->live;
    const shoal_backend *b = engine->backend;
    const int32_t usual = live->part.round < INT32_MAX ? live->part.round : ROUND;
    int32_t n_going = live->part.n;
    live->placed = live->settled = false;
    engine->flat_is_fresh = false;
    engine->evaluated = true;
    for (int32_t left = n_steps; left > 0 && n_going > 0;) {
        const int32_t n = left < usual ? left : usual;
        SHOAL_TRY(b->step(engine->exact.plan, n, BACKEND_STEPS, NULL));
        SHOAL_TRY(b->read(engine->exact.plan, BACKEND_STEPS, engine->results));
        left -= n;
        live->step += n;
        if (!tell(engine, monitor, user, &n_going)) break;
    }
    return SHOAL_OK;
}

shoal_status shoal_engine_run(shoal_engine *engine, const shoal_motion *motion, int32_t n_steps,
                              shoal_monitor *monitor, void *user)
{
    shoal_clear_error();
    SHOAL_NEED(engine != NULL);
    if (n_steps < 1)
        return shoal_fail(SHOAL_E_ARGUMENT, "run: %d steps, expected 1 or more", n_steps);
    if (!engine->backend->step)
        return shoal_fail(SHOAL_E_UNSUPPORTED, "run: the device '%s' computes single points only",
                          engine->backend->name);
    if (engine->bodies)
        return shoal_fail(SHOAL_E_UNSUPPORTED, "run: a system has rigid bodies, which relax and "
                                               "md know, and steps by hand do not");
    SHOAL_TRY(engine_live_need(engine));
    engine_live *live = engine->live;
    shoal_motion wanted;
    shoal_relax_options relax;
    shoal_md_options md;
    SHOAL_TRY(fill_motion(engine, motion, &wanted, &relax, &md));
    if (!live->on || !is_same(&live->motion, &wanted)) {
        SHOAL_TRY(engine_live_pause(engine));
        live->motion = wanted;
        SHOAL_TRY(begin(engine, &relax, &md));
    }
    return make_steps(engine, n_steps, monitor, user);
}
