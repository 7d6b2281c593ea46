/* SPDX-License-Identifier: BSD-3-Clause
 * What shoal.h says about threads: objects of their own freely, frozen ones shared, error texts apart,
 * libraries loaded when wanted; every thread finds the bits that one alone finds. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "ff/topology.h"
#include "grid_fixture.h"
#include "surf/grid.h"
#include "surf/surface.h"

enum { N_THREADS = 4, N_ROUNDS = 6, N_COUNTS = 100000 };

/* What all threads use at once. */
typedef struct shared {
    shoal_topology *topology;
    shoal_surface *surface;
    shoal_grid *grid;
    const double (*pos)[3];
    double energy, relaxed; /* eV, found alone; above the surface after a few steps */
    char path[64];          /* of the grid, in HDF5 */
    bool has_hdf5;
} shared;

typedef struct worker {
    const shared *common;
    int number, n_wrong;
    const char *what; /* the first thing that went wrong */
} worker;

static void note(worker *w, bool good, const char *what)
{
    if (good) return;
    if (w->n_wrong++ == 0) w->what = what;
}

static const double water[3][3] = {{0, 0, 3.5}, {0.96, 0, 3.6}, {-0.24, 0.93, 3.4}};

static shoal_molecule *make_water(void)
{
    static const int32_t z[3] = {8, 1, 1};
    shoal_molecule *mol = NULL;
    bool good = shoal_molecule_create(&mol) == SHOAL_OK;
    for (int i = 0; i < 3; ++i)
        good = good && shoal_molecule_add_atom(mol, z[i], water[i]) == SHOAL_OK;
    return good ? mol : NULL;
}

/* Energy of a batch of one after at most so many steps; NaN if anything fails. */
static double run_engine(shoal_topology *topology, const double (*pos)[3], shoal_surface *surface,
                         shoal_grid *grid, int32_t steps)
{
    const shoal_engine_options options = {.surface = surface, .grid = grid, .n_threads = 2};
    const shoal_relax_options relax = {.max_steps = steps};
    const shoal_system system = {.topology = topology, .pos = pos};
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    shoal_result result = {.energy = NAN};
    bool good = shoal_batch_create(&batch) == SHOAL_OK &&
                shoal_batch_add(batch, &system) == SHOAL_OK &&
                shoal_engine_create(&engine, batch, &options) == SHOAL_OK;
    good = good && (steps > 0 ? shoal_engine_relax(engine, &relax, NULL, NULL)
                              : shoal_engine_eval(engine)) == SHOAL_OK;
    good = good && shoal_engine_result(engine, 0, &result) == SHOAL_OK;
    const double energy = good ? result.energy : NAN;
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
    return energy;
}

/* Objects of the thread's own, from a molecule to its charges. */
static void work_alone(worker *w)
{
    shoal_molecule *mol = make_water();
    shoal_topology *topology = NULL;
    note(w, mol != NULL, "a molecule of one's own");
    note(w, shoal_topology_create(&topology, mol, NULL) == SHOAL_OK, "typing");
    note(w, run_engine(topology, water, NULL, NULL, 0) == w->common->energy, "energy alone");
    const shoal_status status = shoal_molecule_equilibrate(mol, NULL);
    note(w, status == SHOAL_OK || status == SHOAL_E_UNSUPPORTED, "charges");
    shoal_topology_destroy(topology);
    shoal_molecule_destroy(mol);
}

/* Frozen objects that others use at the same time, with references of one's own. */
static void work_together(worker *w)
{
    const shared *c = w->common;
    shoal_topology *topology = shoal_topology_retain(c->topology);
    shoal_grid *grid = shoal_grid_retain(c->grid), *read = NULL;
    shoal_surface *surface = shoal_surface_retain(c->surface);
    note(w, run_engine(topology, c->pos, surface, grid, 5) == c->relaxed, "relaxing on a grid");
    double direct[SHOAL_N_CHANNELS][4], spline[SHOAL_N_CHANNELS][4];
    shoal_surface_fields(surface, water[w->number % 3], direct);
    shoal_grid_fields(grid, water[w->number % 3], spline);
    note(w, fabs(direct[0][0] - spline[0][0]) < 0.1 * fabs(direct[0][0]), "fields");
    if (c->has_hdf5)
        note(w, shoal_grid_read(&read, c->path, surface) == SHOAL_OK, "reading a grid");
    shoal_grid_destroy(read);
    shoal_surface_destroy(surface);
    shoal_grid_destroy(grid);
    shoal_topology_destroy(topology);
}

/* Nothing but counting: an update that is lost shows in the end. */
static void count_references(const shared *c)
{
    for (int k = 0; k < N_COUNTS; ++k) {
        shoal_topology_destroy(shoal_topology_retain(c->topology));
        shoal_surface_destroy(shoal_surface_retain(c->surface));
        shoal_grid_destroy(shoal_grid_retain(c->grid));
    }
}

/* A failure of this thread is seen here and nowhere else. */
static void work_wrongly(worker *w)
{
    char device[24], wanted[32];
    (void)snprintf(device, sizeof device, "nothing%d", w->number);
    (void)snprintf(wanted, sizeof wanted, "nothing%d", w->number);
    note(w, shoal_device_check(device) != SHOAL_OK, "a device that is not there");
    (void)sched_yield();
    note(w, strstr(shoal_error_text(), wanted) != NULL, "the thread's own error text");
}

static void *work(void *user)
{
    worker *w = user;
    count_references(w->common);
    for (int round = 0; round < N_ROUNDS; ++round) {
        work_alone(w);
        work_wrongly(w);
        work_together(w);
    }
    return NULL;
}

static void run_threads(const shared *common)
{
    pthread_t threads[N_THREADS];
    worker workers[N_THREADS];
    for (int k = 0; k < N_THREADS; ++k) {
        workers[k] = (worker){.common = common, .number = k};
        CHECK(pthread_create(&threads[k], NULL, work, &workers[k]) == 0);
    }
    for (int k = 0; k < N_THREADS; ++k) {
        CHECK(pthread_join(threads[k], NULL) == 0);
        CHECK(workers[k].n_wrong == 0);
        if (workers[k].n_wrong) (void)printf("  thread %d: %s\n", k, workers[k].what);
    }
}

int main(void)
{
    shoal_molecule *mol = make_water();
    shared common = {.path = "test_threads_XXXXXX", .pos = water};
    const int file = mkstemp(common.path);
    CHECK(file >= 0);
    if (file >= 0) (void)close(file);
    CHECK(shoal_topology_create(&common.topology, mol, NULL) == SHOAL_OK);
    common.surface = make_salt(1);
    common.grid = make_grid(common.surface, 0.4, false);
    common.has_hdf5 = shoal_grid_write(common.grid, common.path) == SHOAL_OK;
    common.energy = run_engine(common.topology, water, NULL, NULL, 0);
    common.relaxed = run_engine(common.topology, water, common.surface, common.grid, 5);
    CHECK(isfinite(common.energy) && isfinite(common.relaxed));
    run_threads(&common);
    CHECK(common.topology->references == 1);
    /* And those of the levels of the grid. */
    CHECK(common.surface->references == 2 + common.grid->view.n_levels);
    CHECK(common.grid->references == 1);
    (void)unlink(common.path);
    shoal_grid_destroy(common.grid);
    shoal_surface_destroy(common.surface);
    shoal_topology_destroy(common.topology);
    shoal_molecule_destroy(mol);
    return check_done();
}
