/* SPDX-License-Identifier: BSD-3-Clause
 * What joints do to coordinates. All of it are proper rotations of whole branches, so that no centre changes its
 * configuration. */
#include <math.h>
#include <string.h>

#include "geom/vector.h"
#include "jobs/search_joints.h"

#define TINY 1e-6 /* angstrom: directions of shorter vectors mean nothing */

/* Rotates atoms about the unit vector u through p. */
static void rotate(const search_atoms *atoms, const double p[3], const double u[3], double c,
                   double s, double (*pos)[3])
{
    for (int32_t q = 0; q < atoms->n; ++q) {
        double *r = pos[atoms->of[q]], d[3], across[3];
        vector_subtract(r, p, d);
        vector_cross(u, d, across);
        const double along = (1 - c) * vector_dot(u, d);
        for (int k = 0; k < 3; ++k) r[k] = p[k] + c * d[k] + s * across[k] + along * u[k];
    }
}

void search_turn(const search_rotor *rotor, double c, double s, double (*pos)[3])
{
    double u[3];
    const double p[3] = {pos[rotor->i][0], pos[rotor->i][1], pos[rotor->i][2]};
    vector_subtract(pos[rotor->j], p, u);
    if (vector_normalise(u, TINY)) rotate(&rotor->behind, p, u, c, s, pos);
}

bool search_torsion(const search_rotor *rotor, const double (*pos)[3], double out[2])
{
    double u[3], side[2][3], across[3];
    const int32_t at[2] = {rotor->i, rotor->j};
    vector_subtract(pos[rotor->j], pos[rotor->i], u);
    if (!vector_normalise(u, TINY)) return false;
    for (int k = 0; k < 2; ++k) {
        vector_subtract(pos[rotor->ends[k]], pos[at[k]], side[k]);
        const double along = vector_dot(side[k], u);
        for (int x = 0; x < 3; ++x) side[k][x] -= along * u[x];
        if (!vector_normalise(side[k], TINY)) return false;
    }
    vector_cross(side[0], side[1], across);
    out[0] = vector_dot(side[0], side[1]);
    out[1] = vector_dot(across, u);
    return true;
}

/* Axes at an atom, from its partners: the first along the first of them; false where they are in line. */
static bool make_frame(const double at[3], const double first[3], const double second[3],
                       double out[3][3])
{
    vector_subtract(first, at, out[0]);
    vector_subtract(second, at, out[1]);
    if (!vector_normalise(out[0], TINY)) return false;
    vector_cross(out[0], out[1], out[2]);
    if (!vector_normalise(out[2], TINY)) return false;
    vector_cross(out[2], out[0], out[1]);
    return true;
}

/* Rotates atoms about a point from one frame into another. */
static void reframe(const search_atoms *atoms, const double at[3], const double from[3][3],
                    const double to[3][3], double (*pos)[3])
{
    for (int32_t q = 0; q < atoms->n; ++q) {
        double d[3], *r = pos[atoms->of[q]];
        vector_subtract(r, at, d);
        const double part[3] = {vector_dot(d, from[0]), vector_dot(d, from[1]),
                                vector_dot(d, from[2])};
        for (int k = 0; k < 3; ++k)
            r[k] = at[k] + part[0] * to[0][k] + part[1] * to[1][k] + part[2] * to[2][k];
    }
}

/* Unit vectors of a corner's flap: u along the axis through the sides, w away from the rest of the ring, n = u x w;
 * false where the ring has collapsed. */
static bool flap_axes(const search_corner *c, const double (*pos)[3], double u[3], double w[3],
                      double n[3])
{
    double centre[3] = {0, 0, 0};
    const double *b = pos[c->sides[0]];
    for (int32_t q = 0; q < c->ring.n; ++q)
        for (int k = 0; k < 3 && c->ring.of[q] != c->corner; ++k)
            centre[k] += pos[c->ring.of[q]][k] / (c->ring.n - 1);
    vector_subtract(pos[c->sides[1]], b, u);
    vector_subtract(b, centre, w);
    if (!vector_normalise(u, TINY)) return false;
    const double along = vector_dot(w, u);
    for (int k = 0; k < 3; ++k) w[k] -= along * u[k];
    if (!vector_normalise(w, TINY)) return false;
    vector_cross(u, w, n);
    return true;
}

double search_tangent(const search_corner *c, const double (*pos)[3])
{
    double u[3], w[3], n[3], d[3];
    if (!flap_axes(c, pos, u, w, n)) return 0;
    vector_subtract(pos[c->corner], pos[c->sides[0]], d);
    const double out = vector_dot(d, w), up = vector_dot(d, n);
    return fabs(out) > TINY ? up / out : 0;
}

