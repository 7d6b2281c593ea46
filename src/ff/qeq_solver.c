/* SPDX-License-Identifier: BSD-3-Clause
 * Linear equations of charge equilibration: elimination for few atoms, GMRES (Saad and Schultz, SIAM J. Sci. Stat.
 * Comput. 7 (1986) 856) for many. The matrix is not symmetric, since the clouds of hydrogen depend on its charge.
 * The sum of the charges is kept by working with vectors that add up to zero. */
#include "ff/qeq.h"

#include <math.h>
#include <string.h>

enum {
    MOST_DIRECT = 100, /* atoms; elimination takes as long as iterations somewhere there */
    BASIS = 60,        /* vectors until a restart */
    MOST_RESTARTS = 20,
};

void qeq_remove_mean(int32_t n, double *x)
{
    double sum = 0;
    for (int32_t i = 0; i < n; ++i) sum += x[i];
    for (int32_t i = 0; i < n; ++i) x[i] -= sum / n;
}

/* --- elimination --------------------------------------------------------------------------------- */

/* The Jacobian, bordered by ones; its last unknown is the common value of F. Rows are m = n + 1 long. */
static void fill_matrix(const qeq_system *s, double *a)
{
    const int32_t n = s->n, m = n + 1;
    for (int32_t i = 0; i < n; ++i) {
        a[i * m + i] = s->diag[i] + s->far[i * n + i];
        a[i * m + n] = -1;
        a[n * m + i] = 1;
        for (int32_t j = i + 1; j < n; ++j) a[i * m + j] = a[j * m + i] = s->far[i * n + j];
    }
    a[n * m + n] = 0;
    for (int32_t i = 0; i < n; ++i)
        for (int64_t e = s->start[i]; e < s->start[i + 1]; ++e) {
            const qeq_pair *p = &s->pairs[e];
            a[i * m + p->j] += p->value + p->by_j * s->q[p->j];
            a[p->j * m + i] += p->value + p->by_i * s->q[i];
        }
}

static void swap_rows(double *x, double *y, int32_t n)
{
    for (int32_t k = 0; k < n; ++k) {
        const double swap = x[k];
        x[k] = y[k];
        y[k] = swap;
    }
}

/* Gauss with row pivots; b becomes the solution. */
static bool eliminate(double *a, double *b, int32_t m)
{
    for (int32_t k = 0; k < m; ++k) {
        int32_t pivot = k;
        for (int32_t i = k + 1; i < m; ++i)
            if (fabs(a[i * m + k]) > fabs(a[pivot * m + k])) pivot = i;
        if (!(fabs(a[pivot * m + k]) > 1e-12)) return false;
        if (pivot != k) {
            swap_rows(a + k * m + k, a + pivot * m + k, m - k);
            swap_rows(b + k, b + pivot, 1);
        }
        const double by_pivot = 1 / a[k * m + k], *from = a + k * m;
        for (int32_t i = k + 1; i < m; ++i) {
            const double times = a[i * m + k] * by_pivot;
            double *to = a + i * m;
            for (int32_t j = k + 1; j < m; ++j) to[j] -= times * from[j];
            b[i] -= times * b[k];
        }
    }
    for (int32_t k = m - 1; k >= 0; --k) {
        for (int32_t j = k + 1; j < m; ++j) b[k] -= a[k * m + j] * b[j];
        b[k] /= a[k * m + k];
    }
    return true;
}

static shoal_status solve_directly(qeq_system *s, double *step)
{
    double a[(MOST_DIRECT + 1) * (MOST_DIRECT + 1)], b[MOST_DIRECT + 1];
    fill_matrix(s, a);
    for (int32_t i = 0; i < s->n; ++i) b[i] = -s->force[i];
    b[s->n] = 0;
    if (!eliminate(a, b, s->n + 1))
        return shoal_fail(SHOAL_E_ARGUMENT, "QEq: the equations for %d atoms are singular", s->n);
    memcpy(step, b, (size_t)s->n * sizeof *step);
    return SHOAL_OK;
}

/* --- iterations ---------------------------------------------------------------------------------- */

typedef struct gmres {
    qeq_system *s;
    double *basis;           /* [BASIS + 1][n] */
    double *residual, *work; /* [n] */
    double *by_diag;         /* [n] 1 / diagonal of the Jacobian */
    double sum_by_diag;
    double h[BASIS][BASIS + 1]; /* columns, rotated to a triangle */
    double c[BASIS], t[BASIS];  /* the rotations */
    double g[BASIS + 1];        /* what is left of the residual in the basis */
} gmres;

static double dot(int32_t n, const double *x, const double *y)
{
    double sum = 0;
    for (int32_t i = 0; i < n; ++i) sum += x[i] * y[i];
    return sum;
}

/* out = (x - lambda) / diagonal, so that it adds up to zero. */
static void precondition(const gmres *w, const double *x, double *out)
{
    const int32_t n = w->s->n;
    const double lambda = dot(n, w->by_diag, x) / w->sum_by_diag;
    for (int32_t i = 0; i < n; ++i) out[i] = (x[i] - lambda) * w->by_diag[i];
}

