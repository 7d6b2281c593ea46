/* SPDX-License-Identifier: BSD-3-Clause
 * What MMFFsp3 must obey whatever its numbers are: forces are slopes, nothing turns or pushes itself, the order of slots
 * and atoms does not matter, straight angles have forces; closed forms of single terms. */
#include "golden_fixture.h"

static void normalise(double p[3])
{
    const double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    for (int c = 0; c < 3; ++c) p[c] /= length;
}

/* Moves atoms by up to 0.1 angstrom and turns directions by up to 20 degrees. */
static void deform(int32_t n_atoms, int32_t n, uint64_t *seed, double (*pos)[3])
{
    for (int32_t i = 0; i < n; ++i) {
        for (int c = 0; c < 3; ++c) pos[i][c] += (i < n_atoms ? 0.1 : 0.2) * dir_random(seed);
        if (i >= n_atoms) normalise(pos[i]);
    }
}

/* Forces of an engine's first system against differences of the energies of the others, which stand for it with one
 * coordinate moved by -2h, -h, h, 2h each; directions stay unit vectors. */
static double slope_error(shoal_engine *engine, const double (*pos)[3], int32_t n_atoms, double h)
{
    static const double steps[4] = {-2, -1, 1, 2};
    const int32_t n = engine_n_movers(engine, 0);
    const size_t size = (size_t)n * sizeof *pos;
    double worst = 0;
    for (int32_t k = 0; k < engine->n_systems; ++k) memcpy(engine->results[k].pos, pos, size);
    for (int32_t m = 0; m < 12 * n; ++m) {
        double *at = engine->results[1 + m].pos[m / 12];
        at[m / 4 % 3] += steps[m % 4] * h;
        if (m / 12 >= n_atoms) normalise(at);
    }
    gold_eval(engine);
    const backend_result *r = engine->results;
    for (int32_t m = 0; m < 12 * n; m += 4) {
        const backend_result *e = &r[1 + m];
        const double slope = (8 * (e[2].energy - e[1].energy) - (e[3].energy - e[0].energy)) / 12;
        worst = fmax(worst, fabs(r[0].forces[m / 12][m / 4 % 3] + slope / h));
    }
    return worst / fmax(r[0].fmax, 1);
}

/* Bonded alone by hand, or typed with all pairs and some charges. */
static void test_slopes(const golden *g, const schedule *on, bool typed, int n_times)
{
    sketch s = g->make();
    double home[GOLDEN_MOVERS][3], pos[GOLDEN_MOVERS][3];
    uint64_t seed = 11;
    sketch_place(&s, home);
    for (int32_t i = 0; i < s.n; ++i) s.charge[i] = 0.1 * (i % 3) - 0.1;
    shoal_topology *t = typed ? sketch_typed(&s, g->bonds, "mmffsp3", on->large)
                              : sketch_topology(&s, false, on->large);
    shoal_topology_view v;
    shoal_topology_get(t, &v);
    const int32_t n = mover_count(&v);
    if (typed) auxiliary_place(&v, NULL, home);
    const uint32_t off = on->large ? 1u << SHOAL_TERM_COULOMB : 0;
    shoal_engine *engine = gold_engine(t, 1 + 12 * n, (const double(*)[3])home, on,
                                       (shoal_engine_options){.terms_off = off});
    for (int k = 0; k < n_times; ++k) {
        memcpy(pos, home, sizeof pos);
        deform(v.n_atoms, n, &seed, pos);
        CHECK_NEAR(slope_error(engine, (const double(*)[3])pos, v.n_atoms, 2e-4), 0, 1e-8);
    }
    shoal_engine_destroy(engine);
    shoal_topology_destroy(t);
}

/* --- invariance --------------------------------------------------------------------------------- */

static void rotate(double r[3], double a, double b)
{
    const double x = cos(a) * r[0] - sin(a) * r[1], y = sin(a) * r[0] + cos(a) * r[1];
    r[0] = x;
    r[1] = cos(b) * y - sin(b) * r[2];
    r[2] = sin(b) * y + cos(b) * r[2];
}

