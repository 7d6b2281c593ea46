/* SPDX-License-Identifier: BSD-3-Clause
 * Cross-validation: fits without some dimers, or without all samples of a monomer, predict them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "fit/book.h"

#define SHUFFLE_STREAM UINT64_C(0x666f6c64)

typedef struct shuffled {
    double key;
    int32_t dimer;
} shuffled;

typedef struct crossval {
    shoal_fit *fit;
    const shoal_cv_options *options;
    int32_t n_folds;
    int32_t *fold_of; /* [n_dimers]; NULL: folds are monomers */
    double *kept[2]; /* [n_samples] energies while the fold of the dimer, or of the first and of the
                       * second monomer, was kept back */
} crossval;

static int by_key(const void *a, const void *b)
{
    const shuffled *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->dimer > y->dimer) - (x->dimer < y->dimer);
}

/* A dimer goes into the fold that has fewest of its two monomers, among those into the smallest. */
static void deal_dimer(const crossval *cv, const int32_t monomers[2], int32_t dimer, int32_t room,
                       int32_t *seen)
{
    const size_t n_monomers = (size_t)cv->fit->problem.data->n_monomers;
    int32_t *size = seen + (size_t)cv->n_folds * n_monomers;
    int32_t best = -1, least = 0;
    for (int32_t k = 0; k < cv->n_folds; ++k) {
        const int32_t *row = &seen[(size_t)k * n_monomers];
        const int32_t load = row[monomers[0]] + row[monomers[1]];
        if (size[k] >= room) continue;
        if (best >= 0 && (load > least || (load == least && size[k] >= size[best]))) continue;
        best = k;
        least = load;
    }
    cv->fold_of[dimer] = best;
    seen[(size_t)best * n_monomers + (size_t)monomers[0]]++;
    seen[(size_t)best * n_monomers + (size_t)monomers[1]]++;
    size[best]++;
}

/* First sample of every dimer: of those that count, -1 if there is none. Returns how many dimers do. */
static int32_t find_first(const shoal_fit *fit, int32_t *sample)
{
    const shoal_dataset *data = fit->problem.data;
    int32_t n = 0;
    for (int32_t d = 0; d < data->n_dimers; ++d) sample[d] = -1;
    for (int32_t s = data->n_samples - 1; s >= 0; --s)
        if (fit->weight[s] > 0.0) sample[data->samples[s].dimer] = s;
    for (int32_t d = 0; d < data->n_dimers; ++d) n += sample[d] >= 0;
    return n;
}

/* Dimers are dealt out in random order so that all folds see the same chemistry. Dimers without a
 * weight change nothing: they are not counted, and the last fold predicts them. */
static shoal_status deal_dimers(crossval *cv)
{
    const shoal_dataset *data = cv->fit->problem.data;
    const size_t n = (size_t)data->n_dimers, k = (size_t)cv->n_folds;
    shuffled *order = shoal_alloc(n, sizeof *order);
    int32_t *sample = shoal_alloc(n, sizeof *sample);
    int32_t *seen = shoal_alloc(k * (size_t)data->n_monomers + k, sizeof *seen);
    cv->fold_of = shoal_alloc(n, sizeof *cv->fold_of);
    const bool complete = order && sample && seen && cv->fold_of;
    if (complete) {
        const int32_t n_counted = find_first(cv->fit, sample);
        const int32_t room = (n_counted + cv->n_folds - 1) / cv->n_folds;
        int32_t at = 0;
        for (int32_t d = 0; d < data->n_dimers; ++d) {
            cv->fold_of[d] = cv->n_folds - 1;
            if (sample[d] < 0) continue;
            order[at] = (shuffled){fit_random(cv->options->seed, SHUFFLE_STREAM, (uint64_t)at), d};
            ++at;
        }
        qsort(order, (size_t)n_counted, sizeof *order, by_key);
        for (int32_t i = 0; i < n_counted; ++i)
            deal_dimer(cv, data->samples[sample[order[i].dimer]].monomers, order[i].dimer, room,
                       seen);
    }
    free(order);
    free(sample);
    free(seen);
    return complete ? SHOAL_OK : SHOAL_E_MEMORY;
}

