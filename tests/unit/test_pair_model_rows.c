/* SPDX-License-Identifier: BSD-3-Clause
 * Single interactions of pair models: rows add up to their terms and have the parameters of the pair, and a system that
 * holds one of them alone has its energy. */
#include "pair_model_fixture.h"
#include "shoal/compare.h"

enum { MOST_ROWS = 8192 };

typedef struct rows {
    shoal_term_row row[MOST_ROWS];
    int32_t n;
} rows;

static void keep(void *user, const shoal_term_row *row)
{
    rows *r = user;
    CHECK(r->n < MOST_ROWS);
    if (r->n < MOST_ROWS) r->row[r->n++] = *row;
}

static shoal_engine *evaluate(const shoal_batch *batch, const shoal_engine_options *o)
{
    shoal_engine *engine = NULL;
    CHECK(shoal_engine_create(&engine, batch, o) == SHOAL_OK);
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    return engine;
}

/* R0, E0 and H of the table, radii less what charges take; charges with the root of lambda. */
static void check_parameters(const shoal_term_row *row, const shoal_topology_view *v,
                             const model_case *c)
{
    const int32_t i = row->atoms[0].atom, j = row->atoms[1].atom;
    if (row->term == SHOAL_TERM_COULOMB) {
        CHECK(row->parameters[0] == v->charges[i] && row->parameters[1] == v->charges[j]);
        return;
    }
    CHECK(i < v->n_atoms && j < v->n_atoms);
    const double h = v->hbonds[i] * v->hbonds[j];
    CHECK_NEAR(row->parameters[0], 0.5 * v->vdw_x[i] + 0.5 * v->vdw_x[j], 1e-14);
    CHECK_NEAR(row->parameters[1], sqrt(v->vdw_d[i] * v->vdw_d[j]), 1e-16);
    CHECK(row->parameters[2] == (c->hbond != SHOAL_HBOND_NONE && h < 0 ? h : 0));
}

/* Rows of one system by themselves, as systems of their own or among all atoms. */
static void check_alone(const shoal_system *system, const shoal_engine_options *o, const rows *list,
                        uint32_t flags, double want, double most)
{
    shoal_batch *batch = NULL;
    double sum = 0;
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    for (int32_t k = 0; k < list->n; ++k)
        CHECK(shoal_batch_add_interaction(batch, system, o, &list->row[k], flags) == SHOAL_OK);
    shoal_engine *engine = evaluate(batch, o);
    for (int32_t k = 0; k < list->n; ++k) {
        shoal_result r;
        CHECK(shoal_engine_result(engine, k, &r) == SHOAL_OK && r.status == SHOAL_SYSTEM_OK);
        CHECK_NEAR(r.energy, list->row[k].energy, most * (1 + fabs(list->row[k].energy)));
        sum += r.energy;
    }
    CHECK_NEAR(sum, want, most * (1 + fabs(want)) * 10);
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
}

static void check_term(const shoal_system *system, const model_case *c, int term)
{
    static rows list;
    shoal_engine_options o = {.device = "ref", .terms_off = ~(1u << term), .vdw_cutoff = 7};
    shoal_batch *batch = NULL;
    shoal_topology_view v;
    shoal_result r;
    double sum = 0;
    list.n = 0;
    shoal_topology_get(system->topology, &v);
    CHECK(shoal_batch_create(&batch) == SHOAL_OK && shoal_batch_add(batch, system) == SHOAL_OK);
    shoal_engine *engine = evaluate(batch, &o);
    CHECK(shoal_engine_explain(engine, 0, keep, &list) == SHOAL_OK);
    CHECK(shoal_engine_result(engine, 0, &r) == SHOAL_OK);
    bool sites = false;
    for (int32_t k = 0; k < list.n; ++k) {
        sum += list.row[k].energy;
        check_parameters(&list.row[k], &v, c);
        sites = sites || list.row[k].atoms[1].atom >= v.n_atoms;
    }
    CHECK_NEAR(sum, r.energy, 1e-11 * (1 + fabs(sum)));
    CHECK(sites == (term == SHOAL_TERM_COULOMB && c->sites && list.n > 0));
    CHECK((list.n == 0) == (r.energy == 0));
    check_alone(system, &o, &list, SHOAL_LONE_OWN_ATOMS, r.energy, 1e-11);
    check_alone(system, &o, &list, 0, r.energy, 1e-11);
    o.device = "cpu";
    o.precision = SHOAL_PRECISION_DOUBLE;
    check_alone(system, &o, &list, SHOAL_LONE_OWN_ATOMS, r.energy, 1e-9);
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
}

static void check_case(shoal_molecule *mol, const model_case *c)
{
    static set s;
    s.n = 0;
    model_add(&s, mol, c, 0);
    const bool periodic = s.systems[0].cell[0][0] != 0;
    const shoal_system system = {.topology = s.systems[0].topology,
                                 .pos = (const double(*)[3])s.systems[0].pos,
                                 .cell = (const double(*)[3])s.systems[0].cell};
    check_term(&system, c, SHOAL_TERM_VDW);
    if (!periodic) check_term(&system, c, SHOAL_TERM_COULOMB); /* no rows of an Ewald sum */
    set_free(&s);
    shoal_molecule_destroy(mol);
}

/* Two waters so far apart that UFF's pairs would have ended. */
static shoal_molecule *far_waters(void)
{
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    model_put(mol, model_water, 3, (const double[3]){0, 0, 0}, 0, 0);
    model_put(mol, model_water, 3, (const double[3]){40, 0, 0}, 0.5, 1);
    return mol;
}

int main(void)
{
    check_case(far_waters(), &(model_case){.form = SHOAL_FORM_LJ});
    for (int k = 0; k < MODEL_FORMS; ++k) {
        const model_case c = {.form = k,
                              .hbond = k % MODEL_HBONDS,
                              .coulomb = k % MODEL_COULOMBS,
                              .damped = model_has_u6(k),
                              .sites = k % 2};
        check_case(model_cluster(), &c);
        if (k % 3 == 1) check_case(model_crystal(3), &c);
    }
    check_case(model_cluster(), &(model_case){.formula = MODEL_FORMULA});
    check_case(model_cluster(), &(model_case){.formula = MODEL_FORMULA_COLUMNS});
    check_case(model_crystal(2), &(model_case){.formula = MODEL_FORMULA_NEUTRAL});
    return check_done();
}
