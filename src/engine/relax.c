/* SPDX-License-Identifier: BSD-3-Clause
 * Relaxations: rounds of steps on every part of a batch, the same for every backend. Where energies are
 * wanted in another precision than steps are made in, what the faster one cannot finish goes on in the
 * other. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/pace.h"
#include "base/alloc.h"
#include "base/error.h"
#include "engine/bodies.h"
#include "engine/elastic.h"
#include "engine/geometry.h"
#include "engine/live.h"
#include "engine/relax.h"
#include "engine/relax_cell.h"
#include "engine/relax_symmetry.h"
#include "layout.h"

#include "constants.h"

/* Float forces are worth something down to here, eV/angstrom; below, doubles go on if they may. */
#define FLOAT_FMAX 5e-4

/* In float a little below the limit, so that forces in double precision agree. */
#define FLOAT_MARGIN 0.99

static shoal_status check_range(const char *name, double value, double low, double high)
{
    if (value >= low && value <= high) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "relax: %s is %g, expected %g to %g", name, value, low,
                      high);
}

shoal_status relax_fill_options(const shoal_relax_options *given, shoal_relax_options *options)
{
    *options = given ? *given : (shoal_relax_options){0};
    if (options->fmax == 0.0) options->fmax = 0.001;
    if (options->max_steps == 0) options->max_steps = ENGINE_MAX_STEPS;
    if (options->max_move == 0.0) options->max_move = backend_pace_usual().max_move;
    if (options->stress == 0.0) options->stress = 0.01 * GIGAPASCAL;
    SHOAL_TRY(check_range("fmax", options->fmax, 1e-12, 1e6));
    SHOAL_TRY(check_range("max_steps", options->max_steps, 1.0, 1e9));
    SHOAL_TRY(check_range("max_move", options->max_move, 1e-6, 10.0));
    SHOAL_TRY(check_range("elastic", options->elastic, 0.0, 0.1));
    SHOAL_TRY(check_range("every", options->every, 0.0, 1e9));
    if (options->keep_symmetry && (options->every > 0 || options->state))
        return shoal_fail(SHOAL_E_UNSUPPORTED, "relax: where symmetry is kept there are neither "
                                               "frames of the way nor states to go on from");
    if (options->method != SHOAL_METHOD_LBFGS && options->method != SHOAL_METHOD_FIRE)
        return shoal_fail(SHOAL_E_ARGUMENT, "relax: unknown method %d", (int)options->method);
    return SHOAL_OK;
}

/* --- progress ------------------------------------------------------------------------------------ */

/* Counts of the present part, from what was read of it last. */
static void count_part(const relax_run *run, shoal_progress *p)
{
    for (int32_t k = 0; k < run->part.n; ++k) {
        const backend_result *r = &run->engine->results[run->part.systems[k]];
        p->n_done += r->outcome != STEP_GOING;
        p->n_failed += r->outcome != STEP_GOING && r->outcome != STEP_CONVERGED;
        p->n_evaluations += r->steps;
    }
}

static bool tell(relax_run *run, const shoal_progress *progress)
{
    if (run->monitor && !run->stop) run->stop = !run->monitor(run->user, progress);
    return !run->stop;
}

static shoal_progress progress_before(const relax_run *run)
{
    return (shoal_progress){.n_systems = run->engine->n_systems,
                            .n_done = run->n_done,
                            .n_failed = run->n_failed,
                            .n_evaluations = run->n_evaluations,
                            .energy = NAN,
                            .fmax = NAN};
}

/* While a backend works through a part by itself. */
static bool go_on(void *user, int64_t n_evaluations, int64_t n_done, double energy, double fmax)
{
    relax_run *run = user;
    shoal_progress p = progress_before(run);
    p.n_evaluations += run->n_stepped + n_evaluations;
    p.n_done += n_done;
    if (run->engine->n_systems == 1) {
        p.energy = energy;
        p.fmax = fmax;
    }
    return tell(run, &p);
}

