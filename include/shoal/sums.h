/* SPDX-License-Identifier: BSD-3-Clause
 * How pairs are mixed and charges of crystals summed. */
#ifndef SHOAL_SUMS_H
#define SHOAL_SUMS_H

#include "shoal/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of the distances of LJ pairs. Pair models have the arithmetic rule; a batch with LJ of a pair model is refused with
 * the geometric one, and with the default where it holds systems without a model, too. */
typedef enum shoal_mixing {
    SHOAL_MIXING_DEFAULT = 0, /* that of the pair model, without one geometric */
    SHOAL_MIXING_ARITHMETIC,  /* x = (x_i + x_j) / 2 */
    SHOAL_MIXING_GEOMETRIC,   /* x = sqrt(x_i x_j) */
} shoal_mixing;

/* How the Coulomb sum of a system that repeats in three directions is done. Others, and ref, have plain ones. */
typedef enum shoal_ewald {
    SHOAL_EWALD_AUTO = 0, /* what costs less */
    SHOAL_EWALD_PLAIN,    /* k-vectors one by one: N^1.5 */
    SHOAL_EWALD_MESH,     /* smooth particle-mesh Ewald: N log N */
} shoal_ewald;
/* "auto", "plain", "mesh"; NULL out of range. */
SHOAL_API const char *shoal_ewald_name(int ewald);

#ifdef __cplusplus
}
#endif

#endif
