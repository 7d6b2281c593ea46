/* SPDX-License-Identifier: BSD-3-Clause
 * How a Coulomb sum over a lattice is split between images and k-vectors, and the weights of the k-vectors. */
#ifndef SHOAL_BACKEND_CPU_EWALD_H
#define SHOAL_BACKEND_CPU_EWALD_H

#include "backend/backend.h"
#include "base/arena.h"
#include "geom/ewald.h"
#include "geom/ewald_mesh.h"
#include "geom/lattice.h"

/* k-vectors n[0] b0 + n[1] b1 +- m b2 with m = 0 .. last, b the reciprocal vectors along the axes of
 * cpu_ewald. Half of all k-vectors are listed, each for itself and its opposite; a weight is 0 where a k-vector
 * is beyond the cut-off or is another's opposite. */
typedef struct cpu_kvec_row {
    int32_t n[2];
    int32_t last;
    int32_t first; /* place of m = 0 in the weights */
} cpu_kvec_row;

/* A k-vector of a slab. */
typedef struct cpu_slab_kvec {
    int32_t n[2];
    double k;      /* length, 1/angstrom */
    double factor; /* 2 pi kC / (A k), eV / e^2: the k-vector and its opposite */
} cpu_slab_kvec;

typedef struct cpu_ewald {
    double alpha; /* 1/angstrom */
    double r_cut; /* angstrom */
    int32_t axis
        [3]; /* of the lattice; the last one has the longest rows, or is normal to a slab; the first is along a chain */
    int32_t last[3]; /* most k-vectors along the axes */
    int32_t n_rows, n_places;
    cpu_kvec_row *rows;
    double (*weights)[2]; /* [n_places] of +m and -m, eV / e^2 */
    int32_t n_kvecs;
    cpu_slab_kvec *kvecs;
    ewald_chain chain;
    ewald_mesh mesh; /* in place of k-vectors; without nodes if there is none */
    double constant; /* energy that does not depend on the geometry, eV */
} cpu_ewald;

/* Any number of periodic directions. is_float: the precision of the pairs of a chain. tolerance: what may be left out, relative to the Coulomb energy.
 * Memory comes from the arena. */
shoal_status cpu_ewald_init(cpu_ewald *ewald, const geom_lattice *lattice,
                            const shoal_topology_view *view, const shoal_engine_options *options,
                            double tolerance, bool is_float, arena *memory);

#endif
