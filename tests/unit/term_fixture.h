/* SPDX-License-Identifier: BSD-3-Clause
 * Records of bonded terms for tests. */
#ifndef SHOAL_TESTS_TERM_FIXTURE_H
#define SHOAL_TESTS_TERM_FIXTURE_H

#include <string.h>

#include "ff/term_table.h"

static inline shoal_term bond_record(int32_t i, int32_t j, double k, double r0)
{
    return (shoal_term){
        .kind = SHOAL_KIND_BOND,
        .atoms = {i, j},
        .p = {[SHOAL_BOND_K] = k, [SHOAL_BOND_R0] = r0, [SHOAL_BOND_ORDER] = 1},
    };
}

static inline shoal_term angle_record(int32_t i, int32_t j, int32_t k, double force_k,
                                      const double c[5])
{
    shoal_term t = {.kind = SHOAL_KIND_ANGLE, .atoms = {i, j, k}, .p = {force_k}};
    memcpy(t.p + SHOAL_ANGLE_C0, c, 5 * sizeof *c);
    return t;
}

/* About 1-2 of the chain 0-1-2-3. */
static inline shoal_term torsion_record(double v, double d, int n)
{
    return (shoal_term){.kind = SHOAL_KIND_TORSION, .atoms = {0, 1, 2, 3}, .p = {v, d, n}};
}

/* At centre 1 of atoms 0, 1, 2, 3. */
static inline shoal_term inversion_record(double k, const double c[3])
{
    return (shoal_term){
        .kind = SHOAL_KIND_INVERSION, .atoms = {0, 1, 2, 3}, .p = {k, c[0], c[1], c[2]}};
}

#endif
