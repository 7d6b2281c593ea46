/* SPDX-License-Identifier: BSD-3-Clause
 * The trial of a formula on the pairs of a data set: finite, smooth, the same from both sides. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ff/formula_inner.h"
#include "fit/formula_model.h"

enum { WIDTH = 64, MOST_COMPARED = 100000 };

/* A pair of the data and its inputs. */
typedef struct trial_pair {
    int32_t sample, i, j;
    double in[FORMULA_N_PAIR];
} trial_pair;

typedef struct trial {
    const fit_problem *problem;
    const double *p;
    const formula *f;
    bool poles_alone;
    double named[FORMULA_N_NAMED];
    double *registers, *guard_registers, *charges;
    trial_pair pairs[WIDTH]; /* of the present block */
    int32_t n;
    double in[FORMULA_N_PAIR][WIDTH];
    double energy[WIDTH], slopes[FORMULA_N_INPUTS][WIDTH];
    trial_pair lowest[FORMULA_N_GUARDS], highest[FORMULA_N_GUARDS];
    double low[FORMULA_N_GUARDS], high[FORMULA_N_GUARDS];
} trial;

/* "sample 12 (name), atoms 1 O_3 and 4 H_O at 1.9 A"; samples and atoms are counted from 1. */
static void describe(const trial *t, const trial_pair *pair, char *out, size_t size)
{
    const shoal_dataset *data = t->problem->data;
    const fit_sample *s = &data->samples[pair->sample];
    const shoal_atom_type *a =
        shoal_atom_types_get(data->types, data->type[s->atom_start + pair->i]);
    const shoal_atom_type *b =
        shoal_atom_types_get(data->types, data->type[s->atom_start + pair->j]);
    char r[SHOAL_NUMBER_SIZE];
    (void)shoal_text_print(r, round(1e4 * pair->in[FORMULA_IN_R]) / 1e4);
    (void)snprintf(out, size, "sample %d (%.60s), atoms %d %s and %d %s at r = %.10s A",
                   (int)pair->sample + 1, s->name, (int)pair->i + 1, a->name, (int)pair->j + 1,
                   b->name, r);
}

static void set_inputs(trial *t, const fit_sample *s, int32_t i, int32_t j, double *in)
{
    const shoal_dataset *data = t->problem->data;
    const int32_t a = s->atom_start + i, b = s->atom_start + j;
    const double *pa = t->p + FIT_N_COMPS * data->type[a], *pb = t->p + FIT_N_COMPS * data->type[b];
    const double lambda = t->p[FIT_N_COMPS * t->problem->n_types + FIT_LAMBDA];
    double r2 = 0.0;
    for (int k = 0; k < 3; ++k)
        r2 += (data->pos[a][k] - data->pos[b][k]) * (data->pos[a][k] - data->pos[b][k]);
    in[FORMULA_IN_R] = fmax(sqrt(r2), FIT_R_FLOOR);
    in[FORMULA_IN_R0] = pa[FIT_R] + pb[FIT_R];
    in[FORMULA_IN_E0] = pa[FIT_Y] * pb[FIT_Y];
    in[FORMULA_IN_Q] = lambda * t->charges[i] * t->charges[j];
    in[FORMULA_IN_H] = fmin(pa[FIT_H] * pb[FIT_H], 0.0);
    const double own[] = {pa[FIT_R],
                          pb[FIT_R],
                          pa[FIT_Y] * pa[FIT_Y],
                          pb[FIT_Y] * pb[FIT_Y],
                          t->charges[i],
                          t->charges[j],
                          pa[FIT_H],
                          pb[FIT_H]};
    for (int k = 0; k < OWN_EXTRA; ++k) in[FORMULA_IN_RI + k] = own[k];
    for (int k = 0; k < FIT_N_EXTRA; ++k) {
        in[FORMULA_IN_COLUMNS + 2 * k] = pa[FIT_EXTRA + k];
        in[FORMULA_IN_COLUMNS + 2 * k + 1] = pb[FIT_EXTRA + k];
    }
}

static void run_block(trial *t, bool slopes)
{
    formula_block block = {.n = t->n, .energy = t->energy};
    for (int32_t k = 0; k < FORMULA_N_PAIR; ++k) block.inputs[k] = t->in[k];
    for (int32_t k = 0; slopes && k < formula_n_inputs(t->f); ++k) block.slopes[k] = t->slopes[k];
    formula_set(t->f, t->named, t->registers, WIDTH);
    formula_eval(t->f, t->registers, WIDTH, &block);
}

/* Input by which the slope of pair i is not finite; -1 for the energy itself, -2 for none. */
static int32_t find_infinite(const trial *t, int32_t i)
{
    if (!isfinite(t->energy[i])) return -1;
    for (int32_t k = 0; k < formula_n_inputs(t->f); ++k)
        if (!isfinite(t->slopes[k][i])) return k;
    return -2;
}

