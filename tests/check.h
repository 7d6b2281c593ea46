/* SPDX-License-Identifier: BSD-3-Clause
 * Checks for unit tests: print what failed and where, go on, exit code 1 at the end. */
#ifndef SHOAL_TESTS_CHECK_H
#define SHOAL_TESTS_CHECK_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_failures;
static int check_count;

/* Whether time does not matter (./dev nightly). Otherwise most tests of drivers leave double precision on devices beside the
 * cpu out: the kernels are the same text, and compiling them once more is what takes the time. */
static inline bool check_thorough(void)
{
    return getenv("SHOAL_TEST_THOROUGH") != NULL;
}

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        ++check_count;                                                                             \
        if (!(condition)) {                                                                        \
            ++check_failures;                                                                      \
            (void)printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                   \
        }                                                                                          \
    } while (0)

/* |got - want| <= tolerance, not-a-number never passes. */
#define CHECK_NEAR(got, want, tolerance)                                                           \
    do {                                                                                           \
        const double got_ = (got), want_ = (want), tol_ = (tolerance);                             \
        ++check_count;                                                                             \
        if (!(fabs(got_ - want_) <= tol_)) {                                                       \
            ++check_failures;                                                                      \
            (void)printf("%s:%d: %s = %.12g, expected %.12g within %g\n", __FILE__, __LINE__,      \
                         #got, got_, want_, tol_);                                                 \
        }                                                                                          \
    } while (0)

#define CHECK_TEXT(got, want)                                                                      \
    do {                                                                                           \
        const char *got_ = (got), *want_ = (want);                                                 \
        ++check_count;                                                                             \
        if (strcmp(got_, want_) != 0) {                                                            \
            ++check_failures;                                                                      \
            (void)printf("%s:%d: %s = \"%s\", expected \"%s\"\n", __FILE__, __LINE__, #got, got_,  \
                         want_);                                                                   \
        }                                                                                          \
    } while (0)

/* The last line of main. */
static inline int check_done(void)
{
    (void)printf("%d passed, %d failed\n", check_count - check_failures, check_failures);
    return check_failures != 0 || check_count == 0; /* a test that looks at nothing is none */
}

#endif
