/* SPDX-License-Identifier: BSD-3-Clause
 * Means with their errors, and lines, of what dynamics samples. */
#include "driver_fixture.h"
#include "engine/md.h"

int main(void)
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
    return check_done();
}
