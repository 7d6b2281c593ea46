/* SPDX-License-Identifier: BSD-3-Clause
 * The preconditioner of L-BFGS: a rough Hessian of a topology from its bonds alone, factorised, which tells
 * a minimiser that bonded atoms move together. */
#ifndef SHOAL_BACKEND_STIFFNESS_H
#define SHOAL_BACKEND_STIFFNESS_H

#include "base/arena.h"
#include "base/error.h"
#include "ff/term_table.h"

#define STIFFNESS_ANCHOR 0.5          /* m below, eV/angstrom^2 */
#define STIFFNESS_BOND_SHARE (1. / 3) /* of a bond constant */

/* The matrix of n_atoms rows is the same for x, y and z:
 *     P = 1 m + sum over bonds of k/3 (e_i - e_j)(e_i - e_j)^T,    m = 0.5 eV/angstrom^2,
 * a third of the bond constant k because a bond is stiff in one direction of three. Rows of directions follow those of
 * the atoms and have a diagonal alone: m and thirds of the constants of their terms, 2 k of sigma_pi and k of
 * pi_pi. To solve P x = b in place, with x = b to begin with: for every p add share x[order[p]] to its later
 * atoms; then backwards multiply x[order[p]] by inverse[p] and add share times its later atoms. */
typedef struct stiffness {
    int32_t n;       /* atoms and directions */
    int32_t *order;  /* [n] atoms as they are eliminated, then the directions */
    int32_t *start;  /* [n + 1] */
    int32_t *later;  /* [start[n]] atoms eliminated later that feel an atom */
    double *share;   /* [start[n]] */
    double *inverse; /* [n] of the pivots, angstrom^2/eV */
} stiffness;

/* What a bond adds to P; an atom and its own image move together anyway. */
static inline double stiffness_of_bond(const shoal_term *bond)
{
    const double k = bond->p[SHOAL_BOND_K];
    return bond->atoms[0] != bond->atoms[1] && k > 0 ? STIFFNESS_BOND_SHARE * k : 0;
}

/* Factorises P of a topology; the arrays belong to the arena. Atoms that are fixed (NULL: none) hold
 * their neighbours back, as walls do, and nothing of them is passed on: where b is zero for them, x is.
 * Atoms of rigid bodies (NULL: none) are coupled to nothing: a body moves as a whole, whatever its bonds are.
 * The result depends on the topology, the fixed atoms and the bodies alone. Atoms with very many partners are
 * eliminated without coupling these to each other, which bounds the work and keeps the factors
 * positive. */
shoal_status stiffness_factorise(stiffness *out, const shoal_topology_view *view, const bool *fixed,
                                 const int32_t *bodies, arena *memory);

/* Whether atom i is in a rigid body. */
static inline bool stiffness_is_rigid(const int32_t *bodies, int32_t i)
{
    return bodies && bodies[i] >= 0;
}

/* The inverse of P in full, out[n][n], for machines that multiply faster than they solve. */
void stiffness_invert(const stiffness *stiff, double *out);

#endif
