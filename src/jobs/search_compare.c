/* SPDX-License-Identifier: BSD-3-Clause
 * Root mean square distances under symmetry: superposition by quaternions (Kearsley, Acta Cryst. A 45 (1989) 208),
 * assignment of like end atoms by trying all. */
#include "jobs/search_compare.h"

#include <math.h>
#include <string.h>

#include "geom/eigen.h"
#include "geom/vector.h"

typedef struct comparison {
    const search_symmetry *s;
    const double (*a)[3]; /* in the frame of b, where the motion is known */
    const double (*b)[3];
    int32_t *map; /* [n_atoms]: the automorphism, with like end atoms assigned */
} comparison;

void search_geometry_measure(const double (*pos)[3], int32_t n_atoms, double *mean)
{
    memset(mean, 0, (size_t)n_atoms * sizeof *mean);
    for (int32_t i = 0; i < n_atoms; ++i)
        for (int32_t j = 0; j < i; ++j) {
            const double d = vector_distance(pos[i], pos[j]) / n_atoms;
            mean[i] += d;
            mean[j] += d;
        }
}

/* --- superposition -------------------------------------------------------------------------------- */

/* Adds what a pair of vectors, a rotated onto b, costs: |b - R a|^2 as a form of the quaternion of R. */
static void add_pair(double m[4][4], const double a[3], const double b[3])
{
    const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const double s[3] = {b[0] + a[0], b[1] + a[1], b[2] + a[2]};
    /* Rows of the matrix A with A q = b q - q a. */
    const double rows[4][4] = {{0, -d[0], -d[1], -d[2]},
                               {d[0], 0, -s[2], s[1]},
                               {d[1], s[2], 0, -s[0]},
                               {d[2], -s[1], s[0], 0}};
    for (int i = 0; i < 4; ++i)
        for (int j = i; j < 4; ++j)
            for (int k = 0; k < 4; ++k) m[i][j] += rows[k][i] * rows[k][j];
}

typedef struct superposition {
    double from[3], to[3]; /* centres */
    double turn[3][3];
    double square; /* sum of squared distances */
} superposition;

