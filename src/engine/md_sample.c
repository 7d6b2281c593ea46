/* SPDX-License-Identifier: BSD-3-Clause
 * Samples of dynamics: velocities at the time of the coordinates, energies, and the frames and statistics that are made
 * of them. */
#include <math.h>
#include <string.h>

#include "constants.h"
#include "engine/bodies.h"
#include "engine/md.h"
#include "geom/vector.h"
#include "layout.h"

#define SHOAL_REAL double
#include "step_md.h"

#include "backend/bath_state.h"

#define FS_PER_NS 1e6

typedef struct md_moment {
    double kinetic;   /* eV, of whole steps */
    double measured;  /* eV, that temperatures are told by */
    double conserved; /* eV, with a Nose-Hoover thermostat; NaN otherwise */
} md_moment;

/* eV */
static double find_kinetic(int32_t n, const double *masses, const double (*v)[3])
{
    double sum = 0;
    for (int32_t a = 0; a < n; ++a) sum += masses[a] * vector_dot(v[a], v[a]);
    return 0.5 * sum / ACCELERATION;
}

/* The second half of the kick, which the next step would begin with. */
static void close_kick(const md_run *run, int32_t i, bool started, double (*v)[3])
{
    const backend_system *s = &run->engine->systems[i];
    const backend_result *r = &run->engine->results[i];
    for (int32_t a = 0; a < mover_count(&s->view); ++a) {
        const bool moves = started && !(s->fixed && s->fixed[a]);
        const double push =
            moves ? 0.5 * run->options.dt * ACCELERATION / run->baths[i].masses[a] : 0;
        for (int k = 0; k < 3; ++k) v[a][k] = r->velocities[a][k] + push * r->forces[a][k];
    }
}

/* Velocities with that half, or as they are, tangent to rigid bonds; returns their kinetic energy, eV. */
static double meet(const md_run *run, int32_t i, bool closed, double (*v)[3])
{
    close_kick(run, i, closed, v);
    md_rigid_velocities(run, i, v);
    bodies_velocities(run->bodies, run->engine, i, v);
    return find_kinetic(engine_n_movers(run->engine, i), run->baths[i].masses,
                        (const double(*)[3])v);
}

/* The second half of the thermostat's step, and what it holds. */
static double close_thermostat(const md_run *run, int32_t i, bool started, double kt,
                               double *kinetic)
{
    const backend_result *r = &run->engine->results[i];
    const double n_dof = run->walkers[i].n_dof, tau2 = run->options.tau * run->options.tau;
    const md_numbers n = {.dt = run->options.dt, .tau = run->options.tau};
    md_state s = md_state_of(&run->baths[i], r);
    double kinetic2 = 2 * *kinetic, scale = 1;
    if (started && n_dof > 0 && kt > 0) scale = md_nose_hoover_half(&s, kt, &kinetic2, &n);
    *kinetic = 0.5 * kinetic2;
    double(*v)[3] = run->engine->md->whole + engine_first_mover(run->engine, i);
    for (int32_t a = 0; a < engine_n_movers(run->engine, i); ++a)
        for (int k = 0; k < 3; ++k) v[a][k] *= scale;
    return *kinetic + r->energy + kt * (n_dof * s.x[0] + s.x[1]) +
           0.5 * kt * tau2 * (n_dof * s.v[0] * s.v[0] + s.v[1] * s.v[1]);
}

static md_moment find_moment(const md_run *run, int32_t i, int32_t step)
{
    const shoal_engine *engine = run->engine;
    double(*whole)[3] = engine->md->whole + engine_first_mover(engine, i);
    const bool langevin = run->options.thermostat == SHOAL_THERMOSTAT_LANGEVIN;
    md_moment m = {.conserved = NAN};
    const double behind = langevin ? meet(run, i, false, whole) : NAN;
    m.kinetic = meet(run, i, step > 0, whole);
    if (run->options.thermostat == SHOAL_THERMOSTAT_NOSE_HOOVER)
        m.conserved = close_thermostat(run, i, step > 0, BOLTZMANN * md_temperature(run, i, step),
                                       &m.kinetic);
    m.measured = m.kinetic;
    if (langevin) m.measured = behind;
    return m;
}

double md_meet_positions(const md_run *run, int32_t i, int32_t step)
{
    return find_moment(run, i, step).kinetic;
}

static double kelvin_of(double kinetic, double n_dof)
{
    return n_dof > 0 ? 2 * kinetic / (n_dof * BOLTZMANN) : 0;
}

/* A run that starts from rest in a minimum, say, shares its energy out first; what a step makes of etot changes
 * with that, and would look like a drift. So lines leave the first fifth of a run out, if enough of it is left. */
