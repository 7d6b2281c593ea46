/* SPDX-License-Identifier: BSD-3-Clause
 * Conformers share a topology where it does not depend on coordinates, and only there. */
#include <stdlib.h>

#include "check.h"
#include "ff/term_table.h"
#include "ff/topology_cache.h"
#include "shoal/shoal.h"

typedef struct atom {
    int32_t z;
    double pos[3];
} atom;

/* A centre and its neighbours, all joined by single bonds; every atom is moved by up to shake. */
static shoal_molecule *make_star(const atom *atoms, int32_t n, double shake)
{
    shoal_molecule *mol;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int32_t i = 0; i < n; ++i) {
        const double at[3] = {atoms[i].pos[0] + shake * (i % 2), atoms[i].pos[1] - shake * (i % 3),
                              atoms[i].pos[2]};
        CHECK(shoal_molecule_add_atom(mol, atoms[i].z, at) == SHOAL_OK);
    }
    for (int32_t i = 1; i < n; ++i)
        CHECK(shoal_molecule_add_bond(mol, 0, i, SHOAL_ORDER_SINGLE, NULL) == SHOAL_OK);
    return mol;
}

/* True if b gets the very topology of a; whatever it gets is the one it would get alone. */
static bool is_shared(shoal_molecule *a, shoal_molecule *b, const shoal_typing_options *options)
{
    shoal_topology *first, *second, *alone;
    shoal_topology_view v, w;
    topology_cache *cache = topology_cache_create(&(typing_options){.forcefield = options});
    CHECK(topology_cache_type(cache, a, &first) == SHOAL_OK);
    CHECK(topology_cache_type(cache, b, &second) == SHOAL_OK);
    CHECK(shoal_topology_create(&alone, b, options) == SHOAL_OK);
    shoal_topology_get(second, &v);
    shoal_topology_get(alone, &w);
    CHECK(shoal_topology_status(second) == shoal_topology_status(alone));
    CHECK(v.n_atoms == w.n_atoms &&
          terms_count(&v, SHOAL_KIND_ANGLE) == terms_count(&w, SHOAL_KIND_ANGLE) &&
          v.has_charges == w.has_charges);
    for (int32_t i = 0; i < v.n_atoms && i < w.n_atoms; ++i) {
        CHECK_TEXT(v.types[i], w.types[i]);
        CHECK(v.charges[i] == w.charges[i]);
    }
    for (int32_t k = 0;
         k < terms_count(&v, SHOAL_KIND_ANGLE) && k < terms_count(&w, SHOAL_KIND_ANGLE); ++k)
        CHECK(memcmp(terms_of(&v, SHOAL_KIND_ANGLE)[k].p, terms_of(&w, SHOAL_KIND_ANGLE)[k].p,
                     sizeof v.terms[0].p) == 0);
    const bool shared = first == second;
    topology_cache_destroy(cache);
    shoal_topology_destroy(first);
    shoal_topology_destroy(second);
    shoal_topology_destroy(alone);
    shoal_molecule_destroy(a);
    shoal_molecule_destroy(b);
    return shared;
}

static const atom methane[] = {{6, {0, 0, 0}},
                               {1, {0.63, 0.63, 0.63}},
                               {1, {-0.63, -0.63, 0.63}},
                               {1, {-0.63, 0.63, -0.63}},
                               {1, {0.63, -0.63, -0.63}}};
static const atom fluoromethane[] = {{6, {0, 0, 0}},
                                     {9, {0.8, 0.8, 0.8}},
                                     {1, {-0.63, -0.63, 0.63}},
                                     {1, {-0.63, 0.63, -0.63}},
                                     {1, {0.63, -0.63, -0.63}}};
static const atom bipyramid[] = {{15, {0, 0, 0}},   {9, {0, 0, 1.58}},     {9, {0, 0, -1.58}},
                                 {9, {1.53, 0, 0}}, {9, {-0.77, 1.33, 0}}, {9, {-0.77, -1.33, 0}}};

static void test_shared(void)
{
    CHECK(is_shared(make_star(methane, 5, 0), make_star(methane, 5, 0.1), NULL));
    const shoal_typing_options paper = {.dialect = SHOAL_DIALECT_PAPER};
    CHECK(is_shared(make_star(fluoromethane, 5, 0), make_star(fluoromethane, 5, 0.1), &paper));
}

static void test_not_shared(void)
{
    CHECK(!is_shared(make_star(methane, 5, 0), make_star(fluoromethane, 5, 0), NULL));
    CHECK(!is_shared(make_star(methane, 5, 0), make_star(methane, 4, 0), NULL));
    shoal_molecule *mol = make_star(methane, 5, 0);
    CHECK(shoal_molecule_set_type(mol, 0, "C_R") == SHOAL_OK);
    CHECK(!is_shared(make_star(methane, 5, 0), mol, NULL));
    mol = make_star(methane, 5, 0);
    CHECK(shoal_molecule_set_charge(mol, 0, -0.4) == SHOAL_OK);
    CHECK(!is_shared(make_star(methane, 5, 0), mol, NULL));
}

/* The axis of a bipyramid, and equilibrated charges, follow the coordinates. */
static void test_geometry(void)
{
    shoal_molecule *turned = make_star(bipyramid, 6, 0);
    const double up[3] = {0, 0, 1.58}, side[3] = {1.53, 0, 0};
    CHECK(shoal_molecule_set_position(turned, 1, side) == SHOAL_OK);
    CHECK(shoal_molecule_set_position(turned, 3, up) == SHOAL_OK);
    CHECK(!is_shared(make_star(bipyramid, 6, 0), turned, NULL));
    const shoal_typing_options qeq = {.charges = SHOAL_CHARGES_QEQ};
    shoal_topology *probe;
    shoal_molecule *mol = make_star(fluoromethane, 5, 0);
    const shoal_status status = shoal_topology_create(&probe, mol, &qeq);
    shoal_topology_destroy(probe);
    shoal_molecule_destroy(mol);
    if (status == SHOAL_E_UNSUPPORTED) {
        (void)printf("QEq left out: %s\n", shoal_error_text());
        return;
    }
    CHECK(!is_shared(make_star(fluoromethane, 5, 0), make_star(fluoromethane, 5, 0.1), &qeq));
}

int main(void)
{
    test_shared();
    test_not_shared();
    test_geometry();
    return check_done();
}
