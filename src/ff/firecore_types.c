/* SPDX-License-Identifier: BSD-3-Clause
 * FireCore's rules for the types of C, N and O and for bond orders: resonance in rings of six electrons, in nitro
 * groups and amides, and beside these; everything else is localised. What depends on the order of atoms there does
 * not here, charged atoms have rules of their own, and other elements have the types of the paper. */
#include "base/error.h"
#include "ff/topology.h"

#define RESONANT 1.5
#define AMIDE 1.41

typedef struct firecore {
    const uff_builder *b;
    const graph *g;
    char *digit;   /* [n_atoms] of C, N, O and resonant S; 0: of other rules */
    double *order; /* [n_bonds] */
} firecore;

static int32_t element_of(const firecore *f, int32_t i)
{
    return f->b->mol->element[i];
}

static bool is_double(const firecore *f, const graph_end *e)
{
    return f->b->mol->bonds[e->bond].order == SHOAL_ORDER_DOUBLE;
}

/* Oxygen with one partner, be it neutral or an anion. */
static bool is_terminal_oxygen(const firecore *f, int32_t i)
{
    return element_of(f, i) == 8 && graph_degree(f->g, i) == 1;
}

static int32_t count_terminal_oxygen(const firecore *f, int32_t i)
{
    int32_t n = 0;
    for (int32_t e = f->g->start[i]; e < f->g->start[i + 1]; ++e)
        n += is_terminal_oxygen(f, f->g->ends[e].atom);
    return n;
}

/* Terminal oxygen of an atom shares the bond that one of them draws double. */
static void share_oxygen(const firecore *f, int32_t i)
{
    f->digit[i] = 'R';
    for (int32_t e = f->g->start[i]; e < f->g->start[i + 1]; ++e) {
        const graph_end *end = &f->g->ends[e];
        if (!is_terminal_oxygen(f, end->atom)) continue;
        f->digit[end->atom] = 'R';
        f->order[end->bond] = RESONANT;
    }
}

/* Nitro groups, and carboxylate. */
static void find_shared_oxygen(const firecore *f)
{
    for (int32_t i = 0; i < f->g->n_atoms; ++i) {
        const int32_t z = element_of(f, i);
        if ((z == 6 || z == 7) && graph_degree(f->g, i) == 3 && count_terminal_oxygen(f, i) >= 2)
            share_oxygen(f, i);
    }
}

/* --- rings --------------------------------------------------------------------------------------*/

static bool has_double(const firecore *f, int32_t i)
{
    for (int32_t e = f->g->start[i]; e < f->g->start[i + 1]; ++e)
        if (is_double(f, &f->g->ends[e])) return true;
    return false;
}

/* Electrons of a lone pair that may join a ring. */
static int32_t lone_electrons(const firecore *f, int32_t i)
{
    const int32_t degree = graph_degree(f->g, i), charge = f->b->mol->formal_charge[i];
    switch (element_of(f, i)) {
    case 6: return charge == -1 ? 2 : 0;
    case 7: return degree == 3 || charge == -1 ? 2 : 0;
    default: return 2;
    }
}

/* Electrons that an atom brings into a ring between the bonds before and after it, -1: there is no ring of
 * resonance with it. A bond that is resonant already is as good as a double one. */
static int32_t ring_electrons(const firecore *f, int32_t i, int32_t before, int32_t after)
{
    const int32_t z = element_of(f, i), degree = graph_degree(f->g, i);
    const shoal_bond *bonds = f->b->mol->bonds;
    if (!(z == 6 && degree == 3) && !(z == 7 && degree <= 3) &&
        !((z == 8 || z == 16) && degree == 2))
        return -1;
    if (!has_double(f, i)) return lone_electrons(f, i);
    return bonds[before].order == SHOAL_ORDER_DOUBLE || bonds[after].order == SHOAL_ORDER_DOUBLE ||
           f->order[before] == RESONANT || f->order[after] == RESONANT;
}

static bool is_six_electron_ring(const firecore *f, int32_t r, bool lone_pairs)
{
    const ring_set *rings = &f->b->mol->perception->rings;
    const int32_t first = rings->start[r], n = rings->start[r + 1] - first;
    int32_t sum = 0;
    if (n != 5 && n != 6) return false;
    for (int32_t k = 0; k < n; ++k) {
        const int32_t own =
            ring_electrons(f, rings->atoms[first + k], rings->bonds[first + (k + n - 1) % n],
                           rings->bonds[first + k]);
        if (own < 0 || (own > 1 && !lone_pairs)) return false;
        sum += own;
    }
    return sum == 6;
}

static void make_resonant(const firecore *f, int32_t r)
{
    const ring_set *rings = &f->b->mol->perception->rings;
    for (int32_t k = rings->start[r]; k < rings->start[r + 1]; ++k) {
        const int32_t i = rings->atoms[k];
        f->digit[i] = 'R';
        f->order[rings->bonds[k]] = RESONANT;
        if (count_terminal_oxygen(f, i) > 0) share_oxygen(f, i);
    }
}

/* Rings that lean on others follow these: until nothing changes. All of a round are found before any is made
 * resonant, so that their order does not count. */
