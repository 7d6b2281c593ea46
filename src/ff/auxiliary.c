/* SPDX-License-Identifier: BSD-3-Clause
 * Where electron pairs and directions begin. All is found from vectors between atoms, so that it turns with them;
 * where the bonds of an atom leave a choice, atoms two bonds away make it. */
#include "ff/auxiliary.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "ff/term_table.h"
#include "geom/vector.h"

enum { MOST_BONDS = 4 };
#define FLAT 1e-6    /* sine of the angle between vectors that are one line */
#define STRAIGHT 0.1 /* sine: of two bonds so nearly in line a partner tells more */
#define LEVEL 0.1    /* cosine: a direction with less stands at right angles to its bonds */
#define ASIDE 0.05   /* sine of the angle to a line from which on an atom is beside it */

/* A neighbour of an atom. */
typedef struct place_end {
    int32_t atom;
    int32_t shift[3];
    double length; /* natural, angstrom */
} place_end;

/* ends[start[i] .. start[i] + used[i]) are the neighbours of atom i; parts[part_start[k] .. part_start[k+1]) the terms
 * of direction k with others. */
typedef struct scene {
    const shoal_topology_view *v;
    const double (*cell)[3];
    double (*pos)[3];
    int32_t n_points;      /* atoms and electron pairs */
    int32_t *start, *used; /* [n_points] */
    place_end *ends;
    double *c0;          /* [n_directions] */
    int32_t *part_start; /* [n_directions + 1] */
    int32_t *parts;      /* numbers of pi_pi terms of each direction */
    bool *set;           /* [n_directions] */
    int32_t *direction;  /* [n_atoms] that stands there, or -1 */
} scene;

/* Bonds of an atom to other atoms, as they lie in space. */
typedef struct spot {
    int32_t n;               /* bonds to atoms */
    double h[MOST_BONDS][3]; /* unit vectors along them */
    int32_t atom[MOST_BONDS], shift[MOST_BONDS][3];
} spot;

static void displacement(const scene *s, int32_t from, int32_t to, const int32_t shift[3],
                         double out[3])
{
    for (int c = 0; c < 3; ++c) {
        out[c] = s->pos[to][c] - s->pos[from][c];
        for (int k = 0; k < 3 && s->cell; ++k)
            if (shift[k] != 0) out[c] += shift[k] * s->cell[k][c];
    }
}

/* Bonds to electron pairs, and those of no length, are left out. */
static spot look_around(const scene *s, int32_t i)
{
    spot p = {0};
    for (int32_t e = s->start[i]; e < s->start[i] + s->used[i] && p.n < MOST_BONDS; ++e) {
        const place_end *end = &s->ends[e];
        if (end->atom >= s->v->n_atoms) continue;
        displacement(s, i, end->atom, end->shift, p.h[p.n]);
        if (!vector_normalise(p.h[p.n], 0)) continue;
        p.atom[p.n] = end->atom;
        memcpy(p.shift[p.n], end->shift, sizeof end->shift);
        ++p.n;
    }
    return p;
}

/* A unit vector beside a line through an atom, towards the first atom that is not on it: one that is two bonds
 * away, else any. */
static void beside(const scene *s, int32_t i, const spot *at, const double along[3], double out[3])
{
    static const int32_t home[3] = {0};
    for (int32_t k = 0; k < at->n; ++k)
        for (int32_t e = s->start[at->atom[k]]; e < s->start[at->atom[k]] + s->used[at->atom[k]];
             ++e) {
            int32_t shift[3];
            if (s->ends[e].atom >= s->v->n_atoms) continue;
            for (int c = 0; c < 3; ++c) shift[c] = at->shift[k][c] + s->ends[e].shift[c];
            displacement(s, i, s->ends[e].atom, shift, out);
            if (vector_normalise(out, 0) && vector_aside(out, along, ASIDE)) return;
        }
    for (int32_t j = 0; j < s->v->n_atoms; ++j) {
        displacement(s, i, j, home, out);
        if (vector_normalise(out, 0) && vector_aside(out, along, ASIDE)) return;
    }
    vector_any_aside(along, out);
}

