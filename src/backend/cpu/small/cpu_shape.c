/* SPDX-License-Identifier: BSD-3-Clause
 * Finds the centres and rotors of a topology. What does not fit (atoms with five bonds, angles between
 * atoms that are not bonded, two torsions of the same atoms) leaves a topology without them. */
#include "backend/cpu/small/cpu_shape.h"

#include <stdlib.h>

#include "ff/pair_model.h"

/* Systems of more atoms are not mixed: their pairs alone fill the caches. */
#define MIXED_ATOMS 128

const int centre_angle_places[CENTRE_ARMS][CENTRE_ARMS] = {
    {-1, 0, 1, 2}, {0, -1, 3, 4}, {1, 3, -1, 5}, {2, 4, 5, -1}};

static int find_arm(const cpu_centre *c, int32_t atom)
{
    int a = 0;
    while (a < c->n_arms && c->arms[a] != atom) ++a;
    return a < c->n_arms ? a : -1;
}

static bool add_arm(cpu_centre *c, int32_t atom, const shoal_term *bond)
{
    if (c->n_arms == CENTRE_ARMS || find_arm(c, atom) >= 0 || atom == c->atom) return false;
    c->bonds[c->n_arms] = bond;
    c->arms[c->n_arms++] = atom;
    return true;
}

static bool add_bonds(cpu_centre *all, const shoal_topology_view *v)
{
    const shoal_term *t = terms_of(v, SHOAL_KIND_BOND);
    for (int32_t n = 0; n < terms_count(v, SHOAL_KIND_BOND); ++n) {
        const int32_t i = t[n].atoms[0], j = t[n].atoms[1];
        if (!add_arm(&all[i], j, &t[n]) || !add_arm(&all[j], i, &t[n])) return false;
    }
    return true;
}

static bool add_angles(cpu_centre *all, const shoal_topology_view *v)
{
    const shoal_term *t = terms_of(v, SHOAL_KIND_ANGLE);
    for (int32_t n = 0; n < terms_count(v, SHOAL_KIND_ANGLE); ++n) {
        cpu_centre *c = &all[t[n].atoms[1]];
        const int a = find_arm(c, t[n].atoms[0]), b = find_arm(c, t[n].atoms[2]);
        if (a < 0 || b < 0 || a == b || c->angles[centre_angle_places[a][b]]) return false;
        c->angles[centre_angle_places[a][b]] = &t[n];
    }
    return true;
}

static bool add_inversions(cpu_centre *all, const shoal_topology_view *v)
{
    const shoal_term *t = terms_of(v, SHOAL_KIND_INVERSION);
    for (int32_t n = 0; n < terms_count(v, SHOAL_KIND_INVERSION); ++n) {
        cpu_centre *c = &all[t[n].atoms[1]];
        const int a = find_arm(c, t[n].atoms[0]), b = find_arm(c, t[n].atoms[2]);
        const int out = find_arm(c, t[n].atoms[3]);
        if (c->n_arms != 3 || a < 0 || b < 0 || out < 0 || a == b || a == out || b == out)
            return false;
        if (c->inversions[out]) return false;
        c->inversions[out] = &t[n];
        c->inverts = true;
    }
    return true;
}

static int compare_centres(const void *a, const void *b)
{
    const cpu_centre *p = a, *q = b;
    if (p->n_arms != q->n_arms) return q->n_arms - p->n_arms;
    if (p->inverts != q->inverts) return q->inverts - p->inverts;
    return p->atom - q->atom;
}

/* An end of a molecule is no centre, but of a lone bond one of the two is. */
static bool is_centre(const cpu_centre *all, const cpu_centre *c)
{
    if (c->n_arms != 1) return c->n_arms > 1;
    return all[c->arms[0]].n_arms == 1 && c->atom < c->arms[0];
}

/* A bond is counted where it is met first. */
static shoal_status count_bonds_once(cpu_shape *s, int32_t n_atoms)
{
    bool *met = calloc((size_t)n_atoms + 1, sizeof *met);
    if (!met) return shoal_fail(SHOAL_E_MEMORY, "out of memory: %d atoms", n_atoms);
    for (int32_t n = 0; n < s->n_centres; ++n) {
        cpu_centre *c = &s->centres[n];
        for (int a = 0; a < c->n_arms; ++a)
            if (met[c->arms[a]]) c->bonds[a] = NULL;
        met[c->atom] = true;
    }
    free(met);
    return SHOAL_OK;
}

