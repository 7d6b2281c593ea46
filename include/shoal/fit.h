/* SPDX-License-Identifier: BSD-3-Clause
 * Fitting non-covalent parameters of atom types to interaction energies of rigid dimers.
 *
 * Units are eV, angstrom, e. Atoms i of the first and j of the second fragment interact with
 *   E_ij = E0 (cB (1 + h1) B(r, R0) - cA (1 - h2) A(r, R0)) + lambda kC q_i q_j g(r),
 *   R0 = R_i + R_j - c (q_i + q_j),  E0 = sqrt(E_i E_j),  H = h_i h_j if that is negative, else 0,
 * h1 = H where hydrogen bonds act on the repulsion, h2 = H where they act on the attraction. The
 * objective is J = 1/2 sum_s w_s c(E_s - Eref_s)^2 / sum_s w_s + walls and tethers of the degrees
 * of freedom (DOFs); c is the identity unless a clamp is asked for. */
#ifndef SHOAL_FIT_H
#define SHOAL_FIT_H

#include "shoal/dataset.h"
#include "shoal/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_fit shoal_fit;

/* Components of a sample's energy; they add up to it. */
enum {
    SHOAL_PART_COULOMB = 0,
    SHOAL_PART_VDW,   /* without hydrogen bonds */
    SHOAL_PART_HBOND, /* what the hydrogen-bond correction adds */
    SHOAL_PART_SITE,  /* short-range terms of lone-pair and sigma-hole sites */
    SHOAL_N_PARTS
};

typedef enum shoal_fit_method {
    SHOAL_FIT_LM = 0, /* Levenberg-Marquardt with bounds; lbfgs goes on where it stalls */
    SHOAL_FIT_LBFGS,  /* limited-memory BFGS with bounds */
    SHOAL_FIT_FIRE,
} shoal_fit_method;

/* Zero means the default in every member. */
typedef struct shoal_fit_options {
    const char *model;     /* morse (NULL), lj, lj8, lj9, buck, exp6, morse6, buck6, a formula, or
                        * exp6-sites: exp6 without hydrogen-bond factor, with alpha, lambda, c and
                        * the charges of all sites fitted; exp6-full: also the increments of all
                        * bonds; "best" is another name of the last */
    double alpha;          /* 1/angstrom; 0: 1.6 (morse, buck); without unit: 12 (exp6), 6 (..6) */
    const char *constants; /* of a formula: "b=0.5 c=2" */
    const char *columns;   /* "A B": names that a formula has for columns of the table behind Hb */
    shoal_hbond hbond;
    shoal_coulomb coulomb;
    double coulomb_damping; /* d, angstrom */
    const char *site_model; /* sr, sr2, sr3: short-range terms of sites; NULL: Coulomb only */
    bool type_charges;      /* charges of the types, not of the atoms */
    bool neutral;           /* fitted charges leave the charge of every fragment as it was */
    bool fit_lambda;        /* one more DOF scales all charge products */
    bool fit_alpha;         /* one more DOF */
    /* R0 = R_i + R_j - c (q_i + q_j), with the charges of the atoms before sites took their share:
     * c in angstrom/e, and whether it is fitted ("* c"). */
    double radius_charge;
    bool fit_radius_charge;
    /* Attraction u^6 times 1 - exp(-beta r) sum_{k=0..6} (beta r)^k/k! (Tang and Toennies): beta in
     * 1/angstrom, 0 for none, and whether it is fitted ("* beta", from 4 if none is given). */
    double dispersion_damping;
    bool fit_dispersion_damping;
    bool fit_coulomb_damping; /* d ("* d") */
    bool fit_site_charges;    /* Q of all types of sites */
    bool fit_increments;      /* Q of all bonds with increments */
    bool components;          /* fit Elst, Exch, Ind + Disp of the comments, each to its own term */
    double clamp_from, clamp_to; /* residuals above the first are bent towards the second, eV */
    double pool; /* strength of the pull between DOFs of one element and component: 0 means 1, the
                  * prior that the residuals call for (see docs/fitting.md), < 0 none */
    bool unregularized; /* no pool, no tethers, no walls: nothing but the data, within the bounds */
    double tether;      /* pull to the start by scaled unit, for types as frequent as the mean one
                        * and inversely with their number for others, (kcal/mol)^2 */
    const char *
        evaluator; /* NULL: moments where the model is separable, else pairs; opencl[:WHICH]; several with commas between
                     * them share the samples out */
    /* Ranks that share the samples out as well; NULL: this process alone. All have the same data and options, and make the same
     * calls in the same order on one thread; all get the same bits, whatever their number. Callbacks of rank 0 decide, and it
     * writes the checkpoint. Borrowed. */
    const shoal_peers *peers;
    bool single;       /* OpenCL: single precision, good to some 1e-6 of the largest terms */
    int32_t n_threads; /* 0: as many as the machine gives */
    bool strict;       /* refuse what the model would ignore, as an alpha without use */
} shoal_fit_options;

