/* SPDX-License-Identifier: BSD-3-Clause
 * Coordinates of a scan: measured, and set by moving a part of the molecule as it is. */
#ifndef SHOAL_JOBS_COORDINATE_H
#define SHOAL_JOBS_COORDINATE_H

#include "chem/molecule.h"
#include "shoal/scan.h"

/* A distance, an angle or a torsion. */
static inline bool coordinate_is_internal(shoal_coordinate_kind kind)
{
    return kind <= SHOAL_COORDINATE_TORSION;
}

/* x, y or z of what moves. */
static inline bool coordinate_is_shift(shoal_coordinate_kind kind)
{
    return kind >= SHOAL_COORDINATE_X && kind <= SHOAL_COORDINATE_Z;
}

/* rx, ry or rz. */
static inline bool coordinate_is_turn(shoal_coordinate_kind kind)
{
    return kind >= SHOAL_COORDINATE_RX && kind <= SHOAL_COORDINATE_RZ;
}

/* Atoms that a coordinate names: 2, 3, 4 of distances, angles, torsions, 0 of the others. */
static inline int coordinate_n_atoms(shoal_coordinate_kind kind)
{
    return coordinate_is_internal(kind) ? (int)kind + 2 : 0;
}

/* Of a distance, an angle or a torsion: angstrom or degrees. */
double coordinate_measure(const shoal_coordinate *c, const double (*pos)[3]);
/* "A", "degrees"; of volumes "of the file's". */
const char *coordinate_unit(shoal_coordinate_kind kind);
/* From a value to another: along the shorter way round of torsions. */
double coordinate_difference(shoal_coordinate_kind kind, double to, double from);

/* Sets a distance, an angle or a torsion (angstrom, degrees). The smaller part of the molecule moves: of a distance
 * what hangs together with one of its atoms without the bond between them, of an angle without its centre, of a torsion
 * without the bond in the middle. *found is false, and nothing moves, where the parts hang together otherwise, as in a
 * ring. All atoms must be there. */
shoal_status coordinate_set(const shoal_coordinate *c, const shoal_molecule *mol, double value,
                            double (*pos)[3], bool *found);

#endif