/* --- one plan ------------------------------------------------------------------------------------ */

static void keep_energy(relax_run *run, int32_t i)
{
    backend_result *r = &run->engine->results[i];
    r->energy0 = r->energy;
    memcpy(r->terms0, r->terms, sizeof r->terms0);
}

static void note_energy(void *what, int32_t k)
{
    relax_run *run = what;
    keep_energy(run, run->part.systems[k]);
}

static shoal_status note_energies(relax_run *run, void *plan)
{
    SHOAL_TRY(run->engine->backend->read(plan, BACKEND_TERMS, run->engine->results));
    thread_pool_for(run->engine->pool, run->part.n, note_energy, run);
    return SHOAL_OK;
}

/* Evaluations that the part has used before, and whether all of it came to an end: what was saved there. */
static bool is_at_end(relax_run *run, bool resumed)
{
    shoal_progress p = {0};
    count_part(run, &p);
    run->n_stepped = p.n_evaluations;
    return resumed && p.n_done == run->part.n;
}

/* Rounds until every system of the part has an outcome or the monitor has enough. With energies, those
 * before are noted, unless they are known, and those after asked for while the device works. */
static shoal_status run_rounds(relax_run *run, void *plan, bool energies, bool resumed, bool *asked)
{
    const shoal_backend *b = run->engine->backend;
    backend_result *results = run->engine->results;
    const backend_poll poll = {go_on, run};
    bool fresh = energies && !resumed;
    const bool at_end = is_at_end(run, resumed);
    /* A state that is saved meanwhile has them, and frames put others in their place. */
    if (fresh && (run->start || run->framed)) {
        SHOAL_TRY(note_energies(run, plan));
        fresh = false;
    }
    for (int64_t n_steps = 0; !run->stop && !at_end;) {
        if (run->framed) SHOAL_TRY(relax_frames_show(run));
        const int32_t round = run->framed ? relax_frames_round(run) : run->part.round;
        n_steps += round;
        const bool last = n_steps >= run->options.max_steps; /* for certain */
        *asked = energies && last;
        SHOAL_TRY(b->step(plan, round, BACKEND_STEPS | (last ? BACKEND_POSITIONS : 0), &poll));
        if (fresh) SHOAL_TRY(note_energies(run, plan));
        fresh = false;
        if (*asked) SHOAL_TRY(b->eval(plan, ENGINE_END));
        SHOAL_TRY(b->read(plan, BACKEND_STEPS, results));
        shoal_progress p = progress_before(run);
        count_part(run, &p);
        run->n_stepped = p.n_evaluations - run->n_evaluations;
        (void)tell(run, &p);
        if (p.n_done - run->n_done == run->part.n) break;
        if (run->framed && run->stop) SHOAL_TRY(relax_frames_show(run));
    }
    return fresh ? note_energies(run, plan) : SHOAL_OK;
}

/* Before steps are made in a plan: where they begin, which is where they began if they are gone on with. */
static void begin_phase(relax_run *run, void *plan)
{
    run->plan = plan;
    if (!run->start) return;
    const size_t size = engine_all_movers(run->engine) * sizeof *run->start;
    if (size == 0) return;
    if (run->from) memcpy(run->engine->pos, run->from->start, size);
    memcpy(run->start, run->engine->pos, size);
}

/* At the point where the monitor stopped the only system: later on, evaluations may change what a device
 * knows of it. */
static shoal_status keep_stopped(relax_run *run)
{
    shoal_engine *engine = run->engine;
    if (!run->stop || !run->start || engine->stopped) return SHOAL_OK;
    SHOAL_TRY(shoal_string_create(&engine->stopped));
    return relax_state_save(run, engine->stopped);
}

backend_driver relax_driver(const relax_run *run, const engine_plan *in, double fmax)
{
    const bool is_float = in->input.precision == SHOAL_PRECISION_FLOAT;
    return (backend_driver){.method = run->options.method,
                            .fmax = is_float ? FLOAT_MARGIN * fmax : fmax,
                            .max_move = run->options.max_move,
                            .max_steps = run->options.max_steps,
                            .bodies = bodies_of(run->bodies)};
}

