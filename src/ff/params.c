/* SPDX-License-Identifier: BSD-3-Clause
 * Non-covalent parameters from a table of atom types instead of UFF's own. */
#include <stdio.h>
#include <string.h>

#include "chem/element.h"
#include "chem/perceive.h"
#include "ff/topology.h"
#include "shoal/atom_types.h"

enum { NAME_SIZE = 16 };

/* A hydrogen is called by its neighbour: H_O, H_N, H_Cl, and H_C1, H_C2, H_C3 by the hybridisation
 * of a carbon. One without neighbour, or with several, keeps its label. */
static void name_hydrogen(const uff_builder *b, int32_t atom, char out[NAME_SIZE])
{
    const graph *g = b->g;
    if (graph_degree(g, atom) != 1) return;
    const int32_t other = g->ends[g->start[atom]].atom;
    const int32_t z = b->mol->element[other];
    if (z == 1) return;
    if (z != 6) {
        (void)snprintf(out, NAME_SIZE, "H_%s", element_get(z)->symbol);
        return;
    }
    const char kind = b->types[other]->label[2];
    (void)snprintf(out, NAME_SIZE, "H_C%c", kind == 'R' ? '2' : kind);
}

/* Names of a table's types: UFF's labels, but hydrogens by their neighbour, and planar nitrogens by
 * what the lone pair does: N_2 with two neighbours (pyridine, imine), N_R with three (amide). */
static void name_atom(const uff_builder *b, int32_t atom, char out[NAME_SIZE])
{
    const char *label = b->types[atom]->label;
    (void)snprintf(out, NAME_SIZE, "%s", label);
    if (b->mol->element[atom] == 1) name_hydrogen(b, atom, out);
    if (strcmp(label, "N_R") == 0 || strcmp(label, "N_2") == 0)
        (void)snprintf(out, NAME_SIZE, "N_%c", graph_degree(b->g, atom) == 2 ? '2' : 'R');
}

/* Ions have types of their own, with the sign behind the name, where the table lists them. */
static const shoal_atom_type *find_type(const uff_builder *b, int32_t atom, char name[NAME_SIZE])
{
    const shoal_atom_types *table = b->options->params;
    const int32_t charge = b->mol->total_charge;
    char ion[NAME_SIZE + 1];
    name_atom(b, atom, name);
    (void)snprintf(ion, sizeof ion, "%s%s", name, charge > 0 ? "+" : "-");
    int32_t found = charge != 0 ? shoal_atom_types_find(table, ion) : -1;
    if (found < 0) found = shoal_atom_types_find(table, name);
    if (found < 0) found = shoal_atom_types_find(table, b->types[atom]->label);
    return shoal_atom_types_get(table, found);
}

shoal_status topology_set_params(uff_builder *b, const atom_parameters *to)
{
    shoal_topology_view *v = &b->topology->view;
    bool charges = false;
    for (int32_t i = 0; i < b->mol->n_atoms; ++i) {
        char name[NAME_SIZE];
        const shoal_atom_type *type = find_type(b, i, name);
        if (!type)
            return topology_reject(b->topology,
                                   "atom %d (%s, UFF type %s): the table of parameters has neither "
                                   "%s nor %s",
                                   (int)i, element_get(b->mol->element[i])->symbol,
                                   b->types[i]->label, name, b->types[i]->label);
        to->x[i] = 2.0 * type->r;
        to->d[i] = type->e;
        to->h[i] = type->h;
        charges = charges || type->q != 0.0;
    }
    /* Charges of the table only where nothing else was given or asked for. */
    if (!charges || v->has_charges || b->options->charges != SHOAL_CHARGES_AUTO) return SHOAL_OK;
    for (int32_t i = 0; i < b->mol->n_atoms; ++i) {
        char name[NAME_SIZE];
        to->q[i] = find_type(b, i, name)->q;
    }
    v->has_charges = true;
    return SHOAL_OK;
}
