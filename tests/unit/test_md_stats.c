/* SPDX-License-Identifier: BSD-3-Clause
 * Means with their errors, and lines, of what dynamics samples; moments of the random numbers that it draws. */
#include "driver_fixture.h"
#include "engine/md.h"

#define SHOAL_REAL double
#include "random.h"

/* Errors and lines of many numbers, some of them correlated. */
static void test_many(void)
{
    md_series s = {0}, slow = {0};
    md_line line = {0};
    uint64_t seed = 3;
    double walk = 0;
    for (int k = 0; k < 40000; ++k) {
        const double x = set_random(&seed);
        walk = 0.95 * walk + x;
        md_series_add(&s, 7 + x);
        md_series_add(&slow, walk);
        md_line_add(&line, 0.5 * k, -3 + 0.25 * k);
    }
    CHECK_NEAR(md_series_mean(&s), 7, 0.01);
    CHECK_NEAR(md_series_error(&s), sqrt(1.0 / 3 / 40000), 4e-4);
    /* Correlated over 39 values: the plain error would be six times too small. */
    CHECK_NEAR(md_series_error(&slow), 20 * sqrt(1.0 / 3 / 40000), 0.015);
    CHECK_NEAR(md_line_slope(&line), 0.5, 1e-9);
    CHECK_NEAR(md_line_rms(&line), 0, 1e-3);
    md_line_add(&line, 0, 100);
    CHECK(md_line_rms(&line) > 0.1);
}

/* Of a few numbers everything can be worked out by hand. */
static void test_few(void)
{
    static const double values[5] = {2, 4, 4, 5, 10}; /* mean 5, sum of squares about it 36 */
    static const double times[5] = {1, 2, 3, 4, 5};   /* slope 17 / 10 */
    md_series s = {0}, pairs = {0};
    md_line line = {0};
    CHECK(isnan(md_series_mean(&s)) && isnan(md_series_error(&s)));
    CHECK(isnan(md_line_slope(&line)) && isnan(md_line_rms(&line)));
    for (int k = 0; k < 5; ++k) {
        md_series_add(&s, values[k]);
        md_line_add(&line, times[k], values[k]);
        if (k == 0) CHECK(isnan(md_series_error(&s)) && isnan(md_line_slope(&line)));
    }
    CHECK_NEAR(md_series_mean(&s), 5, 1e-14);
    CHECK_NEAR(md_series_error(&s), sqrt(36.0 / 5 / 4), 1e-14); /* of the mean, with n - 1 */
    CHECK_NEAR(md_line_slope(&line), 1.7, 1e-14);
    CHECK_NEAR(md_line_rms(&line), sqrt((36 - 1.7 * 17) / 5), 1e-14);
    /* 32 values that come in like pairs: 16 blocks of two have the spread of single values, and tell an error larger by
     * sqrt(31 / 15); 8 blocks of four are too few to be heard. */
    for (int k = 0; k < 32; ++k) md_series_add(&pairs, 100 + (k / 2 % 2 ? 3 : 1));
    CHECK_NEAR(md_series_mean(&pairs), 102, 1e-13);
    CHECK_NEAR(md_series_error(&pairs), sqrt(1.0 / 15), 1e-14);
    /* Values that alternate have blocks without a spread: the largest error counts, not that of the longest blocks. */
    md_series turns = {0};
    for (int k = 0; k < 64; ++k) md_series_add(&turns, k % 2 ? 3 : 1);
    CHECK_NEAR(md_series_error(&turns), sqrt(1.0 / 63), 1e-14);
}

/* Normal numbers: mean 0, variance 1, fourth moment 3; neither they nor their squares know of each other. */
static void test_normal(void)
{
    enum { N = 40000 };
    double mean[3] = {0}, square[3] = {0}, fourth[3] = {0}, product[3] = {0}, squares[3] = {0};
    for (uint32_t n = 0; n < N; ++n) {
        const random_words counter = {{n, 7, 1, 2}};
        const v3 g = random_normal(random_make(counter, 11, 13));
        const double x[3] = {g.x, g.y, g.z};
        for (int k = 0; k < 3; ++k) {
            const double a = x[k], b = x[(k + 1) % 3];
            mean[k] += a / N;
            square[k] += a * a / N;
            fourth[k] += a * a * a * a / N;
            product[k] += a * b / N;
            squares[k] += (a * a - 1) * (b * b - 1) / N;
        }
    }
    for (int k = 0; k < 3; ++k) { /* 4 sigma */
        CHECK_NEAR(mean[k], 0, 4 / sqrt(N));
        CHECK_NEAR(square[k], 1, 4 * sqrt(2.0 / N));
        CHECK_NEAR(fourth[k], 3, 4 * sqrt(96.0 / N));
        CHECK_NEAR(product[k], 0, 4 / sqrt(N));
        CHECK_NEAR(squares[k], 0, 4 * sqrt(4.0 / N));
    }
}

int main(void)
{
    test_normal();
    test_many();
    test_few();
    return check_done();
}
