/* SPDX-License-Identifier: BSD-3-Clause
 * Steps of dynamics beside steps of FIRE: bench_md DEVICE SYSTEMS STEPS FILE...
 * Copies of the first molecule of each file, in the precision that relaxations have. Every line of JSON has the
 * system-steps per second of one driver, and what that is in those of FIRE. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "constants.h"
#include "engine/engine.h"
#include "layout.h"
#include "shoal/shoal.h"
#include "timing.h"

enum { N_DRIVERS = 4 };
static const char *const names[N_DRIVERS] = {"fire", "md", "md langevin", "md nose-hoover"};

typedef struct copies {
    shoal_engine *engine;
    engine_plan *plan;
    double (*start)[3], (*velocities)[3];
    backend_bath *baths;
} copies;

static int fail(void)
{
    (void)fprintf(stderr, "bench_md: %s\n", shoal_error_text());
    return 1;
}

/* In [-1, 1): Knuth's MMIX generator. */
static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

static shoal_status add_copies(shoal_batch *batch, shoal_molecule *mol, int32_t n)
{
    const int32_t n_atoms = shoal_molecule_n_atoms(mol);
    double(*pos)[3] = malloc((size_t)n_atoms * sizeof *pos);
    shoal_topology *topology = NULL;
    uint64_t seed = 1;
    shoal_status status = pos ? shoal_topology_create(&topology, mol, NULL) : SHOAL_E_MEMORY;
    for (int32_t k = 0; k < n && status == SHOAL_OK; ++k) {
        for (int32_t i = 0; i < n_atoms; ++i)
            for (int c = 0; c < 3; ++c)
                pos[i][c] = shoal_molecule_positions(mol)[i][c] + 0.03 * draw(&seed);
        const shoal_system system = {.topology = topology, .pos = (const double(*)[3])pos};
        status = shoal_batch_add(batch, &system);
    }
    shoal_topology_destroy(topology);
    free(pos);
    return status;
}

static shoal_status make_engine(const char *device, const char *file, int32_t n, shoal_engine **out)
{
    const shoal_engine_options options = {.device = device};
    shoal_molecule *mol = NULL;
    shoal_reader *reader = NULL;
    shoal_batch *batch = NULL;
    bool found = false;
    shoal_status status = shoal_reader_open(&reader, file, SHOAL_FORMAT_AUTO);
    if (status == SHOAL_OK) status = shoal_molecule_create(&mol);
    if (status == SHOAL_OK) status = shoal_reader_next(reader, mol, &found);
    if (status == SHOAL_OK) status = shoal_batch_create(&batch);
    if (status == SHOAL_OK && found) status = add_copies(batch, mol, n);
    if (status == SHOAL_OK) status = shoal_engine_create(out, batch, &options);
    shoal_batch_destroy(batch);
    shoal_reader_destroy(reader);
    shoal_molecule_destroy(mol);
    return status;
}

/* Velocities of about 300 K, and a bath of 300 K. */
static shoal_status prepare(copies *c)
{
    const shoal_engine *engine = c->engine;
    const size_t n_atoms = (size_t)engine->starts[engine->n_systems];
    uint64_t seed = 2;
    c->plan = engine->mixed ? &c->engine->fast : &c->engine->exact;
    c->start = malloc(n_atoms * sizeof *c->start);
    c->velocities = malloc(n_atoms * sizeof *c->velocities);
    c->baths = calloc((size_t)engine->n_systems, sizeof *c->baths);
    if (!c->start || !c->velocities || !c->baths) return SHOAL_E_MEMORY;
    memcpy(c->start, engine->pos, n_atoms * sizeof *c->start);
    for (size_t i = 0; i < n_atoms; ++i)
        for (int d = 0; d < 3; ++d) c->velocities[i][d] = 0.008 * draw(&seed);
    for (int32_t k = 0; k < engine->n_systems; ++k)
        c->baths[k] = (backend_bath){.masses = engine->systems[k].view.masses,
                                     .kt = 300 * BOLTZMANN,
                                     .n_dof = 3 * engine->systems[k].view.n_atoms,
                                     .key = (uint64_t)k};
    return engine_need_plan(c->engine, c->plan);
}