/* Which side of a plane through an atom has the atoms two bonds away: +1 or -1. Mirror images choose alike. */
static double crowded_side(const scene *s, int32_t i, const spot *at, const double normal[3])
{
    double sum = 0;
    for (int32_t k = 0; k < at->n; ++k)
        for (int32_t e = s->start[at->atom[k]]; e < s->start[at->atom[k]] + s->used[at->atom[k]];
             ++e) {
            int32_t shift[3];
            double d[3];
            if (s->ends[e].atom >= s->v->n_atoms) continue;
            for (int c = 0; c < 3; ++c) shift[c] = at->shift[k][c] + s->ends[e].shift[c];
            displacement(s, i, s->ends[e].atom, shift, d);
            sum += vector_dot(d, normal);
        }
    return sum < 0 ? -1 : 1;
}

/* Normal of the plane of three unit vectors, away from where they point; false if they are in line. */
static bool pyramid_axis(const scene *s, int32_t i, const spot *at, double out[3])
{
    double a[3], b[3], sum[3];
    vector_combine(1, at->h[1], -1, at->h[0], a);
    vector_combine(1, at->h[2], -1, at->h[0], b);
    vector_cross(a, b, out);
    if (!vector_normalise(out, FLAT)) return false;
    vector_combine(1, at->h[0], 1, at->h[1], sum);
    vector_combine(1, sum, 1, at->h[2], sum);
    double tip = vector_dot(out, sum);
    if (fabs(tip) < FLAT) tip = crowded_side(s, i, at, out);
    if (tip > 0) vector_combine(-1, out, 0, out, out);
    return true;
}

/* Of two bonds: the normal of their plane, and the direction away from them; false if they are in line. */
static bool bend_axes(const scene *s, int32_t i, const spot *at, double normal[3], double away[3])
{
    double across[3];
    vector_cross(at->h[0], at->h[1], normal);
    if (!vector_normalise(normal, FLAT)) return false;
    if (crowded_side(s, i, at, normal) < 0) vector_combine(-1, normal, 0, normal, normal);
    vector_combine(-1, at->h[0], -1, at->h[1], away);
    if (vector_normalise(away, FLAT)) return true;
    vector_combine(1, at->h[1], -1, at->h[0], across);
    vector_cross(normal, across, away);
    return vector_normalise(away, FLAT);
}

/* A direction that its own bonds tell. */
static bool place_by_bonds(const scene *s, int32_t k, double out[3])
{
    const int32_t i = s->v->direction_atoms[k];
    const spot at = look_around(s, i);
    double away[3];
    if (at.n == 4) memcpy(out, at.h[3], sizeof at.h[3]);
    if (at.n == 3) {
        if (!pyramid_axis(s, i, &at, out)) return false;
        if (s->c0[k] > LEVEL) vector_combine(-1, out, 0, out, out);
    }
    if (at.n == 2) {
        vector_cross(at.h[0], at.h[1], away);
        if (fabs(s->c0[k]) > LEVEL || !vector_normalise(away, STRAIGHT)) return false;
        return bend_axes(s, i, &at, out, away);
    }
    return at.n >= 2;
}

/* Of a lone pair that leans towards neither side, the one that is more along its partner. */
static void lean(const scene *s, int32_t i, const spot *at, const double *partner, double out[3])
{
    double normal[3], away[3], other[3];
    if (!bend_axes(s, i, at, normal, away)) {
        beside(s, i, at, at->h[0], out);
        return;
    }
    vector_combine(sqrt(1.0 / 3), away, sqrt(2.0 / 3), normal, out);
    vector_combine(sqrt(1.0 / 3), away, -sqrt(2.0 / 3), normal, other);
    if (partner && fabs(vector_dot(other, partner)) > fabs(vector_dot(out, partner)))
        memcpy(out, other, sizeof other);
}

