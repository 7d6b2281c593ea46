/* SPDX-License-Identifier: BSD-3-Clause
 * Tables of force fields as text: every mistake is named by its line. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/text.h"
#include "ff/builder.h"
#include "ff/ff_table.h"

typedef struct table_reader {
    shoal_ff_table *table;
    const char *label; /* of the text */
    int32_t line;      /* of what is read, from 1 */
} table_reader;

/* "LABEL:LINE: WHAT ('VALUE'), expected EXPECTED" */
static shoal_status fail(const table_reader *r, shoal_span value, const char *what,
                         const char *expected, ...) __attribute__((format(printf, 4, 5)));
static shoal_status fail(const table_reader *r, shoal_span value, const char *what,
                         const char *expected, ...)
{
    char quoted[SHOAL_QUOTE_SIZE], text[160];
    va_list args;
    va_start(args, expected);
    (void)vsnprintf(text, sizeof text, expected, args);
    va_end(args);
    shoal_text_quote(quoted, value);
    return shoal_fail(SHOAL_E_FORMAT, "%s:%d: %s ('%s'), expected %s", r->label, (int)r->line, what,
                      quoted, text);
}

static shoal_span without_comment(shoal_span line)
{
    for (size_t i = 0; i < line.size; ++i)
        if (line.text[i] == '#' && (i == 0 || shoal_is_blank(line.text[i - 1])))
            return (shoal_span){line.text, i};
    return line;
}

static shoal_status take_number(const table_reader *r, shoal_span *rest, const char *name,
                                double least, double *out)
{
    const shoal_span word = shoal_span_word(rest);
    if (shoal_text_double(word, out) && *out >= least) return SHOAL_OK;
    if (least < -1e299) return fail(r, word, "bad number", "%s, a number", name);
    return fail(r, word, "bad number", "%s of at least %g", name, least);
}

/* The first word of a list of names, which moves on. */
static const char *next_name(const char **names, char out[32])
{
    shoal_span rest = shoal_span_of(*names);
    const shoal_span word = shoal_span_word(&rest);
    const size_t n = word.size < 31 ? word.size : 31;
    memcpy(out, word.text, n);
    out[n] = '\0';
    *names = rest.text;
    return out;
}

static shoal_status take_end(const table_reader *r, shoal_span rest)
{
    rest = shoal_span_trim(rest);
    if (rest.size == 0) return SHOAL_OK;
    return fail(r, rest, "more than the row has", "the end of the line");
}

/* a,b,c */
static bool read_shift(shoal_span text, int32_t shift[3])
{
    for (int c = 0; c < 3; ++c) {
        size_t n = 0;
        while (n < text.size && text.text[n] != ',') ++n;
        if (!shoal_text_int((shoal_span){text.text, n}, &shift[c])) return false;
        if ((c < 2) != (n < text.size)) return false;
        text = shoal_span_after(text, n + 1);
    }
    return true;
}

static shoal_status take_place(const table_reader *r, shoal_span *rest, ff_place *out)
{
    const shoal_span word = shoal_span_word(rest);
    size_t n = 0;
    *out = (ff_place){.index = -1};
    while (n < word.size && shoal_is_digit(word.text[n])) ++n;
    const bool is_number = n > 0 && (n == word.size || word.text[n] == '@');
    if (!is_number && word.size > 0 && word.size < sizeof out->type) {
        memcpy(out->type, word.text, word.size);
        return SHOAL_OK;
    }
    out->has_shift = n < word.size;
    if (is_number && shoal_text_int((shoal_span){word.text, n}, &out->index) &&
        (!out->has_shift || read_shift(shoal_span_after(word, n + 1), out->shift)))
        return SHOAL_OK;
    return fail(r, word, "bad atom",
                "a type of 1 to %d characters, * or the number of an atom, perhaps "
                "with its image (3@1,0,0)",
                SHOAL_TYPE_NAME_SIZE - 1);
}

