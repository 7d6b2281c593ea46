/* SPDX-License-Identifier: BSD-3-Clause
 * The insides of a fit of bonded parameters. */
#ifndef SHOAL_FIT_BONDED_INNER_H
#define SHOAL_FIT_BONDED_INNER_H

#include "base/text.h"
#include "ff/topology.h"
#include "shoal/engine.h"
#include "shoal/fit_bonded.h"

enum { BONDED_PERIODS = 6 };

typedef enum bonded_shape {
    BONDED_STRETCH, /* k, r0 */
    BONDED_ANGLE,   /* k, t0: k (cos t - cos t0)^2 / (2 sin^2 t0) */
    BONDED_COSINES, /* k: k (c0 + c1 cos t + .. + c4 cos 4t) */
    BONDED_TORSION, /* K_1 .. K_6: sum K_n cos n phi */
} bonded_shape;

/* A term whose parameters are fitted; torsions of the same four atoms are one. */
typedef struct bonded_term {
    bonded_shape shape;
    int32_t molecule, atoms[4];
    int32_t parameter[BONDED_PERIODS]; /* of the fit, -1: there is none */
    double own[BONDED_PERIODS];        /* values of the force field */
    double record[SHOAL_TERM_PARAMETERS];
} bonded_term;

typedef struct bonded_parameter {
    char name[112];
    bonded_shape shape;
    int32_t place; /* among those of its terms */
    int32_t n_terms;
    double start, value, width, least, most;
} bonded_parameter;

typedef struct bonded_molecule {
    shoal_molecule *mol; /* perceived, at its first geometry */
    shoal_topology *topology;
    shoal_topology *present; /* with the present parameters, of geometries that are relaxed */
    int32_t first_term, n_terms;
    int32_t n_geometries;
} bonded_molecule;

typedef struct bonded_geometry {
    int32_t molecule;
    double (*pos)[3], (*relaxed)[3];
    double (*forces)[3]; /* of the reference, or NULL */
    double (*rest)[3];   /* forces of all that is not fitted, or NULL */
    double reference;
    double base;    /* energy of all that is not fitted, eV */
    double present; /* of the relaxed geometry */
} bonded_geometry;

struct shoal_bonded_fit {
    shoal_bonded_options options;
    shoal_typing_options typing;
    int32_t (*bonds)[2], (*held)[4];
    char device[64];
    bonded_molecule *molecules;
    int32_t n_molecules, molecule_capacity;
    bonded_geometry *geometries;
    int32_t n_geometries, geometry_capacity;
    bonded_term *terms;
    int32_t n_terms, term_capacity;
    bonded_parameter *parameters;
    int32_t n_parameters, parameter_capacity;
    bool is_ready; /* terms, parameters and energies of the rest are there */
    bool has_forces;
};

/* The value of a term's coordinate and its slope by the places of the atoms; false where it has none. */
bool bonded_measure(const bonded_term *term, const double (*pos)[3], double *q, double slope[4][3]);

/* Energy of a term with these parameters at q, and its derivatives. */
typedef struct bonded_value {
    double e, by_q, by[BONDED_PERIODS], by_both[BONDED_PERIODS];
} bonded_value;
void bonded_evaluate(const bonded_term *term, const double *p, double q, bonded_value *out);
int32_t bonded_n_places(bonded_shape shape);
/* The parameters that act on a term. */
void bonded_present(const shoal_bonded_fit *fit, const bonded_term *term, double *p);

/* Finds terms and parameters in the topologies. */
shoal_status bonded_find_terms(shoal_bonded_fit *fit);
/* Terms, parameters, and energies without them, once. */
shoal_status bonded_prepare(shoal_bonded_fit *fit);
/* An engine in double precision on the device of the fit. */
shoal_status bonded_engine(const shoal_bonded_fit *fit, shoal_batch *batch, shoal_engine **out);
shoal_status bonded_topology(const shoal_bonded_fit *fit, int32_t molecule, shoal_topology **out);
/* Rows of one molecule, or of all by types (-1). */
shoal_status bonded_put_rows(const shoal_bonded_fit *fit, int32_t molecule, shoal_string *out);

/* Relaxes all geometries with the present parameters; their energies go to present. */
shoal_status bonded_relax(shoal_bonded_fit *fit);
/* The direction y with H y = the slope of the restraints, at a relaxed geometry: what the energy gains by parameters
 * beyond their own slope is y . d(slope)/dp. y[n_atoms][3]. */
shoal_status bonded_response(shoal_bonded_fit *fit, int32_t geometry, double (*y)[3]);

#endif
