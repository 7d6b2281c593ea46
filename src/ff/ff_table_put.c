/* SPDX-License-Identifier: BSD-3-Clause
 * A topology as rows of a table of a force field. */
#include "base/text.h"
#include "ff/ff_table.h"
#include "ff/term_table.h"

static void put_word(shoal_string *out, const char *word)
{
    shoal_string_put_text(out, word);
    shoal_string_put(out, "\t", 1);
}

static void put_number(shoal_string *out, double value)
{
    shoal_string_put(out, "\t", 1);
    shoal_string_put_number(out, value);
}

void ff_table_put_molecule(shoal_string *out, const shoal_molecule *mol)
{
    shoal_string_put_text(out, "molecule");
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        shoal_string_print(out, " %s", shoal_element_symbol(mol->element[i]));
    for (int32_t k = 0; k < mol->n_bonds; ++k)
        shoal_string_print(out, " %d-%d", (int)mol->bonds[k].i, (int)mol->bonds[k].j);
    shoal_string_put(out, "\n", 1);
}

static void put_atoms(shoal_string *out, const shoal_topology_view *v)
{
    for (int32_t i = 0; i < v->n_atoms; ++i) {
        put_word(out, "atom");
        shoal_string_put_integer(out, i);
        put_number(out, v->vdw_x[i]);
        put_number(out, v->vdw_d[i]);
        if (v->has_charges) put_number(out, v->charges[i]);
        shoal_string_print(out, "\t# %s\n", v->types[i]);
    }
}

/* Images where the system repeats, so that small cells are told apart. */
static void put_place(shoal_string *out, const shoal_topology_view *v, const shoal_term *t,
                      int32_t k)
{
    const int32_t *home = t->shifts[0], *s = t->shifts[k];
    if (k > 0) shoal_string_put(out, "\t", 1);
    shoal_string_put_integer(out, t->atoms[k]);
    if (k > 0 && (v->pbc[0] || v->pbc[1] || v->pbc[2]))
        shoal_string_print(out, "@%d,%d,%d", (int)(s[0] - home[0]), (int)(s[1] - home[1]),
                           (int)(s[2] - home[2]));
}

static void put_term(shoal_string *out, const shoal_topology_view *v, const shoal_term *t)
{
    shoal_term_kind info = {0};
    (void)shoal_term_kind_get(t->kind, &info);
    put_word(out, info.name);
    for (int32_t k = 0; k < info.n_atoms; ++k) put_place(out, v, t, k);
    for (int32_t k = 0; k < info.n_parameters; ++k) put_number(out, t->p[k]);
    shoal_string_put_text(out, "\t#");
    for (int32_t k = 0; k < info.n_atoms; ++k)
        shoal_string_print(out, " %s",
                           t->atoms[k] < v->n_atoms ? v->types[t->atoms[k]] : "direction");
    shoal_string_put(out, "\n", 1);
}

shoal_status shoal_ff_table_put(shoal_string *out, const shoal_molecule *mol,
                                const shoal_topology *topology)
{
    shoal_clear_error();
    SHOAL_NEED(out && mol && topology);
    const shoal_topology_view *v = &topology->view;
    if (topology->status != SHOAL_SYSTEM_OK) return SHOAL_OK;
    if (v->n_atoms != mol->n_atoms)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "force-field table: a topology of %d atoms, and a "
                          "molecule of %d",
                          v->n_atoms, mol->n_atoms);
    ff_table_put_molecule(out, mol);
    if (!topology->model || !shoal_pair_model_types(topology->model)) put_atoms(out, v);
    for (int32_t k = 0; k < v->n_terms; ++k) {
        const int energy = term_shapes[v->terms[k].kind].energy;
        if (energy != SHOAL_TERM_VDW && energy != SHOAL_TERM_COULOMB)
            put_term(out, v, &v->terms[k]);
    }
    return shoal_string_status(out);
}
