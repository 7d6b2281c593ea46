/* SPDX-License-Identifier: BSD-3-Clause
 * Types and charges of MMFF94 against tests/cases/mmff94.sdf, which RDKit made; any order of atoms; what has none. */
#include "ff/mmff94.h"
#include "uff_fixture.h"

static const shoal_typing_options with_charges = {.charges = SHOAL_CHARGES_MMFF94};

static void check_record(shoal_molecule *mol, arena *scratch)
{
    const char *types = shoal_molecule_property(mol, "types");
    const char *charges = shoal_molecule_property(mol, "charges");
    shoal_topology *t;
    mmff94 m;
    CHECK(shoal_topology_create(&t, mol, &with_charges) == SHOAL_OK);
    CHECK(mmff94_assign(&m, mol, false, t, scratch) == SHOAL_OK);
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        char *end;
        const long want = strtol(types, &end, 10);
        if (m.type[i] != want)
            printf("%s, atom %d: type %d, expected %ld\n", mol->name, i, m.type[i], want);
        CHECK(m.type[i] == want);
        types = end;
        CHECK_NEAR(m.charge[i], strtod(charges, &end), 2e-6);
        charges = end;
    }
    shoal_topology_destroy(t);
}

/* Of 96 types all but N5 (79), which wants two lone pairs in one ring of five. */
static void test_cases(void)
{
    fixture f;
    arena scratch = {0};
    int n = 0;
    fixture_open_file(&f, SHOAL_TEST_DATA "/mmff94.sdf");
    while (fixture_next(&f) == SHOAL_OK && f.found) {
        check_record(f.mol, &scratch);
        arena_reset(&scratch);
        ++n;
    }
    CHECK(n > 100);
    shoal_reader_destroy(f.reader);
    shoal_molecule_destroy(f.mol);
    arena_free(&scratch);
}

/* UFF with these charges: they are those of the topology, and take the place of others. */
static void test_as_source(void)
{
    uff u;
    shoal_molecule *mol = chem_drawn("O H H", "0-1 0-2");
    CHECK(shoal_molecule_set_charges(mol, (const double[]){1, 2, 3}) == SHOAL_OK);
    uff_make_typed(&u, mol, &with_charges);
    CHECK(u.view.has_charges);
    CHECK_NEAR(u.view.charges[0], -0.86, 1e-12);
    CHECK_NEAR(u.view.charges[1], 0.43, 1e-12);
    CHECK_TEXT(u.view.types[0], "O_3");
    CHECK_NEAR(mol->charge[2], 3, 0);
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

static void check_reason(const char *atoms, const char *bonds, const char *reason)
{
    uff u;
    shoal_molecule *mol = chem_drawn(atoms, bonds);
    uff_make(&u, mol, &with_charges);
    CHECK(shoal_topology_status(u.topology) == SHOAL_SYSTEM_UNTYPED);
    CHECK_TEXT(shoal_topology_reason(u.topology), reason);
    uff_free(&u);
    shoal_molecule_destroy(mol);
}

static void test_refusals(void)
{
    check_reason("B H H H", "0-1 0-2 0-3", "atom 0 (B): MMFF94 has no type for this element");
    check_reason("H H", "0-1",
                 "atom 0 (H, 1 bond, valence 1, charge 0): no rule of MMFF94 gives it a type");
    check_reason("Zn C C H H H H H H", "0-1 0-2 1-3 1-4 1-5 2-6 2-7 2-8",
                 "atom 0 (Zn, 2 bonds): MMFF94 knows this element as an ion, without bonds");
}

/* Benzene twice, its atoms and bonds in another order. */
static void test_order(void)
{
    uff u, v;
    shoal_molecule *a = chem_drawn("C C C C C C O H H H H H H",
                                   "0=1 1-2 2=3 3-4 4=5 5-0 0-6 6-7 1-8 2-9 3-10 4-11 5-12");
    shoal_molecule *b = chem_drawn("H O H H H H H C C C C C C",
                                   "12-2 11-3 10-4 9-5 8-6 1-0 7-1 12-7 11=12 10-11 9=10 8-9 7=8");
    uff_make_typed(&u, a, &with_charges);
    uff_make_typed(&v, b, &with_charges);
    CHECK_NEAR(u.view.charges[0], 0.0825, 1e-9);
    CHECK_NEAR(u.view.charges[7], 0.45, 1e-9);
    CHECK_NEAR(v.view.charges[7], u.view.charges[0], 0);
    CHECK_NEAR(v.view.charges[0], u.view.charges[7], 0);
    CHECK_NEAR(v.view.charges[1], u.view.charges[6], 0);
    uff_free(&u);
    uff_free(&v);
    shoal_molecule_destroy(a);
    shoal_molecule_destroy(b);
}

int main(void)
{
    test_cases();
    test_as_source();
    test_refusals();
    test_order();
    return check_done();
}