/* The others: partner is the direction of a neighbour, or NULL. */
static void place_by_partner(const scene *s, int32_t k, const double *partner, double out[3])
{
    const int32_t i = s->v->direction_atoms[k];
    const spot at = look_around(s, i);
    const double c0 = s->c0[k];
    double along[3];
    if (at.n == 0) {
        for (int c = 0; c < 3; ++c) out[c] = partner ? partner[c] : c == 2;
        return;
    }
    if (at.n == 2 && fabs(c0) > LEVEL) {
        lean(s, i, &at, partner, out);
        return;
    }
    vector_combine(1, at.h[0], at.n == 2 ? -1 : 0, at.h[1], along);
    if (!vector_normalise(along, FLAT)) memcpy(along, at.h[0], sizeof along);
    if (partner) memcpy(out, partner, 3 * sizeof *out);
    if (!partner || !vector_aside(out, along, ASIDE)) beside(s, i, &at, along, out);
    if (at.n == 1) vector_combine(sqrt(1 - c0 * c0), out, c0, at.h[0], out);
}

static void store(const scene *s, int32_t k, const double p[3])
{
    double *to = s->pos[s->n_points + k];
    memcpy(to, p, 3 * sizeof *to);
    if (!vector_normalise(to, 0.5))
        for (int c = 0; c < 3; ++c) to[c] = c == 2;
    s->set[k] = true;
}

/* The strongest partner of a direction, -1 without one; placed: among those that have their place. */
static int32_t find_partner(const scene *s, int32_t k, bool placed)
{
    const shoal_term *terms = terms_of(s->v, SHOAL_KIND_PI_PI);
    int32_t best = -1;
    double most = 0;
    for (int32_t e = s->part_start[k]; e < s->part_start[k + 1]; ++e) {
        const shoal_term *t = &terms[s->parts[e]];
        const int32_t other = t->atoms[t->atoms[0] == s->n_points + k] - s->n_points;
        if ((placed && !s->set[other]) || !(t->p[SHOAL_PI_K] > most)) continue;
        most = t->p[SHOAL_PI_K];
        best = other;
    }
    return best;
}

/* First those whose bonds tell them, then those whose strongest partner is placed, as long as there are some, then the
 * rest in the order of their numbers. */
static void place_directions(const scene *s)
{
    const int32_t n = s->v->n_directions;
    double p[3];
    for (int32_t k = 0; k < n; ++k)
        if (place_by_bonds(s, k, p)) store(s, k, p);
    for (bool more = true; more;) {
        more = false;
        for (int32_t k = 0; k < n; ++k) {
            const int32_t partner = s->set[k] ? -1 : find_partner(s, k, false);
            if (partner < 0 || !s->set[partner]) continue;
            place_by_partner(s, k, s->pos[s->n_points + partner], p);
            store(s, k, p);
            more = true;
        }
    }
    for (int32_t k = 0; k < n; ++k) {
        if (s->set[k]) continue;
        const int32_t partner = find_partner(s, k, true);
        place_by_partner(s, k, partner < 0 ? NULL : s->pos[s->n_points + partner], p);
        store(s, k, p);
    }
}

/* Behind an atom with one bond: one pair on the line, two in the plane across the direction p, three staggered to what
 * is beyond. */
static void pairs_behind(const scene *s, int32_t i, const spot *at, const double *p, int32_t n,
                         double out[MOST_BONDS][3])
{
    static const double turn[3][2] = {
        {-1, 0}, {0.5, 0.8660254037844386}, {0.5, -0.8660254037844386}};
    double a[3], b[3], first[3];
    beside(s, i, at, at->h[0], first);
    if (p) memcpy(a, p, sizeof a);
    if (!p || !vector_aside(a, at->h[0], FLAT)) memcpy(a, first, sizeof a);
    vector_cross(a, at->h[0], b);
    double side = vector_dot(b, first);
    if (fabs(side) < FLAT) side = crowded_side(s, i, at, b);
    if (side < 0) vector_combine(-1, b, 0, b, b); /* mirror images number their pairs alike */
    const double back = n == 1 ? 1 : n == 2 ? 0.5 : 1.0 / 3, aside = sqrt(1 - back * back);
    for (int k = 0; k < 3; ++k) {
        const double x = n == 2 ? 0 : turn[k][0], y = n == 2 ? 1 - 2 * k : turn[k][1];
        vector_combine(aside * x, a, aside * y, b, out[k]);
        vector_combine(1, out[k], -back, at->h[0], out[k]);
    }
}

