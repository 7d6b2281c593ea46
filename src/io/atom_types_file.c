/* SPDX-License-Identifier: BSD-3-Clause
 * Files of atom types: reading with every mistake named, writing without losing anything. */
#include <math.h>
#include <stdlib.h>

#include "io/atom_types.h"

/* Depths beyond the limit are meant where a line above all types says so. */
#define UNITS "# units: eV"

enum { N_REQUIRED = 11, FIRST_FITTED = 9, N_FITTED = 4, FIRST_COLUMN = FIRST_FITTED + N_FITTED };

/* Text before a '#' at the start of a word. */
static shoal_span without_comment(shoal_span line)
{
    for (size_t i = 0; i < line.size; ++i)
        if (line.text[i] == '#' && (i == 0 || shoal_is_blank(line.text[i - 1])))
            return (shoal_span){line.text, i};
    return line;
}

static shoal_status take_name(shoal_input *in, shoal_span *rest, const char *column,
                              char out[SHOAL_TYPE_NAME_SIZE])
{
    const shoal_span word = shoal_span_word(rest);
    if (word.size >= SHOAL_TYPE_NAME_SIZE)
        return shoal_input_fail(in, word, "name too long", "%s of at most %d characters", column,
                                SHOAL_TYPE_NAME_SIZE - 1);
    memcpy(out, word.text, word.size);
    out[word.size] = '\0';
    return SHOAL_OK;
}

static shoal_status take_integer(shoal_input *in, shoal_span *rest, const char *column,
                                 int32_t *out)
{
    const shoal_span word = shoal_span_word(rest);
    if (shoal_text_int(word, out)) return SHOAL_OK;
    return shoal_input_fail(in, word, "bad number", "%s, a whole number", column);
}

static shoal_status take_number(shoal_input *in, shoal_span *rest, const char *column, double least,
                                double *out)
{
    const shoal_span word = shoal_span_word(rest);
    if (shoal_text_double(word, out) && *out >= least) return SHOAL_OK;
    if (least < 0) return shoal_input_fail(in, word, "bad number", "%s, a finite number", column);
    return shoal_input_fail(in, word, "bad number", "%s, a number of at least %g", column, least);
}

/* Qbase and Hb may be missing at the end of a line. */
static shoal_status take_optional(shoal_input *in, shoal_span *rest, const char *column,
                                  double *out)
{
    *out = 0.0;
    if (shoal_span_trim(*rest).size == 0) return SHOAL_OK;
    return take_number(in, rest, column, -1e300, out);
}

static shoal_status parse_type(shoal_input *in, shoal_span line, bool has_units, shoal_atom_type *t)
{
    shoal_span rest = line;
    SHOAL_TRY(take_name(in, &rest, "the type", t->name));
    SHOAL_TRY(take_name(in, &rest, "the parent", t->parent));
    SHOAL_TRY(take_name(in, &rest, "the element", t->element));
    SHOAL_TRY(take_name(in, &rest, "the type of its sites", t->epair));
    SHOAL_TRY(take_integer(in, &rest, "valence (column 5)", &t->valence));
    SHOAL_TRY(take_integer(in, &rest, "lone pairs (column 6)", &t->n_epair));
    SHOAL_TRY(take_integer(in, &rest, "npi (column 7)", &t->n_pi));
    SHOAL_TRY(take_integer(in, &rest, "sym (column 8)", &t->sym));
    SHOAL_TRY(take_number(in, &rest, "Ruff (column 9) in angstrom", 0.0, &t->r_covalent));
    SHOAL_TRY(take_number(in, &rest, "RvdW (column 10) in angstrom", 0.0, &t->r));
    shoal_span here = rest;
    SHOAL_TRY(take_number(in, &rest, "EvdW (column 11) in eV", 0.0, &t->e));
    if (t->e > ATOM_TYPE_E_LIMIT && !has_units)
        return shoal_input_fail(in, shoal_span_word(&here), "EvdW too large",
                                "column 11 in eV, at most %g; this looks like kcal/mol (divide by "
                                "23.060548; if it is eV, say so in a line '" UNITS "' at the top)",
                                ATOM_TYPE_E_LIMIT);
    SHOAL_TRY(take_optional(in, &rest, "Qbase (column 12) in e", &t->q));
    return take_optional(in, &rest, "Hb (column 13)", &t->h);
}

/* What stands behind Hb, as far as it is numbers. */
static void take_columns(shoal_span line, double columns[SHOAL_TYPE_COLUMNS])
{
    for (int k = 0; k < FIRST_COLUMN; ++k) (void)shoal_span_word(&line);
    for (int k = 0; k < SHOAL_TYPE_COLUMNS; ++k)
        if (!shoal_text_double(shoal_span_word(&line), &columns[k])) columns[k] = NAN;
}

static int count_words(shoal_span line)
{
    int n = 0;
    while (shoal_span_word(&line).size > 0) ++n;
    return n;
}

static shoal_status add_type(shoal_atom_types *types, shoal_input *in, shoal_span line)
{
    shoal_atom_type t = {0};
    double columns[SHOAL_TYPE_COLUMNS];
    const int n = count_words(line);
    if (n < N_REQUIRED)
        return shoal_input_fail(in, line, "too few columns",
                                "name parent element epair valence n_epair npi sym Ruff RvdW EvdW, "
                                "at least %d words, found %d",
                                (int)N_REQUIRED, n);
    SHOAL_TRY(parse_type(in, line, types->has_units, &t));
    if (shoal_atom_types_find(types, t.name) >= 0)
        return shoal_input_fail(in, shoal_span_of(t.name), "type defined twice", "every name once");
    take_columns(line, columns);
    return atom_types_add_row(types, &t, columns);
}

