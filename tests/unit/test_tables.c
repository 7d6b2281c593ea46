/* SPDX-License-Identifier: BSD-3-Clause
 * Tables of elements, isotopes and UFF types: one digit that changes anywhere changes a sum. Radii are those of
 * Cordero et al. as ASE has them, outer electrons and masses of isotopes those of RDKit. */
#include "chem/element.h"
#include "chem/isotope.h"
#include "chem_fixture.h"
#include "ff/uff_table.h"

static void test_elements(void)
{
    double mass = 0, radius = 0, outer = 0, valence = 0;
    for (int32_t z = 1; z <= ELEMENT_MAX; ++z) {
        const element *e = element_get(z);
        mass += z * e->mass;
        radius += z * e->radius;
        outer += z * e->outer;
        for (int32_t k = 0; k < e->n_valences; ++k) valence += z * (k + 1) * e->valences[k];
        CHECK(shoal_element_number(e->symbol) == z);
        CHECK_TEXT(shoal_element_symbol(z), e->symbol);
    }
    CHECK_NEAR(mass, 1387034.657, 1e-6);
    CHECK_NEAR(radius, 11373.05, 1e-8);
    CHECK(outer == 40030 && valence == 13861);
    CHECK_NEAR(element_get(6)->mass, 12.011, 1e-12);
    CHECK_NEAR(element_get(6)->radius, 0.76, 1e-12);
    CHECK(shoal_element_number("ZZ") == 0 && shoal_element_number("cl") == 17);
    CHECK(shoal_element_number("") == 0 && shoal_element_number("Nat") == 0);
    CHECK_TEXT(shoal_element_symbol(0), "?");
    CHECK_TEXT(shoal_element_symbol(ELEMENT_MAX + 1), "?");
}

/* All but these; what comes behind copernicium is not known to be metal. */
static void test_metals(void)
{
    static const char others[] = " H He B C N O F Ne Si P S Cl Ar Ge As Se Br Kr Sb Te I Xe At Rn ";
    for (int32_t z = 1; z <= ELEMENT_MAX; ++z) {
        char word[8];
        (void)snprintf(word, sizeof word, " %s ", shoal_element_symbol(z));
        CHECK(element_is_metal(z) == (z <= 112 && !strstr(others, word)));
    }
    for (int32_t z = 1; z <= ELEMENT_MAX; ++z) { /* noble gases end the periods */
        const int32_t period = 1 + (z > 2) + (z > 10) + (z > 18) + (z > 36) + (z > 54) + (z > 86);
        CHECK(element_get(z)->period == period);
    }
}

static void test_isotopes(void)
{
    double sum = 0;
    int32_t n = 0;
    for (int32_t z = 1; z <= ELEMENT_MAX; ++z)
        for (int32_t a = 1; a < 300; ++a) {
            const double mass = isotope_mass(z, a);
            if (mass == a && !(z == 6 && a == 12)) continue; /* not in the table */
            CHECK_NEAR(mass, a, 0.1);
            sum += (z + a) * mass;
            ++n;
        }
    CHECK(n == 43);
    CHECK_NEAR(sum, 115881.89222384, 1e-7);
    CHECK_NEAR(isotope_mass(1, 2), 2.01410178, 1e-12);
    /* AME2020 in micro-u, of those that earlier evaluations have otherwise. */
    static const struct {
        int32_t z, a;
        double micro;
    } ame[] = {{5, 10, 10012936.862},    {5, 11, 11009305.166},    {6, 11, 11011432.597},
               {8, 15, 15003065.636},    {9, 18, 18000937.324},    {16, 35, 34969032.321},
               {16, 36, 35967080.692},   {17, 37, 36965902.573},   {35, 79, 78918337.574},
               {35, 81, 80916288.197},   {53, 125, 124904630.610}, {53, 127, 126904472.592},
               {53, 131, 130906126.375}, {9, 19, 18998403.16207}};
    for (size_t k = 0; k < sizeof ame / sizeof ame[0]; ++k)
        CHECK_NEAR(isotope_mass(ame[k].z, ame[k].a), 1e-6 * ame[k].micro, 0.51e-8);
    CHECK(isotope_mass(8, 0) == element_get(8)->mass && isotope_mass(92, 238) == 238);
}

/* Columns of data/uff.tsv, each value times the number of its row. */
static void test_uff(void)
{
    double sum[11] = {0};
    static const double want[11] = {12656.131,  846729.4,   28834.989, 1057.539,
                                    100452.812, 24424.914,  700.679,   2237.55,
                                    33182.2922, 28069.9449, 14068.325};
    int32_t row = 0;
    for (int32_t z = 1; z <= ELEMENT_MAX; ++z) {
        int32_t n;
        const uff_type *t = uff_types_of(z, &n);
        for (int32_t k = 0; k < n; ++k) {
            const double columns[11] = {t[k].r1,   t[k].theta0, t[k].x1,    t[k].d1,
                                        t[k].zeta, t[k].z1,     t[k].vi,    t[k].uj,
                                        t[k].xi,   t[k].hard,   t[k].radius};
            ++row;
            CHECK(t[k].z == z && uff_type_by_label(t[k].label) == &t[k]);
            for (int c = 0; c < 11; ++c) sum[c] += row * columns[c];
        }
    }
    CHECK(row == 127);
    for (int c = 0; c < 11; ++c) CHECK_NEAR(sum[c], want[c], 1e-6);
}

int main(void)
{
    test_elements();
    test_metals();
    test_isotopes();
    test_uff();
    return check_done();
}
