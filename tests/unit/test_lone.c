/* SPDX-License-Identifier: BSD-3-Clause
 * Systems that hold one interaction of another: alone they are what they are together, on every device. */
#include "device_fixture.h"
#include "hand_fixture.h"

#include "ff/auxiliary.h"
#include "shoal/compare.h"

enum { MOST = 4096 };

typedef struct rows {
    shoal_term_row row[MOST];
    int32_t n;
} rows;

static void keep(void *user, const shoal_term_row *row)
{
    rows *r = user;
    CHECK(r->n < MOST);
    if (r->n < MOST) r->row[r->n++] = *row;
}

static shoal_engine *evaluate(const shoal_batch *batch, const shoal_engine_options *options)
{
    shoal_engine *engine = NULL;
    CHECK(shoal_engine_create(&engine, batch, options) == SHOAL_OK);
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    return engine;
}

/* Energies and forces of all rows alone add up to those of the term. */
static void check_sum(const shoal_system *system, const shoal_engine_options *options, int term,
                      const rows *list, uint32_t flags, double most)
{
    shoal_batch *whole = NULL, *alone = NULL;
    shoal_result r;
    shoal_topology_view v;
    double energy = 0, forces[64][3] = {{0}};
    shoal_topology_get(system->topology, &v);
    const int32_t n = flags & SHOAL_LONE_OWN_ATOMS ? 0 : mover_count(&v);
    CHECK(shoal_batch_create(&whole) == SHOAL_OK && shoal_batch_create(&alone) == SHOAL_OK);
    CHECK(shoal_batch_add(whole, system) == SHOAL_OK);
    for (int32_t k = 0; k < list->n; ++k)
        CHECK(shoal_batch_add_interaction(alone, system, options, &list->row[k], flags) ==
              SHOAL_OK);
    shoal_engine *a = evaluate(whole, options), *b = evaluate(alone, options);
    for (int32_t k = 0; k < list->n; ++k) {
        CHECK(shoal_engine_result(b, k, &r) == SHOAL_OK && r.status == SHOAL_SYSTEM_OK);
        energy += r.terms[term];
        CHECK(r.energy == r.terms[term]);
        for (int32_t i = 0; i < n; ++i)
            for (int c = 0; c < 3; ++c) forces[i][c] += r.forces[i][c];
    }
    CHECK(shoal_engine_result(a, 0, &r) == SHOAL_OK);
    CHECK_NEAR(energy, r.terms[term], most * (1 + fabs(energy)));
    for (int32_t i = 0; i < n; ++i)
        for (int c = 0; c < 3; ++c) CHECK_NEAR(forces[i][c], r.forces[i][c], most * (1 + r.fmax));
    shoal_engine_destroy(a);
    shoal_engine_destroy(b);
    shoal_batch_destroy(whole);
    shoal_batch_destroy(alone);
}

/* All interactions of a term as explain lists them; an Ewald sum has none. */
static void list_rows(const shoal_system *system, const shoal_engine_options *options, rows *list)
{
    shoal_engine_options ref = *options;
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    ref.device = "ref";
    ref.precision = SHOAL_PRECISION_DOUBLE;
    list->n = 0;
    CHECK(shoal_batch_create(&batch) == SHOAL_OK && shoal_batch_add(batch, system) == SHOAL_OK);
    CHECK(shoal_engine_create(&engine, batch, &ref) == SHOAL_OK);
    CHECK(shoal_engine_explain(engine, 0, keep, list) == SHOAL_OK);
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
}

/* wanted: bits of terms that must have interactions. */
static void test_sums(const shoal_system *system, const char *device, shoal_precision precision,
                      uint32_t wanted, double most)
{
    static rows list;
    for (int term = 0; term < SHOAL_N_TERMS; ++term) {
        const shoal_engine_options options = {
            .device = device, .precision = precision, .terms_off = ~(1u << term)};
        if (term == SHOAL_TERM_SURFACE || (term == SHOAL_TERM_COULOMB && system->cell)) continue;
        list_rows(system, &options, &list);
        CHECK((list.n > 0) == (wanted >> term & 1u));
        check_sum(system, &options, term, &list, 0, most);
        check_sum(system, &options, term, &list, SHOAL_LONE_OWN_ATOMS, most);
    }
}

