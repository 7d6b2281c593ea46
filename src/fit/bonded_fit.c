/* SPDX-License-Identifier: BSD-3-Clause
 * The objective of a fit of bonded parameters, and its minimum by Levenberg's and Marquardt's method. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "fit/bonded.h"
#include "geom/dense.h"

#define RESIDUAL 0.005         /* eV: what the pull to the force field is measured by */
#define CONVERGED 1e-9         /* relative, of J */
#define CONVERGED_RELAXED 1e-4 /* the same where geometries are relaxed, to so many digits */

/* J, its slope and its Gauss-Newton matrix at the present values. */
typedef struct bonded_sums {
    int32_t n;                        /* parameters */
    double *energy;                   /* [n_geometries] up to a constant */
    double *rows;                     /* [n_geometries][n] */
    double *gradient, *matrix;        /* [n], [n][n]; NULL: only J */
    double *force_rows;               /* [3 of the largest molecule][n] */
    double (*y)[3];                   /* [atoms of the largest molecule] */
    double j, squares, force_squares; /* means */
    double *memory;
} bonded_sums;

static int32_t most_atoms(const shoal_bonded_fit *fit)
{
    int32_t most = 0;
    for (int32_t m = 0; m < fit->n_molecules; ++m)
        if (fit->molecules[m].mol->n_atoms > most) most = fit->molecules[m].mol->n_atoms;
    return most;
}

static shoal_status sums_open(const shoal_bonded_fit *fit, bool slopes, bonded_sums *s)
{
    const size_t n = (size_t)fit->n_parameters, n_g = (size_t)fit->n_geometries;
    const size_t atoms = (size_t)most_atoms(fit);
    const size_t forces = fit->has_forces ? 3 * atoms * n : 0;
    *s = (bonded_sums){.n = fit->n_parameters};
    s->memory = shoal_alloc(n_g + (slopes ? n_g * n + n + n * n + forces + 3 * atoms : 0),
                            sizeof *s->memory);
    if (!s->memory) return SHOAL_E_MEMORY;
    s->energy = s->memory;
    if (!slopes) return SHOAL_OK;
    s->rows = s->energy + n_g;
    s->gradient = s->rows + n_g * n;
    s->matrix = s->gradient + n;
    s->force_rows = s->matrix + n * n;
    s->y = (double(*)[3])(s->force_rows + forces);
    return SHOAL_OK;
}

static void add_slopes(const bonded_term *t, const bonded_value *v, const double slope[4][3],
                       const double (*y)[3], double *row)
{
    double along = 0.0;
    for (int a = 0; a < 4 && y; ++a)
        for (int c = 0; c < 3; ++c) along += slope[a][c] * y[t->atoms[a]][c];
    for (int k = 0; k < BONDED_PERIODS; ++k)
        if (t->parameter[k] >= 0) row[t->parameter[k]] += v->by[k] + along * v->by_both[k];
}

/* Adds the force of a term and, where there is room, its derivatives. */
static void add_force(const bonded_term *t, const bonded_value *v, const double slope[4][3],
                      double (*force)[3], double *rows, int32_t n)
{
    for (int a = 0; a < 4; ++a)
        for (int c = 0; c < 3; ++c) {
            force[t->atoms[a]][c] -= v->by_q * slope[a][c];
            for (int k = 0; k < BONDED_PERIODS && rows; ++k)
                if (t->parameter[k] >= 0)
                    rows[(3 * t->atoms[a] + c) * n + t->parameter[k]] -=
                        v->by_both[k] * slope[a][c];
        }
}

/* What forces add to J; their number is that of all components. */
static void add_force_errors(const shoal_bonded_fit *fit, const bonded_geometry *g,
                             const double (*force)[3], int64_t n_components, bonded_sums *s)
{
    const int32_t rows = 3 * fit->molecules[g->molecule].mol->n_atoms, n = s->n;
    const double w = fit->options.force_weight / (double)n_components;
    for (int32_t i = 0; i < rows; ++i) {
        const double d = force[i / 3][i % 3] - g->forces[i / 3][i % 3];
        const double *row = &s->force_rows[i * n];
        s->force_squares += d * d / (double)n_components;
        for (int32_t k = 0; k < n && s->gradient; ++k) {
            if (row[k] == 0.0) continue;
            s->gradient[k] += w * d * row[k];
            for (int32_t m = 0; m < n; ++m) s->matrix[k * n + m] += w * row[k] * row[m];
        }
    }
}

