/* SPDX-License-Identifier: BSD-3-Clause
 * Records: all that a file of results says of one system, as bytes. */
#include "run/results_record.h"

#include <assert.h>
#include <limits.h>
#include <math.h>

#include "base/text.h"
#include "io/result_fields.h"

_Static_assert(sizeof(results_head) == 48, "a head without padding");

const results_column results_columns[RESULTS_N_COLUMNS] = {
    [RESULTS_INDEX] = {"systems/index", RESULTS_SYSTEM, RESULTS_INT64, 0},
    {"systems/file", RESULTS_SYSTEM, RESULTS_INT32, 0},
    {"systems/record", RESULTS_SYSTEM, RESULTS_INT64, 0},
    {"systems/line", RESULTS_SYSTEM, RESULTS_INT64, 0},
    {"systems/status", RESULTS_SYSTEM, RESULTS_INT32, 0},
    {"systems/natoms", RESULTS_SYSTEM, RESULTS_INT32, 0},
    {"systems/energy", RESULTS_SYSTEM, RESULTS_FLOAT64, 0},
    {"systems/energy0", RESULTS_SYSTEM, RESULTS_FLOAT64, 0},
    {"systems/fmax", RESULTS_SYSTEM, RESULTS_FLOAT64, 0},
    {"systems/steps", RESULTS_SYSTEM, RESULTS_INT32, 0},
    {"systems/terms", RESULTS_SYSTEM, RESULTS_FLOAT64, RESULTS_TERMS},
    {"systems/cell", RESULTS_SYSTEM, RESULTS_FLOAT64, 9},
    {"systems/pbc", RESULTS_SYSTEM, RESULTS_UINT8, 3},
    {"systems/device", RESULTS_SYSTEM, RESULTS_TEXT24, 0},
    {"systems/name", RESULTS_NAME, RESULTS_UINT8, 0},
    {"systems/reason", RESULTS_REASON, RESULTS_UINT8, 0},
    {"systems/warning", RESULTS_WARNING, RESULTS_UINT8, 0},
    {"atoms/number", RESULTS_ATOM, RESULTS_UINT8, 0},
    {"atoms/position", RESULTS_ATOM, RESULTS_FLOAT64, 3},
    [RESULTS_FORCE] = {"atoms/force", RESULTS_ATOM, RESULTS_FLOAT64, 3},
    {"atoms/charge", RESULTS_ATOM, RESULTS_FLOAT64, 0},
    {"atoms/formal_charge", RESULTS_ATOM, RESULTS_INT8, 0},
    {"atoms/isotope", RESULTS_ATOM, RESULTS_INT16, 0},
    {"atoms/type", RESULTS_ATOM, RESULTS_TEXT8, 0},
    {"bonds/atoms", RESULTS_BOND, RESULTS_INT32, 2},
    {"bonds/order", RESULTS_BOND, RESULTS_UINT8, 0},
    {"bonds/aromatic", RESULTS_BOND, RESULTS_UINT8, 0},
    {"bonds/shift", RESULTS_BOND, RESULTS_INT16, 3},
    {"data/bytes", RESULTS_DATA, RESULTS_UINT8, 0},
};

const char *const results_starts[RESULTS_N_AXES] = {
    [RESULTS_NAME] = "systems/name_starts",
    [RESULTS_REASON] = "systems/reason_starts",
    [RESULTS_WARNING] = "systems/warning_starts",
    [RESULTS_ATOM] = "atoms/starts",
    [RESULTS_BOND] = "bonds/starts",
    [RESULTS_DATA] = "data/starts",
};

const size_t results_type_size[RESULTS_N_TYPES] = {1, 1, 2, 4, 8, 8, 8, 24};

/* --- layout --------------------------------------------------------------------------------------- */

size_t results_row_size(const results_column *column, uint32_t flags, uint32_t n_terms)
{
    if (column == &results_columns[RESULTS_FORCE] && !(flags & RESULTS_HAS_FORCES)) return 0;
    const size_t size = results_type_size[column->type];
    if (column->width == RESULTS_TERMS) return n_terms * size;
    return (column->width > 0 ? (size_t)column->width : 1) * size;
}

