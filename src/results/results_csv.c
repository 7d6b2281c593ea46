/* SPDX-License-Identifier: BSD-3-Clause
 * Results as rows of comma-separated values (RFC 4180). */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "ff/term_table.h"
#include "results/results_record.h"

/* What a spreadsheet would compute: OWASP's list. A sign alone is none. */
static bool is_formula(shoal_span text)
{
    return text.size > 1 && memchr("=+-@\t\r", text.text[0], 6);
}

static bool needs_quotes(shoal_span text)
{
    for (size_t i = 0; i < text.size; ++i)
        if (memchr("\",\r\n", text.text[i], 4)) return true;
    return text.size > 0 &&
           (shoal_is_blank(text.text[0]) || shoal_is_blank(text.text[text.size - 1]));
}

/* In quotes where it has to be, and where blanks at its ends would get lost; behind an apostrophe, which
 * spreadsheets take for the mark of a text, where it would be a formula. */
static void put_text(shoal_string *out, shoal_span text)
{
    const bool quoted = needs_quotes(text);
    if (quoted) shoal_string_put(out, "\"", 1);
    if (is_formula(text)) shoal_string_put(out, "'", 1);
    for (size_t i = 0; i < text.size; ++i) {
        if (text.text[i] == '"') shoal_string_put(out, "\"", 1);
        shoal_string_put(out, text.text + i, 1);
    }
    if (quoted) shoal_string_put(out, "\"", 1);
}

static void put_comma(shoal_string *out)
{
    shoal_string_put(out, ",", 1);
}

/* A comma and a number; nothing behind it where there is none. */
static void put_number(shoal_string *out, bool known, double value)
{
    put_comma(out);
    if (known && isfinite(value)) shoal_string_put_number(out, value);
}

/* Those of directions are columns where systems may have some. */
static int count_terms(const shoal_results_what *what)
{
    return terms_shown(what && what->directions);
}

void shoal_results_csv_header(const shoal_results_what *what, shoal_string *out)
{
    shoal_string_put_text(out, "index,file,record,name,natoms,status,energy,energy0,fmax,steps");
    for (int t = 0; t < count_terms(what); ++t) {
        shoal_string_put_text(out, ",");
        shoal_string_put_text(out, shoal_term_name(t));
    }
    shoal_string_put_text(out, ",device,reason,warning");
    if (what && what->variants) shoal_string_put_text(out, ",variant");
    if (what && what->adsorption) shoal_string_put_text(out, ",adsorption_energy");
    shoal_string_put(out, "\n", 1);
}

/* What a line tells of a system. */
typedef struct csv_line {
    int64_t index, record, variant;
    shoal_span file, name, device, reason, warning;
    int32_t n_atoms;
    shoal_result result; /* terms NULL: nothing was computed; texts are those above */
    double adsorption;
} csv_line;

/* Steps and energies before are those of a relaxation. */
static void put_result(shoal_string *out, const shoal_result *r, int n_terms)
{
    const bool computed = r->terms != NULL, relaxed = computed && r->steps > 0;
    put_number(out, computed, r->energy);
    put_number(out, relaxed, r->energy0);
    put_number(out, computed, r->fmax);
    put_comma(out);
    if (relaxed) shoal_string_put_integer(out, r->steps);
    for (int t = 0; t < n_terms; ++t) {
        const bool has = t < TERMS_ALWAYS || t < r->n_terms; /* others are zero */
        put_number(out, computed && !(isnan(r->energy) && !has), computed && has ? r->terms[t] : 0);
    }
}

static shoal_status put_line(shoal_string *out, const shoal_results_what *what,
                             const csv_line *line)
{
    shoal_string_put_integer(out, line->index);
    put_comma(out);
    put_text(out, line->file);
    put_comma(out);
    shoal_string_put_integer(out, line->record);
    put_comma(out);
    put_text(out, line->name);
    put_comma(out);
    shoal_string_put_integer(out, line->n_atoms);
    put_comma(out);
    put_text(out, shoal_span_of(shoal_system_status_name(line->result.status)));
    put_result(out, &line->result, count_terms(what));
    put_comma(out);
    put_text(out, line->device);
    put_comma(out);
    put_text(out, line->reason);
    put_comma(out);
    put_text(out, line->warning);
    /* Columns that few files have. */
    if (what && what->variants) {
        put_comma(out);
        shoal_string_put_integer(out, line->variant);
    }
    if (what && what->adsorption) put_number(out, line->result.terms, line->adsorption);
    shoal_string_put(out, "\n", 1);
    return shoal_string_status(out);
}

