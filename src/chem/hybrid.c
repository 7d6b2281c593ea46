/* SPDX-License-Identifier: BSD-3-Clause
 * Conjugated bonds and hybridisation, by the rules of RDKit 2022.09, with donors of dative bonds
 * and metals put right. */
#include "chem/element.h"
#include "chem/perceive.h"

enum { LARGEST_BENT = 7 }; /* atoms of a ring that has no room for a straight one */

/* Electrons an atom has beyond its bonds, in the count that conjugation uses. */
static bool can_conjugate(const shoal_molecule *mol, const chem_perception *p, int32_t i)
{
    const int32_t z = mol->element[i], charge = bonding_charge(mol, i);
    const int32_t degree = graph_degree(&p->graph, i) - p->atoms[i].n_dative;
    const int32_t normal = element_default_valence(z), outer = element_get(z)->outer;
    if (charge == 0 && normal >= 0 && p->atoms[i].valence > normal) return false; /* hypervalent */
    /* Heavy pnictogens do not conjugate; heavy chalcogens only as terminal atoms. */
    if (z > 10 && (outer == 5 || (outer == 6 && degree >= 2))) return false;
    if (normal <= 1 || degree > 3) return false;
    int32_t lone = outer - normal - charge;
    if (lone < 0) lone = 0;
    int32_t n = normal - degree + lone - p->atoms[i].radicals;
    if (n > 1 && p->atoms[i].valence - degree > 1) n = 1;
    return n > 0;
}

static bool is_multiple(const shoal_bond *b)
{
    return b->aromatic || b->order == SHOAL_ORDER_DOUBLE || b->order == SHOAL_ORDER_TRIPLE ||
           b->order == SHOAL_ORDER_QUADRUPLE;
}

/* A multiple bond at an atom conjugates with its other bonds to atoms that can. */
static void mark_atom(shoal_molecule *mol, const chem_perception *p, int32_t i)
{
    const graph *g = &p->graph;
    const int32_t degree = graph_degree(g, i);
    bool multiple = false;
    if (degree < 2 || degree > 3) return;
    for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e)
        multiple = multiple || is_multiple(&mol->bonds[g->ends[e].bond]);
    if (!multiple || !can_conjugate(mol, p, i)) return;
    for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e) {
        shoal_bond *first = &mol->bonds[g->ends[e].bond];
        if (!is_multiple(first)) continue;
        for (int32_t f = g->start[i]; f < g->start[i + 1]; ++f) {
            if (f == e || graph_degree(g, g->ends[f].atom) > 3) continue;
            if (!can_conjugate(mol, p, g->ends[f].atom)) continue;
            first->conjugated = true;
            mol->bonds[g->ends[f].bond].conjugated = true;
        }
    }
}

/* Carbon atoms that share orders conjugate, those of radicals, too, and so do ends of shared bonds whichever of them has the charge. */
static void mark_shared(const shoal_molecule *mol, chem_perception *p)
{
    for (int32_t b = 0; b < mol->n_bonds; ++b) {
        const int32_t ends[2] = {mol->bonds[b].i, mol->bonds[b].j};
        if (mol->bonds[b].shared == 0) continue;
        for (int k = 0; k < 2; ++k) {
            p->atoms[ends[k]].shares = true;
            p->atoms[ends[k]].conjugated |= mol->element[ends[k]] == 6;
        }
        for (int k = 0; k < 2; ++k)
            if (graph_degree(&p->graph, ends[k]) == 1)
                p->atoms[ends[k]].conjugated |= p->atoms[ends[1 - k]].conjugated;
    }
}

void conjugation_mark(shoal_molecule *mol, chem_perception *p)
{
    for (int32_t b = 0; b < mol->n_bonds; ++b) mol->bonds[b].conjugated = mol->bonds[b].aromatic;
    for (int32_t i = 0; i < mol->n_atoms; ++i) mark_atom(mol, p, i);
    for (int32_t b = 0; b < mol->n_bonds; ++b) {
        if (!mol->bonds[b].conjugated) continue;
        p->atoms[mol->bonds[b].i].conjugated = true;
        p->atoms[mol->bonds[b].j].conjugated = true;
    }
    mark_shared(mol, p);
}

