/* SPDX-License-Identifier: BSD-3-Clause
 * How the Coulomb sum of a system is split between images and k-vectors. */
#ifndef SHOAL_BACKEND_CL_EWALD_H
#define SHOAL_BACKEND_CL_EWALD_H

#include "backend/backend.h"
#include "geom/ewald.h"
#include "geom/ewald_mesh.h"
#include "geom/lattice.h"

/* A Coulomb sum; all zero where there is none. */
typedef struct cl_ewald {
    double alpha;        /* 1/angstrom */
    double r_cut, k_cut; /* angstrom, 1/angstrom */
    double dual
        [3]
        [3]; /* of the k-vectors: slabs repeat along the normal too, with a gap; of a mesh: of short vectors */
    double volume;     /* angstrom^3, of the cell that k-vectors repeat in */
    double slab;       /* slabs: 2 pi / area, else 0 */
    double tall;       /* slabs: height up to which the gap is wide enough, angstrom */
    double constant;   /* eV */
    ewald_chain chain; /* of one periodic direction; without k-vectors */
    ewald_mesh mesh;   /* in place of k-vectors; without nodes if there is none */
    int32_t normal;    /* of a slab: the vector that does not repeat */
    int32_t last[3], n_kvecs;
} cl_ewald;

/* Splits the sum so that both parts leave out less than the tolerance, and the device is done
 * soonest. damping, height of a slab: angstrom; is_float: the precision of the pairs of a chain. */
cl_ewald cl_ewald_choose(const geom_lattice *cell, const shoal_topology_view *view,
                         const shoal_engine_options *options, double damping, double tolerance,
                         double height, bool is_float);

/* Weights of the modes of the mesh, and their slopes by k^2, where the device has the modes: [n0][n1][n2/2][2]. */
shoal_status cl_ewald_weigh_modes(const cl_ewald *ewald, const geom_lattice *cell, double damping,
                                  bool is_double, void *out);

/* Whether it will choose a mesh, for a system in three directions whose charges count. */
bool cl_ewald_has_mesh(const geom_lattice *cell, const shoal_topology_view *view,
                       const shoal_engine_options *options, double tolerance);

/* One of two opposite k-vectors. */
typedef struct cl_kvec {
    int32_t n[3];
    double k[3];   /* 1/angstrom */
    double weight; /* of both together: energy is weight |sum of q exp(i k r)|^2, in 1/angstrom */
} cl_kvec;

/* Fills kvecs[n_kvecs]; NULL only counts them. Returns their number. */
int32_t cl_ewald_list(const cl_ewald *ewald, double damping, cl_kvec *kvecs);

#endif
