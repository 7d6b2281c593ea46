/* SPDX-License-Identifier: BSD-3-Clause
 * A molecule that comes from the cache of topologies is what it would be without: itself, its perception and
 * its topology, bit for bit. Files named as arguments are tried besides the cases of the tests. */
#include "ff/topology_cache.h"

#include "chem/perceive.h"
#include "ff/topology.h"
#include "uff_fixture.h"

static bool same_ints(const int32_t *a, const int32_t *b, int32_t n)
{
    return n == 0 || memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

static bool same_bonds(const shoal_molecule *a, const shoal_molecule *b)
{
    if (a->n_bonds != b->n_bonds || a->has_bonds != b->has_bonds) return false;
    for (int32_t k = 0; k < a->n_bonds; ++k) {
        const shoal_bond *x = &a->bonds[k], *y = &b->bonds[k];
        if (x->i != y->i || x->j != y->j || x->order != y->order || x->aromatic != y->aromatic ||
            x->conjugated != y->conjugated || !same_ints(x->shift, y->shift, 3) ||
            !same_ints(a->next_bond[k], b->next_bond[k], 2))
            return false;
    }
    return true;
}

static bool same_molecule(const shoal_molecule *a, const shoal_molecule *b)
{
    const int32_t n = a->n_atoms;
    return n == b->n_atoms && a->perceived == b->perceived && a->total_charge == b->total_charge &&
           a->asked_charge == b->asked_charge && a->has_charges == b->has_charges &&
           a->has_formal_charges == b->has_formal_charges &&
           same_ints(a->formal_charge, b->formal_charge, n) &&
           same_ints(a->radical, b->radical, n) && same_ints(a->first_bond, b->first_bond, n) &&
           (!a->has_charges || memcmp(a->charge, b->charge, (size_t)n * sizeof *a->charge) == 0) &&
           same_bonds(a, b);
}

static bool same_graph(const graph *a, const graph *b)
{
    return same_ints(a->start, b->start, a->n_atoms + 1) &&
           (a->start[a->n_atoms] == 0 ||
            memcmp(a->ends, b->ends, (size_t)a->start[a->n_atoms] * sizeof *a->ends) == 0);
}

static bool same_perception(const chem_perception *a, const chem_perception *b)
{
    const ring_set *r = &a->rings, *s = &b->rings;
    if (!same_graph(&a->graph, &b->graph) || r->n_rings != s->n_rings) return false;
    for (int32_t i = 0; i < a->graph.n_atoms; ++i) {
        const atom_state *x = &a->atoms[i], *y = &b->atoms[i];
        if (x->valence != y->valence || x->n_dative != y->n_dative || x->radicals != y->radicals ||
            x->hyb != y->hyb || x->aromatic != y->aromatic || x->conjugated != y->conjugated ||
            x->in_ring3 != y->in_ring3 || x->in_ring4 != y->in_ring4)
            return false;
    }
    return same_ints(r->start, s->start, r->n_rings + 1) &&
           same_ints(r->atoms, s->atoms, r->start[r->n_rings]) &&
           same_ints(r->bonds, s->bonds, r->start[r->n_rings]);
}

static bool same_topology(const shoal_topology *a, const shoal_topology *b)
{
    if (shoal_topology_status(a) == SHOAL_SYSTEM_OK) return topology_equal(a, b);
    return shoal_topology_status(a) == shoal_topology_status(b) &&
           strcmp(shoal_topology_reason(a), shoal_topology_reason(b)) == 0;
}

static shoal_molecule *copy_of(const shoal_molecule *src)
{
    shoal_molecule *mol = chem_new();
    CHECK(shoal_molecule_copy(mol, src) == SHOAL_OK);
    return mol;
}

/* Types a copy of src with the cache and one without, compares them, and returns the cache's topology. */
static shoal_topology *type_both(topology_cache *cache, const typing_options *o,
                                 const shoal_molecule *src)
{
    shoal_molecule *alone = copy_of(src), *mol = copy_of(src);
    shoal_topology *want = NULL, *got = NULL, *again = NULL;
    (void)shoal_molecule_perceive(alone, o->perceive);
    const shoal_status status = shoal_topology_create(&want, alone, o->forcefield);
    CHECK(topology_cache_type(cache, mol, &got) == status);
    bool same = !want == !got && same_molecule(alone, mol);
    if (want && got) same = same && same_topology(want, got);
    if (alone->perceived &&
        mol->perceived) { /* asked again, it is perceived as if for the first time */
        CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK);
        same = same && same_perception(alone->perception, mol->perception) &&
               same_molecule(alone, mol);
        CHECK(shoal_topology_create(&again, mol, o->forcefield) == status);
        same = same && (!again || same_topology(want, again));
    }
    CHECK(same);
    if (!same) (void)printf("  %s\n", shoal_molecule_name(src));
    shoal_topology_destroy(want);
    shoal_topology_destroy(again);
    shoal_molecule_destroy(alone);
    shoal_molecule_destroy(mol);
    return got;
}

