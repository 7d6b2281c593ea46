/* SPDX-License-Identifier: BSD-3-Clause
 * Batches that do not fit into the device at once: the same bits from many slices, in any order, with
 * any atoms fixed; and what is left when the caller has enough. The cpu keeps the same laws. */
#include "cpu_fixture.h"

#define MOST 64
#define MOST_ATOMS 260

typedef struct snapshot {
    int status, steps;
    double energy, energy0, fmax, pos[MOST_ATOMS][3], forces[MOST_ATOMS][3];
} snapshot;

static const char *device;
static snapshot first[MOST], second[MOST];

static shoal_engine *make_engine(const set *s, const int *order, int n, int64_t device_bytes)
{
    const shoal_engine_options options = {.device = device, .device_bytes = device_bytes};
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    for (int k = 0; k < n; ++k) {
        const set_system *from = &s->systems[order[k]];
        const shoal_system system = {
            .topology = from->topology, .pos = (const double(*)[3])from->pos, .fixed = from->fixed};
        CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
    }
    CHECK(shoal_engine_create(&engine, batch, &options) == SHOAL_OK);
    if (!engine) (void)printf("%s\n", shoal_error_text());
    shoal_batch_destroy(batch);
    return engine;
}

static void look(const shoal_engine *engine, const set *s, const int *order, int n, snapshot *to)
{
    for (int k = 0; k < n; ++k) {
        shoal_result r;
        snapshot *out = &to[order[k]];
        const size_t size = (size_t)s->systems[order[k]].n_atoms * sizeof *out->pos;
        memset(out, 0, sizeof *out);
        CHECK(shoal_engine_result(engine, k, &r) == SHOAL_OK);
        out->status = (int)r.status;
        out->steps = r.steps;
        out->energy = r.energy;
        out->energy0 = r.energy0;
        out->fmax = r.fmax;
        memcpy(out->pos, shoal_engine_positions(engine, k), size);
        memcpy(out->forces, r.forces, size);
    }
}

static void check_same(int n, const char *what)
{
    int n_differ = 0;
    for (int k = 0; k < n; ++k) n_differ += memcmp(&first[k], &second[k], sizeof first[k]) != 0;
    CHECK(n_differ == 0);
    if (n_differ) (void)printf("%s: %d of %d systems differ\n", what, n_differ, n);
}

/* All at once; cut as finely as can be; backwards; alone; and again on the same engine. */
static void test_cuts(const set *s, shoal_method method)
{
    const shoal_relax_options options = {.method = method, .max_steps = 600};
    int order[MOST], backwards[MOST];
    for (int k = 0; k < s->n; ++k) backwards[s->n - 1 - k] = order[k] = k;
    shoal_engine *whole = make_engine(s, order, s->n, 0), *cut = make_engine(s, order, s->n, 1);
    shoal_engine *parts = make_engine(s, backwards, s->n, 200000);
    if (!whole || !cut || !parts) return;
    CHECK(shoal_engine_relax(whole, &options, NULL, NULL) == SHOAL_OK);
    look(whole, s, order, s->n, first);
    CHECK(shoal_engine_relax(cut, &options, NULL, NULL) == SHOAL_OK);
    look(cut, s, order, s->n, second);
    check_same(s->n, "a slice for every system");
    CHECK(shoal_engine_relax(parts, &options, NULL, NULL) == SHOAL_OK);
    look(parts, s, backwards, s->n, second);
    check_same(s->n, "slices, backwards");
    for (int k = 0; k < s->n; ++k) {
        shoal_engine *alone = make_engine(s, &k, 1, 0);
        CHECK(shoal_engine_relax(alone, &options, NULL, NULL) == SHOAL_OK);
        look(alone, s, &k, 1, second);
        shoal_engine_destroy(alone);
        CHECK(shoal_engine_set_positions(cut, k, (const double(*)[3])s->systems[k].pos) ==
              SHOAL_OK);
    }
    check_same(s->n, "alone");
    CHECK(shoal_engine_relax(cut, &options, NULL, NULL) == SHOAL_OK);
    look(cut, s, order, s->n, second);
    check_same(s->n, "again");
    shoal_engine_destroy(whole);
    shoal_engine_destroy(cut);
    shoal_engine_destroy(parts);
}

static bool enough(void *user, const shoal_progress *progress)
{
    (void)user;
    (void)progress;
    return false;
}

/* Systems that were not begun keep their geometry, and their numbers are their own. */
static void test_stop(const set *s)
{
    int order[MOST], n_left = 0;
    for (int k = 0; k < s->n; ++k) order[k] = k;
    shoal_engine *stopped = make_engine(s, order, s->n, 1), *plain = make_engine(s, order, s->n, 0);
    if (!stopped || !plain) return;
    CHECK(shoal_engine_relax(stopped, NULL, enough, NULL) == SHOAL_OK);
    CHECK(shoal_engine_eval(plain) == SHOAL_OK);
    look(stopped, s, order, s->n, first);
    look(plain, s, order, s->n, second);
    for (int k = 0; k < s->n; ++k) {
        const size_t size = (size_t)s->systems[k].n_atoms * sizeof first[k].pos[0];
        CHECK(first[k].energy0 == second[k].energy);
        if (first[k].steps > 0) continue;
        ++n_left;
        CHECK(first[k].status == SHOAL_SYSTEM_MAX_STEPS);
        CHECK(first[k].energy == second[k].energy && first[k].fmax == second[k].fmax);
        for (int32_t i = 0; i < s->systems[k].n_atoms; ++i)
            for (int c = 0; c < 3; ++c)
                CHECK_NEAR(first[k].pos[i][c], s->systems[k].pos[i][c], 1e-5);
        CHECK(memcmp(first[k].forces, second[k].forces, size) == 0);
    }
    CHECK(n_left >= s->n / 2);
    shoal_engine_destroy(stopped);
    shoal_engine_destroy(plain);
}

int main(void)
{
    static const int sizes[] = {1, 2, 3, 5, 28, 29, 33, 61, 130, 200, MOST_ATOMS};
    static set s;
    const char *const named = getenv("SHOAL_TEST_DEVICE");
    const char *const devices[] = {named ? named : "opencl:cpu", "cpu"};
    if (shoal_device_check(devices[0]) != SHOAL_OK) {
        (void)printf("skipped: %s\n", shoal_error_text());
        return getenv("CI") ? 1 : 77; /* there nothing is left out */
    }
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) set_add_size(&s, sizes[k], k % 2);
    for (int k = 0; k < 6; ++k) { /* one topology, three patterns of fixed atoms by turns */
        set_system *sys = set_add_size(&s, 33, false);
        for (int32_t i = 0; i < sys->n_atoms; ++i) sys->pos[i][0] += 0.01 * k * (i % 3);
        if (k % 3 == 0) continue;
        sys->fixed = calloc((size_t)sys->n_atoms, sizeof *sys->fixed);
        sys->fixed[k % 3] = sys->fixed[5] = true;
    }
    for (int d = 0; d < 2; ++d) {
        device = devices[d];
        test_cuts(&s, SHOAL_METHOD_LBFGS);
        test_cuts(&s, SHOAL_METHOD_FIRE);
    }
    device = devices[0];
    test_stop(&s);
    set_free(&s);
    return check_done();
}
