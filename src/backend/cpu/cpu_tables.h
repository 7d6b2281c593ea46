/* SPDX-License-Identifier: BSD-3-Clause
 * Parameters of one topology in the precision of the kernels. Included by the template
 * cpu_kernels.c after real.h. */
#include <stdlib.h>

#include "pair_terms.h"
#include "restraint_terms.h"
#include "uff_terms.h"

#include "backend/cpu/cpu_surface_direct.h"
#include "backend/cpu/cpu_surface_tables.h"

#define PAIR_TILE 40 /* atoms: 15 kB of coordinates and forces for 16 lanes in float */

typedef struct pair_par {
    int32_t j;
    real x6, c6, kqq; /* as in pair_terms.h */
} pair_par;

typedef struct tables {
    int32_t n_atoms, n_bonds, n_angles, n_torsions, n_inversions;
    uint32_t terms_off;
    bool has_charges;
    real damping2;
    int32_t (*bond_atoms)[2];
    bond_par *bonds;
    int32_t (*angle_atoms)[3];
    angle_par *angles;
    int32_t (*torsion_atoms)[4];
    torsion_par *torsions;
    int32_t (*inversion_atoms)[4]; /* i, j, k, l with j the centre */
    inversion_par *inversions;
    int32_t n_tiles;     /* of PAIR_TILE atoms */
    int32_t *pair_start; /* [n_tiles][n_atoms] + 1: pairs of an atom with higher ones of a tile */
    pair_par *pairs;
    surface_tables *surface; /* a grid; NULL: none */
    direct_tables *direct;   /* a surface without a grid; NULL: none */
} tables;

static void tables_destroy(void *p)
{
    tables *t = p;
    if (!t) return;
    free(t->bond_atoms);
    free(t->bonds);
    free(t->angle_atoms);
    free(t->angles);
    free(t->torsion_atoms);
    free(t->torsions);
    free(t->inversion_atoms);
    free(t->inversions);
    free(t->pair_start);
    free(t->pairs);
    surface_tables_destroy(t->surface);
    direct_destroy(t->direct);
    free(t);
}

static void *allot(int32_t n, size_t size)
{
    return malloc((size_t)(n > 0 ? n : 1) * size);
}

static bond_par bond_parameters(const shoal_bond_term *s)
{
    return (bond_par){(real)s->k, (real)s->r0};
}

/* The series in cos nt as a polynomial in cos t. */
static angle_par angle_parameters(const shoal_angle_term *s)
{
    const double *c = s->c, k = s->force_k;
    return (angle_par){{(real)(k * (c[0] - c[2] + c[4])), (real)(k * (c[1] - 3 * c[3])),
                        (real)(k * (2 * c[2] - 8 * c[4])), (real)(k * 4 * c[3]),
                        (real)(k * 8 * c[4])}};
}

static torsion_par torsion_parameters(const shoal_torsion_term *s)
{
    return (torsion_par){(real)s->v, (real)s->d, s->n};
}

static inversion_par inversion_parameters(const shoal_inversion_term *s)
{
    return (inversion_par){(real)s->force_k, (real)s->c[0], (real)s->c[1], (real)s->c[2]};
}

static pair_par pair_parameters(const shoal_topology_view *v, const shoal_engine_options *o,
                                int32_t i, int32_t j)
{
    const double sum = v->vdw_x[i] + v->vdw_x[j];
    const bool arithmetic = o->mixing == SHOAL_MIXING_ARITHMETIC;
    const double x2 = arithmetic ? 0.25 * sum * sum : v->vdw_x[i] * v->vdw_x[j];
    const double x6 = x2 * x2 * x2, d = sqrt(v->vdw_d[i] * v->vdw_d[j]);
    const bool off = o->terms_off >> SHOAL_TERM_VDW & 1;
    return (pair_par){j, (real)x6, off ? R(0.0) : (real)(12 * d * x6),
                      (real)(COULOMB_CONSTANT * v->charges[i] * v->charges[j])};
}

