/* SPDX-License-Identifier: BSD-3-Clause
 * A table of atom types: rows found by name, and the text they came from. */
#include "io/atom_types.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

shoal_status atom_types_create(shoal_atom_types **out)
{
    shoal_atom_types *types = shoal_alloc(1, sizeof *types);
    *out = types;
    if (!types) return SHOAL_E_MEMORY;
    for (int i = 0; i < ATOM_TYPE_BUCKETS; ++i) types->bucket[i] = -1;
    return SHOAL_OK;
}

shoal_status atom_types_add_line(shoal_atom_types *types, shoal_span line)
{
    SHOAL_TRY(SHOAL_RESERVE(&types->line_start, &types->line_capacity, types->n_lines + 2));
    types->line_start[types->n_lines] = types->text.size;
    SHOAL_TRY(shoal_string_append(&types->text, line));
    SHOAL_TRY(shoal_string_append(&types->text, shoal_span_of("\n")));
    types->line_start[++types->n_lines] = types->text.size;
    return SHOAL_OK;
}

shoal_status atom_types_add_row(shoal_atom_types *types, const shoal_atom_type *type,
                                const double columns[SHOAL_TYPE_COLUMNS])
{
    SHOAL_TRY(SHOAL_RESERVE(&types->rows, &types->row_capacity, types->n_rows + 1));
    const uint32_t hash = hash_name(type->name, strlen(type->name));
    int32_t *head = &types->bucket[hash % ATOM_TYPE_BUCKETS];
    types->rows[types->n_rows] =
        (atom_type_row){.type = *type, .line = types->n_lines - 1, .hash = hash, .next = *head};
    if (columns)
        memcpy(types->rows[types->n_rows].columns, columns, SHOAL_TYPE_COLUMNS * sizeof *columns);
    *head = types->n_rows++;
    return SHOAL_OK;
}

shoal_status atom_types_append(shoal_atom_types *types, const shoal_atom_type *type)
{
    const double numbers[] = {type->r_covalent, type->r, type->e, type->q, type->h};
    char line[5 * SHOAL_NUMBER_SIZE + 256];
    _Static_assert(sizeof line >=
                       4 * SHOAL_TYPE_NAME_SIZE + 4 * sizeof "-2147483648" + 5 * SHOAL_NUMBER_SIZE,
                   "room for names and numbers with blanks between them");
    int used = snprintf(line, sizeof line, "%s %s %s %s %d %d %d %d", type->name, type->parent,
                        type->element, type->epair, (int)type->valence, (int)type->n_epair,
                        (int)type->n_pi, (int)type->sym);
    for (int k = 0; k < 5; ++k) {
        char number[SHOAL_NUMBER_SIZE];
        (void)shoal_text_print(number, numbers[k]);
        used += snprintf(line + used, sizeof line - (size_t)used, " %s", number);
    }
    SHOAL_TRY(atom_types_add_line(types, shoal_span_of(line)));
    return atom_types_add_row(types, type, NULL);
}

void atom_types_truncate(shoal_atom_types *types, int32_t n_rows)
{
    if (n_rows >= types->n_rows) return;
    types->n_lines = types->rows[n_rows].line;
    types->text.size = types->line_start[types->n_lines];
    while (types->n_rows > n_rows) { /* the last row of a bucket is its first */
        const atom_type_row *row = &types->rows[--types->n_rows];
        types->bucket[row->hash % ATOM_TYPE_BUCKETS] = row->next;
    }
}

int32_t atom_types_find_span(const shoal_atom_types *types, shoal_span name)
{
    const uint32_t hash = hash_name(name.text, name.size);
    int32_t i = types->bucket[hash % ATOM_TYPE_BUCKETS];
    while (i >= 0 &&
           (types->rows[i].hash != hash || !shoal_span_equal(name, types->rows[i].type.name)))
        i = types->rows[i].next;
    return i;
}