static shoal_status check_finite(const trial *t)
{
    char where[200];
    for (int32_t i = 0; i < t->n; ++i) {
        const int32_t k = find_infinite(t, i);
        if (k == -2) continue;
        describe(t, &t->pairs[i], where, sizeof where);
        if (k < 0) return shoal_fail(SHOAL_E_ARGUMENT, "the formula is not finite for %s", where);
        return shoal_fail(SHOAL_E_ARGUMENT, "the slope of the formula by %s is not finite for %s",
                          formula_input_name(t->f, k), where);
    }
    return SHOAL_OK;
}

/* Where the guards were lowest and highest so far. */
static void note_guards(trial *t)
{
    double values[FORMULA_N_GUARDS][WIDTH];
    double *results[FORMULA_N_GUARDS];
    const double *inputs[FORMULA_N_PAIR];
    for (int32_t k = 0; k < FORMULA_N_PAIR; ++k) inputs[k] = t->in[k];
    for (int32_t g = 0; g < t->f->n_guards; ++g) results[g] = values[g];
    formula_program_set(&t->f->guards, t->named, t->guard_registers, WIDTH);
    formula_program_run(&t->f->guards, t->guard_registers, WIDTH, t->n, inputs, results);
    for (int32_t g = 0; g < t->f->n_guards; ++g) {
        for (int32_t i = 0; i < t->n; ++i) {
            if (values[g][i] < t->low[g]) {
                t->low[g] = values[g][i];
                t->lowest[g] = t->pairs[i];
            }
            if (values[g][i] > t->high[g]) {
                t->high[g] = values[g][i];
                t->highest[g] = t->pairs[i];
            }
        }
    }
}

/* Energies with input k moved by a share of its size. */
static void shift(trial *t, int32_t k, double share, double *energy, double *moved)
{
    const int32_t c = k - FORMULA_N_PAIR;
    const double named = c >= 0 ? t->named[c] : 0.0;
    for (int32_t i = 0; i < t->n; ++i) {
        const double x = c >= 0 ? named : t->pairs[i].in[k];
        moved[i] = x + share * fmax(fabs(x), 1e-3);
        if (c < 0) t->in[k][i] = moved[i];
    }
    if (c >= 0) t->named[c] = moved[0];
    run_block(t, false);
    for (int32_t i = 0; i < t->n; ++i) energy[i] = t->energy[i];
    for (int32_t i = 0; i < t->n && c < 0; ++i) t->in[k][i] = t->pairs[i].in[k];
    if (c >= 0) t->named[c] = named;
}

/* The slope by input k against differences over a share of its size. *bad is the first pair that
 * disagrees, -1 for none; left and right are its one-sided slopes. */
static void compare(trial *t, int32_t k, const double *energy, double share, int32_t *bad,
                    double *left, double *right)
{
    double up[WIDTH], down[WIDTH], x_up[WIDTH], x_down[WIDTH];
    shift(t, k, share, up, x_up);
    shift(t, k, -share, down, x_down);
    *bad = -1;
    for (int32_t i = 0; i < t->n && *bad < 0; ++i) {
        const double h = 0.5 * (x_up[i] - x_down[i]);
        *right = (up[i] - energy[i]) / h;
        *left = (energy[i] - down[i]) / h;
        const double size = fmax(fmax(fabs(*left), fabs(*right)), fabs(t->slopes[k][i]));
        const double rounding = 1e-15 * fmax(fabs(up[i]), fabs(down[i])) / h;
        if (!(fabs(0.5 * (*left + *right) - t->slopes[k][i]) <= 2e-3 * size + 10.0 * rounding))
            *bad = i;
    }
}

static shoal_status check_differences(trial *t)
{
    double energy[WIDTH];
    for (int32_t i = 0; i < t->n; ++i) energy[i] = t->energy[i];
    for (int32_t k = 0; k < formula_n_inputs(t->f); ++k) {
        int32_t bad;
        double left, right;
        char where[200], found[3][SHOAL_NUMBER_SIZE];
        if (!formula_uses(t->f, k)) continue;
        compare(t, k, energy, 1e-4, &bad, &left, &right);
        if (bad >= 0) compare(t, k, energy, 1e-5, &bad, &left, &right);
        if (bad < 0) continue;
        describe(t, &t->pairs[bad], where, sizeof where);
        const double numbers[] = {t->slopes[k][bad], left, right};
        for (int m = 0; m < 3; ++m) (void)shoal_text_print(found[m], numbers[m]);
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "the formula is not smooth in %s for %s: slope %.10s, by differences "
                          "%.10s from below and %.10s from above",
                          formula_input_name(t->f, k), where, found[0], found[1], found[2]);
    }
    return SHOAL_OK;
}

