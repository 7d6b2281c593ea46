/* SPDX-License-Identifier: BSD-3-Clause
 * Batches of systems, and engines that run a batch on one backend, device and precision. */
#ifndef SHOAL_ENGINE_H
#define SHOAL_ENGINE_H

#include "shoal/topology.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_batch shoal_batch;
typedef struct shoal_engine shoal_engine;

SHOAL_API shoal_status shoal_batch_create(shoal_batch **out);
SHOAL_API void shoal_batch_destroy(shoal_batch *batch);

/* One system of a batch; pointers are borrowed for the call and copied. */
typedef struct shoal_system {
    shoal_topology *topology;   /* the batch takes a reference of its own */
    const double (*pos)[3];     /* pos[n_atoms][3], angstrom */
    const double (*cell)[3];    /* cell[3][3], rows a, b, c; NULL for an isolated system */
} shoal_system;

SHOAL_API shoal_status shoal_batch_add(shoal_batch *batch, const shoal_system *system);
SHOAL_API int32_t shoal_batch_size(const shoal_batch *batch);

typedef enum shoal_mixing {
    SHOAL_MIXING_GEOMETRIC = 0,  /* x = sqrt(x_i x_j) */
    SHOAL_MIXING_ARITHMETIC,     /* x = (x_i + x_j) / 2 */
} shoal_mixing;

/* Zero means the default in every member. Isolated systems sum all pairs (vdw: those within 10 x);
 * periodic ones sum vdw over images and Coulomb by Ewald's method: in 3-D with conducting
 * surroundings and a uniform background for a net charge, in 2-D as an exact slab sum, which needs
 * a net charge of zero. A system periodic in one direction must have no charges. */
typedef struct shoal_engine_options {
    const char *device;       /* "ref"; NULL means "ref" */
    uint32_t terms_off;       /* bit t switches SHOAL_TERM_t off */
    shoal_mixing mixing;
    double coulomb_damping;   /* d in kC q q / sqrt(r^2 + d^2), angstrom */
    double vdw_cutoff;        /* periodic systems: switched off from 5/6 of it on; 0 = 12 A */
    double ewald_tolerance;   /* relative, of the Coulomb energy; 0 = 1e-10 */
    int32_t n_threads;        /* 0: as many as the machine gives */
} shoal_engine_options;

/* Compiles a batch for a backend. The engine copies what it needs. Fails with SHOAL_E_DEVICE for
 * an unknown device; never runs on another one than asked. */
SHOAL_API shoal_status shoal_engine_create(shoal_engine **out, const shoal_batch *batch,
                                           const shoal_engine_options *options);
SHOAL_API void shoal_engine_destroy(shoal_engine *engine);

/* Energies and forces of all systems. Untyped and non-finite systems get their status, and so do
 * periodic ones that no sum is known for (SHOAL_SYSTEM_UNTYPED, with the reason). */
SHOAL_API shoal_status shoal_engine_eval(shoal_engine *engine);

/* Unless the status is ok, every number is NaN. */
typedef struct shoal_result {
    shoal_system_status status;
    const char *reason;           /* borrowed; "" if there is nothing to say */
    double energy;                /* eV */
    double terms[SHOAL_N_TERMS];  /* eV */
    double fmax;                  /* eV/angstrom: largest length of a force on an atom */
    const double (*forces)[3];    /* borrowed until the next eval, forces[n_atoms][3] */
} shoal_result;

/* Result of the last eval for one system. */
SHOAL_API shoal_status shoal_engine_result(const shoal_engine *engine, int32_t i_system,
                                           shoal_result *out);

/* One interaction, as --explain shows it. */
typedef struct shoal_term_row {
    int32_t term;         /* SHOAL_TERM_ */
    int32_t index;        /* into the array of the topology's view; -1 for pairs */
    int32_t n_atoms;      /* 2, 3 or 4 */
    shoal_image atoms[4]; /* in the order of the term; shifts relative to atoms[0], or to the
                             centre j of an angle, torsion or inversion */
    double value;         /* distance in angstrom, angle in degrees */
    double energy;        /* eV */
    double parameters[2]; /* pairs: vdw x and D, or the two charges; otherwise zero */
} shoal_term_row;

typedef void shoal_term_visitor(void *user, const shoal_term_row *row);

/* Calls visit for every interaction of one system at its present geometry, computed by ref. The
 * Ewald sum of a periodic system is no sum over pairs and is left out; vdw pairs are listed within
 * the cut-off. A system that is untyped or not finite to begin with has no rows. */
SHOAL_API shoal_status shoal_engine_explain(const shoal_engine *engine, int32_t i_system,
                                            shoal_term_visitor *visit, void *user);

#ifdef __cplusplus
}
#endif

#endif
