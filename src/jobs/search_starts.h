/* SPDX-License-Identifier: BSD-3-Clause
 * The starts of a search: geometries of a molecule, each a function of seed, molecule and number alone.
 *
 * Start 0 has the shape that was given, but that all atoms of all starts are a few hundredths of an angstrom
 * aside: exact symmetry would leave them on ridges. Where joints have few combinations, the next starts go through
 * all of them, in an order without pattern; those that follow are drawn. Joints that leave atoms too close are
 * drawn again. On a substrate every start has a place of a low-discrepancy sequence, folded into the irreducible
 * part of the cell, and an orientation: a third lie flat, the others are drawn from all rotations. */
#ifndef SHOAL_JOBS_SEARCH_STARTS_H
#define SHOAL_JOBS_SEARCH_STARTS_H

#include "jobs/search_configuration.h"
#include "jobs/search_joints.h"
#include "jobs/search_random.h"
#include "jobs/search_substrate.h"

/* Of all molecules. */
typedef struct search_setting {
    int64_t seed;
    int64_t starts;                    /* of every molecule; below 2^31 */
    const search_substrate *substrate; /* NULL: none */
    double
        height; /* angstrom: the lowest atom above the topmost of the substrate; 0: drawn near contact */
} search_setting;

/* Of one molecule; never changes once it is made. */
typedef struct search_plan {
    int64_t molecule;
    int32_t n_atoms;
    search_joints joints;
    bool has_fixed;   /* atoms: then only joints move */
    double (*pos)[3]; /* as it was given */
    float *closest;   /* [n_atoms][n_atoms], angstrom^2: nearer is too close; NULL: nobody looks */
    int64_t n_systematic; /* combinations of joints that are gone through */
    int64_t stride;       /* .. in steps of this */
    search_configuration configuration;
    struct search_kin *kin; /* what search_breed.h needs; NULL: not made */
} search_plan;

/* pos[n_atoms][3], fixed[n_atoms] (NULL: none). */
shoal_status search_plan_make(search_plan *out, const search_setting *setting, int64_t molecule,
                              const shoal_molecule *mol, int32_t n_atoms, const double (*pos)[3],
                              const bool *fixed);
void search_plan_free(search_plan *plan);

/* Writes start number k into pos[n_atoms][3]. */
void search_start(const search_plan *plan, const search_setting *setting, int64_t k,
                  double (*pos)[3]);
/* Changes a geometry: kick number `kick`, from 1 on, of the series of start k. */
shoal_status search_kick(const search_plan *plan, const search_setting *setting, int64_t k,
                         int64_t kick, double (*pos)[3]);

/* Whether atoms are nearer than they should be without bonds. */
bool search_too_close(const search_plan *plan, const double (*pos)[3]);
/* Moves every atom by up to a few hundredths of an angstrom. */
void search_tremble(const search_plan *plan, search_random *r, double (*pos)[3]);
/* Another side of a corner's ring, at a fair angle even where it was flat. */
void search_flap_over(const search_corner *corner, double (*pos)[3]);
/* The same of number k of all corners and, behind them, pyramids, which turn inside out. */
void search_turn_over(const search_joints *joints, int32_t k, double (*pos)[3]);
/* Of a combination the part of corners and pyramids, a bit each, which is taken off its number. */
int64_t search_turn_combination(const search_joints *joints, int64_t code, double (*pos)[3]);

/* The largest number that divides both. */
int64_t search_common_divisor(int64_t a, int64_t b);

#endif
