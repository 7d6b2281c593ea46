/* SPDX-License-Identifier: BSD-3-Clause
 * Results as rows of comma-separated values (RFC 4180). */
#include <math.h>

#include "base/text.h"
#include "ff/term_table.h"
#include "shoal/results.h"

/* What a spreadsheet would compute: OWASP's list. A sign alone is none. */
static bool is_formula(const char *text)
{
    return text[0] && text[1] && strchr("=+-@\t\r", text[0]);
}

/* In quotes where it has to be, and where blanks at its ends would get lost; behind an apostrophe, which
 * spreadsheets take for the mark of a text, where it would be a formula. */
static void put_text(shoal_string *out, const char *text)
{
    if (!text) return;
    const size_t n = strlen(text);
    const bool has_ends = n > 0 && (shoal_is_blank(text[0]) || shoal_is_blank(text[n - 1]));
    const char *mark = is_formula(text) ? "'" : "";
    if (!has_ends && strcspn(text, "\",\r\n") == n) {
        shoal_string_put_text(out, mark);
        shoal_string_put(out, text, n);
        return;
    }
    shoal_string_put(out, "\"", 1);
    shoal_string_put_text(out, mark);
    for (const char *c = text; *c;) {
        const size_t plain = strcspn(c, "\"");
        shoal_string_put(out, c, plain);
        c += plain;
        if (*c == '"') {
            shoal_string_put(out, "\"\"", 2);
            ++c;
        }
    }
    shoal_string_put(out, "\"", 1);
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

/* Columns that few files have. */
static void put_more(shoal_string *out, const shoal_results_what *what,
                     const shoal_stream_system *system)
{
    if (what && what->variants) {
        put_comma(out);
        shoal_string_put_integer(out, system->variant);
    }
    if (what && what->adsorption)
        put_number(out, system->result.terms, system->result.energy - system->isolated_energy);
}

shoal_status shoal_results_csv(const shoal_results_what *what, const shoal_stream_system *system,
                               const char *const *files, int32_t n_files, shoal_string *out)
{
    shoal_clear_error();
    SHOAL_NEED(system && out && (files || n_files <= 0));
    const int32_t i_file = system->i_file;
    shoal_string_put_integer(out, system->index);
    put_comma(out);
    if (i_file >= 0 && i_file < n_files) put_text(out, files[i_file]);
    put_comma(out);
    shoal_string_put_integer(out, system->record);
    put_comma(out);
    put_text(out, shoal_molecule_name(system->mol));
    put_comma(out);
    shoal_string_put_integer(out, shoal_molecule_n_atoms(system->mol));
    put_comma(out);
    put_text(out, shoal_system_status_name(system->result.status));
    put_result(out, &system->result, count_terms(what));
    put_comma(out);
    put_text(out, system->device);
    put_comma(out);
    put_text(out, system->result.reason);
    put_comma(out);
    put_text(out, system->result.warning);
    put_more(out, what, system);
    shoal_string_put(out, "\n", 1);
    return shoal_string_status(out);
}