/* Steps of all active systems in one plan; with energies, also those before and after. */
static shoal_status relax_plan(relax_run *run, engine_plan *in, double fmax, bool energies)
{
    shoal_engine *engine = run->engine;
    const shoal_backend *b = engine->backend;
    const backend_driver driver = relax_driver(run, in, fmax);
    const bool resumed = run->from;
    SHOAL_TRY(engine_need_plan(engine, in));
    begin_phase(run, in->plan);
    SHOAL_TRY(b->first(in->plan, &driver, engine->results));
    for (;;) {
        bool asked = false;
        SHOAL_TRY(b->next(in->plan, engine->results, &run->part));
        if (run->part.n == 0) return SHOAL_OK;
        if (energies && !resumed) SHOAL_TRY(b->eval(in->plan, BACKEND_TERMS));
        SHOAL_TRY(b->start(in->plan, &driver, engine->results));
        if (resumed) SHOAL_TRY(relax_state_load(run));
        SHOAL_TRY(run_rounds(run, in->plan, energies, resumed, &asked));
        SHOAL_TRY(keep_stopped(run));
        if (energies && !asked) SHOAL_TRY(b->eval(in->plan, ENGINE_END));
        /* While the last numbers are on their way, the first are put where they belong. */
        SHOAL_TRY(b->read(in->plan, BACKEND_POSITIONS, engine->results));
        if (energies) SHOAL_TRY(engine_read(engine, in->plan, &run->part, ENGINE_END));
        shoal_progress p = {0};
        count_part(run, &p);
        run->n_done += p.n_done;
        run->n_failed += p.n_failed;
        run->n_evaluations += p.n_evaluations;
    }
}

/* --- two precisions ------------------------------------------------------------------------------ */

/* True for a system that steps in the precision of energies may help: the limit was met in one
 * precision but not in the other, or the first one could not go on. */
static bool is_unfinished(const relax_run *run, const backend_result *r)
{
    if (!r->active || r->steps >= run->options.max_steps || run->stop) return false;
    if (r->outcome == STEP_CONVERGED) return !(r->fmax <= run->options.fmax);
    return (r->outcome == STEP_STALLED || r->outcome == STEP_NOT_FINITE) && isfinite(r->energy);
}

/* Goes on with the unfinished systems; the others sit out. */
static shoal_status finish_exactly(relax_run *run)
{
    shoal_engine *engine = run->engine;
    bool *sat_out = shoal_alloc((size_t)engine->n_systems, sizeof *sat_out);
    int32_t n = 0;
    if (!sat_out) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < engine->n_systems && !run->from; ++i) {
        backend_result *r = &engine->results[i];
        sat_out[i] = r->active && !is_unfinished(run, r);
        if (sat_out[i]) r->active = false;
        n += r->active;
        run->n_done -= r->active;
        run->n_failed -= r->active && r->outcome != STEP_CONVERGED;
        run->n_evaluations -= r->active ? r->steps : 0;
    }
    shoal_status status = SHOAL_OK;
    if (run->from) n = 1; /* unfinished when it was saved */
    run->phase = RELAX_EXACT;
    if (n > 0) status = relax_plan(run, &engine->exact, run->options.fmax, false);
    if (n > 0 && status == SHOAL_OK) status = engine_evaluate(engine, &engine->exact, ENGINE_END);
    for (int32_t i = 0; i < engine->n_systems; ++i)
        if (sat_out[i]) engine->results[i].active = true;
    free(sat_out);
    return status;
}

