/* SPDX-License-Identifier: BSD-3-Clause
 * Directions on the cpu, small and large systems: known energies, forces and minima, conserved momenta, and the same
 * bits whatever shares the lanes and wherever a run was interrupted. */
#include "direction_fixture.h"

static const int32_t sizes[] = {5, 31, 32, 33, 64, 65};
enum { N_SIZES = sizeof sizes / sizeof sizes[0] };

static sketch sketch_size(int32_t n)
{
    return n == 5 ? sketch_formic() : sketch_chain(n);
}

static const char *driver_name(int how)
{
    static const char *const names[] = {"fire", "lbfgs", "nve", "langevin", "nose-hoover"};
    return names[how];
}

/* --- energies and forces ------------------------------------------------------------------------- */

typedef struct golden {
    sketch (*make)(void);
    double energies[4]; /* bond, angle, sigma-pi, pi-pi */
    double f2, p2;      /* sums of squares over atoms and over directions */
    double last[3];     /* on the last direction */
} golden;

static const golden goldens[] = {
    {sketch_formic,
     {0.092547087124907, 0.045590617789469, 0.094164817713370, 0.183506232360116},
     3.812644414989,
     1.207010032258,
     {-0.272734907850, 0.113936365903, 0.113491134455}},
    {sketch_ethylene,
     {0.003049622269196, 0.015178301945650, 0.086358570933098, 0.009939193964007},
     1.029892586193,
     0.524396526304,
     {0.189682843297, 0.235076515346, -0.052705788368}},
    {sketch_benzene,
     {0.282798773839725, 0.005283123046956, 0.356416623910027, 0.113252247159536},
     21.030530188852,
     4.738126037515,
     {-1.019524758025, -0.822515209011, -0.218729930425}},
};
enum { N_GOLDENS = sizeof goldens / sizeof goldens[0] };

static void check_golden(const golden *g, bool large, bool plain, shoal_precision precision)
{
    const bool single = precision == SHOAL_PRECISION_FLOAT;
    const double tolerance = single ? 5e-5 : 1e-11;
    static const int terms[4] = {SHOAL_TERM_BOND, SHOAL_TERM_ANGLE, SHOAL_TERM_SIGMA_PI,
                                 SHOAL_TERM_PI_PI};
    const sketch s = g->make();
    dir_run *r = dir_new();
    r->options.plain_terms = plain;
    /* One and many lanes. */
    for (int k = 0; k < 3; ++k) dir_add(r, &s, k > 0, (dir_shape){.large = large}, 0, 1);
    dir_open(r, "cpu", precision);
    dir_eval(r);
    for (int32_t k = 0; k < r->n; ++k) {
        double f2 = 0, p2 = 0;
        for (int t = 0; t < 4; ++t)
            CHECK_NEAR(r->results[k].terms[terms[t]], g->energies[t], tolerance);
        for (int32_t i = 0; i < dir_movers(r, k); ++i)
            for (int c = 0; c < 3; ++c)
                *(i < s.n ? &f2 : &p2) += r->forces[k][i][c] * r->forces[k][i][c];
        CHECK_NEAR(f2, g->f2, single ? 1e-3 : 1e-10);
        CHECK_NEAR(p2, g->p2, single ? 1e-4 : 1e-10);
        for (int c = 0; c < 3; ++c)
            CHECK_NEAR(r->forces[k][dir_movers(r, k) - 1][c], g->last[c], single ? 4e-6 : 2e-12);
    }
    dir_close(r);
}

static void test_goldens(void)
{
    for (int g = 0; g < N_GOLDENS; ++g)
        for (int k = 0; k < 8; ++k)
            check_golden(&goldens[g], k & 1, k & 2,
                         k & 4 ? SHOAL_PRECISION_FLOAT : SHOAL_PRECISION_DOUBLE);
}