static bool kept_back(const crossval *cv, const fit_sample *s, int32_t fold)
{
    if (cv->fold_of) return cv->fold_of[s->dimer] == fold;
    return s->monomers[0] == fold || s->monomers[1] == fold;
}

/* A monomer is called by its elements in the order they come. */
static void name_monomer(const shoal_dataset *data, int32_t monomer, char *out, size_t size)
{
    size_t used = 0;
    int32_t s = 0, which = 0;
    for (; s < data->n_samples; ++s) {
        const int32_t *m = data->samples[s].monomers;
        which = m[0] == monomer ? 0 : 1;
        if (m[which] == monomer) break;
    }
    if (s == data->n_samples) return;
    const fit_sample *sample = &data->samples[s];
    const int32_t first = sample->atom_start + (which ? sample->n_first : 0);
    const int32_t n = which ? sample->n_atoms - sample->n_first : sample->n_first;
    for (int32_t i = first; i < first + n; ++i) {
        const char *element = shoal_atom_types_get(data->types, data->type[i])->element;
        int32_t count = 0;
        bool seen = data->host[i] >= 0;
        for (int32_t k = first; k < first + n; ++k) {
            const char *other = shoal_atom_types_get(data->types, data->type[k])->element;
            const bool same = data->host[k] < 0 && strcmp(other, element) == 0;
            count += same;
            seen = seen || (same && k < i);
        }
        if (seen || used >= size) continue;
        used += (size_t)snprintf(out + used, size - used, count > 1 ? "%s%d" : "%s", element,
                                 (int)count);
    }
}

typedef struct fold_sum {
    double squares, weights; /* of what was kept back */
    double all_squares,
        all_weights; /* the same, where a sample that two folds keep back counts half */
    shoal_status status;
    char failure[160];
} fold_sum;

/* Energies of the samples kept back, and their errors. */
static void judge(const crossval *cv, int32_t fold, const double *energy, bool *seen, fold_sum *sum)
{
    shoal_fit *fit = cv->fit;
    const fit_problem *problem = &fit->problem;
    const shoal_dataset *data = problem->data;
    shoal_cv_fold *out = &fit->folds[fold];
    memset(seen, 0, (size_t)data->n_dimers * sizeof *seen);
    for (int32_t i = 0; i < problem->n_samples; ++i) {
        const fit_sample *s = &data->samples[problem->source[i]];
        if (!kept_back(cv, s, fold)) continue;
        const bool twice = !cv->fold_of && s->monomers[0] != s->monomers[1];
        const double d = energy[i] - fit->reference[i], share = twice ? 0.5 : 1.0;
        cv->kept[twice && s->monomers[1] == fold][problem->source[i]] += energy[i];
        if (!(fit->weight[i] > 0.0)) continue;
        sum->squares += fit->weight[i] * d * d;
        sum->weights += fit->weight[i];
        sum->all_squares += share * fit->weight[i] * d * d;
        sum->all_weights += share * fit->weight[i];
        if (i >= data->n_samples) continue;
        out->n_samples++;
        out->n_dimers += !seen[s->dimer];
        seen[s->dimer] = true;
    }
    out->rmse = sum->weights > 0.0 ? sqrt(sum->squares / sum->weights) : 0.0;
}

/* The present values, but start values for types and increments that no sample of the fold has: they would keep
 * what they learned from samples kept back. */
static void set_present(const fit_objective *o, bool *present, double *u)
{
    const shoal_fit *fit = o->fit;
    objective_types(o, present);
    for (int32_t i = 0; i < o->n; ++i) {
        const fit_dof *dof = &fit->dofs[fit->free_dofs[i]];
        const bool known = dof->type < 0 || present[dof->type];
        u[i] = known ? fit_dof_scaled(dof, fit->value[fit->free_dofs[i]]) : o->start[i];
    }
}

