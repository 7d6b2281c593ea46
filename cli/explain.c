/* SPDX-License-Identifier: BSD-3-Clause
 * --explain: every interaction of one system, sorted by energy. */
#include "explain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "movers.h"
#include "results.h"

typedef struct row_list {
    shoal_term_row *rows;
    size_t n, capacity;
    bool failed;
} row_list;

static void collect(void *user, const shoal_term_row *row)
{
    row_list *list = user;
    if (list->n == list->capacity) {
        const size_t capacity = 2 * list->capacity + 256;
        shoal_term_row *more = realloc(list->rows, capacity * sizeof *more);
        if (!more) {
            list->failed = true;
            return;
        }
        list->rows = more;
        list->capacity = capacity;
    }
    list->rows[list->n++] = *row;
}

/* By size of the energy, the largest first; equal ones by term and atoms. */
static int compare(const void *a, const void *b)
{
    const shoal_term_row *x = a, *y = b;
    const double ex = fabs(x->energy), ey = fabs(y->energy);
    if (ex != ey && !(isnan(ex) && isnan(ey))) return ex > ey || isnan(ex) ? -1 : 1;
    if (x->term != y->term) return x->term < y->term ? -1 : 1;
    for (int32_t k = 0; k < x->n_atoms; ++k)
        if (x->atoms[k].atom != y->atoms[k].atom)
            return x->atoms[k].atom < y->atoms[k].atom ? -1 : 1;
    return 0;
}

void explain_atoms(const shoal_term_row *row, const shoal_topology_view *v, shoal_string *out)
{
    for (int32_t k = 0; k < row->n_atoms; ++k) {
        const int32_t *s = row->atoms[k].shift;
        mover_text name;
        table_print(out, "%s%s", k ? " " : "", mover_name(v, row->atoms[k].atom, name));
        if (s[0] || s[1] || s[2]) table_print(out, "(%d,%d,%d)", s[0], s[1], s[2]);
    }
}

/* The atoms as a column of the table. */
static void print_atoms(const shoal_term_row *row, const shoal_topology_view *v, shoal_string *out)
{
    const size_t start = shoal_string_size(out);
    explain_atoms(row, v, out);
    const size_t used = shoal_string_size(out) - start;
    table_print(out, "%*s", used < 44 ? (int)(44 - used) : 1, "");
}

/* Parameters of a bonded term with their names; c0, c1, .. become a list. */
static void print_record(const shoal_term *t, shoal_string *out)
{
    shoal_term_kind kind;
    if (!shoal_term_kind_get(t->kind, &kind)) return;
    const char *name = kind.parameters, *unit = kind.units;
    for (int32_t k = 0; k < kind.n_parameters; ++k) {
        const int n = (int)strcspn(name, " "), n_unit = (int)strcspn(unit, " ");
        const bool length = n_unit == 1 && unit[0] == 'A';
        const bool numbered = n == 2 && name[0] == 'c' && name[1] >= '0' && name[1] <= '9';
        if (numbered && name[1] > '0')
            table_print(out, " ");
        else
            table_print(out, "%s%.*s ", k ? "  " : "", numbered ? 1 : n, name);
        table_print(out, length ? "%.5f" : numbered ? "%.4g" : "%.5g", t->p[k]);
        unit += n_unit + (unit[n_unit] == ' ');
        name += n + (name[n] == ' ');
    }
}

/* Parameters in eV, angstrom and degrees, whatever the unit of the energies. */
void explain_parameters(const shoal_term_row *row, const shoal_topology_view *v, shoal_string *out)
{
    if (row->kind >= 0) {
        print_record(shoal_topology_terms(v, row->kind, NULL) + row->index, out);
        return;
    }
    const shoal_pair_settings *model = shoal_pair_model_settings(v->model);
    switch (row->term) {
    case SHOAL_TERM_VDW:
        if (model) table_print(out, "%s  ", shoal_pair_form_name((int)model->form));
        table_print(out, model ? "R0 %.4f  E0 %.5g" : "x %.4f  D %.5g", row->parameters[0],
                    row->parameters[1]);
        if (row->parameters[2] != 0) table_print(out, "  H %.4g", row->parameters[2]);
        break;
    case SHOAL_TERM_RESTRAINT:
        table_print(out, "k %.5g  value %.5g", row->parameters[0], row->parameters[1]);
        break;
    case SHOAL_TERM_SURFACE: table_print(out, "q %+.4f  (height)", row->parameters[0]); break;
    default: table_print(out, "q %+.4f %+.4f", row->parameters[0], row->parameters[1]); break;
    }
}

/* --- JSON ------------------------------------------------------------------------------------ */

const char *explain_unit(const shoal_term_row *row)
{
    shoal_term_kind kind;
    if (shoal_term_kind_get(row->kind, &kind)) return kind.value_unit;
    /* A restraint of one or two atoms has a length. */
    return row->term == SHOAL_TERM_RESTRAINT && row->n_atoms > 2 ? "degrees" : "A";
}

/* Parameters of a record under the names of its kind. */
static void json_record(json *j, const shoal_term *t)
{
    shoal_term_kind kind;
    if (!shoal_term_kind_get(t->kind, &kind)) return;
    const char *name = kind.parameters;
    for (int32_t k = 0; k < kind.n_parameters; ++k) {
        char key[32];
        const size_t n = strcspn(name, " ");
        (void)snprintf(key, sizeof key, "%.*s", (int)n, name);
        json_number(j, key, t->p[k]);
        name += n + (name[n] == ' ');
    }
}

