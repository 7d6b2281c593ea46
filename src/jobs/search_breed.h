/* SPDX-License-Identifier: BSD-3-Clause
 * The schedule of a search in free space: relaxations come in generations, each made from the minima that the ones before
 * have found.
 *
 * The first generations are starts: all combinations of preferred torsions where these are few, others drawn, and
 * embedded geometries where rings can change. Those that follow cross joints of two low minima, kick one of them, or
 * start anew; from the middle on, most change one joint of the lowest, by turns. What is made is a function of seed, molecule, number and the minima of earlier generations, in order. */
#ifndef SHOAL_JOBS_SEARCH_BREED_H
#define SHOAL_JOBS_SEARCH_BREED_H

#include "jobs/search_starts.h"

#define SEARCH_PARENTS 10

/* Distinct minima of low energy, the lowest first. */
typedef struct search_parents {
    int32_t n;
    double energy[SEARCH_PARENTS]; /* eV */
    const double (*pos[SEARCH_PARENTS])[3];
    int32_t n_known; /* all minima of earlier generations, [n_known] */
    const double (**known)[3];
    shoal_topology *topology; /* of the molecule, for dynamics; borrowed */
} search_parents;

/* What starts and kicks need besides joints: combinations of preferred torsions, parts that have no bonds between them, the
 * embedding of the molecule. */
typedef struct search_kin search_kin;

/* Makes plan->kin. Of the starts of an island. mol: that of the plan, perceived. */
shoal_status search_kin_make(search_plan *plan, const shoal_molecule *mol, int32_t island);
void search_kin_free(search_kin *kin);

/* Whether some starts are embedded. */
bool search_kin_embeds(const search_kin *kin);
/* Starts of an island that come before anything is bred. */
int32_t search_kin_starts(const search_kin *kin);

/* Takes a minimum among the parents if it is low enough and none of them. */
void search_parents_add(search_parents *p, double energy, const double (*pos)[3]);

/* Writes number k of the search, with these parents of earlier generations, into pos[n_atoms][3]. number: of the
 * start, if it is one: those of an island follow those of the island before. */
shoal_status search_breed(const search_plan *plan, const search_setting *setting, int64_t k,
                          int64_t number, const search_parents *parents, double (*pos)[3]);

#endif