static void test_rotation(const golden *g, const schedule *on)
{
    const sketch s = g->make();
    double pos[GOLDEN_MOVERS][3];
    shoal_topology *t = sketch_topology(&s, true, on->large);
    const uint32_t off = on->large ? 1u << SHOAL_TERM_COULOMB : 0;
    sketch_place(&s, pos);
    shoal_engine *engine = gold_point(t, (const double(*)[3])pos, on, off);
    const double energy = engine->results[0].energy;
    const int32_t n = engine_n_movers(engine, 0);
    for (int k = 1; k < 5; ++k) {
        double net[3] = {0}, torque[3] = {0};
        double(*r)[3] = engine->results[0].pos, (*f)[3] = engine->results[0].forces;
        for (int32_t i = 0; i < n; ++i) rotate(r[i], 0.7 * k, 1.1 * k);
        gold_eval(engine);
        CHECK_NEAR(engine->results[0].energy, energy, 1e-12);
        for (int32_t i = 0; i < n; ++i)
            for (int c = 0; c < 3; ++c) {
                const int a = (c + 1) % 3, b = (c + 2) % 3;
                if (i < s.n) net[c] += f[i][c];
                torque[c] += r[i][a] * f[i][b] - r[i][b] * f[i][a];
            }
        for (int c = 0; c < 3; ++c) {
            CHECK_NEAR(net[c], 0, 1e-12);
            CHECK_NEAR(torque[c], 0, 1e-12);
        }
        for (int32_t i = s.n; i < n; ++i) /* forces on directions are tangent */
            CHECK_NEAR(r[i][0] * f[i][0] + r[i][1] * f[i][1] + r[i][2] * f[i][2], 0, 1e-14);
    }
    shoal_engine_destroy(engine);
    shoal_topology_destroy(t);
}

/* The same molecule with its atoms in another order, and with its bonds given the other way round. */
static sketch shuffled(const sketch *s, const int32_t *to)
{
    sketch out = {0};
    out.n = s->n;
    for (int32_t i = 0; i < s->n; ++i) {
        const int32_t j = to[i];
        out.elements[j] = s->elements[i];
        out.types[j] = s->types[i];
        out.charge[j] = s->charge[i];
        memcpy(out.pos[j], s->pos[i], sizeof s->pos[i]);
        memcpy(out.p[j], s->p[i], sizeof s->p[i]);
    }
    for (int32_t b = s->n_bonds - 1; b >= 0; --b) {
        const int32_t i = s->bonds[b][0], j = s->bonds[b][1];
        int m = 0;
        while (s->near[i][m] != j) ++m;
        sketch_bond(&out, to[j], to[i], s->length[i][m], s->k[i][m]);
    }
    return out;
}

static void test_order(const golden *g, const schedule *on)
{
    const sketch s = g->make();
    double pos[2][GOLDEN_MOVERS][3];
    int32_t to[DIR_ATOMS];
    for (int32_t i = 0; i < s.n; ++i) to[i] = (2 * s.n - 2 - i) % s.n;
    const sketch other = shuffled(&s, to);
    sketch_place(&s, pos[0]);
    sketch_place(&other, pos[1]);
    shoal_topology *t[2] = {sketch_topology(&s, true, on->large),
                            sketch_topology(&other, true, on->large)};
    const uint32_t off = on->large ? 1u << SHOAL_TERM_COULOMB : 0;
    shoal_engine *a = gold_point(t[0], (const double(*)[3])pos[0], on, off);
    shoal_engine *b = gold_point(t[1], (const double(*)[3])pos[1], on, off);
    const shoal_topology_view *v[2] = {&a->systems[0].view, &b->systems[0].view};
    for (int k = 0; k < SHOAL_N_TERMS; ++k)
        CHECK_NEAR(a->results[0].terms[k], b->results[0].terms[k], 1e-13);
    for (int32_t i = 0; i < s.n; ++i)
        for (int c = 0; c < 3; ++c) {
            CHECK_NEAR(a->results[0].forces[i][c], b->results[0].forces[to[i]][c], 1e-12);
            if (is_turning(s.types[i]))
                CHECK_NEAR(a->results[0].forces[gold_turn(v[0], i)][c],
                           b->results[0].forces[gold_turn(v[1], to[i])][c], 1e-12);
        }
    shoal_engine_destroy(a);
    shoal_engine_destroy(b);
    for (int k = 0; k < 2; ++k) shoal_topology_destroy(t[k]);
}

