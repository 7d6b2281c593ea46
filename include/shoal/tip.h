/* SPDX-License-Identifier: BSD-3-Clause
 * Probe scans: a tip, an atom or a rigid molecule, is moved over a sample that does not move, and what it feels is kept
 * on a block of points. The energy is that between tip and sample and, where the engine has a surface, between
 * tip and surface; neither contains what the tip or the sample have by themselves. */
#ifndef SHOAL_TIP_H
#define SHOAL_TIP_H

#include "shoal/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_tip_block shoal_tip_block;

/* Where the first atom of the tip goes. */
typedef struct shoal_tip_options {
    int32_t n[3];     /* points along x, y and z, 1 or more */
    double origin[3]; /* angstrom, the point with the lowest x, y and z */
    double step[3];   /* angstrom, above zero where there is more than one point */
    int32_t
        n_systems; /* that an engine holds at a time; 0: as many as make 400 000 atoms. No result depends on it */
} shoal_tip_options;

/* Puts the block of o->n points over a sample: margin angstrom beyond its atoms in x and y, from heights[0] to heights[1]
 * angstrom above its topmost atom. */
SHOAL_API shoal_status shoal_tip_around(shoal_tip_options *o, const shoal_system *sample,
                                        double margin, const double heights[2]);

/* Moves the tip over the sample. Both are typed alike (the same pair model or none), isolated, without sites and electron
 * pairs; their bonded terms and the pairs within each are not computed, constraints are not looked at. engine may be
 * NULL. Points whose energy or force is not finite are NaN in the block. A monitor may stop it: the points that are not done
 * are NaN. The caller owns *out. */
SHOAL_API shoal_status shoal_tip_scan(shoal_tip_block **out, const shoal_system *sample,
                                      const shoal_system *tip, const shoal_engine_options *engine,
                                      const shoal_tip_options *options, shoal_monitor *monitor,
                                      void *user);
SHOAL_API void shoal_tip_block_destroy(shoal_tip_block *block);

/* Borrowed, valid as long as the block lives. */
typedef struct shoal_tip_view {
    int32_t n[3];
    double origin[3], step[3]; /* angstrom */
    const double *energies;    /* [n[0]][n[1]][n[2]] eV */
    const double (*forces)[3]; /* [n[0]][n[1]][n[2]] eV/angstrom, on the whole tip */
    int64_t n_points, n_done;
    int64_t n_failed; /* of those done */
    double seconds;   /* of evaluations, with what goes to the device and comes back */
} shoal_tip_view;
SHOAL_API void shoal_tip_block_get(const shoal_tip_block *block, shoal_tip_view *view);

/* A cantilever whose tip oscillates along z. */
typedef struct shoal_tip_oscillator {
    double frequency; /* Hz */
    double stiffness; /* N/m */
    double amplitude; /* angstrom, half of the way from turn to turn */
} shoal_tip_oscillator;

/* Frequency shifts in Hz (F. J. Giessibl, Appl. Phys. Lett. 78 (2001) 123):
 *   df(z) = -f0 / (pi k A^2) integral from -A to A of F_z(z + A + q) q / sqrt(A^2 - q^2) dq
 * with z the lowest point of the tip, by 64 nodes of Gauss and Chebyshev and cubics through the four points nearest to
 * each. out[n[0]][n[1]][*n_z] has a z for every point of the block from which the way is inside: *n_z are filled in; out may be
 * NULL to ask for it. Fails with SHOAL_E_ARGUMENT where there is no such point, or fewer than four. */
SHOAL_API shoal_status shoal_tip_shifts(const shoal_tip_block *block,
                                        const shoal_tip_oscillator *oscillator, double *out,
                                        int32_t *n_z);

/* Writes the block as HDF5: datasets energy, force and, with an oscillator (which may be NULL), frequency_shift, attributes
 * of the root: format, version, units, origin, step; of the shifts: frequency, stiffness, amplitude. */
SHOAL_API shoal_status shoal_tip_block_write(const shoal_tip_block *block,
                                             const shoal_tip_oscillator *oscillator,
                                             const char *path);

/* Draws the plane of points nearest to a height (angstrom, z of the first atom of the tip) as SVG: the force along z or, with
 * an oscillator, the frequency shift. */
SHOAL_API shoal_status shoal_tip_plot(const shoal_tip_block *block,
                                      const shoal_tip_oscillator *oscillator, double height,
                                      const char *path);

#ifdef __cplusplus
}
#endif

#endif
