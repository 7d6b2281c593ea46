/* SPDX-License-Identifier: BSD-3-Clause
 * Dynamics through the calls of a backend, on every schedule: systems with masses, Maxwell velocities and baths. */
#ifndef SHOAL_TESTS_MD_FIXTURE_H
#define SHOAL_TESTS_MD_FIXTURE_H

#include "constants.h"
#include "driver_fixture.h"
#include "engine/engine.h"
#include "layout.h"

#define MD_TEST_KT 0.0258520 /* eV: 300 K */

typedef struct dynamics {
    shoal_engine *engine;
    const shoal_backend *b;
    void *plan;
    size_t n_atoms; /* of all systems */
    backend_md md;
    backend_bath *baths;
    double (*velocities)[3];             /* of all systems, as the results have them */
    double (*start)[3], (*start_way)[3]; /* coordinates and velocities at step 0 */
} dynamics;

static inline bool md_always(void *user, int64_t n_evaluations, int64_t n_done, double energy,
                             double fmax)
{
    (void)user;
    (void)energy;
    (void)fmax;
    return n_evaluations >= 0 && n_done >= 0;
}

/* Numbers that are nearly normal, each of a system and an atom of its own, whatever else is in the batch. */
static inline double md_deviate(int32_t key, int32_t i, int c)
{
    uint64_t seed = 977u * (uint64_t)key + 3u * (uint64_t)i + (uint64_t)c + 1u;
    double sum = 0;
    for (int k = 0; k < 24; ++k) {
        const double x = set_random(&seed);
        sum += k < 12 ? 0 : x;
    }
    return 0.5 * sum;
}

/* System k of the set has the bath of number keys[k] (NULL: k). */
static inline void dynamics_create(dynamics *d, const set *s, const int32_t *list, int32_t n,
                                   const schedule *c, int n_threads)
{
    const shoal_engine_options options = {
        .device = c->device, .precision = c->precision, .n_threads = n_threads, .ewald = c->ewald};
    memset(d, 0, sizeof *d);
    d->engine = set_engine(s, list, n, &options);
    d->b = d->engine->backend;
    d->plan = d->engine->exact.plan;
    d->n_atoms = (size_t)d->engine->starts[n];
    d->baths = calloc((size_t)n, sizeof *d->baths);
    d->velocities = calloc(d->n_atoms, sizeof *d->velocities);
    d->start = calloc(d->n_atoms, sizeof *d->start);
    d->start_way = calloc(d->n_atoms, sizeof *d->start_way);
    d->md = (backend_md){
        .dt = 0.5, .friction = 0.01, .tau = 10, .most = 0.5, .seed = 0x123456789abcdef0u};
    d->md.baths = d->baths;
    memcpy(d->start, d->engine->pos, d->n_atoms * sizeof *d->start);
    for (int32_t k = 0; k < n; ++k) {
        const backend_system *sys = &d->engine->systems[k];
        const int32_t key = list ? list[k] : k, first = d->engine->starts[k];
        d->baths[k] = (backend_bath){.masses = sys->view.masses,
                                     .kt = MD_TEST_KT,
                                     .n_dof = 3.0 * sys->view.n_atoms,
                                     .key = (uint64_t)key << 32 | 5u};
        for (int32_t i = 0; i < sys->view.n_atoms; ++i)
            for (int x = 0; x < 3 && !(sys->fixed && sys->fixed[i]); ++x)
                d->start_way[first + i][x] =
                    sqrt(MD_TEST_KT * ACCELERATION / sys->view.masses[i]) * md_deviate(key, i, x);
    }
}

static inline void dynamics_destroy(dynamics *d)
{
    shoal_engine_destroy(d->engine);
    free(d->baths);
    free(d->velocities);
    free(d->start);
    free(d->start_way);
}

/* The plan starts at a step from where results are. */
static inline void dynamics_go_on(dynamics *d, int32_t step)
{
    const backend_driver driver = {.md = &d->md};
    backend_part part;
    shoal_engine *e = d->engine;
    engine_begin_run(e);
    for (int32_t k = 0; k < e->n_systems; ++k) {
        e->results[k].velocities = d->velocities + e->starts[k];
        e->results[k].steps = step;
    }
    CHECK(d->b->first(d->plan, &driver, e->results) == SHOAL_OK);
    CHECK(d->b->next(d->plan, e->results, &part) == SHOAL_OK && part.n == e->n_systems);
    CHECK(d->b->start(d->plan, &driver, e->results) == SHOAL_OK);
}