/* --- closed forms --------------------------------------------------------------------------------- */

/* Three atoms at unit distances, and one half angle. */
static shoal_topology *bend(double ka, double degrees, bool boxed)
{
    static const int32_t elements[3] = {6, 6, 6}, atoms[3] = {0, 1, 2};
    shoal_topology_builder *b = NULL;
    shoal_topology *t = NULL;
    CHECK(shoal_topology_begin(&b, 3, elements) == SHOAL_OK);
    if (boxed)
        CHECK(shoal_topology_set_periodic(b, (const bool[3]){true, false, false}) == SHOAL_OK);
    CHECK(shoal_topology_add_term(b, SHOAL_KIND_HALF_ANGLE, atoms, NULL,
                                  (const double[]){ka, degrees / DEGREES}) == SHOAL_OK);
    CHECK(shoal_topology_finish(b, SHOAL_EXCLUDE_BONDS_AND_ANGLES, &t) == SHOAL_OK);
    return t;
}

static void bend_to(double degrees, double pos[3][3])
{
    const double t = degrees / DEGREES;
    memset(pos, 0, 3 * sizeof *pos);
    pos[0][0] = 1;
    pos[2][0] = degrees == 180 ? -1 : cos(t);
    pos[2][1] = degrees == 180 ? 0 : sin(t);
}

static void test_half_angle(const schedule *on)
{
    static const struct {
        double a, theta, energy, slope;
    } cases[] = {{120, 60, 0.535898384862, -1.0},
                 {120, 90, 0.136296694844, -0.517638090205},
                 {120, 150, 0.136296694844, 0.517638090205},
                 {120, 179, 0.518577216240, 0.984847120207},
                 {104.51, 60, 0.297970171328, -0.757458769113},
                 {180, 60, 2.0, -1.732050807569},
                 {180, 179, 0.000152307743, -0.017453070997},
                 {180, 180, 0, 0}};
    const double most = on->precision == SHOAL_PRECISION_DOUBLE ? 1e-9 : 2e-5;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        shoal_topology *t = bend(4, cases[k].a, on->large);
        double pos[3][3];
        bend_to(cases[k].theta, pos);
        shoal_engine *engine = gold_point(t, (const double(*)[3])pos, on, 0);
        const backend_result *r = &engine->results[0];
        CHECK_NEAR(r->energy, cases[k].energy, most);
        /* The second arm is turned counterclockwise: the first loses what the angle gains. */
        CHECK_NEAR(r->forces[0][1], cases[k].slope, most);
        CHECK_NEAR(r->forces[0][0], 0, most);
        shoal_engine_destroy(engine);
        shoal_topology_destroy(t);
    }
}

/* From 0.01 degrees on the force of a straight angle goes to zero with the cosine of half of it. */
static void test_fade(const schedule *on)
{
    const double k = 4, a = 120 / DEGREES, c = 1e-5, s = sqrt(1 - c * c);
    shoal_topology *t = bend(k, 120, on->large);
    const double pos[3][3] = {{1, 0, 0}, {0, 0, 0}, {2 * c * c - 1, 2 * s * c, 0}};
    shoal_engine *engine = gold_point(t, pos, on, 0);
    const double slope = 0.5 * k * (s * cos(a / 2) * c / 1e-4 - c * sin(a / 2));
    CHECK_NEAR(engine->results[0].forces[0][1], slope, 1e-8);
    CHECK_NEAR(engine->results[0].forces[0][0], 0, 1e-8);
    shoal_engine_destroy(engine);
    shoal_topology_destroy(t);
}

