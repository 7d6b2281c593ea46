/* SPDX-License-Identifier: BSD-3-Clause
 * Atoms of samples at places along arrays, so that loops over pairs run along them. */
#ifndef SHOAL_FIT_PAIR_PLACES_H
#define SHOAL_FIT_PAIR_PLACES_H

#include "fit/fit.h"

enum { PAIR_LANES = 4 }; /* places come in whole lanes */

/* Four kinds of places: atoms and sites of the first fragment, atoms and sites of the second. Each ends
 * with empty places, far away and without interaction, up to whole lanes. */
typedef struct pair_shape {
    int32_t from[5]; /* first place of every kind, and the end */
    int32_t n[4];    /* places of every kind that are taken */
} pair_shape;

/* What does not depend on parameters; by the samples of the data. */
typedef struct pair_layout {
    int32_t most;         /* places of the largest sample */
    int32_t *start;       /* [n_samples] first place */
    pair_shape *shape;    /* [n_samples] */
    int32_t *atom, *slot; /* [n_places] atom of the sample and first slot of its type; -1: empty */
    double *pos[3];       /* [n_places] angstrom */
    double *charge;       /* [n_places] of the frames, e */
    double *
        coulomb; /* [n_samples] kC sum q q g(r), eV; NULL if parameters other than lambda change it */
} pair_layout;

shoal_status pair_layout_create(pair_layout **out, const fit_problem *problem);
void pair_layout_destroy(pair_layout *layout);

/* What is at the places of a sample, and the derivatives of its energy by that. */
enum { /* depth: sqrt(E); extra: columns that a formula names */
       AT_X,
       AT_Y,
       AT_Z,
       AT_RADIUS,
       AT_DEPTH,
       AT_H,
       AT_Q,
       AT_EXTRA,
       N_AT = AT_EXTRA + FIT_N_EXTRA
};
enum { BY_X, BY_Y, BY_Z, BY_RADIUS, BY_DEPTH, BY_H, BY_Q, BY_EXTRA, N_BY = BY_EXTRA + FIT_N_EXTRA };
typedef struct pair_places {
    const pair_shape *shape;
    const int32_t *atom, *slot;
    const double *at[N_AT];
    double *by[N_BY];
    double *room[N_AT]; /* for what depends on parameters */
    double *numbers;    /* owns room and by */
} pair_places;

shoal_status pair_places_open(pair_places *places, const pair_layout *layout);
void pair_places_close(pair_places *places);
/* Takes the places of a sample at the parameters p; q and whole are those of its atoms, or NULL if they are
 * the charges of the frames. */
void pair_places_take(pair_places *places, const pair_layout *layout, const fit_problem *problem,
                      int32_t sample, const double *p, const double *q, const double *whole);

#endif