static void test_hand(const char *device, shoal_precision precision, double most)
{
    const double cell[3][3] = {{32, 0, 0}, {0, 32, 0}, {0, 0, 32}};
    const shoal_restraint restraints[4] = {
        {.kind = SHOAL_RESTRAINT_POSITION, .atoms = {3}, .k = 2, .target = {0.5, 1, 2}},
        {.kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {5, 0}, .k = 3, .value = 2.5},
        {.kind = SHOAL_RESTRAINT_ANGLE, .atoms = {1, 2, 6}, .k = 1, .value = 1.5},
        {.kind = SHOAL_RESTRAINT_TORSION, .atoms = {1, 2, 3, 4}, .k = 1, .value = 1}};
    for (int periodic = 0; periodic < 2; ++periodic) {
        shoal_topology *t = hand_topology(periodic, true);
        double pos[HAND_ATOMS][3];
        for (int32_t i = 0; i < HAND_ATOMS; ++i)
            for (int c = 0; c < 3; ++c)
                pos[i][c] = hand_pos[i][c] + (periodic ? 32 * hand_moved(i, c) : 0);
        const shoal_system system = {.topology = t,
                                     .pos = (const double(*)[3])pos,
                                     .cell = periodic ? cell : NULL,
                                     .restraints = restraints,
                                     .n_restraints = 4};
        test_sums(&system, device, precision, ~(1u << SHOAL_TERM_SIGMA_PI | 1u << SHOAL_TERM_PI_PI),
                  most);
        shoal_topology_destroy(t);
    }
}

/* Cells that an atom is away from home, along the first and the last vector. */
static int32_t formic_moved(int32_t i)
{
    return i % 3 - 1;
}

static shoal_molecule *make_formic(const double pos[5][3], bool periodic)
{
    static const int32_t z[5] = {6, 8, 8, 1, 1}, ends[4][2] = {{0, 1}, {0, 2}, {0, 3}, {2, 4}};
    static const double charges[5] = {.60, -.50, -.60, .05, .45};
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int32_t i = 0; i < 5; ++i) CHECK(shoal_molecule_add_atom(mol, z[i], pos[i]) == SHOAL_OK);
    for (int k = 0; k < 4; ++k) {
        const int32_t by = formic_moved(ends[k][0]) - formic_moved(ends[k][1]);
        const int32_t shift[3] = {by, 0, by};
        CHECK(shoal_molecule_add_bond(mol, ends[k][0], ends[k][1], k == 0 ? 2 : 1,
                                      periodic ? shift : NULL) == SHOAL_OK);
    }
    CHECK(shoal_molecule_set_charges(mol, charges) == SHOAL_OK);
    return mol;
}

/* Formic acid with directions and perhaps with electron pairs, which are placed by atoms that a lone interaction does
 * not have; in a box some atoms are in other cells. */
static void test_directions(const char *device, shoal_precision precision, double most)
{
    static const double home[5][3] = {
        {0, 0, 0}, {1.2, .1, 0}, {-.65, 1.15, .05}, {-.55, -.95, .1}, {-1.5, 1, .4}};
    static const double cell[3][3] = {{14, 0, 0}, {1, 13, 0}, {0, 0, 12}};
    for (int how = 0; how < 4; ++how) {
        const bool periodic = how % 2;
        const shoal_typing_options typing = {.forcefield = SHOAL_FORCEFIELD_MMFFSP3,
                                             .electron_pairs = how > 1};
        double pos[5][3];
        for (int i = 0; i < 5; ++i)
            for (int c = 0; c < 3; ++c)
                pos[i][c] = home[i][c] + (periodic && c != 1 ? formic_moved(i) * cell[c][c] : 0);
        shoal_molecule *mol = make_formic((const double(*)[3])pos, periodic);
        shoal_topology *t = NULL;
        shoal_topology_view v;
        if (periodic)
            CHECK(shoal_molecule_set_cell(mol, cell, (const bool[3]){true, true, true}) ==
                  SHOAL_OK);
        CHECK(shoal_topology_create(&t, mol, &typing) == SHOAL_OK);
        CHECK_TEXT(shoal_topology_reason(t), "");
        shoal_topology_get(t, &v);
        CHECK(v.n_directions > 1 && (v.n_pairs > 0) == (how > 1));
        const shoal_system system = {
            .topology = t, .pos = (const double(*)[3])pos, .cell = periodic ? cell : NULL};
        const uint32_t wanted = 1u << SHOAL_TERM_BOND | 1u << SHOAL_TERM_ANGLE |
                                1u << SHOAL_TERM_SIGMA_PI | 1u << SHOAL_TERM_PI_PI |
                                1u << SHOAL_TERM_VDW | 1u << SHOAL_TERM_COULOMB;
        test_sums(&system, device, precision, wanted, most);
        shoal_topology_destroy(t);
        shoal_molecule_destroy(mol);
    }
}