static bool is_settled(const shoal_md_options *o, int32_t step)
{
    return step >= o->n_steps / 5 || o->n_steps / 10 < o->stride;
}

static void add_sample(md_run *run, int32_t i, int32_t step, const md_moment *m)
{
    md_walker *w = &run->walkers[i];
    const backend_result *r = &run->engine->results[i];
    const double time = step * run->options.dt;
    if (w->sampled < 0) {
        w->etot0 = r->energy + m->kinetic;
        w->energy0 = r->energy;
        memcpy(w->terms0, r->terms, sizeof w->terms0);
    }
    w->etot = r->energy + m->kinetic;
    w->sampled = step;
    if (is_settled(&run->options, step)) {
        md_line_add(&w->line, time, w->etot);
        if (isfinite(m->conserved)) md_line_add(&w->conserved, time, m->conserved);
    }
    md_series_add(&w->temperature, kelvin_of(m->measured, w->n_dof));
    md_series_add(&w->potential, r->energy);
}

static shoal_status show(md_run *run, int32_t i, int32_t step, const md_moment *m)
{
    const shoal_engine *engine = run->engine;
    const backend_result *r = &engine->results[i];
    const shoal_relax_frame frame = {
        .i_system = i,
        .steps = step,
        .pos = (const double(*)[3])r->pos,
        .forces = (const double(*)[3])r->forces,
        .energy = r->energy,
        .fmax = r->fmax,
        .terms = r->terms,
        .velocities = (const double(*)[3])(engine->md->whole + engine_first_mover(engine, i)),
        .masses = run->baths[i].masses,
        .time = step * run->options.dt,
        .kinetic = m->kinetic,
        .temperature = kelvin_of(m->measured, run->walkers[i].n_dof),
        .bath = md_temperature(run, i, step)};
    run->framed[i] = step;
    return run->options.frame(run->options.frame_user, &frame);
}

shoal_status md_sample(md_run *run, const int32_t *systems, int32_t n, int32_t step)
{
    for (int32_t k = 0; k < n; ++k) {
        const int32_t i = systems[k];
        if (!run->engine->results[i].active || run->walkers[i].sampled >= step) continue;
        const md_moment m = find_moment(run, i, step);
        add_sample(run, i, step, &m);
        const bool due = step % run->options.stride == 0 && run->framed[i] < step;
        if (run->options.frame && due) SHOAL_TRY(show(run, i, step, &m));
    }
    return SHOAL_OK;
}

/* --- results -------------------------------------------------------------------------------------- */

static double drift_of(const md_line *line, double n_dof)
{
    return n_dof > 0 ? md_line_slope(line) * FS_PER_NS / n_dof : NAN;
}

void md_make_results(md_run *run)
{
    shoal_engine *engine = run->engine;
    for (int32_t i = 0; i < engine->n_systems; ++i) {
        const md_walker *w = &run->walkers[i];
        const int32_t step = engine->results[i].steps;
        const bool ramp = md_system_of(run, i).n_temperatures > 1;
        const bool keeps = !ramp && run->options.exchange_every == 0;
        engine->md->results[i] = (shoal_md_result){
            .n_steps = step,
            .time = step * run->options.dt,
            .n_dof = w->n_dof,
            .etot0 = w->etot0,
            .etot = w->etot,
            .drift = drift_of(&w->line, w->n_dof),
            .fluctuation = md_line_rms(&w->line),
            .conserved_drift = keeps ? drift_of(&w->conserved, w->n_dof) : NAN,
            .n_samples = (int32_t)w->temperature.n[0],
            .temperature_mean = md_series_mean(&w->temperature),
            .temperature_err = md_series_error(&w->temperature),
            .potential_mean = md_series_mean(&w->potential),
            .potential_err = md_series_error(&w->potential),
            .temperature = md_temperature(run, i, step),
            .n_tried = w->n_tried,
            .n_swapped = w->n_swapped,
            .n_rigid = md_rigid_count(&run->baths[i]),
            .velocities = (const double(*)[3])(engine->md->whole + engine_first_mover(engine, i)),
            .masses = engine->md->masses + engine_first_mover(engine, i)};
        engine->results[i].energy0 = w->energy0;
        memcpy(engine->results[i].terms0, w->terms0, sizeof w->terms0);
    }
}

const shoal_md_result *shoal_engine_md_result(const shoal_engine *engine, int32_t i_system)
{
    shoal_clear_error();
    if (!engine || !engine->md || !engine->evaluated || i_system < 0 ||
        i_system >= engine->n_systems)
        return NULL;
    const backend_result *r = &engine->results[i_system];
    return shoal_system_has_numbers(r->status, r->energy) ? &engine->md->results[i_system] : NULL;
}
