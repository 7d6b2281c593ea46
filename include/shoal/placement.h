/* SPDX-License-Identifier: BSD-3-Clause
 * Placement: where a molecule is put before it is computed, and copies of it that differ a little. */
#ifndef SHOAL_PLACEMENT_H
#define SHOAL_PLACEMENT_H

#include "shoal/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Puts a molecule as a placement says (shoal/stream.h): turned about its centre, which is the mean of its atoms,
 * then moved. Flat and upright also turn the axis that is left over with the smallest (flat) or largest (upright)
 * moment along x, so that the same molecule comes to lie the same way however its file has it. surface: what height
 * counts from; may be NULL where there is none. Fails with SHOAL_E_ARGUMENT for a molecule that repeats and is to be
 * turned; the molecule is then as it was. */
SHOAL_API shoal_status shoal_placement_apply(const shoal_placement *placement,
                                             const shoal_surface *surface, shoal_molecule *mol);

/* Puts the atoms of a surface behind those of a molecule that stands on it, with their charges and without bonds, and
 * gives it the cell of the surface, which repeats in a and b; c: the third vector, angstrom, zero without one. For
 * files that show both. */
SHOAL_API shoal_status shoal_molecule_add_surface(shoal_molecule *mol, const shoal_surface *surface,
                                                  const double c[3]);

/* Copies of a record that differ by small random moves of their atoms. Copy 0 stays as it is. A number
 * depends on seed, record, copy and atom alone. */
typedef struct shoal_jitter {
    int64_t n_copies; /* of every record */
    double distance;  /* angstrom: x, y and z of every atom move by -distance to distance */
    uint64_t seed;
    const shoal_surface
        *movable; /* layers that systems got atoms of, which do not move; may be NULL */
} shoal_jitter;

/* Moves pos[n_atoms][3] as in one copy of a record, counted from 0 in the whole input. */
SHOAL_API shoal_status shoal_jitter_move(const shoal_jitter *jitter, int64_t record, int64_t copy,
                                         int32_t n_atoms, double (*pos)[3]);

/* Variants of a stream: the copies of every record. jitter is borrowed until the stream ends. */
SHOAL_API shoal_status shoal_jitter_variants(const shoal_jitter *jitter, shoal_variants *out);

#ifdef __cplusplus
}
#endif

#endif
