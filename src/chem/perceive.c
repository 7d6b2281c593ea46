/* SPDX-License-Identifier: BSD-3-Clause
 * Perception from bonds to hybridisation, step by step. */
#include "chem/perceive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/element.h"
#include "chem/fragments.h"

#define MOST_ROUNDING 0.05 /* e, of a sum of partial charges or a charge that the file states */
#define MOST_CHARGE 1e6    /* e, no molecule has more */

void perception_destroy(chem_perception *p)
{
    if (!p) return;
    arena_free(&p->memory);
    free(p);
}

/* Nitrogen written with five bonds becomes the charge-separated form that the rules for conjugation
 * and types are made for: N(=O)=O to [N+](=O)[O-], N=N#N to N=[N+]=[N-]. As in RDKit, the first
 * such partner takes the charge. */
static void separate_charges(shoal_molecule *mol, const graph *g)
{
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        if (mol->element[i] != 7 || mol->formal_charge[i] != 0) continue;
        int32_t valence = 0;
        const graph_end *anion = NULL;
        for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e) {
            const graph_end *end = &g->ends[e];
            const int32_t order = mol->bonds[end->bond].order, z = mol->element[end->atom];
            valence += order <= SHOAL_ORDER_TRIPLE ? order : 0;
            if (anion || graph_degree(g, end->atom) != 1 || mol->formal_charge[end->atom] != 0)
                continue;
            if ((order == SHOAL_ORDER_DOUBLE && z == 8) || (order == SHOAL_ORDER_TRIPLE && z == 7))
                anion = end;
        }
        if (valence != 5 || !anion) continue;
        --mol->bonds[anion->bond].order;
        mol->formal_charge[i] = 1;
        mol->formal_charge[anion->atom] = -1;
    }
}

static void mark_small_rings(chem_perception *p)
{
    for (int32_t r = 0; r < p->rings.n_rings; ++r) {
        const int32_t first = p->rings.start[r], last = p->rings.start[r + 1];
        for (int32_t k = first; k < last; ++k) {
            if (last - first == 3) p->atoms[p->rings.atoms[k]].in_ring3 = true;
            if (last - first == 4) p->atoms[p->rings.atoms[k]].in_ring4 = true;
        }
    }
}

static int32_t charge_sum(const shoal_molecule *mol)
{
    int32_t sum = 0;
    for (int32_t i = 0; i < mol->n_atoms; ++i) sum += mol->formal_charge[i];
    return sum;
}

void perception_ask(shoal_molecule *mol, const shoal_perceive_options *options)
{
    mol->asked_charge = options->total_charge;
    mol->has_asked_charge = options->has_total_charge || options->total_charge != 0;
}

/* True if somebody says what the total charge is: the caller before the file. */
static bool is_charge_stated(const shoal_molecule *mol)
{
    return mol->has_asked_charge || mol->has_file_charge;
}

static shoal_status stated_charge(const shoal_molecule *mol, int32_t *out)
{
    const double charge = mol->has_asked_charge ? mol->asked_charge : mol->file_charge;
    if (!mol->has_asked_charge &&
        !(fabs(charge) < MOST_CHARGE && fabs(charge - nearbyint(charge)) <= MOST_ROUNDING))
        return shoal_fail(SHOAL_E_FORMAT,
                          "the file states the total charge %g, expected a whole number", charge);
    *out = (int32_t)nearbyint(charge);
    return SHOAL_OK;
}

/* The whole number other than zero that given partial charges add up to. */
static bool sum_partial_charges(const shoal_molecule *mol, int32_t *out)
{
    double sum = 0;
    if (!mol->has_charges) return false;
    for (int32_t i = 0; i < mol->n_atoms; ++i) sum += mol->charge[i];
    if (!(fabs(sum) < 1000) || fabs(sum - nearbyint(sum)) > MOST_ROUNDING) return false;
    *out = (int32_t)nearbyint(sum);
    return *out != 0;
}

/* True if the file gives all orders. */
static bool has_orders(const shoal_molecule *mol)
{
    if (mol->orders_found || mol->n_bonds == 0) return false;
    for (int32_t b = 0; b < mol->n_bonds; ++b)
        if (mol->bonds[b].order == SHOAL_ORDER_UNKNOWN) return false;
    return true;
}

static shoal_status need_graph(shoal_molecule *mol)
{
    chem_perception *p = mol->perception;
    if (!p) p = mol->perception = shoal_alloc(1, sizeof *p);
    if (!p) return SHOAL_E_MEMORY;
    arena_reset(&p->memory);
    SHOAL_TRY(graph_build(&p->graph, mol, &p->memory));
    p->has_graph = true;
    return SHOAL_OK;
}

/* In a ring where every bond is aromatic or shared by resonance structures all have the order of aromatic ones: which of
 * them are aromatic depends on the structure that happened to be found. */
static void share_rings(shoal_molecule *mol, const ring_set *rings)
{
    for (int32_t r = 0; r < rings->n_rings; ++r) {
        bool all = true;
        for (int32_t k = rings->start[r]; k < rings->start[r + 1]; ++k) {
            const shoal_bond *b = &mol->bonds[rings->bonds[k]];
            all = all && (b->aromatic || b->shared > 0);
        }
        for (int32_t k = rings->start[r]; k < rings->start[r + 1] && all; ++k)
            mol->bonds[rings->bonds[k]].shared = 1.5;
    }
}