/* Bytes of a record; every count has 32 bits and no row 2^20 bytes, so that nothing runs over. */
static uint64_t find_size(const results_head *head)
{
    uint64_t size = sizeof *head;
    for (int c = 0; c < RESULTS_N_COLUMNS; ++c)
        size += (uint64_t)head->rows[results_columns[c].axis] *
                results_row_size(&results_columns[c], head->flags, head->n_terms);
    return size;
}

void results_head_finish(results_head *head)
{
    memcpy(head->magic, "SHR1", sizeof head->magic);
    head->size = find_size(head);
}

shoal_status results_head_read(const char *bytes, size_t n, results_head *out)
{
    if (n < sizeof *out)
        return shoal_fail(SHOAL_E_FORMAT, "results: %zu bytes are no whole record", n);
    memcpy(out, bytes, sizeof *out);
    if (memcmp(out->magic, "SHR1", sizeof out->magic) != 0 || out->n_terms > 1000 ||
        out->rows[RESULTS_SYSTEM] != 1 || out->flags > RESULTS_HAS_FORCES ||
        out->size != find_size(out))
        return shoal_fail(SHOAL_E_FORMAT, "results: these bytes are no record of a system");
    if (out->size > n)
        return shoal_fail(SHOAL_E_FORMAT, "results: a record of %llu bytes ends after %zu",
                          (unsigned long long)out->size, n);
    return SHOAL_OK;
}

/* --- format --------------------------------------------------------------------------------------- */

/* Rows go to a place that is large enough for all of them. */
static char *put(char *to, const void *from, size_t n)
{
    if (n > 0) memcpy(to, from, n);
    return to + n;
}

static char *put_double(char *to, double value)
{
    return put(to, &value, sizeof value);
}

static char *put_int(char *to, int32_t value)
{
    return put(to, &value, sizeof value);
}

static char *put_long(char *to, int64_t value)
{
    return put(to, &value, sizeof value);
}

/* At most size bytes of a text, zeros behind it. */
static char *put_padded(char *to, const char *text, size_t size)
{
    size_t n = 0;
    for (; n < size && text && text[n]; ++n) to[n] = text[n];
    for (; n < size; ++n) to[n] = '\0';
    return to + size;
}

static char *put_nan(char *to, size_t n)
{
    for (size_t i = 0; i < n; ++i) to = put_double(to, NAN);
    return to;
}

static size_t length(const char *text)
{
    return text ? strlen(text) : 0;
}

static char *put_cell(char *to, const shoal_molecule *mol)
{
    double cell[3][3] = {{0}};
    bool pbc[3] = {false, false, false};
    shoal_molecule_cell(mol, cell, pbc);
    to = put(to, cell, sizeof cell);
    for (int k = 0; k < 3; ++k) *to++ = (char)pbc[k];
    return to;
}

/* Energies before are those of a relaxation, which takes steps. */
static char *put_numbers(char *to, const shoal_result *r, size_t n_terms)
{
    if (!r->terms) return put_nan(put_int(put_nan(to, 3), 0), n_terms);
    to = put_double(to, r->energy);
    to = put_double(to, r->steps > 0 ? r->energy0 : NAN);
    to = put_double(to, r->fmax);
    to = put_int(to, r->steps);
    return put(to, r->terms, n_terms * sizeof *r->terms);
}

static char *put_system(char *to, const results_head *head, const shoal_stream_system *s)
{
    const shoal_result *r = &s->result;
    to = put_long(to, s->index);
    to = put_int(to, s->i_file);
    to = put_long(to, s->record);
    to = put_long(to, s->line);
    to = put_int(to, (int32_t)r->status);
    to = put_int(to, (int32_t)head->rows[RESULTS_ATOM]);
    to = put_numbers(to, r, head->n_terms);
    to = put_cell(to, s->mol);
    to = put_padded(to, s->device, results_type_size[RESULTS_TEXT24]);
    to = put(to, shoal_molecule_name(s->mol), head->rows[RESULTS_NAME]);
    to = put(to, r->reason, head->rows[RESULTS_REASON]);
    return put(to, r->warning, head->rows[RESULTS_WARNING]);
}

