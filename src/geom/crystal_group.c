/* SPDX-License-Identifier: BSD-3-Clause
 * The operations of a crystal: turns that its lattice has, each with the shifts that bring every atom to one of its
 * kind. */
#include "geom/crystal_group.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "geom/lattice.h"
#include "geom/vector.h"

enum { MOST_TURNS = 48, MOST_OPS = 6144, ROUNDS = 4 };

static const double MOST_MAPPED = 5e7; /* operations times atoms */
#define BIN 2.0                        /* angstrom, at least */

typedef int32_t turn_matrix[3][3];

/* --- the lattice --------------------------------------------------------------------------------- */

/* What a turn makes of the vectors, a[k]' = sum_j m[k][j] a[j], in Cartesian coordinates: column j of r. */
static void turn_of(const geom_lattice *l, const double v[3][3], double r[3][3])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            r[i][j] = 0;
            for (int k = 0; k < 3; ++k) r[i][j] += v[k][i] * l->dual[k][j];
        }
}

static bool in_basis(const geom_lattice *given, const double r[3][3], turn_matrix turn)
{
    for (int k = 0; k < 3; ++k) {
        double v[3];
        for (int i = 0; i < 3; ++i) v[i] = vector_dot(r[i], given->a[k]);
        for (int j = 0; j < 3; ++j) {
            const double x = vector_dot(v, given->dual[j]);
            if (fabs(x - round(x)) > 0.05 || fabs(x) > 1e6) return false;
            turn[j][k] = (int32_t)round(x); /* fractions turn by the transpose */
        }
    }
    return true;
}

/* All triples of short vectors with the lengths and angles of the basis. */
static int32_t find_turns(const geom_lattice *given, const geom_lattice *reduced, double tolerance,
                          turn_matrix turns[MOST_TURNS])
{
    double v[3][125][3], chosen[3][3], r[3][3];
    int n[3] = {0, 0, 0};
    int32_t n_turns = 0;
    for (int c = 0; c < 125; ++c) {
        const int32_t shift[3] = {c / 25 - 2, c / 5 % 5 - 2, c % 5 - 2};
        double w[3];
        lattice_vector(reduced, shift, w);
        for (int k = 0; k < 3; ++k)
            if (fabs(vector_norm(w) - vector_norm(reduced->a[k])) < tolerance)
                memcpy(v[k][n[k]++], w, sizeof w);
    }
    for (int c = 0; c < n[0] * n[1] * n[2] && n_turns < MOST_TURNS; ++c) {
        memcpy(chosen[0], v[0][c / (n[1] * n[2])], sizeof chosen[0]);
        memcpy(chosen[1], v[1][c / n[2] % n[1]], sizeof chosen[1]);
        memcpy(chosen[2], v[2][c % n[2]], sizeof chosen[2]);
        bool same = true;
        for (int k = 0; k < 3; ++k) {
            const double *a = reduced->a[k], *b = reduced->a[(k + 1) % 3];
            same = same && fabs(vector_dot(chosen[k], chosen[(k + 1) % 3]) - vector_dot(a, b)) <
                               tolerance * (vector_norm(a) + vector_norm(b));
        }
        if (!same) continue;
        turn_of(reduced, (const double(*)[3])chosen, r);
        n_turns += in_basis(given, (const double(*)[3])r, turns[n_turns]);
    }
    return n_turns;
}

/* --- atoms --------------------------------------------------------------------------------------- */

typedef struct search {
    const geom_lattice *lattice;
    const int32_t *kinds;
    double (*frac)[3];
    int32_t n, m[3];
    int32_t *head, *next;
    double tolerance;
} search;

static double wrapped(double x)
{
    return x - round(x);
}

static int32_t bin_along(const search *s, double x, int k)
{
    const int32_t b = (int32_t)((x - floor(x)) * s->m[k]);
    return b < s->m[k] ? b : s->m[k] - 1;
}

static int32_t *bin_at(const search *s, const int32_t at[3])
{
    return &s->head[(at[0] * s->m[1] + at[1]) * s->m[2] + at[2]];
}

