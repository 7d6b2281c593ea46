/* SPDX-License-Identifier: BSD-3-Clause
 * Eigenvectors of symmetric matrices: the equation they solve, and matrices made of known ones, with values that are
 * equal, nearly equal, or of all sizes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "geom/dense.h"
#include "geom/eigen.h"

enum { N = 6 };

static double pseudo(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 16777216.0 - 0.5;
}

/* a v = l v and orthonormal rows, ascending. */
static void check_eigen(int32_t n, const double *before)
{
    double *a = malloc((size_t)(n * n) * sizeof *a), *values = malloc((size_t)n * sizeof *values);
    double *work = malloc((size_t)n * sizeof *work), worst = 0;
    memcpy(a, before, (size_t)(n * n) * sizeof *a);
    CHECK(eigen_symmetric(n, a, values, work));
    for (int32_t k = 0; k < n; ++k) {
        CHECK(k == 0 || values[k] >= values[k - 1]);
        for (int32_t i = 0; i < n; ++i) {
            double image = 0, product = 0;
            for (int32_t j = 0; j < n; ++j) {
                image += before[i * n + j] * a[k * n + j];
                product += a[k * n + j] * a[i * n + j];
            }
            worst = fmax(worst, fabs(image - values[k] * a[k * n + i]));
            worst = fmax(worst, fabs(product - (i == k)));
        }
    }
    CHECK_NEAR(worst, 0, 2e-13);
    free(a);
    free(values);
    free(work);
}

static void test_equation(void)
{
    static const int32_t sizes[] = {1, 2, 3, 7, 30, 101};
    uint32_t state = 1;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
        const int32_t n = sizes[k];
        double *a = malloc((size_t)(n * n) * sizeof *a);
        for (int kind = 0; kind < 4; ++kind) { /* full, sparse, diagonal, of rank 1 */
            for (int32_t i = 0; i < n; ++i)
                for (int32_t j = 0; j <= i; ++j) {
                    double x = kind == 3 ? (i + 1.0) * (j + 1.0) / n / n : pseudo(&state);
                    if ((kind == 1 && (i + j) % 3) || (kind == 2 && i != j)) x = 0;
                    a[i * n + j] = a[j * n + i] = x;
                }
            check_eigen(n, a);
        }
        free(a);
    }
    double nan[4] = {NAN, 1, 1, 0}, values[2], work[2];
    CHECK(!eigen_symmetric(2, nan, values, work));
}

/* --- matrices made of known vectors -------------------------------------------------------------- */

/* Rows of a reflection, 1 - 2 u u' / u'u: orthonormal, and no row along an axis. */
static void make_vectors(double v[N][N])
{
    static const double u[N] = {1, -2, 3, 0.5, -1.5, 2};
    double length2 = 0;
    for (int i = 0; i < N; ++i) length2 += u[i] * u[i];
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) v[i][j] = (i == j) - 2 * u[i] * u[j] / length2;
}

/* Solves the matrix of these values and the known vectors. */
static void solve(const double wanted[N], double known[N][N], double found[N][N], double values[N])
{
    double work[N];
    make_vectors(known);
    for (int i = 0; i < N; ++i)
        for (int j = 0; j <= i; ++j) {
            found[i][j] = 0;
            for (int k = 0; k < N; ++k) found[i][j] += wanted[k] * known[k][i] * known[k][j];
            found[j][i] = found[i][j];
        }
    CHECK(eigen_symmetric(N, found[0], values, work));
}

/* Largest difference of the projections onto vectors first .. last, which do not depend on the choice of vectors. */
static double subspace_error(double a[N][N], double b[N][N], int first, int last)
{
    double worst = 0;
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) {
            double difference = 0;
            for (int k = first; k <= last; ++k) difference += a[k][i] * a[k][j] - b[k][i] * b[k][j];
            worst = fmax(worst, fabs(difference));
        }
    return worst;
}

static double orthonormality_error(double a[N][N])
{
    double worst = 0;
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) {
            double product = -(i == j);
            for (int k = 0; k < N; ++k) product += a[i][k] * a[j][k];
            worst = fmax(worst, fabs(product));
        }
    return worst;
}

