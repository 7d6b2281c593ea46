/* SPDX-License-Identifier: BSD-3-Clause
 * Interactions of a system in words. */
#include "shoal/explain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

/* --- what moves ------------------------------------------------------------------------------ */

int32_t shoal_mover_count(const shoal_topology_view *v)
{
    return v ? v->n_atoms + v->n_pairs + v->n_directions : 0;
}

/* An electron pair hangs on one bond. */
static int32_t pair_host(const shoal_topology_view *v, int32_t i)
{
    int32_t n;
    const shoal_term *bonds = shoal_topology_terms(v, SHOAL_KIND_BOND, &n);
    for (int32_t b = 0; b < n; ++b)
        for (int k = 0; k < 2; ++k)
            if (bonds[b].atoms[k] == i) return bonds[b].atoms[1 - k];
    return i;
}

int32_t shoal_mover_host(const shoal_topology_view *v, int32_t i)
{
    if (i < 0 || i >= shoal_mover_count(v)) return i;
    const int32_t n_points = v->n_atoms + v->n_pairs;
    if (i >= n_points) return v->direction_atoms[i - n_points];
    return i < v->n_atoms ? i : pair_host(v, i);
}

const char *shoal_mover_type(const shoal_topology_view *v, int32_t i, char out[SHOAL_MOVER_SIZE])
{
    if (!out) return "";
    out[0] = '\0';
    if (i < 0 || i >= shoal_mover_count(v)) return out;
    const bool is_direction = i >= v->n_atoms + v->n_pairs;
    (void)snprintf(out, SHOAL_MOVER_SIZE, is_direction ? "pi(%.15s)" : "%.15s",
                   v->types[is_direction ? shoal_mover_host(v, i) : i]);
    return out;
}

const char *shoal_mover_name(const shoal_topology_view *v, int32_t i, char out[SHOAL_MOVER_SIZE])
{
    if (!out) return "";
    out[0] = '\0';
    if (i < 0 || i >= shoal_mover_count(v)) return out;
    const int32_t host = shoal_mover_host(v, i);
    if (i >= v->n_atoms + v->n_pairs)
        (void)snprintf(out, SHOAL_MOVER_SIZE, "pi(%d:%.15s)", host, v->types[host]);
    else if (i >= v->n_atoms)
        (void)snprintf(out, SHOAL_MOVER_SIZE, "%d:%.15s(%d)", i, v->types[i], host);
    else
        (void)snprintf(out, SHOAL_MOVER_SIZE, "%d:%.15s", i, v->types[i]);
    return out;
}

/* --- rows ------------------------------------------------------------------------------------ */

typedef struct row_list {
    shoal_term_row *rows;
    int32_t n, capacity;
    shoal_status status;
} row_list;

static void collect(void *user, const shoal_term_row *row)
{
    row_list *list = user;
    if (list->status == SHOAL_OK)
        list->status = SHOAL_RESERVE(&list->rows, &list->capacity, list->n + 1);
    if (list->status == SHOAL_OK) list->rows[list->n++] = *row;
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

shoal_status shoal_explain_rows(const shoal_engine *engine, int32_t i_system, shoal_term_row **out,
                                int64_t *n)
{
    row_list list = {0};
    shoal_clear_error();
    SHOAL_NEED(engine && out && n);
    shoal_status status = shoal_engine_explain(engine, i_system, collect, &list);
    if (status == SHOAL_OK) status = list.status;
    if (status == SHOAL_OK && list.n > 0)
        qsort(list.rows, (size_t)list.n, sizeof *list.rows, compare);
    if (status != SHOAL_OK) free(list.rows);
    *out = status == SHOAL_OK ? list.rows : NULL;
    *n = status == SHOAL_OK ? list.n : 0;
    return status;
}

void shoal_explain_atoms(const shoal_term_row *row, const shoal_topology_view *v, shoal_string *out)
{
    for (int32_t k = 0; row && v && k < row->n_atoms; ++k) {
        const int32_t *s = row->atoms[k].shift;
        char name[SHOAL_MOVER_SIZE];
        shoal_string_print(out, "%s%s", k ? " " : "",
                           shoal_mover_name(v, row->atoms[k].atom, name));
        if (s[0] || s[1] || s[2]) shoal_string_print(out, "(%d,%d,%d)", s[0], s[1], s[2]);
    }
}

/* The record of a bonded term; NULL of other interactions. */
static const shoal_term *record_of(const shoal_term_row *row, const shoal_topology_view *v)
{
    int32_t n = 0;
    const shoal_term *terms =
        row && v && row->kind >= 0 ? shoal_topology_terms(v, row->kind, &n) : NULL;
    return terms && row->index >= 0 && row->index < n ? terms + row->index : NULL;
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
            shoal_string_print(out, " ");
        else
            shoal_string_print(out, "%s%.*s ", k ? "  " : "", numbered ? 1 : n, name);
        shoal_string_print(out, length ? "%.5f" : numbered ? "%.4g" : "%.5g", t->p[k]);
        unit += n_unit + (unit[n_unit] == ' ');
        name += n + (name[n] == ' ');
    }
}

