/* SPDX-License-Identifier: BSD-3-Clause
 * Covariance of the parameters with dimers as clusters: points of one curve err together, dimers
 * independently. Every dimer is left out in turn by one Gauss-Newton step, which for a linear model
 * is the fit without it (MacKinnon, White 1985; "CR3" of Bell, McCaffrey 2002). */
#include "fit/clusters.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* What is left of a curvature without one dimer, below which that dimer alone determines it. */
#define ALONE 1e-8
#define PIVOT 1e-10

typedef struct clusters {
    const fit_objective *o;
    const double *inverse, *a; /* [n][n] */
    int32_t *start, *list;     /* samples by dimer: list[start[d] .. start[d + 1]) */
    int32_t *place;            /* [n] of a variable among those of the dimer, -1 */
    int32_t *column, k;        /* the k variables of the dimer */
    double *own, *g;           /* its matrix [k][k] and slope [k], scaled */
    double *root, *rest;       /* [k][k] */
    double *x, *y, *step;      /* [k], [k], [n] */
} clusters;

static shoal_status sort_samples(clusters *c)
{
    const fit_problem *problem = &c->o->fit->problem;
    const shoal_dataset *data = problem->data;
    const size_t n = (size_t)problem->n_samples;
    c->start = shoal_alloc((size_t)data->n_dimers + 2, sizeof *c->start);
    c->list = shoal_alloc(n, sizeof *c->list);
    if (!c->start || !c->list) return SHOAL_E_MEMORY;
    for (size_t i = 0; i < n; ++i) c->start[data->samples[problem->source[i]].dimer + 2]++;
    for (int32_t d = 2; d <= data->n_dimers + 1; ++d) c->start[d] += c->start[d - 1];
    for (size_t i = 0; i < n; ++i)
        c->list[c->start[data->samples[problem->source[i]].dimer + 1]++] = (int32_t)i;
    return SHOAL_OK;
}

static bool allocate(clusters *c)
{
    const size_t n = (size_t)c->o->n;
    c->place = shoal_alloc(n, sizeof *c->place);
    c->column = shoal_alloc(n, sizeof *c->column);
    c->own = shoal_alloc(3 * n * n + 4 * n, sizeof *c->own);
    if (!c->place || !c->column || !c->own) return false;
    c->root = c->own + n * n;
    c->rest = c->root + n * n;
    c->g = c->rest + n * n;
    c->x = c->g + n;
    c->y = c->x + n;
    c->step = c->y + n;
    for (size_t i = 0; i < n; ++i) c->place[i] = -1;
    return true;
}

static void release(clusters *c)
{
    free(c->start);
    free(c->list);
    free(c->place);
    free(c->column);
    free(c->own);
}

static void find_columns(clusters *c, int32_t dimer)
{
    const fit_problem *problem = &c->o->fit->problem;
    for (int32_t i = 0; i < c->k; ++i) c->place[c->column[i]] = -1;
    c->k = 0;
    for (int32_t m = c->start[dimer]; m < c->start[dimer + 1]; ++m) {
        const fit_block *block = &problem->blocks[problem->block_of[c->list[m]]];
        if (!(c->o->weight[c->list[m]] > 0.0)) continue;
        for (int32_t i = 0; i < block->n_columns; ++i) {
            if (c->place[block->columns[i]] >= 0) continue;
            c->place[block->columns[i]] = c->k;
            c->column[c->k++] = block->columns[i];
        }
    }
}

/* Matrix and slope of the samples of a dimer. */
static void add_samples(clusters *c, int32_t dimer)
{
    const fit_objective *o = c->o;
    const fit_problem *problem = &o->fit->problem;
    memset(c->own, 0, (size_t)c->k * (size_t)c->k * sizeof *c->own);
    memset(c->g, 0, (size_t)c->k * sizeof *c->g);
    for (int32_t m = c->start[dimer]; m < c->start[dimer + 1]; ++m) {
        double bend;
        const int32_t i = c->list[m];
        const fit_block *block = &problem->blocks[problem->block_of[i]];
        const double *row = &o->rows[problem->row_start[i]], w = o->weight[i];
        const double r = fit_residual(&o->target, o->energy[i] - o->target.reference[i], &bend);
        for (int32_t p = 0; p < block->n_columns && w > 0.0; ++p) {
            const int32_t at = c->place[block->columns[p]];
            c->g[at] += w * r * bend * row[p];
            for (int32_t q = 0; q < block->n_columns; ++q)
                c->own[at * c->k + c->place[block->columns[q]]] +=
                    w * bend * bend * row[p] * row[q];
        }
    }
    for (int32_t p = 0; p < c->k; ++p) {
        const double s = o->fit->dofs[o->fit->free_dofs[c->column[p]]].scale;
        c->g[p] *= s;
        for (int32_t q = 0; q < c->k; ++q) {
            c->own[p * c->k + q] *= s;
            c->own[q * c->k + p] *= s;
        }
    }
}

/* The lower triangle L with L L^T = m[k][k], in its place. Pivots below least are taken as that, and as
 * columns of nothing if least is 0. */
