/* SPDX-License-Identifier: BSD-3-Clause
 * What starts and kicks of generations need besides joints. */
#ifndef SHOAL_JOBS_SEARCH_KIN_H
#define SHOAL_JOBS_SEARCH_KIN_H

#include "embed/embed.h"
#include "jobs/search_breed.h"

struct search_kin {
    int64_t n_systematic, stride; /* combinations, and the step from one to the next; 0: too many */
    int32_t island;               /* relaxations of one */
    int32_t n_starts;             /* .. of these, before anything is bred */
    int32_t *part;                /* [n_atoms] of atoms joined by bonds */
    int32_t n_parts;
    int32_t (*like)[2]; /* [n_centres] of the plan: two end atoms of one element; -1: none */
    shoal_molecule
        *mol; /* with the configuration of the plan as marks; NULL: nothing is embedded */
    embed_problem *problem;
};

/* So many preferred torsions of a rotor are combined with those of others. */
int32_t search_combinations(const search_rotor *rotor);

/* Puts a part that has no bonds to others beside those below `standing`, from any side and in any orientation. */
void search_draw_part(const search_plan *plan, int32_t part, int32_t standing, search_random *r,
                      double (*pos)[3]);

#endif