/* Two atoms in a cell so small that they meet through many images, and meet themselves. */
static shoal_topology *small_crystal(const double charges[2])
{
    shoal_topology_builder *b = NULL;
    shoal_topology *t = NULL;
    const int32_t elements[2] = {18, 36}, next[3] = {0, 0, 1};
    const bool pbc[3] = {true, true, true};
    CHECK(shoal_topology_begin(&b, 2, elements) == SHOAL_OK);
    for (int i = 0; i < 2; ++i)
        CHECK(shoal_topology_set_atom(b, i,
                                      &(shoal_atom_parameters){.vdw_x = 3.8 + 0.3 * i,
                                                               .vdw_d = 0.01,
                                                               .charge = charges[i]}) == SHOAL_OK);
    CHECK(shoal_topology_set_periodic(b, pbc) == SHOAL_OK);
    CHECK(shoal_topology_exclude(b, 0, 1, next) == SHOAL_OK);
    CHECK(shoal_topology_finish(b, SHOAL_EXCLUDE_NAMED, &t) == SHOAL_OK);
    return t;
}

static void test_images(const char *device, shoal_precision precision, double most)
{
    static rows list;
    const double cell[3][3] = {{5, 0, 0}, {1, 5.5, 0}, {-1, 0.5, 6}};
    const double pos[2][3] = {{0.1, 0.2, 0.3}, {2.6, 2.9, 3.2}}, none[2] = {0, 0};
    shoal_topology *t = small_crystal(none);
    const shoal_system system = {.topology = t, .pos = pos, .cell = cell};
    const shoal_engine_options options = {
        .device = device, .precision = precision, .terms_off = ~(1u << SHOAL_TERM_VDW)};
    list_rows(&system, &options, &list);
    CHECK(list.n > 50);
    check_sum(&system, &options, SHOAL_TERM_VDW, &list, 0, most);
    check_sum(&system, &options, SHOAL_TERM_VDW, &list, SHOAL_LONE_OWN_ATOMS, most);
    /* The same sum in three: each with its own images, and the two with each other. */
    list.n = 0;
    for (int k = 0; k < 3; ++k)
        list.row[list.n++] = (shoal_term_row){.term = SHOAL_TERM_VDW,
                                              .kind = -1,
                                              .index = -1,
                                              .n_atoms = 2,
                                              .atoms = {{.atom = k == 1}, {.atom = k > 0}}};
    check_sum(&system, &options, SHOAL_TERM_VDW, &list, SHOAL_LONE_IMAGES, most);
    check_sum(&system, &options, SHOAL_TERM_VDW, &list, SHOAL_LONE_IMAGES | SHOAL_LONE_OWN_ATOMS,
              most);
    shoal_topology_destroy(t);
}

/* A lattice of two charges is the whole Coulomb sum of a cell with two. */
static void test_lattice(const char *device, shoal_precision precision, double most)
{
    static rows list;
    const double cell[3][3] = {{5, 0, 0}, {1, 5.5, 0}, {-1, 0.5, 6}};
    const double pos[2][3] = {{0.1, 0.2, 0.3}, {2.6, 2.9, 3.2}}, charges[2] = {0.8, -0.5};
    shoal_topology *t = small_crystal(charges);
    const shoal_system system = {.topology = t, .pos = pos, .cell = cell};
    const shoal_engine_options options = {
        .device = device, .precision = precision, .terms_off = ~(1u << SHOAL_TERM_COULOMB)};
    list.n = 1;
    list.row[0] = (shoal_term_row){.term = SHOAL_TERM_COULOMB,
                                   .kind = -1,
                                   .index = -1,
                                   .n_atoms = 2,
                                   .atoms = {{.atom = 0}, {.atom = 1}}};
    check_sum(&system, &options, SHOAL_TERM_COULOMB, &list, 0, most);
    shoal_topology_destroy(t);
}

static shoal_topology *charged_chain(double a, double b)
{
    shoal_topology_builder *builder = NULL;
    shoal_topology *t = NULL;
    const int32_t elements[2] = {18, 36};
    CHECK(shoal_topology_begin(&builder, 2, elements) == SHOAL_OK);
    for (int i = 0; i < 2; ++i)
        CHECK(shoal_topology_set_atom(
                  builder, i,
                  &(shoal_atom_parameters){.vdw_x = 3.8, .vdw_d = 0, .charge = i ? b : a}) ==
              SHOAL_OK);
    CHECK(shoal_topology_set_periodic(builder, (const bool[3]){true, false, false}) == SHOAL_OK);
    CHECK(shoal_topology_finish(builder, SHOAL_EXCLUDE_NAMED, &t) == SHOAL_OK);
    return t;
}

