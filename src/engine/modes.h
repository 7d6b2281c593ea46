/* SPDX-License-Identifier: BSD-3-Clause
 * Vibrations of many systems at once: second derivatives by differences of forces, then each by itself. */
#ifndef SHOAL_ENGINE_MODES_H
#define SHOAL_ENGINE_MODES_H

#include <stdatomic.h>

#include "base/error.h"
#include "shoal/modes.h"

/* A relaxation before them ends there, eV/angstrom. */
#define MODES_FMAX 1e-6
/* Modes of more atoms take hours and gigabytes. */
#define MODES_MOST_ATOMS 3000
/* Second derivatives of systems that are worked on together, about. */
#define MODES_GROUP_BYTES ((int64_t)64 << 20)

/* A system at the geometry that its modes are asked of. */
typedef struct modes_system {
    shoal_system system;  /* borrowed arrays; restraints at their targets */
    const double *masses; /* [n_atoms] amu */
    double energy, fmax;  /* eV, eV/angstrom */
    bool on_surface;
    const double (*start)[3]; /* electron pairs and directions; NULL: placed by the atoms */
    /* Made and used by modes_find: */
    int32_t n_atoms, n_free;
    int32_t n_pairs, n_directions;
    double (*auxiliary)[3]; /* [n_pairs + n_directions] where they settle with the atoms held */
    double (*axes)[2][3];   /* [n_directions] that they are turned to */
    int32_t *free_atoms;    /* [n_free] */
    /* [3 n_free][3 n_free] eV/angstrom^2; before they are eliminated, coordinates of electron pairs and directions
     * follow those of the atoms. */
    double *hessian; /* differences over four points, .. */
    double *coarse;  /* .. and over two; column j is of coordinate j displaced */
    double step;     /* angstrom */
    /* Made: */
    shoal_modes_result *result; /* NULL: there is none, because .. */
    char failure[200];          /* .. of this; "" where the run was stopped */
} modes_system;

/* Modes of systems[n]. Where *stop becomes true (NULL: never) those that are not finished have neither result nor
 * failure. One that has no numbers is no failure of the call. */
shoal_status modes_find(modes_system *systems, int32_t n, const shoal_engine_options *engine,
                        const shoal_modes_options *options, const _Atomic bool *stop);

/* Fails for options out of range; NULL is fine. */
shoal_status modes_check(const shoal_modes_options *options);

/* Double precision, whatever the device would choose; fails where float was asked for. */
shoal_status modes_precision(shoal_engine_options *engine);

/* modes_hessian.c: second derivatives of systems[n], with their steps; all of them in as few batches as memory
 * allows. */
shoal_status modes_hessians(modes_system *const *systems, int32_t n,
                            const shoal_engine_options *engine, const _Atomic bool *stop);

/* modes_auxiliary.c: electron pairs and directions have no masses of their own that nature knows. They follow the
 * atoms at once: second derivatives are those of the energy that is lowest in them. */

/* Coordinates that are displaced: of free atoms, electron pairs and directions. */
static inline int32_t modes_n_coordinates(const modes_system *s)
{
    return 3 * (s->n_free + s->n_pairs) + 2 * s->n_directions;
}

/* Lets them settle; says in s->failure if they do not. */
shoal_status modes_auxiliary_settle(modes_system *s, const shoal_engine_options *engine);
/* out[n_pairs + n_directions], with coordinate c (from 3 n_free on; others change nothing) displaced. */
void modes_auxiliary_displace(const modes_system *s, int32_t c, double by, double (*out)[3]);
/* The force on coordinate c (from 3 n_free on) from those of all movers. */
double modes_auxiliary_force(const modes_system *s, int32_t c, const double (*forces)[3]);
/* Leaves second derivatives of atoms alone in hessian and coarse. */
shoal_status modes_auxiliary_eliminate(modes_system *s);

/* modes_normal.c: what follows from those of one system. */
shoal_status modes_normal(const modes_system *s, const shoal_modes_options *options,
                          shoal_modes_result **out);

/* Motions of a system as a whole, in coordinates weighted with the roots of masses. */
typedef struct modes_rigid {
    int32_t n; /* up to 6 */
    bool linear;
    double moments[3]; /* of inertia, amu angstrom^2, ascending */
    double *vectors;   /* [n][3 n_free], orthonormal */
} modes_rigid;

/* modes_rigid.c; the caller frees vectors. */
shoal_status modes_rigid_find(const modes_system *s, modes_rigid *out);

/* thermo.c */
void thermo_find(const modes_system *s, const modes_rigid *rigid, const double *least,
                 const shoal_modes_options *options, shoal_modes_result *r);

#endif