shoal_status shoal_atom_types_copy(shoal_atom_types **out, const shoal_atom_types *types)
{
    shoal_clear_error();
    SHOAL_NEED(out && types);
    shoal_atom_types *copy = NULL;
    shoal_status status = atom_types_create(&copy);
    const shoal_span text = {types->text.data, (size_t)types->text.size};
    if (status == SHOAL_OK) status = shoal_string_append(&copy->text, text);
    if (status == SHOAL_OK)
        status = SHOAL_RESERVE(&copy->line_start, &copy->line_capacity, types->n_lines + 1);
    if (status == SHOAL_OK) status = SHOAL_RESERVE(&copy->rows, &copy->row_capacity, types->n_rows);
    if (status != SHOAL_OK) {
        shoal_atom_types_destroy(copy);
        *out = NULL;
        return status;
    }
    if (types->n_lines > 0)
        memcpy(copy->line_start, types->line_start,
               ((size_t)types->n_lines + 1) * sizeof *copy->line_start);
    if (types->n_rows > 0)
        memcpy(copy->rows, types->rows, (size_t)types->n_rows * sizeof *copy->rows);
    memcpy(copy->bucket, types->bucket, sizeof copy->bucket);
    copy->n_lines = types->n_lines;
    copy->n_rows = types->n_rows;
    copy->has_units = types->has_units;
    *out = copy;
    return SHOAL_OK;
}

void shoal_atom_types_destroy(shoal_atom_types *types)
{
    if (!types) return;
    shoal_string_free(&types->text);
    free(types->line_start);
    free(types->rows);
    free(types);
}

int32_t shoal_atom_types_count(const shoal_atom_types *types)
{
    return types ? types->n_rows : 0;
}

const shoal_atom_type *shoal_atom_types_get(const shoal_atom_types *types, int32_t index)
{
    return types && index >= 0 && index < types->n_rows ? &types->rows[index].type : NULL;
}

int32_t shoal_atom_types_find(const shoal_atom_types *types, const char *name)
{
    return types && name ? atom_types_find_span(types, shoal_span_of(name)) : -1;
}

shoal_status shoal_atom_types_set(shoal_atom_types *types, int32_t index, double r, double e,
                                  double q, double h)
{
    shoal_clear_error();
    SHOAL_NEED(types);
    if (index < 0 || index >= types->n_rows)
        return shoal_fail(SHOAL_E_ARGUMENT, "type %d of %d: there is none", (int)index,
                          (int)types->n_rows);
    if (!(r >= 0 && e >= 0 && isfinite(r) && isfinite(e) && isfinite(q) && isfinite(h)))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "type %s: R %g, E %g, Q %g, H %g: expected finite numbers, R and E not "
                          "negative",
                          types->rows[index].type.name, r, e, q, h);
    atom_type_row *row = &types->rows[index];
    row->changed = row->changed || row->type.r != r || row->type.e != e || row->type.q != q ||
                   row->type.h != h;
    row->type.r = r;
    row->type.e = e;
    row->type.q = q;
    row->type.h = h;
    return SHOAL_OK;
}

double shoal_atom_types_column(const shoal_atom_types *types, int32_t index, int32_t column)
{
    const bool known =
        types && index >= 0 && index < types->n_rows && column >= 0 && column < SHOAL_TYPE_COLUMNS;
    return known ? types->rows[index].columns[column] : NAN;
}

shoal_status shoal_atom_types_set_column(shoal_atom_types *types, int32_t index, int32_t column,
                                         double value)
{
    shoal_clear_error();
    SHOAL_NEED(types);
    if (!isfinite(shoal_atom_types_column(types, index, column)) || !isfinite(value))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "type %d, column %d behind Hb: %g, expected a finite number in place of "
                          "one that is there",
                          (int)index, (int)column, value);
    atom_type_row *row = &types->rows[index];
    row->changed = row->changed || row->columns[column] != value;
    row->columns[column] = value;
    return SHOAL_OK;
}