/* Numbers at all angles, and no force where two arms are one line. */
static void test_all_angles(const schedule *on)
{
    static const double least[3] = {104.51, 120, 180};
    for (int k = 0; k < 3; ++k) {
        shoal_topology *t = bend(24, least[k], on->large);
        double pos[3][3];
        bend_to(90, pos);
        enum { N = 181 + 60 };
        shoal_engine *engine =
            gold_engine(t, N, (const double(*)[3])pos, on, (shoal_engine_options){0});
        for (int32_t m = 0; m < N; ++m) {
            const double close = pow(10, -0.1 * (m - 181)); /* degrees from 0 and from 180 */
            const double theta = m <= 180 ? fmax(m, 0.01) : m % 2 ? 180 - close : close;
            bend_to(theta, engine->results[m].pos);
        }
        gold_eval(engine);
        for (int32_t m = 0; m < N; ++m) {
            const backend_result *r = &engine->results[m];
            CHECK(isfinite(r->energy) && r->energy > -1e-6 && r->energy < 24);
            CHECK(isfinite(r->fmax) && r->fmax < 30);
        }
        /* Rounding of the straight line, over the cosine below which the force fades. */
        CHECK_NEAR(engine->results[180].fmax, 0,
                   on->precision == SHOAL_PRECISION_DOUBLE ? 1e-8 : 1e-2);
        shoal_engine_destroy(engine);
        shoal_topology_destroy(t);
    }
}

/* Straight molecules along x, exactly: numbers, and no force across. */
static void test_straight(const schedule *on)
{
    static const struct {
        const char *bonds;
        int32_t n, z[7], n_bonds, ends[6][2];
        double pos[7][3];
    } cases[] = {
        {"#--", 4, {6, 6, 1, 1}, 3, {{0, 1}, {0, 2}, {1, 3}}, {{0}, {1.25}, {-1.1}, {2.4}}},
        {"#-", 3, {6, 7, 1}, 2, {{0, 1}, {0, 2}}, {{0}, {1.1}, {-1.05}}},
        {"==", 3, {6, 8, 8}, 2, {{0, 1}, {0, 2}}, {{0}, {1.2}, {-1.25}}},
        {"==----",
         7,
         {6, 6, 6, 1, 1, 1, 1},
         6,
         {{0, 1}, {0, 2}, {1, 3}, {1, 4}, {2, 5}, {2, 6}},
         {{0}, {1.3}, {-1.3}, {1.9, .9, 0}, {1.9, -.9, 0}, {-1.9, 0, .9}, {-1.9, 0, -.9}}}};
    for (int k = 0; k < 8; ++k) {
        sketch s = {0};
        for (int32_t i = 0; i < cases[k / 2].n; ++i) {
            const double *r = cases[k / 2].pos[i];
            (void)sketch_atom(&s, cases[k / 2].z[i], NULL, r[0], r[1], r[2]);
        }
        for (int32_t b = 0; b < cases[k / 2].n_bonds; ++b)
            sketch_bond(&s, cases[k / 2].ends[b][0], cases[k / 2].ends[b][1], 1, 1);
        shoal_topology *t =
            sketch_typed(&s, cases[k / 2].bonds, k % 2 ? "mmffsp3" : "mmffsp3:firecore", on->large);
        shoal_batch *batch = NULL;
        shoal_engine *engine = NULL;
        static const double cell[3][3] = {{DIR_BOX, 0, 0}, {0, DIR_BOX, 0}, {0, 0, DIR_BOX}};
        CHECK(shoal_batch_create(&batch) == SHOAL_OK);
        CHECK(shoal_batch_add(batch, &(shoal_system){.topology = t,
                                                     .pos = (const double(*)[3])s.pos,
                                                     .cell = on->large ? cell : NULL}) == SHOAL_OK);
        const shoal_engine_options o = {.device = on->device, .precision = on->precision};
        CHECK(shoal_engine_create(&engine, batch, &o) == SHOAL_OK);
        gold_eval(engine);
        const backend_result *r = &engine->results[0];
        CHECK(isfinite(r->energy) && isfinite(r->fmax));
        for (int32_t i = 0; i < s.n; ++i)
            for (int c = 1; c < 3; ++c)
                if (s.pos[i][1] == 0 && s.pos[i][2] == 0) CHECK_NEAR(r->forces[i][c], 0, 1e-5);
        shoal_engine_destroy(engine);
        shoal_batch_destroy(batch);
        shoal_topology_destroy(t);
    }
}

