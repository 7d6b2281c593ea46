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

#include "shoal/pair_model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_dataset shoal_dataset;
typedef struct shoal_fit shoal_fit;

/* Components of a sample's energy; they add up to it. */
enum {
    SHOAL_PART_COULOMB = 0,
    SHOAL_PART_VDW,   /* without hydrogen bonds */
    SHOAL_PART_HBOND, /* what the hydrogen-bond correction adds */
    SHOAL_PART_SITE,  /* short-range terms of lone-pair and sigma-hole sites */
    SHOAL_N_PARTS
};

/* An empty data set whose atoms have types of the table, which is copied. */
SHOAL_API shoal_status shoal_dataset_create(shoal_dataset **out, const shoal_atom_types *types);
SHOAL_API void shoal_dataset_destroy(shoal_dataset *data);
/* Appends the frames of a file as a set: comment "# n0 INT Etot eV [x0 r] [z angle] ... name", atoms
 * "type x y z [q]". weight > 0 is that of the whole set against the others: samples of a set share
 * it, so that sets of equal weight count the same whatever their size. */
SHOAL_API shoal_status shoal_dataset_add(shoal_dataset *data, const char *path, double weight);
/* The same from memory; label stands for the file name. */
SHOAL_API shoal_status shoal_dataset_add_memory(shoal_dataset *data, const void *text, size_t size,
                                                const char *label, double weight);
/* One number per sample in the order of the samples, multiplied to the weights; a negative one
 * leaves the sample out. */
SHOAL_API shoal_status shoal_dataset_read_weights(shoal_dataset *data, const char *path);
/* Weights exp(-steepness (E - Emin) / (|Emin| + width)) over the samples of each dimer, eV. */
SHOAL_API shoal_status shoal_dataset_weigh_curves(shoal_dataset *data, double steepness,
                                                  double width);

/* Puts lone-pair and sigma-hole sites into every frame at a distance (angstrom) from their hosts:
 * for types whose column 4 names a type of the table (a plain E stands for "E_" and the name without
 * underscores), lone pairs as many as column 6 says, and where that is 0 the sigma hole behind an
 * atom with one neighbour. Order: atoms and sites of the first fragment, then of the second. Once,
 * when all files are added. */
SHOAL_API shoal_status shoal_dataset_add_sites(shoal_dataset *data, double distance);
/* The same by element, whatever the table says: lone pairs of N and P (1), O and S (2) and the elements
 * below, a site behind every hydrogen, the sigma holes of halogens; types of sites are called "E_" and the
 * name of the type without underscores. distance 0: 0.7 A for lone pairs, 0.4 A for hydrogens, 0.6 A for
 * sigma holes. */
SHOAL_API shoal_status shoal_dataset_auto_sites(shoal_dataset *data, double distance);
/* The same by rules; an atom may have sites of several. Types of sites that the table of the data set
 * lacks are added to it. */
SHOAL_API shoal_status shoal_dataset_put_sites(shoal_dataset *data, const shoal_site_rule *rules,
                                               int32_t n_rules);
/* The rules that put the sites there, borrowed; returns how many. */
SHOAL_API int32_t shoal_dataset_site_rules(const shoal_dataset *data,
                                           const shoal_site_rule **rules);
/* Finds the bonds of all frames and lets each move charge between its atoms: one increment for every
 * pair of unlike types, "FROM:TO" in the table of the data set, whose Q is what a bond takes from its atom
 * of type FROM and gives to that of type TO. FROM comes first in the table. Charges of fragments stay
 * as they are. Once, after the sites. */
SHOAL_API shoal_status shoal_dataset_add_increments(shoal_dataset *data);
/* The same with given values; bonds between types that are not among them move nothing. */
SHOAL_API shoal_status shoal_dataset_put_increments(shoal_dataset *data,
                                                    const shoal_charge_increment *increments,
                                                    int32_t n);
/* Writes all frames as shoal_dataset_add reads them; with sites, a sixth column holds their hosts,
 * counted from 0, and -1 for atoms. */
SHOAL_API shoal_status shoal_dataset_write(const shoal_dataset *data, const char *path);

typedef struct shoal_set_info {
    const char *label; /* borrowed */
    int32_t first, n_samples, n_dimers, n_atoms;
    double weight;           /* as given */
    double rms, least, most; /* of the reference energies, eV */
} shoal_set_info;

typedef struct shoal_sample_info {
    const char *name, *group;             /* borrowed; "" without one */
    int32_t set, dimer, n_atoms, n_first; /* n_first: atoms of the first fragment */
    double x0, angle;                     /* NaN if the comment has none */
    double reference, weight;             /* eV */
} shoal_sample_info;