/* The minimum that start values lead to; that of the present values only where it is another and
 * lower one, so that a fold does not fail for its start. */
static shoal_status fit_fold(const crossval *cv, int32_t fold, fit_objective *o, double *u,
                             double *other, bool *present)
{
    const shoal_fit_run_options *run = &cv->options->run;
    fit_descent first = {.max_steps = run->max_steps, .stop = run->stop, .user = run->user};
    fit_descent second = first;
    const size_t size = (size_t)o->n * sizeof *u;
    memcpy(u, o->start, size);
    set_present(o, present, other);
    const bool same = memcmp(u, other, size) == 0;
    const shoal_status status = fit_book_descend(o, run->method, true, fold, 0, u, &first);
    if (same) return status;
    SHOAL_TRY(fit_book_descend(o, run->method, true, fold, 1, other, &second));
    if (status != SHOAL_OK || second.j < first.j * (1.0 - FIT_SAME_OPTIMUM)) memcpy(u, other, size);
    return SHOAL_OK;
}

static shoal_status run_fold(const crossval *cv, int32_t fold, bool clone, fold_sum *sum)
{
    shoal_fit *fit = cv->fit;
    const shoal_dataset *data = fit->problem.data;
    const size_t n = (size_t)fit->problem.n_free;
    fit_objective *o = NULL;
    bool *keep = shoal_alloc((size_t)data->n_samples, sizeof *keep);
    bool *present = shoal_alloc((size_t)fit->problem.n_types, sizeof *present);
    bool *seen = shoal_alloc((size_t)data->n_dimers, sizeof *seen);
    double *u = shoal_alloc(2 * n + (size_t)fit->problem.n_samples, sizeof *u);
    shoal_status status = SHOAL_E_MEMORY;
    if (keep && present && seen && u) status = objective_create(&o, fit, clone);
    for (int32_t s = 0; s < data->n_samples && status == SHOAL_OK; ++s)
        keep[s] = !kept_back(cv, &data->samples[s], fold);
    if (status == SHOAL_OK) status = objective_select(o, keep);
    if (status == SHOAL_OK) status = fit_fold(cv, fold, o, u, u + n, present);
    if (status == SHOAL_OK) status = objective_rmse(o, u, &fit->folds[fold].rmse_train, u + 2 * n);
    if (status == SHOAL_OK) judge(cv, fold, u + 2 * n, seen, sum);
    objective_destroy(o);
    free(keep);
    free(present);
    free(seen);
    free(u);
    return status;
}

static void run_folds(const crossval *cv, fold_sum *sums)
{
    const int32_t n = cv->n_folds;
    const bool clone = cv->fit->evaluator->clone != NULL;
#ifdef _OPENMP
    const int n_threads = clone ? (int)cv->fit->problem.n_threads : 1;
#pragma omp parallel for schedule(dynamic, 1) num_threads(n_threads)
#endif
    for (int32_t fold = 0; fold < n; ++fold) {
        sums[fold].status = run_fold(cv, fold, clone, &sums[fold]);
        /* Error texts belong to threads: carried over to the caller's. */
        if (sums[fold].status != SHOAL_OK)
            (void)snprintf(sums[fold].failure, sizeof sums[fold].failure, "%.150s",
                           shoal_error_text());
    }
}