/* Unit vectors from an atom to its n electron pairs; p is its direction or NULL. */
static void pair_directions(const scene *s, int32_t i, const double *p, int32_t n,
                            double out[MOST_BONDS][3])
{
    static const double none[MOST_BONDS][3] = {{0, 0, 1},
                                               {0.9428090415820634, 0, -1.0 / 3},
                                               {-0.4714045207910317, 0.816496580927726, -1.0 / 3},
                                               {-0.4714045207910317, -0.816496580927726, -1.0 / 3}};
    const spot at = look_around(s, i);
    double normal[3], away[3];
    memcpy(out, none, sizeof none);
    if (at.n == 1) pairs_behind(s, i, &at, p, n, out);
    if (at.n >= 3 && !pyramid_axis(s, i, &at, out[0])) beside(s, i, &at, at.h[0], out[0]);
    if (at.n != 2) return;
    if (!bend_axes(s, i, &at, normal, away)) {
        beside(s, i, &at, at.h[0], away);
        vector_cross(at.h[0], away, normal);
    }
    const double up = n == 1 ? 0 : sqrt(2.0 / 3), back = n == 1 ? 1 : sqrt(1.0 / 3);
    vector_combine(back, away, up, normal, out[0]);
    vector_combine(back, away, -up, normal, out[1]);
}

static void place_pairs(const scene *s, int32_t i)
{
    const int32_t k = s->direction[i];
    double to[MOST_BONDS][3];
    int32_t n = 0;
    for (int32_t e = s->start[i]; e < s->start[i] + s->used[i]; ++e)
        n += s->ends[e].atom >= s->v->n_atoms;
    if (n == 0) return;
    pair_directions(s, i, k >= 0 ? s->pos[s->n_points + k] : NULL, n, to);
    for (int32_t e = s->start[i], at = 0; e < s->start[i] + s->used[i]; ++e) {
        const place_end *end = &s->ends[e];
        if (end->atom < s->v->n_atoms) continue;
        vector_combine(1, s->pos[i], end->length, to[at++ % MOST_BONDS], s->pos[end->atom]);
    }
}

static void add_end(const scene *s, int32_t *used, int32_t i, const place_end *end)
{
    for (int32_t e = s->start[i]; e < s->start[i] + used[i]; ++e)
        if (s->ends[e].atom == end->atom &&
            memcmp(s->ends[e].shift, end->shift, sizeof end->shift) == 0)
            return;
    s->ends[s->start[i] + used[i]++] = *end;
}

/* Both ends of all bonds, and bonds that directions alone know of. */
static bool find_ends(scene *s, arena *memory)
{
    const shoal_topology_view *v = s->v;
    const shoal_term *bonds = terms_of(v, SHOAL_KIND_BOND);
    const shoal_term *sigmas = terms_of(v, SHOAL_KIND_SIGMA_PI);
    const int32_t n = s->n_points, n_bonds = terms_count(v, SHOAL_KIND_BOND);
    const int32_t n_sigmas = terms_count(v, SHOAL_KIND_SIGMA_PI);
    s->start = arena_alloc(memory, (size_t)n + 2, sizeof *s->start);
    s->ends = arena_alloc(memory, (size_t)(2 * n_bonds + n_sigmas), sizeof *s->ends);
    int32_t *used = arena_alloc(memory, (size_t)n, sizeof *used);
    if (!s->start || !s->ends || !used) return false;
    for (int32_t b = 0; b < n_bonds; ++b)
        for (int k = 0; k < 2; ++k) ++s->start[bonds[b].atoms[k] + 1];
    for (int32_t t = 0; t < n_sigmas; ++t) ++s->start[sigmas[t].atoms[1] + 1];
    for (int32_t i = 0; i < n; ++i) s->start[i + 1] += s->start[i];
    for (int32_t b = 0; b < n_bonds; ++b) {
        const shoal_term *t = &bonds[b];
        place_end a = {.atom = t->atoms[1], .length = t->p[SHOAL_BOND_R0]}, z = a;
        z.atom = t->atoms[0];
        for (int c = 0; c < 3; ++c) z.shift[c] = -(a.shift[c] = t->shifts[1][c]);
        add_end(s, used, t->atoms[0], &a);
        add_end(s, used, t->atoms[1], &z);
    }
    for (int32_t k = 0; k < n_sigmas; ++k) {
        const shoal_term *t = &sigmas[k];
        place_end a = {.atom = t->atoms[2]};
        for (int c = 0; c < 3; ++c) a.shift[c] = t->shifts[2][c] - t->shifts[1][c];
        add_end(s, used, t->atoms[1], &a);
    }
    s->used = used;
    return true;
}