static void settle_rings(const firecore *f, bool lone_pairs, bool *done, int32_t *list)
{
    const int32_t n_rings = f->b->mol->perception->rings.n_rings;
    for (int32_t n = 1; n > 0;) {
        n = 0;
        for (int32_t r = 0; r < n_rings; ++r)
            if (!done[r] && is_six_electron_ring(f, r, lone_pairs)) list[n++] = r;
        for (int32_t k = 0; k < n; ++k) {
            make_resonant(f, list[k]);
            done[list[k]] = true;
        }
    }
}

/* Rings of double bonds first: a ring between two of them, as in thianthrene, has too many electrons for its lone
 * pairs wherever their double bonds are drawn. */
static shoal_status find_rings(const firecore *f)
{
    const size_t n = (size_t)f->b->mol->perception->rings.n_rings;
    bool *done = arena_alloc(f->b->scratch, n, sizeof *done);
    int32_t *list = arena_alloc_dirty(f->b->scratch, n, sizeof *list);
    if (!done || !list) return SHOAL_E_MEMORY;
    settle_rings(f, false, done, list);
    settle_rings(f, true, done, list);
    return SHOAL_OK;
}

/* --- other atoms --------------------------------------------------------------------------------*/

/* What no resonance reaches: by partners, and by double bonds where charges leave a choice. */
static char localised_digit(const firecore *f, int32_t i)
{
    const int32_t degree = graph_degree(f->g, i), charge = f->b->mol->formal_charge[i];
    const atom_state *a = &f->b->mol->perception->atoms[i];
    switch (element_of(f, i)) {
    case 6:
        if (degree > 4) return '\0';
        if (degree == 4 || degree == 0) return '3';
        if (degree < 3) return '1';
        return charge == -1 && !has_double(f, i) ? '3' : '2';
    case 7:
        if (degree > 4) return '\0';
        if (degree == 1 || a->hyb == HYB_SP) return '1';
        return has_double(f, i) ? '2' : '3';
    case 8:
        if (degree > 4) return '\0';
        if (degree == 1 && a->valence == 3) return '1'; /* carbon monoxide */
        return degree == 1 && has_double(f, i) ? '2' : '3';
    default: return '\0';
    }
}

/* Lone pairs of N and O beside a resonant atom join it; was[n_atoms] says who was resonant before any did. */
static void join_lone_pairs(const firecore *f, const bool *was)
{
    for (int32_t i = 0; i < f->g->n_atoms; ++i) {
        const int32_t z = element_of(f, i), degree = graph_degree(f->g, i);
        if (!(z == 7 && degree == 3) && !(z == 8 && degree == 2)) continue;
        for (int32_t e = f->g->start[i]; e < f->g->start[i + 1]; ++e) {
            if (!was[f->g->ends[e].atom]) continue;
            f->digit[i] = 'R';
            f->order[f->g->ends[e].bond] = RESONANT;
        }
    }
}

static shoal_status find_joined(const firecore *f)
{
    bool *was = arena_alloc(f->b->scratch, (size_t)f->g->n_atoms, sizeof *was);
    if (!was) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < f->g->n_atoms; ++i) was[i] = f->digit[i] == 'R';
    join_lone_pairs(f, was);
    return SHOAL_OK;
}

/* Carbon between terminal oxygen and nitrogen with three partners. */
static void find_amides(const firecore *f)
{
    for (int32_t i = 0; i < f->g->n_atoms; ++i) {
        if (element_of(f, i) != 6 || graph_degree(f->g, i) != 3) continue;
        int32_t n_nitrogen = 0;
        for (int32_t e = f->g->start[i]; e < f->g->start[i + 1]; ++e) {
            const int32_t j = f->g->ends[e].atom;
            n_nitrogen += element_of(f, j) == 7 && graph_degree(f->g, j) == 3;
        }
        if (n_nitrogen == 0 || count_terminal_oxygen(f, i) == 0) continue;
        share_oxygen(f, i);
        for (int32_t e = f->g->start[i]; e < f->g->start[i + 1]; ++e) {
            const int32_t j = f->g->ends[e].atom;
            if (element_of(f, j) != 7 || graph_degree(f->g, j) != 3) continue;
            f->digit[j] = 'R';
            f->order[f->g->ends[e].bond] = AMIDE;
        }
    }
}

static double kekule_order(const shoal_bond *bond)
{
    switch (bond->order) {
    case SHOAL_ORDER_DOUBLE: return 2;
    case SHOAL_ORDER_TRIPLE: return 3;
    case SHOAL_ORDER_QUADRUPLE: return 4;
    default: return 1;
    }
}

shoal_status firecore_find_digits(uff_builder *b)
{
    const shoal_molecule *mol = b->mol;
    firecore f = {.b = b, .g = b->g};
    f.digit = arena_alloc(b->scratch, (size_t)mol->n_atoms, sizeof *f.digit);
    f.order = arena_alloc_dirty(b->scratch, (size_t)mol->n_bonds, sizeof *f.order);
    if (!f.digit || !f.order) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < mol->n_bonds; ++k) f.order[k] = kekule_order(&mol->bonds[k]);
    find_shared_oxygen(&f);
    SHOAL_TRY(find_rings(&f));
    SHOAL_TRY(find_joined(&f));
    find_amides(&f);
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        if (!f.digit[i]) f.digit[i] = localised_digit(&f, i);
    b->digit = f.digit;
    b->found_order = f.order;
    return SHOAL_OK;
}
