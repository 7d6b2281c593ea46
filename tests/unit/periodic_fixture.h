/* SPDX-License-Identifier: BSD-3-Clause
 * Periodic systems for the tests of backends, in one to three directions, with and without charges, in
 * cells of all shapes and sizes. */
#ifndef SHOAL_TESTS_PERIODIC_FIXTURE_H
#define SHOAL_TESTS_PERIODIC_FIXTURE_H

#include "cpu_fixture.h"

/* A molecule in a cell; bonds are found from distances. charges may be NULL. */
static inline shoal_molecule *periodic_molecule(int32_t n, const int32_t *z, const double (*pos)[3],
                                                const double *charges, const double cell[3][3],
                                                int n_periodic)
{
    shoal_molecule *mol = NULL;
    const bool pbc[3] = {n_periodic > 0, n_periodic > 1, n_periodic > 2};
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int32_t i = 0; i < n; ++i) {
        CHECK(shoal_molecule_add_atom(mol, z[i], pos[i]) == SHOAL_OK);
        if (charges) CHECK(shoal_molecule_set_charge(mol, i, charges[i]) == SHOAL_OK);
    }
    CHECK(shoal_molecule_set_cell(mol, cell, pbc) == SHOAL_OK);
    return mol;
}

/* Repeats a molecule into a supercell. */
static inline shoal_molecule *periodic_repeat(shoal_molecule *from, const int32_t repeat[3])
{
    const int32_t n = shoal_molecule_n_atoms(from);
    const double *charges = shoal_molecule_charges(from);
    double cell[3][3];
    bool pbc[3];
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    shoal_molecule_cell(from, cell, pbc);
    for (int32_t k = 0; k < repeat[0] * repeat[1] * repeat[2]; ++k)
        for (int32_t i = 0; i < n; ++i) {
            const int32_t m[3] = {k / (repeat[1] * repeat[2]), k / repeat[2] % repeat[1],
                                  k % repeat[2]};
            double r[3];
            for (int c = 0; c < 3; ++c)
                r[c] = shoal_molecule_positions(from)[i][c] + m[0] * cell[0][c] +
                       m[1] * cell[1][c] + m[2] * cell[2][c];
            CHECK(shoal_molecule_add_atom(mol, shoal_molecule_elements(from)[i], r) == SHOAL_OK);
            if (charges) CHECK(shoal_molecule_set_charge(mol, k * n + i, charges[i]) == SHOAL_OK);
        }
    for (int a = 0; a < 3; ++a)
        for (int c = 0; c < 3; ++c) cell[a][c] *= repeat[a];
    CHECK(shoal_molecule_set_cell(mol, (const double(*)[3])cell, pbc) == SHOAL_OK);
    shoal_molecule_destroy(from);
    return mol;
}

static inline set_system *periodic_add(set *s, shoal_molecule *mol, const char *name, double shake)
{
    set_system *sys = set_add(s, mol, name, shake);
    if (shoal_topology_status(sys->topology) != SHOAL_SYSTEM_OK)
        (void)printf("%s: %s\n", name, shoal_topology_reason(sys->topology));
    CHECK(shoal_topology_status(sys->topology) == SHOAL_SYSTEM_OK);
    shoal_molecule_destroy(mol);
    return sys;
}

/* alpha-Cristobalite, 12 atoms, with charges; the lattice in a basis of the caller's. */
static inline shoal_molecule *periodic_silica(const int32_t basis[3][3])
{
    static const double edge[3] = {4.978, 4.978, 6.948};
    static const double si[4][3] = {
        {0.3003, 0.3003, 0}, {0.6997, 0.6997, 0.5}, {0.1997, 0.8003, 0.25}, {0.8003, 0.1997, 0.75}};
    static const double x = 0.2392, y = 0.1044, z = 0.1787;
    const double o[8][3] = {{x, y, z},
                            {-x, -y, z + 0.5},
                            {0.5 - y, x + 0.5, z + 0.25},
                            {y + 0.5, 0.5 - x, z + 0.75},
                            {0.5 - x, y + 0.5, 0.25 - z},
                            {x + 0.5, 0.5 - y, 0.75 - z},
                            {y, x, -z},
                            {-y, -x, 0.5 - z}};
    int32_t elements[12];
    double pos[12][3], charges[12], cell[3][3];
    for (int32_t i = 0; i < 12; ++i) {
        elements[i] = i < 4 ? 14 : 8;
        charges[i] = i < 4 ? 2.4 : -1.2;
        for (int c = 0; c < 3; ++c) pos[i][c] = edge[c] * (i < 4 ? si[i][c] : o[i - 4][c]);
    }
    for (int a = 0; a < 3; ++a)
        for (int c = 0; c < 3; ++c) cell[a][c] = basis[a][c] * edge[c];
    return periodic_molecule(12, elements, (const double(*)[3])pos, charges,
                             (const double(*)[3])cell, 3);
}

