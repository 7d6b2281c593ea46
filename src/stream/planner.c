/* SPDX-License-Identifier: BSD-3-Clause
 * What a run would compute, and the memory that it would take. */
#include "shoal/planner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/alloc.h"

#define BATCH_SYSTEMS 8192 /* that a stream hands to a device at a time, several times over */
#define WORKER_SYSTEMS 100 /* that one thread at least has to itself */
/* A further thread of the cpu has blocks, topologies and an engine of its own. Measured with 2 to 16 threads and molecules
 * of 23 atoms, bytes; a relaxation has tables in two precisions, and its state. */
#define WORKER_BYTES ((int64_t)3 << 20)
#define RELAXING_WORKER_BYTES ((int64_t)6 << 20)

struct shoal_planner {
    const shoal_engine_options *engine;
    bool relaxes;
    int32_t n_threads;
    shoal_batch *batch; /* systems that have not been planned for yet */
    shoal_need need;
};

shoal_status shoal_planner_create(shoal_planner **out, const shoal_engine_options *engine,
                                  bool relaxes, int32_t n_threads)
{
    shoal_clear_error();
    SHOAL_NEED(out && engine);
    *out = shoal_alloc(1, sizeof **out);
    if (!*out) return SHOAL_E_MEMORY;
    **out = (shoal_planner){.engine = engine, .relaxes = relaxes, .n_threads = n_threads};
    return SHOAL_OK;
}

void shoal_planner_destroy(shoal_planner *planner)
{
    if (!planner) return;
    shoal_batch_destroy(planner->batch);
    free(planner);
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Plans for the systems that have come together. */
static shoal_status plan_batch(shoal_planner *p)
{
    shoal_plan plan;
    shoal_need *n = &p->need;
    if (!p->batch) return SHOAL_OK;
    const shoal_status status = shoal_engine_plan(p->batch, p->engine, &plan);
    shoal_batch_destroy(p->batch);
    p->batch = NULL;
    SHOAL_TRY(status);
    if (p->relaxes && !plan.relaxes)
        return shoal_fail(SHOAL_E_UNSUPPORTED, "relax: the device '%s' computes single points only",
                          p->engine->device ? p->engine->device : "cpu");
    ++n->chunks;
    n->systems += plan.n_systems;
    n->untyped += plan.n_untyped;
    n->atoms += plan.n_atoms;
    n->topologies += plan.n_topologies;
    n->small += plan.n_small;
    n->large += plan.n_large;
    n->slices += plan.n_slices;
    n->host_bytes = larger(n->host_bytes, plan.host_bytes);
    n->device_bytes = larger(n->device_bytes, plan.device_bytes);
    n->device_memory = plan.device_memory;
    memcpy(n->name, plan.name, sizeof n->name);
    return SHOAL_OK;
}

shoal_status shoal_planner_visit(shoal_planner *planner, const shoal_stream_system *systems,
                                 int32_t n)
{
    shoal_clear_error();
    SHOAL_NEED(planner && systems);
    if (!planner->batch) SHOAL_TRY(shoal_batch_create(&planner->batch));
    for (int32_t i = 0; i < n; ++i) {
        double cell[3][3];
        bool pbc[3];
        if (!systems[i].topology) continue; /* unreadable */
        shoal_molecule_cell(systems[i].mol, cell, pbc);
        const bool periodic = shoal_molecule_is_periodic(systems[i].mol);
        const shoal_system system = {.topology = systems[i].topology,
                                     .pos = shoal_molecule_positions(systems[i].mol),
                                     .cell = periodic ? (const double(*)[3])cell : NULL};
        SHOAL_TRY(shoal_batch_add(planner->batch, &system));
    }
    return shoal_batch_size(planner->batch) < BATCH_SYSTEMS ? SHOAL_OK : plan_batch(planner);
}

/* Most memory that this process has held, bytes. */
static int64_t peak_memory(void)
{
    char line[128];
    long long kib = 0;
    FILE *file = fopen("/proc/self/status", "r"); /* rusage counts what ran before exec, too */
    while (file && kib == 0 && fgets(line, sizeof line, file))
        (void)sscanf(line, "VmHWM: %lld kB", &kib);
    if (file) (void)fclose(file);
    if (kib > 0) return 1024 * kib;
    struct rusage used;
    if (getrusage(RUSAGE_SELF, &used) != 0) return 0;
#ifdef __APPLE__
    return used.ru_maxrss;
#else
    return 1024 * (int64_t)used.ru_maxrss;
#endif
}

static int64_t count_threads(const shoal_planner *p)
{
    if (p->n_threads > 0) return p->n_threads;
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return sysconf(_SC_NPROCESSORS_ONLN);
#endif
}

/* Of the threads beside the first, bytes. */
static int64_t worker_memory(const shoal_planner *p)
{
    const int64_t most = p->need.systems / WORKER_SYSTEMS, others = count_threads(p) - 1;
    if (p->engine->device && strcmp(p->engine->device, "cpu") != 0) return 0;
    return (others < most ? others : most) * (p->relaxes ? RELAXING_WORKER_BYTES : WORKER_BYTES);
}

shoal_status shoal_planner_finish(shoal_planner *planner, shoal_need *out)
{
    shoal_clear_error();
    SHOAL_NEED(planner && out);
    SHOAL_TRY(plan_batch(planner));
    *out = planner->need;
    out->host_bytes += peak_memory() + worker_memory(planner);
    return SHOAL_OK;
}
