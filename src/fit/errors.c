/* SPDX-License-Identifier: BSD-3-Clause
 * Errors of energies of dimers. */
#include "shoal/fit_errors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define SAME_X0 1e-6

shoal_status shoal_fit_errors(shoal_fit *fit, const shoal_dataset *data, double *error)
{
    shoal_clear_error();
    SHOAL_NEED(fit && data && error);
    const int32_t n = shoal_dataset_samples(data);
    double(*parts)[SHOAL_N_PARTS] = shoal_alloc((size_t)n, sizeof *parts);
    if (!parts) return SHOAL_E_MEMORY;
    shoal_status status = shoal_fit_predict(fit, parts);
    for (int32_t s = 0; s < n && status == SHOAL_OK; ++s) {
        shoal_sample_info info;
        status = shoal_dataset_sample(data, s, &info);
        error[s] = -info.reference;
        for (int k = 0; k < SHOAL_N_PARTS; ++k) error[s] += parts[s][k];
        if (status == SHOAL_OK && !isfinite(error[s]))
            status =
                shoal_fail(SHOAL_E_ARGUMENT, "sample %d, '%s': the model gives no finite energy",
                           s + 1, info.name);
    }
    free(parts);
    return status;
}

/* Of two errors while either monomer was kept back the mean square counts. */
shoal_status shoal_cv_errors(const shoal_cv_result *cv, const shoal_dataset *data, double *error)
{
    shoal_clear_error();
    SHOAL_NEED(cv && data && error && cv->error && cv->predicted);
    for (int32_t s = 0; s < shoal_dataset_samples(data); ++s) {
        shoal_sample_info info;
        SHOAL_TRY(shoal_dataset_sample(data, s, &info));
        error[s] = copysign(cv->error[s], cv->predicted[s] - info.reference);
    }
    return SHOAL_OK;
}

/* --- altogether ------------------------------------------------------------------------------ */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

shoal_status shoal_errors_summarise(const shoal_dataset *data, const double *error,
                                    shoal_error_summary *out)
{
    shoal_clear_error();
    SHOAL_NEED(data && error && out);
    const int32_t n = shoal_dataset_samples(data);
    *out = (shoal_error_summary){.n = n, .n_dimers = shoal_dataset_dimers(data)};
    if (n == 0) return SHOAL_OK;
    double *size = shoal_alloc((size_t)n, sizeof *size);
    if (!size) return SHOAL_E_MEMORY;
    for (int32_t s = 0; s < n; ++s) {
        size[s] = fabs(error[s]);
        out->rmse += error[s] * error[s];
        out->mae += size[s];
        out->mean += error[s];
    }
    qsort(size, (size_t)n, sizeof *size, by_value);
    out->median = 0.5 * (size[(n - 1) / 2] + size[n / 2]);
    out->rmse = sqrt(out->rmse / n);
    out->mae /= n;
    out->mean /= n;
    free(size);
    return SHOAL_OK;
}

/* --- by what samples have in common ---------------------------------------------------------- */

static bool belongs(const shoal_error_row *row, shoal_errors_by by, const shoal_sample_info *s)
{
    switch (by) {
    case SHOAL_ERRORS_BY_SET: return row->key == s->set;
    case SHOAL_ERRORS_BY_DIMER: return row->key == s->dimer;
    case SHOAL_ERRORS_BY_GROUP: return strcmp(row->label, s->group) == 0;
    case SHOAL_ERRORS_BY_X0: break;
    }
    return isnan(row->x0) ? isnan(s->x0) : fabs(row->x0 - s->x0) < SAME_X0;
}