/* A fit of the DOFs listed in a file, one per line:
 *   type comp min max xlo xhi Klo Khi K0 [start [invMass]]
 * comp is 0 or R, 1 or E (eV), 2 or Q, 3 or H, 4 or L, or a column that the formula names; type "*"
 * names a global one: alpha, lambda, c, beta, d, L (the distance of all sites) or a constant of the
 * formula.
 * K in (kcal/mol)^2 per squared unit of the file: J weighs them against squared residuals, which
 * are of that size. DOFs of types that are not in the data are frozen. The data set is borrowed as
 * long as the fit lives. The caller owns *out. */
SHOAL_API shoal_status shoal_fit_create(shoal_fit **out, const shoal_dataset *data,
                                        const char *dofs, const shoal_fit_options *options);
SHOAL_API shoal_status shoal_fit_create_memory(shoal_fit **out, const shoal_dataset *data,
                                               const char *dofs_text, const char *label,
                                               const shoal_fit_options *options);
/* Puts the sites and increments that a model needs into data that have none. */
SHOAL_API shoal_status shoal_dataset_complete(shoal_dataset *data,
                                              const shoal_fit_options *options);
SHOAL_API void shoal_fit_destroy(shoal_fit *fit);
/* From here on this process evaluates all samples itself, and other ranks need not make its calls. */
SHOAL_API shoal_status shoal_fit_leave_peers(shoal_fit *fit);
/* "moments", "pairs" or a device. */
SHOAL_API const char *shoal_fit_evaluator(const shoal_fit *fit);

typedef struct shoal_dof_info {
    const char *type; /* "*" for a global one */
    const char *comp; /* "R", "E", "Q", "H", "L", a column, or the name of a global one */
    double start, value, min, max; /* units of the file */
    double uncertainty;            /* standard error by dimers; NaN if it cannot be told */
    double independent; /* the same as if the points of a curve were independent: too small */
    double bootstrap, low, high; /* standard error and 95 % of the values, of shoal_fit_bootstrap */
    int32_t n_atoms;             /* of its type in the data */
    bool frozen, at_bound;
    const char *why; /* it is frozen; NULL if it is not */
} shoal_dof_info;

/* All DOFs of the file, frozen ones included. */
SHOAL_API int32_t shoal_fit_dofs(const shoal_fit *fit);
SHOAL_API int32_t shoal_fit_free_dofs(const shoal_fit *fit);
SHOAL_API shoal_status shoal_fit_dof(const shoal_fit *fit, int32_t dof, shoal_dof_info *info);
SHOAL_API shoal_status shoal_fit_set_value(shoal_fit *fit, int32_t dof, double value);

/* Values of a pair model, such as shoal_fit_write_model wrote it, for all free DOFs whose types, bonds or constants it has,
 * within their bounds: the fit begins there. Start values, which tethers pull to and folds begin from, stay. *n_taken (may
 * be NULL) is the number of values; none at all fails with SHOAL_E_ARGUMENT. */
SHOAL_API shoal_status shoal_fit_start_from(shoal_fit *fit, const shoal_pair_model *model,
                                            int32_t *n_taken);

