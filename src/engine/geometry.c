/* SPDX-License-Identifier: BSD-3-Clause
 * A look at a relaxed geometry. */
#include "engine/geometry.h"

#include <math.h>
#include <stdio.h>

#include "chem/element.h"
#include "geom/lattice.h"
#include "geom/vector.h"
#include "surf/surface.h"

#include "constants.h"

#define STRETCHED 1.5 /* of the natural length: a warning */
#define SQUEEZED 0.6  /* of the natural length: a warning */
#define CRUSHED 0.5   /* of the natural length: collapsed */
/* Of what has converged and nobody pulls at. Molecules of a thousand kinds stay below 1.08, and 1.1 eV for an angle that
 * is not of a three-membered ring. */
#define LONG 1.15
#define SHORT 0.85
#define BENT 2.5   /* eV, of one angle */
#define LOADED 8.0 /* eV, of the angles at one atom */
/* Of the sum of covalent radii. The shortest bonds there are have 0.70 (W=N, N=N), atoms bound to the same one
 * 1.2; a pair below the first number is none of either, and one below the second is suspicious. */
#define COINCIDENT 0.55
#define CROWDED 0.9
#define CLOSEST 0.5  /* angstrom, between any two atoms */
#define FARTHEST 1.0 /* angstrom: strangers beyond it have not coincided, however large they are */
#define MAX_ALL_PAIRS 2000
#define STRAIGHT 3.05e-6 /* square of the sine of 0.1 degrees */
#define SUSPICIOUS 300.0 /* eV of vdW energy: below it no strangers can have coincided */

/* What is looked at. */
typedef struct look {
    const backend_system *s;
    int32_t n_atoms; /* electron pairs behind them are none */
    const double (*pos)[3];
    char *text;
} look;

/* Squared distance of atom i from the image of atom j that a shift names. */
static inline double distance2(const backend_system *s, const double (*pos)[3], int32_t i,
                               int32_t j, const int32_t shift[3])
{
    double d[3];
    for (int c = 0; c < 3; ++c) d[c] = pos[j][c] - pos[i][c];
    if (shift[0] || shift[1] || shift[2])
        for (int c = 0; c < 3; ++c)
            for (int k = 0; k < 3; ++k) d[c] += shift[k] * s->cell[k][c];
    return vector_dot(d, d);
}

static double radii(const backend_system *s, int32_t i, int32_t j)
{
    return element_get(s->view.elements[i])->radius + element_get(s->view.elements[j])->radius;
}

/* Where a user has fixed both atoms, it is no geometry that they ended in. */
static bool is_held(const backend_system *s, int32_t i, int32_t j)
{
    return s->fixed && s->fixed[i] && s->fixed[j];
}

/* The first bond shorter or longer than these parts of its natural length. */
static bool find_bond(const look *l, double shortest, double longest)
{
    const backend_system *s = l->s;
    int32_t n_bonds;
    const shoal_term *bonds = shoal_topology_bonds(&s->view, &n_bonds);
    for (int32_t n = 0; n < n_bonds; ++n) {
        const int32_t i = bonds[n].atoms[0], j = bonds[n].atoms[1];
        const double r0 = bonds[n].p[SHOAL_BOND_R0], r02 = r0 * r0;
        const double r2 = distance2(s, l->pos, i, j, bonds[n].shifts[1]);
        if (r0 == 0 || (r2 > shortest * shortest * r02 && r2 < longest * longest * r02)) continue;
        if (is_held(s, i, j) || i >= l->n_atoms || j >= l->n_atoms) continue;
        (void)snprintf(l->text, BACKEND_REASON_SIZE, "bond %d-%d (%s-%s) is %.2f times its length",
                       i, j, s->view.types[i], s->view.types[j], sqrt(r2) / r0);
        return true;
    }
    return false;
}

static bool complain(const look *l, int32_t i, int32_t j, double r2)
{
    const int32_t *z = l->s->view.elements, first = i < j ? i : j, second = i < j ? j : i;
    (void)snprintf(l->text, BACKEND_REASON_SIZE, "atoms %d (%s) and %d (%s) are %.2f A apart",
                   first, shoal_element_symbol(z[first]), second, shoal_element_symbol(z[second]),
                   sqrt(r2));
    return true;
}

/* Partners without a pair of their own, each pair once; of images of one and the same atom, its cell
 * is to blame. */
static bool find_coincident_partners(const look *l)
{
    const backend_system *s = l->s;
    for (int32_t i = 0; i < l->n_atoms; ++i)
        for (int32_t e = s->view.exclude_start[i + 1] - 1; e >= s->view.exclude_start[i]; --e) {
            const int32_t j = s->view.excluded[e].atom;
            if (j <= i) break;             /* they are sorted */
            if (j >= l->n_atoms) continue; /* an electron pair or a site */
            const double least = fmax(CLOSEST, COINCIDENT * radii(s, i, j));
            const double r2 = distance2(s, l->pos, i, j, s->view.excluded[e].shift);
            if (r2 < least * least && !is_held(s, i, j)) return complain(l, i, j, r2);
        }
    return false;
}

