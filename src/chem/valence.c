/* SPDX-License-Identifier: BSD-3-Clause
 * Bond orders where formal charges are given, by matching.
 *
 * Every atom with a bond of unknown order gets *places*, each of which can take one more bond
 * order. A place is wanted (the atom is short of its normal valence) or allowed (a metal bond may
 * turn dative, S, P and halogens may be hypervalent, N and O may become cations). Two places of
 * neighbouring atoms are joined by raising the order of their bond by one, so the orders are a
 * matching of places. Wanted places come first, carbon before the others; allowed ones are let in
 * by stages, the cheapest first. Where charges are not given, orders.c compares structures, and the
 * matching serves only conjugated parts that are too large for that. */
#include <math.h>
#include <string.h>

#include "chem/charge_states.h"
#include "chem/element.h"
#include "chem/matching.h"
#include "chem/orders.h"
#include "chem/perceive.h"

#define OXO_RATIO                                                                                  \
    0.88 /* of a length to the sum of covalent radii: below that, a bond of oxygen to a metal is multiple */
enum { STAGE_NORMAL, STAGE_DATIVE, STAGE_HYPERVALENT, STAGE_ONIUM, N_STAGES };

#define ALLOWED (-1) /* priority of places that need not be taken */

typedef struct places {
    int32_t n;
    int32_t *atom;  /* [n] */
    int32_t *first; /* [n_atoms + 1] places of an atom are consecutive */
    int32_t *priority;
    int32_t *stage;
    int32_t *match;
} places;

/* Normal valence of a charged atom: that of the element with as many electrons. */
static int32_t charged_valence(int32_t z, int32_t charge)
{
    const int32_t normal = valence_normal(z);
    switch (normal) {
    case 0: return 0;
    case 4: return 4 - (charge < 0 ? -charge : charge);
    case 3: return z == 5 ? 3 - charge : 3 + charge;
    default: return normal + charge;
    }
}

/* Who is satisfied first. Radicals on carbon are dearest, anions on oxygen the cheapest. */
static int32_t wanted_priority(int32_t z)
{
    /* clang-format off */
    switch (z) {
    case 6: return 4;
    case 5: case 14: case 32: return 3;
    case 7: return 2;
    case 15: case 33: case 51: return 1;
    default: return 0;
    }
    /* clang-format on */
}

typedef struct shortage {
    int32_t wanted;
    int32_t allowed[N_STAGES];
} shortage;

/* How many places of each kind an atom has, v being its valence with free bonds counted single. */
static shortage atom_shortage(const shoal_molecule *mol, int32_t atom, int32_t v, int32_t n_metal)
{
    shortage s = {0};
    const int32_t z = mol->element[atom];
    const int32_t normal = mol->has_formal_charges
                               ? charged_valence(z, mol->formal_charge[atom]) - mol->radical[atom]
                               : valence_normal(z);
    if (valence_normal(z) == 0) return s;
    const int32_t reached = v > normal ? v : normal;
    s.wanted = reached - v;
    if (z != 6 && z != 5) s.allowed[STAGE_DATIVE] = n_metal;
    const int32_t highest = valence_highest(z);
    if (highest > valence_normal(z) && highest > reached)
        s.allowed[STAGE_HYPERVALENT] = highest - reached;
    if (!mol->has_formal_charges && ((z == 7 && v <= 3) || (z == 8 && v <= 2)))
        s.allowed[STAGE_ONIUM] = 1;
    return s;
}

static void add_places(places *p, int32_t atom, int32_t n, int32_t priority, int32_t stage)
{
    for (int32_t k = 0; k < n; ++k) {
        p->atom[p->n] = atom;
        p->priority[p->n] = priority;
        p->stage[p->n] = stage;
        p->match[p->n++] = -1;
    }
}

