/* SPDX-License-Identifier: BSD-3-Clause
 * A search by its interface, with relaxations that were planted: which minimum a kick begins at, what is counted, weights
 * by hand, windows, patience, adsorption, refinement. */
#include "jobs/search.h"
#include "search_fixture.h"
#include "surface_fixture.h"

#define EV_PER_K 8.617333262e-5

static shoal_search *make_search(const shoal_search_options *o)
{
    shoal_search *s = NULL;
    CHECK(shoal_search_create(&s, o) == SHOAL_OK);
    return s;
}

/* --- chains of kicks ------------------------------------------------------------------------------ */

/* What has come of a chain so far: member k is 100 k angstrom away along x. */
typedef struct chain {
    shoal_molecule *mol, *of[4];
    shoal_stream_system earlier[4];
} chain;

static void chain_make(chain *c)
{
    c->mol = search_molecule(search_butane);
    for (int k = 0; k < 4; ++k) {
        c->of[k] = search_molecule(search_butane);
        for (int i = 0; i < 14; ++i) c->of[k]->pos[i][0] += 100 * k;
        c->earlier[k] = (shoal_stream_system){.mol = c->of[k]};
        c->earlier[k].result.status = SHOAL_SYSTEM_CONVERGED;
    }
}

static void chain_free(chain *c)
{
    shoal_molecule_destroy(c->mol);
    for (int k = 0; k < 4; ++k) shoal_molecule_destroy(c->of[k]);
}

/* The geometry of member n of the chain of a start. */
static void next_of(const shoal_search *s, const chain *c, int64_t start, int32_t n,
                    double pos[14][3])
{
    const shoal_variants *v = shoal_search_variants(s);
    const int64_t variant = start * v->series + n;
    const shoal_stream_system system = {.index = variant, .variant = variant, .mol = c->mol};
    memcpy(pos, shoal_molecule_positions(c->mol), 14 * sizeof *pos);
    CHECK(v->make(v->user, &system, c->earlier, n, pos, NULL) == SHOAL_OK);
}

/* The share of chains whose next kick begins at the last of n members. */
static double share_of_last(const shoal_search *s, const chain *c, int32_t n)
{
    double pos[14][3];
    int32_t count = 0;
    for (int64_t start = 0; start < 2000; ++start) {
        next_of(s, c, start, n, pos);
        count += fabs(pos[1][0] - 100 * (n - 1)) < 20;
    }
    return count / 2000.0;
}

/* Down always, up by exp(-dE / kT) at the temperature of kicks, compared with the last that was accepted. */
static void test_metropolis(void)
{
    static chain c;
    static const double chances[3] = {0.1, 0.4, 0.8};
    shoal_search *s = make_search(
        &(shoal_search_options){.starts = 2000, .kicks = 3, .kick_temperature = 500, .seed = 2});
    shoal_search *usual = make_search(&(shoal_search_options){.starts = 2000, .kicks = 3});
    chain_make(&c);
    for (int k = 0; k < 3; ++k) {
        const double p = chances[k], bar = 4 * sqrt(p * (1 - p) / 2000);
        c.earlier[0].result.energy = -3;
        c.earlier[1].result.energy = -3 - EV_PER_K * 500 * log(p);
        CHECK_NEAR(share_of_last(s, &c, 2), p, bar);
        c.earlier[1].result.energy = -3 - EV_PER_K * 300 * log(p); /* where nothing is said */
        CHECK_NEAR(share_of_last(usual, &c, 2), p, bar);
        c.earlier[1].result.energy = -4; /* accepted: the third starts from there */
        c.earlier[2].result.energy = -4 - EV_PER_K * 500 * log(p);
        CHECK_NEAR(share_of_last(s, &c, 3), p, bar);
    }
    CHECK(share_of_last(s, &c, 2) == 1);
    /* One that did not converge is no place to go on from, unless it came near. */
    c.earlier[1].result.status = SHOAL_SYSTEM_STALLED;
    c.earlier[1].result.fmax = 0.01;
    CHECK(share_of_last(s, &c, 2) == 0);
    c.earlier[1].result.fmax = 0.004;
    CHECK(share_of_last(s, &c, 2) == 1);
    /* Where none has, there is another start, not the same again. */
    double first[14][3], again[14][3];
    c.earlier[0].result.status = SHOAL_SYSTEM_MAX_STEPS;
    next_of(s, &c, 7, 0, first);
    next_of(s, &c, 7, 1, again);
    CHECK(memcmp(first, again, sizeof first) != 0 && fabs(again[1][0]) < 20);
    chain_free(&c);
    shoal_search_destroy(s);
    shoal_search_destroy(usual);
}