/* Folds that kept back nothing that counts have no error. */
static shoal_status summarise(const crossval *cv, const fold_sum *sums, shoal_cv_result *result)
{
    shoal_fit *fit = cv->fit;
    double squares = 0.0, weights = 0.0, mean = 0.0, variance = 0.0;
    int32_t n = 0;
    for (int32_t k = 0; k < cv->n_folds; ++k) n += sums[k].weights > 0.0;
    for (int32_t k = 0; k < cv->n_folds; ++k) {
        shoal_cv_fold *fold = &fit->folds[k];
        if (sums[k].status != SHOAL_OK)
            return shoal_fail(sums[k].status, "fold %d (%s): %s", (int)k + 1, fold->label,
                              sums[k].failure);
        squares += sums[k].all_squares;
        weights += sums[k].all_weights;
        mean += fold->rmse / n;
    }
    for (int32_t k = 0; k < cv->n_folds; ++k) {
        const double d = fit->folds[k].rmse - mean;
        if (sums[k].weights > 0.0) variance += d * d / (n > 1 ? n - 1 : 1);
    }
    *result = (shoal_cv_result){.n_folds = cv->n_folds,
                                .rmse = sqrt(squares / weights),
                                .std = sqrt(variance),
                                .folds = fit->folds,
                                .predicted = fit->predicted,
                                .error = fit->kept_error,
                                .dimers = fit->kept_dimers};
    return SHOAL_OK;
}

/* Energies and errors of single samples; a sample that two folds keep back has the mean of both
 * energies and the root mean square of both errors. */
static void set_errors(const crossval *cv)
{
    shoal_fit *fit = cv->fit;
    const shoal_dataset *data = fit->problem.data;
    for (int32_t s = 0; s < data->n_samples; ++s) {
        const fit_sample *sample = &data->samples[s];
        const bool twice = !cv->fold_of && sample->monomers[0] != sample->monomers[1];
        const double a = cv->kept[0][s], b = twice ? cv->kept[1][s] : a;
        const double da = a - sample->reference, db = b - sample->reference;
        fit->predicted[s] = twice ? 0.5 * (a + b) : a;
        fit->kept_error[s] = twice ? sqrt(0.5 * (da * da + db * db)) : fabs(da);
    }
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int by_error(const void *a, const void *b)
{
    const shoal_cv_dimer *x = a, *y = b;
    if (x->rmse != y->rmse) return x->rmse > y->rmse ? -1 : 1;
    return (x->dimer > y->dimer) - (x->dimer < y->dimer);
}

/* The median of the samples' errors and the dimers, worst first; of samples that count. */
static shoal_status rank(const crossval *cv, shoal_cv_result *result)
{
    shoal_fit *fit = cv->fit;
    const shoal_dataset *data = fit->problem.data;
    int32_t n = 0;
    double *sorted = shoal_alloc((size_t)data->n_samples, sizeof *sorted);
    if (!sorted) return SHOAL_E_MEMORY;
    for (int32_t s = 0; s < data->n_samples; ++s) {
        const double e = fit->kept_error[s];
        shoal_cv_dimer *dimer = &fit->kept_dimers[data->samples[s].dimer];
        if (!(fit->weight[s] > 0.0)) continue;
        sorted[n++] = e;
        dimer->name = data->samples[s].name;
        dimer->dimer = data->samples[s].dimer;
        dimer->n_samples++;
        dimer->rmse += e * e;
        dimer->largest = fmax(dimer->largest, e);
    }
    qsort(sorted, (size_t)n, sizeof *sorted, by_size);
    result->median = 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]);
    for (int32_t d = 0; d < data->n_dimers; ++d) {
        const shoal_cv_dimer dimer = fit->kept_dimers[d];
        if (dimer.n_samples == 0) continue;
        fit->kept_dimers[result->n_dimers] = dimer;
        fit->kept_dimers[result->n_dimers++].rmse = sqrt(dimer.rmse / dimer.n_samples);
    }
    qsort(fit->kept_dimers, (size_t)result->n_dimers, sizeof *fit->kept_dimers, by_error);
    free(sorted);
    return SHOAL_OK;
}