static shoal_status make_places(places *p, const shoal_molecule *mol, const graph *g, arena *memory)
{
    /* At most 4 wanted, 8 hypervalent and 1 onium place, and one for every metal bond. */
    const size_t most = 13 * (size_t)mol->n_atoms + 2 * (size_t)mol->n_bonds;
    p->atom = arena_alloc_dirty(memory, most, sizeof *p->atom);
    p->priority = arena_alloc_dirty(memory, most, sizeof *p->priority);
    p->stage = arena_alloc_dirty(memory, most, sizeof *p->stage);
    p->match = arena_alloc_dirty(memory, most, sizeof *p->match);
    p->first = arena_alloc(memory, (size_t)mol->n_atoms + 1, sizeof *p->first);
    if (!p->atom || !p->priority || !p->stage || !p->match || !p->first) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        int32_t v = 0, n_free = 0, n_aromatic = 0, n_metal = 0;
        for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e) {
            const shoal_bond *b = &mol->bonds[g->ends[e].bond];
            v += bond_valence(b, i);
            n_free += valence_is_free(b);
            n_aromatic += b->order == SHOAL_ORDER_AROMATIC;
            n_metal += element_is_metal(mol->element[g->ends[e].atom]);
        }
        p->first[i] = p->n;
        if (n_free > 0) {
            shortage s = atom_shortage(mol, i, v, n_metal);
            /* One double bond on an aromatic atom: what else it lacks is hydrogen left out. */
            if (n_aromatic == n_free && s.wanted > 1) s.wanted = 1;
            add_places(p, i, s.wanted, wanted_priority(mol->element[i]), STAGE_NORMAL);
            for (int32_t k = STAGE_DATIVE; k < N_STAGES; ++k)
                add_places(p, i, s.allowed[k], ALLOWED, k);
        }
    }
    p->first[mol->n_atoms] = p->n;
    return SHOAL_OK;
}

/* Joins a wanted place of each end, if both have one left. */
static bool join_wanted(places *p, int32_t i, int32_t j)
{
    int32_t a = p->first[i], b = p->first[j];
    while (a < p->first[i + 1] && (p->priority[a] == ALLOWED || p->match[a] >= 0)) ++a;
    while (b < p->first[j + 1] && (p->priority[b] == ALLOWED || p->match[b] >= 0)) ++b;
    if (i == j || a == p->first[i + 1] || b == p->first[j + 1]) return false;
    p->match[a] = b;
    p->match[b] = a;
    return true;
}

/* Where several Kekule structures fit, the geometry knows which one was meant: the relatively
 * shortest bonds are raised first, and twice if they are as short as triple bonds. */
static shoal_status start_from_lengths(places *p, const shoal_molecule *mol, arena *memory)
{
    int32_t *list = arena_alloc_dirty(memory, (size_t)mol->n_bonds, sizeof *list);
    double *ratio = arena_alloc_dirty(memory, (size_t)mol->n_bonds, sizeof *ratio);
    if (!list || !ratio) return SHOAL_E_MEMORY;
    int32_t n = 0;
    for (int32_t b = 0; b < mol->n_bonds; ++b) {
        const shoal_bond *e = &mol->bonds[b];
        if (!valence_is_free(e) || p->first[e->i] == p->first[e->i + 1] ||
            p->first[e->j] == p->first[e->j + 1])
            continue;
        ratio[b] = bond_ratio(mol, e);
        list[n++] = b;
    }
    for (int32_t gap = n / 2; gap > 0; gap /= 2) { /* shell sort */
        for (int32_t k = gap; k < n; ++k) {
            const int32_t b = list[k];
            int32_t at = k;
            while (at >= gap && ratio[list[at - gap]] > ratio[b]) {
                list[at] = list[at - gap];
                at -= gap;
            }
            list[at] = b;
        }
    }
    for (int32_t k = 0; k < n; ++k) {
        const shoal_bond *e = &mol->bonds[list[k]];
        if (join_wanted(p, e->i, e->j) && ratio[list[k]] < 0.83) (void)join_wanted(p, e->i, e->j);
    }
    return SHOAL_OK;
}

