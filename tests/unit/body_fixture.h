/* SPDX-License-Identifier: BSD-3-Clause
 * Clusters of molecules that are rigid bodies: bent, linear, flat and other ones, and an atom by itself; no two
 * principal moments are alike, as axes are any then. */
#ifndef SHOAL_TESTS_BODY_FIXTURE_H
#define SHOAL_TESTS_BODY_FIXTURE_H

#include "driver_fixture.h"

enum { BODY_MOST = 60 };

typedef enum body_kind {
    BODY_WATER,
    BODY_N2,
    BODY_CO2,
    BODY_METHANE,
    BODY_BENZENE,
    BODY_ARGON
} body_kind;

typedef struct body_atom {
    int32_t z, to; /* bonded to */
    double r[3], order;
} body_atom;

static inline int32_t body_shape(body_kind kind, body_atom out[12])
{
    static const body_atom water[3] = {
        {8, -1, {0, 0, 0}, 0}, {1, 0, {0.76, 0.59, 0.02}, 1}, {1, 0, {-0.76, 0.58, 0}, 1}};
    static const body_atom n2[2] = {{7, -1, {0, 0, 0}, 0}, {7, 0, {1.1, 0, 0}, 3}};
    static const body_atom co2[3] = {
        {6, -1, {0, 0, 0}, 0}, {8, 0, {1.17, 0, 0}, 2}, {8, 0, {-1.17, 0, 0}, 2}};
    static const body_atom methane[5] = {{6, -1, {0, 0, 0}, 0},
                                         {1, 0, {0.76, 0.7, 0.63}, 1},
                                         {1, 0, {-0.55, -0.7, 0.6}, 1},
                                         {1, 0, {-0.63, 0.63, -0.63}, 1},
                                         {1, 0, {0.63, -0.63, -0.63}, 1}};
    static const body_atom argon[1] = {{18, -1, {0, 0, 0}, 0}};
    static const body_atom *const lists[] = {water, n2, co2, methane, NULL, argon};
    static const int32_t n[] = {3, 2, 3, 5, 12, 1};
    for (int32_t k = 0; k < n[kind] && lists[kind]; ++k) out[k] = lists[kind][k];
    for (int32_t k = 0; k < 6 && kind == BODY_BENZENE; ++k) {
        const double x = cos(1.0471975512 * k), y = sin(1.0471975512 * k);
        out[k] = (body_atom){6, k - 1, {1.395 * x, 1.395 * y, 0}, 1.5};
        out[6 + k] = (body_atom){1, k, {2.48 * x, 2.48 * y, 0}, 1};
    }
    return n[kind];
}

static inline void body_turn(double a, int i, int j, double r[3])
{
    const double x = r[i], y = r[j];
    r[i] = cos(a) * x - sin(a) * y;
    r[j] = sin(a) * x + cos(a) * y;
}

/* Appends a molecule at a place, turned. */
static inline void body_put(shoal_molecule *mol, body_kind kind, const double at[3], double turn)
{
    body_atom atoms[12];
    const int32_t n = body_shape(kind, atoms), first = shoal_molecule_n_atoms(mol);
    for (int32_t k = 0; k < n; ++k) {
        double r[3] = {atoms[k].r[0], atoms[k].r[1], atoms[k].r[2]};
        body_turn(turn, 0, 1, r);
        body_turn(1.7 * turn, 1, 2, r);
        (void)set_atom(mol, atoms[k].z, r[0] + at[0], r[1] + at[1], r[2] + at[2]);
    }
    for (int32_t k = 0; k < n; ++k)
        if (atoms[k].to >= 0)
            CHECK(shoal_molecule_add_bond(mol, first + atoms[k].to, first + k, atoms[k].order,
                                          NULL) == SHOAL_OK);
    if (kind == BODY_BENZENE)
        CHECK(shoal_molecule_add_bond(mol, first + 5, first, 1.5, NULL) == SHOAL_OK);
}

/* A cluster of n molecules, each of them a body. */
static inline set_system *body_cluster(set *s, const schedule *c, const body_kind *kinds, int32_t n,
                                       double apart, double turn)
{
    static const double places[8][3] = {{0, 0, 0},     {1, 0.1, 0.1},  {0.2, 1, -0.1}, {0.1, 0, 1},
                                        {1.1, 1, 0.1}, {1, 0.1, 1.05}, {0, 1, 1},      {1, 1, 1}};
    shoal_molecule *mol = NULL;
    int32_t body_of[BODY_MOST], n_atoms = 0;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int32_t k = 0; k < n; ++k) {
        const double at[3] = {apart * places[k][0], apart * places[k][1], apart * places[k][2]};
        body_put(mol, kinds[k], at, turn + 1.3 * k);
        for (; n_atoms < shoal_molecule_n_atoms(mol); ++n_atoms) body_of[n_atoms] = k;
    }
    set_system *sys = driver_add(s, c, mol, "bodies", 0);
    sys->bodies = malloc((size_t)n_atoms * sizeof *sys->bodies);
    memcpy(sys->bodies, body_of, (size_t)n_atoms * sizeof *sys->bodies);
    return sys;
}

/* Largest change of a distance within a body. */
static inline double body_strain(const set_system *sys, const double (*a)[3], const double (*b)[3])
{
    double most = 0;
    for (int32_t i = 0; i < sys->n_atoms; ++i)
        for (int32_t j = 0; j < i; ++j)
            if (sys->bodies[i] >= 0 && sys->bodies[i] == sys->bodies[j])
                most = fmax(most, fabs(distance(a, i, j) - distance(b, i, j)));
    return most;
}

#endif
