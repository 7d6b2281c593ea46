/* SPDX-License-Identifier: BSD-3-Clause
 * A topology built by hand: every kind of term, torsions of all multiplicities, special pairs. */
#ifndef SHOAL_TESTS_HAND_FIXTURE_H
#define SHOAL_TESTS_HAND_FIXTURE_H

#include "cpu_fixture.h"

enum { HAND_ATOMS = 7 };

/* A chain 0-1-2-3-4-5 with a branch 2-6; no angle near straight. */
static const double hand_pos[HAND_ATOMS][3] = {
    {0.10, 0.20, -0.30}, {1.25, 0.95, 0.15}, {2.35, 0.05, 0.75}, {3.55, 0.90, 1.30},
    {4.75, 0.10, 0.85},  {5.80, 1.05, 1.50}, {2.05, -1.15, 1.35}};
static const double hand_x[HAND_ATOMS] = {2.9, 3.4, 3.85, 3.66, 3.4, 2.9, 3.5};
static const double hand_d[HAND_ATOMS] = {0.002, 0.003, 0.0045, 0.003, 0.0026, 0.0019, 0.004};
static const double hand_q[HAND_ATOMS] = {0.31, -0.52, 0.23, 0.17, -0.44, 0.36, -0.11};

static const double hand_angle[5] = {0.9, 0.5, 0.3, -0.2, 0.1};
static const double hand_inversion[3] = {0.8, -1.1, 0.3};

static const shoal_special_pair hand_pairs[] = {
    {.i = 0, .j = 3, .vdw_scale = 0.5, .coulomb_scale = 1 / 1.2},
    {.i = 4, .j = 1, .vdw_scale = 1, .coulomb_scale = 0.7, .x = 3.1, .d = 0.006},
    {.i = 2, .j = 5, .vdw_scale = 0, .coulomb_scale = 0.5},
    {.i = 6, .j = 3, .vdw_scale = 0.25, .coulomb_scale = 0},
};
enum { HAND_PAIRS = sizeof hand_pairs / sizeof hand_pairs[0] };

static const int32_t hand_bonds[6][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {2, 6}};
static const int32_t hand_angles[6][3] = {{0, 1, 2}, {1, 2, 3}, {2, 3, 4},
                                          {3, 4, 5}, {1, 2, 6}, {6, 2, 3}};

static inline double hand_bond_k(int b)
{
    return 28.0 + b;
}

static inline double hand_bond_r0(int b)
{
    return 1.3 + 0.05 * b;
}

/* Periodic systems have their atoms in other cells, so that shifts matter: this many along x, y, z. */
static inline int32_t hand_moved(int32_t atom, int axis)
{
    return (atom * (axis + 2)) % 5 - 2;
}

/* Images of the atoms of a term that undo this. */
static inline const int32_t (*hand_shifts(bool periodic, int32_t n, const int32_t *atoms))[3]
{
    static int32_t shifts[4][3];
    for (int32_t k = 0; k < n; ++k)
        for (int c = 0; c < 3; ++c) shifts[k][c] = periodic ? -hand_moved(atoms[k], c) : 0;
    return (const int32_t(*)[3])shifts;
}

static inline void hand_shift(bool periodic, int32_t i, int32_t j, int32_t shift[3])
{
    for (int c = 0; c < 3; ++c) shift[c] = periodic ? hand_moved(i, c) - hand_moved(j, c) : 0;
}

static inline void hand_add_torsion(shoal_topology_builder *b, bool periodic, int32_t i, int32_t j,
                                    int32_t k, int32_t l, double v, int d, int n)
{
    const int32_t atoms[4] = {i, j, k, l};
    CHECK(shoal_topology_add_torsion(b, atoms, hand_shifts(periodic, 4, atoms), v, d, n) ==
          SHOAL_OK);
}

enum { HAND_PERIODIC = 9 };
static const int32_t hand_periodic[HAND_PERIODIC][4] = {
    {0, 1, 2, 3}, {3, 2, 1, 0}, {0, 1, 2, 6}, {2, 3, 4, 5}, {5, 4, 3, 2},
    {1, 2, 3, 4}, {6, 2, 3, 4}, {1, 3, 2, 6}, {6, 1, 2, 3}}; /* the last two about no bond */

static inline double hand_periodic_k(int t)
{
    return t % 2 ? -0.03 * t : 0.05 + 0.01 * t;
}

static inline double hand_periodic_phase(int t)
{
    return 0.7 * t - 2.0;
}