/* The nearest of them. */
static bool find_coincident_strangers(const look *l)
{
    const backend_system *s = l->s;
    double nearest2 = INFINITY;
    geom_lattice cell;
    if (!lattice_init_reduced(&cell, s->cell, s->view.pbc)) return false;
    for (int32_t i = 0; i < l->n_atoms; ++i)
        for (int32_t j = 0; j < i; ++j) {
            double d[3];
            for (int c = 0; c < 3; ++c) d[c] = l->pos[i][c] - l->pos[j][c];
            const double least = fmin(FARTHEST, fmax(CLOSEST, COINCIDENT * radii(s, i, j)));
            const double r2 = lattice_shortest2(&cell, d);
            if (!(r2 < least * least) || r2 >= nearest2 || is_held(s, i, j)) continue;
            nearest2 = r2;
            (void)complain(l, i, j, r2);
        }
    return nearest2 < INFINITY;
}

/* Two atoms on top of each other. Pairs that interact would have an enormous vdW energy, so that
 * with a small one only the excluded pairs need a look; 0 means that nobody may have looked. */
static bool find_coincident(const look *l, double vdw)
{
    const bool all = (!(vdw < SUSPICIOUS) || vdw == 0) && l->n_atoms <= MAX_ALL_PAIRS;
    return find_coincident_partners(l) || (all && find_coincident_strangers(l));
}

/* The nearest of all contacts. */
static bool find_contact(const look *l, const shoal_surface *surface)
{
    shoal_surface_view v;
    double nearest = INFINITY;
    shoal_surface_get(surface, &v);
    for (int32_t i = 0; i < l->n_atoms; ++i) {
        const int32_t z = l->s->view.elements[i];
        double r;
        if (l->s->fixed && l->s->fixed[i]) continue;
        const int32_t s = surface_contact(surface, l->pos[i], z, &r);
        if (s < 0 || r >= nearest) continue;
        nearest = r;
        (void)snprintf(l->text, BACKEND_REASON_SIZE,
                       "atom %d (%s) is %.2f A from atom %d (%s) of the surface", i,
                       shoal_element_symbol(z), r, s, shoal_element_symbol(v.elements[s]));
    }
    return nearest < INFINITY;
}

static bool is_bonded(const backend_system *s, const shoal_term *angle)
{
    int32_t n_bonds;
    const shoal_term *bonds = shoal_topology_bonds(&s->view, &n_bonds);
    const int32_t i = angle->atoms[0], j = angle->atoms[2];
    for (int32_t n = 0; n < n_bonds; ++n) {
        const int32_t *at = bonds[n].atoms;
        if ((at[0] == i && at[1] == j) || (at[0] == j && at[1] == i)) return true;
    }
    return false;
}

/* Two partners of one atom that are not bound to each other, but near enough for it; kind: of its angles. */
static void warn_of_crowding(const look *l, int kind)
{
    const backend_system *s = l->s;
    const shoal_term *angles = terms_of(&s->view, kind);
    for (int32_t n = 0; n < terms_count(&s->view, kind); ++n) {
        const int32_t i = angles[n].atoms[0], j = angles[n].atoms[2];
        if (i >= l->n_atoms || j >= l->n_atoms) continue;
        const double least = CROWDED * radii(s, i, j);
        int32_t shift[3];
        for (int c = 0; c < 3; ++c) shift[c] = angles[n].shifts[2][c] - angles[n].shifts[0][c];
        const double r2 = distance2(s, l->pos, i, j, shift);
        if (r2 >= least * least || is_held(s, i, j) || is_bonded(s, &angles[n])) continue;
        (void)complain(l, i, j, r2);
        return;
    }
}

/* Energy of an angle in eV, degrees in *value. */
static double bend(const look *l, const shoal_term *t, double *value)
{
    double u[3], v[3];
    const double *c = t->p + SHOAL_ANGLE_C0;
    for (int x = 0; x < 3; ++x) {
        u[x] = l->pos[t->atoms[0]][x] - l->pos[t->atoms[1]][x];
        v[x] = l->pos[t->atoms[2]][x] - l->pos[t->atoms[1]][x];
        for (int k = 0; k < 3; ++k) {
            u[x] += (t->shifts[0][k] - t->shifts[1][k]) * l->s->cell[k][x];
            v[x] += (t->shifts[2][k] - t->shifts[1][k]) * l->s->cell[k][x];
        }
    }
    const double lengths = sqrt(vector_dot(u, u) * vector_dot(v, v));
    const double x = lengths > 0 ? fmin(fmax(vector_dot(u, v) / lengths, -1), 1) : 1,
                 angle = acos(x);
    const double depth = fmax(0, x - t->p[SHOAL_ANGLE_GUARD_FROM]);
    double sum = c[0];
    for (int n = 1; n <= 4; ++n) sum += c[n] * cos(n * angle);
    *value = angle * 180 / PI;
    return t->p[SHOAL_ANGLE_K] * sum + t->p[SHOAL_ANGLE_GUARD] * depth * depth * depth;
}

