/* SPDX-License-Identifier: BSD-3-Clause
 * Fitting bonded parameters of a force field to energies and forces of geometries, such as scans of torsions.
 *
 * Energies count within a molecule up to a constant. J = 1/2 mean (E - Eref)^2 + 1/2 w mean |F - Fref|^2 + the pull to
 * the force field, 1/2 (s^2/n) sum ((p - p0)/width)^2, where n is the number of geometries and s 0.005 eV. Torsions of four atoms are
 * sum_n K_n cos n phi, whatever the force field had; bonds have k and r0, angles of UFF k and t0 (k alone where t0 is
 * given by symmetry). Units are eV, angstrom, radians. docs/fit-bonded.md says more. */
#ifndef SHOAL_FIT_BONDED_H
#define SHOAL_FIT_BONDED_H

#include "shoal/ff_table.h"
#include "shoal/text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_bonded_fit shoal_bonded_fit;

/* Zero means the default in every member. */
typedef struct shoal_bonded_options {
    const shoal_typing_options
        *typing;    /* without a table; borrowed as long as the fit lives; NULL: UFF */
    uint32_t terms; /* bit t: SHOAL_TERM_BOND, SHOAL_TERM_ANGLE, SHOAL_TERM_TORSION; 0: torsions */
    /* Every torsion about one bond, bond and angle has parameters of its own, those of equal types in it aside;
     * otherwise all of equal types share theirs, in all molecules. */
    bool by_bond;
    const int32_t (*bonds)[2]; /* whose torsions are fitted; NULL: all bonds that are in no ring */
    int32_t n_bonds;
    int32_t periods;     /* n of torsions, 1 to 6, beside those of the force field; 0: 4 */
    double freedom;      /* factor of the widths; 0: 1 */
    double force_weight; /* w, angstrom^2; 0: forces do not count */
    /* Torsions that are held where the geometry has them while all else is relaxed; energies are then those of the
     * relaxed geometries. NULL: geometries stay as they are. */
    const int32_t (*held)[4];
    int32_t n_held;
    double held_k;      /* eV/rad^2; 0: 100 */
    double energy_unit; /* of the energies in files, eV, and of forces per angstrom; 0: 1 */
    const char *device; /* NULL: cpu */
    int32_t n_threads;
    int32_t max_steps; /* 0: 50 */
} shoal_bonded_options;

/* Copies bonds, held and device. The caller owns *out. */
SHOAL_API shoal_status shoal_bonded_fit_create(shoal_bonded_fit **out,
                                               const shoal_bonded_options *options);
SHOAL_API void shoal_bonded_fit_destroy(shoal_bonded_fit *fit);

/* Geometries with the data field energy and, perhaps, forces (extended xyz). Those of equal elements are one molecule, with the
 * bonds of the first. All before the first run. */
SHOAL_API shoal_status shoal_bonded_fit_add(shoal_bonded_fit *fit, const char *path);
SHOAL_API shoal_status shoal_bonded_fit_add_memory(shoal_bonded_fit *fit, const void *data,
                                                   size_t size, const char *label);

typedef struct shoal_bonded_parameter {
    const char *name; /* "C_3 C_3 C_3 H_ cos 3phi", borrowed */
    double start, value, width;
    int32_t n_terms; /* that have it */
} shoal_bonded_parameter;

/* After geometries were added. A fit without any has none. */
SHOAL_API shoal_status shoal_bonded_fit_parameters(shoal_bonded_fit *fit, int32_t *n);
SHOAL_API shoal_status shoal_bonded_fit_parameter(const shoal_bonded_fit *fit, int32_t parameter,
                                                  shoal_bonded_parameter *out);
SHOAL_API shoal_status shoal_bonded_fit_set_value(shoal_bonded_fit *fit, int32_t parameter,
                                                  double value);

/* J in eV^2 and its slope by every parameter; gradient[n] may be NULL. */
SHOAL_API shoal_status shoal_bonded_fit_objective(shoal_bonded_fit *fit, double *j,
                                                  double *gradient);

typedef struct shoal_bonded_result {
    int32_t n_geometries, n_molecules, n_parameters, steps;
    bool converged;
    double j;                             /* eV^2 */
    double rmse_before, rmse;             /* of energies, eV, each molecule up to its constant */
    double force_rmse_before, force_rmse; /* of components, eV/angstrom; NaN without forces */
    double seconds;
} shoal_bonded_result;

/* Levenberg-Marquardt from the present values. */
SHOAL_API shoal_status shoal_bonded_fit_run(shoal_bonded_fit *fit, shoal_bonded_result *result);

/* Energies of the geometries at the present values, with the constants that fit best: energy[n_geometries] and
 * reference[n_geometries] (each may be NULL), eV. *n is their number. */
SHOAL_API shoal_status shoal_bonded_fit_energies(shoal_bonded_fit *fit, double *energy,
                                                 double *reference, int32_t *n);

/* Appends the parameters as a table of the force field (shoal/ff_table.h): by types, or by the atoms of each molecule. */
SHOAL_API shoal_status shoal_bonded_fit_table(shoal_bonded_fit *fit, shoal_string *out);

#ifdef __cplusplus
}
#endif

#endif
