/* SPDX-License-Identifier: BSD-3-Clause
 * The 127 UFF atom types. */
#ifndef SHOAL_FF_UFF_TABLE_H
#define SHOAL_FF_UFF_TABLE_H

#include "chem/molecule.h"
#include "chem/perceive.h"

/* Parameters in the units of the paper: angstrom, degrees, kcal/mol, e, eV. */
typedef struct uff_type {
    shoal_label label;
    int32_t z;
    double r1;     /* bond radius */
    double theta0; /* degrees */
    double x1, d1; /* vdW distance and depth (kcal/mol) */
    double zeta;   /* exponent of the exponential-6 form, unused */
    double z1;     /* effective charge */
    double vi, uj; /* torsion constants of sp3 and sp2 centres, kcal/mol */
    double xi;     /* electronegativity, eV */
    double hard;   /* half the idempotential J, eV */
    double radius; /* of QEq */
} uff_type;

/* By label, NULL if there is none. */
const uff_type *uff_type_by_label(const char *label);

/* The types of an element, 1..118, are consecutive; *n is 0 if it has none. */
const uff_type *uff_types_of(int32_t z, int32_t *n);

/* Hybridisation that the third character of a label stands for. */
hybridization uff_type_hybridization(const uff_type *type);

#endif
