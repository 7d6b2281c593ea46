/* SPDX-License-Identifier: BSD-3-Clause
 * Restraints as people write them. */
#ifndef SHOAL_RESTRAINT_H
#define SHOAL_RESTRAINT_H

#include "shoal/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* position:I=K, position:I-J=K (the centre of atoms I to J), xy:I=K or xy:I-J=K (x, y, z, xy, xz or yz: these directions
 * alone), distance:I,J=ANGSTROM,K, angle:I,J,K=DEGREES,K or torsion:I,J,K,L=DEGREES,K; K in eV/angstrom^2, or
 * eV/rad^2 for angles. The target of a place is left zero. Fails with SHOAL_E_ARGUMENT and what was expected, also for what no geometry can have. */
SHOAL_API shoal_status shoal_restraint_parse(const char *text, shoal_restraint *out);

#ifdef __cplusplus
}
#endif

#endif
