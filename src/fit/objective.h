/* SPDX-License-Identifier: BSD-3-Clause
 * The insides of a fit, and its objective as a function of the scaled variables. */
#ifndef SHOAL_FIT_OBJECTIVE_H
#define SHOAL_FIT_OBJECTIVE_H

#include "fit/fit.h"

typedef struct fit_mark fit_mark; /* fit/book.h */
typedef struct fit_book fit_book;

/* A row of the trajectory: step, J, largest projected slope, then the value of every free DOF. */
typedef struct fit_trajectory {
    double *rows; /* [n][3 + n_free] */
    int32_t n, capacity;
} fit_trajectory;

/* Of one DOF over the replicates of a bootstrap: standard deviation and 95 % of the values. */
typedef struct fit_bootstrap_error {
    double error, low, high;
} fit_bootstrap_error;

struct shoal_fit {
    arena memory; /* owns what the problem points to */
    shoal_fit_options options;
    fit_problem problem;
    fit_evaluator *evaluator;
    int32_t
        *site_host; /* [n_types] type of the atoms that sites of a type belong to; -1: no sites */
    fit_dof *dofs;
    int32_t n_dofs, dof_capacity;
    int32_t *free_dofs; /* [problem.n_free] */
    int32_t n_groups, n_families;
    double pool;                /* of the last run, as in fit_objective */
    double *value;              /* [n_dofs] units of the file */
    double *reference, *weight; /* [problem.n_samples]; weights add up to 1 */
    fit_trajectory trajectory;
    fit_book *book; /* for one that goes on with this fit; NULL: none is kept */
    /* Of shoal_fit_analyse: */
    double *covariance;  /* [n_free][n_free] of the scaled variables, NaN if not determined */
    double *independent; /* [n_free] errors of the scaled variables for independent residuals */
    fit_bootstrap_error *bootstrap; /* [n_free] of shoal_fit_bootstrap, units of the file */
    char **loose;                   /* [n_loose] texts of the arena */
    int32_t n_loose;
    /* Of shoal_fit_cross_validate: */
    shoal_cv_fold *folds;
    double *predicted, *kept_error; /* [data->n_samples] */
    shoal_cv_dimer *kept_dimers;    /* [data->n_dimers] */
};

/* One line of a file of DOFs, or many. */
shoal_status fit_dofs_read(shoal_fit *fit, const char *path);
shoal_status fit_dofs_read_memory(shoal_fit *fit, const char *text, const char *label);
/* DOFs that options ask for, defaults, frozen ones, counts. */
shoal_status fit_dofs_settle(shoal_fit *fit);
/* Value in the file <-> scaled variable. */
double fit_dof_scaled(const fit_dof *dof, double x);
double fit_dof_value(const fit_dof *dof, double u);
/* dx/du. */
double fit_dof_rate(const fit_dof *dof, double u);
/* "R", "E", "Q", "H", "L" or the name of a column. */
const char *fit_comp_name(const fit_problem *problem, int32_t comp);
/* Why a frozen DOF is frozen. */
const char *fit_dof_frozen_why(const fit_dof *dof);

/* Slots of all parameters at the given values of all DOFs: p[n_slots]. */
void fit_slots(const shoal_fit *fit, const double *value, double *p);

#define FIT_SAME_OPTIMUM 1e-6 /* relative difference of J */

/* The objective of one thread. */
typedef struct fit_objective {
    const shoal_fit *fit;
    fit_evaluator *evaluator;
    bool owns_evaluator;
    fit_target target;
    double *weight;   /* [n_samples] its own copy, adding up to 1 */
    int32_t n;        /* free DOFs */
    int32_t n_dimers; /* that count */
    double pool;      /* variance of a residual by dimers: pull of alike DOFs to each other, eV^2 */
    bool
        open_walls; /* no curvature of walls in the matrix: they tell nothing about the other side */
    double *lower, *upper, *start; /* [n] scaled */
    double *p, *slope, *energy, *rows, *local;
    bool *seen;          /* [data->n_dimers] scratch */
    double *family_mean; /* [n_families] scratch */
    double *family_size;
    int32_t evaluations;
} fit_objective;

