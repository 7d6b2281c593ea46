/* SPDX-License-Identifier: BSD-3-Clause
 * Parameters of one topology in the precision of the kernels. Included by the template
 * cpu_kernels.c after real.h. */
#include <stdlib.h>

#include "backend/stiffness.h"
#include "base/arena.h"

#include "ewald_terms.h"
#include "restraint_terms.h"
#include "uff_terms.h"

#include "backend/cpu/cpu_surface_direct.h"
#include "backend/cpu/cpu_surface_tables.h"

/* A torsion by its places among the arms of its rotor. */
typedef struct rotor_torsion {
    int32_t i, l;
    torsion_par par;
} rotor_torsion;

/* A bond j-k with the torsions about it. Arms are the atoms next to j, then those next to k. */
typedef struct rotor {
    int32_t j, k;
    int32_t arm, n_arms, n_near; /* first arm, all arms, those next to j */
    int32_t torsion, n_torsions; /* first torsion, and how many */
} rotor;

/* The preconditioner of L-BFGS: factors of a rough Hessian in this precision, see stiffness.h. */
typedef struct preconditioner {
    stiffness stiff;
    real *share, *inverse;
} preconditioner;

static bool fill_preconditioner(preconditioner *p, const shoal_topology_view *v, const bool *fixed,
                                uint32_t terms_off, arena *memory)
{
    shoal_topology_view bonds = *v;
    if (terms_off >> SHOAL_TERM_BOND & 1) bonds.n_bonds = 0;
    if (stiffness_factorise(&p->stiff, &bonds, fixed, memory) != SHOAL_OK) return false;
    const int32_t n = p->stiff.start[v->n_atoms];
    p->share = arena_alloc_dirty(memory, (size_t)n, sizeof *p->share);
    p->inverse = arena_alloc_dirty(memory, (size_t)v->n_atoms, sizeof *p->inverse);
    if (!p->share || !p->inverse) return false;
    for (int32_t k = 0; k < n; ++k) p->share[k] = (real)p->stiff.share[k];
    for (int32_t i = 0; i < v->n_atoms; ++i) p->inverse[i] = (real)p->stiff.inverse[i];
    return true;
}

typedef struct tables {
    arena memory; /* of this struct and all below it */
    int32_t n_atoms, n_bonds, n_angles, n_rotors, n_inversions;
    uint32_t terms_off;
    bool has_charges;
    real damping2;
    int32_t (*bond_atoms)[2];
    bond_par *bonds;
    int32_t (*angle_atoms)[3];
    angle_par *angles;
    rotor *rotors;
    int32_t *arm_atoms;
    int32_t most_arms; /* of one rotor */
    rotor_torsion *torsions;
    int32_t (*inversion_atoms)[4]; /* i, j, k, l with j the centre */
    inversion_par *inversions;
    bool one_system;     /* pairs as rows; for many systems: one by one */
    int32_t n_tiles;     /* of PAIR_TILE atoms */
    int32_t *pair_start; /* [n_tiles][n_atoms] + 1: pairs of an atom with higher ones of a tile */
    pair_par *pairs;
    pair_row *rows; /* tile by tile, atom by atom, from the vector with the first higher one on */
    preconditioner precond;
    surface_tables *surface; /* a grid; NULL: none */
    direct_tables *direct;   /* a surface without a grid; NULL: none */
} tables;

