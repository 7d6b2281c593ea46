/* SPDX-License-Identifier: BSD-3-Clause
 * Loops over blocks of pairs, in whole lanes: what is the same for every model. Sums do not depend on the
 * width of the processor's registers. */
#ifndef SHOAL_FIT_PAIR_SUMS_H
#define SHOAL_FIT_PAIR_SUMS_H

#include "fit/pair_places.h"

/* What a block of pairs is summed for. A pair of a site and an atom has the width of the site for R0
 * and 1 for E0. */
typedef struct pair_kind {
    const fit_model *model;     /* NULL: Coulomb only */
    double first, second, both; /* 1 or 0: R0 holds R of i, R of j; E0 is a product */
    bool coulomb;               /* to be added to what the model gives */
} pair_kind;

/* Pairs of places i .. i + n_i - 1 with j .. j + n_j - 1, n_j in whole lanes; at most a batch, row by
 * row. */
typedef struct pair_block {
    int32_t i, n_i, j, n_j;
} pair_block;

/* n in whole lanes. */
double pair_sum(const double *x, int32_t n);
/* Distances, angstrom. */
void pair_measure(const pair_places *c, pair_block p, double *restrict r);
/* R0, E0 and H of pairs. */
void pair_mix(const pair_places *c, const pair_kind *kind, pair_block p, pair_batch *restrict b);
/* Slopes of pairs by R0, E0 and H to those of their atoms. */
void pair_scatter(const pair_places *c, const pair_kind *kind, pair_block p, const pair_batch *b);
/* What only formulas want: charge products with lambda, and the numbers of single atoms. */
void pair_mix_own(const pair_places *c, const fit_model *model, double lambda, pair_block p,
                  pair_batch *restrict b);
/* Slopes by these to those of the atoms; returns the one by lambda. */
double pair_scatter_own(const pair_places *c, const fit_model *model, double lambda, pair_block p,
                        const pair_batch *b);
/* What a formula makes of empty places counts nothing. */
void pair_mask_empty(const pair_places *c, const fit_model *model, bool derivatives, pair_block p,
                     pair_batch *b);
/* g = k / r. */
void pair_plain_coulomb(double k, const double *restrict r, int32_t n, double *restrict g);
/* Energy of charges in each other's field g, over lambda; adds its slopes by them. */
double pair_add_fields(const pair_places *c, double lambda, pair_block p, const double *g);

#endif
