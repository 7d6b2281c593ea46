/* SPDX-License-Identifier: BSD-3-Clause
 * Elastic constants: what the slopes of stress by strain say of a crystal. Voigt's order xx, yy, zz, yz, xz, xy, shear
 * strains in his measure (yz: twice the component of the tensor), eV/angstrom^3. */
#ifndef SHOAL_ELASTIC_H
#define SHOAL_ELASTIC_H

#include <stdbool.h>

#include "shoal/status.h"
#include "shoal/text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_elastic {
    double stiffness[6][6]; /* the symmetric part */
    double asymmetry;       /* largest difference of two elements that should be equal */
    double eigenvalues[6];  /* of the stiffness as a map of tensors, ascending */
    /* Every strain costs energy: all eigenvalues are positive (Born); under pressure too, as slopes are those of the stress
     * (Wang, Li, Yip, Phillpot, Wolf, Phys. Rev. B 52 (1995) 12627). */
    bool stable;
    /* Of a powder: by equal strain (Voigt), by equal stress (Reuss), and between them (Hill). Reuss and Hill are NaN where a
     * strain costs nothing. */
    double bulk_voigt, bulk_reuss, bulk, shear_voigt, shear_reuss, shear;
} shoal_elastic;

/* slopes[i][k]: stress component i by strain k. SHOAL_E_ARGUMENT unless all are finite. */
SHOAL_API shoal_status shoal_elastic_find(const double slopes[6][6], shoal_elastic *out);

#ifdef __cplusplus
}
#endif

#endif