/* From the same geometry each kick of a chain, and that of each start, leads elsewhere, and again to the same place. */
static void test_kicks_differ(void)
{
    static chain c;
    static double pos[6][14][3], again[14][3];
    shoal_search *s = make_search(&(shoal_search_options){.starts = 50, .kicks = 3, .seed = 4});
    chain_make(&c);
    for (int k = 0; k < 4; ++k) {
        c.earlier[k].mol = c.mol; /* all members are where the molecule is */
        c.earlier[k].result.energy = -k;
    }
    for (int k = 0; k < 6; ++k) next_of(s, &c, 3 + k / 3, 1 + k % 3, pos[k]);
    for (int k = 0; k < 6; ++k) {
        next_of(s, &c, 3 + k / 3, 1 + k % 3, again);
        CHECK(memcmp(again, pos[k], sizeof again) == 0);
        for (int l = 0; l < k; ++l) CHECK(memcmp(pos[k], pos[l], sizeof pos[k]) != 0);
    }
    chain_free(&c);
    shoal_search_destroy(s);
}

/* --- what is made of relaxations ------------------------------------------------------------------ */

typedef struct arrival {
    int64_t index;
    double energy, isolated, fmax;
    shoal_system_status status;
} arrival;

static void take(shoal_search *s, shoal_molecule *mol, arrival a, shoal_string *journal)
{
    static double terms[32], forces[14][3];
    shoal_string *text = NULL;
    const shoal_stream_system system = {.index = a.index,
                                        .mol = mol,
                                        .device = "cpu",
                                        .isolated_energy = a.isolated,
                                        .result = {.status = a.status,
                                                   .energy = a.energy,
                                                   .fmax = a.fmax,
                                                   .n_terms = shoal_term_count(),
                                                   .terms = terms,
                                                   .forces = (const double(*)[3])forces,
                                                   .reason = "",
                                                   .warning = ""}};
    CHECK(shoal_string_create(&text) == SHOAL_OK);
    CHECK(shoal_search_format(s, &system, text) == SHOAL_OK);
    CHECK(shoal_search_take(s, shoal_string_data(text), shoal_string_size(text), journal) ==
          SHOAL_OK);
    shoal_string_destroy(text);
}

static void take_energy(shoal_search *s, shoal_molecule *mol, int64_t index, double energy)
{
    take(s, mol, (arrival){index, energy, 0, 1e-3, SHOAL_SYSTEM_CONVERGED}, NULL);
}

static shoal_minimum minimum(const shoal_search *s, int64_t i)
{
    shoal_minimum m = {0};
    CHECK(shoal_search_get(s, i, &m) == SHOAL_OK);
    return m;
}

/* exp(-E_i / kT) / sum_j exp(-E_j / kT), of the molecule alone; and what the counts say. */
static void test_weights(void)
{
    static const double energies[5] = {-1.97, -2, -1.9, -1.75, -1.6}, temperatures[2] = {0, 500};
    static const int32_t ranks[4] = {1, 0, 2, 3};
    shoal_molecule *mol = search_molecule(search_butane);
    for (int t = 0; t < 2; ++t) {
        shoal_search *s = make_search(
            &(shoal_search_options){.starts = 10, .temperature = temperatures[t], .window = 0.3});
        const double kt = EV_PER_K * (t ? 500 : 298.15);
        double sum = 0;
        for (int k = 0; k < 5; ++k) take_energy(s, mol, k, energies[k]);
        take_energy(s, mol, 5, -2.0015); /* the lowest again, a little deeper */
        take_energy(s, mol, 12, 7);      /* another molecule: 0.002 and 0.1 A are one minimum, .. */
        take_energy(s, mol, 13, 7.0019);
        take_energy(s, mol, 14, 7.0041); /* .. 0.003 are two */
        take(s, mol, (arrival){15, 7.1, 0, 0.006, SHOAL_SYSTEM_STALLED}, NULL);
        take(s, mol, (arrival){16, 7.1, 0, 0.004, SHOAL_SYSTEM_STALLED}, NULL);
        take(s, mol, (arrival){17, 7.2, 0, 0.004, SHOAL_SYSTEM_MAX_STEPS}, NULL);
        shoal_search_counts c;
        shoal_search_count(s, &c);
        CHECK(c.molecules == 2 && c.relaxations == 12 && c.failed == 2 && c.above == 1);
        CHECK(c.minima == 7 && c.changed == 0 && c.ended == 0 && c.since_new == 1);
        CHECK(shoal_search_rank(s) == SHOAL_OK && shoal_search_n_minima(s) == 7);
        for (int k = 0; k < 4; ++k) sum += exp(-(energies[k] + 2.0015 - (k == 1) * 0.0015) / kt);
        for (int k = 0; k < 4; ++k) {
            const shoal_minimum m = minimum(s, k);
            const double e = k == 0 ? -2.0015 : energies[ranks[k]];
            CHECK(m.molecule == 0 && m.rank == k + 1 && m.count == (k == 0 ? 2 : 1));
            CHECK(m.start == (k == 0 ? 5 : ranks[k]));
            CHECK_NEAR(m.energy, e, 1e-12);
            CHECK_NEAR(m.weight, exp(-(e + 2.0015) / kt) / sum, 1e-9);
        }
        CHECK(minimum(s, 4).molecule == 1 && minimum(s, 4).count == 2 && minimum(s, 4).rank == 1);
        shoal_search_destroy(s);
    }
    shoal_molecule_destroy(mol);
}

