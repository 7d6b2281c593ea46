/* SPDX-License-Identifier: BSD-3-Clause
 * MMFFsp3 against numbers of the original, on every schedule: topologies made by hand and typed ones, energies of every
 * term, forces on atoms and directions, pairs, electron pairs; every term alone; signs of directions. */
#include "golden_fixture.h"

#define ORIGINAL_CONSTANT 14.3996448915 /* of Coulomb, eV angstrom/e^2 */

static double square(const double (*f)[3], int32_t n)
{
    double sum = 0;
    for (int32_t i = 0; i < n; ++i)
        for (int c = 0; c < 3; ++c) sum += f[i][c] * f[i][c];
    return sum;
}

/* Bonded energies and forces; nearest: digits that are known. */
static void check_bonded(const golden *g, shoal_topology *t, const double (*pos)[3],
                         const schedule *on, bool plain)
{
    const bool exact = on->precision == SHOAL_PRECISION_DOUBLE;
    const double e = exact ? 1e-11 : 5e-5, f = exact ? 1e-11 : 2e-5, p = exact ? 1e-11 : 2e-6;
    shoal_engine *engine = gold_engine(
        t, 1, pos, on, (shoal_engine_options){.terms_off = GOLD_NO_PAIRS, .plain_terms = plain});
    gold_eval(engine);
    const backend_result *r = &engine->results[0];
    const shoal_topology_view *v = &engine->systems[0].view;
    CHECK_NEAR(r->terms[SHOAL_TERM_BOND], g->bond, e);
    CHECK_NEAR(r->terms[SHOAL_TERM_ANGLE], g->angle, e);
    CHECK_NEAR(r->terms[SHOAL_TERM_SIGMA_PI], g->sigma_pi, e);
    CHECK_NEAR(r->terms[SHOAL_TERM_PI_PI], g->pi_pi, e);
    CHECK_NEAR(r->energy, g->total, e);
    for (int k = 0; k < g->n_forces; ++k)
        for (int c = 0; c < 3; ++c) CHECK_NEAR(r->forces[g->forces[k].i][c], g->forces[k].f[c], f);
    for (int k = 0; k < g->n_turns; ++k)
        for (int c = 0; c < 3; ++c)
            CHECK_NEAR(r->forces[gold_turn(v, g->turns[k].i)][c], g->turns[k].f[c], p);
    const double(*forces)[3] = (const double(*)[3])r->forces;
    CHECK_NEAR(square(forces, v->n_atoms), g->sf, 20 * f);
    CHECK_NEAR(square(forces + v->n_atoms, v->n_directions), g->sp, 20 * f);
    shoal_engine_destroy(engine);
}

/* LJ and Coulomb of the typed topology, isolated. */
static void check_pairs(const golden *g, shoal_topology *t, const double (*pos)[3],
                        const schedule *on)
{
    const double most = on->precision == SHOAL_PRECISION_DOUBLE ? 1e-11 : 5e-5;
    const double coulomb = g->coulomb * COULOMB_CONSTANT / ORIGINAL_CONSTANT;
    shoal_engine *engine = gold_engine(t, 1, pos, on, (shoal_engine_options){0});
    gold_eval(engine);
    CHECK_NEAR(engine->results[0].terms[SHOAL_TERM_VDW], g->vdw, most);
    CHECK_NEAR(engine->results[0].terms[SHOAL_TERM_COULOMB], coulomb, most);
    CHECK_NEAR(engine->results[0].energy, g->total + g->vdw + coulomb, most);
    shoal_engine_destroy(engine);
}

static void test_golden(const golden *g, const schedule *on)
{
    const sketch s = g->make();
    double pos[GOLDEN_MOVERS][3];
    sketch_place(&s, pos);
    for (int typed = 0; typed < 2; ++typed) {
        shoal_topology *t = typed ? sketch_typed(&s, g->bonds, "mmffsp3:firecore", on->large)
                                  : sketch_topology(&s, false, on->large);
        for (int plain = 0; plain < 2; ++plain)
            check_bonded(g, t, (const double(*)[3])pos, on, plain);
        if (typed && !on->large) check_pairs(g, t, (const double(*)[3])pos, on);
        shoal_topology_destroy(t);
    }
}

