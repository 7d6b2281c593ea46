/* SPDX-License-Identifier: BSD-3-Clause
 * A look at a relaxed geometry. */
#include "run/geometry.h"

#include <math.h>
#include <stdio.h>

#include "geom/lattice.h"

#define STRETCHED 1.5 /* of the natural length */
#define SQUEEZED 0.6
#define CLOSEST 0.5 /* angstrom, between any two atoms */
#define MAX_ALL_PAIRS 2000
#define STRAIGHT 3.05e-6 /* square of the sine of 0.1 degrees */
#define SUSPICIOUS 1e3   /* eV of vdW energy: no pair can be closer than 0.5 A below it */

/* Squared distance of atom i from the image of atom j that a shift names. */
static inline double distance2(const backend_system *s, const double (*pos)[3], int32_t i,
                               int32_t j, const int32_t shift[3])
{
    double d[3];
    for (int c = 0; c < 3; ++c) d[c] = pos[j][c] - pos[i][c];
    if (shift[0] || shift[1] || shift[2])
        for (int c = 0; c < 3; ++c)
            for (int k = 0; k < 3; ++k) d[c] += shift[k] * s->cell[k][c];
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

static bool check_bonds(const backend_system *s, const double (*pos)[3], char *warning)
{
    const shoal_term *bonds = terms_of(&s->view, SHOAL_KIND_BOND);
    for (int32_t n = 0; n < terms_count(&s->view, SHOAL_KIND_BOND); ++n) {
        const int32_t i = bonds[n].atoms[0], j = bonds[n].atoms[1];
        const double r0 = bonds[n].p[SHOAL_BOND_R0], r02 = r0 * r0;
        const double r2 = distance2(s, pos, i, j, bonds[n].shifts[1]);
        if (r0 == 0 || (r2 > SQUEEZED * SQUEEZED * r02 && r2 < STRETCHED * STRETCHED * r02))
            continue;
        (void)snprintf(warning, BACKEND_REASON_SIZE, "bond %d-%d (%s-%s) is %.2f times its length",
                       i, j, s->view.types[i], s->view.types[j], sqrt(r2) / r0);
        return true;
    }
    return false;
}

static bool complain(char *warning, int32_t i, int32_t j, double r)
{
    (void)snprintf(warning, BACKEND_REASON_SIZE, "atoms %d and %d are %.2f A apart", i < j ? i : j,
                   i < j ? j : i, r);
    return true;
}

/* Partners without a pair of their own, each pair once; of images of one and the same atom, its cell
 * is to blame. */
static bool check_excluded(const backend_system *s, const double (*pos)[3], char *warning)
{
    for (int32_t i = 0; i < s->view.n_atoms; ++i)
        for (int32_t e = s->view.exclude_start[i + 1] - 1; e >= s->view.exclude_start[i]; --e) {
            const int32_t j = s->view.excluded[e].atom;
            if (j <= i) break; /* they are sorted */
            const double r2 = distance2(s, pos, i, j, s->view.excluded[e].shift);
            if (r2 < CLOSEST * CLOSEST) return complain(warning, i, j, sqrt(r2));
        }
    return false;
}

static bool check_all_pairs(const backend_system *s, const double (*pos)[3], char *warning)
{
    geom_lattice cell;
    if (!lattice_init_reduced(&cell, s->cell, s->view.pbc)) return false;
    for (int32_t i = 0; i < s->view.n_atoms; ++i)
        for (int32_t j = 0; j < i; ++j) {
            double d[3];
            for (int c = 0; c < 3; ++c) d[c] = pos[i][c] - pos[j][c];
            const double r2 = lattice_shortest2(&cell, d);
            if (r2 < CLOSEST * CLOSEST) return complain(warning, i, j, sqrt(r2));
        }
    return false;
}

/* Two atoms on top of each other. Pairs that interact would have an enormous vdW energy, so that
 * with a small one only the excluded pairs need a look; 0 means that nobody may have looked. */
static void check_pairs(const backend_system *s, const backend_result *r, char *warning)
{
    const double(*pos)[3] = (const double(*)[3])r->pos, vdw = r->terms[SHOAL_TERM_VDW];
    const bool all = (!(vdw < SUSPICIOUS) || vdw == 0) && s->view.n_atoms <= MAX_ALL_PAIRS;
    if (!check_excluded(s, pos, warning) && all) (void)check_all_pairs(s, pos, warning);
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
static void check_torsions(const backend_system *s, const double (*pos)[3], char *warning)
{
    for (int32_t n = 0; n < s->n_restraints; ++n) {
        const shoal_restraint *r = &s->restraints[n];
        const int32_t *at = r->atoms;
        if (r->kind != SHOAL_RESTRAINT_TORSION || r->k == 0) continue;
        for (int k = 0; k < 2; ++k) {
            if (!is_straight(pos, at[k], at[k + 1], at[k + 2])) continue;
            (void)snprintf(warning, BACKEND_REASON_SIZE,
                           "torsion %d,%d,%d,%d is restrained, but its angle %d-%d-%d is straight, "
                           "where it has no value",
                           at[0], at[1], at[2], at[3], at[k], at[k + 1], at[k + 2]);
            return;
        }
    }
}

void geometry_check(const backend_system *system, const backend_result *result, char *warning)
{
    warning[0] = '\0';
    if (system->skip || !isfinite(result->energy)) return;
    const double(*pos)[3] = (const double(*)[3])result->pos;
    if (!check_bonds(system, pos, warning)) check_pairs(system, result, warning);
    if (!warning[0]) check_torsions(system, pos, warning);
}