/* A node with its neighbours on a cone about its direction: 3 Ksp sin^2 of what they hang down. */
static void test_umbrella(const schedule *on)
{
    sketch s = {0};
    double pos[GOLDEN_MOVERS][3];
    const double beta = 10 / DEGREES;
    (void)sketch_atom(&s, 6, &type_c2, 0, 0, 0);
    for (int k = 0; k < 3; ++k) {
        const double turn = 120 * k / DEGREES;
        (void)sketch_atom(&s, 1, NULL, cos(beta) * cos(turn), cos(beta) * sin(turn), -sin(beta));
        sketch_bond(&s, 0, k + 1, 1, 10);
    }
    shoal_topology *t = sketch_topology(&s, false, on->large);
    sketch_place(&s, pos);
    shoal_engine *engine = gold_point(t, (const double(*)[3])pos, on, 0);
    const double most = on->precision == SHOAL_PRECISION_DOUBLE ? 1e-9 : 5e-6;
    CHECK_NEAR(engine->results[0].terms[SHOAL_TERM_SIGMA_PI], 0.144737710114, most);
    shoal_engine_destroy(engine);
    shoal_topology_destroy(t);
}

/* Ideal ethylene with one half turned by phi. */
static sketch twisted(double degrees)
{
    sketch s = {0};
    const double phi = degrees / DEGREES, x = 1.095 * cos(60 / DEGREES),
                 y = 1.095 * sin(60 / DEGREES);
    (void)sketch_atom(&s, 6, &type_c2, 0, 0, 0);
    (void)sketch_atom(&s, 6, &type_c2, 1.334, 0, 0);
    for (int side = -1; side <= 1; side += 2) (void)sketch_atom(&s, 1, NULL, -x, side * y, 0);
    for (int side = -1; side <= 1; side += 2)
        (void)sketch_atom(&s, 1, NULL, 1.334 + x, side * y * cos(phi), side * y * sin(phi));
    sketch_direction(&s, 1, 0, -sin(phi), cos(phi));
    sketch_bond(&s, 0, 1, 1.334, 20.893);
    for (int32_t h = 2; h < 6; ++h) sketch_bond(&s, h / 4, h, 1.095, 16.457);
    return s;
}

/* Directions at right angles to their planes, then where they want to be while the atoms are held. */
static void test_twist(const schedule *on)
{
    static const double degrees[5] = {30, 60, 90, 120, 180};
    static const double relaxed[5] = {0.1486656358, 0.5842431943, 1.2759001296, 0.5842431943, 0};
    static const double cell[3][3] = {{DIR_BOX, 0, 0}, {0, DIR_BOX, 0}, {0, 0, DIR_BOX}};
    static const bool fixed[6] = {true, true, true, true, true, true};
    const bool exact = on->precision == SHOAL_PRECISION_DOUBLE;
    const double most = exact ? 1e-9 : 2e-5;
    for (int k = 0; k < 5; ++k) {
        const sketch s = twisted(degrees[k]);
        double pos[GOLDEN_MOVERS][3];
        shoal_topology *t = sketch_topology(&s, false, on->large);
        shoal_batch *batch = NULL;
        shoal_engine *engine = NULL;
        const shoal_engine_options o = {.device = on->device, .precision = on->precision};
        sketch_place(&s, pos);
        CHECK(shoal_batch_create(&batch) == SHOAL_OK);
        CHECK(shoal_batch_add(batch, &(shoal_system){.topology = t,
                                                     .pos = (const double(*)[3])pos,
                                                     .cell = on->large ? cell : NULL,
                                                     .fixed = fixed}) == SHOAL_OK);
        CHECK(shoal_engine_create(&engine, batch, &o) == SHOAL_OK);
        memcpy(engine->results[0].pos, pos, 8 * sizeof *pos);
        gold_eval(engine);
        CHECK_NEAR(engine->results[0].energy, 2 * (1 - fabs(cos(degrees[k] / DEGREES))), most);
        const shoal_relax_options relax = {.fmax = exact ? 1e-9 : 1e-5, .max_steps = 2000};
        CHECK(shoal_engine_relax(engine, &relax, NULL, NULL) == SHOAL_OK);
        CHECK_NEAR(engine->results[0].energy, relaxed[k], most);
        shoal_engine_destroy(engine);
        shoal_batch_destroy(batch);
        shoal_topology_destroy(t);
    }
}

