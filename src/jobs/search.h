/* SPDX-License-Identifier: BSD-3-Clause
 * The insides of a search. */
#ifndef SHOAL_JOBS_SEARCH_H
#define SHOAL_JOBS_SEARCH_H

#include <pthread.h>
#include <stdatomic.h>

#include "jobs/search_minima.h"
#include "jobs/search_starts.h"
#include "shoal/search.h"

#define SEARCH_STALLED 0.005 /* eV/angstrom: as far down as a device of few digits came */
#define SEARCH_PLANS 16      /* of molecules whose starts are being made */

/* A plan that threads share. */
typedef struct plan_slot {
    search_plan *plan;
    int32_t users;
    int64_t last_use;
} plan_slot;

struct shoal_search {
    shoal_search_options options;
    search_setting setting;
    search_rules rules;
    search_substrate substrate;
    shoal_variants variants;
    int32_t n_movable; /* atoms of layers behind those of every molecule */

    pthread_mutex_t lock; /* of the following */
    plan_slot slots[SEARCH_PLANS];
    int64_t uses;
    atomic_bool unmoved; /* a ring, as counts have it */
    int64_t over;        /* the last molecule whose search was ended; -1: none */

    search_minima *molecules; /* [n_molecules], by number in the input */
    int32_t n_molecules, capacity;
    shoal_minimum *ranked; /* after shoal_search_rank */
    int64_t n_ranked;
    const shoal_search *from; /* the search that this one refines; NULL: none */
};

/* Minimum number k, from 0, of a molecule in a ranked search; NULL: it has fewer. */
const shoal_minimum *search_listed(const shoal_search *search, int64_t molecule, int64_t k);
/* The geometry of a minimum, from its record. */
void search_positions(const shoal_minimum *minimum, int32_t n_atoms, double (*pos)[3]);

#endif
