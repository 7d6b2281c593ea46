/* SPDX-License-Identifier: BSD-3-Clause
 * Charge increments of bonds: rows of the table for pairs of types, and the bonds of every frame. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "fit/objective.h"
#include "fit/sites.h"
#include "io/atom_types.h"

typedef struct bond_finder {
    shoal_dataset *data;
    int32_t *n_bonds;
    int32_t (*bonded)[SITES_MAX_BONDS];
    int32_t n_types; /* before rows of pairs are added */
    int32_t *row_of; /* [n_types][n_types] row of a pair plus 1 */
} bond_finder;

/* Row that stands for a pair of types, made where there is none. */
static shoal_status find_row(bond_finder *f, int32_t from, int32_t to, int32_t *row)
{
    shoal_dataset *data = f->data;
    int32_t *known = &f->row_of[(size_t)from * (size_t)f->n_types + (size_t)to];
    if (*known == 0) {
        shoal_atom_type type = {.parent = "*", .element = "-", .epair = "*"};
        const char *a = shoal_atom_types_get(data->types, from)->name;
        const char *b = shoal_atom_types_get(data->types, to)->name;
        const int length = snprintf(type.name, sizeof type.name, "%s:%s", a, b);
        if (length >= (int)sizeof type.name)
            return shoal_fail(SHOAL_E_UNSUPPORTED,
                              "increment of %s and %s: both names have more than %d characters", a,
                              b, SHOAL_TYPE_NAME_SIZE - 2);
        if (shoal_atom_types_find(data->types, type.name) >= 0)
            return shoal_fail(SHOAL_E_UNSUPPORTED,
                              "the table has a type %s, which is the name of an increment",
                              type.name);
        SHOAL_TRY(atom_types_append(data->types, &type));
        *known = shoal_atom_types_count(data->types);
    }
    *row = *known - 1;
    return SHOAL_OK;
}

/* Bonds of the atoms [at, at + n) of a sample. */
static shoal_status add_bonds(bond_finder *f, fit_sample *s, int32_t at, int32_t n)
{
    shoal_dataset *data = f->data;
    const int32_t first = s->atom_start + at;
    SHOAL_TRY(sites_find_bonds(data, first, n, f->n_bonds, f->bonded));
    for (int32_t i = 0; i < n; ++i)
        for (int32_t k = 0; k < f->n_bonds[i]; ++k) {
            const int32_t j = f->bonded[i][k], ti = data->type[first + i],
                          tj = data->type[first + j];
            if (ti >= tj) continue; /* of the other atom, or between like ones */
            SHOAL_TRY(SHOAL_RESERVE(&data->bonds, &data->bond_capacity, data->n_bonds + 1));
            fit_bond *bond = &data->bonds[data->n_bonds];
            *bond = (fit_bond){.from = at + i, .to = at + j};
            SHOAL_TRY(find_row(f, ti, tj, &bond->type));
            data->n_bonds++;
            s->n_bonds++;
        }
    return SHOAL_OK;
}

/* Names of the pairs, from the rows behind the types. */
static shoal_status list_increments(bond_finder *f)
{
    shoal_dataset *data = f->data;
    data->first_increment = f->n_types;
    data->n_increments = shoal_atom_types_count(data->types) - f->n_types;
    if (data->n_increments == 0)
        return shoal_fail(SHOAL_E_FORMAT, "increments: no bond between unlike types in the data");
    data->increments =
        arena_alloc(&data->memory, (size_t)data->n_increments, sizeof *data->increments);
    if (!data->increments) return SHOAL_E_MEMORY;
    for (int32_t a = 0; a < f->n_types; ++a)
        for (int32_t b = 0; b < f->n_types; ++b) {
            const int32_t row = f->row_of[(size_t)a * (size_t)f->n_types + (size_t)b] - 1;
            if (row < 0) continue;
            shoal_charge_increment *x = &data->increments[row - f->n_types];
            memcpy(x->from, shoal_atom_types_get(data->types, a)->name, sizeof x->from);
            memcpy(x->to, shoal_atom_types_get(data->types, b)->name, sizeof x->to);
        }
    return SHOAL_OK;
}

static shoal_status find_all(bond_finder *f)
{
    shoal_dataset *data = f->data;
    for (int32_t s = 0; s < data->n_samples; ++s) {
        fit_sample *x = &data->samples[s];
        x->bond_start = data->n_bonds;
        SHOAL_TRY(add_bonds(f, x, 0, x->n_first));
        SHOAL_TRY(add_bonds(f, x, x->n_first, x->n_atoms - x->n_first));
    }
    return list_increments(f);
}

shoal_status shoal_dataset_add_increments(shoal_dataset *data)
{
    shoal_clear_error();
    SHOAL_NEED(data);
    if (data->n_bonds > 0) return shoal_fail(SHOAL_E_ARGUMENT, "the data have increments already");
    bond_finder f = {.data = data, .n_types = shoal_atom_types_count(data->types)};
    int32_t most = 1;
    for (int32_t s = 0; s < data->n_samples; ++s)
        if (data->samples[s].n_atoms > most) most = data->samples[s].n_atoms;
    f.n_bonds = shoal_alloc((size_t)most, sizeof *f.n_bonds);
    f.bonded = shoal_alloc((size_t)most, sizeof *f.bonded);
    f.row_of = shoal_alloc((size_t)f.n_types * (size_t)f.n_types, sizeof *f.row_of);
    const shoal_status status = f.n_bonds && f.bonded && f.row_of ? find_all(&f) : SHOAL_E_MEMORY;
    free(f.n_bonds);
    free(f.bonded);
    free(f.row_of);
    return status;
}

int32_t shoal_fit_increments(const shoal_fit *fit, shoal_charge_increment *increments)
{
    const shoal_dataset *data = fit ? fit->problem.data : NULL;
    for (int32_t k = 0; data && increments && k < data->n_increments; ++k) {
        const int32_t row = data->first_increment + k;
        increments[k] = data->increments[k];
        increments[k].value = shoal_atom_types_get(data->types, row)->q;
        for (int32_t i = 0; i < fit->n_dofs; ++i)
            if (fit->dofs[i].type == row && fit->dofs[i].comp == FIT_Q)
                increments[k].value = fit->value[i];
    }
    return data ? data->n_increments : 0;
}