/* Neighbour lists between the places of atoms joined by free bonds. */
static shoal_status join_places(const places *p, const shoal_molecule *mol, const graph *g,
                                matching *m, arena *memory)
{
    int32_t *start = arena_alloc(memory, (size_t)p->n + 1, sizeof *start);
    if (!start) return SHOAL_E_MEMORY;
    for (int pass = 0; pass < 2; ++pass) {
        int32_t *next = NULL;
        if (pass == 1) {
            next = arena_alloc_dirty(memory, (size_t)start[p->n], sizeof *next);
            if (!next) return SHOAL_E_MEMORY;
        }
        int32_t n = 0;
        for (int32_t v = 0; v < p->n; ++v) {
            const int32_t i = p->atom[v];
            start[v] = n;
            for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e) {
                const int32_t j = g->ends[e].atom;
                if (!valence_is_free(&mol->bonds[g->ends[e].bond]) || i == j) continue;
                for (int32_t w = p->first[j]; w < p->first[j + 1]; ++w) {
                    /* two allowed places never help anybody */
                    if (p->priority[v] == ALLOWED && p->priority[w] == ALLOWED) continue;
                    if (next) next[n] = w;
                    ++n;
                }
            }
        }
        start[p->n] = n;
        m->next = next;
    }
    m->start = start;
    return SHOAL_OK;
}

/* What was matched across each free bond. */
static void count_matched(const shoal_molecule *mol, const places *p, int32_t *extra)
{
    for (int32_t b = 0; b < mol->n_bonds; ++b) {
        const shoal_bond *e = &mol->bonds[b];
        extra[b] = 0;
        if (!valence_is_free(e)) continue;
        for (int32_t v = p->first[e->i]; v < p->first[e->i + 1]; ++v) {
            const int32_t w = p->match[v];
            if (w < 0 || p->atom[w] != e->j) continue;
            ++extra[b];
            /* Bonds to several images of one atom share its places: the first one takes them. */
            p->match[v] = -1;
            p->match[w] = -1;
        }
    }
}

/* Free bonds become single plus so much. */
static void write_orders(shoal_molecule *mol, const int32_t *extra)
{
    for (int32_t b = 0; b < mol->n_bonds; ++b) {
        shoal_bond *e = &mol->bonds[b];
        if (!valence_is_free(e)) continue;
        if (e->order == SHOAL_ORDER_UNKNOWN) mol->orders_found = true;
        e->order = extra[b] == 3 ? SHOAL_ORDER_QUADRUPLE : 1 + extra[b];
    }
}

/* Metal bonds of an atom that is over its valence are donations of lone pairs. */
static void make_dative(shoal_molecule *mol, const graph *g, int32_t atom)
{
    const int32_t z = mol->element[atom];
    const int32_t normal = charged_valence(z, mol->formal_charge[atom]);
    int32_t v = 0, n_metal = 0;
    if (valence_normal(z) == 0) return; /* metals share bonds among themselves */
    for (int32_t e = g->start[atom]; e < g->start[atom + 1]; ++e) {
        const shoal_bond *b = &mol->bonds[g->ends[e].bond];
        v += bond_valence(b, atom);
        n_metal +=
            b->order == SHOAL_ORDER_SINGLE && element_is_metal(mol->element[g->ends[e].atom]);
    }
    int32_t n = valence_donated(z, normal, v, n_metal);
    for (int32_t e = g->start[atom]; e < g->start[atom + 1] && n > 0; ++e) {
        shoal_bond *b = &mol->bonds[g->ends[e].bond];
        const int32_t partner = g->ends[e].atom;
        if (b->order != SHOAL_ORDER_SINGLE || !element_is_metal(mol->element[partner])) continue;
        if (b->i != atom) molecule_turn_bond(mol, g->ends[e].bond); /* from donor to acceptor */
        b->order = SHOAL_ORDER_DATIVE;
        --n;
    }
}

