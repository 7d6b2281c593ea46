/* SPDX-License-Identifier: BSD-3-Clause
 * Frequencies and normal coordinates from second derivatives. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/modes.h"
#include "geom/eigen.h"

/* Frequencies in cm^-1 of a curvature of 1 eV/angstrom^2/amu: sqrt(e / 1e-20 / amu) / (2 pi c 100), CODATA 2018. */
#define WAVENUMBER 521.4708983725064
/* Imaginary frequencies that are closer to zero never count, cm^-1. */
#define SMALLEST 1.0

static double to_wavenumber(double curvature)
{
    return curvature < 0 ? -WAVENUMBER * sqrt(-curvature) : WAVENUMBER * sqrt(curvature);
}

/* Divided by the roots of masses; the halves of the difference from its transpose are what rounding and the step have
 * done: their root mean square is returned. */
static double weigh(const modes_system *s, const double *hessian, double *out)
{
    const size_t n = 3 * (size_t)s->n_free;
    double sum = 0;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j <= i; ++j) {
            const double mi = s->masses[s->free_atoms[i / 3]];
            const double mj = s->masses[s->free_atoms[j / 3]];
            const double a = hessian[i * n + j], b = hessian[j * n + i], root = sqrt(mi * mj);
            out[i * n + j] = out[j * n + i] = (a + b) / (2 * root);
            sum += (a - b) * (a - b) / (2 * root * root);
        }
    return sqrt(sum) / (double)n;
}

/* Takes a motion out of the matrix: P a P, P = 1 - t t'. w[n] is scratch. */
static void project(double *a, size_t n, const double *t, double *w)
{
    double s = 0;
    for (size_t i = 0; i < n; ++i) {
        w[i] = 0;
        for (size_t j = 0; j < n; ++j) w[i] += a[i * n + j] * t[j];
        s += t[i] * w[i];
    }
    for (size_t i = 0; i < n; ++i) w[i] -= 0.5 * s * t[i];
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) a[i * n + j] -= t[i] * w[j] + w[i] * t[j];
}

/* Motions of the whole get a curvature beyond all others, so that they come last. */
static void take_out(double *a, size_t n, const modes_rigid *rigid, double *w)
{
    double most = 0;
    for (int32_t k = 0; k < rigid->n; ++k) project(a, n, rigid->vectors + (size_t)k * n, w);
    for (size_t i = 0; i < n; ++i) {
        double row = 0;
        for (size_t j = 0; j < n; ++j) row += fabs(a[i * n + j]);
        most = fmax(most, row);
    }
    for (int32_t k = 0; k < rigid->n; ++k) {
        const double *t = rigid->vectors + (size_t)k * n;
        for (size_t i = 0; i < n; ++i)
            for (size_t j = 0; j < n; ++j) a[i * n + j] += (2 * most + 1) * t[i] * t[j];
    }
}

/* The change of a curvature with that of its matrix: v' a v. */
static double along(const double *a, const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; ++i) {
        double row = 0;
        for (size_t j = 0; j < n; ++j) row += a[i * n + j] * v[j];
        sum += v[i] * row;
    }
    return sum;
}

/* Displacements of all atoms from a row of the weighted matrix, of length 1 and with the first of the large ones
 * positive; returns the reduced mass, amu. */
static double unweigh(const modes_system *s, const double *v, double (*out)[3])
{
    double length2 = 0, most = 0, sign = 0;
    for (int32_t i = 0; i < 3 * s->n_free; ++i) {
        const double d = v[i] / sqrt(s->masses[s->free_atoms[i / 3]]);
        length2 += d * d;
        most = fmax(most, fabs(d));
    }
    for (int32_t i = 0; i < 3 * s->n_free && out; ++i) {
        const double d = v[i] / sqrt(s->masses[s->free_atoms[i / 3]]);
        if (sign == 0 && fabs(d) > 0.5 * most) sign = d < 0 ? -1 : 1;
        out[s->free_atoms[i / 3]][i % 3] = d;
    }
    for (int32_t i = 0; i < s->n_atoms && out; ++i)
        for (int k = 0; k < 3; ++k) out[i][k] *= sign / sqrt(length2);
    return 1 / length2;
}

/* What one block of memory holds beside the result. */
typedef struct modes_block {
    shoal_modes_result result;
    double numbers[];
} modes_block;

