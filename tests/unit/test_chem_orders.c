/* SPDX-License-Identifier: BSD-3-Clause
 * Bond orders of conjugated parts against all structures, one by one; prices of charges. */
#include "chem/charge_states.h"
#include "chem/resonance.h"
#include "chem_fixture.h"

/* --- prices -------------------------------------------------------------------------------------*/

static int32_t price(const char *symbol, int32_t valence, int32_t charge)
{
    charge_state states[CHARGE_STATES_MOST];
    const charge_site site = {.z = shoal_element_number(symbol), .degree = valence};
    const int32_t n = charge_states(&site, valence, states);
    for (int32_t k = 0; k < n; ++k)
        if (states[k].charge == charge) return states[k].cost;
    return -1;
}

/* What is drawn must be cheaper than what is not. */
static void test_prices(void)
{
    for (const char *const *z =
             (const char *const[]){"H", "B", "C", "N", "O", "F", "Si", "P", "S", NULL};
         *z; ++z)
        CHECK(price(*z, valence_normal(shoal_element_number(*z)), 0) == 0);
    CHECK(price("O", 1, -1) < price("S", 1, -1) && price("S", 1, -1) < price("N", 2, -1));
    CHECK(price("N", 2, -1) < price("C", 3, -1));
    CHECK(price("N", 4, 1) < price("O", 3, 1) && price("O", 3, 1) < price("C", 3, 1));
    CHECK(price("O", 1, -1) < price("O", 1, 0));                        /* a radical */
    CHECK(2 * price("C", 3, 0) < price("C", 3, 1) + price("C", 3, -1)); /* a diradical */
    CHECK(price("S", 4, 0) < price("S", 3, 1) + price("O", 1, -1));     /* a sulfoxide */
    CHECK(price("N", 4, 0) == -1 && price("O", 2, -1) == -1 && price("C", 4, 1) == -1);
}

/* Lone pairs given to metals: what is above the normal valence, but hypervalent sulfur and phosphorus keep
 * as many bonds as leave an even number above it. */
static void test_donated(void)
{
    static const struct {
        const char *symbol;
        int32_t valence, n_metal, donated;
    } cases[] = {{"N", 3, 1, 0},                 /* an amide ion on a metal */
                 {"N", 4, 1, 1},                 /* an amine */
                 {"N", 5, 2, 2},                 /* between two metals */
                 {"N", 5, 1, 1},                 /* no more than there are metals */
                 {"O", 3, 1, 1},                 /* water */
                 {"P", 4, 1, 1},                 /* a phosphine */
                 {"P", 5, 1, 0},                 /* five bonds of its own */
                 {"P", 6, 1, 1}, {"S", 2, 1, 0}, /* a thiolate */
                 {"S", 3, 1, 1},                 /* a thioether */
                 {"S", 4, 1, 0},                 /* a sulfinate */
                 {"S", 5, 1, 1},                 /* a sulfoxide */
                 {"S", 6, 2, 0}, {"C", 5, 1, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        const int32_t z = shoal_element_number(cases[k].symbol);
        CHECK(valence_donated(z, valence_normal(z), cases[k].valence, cases[k].n_metal) ==
              cases[k].donated);
    }
    CHECK(valence_highest(shoal_element_number("Xe")) == 8 && valence_highest(7) == 3);
}

/* Valences of neutral atoms, usual and highest, of the main groups. */
static void test_valences(void)
{
    static const struct {
        const char *symbols;
        int32_t normal, highest;
    } rows[] = {{"H F", 1, 1}, {"Cl Br I At", 1, 7}, {"O", 2, 2},       {"S Se Te", 2, 6},
                {"B N", 3, 3}, {"P As Sb", 3, 5},    {"C Si Ge", 4, 4}, {"He Ne Ar Kr", 0, 0},
                {"Xe", 0, 8},  {"Na Mg Fe Zn", 0, 0}};
    char symbol[4];
    int used;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k)
        for (const char *at = rows[k].symbols; sscanf(at, "%3s%n", symbol, &used) == 1;
             at += used) {
            const int32_t z = shoal_element_number(symbol);
            CHECK(valence_normal(z) == rows[k].normal && valence_highest(z) == rows[k].highest);
        }
}