static shoal_status find_centres(cpu_shape *s, const shoal_topology_view *v, arena *memory)
{
    cpu_centre *all = arena_alloc(memory, (size_t)v->n_atoms, sizeof *all);
    if (!all) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < v->n_atoms; ++i) all[i].atom = i;
    s->has_centres = add_bonds(all, v) && add_angles(all, v) && add_inversions(all, v);
    if (!s->has_centres) return SHOAL_OK;
    s->centres = arena_alloc_dirty(memory, (size_t)v->n_atoms, sizeof *s->centres);
    if (!s->centres) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < v->n_atoms; ++i)
        if (is_centre(all, &all[i])) s->centres[s->n_centres++] = all[i];
    qsort(s->centres, (size_t)s->n_centres, sizeof *s->centres, compare_centres);
    return count_bonds_once(s, v->n_atoms);
}

/* Place of an atom on one side of a rotor, where it is put if there is room; -1: none. */
static int find_side(int32_t side[ROTOR_SIDE], int32_t *n, int32_t atom)
{
    int a = 0;
    while (a < *n && side[a] != atom) ++a;
    if (a == ROTOR_SIDE) return -1;
    if (a == *n) side[(*n)++] = atom;
    return a;
}

static bool add_torsion(cpu_rotor *r, const shoal_term *t)
{
    const int a = find_side(r->near, &r->n_near, t->atoms[0]);
    const int b = find_side(r->far, &r->n_far, t->atoms[3]);
    if (a < 0 || b < 0 || r->torsions[a][b]) return false;
    r->torsions[a][b] = t;
    return true;
}

/* A torsion is the same from both ends. */
static cpu_rotor turn_round(const cpu_rotor *r)
{
    cpu_rotor t = {.j = r->k, .k = r->j, .n_near = r->n_far, .n_far = r->n_near};
    for (int a = 0; a < ROTOR_SIDE; ++a) {
        t.near[a] = r->far[a];
        t.far[a] = r->near[a];
        for (int b = 0; b < ROTOR_SIDE; ++b) t.torsions[a][b] = r->torsions[b][a];
    }
    return t;
}

static int periodicity(const cpu_rotor *r)
{
    for (int k = 0; k < ROTOR_TORSIONS; ++k)
        if (r->torsions[k / ROTOR_SIDE][k % ROTOR_SIDE])
            return (int)r->torsions[k / ROTOR_SIDE][k % ROTOR_SIDE]->p[SHOAL_TORSION_N];
    return 0;
}

static int compare_rotors(const void *a, const void *b)
{
    const cpu_rotor *p = a, *q = b;
    const int n = periodicity(p), m = periodicity(q);
    if (p->n_near != q->n_near) return q->n_near - p->n_near;
    if (p->n_far != q->n_far) return q->n_far - p->n_far;
    if (n != m) return m - n;
    if (p->j != q->j) return p->j - q->j;
    return p->k - q->k;
}

/* Topologies list the torsions about a bond one after the other; those that do it otherwise have no
 * rotors, because two of the same bond would have no order. */
static bool is_new_bond(const cpu_shape *s, const cpu_rotor *r)
{
    for (int32_t n = 0; n < s->n_rotors; ++n) {
        const cpu_rotor *q = &s->rotors[n];
        if ((q->j == r->j && q->k == r->k) || (q->j == r->k && q->k == r->j)) return false;
    }
    return true;
}

static shoal_status find_rotors(cpu_shape *s, const shoal_topology_view *v, arena *memory)
{
    const shoal_term *t = terms_of(v, SHOAL_KIND_TORSION);
    const int32_t n_torsions = terms_count(v, SHOAL_KIND_TORSION);
    int32_t n_bonds = 0;
    for (int32_t n = 0; n < n_torsions; ++n)
        n_bonds +=
            n == 0 || t[n].atoms[1] != t[n - 1].atoms[1] || t[n].atoms[2] != t[n - 1].atoms[2];
    s->rotors = arena_alloc(memory, (size_t)n_bonds, sizeof *s->rotors);
    if (!s->rotors) return SHOAL_E_MEMORY;
    s->has_rotors = true;
    for (int32_t n = 0; n < n_torsions && s->has_rotors;) {
        cpu_rotor *r = &s->rotors[s->n_rotors];
        r->j = t[n].atoms[1];
        r->k = t[n].atoms[2];
        s->has_rotors = is_new_bond(s, r);
        for (; n < n_torsions && t[n].atoms[1] == r->j && t[n].atoms[2] == r->k; ++n)
            s->has_rotors &= add_torsion(r, &t[n]);
        if (r->n_far > r->n_near) *r = turn_round(r);
        ++s->n_rotors;
    }
    if (!s->has_rotors) s->n_rotors = 0;
    qsort(s->rotors, (size_t)s->n_rotors, sizeof *s->rotors, compare_rotors);
    return SHOAL_OK;
}

static bool has_off(const shoal_engine_options *o, uint32_t terms)
{
    return (o->terms_off & terms) != 0;
}

