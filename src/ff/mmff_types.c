/* SPDX-License-Identifier: BSD-3-Clause
 * Atom types of MMFFsp3. What the original gets wrong is put right unless its rules are asked for: halogens have no pi
 * orbitals, hydrogen bonds belong to hydrogens on N, O and F, types do not hang on the order of the atoms. */
#include <string.h>

#include "base/error.h"
#include "chem/element.h"
#include "ff/mmff.h"

enum { N_SWEEPS = 10 };

static bool is_halogen(int32_t z)
{
    return z == 9 || z == 17 || z == 35 || z == 53;
}

static int32_t element_of(const mmff_builder *m, int32_t i)
{
    return m->base->mol->element[i];
}

static const char *symbol_of(const mmff_builder *m, int32_t i)
{
    return element_get(element_of(m, i))->symbol;
}

static bool is_type(const mmff_builder *m, int32_t i, const char *label)
{
    return strcmp(m->atoms[i].type->label, label) == 0;
}

/* Hydrogen is a cap of a node; the node is another atom. */
static shoal_status check_cap(mmff_builder *m, int32_t i)
{
    const graph *g = m->base->g;
    const int32_t degree = graph_degree(g, i);
    if (degree == 1 && element_of(m, g->ends[g->start[i]].atom) != 1) return SHOAL_OK;
    return topology_reject(m->base->topology,
                           "atom %d (H, %d bond%s%s): a hydrogen of MMFFsp3 has one bond, to an "
                           "atom that is no hydrogen",
                           i, degree, degree == 1 ? "" : "s", degree == 1 ? " to H" : "");
}

static shoal_status check_node(mmff_builder *m, int32_t i)
{
    const int32_t z = element_of(m, i), degree = graph_degree(m->base->g, i);
    const mmff_element *e = mmff_element_of(z);
    shoal_topology *t = m->base->topology;
    if (!e || (z == 53 && m->original))
        return topology_reject(
            t,
            "atom %d (%s, %d bond%s): MMFFsp3%s has no type for this element; it "
            "has H, C, N, O, F, Si, P, S, Cl, Br%s",
            i, symbol_of(m, i), degree, degree == 1 ? "" : "s", m->original ? ":firecore" : "",
            m->original ? "" : ", I");
    if (degree + e->n_lone > 4)
        return topology_reject(t,
                               "atom %d (%s, %d bonds, charge %d): with %d lone pair%s MMFFsp3 has "
                               "room for %d bonds, not for ammonium, sulfone, phosphate and the "
                               "like",
                               i, symbol_of(m, i), degree, m->base->mol->formal_charge[i],
                               e->n_lone, e->n_lone == 1 ? "" : "s", 4 - e->n_lone);
    if (is_halogen(z) && degree > 1)
        return topology_reject(t, "atom %d (%s, %d bonds): a halogen of MMFFsp3 has one bond", i,
                               symbol_of(m, i), degree);
    return SHOAL_OK;
}

static void count_electrons(mmff_builder *m, int32_t i)
{
    const int32_t z = element_of(m, i);
    const mmff_element *e = mmff_element_of(z);
    mmff_atom *a = &m->atoms[i];
    int32_t most = e->pi_most, room = 4 - graph_degree(m->base->g, i) - e->n_lone;
    if (m->original && (z == 17 || z == 35)) most = 3; /* so its table says */
    if (most > 2) most = 2;
    a->n_lone = e->n_lone;
    a->n_pi = z == 1 ? 0 : room < most ? room : most;
    a->direction = -1;
}

static shoal_status take_given(mmff_builder *m, int32_t i)
{
    const char *label = m->base->mol->type[i];
    const mmff_type *type = mmff_type_by_label(label);
    if (!type)
        return topology_reject(m->base->topology, "atom %d (%s): '%s' is no MMFFsp3 type", i,
                               symbol_of(m, i), label);
    if (type->z != element_of(m, i))
        return topology_reject(m->base->topology, "atom %d (%s): type '%s' belongs to %s", i,
                               symbol_of(m, i), label, element_get(type->z)->symbol);
    m->atoms[i].type = type;
    m->atoms[i].given = true;
    return SHOAL_OK;
}

/* By the number of pi orbitals; other elements have one type. */
static const mmff_type *first_type(const mmff_builder *m, int32_t i)
{
    static const char *const by_pi[3][3] = {
        {"C_3", "C_2", "C_1"}, {"N_3", "N_2", "N_1"}, {"O_3", "O_2", "O_1"}};
    const int32_t z = element_of(m, i);
    if (z < 6 || z > 8) return mmff_type_by_label(symbol_of(m, i));
    return mmff_type_by_label(by_pi[z - 6][m->atoms[i].n_pi]);
}

/* An oxygen with a pi orbital (or without one) that has no other name yet. What is double or single does not
 * depend on the names that neighbours have got meanwhile, except in the original. */
static bool is_oxygen(const mmff_builder *m, int32_t i, bool has_pi)
{
    if (m->original) return is_type(m, i, has_pi ? "O_2" : "O_3");
    return element_of(m, i) == 8 && (m->atoms[i].n_pi > 0) == has_pi;
}