static shoal_status make_room(crossval *cv)
{
    shoal_fit *fit = cv->fit;
    const size_t n = (size_t)fit->problem.data->n_samples;
    free(fit->folds);
    free(fit->predicted);
    free(fit->kept_error);
    free(fit->kept_dimers);
    fit->folds = shoal_alloc((size_t)cv->n_folds, sizeof *fit->folds);
    fit->predicted = shoal_alloc(n, sizeof *fit->predicted);
    fit->kept_error = shoal_alloc(n, sizeof *fit->kept_error);
    fit->kept_dimers = shoal_alloc((size_t)fit->problem.data->n_dimers, sizeof *fit->kept_dimers);
    cv->kept[0] = shoal_alloc(2 * n, sizeof *cv->kept[0]);
    if (!fit->folds || !fit->predicted || !fit->kept_error || !fit->kept_dimers || !cv->kept[0])
        return SHOAL_E_MEMORY;
    cv->kept[1] = cv->kept[0] + n;
    return SHOAL_OK;
}

static shoal_status validate(crossval *cv, shoal_cv_result *result)
{
    shoal_fit *fit = cv->fit;
    fold_sum *sums = shoal_alloc((size_t)cv->n_folds, sizeof *sums);
    shoal_status status = sums ? make_room(cv) : SHOAL_E_MEMORY;
    if (status == SHOAL_OK && cv->options->n_folds > 0) status = deal_dimers(cv);
    if (status == SHOAL_OK) {
        for (int32_t k = 0; k < cv->n_folds; ++k) {
            char *label = fit->folds[k].label;
            if (cv->fold_of)
                (void)snprintf(label, sizeof fit->folds[k].label, "fold %d", (int)k + 1);
            else
                name_monomer(fit->problem.data, k, label, sizeof fit->folds[k].label);
        }
        run_folds(cv, sums);
        status = summarise(cv, sums, result);
    }
    const shoal_fit_run_options *how = &cv->options->run;
    if (status == SHOAL_OK) result->stopped = how->stop && how->stop(how->user);
    if (status == SHOAL_OK) set_errors(cv);
    if (status == SHOAL_OK) status = rank(cv, result);
    free(sums);
    free(cv->fold_of);
    free(cv->kept[0]);
    return status;
}

/* Dimers or monomers of the samples that count. */
static shoal_status count_folds(const shoal_fit *fit, bool monomers, int32_t *n)
{
    const shoal_dataset *data = fit->problem.data;
    bool *seen = shoal_alloc((size_t)(monomers ? data->n_monomers : data->n_dimers), sizeof *seen);
    if (!seen) return SHOAL_E_MEMORY;
    *n = 0;
    for (int32_t s = 0; s < data->n_samples; ++s) {
        const fit_sample *sample = &data->samples[s];
        const int32_t both[2] = {monomers ? sample->monomers[0] : sample->dimer,
                                 monomers ? sample->monomers[1] : sample->dimer};
        for (int k = 0; k < 2 && fit->weight[s] > 0.0; ++k) {
            *n += !seen[both[k]];
            seen[both[k]] = true;
        }
    }
    free(seen);
    return SHOAL_OK;
}

shoal_status shoal_fit_cross_validate(shoal_fit *fit, const shoal_cv_options *options,
                                      shoal_cv_result *result)
{
    shoal_clear_error();
    SHOAL_NEED(fit && result);
    const shoal_dataset *data = fit->problem.data;
    shoal_cv_options o = options ? *options : (shoal_cv_options){0};
    o.run.max_steps = fit_max_steps(&o.run);
    int32_t most;
    SHOAL_TRY(count_folds(fit, o.n_folds == 0, &most));
    if (o.n_folds < 0 || o.n_folds == 1 || o.n_folds > most || most < 2)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "%d folds of %d %s: expected at least 2 folds and no more than there are",
                          (int)o.n_folds, (int)most, o.n_folds > 0 ? "dimers" : "monomers");
    SHOAL_TRY(fit_book_call(fit, "folds", &o.run,
                            (int64_t)hash_words(o.seed, &o.n_folds, sizeof o.n_folds)));
    fit_asking asking;
    fit_ask_together(fit, &o.run, &asking);
    crossval cv = {
        .fit = fit, .options = &o, .n_folds = o.n_folds > 0 ? o.n_folds : data->n_monomers};
    return validate(&cv, result);
}