/* J in eV^2 and its derivative by every DOF in units of the file; gradient may be NULL. */
SHOAL_API shoal_status shoal_fit_objective(shoal_fit *fit, double *j, double *gradient);
/* Energies by component at the present values, eV: parts[n_samples][SHOAL_N_PARTS]. */
SHOAL_API shoal_status shoal_fit_predict(shoal_fit *fit, double (*parts)[SHOAL_N_PARTS]);

/* Told after every step; false stops the fit. */
typedef bool shoal_fit_monitor(void *user, int32_t step, double rmse);

/* Asked at every step of every start, fold and replicate, from any thread; true ends them. */
typedef bool shoal_fit_stop(void *user);

typedef struct shoal_fit_run_options {
    shoal_fit_method method;
    int32_t max_steps; /* 0: 500 (lm), 20000; < 0: none, evaluate only */
    int32_t n_starts;  /* 0: 1, the start values; further ones are drawn between the walls */
    uint64_t seed;
    shoal_fit_monitor *monitor; /* of the first start; may be NULL */
    shoal_fit_stop *stop;       /* may be NULL; what is best so far is the result */
    void *user;
} shoal_fit_run_options;

typedef struct shoal_fit_result {
    bool converged, stopped;
    bool stalled; /* not converged, and more steps would change nothing: try another method */
    int32_t steps, evaluations, best_start, same_optimum; /* same_optimum: of n_starts */
    int32_t handed_over;      /* step at which a stalled lm left the rest to lbfgs; 0: it did not */
    double j;                 /* eV^2, with walls and tethers */
    double rmse_before, rmse; /* weighted, eV, without clamp */
    double seconds;
} shoal_fit_result;

/* Moves the DOFs into a minimum. options may be NULL. */
SHOAL_API shoal_status shoal_fit_run(shoal_fit *fit, const shoal_fit_run_options *options,
                                     shoal_fit_result *result);

/* A fit that another process can go on with: what it has done, and where it is on its way, stands in a checkpoint. */
typedef struct shoal_fit_restart {
    const char *checkpoint; /* the file */
    double seconds;         /* between two of them; 0: 60 */
    bool resume;            /* go on with the one that is there, if there is one */
} shoal_fit_restart;

/* From here on runs, cross-validations and bootstraps of the fit keep a checkpoint; one that was stopped begins again where it
 * was, and ends with the same bits as one that nobody disturbed, if the same calls are made in the same order. *resumed (may be
 * NULL) says whether there was one. Fails with SHOAL_E_ARGUMENT, and the reason, where it is that of other data, parameters or
 * options. */
SHOAL_API shoal_status shoal_fit_keep(shoal_fit *fit, const shoal_fit_restart *restart,
                                      bool *resumed);
/* The end of that: removes the checkpoint of what is complete, or writes the last one. */
SHOAL_API shoal_status shoal_fit_keep_end(shoal_fit *fit, bool complete);

typedef struct shoal_cv_options {
    int32_t n_folds; /* by dimer; 0: leave out one monomer after the other */
    uint64_t seed;
    shoal_fit_run_options run;
} shoal_cv_options;

typedef struct shoal_cv_fold {
    int32_t n_samples, n_dimers; /* kept back, of those that count */
    double rmse, rmse_train;     /* eV */
    char label[64];
} shoal_cv_fold;

typedef struct shoal_cv_dimer {
    const char *name; /* borrowed */
    int32_t dimer, n_samples;
    double rmse, largest; /* of its samples while kept back, eV */
} shoal_cv_dimer;

typedef struct shoal_cv_result {
    bool stopped; /* before its end: no errors */
    int32_t n_folds;
    double rmse, std; /* of all kept-back samples, each counted once, and of the folds among
                       * themselves, eV */
    const shoal_cv_fold *folds; /* borrowed until the next cross-validation */
    const double *predicted;    /* [n_samples] energies while kept back, eV */
    const double *error; /* [n_samples] size of the error while kept back; where both monomers
                                 * were in turn, the root mean square */
    double median;       /* of these errors, eV */
    int32_t n_dimers;    /* that count */
    const shoal_cv_dimer *dimers; /* [n_dimers] worst first */
} shoal_cv_result;

