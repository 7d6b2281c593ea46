/* SPDX-License-Identifier: BSD-3-Clause
 * Topologies built by hand: what is refused, how terms are sorted, what the view shows. */
#include "hand_fixture.h"

#include "ff/topology.h"

static shoal_topology_builder *begin(int32_t n)
{
    static const int32_t elements[6] = {6, 6, 6, 1, 8, 7};
    shoal_topology_builder *b = NULL;
    CHECK(shoal_topology_begin(&b, n, elements) == SHOAL_OK);
    return b;
}

static void test_table(void)
{
    CHECK(shoal_term_count() == 10 && shoal_term_kind_count() == TERM_N_KINDS);
    shoal_term_kind info;
    for (int kind = 0; kind < shoal_term_kind_count(); ++kind) {
        CHECK(shoal_term_kind_get(kind, &info));
        CHECK(shoal_term_kind_by_name(info.name) == kind);
        CHECK(shoal_term_name(info.term) != NULL && info.n_atoms >= 2 && info.n_atoms <= 4);
        int names = 1, units = 1; /* as many as there are parameters */
        for (const char *c = info.parameters; *c; ++c) names += *c == ' ';
        for (const char *c = info.units; *c; ++c) units += *c == ' ';
        CHECK(names == info.n_parameters && units == info.n_parameters);
        CHECK(strstr(info.formula, "E = ") == info.formula);
        const bool degrees = info.n_atoms > 2 || info.directions != 0;
        const bool volume = kind == SHOAL_KIND_VOLUME;
        CHECK_TEXT(info.value_unit, volume ? "A^3" : degrees ? "degrees" : "A");
        const term_shape *s = &term_shapes[kind];
        for (int a = 0; a < s->n_arms; ++a) {
            CHECK(s->tip[a] >= 0 && s->tip[a] < s->n_atoms && s->base[a] >= 0);
            CHECK(s->base[a] < s->n_atoms);
            CHECK((s->tip[a] == s->base[a]) == (info.directions >> s->tip[a] & 1u));
        }
    }
    CHECK(!shoal_term_kind_get(-1, &info) && !shoal_term_kind_get(TERM_N_KINDS, &info));
    CHECK(!shoal_term_kind_get(0, NULL));
    CHECK(shoal_term_kind_by_name("spring") == -1 && shoal_term_kind_by_name(NULL) == -1);
}

#define REFUSED(call, words)                                                                       \
    do {                                                                                           \
        CHECK((call) == SHOAL_E_ARGUMENT);                                                         \
        CHECK(strstr(shoal_error_text(), words) != NULL);                                          \
    } while (0)

static void test_refused_atoms(void)
{
    shoal_topology_builder *b = NULL;
    const int32_t bad[2] = {6, 119};
    REFUSED(shoal_topology_begin(&b, 2, bad), "119");
    REFUSED(shoal_topology_begin(&b, 2, NULL), "no elements");
    REFUSED(shoal_topology_begin(NULL, 2, bad), "no place");
    REFUSED(shoal_topology_begin(&b, -1, bad), "no elements");
    b = begin(3);
    shoal_atom_parameters p = {3, 0.01, 0, 0, NULL};
    REFUSED(shoal_topology_set_atom(b, 3, &p), "atom 3, expected 0 to 2");
    REFUSED(shoal_topology_set_atom(b, 0, NULL), "no parameters");
    REFUSED(shoal_topology_set_atom(NULL, 0, &p), "no builder");
    p.vdw_x = 0;
    REFUSED(shoal_topology_set_atom(b, 0, &p), "x > 0");
    p.vdw_x = 3;
    p.vdw_d = -1;
    REFUSED(shoal_topology_set_atom(b, 0, &p), "D >= 0");
    p.vdw_d = 0;
    p.charge = NAN;
    REFUSED(shoal_topology_set_atom(b, 0, &p), "finite");
    REFUSED(shoal_topology_set_periodic(b, NULL), "directions");
    REFUSED(shoal_topology_set_periodic(NULL, (const bool[3]){0}), "no builder");
    shoal_topology_abandon(b);
    shoal_topology_abandon(NULL);
}