/* Terms that nodes take and centres do not. */
static bool has_node_terms(const shoal_topology_view *v)
{
    return terms_count(v, SHOAL_KIND_HALF_ANGLE) > 0 || terms_count(v, SHOAL_KIND_SIGMA_PI) > 0 ||
           terms_count(v, SHOAL_KIND_PI_PI) > 0;
}

/* Whether lanes of unlike systems have a kind; what centres, nodes and rotors did not take they lack but for some. */
static bool is_mixed(const cpu_shape *s, int kind)
{
    switch (kind) {
    case SHOAL_KIND_BOND: return s->has_centres || s->has_nodes;
    case SHOAL_KIND_INVERSION: return s->has_centres;
    case SHOAL_KIND_TORSION: return s->has_rotors;
    case SHOAL_KIND_HALF_ANGLE:
    case SHOAL_KIND_SIGMA_PI:
    case SHOAL_KIND_PI_PI: return s->has_nodes;
#define KNOWN(NAME) case SHOAL_KIND_##NAME:
        CPU_MIXED_KINDS(KNOWN)
#undef KNOWN
        return true;
    default: return false;
    }
}

static bool has_special_terms(const shoal_topology_view *v, const cpu_shape *s)
{
    for (int kind = 0; kind < TERM_N_KINDS; ++kind)
        if (!is_mixed(s, kind) && terms_count(v, kind) > 0) return true;
    return false;
}

/* The same pairs in the same order as lanes of unlike systems go through theirs. */
static bool has_ordered_ranges(const shoal_topology_view *v)
{
    const shoal_term *terms = terms_of(v, SHOAL_KIND_RANGE);
    const int32_t n = terms_count(v, SHOAL_KIND_RANGE);
    for (int32_t k = 0; k < n; ++k) {
        const int32_t *a = terms[k].atoms, *before = k > 0 ? terms[k - 1].atoms : a;
        if (a[0] >= a[1] || a[0] < before[0]) return false;
        if (k > 0 && a[0] == before[0] && a[1] <= before[1]) return false;
    }
    return n > 0;
}

/* Distance geometry: ranges, volumes and nothing else. */
static bool has_ranges_alone(const shoal_topology_view *v, const shoal_engine_options *o)
{
    const uint32_t both = 1u << SHOAL_TERM_BOND | 1u << SHOAL_TERM_INVERSION;
    for (int kind = 0; kind < TERM_N_KINDS; ++kind)
        if (kind != SHOAL_KIND_RANGE && kind != SHOAL_KIND_VOLUME &&
            terms_count_on(v, kind, o->terms_off) > 0)
            return false;
    if (!has_off(o, 1u << SHOAL_TERM_VDW) || has_off(o, both) || o->surface || o->pair_clamp > 0)
        return false;
    if (v->has_charges && !has_off(o, 1u << SHOAL_TERM_COULOMB)) return false;
    return v->n_sites == 0 && v->n_directions == 0 && !v->model && has_ordered_ranges(v);
}

shoal_status cpu_shape_find(cpu_shape *out, const shoal_topology_view *v,
                            const shoal_engine_options *o, arena *memory)
{
    const uint32_t at_atoms =
        1u << SHOAL_TERM_BOND | 1u << SHOAL_TERM_ANGLE | 1u << SHOAL_TERM_INVERSION;
    const uint32_t at_nodes = 1u << SHOAL_TERM_BOND | 1u << SHOAL_TERM_ANGLE |
                              1u << SHOAL_TERM_SIGMA_PI | 1u << SHOAL_TERM_PI_PI;
    const uint32_t others = 1u << SHOAL_TERM_TORSION | 1u << SHOAL_TERM_VDW;
    const bool nodes = has_node_terms(v);
    *out = (cpu_shape){0};
    if (o->plain_terms) return SHOAL_OK;
    if (nodes && !has_off(o, at_nodes)) SHOAL_TRY(cpu_shape_find_nodes(out, v, memory));
    if (!nodes && !has_off(o, at_atoms)) SHOAL_TRY(find_centres(out, v, memory));
    if (!has_off(o, 1u << SHOAL_TERM_TORSION)) SHOAL_TRY(find_rotors(out, v, memory));
    const bool special = has_special_terms(v, out) || o->surface || v->n_sites > 0 ||
                         (v->model && v->model->formula);
    out->mixes = !has_off(o, others | (nodes ? at_nodes : at_atoms)) && !special &&
                 v->n_atoms <= MIXED_ATOMS && !(v->n_directions > 0 && !nodes);
    out->has_ranges = has_ranges_alone(v, o);
    out->mixes |= out->has_ranges && v->n_atoms <= MIXED_ATOMS;
    return SHOAL_OK;
}
