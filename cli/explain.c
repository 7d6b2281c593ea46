/* SPDX-License-Identifier: BSD-3-Clause
 * --explain: every interaction of one system, sorted by energy. */
#include "explain.h"

#include <stdlib.h>

#include "results.h"

/* The atoms as a column of the table. */
static void print_atoms(const shoal_term_row *row, const shoal_topology_view *v, shoal_string *out)
{
    const size_t start = shoal_string_size(out);
    shoal_explain_atoms(row, v, out);
    const size_t used = shoal_string_size(out) - start;
    table_print(out, "%*s", used < 44 ? (int)(44 - used) : 1, "");
}

/* All interactions of a system. The caller frees *rows. */
static shoal_status list_rows(const shoal_stream_system *system, shoal_topology_view *v,
                              shoal_term_row **rows, int64_t *n)
{
    shoal_topology_get(system->topology, v);
    return shoal_explain_rows(system->engine, system->i_engine, rows, n);
}

shoal_status explain_json(const shoal_stream_system *system, json *j)
{
    shoal_term_row *rows;
    int64_t n;
    shoal_topology_view v;
    const shoal_status status = list_rows(system, &v, &rows, &n);
    if (status != SHOAL_OK) return status;
    json_open(j, "interactions", '[');
    for (int64_t k = 0; k < n; ++k) {
        json_open(j, NULL, '{');
        shoal_explain_json(&rows[k], &v, j);
        json_close(j, '}');
    }
    json_close(j, ']');
    free(rows);
    return SHOAL_OK;
}

shoal_status explain_system(const shoal_stream_system *system, double unit, const char *unit_name,
                            shoal_string *out)
{
    shoal_term_row *rows;
    int64_t n;
    shoal_topology_view v;
    const shoal_status status = list_rows(system, &v, &rows, &n);
    if (status != SHOAL_OK) return status;
    table_print(out, "\n%-10s%12s%12s  %-44s%s\n", "term", unit_name, "value", "atoms index:type",
                "parameters (eV, A, e)");
    for (const shoal_term_row *row = rows; row < rows + n; ++row) {
        table_print(out, "%-10s", shoal_term_name(row->term));
        table_number(out, row->energy / unit, 12, 6);
        table_number(out, row->value, 10, 4);
        table_print(out, " %s ", shoal_explain_unit(row)[0] == 'd' ? "o" : "A");
        print_atoms(row, &v, out);
        shoal_explain_parameters(row, &v, out);
        table_print(out, "\n");
    }
    table_print(out, "\n");
    free(rows);
    return SHOAL_OK;
}
