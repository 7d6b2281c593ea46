/* SPDX-License-Identifier: BSD-3-Clause
 * Vibrations: harmonic frequencies about a stationary geometry, from differences of forces, and what follows from
 * them for a gas or for an adsorbed molecule. */
#ifndef SHOAL_MODES_H
#define SHOAL_MODES_H

#include "shoal/engine.h"
#include "shoal/io.h"
#include "shoal/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum shoal_verdict {
    SHOAL_VERDICT_MINIMUM = 0,
    SHOAL_VERDICT_SADDLE, /* some frequencies are imaginary */
    SHOAL_VERDICT_NOT_STATIONARY,
} shoal_verdict;

/* "minimum", "saddle", "not stationary"; "" for others. */
SHOAL_API const char *shoal_verdict_name(shoal_verdict verdict);

/* Zero means the default in every member. */
struct shoal_modes_options {
    bool
        no_relax; /* streams: the geometry is kept; otherwise it is relaxed first, to 1e-6 eV/angstrom unless the
                      options of the relaxation say so */
    double fmax; /* eV/angstrom: not stationary where an atom feels more; 0 = 1e-3 */
    double
        step; /* angstrom of the differences; 0: chosen, and smaller where the error asks for it */
    double temperature;      /* K, at most 1e6; 0 = 298.15 */
    double pressure;         /* Pa; 0 = 101325 */
    int32_t symmetry_number; /* of rotations; 0: found from the geometry */
    bool vectors;            /* displacements of the modes are kept */
};

/* Of an ideal gas of rigid rotors and harmonic oscillators; of systems on a surface, periodic or with held atoms the
 * harmonic oscillators alone, whose enthalpy is their energy. */
typedef struct shoal_thermo {
    bool ideal_gas;
    bool symmetry_found;     /* the next number was found, not given; of gases */
    int32_t symmetry_number; /* 0: not a gas */
    int32_t n_left_out;      /* modes that are imaginary or too slow to be told from zero */
    double temperature;      /* K */
    double pressure;         /* Pa, of gases */
    double zero_point;       /* eV */
    double energy, enthalpy; /* eV, with that of the geometry and zero_point */
    double entropy;          /* eV/K */
    double free_energy;      /* eV: Gibbs, enthalpy - temperature entropy */
} shoal_thermo;

/* Modes ascend in frequency. Where the verdict is not stationary, the numbers of thermo are NaN. */
struct shoal_modes_result {
    int32_t n_atoms, n_modes;
    int32_t n_removed;            /* translations and rotations, which are no modes */
    const double *frequencies;    /* [n_modes] cm^-1; imaginary ones negative */
    const double *reduced_masses; /* [n_modes] amu, of displacements of length 1 */
    const double (
        *vectors)[3];    /* [n_modes][n_atoms], of length 1 over all atoms; NULL: not asked for */
    double energy, fmax; /* eV, eV/angstrom, of the geometry */
    double error;        /* cm^-1: estimate for the worst frequency; of the differences alone */
    double step;         /* angstrom, that was used */
    bool linear;
    shoal_verdict verdict;
    int32_t order; /* imaginary frequencies that residual forces and rounding do not explain */
    shoal_thermo thermo;
};

/* Modes of one system where it is, with masses[n_atoms] in amu (NULL: those of its topology). Fixed atoms are left
 * out; translations and rotations are projected out where the system is free to make them: three and up to three
 * of isolated ones, three of periodic ones (and the rotation of a chain about its axis), none on a surface, with
 * fixed atoms or with atoms tied to positions. Forces are computed in double precision: SHOAL_PRECISION_FLOAT is
 * SHOAL_E_ARGUMENT, a device without it fails as shoal_engine_create does. A system that has no atoms, no forces
 * or a mass that is not positive fails with SHOAL_E_UNSUPPORTED and the reason. The caller owns *out. */
SHOAL_API shoal_status shoal_modes_find(shoal_modes_result **out, const shoal_system *system,
                                        const double *masses, const shoal_engine_options *engine,
                                        const shoal_modes_options *options);
SHOAL_API void shoal_modes_result_destroy(shoal_modes_result *result);

/* How modes are shown as geometries. */
typedef struct shoal_modes_film {
    int32_t n_frames; /* of every mode; 1: one with displacements as a column, more: one period */
    double amplitude; /* angstrom, of the atom that moves most, in a period */
} shoal_modes_film;
/* Appends frames of all modes, behind each other, as extended xyz; frame: what they say besides. Nothing without
 * vectors. */
SHOAL_API shoal_status shoal_modes_frames(const shoal_modes_result *modes,
                                          const shoal_molecule *mol, const shoal_modes_film *film,
                                          const shoal_frame *frame, shoal_string *out);

#ifdef __cplusplus
}
#endif

#endif