void valence_make_dative(shoal_molecule *mol, const graph *g)
{
    bool metals = false;
    for (int32_t i = 0; i < mol->n_atoms && !metals; ++i)
        metals = element_is_metal(mol->element[i]);
    for (int32_t i = 0; i < mol->n_atoms && metals; ++i) make_dative(mol, g, i);
}

static shoal_status match_places(places *p, const shoal_molecule *mol, const graph *g,
                                 arena *memory)
{
    matching m = {.n_stages = N_STAGES};
    SHOAL_TRY(make_places(p, mol, g, memory));
    SHOAL_TRY(start_from_lengths(p, mol, memory));
    SHOAL_TRY(join_places(p, mol, g, &m, memory));
    m.n = p->n;
    m.priority = p->priority;
    m.stage = p->stage;
    m.match = p->match;
    return matching_solve(&m, memory);
}

shoal_status valence_match(const shoal_molecule *mol, const graph *g, int32_t *extra, arena *memory)
{
    places p = {0};
    SHOAL_TRY(match_places(&p, mol, g, memory));
    for (int32_t v = 0; v < p.n && mol->has_formal_charges; ++v) {
        const int32_t i = p.atom[v];
        if (p.match[v] >= 0 || p.priority[v] == ALLOWED) continue;
        return shoal_fail(SHOAL_E_FORMAT,
                          "the bonds have no Kekule structure: atom %d (%s, charge %d) "
                          "needs a double bond and finds no partner",
                          i, element_get(mol->element[i])->symbol, mol->formal_charge[i]);
    }
    count_matched(mol, &p, extra);
    return SHOAL_OK;
}

shoal_status valence_find_orders(shoal_molecule *mol, const graph *g, arena *memory)
{
    int32_t *extra = arena_alloc_dirty(memory, (size_t)mol->n_bonds, sizeof *extra);
    if (!extra) return SHOAL_E_MEMORY;
    SHOAL_TRY(valence_match(mol, g, extra, memory));
    write_orders(mol, extra);
    return SHOAL_OK;
}

shoal_status valence_fill_orders(shoal_molecule *mol, const graph *g, arena *memory)
{
    places p = {0};
    int32_t *extra = arena_alloc_dirty(memory, (size_t)mol->n_bonds, sizeof *extra);
    if (!extra) return SHOAL_E_MEMORY;
    SHOAL_TRY(match_places(&p, mol, g, memory));
    count_matched(mol, &p, extra);
    write_orders(mol, extra);
    return SHOAL_OK;
}

/* Metals that have oxo groups: groups 4 to 9, and the actinides. */
static bool takes_oxo(int32_t z)
{
    return (z >= 22 && z <= 27) || (z >= 40 && z <= 45) || (z >= 72 && z <= 77) ||
           (z >= 90 && z <= 96);
}

/* A terminal oxygen or sulfur atom that is nearer to its metal than a single bond could hold it is an oxo group: the bond is
 * double, and the atom lacks nothing. */
static void raise_oxo(shoal_molecule *mol, const graph *g)
{
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        const int32_t z = mol->element[i];
        if ((z != 8 && z != 16) || graph_degree(g, i) != 1) continue;
        const graph_end *end = &g->ends[g->start[i]];
        shoal_bond *b = &mol->bonds[end->bond];
        if (b->order != SHOAL_ORDER_SINGLE || !takes_oxo(mol->element[end->atom])) continue;
        if (bond_ratio(mol, b) > OXO_RATIO) continue;
        b->order = SHOAL_ORDER_DOUBLE;
        if (mol->formal_charge[i] >= 0) continue;
        ++mol->formal_charge[i];
        --mol->formal_charge[end->atom];
    }
}

/* Whether no order is given: bonds come from distances. */
static bool is_all_open(const shoal_molecule *mol)
{
    for (int32_t b = 0; b < mol->n_bonds; ++b)
        if (mol->bonds[b].order != SHOAL_ORDER_UNKNOWN) return false;
    return true;
}