/* By number or by type, all of them, and none twice. */
static shoal_status check_places(const table_reader *r, const ff_row *row, bool numbers)
{
    static const shoal_span none = {"", 0};
    for (int32_t k = 0; k < row->n_places; ++k) {
        const ff_place *p = &row->at[k];
        if ((p->index < 0) != (row->at[0].index < 0) || (numbers && p->index < 0))
            return fail(r, none, "types and numbers of atoms",
                        numbers ? "numbers" : "one or the other");
        for (int32_t m = 0; m < k; ++m)
            if (p->index >= 0 && p->index == row->at[m].index &&
                memcmp(p->shift, row->at[m].shift, sizeof p->shift) == 0)
                return fail(r, none, "one atom twice", "different atoms");
    }
    return SHOAL_OK;
}

static shoal_status add_row(table_reader *r, ff_row *row)
{
    shoal_ff_table *t = r->table;
    row->line = r->line;
    row->section = t->n_sections - 1;
    SHOAL_TRY(SHOAL_RESERVE(&t->rows, &t->rows_capacity, t->n_rows + 1));
    t->rows[t->n_rows++] = *row;
    return SHOAL_OK;
}

static shoal_status take_places(const table_reader *r, shoal_span *rest, ff_row *row, int32_t n)
{
    row->n_places = n;
    for (int32_t k = 0; k < n; ++k) SHOAL_TRY(take_place(r, rest, &row->at[k]));
    return check_places(r, row, row->kind == FF_EXCLUDE || row->kind == FF_PAIR);
}

static shoal_status read_term(table_reader *r, int kind, shoal_span rest)
{
    ff_row row = {.kind = kind};
    shoal_term_kind info;
    char name[32];
    (void)shoal_term_kind_get(kind, &info);
    SHOAL_TRY(take_places(r, &rest, &row, info.n_atoms));
    if (info.directions && row.at[0].index < 0)
        return fail(r, (shoal_span){"", 0}, "types of a term of directions",
                    "numbers of atoms and directions");
    const char *names = info.parameters;
    for (int32_t k = 0; k < info.n_parameters; ++k)
        SHOAL_TRY(take_number(r, &rest, next_name(&names, name), -1e300, &row.p[k]));
    SHOAL_TRY(take_end(r, rest));
    if (builder_check_parameters(kind, &info, row.p) == SHOAL_OK) return add_row(r, &row);
    char why[200];
    (void)snprintf(why, sizeof why, "%s", shoal_error_text());
    return shoal_fail(SHOAL_E_FORMAT, "%s:%d: %s", r->label, (int)r->line, why);
}

static shoal_status read_atom(table_reader *r, shoal_span rest)
{
    ff_row row = {.kind = FF_ATOM};
    SHOAL_TRY(take_places(r, &rest, &row, 1));
    SHOAL_TRY(take_number(r, &rest, "x", 1e-3, &row.p[0]));
    SHOAL_TRY(take_number(r, &rest, "D", 0, &row.p[1]));
    row.has_charge = shoal_span_trim(rest).size > 0;
    if (row.has_charge) SHOAL_TRY(take_number(r, &rest, "q", -1e300, &row.p[2]));
    SHOAL_TRY(take_end(r, rest));
    return add_row(r, &row);
}

static shoal_status read_pair(table_reader *r, int kind, shoal_span rest)
{
    ff_row row = {.kind = kind};
    SHOAL_TRY(take_places(r, &rest, &row, 2));
    if (kind == FF_PAIR) {
        SHOAL_TRY(take_number(r, &rest, "vdw_scale", -1e300, &row.p[0]));
        SHOAL_TRY(take_number(r, &rest, "coulomb_scale", -1e300, &row.p[1]));
    }
    if (kind == FF_PAIR && shoal_span_trim(rest).size > 0) {
        SHOAL_TRY(take_number(r, &rest, "x", 1e-3, &row.p[2]));
        SHOAL_TRY(take_number(r, &rest, "D", 0, &row.p[3]));
    }
    SHOAL_TRY(take_end(r, rest));
    return add_row(r, &row);
}