/* From step 0, where everything was at first. */
static inline void dynamics_begin(dynamics *d)
{
    memcpy(d->engine->pos, d->start, d->n_atoms * sizeof *d->start);
    memcpy(d->velocities, d->start_way, d->n_atoms * sizeof *d->start);
    for (int32_t k = 0; k < d->engine->n_systems; ++k)
        memset(d->engine->results[k].thermostat, 0, sizeof d->engine->results[k].thermostat);
    dynamics_go_on(d, 0);
}

static inline void dynamics_step(dynamics *d, int32_t n)
{
    const backend_poll poll = {md_always, NULL};
    CHECK(d->b->step(d->plan, n, BACKEND_STEPS | BACKEND_POSITIONS | BACKEND_VELOCITIES, &poll) ==
          SHOAL_OK);
}

static inline void dynamics_read(dynamics *d)
{
    CHECK(d->b->read(d->plan, BACKEND_POSITIONS | BACKEND_VELOCITIES | BACKEND_STEPS,
                     d->engine->results) == SHOAL_OK);
}

/* Energies and forces where the systems are, which changes nothing. */
static inline void dynamics_look(dynamics *d)
{
    const uint32_t fields = BACKEND_FORCES | BACKEND_TERMS;
    CHECK(d->b->eval(d->plan, fields) == SHOAL_OK);
    CHECK(d->b->read(d->plan, fields | BACKEND_POSITIONS | BACKEND_VELOCITIES,
                     d->engine->results) == SHOAL_OK);
}

/* After a look: kinetic energy of a system at the time of its coordinates, eV. */
static inline double dynamics_kinetic(const dynamics *d, int32_t k)
{
    const backend_result *r = &d->engine->results[k];
    const backend_system *s = &d->engine->systems[k];
    const double half = r->steps > 0 ? 0.5 * d->md.dt : 0;
    double sum = 0;
    for (int32_t i = 0; i < s->view.n_atoms; ++i)
        for (int c = 0; c < 3; ++c) {
            const double w = ACCELERATION / d->baths[k].masses[i];
            const double v = r->velocities[i][c] + half * w * r->forces[i][c];
            if (!(s->fixed && s->fixed[i])) sum += 0.5 * v * v / w;
        }
    return sum;
}

/* Where a run has come to. */
typedef struct trail {
    double (*pos)[3], (*velocities)[3];
    double (*chain)[4];
    int32_t *steps, *outcomes;
    int32_t n_systems;
    size_t n_atoms;
} trail;

static inline trail trail_take(const dynamics *d)
{
    const size_t n = (size_t)d->engine->n_systems;
    trail w = {.pos = malloc(d->n_atoms * 24 + 1),
               .velocities = malloc(d->n_atoms * 24 + 1),
               .chain = malloc(n * 32),
               .steps = malloc(n * 4),
               .outcomes = malloc(n * 4),
               .n_systems = d->engine->n_systems,
               .n_atoms = d->n_atoms};
    memcpy(w.pos, d->engine->pos, d->n_atoms * 24);
    memcpy(w.velocities, d->velocities, d->n_atoms * 24);
    for (size_t k = 0; k < n; ++k) {
        const backend_result *r = &d->engine->results[k];
        memcpy(w.chain[k], r->thermostat, sizeof r->thermostat);
        w.steps[k] = r->steps;
        w.outcomes[k] = r->outcome;
    }
    return w;
}

static inline void trail_free(trail *w)
{
    free(w->pos);
    free(w->velocities);
    free(w->chain);
    free(w->steps);
    free(w->outcomes);
}

/* System k of a batch and system m of another are the same to the last bit. */
static inline bool trail_same(const trail *a, const dynamics *from, int32_t k, const trail *b,
                              const dynamics *to, int32_t m)
{
    const size_t i = (size_t)from->engine->starts[k], j = (size_t)to->engine->starts[m];
    const size_t size = 24 * ((size_t)from->engine->starts[k + 1] - i);
    return memcmp(a->pos + i, b->pos + j, size) == 0 &&
           memcmp(a->velocities + i, b->velocities + j, size) == 0 &&
           memcmp(a->chain[k], b->chain[m], sizeof a->chain[k]) == 0 &&
           a->steps[k] == b->steps[m] && a->outcomes[k] == b->outcomes[m];
}

#endif
