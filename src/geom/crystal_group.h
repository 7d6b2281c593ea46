/* SPDX-License-Identifier: BSD-3-Clause
 * The operations that leave a crystal as it is, found from its cell and its atoms, and means over them. */
#ifndef SHOAL_GEOM_CRYSTAL_GROUP_H
#define SHOAL_GEOM_CRYSTAL_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "shoal/status.h"

/* x' = turn x + shift in fractions of the cell. */
typedef struct crystal_op {
    int32_t turn[3][3];
    double shift[3];
} crystal_op;

typedef struct crystal_group {
    int32_t n, n_atoms; /* operations, the identity among them */
    crystal_op *ops;
    int32_t *to; /* [n][n_atoms] the atom that atom i comes to */
    int32_t capacity;
} crystal_group;

/* Atoms of one kind may change places; tolerance: angstrom, by which an image may miss its atom. Fails with
 * SHOAL_E_UNSUPPORTED where there are more operations than a crystal should have. */
shoal_status crystal_group_find(crystal_group *out, const double cell[3][3], int32_t n_atoms,
                                const int32_t *kinds, const double (*pos)[3], double tolerance);
void crystal_group_free(crystal_group *g);

/* Moves every atom to the mean of where the operations want it, and returns the largest move, angstrom. */
double crystal_group_place(const crystal_group *g, const double cell[3][3], double (*pos)[3]);
/* The largest difference of a vector at an atom from the mean of its images; *at is the atom. */
double crystal_group_spread(const crystal_group *g, const double cell[3][3], const double (*v)[3],
                            int32_t *at);
/* The mean of a tensor over the operations. */
void crystal_group_mean(const crystal_group *g, const double cell[3][3], const double from[3][3],
                        double to[3][3]);

#endif