shoal_status valence_find_charges(shoal_molecule *mol, const graph *g, const int32_t *total,
                                  arena *memory)
{
    const size_t n = (size_t)mol->n_atoms;
    orders_found found;
    SHOAL_TRY(orders_find(&found, mol, g, total, memory));
    for (int32_t b = 0; b < mol->n_bonds; ++b) /* others keep what they have */
        if (valence_is_free(&mol->bonds[b])) mol->bonds[b].shared = found.shared[b];
    const bool all_open = is_all_open(mol);
    write_orders(mol, found.extra);
    if (n > 0) memset(mol->formal_charge, 0, n * sizeof *mol->formal_charge);
    valence_make_dative(mol, g); /* donors are counted without their charge */
    if (n > 0) memcpy(mol->formal_charge, found.charge, n * sizeof *mol->formal_charge);
    if (all_open) raise_oxo(mol, g);
    return SHOAL_OK;
}

bool valence_has_free_bonds(const shoal_molecule *mol)
{
    for (int32_t b = 0; b < mol->n_bonds; ++b)
        if (valence_is_free(&mol->bonds[b])) return true;
    return false;
}

/* Unpaired electrons of an atom from its valence and charge, as RDKit counts them: what is missing
 * to a full shell, or what the element has left, whichever is less; for metals of any valence, one
 * where the electrons are odd. */
static int32_t count_radicals(int32_t z, int32_t valence, int32_t charge)
{
    const element *e = element_get(z);
    if (e->valences[0] == -1) return e->outer > charge ? (e->outer - charge) % 2 : 0;
    int32_t missing = (z <= 2 ? 2 : 8) - e->outer - valence + charge;
    if (missing < 0) {
        missing = 0;
        for (int32_t k = 0; k < e->n_valences && e->n_valences > 1; ++k) {
            if (e->valences[k] - valence + charge < 0) continue;
            missing = e->valences[k] - valence + charge;
            break;
        }
    }
    const int32_t left = e->outer - valence - charge;
    return left >= 0 && left < missing ? left : missing;
}

void valence_count(const shoal_molecule *mol, const graph *g, atom_state *atoms)
{
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        atom_state *a = &atoms[i];
        a->valence = a->n_dative = 0;
        for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e) {
            const shoal_bond *b = &mol->bonds[g->ends[e].bond];
            a->valence += bond_valence(b, i);
            a->n_dative += b->order == SHOAL_ORDER_DATIVE && b->i == i;
        }
        a->radicals = mol->radical[i]
                          ? mol->radical[i]
                          : count_radicals(mol->element[i], a->valence, bonding_charge(mol, i));
    }
}

/* The most bonds, each counted by its order, that an atom of an element was ever seen with; 0: no limit. Metals
 * and boron, whose bonds are not pairs of electrons, do not count as partners. */
static int32_t most_valence(int32_t z)
{
    /* clang-format off */
    switch (z) {
    case 1: case 9: return 2;
    case 8: return 4;
    case 6: case 7: return 5;
    case 14: case 32: return 6;
    case 15: case 16: case 33: case 34: case 51: case 52: return 7;
    case 17: case 35: case 53: case 54: case 85: return 8;
    default: return 0;
    }
    /* clang-format on */
}

shoal_status valence_check(const shoal_molecule *mol, const graph *g)
{
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        const int32_t z = mol->element[i], most = most_valence(z);
        int32_t v = 0;
        if (most == 0 || graph_degree(g, i) == 0) continue;
        for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e) {
            const int32_t partner = mol->element[g->ends[e].atom];
            if (partner != 5 && !element_is_metal(partner))
                v += bond_valence(&mol->bonds[g->ends[e].bond], i);
        }
        if (v > most)
            return shoal_fail(SHOAL_E_FORMAT, "atom %d (%s): valence %d; no %s has more than %d", i,
                              element_get(z)->symbol, v, element_get(z)->symbol, most);
    }
    return SHOAL_OK;
}
