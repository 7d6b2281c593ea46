/* SPDX-License-Identifier: BSD-3-Clause
 * Barriers: nudged elastic bands between two minima, with a climbing image. All images of all bands are one batch. */
#ifndef SHOAL_BAND_H
#define SHOAL_BAND_H

#include "shoal/modes.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_bands shoal_bands;

/* Where a band begins and ends: two minima of one topology; pointers are borrowed for the call. */
typedef struct shoal_band {
    shoal_topology *topology;
    const double (*first)[3], (*last)[3]; /* [n_atoms], angstrom */
    const double (*cell)[3];              /* NULL for an isolated system */
    const bool *fixed;                    /* [n_atoms] atoms that do not move; NULL: all move */
} shoal_band;

/* How the last end of a band comes of its first: turned about z through the mean of its atoms, then shifted. */
typedef struct shoal_band_move {
    double shift[3]; /* angstrom */
    double turn;     /* degrees */
} shoal_band_move;

typedef struct shoal_band_ends {
    double (
        *last)[3]; /* of all bands one after the other, [sum of n_atoms], angstrom: the caller's */
    int32_t n_failed; /* that did not converge */
} shoal_band_ends;

/* Moves the first ends of bands, whose last ones are not looked at, and relaxes them: minima for diffusion and rotation on a
 * surface. engine and relax may be NULL. */
SHOAL_API shoal_status shoal_bands_move(const shoal_band *bands, int32_t n_bands,
                                        const shoal_band_move *move,
                                        const shoal_engine_options *engine,
                                        const shoal_relax_options *relax, shoal_band_ends *out);

/* Zero means the default in every member. */
typedef struct shoal_band_options {
    int32_t n_images;  /* between the ends; 0 = 9 */
    double spring;     /* eV/angstrom^2; 0 = 2 */
    double fmax;       /* eV/angstrom: converged when no atom of any image feels more; 0 = 0.002 */
    int32_t max_steps; /* evaluations of every image; 0 = 3000 */
    bool no_climb;     /* the highest image stays where springs hold it */
    bool
        straight; /* starts on the straight line; otherwise on a path whose interatomic distances change evenly */
} shoal_band_options;

/* Finds the bands (Henkelman, Uberuaga and Jonsson, J. Chem. Phys. 113 (2000) 9901 and 9978) by FIRE; the first path is that
 * of Smidstrup et al., J. Chem. Phys. 140 (2014) 214106. Springs act across the path, too, where it would fold, but not on the climbing image. The last end of a system that neither repeats nor stands on a surface
 * nor has fixed atoms is first turned and moved onto the first end. A band depends on its own ends alone, whatever others there
 * are. A monitor may end it early. engine and options may be NULL; systems that move directions or electron pairs are refused
 * (SHOAL_E_ARGUMENT). The caller owns *out. */
SHOAL_API shoal_status shoal_bands_find(shoal_bands **out, const shoal_band *bands, int32_t n_bands,
                                        const shoal_engine_options *engine,
                                        const shoal_band_options *options, shoal_monitor *monitor,
                                        void *user);
SHOAL_API void shoal_bands_destroy(shoal_bands *bands);

/* Borrowed, valid as long as the bands live. */
typedef struct shoal_band_result {
    shoal_system_status status;   /* converged, max_steps, stalled or not_finite */
    int32_t n_atoms, n_images;    /* with both ends */
    const double *energies;       /* [n_images] eV */
    const double *lengths;        /* [n_images] angstrom along the path, of all atoms together */
    const double (*positions)[3]; /* [n_images][n_atoms] angstrom */
    int32_t saddle;               /* the highest image; an end where the path has no barrier */
    double barrier, back;         /* eV: of the saddle above the first and above the last end */
    double fmax;                  /* eV/angstrom: the largest force that is left on an image */
    double ends_fmax;             /* eV/angstrom, on the ends, which do not move */
    int32_t steps;                /* evaluations */
} shoal_band_result;
/* Fails with SHOAL_E_ARGUMENT for a number out of range. */
SHOAL_API shoal_status shoal_bands_get(const shoal_bands *bands, int32_t i, shoal_band_result *out);

/* What the vibrations about the saddle say: one imaginary frequency is a saddle of first order. */
typedef struct shoal_band_verdict {
    shoal_verdict verdict;
    int32_t order;    /* imaginary frequencies */
    double frequency; /* cm^-1, the lowest; imaginary ones negative */
} shoal_band_verdict;
/* Asks shoal_modes_find, in double precision, of the highest image of band i; band is what it was found from. */
SHOAL_API shoal_status shoal_bands_judge(const shoal_bands *bands, int32_t i,
                                         const shoal_band *band, const shoal_engine_options *engine,
                                         shoal_band_verdict *out);

/* Draws the energies of a band along its path as SVG. */
SHOAL_API shoal_status shoal_bands_plot(const shoal_bands *bands, int32_t i, const char *path);

#ifdef __cplusplus
}
#endif

#endif
