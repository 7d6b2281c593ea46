/* SPDX-License-Identifier: BSD-3-Clause
 * Memory and queues that a device keeps: who gets them, how much is kept, and that no engine can tell what was
 * in its memory before. */
#include "cl/cl_buffer.h"
#include "cl_fixture.h"
#include "grid_fixture.h"
#include "periodic_fixture.h"

#define MIB ((size_t)1 << 20)

enum { MOST = 256 };

static void test_reuse(cl_target *target)
{
    cl_pool *pool = cl_shared_pool(target->shared);
    cl_buffer a, b, c;
    cl_pool_clear(pool, target->queue);
    const int64_t before = cl_pool_count(pool, CL_MEMORY_DEVICE).taken;
    CHECK(cl_pool_count(pool, CL_MEMORY_DEVICE).kept == 0);
    CHECK(cl_buffer_create(&a, target, "a", MIB, 1, NULL) == SHOAL_OK);
    const cl_mem first = a.memory;
    CHECK(cl_pool_count(pool, CL_MEMORY_DEVICE).taken == before + (int64_t)MIB);
    cl_buffer_free(&a);
    CHECK(cl_pool_count(pool, CL_MEMORY_DEVICE).taken == before);
    CHECK(cl_pool_count(pool, CL_MEMORY_DEVICE).kept == (int64_t)MIB);
    /* A little less: the same. Much less, or more: another. */
    CHECK(cl_buffer_create(&a, target, "a", MIB - 100000, 1, NULL) == SHOAL_OK);
    CHECK(a.memory == first && a.size == MIB - 100000);
    cl_buffer_free(&a);
    CHECK(cl_buffer_create(&a, target, "a", MIB / 2, 1, NULL) == SHOAL_OK);
    CHECK(cl_buffer_create(&b, target, "b", MIB + 1, 1, NULL) == SHOAL_OK);
    CHECK(a.memory != first && b.memory != first);
    /* Two at a time never get the same. */
    CHECK(cl_buffer_create(&c, target, "c", MIB, 1, NULL) == SHOAL_OK && c.memory == first);
    cl_buffer_free(&a);
    CHECK(cl_buffer_create(&a, target, "a", MIB, 1, NULL) == SHOAL_OK && a.memory != first);
    cl_buffer_free(&a);
    cl_buffer_free(&b);
    cl_buffer_free(&c);
    cl_pool_clear(pool, target->queue);
    CHECK(cl_pool_count(pool, CL_MEMORY_DEVICE).kept == 0);
}

/* Memory is given away only when nothing that was enqueued can still write to it. */
static void test_wait(cl_target *target, const char *which)
{
    enum { N = 1 << 24 };
    cl_target *other;
    cl_buffer a, b;
    const int32_t seven = 7;
    int32_t last = 0;
    CHECK(cl_target_open(&other, which, false) == SHOAL_OK);
    CHECK(other->queue != target->queue);
    CHECK(cl_buffer_create(&a, target, "a", N, sizeof seven, NULL) == SHOAL_OK);
    CHECK(cl_buffer_fill(&a, &seven, sizeof seven) == SHOAL_OK && target->busy);
    const cl_mem memory = a.memory;
    cl_buffer_free(&a);
    CHECK(!target->busy);
    CHECK(cl_buffer_create(&b, other, "b", N, sizeof seven, NULL) == SHOAL_OK);
    CHECK(b.memory == memory);
    CHECK(cl_buffer_read(&b, (N - 1) * sizeof last, sizeof last, &last) == SHOAL_OK && last == 7);
    cl_buffer_free(&b);
    const cl_command_queue queue = other->queue;
    cl_target_close(other);
    CHECK(cl_target_open(&other, which, false) == SHOAL_OK && other->queue == queue);
    cl_target_close(other);
}

