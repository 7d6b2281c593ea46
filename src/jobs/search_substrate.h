/* SPDX-License-Identifier: BSD-3-Clause
 * The symmetry of a substrate, as a search needs it: its smallest cell, and the motions of the plane that leave it
 * as it is. */
#ifndef SHOAL_JOBS_SEARCH_SUBSTRATE_H
#define SHOAL_JOBS_SEARCH_SUBSTRATE_H

#include "base/error.h"
#include "shoal/surface.h"

#define SUBSTRATE_MOST_MOTIONS 24

/* r' = turn r + shift in the plane; heights stay. */
typedef struct substrate_motion {
    double turn[2][2];
    double shift[2]; /* angstrom */
} substrate_motion;

typedef struct search_substrate {
    double cell[2][2], inverse[2][2]; /* rows a, b; fractions = r . inverse */
    double top;                       /* angstrom: height of the topmost atom */
    int32_t n_motions;                /* the identity first; translations of the cell not counted */
    substrate_motion motions[SUBSTRATE_MOST_MOTIONS];
} search_substrate;

/* Finds cell and motions of a surface; with layers that move (NULL: none), of both together. */
shoal_status search_substrate_find(search_substrate *out, const shoal_surface *surface,
                                   const shoal_surface *movable);

static inline void substrate_fractions(const search_substrate *s, const double r[2], double out[2])
{
    for (int axis = 0; axis < 2; ++axis)
        out[axis] = r[0] * s->inverse[0][axis] + r[1] * s->inverse[1][axis];
}

static inline void substrate_move(const substrate_motion *m, const double r[2], double out[2])
{
    for (int k = 0; k < 2; ++k) out[k] = m->turn[k][0] * r[0] + m->turn[k][1] * r[1] + m->shift[k];
}

/* Moves a place into the irreducible part of the cell: of its images, the one with the smallest fractions. */
void search_substrate_fold(const search_substrate *s, double at[2]);

#endif