static void test_refused_terms(void)
{
    shoal_topology_builder *b = begin(5);
    const int32_t chain[4] = {0, 1, 2, 3}, twice[4] = {0, 1, 2, 0}, beyond[4] = {0, 1, 2, 5};
    const int32_t images[4][3] = {{0}, {0}, {0}, {1, 0, 0}};
    const double c[5] = {1, 0, 0, 0, INFINITY}, p[8] = {1, 1, 1};
    REFUSED(shoal_topology_add_bond(b, 0, 0, NULL, 1, 1), "atom 0 twice");
    REFUSED(shoal_topology_add_bond(b, 0, -1, NULL, 1, 1), "atom -1");
    REFUSED(shoal_topology_add_bond(b, 0, 1, NULL, NAN, 1), "not finite");
    REFUSED(shoal_topology_add_bond(b, 0, 1, NULL, 1, -1), "r0 is -1");
    REFUSED(shoal_topology_add_angle(b, chain, NULL, 1, c), "not finite");
    REFUSED(shoal_topology_add_angle(b, chain, NULL, 1, NULL), "no parameters");
    REFUSED(shoal_topology_add_torsion(b, twice, NULL, 1, 1, 3), "atom 0 twice");
    REFUSED(shoal_topology_add_torsion(b, beyond, NULL, 1, 1, 3), "atom 5, expected 0 to 4");
    REFUSED(shoal_topology_add_torsion(b, chain, NULL, 1, 1, 0), "1 to 6");
    REFUSED(shoal_topology_add_torsion(b, chain, NULL, 1, 1, 7), "1 to 6");
    REFUSED(shoal_topology_add_torsion(b, chain, NULL, 1, 2, 3), "1 or -1");
    REFUSED(
        shoal_topology_add_term(b, SHOAL_KIND_TORSION, chain, NULL, (const double[]){1, 1, 2.5}),
        "whole number");
    REFUSED(shoal_topology_add_inversion(b, NULL, NULL, 1, c), "no atoms");
    REFUSED(shoal_topology_add_term(b, TERM_N_KINDS, chain, NULL, p), "unknown kind");
    REFUSED(shoal_topology_add_term(b, SHOAL_KIND_PAIR_VDW, chain, NULL, p), "added as pairs");
    REFUSED(shoal_topology_add_term(NULL, SHOAL_KIND_BOND, chain, NULL, p), "no builder");
    const int32_t pi[3] = {5, 0, 1}, swapped[3] = {0, 5, 1}, two[2] = {5, 6}, same[2] = {5, 5};
    int32_t number = -1;
    REFUSED(shoal_topology_add_term(b, SHOAL_KIND_SIGMA_PI, pi, NULL, p), "direction 5");
    REFUSED(shoal_topology_add_direction(NULL, 0, 1, &number), "no builder");
    REFUSED(shoal_topology_add_direction(b, 0, 1, NULL), "no place");
    REFUSED(shoal_topology_add_direction(b, 5, 1, &number), "atom 5, expected 0 to 4");
    REFUSED(shoal_topology_add_direction(b, 0, 0, &number), "inertia 0");
    REFUSED(shoal_topology_add_direction(b, 0, INFINITY, &number), "inertia inf");
    CHECK(number == -1 && shoal_topology_add_direction(b, 0, 1, &number) == SHOAL_OK);
    CHECK(number == 5);
    REFUSED(shoal_topology_add_term(b, SHOAL_KIND_SIGMA_PI, swapped, NULL, p),
            "direction 0, expected 5 to 5");
    REFUSED(shoal_topology_add_term(b, SHOAL_KIND_BOND, pi, NULL, p), "atom 5");
    REFUSED(shoal_topology_add_term(b, SHOAL_KIND_PI_PI, two, NULL, p), "direction 6");
    CHECK(shoal_topology_add_direction(b, 1, 2.5, &number) == SHOAL_OK && number == 6);
    REFUSED(shoal_topology_add_term(b, SHOAL_KIND_PI_PI, same, NULL, p), "atom 5 twice");
    REFUSED(shoal_topology_add_term(b, SHOAL_KIND_PI_PI, two, NULL, (const double[]){1, -0.1}),
            "soft is -0.1");
    REFUSED(shoal_topology_add_term(b, SHOAL_KIND_HALF_ANGLE, chain, NULL, (const double[]){1, 4}),
            "t0 is 4");
    REFUSED(shoal_topology_exclude(b, 1, 1, NULL), "twice");
    REFUSED(shoal_topology_exclude(NULL, 0, 1, NULL), "no builder");
    REFUSED(shoal_topology_add_pair(b, NULL), "none");
    REFUSED(shoal_topology_add_pair(b, &(shoal_special_pair){.i = 0, .j = 9}), "atom 9");
    REFUSED(shoal_topology_add_pair(b, &(shoal_special_pair){.i = 0, .j = 1, .vdw_scale = NAN}),
            "scale");
    REFUSED(shoal_topology_add_pair(b, &(shoal_special_pair){.i = 0, .j = 1, .x = -1}), "x -1");
    /* Nothing of that has got in, and what is sound still does. */
    CHECK(shoal_topology_add_torsion(b, twice, images, 1, 1, 3) == SHOAL_OK);
    shoal_topology *out = NULL;
    REFUSED(shoal_topology_finish(b, SHOAL_EXCLUDE_NAMED, &out), "does not repeat");
    CHECK(out == NULL);
    b = begin(3);
    CHECK(shoal_topology_add_pair(b, &(shoal_special_pair){.i = 0, .j = 1}) == SHOAL_OK);
    CHECK(shoal_topology_add_pair(b, &(shoal_special_pair){.i = 1, .j = 0}) == SHOAL_OK);
    REFUSED(shoal_topology_finish(b, SHOAL_EXCLUDE_NAMED, &out), "special twice");
    REFUSED(shoal_topology_finish(begin(1), (shoal_exclusions)7, &out), "unknown exclusions");
    REFUSED(shoal_topology_finish(begin(1), SHOAL_EXCLUDE_NAMED, NULL), "no place");
    REFUSED(shoal_topology_finish(NULL, SHOAL_EXCLUDE_NAMED, &out), "no builder");
}

