/* SPDX-License-Identifier: BSD-3-Clause
 * Decisions of FIRE and L-BFGS by hand, and the direction of L-BFGS against the two loops of the textbook. */
#include <stdbool.h>
#include <stdint.h>

#include "check.h"

#define SHOAL_REAL double
#include "step_fire.h"
#include "step_lbfgs.h"

static void test_progress(void)
{
    step_progress p = STEP_NO_PROGRESS;
    CHECK(!step_is_stuck(&p, 8, 1.0, 1e-3, 1.0) && p.idle == 0);
    CHECK(!step_is_stuck(&p, 8, 1.0 - 1e-4, 1e-3, 0.9) && p.idle == 8); /* noise */
    CHECK(!step_is_stuck(&p, 8, 0.9, 1e-3, 2.0) && p.idle == 0);        /* a lower energy */
    CHECK_NEAR(p.quietest, 1.0, 0);
    CHECK(!step_is_stuck(&p, 8, 5.0, 1e-3, 0.7) && p.idle == 0); /* a smaller force */
    CHECK_NEAR(p.lowest, 0.9, 0);
    for (int k = 1; k <= STEP_PATIENCE / 8; ++k) CHECK(!step_is_stuck(&p, 8, 0.9, 1e-3, 0.7));
    CHECK(step_is_stuck(&p, 8, 0.9, 1e-3, 0.7));
}

static void test_bounded(void)
{
    const v3 f = step_bounded(v3_make(3e20, -4e20, 0)), small = step_bounded(v3_make(1, 2, 3));
    CHECK_NEAR(f.x / FORCE_MOST, 0.75, 1e-12);
    CHECK_NEAR(f.y / FORCE_MOST, -1.0, 1e-12);
    CHECK(small.x == 1 && small.y == 2 && small.z == 3);
}

static const step_limits limits = {1e-4, 0.2, 500};

static void test_fire_moves(void)
{
    fire_state s = fire_begin(0, fire_usual());
    const fire_sums gentle = {4.0, 0.0, 0.0, 1.0}, along = {4.0, 1.0, 2.0, 1.0};
    fire_move m = fire_decide(&s, &gentle, &limits);
    CHECK(s.outcome == STEP_GOING && !m.retreat);
    CHECK_NEAR(s.work, -0.5 * 0.02 * (0.02 * 4.0), 1e-15); /* half a move ahead */
    CHECK_NEAR(s.speed, 0.02, 1e-15);
    CHECK_NEAR(m.move, 0.02, 1e-15);
    m = fire_decide(&s, &along, &limits);
    CHECK_NEAR(m.keep, 0.9, 1e-15);
    CHECK_NEAR(m.push, 0.02 + 0.1 * 0.5, 1e-15);
    /* Forces along the move: the energy falls. */
    CHECK_NEAR(s.work, -0.0008 - 0.5 * 0.02 * 2.0 - 0.5 * 0.02 * (0.9 * 2.0 + 0.07 * 4.0), 1e-15);
    CHECK_NEAR(s.speed, 0.9 * 0.02 + 0.07, 1e-15);
    const fire_sums hard = {1e6, 1.0, 2.0, 1e6}, back = {4.0, 1.0, -2.0, 1.0};
    m = fire_decide(&s, &hard, &limits);
    CHECK_NEAR(m.move * s.speed, limits.max_move, 1e-12); /* nobody goes further */
    const double work = s.work, move = s.move;
    m = fire_decide(&s, &back, &limits);
    CHECK(m.keep == 0 && s.quiet == 0);
    CHECK_NEAR(s.work, work + 0.5 * move * 2.0 - 0.5 * m.move * (0.01 * 4.0), 1e-13);
    CHECK_NEAR(s.dt, 0.01, 1e-15);
    CHECK_NEAR(m.push, 0.01, 1e-15);
    for (int k = 0; k < 5; ++k) (void)fire_decide(&s, &along, &limits);
    CHECK_NEAR(s.dt, 0.01, 1e-15);
    (void)fire_decide(&s, &along, &limits);
    CHECK_NEAR(s.dt, 0.011, 1e-15);
    CHECK_NEAR(s.mixing, 0.099, 1e-15);
}

/* Numbers of a system's own. */
static void test_fire_numbers(void)
{
    const fire_numbers own = {0.05, 0.06, 0.04, 0.5, 0.8};
    const fire_sums along = {4.0, 1.0, 2.0, 1.0}, back = {4.0, 1.0, -2.0, 1.0};
    fire_state s = fire_begin(0, own);
    fire_move m = fire_decide(&s, &along, &limits);
    CHECK_NEAR(m.keep, 0.5, 1e-15);
    CHECK_NEAR(m.push, 0.05 + 0.5 * 0.5, 1e-15);
    for (int k = 0; k < 5; ++k) m = fire_decide(&s, &along, &limits);
    CHECK_NEAR(s.dt, 0.055, 1e-15);
    CHECK_NEAR(s.mixing, 0.4, 1e-15);
    m = fire_decide(&s, &along, &limits);
    CHECK_NEAR(s.dt, 0.06, 1e-15); /* no longer */
    m = fire_decide(&s, &back, &limits);
    CHECK_NEAR(s.dt, 0.04, 1e-15); /* no shorter */
    CHECK_NEAR(s.mixing, 0.5, 1e-15);
}