static shoal_status relax_mixed(relax_run *run)
{
    shoal_engine *engine = run->engine;
    const double fmax = run->options.fmax < FLOAT_FMAX ? FLOAT_FMAX : run->options.fmax;
    if (run->from && run->from->phase == RELAX_EXACT) return finish_exactly(run);
    if (!run->from) SHOAL_TRY(engine_evaluate(engine, &engine->exact, BACKEND_TERMS));
    for (int32_t i = 0; i < engine->n_systems; ++i)
        if (engine->results[i].active && !run->from) keep_energy(run, i);
    run->phase = RELAX_FAST;
    SHOAL_TRY(relax_plan(run, &engine->fast, fmax, false));
    SHOAL_TRY(engine_evaluate(engine, &engine->exact, ENGINE_END));
    return finish_exactly(run);
}

shoal_status relax_atoms(relax_run *run)
{
    return run->engine->mixed ? relax_mixed(run)
                              : relax_plan(run, &run->engine->exact, run->options.fmax, true);
}

shoal_status relax_own_atoms(relax_run *run)
{
    return run->symmetry ? relax_symmetry_atoms(run) : relax_atoms(run);
}

/* --- verdicts ------------------------------------------------------------------------------------ */

/* True where float came to its end, and no steps were left or wanted that could have gone on in double. */
static bool is_cut_short(const relax_run *run, const backend_result *r)
{
    return run->engine->mixed && (run->stop || r->steps >= run->options.max_steps) &&
           isfinite(r->energy) && r->fmax > run->options.fmax;
}

static shoal_system_status status_of(const relax_run *run, const backend_result *r)
{
    switch (r->outcome) {
    case STEP_CONVERGED:
        if (is_cut_short(run, r)) return SHOAL_SYSTEM_MAX_STEPS;
        return run->engine->mixed && !(r->fmax <= run->options.fmax) ? SHOAL_SYSTEM_STALLED
                                                                     : SHOAL_SYSTEM_CONVERGED;
    case STEP_NOT_FINITE:
        return is_cut_short(run, r) ? SHOAL_SYSTEM_MAX_STEPS : SHOAL_SYSTEM_NOT_FINITE;
    case STEP_STALLED: return SHOAL_SYSTEM_STALLED;
    default: return SHOAL_SYSTEM_MAX_STEPS;
    }
}

/* Forces may be small and the geometry senseless. */
static void judge_geometry(shoal_engine *engine, int32_t i)
{
    const shoal_engine_options *o = &engine->options;
    const bool on = !(o->terms_off >> SHOAL_TERM_SURFACE & 1u);
    backend_result *r = &engine->results[i];
    char text[BACKEND_REASON_SIZE];
    if (geometry_check(&engine->systems[i], on ? o->surface : NULL, r, text)) {
        r->status = SHOAL_SYSTEM_COLLAPSED;
        memcpy(r->reason, text, sizeof r->reason);
    } else {
        engine_warn(engine, i, text);
    }
}

/* What the numbers say, and what they do not say by themselves. */
void relax_judge(const relax_run *run, int32_t i)
{
    shoal_engine *engine = run->engine;
    backend_result *r = &engine->results[i];
    if (r->active) {
        r->status = status_of(run, r);
        const bool cell = run->cells && r->status == SHOAL_SYSTEM_CONVERGED;
        if (cell) r->status = relax_cells_judge(run->cells, i, r);
        if (r->status == SHOAL_SYSTEM_NOT_FINITE || !isfinite(r->energy) || !isfinite(r->fmax))
            engine_reject_not_finite(engine, i);
        if (r->status == SHOAL_SYSTEM_STALLED && !cell)
            (void)snprintf(r->reason, sizeof r->reason,
                           "no step lowers the energy any more, the forces are at %g eV/A",
                           r->fmax);
    }
    if (r->active) judge_geometry(engine, i);
}

static void judge_system(void *what, int32_t i)
{
    relax_judge(what, i);
}

