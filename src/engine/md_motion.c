/* SPDX-License-Identifier: BSD-3-Clause
 * The motion of a system as a whole, taken out of its velocities. Between steps velocities lag half a step behind;
 * what leapfrog keeps is the sum of x_n times v_(n-1/2), so that they are used as they are; velocities of
 * directions are turned with them, which keeps p times v. */
#include <math.h>

#include "engine/md.h"
#include "geom/vector.h"

/* Moments of inertia about a line of atoms are below this part of the others. */
#define STRAIGHT 1e-8

static void remove_momentum(int32_t n, const double *masses, double (*v)[3])
{
    double p[3] = {0, 0, 0}, mass = 0;
    for (int32_t i = 0; i < n; ++i) {
        mass += masses[i];
        for (int k = 0; k < 3; ++k) p[k] += masses[i] * v[i][k];
    }
    for (int32_t i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k) v[i][k] -= p[k] / mass;
}

static void find_centre(int32_t n, const double *masses, const double (*pos)[3], double centre[3])
{
    double mass = 0;
    centre[0] = centre[1] = centre[2] = 0;
    for (int32_t i = 0; i < n; ++i) {
        mass += masses[i];
        for (int k = 0; k < 3; ++k) centre[k] += masses[i] * pos[i][k];
    }
    for (int k = 0; k < 3; ++k) centre[k] /= mass;
}

/* Angular velocity w with J w = l; returns how many components of it there are: 3, 2 of atoms in a line, 0 of one. */
static int32_t find_rotation(const double j[3][3], const double l[3], double w[3])
{
    double c[3][3]; /* cofactors, which for a symmetric J make its inverse */
    vector_cross(j[1], j[2], c[0]);
    vector_cross(j[2], j[0], c[1]);
    vector_cross(j[0], j[1], c[2]);
    const double det = vector_dot(j[0], c[0]);
    const double half = 0.5 * (j[0][0] + j[1][1] + j[2][2]);
    if (!(half > 0)) return 0;
    const bool straight = det < STRAIGHT * half * half * half;
    for (int a = 0; a < 3; ++a)
        w[a] = straight ? l[a] / half : (c[0][a] * l[0] + c[1][a] * l[1] + c[2][a] * l[2]) / det;
    return straight ? 2 : 3;
}

/* A direction p turns about its own place, as a point at p would about the origin. */
static int32_t remove_rotation(int32_t n, int32_t n_directions, const double *masses,
                               const double (*pos)[3], double (*v)[3])
{
    static const double none[3] = {0, 0, 0};
    double centre[3], j[3][3] = {{0}}, l[3] = {0, 0, 0}, w[3], move[3];
    find_centre(n, masses, pos, centre);
    for (int32_t i = 0; i < n + n_directions; ++i) {
        const double m = masses[i], *c = i < n ? centre : none,
                     r[3] = {pos[i][0] - c[0], pos[i][1] - c[1], pos[i][2] - c[2]};
        const double r2 = vector_dot(r, r);
        vector_cross(r, v[i], move);
        for (int a = 0; a < 3; ++a) {
            l[a] += m * move[a];
            for (int b = 0; b < 3; ++b) j[a][b] += m * ((a == b ? r2 : 0) - r[a] * r[b]);
        }
    }
    const int32_t n_gone = find_rotation((const double(*)[3])j, l, w);
    for (int32_t i = 0; i < n + n_directions && n_gone > 0; ++i) {
        const double *c = i < n ? centre : none,
                     r[3] = {pos[i][0] - c[0], pos[i][1] - c[1], pos[i][2] - c[2]};
        vector_cross(w, r, move);
        for (int k = 0; k < 3; ++k) v[i][k] -= move[k];
    }
    return n_gone;
}

int32_t md_remove_motion(int32_t n, int32_t n_directions, const double *masses,
                         const double (*pos)[3], bool angular, double (*velocities)[3])
{
    if (n == 0) return 0;
    remove_momentum(n, masses, velocities);
    return 3 + (angular ? remove_rotation(n, n_directions, masses, pos, velocities) : 0);
}