/* Fits every fold and predicts what was kept back. Samples left out by their weight change neither
 * folds nor errors, but are predicted. Folds start from the start values of the DOFs and
 * from the present ones, as far as their types are in the fold; the lower minimum counts, the first
 * one if they are equal. The values of the fit are left as they are. options may be NULL. */
SHOAL_API shoal_status shoal_fit_cross_validate(shoal_fit *fit, const shoal_cv_options *options,
                                                shoal_cv_result *result);

/* Tries strengths of the pool (none, 0.1, 0.3, 1, 3, 10) by cross-validation from the start values, and sets
 * the one with the least error of kept-back samples, the one nearest to 1 if they are equal. error is its
 * error, eV. options may be NULL: 5 folds. */
SHOAL_API shoal_status shoal_fit_choose_pool(shoal_fit *fit, const shoal_cv_options *options,
                                             double *pool, double *error);

/* Standard errors and correlations at the present values. Points of one curve err together, so that
 * dimers are what is counted: each is left out in turn. NaN where the data do not determine a DOF
 * or one dimer alone does. */
SHOAL_API shoal_status shoal_fit_analyse(shoal_fit *fit);
/* Standard errors of the energies of all samples, eV, also of those that a weight leaves out, by the covariance of the DOFs that
 * shoal_fit_analyse found: error[n_samples]. NaN where a sample depends on a DOF that the data do not determine. What the
 * model cannot express is not in them. */
SHOAL_API shoal_status shoal_fit_prediction_errors(shoal_fit *fit, double *error);
/* Correlation of two free DOFs after shoal_fit_analyse; NaN if one is not determined. */
SHOAL_API double shoal_fit_correlation(const shoal_fit *fit, int32_t dof_a, int32_t dof_b);
/* Directions that the data do not determine: how many, and each as text, "+0.71 C_3.R ...". */
SHOAL_API int32_t shoal_fit_loose_directions(const shoal_fit *fit);
SHOAL_API const char *shoal_fit_loose_direction(const shoal_fit *fit, int32_t index);

typedef struct shoal_bootstrap_options {
    int32_t n; /* replicates; 0: 200 */
    uint64_t seed;
    shoal_fit_run_options run; /* method, max_steps */
} shoal_bootstrap_options;

/* Fits replicates of the data, dimers drawn with replacement, from the present values and with their
 * pool. Fills bootstrap, low and high of every DOF, from the replicates that have atoms of its type;
 * the values stay. One that is stopped leaves NaN. Numbers are drawn by counter: threads change nothing. options
 * may be NULL. */
SHOAL_API shoal_status shoal_fit_bootstrap(shoal_fit *fit, const shoal_bootstrap_options *options);

typedef struct shoal_derivative_check {
    double analytic, numeric; /* of J by the DOF, unit of the file */
    double error;             /* relative to the sum of the contributions of the samples */
    double doubt;             /* estimated error of numeric, relative to the same */
    bool weak, passed;        /* weak signal: both vanish */
    bool
        uncertain; /* numeric is too rough for a verdict, as at kinks of clamps: passed all the same */
    bool
        jumps; /* an H of 0, where its slope jumps: analytic is that of the closed gate, no verdict */
} shoal_derivative_check;

typedef struct shoal_derivative_options {
    double step;      /* largest one, of the scaled variable; 0: 0.05 */
    double tolerance; /* of error, beside ten times doubt; 0: 1e-9 */
    int32_t points;   /* steps, each half of the one before, 3 to 16; 0: 8 */
} shoal_derivative_options;

/* Compares the analytic derivative of DOF with an extrapolated difference of J; options may be NULL. */
SHOAL_API shoal_status shoal_fit_check_derivative(shoal_fit *fit, int32_t dof,
                                                  const shoal_derivative_options *options,
                                                  shoal_derivative_check *check);
/* "ok", "WRONG", "uncertain", "weak signal", "slope jumps at H = 0"; NULL as "frozen". */
SHOAL_API const char *shoal_derivative_verdict(const shoal_derivative_check *check);

