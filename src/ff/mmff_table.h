/* SPDX-License-Identifier: BSD-3-Clause
 * Types and bonds of MMFFsp3. */
#ifndef SHOAL_FF_MMFF_TABLE_H
#define SHOAL_FF_MMFF_TABLE_H

#include "chem/molecule.h"

typedef struct mmff_type {
    shoal_label label;
    int32_t z;
    double ass,
        asp;    /* degrees: between bonds; its sine is the cosine between pi vector and bonds */
    double kss; /* eV/rad^2 */
    double ksp, kpp; /* eV */
    double r, eps;   /* angstrom, half the distance of the minimum; eV */
    double hb;       /* hydrogen bonds, > 0 donor */
    shoal_label uff; /* type that natural lengths come from where no row tells them */
} mmff_type;

/* By label, NULL if there is none. */
const mmff_type *mmff_type_by_label(const char *label);

typedef struct mmff_element {
    int32_t n_lone; /* lone pairs */
    int32_t pi_most;
} mmff_element;

/* NULL for an element that has no type. */
const mmff_element *mmff_element_of(int32_t z);

typedef struct mmff_stretch {
    double length;   /* angstrom */
    double constant; /* eV/angstrom^2 */
} mmff_stretch;

/* Of two elements and an order, also between whole ones; false where the table does not say. */
bool mmff_stretch_of(int32_t zi, int32_t zj, double order, mmff_stretch *out);

#endif
