/* SPDX-License-Identifier: BSD-3-Clause
 * Files that tests compare. */
#ifndef SHOAL_TEST_FILES_FIXTURE_H
#define SHOAL_TEST_FILES_FIXTURE_H

#include <stdbool.h>
#include <stdio.h>

/* Whether two files are there and have the same bytes. */
static inline bool are_same(const char *a, const char *b)
{
    FILE *x = fopen(a, "rb"), *y = fopen(b, "rb");
    bool same = x && y;
    for (int c = 0; same && c != EOF;) {
        c = fgetc(x);
        same = c == fgetc(y);
    }
    if (x) (void)fclose(x);
    if (y) (void)fclose(y);
    return same;
}

#endif