/* The softened term through right angles, where the bare one has its cusp. */
static void test_soft(const schedule *on)
{
    static const int32_t elements[2] = {6, 6};
    const double k = 2, d = 0.05;
    shoal_topology_builder *b = NULL;
    shoal_topology *t = NULL;
    int32_t pair[2];
    double pos[4][3] = {{0}, {1.4}, {1}, {1}};
    CHECK(shoal_topology_begin(&b, 2, elements) == SHOAL_OK);
    if (on->large)
        CHECK(shoal_topology_set_periodic(b, (const bool[3]){true, false, false}) == SHOAL_OK);
    for (int32_t i = 0; i < 2; ++i)
        CHECK(shoal_topology_add_direction(b, i, 1, &pair[i]) == SHOAL_OK);
    CHECK(shoal_topology_add_bond(b, 0, 1, NULL, 10, 1.4) == SHOAL_OK);
    CHECK(shoal_topology_add_term(b, SHOAL_KIND_PI_PI, pair, NULL, (const double[]){k, d}) ==
          SHOAL_OK);
    CHECK(shoal_topology_finish(b, SHOAL_EXCLUDE_BONDS_AND_ANGLES, &t) == SHOAL_OK);
    shoal_engine *engine =
        gold_engine(t, 1 + 12 * 4, (const double(*)[3])pos, on, (shoal_engine_options){0});
    for (int m = 0; m <= 36; ++m) { /* 0 to 180 degrees, finer near 90 */
        const double x = (m - 18) / 18.0, angle = (90 + 90 * x * x * x) / DEGREES, c = cos(angle);
        pos[3][0] = c;
        pos[3][1] = sin(angle) * 0.6;
        pos[3][2] = sin(angle) * 0.8;
        CHECK_NEAR(slope_error(engine, (const double(*)[3])pos, 2, 1e-4), 0, 1e-8);
        CHECK_NEAR(engine->results[0].energy, k * (sqrt(1 + d * d) - sqrt(c * c + d * d)), 1e-14);
    }
    shoal_engine_destroy(engine);
    shoal_topology_destroy(t);
}

static void test_schedule(const schedule *on, int n_times)
{
    const bool exact = on->precision == SHOAL_PRECISION_DOUBLE;
    for (int m = 0; m < N_GOLDEN && exact; ++m) {
        for (int typed = 0; typed < 2; ++typed) test_slopes(&goldens[m], on, typed, n_times);
        test_rotation(&goldens[m], on);
        test_order(&goldens[m], on);
    }
    if (exact) test_soft(on);
    if (exact) test_fade(on);
    test_half_angle(on);
    test_all_angles(on);
    test_straight(on);
    test_umbrella(on);
    if (strcmp(on->device, "ref") != 0) test_twist(on);
}

int main(void)
{
    schedule all[MOST_SCHEDULES];
    const int n = find_schedules(all);
    for (int k = 0; k < n; ++k)
        test_schedule(&all[k], all[k].large || strncmp(all[k].device, "opencl", 6) == 0 ? 3 : 100);
    return check_done();
}