/* Against ref: pairs, charges and all sizes; far from the origin, too. */
static void test_ref(int32_t n, bool large, shoal_precision precision)
{
    const bool single = precision == SHOAL_PRECISION_FLOAT;
    const sketch s = sketch_size(n);
    dir_run *r = dir_new(), *w = dir_new();
    for (uint64_t k = 0; k < 3; ++k) {
        dir_add(r, &s, k == 2, (dir_shape){true, large}, 0.05, k);
        dir_add(w, &s, k == 2, (dir_shape){true, large}, 0.05, k);
    }
    for (int32_t i = 0; i < n; ++i) r->pos[2][i][1] = w->pos[2][i][1] += 300;
    dir_open(r, "cpu", precision);
    dir_open(w, "ref", SHOAL_PRECISION_DOUBLE);
    dir_eval(r);
    dir_eval(w);
    for (int32_t k = 0; k < r->n; ++k) {
        CHECK_NEAR(r->results[k].energy, w->results[k].energy, single ? 1e-4 : 1e-9);
        CHECK_NEAR(r->results[k].fmax, w->results[k].fmax, single ? 2e-4 : 1e-9);
        for (int32_t i = 0; i < dir_movers(r, k); ++i)
            for (int c = 0; c < 3; ++c)
                CHECK_NEAR(r->forces[k][i][c], w->forces[k][i][c], single ? 2e-4 : 1e-9);
    }
    dir_close(r);
    dir_close(w);
}

/* Fused paths and none. */
static void test_plain(int32_t n, shoal_precision precision)
{
    const bool single = precision == SHOAL_PRECISION_FLOAT;
    const sketch s = sketch_size(n);
    dir_run *r[2] = {dir_new(), dir_new()};
    for (int way = 0; way < 2; ++way) {
        r[way]->options.plain_terms = way;
        for (uint64_t k = 0; k < 5; ++k)
            dir_add(r[way], &s, k == 4, (dir_shape){.pairs = true}, 0.1, k);
        dir_open(r[way], "cpu", precision);
        dir_eval(r[way]);
    }
    for (int32_t k = 0; k < r[0]->n; ++k) {
        for (int t = 0; t < SHOAL_N_TERMS; ++t)
            CHECK_NEAR(r[0]->results[k].terms[t], r[1]->results[k].terms[t], single ? 5e-5 : 1e-11);
        for (int32_t i = 0; i < dir_movers(r[0], k); ++i)
            for (int c = 0; c < 3; ++c)
                CHECK_NEAR(r[0]->forces[k][i][c], r[1]->forces[k][i][c], single ? 5e-5 : 1e-11);
    }
    dir_close(r[0]);
    dir_close(r[1]);
}

/* Energies that are switched off, whoever computed them. */
static void test_off(int term, bool large)
{
    const sketch s = sketch_formic();
    dir_run *r[2] = {dir_new(), dir_new()};
    for (int off = 0; off < 2; ++off) {
        r[off]->options.terms_off = off ? 1u << term : 0;
        dir_add(r[off], &s, 0, (dir_shape){true, large}, 0.1, 1);
        dir_open(r[off], "cpu", SHOAL_PRECISION_DOUBLE);
        dir_eval(r[off]);
    }
    CHECK(r[1]->results[0].terms[term] == 0 && r[0]->results[0].terms[term] != 0);
    for (int t = 0; t < SHOAL_N_TERMS; ++t)
        if (t != term) CHECK_NEAR(r[1]->results[0].terms[t], r[0]->results[0].terms[t], 1e-12);
    dir_close(r[0]);
    dir_close(r[1]);
}

/* A system that threads share, with more directions than a tile. */
static void test_threads(void)
{
    const sketch s = sketch_chain(1100);
    dir_run *r[2] = {dir_new(), dir_new()};
    double torque[3] = {0, 0, 0};
    for (int k = 0; k < 2; ++k) {
        r[k]->options.n_threads = k ? 3 : 1;
        dir_add(r[k], &s, 0, (dir_shape){.pairs = true}, 0.02, 1);
        dir_open(r[k], "cpu", SHOAL_PRECISION_DOUBLE);
        dir_steps(r[k], DIR_FIRE, 5, 5, 0);
        dir_eval(r[k]);
    }
    CHECK(dir_same(r[0], 0, r[1], 0, false));
    CHECK(memcmp(r[0]->forces[0], r[1]->forces[0], sizeof r[0]->forces[0]) == 0);
    for (int32_t i = 0; i < dir_movers(r[0], 0); ++i)
        for (int c = 0; c < 3; ++c) {
            const double *x = r[0]->pos[0][i], *f = r[0]->forces[0][i];
            torque[c] += x[(c + 1) % 3] * f[(c + 2) % 3] - x[(c + 2) % 3] * f[(c + 1) % 3];
        }
    for (int c = 0; c < 3; ++c) CHECK_NEAR(torque[c], 0, 1e-8);
    dir_close(r[0]);
    dir_close(r[1]);
}

/* --- bits ------------------------------------------------------------------------------------------ */

