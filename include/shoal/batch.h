/* SPDX-License-Identifier: BSD-3-Clause
 * Batches of systems: what is computed together, and what holds it. */
#ifndef SHOAL_BATCH_H
#define SHOAL_BATCH_H

#include "shoal/topology.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_batch shoal_batch;

/* An empty batch. */
SHOAL_API shoal_status shoal_batch_create(shoal_batch **out);
/* Frees it and drops its references to topologies; NULL is fine. Engines made from it live on. */
SHOAL_API void shoal_batch_destroy(shoal_batch *batch);

typedef enum shoal_restraint_kind {
    SHOAL_RESTRAINT_POSITION = 0, /* E = k/2 |r_i - target|^2 */
    SHOAL_RESTRAINT_DISTANCE,     /* E = k/2 (|r_i - r_j| - value)^2 */
    SHOAL_RESTRAINT_ANGLE,        /* E = k/2 (angle(i, j, k) - value)^2, j is the centre */
    SHOAL_RESTRAINT_TORSION,      /* E = k/2 (torsion(i, j, k, l) - value)^2, nearest turn */
    SHOAL_RESTRAINT_CENTRE,       /* E = k/2 |c - target|^2, c the mean of atoms i to j */
} shoal_restraint_kind;

/* Directions that the restraint of a position or of a centre may leave free. */
enum { SHOAL_FREE_X = 1, SHOAL_FREE_Y = 2, SHOAL_FREE_Z = 4 };

/* A harmonic pull on the atoms of one system, in the home cell. A torsion is not defined where one of
 * its two angles is straight, and fades out within 0.06 degrees of that: a strong pull may be met by
 * straightening an angle. After a relaxation the warning of the result says so. */
typedef struct shoal_restraint {
    shoal_restraint_kind kind;
    int32_t atoms[4]; /* as many as the kind names; of a centre the first and the last one */
    double k;         /* eV/angstrom^2, or eV/radian^2 */
    /* angstrom, 0 or more; radians, of an angle 0 to pi, of a torsion any; of a position or a centre SHOAL_FREE_X + ..
     * of the directions that are not held, 0 to hold all three */
    double value;
    double target[3]; /* of a position or a centre, angstrom */
} shoal_restraint;

/* One system of a batch; pointers are borrowed for the call and copied. */
typedef struct shoal_system {
    shoal_topology *topology; /* the batch takes a reference of its own */
    const double (*pos)[3];   /* pos[n_atoms][3], angstrom */
    const double (*cell)[3];  /* cell[3][3], rows a, b, c; NULL for an isolated system */
    const bool *fixed;        /* [n_atoms] atoms that do not move; NULL: all move */
    const shoal_restraint *restraints;
    int32_t n_restraints;
    /* [n_atoms] number of the rigid body that an atom belongs to, 0 to n_atoms - 1, or -1: it moves by itself. NULL: all
     * do. Bodies keep the shapes that they have where a run begins. */
    const int32_t *bodies;
} shoal_system;

/* Rigid bodies move as they are, in relaxations and in dynamics; one of a single atom is that atom. Forces of
 * results are those on the atoms, and fmax is what the body is left with: the largest of F + (T / I) x r of its atoms at r
 * from their centre, where F and T are the whole force and torque, and I is the mean of r^2 as the tensor of a body of
 * mass 1; |F| where it does not turn. Systems with a fixed atom in a body, with electron pairs or
 * directions, or with a body that is bound to its own image are SHOAL_SYSTEM_UNTYPED. Relaxations of cells and with symmetry
 * kept, and rigid bonds fail with SHOAL_E_ARGUMENT, vibrations and steps by hand with SHOAL_E_UNSUPPORTED. */

/* Adds a copy of a system as the last one. Fails with SHOAL_E_ARGUMENT where positions are missing, where a
 * periodic topology has no cell, for a restraint on an atom that the system lacks, on one atom twice, or to a
 * value that no geometry has; then the batch is as it was. */
SHOAL_API shoal_status shoal_batch_add(shoal_batch *batch, const shoal_system *system);
/* Adds n systems that differ in their coordinates alone, such as conformers: pos[n][n_atoms][3], in angstrom;
 * that of system is not looked at. After a failure some of them may have been added. */
SHOAL_API shoal_status shoal_batch_add_many(shoal_batch *batch, const shoal_system *system,
                                            int32_t n, const double (*pos)[3]);
/* Number of systems; 0 for NULL. */
SHOAL_API int32_t shoal_batch_size(const shoal_batch *batch);

#ifdef __cplusplus
}
#endif

#endif
