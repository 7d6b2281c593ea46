/* SPDX-License-Identifier: BSD-3-Clause
 * Where lone pairs and sigma holes are. h are unit vectors from an atom to its neighbours. */
#define SHOAL_REAL double
#include "ff/site_frames.h"

#include <math.h>
#include <string.h>

#include "site_terms.h"

/* Sines below this count as straight or flat. */
static const double flat = 0.1;

static v3 unit(const site_bond *b)
{
    const v3 d = v3_make(b->away[0], b->away[1], b->away[2]);
    return v3_scale(1.0 / sqrt(v3_dot(d, d)), d);
}

static double length(v3 a)
{
    return sqrt(v3_dot(a, a));
}

/* Vector k of the frame: from an atom to one of its neighbours. */
static void set_arm(shoal_site *s, int k, int32_t from, const site_bond *bond)
{
    s->from[k] = from;
    s->to[k] = bond->atom;
    memcpy(s->shift[k], bond->shift, sizeof s->shift[k]);
}

static void put(double to[3], double a, double b, double c)
{
    to[0] = a;
    to[1] = b;
    to[2] = c;
}

/* A frame whose vectors are the bonds of the atom; unused ones repeat the first. */
static shoal_site frame_of(const site_bonds *b, int32_t atom)
{
    const site_bond *own = b->bonds + b->start[atom];
    const int32_t n = b->start[atom + 1] - b->start[atom];
    shoal_site s = {.host = atom};
    for (int k = 0; k < 3; ++k) set_arm(&s, k, atom, &own[k < n ? k : 0]);
    return s;
}

/* Three bonds: behind the plane of their ends. A planar centre prefers neither side: no site. */
static int32_t behind_three(const site_bonds *b, int32_t atom, double distance, shoal_site out[])
{
    const site_bond *own = b->bonds + b->start[atom];
    const v3 h0 = unit(&own[0]), h1 = unit(&own[1]), h2 = unit(&own[2]);
    const v3 normal = v3_cross(v3_sub(h1, h0), v3_sub(h2, h0));
    const double size = length(normal), side = v3_dot(normal, v3_add(h0, v3_add(h1, h2)));
    if (!(size > 1e-6) || fabs(side) < 3.0 * flat * size) return 0;
    out[0] = frame_of(b, atom);
    put(out[0].x, -1, 1, 0);
    put(out[0].y, -1, 0, 1);
    out[0].local[2] = side > 0 ? -distance : distance;
    return 1;
}

/* Two bonds: on their outer bisector, or two above and below their plane at the tetrahedron's angle. */
static int32_t behind_two(const site_bonds *b, int32_t atom, bool both, double distance,
                          shoal_site out[])
{
    const site_bond *own = b->bonds + b->start[atom];
    const v3 h0 = unit(&own[0]), h1 = unit(&own[1]);
    if (!(length(v3_add(h0, h1)) > flat) || !(length(v3_cross(h0, h1)) > flat)) return 0;
    for (int k = 0; k < 2; ++k) {
        out[k] = frame_of(b, atom);
        put(out[k].x, -1, -1, 0);
        put(out[k].y, 1, -1, 0);
        out[k].local[0] = both ? distance * sqrt(1.0 / 3.0) : distance;
        if (both) out[k].local[2] = distance * (k == 0 ? 1.0 : -1.0) * sqrt(2.0 / 3.0);
    }
    return both ? 2 : 1;
}

/* The first bond along a chain of neighbours, away from the atom, that is not in line with h; of two other bonds of the
 * neighbour their difference, which lies in the plane of a flat one. */
