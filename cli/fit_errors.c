/* SPDX-License-Identifier: BSD-3-Clause
 * Errors of energies of dimers. */
#include "fit_errors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fit_report.h"

#define SAME_X0 1e-6

shoal_status errors_of(shoal_fit *fit, const shoal_dataset *data, double *error)
{
    const int32_t n = shoal_dataset_samples(data);
    double(*parts)[SHOAL_N_PARTS] = calloc((size_t)n, sizeof *parts);
    if (!parts) return SHOAL_E_MEMORY;
    shoal_status status = shoal_fit_predict(fit, parts);
    for (int32_t s = 0; s < n && status == SHOAL_OK; ++s) {
        shoal_sample_info info;
        status = shoal_dataset_sample(data, s, &info);
        error[s] = -info.reference;
        for (int k = 0; k < SHOAL_N_PARTS; ++k) error[s] += parts[s][k];
    }
    free(parts);
    return status;
}

static bool belongs(const error_row *row, error_kind kind, const shoal_sample_info *s)
{
    switch (kind) {
    case ERRORS_BY_SET: return row->key == s->set;
    case ERRORS_BY_DIMER: return row->key == s->dimer;
    case ERRORS_BY_GROUP: return strcmp(row->label, s->group) == 0;
    case ERRORS_BY_X0: break;
    }
    return isnan(row->x0) ? isnan(s->x0) : fabs(row->x0 - s->x0) < SAME_X0;
}

static shoal_status begin_row(error_row *row, error_kind kind, const shoal_dataset *data,
                              const shoal_sample_info *s)
{
    shoal_set_info set;
    const shoal_status status = shoal_dataset_set(data, s->set, &set);
    if (status != SHOAL_OK) return status;
    *row = (error_row){.x0 = s->x0, .key = kind == ERRORS_BY_SET ? s->set : s->dimer};
    row->label = kind == ERRORS_BY_SET     ? set_name(set.label)
                 : kind == ERRORS_BY_GROUP ? s->group
                                           : s->name;
    return SHOAL_OK;
}

static void finish_row(error_row *row)
{
    row->rmse = sqrt(row->sum2 / row->n);
    row->mae = row->sum_abs / row->n;
    row->mean /= row->n;
}

static int by_x0(const void *a, const void *b)
{
    const error_row *x = a, *y = b;
    if (isnan(x->x0) || isnan(y->x0)) return isnan(x->x0) - isnan(y->x0);
    return (x->x0 > y->x0) - (x->x0 < y->x0);
}

static int by_rmse(const void *a, const void *b)
{
    const error_row *x = a, *y = b;
    if (x->rmse != y->rmse) return x->rmse > y->rmse ? -1 : 1;
    return (x->key > y->key) - (x->key < y->key);
}

shoal_status errors_group(const shoal_dataset *data, const double *error, error_kind kind,
                          error_rows *out)
{
    const int32_t n = shoal_dataset_samples(data);
    *out = (error_rows){.rows = calloc((size_t)n, sizeof *out->rows)};
    if (!out->rows) return SHOAL_E_MEMORY;
    for (int32_t s = 0; s < n; ++s) {
        shoal_sample_info info;
        shoal_status status = shoal_dataset_sample(data, s, &info);
        /* the last row first: samples of one kind stand together */
        int32_t k = out->n - 1;
        while (k >= 0 && !belongs(&out->rows[k], kind, &info)) --k;
        if (status == SHOAL_OK && k < 0) {
            k = out->n++;
            status = begin_row(&out->rows[k], kind, data, &info);
        }
        if (status != SHOAL_OK) return status;
        error_row *row = &out->rows[k];
        row->n++;
        row->sum2 += error[s] * error[s];
        row->sum_abs += fabs(error[s]);
        row->mean += error[s];
        if (fabs(error[s]) > fabs(row->largest)) row->largest = error[s];
    }
    for (int32_t k = 0; k < out->n; ++k) finish_row(&out->rows[k]);
    if (kind == ERRORS_BY_X0) qsort(out->rows, (size_t)out->n, sizeof *out->rows, by_x0);
    if (kind == ERRORS_BY_DIMER) qsort(out->rows, (size_t)out->n, sizeof *out->rows, by_rmse);
    return SHOAL_OK;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

shoal_status errors_summarise(const shoal_dataset *data, const double *error, error_summary *out)
{
    const int32_t n = shoal_dataset_samples(data);
    double *size = calloc((size_t)n, sizeof *size);
    *out = (error_summary){.n = n, .n_dimers = shoal_dataset_dimers(data)};
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

static bool says_nothing(const error_rows *rows, error_kind kind)
{
    if (rows->n != 1 || kind == ERRORS_BY_DIMER || kind == ERRORS_BY_SET) return false;
    return kind == ERRORS_BY_X0 ? isnan(rows->rows[0].x0) : !rows->rows[0].label[0];
}

void errors_print(const error_rows *rows, error_kind kind, int32_t most)
{
    static const char *const titles[] = {"set", "group", "x0", "worst dimers"};
    if (says_nothing(rows, kind)) return;
    (void)printf("%-28s%8s%14s%14s%14s%14s\n", titles[kind], "frames", "RMSE/kcal/mol",
                 "MAE/kcal/mol", "mean", "largest");
    for (int32_t k = 0; k < rows->n && k < most; ++k) {
        const error_row *r = &rows->rows[k];
        if (kind != ERRORS_BY_X0)
            (void)printf("%-28.28s", r->label[0] ? r->label : "-");
        else if (isnan(r->x0))
            (void)printf("%-28s", "-");
        else
            (void)printf("%-28.6g", r->x0);
        (void)printf("%8d%14.4f%14.4f%+14.4f%+14.4f\n", r->n, r->rmse / EV_PER_KCAL,
                     r->mae / EV_PER_KCAL, r->mean / EV_PER_KCAL, r->largest / EV_PER_KCAL);
    }
}

void errors_json(json *j, const error_rows *rows, error_kind kind, int32_t most)
{
    static const char *const lists[] = {"sets", "groups", "distances", "worst"};
    static const char *const keys[] = {"set", "group", "x0", "name"};
    json_open(j, lists[kind], '[');
    for (int32_t k = 0; k < rows->n && k < most; ++k) {
        const error_row *r = &rows->rows[k];
        json_open(j, NULL, '{');
        if (kind == ERRORS_BY_X0)
            json_number(j, keys[kind], r->x0);
        else
            json_text(j, keys[kind], r->label);
        json_integer(j, "n", r->n);
        json_number(j, "rmse", r->rmse);
        json_number(j, "mae", r->mae);
        json_number(j, "mean", r->mean);
        json_number(j, "largest", r->largest);
        json_close(j, '}');
    }
    json_close(j, ']');
}