static void test_fire_retreats(void)
{
    fire_state s = fire_begin(0, fire_usual());
    const fire_sums good = {4.0, 0.0, 0.0, 1.0}, lost = {NAN, NAN, NAN, NAN};
    (void)fire_decide(&s, &lost, &limits);
    CHECK(s.outcome == STEP_NOT_FINITE);
    s = fire_begin(0, fire_usual());
    for (int k = 0; k <= FIRE_MOST_RETREATS; ++k) {
        const double dt = s.dt;
        const fire_move to = fire_decide(&s, &good, &limits);
        CHECK(s.outcome == STEP_GOING && !to.retreat && to.move > 0);
        const fire_move m = fire_decide(&s, &lost, &limits);
        CHECK(m.retreat && m.move == to.move);
        CHECK(s.speed == 0 && s.move == 0 && s.quiet == 0);
        CHECK_NEAR(s.dt, 0.2 * dt, 1e-15);
        CHECK(s.outcome == (k < FIRE_MOST_RETREATS ? STEP_GOING : STEP_STALLED));
    }
    const step_limits few = {1e-4, 0.2, 2};
    s = fire_begin(0, fire_usual());
    (void)fire_decide(&s, &good, &few);
    (void)fire_decide(&s, &lost, &few);
    CHECK(s.outcome == STEP_MAX_STEPS);
    s = fire_begin(1, fire_usual()); /* evaluations that were used before */
    (void)fire_decide(&s, &good, &few);
    CHECK(s.outcome == STEP_MAX_STEPS && s.n_evals == 2);
}

/* Without work or smaller forces a system is given up. */
static void test_fire_stall(void)
{
    const step_limits many = {1e-4, 0.2, 5000};
    /* To and fro with the shortest time step: the force at the end undoes what that at the start did. */
    const fire_sums idle = {4.0, 1.0, -0.009, 1.0}, work = {4.0, 1.0, 2.0, 1.0};
    fire_state a = fire_begin(0, fire_usual()), b = fire_begin(0, fire_usual());
    while (a.outcome == STEP_GOING) (void)fire_decide(&a, &idle, &many);
    while (b.outcome == STEP_GOING) (void)fire_decide(&b, &work, &many);
    CHECK(a.outcome == STEP_STALLED && a.n_evals == 8 + 1008);
    CHECK(b.outcome == STEP_MAX_STEPS && b.n_evals == 5000);
}

/* A state on its way: slope -1 along the direction, so that energies are easy. */
static lbfgs_state lbfgs_going(void)
{
    lbfgs_state s = lbfgs_begin(0);
    const lbfgs_sums first = {10.0, 10.0, 1.0};
    CHECK(lbfgs_judge(&s, &first, &limits) == LBFGS_TAKEN && s.place == 1);
    s.slope = -1.0;
    s.length = 1.0;
    return s;
}

static int judge_energy(lbfgs_state *s, double energy)
{
    const lbfgs_sums sum = {energy, 10.0, 1.0};
    return lbfgs_judge(s, &sum, &limits);
}