void search_flap(const search_corner *c, double tangent, double (*pos)[3])
{
    double u[3], w[3], n[3], from[2][3][3], to[2][3][3], d[3];
    double *a = pos[c->corner];
    const double *b = pos[c->sides[0]];
    bool framed[2];
    if (!flap_axes(c, (const double(*)[3])pos, u, w, n)) return;
    for (int side = 0; side < 2; ++side)
        framed[side] = make_frame(pos[c->sides[side]], pos[c->next[side]], a, from[side]);
    vector_subtract(a, b, d);
    const double along = vector_dot(d, u), out = vector_dot(d, w), up = vector_dot(d, n),
                 height = hypot(out, up);
    if (!(height > TINY)) return;
    const double cosine = 1 / sqrt(1 + tangent * tangent), sine = tangent * cosine;
    rotate(&c->at_corner, b, u, (out * cosine + up * sine) / height,
           (out * sine - up * cosine) / height, pos);
    for (int k = 0; k < 3; ++k) a[k] = b[k] + along * u[k] + height * (cosine * w[k] + sine * n[k]);
    for (int side = 0; side < 2; ++side)
        if (framed[side] && make_frame(pos[c->sides[side]], pos[c->next[side]], a, to[side]))
            reframe(&c->at_side[side], pos[c->sides[side]], (const double(*)[3])from[side],
                    (const double(*)[3])to[side], pos);
}

/* Whether an angle is that of a ring: 70 to 160 degrees. */
static bool is_fair(const double at[3], const double a[3], const double b[3])
{
    double d[2][3];
    vector_subtract(a, at, d[0]);
    vector_subtract(b, at, d[1]);
    if (!vector_normalise(d[0], TINY) || !vector_normalise(d[1], TINY)) return false;
    const double cosine = vector_dot(d[0], d[1]);
    return cosine < 0.34 && cosine > -0.94;
}

bool search_crank(const search_ring *ring, int32_t first, int32_t n, double c, double s,
                  double (*pos)[3])
{
    const int32_t last = (first + n + 1) % ring->n, pivot[2] = {first, last};
    const int32_t in[2] = {(first + 1) % ring->n, (first + n) % ring->n},
                  out[2] = {(first + ring->n - 1) % ring->n, (last + 1) % ring->n};
    double u[3], p[3], from[2][3][3], to[2][3][3], ends[2][3];
    bool framed[2];
    memcpy(p, pos[ring->atoms[first]], sizeof p);
    vector_subtract(pos[ring->atoms[last]], p, u);
    if (!vector_normalise(u, TINY)) return false;
    for (int side = 0; side < 2; ++side) {
        memcpy(ends[side], pos[ring->atoms[in[side]]], sizeof ends[side]);
        rotate(&(search_atoms){1, (int32_t[]){0}}, p, u, c, s, &ends[side]);
        const double *at = pos[ring->atoms[pivot[side]]], *beyond = pos[ring->atoms[out[side]]];
        if (!is_fair(at, beyond, ends[side])) return false;
        framed[side] = make_frame(at, beyond, pos[ring->atoms[in[side]]], from[side]) &&
                       make_frame(at, beyond, ends[side], to[side]);
    }
    for (int side = 0; side < 2; ++side)
        if (framed[side])
            reframe(&ring->branches[pivot[side]], pos[ring->atoms[pivot[side]]],
                    (const double(*)[3])from[side], (const double(*)[3])to[side], pos);
    for (int32_t k = 1; k <= n; ++k) {
        const int32_t at = (first + k) % ring->n;
        rotate(&(search_atoms){1, &ring->atoms[at]}, p, u, c, s, pos);
        rotate(&ring->branches[at], p, u, c, s, pos);
    }
    return true;
}

void search_invert(const search_pyramid *p, double (*pos)[3])
{
    double first[3], second[3], n[3], d[3], u[3];
    const double *top = pos[p->top];
    vector_subtract(pos[p->sides[0]], top, first);
    vector_subtract(pos[p->sides[1]], top, second);
    vector_subtract(pos[p->branch], top, d);
    vector_cross(first, second, n);
    if (!vector_normalise(n, TINY) || !vector_normalise(d, TINY)) return;
    const double up = vector_dot(d, n);
    const double image[3] = {d[0] - 2 * up * n[0], d[1] - 2 * up * n[1], d[2] - 2 * up * n[2]};
    vector_cross(d, image, u);
    const double sine = sqrt(vector_dot(u, u));
    if (!vector_normalise(u, TINY)) return;
    rotate(&p->behind, top, u, vector_dot(d, image), sine, pos);
}
