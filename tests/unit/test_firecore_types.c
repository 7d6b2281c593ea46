/* SPDX-License-Identifier: BSD-3-Clause
 * Types and bond orders of the firecore dialect: from given bonds, from coordinates, and in any order of the
 * atoms. */
#include "uff_fixture.h"

static const shoal_typing_options firecore = {.dialect = SHOAL_DIALECT_FIRECORE};

/* Labels of the atoms before the hydrogens, atom i of the record being atom at[i] of the topology. */
static void check_labels(const uff *u, const int32_t *at, const char *want)
{
    char text[CHEM_TEXT] = "";
    int used = 0;
    for (int32_t i = 0; i < u->view.n_atoms && u->view.types[at[i]][0] != 'H'; ++i)
        used += snprintf(text + used, CHEM_TEXT - (size_t)used, "%s%s", i ? " " : "",
                         u->view.types[at[i]]);
    CHECK_TEXT(text, want);
}

static double order_between(const uff *u, int32_t i, int32_t j)
{
    for (int32_t b = 0; b < terms_count(&u->view, SHOAL_KIND_BOND); ++b) {
        const shoal_term *t = &terms_of(&u->view, SHOAL_KIND_BOND)[b];
        const int32_t a = t->atoms[0], c = t->atoms[1];
        if ((a == i && c == j) || (a == j && c == i)) return t->p[SHOAL_BOND_ORDER];
    }
    return -1;
}

/* "0-1:1.5 1-2:1" */
static void check_orders(const uff *u, const int32_t *at, const char *want)
{
    for (const char *s = want; *s;) {
        char *end;
        const long i = strtol(s, &end, 10), j = strtol(end + 1, &end, 10);
        CHECK_NEAR(order_between(u, at[i], at[j]), strtod(end + 1, &end), 0);
        s = end + strspn(end, " ");
    }
}

static void check_molecule(fixture *f, shoal_molecule *mol, const int32_t *at)
{
    const int before = check_failures;
    uff u;
    uff_make_typed(&u, mol, &firecore);
    check_labels(&u, at, fixture_property(f, "expect"));
    check_orders(&u, at, fixture_property(f, "orders"));
    if (check_failures > before) (void)printf("in %s\n", shoal_molecule_name(f->mol));
    uff_free(&u);
}

static void test_table(void)
{
    fixture f;
    int32_t n = 0, in_place[64];
    for (int32_t i = 0; i < 64; ++i) in_place[i] = i;
    fixture_open_file(&f, SHOAL_TEST_DATA "/firecore.sdf");
    for (; fixture_next(&f) == SHOAL_OK && f.found; ++n) check_molecule(&f, f.mol, in_place);
    fixture_close(&f);
    CHECK(n == 45);
}

/* Neither the file's orders nor the order of atoms matter. */
static void test_from_coordinates(void)
{
    fixture f;
    uint64_t seed = 5;
    fixture_open_file(&f, SHOAL_TEST_DATA "/firecore.sdf");
    while (fixture_next(&f) == SHOAL_OK && f.found) {
        int32_t order[64], at[64];
        bool charged = false;
        for (int32_t i = 0; i < f.mol->n_atoms; ++i) charged |= f.mol->formal_charge[i] != 0;
        if (charged) continue;
        chem_shuffle(order, f.mol->n_atoms, &seed);
        for (int32_t i = 0; i < f.mol->n_atoms; ++i) at[order[i]] = i;
        shoal_molecule *bare = chem_bare(f.mol, order);
        check_molecule(&f, bare, at);
        shoal_molecule_destroy(bare);
    }
    fixture_close(&f);
}

int main(void)
{
    test_table();
    test_from_coordinates();
    return check_done();
}