/* clone: with an evaluator of its own. */
shoal_status objective_create(fit_objective **out, const shoal_fit *fit, bool clone);
void objective_destroy(fit_objective *o);
/* Samples with keep false count nothing; NULL: all count. */
shoal_status objective_select(fit_objective *o, const bool *keep);
/* The weight of every sample is multiplied by the factor of its dimer: factor[data->n_dimers]. */
shoal_status objective_weigh(fit_objective *o, const double *factor);
/* Types that samples with a weight have atoms of, and increments that they have bonds of: present[n_types]. */
void objective_types(const fit_objective *o, bool *present);
/* J and g[n] = dJ/du. */
shoal_status objective_value(fit_objective *o, const double *u, double *j, double *g);
/* The same and the Gauss-Newton matrix a[n][n], data[n][n] without walls and tethers (or NULL). */
shoal_status objective_matrix(fit_objective *o, const double *u, double *j, double *g, double *a,
                              double *data);
/* Weighted root mean square residual without clamp, eV, and energies (or NULL). */
shoal_status objective_rmse(fit_objective *o, const double *u, double *rmse, double *energy);
/* Largest component of the slope that bounds do not hold back; NaN if one is not finite. */
double objective_projected(const fit_objective *o, const double *u, const double *g);

/* Minimisers: u[n] is the start and the end. */
typedef struct fit_descent {
    int32_t max_steps;
    fit_trajectory *trajectory; /* may be NULL */
    shoal_fit_monitor *monitor; /* may be NULL */
    shoal_fit_stop *stop;       /* may be NULL */
    void *user;
    fit_mark *mark;   /* where it is in the book of the fit; NULL: nobody keeps it */
    int32_t stage;    /* of fit_minimise, for the book */
    int32_t patience; /* steps in which Levenberg-Marquardt must get on; 0: 50 */
    /* Out: */
    int32_t steps;
    double j;
    bool converged, stopped;
    bool stalled;        /* the method did not get on: more steps would change nothing */
    int32_t handed_over; /* the step at which L-BFGS took over from it; 0: it did not */
} fit_descent;
shoal_status minimise_levenberg(fit_objective *o, double *u, fit_descent *d);
shoal_status minimise_lbfgs(fit_objective *o, double *u, fit_descent *d);
shoal_status minimise_fire(fit_objective *o, double *u, fit_descent *d);
/* Notes a step in the trajectory and tells the monitor. */
shoal_status descent_note(fit_objective *o, const double *u, double j, double slope,
                          fit_descent *d);
/* One stage by a method. */
shoal_status fit_descend(fit_objective *o, shoal_fit_method method, double *u, fit_descent *d);
/* From start values to a minimum: a clamped stage where residuals are huge, a free one that tells how
 * far the data can be trusted, and one in which alike DOFs pull at each other accordingly. */
shoal_status fit_minimise(fit_objective *o, shoal_fit_method method, double *u, fit_descent *d);

/* What is asked and told while it runs, with one answer for all ranks: that of rank 0. Lives as long as the options. */
typedef struct fit_asking {
    shoal_fit *fit;
    shoal_fit_stop *stop;
    shoal_fit_monitor *monitor;
    void *user;
} fit_asking;
/* Puts that between the options and their callbacks, where there are several ranks. */
void fit_ask_together(shoal_fit *fit, shoal_fit_run_options *options, fit_asking *asking);

/* Steps at most: those of the options, the method's own, or none. */
int32_t fit_max_steps(const shoal_fit_run_options *options);

/* Uniform in [0, 1) by counter: the same for the same three numbers, whoever asks when. */
double fit_random(uint64_t seed, uint64_t stream, uint64_t index);

#endif
