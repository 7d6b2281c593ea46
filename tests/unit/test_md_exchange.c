/* SPDX-License-Identifier: BSD-3-Clause
 * Replica exchange by itself: how often neighbours swap, against Metropolis' rule worked out by hand and the occupation
 * of two levels; who tries to swap when; what becomes of velocities. No steps are made: energies are planted. */
#include "check.h"
#include "constants.h"
#include "engine/md.h"
#include "layout.h"

enum { COPIES = 4, GROUPS = 2, N = COPIES * GROUPS, ATOMS = 2 };

static const double kelvin[COPIES] = {300, 360, 430, 520};
static const double masses[ATOMS] = {12, 1};

typedef struct ladder {
    shoal_engine engine;
    backend_system systems[N];
    backend_result results[N];
    backend_bath baths[N];
    md_walker walkers[N];
    shoal_md_system own[N];
    double velocities[N][ATOMS][3], forces[N][ATOMS][3];
    md_run run;
} ladder;

/* All copies on the rungs that they begin on, at rest and without energy. */
static void ladder_begin(ladder *l)
{
    *l = (ladder){0};
    for (int i = 0; i < N; ++i) {
        l->systems[i].view.n_atoms = ATOMS;
        l->results[i].active = true;
        l->results[i].velocities = l->velocities[i];
        l->results[i].forces = l->forces[i];
        l->baths[i].masses = masses;
        l->walkers[i].rung = i % COPIES;
        l->own[i] = (shoal_md_system){
            .key = 10 + i, .temperatures = &kelvin[i % COPIES], .n_temperatures = 1};
    }
    l->engine = (shoal_engine){.n_systems = N, .systems = l->systems, .results = l->results};
    l->run = (md_run){.engine = &l->engine, .walkers = l->walkers, .baths = l->baths};
    l->run.options = (shoal_md_options){.n_steps = 1 << 30,
                                        .dt = 0.5,
                                        .exchange_every = 1,
                                        .n_copies = COPIES,
                                        .seed = 0x123456789u,
                                        .systems = l->own};
}

/* 1/kT, 1/eV */
static double beta(int rung)
{
    return 1 / (8.617333262e-5 * kelvin[rung]);
}

/* The share of tries of the pair (rung, rung + 1) that swap, with planted energies. */
static double share_of(ladder *l, int group, int rung, double cold, double hot)
{
    enum { TRIES = 8000 };
    int n = 0;
    for (int k = 0; k < TRIES; ++k) {
        ladder_begin(l);
        l->results[group * COPIES + rung].energy = cold;
        l->results[group * COPIES + rung + 1].energy = hot;
        md_exchange(&l->run, 2 * k + 1 + rung % 2);
        n += l->walkers[group * COPIES + rung].rung == rung + 1;
    }
    return (double)n / TRIES;
}

/* p = min(1, exp((b1 - b2)(U1 - U2))): what is warm by its energy goes up at once, else by chance. */
static void test_metropolis(ladder *l)
{
    static const double wanted[4] = {0.1, 0.3, 0.6, 0.9};
    for (int group = 0; group < GROUPS; ++group)
        for (int rung = 0; rung + 1 < COPIES; ++rung)
            for (int k = 0; k < 4; ++k) {
                const double p = wanted[k], gap = -log(p) / (beta(rung) - beta(rung + 1));
                CHECK_NEAR(share_of(l, group, rung, -5, -5 + gap), p, 4 * sqrt(p * (1 - p) / 8000));
                if (k == 0) CHECK(share_of(l, group, rung, -5 + gap, -5) == 1);
            }
}

/* Copies with two levels, 0 and e. A swap that is drawn rightly leaves each temperature the occupation that it has:
 * 1 / (1 + exp(-e / kT)). */
static void test_two_levels(ladder *l)
{
    enum { ROUNDS = 60000 };
    const double gap = 0.06;
    uint32_t state = 7;
    int n_low[COPIES] = {0};
    ladder_begin(l);
    for (int step = 1; step <= ROUNDS; ++step) {
        for (int i = 0; i < COPIES; ++i) {
            const int rung = l->walkers[i].rung;
            double *u = &l->results[i].energy;
            /* Metropolis again, between levels: always down, up by chance. */
            state = state * 1664525u + 1013904223u;
            const double chance = (state >> 8) / 16777216.0;
            if (state >> 4 & 1) *u = *u > 0 ? 0 : chance < exp(-beta(rung) * gap) ? gap : 0;
        }
        md_exchange(&l->run, step);
        for (int i = 0; i < COPIES; ++i) n_low[l->walkers[i].rung] += l->results[i].energy == 0;
    }
    for (int rung = 0; rung < COPIES; ++rung)
        CHECK_NEAR((double)n_low[rung] / ROUNDS, 1 / (1 + exp(-beta(rung) * gap)), 0.012);
}