/* A pair model has its table behind a line "types". */
static shoal_status skip_settings(shoal_input *in)
{
    shoal_span line;
    bool found = true;
    while (found) {
        SHOAL_TRY(shoal_input_line(in, &line, &found));
        if (found && shoal_span_equal(shoal_span_word(&line), "types")) break;
    }
    return SHOAL_OK;
}

static bool is_model(shoal_span text)
{
    return shoal_span_equal(shoal_span_word(&text), "shoal_pair_model");
}

static shoal_status read_types(shoal_atom_types *types, shoal_input *in)
{
    for (;;) {
        shoal_span line;
        bool found;
        SHOAL_TRY(shoal_input_line(in, &line, &found));
        if (!found) break;
        if (types->n_rows == 0 && is_model(line)) {
            SHOAL_TRY(skip_settings(in));
            continue;
        }
        SHOAL_TRY(atom_types_add_line(types, line));
        if (types->n_rows == 0 && shoal_span_equal(shoal_span_trim(line), UNITS))
            types->has_units = true;
        const shoal_span text = shoal_span_trim(without_comment(line));
        if (text.size > 0) SHOAL_TRY(add_type(types, in, text));
    }
    if (types->n_rows > 0) return SHOAL_OK;
    return shoal_input_fail(in, shoal_span_of(""), "no types", "a table of atom types");
}

shoal_status atom_types_read_rest(shoal_atom_types **out, shoal_input *in)
{
    shoal_atom_types *types = NULL;
    shoal_status status = atom_types_create(&types);
    if (status == SHOAL_OK) status = read_types(types, in);
    if (status != SHOAL_OK) {
        shoal_atom_types_destroy(types);
        types = NULL;
    }
    *out = types;
    return status;
}

static shoal_status read_and_close(shoal_atom_types **out, shoal_input *in)
{
    const shoal_status status = atom_types_read_rest(out, in);
    shoal_input_destroy(in);
    return status;
}

shoal_status shoal_atom_types_read(shoal_atom_types **out, const char *path)
{
    shoal_clear_error();
    SHOAL_NEED(out && path);
    shoal_input *in;
    *out = NULL;
    SHOAL_TRY(shoal_input_open(&in, path, NULL));
    return read_and_close(out, in);
}

shoal_status shoal_atom_types_read_memory(shoal_atom_types **out, const void *data, size_t size,
                                          const char *label)
{
    shoal_clear_error();
    SHOAL_NEED(out && data && label);
    shoal_input *in;
    *out = NULL;
    SHOAL_TRY(shoal_input_open_memory(&in, data, size, label));
    return read_and_close(out, in);
}

/* A changed line: words 10 to 13 and numbers behind them replaced, all else as it was. */
static void write_changed(shoal_output *out, const atom_type_row *row, shoal_span line)
{
    const shoal_atom_type *t = &row->type;
    double values[N_FITTED + SHOAL_TYPE_COLUMNS] = {t->r, t->e, t->q, t->h};
    memcpy(values + N_FITTED, row->columns, sizeof row->columns);
    const shoal_span text = without_comment(line);
    shoal_span rest = text;
    const char *copied = line.text;
    for (int k = 0; k < FIRST_COLUMN + SHOAL_TYPE_COLUMNS; ++k) {
        const shoal_span word = shoal_span_word(&rest);
        if (k >= FIRST_COLUMN && (word.size == 0 || isnan(values[k - FIRST_FITTED]))) continue;
        if (k < FIRST_FITTED) continue;
        char number[SHOAL_NUMBER_SIZE];
        double old;
        if (word.size > 0 && shoal_text_double(word, &old) && old == values[k - FIRST_FITTED])
            continue;
        if (word.size == 0 && t->h == 0.0 && (k == FIRST_FITTED + N_FITTED - 1 || t->q == 0.0))
            break; /* Qbase and Hb that are not there are 0 */
        shoal_span before = {copied, (size_t)(word.text - copied)};
        while (word.size == 0 && before.size > 0 && shoal_is_blank(before.text[before.size - 1]))
            --before.size;
        shoal_output_put(out, before);
        (void)shoal_text_print(number, values[k - FIRST_FITTED]);
        if (word.size == 0) shoal_output_text(out, " ");
        shoal_output_text(out, number);
        copied = word.text + word.size;
    }
    const shoal_span after = {copied, (size_t)(line.text + line.size - copied)};
    if (after.size > 0 && !shoal_is_blank(after.text[0])) shoal_output_text(out, " ");
    shoal_output_put(out, after);
}

void atom_types_put_comment(shoal_output *out, const char *comment)
{
    while (*comment) {
        const size_t n = strcspn(comment, "\n");
        shoal_output_text(out, "# ");
        shoal_output_put(out, (shoal_span){comment, n});
        shoal_output_text(out, "\n");
        comment += n + (comment[n] == '\n');
    }
}

/* Whether the table can only be read again if it says its unit, and does not. */
static bool lacks_units(const shoal_atom_types *types)
{
    for (int32_t i = 0; i < types->n_rows && !types->has_units; ++i)
        if (types->rows[i].type.e > ATOM_TYPE_E_LIMIT) return true;
    return false;
}

void atom_types_put(shoal_output *out, const shoal_atom_types *types)
{
    if (lacks_units(types)) shoal_output_text(out, UNITS "\n");
    int32_t row = 0;
    for (int32_t i = 0; i < types->n_lines; ++i) {
        const size_t begin = types->line_start[i];
        const shoal_span line = {types->text.data + begin, types->line_start[i + 1] - begin - 1};
        const bool is_row = row < types->n_rows && types->rows[row].line == i;
        if (is_row && types->rows[row].changed)
            write_changed(out, &types->rows[row], line);
        else
            shoal_output_put(out, line);
        shoal_output_text(out, "\n");
        row += is_row;
    }
}