/* Terms by kind; torsions of one bond together and in one direction. */
static void test_sorted(void)
{
    shoal_topology *t = hand_topology(false, true);
    shoal_topology_view v;
    int32_t n;
    shoal_topology_get(t, &v);
    CHECK(v.n_terms == 6 + 6 + 36 + HAND_PERIODIC + 4 + 3 + 3 && v.n_special_pairs == HAND_PAIRS);
    for (int kind = 0; kind < TERM_N_KINDS; ++kind) {
        const shoal_term *terms = shoal_topology_terms(&v, kind, &n);
        for (int32_t k = 0; k < n; ++k) CHECK(terms[k].kind == kind);
    }
    CHECK(shoal_topology_terms(&v, 99, &n) == NULL && n == 0);
    const shoal_term *torsions = shoal_topology_terms(&v, SHOAL_KIND_TORSION, &n);
    int32_t n_groups = 1;
    CHECK(n == 36);
    for (int32_t k = 1; k < n; ++k)
        n_groups += torsions[k].atoms[1] != torsions[k - 1].atoms[1] ||
                    torsions[k].atoms[2] != torsions[k - 1].atoms[2];
    CHECK(n_groups == 2);
    CHECK_NEAR(v.masses[0], 1.008, 1e-12);
    CHECK_NEAR(v.masses[1], 15.999, 1e-12);
    CHECK_TEXT(v.types[2], "CX");
    CHECK_TEXT(v.types[3], "C");
    CHECK(v.has_charges);
    shoal_topology *again = hand_topology(false, true), *other = hand_topology(false, false);
    CHECK(topology_equal(t, again) && topology_hash(t) == topology_hash(again));
    CHECK(!topology_equal(t, other));
    shoal_topology_destroy(t);
    shoal_topology_destroy(again);
    shoal_topology_destroy(other);
}

/* Two atoms with a bond of constant k, mass m of the second, and perhaps without their pair. */
static shoal_topology *two_atoms(double k, double m, bool exclude)
{
    shoal_topology_builder *b = begin(3);
    shoal_topology *t = NULL;
    const shoal_atom_parameters p = {3, 0.01, 0, m, NULL};
    CHECK(shoal_topology_set_atom(b, 1, &p) == SHOAL_OK);
    CHECK(shoal_topology_add_bond(b, 0, 1, NULL, k, 1.5) == SHOAL_OK);
    if (exclude) CHECK(shoal_topology_exclude(b, 0, 2, NULL) == SHOAL_OK);
    CHECK(shoal_topology_finish(b, SHOAL_EXCLUDE_NAMED, &t) == SHOAL_OK);
    return t;
}

/* Topologies that differ in anything are not stored as one. */
static void test_equality(void)
{
    shoal_topology *a = two_atoms(30, 12, false);
    shoal_topology *others[4] = {two_atoms(30, 12, false), two_atoms(31, 12, false),
                                 two_atoms(30, 13, false), two_atoms(30, 12, true)};
    for (int k = 0; k < 4; ++k) {
        CHECK(topology_equal(a, others[k]) == (k == 0));
        shoal_topology_destroy(others[k]);
    }
    shoal_topology_destroy(a);
}

static bool excludes(const shoal_topology_view *v, int32_t i, int32_t j, int32_t a)
{
    for (int32_t e = v->exclude_start[i]; e < v->exclude_start[i + 1]; ++e)
        if (v->excluded[e].atom == j && v->excluded[e].shift[0] == a) return true;
    return false;
}