static void test_lbfgs_judge(void)
{
    lbfgs_state s = lbfgs_going();
    CHECK(judge_energy(&s, 9.5) == LBFGS_TAKEN && s.energy == 9.5 && s.place == 2);
    s = lbfgs_going();
    CHECK(judge_energy(&s, 10 - 1e-5) == LBFGS_REFUSED); /* less than Armijo wants */
    CHECK(s.energy == 10.0 && s.place == 1 && s.backtracks == 1 && s.n_evals == 2);
    CHECK_NEAR(s.length, 0.5, 1e-4);
    s = lbfgs_going();
    CHECK(judge_energy(&s, 11.0) == LBFGS_REFUSED); /* the parabola has its minimum at 1/4 */
    CHECK_NEAR(s.length, 0.25, 1e-12);
    s = lbfgs_going();
    CHECK(judge_energy(&s, 1e4) == LBFGS_REFUSED);
    CHECK_NEAR(s.length, 0.1, 1e-12);
    s = lbfgs_going();
    CHECK(judge_energy(&s, NAN) == LBFGS_REFUSED && s.outcome == STEP_GOING);
    CHECK_NEAR(s.length, 0.1, 1e-12);
    s = lbfgs_going();
    s.slope = -1e-13; /* what rounding does is no rise */
    CHECK(judge_energy(&s, 10 + 1e-13) == LBFGS_TAKEN);
    s = lbfgs_begin(0);
    CHECK(judge_energy(&s, NAN) == LBFGS_REFUSED && s.outcome == STEP_NOT_FINITE);
    s = lbfgs_going();
    for (int k = 1; k <= LBFGS_GIVE_UP; ++k) {
        CHECK(judge_energy(&s, 20.0) == (k == LBFGS_RESTART ? LBFGS_RESTARTED : LBFGS_REFUSED));
        CHECK(s.backtracks == k);
        CHECK(s.outcome == (k < LBFGS_GIVE_UP ? STEP_GOING : STEP_STALLED));
    }
    s = lbfgs_going();
    const lbfgs_sums quiet = {20.0, 10.0, 1e-6};
    CHECK(lbfgs_judge(&s, &quiet, &limits) == LBFGS_REFUSED && s.outcome == STEP_GOING);
    lbfgs_set_length(&s, 0.16, &limits);
    CHECK_NEAR(s.length, 0.5, 1e-12);
    lbfgs_set_length(&s, 0.01, &limits);
    CHECK_NEAR(s.length, 1.0, 0);
}

/* --- directions: a few atoms, a diagonal S, and a Hessian that is none ------------------------------ */

enum { N_ATOMS = 3, N = 3 * N_ATOMS, N_TAKEN = 9 };

static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53 - 0.5;
}

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < N; ++i) sum += a[i] * b[i];
    return sum;
}

typedef struct descent {
    double f[N], soft[N];                                /* force; S */
    double move[N_TAKEN + 1][N], change[N_TAKEN + 1][N]; /* by age, the oldest first */
    bool curved[N_TAKEN + 1];
    double vectors[2 * LBFGS_PAIRS][N]; /* as a schedule keeps them: moves, S changes */
    double products[LBFGS_PRODUCTS];
} descent;

/* Nocedal's two loops over the pairs that were kept, of the last LBFGS_PAIRS. */
static void textbook(const descent *t, int n, double gamma, double *d)
{
    double alpha[N_TAKEN + 1] = {0};
    memcpy(d, t->f, sizeof t->f);
    for (int k = n - 1; k >= 0 && k >= n - LBFGS_PAIRS; --k) {
        if (!t->curved[k]) continue;
        alpha[k] = dot(t->move[k], d) / dot(t->move[k], t->change[k]);
        for (int i = 0; i < N; ++i) d[i] -= alpha[k] * t->change[k][i];
    }
    for (int i = 0; i < N; ++i) d[i] *= gamma * t->soft[i];
    for (int k = n < LBFGS_PAIRS ? 0 : n - LBFGS_PAIRS; k < n; ++k) {
        if (!t->curved[k]) continue;
        const double beta = dot(t->change[k], d) / dot(t->move[k], t->change[k]);
        for (int i = 0; i < N; ++i) d[i] += (alpha[k] - beta) * t->move[k][i];
    }
}

/* The step before last to the newest place of the history, with its products, kept in both ways. */
static void keep(descent *t, int n, int place, const double *old)
{
    double sums[LBFGS_N_DOTS] = {0}, other[LBFGS_PRODUCTS], y[N], sf[N];
    for (int i = 0; i < N; ++i) {
        y[i] = old[i] - t->f[i];
        sf[i] = t->soft[i] * t->f[i];
        t->vectors[place][i] = n >= 0 ? t->move[n][i] : 0;
        t->vectors[LBFGS_PAIRS + place][i] = t->soft[i] * y[i];
    }
    if (n >= 0) memcpy(t->change[n], y, sizeof y);
    for (int j = 0; j < LBFGS_PAIRS; ++j)
        for (int a = 0; a < N_ATOMS; ++a) {
            const double *sj = t->vectors[j] + 3 * a, *c = t->vectors[LBFGS_PAIRS + j] + 3 * a;
            double own[LBFGS_PAIR_DOTS];
            lbfgs_pair_dots(v3_make(y[3 * a], y[3 * a + 1], y[3 * a + 2]),
                            v3_make(t->f[3 * a], t->f[3 * a + 1], t->f[3 * a + 2]),
                            v3_make(sj[0], sj[1], sj[2]), v3_make(c[0], c[1], c[2]), own);
            for (int k = 0; k < LBFGS_PAIR_DOTS; ++k) sums[LBFGS_PAIR_DOTS * j + k] += own[k];
        }
    sums[LBFGS_DOT_FSF] = dot(t->f, sf);
    sums[LBFGS_DOT_YY] = dot(y, y);
    sums[LBFGS_DOT_FF] = dot(t->f, t->f);
    memcpy(other, t->products, sizeof other);
    lbfgs_keep_products(place, sums, 1, t->products);
    for (int k = 0; k < LBFGS_N_DOTS; ++k) lbfgs_keep_product(k, place, sums[k], other);
    CHECK(memcmp(other, t->products, sizeof other) == 0);
}