/* Those that were computed with, those of the file, or none. */
static char *put_charges(char *to, const shoal_stream_system *s, const shoal_topology_view *t,
                         size_t n)
{
    const double *charges = shoal_molecule_charges(s->mol);
    if (t->has_charges && (size_t)t->n_atoms == n) charges = t->charges;
    return charges ? put(to, charges, n * sizeof *charges) : put_nan(to, n);
}

static char *put_atoms(char *to, const results_head *head, const shoal_stream_system *s)
{
    const size_t n = head->rows[RESULTS_ATOM];
    const int32_t *z = shoal_molecule_elements(s->mol);
    const int32_t *formal = shoal_molecule_formal_charges(s->mol);
    shoal_topology_view t = {0};
    if (s->topology) shoal_topology_get(s->topology, &t);
    for (size_t i = 0; i < n; ++i) *to++ = (char)z[i];
    to = put(to, shoal_molecule_positions(s->mol), 3 * n * sizeof(double));
    if (head->flags & RESULTS_HAS_FORCES)
        to = s->result.forces ? put(to, s->result.forces, 3 * n * sizeof(double))
                              : put_nan(to, 3 * n);
    to = put_charges(to, s, &t, n);
    for (size_t i = 0; i < n; ++i) *to++ = (char)formal[i];
    for (size_t i = 0; i < n; ++i) {
        const int16_t isotope = (int16_t)shoal_molecule_isotope(s->mol, (int32_t)i);
        to = put(to, &isotope, sizeof isotope);
    }
    const bool typed = t.types && (size_t)t.n_atoms == n;
    for (size_t i = 0; i < n; ++i)
        to = put_padded(to, typed ? t.types[i] : NULL, results_type_size[RESULTS_TEXT8]);
    return to;
}

static char *put_bonds(char *to, const results_head *head, const shoal_stream_system *s)
{
    const size_t n = head->rows[RESULTS_BOND];
    const shoal_bond *bonds = shoal_molecule_bonds(s->mol);
    for (size_t b = 0; b < n; ++b) to = put_int(put_int(to, bonds[b].i), bonds[b].j);
    for (size_t b = 0; b < n; ++b) *to++ = (char)bonds[b].order;
    for (size_t b = 0; b < n; ++b) *to++ = (char)bonds[b].aromatic;
    for (size_t b = 0; b < n; ++b)
        for (int k = 0; k < 3; ++k) {
            const int16_t shift = (int16_t)bonds[b].shift[k];
            to = put(to, &shift, sizeof shift);
        }
    return to;
}

/* A field that an earlier run wrote; the file says what this one found. */
static bool is_stale(bool marked, const char *key)
{
    for (int f = 0; marked && f < RESULT_N; ++f)
        if (strcmp(result_names[f], key) == 0) return true;
    return false;
}

static char *put_data(char *to, const shoal_molecule *mol)
{
    const bool marked = mol && result_is_marked(mol);
    for (int32_t i = 0; i < shoal_molecule_n_properties(mol); ++i) {
        const char *key = shoal_molecule_property_key(mol, i);
        if (is_stale(marked, key)) continue;
        const char *value = shoal_molecule_property_value(mol, i);
        to = put(to, key, strlen(key) + 1);
        to = put(to, value, strlen(value) + 1);
    }
    return to;
}