/* All steps that are wanted. Of one system the state can be saved meanwhile. */
static shoal_status relax_all(relax_run *run)
{
    shoal_engine *engine = run->engine;
    const bool moves = run->options.cell != SHOAL_CELL_FIXED;
    const bool saves =
        engine->n_systems == 1 && engine->backend->save && !moves && !run->options.keep_symmetry;
    if (run->from && !engine->results[0].active)
        return shoal_fail(SHOAL_E_ARGUMENT, "state: the system takes no part: %s",
                          engine->results[0].reason);
    if (run->from) {
        engine->results[0].energy0 = run->from->energy0;
        memcpy(engine->results[0].terms0, run->from->terms0, sizeof run->from->terms0);
    }
    if (saves) run->start = shoal_alloc(engine_all_movers(engine) + 1, sizeof *run->start);
    if (saves && !run->start) return SHOAL_E_MEMORY;
    engine->run = run;
    shoal_status status = relax_frames_begin(run);
    if (status == SHOAL_OK && run->options.keep_symmetry) status = relax_symmetry_begin(run);
    if (status == SHOAL_OK) status = moves ? relax_cells(run) : relax_own_atoms(run);
    if (status == SHOAL_OK && run->symmetry) status = relax_symmetry_end(run);
    relax_symmetry_free(run);
    engine->run = NULL;
    free(run->start);
    run->start = NULL;
    if (status != SHOAL_OK) free(run->framed);
    return status;
}

/* All of a relaxation but what is rigid. */
static shoal_status relax_run_all(relax_run *run, relax_state *from)
{
    shoal_engine *engine = run->engine;
    if (run->options.state) {
        SHOAL_TRY(relax_state_open(from, run, run->options.state, run->options.state_size));
        run->from = from;
    }
    if (!engine->warnings)
        engine->warnings = shoal_alloc((size_t)engine->n_systems, sizeof *engine->warnings);
    if (!engine->warnings) return SHOAL_E_MEMORY;
    shoal_string_destroy(engine->stopped);
    engine->stopped = NULL;
    SHOAL_TRY(engine_begin_run(engine));
    for (int32_t i = 0; i < engine->n_systems; ++i) run->n_done += !engine->results[i].active;
    run->n_failed = run->n_done;
    const shoal_status relaxed = relax_all(run);
    if (relaxed == SHOAL_OK) thread_pool_for(engine->pool, engine->n_systems, judge_system, run);
    relax_cells_free(run->cells);
    SHOAL_TRY(relaxed);
    if (run->options.elastic > 0) SHOAL_TRY(elastic_measure(run));
    engine_check_placement(engine);
    engine_warn_of_clamps(engine);
    const shoal_status shown = relax_frames_end(run);
    free(run->framed);
    return shown;
}

/* What bodies would not be the same in. */
static shoal_status check_bodies(const shoal_engine *engine, const shoal_relax_options *o)
{
    if (!engine->bodies || (o->cell == SHOAL_CELL_FIXED && !o->keep_symmetry && o->elastic == 0))
        return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT,
                      "relax: rigid bodies where the cell moves, symmetry is kept or elastic "
                      "constants are measured");
}

shoal_status shoal_engine_relax(shoal_engine *engine, const shoal_relax_options *options,
                                shoal_monitor *monitor, void *user)
{
    shoal_clear_error();
    if (!engine) return shoal_fail(SHOAL_E_ARGUMENT, "relax: no engine");
    if (!engine->backend->step)
        return shoal_fail(SHOAL_E_UNSUPPORTED, "relax: the device '%s' computes single points only",
                          engine->backend->name);
    relax_run run = {.engine = engine, .monitor = monitor, .user = user};
    SHOAL_TRY(relax_fill_options(options, &run.options));
    SHOAL_TRY(relax_cells_check(engine, &run.options));
    SHOAL_TRY(check_bodies(engine, &run.options));
    SHOAL_TRY(engine_live_pause(engine));
    SHOAL_TRY(bodies_create(&run.bodies, engine, NULL));
    relax_state from;
    const shoal_status relaxed = relax_run_all(&run, &from);
    bodies_destroy(run.bodies);
    SHOAL_TRY(relaxed);
    if (engine->shadow) SHOAL_TRY(engine_shadow_compare(engine->shadow, engine));
    engine->evaluated = true;
    return SHOAL_OK;
}
