/* SPDX-License-Identifier: BSD-3-Clause
 * Differences of the energies of strained systems. */
#ifndef SHOAL_TESTS_STRAIN_FIXTURE_H
#define SHOAL_TESTS_STRAIN_FIXTURE_H

#include "cpu_fixture.h"

/* r (1 + e) with the symmetric strain that has x in component k. */
static inline void strain_vector(const double r[3], int k, double x, double out[3])
{
    static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
    const int a = pairs[k][0], b = pairs[k][1];
    const double at[3] = {r[0], r[1], r[2]};
    for (int c = 0; c < 3; ++c) out[c] = at[c];
    out[a] += 0.5 * x * at[b];
    out[b] += 0.5 * x * at[a];
}

/* The system strained in component k, as number s->n of the set. */
static inline void strain_add_copy(set *s, const set_system *from, int k, double x)
{
    set_system *to = &s->systems[s->n++];
    *to = *from;
    to->topology = shoal_topology_retain(from->topology);
    to->fixed = NULL;
    const size_t n = (size_t)from->n_atoms, n_auxiliary = (size_t)from->n_auxiliary;
    to->pos = malloc((n + n_auxiliary) * sizeof *to->pos + 1);
    memcpy(to->pos + n, from->pos + n, n_auxiliary * sizeof *to->pos); /* directions stay */
    for (int32_t i = 0; i < from->n_atoms; ++i) strain_vector(from->pos[i], k, x, to->pos[i]);
    for (int c = 0; c < 3; ++c) strain_vector(from->cell[c], k, x, to->cell[c]);
}

/* Five-point differences of one system in all six components. */
static inline void strain_differences(const set_system *sys, const shoal_engine_options *options,
                                      double out[6])
{
    static const double steps[4] = {-2, -1, 1, 2}, weights[4] = {1, -8, 8, -1};
    const double step = 1e-4;
    const run_options o = {.engine = *options};
    static set strained;
    static outcome got[24];
    for (int k = 0; k < 24; ++k) strain_add_copy(&strained, sys, k / 4, step * steps[k % 4]);
    run_set(&strained, NULL, 24, &o, got);
    for (int k = 0; k < 6; ++k) {
        out[k] = 0;
        for (int m = 0; m < 4; ++m) out[k] += weights[m] * got[4 * k + m].r.energy / (12 * step);
    }
    outcomes_free(got, 24);
    set_free(&strained);
}

/* The largest error of ref's slope by strain, relative to the largest component. got: what ref found; it has directions
 * and no electron pairs. */
static inline double strain_off(const set_system *sys, const outcome *got,
                                shoal_engine_options options)
{
    double by[6], size = 1e-3, worst = 0;
    options.device = "ref";
    strain_differences(sys, &options, by);
    for (int k = 0; k < 6; ++k) size = fmax(size, fabs(by[k]));
    for (int k = 0; k < 6; ++k) {
        const double off = fabs(got->r.stress[k] * got->r.measure - by[k]);
        if (!(off <= worst)) worst = off;
    }
    return worst / size;
}

#endif