static void try_mol(topology_cache *cache, const typing_options *o, const shoal_molecule *src)
{
    shoal_topology_destroy(type_both(cache, o, src));
}

/* Another conformer, near enough for the same bonds by distance. */
static void shake(shoal_molecule *mol, uint64_t *seed)
{
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        for (int c = 0; c < 3; ++c) mol->pos[i][c] += 1e-4 * (chem_random(seed, 2001) - 1000) / 10;
}

/* A molecule in many ways: as it is, as another conformer, without its bonds, in another order, with
 * aromatic bonds instead of a Kekule structure. */
static void try_ways(topology_cache *cache, const typing_options *o, const shoal_molecule *src,
                     uint64_t *seed)
{
    shoal_molecule *other = copy_of(src), *bare = chem_bare(src, NULL);
    int32_t *order = malloc((size_t)(src->n_atoms + 1) * sizeof *order);
    CHECK(order != NULL);
    try_mol(cache, o, src);
    shake(other, seed);
    try_mol(cache, o, other);
    try_mol(cache, o, bare);
    shake(bare, seed);
    try_mol(cache, o, bare);
    if (order) {
        chem_shuffle(order, src->n_atoms, seed);
        shoal_molecule *permuted = chem_bare(src, order);
        try_mol(cache, o, permuted);
        shoal_molecule_destroy(permuted);
    }
    (void)shoal_molecule_perceive(other, NULL);
    for (int32_t b = 0; b < other->n_bonds; ++b)
        if (other->bonds[b].aromatic) other->bonds[b].order = SHOAL_ORDER_AROMATIC;
    try_mol(cache, o, other); /* copies are not perceived */
    shake(other, seed);
    try_mol(cache, o, other);
    free(order);
    shoal_molecule_destroy(other);
    shoal_molecule_destroy(bare);
}

static void try_file(topology_cache *cache, const typing_options *o, const char *path)
{
    fixture f;
    uint64_t seed = 7;
    fixture_open_file(&f, path);
    while (fixture_next(&f) == SHOAL_OK && f.found) try_ways(cache, o, f.mol, &seed);
    fixture_close(&f);
}

static const char *const cases[] = {
    SHOAL_TEST_DATA "/types.sdf",        SHOAL_TEST_DATA "/perceive.xyz",
    SHOAL_TEST_DATA "/formamide.mol2",   SHOAL_TEST_DATA "/glycine.sdf",
    SHOAL_TEST_DATA "/graphene_lvs.xyz", SHOAL_TEST_DATA "/water_ext.xyz"};

