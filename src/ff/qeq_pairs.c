/* SPDX-License-Identifier: BSD-3-Clause
 * Near pairs of charge equilibration: what clouds take away from the repulsion of point charges. */
#include "ff/qeq.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "geom/lattice_sum.h"
#include "geom/vector.h"

#include "constants.h"

/* By how much zeta of hydrogen may fall before pairs are listed anew. */
#define SWELLING 0.15

/* Rows of a piece of work. */
enum { PIECE = 32 };

static int32_t count_pieces(const qeq_system *s)
{
    return (s->n + PIECE - 1) / PIECE;
}

/* --- the list ------------------------------------------------------------------------------------ */

typedef struct pair_search {
    qeq_system *s;
    double reach[2 * SLATER_MOST_N + 1]; /* by the sum of quantum numbers, in units of 1/zeta */
    double most;                         /* of all, angstrom */
    bool counts;                         /* start[i + 1] becomes the number of pairs of i */
    int32_t i, j;
    qeq_pair *out;
    int64_t n;
} pair_search;

static double reach_of(const pair_search *w)
{
    const qeq_system *s = w->s;
    return BOHR * w->reach[s->clouds[w->i].n + s->clouds[w->j].n] /
           fmin(s->listed[w->i], s->listed[w->j]);
}

static void note_pair(pair_search *w, double r)
{
    if (!w->counts) w->out[w->n] = (qeq_pair){.j = w->j, .r = fmax(r / BOHR, QEQ_NEAREST)};
    ++w->n;
}

/* An atom and its own image are found twice. */
static void note_image(void *user, const int32_t shift[3], const double image[3])
{
    pair_search *w = user;
    const bool upper = shift[0] > 0 || (shift[0] == 0 && shift[1] > 0) ||
                       (shift[0] == 0 && shift[1] == 0 && shift[2] > 0);
    if (w->i != w->j || upper) note_pair(w, vector_norm(image));
}

static void search_row(pair_search *w)
{
    const qeq_system *s = w->s;
    const double(*pos)[3] = (const double(*)[3])s->mol->pos;
    const double *a = pos[w->i], most2 = w->most * w->most;
    const bool periodic = s->lattice.n_periodic > 0;
    w->n = 0;
    for (w->j = periodic ? w->i : w->i + 1; w->j < s->n; ++w->j) {
        const double *b = pos[w->j], d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        if (periodic) {
            lattice_visit(&s->lattice, d, reach_of(w), note_image, w);
            continue;
        }
        const double r2 = vector_dot(d, d);
        if (r2 >= most2) continue;
        const double reach = reach_of(w);
        if (r2 < reach * reach) note_pair(w, sqrt(r2));
    }
}

static void search_piece(void *what, int32_t k)
{
    pair_search w = *(const pair_search *)what;
    qeq_system *s = w.s;
    if (qeq_asks_stop(s)) return;
    for (w.i = k * PIECE; w.i < s->n && w.i < (k + 1) * PIECE; ++w.i) {
        w.out = w.counts ? NULL : s->pairs + s->start[w.i];
        search_row(&w);
        if (w.counts) s->start[w.i + 1] = w.n;
    }
}

static void begin_search(pair_search *w, qeq_system *s)
{
    double least = INFINITY;
    int32_t largest = 1;
    *w = (pair_search){.s = s, .counts = true};
    for (int32_t i = 0; i < s->n; ++i) {
        s->listed[i] = s->clouds[i].zeta - (qeq_is_hydrogen(s, i) ? SWELLING : 0);
        s->listed[i] = fmax(s->listed[i], QEQ_ZETA_H - QEQ_MOST_H); /* no cloud swells further */
        /* Not by fmin: gcc 12 for aarch64 fails on such a loop. */
        if (s->listed[i] < least) least = s->listed[i];
        if (s->clouds[i].n > largest) largest = s->clouds[i].n;
    }
    for (int32_t n = 2; n <= 2 * largest; ++n) w->reach[n] = slater_reach(n);
    w->most = BOHR * w->reach[2 * largest] / least;
}