/* A type of UFF; a new one is given to atoms by its label. */
static shoal_status read_type(table_reader *r, shoal_span rest)
{
    static const char *const names[] = {"r1", "theta0", "x1", "D1",   "zeta",  "Z1",
                                        "Vi", "Uj",     "Xi", "hard", "radius"};
    shoal_ff_table *table = r->table;
    uff_type t = {.z = 0};
    double *const to[] = {&t.r1, &t.theta0, &t.x1, &t.d1,   &t.zeta,  &t.z1,
                          &t.vi, &t.uj,     &t.xi, &t.hard, &t.radius};
    const shoal_span label = shoal_span_word(&rest), symbol = shoal_span_word(&rest);
    char name[4] = "";
    if (label.size < 2 || label.size >= sizeof t.label)
        return fail(r, label, "bad label", "2 to %d characters", (int)sizeof t.label - 1);
    memcpy(t.label, label.text, label.size);
    memcpy(name, symbol.text, symbol.size < 3 ? symbol.size : 3);
    t.z = shoal_element_number(name);
    if (t.z == 0) return fail(r, symbol, "bad element", "a symbol");
    for (int k = 0; k < 11; ++k)
        SHOAL_TRY(take_number(r, &rest, names[k],
                              k == 0 || k == 2 ? 1e-3
                              : k == 8         ? -1e300
                                               : 0,
                              to[k]));
    SHOAL_TRY(take_end(r, rest));
    SHOAL_TRY(SHOAL_RESERVE(&table->types, &table->types_capacity, table->n_types + 1));
    table->types[table->n_types++] = t;
    return SHOAL_OK;
}

static shoal_status take_bond(const table_reader *r, shoal_span word, ff_section *s)
{
    int32_t i, j;
    size_t n = 0;
    while (n < word.size && word.text[n] != '-') ++n;
    const bool known = shoal_text_int((shoal_span){word.text, n}, &i) &&
                       shoal_text_int(shoal_span_after(word, n + 1), &j);
    if (!known || i < 0 || j < 0 || i >= s->n_elements || j >= s->n_elements)
        return fail(r, word, "bad bond", "numbers of two atoms, such as 0-1");
    SHOAL_TRY(SHOAL_RESERVE(&s->bonds, &s->bonds_capacity, s->n_bonds + 1));
    s->bonds[s->n_bonds][0] = i < j ? i : j;
    s->bonds[s->n_bonds++][1] = i < j ? j : i;
    return SHOAL_OK;
}

