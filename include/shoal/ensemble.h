/* SPDX-License-Identifier: BSD-3-Clause
 * Conformers of molecules: how many a stream makes, which of them are kept, and how much each of these weighs. */
#ifndef SHOAL_ENSEMBLE_H
#define SHOAL_ENSEMBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "shoal/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_stream_system shoal_stream_system; /* shoal/stream.h */

/* Chooses among the conformers of a record when all of them are computed, and sets the rank of each. Runs on any thread, for
 * several records at once. */
typedef struct shoal_choice {
    shoal_status (*choose)(void *user, shoal_stream_system *conformers, int32_t n);
    void *user;
    double numbers[5]; /* what it depends on: a run that goes on has to have the same */
} shoal_choice;

/* Conformers of molecules without coordinates and of drawings, which every job that computes needs. Zero means the
 * default in every member. */
typedef struct shoal_conformers {
    /* So many of every record, whatever geometry that has; each is a system, or has all variants, and has charges of its
     * own where these are by QEq. Not with layers that move or energies of adsorption. 0: a record without a geometry
     * begins with conformer 0. */
    int32_t n;
    uint64_t seed;
    int32_t most_tries; /* of each; 0: 30 */
    bool no_relaxation; /* as distance geometry leaves them; otherwise relaxed in the force field */
    const shoal_choice *choice; /* of n conformers without variants; NULL: all are handed on */
    bool for_visit;             /* of SHOAL_JOB_TYPE, too, whose visit computes by itself */
} shoal_conformers;

/* Zero means the default in every member. */
typedef struct shoal_ensemble {
    int32_t most;  /* the lowest ones; 0: all */
    double window; /* eV above the lowest one; 0: all */
    double rmsd;   /* angstrom between atoms other than hydrogen: nearer ones are one; 0: 0.5 */
    double temperature; /* K, of the weights; 0: 298.15 */
    bool keep_alike;    /* those that are the same, too */
} shoal_ensemble;

/* The choice of an ensemble, for options.build.conformers. From the lowest energy on, conformers are kept that differ from
 * all that were kept before, whatever like atoms are called; mirror images differ. Those that are kept get the data
 * fields conformer_rank (from 1), conformer_relative_energy (eV) and conformer_weight (Boltzmann's, of all that are
 * kept 1). A record of which none came to an end hands its first one on. The ensemble is borrowed as long as the choice
 * is used. Fails with SHOAL_E_ARGUMENT where a number is negative. */
SHOAL_API shoal_status shoal_ensemble_choice(const shoal_ensemble *ensemble, shoal_choice *out);

#ifdef __cplusplus
}
#endif

#endif