static void test_files(int n_more, char **more)
{
    static const shoal_perceive_options cation = {.total_charge = 1},
                                        anew = {.rebuild_bonds = true};
    static const shoal_typing_options paper = {.dialect = SHOAL_DIALECT_PAPER},
                                      bare = {.dialect = SHOAL_DIALECT_FIRECORE,
                                              .charges = SHOAL_CHARGES_NONE};
    static const typing_options options[] = {{.max_atoms = 0},
                                             {.perceive = &cation},
                                             {.perceive = &anew, .forcefield = &paper},
                                             {.forcefield = &bare}};
    for (size_t k = 0; k < sizeof options / sizeof *options; ++k) {
        topology_cache *cache = topology_cache_create(&options[k]);
        CHECK(cache != NULL);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
            try_file(cache, &options[k], cases[i]);
        for (int i = 0; i < n_more; ++i) try_file(cache, &options[k], more[i]);
        CHECK(topology_cache_count(cache).n_shared > 100);
        topology_cache_destroy(cache);
    }
}

/* Whether b gets the very topology of a. */
static bool is_shared(const typing_options *o, shoal_molecule *a, shoal_molecule *b)
{
    topology_cache *cache = topology_cache_create(o);
    CHECK(cache != NULL);
    shoal_topology *first = type_both(cache, o, a), *second = type_both(cache, o, b);
    const bool shared = first == second;
    CHECK(topology_cache_count(cache).n_shared == shared);
    shoal_topology_destroy(first);
    shoal_topology_destroy(second);
    topology_cache_destroy(cache);
    shoal_molecule_destroy(b);
    return shared;
}

/* Formamide with its bonds: C O N H H H. */
static shoal_molecule *make_amide(void)
{
    shoal_molecule *mol = chem_xyz("6\n\nC 0 0 0\nO 1.22 0 0\nN -0.7 1.15 0\nH -0.55 -0.95 0\n"
                                   "H -1.7 1.1 0\nH -0.25 2.05 0\n");
    chem_bond(mol, 0, 1, SHOAL_ORDER_DOUBLE);
    chem_bond(mol, 0, 2, SHOAL_ORDER_SINGLE);
    chem_bond(mol, 0, 3, SHOAL_ORDER_SINGLE);
    chem_bond(mol, 2, 4, SHOAL_ORDER_SINGLE);
    chem_bond(mol, 2, 5, SHOAL_ORDER_SINGLE);
    return mol;
}

/* All but the positions tells molecules apart, one thing at a time. */
static void test_key(void)
{
    static const double cell[3][3] = {{9, 0, 0}, {0, 9, 0}, {0, 0, 9}};
    const typing_options o = {.max_atoms = 0};
    uint64_t seed = 1;
    shoal_molecule *a = make_amide(), *b = make_amide();
    shake(b, &seed);
    CHECK(is_shared(&o, a, b));
    b = make_amide();
    b->element[1] = 16;
    CHECK(!is_shared(&o, a, b));
    b = make_amide();
    CHECK(shoal_molecule_set_formal_charge(b, 1, 0) == SHOAL_OK); /* given, if zero */
    CHECK(!is_shared(&o, a, b));
    shoal_molecule *given = make_amide();
    CHECK(shoal_molecule_set_formal_charge(given, 1, 0) == SHOAL_OK);
    b = make_amide();
    CHECK(shoal_molecule_set_formal_charge(b, 1, 1) == SHOAL_OK);
    CHECK(!is_shared(&o, given, b));
    b = make_amide();
    CHECK(shoal_molecule_set_radical(b, 3, 1) == SHOAL_OK);
    CHECK(!is_shared(&o, a, b));
    b = make_amide();
    CHECK(shoal_molecule_set_type(b, 2, "N_3") == SHOAL_OK);
    CHECK(!is_shared(&o, a, b));
    b = make_amide();
    CHECK(shoal_molecule_set_charge(b, 2, 0) == SHOAL_OK);
    CHECK(!is_shared(&o, a, b));
    b = make_amide();
    chem_cell(b, cell, 1);
    CHECK(!is_shared(&o, a, b));
    b = make_amide();
    b->asked_charge = 1;
    CHECK(!is_shared(&o, a, b));
    b = make_amide();
    b->bonds[0].order = SHOAL_ORDER_SINGLE;
    CHECK(!is_shared(&o, a, b));
    b = make_amide();
    molecule_turn_bond(b, 1);
    CHECK(!is_shared(&o, a, b));
    shoal_molecule_destroy(a);
    shoal_molecule_destroy(given);
}

