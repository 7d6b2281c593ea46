/* SPDX-License-Identifier: BSD-3-Clause
 * Householder's reduction to a tridiagonal matrix, then QL steps with implicit shifts (Bowdler, Martin, Reinsch and
 * Wilkinson, Numer. Math. 11 (1968) 293). Vectors are kept as rows, so that all inner loops run along memory. */
#include "geom/eigen.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* QL steps until a value stands still: two or three are usual. */
#define MAX_ROUNDS 60

/* Four sums side by side: the order is fixed, and they do not wait for each other. */
static double dot(const double *a, const double *b, int32_t n)
{
    double sum[4] = {0, 0, 0, 0};
    int32_t k = 0;
    for (; k + 4 <= n; k += 4)
        for (int32_t l = 0; l < 4; ++l) sum[l] += a[k + l] * b[k + l];
    for (; k < n; ++k) sum[0] += a[k] * b[k];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void add_scaled(double *a, double factor, const double *b, int32_t n)
{
    for (int32_t k = 0; k < n; ++k) a[k] += factor * b[k];
}

/* The reflection that leaves of row i, left of the diagonal, only its last element: its vector u takes the place of
 * the row, |u|^2 / 2 is returned, and that element goes to *beside. 0: there is nothing to do. */
static double reflector(double *row, int32_t i, double *beside)
{
    double scale = 0;
    for (int32_t k = 0; k < i; ++k) scale += fabs(row[k]);
    *beside = row[i - 1];
    if (i == 1 || scale == 0) return 0;
    for (int32_t k = 0; k < i; ++k) row[k] /= scale;
    const double length2 = dot(row, row, i), last = row[i - 1];
    const double g = last >= 0 ? -sqrt(length2) : sqrt(length2);
    *beside = scale * g;
    row[i - 1] = last - g;
    return length2 - last * g;
}

/* a := P a P of the leading i rows, P = 1 - u u' / h; only the lower triangle is kept. q[i] is scratch. */
static void reflect(double *a, int32_t n, int32_t i, double h, double *q)
{
    const double *u = a + (size_t)i * (size_t)n;
    memset(q, 0, (size_t)i * sizeof *q);
    for (int32_t j = 0; j < i; ++j) {
        const double *row = a + (size_t)j * (size_t)n;
        q[j] += dot(row, u, j) + row[j] * u[j];
        add_scaled(q, u[j], row, j);
    }
    for (int32_t j = 0; j < i; ++j) q[j] /= h;
    add_scaled(q, -dot(u, q, i) / (h + h), u, i);
    for (int32_t j = 0; j < i; ++j) {
        double *row = a + (size_t)j * (size_t)n;
        for (int32_t k = 0; k <= j; ++k) row[k] -= u[j] * q[k] + q[j] * u[k];
    }
}

/* The product of all reflections, as rows; d[i] is |u|^2 / 2 of row i and becomes the diagonal element. */
static void accumulate(double *a, int32_t n, double *d)
{
    for (int32_t i = 0; i < n; ++i) {
        double *u = a + (size_t)i * (size_t)n;
        for (int32_t j = 0; j < i && d[i] != 0; ++j) {
            double *row = a + (size_t)j * (size_t)n;
            add_scaled(row, -dot(u, row, i) / d[i], u, i);
        }
        d[i] = u[i];
        u[i] = 1;
        for (int32_t j = 0; j < i; ++j) u[j] = a[(size_t)j * (size_t)n + (size_t)i] = 0;
    }
}

/* a becomes the rotation to a matrix with d[n] on the diagonal and e[n - 1] beside it. */
static void make_tridiagonal(double *a, int32_t n, double *d, double *e)
{
    d[0] = 0;
    for (int32_t i = n - 1; i > 0; --i) {
        d[i] = reflector(a + (size_t)i * (size_t)n, i, &e[i]);
        if (d[i] != 0) reflect(a, n, i, d[i], e); /* e[0 .. i - 1] is free yet */
    }
    accumulate(a, n, d);
    for (int32_t i = 1; i < n; ++i) e[i - 1] = e[i];
    e[n - 1] = 0;
}

static void rotate(double *a, double *b, double c, double s, int32_t n)
{
    for (int32_t k = 0; k < n; ++k) {
        const double f = b[k];
        b[k] = s * a[k] + c * f;
        a[k] = c * a[k] - s * f;
    }
}

/* One QL step on rows l to m. */
static void ql_step(double *a, int32_t n, double *d, double *e, int32_t l, int32_t m)
{
    double g = (d[l + 1] - d[l]) / (2 * e[l]);
    const double root = sqrt(g * g + 1);
    double s = 1, c = 1, p = 0;
    g = d[m] - d[l] + e[l] / (g >= 0 ? g + root : g - root);
    for (int32_t i = m - 1; i >= l; --i) {
        const double f = s * e[i], b = c * e[i], r = sqrt(f * f + g * g);
        e[i + 1] = r;
        if (r == 0) {
            d[i + 1] -= p;
            e[m] = 0;
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        const double t = (d[i] - g) * s + 2 * c * b;
        p = s * t;
        d[i + 1] = g + p;
        g = c * t - b;
        rotate(a + (size_t)i * (size_t)n, a + (size_t)(i + 1) * (size_t)n, c, s, n);
    }
    d[l] -= p;
    e[l] = g;
    e[m] = 0;
}

/* The first row from l on that nothing ties to the next. */
static int32_t find_end(const double *d, const double *e, int32_t n, int32_t l)
{
    int32_t m = l;
    while (m < n - 1 && !(fabs(e[m]) <= DBL_EPSILON * (fabs(d[m]) + fabs(d[m + 1])))) ++m;
    return m;
}

static void swap_rows(double *a, double *b, int32_t n)
{
    for (int32_t k = 0; k < n; ++k) {
        const double x = a[k];
        a[k] = b[k];
        b[k] = x;
    }
}

static void sort(double *a, int32_t n, double *d)
{
    for (int32_t i = 0; i < n - 1; ++i) {
        int32_t lowest = i;
        for (int32_t j = i + 1; j < n; ++j)
            if (d[j] < d[lowest]) lowest = j;
        if (lowest == i) continue;
        swap_rows(&d[i], &d[lowest], 1);
        swap_rows(a + (size_t)i * (size_t)n, a + (size_t)lowest * (size_t)n, n);
    }
}

bool eigen_symmetric(int32_t n, double *a, double *values, double *work)
{
    if (n <= 0) return true;
    make_tridiagonal(a, n, values, work);
    for (int32_t l = 0; l < n; ++l) {
        int rounds = 0;
        for (int32_t m; (m = find_end(values, work, n, l)) != l;) {
            if (++rounds > MAX_ROUNDS) return false;
            ql_step(a, n, values, work, l, m);
        }
    }
    sort(a, n, values);
    for (int32_t i = 0; i < n; ++i)
        if (!isfinite(values[i])) return false;
    return true;
}
