/* SPDX-License-Identifier: BSD-3-Clause
 * Matchings with priorities against exhaustive search on random graphs. */
#include "chem/matching.h"
#include "chem_fixture.h"

enum { MAX_VERTICES = 10, MAX_ENDS = MAX_VERTICES * MAX_VERTICES, N_LEVELS = 3 };

typedef struct instance {
    matching m;
    int32_t start[MAX_VERTICES + 1], next[MAX_ENDS];
    int32_t priority[MAX_VERTICES], stage[MAX_VERTICES], match[MAX_VERTICES];
    bool joined[MAX_VERTICES][MAX_VERTICES];
} instance;

/* How many vertices of each priority, the highest first, a matching covers. */
typedef struct score {
    int32_t covered[N_LEVELS];
} score;

static bool is_better(const score *a, const score *b)
{
    for (int k = 0; k < N_LEVELS; ++k)
        if (a->covered[k] != b->covered[k]) return a->covered[k] > b->covered[k];
    return false;
}

static score score_of(const instance *x, const int32_t *match)
{
    score s = {{0}};
    for (int32_t v = 0; v < x->m.n; ++v)
        if (match[v] >= 0 && x->priority[v] >= 0) ++s.covered[N_LEVELS - 1 - x->priority[v]];
    return s;
}

/* Tries all matchings of the vertices from v on; v may be taken by an earlier one. */
static void search_all(const instance *x, int32_t v, int32_t *match, score *best)
{
    if (v == x->m.n) {
        const score s = score_of(x, match);
        if (is_better(&s, best)) *best = s;
        return;
    }
    search_all(x, v + 1, match, best);
    if (match[v] >= 0) return;
    for (int32_t w = v + 1; w < x->m.n; ++w) {
        if (!x->joined[v][w] || match[w] >= 0) continue;
        match[v] = w;
        match[w] = v;
        search_all(x, v + 1, match, best);
        match[v] = match[w] = -1;
    }
}

static void make_random(instance *x, uint64_t *seed, int32_t n_stages)
{
    *x = (instance){.m = {.n = 2 + chem_random(seed, MAX_VERTICES - 1), .n_stages = n_stages}};
    const int32_t density = 15 + chem_random(seed, 50);
    for (int32_t v = 0; v < x->m.n; ++v) {
        x->priority[v] = chem_random(seed, N_LEVELS + 1) - 1;
        x->stage[v] = x->priority[v] < 0 ? chem_random(seed, n_stages) : 0;
        x->match[v] = -1;
        for (int32_t w = 0; w < v; ++w)
            x->joined[v][w] = x->joined[w][v] = chem_random(seed, 100) < density;
    }
    int32_t n = 0;
    for (int32_t v = 0; v < x->m.n; ++v) {
        x->start[v] = n;
        for (int32_t w = 0; w < x->m.n; ++w)
            if (x->joined[v][w]) x->next[n++] = w;
    }
    x->start[x->m.n] = n;
    x->m.start = x->start;
    x->m.next = x->next;
    x->m.priority = x->priority;
    x->m.stage = x->stage;
    x->m.match = x->match;
}

/* A valid start: some edges between vertices of the first stage. */
static void start_somewhere(instance *x, uint64_t *seed)
{
    for (int32_t v = 0; v < x->m.n; ++v)
        for (int32_t w = 0; w < v; ++w) {
            const bool first = x->stage[v] == 0 && x->stage[w] == 0;
            if (!x->joined[v][w] || !first || x->match[v] >= 0 || x->match[w] >= 0) continue;
            if (chem_random(seed, 3) != 0) continue;
            x->match[v] = w;
            x->match[w] = v;
        }
}

static bool is_valid(const instance *x)
{
    for (int32_t v = 0; v < x->m.n; ++v) {
        const int32_t w = x->match[v];
        if (w >= 0 && (w >= x->m.n || x->match[w] != v || !x->joined[v][w])) return false;
    }
    return true;
}

/* The matroid of coverable sets makes the greedy order optimal: most vertices of the highest
 * priority, then most of the next, and so on. */
static void test_random(int32_t n_stages)
{
    static instance x;
    uint64_t seed = 17 + (uint64_t)n_stages;
    int32_t n_invalid = 0, n_worse = 0;
    for (int round = 0; round < 5000; ++round) {
        make_random(&x, &seed, n_stages);
        int32_t match[MAX_VERTICES];
        for (int32_t v = 0; v < x.m.n; ++v) match[v] = -1;
        score best = {{-1}};
        search_all(&x, 0, match, &best);
        start_somewhere(&x, &seed);
        arena memory = {0};
        CHECK(matching_solve(&x.m, &memory) == SHOAL_OK);
        arena_free(&memory);
        const score got = score_of(&x, x.match);
        n_invalid += !is_valid(&x);
        n_worse += is_better(&best, &got);
    }
    CHECK(n_invalid == 0);
    CHECK(n_worse == 0);
}

/* Odd cycles joined by paths: what blossoms are for. */
static void test_blossoms(void)
{
    static instance x;
    static const int32_t edges[][2] = {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}, {4, 5},
                                       {5, 6}, {6, 7}, {7, 5}, {7, 8}, {8, 9}};
    x = (instance){.m = {.n = 10, .n_stages = 1}};
    for (size_t e = 0; e < sizeof edges / sizeof edges[0]; ++e)
        x.joined[edges[e][0]][edges[e][1]] = x.joined[edges[e][1]][edges[e][0]] = true;
    int32_t n = 0;
    for (int32_t v = 0; v < 10; ++v) {
        x.start[v] = n;
        x.match[v] = -1;
        for (int32_t w = 0; w < 10; ++w)
            if (x.joined[v][w]) x.next[n++] = w;
    }
    x.start[10] = n;
    x.m.start = x.start;
    x.m.next = x.next;
    x.m.priority = x.priority;
    x.m.stage = x.stage;
    x.m.match = x.match;
    arena memory = {0};
    CHECK(matching_solve(&x.m, &memory) == SHOAL_OK);
    arena_free(&memory);
    CHECK(is_valid(&x));
    for (int32_t v = 0; v < 10; ++v) CHECK(x.match[v] >= 0);
}

int main(void)
{
    test_random(1);
    test_random(3);
    test_blossoms();
    return check_done();
}
