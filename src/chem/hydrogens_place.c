/* SPDX-License-Identifier: BSD-3-Clause
 * Where added hydrogen atoms go. The bonds that an atom has leave a few sets of directions, the usual one
 * first; the first set that keeps clear of other atoms is taken, or the one that comes nearest to it. Atoms
 * whose bonds leave no choice come first, then those that turn about one bond, then those without any. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/element.h"
#include "chem/hydrogens.h"
#include "chem/hydrogens_sites.h"
#include "geom/vector.h"

#include "constants.h"

#define MOST 4               /* added to one atom */
#define MOST_AROUND 12       /* partners that are looked at */
#define HYDROGEN_RADIUS 0.31 /* angstrom */
#define CLEAR 1.75           /* angstrom between hydrogen atoms that is no contact */
#define WIDER 0.4            /* and by which other atoms are larger */

typedef enum shape { SHAPE_TETRAHEDRAL, SHAPE_FLAT, SHAPE_LINEAR } shape;

/* An atom, its partners, and what turns about its only bond. */
typedef struct centre {
    int32_t atom, n_add, n; /* n partners */
    int32_t partner[MOST_AROUND];
    double dir[MOST_AROUND][3]; /* unit vectors towards them */
    shape shape;
    double angle;       /* between bonds, radians */
    double u[3], w[3];  /* across dir[0]; u towards a substituent of the partner, if it has one */
    bool flat_partner;  /* the partner's other bonds lie in a plane with u */
    bool has_reference; /* u means something */
} centre;

typedef struct placement {
    const shoal_molecule *mol;
    const int32_t *counts;
    int32_t *first; /* [n_atoms] index of an atom's first hydrogen */
    bool *placed;   /* [n_atoms] */
    double (*pos)[3];
    site_grid sites;
} placement;

static int32_t other_end(const shoal_bond *b, int32_t atom)
{
    return b->i == atom ? b->j : b->i;
}

static int32_t next_of(const shoal_molecule *mol, int32_t b, int32_t atom)
{
    return mol->next_bond[b][mol->bonds[b].i != atom];
}

/* A lone pair beside a multiple bond: amides, anilines, enamines. */
static bool is_conjugated_nitrogen(const shoal_molecule *mol, int32_t i)
{
    if (mol->element[i] != 7 || mol->formal_charge[i] > 0) return false;
    for (int32_t b = mol->first_bond[i]; b >= 0; b = next_of(mol, b, i)) {
        const int32_t to = other_end(&mol->bonds[b], i), z = mol->element[to];
        const atom_bonds a = hydrogens_look(mol, to);
        if ((z == 5 || z == 6 || z == 7) && a.degree <= 3 && a.n_double + a.n_triple > 0)
            return true;
    }
    return false;
}

static shape shape_of(const shoal_molecule *mol, int32_t i)
{
    const int32_t z = mol->element[i], charge = mol->formal_charge[i];
    const atom_bonds a = hydrogens_look(mol, i);
    if (a.n_triple > 0 || (a.n_double > 1 && z < 10)) return SHAPE_LINEAR;
    if (a.n_double > 0 && z != 15 && z != 16 && z != 33 && z != 34) return SHAPE_FLAT;
    if (z == 5) return charge < 0 ? SHAPE_TETRAHEDRAL : SHAPE_FLAT;
    if (z == 6 && (charge > 0 || mol->radical[i] == 1)) return SHAPE_FLAT;
    return is_conjugated_nitrogen(mol, i) ? SHAPE_FLAT : SHAPE_TETRAHEDRAL;
}

/* Between two bonds to hydrogen, radians. */
static double angle_of(const shoal_molecule *mol, int32_t i, shape s)
{
    const element *e = element_get(mol->element[i]);
    if (s == SHAPE_LINEAR) return 180 * DEGREE;
    if (s == SHAPE_FLAT) return 120 * DEGREE;
    if (e->outer <= 4 || mol->formal_charge[i] > 0) return 109.4712206 * DEGREE;
    if (e->period > 2) return 95 * DEGREE;
    return (e->outer == 5 ? 107 : 104.5) * DEGREE;
}

/* Substituents of the partner that u may point to: over a double bond first, then any atom, then a hydrogen
 * atom that was added before. */
static bool find_reference(const placement *p, const centre *c, double out[3])
{
    const shoal_molecule *mol = p->mol;
    const int32_t j = c->partner[0];
    bool found = false;
    for (int32_t b = mol->first_bond[j]; b >= 0; b = next_of(mol, b, j)) {
        double r[3];
        if (other_end(&mol->bonds[b], j) == c->atom) continue;
        if (!(hydrogens_direction(mol, b, j, r) > 0)) continue;
        vector_combine(1, r, -vector_dot(r, c->dir[0]), c->dir[0], r);
        if (!vector_normalise(r, 0.1)) continue;
        const bool better = mol->bonds[b].order == SHOAL_ORDER_DOUBLE;
        if (!found || better) memcpy(out, r, sizeof r);
        found = true;
        if (better) break;
    }
    for (int32_t h = 0; h < p->counts[j] && p->placed[j] && !found; ++h) {
        double r[3];
        vector_combine(1, p->pos[p->first[j] + h], -1, mol->pos[j], r);
        vector_combine(1, r, -vector_dot(r, c->dir[0]), c->dir[0], r);
        found = vector_normalise(r, 0.1);
        if (found) memcpy(out, r, sizeof r);
    }
    return found;
}

