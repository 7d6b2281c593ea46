/* SPDX-License-Identifier: BSD-3-Clause
 * Parameters of one topology in the precision of the kernels. Included by the template
 * cpu_kernels.c after real.h. */
#include <stdlib.h>

#include "backend/stiffness.h"
#include "backend/term_numbers.h"
#include "base/arena.h"

#include "bonded_terms.h"
#include "ewald_terms.h"
#include "restraint_terms.h"

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
    if (terms_off >> SHOAL_TERM_BOND & 1) bonds.term_start = terms_none;
    if (stiffness_factorise(&p->stiff, &bonds, fixed, memory) != SHOAL_OK) return false;
    const int32_t n = p->stiff.start[v->n_atoms];
    p->share = arena_alloc_dirty(memory, (size_t)n, sizeof *p->share);
    p->inverse = arena_alloc_dirty(memory, (size_t)v->n_atoms, sizeof *p->inverse);
    if (!p->share || !p->inverse) return false;
    for (int32_t k = 0; k < n; ++k) p->share[k] = (real)p->stiff.share[k];
    for (int32_t i = 0; i < v->n_atoms; ++i) p->inverse[i] = (real)p->stiff.inverse[i];
    return true;
}

/* The terms of one kind that no fast path took. */
typedef struct kind_table {
    int32_t n;
    int32_t *atoms; /* [n][n_atoms of the kind] */
    real *numbers;  /* [n][n_numbers of the kind] */
} kind_table;

typedef struct tables {
    arena memory; /* of this struct and all below it */
    int32_t n_atoms, n_rotors;
    uint32_t terms_off;
    bool has_charges;
    real damping2;
    kind_table kinds[TERM_N_KINDS];
    rotor *rotors; /* take all torsions, unless plain terms are asked for */
    int32_t *arm_atoms;
    int32_t most_arms; /* of one rotor */
    rotor_torsion *torsions;
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

static torsion_par torsion_parameters(const shoal_term *t)
{
    return (torsion_par){(real)t->p[SHOAL_TORSION_V], (real)t->p[SHOAL_TORSION_D],
                         (int)t->p[SHOAL_TORSION_N]};
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
static void fill_rotor(tables *t, rotor *r, const shoal_term *s)
{
    int32_t *arms = t->arm_atoms + r->arm, n_far = 0;
    for (int32_t n = 0; n < r->n_torsions; ++n)
        t->torsions[r->torsion + n].i = find_arm(arms, &r->n_near, s[n].atoms[0]);
    for (int32_t n = 0; n < r->n_torsions; ++n) {
        rotor_torsion *q = &t->torsions[r->torsion + n];
        q->l = r->n_near + find_arm(arms + r->n_near, &n_far, s[n].atoms[3]);
        q->par = torsion_parameters(&s[n]);
    }
    r->n_arms = r->n_near + n_far;
    if (r->n_arms > t->most_arms) t->most_arms = r->n_arms;
}

/* Topologies list the torsions about a bond one after the other. */
static void fill_rotors(tables *t, const shoal_topology_view *v)
{
    const shoal_term *torsions = terms_of(v, SHOAL_KIND_TORSION);
    const int32_t n_torsions = terms_count(v, SHOAL_KIND_TORSION);
    int32_t arm = 0;
    for (int32_t n = 0; n < n_torsions;) {
        const shoal_term *s = &torsions[n];
        rotor *r = &t->rotors[t->n_rotors++];
        *r = (rotor){.j = s->atoms[1], .k = s->atoms[2], .arm = arm, .torsion = n};
        while (n < n_torsions && torsions[n].atoms[1] == r->j && torsions[n].atoms[2] == r->k) {
            ++r->n_torsions;
            ++n;
        }
        fill_rotor(t, r, s);
        arm += r->n_arms;
    }
}

static bool allot_rotors(tables *t, const shoal_topology_view *v)
{
    const size_t n = (size_t)terms_count(v, SHOAL_KIND_TORSION);
    t->rotors = arena_alloc_dirty(&t->memory, n, sizeof *t->rotors);
    t->arm_atoms = arena_alloc_dirty(&t->memory, 2 * n, sizeof *t->arm_atoms);
    t->torsions = arena_alloc_dirty(&t->memory, n, sizeof *t->torsions);
    return t->rotors && t->arm_atoms && t->torsions;
}

static bool fill_kind(tables *t, const shoal_topology_view *v, const shoal_engine_options *o,
                      int kind)
{
    const term_shape *s = &term_shapes[kind];
    const shoal_term *terms = terms_of(v, kind);
    kind_table *k = &t->kinds[kind];
    k->n = terms_count_on(v, kind, o->terms_off);
    k->atoms = arena_alloc_dirty(&t->memory, (size_t)(k->n * s->n_atoms), sizeof *k->atoms);
    k->numbers = arena_alloc_dirty(&t->memory, (size_t)(k->n * s->n_numbers), sizeof *k->numbers);
    if (!k->atoms || !k->numbers) return false;
    for (int32_t n = 0; n < k->n; ++n) {
        double numbers[TERM_NUMBERS];
        term_numbers(&terms[n], v, o, numbers);
        for (int32_t c = 0; c < s->n_atoms; ++c) k->atoms[s->n_atoms * n + c] = terms[n].atoms[c];
        for (int32_t c = 0; c < s->n_numbers; ++c)
            k->numbers[s->n_numbers * n + c] = (real)numbers[c];
    }
    return true;
}

static bool fill_bonded(tables *t, const shoal_topology_view *v, const shoal_engine_options *o)
{
    const bool rotors = !o->plain_terms && !(o->terms_off >> SHOAL_TERM_TORSION & 1);
    if (rotors && !allot_rotors(t, v)) return false;
    if (rotors) fill_rotors(t, v);
    for (int kind = 0; kind < TERM_N_KINDS; ++kind)
        if ((kind != SHOAL_KIND_TORSION || !rotors) && !fill_kind(t, v, o, kind)) return false;
    return true;
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
    t->has_charges = v->has_charges && !(o->terms_off >> SHOAL_TERM_COULOMB & 1);
    t->damping2 = (real)(o->coulomb_damping * o->coulomb_damping);
    if (!fill_preconditioner(&t->precond, v, NULL, o->terms_off, &t->memory) ||
        !fill_bonded(t, v, o) || !(one_system ? fill_rows(t, v, o) : fill_pairs(t, v, o))) {
        tables_destroy(t);
        return NULL;
    }
    if (!o->surface || o->terms_off >> SHOAL_TERM_SURFACE & 1) return t;
    if (o->grid)
        t->surface = surface_tables_create(v, o->surface, o->grid);
    else
        t->direct = direct_create(v, o->surface);
    if (t->surface || t->direct) return t;
    tables_destroy(t);
    return NULL;
}