/* A chain has no background: charges of 0.8 and -0.5 act as +-sqrt(0.4), one with its own images not at all. */
static void test_chain(void)
{
    const double cell[3][3] = {{5, 0, 0}, {0, 20, 0}, {0, 0, 20}};
    const double pos[2][3] = {{0.1, 0.2, 0.3}, {2.3, 1.9, 0.2}}, even = sqrt(0.4);
    const shoal_engine_options options = {.device = "cpu",
                                          .precision = SHOAL_PRECISION_DOUBLE,
                                          .terms_off = ~(1u << SHOAL_TERM_COULOMB)};
    shoal_topology *uneven = charged_chain(0.8, -0.5), *neutral = charged_chain(even, -even);
    const shoal_system system = {.topology = uneven, .pos = pos, .cell = cell},
                       like = {.topology = neutral, .pos = pos, .cell = cell};
    shoal_batch *batch = NULL;
    shoal_result r[3];
    CHECK(shoal_batch_create(&batch) == SHOAL_OK && shoal_batch_add(batch, &like) == SHOAL_OK);
    for (int k = 0; k < 2; ++k) {
        const shoal_term_row row = {.term = SHOAL_TERM_COULOMB,
                                    .kind = -1,
                                    .index = -1,
                                    .n_atoms = 2,
                                    .atoms = {{.atom = 0}, {.atom = k}}};
        CHECK(shoal_batch_add_interaction(batch, &system, &options, &row, 0) == SHOAL_OK);
    }
    shoal_engine *engine = evaluate(batch, &options);
    for (int k = 0; k < 3; ++k)
        CHECK(shoal_engine_result(engine, k, &r[k]) == SHOAL_OK && r[k].status == SHOAL_SYSTEM_OK);
    CHECK(r[0].energy < -0.1 && r[1].energy == 0);
    CHECK_NEAR(r[2].energy, r[0].energy, 1e-12);
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
    shoal_topology_destroy(uneven);
    shoal_topology_destroy(neutral);
}

static void test_refusals(void)
{
    shoal_topology *t = hand_topology(false, true);
    shoal_batch *batch = NULL;
    const shoal_system system = {.topology = t, .pos = hand_pos};
    const shoal_term_row wrong[] = {
        {.term = SHOAL_TERM_BOND, .kind = SHOAL_KIND_BOND, .index = 6, .n_atoms = 2},
        {.term = SHOAL_TERM_BOND, .kind = SHOAL_KIND_ANGLE, .n_atoms = 3},
        {.term = SHOAL_TERM_BOND, .kind = -1, .n_atoms = 2},
        {.term = 99, .kind = -1, .n_atoms = 2},
        {.term = SHOAL_TERM_RESTRAINT, .kind = -1, .index = 0, .n_atoms = 1},
        {.term = SHOAL_TERM_VDW, .kind = -1, .n_atoms = 2, .atoms = {{.atom = 3}, {.atom = 3}}},
        {.term = SHOAL_TERM_VDW, .kind = -1, .n_atoms = 2, .atoms = {{.atom = 3}, {.atom = 7}}},
        {.term = SHOAL_TERM_VDW, .kind = -1, .n_atoms = 2, .atoms = {{.atom = 0}, {.atom = 1}}},
        {.term = SHOAL_TERM_VDW,
         .kind = -1,
         .n_atoms = 2,
         .atoms = {{.atom = 0}, {.atom = 6, .shift = {1, 0, 0}}}}};
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; ++k) {
        CHECK(shoal_batch_add_interaction(batch, &system, NULL, &wrong[k], 0) == SHOAL_E_ARGUMENT);
        CHECK(shoal_error_text()[0] != '\0');
    }
    CHECK(shoal_batch_size(batch) == 0);
    shoal_batch_destroy(batch);
    shoal_topology_destroy(t);
}

/* Errors of an interaction are measured by less than those of whole systems. */
static void test_least(void)
{
    const double terms[SHOAL_N_TERMS] = {0}, forces[2][1][3] = {{{0.001, 0, 0}}, {{0.00101, 0, 0}}};
    shoal_result r[2];
    shoal_comparison whole, pair;
    for (int k = 0; k < 2; ++k)
        r[k] = (shoal_result){.energy = 0.002 + 1e-5 * k,
                              .n_terms = SHOAL_N_TERMS,
                              .terms = terms,
                              .forces = forces[k]};
    shoal_compare(&r[0], &r[1], 1, &whole);
    shoal_compare_interaction(&r[0], &r[1], 1, SHOAL_TERM_VDW, false, &pair);
    CHECK_NEAR(whole.verdict, 1e-5, 1e-12);
    CHECK_NEAR(pair.verdict, 1e-2, 1e-12);
    CHECK_NEAR(pair.energy_error, 1e-5 / 0.003, 1e-12);
}

int main(void)
{
    const char *device = find_test_device();
    const char *const devices[3] = {"ref", "cpu", device};
    for (int d = 0; d < (device ? 3 : 2); ++d) {
        const shoal_precision precision = d < 2 ? SHOAL_PRECISION_DOUBLE : SHOAL_PRECISION_FLOAT;
        const double most = d < 2 ? 1e-9 : 2e-5;
        test_hand(devices[d], precision, most);
        test_directions(devices[d], precision, most);
        test_images(devices[d], precision, most);
        test_lattice(devices[d], precision, most);
    }
    test_refusals();
    test_chain();
    test_least();
    return check_done();
}