static void cholesky(double *m, int32_t k, double least)
{
    for (int32_t j = 0; j < k; ++j) {
        const double whole = m[j * k + j];
        double pivot = whole;
        for (int32_t p = 0; p < j; ++p) pivot -= m[j * k + p] * m[j * k + p];
        pivot = fmax(pivot, least);
        const bool empty = !(pivot > 1e-14 * fabs(whole));
        m[j * k + j] = empty ? 0.0 : sqrt(pivot);
        for (int32_t i = j + 1; i < k; ++i) {
            double sum = m[i * k + j];
            for (int32_t p = 0; p < j; ++p) sum -= m[i * k + p] * m[j * k + p];
            m[i * k + j] = empty ? 0.0 : sum / m[j * k + j];
        }
    }
}

/* y = (L L^T)^-1 y. */
static void solve(const double *l, int32_t k, double *y)
{
    for (int32_t i = 0; i < k; ++i) {
        for (int32_t p = 0; p < i; ++p) y[i] -= l[i * k + p] * y[p];
        y[i] /= l[i * k + i];
    }
    for (int32_t i = k - 1; i >= 0; --i) {
        for (int32_t p = i + 1; p < k; ++p) y[i] -= l[p * k + i] * y[p];
        y[i] /= l[i * k + i];
    }
}

/* c->rest = 1 - C^T own C and c->y = C^T g, with C the lower triangle in c->root. */
static void set_rest(clusters *c)
{
    const int32_t k = c->k;
    for (int32_t j = 0; j < k; ++j) {
        for (int32_t p = 0; p < k; ++p) {
            c->x[p] = 0.0;
            for (int32_t q = j; q < k; ++q) c->x[p] += c->own[p * k + q] * c->root[q * k + j];
        }
        c->y[j] = 0.0;
        for (int32_t p = j; p < k; ++p) c->y[j] += c->root[p * k + j] * c->g[p];
        for (int32_t i = 0; i < k; ++i) {
            double sum = i == j ? 1.0 : 0.0;
            for (int32_t p = i; p < k; ++p) sum -= c->root[p * k + i] * c->x[p];
            c->rest[i * k + j] = sum;
        }
    }
}

/* step = (A - own)^-1 g, how far the optimum moves without the dimer. With P the block of A^-1 on its
 * variables and P = C C^T that is A^-1 (g + own C y), (1 - C^T own C) y = C^T g. */
static void leave_out(clusters *c)
{
    const int32_t n = c->o->n, k = c->k;
    for (int32_t p = 0; p < k; ++p)
        for (int32_t q = 0; q < k; ++q)
            c->root[p * k + q] = c->inverse[c->column[p] * n + c->column[q]];
    cholesky(c->root, k, 0.0);
    set_rest(c);
    cholesky(c->rest, k, PIVOT);
    solve(c->rest, k, c->y);
    for (int32_t p = 0; p < k; ++p) { /* C y */
        c->x[p] = 0.0;
        for (int32_t q = 0; q <= p; ++q) c->x[p] += c->root[p * k + q] * c->y[q];
    }
    for (int32_t p = 0; p < k; ++p) {
        c->y[p] = c->g[p];
        for (int32_t q = 0; q < k; ++q) c->y[p] += c->own[p * k + q] * c->x[q];
    }
    for (int32_t i = 0; i < n; ++i) {
        c->step[i] = 0.0;
        for (int32_t p = 0; p < k; ++p) c->step[i] += c->inverse[i * n + c->column[p]] * c->y[p];
    }
}

/* Variables that only this dimer determines: nothing is known about how they vary among dimers. */
static void mark_alone(const clusters *c, bool *alone)
{
    for (int32_t p = 0; p < c->k; ++p) {
        const double whole = c->a[c->column[p] * (c->o->n + 1)];
        if (!(whole - c->own[p * (c->k + 1)] > ALONE * whole)) alone[c->column[p]] = true;
    }
}

static void sum_dimers(clusters *c, double *covariance, bool *alone)
{
    const int32_t n = c->o->n;
    int32_t n_counted = 0;
    memset(covariance, 0, (size_t)n * (size_t)n * sizeof *covariance);
    for (int32_t d = 0; d < c->o->fit->problem.data->n_dimers; ++d) {
        find_columns(c, d);
        if (c->k == 0) continue;
        ++n_counted;
        add_samples(c, d);
        mark_alone(c, alone);
        leave_out(c);
        for (int32_t i = 0; i < n; ++i)
            for (int32_t k = i; k < n; ++k) covariance[i * n + k] += c->step[i] * c->step[k];
    }
    const double factor = (n_counted - 1.0) / fmax(n_counted, 1.0);
    for (int32_t i = 0; i < n; ++i)
        for (int32_t k = i; k < n; ++k) covariance[k * n + i] = covariance[i * n + k] *= factor;
}

shoal_status fit_cluster_covariance(const fit_objective *o, const double *a, const double *inverse,
                                    double *covariance, bool *alone)
{
    clusters c = {.o = o, .a = a, .inverse = inverse};
    shoal_status status = sort_samples(&c);
    if (status == SHOAL_OK && !allocate(&c)) status = SHOAL_E_MEMORY;
    if (status == SHOAL_OK) sum_dimers(&c, covariance, alone);
    release(&c);
    return status;
}
