/* SPDX-License-Identifier: BSD-3-Clause
 * Parameters of one topology in the precision of the kernels. Included by the template
 * cpu_kernels.c after real.h. */
#include <stdlib.h>

#include "backend/stiffness.h"
#include "backend/term_numbers.h"
#include "base/arena.h"

#include "ewald_terms.h"
#include "restraint_terms.h"
#include "site_terms.h"

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

/* An atom with its bonds, half angles and direction, see cpu_shape.h; what is not there is zero. */
typedef struct node_row {
    int32_t atom, n_arms, arm[CENTRE_ARMS];
    bool turns; /* has a direction */
    int32_t direction, n_twists, partner[CENTRE_ARMS];
    real k[CENTRE_ARMS], r0[CENTRE_ARMS];
    real angle[CENTRE_ANGLES][3];
    real tilt[CENTRE_ARMS][2], twist[CENTRE_ARMS][3];
} node_row;

/* In place of a periodicity: they differ, but are all those of UFF, 2, 3 and 6. */
#define ROTOR_USUAL (-1)

static inline bool rotor_is_usual(int32_t n)
{
    return n == 2 || n == 3 || n == 6 || n == ROTOR_USUAL;
}

/* What two torsions or rotors have in common; 0: nothing. */
static inline int32_t rotor_common(int32_t a, int32_t b)
{
    if (a == b) return a;
    return rotor_is_usual(a) && rotor_is_usual(b) ? ROTOR_USUAL : 0;
}

/* A bond j-k with the torsions about it: arms next to j, and from ROTOR_SIDE on those next to k. */
typedef struct rotor_row {
    int32_t j, k, n_near, n_far, arm[ROTOR_ARMS];
    int32_t common; /* periodicity of all torsions; ROTOR_USUAL or 0: they differ */
    int32_t n[ROTOR_TORSIONS];
    real v[ROTOR_TORSIONS], d[ROTOR_TORSIONS], slope[ROTOR_TORSIONS]; /* slope = v d n */
} rotor_row;

/* The preconditioner of L-BFGS: factors of a rough Hessian in this precision, see stiffness.h. */
typedef struct preconditioner {
    stiffness stiff;
    int32_t n_points;
    real *share, *inverse;
} preconditioner;

static bool fill_preconditioner(preconditioner *p, const shoal_topology_view *v, const bool *fixed,
                                const int32_t *bodies, uint32_t terms_off, arena *memory)
{
    shoal_topology_view bonds = *v;
    if (terms_off >> SHOAL_TERM_BOND & 1) bonds.term_start = terms_none;
    if (stiffness_factorise(&p->stiff, &bonds, fixed, bodies, memory) != SHOAL_OK) return false;
    const int32_t n = p->stiff.start[p->stiff.n];
    p->n_points = v->n_atoms;
    p->share = arena_alloc_dirty(memory, (size_t)n, sizeof *p->share);
    p->inverse = arena_alloc_dirty(memory, (size_t)p->stiff.n, sizeof *p->inverse);
    if (!p->share || !p->inverse) return false;
    for (int32_t k = 0; k < n; ++k) p->share[k] = (real)p->stiff.share[k];
    for (int32_t i = 0; i < p->stiff.n; ++i) p->inverse[i] = (real)p->stiff.inverse[i];
    return true;
}

/* The terms of one kind that no fast path took. */
typedef struct kind_table {
    int32_t n;
    int32_t *atoms; /* [n][n_atoms of the kind] */
    real *numbers;  /* [n][n_numbers of the kind] */
} kind_table;

/* Ranges of an atom with the atoms of a vector; k is 0 where there is none. */
typedef struct range_row {
    vec k, lower2, upper;
} range_row;

enum { RANGE_MOST = 1024 /* atoms of a small system, in whole vectors */ };

/* A site beside an atom, see shoal_site. */
typedef struct site_row {
    int32_t host, from[3], to[3];
    int plain;
    real x[3], y[3], local[3];
} site_row;

