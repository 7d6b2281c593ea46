/* SPDX-License-Identifier: BSD-3-Clause
 * How bonds are polarised. */
#include "fit/polarity.h"

#include <math.h>

#include "ff/uff_table.h"

#define TRANSFER 0.08 /* e/eV */
/* eV; a quarter of a unit of Pauling's scale, on which such bonds are not polar */
#define NOT_POLAR 0.7
/* Charges by other rules differ, and atoms that are not polar have some: MMFF94's of methyl isocyanide have -0.6. */
#define OPPOSITE (-0.7)
#define NOTHING 1e-3 /* e; below it there is no direction */

/* eV; 0 for what is no element. */
static double electronegativity(int32_t z)
{
    int32_t n = 0;
    const uff_type *types = z > 0 ? uff_types_of(z, &n) : 0;
    return n > 0 ? types[0].xi : 0.0;
}

double polarity_of_bond(int32_t z_i, int32_t z_j)
{
    const double own = electronegativity(z_i), other = electronegativity(z_j);
    return own > 0.0 && other > 0.0 ? TRANSFER * (other - own) : 0.0;
}

double polarity_of_polar_bond(int32_t z_i, int32_t z_j)
{
    const double moved = polarity_of_bond(z_i, z_j);
    return fabs(moved) < TRANSFER * NOT_POLAR ? 0.0 : moved;
}

bool polarity_contradicts(const double *polarity, const double *charge, int32_t n)
{
    double dot = 0.0, a = 0.0, b = 0.0;
    for (int32_t i = 0; i < n; ++i) {
        dot += polarity[i] * charge[i];
        a += polarity[i] * polarity[i];
        b += charge[i] * charge[i];
    }
    return a > NOTHING * NOTHING && b > NOTHING * NOTHING && dot < OPPOSITE * sqrt(a * b);
}
