/* SPDX-License-Identifier: BSD-3-Clause
 * Rotations that a cloud of labelled points has as symmetries. */
#ifndef SHOAL_GEOM_ROTATIONS_H
#define SHOAL_GEOM_ROTATIONS_H

#include <stdint.h>

/* How many proper rotations about the origin map pos[n] onto itself, each point to one with the same label, within
 * tolerance (angstrom); the identity is one of them. Of points on one line the rotations about it do not count: 2 if
 * turning the line round maps it onto itself, else 1. */
int32_t rotations_count(int32_t n, const double (*pos)[3], const double *labels, double tolerance);

#endif