/* Seconds of n_steps of all systems by a driver, without the way there and back. */
static shoal_status time_driver(copies *c, int which, int32_t n_steps, double *seconds)
{
    shoal_engine *engine = c->engine;
    const shoal_backend *b = engine->backend;
    void *plan = c->plan->plan;
    const backend_md md = {.dt = 0.5,
                           .friction = 0.01,
                           .tau = 15,
                           .most = 0.5,
                           .thermostat = which - 1,
                           .seed = 1,
                           .baths = c->baths};
    const backend_driver driver = {.md = which > 0 ? &md : NULL,
                                   .method = SHOAL_METHOD_FIRE,
                                   .max_move = 0.2,
                                   .max_steps = 1000000000};
    backend_part part;
    *seconds = 0;
    memcpy(engine->pos, c->start, (size_t)engine->starts[engine->n_systems] * sizeof *c->start);
    engine_begin_run(engine);
    for (int32_t k = 0; k < engine->n_systems; ++k)
        engine->results[k].velocities = c->velocities + engine->starts[k];
    SHOAL_TRY(b->first(plan, &driver, engine->results));
    for (;;) {
        SHOAL_TRY(b->next(plan, engine->results, &part));
        if (part.n == 0) return SHOAL_OK;
        SHOAL_TRY(b->start(plan, &driver, engine->results));
        SHOAL_TRY(b->step(plan, 1, BACKEND_STEPS, NULL)); /* all that was sent has arrived */
        SHOAL_TRY(b->read(plan, BACKEND_STEPS, engine->results));
        const double begin = timing_now();
        SHOAL_TRY(b->step(plan, n_steps, BACKEND_STEPS, NULL));
        SHOAL_TRY(b->read(plan, BACKEND_STEPS, engine->results));
        *seconds += timing_now() - begin;
        for (int32_t k = 0; k < part.n; ++k)
            if (engine->results[part.systems[k]].outcome != STEP_GOING)
                return shoal_fail(SHOAL_E_ARGUMENT, "%s: system %d came to an end", names[which],
                                  part.systems[k]);
    }
}

static shoal_status measure(const char *device, int32_t n_systems, int32_t n_steps,
                            const char *file)
{
    copies c = {0};
    double fire = 0;
    shoal_status status = make_engine(device, file, n_systems, &c.engine);
    if (status == SHOAL_OK) status = prepare(&c);
    for (int which = 0; which < N_DRIVERS && status == SHOAL_OK; ++which) {
        double times[N_REPEATS], warm_up;
        status = time_driver(&c, which, n_steps, &warm_up);
        for (int k = 0; k < N_REPEATS && status == SHOAL_OK; ++k)
            status = time_driver(&c, which, n_steps, &times[k]);
        if (status != SHOAL_OK) break;
        const timing t = timing_of(times);
        const double rate = (double)n_systems * n_steps / t.median;
        if (which == 0) fire = rate;
        (void)printf("{\"file\": \"%s\", \"driver\": \"%s\", \"device\": \"%s\", \"systems\": %d, "
                     "\"natoms\": %d, \"steps_per_s\": %.4g, \"of_fire\": %.3f, "
                     "\"spread_percent\": %.1f}\n",
                     file, names[which], device, n_systems, c.engine->systems[0].view.n_atoms, rate,
                     rate / fire, 100 * (t.max - t.min) / t.median);
        (void)fflush(stdout);
    }
    shoal_engine_destroy(c.engine);
    free(c.start);
    free(c.velocities);
    free(c.baths);
    return status;
}

int main(int argc, char **argv)
{
    const int32_t n_systems = argc > 2 ? atoi(argv[2]) : 0, n_steps = argc > 3 ? atoi(argv[3]) : 0;
    if (argc < 5 || n_systems < 1 || n_steps < 1) {
        (void)fprintf(stderr, "usage: bench_md DEVICE SYSTEMS STEPS FILE...\n");
        return 2;
    }
    for (int k = 4; k < argc; ++k)
        if (measure(argv[1], n_systems, n_steps, argv[k]) != SHOAL_OK) return fail();
    return 0;
}