/* A device of one MiB: half of it may be kept, and four fifths be kept or taken; the oldest go first. */
static void test_bounds(cl_target *target)
{
    cl_device_entry small = target->device;
    cl_block blocks[4];
    size_t sizes[MOST];
    small.info.memory_bytes = (int64_t)MIB;
    cl_pool *pool = cl_pool_create(target->call, target->context, &small);
    for (int k = 0; k < 4; ++k)
        CHECK(cl_pool_take(pool, CL_MEMORY_DEVICE, (size_t)(k + 1) << 16, target->queue,
                           &blocks[k]) == CL_SUCCESS);
    for (int k = 0; k < 4; ++k) cl_pool_return(pool, CL_MEMORY_DEVICE, target->queue, &blocks[k]);
    CHECK(cl_pool_sizes(pool, CL_MEMORY_DEVICE, sizes, MOST) == 2); /* 192 and 256 of 512 KiB */
    CHECK(sizes[0] == (size_t)3 << 16 && sizes[1] == (size_t)4 << 16);
    CHECK(cl_pool_take(pool, CL_MEMORY_DEVICE, (size_t)9 << 16, target->queue, &blocks[0]) ==
          CL_SUCCESS);
    CHECK(cl_pool_sizes(pool, CL_MEMORY_DEVICE, sizes, MOST) == 0);
    /* More than may ever be kept. */
    cl_pool_return(pool, CL_MEMORY_DEVICE, target->queue, &blocks[0]);
    CHECK(cl_pool_sizes(pool, CL_MEMORY_DEVICE, sizes, MOST) == 0 && !blocks[0].memory);
    CHECK(cl_pool_count(pool, CL_MEMORY_DEVICE).taken == 0);
    /* Many small ones. */
    static cl_block many[MOST + 40];
    for (int k = 0; k < MOST + 40; ++k)
        CHECK(cl_pool_take(pool, CL_MEMORY_DEVICE, 256, target->queue, &many[k]) == CL_SUCCESS);
    for (int k = 0; k < MOST + 40; ++k)
        cl_pool_return(pool, CL_MEMORY_DEVICE, target->queue, &many[k]);
    CHECK(cl_pool_sizes(pool, CL_MEMORY_DEVICE, sizes, MOST) == MOST);
    cl_pool_destroy(pool);
}

static int compare_sizes(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x < y) - (x > y);
}

/* Fills all memory that is kept with ones: NaN for numbers, -1 for integers. */
static void spoil(cl_target *target)
{
    static cl_buffer buffers[MOST];
    static cl_staging staging[MOST];
    cl_pool *pool = cl_shared_pool(target->shared);
    const uint32_t ones = UINT32_MAX;
    size_t sizes[MOST];
    int32_t n = cl_pool_sizes(pool, CL_MEMORY_DEVICE, sizes, MOST);
    CHECK(n > 10);
    qsort(sizes, (size_t)n, sizeof *sizes, compare_sizes);
    for (int32_t k = 0; k < n; ++k) {
        CHECK(cl_buffer_create(&buffers[k], target, "old", sizes[k] / 4, 4, NULL) == SHOAL_OK);
        CHECK(cl_buffer_fill(&buffers[k], &ones, sizeof ones) == SHOAL_OK);
    }
    CHECK(cl_pool_count(pool, CL_MEMORY_DEVICE).kept == 0); /* all of it, and nothing is new */
    for (int32_t k = 0; k < n; ++k) cl_buffer_free(&buffers[k]);
    n = cl_pool_sizes(pool, CL_MEMORY_HOST, sizes, MOST);
    qsort(sizes, (size_t)n, sizeof *sizes, compare_sizes);
    for (int32_t k = 0; k < n; ++k) {
        CHECK(cl_staging_create(&staging[k], target, "old", sizes[k]) == SHOAL_OK);
        memset(staging[k].data, 0xff, sizes[k]);
    }
    for (int32_t k = 0; k < n; ++k) cl_staging_free(&staging[k]);
}