/* The charge that chemists give an atom of a valence when nothing else is known. */
static void test_cheapest(void)
{
    static const struct {
        const char *symbols;
        int32_t valence, charge;
    } rows[] = {{"H", 1, 0},
                {"H", 0, 0},
                {"H", 2, 1},
                {"B", 3, 0},
                {"B", 4, -1},
                {"C Si Ge", 4, 0},
                {"C Si Ge", 2, 0},
                {"Si Ge", 5, -1},
                {"Si Ge", 6, -2},
                {"N P As Sb", 3, 0},
                {"N P As Sb", 4, 1},
                {"N P As Sb", 2, -1},
                {"N P As Sb", 1, -2},
                {"P As Sb", 5, 0},
                {"P As Sb", 6, -1},
                {"O S Se Te", 2, 0},
                {"O S Se Te", 1, -1},
                {"O S Se Te", 0, -2},
                {"O S Se Te", 3, 1},
                {"S Se Te", 4, 0},
                {"S Se Te", 6, 0},
                {"F Cl Br I At", 1, 0},
                {"F Cl Br I At", 0, -1},
                {"F", 2, 1},
                {"Cl Br I At", 2, -1},
                {"Cl Br I At", 3, 0},
                {"Cl Br I At", 5, 0},
                {"Cl Br I At", 7, 0},
                {"Li Na K Rb Cs Fr", 0, 1},
                {"Be Mg Ca Sr Ba Ra", 0, 2},
                {"He Ne Ar Kr Xe", 0, 0},
                {"Fe Cu Zn Al", 0, 0}};
    char symbol[4];
    int used;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k)
        for (const char *at = rows[k].symbols; sscanf(at, "%3s%n", symbol, &used) == 1;
             at += used) {
            charge_state states[CHARGE_STATES_MOST];
            const charge_site site = {.z = shoal_element_number(symbol), .degree = rows[k].valence};
            const int32_t n = charge_states(&site, rows[k].valence, states);
            CHECK(n > 0 && states[0].charge == rows[k].charge);
            for (int32_t s = 1; s < n; ++s) CHECK(states[s].charge != rows[k].charge);
        }
    /* a metal with partners: the smaller, the cheaper, either sign */
    charge_state states[CHARGE_STATES_MOST];
    const charge_site iron = {.z = 26, .degree = 4}, sodium = {.z = 11, .degree = 1};
    const int32_t n = charge_states(&iron, 4, states);
    CHECK(n == 2 * METAL_CHARGE_MOST + 1 && states[0].charge == 0 && states[0].cost == 0);
    for (int32_t s = 1; s < n; ++s)
        CHECK(abs(states[s].charge) == (s + 1) / 2 && states[s].charge * (s % 2 ? 1 : -1) > 0 &&
              states[s].cost >= states[s - 1].cost);
    CHECK(charge_states(&sodium, 1, states) == n && states[0].charge == 0);
}

/* --- all structures -----------------------------------------------------------------------------*/

typedef struct trial {
    const resonance *r;
    int32_t used[8], extra[16];
    int64_t best[33]; /* by charge, from -16 */
} trial;

static void charge_atoms(trial *t, int32_t atom, int32_t charge, int64_t cost)
{
    if (atom == t->r->n_atoms) {
        int64_t *best = &t->best[charge + 16];
        if (*best < 0 || cost < *best) *best = cost;
        return;
    }
    charge_state states[CHARGE_STATES_MOST];
    const resonance_atom *a = &t->r->atoms[atom];
    const int32_t n = charge_states(&a->site, a->valence + t->used[atom], states);
    for (int32_t k = 0; k < n; ++k)
        charge_atoms(t, atom + 1, charge + states[k].charge,
                     cost + RESONANCE_UNIT * states[k].cost);
}

static void try_edges(trial *t, int32_t edge, int64_t cost)
{
    if (edge == t->r->n_edges) {
        charge_atoms(t, 0, 0, cost);
        return;
    }
    const resonance_edge *e = &t->r->edges[edge];
    for (int32_t k = 0; k <= RESONANCE_MOST_EXTRA; ++k) {
        t->used[e->a] += k;
        t->used[e->b] += k;
        if (t->used[e->a] <= t->r->atoms[e->a].most && t->used[e->b] <= t->r->atoms[e->b].most)
            try_edges(t, edge + 1, cost + e->misfit[k]);
        t->used[e->a] -= k;
        t->used[e->b] -= k;
    }
}