static modes_block *make_block(const modes_system *s, int32_t n_modes, bool vectors)
{
    const size_t per_mode = 2 + (vectors ? 3 * (size_t)s->n_atoms : 0);
    modes_block *b =
        shoal_alloc(1, sizeof *b + (size_t)n_modes * per_mode * sizeof b->numbers[0] + 1);
    if (!b) return NULL;
    b->result = (shoal_modes_result){.n_atoms = s->n_atoms,
                                     .n_modes = n_modes,
                                     .n_removed = 3 * s->n_free - n_modes,
                                     .frequencies = b->numbers,
                                     .reduced_masses = b->numbers + n_modes,
                                     .energy = s->energy,
                                     .fmax = s->fmax,
                                     .step = s->step};
    if (vectors) b->result.vectors = (const double(*)[3])(void *)(b->numbers + 2 * (size_t)n_modes);
    return b;
}

/* Matrices of one system on their way. */
typedef struct workspace {
    double *matrix, *error; /* [n][n] weighted; what the two differences disagree by */
    double *values, *work;  /* [n] */
    double noise;           /* of an element */
} workspace;

static void free_workspace(workspace *w)
{
    free(w->matrix);
    free(w->error);
    free(w->values);
    free(w->work);
}

static bool make_workspace(workspace *w, size_t n)
{
    *w = (workspace){.matrix = shoal_alloc_dirty(n * n, sizeof(double)),
                     .error = shoal_alloc_dirty(n * n, sizeof(double)),
                     .values = shoal_alloc_dirty(n + 1, sizeof(double)),
                     .work = shoal_alloc_dirty(n + 1, sizeof(double))};
    return w->matrix && w->error && w->values && w->work;
}

/* An imaginary frequency counts if neither its error nor what the residual forces may do explains it: least[n_modes]. */
static void fill(const modes_system *s, const workspace *w, double *least, modes_block *b)
{
    const size_t n = 3 * (size_t)s->n_free;
    shoal_modes_result *r = &b->result;
    for (int32_t k = 0; k < r->n_modes; ++k) {
        const double *v = w->matrix + (size_t)k * n;
        double(*vector)[3] = r->vectors
                                 ? (double(*)[3])(void *)(b->numbers + 2 * (size_t)r->n_modes) +
                                       (ptrdiff_t)k * s->n_atoms
                                 : NULL;
        const double change = fabs(along(w->error, v, n)) + w->noise;
        const double frequency = to_wavenumber(w->values[k]);
        const double error = fmax(fabs(to_wavenumber(w->values[k] + change) - frequency),
                                  fabs(to_wavenumber(w->values[k] - change) - frequency));
        b->numbers[k] = frequency;
        b->numbers[r->n_modes + k] = unweigh(s, v, vector);
        r->error = fmax(r->error, error);
        least[k] = fmax(fmax(SMALLEST, error), to_wavenumber(s->fmax / b->numbers[r->n_modes + k]));
        r->order += frequency < -least[k];
    }
}

static void judge(const shoal_modes_options *o, shoal_modes_result *r)
{
    const double limit = o->fmax > 0 ? o->fmax : 1e-3;
    r->verdict = r->order > 0 ? SHOAL_VERDICT_SADDLE : SHOAL_VERDICT_MINIMUM;
    if (!(r->fmax <= limit)) r->verdict = SHOAL_VERDICT_NOT_STATIONARY;
}

static shoal_status diagonalise(const modes_system *s, const modes_rigid *rigid, workspace *w)
{
    const size_t n = 3 * (size_t)s->n_free;
    if (!make_workspace(w, n)) return SHOAL_E_MEMORY;
    w->noise = weigh(s, s->hessian, w->matrix);
    (void)weigh(s, s->coarse, w->error);
    for (size_t i = 0; i < n * n; ++i) w->error[i] -= w->matrix[i];
    take_out(w->matrix, n, rigid, w->work);
    if (!eigen_symmetric((int32_t)n, w->matrix, w->values, w->work))
        return shoal_fail(SHOAL_E_UNSUPPORTED, "modes: second derivatives that are not finite");
    return SHOAL_OK;
}

shoal_status modes_normal(const modes_system *s, const shoal_modes_options *options,
                          shoal_modes_result **out)
{
    modes_rigid rigid;
    workspace w = {0};
    modes_block *b = NULL;
    double *least = NULL;
    shoal_status status = modes_rigid_find(s, &rigid);
    const int32_t n_modes = 3 * s->n_free - rigid.n;
    if (status == SHOAL_OK) status = diagonalise(s, &rigid, &w);
    if (status == SHOAL_OK) {
        b = make_block(s, n_modes, options->vectors);
        least = shoal_alloc((size_t)n_modes + 1, sizeof *least);
        status = b && least ? SHOAL_OK : SHOAL_E_MEMORY;
    }
    if (status == SHOAL_OK) {
        fill(s, &w, least, b);
        b->result.linear = rigid.linear;
        judge(options, &b->result);
        thermo_find(s, &rigid, least, options, &b->result);
        *out = &b->result;
        b = NULL;
    }
    free(least);
    free(b);
    free_workspace(&w);
    free(rigid.vectors);
    return status;
}