static void test_stale(cl_target *target, const set *s, const run_options *o, const char *what)
{
    static outcome fresh[SET_SYSTEMS], later[SET_SYSTEMS];
    run_set(s, NULL, s->n, o, fresh);
    spoil(target);
    const int64_t kept = cl_pool_count(cl_shared_pool(target->shared), CL_MEMORY_DEVICE).kept;
    run_set(s, NULL, s->n, o, later);
    CHECK(cl_pool_count(cl_shared_pool(target->shared), CL_MEMORY_DEVICE).kept == kept);
    for (int32_t k = 0; k < s->n; ++k) {
        const bool same = outcome_same(&fresh[k], &later[k], s->systems[k].n_atoms);
        CHECK(same);
        if (!same) (void)printf("  %s, system %d '%s'\n", what, k, s->systems[k].name);
    }
    outcomes_free(fresh, s->n);
    outcomes_free(later, s->n);
}

static void test_method(cl_target *target, const set *s, shoal_engine_options engine,
                        const shoal_relax_options *relax, const char *what)
{
    const run_options o = {.engine = engine, .relax = relax};
    if (engine.precision == SHOAL_PRECISION_DOUBLE && !target->device.info.fp64) return;
    test_stale(target, s, &o, what);
}

/* Molecules of all group sizes, held, pulled and out of this world. */
static void fill_small(set *s)
{
    static const int sizes[] = {1, 3, 28, 33, 61};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
        set_system *sys = set_add_size(s, sizes[k], k % 2);
        if (sizes[k] < 28) continue;
        sys->fixed = calloc((size_t)sys->n_atoms, sizeof *sys->fixed);
        sys->fixed[k] = true;
        sys->restraints[sys->n_restraints++] = (shoal_restraint){
            .kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 7}, .k = 2, .value = 2.4};
    }
    set_add_size(s, 33, false)->pos[3][1] = NAN;
}

static void test_engines(cl_target *target, const char *device)
{
    static const int32_t basis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static set small, large;
    const shoal_engine_options single = {.device = device},
                               exact = {.device = device, .precision = SHOAL_PRECISION_DOUBLE};
    const shoal_relax_options lbfgs = {.max_steps = 30};
    const shoal_relax_options fire = {.max_steps = 30, .method = SHOAL_METHOD_FIRE};
    fill_small(&small);
    test_method(target, &small, single, NULL, "single points");
    test_method(target, &small, single, &lbfgs, "L-BFGS");
    test_method(target, &small, single, &fire, "FIRE");
    if (check_thorough()) test_method(target, &small, exact, &lbfgs, "L-BFGS in double");
    (void)periodic_add(&large, periodic_silica(basis), "silica", 0.05);
    test_method(target, &large, single, &lbfgs, "periodic, L-BFGS");
    test_method(target, &large, single, &fire, "periodic, FIRE");
    set_free(&small);
    set_free(&large);
}

/* Kernels with more memory: that of a surface. */
static void test_surfaces(cl_target *target, const char *device)
{
    static set s;
    shoal_surface *salt = make_salt(1);
    shoal_grid *grid = make_grid(salt, 0.4, false);
    shoal_engine_options above = {.device = device, .surface = salt};
    const shoal_relax_options lbfgs = {.max_steps = 10};
    set_system *sys = set_add_size(&s, 5, true);
    for (int32_t i = 0; i < sys->n_atoms; ++i) sys->pos[i][2] += 8; /* above it, angstrom */
    test_method(target, &s, above, NULL, "direct sums");
    above.grid = grid;
    test_method(target, &s, above, &lbfgs, "grid");
    shoal_grid_destroy(grid);
    shoal_surface_destroy(salt);
    set_free(&s);
}

int main(void)
{
    const char *which = device_for_tests();
    cl_target *target;
    char device[24];
    if (!which) return getenv("CI") ? 1 : SKIPPED;
    (void)snprintf(device, sizeof device, "opencl:%s", which);
    CHECK(cl_target_open(&target, which, false) == SHOAL_OK);
    test_reuse(target);
    test_wait(target, which);
    test_bounds(target);
    test_engines(target, device);
    test_surfaces(target, device);
    cl_target_close(target);
    return check_done();
}