enum { N_LIKE = 11, BAD = 6 };

/* Like systems that need unlike numbers of steps, one of them broken in the middle, some with fixed atoms. */
static dir_run *make_like(int32_t n, dir_shape shape)
{
    static const bool fixed[2 * DIR_ATOMS] = {true, false, true};
    const sketch s = sketch_size(n);
    dir_run *r = dir_new();
    for (int k = 0; k < N_LIKE; ++k) dir_add(r, &s, 0, shape, 0.01 * (1 + k * 7 % 12), (uint64_t)k);
    for (int k = 1; k < N_LIKE; k += 4) r->systems[k].fixed = fixed;
    r->pos[BAD][n][1] = NAN; /* a direction */
    return r;
}

/* Runs one system of a set alone; the topologies stay the set's. */
static void run_alone(const dir_run *from, int32_t k, int how, int32_t n_steps, int32_t round,
                      shoal_precision precision, dir_run *to)
{
    to->n = 1;
    to->systems[0] = from->systems[k];
    to->results[0] = (backend_result){.active = true,
                                      .pos = to->pos[0],
                                      .forces = to->forces[0],
                                      .velocities = to->velocities[0]};
    memcpy(to->pos[0], from->pos[k], sizeof to->pos[0]);
    memcpy(to->velocities[0], from->velocities[k], sizeof to->velocities[0]);
    memcpy(to->masses[0], from->masses[k], sizeof to->masses[0]);
    to->baths[0] = from->baths[k];
    to->baths[0].masses = to->masses[0];
    dir_open(to, "cpu", precision);
    dir_steps(to, how, n_steps, round, 1e-3);
    dir_eval(to);
    to->backend->destroy(to->plan);
    to->n = 0;
}

static void compare_alone(dir_run *r, int how, int32_t n_steps, shoal_precision precision)
{
    dir_run *start = dir_new();
    memcpy(start, r, sizeof *r);
    dir_open(r, "cpu", precision);
    dir_steps(r, how, n_steps, 13, 1e-3);
    dir_eval(r);
    for (int32_t k = 0; k < r->n; ++k) {
        dir_run *alone = dir_new();
        run_alone(start, k, how, n_steps, n_steps, precision, alone);
        const bool broken = isnan(start->pos[k][r->systems[k].view.n_atoms][1]);
        const size_t size = (size_t)dir_movers(r, k) * sizeof(double[3]);
        const bool same =
            broken || (dir_same(r, k, alone, 0, how >= DIR_NVE) &&
                       memcmp(&r->results[k].energy, &alone->results[0].energy, 8) == 0 &&
                       memcmp(r->forces[k], alone->forces[0], size) == 0);
        if (!same)
            (void)printf("%s, system %d of %d atoms: %d and %d steps, energies %.17g and %.17g\n",
                         driver_name(how), k, r->systems[k].view.n_atoms, r->results[k].steps,
                         alone->results[0].steps, r->results[k].energy, alone->results[0].energy);
        CHECK(same);
        CHECK(broken || isfinite(r->results[k].energy));
        for (int32_t i = 0; i < r->systems[k].view.n_atoms && r->systems[k].fixed; ++i)
            CHECK(!r->systems[k].fixed[i] ||
                  memcmp(r->pos[k][i], start->pos[k][i], sizeof *r->pos[k]) == 0);
        CHECK(!broken || r->results[k].outcome == STEP_NOT_FINITE);
        free(alone);
    }
    free(start);
    dir_close(r);
}

/* Every size in lanes with its like. */
static void test_like(int how, shoal_precision precision)
{
    for (int k = 0; k < N_SIZES; ++k)
        compare_alone(make_like(sizes[k], (dir_shape){.pairs = k % 2}), how, 60, precision);
}

/* Unlike systems side by side, some of them without directions. */
static void test_unlike(int how, shoal_precision precision, dir_shape shape)
{
    dir_run *r = dir_new();
    for (int k = 0; k < 18; ++k) {
        sketch s = k % 5 == 4   ? sketch_ethylene()
                   : k % 7 == 2 ? sketch_benzene()
                                : sketch_size(sizes[k % N_SIZES]);
        for (int32_t i = 0; i < s.n && k % 6 == 1; ++i)
            if (s.types[i]) s.types[i] = &type_c3;
        dir_add(r, &s, k, shape, 0.01 * (1 + k * 7 % 12), (uint64_t)k);
    }
    r->pos[3][r->systems[3].view.n_atoms][1] = NAN;
    compare_alone(r, how, 60, precision);
}