static void look_around(const placement *p, int32_t i, centre *c)
{
    const shoal_molecule *mol = p->mol;
    *c = (centre){.atom = i, .n_add = p->counts[i]};
    for (int32_t b = mol->first_bond[i]; b >= 0 && c->n < MOST_AROUND; b = next_of(mol, b, i)) {
        if (!(hydrogens_direction(mol, b, i, c->dir[c->n]) > 0)) continue;
        c->partner[c->n++] = other_end(&mol->bonds[b], i);
    }
    c->shape = shape_of(mol, i);
    c->angle = angle_of(mol, i, c->shape);
    if (c->n != 1) return;
    const int32_t j = c->partner[0];
    c->has_reference = find_reference(p, c, c->u);
    if (!c->has_reference) vector_any_aside(c->dir[0], c->u);
    vector_cross(c->dir[0], c->u, c->w);
    c->flat_partner = shape_of(mol, j) == SHAPE_FLAT;
}

/* --- sets of directions: false where there is no k-th one ----------------------------------------*/

/* The torsion of the first hydrogen against the reference, degrees: eclipsing a double bond, in the plane of
 * flat neighbours, staggered elsewhere; then every 30 degrees. */
static bool torsion(const centre *c, int32_t k, double *out)
{
    static const double staggered[3] = {180, 60, -60};
    const bool in_plane = c->shape == SHAPE_FLAT || c->flat_partner;
    const int32_t n = in_plane ? 2 : 3;
    if (k >= n + 12) return false;
    *out = k >= n ? 30.0 * (k - n) : in_plane ? 180.0 * k : staggered[k];
    return true;
}

static bool turn_about_bond(const centre *c, int32_t k, double dirs[MOST][3])
{
    double start;
    if (!torsion(c, k, &start)) return false;
    const double step = c->shape == SHAPE_FLAT ? 180 : 120;
    for (int32_t h = 0; h < c->n_add; ++h) {
        const double phi = (start + h * step) * DEGREE, s = sin(c->angle);
        double side[3];
        vector_combine(cos(phi), c->u, sin(phi), c->w, side);
        vector_combine(cos(c->angle), c->dir[0], s, side, dirs[h]);
    }
    return true;
}

/* Away from two partners: in their plane, or above and below it. Where that is taken, bent out of the way: a
 * single one out of the plane, two about the line between the partners. */
static bool away_from_two(const centre *c, int32_t k, double dirs[MOST][3])
{
    static const double bends[] = {0, 20, -20, 40, -40, 60, -60};
    double back[3], up[3];
    vector_combine(-1, c->dir[0], -1, c->dir[1], back);
    vector_cross(c->dir[0], c->dir[1], up);
    if (!vector_normalise(back, 1e-3)) vector_any_aside(c->dir[0], back);
    if (!vector_normalise(up, 1e-3)) vector_cross(c->dir[0], back, up);
    const bool sided = c->shape == SHAPE_TETRAHEDRAL && c->n_add == 1;
    const int32_t bend = sided ? k / 2 : k;
    if (bend >= 7) return false;
    double half = c->shape == SHAPE_TETRAHEDRAL || c->n_add == 2 ? c->angle / 2 : 0;
    if (sided && k % 2) half = -half;
    for (int32_t h = 0; h < c->n_add; ++h) {
        const double tilt = (h ? -half : half) + bends[bend] * DEGREE;
        vector_combine(cos(tilt), back, sin(tilt), up, dirs[h]);
    }
    return true;
}

/* Across the plane through three partners, away from them; to either side where the atom lies in it. */
static bool away_from_three(const centre *c, int32_t k, double dirs[MOST][3])
{
    double up[3], ab[3], ac[3], height = 0;
    vector_combine(1, c->dir[1], -1, c->dir[0], ab);
    vector_combine(1, c->dir[2], -1, c->dir[0], ac);
    vector_cross(ab, ac, up);
    if (!vector_normalise(up, 1e-3)) vector_any_aside(c->dir[0], up);
    for (int a = 0; a < 3; ++a)
        height += vector_dot(up, c->dir[a]) / 3; /* of their plane over the atom */
    for (int x = 0; x < 3; ++x) dirs[0][x] = (height > 0) != (k > 0) ? -up[x] : up[x];
    return k == 0 || (k == 1 && fabs(height) < 0.1);
}