shoal_status qeq_list_pairs(qeq_system *s)
{
    pair_search w;
    begin_search(&w, s);
    thread_pool_run(s->pool, count_pieces(s), search_piece, &w);
    for (int32_t i = 0; i < s->n; ++i) s->start[i + 1] += s->start[i];
    if (qeq_asks_stop(s)) return SHOAL_OK;
    if (s->start[s->n] > s->capacity) {
        s->capacity = s->start[s->n];
        s->pairs = arena_alloc_dirty(&s->memory, (size_t)s->capacity, sizeof *s->pairs);
        if (!s->pairs) return SHOAL_E_MEMORY;
    }
    w.counts = false;
    thread_pool_run(s->pool, count_pieces(s), search_piece, &w);
    return SHOAL_OK;
}

bool qeq_is_outgrown(const qeq_system *s)
{
    for (int32_t i = 0; i < s->n; ++i)
        if (s->clouds[i].zeta < s->listed[i]) return true;
    return false;
}

/* --- their values -------------------------------------------------------------------------------- */

static void fill_pair(const qeq_system *s, int32_t i, qeq_pair *p)
{
    const slater_cloud a = s->clouds[i], b = s->clouds[p->j];
    double by_i = 0, by_j = 0;
    double *const to_i = qeq_is_hydrogen(s, i) ? &by_i : NULL;
    double *const to_j = qeq_is_hydrogen(s, p->j) ? &by_j : NULL;
    if (a.n > b.n) /* i is no hydrogen */
        p->value =
            slater_excess(s->shapes[b.n][a.n], (const double[2]){b.zeta, a.zeta}, p->r, to_j, NULL);
    else
        p->value =
            slater_excess(s->shapes[a.n][b.n], (const double[2]){a.zeta, b.zeta}, p->r, to_i, to_j);
    p->value *= HARTREE;
    p->by_i = HARTREE * by_i;
    p->by_j = HARTREE * by_j;
}

typedef struct pair_fill {
    qeq_system *s;
    bool all;
} pair_fill;

static void fill_piece(void *what, int32_t k)
{
    const pair_fill *w = what;
    qeq_system *s = w->s;
    if (qeq_asks_stop(s)) return;
    for (int32_t i = k * PIECE; i < s->n && i < (k + 1) * PIECE; ++i) {
        const bool all = w->all || qeq_is_hydrogen(s, i);
        for (int64_t e = s->start[i]; e < s->start[i + 1]; ++e)
            if (all || qeq_is_hydrogen(s, s->pairs[e].j)) fill_pair(s, i, &s->pairs[e]);
    }
}

/* F and the diagonal, from atoms by themselves and from near pairs. */
static void add_near(qeq_system *s)
{
    const double *q = s->q;
    for (int32_t i = 0; i < s->n; ++i) {
        const double swelling = qeq_is_hydrogen(s, i) ? q[i] / QEQ_ZETA_H : 0;
        s->force[i] += s->chi[i] + s->hard[i] * (1 + swelling) * q[i];
        s->diag[i] = s->hard[i] * (1 + 2 * swelling);
    }
    for (int32_t i = 0; i < s->n; ++i)
        for (int64_t e = s->start[i]; e < s->start[i + 1]; ++e) {
            const qeq_pair *p = &s->pairs[e];
            s->force[i] += p->value * q[p->j];
            s->force[p->j] += p->value * q[i];
            s->diag[i] += p->by_i * q[p->j];
            s->diag[p->j] += p->by_j * q[i];
        }
}

void qeq_evaluate(qeq_system *s, bool all)
{
    pair_fill w = {s, all};
    thread_pool_run(s->pool, count_pieces(s), fill_piece, &w);
    qeq_apply_far(s, s->q, s->force);
    if (!qeq_asks_stop(s)) add_near(s);
}

void qeq_apply(qeq_system *s, const double *x, double *out)
{
    double *w = s->weighed;
    qeq_apply_far(s, x, out);
    for (int32_t i = 0; i < s->n; ++i) {
        out[i] += s->diag[i] * x[i];
        w[i] = s->q[i] * x[i];
    }
    for (int32_t i = 0; i < s->n; ++i) {
        double sum = 0;
        for (int64_t e = s->start[i]; e < s->start[i + 1]; ++e) {
            const qeq_pair *p = &s->pairs[e];
            sum += p->value * x[p->j] + p->by_j * w[p->j];
            out[p->j] += p->value * x[i] + p->by_i * w[i];
        }
        out[i] += sum;
    }
}
