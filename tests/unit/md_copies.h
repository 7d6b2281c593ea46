/* SPDX-License-Identifier: BSD-3-Clause
 * Engines of many copies, for tests of dynamics. */
#ifndef SHOAL_TESTS_MD_COPIES_H
#define SHOAL_TESTS_MD_COPIES_H

#include <stdlib.h>

#include "driver_fixture.h"

/* An engine of copies of the systems of a set, one after the other. */
static shoal_engine *make_engine(const set *s, int32_t n_copies)
{
    const shoal_engine_options options = {.device = "cpu", .n_threads = 2};
    const int32_t n = s->n * n_copies;
    int32_t *list = malloc((size_t)n * sizeof *list);
    if (!list) return NULL;
    for (int32_t k = 0; k < n; ++k) list[k] = k / n_copies;
    shoal_engine *engine = set_engine(s, list, n, &options);
    free(list);
    return engine;
}

#endif
