/* SPDX-License-Identifier: BSD-3-Clause
 * Reduced lattices. */
#include "backend/cpu/cpu_lattice.h"

#include <math.h>

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int c = 0; c < 3; ++c) {
        const int d = (c + 1) % 3, e = (c + 2) % 3;
        out[c] = a[d] * b[e] - a[e] * b[d];
    }
}

double cpu_length(const double a[3])
{
    return sqrt(dot(a, a));
}

/* Makes vector i shorter by a multiple of j. Returns false if there is nothing to gain. given is the
 * basis in units of the one that was given. */
static bool shorten(double a[3][3], int32_t given[3][3], int i, int j)
{
    const double times = nearbyint(dot(a[i], a[j]) / dot(a[j], a[j]));
    double shorter[3];
    for (int c = 0; c < 3; ++c) shorter[c] = a[i][c] - times * a[j][c];
    if (!(dot(shorter, shorter) < (1 - 1e-12) * dot(a[i], a[i])) || fabs(times) > 1e6) return false;
    for (int c = 0; c < 3; ++c) {
        a[i][c] = shorter[c];
        given[i][c] -= (int32_t)times * given[j][c];
    }
    return true;
}

/* Pairs of vectors are made as short as they get; every turn shortens one by a finite amount, and the
 * limit is for rounding. */
static void reduce(cpu_lattice *lattice, int32_t given[3][3])
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
    const double length = cpu_length(a);
    for (int c = 0; c < 3; ++c) a[c] /= length;
}

/* Unit vectors for the directions that do not repeat. */
static void complete(cpu_lattice *lattice)
{
    for (int k = 0; k < 3 && lattice->n_periodic == 0; ++k) lattice->a[k][k] = 1;
    for (int k = 0; k < 3; ++k) {
        double *u = lattice->a[(k + 1) % 3], *v = lattice->a[(k + 2) % 3], *w = lattice->a[k];
        if (lattice->n_periodic == 2 && !lattice->pbc[k]) {
            cross(u, v, w);
            make_unit(w);
        }
        if (lattice->n_periodic != 1 || !lattice->pbc[k]) continue;
        int least = 0; /* the axis that makes the largest angle with w */
        for (int c = 1; c < 3; ++c)
            if (fabs(w[c]) < fabs(w[least])) least = c;
        const double axis[3] = {least == 0, least == 1, least == 2};
        cross(w, axis, u);
        make_unit(u);
        cross(w, u, v);
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

void cpu_lattice_init(cpu_lattice *lattice, const double cell[3][3], const bool pbc[3])
{
    int32_t given[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    *lattice = (cpu_lattice){0};
    for (int k = 0; k < 3; ++k) {
        lattice->pbc[k] = pbc[k];
        lattice->n_periodic += pbc[k];
        for (int c = 0; c < 3 && pbc[k]; ++c) lattice->a[k][c] = cell[k][c];
    }
    reduce(lattice, given);
    complete(lattice);
    invert((const int32_t(*)[3])given, lattice->back);
    double normal[3];
    cross(lattice->a[1], lattice->a[2], normal);
    const double det = dot(lattice->a[0], normal);
    for (int k = 0; k < 3; ++k) {
        cross(lattice->a[(k + 1) % 3], lattice->a[(k + 2) % 3], lattice->dual[k]);
        for (int c = 0; c < 3; ++c) lattice->dual[k][c] /= det;
    }
    lattice->measure = fabs(det);
}

void cpu_lattice_convert(const cpu_lattice *lattice, const int32_t given[3], int32_t shift[3])
{
    for (int k = 0; k < 3; ++k)
        shift[k] = given[0] * lattice->back[0][k] + given[1] * lattice->back[1][k] +
                   given[2] * lattice->back[2][k];
}

void cpu_lattice_vector(const cpu_lattice *lattice, const int32_t shift[3], double out[3])
{
    for (int c = 0; c < 3; ++c)
        out[c] =
            shift[0] * lattice->a[0][c] + shift[1] * lattice->a[1][c] + shift[2] * lattice->a[2][c];
}

double cpu_lattice_fraction(const cpu_lattice *lattice, const double r[3], int k)
{
    return dot(r, lattice->dual[k]);
}
