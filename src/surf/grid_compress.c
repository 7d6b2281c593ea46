/* SPDX-License-Identifier: BSD-3-Clause
 * The field of an atom type, compressed: the wall of LJ is too steep for a cubic spline, whose forces are wrong by
 * sqrt(3)/216 h^3 of the fourth derivative wherever nodes are h apart; that of E^(1/4) is a twentieth of it and less. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "surf/grid_build.h"
#include "surf/grid_compress.h"
#include "surf/grid_spline.h"

#define LEAST 1.5   /* eV: what is below this is hardly compressed, and so ... */
#define WELLS 2.0   /* ... are wells, by this factor */
#define DEEPEST 2.0 /* eV: wells that are deeper are no vdW minima; then nothing is compressed */

typedef struct field {
    const shoal_grid *grid;
    const double *weights;
    size_t n_a, n_b, n_z;
    double *values; /* [n_a][n_b][n_z] */
} field;

/* Along z: the weighed sum of channels at the nodes, for one index along a; then along b. */
static void sum_slab(const field *f, size_t a, double *work)
{
    const size_t column = f->n_z + 2;
    double *slab = f->values + a * f->n_b * f->n_z;
    for (size_t b = 0; b < f->n_b; ++b) {
        const size_t at = (a * f->n_b + b) * column;
        double *to = slab + b * f->n_z;
        memset(work, 0, column * sizeof *work);
        for (int c = 0; c < SHOAL_N_CHANNELS; ++c) {
            const float *from = c == SHOAL_CHANNEL_Q ? NULL : f->grid->channel[c];
            for (size_t k = 0; k < column && from; ++k)
                work[k] += f->weights[c] * (double)from[at + k];
        }
        for (size_t k = 0; k < f->n_z; ++k)
            to[k] = (work[k] + 4.0 * work[k + 1] + work[k + 2]) * (1.0 / 6.0);
    }
    grid_spline_values(slab, (int32_t)f->n_b, f->n_z, work);
}

static double find_least(const field *f)
{
    const size_t n = f->n_a * f->n_b * f->n_z;
    double least = 0;
    for (size_t i = 0; i < n; ++i) least = f->values[i] >= least ? least : f->values[i];
    return least;
}

/* e of E = c (t^4 - 1), t = 1 + e/4c, without loss of digits where E is small. */
static void compress_slab(const field *f, size_t a, double per_c)
{
    double *v = f->values + a * f->n_b * f->n_z;
    for (size_t i = 0; i < f->n_b * f->n_z; ++i) {
        const double t2 = sqrt(1 + v[i] * per_c), t = sqrt(t2);
        v[i] *= 4 / ((t2 + 1) * (t + 1));
    }
}

/* Coefficients along b and z of one slab, to every second number of the field. */
static void solve_slab(const field *f, size_t a, double *work, float *to)
{
    const size_t n_b = f->n_b, n_z = f->n_z, column = n_z + 2;
    double *slab = f->values + a * n_b * n_z;
    double *rows = work, *first = rows + n_b * n_z, *last = first + n_b, *more = last + n_b;
    const bool is_last = !f->grid->above;
    grid_spline_cyclic(slab, (int32_t)n_b, n_z);
    for (size_t b = 0; b < n_b; ++b)
        for (size_t k = 0; k < n_z; ++k) rows[k * n_b + b] = slab[b * n_z + k];
    grid_spline_open(rows, (int32_t)n_z, n_b, first, last, more);
    for (size_t b = 0; b < n_b; ++b)
        for (size_t p = 0; p < column; ++p) {
            const double c = p == 0 ? first[b] : p <= n_z ? rows[(p - 1) * n_b + b] : last[b];
            to[2 * ((a * n_b + b) * column + p)] =
                is_last && p + GRID_EMPTY >= column ? 0.0F : (float)c;
        }
}

/* What is done to all slabs, each on some thread. */
typedef enum stage { SUM, COMPRESS, SOLVE } stage;

static bool for_slabs(const field *f, stage what, int n_threads, double per_c, float *to)
{
    const size_t scratch = f->n_b * f->n_z + 2 * f->n_b + 3 * (f->n_z + 2);
    int failed = 0;
    (void)n_threads; /* a compiler may know no threads */
#ifdef _OPENMP
#pragma omp parallel reduction(| : failed) num_threads(n_threads)
#endif
    {
        double *work = malloc(scratch * sizeof *work);
        failed = !work;
#ifdef _OPENMP
#pragma omp for schedule(static)
#endif
        for (size_t a = 0; a < f->n_a; ++a) {
            if (!work) continue;
            if (what == SUM) sum_slab(f, a, work);
            if (what == COMPRESS) compress_slab(f, a, per_c);
            if (what == SOLVE) solve_slab(f, a, work, to);
        }
        free(work);
    }
    return !failed;
}

shoal_status grid_compress(const shoal_grid *grid, const double weights[SHOAL_N_CHANNELS],
                           int32_t n_threads, float *to, double *inverse)
{
    const int32_t *n = grid->view.shape;
    field f = {grid, weights, (size_t)n[0], (size_t)n[1], (size_t)n[2], NULL};
    const size_t slab = f.n_b * f.n_z;
    f.values = malloc((f.n_a + 2) * slab * sizeof *f.values);
    bool ok = f.values && for_slabs(&f, SUM, n_threads, 0, NULL);
    *inverse = 0;
    if (ok) {
        grid_spline_values(f.values, n[0], slab, f.values + f.n_a * slab);
        const double least = find_least(&f), c = fmax(LEAST, -WELLS * least);
        if (least > -DEEPEST && n[2] >= 6) {
            ok = for_slabs(&f, COMPRESS, n_threads, 1 / c, NULL);
            grid_spline_cyclic(f.values, n[0], slab);
            ok = ok && for_slabs(&f, SOLVE, n_threads, 0, to);
            *inverse = 1 / (4 * c);
        }
    }
    free(f.values);
    return ok ? SHOAL_OK : shoal_fail(SHOAL_E_MEMORY, "out of memory: the field of an atom type");
}