/* Given types and charges of two molecules, and images that bonds lead to. */
static void test_key_extras(void)
{
    static const double cell[3][3] = {{9, 0, 0}, {0, 9, 0}, {0, 0, 9}};
    static const shoal_typing_options none = {.charges = SHOAL_CHARGES_NONE};
    const typing_options o = {.max_atoms = 0}, plain = {.forcefield = &none};
    shoal_molecule *a = make_amide(), *b = make_amide();
    CHECK(shoal_molecule_set_type(a, 2, "N_3") == SHOAL_OK);
    CHECK(shoal_molecule_set_type(b, 2, "N_R") == SHOAL_OK);
    CHECK(!is_shared(&o, a, b));
    shoal_molecule_destroy(a);
    a = make_amide();
    b = make_amide();
    CHECK(shoal_molecule_set_charge(a, 0, 0.4) == SHOAL_OK);
    CHECK(shoal_molecule_set_charge(b, 0, 0.5) == SHOAL_OK);
    CHECK(is_shared(&plain, a, copy_of(b))); /* charges that are not used */
    CHECK(!is_shared(&o, a, b));
    shoal_molecule_destroy(a);
    a = make_amide();
    b = make_amide();
    chem_cell(a, cell, 1);
    chem_cell(b, cell, 1);
    b->bonds[2].shift[0] = 1;
    CHECK(!is_shared(&o, a, b));
    b = make_amide();
    chem_cell(b, cell, 1);
    b->cell[0][0] = 10; /* bonds are given: no matter */
    CHECK(is_shared(&o, a, b));
    shoal_molecule_destroy(a);
}

/* A net of silicon, four bonds each, whose total charge is assumed or asked for. */
static shoal_molecule *make_net(int32_t asked)
{
    static const double cell[3][3] = {{2.3, 0, 0}, {0, 2.3, 0}, {0, 0, 2.3}};
    shoal_molecule *mol = chem_xyz("1\n\nSi 0 0 0\n");
    chem_cell(mol, cell, 2);
    mol->asked_charge = asked;
    mol->has_asked_charge = asked != 0;
    return mol;
}

/* Equal orders and formal charges, but not what they must add up to. */
static void test_key_total(void)
{
    const typing_options o = {.max_atoms = 0};
    shoal_molecule *a = make_net(0);
    CHECK(is_shared(&o, a, make_net(0)));
    CHECK(!is_shared(&o, a, make_net(-2)));
    shoal_molecule_destroy(a);
}

/* A ring of six with aromatic bonds, every other one of them short. */
static shoal_molecule *make_ring(int first_short)
{
    shoal_molecule *mol = chem_new();
    double angle = 0;
    for (int i = 0; i < 6; ++i) {
        const double at[3] = {1.4 * cos(angle), 1.4 * sin(angle), 0};
        CHECK(shoal_molecule_add_atom(mol, i == 0 ? 7 : 6, at) == SHOAL_OK);
        angle += acos(-1.0) / 3 + ((i + first_short) % 2 ? 0.1 : -0.1);
    }
    for (int i = 0; i < 6; ++i) chem_bond(mol, i, (i + 1) % 6, SHOAL_ORDER_AROMATIC);
    return mol;
}

