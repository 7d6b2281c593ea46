/* SPDX-License-Identifier: BSD-3-Clause
 * Non-covalent parameters from a table of atom types instead of UFF's own. */
#include "chem/element.h"
#include "chem/perceive.h"
#include "ff/builder.h"
#include "ff/table_names.h"
#include "shoal/atom_types.h"

/* Ions have types of their own, with the sign behind the name, where the table lists them. */
static const shoal_atom_type *find_type(const uff_builder *b, int32_t atom, int32_t charge,
                                        char name[SHOAL_TYPE_NAME_SIZE])
{
    const shoal_atom_types *table = b->options->params;
    char ion[SHOAL_TYPE_NAME_SIZE];
    table_name(b->mol, b->g, b->out->types, atom, name);
    table_ion_name(charge, name, ion);
    int32_t found = charge != 0 ? shoal_atom_types_find(table, ion) : -1;
    if (found < 0) found = shoal_atom_types_find(table, name);
    if (found < 0) found = shoal_atom_types_find(table, b->types[atom]->label);
    return shoal_atom_types_get(table, found);
}

shoal_status topology_set_params(uff_builder *b, const atom_parameters *to)
{
    shoal_topology_view *v = &b->topology->view;
    bool charges = false;
    const int32_t *ion = table_charges(b->mol, b->g, b->scratch);
    if (!ion) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < b->mol->n_atoms; ++i) {
        char name[SHOAL_TYPE_NAME_SIZE];
        const shoal_atom_type *type = find_type(b, i, ion[i], name);
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
        char name[SHOAL_TYPE_NAME_SIZE];
        to->q[i] = find_type(b, i, ion[i], name)->q;
    }
    v->has_charges = true;
    return SHOAL_OK;
}
