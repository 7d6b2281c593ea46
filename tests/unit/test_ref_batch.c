/* SPDX-License-Identifier: BSD-3-Clause
 * Laws of the reference backend, bitwise: thread count, neighbours, order and repetition change
 * nothing; a system that is not finite harms no other. */
#include <stdlib.h>

#include "ref_probe.h"

enum { N_SYSTEMS = 40 };

/* System number k: of its own size, and isolated, a slab or a crystal by turns. */
static void make(probe *p, int k)
{
    const double cell[3][3] = {{8.0, 0.5, 0.2}, {-2.0, 9.5, 0.4}, {1.5, 1.0, 8.5}};
    const int32_t n = 2 + k * 7 % 31, home[3] = {0};
    uint64_t seed = 100 + (uint64_t)k;
    probe_init(p, n);
    p->system.view.has_charges = true;
    probe_scatter(p, &seed, 8.0);
    for (int32_t i = 0; i < n; ++i) {
        p->vdw_x[i] = 2.0 + probe_random(&seed);
        p->vdw_d[i] = 0.005;
        p->charges[i] = i < n / 2 * 2 ? (i % 2 ? 0.3 : -0.3) : 0.0;
    }
    for (int32_t i = 0; i + 1 < n; ++i) {
        probe_add(p, bond_record(i, i + 1, 30.0, 1.5));
        probe_exclude(p, i, i + 1, home);
    }
    if (k % 3 > 0) probe_cell(p, cell, true, true, k % 3 == 2);
    if (k == 5) p->pos[0][0] = NAN;
    if (k == 9) memcpy(p->pos[0], p->pos[n - 1], sizeof p->pos[0]);
    p->options.terms_off = 0;
}

/* Runs the systems listed through a plan; the results land in the probes. */
static void run(probe *probes, const int *list, int n, int n_threads, int n_times)
{
    static backend_system systems[N_SYSTEMS];
    static backend_result results[N_SYSTEMS];
    shoal_engine_options options = probes[0].options;
    options.n_threads = n_threads;
    for (int s = 0; s < n; ++s) {
        systems[s] = probes[list[s]].system;
        results[s] = probes[list[s]].result;
        results[s].status = SHOAL_SYSTEM_OK;
        results[s].active = true;
    }
    const backend_input input = {.n_systems = n,
                                 .systems = systems,
                                 .options = &options,
                                 .precision = SHOAL_PRECISION_DOUBLE};
    void *plan = NULL;
    backend_part part;
    CHECK(shoal_backend_ref.create(&plan, NULL, &input) == SHOAL_OK);
    CHECK(shoal_backend_ref.first(plan, NULL, results) == SHOAL_OK);
    CHECK(shoal_backend_ref.next(plan, results, &part) == SHOAL_OK && part.n == n);
    for (int t = 0; t < n_times; ++t)
        CHECK(shoal_backend_ref.eval(plan, BACKEND_TERMS) == SHOAL_OK);
    shoal_backend_ref.destroy(plan);
    for (int s = 0; s < n; ++s) probes[list[s]].result = results[s];
}

static bool same(const probe *a, const probe *b)
{
    const size_t n = (size_t)a->system.view.n_atoms;
    return a->result.status == b->result.status &&
           memcmp(&a->result.energy, &b->result.energy, sizeof(double)) == 0 &&
           memcmp(&a->result.fmax, &b->result.fmax, sizeof(double)) == 0 &&
           memcmp(a->result.terms, b->result.terms, sizeof a->result.terms) == 0 &&
           memcmp(a->forces, b->forces, n * sizeof a->forces[0]) == 0;
}

int main(void)
{
    probe *first = malloc(2 * N_SYSTEMS * sizeof *first), *other = first + N_SYSTEMS;
    if (!first) return 1;
    int forward[N_SYSTEMS], backward[N_SYSTEMS];
    for (int k = 0; k < N_SYSTEMS; ++k) {
        make(&first[k], k);
        make(&other[k], k);
        forward[k] = k;
        backward[k] = N_SYSTEMS - 1 - k;
    }
    run(first, forward, N_SYSTEMS, 1, 1);
    for (int k = 0; k < N_SYSTEMS; ++k) {
        const shoal_system_status want =
            k == 5 || k == 9 ? SHOAL_SYSTEM_NOT_FINITE : SHOAL_SYSTEM_OK;
        CHECK(first[k].result.status == want);
        CHECK(isfinite(first[k].result.energy) == (want == SHOAL_SYSTEM_OK));
    }
    const int threads[3] = {2, 5, 0};
    for (int t = 0; t < 3; ++t) {
        run(other, backward, N_SYSTEMS, threads[t], 1 + t);
        for (int k = 0; k < N_SYSTEMS; ++k) CHECK(same(&first[k], &other[k]));
    }
    for (int k = 0; k < N_SYSTEMS; ++k) {
        run(other, &forward[k], 1, 0, 1);
        CHECK(same(&first[k], &other[k]));
    }
    free(first);
    return check_done();
}