/* Bonds and lone pairs around an atom. A dative bond takes the place of a lone pair. */
static int32_t count_orbitals(const shoal_molecule *mol, const chem_perception *p, int32_t i)
{
    const int32_t z = mol->element[i], charge = bonding_charge(mol, i);
    const int32_t degree = graph_degree(&p->graph, i);
    const atom_state *a = &p->atoms[i];
    if (z <= 1 || z >= 89) return degree;
    const int32_t outer = element_get(z)->outer;
    const int32_t unbound = outer - a->valence - charge;
    const bool below_octet = a->valence + outer - charge < 8;
    const int32_t radicals = below_octet ? a->radicals : 0;
    int32_t pairs = (unbound - radicals) / 2 - a->n_dative;
    if (pairs < 0 && (a->n_dative > 0 || outer == 1)) pairs = 0; /* bridging alkali metals */
    return degree + pairs + radicals;
}

/* A lone pair beside a pi system joins it: amides, esters, phenols. So does that of an atom whose double bond is elsewhere
 * half of the time: all oxygens of a sulfonate are alike, and all carbon atoms of a radical ring. */
static bool has_joined_pair(const shoal_molecule *mol, const chem_perception *p, int32_t i)
{
    const int32_t degree = graph_degree(&p->graph, i), z = mol->element[i];
    if (p->atoms[i].shares && (degree == 1 || (z >= 6 && z <= 8))) return true;
    return degree <= 3 && p->atoms[i].conjugated;
}

/* Nitrogen of a small ring is not linear, whatever charge was found for it, nor is carbon between bonds that are shared: the
 * cumulated double bonds of one structure of a phenyl anion or radical. */
static bool is_bent(const shoal_molecule *mol, const chem_perception *p, int32_t i)
{
    const int32_t z = mol->element[i];
    if (z != 7 && !(z == 6 && p->atoms[i].shares)) return false;
    if (!mol->orders_found || graph_degree(&p->graph, i) < 2) return false;
    for (int32_t r = 0; r < p->rings.n_rings; ++r) {
        if (p->rings.start[r + 1] - p->rings.start[r] > LARGEST_BENT) continue;
        for (int32_t k = p->rings.start[r]; k < p->rings.start[r + 1]; ++k)
            if (p->rings.atoms[k] == i) return true;
    }
    return false;
}

/* A terminal atom of one resonance structure has the hybridisation of those that it is tied with, whichever of them has
 * the charge: both nitrogens of [N-]=C=N-C#N are linear. */
static bool is_tied(const shoal_molecule *mol, const chem_perception *p, int32_t i,
                    hybridization *hyb)
{
    if (!p->atoms[i].shares || graph_degree(&p->graph, i) != 1) return false;
    const double order = mol->bonds[p->graph.ends[p->graph.start[i]].bond].shared;
    *hyb = order >= 2.5 ? HYB_SP : HYB_SP2;
    return true;
}

void hybridization_set(const shoal_molecule *mol, chem_perception *p)
{
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        atom_state *a = &p->atoms[i];
        if (is_tied(mol, p, i, &a->hyb)) continue;
        switch (count_orbitals(mol, p, i)) {
        case 0:
        case 1: a->hyb = HYB_S; break;
        case 2: a->hyb = is_bent(mol, p, i) ? HYB_SP2 : HYB_SP; break;
        case 3: a->hyb = HYB_SP2; break;
        case 4: a->hyb = has_joined_pair(mol, p, i) ? HYB_SP2 : HYB_SP3; break;
        case 5: a->hyb = HYB_SP3D; break;
        case 6: a->hyb = HYB_SP3D2; break;
        default: a->hyb = HYB_UNSPECIFIED; break;
        }
    }
}