static const int32_t periodic_plain[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const int32_t periodic_skew[3][3] = {{1, 0, 0}, {4, 1, 0}, {-3, 2, 1}};

/* Water in a triclinic cell. */
static inline shoal_molecule *periodic_water(void)
{
    static const int32_t z[3] = {8, 1, 1};
    static const double pos[3][3] = {{0.1, 0.2, 0.3}, {1.05, 0.3, 0.2}, {-0.2, 1.1, 0.4}};
    static const double charges[3] = {-0.8, 0.4, 0.4};
    static const double cell[3][3] = {{3.9, 0, 0}, {1.1, 4.2, 0}, {-0.9, 1.3, 3.6}};
    return periodic_molecule(3, z, pos, charges, cell, 3);
}

/* Systems that repeat in three directions. */
static inline void periodic_add_volumes(set *s)
{
    static const int32_t carbon[2] = {6, 6}, argon[1] = {18}, three[3] = {3, 2, 2};
    static const double diamond[2][3] = {{0, 0, 0}, {0.8917, 0.8917, 0.8917}};
    static const double fcc[3][3] = {{0, 1.7835, 1.7835}, {1.7835, 0, 1.7835}, {1.7835, 1.7835, 0}};
    static const double lone[1][3] = {{0.3, -0.2, 0.9}}, one[1] = {1.0};
    static const double flat[3][3] = {{3.6, 0, 0}, {3.5, 3.7, 0}, {30, 0.5, 3.9}};
    (void)periodic_add(s, periodic_silica(periodic_plain), "silica", 0.05);
    (void)periodic_add(s, periodic_silica(periodic_skew), "silica, skew cell", 0.05);
    (void)periodic_add(s, periodic_repeat(periodic_silica(periodic_plain), three),
                       "silica, supercell", 0.05);
    (void)periodic_add(s, periodic_water(), "water, triclinic", 0.03);
    (void)periodic_add(s, periodic_repeat(periodic_water(), three), "water, 12 molecules", 0.03);
    (void)periodic_add(s, periodic_molecule(2, carbon, diamond, NULL, fcc, 3), "diamond", 0.05);
    (void)periodic_add(s, periodic_molecule(1, argon, lone, NULL, flat, 3), "argon, flat cell", 0);
    (void)periodic_add(s, periodic_molecule(1, argon, lone, one, fcc, 3), "a net charge", 0);
}

/* Systems that repeat in one or two directions. */
static inline void periodic_add_layers(set *s)
{
    static const int32_t chain[6] = {6, 1, 1, 6, 1, 1}, bn[2] = {5, 7}, three[3] = {3, 3, 1};
    static const int32_t waters[6] = {8, 1, 1, 8, 1, 1};
    static const double zigzag[6][3] = {{0, 0.42, 0},        {0, 1.05, 0.89},
                                        {0, 1.05, -0.89},    {1.26, -0.42, 0},
                                        {1.26, -1.05, 0.89}, {1.26, -1.05, -0.89}};
    static const double line[3][3] = {{2.52, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    static const double sheet[2][3] = {{0, 0, 0.1}, {1.252, 0.7228, -0.1}};
    static const double hexagonal[3][3] = {{2.504, 0, 0}, {1.252, 2.1685, 0}, {0, 0, 0}};
    static const double plus[2] = {0.5, -0.5};
    static const double film[6][3] = {{0.1, 0.2, 0.3}, {1.05, 0.3, 0.2}, {-0.2, 1.1, 0.4},
                                      {0.4, 0.1, 3.4}, {1.35, 0.2, 3.6}, {0.1, 0.9, 3.9}};
    static const double film_charges[6] = {-0.8, 0.4, 0.4, -0.8, 0.4, 0.4};
    static const double tilted[3][3] = {{4.3, 0.2, 1.1}, {0.3, 4.6, -0.7}, {0, 0, 0}};
    (void)periodic_add(s, periodic_molecule(6, chain, zigzag, NULL, line, 1), "polyethylene", 0.03);
    (void)periodic_add(s, periodic_molecule(2, bn, sheet, NULL, hexagonal, 2), "boron nitride",
                       0.02);
    (void)periodic_add(s, periodic_molecule(2, bn, sheet, plus, hexagonal, 2), "charged sheet",
                       0.02);
    (void)periodic_add(s,
                       periodic_repeat(periodic_molecule(2, bn, sheet, plus, hexagonal, 2), three),
                       "charged sheet, supercell", 0.02);
    (void)periodic_add(s, periodic_molecule(6, waters, film, film_charges, tilted, 2), "water film",
                       0.02);
    static const double chain_charges[6] = {-0.3, 0.2, 0.1, 0.3, -0.2, -0.1};
    static const double along[3][3] = {{4.3, 0.2, 1.1}, {0, 0, 0}, {0, 0, 0}};
    (void)periodic_add(s, periodic_molecule(6, chain, zigzag, chain_charges, line, 1),
                       "charged chain", 0.03);
    (void)periodic_add(s, periodic_molecule(6, waters, film, film_charges, along, 1), "water row",
                       0.02);
}

#endif
