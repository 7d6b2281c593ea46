/* SPDX-License-Identifier: BSD-3-Clause
 * Non-covalent parameters by a pair model instead of UFF's own. */
#include <stdio.h>
#include <string.h>

#include "chem/element.h"
#include "chem/perceive.h"
#include "ff/builder.h"
#include "ff/table_names.h"

/* Ions have types of their own, with the sign behind the name, where the table lists them, and so have finer types. */
static const shoal_atom_type *find_type(const uff_builder *b, int32_t atom,
                                        char name[SHOAL_TYPE_NAME_SIZE])
{
    const shoal_atom_types *table = b->options->model->types;
    const int32_t charge = b->ion[atom];
    char ion[SHOAL_TYPE_NAME_SIZE], finer[SHOAL_TYPE_NAME_SIZE];
    if (b->types)
        table_name(b->mol, b->g, b->out->types, atom, name);
    else
        (void)snprintf(name, SHOAL_TYPE_NAME_SIZE, "%s", b->out->types[atom]);
    table_ion_name(charge, name, ion);
    int32_t found = charge != 0 ? shoal_atom_types_find(table, ion) : -1;
    if (b->types) table_finer_name(b->mol, b->g, b->out->types, name, atom, finer);
    if (found < 0 && b->types) found = table_find_finer(table, finer);
    if (found < 0) found = shoal_atom_types_find(table, name);
    if (found < 0) found = shoal_atom_types_find(table, b->out->types[atom]);
    return shoal_atom_types_get(table, found);
}

const shoal_atom_type *topology_table_type(const uff_builder *b, int32_t atom)
{
    char name[SHOAL_TYPE_NAME_SIZE];
    return find_type(b, atom, name);
}

/* A bond takes its increment from one end and gives it to the other. */
static void add_increments(const uff_builder *b, double *q)
{
    const shoal_pair_settings *s = &b->options->model->settings;
    for (int32_t k = 0; s->n_increments > 0 && k < b->mol->n_bonds; ++k) {
        const int32_t i = b->mol->bonds[k].i, j = b->mol->bonds[k].j;
        const char *ti = topology_table_type(b, i)->name, *tj = topology_table_type(b, j)->name;
        for (int32_t n = 0; n < s->n_increments; ++n) {
            const shoal_charge_increment *x = &s->increments[n];
            const bool ahead = strcmp(x->from, ti) == 0 && strcmp(x->to, tj) == 0;
            const bool back = strcmp(x->from, tj) == 0 && strcmp(x->to, ti) == 0;
            if (ahead == back) continue;
            q[ahead ? i : j] -= x->value;
            q[ahead ? j : i] += x->value;
        }
    }
}

/* Numbers connected parts of the molecule: part[n_atoms]; returns how many there are. */
static int32_t number_parts(const graph *g, int32_t *part, int32_t *queue)
{
    int32_t n_parts = 0;
    for (int32_t i = 0; i < g->n_atoms; ++i) part[i] = -1;
    for (int32_t i = 0; i < g->n_atoms; ++i) {
        int32_t n = 0;
        if (part[i] >= 0) continue;
        part[i] = n_parts;
        queue[n++] = i;
        while (n > 0) {
            const int32_t at = queue[--n];
            for (int32_t e = g->start[at]; e < g->start[at + 1]; ++e) {
                const int32_t next = g->ends[e].atom;
                if (part[next] >= 0) continue;
                part[next] = n_parts;
                queue[n++] = next;
            }
        }
        ++n_parts;
    }
    return n_parts;
}

/* What charges of types added to a molecule is taken evenly from the atoms that have them. before: charges without,
 * or formal ones. */