/* J and dJ/dvalue at a value of one DOF or of two, all others as they are. dof_b may be -1. */
typedef struct shoal_scan_point {
    double a, b; /* values */
    double j, slope_a, slope_b;
    double numeric_a, numeric_b; /* slopes by differences */
} shoal_scan_point;
SHOAL_API shoal_status shoal_fit_scan_point(shoal_fit *fit, int32_t dof_a, int32_t dof_b,
                                            shoal_scan_point *point);

typedef struct shoal_fit_speed {
    char device[128]; /* "cpu", or the name of the OpenCL device */
    int32_t n_sets, n_samples, n_repeats;
    int64_t n_pairs; /* of one set of parameters */
    double seconds;  /* of one evaluation of all sets: median of the repeats */
    double spread;   /* of the repeats: (slowest - fastest) / median */
    double pairs_per_s;
    double error; /* of the slope of J, largest of all sets tried, relative to its largest
                   * component, against the pair loop in double precision */
} shoal_fit_speed;

/* Times J and its slope for n_sets sets of parameters around the present values, after checking
 * them: evaluator "moments", "pairs" or "opencl[:WHICH]", single as in shoal_fit_options. */
SHOAL_API shoal_status shoal_fit_measure(const shoal_fit *fit, const char *evaluator, bool single,
                                         int32_t n_sets, shoal_fit_speed *speed);

/* Figures as files PREFIX-NAME.svg, without an .svg that PREFIX may end in: scatter (model against reference; energies while kept back
 * with cv, which may be NULL), samples (energies and weights in their order), curves (of the worst
 * dimers), maps, polar and cuts (reference and model over distance and angle, where the data have
 * several angles), dofs (J along every free DOF, with analytic and numeric slope) and trajectory (of
 * the last run). */
SHOAL_API shoal_status shoal_fit_plot(shoal_fit *fit, const shoal_cv_result *cv,
                                      const char *prefix);

/* Points of a scan of one DOF or of two. */
typedef struct shoal_fit_scan {
    int32_t dof_a, dof_b;           /* dof_b -1: of one */
    int32_t n_a, n_b;               /* n_b 1: of one */
    const shoal_scan_point *points; /* [n_a][n_b] */
} shoal_fit_scan;

/* A scan as a figure, with the present values marked, as SVG. */
SHOAL_API shoal_status shoal_fit_plot_scan(shoal_fit *fit, const shoal_fit_scan *scan,
                                           const char *path);

/* What was fitted as a pair model, which engines compute the same energies with. Fails with SHOAL_E_UNSUPPORTED where
 * they cannot. The caller owns a reference. */
SHOAL_API shoal_status shoal_fit_pair_model(const shoal_fit *fit, shoal_pair_model **out);
SHOAL_API shoal_status shoal_fit_write_model(const shoal_fit *fit, const char *path);
/* Increments of bonds with the present values: how many, and increments[n] (may be NULL). */
SHOAL_API int32_t shoal_fit_increments(const shoal_fit *fit, shoal_charge_increment *increments);
/* The table of types with the fitted values, types of sites included, without increments of bonds. The
 * caller owns *out. */
SHOAL_API shoal_status shoal_fit_types(const shoal_fit *fit, shoal_atom_types **out);
/* Comma-separated files; "-" is standard output. */
SHOAL_API shoal_status shoal_fit_write_dofs(const shoal_fit *fit, const char *path);
SHOAL_API shoal_status shoal_fit_write_samples(shoal_fit *fit, const shoal_cv_result *cv,
                                               const char *path);
/* Derivatives of the energy of every sample by R, E, Q and H of each of its atoms, the other atoms as they
 * are: sample and atom counted from 0, type, dE/dR in eV/angstrom, dE/dE (empty where E is 0), dE/dQ in
 * eV/e, dE/dH in eV. A site takes its charge from its host. */
SHOAL_API shoal_status shoal_fit_write_derivatives(const shoal_fit *fit, const char *path);
SHOAL_API shoal_status shoal_fit_write_trajectory(const shoal_fit *fit, const char *path);

#ifdef __cplusplus
}
#endif

#endif
