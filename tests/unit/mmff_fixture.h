/* SPDX-License-Identifier: BSD-3-Clause
 * Molecules for the tests of MMFFsp3. */
#ifndef SHOAL_TESTS_MMFF_FIXTURE_H
#define SHOAL_TESTS_MMFF_FIXTURE_H

#include "uff_fixture.h"

static const shoal_typing_options mmff_own = {.forcefield = SHOAL_FORCEFIELD_MMFFSP3};
static const shoal_typing_options mmff_original = {.forcefield = SHOAL_FORCEFIELD_MMFFSP3,
                                                   .dialect = SHOAL_DIALECT_FIRECORE};

/* Atoms "C O H", at places that mean nothing, and bonds "0=1 0-2": - single, = double, # triple, : aromatic. */
static inline shoal_molecule *mmff_graph(const char *atoms, const char *bonds)
{
    static const char marks[] = "-=#:";
    static const shoal_bond_order orders[] = {SHOAL_ORDER_SINGLE, SHOAL_ORDER_DOUBLE,
                                              SHOAL_ORDER_TRIPLE, SHOAL_ORDER_AROMATIC};
    shoal_molecule *mol = chem_new();
    for (const char *at = atoms; *at; at += strspn(at, " ")) {
        char symbol[4] = "";
        const size_t n = strcspn(at, " ");
        memcpy(symbol, at, n < 3 ? n : 3);
        const double x = mol->n_atoms;
        chem_atom(mol, symbol, 3.0 * x, 0.1 * x * x, 0.3 * (mol->n_atoms % 3));
        at += n;
    }
    for (const char *at = bonds; *at; at += strspn(at, " ")) {
        char *end;
        const long i = strtol(at, &end, 10);
        const char mark = *end;
        const long j = strtol(end + 1, &end, 10);
        chem_bond(mol, (int32_t)i, (int32_t)j, orders[strchr(marks, mark) - marks]);
        at = end;
    }
    return mol;
}

/* The bond term of two atoms. */
static inline const shoal_term *mmff_bond(const shoal_topology_view *v, int32_t i, int32_t j)
{
    int32_t n;
    const shoal_term *t = shoal_topology_terms(v, SHOAL_KIND_BOND, &n);
    for (int32_t k = 0; k < n; ++k)
        if ((t[k].atoms[0] == i && t[k].atoms[1] == j) ||
            (t[k].atoms[0] == j && t[k].atoms[1] == i))
            return &t[k];
    CHECK(false);
    return t;
}

#endif
