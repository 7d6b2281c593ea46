/* SPDX-License-Identifier: BSD-3-Clause
 * --explain: every interaction of one system, sorted by energy. */
#include "explain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void print_atoms(const shoal_term_row *row, const shoal_topology_view *v, shoal_string *out)
{
    char text[128];
    int used = 0;
    for (int32_t k = 0; k < row->n_atoms; ++k) {
        const int32_t *s = row->atoms[k].shift;
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%d:%s", k ? " " : "",
                         row->atoms[k].atom, v->types[row->atoms[k].atom]);
        if (s[0] || s[1] || s[2])
            used +=
                snprintf(text + used, sizeof text - (size_t)used, "(%d,%d,%d)", s[0], s[1], s[2]);
    }
    table_print(out, "%-43s ", text);
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
static void print_parameters(const shoal_term_row *row, const shoal_topology_view *v,
                             shoal_string *out)
{
    if (row->kind >= 0) {
        print_record(shoal_topology_terms(v, row->kind, NULL) + row->index, out);
        return;
    }
    switch (row->term) {
    case SHOAL_TERM_VDW:
        table_print(out, "x %.4f  D %.5g", row->parameters[0], row->parameters[1]);
        break;
    case SHOAL_TERM_RESTRAINT:
        table_print(out, "k %.5g  value %.5g", row->parameters[0], row->parameters[1]);
        break;
    case SHOAL_TERM_SURFACE: table_print(out, "q %+.4f  (height)", row->parameters[0]); break;
    default: table_print(out, "q %+.4f %+.4f", row->parameters[0], row->parameters[1]); break;
    }
}

shoal_status explain_system(const shoal_stream_system *system, double unit, const char *unit_name,
                            shoal_string *out)
{
    row_list list = {0};
    shoal_topology_view v;
    shoal_topology_get(system->topology, &v);
    const shoal_status status =
        shoal_engine_explain(system->engine, system->i_engine, collect, &list);
    if (status != SHOAL_OK || list.failed) {
        free(list.rows);
        return status != SHOAL_OK ? status : SHOAL_E_MEMORY;
    }
    if (list.n > 0) qsort(list.rows, list.n, sizeof *list.rows, compare);
    table_print(out, "\n%-10s%12s%12s  %-44s%s\n", "term", unit_name, "value", "atoms index:type",
                "parameters (eV, A, e)");
    for (size_t k = 0; k < list.n; ++k) {
        const shoal_term_row *row = &list.rows[k];
        shoal_term_kind kind;
        const bool degrees = shoal_term_kind_get(row->kind, &kind) && kind.value_unit[0] == 'd';
        table_print(out, "%-10s", shoal_term_name(row->term));
        table_number(out, row->energy / unit, 12, 6);
        table_number(out, row->value, 10, 4);
        table_print(out, " %s ", degrees ? "o" : "A");
        print_atoms(row, &v, out);
        print_parameters(row, &v, out);
        table_print(out, "\n");
    }
    table_print(out, "\n");
    free(list.rows);
    return SHOAL_OK;
}
