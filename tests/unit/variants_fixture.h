/* SPDX-License-Identifier: BSD-3-Clause
 * Variants of a record that go on from each other. */
#ifndef SHOAL_TEST_VARIANTS_FIXTURE_H
#define SHOAL_TEST_VARIANTS_FIXTURE_H

#include <string.h>

#include "shoal/stream.h"

/* From where the variant before it ended, bent by its number: by angstrom, up to period - 1 times. */
static inline void bend_further(const shoal_stream_system *s, const shoal_stream_system *earlier,
                                int32_t n_earlier, double by, int64_t period, double (*pos)[3])
{
    const int32_t n = shoal_molecule_n_atoms(s->mol);
    if (n_earlier > 0)
        memcpy(pos, shoal_molecule_positions(earlier[n_earlier - 1].mol), (size_t)n * sizeof *pos);
    for (int32_t i = 0; i < n; ++i) pos[i][2] += by * (double)((s->variant + i) % period);
}

/* A maker of variants: the first atom higher by user, angstrom, times their number. */
static inline shoal_status raise_first(void *user, const shoal_stream_system *s,
                                       const shoal_stream_system *earlier, int32_t n_earlier,
                                       double (*pos)[3], shoal_restraint *restraints)
{
    (void)earlier;
    (void)n_earlier;
    (void)restraints;
    if (shoal_molecule_n_atoms(s->mol) > 0) pos[0][2] += *(const double *)user * (double)s->variant;
    return SHOAL_OK;
}

#endif