static bool find_side(const site_bonds *b, int32_t atom, shoal_site *s)
{
    const v3 h = unit(&b->bonds[b->start[atom]]);
    int32_t last = atom, at = b->bonds[b->start[atom]].atom;
    for (int32_t step = 0; step < b->n_atoms; ++step) {
        const site_bond *others[2];
        int32_t n = 0;
        for (int32_t k = b->start[at]; k < b->start[at + 1]; ++k) {
            if (b->bonds[k].atom == last) continue;
            if (n < 2) others[n] = &b->bonds[k];
            ++n;
        }
        if (n == 0) return false;
        v3 u = unit(others[0]);
        if (n == 2) u = v3_sub(u, unit(others[1]));
        if (length(v3_sub(u, v3_scale(v3_dot(u, h), h))) > flat) {
            set_arm(s, 1, at, others[0]);
            if (n == 2) set_arm(s, 2, at, others[1]);
            put(s->y, 0, 1, n == 2 ? -1 : 0);
            return true;
        }
        last = at;
        at = others[0]->atom;
    }
    return false;
}

/* One bond. Along a straight molecule only the direction away from it is defined. */
static int32_t behind_one(const site_bonds *b, int32_t atom, int32_t n_pairs, double distance,
                          shoal_site out[])
{
    shoal_site s = frame_of(b, atom);
    put(s.x, 1, 0, 0);
    if (n_pairs == 1 || !find_side(b, atom, &s)) {
        out[0] = s;
        memset(out[0].y, 0, sizeof s.y);
        out[0].local[0] = -distance;
        return 1;
    }
    /* Two in the plane; three at the tetrahedron's angle, staggered against the neighbour's bond. */
    static const double two[2][3] = {{-0.5, 1, 0}, {-0.5, -1, 0}};
    static const double three[3][3] = {{-1.0 / 3, -1, 0}, {-1.0 / 3, 0.5, 1}, {-1.0 / 3, 0.5, -1}};
    const double across = sqrt(n_pairs == 2 ? 0.75 : 8.0 / 9.0);
    for (int k = 0; k < n_pairs; ++k) {
        const double *at = n_pairs == 2 ? two[k] : three[k];
        out[k] = s;
        put(out[k].local, distance * at[0], distance * across * at[1],
            distance * across * at[2] * sqrt(0.75));
    }
    return n_pairs;
}

int32_t site_frames_find(const site_bonds *b, int32_t atom, const shoal_site_rule *rule,
                         shoal_site out[SITE_FRAMES_MOST])
{
    const int32_t n_bonds = b->start[atom + 1] - b->start[atom];
    const int32_t left = 4 - n_bonds, n = rule->n < left ? rule->n : left;
    if (rule->kind == SHOAL_SITE_BEYOND)
        return n_bonds == 1 ? behind_one(b, atom, 1, rule->distance, out) : 0;
    if (n <= 0) return 0;
    switch (n_bonds) {
    case 1: return behind_one(b, atom, n, rule->distance, out);
    case 2: return behind_two(b, atom, n > 1, rule->distance, out);
    case 3: return behind_three(b, atom, rule->distance, out);
    default: return 0;
    }
}

void site_frames_place(const shoal_site *site, const double arms[3][3], double offset[3])
{
    v3 d[3];
    const int plain = site->local[1] == 0 && site->local[2] == 0;
    for (int k = 0; k < 3; ++k) d[k] = v3_make(arms[k][0], arms[k][1], arms[k][2]);
    const site_frame f = site_frame_of(site->x, site->y, d, plain);
    const v3 at = site_offset(&f, site->local);
    offset[0] = at.x;
    offset[1] = at.y;
    offset[2] = at.z;
}

void site_frames_place_all(const shoal_topology_view *view, const geom_lattice *cell,
                           double (*pos)[3])
{
    for (int32_t s = 0; s < view->n_sites; ++s) {
        const shoal_site *site = &view->sites[s];
        double arms[3][3], offset[3];
        for (int k = 0; k < 3; ++k) {
            lattice_vector(cell, site->shift[k], arms[k]);
            for (int c = 0; c < 3; ++c) arms[k][c] += pos[site->to[k]][c] - pos[site->from[k]][c];
        }
        site_frames_place(site, (const double(*)[3])arms, offset);
        for (int c = 0; c < 3; ++c) pos[view->n_atoms + s][c] = pos[site->host][c] + offset[c];
    }
}
