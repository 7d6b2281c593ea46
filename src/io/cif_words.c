/* SPDX-License-Identifier: BSD-3-Clause
 * The words of a CIF (S. R. Hall, F. H. Allen, I. D. Brown, Acta Cryst. A47 (1991) 655; syntax of CIF 1.1). */
#include "io/cif_words.h"

static bool starts_nocase(shoal_span s, const char *prefix)
{
    const size_t n = strlen(prefix);
    return s.size >= n && shoal_span_equal_nocase((shoal_span){s.text, n}, prefix);
}

/* What begins with a semicolon in the first column and ends before the next line that does. */
static shoal_status read_text(cif_words *w, cif_word *out)
{
    const char *start = w->rest.text + 1, *end = w->rest.text + w->rest.size;
    for (;;) {
        shoal_span line;
        SHOAL_TRY(shoal_input_need(w->in, &line, "the ; that ends a text"));
        if (line.size > 0 && line.text[0] == ';') {
            out->text = (shoal_span){start, (size_t)(end - start)};
            w->rest = shoal_span_after(line, 1);
            return SHOAL_OK;
        }
        end = line.text + line.size;
    }
}

/* Programs put a comma behind the last quotes of a line, which have to be the end then. */
static bool ends_with_comma(shoal_span s, char quote)
{
    return s.size > 2 && s.text[s.size - 1] == ',' && s.text[s.size - 2] == quote;
}

/* A quote ends a value where a blank follows it. */
static shoal_status read_quoted(cif_words *w, cif_word *out)
{
    const char quote = w->rest.text[0];
    for (size_t k = 1; k < w->rest.size; ++k) {
        if (w->rest.text[k] != quote) continue;
        if (k + 1 < w->rest.size && !shoal_is_blank(w->rest.text[k + 1])) continue;
        out->text = (shoal_span){w->rest.text + 1, k - 1};
        w->rest = shoal_span_after(w->rest, k + 1);
        return SHOAL_OK;
    }
    const shoal_span line = shoal_span_trim(w->rest);
    if (ends_with_comma(line, quote)) {
        out->text = (shoal_span){line.text + 1, line.size - 3};
        w->rest = (shoal_span){"", 0};
        return SHOAL_OK;
    }
    return shoal_input_fail(w->in, w->rest, "open quotes", "a second %c in the same line", quote);
}

static void classify(cif_word *word)
{
    const shoal_span s = word->text;
    word->kind = CIF_VALUE;
    if (s.text[0] == '_') {
        word->kind = CIF_NAME;
    } else if (starts_nocase(s, "data_")) {
        word->kind = CIF_BLOCK;
        word->text = shoal_span_after(s, 5);
    } else if (shoal_span_equal_nocase(s, "loop_")) {
        word->kind = CIF_LOOP;
    } else if (starts_nocase(s, "save_") || shoal_span_equal_nocase(s, "global_") ||
               shoal_span_equal_nocase(s, "stop_")) {
        word->kind = CIF_OTHER;
    }
}

/* Leaves the next word's begin in w->rest; *found is false at the end. */
static shoal_status find_word(cif_words *w, bool *found, bool *first_column)
{
    for (;;) {
        *first_column = false;
        if (!w->has_line) {
            SHOAL_TRY(shoal_input_line(w->in, &w->rest, found));
            if (!*found) return SHOAL_OK;
            w->has_line = *first_column = true;
        }
        if (*first_column && w->rest.size > 0 && w->rest.text[0] == ';') return SHOAL_OK;
        size_t n = 0;
        while (n < w->rest.size && shoal_is_blank(w->rest.text[n])) ++n;
        w->rest = shoal_span_after(w->rest, n);
        *first_column = *first_column && n == 0;
        if (w->rest.size > 0 && w->rest.text[0] != '#') return SHOAL_OK;
        w->has_line = false;
    }
}

shoal_status cif_next(cif_words *w, cif_word *out)
{
    bool found = true, first_column;
    if (w->repeat) {
        w->repeat = false;
        *out = w->last;
        return SHOAL_OK;
    }
    *out = w->last = (cif_word){.kind = CIF_END, .text = {"", 0}};
    SHOAL_TRY(find_word(w, &found, &first_column));
    if (!found) return SHOAL_OK;
    out->line = shoal_input_at(w->in);
    out->kind = CIF_VALUE;
    out->quoted = true;
    if (first_column && w->rest.text[0] == ';') {
        SHOAL_TRY(read_text(w, out));
    } else if (w->rest.text[0] == '\'' || w->rest.text[0] == '"') {
        SHOAL_TRY(read_quoted(w, out));
    } else {
        out->quoted = false;
        out->text = shoal_span_word(&w->rest);
        classify(out);
    }
    w->last = *out;
    return SHOAL_OK;
}

void cif_unread(cif_words *w)
{
    w->repeat = true;
}

bool cif_is_unknown(const cif_word *word)
{
    return !word->quoted && word->text.size == 1 &&
           (word->text.text[0] == '.' || word->text.text[0] == '?');
}

bool cif_number(shoal_span text, double *out)
{
    const char *open = memchr(text.text, '(', text.size);
    if (open && text.text[text.size - 1] == ')') {
        for (const char *p = open + 1; p < text.text + text.size - 1; ++p)
            if (!shoal_is_digit(*p) && *p != '.') return false;
        text.size = (size_t)(open - text.text);
    }
    return shoal_text_double(text, out);
}