/* Sizes that a record can state; false otherwise. */
static bool count_texts(results_head *head, const shoal_stream_system *s)
{
    const bool marked = s->mol && result_is_marked(s->mol);
    size_t data = 0;
    for (int32_t i = 0; i < shoal_molecule_n_properties(s->mol); ++i) {
        const char *key = shoal_molecule_property_key(s->mol, i);
        if (is_stale(marked, key)) continue;
        data += strlen(key) + strlen(shoal_molecule_property_value(s->mol, i)) + 2;
    }
    const size_t sizes[4] = {length(shoal_molecule_name(s->mol)), length(s->result.reason),
                             length(s->result.warning), data};
    static const results_axis axes[4] = {RESULTS_NAME, RESULTS_REASON, RESULTS_WARNING,
                                         RESULTS_DATA};
    for (int k = 0; k < 4; ++k) {
        if (sizes[k] > UINT32_MAX) return false;
        head->rows[axes[k]] = (uint32_t)sizes[k];
    }
    return true;
}

static shoal_status check_bonds(const shoal_stream_system *s)
{
    const shoal_bond *bonds = shoal_molecule_bonds(s->mol);
    for (int32_t b = 0; b < shoal_molecule_n_bonds(s->mol); ++b)
        for (int k = 0; k < 3; ++k)
            if (bonds[b].shift[k] < SHRT_MIN || bonds[b].shift[k] > SHRT_MAX)
                return shoal_fail(SHOAL_E_UNSUPPORTED,
                                  "bond %d leads %d cells away, at most 32767 can be written",
                                  b + 1, bonds[b].shift[k]);
    return SHOAL_OK;
}

shoal_status shoal_results_format(const shoal_results_what *what, const shoal_stream_system *system,
                                  shoal_string *out)
{
    shoal_clear_error();
    SHOAL_NEED(what && system && out);
    static const uint16_t one = 1;
    if (*(const unsigned char *)&one != 1)
        return shoal_fail(SHOAL_E_UNSUPPORTED, "results: on big-endian processors there are none");
    results_head head = {.flags = what->forces ? RESULTS_HAS_FORCES : 0,
                         .n_terms = (uint32_t)shoal_term_count(),
                         .rows = {[RESULTS_SYSTEM] = 1}};
    head.rows[RESULTS_ATOM] = (uint32_t)shoal_molecule_n_atoms(system->mol);
    head.rows[RESULTS_BOND] = (uint32_t)shoal_molecule_n_bonds(system->mol);
    if (!count_texts(&head, system))
        return shoal_fail(SHOAL_E_UNSUPPORTED, "results: a text of more than 4 GiB");
    SHOAL_TRY(check_bonds(system));
    results_head_finish(&head);
    char *to = shoal_string_room(out, head.size);
    if (!to) return shoal_string_status(out);
    char *const end = to + head.size;
    to = put(to, &head, sizeof head);
    to = put_system(to, &head, system);
    to = put_atoms(to, &head, system);
    to = put_bonds(to, &head, system);
    to = put_data(to, system->mol);
    assert(to == end);
    *end = '\0';
    out->size += head.size;
    return SHOAL_OK;
}

/* --- looking into records ------------------------------------------------------------------------- */

shoal_status shoal_results_record_index(const char *bytes, size_t n, int64_t *index, size_t *size)
{
    shoal_clear_error();
    SHOAL_NEED(bytes && index && size);
    results_head head;
    SHOAL_TRY(results_head_read(bytes, n, &head));
    memcpy(index, bytes + sizeof head, sizeof *index);
    *size = (size_t)head.size;
    return SHOAL_OK;
}

shoal_status shoal_results_record_field(const char *bytes, size_t n, const char *dataset,
                                        const void **data, size_t *size)
{
    shoal_clear_error();
    SHOAL_NEED(bytes && dataset && data && size);
    results_head head;
    SHOAL_TRY(results_head_read(bytes, n, &head));
    size_t at = sizeof head;
    for (int c = 0; c < RESULTS_N_COLUMNS; ++c) {
        const results_column *column = &results_columns[c];
        const size_t row = results_row_size(column, head.flags, head.n_terms);
        if (row > 0 && strcmp(column->name, dataset) == 0) {
            *data = bytes + at;
            *size = head.rows[column->axis] * row;
            return SHOAL_OK;
        }
        at += head.rows[column->axis] * row;
    }
    return shoal_fail(SHOAL_E_ARGUMENT, "results: this record has nothing called '%s'", dataset);
}