SHOAL_API int32_t shoal_dataset_sets(const shoal_dataset *data);
SHOAL_API int32_t shoal_dataset_samples(const shoal_dataset *data);
SHOAL_API int32_t shoal_dataset_dimers(const shoal_dataset *data);
SHOAL_API int32_t shoal_dataset_monomers(const shoal_dataset *data);
SHOAL_API int64_t shoal_dataset_pairs(const shoal_dataset *data);
/* Atoms of a type of the table. */
SHOAL_API int32_t shoal_dataset_count(const shoal_dataset *data, int32_t type);
SHOAL_API shoal_status shoal_dataset_set(const shoal_dataset *data, int32_t set,
                                         shoal_set_info *info);
SHOAL_API shoal_status shoal_dataset_sample(const shoal_dataset *data, int32_t sample,
                                            shoal_sample_info *info);

typedef enum shoal_fit_method {
    SHOAL_FIT_LM = 0, /* Levenberg-Marquardt with bounds */
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
    double pool;   /* strength of the pull between DOFs of one element and component: 0 means 1, the
                  * prior that the residuals call for (see docs/fitting.md), < 0 none */
    double tether; /* pull to the start by scaled unit, for types as frequent as the mean one
                        * and inversely with their number for others, (kcal/mol)^2 */
    const char
        *evaluator;    /* NULL: moments where the model is separable, else pairs; opencl[:WHICH] */
    bool single;       /* OpenCL: single precision, good to some 1e-6 of the largest terms */
    int32_t n_threads; /* 0: as many as the machine gives */
} shoal_fit_options;

/* A fit of the DOFs listed in a file, one per line:
 *   type comp min max xlo xhi Klo Khi K0 [start [invMass]]
 * comp is 0 or R, 1 or E (eV), 2 or Q, 3 or H, 4 or L; type "*" names a global one: alpha, lambda,
 * c, beta, d, L (the distance of all sites) or a constant of the formula.
 * K in (kcal/mol)^2 per squared unit of the file: J weighs them against squared residuals, which
 * are of that size. DOFs of types that are not in the data are frozen. The data set is borrowed as
 * long as the fit lives. The caller owns *out. */
SHOAL_API shoal_status shoal_fit_create(shoal_fit **out, const shoal_dataset *data,
                                        const char *dofs, const shoal_fit_options *options);
SHOAL_API shoal_status shoal_fit_create_memory(shoal_fit **out, const shoal_dataset *data,
                                               const char *dofs_text, const char *label,
                                               const shoal_fit_options *options);
/* Whether a model needs data with sites (shoal_dataset_auto_sites), with increments
 * (shoal_dataset_add_increments). */
SHOAL_API bool shoal_fit_model_needs_sites(const char *model);
SHOAL_API bool shoal_fit_model_needs_increments(const char *model);
SHOAL_API void shoal_fit_destroy(shoal_fit *fit);
/* "moments", "pairs" or a device. */
SHOAL_API const char *shoal_fit_evaluator(const shoal_fit *fit);

typedef struct shoal_dof_info {
    const char *type;              /* "*" for a global one */
    const char *comp;              /* "R", "E", "Q", "H", "L" or the name of a global one */
    double start, value, min, max; /* units of the file */
    double uncertainty;            /* standard error; NaN if the data do not determine it */
    int32_t n_atoms;               /* of its type in the data */
    bool frozen, at_bound;
    const char *why; /* it is frozen; NULL if it is not */
} shoal_dof_info;

/* All DOFs of the file, frozen ones included. */
SHOAL_API int32_t shoal_fit_dofs(const shoal_fit *fit);
SHOAL_API int32_t shoal_fit_free_dofs(const shoal_fit *fit);
SHOAL_API shoal_status shoal_fit_dof(const shoal_fit *fit, int32_t dof, shoal_dof_info *info);
SHOAL_API shoal_status shoal_fit_set_value(shoal_fit *fit, int32_t dof, double value);

/* J in eV^2 and its derivative by every DOF in units of the file; gradient may be NULL. */
SHOAL_API shoal_status shoal_fit_objective(shoal_fit *fit, double *j, double *gradient);
/* Energies by component at the present values, eV: parts[n_samples][SHOAL_N_PARTS]. */
SHOAL_API shoal_status shoal_fit_predict(shoal_fit *fit, double (*parts)[SHOAL_N_PARTS]);

/* Told after every step; false stops the fit. */
typedef bool shoal_fit_monitor(void *user, int32_t step, double rmse);

typedef struct shoal_fit_run_options {
    shoal_fit_method method;
    int32_t max_steps; /* 0: 500 (lm), 20000; < 0: none, evaluate only */
    int32_t n_starts;  /* 0: 1, the start values; further ones are drawn between the walls */
    uint64_t seed;
    shoal_fit_monitor *monitor; /* of the first start; may be NULL */
    void *user;
} shoal_fit_run_options;