/* Whether pair i, whose atoms have changed places, has the energy and slopes that it had before. Slopes tell a formula
 * of one atom alone also where the numbers of both are the same, as at the start of a fit. */
static bool is_same(const trial *t, int32_t i, double energy, double (*slopes)[WIDTH])
{
    if (!(fabs(energy - t->energy[i]) <= 1e-9 * (fabs(energy) + fabs(t->energy[i])))) return false;
    for (int32_t k = FORMULA_IN_RI; k < FORMULA_N_PAIR; ++k) {
        const int32_t other = FORMULA_IN_RI + ((k - FORMULA_IN_RI) ^ 1);
        const double a = slopes[k - FORMULA_IN_RI][i], b = t->slopes[other][i];
        if (!(fabs(a - b) <= 1e-6 * (fabs(a) + fabs(b)) + 1e-9 * fabs(energy))) return false;
    }
    return true;
}

/* The same energy with both atoms exchanged. */
static shoal_status check_exchange(trial *t)
{
    double energy[WIDTH], slopes[FORMULA_N_PAIR - FORMULA_IN_RI][WIDTH];
    char where[200];
    if (!formula_uses_own(t->f)) return SHOAL_OK;
    memcpy(energy, t->energy, sizeof energy);
    memcpy(slopes, t->slopes[FORMULA_IN_RI], sizeof slopes);
    for (int32_t i = 0; i < t->n; ++i)
        for (int32_t k = FORMULA_IN_RI; k < FORMULA_N_PAIR; k += 2) {
            t->in[k][i] = t->pairs[i].in[k + 1];
            t->in[k + 1][i] = t->pairs[i].in[k];
        }
    run_block(t, true);
    for (int32_t i = 0; i < t->n; ++i) {
        if (is_same(t, i, energy[i], slopes)) continue;
        describe(t, &t->pairs[i], where, sizeof where);
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "the formula changes if the two atoms change places, as for %s", where);
    }
    return SHOAL_OK;
}

static shoal_status end_block(trial *t, bool differences)
{
    if (t->n == 0) return SHOAL_OK;
    for (int32_t i = 0; i < t->n; ++i)
        for (int32_t k = 0; k < FORMULA_N_PAIR; ++k) t->in[k][i] = t->pairs[i].in[k];
    note_guards(t);
    run_block(t, true);
    shoal_status status = t->poles_alone ? SHOAL_OK : check_finite(t);
    if (status == SHOAL_OK && differences) {
        status = check_differences(t);
        if (status == SHOAL_OK) run_block(t, false);
        if (status == SHOAL_OK) status = check_exchange(t);
    }
    t->n = 0;
    return status;
}

static shoal_status try_sample(trial *t, int32_t sample, bool differences)
{
    const shoal_dataset *data = t->problem->data;
    const fit_sample *s = &data->samples[sample];
    fit_charges(t->problem, s, t->p, t->charges, NULL);
    for (int32_t i = 0; i < s->n_first; ++i) {
        if (data->host[s->atom_start + i] >= 0) continue;
        for (int32_t j = s->n_first; j < s->n_atoms; ++j) {
            if (data->host[s->atom_start + j] >= 0) continue;
            t->pairs[t->n].sample = sample;
            t->pairs[t->n].i = i;
            t->pairs[t->n].j = j;
            set_inputs(t, s, i, j, t->pairs[t->n++].in);
            if (t->n == WIDTH) SHOAL_TRY(end_block(t, differences));
        }
    }
    return end_block(t, differences);
}

/* Inputs of pair x at a share of the way from one pair to another. */
static void put_between(trial *t, int32_t x, const trial_pair *a, const trial_pair *b, double share)
{
    for (int32_t k = 0; k < FORMULA_N_PAIR; ++k)
        t->in[k][x] = a->in[k] + share * (b->in[k] - a->in[k]);
}

static double guard_value(trial *t, int32_t g)
{
    double value = 0.0;
    double *results[FORMULA_N_GUARDS] = {NULL};
    const double *inputs[FORMULA_N_PAIR];
    for (int32_t k = 0; k < FORMULA_N_PAIR; ++k) inputs[k] = t->in[k];
    results[g] = &value;
    formula_program_set(&t->f->guards, t->named, t->guard_registers, WIDTH);
    formula_program_run(&t->f->guards, t->guard_registers, WIDTH, 1, inputs, results);
    return value;
}

/* Whether the energy changes more and more on the last steps towards a zero, each a tenth of the one before: by a tenth of
 * the last change where it is smooth, by more where it grows without bound. Other terms of the formula, which may be
 * much larger, do not change there. */
