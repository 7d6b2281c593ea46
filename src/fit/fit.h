/* SPDX-License-Identifier: BSD-3-Clause
 * The seams of a fit: parameters in slots, pair models in batches, evaluators, the objective.
 *
 * Parameters live in slots: p[FIT_N_COMPS * type + comp], then the globals. An evaluator turns
 * p into energies of samples and their derivatives by the slots that carry a DOF. */
#ifndef SHOAL_FIT_FIT_H
#define SHOAL_FIT_FIT_H

#include <math.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "fit/dataset.h"

#include "constants.h"

/* Number of the calling thread of a parallel loop. */
static inline int fit_thread_number(void)
{
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

#define FIT_R_FLOOR 1e-4 /* angstrom; distances are not taken smaller */

/* y = sqrt(E); L: host to site; then the columns of the table that a formula names ("extra"). */
enum {
    FIT_R = 0,
    FIT_Y,
    FIT_Q,
    FIT_H,
    FIT_L,
    FIT_EXTRA,
    FIT_N_EXTRA = SHOAL_TYPE_COLUMNS,
    FIT_N_COMPS = FIT_EXTRA + FIT_N_EXTRA
};
/* c of the radius, beta of damped dispersion and d of the Coulomb energy stand behind the first three. */
enum {
    FIT_ALPHA = 0,
    FIT_LAMBDA,
    FIT_SITE_L,
    FIT_RADIUS_C,
    FIT_BETA,
    FIT_COULOMB_D,
    FIT_N_FIXED_GLOBALS
};
enum { FIT_MAX_GLOBALS = 20, FIT_BATCH = 128, FIT_BLOCK = 16 };

/* Pairs of one sample on their way through a model. Arrays of FIT_BATCH, n of them in use. */
enum {
    OWN_RI = 0,
    OWN_RJ,
    OWN_EI,
    OWN_EJ,
    OWN_QI,
    OWN_QJ,
    OWN_HI,
    OWN_HJ,
    OWN_EXTRA, /* of i and j by turns */
    N_OWN = OWN_EXTRA + 2 * FIT_N_EXTRA
};
typedef struct pair_batch {
    int32_t n;
    bool bare;               /* by_r and by_global are not wanted */
    double scale_a, scale_b; /* of attraction and repulsion: 0 or 1, both 1 unless components */
    double r[FIT_BATCH];     /* angstrom */
    double r0[FIT_BATCH];    /* R_i + R_j - c (q_i + q_j), angstrom */
    double e0[FIT_BATCH];    /* sqrt(E_i E_j), eV */
    double q[FIT_BATCH];     /* lambda q_i q_j, e^2 */
    double h[FIT_BATCH];     /* h_i h_j where negative, else 0 */
    double own[N_OWN][FIT_BATCH]; /* of the single atoms, if the model uses_own */
    /* What the model returns: energy and partial derivatives by the above. by_q is wanted of models
     * with own_coulomb only, by_own of those that use them. */
    double e[FIT_BATCH];
    double by_r[FIT_BATCH], by_r0[FIT_BATCH], by_e0[FIT_BATCH], by_q[FIT_BATCH], by_h[FIT_BATCH];
    double by_own[N_OWN][FIT_BATCH];
    double by_global[FIT_MAX_GLOBALS][FIT_BATCH]; /* only rows that the model depends on */
} pair_batch;

/* A separable model: E = E0 (b(R0) sum beta(r) (1+h1) - a(R0) sum alpha(r) (1-h2)). */
typedef struct fit_separable {
    /* Functions of r alone, for given alpha. */
    void (*moment)(double r, double alpha, double *attraction, double *repulsion);
    /* Factors cA a(R0), cB b(R0) and their derivatives by R0. */
    void (*factor)(double r0, double alpha, double f[2], double by_r0[2]);
} fit_separable;

typedef struct fit_model fit_model;
struct fit_model {
    const char *name;
    /* Fills the outputs of the batch; globals[n_globals] of the problem. With derivatives = false
     * only e. */
    void (*eval)(const fit_model *model, const double *globals, bool derivatives, pair_batch *b);
    const fit_separable *separable; /* NULL: pairs only */
    shoal_hbond hbond;
    bool disperses;   /* the attraction is u^6, which may be damped */
    bool own_coulomb; /* the energy contains the charges; else the loop adds Coulomb */
    bool uses_own;
    uint32_t globals_used; /* bit k: depends on globals[k] */
    /* Named constants of a formula: globals FIT_N_FIXED_GLOBALS + k. */
    int32_t n_constants;
    const char *const *constants;
    const double *constant_values;
    /* Columns of the table of types that a formula names: slots FIT_EXTRA + k of a type. */
    int32_t n_extra;
    const char (*extra)[32];
    void *self;
    void (*destroy)(fit_model *model); /* NULL for built-in ones */
};

/* Copies a built-in model of that name into *out; false if there is none. *alpha is its default. */
bool fit_model_builtin(const char *name, shoal_hbond hbond, fit_model *out, double *alpha);

/* g(r) and dg/dr, and dg/d(damping); arguments as those of fit_terms.h. */
double fit_coulomb_kernel(shoal_coulomb kind, double r, double damping, double *slope);
double fit_coulomb_damping_slope(shoal_coulomb kind, double r, double damping);

/* A degree of freedom. Its variable is u = p / scale; x is the value in the file (E = y^2). */
typedef struct fit_dof {
    int32_t slot, type, comp;                                 /* type -1: global number comp */
    double min, max, xlo, xhi, klo, khi, k0, start, inv_mass; /* K: (kcal/mol)^2 per unit^2 */
    bool walls;                                               /* xlo <= xhi */
    double scale, tether; /* tether: (kcal/mol)^2 per squared u */
    int32_t n_atoms;
    int32_t group;  /* of alike DOFs, same element and component, that pull at each other; -1 */
    int32_t family; /* of DOFs of finer types with one parent, which differ less; -1 */
    double sign;    /* by which it counts in its family: bonds have a direction */
    bool small;     /* charge of a type of sites or increment of a bond: drawn to 0 */
    bool frozen;
    const char *why; /* it is frozen */
    int32_t column;  /* among the free ones, -1 if frozen */
    char name[2 * SHOAL_TYPE_NAME_SIZE];
} fit_dof;

/* Consecutive samples of equal fragments: their energies depend on the same DOFs. */
typedef struct fit_block {
    int32_t first, n; /* samples, n <= FIT_BLOCK */
    int32_t n_columns;
    const int32_t *columns; /* free DOFs they depend on, ascending */
} fit_block;

/* What evaluators know; constant while they live. */
typedef struct fit_problem {
    const shoal_dataset *data;
    /* Samples as fitted. Without components they are those of the data; with components each
     * sample stands three times: Elst, Exch, Ind + Disp against its own term. */
    int32_t n_samples;
    const int32_t *source;         /* [n_samples] sample of the data */
    const double (*part_scale)[3]; /* [n_samples] of Coulomb, repulsion, attraction: 0 or 1 */
    fit_model model;               /* between atoms */
    const fit_model *site_model;   /* between a site and an atom; NULL: Coulomb only */
    shoal_coulomb coulomb;
    double coulomb_damping; /* its start, if it is a DOF */
    bool damps;             /* the dispersion is damped: beta is a DOF or not 0 */
    bool damping_moves;     /* d of the Coulomb energy is a DOF */
    bool charged_radii;     /* radii depend on charges: c is a DOF or not 0 */
    int32_t n_types, n_globals, n_slots;
    const int32_t *site_slot; /* [n_types] slot with the distance of its sites from their hosts */
    bool sites_move;          /* a distance is a DOF; else positions are those of the data */
    const bool *type_charge;  /* [n_types] the charge is that of the slot, not of the atom */
    bool neutral;
    const double (*formal)
        [2]; /* [data->n_samples] charges of fragments without charges in the frame, e; 0 for the
                                * others; NULL: all frames have charges */
    const double *fixed; /* [n_slots] values of the slots without a free DOF; 0 for the others */
    int32_t n_free;      /* free DOFs */
    const int32_t *column_slot; /* [n_free] */
    int32_t n_blocks;
    const fit_block *blocks;
    const int32_t *block_of;  /* [n_samples] */
    const int64_t *row_start; /* [n_samples + 1]; sample s has n_columns of its block */
    int32_t n_threads;
} fit_problem;

/* Charges of the atoms of a sample, e: of the atom or its type, with neutral spread over the fitted
 * atoms so that both fragments keep their charge, less what sites took. whole (may be NULL) are
 * those of the atoms before sites took their share, 0 for sites. */
void fit_charges(const fit_problem *problem, const fit_sample *s, const double *p, double *q,
                 double *whole);
/* The reverse: adds dE/dq of atoms and dE/dwhole (may be NULL) to the slots. Spoils by_q. */
void fit_charges_back(const fit_problem *problem, const fit_sample *s, double *by_q,
                      const double *by_whole, double *slope);

/* Reference energies and weights (adding up to 1) of the samples, and the clamp. */
typedef struct fit_target {
    const double *reference, *weight; /* [n_samples] */
    double clamp_from, clamp_to;      /* eV; from >= to: none */
} fit_target;

/* c(d) of the objective and its slope. */
static inline double fit_residual(const fit_target *t, double d, double *slope)
{
    *slope = 1.0;
    if (t->clamp_from >= t->clamp_to || d <= t->clamp_from) return d;
    const double width = t->clamp_to - t->clamp_from, f = 1.0 / (1.0 + (d - t->clamp_from) / width);
    *slope = f * f;
    return t->clamp_from + width * (1.0 - f);
}

/* Computes samples. Calls do not change what others see, but two calls on one evaluator must not
 * overlap: clone it for another thread. */
typedef struct fit_evaluator fit_evaluator;
struct fit_evaluator {
    const char *name;
    const fit_problem *problem;
    /* energy[n_samples], eV. */
    shoal_status (*energies)(fit_evaluator *ev, const double *p, double *energy);
    /* Also rows[row_start[s] + c] = dE_s / dp[column_slot[columns[c]]]. */
    shoal_status (*rows)(fit_evaluator *ev, const double *p, double *energy, double *rows);
    /* *j = 1/2 sum w c(E - Eref)^2 and slope[n_slots] = dj/dp, where a DOF needs it. May be NULL. */
    shoal_status (*slope)(fit_evaluator *ev, const double *p, const fit_target *t, double *j,
                          double *slope);
    /* Shares what is constant; destroyed before the original. NULL: cannot. */
    shoal_status (*clone)(const fit_evaluator *ev, fit_evaluator **out);
    /* So many clones share a launch: threads beyond the processor's pay off. 0: none do. */
    int32_t n_together;
    void (*destroy)(fit_evaluator *ev);
};

shoal_status fit_moments_create(fit_evaluator **out, const fit_problem *problem);
shoal_status fit_pairs_create(fit_evaluator **out, const fit_problem *problem);
/* True if the moments evaluator can do the problem; else *why says what is in the way. */
bool fit_moments_possible(const fit_problem *problem, const char **why);

/* Derivatives of the energy of a sample by the parameters of one of its atoms, the others as they are: by
 * R, sqrt(E), charge, H and columns that a formula names. */
typedef struct fit_atom_slopes {
    double r, y, q, h, extra[FIT_N_EXTRA];
} fit_atom_slopes;
/* Of all atoms of the data: atoms[data->n_atoms]. */
shoal_status fit_pairs_by_atom(const fit_problem *problem, const double *p, fit_atom_slopes *atoms);

/* Energies by component with the pair loop: parts[data->n_samples][SHOAL_N_PARTS]. */
shoal_status fit_pairs_parts(const fit_problem *problem, const double *p,
                             double (*parts)[SHOAL_N_PARTS]);

#endif