/* Parameters in eV, angstrom and degrees, whatever the unit of the energies. */
void shoal_explain_parameters(const shoal_term_row *row, const shoal_topology_view *v,
                              shoal_string *out)
{
    const shoal_term *record = record_of(row, v);
    if (record) print_record(record, out);
    if (record || !row || !v) return;
    const shoal_pair_settings *model = shoal_pair_model_settings(v->model);
    switch (row->term) {
    case SHOAL_TERM_VDW:
        if (model) shoal_string_print(out, "%s  ", shoal_pair_form_name((int)model->form));
        shoal_string_print(out, model ? "R0 %.4f  E0 %.5g" : "x %.4f  D %.5g", row->parameters[0],
                           row->parameters[1]);
        if (row->parameters[2] != 0) shoal_string_print(out, "  H %.4g", row->parameters[2]);
        break;
    case SHOAL_TERM_RESTRAINT:
        shoal_string_print(out, "k %.5g  value %.5g", row->parameters[0], row->parameters[1]);
        break;
    case SHOAL_TERM_SURFACE:
        shoal_string_print(out, "q %+.4f  (height)", row->parameters[0]);
        break;
    default:
        shoal_string_print(out, "q %+.4f %+.4f", row->parameters[0], row->parameters[1]);
        break;
    }
}

const char *shoal_explain_unit(const shoal_term_row *row)
{
    shoal_term_kind kind;
    if (!row) return "";
    if (shoal_term_kind_get(row->kind, &kind)) return kind.value_unit;
    /* A restraint of one or two atoms has a length. */
    return row->term == SHOAL_TERM_RESTRAINT && row->n_atoms > 2 ? "degrees" : "A";
}

/* Parameters of a record under the names of its kind. */
static void json_record(shoal_json *j, const shoal_term *t)
{
    shoal_term_kind kind;
    if (!shoal_term_kind_get(t->kind, &kind)) return;
    const char *name = kind.parameters;
    for (int32_t k = 0; k < kind.n_parameters; ++k) {
        char key[32];
        const size_t n = strcspn(name, " ");
        (void)snprintf(key, sizeof key, "%.*s", (int)n, name);
        shoal_json_number(j, key, t->p[k]);
        name += n + (name[n] == ' ');
    }
}

static void json_parameters(shoal_json *j, const shoal_term_row *row, const shoal_topology_view *v)
{
    const double *p = row->parameters;
    shoal_json_open(j, "parameters", '{');
    const shoal_term *record = record_of(row, v);
    if (record) {
        json_record(j, record);
    } else if (row->term == SHOAL_TERM_VDW) {
        const shoal_pair_settings *model = shoal_pair_model_settings(v->model);
        shoal_json_number(j, "x", p[0]);
        shoal_json_number(j, "D", p[1]);
        if (model) shoal_json_number(j, "H", p[2]);
        if (model) shoal_json_text(j, "form", shoal_pair_form_name((int)model->form));
    } else if (row->term == SHOAL_TERM_RESTRAINT) {
        shoal_json_number(j, "k", p[0]);
        shoal_json_number(j, "value", p[1]);
    } else if (row->term == SHOAL_TERM_SURFACE) {
        shoal_json_number(j, "q", p[0]);
    } else {
        shoal_json_number(j, "q_i", p[0]);
        shoal_json_number(j, "q_j", p[1]);
    }
    shoal_json_close(j, '}');
}

void shoal_explain_json(const shoal_term_row *row, const shoal_topology_view *v, shoal_json *j)
{
    shoal_term_kind kind;
    bool shifted = false, is_auxiliary = false; /* electron pairs, directions */
    if (!row || !v || !j) return;
    shoal_json_text(j, "term", shoal_term_name(row->term));
    shoal_json_text(j, "kind",
                    shoal_term_kind_get(row->kind, &kind) ? kind.name : shoal_term_name(row->term));
    if (row->index >= 0) shoal_json_integer(j, "index", row->index);
    shoal_json_open(j, "atoms", '[');
    for (int32_t k = 0; k < row->n_atoms; ++k) shoal_json_integer(j, NULL, row->atoms[k].atom);
    shoal_json_close(j, ']');
    shoal_json_open(j, "types", '[');
    for (int32_t k = 0; k < row->n_atoms; ++k) {
        char type[SHOAL_MOVER_SIZE];
        shoal_json_text(j, NULL, shoal_mover_type(v, row->atoms[k].atom, type));
        is_auxiliary |= row->atoms[k].atom >= v->n_atoms;
    }
    shoal_json_close(j, ']');
    if (is_auxiliary) {
        shoal_json_open(j, "hosts", '[');
        for (int32_t k = 0; k < row->n_atoms; ++k)
            shoal_json_integer(j, NULL, shoal_mover_host(v, row->atoms[k].atom));
        shoal_json_close(j, ']');
    }
    for (int32_t k = 0; k < row->n_atoms; ++k)
        for (int c = 0; c < 3; ++c) shifted |= row->atoms[k].shift[c] != 0;
    if (shifted) {
        shoal_json_open(j, "shifts", '[');
        for (int32_t k = 0; k < row->n_atoms; ++k)
            shoal_json_integers(j, NULL, row->atoms[k].shift, 3);
        shoal_json_close(j, ']');
    }
    json_parameters(j, row, v);
    shoal_json_number(j, "value", row->value);
    shoal_json_text(j, "unit", shoal_explain_unit(row));
    shoal_json_number(j, "energy", row->energy);
}