static void json_parameters(json *j, const shoal_term_row *row, const shoal_topology_view *v)
{
    const double *p = row->parameters;
    json_open(j, "parameters", '{');
    if (row->kind >= 0) {
        json_record(j, shoal_topology_terms(v, row->kind, NULL) + row->index);
    } else if (row->term == SHOAL_TERM_VDW) {
        const shoal_pair_settings *model = shoal_pair_model_settings(v->model);
        json_number(j, "x", p[0]);
        json_number(j, "D", p[1]);
        if (model) json_number(j, "H", p[2]);
        if (model) json_text(j, "form", shoal_pair_form_name((int)model->form));
    } else if (row->term == SHOAL_TERM_RESTRAINT) {
        json_number(j, "k", p[0]);
        json_number(j, "value", p[1]);
    } else if (row->term == SHOAL_TERM_SURFACE) {
        json_number(j, "q", p[0]);
    } else {
        json_number(j, "q_i", p[0]);
        json_number(j, "q_j", p[1]);
    }
    json_close(j, '}');
}

void explain_json_row(json *j, const shoal_term_row *row, const shoal_topology_view *v)
{
    shoal_term_kind kind;
    bool shifted = false, is_auxiliary = false; /* electron pairs, directions */
    json_text(j, "term", shoal_term_name(row->term));
    json_text(j, "kind",
              shoal_term_kind_get(row->kind, &kind) ? kind.name : shoal_term_name(row->term));
    if (row->index >= 0) json_integer(j, "index", row->index);
    json_open(j, "atoms", '[');
    for (int32_t k = 0; k < row->n_atoms; ++k) json_integer(j, NULL, row->atoms[k].atom);
    json_close(j, ']');
    json_open(j, "types", '[');
    for (int32_t k = 0; k < row->n_atoms; ++k) {
        mover_text type;
        json_text(j, NULL, mover_type(v, row->atoms[k].atom, type));
        is_auxiliary |= row->atoms[k].atom >= v->n_atoms;
    }
    json_close(j, ']');
    if (is_auxiliary) {
        json_open(j, "hosts", '[');
        for (int32_t k = 0; k < row->n_atoms; ++k)
            json_integer(j, NULL, mover_host(v, row->atoms[k].atom));
        json_close(j, ']');
    }
    for (int32_t k = 0; k < row->n_atoms; ++k)
        for (int c = 0; c < 3; ++c) shifted |= row->atoms[k].shift[c] != 0;
    if (shifted) {
        json_open(j, "shifts", '[');
        for (int32_t k = 0; k < row->n_atoms; ++k) {
            json_open(j, NULL, '[');
            for (int c = 0; c < 3; ++c) json_integer(j, NULL, row->atoms[k].shift[c]);
            json_close(j, ']');
        }
        json_close(j, ']');
    }
    json_parameters(j, row, v);
    json_number(j, "value", row->value);
    json_text(j, "unit", explain_unit(row));
    json_number(j, "energy", row->energy);
}

/* --- one system ------------------------------------------------------------------------------ */

/* All interactions, sorted. */
static shoal_status list_rows(const shoal_stream_system *system, row_list *list)
{
    const shoal_status status =
        shoal_engine_explain(system->engine, system->i_engine, collect, list);
    if (status != SHOAL_OK || list->failed) {
        free(list->rows);
        return status != SHOAL_OK ? status : SHOAL_E_MEMORY;
    }
    if (list->n > 0) qsort(list->rows, list->n, sizeof *list->rows, compare);
    return SHOAL_OK;
}

shoal_status explain_json(const shoal_stream_system *system, json *j)
{
    row_list list = {0};
    shoal_topology_view v;
    shoal_topology_get(system->topology, &v);
    const shoal_status status = list_rows(system, &list);
    if (status != SHOAL_OK) return status;
    json_open(j, "interactions", '[');
    for (size_t k = 0; k < list.n; ++k) {
        json_open(j, NULL, '{');
        explain_json_row(j, &list.rows[k], &v);
        json_close(j, '}');
    }
    json_close(j, ']');
    free(list.rows);
    return SHOAL_OK;
}

shoal_status explain_system(const shoal_stream_system *system, double unit, const char *unit_name,
                            shoal_string *out)
{
    row_list list = {0};
    shoal_topology_view v;
    shoal_topology_get(system->topology, &v);
    const shoal_status status = list_rows(system, &list);
    if (status != SHOAL_OK) return status;
    table_print(out, "\n%-10s%12s%12s  %-44s%s\n", "term", unit_name, "value", "atoms index:type",
                "parameters (eV, A, e)");
    for (size_t k = 0; k < list.n; ++k) {
        const shoal_term_row *row = &list.rows[k];
        table_print(out, "%-10s", shoal_term_name(row->term));
        table_number(out, row->energy / unit, 12, 6);
        table_number(out, row->value, 10, 4);
        table_print(out, " %s ", explain_unit(row)[0] == 'd' ? "o" : "A");
        print_atoms(row, &v, out);
        explain_parameters(row, &v, out);
        table_print(out, "\n");
    }
    table_print(out, "\n");
    free(list.rows);
    return SHOAL_OK;
}