static void test_equal_values(void)
{
    static const double wanted[N] = {-2, 1, 1, 3, 3, 3};
    double known[N][N], found[N][N], values[N];
    solve(wanted, known, found, values);
    for (int k = 0; k < N; ++k) CHECK_NEAR(values[k], wanted[k], 1e-14);
    CHECK_NEAR(subspace_error(known, found, 0, 0), 0, 1e-14);
    CHECK_NEAR(subspace_error(known, found, 1, 2), 0, 1e-14);
    CHECK_NEAR(subspace_error(known, found, 3, 5), 0, 1e-14);
    CHECK_NEAR(orthonormality_error(found), 0, 1e-14);
    static const double same[N] = {2, 2, 2, 2, 2, 2};
    solve(same, known, found, values);
    for (int k = 0; k < N; ++k) CHECK_NEAR(values[k], 2, 1e-14);
    CHECK_NEAR(orthonormality_error(found), 0, 1e-14);
}

/* A vector is known as well as rounding is small against the gap; a pair, as against the gap to the others. */
static void test_nearly_equal_values(void)
{
    static const double gaps[] = {1e-3, 1e-6, 1e-9, 1e-12, 1e-15};
    for (size_t g = 0; g < sizeof gaps / sizeof gaps[0]; ++g) {
        const double wanted[N] = {1, 1 + gaps[g], 2, 5, 6, 7};
        double known[N][N], found[N][N], values[N];
        solve(wanted, known, found, values);
        for (int k = 0; k < N; ++k) CHECK_NEAR(values[k], wanted[k], 1e-14);
        CHECK_NEAR(subspace_error(known, found, 0, 1), 0, 1e-14);
        CHECK_NEAR(subspace_error(known, found, 2, 2), 0, 1e-14);
        if (gaps[g] > 1e-10) CHECK_NEAR(subspace_error(known, found, 0, 0), 0, 1e-14 / gaps[g]);
        CHECK_NEAR(orthonormality_error(found), 0, 1e-14);
    }
}

/* Small values are good to the rounding of the largest, and their vectors are no worse. */
static void test_values_of_all_sizes(void)
{
    static const double wanted[N] = {0, 1e-10, 1e-6, 1e-3, 1, 1e4};
    double known[N][N], found[N][N], values[N];
    solve(wanted, known, found, values);
    for (int k = 0; k < N; ++k) CHECK_NEAR(values[k], wanted[k], 1e-11);
    CHECK_NEAR(subspace_error(known, found, 5, 5), 0, 1e-14);
    CHECK_NEAR(subspace_error(known, found, 0, 1), 0, 1e-5); /* 1e-16 * 1e4 / 1e-6, and some */
    CHECK_NEAR(orthonormality_error(found), 0, 1e-14);
}

/* Of diagonal matrices the vectors are the axes themselves, to the bit. */
static void test_axes(void)
{
    double a[9] = {3, 0, 0, 0, 1, 0, 0, 0, 1}, values[3], work[3];
    CHECK(eigen_symmetric(3, a, values, work));
    CHECK(values[0] == 1 && values[1] == 1 && values[2] == 3);
    CHECK(fabs(a[6]) == 1 && a[7] == 0 && a[8] == 0 && a[0] == 0 && a[3] == 0);
}

/* Equations whose first rows have nothing on the diagonal, and some that have no solution. */
static void test_equations(void)
{
    double a[9] = {0, 2, 1, 3, 0, 0, 1e-9, 1, 1}, b[3] = {7, 6, 5};
    double flat[4] = {1, 2, 2, 4}, c[2] = {1, 1};
    CHECK(dense_solve(3, a, b));
    CHECK_NEAR(b[0], 2, 1e-14);
    CHECK_NEAR(b[1], 2, 1e-7);
    CHECK_NEAR(b[2], 3, 1e-7);
    CHECK(!dense_solve(2, flat, c));
}

int main(void)
{
    test_equation();
    test_equal_values();
    test_nearly_equal_values();
    test_values_of_all_sizes();
    test_axes();
    test_equations();
    return check_done();
}