static shoal_status add_geometry(shoal_bonded_fit *fit, int32_t at, int64_t n_components,
                                 bonded_sums *s)
{
    bonded_geometry *g = &fit->geometries[at];
    const bonded_molecule *m = &fit->molecules[g->molecule];
    const size_t n_atoms = (size_t)m->mol->n_atoms;
    const bool relaxed = fit->options.n_held > 0;
    const double(*pos)[3] = (const double(*)[3])(relaxed ? g->relaxed : g->pos);
    double(*force)[3] = g->forces ? shoal_alloc(n_atoms, sizeof *force) : NULL;
    if (g->forces && !force) return SHOAL_E_MEMORY;
    if (force) memcpy(force, g->rest, n_atoms * sizeof *force);
    if (force && s->rows) memset(s->force_rows, 0, 3 * n_atoms * (size_t)s->n * sizeof(double));
    if (relaxed && s->rows) SHOAL_TRY(bonded_response(fit, at, s->y));
    double energy = g->base;
    for (int32_t k = m->first_term; k < m->first_term + m->n_terms; ++k) {
        const bonded_term *t = &fit->terms[k];
        double p[BONDED_PERIODS], q, slope[4][3];
        bonded_value v;
        if (!bonded_measure(t, pos, &q, slope)) continue;
        bonded_present(fit, t, p);
        bonded_evaluate(t, p, q, &v);
        energy += v.e;
        if (s->rows)
            add_slopes(t, &v, (const double(*)[3])slope, relaxed ? (const double(*)[3])s->y : NULL,
                       &s->rows[at * s->n]);
        if (force)
            add_force(t, &v, (const double(*)[3])slope, force, s->rows ? s->force_rows : NULL,
                      s->n);
    }
    s->energy[at] = relaxed ? g->present : energy;
    if (force) add_force_errors(fit, g, (const double(*)[3])force, n_components, s);
    free(force);
    return SHOAL_OK;
}

/* Takes the mean over its geometries from what belongs to a molecule: values[i * stride]. */
static void centre(const shoal_bonded_fit *fit, int32_t molecule, double *values, int32_t stride)
{
    double sum = 0.0;
    for (int32_t g = 0; g < fit->n_geometries; ++g)
        if (fit->geometries[g].molecule == molecule) sum += values[g * stride];
    sum /= fit->molecules[molecule].n_geometries;
    for (int32_t g = 0; g < fit->n_geometries; ++g)
        if (fit->geometries[g].molecule == molecule) values[g * stride] -= sum;
}

static void add_energy_errors(const shoal_bonded_fit *fit, bonded_sums *s)
{
    const int32_t n = s->n;
    for (int32_t g = 0; g < fit->n_geometries; ++g)
        s->energy[g] -= fit->geometries[g].reference; /* errors, until the end */
    for (int32_t m = 0; m < fit->n_molecules; ++m) {
        centre(fit, m, s->energy, 1);
        for (int32_t k = 0; k < n && s->rows; ++k) centre(fit, m, &s->rows[k], n);
    }
    for (int32_t g = 0; g < fit->n_geometries; ++g) {
        const double d = s->energy[g], w = 1.0 / fit->n_geometries;
        s->squares += w * d * d;
        for (int32_t k = 0; k < n && s->rows; ++k) {
            const double *row = &s->rows[g * n];
            s->gradient[k] += w * d * row[k];
            for (int32_t i = 0; i < n; ++i) s->matrix[k * n + i] += w * row[k] * row[i];
        }
    }
}

static double add_pull(const shoal_bonded_fit *fit, bonded_sums *s)
{
    double sum = 0.0;
    for (int32_t k = 0; k < s->n; ++k) {
        const bonded_parameter *p = &fit->parameters[k];
        const double stiffness = RESIDUAL * RESIDUAL / (p->width * p->width * fit->n_geometries);
        sum += 0.5 * stiffness * (p->value - p->start) * (p->value - p->start);
        if (!s->gradient) continue;
        s->gradient[k] += stiffness * (p->value - p->start);
        s->matrix[k * s->n + k] += stiffness;
    }
    return sum;
}

static void clear(const shoal_bonded_fit *fit, bonded_sums *s)
{
    const size_t n = (size_t)s->n;
    s->squares = s->force_squares = 0.0;
    if (!s->rows) return;
    memset(s->rows, 0, (size_t)fit->n_geometries * n * sizeof *s->rows);
    memset(s->gradient, 0, (n + n * n) * sizeof *s->gradient);
}

/* energy[] ends as the errors of the geometries. */
static shoal_status sums_evaluate(shoal_bonded_fit *fit, bonded_sums *s)
{
    int64_t n_components = 0;
    clear(fit, s);
    if (fit->options.n_held > 0) SHOAL_TRY(bonded_relax(fit));
    for (int32_t g = 0; g < fit->n_geometries; ++g)
        if (fit->geometries[g].forces)
            n_components += 3 * fit->molecules[fit->geometries[g].molecule].mol->n_atoms;
    for (int32_t g = 0; g < fit->n_geometries; ++g)
        SHOAL_TRY(add_geometry(fit, g, n_components, s));
    add_energy_errors(fit, s);
    s->j = 0.5 * s->squares + 0.5 * fit->options.force_weight * s->force_squares + add_pull(fit, s);
    if (isfinite(s->j)) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "bonded fit: the objective is not finite");
}

shoal_status shoal_bonded_fit_objective(shoal_bonded_fit *fit, double *j, double *gradient)
{
    shoal_clear_error();
    SHOAL_NEED(fit && j);
    bonded_sums s;
    SHOAL_TRY(bonded_prepare(fit));
    SHOAL_TRY(sums_open(fit, gradient != NULL, &s));
    const shoal_status status = sums_evaluate(fit, &s);
    *j = s.j;
    if (status == SHOAL_OK && gradient)
        memcpy(gradient, s.gradient, (size_t)s.n * sizeof *gradient);
    free(s.memory);
    return status;
}

