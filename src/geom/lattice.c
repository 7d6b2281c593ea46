/* SPDX-License-Identifier: BSD-3-Clause
 * Lattices and their reduction. */
#include "geom/lattice.h"

#include <math.h>

#include "geom/vector.h"

/* Volume of a cell over the product of its edges below which its vectors count as dependent. */
#define DEPENDENT 1e-9

/* Makes vector i shorter by a multiple of j. Returns false if there is nothing to gain. given is the
 * basis in units of the one that was given. */
static bool shorten(double a[3][3], int32_t given[3][3], int i, int j)
{
    const double times = nearbyint(vector_dot(a[i], a[j]) / vector_dot(a[j], a[j]));
    double shorter[3];
    for (int c = 0; c < 3; ++c) shorter[c] = a[i][c] - times * a[j][c];
    if (!(vector_dot(shorter, shorter) < (1 - 1e-12) * vector_dot(a[i], a[i])) || fabs(times) > 1e6)
        return false;
    for (int c = 0; c < 3; ++c) {
        a[i][c] = shorter[c];
        given[i][c] -= (int32_t)times * given[j][c];
    }
    return true;
}

/* Pairs of vectors are made as short as they get; every turn shortens one by a finite amount, and the
 * limit is for rounding. */
static void reduce(geom_lattice *lattice, int32_t given[3][3])
{
    bool changed = true;
    for (int turn = 0; turn < 1000 && changed; ++turn) {
        changed = false;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                if (i != j && lattice->pbc[i] && lattice->pbc[j])
                    changed |= shorten(lattice->a, given, i, j);
    }
}

static void make_unit(double a[3])
{
    const double length = vector_norm(a);
    for (int c = 0; c < 3; ++c) a[c] /= length;
}

/* Unit vectors for the directions that do not repeat. */
static void complete(geom_lattice *lattice)
{
    for (int k = 0; k < 3 && lattice->n_periodic == 0; ++k) lattice->a[k][k] = 1;
    for (int k = 0; k < 3; ++k) {
        double *u = lattice->a[(k + 1) % 3], *v = lattice->a[(k + 2) % 3], *w = lattice->a[k];
        if (lattice->n_periodic == 2 && !lattice->pbc[k]) {
            vector_cross(u, v, w);
            make_unit(w);
        }
        if (lattice->n_periodic != 1 || !lattice->pbc[k]) continue;
        const int least = vector_least_axis(w);
        const double axis[3] = {least == 0, least == 1, least == 2};
        vector_cross(w, axis, u);
        make_unit(u);
        vector_cross(w, u, v);
        make_unit(v);
    }
}

/* The inverse of a matrix of whole numbers whose determinant is 1. */
static void invert(const int32_t m[3][3], int32_t out[3][3])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            out[j][i] = m[i1][j1] * m[i2][j2] - m[i1][j2] * m[i2][j1];
        }
}

static bool fill(geom_lattice *out, const double cell[3][3], const bool pbc[3], bool reduced)
{
    int32_t given[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    bool finite = true;
    *out = (geom_lattice){0};
    for (int k = 0; k < 3; ++k) {
        out->pbc[k] = pbc[k];
        out->n_periodic += pbc[k];
        for (int c = 0; c < 3 && pbc[k]; ++c) {
            out->a[k][c] = cell[k][c];
            finite = finite && isfinite(cell[k][c]);
        }
    }
    if (!finite) return false;
    if (reduced) reduce(out, given);
    complete(out);
    invert((const int32_t(*)[3])given, out->back);
    double normal[3], size = 1;
    vector_cross(out->a[1], out->a[2], normal);
    const double det = vector_dot(out->a[0], normal);
    for (int k = 0; k < 3; ++k) {
        vector_cross(out->a[(k + 1) % 3], out->a[(k + 2) % 3], out->dual[k]);
        for (int c = 0; c < 3; ++c) out->dual[k][c] /= det;
        size *= vector_norm(out->a[k]);
    }
    out->measure = fabs(det);
    return out->measure > DEPENDENT * size;
}

bool lattice_init(geom_lattice *out, const double cell[3][3], const bool pbc[3])
{
    return fill(out, cell, pbc, false);
}

bool lattice_init_reduced(geom_lattice *out, const double cell[3][3], const bool pbc[3])
{
    return fill(out, cell, pbc, true);
}

void lattice_convert(const geom_lattice *lattice, const int32_t given[3], int32_t shift[3])
{
    for (int k = 0; k < 3; ++k)
        shift[k] = given[0] * lattice->back[0][k] + given[1] * lattice->back[1][k] +
                   given[2] * lattice->back[2][k];
}

void lattice_vector(const geom_lattice *lattice, const int32_t shift[3], double out[3])
{
    for (int c = 0; c < 3; ++c)
        out[c] =
            shift[0] * lattice->a[0][c] + shift[1] * lattice->a[1][c] + shift[2] * lattice->a[2][c];
}

double lattice_fraction(const geom_lattice *lattice, const double r[3], int k)
{
    return vector_dot(r, lattice->dual[k]);
}

double lattice_count_images(const geom_lattice *lattice, double cutoff)
{
    double count = 1;
    for (int k = 0; k < 3; ++k)
        if (lattice->pbc[k]) count *= 2 * ceil(cutoff * vector_norm(lattice->dual[k])) + 1;
    return count;
}

/* In a reduced basis the shortest image is at most one cell away from the wrapped one. */
double lattice_shortest2(const geom_lattice *reduced, const double d[3])
{
    double home[3] = {d[0], d[1], d[2]}, least = INFINITY;
    int32_t reach[3];
    for (int k = 0; k < 3; ++k) {
        reach[k] = reduced->pbc[k];
        const double times = reduced->pbc[k] ? nearbyint(lattice_fraction(reduced, d, k)) : 0;
        for (int c = 0; c < 3; ++c) home[c] -= times * reduced->a[k][c];
    }
    for (int32_t na = -reach[0]; na <= reach[0]; ++na)
        for (int32_t nb = -reach[1]; nb <= reach[1]; ++nb)
            for (int32_t nc = -reach[2]; nc <= reach[2]; ++nc) {
                double r[3];
                lattice_vector(reduced, (const int32_t[3]){na, nb, nc}, r);
                for (int c = 0; c < 3; ++c) r[c] += home[c];
                const double r2 = vector_dot(r, r);
                /* Not by fmin: gcc 12 for aarch64 fails on such a loop. */
                if (r2 < least) least = r2;
            }
    return least;
}
