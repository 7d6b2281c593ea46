/* SPDX-License-Identifier: BSD-3-Clause
 * Rows of single interactions: they add up to the energies by term, images and switches included, and say values in the
 * units of users. */
#include "driver_fixture.h"
#include "periodic_fixture.h"

typedef struct table {
    double sums[SHOAL_N_TERMS];
    int32_t n_restraints;
    double aims[8], values[8];
} table;

static void take_row(void *user, const shoal_term_row *row)
{
    table *t = user;
    t->sums[row->term] += row->energy;
    if (row->term != SHOAL_TERM_RESTRAINT || t->n_restraints == 8) return;
    t->values[t->n_restraints] = row->value;
    t->aims[t->n_restraints++] = row->parameters[1];
}

/* Cells much smaller than the cut-off, so that atoms meet their own images, and pairs within the switch. */
static void test_sums(void)
{
    static set s;
    static const int32_t argon[2] = {18, 18};
    static const double pair[2][3] = {{0, 0, 0}, {3.1, 2.2, 1.4}};
    static const double skew[3][3] = {{7, 0, 0}, {2.5, 6.5, 0}, {-1.5, 2, 6}};
    const shoal_engine_options o = {
        .device = "cpu", .precision = SHOAL_PRECISION_DOUBLE, .vdw_cutoff = 9};
    shoal_result r;
    for (int n = 0; n <= 3; ++n)
        (void)periodic_add(&s, periodic_molecule(2, argon, pair, NULL, skew, n), "argon", 0.0);
    (void)periodic_add(&s, periodic_water(), "water", 0.03);
    (void)periodic_add(&s, periodic_silica(periodic_skew), "silica", 0.05);
    shoal_engine *engine = set_engine(&s, NULL, s.n, &o);
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    for (int32_t i = 0; i < s.n; ++i) {
        table t = {.n_restraints = 0};
        CHECK(shoal_engine_result(engine, i, &r) == SHOAL_OK && r.status == SHOAL_SYSTEM_OK);
        CHECK(shoal_engine_explain(engine, i, take_row, &t) == SHOAL_OK);
        for (int k = 0; k < SHOAL_N_TERMS; ++k)
            if (k != SHOAL_TERM_COULOMB)
                CHECK_NEAR(t.sums[k], r.terms[k], 1e-9 * (1 + fabs(r.terms[k])));
        CHECK(t.sums[SHOAL_TERM_VDW] != 0);
    }
    shoal_engine_destroy(engine);
    set_free(&s);
}

/* Angles and torsions are told in degrees, distances in angstrom. */
static void test_units(void)
{
    static set s;
    static const int32_t argon[4] = {18, 18, 18, 18};
    static const double pos[4][3] = {{4, 0, 0}, {0, 0, 0}, {0, 4, 0}, {0, 4, 5}};
    static const double none[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    shoal_restraint held[3] = {
        {.kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 1}, .k = 1, .value = 3},
        {.kind = SHOAL_RESTRAINT_ANGLE, .atoms = {0, 1, 2}, .k = 1, .value = 1.5},
        {.kind = SHOAL_RESTRAINT_TORSION, .atoms = {0, 1, 2, 3}, .k = 1, .value = 1}};
    const double degree = 57.295779513082321;
    table t = {.n_restraints = 0};
    shoal_result r;
    set_system *sys = periodic_add(&s, periodic_molecule(4, argon, pos, NULL, none, 0), "argon", 0);
    for (int k = 0; k < 3; ++k) restrain(sys, held[k]);
    shoal_engine *engine = set_engine(
        &s, NULL, 1, &(shoal_engine_options){.device = "cpu", .precision = SHOAL_PRECISION_DOUBLE});
    CHECK(shoal_engine_eval(engine) == SHOAL_OK && shoal_engine_result(engine, 0, &r) == SHOAL_OK);
    CHECK(shoal_engine_explain(engine, 0, take_row, &t) == SHOAL_OK && t.n_restraints == 3);
    CHECK_NEAR(t.aims[0], 3, 1e-12);
    CHECK_NEAR(t.aims[1], 1.5 * degree, 1e-9);
    CHECK_NEAR(t.aims[2], degree, 1e-9);
    CHECK_NEAR(t.values[0], 4, 1e-12);
    CHECK_NEAR(t.values[1], 90, 1e-9);
    CHECK_NEAR(fabs(t.values[2]), 90, 1e-9);
    CHECK_NEAR(t.sums[SHOAL_TERM_RESTRAINT], r.terms[SHOAL_TERM_RESTRAINT], 1e-12);
    shoal_engine_destroy(engine);
    set_free(&s);
}

static void take_json(void *user, const shoal_term_row *row)
{
    const set_system *sys = ((void **)user)[0];
    shoal_topology_view v;
    shoal_topology_get(sys->topology, &v);
    shoal_explain_json(row, &v, ((void **)user)[1]);
}

/* Two argon atoms: x = 3.868 A and D = 0.185 kcal/mol = 0.0080224 eV of UFF, under their names. */
static void test_json(void)
{
    static set s;
    static const int32_t argon[2] = {18, 18};
    static const double pos[2][3] = {{0, 0, 0}, {4, 0, 0}};
    static const double none[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    shoal_json json = {0};
    set_system *sys = periodic_add(&s, periodic_molecule(2, argon, pos, NULL, none, 0), "argon", 0);
    restrain(sys, (shoal_restraint){
                      .kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 1}, .k = 2, .value = 3});
    shoal_engine *engine = set_engine(
        &s, NULL, 1, &(shoal_engine_options){.device = "cpu", .precision = SHOAL_PRECISION_DOUBLE});
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    CHECK(shoal_engine_explain(engine, 0, take_json, (void *[]){sys, &json}) == SHOAL_OK);
    const char *text = shoal_string_data(json.text);
    CHECK(strstr(text,
                 "\"atoms\":[0,1],\"types\":[\"Ar4+4\",\"Ar4+4\"],\"parameters\":{\"x\":3.868,"
                 "\"D\":0.0080223"));
    CHECK(strstr(text,
                 "\"parameters\":{\"k\":2,\"value\":3},\"value\":4,\"unit\":\"A\",\"energy\":1"));
    shoal_json_free(&json);
    shoal_engine_destroy(engine);
    set_free(&s);
}

int main(void)
{
    test_sums();
    test_units();
    test_json();
    return check_done();
}