/* All terms but pairs. */
static inline void hand_add_terms(shoal_topology_builder *b, bool periodic)
{
    int32_t shift[3];
    for (int n = 1; n <= 6; ++n) /* given one way and the other, mixed with other bonds */
        for (int d = -1; d <= 1; d += 2) {
            hand_add_torsion(b, periodic, 0, 1, 2, d > 0 ? 3 : 6, 0.02 * n, d, n);
            hand_add_torsion(b, periodic, 5, 4, 3, 2, 0.03 * n, d, n);
            hand_add_torsion(b, periodic, 6, 2, 1, 0, 0.01 * n, d, n);
        }
    for (int k = 0; k < 6; ++k) {
        const int32_t i = hand_bonds[k][0], j = hand_bonds[k][1];
        hand_shift(periodic, i, j, shift);
        CHECK(shoal_topology_add_bond(b, i, j, shift, hand_bond_k(k), hand_bond_r0(k)) == SHOAL_OK);
        CHECK(shoal_topology_add_angle(b, hand_angles[k], hand_shifts(periodic, 3, hand_angles[k]),
                                       2.0 + 0.1 * k, hand_angle) == SHOAL_OK);
    }
    for (int t = 0; t < HAND_PERIODIC; ++t) {
        const double p[3] = {hand_periodic_k(t), t % 7, hand_periodic_phase(t)};
        CHECK(shoal_topology_add_term(b, SHOAL_KIND_PERIODIC, hand_periodic[t],
                                      hand_shifts(periodic, 4, hand_periodic[t]), p) == SHOAL_OK);
    }
    /* A planar centre, and one inversion more of another strength. */
    static const int32_t inversions[4][4] = {
        {1, 2, 3, 6}, {3, 2, 6, 1}, {6, 2, 1, 3}, {6, 2, 1, 3}};
    for (int k = 0; k < 4; ++k)
        CHECK(shoal_topology_add_inversion(b, inversions[k],
                                           hand_shifts(periodic, 4, inversions[k]),
                                           k < 3 ? 0.4 : 0.15, hand_inversion) == SHOAL_OK);
}

/* scaled: with the special pairs; otherwise these are excluded. */
static inline shoal_topology *hand_topology(bool periodic, bool scaled)
{
    static const int32_t elements[HAND_ATOMS] = {1, 8, 6, 6, 7, 1, 9};
    shoal_topology_builder *b = NULL;
    shoal_topology *out = NULL;
    int32_t shift[3];
    CHECK(shoal_topology_begin(&b, HAND_ATOMS, elements) == SHOAL_OK);
    for (int32_t i = 0; i < HAND_ATOMS; ++i) {
        const shoal_atom_parameters p = {hand_x[i], hand_d[i], hand_q[i], 0, i == 2 ? "CX" : NULL};
        CHECK(shoal_topology_set_atom(b, i, &p) == SHOAL_OK);
    }
    CHECK(shoal_topology_set_periodic(b, (const bool[3]){periodic, periodic, periodic}) ==
          SHOAL_OK);
    hand_add_terms(b, periodic);
    for (int k = 0; k < HAND_PAIRS; ++k) {
        shoal_special_pair p = hand_pairs[k];
        hand_shift(periodic, p.i, p.j, p.shift);
        CHECK((scaled ? shoal_topology_add_pair(b, &p)
                      : shoal_topology_exclude(b, p.i, p.j, p.shift)) == SHOAL_OK);
    }
    hand_shift(periodic, 0, 5, shift);
    CHECK(shoal_topology_exclude(b, 0, 5, shift) == SHOAL_OK);
    CHECK(shoal_topology_finish(b, SHOAL_EXCLUDE_BONDS_AND_ANGLES, &out) == SHOAL_OK);
    return out;
}

/* The set's system of such a topology; in a cube of 32 angstrom if it is periodic. */
static inline set_system *hand_add(set *s, bool periodic, bool scaled)
{
    set_system *sys = &s->systems[s->n++];
    memset(sys, 0, sizeof *sys);
    sys->topology = hand_topology(periodic, scaled);
    sys->n_atoms = HAND_ATOMS;
    sys->pos = malloc(sizeof hand_pos);
    memcpy(sys->pos, hand_pos, sizeof hand_pos);
    for (int c = 0; c < 3 && periodic; ++c) {
        sys->cell[c][c] = 32;
        for (int32_t i = 0; i < HAND_ATOMS; ++i) sys->pos[i][c] += 32 * hand_moved(i, c);
    }
    return sys;
}

#endif