static site_row site_row_of(const shoal_site *s)
{
    site_row r = {.host = s->host, .plain = s->local[1] == 0 && s->local[2] == 0};
    for (int k = 0; k < 3; ++k) {
        r.from[k] = s->from[k];
        r.to[k] = s->to[k];
        r.x[k] = (real)s->x[k];
        r.y[k] = (real)s->y[k];
        r.local[k] = (real)s->local[k];
    }
    return r;
}

/* Pairs of a formula: partners as pair_start has them, and the inputs that it uses, r excepted. */
typedef struct formula_table {
    int32_t n_used, used[FORMULA_N_PAIR];
    int32_t *partners;
    double *inputs; /* [pairs][n_used] */
} formula_table;

enum { FORMULA_WIDTH = 64 }; /* pairs of a block */

/* Working memory of a formula, for one thread. */
typedef struct formula_room {
    double inputs[FORMULA_N_PAIR][FORMULA_WIDTH], energy[FORMULA_WIDTH], slope[FORMULA_WIDTH];
    double *registers;
} formula_room;

/* NULL when memory is out; without a formula there is nothing in it. */
static formula_room *formula_room_create(const shoal_pair_model *m, arena *memory)
{
    const bool has_one = m && m->formula;
    const size_t n = has_one ? (size_t)formula_n_registers(m->formula) * FORMULA_WIDTH : 0;
    formula_room *room = arena_alloc(memory, 1, has_one ? sizeof *room : 1);
    double *registers = arena_alloc(memory, n, sizeof *registers);
    if (!room || !registers || !has_one) return registers ? room : NULL;
    room->registers = registers;
    formula_set(m->formula, m->named, registers, FORMULA_WIDTH);
    return room;
}

/* A pair that was taken at r: its force, and its energy, which goes on along a straight line where it is nearer. */
SHOAL_FN v3 formula_push(double r, double slope, v3 d, double *energy)
{
    const double r2 = (double)v3_dot(d, d), nearer = r2 < r * r ? sqrt(r2) : r;
    if (nearer == r) return v3_scale((real)(-slope / r), d);
    *energy += slope * (nearer - r);
    return v3_scale((real)(-slope / nearer), d);
}