static void tables_destroy(void *p)
{
    tables *t = p;
    if (!t) return;
    surface_tables_destroy(t->surface);
    direct_destroy(t->direct);
    arena memory = t->memory;
    arena_free(&memory);
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

/* Place of an atom among n arms, where it is put if it is not there yet. */
static int32_t find_arm(int32_t *arms, int32_t *n, int32_t atom)
{
    int32_t k = 0;
    while (k < *n && arms[k] != atom) ++k;
    if (k == *n) arms[(*n)++] = atom;
    return k;
}

/* Makes one rotor of n torsions that have j and k in common. */
static void fill_rotor(tables *t, rotor *r, const shoal_torsion_term *s)
{
    int32_t *arms = t->arm_atoms + r->arm, n_far = 0;
    for (int32_t n = 0; n < r->n_torsions; ++n)
        t->torsions[r->torsion + n].i = find_arm(arms, &r->n_near, s[n].i);
    for (int32_t n = 0; n < r->n_torsions; ++n) {
        rotor_torsion *q = &t->torsions[r->torsion + n];
        q->l = r->n_near + find_arm(arms + r->n_near, &n_far, s[n].l);
        q->par = torsion_parameters(&s[n]);
    }
    r->n_arms = r->n_near + n_far;
    if (r->n_arms > t->most_arms) t->most_arms = r->n_arms;
}

/* Topologies list the torsions about a bond one after the other. */
static void fill_rotors(tables *t, const shoal_topology_view *v)
{
    int32_t arm = 0;
    for (int32_t n = 0; n < v->n_torsions;) {
        const shoal_torsion_term *s = &v->torsions[n];
        rotor *r = &t->rotors[t->n_rotors++];
        *r = (rotor){.j = s->j, .k = s->k, .arm = arm, .torsion = n};
        while (n < v->n_torsions && v->torsions[n].j == s->j && v->torsions[n].k == s->k) {
            ++r->n_torsions;
            ++n;
        }
        fill_rotor(t, r, s);
        arm += r->n_arms;
    }
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
    for (int32_t n = 0; n < v->n_inversions; ++n) {
        const shoal_inversion_term *s = &v->inversions[n];
        const int32_t atoms[4] = {s->i, s->j, s->k, s->l};
        memcpy(t->inversion_atoms[n], atoms, sizeof atoms);
        t->inversions[n] = inversion_parameters(s);
    }
}

static bool is_excluded(const shoal_topology_view *v, int32_t i, int32_t j)
{
    for (int32_t e = v->exclude_start[i]; e < v->exclude_start[i + 1]; ++e)
        if (v->excluded[e].atom == j) return true;
    return false;
}

static void fill_row(const shoal_topology_view *v, const shoal_engine_options *o, int32_t i,
                     int32_t first, pair_row *row)
{
    for (int l = 0; l < SHOAL_LANES; ++l) {
        const int32_t j = first + l;
        pair_par p = {.x6 = R(-1.0)};
        if (j > i && j < v->n_atoms && !is_excluded(v, i, j)) p = pair_parameters(v, o, i, j);
        row->x6[l] = p.x6;
        row->c6[l] = p.c6;
        row->kqq[l] = p.kqq;
    }
}

/* The pairs of a single system as rows; with out = NULL only counts them. */
static int32_t list_rows(const shoal_topology_view *v, const shoal_engine_options *o, pair_row *out)
{
    int32_t n = 0;
    for (int32_t tile = 0; tile < v->n_atoms; tile += PAIR_TILE) {
        const int32_t end = tile + PAIR_TILE < v->n_atoms ? tile + PAIR_TILE : v->n_atoms;
        for (int32_t i = 0; i + 1 < end; ++i) {
            const int32_t skip = i < tile ? 0 : (i + 1 - tile) / SHOAL_LANES * SHOAL_LANES;
            for (int32_t j = tile + skip; j < end; j += SHOAL_LANES, ++n)
                if (out) fill_row(v, o, i, j, &out[n]);
        }
    }
    return n;
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

static bool fill_rows(tables *t, const shoal_topology_view *v, const shoal_engine_options *o)
{
    const size_t n = (size_t)list_rows(v, o, NULL);
    unsigned char *p = arena_alloc_dirty(&t->memory, n * sizeof *t->rows + sizeof(vec), 1);
    if (!p) return false;
    t->rows = (pair_row *)(void *)(p + (sizeof(vec) - (uintptr_t)p % sizeof(vec)) % sizeof(vec));
    (void)list_rows(v, o, t->rows);
    return true;
}

static bool fill_pairs(tables *t, const shoal_topology_view *v, const shoal_engine_options *o)
{
    t->n_tiles = (v->n_atoms + PAIR_TILE - 1) / PAIR_TILE;
    const size_t n_segments = (size_t)t->n_tiles * (size_t)v->n_atoms;
    t->pair_start = arena_alloc_dirty(&t->memory, n_segments + 1, sizeof *t->pair_start);
    if (!t->pair_start) return false;
    const int32_t n_pairs = list_pairs(v, o, t->pair_start, NULL);
    t->pairs = arena_alloc_dirty(&t->memory, (size_t)n_pairs, sizeof *t->pairs);
    if (!t->pairs) return false;
    (void)list_pairs(v, o, t->pair_start, t->pairs);
    return true;
}

/* Arrays for all that the counts promise, and the pairs. */
static bool allot_tables(tables *t, const shoal_topology_view *v, const shoal_engine_options *o)
{
    arena *m = &t->memory;
    t->bond_atoms = arena_alloc_dirty(m, (size_t)v->n_bonds, sizeof *t->bond_atoms);
    t->bonds = arena_alloc_dirty(m, (size_t)v->n_bonds, sizeof *t->bonds);
    t->angle_atoms = arena_alloc_dirty(m, (size_t)v->n_angles, sizeof *t->angle_atoms);
    t->angles = arena_alloc_dirty(m, (size_t)v->n_angles, sizeof *t->angles);
    t->rotors = arena_alloc_dirty(m, (size_t)v->n_torsions, sizeof *t->rotors);
    t->arm_atoms = arena_alloc_dirty(m, 2 * (size_t)v->n_torsions, sizeof *t->arm_atoms);
    t->torsions = arena_alloc_dirty(m, (size_t)v->n_torsions, sizeof *t->torsions);
    t->inversion_atoms = arena_alloc_dirty(m, (size_t)v->n_inversions, sizeof *t->inversion_atoms);
    t->inversions = arena_alloc_dirty(m, (size_t)v->n_inversions, sizeof *t->inversions);
    if (!t->bond_atoms || !t->bonds || !t->angle_atoms || !t->angles || !t->rotors ||
        !t->arm_atoms || !t->torsions || !t->inversion_atoms || !t->inversions)
        return false;
    return t->one_system ? fill_rows(t, v, o) : fill_pairs(t, v, o);
}

static void *tables_create(const shoal_topology_view *v, const shoal_engine_options *o,
                           bool one_system)
{
    arena memory = {0};
    tables *t = arena_alloc(&memory, 1, sizeof *t);
    if (!t) return NULL;
    t->memory = memory;
    t->one_system = one_system;
    t->n_atoms = v->n_atoms;
    t->terms_off = o->terms_off;
    t->n_bonds = o->terms_off >> SHOAL_TERM_BOND & 1 ? 0 : v->n_bonds;
    t->n_angles = o->terms_off >> SHOAL_TERM_ANGLE & 1 ? 0 : v->n_angles;
    t->n_inversions = o->terms_off >> SHOAL_TERM_INVERSION & 1 ? 0 : v->n_inversions;
    t->has_charges = v->has_charges && !(o->terms_off >> SHOAL_TERM_COULOMB & 1);
    t->damping2 = (real)(o->coulomb_damping * o->coulomb_damping);
    if (!fill_preconditioner(&t->precond, v, NULL, o->terms_off, &t->memory) ||
        !allot_tables(t, v, o)) {
        tables_destroy(t);
        return NULL;
    }
    fill_bonded(t, v);
    if (!(o->terms_off >> SHOAL_TERM_TORSION & 1)) fill_rotors(t, v);
    if (!o->surface || o->terms_off >> SHOAL_TERM_SURFACE & 1) return t;
    if (o->grid)
        t->surface = surface_tables_create(v, o->surface, o->grid);
    else
        t->direct = direct_create(v, o->surface);
    if (t->surface || t->direct) return t;
    tables_destroy(t);
    return NULL;
}