shoal_status shoal_bonded_fit_energies(shoal_bonded_fit *fit, double *energy, double *reference,
                                       int32_t *n)
{
    shoal_clear_error();
    SHOAL_NEED(fit && n);
    bonded_sums s;
    SHOAL_TRY(bonded_prepare(fit));
    SHOAL_TRY(sums_open(fit, false, &s));
    const shoal_status status = sums_evaluate(fit, &s);
    *n = fit->n_geometries;
    for (int32_t g = 0; g < fit->n_geometries && status == SHOAL_OK; ++g) {
        if (energy) energy[g] = fit->geometries[g].reference + s.energy[g];
        if (reference) reference[g] = fit->geometries[g].reference;
    }
    free(s.memory);
    return status;
}

/* --- descent -------------------------------------------------------------------------------------- */

typedef struct bonded_descent {
    bonded_sums s, trial;
    double *step, *matrix, *from; /* [n], [n][n], [n] */
    double damping;
} bonded_descent;

static void set_values(shoal_bonded_fit *fit, const double *from, const double *step)
{
    for (int32_t k = 0; k < fit->n_parameters; ++k) {
        bonded_parameter *p = &fit->parameters[k];
        p->value = step ? fmin(fmax(from[k] + step[k], p->least), p->most) : from[k];
    }
}

static bool find_step(const bonded_sums *s, double damping, double *matrix, double *step)
{
    const size_t n = (size_t)s->n;
    memcpy(matrix, s->matrix, n * n * sizeof *matrix);
    for (size_t k = 0; k < n; ++k) {
        matrix[k * n + k] *= 1.0 + damping;
        step[k] = -s->gradient[k];
    }
    return dense_solve(s->n, matrix, step);
}

/* One step that lowers J; *done where none does, or where it hardly changes. */
static shoal_status descend(shoal_bonded_fit *fit, bonded_descent *d, bool *done)
{
    for (int32_t k = 0; k < d->s.n; ++k) d->from[k] = fit->parameters[k].value;
    for (int attempt = 0; attempt < 12; ++attempt) {
        if (find_step(&d->s, d->damping, d->matrix, d->step)) {
            set_values(fit, d->from, d->step);
            SHOAL_TRY(sums_evaluate(fit, &d->trial));
            if (d->trial.j <= d->s.j) {
                const double wanted = fit->options.n_held > 0 ? CONVERGED_RELAXED : CONVERGED;
                *done = d->s.j - d->trial.j <= wanted * d->s.j;
                d->damping *= 0.1;
                return sums_evaluate(fit, &d->s);
            }
        }
        d->damping = fmax(10.0 * d->damping, 1e-4);
    }
    set_values(fit, d->from, NULL);
    *done = true;
    return sums_evaluate(fit, &d->s);
}

static shoal_status descent_open(const shoal_bonded_fit *fit, bonded_descent *d)
{
    const size_t n = (size_t)fit->n_parameters;
    SHOAL_TRY(sums_open(fit, true, &d->s));
    SHOAL_TRY(sums_open(fit, false, &d->trial));
    d->step = shoal_alloc(2 * n + n * n, sizeof *d->step);
    if (!d->step) return SHOAL_E_MEMORY;
    d->from = d->step + n;
    d->matrix = d->from + n;
    return SHOAL_OK;
}

static shoal_status run(shoal_bonded_fit *fit, bonded_descent *d, shoal_bonded_result *r)
{
    const int32_t most = fit->options.max_steps > 0 ? fit->options.max_steps : 50;
    SHOAL_TRY(descent_open(fit, d));
    SHOAL_TRY(sums_evaluate(fit, &d->s));
    r->rmse_before = sqrt(d->s.squares);
    r->force_rmse_before = fit->has_forces ? sqrt(d->s.force_squares) : NAN;
    while (r->steps < most && !r->converged) {
        SHOAL_TRY(descend(fit, d, &r->converged));
        ++r->steps;
    }
    r->j = d->s.j;
    r->rmse = sqrt(d->s.squares);
    r->force_rmse = fit->has_forces ? sqrt(d->s.force_squares) : NAN;
    return SHOAL_OK;
}

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

shoal_status shoal_bonded_fit_run(shoal_bonded_fit *fit, shoal_bonded_result *result)
{
    shoal_clear_error();
    SHOAL_NEED(fit && result);
    const double began = now();
    bonded_descent d = {.damping = 0.0};
    SHOAL_TRY(bonded_prepare(fit));
    *result = (shoal_bonded_result){.n_geometries = fit->n_geometries,
                                    .n_molecules = fit->n_molecules,
                                    .n_parameters = fit->n_parameters};
    const shoal_status status = run(fit, &d, result);
    result->seconds = now() - began;
    free(d.s.memory);
    free(d.trial.memory);
    free(d.step);
    return status;
}