static void combine(const descent *t, const lbfgs_coefficients *c, double *d)
{
    for (int i = 0; i < N; ++i) {
        d[i] = (c->of_soft * t->soft[i] + c->of_force) * t->f[i];
        for (int k = 0; k < LBFGS_PAIRS; ++k)
            d[i] += lbfgs_get4(c->of_move, k) * t->vectors[k][i] -
                    lbfgs_get4(c->of_change, k) * t->vectors[LBFGS_PAIRS + k][i];
    }
}

/* Steps that are all taken. Changes mostly follow the moves, so that curvatures are positive; every fourth
 * goes the other way, and must be left out. */
static void test_lbfgs_directions(void)
{
    static descent t;
    uint64_t seed = 3;
    lbfgs_state s = lbfgs_begin(0);
    double gamma = LBFGS_START, old[N] = {0}, want[N], got[N];
    for (int i = 0; i < N; ++i) {
        t.soft[i] = 1.2 + draw(&seed);
        t.f[i] = draw(&seed);
    }
    for (int n = -1; n < N_TAKEN; ++n) {
        CHECK(judge_energy(&s, 10.0 - n) == LBFGS_TAKEN);
        for (int i = 0; i < N && n >= 0; ++i) {
            t.move[n][i] = 0.1 * draw(&seed);
            old[i] = t.f[i];
            t.f[i] -= (n % 4 == 3 ? -2.0 : 2.0) * t.move[n][i] + 0.02 * draw(&seed);
        }
        keep(&t, n, s.place, old);
        if (n >= 0) {
            double ysy = 0;
            for (int i = 0; i < N; ++i) ysy += t.change[n][i] * t.soft[i] * t.change[n][i];
            t.curved[n] = n % 4 != 3;
            if (t.curved[n]) gamma = dot(t.move[n], t.change[n]) / ysy;
        }
        const lbfgs_coefficients c = lbfgs_direct(&s, LBFGS_TAKEN, t.products);
        CHECK_NEAR(s.gamma, gamma, 1e-12);
        combine(&t, &c, got);
        textbook(&t, n + 1, gamma, want);
        for (int i = 0; i < N; ++i) CHECK_NEAR(got[i], want[i], 1e-11);
        CHECK_NEAR(s.slope, -dot(t.f, want), 1e-11);
    }
    /* A restart forgets what was known. */
    const lbfgs_coefficients c = lbfgs_direct(&s, LBFGS_RESTARTED, t.products);
    combine(&t, &c, got);
    for (int i = 0; i < N; ++i) CHECK_NEAR(got[i], LBFGS_START * t.soft[i] * t.f[i], 1e-12);
    /* Where the direction would go uphill, plainly along the force. */
    t.products[PRODUCT_FSF] = -1.0;
    const lbfgs_coefficients plain = lbfgs_direct(&s, LBFGS_RESTARTED, t.products);
    CHECK(plain.of_soft == 0 && plain.of_force == LBFGS_PLAIN);
    CHECK_NEAR(s.slope, -LBFGS_PLAIN * dot(t.f, t.f), 1e-12);
}

/* A pair is worth keeping if it is not stiffer than 1e6 eV/angstrom^2: s.y against y.y. */
static void test_lbfgs_curvature(void)
{
    static const double stiff[4] = {1e-7, 1e-5, 0, -1e-3};
    for (int k = 0; k < 4; ++k) {
        double products[LBFGS_PRODUCTS] = {0};
        lbfgs_state s = lbfgs_begin(0);
        s.started = 2;
        s.place = 1;
        products[PRODUCT_SY + (LBFGS_PAIRS + 1) * 1] = stiff[k];
        products[PRODUCT_YSY + (LBFGS_PAIRS + 1) * 1] = 2;
        products[PRODUCT_FSF + LBFGS_DOT_YY - LBFGS_DOT_FSF] = 1;
        lbfgs_measure(&s, products);
        CHECK_NEAR(s.rho.y, k == 1 ? 1e5 : 0, 1e-6);
        CHECK_NEAR(s.gamma, k == 1 ? 5e-6 : lbfgs_begin(0).gamma, 1e-12);
    }
}

int main(void)
{
    test_progress();
    test_bounded();
    test_fire_moves();
    test_fire_numbers();
    test_fire_retreats();
    test_fire_stall();
    test_lbfgs_judge();
    test_lbfgs_directions();
    test_lbfgs_curvature();
    return check_done();
}