/* Of one energy, geometries within 0.1 angstrom are one, and others are not. */
static void test_same(void)
{
    static const double scales[4] = {1, 1.04, 1.12, 1.16};
    static const int64_t n_minima[4] = {1, 1, 2, 2};
    shoal_search *s = make_search(&(shoal_search_options){.starts = 10});
    for (int k = 0; k < 4; ++k) {
        shoal_molecule *mol = search_molecule(search_butane);
        shoal_search_counts c;
        for (int i = 0; i < 14; ++i) /* some 2 angstrom from the centre */
            for (int x = 0; x < 3; ++x) mol->pos[i][x] *= scales[k];
        take_energy(s, mol, k, -1);
        shoal_search_count(s, &c);
        CHECK(c.minima == n_minima[k]);
        shoal_molecule_destroy(mol);
    }
    shoal_search_destroy(s);
}

/* A window hangs on the lowest minimum so far, and in the list on the lowest of all. */
static void test_window(void)
{
    shoal_molecule *mol = search_molecule(search_butane);
    shoal_search *s = make_search(&(shoal_search_options){.starts = 10, .window = 0.3});
    static const double energies[5] = {1, 0.6, 0.95, 0.85, 0.89};
    shoal_search_counts c;
    for (int k = 0; k < 5; ++k) take_energy(s, mol, k, energies[k]);
    shoal_search_count(s, &c);
    CHECK(c.above == 1 && c.minima == 4);
    CHECK(shoal_search_rank(s) == SHOAL_OK && shoal_search_n_minima(s) == 3);
    CHECK_NEAR(minimum(s, 2).energy, 0.89, 1e-12);
    shoal_search_destroy(s);
    shoal_molecule_destroy(mol);
}

/* So many in a row that find nothing new end the search of a molecule; what comes after is not taken. */
static void test_patience(void)
{
    shoal_molecule *mol = search_molecule(search_butane);
    shoal_search *s = make_search(&(shoal_search_options){.starts = 20, .patience = 3});
    const shoal_variants *v = shoal_search_variants(s);
    shoal_search_counts c;
    double pos[14][3];
    for (int k = 0; k < 5; ++k) take_energy(s, mol, k, k == 2 ? 0.5 : 0.1);
    shoal_search_count(s, &c);
    CHECK(c.since_new == 2 && c.ended == 0);
    take_energy(s, mol, 5, 0.1);
    take_energy(s, mol, 6, 0.9);
    shoal_search_count(s, &c);
    CHECK(c.relaxations == 6 && c.ended == 1 && c.minima == 2 && c.since_new == 3);
    const shoal_stream_system more = {.index = 8, .variant = 8, .mol = mol},
                              other = {.index = 20, .variant = 0, .mol = mol};
    memcpy(pos, shoal_molecule_positions(mol), sizeof pos);
    CHECK(v->make(v->user, &more, NULL, 0, pos, NULL) == SHOAL_E_ARGUMENT);
    CHECK(v->make(v->user, &other, NULL, 0, pos, NULL) == SHOAL_OK);
    shoal_search_destroy(s);
    shoal_molecule_destroy(mol);
}

