/* SPDX-License-Identifier: BSD-3-Clause
 * Tables of types and degrees of freedom for prepared frames. */
#include <stdio.h>

#include "base/alloc.h"
#include "chem/element.h"
#include "ff/table_names.h"
#include "ff/uff_table.h"
#include "fit/prepare.h"
#include "io/output.h"

#include "constants.h"

/* Start of h: + for hydrogens that can be given, - for atoms with lone pairs that take them. */
#define H_START 0.5

shoal_status prepared_types_count(prepared_types *list, shoal_span name, const fragment_atom *atom,
                                  int32_t z)
{
    int32_t k = 0;
    while (k < list->n && !shoal_span_equal(name, list->types[k].name)) ++k;
    if (k == list->n) {
        SHOAL_TRY(SHOAL_RESERVE(&list->types, &list->capacity, list->n + 1));
        list->types[k] = (prepared_type){.atom = *atom, .z = z};
        (void)snprintf(list->types[k].name, SHOAL_TYPE_NAME_SIZE, "%.*s", (int)name.size,
                       name.text);
        list->n++;
    }
    list->types[k].n_atoms++;
    return SHOAL_OK;
}

static bool is_acceptor(int32_t z)
{
    return z == 7 || z == 8 || z == 9 || z == 16 || z == 17 || z == 34 || z == 35 || z == 53;
}

/* Hydrogens are named by their neighbour: those of C, B, Si, Ge, As and metals are not given away. */
static bool is_donor(const prepared_type *t)
{
    if (t->z != 1 || t->atom.base[1] != '_') return false;
    size_t n = 0;
    const char *neighbour = t->atom.base + 2;
    while (shoal_is_letter(neighbour[n])) ++n;
    const int32_t z = element_by_symbol(neighbour, (int32_t)n);
    return z == 15 || is_acceptor(z);
}

static double start_of_h(const prepared_type *t)
{
    if (is_donor(t)) return H_START;
    return is_acceptor(t->z) && t->atom.n_pairs > 0 && t->atom.ion <= 0 ? -H_START : 0.0;
}

static double start_of_r(const prepared_type *t)
{
    return 0.5 * uff_type_by_label(t->atom.label)->x1;
}

static double start_of_e(const prepared_type *t)
{
    return KCAL_EV * uff_type_by_label(t->atom.label)->d1;
}

static void put_padded(shoal_output *out, const char *text, int width)
{
    shoal_output_format(out, "%-*s ", width, text);
}

static void put_number(shoal_output *out, double value, int decimals)
{
    char number[SHOAL_NUMBER_SIZE];
    (void)shoal_text_print_fixed(number, value, decimals);
    shoal_output_format(out, " %s", number);
}

static void put_type(shoal_output *out, const prepared_type *t)
{
    put_padded(out, t->name, 8);
    put_padded(out, table_is_finer(t->name, t->atom.base) ? t->atom.base : "*", 1);
    shoal_output_format(out, "%-2s E %d %d %d 0", element_get(t->z)->symbol, (int)t->atom.n_bonds,
                        (int)t->atom.n_pairs, (int)t->atom.n_pi);
    put_number(out, uff_type_by_label(t->atom.label)->r1, 4);
    put_number(out, start_of_r(t), 5);
    put_number(out, start_of_e(t), 9);
    shoal_output_text(out, " 0.0");
    put_number(out, start_of_h(t), 2);
    shoal_output_format(out, "  # UFF %s, %d atoms\n", t->atom.label, (int)t->n_atoms);
}

static shoal_status finish(shoal_output *out)
{
    const shoal_status status = shoal_output_close(out);
    shoal_output_destroy(out);
    return status;
}

shoal_status prepared_types_write_table(const prepared_types *list, const char *path)
{
    shoal_output *out;
    SHOAL_TRY(shoal_output_open(&out, path));
    shoal_output_text(out,
                      "# types of 'shoal fit prepare': RvdW (A) and EvdW (eV) of UFF, to start "
                      "a fit from\n# name parent element epair valence n_epair npi sym Ruff "
                      "RvdW EvdW Qbase Hb\n");
    for (int32_t k = 0; k < list->n; ++k) put_type(out, &list->types[k]);
    return finish(out);
}

/* "name comp min max xlo xhi Klo Khi K0 start invMass": walls well inside of the bounds. */
static void put_dofs(shoal_output *out, const prepared_type *t)
{
    const double h = start_of_h(t);
    put_padded(out, t->name, 8);
    shoal_output_text(out, "0 0.6 3.0 0.9 2.6 1.0 1.0 1e-3");
    put_number(out, start_of_r(t), 5);
    shoal_output_text(out, " 1.0\n");
    put_padded(out, t->name, 8);
    shoal_output_text(out, "1 1e-6 0.05 1e-5 0.03 1.0 1.0 0.0");
    put_number(out, start_of_e(t), 9);
    shoal_output_text(out, " 1.0\n");
    if (h == 0.0) return;
    put_padded(out, t->name, 8);
    shoal_output_text(out, h > 0.0 ? "3 0.001 0.99 0.01 0.95 1.0 1.0 2.5e-4"
                                   : "3 -0.99 -0.001 -0.95 -0.01 1.0 1.0 2.5e-4");
    put_number(out, h, 2);
    shoal_output_text(out, " 1.0\n");
}

shoal_status prepared_types_write_dofs(const prepared_types *list, const char *path)
{
    shoal_output *out;
    SHOAL_TRY(shoal_output_open(&out, path));
    shoal_output_text(out, "# typename comp min max xlo xhi Klo Khi K0 start invMass; comp 0 = R "
                           "(A), 1 = E (eV), 3 = H\n");
    for (int32_t k = 0; k < list->n; ++k) put_dofs(out, &list->types[k]);
    return finish(out);
}