static const char *name_carbon(const mmff_builder *m, int32_t i)
{
    const graph *g = m->base->g;
    int32_t n_pi = 0, n_single = 0, n_double = 0;
    for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e) {
        const int32_t j = g->ends[e].atom;
        n_pi += m->atoms[j].n_pi > 0;
        n_single += is_oxygen(m, j, false);
        n_double += is_oxygen(m, j, true);
    }
    if (n_single > 0 && n_double > 0) return "C_COO";
    if (n_double > 0) return "C_ald";
    return n_pi >= 2 ? "C_R" : "C_2";
}

static const char *name_nitrogen(const mmff_builder *m, int32_t i)
{
    const graph *g = m->base->g;
    for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e)
        if (m->atoms[g->ends[e].atom].n_pi > 0) return "N_R";
    return "N_3";
}

static const char *name_oxygen(const mmff_builder *m, int32_t i)
{
    const graph *g = m->base->g;
    const bool single = is_oxygen(m, i, false);
    bool in_acid = false, in_carbonyl = false;
    for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e) {
        in_acid |= is_type(m, g->ends[e].atom, "C_COO");
        in_carbonyl |= is_type(m, g->ends[e].atom, "C_ald");
    }
    if (in_acid) return single ? "O_sCOO" : "O_pCOO";
    return in_carbonyl && (m->original || !single) ? "O_ald" : m->atoms[i].type->label;
}

static const char *name_hydrogen(const mmff_builder *m, int32_t i)
{
    static const char *const names[][2] = {
        {"N_3", "H_NH2"}, {"N_R", "H_NH2"},   {"C_3", "H_CH3"},   {"C_CH3", "H_CH3"},
        {"C_2", "H_ene"}, {"C_R", "H_ene"},   {"C_ene", "H_ene"}, {"C_yne", "H_yne"},
        {"O_OH", "H_OH"}, {"C_ald", "H_ald"},
    };
    const graph *g = m->base->g;
    const int32_t host = g->ends[g->start[i]].atom, z = element_of(m, host);
    if (!m->original && z == 7) return "H_NH2";
    if (!m->original && z == 8) return "H_OH";
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k)
        if (is_type(m, host, names[k][0])) return names[k][1];
    return "H";
}

/* The name that neighbours give to an atom, its own where they say nothing. */
static const char *name_by_neighbours(const mmff_builder *m, int32_t i)
{
    const char *label = m->atoms[i].type->label;
    if (element_of(m, i) == 1) return name_hydrogen(m, i);
    if (strcmp(label, "C_2") == 0) return name_carbon(m, i);
    if (strcmp(label, "N_3") == 0) return name_nitrogen(m, i);
    if (strcmp(label, "O_3") == 0 || strcmp(label, "O_2") == 0) return name_oxygen(m, i);
    return label;
}

static bool sweep(mmff_builder *m)
{
    bool changed = false;
    for (int32_t i = 0; i < m->base->mol->n_atoms; ++i) {
        if (m->atoms[i].given) continue;
        const char *label = name_by_neighbours(m, i);
        if (is_type(m, i, label)) continue;
        m->atoms[i].type = mmff_type_by_label(label);
        changed = true;
    }
    return changed;
}

shoal_status mmff_assign_types(mmff_builder *m)
{
    const shoal_molecule *mol = m->base->mol;
    const shoal_topology *t = m->base->topology;
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        SHOAL_TRY(mmff_is_node(m, i) ? check_node(m, i) : check_cap(m, i));
        if (t->status != SHOAL_SYSTEM_OK) return SHOAL_OK;
        count_electrons(m, i);
        /* The name of an element says no more than the element does. */
        const bool given = mol->type[i][0] && strcmp(mol->type[i], symbol_of(m, i)) != 0;
        if (given) SHOAL_TRY(take_given(m, i));
        if (t->status != SHOAL_SYSTEM_OK) return SHOAL_OK;
        if (!given) m->atoms[i].type = first_type(m, i);
    }
    for (int k = 0; k < N_SWEEPS && sweep(m); ++k) continue;
    return SHOAL_OK;
}

/* Donors are hydrogens on N, O and F. */
static double mended_hbond(const mmff_builder *m, int32_t i)
{
    const graph *g = m->base->g;
    const double hb = m->atoms[i].type->hb;
    if (element_of(m, i) != 1) return hb < 0 ? hb : 0;
    const int32_t z = element_of(m, g->ends[g->start[i]].atom);
    if (z != 7 && z != 8 && z != 9) return 0;
    return hb > 0 ? hb : mmff_type_by_label("H_NH2")->hb;
}

mmff_vdw mmff_vdw_of(const mmff_builder *m, int32_t i)
{
    const mmff_type *type = m->atoms[i].type;
    mmff_vdw v = {type->r, type->eps, type->hb};
    if (m->original) return v;
    v.hb = mended_hbond(m, i);
    if (type->z == 35) { /* UFF's */
        v.r = 2.0945;
        v.eps = 0.01088439;
    }
    return v;
}