/* On a surface: energies less those of the molecule alone; refined, what did not converge stays as it was, counts add up. */
static void test_refinement(void)
{
    shoal_molecule *mol = search_molecule(search_butane), *slab = fixture_salt(2, 2, 0.9);
    shoal_surface *surface = fixture_surface(slab, NULL);
    const shoal_search_options o = {.starts = 10, .surface = surface};
    shoal_search *s = make_search(&o), *again = NULL, *replayed = make_search(&o);
    shoal_string *journal = NULL;
    CHECK(shoal_string_create(&journal) == SHOAL_OK);
    for (int i = 0; i < 14; ++i) mol->pos[i][2] += 4;
    take(s, mol, (arrival){2, -1, 0.5, 1e-3, SHOAL_SYSTEM_CONVERGED}, journal);
    take(s, mol, (arrival){3, -1.001, 0.4, 1e-3, SHOAL_SYSTEM_CONVERGED}, journal);
    take(s, mol, (arrival){6, -0.9, 0.5, 1e-3, SHOAL_SYSTEM_CONVERGED}, journal);
    take(s, mol, (arrival){7, -0.9, 0.3, 1e-3, SHOAL_SYSTEM_CONVERGED}, journal);
    take(s, mol, (arrival){8, -0.9, 0.3, 1e-3, SHOAL_SYSTEM_CONVERGED}, journal);
    CHECK(shoal_search_replay(replayed, shoal_string_data(journal), shoal_string_size(journal)) ==
          SHOAL_OK);
    CHECK(shoal_search_rank(s) == SHOAL_OK && shoal_search_rank(replayed) == SHOAL_OK);
    for (int k = 0; k < 2; ++k) {
        const shoal_minimum m = minimum(k ? replayed : s, 0), n = minimum(k ? replayed : s, 1);
        CHECK_NEAR(m.adsorption_energy, -1.401, 1e-12);
        CHECK_NEAR(n.adsorption_energy, -1.4, 1e-12);
        CHECK(m.start == 3 && m.count == 2 && n.start == 6 && n.count == 3);
    }
    CHECK(shoal_search_refine(&again, s) == SHOAL_OK && shoal_search_variants(again)->n == 2);
    take(again, mol, (arrival){0, -1.2, 0.4, 1e-6, SHOAL_SYSTEM_CONVERGED}, NULL);
    take(again, mol, (arrival){1, -5, 0.4, 1, SHOAL_SYSTEM_MAX_STEPS}, NULL);
    CHECK(shoal_search_rank(again) == SHOAL_OK && shoal_search_n_minima(again) == 2);
    const shoal_minimum m = minimum(again, 0), n = minimum(again, 1);
    CHECK_NEAR(m.energy, -1.2, 1e-12);
    CHECK_NEAR(m.adsorption_energy, -1.6, 1e-12);
    CHECK_NEAR(n.energy, -0.9, 1e-12);
    CHECK_NEAR(n.adsorption_energy, -1.4, 1e-12);
    CHECK(m.start == 3 && m.count == 2 && n.start == 6 && n.count == 3);
    shoal_string_destroy(journal);
    shoal_search_destroy(again);
    shoal_search_destroy(replayed);
    shoal_search_destroy(s);
    shoal_surface_destroy(surface);
    shoal_molecule_destroy(slab);
    shoal_molecule_destroy(mol);
}

/* Sums over molecules; what is since the last new minimum is of the last one. */
static void test_counts(void)
{
    search_minimum found[6] = {{.count = 1}, {.count = 2}, {.count = 1},
                               {.count = 1}, {.count = 2}, {.count = 3}};
    search_minima of[3] = {
        {.taken = 10, .failed = 1, .changed = 2, .above = 3, .n = 4, .since_new = 5, .over = true},
        {.taken = 20, .failed = 2, .changed = 4, .above = 1, .n = 5, .since_new = 6, .over = true},
        {.taken = 40, .failed = 4, .changed = 8, .above = 2, .n = 6, .since_new = 7}};
    for (int k = 0; k < 3; ++k) of[k].of = found;
    const shoal_search s = {.molecules = of, .n_molecules = 3, .unmoved = true};
    shoal_search_counts c;
    shoal_search_count(&s, &c);
    CHECK(c.molecules == 3 && c.relaxations == 70 && c.failed == 7 && c.changed == 14);
    CHECK(c.above == 6 && c.minima == 15 && c.ended == 2 && c.since_new == 7);
    CHECK(c.once == 9 && c.twice == 5 && c.unmoved);
    shoal_search_count(NULL, &c);
    CHECK(c.molecules == 0 && c.ended == 0 && !c.unmoved);
}

int main(void)
{
    test_counts();
    test_metropolis();
    test_kicks_differ();
    test_weights();
    test_same();
    test_window();
    test_patience();
    test_refinement();
    return check_done();
}
