/* SPDX-License-Identifier: BSD-3-Clause
 * Tables of elements, isotopes and UFF types: one digit that changes anywhere changes a sum. Radii are those of
 * Cordero et al. as ASE has them, outer electrons and masses of isotopes those of RDKit. */
#include "chem/charge_states.h"
#include "chem/element.h"
#include "chem/isotope.h"
#include "chem_fixture.h"
#include "ff/topology.h"
#include "ff/uff_table.h"
#include "shoal/surface.h"

/* Sums that follow. */
#define N_UFF4MOF 98
#define UFF4MOF_R1 1357583.215000
#define UFF4MOF_THETA 104277977.850000
#define N_SLABS 9956
#define SLAB_LENGTHS 20451197.128000
#define SLAB_C 4359854.069900
#define SLAB_CHARGES 1460617.923200
#define N_CHARGES 225339
#define CHARGES -941882
#define PRICES 1556112208
#define NORMAL 961
#define HIGHEST 3139
#define DONATED 1389330

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

/* Columns of data/uff4mof.tsv by the sum of the characters of a label. */
static void test_uff4mof(void)
{
    FILE *file = fopen(SHOAL_TEST_DATA "/../../data/uff4mof.tsv", "r");
    char line[1024], label[16];
    double sum[2] = {0}, r1, theta;
    int n = 0;
    while (file && fgets(line, sizeof line, file)) {
        if (line[0] == '#' || sscanf(line, "%15s %*s %lf %lf", label, &r1, &theta) != 3) continue;
        const uff_type *t = uff4mof_type_by_label(label);
        int weight = 0;
        for (const char *c = label; *c; ++c) weight = 3 * weight + *c;
        CHECK(t && t->r1 == r1 && t->theta0 == theta);
        sum[0] += weight * r1;
        sum[1] += weight * theta;
        ++n;
    }
    if (file) (void)fclose(file);
    CHECK(n == N_UFF4MOF);
    CHECK_NEAR(sum[0], UFF4MOF_R1, 1e-6);
    CHECK_NEAR(sum[1], UFF4MOF_THETA, 1e-4);
}

/* Constants of slabs and charges of their atoms, each with a weight of its own; some by name, as ASE has them, too. */
static void test_slabs(void)
{
    double length = 0, c = 0, charge = 0;
    int n = 0;
    for (int kind = 0; kind < SHOAL_N_SLABS; ++kind)
        for (int32_t a = 1; a <= ELEMENT_MAX; ++a)
            for (int32_t b = 0; b <= ELEMENT_MAX; ++b) {
                const int weight = kind + 1 + 3 * a + 7 * b;
                const double edge = shoal_slab_constant((shoal_slab_kind)kind, a, b);
                n += edge > 0;
                length += weight * edge;
                c += weight * shoal_slab_constant_c((shoal_slab_kind)kind, a, b);
                charge += weight * shoal_slab_charge((shoal_slab_kind)kind, a, b);
            }
    CHECK(n == N_SLABS);
    CHECK_NEAR(length, SLAB_LENGTHS, 1e-4);
    CHECK_NEAR(c, SLAB_C, 1e-4);
    CHECK_NEAR(charge, SLAB_CHARGES, 1e-4);
    static const struct {
        shoal_slab_kind kind;
        int32_t a, b;
        double edge;
    } known[] = {{SHOAL_SLAB_ROCKSALT, 11, 17, 5.64}, {SHOAL_SLAB_FCC111, 79, 0, 4.08},
                 {SHOAL_SLAB_FCC100, 13, 0, 4.05},    {SHOAL_SLAB_FCC110, 46, 0, 3.89},
                 {SHOAL_SLAB_BCC110, 26, 0, 2.87},    {SHOAL_SLAB_BCC100, 74, 0, 3.16},
                 {SHOAL_SLAB_BCC111, 42, 0, 3.15},    {SHOAL_SLAB_HCP0001, 12, 0, 3.21},
                 {SHOAL_SLAB_GRAPHENE, 6, 0, 2.46}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; ++k)
        CHECK_NEAR(shoal_slab_constant(known[k].kind, known[k].a, known[k].b), known[k].edge, 0.01);
    CHECK_NEAR(shoal_slab_charge(SHOAL_SLAB_ROCKSALT, 12, 8), 1.8, 1e-12);
    CHECK_NEAR(shoal_slab_charge(SHOAL_SLAB_ROCKSALT, 28, 8), 2 * 0.5552, 1e-12);
    CHECK_NEAR(shoal_slab_charge(SHOAL_SLAB_FLUORITE111, 20, 9), 1.8, 1e-12);
    CHECK_NEAR(shoal_slab_charge(SHOAL_SLAB_FLUORITE111, 58, 8), 4 * 0.5552, 1e-12);
    CHECK_NEAR(shoal_slab_charge(SHOAL_SLAB_BORON_NITRIDE, 5, 7), 0.4, 1e-12);
}

/* Charges and their prices: of every element, valence, degree, number of metals; and valences. */
static void test_charges(void)
{
    double sum[2] = {0}, normal = 0, highest = 0, donated = 0;
    int n = 0;
    for (int32_t z = 1; z <= ELEMENT_MAX; ++z) {
        normal += z * valence_normal(z);
        highest += z * valence_highest(z);
        for (int32_t valence = 0; valence < 10; ++valence)
            for (int32_t degree = 0; degree < 5; ++degree)
                for (int32_t metals = 0; metals < 3; ++metals) {
                    charge_state states[CHARGE_STATES_MOST];
                    const charge_site site = {.z = z,
                                              .degree = degree,
                                              .n_metal = metals,
                                              .is_aminoxyl = z == 8 && degree == 1};
                    const int32_t found = charge_states(&site, valence, states);
                    const int weight = z + 3 * valence + 5 * degree + 7 * metals;
                    donated += weight * valence_donated(z, valence_normal(z), valence, metals);
                    for (int32_t k = 0; k < found; ++k) {
                        sum[0] += (weight + 2 * k) * states[k].charge;
                        sum[1] += (weight + 2 * k) * (double)states[k].cost;
                    }
                    n += found;
                }
    }
    CHECK(n == N_CHARGES && sum[0] == CHARGES && sum[1] == PRICES);
    CHECK(normal == NORMAL && highest == HIGHEST && donated == DONATED);
}

int main(void)
{
    test_uff4mof();
    test_slabs();
    test_charges();
    test_elements();
    test_metals();
    test_isotopes();
    test_uff();
    return check_done();
}
