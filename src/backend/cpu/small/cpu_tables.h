/* SPDX-License-Identifier: BSD-3-Clause
 * Parameters of one topology in the precision of the kernels. Included by the template
 * cpu_kernels.c after real.h. */
#include <stdlib.h>

#include "backend/stiffness.h"
#include "backend/term_numbers.h"
#include "base/arena.h"

#include "ewald_terms.h"
#include "restraint_terms.h"

#include "backend/cpu/cpu_surface_direct.h"
#include "backend/cpu/cpu_surface_tables.h"

/* An atom with its bonds, angles and inversions, see cpu_shape.h; what is not there is zero. */
typedef struct centre_row {
    int32_t atom, n_arms, arm[CENTRE_ARMS];
    bool inverts, guards; /* has inversions; has angles with a guard */
    real k[CENTRE_ARMS], r0[CENTRE_ARMS];
    real angle[CENTRE_ANGLES][5];
    real inversion[CENTRE_INVERSIONS][4];
    angle_guard guard[CENTRE_ANGLES];
} centre_row;

/* A bond j-k with the torsions about it: arms next to j, and from ROTOR_SIDE on those next to k. */
typedef struct rotor_row {
    int32_t j, k, n_near, n_far, arm[ROTOR_ARMS];
    int32_t common; /* periodicity of all torsions; 0: they differ */
    int32_t n[ROTOR_TORSIONS];
    real v[ROTOR_TORSIONS], d[ROTOR_TORSIONS], slope[ROTOR_TORSIONS]; /* slope = v d n */
} rotor_row;

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
    int32_t n_atoms, n_centres, n_rotors;
    uint32_t terms_off;
    bool has_charges;
    real damping2;
    kind_table kinds[TERM_N_KINDS];
    centre_row *centres; /* take all bonds, angles and inversions, or none */
    rotor_row *rotors;   /* take all torsions, or none */
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

static void take_numbers(const shoal_term *t, const shoal_topology_view *v,
                         const shoal_engine_options *o, int n, real *out)
{
    double numbers[TERM_NUMBERS] = {0};
    if (t) term_numbers(t, v, o, numbers);
    for (int k = 0; k < n; ++k) out[k] = (real)numbers[k];
}

static bool fill_centres(tables *t, const cpu_shape *s, const shoal_topology_view *v,
                         const shoal_engine_options *o)
{
    t->centres = arena_alloc(&t->memory, (size_t)s->n_centres, sizeof *t->centres);
    if (!t->centres) return false;
    t->n_centres = s->n_centres;
    for (int32_t n = 0; n < s->n_centres; ++n) {
        const cpu_centre *from = &s->centres[n];
        centre_row *to = &t->centres[n];
        to->atom = from->atom;
        to->n_arms = from->n_arms;
        to->inverts = from->inverts;
        for (int a = 0; a < from->n_arms; ++a) {
            real bond[2];
            take_numbers(from->bonds[a], v, o, 2, bond);
            to->arm[a] = from->arms[a];
            to->k[a] = bond[0];
            to->r0[a] = bond[1];
        }
        for (int k = 0; k < CENTRE_ANGLES; ++k) {
            real angle[7];
            take_numbers(from->angles[k], v, o, 7, angle);
            memcpy(to->angle[k], angle, sizeof to->angle[k]);
            to->guard[k] = (angle_guard){angle[5], angle[6]};
            to->guards |= angle[5] > 0;
        }
        for (int k = 0; k < CENTRE_INVERSIONS; ++k)
            take_numbers(from->inversions[k], v, o, 4, to->inversion[k]);
    }
    return true;
}

static void fill_torsion(rotor_row *r, int m, const shoal_term *term, bool first)
{
    r->n[m] = (int32_t)term->p[SHOAL_TORSION_N];
    r->v[m] = (real)term->p[SHOAL_TORSION_V];
    r->d[m] = (real)term->p[SHOAL_TORSION_D];
    r->slope[m] = r->v[m] * r->d[m] * (real)r->n[m];
    r->common = first || r->common == r->n[m] ? r->n[m] : 0;
}

static bool fill_rotors(tables *t, const cpu_shape *s)
{
    t->rotors = arena_alloc(&t->memory, (size_t)s->n_rotors, sizeof *t->rotors);
    if (!t->rotors) return false;
    t->n_rotors = s->n_rotors;
    for (int32_t n = 0; n < s->n_rotors; ++n) {
        const cpu_rotor *from = &s->rotors[n];
        rotor_row *to = &t->rotors[n];
        bool first = true;
        *to = (rotor_row){.j = from->j, .k = from->k, .n_near = from->n_near, .n_far = from->n_far};
        for (int a = 0; a < ROTOR_SIDE; ++a) {
            to->arm[a] = from->near[a];
            to->arm[ROTOR_SIDE + a] = from->far[a];
        }
        for (int m = 0; m < ROTOR_TORSIONS; ++m) {
            const shoal_term *term = from->torsions[m / ROTOR_SIDE][m % ROTOR_SIDE];
            if (!term) continue;
            fill_torsion(to, m, term, first);
            first = false;
        }
    }
    return true;
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

static bool fill_bonded(tables *t, const cpu_shape *s, const shoal_topology_view *v,
                        const shoal_engine_options *o)
{
    if (s->has_centres && !fill_centres(t, s, v, o)) return false;
    if (s->has_rotors && !fill_rotors(t, s)) return false;
    for (int kind = 0; kind < TERM_N_KINDS; ++kind) {
        const bool at_atoms =
            kind == SHOAL_KIND_BOND || kind == SHOAL_KIND_ANGLE || kind == SHOAL_KIND_INVERSION;
        if ((at_atoms && s->has_centres) || (kind == SHOAL_KIND_TORSION && s->has_rotors)) continue;
        if (!fill_kind(t, v, o, kind)) return false;
    }
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

static void *tables_create(const shoal_topology_view *v, const cpu_shape *s,
                           const shoal_engine_options *o, bool one_system)
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
        !fill_bonded(t, s, v, o) || !(one_system ? fill_rows(t, v, o) : fill_pairs(t, v, o))) {
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