static void set_turn(superposition *s, const double q[4])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double turn[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                               {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                               {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    memcpy(s->turn, turn, sizeof turn);
}

/* Atoms of a onto their images in b: the core alone, or all. */
static void superpose(const comparison *c, bool all, superposition *out)
{
    const int32_t n = all ? c->s->n_atoms : c->s->n_core;
    double m[4][4] = {{0}}, squares[4], work[4];
    memset(out, 0, sizeof *out);
    for (int32_t k = 0; k < n; ++k) {
        const int32_t i = all ? k : c->s->core[k];
        for (int x = 0; x < 3; ++x) {
            out->from[x] += c->a[i][x] / n;
            out->to[x] += c->b[c->map[i]][x] / n;
        }
    }
    for (int32_t k = 0; k < n; ++k) {
        const int32_t i = all ? k : c->s->core[k];
        double a[3], b[3];
        for (int x = 0; x < 3; ++x) {
            a[x] = c->a[i][x] - out->from[x];
            b[x] = c->b[c->map[i]][x] - out->to[x];
        }
        add_pair(m, a, b);
    }
    for (int i = 1; i < 4; ++i)
        for (int j = 0; j < i; ++j) m[i][j] = m[j][i];
    if (eigen_symmetric(4, m[0], squares, work)) {
        out->square = fmax(squares[0], 0);
        set_turn(out, m[0]);
    } else {
        out->square = INFINITY; /* of places that are not finite */
    }
}

static void place(const superposition *s, const double r[3], double out[3])
{
    for (int k = 0; k < 3; ++k) {
        out[k] = s->to[k];
        for (int x = 0; x < 3; ++x) out[k] += s->turn[k][x] * (r[x] - s->from[x]);
    }
}

/* --- like end atoms ------------------------------------------------------------------------------- */

static double square_between(const double a[3], const double b[3])
{
    double d[3];
    vector_subtract(a, b, d);
    return vector_dot(d, d);
}

typedef struct assignment {
    int32_t n;
    double cost[SYMMETRY_MOST_LIKE][SYMMETRY_MOST_LIKE];
    int32_t best[SYMMETRY_MOST_LIKE], now[SYMMETRY_MOST_LIKE];
    double least;
} assignment;

/* All ways to give the atoms from k on a partner that none before has. */
static void assign_from(assignment *a, int32_t k, uint32_t taken, double sum)
{
    if (sum >= a->least) return;
    if (k == a->n) {
        a->least = sum;
        memcpy(a->best, a->now, sizeof a->best);
        return;
    }
    for (int32_t j = 0; j < a->n; ++j) {
        if (taken >> j & 1u) continue;
        a->now[k] = j;
        assign_from(a, k + 1, taken | 1u << j, sum + a->cost[k][j]);
    }
}

/* Assigns the atoms of all groups, those of a where `how` puts them; NULL: where they are. Sum of their squares. */
static double assign_groups(const comparison *c, const superposition *how)
{
    double sum = 0;
    for (int32_t g = 0; g < c->s->n_groups; ++g) {
        const symmetry_group *from = &c->s->groups[g];
        const symmetry_group *to = &c->s->groups[c->s->group_at[c->map[c->s->parent[g]]]];
        assignment a = {.n = from->n, .least = INFINITY};
        for (int32_t i = 0; i < from->n; ++i) {
            double at[3];
            memcpy(at, c->a[from->atoms[i]], sizeof at);
            if (how) place(how, c->a[from->atoms[i]], at);
            for (int32_t j = 0; j < from->n; ++j)
                a.cost[i][j] = square_between(at, c->b[to->atoms[j]]);
        }
        assign_from(&a, 0, 0, 0);
        for (int32_t i = 0; i < from->n && a.least < INFINITY; ++i)
            c->map[from->atoms[i]] = to->atoms[a.best[i]];
        sum += a.least;
    }
    return sum;
}

/* --- free and on a substrate ---------------------------------------------------------------------- */

static double compare_free(const comparison *c)
{
    superposition how;
    superpose(c, false, &how);
    if (c->s->n_groups > 0) {
        (void)assign_groups(c, &how);
        superpose(c, true, &how);
    }
    return sqrt(how.square / c->s->n_atoms);
}

/* Puts a into the frame of b by a motion of the substrate and the lattice vector that brings it nearest. */
static void move_near(const comparison *c, const search_substrate *substrate,
                      const substrate_motion *m, const double (*from)[3], double (*to)[3])
{
    double mean[2] = {0, 0}, f[2];
    for (int32_t i = 0; i < c->s->n_atoms; ++i) {
        substrate_move(m, from[i], to[i]);
        to[i][2] = from[i][2];
    }
    for (int32_t k = 0; k < c->s->n_core; ++k)
        for (int x = 0; x < 2; ++x)
            mean[x] += (c->b[c->map[c->s->core[k]]][x] - to[c->s->core[k]][x]) / c->s->n_core;
    substrate_fractions(substrate, mean, f);
    for (int k = 0; k < 2; ++k) f[k] = round(f[k]);
    for (int32_t i = 0; i < c->s->n_atoms; ++i)
        for (int x = 0; x < 2; ++x)
            to[i][x] += f[0] * substrate->cell[0][x] + f[1] * substrate->cell[1][x];
}

/* By one motion of the substrate. */
static double compare_moved(comparison *c, const search_substrate *substrate,
                            const substrate_motion *m, const double (*from)[3], double (*room)[3])
{
    double sum = 0;
    c->a = (const double(*)[3])room;
    move_near(c, substrate, m, from, room);
    for (int32_t k = 0; k < c->s->n_core; ++k) {
        const int32_t i = c->s->core[k];
        sum += square_between(room[i], c->b[c->map[i]]);
    }
    sum += assign_groups(c, NULL);
    return sqrt(sum / c->s->n_atoms);
}

static double compare_placed(comparison *c, const search_substrate *substrate,
                             const double (*from)[3], double limit, double (*room)[3])
{
    double best = INFINITY;
    for (int32_t m = 0; m < substrate->n_motions && !(best <= limit); ++m)
        best = fmin(best, compare_moved(c, substrate, &substrate->motions[m], from, room));
    return best;
}

/* A lower bound of the distance under a map. Moving atoms by d changes mean distances by no more than |d_i| and the
 * mean of all |d| together, so twice the distance in the root mean square; heights by no more than the atoms move. */
static double bound(const search_symmetry *s, const int32_t *map, search_geometry a,
                    search_geometry b, bool heights)
{
    double means = 0, z = 0;
    for (int32_t k = 0; k < s->n_core; ++k) {
        const int32_t i = s->core[k], j = map[i];
        means += (a.mean[i] - b.mean[j]) * (a.mean[i] - b.mean[j]);
        if (heights) z += (a.pos[i][2] - b.pos[j][2]) * (a.pos[i][2] - b.pos[j][2]);
    }
    return sqrt(fmax(means / 4, z) / s->n_atoms);
}

double search_rmsd(const search_symmetry *symmetry, const search_substrate *substrate,
                   search_geometry a, search_geometry b, double limit, double *work)
{
    const size_t n = (size_t)symmetry->n_atoms;
    double(*room)[3] = (double(*)[3])work, best = INFINITY;
    comparison c = {.s = symmetry, .a = a.pos, .b = b.pos, .map = (int32_t *)(work + 3 * n)};
    for (int32_t m = 0; m < symmetry->n_maps && !(best <= limit); ++m) {
        const int32_t *map = symmetry->maps + (size_t)m * n;
        if (bound(symmetry, map, a, b, substrate != NULL) > limit) continue;
        memcpy(c.map, map, n * sizeof *map);
        best = fmin(best, substrate ? compare_placed(&c, substrate, a.pos, limit, room)
                                    : compare_free(&c));
    }
    return best;
}

int32_t search_symmetry_number(const search_symmetry *symmetry, const search_substrate *substrate,
                               search_geometry g, double limit, double *work)
{
    const size_t n = (size_t)symmetry->n_atoms;
    double(*room)[3] = (double(*)[3])work;
    comparison c = {.s = symmetry, .b = g.pos, .map = (int32_t *)(work + 3 * n)};
    int32_t found = 0;
    for (int32_t m = 0; m < symmetry->n_maps; ++m) {
        const int32_t *map = symmetry->maps + (size_t)m * n;
        if (bound(symmetry, map, g, g, substrate != NULL) > limit) continue;
        for (int32_t k = 0; k < (substrate ? substrate->n_motions : 1); ++k) {
            c.a = g.pos;
            memcpy(c.map, map, n * sizeof *map);
            const double off =
                substrate ? compare_moved(&c, substrate, &substrate->motions[k], g.pos, room)
                          : compare_free(&c);
            found += off <= limit;
        }
    }
    return found > 0 ? found : 1; /* the identity, unless places are not finite */
}