/* Pairs 0-1 and 2-3 first, then 1-2, and so on; each pair and each time draws a number of its own. */
static void test_turns(ladder *l)
{
    enum { TRIES = 4000 };
    int both = 0, one = 0, again = 0;
    bool last = false;
    for (int step = 1; step <= 4; ++step) {
        ladder_begin(l);
        l->run.options.exchange_every = 10;
        md_exchange(&l->run, 10 * step);
        for (int i = 0; i < N; ++i) {
            static const int to[2][COPIES] = {{1, 0, 3, 2}, {0, 2, 1, 3}};
            CHECK(l->walkers[i].rung == to[1 - step % 2][i % COPIES]);
            const bool tries = step % 2 == 1 || (i % COPIES != 0 && i % COPIES != COPIES - 1);
            CHECK(l->walkers[i].n_tried == tries && l->walkers[i].n_swapped == tries);
        }
    }
    for (int k = 0; k < TRIES; ++k) {
        ladder_begin(l);
        for (int rung = 0; rung < COPIES; rung += 2)
            l->results[rung + 1].energy = log(2.0) / (beta(rung) - beta(rung + 1));
        md_exchange(&l->run, 2 * k + 1);
        const bool low = l->walkers[0].rung == 1, high = l->walkers[2].rung == 3;
        both += low && high;
        one += low;
        again += k > 0 && low && last;
        last = low;
    }
    CHECK_NEAR((double)one / TRIES, 0.5, 0.03);
    CHECK_NEAR((double)both / TRIES, 0.25, 0.03);
    CHECK_NEAR((double)again / TRIES, 0.25, 0.03);
}

/* Whole-step velocities, half a kick ahead of those that are kept, are scaled by the root of the temperatures' ratio. */
static void test_velocities(ladder *l)
{
    const bool fixed[ATOMS] = {false, true};
    ladder_begin(l);
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 3; ++k) {
            l->velocities[i][0][k] = 0.01 * (k + 1) - 0.02 * i;
            l->velocities[i][1][k] = 0.03;
            l->forces[i][0][k] = 2.0 - k + i;
            l->forces[i][1][k] = 5;
        }
    l->systems[0].fixed = fixed;
    md_exchange(&l->run, 1);
    for (int i = 0; i < 2; ++i) {
        const double scale = sqrt(kelvin[1 - i] / kelvin[i]);
        for (int a = 0; a < ATOMS; ++a)
            for (int k = 0; k < 3; ++k) {
                /* 1 eV/(A amu) is 9.648533e-3 A/fs^2 */
                const double half = 0.25 * 9.6485332e-3 / masses[a] * l->forces[i][a][k];
                const double before = a ? 0.03 : 0.01 * (k + 1) - 0.02 * i;
                const double whole = i == 0 && a == 1 ? before + half : scale * (before + half);
                CHECK_NEAR(l->velocities[i][a][k] + half, whole, 1e-10);
            }
    }
}

/* A state that lacks a copy which swapped leaves a rung empty: nothing goes on from it. */
static void test_rungs(ladder *l)
{
    ladder_begin(l);
    CHECK(md_state_load(&l->run) == SHOAL_OK);
    l->walkers[COPIES].rung = 1;
    CHECK(md_state_load(&l->run) == SHOAL_E_ARGUMENT);
    l->walkers[COPIES + 1].rung = 0;
    CHECK(md_state_load(&l->run) == SHOAL_OK);
    l->walkers[N - 1].rung = COPIES;
    CHECK(md_state_load(&l->run) == SHOAL_E_ARGUMENT);
    l->run.options.exchange_every = 0;
    CHECK(md_state_load(&l->run) == SHOAL_OK);
}

int main(void)
{
    static ladder l;
    test_metropolis(&l);
    test_two_levels(&l);
    test_turns(&l);
    test_velocities(&l);
    test_rungs(&l);
    return check_done();
}
