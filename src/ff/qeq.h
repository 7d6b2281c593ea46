/* SPDX-License-Identifier: BSD-3-Clause
 * The equations of charge equilibration: F_i = chi_i + J_ii q_i + sum_j J_ij q_j is the same for all atoms. J
 * is split into the repulsion of point charges (far, all pairs) and what the clouds take away from it (near
 * pairs). Charges in e, energies in eV, exponents zeta in 1/bohr. */
#ifndef SHOAL_FF_QEQ_H
#define SHOAL_FF_QEQ_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/thread_pool.h"
#include "chem/molecule.h"
#include "ff/slater.h"
#include "geom/lattice.h"

#define QEQ_ZETA_H 1.0698 /* 1/bohr, of neutral hydrogen */
#define QEQ_MOST_H 0.9    /* e, either way: no nearer to an empty or full shell of hydrogen */
#define QEQ_NEAREST 1e-4  /* bohr: distances below count as that */

/* Most atoms whose far matrix is kept in memory; that of more is computed anew each time, on threads. */
enum { QEQ_MOST_STORED = 2048 };

typedef struct qeq_pair {
    int32_t j;
    double r;          /* bohr */
    double value;      /* J - 1/r, eV */
    double by_i, by_j; /* its derivatives by zetas that depend on charges; else 0 */
} qeq_pair;

typedef struct qeq_system {
    const shoal_molecule *mol;
    int32_t n;
    geom_lattice lattice; /* n_periodic 0 for a molecule */
    double *chi, *hard;   /* [n] electronegativity, self-repulsion of a neutral atom */
    slater_cloud *clouds; /* [n] for the present charges */
    double *listed;       /* [n] the smallest zeta that the pairs are listed for */
    double *q;            /* [n] */
    const slater_shape *shapes[SLATER_MOST_N + 1][SLATER_MOST_N + 1]; /* na <= nb, or NULL */
    double *far;     /* [n][n], filled where j >= i; NULL: not stored */
    double *xyz[3];  /* [n] positions, if it is not stored */
    int64_t *start;  /* [n + 1] of the pairs of atom i with j >= i */
    qeq_pair *pairs; /* [capacity] */
    int64_t capacity;
    double *force;       /* [n] F */
    double *diag;        /* [n] of the Jacobian, without far */
    double *weighed;     /* [n] scratch */
    struct gmres *gmres; /* memory of the solver; NULL until it is wanted */
    thread_pool *pool;
    bool (*stop)(void *user);
    void *user;
    _Atomic bool stopped;
    arena memory;
} qeq_system;

static inline bool qeq_is_hydrogen(const qeq_system *s, int32_t i)
{
    return s->mol->element[i] == 1;
}

/* Whether the caller wants no more of it. Pieces of work ask before they begin; what they then leave undone
 * is looked at by nobody. */
static inline bool qeq_asks_stop(qeq_system *s)
{
    if (s->stop && !atomic_load(&s->stopped) && s->stop(s->user)) atomic_store(&s->stopped, true);
    return atomic_load(&s->stopped);
}

/* Finds the near pairs of the present clouds, with room for those of hydrogen to swell. */
shoal_status qeq_list_pairs(qeq_system *s);
/* Whether clouds have swollen beyond what the pairs were listed for. */
bool qeq_is_outgrown(const qeq_system *s);
/* Fills force and what the Jacobian needs, for the present charges; pairs of clouds that depend on no charge
 * only if all are wanted. */
void qeq_evaluate(qeq_system *s, bool all);

/* Point charges: far, or the positions it is computed from. */
shoal_status qeq_fill_far(qeq_system *s);
/* out = far x */
void qeq_apply_far(qeq_system *s, const double *x, double *out);
/* out = dF/dq x */
void qeq_apply(qeq_system *s, const double *x, double *out);

/* The step[n] that makes F the same for all to first order and keeps the sum of the charges; solved until what is left
 * of F is below tolerance, eV. Fails with SHOAL_E_ARGUMENT where the equations are singular. */
shoal_status qeq_solve_step(qeq_system *s, double tolerance, double *step);

/* As shoal_molecule_equilibrate, but every part that no bond joins to the others is alone, with the sum of its formal
 * charges; options->total_charge has no say. Of a perceived molecule. */
shoal_status qeq_equilibrate_molecules(shoal_molecule *mol, const shoal_qeq_options *options);

/* Subtracts the mean. */
void qeq_remove_mean(int32_t n, double *x);

#endif