static bool grows(trial *t, const trial_pair *a, const trial_pair *b, double zero, double side)
{
    enum { N_STEPS = 5 };
    double change[N_STEPS - 1];
    double step = 1e-4;
    for (int32_t x = 0; x < N_STEPS; ++x, step *= 0.1)
        put_between(t, x, a, b, fmin(fmax(zero + side * step, 0.0), 1.0));
    t->n = N_STEPS;
    run_block(t, false);
    t->n = 0;
    const double rounding = 1e-13 * fabs(t->energy[0]);
    for (int32_t x = 0; x + 1 < N_STEPS; ++x) {
        change[x] = fabs(t->energy[x + 1] - t->energy[x]);
        if (!isfinite(change[x])) return true;
    }
    return change[3] > 2.0 * change[2] + rounding && change[2] > 2.0 * change[1] + rounding;
}

/* Follows the straight way between the pairs where a guard is lowest and highest to its zero, and
 * compares what is just before it and just behind. */
static shoal_status check_guard(trial *t, int32_t g)
{
    const trial_pair *a = &t->lowest[g], *b = &t->highest[g];
    double low = 0.0, high = 1.0;
    char where[2][200];
    for (int step = 0; step < 50; ++step) {
        const double middle = 0.5 * (low + high);
        put_between(t, 0, a, b, middle);
        if (guard_value(t, g) < 0.0)
            low = middle;
        else
            high = middle;
    }
    const double shares[] = {0.0, fmax(low - 1e-7, 0.0), fmin(high + 1e-7, 1.0), 1.0};
    bool bad = t->f->guard_is_pole[g] && (grows(t, a, b, low, -1.0) || grows(t, a, b, high, 1.0));
    for (int32_t x = 0; x < 4; ++x) put_between(t, x, a, b, shares[x]);
    t->n = 4;
    run_block(t, true);
    t->n = 0;
    for (int32_t k = 0; k < formula_n_inputs(t->f) && !t->f->guard_is_pole[g]; ++k) {
        double size = 0.0;
        for (int32_t x = 0; x < 4; ++x) size = fmax(size, fabs(t->slopes[k][x]));
        bad = bad || !(fabs(t->slopes[k][1] - t->slopes[k][2]) <= 1e-4 * size);
    }
    if (!bad) return SHOAL_OK;
    describe(t, a, where[0], sizeof where[0]);
    describe(t, b, where[1], sizeof where[1]);
    return shoal_fail(
        SHOAL_E_ARGUMENT, "the formula is not smooth on the data: %s between %s and %s",
        t->f->guard_is_pole[g] ? "a denominator passes zero" : "its slope jumps (abs, min or max)",
        where[0], where[1]);
}

static shoal_status run(trial *t)
{
    const shoal_dataset *data = t->problem->data;
    const int64_t stride = 1 + shoal_dataset_pairs(data) / MOST_COMPARED;
    for (int32_t s = 0; s < data->n_samples; ++s)
        SHOAL_TRY(try_sample(t, s, !t->poles_alone && s % stride == 0));
    for (int32_t g = 0; g < t->f->n_guards; ++g)
        if (t->low[g] < 0.0 && t->high[g] > 0.0 && (t->f->guard_is_pole[g] || !t->poles_alone))
            SHOAL_TRY(check_guard(t, g));
    return SHOAL_OK;
}

shoal_status fit_formula_check(const fit_problem *problem, const double *p, bool poles_alone)
{
    const formula *f = fit_formula_of(&problem->model);
    const shoal_dataset *data = problem->data;
    int32_t most = 0;
    trial *t = shoal_alloc(1, sizeof *t);
    if (!t) return SHOAL_E_MEMORY;
    t->problem = problem;
    t->poles_alone = poles_alone;
    t->p = p;
    t->f = f;
    for (int32_t k = 0; k < formula_n_inputs(f) - FORMULA_N_PAIR; ++k)
        t->named[k] = p[FIT_N_COMPS * problem->n_types + fit_formula_global(&problem->model, k)];
    for (int32_t g = 0; g < FORMULA_N_GUARDS; ++g) {
        t->low[g] = INFINITY;
        t->high[g] = -INFINITY;
    }
    for (int32_t s = 0; s < data->n_samples; ++s)
        if (data->samples[s].n_atoms > most) most = data->samples[s].n_atoms;
    t->registers = shoal_alloc((size_t)f->program.n_registers * WIDTH, sizeof(double));
    t->guard_registers = shoal_alloc((size_t)f->guards.n_registers * WIDTH, sizeof(double));
    t->charges = shoal_alloc((size_t)most, sizeof(double));
    const bool ok = t->registers && t->guard_registers && t->charges;
    const shoal_status status = ok ? run(t) : SHOAL_E_MEMORY;
    free(t->registers);
    free(t->guard_registers);
    free(t->charges);
    free(t);
    return status;
}