/* What positions decide. */
static void test_geometry(void)
{
    const typing_options o = {.max_atoms = 0};
    shoal_molecule *ring = make_ring(0);
    CHECK(is_shared(&o, ring, make_ring(0)));
    CHECK(!is_shared(&o, ring, make_ring(1))); /* the other Kekule structure */
    shoal_molecule_destroy(ring);
    shoal_molecule *water = chem_xyz("3\n\nO 0 0 0\nH 0.96 0 0\nH -0.24 0.93 0\n");
    CHECK(is_shared(&o, water, copy_of(water)));
    CHECK(!is_shared(&o, water, chem_xyz("3\n\nO 0 0 0\nH 0.96 0 0\nH -2.4 9.3 0\n")));
    shoal_molecule_destroy(water);
    shoal_molecule *p = chem_xyz("6\n\nP 0 0 0\nF 0 0 1.58\nF 0 0 -1.58\nF 1.53 0 0\n"
                                 "F -0.77 1.33 0\nF -0.77 -1.33 0\n");
    CHECK(!is_shared(&o, p, copy_of(p)));
    shoal_molecule_destroy(p);
    static const shoal_typing_options qeq = {.charges = SHOAL_CHARGES_QEQ};
    const typing_options charged = {.forcefield = &qeq};
    shoal_molecule *amide = make_amide();
    shoal_topology *probe = NULL;
    if (shoal_topology_create(&probe, amide, &qeq) != SHOAL_E_UNSUPPORTED) {
        shoal_molecule_destroy(amide);
        amide = make_amide();
        CHECK(!is_shared(&charged, amide, make_amide()));
    }
    shoal_topology_destroy(probe);
    shoal_molecule_destroy(amide);
}

/* Bonds to metals turn round in perception; chains of bonds follow, also on a second way. */
static void test_dative(void)
{
    const typing_options o = {.max_atoms = 0};
    shoal_molecule *a = chem_xyz("4\n\nZn 0 0 0\nN 2 0 0\nN -2 0 0\nN 0 2 0\n");
    for (int i = 1; i < 4; ++i) chem_bond(a, 0, i, SHOAL_ORDER_SINGLE);
    for (int i = 1; i < 4; ++i)
        for (int h = 0; h < 3; ++h) {
            const double at[3] = {3.0 * i, h, 5};
            CHECK(shoal_molecule_add_atom(a, 1, at) == SHOAL_OK);
            chem_bond(a, i, a->n_atoms - 1, SHOAL_ORDER_SINGLE);
        }
    CHECK(is_shared(&o, a, copy_of(a)));
    topology_cache *cache = topology_cache_create(NULL);
    shoal_topology *t[2] = {NULL, NULL};
    for (int k = 0; k < 2; ++k) {
        shoal_molecule *mol = copy_of(a);
        CHECK(topology_cache_type(cache, mol, &t[k]) == SHOAL_OK);
        CHECK(mol->bonds[1].i == 2 && mol->bonds[1].order == SHOAL_ORDER_DATIVE);
        CHECK(shoal_molecule_add_bond(mol, 0, 2, SHOAL_ORDER_SINGLE, NULL) == SHOAL_E_ARGUMENT);
        CHECK(shoal_molecule_add_bond(mol, 2, 0, SHOAL_ORDER_SINGLE, NULL) == SHOAL_E_ARGUMENT);
        shoal_molecule_destroy(mol);
    }
    CHECK(t[0] == t[1]);
    shoal_topology_destroy(t[0]);
    shoal_topology_destroy(t[1]);
    topology_cache_destroy(cache);
    shoal_molecule_destroy(a);
}

/* A chain of n carbons with hydrogen left out. */
static shoal_molecule *make_chain(int32_t n)
{
    shoal_molecule *mol = chem_new();
    for (int32_t i = 0; i < n; ++i) {
        const double at[3] = {1.3 * i, 0.5 * (i % 2), 0};
        CHECK(shoal_molecule_add_atom(mol, 6, at) == SHOAL_OK);
        if (i > 0) chem_bond(mol, i - 1, i, SHOAL_ORDER_SINGLE);
    }
    return mol;
}

