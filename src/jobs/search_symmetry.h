/* SPDX-License-Identifier: BSD-3-Clause
 * Which atoms of a molecule stand for each other: the symmetry of its graph.
 *
 * Like atoms at the end of one partner (the hydrogens of a methyl group) may change places freely; they are groups,
 * and an automorphism only says which group goes where. So CH3 groups do not multiply the automorphisms. */
#ifndef SHOAL_JOBS_SEARCH_SYMMETRY_H
#define SHOAL_JOBS_SEARCH_SYMMETRY_H

#include "base/arena.h"
#include "chem/molecule.h"

#define SYMMETRY_MOST_MAPS 2048 /* automorphisms that are listed; others are left out */
#define SYMMETRY_MOST_LIKE 6    /* end atoms of one group */

/* Like end atoms of one partner. */
typedef struct symmetry_group {
    int32_t n, atoms[SYMMETRY_MOST_LIKE];
} symmetry_group;

typedef struct search_symmetry {
    arena memory; /* owns the arrays */
    int32_t n_atoms;
    int32_t *class_of; /* [n_atoms]: atoms that no automorphism could exchange differ */
    bool *grouped;     /* [n_atoms] */
    int32_t n_core;    /* atoms that are in no group .. */
    int32_t *core;     /* .. these */
    int32_t n_groups;
    symmetry_group *groups;
    int32_t *group_at; /* [n_atoms] group of the end atoms of this one, -1: none */
    int32_t *parent;   /* [n_groups] */
    int32_t n_maps;
    /* [n_maps][n_atoms], the identity first: atom i of one geometry stands where maps[i] of the other does. The
     * atoms of a group go to those of another in their order. */
    int32_t *maps;
    bool cut; /* there are more */
} search_symmetry;

/* Finds the symmetry of the first n_atoms atoms. labels[n_atoms]: atoms whose labels differ are different, beside
 * elements and bonds; NULL: none are. */
shoal_status search_symmetry_find(search_symmetry *out, const shoal_molecule *mol, int32_t n_atoms,
                                  const int32_t *labels);
void search_symmetry_free(search_symmetry *s);

#endif