static shoal_status neutralise(const uff_builder *b, const bool *charged, const double *before,
                               double *q)
{
    const size_t n = (size_t)b->mol->n_atoms;
    int32_t *part = arena_alloc(b->scratch, n, sizeof *part);
    int32_t *count = arena_alloc(b->scratch, n, sizeof *count);
    double *missing = arena_alloc(b->scratch, n, sizeof *missing);
    if (!part || !count || !missing) return SHOAL_E_MEMORY;
    (void)number_parts(b->g, part, count);
    memset(count, 0, n * sizeof *count);
    for (size_t i = 0; i < n; ++i) {
        missing[part[i]] += before[i] - q[i];
        count[part[i]] += charged[i];
    }
    for (size_t i = 0; i < n; ++i)
        if (charged[i]) q[i] += missing[part[i]] / count[part[i]];
    return SHOAL_OK;
}

/* Charges of the file or of QEq, of types that have their own, and of bonds. */
static shoal_status set_charges(uff_builder *b, double *q)
{
    const shoal_pair_model *m = b->options->model;
    shoal_topology_view *v = &b->topology->view;
    const size_t n = (size_t)b->mol->n_atoms;
    double *before = arena_alloc_dirty(b->scratch, n, sizeof *before);
    bool *charged = arena_alloc(b->scratch, n, sizeof *charged);
    const bool given = v->has_charges, silent = b->options->charges == SHOAL_CHARGES_NONE;
    bool any = given;
    if (!before || !charged) return SHOAL_E_MEMORY;
    for (size_t i = 0; i < n; ++i) before[i] = given ? q[i] : b->mol->formal_charge[i];
    for (int32_t i = 0; i < b->mol->n_atoms && !silent; ++i) {
        const shoal_atom_type *type = topology_table_type(b, i);
        charged[i] = m->charged[shoal_atom_types_find(m->types, type->name)];
        /* Charges of other types only where nothing else was given or asked for. */
        if (charged[i] || (!given && b->options->charges == SHOAL_CHARGES_AUTO)) q[i] = type->q;
        any = any || q[i] != 0.0;
    }
    v->has_charges = any || (m->settings.n_increments > 0 && !silent);
    if (v->has_charges && !given) v->charges_from = SHOAL_CHARGES_TYPES;
    if (silent) return SHOAL_OK;
    add_increments(b, q);
    return m->settings.neutral ? neutralise(b, charged, before, q) : SHOAL_OK;
}

/* Rows of the table, where a formula names columns of it. */
static shoal_status keep_rows(const uff_builder *b)
{
    const shoal_pair_model *m = b->options->model;
    const int32_t n = b->mol->n_atoms;
    if (m->settings.n_columns == 0) return SHOAL_OK;
    int32_t *rows = arena_alloc(&b->topology->memory, (size_t)n, sizeof *rows);
    if (!rows) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < n; ++i)
        rows[i] = shoal_atom_types_find(m->types, topology_table_type(b, i)->name);
    b->topology->view.table_types = rows;
    return SHOAL_OK;
}

/* Whose types the atoms have. */
static const char *field_of(const uff_builder *b)
{
    switch (b->options->forcefield) {
    case SHOAL_FORCEFIELD_MMFFSP3: return "MMFFsp3";
    case SHOAL_FORCEFIELD_MMFF94:
    case SHOAL_FORCEFIELD_MMFF94S: return "MMFF94";
    default: return "UFF";
    }
}

shoal_status topology_set_params(uff_builder *b, const atom_parameters *to)
{
    b->ion = table_charges(b->mol, b->g, b->scratch);
    if (!b->ion) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < b->mol->n_atoms; ++i) {
        char name[SHOAL_TYPE_NAME_SIZE];
        const shoal_atom_type *type = find_type(b, i, name);
        const bool same = strcmp(name, b->out->types[i]) == 0;
        if (!type)
            return topology_reject(
                b->topology, "atom %d (%s, %s type %s): the table of parameters has %s%s%s%s",
                (int)i, element_get(b->mol->element[i])->symbol, field_of(b), b->out->types[i],
                same ? "no " : "neither ", name, same ? "" : " nor ", same ? "" : b->out->types[i]);
        to->x[i] = 2.0 * type->r;
        to->d[i] = type->e;
        to->h[i] = type->h;
    }
    SHOAL_TRY(keep_rows(b));
    return set_charges(b, to->q);
}