typedef struct tables {
    arena memory; /* of this struct and all below it */
    int32_t n_points, n_centres, n_rotors;
    int32_t n_sites, n_particles; /* atoms and sites */
    int32_t n_directions;         /* behind the atoms; there are no sites then */
    uint32_t terms_off;
    bool has_charges;
    real damping2;
    kind_table kinds[TERM_N_KINDS];
    centre_row *centres; /* take all bonds, angles and inversions, or none */
    rotor_row *rotors;   /* take all torsions, or none */
    int32_t n_nodes;
    node_row *nodes;     /* take all bonds, half angles and terms of directions, or none */
    bool has_ranges;     /* nothing acts but ranges and volumes: there are no pairs */
    bool one_system;     /* pairs as rows; for many systems: one by one */
    int32_t n_tiles;     /* of PAIR_TILE atoms */
    int32_t *pair_start; /* [n_tiles][n_points] + 1: pairs of an atom with higher ones of a tile */
    pair_par *pairs;
    range_row *
        range_rows; /* of one system with has_ranges: atom by atom, from the vector with the first higher one on */
    pair_row *rows;  /* tile by tile, atom by atom, from the vector with the first higher one on */
    cpu_model model; /* the same in other numbers: */
    model_constants constants;
    model_par *model_pairs;
    model_row *model_rows;
    formula_table formula;
    /* Where pairs may be clamped, squares of the distances of their minima, as pairs or as rows; else NULL. */
    real *reach2;
    vec *reach_rows;
    site_row *sites;
    preconditioner precond; /* once tables_precondition was asked */
    bool is_preconditioned;
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

static void fill_node(node_row *to, const cpu_node *from, const shoal_topology_view *v,
                      const shoal_engine_options *o)
{
    *to = (node_row){.atom = from->atom,
                     .n_arms = from->n_arms,
                     .turns = from->direction >= 0,
                     .direction = from->direction,
                     .n_twists = from->n_twists};
    for (int a = 0; a < from->n_arms; ++a) {
        real bond[2];
        take_numbers(from->bonds[a], v, o, 2, bond);
        take_numbers(from->tilts[a], v, o, 2, to->tilt[a]);
        to->arm[a] = from->arms[a];
        to->k[a] = bond[0];
        to->r0[a] = bond[1];
    }
    for (int k = 0; k < CENTRE_ANGLES; ++k) take_numbers(from->angles[k], v, o, 3, to->angle[k]);
    for (int k = 0; k < from->n_twists; ++k) {
        take_numbers(from->twists[k], v, o, 3, to->twist[k]);
        to->partner[k] = from->twists[k]->atoms[1];
    }
}

static bool fill_nodes(tables *t, const cpu_shape *s, const shoal_topology_view *v,
                       const shoal_engine_options *o)
{
    t->nodes = arena_alloc(&t->memory, (size_t)s->n_nodes, sizeof *t->nodes);
    if (!t->nodes) return false;
    t->n_nodes = s->n_nodes;
    for (int32_t n = 0; n < s->n_nodes; ++n) fill_node(&t->nodes[n], &s->nodes[n], v, o);
    return true;
}

static void fill_torsion(rotor_row *r, int m, const shoal_term *term, bool first)
{
    r->n[m] = (int32_t)term->p[SHOAL_TORSION_N];
    r->v[m] = (real)term->p[SHOAL_TORSION_V];
    r->d[m] = (real)term->p[SHOAL_TORSION_D];
    r->slope[m] = r->v[m] * r->d[m] * (real)r->n[m];
    r->common = first ? r->n[m] : rotor_common(r->common, r->n[m]);
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

/* Whether the fast paths have taken a kind. */
static bool is_taken(const cpu_shape *s, int kind)
{
    switch (kind) {
    case SHOAL_KIND_BOND: return s->has_centres || s->has_nodes;
    case SHOAL_KIND_ANGLE:
    case SHOAL_KIND_INVERSION: return s->has_centres;
    case SHOAL_KIND_TORSION: return s->has_rotors;
    case SHOAL_KIND_HALF_ANGLE:
    case SHOAL_KIND_SIGMA_PI:
    case SHOAL_KIND_PI_PI: return s->has_nodes;
    default: return false;
    }
}

static bool fill_bonded(tables *t, const cpu_shape *s, const shoal_topology_view *v,
                        const shoal_engine_options *o)
{
    if (s->has_centres && !fill_centres(t, s, v, o)) return false;
    if (s->has_rotors && !fill_rotors(t, s)) return false;
    if (s->has_nodes && !fill_nodes(t, s, v, o)) return false;
    for (int kind = 0; kind < TERM_N_KINDS; ++kind)
        if (!is_taken(s, kind) && !fill_kind(t, v, o, kind)) return false;
    return true;
}

static model_par model_parameters(const shoal_topology_view *v, const cpu_model *m, int32_t i,
                                  int32_t j)
{
    pair_numbers n = {0};
    if (m->family != CPU_NO_VDW) n = pair_model_numbers(m->from, v, i, j);
    if (m->family == FORM_BUFFERED && n.k > 0)
        n = (pair_numbers){.a = BUFFERED_WALL * n.a, .k = 1 / n.k};
    return (model_par){j, (real)n.a, (real)n.b, (real)n.k,
                       (real)(pair_model_unit(m->from) * v->charges[i] * v->charges[j])};
}

/* A topology whose pairs are listed; tables are filled where there is room for them, else only counted. */
typedef struct pair_lister {
    const shoal_topology_view *v;
    const shoal_engine_options *o;
    int32_t n; /* particles */
    tables *t;
} pair_lister;

/* The lanes of a row, partners from first on, that are pairs of atom i: behind it, and not excluded. */
static uint32_t find_partners(const pair_lister *p, int32_t i, int32_t first)
{
    const uint32_t all = UINT32_MAX >> (32 - SHOAL_LANES);
    const int32_t n = p->n - first, n_before = i < first ? 0 : i + 1 - first;
    uint32_t there = n < SHOAL_LANES ? all >> (SHOAL_LANES - n) : all;
    there &= all << n_before;
    for (int32_t e = p->v->exclude_start[i]; e < p->v->exclude_start[i + 1]; ++e) {
        const int32_t l = p->v->excluded[e].atom - first;
        if (l >= 0 && l < SHOAL_LANES) there &= ~(UINT32_C(1) << l);
    }
    return there;
}

static void fill_row(const pair_lister *p, int32_t i, int32_t first, pair_row *row)
{
    const uint32_t there = find_partners(p, i, first);
    for (int l = 0; l < SHOAL_LANES; ++l) {
        pair_par par = {.x6 = R(-1.0)};
        if (there >> l & 1) par = pair_parameters(p->v, p->o, i, first + l);
        row->x6[l] = par.x6;
        row->c6[l] = par.c6;
        row->kqq[l] = par.kqq;
    }
}

static void fill_reach_row(const pair_lister *p, int32_t i, int32_t first, vec *row)
{
    const bool arithmetic = p->o->mixing == SHOAL_MIXING_ARITHMETIC;
    const uint32_t there = find_partners(p, i, first);
    for (int l = 0; l < SHOAL_LANES; ++l)
        (*row)[l] =
            there >> l & 1 ? (real)pair_model_reach2(p->v, arithmetic, i, first + l) : R(0.0);
}

static void fill_model_row(const pair_lister *p, int32_t i, int32_t first, model_row *row)
{
    const uint32_t there = find_partners(p, i, first);
    for (int l = 0; l < SHOAL_LANES; ++l) {
        model_par par = {.k = R(-1.0)};
        if (there >> l & 1) par = model_parameters(p->v, &p->t->model, i, first + l);
        row->a[l] = par.a;
        row->b[l] = par.b;
        row->k[l] = par.k;
        row->kqq[l] = par.kqq;
    }
}

/* The pairs of a single system as rows. */
static int32_t list_rows(const pair_lister *p)
{
    int32_t n = 0;
    for (int32_t tile = 0; tile < p->n; tile += PAIR_TILE) {
        const int32_t end = tile + PAIR_TILE < p->n ? tile + PAIR_TILE : p->n;
        for (int32_t i = 0; i + 1 < end; ++i) {
            const int32_t skip = i < tile ? 0 : (i + 1 - tile) / SHOAL_LANES * SHOAL_LANES;
            for (int32_t j = tile + skip; j < end; j += SHOAL_LANES, ++n) {
                if (p->t->rows) fill_row(p, i, j, &p->t->rows[n]);
                if (p->t->model_rows) fill_model_row(p, i, j, &p->t->model_rows[n]);
                if (p->t->reach_rows) fill_reach_row(p, i, j, &p->t->reach_rows[n]);
            }
        }
    }
    return n;
}

static void fill_inputs(const pair_lister *p, int32_t i, int32_t j, int32_t n)
{
    const formula_table *f = &p->t->formula;
    double in[FORMULA_N_PAIR];
    pair_model_inputs(p->v, i, j, in);
    f->partners[n] = j;
    for (int32_t k = 0; k < f->n_used; ++k)
        f->inputs[(size_t)n * (size_t)f->n_used + (size_t)k] = in[f->used[k]];
}

static void fill_pair(const pair_lister *p, int32_t i, int32_t j, int32_t n)
{
    tables *t = p->t;
    if (t->pairs) t->pairs[n] = pair_parameters(p->v, p->o, i, j);
    if (t->model_pairs) t->model_pairs[n] = model_parameters(p->v, &t->model, i, j);
    if (t->formula.partners) fill_inputs(p, i, j, n);
    if (t->reach2)
        t->reach2[n] = (real)pair_model_reach2(p->v, p->o->mixing == SHOAL_MIXING_ARITHMETIC, i, j);
}

/* All pairs i < j that are not excluded, tile by tile of j, so that the coordinates and forces of a
 * tile stay in the first-level cache. */
static int32_t list_pairs(const pair_lister *p)
{
    const shoal_topology_view *v = p->v;
    int32_t n = 0, segment = 0;
    for (int32_t tile = 0; tile < p->n; tile += PAIR_TILE) {
        const int32_t end = tile + PAIR_TILE < p->n ? tile + PAIR_TILE : p->n;
        for (int32_t i = 0; i < p->n; ++i) {
            int32_t e = v->exclude_start[i];
            p->t->pair_start[segment++] = n;
            for (int32_t j = i + 1 > tile ? i + 1 : tile; j < end; ++j) {
                while (e < v->exclude_start[i + 1] && v->excluded[e].atom < j) ++e;
                if (e < v->exclude_start[i + 1] && v->excluded[e].atom == j) continue;
                fill_pair(p, i, j, n);
                ++n;
            }
        }
    }
    p->t->pair_start[segment] = n;
    return n;
}

/* Aligned for vectors. */
static void *allot_rows(arena *memory, size_t n, size_t size)
{
    unsigned char *p = arena_alloc_dirty(memory, n * size + sizeof(vec), 1);
    return p ? p + (sizeof(vec) - (uintptr_t)p % sizeof(vec)) % sizeof(vec) : NULL;
}

static bool fill_rows(const pair_lister *p)
{
    tables *t = p->t;
    const size_t n = (size_t)list_rows(p);
    if (t->model.from)
        t->model_rows = allot_rows(&t->memory, n, sizeof *t->model_rows);
    else
        t->rows = allot_rows(&t->memory, n, sizeof *t->rows);
    if (p->o->pair_clamp > 0) t->reach_rows = allot_rows(&t->memory, n, sizeof *t->reach_rows);
    if ((!t->rows && !t->model_rows) || (p->o->pair_clamp > 0 && !t->reach_rows)) return false;
    (void)list_rows(p);
    return true;
}

static bool allot_formula(tables *t, size_t n)
{
    formula_table *f = &t->formula;
    for (int32_t k = 0; k < FORMULA_N_PAIR; ++k)
        if (k != FORMULA_IN_R && formula_uses(t->model.from->formula, k)) f->used[f->n_used++] = k;
    f->partners = arena_alloc_dirty(&t->memory, n, sizeof *f->partners);
    f->inputs = arena_alloc_dirty(&t->memory, n * (size_t)f->n_used, sizeof *f->inputs);
    return f->partners && f->inputs;
}

static bool allot_pairs(tables *t, const shoal_engine_options *o, size_t n)
{
    if (o->pair_clamp > 0) {
        t->reach2 = arena_alloc_dirty(&t->memory, n, sizeof *t->reach2);
        if (!t->reach2) return false;
    }
    if (t->model.family == FORM_FORMULA) return allot_formula(t, n);
    if (t->model.from) {
        t->model_pairs = arena_alloc_dirty(&t->memory, n, sizeof *t->model_pairs);
        return t->model_pairs;
    }
    t->pairs = arena_alloc_dirty(&t->memory, n, sizeof *t->pairs);
    return t->pairs;
}

static bool fill_pairs(const pair_lister *p)
{
    tables *t = p->t;
    t->n_tiles = (p->n + PAIR_TILE - 1) / PAIR_TILE;
    const size_t n_segments = (size_t)t->n_tiles * (size_t)p->n;
    t->pair_start = arena_alloc_dirty(&t->memory, n_segments + 1, sizeof *t->pair_start);
    if (!t->pair_start || !allot_pairs(t, p->o, (size_t)list_pairs(p))) return false;
    (void)list_pairs(p);
    return true;
}

static bool fill_range_rows(tables *t)
{
    const kind_table *k = &t->kinds[TERM_KIND_RANGE];
    const int32_t n = t->n_points, n_vectors = (n + SHOAL_LANES - 1) / SHOAL_LANES;
    size_t n_rows = 0, row = 0;
    for (int32_t i = 0; i < n; ++i) n_rows += (size_t)(n_vectors - (i + 1) / SHOAL_LANES);
    t->range_rows = allot_rows(&t->memory, n_rows, sizeof *t->range_rows);
    if (!t->range_rows) return false;
    memset(t->range_rows, 0, n_rows * sizeof *t->range_rows);
    for (int32_t i = 0, m = 0; i < n; ++i) {
        const int32_t first = (i + 1) / SHOAL_LANES;
        for (; m < k->n && k->atoms[2 * m] == i; ++m) {
            const int32_t j = k->atoms[2 * m + 1];
            range_row *to = &t->range_rows[row + (size_t)(j / SHOAL_LANES - first)];
            to->k[j % SHOAL_LANES] = k->numbers[3 * m];
            to->lower2[j % SHOAL_LANES] = k->numbers[3 * m + 1];
            to->upper[j % SHOAL_LANES] = k->numbers[3 * m + 2];
        }
        row += (size_t)(n_vectors - first);
    }
    return true;
}

static bool fill_sites(tables *t, const shoal_topology_view *v)
{
    t->sites = arena_alloc_dirty(&t->memory, (size_t)v->n_sites, sizeof *t->sites);
    for (int32_t k = 0; k < v->n_sites && t->sites; ++k) t->sites[k] = site_row_of(&v->sites[k]);
    return t->sites;
}

/* A formula has one list for both; ranges alone leave no pairs. */
static bool fill_all_pairs(tables *t, const shoal_topology_view *v, const shoal_engine_options *o)
{
    const pair_lister p = {v, o, t->n_particles, t};
    if (t->has_ranges) return !t->one_system || fill_range_rows(t);
    return t->one_system && t->model.family != FORM_FORMULA ? fill_rows(&p) : fill_pairs(&p);
}

/* The clamp of a system, squared. */
SHOAL_FN real clamp2_of(const backend_system *s)
{
    return (real)s->pair_clamp * (real)s->pair_clamp;
}

static bool tables_precondition(void *p, const shoal_topology_view *v)
{
    tables *t = p;
    if (!t->is_preconditioned)
        t->is_preconditioned =
            fill_preconditioner(&t->precond, v, NULL, NULL, t->terms_off, &t->memory);
    return t->is_preconditioned;
}

static void *tables_create(const shoal_topology_view *v, const cpu_shape *s,
                           const shoal_engine_options *o, bool one_system)
{
    arena memory = {0};
    tables *t = arena_alloc(&memory, 1, sizeof *t);
    if (!t) return NULL;
    t->memory = memory;
    t->one_system = one_system;
    t->has_ranges = s->has_ranges;
    t->n_points = v->n_atoms;
    t->n_sites = v->n_sites;
    t->n_particles = v->n_atoms + v->n_sites;
    t->n_directions = v->n_directions;
    t->model = cpu_model_of(v, o);
    t->constants = (model_constants){(real)t->model.beta, (real)t->model.damping};
    t->terms_off = o->terms_off;
    t->has_charges = v->has_charges && !(o->terms_off >> SHOAL_TERM_COULOMB & 1);
    t->damping2 = (real)(o->coulomb_damping * o->coulomb_damping);
    if (!fill_bonded(t, s, v, o) || !fill_sites(t, v) || !fill_all_pairs(t, v, o)) {
        tables_destroy(t);
        return NULL;
    }
    if (!o->surface || o->terms_off >> SHOAL_TERM_SURFACE & 1) return t;
    if (o->grid)
        t->surface = surface_tables_create(v, o->surface, o->grid, o->n_threads);
    else
        t->direct = direct_create(v, o->surface);
    if (t->surface || t->direct) return t;
    tables_destroy(t);
    return NULL;
}