/* Rings, aromaticity, conjugation and hybridisation, from final orders and charges. */
static shoal_status perceive_structure(shoal_molecule *mol)
{
    chem_perception *p = mol->perception;
    p->atoms = arena_alloc(&p->memory, (size_t)mol->n_atoms, sizeof *p->atoms);
    if (!p->atoms) return SHOAL_E_MEMORY;
    valence_count(mol, &p->graph, p->atoms);
    SHOAL_TRY(rings_find(&p->rings, &p->graph, mol, &p->memory));
    mark_small_rings(p);
    SHOAL_TRY(aromaticity_mark(mol, p));
    share_rings(mol, &p->rings);
    conjugation_mark(mol, p);
    hybridization_set(mol, p);
    return SHOAL_OK;
}

/* Formal charges and orders. A charge that is stated must be met, also the 0 that is assumed otherwise, unless the
 * file gives all orders. In a crystal bonds are not always pairs of electrons: there an assumed 0 is only
 * tried. Partial charges are a hint. */
static shoal_status find_charges(shoal_molecule *mol, const graph *g, arena *memory)
{
    int32_t total = 0, hint;
    shoal_status status = SHOAL_E_FORMAT;
    if (is_charge_stated(mol)) {
        SHOAL_TRY(stated_charge(mol, &total));
        return valence_find_charges(mol, g, &total, memory);
    }
    if (sum_partial_charges(mol, &hint)) status = valence_find_charges(mol, g, &hint, memory);
    if (status != SHOAL_E_FORMAT) return status;
    shoal_clear_error();
    if (!has_orders(mol)) status = valence_find_charges(mol, g, &total, memory);
    const bool freely = has_orders(mol) || shoal_molecule_is_periodic(mol);
    if (status != SHOAL_E_FORMAT || !freely) return status;
    shoal_clear_error();
    return valence_find_charges(mol, g, NULL, memory);
}

/* Orders and formal charges, where they are unknown. */
static shoal_status perceive_charges(shoal_molecule *mol)
{
    if (mol->has_formal_charges && !valence_has_free_bonds(mol)) return SHOAL_OK;
    SHOAL_TRY(need_graph(mol));
    chem_perception *p = mol->perception;
    if (mol->has_formal_charges) return valence_find_orders(mol, &p->graph, &p->memory);
    return find_charges(mol, &p->graph, &p->memory);
}

shoal_status perceive_orders(shoal_molecule *mol, const shoal_perceive_options *options)
{
    mol->perceived = mol->adopted = false;
    perception_ask(mol, options);
    if (mol->perception) mol->perception->has_graph = false;
    if (options->rebuild_bonds) molecule_clear_bonds(mol);
    if (mol->n_first > 0 && !mol->has_bonds) {
        SHOAL_TRY(fragments_perceive(mol, options));
    } else {
        if (!mol->has_bonds) SHOAL_TRY(bonds_search(mol, options));
        SHOAL_TRY(perceive_charges(mol));
    }
    mol->total_charge = charge_sum(mol);
    if (!mol->has_formal_charges && !is_charge_stated(mol) && shoal_molecule_is_periodic(mol))
        mol->total_charge = 0;
    return SHOAL_OK;
}

shoal_status perceive_rest(shoal_molecule *mol)
{
    if (!mol->perception || !mol->perception->has_graph) SHOAL_TRY(need_graph(mol));
    chem_perception *p = mol->perception;
    if (mol->has_formal_charges) valence_make_dative(mol, &p->graph);
    separate_charges(mol, &p->graph);
    SHOAL_TRY(valence_check(mol, &p->graph));
    SHOAL_TRY(perceive_structure(mol));
    mol->perceived = true;
    return SHOAL_OK;
}

void perception_adopt(shoal_molecule *mol, const shoal_bond *bonds, const int32_t *formal_charge,
                      int32_t total_charge)
{
    for (int32_t b = 0; b < mol->n_bonds; ++b) {
        if (mol->bonds[b].i != bonds[b].i) molecule_turn_bond(mol, b); /* chains turn with it */
        mol->bonds[b] = bonds[b];
    }
    memcpy(mol->formal_charge, formal_charge, (size_t)mol->n_atoms * sizeof *formal_charge);
    mol->total_charge = total_charge;
    mol->perceived = mol->adopted = true;
}

/* The perception of an adopted molecule: its orders and charges are final. */
static shoal_status perceive_adopted(shoal_molecule *mol)
{
    SHOAL_TRY(need_graph(mol));
    SHOAL_TRY(perceive_structure(mol));
    mol->adopted = false;
    return SHOAL_OK;
}

shoal_status shoal_molecule_perceive(shoal_molecule *mol, const shoal_perceive_options *options)
{
    shoal_clear_error();
    if (!mol) return shoal_fail(SHOAL_E_ARGUMENT, "perception: no molecule given");
    const shoal_perceive_options defaults = {.total_charge = mol->asked_charge,
                                             .has_total_charge = mol->has_asked_charge};
    if (!options) options = &defaults;
    if (mol->perceived && !options->rebuild_bonds) {
        perception_ask(mol, options);
        return mol->adopted ? perceive_adopted(mol) : SHOAL_OK;
    }
    SHOAL_TRY(perceive_orders(mol, options));
    return perceive_rest(mol);
}
