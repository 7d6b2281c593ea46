/* SPDX-License-Identifier: BSD-3-Clause
 * Ewald sums over a mesh (smooth particle-mesh Ewald): how the sum is split, how fine the mesh, of which order. */
#ifndef SHOAL_GEOM_EWALD_MESH_H
#define SHOAL_GEOM_EWALD_MESH_H

#include "geom/lattice.h"
#include "shoal/sums.h"

/* Costs relative to a pair in real space. */
typedef struct ewald_costs {
    double kvec;  /* an atom and a k-vector, both ways */
    double node;  /* an atom and a node of those it touches, both ways */
    double wave;  /* a node and a stage of Fourier sums, both ways */
    double fixed; /* of a mesh at all */
    int32_t most; /* nodes along an axis */
} ewald_costs;

/* Those of the cpu, from a profile of a crystal of 10 000 atoms. All backends have them, so that their meshes are the same
 * and their results agree to rounding. */
#define EWALD_COSTS .kvec = 0.05, .node = 0.3, .wave = 0.07, .fixed = 2e4

typedef struct ewald_mesh {
    int32_t n[3];  /* nodes along the lattice's vectors; 0: there is no mesh */
    int32_t order; /* of splines */
    double alpha;  /* 1/angstrom */
    double r_cut;  /* angstrom */
    double cost;   /* in pairs */
} ewald_mesh;

/* The rule of all backends. A mesh where one was asked for and the lattice repeats in three directions, or where its cost
 * is less than that of the backend's plain sum; otherwise none. */
ewald_mesh ewald_mesh_decide(shoal_ewald asked, const geom_lattice *lattice, int32_t n_atoms,
                             double tolerance, const ewald_costs *costs, double plain_cost);
/* The cheapest mesh of relative error tolerance, for a lattice that repeats in three directions; without nodes where none
 * is fine enough. */
ewald_mesh ewald_mesh_choose(const geom_lattice *lattice, int32_t n_atoms, double tolerance,
                             const ewald_costs *costs);
/* The cost of the plain sum of the same, with its own best split. */
double ewald_plain_cost(const geom_lattice *lattice, int32_t n_atoms, double tolerance,
                        const ewald_costs *costs);

/* out[m] = 1 / |sum over t of M_order(t + 1) exp(2 pi i m t / n)|^2. */
void ewald_mesh_moduli(int32_t n, int32_t order, double *out);

/* The k-vector of mode m of the mesh, 1/angstrom. False where the sum leaves it out: zero, and the highest along an axis,
 * which would stand for two. */
bool ewald_mesh_kvec(const geom_lattice *lattice, const int32_t n[3], const int32_t m[3],
                     double k[3]);

#endif