static shoal_span span_of(const char *text)
{
    return shoal_span_of(text ? text : "");
}

shoal_status shoal_results_csv(const shoal_results_what *what, const shoal_stream_system *system,
                               const char *const *files, int32_t n_files, shoal_string *out)
{
    shoal_clear_error();
    SHOAL_NEED(system && out && (files || n_files <= 0));
    const int32_t i = system->i_file;
    const csv_line line = {.index = system->index,
                           .record = system->record,
                           .variant = system->variant,
                           .file = span_of(i >= 0 && i < n_files ? files[i] : NULL),
                           .name = span_of(shoal_molecule_name(system->mol)),
                           .device = span_of(system->device),
                           .reason = span_of(system->result.reason),
                           .warning = span_of(system->result.warning),
                           .n_atoms = shoal_molecule_n_atoms(system->mol),
                           .result = system->result,
                           .adsorption = system->result.energy - system->isolated_energy};
    return put_line(out, what, &line);
}

/* --- of records ----------------------------------------------------------------------------------- */

static shoal_span get_text(const results_view *v, int column)
{
    return (shoal_span){v->at[column], v->head.rows[results_columns[column].axis]};
}

/* Of a column that not all records have. */
static bool has_column(const results_view *v, int column)
{
    return results_row_size(&results_columns[column], v->head.flags, v->head.n_terms) > 0;
}

static double get_double(const results_view *v, int column)
{
    double value = NAN;
    if (has_column(v, column)) memcpy(&value, v->at[column], sizeof value);
    return value;
}

static int64_t get_integer(const results_view *v, int column)
{
    const size_t size = results_type_size[results_columns[column].type];
    int64_t value = 0;
    if (has_column(v, column)) memcpy(&value, v->at[column], size); /* files are little-endian */
    return value;
}

shoal_status shoal_results_csv_record(const shoal_results_what *what, const char *bytes, size_t n,
                                      const char *const *files, int32_t n_files, shoal_string *out)
{
    double terms[SHOAL_N_TERMS];
    results_view v;
    shoal_clear_error();
    SHOAL_NEED(bytes && out && (files || n_files <= 0));
    SHOAL_TRY(results_look(bytes, n, &v));
    if (v.head.n_terms > SHOAL_N_TERMS)
        return shoal_fail(SHOAL_E_FORMAT, "results: %u terms, expected at most %d", v.head.n_terms,
                          SHOAL_N_TERMS);
    memcpy(terms, v.at[RESULTS_ENERGIES], v.head.n_terms * sizeof *terms);
    const int64_t i = get_integer(&v, RESULTS_FILE);
    const char *device = v.at[RESULTS_DEVICE];
    const csv_line line = {
        .index = get_integer(&v, RESULTS_INDEX),
        .record = get_integer(&v, RESULTS_RECORD),
        .variant = get_integer(&v, RESULTS_VARIANT),
        .file = span_of(i >= 0 && i < n_files ? files[i] : NULL),
        .name = get_text(&v, RESULTS_NAME_TEXT),
        .device = {device, strnlen(device, results_type_size[RESULTS_TEXT24])},
        .reason = get_text(&v, RESULTS_REASON_TEXT),
        .warning = get_text(&v, RESULTS_WARNING_TEXT),
        .n_atoms = (int32_t)get_integer(&v, RESULTS_N_ATOMS),
        .result = {.status = (shoal_system_status)get_integer(&v, RESULTS_STATUS),
                   .energy = get_double(&v, RESULTS_ENERGY),
                   .energy0 = get_double(&v, RESULTS_ENERGY0),
                   .fmax = get_double(&v, RESULTS_FMAX),
                   .steps = (int32_t)get_integer(&v, RESULTS_STEPS),
                   .n_terms = (int32_t)v.head.n_terms,
                   .terms = terms},
        .adsorption = get_double(&v, RESULTS_ADSORPTION)};
    return put_line(out, what, &line);
}
