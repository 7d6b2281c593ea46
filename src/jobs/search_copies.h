/* SPDX-License-Identifier: BSD-3-Clause
 * How many minima of a molecule with numbered atoms one row of a list stands for.
 *
 * Relabelling like atoms and moving the substrate onto itself turn a minimum into others of the same energy. Those that
 * can be reached without breaking bonds are as many as the group has elements, divided by those that leave the minimum
 * as it is: its symmetry number. The group is the same for all minima of a molecule, so weights need the latter alone. */
#ifndef SHOAL_JOBS_SEARCH_COPIES_H
#define SHOAL_JOBS_SEARCH_COPIES_H

#include "jobs/search_minima.h"

/* Whether the mirror image of a free molecule is the same molecule: an exchange of like atoms gives all centres and
 * double bonds back their configurations. m->pos is the geometry that decides. */
shoal_status search_mirror_find(search_minima *m, const shoal_molecule *mol);

/* Copies of the n lowest minima in the smallest whole numbers; copies[n]. Free minima whose mirror image could be reached
 * and is not among them count for both. */
shoal_status search_copies_count(search_minima *m, const search_rules *rules, int32_t n,
                                 int64_t *copies);

#endif
