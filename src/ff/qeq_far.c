/* SPDX-License-Identifier: BSD-3-Clause
 * Point charges of charge equilibration: 1/r, or the potential of a lattice. */
#include "ff/qeq.h"

#include <math.h>
#include <string.h>

#include "geom/lattice_sum.h"
#include "geom/vector.h"

#include "constants.h"

#define COULOMB (HARTREE * BOHR) /* eV angstrom */
#define NEAREST (QEQ_NEAREST * BOHR)

enum { PIECE = 16 }; /* rows */

static int32_t count_pieces(const qeq_system *s)
{
    return (s->n + PIECE - 1) / PIECE;
}

/* --- stored -------------------------------------------------------------------------------------- */

typedef struct far_fill {
    qeq_system *s;
    const lattice_sum *sum; /* NULL: not periodic */
    double self;            /* 1/angstrom */
} far_fill;

static void fill_row(const far_fill *w, int32_t i)
{
    const qeq_system *s = w->s;
    const double(*pos)[3] = (const double(*)[3])s->mol->pos, *a = pos[i];
    double *row = s->far + (size_t)i * (size_t)s->n;
    row[i] = COULOMB * w->self;
    for (int32_t j = i + 1; j < s->n; ++j) {
        const double d[3] = {pos[j][0] - a[0], pos[j][1] - a[1], pos[j][2] - a[2]};
        const double r2 = vector_dot(d, d);
        row[j] = COULOMB * (w->sum ? lattice_sum_potential(w->sum, d, NEAREST)
                                   : 1 / sqrt(fmax(r2, NEAREST * NEAREST)));
    }
}

static void fill_piece(void *what, int32_t k)
{
    const far_fill *w = what;
    for (int32_t i = k * PIECE; i < w->s->n && i < (k + 1) * PIECE; ++i)
        if (!qeq_asks_stop(w->s)) fill_row(w, i);
}

shoal_status qeq_fill_far(qeq_system *s)
{
    const size_t n = (size_t)s->n;
    far_fill w = {.s = s};
    if (s->n > QEQ_MOST_STORED && s->lattice.n_periodic == 0) {
        for (int c = 0; c < 3; ++c) {
            s->xyz[c] = arena_alloc_dirty(&s->memory, n, sizeof(double));
            if (!s->xyz[c]) return SHOAL_E_MEMORY;
            for (size_t i = 0; i < n; ++i) s->xyz[c][i] = s->mol->pos[i][c];
        }
        return SHOAL_OK;
    }
    s->far = arena_alloc_dirty(&s->memory, n * n, sizeof *s->far);
    if (!s->far) return SHOAL_E_MEMORY;
    lattice_sum *sum = NULL;
    if (s->lattice.n_periodic > 0) {
        SHOAL_TRY(lattice_sum_create(&sum, &s->lattice));
        w.sum = sum;
        w.self = lattice_sum_self(sum);
    }
    thread_pool_run(s->pool, count_pieces(s), fill_piece, &w);
    lattice_sum_destroy(sum);
    return SHOAL_OK;
}

/* Both halves at once; four sums, always in the same order. */
static void apply_row(const double *row, int32_t i, int32_t n, const double *x, double *out)
{
    const double xi = x[i];
    double sum[4] = {0, 0, 0, 0};
    int32_t j = i + 1;
    for (; j + 4 <= n; j += 4)
        for (int c = 0; c < 4; ++c) {
            sum[c] += row[j + c] * x[j + c];
            out[j + c] += row[j + c] * xi;
        }
    for (; j < n; ++j) {
        sum[0] += row[j] * x[j];
        out[j] += row[j] * xi;
    }
    out[i] += row[i] * xi + ((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

/* --- computed ------------------------------------------------------------------------------------ */

typedef struct far_apply {
    qeq_system *s;
    const double *x;
    double *out;
} far_apply;

/* The potential of atoms first .. last - 1 at atom i, four at a time. */
static double sum_range(const qeq_system *s, int32_t i, const double *x, int32_t first,
                        int32_t last)
{
    const double *px = s->xyz[0], *py = s->xyz[1], *pz = s->xyz[2];
    const double least = NEAREST * NEAREST;
    double sum[4] = {0, 0, 0, 0};
    int32_t j = first;
    for (; j + 4 <= last; j += 4)
        for (int c = 0; c < 4; ++c) {
            const double dx = px[j + c] - px[i], dy = py[j + c] - py[i], dz = pz[j + c] - pz[i];
            const double r2 = dx * dx + dy * dy + dz * dz;
            sum[c] += x[j + c] / sqrt(r2 > least ? r2 : least);
        }
    for (; j < last; ++j) {
        const double dx = px[j] - px[i], dy = py[j] - py[i], dz = pz[j] - pz[i];
        const double r2 = dx * dx + dy * dy + dz * dz;
        sum[0] += x[j] / sqrt(r2 > least ? r2 : least);
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void apply_piece(void *what, int32_t k)
{
    const far_apply *w = what;
    qeq_system *s = w->s;
    if (qeq_asks_stop(s)) return;
    for (int32_t i = k * PIECE; i < s->n && i < (k + 1) * PIECE; ++i)
        w->out[i] = COULOMB * (sum_range(s, i, w->x, 0, i) + sum_range(s, i, w->x, i + 1, s->n));
}

void qeq_apply_far(qeq_system *s, const double *x, double *out)
{
    if (!s->far) {
        far_apply w = {s, x, out};
        thread_pool_run(s->pool, count_pieces(s), apply_piece, &w);
        return;
    }
    memset(out, 0, (size_t)s->n * sizeof *out);
    for (int32_t i = 0; i < s->n; ++i)
        apply_row(s->far + (size_t)i * (size_t)s->n, i, s->n, x, out);
}
