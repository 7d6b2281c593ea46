/* SPDX-License-Identifier: BSD-3-Clause
 * How a Coulomb sum over a lattice is split between images and waves, and the weights of the waves. */
#ifndef SHOAL_BACKEND_CPU_EWALD_H
#define SHOAL_BACKEND_CPU_EWALD_H

#include "backend/cpu/cpu_lattice.h"
#include "base/arena.h"

/* Waves n[0] b0 + n[1] b1 +- m b2 with m = 0 .. last, b the reciprocal vectors along the axes of
 * cpu_ewald. Half of all waves are listed, each for itself and its opposite; a weight is 0 where a wave
 * is beyond the cut-off or is another's opposite. */
typedef struct cpu_wave_row {
    int32_t n[2];
    int32_t last;
    int32_t first; /* place of m = 0 in the weights */
} cpu_wave_row;

/* A wave of a slab. */
typedef struct cpu_slab_wave {
    int32_t n[2];
    double k;      /* length, 1/angstrom */
    double factor; /* 2 pi kC / (A k), eV / e^2: the wave and its opposite */
} cpu_slab_wave;

typedef struct cpu_ewald {
    double alpha;    /* 1/angstrom */
    double r_cut;    /* angstrom */
    int32_t axis[3]; /* of the lattice; the last one has the longest rows, or is normal to a slab */
    int32_t last[3]; /* most waves along the axes */
    int32_t n_rows, n_places;
    cpu_wave_row *rows;
    double (*weights)[2]; /* [n_places] of +m and -m, eV / e^2 */
    int32_t n_waves;
    cpu_slab_wave *waves;
    double constant; /* energy that does not depend on the geometry, eV */
} cpu_ewald;

/* Three or two periodic directions. tolerance: what may be left out, relative to the Coulomb energy.
 * Memory comes from the arena. */
shoal_status cpu_ewald_init(cpu_ewald *ewald, const cpu_lattice *lattice,
                            const shoal_topology_view *view, const shoal_engine_options *options,
                            double tolerance, arena *memory);

#endif