static shoal_status fill_bins(search *s, const double (*pos)[3])
{
    for (int k = 0; k < 3; ++k) {
        const double height = 1 / vector_norm(s->lattice->dual[k]);
        s->m[k] = height < BIN ? 1 : height > 60 * BIN ? 60 : (int32_t)(height / BIN);
    }
    const size_t n_bins = (size_t)s->m[0] * (size_t)s->m[1] * (size_t)s->m[2];
    s->head = shoal_alloc(n_bins, sizeof *s->head);
    s->next = shoal_alloc((size_t)s->n, sizeof *s->next);
    s->frac = shoal_alloc((size_t)s->n, sizeof *s->frac);
    if (!s->head || !s->next || !s->frac) return SHOAL_E_MEMORY;
    for (size_t b = 0; b < n_bins; ++b) s->head[b] = -1;
    for (int32_t i = 0; i < s->n; ++i) {
        int32_t at[3];
        for (int k = 0; k < 3; ++k) {
            s->frac[i][k] = lattice_fraction(s->lattice, pos[i], k);
            at[k] = bin_along(s, s->frac[i][k], k);
        }
        s->next[i] = *bin_at(s, at);
        *bin_at(s, at) = i;
    }
    return SHOAL_OK;
}

static double distance(const geom_lattice *l, const double a[3], const double b[3])
{
    double r[3] = {0, 0, 0};
    for (int k = 0; k < 3; ++k)
        for (int c = 0; c < 3; ++c) r[c] += wrapped(b[k] - a[k]) * l->a[k][c];
    return vector_norm(r);
}

/* The atom of a kind at a place, -1: there is none. */
static int32_t atom_at(const search *s, const double f[3], int32_t kind)
{
    int32_t home[3];
    for (int k = 0; k < 3; ++k) home[k] = bin_along(s, f[k], k);
    for (int c = 0; c < 27; ++c) {
        const int d[3] = {c / 9 - 1, c / 3 % 3 - 1, c % 3 - 1};
        int32_t at[3];
        for (int k = 0; k < 3; ++k) at[k] = (home[k] + d[k] + s->m[k]) % s->m[k];
        for (int32_t i = *bin_at(s, at); i >= 0; i = s->next[i])
            if (s->kinds[i] == kind && distance(s->lattice, s->frac[i], f) < s->tolerance) return i;
    }
    return -1;
}

static void apply(const crystal_op *op, const double f[3], double to[3])
{
    for (int k = 0; k < 3; ++k)
        to[k] =
            op->turn[k][0] * f[0] + op->turn[k][1] * f[1] + op->turn[k][2] * f[2] + op->shift[k];
}

static bool find_map(const search *s, const crystal_op *op, int32_t *to)
{
    for (int32_t i = 0; i < s->n; ++i) {
        double f[3];
        apply(op, s->frac[i], f);
        to[i] = atom_at(s, f, s->kinds[i]);
        if (to[i] < 0) return false;
    }
    return true;
}

/* An atom of the rarest kind. */
static int32_t find_rarest(const search *s)
{
    int32_t best = 0, fewest = INT32_MAX;
    for (int32_t i = 0; i < s->n; ++i) {
        int32_t n = 0;
        for (int32_t j = 0; j < s->n && n < fewest; ++j) n += s->kinds[j] == s->kinds[i];
        if (n < fewest) best = i;
        if (n < fewest) fewest = n;
    }
    return best;
}

/* --- the group ----------------------------------------------------------------------------------- */

static shoal_status add_op(const search *s, const crystal_op *op, crystal_group *g)
{
    if (g->n == g->capacity) {
        const int32_t more = g->capacity > 0 ? 2 * g->capacity : 64;
        if (more > MOST_OPS || (double)more * s->n > MOST_MAPPED)
            return shoal_fail(SHOAL_E_UNSUPPORTED, "more than %d operations of symmetry", g->n);
        crystal_op *ops = realloc(g->ops, (size_t)more * sizeof *ops);
        if (ops) g->ops = ops;
        int32_t *to = ops ? realloc(g->to, (size_t)more * (size_t)s->n * sizeof *to) : NULL;
        if (!to) return shoal_fail(SHOAL_E_MEMORY, "out of memory");
        g->to = to;
        g->capacity = more;
    }
    g->ops[g->n] = *op;
    g->n += find_map(s, op, g->to + (size_t)g->n * (size_t)s->n);
    return SHOAL_OK;
}

