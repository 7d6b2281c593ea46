/* SPDX-License-Identifier: BSD-3-Clause
 * Atoms near a place, images included, while more of them come. */
#ifndef SHOAL_CHEM_HYDROGENS_SITES_H
#define SHOAL_CHEM_HYDROGENS_SITES_H

#include "chem/molecule.h"

#define SITES_REACH 3.0 /* angstrom */

typedef struct site_entry {
    double pos[3];
    int32_t cell[3]; /* of the grid */
    int32_t atom;    /* of the molecule; -1 for one that was added */
    int32_t next;    /* in its bucket */
} site_entry;

typedef struct site_grid {
    const shoal_molecule *mol;
    double full[3][3], dual[3][3], margin[3]; /* the completed cell; reach over height, 0 if open */
    bool periodic;
    int32_t n, capacity;
    site_entry *entries;
    uint32_t mask;
    int32_t *head; /* [mask + 1] */
} site_grid;

/* All atoms of mol, with room for n_more buckets. The caller frees it, also after a failure. */
shoal_status sites_create(site_grid *grid, const shoal_molecule *mol, int32_t n_more);
void sites_free(site_grid *grid);

shoal_status sites_add(site_grid *grid, int32_t atom, const double pos[3]);

/* A place beside an atom, length angstrom from it, and the partners of that atom. */
typedef struct site_query {
    double pos[3], length;
    int32_t atom, n_partners;
    const int32_t *partners;
} site_query;

/* The least distance, capped at SITES_REACH, of a place to other atoms than its own and the partners of that;
 * elements other than hydrogen count as `wider` angstrom closer. */
double sites_clearance(const site_grid *grid, const site_query *query, double wider);

#endif