/* Water with two electron pairs: four neighbours that are all alike to the angles. */
static void test_electron_pairs(const schedule *on)
{
    static const double energies[3] = {0.008401735725708, 0.190273180879138, 0.198674916604846};
    static const double forces[5][3] = {{0.157298800453, 0.107034064846, 0.041016258722},
                                        {0.528356065631, -0.875783557591, -0.092538103514},
                                        {-1.042678206432, 0.148722323428, -0.023376019874},
                                        {0.207399345320, 0.224402891080, 0.308766343969},
                                        {0.149623995027, 0.395624278238, -0.233868479303}};
    const bool exact = on->precision == SHOAL_PRECISION_DOUBLE;
    const sketch water = sketch_water();
    shoal_typing_options o = {.electron_pairs = true};
    CHECK(shoal_forcefield_by_name("mmffsp3:firecore", &o) == SHOAL_OK);
    for (int typed = 0; typed < 2; ++typed) {
        sketch s = water;
        shoal_topology *t = NULL;
        double pos[5][3];
        (void)sketch_atom(&s, 1, NULL, -.15, -.28, .38);
        (void)sketch_atom(&s, 1, NULL, -.16, -.20, -.43);
        sketch_bond(&s, 0, 3, 0.5, 10);
        sketch_bond(&s, 0, 4, 0.5, 10);
        sketch_place(&s, pos);
        shoal_molecule *mol = sketch_molecule(&water, "--", on->large);
        if (typed)
            CHECK(shoal_topology_create(&t, mol, &o) == SHOAL_OK);
        else
            t = sketch_topology(&s, false, on->large);
        shoal_molecule_destroy(mol);
        shoal_engine *engine = gold_point(t, (const double(*)[3])pos, on, GOLD_NO_PAIRS);
        const backend_result *r = &engine->results[0];
        const shoal_topology_view *v = &engine->systems[0].view;
        CHECK(engine_n_movers(engine, 0) == 5);
        CHECK_NEAR(r->terms[SHOAL_TERM_BOND], energies[0], exact ? 1e-11 : 5e-5);
        CHECK_NEAR(r->terms[SHOAL_TERM_ANGLE], energies[1], exact ? 1e-11 : 5e-5);
        CHECK_NEAR(r->energy, energies[2], exact ? 1e-11 : 5e-5);
        for (int i = 0; i < 5; ++i)
            for (int c = 0; c < 3; ++c)
                CHECK_NEAR(r->forces[i][c], forces[i][c], exact ? 1e-11 : 2e-5);
        for (int i = 0; i < 5 && typed; ++i)
            CHECK_NEAR(v->charges[i], i == 0 ? -0.4 : i < 3 ? 0.4 : -0.2, 1e-15);
        shoal_engine_destroy(engine);
        shoal_topology_destroy(t);
    }
}

/* Terms alone are what they are together, and their forces add up. */
static void test_alone(const golden *g, const schedule *on)
{
    const sketch s = g->make();
    double pos[GOLDEN_MOVERS][3], sum[GOLDEN_MOVERS][3] = {{0}}, total = 0;
    sketch_place(&s, pos);
    shoal_topology *t = sketch_topology(&s, false, on->large);
    shoal_engine *whole = gold_point(t, (const double(*)[3])pos, on, 0);
    const int32_t n = engine_n_movers(whole, 0);
    for (int term = 0; term < SHOAL_N_TERMS; ++term) {
        shoal_engine *alone = gold_point(t, (const double(*)[3])pos, on, ~(1u << term));
        const backend_result *r = &alone->results[0];
        CHECK_NEAR(r->terms[term], whole->results[0].terms[term], 1e-13);
        for (int other = 0; other < SHOAL_N_TERMS; ++other)
            CHECK(other == term || r->terms[other] == 0);
        CHECK(r->energy == r->terms[term]);
        total += r->energy;
        for (int32_t i = 0; i < n; ++i)
            for (int c = 0; c < 3; ++c) sum[i][c] += r->forces[i][c];
        shoal_engine_destroy(alone);
    }
    CHECK_NEAR(total, whole->results[0].energy, 1e-13);
    for (int32_t i = 0; i < n; ++i)
        for (int c = 0; c < 3; ++c) CHECK_NEAR(sum[i][c], whole->results[0].forces[i][c], 1e-12);
    shoal_engine_destroy(whole);
    shoal_topology_destroy(t);
}

/* A pi axis has no sign, a lone pair has one. */
static void test_signs(const golden *g, const schedule *on)
{
    const sketch s = g->make();
    double pos[GOLDEN_MOVERS][3];
    sketch_place(&s, pos);
    shoal_topology *t = sketch_topology(&s, false, on->large);
    shoal_engine *whole = gold_point(t, (const double(*)[3])pos, on, 0);
    const backend_result *a = &whole->results[0];
    for (int32_t i = 0, k = s.n; i < s.n; ++i) {
        if (!is_turning(s.types[i])) continue;
        for (int c = 0; c < 3; ++c) pos[k][c] = -pos[k][c];
        shoal_engine *flipped = gold_point(t, (const double(*)[3])pos, on, 0);
        const backend_result *b = &flipped->results[0];
        if (s.types[i]->tilt != 0)
            CHECK(fabs(b->energy - a->energy) > 1e-6);
        else
            CHECK_NEAR(b->energy, a->energy, 1e-14);
        for (int32_t m = 0; m < engine_n_movers(whole, 0) && s.types[i]->tilt == 0; ++m)
            for (int c = 0; c < 3; ++c)
                CHECK_NEAR(b->forces[m][c], m == k ? -a->forces[m][c] : a->forces[m][c], 1e-14);
        for (int c = 0; c < 3; ++c) pos[k][c] = -pos[k][c];
        shoal_engine_destroy(flipped);
        ++k;
    }
    shoal_engine_destroy(whole);
    shoal_topology_destroy(t);
}

int main(void)
{
    schedule all[MOST_SCHEDULES];
    const int n = find_schedules(all);
    for (int k = 0; k < n; ++k) {
        const schedule on = all[k];
        const bool exact = on.precision == SHOAL_PRECISION_DOUBLE;
        for (int m = 0; m < N_GOLDEN; ++m) {
            test_golden(&goldens[m], &on);
            if (exact) test_alone(&goldens[m], &on);
            if (exact) test_signs(&goldens[m], &on);
        }
        test_electron_pairs(&on);
    }
    return check_done();
}