/* Around an atom without bonds: twelve turns of one figure. */
static bool around_nothing(const centre *c, int32_t k, double dirs[MOST][3])
{
    const double half = c->angle / 2, s = sqrt(1.0 / 3);
    const double bent[2][3] = {{sin(half), cos(half), 0}, {-sin(half), cos(half), 0}};
    const double four[4][3] = {{s, s, s}, {s, -s, -s}, {-s, s, -s}, {-s, -s, s}};
    const double flat[3][3] = {{1, 0, 0}, {-0.5, sqrt(0.75), 0}, {-0.5, -sqrt(0.75), 0}};
    const double(*figure)[3] = four;
    if (c->n_add == 2 && c->shape == SHAPE_TETRAHEDRAL) figure = bent;
    if (c->shape != SHAPE_TETRAHEDRAL && c->n_add <= 3) figure = flat;
    if (k >= 12) return false;
    for (int32_t h = 0; h < c->n_add; ++h)
        for (int x = 0; x < 3; ++x) { /* axes in turn, then two of them turned round */
            const bool turned = k / 3 > 0 && x != k / 3 - 1;
            dirs[h][x] = figure[h][(x + k) % 3] * (turned ? -1 : 1);
        }
    return true;
}

/* Anything else: one by one, as far as possible from all bonds. */
static bool far_from_all(const centre *c, int32_t k, double dirs[MOST][3])
{
    for (int32_t h = 0; h < c->n_add && k == 0; ++h) {
        double best = 2;
        for (int32_t t = 0; t < 27; ++t) {
            double d[3] = {t % 3 - 1, t / 3 % 3 - 1, t / 9 - 1}, nearest = -1;
            if (!vector_normalise(d, 0.5)) continue;
            for (int32_t a = 0; a < c->n; ++a) nearest = fmax(nearest, vector_dot(d, c->dir[a]));
            for (int32_t a = 0; a < h; ++a) nearest = fmax(nearest, vector_dot(d, dirs[a]));
            if (nearest < best - 1e-9) {
                best = nearest;
                memcpy(dirs[h], d, sizeof d);
            }
        }
    }
    return k == 0;
}

static bool propose(const centre *c, int32_t k, double dirs[MOST][3])
{
    const bool linear = c->shape == SHAPE_LINEAR;
    const int32_t total = c->n + c->n_add;
    if (c->n == 0) return around_nothing(c, k, dirs);
    if (c->n == 1 && linear && c->n_add == 1) {
        vector_combine(-1, c->dir[0], 0, c->dir[0], dirs[0]);
        return k == 0;
    }
    if (c->n == 1 && total <= (c->shape == SHAPE_TETRAHEDRAL ? 4 : 3))
        return turn_about_bond(c, k, dirs);
    if (c->n == 2 && c->n_add <= 2) return away_from_two(c, k, dirs);
    if (c->n == 3 && c->n_add == 1) return away_from_three(c, k, dirs);
    return far_from_all(c, k, dirs);
}

/* Places all hydrogen atoms of one atom. */
static shoal_status place_centre(placement *p, int32_t i)
{
    const double length = element_get(p->mol->element[i])->radius + HYDROGEN_RADIUS;
    double dirs[MOST][3], best = -HUGE_VAL, (*out)[3] = &p->pos[p->first[i]];
    centre c;
    look_around(p, i, &c);
    for (int32_t k = 0; best < CLEAR && propose(&c, k, dirs); ++k) {
        double least = SITES_REACH, at[MOST][3];
        for (int32_t h = 0; h < c.n_add; ++h) {
            site_query q = {.length = length, .atom = i, .n_partners = c.n, .partners = c.partner};
            vector_combine(1, p->mol->pos[i], length, dirs[h], q.pos);
            memcpy(at[h], q.pos, sizeof at[h]);
            least = fmin(least, sites_clearance(&p->sites, &q, WIDER));
        }
        if (!(least > best + 1e-6)) continue; /* not for the last bits' sake */
        best = least;
        memcpy(out, at, (size_t)c.n_add * sizeof at[0]);
    }
    p->placed[i] = true;
    for (int32_t h = 0; h < c.n_add; ++h) SHOAL_TRY(sites_add(&p->sites, -1, out[h]));
    return SHOAL_OK;
}

static shoal_status place_all(placement *p)
{
    for (int pass = 2; pass >= 0; --pass)
        for (int32_t i = 0; i < p->mol->n_atoms; ++i) {
            if (p->counts[i] == 0) continue;
            const int32_t degree = hydrogens_look(p->mol, i).degree;
            if ((degree > 2 ? 2 : degree) == pass) SHOAL_TRY(place_centre(p, i));
        }
    return SHOAL_OK;
}

shoal_status hydrogens_place(const shoal_molecule *mol, const int32_t *counts, double (*out)[3])
{
    const size_t n = (size_t)mol->n_atoms;
    placement p = {.mol = mol, .counts = counts, .pos = out};
    arena memory = {0};
    int32_t sum = 0;
    p.first = arena_alloc(&memory, n, sizeof *p.first);
    p.placed = arena_alloc(&memory, n, sizeof *p.placed);
    shoal_status status = p.first && p.placed ? SHOAL_OK : SHOAL_E_MEMORY;
    for (int32_t i = 0; i < mol->n_atoms && status == SHOAL_OK; ++i) {
        p.first[i] = sum;
        sum += counts[i];
    }
    if (status == SHOAL_OK) status = sites_create(&p.sites, mol, sum);
    if (status == SHOAL_OK) status = place_all(&p);
    sites_free(&p.sites);
    arena_free(&memory);
    return status;
}