static int compare_bonds(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

static shoal_status add_section(table_reader *r, ff_section **out)
{
    shoal_ff_table *t = r->table;
    SHOAL_TRY(SHOAL_RESERVE(&t->sections, &t->sections_capacity, t->n_sections + 1));
    *out = &t->sections[t->n_sections];
    **out = (ff_section){.line = r->line, .first = t->n_sections};
    ++t->n_sections;
    return SHOAL_OK;
}

static shoal_status read_molecule(table_reader *r, shoal_span rest)
{
    ff_section *s;
    SHOAL_TRY(add_section(r, &s));
    for (shoal_span word = shoal_span_word(&rest); word.size > 0; word = shoal_span_word(&rest)) {
        char symbol[4] = "";
        memcpy(symbol, word.text, word.size < 3 ? word.size : 3);
        const int32_t z = shoal_is_letter(symbol[0]) ? shoal_element_number(symbol) : 0;
        if (z == 0) {
            SHOAL_TRY(take_bond(r, word, s));
            continue;
        }
        SHOAL_TRY(SHOAL_RESERVE(&s->elements, &s->elements_capacity, s->n_elements + 1));
        s->elements[s->n_elements++] = z;
    }
    if (s->n_elements == 0) return fail(r, rest, "no atoms", "the symbols of all atoms");
    if (s->n_bonds > 0) qsort(s->bonds, (size_t)s->n_bonds, sizeof *s->bonds, compare_bonds);
    return SHOAL_OK;
}

static shoal_status read_line(table_reader *r, shoal_span line)
{
    shoal_span rest = line;
    const shoal_span word = shoal_span_word(&rest);
    if (shoal_span_equal(word, "type")) return read_type(r, rest);
    if (shoal_span_equal(word, "atom")) return read_atom(r, rest);
    if (shoal_span_equal(word, "exclude")) return read_pair(r, FF_EXCLUDE, rest);
    if (shoal_span_equal(word, "pair")) return read_pair(r, FF_PAIR, rest);
    if (shoal_span_equal(word, "molecule")) return read_molecule(r, rest);
    for (int kind = 0; kind < TERM_N_KINDS; ++kind) {
        shoal_term_kind info;
        (void)shoal_term_kind_get(kind, &info);
        const bool is_pair = info.term == SHOAL_TERM_VDW || info.term == SHOAL_TERM_COULOMB;
        if (!is_pair && shoal_span_equal(word, info.name)) return read_term(r, kind, rest);
    }
    return fail(r, word, "unknown row",
                "type, atom, exclude, pair, molecule or a kind of term, such as bond");
}

/* Conformers of one molecule have a section each: all of them must say the same. */
static shoal_status compare_section(const shoal_ff_table *t, int32_t a, int32_t b)
{
    int32_t n = 0, m = 0;
    for (;;) {
        while (n < t->n_rows && t->rows[n].section != a) ++n;
        while (m < t->n_rows && t->rows[m].section != b) ++m;
        if (n == t->n_rows && m == t->n_rows) return SHOAL_OK;
        if (n == t->n_rows || m == t->n_rows || !ff_rows_match(&t->rows[n], &t->rows[m]))
            return shoal_fail(SHOAL_E_FORMAT,
                              "force-field table: lines %d and %d begin rows of the same molecule "
                              "that differ; expected one of them",
                              t->sections[a].line, t->sections[b].line);
        ++n;
        ++m;
    }
}

static shoal_status find_twins(shoal_ff_table *t)
{
    for (int32_t b = 1; b < t->n_sections; ++b)
        for (int32_t a = 1; a < b && t->sections[b].first == b; ++a) {
            if (!ff_sections_match(&t->sections[a], &t->sections[b])) continue;
            SHOAL_TRY(compare_section(t, a, b));
            t->sections[b].first = a;
        }
    return SHOAL_OK;
}

/* Lines as a text file has them, whatever ends them. */
static shoal_status read_table(table_reader *r, shoal_span text)
{
    ff_section *all;
    SHOAL_TRY(add_section(r, &all));
    r->table->sum = HASH_START;
    while (text.size > 0) {
        size_t n = 0;
        while (n < text.size && text.text[n] != '\n') ++n;
        const shoal_span line = shoal_span_trim(without_comment((shoal_span){text.text, n}));
        ++r->line;
        r->table->sum = hash_bytes(hash_bytes(r->table->sum, line.text, line.size), "\n", 1);
        if (line.size > 0) SHOAL_TRY(read_line(r, line));
        text = shoal_span_after(text, n + 1);
    }
    r->table->met = shoal_alloc((size_t)r->table->n_rows + 1, sizeof *r->table->met);
    return r->table->met ? find_twins(r->table) : SHOAL_E_MEMORY;
}

shoal_status shoal_ff_table_read_memory(shoal_ff_table **out, const void *data, size_t size,
                                        const char *label)
{
    shoal_clear_error();
    SHOAL_NEED(out && (data || size == 0) && label);
    *out = NULL;
    table_reader r = {.table = shoal_alloc(1, sizeof *r.table), .label = label};
    shoal_status status =
        r.table ? read_table(&r, (shoal_span){data ? data : "", size}) : SHOAL_E_MEMORY;
    if (status == SHOAL_OK)
        *out = r.table;
    else
        shoal_ff_table_destroy(r.table);
    return status;
}