/* The bound on atoms holds, what is forgotten is typed anew, and a large molecule stays alone. */
static void test_bounds(void)
{
    const typing_options o = {.max_atoms = 100};
    topology_cache *cache = topology_cache_create(&o);
    shoal_topology *kept[2] = {NULL, NULL};
    CHECK(cache != NULL);
    for (int round = 0; round < 3; ++round)
        for (int32_t n = 1; n < 40; ++n) {
            shoal_molecule *mol = make_chain(n);
            try_mol(cache, &o, mol);
            try_mol(cache, &o, mol);
            const topology_cache_counts counts = topology_cache_count(cache);
            CHECK(counts.n_atoms <= 100 && counts.n_kept > 0 && counts.n_atoms >= counts.n_kept);
            CHECK(counts.n_shared >= 39 * round + n); /* the second of a pair at least */
            shoal_molecule_destroy(mol);
        }
    CHECK(topology_cache_count(cache).n_typed > 2 * 39);
    shoal_molecule *large = make_chain(500);
    for (int k = 0; k < 2; ++k) kept[k] = type_both(cache, &o, large);
    CHECK(kept[0] == kept[1]);
    const topology_cache_counts counts = topology_cache_count(cache);
    CHECK(counts.n_kept == 1 && counts.n_atoms == 500);
    for (int k = 0; k < 2; ++k) shoal_topology_destroy(kept[k]);
    shoal_molecule_destroy(large);
    topology_cache_destroy(cache);
}

/* More molecules than there are entries, told apart by a charge. */
static void test_many(void)
{
    const typing_options o = {.max_atoms = INT32_MAX};
    topology_cache *cache = topology_cache_create(&o);
    shoal_molecule *mol = make_chain(2), *copy = chem_new();
    CHECK(cache != NULL);
    for (int32_t k = 0; k < 20000; ++k) {
        shoal_topology *t = NULL;
        shoal_topology_view view;
        CHECK(shoal_molecule_set_charge(mol, 1, k % 9000) == SHOAL_OK);
        CHECK(shoal_molecule_copy(copy, mol) == SHOAL_OK);
        CHECK(topology_cache_type(cache, copy, &t) == SHOAL_OK);
        shoal_topology_get(t, &view);
        CHECK(view.charges[1] == k % 9000);
        shoal_topology_destroy(t);
    }
    const topology_cache_counts counts = topology_cache_count(cache);
    CHECK(counts.n_kept > 3000 && counts.n_kept <= 4096 && counts.n_atoms == 2 * counts.n_kept);
    shoal_molecule_destroy(mol);
    shoal_molecule_destroy(copy);
    topology_cache_destroy(cache);
}

/* What was perceived before is typed as it is; failures are told. */
static void test_odd_calls(void)
{
    topology_cache *cache = topology_cache_create(NULL);
    shoal_topology *t = NULL;
    shoal_molecule *mol = make_amide(), *empty = chem_new();
    CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK);
    CHECK(topology_cache_type(cache, mol, &t) == SHOAL_OK);
    CHECK(shoal_topology_status(t) == SHOAL_SYSTEM_OK && topology_cache_count(cache).n_kept == 0);
    shoal_topology_destroy(t);
    const typing_options o = {.max_atoms = 0};
    try_mol(cache, &o, empty);
    CHECK(topology_cache_type(cache, NULL, &t) == SHOAL_E_ARGUMENT);
    CHECK(topology_cache_type(NULL, mol, &t) == SHOAL_E_ARGUMENT);
    topology_cache_destroy(NULL);
    topology_cache_destroy(cache);
    shoal_molecule_destroy(mol);
    shoal_molecule_destroy(empty);
}

int main(int argc, char **argv)
{
    test_files(argc - 1, argv + 1);
    test_key();
    test_key_extras();
    test_key_total();
    test_geometry();
    test_dative();
    test_bounds();
    test_many();
    test_odd_calls();
    return check_done();
}
