/* SPDX-License-Identifier: BSD-3-Clause
 * Terms of MMFFsp3: bonds, angles of all slots of a node, and what turns its pi vector. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "chem/element.h"
#include "ff/builder.h"
#include "ff/mmff.h"

#include "constants.h"

#define NO_CONSTANT 1e-6   /* eV: pi vectors do not know weaker terms */
#define PAIR_LENGTH 0.5    /* angstrom, of an electron pair from its atom */
#define PAIR_CONSTANT 10.0 /* eV/angstrom^2 */

/* Halogens have no angle constants that would hold pairs in place; the lone pair of N_R is its pi vector; bonds
 * are what pairs are placed by. */
static int32_t count_pairs(const mmff_builder *m, int32_t i)
{
    const mmff_atom *a = &m->atoms[i];
    if (!m->base->options->electron_pairs || graph_degree(m->base->g, i) == 0) return 0;
    if (!(a->type->kss > 0) || strcmp(a->type->label, "N_R") == 0) return 0;
    return a->n_lone;
}

shoal_status mmff_find_slots(mmff_builder *m)
{
    const graph *g = m->base->g;
    const int32_t n = g->n_atoms;
    m->n_pairs = 0;
    for (int32_t i = 0; i < n; ++i) m->n_pairs += m->atoms[i].n_pairs = count_pairs(m, i);
    m->slots = *g;
    if (m->n_pairs == 0) return SHOAL_OK;
    const size_t n_points = (size_t)n + (size_t)m->n_pairs;
    const size_t n_ends = (size_t)g->start[n] + 2 * (size_t)m->n_pairs;
    int32_t *start = arena_alloc(m->base->scratch, n_points + 1, sizeof *start);
    graph_end *ends = arena_alloc(m->base->scratch, n_ends, sizeof *ends);
    if (!start || !ends) return SHOAL_E_MEMORY;
    int32_t used = 0, pair = n;
    for (int32_t i = 0; i < n; ++i) {
        const int32_t degree = graph_degree(g, i);
        start[i] = used;
        if (degree > 0) memcpy(&ends[used], &g->ends[g->start[i]], (size_t)degree * sizeof *ends);
        used += degree;
        for (int32_t k = 0; k < m->atoms[i].n_pairs; ++k)
            ends[used++] = (graph_end){.atom = pair++, .bond = -1};
    }
    for (int32_t i = 0, p = n; i < n; ++i)
        for (int32_t k = 0; k < m->atoms[i].n_pairs; ++k) {
            start[p++] = used;
            ends[used++] = (graph_end){.atom = i, .bond = -1};
        }
    start[n_points] = used;
    m->slots = (graph){.n_atoms = (int32_t)n_points, .start = start, .ends = ends};
    return SHOAL_OK;
}

/* A lone pair is a point or it is the pi vector, not both. */
static bool has_points_only(const mmff_atom *a)
{
    return a->n_pairs > 0 && a->n_pi == 0;
}

static double sigma_constant(const mmff_atom *a)
{
    if (a->n_pi == 0 && a->n_lone == 0) return 0;
    return has_points_only(a) ? 0 : a->type->ksp;
}

static double pi_constant(const mmff_atom *a, const mmff_atom *b)
{
    return has_points_only(a) || has_points_only(b) ? 0 : sqrt(a->type->kpp * b->type->kpp);
}

static bool has_direction(const mmff_builder *m, int32_t i)
{
    const graph *g = m->base->g;
    const mmff_atom *a = &m->atoms[i];
    if (graph_degree(g, i) > 0 && sigma_constant(a) > NO_CONSTANT) return true;
    for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e) {
        const int32_t j = g->ends[e].atom;
        if (j != i && pi_constant(a, &m->atoms[j]) > NO_CONSTANT) return true;
    }
    return false;
}

