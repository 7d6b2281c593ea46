/* SPDX-License-Identifier: BSD-3-Clause
 * The slope of energies by strain, in eV: what schedules have in common, for backends other than ref. Six numbers are
 * xx, yy, zz, yz, xz, xy of a symmetric matrix. */
#ifndef SHOAL_BACKEND_STRAIN_H
#define SHOAL_BACKEND_STRAIN_H

#include "backend/backend.h"
#include "geom/lattice.h"

/* Adds scale times the symmetric part of a (x) b. */
static inline void strain_add(double out[6], double scale, const double a[3], const double b[3])
{
    static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
    for (int k = 0; k < 6; ++k) {
        const int i = pairs[k][0], j = pairs[k][1];
        out[k] += 0.5 * scale * (a[i] * b[j] + a[j] * b[i]);
    }
}

/* Adds what energies do that fall with the volume alone: the tail of vdW and, with alpha > 0 (1/angstrom), the
 * background of a net charge. */
void strain_add_volume(const backend_system *system, const shoal_engine_options *options,
                       const geom_lattice *lattice, double alpha, double damping, double out[6]);

/* Adds k-vector k (1/angstrom) of a sum w(k^2)/V |S|^2: its energy in eV, and that with the slope of the weight by
 * k^2 in the place of the weight. */
void strain_add_kvec(const double k[3], double energy, double slope, double out[6]);

/* Adds restraints between atoms. */
void strain_add_restraints(const backend_system *system, const double (*pos)[3],
                           const shoal_engine_options *options, double out[6]);

#endif
