/* SPDX-License-Identifier: BSD-3-Clause
 * A rotation is known from where it takes two points that are not on one line with the origin, so those of the smallest
 * shells are sent to all of their likes in turn. */
#include "geom/rotations.h"

#include <math.h>
#include <stdbool.h>

#include "geom/vector.h"

typedef struct cloud {
    int32_t n;
    const double (*pos)[3];
    const double *labels;
    double tolerance;
} cloud;

/* Points that j might be sent to by a rotation, seen from itself. */
static bool is_like(const cloud *c, int32_t i, int32_t j)
{
    const double a = sqrt(vector_dot(c->pos[i], c->pos[i])),
                 b = sqrt(vector_dot(c->pos[j], c->pos[j]));
    return c->labels[i] == c->labels[j] && fabs(a - b) <= c->tolerance;
}

static int32_t shell_size(const cloud *c, int32_t i)
{
    int32_t n = 0;
    for (int32_t j = 0; j < c->n; ++j) n += is_like(c, i, j);
    return n;
}

/* How far point i is from the line through the origin and point a; from the origin itself with a < 0. */
static double off_line(const cloud *c, int32_t i, int32_t a)
{
    double n[3];
    if (a < 0) return sqrt(vector_dot(c->pos[i], c->pos[i]));
    vector_cross(c->pos[a], c->pos[i], n);
    return sqrt(vector_dot(n, n) / vector_dot(c->pos[a], c->pos[a]));
}

/* The point of the smallest shell among those that are well away from that line; -1: there is none. The tolerance of a
 * point near the line would leave the rotation open. */
static int32_t choose(const cloud *c, int32_t a)
{
    int32_t best = -1, best_size = 0;
    double far = 0;
    for (int32_t i = 0; i < c->n; ++i) far = fmax(far, off_line(c, i, a));
    if (far <= c->tolerance) return -1;
    for (int32_t i = 0; i < c->n; ++i) {
        if (off_line(c, i, a) < 0.3 * far) continue;
        const int32_t size = shell_size(c, i);
        if (best < 0 || size < best_size) {
            best = i;
            best_size = size;
        }
    }
    return best;
}

/* Axes of a right-handed frame: along a, then towards b. */
static void frame(const double a[3], const double b[3], double axes[3][3])
{
    vector_cross(a, b, axes[2]);
    for (int k = 0; k < 3; ++k) axes[0][k] = a[k];
    vector_cross(axes[2], axes[0], axes[1]);
    for (int k = 0; k < 3; ++k) {
        const double length = sqrt(vector_dot(axes[k], axes[k]));
        for (int l = 0; l < 3; ++l) axes[k][l] /= length;
    }
}

/* Whether the rotation from one frame to the other is a symmetry. */
static bool maps(const cloud *c, const double from[3][3], const double to[3][3])
{
    for (int32_t i = 0; i < c->n; ++i) {
        double moved[3] = {0, 0, 0};
        bool found = false;
        for (int k = 0; k < 3; ++k) {
            const double x = vector_dot(from[k], c->pos[i]);
            for (int l = 0; l < 3; ++l) moved[l] += x * to[k][l];
        }
        for (int32_t j = 0; j < c->n && !found; ++j)
            found =
                c->labels[i] == c->labels[j] && vector_distance(moved, c->pos[j]) <= c->tolerance;
        if (!found) return false;
    }
    return true;
}

/* Whether the line looks the same from its other end. */
static bool is_reversible(const cloud *c)
{
    for (int32_t i = 0; i < c->n; ++i) {
        const double other[3] = {-c->pos[i][0], -c->pos[i][1], -c->pos[i][2]};
        bool found = false;
        for (int32_t j = 0; j < c->n && !found; ++j)
            found =
                c->labels[i] == c->labels[j] && vector_distance(other, c->pos[j]) <= c->tolerance;
        if (!found) return false;
    }
    return true;
}

int32_t rotations_count(int32_t n, const double (*pos)[3], const double *labels, double tolerance)
{
    const cloud c = {n, pos, labels, tolerance};
    double from[3][3], to[3][3];
    int32_t count = 0;
    const int32_t a = choose(&c, -1);
    if (a < 0) return 1;
    const int32_t b = choose(&c, a);
    if (b < 0) return is_reversible(&c) ? 2 : 1;
    frame(pos[a], pos[b], from);
    const double apart = vector_distance(pos[a], pos[b]);
    for (int32_t i = 0; i < n; ++i) {
        if (!is_like(&c, a, i)) continue;
        for (int32_t j = 0; j < n; ++j) {
            if (j == i || !is_like(&c, b, j)) continue;
            if (fabs(vector_distance(pos[i], pos[j]) - apart) > 2 * tolerance) continue;
            frame(pos[i], pos[j], to);
            count += maps(&c, (const double(*)[3])from, (const double(*)[3])to);
        }
    }
    return count > 0 ? count : 1;
}