static shoal_status begin_row(shoal_error_row *row, shoal_errors_by by, const shoal_dataset *data,
                              const shoal_sample_info *s)
{
    shoal_set_info set;
    SHOAL_TRY(shoal_dataset_set(data, s->set, &set));
    *row = (shoal_error_row){.x0 = s->x0, .key = by == SHOAL_ERRORS_BY_SET ? s->set : s->dimer};
    row->label = by == SHOAL_ERRORS_BY_SET     ? set.label
                 : by == SHOAL_ERRORS_BY_GROUP ? s->group
                                               : s->name;
    return SHOAL_OK;
}

static int by_x0(const void *a, const void *b)
{
    const shoal_error_row *x = a, *y = b;
    if (isnan(x->x0) || isnan(y->x0)) return isnan(x->x0) - isnan(y->x0);
    return (x->x0 > y->x0) - (x->x0 < y->x0);
}

static int by_rmse(const void *a, const void *b)
{
    const shoal_error_row *x = a, *y = b;
    if (x->rmse != y->rmse) return x->rmse > y->rmse ? -1 : 1;
    return (x->key > y->key) - (x->key < y->key);
}

/* Sums until they are divided by n. */
static void add_error(shoal_error_row *row, double error)
{
    row->n++;
    row->rmse += error * error;
    row->mae += fabs(error);
    row->mean += error;
    if (fabs(error) > fabs(row->largest)) row->largest = error;
}

shoal_status shoal_errors_group(const shoal_dataset *data, const double *error, shoal_errors_by by,
                                shoal_error_row *rows, int32_t *n)
{
    shoal_clear_error();
    SHOAL_NEED(data && error && rows && n);
    *n = 0;
    for (int32_t s = 0; s < shoal_dataset_samples(data); ++s) {
        shoal_sample_info info;
        SHOAL_TRY(shoal_dataset_sample(data, s, &info));
        /* the last row first: samples of one kind stand together */
        int32_t k = *n - 1;
        while (k >= 0 && !belongs(&rows[k], by, &info)) --k;
        if (k < 0) {
            k = (*n)++;
            SHOAL_TRY(begin_row(&rows[k], by, data, &info));
        }
        add_error(&rows[k], error[s]);
    }
    for (int32_t k = 0; k < *n; ++k) {
        rows[k].rmse = sqrt(rows[k].rmse / rows[k].n);
        rows[k].mae /= rows[k].n;
        rows[k].mean /= rows[k].n;
    }
    if (by == SHOAL_ERRORS_BY_X0) qsort(rows, (size_t)*n, sizeof *rows, by_x0);
    if (by == SHOAL_ERRORS_BY_DIMER) qsort(rows, (size_t)*n, sizeof *rows, by_rmse);
    return SHOAL_OK;
}

/* --- two models ------------------------------------------------------------------------------ */

/* Squared errors of both by dimer, and how many samples it has. */
typedef struct dimer_sums {
    double a, b, n;
} dimer_sums;

static void difference_of(const dimer_sums *of, int32_t n_dimers, double *difference,
                          double *uncertainty)
{
    dimer_sums all = {0};
    double mean = 0.0, square = 0.0;
    for (int32_t d = 0; d < n_dimers; ++d) {
        all.a += of[d].a;
        all.b += of[d].b;
        all.n += of[d].n;
    }
    *difference = sqrt(all.b / all.n) - sqrt(all.a / all.n);
    *uncertainty = NAN;
    if (n_dimers < 2) return;
    for (int pass = 0; pass < 2; ++pass)
        for (int32_t d = 0; d < n_dimers; ++d) {
            const double left = all.n - of[d].n;
            const double x =
                sqrt(fmax(all.b - of[d].b, 0.0) / left) - sqrt(fmax(all.a - of[d].a, 0.0) / left);
            if (pass == 0) mean += x / n_dimers;
            if (pass == 1) square += (x - mean) * (x - mean);
        }
    *uncertainty = sqrt(square * (n_dimers - 1) / n_dimers);
}