/* The structure that is traced back must have the price and charge of its result. */
static void check_trace(const resonance *r, int32_t k)
{
    int32_t extra[16], charge[8], used[8] = {0}, sum = 0;
    int64_t cost = 0;
    resonance_trace(r, k, extra, charge);
    for (int32_t e = 0; e < r->n_edges; ++e) {
        used[r->edges[e].a] += extra[e];
        used[r->edges[e].b] += extra[e];
        cost += r->edges[e].misfit[extra[e]];
    }
    for (int32_t i = 0; i < r->n_atoms; ++i) {
        charge_state states[CHARGE_STATES_MOST];
        const int32_t n = charge_states(&r->atoms[i].site, r->atoms[i].valence + used[i], states);
        for (int32_t s = 0; s < n; ++s)
            if (states[s].charge == charge[i]) cost += RESONANCE_UNIT * states[s].cost;
        sum += charge[i];
        CHECK(used[i] <= r->atoms[i].most);
    }
    CHECK(sum == r->results[k].charge && cost == r->results[k].cost);
}

/* A connected part of up to 7 atoms: a tree and a few bonds more. */
static void make_part(resonance *r, uint64_t *seed)
{
    static const int32_t elements[] = {6, 6, 6, 7, 8, 16, 15};
    r->n_atoms = 2 + chem_random(seed, 5);
    r->n_edges = 0;
    for (int32_t i = 0; i < r->n_atoms; ++i) {
        const int32_t z = elements[chem_random(seed, 7)];
        const int32_t v = 1 + chem_random(seed, valence_normal(z));
        r->atoms[i] = (resonance_atom){{z, v, 0, false}, v, 1 + chem_random(seed, 3), {0, 0}};
        if (i > 0) r->edges[r->n_edges++] = (resonance_edge){chem_random(seed, i), i, {0}};
    }
    for (int32_t k = chem_random(seed, 3); k > 0 && r->n_atoms > 2; --k) {
        const int32_t a = chem_random(seed, r->n_atoms), b = chem_random(seed, r->n_atoms);
        if (a != b) r->edges[r->n_edges++] = (resonance_edge){a, b, {0}};
    }
    for (int32_t e = 0; e < r->n_edges; ++e)
        for (int k = 0; k <= RESONANCE_MOST_EXTRA; ++k)
            r->edges[e].misfit[k] = chem_random(seed, 1000000) * INT64_C(500000);
}

static void test_all_structures(void)
{
    uint64_t seed = 11;
    resonance r = {.atoms = calloc(8, sizeof *r.atoms), .edges = calloc(16, sizeof *r.edges)};
    for (int round = 0; round < 400; ++round) {
        bool too_wide = true;
        trial t = {.r = &r};
        make_part(&r, &seed);
        for (int k = 0; k < 33; ++k) t.best[k] = -1;
        try_edges(&t, 0, 0);
        CHECK(resonance_solve(&r, INT64_MAX / 4, &too_wide) == SHOAL_OK && !too_wide);
        int32_t n = 0;
        for (int k = 0; k < 33; ++k) n += t.best[k] >= 0;
        CHECK(r.n_results == n);
        for (int32_t k = 0; k < r.n_results; ++k) {
            CHECK(r.results[k].cost == t.best[r.results[k].charge + 16]);
            check_trace(&r, k);
        }
        /* A budget leaves what it can pay. */
        const int64_t budget = 300 * RESONANCE_UNIT;
        CHECK(resonance_solve(&r, budget, &too_wide) == SHOAL_OK);
        n = 0;
        for (int k = 0; k < 33; ++k) n += t.best[k] >= 0 && t.best[k] <= budget;
        int32_t n_paid = 0;
        for (int32_t k = 0; k < r.n_results; ++k) n_paid += r.results[k].cost <= budget;
        CHECK(n_paid == n);
    }
    resonance_free(&r);
}

int main(void)
{
    test_prices();
    test_donated();
    test_valences();
    test_cheapest();
    test_all_structures();
    return check_done();
}