/* A relaxation that was saved, loaded elsewhere and went on; the engine saves dynamics. */
static void test_resume(int how, bool large, shoal_precision precision)
{
    const sketch s = sketch_size(31);
    dir_run *r[3];
    shoal_string *text = NULL;
    CHECK(shoal_string_create(&text) == SHOAL_OK);
    for (int k = 0; k < 3; ++k) {
        r[k] = dir_new();
        dir_add(r[k], &s, 0, (dir_shape){true, large}, 0.1, 3);
        dir_open(r[k], "cpu", precision);
    }
    dir_steps(r[0], how, 40, 40, 1e-6);
    const backend_driver driver = dir_driver(r[1], how, 40, 1e-6),
                         same = dir_driver(r[2], how, 40, 1e-6);
    backend_part part;
    CHECK(r[1]->backend->first(r[1]->plan, &driver, r[1]->results) == SHOAL_OK);
    CHECK(r[1]->backend->next(r[1]->plan, r[1]->results, &part) == SHOAL_OK && part.n == 1);
    CHECK(r[1]->backend->start(r[1]->plan, &driver, r[1]->results) == SHOAL_OK);
    CHECK(r[1]->backend->step(r[1]->plan, 17, 0, NULL) == SHOAL_OK);
    CHECK(r[1]->backend->save(r[1]->plan, r[1]->results, text) == SHOAL_OK);
    CHECK(r[2]->backend->first(r[2]->plan, &same, r[2]->results) == SHOAL_OK);
    CHECK(r[2]->backend->next(r[2]->plan, r[2]->results, &part) == SHOAL_OK && part.n == 1);
    CHECK(r[2]->backend->start(r[2]->plan, &same, r[2]->results) == SHOAL_OK);
    CHECK(r[2]->backend->load(r[2]->plan, shoal_string_data(text), shoal_string_size(text)) ==
          SHOAL_OK);
    CHECK(r[2]->backend->step(r[2]->plan, 23, 0, NULL) == SHOAL_OK);
    CHECK(dir_same(r[0], 0, r[2], 0, false));
    shoal_string_destroy(text);
    for (int k = 0; k < 3; ++k) dir_close(r[k]);
}

/* --- physics --------------------------------------------------------------------------------------- */

static void test_minimum(int how, bool large, shoal_precision precision)
{
    static const double energies[N_GOLDENS] = {0.026387162296, 0, 0};
    const bool single = precision == SHOAL_PRECISION_FLOAT;
    for (int g = 0; g < N_GOLDENS; ++g) {
        const sketch s = goldens[g].make();
        dir_run *r = dir_new();
        for (int k = 0; k < 2; ++k) dir_add(r, &s, k, (dir_shape){.large = large}, 0, 1);
        dir_open(r, "cpu", precision);
        dir_steps(r, how, 3000, 3000, single ? 2e-3 : 1e-6);
        dir_eval(r);
        for (int32_t k = 0; k < r->n; ++k) {
            if (r->results[k].outcome != STEP_CONVERGED)
                (void)printf("molecule %d, %s%s: %d evaluations, energy %.12g, fmax %g\n", g,
                             driver_name(how), large ? ", large" : "", r->results[k].steps,
                             r->results[k].energy, r->results[k].fmax);
            CHECK(r->results[k].outcome == STEP_CONVERGED);
            CHECK(r->results[k].steps < (how == DIR_FIRE ? 1500 : 150));
            CHECK_NEAR(r->results[k].energy, energies[g], single ? 1e-4 : 1e-8);
            CHECK(r->results[k].fmax <= (single ? 2.2e-3 : 1.1e-6));
            for (int32_t i = s.n; i < dir_movers(r, k); ++i) {
                const double *p = r->pos[k][i];
                CHECK_NEAR(p[0] * p[0] + p[1] * p[1] + p[2] * p[2], 1, 1e-15);
            }
        }
        dir_close(r);
    }
}

/* sum m x cross v, directions without a place of their own. */
static void angular_momentum(const dir_run *r, int32_t k, double out[3])
{
    out[0] = out[1] = out[2] = 0;
    for (int32_t i = 0; i < dir_movers(r, k); ++i) {
        const double *x = r->pos[k][i], *v = r->velocities[k][i], m = r->masses[k][i];
        for (int c = 0; c < 3; ++c)
            out[c] += m * (x[(c + 1) % 3] * v[(c + 2) % 3] - x[(c + 2) % 3] * v[(c + 1) % 3]);
    }
}