void mmff_number_directions(mmff_builder *m)
{
    const int32_t n = m->base->g->n_atoms;
    m->n_directions = 0;
    for (int32_t i = 0; i < n; ++i)
        if (has_direction(m, i)) m->atoms[i].direction = n + m->n_pairs + m->n_directions++;
}

size_t mmff_most_terms(const mmff_builder *m)
{
    size_t n = 2 * (size_t)m->base->mol->n_bonds + (size_t)m->n_pairs;
    for (int32_t i = 0; i < m->base->g->n_atoms; ++i) {
        const size_t degree = (size_t)graph_degree(&m->slots, i);
        n += degree * (degree - 1) / 2 + degree;
    }
    return n;
}

/* The order that the parameters of a bond are made with. The original makes all bonds between atoms with pi
 * orbitals double or triple. */
static double order_of(const mmff_builder *m, const shoal_bond *bond)
{
    const uff_builder *b = m->base;
    if (!m->original) return uff_bond_order(b, bond);
    for (int32_t k = 0; k < b->options->n_orders; ++k) {
        const shoal_bond_override *o = &b->options->orders[k];
        if ((o->i == bond->i && o->j == bond->j) || (o->i == bond->j && o->j == bond->i))
            return o->order;
    }
    const int32_t pi = m->atoms[bond->i].n_pi, pj = m->atoms[bond->j].n_pi;
    return 1 + (pi < pj ? pi : pj);
}

static const uff_type *uff_type_of(const mmff_builder *m, int32_t i)
{
    const mmff_atom *a = &m->atoms[i];
    if (a->type->z != 16) return uff_type_by_label(a->type->uff);
    if (m->base->mol->perception->atoms[i].aromatic) return uff_type_by_label("S_R");
    return uff_type_by_label(a->n_pi > 0 ? "S_2" : a->type->uff);
}

/* UFF's length, and half its constant, as soft as the rows are; the original knows one length for all. */
static mmff_stretch missing_row(const mmff_builder *m, const shoal_bond *bond, double order)
{
    if (m->original) return (mmff_stretch){2.0, 10.0};
    const uff_type *ti = uff_type_of(m, bond->i), *tj = uff_type_of(m, bond->j);
    const double length = uff_natural_length(ti, tj, order);
    return (mmff_stretch){length, 0.5 * uff_bond_constant(ti, tj, length)};
}

static void warn_missing(const mmff_builder *m, const shoal_bond *bond, double order)
{
    const int32_t *z = m->base->mol->element;
    topology_warn(m->base->topology,
                  "MMFFsp3 has no bond %s-%s of order %g (atoms %d and %d): %s stand in for it, "
                  "here and wherever else a row is missing",
                  element_get(z[bond->i])->symbol, element_get(z[bond->j])->symbol, order, bond->i,
                  bond->j,
                  m->original ? "2.0 A and 10 eV/A^2" : "UFF's length and half its constant");
}

static void put_bond(const mmff_builder *m, int32_t i, int32_t j, const int32_t *shift,
                     const mmff_stretch *s, double order)
{
    const double scale = m->base->options->bond_scale;
    shoal_term *t = builder_next(m->base->out, SHOAL_KIND_BOND);
    t->atoms[0] = i;
    t->atoms[1] = j;
    if (shift) memcpy(t->shifts[1], shift, sizeof t->shifts[1]);
    t->p[SHOAL_BOND_K] = s->constant * (scale > 0 ? scale : 1);
    t->p[SHOAL_BOND_R0] = s->length;
    t->p[SHOAL_BOND_ORDER] = order;
}