static shoal_status find_ops(const search *s, const turn_matrix *turns, int32_t n_turns,
                             crystal_group *g)
{
    const int32_t first = find_rarest(s);
    for (int32_t t = 0; t < n_turns; ++t)
        for (int32_t j = 0; j < s->n; ++j) {
            crystal_op op = {.shift = {0, 0, 0}};
            double f[3];
            if (s->kinds[j] != s->kinds[first]) continue;
            memcpy(op.turn, turns[t], sizeof op.turn);
            apply(&op, s->frac[first], f);
            for (int k = 0; k < 3; ++k) op.shift[k] = s->frac[j][k] - f[k];
            SHOAL_TRY(add_op(s, &op, g));
        }
    return SHOAL_OK;
}

/* The mean of the differences of an operation becomes part of its shift. */
static void refine(const crystal_group *g, const double (*frac)[3])
{
    for (int32_t o = 0; o < g->n; ++o) {
        double sum[3] = {0, 0, 0}, f[3];
        for (int32_t i = 0; i < g->n_atoms; ++i) {
            const int32_t j = g->to[(size_t)o * (size_t)g->n_atoms + (size_t)i];
            apply(&g->ops[o], frac[i], f);
            for (int k = 0; k < 3; ++k) sum[k] += wrapped(frac[j][k] - f[k]);
        }
        for (int k = 0; k < 3; ++k) g->ops[o].shift[k] += sum[k] / g->n_atoms;
    }
}

static shoal_status place(const crystal_group *g, const geom_lattice *l, double (*frac)[3],
                          double *moved)
{
    double(*sum)[3] = shoal_alloc((size_t)g->n_atoms, sizeof *sum);
    if (!sum) return SHOAL_E_MEMORY;
    for (int32_t o = 0; o < g->n; ++o)
        for (int32_t i = 0; i < g->n_atoms; ++i) {
            const int32_t j = g->to[(size_t)o * (size_t)g->n_atoms + (size_t)i];
            double f[3];
            apply(&g->ops[o], frac[i], f);
            for (int k = 0; k < 3; ++k) sum[j][k] += wrapped(f[k] - frac[j][k]);
        }
    *moved = 0;
    for (int32_t i = 0; i < g->n_atoms; ++i) {
        double r[3] = {0, 0, 0};
        for (int k = 0; k < 3; ++k) {
            frac[i][k] += sum[i][k] / g->n;
            for (int c = 0; c < 3; ++c) r[c] += sum[i][k] / g->n * l->a[k][c];
        }
        *moved = fmax(*moved, vector_norm(r));
    }
    free(sum);
    return SHOAL_OK;
}

/* Places and shifts that fit each other; the atoms themselves stay. */
static shoal_status settle(const crystal_group *g, const search *s)
{
    double moved;
    for (int round = 0; round < ROUNDS; ++round) {
        refine(g, (const double(*)[3])s->frac);
        SHOAL_TRY(place(g, s->lattice, s->frac, &moved));
    }
    return SHOAL_OK;
}