static void fill_bonded(tables *t, const shoal_topology_view *v)
{
    for (int32_t n = 0; n < v->n_bonds; ++n) {
        const int32_t atoms[2] = {v->bonds[n].i, v->bonds[n].j};
        memcpy(t->bond_atoms[n], atoms, sizeof atoms);
        t->bonds[n] = bond_parameters(&v->bonds[n]);
    }
    for (int32_t n = 0; n < v->n_angles; ++n) {
        const int32_t atoms[3] = {v->angles[n].i, v->angles[n].j, v->angles[n].k};
        memcpy(t->angle_atoms[n], atoms, sizeof atoms);
        t->angles[n] = angle_parameters(&v->angles[n]);
    }
    for (int32_t n = 0; n < v->n_torsions; ++n) {
        const shoal_torsion_term *s = &v->torsions[n];
        const int32_t atoms[4] = {s->i, s->j, s->k, s->l};
        memcpy(t->torsion_atoms[n], atoms, sizeof atoms);
        t->torsions[n] = torsion_parameters(s);
    }
    for (int32_t n = 0; n < v->n_inversions; ++n) {
        const shoal_inversion_term *s = &v->inversions[n];
        const int32_t atoms[4] = {s->i, s->j, s->k, s->l};
        memcpy(t->inversion_atoms[n], atoms, sizeof atoms);
        t->inversions[n] = inversion_parameters(s);
    }
}

/* All pairs i < j that are not excluded, tile by tile of j, so that the coordinates and forces of a
 * tile stay in the first-level cache; with out = NULL only counts. */
static int32_t list_pairs(const shoal_topology_view *v, const shoal_engine_options *o,
                          int32_t *start, pair_par *out)
{
    int32_t n = 0, segment = 0;
    for (int32_t tile = 0; tile < v->n_atoms; tile += PAIR_TILE) {
        const int32_t end = tile + PAIR_TILE < v->n_atoms ? tile + PAIR_TILE : v->n_atoms;
        for (int32_t i = 0; i < v->n_atoms; ++i) {
            int32_t e = v->exclude_start[i];
            start[segment++] = n;
            for (int32_t j = i + 1 > tile ? i + 1 : tile; j < end; ++j) {
                while (e < v->exclude_start[i + 1] && v->excluded[e].atom < j) ++e;
                if (e < v->exclude_start[i + 1] && v->excluded[e].atom == j) continue;
                if (out) out[n] = pair_parameters(v, o, i, j);
                ++n;
            }
        }
    }
    start[segment] = n;
    return n;
}

static void *tables_create(const shoal_topology_view *v, const shoal_engine_options *o)
{
    tables *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->n_atoms = v->n_atoms;
    t->terms_off = o->terms_off;
    t->n_bonds = o->terms_off >> SHOAL_TERM_BOND & 1 ? 0 : v->n_bonds;
    t->n_angles = o->terms_off >> SHOAL_TERM_ANGLE & 1 ? 0 : v->n_angles;
    t->n_torsions = o->terms_off >> SHOAL_TERM_TORSION & 1 ? 0 : v->n_torsions;
    t->n_inversions = o->terms_off >> SHOAL_TERM_INVERSION & 1 ? 0 : v->n_inversions;
    t->has_charges = v->has_charges && !(o->terms_off >> SHOAL_TERM_COULOMB & 1);
    t->damping2 = (real)(o->coulomb_damping * o->coulomb_damping);
    t->bond_atoms = allot(v->n_bonds, sizeof *t->bond_atoms);
    t->bonds = allot(v->n_bonds, sizeof *t->bonds);
    t->angle_atoms = allot(v->n_angles, sizeof *t->angle_atoms);
    t->angles = allot(v->n_angles, sizeof *t->angles);
    t->torsion_atoms = allot(v->n_torsions, sizeof *t->torsion_atoms);
    t->torsions = allot(v->n_torsions, sizeof *t->torsions);
    t->inversion_atoms = allot(v->n_inversions, sizeof *t->inversion_atoms);
    t->inversions = allot(v->n_inversions, sizeof *t->inversions);
    t->n_tiles = (v->n_atoms + PAIR_TILE - 1) / PAIR_TILE;
    t->pair_start = allot(t->n_tiles * v->n_atoms + 1, sizeof *t->pair_start);
    if (t->pair_start) t->pairs = allot(list_pairs(v, o, t->pair_start, NULL), sizeof *t->pairs);
    if (!t->bond_atoms || !t->bonds || !t->angle_atoms || !t->angles || !t->torsion_atoms ||
        !t->torsions || !t->inversion_atoms || !t->inversions || !t->pair_start || !t->pairs) {
        tables_destroy(t);
        return NULL;
    }
    fill_bonded(t, v);
    (void)list_pairs(v, o, t->pair_start, t->pairs);
    if (!o->surface || o->terms_off >> SHOAL_TERM_SURFACE & 1) return t;
    if (o->grid)
        t->surface = surface_tables_create(v, o->surface, o->grid);
    else
        t->direct = direct_create(v, o->surface);
    if (t->surface || t->direct) return t;
    tables_destroy(t);
    return NULL;
}