typedef struct shoal_fit_result {
    bool converged;
    int32_t steps, evaluations, best_start, same_optimum; /* same_optimum: of n_starts */
    double j;                                             /* eV^2, with walls and tethers */
    double rmse_before, rmse;                             /* weighted, eV, without clamp */
    double seconds;
} shoal_fit_result;

/* Moves the DOFs into a minimum. options may be NULL. */
SHOAL_API shoal_status shoal_fit_run(shoal_fit *fit, const shoal_fit_run_options *options,
                                     shoal_fit_result *result);

typedef struct shoal_cv_options {
    int32_t n_folds; /* by dimer; 0: leave out one monomer after the other */
    uint64_t seed;
    shoal_fit_run_options run;
} shoal_cv_options;

typedef struct shoal_cv_fold {
    int32_t n_samples, n_dimers; /* kept back */
    double rmse, rmse_train;     /* eV */
    char label[64];
} shoal_cv_fold;

typedef struct shoal_cv_result {
    int32_t n_folds;
    double rmse, std; /* of all kept-back samples, and of the folds among themselves, eV */
    const shoal_cv_fold *folds; /* borrowed until the next cross-validation */
    const double *predicted;    /* [n_samples] energies while kept back, eV */
} shoal_cv_result;

/* Fits every fold and predicts what was kept back. Folds start from the start values of the DOFs and
 * from the present ones, as far as their types are in the fold; the lower minimum counts, the first
 * one if they are equal. The values of the fit are left as they are. options may be NULL. */
SHOAL_API shoal_status shoal_fit_cross_validate(shoal_fit *fit, const shoal_cv_options *options,
                                                shoal_cv_result *result);

/* Tries strengths of the pool (none, 0.1, 0.3, 1, 3, 10) by cross-validation from the start values, and sets
 * the one with the least error of kept-back samples, the one nearest to 1 if they are equal. error is its
 * error, eV. options may be NULL: 5 folds. */
SHOAL_API shoal_status shoal_fit_choose_pool(shoal_fit *fit, const shoal_cv_options *options,
                                             double *pool, double *error);

/* Standard errors and correlations from the Gauss-Newton matrix at the present values. */
SHOAL_API shoal_status shoal_fit_analyse(shoal_fit *fit);
/* Correlation of two free DOFs after shoal_fit_analyse; NaN if one is not determined. */
SHOAL_API double shoal_fit_correlation(const shoal_fit *fit, int32_t dof_a, int32_t dof_b);
/* Directions that the data do not determine: how many, and each as text, "+0.71 C_3.R ...". */
SHOAL_API int32_t shoal_fit_loose_directions(const shoal_fit *fit);
SHOAL_API const char *shoal_fit_loose_direction(const shoal_fit *fit, int32_t index);

typedef struct shoal_derivative_check {
    double analytic, numeric; /* of J by the DOF, unit of the file */
    double error;             /* relative to the largest contribution of a sample */
    bool weak, passed;        /* weak signal: both vanish */
    bool
        jumps; /* an H of 0, where its slope jumps: analytic is that of the closed gate, no verdict */
} shoal_derivative_check;

/* Compares the analytic derivative of DOF with an extrapolated difference of J. */
SHOAL_API shoal_status shoal_fit_check_derivative(shoal_fit *fit, int32_t dof,
                                                  shoal_derivative_check *check);

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

/* Figures as SVG files PREFIX-NAME.svg: scatter (model against reference; energies while kept back
 * with cv, which may be NULL), curves (of the worst dimers), maps (reference, model and difference
 * over distance and angle, where the data have several angles) and dofs (J along every free DOF,
 * with analytic and numeric slope). */
SHOAL_API shoal_status shoal_fit_plot(shoal_fit *fit, const shoal_cv_result *cv,
                                      const char *prefix);

/* Increments of bonds with the present values: how many, and increments[n] (may be NULL). */
SHOAL_API int32_t shoal_fit_increments(const shoal_fit *fit, shoal_charge_increment *increments);
/* The table of types with the fitted values, types of sites included, without increments of bonds. The
 * caller owns *out. */
SHOAL_API shoal_status shoal_fit_types(const shoal_fit *fit, shoal_atom_types **out);
/* Comma-separated files; "-" is standard output. */
SHOAL_API shoal_status shoal_fit_write_types(const shoal_fit *fit, const char *path);
SHOAL_API shoal_status shoal_fit_write_dofs(const shoal_fit *fit, const char *path);
SHOAL_API shoal_status shoal_fit_write_samples(shoal_fit *fit, const shoal_cv_result *cv,
                                               const char *path);
SHOAL_API shoal_status shoal_fit_write_trajectory(const shoal_fit *fit, const char *path);

#ifdef __cplusplus
}
#endif

#endif