/* What terms say of directions. */
static bool find_partners(scene *s, arena *memory)
{
    const shoal_topology_view *v = s->v;
    const shoal_term *sigmas = terms_of(v, SHOAL_KIND_SIGMA_PI);
    const shoal_term *pis = terms_of(v, SHOAL_KIND_PI_PI);
    const int32_t n = v->n_directions, first = s->n_points;
    const int32_t n_pis = terms_count(v, SHOAL_KIND_PI_PI);
    s->c0 = arena_alloc(memory, (size_t)n, sizeof *s->c0);
    s->set = arena_alloc(memory, (size_t)n, sizeof *s->set);
    s->direction = arena_alloc(memory, (size_t)v->n_atoms, sizeof *s->direction);
    s->part_start = arena_alloc(memory, (size_t)n + 2, sizeof *s->part_start);
    s->parts = arena_alloc(memory, 2 * (size_t)n_pis, sizeof *s->parts);
    if (!s->c0 || !s->set || !s->direction || !s->part_start || !s->parts) return false;
    for (int32_t i = 0; i < v->n_atoms; ++i) s->direction[i] = -1;
    for (int32_t k = 0; k < n; ++k) s->direction[v->direction_atoms[k]] = k;
    for (int32_t t = terms_count(v, SHOAL_KIND_SIGMA_PI) - 1; t >= 0; --t)
        s->c0[sigmas[t].atoms[0] - first] = sigmas[t].p[SHOAL_SIGMA_C0];
    /* Entry k + 1 counts, then says where k begins, then where it ends. */
    for (int32_t t = 0; t < n_pis; ++t)
        for (int e = 0; e < 2; ++e) ++s->part_start[pis[t].atoms[e] - first + 2];
    for (int32_t k = 0; k < n; ++k) s->part_start[k + 2] += s->part_start[k + 1];
    for (int32_t t = 0; t < n_pis; ++t)
        for (int e = 0; e < 2; ++e) s->parts[s->part_start[pis[t].atoms[e] - first + 1]++] = t;
    return true;
}

void auxiliary_place(const shoal_topology_view *v, const double (*cell)[3], double (*pos)[3])
{
    const bool periodic = v->pbc[0] || v->pbc[1] || v->pbc[2];
    scene s = {
        .v = v, .cell = periodic ? cell : NULL, .pos = pos, .n_points = v->n_atoms + v->n_pairs};
    arena memory = {0};
    if (auxiliary_count(v) == 0) return;
    if (find_ends(&s, &memory) && find_partners(&s, &memory)) {
        place_directions(&s);
        for (int32_t i = 0; i < v->n_atoms && v->n_pairs > 0; ++i) place_pairs(&s, i);
    } else { /* without memory: what is no number of an atom shall be a number */
        shoal_clear_error();
        for (int32_t k = 0; k < auxiliary_count(v); ++k)
            for (int c = 0; c < 3; ++c) pos[v->n_atoms + k][c] = c == 2;
    }
    arena_free(&memory);
}
