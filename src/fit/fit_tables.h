/* SPDX-License-Identifier: BSD-3-Clause
 * A fit as the flat tables that kernels/fit_pairs.cl reads. */
#ifndef SHOAL_FIT_FIT_TABLES_H
#define SHOAL_FIT_FIT_TABLES_H

#include "fit/fit.h"

/* Derivatives of an atom at most, besides those by columns that a formula names. */
enum { FIT_TABLE_PARTS = 5 };

/* All arrays belong to the tables; start with all zero. */
typedef struct fit_tables {
    int32_t n_samples, n_blocks, n_atoms, n_rows, n_columns, most_atoms;
    int32_t (*samples)[4]; /* first atom, atoms, atoms of the first fragment, block */
    int32_t (*blocks)[4];  /* first of its atoms in charge_start, of its columns in column_start,
                            * number of columns, unused */
    int32_t *row_start;    /* [n_samples] */
    double (*atoms)[4];    /* x, y, z in angstrom, of the host if sites move; charge in e while all
                            * parameters are zero */
    double (*dirs)[4];     /* of sites that move: direction, slot of the distance; else 0 */
    int32_t *types;        /* [n_atoms], -1 - type for sites */
    /* Pairs of a place and a factor. charge_start: slots that an atom's charge depends on.
     * whole_start: what is to be added to it for the charge before sites took theirs.
     * column_start: derivatives that make up that of a column, those of an atom (R, y, q, h, columns of the
     * table and with charged radii its charge before sites took theirs), then those by the globals. Each range
     * ends where the next one starts. */
    int32_t *charge_start, *whole_start, *column_start;
    int32_t n_charges, n_block_columns;
    int32_t *places;
    double *factors;
    int32_t n_places, place_capacity, factor_capacity;
    double (*scales)[4]; /* [n_samples] of Coulomb, repulsion, attraction */
    int32_t *use_start;  /* [n_columns + 1] */
    int32_t (*uses)[2];  /* sample and place in the rows, by column */
} fit_tables;

shoal_status fit_tables_build(fit_tables *out, const fit_problem *problem);
/* Also takes tables that are half built. */
void fit_tables_free(fit_tables *tables);

#endif
