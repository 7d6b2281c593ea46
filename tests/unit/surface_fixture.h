/* SPDX-License-Identifier: BSD-3-Clause
 * Small substrates, and sums over their images written out term by term. */
#ifndef SHOAL_TESTS_SURFACE_FIXTURE_H
#define SHOAL_TESTS_SURFACE_FIXTURE_H

#include <math.h>

#include "check.h"
#include "shoal/shoal.h"

/* A slab of NaCl, n x n cells and so many layers. */
static inline shoal_molecule *fixture_salt(int32_t n, int32_t layers, double charge)
{
    shoal_molecule *mol = NULL;
    const shoal_slab_options o = {
        .size = {n, n}, .layers = layers, .charge = charge, .no_charges = charge == 0.0};
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    CHECK(shoal_slab_build(mol, &o) == SHOAL_OK);
    return mol;
}

/* An oblique cell with five atoms of four heights and a dipole, charges 0.6 0.3 -0.5 -0.7 0.3. */
static inline shoal_molecule *fixture_oblique(void)
{
    static const int32_t z[5] = {12, 14, 8, 8, 26};
    static const double q[5] = {0.6, 0.3, -0.5, -0.7, 0.3};
    static const double pos[5][3] = {
        {0.3, 0.2, 0.0}, {2.4, 1.1, -0.7}, {1.1, 3.0, 0.4}, {4.0, 2.2, -0.7}, {3.2, 4.1, -2.1}};
    static const double cell[3][3] = {{5.1, 0.0, 0.0}, {1.9, 4.7, 0.0}, {0.0, 0.0, 25.0}};
    static const bool pbc[3] = {true, true, false};
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int i = 0; i < 5; ++i) {
        CHECK(shoal_molecule_add_atom(mol, z[i], pos[i]) == SHOAL_OK);
        CHECK(shoal_molecule_set_charge(mol, i, q[i]) == SHOAL_OK);
    }
    CHECK(shoal_molecule_set_cell(mol, cell, pbc) == SHOAL_OK);
    return mol;
}

/* The same lattice and atoms, b longer by seven a. */
static inline void fixture_skew(shoal_molecule *mol)
{
    double cell[3][3];
    bool pbc[3];
    shoal_molecule_cell(mol, cell, pbc);
    for (int k = 0; k < 3; ++k) cell[1][k] += 7.0 * cell[0][k];
    CHECK(shoal_molecule_set_cell(mol, (const double(*)[3])cell, pbc) == SHOAL_OK);
}

static inline shoal_surface *fixture_surface(const shoal_molecule *mol,
                                             const shoal_surface_options *options)
{
    shoal_surface *surface = NULL;
    CHECK(shoal_surface_create(&surface, mol, options) == SHOAL_OK);
    if (!surface) (void)printf("%s\n", shoal_error_text());
    return surface;
}

#endif
