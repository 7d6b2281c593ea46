/* SPDX-License-Identifier: BSD-3-Clause
 * Dynamics and its random numbers by themselves, on oscillators that pen and paper solve. The test body for float and
 * double: whoever includes this says which by SHOAL_REAL. */
#ifndef SHOAL_TESTS_STEP_MD_PROBE_H
#define SHOAL_TESTS_STEP_MD_PROBE_H

#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "check.h"
#include "step_md.h"

#define IS_FLOAT (sizeof(real) == 4)
#define EPSILON (IS_FLOAT ? (double)FLT_EPSILON : DBL_EPSILON)

/* --- random numbers -------------------------------------------------------------------------------- */

/* Known answers of Random123. */
static void test_philox(void)
{
    static const random_word known[3][10] = {
        {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
        {~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09,
         0x94fdcceb, 0x5001e420, 0x24126ea1},
    };
    for (int k = 0; k < 3; ++k) {
        const random_word *w = known[k];
        const random_words counter = {{w[0], w[1], w[2], w[3]}};
        const random_words got = random_make(counter, w[4], w[5]);
        for (int n = 0; n < 4; ++n) CHECK(got.w[n] == w[6 + n]);
    }
}

/* Transformed numbers against the mathematical library, also at the ends of the range. */
static void test_transforms(void)
{
    random_word n = 12345;
    for (int k = 0; k < 20000; ++k) {
        n = k == 0 ? 0 : k == 1 ? ~0u : n * 1664525u + 1013904223u;
        const double u = ((n >> 8) + 0.5) * 0x1p-24;
        const double wanted = sqrt(-2 * log(u)), step = 0x1p-25 / u; /* to a half of a step of u */
        const double radius = (double)random_radius(n), one = (double)random_uniform(n);
        const double angle =
            1.57079632679489662 * ((n >> 30) + ((n >> 6 & 0xffffff) + 0.5) * 0x1p-24);
        real c, s;
        random_direction(n, &c, &s);
        CHECK(one > 0 && one < 1);
        CHECK_NEAR(one, u, 0x1p-23);
        CHECK_NEAR(radius * radius, wanted * wanted, 2.5 * step + 16 * EPSILON + 2e-9);
        CHECK_NEAR((double)c, cos(angle), 4 * EPSILON + 4e-8);
        CHECK_NEAR((double)s, sin(angle), 4 * EPSILON + 4e-8);
    }
    const v3 low = random_normal((random_words){{0, 0, 0, 0}});
    const v3 high = random_normal((random_words){{~0u, ~0u, ~0u, ~0u}});
    CHECK(fabs((double)low.x) < 6 && fabs((double)low.y) < 6 && fabs((double)low.z) < 6);
    CHECK(fabs((double)high.x) < 6 && fabs((double)high.y) < 6 && fabs((double)high.z) < 6);
}

/* Moments to four standard errors, and what is not the same atom, step, system or seed is not correlated. */
static void test_normal(void)
{
    enum { N = 100000 };
    const md_numbers numbers = {.seed0 = 1, .seed1 = 2};
    double sum[3][4] = {{0}}, mixed[3] = {0}, next[4] = {0};
    for (int k = 0; k < N; ++k) {
        const v3 g = md_noise(&numbers, k % 50, k / 50 + 1, 7, 0);
        const md_numbers other = {.seed0 = 2, .seed1 = 2};
        const double x[3] = {(double)g.x, (double)g.y, (double)g.z};
        const v3 by[4] = {
            md_noise(&numbers, k % 50 + 50, k / 50 + 1, 7, 0),
            md_noise(&numbers, k % 50, k / 50 + 1 + N / 50, 7, 0),
            md_noise(&numbers, k % 50, k / 50 + 1, 8, 0),
            md_noise(&other, k % 50, k / 50 + 1, 7, 0),
        };
        for (int c = 0; c < 3; ++c) {
            double power = 1;
            for (int p = 0; p < 4; ++p) sum[c][p] += power *= x[c];
            mixed[c] += x[c] * x[(c + 1) % 3];
        }
        for (int p = 0; p < 4; ++p) next[p] += x[0] * (double)by[p].x;
    }
    const double error = 4 / sqrt(N);
    for (int c = 0; c < 3; ++c) {
        CHECK_NEAR(sum[c][0] / N, 0, error);
        CHECK_NEAR(sum[c][1] / N, 1, error * sqrt(2.0));
        CHECK_NEAR(sum[c][2] / N, 0, error * sqrt(15.0));
        CHECK_NEAR(sum[c][3] / N, 3, error * sqrt(96.0));
        CHECK_NEAR(mixed[c] / N, 0, error);
    }
    for (int p = 0; p < 4; ++p) CHECK_NEAR(next[p] / N, 0, error);
}

/* --- parts ------------------------------------------------------------------------------------------- */

static void test_exp(void)
{
    for (int k = -1000; k <= 1000; ++k) {
        const real x = (real)(k * 0.25e-3);
        CHECK_NEAR((double)md_exp(x) / exp((double)x), 1, 2 * EPSILON);
    }
    CHECK(md_exp(R(-1e9)) == md_exp(R(-0.25)) && md_exp(R(1e9)) == md_exp(R(0.25)));
    CHECK(isnan((double)md_exp((real)NAN)));
}

/* A million small moves add up; two numbers more exact than the one keep what it loses. */
static void test_drift(void)
{
    real x = R(3.7), low = R(0.0), plain = x;
    long double wanted = (long double)x;
    random_word n = 1;
    for (int k = 0; k < 1000000; ++k) {
        n = n * 1664525u + 1013904223u;
        const real d = (real)(((double)n * 0x1p-32 - 0.499) * 1e-3);
        const real from = x, by = low + d;
        md_drift(&x, &low, d);
        plain += d;
        wanted += (long double)d;
        if (k % 1000) continue;
        CHECK((long double)x + (long double)low == (long double)from + (long double)by);
        CHECK(fabs((double)low) <= EPSILON * fabs((double)x));
    }
    const double drift = (double)((long double)x + (long double)low - wanted);
    CHECK_NEAR(drift, 0, 1e-3 * EPSILON * 1000);
    CHECK(fabs((double)((long double)plain - wanted)) > 10 * fabs(drift));
}

/* --- oscillators ------------------------------------------------------------------------------------- */

enum { N_MOST = 64 };

/* Atoms in springs of their own, moved as a schedule moves them. */
typedef struct springs {
    int n;
    double k[N_MOST]; /* eV/angstrom^2 */
    real w[N_MOST];
    v3 x[N_MOST], low[N_MOST], v[N_MOST];
    md_state state;
    md_numbers numbers;
    double conserved; /* with that of the thermostat, eV; between two halves of it */
    v3 full[N_MOST];  /* velocities at the same time as the coordinates before the move */
} springs;

static v3 spring_force(const springs *s, int i)
{
    return v3_scale((real)-s->k[i], s->x[i]);
}

static void spring_move(v3 *x, v3 *low, v3 d)
{
    md_drift(&x->x, &low->x, d.x);
    md_drift(&x->y, &low->y, d.y);
    md_drift(&x->z, &low->z, d.z);
}

static void sum_springs(springs *s, md_sums *sum)
{
    const real close = md_close(&s->state, &s->numbers), open = md_open(&s->numbers);
    for (int i = 0; i < s->n; ++i) {
        const v3 f = spring_force(s, i), push = v3_scale(s->w[i], f);
        s->v[i] = v3_add(s->v[i], v3_scale(close, push));
        s->full[i] = s->v[i];
        const v3 next = v3_add(s->v[i], v3_scale(open, push));
        sum->kinetic2 += s->w[i] > 0 ? v3_dot(s->v[i], s->v[i]) / s->w[i] : 0;
        sum->v2 = real_max(sum->v2, v3_dot(next, next));
        sum->f2 = real_max(sum->f2, v3_dot(f, f));
    }
}

static double chain_energy(const springs *s)
{
    const md_state *m = &s->state;
    const double kt = (double)m->kt, q2 = kt * (double)(s->numbers.tau * s->numbers.tau);
    const double q1 = (double)m->n_dof * q2;
    if (s->numbers.thermostat != MD_NOSE_HOOVER) return 0;
    return 0.5 * q1 * (double)(m->v[0] * m->v[0]) + 0.5 * q2 * (double)(m->v[1] * m->v[1]) +
           kt * ((double)m->n_dof * (double)m->x[0] + (double)m->x[1]);
}

static bool step_springs(springs *s)
{
    md_sums sum = {0};
    sum_springs(s, &sum);
    const md_move m = md_decide(&s->state, &sum, &s->numbers);
    if (!m.go) return false;
    const real open = md_open(&s->numbers), dt = s->numbers.dt, half = R(0.5) * dt;
    s->conserved = 0.5 * (double)(m.scale * m.scale * sum.kinetic2) + chain_energy(s);
    for (int i = 0; i < s->n; ++i) {
        const v3 x = s->x[i], push = v3_scale(open * s->w[i], spring_force(s, i));
        s->conserved += 0.5 * s->k[i] * (double)v3_dot(x, x);
        s->v[i] = v3_add(v3_scale(m.scale, s->v[i]), push);
        spring_move(&s->x[i], &s->low[i],
                    v3_scale(s->numbers.thermostat == MD_LANGEVIN ? half : dt, s->v[i]));
        if (s->numbers.thermostat != MD_LANGEVIN) continue;
        const v3 g = md_normal(&s->state, &s->numbers, i);
        s->v[i] =
            v3_add(v3_scale(s->numbers.keep, s->v[i]), v3_scale(m.noise * real_sqrt(s->w[i]), g));
        spring_move(&s->x[i], &s->low[i], v3_scale(half, s->v[i]));
    }
    return true;
}

/* Angular frequencies from 1 to 2 / fs, displaced by different amounts, at rest. */
static void make_springs(springs *s, int n, double dt)
{
    memset(s, 0, sizeof *s);
    s->n = n;
    s->numbers =
        (md_numbers){.dt = (real)dt, .keep = R(1.0), .tau = R(3.0), .most = R(1e3), .seed0 = 5};
    s->state = (md_state){.kt = R(0.5), .n_dof = (real)(3 * n), .outcome = STEP_GOING};
    for (int i = 0; i < n; ++i) {
        const double omega = 1 + 1.0 * i / n;
        s->w[i] = (real)(0.5 + 0.01 * i);
        s->k[i] = omega * omega / (double)s->w[i];
        s->x[i] = v3_make((real)(0.5 + 0.02 * i), R(-0.7), R(1.0));
    }
}

/* From rest velocity Verlet goes x0 cos(n theta), cos theta = 1 - (omega dt)^2 / 2. */
static void test_verlet(void)
{
    springs s;
    const double dt = 0.3;
    make_springs(&s, 4, dt);
    v3 start[4];
    memcpy(start, s.x, sizeof start);
    for (int n = 0; n < 500; ++n) {
        for (int i = 0; i < s.n; ++i) {
            const double omega2 = s.k[i] * (double)s.w[i];
            const double now = cos(n * acos(1 - 0.5 * omega2 * dt * dt));
            CHECK_NEAR((double)s.x[i].x, (double)start[i].x * now, 2000 * EPSILON);
            CHECK_NEAR((double)s.x[i].y, (double)start[i].y * now, 2000 * EPSILON);
        }
        CHECK(step_springs(&s) && s.state.n_evals == n + 1);
    }
}

/* Velocities to the time of the coordinates, and round. */
static void turn_springs(springs *s)
{
    md_sums sum = {0};
    sum_springs(s, &sum);
    real scale = R(1.0);
    if (s->numbers.thermostat == MD_NOSE_HOOVER)
        scale = md_nose_hoover_half(&s->state, md_kt(&s->state), &sum.kinetic2, &s->numbers);
    for (int i = 0; i < s->n; ++i) s->v[i] = v3_scale(-scale, s->v[i]);
    for (int k = 0; k < 2; ++k) s->state.v[k] = -s->state.v[k];
    s->state.started = 0;
}

static void test_reversible(int thermostat)
{
    springs s;
    make_springs(&s, 4, 0.2);
    s.numbers.thermostat = thermostat;
    for (int i = 0; i < s.n; ++i) s.v[i] = v3_make(R(0.3), R(0.1), (real)(0.1 * i));
    v3 start[4], there[4];
    memcpy(start, s.x, sizeof start);
    for (int n = 0; n < 200; ++n) CHECK(step_springs(&s));
    memcpy(there, s.x, sizeof there);
    turn_springs(&s);
    for (int n = 0; n < 200; ++n) CHECK(step_springs(&s));
    for (int i = 0; i < s.n; ++i) {
        CHECK(fabs((double)(there[i].x - start[i].x)) > 1e-3);
        CHECK_NEAR((double)s.x[i].x, (double)start[i].x, 4000 * EPSILON);
        CHECK_NEAR((double)s.x[i].z, (double)start[i].z, 4000 * EPSILON);
    }
    turn_springs(&s); /* the last half of the thermostat */
    CHECK_NEAR((double)s.state.x[0], 0, 4000 * EPSILON);
}

static void stir(springs *s, double friction)
{
    const double keep = exp(-friction * (double)s->numbers.dt);
    s->numbers.keep = (real)keep;
    s->numbers.stir = (real)sqrt((1 - keep) * (1 + keep));
}

/* Largest deviation of what is conserved over some time, relative; friction: of the end of a chain, 1/fs. */
static double deviation(int thermostat, double dt, double friction)
{
    springs s;
    double first = 0, most = 0;
    make_springs(&s, 4, dt);
    stir(&s, friction);
    s.numbers.thermostat = thermostat;
    for (int n = 0; n < (int)(100 / dt); ++n) {
        CHECK(step_springs(&s));
        if (n == 0) first = s.conserved;
        if (fabs(s.conserved - first) > most) most = fabs(s.conserved - first);
    }
    if (thermostat == MD_NOSE_HOOVER) CHECK(fabs((double)s.state.x[0]) > 0.01);
    return most / fabs(first);
}

static void test_conserved(int thermostat)
{
    const double wide = deviation(thermostat, 0.2, 0), half = deviation(thermostat, 0.1, 0),
                 quarter = deviation(thermostat, 0.05, 0);
    CHECK(wide > 0 && wide < 0.1);
    CHECK_NEAR(wide / half, 4, 0.6);
    CHECK_NEAR(half / quarter, 4, 0.6);
}

/* What stirs the end of a chain gives and takes energy, and that is counted. */
static void test_stirred_conserved(void)
{
    const double found = deviation(MD_NOSE_HOOVER, 0.05, 1.0 / 3.0);
    (void)printf("deviation of a stirred chain: %g\n", found);
    CHECK(found < 0.02);
}

/* One oscillator, twelve times as fast as its chain, has the distribution of the bath: <x x> = kT / k and three times
 * the square of it. */
static void test_stirred(void)
{
    enum { N_STEPS = 2000000 };
    springs s;
    double x2 = 0, x4 = 0;
    make_springs(&s, 1, 0.2);
    s.x[0] = v3_make(R(0.2), R(0.0), R(0.0));
    s.state.n_dof = R(1.0);
    s.numbers.tau = R(12.0);
    s.numbers.thermostat = MD_NOSE_HOOVER;
    stir(&s, 1.0 / 12.0);
    for (int n = 0; n < N_STEPS; ++n) {
        CHECK(step_springs(&s));
        const double x = (double)s.x[0].x, u = s.k[0] * x * x / 0.5;
        x2 += u / N_STEPS;
        x4 += u * u / N_STEPS;
    }
    (void)printf("a stirred oscillator: <x2> %g, <x4> %g\n", x2, x4);
    CHECK_NEAR(x2, 1, 0.1);
    CHECK_NEAR(x4, 3, 0.6);
}

/* BAOAB samples the coordinates of oscillators without error, however long its steps are: <x x> = kT / k. Velocities of
 * the same time have <v v> = w kT (1 - (omega dt)^2 / 4). */
static void test_langevin(void)
{
    enum { N_STEPS = 4000, N_FIRST = 100 };
    springs s;
    double x2 = 0, v2 = 0, v2_wanted = 0;
    make_springs(&s, N_MOST, 0.7);
    s.numbers.thermostat = MD_LANGEVIN;
    stir(&s, 1.0);
    for (int i = 0; i < s.n; ++i) v2_wanted += (1 - 0.25 * s.k[i] * (double)s.w[i] * 0.49) / s.n;
    for (int n = 0; n < N_STEPS; ++n) {
        if (n >= N_FIRST)
            for (int i = 0; i < s.n; ++i) x2 += s.k[i] * (double)v3_dot(s.x[i], s.x[i]) / 3;
        CHECK(step_springs(&s));
        for (int i = 0; i < s.n && n >= N_FIRST; ++i)
            v2 += (double)(v3_dot(s.full[i], s.full[i]) / s.w[i]) / 3;
    }
    const double n = (double)s.n * (N_STEPS - N_FIRST);
    /* 750 000 numbers, of which one in four is new: 0.3 %. */
    CHECK_NEAR(x2 / n / 0.5, 1, 0.012);
    CHECK_NEAR(v2 / n / 0.5, v2_wanted, 0.012);
}

/* --- decisions ---------------------------------------------------------------------------------------- */

static void test_ends(void)
{
    const md_numbers n = {.dt = R(0.5), .most = R(0.5)};
    const md_state first = {.kt = R(0.02), .n_dof = R(3.0), .n_evals = 7, .first = 7};
    const struct {
        md_sums sum;
        int outcome;
    } cases[] = {
        {{R(0.1), R(0.99), R(1.0)}, STEP_GOING},
        {{R(0.1), R(1.01), R(1.0)}, STEP_UNSTABLE},
        {{R(0.1), R(0.5), (real)NAN}, STEP_NOT_FINITE},
        {{R(0.1), R(0.5), (real)INFINITY}, STEP_NOT_FINITE},
        {{(real)NAN, R(0.5), R(1.0)}, STEP_NOT_FINITE},
        {{R(0.1), (real)NAN, R(1.0)}, STEP_UNSTABLE},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        md_state s = first;
        const md_move m = md_decide(&s, &cases[k].sum, &n);
        const bool going = cases[k].outcome == STEP_GOING;
        CHECK(s.outcome == cases[k].outcome && m.go == going);
        CHECK(s.n_evals == 7 + going && s.started == going);
    }
}

/* The temperature of the bath at every step. */
static void test_ramp(void)
{
    const md_numbers n = {.dt = R(0.5), .most = R(0.5), .stir = R(0.25), .thermostat = MD_LANGEVIN};
    md_state s = {.kt = R(0.04), .kt_change = R(0.01), .n_dof = R(3.0), .n_evals = 9, .first = 9};
    const md_sums sum = {R(0.1), R(0.1), R(0.1)};
    for (int k = 0; k < 5; ++k) {
        const md_move m = md_decide(&s, &sum, &n);
        CHECK_NEAR((double)m.noise, 0.25 * sqrt(0.04 + 0.01 * k), 2 * EPSILON);
        CHECK(m.scale == R(1.0));
    }
    s.kt_change = R(-1.0);
    CHECK(md_decide(&s, &sum, &n).noise == R(0.0)); /* never below zero */
}

int main(void)
{
    test_philox();
    test_transforms();
    test_normal();
    test_exp();
    test_drift();
    test_verlet();
    test_reversible(MD_NONE);
    test_reversible(MD_NOSE_HOOVER);
    test_conserved(MD_NONE);
    test_conserved(MD_NOSE_HOOVER);
    test_stirred_conserved();
    test_stirred();
    test_langevin();
    test_ends();
    test_ramp();
    return check_done();
}

#endif
