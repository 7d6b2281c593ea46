/* SPDX-License-Identifier: BSD-3-Clause
 * Perception from bonds to hybridisation, step by step. */
#include "chem/perceive.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "chem/element.h"

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

/* Given formal charges tell it; otherwise it is what was asked for, even where no atom explains it. */
static int32_t total_charge(const shoal_molecule *mol, const shoal_perceive_options *options)
{
    int32_t sum = 0;
    if (!mol->has_formal_charges) return options->total_charge;
    for (int32_t i = 0; i < mol->n_atoms; ++i) sum += mol->formal_charge[i];
    return sum;
}

static shoal_status perceive(shoal_molecule *mol, const shoal_perceive_options *options)
{
    chem_perception *p = mol->perception;
    if (options->rebuild_bonds) molecule_clear_bonds(mol);
    if (!mol->has_bonds) SHOAL_TRY(bonds_search(mol, options));
    SHOAL_TRY(graph_build(&p->graph, mol, &p->memory));
    SHOAL_TRY(valence_assign(mol, &p->graph, options->total_charge, &p->memory));
    separate_charges(mol, &p->graph);
    p->atoms = arena_alloc(&p->memory, (size_t)mol->n_atoms, sizeof *p->atoms);
    if (!p->atoms) return SHOAL_E_MEMORY;
    valence_count(mol, &p->graph, p->atoms);
    SHOAL_TRY(rings_find(&p->rings, &p->graph, mol, &p->memory));
    mark_small_rings(p);
    SHOAL_TRY(aromaticity_mark(mol, p));
    conjugation_mark(mol, p);
    hybridization_set(mol, p);
    mol->total_charge = total_charge(mol, options);
    return SHOAL_OK;
}

shoal_status shoal_molecule_perceive(shoal_molecule *mol, const shoal_perceive_options *options)
{
    shoal_clear_error();
    if (!mol) return shoal_fail(SHOAL_E_ARGUMENT, "perception: no molecule given");
    const shoal_perceive_options defaults = {.total_charge = mol->asked_charge};
    if (!options) options = &defaults;
    mol->asked_charge = options->total_charge;
    if (mol->perceived && !options->rebuild_bonds) return SHOAL_OK;
    if (!mol->perception) mol->perception = shoal_alloc(1, sizeof *mol->perception);
    if (!mol->perception) return SHOAL_E_MEMORY;
    arena_reset(&mol->perception->memory);
    SHOAL_TRY(perceive(mol, options));
    mol->perceived = true;
    return SHOAL_OK;
}
