/* SPDX-License-Identifier: BSD-3-Clause
 * The insides of nudged elastic bands. */
#ifndef SHOAL_JOBS_BAND_H
#define SHOAL_JOBS_BAND_H

#include "base/error.h"
#include "shoal/band.h"

#define SHOAL_REAL double
#include "step_fire.h"

/* One band on its way: images one after the other, the ends too. */
typedef struct band_state {
    int32_t n_atoms, n_images;
    const bool *fixed;                                /* of the caller; NULL: none */
    double (*pos)[3], (*forces)[3], (*velocities)[3]; /* [n_images][n_atoms] */
    double *energies, *lengths;                       /* [n_images] */
    int32_t first_system, first_atom;                 /* in the engine */
    double spring;
    bool climbs;
    fire_state fire;
    int32_t steps; /* of the run, fire counts those of a stage */
    double fmax, ends_fmax;
    shoal_system_status status;
} band_state;

/* The last end turned and moved onto the first, so that the squares of distances are least. */
void band_align(band_state *b);
/* Images on the straight line between the ends. */
void band_fill(band_state *b);
/* From there to a path whose interatomic distances change evenly. */
void band_even(band_state *b);
/* Turns forces of a potential into those of the band; those of the ends and of fixed atoms become zero. */
void band_nudge(band_state *b);
/* The highest image. */
int32_t band_saddle(const band_state *b);
/* One step by the forces that there are; false once it is over. */
bool band_step(band_state *b, double fmax, int32_t max_steps);

#endif
