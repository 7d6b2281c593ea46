/* SPDX-License-Identifier: BSD-3-Clause
 * Crystals of charges for the tests of Ewald sums over a mesh, and how well they are summed. */
#ifndef SHOAL_TESTS_EWALD_MESH_FIXTURE_H
#define SHOAL_TESTS_EWALD_MESH_FIXTURE_H

#include "conformance_fixture.h"
#include "periodic_fixture.h"
#include "strain_fixture.h"

/* Crystals in cells of all shapes; large adds one of 1200 atoms. */
static inline void ewald_crystals(set *s, bool large)
{
    static const int32_t two[3] = {2, 2, 2}, many[3] = {5, 5, 4};
    memset(s, 0, sizeof *s);
    (void)periodic_add(s, periodic_repeat(periodic_silica(periodic_plain), two), "silica", 0.05);
    (void)periodic_add(s, periodic_repeat(periodic_silica(periodic_skew), two), "skew silica",
                       0.05);
    (void)periodic_add(s, periodic_repeat(periodic_water(), two), "water", 0.03);
    if (large)
        (void)periodic_add(s, periodic_repeat(periodic_silica(periodic_plain), many), "1200 atoms",
                           0.05);
}

static inline shoal_engine_options only_charges(const char *device, shoal_precision precision,
                                                double tolerance, shoal_ewald sum)
{
    return (shoal_engine_options){.device = device,
                                  .precision = precision,
                                  .terms_off = ~(1u << SHOAL_TERM_COULOMB),
                                  .ewald_tolerance = tolerance,
                                  .ewald = sum};
}

/* Energies relative to the Coulomb energy, forces and strain to the largest; strain is that of pairs cut off, too. */
static inline void check_mesh_errors(const set *s, const outcome *want,
                                     const shoal_engine_options *options, double most)
{
    static outcome got[SET_SYSTEMS];
    const run_options o = {.engine = *options};
    run_set(s, NULL, s->n, &o, got);
    for (int32_t i = 0; i < s->n; ++i) {
        const double size = fabs(want[i].r.energy);
        const double energy = fabs(got[i].r.energy - want[i].r.energy) / size;
        const double force = force_error(&got[i], &want[i], s->systems[i].n_atoms);
        const double strain = strain_error(&got[i], &want[i]);
        (void)printf("%s, %s, %g: energy %.1g, force %.1g, strain %.1g\n", options->device,
                     s->systems[i].name, options->ewald_tolerance, energy, force, strain);
        CHECK(energy <= most && force <= most && strain <= 5 * most);
        CHECK(energy > 0); /* it was another sum */
        CHECK(got[i].r.coulomb_sum == SHOAL_EWALD_MESH);
    }
    outcomes_free(got, s->n);
}

/* Forces and stress are slopes, with damping, excluded pairs and a net charge, too. */
static inline void check_mesh_slopes(shoal_engine_options options)
{
    static set s, moved;
    static outcome got[SET_SYSTEMS], along[4];
    const run_options o = {.engine = options};
    ewald_crystals(&s, false);
    s.systems[0].pos[5][1] += 7 * s.systems[0].cell[1][1]; /* in another cell */
    run_set(&s, NULL, s.n, &o, got);
    for (int32_t i = 0; i < s.n; ++i) {
        double by[6], size = 1;
        const double step = 1e-3;
        strain_differences(&s.systems[i], &options, by);
        for (int k = 0; k < 6; ++k) size = fmax(size, fabs(by[k]));
        for (int k = 0; k < 6; ++k)
            CHECK_NEAR(got[i].r.stress[k] * got[i].r.measure, by[k], 1e-6 * size);
        for (int c = 0; c < 3; ++c) {
            for (int k = 0; k < 4; ++k) {
                strain_add_copy(&moved, &s.systems[i], 0, 0);
                moved.systems[k].pos[5][c] += step * (k < 2 ? k - 2 : k - 1);
            }
            run_set(&moved, NULL, 4, &o, along);
            const double *f = got[i].forces[5], e[4] = {along[0].r.energy, along[1].r.energy,
                                                        along[2].r.energy, along[3].r.energy};
            CHECK_NEAR(f[c], -(e[0] - 8 * e[1] + 8 * e[2] - e[3]) / (12 * step), 1e-6 * 10);
            outcomes_free(along, 4);
            set_free(&moved);
        }
    }
    outcomes_free(got, s.n);
    set_free(&s);
}

#endif