shoal_status mmff_build_bonds(mmff_builder *m)
{
    const shoal_molecule *mol = m->base->mol;
    static const mmff_stretch of_pair = {PAIR_LENGTH, PAIR_CONSTANT};
    bool warned = false;
    SHOAL_TRY(uff_check_orders(m->base));
    if (m->base->topology->status != SHOAL_SYSTEM_OK) return SHOAL_OK;
    for (int32_t k = 0; k < mol->n_bonds; ++k) {
        const shoal_bond *bond = &mol->bonds[k];
        const double order = order_of(m, bond);
        mmff_stretch s;
        if (!mmff_stretch_of(mol->element[bond->i], mol->element[bond->j], order, &s)) {
            s = missing_row(m, bond, order);
            if (!warned) warn_missing(m, bond, order);
            warned = true;
        }
        put_bond(m, bond->i, bond->j, bond->shift, &s, order);
    }
    for (int32_t p = mol->n_atoms; p < m->slots.n_atoms; ++p)
        put_bond(m, m->slots.ends[m->slots.start[p]].atom, p, NULL, &of_pair, 1);
    return SHOAL_OK;
}

static void build_angles(const mmff_builder *m, int32_t i)
{
    const graph *g = &m->slots;
    const mmff_type *type = m->atoms[i].type;
    if (!(type->kss > 0)) return;
    for (int32_t s = g->start[i]; s < g->start[i + 1]; ++s)
        for (int32_t e = s + 1; e < g->start[i + 1]; ++e) {
            shoal_term *t = builder_next(m->base->out, SHOAL_KIND_HALF_ANGLE);
            t->atoms[0] = g->ends[s].atom;
            t->atoms[1] = i;
            t->atoms[2] = g->ends[e].atom;
            memcpy(t->shifts[0], g->ends[s].shift, sizeof t->shifts[0]);
            memcpy(t->shifts[2], g->ends[e].shift, sizeof t->shifts[2]);
            t->p[SHOAL_HALF_K] = 4 * type->kss;
            t->p[SHOAL_HALF_T0] = type->ass == 180 ? PI : type->ass * DEGREE;
        }
}

static void build_sigma_pi(const mmff_builder *m, int32_t i)
{
    const graph *g = &m->slots;
    const mmff_atom *a = &m->atoms[i];
    const double k = sigma_constant(a);
    /* The original tilts the pi vector of carbonyl oxygens by half a degree. */
    const bool level = !m->original && strcmp(a->type->label, "O_ald") == 0;
    if (!(k > NO_CONSTANT)) return;
    for (int32_t s = g->start[i]; s < g->start[i + 1]; ++s) {
        shoal_term *t = builder_next(m->base->out, SHOAL_KIND_SIGMA_PI);
        t->atoms[0] = a->direction;
        t->atoms[1] = i;
        t->atoms[2] = g->ends[s].atom;
        memcpy(t->shifts[2], g->ends[s].shift, sizeof t->shifts[2]);
        t->p[SHOAL_SIGMA_K] = k;
        t->p[SHOAL_SIGMA_C0] = level ? 0 : sin(a->type->asp * DEGREE);
    }
}

/* A vector and itself, of an atom that is bonded to its own image, are always parallel. */
static void build_pi_pi(const mmff_builder *m, const shoal_bond *bond)
{
    const mmff_atom *a = &m->atoms[bond->i], *b = &m->atoms[bond->j];
    const double k = pi_constant(a, b);
    if (bond->i == bond->j || !(k > NO_CONSTANT)) return;
    shoal_term *t = builder_next(m->base->out, SHOAL_KIND_PI_PI);
    t->atoms[0] = a->direction;
    t->atoms[1] = b->direction;
    t->p[SHOAL_PI_K] = k;
    t->p[SHOAL_PI_SOFT] = m->base->options->pi_softening;
}

void mmff_build_nodes(mmff_builder *m)
{
    const shoal_molecule *mol = m->base->mol;
    for (int32_t i = 0; i < mol->n_atoms; ++i) build_angles(m, i);
    for (int32_t i = 0; i < mol->n_atoms; ++i) build_sigma_pi(m, i);
    for (int32_t k = 0; k < mol->n_bonds; ++k) build_pi_pi(m, &mol->bonds[k]);
}
