/* SPDX-License-Identifier: BSD-3-Clause
 * Distance geometry on the cpu: a system alone (partners in lanes), among a few or many copies of itself and among unlike
 * ones (mixed lanes) takes the same path, bit for bit, and forces are those of ref. */
#include <math.h>

#include "cpu_fixture.h"

enum { N_SIZES = 13, N_COPIES = 9, MOST = N_SIZES * N_COPIES, SPOILT = 4, BACKWARDS = 31 };

static const int32_t sizes[N_SIZES] = {2, 3, 5, 15, 16, 17, 31, 33, 64, 100, 128, 129, 150};

static const uint32_t off =
    ((1u << SHOAL_N_TERMS) - 1) & ~(1u << SHOAL_TERM_BOND | 1u << SHOAL_TERM_INVERSION);

/* Some pairs have no range, some no upper or no lower end; the rest is a walk through a box that is too small for it. One
 * size has its terms in an order of its own. */
static void add_ranges(shoal_topology_builder *b, int32_t n)
{
    uint64_t seed = 3u + (uint64_t)n;
    for (int32_t row = 0; row < n; ++row) {
        const int32_t i = n == BACKWARDS ? n - 1 - row : row;
        for (int32_t j = i + 1; j < n; ++j) {
            const int32_t pair[2] = {i, j};
            const double low = j == i + 1 ? 1.4 : 2.2 + 0.4 * set_random(&seed);
            const double p[3] = {1.0 + 0.5 * (i % 2), (i + j) % 6 ? low : 0.0,
                                 (i * j) % 5 ? low + 0.1 + 0.3 * (j - i - 1) : 0.0};
            if (i % 7 == 3 && j % 5 == 2) continue;
            CHECK(shoal_topology_add_term(b, SHOAL_KIND_RANGE, pair, NULL, p) == SHOAL_OK);
        }
    }
    for (int32_t i = 0; i + 3 < n; i += 5) {
        const int32_t four[4] = {i, i + 1, i + 2, i + 3};
        const double p[3] = {0.03, 1.0, 1e6};
        CHECK(shoal_topology_add_term(b, SHOAL_KIND_VOLUME, four, NULL, p) == SHOAL_OK);
    }
}

static shoal_topology *make(int32_t n)
{
    static int32_t elements[1024];
    shoal_topology_builder *b;
    shoal_topology *t = NULL;
    for (int32_t i = 0; i < n; ++i) elements[i] = 6;
    CHECK(shoal_topology_begin(&b, n, elements) == SHOAL_OK);
    add_ranges(b, n);
    CHECK(shoal_topology_finish(b, SHOAL_EXCLUDE_NAMED, &t) == SHOAL_OK);
    return t;
}

/* Copies stand at other random places, of the same topology. */
static void fill(set *s)
{
    for (int32_t k = 0; k < MOST; ++k) {
        set_system *sys = &s->systems[s->n++];
        uint64_t seed = 77u + (uint64_t)k;
        memset(sys, 0, sizeof *sys);
        sys->n_atoms = sizes[k % N_SIZES];
        sys->topology = k < N_SIZES ? make(sys->n_atoms) : s->systems[k % N_SIZES].topology;
        if (k >= N_SIZES) shoal_topology_retain(sys->topology);
        sys->pos = calloc((size_t)sys->n_atoms, sizeof *sys->pos);
        CHECK(sys->pos);
        for (int32_t i = 0; i < sys->n_atoms; ++i)
            for (int c = 0; c < 3; ++c)
                sys->pos[i][c] = 2.0 * cbrt(sys->n_atoms) * set_random(&seed);
    }
    s->systems[SPOILT].pos[3][1] = NAN;
}

static void run(const set *s, const int32_t *list, int32_t n, shoal_precision precision, bool relax,
                const char *device, outcome *out)
{
    const shoal_relax_options steps = {.fmax = 1e-2, .max_steps = 120, .max_move = 1.0};
    const run_options o = {
        .engine = {.device = device, .precision = precision, .n_threads = 1, .terms_off = off},
        .relax = relax ? &steps : NULL};
    run_set(s, list, n, &o, out);
}

static void expect_same(const set *s, const int32_t *list, int32_t n, shoal_precision precision,
                        bool relax, const outcome *alone, const char *what)
{
    static outcome got[MOST];
    run(s, list, n, precision, relax, "cpu", got);
    for (int32_t k = 0; k < n; ++k) {
        const int32_t i = list[k], n_atoms = s->systems[i].n_atoms;
        const bool same = outcome_same(&got[k], &alone[i], n_atoms);
        if (!same)
            (void)printf("%s: system %d of %d atoms: %d and %d steps, energies %.17g and %.17g\n",
                         what, i, n_atoms, got[k].r.steps, alone[i].r.steps, got[k].r.energy,
                         alone[i].r.energy);
        CHECK(same);
    }
    outcomes_free(got, n);
}

/* Nine copies of one size fill lanes of their own; two of each share them, or are too large and come one by one. */
static void test_company(const set *s, shoal_precision precision, bool relax)
{
    static outcome alone[MOST];
    int32_t list[MOST];
    for (int32_t i = 0; i < MOST; ++i) run(s, &i, 1, precision, relax, "cpu", &alone[i]);
    for (int32_t i = 0; i < MOST; ++i) list[i] = MOST - 1 - i;
    expect_same(s, list, MOST, precision, relax, alone, "all");
    for (int32_t i = 0; i < 2 * N_SIZES; ++i) list[i] = i;
    expect_same(s, list, 2 * N_SIZES, precision, relax, alone, "two of each");
    for (int32_t m = 0; m < 3; ++m) {
        const int32_t size = m == 0 ? 5 : m == 1 ? 8 : 12;
        for (int32_t k = 0; k < N_COPIES; ++k) list[k] = size + N_SIZES * k;
        expect_same(s, list, N_COPIES, precision, relax, alone, "copies");
        expect_same(s, list, 2, precision, relax, alone, "two copies");
    }
    outcomes_free(alone, MOST);
}

static double largest(const double (*f)[3], int32_t n)
{
    double most = 0;
    for (int32_t i = 0; i < n; ++i)
        for (int c = 0; c < 3; ++c) most = fmax(most, fabs(f[i][c]));
    return most;
}

static void test_like_ref(const set *s, shoal_precision precision, double most)
{
    for (int32_t i = 0; i < N_SIZES; ++i) {
        outcome a, b;
        if (i == SPOILT) continue;
        run(s, &i, 1, precision, false, "cpu", &a);
        run(s, &i, 1, SHOAL_PRECISION_DOUBLE, false, "ref", &b);
        CHECK(i < 4 || b.r.energy > 1);
        CHECK_NEAR(a.r.energy, b.r.energy, most * (1 + b.r.energy));
        const double scale = 1 + largest((const double(*)[3])b.forces, sizes[i]);
        for (int32_t k = 0; k < sizes[i]; ++k)
            for (int c = 0; c < 3; ++c) CHECK_NEAR(a.forces[k][c], b.forces[k][c], most * scale);
        outcomes_free(&a, 1);
        outcomes_free(&b, 1);
    }
}

int main(void)
{
    static set s;
    fill(&s);
    test_like_ref(&s, SHOAL_PRECISION_DOUBLE, 1e-12);
    test_like_ref(&s, SHOAL_PRECISION_FLOAT, 1e-5);
    test_company(&s, SHOAL_PRECISION_FLOAT, true);
    test_company(&s, SHOAL_PRECISION_DOUBLE, true);
    test_company(&s, SHOAL_PRECISION_FLOAT, false);
    set_free(&s);
    return check_done();
}