/* Makes the last vector orthogonal to those before it; returns the length it had left. */
static double orthogonalise(gmres *w, int32_t k)
{
    const int32_t n = w->s->n;
    const size_t size = (size_t)n;
    double *v = w->basis + (size_t)(k + 1) * size;
    for (int32_t l = 0; l <= k; ++l) {
        const double *u = w->basis + (size_t)l * size;
        const double part = w->h[k][l] = dot(n, u, v);
        for (int32_t i = 0; i < n; ++i) v[i] -= part * u[i];
    }
    const double length = sqrt(dot(n, v, v));
    for (int32_t i = 0; i < n && length > 0; ++i) v[i] /= length;
    return length;
}

/* Turns column k into one of a triangle, and g with it. */
static void rotate(gmres *w, int32_t k, double length)
{
    double *h = w->h[k];
    for (int32_t l = 0; l < k; ++l) {
        const double x = h[l], y = h[l + 1];
        h[l] = w->c[l] * x + w->t[l] * y;
        h[l + 1] = w->c[l] * y - w->t[l] * x;
    }
    const double r = hypot(h[k], length);
    w->c[k] = r > 0 ? h[k] / r : 1;
    w->t[k] = r > 0 ? length / r : 0;
    h[k] = r;
    w->g[k + 1] = -w->t[k] * w->g[k];
    w->g[k] *= w->c[k];
}

/* Adds what a basis of k vectors says to the step. */
static void add_solution(gmres *w, int32_t k, double *step)
{
    const int32_t n = w->s->n;
    double y[BASIS];
    for (int32_t l = k - 1; l >= 0; --l) {
        y[l] = w->g[l];
        for (int32_t i = l + 1; i < k; ++i) y[l] -= w->h[i][l] * y[i];
        y[l] = w->h[l][l] > 0 ? y[l] / w->h[l][l] : 0;
    }
    memset(w->work, 0, (size_t)n * sizeof *w->work);
    for (int32_t l = 0; l < k; ++l)
        for (int32_t i = 0; i < n; ++i)
            w->work[i] += y[l] * w->basis[(size_t)l * (size_t)n + (size_t)i];
    precondition(w, w->work, w->residual);
    for (int32_t i = 0; i < n; ++i) step[i] += w->residual[i];
}

/* One turn until the basis is full or the residual (2-norm, eV) is small enough; returns what is left of it. */
static double improve(gmres *w, double tolerance, double *step)
{
    qeq_system *s = w->s;
    const size_t n = (size_t)s->n;
    int32_t k = 0;
    qeq_apply(s, step, w->residual);
    for (size_t i = 0; i < n; ++i) w->residual[i] = -s->force[i] - w->residual[i];
    qeq_remove_mean(s->n, w->residual);
    w->g[0] = sqrt(dot(s->n, w->residual, w->residual));
    if (w->g[0] <= tolerance) return w->g[0];
    for (size_t i = 0; i < n; ++i) w->basis[i] = w->residual[i] / w->g[0];
    while (k < BASIS && fabs(w->g[k]) > tolerance && !qeq_asks_stop(s)) {
        double *next = w->basis + (size_t)(k + 1) * n;
        precondition(w, w->basis + (size_t)k * n, w->work);
        qeq_apply(s, w->work, next);
        qeq_remove_mean(s->n, next);
        rotate(w, k, orthogonalise(w, k));
        ++k;
    }
    add_solution(w, k, step);
    return fabs(w->g[k]);
}

static shoal_status begin_gmres(gmres *w, qeq_system *s)
{
    const size_t n = (size_t)s->n;
    w->s = s;
    w->basis = arena_alloc_dirty(&s->memory, (BASIS + 1) * n, sizeof(double));
    w->residual = arena_alloc_dirty(&s->memory, n, sizeof(double));
    w->work = arena_alloc_dirty(&s->memory, n, sizeof(double));
    w->by_diag = arena_alloc_dirty(&s->memory, n, sizeof(double));
    return w->basis && w->residual && w->work && w->by_diag ? SHOAL_OK : SHOAL_E_MEMORY;
}

static shoal_status solve_iteratively(qeq_system *s, double tolerance, double *step)
{
    if (!s->gmres) {
        s->gmres = arena_alloc(&s->memory, 1, sizeof *s->gmres);
        if (!s->gmres) return SHOAL_E_MEMORY;
        SHOAL_TRY(begin_gmres(s->gmres, s));
    }
    gmres *w = s->gmres;
    w->sum_by_diag = 0;
    for (int32_t i = 0; i < s->n; ++i) {
        w->by_diag[i] = 1 / fmax(s->diag[i], 1); /* eV */
        w->sum_by_diag += w->by_diag[i];
        step[i] = 0;
    }
    double left = INFINITY;
    for (int turn = 0; turn < MOST_RESTARTS && left > tolerance && !qeq_asks_stop(s); ++turn)
        left = improve(w, tolerance, step);
    if (!(left <= tolerance) && !qeq_asks_stop(s))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "QEq: the equations for %d atoms could not be solved (%g eV are left, "
                          "wanted %g)",
                          s->n, left, tolerance);
    return SHOAL_OK;
}

shoal_status qeq_solve_step(qeq_system *s, double tolerance, double *step)
{
    if (s->n <= MOST_DIRECT) return solve_directly(s, step);
    return solve_iteratively(s, tolerance, step);
}