shoal_status crystal_group_find(crystal_group *out, const double cell[3][3], int32_t n_atoms,
                                const int32_t *kinds, const double (*pos)[3], double tolerance)
{
    static const bool pbc[3] = {true, true, true};
    turn_matrix turns[MOST_TURNS];
    geom_lattice given, reduced;
    *out = (crystal_group){.n_atoms = n_atoms};
    if (n_atoms < 1 || !lattice_init(&given, cell, pbc) ||
        !lattice_init_reduced(&reduced, cell, pbc))
        return shoal_fail(SHOAL_E_ARGUMENT, "a crystal needs atoms and a cell");
    search s = {.lattice = &given, .kinds = kinds, .n = n_atoms, .tolerance = tolerance};
    shoal_status status = fill_bins(&s, pos);
    const int32_t n = find_turns(&given, &reduced, 0.1 * tolerance, turns);
    if (status == SHOAL_OK) status = find_ops(&s, (const turn_matrix *)turns, n, out);
    if (status == SHOAL_OK) status = settle(out, &s);
    free(s.frac);
    free(s.head);
    free(s.next);
    if (status != SHOAL_OK) crystal_group_free(out);
    return status;
}

void crystal_group_free(crystal_group *g)
{
    free(g->ops);
    free(g->to);
    *g = (crystal_group){0};
}

/* --- means --------------------------------------------------------------------------------------- */

/* A turn in Cartesian coordinates. */
static void cartesian(const crystal_op *op, const geom_lattice *l, double r[3][3])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            r[i][j] = 0;
            for (int k = 0; k < 3; ++k)
                for (int m = 0; m < 3; ++m) r[i][j] += l->a[m][i] * op->turn[m][k] * l->dual[k][j];
        }
}

double crystal_group_place(const crystal_group *g, const double cell[3][3], double (*pos)[3])
{
    static const bool pbc[3] = {true, true, true};
    geom_lattice l;
    double moved = INFINITY;
    double(*frac)[3] = shoal_alloc((size_t)g->n_atoms, sizeof *frac);
    if (!frac || !lattice_init(&l, cell, pbc)) {
        free(frac);
        return moved;
    }
    for (int32_t i = 0; i < g->n_atoms; ++i)
        for (int k = 0; k < 3; ++k) frac[i][k] = lattice_fraction(&l, pos[i], k);
    if (place(g, &l, frac, &moved) == SHOAL_OK)
        for (int32_t i = 0; i < g->n_atoms; ++i)
            for (int c = 0; c < 3; ++c)
                pos[i][c] =
                    frac[i][0] * l.a[0][c] + frac[i][1] * l.a[1][c] + frac[i][2] * l.a[2][c];
    free(frac);
    return moved;
}

double crystal_group_spread(const crystal_group *g, const double cell[3][3], const double (*v)[3],
                            int32_t *at)
{
    static const bool pbc[3] = {true, true, true};
    geom_lattice l;
    double most = 0, r[3][3];
    double(*sum)[3] = shoal_alloc((size_t)g->n_atoms, sizeof *sum);
    *at = 0;
    if (!sum || !lattice_init(&l, cell, pbc)) most = INFINITY;
    for (int32_t o = 0; o < g->n && most == 0; ++o) {
        cartesian(&g->ops[o], &l, r);
        for (int32_t i = 0; i < g->n_atoms; ++i)
            for (int c = 0; c < 3; ++c)
                sum[g->to[(size_t)o * (size_t)g->n_atoms + (size_t)i]][c] += vector_dot(r[c], v[i]);
    }
    for (int32_t i = 0; i < g->n_atoms && isfinite(most); ++i) {
        double d[3];
        for (int c = 0; c < 3; ++c) d[c] = v[i][c] - sum[i][c] / g->n;
        if (!(vector_norm(d) > most)) continue;
        most = vector_norm(d);
        *at = i;
    }
    free(sum);
    return most;
}

void crystal_group_mean(const crystal_group *g, const double cell[3][3], const double from[3][3],
                        double to[3][3])
{
    static const bool pbc[3] = {true, true, true};
    geom_lattice l;
    double r[3][3];
    memset(to, 0, 9 * sizeof to[0][0]);
    if (!lattice_init(&l, cell, pbc)) return;
    for (int32_t o = 0; o < g->n; ++o) {
        cartesian(&g->ops[o], &l, r);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                for (int k = 0; k < 3; ++k)
                    for (int m = 0; m < 3; ++m) to[i][j] += r[i][k] * from[k][m] * r[j][m] / g->n;
    }
}