/* At a whole step; velocities lag behind by that many fs. */
static double total_energy(const dir_run *r, int32_t k, double lag)
{
    double sum = r->results[k].energy;
    for (int32_t i = 0; i < dir_movers(r, k); ++i)
        for (int c = 0; c < 3; ++c) {
            const double w = ACCELERATION / r->masses[k][i];
            const double v = r->velocities[k][i][c] + lag * w * r->forces[k][i][c];
            sum += 0.5 * v * v / w;
        }
    return sum;
}

/* Over 40 samples 5 fs apart: at a single step it is off by the square of the time step. */
static double mean_energy(dir_run *r)
{
    double sum = 0;
    for (int k = 0; k < 40; ++k) {
        dir_steps(r, DIR_NVE, 10, 10, 0);
        dir_eval(r);
        sum += total_energy(r, 0, 0.25) / 40;
    }
    return sum;
}

static void test_conserves(bool large)
{
    for (int g = 0; g < N_GOLDENS; ++g) {
        const sketch s = goldens[g].make();
        double before[3], after[3];
        dir_run *r = dir_new();
        dir_add(r, &s, 0, (dir_shape){.large = large}, 0, 1);
        dir_open(r, "cpu", SHOAL_PRECISION_DOUBLE);
        angular_momentum(r, 0, before);
        const double start = mean_energy(r);
        dir_steps(r, DIR_NVE, large ? 4000 : 20000, 20000, 0);
        CHECK_NEAR(mean_energy(r), start, 2e-4);
        angular_momentum(r, 0, after);
        for (int c = 0; c < 3; ++c) CHECK_NEAR(after[c], before[c], 1e-10);
        CHECK(r->results[0].outcome == STEP_GOING);
        dir_close(r);
    }
}

/* Both thermostats bring directions to the temperature of their bath. */
static void test_warms(int how)
{
    const sketch s = sketch_chain(31);
    dir_run *r = dir_new();
    for (uint64_t k = 0; k < 4; ++k) dir_add(r, &s, 0, (dir_shape){0}, 0, k);
    dir_open(r, "cpu", SHOAL_PRECISION_FLOAT);
    double sum = 0;
    int32_t n = 0;
    for (int part = 0; part < 40; ++part) {
        for (int32_t k = 0; k < r->n; ++k) r->baths[k].key = (uint64_t)(100 * part + k);
        dir_steps(r, how, 200, 200, 0);
        for (int32_t k = 0; k < r->n && part >= 10; ++k)
            for (int32_t i = s.n; i < dir_movers(r, k); ++i, ++n)
                for (int c = 0; c < 3; ++c) {
                    const double v = r->velocities[k][i][c];
                    sum += v * v * r->masses[k][i] / ACCELERATION;
                }
    }
    CHECK_NEAR(sum / n / 2, r->baths[0].kt, 0.1 * r->baths[0].kt);
    dir_close(r);
}

int main(void)
{
    static const int terms[] = {SHOAL_TERM_BOND,  SHOAL_TERM_ANGLE, SHOAL_TERM_SIGMA_PI,
                                SHOAL_TERM_PI_PI, SHOAL_TERM_VDW,   SHOAL_TERM_COULOMB};
    test_goldens();
    for (int k = 0; k < 12; ++k) test_off(terms[k / 2], k % 2);
    test_threads();
    for (int k = 0; k < 2; ++k) {
        const shoal_precision precision = k ? SHOAL_PRECISION_FLOAT : SHOAL_PRECISION_DOUBLE;
        for (int n = 0; n < N_SIZES; ++n) {
            test_ref(sizes[n], false, precision);
            test_ref(sizes[n], true, precision);
            test_plain(sizes[n], precision);
        }
        for (int how = 0; how < N_DIR_DRIVERS; ++how) {
            test_like(how, precision);
            test_unlike(how, precision, (dir_shape){.pairs = k});
        }
        for (int how = DIR_FIRE; how <= DIR_LBFGS; ++how) {
            test_resume(how, false, precision);
            test_resume(how, true, precision);
            test_minimum(how, false, precision);
            test_minimum(how, true, precision);
        }
    }
    test_conserves(false);
    test_conserves(true);
    test_warms(DIR_LANGEVIN);
    test_warms(DIR_NOSE_HOOVER);
    return check_done();
}