shoal_status shoal_errors_compare(const shoal_dataset *data, const double *a, const double *b,
                                  double *difference, double *uncertainty)
{
    shoal_clear_error();
    SHOAL_NEED(data && a && b && difference && uncertainty);
    const int32_t n_dimers = shoal_dataset_dimers(data);
    dimer_sums *sums = shoal_alloc((size_t)n_dimers, sizeof *sums);
    shoal_status status = sums ? SHOAL_OK : SHOAL_E_MEMORY;
    for (int32_t s = 0; s < shoal_dataset_samples(data) && status == SHOAL_OK; ++s) {
        shoal_sample_info info;
        status = shoal_dataset_sample(data, s, &info);
        if (status != SHOAL_OK) break;
        sums[info.dimer].a += a[s] * a[s];
        sums[info.dimer].b += b[s] * b[s];
        sums[info.dimer].n += 1.0;
    }
    if (status == SHOAL_OK) difference_of(sums, n_dimers, difference, uncertainty);
    free(sums);
    return status;
}

/* --- of a fit -------------------------------------------------------------------------------- */

static shoal_status set_errors(const shoal_dataset *data, const shoal_set_info *set,
                               const double *error, const shoal_cv_result *cv, double *rmse,
                               double *kept)
{
    double sum = 0.0, sum_cv = 0.0;
    int32_t n = 0;
    for (int32_t s = set->first; s < set->first + set->n_samples; ++s) {
        shoal_sample_info info;
        SHOAL_TRY(shoal_dataset_sample(data, s, &info));
        if (!(info.weight > 0.0)) continue;
        sum += error[s] * error[s];
        if (cv && cv->error) sum_cv += cv->error[s] * cv->error[s];
        ++n;
    }
    *rmse = n > 0 ? sqrt(sum / n) : 0.0;
    *kept = n > 0 ? sqrt(sum_cv / n) : 0.0;
    return SHOAL_OK;
}

shoal_status shoal_fit_set_errors(shoal_fit *fit, const shoal_dataset *data,
                                  const shoal_cv_result *cv, double *rmse, double *kept)
{
    shoal_clear_error();
    SHOAL_NEED(fit && data && rmse && kept);
    double *error = shoal_alloc((size_t)shoal_dataset_samples(data), sizeof *error);
    shoal_status status = error ? shoal_fit_errors(fit, data, error) : SHOAL_E_MEMORY;
    for (int32_t k = 0; k < shoal_dataset_sets(data) && status == SHOAL_OK; ++k) {
        shoal_set_info set;
        status = shoal_dataset_set(data, k, &set);
        if (status == SHOAL_OK) status = set_errors(data, &set, error, cv, &rmse[k], &kept[k]);
    }
    free(error);
    return status;
}

static int by_strength(const void *x, const void *y)
{
    const shoal_strong_pair *p = x, *q = y;
    const double a = fabs(p->correlation), b = fabs(q->correlation);
    if (a != b) return a > b ? -1 : 1;
    return p->a != q->a ? p->a - q->a : p->b - q->b;
}

shoal_status shoal_fit_strong_pairs(const shoal_fit *fit, double least, shoal_strong_pair **out,
                                    int32_t *n)
{
    int32_t capacity = 0;
    shoal_clear_error();
    SHOAL_NEED(fit && out && n);
    *out = NULL;
    *n = 0;
    for (int32_t i = 0; i < shoal_fit_dofs(fit); ++i)
        for (int32_t k = i + 1; k < shoal_fit_dofs(fit); ++k) {
            const double c = shoal_fit_correlation(fit, i, k);
            if (!(fabs(c) > least)) continue;
            if (SHOAL_RESERVE(out, &capacity, *n + 1) != SHOAL_OK) {
                free(*out);
                *out = NULL;
                *n = 0;
                return SHOAL_E_MEMORY;
            }
            (*out)[(*n)++] = (shoal_strong_pair){c, i, k};
        }
    if (*n > 0) qsort(*out, (size_t)*n, sizeof **out, by_strength);
    return SHOAL_OK;
}
