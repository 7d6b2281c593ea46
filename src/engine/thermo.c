/* SPDX-License-Identifier: BSD-3-Clause
 * Thermochemistry of harmonic oscillators, and of rigid rotors in an ideal gas. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/modes.h"
#include "geom/rotations.h"

#include "constants.h"

/* CODATA 2018, in eV, amu, angstrom, K and Pa. */
#define EV_PER_WAVENUMBER 1.239841984332003e-04 /* of 1 cm^-1 */
#define GAS                                                                                        \
    2594.678583263991 /* (2 pi amu k / h^2)^1.5 k, Pa K^-2.5: states per molecule of 1 amu at 1 K and 1 Pa */
#define ROTOR 24.254367090467216 /* h^2 / (8 pi^2 k), K amu angstrom^2 */
/* Atoms that a rotation takes so close to each other's places are exchanged by it, angstrom. */
#define SAME_PLACE 0.05

/* Energy beyond that at 0 K and entropy of all oscillators that count, eV and eV/K. */
static void add_vibrations(const shoal_modes_result *r, const double *least, shoal_thermo *t,
                           double *entropy)
{
    const double kt = BOLTZMANN * t->temperature;
    for (int32_t k = 0; k < r->n_modes; ++k) {
        const double quantum = EV_PER_WAVENUMBER * r->frequencies[k], x = quantum / kt;
        if (r->frequencies[k] <= least[k]) {
            ++t->n_left_out;
            continue;
        }
        t->zero_point += 0.5 * quantum;
        t->energy += 0.5 * quantum + quantum / expm1(x);
        *entropy += BOLTZMANN * (x / expm1(x) - log1p(-exp(-x)));
    }
}

static int32_t find_symmetry(const modes_system *s)
{
    double centre[3] = {0, 0, 0}, mass = 0;
    double(*pos)[3] = shoal_alloc((size_t)s->n_atoms, sizeof *pos);
    if (!pos) return 1;
    for (int32_t i = 0; i < s->n_atoms; ++i) {
        mass += s->masses[i];
        for (int k = 0; k < 3; ++k) centre[k] += s->masses[i] * s->system.pos[i][k];
    }
    for (int32_t i = 0; i < s->n_atoms; ++i)
        for (int k = 0; k < 3; ++k) pos[i][k] = s->system.pos[i][k] - centre[k] / mass;
    const int32_t n = rotations_count(s->n_atoms, (const double(*)[3])pos, s->masses, SAME_PLACE);
    free(pos);
    return n;
}

static double rotor_entropy(const modes_rigid *rigid, const shoal_thermo *t)
{
    const double sigma = t->symmetry_number;
    if (rigid->n <= 3) return 0; /* an atom */
    if (rigid->linear)
        return BOLTZMANN * (log(t->temperature * rigid->moments[2] / (ROTOR * sigma)) + 1);
    double states = PI;
    for (int k = 0; k < 3; ++k) states *= t->temperature * rigid->moments[k] / ROTOR;
    return BOLTZMANN * (log(sqrt(states) / sigma) + 1.5);
}

static void add_gas(const modes_system *s, const modes_rigid *rigid, int32_t symmetry,
                    shoal_thermo *t, double *entropy)
{
    const double kt = BOLTZMANN * t->temperature;
    double mass = 0;
    for (int32_t i = 0; i < s->n_atoms; ++i) mass += s->masses[i];
    t->symmetry_found = symmetry <= 0;
    t->symmetry_number = symmetry > 0 ? symmetry : find_symmetry(s);
    t->energy += 0.5 * rigid->n * kt; /* translations and rotations, half a kT each */
    t->enthalpy = t->energy + kt;
    *entropy +=
        BOLTZMANN * (log(GAS * pow(mass, 1.5) * pow(t->temperature, 2.5) / t->pressure) + 2.5);
    *entropy += rotor_entropy(rigid, t);
}

static bool is_gas(const modes_system *s, const modes_rigid *rigid)
{
    shoal_topology_view v;
    shoal_topology_get(s->system.topology, &v);
    return rigid->n > 0 && !v.pbc[0] && !v.pbc[1] && !v.pbc[2];
}

void thermo_find(const modes_system *s, const modes_rigid *rigid, const double *least,
                 const shoal_modes_options *options, shoal_modes_result *r)
{
    shoal_thermo *t = &r->thermo;
    double entropy = 0;
    *t = (shoal_thermo){.ideal_gas = is_gas(s, rigid),
                        .temperature = options->temperature > 0 ? options->temperature : 298.15,
                        .pressure = options->pressure > 0 ? options->pressure : 101325};
    if (r->verdict == SHOAL_VERDICT_NOT_STATIONARY) {
        t->zero_point = t->energy = t->enthalpy = t->entropy = t->free_energy = NAN;
        return;
    }
    t->energy = s->energy;
    add_vibrations(r, least, t, &entropy);
    t->enthalpy = t->energy;
    if (t->ideal_gas) add_gas(s, rigid, options->symmetry_number, t, &entropy);
    t->entropy = entropy;
    t->free_energy = t->enthalpy - t->temperature * entropy;
}
