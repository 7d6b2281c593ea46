/* SPDX-License-Identifier: BSD-3-Clause
 * How many minima of a molecule with numbered atoms one row of a list stands for.
 *
 * Relabelling like atoms and moving the substrate onto itself turn a minimum into others of the same energy. These are as
 * many as the group has elements, divided by those that leave the minimum as it is: its symmetry number. Exchanges that
 * would break bonds are a share of the group that is the same for all minima of a molecule, so weights need not know it. */
#ifndef SHOAL_JOBS_SEARCH_COPIES_H
#define SHOAL_JOBS_SEARCH_COPIES_H

#include "jobs/search_minima.h"

/* Copies of the n lowest minima in the smallest whole numbers; copies[n]. Free minima whose mirror image is not among
 * them count for both. None of a chiral molecule has one, so that all count twice, which changes nothing. */
void search_copies_count(search_minima *m, const search_rules *rules, int32_t n, int64_t *copies);

#endif