static void test_exclusions(void)
{
    const int32_t right[3] = {1, 0, 0}, shifts[3][3] = {{2, 0, 0}, {2, 0, 0}, {3, 0, 0}};
    const double c[5] = {1, 1, 0, 0, 0};
    shoal_topology_view v;
    for (int named = 0; named < 2; ++named) {
        shoal_topology_builder *b = begin(4);
        shoal_topology *t = NULL;
        CHECK(shoal_topology_set_periodic(b, (const bool[3]){true, false, false}) == SHOAL_OK);
        CHECK(shoal_topology_add_bond(b, 0, 1, right, 30, 1.5) == SHOAL_OK);
        CHECK(shoal_topology_add_angle(b, (const int32_t[]){0, 1, 2}, shifts, 1, c) == SHOAL_OK);
        CHECK(shoal_topology_exclude(b, 3, 0, right) == SHOAL_OK);
        CHECK(shoal_topology_exclude(b, 3, 0, right) == SHOAL_OK);
        CHECK(shoal_topology_exclude(b, 2, 2, right) == SHOAL_OK);
        CHECK(shoal_topology_finish(b, named ? SHOAL_EXCLUDE_NAMED : SHOAL_EXCLUDE_BONDS_AND_ANGLES,
                                    &t) == SHOAL_OK);
        shoal_topology_get(t, &v);
        CHECK(v.exclude_start[4] == (named ? 4 : 8));
        CHECK(excludes(&v, 0, 1, 1) == !named && excludes(&v, 1, 0, -1) == !named);
        CHECK(excludes(&v, 0, 2, 1) == !named && !excludes(&v, 0, 1, 0));
        CHECK(excludes(&v, 3, 0, 1) && excludes(&v, 0, 3, -1));
        CHECK(excludes(&v, 2, 2, 1) && excludes(&v, 2, 2, -1));
        /* Only differences of shifts count: the centre is at home. */
        const shoal_term *angle = terms_of(&v, SHOAL_KIND_ANGLE);
        CHECK(angle->shifts[0][0] == 0 && angle->shifts[1][0] == 0 && angle->shifts[2][0] == 1);
        shoal_topology_destroy(t);
    }
}

/* A periodic torsion has a whole n; a pair model is what topologies differ in. */
static void test_models(void)
{
    static const char table[] =
        "shoal_pair_model 1\nform lj\nhbond %s\ncoulomb plain\n%stypes\n# units: eV\n"
        "C * C E 0 0 0 0 0.7 1.9 0.004 0 -0.5\n";
    const int32_t chain[4] = {0, 1, 2, 3};
    const double h[4] = {0, -0.5, 0.5, 0}, bad[4] = {NAN};
    shoal_pair_model *plain = NULL, *bridged = NULL, *sited = NULL;
    shoal_topology *made[3] = {NULL};
    shoal_topology_view v;
    char text[256];
    (void)snprintf(text, sizeof text, table, "none", "");
    CHECK(shoal_pair_model_read_memory(&plain, text, strlen(text), "plain") == SHOAL_OK);
    (void)snprintf(text, sizeof text, table, "repulsion", "");
    CHECK(shoal_pair_model_read_memory(&bridged, text, strlen(text), "bridged") == SHOAL_OK);
    (void)snprintf(text, sizeof text, table, "none", "site C beyond 1 C 0.5\n");
    CHECK(shoal_pair_model_read_memory(&sited, text, strlen(text), "sited") == SHOAL_OK);
    for (int k = 0; k < 3; ++k) {
        shoal_topology_builder *b = begin(4);
        REFUSED(shoal_topology_set_model(NULL, plain, NULL), "no builder");
        REFUSED(shoal_topology_set_model(b, NULL, NULL), "no pair model");
        REFUSED(shoal_topology_set_model(b, sited, NULL), "without sites");
        REFUSED(shoal_topology_set_model(b, bridged, bad), "atom 0: hydrogen bonds");
        REFUSED(
            shoal_topology_add_term(b, SHOAL_KIND_PERIODIC, chain, NULL, (const double[]){1, 7, 0}),
            "0 to 6");
        REFUSED(shoal_topology_add_term(b, SHOAL_KIND_PERIODIC, chain, NULL,
                                        (const double[]){1, 1.5, 0}),
                "0 to 6");
        if (k > 0)
            CHECK(shoal_topology_set_model(b, k > 1 ? bridged : plain, k > 1 ? h : NULL) ==
                  SHOAL_OK);
        CHECK(shoal_topology_finish(b, SHOAL_EXCLUDE_NAMED, &made[k]) == SHOAL_OK);
        shoal_topology_get(made[k], &v);
        CHECK(v.model == (k > 1 ? bridged : NULL) && !v.hbonds == !k);
    }
    CHECK(v.hbonds[1] == -0.5);
    for (int k = 0; k < 3; ++k) CHECK(!topology_equal(made[k], made[(k + 1) % 3]));
    for (int k = 0; k < 3; ++k) shoal_topology_destroy(made[k]);
    shoal_pair_model_destroy(plain);
    shoal_pair_model_destroy(bridged);
    shoal_pair_model_destroy(sited);
}

int main(void)
{
    test_table();
    test_refused_atoms();
    test_refused_terms();
    test_sorted();
    test_equality();
    test_exclusions();
    test_models();
    return check_done();
}