/* Angles that no molecule has: types that do not suit the atom, or a start in which neighbours changed places. Those of
 * three-membered rings are what they must be. Angles at one atom stand together. */
static void warn_of_strain(const look *l)
{
    const shoal_topology_view *v = &l->s->view;
    const shoal_term *t = terms_of(v, SHOAL_KIND_ANGLE);
    double sum = 0;
    for (int32_t n = 0; n < terms_count(v, SHOAL_KIND_ANGLE); ++n) {
        const int32_t centre = t[n].atoms[1];
        double value;
        const double e = bend(l, &t[n], &value);
        if (n == 0 || t[n - 1].atoms[1] != centre) sum = 0;
        if (e < BENT / 5 || is_held(l->s, t[n].atoms[0], t[n].atoms[2]) || is_bonded(l->s, &t[n]))
            continue;
        sum += e;
        if (e > BENT)
            (void)snprintf(l->text, BACKEND_REASON_SIZE,
                           "angle %d-%d-%d (%s-%s-%s) of %.0f degrees costs %.1f eV", t[n].atoms[0],
                           centre, t[n].atoms[2], v->types[t[n].atoms[0]], v->types[centre],
                           v->types[t[n].atoms[2]], value, e);
        else if (sum > LOADED)
            (void)snprintf(l->text, BACKEND_REASON_SIZE,
                           "the angles at atom %d (%s) cost more than %.0f eV", centre,
                           v->types[centre], LOADED);
        if (l->text[0]) return;
    }
}

/* True where the atoms lie on a line to 0.1 degrees; coincident ones do. */
static bool is_straight(const double (*pos)[3], int32_t i, int32_t j, int32_t k)
{
    double a[3], b[3], c[3], aa = 0, bb = 0, cc = 0;
    for (int x = 0; x < 3; ++x) {
        a[x] = pos[i][x] - pos[j][x];
        b[x] = pos[k][x] - pos[j][x];
    }
    for (int x = 0; x < 3; ++x) {
        const int y = (x + 1) % 3, z = (x + 2) % 3;
        c[x] = a[y] * b[z] - a[z] * b[y];
        aa += a[x] * a[x];
        bb += b[x] * b[x];
        cc += c[x] * c[x];
    }
    return cc <= STRAIGHT * aa * bb;
}

/* A torsion is switched off where one of its angles is straight, and so is the pull on it: a way to
 * satisfy a restraint that nobody means. */
static void warn_of_torsions(const look *l)
{
    const backend_system *s = l->s;
    for (int32_t n = 0; n < s->n_restraints; ++n) {
        const shoal_restraint *r = &s->restraints[n];
        const int32_t *at = r->atoms;
        if (r->kind != SHOAL_RESTRAINT_TORSION || r->k == 0) continue;
        for (int k = 0; k < 2; ++k) {
            if (!is_straight(l->pos, at[k], at[k + 1], at[k + 2])) continue;
            (void)snprintf(l->text, BACKEND_REASON_SIZE,
                           "torsion %d,%d,%d,%d is restrained, but its angle %d-%d-%d is straight, "
                           "where it has no value",
                           at[0], at[1], at[2], at[3], at[k], at[k + 1], at[k + 2]);
            return;
        }
    }
}

/* Electron pairs follow the atoms, and are of no element. */
static int32_t count_atoms(const shoal_topology_view *v)
{
    int32_t n = v->n_atoms;
    while (n > 0 && v->elements[n - 1] == 0) --n;
    return n;
}

static look look_at(const backend_system *s, const backend_result *result, char *text)
{
    text[0] = '\0';
    return (look){s, count_atoms(&s->view), (const double(*)[3])result->pos, text};
}

bool geometry_is_collapsed(const backend_system *system, const shoal_surface *surface,
                           const backend_result *result, char *text)
{
    const look l = look_at(system, result, text);
    return find_bond(&l, CRUSHED, INFINITY) || find_coincident(&l, result->terms[SHOAL_TERM_VDW]) ||
           (surface && find_contact(&l, surface));
}

bool geometry_check(const backend_system *system, const shoal_surface *surface,
                    const backend_result *result, char *text)
{
    const look l = look_at(system, result, text);
    if (system->skip || !isfinite(result->energy)) return false;
    if (geometry_is_collapsed(system, surface, result, text)) return true;
    if (!find_bond(&l, SQUEEZED, STRETCHED)) warn_of_crowding(&l, SHOAL_KIND_ANGLE);
    if (!text[0]) warn_of_crowding(&l, SHOAL_KIND_HALF_ANGLE);
    if (!text[0]) warn_of_torsions(&l);
    if (text[0] || result->status != SHOAL_SYSTEM_CONVERGED || system->n_restraints > 0)
        return false;
    if (!find_bond(&l, SHORT, LONG) && result->terms[SHOAL_TERM_ANGLE] > BENT) warn_of_strain(&l);
    return false;
}
