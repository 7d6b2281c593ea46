/* SPDX-License-Identifier: BSD-3-Clause
 * The shared special functions against the mathematical library over all of their domain, and at its
 * edges. Included with SHOAL_REAL set, with the relative errors that special_terms.h states, EXP_ERROR
 * and ERFCX_ERROR, and with the ends of the domains: EXP_FIRST is where normal numbers begin. */
#include <float.h>

#include "check.h"

#include "special_terms.h"

/* The same functions once more, for the numbers that 16 bytes hold. */
typedef real few __attribute__((vector_size(16)));
enum { FEW = 16 / (int)sizeof(real), N_POINTS = 200000 };

SHOAL_FN few few_min(few a, few b)
{
    for (int l = 0; l < FEW; ++l) a[l] = real_min(a[l], b[l]);
    return a;
}

SHOAL_FN few few_max(few a, few b)
{
    for (int l = 0; l < FEW; ++l) a[l] = real_max(a[l], b[l]);
    return a;
}

SHOAL_FN few few_power(few shifted)
{
    for (int l = 0; l < FEW; ++l) shifted[l] = real_power(shifted[l]);
    return shifted;
}

#define real few
#define PAIR(name) name##_few
#define PAIR_MIN(a, b) few_min(a, b)
#define PAIR_MAX(a, b) few_max(a, b)
#define PAIR_POWER(shifted) few_power(shifted)
#include "special_terms.h"
#undef PAIR_POWER
#undef PAIR_MAX
#undef PAIR_MIN
#undef PAIR
#undef real

/* Laplace's continued fraction (Abramowitz and Stegun 7.1.14), for y >= 2. */
static long double erfcx_fraction(long double y)
{
    long double rest = 0.0L;
    for (int n = y < 6.0L ? 120 : 40; n > 0; --n) rest = 0.5L * (long double)n / (y + rest);
    return 0.564189583547756286948079451560772586L / (y + rest);
}

static long double erfcx_plain(long double y)
{
    return expl(y * y) * erfcl(y);
}

static double exp_error(double at)
{
    const real x = (real)at;
    return (double)fabsl((long double)special_exp(x) / expl((long double)x) - 1.0L);
}

static double erfcx_error(double at)
{
    const real y = (real)at;
    const long double v = (long double)y, want = v < 2.0L ? erfcx_plain(v) : erfcx_fraction(v);
    return (double)fabsl((long double)special_erfcx(y) / want - 1.0L);
}

static double worst_linear(double (*error)(double), double first, double last)
{
    double worst = 0.0;
    for (int k = 0; k <= N_POINTS; ++k) {
        const double e = error(first + (last - first) * k / N_POINTS);
        worst = e <= worst ? worst : e;
    }
    return worst;
}

/* first and last have the same sign. */
static double worst_by_factors(double (*error)(double), double first, double last)
{
    double worst = 0.0;
    for (int k = 0; k <= N_POINTS; ++k) {
        const double e = error(first * pow(last / first, (double)k / N_POINTS));
        worst = e <= worst ? worst : e;
    }
    return worst;
}

static void test_reference(void)
{
    for (int k = 0; k <= 400; ++k) {
        const long double y = 2.0L + 0.01L * (long double)k;
        CHECK_NEAR((double)(erfcx_fraction(y) / erfcx_plain(y) - 1.0L), 0.0,
                   100.0 * (double)LDBL_EPSILON);
    }
}

static void test_errors(void)
{
    const double noise = 4.0 * (double)LDBL_EPSILON; /* of the reference */
    CHECK_NEAR(worst_linear(exp_error, EXP_FIRST, 0.0), 0.0, EXP_ERROR + noise);
    CHECK_NEAR(worst_linear(exp_error, -2.0, 2.0), 0.0, EXP_ERROR + noise);
    CHECK_NEAR(worst_linear(exp_error, 0.0, EXP_LAST), 0.0, EXP_ERROR + noise);
    CHECK_NEAR(worst_by_factors(exp_error, -1e-30, EXP_FIRST), 0.0, EXP_ERROR + noise);
    CHECK_NEAR(worst_linear(erfcx_error, 0.0, 8.0), 0.0, ERFCX_ERROR + noise);
    CHECK_NEAR(worst_linear(erfcx_error, 8.0, 40.0), 0.0, ERFCX_ERROR + noise);
    CHECK_NEAR(worst_by_factors(erfcx_error, 1e-30, ERFCX_LAST), 0.0, ERFCX_ERROR + noise);
    /* Abramowitz and Stegun, table 7.1: erfc(0.5), erfc(2). */
    for (int k = 0; k < 2; ++k) {
        const double y = k ? 2.0 : 0.5, want = k ? 0.0046777350 : 0.4795001222;
        CHECK_NEAR((double)(special_exp((real)(-y * y)) * special_erfcx((real)y)), want,
                   1e-10 + (EXP_ERROR + ERFCX_ERROR) * want);
    }
}

/* Below EXP_FIRST there is less than one normal number left to lose, and further below nothing. */
static void test_exp_edges(void)
{
    const double least = sizeof(real) == 4 ? (double)FLT_MIN : DBL_MIN;
    for (int k = 0; k <= 1000; ++k) {
        const real x = (real)(EXP_FIRST - 1e-3 * k), e = special_exp(x);
        CHECK(e >= 0 && fabs((double)e - exp((double)x)) <= least);
    }
    const double far[] = {-89.0, -200.0, -710.0, -1e9, -1e30, (double)-FLT_MAX, -(double)INFINITY};
    for (int k = sizeof(real) == 4 ? 0 : 2; k < 7; ++k)
        CHECK(special_exp((real)far[k]) == 0 && !signbit(special_exp((real)far[k])));
    const double tiny[] = {0.0, -0.0, 1e-30, -1e-30, (double)FLT_MIN, -DBL_MIN};
    for (int k = 0; k < 6; ++k) CHECK(special_exp((real)tiny[k]) == 1);
    CHECK(isnan(special_exp((real)NAN)));
}

static void test_erfcx_edges(void)
{
    const real last = special_erfcx((real)ERFCX_LAST);
    const double tiny[] = {0.0, -0.0, (double)FLT_MIN, DBL_MIN, 1e-30, 1e-18};
    for (int k = 0; k < 6; ++k) CHECK(special_erfcx((real)tiny[k]) == 1);
    CHECK(last > 0);
    CHECK(special_erfcx((real)1e30) == last);
    CHECK(special_erfcx((real)FLT_MAX) == last);
    CHECK(special_erfcx((real)INFINITY) == last);
    CHECK(isnan(special_erfcx((real)NAN)));
}

static void test_lanes(void)
{
    int n_unlike = 0;
    for (int k = 0; k < 10000; ++k) {
        few y;
        for (int l = 0; l < FEW; ++l) y[l] = (real)(1e-3 * k * (1 + l));
        const few e = special_exp_few(-y), c = special_erfcx_few(y);
        for (int l = 0; l < FEW; ++l)
            n_unlike += e[l] != special_exp(-y[l]) || c[l] != special_erfcx(y[l]);
    }
    CHECK(n_unlike == 0);
}

static int test_all(void)
{
    test_reference();
    test_errors();
    test_exp_edges();
    test_erfcx_edges();
    test_lanes();
    return check_done();
}
