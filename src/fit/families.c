/* SPDX-License-Identifier: BSD-3-Clause
 * Families: DOFs of finer types of one parent, of their sites, and of the bonds between them. */
#include <stdlib.h>
#include <string.h>

#include "ff/table_names.h"
#include "fit/families.h"

/* The parent of a finer type, by name, or the type itself. */
static const char *base_of(const shoal_fit *fit, int32_t type)
{
    const shoal_atom_type *t = shoal_atom_types_get(fit->problem.data->types, type);
    return table_is_finer(t->name, t->parent) ? t->parent : t->name;
}

static const shoal_charge_increment *increment_of(const shoal_fit *fit, int32_t type)
{
    const shoal_dataset *data = fit->problem.data;
    const bool is_one = data->n_increments > 0 && type >= data->first_increment;
    return is_one ? &data->increments[type - data->first_increment] : NULL;
}

/* Parents of both ends of a bond, the first in the alphabet first; *sign is -1 if they changed places. False if they are
 * the same: which end takes is then up to the finer types alone. */
static bool find_ends(const shoal_fit *fit, const shoal_charge_increment *x, const char *ends[2],
                      double *sign)
{
    const shoal_atom_types *types = fit->problem.data->types;
    ends[0] = base_of(fit, shoal_atom_types_find(types, x->from));
    ends[1] = base_of(fit, shoal_atom_types_find(types, x->to));
    const int order = strcmp(ends[0], ends[1]);
    *sign = order > 0 ? -1.0 : 1.0;
    if (order <= 0) return order != 0;
    const char *first = ends[1];
    ends[1] = ends[0];
    ends[0] = first;
    return true;
}

static bool are_kin(const shoal_fit *fit, fit_dof *a, fit_dof *b)
{
    const shoal_charge_increment *x = increment_of(fit, a->type), *y = increment_of(fit, b->type);
    if (a->comp != b->comp || !x != !y) return false;
    if (x) {
        const char *of_x[2], *of_y[2];
        return find_ends(fit, x, of_x, &a->sign) && find_ends(fit, y, of_y, &b->sign) &&
               strcmp(of_x[0], of_y[0]) == 0 && strcmp(of_x[1], of_y[1]) == 0;
    }
    const int32_t host_a = fit->site_host[a->type], host_b = fit->site_host[b->type];
    if ((host_a >= 0) != (host_b >= 0)) return false;
    return strcmp(base_of(fit, host_a >= 0 ? host_a : a->type),
                  base_of(fit, host_b >= 0 ? host_b : b->type)) == 0;
}

void fit_set_families(shoal_fit *fit)
{
    fit->n_families = 0;
    for (int32_t i = 0; i < fit->n_dofs; ++i) {
        fit->dofs[i].family = -1;
        fit->dofs[i].sign = 1.0;
    }
    for (int32_t i = 0; i < fit->n_dofs; ++i) {
        fit_dof *dof = &fit->dofs[i];
        if (dof->frozen || dof->type < 0 || dof->family >= 0) continue;
        dof->family = fit->n_families++;
        for (int32_t k = i + 1; k < fit->n_dofs; ++k) {
            fit_dof *other = &fit->dofs[k];
            if (other->frozen || other->type < 0 || !are_kin(fit, dof, other)) continue;
            other->family = dof->family;
            other->group = dof->group;
        }
    }
}
